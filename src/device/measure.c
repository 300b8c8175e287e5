/* The ceilings of a device: copy and store bandwidth, multiply-add rates. Medians of repeats after a warm-up; a figure
   counts only after what the kernel wrote was found right. */
#include "device/opencl.h"
#include "device/tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Chains of multiply-adds that a work-item goes through at once: no fewer than the 4 cycles of one times the 2 units that start
   them on any processor known, and few enough for their registers. */
enum { N_CHAINS = 10, MAX_WIDTH = 16, N_REPEATS = 9 };

static const char *const measure_path[] = {"device/kernels/measure.cl"};

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median time of a launch, after one that does not count. */
static ritz_status median_time(ritz_kernel *kernel, ritz_range range, const ritz_argument *arguments, int n_arguments,
                               double *seconds)
{
    ritz_status status = RITZ_OK;
    double times[N_REPEATS] = {0}, warm_up = 0;
    RITZ_TRY(ritz_launch(kernel, range, arguments, n_arguments, &warm_up));
    for (int i = 0; i < N_REPEATS; i++) {
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(ritz_launch(kernel, range, arguments, n_arguments, &times[i]));
    }
    qsort(times, N_REPEATS, sizeof *times, compare_seconds);
    *seconds = times[N_REPEATS / 2];
    RITZ_REQUIRE(*seconds > 0, RITZ_ERROR_DEVICE,
                 "the device's clock does not advance: its driver reports no kernel times");
done:
    return status;
}

/* Bytes of an array that no cache holds and that fits twice with room to spare. */
static int64_t array_bytes(ritz_device *device)
{
    int64_t bytes = (int64_t)ritz_device_tuned(device, RITZ_CEILINGS_ARRAY_BYTES);
    bytes = ritz_max64(bytes, 4 * device->info.global_cache);
    return ritz_min64(ritz_min64(bytes, ritz_device_free_bytes(device) / 4), device->info.largest_allocation) / 4096 *
           4096;
}

/* Fails unless the array holds what the kernel `store` writes. */
static ritz_status check_array(ritz_program *program, ritz_range range, const ritz_buffer *array, int64_t n)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *wrong = NULL;
    ritz_kernel *check;
    int32_t n_wrong = 0;
    RITZ_TRY(ritz_kernel_get(program, "check", &check));
    RITZ_TRY(ritz_buffer_create_from(program->device, &n_wrong, sizeof n_wrong, "a count", &wrong));
    RITZ_TRY(RITZ_LAUNCH(check, range, NULL, RITZ_BUFFER(array), RITZ_BUFFER(wrong), RITZ_LONG(n)));
    RITZ_TRY(ritz_buffer_read(wrong, 0, &n_wrong, sizeof n_wrong));
    RITZ_REQUIRE(n_wrong == 0, RITZ_ERROR_DEVICE,
                 "the device '%s' copied %d of %lld values wrongly: its memory or driver is faulty",
                 program->device->info.name, n_wrong, (long long)n);
done:
    ritz_buffer_destroy(&wrong);
    return status;
}

/* The higher bandwidth of two kernels that write n entries of 16 bytes into `to`: through the caches and past them.
   from: what they copy, NULL where they only store. Each starts from zeros. */
static ritz_status measure_writes(ritz_program *program, const char *const names[2], const ritz_buffer *from,
                                  ritz_buffer *to, int64_t n, double *gb_s)
{
    ritz_status status = RITZ_OK;
    ritz_device *device = program->device;
    *gb_s = 0;
    for (int k = 0; k < 2; k++) {
        ritz_kernel *kernel;
        double seconds = 0;
        RITZ_TRY(ritz_kernel_get(program, names[k], &kernel));
        const int64_t local = ritz_min64((int64_t)ritz_device_tuned(device, RITZ_CEILINGS_COPY_GROUP),
                                         ritz_kernel_work_group_size(kernel));
        const ritz_range range = {.global = {ritz_round_up(n, local)}, .local = {local}};
        const ritz_argument copied[] = {RITZ_BUFFER(from), RITZ_BUFFER(to), RITZ_LONG(n)};
        RITZ_TRY(ritz_buffer_zero(to));
        RITZ_TRY(median_time(kernel, range, from ? copied : copied + 1, from ? 3 : 2, &seconds));
        RITZ_TRY(check_array(program, range, to, n));
        *gb_s = fmax(*gb_s, (from ? 2e-9 : 1e-9) * 16 * (double)n / seconds);
    }
done:
    return status;
}

