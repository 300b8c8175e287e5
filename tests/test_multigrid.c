/* Multigrid against direct solutions on every cell and mixed ones, orders 1 to 4, scalars and elastic bodies of two
   materials, a plate; its cycle as an operator; two levels of it against PyAMG's; tentative prolongators; what it refuses;
   each allocation failing. */
#include "check.h"
#include "device/tuning.h"
#include "meshes.h"
#include "multigrid/levels.h"
#include "ritz/assemble.h"
#include "solve/krylov.h"

#include <math.h>
#include <stdio.h>

/* ---- Systems and their direct solutions ---- */

typedef struct model {
    ritz_mesh *mesh;
    ritz_space *space;
    ritz_form *form;
    ritz_assembler *assembler;
    const ritz_matrix *matrix;
    int64_t n;
    double *b, *motions, *weights;
    int32_t *vertices;
    ritz_solve_options options;
} model;

static const struct multigrid_case {
    const char *form, *datum;
    ritz_cell cell;
    /* Of the box, whose height is 0.01 where there is one along z; {n}: of n along each side, and boxes of n of other cells beside it,
       quads and triangles, or hexes, prisms and tets, shuffled. */
    int cells[3];
    int order;
    double jump;    /* of the datum, between the halves of the box, or from those other cells to these */
    bool hinged;    /* one face has but one component prescribed */
    int iterations; /* to 1e-8, at most */
    bool embedded;  /* the first coarse level is the space of order 1 */
} cases[] = {
    {"poisson", "conductivity", RITZ_TRI, {20, 20}, 2, 1, false, 20, false},
    {"poisson", "conductivity", RITZ_HEX, {11, 11, 11}, 1, 1e6, false, 16, false},
    {"plane-stress", "young", RITZ_QUAD, {24, 24}, 1, 1e6, true, 22, false},
    {"plane-stress", "young", RITZ_TRI, {8, 8}, 4, 1, true, 40, false},
    {"elasticity", "young", RITZ_TET, {4, 4, 4}, 2, 1, false, 26, false},
    {"elasticity", "young", RITZ_PRISM, {8, 8, 8}, 1, 1e6, false, 22, false},
    {"elasticity", "young", RITZ_HEX, {9, 9, 9}, 1, 1, true, 20, false},
    {"elasticity", "young", RITZ_HEX, {3, 3, 3}, 3, 1, false, 36, false},
    {"elasticity", "young", RITZ_HEX, {3, 3, 3}, 3, 1, true, 24, true},
    {"elasticity", "young", RITZ_TET, {4, 4, 4}, 2, 1e6, false, 20, true},
    {"plane-stress", "young", RITZ_TRI, {8, 8}, 4, 1, true, 30, true},
    {"poisson", "conductivity", RITZ_TRI, {20, 20}, 2, 1, false, 13, true},
    {"plane-strain", "young", RITZ_QUAD, {12, 12}, 2, 1e6, true, 12, true},
    {"plane-strain", "young", RITZ_TRI, {24, 24}, 1, 1e6, true, 16, false},
    {"plane-strain", "young", RITZ_TRI, {10, 10}, 3, 1, false, 26, true},
    {"poisson", "conductivity", RITZ_QUAD, {9, 9}, 3, 1e6, false, 12, true},
    {"plane-stress", "young", RITZ_QUAD, {7, 7}, 4, 1, true, 24, true},
    {"poisson", "conductivity", RITZ_TET, {11, 11, 11}, 1, 1e6, false, 15, false},
    {"elasticity", "young", RITZ_TET, {3, 3, 3}, 3, 1, true, 32, true},
    {"poisson", "conductivity", RITZ_TET, {3, 3, 3}, 4, 1, false, 27, true},
    {"elasticity", "young", RITZ_PRISM, {4, 4, 4}, 2, 1, true, 16, true},
    {"poisson", "conductivity", RITZ_PRISM, {4, 4, 4}, 3, 1, false, 14, true},
    {"poisson", "conductivity", RITZ_PRISM, {3, 3, 3}, 4, 1, false, 20, true},
    {"elasticity", "young", RITZ_HEX, {5, 5, 5}, 2, 1e6, false, 14, true},
    {"poisson", "conductivity", RITZ_HEX, {3, 3, 3}, 4, 1, false, 16, true},
    {"poisson", "conductivity", RITZ_QUAD, {9}, 2, 1e6, false, 12, true},
    {"plane-strain", "young", RITZ_QUAD, {6}, 3, 1, false, 24, true},
    {"plane-stress", "young", RITZ_QUAD, {18}, 1, 1e6, false, 18, false},
    {"poisson", "conductivity", RITZ_HEX, {2}, 4, 1, false, 24, true},
    {"elasticity", "young", RITZ_HEX, {6}, 1, 1e6, false, 20, false},
    {"elasticity", "young", RITZ_HEX, {3}, 2, 1, false, 20, true},
    {"elasticity", "young", RITZ_HEX, {20, 20, 1}, 1, 1, false, 160, false},
    {"elasticity", "young", RITZ_TET, {20, 20, 1}, 1, 1, false, 60, false},
};
enum { N_CASES = sizeof cases / sizeof *cases };
/* Just too large for a direct solution of the whole. */
static const struct multigrid_case small_cases[] = {
    {"plane-stress", "young", RITZ_QUAD, {17, 17}, 1, 1e6, true, 22, false},
    {"elasticity", "young", RITZ_HEX, {6, 5, 5}, 1, 1, true, 20, false},
    {"plane-stress", "young", RITZ_QUAD, {9, 9}, 2, 1, true, 22, true},
};
enum { N_SMALL = sizeof small_cases / sizeof *small_cases };
/* Values of 16 bits though these matrices come from a cache. */
static const char half_values[] = "multigrid.narrow * 1\n";
/* The same for simulated devices, with a limit of their own for direct solutions, so that rows stay in place as those of large matrices
   do, and nodes of solids are scaled. */
