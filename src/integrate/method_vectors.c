/* Methods "dd-sc", "dd-sr", "wf-sc", "wf-sr": one element per work-item, explicit vectors over the columns of Ae (dd)
   or over the space dimensions (wf), shape functions computed on the way (sc) or read (sr); Ae in parts of whole rows
   (Krużel and Banaś (2013), Algorithms 2 and 3; kernels/vectors.cl). */
#include "integrate/element.h"
#include "integrate/methods.h"
#include "integrate/modal_basis.h"

enum { VECTOR, UNROLL_I, UNROLL_J, PART_BYTES, LOCAL, WORKERS };
enum { ROW_MULTIPLE = 8, TABLE_MULTIPLE = 16 }; /* reals in a row of sums or of Ae; start of a table for any vector */

typedef struct variant {
    bool dd;       /* else wf */
    bool computed; /* sc, else sr */
} variant;

/* What a plan's parameters make of a case. */
typedef struct sizes {
    ritz_case_sizes of;
    int64_t columns, column_vectors; /* columns of Ae in a vector, vectors that hold them all */
    int64_t accumulators;            /* vectors of sums a pair (wf), or sums (dd) */
    int64_t row_vectors, row_bytes;  /* of a row of the part, for one accumulator and for all */
    int64_t n_psi;                   /* shape functions, filled up with zeros */
    int64_t n_computed;              /* sc: those that whole vectors hold */
    int n_factors;
    ritz_modal_factor factors[3];
    int64_t n_modes; /* of all factors */
} sizes;

static sizes get_sizes(const ritz_case *c, variant v, const int32_t *parameters)
{
    sizes s = {.of = ritz_case_get_sizes(c)};
    const int64_t vector = parameters[VECTOR], multiple = ritz_max64(vector, ROW_MULTIPLE);
    const ritz_form_traits *t = &c->traits;
    s.columns = v.dd ? vector : vector / 4;
    s.column_vectors = (s.of.n_shape + s.columns - 1) / s.columns;
    s.accumulators = v.dd ? t->n_sums : ritz_min64(t->n_sums, t->n_weights);
    s.row_vectors = ritz_round_up(s.of.n_shape * (v.dd ? 1 : 4), multiple) / vector;
    s.row_bytes = s.accumulators * s.row_vectors * vector * s.of.real_bytes;
    s.n_psi = ritz_round_up(s.of.n_shape, ritz_max64(s.columns, parameters[UNROLL_I]));
    s.n_computed = ritz_round_up(s.n_psi, vector);
    s.n_factors = ritz_modal_factors(c->cell, c->order, s.factors);
    for (int f = 0; f < s.n_factors; f++)
        s.n_modes += s.factors[f].n_modes;
    return s;
}

/* Bytes beside the sums: shape functions and their derivatives at one point, modes, the part of the load. */
static int64_t workspace_bytes(const ritz_case *c, variant v, const sizes *s, const int32_t *parameters, int64_t rows)
{
    const int64_t load = c->traits.load ? ritz_round_up(rows * c->n_components, parameters[VECTOR]) : 0;
    return (4 * s->n_psi + (v.computed ? 4 * s->n_modes : 0) + load) * s->of.real_bytes;
}

/* Vectors and unrolling: Krużel and Banaś's (2013) are 4, and 2 and 2 (dd) or 2 and 8 (wf). */
static ritz_status choose_vectors(const ritz_case *c, const ritz_device_info *limits, variant v, int32_t *parameters)
{
    ritz_status status = RITZ_OK;
    const int32_t native = c->precision == RITZ_F64 ? limits->vector_width_f64 : limits->vector_width_f32;
    const int64_t n_shape = ritz_cell_n_shape(c->cell, c->order);
    int32_t *vector = &parameters[VECTOR], *unroll_i = &parameters[UNROLL_I], *unroll_j = &parameters[UNROLL_J];
    if (!*vector)
        *vector = native >= 16 ? 16 : native >= 8 ? 8 : 4;
    RITZ_REQUIRE(*vector == 4 || *vector == 8 || *vector == 16, RITZ_ERROR_INPUT,
                 "'vector=%d': vectors have 4, 8 or 16 components; set one of these", (int)*vector);
    if (!*unroll_i)
        *unroll_i = 2;
    RITZ_REQUIRE((*unroll_i & (*unroll_i - 1)) == 0, RITZ_ERROR_INPUT,
                 "'unroll_i=%d': rows are unrolled by 1, 2, 4 or 8; set one of these", (int)*unroll_i);
    RITZ_REQUIRE(*unroll_i <= n_shape, RITZ_ERROR_INPUT,
                 "'unroll_i=%d' is more than the %d rows of Ae (%s cells of order %d); set it to fewer", (int)*unroll_i,
                 (int)n_shape, ritz_cell_name(c->cell), c->order);
    const int64_t columns = v.dd ? *vector : *vector / 4, most = (n_shape + columns - 1) / columns;
    if (!*unroll_j)
        *unroll_j = (int32_t)ritz_min64(v.dd ? 2 : 8, most);
    RITZ_REQUIRE(*unroll_j <= most, RITZ_ERROR_INPUT,
                 "'unroll_j=%d' is more than the %d vectors of a row (%d columns in each); set it to fewer",
                 (int)*unroll_j, (int)most, (int)columns);
done:
    return status;
}

