/* Element matrices left in the device's memory: read, found by their layout, changed there, assembled; right-hand sides
   that stay there, too. Truth: ritz_integrate and ritz_assembler_fill, bit by bit. Through the public interface alone. */
#include "check.h"
#include "ritz.h"

#include <math.h>
#include <stdio.h>

/* A plate of quads at the left and triangles at the right, every second cell left-handed, the cells in no order. */
enum { NX = 4, NY = 3, N_NODES = (NX + 1) * (NY + 1), N_QUADS = NY, N_TRIS = 2 * NY * (NX - 1) };
enum { MOST_SHAPE = 9, MOST_ROWS = 2 * MOST_SHAPE };

typedef struct plate {
    ritz_mesh *mesh;
    ritz_space *space;
    ritz_form *form;
} plate;

static plate make_plate(const char *form, int order)
{
    plate p;
    double x[N_NODES][2];
    int32_t quads[N_QUADS][4], tris[N_TRIS][3];
    int n_tris = 0;
    for (int k = 0; k < N_NODES; k++) {
        const int column = k % (NX + 1), row = k / (NX + 1);
        const double s = column, t = row;
        x[k][0] = s + 0.15 * sin(2 * t + s);
        x[k][1] = t + 0.15 * cos(1.5 * s);
    }
    for (int b = 0; b < NX * NY; b++) {
        const int j = (2 * b) % NY, i = b % NX;
        const int32_t v = j * (NX + 1) + i, turned = b / NX % 2;
        const int32_t corners[4] = {v, v + 1, v + NX + 2, v + NX + 1};
        for (int k = 0; i == 0 && k < 4; k++)
            quads[b / NX][k] = corners[turned ? (4 - k) % 4 : k];
        for (int half = 0; i > 0 && half < 2; half++, n_tris++)
            for (int k = 0; k < 3; k++)
                tris[n_tris][k] = corners[(2 * half + (half != turned ? 2 - k : k)) % 4];
    }
    const ritz_block_arrays blocks[] = {{.cell = RITZ_TRI, .n_cells = N_TRIS, .nodes = tris[0]},
                                        {.cell = RITZ_QUAD, .n_cells = N_QUADS, .nodes = quads[0]}};
    const int64_t side[][2] = {{N_TRIS, 0}, {N_TRIS + 1, 0}}; /* edge 0 of the first two quads */
    const ritz_group_arrays groups[] = {{.name = "side", .kind = RITZ_GROUP_FACETS, .n = 2, .members = side[0]}};
    OK(ritz_mesh_create(&(ritz_mesh_arrays){.dim = 2,
                                            .n_nodes = N_NODES,
                                            .coordinates = x[0],
                                            .n_blocks = 2,
                                            .blocks = blocks,
                                            .n_groups = 1,
                                            .groups = groups},
                        &p.mesh));
    OK(ritz_form_create(form, 2, &p.form));
    OK(ritz_space_create(p.mesh, order, ritz_form_n_components(p.form), &p.space));
    return p;
}

static void free_plate(plate *p)
{
    ritz_space_destroy(&p->space);
    ritz_form_destroy(&p->form);
    ritz_mesh_destroy(&p->mesh);
}

static const ritz_cell cells_of[2] = {RITZ_QUAD, RITZ_TRI};
static const char *const forms[] = {"poisson", "plane-strain"};

/* A number for each cell, and for the time that the fill is at. */
static ritz_input make_input(const plate *p, int fill, double values[N_QUADS + N_TRIS], ritz_data data[3])
{
    for (int c = 0; c < N_QUADS + N_TRIS; c++)
        values[c] = 1 + 0.37 * c + fill;
    const bool scalar = ritz_form_n_components(p->form) == 1;
    data[0] = (ritz_data){.name = scalar ? "conductivity" : "young", .kind = RITZ_DATA_ELEMENT, .values = values};
    data[1] = (ritz_data){.name = scalar ? "source" : "force_x", .value = 2.5 + fill};
    data[2] = (ritz_data){.name = "poisson", .value = 0.3};
    return (ritz_input){.size = sizeof(ritz_input), .n_data = scalar ? 2 : 3, .data = data};
}

