/* Methods "qss", "sqs", "ssq": one element a work-item, three orders of the loops (kernels/loops.cl; Banaś et al. (2016),
   Algorithms 2 to 7), with the placement of every array as a parameter. */
#include "integrate/methods.h"

#include <stdio.h>

typedef enum loop_order { QSS, SQS, SSQ } loop_order;

enum {
    LANES,
    WORK_GROUP,
    WORKERS,
    INPUT,
    READ,
    WRITE,
    GEOMETRY,
    COEFFICIENTS,
    SHAPE,
    MATRIX,
    KEEP,
    REUSE,
    STREAM,
    UNROLL,
    N_PARAMETERS
};

/* ---- Tables of the reference cell ---- */

typedef struct cell_tables {
    int dim, n_shape, n_geo, n_quad;
    double *psi, *geo; /* [n_quad][1 + dim][n_shape], [n_geo] */
    double *weights;
} cell_tables;

static void free_tables(cell_tables *t)
{
    ritz_free(t->psi);
    ritz_free(t->geo);
    ritz_free(t->weights);
}

static ritz_status tabulate_cell(const ritz_case *c, cell_tables *t)
{
    ritz_status status = RITZ_OK;
    ritz_quadrature *rule = NULL;
    ritz_basis *shape = NULL, *geometry = NULL;
    RITZ_TRY(ritz_quadrature_create(c->cell, ritz_quadrature_degree(c->degree, c->order), &rule));
    RITZ_TRY(ritz_basis_create(c->cell, c->order, RITZ_NODES_LOBATTO, &shape));
    RITZ_TRY(ritz_basis_create(c->cell, c->geometry_order, RITZ_NODES_LOBATTO, &geometry));
    *t = (cell_tables){
        .dim = shape->dim, .n_shape = shape->n_shape, .n_geo = geometry->n_shape, .n_quad = rule->n_points};
    RITZ_NEW(t->psi, (int64_t)t->n_quad * (1 + t->dim) * t->n_shape);
    RITZ_NEW(t->geo, (int64_t)t->n_quad * (1 + t->dim) * t->n_geo);
    RITZ_NEW(t->weights, t->n_quad);
    RITZ_TRY(ritz_basis_tabulate(shape, t->n_quad, rule->points, t->psi));
    RITZ_TRY(ritz_basis_tabulate(geometry, t->n_quad, rule->points, t->geo));
    for (int q = 0; q < t->n_quad; q++)
        t->weights[q] = rule->weights[q];
done:
    ritz_basis_destroy(&geometry);
    ritz_basis_destroy(&shape);
    ritz_quadrature_destroy(&rule);
    return status;
}

/* Whether entry (D, i) of a table is not 0 at some point; what is rounding of 0 counts as 0. */
static bool entry_is_used(const cell_tables *t, const double *table, int n, int D, int i)
{
    const double rounding = 1e-14;
    for (int q = 0; q < t->n_quad; q++)
        if (table[(q * (1 + t->dim) + D) * n + i] > rounding || table[(q * (1 + t->dim) + D) * n + i] < -rounding)
            return true;
    return false;
}

static void add_table(const cell_tables *t, const char *name, const double *table, int n, ritz_text *header)
{
    ritz_text_add(header, "#define %s_TABLE", name);
    for (int k = 0; k < t->n_quad * (1 + t->dim) * n; k++)
        ritz_text_add(header, "%s (real)%.17g", k ? "," : "", table[k]);
    ritz_text_add(header, "\n#define %s_USED", name);
    for (int k = 0; k < (1 + t->dim) * n; k++)
        ritz_text_add(header, "%s %d", k ? "," : "", entry_is_used(t, table, n, k / n, k % n));
    ritz_text_add(header, "\n");
}

/* The mean of function i over the rule's points. */
static double mean_value(const cell_tables *t, int i)
{
    double sum = 0, total = 0;
    for (int q = 0; q < t->n_quad; q++) {
        sum += t->weights[q] * t->psi[q * (1 + t->dim) * t->n_shape + i];
        total += t->weights[q];
    }
    return sum / total;
}

