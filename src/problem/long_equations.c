/* What multigrid is made of where an equation has many terms, as the mean over a face. Eliminating one of its unknowns couples
   all others with each other, and gives the matrix an eigenvalue that grows with their number: products of prolongators fill
   up, and smoothers see nothing else. The matrix without that equation is sparse and smooth; springs at the equation's
   unknowns hold what it would hold. Both differ by few directions, which conjugate gradients have apart from the others. */
#include "problem/drive.h"

#include <math.h>
#include <string.h>

/* Ties, of which there are many, have up to as many terms as a face of order 7 has nodes. */
enum { TERMS_MOST = (RITZ_MAX_ORDER + 1) * (RITZ_MAX_ORDER + 1) };
/* Where a node follows a mean, the eigenvalue is small, and the equation stays while its blocks are this part of the matrix. */
static const double few_blocks = 0.25;

/* Whether an equation determines this unknown, by what all of them make. */
static bool is_determined(const ritz_drive *drive, int64_t dof)
{
    const ritz_constraints *c = drive->constraints;
    return dof < ritz_space_n_dofs(drive->space) && ritz_is_marked(drive->dependence->gone, c->n_components, dof) &&
           !ritz_is_marked(c->fixed, c->n_components, dof);
}

/* Whether multigrid is better made without equation i, the first unknown of which is the one that is eliminated: the sum of the others
   times coefficients, whose squares tell how many times stiffer they become. A mean over nodes of a rigid face stays: that moves with
   few unknowns, others of which would be left without it. */
static bool is_long(const ritz_drive *drive, int64_t i)
{
    const ritz_equations *e = &drive->constraints->equations;
    const double n_blocks = (double)drive->system->matrix->n_blocks;
    const int64_t first = ritz_equations_first(e, i), n = e->end[i] - first;
    double squares = 0;
    if (n <= TERMS_MOST)
        return false;
    for (int64_t k = first + 1; k < e->end[i]; k++) {
        squares += e->weight[k] * e->weight[k];
        if (e->n_extra > 0 && is_determined(drive, e->dof[k]))
            return false;
    }
    return squares > e->weight[first] * e->weight[first] || (double)n * (double)n > few_blocks * n_blocks;
}

static int64_t count_long_terms(const ritz_drive *drive)
{
    const ritz_equations *e = &drive->constraints->equations;
    int64_t n = 0;
    for (int64_t i = 0; i < e->n; i++)
        n += is_long(drive, i) ? e->end[i] - ritz_equations_first(e, i) : 0;
    return n;
}

/* Springs for equation i: together about as stiff as a part as large as its unknowns' face (edge in the plane), which has n cells,
   where the diagonal is that of one cell; less where weights are. */
static void add_springs(const ritz_drive *drive, int64_t i, const double *diagonal, ritz_spring *springs, int64_t *n)
{
    const ritz_equations *e = &drive->constraints->equations;
    const int64_t first = ritz_equations_first(e, i), terms = e->end[i] - first,
                  n_dofs = ritz_space_n_dofs(drive->space);
    const double share = drive->mesh->dim == 3 ? sqrt((double)terms) : (double)terms;
    double largest = 0, least = INFINITY;
    for (int64_t k = first; k < e->end[i]; k++) {
        largest = fmax(largest, fabs(e->weight[k]));
        if (e->dof[k] < n_dofs)
            least = fmin(least, diagonal[e->dof[k]]);
    }
    for (int64_t k = first; k < e->end[i]; k++)
        if (e->dof[k] < n_dofs) /* else of an unknown beside the space */
            springs[(*n)++] = (ritz_spring){.node = (int32_t)(e->dof[k] / drive->space->n_components),
                                            .component = (int)(e->dof[k] % drive->space->n_components),
                                            .stiffness = least / share * fabs(e->weight[k]) / largest};
}

/* Into *constraints the equations that are not long, and springs for those that are. */
static ritz_status split_equations(const ritz_drive *drive, const double *diagonal, ritz_constraints *constraints,
                                   ritz_spring *springs, int64_t *n_springs)
{
    ritz_status status = RITZ_OK;
    const ritz_equations *e = &drive->constraints->equations;
    constraints->equations.n_extra = e->n_extra;
    for (int64_t i = 0; i < e->n; i++) {
        const int64_t first = ritz_equations_first(e, i);
        if (is_long(drive, i))
            add_springs(drive, i, diagonal, springs, n_springs);
        else
            RITZ_TRY(ritz_constraints_add_equation(constraints, (int)(e->end[i] - first), e->dof + first,
                                                   e->weight + first, e->value[i]));
    }
done:
    return status;
}

ritz_status ritz_make_precondition_matrix(const ritz_drive *drive, ritz_solver_inputs *made,
                                          ritz_solve_options *options)
{
    ritz_status status = RITZ_OK;
    const ritz_equations *e = &drive->constraints->equations;
    ritz_constraints *constraints = NULL;
    ritz_spring *springs = NULL;
    double *diagonal = NULL;
    int64_t n = drive->n_springs, n_terms;
    bool multigrid;
    if (drive->solver || (n_terms = count_long_terms(drive)) == 0)
        return RITZ_OK;
    RITZ_TRY(ritz_solve_takes_multigrid(drive->system->matrix, options, &multigrid));
    if (!multigrid)
        return RITZ_OK;
    RITZ_NEW(diagonal, ritz_space_n_dofs(drive->space));
    RITZ_TRY(ritz_matrix_read_diagonal(drive->system->matrix, diagonal));
    RITZ_NEW(springs, n + n_terms);
    if (n > 0)
        memcpy(springs, drive->springs, (size_t)n * sizeof *springs);
    RITZ_TRY(ritz_copy_prescribed(drive, &constraints));
    RITZ_TRY(split_equations(drive, diagonal, constraints, springs, &n));
    RITZ_TRY(ritz_assemble_with(drive, constraints, springs, n, &made->system));
    options->precondition_matrix = made->system->matrix;
    if (constraints->equations.n == 0)
        RITZ_TRY(ritz_make_embedding(drive, made, options));
    ritz_stage_line(drive->problem, "multigrid  of the matrix without %lld equations of over %d terms",
                    (long long)(e->n - constraints->equations.n), TERMS_MOST);
done:
    ritz_constraints_destroy(&constraints);
    ritz_free(springs);
    ritz_free(diagonal);
    return status;
}
