/* Multigrid as a preconditioner: one cycle for D^-1/2 A D^-1/2. Of a symmetric matrix a fixed symmetric operator, but for the
   rounding of its vectors, so that plain conjugate gradients are right. */
#include "solve/krylov.h"

#include <math.h>

enum { DEGREE = 2 }; /* of smoothers */

bool ritz_multigrid_holds(const ritz_matrix *matrix, int unknowns_per_node)
{
    const double block = unknowns_per_node ? unknowns_per_node : matrix->block;
    return (double)ritz_matrix_nonzeros(matrix) <= block * block * INT32_MAX;
}

static ritz_status check_options(const ritz_solve_options *o)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(o->degree == 0 || (o->degree >= 2 && o->degree <= RITZ_SMOOTHER_DEGREE_MOST), RITZ_ERROR_INPUT,
                 "multigrid cannot have smoothers of degree %d; use 2 to %d, or leave it out", o->degree,
                 RITZ_SMOOTHER_DEGREE_MOST);
done:
    return status;
}

/* Rounding of single precision in the cycle costs conjugate gradients nothing that could be measured, as long as the
   matrix's condition leaves it a direction. */
static void fill_options(const ritz_matrix *matrix, ritz_solve_options *o)
{
    o->degree = o->degree ? o->degree : DEGREE;
    o->unknowns_per_node = o->unknowns_per_node ? o->unknowns_per_node : matrix->block;
    o->near_nullspace_columns = o->near_nullspace ? o->near_nullspace_columns : 0;
    if (o->coordinates)
        o->near_nullspace_columns = o->unknowns_per_node == 2 ? 3 : 6;
    if (!o->vectors && o->method == RITZ_CG && matrix->precision == RITZ_F64 && o->storage != RITZ_VALUES_F64)
        o->vectors = RITZ_VECTORS_SINGLE;
}

static ritz_multigrid *get_multigrid(const krylov *k)
{
    return k->preconditioner.own;
}

/* A number on the diagonal that is not positive would be found in the iterations, and taken for the system's. */
static ritz_status check_diagonal(const ritz_matrix *given)
{
    ritz_status status = RITZ_OK;
    double *diagonal = NULL;
    RITZ_NEW(diagonal, given->n_unknowns);
    RITZ_TRY(ritz_matrix_read_diagonal(given, diagonal));
    for (int64_t i = 0; i < given->n_unknowns; i++)
        RITZ_REQUIRE(
            diagonal[i] > 0 && isfinite(diagonal[i]), RITZ_ERROR_INPUT,
            "precondition_matrix has %g on its diagonal in row %lld, where conjugate gradients need a positive "
            "number; make it of the system's terms that hold each unknown",
            diagonal[i], (long long)i);
done:
    ritz_free(diagonal);
    return status;
}

/* Whether the given matrix can stand in for the system's. */
static ritz_status check_given(const ritz_matrix *given, const ritz_matrix *matrix, bool updatable)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(!updatable, RITZ_ERROR_INPUT,
                 "a solver whose multigrid is made of a matrix of its own cannot be updated; leave out "
                 "precondition_matrix or updatable");
    RITZ_REQUIRE(given->device == matrix->device, RITZ_ERROR_INPUT,
                 "precondition_matrix is on another device than the system; make it there");
    RITZ_REQUIRE(given->precision == matrix->precision && given->block == matrix->block &&
                     given->n_unknowns == matrix->n_unknowns && given->n_scalar_columns == matrix->n_scalar_columns,
                 RITZ_ERROR_INPUT,
                 "multigrid cannot be made of a matrix of %lld rows in blocks of %d in %s precision: the system has "
                 "%lld in blocks of %d in %s precision",
                 (long long)given->n_unknowns, given->block, given->precision == RITZ_F64 ? "double" : "single",
                 (long long)matrix->n_unknowns, matrix->block, matrix->precision == RITZ_F64 ? "double" : "single");
done:
    return status;
}

