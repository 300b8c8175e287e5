/* A matrix brought to the host and scaled by powers of 2, its factors, and solves that are refined until rounding ends
   them. */
#include "direct/direct.h"
#include "direct/mumps.h"

#include <float.h>
#include <math.h>

struct ritz_direct {
    ritz_entries entries; /* of S A S */
    bool definite;        /* tried as such */
    ritz_precision precision;
    double rounding; /* of the entries as they were given */
    double *scale;   /* [n] S: powers of 2, so that no entry is rounded */
    double *weight;  /* [n] of a scaled residual's square: 1 / (|D| S^2), 1 to 4 or 1/4 */
    ritz_mumps *mumps;
    ritz_direct_facts facts;
    long double *residual;  /* [n] */
    double *b, *correction; /* [n] */
    int64_t memory_most;
};

/* A pivot of the scaled matrix that is no larger has no correct digit left. */
static const double least_pivot = 16 * DBL_EPSILON;
/* Where rounding outweighs the stiffness, what hardly anything holds is looked for below this. */
static const double least_firm_pivot = 1e-10;
/* Corrections that fall by less lead nowhere: the condition is 1 / rounding or so. */
static const double slowest = 0.5;
/* Where the first correction is a larger fraction of x, rounding of the matrix's own entries has made another one of
   it. */
static const double sensitivity_most = 1e-2;
/* A solution whose own rounding leaves a larger residual is none, as limited by rounding says in ritz/solve.h. */
static const double residual_most = 1e-3;
enum { REFINEMENTS_MOST = 20 };

/* ---- The matrix on the host ---- */

/* The b values of row `row` in block `k`. */
static const double *row_of_block(const ritz_rows *r, int64_t k, int64_t row)
{
    return r->values + (k * r->block + row % r->block) * r->block;
}

/* Of each scalar row the root of the diagonal's size, and the size of the largest entry. */
static ritz_status find_largest(const ritz_rows *r, double *root, double *largest, bool *positive)
{
    ritz_status status = RITZ_OK;
    *positive = true;
    for (int64_t row = 0; row < r->n_rows * r->block; row++) {
        bool finite = true, above = false;
        const int64_t block_row = row / r->block;
        for (int64_t k = r->row_start[block_row]; k < r->row_start[block_row + 1]; k++) {
            const double *v = row_of_block(r, k, row);
            for (int c = 0; c < r->block; c++) {
                finite = finite && isfinite(v[c]);
                largest[row] = fabs(v[c]) > largest[row] ? fabs(v[c]) : largest[row];
            }
            if (r->columns[k] == block_row) {
                root[row] = sqrt(fabs(v[row % r->block]));
                above = v[row % r->block] > 0;
            }
        }
        RITZ_REQUIRE(finite, RITZ_ERROR_INPUT,
                     "the matrix is not a finite number somewhere in row %lld; look for NaN or infinity in "
                     "the coefficients and coordinates",
                     (long long)row);
        *positive = *positive && above;
    }
done:
    return status;
}

/* What eliminating the others would give a row beside its diagonal: the most of a_ij^2 / a_jj where that is more than a definite matrix
   has, of the smaller one of two diagonals, as of a pressure or a Lagrange multiplier, which have none or next to none. */
static double size_of_row(const ritz_rows *r, int64_t row, const double *root)
{
    double size = root[row] * root[row];
    for (int64_t k = r->row_start[row / r->block]; k < r->row_start[row / r->block + 1]; k++) {
        const double *v = row_of_block(r, k, row), *other = root + (int64_t)r->columns[k] * r->block;
        for (int c = 0; c < r->block; c++)
            if (other[c] > root[row] && fabs(v[c]) > 2 * root[row] * other[c])
                size = fmax(size, (v[c] / other[c]) * (v[c] / other[c]));
    }
    return size;
}

/* Sizes of the scalar rows: the diagonal's, of symmetric matrices no less than the above; of rows without one the largest entry's; 0 where
   the row is. */
static void measure_rows(const ritz_rows *r, bool symmetric, const double *root, const double *largest, double *size)
{
    for (int64_t row = 0; row < r->n_rows * r->block; row++) {
        const double own = symmetric ? size_of_row(r, row, root) : root[row] * root[row];
        size[row] = own > 0 && isfinite(own) ? own : largest[row];
    }
}

