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

/* ---- The scaled matrix ---- */

static ritz_status scale_matrix(krylov *k)
{
    ritz_status status = RITZ_OK;
    krylov_preconditioner *p = &k->preconditioner;
    const ritz_matrix *from = k->matrix;
    const ritz_matrix_options o = {.slice_height = from->one_slice ? RITZ_ALL_ROWS : from->slice_height,
                                   .sort_window = from->permuted ? 0 : 1,
                                   .precision = k->precision,
                                   .values = p->storage,
                                   .items_per_row = from->items,
                                   .row_lengths = from->row_lengths};
    RITZ_TRY(ritz_matrix_convert_scaled(from, &o, from->block, k->vector[VECTOR_D], &p->matrix));
done:
    return status;
}

/* ---- Bounds of the spectrum ---- */

/* Lanczos steps from a fixed vector, without normalisation: u_(j+1) = A u_j - a_j u_j - b_j u_(j-1), whose scalars need
   no sums but those of the product. log[2j] = a_j, log[2j+1] = |u_j|^2. */
static ritz_status lanczos(krylov *k, int n_steps, double *log)
{
    ritz_status status = RITZ_OK;
    krylov_preconditioner *p = &k->preconditioner;
    ritz_buffer *partial = NULL, *steps = NULL, *u[2] = {p->z[0], p->z[1]};
    const ritz_product plain = {.alpha = 1};
    int64_t n_parts = 0, accum = ritz_real_bytes(k->accum);
    float narrow[2 * RITZ_TRIDIAGONAL_MOST];
    RITZ_TRY(ritz_matrix_count_parts(p->matrix, &plain, &n_parts));
    RITZ_TRY(ritz_buffer_create(k->matrix->device, RITZ_PRODUCT_SUMS * n_parts * accum, "the parts of a product's sums",
                                &partial));
    RITZ_TRY(ritz_buffer_create(k->matrix->device, 2 * n_steps * accum, "the Lanczos scalars", &steps));
    RITZ_TRY(
        RITZ_LAUNCH(p->start, ritz_krylov_all(k), NULL, RITZ_LONG(k->n), RITZ_LONG(k->n_padded), RITZ_BUFFER(u[0])));
    RITZ_TRY(ritz_buffer_zero(u[1]));
    for (int32_t j = 0; j < n_steps; j++) {
        ritz_product product = {.alpha = 1, .partial = partial};
        RITZ_TRY(ritz_matrix_product(p->matrix, &product, u[j % 2], p->r, NULL));
        RITZ_TRY(RITZ_LAUNCH(p->scalars, ritz_krylov_one(k), NULL, RITZ_INT((int32_t)n_parts), RITZ_INT(j),
                             RITZ_BUFFER(partial), RITZ_BUFFER(steps), KRYLOV_SCRATCH(k)));
        RITZ_TRY(RITZ_LAUNCH(p->update, ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), RITZ_INT(j), RITZ_BUFFER(steps),
                             RITZ_BUFFER(p->r), RITZ_BUFFER(u[j % 2]), RITZ_BUFFER(u[(j + 1) % 2])));
    }
    RITZ_TRY(ritz_buffer_read(steps, 0, k->accum == RITZ_F64 ? (void *)log : narrow, 2 * n_steps * accum));
    for (int i = 0; i < 2 * n_steps && k->accum == RITZ_F32; i++)
        log[i] = (double)narrow[i];
done:
    ritz_buffer_destroy(&partial);
    ritz_buffer_destroy(&steps);
    return status;
}

/* Smallest and largest eigenvalue of the scaled matrix: Ritz values, moved outwards by the distance within which each
   has an eigenvalue. */
static ritz_status bound_spectrum(krylov *k)
{
    ritz_status status = RITZ_OK;
    krylov_preconditioner *p = &k->preconditioner;
    const double epsilon = k->precision == RITZ_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
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
    int64_t bytes = k->n_padded * ritz_real_bytes(k->precision);
    RITZ_TRY(scale_matrix(k));
    RITZ_TRY(ritz_buffer_create(k->matrix->device, bytes, "a preconditioner's vector", &p->r));
    RITZ_TRY(ritz_buffer_create(k->matrix->device, bytes, "a preconditioner's vector", &p->z[0]));
    RITZ_TRY(ritz_buffer_create(k->matrix->device, bytes, "a preconditioner's vector", &p->z[1]));
    RITZ_TRY(ritz_buffer_zero(p->r));
    RITZ_TRY(bound_spectrum(k));
    /* Steps past the end of a small system leave no numbers behind, in the padding too, which sums run over. */
    RITZ_TRY(ritz_buffer_zero(p->z[0]));
    RITZ_TRY(ritz_buffer_zero(p->z[1]));
    make_polynomial(p);
    ritz_log("solve: eigenvalues of the scaled matrix between %.3g and %.6g by %d Lanczos steps; polynomial of degree "
             "%d on [%.3g, %.6g], values in %s",
             p->smallest, p->largest, p->steps, p->degree, p->polynomial.lower, p->polynomial.upper,
             ritz_storage_name(p->matrix->value_type));
done:
    return status;
}

void ritz_krylov_widen(krylov *k)
{
    k->preconditioner.largest *= 1.1;
    make_polynomial(&k->preconditioner);
}

/* z_(j+1) = mu z_j + (1 - mu) z_(j-1) + omega (r - A z_j) over the place of z_(j-1), in one pass over the matrix.
   z_1 = omega_0 r is never formed: the first two steps take it from r. */
static ritz_status step(krylov_preconditioner *p, int j)
{
    const ritz_polynomial *c = &p->polynomial;
    double omega = c->omega[j], mu = c->mu[j], first = c->omega[0];
    if (j == 1)
        return ritz_matrix_product(p->matrix, &(ritz_product){.alpha = -omega * first, .delta = mu * first + omega},
                                   p->r, p->z[1], NULL);
    ritz_product product = {.alpha = -omega, .beta = 1 - mu, .gamma = omega, .delta = mu, .z = p->r};
    if (j == 2) {
        product.beta = 0;
        product.gamma += (1 - mu) * first;
    }
    return ritz_matrix_product(p->matrix, &product, p->z[(j + 1) % 2], p->z[j % 2], NULL);
}

ritz_status ritz_krylov_precondition(krylov *k, int from, int to)
{
    ritz_status status = RITZ_OK;
    krylov_preconditioner *p = &k->preconditioner;
    RITZ_TRY(RITZ_LAUNCH(p->into, ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_STATE(k), KRYLOV_VECTOR(k, from),
                         KRYLOV_VECTOR(k, VECTOR_D), RITZ_BUFFER(p->r)));
    for (int j = 1; j <= p->degree; j++)
        RITZ_TRY(step(p, j));
    RITZ_TRY(RITZ_LAUNCH(p->out_of, ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_STATE(k),
                         RITZ_BUFFER(p->z[p->degree % 2]), KRYLOV_VECTOR(k, VECTOR_D), KRYLOV_VECTOR(k, from),
                         KRYLOV_VECTOR(k, to), KRYLOV_PARTIAL(k), KRYLOV_SCRATCH(k)));
done:
    return status;
}
