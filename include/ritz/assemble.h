/* From a space and a form to a sparse system on the device. */
#ifndef RITZ_ASSEMBLE_H
#define RITZ_ASSEMBLE_H

#include "ritz/integrate.h"
#include "ritz/matrix.h"

RITZ_BEGIN_DECLS

/* How element matrices are added: each row gathers its own (the default), or elements of one colour, which share no
   node, are scattered side by side. Both give the same bits from run to run; they round differently from each other. */
typedef enum ritz_assemble_scheme { RITZ_ASSEMBLE_GATHER = 0, RITZ_ASSEMBLE_COLOURS } ritz_assemble_scheme;

typedef struct ritz_assemble_options {
    size_t size;              /* of this struct; 0: the library's own */
    const char *method;       /* of integration; NULL: "auto" */
    ritz_precision precision; /* of the matrix */
    ritz_assemble_scheme scheme;
    int64_t chunk_bytes; /* of device memory for element matrices; 0: the device's choice */
    int degree;          /* of the quadrature, 1 to RITZ_MAX_DEGREE; 0: twice the order */
} ritz_assemble_options;

/* Assembles the matrix and the right-hand side on the device once, without prescribed values. The matrix is the
   caller's. rhs [n_dofs] is filled on the host; may be NULL. Rows are the space's degrees of freedom. */
RITZ_API ritz_status ritz_assemble(ritz_device *device, const ritz_space *space, const ritz_form *form,
                                   const ritz_input *input, const ritz_assemble_options *options, ritz_matrix **matrix,
                                   double *rhs);

/* ---- Loads in addition to those of the form ---- */

/* A load on the facets of a group, per unit of area (in 2D of length: where a form has a thickness, the caller multiplies by it): a traction
   or, of scalar forms, a flux inwards, component by component; or a pressure against the outward normal. Expressions read
   x y z, t, the outward normal nx ny nz, the old solution and its gradient, and the data of the form that is assembled, by
   name, except those given at points; of ritz_assembler_fill_from_elements, which has no form, x y z, t and nx ny nz. */
typedef struct ritz_surface_load {
    const char *group;
    bool pressure;   /* entry 0 of what follows is a pressure; of forms with as many components as dimensions */
    double value[8]; /* by component; constants, where there is no expression */
    const char *expression[8]; /* NULL: the constant */
} ritz_surface_load;

/* A term of the matrix on the facets of a group: the integral of h u v, component by component (a Robin condition, an
   elastic bedding). Its other side, h times the ambient value, is a ritz_surface_load. */
typedef struct ritz_surface_film {
    const char *group;
    double value;           /* h, where there is no expression */
    const char *expression; /* as of a surface load; NULL: the constant */
} ritz_surface_film;

/* All of it borrowed for the call. */
typedef struct ritz_external_loads {
    size_t size; /* of this struct; 0: the library's own */
    int n_surfaces;
    const ritz_surface_load *surfaces;
    const double *nodal; /* [n_dofs] forces at degrees of freedom; NULL: none */
    int n_films;         /* ritz_assembler_rhs: name those of the last fill again, as they were */
    const ritz_surface_film *films;
} ritz_external_loads;

/* ---- One pattern, many assemblies ---- */

/* The pattern of a space's matrix, made once, and what further assemblies of the same form need: steps of Newton's
   method and time steps cost integration and assembly only. The space must outlive it. */
typedef struct ritz_assembler ritz_assembler;
RITZ_API ritz_status ritz_assembler_create(ritz_device *device, const ritz_space *space,
                                           const ritz_assemble_options *options, ritz_assembler **assembler);
RITZ_API void ritz_assembler_destroy(ritz_assembler **assembler);

/* Assembles a new matrix in place of the old one. input, loads, constraints and rhs may be NULL. Kernels are kept while
   the form, the kinds of its data and its expressions stay the same.
   constraints: prescribed values are eliminated symmetrically: their columns go to the right-hand side; their rows and
   columns become those of the identity times the old diagonal without its sign. NULL: the raw matrix.
   rhs[n_dofs], on the host: loads of the form, `loads`, and what the constraints make of them.
   RITZ_ERROR_INPUT: a number on the matrix's diagonal or of the right-hand side is not finite; the message says in which row.
   After a failure the content of the matrix is undefined. */
RITZ_API ritz_status ritz_assembler_fill(ritz_assembler *assembler, const ritz_form *form, const ritz_input *input,
                                         const ritz_external_loads *loads, const ritz_constraints *constraints,
                                         double *rhs);
/* The same of element matrices that are in the device's memory already, one ritz_elements for each type of cells of the
   space, in any order, each filled; no form is needed, so they may have been changed there. `elements` of the
   assembler's device, space and precision. Loads and films on surfaces take the time of the first one's fill. */
RITZ_API ritz_status ritz_assembler_fill_from_elements(ritz_assembler *assembler, int n_elements,
                                                       const ritz_elements *const *elements,
                                                       const ritz_external_loads *loads,
                                                       const ritz_constraints *constraints, double *rhs);
/* The right-hand side of a further load case for the matrix of the last fill, which stays: the same form; the data that
   the matrix reads are the same, those of its loads may differ; the same degrees of freedom are prescribed, their
   values may differ. By host threads, in double precision. */
RITZ_API ritz_status ritz_assembler_rhs(ritz_assembler *assembler, const ritz_form *form, const ritz_input *input,
                                        const ritz_external_loads *loads, const ritz_constraints *constraints,
                                        double *rhs);
/* The matrix, which the assembler owns; its values are those of the last fill, NULL before the first. A solver of it is
   valid until the next fill, and takes that by ritz_solver_update. */
RITZ_API const ritz_matrix *ritz_assembler_matrix(const ritz_assembler *assembler);
/* The right-hand side of the last fill, in the device's memory, for ritz_solver_solve_vectors: it need not come to the
   host. The assembler owns it; NULL before the first fill. */
RITZ_API const ritz_vector *ritz_assembler_vector(const ritz_assembler *assembler);

RITZ_END_DECLS

#endif
