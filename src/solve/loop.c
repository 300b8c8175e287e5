/* The loop that the host keeps: iterations sent ahead, new starts, and the true residual at the end. */
#include "device/tuning.h"
#include "solve/krylov.h"

#include <math.h>

/* Far from the end iterations sent ahead are a quarter of those that seem to be left, but an interrupt is to be seen at
   once. */
static const double wait_seconds = 1e-2;
enum { NARROW_EVERY = 8 };              /* iterations between decisions on vectors */
static const double look_seconds = 0.5; /* between two lines of progress */

/* BiCGStab may start anew this often without having come any closer. */
enum { FRUITLESS_RESTARTS = 10 };

/* The residual that conjugate gradients carry along is compared with the true one this often (a product in so many
   iterations; counted, so that every run stops there). Once it is less than a fraction of it, it tells nothing any
   more. */
enum { PROBE_EVERY = 1000 };
static const double drift = 0.01;
/* So much larger than at first, a residual has numbers in it that hide those that are left to be found. */
static const double lost = 1e9;

/* A true residual within this factor of eps |A| |x| is as small as it gets; what was seen at the end of solves of
   slender beams and thin plates was 2 to 10. |A| of a scaled matrix is 1 to 5 by elements of the usual orders. */
static const double attained = 16, usual_norm = 3;
/* A start from there is vain within this factor, and within the other one where the iteration has drifted, which has
   then taken long; unless so little of the residual has to go that a start costs a few iterations and may do. */
static const double vain = 4, little = 30;
/* Then x solves a system that differs from the given one by rounding alone, which may still be far from the solution:
   so much of the right-hand side may be left for it to be reported as a solution. */
static const double rounding_most = 1e-3;

/* r = b - A x anew. */
static ritz_status fresh_residual(krylov *k, const ritz_buffer *b, double sums[2])
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_krylov_multiply(k, VECTOR_X, VECTOR_Q));
    RITZ_TRY(ritz_buffer_copy(b, 0, k->vector[VECTOR_R], 0, k->n * ritz_real_bytes(k->precision)));
    RITZ_TRY(ritz_krylov_residual(k, sums));
done:
    return status;
}

/* A start or a new start: the residual, the method's vectors and scalars. */
static ritz_status begin_loop(krylov *k, const ritz_buffer *b, krylov_loop *l)
{
    ritz_status status = RITZ_OK;
    double sums[2];
    if (l->from_zero && l->iterations == 0)
        RITZ_TRY(ritz_krylov_residual_of_zero(k, b, sums));
    else
        RITZ_TRY(fresh_residual(k, b, sums));
    l->residual = sqrt(sums[0] / l->norm);
    l->outcome = !isfinite(sums[0]) ? NOT_FINITE : l->residual <= l->tolerance ? CONVERGED : RUNNING;
    if (l->iterations == 0)
        l->first_residual = l->residual;
    if (l->outcome != RUNNING)
        goto done;
    double state[STATE_SIZE] = {[STATE_RESIDUAL] = l->residual,
                                [STATE_OUTCOME] = RUNNING,
                                [STATE_ITERATIONS] = l->iterations,
                                [STATE_NORM] = l->norm,
                                [STATE_TOLERANCE] = l->tolerance,
                                [STATE_RHO] = sums[0],
                                [STATE_ALPHA] = 1,
                                [STATE_OMEGA] = 1,
                                [STATE_SHADOW] = sums[0],
                                [STATE_RHO_BEFORE] = 1,
                                [STATE_BEST] = l->residual,
                                [STATE_BEST_AT] = l->iterations};
    RITZ_TRY(ritz_krylov_write_state(k, state));
    RITZ_TRY(ritz_krylov_choose_precision(k, l->residual, l->tolerance));
    RITZ_TRY(k->method->start(k));
done:
    return status;
}

/* The residual and the exact number of iterations from the device, and the progress that follows. */
static ritz_status read_state(krylov *k, krylov_loop *l)
{
    ritz_status status = RITZ_OK;
    double state[STATE_SIZE];
    RITZ_TRY(ritz_krylov_read_state(k, 0, 3, state));
    l->residual = state[STATE_RESIDUAL];
    l->iterations = (int32_t)state[STATE_ITERATIONS];
    double done = log(l->residual / l->first_residual) / log(l->tolerance / l->first_residual);
    ritz_progress("solve", done > 0 && done < 1 ? done : done >= 1);
done:
    return status;
}

