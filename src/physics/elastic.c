/* Elastic constants: from moduli and Poisson's ratios, checked, and turned from the axes of a material. */
#include "physics/elastic.h"
#include "base/base.h"
#include "ritz/physics.h"

#include <math.h>
#include <string.h>

const char *const ritz_stiffness_names[RITZ_N_STIFFNESS] = {"c11", "c12", "c13", "c14", "c15", "c16", "c22",
                                                            "c23", "c24", "c25", "c26", "c33", "c34", "c35",
                                                            "c36", "c44", "c45", "c46", "c55", "c56", "c66"};

int ritz_stiffness_place(int a, int b)
{
    const int row = a < b ? a : b, column = a < b ? b : a;
    return row * 6 - row * (row - 1) / 2 + column - row;
}

void ritz_spread_stiffness(const double *constants, double c[6][6])
{
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
            c[a][b] = constants[ritz_stiffness_place(a, b)];
}

void ritz_make_isotropic(double young, double poisson, double c[6][6])
{
    const double mu = young / (2 * (1 + poisson)), lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    memset(c, 0, 36 * sizeof **c);
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++)
            c[a][b] = lambda;
        c[a][a] = lambda + 2 * mu;
        c[a + 3][a + 3] = mu;
    }
}

ritz_status ritz_make_orthotropic(const double young[3], const double poisson[3], const double shear[3], double c[6][6])
{
    ritz_status status = RITZ_OK;
    static const struct {
        int i, j, plane;
    } pairs[3] = {{0, 1, 0}, {0, 2, 1}, {1, 2, 2}};
    double n[3]; /* scaled, so that the compliance has a diagonal of ones: 12 13 23 */
    for (int k = 0; k < 3; k++) {
        RITZ_REQUIRE(young[k] > 0 && isfinite(young[k]), RITZ_ERROR_INPUT, "E%d must be greater than 0; it is %g",
                     k + 1, young[k]);
        RITZ_REQUIRE(shear[k] > 0 && isfinite(shear[k]), RITZ_ERROR_INPUT, "G%d%d must be greater than 0; it is %g",
                     pairs[k].i + 1, pairs[k].j + 1, shear[k]);
    }
    for (int k = 0; k < 3; k++) {
        const double most = sqrt(young[pairs[k].i] / young[pairs[k].j]);
        n[k] = poisson[k] / most;
        RITZ_REQUIRE(fabs(n[k]) < 1, RITZ_ERROR_INPUT,
                     "nu%d%d must be between -sqrt(E%d/E%d) and sqrt(E%d/E%d), which is %g; it is %g (nu12 is the "
                     "contraction along 2 under tension along 1)",
                     pairs[k].i + 1, pairs[k].j + 1, pairs[k].i + 1, pairs[k].j + 1, pairs[k].i + 1, pairs[k].j + 1,
                     most, poisson[k]);
    }
    const double det = 1 - n[0] * n[0] - n[1] * n[1] - n[2] * n[2] - 2 * n[0] * n[1] * n[2];
    RITZ_REQUIRE(det > 0, RITZ_ERROR_INPUT,
                 "nu12 = %g, nu13 = %g and nu23 = %g are too large together: under some pressure the material would "
                 "expand",
                 poisson[0], poisson[1], poisson[2]);
    const double inverse[3][3] = {{1 - n[2] * n[2], n[0] + n[1] * n[2], n[1] + n[0] * n[2]},
                                  {n[0] + n[1] * n[2], 1 - n[1] * n[1], n[2] + n[0] * n[1]},
                                  {n[1] + n[0] * n[2], n[2] + n[0] * n[1], 1 - n[0] * n[0]}};
    memset(c, 0, 36 * sizeof **c);
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++)
            c[a][b] = sqrt(young[a] * young[b]) * inverse[a][b] / det;
        c[5 - a][5 - a] = shear[a]; /* 12 is xy, the last in Voigt's order */
    }
done:
    return status;
}

/* Cholesky's factorisation of the matrix scaled to a diagonal of ones. */
ritz_status ritz_check_stiffness(double c[6][6])
{
    ritz_status status = RITZ_OK;
    static const double least = 1e-13;
    double l[6][6];
    for (int a = 0; a < 6; a++)
        RITZ_REQUIRE(c[a][a] > 0 && isfinite(c[a][a]), RITZ_ERROR_INPUT,
                     "the stiffness is not positive definite: c%d%d must be greater than 0; it is %g", a + 1, a + 1,
                     c[a][a]);
    for (int a = 0; a < 6; a++)
        for (int b = 0; b <= a; b++) {
            double sum = c[a][b] / sqrt(c[a][a] * c[b][b]);
            for (int k = 0; k < b; k++)
                sum -= l[a][k] * l[b][k];
            RITZ_REQUIRE(a > b ? isfinite(sum) : sum > least, RITZ_ERROR_INPUT,
                         "the stiffness is not positive definite: some strain of the components 1 to %d would cost no "
                         "energy; the order is 11 22 33 23 13 12",
                         a + 1);
            l[a][b] = a > b ? sum / l[b][b] : sqrt(sum);
        }
done:
    return status;
}

