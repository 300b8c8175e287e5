/* Device vectors, scalars and shared launches of the Krylov methods. */
#include "solve/krylov.h"
#include "device/tuning.h"

#include <math.h>
#include <stdio.h>

enum { LANES_MOST = 16 };

static const char *const vector_names[N_VECTORS] = {
    "the solution",         "the residual",      "the diagonal",      "the search direction",
    "the matrix's product", "a solver's vector", "a solver's vector", "the shadow residual",
};

static ritz_status get_precision_kernels(krylov *k, int lanes, krylov_precision *in)
{
    ritz_status status = RITZ_OK;
    ritz_program *program = NULL;
    const preconditioner_kind *preconditioner = k->preconditioner.kind;
    const bool applied = ritz_krylov_applies(k);
    char options[128];
    const bool unscaled = preconditioner->unscaled || (!k->matrix && !k->operator.diagonal);
    snprintf(options, sizeof options, "-DLANES=%d -DGROUP=%d%s%s%s%s", lanes, (int)k->group,
             k->accum == RITZ_F64 ? " -DACCUM_F64" : "", applied ? " -DAPPLIED" : "", unscaled ? " -DUNSCALED" : "",
             in->precision != k->precision ? " -DSINGLE" : "");
    const char *paths[] = {"solve/kernels/reduce.cl", k->method->kernel_file, "solve/kernels/precondition.cl",
                           preconditioner->kernel_file};
    const int n_paths = !applied ? 2 : preconditioner->kernel_file ? 4 : 3;
    RITZ_TRY(ritz_program_get(k->device, k->precision, "", paths, n_paths, options, &program));
    if (in == k->precisions) { /* the same for all */
        RITZ_TRY(ritz_kernel_get(program, "residual", &k->residual));
        RITZ_TRY(ritz_kernel_get(program, "weigh", &k->weigh));
        RITZ_TRY(ritz_kernel_get(program, "solve_rows", &k->solve_rows));
        RITZ_TRY(ritz_kernel_get(program, "take_two", &k->take_two));
        RITZ_TRY(ritz_kernel_get(program, "invert_diagonal", &k->invert_diagonal));
        RITZ_TRY(ritz_kernel_get(program, "fill", &k->fill));
        RITZ_TRY(ritz_kernel_get(program, "combine_partials", &k->combine_partials));
        RITZ_TRY(ritz_kernel_get(program, "leave_dot", &k->leave_dot));
        if (applied)
            RITZ_TRY(ritz_kernel_get(program, "take_root", &k->preconditioner.take_root));
    }
    for (int i = 0; i < MAX_METHOD_KERNELS && k->method->kernels[i]; i++)
        RITZ_TRY(ritz_kernel_get(program, k->method->kernels[i], &in->kernel[i]));
    for (int i = 0; i < MAX_PRECONDITIONER_KERNELS && preconditioner->kernels[i]; i++)
        RITZ_TRY(ritz_kernel_get(program, preconditioner->kernels[i], &in->inner[i]));
    if (applied)
        RITZ_TRY(ritz_kernel_get(program, "multiply", &in->multiply));
done:
    return status;
}

static ritz_status get_kernels(krylov *k, int lanes)
{
    ritz_status status = RITZ_OK;
    for (int f = 0; f < k->n_precisions; f++)
        RITZ_TRY(get_precision_kernels(k, lanes, &k->precisions[f]));
done:
    return status;
}

/* Largest work-group that all kernels take: registers may allow less than the device does. */
static int64_t largest_group(const krylov *k)
{
    int64_t largest = k->group;
    for (const krylov_precision *in = k->precisions; in < k->precisions + k->n_precisions; in++) {
        ritz_kernel *beside[] = {k->residual,         k->weigh,           k->solve_rows,
                                 k->take_two,         k->invert_diagonal, k->fill,
                                 k->combine_partials, in->multiply,       k->preconditioner.take_root};
        for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
            if (beside[i])
                largest = ritz_min64(largest, ritz_kernel_work_group_size(beside[i]));
        for (int i = 0; i < MAX_METHOD_KERNELS && k->method->kernels[i]; i++)
            largest = ritz_min64(largest, ritz_kernel_work_group_size(in->kernel[i]));
        for (int i = 0; i < MAX_PRECONDITIONER_KERNELS && k->preconditioner.kind->kernels[i]; i++)
            largest = ritz_min64(largest, ritz_kernel_work_group_size(in->inner[i]));
    }
    return largest;
}