static double *numbers(int64_t n)
{
    double *v = calloc((size_t)n, sizeof *v);
    assert_non_null(v);
    return v;
}

/* One pair of them for each type of cells. */
typedef struct both {
    ritz_elements *of[2];
} both;

static both make_elements(const plate *p, const char *method, ritz_precision precision)
{
    both e;
    const ritz_integrate_options options = {.method = method, .precision = precision};
    for (int k = 0; k < 2; k++)
        OK(ritz_elements_create(device, p->space, cells_of[k], &options, &e.of[k]));
    return e;
}

static void fill_elements(const plate *p, int fill, both *e)
{
    double values[N_QUADS + N_TRIS];
    ritz_data data[3];
    const ritz_input input = make_input(p, fill, values, data);
    for (int k = 0; k < 2; k++)
        OK(ritz_elements_fill(e->of[k], p->form, &input));
}

static void free_elements(both *e)
{
    for (int k = 0; k < 2; k++)
        ritz_elements_destroy(&e->of[k]);
}

/* ---- Read, and found ---- */

static void check_read(const plate *p, const char *method, ritz_precision precision)
{
    double values[N_QUADS + N_TRIS];
    ritz_data data[3];
    const ritz_integrate_options options = {.method = method, .precision = precision};
    both e = make_elements(p, method, precision);
    for (int fill = 0; fill < 2; fill++) {
        const ritz_input input = make_input(p, fill, values, data);
        fill_elements(p, fill, &e);
        for (int k = 0; k < 2; k++) {
            ritz_element_layout l = {.size = sizeof l};
            OK(ritz_elements_get_layout(e.of[k], &l));
            const int64_t rows = l.n_shape * l.n_components, n = l.n_cells * rows * rows;
            double *wanted = numbers(n), *got = numbers(n), *wanted_load = numbers(n), *got_load = numbers(n);
            OK(ritz_integrate(device, p->space, cells_of[k], p->form, &input, &options, wanted, wanted_load));
            OK(ritz_elements_read(e.of[k], got, got_load));
            assert_memory_equal(got, wanted, (size_t)n * sizeof *got);
            assert_memory_equal(got_load, wanted_load, (size_t)(l.n_cells * rows) * sizeof *got);
            assert_true(wanted[0] != 0 && wanted_load[0] != 0);
            free(wanted);
            free(got);
            free(wanted_load);
            free(got_load);
        }
    }
    free_elements(&e);
}

static const char *const methods[] = {NULL, "reg-nojac", "dd-sr", "lanes"};

static void read_elements_are_those_of_ritz_integrate(void **state)
{
    (void)state;
    for (int f = 0; f < 2; f++) {
        plate p = make_plate(forms[f], 2);
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
            check_read(&p, methods[m], m == 0 && f == 1 ? RITZ_F32 : RITZ_F64);
        free_plate(&p);
    }
}

/* The buffers' numbers on the host, by a vector around each. */
static double *fetch_numbers(void *buffer, ritz_precision precision, int64_t n)
{
    ritz_vector *vector = NULL;
    double *values = numbers(n);
    assert_non_null(buffer);
    OK(ritz_vector_from_opencl(device, precision, n, buffer, RITZ_BORROWED, &vector));
    OK(ritz_vector_read(vector, values));
    ritz_vector_destroy(&vector);
    return values;
}

/* Numbers of an entry of an element's matrix and vector, by the formulas of ritz/integrate.h. */
static int64_t matrix_place(const ritz_element_layout *l, int64_t e, int i, int E, int j, int F)
{
    if (l->symmetric && j < i)
        return matrix_place(l, e, j, F, i, E);
    const int64_t pair = l->symmetric ? i * l->n_shape - i * (i - 1) / 2 + j - i : i * l->row_pairs + j;
    return (e / l->width * l->matrix_entries + pair * l->pair_stride + (E * l->n_components + F) * l->entry_stride) *
               l->width +
           e % l->width;
}

static int64_t vector_place(const ritz_element_layout *l, int64_t e, int i, int E)
{
    return (e / l->width * l->vector_entries + i * l->n_components + E) * l->width + e % l->width;
}

