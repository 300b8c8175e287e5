/* Messages: what was wrong with a system that did not yield, where, and what to try. */
#include "solve/krylov.h"

#include <math.h>
#include <stdio.h>

/* ---- Numbers that are not finite ---- */

/* The first of the caller's rows in which a device vector is NaN or infinite (n if none), and whether any is not
   zero. */
static ritz_status find_not_finite(const krylov *k, const ritz_buffer *vector, int64_t *first, bool *nonzero)
{
    ritz_status status = RITZ_OK;
    double *host = NULL;
    int64_t n = k->n;
    RITZ_NEW(host, n);
    const ritz_vector v = ritz_vector_lend(k->device, k->precision, k->n, vector);
    RITZ_TRY(ritz_vector_read(&v, host));
    *first = n;
    *nonzero = false;
    for (int64_t i = 0; i < n; i++) {
        *first = isfinite(host[i]) ? *first : ritz_min64(*first, ritz_krylov_row(k, i));
        *nonzero = *nonzero || host[i] != 0;
    }
done:
    ritz_free(host);
    return status;
}

/* The right-hand side's norm is 0, infinite or NaN: its message, or RITZ_OK for a vector of zeros. */
ritz_status ritz_diagnose_right_hand_side(const krylov *k, const ritz_buffer *b)
{
    ritz_status status = RITZ_OK;
    int64_t first = 0;
    bool nonzero = false;
    RITZ_TRY(find_not_finite(k, b, &first, &nonzero));
    RITZ_REQUIRE(first == k->n, RITZ_ERROR_INPUT,
                 "the right-hand side is not a finite number in row %lld; look for NaN or infinity in "
                 "loads and boundary values",
                 (long long)first);
    RITZ_REQUIRE(!nonzero, RITZ_ERROR_INPUT,
                 "the right-hand side is too large or too small for its square to be a number; choose "
                 "units that bring loads nearer to 1");
done:
    return status;
}

ritz_status ritz_diagnose_matrix(krylov *k)
{
    ritz_status status = RITZ_OK;
    int64_t row = 0;
    bool nonzero = false;
    RITZ_TRY(RITZ_LAUNCH(k->fill, ritz_krylov_all(k), NULL, RITZ_LONG(k->n), RITZ_REAL(k->precision, 1),
                         KRYLOV_VECTOR(k, VECTOR_R)));
    RITZ_TRY(ritz_krylov_multiply(k, VECTOR_R, VECTOR_Q));
    RITZ_TRY(find_not_finite(k, k->vector[VECTOR_Q], &row, &nonzero));
    RITZ_REQUIRE(row == k->n, RITZ_ERROR_INPUT,
                 "the matrix is not a finite number somewhere in row %lld; look for NaN or infinity in the "
                 "coefficients and coordinates",
                 (long long)row);
done:
    return status;
}

/* Of a preconditioner that is a function of the caller's: what it makes of ones, and of zeros. Uses r and q up. */
static ritz_status diagnose_function(krylov *k)
{
    ritz_status status = RITZ_OK;
    int64_t row = 0;
    bool nonzero = false;
    if (!k->preconditioner.kind->by_function)
        return RITZ_OK;
    for (int value = 1; value >= 0; value--) {
        RITZ_TRY(RITZ_LAUNCH(k->fill, ritz_krylov_all(k), NULL, RITZ_LONG(k->n), RITZ_REAL(k->precision, value),
                             RITZ_BUFFER(k->preconditioner.r)));
        RITZ_TRY(ritz_krylov_precondition(k, VECTOR_Q));
        RITZ_TRY(find_not_finite(k, k->vector[VECTOR_Q], &row, &nonzero));
        RITZ_REQUIRE(row == k->n, RITZ_ERROR_INPUT,
                     "the preconditioner's function makes of a vector of %s what is not a finite number in row %lld",
                     value ? "ones" : "zeros", (long long)row);
    }
done:
    return status;
}

