/* One matrix of `ritz bench spmv`, and one format on it: converted on the device, checked, timed. */
#include "bench/spmv.h"

#include "device/tuning.h"
#include "matrix/matrix.h"
#include "matrix/storage.h"
#include "measure/measure.h"

#include <math.h>
#include <string.h>

/* ---- The matrix ---- */

/* Numbers in [-1, 1) that are the same everywhere. */
static void fill_random(int64_t n, double *x)
{
    uint64_t seed = 1;
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(seed >> 11) * 0x1p-52 - 1;
    }
}

/* y = A x and scale = |A| |x| in plain C. */
static void multiply_rows(const ritz_rows *a, const double *x, double *y, double *scale)
{
    int b = a->block;
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t row = 0; row < a->n_rows * b; row++) {
        double sum = 0, size = 0;
        for (int64_t k = a->row_start[row / b]; k < a->row_start[row / b + 1]; k++)
            for (int c = 0; c < b; c++) {
                double term = a->values[(k * b + row % b) * b + c] * x[(int64_t)a->columns[k] * b + c];
                sum += term;
                size += fabs(term);
            }
        y[row] = sum;
        scale[row] = size;
    }
}

static ritz_status prepare_truth(ritz_spmv_matrix *m)
{
    ritz_status status = RITZ_OK;
    int64_t n = m->rows->n_rows * m->rows->block, n_columns = m->rows->n_columns * m->rows->block;
    RITZ_NEW(m->x, n_columns);
    RITZ_NEW(m->y, n);
    RITZ_NEW(m->scale, n);
    fill_random(n_columns, m->x);
    /* What every precision holds: a product in f32 is then wrong by its own rounding only. */
    for (int64_t i = 0; i < n_columns; i++)
        m->x[i] = (double)(float)m->x[i];
    multiply_rows(m->rows, m->x, m->y, m->scale);
done:
    return status;
}

ritz_status ritz_spmv_from_mesh(ritz_device *device, const ritz_bench_mesh *mesh, ritz_spmv_matrix *m)
{
    ritz_status status = RITZ_OK;
    ritz_system *system = NULL;
    *m = (ritz_spmv_matrix){.name = mesh->name};
    RITZ_TRY(ritz_bench_assemble(device, mesh, false, &system, NULL));
    m->original = system->matrix;
    system->matrix = NULL;
    m->block = m->original->block;
    RITZ_TRY(ritz_matrix_get_rows(m->original, m->block, &m->rows));
    RITZ_TRY(prepare_truth(m));
done:
    ritz_system_destroy(&system);
    if (status != RITZ_OK)
        ritz_spmv_clear(m);
    return status;
}

ritz_status ritz_spmv_from_file(ritz_device *device, const char *path, int block, ritz_spmv_matrix *m)
{
    ritz_status status = RITZ_OK;
    *m = (ritz_spmv_matrix){.name = ritz_bench_file_name(path), .block = block};
    RITZ_TRY(ritz_bench_read(device, path, &m->block, &m->rows, &m->original));
    RITZ_TRY(prepare_truth(m));
done:
    if (status != RITZ_OK)
        ritz_spmv_clear(m);
    return status;
}

void ritz_spmv_clear(ritz_spmv_matrix *m)
{
    ritz_matrix_destroy(&m->original);
    ritz_rows_destroy(&m->rows);
    ritz_free(m->x);
    ritz_free(m->y);
    ritz_free(m->scale);
    *m = (ritz_spmv_matrix){0};
}

/* ---- One format ---- */

static ritz_status convert_matrix(const ritz_spmv_matrix *matrix, const char *format, const ritz_spmv_how *how,
                                  ritz_spmv_run *run, ritz_matrix **converted)
{
    ritz_status status = RITZ_OK;
    ritz_matrix_options options = {.precision = run->type->precision, .values = run->type->values};
    bool blocked = false;
    RITZ_TRY(ritz_format_from_name(format, &options, &blocked));
    const bool chosen = options.slice_height == 0 && ritz_format_takes_slices(&options);
    if (chosen) {
        options.slice_height = (int)how->slice_height;
        options.sort_window = how->sort_window;
    }
    RITZ_TRY(ritz_matrix_convert(matrix->original, &options, blocked ? matrix->block : 1, converted));
    run->block = (*converted)->block;
    run->sort_window = !chosen ? 0 : how->sort_window ? how->sort_window : ritz_matrix_default_window(*converted);
    run->threads_per_row = (*converted)->sharing.threads;
    run->round = (*converted)->sharing.round;
    run->slice_height = (*converted)->slice_height;
    run->statistics.size = sizeof run->statistics;
    RITZ_TRY(ritz_matrix_get_statistics(*converted, &run->statistics));
done:
    return status;
}