/* ---- Turning ---- */

static const int voigt[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};

/* m[a][b]: component a along x y z of a stress that is 1 in its component b along the axes (Bond's matrix). */
static void make_bond(double axes[3][3], double m[6][6])
{
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++) {
            const int i = voigt[a][0], j = voigt[a][1], p = voigt[b][0], q = voigt[b][1];
            m[a][b] = axes[p][i] * axes[q][j] + (p == q ? 0 : axes[q][i] * axes[p][j]);
        }
}

void ritz_turn_stiffness(double axes[3][3], double c[6][6])
{
    double m[6][6], half[6][6];
    make_bond(axes, m);
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++) {
            half[a][b] = 0;
            for (int k = 0; k < 6; k++)
                half[a][b] += m[a][k] * c[k][b];
        }
    for (int a = 0; a < 6; a++)
        for (int b = 0; b <= a; b++) {
            double sum = 0;
            for (int k = 0; k < 6; k++)
                sum += half[a][k] * m[b][k];
            c[a][b] = c[b][a] = sum;
        }
}

void ritz_turn_to_global(double axes[3][3], const double local[6], double global[6])
{
    double m[6][6];
    make_bond(axes, m);
    for (int a = 0; a < 6; a++) {
        global[a] = 0;
        for (int b = 0; b < 6; b++)
            global[a] += m[a][b] * local[b];
    }
}

void ritz_turn_to_axes(double axes[3][3], const double *global, double *local)
{
    static const int order[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
    double t[3][3];
    for (int k = 0; k < 6; k++)
        t[order[k][0]][order[k][1]] = t[order[k][1]][order[k][0]] = global[k];
    for (int k = 0; k < 6; k++) {
        local[k] = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                local[k] += axes[order[k][0]][i] * t[i][j] * axes[order[k][1]][j];
    }
}

/* ---- The library's interface ---- */

static ritz_status take_axes(const double *given, double axes[3][3])
{
    ritz_status status = RITZ_OK;
    static const double rounding = 1e-9;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            axes[i][j] = given ? given[3 * i + j] : i == j;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            const double product = axes[i][0] * axes[j][0] + axes[i][1] * axes[j][1] + axes[i][2] * axes[j][2];
            RITZ_REQUIRE(fabs(product - (i == j)) <= rounding, RITZ_ERROR_INPUT,
                         i == j ? "axis %d has not length 1; divide it by its length"
                                : "axes %d and %d are not at right angles",
                         i == j ? i + 1 : j + 1, i + 1);
        }
done:
    return status;
}

static void gather_stiffness(double c[6][6], double *constants)
{
    for (int a = 0; a < 6; a++)
        for (int b = a; b < 6; b++)
            constants[ritz_stiffness_place(a, b)] = c[a][b];
}

ritz_status ritz_elastic_constants(const double young[3], const double poisson[3], const double shear[3],
                                   const double *axes, double constants[21])
{
    ritz_status status = RITZ_OK;
    double c[6][6], own[3][3];
    RITZ_REQUIRE_POINTER(young);
    RITZ_REQUIRE_POINTER(poisson);
    RITZ_REQUIRE_POINTER(shear);
    RITZ_REQUIRE_POINTER(constants);
    RITZ_TRY(take_axes(axes, own));
    RITZ_TRY(ritz_make_orthotropic(young, poisson, shear, c));
    ritz_turn_stiffness(own, c);
    gather_stiffness(c, constants);
done:
    return status;
}

ritz_status ritz_turn_elastic_constants(const double *axes, double constants[21])
{
    ritz_status status = RITZ_OK;
    double c[6][6], own[3][3];
    RITZ_REQUIRE_POINTER(axes);
    RITZ_REQUIRE_POINTER(constants);
    RITZ_TRY(take_axes(axes, own));
    ritz_spread_stiffness(constants, c);
    RITZ_TRY(ritz_check_stiffness(c));
    ritz_turn_stiffness(own, c);
    gather_stiffness(c, constants);
done:
    return status;
}
