/* Method "tiles": register tiles of several pairs (i, j) a work-item, half of a symmetric matrix computed
   (kernels/groups.cl with TILED). */
#include "integrate/groups.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS, COLUMNS, HALF, WORK_GROUP, POINTS, ELEMENTS, STRIP, WORKERS };
enum { EVERYTHING, UPPER, MIRRORED }; /* values of `half` */

static bool tiles_apply(const ritz_case *c, const ritz_device_info *limits)
{
    (void)c;
    (void)limits;
    return true;
}

/* The matrix cut into tiles of rows x columns pairs, strips of `strip` rows of tiles, and each strip, column after
   column of tiles, into parts of at most `tiles`: so a part is nearly a square box, and few shape functions are tabulated
   for many pairs. Of a half only tiles that touch the diagonal or stand above it are there. */
typedef struct tiling {
    int64_t n_shape, rows, columns, strip, tiles;
    bool half;
} tiling;

static int64_t tile_rows(const tiling *t)
{
    return (t->n_shape + t->rows - 1) / t->rows;
}

static int64_t tile_columns(const tiling *t)
{
    return (t->n_shape + t->columns - 1) / t->columns;
}

/* First column of tiles in row r. */
static int64_t first_tile(const tiling *t, int64_t r)
{
    return t->half ? r * t->rows / t->columns : 0;
}

/* Tiles of a strip that starts at row r. */
static int64_t strip_tiles(const tiling *t, int64_t r)
{
    int64_t n = 0;
    for (int64_t row = r; row < ritz_min64(r + t->strip, tile_rows(t)); row++)
        n += tile_columns(t) - first_tile(t, row);
    return n;
}

static int64_t count_tiles(const tiling *t)
{
    const tiling whole = {t->n_shape, t->rows, t->columns, tile_rows(t), t->tiles, t->half};
    return strip_tiles(&whole, 0);
}

static int64_t count_parts(const tiling *t)
{
    int64_t n = 0;
    for (int64_t r = 0; r < tile_rows(t); r += t->strip)
        n += (strip_tiles(t, r) + t->tiles - 1) / t->tiles;
    return n;
}

typedef struct tile {
    int64_t row, column;
} tile;

static int by_row(const void *a, const void *b)
{
    const tile *x = a, *y = b;
    return x->row != y->row ? (x->row > y->row) - (x->row < y->row) : (x->column > y->column) - (x->column < y->column);
}

/* Tiles number `from` to `from + n - 1` of the strip at row r, row after row, so that consecutive work-items store side
   by side; returns how many there are. */
static int64_t take_tiles(const tiling *t, int64_t r, int64_t from, tile *tiles)
{
    const int64_t end = ritz_min64(r + t->strip, tile_rows(t));
    int64_t number = 0, n = 0;
    for (int64_t column = first_tile(t, r); column < tile_columns(t) && n < t->tiles; column++)
        for (int64_t row = r; row < end && n < t->tiles; row++)
            if (column >= first_tile(t, row) && number++ >= from)
                tiles[n++] = (tile){row, column};
    qsort(tiles, (size_t)n, sizeof *tiles, by_row);
    return n;
}

/* What a part tabulates, in tiles. */
typedef struct box {
    int64_t row, column, rows, columns;
} box;

static box bounding_box(const tile *tiles, int64_t n)
{
    int64_t left = tiles[0].column, right = left;
    for (int64_t k = 1; k < n; k++) {
        left = ritz_min64(left, tiles[k].column);
        right = ritz_max64(right, tiles[k].column);
    }
    return (box){tiles[0].row, left, tiles[n - 1].row - tiles[0].row + 1, right - left + 1};
}

/* The largest box of all parts. */
static ritz_status largest_box(const tiling *t, box *largest)
{
    ritz_status status = RITZ_OK;
    tile *tiles = NULL;
    *largest = (box){0};
    RITZ_NEW(tiles, t->tiles);
    for (int64_t r = 0; r < tile_rows(t); r += t->strip)
        for (int64_t from = 0, n; (n = take_tiles(t, r, from, tiles)) > 0; from += n) {
            const box b = bounding_box(tiles, n);
            largest->rows = ritz_max64(largest->rows, b.rows);
            largest->columns = ritz_max64(largest->columns, b.columns);
        }
done:
    ritz_free(tiles);
    return status;
}