/* Whether the residual of the iteration has lost touch with the true one, or grown beyond hope. The true one is formed beside
   the iteration's own vectors. */
static ritz_status probe_residual(krylov *k, const ritz_buffer *b, krylov_loop *l)
{
    ritz_status status = RITZ_OK;
    krylov beside = *k;
    double sums[2];
    RITZ_TRY(ritz_krylov_make_spare(k));
    beside.vector[VECTOR_R] = k->fresh_residual;
    beside.partial = k->fresh_partial;
    RITZ_TRY(fresh_residual(&beside, b, sums));
    if (l->residual < drift * sqrt(sums[0] / l->norm))
        l->outcome = DRIFTED;
    else if (l->residual > lost * l->first_residual)
        l->outcome = STAGNATION;
done:
    return status;
}

/* Looks of the watch. The first residuals of conjugate gradients tell little of later ones, and near the end nothing is to be gained. */
enum { LOOK_EVERY = 10, LOOK_FROM = 40 };
static const double far_off = 100;

/* Not in steps beyond the tolerance. */
static bool is_watched(const krylov_loop *l)
{
    return l->watch && l->asked == 0 && l->looks == 0;
}

static ritz_status look_ahead(krylov_loop *l)
{
    ritz_status status = RITZ_OK;
    bool gives_up = false;
    const double late = log(l->seen[0] / l->residual) / (2 * LOOK_EVERY),
                 mean = log(l->first_residual / l->residual) / l->iterations, rate = fmax(late, mean),
                 most = l->max_iterations - l->iterations;
    const double left = rate > 0 ? fmin(most, log(l->residual / l->tolerance) / rate) : most;
    if (l->iterations >= LOOK_FROM && l->residual > far_off * l->tolerance)
        RITZ_TRY(l->watch->look(l->watch->context, l->iterations, left, &gives_up));
    if (gives_up)
        l->max_iterations = l->iterations;
    l->seen[0] = l->seen[1];
    l->seen[1] = l->residual;
done:
    return status;
}

static bool is_probed(const krylov *k)
{
    return k->method->positive_definite;
}

/* Iterations to send ahead, one of which takes `each` seconds, if `before` were sent last. Where vectors may become
   narrow they end at the next iteration at which that is decided: it is counted, not timed, so that every run changes
   there. */
static int32_t choose_iterations_ahead(const krylov *k, const krylov_loop *l, double each, int32_t before)
{
    const double rate = log(l->first_residual / l->residual) / l->iterations;
    const double left = rate > 0 ? log(l->residual / l->tolerance) / rate : 0;
    const double least = ritz_device_tuned(k->device, RITZ_KRYLOV_AHEAD_SECONDS),
                 most = ritz_device_tuned(k->device, RITZ_KRYLOV_AHEAD_MOST);
    double ahead = fmax(least / each, fmin(wait_seconds / each, left / 4));
    ahead = fmax(1, fmin(fmin(ahead, most), 2.0 * before));
    ahead = fmin(ahead, l->max_iterations - l->iterations);
    ahead = is_probed(k) ? fmin(ahead, PROBE_EVERY - l->iterations % PROBE_EVERY) : ahead;
    ahead = is_watched(l) ? fmin(ahead, LOOK_EVERY - l->iterations % LOOK_EVERY) : ahead;
    return (int32_t)(ritz_krylov_may_narrow(k) ? fmin(ahead, NARROW_EVERY - l->iterations % NARROW_EVERY) : ahead);
}

/* Iterates until the outcome is decided or the iterations are used up. Two numbers are read back now and then: the
   residual and the outcome. */
