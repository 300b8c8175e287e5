/* Supports that move: the part goes along as one body as far as that is their motion, without stress. Beside the forces of such a
   motion with all else held, by which the solver measures what it leaves, loads are small; so that the rest of the solution is solved by
   itself, and the motion is added to it. Temperatures that are held, and those around films, raise all of the part. What constants of
   equations ask for beyond the motion is shared by all unknowns of their equation: one that takes it alone makes forces larger than any
   that are in the solution. */
#include "base/point.h"
#include "problem/drive.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_MOTIONS = 6 };

/* A number at each node may rise everywhere, a ring move along its axis. */
static int count_motions(const ritz_drive *drive)
{
    const bool one = drive->space->n_components == 1 || drive->problem->physics->axisymmetric;
    return one ? 1 : ritz_space_n_rigid_motions(drive->space);
}

/* Values of component c at a node of translations, then of rotations. */
static void list_motions(const ritz_drive *drive, int32_t node, int c, double motions[MOST_MOTIONS])
{
    const ritz_space *space = drive->space;
    const int dim = space->dim;
    double x[3];
    if (count_motions(drive) == 1) {
        motions[0] = c == space->n_components - 1;
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

static double motion_at(const ritz_drive *drive, int64_t dof, const double *weights)
{
    const int n_c = drive->space->n_components, n = count_motions(drive);
    double motions[MOST_MOTIONS] = {0}, sum = 0;
    list_motions(drive, (int32_t)(dof / n_c), (int)(dof % n_c), motions);
    for (int k = 0; k < n; k++)
        sum += weights[k] * motions[k];
    return sum;
}

/* What the motions make of a row of the equations that is not 0 there: of its unknown less that of its masters. */
static void list_of_row(const ritz_drive *drive, int64_t row, double motions[MOST_MOTIONS])
{
    const ritz_dependence *d = drive->dependence;
    const int n_c = drive->space->n_components, n = count_motions(drive);
    double of_master[MOST_MOTIONS] = {0};
    list_motions(drive, (int32_t)(d->row[row] / n_c), (int)(d->row[row] % n_c), motions);
    for (int64_t t = d->start[row]; t < d->start[row + 1]; t++) {
        list_motions(drive, (int32_t)(d->master[t] / n_c), (int)(d->master[t] % n_c), of_master);
        for (int k = 0; k < n; k++)
            motions[k] -= d->weight[t] * of_master[k];
    }
}

/* Linear equations for the weights: of least squares the sums of what is asked of them. */
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
static void fit_motion(const ritz_drive *drive, const double *values, double weights[MOST_MOTIONS])
{
    const ritz_space *space = drive->space;
    const ritz_dependence *d = drive->dependence;
    double motions[MOST_MOTIONS] = {0};
    motion_fit f = {.n = count_motions(drive)};
    for (int64_t i = 0; i < ritz_space_n_dofs(space); i++) {
        if (!ritz_is_marked(drive->constraints->fixed, space->n_components, i))
            continue;
        list_motions(drive, (int32_t)(i / space->n_components), (int)(i % space->n_components), motions);
        ask_for(&f, motions, values[i]);
    }
    for (int64_t row = 0; d && row < d->n_own; row++) {
        list_of_row(drive, row, motions);
        ask_for(&f, motions, values[d->row[row]]);
    }
    solve_fit(&f, weights);
}

/* values at what is eliminated, where constants of equations stand; the motion elsewhere. */
static void move_along(const ritz_drive *drive, const double *values, const double *weights, double *motion)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < ritz_space_n_dofs(drive->space); i++)
        motion[i] = ritz_is_gone(drive, i) ? values[i] : motion_at(drive, i, weights);
}

/* What the motion leaves of the constants of equations, shared by their unknowns: the least squares of each equation. */
static void share_constants(const ritz_drive *drive, const double *values, const double *weights, double *motion)
{
    const ritz_dependence *d = drive->dependence;
    for (int64_t row = 0; d && row < d->n_own; row++) {
        double motions[MOST_MOTIONS] = {0}, left = values[d->row[row]], square = 1;
        list_of_row(drive, row, motions);
        for (int k = 0; k < count_motions(drive); k++)
            left -= weights[k] * motions[k];
        for (int64_t t = d->start[row]; t < d->start[row + 1]; t++)
            square += d->weight[t] * d->weight[t];
        for (int64_t t = d->start[row]; t < d->start[row + 1]; t++)
            motion[d->master[t]] -= d->weight[t] * left / square;
    }
}