/* max |y - A x| / |A| |x|; infinite where y is not a number or there is nothing to divide by. */
static ritz_status find_error(const ritz_spmv_matrix *matrix, ritz_matrix *converted, double *error)
{
    ritz_status status = RITZ_OK;
    double *y = NULL, worst = 0;
    int64_t n = ritz_matrix_n_rows(converted);
    RITZ_NEW(y, n);
    RITZ_TRY(ritz_matrix_multiply(converted, matrix->x, y));
    for (int64_t i = 0; i < n; i++) {
        double difference = fabs(y[i] - matrix->y[i]);
        if (difference != 0) {
            double relative = difference / matrix->scale[i];
            worst = relative >= worst ? relative : isnan(relative) ? INFINITY : worst;
        }
    }
    *error = worst;
done:
    ritz_free(y);
    return status;
}

/* More memory than any cache of the device holds. */
static ritz_status create_flusher(ritz_device *device, ritz_buffer **flusher)
{
    ritz_status status = RITZ_OK;
    const ritz_device_info *info = ritz_device_get_info(device);
    const int64_t least = (int64_t)ritz_tuned(info, RITZ_BENCH_FLUSH_BYTES, NULL, 0);
    RITZ_TRY(ritz_buffer_create(device, ritz_max64(4 * info->global_cache, least), "emptying the caches", flusher));
    RITZ_TRY(ritz_buffer_zero(*flusher));
done:
    return status;
}

static ritz_status time_product(ritz_device *device, const ritz_spmv_matrix *matrix, const ritz_matrix *m,
                                const ritz_spmv_how *how, ritz_spmv_run *run)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *x = NULL, *y = NULL, *flusher = NULL;
    double *seconds = NULL;
    int64_t real = ritz_real_bytes(m->precision);
    RITZ_NEW(seconds, how->repeat);
    RITZ_TRY(ritz_buffer_create(device, ritz_matrix_n_columns(m) * real, "the vector x", &x));
    RITZ_TRY(ritz_buffer_create(device, ritz_matrix_n_rows(m) * real, "the vector y", &y));
    RITZ_TRY(ritz_buffer_write_reals(x, m->precision, 0, matrix->x, ritz_matrix_n_columns(m)));
    if (!how->warm)
        RITZ_TRY(create_flusher(device, &flusher));
    RITZ_TRY(ritz_matrix_apply(m, x, y, NULL));
    for (int64_t r = 0; r < how->repeat; r++) {
        /* The product follows at once: after a pause of the queue a GPU's clock counts 2 to 3 microseconds more. */
        if (!how->warm)
            RITZ_TRY(ritz_buffer_read_through(flusher));
        RITZ_TRY(ritz_matrix_apply(m, x, y, &seconds[r]));
        RITZ_TRY(ritz_check_interrupt());
    }
    run->seconds = ritz_median(seconds, how->repeat);
    run->seconds_least = seconds[0];
done:
    ritz_free(seconds);
    ritz_buffer_destroy(&x);
    ritz_buffer_destroy(&y);
    ritz_buffer_destroy(&flusher);
    return status;
}

/* Sums of n terms wander off as the root of n: the tolerance is for rows of up to 100. */
static double tolerance_of(const ritz_spmv_run *run)
{
    double longest = (double)run->statistics.longest_row * run->block;
    return run->type->tolerance * fmax(1, sqrt(longest / 100));
}

ritz_status ritz_spmv_measure(ritz_device *device, const ritz_spmv_matrix *matrix, const char *format,
                              const ritz_spmv_how *how, ritz_spmv_run *run)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *converted = NULL;
    run->matrix = matrix->name;
    run->format = format;
    run->rows = ritz_matrix_n_rows(matrix->original);
    run->columns = ritz_matrix_n_columns(matrix->original);
    run->nonzeros = ritz_matrix_nonzeros(matrix->original);
    RITZ_TRY(convert_matrix(matrix, format, how, run, &converted));
    RITZ_TRY(find_error(matrix, converted, &run->error));
    RITZ_TRY(time_product(device, matrix, converted, how, run));
    run->failed = !(run->error <= tolerance_of(run));
done:
    ritz_matrix_destroy(&converted);
    /* A format that cannot hold the matrix (ELLPACK with one long row, for want of memory) ends its run, not the bench. */
    if (status == RITZ_ERROR_INPUT || status == RITZ_ERROR_DEVICE || status == RITZ_ERROR_MEMORY) {
        snprintf(run->reason, sizeof run->reason, "%s", ritz_message());
        status = RITZ_OK;
    }
    return status;
}