/* Whether block k of block row `row` is the transpose of block `image`, or zero where that is -1: |a_ij - a_ji| within rounding of
   sums beside sqrt(s_i s_j), as half storage has it (matrix/symmetric.c); where one of them is 0, beside the lesser of s_i and s_j: in
   rows of prescribed values s may be far larger than what couples others to them. */
static bool is_mirrored(const ritz_rows *r, int64_t k, int64_t row, int64_t image, const double *size, double rounding)
{
    const int b = r->block;
    const double *v = row_of_block(r, k, 0), *w = image < 0 ? NULL : row_of_block(r, image, 0);
    const double *row_size = size + row * b, *column_size = size + (int64_t)r->columns[k] * b;
    bool same = true;
    for (int i = 0; i < b; i++)
        for (int j = 0; j < b; j++) {
            const double one = v[i * b + j], other = w ? w[j * b + i] : 0, difference = fabs(one - other);
            const double size_of_both =
                one == 0 || other == 0 ? fmin(row_size[i], column_size[j]) : sqrt(row_size[i] * column_size[j]);
            same = same && (difference == 0 || difference <= rounding * size_of_both);
        }
    return same;
}

/* Row by row, the upper half of each row is walked through once, as its mirror images come. */
static ritz_status check_symmetry(const ritz_rows *r, const double *size, double rounding, bool *symmetric)
{
    ritz_status status = RITZ_OK;
    int64_t *next = NULL; /* of each block row the first block of its upper half whose image has not come */
    bool same = true;
    RITZ_NEW(next, r->n_rows);
    for (int64_t row = 0; row < r->n_rows && same; row++) {
        int64_t k = r->row_start[row];
        for (; k < r->row_start[row + 1] && r->columns[k] < row; k++) {
            const int32_t column = r->columns[k];
            int64_t image = -1;
            for (; next[column] < r->row_start[column + 1] && r->columns[next[column]] <= row; next[column]++)
                if (r->columns[next[column]] == row)
                    image = next[column];
                else
                    same = same && is_mirrored(r, next[column], column, -1, size, rounding);
            same = same && is_mirrored(r, k, row, image, size, rounding);
        }
        next[row] = k;
        if (k < r->row_start[row + 1] && r->columns[k] == row) {
            same = same && is_mirrored(r, k, row, k, size, rounding);
            next[row]++;
        }
    }
    for (int64_t row = 0; row < r->n_rows && same; row++)
        for (int64_t k = next[row]; k < r->row_start[row + 1]; k++)
            same = same && is_mirrored(r, k, row, -1, size, rounding);
    *symmetric = same;
done:
    ritz_free(next);
    return status;
}

/* Columns of the scalar row in block k that are taken: all, or those up to the diagonal. */
static int columns_taken(const ritz_rows *r, int64_t k, int64_t row, bool lower)
{
    const int64_t up_to = row + 1 - (int64_t)r->columns[k] * r->block;
    return lower ? (int)ritz_max64(0, ritz_min64(up_to, r->block)) : r->block;
}

/* The entries that are not zero, all of them or the lower half, scaled, row by row. */
static ritz_status take_entries(const ritz_rows *r, ritz_direct *d)
{
    ritz_status status = RITZ_OK;
    ritz_entries *e = &d->entries;
    int64_t count = 0;
    for (int64_t row = 0; row < e->n; row++)
        for (int64_t k = r->row_start[row / r->block]; k < r->row_start[row / r->block + 1]; k++) {
            const double *v = row_of_block(r, k, row);
            const int n = columns_taken(r, k, row, e->symmetric);
            for (int c = 0; c < n; c++)
                count += v[c] != 0;
        }
    RITZ_NEW(e->row, count);
    RITZ_NEW(e->column, count);
    RITZ_NEW(e->value, count);
    for (int64_t row = 0; row < e->n; row++)
        for (int64_t k = r->row_start[row / r->block]; k < r->row_start[row / r->block + 1]; k++) {
            const double *v = row_of_block(r, k, row);
            const int n = columns_taken(r, k, row, e->symmetric);
            for (int c = 0; c < n; c++)
                if (v[c] != 0) {
                    const int32_t column = r->columns[k] * r->block + c;
                    e->row[e->count] = (int32_t)row + 1;
                    e->column[e->count] = column + 1;
                    e->value[e->count++] = d->scale[row] * v[c] * d->scale[column];
                }
        }
done:
    return status;
}

