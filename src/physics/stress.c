/* What follows from a stress xx yy zz xy yz xz: equivalent stresses, principal stresses and directions, the safety
   factor. */
#include "physics/solid.h"

#include <math.h>
#include <string.h>

/* sqrt(3/2 s:s) of the deviator s. */
static double von_mises_of(const double *s)
{
    double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

void ritz_find_von_mises(int64_t n, const double *stress, const double *property, double *von_mises)
{
    (void)property;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        von_mises[i] = von_mises_of(stress + 6 * i);
}

/* ---- Principal stresses, by Jacobi's rotations, which keep small ones exact beside large ones ---- */

enum { MOST_SWEEPS = 32 };

/* Turns axes p and q so that a[p][q] vanishes; v's columns are the axes. */
static void rotate_axes(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0)
        return;
    const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1));
    const double c = 1 / hypot(t, 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double kp = a[k][p], kq = a[k][q];
        a[k][p] = c * kp - s * kq;
        a[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; k++) {
        const double pk = a[p][k], qk = a[q][k], vp = v[k][p], vq = v[k][q];
        a[p][k] = c * pk - s * qk;
        a[q][k] = s * pk + c * qk;
        v[k][p] = c * vp - s * vq;
        v[k][q] = s * vp + c * vq;
    }
    a[p][q] = a[q][p] = 0;
}

/* The largest component of a direction is positive, the first of equal ones: of the two signs always the same. */
static void fix_sign(double d[3])
{
    int most = 0;
    for (int k = 1; k < 3; k++)
        most = fabs(d[k]) > fabs(d[most]) * (1 + 1e-9) ? k : most;
    for (int k = 0; k < 3 && d[most] < 0; k++)
        d[k] = -d[k] + 0.0;
}

/* value[0] >= value[1] >= value[2], each with its direction of length 1. */
static void find_axes(const double *s, double value[3], double direction[3][3])
{
    double a[3][3] = {{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int order[3] = {0, 1, 2};
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        const double off = fabs(a[0][1]) + fabs(a[1][2]) + fabs(a[0][2]);
        if (!(off > 1e-17 * (fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2]))))
            break;
        rotate_axes(a, v, 0, 1);
        rotate_axes(a, v, 1, 2);
        rotate_axes(a, v, 0, 2);
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (a[order[j]][order[j]] < a[order[j + 1]][order[j + 1]]) {
                const int held = order[j];
                order[j] = order[j + 1];
                order[j + 1] = held;
            }
    for (int k = 0; k < 3; k++) {
        value[k] = a[order[k]][order[k]];
        for (int x = 0; x < 3; x++)
            direction[k][x] = v[x][order[k]];
        fix_sign(direction[k]);
    }
}

void ritz_find_principal(int64_t n, const double *stress, const double *property, double *principal)
{
    (void)property;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        double direction[3][3];
        find_axes(stress + 6 * i, principal + 3 * i, direction);
    }
}

static void find_directions(int64_t n, const double *stress, int k, double *values)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        double value[3], direction[3][3];
        find_axes(stress + 6 * i, value, direction);
        memcpy(values + 3 * i, direction[k], sizeof direction[k]);
    }
}

void ritz_find_direction_1(int64_t n, const double *stress, const double *property, double *values)
{
    (void)property;
    find_directions(n, stress, 0, values);
}

void ritz_find_direction_2(int64_t n, const double *stress, const double *property, double *values)
{
    (void)property;
    find_directions(n, stress, 1, values);
}

void ritz_find_direction_3(int64_t n, const double *stress, const double *property, double *values)
{
    (void)property;
    find_directions(n, stress, 2, values);
}

/* Twice the largest shear stress. */
void ritz_find_tresca(int64_t n, const double *stress, const double *property, double *tresca)
{
    (void)property;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        double value[3], direction[3][3];
        find_axes(stress + 6 * i, value, direction);
        tresca[i] = value[0] - value[2];
    }
}

/* ---- Safety ---- */

void ritz_find_safety(int64_t n, const double *stress, const double *yield, double *safety)
{
    static const double most = 1000; /* where the stress is nearly 0, so that pictures keep a scale */
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        const double s = von_mises_of(stress + 6 * i);
        safety[i] = s * most > yield[i] ? yield[i] / s : most;
    }
}