static ritz_status create_kind(krylov *k)
{
    ritz_status status = RITZ_OK;
    const krylov_preconditioner *p = &k->preconditioner;
    const ritz_matrix *matrix = p->matrix ? p->matrix : k->matrix;
    ritz_multigrid *m = NULL;
    const ritz_multigrid_options options = {.block = p->unknowns_per_node,
                                            .columns = p->near_nullspace_columns,
                                            .nullspace = p->near_nullspace,
                                            .coordinates = p->coordinates,
                                            .coarse_nodes = p->coarse_nodes,
                                            .coarse_weights = p->coarse_weights,
                                            .n_coarse = p->n_coarse_nodes,
                                            .weight = k->vector[VECTOR_D],
                                            .vectors = k->in_use->precision,
                                            .values = p->storage,
                                            .degree = p->degree,
                                            .unsymmetric = !k->method->positive_definite,
                                            .updatable = p->updatable};
    if (p->matrix)
        RITZ_TRY(check_given(p->matrix, k->matrix, p->updatable));
    if (p->matrix && k->method->positive_definite)
        RITZ_TRY(check_diagonal(p->matrix));
    ritz_device_set_leaner(matrix->device, "preconditioner: jacobi");
    RITZ_TRY(ritz_multigrid_create(matrix, &options, &m));
    k->preconditioner.own = m;
done:
    ritz_device_set_leaner(matrix->device, NULL);
    return status;
}

static ritz_status update_kind(krylov *k)
{
    ritz_device_set_leaner(k->matrix->device, "preconditioner: jacobi");
    const ritz_status status = ritz_multigrid_update(get_multigrid(k), k->matrix, k->vector[VECTOR_D]);
    ritz_device_set_leaner(k->matrix->device, NULL);
    return status;
}

static ritz_status apply_kind(krylov *k, const ritz_buffer **z, krylov_sum *sum)
{
    ritz_status status = RITZ_OK;
    ritz_multigrid_step last;
    RITZ_TRY(ritz_multigrid_apply(get_multigrid(k), k->preconditioner.r, &last));
    if (sum)
        RITZ_TRY(ritz_krylov_product(k, last.matrix, &last.product, last.x, last.y, sum));
    else
        RITZ_TRY(ritz_matrix_product(last.matrix, &last.product, last.x, last.y, NULL));
    RITZ_TRY(ritz_multigrid_finish(get_multigrid(k), &last));
    *z = last.y;
done:
    return status;
}

static int64_t count_bytes(const krylov *k, const krylov_precision *in)
{
    (void)in; /* there is but one */
    return ritz_multigrid_cycle_bytes(get_multigrid(k));
}

static void fill_report(const krylov *k, ritz_solve_report *report)
{
    const ritz_multigrid *m = get_multigrid(k);
    report->degree = k->preconditioner.degree;
    report->vectors = k->in_use->precision == RITZ_F64 ? RITZ_VALUES_F64 : RITZ_VALUES_F32;
    report->storage = ritz_multigrid_values(m);
    report->n_levels = ritz_multigrid_n_levels(m);
    report->operator_complexity = ritz_multigrid_complexity(m);
    report->n_free_motions = ritz_multigrid_n_free(m);
    for (int l = 0; l < report->n_levels; l++) {
        const ritz_multigrid_level_info info = ritz_multigrid_get_level(m, l);
        report->levels[l] = (ritz_solve_level){.n_rows = info.n_rows,
                                               .n_nonzeros = info.n_nonzeros,
                                               .n_nodes = info.n_nodes,
                                               .n_aggregates = info.n_aggregates};
    }
    report->largest_eigenvalue = ritz_multigrid_get_level(m, 0).largest_eigenvalue;
}

static void widen_bounds(krylov *k)
{
    ritz_multigrid_raise_bounds(get_multigrid(k));
}

static void destroy_kind(krylov *k)
{
    ritz_multigrid *m = get_multigrid(k);
    ritz_multigrid_destroy(&m);
    k->preconditioner.own = NULL;
}

#define SLOW_WHERE "(multigrid is slow with " RITZ_MULTIGRID_SLOW_WHERE ")"

/* Its nodes are whole blocks of the caller's rows, and it is set up from the whole matrix in less time than half of it
   saves. */
const preconditioner_kind ritz_precondition_multigrid = {
    .name = "multigrid",
    .more_iterations = ", a higher degree of the smoothers " SLOW_WHERE ",",
    .instead = "method direct, smoothers of a higher degree " SLOW_WHERE,
    .has_settings = true,
    .of_matrix = true,
    .wants_whole = true,
    .wants_order = true,
    .large_setup = true,
    .uses_near_nullspace = true,
    .near_inverse = true,
    .check = check_options,
    .fill = fill_options,
    .create = create_kind,
    .update = update_kind,
    .apply = apply_kind,
    .cost = count_bytes,
    .report = fill_report,
    .widen = widen_bounds,
    .destroy = destroy_kind};