/* Values other than 0, or surroundings that may have them. */
static bool may_move(const ritz_drive *drive, const double *values)
{
    const uint8_t *gone = ritz_gone(drive);
    const int n_c = drive->space->n_components;
    if (n_c == 1 && drive->n_films > 0)
        return true;
    for (int64_t node = 0; node < drive->space->n_nodes; node++)
        for (int c = 0; gone[node] >> c; c++)
            if (gone[node] >> c & 1 && values[node * n_c + c] != 0)
                return true;
    return false;
}

ritz_status ritz_find_motion(const ritz_drive *drive, const double *values, double **motion)
{
    ritz_status status = RITZ_OK;
    double weights[MOST_MOTIONS] = {0};
    *motion = NULL;
    if (drive->problem->solver.precision != RITZ_F64 || !may_move(drive, values))
        return RITZ_OK;
    RITZ_NEW(*motion, ritz_space_n_dofs(drive->space));
    fit_motion(drive, values, weights);
    move_along(drive, values, weights, *motion);
    share_constants(drive, values, weights, *motion);
done:
    return status;
}

static double dot(int64_t n, const double *u, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += u[i] * v[i];
    return sum;
}

/* Raises all free unknowns by the number that leaves the least: for temperatures held here and there, and around films. */
static ritz_status raise_rest(const ritz_drive *drive, double *rest, double *motion)
{
    ritz_status status = RITZ_OK;
    const int64_t n = ritz_space_n_dofs(drive->space);
    double *force = NULL, *one = NULL;
    RITZ_NEW(one, n);
    RITZ_NEW(force, n);
    for (int64_t i = 0; i < n; i++)
        one[i] = !ritz_is_gone(drive, i);
    RITZ_TRY(ritz_matrix_multiply(drive->system->matrix, one, force));
    const double square = dot(n, force, force), height = square > 0 ? dot(n, force, rest) / square : 0;
    for (int64_t i = 0; i < n; i++) {
        rest[i] -= height * force[i];
        motion[i] += height * one[i];
    }
done:
    ritz_free(force);
    ritz_free(one);
    return status;
}

/* rest: the right-hand side, of which is left what the motion does not take; 0 at what is eliminated. */
static ritz_status take_motion(const ritz_drive *drive, double *motion, double *rest)
{
    ritz_status status = RITZ_OK;
    const int64_t n = ritz_space_n_dofs(drive->space);
    double *force = NULL;
    RITZ_NEW(force, n);
    RITZ_TRY(ritz_matrix_multiply(drive->system->matrix, motion, force));
    for (int64_t i = 0; i < n; i++)
        rest[i] = ritz_is_gone(drive, i) ? 0 : rest[i] - force[i];
    if (drive->space->n_components == 1)
        RITZ_TRY(raise_rest(drive, rest, motion));
done:
    ritz_free(force);
    return status;
}

ritz_status ritz_leave_motion(ritz_drive *drive, ritz_buffer *b, ritz_buffer *x)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *matrix = drive->system->matrix;
    const int64_t n = ritz_space_n_dofs(drive->space);
    double *rest = NULL, most = 0, left = 0, before = 0;
    if (!drive->motion)
        return RITZ_OK;
    RITZ_NEW(rest, n);
    RITZ_TRY(ritz_matrix_read_vector(matrix, b, rest));
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, fabs(rest[i]));
        before += ritz_is_gone(drive, i) ? 0 : rest[i] * rest[i];
    }
    RITZ_TRY(take_motion(drive, drive->motion, rest));
    if (dot(n, rest, rest) >= before) {
        ritz_free(drive->motion);
        drive->motion = NULL;
        goto done;
    }
    for (int64_t i = 0; i < n; i++)
        left = fmax(left, fabs(rest[i]));
    for (int64_t i = 0; i < n; i++)
        rest[i] = left > 64 * DBL_EPSILON * most ? rest[i] : 0; /* rounding alone */
    RITZ_TRY(ritz_matrix_write_vector(matrix, rest, b));
    for (int64_t i = 0; i < n; i++)
        rest[i] = 0;
    RITZ_TRY(ritz_matrix_write_vector(matrix, rest, x));
