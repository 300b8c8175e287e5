/* Which method solves a problem that asks for none. Iterations come first wherever they are known to converge well;
   factors where a part is slender or nearly incompressible, and where the iterations have cost more than factors
   would. */
#include "solve/choice.h"
#include "device/tuning.h"
#include "solve/krylov.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Iterations that each of many load cases has: more than multigrid needs of usual parts. */
enum { ITERATIONS_LEAST = 100 };

/* Numbers on the diagonal that differ so much speak of different materials. */
static const double contrast = 1000;
/* Seconds that a factorisation for the sake of a right solution may take, and those of it that each unknown takes beside its operations: 4 to 7 us
   on two cores of an EPYC. */
static const double seconds_for_exact = 0.3, order_seconds = 5e-6;

/* What iterations of unsymmetric matrices take beside their products, and products beyond the caches' rate, as measured, and what factors
   take less than the most: so many times the products. */
static const double slowness = 5;

/* Of a product with the matrix, in the memory of its device. */
static double product_seconds(const ritz_matrix *matrix)
{
    return (double)ritz_matrix_product_bytes(matrix) / ritz_device_tuned(matrix->device, RITZ_SOLVE_PRODUCT_RATE);
}

/* Operations of a factorisation that takes as long as n products. */
static double operations_of(const ritz_matrix *matrix, double n)
{
    return n * product_seconds(matrix) * ritz_device_tuned(matrix->device, RITZ_SOLVE_FACTOR_RATE);
}

/* The most that a factorisation takes with nested dissection: n^1.5 on surfaces, n^2 in solid parts, as measured. */
static double expected_operations(const ritz_matrix *matrix, int dim)
{
    const double n = (double)matrix->n_unknowns;
    const ritz_fact facts[] = {{"dim", dim}, {"block", matrix->block}};
    const ritz_device_info *info = ritz_device_get_info(matrix->device);
    return ritz_tuned(info, RITZ_SOLVE_FACTOR_OPERATIONS, facts, 2) * pow(n, dim == 3 ? 2 : 1.5);
}

/* Products that an iteration takes; those of coarse levels are about what single precision saves on the finest. */
static int count_products(const ritz_solve_options *filled)
{
    const int products = 1 + (ritz_preconditioner_is_polynomial(filled->preconditioner) ? filled->degree : 0) +
                         (filled->preconditioner == RITZ_MULTIGRID ? 2 * filled->degree : 0);
    return filled->method == RITZ_BICGSTAB ? 2 * products : products;
}

/* Iterations for each right-hand side that take `most` products, but no fewer than are always worth while; after them factors are
   thought of. */
static void bound_iterations(const ritz_matrix *matrix, const ritz_problem_shape *shape, double most,
                             const ritz_solve_options *filled, ritz_solve_options *options)
{
    const ritz_fact symmetric = {"symmetric", filled->method == RITZ_CG};
    const double least = ritz_tuned(ritz_device_get_info(matrix->device), RITZ_SOLVE_DIRECT_AFTER, &symmetric, 1);
    const double worth = fmax(least, most) / (double)ritz_max64(1, shape->n_rhs) / count_products(filled);
    if (worth < RITZ_ITERATIONS_DEFAULT)
        options->max_iterations = (int32_t)fmax(ITERATIONS_LEAST, ceil(worth));
}

/* *direct stays NULL where it would take more than `operations` or memory, or cannot be had; `text` says what it takes. ordered: as of
   ritz_solver_create_direct. */
static ritz_status try_factors(const ritz_matrix *matrix, const ritz_solve_options *wanted, double operations,
                               int64_t memory_most, ritz_direct **ordered, ritz_solver **direct,
                               char text[RITZ_CHOICE_TEXT])
{
    ritz_status status = RITZ_OK;
    const ritz_solve_options options = {.method = RITZ_DIRECT,
                                        .tolerance = wanted->tolerance,
                                        .updatable = wanted->updatable,
                                        .memory_most = memory_most};
    ritz_direct_facts facts = {0};
    status = ritz_solver_create_direct(matrix, &options, operations, ordered, direct, &facts);
    if (status == RITZ_ERROR_MEMORY || status == RITZ_ERROR_FILE) { /* no room, or no library */
        snprintf(text, RITZ_CHOICE_TEXT, "%.*s", (int)strcspn(ritz_message(), ";"), ritz_message()); /* no advice */
        return RITZ_OK;
    }
    RITZ_TRY(status);
    snprintf(text, RITZ_CHOICE_TEXT, "%.2g operations%s", facts.operations,
             *direct ? "" : " of a factorisation, which take longer");
done:
    return status;
}