/* Powers of 2, and what the norms of residuals need besides. */
static ritz_status scale_rows(const double *size, ritz_direct *d)
{
    ritz_status status = RITZ_OK;
    const int64_t n = d->entries.n;
    RITZ_NEW(d->scale, n);
    RITZ_NEW(d->weight, n);
    for (int64_t row = 0; row < n; row++) {
        RITZ_REQUIRE(size[row] > 0, RITZ_ERROR_INPUT,
                     "row %lld of the matrix is empty: no element gives this unknown any stiffness", (long long)row);
        d->scale[row] = ldexp(1, -(ilogb(size[row]) / 2));
        d->weight[row] = 1 / (size[row] * d->scale[row] * d->scale[row]);
    }
done:
    return status;
}

static ritz_status take_matrix(const ritz_matrix *matrix, ritz_direct *d)
{
    ritz_status status = RITZ_OK;
    ritz_rows *r = NULL;
    double *size = NULL, *root = NULL, *largest = NULL;
    d->precision = matrix->precision;
    d->rounding = matrix->value_type == RITZ_VALUES_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    RITZ_REQUIRE(matrix->n_unknowns == matrix->n_scalar_columns, RITZ_ERROR_INPUT,
                 "a matrix of %lld rows and %lld columns cannot be a system; it must be square",
                 (long long)matrix->n_unknowns, (long long)matrix->n_scalar_columns);
    d->entries.n = (int32_t)matrix->n_unknowns;
    d->entries.block = matrix->n_unknowns % matrix->block ? 1 : matrix->block;
    RITZ_TRY(ritz_matrix_get_rows(matrix, d->entries.block, &r));
    RITZ_NEW(size, d->entries.n);
    RITZ_NEW(root, d->entries.n);
    RITZ_NEW(largest, d->entries.n);
    RITZ_TRY(find_largest(r, root, largest, &d->definite));
    measure_rows(r, true, root, largest, size);
    RITZ_TRY(check_symmetry(r, size, 256 * d->rounding, &d->entries.symmetric));
    if (!d->entries.symmetric)
        measure_rows(r, false, root, largest, size);
    RITZ_TRY(scale_rows(size, d));
    RITZ_TRY(take_entries(r, d));
done:
    ritz_rows_destroy(&r);
    ritz_free(size);
    ritz_free(root);
    ritz_free(largest);
    return status;
}

/* ---- Factors ---- */

ritz_status ritz_direct_analyse(const ritz_matrix *matrix, ritz_direct **direct)
{
    ritz_status status = RITZ_OK;
    ritz_direct *d = NULL;
    const double start = ritz_seconds();
    RITZ_NEW(d, 1);
    RITZ_TRY(take_matrix(matrix, d));
    RITZ_TRY(ritz_check_interrupt());
    RITZ_TRY(ritz_mumps_create(&d->entries, d->definite, &d->facts, &d->mumps));
    RITZ_TRY(ritz_check_interrupt());
    d->facts.analyse_seconds = ritz_seconds() - start;
    *direct = d;
    d = NULL;
done:
    ritz_direct_destroy(&d);
    return status;
}

void ritz_direct_destroy(ritz_direct **direct)
{
    if (!direct || !*direct)
        return;
    ritz_direct *d = *direct;
    ritz_mumps_destroy(&d->mumps);
    ritz_free(d->entries.row);
    ritz_free(d->entries.column);
    ritz_free(d->entries.value);
    ritz_free(d->scale);
    ritz_free(d->weight);
    ritz_free(d->residual);
    ritz_free(d->b);
    ritz_free(d->correction);
    ritz_free(d);
    *direct = NULL;
}

const char *ritz_factorisation_name(ritz_factorisation factorisation)
{
    static const char *const names[] = {[RITZ_NOT_FACTORISED] = "none",
                                        [RITZ_LDLT] = "LDL^T",
                                        [RITZ_LDLT_PIVOTED] = "LDL^T with pivoting",
                                        [RITZ_LU] = "LU"};
    return (unsigned)factorisation < sizeof names / sizeof *names ? names[factorisation] : "unknown";
}