static ritz_status run_loop(krylov *k, const ritz_buffer *b, krylov_loop *l)
{
    ritz_status status = RITZ_OK;
    double seconds = ritz_seconds(), looked = seconds, state[STATE_SIZE];
    int32_t ahead = 1;
    while (l->outcome == RUNNING && l->iterations < l->max_iterations) {
        const bool wide = k->in_use->precision == RITZ_F64;
        const int32_t before = l->iterations;
        for (int32_t i = 0; i < ahead; i++)
            RITZ_TRY(k->method->iterate(k));
        RITZ_TRY(ritz_krylov_read_state(k, STATE_RESIDUAL, 2, state));
        l->outcome = (outcome)(int)state[STATE_OUTCOME];
        l->residual = state[STATE_RESIDUAL];
        l->iterations += ahead; /* all of them done while the outcome is open */
        RITZ_TRY(ritz_check_interrupt());
        const double now = ritz_seconds(), each = fmax(1e-9, (now - seconds) / ahead);
        seconds = now;
        if (l->outcome != RUNNING || l->iterations >= l->max_iterations || now - looked > look_seconds) {
            RITZ_TRY(read_state(k, l));
            looked = now;
        }
        l->double_iterations += wide ? l->iterations - before : 0;
        if (l->outcome == RUNNING && l->iterations < l->max_iterations && l->iterations % NARROW_EVERY == 0 &&
            ritz_krylov_may_narrow(k))
            RITZ_TRY(ritz_krylov_choose_precision(k, l->residual, l->tolerance));
        if (l->outcome == RUNNING && l->iterations % PROBE_EVERY == 0 && is_probed(k))
            RITZ_TRY(probe_residual(k, b, l));
        if (l->outcome == RUNNING && l->iterations % LOOK_EVERY == 0 && is_watched(l))
            RITZ_TRY(look_ahead(l));
        ahead = choose_iterations_ahead(k, l, each, ahead);
    }
    if (k->method->finish)
        RITZ_TRY(k->method->finish(k));
done:
    return status;
}

/* So much less of the residual is asked for in a step beyond the tolerance, by which the solution may change by so many times the
   tolerance, in energy. */
static const double further = 0.1, change_most = 10;
/* Times that the error is looked at, and how many times the tolerance it may be then, in energy: of usual parts it is 0.05 to
   0.005, of slender ones 0.5. */
enum { LOOKS_MOST = 4, LEVELS_MOST = 3 };
static const double error_most = 0.1;

/* Whether steps can make the residual a tenth of what it is. */
static bool has_room(const krylov *k, double residual)
{
    return further * residual > 64 * ritz_krylov_epsilon(k);
}

/* All steps beyond the tolerance together have at most twice the iterations of those to it. */
static void begin_further(krylov_loop *l, double energy)
{
    l->energy = energy;
    l->asked = l->tolerance;
    l->most = l->max_iterations;
    l->max_iterations = (int32_t)ritz_min64(l->max_iterations, 3 * (int64_t)l->iterations + NARROW_EVERY);
}

/* Beyond the tolerance, if that has just been met for the first time or if the last step beyond it has changed the solution: what is
   left of the residual may be all that tells of a soft motion. */
static ritz_status go_further(krylov *k, krylov_loop *l, bool *goes)
{
    ritz_status status = RITZ_OK;
    double state[STATE_SIZE];
    const bool first = l->asked == 0;
    *goes = false;
    if (!l->thorough || k->preconditioner.kind->near_inverse || !k->method->resume || l->outcome != CONVERGED ||
        l->iterations == 0)
        return RITZ_OK;
    RITZ_TRY(ritz_krylov_read_state(k, 0, STATE_SIZE, state));
    if ((int)state[STATE_OUTCOME] != CONVERGED) /* of an earlier start: this one has made no iteration */
        goto done;
    const double energy = state[STATE_ENERGY], change = change_most * l->asked,
                 least = fmax(change * change, 8 * ritz_krylov_epsilon(k)); /* of the sum's rounding */
    *goes = (first || energy - l->energy > least * energy) && has_room(k, l->tolerance);
    if (!*goes)
        goto done;
    if (first)
        begin_further(l, energy);
    l->energy = energy;
    l->tolerance *= further;
    l->outcome = RUNNING;
    state[STATE_TOLERANCE] = l->tolerance;
    state[STATE_OUTCOME] = state[STATE_FOUND] = RUNNING;
    RITZ_TRY(ritz_krylov_write_state(k, state));
    RITZ_TRY(k->method->resume(k));
done:
    return status;
}

/* The tolerance that was asked for was met before, however the further steps have ended. */
static void end_further(krylov_loop *l)
{
    if (l->asked == 0)
        return;
    l->tolerance = l->asked;
    l->max_iterations = l->most;
    l->thorough = l->looks > 0; /* which goes on by itself */
    l->asked = 0;
    l->outcome = CONVERGED;
}

