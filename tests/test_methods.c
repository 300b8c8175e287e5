/* Methods of the registry against the reference.

       test_methods METHOD|all [CELL [ORDER]]

   compares element matrices and vectors of distorted elements with random coefficients. From one (cell, order) to the
   next it goes round the forms and precisions, and each method has one of the orders 3 to 7 on each cell, another on the
   next; RITZ_TEST_ALL=1 takes all of them every time, RITZ_TEST_ORDER=n stops at order n, RITZ_TEST_DEVICE chooses the
   device. */
#include "elements.h"

#include <stdio.h>

static const char *const form_names[] = {"poisson",      "convection-diffusion", "elasticity",
                                         "plane-stress", "plane-strain",         "mass"};
enum { N_FORMS = sizeof form_names / sizeof form_names[0] };

static const char *chosen_method = "all";
static int first_cell = 0, last_cell = RITZ_N_CELLS - 1, first_order = 1, last_order = RITZ_MAX_ORDER;
static bool take_all;
static int n_compared;

static bool form_serves(const char *name, int dim)
{
    return dim == 3 ? strncmp(name, "plane", 5) != 0 : strcmp(name, "elasticity") != 0;
}

/* Whether the elements or data are such that the method can not serve them. */
static bool refuses_case(const ritz_method *method, const ritz_case *the_case, const ritz_integral *integral)
{
    ritz_plan plan;
    if (!method->check)
        return false;
    OK(ritz_method_plan(method, the_case, ritz_device_get_info(device), NULL, 0, &plan));
    return method->check(integral, &plan) != RITZ_OK;
}

/* One integral by one method. */
static void compare_matrices(const ritz_integral *integral, const ritz_method *method, ritz_precision precision,
                             bool points)
{
    ritz_case the_case;
    double vector_error;
    ritz_case_of(integral, precision, &the_case);
    if (!method->applies(&the_case, ritz_device_get_info(device)) || refuses_case(method, &the_case, integral))
        return;
    const double error = device_error(integral, method->name, precision, NULL, 0, &vector_error);
    if (!(error <= device_tolerance(precision)) || !(vector_error <= device_tolerance(precision)))
        fail_msg("%s: %s order %d %s %s %s: matrix error %.3g, vector error %.3g", method->name,
                 ritz_cell_name(the_case.cell), the_case.order, integral->form->name,
                 precision == RITZ_F32 ? "f32" : "f64", points ? "points" : "elements", error, vector_error);
    n_compared++;
}

/* Whether method number m is compared at this order: always at 1 and 2, or where one was asked for. The turns
   begin such that the methods that take longest on hexes at order 7 have another there. */
static bool has_turn(int m, int order, ritz_cell cell)
{
    return take_all || order < 3 || order == 3 + (m + (int)cell) % 5 || strcmp(chosen_method, "all") != 0;
}

/* Element coefficients, and at order 2 point coefficients (the order changes sizes only). Goes through the methods,
   each with its turn of the precisions. */
static void compare_form(const ritz_mesh *mesh, const char *name, int order, int turn)
{
    int n_methods;
    const ritz_method *const *methods = ritz_methods(&n_methods);
    ritz_form *form = NULL;
    ritz_space *space = NULL;
    OK(ritz_form_create(name, mesh->dim, &form));
    OK(ritz_space_create(mesh, order, ritz_form_n_components(form), &space));
    for (int points = 0; points < (order == 2 ? 2 : 1); points++) {
        test_data data;
        const ritz_space_batch *batch = &space->batches[0];
        make_data(form, batch->n_cells, ritz_cell_n_quad(batch->cell, order), points, &data);
        const ritz_integral integral = {.space = space, .batch = batch, .form = form, .data = data.datum};
        for (int m = 0; m < n_methods; m++)
            for (int precision = 0; precision < 2; precision++)
                if ((strcmp(chosen_method, "all") == 0 || strcmp(chosen_method, methods[m]->name) == 0) &&
                    has_turn(m, order, batch->cell) && (take_all || (turn + m + points) % 2 == precision))
                    compare_matrices(&integral, methods[m], (ritz_precision)precision, points);
        free_data(&data);
    }
    ritz_space_destroy(&space);
    ritz_form_destroy(&form);
}

static void test_methods_match_reference(void **unused)
{
    (void)unused;
    for (int cell = first_cell; cell <= last_cell; cell++)
        for (int order = first_order; order <= last_order; order++) {
            const char *names[N_FORMS];
            int n = 0;
            ritz_mesh *mesh = random_mesh((ritz_cell)cell, order <= 2 ? 2 : 1);
            for (int f = 0; f < N_FORMS; f++)
                if (form_serves(form_names[f], mesh->dim))
                    names[n++] = form_names[f];
            for (int f = 0; f < n; f++)
                if (take_all || (order + cell) % n == f)
                    compare_form(mesh, names[f], order, order / n + cell);
            ritz_mesh_destroy(&mesh);
        }
    if (n_compared == 0)
        fail_msg("no method '%s' serves what was asked for", chosen_method);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods_match_reference)};
    ritz_cell cell;
    if (argc > 1)
        chosen_method = argv[1];
    if (argc > 2 && strcmp(argv[2], "all") != 0) {
        if (ritz_cell_from_name(argv[2], &cell) != RITZ_OK) {
            fprintf(stderr, "%s\n", ritz_message());
            return 2;
        }
        first_cell = last_cell = (int)cell;
    }
    last_order = highest_order(RITZ_MAX_ORDER);
    if (argc > 3)
        first_order = last_order = atoi(argv[3]);
    take_all = wants_all();
    return cmocka_run_group_tests(tests, open_device, close_device);
}