/* Pairs a work-item: the largest tile whose sums stay in registers and of which some six fit along a side. */
static void choose_tile(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters, tiling *t)
{
    static const int8_t sizes[][2] = {{8, 8}, {8, 4}, {4, 4}, {4, 2}, {2, 2}, {2, 1}, {1, 1}};
    const int64_t registers = c->traits.n_sums * ritz_real_bytes(c->precision) / 4,
                  most = ritz_plan_tuned(limits, RITZ_TILES_REGISTERS), side = ritz_max64(1, t->n_shape / 6);
    int k = 0;
    while (sizes[k][0] * sizes[k][1] > 1 && (sizes[k][0] * sizes[k][1] * registers > most || sizes[k][0] > side))
        k++;
    t->rows = parameters[ROWS] ? parameters[ROWS] : sizes[k][0];
    t->columns = parameters[COLUMNS] ? parameters[COLUMNS] : sizes[k][1];
    while (t->rows & (t->rows - 1)) /* OpenCL's vectors: 1 2 4 8 */
        t->rows--;
    while (t->columns & (t->columns - 1))
        t->columns--;
}

/* Work-items per group and elements at once: all tiles of an element where a group holds them, and of several elements
   where that leaves fewer work-items idle. */
static void choose_group(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters, tiling *t,
                         int64_t *group, int64_t *elements)
{
    const int64_t most = parameters[WORK_GROUP]
                             ? parameters[WORK_GROUP]
                             : ritz_min64(limits->work_group_size, ritz_plan_tuned(limits, RITZ_TILES_GROUP));
    const int64_t multiple = ritz_max64(1, limits->group_multiple), n = count_tiles(t);
    const int64_t point =
        (c->traits.n_weights + ritz_groups_n_derivatives(c)) * t->n_shape * ritz_real_bytes(c->precision);
    const int64_t points = ritz_plan_tuned(limits, RITZ_TILES_LEAST_POINTS);
    const int64_t held = ritz_max64(1, ritz_plan_tuned(limits, RITZ_TILES_LOCAL_BYTES) / (points * point));
    const int64_t most_elements = ritz_min64(held, ritz_plan_tuned(limits, RITZ_TILES_ELEMENTS));
    double best = 0;
    *elements = ritz_max64(1, parameters[ELEMENTS]);
    for (int64_t s = 1; !parameters[ELEMENTS] && s * n <= most && s <= most_elements; s++) {
        const double busy = (double)(s * n) / (double)ritz_round_up(s * n, multiple);
        if (busy > 1.05 * best) {
            best = busy;
            *elements = s;
        }
    }
    t->tiles = ritz_max64(1, ritz_min64(n, most / *elements));
    *group = parameters[WORK_GROUP] ? most : ritz_min64(most, ritz_round_up(*elements * t->tiles, multiple));
}

/* Operations that a part takes for a point, tabulation shared by its work-items: the measure for strips. */
static double part_cost(const ritz_case *c, const tiling *t)
{
    const double in_space = 16 + 4 * c->traits.n_weights, tiles = (double)t->tiles;
    const double columns = fmin((double)tile_columns(t), tiles / (double)t->strip + 1);
    const double tabulated = (double)(t->rows * t->strip) + (double)t->columns * columns;
    return (double)(t->rows * t->columns * c->traits.n_sums) + tabulated * in_space / tiles;
}

static void choose_strip(const ritz_case *c, const int32_t *parameters, tiling *t)
{
    const int64_t n = tile_rows(t);
    int64_t best = n;
    double least = INFINITY;
    for (int64_t strips = 1; strips <= n; strips++) {
        t->strip = (n + strips - 1) / strips;
        const double cost = (double)count_parts(t) * part_cost(c, t);
        if (cost < least) {
            least = cost;
            best = t->strip;
        }
    }
    t->strip = parameters[STRIP] ? ritz_min64(parameters[STRIP], n) : best;
}

/* Bytes of local memory for one point of one element: weights of rows, psi of columns. */
static int64_t point_bytes(const ritz_case *c, const tiling *t, const box *b)
{
    return (c->traits.n_weights * b->rows * t->rows + ritz_groups_n_derivatives(c) * b->columns * t->columns) *
           ritz_real_bytes(c->precision);
}

/* Points at once, of at most `most`: the number that computes the fewest past the last, the largest of those. */
static int64_t balance_points(int64_t n_quad, int64_t most)
{
    int64_t best = most;
    for (int64_t points = most; points > most / 2; points--)
        if (ritz_round_up(n_quad, points) < ritz_round_up(n_quad, best))
            best = points;
    return best;
}

/* Points at once: as many as local memory's share holds, so that there are few barriers. */
static ritz_status choose_points(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters,
                                 const tiling *t, const box *b, int64_t elements, int64_t *points, int64_t *bytes)
{
    ritz_status status = RITZ_OK;
    const int64_t n_quad = ritz_case_get_sizes(c).n_quad;
    const int64_t point = ritz_max64(1, elements * point_bytes(c, t, b));
    const int64_t room = ritz_min64(ritz_plan_tuned(limits, RITZ_TILES_LOCAL_BYTES), limits->local_memory);
    const int64_t most = ritz_max64(1, ritz_min64(n_quad, room / point));
    *points = parameters[POINTS] ? ritz_min64(parameters[POINTS], n_quad) : balance_points(n_quad, most);
    *bytes = *points * point;
    RITZ_REQUIRE(
        *bytes <= limits->local_memory, RITZ_ERROR_INPUT,
        "tiles needs %lld bytes of local memory for order %d on %s cells, the device has %lld: take fewer points, "
        "elements or rows a strip, or the method lanes",
        (long long)*bytes, c->order, ritz_cell_name(c->cell), (long long)limits->local_memory);
done:
    return status;
}

