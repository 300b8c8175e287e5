/* Integrate room, internal side. Depends on base, device, cell, mesh, space, form.

   Element matrices and vectors of one batch (cells of one type and order), by the plain reference on the host or by a
   method of the registry on the device. */
#ifndef RITZ_SRC_INTEGRATE_H
#define RITZ_SRC_INTEGRATE_H

#include "device/device.h"
#include "device/tuning.h"
#include "form/form.h"
#include "integrate/element.h"
#include "ritz/integrate.h"
#include "space/space.h"

/* What a method on the device stores of each element: its matrix and load; or what they are handed on to while they are
   in registers, in the place of the matrix (kernels/result.cl). Entries are numbered from 1, row by row, then the load. */
typedef enum ritz_element_result {
    RITZ_RESULT_MATRICES,
    RITZ_RESULT_SUM,      /* one number: the sum of all entries, each times its number */
    RITZ_RESULT_CHECKSUM, /* the same, then 64 bits: element(e) of measure/checksum.h */
    RITZ_RESULT_ACTION, /* n_shape * n_components numbers: the matrix times the old solution; the load stands for itself */
} ritz_element_result;

/* What is integrated: a batch of a space, a form, its data on this batch. All borrowed. */
typedef struct ritz_integral {
    const ritz_space *space;
    const ritz_space_batch *batch;
    const ritz_form *form;
    const ritz_datum *data; /* [form->n_data] */
    const double *old;      /* [n_nodes * n_components] old solution at the space's nodes; NULL: zeros */
    double time;
    int degree; /* of the quadrature, 1 to RITZ_MAX_DEGREE; 0: 2 p */
    ritz_element_result result;
    bool read_soon;  /* the results, while caches hold them: they are not to be written past the caches */
    bool own_stress; /* the load is int strain(v) : (C e - s), the form's first coefficients as of ritz_load_enhanced */
} ritz_integral;
static inline int ritz_integral_degree(const ritz_integral *integral)
{
    return ritz_quadrature_degree(integral->degree, integral->space->order);
}

/* RITZ_ERROR_INPUT where the form is not one of this space. */
ritz_status ritz_form_check_space(const ritz_form *form, const ritz_space *space);

/* The oracle: plain C in double precision (Algorithm 1 of Banaś et al. (2014)), OpenMP over elements. For elements listed in
   `cells` (count of them; NULL: the first ones):
       matrices[count][n_shape * n_components][n_shape * n_components], row of (i, iE): i * n_components + iE
       vectors[count][n_shape * n_components]; either may be NULL. */
ritz_status ritz_integrate_reference(const ritz_integral *integral, const int32_t *cells, int64_t count,
                                     double *matrices, double *vectors);
/* One of them by tables at the integral's rule. With u [n_nodes * n_components] the vector is the matrix times the element's
   entries of u, in the place of the load. */
void ritz_reference_element(const ritz_integral *integral, const ritz_tables *tables, int32_t cell, const double *u,
                            double *matrix, double *vector);

/* Vectors without matrices, by host threads that ask for those of a few cells at a time. All borrowed but tables and room. */
typedef struct ritz_element_vectors {
    const ritz_integral *integral;
    const double *u; /* as above; NULL: loads */
    ritz_tables *tables;
    int parts; /* of shape functions that are read: 1 + dim; 1 where no term has derivatives */
    bool by_reference;
    double *room;         /* of all threads, */
    int64_t room_numbers; /* and of one */
} ritz_element_vectors;
ritz_status ritz_element_vectors_prepare(const ritz_integral *integral, const double *u, ritz_element_vectors *v);
void ritz_element_vectors_free(ritz_element_vectors *v);
/* vectors[n][n_shape * n_components], n from 1 to RITZ_N_LANES; until the thread asks again. */
const double *ritz_element_vectors_compute(const ritz_element_vectors *v, int n, const int32_t *cells);

/* What expressions on facets may read of a form: its old solution and data. All borrowed. */
typedef struct ritz_facet_data {
    const ritz_form *form;
    const ritz_datum *const *data;          /* [n_batches][form->n_data], no POINT but where there is a field */
    const ritz_data *fields[RITZ_MAX_DATA]; /* of data that are fields of a space; NULL: those above */
    const double *old;                      /* [n_dofs] NULL: zeros */
} ritz_facet_data;
enum { RITZ_N_FACET_NAMES = 7 };
/* The names of these expressions' variables: x y z t nx ny nz, the outward normal; then the form's (NULL: none), its data
   last. Returns how many. The names are the form's. */
int ritz_list_facet_names(const ritz_form *form, const char *names[RITZ_N_FACET_NAMES + RITZ_MAX_NAMES]);

