/* Assembly: the matrix and right-hand side on the device against a plain sum of reference element matrices, on plain
   and mixed meshes, with any chunk size; prescribed values; the same bits twice. */
#include "assemble/assemble.h"
#include "assemble/device_pattern.h"
#include "assemble/pattern.h"
#include "check.h"
#include "device/tuning.h"
#include "meshes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char on_device[] = "assemble.device_pattern * 1\n";

/* A dense system, for comparison. */
typedef struct dense {
    int64_t n;
    double *matrix, *rhs;
} dense;

static dense sum_reference(const ritz_assembly *assembly)
{
    const ritz_space *space = assembly->space;
    const int n_c = space->n_components;
    dense d = {.n = (int64_t)space->n_nodes * n_c};
    d.matrix = calloc((size_t)(d.n * d.n), sizeof(double));
    d.rhs = calloc((size_t)d.n, sizeof(double));
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        const ritz_integral integral = {
            .space = space, .batch = batch, .form = assembly->form, .data = assembly->data[b]};
        const int64_t rows = (int64_t)batch->n_shape * n_c;
        double *matrices = calloc((size_t)(batch->n_cells * rows * rows), sizeof(double));
        double *vectors = calloc((size_t)(batch->n_cells * rows), sizeof(double));
        OK(ritz_integrate_reference(&integral, NULL, batch->n_cells, matrices, vectors));
        for (int64_t e = 0; e < batch->n_cells; e++)
            for (int64_t r = 0; r < rows; r++) {
                const int64_t row = (int64_t)batch->cell_nodes[e * batch->n_shape + r / n_c] * n_c + r % n_c;
                d.rhs[row] += vectors[e * rows + r];
                for (int64_t c = 0; c < rows; c++)
                    d.matrix[row * d.n + (int64_t)batch->cell_nodes[e * batch->n_shape + c / n_c] * n_c + c % n_c] +=
                        matrices[(e * rows + r) * rows + c];
            }
        free(matrices);
        free(vectors);
    }
    for (int64_t k = 0; k < d.n && assembly->load; k++)
        d.rhs[k] += assembly->load[k];
    return d;
}

/* A[:,K] g to the right-hand side, identity times the diagonal in K. */
static void constrain_dense(dense *d, const ritz_constraints *constraints)
{
    const int n_c = constraints->n_components;
#define FIXED(k) (constraints->fixed[(k) / n_c] >> ((k) % n_c) & 1)
    for (int64_t k = 0; k < d->n; k++)
        for (int64_t j = 0; j < d->n && FIXED(k); j++)
            if (!FIXED(j)) {
                d->rhs[j] -= d->matrix[j * d->n + k] * constraints->value[k];
                d->matrix[j * d->n + k] = d->matrix[k * d->n + j] = 0;
            } else if (j != k) {
                d->matrix[j * d->n + k] = d->matrix[k * d->n + j] = 0;
            }
    for (int64_t k = 0; k < d->n; k++)
        if (FIXED(k))
            d->rhs[k] = d->matrix[k * d->n + k] * constraints->value[k];
#undef FIXED
}

/* The system on the device against the dense one, by products with every unit vector's random sum: A x for random x,
   and b. */
static void compare_system(const ritz_system *system, const dense *d, double tolerance)
{
    double *x = calloc((size_t)d->n, sizeof *x), *y = calloc((size_t)d->n, sizeof *y),
           *b = calloc((size_t)d->n, sizeof *b);
    double worst = 0, largest = 0, worst_rhs = 0, largest_rhs = 0;
    for (int trial = 0; trial < 3; trial++) {
        for (int64_t k = 0; k < d->n; k++)
            x[k] = sin(1.0 + (double)k * (trial + 1.7));
        OK(ritz_matrix_multiply(system->matrix, x, y));
        for (int64_t r = 0; r < d->n; r++) {
            double sum = 0, size = 0;
            for (int64_t c = 0; c < d->n; c++) {
                sum += d->matrix[r * d->n + c] * x[c];
                size += fabs(d->matrix[r * d->n + c] * x[c]);
            }
            worst = fmax(worst, fabs(y[r] - sum));
            largest = fmax(largest, size);
        }
    }
    if (system->matrix->precision == RITZ_F64) {
        OK(ritz_buffer_read(system->rhs, 0, b, d->n * 8));
        for (int64_t k = 0; k < d->n; k++) {
            worst_rhs = fmax(worst_rhs, fabs(b[k] - d->rhs[k]));
            largest_rhs = fmax(largest_rhs, fabs(d->rhs[k]));
        }
    }
    free(x);
    free(y);
    free(b);
    if (!(worst <= tolerance * largest) || !(worst_rhs <= tolerance * largest_rhs))
        fail_msg("matrix error %g of %g, right-hand side error %g of %g", worst, largest, worst_rhs, largest_rhs);
}

