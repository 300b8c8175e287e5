/* Assembly for callers: what they give is checked and brought into the library's terms. */
#include "assemble/assembler.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Loads beside those of the form ---- */

/* Values at the points of cells have none on their facets. */
static ritz_status check_read_data(const ritz_facet_data *data, const ritz_expression *expression)
{
    ritz_status status = RITZ_OK;
    const int first = RITZ_N_FACET_NAMES + data->form->variables.n - 4;
    for (int d = 0; d < data->form->n_data; d++)
        RITZ_REQUIRE(!ritz_expression_reads(expression, first + d) || data->fields[d] ||
                         data->data[0][d].kind != RITZ_DATA_POINT,
                     RITZ_ERROR_INPUT,
                     "'%s' is given at the points of cells, which surfaces have none of; give a number, an expression, "
                     "an array of the cells or a field",
                     ritz_form_data_name(data->form, d));
done:
    return status;
}

/* The expression of a value on a group; a constant is one, too. data: what else it may read, NULL: nothing. */
static ritz_status take_surface_value(const ritz_facet_data *data, const char *what, const char *group,
                                      const char *text, double value, ritz_expression **expression)
{
    ritz_status status = RITZ_OK;
    const char *names[RITZ_N_FACET_NAMES + RITZ_MAX_NAMES];
    char constant[32];
    snprintf(constant, sizeof constant, "%.17g", value);
    RITZ_REQUIRE(text || isfinite(value), RITZ_ERROR_INPUT, "%s on the group '%s' is not finite", what, group);
    const int n_names = ritz_list_facet_names(data ? data->form : NULL, names);
    status = ritz_expression_create(text ? text : constant, names, n_names, expression);
    if (status == RITZ_OK && data)
        status = check_read_data(data, *expression);
    if (status != RITZ_OK)
        ritz_fail_context(status, "%s on the group '%s': ", what, group);
done:
    return status;
}

_Static_assert(sizeof((ritz_surface_load *)NULL)->value / sizeof(double) == RITZ_MAX_COMPONENTS,
               "a value for each component");

/* The expressions of a surface load. */
static ritz_status take_surface(const ritz_space *space, const ritz_surface_load *from, const ritz_facet_data *data,
                                ritz_expression *value[RITZ_MAX_COMPONENTS])
{
    ritz_status status = RITZ_OK;
    const int n = from->pressure ? 1 : space->n_components;
    RITZ_REQUIRE(from->group, RITZ_ERROR_INPUT, "a surface load has no group; name one of the mesh");
    RITZ_REQUIRE(
        !from->pressure || space->n_components == space->dim, RITZ_ERROR_INPUT,
        "a pressure on the group '%s' needs a displacement of %d components, and the space has %d; give a flux",
        from->group, space->dim, space->n_components);
    for (int c = 0; c < n; c++) {
        char what[40];
        snprintf(what, sizeof what, "component %d of the load", c);
        RITZ_TRY(take_surface_value(data, what, from->group, from->expression[c], from->value[c], &value[c]));
    }
done:
    return status;
}

static ritz_status add_surface(const ritz_assembler *a, const ritz_surface_load *from, const ritz_facet_data *data,
                               double time, double *load)
{
    ritz_status status = RITZ_OK;
    ritz_expression *value[RITZ_MAX_COMPONENTS] = {NULL};
    int32_t group;
    RITZ_TRY(take_surface(a->space, from, data, value));
    RITZ_TRY(ritz_mesh_find_group(a->space->mesh, from->group, a->space->dim - 1, &group));
    const ritz_facet_load facet_load = {.group = group,
                                        .pressure = from->pressure,
                                        .value = (const ritz_expression *const *)value,
                                        .data = data,
                                        .time = time,
                                        .degree = a->options.degree};
    RITZ_TRY(ritz_integrate_facets(a->space, &facet_load, load));
done:
    for (int c = 0; c < RITZ_MAX_COMPONENTS; c++)
        ritz_expression_destroy(&value[c]);
    return status;
}

/* (*load)[n_dofs]: the caller's own where there are forces at nodes alone, else *made, for the caller to free; NULL
   where there are no loads. */
