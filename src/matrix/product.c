/* Products with a matrix on the device, alone or with what a solver does in the same pass; its diagonal; vectors. */
#include "device/tuning.h"
#include "matrix/matrix.h"
#include "matrix/pieces.h"
#include "matrix/symmetric.h"

#include <stdio.h>
#include <string.h>

/* Neighbours of a GPU that load together. */
enum { WARP = 32 };

ritz_matrix_plan ritz_matrix_plan_of(const ritz_device *device)
{
    const ritz_device_info *info = ritz_device_get_info(device);
    return (ritz_matrix_plan){
        .lanes = (int)ritz_tuned(info, RITZ_MATRIX_LANES, NULL, 0),
        .items_per_unit = (int)ritz_tuned(info, RITZ_PRODUCT_ITEMS_PER_UNIT, NULL, 0),
        .group = (int)ritz_tuned(info, RITZ_PRODUCT_GROUP, NULL, 0),
        .teams = ritz_tuned(info, RITZ_PRODUCT_SHARES_ROWS, NULL, 0) != 0,
        .kept_bytes = (int64_t)ritz_tuned(info, RITZ_PRODUCT_KEPT_BYTES, NULL, 0),
    };
}

/* The device's number of lanes, halved until it divides the slice height. */
int ritz_matrix_lanes(const ritz_matrix_plan *plan, int32_t slice_height)
{
    int lanes = plan->lanes;
    while (slice_height % lanes != 0)
        lanes /= 2;
    return lanes;
}

/* A constant that depends on the type of values and on whether x stays in the cache. */
static double tuned(const ritz_matrix *m, ritz_constant constant)
{
    const bool x_kept = m->n_scalar_columns * ritz_real_bytes(m->precision) <= m->plan.kept_bytes;
    const ritz_fact facts[] = {{"value", (double)ritz_value_bytes(m->value_type)}, {"x_kept", x_kept}};
    return ritz_tuned(ritz_device_get_info(m->device), constant, facts, 2);
}

int ritz_matrix_default_height(const ritz_matrix *m)
{
    return (int)tuned(m, RITZ_MATRIX_SLICE_HEIGHT);
}

int64_t ritz_matrix_default_window(const ritz_matrix *m)
{
    return (int64_t)tuned(m, RITZ_MATRIX_SORT_WINDOW);
}

static bool is_coded(const ritz_matrix *m)
{
    return m->team.codes && m->codes;
}

/* A constant of how work-items share rows; what of that is chosen already is among the facts. */
static int choose(const ritz_matrix *m, ritz_constant constant)
{
    const double value = (double)ritz_value_bytes(m->value_type), real = (double)ritz_real_bytes(m->precision);
    const double b = m->block, rows = (double)m->n_slices * m->slice_height;
    const ritz_fact facts[] = {
        {"block", b},
        {"mean", (double)m->n_slots / rows},
        {"value", value},
        {"real", real},
        {"widening", real / value},
        {"block_bytes", value * b * b},
        {"x_of_block", real / (b * value)},
        {"rows", m->team.rows},
        {"items", m->team.items},
        {"kept", m->team.keep},
        {"short_columns", is_coded(m)},
    };
    return (int)ritz_tuned(ritz_device_get_info(m->device), constant, facts, sizeof facts / sizeof *facts);
}

/* With columns in 16 bits a warp must have rows of one slice, and as many rounds for all. */
static bool can_be_coded(const ritz_matrix *m)
{
    return ritz_device_get_info(m->device)->has_ptx && !m->row_lengths && !m->one_slice &&
           m->slice_height / m->team.rows % WARP == 0;
}