static ritz_status measure_memory(ritz_device *device, ritz_device_ceilings *ceilings)
{
    ritz_status status = RITZ_OK;
    static const char *const stores[] = {"store", "store_past_caches"}, *const copies[] = {"copy", "copy_past_caches"};
    ritz_buffer *from = NULL, *to = NULL;
    ritz_program *program;
    const int64_t bytes = array_bytes(device), n = bytes / 16;
    RITZ_TRY(ritz_program_get(device, RITZ_F32, "", measure_path, 1, "", &program));
    RITZ_TRY(ritz_buffer_create(device, bytes, "measuring its bandwidth", &from));
    RITZ_TRY(ritz_buffer_create(device, bytes, "measuring its bandwidth", &to));
    RITZ_TRY(measure_writes(program, stores, NULL, from, n, &ceilings->store_gb_s));
    RITZ_TRY(measure_writes(program, copies, from, to, n, &ceilings->copy_gb_s));
done:
    ritz_buffer_destroy(&from);
    ritz_buffer_destroy(&to);
    return status;
}

static const double step_a = 0.999, step_b = 0.0625;

/* Start of chain k in component j of the vector; small and all different. */
static double chain_start(int k, int j)
{
    return 1.0 + 0.25 * k + 0.03125 * j;
}

/* What component j of multiply_add's sums is after n steps: x_n = x_inf + (x_0 - x_inf) a^n, with the kernel's a. */
static double expected_sum(ritz_precision precision, int n, int j)
{
    double a = precision == RITZ_F64 ? step_a : (double)(float)step_a, limit = step_b / (1 - a), sum = 0;
    for (int k = 0; k < N_CHAINS; k++)
        sum += limit + (chain_start(k, j) - limit) * pow(a, n);
    return sum;
}

/* The start values of one work-item, [N_CHAINS][width], in the precision of the kernel. */
static ritz_status make_start(ritz_device *device, ritz_precision precision, int width, ritz_buffer **start)
{
    double wide[N_CHAINS * MAX_WIDTH];
    float narrow[N_CHAINS * MAX_WIDTH];
    for (int k = 0; k < N_CHAINS; k++)
        for (int j = 0; j < width; j++) {
            wide[k * width + j] = chain_start(k, j);
            narrow[k * width + j] = (float)chain_start(k, j);
        }
    const void *data = precision == RITZ_F64 ? (const void *)wide : (const void *)narrow;
    return ritz_buffer_create_from(device, data, N_CHAINS * width * ritz_real_bytes(precision), "chain starts", start);
}

/* Fails unless the first and the last work-item wrote the sums that n steps give. */
static ritz_status check_sums(const ritz_buffer *sums, ritz_precision precision, int64_t n_items, int width, int n)
{
    ritz_status status = RITZ_OK;
    double wide[MAX_WIDTH];
    float narrow[MAX_WIDTH];
    int64_t bytes = width * ritz_real_bytes(precision);
    double tolerance = precision == RITZ_F64 ? 1e-11 : 1e-3; /* rounding of up to 1000 effective steps */
    for (int64_t item = 0; item < n_items; item += ritz_max64(1, n_items - 1)) {
        RITZ_TRY(ritz_buffer_read(sums, item * bytes, precision == RITZ_F64 ? (void *)wide : (void *)narrow, bytes));
        for (int j = 0; j < width; j++) {
            double got = precision == RITZ_F64 ? wide[j] : (double)narrow[j], want = expected_sum(precision, n, j);
            RITZ_REQUIRE(fabs(got - want) <= tolerance * fabs(want), RITZ_ERROR_DEVICE,
                         "the device '%s' multiplies wrongly: %.17g instead of %.17g", sums->device->info.name, got,
                         want);
        }
    }
done:
    return status;
}

