/* An assembler: what stays from one assembly to the next. Private to the room. */
#ifndef RITZ_SRC_ASSEMBLER_H
#define RITZ_SRC_ASSEMBLER_H

#include "assemble/adder.h"
#include "integrate/device_elements.h"
#include "matrix/vector.h"

/* One batch on its way into the matrix. */
typedef struct ritz_batch_work {
    ritz_buffer *positions;      /* of element entries in the matrix */
    ritz_integrator *integrator; /* NULL: its elements come from the caller */
    ritz_gatherer *gatherer;     /* one of these two */
    ritz_scatterer *scatterer;
    ritz_layout layout; /* that the adder is made for */
    int64_t chunk;      /* most elements at a time */
} ritz_batch_work;

/* Which rows elimination touches. */
typedef struct ritz_eliminator {
    uint8_t *fixed; /* [n_nodes] as in ritz_constraints */
    int64_t n_nodes;
    int32_t n_rows;
    ritz_buffer *rows, *fixed_buffer, *prescribed;
    ritz_kernel *kernel;
} ritz_eliminator;

/* What unknowns that depend on others do to the system. */
typedef struct ritz_transformation {
    ritz_dependence *dependence;             /* that the pattern has blocks for */
    int64_t n_pieces, n_sums;                /* groups: of masters' rows, and for sums that are long */
    ritz_buffer *row_of;                     /* int32 [n_dofs] its row of T, -1: none */
    ritz_buffer *start, *master, *weight;    /* T: int32 [rows + 1], int64, real */
    ritz_buffer *nodes, *first, *dependents; /* int32: the masters' nodes and those that depend on them */
    ritz_buffer *pieces, *sums;              /* int32 [n_pieces][2], [n_sums][2]; see kernels/transform.cl */
    ritz_kernel *transform_blocks, *transform_long;
} ritz_transformation;

struct ritz_assembler {
    ritz_device *device;
    const ritz_space *space;
    char *method;                  /* NULL: "auto" */
    ritz_assemble_options options; /* its method is the above */
    ritz_pattern *pattern;
    ritz_system *system;
    ritz_vector rhs; /* the system's, lent */
    ritz_batch_work work[RITZ_N_CELLS];
    ritz_buffer *matrices, *vectors; /* of a chunk of elements, as large as a batch ever needed */
    ritz_buffer *diagonal, *found;   /* callers.c; NULL: none yet */
    ritz_kernel *finder;
    ritz_eliminator *eliminator;         /* NULL: none yet */
    ritz_transformation *transformation; /* NULL: the pattern is that of the space alone */
    ritz_cell_order order;
    bool filled, eliminated; /* the matrix is that of the last fill, which had prescribed values */
};

/* batch.c: integrates a batch and adds it; frees what it made unless `keep`. */
ritz_status ritz_assemble_batch(ritz_assembler *assembler, const ritz_assembly *assembly, int batch, bool keep);
/* The same of element matrices that are there. */
ritz_status ritz_assemble_elements(ritz_assembler *assembler, const ritz_elements *elements);
void ritz_batch_work_free(ritz_batch_work *work);

/* assemble.c: the first and only assembly; what batches need is freed as soon as they are done. */
ritz_status ritz_assembler_run_once(ritz_assembler *assembler, const ritz_assembly *assembly);

/* surface.c: the assembly's terms on facets, into the matrix. */
ritz_status ritz_add_films(ritz_device *device, const ritz_assembly *assembly, ritz_system *system);

/* assemble.c: the same as ritz_assembler_create, with room for what depends on other unknowns; takes `dependence`. */
ritz_status ritz_assembler_make(ritz_device *device, const ritz_space *space, const ritz_assemble_options *options,
                                ritz_dependence *dependence, ritz_assembler **assembler);

/* transform.c: A becomes T' A T and b becomes T' b, but for what stands at dependent unknowns. */
ritz_status ritz_transformation_create(const ritz_assembler *assembler, ritz_dependence *dependence,
                                       ritz_transformation **transformation);
ritz_status ritz_transform_system(const ritz_assembler *assembler);
void ritz_transformation_destroy(ritz_transformation **transformation);

/* eliminate.c: what is gone, a bit for each component of a node [n_nodes], out of the system; offset [n_dofs] are its
   values. */
ritz_status ritz_eliminate(ritz_assembler *assembler, const uint8_t *gone, const double *offset);
void ritz_eliminator_destroy(ritz_eliminator **eliminator);

#endif