/* A GPU's work-items on slices of at least a warp's width: below that they read apart. */
void ritz_matrix_choose_teams(ritz_matrix *m)
{
    const int64_t b = m->block;
    m->team = (ritz_matrix_team){0};
    if (!m->plan.teams || m->items > 1 || m->slice_height < WARP)
        return;
    m->team.rows = m->slice_height % 2 == 0 ? (int)tuned(m, RITZ_PRODUCT_ROWS_PER_ITEM) : 1;
    m->team.items = choose(m, RITZ_PRODUCT_ITEMS_PER_ROW);
    m->team.keep = m->n_slots * (ritz_value_bytes(m->value_type) * b * b + 4) <= m->plan.kept_bytes;
    m->team.codes = can_be_coded(m) && choose(m, RITZ_PRODUCT_SHORT_COLUMNS) != 0;
    m->team.blocks = choose(m, RITZ_PRODUCT_ROUND);
    m->team.last = choose(m, RITZ_PRODUCT_LAST_ROUND);
    if (m->team.last == 0)
        m->team.last = m->team.blocks;
    m->team.early = choose(m, RITZ_PRODUCT_EARLY) != 0;
}

/* ---- Kernels ---- */

/* Variants of the product: with factors other than alpha = 1, with sums. */
enum { SCALED = 1, SUMS = 2, N_VARIANTS = 4 };

struct ritz_product_kernels {
    ritz_kernel *kernel[N_VARIANTS]; /* owned by the device */
    int group[N_VARIANTS];
};

ritz_status ritz_product_kernels_create(ritz_matrix *matrix)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(matrix->kernels, 1);
done:
    return status;
}

void ritz_product_kernels_destroy(ritz_matrix *matrix)
{
    ritz_free(matrix->kernels);
    matrix->kernels = NULL;
}

static const char teams_file[] = "matrix/kernels/teams.cl";

static ritz_status get_program(const ritz_matrix *m, const char *file, int variant, int group, ritz_program **program)
{
    char options[416], team[160] = "";
    const bool teams = strcmp(file, teams_file) == 0;
    bool ragged = m->n_unknowns % m->block != 0 || m->n_scalar_columns % m->block != 0;
    if (teams)
        snprintf(team, sizeof team,
                 " -DTEAM=%d -DROUND=%d -DLAST=%d -DFINISHERS=%d%s%s -DEARLY=%d -DCODED=%d -DPAGES=%d -DPLACE_BITS=%d",
                 m->team.items, m->team.blocks, m->team.last, group / m->team.items,
                 ritz_device_get_info(m->device)->has_ptx ? " -DPTX" : "", m->team.keep ? " -DKEEP" : "", m->team.early,
                 is_coded(m) ? ritz_matrix_code_slices(m) : 0, RITZ_CODE_PAGES, RITZ_CODE_PLACE_BITS);
    snprintf(options, sizeof options,
             "-DBLOCK=%d -DSLICE=%d -DLANES=%d -DITEMS=%d -DVALUES=%d -DPERMUTED=%d -DLENGTHS=%d -DRAGGED=%d "
             "-DSCALED=%d -DSUMS=%d -DGROUP=%d%s%s",
             m->block, m->one_slice ? 0 : m->slice_height, teams ? m->team.rows : m->lanes, m->items,
             (int)m->value_type, m->permuted, m->row_lengths, ragged, (variant & SCALED) != 0, (variant & SUMS) != 0,
             group, ritz_device_get_info(m->device)->has_f64 ? " -DACCUM_F64" : "", team);
    const char *paths[] = {"matrix/kernels/values.cl", "matrix/kernels/finish.cl", file};
    return ritz_program_get(m->device, m->precision, "", paths, 3, options, program);
}

/* Work-items that share a row. */
static int team_of(const ritz_matrix *m)
{
    return m->items > 1 ? m->items / m->lanes : m->team.items > 0 ? m->team.items : 1;
}