static const char tiny_limit[] = "multigrid.narrow * 1\nmultigrid.direct * 50\n";
static const struct multigrid_case tiny_cases[] = {
    {"plane-stress", "young", RITZ_QUAD, {9, 9}, 1, 1e6, true, 22, false},
    {"elasticity", "young", RITZ_HEX, {4, 3, 3}, 1, 1, true, 20, false},
    {"plane-stress", "young", RITZ_QUAD, {5, 5}, 2, 1, true, 22, true},
};
enum { N_TINY = sizeof tiny_cases / sizeof *tiny_cases };

static void free_model(model *m)
{
    ritz_assembler_destroy(&m->assembler);
    ritz_form_destroy(&m->form);
    ritz_space_destroy(&m->space);
    ritz_mesh_destroy(&m->mesh);
    free(m->b);
    free(m->motions);
    free(m->weights);
    free(m->vertices);
}

static bool is_mixed(const struct multigrid_case *c)
{
    return c->cells[1] == 0;
}

static ritz_mesh *make_mesh(const struct multigrid_case *c)
{
    ritz_mesh *mesh = NULL;
    const ritz_box box = {.cell = c->cell,
                          .cells = {c->cells[0], c->cells[1], c->cells[2]},
                          .size = {1, 1, c->cells[2] == 1 ? 0.01 : 1},
                          .distort = 0.2};
    if (is_mixed(c)) {
        mesh = meshes_mixed(ritz_cell_dim(c->cell), c->cells[0]);
        meshes_shuffle(mesh);
    } else
        OK(ritz_mesh_box(&box, &mesh));
    return mesh;
}

/* Zeros where x = 0, which is no group of a mixed mesh. */
static void hold_side(const ritz_space *space, int dim, ritz_constraints *constraints)
{
    const int64_t n = ritz_space_n_dofs(space), n_components = n / ritz_space_n_nodes(space);
    const double *x = ritz_space_coordinates(space);
    for (int64_t i = 0; i < n; i++)
        if (fabs(x[i / n_components * dim]) < 1e-12)
            OK(ritz_constraints_set_dofs(constraints, 1, &i, &(double){0}));
}

static model make_model(const struct multigrid_case *c)
{
    model m = {.options = {.preconditioner = RITZ_MULTIGRID}, .mesh = make_mesh(c)};
    const int dim = ritz_cell_dim(c->cell);
    const bool wide = ritz_device_get_info(device)->has_f64;
    const ritz_assemble_options options = {.precision = wide ? RITZ_F64 : RITZ_F32};
    ritz_constraints *constraints = NULL;
    OK(ritz_form_create(c->form, dim, &m.form));
    const int n_components = ritz_form_n_components(m.form);
    OK(ritz_space_create(m.mesh, c->order, n_components, &m.space));
    OK(ritz_assembler_create(device, m.space, &options, &m.assembler));
    OK(ritz_constraints_create(m.space, &constraints));
    hold_side(m.space, dim, constraints);
    if (c->hinged)
        OK(ritz_constraints_set_group(constraints, "y1", 1, 0.1));
    const int64_t n_cells = ritz_mesh_n_cells(m.mesh, RITZ_N_CELLS);
    double *values = calloc((size_t)n_cells, 8);
    for (int64_t i = 0; i < n_cells; i++)
        values[i] = (is_mixed(c) ? i >= ritz_mesh_n_cells(m.mesh, c->cell) : 2 * i < n_cells) ? 1 : c->jump;
    const ritz_data data[] = {{.name = c->datum, .kind = RITZ_DATA_ELEMENT, .values = values},
                              {.name = "poisson", .value = 0.3}};
    m.n = ritz_space_n_dofs(m.space);
    m.b = calloc((size_t)m.n, 8);
    const double load[3] = {1, -2, 0.5};
    double *nodal = calloc((size_t)m.n, 8);
    for (int64_t i = 0; i < m.n; i++)
        nodal[i] = load[i % n_components] * (1 + sin((double)i));
    OK(ritz_assembler_fill(m.assembler, m.form, &(ritz_input){.n_data = n_components > 1 ? 2 : 1, .data = data},
                           &(ritz_external_loads){.nodal = nodal}, constraints, m.b));
    m.matrix = ritz_assembler_matrix(m.assembler);
    if (n_components > 1) {
        m.options.near_nullspace_columns = ritz_space_n_rigid_motions(m.space);
        m.motions = calloc((size_t)(m.n * m.options.near_nullspace_columns), 8);
        OK(ritz_space_get_rigid_motions(m.space, m.motions));
        m.options.near_nullspace = m.motions;
    }
    if (c->embedded) {
        const size_t n = (size_t)ritz_space_n_nodes(m.space) * RITZ_VERTICES_MOST;
        m.options.coarse_weights = m.weights = malloc(n * 8);
        m.options.coarse_nodes = m.vertices = malloc(n * 4);
        OK(ritz_space_get_vertex_weights(m.space, m.vertices, m.weights, &m.options.n_coarse_nodes));
    }
    free(values);
    free(nodal);
    ritz_constraints_destroy(&constraints);
    return m;
}

