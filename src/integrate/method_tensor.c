/* Method "tensor": a reference tensor contracted with the geometry tensor of each element (kernels/tensor.cl,
   reference_tensor.h; Knepley and Terrel (2013)), with all that they vary as parameters. */
#include "integrate/methods.h"
#include "integrate/reference_tensor.h"

#include <math.h>

enum {
    LANES,
    CONCURRENT,
    BATCH,
    ITEMS,
    PAIRS,
    ELEMENTS,
    WRITE,
    STORE,
    UNROLL,
    GEOMETRY,
    GATHER,
    CODE,
    STREAM,
    PROJECTED,
    WORKERS,
    FIELD,
    N_PARAMETERS
};
enum { LOAD_SUMS = 12 }; /* of a work-item at once: registers hold them, and hide the latency of a multiply-add */

static bool tensor_applies(const ritz_case *c, const ritz_device_info *limits)
{
    (void)c; /* what elements and coefficients have to be is seen when they are there: ritz_tensor_check */
    (void)limits;
    return true;
}

static ritz_tensor_space space_of(const int32_t *p)
{
    return (ritz_tensor_space){p[FIELD], p[PROJECTED]};
}

/* ---- The plan ---- */

static int64_t count_terms(const ritz_tensor_pattern *pattern)
{
    return (int64_t)pattern->matrix_modes * pattern->n_products;
}

/* Numbers of F of an element. */
static int64_t count_loads(const ritz_case *c, const ritz_tensor_pattern *pattern)
{
    return (int64_t)c->n_components * pattern->load_modes * pattern->n_loads;
}

/* Numbers of an element that the contraction reads: G, and F unless it is of points, which have their own room. */
static int64_t count_numbers(const ritz_case *c, const ritz_tensor_pattern *pattern)
{
    return (int64_t)c->n_components * c->n_components * count_terms(pattern) +
           (pattern->load_at_points ? 0 : count_loads(c, pattern));
}

/* Rows of a load that are summed over the points at once, in registers: parts of all rows that are as even as can be. */
static int64_t load_rows(const ritz_case *c, const ritz_tensor_pattern *pattern)
{
    const int64_t most = ritz_max64(1, LOAD_SUMS / c->n_components);
    const int64_t n_parts = (pattern->n_shape + most - 1) / most;
    return (pattern->n_shape + n_parts - 1) / n_parts;
}

/* Numbers of L on the device: rows of a part that is not full are 0. */
static int64_t count_load_table(const ritz_case *c, const ritz_tensor_pattern *pattern)
{
    const int64_t rows =
        pattern->load_at_points ? ritz_round_up(pattern->n_shape, load_rows(c, pattern)) : pattern->n_shape;
    return rows * pattern->load_modes * pattern->n_loads;
}

/* Whether K stands in the code: as asked where the text stays at a size that compilers take. */
static int32_t choose_code(const ritz_case *c, const ritz_device_info *limits, const ritz_tensor_pattern *pattern,
                           int32_t asked)
{
    enum { MOST_TERMS = 4000 };
    const int64_t terms = pattern->n_pairs * count_terms(pattern), entries = (int64_t)c->n_components * c->n_components;
    const bool wanted =
        asked == RITZ_PLAN_CHOOSES ? (double)terms <= ritz_plan_tuned_for(c, limits, RITZ_TENSOR_CODE) : asked;
    return wanted && terms * entries <= MOST_TERMS;
}

/* How many elements a group computes at once and one after the other, and whether their G is in local memory: where K is a
   table, as many as it holds. */
