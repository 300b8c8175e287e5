/* Method "factor": sum factorisation on cells that are a base times lines (kernels/factor.cl). */
#include "cell/cell.h"
#include "integrate/methods.h"

enum { LANES, WORK_GROUP, BASES, COLUMNS, TILE_ROWS, TILE_COLUMNS, HALF, WORKERS, MATRIX_UNIT, LINE_POINTS };

enum { WARP = 32, UNIT_ROWS = 16 }; /* of the matrix unit */

/* Sizes of the kernel's loops, named as there. */
typedef struct sizes {
    int32_t n_lines, n_line, n_line_points, base_dim, n_base, n_base_points, n_quad;
    int32_t cell_t, cell_u, t_base, u_base, n_t, n_u, terms_a, terms_b, n_sums, n_weights, loads, load_terms;
    int32_t dim, row_length; /* of X: of a group's, padded (kernels/factor.cl) */
    bool stored_factors;
} sizes;

/* Numbers at a point that C is made from. */
static int32_t count_factors(const sizes *s, const ritz_form_traits *traits)
{
    return s->cell_t * s->n_weights + traits->trial_derivatives * s->dim * s->dim;
}

static sizes get_sizes(const ritz_case *c, int32_t work_group)
{
    const ritz_form_traits *t = &c->traits;
    const bool prism = c->cell == RITZ_PRISM, outer = c->cell == RITZ_HEX;
    const int degree = ritz_quadrature_degree(c->degree, c->order);
    sizes s = {.n_lines = 1 + outer,
               .n_line = c->order + 1,
               .n_line_points = degree / 2 + 1,
               .base_dim = 1 + prism,
               .n_sums = t->n_sums,
               .n_weights = t->n_weights};
    const int dim = s.dim = s.base_dim + s.n_lines;
    s.n_base = prism ? ritz_cell_n_shape(RITZ_TRI, c->order) : s.n_line;
    s.n_base_points = prism ? ritz_quadrature_n_points(RITZ_TRI, degree) : s.n_line_points;
    s.n_quad = ritz_quadrature_n_points(c->cell, degree);
    s.cell_t = t->matrix_test_value + t->matrix_test_derivatives * dim;
    s.cell_u = t->trial_value + t->trial_derivatives * dim;
    s.stored_factors = s.n_sums * s.cell_t * s.cell_u > count_factors(&s, t);
    s.t_base = (outer || t->matrix_test_value) + t->matrix_test_derivatives * s.base_dim;
    s.u_base = (outer || t->trial_value) + t->trial_derivatives * s.base_dim;
    s.terms_a = 1 + t->matrix_test_derivatives;
    s.terms_b = 1 + t->trial_derivatives;
    s.n_t = s.t_base + t->matrix_test_derivatives;
    s.n_u = s.u_base + t->trial_derivatives;
    s.row_length = s.n_u * s.n_base_points;
    if (work_group > 1)
        s.row_length = (s.row_length + 3) / 8 * 8 + 4;
    s.loads = t->load ? 1 + t->load_derivatives * dim : 0;
    s.load_terms = 1 + t->load_derivatives * s.base_dim;
    return s;
}

static bool factor_applies(const ritz_case *c, const ritz_device_info *limits)
{
    (void)limits;
    return ritz_cell_has_factors(c->cell);
}

/* Rows of step 4 for one base function and line point. */
static int32_t point_rows(const sizes *s)
{
    return s->terms_a * s->n_sums;
}

/* Numbers in local memory. */
static int64_t count_local_numbers(const ritz_case *c, const sizes *s, int64_t bases, int64_t columns, int64_t points)
{
    const int64_t x = points * point_rows(s) * s->row_length;
    const int64_t h = (int64_t)s->n_line_points * point_rows(s) * s->terms_b * columns;
    const int64_t load = s->loads ? (int64_t)s->n_line * s->load_terms * c->n_components * s->n_base_points : 1;
    return ritz_max64(bases * (x + h), load);
}

/* Numbers in a group's scratch. */
static int64_t count_scratch(const ritz_case *c, const sizes *s)
{
    const int64_t plane = (int64_t)s->n_line_points * s->n_base_points, products = s->n_sums * s->cell_t * s->cell_u;
    return s->n_quad * ((s->stored_factors ? count_factors(s, &c->traits) : products) + s->loads * c->n_components) +
           (s->n_lines == 2 ? plane * s->n_sums * s->n_t * s->n_u : 0);
}