/* The kernel of a variant, its group halved until registers allow it. */
static ritz_status get_product(const ritz_matrix *m, int variant)
{
    ritz_status status = RITZ_OK;
    struct ritz_product_kernels *k = m->kernels;
    const char *file = m->items > 1        ? "matrix/kernels/csr.cl"
                       : m->team.items > 0 ? teams_file
                                           : "matrix/kernels/sbell.cl";
    const int whole = m->team.items > 0 ? WARP * team_of(m) : team_of(m); /* a member's loads fill a warp */
    const int least = is_coded(m) ? whole : team_of(m);                   /* a team stays in one group */
    int group = (int)ritz_max64(m->plan.group, whole);
    while (!k->kernel[variant]) {
        ritz_program *program = NULL;
        ritz_kernel *kernel = NULL;
        RITZ_TRY(get_program(m, file, variant, group, &program));
        RITZ_TRY(ritz_kernel_get(program, "product", &kernel));
        if (ritz_kernel_work_group_size(kernel) < group && group > least) {
            group /= 2;
            continue;
        }
        k->kernel[variant] = kernel;
        k->group[variant] = group;
    }
done:
    return status;
}

/* ---- The product ---- */

static bool is_scaled(const ritz_product *p)
{
    return (p->alpha != 1 && p->alpha != 0) || p->beta != 0 || p->gamma != 0 || p->delta != 0;
}

/* Work-items and how many packs of rows each takes. */
static int64_t count_items(const ritz_matrix *m, int group, int64_t *n_packs, int64_t *run)
{
    *run = 1;
    *n_packs = m->items > 1 ? m->n_rows
                            : (int64_t)m->n_slices * (m->slice_height / (m->team.items > 0 ? m->team.rows : m->lanes));
    if (m->plan.items_per_unit > 0 && m->team.items == 0) {
        int64_t n_items = (int64_t)m->plan.items_per_unit * ritz_device_get_info(m->device)->compute_units;
        *run = (*n_packs + n_items - 1) / n_items;
    }
    return ritz_round_up((*n_packs + *run - 1) / *run * team_of(m), group);
}

ritz_status ritz_matrix_count_parts(const ritz_matrix *m, const ritz_product *product, int64_t *n_parts)
{
    ritz_status status = RITZ_OK;
    int variant = SUMS | (is_scaled(product) ? SCALED : 0);
    int64_t n_packs, run;
    if (m->symmetric) {
        *n_parts = ritz_symmetric_count_parts(m);
        return RITZ_OK;
    }
    RITZ_TRY(get_product(m, variant));
    *n_parts = count_items(m, m->kernels->group[variant], &n_packs, &run) / m->kernels->group[variant];
done:
    return status;
}

static ritz_status check_vectors(const ritz_matrix *m, const ritz_product *p, const ritz_buffer *x,
                                 const ritz_buffer *y)
{
    ritz_status status = RITZ_OK;
    int64_t real = ritz_real_bytes(m->precision), x_bytes = m->n_scalar_columns * real, y_bytes = m->n_unknowns * real;
    RITZ_REQUIRE(ritz_buffer_bytes(x) >= x_bytes && ritz_buffer_bytes(y) >= y_bytes, RITZ_ERROR_INPUT,
                 "a product needs vectors of %lld and %lld bytes; x has %lld and y %lld", (long long)x_bytes,
                 (long long)y_bytes, (long long)ritz_buffer_bytes(x), (long long)ritz_buffer_bytes(y));
    RITZ_REQUIRE(x != y, RITZ_ERROR_INPUT, "a product can not overwrite its x; give y a buffer of its own");
    RITZ_REQUIRE(p->gamma == 0 || (p->z && ritz_buffer_bytes(p->z) >= y_bytes), RITZ_ERROR_INPUT,
                 "a product with gamma needs a vector z of %lld bytes", (long long)y_bytes);
    RITZ_REQUIRE(!p->w || ritz_buffer_bytes(p->w) >= y_bytes, RITZ_ERROR_INPUT,
                 "the sums of a product need a vector w of %lld bytes", (long long)y_bytes);
    RITZ_REQUIRE(m->n_unknowns == m->n_scalar_columns || (p->delta == 0 && (p->w || !p->partial)), RITZ_ERROR_INPUT,
                 "delta, and sums without w, need a square matrix; this one has %lld rows and %lld columns",
                 (long long)m->n_unknowns, (long long)m->n_scalar_columns);
done:
    return status;
}

