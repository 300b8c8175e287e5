/* Elements that lock less than their shape functions let them: what their matrices have besides, or instead.

   Mixed: the pressure is an unknown of each cell, a polynomial that is one order lower than the displacement (constant on
   simplices of order 2 and on all cells of order 1), and eliminated there. The form is integrated without Lame's first
   parameter l; what this adds is
       G M^-1 G'    G[i][k] = int div(psi_i) p_k,    M[k][m] = int p_k p_m / l
   (Hughes (1987), section 4.4; on cells of order 1 it is the mean dilatation of Nagtegaal, Parks and Rice (1974)).
   Incompatible modes: the displacement has quadratic modes of each cell besides, 1 - xi^2 along each axis of the
   reference cell, with the Jacobian of the centre so that constant stresses do no work on them (Taylor,
   Beresford and Wilson (1976)). Eliminated in the cell they take -K_ua K_aa^-1 K_au.
   A strain e that the cell has by itself (thermal strain) and an initial stress s act on them too, where they vary in the
   cell: on the modes a by f = int strain(a) : (C e - s), on the pressure by f_k = int p_k tr(e). With S = K_aa, B = K_ua or
   S = M, B = G, the cell's own unknowns are -+ S^-1 (B' u - f), and the load loses, or gains, B S^-1 f.
   Reduced: hexes and quads whose strain is the mean in the cell, with a small stiffness against the hourglass motions,
   which have no mean strain (Flanagan and Belytschko (1981)); reduce.c. */
#ifndef RITZ_SRC_ENHANCE_H
#define RITZ_SRC_ENHANCE_H

#include "integrate/element.h"

typedef enum ritz_enhancement_kind {
    RITZ_STANDARD,
    RITZ_MIXED,
    RITZ_INCOMPATIBLE,
    RITZ_REDUCED,
    RITZ_REDUCED_CALCULIX, /* the same with the hourglass stiffness of CalculiX */
    RITZ_N_ENHANCEMENTS
} ritz_enhancement_kind;

static inline bool ritz_is_reduced(ritz_enhancement_kind kind)
{
    return kind == RITZ_REDUCED || kind == RITZ_REDUCED_CALCULIX;
}

/* How strains follow from the displacement. */
typedef enum ritz_solid {
    RITZ_SOLID_SPACE,
    RITZ_SOLID_PLANE_STRAIN,
    RITZ_SOLID_PLANE_STRESS,
    RITZ_SOLID_RING
} ritz_solid;

/* The material of a cell at x, point q of the quadrature. */
typedef struct ritz_enhancement_material {
    double young, poisson; /* of one that is the same in all directions; of others the first is c11 */
    bool directed;         /* has a stiffness along x y z in Voigt's order, across a sheet without stress */
    double c[6][6];
    double measure; /* what integrals are multiplied by */
} ritz_enhancement_material;
typedef void ritz_enhancement_data(const void *context, int batch, int32_t cell, int q, const double x[3],
                                   ritz_enhancement_material *material);

/* Of one batch. */
typedef struct ritz_enhancement {
    const ritz_space *space;
    int batch;
    ritz_solid solid;
    const uint8_t *kind; /* [n_cells] of ritz_enhancement_kind; borrowed */
    ritz_enhancement_data *data;
    const void *context;
    ritz_tables *tables;        /* at the points of the quadrature */
    ritz_tables *centre, *mean; /* at the centre; at points that integrate the mean of gradients */
    double *points;             /* [n_points][dim] from the centre of the reference cell */
} ritz_enhancement;
/* Fills tables; the others are the caller's. RITZ_ERROR_INPUT: the cells have no such elements. */
ritz_status ritz_enhancement_prepare(ritz_enhancement *enhancement, int degree);
void ritz_enhancement_free(ritz_enhancement *enhancement);

/* What a cell has besides: the matrix sign * b s^-1 b'; of a reduced one, its matrix less that of a standard one. */
enum { RITZ_MAX_MODES = 9, RITZ_MAX_ENHANCED_ROWS = 81, RITZ_REDUCED_ROWS = 24 };
typedef struct ritz_enhanced {
    ritz_enhancement_kind kind;
    int n_rows, n_modes;
    int dim; /* reduced: of the cell */
    double b[RITZ_MAX_ENHANCED_ROWS][RITZ_MAX_MODES];
    double s[RITZ_MAX_MODES][RITZ_MAX_MODES];                   /* its Cholesky factor, below the diagonal */
    double f[RITZ_MAX_MODES], pressure[RITZ_MAX_ENHANCED_ROWS]; /* ritz_load_enhanced; int l tr(e) div(psi_i) */
    double origin[3], size;                                     /* of the pressure's polynomials */
    double inverse[3][3], det; /* of the centre; reduced: det is the volume over that by the points of the quadrature */
    double reduced[RITZ_REDUCED_ROWS][RITZ_REDUCED_ROWS],
        mean[RITZ_REDUCED_ROWS / 3][3]; /* gradients; of a ring the third is the hoop strain of a motion along x */
} ritz_enhanced;
/* False where the cell is a standard one, or no such element can be made (s is not positive definite). matrix: the matrix or
   its product will be asked for, which takes longer where the cell is reduced. */
bool ritz_enhance_cell(const ritz_enhancement *enhancement, int32_t cell, bool matrix, ritz_enhanced *enhanced);
/* Turns a cell's load per volume, of the points of the quadrature, into that of the element: of reduced ones. */
void ritz_share_volume_load(const ritz_enhancement *enhancement, int32_t cell, double *load);
/* Adds the matrix [n_rows][n_rows]; or its product with the cell's u [n_rows]. */
void ritz_add_enhanced_matrix(const ritz_enhanced *enhanced, double *matrix);
void ritz_add_enhanced_action(const ritz_enhanced *enhanced, const double *u, double *vector);
/* Lets C e - s act on the cell's own unknowns, to be called for each point q of the quadrature. own: xx yy zz xy yz xz of
   it, and its part l tr(e). */
enum { RITZ_OWN_STRESS = 7 };
void ritz_load_enhanced(const ritz_enhancement *enhancement, int32_t cell, int q, const double own[RITZ_OWN_STRESS],
                        ritz_enhanced *enhanced);
/* Turns load[n_rows], int strain(v) : (C e - s), into the cell's load after all points have acted. */
void ritz_add_enhanced_load(const ritz_enhanced *enhanced, double *load);
/* The cell's own unknowns under u; of a reduced one its mean gradient, component by component. */
void ritz_solve_enhanced(const ritz_enhanced *enhanced, const double *u, double modes[RITZ_MAX_MODES]);
/* What they add at point q of the quadrature, whose Jacobian is det: to the gradient[component][axis], of which the mean
   takes the place in a reduced one, and the pressure (tension is positive). */
void ritz_evaluate_enhanced(const ritz_enhancement *enhancement, const ritz_enhanced *enhanced, int q, double det,
                            const double x[3], const double *modes, double gradient[3][3], double *pressure);

#endif