/* The residual is not finite: whose fault is it? Uses q and r up. */
static ritz_status diagnose_residual(krylov *k, const ritz_buffer *start, int iterations)
{
    ritz_status status = RITZ_OK;
    int64_t row = 0;
    bool nonzero = false;
    RITZ_TRY(find_not_finite(k, start, &row, &nonzero));
    RITZ_REQUIRE(iterations > 0 || row == k->n, RITZ_ERROR_INPUT,
                 "the initial guess is not a finite number in row %lld; start from zeros", (long long)row);
    RITZ_TRY(ritz_diagnose_matrix(k));
    RITZ_TRY(diagnose_function(k));
    RITZ_REQUIRE(iterations > 0 || !ritz_krylov_applies(k) || !k->method->positive_definite, RITZ_ERROR_NOT_CONVERGED,
                 "the matrix is not positive definite, or so nearly singular that the preconditioner %s overflows; "
                 "check that the supports hold every part, that materials are sound and no element is inverted; for an "
                 "indefinite problem use method direct, or gmres",
                 k->preconditioner.kind->name);
    RITZ_FAIL(RITZ_ERROR_NOT_CONVERGED,
              "%s diverged: it overflowed %s precision after %d iterations; check that the supports hold every part, "
              "try another preconditioner, or choose units that bring the matrix nearer to 1%s",
              k->method->name, k->precision == RITZ_F64 ? "double" : "single", iterations,
              k->precision == RITZ_F64 ? "" : ", or use precision double");
done:
    return status;
}

/* ---- Symmetry ---- */

/* product = A x, both on the host. Uses r and q up. */
static ritz_status multiply_on_host(krylov *k, const ritz_vector *x, ritz_vector *product)
{
    ritz_status status = RITZ_OK;
    ritz_vector r = ritz_vector_lend(k->device, k->precision, k->n, k->vector[VECTOR_R]);
    const ritz_vector q = ritz_vector_lend(k->device, k->precision, k->n, k->vector[VECTOR_Q]);
    RITZ_TRY(ritz_vector_copy(x, &r));
    RITZ_TRY(ritz_krylov_multiply(k, VECTOR_R, VECTOR_Q));
    RITZ_TRY(ritz_vector_copy(&q, product));
done:
    return status;
}

/* Conjugate gradients lead nowhere with a matrix that is not symmetric: u . A v and v . A u of two vectors tell. */
static ritz_status diagnose_symmetry(krylov *k)
{
    ritz_status status = RITZ_OK;
    enum { U, V, PRODUCT, N };
    ritz_vector *on_host[N] = {0};
    uint64_t state = 1;
    double one, other, square, length;
    if (!k->method->positive_definite)
        return RITZ_OK;
    for (int w = 0; w < N; w++)
        RITZ_TRY(ritz_vector_create(k->device, RITZ_ON_HOST, RITZ_F64, k->n, &on_host[w]));
    for (int w = U; w <= V; w++) {
        double *values = ritz_vector_host_array(on_host[w]);
        for (int64_t i = 0; i < k->n; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            values[i] = (double)(state >> 33) / (1 << 30) - 1;
        }
    }
    RITZ_TRY(multiply_on_host(k, on_host[V], on_host[PRODUCT]));
    RITZ_TRY(ritz_vector_dot(on_host[U], on_host[PRODUCT], &one));
    RITZ_TRY(ritz_vector_dot(on_host[U], on_host[U], &square));
    RITZ_TRY(ritz_vector_dot(on_host[PRODUCT], on_host[PRODUCT], &length));
    RITZ_TRY(multiply_on_host(k, on_host[U], on_host[PRODUCT]));
    RITZ_TRY(ritz_vector_dot(on_host[V], on_host[PRODUCT], &other));
    const double apart = fabs(one - other) / sqrt(square * length), rounding = k->precision == RITZ_F64 ? 1e-8 : 1e-4;
    RITZ_REQUIRE(
        !isfinite(apart) || apart <= rounding, RITZ_ERROR_NOT_CONVERGED,
        "the %s is not symmetric (u . A v and v . A u of two vectors differ by %.2g of |u| |A v|), and cg is for "
        "those that are; use method bicgstab, gmres or direct",
        k->matrix ? "matrix" : "operator", apart);
done:
    for (int w = 0; w < N; w++)
        ritz_vector_destroy(&on_host[w]);
    return status;
}

