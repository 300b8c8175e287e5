/* Inverses of small matrices. */
#include "cell/cell.h"

#include <math.h>
#include <string.h>

/* Gauss-Jordan with row pivoting. */
ritz_status ritz_invert(int n, long double *a)
{
    ritz_status status = RITZ_OK;
    long double *inverse = NULL;
    RITZ_NEW(inverse, (int64_t)n * n);
    for (int i = 0; i < n; i++)
        inverse[i * n + i] = 1;
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int r = c + 1; r < n; r++) {
            if (fabsl(a[r * n + c]) > fabsl(a[pivot * n + c]))
                pivot = r;
        }
        for (int k = 0; k < n; k++) {
            long double swap = a[c * n + k];
            a[c * n + k] = a[pivot * n + k];
            a[pivot * n + k] = swap;
            swap = inverse[c * n + k];
            inverse[c * n + k] = inverse[pivot * n + k];
            inverse[pivot * n + k] = swap;
        }
        long double scale = 1 / a[c * n + c];
        for (int k = 0; k < n; k++) {
            a[c * n + k] *= scale;
            inverse[c * n + k] *= scale;
        }
        for (int r = 0; r < n; r++) {
            long double f = a[r * n + c];
            if (r == c || f == 0)
                continue;
            for (int k = 0; k < n; k++) {
                a[r * n + k] -= f * a[c * n + k];
                inverse[r * n + k] -= f * inverse[c * n + k];
            }
        }
    }
    memcpy(a, inverse, (size_t)n * n * sizeof *a);
done:
    ritz_free(inverse);
    return status;
}

double ritz_invert_jacobian(int dim, double J[3][3], double inverse[3][3])
{
    if (dim == 2) {
        const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
        inverse[0][0] = J[1][1] / det;
        inverse[0][1] = -J[0][1] / det;
        inverse[1][0] = -J[1][0] / det;
        inverse[1][1] = J[0][0] / det;
        return det;
    }
    double cofactor[3][3]; /* [row][column] of J */
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            const int a1 = (a + 1) % 3, a2 = (a + 2) % 3, b1 = (b + 1) % 3, b2 = (b + 2) % 3;
            cofactor[a][b] = J[a1][b1] * J[a2][b2] - J[a1][b2] * J[a2][b1];
        }
    const double det = J[0][0] * cofactor[0][0] + J[0][1] * cofactor[0][1] + J[0][2] * cofactor[0][2];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            inverse[b][a] = cofactor[a][b] / det;
    return det;
}
