/* Polynomials that the bases are made of: orthonormal ones on simplices (Dubiner; Koornwinder) and Lagrange's on the
 * line. */
#include "cell/internal.h"

#include <math.h>

/* A value and its gradient. */
typedef struct dual {
    long double v, d[3];
} dual;

static dual multiply_duals(dual a, dual b)
{
    dual c = {.v = a.v * b.v};
    for (int k = 0; k < 3; k++)
        c.d[k] = a.v * b.d[k] + a.d[k] * b.v;
    return c;
}

static dual combine_duals(long double f, dual a, long double g, dual b)
{
    dual c = {.v = f * a.v + g * b.v};
    for (int k = 0; k < 3; k++)
        c.d[k] = f * a.d[k] + g * b.d[k];
    return c;
}

void ritz_jacobi_recurrence(int a, int n, long double r[3])
{
    if (n == 0) {
        r[0] = (a + 2) / 2.0L;
        r[1] = a / 2.0L;
        r[2] = 0;
        return;
    }
    const long double m = 2 * n + a, scale = 2.0L * (n + 1) * (n + a + 1) * m;
    r[0] = (m + 1) * (m + 2) * m / scale;
    r[1] = (m + 1) * a * a / scale;
    r[2] = 2.0L * (n + a) * n * (m + 2) / scale;
}

/* t^n P_n^(a,0)(s / t) for n = 0..p: the recurrence has no division by t, which is zero at a vertex. */
static void jacobi_polynomials(int p, int a, dual s, dual t, dual *value)
{
    const dual t2 = multiply_duals(t, t);
    long double r[3];
    value[0] = (dual){.v = 1};
    for (int n = 0; n < p; n++) {
        ritz_jacobi_recurrence(a, n, r);
        value[n + 1] = multiply_duals(combine_duals(r[0], s, r[1], t), value[n]);
        if (n > 0)
            value[n + 1] = combine_duals(1, value[n + 1], -r[2], multiply_duals(t2, value[n - 1]));
    }
}

enum { MOST_MODES = (RITZ_MAX_ORDER + 1) * (RITZ_MAX_ORDER + 2) * (RITZ_MAX_ORDER + 3) / 6 };

/* The orthogonal polynomials of a simplex at a point, and unless NULL the factors that make them orthonormal; how many. */
static int make_modes(int dim, int p, const double *point, dual *mode, long double *norm)
{
    long double x = point[0], y = dim > 1 ? point[1] : 0, z = dim > 2 ? point[2] : 0;
    dual s1 = {2 * x + y + z - 1, {2, 1, 1}}, t1 = {1 - y - z, {0, -1, -1}};
    dual s2 = {2 * y + z - 1, {0, 2, 1}}, t2 = {1 - z, {0, 0, -1}};
    dual s3 = {2 * z - 1, {0, 0, 2}}, t3 = {1, {0, 0, 0}};
    dual first[RITZ_MAX_ORDER + 1], second[RITZ_MAX_ORDER + 1], third[RITZ_MAX_ORDER + 1];
    int m = 0;
    jacobi_polynomials(p, 0, s1, t1, first);
    for (int i = 0; i <= p; i++) {
        const int most_j = dim > 1 ? p - i : 0;
        jacobi_polynomials(most_j, 2 * i + 1, s2, t2, second);
        for (int j = 0; j <= most_j; j++) {
            const int most_k = dim > 2 ? p - i - j : 0;
            const dual ij = multiply_duals(first[i], second[j]);
            jacobi_polynomials(most_k, 2 * (i + j) + 2, s3, t3, third);
            for (int k = 0; k <= most_k; k++, m++) {
                mode[m] = multiply_duals(ij, third[k]);
                if (!norm)
                    continue;
                norm[m] = (2 * i + 1) * (2.0L * (i + j) + 2);
                if (dim == 3)
                    norm[m] *= 2.0L * (i + j + k) + 3;
                norm[m] = sqrtl(norm[m]);
            }
        }
    }
    return m;
}

void ritz_simplex_polynomials(int dim, int p, const double *point, long double *values)
{
    dual mode[MOST_MODES];
    const int n = make_modes(dim, p, point, mode, NULL);
    for (int m = 0; m < n; m++)
        values[m] = mode[m].v;
}

void ritz_simplex_modes(int dim, int p, const double *point, long double *modes)
{
    dual mode[MOST_MODES];
    long double norm[MOST_MODES];
    const int n = make_modes(dim, p, point, mode, norm);
    for (int m = 0; m < n; m++) {
        modes[m] = norm[m] * mode[m].v;
        for (int d = 0; d < dim; d++)
            modes[(1 + d) * n + m] = norm[m] * mode[m].d[d];
    }
}

void ritz_line_lagrange(int p, const long double *nodes, double x, long double *line)
{
    for (int i = 0; i <= p; i++) {
        long double value = 1, slope = 0;
        for (int k = 0; k <= p; k++) {
            if (k == i)
                continue;
            long double gap = nodes[i] - nodes[k];
            slope = (slope * (x - nodes[k]) + value) / gap;
            value *= (x - nodes[k]) / gap;
        }
        line[i] = value;
        line[p + 1 + i] = slope;
    }
}
