/* Polynomial preconditioners: the scaled matrix, the bounds of its spectrum, and the polynomial's products. */
#include "solve/krylov.h"

#include <float.h>
#include <math.h>

/* Lanczos steps. The largest Ritz value of elasticity's matrices is within 1 % after about twenty. */
enum { LANCZOS_STEPS = 24 };

bool ritz_krylov_has_polynomial(const krylov *k)
{
    return k->preconditioner.kind >= RITZ_NEUMANN;
}

ritz_value_type ritz_krylov_polynomial_vectors(const krylov *k)
{
    return k->form->precision == RITZ_F64 ? RITZ_VALUES_F64 : RITZ_VALUES_F32;
}

/* ---- Precision of the vectors ---- */

bool ritz_krylov_may_narrow(const krylov *k)
{
    return k->form < k->forms + k->n_forms - 1;
}

/* Rounding inside the polynomial, of 2^-24 of what it is given, stays in the iteration: what it brings in has to be
   reduced again, as far as the tolerance. The later it comes in the smaller it is, for it goes with the residual, and
   once it is below the tolerance it costs nothing. That is the relaxation of inexact Krylov methods (Bouras, Fraysse,
   SIAM J. Matrix Anal. Appl. 26 (2005); Simoncini, Szyld, SIAM J. Sci. Comput. 25 (2003)); the margin of 8 and the
   strictest of tolerances that make no difference were found by trial (docs/solve.md). */
static bool is_single_enough(double residual, double tolerance)
{
    const double rounding = 0x1p-24, margin = 8, strictest = 1e-7;
    return margin * rounding * residual <= fmin(tolerance, strictest);
}

ritz_status ritz_krylov_choose_form(krylov *k, double residual, double tolerance)
{
    ritz_status status = RITZ_OK;
    krylov_preconditioner *p = &k->preconditioner;
    krylov_form *form = k->n_forms > 1 && is_single_enough(residual, tolerance) ? &k->forms[1] : &k->forms[0];
    if (form == k->form)
        return RITZ_OK;
    k->form = form;
    /* In other reals the padding lies elsewhere. */
    RITZ_TRY(ritz_buffer_zero(p->z[0]));
    RITZ_TRY(ritz_buffer_zero(p->z[1]));
done:
    return status;
}

/* ---- The scaled matrix ---- */

static ritz_status scale_matrix(krylov *k)
{
    return ritz_matrix_copy_scaled(k->matrix, k->form->precision, k->preconditioner.storage, k->vector[VECTOR_D],
                                   &k->form->matrix);
}

/* ---- Bounds of the spectrum ---- */

/* Lanczos steps from a fixed vector, without normalisation: u_(j+1) = A u_j - a_j u_j - b_j u_(j-1), whose scalars need
   no sums but those of the product. log[2j] = a_j, log[2j+1] = |u_j|^2. */
static ritz_status lanczos(krylov *k, int n_steps, double *log)
{
    ritz_status status = RITZ_OK;
    krylov_preconditioner *p = &k->preconditioner;
    ritz_buffer *steps = NULL, *u[2] = {p->z[0], p->z[1]};
    float narrow[2 * RITZ_TRIDIAGONAL_MOST];
    const int64_t accum = ritz_real_bytes(k->accum);
    RITZ_TRY(ritz_buffer_create(k->matrix->device, 2 * n_steps * accum, "the Lanczos scalars", &steps));
    RITZ_TRY(RITZ_LAUNCH(k->form->start, ritz_krylov_all(k), NULL, RITZ_LONG(k->n), RITZ_LONG(k->n_padded),
                         RITZ_BUFFER(u[0])));
    RITZ_TRY(ritz_buffer_zero(u[1]));
    for (int32_t j = 0; j < n_steps; j++) {
        krylov_sum sum = {0};
        RITZ_TRY(ritz_krylov_product(k, k->form->matrix, &(ritz_product){.alpha = 1}, u[j % 2], p->r, &sum));
        RITZ_TRY(RITZ_LAUNCH(k->form->scalars, ritz_krylov_one(k), NULL, RITZ_INT(sum.n), RITZ_INT(j),
                             RITZ_BUFFER(sum.partial), RITZ_BUFFER(steps), KRYLOV_SCRATCH(k)));
        RITZ_TRY(RITZ_LAUNCH(k->form->update, ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), RITZ_INT(j),
                             RITZ_BUFFER(steps), RITZ_BUFFER(p->r), RITZ_BUFFER(u[j % 2]),
                             RITZ_BUFFER(u[(j + 1) % 2])));
    }
    RITZ_TRY(ritz_buffer_read(steps, 0, k->accum == RITZ_F64 ? (void *)log : narrow, 2 * n_steps * accum));
    for (int i = 0; i < 2 * n_steps && k->accum == RITZ_F32; i++)
        log[i] = (double)narrow[i];
done:
    ritz_buffer_destroy(&steps);
    return status;
}

/* Smallest and largest eigenvalue of the scaled matrix: Ritz values, moved outwards by the distance within which each
   has an eigenvalue. */
static ritz_status bound_spectrum(krylov *k)
{
    ritz_status status = RITZ_OK;
    krylov_preconditioner *p = &k->preconditioner;
    const double epsilon = k->form->precision == RITZ_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    double log[2 * RITZ_TRIDIAGONAL_MOST], a[RITZ_TRIDIAGONAL_MOST], beside[RITZ_TRIDIAGONAL_MOST];
    int n = 0;
    RITZ_TRY(lanczos(k, LANCZOS_STEPS + 1, log));
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
                 "the eigenvalues of the matrix can not be bounded; look for NaN or infinity in the coefficients and "
                 "coordinates, or use preconditioner jacobi");
    p->steps = n;
    p->largest = 1.01 * (e.largest + beside[n - 1] * e.last_of_largest);
    p->smallest = fmax(0, 0.99 * (e.smallest - beside[n - 1] * e.last_of_smallest));