static ritz_status check_parts(const ritz_matrix *m, const ritz_product *p, int64_t n_groups)
{
    int64_t accum = ritz_device_get_info(m->device)->has_f64 ? 8 : 4, bytes = RITZ_PRODUCT_SUMS * n_groups * accum;
    if (p->partial && ritz_buffer_bytes(p->partial) < bytes)
        return ritz_fail(RITZ_ERROR_INPUT, "the sums of a product need %lld bytes; partial has %lld", (long long)bytes,
                         (long long)ritz_buffer_bytes(p->partial));
    return RITZ_OK;
}

ritz_status ritz_matrix_product(const ritz_matrix *m, const ritz_product *p, const ritz_buffer *x, ritz_buffer *y,
                                double *seconds)
{
    ritz_status status = RITZ_OK;
    int variant = (is_scaled(p) ? SCALED : 0) | (p->partial ? SUMS : 0), n = 13;
    int64_t n_packs, run;
    RITZ_TRY(check_vectors(m, p, x, y));
    if (m->symmetric) {
        RITZ_TRY(check_parts(m, p, ritz_symmetric_count_parts(m)));
        return ritz_symmetric_product(m, p, is_scaled(p), x, y, seconds);
    }
    RITZ_TRY(get_product(m, variant));
    int group = m->kernels->group[variant];
    ritz_range range = {.global = {count_items(m, group, &n_packs, &run)}, .local = {group}};
    RITZ_TRY(check_parts(m, p, range.global[0] / group));
    ritz_argument arguments[21] = {
        RITZ_INT((int32_t)n_packs),
        RITZ_INT(m->team.items > 0 && p->backwards ? -1 : (int32_t)run),
        RITZ_INT(m->n_rows),
        RITZ_INT(m->slice_height),
        RITZ_LONG(m->n_unknowns),
        RITZ_LONG(m->n_scalar_columns),
        RITZ_BUFFER(m->slice_start),
        RITZ_BUFFER(m->permutation),
        RITZ_BUFFER(m->row_length),
        RITZ_BUFFER(is_coded(m) ? m->codes : m->columns),
        RITZ_BUFFER(m->values),
        RITZ_BUFFER(x),
        RITZ_BUFFER(y),
    };
    double factors[4] = {is_scaled(p) ? p->alpha : 1, p->beta, p->gamma, p->delta};
    float narrow[4];
    for (int f = 0; f < 4 && (variant & SCALED); f++) {
        narrow[f] = (float)factors[f];
        arguments[n++] = m->precision == RITZ_F64 ? (ritz_argument){.value = &factors[f], .bytes = 8}
                                                  : (ritz_argument){.value = &narrow[f], .bytes = 4};
    }
    if (variant & SCALED)
        arguments[n++] = RITZ_BUFFER(p->gamma != 0 ? p->z : x);
    if (variant & SUMS) {
        arguments[n++] = RITZ_BUFFER(p->w ? p->w : x);
        arguments[n++] = RITZ_BUFFER(p->partial);
    }
    if (is_coded(m))
        arguments[n++] = RITZ_BUFFER(m->pages);
    RITZ_TRY(ritz_launch(m->kernels->kernel[variant], range, arguments, n, seconds));
done:
    return status;
}

ritz_status ritz_matrix_apply(const ritz_matrix *m, const ritz_buffer *x, ritz_buffer *y, double *seconds)
{
    return ritz_matrix_product(m, &(ritz_product){.alpha = 1}, x, y, seconds);
}