/* The sum of w (psi_i - mean_i) (psi_j - mean_j). */
static double value_covariance(const cell_tables *t, int i, int j)
{
    double sum = 0;
    for (int q = 0; q < t->n_quad; q++) {
        const double *psi = t->psi + q * (1 + t->dim) * t->n_shape;
        sum += t->weights[q] * (psi[i] - mean_value(t, i)) * (psi[j] - mean_value(t, j));
    }
    return sum;
}

static void add_tables(const cell_tables *t, ritz_text *header)
{
    double total = 0;
    add_table(t, "PSI", t->psi, t->n_shape, header);
    add_table(t, "GEO", t->geo, t->n_geo, header);
    ritz_text_add(header, "#define WEIGHT_TABLE");
    for (int q = 0; q < t->n_quad; q++) {
        ritz_text_add(header, "%s (real)%.17g", q ? "," : "", t->weights[q]);
        total += t->weights[q];
    }
    ritz_text_add(header, "\n#define TOTAL_WEIGHT %.17g\n#define MEAN_TABLE", total);
    for (int i = 0; i < t->n_shape; i++)
        ritz_text_add(header, "%s (real)%.17g", i ? "," : "", mean_value(t, i));
    ritz_text_add(header, "\n#define COVARIANCE_TABLE");
    for (int k = 0; k < t->n_shape * t->n_shape; k++)
        ritz_text_add(header, "%s (real)%.17g", k ? "," : "", value_covariance(t, k / t->n_shape, k % t->n_shape));
    ritz_text_add(header, "\n");
}

/* ---- Sizes ---- */

/* Numbers that a work-item keeps for each of its elements. */
typedef struct loop_sizes {
    int64_t coordinates, data, coefficients, shapes, sums;
    bool linear;      /* derivatives of shape functions are constant in an element */
    bool matrix_once; /* one round of the matrix's sums stands for all points, */
    bool covariance;  /* but for products of two values of shape functions; */
    bool load_once;   /* and one of the load's, beside these */
} loop_sizes;

static int64_t count_pairs(const ritz_case *c, int64_t n_shape)
{
    return c->traits.symmetric ? n_shape * (n_shape + 1) / 2 : n_shape * n_shape;
}

/* Sums of the matrix and the load that are under way at once. */
static int64_t count_sums(loop_order order, const ritz_case *c, int64_t n_shape)
{
    const int64_t pairs = order == QSS ? count_pairs(c, n_shape) : order == SQS ? n_shape : 1;
    return pairs * c->traits.n_sums + (order == QSS ? n_shape : 1) * c->n_components;
}

static loop_sizes get_loop_sizes(loop_order order, const ritz_case *c, const int32_t *p)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const ritz_form_traits *traits = &c->traits;
    const bool linear = size.affine && c->order == 1;
    const int64_t kept = p[KEEP] ? size.n_shape * size.n_quad : order == SSQ && !linear ? 2 : size.n_shape;
    return (loop_sizes){
        .coordinates = size.n_geo * size.dim,
        .data = p[INPUT] == 1 + RITZ_INPUT_PACKED ? traits->n_element_data + traits->n_point_data * size.n_quad : 0,
        .coefficients = traits->n_constant + traits->n_varying * size.n_quad,
        .shapes = kept * size.dim,
        .sums = count_sums(order, c, size.n_shape),
        .linear = linear,
        .matrix_once = linear && traits->constant,
        .covariance = linear && traits->constant && traits->matrix_values,
        .load_once = linear && traits->constant && traits->matrix_values && !traits->n_varying};
}

/* Where the arrays are in local memory, in numbers of an element; -1: not there. */
typedef struct room {
    int64_t coordinates, data, coefficients, shapes, sums, total;
} room;

/* The buffers that are read through come first, those that stay before those that are read once; then what is placed
   here, with REUSE over the latter. */
static room place_arrays(const ritz_case *c, const loop_sizes *s, const int32_t *p)
{
    room r = {-1, -1, -1, -1, -1, 0};
    const bool keeps_data = c->traits.n_varying > 0; /* read at each point, data of elements too */
    int64_t at = 0, kept = 0;
    if (p[READ] && s->data && keeps_data)
        r.data = at, at += s->data;
    if (p[GEOMETRY])
        r.coordinates = at, at += s->coordinates;
    kept = at;
    if (p[READ] && s->data && !keeps_data)
        r.data = at, at += s->data;
    if (p[READ] && !p[GEOMETRY])
        r.coordinates = at, at += s->coordinates;
    r.total = at;
    if (p[REUSE])
        at = kept;
    if (p[COEFFICIENTS])
        r.coefficients = at, at += s->coefficients;
    if (p[SHAPE])
        r.shapes = at, at += s->shapes;
    if (p[MATRIX])
        r.sums = at, at += s->sums;
    r.total = ritz_max64(r.total, at);
    return r;
}