static void choose_batch(const ritz_case *c, const ritz_device_info *limits, const ritz_tensor_pattern *pattern,
                         const int32_t *asked, int32_t *p)
{
    const int64_t vector_bytes = count_numbers(c, pattern) * p[LANES] * ritz_real_bytes(c->precision);
    const int64_t room = p[CODE] ? 0 : (int64_t)ritz_plan_tuned_for(c, limits, RITZ_TENSOR_LOCAL_BYTES);
    const int64_t held = ritz_min64(room, ritz_plan_local_memory(limits)) / vector_bytes;
    const int64_t tuned = (int64_t)ritz_plan_tuned_for(c, limits, RITZ_TENSOR_GROUP);
    const int64_t group = ritz_max64(1, ritz_min64(tuned, limits->work_group_size) / p[ITEMS]);
    p[CONCURRENT] =
        asked[CONCURRENT] ? asked[CONCURRENT] : (int32_t)(held > 0 && held < group ? (group + 1) / 2 : group);
    p[GEOMETRY] =
        p[CODE] ? 0 : ritz_plan_given_or(asked[GEOMETRY], held >= p[CONCURRENT]); /* for K that is read once a batch */
    p[ELEMENTS] = asked[ELEMENTS] ? asked[ELEMENTS] : 1;
    const int64_t most = (int64_t)ritz_plan_tuned_for(c, limits, RITZ_TENSOR_ROUNDS), fit = held / p[CONCURRENT];
    const int32_t least = p[CONCURRENT] * p[LANES] * p[ELEMENTS];
    const int32_t rounds = p[GEOMETRY] ? (int32_t)ritz_max64(1, ritz_min64(most, fit) / p[ELEMENTS]) : 1;
    p[BATCH] = asked[BATCH] ? (int32_t)ritz_round_up(asked[BATCH], least) : least * rounds;
}

static void choose_parameters(const ritz_case *c, const ritz_device_info *limits, const ritz_tensor_pattern *pattern,
                              const int32_t *asked, int32_t *p)
{
    p[LANES] = ritz_plan_lanes(
        c, limits, asked[LANES] ? asked[LANES] : (int32_t)ritz_plan_tuned_for(c, limits, RITZ_TENSOR_LANES));
    p[CODE] = choose_code(c, limits, pattern, asked[CODE]);
    p[ITEMS] = p[CODE] ? 1 : (int32_t)ritz_max64(1, ritz_min64(asked[ITEMS], pattern->n_pairs));
    choose_batch(c, limits, pattern, asked, p);
    const int64_t pairs = asked[PAIRS] ? asked[PAIRS] : (int64_t)ritz_plan_tuned_for(c, limits, RITZ_TENSOR_PAIRS);
    p[PAIRS] = p[CODE] ? 1 : (int32_t)ritz_min64(pairs, pattern->n_pairs);
    p[WRITE] = ritz_plan_given_or(asked[WRITE], 1);
    p[STORE] = ritz_plan_given_or(asked[STORE], 1);
    p[UNROLL] = ritz_plan_given_or(asked[UNROLL], 1);
    p[GATHER] = asked[GATHER] == RITZ_PLAN_CHOOSES ? (int32_t)ritz_plan_tuned_for(c, limits, RITZ_TENSOR_GATHER)
                                                   : asked[GATHER];
    p[STREAM] = p[WRITE] ? ritz_plan_given_or(asked[STREAM], (int32_t)ritz_plan_tuned(limits, RITZ_LOOPS_STREAM)) : 0;
}

/* Why choose_parameters takes another value than was asked for. */
static const char *why_other_value(const ritz_plan *plan, int parameter)
{
    const int32_t *p = plan->parameters;
    switch (parameter) {
    case ITEMS:
    case PAIRS:
        return p[CODE] ? "with code=1 each item has all pairs, one after the other" : "there are no more pairs";
    case GEOMETRY:
        return "with code=1 a geometry tensor is read by one item, which keeps it in registers";
    case CODE:
        return "the kernel's text would become longer than compilers take";
    case STREAM:
        return "results go past the caches only where they are interleaved: write=1";
    default:
        return NULL;
    }
}

/* Work-groups that share a batch: so that each has a part of the pairs that is worth making G for. */
static int64_t choose_sharing(const ritz_case *c, const ritz_device_info *limits, const ritz_tensor_pattern *pattern,
                              const int32_t *p)
{
    const int64_t rounds = (pattern->n_pairs + p[PAIRS] * p[ITEMS] - 1) / ((int64_t)p[PAIRS] * p[ITEMS]);
    const int64_t entries = pattern->n_pairs * c->n_components * c->n_components;
    const int64_t most = entries / (int64_t)ritz_plan_tuned_for(c, limits, RITZ_TENSOR_SHARE);
    return p[CODE] ? 1 : ritz_max64(1, ritz_min64(rounds, most));
}

