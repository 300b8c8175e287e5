/* Kernels of block compressed rows: found, and how many work-items take them. */
#include "device/tuning.h"
#include "matrix/block_rows.h"
#include "matrix/storage.h"

#include <stdio.h>

ritz_status ritz_block_rows_kernel(ritz_device *device, ritz_precision precision, const char *file, const char *options,
                                   const char *name, ritz_kernel **kernel)
{
    ritz_status status = RITZ_OK;
    ritz_program *program = NULL;
    const char *paths[] = {"matrix/kernels/row_runs.cl", file};
    RITZ_TRY(ritz_program_get(device, precision, "", paths, 2, options, &program));
    RITZ_TRY(ritz_kernel_get(program, name, kernel));
done:
    return status;
}

ritz_range ritz_block_rows_range(const ritz_kernel *kernel, ritz_device *device, int64_t n)
{
    const int64_t per_unit = (int64_t)ritz_device_tuned(device, RITZ_BLOCK_ROWS_RUNS_PER_UNIT);
    if (per_unit > 0)
        return (ritz_range){.global = {ritz_min64(n, per_unit * ritz_device_get_info(device)->compute_units)},
                            .local = {1}};
    return ritz_matrix_range(kernel, n);
}

ritz_status ritz_block_rows_launch(ritz_kernel *kernel, ritz_range range, const ritz_argument *arguments, size_t n)
{
    while (n > 0 && !arguments[n - 1].buffer && arguments[n - 1].bytes == 0)
        n--;
    return ritz_launch(kernel, range, arguments, (int)n, NULL);
}

ritz_row_threads ritz_row_threads_for(ritz_device *device, double items, int group)
{
    const int most = (int)ritz_device_tuned(device, RITZ_BLOCK_ROWS_THREADS_MOST);
    ritz_row_threads threads = {1, 1};
    if (most == 1)
        return threads;
    /* Two at least: a row with one work-item is a group of its own, which has a table and waits for nobody. */
    threads.per_row = (int)ritz_max64(2, (int64_t)ritz_device_tuned(device, RITZ_BLOCK_ROWS_THREADS_LEAST));
    while (threads.per_row < most && threads.per_row < items)
        threads.per_row *= 2;
    threads.rows = group / threads.per_row;
    if (threads.rows < 1)
        threads.rows = 1;
    return threads;
}

ritz_status ritz_row_kernel(ritz_device *device, ritz_precision precision, const char *file, ritz_row_threads threads,
                            const char *options, const char *name, ritz_kernel **kernel)
{
    ritz_status status = RITZ_OK;
    ritz_program *program = NULL;
    const char *paths[] = {"matrix/kernels/row_runs.cl", "matrix/kernels/row_threads.cl", file};
    char all[240];
    snprintf(all, sizeof all, "-DROW_THREADS=%d -DGROUP_ROWS=%d %s", threads.per_row, threads.rows, options);
    RITZ_TRY(ritz_program_get(device, precision, "", paths, 3, all, &program));
    RITZ_TRY(ritz_kernel_get(program, name, kernel));
done:
    return status;
}

ritz_range ritz_row_range(ritz_device *device, ritz_row_threads threads, int64_t n)
{
    const int64_t per_unit = (int64_t)ritz_device_tuned(device, RITZ_BLOCK_ROWS_RUNS_PER_UNIT);
    const int64_t group = (int64_t)threads.per_row * threads.rows, groups = (n + threads.rows - 1) / threads.rows;
    const int64_t most = per_unit > 0 ? per_unit * ritz_device_get_info(device)->compute_units : groups;
    return (ritz_range){.global = {ritz_min64(groups, most) * group}, .local = {group}};
}