/* A load on the facets of a group. */
typedef struct ritz_facet_load {
    int32_t group;
    const char *const *before; /* [n_before] names of groups whose facets are left out: another one like it has them */
    int n_before;
    bool pressure;                       /* value[0] acts against the outward normal; else value[c] a component */
    const ritz_expression *const *value; /* over the names above; pressure: 1, else n_components of them */
    const ritz_facet_data *data;         /* NULL: no expression reads anything of a form */
    double time;
    const ritz_datum *scale; /* [n_batches] factor (a plate's thickness), no POINT; NULL: 1 */
    int degree;              /* of the quadrature; 0: 2 p */
    unsigned axes;           /* of a term of the matrix: bits of the components that have it; 0: all */
} ritz_facet_load;
/* Whether its values change with the time or the old solution. */
bool ritz_facet_load_varies(const ritz_space *space, const ritz_facet_load *facet_load, int n_values);
/* load[n_nodes * n_components] += the surface term's integral. RITZ_ERROR_INPUT when the group has no facets. */
ritz_status ritz_integrate_facets(const ritz_space *space, const ritz_facet_load *facet_load, double *load);

/* Entries of a matrix of nodes, as they come: places may stand in it several times. */
typedef struct ritz_facet_entries {
    int64_t n, capacity;
    int32_t *row, *column; /* nodes */
    double *value;
} ritz_facet_entries;
/* The matrix of the term: value times trial and test function on the facets, as a factor of the identity for several
   components. Replaces the entries by those of the facets from mesh entity *next on, of as many facets as fill `most`
   entries, and moves *next behind them; mesh->n_entities is the end. */
ritz_status ritz_integrate_facet_entries(const ritz_space *space, const ritz_facet_load *facet_load, int64_t most,
                                         int32_t *next, ritz_facet_entries *entries);
void ritz_facet_entries_free(ritz_facet_entries *entries);
/* result[n_nodes * n_components] -= that matrix times u. */
ritz_status ritz_subtract_facet_action(const ritz_space *space, const ritz_facet_load *facet_load, const double *u,
                                       double *result);

/* Errors of a field u[n_nodes][n_components] against known expressions exact[n_components] over x y z: the L2 norm
   and the H1 seminorm of the difference, by the rule two orders higher, or of `degree` where that is more. */
ritz_status ritz_error_norms(const ritz_space *space, const double *u, const ritz_expression *const *exact, int degree,
                             double *l2, double *h1_seminorm);

/* ---- Methods on the device ---- */

/* Where entry (row block i, column block j, iE, jE) of element e stands in a buffer of element matrices:
       matrix: ((e / width) * matrix_entries + pair(i, j) * pair_stride + (iE * n_components + jE) * entry_stride) *
               width + e % width
       vector: ((e / width) * n_shape * n_components + i * n_components + iE) * width + e % width
   pair(i, j) = i * row_pairs + j; where only the upper blocks of a symmetric matrix are kept, i * n_shape
   - i (i - 1) / 2 + j - i with j >= i, and the others are their transposes. e is counted from the first element of the
   chunk. (For kernels: kernels/layout.cl.) */
typedef struct ritz_layout {
    int32_t width;          /* elements interleaved */
    bool symmetric;         /* only the blocks j >= i are there */
    int32_t row_pairs;      /* pairs a row where all are there: n_shape, or more where rows are padded */
    int32_t pair_stride;    /* n_components^2 where blocks stand together, 1 where each entry has a plane of its own */
    int32_t entry_stride;   /* 1, or the size of a plane */
    int32_t matrix_entries; /* numbers that a matrix takes, padding included; or another result */
    int32_t vector_entries; /* n_shape * n_components, or 0 when the form has no load, or it is in the result */
} ritz_layout;

/* What a method is chosen and planned by. */
typedef struct ritz_case {
    ritz_cell cell;
    int order, geometry_order;
    bool serendipity; /* of the space */
    int n_components;
    ritz_precision precision;
    ritz_form_traits traits;
    int degree; /* of the quadrature; 0: 2 p */
    ritz_element_result result;
    bool read_soon; /* as in ritz_integral */
    const struct ritz_method
        *unfit; /* does not take these elements or data (its check): auto takes another; NULL: none */
} ritz_case;
void ritz_case_of(const ritz_integral *integral, ritz_precision precision, ritz_case *the_case);
/* Whether elements read the old solution: by the form's coefficients, or for the action on it. */
bool ritz_case_reads_old(const ritz_case *the_case);

/* A case as rows of tuning tables name it: the cell, the order and what of form, geometry and rule the work depends on. */
enum { RITZ_CASE_FACTS = 15 };
void ritz_case_facts(const ritz_case *the_case, ritz_fact facts[RITZ_CASE_FACTS]);

