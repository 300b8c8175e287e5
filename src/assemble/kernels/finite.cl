/* Whether the diagonal of a matrix and its right-hand side are finite numbers: *found is 1 where any is none, else as it
   was. One work-item a row. */

/* For NaN, too. */
#define IS_FINITE(x) (fabs(x) < INFINITY)

__kernel void find_not_finite(long n, __global const real *restrict diagonal, __global const real *restrict rhs,
                              __global int *found)
{
    const long row = get_global_id(0);
    if (row < n && !(IS_FINITE(diagonal[row]) && IS_FINITE(rhs[row])))
        *found = 1;
}