static double dot(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void direct_solutions(void **state)
{
    (void)state;
    const bool wide = ritz_device_get_info(device)->has_f64;
    const ritz_solve_options direct = {.method = RITZ_DIRECT};
    OK(ritz_tuning_override(wants_small() ? tiny_limit : half_values));
    for (int c = 0; c < (wants_small() ? N_TINY : N_CASES); c++) {
        const struct multigrid_case *tried = wants_small() ? &tiny_cases[c] : &cases[c];
        if (tried->order > highest_order(RITZ_MAX_ORDER))
            continue;
        model m = make_model(tried);
        double *truth = malloc((size_t)m.n * 8), *x = calloc((size_t)m.n, 8), *again = calloc((size_t)m.n, 8);
        double largest = 0, error = 0;
        ritz_solve_report report = {0};
        m.options.tolerance = wants_small() ? 1e-3 : wide ? 1e-8 : 1e-5; /* a cycle is like the next */
        OK(ritz_solve(m.matrix, &direct, m.b, truth, &report));
        OK(ritz_solve(m.matrix, &m.options, m.b, x, &report));
        for (int64_t i = 0; i < m.n; i++) {
            largest = fmax(largest, fabs(truth[i]));
            error = fmax(error, fabs(truth[i] - x[i]));
        }
        if (!(error < (wide && !wants_small() ? 1e-6 : 1e-2) * largest) || report.iterations > tried->iterations)
            fail_msg("case %d: error %g of %g after %d iterations", c, error, largest, report.iterations);
        assert_true(report.preconditioner == RITZ_MULTIGRID && report.n_levels >= 2);
        assert_int_equal(report.storage, RITZ_VALUES_F16);
        assert_true(report.levels[0].n_rows == m.n && report.levels[0].n_aggregates == report.levels[1].n_nodes);
        assert_true(report.levels[report.n_levels - 1].n_aggregates == 0);
        assert_true(!tried->embedded || report.levels[1].n_nodes == m.options.n_coarse_nodes);
        double nonzeros = 0;
        for (int l = 0; l < report.n_levels; l++)
            nonzeros += (double)report.levels[l].n_nonzeros;
        assert_true(fabs(report.operator_complexity - nonzeros / (double)report.levels[0].n_nonzeros) < 1e-12);
        if (!wants_small()) {
            OK(ritz_solve(m.matrix, &m.options, m.b, again, &report));
            assert_memory_equal(x, again, (size_t)m.n * 8);
        }
        free(truth);
        free(x);
        free(again);
        free_model(&m);
    }
    OK(ritz_tuning_override(NULL));
}

/* Cells of 1 : 10 and 1 : 15, of plane and scalar problems, the first of them of order 2: the space of order 1 is left out, and aggregates go
   along the short edges. New values on the same pattern give the same bits. */
static void stretched(void **state)
{
    (void)state;
    static const struct multigrid_case flat[] = {
        {"plane-stress", "young", RITZ_QUAD, {6, 60}, 2, 1, false, 35, true},
        {"plane-strain", "young", RITZ_QUAD, {6, 90}, 1, 1e6, true, 35, false},
        {"poisson", "conductivity", RITZ_QUAD, {8, 120}, 1, 1, false, 35, false},
    };
    const bool wide = ritz_device_get_info(device)->has_f64;
    for (size_t c = 0; c < sizeof flat / sizeof *flat; c++) {
        model m = make_model(&flat[c]);
        double *truth = calloc((size_t)m.n, 8), *x = calloc((size_t)m.n, 8), *again = calloc((size_t)m.n, 8);
        double largest = 0, error = 0;
        ritz_solve_report report = {0};
        ritz_solver *solver = NULL;
        m.options.tolerance = wide ? 1e-8 : 1e-5;
        m.options.updatable = true;
        OK(ritz_solve(m.matrix, &(ritz_solve_options){.method = RITZ_DIRECT}, m.b, truth, &report));
        OK(ritz_solver_create(m.matrix, &m.options, &solver));
        OK(ritz_solver_solve(solver, m.b, x, &report));
        for (int64_t i = 0; i < m.n; i++) {
            largest = fmax(largest, fabs(truth[i]));
            error = fmax(error, fabs(truth[i] - x[i]));
        }
        if (!(error < (wide ? 1e-6 : 1e-2) * largest) || report.iterations > flat[c].iterations)
            fail_msg("case %zu: error %g of %g after %d iterations", c, error, largest, report.iterations);
        assert_true(report.n_levels >= 2 && report.operator_complexity < 2.2);
        assert_true(!flat[c].embedded || report.levels[1].n_nodes != m.options.n_coarse_nodes);
        OK(ritz_solver_update(solver, m.matrix));
        OK(ritz_solver_solve(solver, m.b, again, &report));
        assert_memory_equal(x, again, (size_t)m.n * 8);
        ritz_solver_destroy(&solver);
        free(truth);
        free(x);
        free(again);
        free_model(&m);
    }
}

/* ---- The cycle ---- */

static void check_cycles(const struct multigrid_case *c)
{
    model m = make_model(c);
    const int64_t n = m.n;
    double *v[4], *weight = malloc((size_t)n * 8);
    ritz_buffer *d = NULL, *r = NULL;
    for (int i = 0; i < 4; i++)
        v[i] = malloc((size_t)n * 8);
    OK(ritz_buffer_create(device, n * 8, "a vector", &d));
    OK(ritz_buffer_create(device, n * 8, "a vector", &r));
    OK(ritz_matrix_diagonal(m.matrix, d));
    OK(ritz_buffer_read(d, 0, weight, n * 8));
    for (int64_t i = 0; i < n; i++)
        weight[i] = 1 / weight[i];
    OK(ritz_buffer_write(d, 0, weight, n * 8));
    for (int degree = 2; degree <= RITZ_SMOOTHER_DEGREE_MOST; degree++) {
        ritz_multigrid *g = NULL;
        const ritz_multigrid_options options = {.block = ritz_cell_dim(c->cell),
                                                .columns = m.options.near_nullspace_columns,
                                                .nullspace = m.motions,
                                                .weight = d,
                                                .vectors = RITZ_F64,
                                                .values = RITZ_VALUES_F64,
                                                .degree = degree};
        OK(ritz_multigrid_create(m.matrix, &options, &g));
        for (int s = 0; s < 2; s++) {
            ritz_multigrid_step last;
            for (int64_t i = 0; i < n; i++)
                v[s][i] = sin((double)(i * (s + 1)) + s);
            OK(ritz_buffer_write(r, 0, v[s], n * 8));
            OK(ritz_multigrid_apply(g, r, &last));
            OK(ritz_matrix_product(last.matrix, &last.product, last.x, last.y, NULL));
            OK(ritz_multigrid_finish(g, &last));
            OK(ritz_buffer_read(last.y, 0, v[2 + s], n * 8));
        }
        const double size = sqrt(dot(n, v[0], v[2]) * dot(n, v[1], v[3]));
        assert_true(dot(n, v[0], v[2]) > 0 && dot(n, v[1], v[3]) > 0);
        assert_true(fabs(dot(n, v[0], v[3]) - dot(n, v[1], v[2])) < 1e-6 * size); /* transfers are in single */
        assert_true(ritz_multigrid_cycle_bytes(g) > 2 * degree * ritz_matrix_product_bytes(m.matrix));
        ritz_multigrid_destroy(&g);
    }
    for (int i = 0; i < 4; i++)
        free(v[i]);
    free(weight);
    ritz_buffer_destroy(&d);
    ritz_buffer_destroy(&r);
    free_model(&m);
}

/* In double for every degree: symmetric to rounding, and positive. In space nodes are scaled by their blocks. */
static void symmetric_cycle(void **state)
{
    (void)state;
    static const struct multigrid_case solid = {"elasticity", "young", RITZ_TET, {10, 9, 9}, 1, 1e6, true, 0, false};
    if (!ritz_device_get_info(device)->has_f64)
        skip();
    check_cycles(&cases[2]);
    check_cycles(&solid);
}

/* ---- Two levels against PyAMG ---- */

enum { SIDE = 9, N_NODES = SIDE * SIDE };

static uint64_t seed = 1;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

/* Blocks of 2 x 2 on a grid of nodes whose neighbours are the eight around: the peer's. */
static ritz_block_rows *make_grid(void)
{
    ritz_block_rows *a = NULL;
    static double dense[N_NODES][N_NODES][4];
    int32_t counts[N_NODES] = {0}, columns[N_NODES * 9];
    double values[N_NODES * 9 * 4];
    int n = 0;
    for (int i = 0; i < N_NODES; i++)
        for (int j = i + 1; j < N_NODES; j++)
            for (int e = 0; e < 4 && abs(j % SIDE - i % SIDE) <= 1 && abs(j / SIDE - i / SIDE) <= 1; e++)
                dense[j][i][e % 2 * 2 + e / 2] = dense[i][j][e] = -0.05 * uniform();
    for (int i = 0; i < N_NODES; i++)
        for (int j = 0; j < N_NODES; j++)
            if (abs(j % SIDE - i % SIDE) <= 1 && abs(j / SIDE - i / SIDE) <= 1) {
                for (int e = 0; e < 4; e++)
                    values[4 * n + e] = i != j ? dense[i][j][e] : e == 0 || e == 3 ? 1 : 0.1;
                columns[n++] = j;
                counts[i]++;
            }
    OK(ritz_block_rows_create_counted(device, RITZ_F64, 2, 2, N_NODES, N_NODES, counts, &a));
    OK(ritz_buffer_write(a->columns, 0, columns, n * 4));
    OK(ritz_buffer_write(a->values, 0, values, n * 32));
    return a;
}

enum { N_FINE = 2 * N_NODES, N_COARSE = 3 * 9 };

/* [rows * height][columns * width], to be freed. */
static double *make_dense(const ritz_block_rows *r)
{
    const int entries = r->height * r->width, width = r->n_columns * r->width;
    int64_t *start = malloc((size_t)(r->n_rows + 1) * 8);
    int32_t *columns = malloc((size_t)r->n_blocks * 4);
    double *values = malloc((size_t)(r->n_blocks * entries) * 8);
    double *dense = calloc((size_t)r->n_rows * (size_t)(r->height * width), 8);
    OK(ritz_buffer_read(r->row_start, 0, start, (r->n_rows + 1) * (int64_t)8));
    OK(ritz_buffer_read(r->columns, 0, columns, r->n_blocks * 4));
    OK(ritz_buffer_read_reals(r->values, r->precision, 0, values, r->n_blocks * entries));
    for (int row = 0; row < r->n_rows; row++)
        for (int64_t k = start[row]; k < start[row + 1]; k++)
            for (int e = 0; e < entries; e++)
                dense[(row * r->height + e / r->width) * width + columns[k] * r->width + e % r->width] =
                    values[k * entries + e];
    free(start);
    free(columns);
    free(values);
    return dense;
}

/* The sum over entries of value times cos(row + 0.7 column). */
static double weigh_blocks(const ritz_block_rows *r)
{
    const int height = r->n_rows * r->height, width = r->n_columns * r->width;
    double *dense = make_dense(r), sum = 0;
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++)
            sum += dense[row * width + column] * cos(row + 0.7 * column);
    free(dense);
    return sum;
}

