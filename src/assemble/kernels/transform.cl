/* T' A T and T' b, in place, where u = T v + g: rows of T stand for unknowns that depend on others (their masters), the
   others are those of the identity. First the columns of dependent unknowns are added to those of their masters, row by
   row; then the rows of dependent unknowns to those of their masters. What stands in rows and columns of dependent
   unknowns stays: constrain.cl takes it out.

   After matrix/kernels/find_block.cl. Compile-time parameters: N_E (block size), S (slice height).
   row_of: of each unknown its row of T, or -1. start, master, weight: the rows of T. */

#define ENTRIES (N_E * N_E)

__global real *find_row(__global real *restrict values, long slot)
{
    return values + (slot - slot % S) * ENTRIES + slot % S;
}

/* A work-item a block row that has a column of a dependent unknown. */
__kernel void transform_columns(int n_rows, __global const int *restrict rows, __global const int *restrict row_of,
                                __global const int *restrict start, __global const long *restrict master,
                                __global const real *restrict weight, __global const long *restrict row_slot,
                                __global const int *restrict row_length, __global const int *restrict columns,
                                __global real *restrict values)
{
    const int k = get_global_id(0);
    if (k >= n_rows)
        return;
    const long slot = row_slot[rows[k]];
    const int length = row_length[rows[k]];
    __global real *restrict row_values = find_row(values, slot);
    for (int n = 0; n < length; n++)
        for (int c = 0; c < N_E; c++) {
            const int row = row_of[(long)columns[slot + (long)n * S] * N_E + c];
            for (int t = row < 0 ? 0 : start[row]; t < (row < 0 ? 0 : start[row + 1]); t++) {
                const int place = find_block(columns + slot, S, length, (int)(master[t] / N_E));
                const int to = (int)(master[t] % N_E);
                for (int r = 0; place >= 0 && r < N_E; r++) /* no such block: the column came with a master, and holds zeros */
                    row_values[((long)place * ENTRIES + r * N_E + to) * S] +=
                        weight[t] * row_values[((long)n * ENTRIES + r * N_E + c) * S];
            }
        }
}

/* `row_threads` work-items share a block row that holds masters: each takes the columns whose number modulo `row_threads` is its own. Terms
   first[m] .. first[m + 1] - 1 of master node m: its component, the dependent unknown and the weight. */
__kernel void transform_rows(int n_masters, int row_threads, __global const int *restrict nodes,
                             __global const int *restrict first, __global const int *restrict component,
                             __global const long *restrict dependent, __global const real *restrict weight,
                             __global const long *restrict row_slot, __global const int *restrict row_length,
                             __global const int *restrict columns, __global real *restrict values,
                             __global real *restrict rhs)
{
    const int m = get_global_id(0) / row_threads, thread = get_global_id(0) % row_threads;
    if (m >= n_masters)
        return;
    const long slot = row_slot[nodes[m]];
    const int length = row_length[nodes[m]];
    __global real *restrict row_values = find_row(values, slot);
    for (int t = first[m]; t < first[m + 1]; t++) {
        const long from = row_slot[dependent[t] / N_E];
        const int from_length = row_length[dependent[t] / N_E], r = (int)(dependent[t] % N_E);
        __global const real *from_values = find_row(values, from);
        for (int n = 0; n < from_length; n++) {
            const int column = columns[from + (long)n * S];
            const int place = column % row_threads == thread ? find_block(columns + slot, S, length, column) : -1;
            for (int c = 0; place >= 0 && c < N_E; c++) /* where the master has no such block, zeros stand */
                row_values[((long)place * ENTRIES + component[t] * N_E + c) * S] +=
                    weight[t] * from_values[((long)n * ENTRIES + r * N_E + c) * S];
        }
        if (thread == 0)
            rhs[(long)nodes[m] * N_E + component[t]] += weight[t] * rhs[dependent[t]];
    }
}
