/* Private to the elements of ritz_enhancement: points of their cells, and reduced hexes and quads. */
#ifndef RITZ_SRC_REDUCE_H
#define RITZ_SRC_REDUCE_H

#include "integrate/enhance.h"

/* A point of a cell, with all that integrals read there. */
typedef struct ritz_enhanced_point {
    ritz_point map;
    ritz_enhancement_material material; /* its c is filled whatever the material */
    double vol, lambda;
    double psi[4 * RITZ_MAX_ENHANCED_ROWS];
} ritz_enhanced_point;
void ritz_find_enhanced_point(const ritz_enhancement *enhancement, int32_t cell, int q, ritz_enhanced_point *point);
/* Where entry ij of a symmetric tensor stands in Voigt's order. */
static const int ritz_voigt_place[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
/* Functions with gradients g[n][3], each of which moves every component: column i * dim + E is function i along E. In a ring
   the third number of a gradient is the hoop strain of a motion along x. */
enum { RITZ_STRAIN_PACKS = RITZ_REDUCED_ROWS / RITZ_N_LANES };
typedef union ritz_strain_row {
    double of[RITZ_REDUCED_ROWS]; /* columns */
    ritz_lanes packs[RITZ_STRAIN_PACKS];
} ritz_strain_row;
/* c times the strains of all columns. */
void ritz_find_stresses(int dim, bool ring, double c[6][6], int n, double (*g)[3], ritz_strain_row stress[6]);
/* rows[n * dim] += factor times the strains of functions f[n] times those stresses, in n_columns and to the end of their last pack,
   where stresses are 0. */
void ritz_add_strain_products(int dim, bool ring, double factor, int n, double (*f)[3], int n_columns,
                              const ritz_strain_row stress[6], ritz_strain_row *rows);
/* As the functions for all kinds. */
void ritz_share_reduced_load(const ritz_enhancement *enhancement, int32_t cell, double *load);
bool ritz_reduce_cell(const ritz_enhancement *enhancement, int32_t cell, bool matrix, ritz_enhanced *of);
void ritz_load_reduced(const ritz_enhancement *enhancement, const ritz_enhanced_point *point, const double own[6],
                       ritz_enhanced *of);
void ritz_add_reduced_matrix(const ritz_enhanced *of, double *matrix);
void ritz_add_reduced_action(const ritz_enhanced *of, const double *u, double *vector);
void ritz_find_mean_gradient(const ritz_enhanced *of, const double *u, double gradient[9]);

#endif