/* ---- The plan ---- */

/* Bytes of the tables that stand in the kernel as constants. */
static int64_t count_table_bytes(const ritz_case *c)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const int64_t rows = 1 + ritz_cell_dim(c->cell), n = size.n_shape + size.n_geo;
    const int64_t reals = size.n_quad * (rows * n + 1) + size.n_shape * (size.n_shape + 1);
    return reals * ritz_real_bytes(c->precision) + rows * n;
}

/* Tables that the device has room for; second-order elements where the sums can be in registers. */
static bool order_applies(loop_order order, const ritz_case *c, const ritz_device_info *limits)
{
    enum { MOST_SUMS = 128 };
    if (limits->constant_memory > 0 && count_table_bytes(c) > limits->constant_memory)
        return false;
    return c->order == 1 || (c->order == 2 && count_sums(order, c, ritz_case_get_sizes(c).n_shape) <= MOST_SUMS);
}

/* About how many vector operations the kernel's text has with a loop unrolled. */
static int64_t count_statements(loop_order order, const ritz_case *c, bool keep, int unroll)
{
    enum { MAP = 60, DERIVE = 9, WEIGHT = 4 };
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const bool linear = size.affine && c->order == 1;
    const int64_t products = ritz_max64(c->traits.n_weights, c->traits.n_sums), pairs = count_pairs(c, size.n_shape);
    const int64_t weights = size.n_shape * c->traits.n_weights * WEIGHT;
    const int64_t geometry = linear ? 0 : MAP + (order == SSQ && !keep ? 2 : size.n_shape) * DERIVE;
    const int64_t repeats = order == QSS ? 1 : order == SQS ? size.n_shape : pairs;
    return ((keep ? 1 : repeats) * geometry + weights + pairs * products) * (unroll == 2 ? size.n_quad : 1);
}

/* A constant of the device, for the case, so many sums under way, and the maps of all points kept or not. */
static double tune_loops(const ritz_case *c, const ritz_device_info *limits, ritz_constant constant, int64_t sums,
                         bool keep)
{
    const double native = c->precision == RITZ_F64 ? limits->vector_width_f64 : limits->vector_width_f32;
    const ritz_fact facts[] = {{"sums", (double)sums},
                               {"vector_bytes", native * (double)ritz_real_bytes(c->precision)},
                               {"keep", keep},
                               {"symmetric", c->traits.symmetric},
                               {"dim", ritz_cell_dim(c->cell)},
                               {"order", c->order}};
    return ritz_tuned(limits, constant, facts, sizeof facts / sizeof *facts);
}

/* Which loops are unrolled: all of linear cells, those over shape functions of others, and over points where the device
   gains by it; none where the sums are too many for registers. As asked where the text stays at a size that compilers
   take. */
static int32_t choose_unrolling(loop_order order, const ritz_case *c, const ritz_device_info *limits, bool keep,
                                int32_t asked)
{
    enum { MOST_STATEMENTS = 8000 };
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const int64_t sums = count_sums(order, c, size.n_shape);
    const bool unrolls_points =
        c->order == 1 && (size.affine || tune_loops(c, limits, RITZ_LOOPS_UNROLLS_POINTS, sums, keep) != 0);
    int32_t unroll = asked;
    if (asked == RITZ_PLAN_CHOOSES)
        unroll = sums > ritz_plan_tuned(limits, RITZ_LOOPS_UNROLLED) ? 0 : unrolls_points ? 2 : 1;
    while (unroll > 0 && count_statements(order, c, keep, unroll) > MOST_STATEMENTS)
        unroll--;
    return unroll;
}

/* What is placed in local memory where nothing is asked: coefficients that do not vary, coordinates that are read at each
   point; and, where maps are kept, coefficients that vary, for the same reason. And whether data come through it. */