/* Line points at once, where they are not given: as many as keep X within `most` bytes and make whole tiles of the rows
   that are given. */
static ritz_status choose_points(const ritz_case *c, const sizes *s, int64_t most, int32_t *p)
{
    const int64_t x = ritz_real_bytes(c->precision) * p[LANES] * point_rows(s) * s->row_length;
    const int32_t given = p[LINE_POINTS], tile_rows = p[TILE_ROWS];
    bool found = false;
    for (int32_t d = s->n_line_points; d >= 1; d--) {
        if (s->n_line_points % d || (tile_rows && d * point_rows(s) % tile_rows) || (given && d != given))
            continue;
        p[LINE_POINTS] = d;
        found = true;
        if (d * x <= most)
            break;
    }
    if (!found)
        return ritz_fail(RITZ_ERROR_INPUT,
                         "line_points has to divide the %d points of a line, and tile_rows the rows that a base "
                         "function has for them, %d each",
                         (int)s->n_line_points, (int)point_rows(s));
    return RITZ_OK;
}

/* The tile with the fewest operations on padding and loads a multiply-add, among those not given. Its rows divide the
   `rows` of one base function. */
static void choose_tile(const sizes *s, int32_t rows, int32_t most, int32_t side, int32_t *tile_rows,
                        int32_t *tile_columns)
{
    const int32_t given_rows = *tile_rows, given_columns = *tile_columns;
    double least = 0;
    for (int32_t r = 1; r <= ritz_max64(given_rows, side); r++)
        for (int32_t k = 1; k <= ritz_max64(given_columns, side); k++) {
            const bool allowed =
                (given_rows ? r == given_rows : rows % r == 0) && (given_columns ? k == given_columns : k <= s->n_base);
            if (!allowed || (r * k > most && r > 1 && k > 1 && !(given_rows && given_columns)))
                continue;
            const double cost = (double)ritz_round_up(s->n_base, k) / s->n_base * (1 + 1.0 / r + 1.0 / k);
            if (least == 0 || cost < least) {
                least = cost;
                *tile_rows = r;
                *tile_columns = k;
            }
        }
}

/* Base functions at once, so that every work-item has a tile; columns at once, so that the sums fit. */
static ritz_status choose_block(const ritz_case *c, const sizes *s, int32_t points, int64_t most, int64_t wanted,
                                int32_t *p)
{
    const int64_t real = ritz_real_bytes(c->precision) * p[LANES], whole = ritz_round_up(s->n_base, p[TILE_COLUMNS]);
    const bool choose_columns = !p[COLUMNS];
    const int64_t rows = points * point_rows(s), tiles = rows / p[TILE_ROWS] * (whole / p[TILE_COLUMNS]);
    const int64_t busy = p[MATRIX_UNIT] == 1 ? p[WORK_GROUP] / (WARP * s->terms_b) * UNIT_ROWS / rows
                                             : p[WORK_GROUP] / tiles; /* that give every warp or work-item a tile */
    p[COLUMNS] = (int32_t)(choose_columns ? whole : ritz_min64(ritz_round_up(p[COLUMNS], p[TILE_COLUMNS]), whole));
    if (!p[BASES]) {
        p[BASES] = (int32_t)ritz_max64(1, ritz_min64(busy, s->n_base));
        while (p[BASES] > 1 && count_local_numbers(c, s, p[BASES], p[COLUMNS], points) * real > wanted)
            p[BASES]--;
    }
    p[BASES] = (int32_t)ritz_min64(p[BASES], s->n_base);
    while (choose_columns && p[COLUMNS] > p[TILE_COLUMNS] &&
           count_local_numbers(c, s, p[BASES], p[COLUMNS], points) * real > most)
        p[COLUMNS] -= p[TILE_COLUMNS];
    const int64_t bytes = count_local_numbers(c, s, p[BASES], p[COLUMNS], points) * real;
    if (bytes > most)
        return ritz_fail(RITZ_ERROR_INPUT,
                         "method factor needs %lld bytes of local memory for %d base functions and %d columns at once, "
                         "but %lld are available: take fewer bases or columns",
                         (long long)bytes, (int)p[BASES], (int)p[COLUMNS], (long long)most);
    return RITZ_OK;
}

