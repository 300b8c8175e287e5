/* Method "mma": products of matrices on the f64 matrix unit (kernels/mma.cl). */
#include "integrate/methods.h"

enum { WORK_GROUP, TILE_M, TILE_N, POINTS, WORKERS };
enum { WARP = 32 };

/* Tiles of the upper half, or all: as find_tile in the kernel counts them. */
static int64_t count_tiles(int64_t n_shape, int64_t tile_m, int64_t tile_n, bool symmetric)
{
    const int64_t rows_m = (n_shape + tile_m - 1) / tile_m, rows_n = (n_shape + tile_n - 1) / tile_n;
    int64_t n = 0;
    for (int64_t tm = 0; tm < rows_m; tm++)
        n += rows_n - (symmetric ? tm * tile_m / tile_n : 0);
    return n;
}

/* Reals from one row of shape functions to the next in local memory. */
static int64_t row_stride(int64_t n_shape, int64_t tile_m, int64_t tile_n)
{
    return ritz_max64(ritz_round_up(n_shape, tile_m), ritz_round_up(n_shape, tile_n)) + 4;
}

/* Bytes of local memory that the shape functions of one point take. */
static int64_t point_bytes(const ritz_case *c, const ritz_case_sizes *size, int64_t stride)
{
    const int64_t rows = (c->traits.matrix_values ? 1 : 0) + (c->traits.derivatives ? size->dim : 0);
    return rows * stride * size->real_bytes;
}

static bool mma_applies(const ritz_case *c, const ritz_device_info *limits)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    return limits->has_f64_matrix_unit && limits->work_group_size >= WARP && c->precision == RITZ_F64 &&
           4 * point_bytes(c, &size, row_stride(size.n_shape, 16, 8)) <= ritz_plan_local_memory(limits);
}

/* The largest tile whose sums stay in registers: 32 x 32 of one sum, 16 x 8 of nine; smaller ones for small matrices,
   so that the diagonal and the ragged edge waste less. */
static void choose_tile(const ritz_case *c, const ritz_device_info *limits, const ritz_case_sizes *size,
                        int32_t *tile_m, int32_t *tile_n)
{
    const int64_t most = ritz_plan_tuned(limits, RITZ_MMA_SUMS) / 4 / c->traits.n_sums; /* fragments of 16 x 8 */
    if (!*tile_m)
        *tile_m = most >= 8 && size->n_shape >= ritz_plan_tuned(limits, RITZ_MMA_WIDE_FROM) ? 32 : 16;
    if (!*tile_n) {
        *tile_n = 8;
        while (*tile_n < 32 && *tile_n * 2 / 8 * (*tile_m / 16) <= most && *tile_n * 4 <= size->n_shape)
            *tile_n *= 2;
    }
}

/* Points at once: as many as are given and fit; else all, or equal parts of them that keep within the room of a group. */
static int64_t choose_points(const ritz_case *c, const ritz_device_info *limits, int64_t n_points, int64_t bytes,
                             int64_t given)
{
    const int64_t room = (int64_t)ritz_plan_tuned_for(c, limits, RITZ_MMA_LOCAL_BYTES),
                  most = ritz_plan_local_memory(limits) / bytes / 4 * 4,
                  wanted = ritz_max64(room / bytes / 4 * 4, ritz_plan_tuned(limits, RITZ_MMA_LEAST_POINTS));
    if (given)
        return ritz_min64(ritz_round_up(given, 4), most);
    const int64_t fitting = ritz_min64(wanted, most);
    if (fitting < 4)
        return fitting;
    const int64_t parts = (n_points + fitting - 1) / fitting;
    return ritz_round_up((n_points + parts - 1) / parts, 4);
}