const ritz_direct_facts *ritz_direct_get_facts(const ritz_direct *direct)
{
    return &direct->facts;
}

ritz_status ritz_direct_check_memory(const ritz_direct *d, int64_t most)
{
    const int64_t room = most > 0 ? most : ritz_host_free_bytes();
    if (d->facts.bytes <= room)
        return RITZ_OK;
    return ritz_fail(
        RITZ_ERROR_MEMORY,
        "the factors of the matrix (%lld unknowns, about %.3g nonzeros) need %.3g GB of the host's memory, "
        "and %.3g GB %s; use an iterative method (cg, bicgstab or gmres), a coarser mesh or a lower order%s",
        (long long)d->entries.n, (double)d->facts.factor_nonzeros, (double)d->facts.bytes / 1e9, (double)room / 1e9,
        most > 0 ? "are allowed" : "are free", most > 0 ? ", or allow more" : "");
}

static ritz_status factorise_matrix(ritz_direct *d)
{
    ritz_status status = RITZ_OK;
    int32_t n_null = 0, null_row = 0;
    RITZ_TRY(ritz_direct_check_memory(d, d->memory_most));
    RITZ_TRY(ritz_mumps_factorise(d->mumps, least_pivot, &d->facts, &n_null, &null_row));
    RITZ_TRY(ritz_check_interrupt());
    RITZ_REQUIRE(n_null == 0, RITZ_ERROR_INPUT,
                 "the matrix is singular: %d of its %d unknowns, that of row %d %s, %s no stiffness left once the "
                 "others are held; something is free to move there: check that the supports hold every part, and parts "
                 "that hang on a single node or edge",
                 n_null, d->entries.n, null_row, n_null > 1 ? "among them" : "alone", n_null > 1 ? "have" : "has");
    d->facts.factorisation = !d->entries.symmetric ? RITZ_LU : d->definite ? RITZ_LDLT : RITZ_LDLT_PIVOTED;
done:
    return status;
}

/* Once more, with pivoting, which finds pivots that are zero as well. */
static ritz_status factorise_pivoted(ritz_direct *d)
{
    ritz_status status = RITZ_OK;
    const double start = ritz_seconds();
    d->definite = false;
    d->facts.factorisation = RITZ_NOT_FACTORISED;
    ritz_mumps_destroy(&d->mumps);
    RITZ_TRY(ritz_mumps_create(&d->entries, false, &d->facts, &d->mumps));
    RITZ_TRY(factorise_matrix(d));
    d->facts.factorise_seconds += ritz_seconds() - start;
done:
    return status;
}

ritz_status ritz_direct_factorise(ritz_direct *d, int64_t memory_most)
{
    ritz_status status = RITZ_OK;
    const double start = ritz_seconds();
    d->memory_most = memory_most;
    ritz_progress("factorise", 0);
    status = factorise_matrix(d);
    if (status == RITZ_ERROR_INPUT && d->entries.symmetric && d->definite) {
        /* Without pivoting one that is zero ends it, which an indefinite matrix that is not singular may have. */
        ritz_log("direct: a pivot is zero; factorised once more, with pivoting");
        status = factorise_pivoted(d);
    }
    RITZ_TRY(status);
    d->facts.factorise_seconds = ritz_seconds() - start;
    if (d->facts.factorisation == RITZ_LDLT && d->facts.negative_pivots > 0) {
        ritz_log("direct: %lld pivots are negative; factorised once more, with pivoting",
                 (long long)d->facts.negative_pivots);
        RITZ_TRY(factorise_pivoted(d));
    }
    RITZ_NEW(d->residual, d->entries.n);
    RITZ_NEW(d->b, d->entries.n);
    RITZ_NEW(d->correction, d->entries.n);
    ritz_progress("factorise", 1);
done:
    return status;
}