done:
    ritz_free(rest);
    return status;
}

ritz_status ritz_measure_rest(const ritz_drive *drive, const double *values, const double *b, double *norm)
{
    ritz_status status = RITZ_OK;
    const int64_t n = ritz_space_n_dofs(drive->space);
    double *motion = NULL, *rest = NULL;
    RITZ_TRY(ritz_find_motion(drive, values, &motion));
    if (motion) {
        RITZ_NEW(rest, n);
        memcpy(rest, b, (size_t)n * sizeof *rest);
        RITZ_TRY(take_motion(drive, motion, rest));
    }
    *norm = sqrt(rest ? fmin(dot(n, b, b), dot(n, rest, rest)) : dot(n, b, b));
done:
    ritz_free(motion);
    ritz_free(rest);
    return status;
}

/* column [n]: motion k at free unknowns, 0 at others. */
static void fill_column(const ritz_drive *drive, int k, double *column)
{
    double weights[MOST_MOTIONS] = {0};
    weights[k] = 1;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < ritz_space_n_dofs(drive->space); i++)
        column[i] = ritz_is_gone(drive, i) ? 0 : motion_at(drive, i, weights);
}

/* sums[k] = v, at free unknowns, times motion k: of the same bits for any number of threads. */
static ritz_status project(const ritz_drive *drive, const double *v, double sums[MOST_MOTIONS])
{
    enum { RUN = 16384 };
    ritz_status status = RITZ_OK;
    const int64_t n = ritz_space_n_dofs(drive->space), n_parts = (n + RUN - 1) / RUN;
    const int n_c = drive->space->n_components, n_motions = count_motions(drive);
    double(*part)[MOST_MOTIONS] = NULL;
    RITZ_NEW(part, n_parts);
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < n_parts; p++)
        for (int64_t i = p * RUN; i < ritz_min64(n, (p + 1) * RUN); i++) {
            double motions[MOST_MOTIONS] = {0};
            if (ritz_is_gone(drive, i))
                continue;
            list_motions(drive, (int32_t)(i / n_c), (int)(i % n_c), motions);
            for (int k = 0; k < n_motions; k++)
                part[p][k] += motions[k] * v[i];
        }
    for (int k = 0; k < n_motions; k++)
        sums[k] = 0;
    for (int64_t p = 0; p < n_parts; p++)
        for (int k = 0; k < n_motions; k++)
            sums[k] += part[p][k];
done:
    ritz_free(part);
    return status;
}

ritz_status ritz_settle_motion(const ritz_drive *drive, const ritz_buffer *b, double *x)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *matrix = drive->system->matrix;
    const int64_t n = ritz_space_n_dofs(drive->space);
    motion_fit f = {.n = count_motions(drive)};
    double *rest = NULL, *force = NULL, *column = NULL, weights[MOST_MOTIONS], made[MOST_MOTIONS];
    if ((drive->n_springs == 0 && drive->n_films == 0) || drive->problem->solver.precision != RITZ_F64)
        return RITZ_OK;
    RITZ_NEW(rest, n);
    RITZ_NEW(force, n);
    RITZ_NEW(column, n);
    RITZ_TRY(ritz_matrix_read_vector(matrix, b, rest));
    RITZ_TRY(ritz_matrix_multiply(matrix, x, force));
    for (int64_t i = 0; i < n; i++)
        rest[i] -= force[i];
    RITZ_TRY(project(drive, rest, f.b));
    for (int k = 0; k < f.n; k++) {
        fill_column(drive, k, column);
        RITZ_TRY(ritz_matrix_multiply(matrix, column, force));
        RITZ_TRY(project(drive, force, made));
        for (int l = 0; l < f.n; l++)
            f.a[l][k] = made[l];
    }
    solve_fit(&f, weights);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        x[i] += ritz_is_gone(drive, i) ? 0 : motion_at(drive, i, weights);
done:
    ritz_free(rest);
    ritz_free(force);
    ritz_free(column);
    return status;
}
