/* Function spaces: continuous Lagrange elements of order 1..7 on a mesh, scalar or vector valued. */
#ifndef RITZ_SPACE_H
#define RITZ_SPACE_H

#include "ritz/mesh.h"

RITZ_BEGIN_DECLS

typedef struct ritz_space ritz_space;

/* n_components: values a node (1 for a scalar field, the dimension for a displacement). The mesh must outlive the
   space. */
RITZ_API ritz_status ritz_space_create(const ritz_mesh *mesh, int order, int n_components, ritz_space **space);
RITZ_API void ritz_space_destroy(ritz_space **space);

RITZ_API int64_t ritz_space_n_nodes(const ritz_space *space);
/* Degree of freedom of component c at node n: n * n_components + c. */
RITZ_API int64_t ritz_space_n_dofs(const ritz_space *space);
/* Coordinates of the nodes, [n_nodes][dim], owned by the space. */
RITZ_API const double *ritz_space_coordinates(const ritz_space *space);

RITZ_END_DECLS

#endif