static void choose_places(loop_order order, const ritz_case *c, const ritz_device_info *limits, const int32_t *asked,
                          int32_t *p)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const int64_t sums = count_sums(order, c, size.n_shape);
    const bool by_points = order == QSS && c->order == 1 && !size.affine;
    const bool repeats_maps = order != QSS && !(size.affine && c->order == 1);
    const bool keep = repeats_maps && tune_loops(c, limits, RITZ_LOOPS_KEEP, sums, false) != 0;
    const bool coefficients =
        by_points && c->traits.n_varying == 0 && tune_loops(c, limits, RITZ_LOOPS_COEFFICIENTS, sums, false) != 0;
    const bool geometry = by_points && tune_loops(c, limits, RITZ_LOOPS_GEOMETRY, sums, false) != 0;
    p[KEEP] = repeats_maps ? ritz_plan_given_or(asked[KEEP], keep) : 0;
    p[COEFFICIENTS] = ritz_plan_given_or(asked[COEFFICIENTS], coefficients || (p[KEEP] && c->traits.n_varying > 0));
    p[GEOMETRY] = ritz_plan_given_or(asked[GEOMETRY], geometry);
    p[SHAPE] = c->traits.derivatives ? ritz_plan_given_or(asked[SHAPE], 0) : 0;
    p[MATRIX] = ritz_plan_given_or(asked[MATRIX], 0);
    p[READ] = ritz_plan_given_or(asked[READ], (int32_t)tune_loops(c, limits, RITZ_LOOPS_READ, sums, p[KEEP]));
}

static void choose_parameters(loop_order order, const ritz_case *c, const ritz_device_info *limits,
                              const int32_t *asked, int32_t *p)
{
    p[LANES] = ritz_plan_lanes(c, limits, asked[LANES]);
    p[WORK_GROUP] = asked[WORK_GROUP] ? asked[WORK_GROUP] : (int32_t)ritz_plan_tuned(limits, RITZ_LOOPS_GROUP);
    p[WRITE] = ritz_plan_given_or(asked[WRITE], 1);
    p[INPUT] = asked[INPUT] ? asked[INPUT] : p[WRITE] ? 1 + RITZ_INPUT_SETS : 1 + RITZ_INPUT_PACKED;
    if (!p[WRITE] && p[INPUT] == 1 + RITZ_INPUT_SETS)
        p[INPUT] = 1 + RITZ_INPUT_PACKED; /* there are no sets */
    choose_places(order, c, limits, asked, p);
    p[REUSE] =
        p[READ] && (!p[GEOMETRY] || p[INPUT] == 1 + RITZ_INPUT_PACKED) && (p[COEFFICIENTS] || p[SHAPE] || p[MATRIX])
            ? ritz_plan_given_or(asked[REUSE], 1)
            : 0;
    const int32_t stream = c->read_soon ? 0 : (int32_t)ritz_plan_tuned(limits, RITZ_LOOPS_STREAM);
    p[STREAM] = p[WRITE] ? ritz_plan_given_or(asked[STREAM], stream) : 0;
    p[UNROLL] = choose_unrolling(order, c, limits, p[KEEP], asked[UNROLL]);
}

/* Why choose_parameters takes another value than was asked for. */
static const char *why_other_value(const ritz_plan *plan, int parameter)
{
    const int32_t *p = plan->parameters;
    switch (parameter) {
    case INPUT:
        return "input=1 reads sets of elements, which are there where results are interleaved: write=1";
    case SHAPE:
        return "the form reads no derivatives of shape functions";
    case KEEP:
        return "the map and the derivatives are constant in a straight element of order 1, and computed once anyway";
    case REUSE:
        return !p[READ] ? "there is no reading buffer without read=1"
               : p[GEOMETRY] && p[INPUT] != 1 + RITZ_INPUT_PACKED
                   ? "the reading buffer holds the coordinates, which stay there: take geometry=0, or input=2"
                   : "nothing is placed in local memory that could take the buffer's place: coefficients=1, shape=1 "
                     "or matrix=1 would be";
    case STREAM:
        return "results go past the caches only where they are interleaved: write=1";
    case UNROLL:
        return "the kernel's text would become longer than compilers take";
    default:
        return NULL;
    }
}