/* For indefinite matrices, as of saddle points: factors, or else the iteration that takes any matrix. */
static ritz_status choose_indefinite(const ritz_matrix *matrix, ritz_solve_options *options, int64_t memory_most,
                                     ritz_solve_choice *choice)
{
    ritz_status status = RITZ_OK;
    char facts[RITZ_CHOICE_TEXT] = "built without a direct solver";
    if (ritz_direct_is_built())
        RITZ_TRY(try_factors(matrix, options, INFINITY, memory_most, NULL, &choice->direct, facts));
    options->method = RITZ_GMRES;
    options->preconditioner = RITZ_PRECONDITIONER_AUTOMATIC;
    options->near_nullspace = options->coordinates = NULL;
    options->near_nullspace_columns = options->unknowns_per_node = 0;
    snprintf(choice->why, RITZ_CHOICE_TEXT,
             "%s: the matrix is symmetric, with negative numbers on its diagonal; %.300s",
             choice->direct ? "direct" : "gmres", facts);
done:
    return status;
}

/* Slenderness, or resistance to a change of volume, from which on Jacobi's iterations are many. */
static double hard_from(const ritz_matrix *matrix)
{
    return ritz_device_tuned(matrix->device, RITZ_SOLVE_SLENDER);
}

/* The slenderness from which on a part is factorised: more in space with multigrid, whose set-up a few loads pay. */
static double slender_from(const ritz_matrix *matrix, const ritz_problem_shape *shape, const ritz_solve_options *filled)
{
    const bool multigrid = filled->preconditioner == RITZ_MULTIGRID && shape->n_rhs <= 2;
    const ritz_fact facts[] = {{"multigrid", multigrid}, {"dim", shape->dim}};
    return ritz_tuned(ritz_device_get_info(matrix->device), RITZ_SOLVE_SLENDER, facts, 2);
}

static ritz_status say_singular(const char *iterations, ritz_solve_choice *choice)
{
    snprintf(choice->why, RITZ_CHOICE_TEXT, "%s: factors find the matrix singular", iterations);
    return RITZ_OK;
}

/* Factors where iterations converge slowly: slender parts, and materials that hardly change their volume. Else choice->why is
   left as it is. iterations: what is done without them, in words. */
static ritz_status choose_hard(const ritz_matrix *matrix, const ritz_problem_shape *shape, double slender,
                               const ritz_solve_options *options, const char *iterations, int64_t memory_most,
                               ritz_solve_choice *choice)
{
    ritz_status status = RITZ_OK;
    char facts[RITZ_CHOICE_TEXT], cause[RITZ_CHOICE_TEXT];
    const bool bends = shape->slenderness >= slender;
    const double hardness = fmax(bends ? shape->slenderness : 0, shape->volume_keeping);
    const double products = hardness * ritz_device_tuned(matrix->device, RITZ_SOLVE_SLENDER_PRODUCTS);
    const int n_rhs = shape->n_rhs > 0 ? shape->n_rhs : 1;
    if (!bends && hardness < hard_from(matrix))
        return RITZ_OK;
    choice->may_iterate = true;
    status = try_factors(matrix, options, operations_of(matrix, n_rhs * products), memory_most, NULL, &choice->direct,
                         facts);
    if (status == RITZ_ERROR_INPUT)
        return say_singular(iterations, choice);
    RITZ_TRY(status);
    choice->may_iterate = choice->direct;
    if (bends && shape->slenderness >= shape->volume_keeping)
        snprintf(cause, sizeof cause, "the part is about %.2g times as long as thick", shape->slenderness);
    else
        snprintf(cause, sizeof cause, "a material resists a change of volume %.2g times as much as shear",
                 shape->volume_keeping * shape->volume_keeping);
    snprintf(choice->why, RITZ_CHOICE_TEXT, "%s: %.100s; %.300s", choice->direct ? "direct" : iterations, cause, facts);
done:
    return status;
}

/* Seconds of a factorisation: its operations, and for every unknown what the order of the rows takes. */
static double expected_seconds(const ritz_matrix *matrix, int dim, bool symmetric)
{
    return (symmetric ? 1 : 2) * expected_operations(matrix, dim) /
               ritz_device_tuned(matrix->device, RITZ_SOLVE_FACTOR_RATE) +
           order_seconds * (double)matrix->n_unknowns;
}

/* Loads that a stiff body balances by itself may be so large beside what moves it on a soft one that a residual does not tell. Bodies
   are soft by their material or by their shape; the latter does not show in the matrix, so small problems of mechanics and
   unsymmetric ones are all factorised. Else choice->why is left as it is, or says why not. */