/* c[i][j] = sum over k of a[k][i] b[k][j]. */
static void multiply_transposed(int n, const double *a, int n_a, const double *b, int n_b, double *c)
{
    for (int i = 0; i < n_a; i++)
        for (int j = 0; j < n_b; j++) {
            c[i * n_b + j] = 0;
            for (int k = 0; k < n; k++)
                c[i * n_b + j] += a[k * n_a + i] * b[k * n_b + j];
        }
}

/* x = L^-1 x for each of the columns of three rows, L the Cholesky factor of a block. */
static void solve_block(double (*block)[3], double *x, int n_columns)
{
    double L[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double rest = block[i][j];
            for (int k = 0; k < j; k++)
                rest -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrt(rest) : rest / L[j][j];
        }
    for (int c = 0; c < n_columns; c++)
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < i; k++)
                x[i * n_columns + c] -= L[i][k] * x[k * n_columns + c];
            x[i * n_columns + c] /= L[i][i];
        }
}

/* The scaled P^T A P of a prolongator that was read back, in doubles. */
static void make_coarse(const double *a, const double *p, double *coarse)
{
    static double ap[N_FINE * N_COARSE], turned[N_COARSE * N_COARSE], blocks[N_COARSE / 3][3][3];
    multiply_transposed(N_FINE, a, N_FINE, p, N_COARSE, ap); /* A is symmetric */
    multiply_transposed(N_FINE, p, N_COARSE, ap, N_COARSE, coarse);
    for (int b = 0; b < N_COARSE / 3; b++)
        for (int e = 0; e < 9; e++)
            blocks[b][e / 3][e % 3] = coarse[(3 * b + e / 3) * N_COARSE + 3 * b + e % 3];
    for (int side = 0; side < 2; side++) {
        for (int b = 0; b < N_COARSE / 3; b++)
            solve_block(blocks[b], &coarse[3 * b * N_COARSE], N_COARSE);
        for (int e = 0; e < N_COARSE * N_COARSE; e++)
            turned[e] = coarse[e % N_COARSE * N_COARSE + e / N_COARSE];
        memcpy(coarse, turned, sizeof turned);
    }
}

