/* The meshes that benchmarks of matrices and solvers share: those of Table 1 of Zhang and Zhang (2013), and larger ones. */
#ifndef RITZ_CLI_BENCH_MESH_H
#define RITZ_CLI_BENCH_MESH_H

#include "ritz/form.h"
#include "ritz/mesh.h"

#include <stdbool.h>

typedef struct ritz_bench_mesh {
    const char *name, *form; /* the form whose stiffness is meant */
    ritz_cell cell;
    int32_t nodes[3]; /* along each axis; 2D: the third is 1 */
    bool unstructured;
    const char *summary;
} ritz_bench_mesh;

/* The list, ended by an entry without name. The first four are Zhang and Zhang's (2013). */
extern const ritz_bench_mesh ritz_bench_meshes[];
/* NULL with a message if there is none of that name. */
const ritz_bench_mesh *ritz_bench_find_mesh(const char *name);

/* Makes the mesh on a box of unit cells. An unstructured one has its cells' diagonals chosen at random, its nodes moved
   by up to a tenth of a cell, and its numbering shuffled before the library sees it; the same for the same sizes. */
ritz_status ritz_bench_mesh_create(const ritz_bench_mesh *about, ritz_mesh **mesh);

#endif
