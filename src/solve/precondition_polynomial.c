/* Polynomial preconditioners: the scaled matrix, the bounds of its spectrum, and the polynomial's products. */
#include "solve/krylov.h"

#include <float.h>
#include <math.h>

/* Lanczos steps. The largest Ritz value of elasticity's matrices is within 1 % after about twenty. */
enum { LANCZOS_STEPS = 24 };

enum { START, SCALARS, UPDATE }; /* kernels */

/* P(D^-1/2 A D^-1/2). */
typedef struct polynomial_preconditioner {
    ritz_polynomial polynomial;
    ritz_matrix *matrix[2];   /* D^-1/2 A D^-1/2 for vectors in each precision */
    int steps;                /* of Lanczos */
    double smallest, largest; /* eigenvalues are between them */
    ritz_buffer *z[2];        /* iterates, in any of the precisions */
} polynomial_preconditioner;

static polynomial_preconditioner *get_polynomial(const krylov *k)
{
    return k->preconditioner.own;
}

/* The matrix for one of the precisions. */
static const ritz_matrix *matrix_of(const krylov *k, const krylov_precision *in)
{
    return get_polynomial(k)->matrix[in - k->precisions];
}

static ritz_value_type vectors_of(const krylov_precision *in)
{
    return in->precision == RITZ_F64 ? RITZ_VALUES_F64 : RITZ_VALUES_F32;
}

static void fill_degree(const ritz_matrix *matrix, ritz_solve_options *o)
{
    (void)matrix;
    o->degree = o->degree ? o->degree : RITZ_DEGREE_DEFAULT;
}

/* ---- Bounds of the spectrum ---- */

/* Lanczos steps from a fixed vector, without normalisation: u_(j+1) = A u_j - a_j u_j - b_j u_(j-1), whose scalars need
   no sums but those of the product. log[2j] = a_j, log[2j+1] = |u_j|^2. */
static ritz_status estimate_eigenvalues(krylov *k, int n_steps, double *log)
{
    ritz_status status = RITZ_OK;
    const krylov_preconditioner *p = &k->preconditioner;
    ritz_buffer *steps = NULL, *u[2] = {get_polynomial(k)->z[0], get_polynomial(k)->z[1]};
    const int64_t accum = ritz_real_bytes(k->accum);
    RITZ_TRY(ritz_buffer_create(k->device, 2 * n_steps * accum, "the Lanczos scalars", &steps));
    RITZ_TRY(RITZ_LAUNCH(k->in_use->inner[START], ritz_krylov_all(k), NULL, RITZ_LONG(k->n), RITZ_LONG(k->n_padded),
                         RITZ_BUFFER(u[0])));
    RITZ_TRY(ritz_buffer_zero(u[1]));
    for (int32_t j = 0; j < n_steps; j++) {
        krylov_sum sum = {0};
        RITZ_TRY(ritz_krylov_product(k, matrix_of(k, k->in_use), &(ritz_product){.alpha = 1}, u[j % 2], p->r, &sum));
        RITZ_TRY(RITZ_LAUNCH(k->in_use->inner[SCALARS], ritz_krylov_one(k), NULL, RITZ_INT(sum.n), RITZ_INT(j),
                             RITZ_BUFFER(sum.partial), RITZ_BUFFER(steps), KRYLOV_SCRATCH(k)));
        RITZ_TRY(RITZ_LAUNCH(k->in_use->inner[UPDATE], ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), RITZ_INT(j),
                             RITZ_BUFFER(steps), RITZ_BUFFER(p->r), RITZ_BUFFER(u[j % 2]),
                             RITZ_BUFFER(u[(j + 1) % 2])));
    }
    RITZ_TRY(ritz_buffer_read_reals(steps, k->accum, 0, log, 2 * n_steps));
done:
    ritz_buffer_destroy(&steps);
    return status;
}

/* Smallest and largest eigenvalue of the scaled matrix: Ritz values, moved outwards by the distance within which each
   has an eigenvalue. */