/* The same matrix, near-nullspace and aggregates: what multigrid_peer.py prints. */
static void check_two_levels(void)
{
    const double peer[] = {-0.000781826754765791, -0.152712601169424, 0.953778630576923, -1.65175138652637};
    const double single = 1e-7; /* smoothed prolongators are, and what is made of them is as near to the peer's */
    static double expected[N_COARSE * N_COARSE];
    int32_t aggregates[N_NODES];
    double motions[N_NODES * 6], R[9 * 9], weighed = 0;
    ritz_buffer *aggregate = NULL;
    ritz_block_rows *t = NULL, *p = NULL, *restrictor = NULL;
    ritz_buffer *slot = NULL;
    multigrid_kept kept = {0};
    multigrid_rows fine = {.columns = 3}, coarse = {0};
    seed = 1;
    fine.a = make_grid();
    for (int i = 0; i < N_NODES; i++) {
        const double x = i % SIDE - 4, y = i / SIDE - 4, of_node[6] = {1, 0, -y, 0, 1, x};
        memcpy(motions + 6 * (size_t)i, of_node, sizeof of_node);
        aggregates[i] = i == 40 ? -1 : i % SIDE / 3 + i / SIDE / 3 * 3;
    }
    OK(ritz_buffer_create_from(device, aggregates, sizeof aggregates, "aggregates", &aggregate));
    OK(ritz_buffer_create_from(device, motions, sizeof motions, "motions", &fine.nullspace));
    OK(ritz_multigrid_tentative(&fine, 9, aggregate, &coarse, &t));
    assert_true(fabs(weigh_blocks(t) - peer[0]) < 1e-12);
    OK(ritz_multigrid_smooth(&fine, t, NULL, &coarse, 0.5, &p));
    assert_true(fabs(weigh_blocks(p) - peer[1]) < single);
    double *dense = make_dense(fine.a), *prolongator = make_dense(p);
    OK(ritz_multigrid_galerkin(&fine, p, &coarse, &kept, &restrictor, &slot));
    assert_true(fabs(weigh_blocks(coarse.a) - peer[2]) < single);
    double *product = make_dense(coarse.a);
    make_coarse(dense, prolongator, expected);
    for (int e = 0; e < N_COARSE * N_COARSE; e++)
        if (fabs(product[e] - expected[e]) > 1e-13)
            fail_msg("entry %d: %.17g, not %.17g", e, product[e], expected[e]);
    free(dense);
    free(prolongator);
    free(product);
    OK(ritz_buffer_read(coarse.nullspace, 0, R, sizeof R));
    for (int i = 0; i < 27; i++)
        for (int c = 0; c < 3; c++)
            weighed += R[3 * i + c] * cos(i + 0.7 * c);
    assert_true(fabs(weighed - peer[3]) < single);
    ritz_block_rows *all[] = {fine.a, coarse.a, t, p, restrictor, kept.ap, kept.coarse};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ritz_block_rows_destroy(&all[i]);
    ritz_buffer_destroy(&aggregate);
    ritz_buffer_destroy(&slot);
    ritz_buffer_destroy(&fine.nullspace);
    ritz_buffer_destroy(&coarse.nullspace);
}

/* By one work-item a row and by several, as on GPUs. */
static void two_levels(void **state)
{
    (void)state;
    if (!ritz_device_get_info(device)->has_f64)
        skip();
    check_two_levels();
    OK(ritz_tuning_override("block_rows.threads_most * 64\n"));
    check_two_levels();
    OK(ritz_tuning_override(NULL));
}

/* ---- Tentative prolongators ---- */

enum { N_MEMBERS = 400, N_GROUPS = 25 };

/* The columns of the near-nullspace at each aggregate, in double: of T, that T^T T is the identity but for the last column of aggregate 3,
   which is the first one once more, and that T R is the near-nullspace. */
static void check_columns(int height, int width, const double *modes, const int32_t *aggregates, const double *t,
                          const double *R)
{
    double products[N_GROUPS][8][8] = {0};
    for (int i = 0; i < N_MEMBERS * height; i++) {
        const int32_t group = aggregates[i / height];
        for (int c = 0; c < width; c++) {
            double sum = 0;
            for (int d = 0; d < width; d++) {
                sum += t[i * width + d] * R[(group * width + d) * width + c];
                products[group][d][c] += t[i * width + d] * t[i * width + c];
            }
            assert_true(fabs(sum - modes[i * width + c]) < 1e-13);
        }
    }
    for (int g = 0; g < N_GROUPS; g++)
        for (int d = 0; d < width; d++)
            for (int c = 0; c < width; c++) {
                const bool none = g == 3 && d == width - 1 && width > 1;
                assert_true(fabs(products[g][d][c] - (d == c && !none)) < 1e-13);
            }
}

/* Of aggregates of 2 to 100 nodes, by as many work-items an aggregate as the tuning says. */
static void check_tentative(int height, int width)
{
    int32_t aggregates[N_MEMBERS], none[N_MEMBERS] = {0};
    ritz_buffer *aggregate = NULL;
    ritz_block_rows *t = NULL;
    multigrid_rows fine = {.columns = width}, coarse = {0};
    const int n = N_MEMBERS * height * width;
    double modes[N_MEMBERS * 36], values[N_MEMBERS * 36], R[N_GROUPS * 36];
    for (int i = 0; i < N_MEMBERS; i++)
        aggregates[i] = i < 14 * N_GROUPS ? i * 7 % N_GROUPS : (i % 2 ? 0 : 9);
    for (int i = 0; i < 12 * N_GROUPS; i++) /* of aggregate 5 two nodes are left */
        aggregates[i] = aggregates[i] == 5 ? 6 : aggregates[i];
    for (int k = 0; k < n; k++)
        modes[k] = uniform() - 0.5;
    for (int i = 0; i < N_MEMBERS * height && width > 1; i++)
        if (aggregates[i / height] == 3)
            modes[i * width + width - 1] = modes[i * width];
    OK(ritz_block_rows_create_counted(device, RITZ_F64, height, height, N_MEMBERS, N_MEMBERS, none, &fine.a));
    OK(ritz_buffer_create_from(device, aggregates, sizeof aggregates, "aggregates", &aggregate));
    OK(ritz_buffer_create_from(device, modes, n * 8, "motions", &fine.nullspace));
    OK(ritz_multigrid_tentative(&fine, N_GROUPS, aggregate, &coarse, &t));
    OK(ritz_buffer_read(t->values, 0, values, n * 8));
    OK(ritz_buffer_read(coarse.nullspace, 0, R, N_GROUPS * width * width * 8));
    check_columns(height, width, modes, aggregates, values, R);
    ritz_block_rows_destroy(&t);
    ritz_block_rows_destroy(&fine.a);
    ritz_buffer_destroy(&aggregate);
    ritz_buffer_destroy(&fine.nullspace);
    ritz_buffer_destroy(&coarse.nullspace);
}