static void free_dense(dense *d)
{
    free(d->matrix);
    free(d->rhs);
}

static const ritz_datum elastic_3d[RITZ_MAX_DATA] = {
    {.value = 2}, {.value = 0.3}, {.value = 0.1}, {.value = -0.5}, {.value = 1}};
static const ritz_datum elastic_2d[RITZ_MAX_DATA] = {
    {.value = 2}, {.value = 0.3}, {.value = 1.5}, {.value = -0.5}, {.value = 1}};

/* Assembles elasticity on a mesh with several chunk sizes, by a work-item for each row, by several, and by colours, and compares;
   with constraints when asked. */
static void check_mesh(const ritz_mesh *mesh, int order, ritz_precision precision, bool constrained)
{
    ritz_form *form = NULL;
    ritz_space *space = NULL;
    ritz_constraints *constraints = NULL;
    OK(ritz_form_create(mesh->dim == 3 ? "elasticity" : "plane-stress", mesh->dim, &form));
    OK(ritz_space_create(mesh, order, mesh->dim, &space));
    const ritz_datum *data[RITZ_N_CELLS];
    for (int b = 0; b < space->n_batches; b++)
        data[b] = mesh->dim == 3 ? elastic_3d : elastic_2d;
    double *load = calloc((size_t)space->n_nodes * 3, sizeof *load);
    for (int32_t n = 0; n < space->n_nodes * mesh->dim; n++)
        load[n] = cos(n);
    OK(ritz_constraints_create(space, &constraints));
    for (int32_t n = 0; n < space->n_nodes && constrained; n += 5)
        ritz_constraints_set(constraints, n, n % mesh->dim, 0.1 * n);
    const ritz_assembly assembly = {
        .space = space, .form = form, .data = data, .load = load, .constraints = constraints};
    dense expected = sum_reference(&assembly);
    constrain_dense(&expected, constraints);
    static const struct {
        int64_t chunk_bytes;
        ritz_assemble_scheme scheme;
        const char *tuning;
    } ways[] = {{0, RITZ_ASSEMBLE_GATHER, "assemble.sums_bytes * 0\n"},
                {1, RITZ_ASSEMBLE_GATHER, "assemble.sums_bytes * 0\n"},
                {100000, RITZ_ASSEMBLE_GATHER, NULL},
                {100000, RITZ_ASSEMBLE_COLOURS, NULL},
                {0, RITZ_ASSEMBLE_GATHER, "assemble.sums_bytes * 32768\n"},
                {100000, RITZ_ASSEMBLE_GATHER, "assemble.sums_bytes * 9000\nassemble.group * 64\n"},
                {100000, RITZ_ASSEMBLE_GATHER, on_device},
                {0, RITZ_ASSEMBLE_COLOURS, on_device}};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        ritz_system *system = NULL;
        const ritz_assemble_options options = {
            .precision = precision, .chunk_bytes = ways[w].chunk_bytes, .scheme = ways[w].scheme};
        OK(ritz_tuning_override(ways[w].tuning));
        OK(ritz_assemble_system(device, &assembly, &options, &system));
        OK(ritz_tuning_override(NULL));
        compare_system(system, &expected, precision == RITZ_F64 ? 1e-13 : 1e-5);
        ritz_system_destroy(&system);
    }
    free_dense(&expected);
    free(load);
    ritz_constraints_destroy(&constraints);
    ritz_space_destroy(&space);
    ritz_form_destroy(&form);
}

static void test_against_reference(void **unused)
{
    (void)unused;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        for (int order = 1; order <= 2; order++) {
            ritz_mesh *mesh = NULL;
            ritz_box box = {.cell = (ritz_cell)cell, .cells = {3, 2, 2}, .distort = 0.2};
            OK(ritz_mesh_box(&box, &mesh));
            check_mesh(mesh, order, RITZ_F64, false);
            check_mesh(mesh, order, RITZ_F64, true);
            check_mesh(mesh, order, RITZ_F32, true);
            ritz_mesh_destroy(&mesh);
        }
}