static ritz_status measure_arithmetic(ritz_device *device, ritz_precision precision, double *gflop_s)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *start = NULL, *sums = NULL;
    char *header = NULL;
    ritz_program *program;
    ritz_kernel *kernel;
    int native = precision == RITZ_F64 ? device->info.vector_width_f64 : device->info.vector_width_f32;
    int width = native >= 16 ? 16 : native >= 8 ? 8 : native >= 4 ? 4 : native >= 2 ? 2 : 1;
    char suffix[4] = "";
    if (width > 1)
        snprintf(suffix, sizeof suffix, "%d", width);
    RITZ_TRY(ritz_format(&header, "#define LANE real%s\n#define CHAINS %d\n", suffix, N_CHAINS));
    RITZ_TRY(ritz_program_get(device, precision, header, measure_path, 1, "", &program));
    RITZ_TRY(ritz_kernel_get(program, "multiply_add", &kernel));
    int64_t local =
        ritz_min64((int64_t)ritz_device_tuned(device, RITZ_CEILINGS_GROUP), ritz_kernel_work_group_size(kernel));
    int64_t n_items =
        device->info.compute_units * local * (int64_t)ritz_device_tuned(device, RITZ_CEILINGS_GROUPS_PER_UNIT);
    RITZ_TRY(make_start(device, precision, width, &start));
    RITZ_TRY(ritz_buffer_create(device, n_items * width * ritz_real_bytes(precision), "chain sums", &sums));

    ritz_range range = {.global = {n_items}, .local = {local}};
    double seconds = 0;
    int n = 512;
    for (;; n *= 2) { /* long enough for the clock, short enough for nobody to wait */
        double once = 0;
        RITZ_TRY(RITZ_LAUNCH(kernel, range, &once, RITZ_BUFFER(start), RITZ_BUFFER(sums), RITZ_REAL(precision, step_a),
                             RITZ_REAL(precision, step_b), RITZ_INT(n)));
        if (once > 5e-3 || n >= 1 << 24)
            break;
    }
    RITZ_TRY(median_time(kernel, range,
                         (ritz_argument[]){RITZ_BUFFER(start), RITZ_BUFFER(sums), RITZ_REAL(precision, step_a),
                                           RITZ_REAL(precision, step_b), RITZ_INT(n)},
                         5, &seconds));
    RITZ_TRY(check_sums(sums, precision, n_items, width, n));
    *gflop_s = 2e-9 * (double)n_items * width * N_CHAINS * n / seconds;
done:
    ritz_free(header);
    ritz_buffer_destroy(&start);
    ritz_buffer_destroy(&sums);
    return status;
}

ritz_status ritz_device_measure(ritz_device *device, ritz_device_ceilings *ceilings)
{
    ritz_status status = RITZ_OK;
    ritz_device_ceilings measured;
    RITZ_REQUIRE_POINTER(device);
    RITZ_REQUIRE_POINTER(ceilings);
    RITZ_TRY(ritz_take_struct(ceilings, &measured, sizeof measured, "ritz_device_ceilings"));
    measured = (ritz_device_ceilings){0};
    RITZ_TRY(measure_memory(device, &measured));
    RITZ_TRY(measure_arithmetic(device, RITZ_F32, &measured.f32_gflop_s));
    if (device->info.has_f64)
        RITZ_TRY(measure_arithmetic(device, RITZ_F64, &measured.f64_gflop_s));
    ritz_give_struct(&measured, sizeof measured, ceilings);
done:
    return status;
}