static ritz_status take_loads(const ritz_assembler *a, const ritz_external_loads *loads, const ritz_facet_data *data,
                              double time, double **made, const double **load)
{
    ritz_status status = RITZ_OK;
    ritz_external_loads l;
    const int64_t n_dofs = ritz_space_n_dofs(a->space);
    RITZ_TRY(ritz_take_struct(loads, &l, sizeof l, "ritz_external_loads"));
    RITZ_REQUIRE(l.n_surfaces >= 0, RITZ_ERROR_INPUT, "%d surface loads cannot be given; give 0 or more", l.n_surfaces);
    RITZ_REQUIRE(l.n_surfaces == 0 || l.surfaces, RITZ_ERROR_INPUT,
                 "%d surface loads are given, but 'surfaces' is NULL", l.n_surfaces);
    if (l.n_surfaces > 0) {
        RITZ_NEW(*made, n_dofs);
        if (l.nodal)
            memcpy(*made, l.nodal, sizeof(double) * (size_t)n_dofs);
        for (int k = 0; k < l.n_surfaces; k++)
            RITZ_TRY(add_surface(a, &l.surfaces[k], data, time, *made));
    }
    *load = l.n_surfaces > 0 ? *made : l.nodal;
    const int64_t n = *load ? n_dofs : 0, bad = ritz_find_not_finite(n, *load);
    RITZ_REQUIRE(bad == n, RITZ_ERROR_INPUT, "the loads on surfaces and nodes are not finite at degree of freedom %lld",
                 (long long)bad);
done:
    return status;
}

/* Terms of the matrix on surfaces, in the library's terms. */
typedef struct film_list {
    int n;
    ritz_expression **expressions; /* [n] */
    ritz_facet_load *films;        /* [n] */
} film_list;

static void free_films(film_list *list)
{
    for (int k = 0; k < list->n; k++)
        ritz_expression_destroy(&list->expressions[k]);
    ritz_free(list->expressions);
    ritz_free(list->films);
}

static ritz_status take_films(const ritz_assembler *a, const ritz_external_loads *loads, const ritz_facet_data *data,
                              double time, film_list *list)
{
    ritz_status status = RITZ_OK;
    ritz_external_loads l;
    RITZ_TRY(ritz_take_struct(loads, &l, sizeof l, "ritz_external_loads"));
    RITZ_REQUIRE(l.n_films >= 0, RITZ_ERROR_INPUT, "%d films cannot be given; give 0 or more", l.n_films);
    RITZ_REQUIRE(l.n_films == 0 || l.films, RITZ_ERROR_INPUT, "%d films are given, but 'films' is NULL", l.n_films);
    if (l.n_films == 0)
        goto done;
    RITZ_NEW(list->expressions, l.n_films);
    RITZ_NEW(list->films, l.n_films);
    list->n = l.n_films;
    for (int k = 0; k < l.n_films; k++) {
        const ritz_surface_film *from = &l.films[k];
        ritz_facet_load *film = &list->films[k];
        RITZ_REQUIRE(from->group, RITZ_ERROR_INPUT, "film %d has no group; name one of the mesh", k);
        RITZ_TRY(
            take_surface_value(data, "the film", from->group, from->expression, from->value, &list->expressions[k]));
        *film = (ritz_facet_load){.value = (const ritz_expression *const *)&list->expressions[k],
                                  .data = data,
                                  .time = time,
                                  .degree = a->options.degree};
        RITZ_TRY(ritz_mesh_find_group(a->space->mesh, from->group, a->space->dim - 1, &film->group));
    }
done:
    return status;
}

/* ---- What is assembled ---- */

/* All that a fill or a right-hand side is given, checked. */
typedef struct request {
    ritz_given *given;
    const ritz_datum *batches[RITZ_N_CELLS];
    ritz_facet_data facet_data;
    double *made_load; /* NULL: none, or the caller's */
    const double *load;
    film_list films;
    ritz_assembly assembly;
} request;

static void free_request(request *r)
{
    ritz_given_destroy(&r->given);
    ritz_free(r->made_load);
    free_films(&r->films);
}

static ritz_status check_constraints(const ritz_assembler *a, const ritz_constraints *constraints)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(!constraints || constraints->space == a->space, RITZ_ERROR_INPUT,
                 "the constraints are of another space; make them for the assembler's");
done:
    return status;
}