/* A constant of this method; its rows know the case, the bytes of a vector register, and of the parameters the work-items of
   a group and the elements side by side, 0 while they are open. */
static int64_t tuned_value(const ritz_case *c, const ritz_device_info *limits, const int32_t *p, ritz_constant constant)
{
    enum { OWN_FACTS = 3 };
    ritz_fact facts[OWN_FACTS + RITZ_CASE_FACTS] = {
        {"group", p[WORK_GROUP]}, {"lanes", p[LANES]}, {"vector_bytes", 8.0 * limits->vector_width_f64}};
    ritz_case_facts(c, facts + OWN_FACTS);
    return (int64_t)ritz_tuned(limits, constant, facts, OWN_FACTS + RITZ_CASE_FACTS);
}

/* Work-items, elements per work-item, the matrix unit and the half that is kept, where they are not given. */
static ritz_status choose_kind(const ritz_case *c, const ritz_device_info *limits, int32_t *p)
{
    ritz_status status = RITZ_OK;
    p[LANES] = ritz_plan_lanes(c, limits, p[LANES] ? p[LANES] : (int32_t)tuned_value(c, limits, p, RITZ_FACTOR_LANES));
    if (!p[WORK_GROUP])
        p[WORK_GROUP] = (int32_t)ritz_min64(tuned_value(c, limits, p, RITZ_FACTOR_GROUP), limits->work_group_size);
    const bool has_unit =
        limits->has_f64_matrix_unit && c->precision == RITZ_F64 && p[LANES] == 1 && p[WORK_GROUP] % WARP == 0;
    RITZ_REQUIRE(
        p[MATRIX_UNIT] != 1 || has_unit, RITZ_ERROR_INPUT,
        "matrix_unit=1 needs a device with an f64 matrix unit, precision f64, lanes=1 and a work_group that is "
        "a multiple of 32");
    if (p[MATRIX_UNIT] == RITZ_PLAN_CHOOSES)
        p[MATRIX_UNIT] = has_unit;
    if (p[HALF] == RITZ_PLAN_CHOOSES || !c->traits.symmetric)
        p[HALF] = c->traits.symmetric;
    if (!p[WORKERS])
        p[WORKERS] = (int32_t)(limits->compute_units * tuned_value(c, limits, p, RITZ_FACTOR_GROUPS_PER_UNIT));
done:
    return status;
}

/* Points, tile and block, where they are not given, as local memory and registers allow. */
static ritz_status choose_sizes(const ritz_case *c, const ritz_device_info *limits, const sizes *s, int32_t *p)
{
    ritz_status status = RITZ_OK;
    const int32_t group = p[WORK_GROUP];
    const int64_t local = ritz_plan_local_memory(limits), x_bytes = tuned_value(c, limits, p, RITZ_FACTOR_X),
                  room = tuned_value(c, limits, p, RITZ_FACTOR_ROOM);
    const int64_t x_most = ritz_max64(x_bytes, local * tuned_value(c, limits, p, RITZ_FACTOR_X_SHARE) / 100),
                  wanted = ritz_max64(room, local * tuned_value(c, limits, p, RITZ_FACTOR_ROOM_SHARE) / 100);
    RITZ_TRY(choose_points(c, s, x_most, p));
    choose_tile(s, p[LINE_POINTS] * point_rows(s), (int32_t)tuned_value(c, limits, p, RITZ_FACTOR_TILE),
                (int32_t)tuned_value(c, limits, p, RITZ_FACTOR_TILE_SIDE), &p[TILE_ROWS], &p[TILE_COLUMNS]);
    RITZ_TRY(choose_block(c, s, p[LINE_POINTS], group == 1 ? ritz_min64(local, room) : local, wanted, p));
done:
    return status;
}

