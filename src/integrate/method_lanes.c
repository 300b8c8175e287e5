/* Method "lanes": one element a vector lane or work-item (kernels/lanes.cl). */
#include "integrate/methods.h"

enum { LANES, LOCAL, WORKERS, ROWS, COLUMNS };

static bool lanes_apply(const ritz_case *c, const ritz_device_info *limits)
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

/* What the cycles of a tile are reckoned from (lanes.load_cycles in src/device/tuning.txt). */
typedef struct cycle_model {
    int64_t psi;          /* of each shape function at a point */
    int64_t load, chain;  /* cycles of a load of them; from a multiply-add to the next into the same sum */
    int64_t registers;    /* vectors of a work-item's that they hold */
    int32_t most_of_side; /* rows or columns of a tile */
} cycle_model;

/* native_bytes: of a vector register. */
static cycle_model make_model(const ritz_case *c, const ritz_case_sizes *size, const ritz_device_info *limits,
                              int64_t vector_bytes, int64_t native_bytes)
{
    const int64_t psi = c->traits.derivatives ? size->dim : 1;
    const int64_t psi_bytes = c->traits.derivatives ? size->n_shape * size->n_quad * psi * vector_bytes : 0;
    const ritz_fact facts[] = {{"bytes", (double)psi_bytes}, {"vector_bytes", (double)native_bytes}};
    const double registers = ritz_tuned(limits, RITZ_LANES_REGISTERS, facts, 2);
    return (cycle_model){.psi = psi,
                         .load = (int64_t)ritz_tuned(limits, RITZ_LANES_LOAD_CYCLES, facts, 2),
                         .chain = ritz_plan_tuned(limits, RITZ_LANES_CHAIN_CYCLES),
                         .registers = (int64_t)registers * native_bytes / ritz_max64(vector_bytes, native_bytes),
                         .most_of_side = (int32_t)ritz_plan_tuned(limits, RITZ_LANES_TILE_SIDE)};
}

/* Cycles for one tile and point on a processor that starts one multiply-add and one load a cycle: the most of the
   multiply-adds, the loads, and the chain of multiply-adds into one sum. The rows' weights are in the first cache. */
static int64_t count_tile_cycles(const ritz_case *c, const cycle_model *model, int64_t rows, int64_t columns)
{
    const int64_t n_sums = c->traits.n_sums, products = ritz_max64(c->traits.n_weights, n_sums);
    const int64_t loads = rows * c->traits.n_weights + columns * model->psi * model->load;
    return ritz_max64(ritz_max64(rows * columns * products, loads), model->chain * products / n_sums);
}

/* The tile of fewest cycles whose sums, with a factor a row and a column, fit into the registers; 0 rows or columns are
   free to choose. */
static void choose_tile(const ritz_case *c, const cycle_model *model, int64_t n_shape, int32_t *rows, int32_t *columns)
{
    const int32_t most = model->most_of_side;
    const int32_t first_row = *rows ? *rows : 1, last_row = *rows ? *rows : most;
    const int32_t first_column = *columns ? *columns : 1, last_column = *columns ? *columns : most;
    int64_t least = INT64_MAX;
    *rows = first_row;
    *columns = first_column;
    for (int32_t r = first_row; r <= last_row; r++)
        for (int32_t k = first_column; k <= last_column; k++) {
            const int64_t cycles = count_tile_cycles(c, model, r, k) * count_tiles(n_shape, c->traits.symmetric, r, k);
            if (r * k * c->traits.n_sums + r + k <= model->registers && cycles < least) {
                *rows = r;
                *columns = k;
                least = cycles;
            }
        }
}

/* Elements a work-item: as many as a register holds, or one. */
static ritz_status plan_lanes(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters,
                              ritz_plan *plan)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const int32_t native = c->precision == RITZ_F64 ? limits->vector_width_f64 : limits->vector_width_f32;
    const int32_t lanes = ritz_plan_lanes(c, limits, parameters[LANES]);
    const int32_t local = parameters[LOCAL] ? parameters[LOCAL] : (int32_t)ritz_plan_tuned(limits, RITZ_LANES_GROUP);
    int32_t rows = (int32_t)ritz_min64(parameters[ROWS], size.n_shape);
    int32_t columns = (int32_t)ritz_min64(parameters[COLUMNS], size.n_shape);
    const cycle_model model = make_model(c, &size, limits, lanes * size.real_bytes, native * size.real_bytes);
    choose_tile(c, &model, size.n_shape, &rows, &columns);
    const int64_t per_item = size.n_quad * (1 + rows * c->traits.n_weights + c->traits.n_varying) +
                             (c->traits.derivatives ? size.n_shape * size.n_quad * size.dim : 0);
    const int64_t worker_bytes = per_item * lanes * local * size.real_bytes;
    const int64_t workers = ritz_plan_fit_workers(
        limits, ritz_plan_workers(c, limits, parameters[WORKERS], RITZ_LANES_GROUPS_PER_UNIT), worker_bytes);
    *plan = (ritz_plan){.parameters = {lanes, local, (int32_t)workers, rows, columns},
                        .layout = ritz_layout_blocks(c, lanes * local, c->traits.symmetric),
                        .local_size = local,
                        .n_workers = workers,
                        .most_sharing = (size.n_shape + rows - 1) / rows,
                        .scratch_bytes = worker_bytes};
    ritz_plan_set_launch(c, limits, plan);
    return RITZ_OK;
}

static void add_defines(const ritz_case *c, const ritz_plan *plan, ritz_text *header)
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
static double count_operations(const ritz_case *c, const ritz_plan *plan, const ritz_form_counts *counts)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const int32_t rows = plan->parameters[ROWS], columns = plan->parameters[COLUMNS];
    const double n_quad = (double)size.n_quad, n_shape = (double)size.n_shape;
    const double weighed = (double)ritz_round_up(size.n_shape, rows);
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
    .serendipity = true,
    .kernel_path = "integrate/kernels/lanes.cl",
    .kernel_name = "integrate",
    .n_parameters = 5,
    .parameters = {[LANES] = {"lanes", "elements per work-item, in explicit vectors (1, 2, 4, 8, 16)", 1, 16, false},
                   [LOCAL] = {"local", "work-items per group", 1, 1024, false},
                   [WORKERS] = {"workers", "work-groups in flight", 1, 1 << 20, false},
                   [ROWS] = {"rows", "rows of blocks summed at once, in registers", 1, 8, false},
                   [COLUMNS] = {"columns", "columns of blocks summed at once, in registers", 1, 8, false}},
    .applies = lanes_apply,
    .plan = plan_lanes,
    .defines = add_defines,
    .operations = count_operations};