static ritz_status take_request(ritz_assembler *a, const ritz_form *form, const ritz_input *input,
                                const ritz_external_loads *loads, const ritz_constraints *constraints, request *r)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_form_check_space(form, a->space));
    RITZ_TRY(check_constraints(a, constraints));
    const ritz_giving giving = {form, a->space, a->options.precision, a->options.degree, -1, &a->order};
    RITZ_TRY(ritz_given_create(&giving, input, &r->given));
    for (int b = 0; b < a->space->n_batches; b++)
        r->batches[b] = r->given->data[b];
    r->facet_data = (ritz_facet_data){.form = form, .data = r->batches, .old = r->given->old};
    for (int d = 0; d < form->n_data; d++)
        r->facet_data.fields[d] = r->given->fields[d].values ? &r->given->fields[d] : NULL;
    RITZ_TRY(take_loads(a, loads, &r->facet_data, r->given->time, &r->made_load, &r->load));
    RITZ_TRY(take_films(a, loads, &r->facet_data, r->given->time, &r->films));
    r->assembly = (ritz_assembly){.space = a->space,
                                  .form = form,
                                  .data = r->batches,
                                  .old = r->given->old,
                                  .time = r->given->time,
                                  .load = r->load,
                                  .films = r->films.films,
                                  .n_films = r->films.n,
                                  .constraints = constraints};
done:
    return status;
}

/* Names the first row whose diagonal or right-hand side is no finite number. */
static ritz_status find_not_finite(const ritz_system *system, const ritz_buffer *diagonal)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *m = system->matrix;
    const int64_t n = ritz_matrix_n_rows(m);
    double *values = NULL;
    RITZ_NEW(values, n);
    for (int vector = 0; vector < 2; vector++) {
        RITZ_TRY(ritz_matrix_read_vector(m, vector ? system->rhs : diagonal, values));
        const int64_t bad = ritz_find_not_finite(n, values);
        RITZ_REQUIRE(bad == n, RITZ_ERROR_INPUT,
                     "row %lld of the assembled %s is not finite in %s precision: a coefficient has no value there, or "
                     "data or coordinates are too large or too small; give others, or choose other units%s",
                     (long long)bad, vector ? "right-hand side" : "matrix",
                     m->precision == RITZ_F64 ? "double" : "single",
                     m->precision == RITZ_F64 ? "" : ", or double precision");
    }
done:
    ritz_free(values);
    return status;
}

/* What finds numbers that are none, made once: a fill takes no memory. */
static ritz_status make_finder(ritz_assembler *a)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *m = a->system->matrix;
    static const char *const path[] = {"assemble/kernels/finite.cl"};
    ritz_program *program = NULL;
    if (a->finder)
        return RITZ_OK;
    RITZ_TRY(ritz_program_get(a->device, m->precision, "", path, 1, "", &program));
    RITZ_TRY(ritz_buffer_create(a->device, ritz_matrix_n_rows(m) * ritz_real_bytes(m->precision), "the diagonal",
                                &a->diagonal));
    RITZ_TRY(ritz_buffer_create(a->device, sizeof(int32_t), "a finding", &a->found));
    RITZ_TRY(ritz_kernel_get(program, "find_not_finite", &a->finder));
done:
    return status;
}

/* The diagonal and the right-hand side are numbers: expressions may have no value somewhere, and data that each are within
   bounds may overflow together. */
static ritz_status check_finite(ritz_assembler *a)
{
    ritz_status status = RITZ_OK;
    const int64_t n = ritz_matrix_n_rows(a->system->matrix);
    int32_t found = 0;
    RITZ_TRY(make_finder(a));
    RITZ_TRY(ritz_matrix_diagonal(a->system->matrix, a->diagonal));
    RITZ_TRY(ritz_buffer_zero(a->found));
    RITZ_TRY(RITZ_LAUNCH(a->finder, ritz_adder_range(n), NULL, RITZ_LONG(n), RITZ_BUFFER(a->diagonal),
                         RITZ_BUFFER(a->system->rhs), RITZ_BUFFER(a->found)));
    RITZ_TRY(ritz_buffer_read(a->found, 0, &found, sizeof found));
    if (found)
        RITZ_TRY(find_not_finite(a->system, a->diagonal));
done:
    return status;
}

/* Its right-hand side goes to the host where that asks for it. */
static ritz_status fill_system(ritz_assembler *assembler, const ritz_assembly *assembly, double *rhs)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_assembler_run(assembler, assembly));
    RITZ_TRY(check_finite(assembler));
    if (rhs)
        RITZ_TRY(ritz_matrix_read_vector(assembler->system->matrix, assembler->system->rhs, rhs));
done:
    return status;
}

ritz_status ritz_assembler_fill(ritz_assembler *assembler, const ritz_form *form, const ritz_input *input,
                                const ritz_external_loads *loads, const ritz_constraints *constraints, double *rhs)
{
    ritz_status status = RITZ_OK;
    request r = {0};
    RITZ_REQUIRE_POINTER(assembler);
    RITZ_REQUIRE_POINTER(form);
    RITZ_TRY(take_request(assembler, form, input, loads, constraints, &r));
    RITZ_TRY(fill_system(assembler, &r.assembly, rhs));
done:
    free_request(&r);
    return status;
}