/* Line functions at once in the last step: sums of all of them in a work-item's registers. */
static int32_t choose_line_tile(const ritz_case *c, const ritz_device_info *limits, const sizes *s, const int32_t *p)
{
    if (p[WORK_GROUP] == 1)
        return s->n_line;
    const int32_t sums = (int32_t)tuned_value(c, limits, p, RITZ_FACTOR_LINE_SUMS);
    const int32_t passes = (s->n_line * s->n_sums + sums - 1) / sums;
    return (s->n_line + passes - 1) / passes;
}

static ritz_status plan_factor(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters,
                               ritz_plan *plan)
{
    ritz_status status = RITZ_OK;
    int32_t p[RITZ_MAX_PARAMETERS];
    for (int k = 0; k < RITZ_MAX_PARAMETERS; k++)
        p[k] = parameters[k];
    RITZ_TRY(choose_kind(c, limits, p));
    const sizes s = get_sizes(c, p[WORK_GROUP]);
    RITZ_TRY(choose_sizes(c, limits, &s, p));
    const int64_t real = ritz_real_bytes(c->precision) * p[LANES], blocks = (s.n_base + p[BASES] - 1) / p[BASES];
    const int64_t outer_pairs = s.n_lines == 1 ? 1 : s.n_line * (c->traits.symmetric ? s.n_line + 1 : 2 * s.n_line) / 2;
    *plan = (ritz_plan){
        .layout = p[WORK_GROUP] > 1 ? ritz_layout_planes(c, p[LANES], p[HALF], ritz_cell_n_shape(c->cell, c->order))
                                    : ritz_layout_blocks(c, p[LANES], p[HALF]),
        .local_size = p[WORK_GROUP],
        .n_workers = p[WORKERS],
        .most_sharing = blocks * outer_pairs,
        .sharing_workers = limits->compute_units * tuned_value(c, limits, p, RITZ_FACTOR_SHARING_PER_UNIT),
        .scratch_bytes = count_scratch(c, &s) * real,
        .local_bytes = count_local_numbers(c, &s, p[BASES], p[COLUMNS], p[LINE_POINTS]) * real,
        .own_size = choose_line_tile(c, limits, &s, p)};
    for (int k = 0; k < RITZ_MAX_PARAMETERS; k++)
        plan->parameters[k] = p[k];
    ritz_plan_add_figure(plan, "base_functions", s.n_base);
    ritz_plan_add_figure(plan, "line_functions", s.n_line);
    ritz_plan_set_launch(c, limits, plan);
done:
    return status;
}

static void add_line_table(const ritz_factors *f, int32_t row, ritz_text *header)
{
    ritz_text_add(header, "#define LINE_TABLE");
    for (int k = 0; k < 2 * f->n_line_points; k++)
        for (int l = 0; l < row; l++)
            ritz_text_add(header, "%s (real)%.17g", k + l ? "," : "", l < f->n_line ? f->line[k * f->n_line + l] : 0.0);
    ritz_text_add(header, "\n");
}

static void add_defines(const ritz_case *c, const ritz_plan *plan, ritz_text *header)
{
    const sizes s = get_sizes(c, plan->parameters[WORK_GROUP]);
    const int32_t *p = plan->parameters, tile = plan->own_size, points = p[LINE_POINTS];
    ritz_factors *factors = NULL;
    ritz_text_add(header, "#define LANES %d\n#define LOCAL %d\n#define NODE_STRIDE 1\n", p[LANES], p[WORK_GROUP]);
    if (p[LANES] > 1)
        ritz_text_add(header, "typedef real%d realv;\n", p[LANES]);
    else
        ritz_text_add(header, "typedef real realv;\n");
    ritz_text_add(
        header,
        "#define N_LINES %d\n#define N_LINE %d\n#define N_LINE_POINTS %d\n#define BASE_DIM %d\n#define N_BASE %d\n"
        "#define N_BASE_POINTS %d\n",
        s.n_lines, s.n_line, s.n_line_points, s.base_dim, s.n_base, s.n_base_points);
    ritz_text_add(header,
                  "#define BASES %d\n#define COLUMNS %d\n#define TILE_ROWS %d\n#define TILE_COLUMNS %d\n"
                  "#define POINTS %d\n#define LINE_TILE %d\n#define MATRIX_UNIT %d\n#define ROOM %lld\n",
                  p[BASES], p[COLUMNS], p[TILE_ROWS], p[TILE_COLUMNS], points, tile, p[MATRIX_UNIT] == 1,
                  (long long)count_local_numbers(c, &s, p[BASES], p[COLUMNS], points));
    if (header->status == RITZ_OK)
        header->status = ritz_factors_create(c->cell, c->order, ritz_quadrature_degree(c->degree, c->order), &factors);
    if (factors)
        add_line_table(factors, (int32_t)ritz_round_up(s.n_line, tile), header);
    ritz_factors_destroy(&factors);
}

