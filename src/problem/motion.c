/* Supports that move together as one body: the part goes along without stress. Beside the forces of such a motion with all else
   held, by which the solver measures what it leaves, loads are small; so that what the loads do is solved by itself, and the
   motion is added to it. */
#include "base/point.h"
#include "problem/drive.h"

#include <float.h>
#include <math.h>

enum { MOST_MOTIONS = 6 };

/* Values of component c at a node of translations, then of rotations. */
static void list_motions(const ritz_space *space, int32_t node, int c, double motions[MOST_MOTIONS])
{
    const int dim = space->dim;
    double x[3];
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
    double motions[MOST_MOTIONS], sum = 0;
    list_motions(space, (int32_t)(dof / n_c), (int)(dof % n_c), motions);
    for (int k = 0; k < n; k++)
        sum += weights[k] * motions[k];
    return sum;
}

/* weights of the motions nearest to the values that are fixed; those that others make up for have none. */
static void fit_motion(const ritz_drive *drive, const double *values, int n, double weights[MOST_MOTIONS])
{
    const ritz_space *space = drive->space;
    double a[MOST_MOTIONS][MOST_MOTIONS] = {{0}}, b[MOST_MOTIONS] = {0}, motions[MOST_MOTIONS], first[MOST_MOTIONS];
    bool used[MOST_MOTIONS] = {false};
    for (int64_t i = 0; i < ritz_space_n_dofs(space); i++) {
        if (!ritz_is_marked(drive->constraints->fixed, space->n_components, i))
            continue;
        list_motions(space, (int32_t)(i / space->n_components), (int)(i % space->n_components), motions);
        for (int k = 0; k < n; k++) {
            for (int l = 0; l < n; l++)
                a[k][l] += motions[k] * motions[l];
            b[k] += motions[k] * values[i];
        }
    }
    for (int k = 0; k < n; k++)
        first[k] = a[k][k];
    for (int p = 0; p < n; p++) {
        used[p] = a[p][p] > 1e-10 * first[p];
        for (int k = 0; used[p] && k < n; k++) {
            const double factor = k == p ? 0 : a[k][p] / a[p][p];
            for (int l = 0; l < n; l++)
                a[k][l] -= factor * a[p][l];
            b[k] -= factor * b[p];
        }
    }
    for (int k = 0; k < n; k++)
        weights[k] = used[k] ? b[k] / a[k][k] : 0;
}

/* Motions that cost no energy, of what nothing but fixed nodes hold. */
static bool may_move(const ritz_drive *drive)
{
    const ritz_physics *physics = drive->problem->physics;
    return physics->vector && !physics->axisymmetric && !drive->problem->form_file && !drive->dependence &&
           drive->n_films == 0 && drive->n_springs == 0 && drive->problem->solver.precision == RITZ_F64;
}

/* The most of |values - motion| at what is fixed; of |values| where n is 0. */
static double most_off(const ritz_drive *drive, const double *values, int n, const double *weights)
{
    const ritz_space *space = drive->space;
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
    return most;
}

ritz_status ritz_find_motion(const ritz_drive *drive, const double *values, double **motion)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = drive->space;
    const int n = space->dim == 2 ? 3 : MOST_MOTIONS;
    double weights[MOST_MOTIONS];
    *motion = NULL;
    if (!may_move(drive))
        return RITZ_OK;
    const double most = most_off(drive, values, 0, NULL);
    if (most == 0)
        return RITZ_OK;
    fit_motion(drive, values, n, weights);
    if (most_off(drive, values, n, weights) > 1e-10 * most)
        return RITZ_OK;
    RITZ_NEW(*motion, ritz_space_n_dofs(space));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < ritz_space_n_dofs(space); i++)
        (*motion)[i] = ritz_is_marked(drive->constraints->fixed, space->n_components, i)
                           ? values[i]
                           : motion_at(space, i, n, weights);
done:
    return status;
}

ritz_status ritz_leave_motion(const ritz_drive *drive, const double *motion, ritz_buffer *b, ritz_buffer *x)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *matrix = drive->system->matrix;
    const int64_t n = ritz_space_n_dofs(drive->space);
    double *force = NULL, *rest = NULL, most = 0, left = 0;
    RITZ_NEW(force, n);
    RITZ_NEW(rest, n);
    RITZ_TRY(ritz_matrix_multiply(matrix, motion, force));
    RITZ_TRY(ritz_matrix_read_vector(matrix, b, rest));
    for (int64_t i = 0; i < n; i++) {
        rest[i] -= force[i];
        most = fmax(most, fabs(force[i]));
        left = fmax(left, fabs(rest[i]));
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