static void test_mixed(void **unused)
{
    (void)unused;
    for (int dim = 2; dim <= 3; dim++) {
        ritz_mesh *mesh = meshes_mixed(dim, dim == 2 ? 3 : 1);
        meshes_shuffle(mesh);
        for (int order = 1; order <= 3; order += 2)
            check_mesh(mesh, order, RITZ_F64, true);
        ritz_mesh_destroy(&mesh);
    }
}

/* Values of the matrix and behind them the right-hand side, *n bytes; the caller's. */
static void *assemble_bits(const ritz_assembly *assembly, const ritz_assemble_options *options, int64_t *n)
{
    ritz_system *system = NULL;
    OK(ritz_assemble_system(device, assembly, options, &system));
    const int64_t matrix = ritz_buffer_bytes(system->matrix->values),
                  rhs = ritz_space_n_dofs(assembly->space) * ritz_real_bytes(options->precision);
    char *bits = malloc((size_t)(matrix + rhs));
    OK(ritz_buffer_read(system->matrix->values, 0, bits, matrix));
    OK(ritz_buffer_read(system->rhs, 0, bits + matrix, rhs));
    ritz_system_destroy(&system);
    *n = matrix + rhs;
    return bits;
}

/* Two assemblies give the same bits, whatever the chunks. */
static void test_same_bits(void **unused)
{
    (void)unused;
    ritz_mesh *mesh = NULL;
    ritz_form *form = NULL;
    ritz_space *space = NULL;
    ritz_box box = {.cell = RITZ_HEX, .cells = {7, 6, 5}, .distort = 0.2};
    OK(ritz_mesh_box(&box, &mesh));
    OK(ritz_form_create("elasticity", 3, &form));
    OK(ritz_space_create(mesh, 1, 3, &space));
    const ritz_datum *data[] = {elastic_3d};
    const ritz_assembly assembly = {.space = space, .form = form, .data = data};
    void *bits[4] = {NULL};
    int64_t bytes = 0;
    for (int run = 0; run < 4; run++) {
        const ritz_assemble_options options = {.chunk_bytes = run == 1 ? 50000 : 0,
                                               .scheme = run < 2 ? RITZ_ASSEMBLE_GATHER : RITZ_ASSEMBLE_COLOURS};
        bits[run] = assemble_bits(&assembly, &options, &bytes);
    }
    assert_memory_equal(bits[0], bits[1], (size_t)bytes);
    assert_memory_equal(bits[2], bits[3], (size_t)bytes);
    for (int run = 0; run < 4; run++)
        free(bits[run]);
    ritz_space_destroy(&space);
    ritz_form_destroy(&form);
    ritz_mesh_destroy(&mesh);
}

/* The bits of a work-item for each row, and of several as `tuning` has it. */
static void compare_bits(const ritz_assembly *assembly, const ritz_assemble_options *options, const char *tuning)
{
    const char *const tunings[] = {"assemble.sums_bytes * 0\n", tuning};
    void *bits[2] = {NULL};
    int64_t n[2] = {0};
    for (int t = 0; t < 2; t++) {
        OK(ritz_tuning_override(tunings[t]));
        bits[t] = assemble_bits(assembly, options, &n[t]);
        OK(ritz_tuning_override(NULL));
    }
    assert_true(n[0] == n[1]);
    assert_memory_equal(bits[0], bits[1], (size_t)n[0]);
    free(bits[0]);
    free(bits[1]);
}

/* Symmetric and not, scalars, element matrices interleaved and not. */
static void check_bits(const char *name, ritz_cell cell, int order, const char *method, int64_t chunk_bytes)
{
    ritz_mesh *mesh = NULL;
    ritz_box box = {.cell = cell, .cells = {4, 3, 2}, .distort = 0.2};
    OK(ritz_mesh_box(&box, &mesh));
    ritz_form *form = NULL;
    ritz_space *space = NULL;
    OK(ritz_form_create(name, mesh->dim, &form));
    OK(ritz_space_create(mesh, order, form->n_components, &space));
    ritz_datum values[RITZ_MAX_DATA] = {0};
    for (int d = 0; d < RITZ_MAX_DATA; d++)
        values[d].value = 0.2 + 0.01 * d;
    const ritz_datum *data[] = {values};
    const ritz_assembly assembly = {.space = space, .form = form, .data = data};
    const ritz_assemble_options options = {.precision = RITZ_F64, .chunk_bytes = chunk_bytes, .method = method};
    compare_bits(&assembly, &options, "assemble.sums_bytes * 20000\nassemble.group * 96\n");
    ritz_space_destroy(&space);
    ritz_form_destroy(&form);
    ritz_mesh_destroy(&mesh);
}

