/* Starts of rows from their lengths, in runs of neighbouring rows of which the host adds up the totals. After row_runs.cl. */

/* total[run] = the sum of its rows' lengths, longest[run] the largest. */
kernel void add_lengths(const long n_runs, const long run_rows, const long n, const global int *restrict length,
                        global long *restrict total, global int *restrict longest)
{
    EACH_ROW (run, n_runs) {
        long sum = 0;
        int most = 0;
        for (long row = run * run_rows; row < min((run + 1) * run_rows, n); row++) {
            sum += length[row];
            most = max(most, length[row]);
        }
        total[run] = sum;
        longest[run] = most;
    }
}

/* start[n + 1], from the start of each run's first row. */
kernel void start_rows(const long n_runs, const long run_rows, const long n, const global int *restrict length,
                       const global long *restrict run_start, global long *restrict start)
{
    EACH_ROW (run, n_runs) {
        long at = run_start[run];
        for (long row = run * run_rows; row < min((run + 1) * run_rows, n); row++) {
            start[row] = at;
            at += length[row];
        }
        if (run == n_runs - 1)
            start[n] = at;
    }
}
