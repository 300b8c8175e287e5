/* Assemble room, internal side. Depends on integrate and matrix. */
#ifndef RITZ_SRC_ASSEMBLE_H
#define RITZ_SRC_ASSEMBLE_H

#include "integrate/integrate.h"
#include "matrix/matrix.h"
#include "ritz/assemble.h"

/* A x = b on the device. */
typedef struct ritz_system {
    ritz_matrix *matrix;
    ritz_buffer *rhs; /* real [n_dofs] */
    double seconds_pattern, seconds_integrate, seconds_assemble;
} ritz_system;

/* A term of the matrix at one degree of freedom. */
typedef struct ritz_spring {
    int32_t node;
    int component;
    double stiffness;
} ritz_spring;

/* What to assemble. All borrowed. */
typedef struct ritz_assembly {
    const ritz_space *space;
    const ritz_form *form;
    const ritz_datum *const *data;        /* [n_batches][form->n_data] */
    const ritz_elements *const *elements; /* [n_batches] in the place of form and data; NULL: of these */
    const double *old;                    /* [n_dofs] old solution or NULL */
    double time;
    const double *load;                  /* [n_dofs] further right-hand side (surface terms), or NULL */
    const ritz_constraints *constraints; /* or NULL */
    const ritz_facet_load *films;        /* [n_films] terms of the matrix on facets */
    int n_films;
    const ritz_spring *springs; /* [n_springs] */
    int64_t n_springs;
    double *applied; /* [n_components] receives the sum of the right-hand side before elimination, or NULL */
} ritz_assembly;

/* Integrates batch by batch and chunk by chunk and adds into SBELL; element matrices stay on the device. Prescribed
   values are eliminated symmetrically: their columns go to the right-hand side, their rows and columns become those
   of the identity times the old diagonal. Each entry sums its contributions in a fixed order: same bits from run to
   run. */
ritz_status ritz_assemble_system(ritz_device *device, const ritz_assembly *assembly,
                                 const ritz_assemble_options *options, ritz_system **system);
void ritz_system_destroy(ritz_system **system);

/* The same into the matrix of an assembler, which keeps all that another assembly of the same form needs. */
ritz_status ritz_assembler_run(ritz_assembler *assembler, const ritz_assembly *assembly);
const ritz_system *ritz_assembler_system(const ritz_assembler *assembler);

/* ---- Loads by element vectors, on host threads: for load cases ---- */

/* The cells of a batch that are chosen, by increasing number. *cells is the caller's, ritz_free. */
typedef bool ritz_cell_choice(const void *context, int32_t cell);
ritz_status ritz_choose_cells(const ritz_space_batch *batch, ritz_cell_choice *is_chosen, const void *context,
                              int32_t **cells, int32_t *n);
/* to[n_dofs] += factor times the element vectors of cells[n] (NULL: of all n of the batch), increasing numbers: of loads, or
   with u [n_dofs] of the matrices times u. In the order of the cells: the same bits for any number of threads. */
ritz_status ritz_add_element_vectors(const ritz_integral *integral, const double *u, const int32_t *cells, int32_t n,
                                     double factor, double *to);
/* The same of those that are chosen; NULL: of all. */
ritz_status ritz_add_chosen_vectors(const ritz_integral *integral, const double *u, ritz_cell_choice *is_chosen,
                                    const void *context, double factor, double *to);
/* load -= A difference [n_dofs], of which the free rows count: what values other than those that the matrix was assembled
   with change on the right-hand side. The assembled matrix has lost the columns that this takes, so the elements that hold
   one are gone through again. */
ritz_status ritz_subtract_action(const ritz_integral *integral, const double *difference, double *load);
/* The row of a prescribed value is the diagonal alone: the product as the device's precision rounds it, so that the
   residual there is zero from the start. */
double ritz_prescribed_row(ritz_precision precision, double diagonal, double value);

#endif
