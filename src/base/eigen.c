/* Eigenvectors of small symmetric matrices. */
#include "base/eigen.h"

#include <math.h>

/* Turns rows and columns p, q of the symmetric matrix so that its entry (p, q) vanishes. */
static void rotate_rows(int n, int stride, double *a, double *v, int p, int q)
{
    double theta = (a[q * stride + q] - a[p * stride + p]) / (2 * a[p * stride + q]);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < n; k++) {
        double x = a[k * stride + p], y = a[k * stride + q];
        a[k * stride + p] = c * x - s * y;
        a[k * stride + q] = s * x + c * y;
    }
    for (int k = 0; k < n; k++) {
        double x = a[p * stride + k], y = a[q * stride + k];
        a[p * stride + k] = c * x - s * y;
        a[q * stride + k] = s * x + c * y;
        x = v[k * stride + p], y = v[k * stride + q];
        v[k * stride + p] = c * x - s * y;
        v[k * stride + q] = s * x + c * y;
    }
}

void ritz_symmetric_eigen(int n, int stride, double *matrix, double *values, double *vectors)
{
    double trace = 0;
    for (int i = 0; i < n; i++) {
        trace += fabs(matrix[i * stride + i]);
        for (int j = 0; j < n; j++)
            vectors[i * stride + j] = i == j;
    }
    for (int sweep = 0; sweep < 30; sweep++) {
        double rest = 0;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                rest = fmax(rest, fabs(matrix[p * stride + q]));
                if (fabs(matrix[p * stride + q]) > 1e-18 * trace)
                    rotate_rows(n, stride, matrix, vectors, p, q);
            }
        if (rest <= 1e-18 * trace)
            break;
    }
    for (int i = 0; i < n; i++)
        values[i] = matrix[i * stride + i];
}