/* by_batch[n_batches] of the n that are given. */
static ritz_status sort_elements(const ritz_assembler *a, int n, const ritz_elements *const *elements,
                                 const ritz_elements **by_batch)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = a->space->mesh;
    for (int i = 0; i < n; i++) {
        const ritz_elements *e = elements[i];
        RITZ_REQUIRE(e && e->filled, RITZ_ERROR_INPUT, "elements[%d] hold no matrices; call ritz_elements_fill first",
                     i);
        RITZ_REQUIRE(e->device == a->device, RITZ_ERROR_INPUT,
                     "elements[%d] were made on another device than the assembler; make them on the same one", i);
        RITZ_REQUIRE(e->space == a->space && e->options.precision == a->options.precision, RITZ_ERROR_INPUT,
                     "elements[%d] have another space or precision than the assembler's; make them the same", i);
        RITZ_REQUIRE(!by_batch[e->batch], RITZ_ERROR_INPUT, "two of the elements are of %s cells; give each type once",
                     ritz_cell_name(mesh->blocks[e->batch].cell));
        by_batch[e->batch] = e;
    }
    for (int b = 0; b < a->space->n_batches; b++)
        RITZ_REQUIRE(by_batch[b], RITZ_ERROR_INPUT, "the %s cells of the mesh have no elements; give them, too",
                     ritz_cell_name(mesh->blocks[b].cell));
done:
    return status;
}

ritz_status ritz_assembler_fill_from_elements(ritz_assembler *assembler, int n_elements,
                                              const ritz_elements *const *elements, const ritz_external_loads *loads,
                                              const ritz_constraints *constraints, double *rhs)
{
    ritz_status status = RITZ_OK;
    const ritz_elements *by_batch[RITZ_N_CELLS] = {NULL};
    request r = {0};
    RITZ_REQUIRE_POINTER(assembler);
    RITZ_REQUIRE_POINTER(elements);
    RITZ_TRY(check_constraints(assembler, constraints));
    RITZ_TRY(sort_elements(assembler, n_elements, elements, by_batch));
    RITZ_TRY(take_loads(assembler, loads, NULL, elements[0]->time, &r.made_load, &r.load));
    RITZ_TRY(take_films(assembler, loads, NULL, elements[0]->time, &r.films));
    r.assembly = (ritz_assembly){.space = assembler->space,
                                 .elements = by_batch,
                                 .load = r.load,
                                 .films = r.films.films,
                                 .n_films = r.films.n,
                                 .constraints = constraints};
    RITZ_TRY(fill_system(assembler, &r.assembly, rhs));
done:
    free_request(&r);
    return status;
}

const ritz_vector *ritz_assembler_vector(const ritz_assembler *assembler)
{
    return assembler && assembler->filled ? &assembler->rhs : NULL;
}

const ritz_matrix *ritz_assembler_matrix(const ritz_assembler *assembler)
{
    return assembler && assembler->filled ? assembler->system->matrix : NULL;
}

ritz_status ritz_assemble(ritz_device *device, const ritz_space *space, const ritz_form *form, const ritz_input *input,
                          const ritz_assemble_options *options, ritz_matrix **matrix, double *rhs)
{
    ritz_status status = RITZ_OK;
    ritz_assembler *a = NULL;
    request r = {0};
    RITZ_REQUIRE_POINTER(device);
    RITZ_REQUIRE_POINTER(space);
    RITZ_REQUIRE_POINTER(form);
    RITZ_REQUIRE_POINTER(matrix);
    RITZ_TRY(ritz_form_check_space(form, space));
    RITZ_TRY(ritz_assembler_create(device, space, options, &a));
    RITZ_TRY(take_request(a, form, input, NULL, NULL, &r));
    RITZ_TRY(ritz_assembler_run_once(a, &r.assembly));
    RITZ_TRY(check_finite(a));
    if (rhs)
        RITZ_TRY(ritz_matrix_read_vector(a->system->matrix, a->system->rhs, rhs));
    *matrix = a->system->matrix;
    a->system->matrix = NULL;
done:
    free_request(&r);
    ritz_assembler_destroy(&a);
    return status;
}

/* ---- Further right-hand sides ---- */

/* What is eliminated, and its values. */
typedef struct elimination {
    const uint8_t *gone; /* NULL: nothing */
    const double *offset;
    ritz_dependence *dependence; /* NULL: by equations nothing */
} elimination;