static void tentative(void **state)
{
    (void)state;
    static const char *const threads[] = {NULL, "block_rows.threads_most * 64\nmultigrid.aggregate_threads * 4\n",
                                          "block_rows.threads_most * 64\nmultigrid.aggregate_threads * 16\n",
                                          "block_rows.threads_most * 64\nmultigrid.aggregate_threads * 64\n"};
    if (!ritz_device_get_info(device)->has_f64)
        skip();
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
        OK(ritz_tuning_override(threads[k]));
        check_tentative(1, 1);
        check_tentative(2, 3);
        check_tentative(3, 6);
        check_tentative(6, 6);
    }
    OK(ritz_tuning_override(NULL));
}

/* ---- Ends ---- */

/* Scalar chains with a known solution: without any connection, as a string, as a beam, whose
   condition grows with n^4, as a string in the wind, as a string that nothing else holds, and as one that is pushed until it buckles. */
typedef enum chain { POINTS, STRING, BEAM, WIND, LOOSE, BUCKLED } chain;

static ritz_status solve_chain(int n, chain kind, const ritz_solve_options *options, ritz_solve_report *report)
{
    static const double entries[][5] = {{0, 0, 2.01, 0, 0},       {0, -1, 2.01, -1, 0}, {1, -4, 6, -4, 1},
                                        {0, -1.1, 2.01, -0.9, 0}, {0, -1, 2, -1, 0},    {0, -1, 1.5, -1, 0}};
    int64_t *start = calloc((size_t)n + 1, 8);
    int32_t *columns = malloc((size_t)n * 5 * 4);
    double *values = malloc((size_t)n * 5 * 8), *b = calloc((size_t)n, 8), *x = calloc((size_t)n, 8);
    int64_t at = 0;
    const bool wide = ritz_device_get_info(device)->has_f64;
    ritz_matrix *a = NULL;
    for (int i = 0; i < n; i++) {
        for (int j = i > 1 ? i - 2 : 0; j <= i + 2 && j < n; j++) {
            columns[at] = j;
            values[at] = entries[kind][j - i + 2];
            b[i] += values[at++] * sin(3.0 * j + 1);
        }
        start[i + 1] = at;
    }
    ritz_status status = ritz_matrix_create(device, &(ritz_matrix_options){.precision = wide ? RITZ_F64 : RITZ_F32}, 1,
                                            n, start, columns, values, &a);
    if (status == RITZ_OK)
        status = ritz_solve(a, options, b, x, report);
    for (int i = 0; i < n && status == RITZ_OK && kind != BEAM; i++)
        assert_true(fabs(x[i] - sin(3.0 * i + 1)) < 1e-3);
    ritz_matrix_destroy(&a);
    free(start);
    free(columns);
    free(values);
    free(b);
    free(x);
    return status;
}

static void ends(void **state)
{
    (void)state;
    const ritz_solve_options options = {.preconditioner = RITZ_MULTIGRID, .tolerance = 1e-5};
    ritz_solve_report report = {0};
    OK(solve_chain(1, STRING, &options, &report));
    OK(solve_chain(50, STRING, &options, &report));
    assert_true(report.n_levels == 1 && report.iterations <= 2); /* it is solved directly */
    OK(solve_chain(3000, STRING, &options, &report));
    assert_true(report.n_levels >= 2 && report.iterations < 20);
    OK(solve_chain(3000, POINTS, &options, &report));
    assert_true(report.n_levels == 1 && report.iterations < 20); /* it is only smoothed */
}

/* Solved directly at a condition of 10^10, which single precision does not hold: x comes at once all the same. */
static void slender_chain(void **state)
{
    (void)state;
    ritz_solve_report report = {0};
    if (!ritz_device_get_info(device)->has_f64)
        skip();
    OK(solve_chain(500, BEAM, &(ritz_solve_options){.preconditioner = RITZ_MULTIGRID}, &report));
    if (report.n_levels != 1 || report.iterations > 6)
        fail_msg("%d levels, %d iterations", report.n_levels, report.iterations);
}

/* Values of 16 bits serve a string of 3000 points, whose softest motion has an energy of (pi / 3000)^2 / 2 = 5e-7, and not one of 40 000,
   of 3e-9. */
static void narrow_values(void **state)
{
    (void)state;
    ritz_solve_options options = {.preconditioner = RITZ_MULTIGRID, .tolerance = 1e-8};
    ritz_solve_report report = {0};
    if (!ritz_device_get_info(device)->has_f64)
        skip();
    OK(ritz_tuning_override(half_values));
    OK(solve_chain(3000, LOOSE, &options, &report));
    assert_true(report.storage == RITZ_VALUES_F16 && report.iterations < 20);
    OK(solve_chain(40000, LOOSE, &options, &report));
    assert_true(report.storage == RITZ_VALUES_F32 && report.iterations < 20);
    options.storage = RITZ_VALUES_F32;
    OK(solve_chain(3000, LOOSE, &options, &report));
    assert_int_equal(report.storage, RITZ_VALUES_F32);
    OK(ritz_tuning_override(NULL));
}

