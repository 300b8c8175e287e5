/* A bar, clamped at one end and pulled at the other: mesh, assembly, a right-hand side of one's own, solution, check
   against u = traction * x / young; then two more load cases on the same matrix.

     cc b_clamped_box.c $(pkg-config --cflags --libs ritz) -lm -o b_clamped_box && ./b_clamped_box

     675 unknowns, 27 of them prescribed
     pulled by own forces:       end moves by 0.004000000, 24 iterations
     pulled by a surface load:   end moves by 0.004000000, 24 iterations
     clamp moved by 0.001:       end moves by 0.001000000, 25 iterations */
#include <ritz.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double length = 4, traction = 10, young = 1e4;
enum { ACROSS = 2 }; /* cells across the bar, which is 1 by 1 */

static void check_status(ritz_status status)
{
    if (status == RITZ_OK)
        return;
    fprintf(stderr, "%s\n", ritz_message());
    exit(1);
}

/* Share of a unit side that belongs to a node at y. */
static double share_of_load(double y)
{
    return (y < 1e-9 || y > 1 - 1e-9 ? 0.5 : 1.0) / (double)ACROSS;
}

/* Solves and tells by how much the end moves along x. */
static double solve_system(const ritz_assembler *assembler, const ritz_space *space, const double *rhs,
                           const char *what)
{
    const int64_t n = ritz_space_n_dofs(space);
    const double *x = ritz_space_coordinates(space);
    const ritz_solve_options options = {.tolerance = 1e-11};
    ritz_solve_report report = {.size = sizeof report};
    double *u = (double *)calloc((size_t)n, sizeof *u), end = 0;
    if (!u)
        exit(1);
    check_status(ritz_solve(ritz_assembler_matrix(assembler), &options, rhs, u, &report));
    for (int64_t node = 0; node < n / 3; node++)
        if (x[3 * node] > length - 1e-9)
            end = fmax(end, u[3 * node]);
    printf("%-27s end moves by %.9f, %d iterations\n", what, end, (int)report.iterations);
    free(u);
    return end;
}

int main(void)
{
    ritz_device *device = NULL;
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    ritz_form *form = NULL;
    ritz_constraints *clamp = NULL;
    ritz_assembler *assembler = NULL;
    ritz_box box = {.cell = RITZ_HEX, .cells = {24, ACROSS, ACROSS}, .size = {length, 1, 1}};
    check_status(ritz_device_open("auto", &device));
    check_status(ritz_mesh_box(&box, &mesh));
    check_status(ritz_space_create(mesh, 1, 3, &space));
    check_status(ritz_form_create("elasticity", 3, &form));
    check_status(ritz_constraints_create(space, &clamp));
    check_status(ritz_constraints_set_group(clamp, "x0", -1, 0));
    const int64_t n = ritz_space_n_dofs(space);
    const double *x = ritz_space_coordinates(space);
    double *rhs = (double *)malloc(sizeof *rhs * (size_t)n), *moved = (double *)calloc((size_t)n, sizeof *moved);
    if (!rhs || !moved)
        return 1;
    printf("%lld unknowns, %lld of them prescribed\n", (long long)n, (long long)ritz_constraints_n_dofs(clamp));

    const ritz_data data[] = {{.name = "young", .value = young}, {.name = "poisson", .value = 0}};
    const ritz_input input = {.size = sizeof input, .n_data = 2, .data = data};
    check_status(ritz_assembler_create(device, space, NULL, &assembler));
    check_status(ritz_assembler_fill(assembler, form, &input, NULL, clamp, rhs));

    /* Own forces: the traction times each node's share of the end. */
    for (int64_t node = 0; node < n / 3; node++)
        if (x[3 * node] > length - 1e-9)
            rhs[3 * node] += traction * share_of_load(x[3 * node + 1]) * share_of_load(x[3 * node + 2]);
    const double own = solve_system(assembler, space, rhs, "pulled by own forces:");

    const ritz_surface_load pull = {.group = "x1", .value = {traction, 0, 0}};
    const ritz_external_loads loads = {.size = sizeof loads, .n_surfaces = 1, .surfaces = &pull};
    check_status(ritz_assembler_rhs(assembler, form, &input, &loads, clamp, rhs));
    const double surface = solve_system(assembler, space, rhs, "pulled by a surface load:");

    for (int64_t node = 0; node < n / 3; node++)
        moved[3 * node] = 0.001;
    check_status(ritz_constraints_set_values(clamp, moved));
    check_status(ritz_assembler_rhs(assembler, form, &input, NULL, clamp, rhs));
    const double shifted = solve_system(assembler, space, rhs, "clamp moved by 0.001:");

    free(rhs);
    free(moved);
    ritz_assembler_destroy(&assembler);
    ritz_constraints_destroy(&clamp);
    ritz_form_destroy(&form);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
    ritz_device_close(&device);
    const double exact = traction * length / young;
    const bool right = fabs(own - exact) < 1e-9 && fabs(surface - exact) < 1e-9 && fabs(shifted - 0.001) < 1e-9;
    return right ? 0 : 1;
}