/* Whether `rows` rows fit: into part_bytes where that is set, else with the work space, the quadrature's data and room
   for code and stack (three eighths, which gives Table 4 of Krużel and Banaś (2013)) into the fast memory. */
static bool rows_fit(const ritz_case *c, const ritz_device_info *limits, variant v, const sizes *s,
                     const int32_t *parameters, int64_t rows)
{
    const int64_t part = rows * s->row_bytes, quadrature = 4 * s->of.n_quad * s->of.real_bytes;
    if (parameters[PART_BYTES])
        return part <= parameters[PART_BYTES];
    return part + workspace_bytes(c, v, s, parameters, rows) + quadrature <= limits->local_memory / 8 * 5;
}

/* The fewest parts that fit, of rows in multiples of 8; fewer than 8 rows only where 8 do not fit. */
static ritz_status choose_rows(const ritz_case *c, const ritz_device_info *limits, variant v, const sizes *s,
                               const int32_t *parameters, int64_t *rows)
{
    const int64_t n_shape = s->of.n_shape;
    *rows = ritz_round_up(n_shape, ROW_MULTIPLE);
    for (int64_t parts = 2; *rows > ROW_MULTIPLE && !rows_fit(c, limits, v, s, parameters, *rows); parts++)
        *rows = ritz_round_up((n_shape + parts - 1) / parts, ROW_MULTIPLE);
    while (*rows > parameters[UNROLL_I] && !rows_fit(c, limits, v, s, parameters, *rows))
        *rows /= 2;
    if (parameters[PART_BYTES] && !rows_fit(c, limits, v, s, parameters, *rows))
        return ritz_fail(RITZ_ERROR_INPUT,
                         "'part_bytes=%d' does not hold the %lld bytes of sums of %d rows (unroll_i) of Ae; set it to "
                         "more",
                         (int)parameters[PART_BYTES], (long long)(*rows * s->row_bytes), (int)parameters[UNROLL_I]);
    return RITZ_OK;
}

static ritz_status plan_vectors(const ritz_case *c, const ritz_device_info *limits, variant v,
                                const int32_t *parameters, ritz_plan *plan)
{
    ritz_status status = RITZ_OK;
    int32_t p[RITZ_MAX_PARAMETERS] = {0};
    int64_t rows;
    for (int k = 0; k <= WORKERS; k++)
        p[k] = parameters[k];
    RITZ_TRY(choose_vectors(c, limits, v, p));
    const sizes s = get_sizes(c, v, p);
    RITZ_TRY(choose_rows(c, limits, v, &s, p, &rows));
    const int64_t parts = (s.of.n_shape + rows - 1) / rows, part = rows * s.row_bytes;
    const int64_t workspace = workspace_bytes(c, v, &s, p, rows);
    const int64_t fast = part + workspace - (v.computed ? 4 * s.n_modes * s.of.real_bytes : 0); /* modes are private */
    p[PART_BYTES] = (int32_t)part;
    p[LOCAL] = p[LOCAL] ? p[LOCAL] : (int32_t)ritz_plan_tuned(limits, RITZ_VECTORS_GROUP);
    const bool in_local_memory =
        ritz_plan_tuned(limits, RITZ_VECTORS_LOCAL_MEMORY) != 0 && p[LOCAL] == 1 && fast <= limits->local_memory;
    const int64_t scratch = in_local_memory ? 0 : fast * p[LOCAL];
    p[WORKERS] = (int32_t)ritz_plan_fit_workers(
        limits, ritz_plan_workers(c, limits, p[WORKERS], RITZ_VECTORS_GROUPS_PER_UNIT), scratch);
    *plan = (ritz_plan){.layout =
                            ritz_layout_planes(c, p[LOCAL], false, (int32_t)ritz_round_up(s.of.n_shape, ROW_MULTIPLE)),
                        .local_size = p[LOCAL],
                        .n_workers = p[WORKERS],
                        .most_sharing = parts,
                        .scratch_bytes = scratch,
                        .local_bytes = in_local_memory ? fast : 0};
    for (int k = 0; k <= WORKERS; k++)
        plan->parameters[k] = p[k];
    ritz_plan_set_launch(c, limits, plan);
    ritz_plan_add_figure(plan, "parts", (double)parts);
    ritz_plan_add_figure(plan, "rows_per_part", (double)rows);
    ritz_plan_add_figure(plan, "padded_bytes", (double)(plan->layout.matrix_entries * s.of.real_bytes));
    ritz_plan_add_figure(plan, "workspace_bytes", (double)workspace);
done:
    return status;
}

