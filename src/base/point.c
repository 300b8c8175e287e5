/* Points in space: what is too long for a header. */
#include "base/point.h"

void ritz_box_of_points(int dim, int64_t n, const double *x, double low[3], double high[3])
{
    double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
#pragma omp parallel for schedule(static) reduction(min : least[:3]) reduction(max : most[:3])
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < dim; d++) {
            const double at = x[i * dim + d]; /* fmin and fmax would be calls */
            least[d] = at < least[d] ? at : least[d];
            most[d] = at > most[d] ? at : most[d];
        }
    for (int d = 0; d < 3; d++) {
        low[d] = least[d];
        high[d] = most[d];
    }
}