/* ---- The outcome ---- */

/* What else to try, beside another precision. */
static const char *other_remedies(const krylov *k, bool used_up)
{
    const preconditioner_kind *kind = k->preconditioner.kind;
    const bool symmetric = k->method->positive_definite;
    if (!k->matrix) /* an operator's */
        return used_up ? ", a preconditioner of your own," : "a preconditioner of your own";
    if (kind->uses_near_nullspace && k->preconditioner.near_nullspace_columns == 0 &&
        k->preconditioner.unknowns_per_node > 1)
        return used_up ? ", the near-nullspace of the matrix (rigid motions of an elastic body),"
                       : "the near-nullspace of the matrix (rigid motions of an elastic body), method direct";
    if (kind->instead)
        return used_up ? kind->more_iterations : kind->instead;
    if (used_up)
        return kind->polynomial ? "" : ", preconditioner multigrid or a polynomial one such as least-squares,";
    return symmetric ? "preconditioner multigrid or a polynomial one, method bicgstab"
                     : "another preconditioner; " RITZ_LAYER_ADVICE;
}

/* Where sound parts are nearly singular. */
static const char *in_single(const krylov *k)
{
    return k->precision == RITZ_F64 ? "" : " in single precision, as many sound ones are (use precision double)";
}

/* The iterations are used up, or led nowhere: does the residual fall at all, and how many would it take? */
static ritz_status diagnose_progress(const krylov *k, const krylov_loop *l, const ritz_solve_report *report)
{
    const char *name = k->method->name, *wider = k->precision == RITZ_F64 ? "" : ", or use precision double";
    const bool symmetric = k->method->positive_definite;
    int32_t n = report->history_count, best = 0;
    double early = INFINITY, late = INFINITY;
    for (int32_t i = 0; i < n; i++) {
        if (report->history[i] < report->history[best])
            best = i;
        double *half = i < (n + 1) / 2 ? &early : &late;
        *half = fmin(*half, report->history[i]);
    }
    if (l->outcome == STAGNATION || l->outcome == NOT_FINITE)
        return ritz_fail(
            RITZ_ERROR_NOT_CONVERGED,
            "%s comes no closer: its smallest relative residual was %.3g, in iteration %d, and after %d it is %.3g, "
            "where %g was requested; the matrix is singular or nearly so%s%s: check that the supports hold every part "
            "and that material data do not differ by many orders of magnitude; then try %s, or a larger tolerance",
            name, report->history[best], best * report->history_stride, l->iterations, l->residual, l->tolerance,
            in_single(k), symmetric ? ", or not positive definite" : "", other_remedies(k, false));
    char needed[160] = "";
    if (late < 0.5 * early && l->residual > l->tolerance)
        snprintf(needed, sizeof needed, " (at the rate so far it takes about %.2g more)",
                 ceil(log(l->residual / l->tolerance) / log(early / late) * l->iterations / 2));
    else if (n >
             32) /* conjugate gradients may need an iteration for each unknown along a slender part before it falls */
        snprintf(needed, sizeof needed,
                 " (it does not fall steadily yet: its smallest value was %.3g, in iteration %d)",
                 report->history[best], best * report->history_stride);
    const bool many =
        (k->preconditioner.number == RITZ_MULTIGRID || !symmetric) && l->iterations > RITZ_ITERATIONS_MANY;
    return ritz_fail(
        RITZ_ERROR_NOT_CONVERGED,
        "%s did not converge: relative residual %.3g after %d iterations, %g was requested; %sallow more iterations"
        "%s%s or a larger tolerance%s; if the residual does not fall whatever their number, check that the supports "
        "hold every part and that material data do not differ by many orders of magnitude%s",
        name, l->residual, l->iterations, l->tolerance, many ? "use method direct, or " : "", needed,
        other_remedies(k, true), wider, symmetric ? "" : "; " RITZ_LAYER_ADVICE);
}

