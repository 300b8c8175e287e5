/* Supports that move together as one body: the part goes along without stress. Beside the forces of such a motion with all else
   held, by which the solver measures what it leaves, loads are small; so that what the loads do is solved by itself, and the
   motion is added to it. Where equations have constants but the part does not move as one body, the same is done with constants that all
   unknowns of their equation share: one that takes them alone makes forces larger than any that are in the solution. */
#include "base/point.h"
#include "problem/drive.h"

#include <float.h>
#include <math.h>

enum { MOST_MOTIONS = 6 };

/* A number at each node may rise everywhere. */
static int count_motions(const ritz_space *space)
{
    return space->n_components == 1 ? 1 : ritz_space_n_rigid_motions(space);
}

/* Values of component c at a node of translations, then of rotations. */
static void list_motions(const ritz_space *space, int32_t node, int c, double motions[MOST_MOTIONS])
{
    const int dim = space->dim;
    double x[3];
    if (space->n_components == 1) {
        motions[0] = 1;
        return;
    }
    ritz_space_get_place(space, node, x);
    for (int d = 0; d < dim; d++)
        motions[d] = c == d;
    if (dim == 2)
        motions[2] = c == 0 ? -x[1] : x[0];
    for (int axis = 0; axis < 3 && dim == 3; axis++) {
        double turn[3] = {axis == 0, axis == 1, axis == 2}, moved[3];
        ritz_cross(turn, x, moved);
        motions[3 + axis] = moved[c];
    }
}

static double motion_at(const ritz_space *space, int64_t dof, int n, const double *weights)
{
    const int n_c = space->n_components;
    double motions[MOST_MOTIONS] = {0}, sum = 0;
    list_motions(space, (int32_t)(dof / n_c), (int)(dof % n_c), motions);
    for (int k = 0; k < n; k++)
        sum += weights[k] * motions[k];
    return sum;
}

/* What the motions make of a row of the equations that is not 0 there: of its unknown less that of its masters. */
static void list_of_row(const ritz_drive *drive, int64_t row, double motions[MOST_MOTIONS])
{
    const ritz_dependence *d = drive->dependence;
    const int n_c = drive->space->n_components, n = count_motions(drive->space);
    double of_master[MOST_MOTIONS] = {0};
    list_motions(drive->space, (int32_t)(d->row[row] / n_c), (int)(d->row[row] % n_c), motions);
    for (int64_t t = d->start[row]; t < d->start[row + 1]; t++) {
        list_motions(drive->space, (int32_t)(d->master[t] / n_c), (int)(d->master[t] % n_c), of_master);
        for (int k = 0; k < n; k++)
            motions[k] -= d->weight[t] * of_master[k];
    }
}

/* Least squares: sums of what is asked of the weights. */
typedef struct motion_fit {
    int n;
    double a[MOST_MOTIONS][MOST_MOTIONS], b[MOST_MOTIONS];
} motion_fit;

static void ask_for(motion_fit *f, const double motions[MOST_MOTIONS], double value)
{
    for (int k = 0; k < f->n; k++) {
        for (int l = 0; l < f->n; l++)
            f->a[k][l] += motions[k] * motions[l];
        f->b[k] += motions[k] * value;
    }
}

/* Those that others make up for have no weight. */
static void solve_fit(motion_fit *f, double weights[MOST_MOTIONS])
{
    double first[MOST_MOTIONS];
    bool used[MOST_MOTIONS] = {false};
    for (int k = 0; k < f->n; k++)
        first[k] = f->a[k][k];
    for (int p = 0; p < f->n; p++) {
        used[p] = f->a[p][p] > 1e-10 * first[p];
        for (int k = 0; used[p] && k < f->n; k++) {
            const double factor = k == p ? 0 : f->a[k][p] / f->a[p][p];
            for (int l = 0; l < f->n; l++)
                f->a[k][l] -= factor * f->a[p][l];
            f->b[k] -= factor * f->b[p];
        }
    }
    for (int k = 0; k < f->n; k++)
        weights[k] = used[k] ? f->b[k] / f->a[k][k] : 0;
}

/* weights of the motions nearest to the values that are fixed, and to constants of equations. */
static void fit_motion(const ritz_drive *drive, const double *values, int n, double weights[MOST_MOTIONS])
{
    const ritz_space *space = drive->space;
    const ritz_dependence *d = drive->dependence;
    double motions[MOST_MOTIONS] = {0};
    motion_fit f = {.n = n};
    for (int64_t i = 0; i < ritz_space_n_dofs(space); i++) {
        if (!ritz_is_marked(drive->constraints->fixed, space->n_components, i))
            continue;
        list_motions(space, (int32_t)(i / space->n_components), (int)(i % space->n_components), motions);
        ask_for(&f, motions, values[i]);
    }
    for (int64_t row = 0; d && row < d->n_own; row++) {
        list_of_row(drive, row, motions);
        ask_for(&f, motions, values[d->row[row]]);
    }
    solve_fit(&f, weights);
}