static ritz_status take_elimination(const ritz_constraints *constraints, elimination *e)
{
    ritz_status status = RITZ_OK;
    if (!constraints)
        return RITZ_OK;
    RITZ_TRY(ritz_constraints_resolve(constraints, &e->dependence));
    if (e->dependence || constraints->n_fixed > 0) {
        e->gone = e->dependence ? e->dependence->gone : constraints->fixed;
        e->offset = e->dependence ? e->dependence->offset : constraints->value;
    }
done:
    return status;
}

/* Whether it is what the last fill eliminated. */
static bool same_elimination(const ritz_assembler *a, const elimination *e)
{
    return (e->gone != NULL) == a->eliminated &&
           (!e->gone || memcmp(e->gone, a->eliminator->fixed, (size_t)a->space->n_nodes) == 0) &&
           ritz_dependence_same(e->dependence, a->transformation ? a->transformation->dependence : NULL);
}

/* Rows of what is eliminated; the diagonal is that of the matrix. */
static ritz_status set_eliminated(const ritz_assembler *a, const elimination *e, double *rhs)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *matrix = a->system->matrix;
    const int n_c = a->space->n_components;
    const int64_t n = ritz_space_n_dofs(a->space);
    double *diagonal = NULL;
    RITZ_NEW(diagonal, n);
    RITZ_TRY(ritz_matrix_read_diagonal(matrix, diagonal));
    for (int64_t i = 0; i < n; i++)
        if (e->gone[i / n_c] >> i % n_c & 1)
            rhs[i] = ritz_prescribed_row(matrix->precision, diagonal[i], e->offset[i]);
done:
    ritz_free(diagonal);
    return status;
}

static ritz_status make_rhs(const ritz_assembler *a, const ritz_assembly *assembly, const elimination *e, double *rhs)
{
    ritz_status status = RITZ_OK;
    if (assembly->load)
        memcpy(rhs, assembly->load, sizeof(double) * (size_t)ritz_space_n_dofs(a->space));
    for (int b = 0; b < a->space->n_batches; b++) {
        const ritz_integral integral = {.space = a->space,
                                        .batch = &a->space->batches[b],
                                        .form = assembly->form,
                                        .data = assembly->data[b],
                                        .old = assembly->old,
                                        .time = assembly->time,
                                        .degree = a->options.degree};
        RITZ_TRY(ritz_add_chosen_vectors(&integral, NULL, NULL, NULL, 1, rhs));
        if (e->gone)
            RITZ_TRY(ritz_subtract_action(&integral, e->offset, rhs));
    }
    for (int k = 0; e->gone && k < assembly->n_films; k++)
        RITZ_TRY(ritz_subtract_facet_action(a->space, &assembly->films[k], e->offset, rhs));
    ritz_dependence_add_to_masters(e->dependence, rhs);
    if (e->gone)
        RITZ_TRY(set_eliminated(a, e, rhs));
done:
    return status;
}

ritz_status ritz_assembler_rhs(ritz_assembler *assembler, const ritz_form *form, const ritz_input *input,
                               const ritz_external_loads *loads, const ritz_constraints *constraints, double *rhs)
{
    ritz_status status = RITZ_OK;
    request r = {0};
    elimination e = {0};
    double *made = NULL;
    RITZ_REQUIRE_POINTER(assembler);
    RITZ_REQUIRE_POINTER(form);
    RITZ_REQUIRE_POINTER(rhs);
    const int64_t n = ritz_space_n_dofs(assembler->space);
    RITZ_REQUIRE(assembler->filled, RITZ_ERROR_INPUT,
                 "a further right-hand side needs a filled matrix; call ritz_assembler_fill first");
    RITZ_TRY(take_request(assembler, form, input, loads, constraints, &r));
    RITZ_TRY(take_elimination(constraints, &e));
    RITZ_REQUIRE(same_elimination(assembler, &e), RITZ_ERROR_INPUT,
                 "the prescribed degrees of freedom or the equations differ from the last fill; fill the matrix again");
    RITZ_NEW(made, n);
    RITZ_TRY(make_rhs(assembler, &r.assembly, &e, made));
    const int64_t bad = ritz_find_not_finite(n, made);
    RITZ_REQUIRE(bad == n, RITZ_ERROR_INPUT, "the right-hand side is not finite at degree of freedom %lld",
                 (long long)bad);
    memcpy(rhs, made, sizeof(double) * (size_t)n);
done:
    ritz_free(made);
    ritz_dependence_destroy(&e.dependence);
    free_request(&r);
    return status;
}