/* What the iteration carries along is small, and the true residual is not. */
static ritz_status diagnose_rounding(const krylov *k, const krylov_loop *l)
{
    if (l->exact)
        return ritz_fail(RITZ_ERROR_NOT_CONVERGED,
                         "%s reached a relative residual of %.3g after %d iterations, and rounding keeps it from the "
                         "requested %g; use a larger tolerance%s",
                         k->method->name, l->residual, l->iterations, l->tolerance,
                         k->precision == RITZ_F32 ? ", or precision double, which may come nearer"
                         : k->matrix              ? ", or method direct, which may come nearer"
                                                  : "");
    return ritz_fail(RITZ_ERROR_NOT_CONVERGED,
                     "%s comes no closer than a relative residual of %.3g after %d iterations, where %g was requested: "
                     "rounding outweighs the rest, and the matrix is singular or nearly so%s; check that the supports "
                     "hold every part and that material data do not differ by many orders of magnitude; thin and "
                     "slender parts are for method direct",
                     k->method->name, l->residual, l->iterations, l->tolerance, in_single(k));
}

/* Numbers that left their range because the residual grew and grew, not because of their units. */
static bool has_diverged(const ritz_solve_report *report)
{
    double least = INFINITY, last = 0;
    for (int32_t i = 0; i < report->history_count && isfinite(report->history[i]); i++) {
        last = report->history[i];
        least = fmin(least, last);
    }
    return last > 1e6 * least;
}

ritz_status ritz_diagnose_outcome(krylov *k, const ritz_buffer *x, const krylov_loop *l,
                                  const ritz_solve_report *report)
{
    const char *name = k->method->name;
    if (l->outcome == CONVERGED)
        return RITZ_OK;
    const bool solved = l->outcome == ROUNDING && l->exact; /* as well as this precision allows */
    const ritz_status symmetric = solved ? RITZ_OK : diagnose_symmetry(k);
    if (symmetric != RITZ_OK)
        return symmetric;
    switch (l->outcome) {
    case CURVATURE:
        return ritz_fail(
            RITZ_ERROR_NOT_CONVERGED,
            "the matrix is not positive definite: cg found a direction without positive stiffness in iteration %d, at "
            "a relative residual of %.3g; check that the supports hold every part, that materials are sound and no "
            "element is inverted; for an indefinite problem use method direct or gmres%s",
            l->iterations + 1, l->residual,
            k->preconditioner.number == RITZ_MULTIGRID
                ? ", for a singular one whose loads balance preconditioner jacobi or chebyshev"
                : "");
    case NOT_FINITE:
        return has_diverged(report) ? diagnose_progress(k, l, report) : diagnose_residual(k, x, l->iterations);
    case PRECONDITIONER:
        return ritz_fail(
            RITZ_ERROR_NOT_CONVERGED,
            "%s stopped after %d iterations at a relative residual of %.3g: the preconditioner %s is not positive "
            "definite%s; the matrix may not be positive definite (then use "
            "bicgstab); otherwise use %s, or preconditioner jacobi",
            name, l->iterations, l->residual, k->preconditioner.kind->name,
            k->preconditioner.kind->widen ? ", even with larger bounds of eigenvalues" : "",
            k->preconditioner.kind->polynomial ? "a lower degree" : "method direct");
    case BREAKDOWN:
        return ritz_fail(RITZ_ERROR_NOT_CONVERGED,
                         "%s broke down after %d iterations at a relative residual of %.3g, again after a restart; the "
                         "matrix may be singular: check that boundary conditions fix the solution; " RITZ_LAYER_ADVICE
                         "; cg is for problems that are symmetric",
                         name, l->iterations, l->residual);
    case ROUNDING:
        return diagnose_rounding(k, l);
    case LEVEL:
        return ritz_fail(
            RITZ_ERROR_NOT_CONVERGED,
            "%s reached a relative residual of %.3g after %d iterations, but not the level of the solution, "
            "by which all unknowns are raised alike: next to nothing holds it; hold it by more, or use "
            "preconditioner multigrid or method direct",
            name, l->residual, l->iterations);
    default: /* STAGNATION, or RUNNING until the iterations were used up */
        return diagnose_progress(k, l, report);
    }
}
