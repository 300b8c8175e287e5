/* Tables of symmetric quadrature rules. */
#ifndef RITZ_SRC_CELL_TABLES_H
#define RITZ_SRC_CELL_TABLES_H

#include "cell/internal.h"

/* Barycentric coordinates of one point of an orbit, whose other points are their permutations:
   CENTRE: all equal. 21: (a, a, 1 - 2a). ALL: (a, b, 1 - a - b), triangle only. 31: (a, a, a, 1 - 3a). 22: (a, a, c,
   c). 211: (a, a, b, 1 - 2a - b). POINT: (a, b, c, 1 - a - b - c) alone, in a rule without symmetry. */
typedef enum ritz_orbit_kind {
    ORBIT_CENTRE,
    ORBIT_21,
    ORBIT_ALL,
    ORBIT_31,
    ORBIT_22,
    ORBIT_211,
    ORBIT_POINT
} ritz_orbit_kind;

typedef struct ritz_orbit {
    ritz_orbit_kind kind;
    double weight; /* of each point; the weights of a rule add up to 1 */
    double a[3];
} ritz_orbit;

typedef struct ritz_orbit_rule {
    int n_orbits;
    const ritz_orbit *orbits;
} ritz_orbit_rule;

/* Of degree 1, then 2, 4, .. 14. */
enum { RITZ_N_SIMPLEX_RULES = 8 };
extern const ritz_orbit_rule ritz_triangle_rules[RITZ_N_SIMPLEX_RULES];
extern const ritz_orbit_rule ritz_tet_rules[RITZ_N_SIMPLEX_RULES];

#endif