static void test_shared_rows(void **unused)
{
    (void)unused;
    check_bits("convection-diffusion", RITZ_HEX, 1, NULL, 1);
    check_bits("convection-diffusion", RITZ_PRISM, 2, "factor", 30000);
    check_bits("poisson", RITZ_TET, 2, "lanes", 0);
    check_bits("poisson", RITZ_QUAD, 3, "tiles", 0);
    check_bits("elasticity", RITZ_HEX, 2, "tiles", 30000);
    check_bits("plane-stress", RITZ_TRI, 1, NULL, 1);
}

/* What the log tells of shared rows, of all batches. */
typedef struct shares {
    int n, fewest; /* batches, rows of a group */
    int longest;   /* blocks of a row */
    long long n_longer;
} shares;

static void keep_shares(const char *line, void *context)
{
    shares *all = context;
    int rows, longest, group;
    long long n_longer;
    if (sscanf(line, "assemble: %d rows of up to %d blocks in a group of %d work-items; longer rows: %lld", &rows,
               &longest, &group, &n_longer) != 4)
        return;
    all->fewest = all->n == 0 || rows < all->fewest ? rows : all->fewest;
    all->longest = longest > all->longest ? longest : all->longest;
    all->n_longer += n_longer;
    all->n++;
}

/* Nodes at x = 0 move along x as the node at the origin does, whose row gets the blocks of them all. */
static void tie_side(const ritz_space *space, ritz_constraints *constraints)
{
    const double *x = space->coordinates;
    const int dim = space->dim, n_c = space->n_components;
    int64_t hub = -1;
    for (int64_t n = 0; n < space->n_nodes; n++)
        if (fabs(x[n * dim]) + fabs(x[n * dim + 1]) + (dim == 3 ? fabs(x[n * dim + 2]) : 0) < 1e-12)
            hub = n;
    for (int64_t n = 0; n < space->n_nodes; n++)
        if (n != hub && fabs(x[n * dim]) < 1e-12)
            OK(ritz_constraints_add_equations(constraints, 1, (const int64_t[]){0, 2},
                                              (const int64_t[]){n * n_c, hub * n_c}, (const double[]){1, -1}, NULL));
}

/* One row far longer than the others leaves these to groups of as many rows as without it. */
static void check_hub(const ritz_mesh *mesh, const char *tuning, int longest, ritz_precision precision,
                      int64_t chunk_bytes)
{
    ritz_form *form = NULL;
    ritz_space *space = NULL;
    ritz_constraints *constraints = NULL;
    shares all = {0};
    OK(ritz_form_create(mesh->dim == 3 ? "elasticity" : "plane-stress", mesh->dim, &form));
    OK(ritz_space_create(mesh, 1, mesh->dim, &space));
    OK(ritz_constraints_create(space, &constraints));
    tie_side(space, constraints);
    const ritz_datum *data[RITZ_N_CELLS];
    for (int b = 0; b < space->n_batches; b++)
        data[b] = mesh->dim == 3 ? elastic_3d : elastic_2d;
    const ritz_assembly assembly = {.space = space, .form = form, .data = data, .constraints = constraints};
    const ritz_assemble_options options = {.precision = precision, .chunk_bytes = chunk_bytes};
    ritz_set_log(keep_shares, &all);
    compare_bits(&assembly, &options, tuning);
    ritz_set_log(NULL, NULL);
    assert_int_equal(all.n, space->n_batches);
    assert_int_equal(all.fewest, 8);
    assert_int_equal(all.longest, longest);
    assert_int_equal(all.n_longer, 1);
    ritz_constraints_destroy(&constraints);
    ritz_space_destroy(&space);
    ritz_form_destroy(&form);
}

static void test_hub(void **unused)
{
    (void)unused;
    ritz_mesh *mesh = NULL;
    ritz_box box = {.cell = RITZ_HEX, .cells = {8, 6, 6}};
    OK(ritz_mesh_box(&box, &mesh));
    check_hub(mesh, "assemble.sums_bytes * 16352\n", 28, RITZ_F64, 0); /* 8 (28 * 72 + 28) */
    check_hub(mesh, "assemble.sums_bytes * 16352\n", 28, RITZ_F64, 30000);
    ritz_mesh_destroy(&mesh);
    mesh = meshes_mixed(2, 17);
    check_hub(mesh, "assemble.sums_bytes * 1440\n", 10, RITZ_F32, 20000); /* 8 (10 * 16 + 20) */
    ritz_mesh_destroy(&mesh);
}