/* What is beyond the device. */
static ritz_status check_memory(const ritz_case *c, const ritz_device_info *limits, const ritz_tensor_pattern *pattern,
                                const ritz_plan *plan)
{
    ritz_status status = RITZ_OK;
    const int32_t *p = plan->parameters;
    const int64_t stack = ritz_plan_tuned(limits, RITZ_INTEGRATE_STACK), most = ritz_plan_local_memory(limits);
    const int64_t held = (int64_t)p[PAIRS] * (count_terms(pattern) + (int64_t)p[BATCH] / (p[CONCURRENT] * p[LANES]));
    const int64_t at_points = pattern->load_at_points ? count_loads(c, pattern) : 0;
    const int64_t reals = p[ELEMENTS] * count_numbers(c, pattern) + held + at_points;
    const int64_t bytes = plan->local_size * p[LANES] * reals * ritz_real_bytes(c->precision);
    RITZ_REQUIRE(plan->local_size <= limits->work_group_size, RITZ_ERROR_INPUT,
                 "%d work-items for each of %d vectors of elements are more than the device's %lld of a group: take "
                 "fewer concurrent elements or items",
                 (int)p[ITEMS], (int)p[CONCURRENT], (long long)limits->work_group_size);
    RITZ_REQUIRE(plan->local_bytes <= most, RITZ_ERROR_INPUT,
                 "the geometry tensors of a batch of %d elements take %lld bytes of local memory, the device has %lld: "
                 "take a smaller batch, or geometry=0",
                 (int)p[BATCH], (long long)plan->local_bytes, (long long)most);
    RITZ_REQUIRE(!stack || plan->local_size == 1 || bytes <= stack, RITZ_ERROR_INPUT,
                 "about %.1f MB of private memory for a group of %lld on a CPU, where a group shares a thread's stack, "
                 "are too much: take fewer concurrent elements, items, pairs or lanes",
                 1e-6 * (double)bytes, (long long)plan->local_size);
done:
    return status;
}

static ritz_status plan_tensor(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters,
                               ritz_plan *plan)
{
    ritz_status status = RITZ_OK;
    ritz_tensor_pattern pattern;
    *plan = (ritz_plan){0};
    int32_t *p = plan->parameters;
    p[PROJECTED] = ritz_plan_given_or(parameters[PROJECTED], 0);
    p[FIELD] =
        !c->traits.constant || p[PROJECTED] ? (int32_t)ritz_max64(1, ritz_min64(parameters[FIELD], c->order)) : 1;
    plan->approximate = p[PROJECTED];
    ritz_tensor_get_pattern(c, space_of(p), &pattern);
    choose_parameters(c, limits, &pattern, parameters, p);
    plan->input = p[GATHER] ? RITZ_INPUT_GATHERED : RITZ_INPUT_SETS;
    const int32_t width = p[WRITE] ? p[CONCURRENT] * p[LANES] : 1;
    plan->layout = ritz_plan_tuned_for(c, limits, RITZ_TENSOR_PLANES) != 0
                       ? ritz_layout_planes(c, width, c->traits.symmetric, pattern.n_shape)
                       : ritz_layout_blocks(c, width, c->traits.symmetric);
    plan->set_elements = p[BATCH];
    plan->local_size = (int64_t)p[CONCURRENT] * p[ITEMS];
    plan->local_bytes = p[GEOMETRY] ? count_numbers(c, &pattern) * p[BATCH] * ritz_real_bytes(c->precision) : 0;
    plan->most_sharing = choose_sharing(c, limits, &pattern, p);
    plan->n_workers = ritz_plan_workers(c, limits, parameters[WORKERS], RITZ_LOOPS_GROUPS_PER_UNIT);
    if (plan->n_workers == 0) { /* groups for each batch of the largest launch */
        plan->n_workers = 1;
        ritz_plan_set_launch(c, limits, plan);
        const int64_t batches = ritz_max64(1, plan->launch_elements / p[BATCH]);
        plan->n_workers = ritz_min64(batches * plan->most_sharing, 1 << 30);
    }
    ritz_plan_set_launch(c, limits, plan);
    p[WORKERS] = (int32_t)plan->n_workers;
    ritz_plan_add_figure(plan, "products", (double)count_terms(&pattern));
    RITZ_TRY(check_memory(c, limits, &pattern, plan));
done:
    return status;
}

/* ---- The kernel's defines and tables ---- */

/* Numbers of a row of K on the device: even, so that two are read at once. */
static int64_t row_terms(const ritz_tensor_pattern *pattern)
{
    return ritz_round_up(count_terms(pattern), 2);
}

