/* Points on the line, and the recursively interpolated nodes of simplices (T. Isaac, Recursive, parameter-free,
   explicitly defined interpolation nodes for simplices, SIAM J. Sci. Comput. 42, 2020). */
#include "cell/internal.h"

#include <math.h>

/* Legendre polynomial of degree n at x in [-1, 1], and that of degree n - 1. */
static long double legendre_polynomial(int n, long double x, long double *previous)
{
    long double p0 = 1, p1 = x;
    for (int k = 1; k < n; k++) {
        long double p2 = ((2 * k + 1) * x * p1 - k * p0) / (k + 1);
        p0 = p1;
        p1 = p2;
    }
    *previous = p0;
    return p1;
}

static const long double pi = 3.14159265358979323846264338327950288L;

void ritz_line_nodes(ritz_node_family family, int n, long double *x)
{
    for (int k = 0; k <= n; k++)
        x[k] = (long double)k / n;
    if (family == RITZ_NODES_EQUISPACED || n < 3)
        return;
    /* Newton's method on (1 - t^2) P_n'(t); the mirrored half is copied so that the points are symmetric to the bit. */
    for (int k = 1; 2 * k < n; k++) {
        long double t = cosl(pi * k / n);
        for (int i = 0; i < 20; i++) {
            long double previous, value = legendre_polynomial(n, t, &previous);
            t -= (t * value - previous) / ((n + 1) * value);
        }
        x[k] = (1 - t) / 2;
        x[n - k] = (1 + t) / 2;
    }
}

void ritz_line_gauss(int n, long double *x, long double *w)
{
    for (int k = 0; 2 * k < n; k++) {
        long double t = 2 * k + 1 == n ? 0 : cosl(pi * (k + 0.75L) / (n + 0.5L)), slope = 1;
        for (int i = 0; i < 20; i++) {
            long double previous, value = legendre_polynomial(n, t, &previous);
            slope = n * (previous - t * value) / (1 - t * t);
            if (2 * k + 1 != n)
                t -= value / slope;
        }
        x[k] = (1 - t) / 2;
        x[n - 1 - k] = (1 + t) / 2;
        w[k] = w[n - 1 - k] = 1 / ((1 - t * t) * slope * slope);
    }
}

void ritz_simplex_node(ritz_node_family family, int d, const int *alpha, long double *b)
{
    int n = 0;
    long double x[RITZ_MAX_ORDER + 1], total = 0;
    for (int i = 0; i <= d; i++) {
        n += alpha[i];
        b[i] = 0;
    }
    if (d == 0) {
        b[0] = 1;
        return;
    }
    /* The mean of the nodes of the facets' own sets, one dimension lower, weighted by the distance from each facet. */
    ritz_line_nodes(family, n, x);
    for (int i = 0; i <= d; i++) {
        int rest[3] = {0}, m = 0;
        long double below[3];
        if (alpha[i] == n)
            continue;
        for (int j = 0; j <= d; j++) {
            if (j != i)
                rest[m++] = alpha[j];
        }
        ritz_simplex_node(family, d - 1, rest, below);
        long double weight = x[n - alpha[i]];
        total += weight;
        m = 0;
        for (int j = 0; j <= d; j++) {
            if (j != i)
                b[j] += weight * below[m++];
        }
    }
    for (int i = 0; i <= d; i++)
        b[i] /= total;
}