/* Iterations that do not do are told in multigrid's words. */
static void used_up(void **state)
{
    (void)state;
    ritz_solve_report report = {0};
    const ritz_solve_options options = {.preconditioner = RITZ_MULTIGRID, .max_iterations = 2, .tolerance = 1e-6};
    assert_int_equal(solve_chain(3000, STRING, &options, &report), RITZ_ERROR_NOT_CONVERGED);
    assert_int_equal(report.iterations, 2);
    if (!strstr(ritz_message(), "a higher degree of the smoothers (multigrid is slow") ||
        strstr(ritz_message(), "polynomial"))
        fail_msg("%s", ritz_message());
    model m = make_model(&small_cases[1]); /* an elastic body whose rigid motions the caller did not give */
    double *x = calloc((size_t)m.n, 8);
    m.options.max_iterations = 2;
    m.options.near_nullspace = NULL;
    assert_int_equal(ritz_solve(m.matrix, &m.options, m.b, x, &report), RITZ_ERROR_NOT_CONVERGED);
    if (!strstr(ritz_message(), "near-nullspace of the matrix (rigid motions"))
        fail_msg("%s", ritz_message());
    free(x);
    free_model(&m);
}

static void indefinite(void **state)
{
    (void)state;
    ritz_solve_report report = {0};
    const ritz_solve_options options = {.preconditioner = RITZ_MULTIGRID, .tolerance = 1e-5};
    assert_int_equal(solve_chain(3000, BUCKLED, &options, &report), RITZ_ERROR_NOT_CONVERGED);
    if (!strstr(ritz_message(), "not positive definite"))
        fail_msg("%s", ritz_message());
}

/* Diffusion with some convection, u'' against 0.2 u', by both methods for what is not symmetric. */
static void convection(void **state)
{
    (void)state;
    for (int method = RITZ_BICGSTAB; method <= RITZ_GMRES; method++) {
        ritz_solve_report report = {0};
        const ritz_solve_options options = {
            .preconditioner = RITZ_MULTIGRID, .method = (ritz_solve_method)method, .tolerance = 3e-6};
        OK(solve_chain(3000, WIND, &options, &report));
        if (report.n_levels < 2 || report.iterations > 20)
            fail_msg("method %d: %d levels, %d iterations", method, report.n_levels, report.iterations);
    }
}

static void refused(void **state)
{
    (void)state;
    const double motion = 1, broken[20] = {[3] = NAN}, weights[160] = {[0] = 1, [8] = INFINITY};
    const double zeros[160] = {0};
    int32_t nodes[160], lost[160], bad[160];
    for (int i = 0; i < 160; i++) {
        nodes[i] = lost[i] = i % 8 == 0 ? 0 : -1;
        bad[i] = i == 1 ? 0 : nodes[i];
    }
    lost[0] = -1;
    const ritz_solve_options wrong[] = {
        {.preconditioner = RITZ_MULTIGRID, .degree = 1},
        {.preconditioner = RITZ_MULTIGRID, .degree = RITZ_SMOOTHER_DEGREE_MOST + 1},
        {.preconditioner = RITZ_MULTIGRID, .near_nullspace = &motion},
        {.preconditioner = RITZ_MULTIGRID, .near_nullspace = &motion, .near_nullspace_columns = 9},
        {.preconditioner = RITZ_MULTIGRID, .unknowns_per_node = 9},
        {.preconditioner = RITZ_MULTIGRID, .unknowns_per_node = -1},
        {.preconditioner = RITZ_MULTIGRID, .near_nullspace = broken, .near_nullspace_columns = 1},
        {.preconditioner = RITZ_MULTIGRID, .coordinates = broken, .unknowns_per_node = 2},
        {.preconditioner = RITZ_MULTIGRID, .coordinates = broken},
        {.preconditioner = RITZ_MULTIGRID,
         .coordinates = zeros,
         .unknowns_per_node = 2,
         .near_nullspace = &motion,
         .near_nullspace_columns = 1},
        {.preconditioner = RITZ_MULTIGRID, .coarse_nodes = nodes, .n_coarse_nodes = 1},
        {.preconditioner = RITZ_MULTIGRID, .coarse_nodes = nodes, .coarse_weights = weights},
        {.preconditioner = RITZ_MULTIGRID, .coarse_nodes = nodes, .coarse_weights = weights, .n_coarse_nodes = 1},
        {.preconditioner = RITZ_MULTIGRID, .coarse_nodes = bad, .coarse_weights = weights, .n_coarse_nodes = 1},
        {.preconditioner = RITZ_MULTIGRID, .coarse_nodes = lost, .coarse_weights = zeros, .n_coarse_nodes = 1},
    };
    const char *words[] = {"degree 1",
                           "degree 9",
                           "0 columns",
                           "9 columns",
                           "9 unknowns",
                           "-1 unknowns",
                           "of row 3",
                           "coordinate 1 of node 1",
                           "need unknowns_per_node 2 or 3",
                           "give one of them",
                           "give all of them",
                           "give all of them",
                           "of node 1 is inf",
                           "of node 0 is",
                           "coarse node 0 and no other"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ritz_solve_report report = {0};
        assert_int_equal(solve_chain(20, STRING, &wrong[i], &report), RITZ_ERROR_INPUT);
        if (!strstr(ritz_message(), words[i]))
            fail_msg("%s: not in \"%s\"", words[i], ritz_message());
    }
}

/* Rigid motions made on the device of coordinates are those that the host makes: the same bits of the solution. */
static void motions_of_coordinates(void **state)
{
    (void)state;
    for (int i = 0; i < N_SMALL; i++) {
        model m = make_model(&small_cases[i]);
        double *x = calloc((size_t)m.n, 8), *same = calloc((size_t)m.n, 8);
        ritz_solve_report report = {0};
        OK(ritz_solve(m.matrix, &m.options, m.b, x, &report));
        m.options.near_nullspace = NULL;
        m.options.coordinates = ritz_space_coordinates(m.space);
        m.options.unknowns_per_node = i == 1 ? 3 : 2;
        OK(ritz_solve(m.matrix, &m.options, m.b, same, &report));
        assert_memory_equal(x, same, (size_t)m.n * 8);
        free(x);
        free(same);
        free_model(&m);
    }
}