static void define_pattern(const ritz_case *c, const ritz_tensor_pattern *t, int n_modes, ritz_text *header)
{
    const int64_t load_at = t->n_pairs * row_terms(t), load = count_load_table(c, t);
    ritz_text_add(header,
                  "#define N_PAIRS %d\n#define N_PRODUCTS %d\n#define N_LOADS %d\n#define MATRIX_MODES %d\n"
                  "#define LOAD_MODES %d\n#define N_MODES %d\n#define K_TERMS %d\n#define L_AT %d\n"
                  "#define LOAD_AT_POINTS %d\n#define LOAD_ROWS %d\n#define PROJECTION_AT %d\n#define AXIS_NODES ",
                  (int)t->n_pairs, t->n_products, t->n_loads, t->matrix_modes, t->load_modes, n_modes,
                  (int)row_terms(t), (int)load_at, t->load_at_points, (int)load_rows(c, t), (int)(load_at + load));
    int ends[3];
    ritz_tensor_axis_nodes(c->cell, ends);
    for (int axis = 0; axis < ritz_cell_dim(c->cell); axis++)
        ritz_text_add(header, "%s%d", axis ? ", " : "", ends[axis]);
    ritz_text_add(header, "\n#define TENSOR_PRODUCTS(X)");
    for (int n = 0; n < t->n_products; n++)
        ritz_text_add(header, " X(%d, %d, %d)", n, t->alpha[n], t->beta[n]);
    ritz_text_add(header, "\n#define TENSOR_LOADS(X)");
    for (int n = 0; n < t->n_loads; n++)
        ritz_text_add(header, " X(%d, %d)", n, t->load_alpha[n]);
    ritz_text_add(header, "\n");
}

/* What is rounding beside the row's largest number. */
static const double rounding = 1e-13;

/* Whether row b of K is `sign` times row a. */
static bool rows_agree(const double *a, const double *b, int64_t n, double sign, double scale)
{
    for (int64_t t = 0; t < n; t++)
        if (fabs(b[t] - sign * a[t]) > rounding * scale)
            return false;
    return true;
}

/* "(real)0.5 * (G(0) - G(3)) + ..." with the numbers of each magnitude together, none that are 0. Operations. */
static int add_sum(const double *row, int64_t n, double scale, ritz_text *text)
{
    bool done[RITZ_TENSOR_PRODUCTS * RITZ_MAX_SHAPE] = {false};
    int operations = 0;
    bool first = true;
    for (int64_t t = 0; t < n; t++) {
        if (done[t] || fabs(row[t]) <= rounding * scale)
            continue;
        ritz_text_add(text, "%s(real)%.17g * (G(%d)", first ? "" : " + ", row[t], (int)t);
        operations += first ? 1 : 2;
        for (int64_t u = t + 1; u < n; u++)
            if (!done[u] && fabs(fabs(row[u]) - fabs(row[t])) <= rounding * scale && fabs(row[u]) > rounding * scale) {
                ritz_text_add(text, " %c G(%d)", row[u] * row[t] > 0 ? '+' : '-', (int)u);
                done[u] = true;
                operations++;
            }
        ritz_text_add(text, ")");
        first = false;
    }
    if (first)
        ritz_text_add(text, "0");
    return operations;
}

/* All pairs of K as code; text NULL: counts the operations alone. */
static int64_t add_code(const ritz_reference_tensor *k, ritz_text *text)
{
    const int64_t n = count_terms(&k->pattern), n_pairs = k->pattern.n_pairs;
    int64_t operations = 0;
    double scale = 0;
    for (int64_t t = 0; t < n_pairs * n; t++)
        scale = fmax(scale, fabs(k->matrix[t]));
    ritz_text_add(text, "#define TENSOR_CODE(G, PUT) {");
    for (int64_t pair = 0; pair < n_pairs; pair++) {
        const double *row = k->matrix + pair * n;
        int64_t same = 0;
        double sign = 1;
        while (same < pair && !rows_agree(k->matrix + same * n, row, n, sign, scale)) {
            same += sign < 0;
            sign = -sign;
        }
        ritz_text_add(text, " \\\n    const realv a%d = ", (int)pair);
        if (same < pair)
            ritz_text_add(text, "%sa%d", sign < 0 ? "-" : "", (int)same);
        else
            operations += add_sum(row, n, scale, text);
        ritz_text_add(text, "; PUT(%d, a%d)", (int)pair, (int)pair);
    }
    ritz_text_add(text, " }\n");
    return operations;
}

