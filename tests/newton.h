/* Newton's method for tests: a nonlinear problem on one mesh, its steps through assembly and solver, and how fast the
   steps shrink. A form that depends on the old solution gives the tangent as matrix and minus the residual as load. */
#ifndef RITZ_TEST_NEWTON_H
#define RITZ_TEST_NEWTON_H

#include "assemble/assemble.h"
#include "check.h"
#include "solve/solve.h"

#include <math.h>
#include <string.h>

enum { NEWTON_MAX_STEPS = 60 };

typedef struct newton {
    ritz_mesh *mesh;
    ritz_space *space;
    ritz_constraints *constraints; /* fixed degrees of freedom; values are those of the current step */
    const ritz_form *form;
    const ritz_datum *data;
    const char *method; /* of integration */
    ritz_solve_method solver;
    bool whole;     /* a step gives the next solution itself (Picard), not its change (Newton) */
    double *target; /* [n_dofs] prescribed values */
    double *load;   /* [n_dofs] or NULL */
    double *u;      /* [n_dofs] */
    int64_t n_dofs;
    int n_steps;
    double change[NEWTON_MAX_STEPS]; /* largest change of u in each step */
} newton;

/* Takes the mesh over. */
static inline void newton_create(newton *n, ritz_mesh *mesh, int order, int n_components)
{
    *n = (newton){.mesh = mesh};
    OK(ritz_space_create(mesh, order, n_components, &n->space));
    OK(ritz_constraints_create(n->space, &n->constraints));
    n->n_dofs = ritz_space_n_dofs(n->space);
    n->u = calloc((size_t)n->n_dofs, sizeof *n->u);
    n->target = calloc((size_t)n->n_dofs, sizeof *n->target);
}

static inline void newton_destroy(newton *n)
{
    ritz_constraints_destroy(&n->constraints);
    ritz_space_destroy(&n->space);
    ritz_mesh_destroy(&n->mesh);
    free(n->u);
    free(n->target);
}

/* The nodes of a side of the box; the caller frees them. */
static inline int32_t *newton_side(const newton *n, const char *side, int32_t *count)
{
    int32_t group, *nodes = NULL;
    OK(ritz_mesh_find_group(n->mesh, side, -1, &group));
    OK(ritz_space_group_nodes(n->space, group, &nodes, count));
    return nodes;
}

/* Prescribes component c on a side of the box: value(x)[c]. */
static inline void newton_prescribe(newton *n, const char *side, int c, void (*value)(const double *x, double *u))
{
    int32_t count, *nodes = newton_side(n, side, &count);
    for (int32_t k = 0; k < count; k++) {
        double x[3] = {0}, u[3] = {0};
        memcpy(x, n->space->coordinates + (int64_t)nodes[k] * n->space->dim, (size_t)n->space->dim * sizeof *x);
        value(x, u);
        n->target[(int64_t)nodes[k] * n->space->n_components + c] = u[c];
        ritz_constraints_set(n->constraints, nodes[k], c, u[c]);
    }
    ritz_free(nodes);
}

static inline void newton_prescribe_skin(newton *n, void (*value)(const double *x, double *u))
{
    static const char *const sides[] = {"x0", "x1", "y0", "y1", "z0", "z1"};
    for (int side = 0; side < 2 * n->space->dim; side++)
        for (int c = 0; c < n->space->n_components; c++)
            newton_prescribe(n, sides[side], c, value);
}

/* Matrix and right-hand side at the old solution u. */
static inline ritz_system *newton_assemble(const newton *n, const double *u, const ritz_constraints *constraints)
{
    ritz_system *system = NULL;
    const ritz_datum *batches[RITZ_N_CELLS] = {n->data, n->data, n->data, n->data, n->data};
    const ritz_assembly assembly = {
        .space = n->space, .form = n->form, .data = batches, .old = u, .load = n->load, .constraints = constraints};
    OK(ritz_assemble_system(device, &assembly, &(ritz_assemble_options){.method = n->method}, &system));
    return system;
}

/* f[n_dofs]: the right-hand side at u without constraints; in equilibrium, minus the reactions. */
static inline void newton_residual(const newton *n, const double *u, double *f)
{
    ritz_system *system = newton_assemble(n, u, NULL);
    OK(ritz_buffer_read(system->rhs, 0, f, n->n_dofs * (int64_t)sizeof *f));
    ritz_system_destroy(&system);
}

/* Whether a method of integration serves the problem's cells and form on this device. */
static inline bool newton_is_served(const newton *n, const ritz_method *method, ritz_precision precision)
{
    ritz_case the_case;
    if (strcmp(method->name, "tensor") == 0) /* coefficients from the old solution are in no polynomial space */
        return false;
    const ritz_integral integral = {
        .space = n->space, .batch = &n->space->batches[0], .form = n->form, .data = n->data};
    ritz_case_of(&integral, precision, &the_case);
    return method->applies(&the_case, ritz_device_get_info(device));
}