static void check_layout(const plate *p, const ritz_elements *elements, ritz_cell cell)
{
    ritz_element_layout l = {.size = sizeof l};
    int32_t cells[N_TRIS], nodes[N_TRIS][MOST_SHAPE], given[N_TRIS][MOST_SHAPE];
    OK(ritz_elements_get_layout(elements, &l));
    OK(ritz_elements_get_cells(elements, cells, nodes[0]));
    OK(ritz_space_cell_nodes(p->space, cell, given[0]));
    const int64_t padded = (l.n_cells + l.width - 1) / l.width * l.width, rows = l.n_shape * l.n_components;
    double *read = numbers(l.n_cells * rows * rows), *read_load = numbers(l.n_cells * rows);
    OK(ritz_elements_read(elements, read, read_load));
    double *raw = fetch_numbers(ritz_elements_opencl_matrices(elements), l.precision, padded * l.matrix_entries),
           *raw_load = fetch_numbers(ritz_elements_opencl_vectors(elements), l.precision, padded * l.vector_entries);
    for (int64_t e = 0; e < l.n_cells; e++) {
        int to[MOST_SHAPE]; /* of its shape functions in the caller's order */
        for (int i = 0; i < l.n_shape; i++) {
            to[i] = 0;
            while ((&given[0][0])[cells[e] * l.n_shape + to[i]] != (&nodes[0][0])[e * l.n_shape + i])
                assert_true(++to[i] < l.n_shape);
        }
        for (int row = 0; row < rows; row++) {
            const int i = row / l.n_components, E = row % l.n_components;
            const int64_t given_row = cells[e] * rows + to[i] * l.n_components + E;
            assert_true(raw_load[vector_place(&l, e, i, E)] == read_load[given_row]);
            for (int column = 0; column < rows; column++) {
                const int j = column / l.n_components, F = column % l.n_components;
                assert_true(raw[matrix_place(&l, e, i, E, j, F)] ==
                            read[given_row * rows + to[j] * l.n_components + F]);
            }
        }
    }
    free(read);
    free(read_load);
    free(raw);
    free(raw_load);
}

static void the_layout_is_as_described(void **state)
{
    (void)state;
    for (int f = 0; f < 2; f++) {
        plate p = make_plate(forms[f], 2);
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            both e = make_elements(&p, methods[m], RITZ_F64);
            fill_elements(&p, 0, &e);
            for (int k = 0; k < 2; k++)
                check_layout(&p, e.of[k], cells_of[k]);
            free_elements(&e);
        }
        free_plate(&p);
    }
}

/* ---- Assembled ---- */

/* A matrix as rows, compared with one that is `factor` times as large, and right-hand sides likewise. */
static void check_system(const ritz_matrix *a, const ritz_matrix *b, const double *x, const double *y, double factor)
{
    ritz_rows *p = NULL, *q = NULL;
    OK(ritz_matrix_get_rows(a, 1, &p));
    OK(ritz_matrix_get_rows(b, 1, &q));
    assert_int_equal(p->n_rows, q->n_rows);
    assert_memory_equal(p->row_start, q->row_start, (size_t)(p->n_rows + 1) * sizeof *p->row_start);
    for (int64_t k = 0; k < p->row_start[p->n_rows]; k++)
        assert_true(p->columns[k] == q->columns[k] && factor * p->values[k] == q->values[k]);
    for (int64_t k = 0; k < p->n_rows; k++)
        assert_true(x[k] == y[k]);
    ritz_rows_destroy(&p);
    ritz_rows_destroy(&q);
}