/* T' A T and T' b with u_k = u_m + w_k u_(m + 1) for the unknowns k, which keep their diagonal alone. */
static void transform_dense(dense *d, int64_t n, const int64_t *unknowns, const double *weights, int64_t m)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d->n; j++) {
            d->matrix[j * d->n + m] += d->matrix[j * d->n + unknowns[i]];
            d->matrix[j * d->n + m + 1] += weights[i] * d->matrix[j * d->n + unknowns[i]];
        }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d->n; j++) {
            d->matrix[m * d->n + j] += d->matrix[unknowns[i] * d->n + j];
            d->matrix[(m + 1) * d->n + j] += weights[i] * d->matrix[unknowns[i] * d->n + j];
        }
        d->rhs[m] += d->rhs[unknowns[i]];
        d->rhs[m + 1] += weights[i] * d->rhs[unknowns[i]];
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d->n; j++)
            if (j != unknowns[i])
                d->matrix[unknowns[i] * d->n + j] = d->matrix[j * d->n + unknowns[i]] = 0;
        d->rhs[unknowns[i]] = 0;
    }
}

/* So many dependents that groups share the sums: the upper side of a strip moves along x as its first node says. */
static void test_long_sums(void **unused)
{
    (void)unused;
    enum { LENGTH = 300 };
    ritz_mesh *mesh = NULL;
    ritz_form *form = NULL;
    ritz_space *space = NULL;
    ritz_constraints *constraints = NULL;
    int64_t unknowns[LENGTH], n = 0, master = -1;
    double weights[LENGTH];
    OK(ritz_mesh_box(&(ritz_box){.cell = RITZ_QUAD, .cells = {LENGTH, 1}, .distort = 0.2}, &mesh));
    OK(ritz_form_create("plane-stress", 2, &form));
    OK(ritz_space_create(mesh, 1, 2, &space));
    OK(ritz_constraints_create(space, &constraints));
    for (int64_t k = 0; k < space->n_nodes; k++) {
        if (space->coordinates[2 * k + 1] < 1 - 1e-12)
            continue;
        if (master < 0) {
            master = 2 * k;
            continue;
        }
        unknowns[n] = 2 * k;
        weights[n] = cos((double)k);
        OK(ritz_constraints_add_equations(constraints, 1, (const int64_t[]){0, 3},
                                          (const int64_t[]){2 * k, master, master + 1},
                                          (const double[]){1, -1, -weights[n]}, NULL));
        n++;
    }
    assert_int_equal(n, LENGTH);
    const ritz_datum *data[] = {elastic_2d};
    const ritz_assembly assembly = {.space = space, .form = form, .data = data, .constraints = constraints};
    dense expected = sum_reference(&assembly);
    transform_dense(&expected, n, unknowns, weights, master);
    for (int precision = RITZ_F64; precision <= RITZ_F32; precision++) {
        ritz_system *system = NULL;
        const ritz_assemble_options options = {.precision = (ritz_precision)precision};
        OK(ritz_assemble_system(device, &assembly, &options, &system));
        compare_system(system, &expected, precision == RITZ_F64 ? 1e-13 : 1e-5);
        ritz_system_destroy(&system);
    }
    free_dense(&expected);
    ritz_constraints_destroy(&constraints);
    ritz_space_destroy(&space);
    ritz_form_destroy(&form);
    ritz_mesh_destroy(&mesh);
}