/* The base by points and by functions, the line by functions, the numbers of shape functions: as factor.cl has them. */
static ritz_status make_tables(const ritz_integral *integral, const ritz_plan *plan, double **values, int64_t *n)
{
    ritz_status status = RITZ_OK;
    ritz_factors *f = NULL;
    RITZ_TRY(ritz_factors_create(integral->batch->cell, integral->space->order, ritz_integral_degree(integral), &f));
    const int nb = f->n_base, nr = f->n_base_points, nd = 1 + f->base_dim;
    const int nf = f->n_line, ns = f->n_line_points;
    const int64_t row = ritz_round_up(nb, plan->parameters[TILE_COLUMNS]), n_shape = integral->batch->n_shape;
    *n = (row + nb) * nd * nr + 2 * nf * ns + n_shape;
    RITZ_NEW(*values, *n);
    double *by_point = *values, *by_function = by_point + nd * nr * row, *line = by_function + nb * nd * nr;
    for (int b = 0; b < nb; b++)
        for (int D = 0; D < nd; D++)
            for (int r = 0; r < nr; r++)
                by_point[(D * nr + r) * row + b] = by_function[(b * nd + D) * nr + r] = f->base[(r * nd + D) * nb + b];
    for (int D = 0; D < 2; D++)
        for (int k = 0; k < nf; k++)
            for (int s = 0; s < ns; s++)
                line[(D * nf + k) * ns + s] = f->line[(s * 2 + D) * nf + k];
    for (int i = 0; i < n_shape; i++)
        line[2 * nf * ns + i] = f->shape[i];
done:
    ritz_factors_destroy(&f);
    return status;
}

/* Columns that step 4 takes, over all blocks of base functions; from the block's own tile on where `diagonal`. Adds the
   rounds of step 3 to *rounds, and the pairs of base functions of step 5 to *pairs. */
static double count_columns(const sizes *s, const int32_t *p, bool diagonal, double *rounds, double *pairs)
{
    double columns = 0;
    for (int32_t first = 0; first < s->n_base; first += p[BASES]) {
        const int32_t n = (int32_t)ritz_min64(p[BASES], s->n_base - first);
        const int32_t start = diagonal ? first / p[TILE_COLUMNS] * p[TILE_COLUMNS] : 0;
        columns += n * (double)ritz_round_up(s->n_base - start, p[TILE_COLUMNS]);
        const int32_t n_rounds = (s->n_base - start + p[COLUMNS] - 1) / p[COLUMNS];
        *rounds += n * (double)n_rounds;
        for (int32_t b = first; b < first + n; b++)
            *pairs += diagonal ? s->n_base - b : s->n_base;
    }
    return columns;
}

/* Step 3 at one point for one function b. */
static double count_test_base(const sizes *s, const ritz_form_counts *counts)
{
    if (s->stored_factors && s->n_lines == 1)
        return 2.0 * s->n_t * s->n_weights + s->terms_a * s->n_u * counts->accumulate;
    return s->n_sums * s->n_u * (2.0 * s->t_base + s->terms_a - 1);
}

/* Steps 3 to 5 for one pair of functions of the second line. */
static double count_plane(const sizes *s, const ritz_plan *plan, const ritz_form_counts *counts, bool diagonal)
{
    double rounds = 0, pairs = 0;
    const double columns = count_columns(s, plan->parameters, diagonal, &rounds, &pairs);
    const double plane = (double)s->n_line_points * s->n_base_points;
    const int32_t tile = plan->own_size, tiles = (s->n_line + tile - 1) / tile;
    double blocks = pairs * s->n_line * s->n_line, line_tiles = pairs * s->n_line * tiles;
    for (int32_t k = 0; diagonal && k < s->n_line; k++) { /* what lies below the diagonal of (b, b) */
        blocks -= s->n_base * k;
        const int32_t whole_tiles = k / tile;
        line_tiles -= (double)s->n_base * whole_tiles;
    }
    double n = rounds * plane * count_test_base(s, counts);
    n += columns * point_rows(s) * plane * 2 * s->n_u;
    n += line_tiles * s->n_sums * s->n_line_points * s->terms_b * 2 * (s->terms_a + tile);
    return n + blocks * counts->finish;
}