static void define_tensor(const ritz_case *c, const ritz_plan *plan, ritz_text *header)
{
    const int32_t *p = plan->parameters;
    ritz_tensor_pattern pattern;
    ritz_reference_tensor *k = NULL;
    ritz_tensor_get_pattern(c, space_of(p), &pattern);
    ritz_text_add(header, "#define LANES %d\n#define CONCURRENT %d\n#define ROUNDS %d\n#define ITEMS %d\n", p[LANES],
                  p[CONCURRENT], p[BATCH] / (p[CONCURRENT] * p[LANES]), p[ITEMS]);
    ritz_text_add(header, "#define PAIRS %d\n#define ELEMENTS %d\n#define NODE_SPACE\n#define NODE_STRIDE 1\n",
                  p[PAIRS], p[ELEMENTS]);
    ritz_text_add(header, p[LANES] > 1 ? "typedef real%d realv;\n" : "typedef real realv;\n", p[LANES]);
    ritz_text_add(header,
                  "#define INTERLEAVED %d\n#define STORE_AT_ONCE %d\n#define UNROLL %d\n#define G_LOCAL %d\n"
                  "#define GATHER %d\n#define CODE %d\n#define STREAM %d\n#define PROJECTED %d\n",
                  p[WRITE], p[STORE], p[UNROLL], p[GEOMETRY], p[GATHER], p[CODE], p[STREAM], p[PROJECTED]);
    define_pattern(c, &pattern, ritz_cell_n_shape(c->cell, p[FIELD]), header);
    if (header->status == RITZ_OK && p[CODE])
        header->status = ritz_reference_tensor_create(c, space_of(p), &k);
    if (header->status == RITZ_OK && p[CODE])
        add_code(k, header);
    ritz_reference_tensor_destroy(&k);
}

/* L as it is; of points by parts of rows: [part][point][n][row of the part]. */
static void place_load(const ritz_case *c, const ritz_reference_tensor *k, double *to)
{
    const ritz_tensor_pattern *t = &k->pattern;
    const int64_t n_terms = (int64_t)t->load_modes * t->n_loads, rows = t->load_at_points ? load_rows(c, t) : 1;
    for (int64_t i = 0; i < t->n_shape; i++)
        for (int64_t m = 0; m < n_terms; m++)
            to[(i / rows * n_terms + m) * rows + i % rows] = k->load[i * n_terms + m];
}

/* K in rows of an even length, L, the projection. */
static ritz_status make_tables(const ritz_integral *integral, const ritz_plan *plan, double **values, int64_t *n)
{
    ritz_status status = RITZ_OK;
    ritz_reference_tensor *k = NULL;
    double *all = NULL;
    ritz_case c;
    ritz_case_of(integral, RITZ_F64, &c); /* the tables are the same for both */
    RITZ_TRY(ritz_reference_tensor_create(&c, space_of(plan->parameters), &k));
    const ritz_tensor_pattern *t = &k->pattern;
    const int64_t terms = count_terms(t), row = row_terms(t), load = count_load_table(&c, t);
    const int64_t projection = k->projection ? (int64_t)k->n_modes * t->n_quad : 0;
    *n = t->n_pairs * row + load + projection;
    RITZ_NEW(all, *n);
    for (int64_t pair = 0; pair < t->n_pairs; pair++)
        for (int64_t m = 0; m < terms; m++)
            all[pair * row + m] = k->matrix[pair * terms + m];
    place_load(&c, k, all + t->n_pairs * row);
    for (int64_t m = 0; m < projection; m++)
        all[t->n_pairs * row + load + m] = k->projection[m];
    *values = all;
done:
    ritz_reference_tensor_destroy(&k);
    return status;
}

/* ---- Work ---- */