static ritz_status check_memory(const ritz_case *c, const ritz_device_info *limits, const loop_sizes *s,
                                const int32_t *p, const ritz_plan *plan)
{
    ritz_status status = RITZ_OK;
    const int64_t stack = ritz_plan_tuned(limits, RITZ_INTEGRATE_STACK), most = ritz_plan_local_memory(limits);
    const int64_t items = (int64_t)p[LANES] * p[WORK_GROUP] * ritz_real_bytes(c->precision);
    const int64_t bytes = items * (s->coordinates + s->coefficients + s->shapes + s->sums);
    RITZ_REQUIRE(p[WORK_GROUP] <= limits->work_group_size, RITZ_ERROR_INPUT,
                 "a work-group of %d items is larger than the device's, %lld", (int)p[WORK_GROUP],
                 (long long)limits->work_group_size);
    RITZ_REQUIRE(plan->local_bytes <= most, RITZ_ERROR_INPUT,
                 "the arrays placed in local memory take %lld bytes of a work-group of %d items, the device has %lld: "
                 "take a smaller group, or place fewer arrays there",
                 (long long)plan->local_bytes, (int)p[WORK_GROUP], (long long)most);
    RITZ_REQUIRE(
        !stack || p[WORK_GROUP] == 1 || bytes <= stack, RITZ_ERROR_INPUT,
        "about %.1f MB of private memory for a group of %d on a CPU, where a group shares a thread's stack, are too "
        "much: take a smaller group or vector",
        1e-6 * (double)bytes, (int)p[WORK_GROUP]);
done:
    return status;
}

static ritz_status plan_loops(loop_order order, const ritz_case *c, const ritz_device_info *limits,
                              const int32_t *parameters, ritz_plan *plan)
{
    ritz_status status = RITZ_OK;
    *plan = (ritz_plan){0};
    int32_t *p = plan->parameters;
    choose_parameters(order, c, limits, parameters, p);
    plan->input = (ritz_plan_input)(p[INPUT] - 1);
    const int32_t width = p[LANES] * p[WORK_GROUP];
    const loop_sizes s = get_loop_sizes(order, c, p);
    plan->layout = ritz_layout_blocks(c, p[WRITE] ? width : 1, c->traits.symmetric);
    ritz_layout_take_result(c, &plan->layout);
    plan->set_elements = width;
    plan->own_size = (int32_t)ritz_plan_tuned(limits, RITZ_LOOPS_CONSECUTIVE);
    plan->local_size = p[WORK_GROUP];
    plan->local_bytes = place_arrays(c, &s, p).total * width * ritz_real_bytes(c->precision);
    plan->n_workers = ritz_plan_workers(c, limits, parameters[WORKERS], RITZ_LOOPS_GROUPS_PER_UNIT);
    if (plan->n_workers == 0) { /* a group for each set of the largest launch */
        plan->n_workers = 1;
        ritz_plan_set_launch(c, limits, plan);
        plan->n_workers = ritz_max64(1, plan->launch_elements / width);
    }
    ritz_plan_set_launch(c, limits, plan);
    p[WORKERS] = (int32_t)plan->n_workers;
    RITZ_TRY(check_memory(c, limits, &s, p, plan));
done:
    return status;
}

/* ---- The kernel's defines ---- */

/* What kernels/result.cl takes; bits are those of a vector of reals. */
static void define_result(const ritz_case *c, const int32_t *p, ritz_text *header)
{
    char n[16] = "";
    if (p[LANES] > 1)
        snprintf(n, sizeof n, "%d", (int)p[LANES]);
    ritz_text_add(header,
                  "#define MATRICES %d\n#define SUM %d\n#define CHECKSUM %d\n#define ACTION %d\n#define RESULT %d\n",
                  RITZ_RESULT_MATRICES, RITZ_RESULT_SUM, RITZ_RESULT_CHECKSUM, RITZ_RESULT_ACTION, c->result);
    ritz_text_add(header, "typedef ulong%s ulongv;\n", n);
    if (c->precision == RITZ_F64)
        ritz_text_add(header, "#define BITS(x) as_ulong%s(x)\n#define LOW_BITS(z) as_double%s(z)\n", n, n);
    else
        ritz_text_add(header,
                      "#define BITS(x) convert_ulong%s(as_uint%s(x))\n"
                      "#define LOW_BITS(z) as_float%s(convert_uint%s(z))\n",
                      n, n, n, n);
    ritz_text_add(header, "#define HIGH_BITS(z) LOW_BITS((z) >> (ulong)32)\n");
}