static ritz_status plan_tiles(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters,
                              ritz_plan *plan)
{
    ritz_status status = RITZ_OK;
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const int half = parameters[HALF] != RITZ_PLAN_CHOOSES ? parameters[HALF]
                     : c->traits.symmetric                 ? UPPER
                                                           : EVERYTHING;
    tiling t = {.n_shape = size.n_shape, .half = half != EVERYTHING};
    box b;
    int64_t group, elements, points, local_bytes;
    RITZ_REQUIRE(half == EVERYTHING || c->traits.symmetric, RITZ_ERROR_INPUT,
                 "half=%d needs a symmetric form, and this one is not: leave half out", half);
    RITZ_REQUIRE(parameters[WORK_GROUP] <= limits->work_group_size, RITZ_ERROR_INPUT,
                 "work_group=%d: the device takes work-groups of at most %lld", parameters[WORK_GROUP],
                 (long long)limits->work_group_size);
    choose_tile(c, limits, parameters, &t);
    choose_group(c, limits, parameters, &t, &group, &elements);
    RITZ_REQUIRE(elements * t.tiles <= group, RITZ_ERROR_INPUT,
                 "elements=%lld: a work-group of %lld has no work-item for each; take fewer", (long long)elements,
                 (long long)group);
    choose_strip(c, parameters, &t);
    RITZ_TRY(largest_box(&t, &b));
    RITZ_TRY(choose_points(c, limits, parameters, &t, &b, elements, &points, &local_bytes));
    const int64_t workers = ritz_plan_workers(c, limits, parameters[WORKERS], RITZ_TILES_GROUPS_PER_UNIT);
    *plan = (ritz_plan){.parameters = {(int32_t)t.rows, (int32_t)t.columns, half, (int32_t)group, (int32_t)points,
                                       (int32_t)elements, (int32_t)t.strip, (int32_t)workers},
                        .layout = ritz_layout_planes(c, 1, half == UPPER, (int32_t)size.n_shape),
                        .local_size = group,
                        .n_workers = workers,
                        .most_sharing = count_parts(&t),
                        .scratch_bytes = elements * size.n_quad * ritz_groups_record(c) * size.real_bytes,
                        .local_bytes = local_bytes};
    ritz_groups_set_launch(c, limits, plan);
    ritz_plan_add_figure(plan, "parts", (double)count_parts(&t));
    ritz_plan_add_figure(plan, "tiles", (double)count_tiles(&t));
    ritz_plan_add_figure(plan, "box_rows", (double)(b.rows * t.rows));
    ritz_plan_add_figure(plan, "box_columns", (double)(b.columns * t.columns));
done:
    return status;
}

/* The figures of a plan by their place in plan_tiles. */
enum { PARTS_FIGURE, TILES_FIGURE, BOX_ROWS_FIGURE, BOX_COLUMNS_FIGURE };

static int64_t planned_figure(const ritz_plan *plan, int k)
{
    return (int64_t)plan->figures[k].value;
}

static tiling planned_tiling(int64_t n_shape, const ritz_plan *plan)
{
    const int32_t *p = plan->parameters;
    return (tiling){.n_shape = n_shape,
                    .rows = p[ROWS],
                    .columns = p[COLUMNS],
                    .strip = p[STRIP],
                    .tiles = ritz_min64(planned_figure(plan, TILES_FIGURE), p[WORK_GROUP] / p[ELEMENTS]),
                    .half = p[HALF] != EVERYTHING};
}

/* "to" gets n reals from aligned local memory, as one vector where there are several. */
static void define_load(const char *name, int32_t n, ritz_text *header)
{
    if (n == 1)
        ritz_text_add(header, "#define %s(to, at) (to)[0] = *(at)\n", name);
    else
        ritz_text_add(header, "#define %s(to, at) vstore%d(*(__local const real%d *)(at), 0, to)\n", name, n, n);
}