/* Step 2 for one pair of functions of the second line. */
static double count_outer(const sizes *s, const ritz_form_counts *counts)
{
    if (!s->stored_factors)
        return (double)s->n_quad * s->n_sums * s->cell_t * s->cell_u * 3;
    const double row = (s->cell_u > 1 ? s->dim * s->dim : 0) + s->cell_u * counts->accumulate;
    return s->n_quad * (2.0 * s->cell_t * s->n_weights + s->n_t * row);
}

/* The load: over the lines, then over the base. */
static double count_load(const sizes *s, int n_components)
{
    const double line_sums = s->n_quad * (3.0 * s->load_terms + (s->loads > 1 ? 3.0 * s->n_lines : 0));
    const double base_sums = 2.0 * s->n_base * s->load_terms * s->n_base_points;
    return (s->n_lines == 2 ? s->n_line : 1) * n_components * s->n_line * (line_sums + base_sums);
}

/* kernels/factor.cl, step by step. */
static double count_operations(const ritz_case *c, const ritz_plan *plan, const ritz_form_counts *counts)
{
    const sizes s = get_sizes(c, plan->parameters[WORK_GROUP]);
    const double ns = s.n_line, products = s.stored_factors ? 0 : s.cell_t * s.cell_u * counts->accumulate;
    double n = counts->constants * plan->parameters[WORK_GROUP] + (s.loads ? count_load(&s, c->n_components) : 0);
    n += s.n_quad * (ritz_count_map(c) + 1 + ritz_count_point_coefficients(c, counts));
    n += s.n_quad * (s.cell_t * counts->weight + products + s.loads * counts->load);
    if (s.n_lines == 1)
        return n + count_plane(&s, plan, counts, c->traits.symmetric);
    const double equal = c->traits.symmetric ? ns : 0, others = c->traits.symmetric ? ns * (ns - 1) / 2 : ns * ns;
    n += (equal + others) * count_outer(&s, counts);
    return n + equal * count_plane(&s, plan, counts, true) + others * count_plane(&s, plan, counts, false);
}

const ritz_method ritz_method_factor = {
    .name = "factor",
    .source = "this project",
    .summary = "sum factorisation on cells that are a base times lines, pairs of base functions first",
    .kernel_path = "integrate/kernels/factor.cl",
    .kernel_before = "integrate/kernels/factor_points.cl",
    .kernel_name = "integrate",
    .n_parameters = 10,
    .parameters = {[LANES] = {"lanes", "elements per work-item, in explicit vectors (1, 2, 4, 8, 16)", 1, 16, false},
                   [WORK_GROUP] = {"work_group", "work-items per group", 1, 256, false},
                   [BASES] = {"bases", "test functions of the base at once", 1, 36, false},
                   [COLUMNS] = {"columns", "trial functions of the base at once, in whole tiles", 1, 64, false},
                   [TILE_ROWS] = {"tile_rows", "rows of a work-item's tile: a divisor of a base function's", 1, 16,
                                  false},
                   [TILE_COLUMNS] = {"tile_columns", "columns of a work-item's tile", 1, 16, false},
                   [HALF] = {"half", "keep only the upper half of symmetric matrices", 0, 1, false},
                   [WORKERS] = {"workers", "work-groups in flight", 1, 1 << 20, false},
                   [MATRIX_UNIT] = {"matrix_unit", "step 4 on the f64 matrix unit of NVIDIA's devices", 0, 1, false},
                   [LINE_POINTS] = {"line_points", "points of a line at once: a divisor of their number", 1, 16,
                                    false}},
    .applies = factor_applies,
    .plan = plan_factor,
    .defines = add_defines,
    .tables = make_tables,
    .operations = count_operations};
