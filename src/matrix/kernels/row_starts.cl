/* Starts of rows from their lengths, in parts of neighbouring rows of which the host adds up the totals. After row_runs.cl. */

/* total[part] = the sum of its rows' lengths, longest[part] the largest. */
kernel void add_lengths(const long n_parts, const long part_rows, const long n, const global int *restrict length,
                        global long *restrict total, global int *restrict longest)
{
    EACH_ROW (part, n_parts) {
        long sum = 0;
        int most = 0;
        for (long row = part * part_rows; row < min((part + 1) * part_rows, n); row++) {
            sum += length[row];
            most = max(most, length[row]);
        }
        total[part] = sum;
        longest[part] = most;
    }
}

/* start[n + 1], from the start of each part's first row. */
kernel void start_rows(const long n_parts, const long part_rows, const long n, const global int *restrict length,
                       const global long *restrict part_start, global long *restrict start)
{
    EACH_ROW (part, n_parts) {
        long at = part_start[part];
        for (long row = part * part_rows; row < min((part + 1) * part_rows, n); row++) {
            start[row] = at;
            at += length[row];
        }
        if (part == n_parts - 1)
            start[n] = at;
    }
}