/* How the form's functions find packed data: in global memory, or in the buffer [number][element of the set]. */
static void define_data(const loop_sizes *s, bool local, ritz_text *header)
{
    if (s->data == 0)
        return;
    if (local)
        ritz_text_add(header, "#define FORM_SPACE __local\n"
                              "#define FORM_ELEMENT_AT(d, e) (offset[d] * WIDTH + (e) %% WIDTH)\n"
                              "#define FORM_POINT_AT(d, e, q) ((offset[d] + (q)) * WIDTH + (e) %% WIDTH)\n");
    else
        ritz_text_add(header, "#define FORM_SPACE __global\n"
                              "#define FORM_ELEMENT_AT(d, e) (offset[d] + (long)(e) * DATA_NUMBERS)\n"
                              "#define FORM_POINT_AT(d, e, q) (offset[d] + (long)(e) * DATA_NUMBERS + (q))\n");
    ritz_text_add(header, "#define FORM_CONSTANT_AT(d, e) FORM_ELEMENT_AT(d, e)\n");
}

static void define_places(const ritz_case *c, const loop_sizes *s, const int32_t *p, ritz_text *header)
{
    const room r = place_arrays(c, s, p);
    const bool data_local = p[READ] && s->data > 0;
    ritz_text_add(header, "#define NODE_SPACE %s\n#define NODE_STRIDE %s\n", p[GEOMETRY] ? "__local" : "",
                  p[GEOMETRY] ? "LOCAL" : "1");
    ritz_text_add(header,
                  "#define READS_LOCAL %d\n#define DATA_LOCAL %d\n#define GEOMETRY_LOCAL %d\n"
                  "#define COEFFICIENTS_LOCAL %d\n#define SHAPE_LOCAL %d\n#define MATRIX_LOCAL %d\n#define KEEP "
                  "%d\n#define REUSE %d\n",
                  p[READ], data_local, p[GEOMETRY], p[COEFFICIENTS], p[SHAPE], p[MATRIX], p[KEEP], p[REUSE]);
    ritz_text_add(header,
                  "#define ROOM %d\n#define COORDINATES_AT %d\n#define DATA_AT %d\n#define COEFFICIENTS_AT %d\n"
                  "#define SHAPES_AT %d\n#define SUMS_AT %d\n#define DATA_NUMBERS %d\n",
                  (int)r.total, (int)r.coordinates, (int)ritz_max64(r.data, 0), (int)r.coefficients, (int)r.shapes,
                  (int)r.sums, (int)s->data);
    define_data(s, data_local, header);
}

static void define_loops(loop_order order, const ritz_case *c, const ritz_plan *plan, ritz_text *header)
{
    const int32_t *p = plan->parameters;
    const loop_sizes s = get_loop_sizes(order, c, p);
    cell_tables t = {0};
    ritz_text_add(header, "#define LANES %d\n#define LOCAL %d\n#define WIDTH (LANES * LOCAL)\n", p[LANES],
                  p[WORK_GROUP]);
    if (p[LANES] > 1)
        ritz_text_add(header, "typedef real%d realv;\n", p[LANES]);
    else
        ritz_text_add(header, "typedef real realv;\n");
    ritz_text_add(header, "#define QSS 0\n#define SQS 1\n#define SSQ 2\n#define ORDER %d\n", order);
    ritz_text_add(header, "#define SETS 0\n#define PACKED 1\n#define GATHERED 2\n#define INPUT %d\n", plan->input);
    ritz_text_add(header,
                  "#define INTERLEAVED %d\n#define STREAM %d\n#define UNROLL %d\n#define LINEAR %d\n"
                  "#define MATRIX_ONCE %d\n#define MATRIX_VALUES %d\n#define LOAD_ONCE %d\n#define CONSECUTIVE %d\n",
                  p[WRITE], p[STREAM], p[UNROLL], s.linear, s.matrix_once, s.covariance, s.load_once, plan->own_size);
    define_result(c, p, header);
    define_places(c, &s, p, header);
    if (header->status == RITZ_OK)
        header->status = tabulate_cell(c, &t);
    if (header->status == RITZ_OK)
        add_tables(&t, header);
    free_tables(&t);
}