static int64_t rows_of(const sizes *s, const ritz_plan *plan)
{
    return plan->parameters[PART_BYTES] / s->row_bytes;
}

/* Where the tables of a method that computes shape functions start. */
static int64_t points_at(int order)
{
    return ritz_round_up((2 * order + 3) * order * 3, TABLE_MULTIPLE);
}

static int64_t coefficients_at(const ritz_case *c, const sizes *s, int factor)
{
    int64_t at = points_at(c->order) + ritz_round_up(s->of.n_quad * s->of.dim, TABLE_MULTIPLE);
    for (int f = 0; f < factor; f++)
        at += ritz_round_up(s->n_computed * s->factors[f].n_modes, TABLE_MULTIPLE);
    return at;
}

static void define_modes(const ritz_case *c, const sizes *s, ritz_text *header)
{
    int modes_at = 0;
    ritz_text_add(header, "#define N_MODES %d\n#define RECURRENCE_AT 0\n#define POINTS_AT %d\n#define FACTORS(F)",
                  (int)s->n_modes, (int)points_at(c->order));
    for (int f = 0; f < s->n_factors; f++) {
        ritz_text_add(header, " F(%d, %d, %d, %d, %d)", s->factors[f].dim, s->factors[f].first_axis,
                      s->factors[f].n_modes, modes_at, (int)coefficients_at(c, s, f));
        modes_at += s->factors[f].n_modes;
    }
    ritz_text_add(header, "\n");
}

static void define_vectors(const ritz_case *c, const ritz_plan *plan, variant v, ritz_text *header)
{
    const int32_t *p = plan->parameters;
    const sizes s = get_sizes(c, v, p);
    const int64_t rows = rows_of(&s, plan);
    ritz_text_add(header,
                  "#define ORDER %d\n#define DD %d\n#define COMPUTED %d\n#define VECTOR %d\n#define UNROLL_I %d\n"
                  "#define UNROLL_J %d\n#define ROWS %d\n#define N_PARTS %d\n#define ROW_VECTORS %d\n#define N_PSI %d\n"
                  "#define LOCAL %d\n#define WIDTH %d\n#define LANES 1\n#define NODE_STRIDE WIDTH\n"
                  "#define IN_LOCAL_MEMORY %d\n#define FAST %s\ntypedef real realv;\n",
                  c->order, v.dd, v.computed, (int)p[VECTOR], (int)p[UNROLL_I], (int)p[UNROLL_J], (int)rows,
                  (int)((s.of.n_shape + rows - 1) / rows), (int)s.row_vectors, (int)s.n_psi, (int)plan->local_size,
                  (int)plan->layout.width, plan->local_bytes > 0, plan->local_bytes > 0 ? "__local" : "__global");
    if (v.computed)
        define_modes(c, &s, header);
}

/* Shape functions read: at each point, vectors of j for the value and each derivative (dd), or for each j the value
   and the derivatives (wf, four numbers). */
static ritz_status read_tables(const ritz_integral *integral, const sizes *s, variant v, double **values, int64_t *n)
{
    ritz_status status = RITZ_OK;
    ritz_tables *t = NULL;
    double *table = NULL;
    const int64_t lanes = v.dd ? s->columns : 1, parts = v.dd ? s->of.dim + 1 : 4;
    *n = s->of.n_quad * s->n_psi * parts;
    RITZ_NEW(table, *n);
    RITZ_TRY(ritz_tables_create_quadrature(integral->batch, ritz_integral_degree(integral), &t));
    for (int64_t q = 0; q < s->of.n_quad; q++)
        for (int64_t D = 0; D <= s->of.dim; D++)
            for (int64_t j = 0; j < s->of.n_shape; j++)
                table[((q * s->n_psi + j - j % lanes) * parts) + D * lanes + j % lanes] =
                    t->psi[(q * (s->of.dim + 1) + D) * s->of.n_shape + j];
    *values = table;
    table = NULL;
done:
    ritz_tables_destroy(&t);
    ritz_free(table);
    return status;
}