/* Element matrices and vectors at the old solution u, by a method or (NULL) by the reference. Arrays as of
   ritz_integrate_reference; the caller frees them. */
static inline void newton_integrate(const newton *n, const double *u, const ritz_method *method,
                                    ritz_precision precision, double **matrices, double **vectors)
{
    const ritz_space_batch *batch = &n->space->batches[0];
    const ritz_integral integral = {.space = n->space, .batch = batch, .form = n->form, .data = n->data, .old = u};
    const size_t rows = (size_t)(batch->n_shape * n->space->n_components), cells = (size_t)batch->n_cells;
    ritz_integrator *integrator = NULL;
    *matrices = calloc(cells * rows * rows, sizeof **matrices);
    *vectors = calloc(cells * rows, sizeof **vectors);
    if (!method) {
        OK(ritz_integrate_reference(&integral, NULL, batch->n_cells, *matrices, *vectors));
        return;
    }
    OK(ritz_integrator_create(device, &integral, method->name, NULL, 0, precision, &integrator));
    OK(ritz_integrate_all(integrator, &integral, device, precision, *matrices, *vectors));
    ritz_integrator_destroy(&integrator);
}

/* Largest difference of two arrays [n_cells][n], relative to each cell's largest entry in the first. */
static inline double newton_difference(const double *right, const double *other, int64_t n_cells, int64_t n)
{
    double worst = 0;
    for (int64_t e = 0; e < n_cells; e++) {
        double largest = 0, apart = 0;
        for (int64_t k = e * n; k < (e + 1) * n; k++) {
            largest = fmax(largest, fabs(right[k]));
            apart = fmax(apart, isfinite(other[k]) ? fabs(right[k] - other[k]) : INFINITY);
        }
        worst = fmax(worst, apart / largest);
    }
    return worst;
}

/* A method's element matrices and vectors at u must be those of the reference. */
static inline void newton_check_elements(const newton *n, const ritz_method *method, ritz_precision precision)
{
    const ritz_space_batch *batch = &n->space->batches[0];
    const int64_t rows = (int64_t)batch->n_shape * n->space->n_components;
    const double tolerance = precision == RITZ_F64 ? 1e-12 : 2e-5;
    double *matrices, *vectors, *right_matrices, *right_vectors;
    newton_integrate(n, n->u, NULL, precision, &right_matrices, &right_vectors);
    newton_integrate(n, n->u, method, precision, &matrices, &vectors);
    const double matrix = newton_difference(right_matrices, matrices, batch->n_cells, rows * rows),
                 vector = newton_difference(right_vectors, vectors, batch->n_cells, rows);
    print_message("%s, %s, %s: element matrices within %.1e, vectors within %.1e of the reference\n",
                  ritz_cell_name(batch->cell), method->name, precision == RITZ_F64 ? "f64" : "f32", matrix, vector);
    assert_true(matrix < tolerance && vector < tolerance);
    free(matrices);
    free(vectors);
    free(right_matrices);
    free(right_vectors);
}

static inline void newton_step(newton *n)
{
    ritz_buffer *x = NULL;
    ritz_solve_report report = {0};
    double *got = calloc((size_t)n->n_dofs, sizeof *got), change = 0;
    for (int64_t k = 0; k < n->n_dofs; k++)
        n->constraints->value[k] = n->target[k] - (n->whole ? 0 : n->u[k]);
    ritz_system *system = newton_assemble(n, n->u, n->constraints);
    OK(ritz_buffer_create(device, ritz_buffer_bytes(system->rhs), "a step", &x));
    OK(ritz_buffer_zero(x));
    const ritz_solve_options options = {.method = n->solver, .tolerance = 1e-12};
    OK(ritz_solve_device(system->matrix, &options, system->rhs, x, &report));
    OK(ritz_buffer_read(x, 0, got, ritz_buffer_bytes(x)));
    for (int64_t k = 0; k < n->n_dofs; k++) {
        const double next = n->whole ? got[k] : n->u[k] + got[k];
        change = fmax(change, fabs(next - n->u[k]));
        n->u[k] = next;
    }
    n->change[n->n_steps++] = change;
    ritz_buffer_destroy(&x);
    ritz_system_destroy(&system);
    free(got);
}

/* Steps until u changes by less than `least`. */
static inline void newton_solve(newton *n, double least)
{
    do {
        if (n->n_steps == NEWTON_MAX_STEPS)
            fail_msg("no convergence: step %d still changes u by %g", n->n_steps, n->change[n->n_steps - 1]);
        newton_step(n);
        assert_true(isfinite(n->change[n->n_steps - 1]));
    } while (n->change[n->n_steps - 1] > least);
}

/* The exponent q of change[k + 1] ~ change[k]^q, from the last three steps above rounding. */
static inline double newton_exponent(const newton *n)
{
    int k = n->n_steps - 1;
    while (k >= 0 && n->change[k] < 1e-12)
        k--;
    assert_true(k >= 2);
    return log(n->change[k] / n->change[k - 1]) / log(n->change[k - 1] / n->change[k - 2]);
}

#endif