/* ---- Work ---- */

/* Multiplications and additions with entry (D, i) of a table. Where it is a literal, 0 takes none and 1 only the addition. */
static int count_entry(const cell_tables *t, const double *table, int n, int D, int i, const int32_t *p, bool literal)
{
    if (p[UNROLL] > 0 && !entry_is_used(t, table, n, D, i))
        return 0;
    bool unit = literal && p[UNROLL] > 0;
    for (int q = 0; q < t->n_quad; q++) {
        const double value = table[(q * (1 + t->dim) + D) * n + i];
        unit = unit && (value == 1 || value == -1);
    }
    return unit ? 1 : 2;
}

/* Operations of a map, and of the derivatives in space of all shape functions. */
static void count_geometry(const ritz_case *c, const loop_sizes *s, const int32_t *p, double *map, double *derive)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const bool unrolled = p[UNROLL] == 2;
    cell_tables t = {0};
    *map = *derive = 0;
    if (tabulate_cell(c, &t) == RITZ_OK) {
        for (int g = 1; g < t.n_geo; g++)
            for (int b = 1; b <= t.dim; b++)
                *map += t.dim * count_entry(&t, t.geo, t.n_geo, b, g, p, size.affine || unrolled);
        *map += ritz_count_map(c) - 2.0 * t.n_geo * t.dim * t.dim; /* the determinant and the inverse */
        for (int i = 0; i < t.n_shape && c->traits.derivatives; i++) {
            int row = -1; /* the first product is not added */
            for (int b = 1; b <= t.dim; b++)
                row += count_entry(&t, t.psi, t.n_shape, b, i, p, s->linear || unrolled);
            *derive += t.dim * row;
        }
    }
    free_tables(&t);
}

/* Of kernels/result.cl; whole numbers are not counted. */
static double count_result(const ritz_case *c)
{
    const double rows = (double)ritz_case_get_sizes(c).n_shape * c->n_components, load = c->traits.load ? rows : 0;
    return c->result == RITZ_RESULT_MATRICES ? 0 : 2 * (rows * rows + (c->result == RITZ_RESULT_ACTION ? 0 : load));
}

/* kernels/loops.cl, loop by loop. */
static double count_operations(loop_order order, const ritz_case *c, const ritz_plan *plan,
                               const ritz_form_counts *counts)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const int32_t *p = plan->parameters;
    const loop_sizes s = get_loop_sizes(order, c, p);
    const double n_quad = (double)size.n_quad, n_shape = (double)size.n_shape, rounds = s.matrix_once ? 1 : n_quad;
    const double pairs = (double)count_pairs(c, size.n_shape);
    const double repeats = order == QSS ? 1 : order == SQS ? n_shape : pairs; /* of what belongs to a point */
    /* what is equal for all j the compiler sees when everything is unrolled */
    const bool shares_weights = order != SSQ || (s.linear && p[UNROLL] == 2);
    double map, derive;
    count_geometry(c, &s, p, &map, &derive);
    const double mapped = p[KEEP] ? n_quad : n_quad * repeats; /* points, as often as they are mapped */
    double n = counts->constants + (size.affine ? 1 : mapped) * map;
    n += (s.linear ? 1 : mapped) * (order == SSQ && !s.linear && !p[KEEP] ? 2 / n_shape : 1) * derive;
    n += p[KEEP] && !p[COEFFICIENTS] && c->traits.reads_gradient && !size.affine ? mapped * repeats * map : 0;
    n += n_quad * (p[COEFFICIENTS] || s.linear ? 1 : repeats) * ritz_count_point_coefficients(c, counts);
    const double loads = s.load_once ? 1 : n_quad;
    n += (size.affine ? 1 : repeats) * (s.matrix_once ? 1 + (c->traits.load && !s.load_once ? n_quad : 0) : n_quad);
    n += rounds * ((shares_weights ? n_shape : pairs) * counts->weight + pairs * counts->accumulate);
    n += s.covariance ? counts->weight + pairs * counts->values : 0;
    return n + loads * n_shape * counts->load + pairs * counts->finish + count_result(c);
}

