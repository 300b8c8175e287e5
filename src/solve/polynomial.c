/* Coefficients of polynomial preconditioners, and eigenvalues of the small matrices that bound the spectrum. */
#include "solve/polynomial.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* ---- Neumann's series ---- */

/* omega (I + G + ... + G^m), G = I - omega A. omega = c / largest, rho(G) < 1 for 0 < c < 2. With n = m + 1 the
   preconditioned eigenvalues 1 - (1 - omega t)^n rise from n omega t to at most 1 + (c - 1)^n (n odd); the quotient of
   that and n c is least near n (c - 1)^(n-1) c = 1, of which c below is a root to a few percent. For even n they end
   at 1 - (c - 1)^n = 1 - 1/(2 n), which is as safe. */
static void make_neumann(ritz_polynomial *p, double largest)
{
    double n = p->degree + 1, c = 1 + pow(1 / (2 * n), 1 / n);
    for (int k = 0; k <= p->degree; k++) {
        p->omega[k] = c / largest;
        p->mu[k] = 1;
    }
}

/* ---- Orthogonal residual polynomials ---- */

/* Residual polynomials that are orthogonal with a weight on [lower, upper], scaled to 1 at 0. Chebyshev's weight
   1 / sqrt((t - lower) (upper - t)) has Gauss nodes with equal weights, so the recurrence coefficients come from plain
   sums over them (Stieltjes), exact for degrees below their number.
   The least-squares residual 1 - t s(t) in a weight w is orthogonal with t w (Saad, Iterative Methods for Sparse Linear
   Systems, 12.3.3): with w of Chebyshev on [0, b] that is the Jacobi weight t^(1/2) (b - t)^(-1/2), his alpha = 1/2 and
   beta = -1/2. */
static void make_orthogonal(ritz_polynomial *p, bool weigh_with_t)
{
    enum { N = 64 };
    double t[N], now[N], before[N], square_before = 1, step_before = 1, lower = p->lower / p->upper;
    for (int j = 0; j < N; j++) {
        t[j] = (1 + lower) / 2 + (1 - lower) / 2 * cos(pi * (2 * j + 1) / (2 * N));
        now[j] = 1;
        before[j] = 0;
    }
    for (int k = 0; k <= p->degree; k++) {
        double square = 0, moment = 0;
        for (int j = 0; j < N; j++) {
            double weighted = (weigh_with_t ? t[j] : 1) * now[j] * now[j];
            square += weighted;
            moment += t[j] * weighted;
        }
        double a = moment / square, b = k > 0 ? square / square_before : 0;
        double step = -a - b / step_before; /* the next monic polynomial over this one at 0 */
        for (int j = 0; j < N; j++) {
            double next = (t[j] - a) * now[j] - b * before[j];
            before[j] = now[j];
            now[j] = next;
        }
        p->omega[k] = -1 / step / p->upper;
        p->mu[k] = -a / step;
        square_before = square;
        step_before = step;
    }
}

/* A Chebyshev polynomial that is small on all of a wide spectrum is hardly smaller than 1 anywhere. Cutting at
   upper tanh^2(u / 2n), n = degree + 1, makes its bound 1 / cosh u whatever the degree; eigenvalues below are still
   multiplied with P(0), which is 2 n^2 tanh(u) / (u upper), so the condition falls to u (1 + 1 / cosh u) / tanh u / (2 n^2)
   of what it was. That is least at u = 0, where eigenvalues in between touch 0, and grows slowly at first. */
static double chebyshev_cut(int degree)
{
    const double u = 1.5, root = tanh(u / (2 * (degree + 1)));
    return root * root;
}

ritz_polynomial ritz_polynomial_make(ritz_preconditioner kind, int degree, double smallest, double largest)
{
    ritz_polynomial p = {.degree = degree, .lower = smallest, .upper = largest};
    if (kind == RITZ_NEUMANN) {
        make_neumann(&p, largest);
    } else if (kind == RITZ_LEAST_SQUARES) {
        make_orthogonal(&p, true);
    } else {
        p.lower = fmax(smallest, chebyshev_cut(degree) * largest);
        make_orthogonal(&p, false);
    }
    return p;
}

double ritz_polynomial_value(const ritz_polynomial *p, double t)
{
    double before = 0, now = p->omega[0];
    for (int k = 1; k <= p->degree; k++) {
        double next = p->mu[k] * now + (1 - p->mu[k]) * before + p->omega[k] * (1 - t * now);
        before = now;
        now = next;
    }
    return now;
}

/* ---- Ritz values ---- */

/* Jacobi's rotations: slow, short, and exact to rounding for matrices as small as these. Of the eigenvectors only the
   last entries are carried along. */
ritz_extremes ritz_tridiagonal_extremes(int n, const double *diagonal, const double *beside)
{
    double a[RITZ_TRIDIAGONAL_MOST][RITZ_TRIDIAGONAL_MOST] = {{0}}, last[RITZ_TRIDIAGONAL_MOST] = {0};
    for (int i = 0; i < n; i++) {
        a[i][i] = diagonal[i];
        if (i + 1 < n)
            a[i][i + 1] = a[i + 1][i] = beside[i];
    }
    last[n - 1] = 1;
    for (int sweep = 0; sweep < 30; sweep++) {
        double off = 0, on = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                *(i == j ? &on : &off) += a[i][j] * a[i][j];
        if (!(off > 1e-30 * on))
            break;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) {
                if (a[i][j] == 0)
                    continue;
                double cotangent = (a[j][j] - a[i][i]) / (2 * a[i][j]); /* of twice the angle */
                double t = copysign(1, cotangent) / (fabs(cotangent) + sqrt(cotangent * cotangent + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; k++) {
                    double left = a[k][i], right = a[k][j];
                    a[k][i] = c * left - s * right;
                    a[k][j] = s * left + c * right;
                }
                for (int k = 0; k < n; k++) {
                    double upper = a[i][k], lower = a[j][k];
                    a[i][k] = c * upper - s * lower;
                    a[j][k] = s * upper + c * lower;
                }
                double left = last[i], right = last[j];
                last[i] = c * left - s * right;
                last[j] = s * left + c * right;
            }
    }
    ritz_extremes e = {a[0][0], a[0][0], fabs(last[0]), fabs(last[0])};
    for (int i = 1; i < n; i++) {
        if (a[i][i] < e.smallest) {
            e.smallest = a[i][i];
            e.last_of_smallest = fabs(last[i]);
        }
        if (a[i][i] > e.largest) {
            e.largest = a[i][i];
            e.last_of_largest = fabs(last[i]);
        }
    }
    return e;
}