static ritz_status create_vector(krylov *k, int which)
{
    ritz_status status = RITZ_OK;
    const int64_t bytes = k->n_padded * ritz_real_bytes(k->precision);
    RITZ_TRY(ritz_buffer_create(k->device, bytes, vector_names[which], &k->vector[which]));
    RITZ_TRY(ritz_buffer_zero(k->vector[which]));
done:
    return status;
}

/* Values in double beside vectors in single gain nothing, and in BiCGStab rounding inside the preconditioner diverges. */
static bool wants_two_precisions(ritz_precision precision, const ritz_solve_options *o)
{
    return o->vectors == RITZ_VECTORS_AUTOMATIC && ritz_preconditioner_is_polynomial(o->preconditioner) &&
           o->method == RITZ_CG && precision == RITZ_F64 && o->storage > RITZ_VALUES_F64;
}

ritz_status ritz_krylov_create(const ritz_matrix *matrix, const ritz_operator *operator, const krylov_method * method,
                               const ritz_solve_options *options, krylov *k)
{
    ritz_status status = RITZ_OK;
    ritz_device *device = matrix ? matrix->device : operator->device;
    const ritz_precision precision = matrix ? matrix->precision : operator->precision;
    const ritz_device_info *info = ritz_device_get_info(device);
    const int lane_bytes = (int)ritz_device_tuned(device, RITZ_KRYLOV_LANE_BYTES);
    const int64_t groups_per_unit = (int64_t)ritz_device_tuned(device, RITZ_KRYLOV_GROUPS_PER_UNIT);
    *k = (krylov){.matrix = matrix,
                  .device = device,
                  .method = method,
                  .precision = precision,
                  .accum = info->has_f64 ? RITZ_F64 : RITZ_F32,
                  .preconditioner = {.kind = ritz_preconditioner_find(options->preconditioner),
                                     .number = options->preconditioner,
                                     .degree = options->degree,
                                     .storage = options->storage,
                                     .near_nullspace = options->near_nullspace,
                                     .near_nullspace_columns = options->near_nullspace_columns,
                                     .coordinates = options->coordinates,
                                     .matrix = options->precondition_matrix,
                                     .unknowns_per_node = options->unknowns_per_node,
                                     .coarse_nodes = options->coarse_nodes,
                                     .coarse_weights = options->coarse_weights,
                                     .n_coarse_nodes = options->n_coarse_nodes,
                                     .updatable = options->updatable,
                                     .function = options->precondition,
                                     .context = options->precondition_context}};
    if (!matrix)
        k->operator= * operator;
    k->precisions[0].precision = options->vectors == RITZ_VECTORS_SINGLE ? RITZ_F32 : precision;
    k->precisions[1].precision = RITZ_F32;
    k->n_precisions = wants_two_precisions(precision, options) ? 2 : 1;
    k->in_use = k->precisions;
    int lanes = 1; /* as many as OpenCL's vectors have */
    while (lanes < LANES_MOST && 2 * lanes * (int)ritz_real_bytes(k->precision) <= lane_bytes)
        lanes *= 2;
    k->n = matrix ? ritz_matrix_n_rows(matrix) : operator->n;
    k->n_padded = ritz_round_up(k->n, lanes);
    k->n_packs = k->n_padded / lanes;
    k->group = (int64_t)ritz_device_tuned(device, RITZ_KRYLOV_GROUP);
    RITZ_TRY(get_kernels(k, lanes));
    while (largest_group(k) < k->group) {
        k->group /= 2;
        RITZ_TRY(get_kernels(k, lanes));
    }
    k->n_groups = ritz_min64(groups_per_unit * ritz_device_sum_units(device), (k->n_packs + k->group - 1) / k->group);
    RITZ_TRY(create_vector(k, VECTOR_D));
    int64_t accum = ritz_real_bytes(k->accum);
    RITZ_TRY(ritz_buffer_create(device, 4 * k->n_groups * accum, "the partial sums of dot products", &k->partial));
    RITZ_TRY(ritz_buffer_create(device, (STATE_SIZE + RITZ_HISTORY_MOST) * accum, "the solver's scalars", &k->state));
    RITZ_TRY(
        ritz_buffer_create(device, RITZ_PRODUCT_SUMS * k->n_groups * accum, "partial sums of a product", &k->combined));
    RITZ_TRY(ritz_buffer_create(device, 2 * accum, "the solver's sums", &k->sums));
done:
    return status;
}

