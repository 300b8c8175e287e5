/* The largest eigenvalue of a level by Lanczos steps, and the smoother made of it. */
#include "multigrid/levels.h"

#include <math.h>

/* The largest eigenvalue of the symmetric tridiagonal matrix by bisection: an eigenvalue is above t if the factorisation of
   T - t has a positive pivot. */
static double largest_of_tridiagonal(int n, const double *diagonal, const double *beside_square)
{
    double high = 0, low = -INFINITY;
    for (int i = 0; i < n; i++) {
        const double left = i > 0 ? sqrt(beside_square[i - 1]) : 0, right = i + 1 < n ? sqrt(beside_square[i]) : 0;
        high = fmax(high, diagonal[i] + left + right);
        low = fmax(low, diagonal[i]);
    }
    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;
        double pivot = 1;
        bool above = false;
        for (int i = 0; i < n && !above; i++) {
            pivot = diagonal[i] - middle - (i > 0 ? beside_square[i - 1] / pivot : 0);
            above = pivot > 0;
        }
        *(above ? &low : &high) = middle;
    }
    return high;
}

/* Where a product leaves more partial sums than these, the device adds them up to so many. */
enum { PARTIALS_MOST = 4096, ADD_GROUP = 64 };

/* What a product leaves as partial sums, on the way to the host. */
typedef struct product_sums {
    ritz_buffer *partial;
    ritz_buffer *fewer; /* of the partial sums; NULL: they are few */
    double *host;
    int64_t n_partials;
    ritz_kernel *add;
} product_sums;

static void destroy_sums(product_sums *s)
{
    ritz_buffer_destroy(&s->partial);
    ritz_buffer_destroy(&s->fewer);
    ritz_free(s->host);
}

static ritz_status get_lanczos_kernel(const ritz_matrix *m, const char *name, ritz_kernel **kernel)
{
    const char *const options = ritz_device_get_info(m->device)->has_f64 ? "-DACCUM_F64" : "";
    return ritz_block_rows_kernel(m->device, m->precision, "multigrid/kernels/lanczos.cl", options, name, kernel);
}

static ritz_status create_sums(const ritz_matrix *m, product_sums *s)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(get_lanczos_kernel(m, "add_partials", &s->add));
    RITZ_TRY(ritz_matrix_count_partials(m, &(ritz_product){.alpha = 1}, &s->n_partials));
    RITZ_TRY(ritz_buffer_create(m->device, RITZ_PRODUCT_SUMS * s->n_partials * 8, "partial sums", &s->partial));
    if (s->n_partials > PARTIALS_MOST)
        RITZ_TRY(
            ritz_buffer_create(m->device, (int64_t)RITZ_PRODUCT_SUMS * PARTIALS_MOST * 8, "partial sums", &s->fewer));
    RITZ_NEW(s->host, RITZ_PRODUCT_SUMS * ritz_min64(s->n_partials, PARTIALS_MOST));
done:
    return status;
}

/* y = A x, and the sums x.A x and x.x. */
static ritz_status multiply_and_sum(const ritz_matrix *m, const product_sums *s, const ritz_buffer *x, ritz_buffer *y,
                                    double *energy, double *square)
{
    ritz_status status = RITZ_OK;
    const ritz_product product = {.alpha = 1, .partial = s->partial};
    const int64_t n = s->fewer ? PARTIALS_MOST : s->n_partials;
    const bool wide = ritz_device_get_info(m->device)->has_f64;
    *energy = *square = 0;
    RITZ_TRY(ritz_matrix_product(m, &product, x, y, NULL));
    if (s->fewer)
        RITZ_TRY(RITZ_LAUNCH(s->add, ((ritz_range){.global = {PARTIALS_MOST}, .local = {ADD_GROUP}}), NULL,
                             RITZ_INT((int32_t)s->n_partials), RITZ_BUFFER(s->partial), RITZ_BUFFER(s->fewer)));
    RITZ_TRY(ritz_buffer_read_reals(s->fewer ? s->fewer : s->partial, wide ? RITZ_F64 : RITZ_F32, 0, s->host,
                                    RITZ_PRODUCT_SUMS * n));
    for (int64_t i = 0; i < n; i++) {
        *energy += s->host[i];
        *square += s->host[2 * n + i];
    }
done:
    return status;
}