ritz_status ritz_matrix_multiply(const ritz_matrix *m, const double *x, double *y)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *device_x = NULL, *device_y = NULL;
    int64_t real = ritz_real_bytes(m->precision);
    RITZ_TRY(ritz_buffer_create(m->device, m->n_scalar_columns * real, "the vector x", &device_x));
    RITZ_TRY(ritz_buffer_create(m->device, m->n_unknowns * real, "the vector y", &device_y));
    RITZ_TRY(ritz_write_vector(m->precision, m->n_scalar_columns, x, device_x));
    RITZ_TRY(ritz_matrix_apply(m, device_x, device_y, NULL));
    RITZ_TRY(ritz_matrix_read_vector(m, device_y, y));
done:
    ritz_buffer_destroy(&device_x);
    ritz_buffer_destroy(&device_y);
    return status;
}

ritz_status ritz_matrix_diagonal(const ritz_matrix *m, ritz_buffer *diagonal)
{
    ritz_status status = RITZ_OK;
    ritz_program *program = NULL;
    ritz_kernel *kernel = NULL;
    int64_t bytes = m->n_unknowns * ritz_real_bytes(m->precision);
    RITZ_REQUIRE(m->n_unknowns == m->n_scalar_columns, RITZ_ERROR_INPUT,
                 "a matrix of %lld rows and %lld columns has no diagonal", (long long)m->n_unknowns,
                 (long long)m->n_scalar_columns);
    RITZ_REQUIRE(ritz_buffer_bytes(diagonal) >= bytes, RITZ_ERROR_INPUT,
                 "the diagonal needs a vector of %lld bytes, not %lld", (long long)bytes,
                 (long long)ritz_buffer_bytes(diagonal));
    if (m->symmetric)
        return ritz_symmetric_diagonal(m, diagonal);
    RITZ_TRY(get_program(m, "matrix/kernels/diagonal.cl", 0, 1, &program));
    RITZ_TRY(ritz_kernel_get(program, "diagonal", &kernel));
    RITZ_TRY(RITZ_LAUNCH(kernel, ritz_matrix_range(kernel, m->n_rows), NULL, RITZ_INT(m->n_rows),
                         RITZ_INT(m->slice_height), RITZ_LONG(m->n_unknowns), RITZ_BUFFER(m->row_slot),
                         RITZ_BUFFER(m->row_length), RITZ_BUFFER(m->columns), RITZ_BUFFER(m->values),
                         RITZ_BUFFER(diagonal)));
done:
    return status;
}

/* ---- Vectors ---- */

ritz_status ritz_write_vector(ritz_precision precision, int64_t n, const double *from, ritz_buffer *to)
{
    ritz_status status = RITZ_OK;
    float *narrow = NULL;
    if (precision == RITZ_F64)
        return ritz_buffer_write(to, 0, from, n * 8);
    RITZ_NEW(narrow, n);
    for (int64_t i = 0; i < n; i++)
        narrow[i] = (float)from[i];
    RITZ_TRY(ritz_buffer_write(to, 0, narrow, n * 4));
done:
    ritz_free(narrow);
    return status;
}

ritz_status ritz_read_vector(ritz_precision precision, int64_t n, const ritz_buffer *from, double *to)
{
    ritz_status status = RITZ_OK;
    float *narrow = NULL;
    if (precision == RITZ_F64)
        return ritz_buffer_read(from, 0, to, n * 8);
    RITZ_NEW(narrow, n);
    RITZ_TRY(ritz_buffer_read(from, 0, narrow, n * 4));
    for (int64_t i = 0; i < n; i++)
        to[i] = (double)narrow[i];
done:
    ritz_free(narrow);
    return status;
}

ritz_status ritz_matrix_write_vector(const ritz_matrix *m, const double *from, ritz_buffer *to)
{
    return ritz_write_vector(m->precision, m->n_unknowns, from, to);
}

ritz_status ritz_matrix_read_vector(const ritz_matrix *m, const ritz_buffer *from, double *to)
{
    return ritz_read_vector(m->precision, m->n_unknowns, from, to);
}
