/* Polynomials that the bases are made of: orthonormal ones on simplices (Dubiner; Koornwinder) and Lagrange's on the
 * line. */
#include "cell/parts.h"

#include <math.h>

/* A value and its gradient. */
typedef struct dual {
    long double v, d[3];
} dual;

static dual multiply(dual a, dual b)
{
    dual c = {.v = a.v * b.v};
    for (int k = 0; k < 3; k++)
        c.d[k] = a.v * b.d[k] + a.d[k] * b.v;
    return c;
}

static dual combine(long double f, dual a, long double g, dual b)
{
    dual c = {.v = f * a.v + g * b.v};
    for (int k = 0; k < 3; k++)
        c.d[k] = f * a.d[k] + g * b.d[k];
    return c;
}

/* t^n P_n^(a,0)(s / t) for n = 0..p, by the three-term recurrence of Jacobi polynomials made homogeneous: no division
   by t, which is zero at a vertex. */
static void jacobi(int p, int a, dual s, dual t, dual *value)
{
    dual t2 = multiply(t, t);
    value[0] = (dual){.v = 1};
    if (p > 0)
        value[1] = combine((a + 2) / 2.0L, s, a / 2.0L, t);
    for (int n = 1; n < p; n++) {
        long double m = 2 * n + a, scale = 2.0L * (n + 1) * (n + a + 1) * m;
        dual first = multiply(combine((m + 1) * (m + 2) * m / scale, s, (m + 1) * a * a / scale, t), value[n]);
        value[n + 1] = combine(1, first, -2.0L * (n + a) * n * (m + 2) / scale, multiply(t2, value[n - 1]));
    }
}

void ritz_simplex_modes(int dim, int p, const double *point, long double *modes)
{
    long double x = point[0], y = point[1], z = dim == 3 ? point[2] : 0;
    dual s1 = {2 * x + y + z - 1, {2, 1, 1}}, t1 = {1 - y - z, {0, -1, -1}};
    dual s2 = {2 * y + z - 1, {0, 2, 1}}, t2 = {1 - z, {0, 0, -1}};
    dual s3 = {2 * z - 1, {0, 0, 2}}, t3 = {1, {0, 0, 0}};
    dual first[RITZ_MAX_ORDER + 1], second[RITZ_MAX_ORDER + 1], third[RITZ_MAX_ORDER + 1];
    int n_shape = ritz_cell_n_shape(dim == 2 ? RITZ_TRI : RITZ_TET, p), m = 0;
    jacobi(p, 0, s1, t1, first);
    for (int i = 0; i <= p; i++) {
        jacobi(p - i, 2 * i + 1, s2, t2, second);
        for (int j = 0; i + j <= p; j++) {
            int top = dim == 3 ? p - i - j : 0;
            dual ij = multiply(first[i], second[j]);
            jacobi(top, 2 * (i + j) + 2, s3, t3, third);
            for (int k = 0; k <= top; k++, m++) {
                dual mode = multiply(ij, third[k]);
                long double norm = (2 * i + 1) * (2.0L * (i + j) + 2);
                if (dim == 3)
                    norm *= 2.0L * (i + j + k) + 3;
                norm = sqrtl(norm);
                modes[m] = norm * mode.v;
                for (int d = 0; d < dim; d++)
                    modes[(1 + d) * n_shape + m] = norm * mode.d[d];
            }
        }
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