static ritz_status bound_spectrum(krylov *k)
{
    ritz_status status = RITZ_OK;
    polynomial_preconditioner *p = get_polynomial(k);
    const double epsilon = k->in_use->precision == RITZ_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    double log[2 * RITZ_TRIDIAGONAL_MOST], a[RITZ_TRIDIAGONAL_MOST], beside[RITZ_TRIDIAGONAL_MOST];
    int n = 0;
    RITZ_TRY(estimate_eigenvalues(k, LANCZOS_STEPS + 1, log));
    while (n < LANCZOS_STEPS && isfinite(log[2 * n])) {
        a[n] = log[2 * n];
        beside[n] = sqrt(log[2 * n + 3] / log[2 * n + 1]);
        n++;
        if (!(beside[n - 1] > 16 * epsilon * fabs(a[0]))) { /* all that this start holds has been found */
            beside[n - 1] = 0;
            break;
        }
    }
    ritz_extremes e = n > 0 ? ritz_tridiagonal_extremes(n, a, beside) : (ritz_extremes){0};
    RITZ_REQUIRE(n > 0 && isfinite(e.largest) && e.largest > 0, RITZ_ERROR_INPUT,
                 "the eigenvalues of the matrix cannot be bounded; look for NaN or infinity in the coefficients and "
                 "coordinates, or use preconditioner jacobi");
    p->steps = n;
    p->largest = 1.01 * (e.largest + beside[n - 1] * e.last_of_largest);
    p->smallest = fmax(0, 0.99 * (e.smallest - beside[n - 1] * e.last_of_smallest));
done:
    return status;
}

/* ---- The polynomial ---- */

static void make_polynomial(krylov *k)
{
    const krylov_preconditioner *p = &k->preconditioner;
    get_polynomial(k)->polynomial =
        ritz_polynomial_make(p->number, p->degree, get_polynomial(k)->smallest, get_polynomial(k)->largest);
    k->largest_eigenvalue = get_polynomial(k)->largest;
}

/* In other reals the padding lies elsewhere. */
static ritz_status change_precision(krylov *k)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_buffer_zero(get_polynomial(k)->z[0]));
    RITZ_TRY(ritz_buffer_zero(get_polynomial(k)->z[1]));
done:
    return status;
}

static ritz_status create_kind(krylov *k)
{
    ritz_status status = RITZ_OK;
    polynomial_preconditioner *p = NULL;
    const int64_t bytes = k->n_padded * ritz_real_bytes(k->in_use->precision);
    RITZ_NEW(p, 1);
    k->preconditioner.own = p;
    RITZ_TRY(ritz_matrix_copy_scaled(k->matrix, k->in_use->precision, k->preconditioner.storage, false,
                                     k->vector[VECTOR_D], NULL, &p->matrix[0]));
    for (int i = 0; i < 2; i++)
        RITZ_TRY(ritz_buffer_create(k->device, bytes, "a preconditioner's vector", &p->z[i]));
    RITZ_TRY(bound_spectrum(k));
    /* Steps past the end of a small system leave no numbers behind, in the padding too, which sums run over. */
    RITZ_TRY(change_precision(k));
    if (k->n_precisions > 1)
        RITZ_TRY(ritz_matrix_share(p->matrix[0], k->precisions[1].precision, &p->matrix[1]));
    make_polynomial(k);
    ritz_log("solve: eigenvalues of the scaled matrix between %.3g and %.6g by %d Lanczos steps; polynomial of degree "
             "%d on [%.3g, %.6g], values in %s, vectors in %s",
             p->smallest, p->largest, p->steps, p->polynomial.degree, p->polynomial.lower, p->polynomial.upper,
             ritz_storage_name(p->matrix[0]->value_type),
             k->n_precisions > 1 ? "f64 and f32" : ritz_storage_name(vectors_of(k->in_use)));
done:
    return status;
}