/* The pattern that the device makes has the host's rows, columns and positions. */
static void check_device_pattern(const ritz_mesh *mesh, int order)
{
    ritz_space *space = NULL;
    ritz_pattern *host = NULL, *pattern = NULL;
    ritz_matrix *matrix = NULL, *expected = NULL;
    ritz_buffer *positions[RITZ_N_CELLS] = {NULL};
    const ritz_matrix_options options = {.precision = RITZ_F32};
    OK(ritz_space_create(mesh, order, 2, &space));
    OK(ritz_pattern_create(space, &host));
    OK(ritz_device_pattern_create(device, space, &options, &pattern, &matrix, positions));
    OK(ritz_matrix_create_structure(device, &options, 2, host->n_rows, host->row_start, host->columns, &expected));
    assert_memory_equal(pattern->row_start, host->row_start, ((size_t)host->n_rows + 1) * sizeof *host->row_start);
    const int64_t bytes = ritz_buffer_bytes(expected->columns);
    int32_t *columns = malloc((size_t)bytes), *right = malloc((size_t)bytes);
    assert_int_equal(ritz_buffer_bytes(matrix->columns), bytes);
    OK(ritz_buffer_read(matrix->columns, 0, columns, bytes));
    OK(ritz_buffer_read(expected->columns, 0, right, bytes));
    assert_memory_equal(columns, right, (size_t)bytes);
    for (int b = 0; b < space->n_batches; b++) {
        const int64_t n = ritz_buffer_bytes(positions[b]);
        uint16_t *found = malloc((size_t)n);
        OK(ritz_buffer_read(positions[b], 0, found, n));
        assert_memory_equal(found, host->position[b], (size_t)n);
        free(found);
        ritz_buffer_destroy(&positions[b]);
    }
    free(columns);
    free(right);
    ritz_matrix_destroy(&matrix);
    ritz_matrix_destroy(&expected);
    ritz_pattern_destroy(&pattern);
    ritz_pattern_destroy(&host);
    ritz_space_destroy(&space);
}

static void test_device_pattern(void **unused)
{
    (void)unused;
    for (int dim = 2; dim <= 3; dim++)
        for (int n = 1; n <= 6; n += 5) {
            ritz_mesh *mesh = meshes_mixed(dim, n);
            meshes_shuffle(mesh);
            for (int order = 1; order <= 3; order += 2)
                check_device_pattern(mesh, order);
            ritz_mesh_destroy(&mesh);
        }
}

/* The pattern of a structured box: a node's row has its 27 (9) neighbours, fewer on the boundary. */
static void test_pattern(void **unused)
{
    (void)unused;
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    ritz_pattern *pattern = NULL;
    ritz_box box = {.cell = RITZ_HEX, .cells = {4, 5, 6}};
    OK(ritz_mesh_box(&box, &mesh));
    OK(ritz_space_create(mesh, 1, 1, &space));
    OK(ritz_pattern_create(space, &pattern));
    assert_int_equal(pattern->row_start[pattern->n_rows], (3 * 5 - 2) * (3 * 6 - 2) * (3 * 7 - 2));
    for (int32_t row = 0; row < pattern->n_rows; row++)
        for (int64_t k = pattern->row_start[row]; k + 1 < pattern->row_start[row + 1]; k++)
            assert_true(pattern->columns[k] < pattern->columns[k + 1]);
    ritz_pattern_destroy(&pattern);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
}

/* Every allocation on the way may fail: an error each time, no leak, no crash. */
static void test_failing_allocations(void **unused)
{
    (void)unused;
    ritz_mesh *mesh = NULL;
    ritz_form *form = NULL;
    ritz_space *space = NULL;
    ritz_box box = {.cell = RITZ_PRISM, .cells = {2, 2, 2}};
    OK(ritz_mesh_box(&box, &mesh));
    OK(ritz_form_create("elasticity", 3, &form));
    OK(ritz_space_create(mesh, 1, 3, &space));
    const ritz_datum *data[] = {elastic_3d};
    const ritz_assembly assembly = {.space = space, .form = form, .data = data};
    for (int made_on_device = 0; made_on_device < 2; made_on_device++) {
        ritz_status status = RITZ_ERROR_MEMORY;
        int64_t n = 1;
        OK(ritz_tuning_override(made_on_device ? on_device : NULL));
        for (; status == RITZ_ERROR_MEMORY; n++) {
            ritz_system *system = NULL;
            ritz_fail_allocation(n);
            status = ritz_assemble_system(device, &assembly, NULL, &system);
            ritz_fail_allocation(0);
            ritz_system_destroy(&system);
        }
        assert_int_equal(status, RITZ_OK);
        assert_true(n > 20);
    }
    OK(ritz_tuning_override(NULL));
    ritz_space_destroy(&space);
    ritz_form_destroy(&form);
    ritz_mesh_destroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pattern),        cmocka_unit_test(test_against_reference),
        cmocka_unit_test(test_mixed),          cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_shared_rows),    cmocka_unit_test(test_hub),
        cmocka_unit_test(test_long_sums),      cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_device_pattern),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