static void assembled_elements_are_those_of_a_fill(void **state)
{
    (void)state;
    plate p = make_plate("plane-strain", 2);
    const int64_t n = ritz_space_n_dofs(p.space);
    double values[N_QUADS + N_TRIS], *forces = numbers(n), *x = numbers(n), *y = numbers(n);
    const int64_t fixed[] = {3, 4, 17, 30};
    const double prescribed[] = {0, 0.1, -0.2, 0};
    ritz_constraints *constraints = NULL;
    ritz_data data[3];
    both e = make_elements(&p, NULL, RITZ_F64);
    forces[5] = 3;
    const ritz_surface_load surface = {.group = "side", .value = {1, 2}};
    const ritz_surface_film film = {.group = "side", .value = 5};
    const ritz_external_loads loads = {
        .n_surfaces = 1, .surfaces = &surface, .nodal = forces, .n_films = 1, .films = &film};
    OK(ritz_constraints_create(p.space, &constraints));
    OK(ritz_constraints_set_dofs(constraints, 4, fixed, prescribed));
    for (int scheme = 0; scheme < 2; scheme++) {
        const ritz_assemble_options options = {.scheme = (ritz_assemble_scheme)scheme};
        ritz_assembler *by_form = NULL, *by_elements = NULL;
        OK(ritz_assembler_create(device, p.space, &options, &by_form));
        OK(ritz_assembler_create(device, p.space, &options, &by_elements));
        for (int fill = 0; fill < 2; fill++) {
            const ritz_input input = make_input(&p, fill, values, data);
            fill_elements(&p, fill, &e);
            OK(ritz_assembler_fill(by_form, p.form, &input, &loads, constraints, x));
            OK(ritz_assembler_fill_from_elements(by_elements, 2, (const ritz_elements *const *)e.of, &loads,
                                                 constraints, y));
            check_system(ritz_assembler_matrix(by_form), ritz_assembler_matrix(by_elements), x, y, 1);
        }
        const ritz_input input = make_input(&p, 1, values, data); /* one assembler, both ways, and back */
        OK(ritz_assembler_fill(by_elements, p.form, &input, &loads, constraints, y));
        check_system(ritz_assembler_matrix(by_form), ritz_assembler_matrix(by_elements), x, y, 1);
        ritz_assembler_destroy(&by_form);
        ritz_assembler_destroy(&by_elements);
    }
    ritz_constraints_destroy(&constraints);
    free_elements(&e);
    free(forces);
    free(x);
    free(y);
    free_plate(&p);
}

/* What a caller does to the matrices there is assembled. */
static void elements_can_be_changed_on_the_device(void **state)
{
    (void)state;
    plate p = make_plate("plane-strain", 2);
    const int64_t n = ritz_space_n_dofs(p.space);
    double *x = numbers(n), *y = numbers(n);
    ritz_assembler *before = NULL, *after = NULL;
    both e = make_elements(&p, NULL, RITZ_F64);
    fill_elements(&p, 0, &e);
    OK(ritz_assembler_create(device, p.space, NULL, &before));
    OK(ritz_assembler_create(device, p.space, NULL, &after));
    OK(ritz_assembler_fill_from_elements(before, 2, (const ritz_elements *const *)e.of, NULL, NULL, x));
    for (int k = 0; k < 2; k++) {
        ritz_vector *matrices = NULL, *zeros = NULL;
        ritz_element_layout l = {.size = sizeof l};
        OK(ritz_elements_get_layout(e.of[k], &l));
        const int64_t most = (l.n_cells + l.width - 1) / l.width * l.width * l.matrix_entries;
        OK(ritz_vector_from_opencl(device, l.precision, most, ritz_elements_opencl_matrices(e.of[k]), RITZ_BORROWED,
                                   &matrices));
        OK(ritz_vector_create(device, RITZ_ON_DEVICE, l.precision, most, &zeros));
        OK(ritz_vector_axpby(1, zeros, 4, matrices));
        ritz_vector_destroy(&matrices);
        ritz_vector_destroy(&zeros);
    }
    OK(ritz_assembler_fill_from_elements(after, 2, (const ritz_elements *const *)e.of, NULL, NULL, y));
    check_system(ritz_assembler_matrix(before), ritz_assembler_matrix(after), x, y, 4);
    ritz_assembler_destroy(&before);
    ritz_assembler_destroy(&after);
    free_elements(&e);
    free(x);
    free(y);
    free_plate(&p);
}

/* ---- Nothing moves ---- */

enum { SIDE = 24, N = (2 * SIDE + 1) * (2 * SIDE + 1), FEW = 1000 };

