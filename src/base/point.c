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

bool ritz_radial_direction(const double axis[3], const double origin[3], const double x[3], double radial[3])
{
    double along = 0;
    for (int d = 0; d < 3; d++)
        along += (x[d] - origin[d]) * axis[d];
    for (int d = 0; d < 3; d++)
        radial[d] = x[d] - origin[d] - along * axis[d];
    const bool is_off = ritz_length(radial) > 1e-12 * (ritz_length(x) + ritz_length(origin));
    if (!is_off) {
        const int k = fabs(axis[0]) > 1e-10 ? 0 : fabs(axis[1]) > 1e-10 ? 1 : 2, next = (k + 1) % 3;
        for (int d = 0; d < 3; d++)
            radial[d] = d == next ? 1 : d == k ? -axis[next] / axis[k] : 0;
    }
    ritz_scale_to_unit(radial);
    return is_off;
}

double ritz_middle_of_points(int dim, int64_t n, const double *x, double middle[3])
{
    double low[3], high[3], size = 0;
    ritz_box_of_points(dim, n, x, low, high);
    for (int d = 0; d < 3; d++)
        middle[d] = d < dim ? (low[d] + high[d]) / 2 : 0;
    for (int d = 0; d < dim; d++)
        size = fmax(size, high[d] - low[d]);
    return size;
}