static void destroy_kind(krylov *k)
{
    polynomial_preconditioner *p = get_polynomial(k);
    if (!p)
        return;
    for (int f = 1; f >= 0; f--) /* the second shares with the first */
        ritz_matrix_destroy(&p->matrix[f]);
    ritz_buffer_destroy(&p->z[0]);
    ritz_buffer_destroy(&p->z[1]);
    ritz_free(p);
    k->preconditioner.own = NULL;
}

static void widen_bounds(krylov *k)
{
    get_polynomial(k)->largest *= 1.1;
    make_polynomial(k);
}

static int64_t count_bytes(const krylov *k, const krylov_precision *in)
{
    const polynomial_preconditioner *p = get_polynomial(k);
    const int64_t vector = k->n * ritz_real_bytes(in->precision);
    const int degree = p->polynomial.degree;
    return degree * ritz_matrix_product_bytes(matrix_of(k, in)) +
           vector * (degree > 1 ? 2 * degree - 3 : 0); /* `step` */
}

static void fill_report(const krylov *k, ritz_solve_report *report)
{
    const polynomial_preconditioner *p = get_polynomial(k);
    report->degree = p->polynomial.degree;
    report->vectors = vectors_of(k->in_use);
    report->storage = matrix_of(k, k->in_use)->value_type;
    report->lanczos_steps = p->steps;
    report->smallest_eigenvalue = p->smallest;
    report->largest_eigenvalue = p->largest;
}

/* z_(j+1) = mu z_j + (1 - mu) z_(j-1) + omega (r - A z_j) over the place of z_(j-1), in one pass over the matrix.
   z_1 = omega_0 r is never formed: the first two steps take it from r. */
static ritz_product step_product(const krylov *k, int j)
{
    const ritz_polynomial *c = &get_polynomial(k)->polynomial;
    const ritz_buffer *r = k->preconditioner.r;
    double omega = c->omega[j], mu = c->mu[j], first = c->omega[0];
    if (j == 1)
        return (ritz_product){.alpha = -omega * first, .delta = mu * first + omega, .w = r};
    if (j == 2)
        return (ritz_product){.alpha = -omega, .gamma = omega + (1 - mu) * first, .delta = mu, .z = r, .w = r};
    return (ritz_product){.alpha = -omega, .beta = 1 - mu, .gamma = omega, .delta = mu, .z = r, .w = r};
}

static ritz_status apply_kind(krylov *k, const ritz_buffer **z, krylov_sum *sum)
{
    ritz_status status = RITZ_OK;
    const polynomial_preconditioner *p = get_polynomial(k);
    const int degree = p->polynomial.degree;
    const ritz_matrix *matrix = matrix_of(k, k->in_use);
    for (int j = 1; j <= degree; j++) {
        ritz_product product = step_product(k, j);
        product.backwards = j % 2 == 0; /* begins where the step before ended */
        const ritz_buffer *x = j == 1 ? k->preconditioner.r : p->z[(j + 1) % 2];
        if (j == degree && sum)
            RITZ_TRY(ritz_krylov_product(k, matrix, &product, x, p->z[j % 2], sum));
        else
            RITZ_TRY(ritz_matrix_product(matrix, &product, x, p->z[j % 2], NULL));
    }
    *z = p->z[degree % 2];
done:
    return status;
}

#define POLYNOMIAL(text)                                                                                               \
    {                                                                                                                  \
        .name = (text), .polynomial = true, .has_settings = true, .of_matrix = true, .fill = fill_degree,              \
        .kernel_file = "solve/kernels/lanczos.cl", .kernels = {"lanczos_start", "lanczos_scalars", "lanczos_update"},  \
        .create = create_kind, .apply = apply_kind, .cost = count_bytes, .report = fill_report,                        \
        .change_precision = change_precision, .widen = widen_bounds, .destroy = destroy_kind                           \
    }
const preconditioner_kind ritz_precondition_neumann = POLYNOMIAL("neumann"),
                          ritz_precondition_least_squares = POLYNOMIAL("least-squares"),
                          ritz_precondition_chebyshev = POLYNOMIAL("chebyshev");