/* ---- The registry's entries ---- */

#define LOOP_METHOD(ORDER, name_, algorithms, order_in_words)                                                          \
    static bool name_##_applies(const ritz_case *c, const ritz_device_info *limits)                                    \
    {                                                                                                                  \
        return order_applies(ORDER, c, limits);                                                                        \
    }                                                                                                                  \
    static ritz_status name_##_plan(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters,     \
                                    ritz_plan *plan)                                                                   \
    {                                                                                                                  \
        return plan_loops(ORDER, c, limits, parameters, plan);                                                         \
    }                                                                                                                  \
    static void name_##_defines(const ritz_case *c, const ritz_plan *plan, ritz_text *header)                          \
    {                                                                                                                  \
        define_loops(ORDER, c, plan, header);                                                                          \
    }                                                                                                                  \
    static double name_##_operations(const ritz_case *c, const ritz_plan *plan, const ritz_form_counts *counts)        \
    {                                                                                                                  \
        return count_operations(ORDER, c, plan, counts);                                                               \
    }                                                                                                                  \
    const ritz_method ritz_method_##name_ = {                                                                          \
        .name = #name_,                                                                                                \
        .source = "Banaś et al. (2016), Algorithms " algorithms,                                                       \
        .summary = "one element a work-item; " order_in_words,                                                         \
        .kernel_path = "integrate/kernels/loops.cl",                                                                   \
        .kernel_name = "integrate",                                                                                    \
        .hands_on = true,                                                                                              \
        .n_parameters = N_PARAMETERS,                                                                                  \
        .parameters = {[LANES] = {"lanes", "elements a work-item, in explicit vectors (1, 2, 4, 8, 16)", 1, 16,        \
                                  false},                                                                              \
                       [WORK_GROUP] = {"work_group", "work-items a group", 1, 1024, false},                            \
                       [WORKERS] = {"workers", "work-groups in flight", 1, 1 << 30, false},                            \
                       [INPUT] = {"input", "1 coordinates by sets, 2 all packed an element, 3 gathered from the mesh", \
                                  1, 3, false},                                                                        \
                       [READ] = {"read", "0 each item its own, 1 together through local memory", 0, 1, false},         \
                       [WRITE] = {"write", "0 an element after the other, 1 interleaved", 0, 1, false},                \
                       [GEOMETRY] = {"geometry", "coordinates in 0 registers, 1 local memory", 0, 1, false},           \
                       [COEFFICIENTS] = {"coefficients", "coefficients in 0 registers, 1 local memory, of all points", \
                                         0, 1, false},                                                                 \
                       [SHAPE] = {"shape", "derivatives of shape functions in 0 registers, 1 local memory", 0, 1,      \
                                  false},                                                                              \
                       [MATRIX] = {"matrix", "sums of matrix and load in 0 registers, 1 local memory", 0, 1, false},   \
                       [KEEP] = {"keep",                                                                               \
                                 (ORDER) == QSS ? "each point is mapped once, so that nothing is there to be kept"     \
                                                : "1 maps and derivatives of all points are computed once and kept",   \
                                 0, (ORDER) != QSS, false},                                                            \
                       [REUSE] = {"reuse", "1 what is placed in local memory takes the place of the reading buffer",   \
                                  0, 1, false},                                                                        \
                       [STREAM] = {"stream", "1 results past the caches", 0, 1, false},                                \
                       [UNROLL] = {"unroll", "loops: 0 none, 1 over shape functions, 2 over points too", 0, 2,         \
                                   false}},                                                                            \
        .applies = name_##_applies,                                                                                    \
        .plan = name_##_plan,                                                                                          \
        .why = why_other_value,                                                                                        \
        .defines = name_##_defines,                                                                                    \
        .operations = name_##_operations}

LOOP_METHOD(QSS, qss, "2 and 3", "all sums at each point");
LOOP_METHOD(SQS, sqs, "4 and 5", "the sums of a row at each point, row after row");
LOOP_METHOD(SSQ, ssq, "6 and 7", "one entry at each point, entry after entry");