ritz_status ritz_krylov_create_vectors(krylov *k)
{
    ritz_status status = RITZ_OK;
    for (int i = 0; i < k->method->n_vectors; i++)
        if (!k->vector[i])
            RITZ_TRY(create_vector(k, i));
    if (k->method->prepare)
        RITZ_TRY(k->method->prepare(k));
done:
    return status;
}

void ritz_krylov_release_vectors(krylov *k)
{
    for (int i = 0; i < N_VECTORS; i++)
        if (i != VECTOR_D)
            ritz_buffer_destroy(&k->vector[i]);
    ritz_buffer_destroy(&k->basis);
    ritz_buffer_destroy(&k->small);
}

void ritz_krylov_destroy(krylov *k)
{
    ritz_krylov_destroy_preconditioner(k);
    ritz_krylov_release_vectors(k);
    ritz_buffer_destroy(&k->vector[VECTOR_D]);
    ritz_buffer_destroy(&k->partial);
    ritz_buffer_destroy(&k->product);
    ritz_buffer_destroy(&k->combined);
    ritz_buffer_destroy(&k->state);
    ritz_buffer_destroy(&k->sums);
    ritz_buffer_destroy(&k->fresh_residual);
    ritz_buffer_destroy(&k->fresh_partial);
    ritz_buffer_destroy(&k->own_rows);
}

ritz_range ritz_krylov_all(const krylov *k)
{
    return (ritz_range){.global = {k->n_groups * k->group}, .local = {k->group}};
}

ritz_range ritz_krylov_one(const krylov *k)
{
    return (ritz_range){.global = {k->group}, .local = {k->group}};
}

ritz_status ritz_krylov_multiply(krylov *k, int from, int to)
{
    if (!k->matrix)
        return ritz_krylov_call(k, k->operator.apply, k->operator.context, "operator", k->vector[from], k->vector[to]);
    return ritz_matrix_apply(k->matrix, k->vector[from], k->vector[to], NULL);
}

int64_t ritz_krylov_row(const krylov *k, int64_t row)
{
    return k->matrix ? ritz_matrix_row_before(k->matrix, row) : row;
}

ritz_status ritz_krylov_call(const krylov *k, ritz_apply_function *function, void *context, const char *what,
                             const ritz_buffer *x, ritz_buffer *y)
{
    const ritz_vector from = ritz_vector_lend(k->device, k->precision, k->n, x);
    ritz_vector to = ritz_vector_lend(k->device, k->precision, k->n, y);
    ritz_fail(RITZ_OK, "%s", ""); /* so that a message is the function's own */
    ritz_status status = function(&from, &to, context);
    if (status == RITZ_OK)
        return RITZ_OK;
    if (*ritz_message())
        return ritz_fail_context(status, "the caller's %s failed: ", what);
    return ritz_fail(status, "the caller's %s failed with status %d", what, (int)status);
}

ritz_status ritz_krylov_dot(krylov *k, const ritz_buffer *x, const ritz_buffer *y, krylov_sum *sum)
{
    *sum = (krylov_sum){.partial = k->combined, .n = (int32_t)k->n_groups};
    return RITZ_LAUNCH(k->leave_dot, ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), RITZ_BUFFER(x), RITZ_BUFFER(y),
                       RITZ_BUFFER(k->combined), KRYLOV_SCRATCH(k));
}

ritz_status ritz_krylov_product(krylov *k, const ritz_matrix *matrix, const ritz_product *product, const ritz_buffer *x,
                                ritz_buffer *y, krylov_sum *sum)
{
    ritz_status status = RITZ_OK;
    ritz_product summing = *product;
    int64_t n = 0, accum = ritz_real_bytes(k->accum);
    if (!matrix) {
        RITZ_TRY(ritz_krylov_call(k, k->operator.apply, k->operator.context, "operator", x, y));
        return ritz_krylov_dot(k, product->w ? product->w : x, y, sum);
    }
    RITZ_TRY(ritz_matrix_count_partials(matrix, product, &n));
    if (!k->product || ritz_buffer_bytes(k->product) < RITZ_PRODUCT_SUMS * n * accum) {
        ritz_buffer_destroy(&k->product);
        RITZ_TRY(ritz_buffer_create(matrix->device, RITZ_PRODUCT_SUMS * n * accum, "partial sums of a product",
                                    &k->product));
    }
    summing.partial = k->product;
    RITZ_TRY(ritz_matrix_product(matrix, &summing, x, y, NULL));
    *sum = (krylov_sum){.partial = k->product, .n = (int32_t)n};
    if ((double)n > ritz_device_tuned(k->device, RITZ_KRYLOV_PARTIALS_MOST)) {
        RITZ_TRY(RITZ_LAUNCH(k->combine_partials, ritz_krylov_all(k), NULL, RITZ_INT((int32_t)n),
                             RITZ_BUFFER(k->product), RITZ_BUFFER(k->combined), KRYLOV_SCRATCH(k)));
        *sum = (krylov_sum){.partial = k->combined, .n = (int32_t)k->n_groups};
    }
done:
    return status;
}