done:
    return status;
}

/* ---- The polynomial ---- */

static void make_polynomial(krylov_preconditioner *p)
{
    p->polynomial = ritz_polynomial_make(p->kind, p->degree, p->smallest, p->largest);
}

ritz_status ritz_krylov_prepare_polynomial(krylov *k)
{
    ritz_status status = RITZ_OK;
    krylov_preconditioner *p = &k->preconditioner;
    int64_t bytes = k->n_padded * ritz_real_bytes(k->form->precision);
    RITZ_TRY(scale_matrix(k));
    RITZ_TRY(ritz_buffer_create(k->matrix->device, k->n_padded * ritz_real_bytes(k->precision),
                                "a preconditioner's vector", &p->scale));
    RITZ_TRY(RITZ_LAUNCH(p->take_root, ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_VECTOR(k, VECTOR_D),
                         RITZ_BUFFER(p->scale)));
    RITZ_TRY(ritz_buffer_create(k->matrix->device, bytes, "a preconditioner's vector", &p->r));
    RITZ_TRY(ritz_buffer_create(k->matrix->device, bytes, "a preconditioner's vector", &p->z[0]));
    RITZ_TRY(ritz_buffer_create(k->matrix->device, bytes, "a preconditioner's vector", &p->z[1]));
    RITZ_TRY(ritz_buffer_zero(p->r));
    RITZ_TRY(bound_spectrum(k));
    /* Steps past the end of a small system leave no numbers behind, in the padding too, which sums run over. */
    RITZ_TRY(ritz_buffer_zero(p->z[0]));
    RITZ_TRY(ritz_buffer_zero(p->z[1]));
    RITZ_TRY(ritz_levels_create(&k->form->matrix, p->degree, p->powers, &p->levels));
    if (p->levels)
        k->n_forms = 1;
    if (k->n_forms > 1)
        RITZ_TRY(ritz_matrix_share(k->form->matrix, k->forms[1].precision, &k->forms[1].matrix));
    make_polynomial(p);
    ritz_log("solve: eigenvalues of the scaled matrix between %.3g and %.6g by %d Lanczos steps; polynomial of degree "
             "%d on [%.3g, %.6g], values in %s, vectors in %s, powers %s",
             p->smallest, p->largest, p->steps, p->degree, p->polynomial.lower, p->polynomial.upper,
             ritz_storage_name(k->form->matrix->value_type),
             k->n_forms > 1 ? "f64 and f32" : ritz_storage_name(ritz_krylov_polynomial_vectors(k)),
             ritz_powers_name(p->levels ? RITZ_POWERS_BLOCKED : RITZ_POWERS_PLAIN));
done:
    return status;
}

void ritz_krylov_widen(krylov *k)
{
    k->preconditioner.largest *= 1.1;
    make_polynomial(&k->preconditioner);
}

ritz_status ritz_krylov_scale(krylov *k, const ritz_buffer *from, ritz_buffer *to)
{
    return RITZ_LAUNCH(k->form->multiply, ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_STATE(k),
                       RITZ_BUFFER(k->preconditioner.scale), RITZ_BUFFER(from), RITZ_BUFFER(to));
}

/* z_(j+1) = mu z_j + (1 - mu) z_(j-1) + omega (r - A z_j) over the place of z_(j-1), in one pass over the matrix.
   z_1 = omega_0 r is never formed: the first two steps take it from r. */
static ritz_product step(const krylov_preconditioner *p, int j)
{
    const ritz_polynomial *c = &p->polynomial;
    double omega = c->omega[j], mu = c->mu[j], first = c->omega[0];
    if (j == 1)
        return (ritz_product){.alpha = -omega * first, .delta = mu * first + omega, .w = p->r};
    if (j == 2)
        return (ritz_product){.alpha = -omega, .gamma = omega + (1 - mu) * first, .delta = mu, .z = p->r, .w = p->r};
    return (ritz_product){.alpha = -omega, .beta = 1 - mu, .gamma = omega, .delta = mu, .z = p->r, .w = p->r};
}

/* The same steps blocked by levels. */
static ritz_status apply_levels(krylov_preconditioner *p, const ritz_buffer **z, krylov_sum *sum)
{
    krylov_sum own = {0};
    ritz_product steps[RITZ_DEGREE_MOST];
    for (int j = 1; j <= p->degree; j++)
        steps[j - 1] = step(p, j);
    *z = p->z[0];
    sum = sum ? sum : &own;
    return ritz_levels_apply(p->levels, steps, p->r, p->z[0], &sum->partial, &sum->n);
}

ritz_status ritz_krylov_apply_polynomial(krylov *k, const ritz_buffer **z, krylov_sum *sum)
{
    ritz_status status = RITZ_OK;
    krylov_preconditioner *p = &k->preconditioner;
    if (p->levels)
        return apply_levels(p, z, sum);
    for (int j = 1; j <= p->degree; j++) {
        ritz_product product = step(p, j);
        product.backwards = j % 2 == 0; /* begins where the step before ended */
        const ritz_buffer *x = j == 1 ? p->r : p->z[(j + 1) % 2];
        if (j == p->degree && sum)
            RITZ_TRY(ritz_krylov_product(k, k->form->matrix, &product, x, p->z[j % 2], sum));
        else
            RITZ_TRY(ritz_matrix_product(k->form->matrix, &product, x, p->z[j % 2], NULL));
    }
    *z = p->z[p->degree % 2];
done:
    return status;
}