/* `run`, and new starts after breakdowns as long as they lead anywhere. */
static ritz_status run_past_breakdowns(krylov *k, const ritz_buffer *b, krylov_loop *l)
{
    ritz_status status = RITZ_OK;
    void (*const widen)(krylov *) = k->preconditioner.kind->widen;
    double best = INFINITY;
    int fruitless = 0;
    for (;;) {
        bool goes_on;
        RITZ_TRY(run_loop(k, b, l));
        RITZ_TRY(go_further(k, l, &goes_on));
        if (goes_on)
            continue;
        if (l->asked > 0) /* a breakdown there ends it */
            break;
        if ((l->outcome != BREAKDOWN && l->outcome != PRECONDITIONER) || l->iterations >= l->max_iterations)
            break;
        fruitless = l->residual < 0.9 * best ? 0 : fruitless + 1;
        best = fmin(best, l->residual);
        if (fruitless > FRUITLESS_RESTARTS || (l->outcome == PRECONDITIONER && !widen))
            break;
        if (l->outcome == PRECONDITIONER)
            widen(k);
        ritz_log("solve: %s %s after %d iterations at a residual of %.3g; restarting from there", k->method->name,
                 l->outcome == PRECONDITIONER ? "met eigenvalues above their bound, which is raised," : "broke down",
                 l->iterations, l->residual);
        RITZ_TRY(begin_loop(k, b, l));
    }
done:
    return status;
}

/* The best iterate of several starts: a later one may end further away. */
typedef struct best_iterate {
    ritz_buffer *x; /* NULL until there is a second start */
    double scaled, plain;
} best_iterate;

/* Keeps x, or takes the kept one back where that is better. */
static ritz_status keep_best_iterate(krylov *k, best_iterate *best, double *scaled, double *plain)
{
    ritz_status status = RITZ_OK;
    const int64_t bytes = k->n_padded * ritz_real_bytes(k->precision);
    if (best->x && !(*scaled < best->scaled)) {
        RITZ_TRY(ritz_buffer_copy(best->x, 0, k->vector[VECTOR_X], 0, bytes));
        *scaled = best->scaled;
        *plain = best->plain;
        return RITZ_OK;
    }
    if (!best->x)
        RITZ_TRY(ritz_buffer_create(k->device, bytes, "the best solution so far", &best->x));
    RITZ_TRY(ritz_buffer_copy(k->vector[VECTOR_X], 0, best->x, 0, bytes));
    *best = (best_iterate){.x = best->x, .scaled = *scaled, .plain = *plain};
done:
    return status;
}

/* What is left of the true residual at the end, and what rounding leaves of any. */
typedef struct residual_end {
    double scaled, plain; /* relative to the right-hand side: of the scaled system, and |b - A x| / |b| */
    double attainable;    /* scaled: eps |A| |x|, no less than what rounding x alone brings in */
} residual_end;

static ritz_status measure_final_residual(krylov *k, const ritz_buffer *b, const krylov_loop *l, residual_end *end)
{
    ritz_status status = RITZ_OK;
    double sums[2], square = 0;
    const double norm = k->largest_eigenvalue > 0 ? k->largest_eigenvalue : usual_norm;
    RITZ_TRY(fresh_residual(k, b, sums));
    RITZ_TRY(ritz_krylov_weigh_solution(k, &square));
    *end = (residual_end){.scaled = sqrt(sums[0] / l->norm),
                          .plain = sqrt(sums[1] / l->plain_norm),
                          .attainable = ritz_krylov_epsilon(k) * norm * sqrt(square / l->norm)};
done:
    return status;
}

/* Whether a start from the iterate is worth while: the true residual is above what is asked for and what rounding
   leaves, and the start before, if there was one, came ten times closer. */
static bool restart_is_worthwhile(const krylov *k, const krylov_loop *l, const residual_end *end, double last)
{
    const double floor =
        fmax(2 * l->tolerance, 64 * ritz_krylov_epsilon(k)); /* below it, starting anew is not worth while */
    const bool drifted = l->outcome == DRIFTED, near = !drifted && end->scaled < little * l->tolerance;
    return (l->outcome == CONVERGED || drifted) && l->iterations < l->max_iterations && end->scaled > floor &&
           (near || end->scaled > (drifted ? attained : vain) * end->attainable) && end->scaled < 0.1 * last;
}