ritz_status ritz_direct_find_null(const ritz_matrix *matrix, int64_t memory_most, bool nearly, double *x, bool *found)
{
    ritz_status status = RITZ_OK;
    ritz_direct *d = NULL;
    int32_t n_null = 0, row = 0;
    RITZ_NEW(d, 1);
    d->memory_most = memory_most;
    RITZ_TRY(take_matrix(matrix, d));
    RITZ_TRY(ritz_mumps_create(&d->entries, false, &d->facts, &d->mumps));
    RITZ_TRY(ritz_direct_check_memory(d, d->memory_most));
    RITZ_TRY(ritz_mumps_factorise(d->mumps, nearly ? least_firm_pivot : least_pivot, &d->facts, &n_null, &row));
    *found = n_null > 0;
    if (*found)
        RITZ_TRY(ritz_mumps_get_null(d->mumps, x));
    for (int32_t i = 0; i < d->entries.n && *found; i++)
        x[i] *= d->scale[i];
done:
    ritz_direct_destroy(&d);
    return status;
}

/* ---- Solves ---- */

typedef struct norms {
    double scaled, plain; /* squares: with D^-1 and without */
} norms;

/* Of a vector of the scaled system. */
static norms measure_vector(const ritz_direct *d, const double *v)
{
    norms sum = {0};
    for (int32_t i = 0; i < d->entries.n; i++) {
        const double value = v[i] / d->scale[i];
        sum.scaled += d->weight[i] * v[i] * v[i];
        sum.plain += value * value;
    }
    return sum;
}

/* correction = b - A x, summed in extended precision: rounded once. Entries come row by row, so that one sum stays in a register. */
static void form_residual(ritz_direct *d, const double *x)
{
    const ritz_entries *e = &d->entries;
    for (int32_t i = 0; i < e->n; i++)
        d->residual[i] = d->b[i];
    for (int64_t k = 0; k < e->count;) {
        const int32_t i = e->row[k] - 1;
        long double sum = 0;
        for (; k < e->count && e->row[k] == i + 1; k++) {
            const int32_t j = e->column[k] - 1;
            sum += (long double)e->value[k] * x[j];
            if (e->symmetric && i != j)
                d->residual[j] -= (long double)e->value[k] * x[i];
        }
        d->residual[i] -= sum;
    }
    for (int32_t i = 0; i < e->n; i++)
        d->correction[i] = (double)d->residual[i];
}

/* Adds the correction to x; its size beside x in the largest entries. */
static double add_correction(const ritz_direct *d, double *x)
{
    double largest = 0, change = 0;
    for (int32_t i = 0; i < d->entries.n; i++) {
        x[i] += d->correction[i];
        largest = fmax(largest, fabs(x[i]));
        change = fmax(change, fabs(d->correction[i]));
    }
    return largest > 0 ? change / largest : change;
}

/* x of the scaled system from zero. */
static ritz_status refine_solution(ritz_direct *d, double tolerance, double *x, norms b, ritz_direct_end *end)
{
    ritz_status status = RITZ_OK;
    double before = INFINITY;
    for (int32_t i = 0; i < d->entries.n; i++) {
        x[i] = 0;
        d->correction[i] = d->b[i];
    }
    for (end->refinements = -1; end->refinements < REFINEMENTS_MOST; before = end->correction) {
        RITZ_TRY(ritz_mumps_solve(d->mumps, d->correction));
        RITZ_TRY(ritz_check_interrupt());
        end->correction = add_correction(d, x);
        end->refinements++;
        if (end->refinements == 1) /* what the rounding of a factorisation does, that of the entries does as well */
            end->sensitivity = end->correction / DBL_EPSILON * d->rounding;
        form_residual(d, x);
        const norms left = measure_vector(d, d->correction);
        end->residual = sqrt(left.scaled / b.scaled);
        end->true_residual = sqrt(left.plain / b.plain);
        const bool exact = end->refinements > 0 && end->correction <= tolerance;
        if ((exact && end->residual <= tolerance) || (end->refinements > 0 && !(end->correction < slowest * before)) ||
            (exact && end->correction <= 4 * DBL_EPSILON))
            break;
    }
done:
    return status;
}