static ritz_status plan_mma(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters,
                            ritz_plan *plan)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    int32_t tile_m = (int32_t)ritz_round_up(parameters[TILE_M], 16),
            tile_n = (int32_t)ritz_round_up(parameters[TILE_N], 8);
    choose_tile(c, limits, &size, &tile_m, &tile_n);
    const int64_t tiles = count_tiles(size.n_shape, tile_m, tile_n, c->traits.symmetric);
    const int64_t most_items = ritz_min64(ritz_plan_tuned(limits, RITZ_MMA_GROUP), limits->work_group_size);
    const int64_t most_warps = ritz_max64(1, most_items / WARP);
    int64_t warps = parameters[WORK_GROUP] ? (parameters[WORK_GROUP] + WARP - 1) / WARP : ritz_min64(tiles, most_warps);
    const int64_t passes = (tiles + warps - 1) / warps;
    if (!parameters[WORK_GROUP])
        warps = (tiles + passes - 1) / passes;
    const int64_t stride = row_stride(size.n_shape, tile_m, tile_n),
                  bytes = ritz_max64(1, point_bytes(c, &size, stride));
    const int64_t n_points = ritz_round_up(size.n_quad, 4);
    const int64_t points = choose_points(c, limits, n_points, bytes, parameters[POINTS]);
    if (points < 4)
        return ritz_fail(
            RITZ_ERROR_DEVICE,
            "method mma needs %lld bytes of local memory for four points of order %d, the device has %lld: "
            "use smaller tiles or another method",
            (long long)(4 * bytes), c->order, (long long)ritz_plan_local_memory(limits));
    const int64_t workers = ritz_plan_workers(c, limits, parameters[WORKERS], RITZ_MMA_GROUPS_PER_UNIT);
    *plan = (ritz_plan){.parameters = {(int32_t)(warps * WARP), tile_m, tile_n, (int32_t)points, (int32_t)workers},
                        .layout = ritz_layout_planes(c, 1, c->traits.symmetric, (int32_t)size.n_shape),
                        .local_size = warps * WARP,
                        .n_workers = workers,
                        .most_sharing = passes,
                        .scratch_bytes = ritz_round_up(size.n_quad, points) *
                                         (1 + size.dim * size.dim + c->traits.n_varying) * size.real_bytes,
                        .local_bytes = points * bytes};
    ritz_plan_add_figure(plan, "tiles", (double)tiles);
    ritz_plan_add_figure(plan, "passes", (double)passes);
    ritz_plan_set_launch(c, limits, plan);
    return RITZ_OK;
}

static void add_defines(const ritz_case *c, const ritz_plan *plan, ritz_text *header)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const int32_t *p = plan->parameters;
    ritz_text_add(header,
                  "typedef real realv;\n#define LANES 1\n#define NODE_STRIDE 1\n#define MATRIX_UNIT 1\n#define LOCAL "
                  "%d\n#define TILE_M %d\n"
                  "#define TILE_N %d\n#define POINTS %d\n#define PASSES %d\n#define STRIDE %d\n#define VALUES %d\n",
                  (int)plan->local_size, p[TILE_M], p[TILE_N], p[POINTS], (int)plan->most_sharing,
                  (int)row_stride(size.n_shape, p[TILE_M], p[TILE_N]), c->traits.matrix_values);
}

/* kernels/mma.cl, loop by loop. */
static double count_operations(const ritz_case *c, const ritz_plan *plan, const ritz_form_counts *counts)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const int32_t *p = plan->parameters;
    const double points = (double)ritz_round_up(size.n_quad, p[POINTS]), passes = (double)plan->most_sharing;
    const double tiles = (double)count_tiles(size.n_shape, p[TILE_M], p[TILE_N], c->traits.symmetric);
    const double stride = (double)row_stride(size.n_shape, p[TILE_M], p[TILE_N]);
    double n = counts->constants * (double)plan->local_size;
    n += points * (ritz_count_map(c) + 1 + ritz_count_point_coefficients(c, counts));
    n += passes * points * stride * (c->traits.derivatives ? size.dim * (2 * size.dim - 1) : 0);
    n += tiles * points * p[TILE_M] * (counts->weight + p[TILE_N] * counts->accumulate);
    n += tiles * p[TILE_M] * p[TILE_N] * counts->finish;
    return n + (c->traits.load ? (double)(size.n_quad * size.n_shape) * counts->load : 0);
}

const ritz_method ritz_method_mma = {
    .name = "mma",
    .source = "this project",
    .summary = "one element per work-group; sums as products of matrices on the f64 matrix unit",
    .kernel_path = "integrate/kernels/mma.cl",
    .kernel_name = "integrate",
    .n_parameters = 5,
    .parameters = {[WORK_GROUP] = {"work_group", "work-items per group, a multiple of 32", 1, 256, false},
                   [TILE_M] = {"rows", "rows of a warp's tile, a multiple of 16", 1, 64, false},
                   [TILE_N] = {"columns", "columns of a warp's tile, a multiple of 8", 1, 64, false},
                   [POINTS] = {"points", "points tabulated at once, a multiple of 4", 1, 512, false},
                   [WORKERS] = {"workers", "work-groups in flight", 1, 1 << 20, false}},
    .applies = mma_applies,
    .plan = plan_mma,
    .defines = add_defines,
    .operations = count_operations};