ritz_status ritz_multigrid_start_vector(const ritz_matrix *m, ritz_buffer *x)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *start = NULL;
    RITZ_TRY(get_lanczos_kernel(m, "start_vector", &start));
    RITZ_TRY(RITZ_LAUNCH(start, ritz_block_rows_range(start, m->device, m->n_unknowns), NULL, RITZ_LONG(m->n_unknowns),
                         RITZ_BUFFER(x)));
done:
    return status;
}

/* What a run of Lanczos steps needs. */
typedef struct lanczos {
    ritz_buffer *u[2], *q;
    product_sums sums;
    ritz_kernel *next;
} lanczos;

static void destroy_lanczos(lanczos *l)
{
    ritz_buffer_destroy(&l->u[0]);
    ritz_buffer_destroy(&l->u[1]);
    ritz_buffer_destroy(&l->q);
    destroy_sums(&l->sums);
}

static ritz_status create_lanczos(const ritz_matrix *m, lanczos *l)
{
    ritz_status status = RITZ_OK;
    const int64_t bytes = m->n_unknowns * ritz_real_bytes(m->precision);
    RITZ_TRY(get_lanczos_kernel(m, "next_vector", &l->next));
    RITZ_TRY(ritz_buffer_create(m->device, bytes, "a Lanczos vector", &l->u[0]));
    RITZ_TRY(ritz_buffer_create(m->device, bytes, "a Lanczos vector", &l->u[1]));
    RITZ_TRY(ritz_buffer_create(m->device, bytes, "a Lanczos vector", &l->q));
    RITZ_TRY(create_sums(m, &l->sums));
    RITZ_TRY(ritz_buffer_zero(l->u[1]));
    RITZ_TRY(ritz_multigrid_start_vector(m, l->u[0]));
done:
    return status;
}

ritz_status ritz_multigrid_largest(const ritz_matrix *m, double *largest)
{
    ritz_status status = RITZ_OK;
    lanczos l = {0};
    double a[RITZ_LANCZOS_STEPS], beside[RITZ_LANCZOS_STEPS], before = 0;
    int n = 0;
    RITZ_TRY(create_lanczos(m, &l));
    for (; n < RITZ_LANCZOS_STEPS; n++) {
        double energy, square;
        RITZ_TRY(multiply_and_sum(m, &l.sums, l.u[n % 2], l.q, &energy, &square));
        if (n > 0)
            beside[n - 1] = square / before;
        if (!(square > 0) || !isfinite(energy) || (n > 0 && beside[n - 1] < 1e-10 * a[0] * a[0]))
            break; /* all that this start holds has been found */
        a[n] = energy / square;
        before = square;
        RITZ_TRY(RITZ_LAUNCH(l.next, ritz_block_rows_range(l.next, m->device, m->n_unknowns), NULL,
                             RITZ_LONG(m->n_unknowns), RITZ_REAL(m->precision, a[n]),
                             RITZ_REAL(m->precision, n > 0 ? beside[n - 1] : 0), RITZ_BUFFER(l.q),
                             RITZ_BUFFER(l.u[n % 2]), RITZ_BUFFER(l.u[(n + 1) % 2])));
    }
    *largest = n > 0 ? largest_of_tridiagonal(n, a, beside) : 0;
    RITZ_REQUIRE(
        isfinite(*largest) && *largest > 0, RITZ_ERROR_INPUT,
        "the eigenvalues of a level of multigrid can not be bounded, as where the matrix is not positive definite or "
        "far from symmetric; look for NaN or infinity in the coefficients and coordinates, use preconditioner jacobi, "
        "or method direct");
done:
    destroy_lanczos(&l);
    return status;
}

/* The Ritz value is a little below the largest eigenvalue; what the next level takes care of lies below 1/12 of it. */
static const double above = 1.05, smoothed_share = 12;

multigrid_smoother ritz_multigrid_smoother(int degree, double largest)
{
    const double upper = above * largest, lower = largest / smoothed_share;
    const double centre = (upper + lower) / 2, radius = (upper - lower) / 2, sigma = centre / radius;
    multigrid_smoother s = {.degree = degree, .omega = {1 / centre}, .mu = {1}};
    double rho = 1 / sigma;
    for (int k = 1; k < degree; k++) {
        const double next = 1 / (2 * sigma - rho);
        s.mu[k] = 1 + next * rho;
        s.omega[k] = 2 * next / radius;
        rho = next;
    }
    return s;
}
