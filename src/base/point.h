/* Three numbers as a point or direction in space. */
#ifndef RITZ_SRC_BASE_POINT_H
#define RITZ_SRC_BASE_POINT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static inline double ritz_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double ritz_length(const double v[3])
{
    return sqrt(ritz_dot(v, v));
}

/* c = a x b, which must not be a or b. */
static inline void ritz_cross(const double a[3], const double b[3], double c[3])
{
    for (int d = 0; d < 3; d++)
        c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* Gives v the length 1, where it is not 0; its length before. */
static inline double ritz_scale_to_unit(double v[3])
{
    const double length = ritz_length(v);
    for (int d = 0; d < 3; d++)
        v[d] = length > 0 ? v[d] / length : 0;
    return length;
}

/* The direction of length 1 from an axis, itself of length 1, to x; false: x is on the axis, and it is one across
   it, that which CalculiX takes. */
bool ritz_radial_direction(const double axis[3], const double origin[3], const double x[3], double radial[3]);

/* Where entry ij of a symmetric tensor stands among xx yy zz xy yz xz. */
static const int ritz_symmetric_place[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};

/* The box of the points x[n][dim], dim up to 3; past dim: low INFINITY, high -INFINITY. */
void ritz_box_of_points(int dim, int64_t n, const double *x, double low[3], double high[3]);
/* The middle of that box, 0 past dim; its largest extent is returned. */
double ritz_middle_of_points(int dim, int64_t n, const double *x, double middle[3]);

#endif