/* The right-hand side of the scaled system, and its norms: 0 for zeros. */
static ritz_status take_right_hand_side(ritz_direct *d, const double *b, norms *norm)
{
    ritz_status status = RITZ_OK;
    bool zero = true;
    for (int32_t i = 0; i < d->entries.n; i++) {
        RITZ_REQUIRE(isfinite(b[i]), RITZ_ERROR_INPUT,
                     "the right-hand side is not a finite number in row %d; look for NaN or infinity in loads and "
                     "boundary values",
                     i);
        zero = zero && b[i] == 0;
        d->b[i] = d->scale[i] * b[i];
    }
    *norm = measure_vector(d, d->b);
    RITZ_REQUIRE(zero || (isnormal(norm->scaled) && isnormal(norm->plain)), RITZ_ERROR_INPUT,
                 "the right-hand side is too large or too small for its square to be a number; choose units that bring "
                 "loads nearer to 1");
done:
    return status;
}

/* Single precision has fewer powers of ten than the double that it was solved in. */
static ritz_status check_range(const ritz_direct *d, const double *x)
{
    ritz_status status = RITZ_OK;
    double largest = 0;
    if (d->precision == RITZ_F64)
        return RITZ_OK;
    for (int32_t i = 0; i < d->entries.n; i++)
        largest = fmax(largest, fabs(d->scale[i] * x[i]));
    const double held = largest <= (double)FLT_MAX ? (double)(float)largest : 0;
    RITZ_REQUIRE(fabs(held - largest) <= 1e-6 * largest, RITZ_ERROR_INPUT,
                 "the largest unknown of the solution is %.3g, which single precision can not hold; take precision "
                 "double, or units that bring it nearer to 1",
                 largest);
done:
    return status;
}

/* x of the system as it was given, rounded to the matrix's precision. */
static void unscale_solution(ritz_direct *d, double *x, norms b, ritz_direct_end *end)
{
    if (d->precision == RITZ_F32) {
        for (int32_t i = 0; i < d->entries.n; i++)
            x[i] = (double)(float)(d->scale[i] * x[i]) / d->scale[i];
        form_residual(d, x);
        const norms left = measure_vector(d, d->correction);
        end->residual = sqrt(left.scaled / b.scaled);
        end->true_residual = sqrt(left.plain / b.plain);
    }
    for (int32_t i = 0; i < d->entries.n; i++)
        x[i] *= d->scale[i];
}

ritz_status ritz_direct_solve(ritz_direct *d, double tolerance, const double *b, double *x, ritz_direct_end *end)
{
    ritz_status status = RITZ_OK;
    const double start = ritz_seconds();
    norms norm = {0};
    *end = (ritz_direct_end){0};
    RITZ_TRY(take_right_hand_side(d, b, &norm));
    if (norm.plain == 0) {
        for (int32_t i = 0; i < d->entries.n; i++)
            x[i] = 0;
        goto done;
    }
    if (d->facts.factorisation == RITZ_NOT_FACTORISED) /* what was tried for an earlier right-hand side has failed */
        RITZ_TRY(factorise_pivoted(d));
    RITZ_TRY(refine_solution(d, tolerance, x, norm, end));
    if (!(end->sensitivity <= sensitivity_most) && d->facts.factorisation == RITZ_LDLT) {
        ritz_log("direct: the first correction is %.2g of the solution; factorised once more, with pivoting",
                 end->sensitivity);
        RITZ_TRY(factorise_pivoted(d));
        RITZ_TRY(refine_solution(d, tolerance, x, norm, end));
    }
    const double residual = end->residual; /* in double, whatever precision x is given in */
    RITZ_TRY(check_range(d, x));
    unscale_solution(d, x, norm, end);
    RITZ_REQUIRE(
        end->sensitivity <= sensitivity_most && residual <= fmax(residual_most, tolerance), RITZ_ERROR_NOT_CONVERGED,
        "the matrix is singular, or so nearly so that the rounding of its entries in %s precision outweighs its "
        "stiffness: the first correction of the solution is %.2g of it, and the residual that is left %.2g; check that "
        "the supports hold every part, parts that hang on a single node or edge, material data that differ by many "
        "orders of magnitude, and parts thousands of times as long as thick",
        d->rounding < (double)FLT_EPSILON ? "double" : "single", end->sensitivity, residual);
done:
    end->solve_seconds = ritz_seconds() - start;
    return status;
}