int64_t ritz_krylov_iteration_bytes(const krylov *k, const krylov_precision *in)
{
    const preconditioner_kind *kind = k->preconditioner.kind;
    int64_t vector = k->n * ritz_real_bytes(k->precision), products = k->method->products;
    int64_t bytes = k->matrix ? products * ritz_matrix_product_bytes(k->matrix) : 0,
            inner = k->n * ritz_real_bytes(in->precision);
    if (!ritz_krylov_applies(k))
        return bytes + vector * k->method->passes;
    bytes += vector * (k->method->passes_applied - k->method->passes_inner) + inner * k->method->passes_inner;
    return bytes + (kind->cost ? products * kind->cost(k, in) : 0);
}

ritz_status ritz_krylov_read_state(const krylov *k, int first, int n, double *state)
{
    return ritz_buffer_read_reals(k->state, k->accum, first, state + first, n);
}

ritz_status ritz_krylov_read_history(const krylov *k, int count, double *history)
{
    return ritz_buffer_read_reals(k->state, k->accum, STATE_SIZE, history, count);
}

ritz_status ritz_krylov_write_state(krylov *k, const double state[STATE_SIZE])
{
    return ritz_buffer_write_reals(k->state, k->accum, 0, state, STATE_SIZE);
}

/* The two sums whose partial sums a kernel has left. */
static ritz_status read_two_sums(krylov *k, double sums[2])
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(RITZ_LAUNCH(k->take_two, ritz_krylov_one(k), NULL, KRYLOV_GROUPS(k), KRYLOV_PARTIAL(k),
                         RITZ_BUFFER(k->sums), KRYLOV_SCRATCH(k)));
    RITZ_TRY(ritz_buffer_read_reals(k->sums, k->accum, 0, sums, 2));
done:
    return status;
}

ritz_status ritz_krylov_residual(krylov *k, double sums[2])
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(RITZ_LAUNCH(k->residual, ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_VECTOR(k, VECTOR_R),
                         KRYLOV_VECTOR(k, VECTOR_Q), KRYLOV_VECTOR(k, VECTOR_D), KRYLOV_PARTIAL(k), KRYLOV_SCRATCH(k)));
    RITZ_TRY(read_two_sums(k, sums));
done:
    return status;
}

ritz_status ritz_krylov_weigh_solution(krylov *k, double *square)
{
    ritz_status status = RITZ_OK;
    double sums[2];
    RITZ_TRY(RITZ_LAUNCH(k->weigh, ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_VECTOR(k, VECTOR_X),
                         KRYLOV_VECTOR(k, VECTOR_D), KRYLOV_PARTIAL(k), KRYLOV_SCRATCH(k)));
    RITZ_TRY(read_two_sums(k, sums));
    *square = sums[0];
done:
    return status;
}

ritz_status ritz_krylov_make_spare(krylov *k)
{
    ritz_status status = RITZ_OK;
    if (k->fresh_residual)
        return RITZ_OK;
    RITZ_TRY(ritz_buffer_create(k->device, 2 * k->n_groups * ritz_real_bytes(k->accum),
                                "the partial sums of dot products", &k->fresh_partial));
    RITZ_TRY(ritz_buffer_create(k->device, k->n_padded * ritz_real_bytes(k->precision), "the true residual",
                                &k->fresh_residual));
    RITZ_TRY(ritz_buffer_zero(k->fresh_residual));
done:
    return status;
}

/* ---- The diagonal ---- */

/* The message for a wrong diagonal in block row `block_row`; d holds inverses by now, which tells zero from not a
   number. */