/* Motions that cost no energy, of what fixed nodes and equations alone hold; films, whose surroundings are mostly about as warm, aside. */
static bool may_move(const ritz_drive *drive)
{
    const ritz_physics *physics = drive->problem->physics;
    const bool free = physics->vector ? !physics->axisymmetric && drive->n_films == 0 : drive->space->n_components == 1;
    return free && !drive->problem->form_file && drive->n_springs == 0 && drive->problem->solver.precision == RITZ_F64;
}

/* The most of |values - motion| at what is fixed and in rows of equations; of |values| where n is 0. */
static double most_off(const ritz_drive *drive, const double *values, int n, const double *weights)
{
    const ritz_space *space = drive->space;
    const ritz_dependence *d = drive->dependence;
    const int n_c = space->n_components;
    double most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
    for (int32_t node = 0; node < space->n_nodes; node++) {
        const uint8_t marks = drive->constraints->fixed[node];
        for (int c = 0; marks >> c; c++) {
            const int64_t i = (int64_t)node * n_c + c;
            if (marks >> c & 1)
                most = fmax(most, fabs(values[i] - (n > 0 ? motion_at(space, i, n, weights) : 0)));
        }
    }
    for (int64_t row = 0; d && row < d->n_own; row++) {
        double motions[MOST_MOTIONS] = {0}, off = values[d->row[row]];
        if (n > 0)
            list_of_row(drive, row, motions);
        for (int k = 0; k < n; k++)
            off -= weights[k] * motions[k];
        most = fmax(most, fabs(off));
    }
    return most;
}

/* values at what is fixed and at rows of equations, whose constants stand there; the motion elsewhere, nothing where n is 0. */
static void move_along(const ritz_drive *drive, const double *values, int n, const double *weights, double *motion)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < ritz_space_n_dofs(drive->space); i++)
        motion[i] = ritz_is_gone(drive, i) ? values[i] : motion_at(drive->space, i, n, weights);
}

/* Constants of equations that their unknowns share, in the place of one that takes them whole: the least squares of each equation. */
static void share_constants(const ritz_drive *drive, const double *values, double *motion)
{
    const ritz_dependence *d = drive->dependence;
    move_along(drive, values, 0, NULL, motion);
    for (int64_t row = 0; row < d->n_own; row++) {
        double square = 1;
        for (int64_t t = d->start[row]; t < d->start[row + 1]; t++)
            square += d->weight[t] * d->weight[t];
        for (int64_t t = d->start[row]; t < d->start[row + 1]; t++)
            motion[d->master[t]] -= d->weight[t] * values[d->row[row]] / square;
    }
}

static bool has_constants(const ritz_drive *drive, const double *values)
{
    const ritz_dependence *d = drive->dependence;
    for (int64_t row = 0; d && row < d->n_own; row++)
        if (values[d->row[row]] != 0)
            return true;
    return false;
}

ritz_status ritz_find_motion(const ritz_drive *drive, const double *values, double **motion)
{
    ritz_status status = RITZ_OK;
    const int n = count_motions(drive->space);
    double weights[MOST_MOTIONS];
    *motion = NULL;
    const double most = most_off(drive, values, 0, NULL);
    if (most == 0)
        return RITZ_OK;
    bool moves = may_move(drive);
    if (moves) {
        fit_motion(drive, values, n, weights);
        moves = most_off(drive, values, n, weights) <= 1e-10 * most;
    }
    if (!moves && !has_constants(drive, values))
        return RITZ_OK;
    RITZ_NEW(*motion, ritz_space_n_dofs(drive->space));
    if (moves)
        move_along(drive, values, n, weights, *motion);
    else
        share_constants(drive, values, *motion);
done:
    return status;
}

ritz_status ritz_leave_motion(ritz_drive *drive, ritz_buffer *b, ritz_buffer *x)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *matrix = drive->system->matrix;
    const int64_t n = ritz_space_n_dofs(drive->space);
    double *force = NULL, *rest = NULL, most = 0, left = 0, before = 0, after = 0;
    if (!drive->motion)
        return RITZ_OK;
    RITZ_NEW(force, n);
    RITZ_NEW(rest, n);
    RITZ_TRY(ritz_matrix_multiply(matrix, drive->motion, force));
    RITZ_TRY(ritz_matrix_read_vector(matrix, b, rest));
    for (int64_t i = 0; i < n; i++) {
        before += rest[i] * rest[i];
        rest[i] -= force[i];
        after += rest[i] * rest[i];
        most = fmax(most, fabs(force[i]));
        left = fmax(left, fabs(rest[i]));
    }
    if (after >= before) {
        ritz_free(drive->motion);
        drive->motion = NULL;
        goto done;
    }
    for (int64_t i = 0; i < n; i++)
        rest[i] = left > 64 * DBL_EPSILON * most ? rest[i] : 0; /* rounding alone */
    RITZ_TRY(ritz_matrix_write_vector(matrix, rest, b));
    for (int64_t i = 0; i < n; i++)
        rest[i] = 0;
    RITZ_TRY(ritz_matrix_write_vector(matrix, rest, x));
done:
    ritz_free(force);
    ritz_free(rest);
    return status;
}