/* Shape functions computed: the recurrence's numbers, the points, and of each factor the coefficients: for a vector of
   j those of all modes. */
static ritz_status mode_tables(const ritz_integral *integral, const ritz_case *c, const sizes *s, int64_t lanes,
                               double **values, int64_t *n)
{
    ritz_status status = RITZ_OK;
    ritz_quadrature *quadrature = NULL;
    double *table = NULL, *coefficients = NULL;
    *n = coefficients_at(c, s, s->n_factors);
    RITZ_NEW(table, *n);
    RITZ_NEW(coefficients, s->of.n_shape * s->n_modes);
    RITZ_TRY(ritz_quadrature_create(c->cell, ritz_integral_degree(integral), &quadrature));
    ritz_modal_recurrence(c->order, table);
    for (int64_t k = 0; k < s->of.n_quad * s->of.dim; k++)
        table[points_at(c->order) + k] = quadrature->points[k];
    for (int f = 0; f < s->n_factors; f++) {
        const int64_t n_modes = s->factors[f].n_modes;
        double *of_factor = table + coefficients_at(c, s, f);
        RITZ_TRY(ritz_modal_coefficients(integral->batch->basis, &s->factors[f], coefficients));
        for (int64_t j = 0; j < s->of.n_shape; j++)
            for (int64_t m = 0; m < n_modes; m++)
                of_factor[(j - j % lanes) * n_modes + m * lanes + j % lanes] = coefficients[j * n_modes + m];
    }
    *values = table;
    table = NULL;
done:
    ritz_quadrature_destroy(&quadrature);
    ritz_free(coefficients);
    ritz_free(table);
    return status;
}

static ritz_status make_tables(const ritz_integral *integral, const ritz_plan *plan, variant v, double **values,
                               int64_t *n)
{
    ritz_case c;
    ritz_case_of(integral, RITZ_F64, &c); /* the tables are the same for both */
    const sizes s = get_sizes(&c, v, plan->parameters);
    return v.computed ? mode_tables(integral, &c, &s, plan->parameters[VECTOR], values, n)
                      : read_tables(integral, &s, v, values, n);
}

/* Operations of kernels/vectors.cl on whole vectors, idle components included. */
enum { MULTIPLY = 12 }; /* two functions with their derivatives, as real4 */

static double count_jacobi(int top)
{
    return MULTIPLY + (top > 0 ? 12 : 0) + (top > 1 ? (top - 1) * (12 + 2 * MULTIPLY + 8) : 0);
}

static double count_modes(const ritz_modal_factor *factor, int p)
{
    double n = 12.0 * factor->dim + count_jacobi(p);
    for (int i = 0; i <= p && factor->dim > 1; i++) {
        n += count_jacobi(p - i) + MULTIPLY * (p - i + 1);
        for (int j = 0; j <= p - i && factor->dim > 2; j++)
            n += count_jacobi(p - i - j) + MULTIPLY * (p - i - j + 1);
    }
    return n;
}

/* Shape functions and their derivatives in space at one point. */
static double count_tabulate(const ritz_case *c, variant v, const sizes *s)
{
    const double n_psi = (double)s->n_psi;
    const int dim = s->of.dim;
    double n = n_psi * (v.dd ? dim * (2 * dim - 1) : 8 * dim);
    for (int f = 0; f < s->n_factors && v.computed; f++) {
        const ritz_modal_factor *factor = &s->factors[f];
        n += count_modes(factor, c->order) + (double)s->n_computed * factor->n_modes * (1 + factor->dim) * 2;
        if (factor->first_axis > 0)
            n += (double)s->n_computed * (1 + factor->first_axis + factor->dim);
    }
    return n;
}