static ritz_status name_bad_diagonal(const krylov *k, int64_t block_row)
{
    int32_t b = k->matrix ? k->matrix->block : 1;
    double inverse[8];
    const int64_t first = block_row * b;
    b = (int32_t)ritz_min64(b, k->n - first); /* rows may end inside the last block */
    ritz_status status = ritz_buffer_read_reals(k->vector[VECTOR_D], k->precision, first, inverse, b);
    if (status)
        return status;
    for (int c = 0; c < b; c++) {
        const double value = inverse[c];
        long long row = (long long)ritz_krylov_row(k, first + c);
        if (isnan(value) || value == 0)
            return ritz_fail(
                RITZ_ERROR_INPUT,
                "the matrix's diagonal is not a finite number in row %lld; look for NaN or infinity in the "
                "coefficients and coordinates",
                row);
        if (isinf(value))
            return ritz_fail(
                RITZ_ERROR_INPUT,
                "the matrix's diagonal is zero in row %lld: no element gives this unknown any stiffness%s; "
                "fix it, or remove nodes that no element uses%s",
                row,
                k->method->positive_definite ? ""
                                             : ", as where convection has neither diffusion nor reaction "
                                               "(add one, or take  method: direct)",
                k->method->positive_definite ? "; where zeros belong there, as of multipliers, use method direct" : "");
        if (value < 0)
            return ritz_fail(RITZ_ERROR_INPUT,
                             "the matrix's diagonal is negative (%g) in row %lld: it is not positive definite%s; check "
                             "the signs of the coefficients, or use %s",
                             1 / value, row,
                             k->method->positive_definite ? ""
                                                          : ", and neither polynomials nor multigrid precondition it",
                             k->method->positive_definite ? "method direct, or bicgstab with jacobi"
                                                          : "method direct, or preconditioner jacobi");
    }
    return ritz_fail(RITZ_ERROR_DEVICE, "the device found a wrong diagonal in block row %lld that the host cannot see",
                     (long long)block_row);
}

static ritz_status take_diagonal(krylov *k)
{
    ritz_vector d = ritz_vector_lend(k->device, k->precision, k->n, k->vector[VECTOR_D]);
    if (k->matrix)
        return ritz_matrix_diagonal(k->matrix, k->vector[VECTOR_D]);
    return ritz_vector_copy(k->operator.diagonal, &d);
}

ritz_status ritz_krylov_diagonal(krylov *k, bool ones)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *bad = NULL;
    int32_t row = INT32_MAX;
    const bool has_diagonal = k->matrix || k->operator.diagonal;
    int64_t items = k->n_groups * k->group;
    ritz_range range = {.global = {items}, .local = {k->group}};
    const bool positive = k->method->positive_definite || k->preconditioner.kind->of_matrix;
    ritz_buffer_destroy(&k->own_rows);
    if (has_diagonal) {
        RITZ_TRY(ritz_buffer_create_from(k->device, &row, sizeof row, "the number of a row", &bad));
        RITZ_TRY(take_diagonal(k));
        RITZ_TRY(RITZ_LAUNCH(k->invert_diagonal, range, NULL, RITZ_LONG(k->n), RITZ_LONG(k->n_padded),
                             RITZ_INT(k->matrix ? k->matrix->block : 1), RITZ_INT(positive), KRYLOV_VECTOR(k, VECTOR_D),
                             RITZ_BUFFER(bad)));
        RITZ_TRY(ritz_buffer_read(bad, 0, &row, sizeof row));
        if (row != INT32_MAX && (!ones || k->method->positive_definite))
            RITZ_TRY(name_bad_diagonal(k, row));
        if (ones && row == INT32_MAX) {
            const int64_t bytes = k->n_padded * ritz_real_bytes(k->precision);
            RITZ_TRY(ritz_buffer_create(k->device, bytes, vector_names[VECTOR_D], &k->own_rows));
            RITZ_TRY(ritz_buffer_copy(k->vector[VECTOR_D], 0, k->own_rows, 0, bytes));
        }
    }
    if (ones || !has_diagonal)
        RITZ_TRY(RITZ_LAUNCH(k->fill, range, NULL, RITZ_LONG(k->n_padded), RITZ_REAL(k->precision, 1),
                             KRYLOV_VECTOR(k, VECTOR_D)));
done:
    ritz_buffer_destroy(&bad);
    return status;
}