static void solve_there(const ritz_assembler *a, ritz_vector *x)
{
    ritz_solver *solver = NULL;
    ritz_solve_report report = {0};
    OK(ritz_solver_create(ritz_assembler_matrix(a), NULL, &solver));
    const ritz_device_counters ready = *ritz_device_get_counters(device);
    OK(ritz_solver_solve_vectors(solver, ritz_assembler_vector(a), x, &report));
    const ritz_device_counters solved = *ritz_device_get_counters(device);
    assert_true(solved.bytes_to_device - ready.bytes_to_device < FEW);
    assert_true(solved.bytes_from_device - ready.bytes_from_device < 64 * report.iterations + FEW);
    assert_true(64 * report.iterations + FEW < N * 8);
    ritz_solver_destroy(&solver);
}

/* From data to solution, the second time: only the data and scalars of the iteration pass over the bus. */
static void systems_stay_on_the_device(void **state)
{
    (void)state;
    plate p;
    ritz_constraints *constraints = NULL;
    ritz_elements *e = NULL;
    ritz_assembler *by_form = NULL, *by_elements = NULL;
    ritz_vector *x = NULL;
    double *conductivity = numbers(SIDE * SIDE), *b = numbers(N), *wanted = numbers(N), *got = numbers(N);
    const ritz_data data = {.name = "conductivity", .kind = RITZ_DATA_ELEMENT, .values = conductivity};
    const ritz_input input = {.n_data = 1, .data = &data};
    OK(ritz_mesh_box(&(ritz_box){.cell = RITZ_QUAD, .cells = {SIDE, SIDE}, .distort = 0.2}, &p.mesh));
    OK(ritz_form_create("poisson", 2, &p.form));
    OK(ritz_space_create(p.mesh, 2, 1, &p.space));
    OK(ritz_constraints_create(p.space, &constraints));
    OK(ritz_constraints_set_group(constraints, "x0", -1, 1));
    OK(ritz_elements_create(device, p.space, RITZ_QUAD, NULL, &e));
    OK(ritz_assembler_create(device, p.space, NULL, &by_form));
    OK(ritz_assembler_create(device, p.space, NULL, &by_elements));
    OK(ritz_vector_create(device, RITZ_ON_DEVICE, RITZ_F64, N, &x));
    assert_null(ritz_assembler_vector(by_form));
    ritz_device_counters start = {0};
    for (int fill = 0; fill < 2; fill++) {
        start = *ritz_device_get_counters(device);
        for (int c = 0; c < SIDE * SIDE; c++)
            conductivity[c] = 1 + c % 7 + fill;
        OK(ritz_elements_fill(e, p.form, &input));
        OK(ritz_assembler_fill_from_elements(by_elements, 1, &(const ritz_elements *){e}, NULL, constraints, NULL));
        OK(ritz_assembler_fill(by_form, p.form, &input, NULL, constraints, NULL));
    }
    const ritz_device_counters filled = *ritz_device_get_counters(device);
    const int64_t prescribed = N * (int64_t)(sizeof(double) + 1); /* values and flags of nodes */
    assert_int_equal(filled.bytes_from_device - start.bytes_from_device, 2 * sizeof(int32_t)); /* all finite? */
    assert_in_range(filled.bytes_to_device - start.bytes_to_device, 2 * SIDE * SIDE * 8,
                    2 * (SIDE * SIDE * 8 + prescribed) + FEW);
    assert_true(filled.peak_bytes == start.peak_bytes && filled.programs_compiled == start.programs_compiled &&
                filled.programs_cached == start.programs_cached);
    solve_there(by_elements, x);
    OK(ritz_assembler_fill(by_form, p.form, &input, NULL, constraints, b));
    OK(ritz_solve(ritz_assembler_matrix(by_form), NULL, b, wanted, NULL));
    OK(ritz_vector_read(x, got));
    assert_memory_equal(got, wanted, N * sizeof *got);
    assert_true(wanted[N - 1] != 0);
    ritz_vector_destroy(&x);
    ritz_assembler_destroy(&by_form);
    ritz_assembler_destroy(&by_elements);
    ritz_elements_destroy(&e);
    ritz_constraints_destroy(&constraints);
    free(conductivity);
    free(b);
    free(wanted);
    free(got);
    free_plate(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_elements_are_those_of_ritz_integrate),
        cmocka_unit_test(the_layout_is_as_described),
        cmocka_unit_test(assembled_elements_are_those_of_a_fill),
        cmocka_unit_test(elements_can_be_changed_on_the_device),
        cmocka_unit_test(systems_stay_on_the_device),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
