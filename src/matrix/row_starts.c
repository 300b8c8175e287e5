/* Row starts of block compressed rows, on the device, from the lengths of the rows. */
#include "matrix/block_rows.h"

enum { RUNS_MOST = 4096, RUN_ROWS_LEAST = 64 };

typedef struct row_runs {
    int64_t n, n_rows; /* runs of neighbours, rows of one */
    ritz_buffer *total, *longest;
    int64_t *total_on_host; /* [n] */
    int32_t *longest_on_host;
} row_runs;

static void destroy_runs(row_runs *p)
{
    ritz_buffer_destroy(&p->total);
    ritz_buffer_destroy(&p->longest);
    ritz_free(p->total_on_host);
    ritz_free(p->longest_on_host);
}

static ritz_status create_runs(ritz_device *device, int64_t n, row_runs *p)
{
    ritz_status status = RITZ_OK;
    p->n_rows = ritz_max64(RUN_ROWS_LEAST, (n + RUNS_MOST - 1) / RUNS_MOST);
    p->n = ritz_max64(1, (n + p->n_rows - 1) / p->n_rows);
    RITZ_NEW(p->total_on_host, p->n);
    RITZ_NEW(p->longest_on_host, p->n);
    RITZ_TRY(ritz_buffer_create(device, p->n * 8, "the totals of row lengths", &p->total));
    RITZ_TRY(ritz_buffer_create(device, p->n * 4, "the largest row lengths", &p->longest));
done:
    return status;
}

ritz_status ritz_row_starts(ritz_device *device, int64_t n, const ritz_buffer *lengths, ritz_buffer *starts,
                            int64_t *total, int32_t *longest)
{
    ritz_status status = RITZ_OK;
    const char *const file = "matrix/kernels/row_starts.cl";
    row_runs p = {0};
    ritz_kernel *add = NULL, *start = NULL;
    *total = *longest = 0;
    RITZ_TRY(ritz_block_rows_kernel(device, RITZ_F32, file, "", "add_lengths", &add));
    RITZ_TRY(ritz_block_rows_kernel(device, RITZ_F32, file, "", "start_rows", &start));
    RITZ_TRY(create_runs(device, n, &p));
    const ritz_range range = ritz_block_rows_range(add, device, p.n);
    RITZ_TRY(RITZ_LAUNCH(add, range, NULL, RITZ_LONG(p.n), RITZ_LONG(p.n_rows), RITZ_LONG(n), RITZ_BUFFER(lengths),
                         RITZ_BUFFER(p.total), RITZ_BUFFER(p.longest)));
    RITZ_TRY(ritz_buffer_read(p.total, 0, p.total_on_host, p.n * 8));
    RITZ_TRY(ritz_buffer_read(p.longest, 0, p.longest_on_host, p.n * 4));
    for (int64_t run = 0; run < p.n; run++) {
        const int64_t sum = p.total_on_host[run];
        p.total_on_host[run] = *total;
        *total += sum;
        *longest = p.longest_on_host[run] > *longest ? p.longest_on_host[run] : *longest;
    }
    if (!starts)
        goto done;
    RITZ_TRY(ritz_buffer_write(p.total, 0, p.total_on_host, p.n * 8));
    RITZ_TRY(RITZ_LAUNCH(start, range, NULL, RITZ_LONG(p.n), RITZ_LONG(p.n_rows), RITZ_LONG(n), RITZ_BUFFER(lengths),
                         RITZ_BUFFER(p.total), RITZ_BUFFER(starts)));
done:
    destroy_runs(&p);
    return status;
}