static double count_vectors(const ritz_case *c, const ritz_plan *plan, variant v, const ritz_form_counts *counts)
{
    const int32_t *p = plan->parameters;
    const sizes s = get_sizes(c, v, p);
    const int64_t rows = rows_of(&s, plan), n_shape = s.of.n_shape, parts = (n_shape + rows - 1) / rows;
    const double last = (double)ritz_round_up(n_shape - (parts - 1) * rows, p[UNROLL_I]);
    const double computed_rows = (double)((parts - 1) * rows) + last, n_quad = (double)s.of.n_quad;
    const double row_reals = (double)(s.column_vectors * p[VECTOR]), products = counts->accumulate / 2;
    const bool by_sum = c->traits.n_sums <= c->traits.n_weights;
    const double spread = v.dd || !by_sum ? 0 : products, update = v.dd ? counts->accumulate : 2.0 * s.accumulators;
    const double collect = v.dd ? 0 : by_sum ? 3 * c->traits.n_sums : products;
    const double map = ritz_count_map(c), map_points = s.of.affine ? 0 : n_quad;
    const double once_a_part =
        map_points * map + n_quad * (1 + ritz_count_point_coefficients(c, counts) + count_tabulate(c, v, &s));
    return counts->constants + (s.of.affine ? map : 0) + (double)parts * once_a_part +
           n_quad * computed_rows * (counts->weight + spread + row_reals * update) +
           n_quad * (double)n_shape * counts->load + (double)(n_shape * n_shape) * (counts->finish + collect);
}

static bool vectors_apply(const ritz_case *c, const ritz_device_info *limits)
{
    (void)c;
    (void)limits;
    return true;
}

/* An entry of the registry and the functions that know its variant. */
#define METHOD(id, text, is_dd, is_computed, sentence)                                                                 \
    static const variant variant_##id = {is_dd, is_computed};                                                          \
    static ritz_status plan_##id(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters,        \
                                 ritz_plan *plan)                                                                      \
    {                                                                                                                  \
        return plan_vectors(c, limits, variant_##id, parameters, plan);                                                \
    }                                                                                                                  \
    static void defines_##id(const ritz_case *c, const ritz_plan *plan, ritz_text *header)                             \
    {                                                                                                                  \
        define_vectors(c, plan, variant_##id, header);                                                                 \
    }                                                                                                                  \
    static ritz_status tables_##id(const ritz_integral *integral, const ritz_plan *plan, double **values, int64_t *n)  \
    {                                                                                                                  \
        return make_tables(integral, plan, variant_##id, values, n);                                                   \
    }                                                                                                                  \
    static double operations_##id(const ritz_case *c, const ritz_plan *plan, const ritz_form_counts *counts)           \
    {                                                                                                                  \
        return count_vectors(c, plan, variant_##id, counts);                                                           \
    }                                                                                                                  \
    const ritz_method ritz_method_##id = {                                                                             \
        .name = (text),                                                                                                \
        .source = (is_dd) ? "Krużel and Banaś (2013), Algorithm 2" : "Krużel and Banaś (2013), Algorithm 3",           \
        .summary = (sentence),                                                                                         \
        .kernel_path = "integrate/kernels/vectors.cl",                                                                 \
        .kernel_name = "integrate",                                                                                    \
        .n_parameters = 6,                                                                                             \
        .parameters = {[VECTOR] = {"vector", "components of a vector (4, 8, 16)", 1, 16, false},                       \
                       [UNROLL_I] = {"unroll_i", "rows of Ae at once (1, 2, 4, 8)", 1, 8, false},                      \
                       [UNROLL_J] = {"unroll_j", "vectors of a row at once", 1, 16, false},                            \
                       [PART_BYTES] = {"part_bytes", "most bytes of sums in a part of Ae", 1, 1 << 30, true},          \
                       [LOCAL] = {"local", "work-items per group", 1, 1024, false},                                    \
                       [WORKERS] = {"workers", "work-groups in flight", 1, 1 << 20, false}},                           \
        .applies = vectors_apply,                                                                                      \
        .plan = plan_##id,                                                                                             \
        .defines = defines_##id,                                                                                       \
        .tables = tables_##id,                                                                                         \
        .operations = operations_##id};

METHOD(dd_sc, "dd-sc", true, true,
       "one element per work-item, vectors over the columns of Ae, shape functions computed from modes")
METHOD(dd_sr, "dd-sr", true, false, "one element per work-item, vectors over the columns of Ae, shape functions read")
METHOD(wf_sc, "wf-sc", false, true,
       "one element per work-item, vectors over the space dimensions, shape functions computed from modes")
METHOD(wf_sr, "wf-sr", false, false,
       "one element per work-item, vectors over the space dimensions, shape functions read")
