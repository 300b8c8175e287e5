/* Problems: a YAML file in, a result file out. */
#ifndef RITZ_PROBLEM_H
#define RITZ_PROBLEM_H

#include "ritz/device.h"
#include "ritz/solve.h"
#include "ritz/space.h"

RITZ_BEGIN_DECLS

typedef struct ritz_problem ritz_problem;

/* Seconds of each stage, in the order in which they run. */
typedef struct ritz_solve_seconds {
    double read_mesh, space, pattern, integrate, assemble, solve, output, total;
} ritz_solve_seconds;

/* Where a value stands. */
typedef struct ritz_where {
    double at[3];
    const char *group; /* of the cells there, that of their material first; NULL for none; owned by the problem */
} ritz_where;
/* The largest value of a field, of a vector its length, or the smallest one. Texts are owned by the library. */
typedef struct ritz_largest {
    const char *field, *words; /* "von_mises", "von Mises stress" */
    double value;
    int smallest; /* not 0: value is the smallest one, as of a safety factor */
    ritz_where where;
} ritz_largest;
enum { RITZ_MAX_LARGEST = 8 };

/* What a support carries: the force that it exerts on the part, of the components that it prescribes, and its moment. */
typedef struct ritz_reaction {
    char *groups;    /* of the entry of `boundary`, with ", " between them */
    const char *key; /* that it holds by: "displacement", "normal", "spring", "bedding", the first of several in this
                        order; "rigid" of a rigid face, "equations" of no entry; owned by the library */
    double force[3];
    double moment[3]; /* about `about`, the mean of the group's nodes; in the plane about z alone, in axisymmetry 0 */
    double about[3];
} ritz_reaction;
/* What flows into the body by an entry of `boundary`, in Poisson problems, heat conduction and seepage; negative: out of it. */
typedef struct ritz_flow {
    char *groups;    /* of the entry, with ", " between them */
    const char *key; /* that it flows by: the prescribed value ("temperature"), "film", "radiation"; "equations" of no
                        entry; owned by the library */
    double value;    /* over the whole group; in the plane for a depth of 1 */
} ritz_flow;
/* Of mechanics loads and reactions, of Poisson problems, heat conduction and seepage flows; all zeros of other physics. They
   add up to zero, but for the solver's residual. */
typedef struct ritz_balance {
    ritz_reaction *reactions; /* [n_reactions] of the entries that prescribe values; owned by the problem */
    int n_reactions;
    double applied[3]; /* all loads together */
    double imbalance;  /* largest component of the sum of all these, over the sum of what all nodes carry, or a
                          thousandth of all loads where that is more */
    ritz_flow *flows; /* [n_flows] of the entries that prescribe values, have a film or radiate; owned by the problem */
    int n_flows;
    double supplied; /* by sources, fluxes and flows in total */
} ritz_balance;

/* One load case, or a combination of them. */
typedef struct ritz_load_case_result {
    const char *name;        /* owned by the problem */
    char *failure;           /* the message where its system did not converge, else NULL; owned by the problem */
    ritz_solve_report solve; /* setup_seconds is that of all cases together */
    double seconds;          /* of its solve */
    ritz_largest largest[RITZ_MAX_LARGEST]; /* these as in ritz_result; none and NAN without a solution */
    double smallest_value, largest_value, error_l2, error_h1;
    ritz_where smallest_where, largest_where;
    ritz_balance balance;
    const double
        *factors; /* of a combination: how often each case acts in it, by the problem's order; it has no solve of its
                              own. NULL: a case. Owned by the problem */
} ritz_load_case_result;

/* One evaluation of the residual by Newton's method. */
typedef struct ritz_newton_iteration {
    int32_t load_case;       /* counted from 0; 0 where there are none */
    int32_t step, iteration; /* steps of the load from 1, iterations from 0, which is before any change */
    int32_t linear_iterations;
    double load;                        /* the share of it */
    double residual, relative_residual; /* norm over the free unknowns, and over the largest that a step began with */
    double change;                      /* norm of the last change over that of the solution */
    double damping;                     /* the share of the change that was taken */
} ritz_newton_iteration;
/* Of forms that depend on the old solution, of all load cases together; all zeros of others. */
typedef struct ritz_newton_result {
    int converged;           /* not 0: under the whole load */
    double load;             /* that was reached, of which the solution is: 1 is the whole; the least of the cases */
    int n_steps, n_halvings; /* steps that converged, and times that a step was too large */
    int n_iterations;
    const ritz_newton_iteration *iterations; /* [n_iterations], owned by the problem until its next solve */
} ritz_newton_result;

/* A file of values at points. Owned by the problem. */
typedef struct ritz_probe_result {
    const char *name;
    char *file;         /* path written */
    int64_t n, outside; /* points, and those of them that no cell holds */
} ritz_probe_result;

/* Of a problem with load cases: `solve` has the iterations of all together, the largest residuals, whether all
   converged, and no history; extremes and errors are those over all cases. Filled by a solve, except its size. */