/* Sizes of a case. */
/* Shape functions of a case. */
int ritz_case_n_shape(const ritz_case *the_case);
typedef struct ritz_case_sizes {
    int64_t n_shape, n_quad, n_geo;
    int dim;
    int64_t real_bytes;
    bool affine; /* the Jacobian is constant in an element */
} ritz_case_sizes;
ritz_case_sizes ritz_case_get_sizes(const ritz_case *the_case);

/* A tunable parameter of a method. Value 0 everywhere means the plan's own choice, unless the least value is 0: then -1
   means it, and texts give it by leaving the parameter out. A plan takes what is set, or is refused. */
typedef struct ritz_method_parameter {
    const char *name, *meaning; /* the meaning lists the values, where not all from least to most are possible */
    int32_t least, most;
    bool is_bound; /* of something that the plan may choose smaller, and then tells */
} ritz_method_parameter;

enum { RITZ_MAX_PARAMETERS = 16, RITZ_MAX_FIGURES = 12, RITZ_PLAN_CHOOSES = -1 };

/* A number of a plan that people want to see beside its parameters: parts, blocks per work-item, padded rows. */
typedef struct ritz_plan_figure {
    const char *name; /* snake_case, as in the JSON object; a literal */
    double value;
} ritz_plan_figure;

/* How a method's kernel finds coordinates and data of elements. */
typedef enum ritz_plan_input {
    RITZ_INPUT_SETS,     /* coordinates interleaved by the layout's sets, each datum an array of its own */
    RITZ_INPUT_PACKED,   /* coordinates [element][node][axis]; data [element][datum, those of points n_quad numbers] */
    RITZ_INPUT_GATHERED, /* coordinates of the mesh's nodes [node][axis] and the cells' nodes; data as in sets */
} ritz_plan_input;

/* Launch geometry and sizes; a pure function of (case, limits, parameters). */
typedef struct ritz_plan {
    int32_t parameters[RITZ_MAX_PARAMETERS]; /* resolved values, in the method's order */
    ritz_layout layout;
    int64_t local_size;        /* work-items per group */
    int64_t n_workers;         /* work-groups in flight; each takes element sets (of layout.width) in turn */
    int64_t most_sharing;      /* work-groups that can share one element set where there are few; at least 1 */
    int64_t sharing_workers;   /* sets are shared until there are so many work-groups; 0: n_workers */
    int64_t n_sharing;         /* and how many do, dimension 1 of the launch: set when the elements are known */
    int64_t scratch_bytes;     /* of device memory, a work-group */
    int64_t local_bytes;       /* of local memory, a work-group */
    int64_t bytes_per_element; /* of the output */
    int64_t launch_elements;   /* most elements per launch: what the largest allocation holds */
    int64_t group_elements;    /* elements per work-group in such a launch */
    bool sends_jacobians;      /* Jacobian terms come from the host */
    bool approximate;          /* other than the quadrature by more than rounding, as was asked for */
    ritz_plan_input input;
    int32_t set_elements; /* that a work-group takes at once, where that is not layout.width; else 0 */
    int32_t
        own_size; /* that the method chooses for its kernel and nobody sets (factor: LINE_TILE; qss, sqs, ssq: CONSECUTIVE) */
    int n_figures;
    ritz_plan_figure figures[RITZ_MAX_FIGURES];
} ritz_plan;

/* Arithmetic operators in the functions that a form generates; multiply-adds are two. */
typedef struct ritz_form_counts {
    double constants, varying, weight, accumulate, finish, load;
    double values; /* of accumulate, those with the value of a function */
} ritz_form_counts;

/* One entry of the registry. */
typedef struct ritz_method {
    const char *name, *source, *summary;
    const char *kernel_path, *kernel_name;
    const char *kernel_before; /* a file that goes before kernel_path; NULL: none */
    bool hands_on;             /* its kernel gives all of ritz_element_result, not matrices alone */
    bool serendipity;          /* serves serendipity spaces; the others know the full ones */
    int n_parameters;
    ritz_method_parameter parameters[RITZ_MAX_PARAMETERS];
    bool (*applies)(const ritz_case *, const ritz_device_info *limits);
    /* Fails with a message that says what to change where the limits do not allow any plan with these parameters. */
    ritz_status (*plan)(const ritz_case *, const ritz_device_info *limits, const int32_t *parameters, ritz_plan *plan);
    /* Why the plan took another value of a parameter than was asked for, as in "..., since THIS"; NULL where the values
       that the parameter's meaning lists are all that there is to say. May be NULL. */
    const char *(*why)(const ritz_plan *, int parameter);
    /* Whether it can serve these elements and data with this plan: RITZ_ERROR_INPUT says what they lack. NULL: all. */
    ritz_status (*check)(const ritz_integral *, const ritz_plan *);
    /* Defines of the kernel beyond those of the case, the layout and the form (see ritz_method_header). */
    void (*defines)(const ritz_case *, const ritz_plan *, ritz_text *header);
    /* Numbers of its own that the kernel reads as `tables`: ritz_free. NULL: none. */
    ritz_status (*tables)(const ritz_integral *, const ritz_plan *, double **values, int64_t *n);
    /* Additions, multiplications and divisions that the kernel does for an element, padding and repetition included. */
    double (*operations)(const ritz_case *, const ritz_plan *, const ritz_form_counts *);
} ritz_method;