static void add_defines(const ritz_case *c, const ritz_plan *plan, ritz_text *header)
{
    const int32_t *p = plan->parameters;
    const tiling t = planned_tiling(ritz_case_get_sizes(c).n_shape, plan);
    ritz_groups_define(c, plan, p[POINTS], planned_figure(plan, PARTS_FIGURE), header);
    ritz_text_add(header,
                  "#define TILED 1\n#define TILE_ROWS %d\n#define TILE_COLUMNS %d\n#define SLOTS %d\n#define TILES %d\n"
                  "#define BOX_ROWS %d\n#define BOX_COLUMNS %d\n#define MIRROR %d\n",
                  p[ROWS], p[COLUMNS], p[ELEMENTS], (int)t.tiles, (int)planned_figure(plan, BOX_ROWS_FIGURE),
                  (int)planned_figure(plan, BOX_COLUMNS_FIGURE), p[HALF] == MIRRORED);
    define_load("LOAD_TILE_ROWS", p[ROWS], header);
    define_load("LOAD_TILE_COLUMNS", p[COLUMNS], header);
}

/* Where each work-item of each part finds its tile (groups.cl says how they stand). */
static ritz_status make_tables(const ritz_integral *integral, const ritz_plan *plan, double **values, int64_t *n)
{
    ritz_status status = RITZ_OK;
    const tiling t = planned_tiling(integral->batch->n_shape, plan);
    const int64_t parts = count_parts(&t);
    double *table = NULL;
    tile *tiles = NULL;
    RITZ_NEW(table, 2 * parts * (1 + t.tiles));
    RITZ_NEW(tiles, t.tiles);
    int64_t part = 0;
    for (int64_t r = 0; r < tile_rows(&t); r += t.strip)
        for (int64_t from = 0, taken; (taken = take_tiles(&t, r, from, tiles)) > 0; from += taken, part++) {
            const box b = bounding_box(tiles, taken);
            double *rows = table + 2 * parts + 2 * part * t.tiles, *columns = rows + t.tiles;
            table[2 * part] = (double)(b.row * t.rows);
            table[2 * part + 1] = (double)(b.column * t.columns);
            for (int64_t k = 0; k < t.tiles; k++) {
                rows[k] = k < taken ? (double)((tiles[k].row - b.row) * t.rows) : -1;
                columns[k] = k < taken ? (double)((tiles[k].column - b.column) * t.columns) : 0;
            }
        }
    *n = 2 * parts * (1 + t.tiles);
    *values = table;
    table = NULL;
done:
    ritz_free(table);
    ritz_free(tiles);
    return status;
}

/* The loops of kernels/groups.cl: tiles whole, points past the last one and shape functions of several boxes included.
   */
static double count_operations(const ritz_case *c, const ritz_plan *plan, const ritz_form_counts *counts)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const int32_t *p = plan->parameters;
    const double parts = plan->figures[PARTS_FIGURE].value, tiles = plan->figures[TILES_FIGURE].value,
                 rows = plan->figures[BOX_ROWS_FIGURE].value, columns = plan->figures[BOX_COLUMNS_FIGURE].value;
    const double n_quad = (double)size.n_quad, done = ceil(n_quad / p[POINTS]) * p[POINTS];
    const double in_space = c->traits.derivatives ? size.dim * (2 * size.dim - 1) : 0, pairs = p[ROWS] * p[COLUMNS];
    double n = (double)plan->local_size / p[ELEMENTS] * counts->constants;
    n += n_quad * (ritz_count_map(c) + 1 + ritz_count_point_coefficients(c, counts));
    if (c->traits.load)
        n += (double)size.n_shape * n_quad * (in_space + counts->load);
    n += parts * done * ((rows + columns) * in_space + rows * counts->weight);
    return n + tiles * pairs * (done * counts->accumulate + counts->finish);
}

const ritz_method ritz_method_tiles = {
    .name = "tiles",
    .source = "this project",
    .summary =
        "one element per work-group, tiles of several pairs per work-item in registers, half of symmetric matrices",
    .kernel_path = "integrate/kernels/groups.cl",
    .kernel_name = "integrate",
    .n_parameters = 8,
    .parameters = {[ROWS] = {"rows", "rows of a work-item's tile (1, 2, 4, 8)", 1, 8, false},
                   [COLUMNS] = {"columns", "columns of a work-item's tile (1, 2, 4, 8)", 1, 8, false},
                   [HALF] = {"half", "0: all blocks computed; 1: the upper ones, and kept; 2: the upper ones, mirrored",
                             0, 2, false},
                   [WORK_GROUP] = {"work_group", "work-items per group", 1, 1024, false},
                   [POINTS] = {"points", "quadrature points tabulated at once", 1, 1024, false},
                   [ELEMENTS] = {"elements", "elements that a group computes at once", 1, 64, false},
                   [STRIP] = {"strip", "rows of tiles that the parts of the matrix are cut from", 1, 512, false},
                   [WORKERS] = {"workers", "work-groups in flight", 1, 1 << 20, false}},
    .applies = tiles_apply,
    .plan = plan_tiles,
    .defines = add_defines,
    .tables = make_tables,
    .operations = count_operations};
