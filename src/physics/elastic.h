/* Elastic constants of materials that are not the same in all directions.

   Strains and stresses are in Voigt's order xx yy zz yz xz xy with shear as the whole angle; the 21 constants are the upper
   triangle row by row, c11 c12 .. c16 c22 .. c66. */
#ifndef RITZ_SRC_ELASTIC_H
#define RITZ_SRC_ELASTIC_H

#include "ritz/base.h"

enum { RITZ_N_STIFFNESS = 21 };
extern const char *const ritz_stiffness_names[RITZ_N_STIFFNESS]; /* "c11", ... */
/* The place of c_ab among them, a and b from 0 in any order. */
int ritz_stiffness_place(int a, int b);

/* From moduli 1 2 3 and those of the planes 12 13 23, poisson ij: contraction along j under tension along i.
   RITZ_ERROR_INPUT: the values are not those of a material, and why. */
ritz_status ritz_make_orthotropic(const double young[3], const double poisson[3], const double shear[3],
                                  double c[6][6]);
void ritz_make_isotropic(double young, double poisson, double c[6][6]);
void ritz_spread_stiffness(const double *constants, double c[6][6]);
/* RITZ_ERROR_INPUT: some strain costs no energy. */
ritz_status ritz_check_stiffness(double c[6][6]);
/* What has its components along axes[3], along x y z: stiffness, and a stress in Voigt's order. */
void ritz_turn_stiffness(double axes[3][3], double c[6][6]);
void ritz_turn_to_global(double axes[3][3], const double local[6], double global[6]);
/* Stress (strain: with half the angle as shear) xx yy zz xy yz xz along x y z as the same along the axes. */
void ritz_turn_to_axes(double axes[3][3], const double *global, double *local);

#endif