/* Made of another matrix: of the same one the same bits; of one of other materials the same
   solution in more iterations; of one that does not fit an error. */
static void made_of_another_matrix(void **state)
{
    (void)state;
    struct multigrid_case softer = small_cases[0];
    softer.jump = 1e5;
    model m = make_model(&small_cases[0]), same = make_model(&small_cases[0]), other = make_model(&softer),
          wrong = make_model(&small_cases[1]);
    double *x = calloc((size_t)m.n, 8), *again = calloc((size_t)m.n, 8);
    ritz_solve_report report = {0}, slow = {0};
    ritz_solver *solver = NULL;
    OK(ritz_solve(m.matrix, &m.options, m.b, x, &report));
    m.options.precondition_matrix = same.matrix;
    OK(ritz_solve(m.matrix, &m.options, m.b, again, &slow));
    assert_memory_equal(x, again, (size_t)m.n * 8);
    m.options.precondition_matrix = other.matrix;
    memset(again, 0, (size_t)m.n * 8);
    OK(ritz_solve(m.matrix, &m.options, m.b, again, &slow));
    if (slow.iterations <= report.iterations)
        fail_msg("%d iterations with another matrix, %d with the system's", slow.iterations, report.iterations);
    double most = 0, off = 0;
    for (int64_t i = 0; i < m.n; i++) {
        most = fmax(most, fabs(x[i]));
        off = fmax(off, fabs(x[i] - again[i]));
    }
    if (!(off < 1e-5 * most))
        fail_msg("the solution is off by %g of %g", off, most);
    m.options.updatable = true;
    assert_int_equal(ritz_solver_create(m.matrix, &m.options, &solver), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "leave out precondition_matrix"));
    m.options.updatable = false;
    m.options.precondition_matrix = wrong.matrix;
    assert_int_equal(ritz_solver_create(m.matrix, &m.options, &solver), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "in blocks of 3"));
    free(x);
    free(again);
    free_model(&m);
    free_model(&same);
    free_model(&other);
    free_model(&wrong);
}

/* By itself where the table says so and the near-nullspace is there, and nothing is asked that only polynomials have. */
static void chosen(void **state)
{
    (void)state;
    model m = make_model(&cases[2]);
    double *x = calloc((size_t)m.n, 8);
    ritz_solve_report report = {0};
    m.options.preconditioner = RITZ_PRECONDITIONER_AUTOMATIC;
    m.options.tolerance = 1e-5;
    OK(ritz_solve(m.matrix, &m.options, m.b, x, &report));
    assert_int_equal(report.preconditioner, RITZ_JACOBI);
    OK(ritz_tuning_override("solve.multigrid * 1000\n"));
    OK(ritz_solve(m.matrix, &m.options, m.b, x, &report));
    assert_int_equal(report.preconditioner, RITZ_MULTIGRID);
    m.options.degree = 4;
    OK(ritz_solve(m.matrix, &m.options, m.b, x, &report));
    assert_int_equal(report.preconditioner, RITZ_CHEBYSHEV);
    m.options.degree = 0;
    m.options.near_nullspace = NULL;
    OK(ritz_solve(m.matrix, &m.options, m.b, x, &report));
    assert_int_equal(report.preconditioner, RITZ_JACOBI);
    OK(ritz_tuning_override(NULL));
    free(x);
    free_model(&m);
}

/* More blocks than sparse products count are left to polynomials. */
static void too_many_blocks(void **state)
{
    (void)state;
    model m = make_model(&small_cases[0]);
    ritz_matrix large = *m.matrix;
    ritz_solve_options filled;
    large.n_blocks = 1 + (int64_t)INT32_MAX;
    large.n_nonzeros = large.n_blocks * large.block * large.block;
    m.options.preconditioner = RITZ_PRECONDITIONER_AUTOMATIC;
    OK(ritz_tuning_override("solve.multigrid * 1000\n"));
    OK(ritz_solve_fill_options(&large, &m.options, &filled));
    assert_int_equal(filled.preconditioner, RITZ_CHEBYSHEV);
    OK(ritz_tuning_override(NULL));
    free_model(&m);
}

static void allocations(void **state)
{
    (void)state;
    const ritz_solve_options options = {.preconditioner = RITZ_MULTIGRID, .tolerance = 1e-5};
    ritz_solve_report report = {0};
    int64_t n = 1;
    OK(ritz_tuning_override(half_values));
    OK(solve_chain(700, STRING, &options, &report));
    const int64_t live = ritz_device_live_bytes(device);
    for (ritz_status status = RITZ_ERROR_MEMORY; status != RITZ_OK; n++) {
        ritz_fail_allocation(n);
        status = solve_chain(700, STRING, &options, &report);
        ritz_fail_allocation(0);
        assert_true(status == RITZ_OK || status == RITZ_ERROR_MEMORY);
        assert_true(ritz_device_live_bytes(device) == live);
    }
    assert_true(n > 20);
    OK(ritz_tuning_override(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(direct_solutions),
                                       cmocka_unit_test(stretched),
                                       cmocka_unit_test(symmetric_cycle),
                                       cmocka_unit_test(two_levels),
                                       cmocka_unit_test(tentative),
                                       cmocka_unit_test(ends),
                                       cmocka_unit_test(slender_chain),
                                       cmocka_unit_test(narrow_values),
                                       cmocka_unit_test(used_up),
                                       cmocka_unit_test(indefinite),
                                       cmocka_unit_test(convection),
                                       cmocka_unit_test(refused),
                                       cmocka_unit_test(motions_of_coordinates),
                                       cmocka_unit_test(made_of_another_matrix),
                                       cmocka_unit_test(chosen),
                                       cmocka_unit_test(too_many_blocks),
                                       cmocka_unit_test(allocations)};
    const struct CMUnitTest small_tests[] = {cmocka_unit_test(direct_solutions)};
    return wants_small() ? cmocka_run_group_tests(small_tests, open_device, close_device)
                         : cmocka_run_group_tests(tests, open_device, close_device);
}
