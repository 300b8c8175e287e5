/* Method "lanes": one element a vector lane or work-item (kernels/lanes.cl). */
#include "integrate/methods.h"

enum { LANES, LOCAL, WORKERS, ROWS, COLUMNS };

static bool applies(const ritz_case *c, const ritz_device_info *limits)
{
    (void)c;
    (void)limits;
    return true;
}

/* Tiles of rows x columns blocks that cover a matrix; of a symmetric one, its upper half. */
static int64_t count_tiles(int64_t n_shape, bool symmetric, int64_t rows, int64_t columns)
{
    int64_t n = 0;
    for (int64_t i = 0; i < n_shape; i += rows)
        n += (n_shape - (symmetric ? i : 0) + columns - 1) / columns;
    return n;
}

/* The tile that takes the fewest cycles a point on a processor that starts one multiply-add and one load a cycle, by
   whichever is slowest of the multiply-adds, the loads, and the chain of multiply-adds into one sum, 4 cycles each. The
   rows' weights are in the first cache; a load of psi takes 1 cycle where all of a set's fit into the first
   cache, 2 or 3 where they fill less or more than half of the second (1 MB), 6 beyond. The
   sums and a factor a row and a column must fit into the vector registers. */
static void choose_tile(const ritz_case *c, const ritz_case_sizes *size, bool gpu, int64_t vector_bytes, int32_t *rows,
                        int32_t *columns)
{
    enum { MOST = 4 };
    const int64_t registers = gpu ? 48 : vector_bytes >= 64 ? 32 : 16;
    const int64_t psi = c->traits.derivatives ? size->dim : 1, n_sums = c->traits.n_sums;
    const int64_t products = ritz_max64(c->traits.n_weights, n_sums);
    const int64_t psi_bytes = c->traits.derivatives ? size->n_shape * size->n_quad * size->dim * vector_bytes : 0;
    const int64_t psi_load = psi_bytes <= 32 << 10 ? 1 : psi_bytes <= 512 << 10 ? 2 : psi_bytes <= 1 << 20 ? 3 : 6;
    int64_t best = INT64_MAX;
    const int32_t fixed_rows = *rows, fixed_columns = *columns;
    for (int32_t r = fixed_rows ? fixed_rows : 1; r <= (fixed_rows ? fixed_rows : MOST); r++)
        for (int32_t k = fixed_columns ? fixed_columns : 1; k <= (fixed_columns ? fixed_columns : MOST); k++) {
            const int64_t loads = r * c->traits.n_weights + k * psi * psi_load;
            const int64_t cycles = ritz_max64(ritz_max64(r * k * products, loads), 4 * products / n_sums) *
                                   count_tiles(size->n_shape, c->traits.symmetric, r, k);
            const bool fits = r * k * n_sums + r + k <= registers;
            if (best == INT64_MAX || (fits && cycles < best)) {
                *rows = r;
                *columns = k;
                best = fits ? cycles : INT64_MAX - 1;
            }
        }
}

/* Elements a work-item: as many as a register holds; on GPUs each lane is a work-item of its own. */
static ritz_status plan_lanes(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters,
                              ritz_plan *plan)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const bool gpu = limits->kind == RITZ_DEVICE_GPU;
    const int32_t native = c->precision == RITZ_F64 ? limits->vector_width_f64 : limits->vector_width_f32;
    int32_t lanes = parameters[LANES] ? parameters[LANES] : gpu || native < 2 ? 1 : native;
    int32_t local = parameters[LOCAL] ? parameters[LOCAL] : gpu ? 64 : 1;
    while (lanes & (lanes - 1)) /* OpenCL's vectors: 1 2 4 8 16 */
        lanes--;
    int32_t rows = parameters[ROWS], columns = parameters[COLUMNS];
    choose_tile(c, &size, gpu, lanes * size.real_bytes, &rows, &columns);
    const int64_t per_item = size.n_quad * (1 + rows * c->traits.n_weights + c->traits.n_varying) +
                             (c->traits.derivatives ? size.n_shape * size.n_quad * size.dim : 0);
    const int64_t worker_bytes = per_item * lanes * local * size.real_bytes;
    /* Enough groups to keep every unit busy and even out their work, within a share of memory for scratch. */
    const int64_t share = limits->global_memory / 16;
    int64_t workers = parameters[WORKERS] ? parameters[WORKERS] : (int64_t)limits->compute_units * (gpu ? 16 : 8);
    if (workers * worker_bytes > share)
        workers = ritz_max64(share / worker_bytes, 1);
    *plan = (ritz_plan){.parameters = {lanes, local, (int32_t)workers, rows, columns},
                        .layout = ritz_layout_blocks(c, lanes * local, c->traits.symmetric),
                        .local_size = local,
                        .n_workers = workers,
                        .most_sharing = (size.n_shape + rows - 1) / rows,
                        .scratch_bytes = worker_bytes};
    ritz_plan_set_launch(c, limits, plan);
    return RITZ_OK;
}

static void defines(const ritz_case *c, const ritz_plan *plan, ritz_text *header)
{
    (void)c;
    const int32_t lanes = plan->parameters[LANES];
    ritz_text_add(
        header, "#define LANES %d\n#define LOCAL %d\n#define NODE_STRIDE LOCAL\n#define ROWS %d\n#define COLUMNS %d\n",
        lanes, (int)plan->local_size, plan->parameters[ROWS], plan->parameters[COLUMNS]);
    if (lanes > 1)
        ritz_text_add(header, "typedef real%d realv;\n", lanes);
    else
        ritz_text_add(header, "typedef real realv;\n");
}

/* kernels/lanes.cl, loop by loop. */
static double operations(const ritz_case *c, const ritz_plan *plan, const ritz_form_counts *counts)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const int32_t rows = plan->parameters[ROWS], columns = plan->parameters[COLUMNS];
    const double n_quad = (double)size.n_quad, n_shape = (double)size.n_shape;
    const double weighed = (double)((size.n_shape + rows - 1) / rows * rows);
    const double summed = (double)(count_tiles(size.n_shape, c->traits.symmetric, rows, columns) * rows * columns);
    const double pairs = c->traits.symmetric ? n_shape * (n_shape + 1) / 2 : n_shape * n_shape;
    double n = (size.affine ? 1 : n_quad) * ritz_count_map(c) + n_quad + counts->constants;
    if (c->traits.derivatives)
        n += n_quad * n_shape * size.dim * (2 * size.dim - 1);
    n += n_quad * ritz_count_point_coefficients(c, counts);
    n += n_quad * weighed * (counts->weight + counts->load);
    return n + n_quad * summed * counts->accumulate + pairs * counts->finish;
}

const ritz_method ritz_method_lanes = {
    .name = "lanes",
    .source = "this project",
    .summary = "one element a vector lane or work-item; tiles of blocks summed in registers",
    .kernel_path = "integrate/kernels/lanes.cl",
    .kernel_name = "integrate",
    .n_parameters = 5,
    .parameters = {[LANES] = {"lanes", "elements a work-item, in explicit vectors (1, 2, 4, 8, 16)", 1, 16},
                   [LOCAL] = {"local", "work-items a group", 1, 1024},
                   [WORKERS] = {"workers", "work-groups in flight", 1, 1 << 20},
                   [ROWS] = {"rows", "rows of blocks summed at once, in registers", 1, 8},
                   [COLUMNS] = {"columns", "columns of blocks summed at once, in registers", 1, 8}},
    .applies = applies,
    .plan = plan_lanes,
    .defines = defines,
    .operations = operations};