/* The report has the outcome and the residual that belong to the true residual. */
static void settle_outcome(const krylov *k, krylov_loop *l, const residual_end *end)
{
    const double rounding =
        k->precision == RITZ_F64 ? 1e-11 : 1e-5; /* what a user may always ask for and not get whole */
    if (l->outcome == LEVEL || (l->levels > 0 && end->scaled > fmax(10 * l->tolerance, rounding))) {
        l->outcome = LEVEL;
        l->residual = end->scaled;
        return;
    }
    const double beside_whole = end->scaled * sqrt(l->norm / l->whole);
    if (l->norm < l->whole && isfinite(end->plain) && end->scaled > l->tolerance &&
        end->scaled <= attained * end->attainable && beside_whole <= fmax(10 * l->tolerance, rounding)) {
        l->outcome = CONVERGED; /* all that rounding leaves, and small beside the whole right-hand side */
        l->residual = beside_whole;
        return;
    }
    const bool exact = end->scaled <= fmin(rounding_most, attained * end->attainable);
    if (l->outcome == DRIFTED || (l->outcome == CONVERGED && end->scaled > fmax(10 * l->tolerance, rounding)) ||
        (l->outcome != CONVERGED && !(l->outcome == RUNNING && k->precision == RITZ_F64) && exact))
        l->outcome = ROUNDING; /* what the iteration carries along is small, but not the residual */
    l->exact = exact;
    if (!isfinite(end->scaled) ||
        !isfinite(end->plain)) /* a solution that does not fit, or a preconditioner's last word */
        l->outcome = NOT_FINITE;
    if (l->outcome == CONVERGED)
        l->residual = fmax(l->residual, end->scaled);
    if (l->outcome == ROUNDING)
        l->residual = end->scaled; /* where the iteration has left that of x behind */
    if (l->outcome == CONVERGED && l->residual > l->tolerance)
        ritz_log("solve: the residual formed anew is %.3g where %g was requested: rounding of %d iterations",
                 l->residual, l->tolerance, l->iterations);
}

static bool may_look(const krylov *k, const krylov_loop *l, const residual_end *end)
{
    return l->thorough && k->preconditioner.kind->near_inverse && l->outcome == CONVERGED && l->iterations > 0 &&
           l->looks < LOOKS_MOST && end->scaled > vain * end->attainable && has_room(k, end->scaled);
}

/* The energy of the error, relative to that of the solution, from r . M r of the start. */
static ritz_status estimate_energy(krylov *k, const krylov_loop *l, double *error)
{
    ritz_status status = RITZ_OK;
    double state[STATE_SIZE];
    RITZ_TRY(ritz_krylov_read_state(k, 0, STATE_SIZE, state));
    const double unit = k->in_use->precision == k->precision ? 1 : l->norm; /* UNIT of kernels/reduce.cl */
    *error = sqrt(state[STATE_RHO] * unit / l->energy);
done:
    return status;
}

/* The same of methods that know no energy: the error, about M r, weighed with the diagonal. */
static ritz_status estimate_change(krylov *k, const krylov_loop *l, double *error)
{
    ritz_status status = RITZ_OK;
    krylov beside = *k;
    double square, whole;
    RITZ_TRY(ritz_krylov_precondition(k, k->method->preconditioned));
    beside.vector[VECTOR_X] = k->vector[k->method->preconditioned];
    RITZ_TRY(ritz_krylov_weigh_solution(&beside, &square));
    RITZ_TRY(ritz_krylov_weigh_solution(k, &whole));
    *error = sqrt(square / whole) * (k->method->starts_from_unit ? l->residual * sqrt(l->norm) : 1);
done:
    return status;
}

/* With a preconditioner that is near to the inverse, and so tells the error: a start from the true residual, if the error is not small.
   What moves stiff parts on soft ones is in the true residual alone, where rounding of a cycle in single precision has kept it
   from the one that the iteration carries along. */