/* The registry, and its size. */
const ritz_method *const *ritz_methods(int *n_methods);
/* By name, whatever it serves; NULL, with a message that lists the names. */
const ritz_method *ritz_method_named(const char *name);
/* By name; "auto" or NULL takes the one that measured best for such a case. RITZ_ERROR_INPUT where there is no such method,
   or it does not serve the case. */
ritz_status ritz_method_find(const char *name, const ritz_case *the_case, const ritz_device_info *limits,
                             const ritz_method **method);
/* `settings`, n_settings texts "key=value", into the method's parameters; given[] says which ones they set. */
ritz_status ritz_method_read_settings(const ritz_method *method, const char *const *settings, int n_settings,
                                      int32_t parameters[RITZ_MAX_PARAMETERS], bool given[RITZ_MAX_PARAMETERS]);
/* The plan of a method with settings; pure in all arguments and the tuning tables of the device. What is not set takes the
   value that was tuned for the case, or else the plan's own choice. RITZ_ERROR_INPUT, with what would be possible, for a value
   that the plan cannot take as it is. Work-groups are fewer where their work space would not fit into the memory. */
ritz_status ritz_method_plan(const ritz_method *method, const ritz_case *the_case, const ritz_device_info *limits,
                             const char *const *settings, int n_settings, ritz_plan *plan);
/* RITZ_ERROR_INPUT where the least that a plan takes, one set of elements, does not fit into the device's memory. */
ritz_status ritz_plan_check_memory(const ritz_method *method, const ritz_device_info *limits, const ritz_plan *plan);

/* An integral made ready on a device: program built, mesh and data sent. Where the plan sends Jacobian terms, the
   integral's space must outlive it. */
typedef struct ritz_integrator ritz_integrator;
/* settings: n_settings texts "key=value" for the method's parameters. */
ritz_status ritz_integrator_create(ritz_device *device, const ritz_integral *integral, const char *method,
                                   const char *const *settings, int n_settings, ritz_precision precision,
                                   ritz_integrator **integrator);
void ritz_integrator_destroy(ritz_integrator **integrator);
/* Takes the data, old solution and time of another integral on the same batch; *fits is false, and nothing is changed,
   where that needs another kernel: another form, other expressions, data of other kinds, or values that what auto took does
   not take. */
ritz_status ritz_integrator_update(ritz_integrator *integrator, const ritz_integral *integral, bool *fits);
const ritz_plan *ritz_integrator_plan(const ritz_integrator *integrator);
const ritz_method *ritz_integrator_method(const ritz_integrator *integrator);
const ritz_layout *ritz_integrator_layout(const ritz_integrator *integrator);
/* Seconds that the host took so far to make the Jacobian terms of launches; their transfer is in the device's
   counters. 0 where the plan sends none. */
double ritz_integrator_prepare_seconds(const ritz_integrator *integrator);
/* The kernel's whole text, as compiled. */
const char *ritz_integrator_source(const ritz_integrator *integrator);
/* Elements first..first+count-1 into matrices and vectors (vectors may be NULL when the layout has none); buffers
   must hold ritz_round_up(count, width) elements. Adds the kernel's time to *seconds when not NULL (and waits). */
ritz_status ritz_integrator_run(ritz_integrator *integrator, int32_t first, int32_t count, ritz_buffer *matrices,
                                ritz_buffer *vectors, double *seconds);
/* One element of such buffers copied to the host, in the order of ritz_integrate_reference; matrix or vector may be
   NULL. */
void ritz_layout_element(const ritz_layout *layout, int64_t element, ritz_precision precision, const void *matrices,
                         const void *vectors, int n_shape, int n_components, double *matrix, double *vector);
/* The matrix_entries numbers of such an element as they stand, each of the precision's size: results but matrices. */
void ritz_layout_numbers(const ritz_layout *layout, int64_t element, ritz_precision precision, const void *matrices,
                         void *numbers);
/* All elements to the host, chunk by chunk, in the order of ritz_integrate_reference; either array may be NULL. */
ritz_status ritz_integrate_all(ritz_integrator *integrator, const ritz_integral *integral, ritz_device *device,
                               ritz_precision precision, double *matrices, double *vectors);

#endif