static ritz_status choose_exact(const ritz_matrix *matrix, const ritz_problem_shape *shape,
                                const ritz_solve_options *filled, const char *iterations, int64_t memory_most,
                                ritz_solve_choice *choice)
{
    ritz_status status = RITZ_OK;
    char facts[RITZ_CHOICE_TEXT];
    double least, most;
    const bool symmetric = filled->method == RITZ_CG, mechanics = matrix->block > 1,
               small = filled->preconditioner != RITZ_MULTIGRID && (mechanics || !symmetric) && !shape->repeated;
    if (expected_seconds(matrix, shape->dim, symmetric) > seconds_for_exact * (double)ritz_max64(1, shape->n_rhs))
        return RITZ_OK;
    RITZ_TRY(ritz_solve_find_diagonal_range(matrix, &least, &most));
    const bool differs = least > 0 && most > contrast * least;
    if (!small && !(differs && (mechanics || !shape->repeated)))
        return RITZ_OK;
    choice->may_iterate = symmetric && !differs;
    status = try_factors(matrix, filled, INFINITY, memory_most, NULL, &choice->direct, facts);
    if (status == RITZ_ERROR_INPUT && choice->may_iterate)
        return say_singular(iterations, choice);
    RITZ_TRY(status);
    choice->may_iterate = choice->is_exact = choice->may_iterate && choice->direct;
    if (!choice->direct && !choice->why[0])
        snprintf(choice->why, RITZ_CHOICE_TEXT, "%s: %.300s", iterations, facts);
    else if (choice->direct && differs)
        snprintf(choice->why, RITZ_CHOICE_TEXT,
                 "direct: stiffnesses on the diagonal differ by a factor of %.2g; %.300s", most / least, facts);
    else if (choice->direct)
        snprintf(choice->why, RITZ_CHOICE_TEXT, "direct: there are no more than %lld unknowns; %.300s",
                 (long long)matrix->n_unknowns, facts);
done:
    return status;
}

/* Iterations, which may come to no end where convection prevails; LU takes twice the operations of LDL^T. */
static void choose_unsymmetric(const ritz_matrix *matrix, const ritz_problem_shape *shape,
                               const ritz_solve_options *filled, const char *iterations, ritz_solve_options *options,
                               ritz_solve_choice *choice)
{
    const double cost = 2 * expected_operations(matrix, shape->dim) / operations_of(matrix, 1);
    bound_iterations(matrix, shape, cost / slowness, filled, options);
    options->preconditioner = filled->preconditioner; /* settled: the choice has read the diagonal */
    if (!choice->why[0])
        snprintf(choice->why, RITZ_CHOICE_TEXT,
                 "%s: the matrix is not symmetric; a factorisation would cost up to %.2g products", iterations, cost);
}

/* ---- Iterations that are looked at ---- */

/* Of an iteration with multigrid the part of its products' time that it takes, as measured: those in single precision take less. */
static const double each_product = 0.7;
/* Seconds of iterations, for each unknown and as a part of the most that factors take, for which the order of the rows is worth
   finding. */
static const double worth_ordering = 1e-5, worth_of_most = 0.3;
/* Of factors, as measured on two cores of an EPYC: seconds of each nonzero and unknown, operations a second. */
static const double nonzero_seconds = 2.2e-8, unknown_seconds = 1.3e-6, operation_rate = 1.2e11;

/* The order of the rows, unless it is there; none is asked for again where there is none, or the factors have no room. */
static ritz_status order_for_factors(ritz_outlook *o)
{
    if (o->ordered)
        return RITZ_OK;
    ritz_status status = ritz_direct_analyse(o->matrix, &o->ordered);
    if (status == RITZ_OK)
        status = ritz_direct_check_memory(o->ordered, o->memory_most);
    if (status == RITZ_OK || status == RITZ_INTERRUPTED)
        return status;
    ritz_log("choice: no factors: %s", ritz_message());
    ritz_direct_destroy(&o->ordered);
    o->worth = INFINITY;
    return RITZ_OK;
}

static ritz_status look_out(void *context, int32_t iterations, double left, bool *gives_up)
{
    ritz_status status = RITZ_OK;
    ritz_outlook *o = context;
    const double n = (double)o->matrix->n_unknowns;
    const double seconds = o->each * (left + (o->n_rhs - 1) * (iterations + left));
    if (seconds < o->worth)
        return RITZ_OK;
    RITZ_TRY(order_for_factors(o));
    if (!o->ordered)
        return RITZ_OK;
    const ritz_direct_facts *facts = ritz_direct_get_facts(o->ordered);
    const double factors =
        unknown_seconds * n + nonzero_seconds * (double)facts->factor_nonzeros + facts->operations / operation_rate;
    *gives_up = o->given_up = seconds > factors;
    o->left = left;
    ritz_log("choice: after %d iterations about %.0f more are expected, %.2g s, and %.2g s of a factorisation",
             iterations, left, seconds, factors);
done:
    return status;
}