static ritz_status look_again(krylov *k, const ritz_buffer *b, krylov_loop *l, const residual_end *end, bool *goes)
{
    ritz_status status = RITZ_OK;
    const bool has_energy = k->method->positive_definite;
    double state[STATE_SIZE], error;
    *goes = false;
    if (!may_look(k, l, end))
        return RITZ_OK;
    RITZ_TRY(ritz_krylov_read_state(k, 0, STATE_SIZE, state));
    begin_further(l, l->looks++ > 0 ? l->energy : state[STATE_ENERGY]);
    l->tolerance = further * fmin(l->tolerance, end->scaled);
    RITZ_TRY(begin_loop(k, b, l));
    if (has_energy)
        RITZ_TRY(estimate_energy(k, l, &error));
    else
        RITZ_TRY(estimate_change(k, l, &error));
    *goes = l->outcome == RUNNING && error > (has_energy ? error_most : change_most) * l->asked;
    ritz_log("solve: at a true residual of %.3g the error is about %.1e of the solution%s%s", end->scaled, error,
             has_energy ? " in energy" : "", *goes ? "; starting anew" : "");
    if (!*goes)
        end_further(l);
done:
    return status;
}

/* So much of the solution that its level is off by is not called converged. */
static const double level_most = 1e-4;

/* What the iteration leaves of the level, which its preconditioner finds last. Where A is symmetric it is added, which takes energy out of
   the error, and the iteration goes on from there. Else its equation has other errors in it: a smaller residual is asked for.
   restored: x is of an earlier start, and the residual in r is not. */
static ritz_status look_at_level(krylov *k, const ritz_buffer *b, bool restored, krylov_loop *l, residual_end *end,
                                 bool *goes)
{
    ritz_status status = RITZ_OK;
    const bool symmetric = k->method->positive_definite;
    double change[LEVEL_MOST], share;
    *goes = false;
    if (k->preconditioner.kind->near_inverse || !k->matrix || l->outcome != CONVERGED || l->iterations == 0)
        return RITZ_OK;
    if (restored)
        RITZ_TRY(measure_final_residual(k, b, l, end));
    RITZ_TRY(ritz_krylov_find_level(k, change, &share));
    if (share <= change_most * l->tolerance)
        return RITZ_OK;
    if (l->levels++ >= LEVELS_MOST || (!symmetric && !has_room(k, end->scaled))) {
        l->outcome = share > level_most ? LEVEL : l->outcome;
        return RITZ_OK;
    }
    ritz_log("solve: at a true residual of %.3g the level is off by %.1e of the solution; going on", end->scaled,
             share);
    begin_further(l, l->energy);
    if (symmetric)
        RITZ_TRY(ritz_krylov_raise(k, change));
    else
        l->tolerance = fmin(l->tolerance, end->scaled) * fmax(fmin(further, change_most * l->tolerance / share), 1e-4);
    RITZ_TRY(begin_loop(k, b, l));
    *goes = l->outcome == RUNNING;
    if (!*goes) {
        end_further(l);
        RITZ_TRY(measure_final_residual(k, b, l, end));
    }
done:
    return status;
}

ritz_status ritz_krylov_iterate(krylov *k, const ritz_buffer *b, krylov_loop *l, double *true_residual)
{
    ritz_status status = RITZ_OK;
    double last = INFINITY;
    best_iterate best = {0};
    residual_end end;
    bool looks;
    const bool thorough = l->thorough;
    RITZ_TRY(begin_loop(k, b, l));
    for (;;) {
        RITZ_TRY(run_past_breakdowns(k, b, l));
        end_further(l);
        RITZ_TRY(measure_final_residual(k, b, l, &end));
        const bool again = restart_is_worthwhile(k, l, &end, last);
        if (again || best.x)
            RITZ_TRY(keep_best_iterate(k, &best, &end.scaled, &end.plain));
        if (!again) {
            RITZ_TRY(look_again(k, b, l, &end, &looks));
            if (looks)
                continue;
            if (thorough)
                RITZ_TRY(look_at_level(k, b, best.x != NULL, l, &end, &looks));
            if (!looks)
                break;
            ritz_buffer_destroy(&best.x); /* which is of another level */
            last = INFINITY;
            continue;
        }
        ritz_log("solve: the true residual after %d iterations is %.3g; restarting from there", l->iterations,
                 end.scaled);
        last = end.scaled;
        RITZ_TRY(begin_loop(k, b, l));
    }
    settle_outcome(k, l, &end);
    *true_residual = end.plain;
done:
    ritz_buffer_destroy(&best.x);
    return status;
}