typedef struct ritz_result {
    size_t size; /* of this struct, set by the caller; 0: the library's own */
    int64_t unknowns, nonzeros, n_cells[RITZ_N_CELLS], n_nodes; /* n_nodes: of the mesh */
    double least_quality,
        mean_quality;           /* scaled Jacobian determinants of the cells, 1 for boxes; the least in a cell */
    double least_quality_at[3]; /* the centre of that cell */
    ritz_preconditioner preconditioner; /* as solve's: the one that was taken */
    const char *choice; /* the method and why, where the problem asks for none; NULL else; owned by the problem */
    ritz_solve_report solve;
    ritz_solve_seconds seconds;
    int64_t matrix_bytes, peak_host_bytes, peak_device_bytes, bytes_to_device, bytes_from_device;
    int64_t solve_bytes_from_device;        /* read back during the solve stage alone */
    ritz_largest largest[RITZ_MAX_LARGEST]; /* displacement, von Mises stress, ...; past the last, field is NULL */
    double smallest_value, largest_value;   /* of the unknown of scalar physics; NAN otherwise */
    ritz_where smallest_where, largest_where;
    double error_l2, error_h1; /* with `exact`; NAN otherwise */
    ritz_balance balance;      /* of a problem without load cases */
    int n_probes;
    const ritz_probe_result *probes; /* [n_probes], owned by the problem until its next solve */
    double volume;                   /* in the plane area, times the thickness where the physics has one */
    double mass;                     /* NAN unless all materials have a density */
    double centre[3];                /* of gravity, or of the volume where there is no mass */
    ritz_newton_result newton;
    int n_cases;
    const ritz_load_case_result
        *cases;   /* [n_cases], in the problem's order, combinations last; owned by the problem until its next solve */
    char *output; /* path written, NULL if none; owned by the problem */
    const char *faces;    /* path of the file of faces, NULL if none; owned by the problem */
    char *earlier_output; /* after a failure: what the file of an earlier run was renamed to, NULL if there was
                                      none; owned by the problem */
    const char
        *value_name; /* of smallest_value and largest_value: "temperature", "head", "u"; NULL where they are NAN */
} ritz_result;

/* Reads a problem file, or a deck of CalculiX (.inp, docs/calculix.md). `settings`: n_settings texts "path=value" that override it ("order=2",
   "materials.0.young=70e9"), values in YAML. Errors carry file, line and what to do. */
RITZ_API ritz_status ritz_problem_read(const char *path, const char *const *settings, int n_settings,
                                       ritz_problem **problem);
/* The same from text; relative paths in it are taken from `folder`. */
RITZ_API ritz_status ritz_problem_parse(const char *text, const char *folder, const char *const *settings,
                                        int n_settings, ritz_problem **problem);
/* Writes what a deck of CalculiX says as a problem file at `path`, and its mesh beside it: part.msh for part.yaml. */
RITZ_API ritz_status ritz_problem_convert(const char *deck, const char *path);
RITZ_API void ritz_problem_destroy(ritz_problem **problem);
/* A function that ritz_problem_solve calls with one line as each stage ends, and with a line that starts with "warning"
   where the result may not be what was intended; NULL for none. */
typedef void ritz_stage_function(const char *line, void *context);
RITZ_API void ritz_problem_set_stage(ritz_problem *problem, ritz_stage_function *stage, void *context);
/* trust != 0: the geometry that the problem names may run programs and write files (a .geo file can hold such
   commands); otherwise, and by default, such commands are an error. */
RITZ_API void ritz_problem_trust_geometry(ritz_problem *problem, int trust);
/* Solves on this device in the place of the one that the file names: problems of one program then share what opening it takes
   (0.05 s with PoCL, and 0.7 s of its compiler where a kernel is new). Lent: the caller closes it, after the problem.
   NULL: the one that the file names. The device's peak of memory starts anew with each solve and counts what it holds then. */
RITZ_API void ritz_problem_use_device(ritz_problem *problem, ritz_device *device);
/* Mesh to result file. A result that rounding keeps above the tolerance (RITZ_LIMITED_BY_ROUNDING) is written with a
   warning and RITZ_OK; result->solve.converged is false then. On RITZ_ERROR_NOT_CONVERGED the result is filled as far
   as it got and no file is written, unless some of several load cases did converge, or Newton's
   method did under a part of the load: then the file has their fields. A
   failure that leaves no new file renames an existing file at its path, NAME.ENDING to NAME.old.ENDING, and says so in
   the message. */
RITZ_API ritz_status ritz_problem_solve(ritz_problem *problem, ritz_result *result);
/* The value of a field in such a list; NAN if it is not there. */
RITZ_API double ritz_find_largest(const ritz_largest largest[RITZ_MAX_LARGEST], const char *field);
/* "elasticity", "poisson", ...; owned by the library. */
RITZ_API const char *ritz_problem_physics(const ritz_problem *problem);
/* The problem as it was read, settings and merges resolved, as one JSON object; owned by the problem. */
RITZ_API const char *ritz_problem_description(const ritz_problem *problem);
/* The device that was lent, or the one named by the problem file, opened by ritz_problem_solve; NULL before. */
RITZ_API const ritz_device *ritz_problem_device(const ritz_problem *problem);

RITZ_END_DECLS

#endif