ritz_solve_watch ritz_outlook_watch(ritz_outlook *outlook)
{
    return (ritz_solve_watch){.look = look_out, .context = outlook};
}

static ritz_outlook make_outlook(const ritz_matrix *matrix, const ritz_problem_shape *shape,
                                 const ritz_solve_options *filled, int64_t memory_most)
{
    const double most =
        expected_operations(matrix, shape->dim) / ritz_device_tuned(matrix->device, RITZ_SOLVE_FACTOR_RATE);
    return (ritz_outlook){.memory_most = memory_most,
                          .n_rhs = (double)ritz_max64(1, shape->n_rhs),
                          .each = each_product * count_products(filled) * product_seconds(matrix),
                          .worth = fmax(worth_ordering * (double)matrix->n_unknowns, worth_of_most * most)};
}

/* ---- The choice ---- */

ritz_status ritz_solve_choose(const ritz_matrix *matrix, const ritz_problem_shape *shape, ritz_solve_options *options,
                              int64_t memory_most, ritz_solve_choice *choice)
{
    ritz_status status = RITZ_OK;
    ritz_solve_options filled;
    char iterations[80]; /* "cg with multigrid" */
    double least = 0, most = 0;
    *choice = (ritz_solve_choice){0};
    if (options->method == RITZ_CG && shape->any_sign)
        RITZ_TRY(ritz_solve_find_diagonal_range(matrix, &least, &most));
    if (least < 0)
        return choose_indefinite(matrix, options, memory_most, choice);
    if (!ritz_direct_is_built()) {
        snprintf(choice->why, RITZ_CHOICE_TEXT, "%s: %s", ritz_solve_method_name(options->method),
                 options->method == RITZ_CG ? "built without a direct solver" : "the matrix is not symmetric");
        return RITZ_OK;
    }
    RITZ_TRY(ritz_solve_fill_options(matrix, options, &filled));
    snprintf(iterations, sizeof iterations, "%s with %s", ritz_solve_method_name(filled.method),
             ritz_preconditioner_name(filled.preconditioner));
    if (options->method != RITZ_CG) {
        RITZ_TRY(choose_exact(matrix, shape, &filled, iterations, memory_most, choice));
        if (!choice->direct)
            choose_unsymmetric(matrix, shape, &filled, iterations, options, choice);
        goto done;
    }
    RITZ_TRY(
        choose_hard(matrix, shape, slender_from(matrix, shape, &filled), options, iterations, memory_most, choice));
    if (!choice->direct && !choice->may_iterate)
        RITZ_TRY(choose_exact(matrix, shape, &filled, iterations, memory_most, choice));
    if (choice->direct)
        goto done;
    const double cost = expected_operations(matrix, shape->dim) / operations_of(matrix, 1); /* far less where slender */
    const bool by_multigrid = !choice->why[0] && shape->slenderness >= hard_from(matrix);
    if (filled.preconditioner == RITZ_MULTIGRID && !choice->may_iterate)
        choice->outlook = make_outlook(matrix, shape, &filled, memory_most);
    else
        bound_iterations(matrix, shape, 2 * cost, &filled, options);
    if (by_multigrid)
        snprintf(choice->why, RITZ_CHOICE_TEXT,
                 "%s: the part is about %.2g times as long as thick, for which it mostly takes less time than a "
                 "factorisation",
                 iterations, shape->slenderness);
    else if (!choice->why[0])
        snprintf(choice->why, RITZ_CHOICE_TEXT,
                 "%s: the matrix is symmetric%s; a factorisation would cost up to %.2g products", iterations,
                 shape->slenderness > 0 ? " and the part is not slender" : "", cost);
done:
    return status;
}

ritz_status ritz_solve_turn(const ritz_matrix *matrix, const ritz_solve_options *options, int64_t memory_most,
                            ritz_outlook *outlook, ritz_solve_choice *choice)
{
    ritz_status status = RITZ_OK;
    ritz_solve_options filled;
    *choice = (ritz_solve_choice){0};
    RITZ_TRY(ritz_solve_fill_options(matrix, options, &filled));
    RITZ_TRY(try_factors(matrix, options,
                         operations_of(matrix, (double)count_products(&filled) * RITZ_ITERATIONS_DEFAULT), memory_most,
                         &outlook->ordered, &choice->direct, choice->why));
done:
    return status;
}