/* kernels/tensor.cl, loop by loop. */
static double count_operations(const ritz_case *c, const ritz_plan *plan, const ritz_form_counts *counts)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const int32_t *p = plan->parameters;
    const double entries = c->n_components * c->n_components;
    ritz_tensor_pattern t;
    ritz_reference_tensor *k = NULL;
    ritz_tensor_get_pattern(c, space_of(p), &t);
    const double terms = (double)count_terms(&t),
                 map = ritz_count_map(c) - 2.0 * (double)size.n_geo * size.dim * size.dim;
    double n = counts->constants;
    const double a_mode = t.n_products * (counts->weight + counts->accumulate + counts->finish),
                 a_load_mode = t.n_loads * counts->load;
    if (p[PROJECTED])
        n += (double)size.n_quad *
             (ritz_count_map(c) + ritz_count_point_coefficients(c, counts) + a_mode + a_load_mode +
              2.0 * (t.matrix_modes * t.n_products * entries + t.load_modes * t.n_loads * c->n_components));
    else
        n += map + t.matrix_modes * a_mode + t.load_modes * a_load_mode;
    if (!c->traits.constant && !p[PROJECTED])
        n += (double)size.n_quad * (ritz_count_point_coefficients(c, counts) +
                                    2.0 * ritz_cell_n_shape(c->cell, p[FIELD]) * c->traits.n_varying);
    if (t.load_at_points)
        n += map + counts->constants + (double)size.n_quad * ritz_count_point_coefficients(c, counts) +
             2.0 * (double)count_load_table(c, &t) * c->n_components;
    else
        n += (2.0 * t.load_modes * t.n_loads - 1) * t.n_shape * c->n_components * (t.n_loads > 0);
    double contraction = (double)ritz_round_up(t.n_pairs, (int64_t)p[PAIRS] * p[ITEMS]) * (2 * terms - 1);
    if (p[CODE] && ritz_reference_tensor_create(c, space_of(p), &k) == RITZ_OK) {
        ritz_text unused = {0};
        contraction = (double)add_code(k, &unused);
        ritz_text_free(&unused);
    }
    ritz_reference_tensor_destroy(&k);
    return n + entries * contraction;
}

static ritz_status check_integral(const ritz_integral *integral, const ritz_plan *plan)
{
    return ritz_tensor_check(integral, space_of(plan->parameters));
}

const ritz_method ritz_method_tensor = {
    .name = "tensor",
    .source = "Knepley and Terrel (2013)",
    .summary = "affine cells: reference tensor times geometry tensor, in batches of elements, loads that vary at their "
               "points; other cells approximately, by projected=1",
    .kernel_path = "integrate/kernels/tensor.cl",
    .kernel_name = "integrate",
    .n_parameters = N_PARAMETERS,
    .parameters =
        {[LANES] = {"lanes", "elements a work-item, in explicit vectors (1, 2, 4, 8, 16)", 1, 16, false},
         [CONCURRENT] = {"concurrent", "vectors of elements that a group computes at once", 1, 1024, false},
         [BATCH] = {"batch", "elements that a group takes, a multiple of lanes * concurrent * elements", 1, 1 << 20,
                    false},
         [ITEMS] = {"items", "work-items that share the pairs of an element", 1, 1024, false},
         [PAIRS] = {"pairs", "pairs that a work-item has at once, their reference tensor in registers", 1, 64, false},
         [ELEMENTS] = {"elements", "vectors of elements that a work-item contracts at once", 1, 8, false},
         [WRITE] = {"write", "0 an element after the other, 1 interleaved", 0, 1, false},
         [STORE] = {"store", "entries are stored 0 when those that belong together are done, 1 each at once", 0, 1,
                    false},
         [UNROLL] = {"unroll", "loops over products, pairs and elements: 0 as loops, 1 unrolled", 0, 1, false},
         [GEOMETRY] = {"geometry", "geometry tensors in 0 registers, 1 local memory", 0, 1, false},
         [GATHER] = {"gather", "coordinates 0 by sets, 1 from the mesh", 0, 1, false},
         [CODE] = {"code", "the reference tensor as 0 a table, 1 code: without zeros, equal entries once", 0, 1, false},
         [STREAM] = {"stream", "1 results past the caches", 0, 1, false},
         [PROJECTED] = {"projected", "Jacobian terms 0 constant, 1 projected to the space of that order", 0, 1, false},
         [WORKERS] = {"workers", "work-groups in flight", 1, 1 << 30, false},
         [FIELD] = {"field", "order of the space of the matrix's coefficients, and of projections", 1, RITZ_MAX_ORDER,
                    false}},
    .applies = tensor_applies,
    .plan = plan_tensor,
    .why = why_other_value,
    .check = check_integral,
    .defines = define_tensor,
    .tables = make_tables,
    .operations = count_operations};
