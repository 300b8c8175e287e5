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

/* Motions without stress of the part as a whole: rigid ones about its middle, along a ring's axis, a number that rises everywhere. */
typedef struct motions {
    const ritz_drive *drive;
    int n; /* 0: unknowns of other kinds */
    double centre[3], size;
} motions;

static motions make_motions(const ritz_drive *drive)
{
    const ritz_space *space = drive->space;
    const bool one = space->n_components == 1 || drive->problem->physics->axisymmetric;
    motions m = {.drive = drive, .n = one ? 1 : ritz_space_n_rigid_motions(space)};
    m.size = ritz_middle_of_points(space->dim, space->n_nodes, space->coordinates, m.centre);
    return m;
}

/* values[k] of motion k at an unknown. */
static void list_motions(const motions *m, int64_t dof, double values[MOST_MOTIONS])
{
    const ritz_space *space = m->drive->space;
    const int32_t node = (int32_t)(dof / space->n_components);
    const int c = (int)(dof % space->n_components);
    double x[3];
    if (m->n <= 1) {
        values[0] = c == space->n_components - 1;
        return;
    }
    ritz_space_get_place(space, node, x);
    for (int d = 0; d < space->dim; d++)
        x[d] = (x[d] - m->centre[d]) / m->size;
    ritz_rigid_modes(space->dim, x, c, values);
}

static double sum_motions(const motions *m, const double *weights, const double *values)
{
    double sum = 0;
    for (int k = 0; k < m->n; k++)
        sum += weights[k] * values[k];
    return sum;
}

static double motion_at(const motions *m, int64_t dof, const double *weights)
{
    double values[MOST_MOTIONS];
    list_motions(m, dof, values);
    return sum_motions(m, weights, values);
}

/* What the motions make of a row of the equations that is not 0 there: of its unknown less that of its masters. */
static void list_of_row(const motions *m, int64_t row, double values[MOST_MOTIONS])
{
    const ritz_dependence *d = m->drive->dependence;
    double of_master[MOST_MOTIONS];
    list_motions(m, d->row[row], values);
    for (int64_t t = d->start[row]; t < d->start[row + 1]; t++) {
        list_motions(m, d->master[t], of_master);
        for (int k = 0; k < m->n; k++)
            values[k] -= d->weight[t] * of_master[k];
    }
}

/* Linear equations for the weights: of least squares the sums of what is asked of them. */
typedef struct motion_fit {
    int n;
    double a[MOST_MOTIONS][MOST_MOTIONS], b[MOST_MOTIONS];
} motion_fit;

static void ask_for(motion_fit *f, const double values[MOST_MOTIONS], double value)
{
    for (int k = 0; k < f->n; k++) {
        for (int l = 0; l < f->n; l++)
            f->a[k][l] += values[k] * values[l];
        f->b[k] += values[k] * value;
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
static void fit_motion(const motions *m, const double *values, double weights[MOST_MOTIONS])
{
    const ritz_drive *drive = m->drive;
    const ritz_dependence *d = drive->dependence;
    double at[MOST_MOTIONS];
    motion_fit f = {.n = m->n};
    for (int64_t i = 0; i < ritz_space_n_dofs(drive->space); i++) {
        if (!ritz_is_marked(drive->constraints->fixed, drive->space->n_components, i))
            continue;
        list_motions(m, i, at);
        ask_for(&f, at, values[i]);
    }
    for (int64_t row = 0; d && row < d->n_own; row++) {
        list_of_row(m, row, at);
        ask_for(&f, at, values[d->row[row]]);
    }
    solve_fit(&f, weights);
}

/* The motion at free unknowns, and values at what is eliminated, where constants of equations stand; NULL: 0 there. */
static void move_along(const motions *m, const double *weights, const double *values, double *motion)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < ritz_space_n_dofs(m->drive->space); i++)
        motion[i] = !ritz_is_gone(m->drive, i) ? motion_at(m, i, weights) : values ? values[i] : 0;
}

/* What the motion leaves of the constants of equations, shared by their unknowns: the least squares of each equation. */
static void share_constants(const motions *m, const double *weights, const double *values, double *motion)
{
    const ritz_dependence *d = m->drive->dependence;
    for (int64_t row = 0; d && row < d->n_own; row++) {
        double at[MOST_MOTIONS], square = 1;
        list_of_row(m, row, at);
        const double left = values[d->row[row]] - sum_motions(m, weights, at);
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
    double weights[MOST_MOTIONS];
    *motion = NULL;
    if (drive->problem->solver.precision != RITZ_F64 || !may_move(drive, values))
        return RITZ_OK;
    const motions m = make_motions(drive);
    RITZ_NEW(*motion, ritz_space_n_dofs(drive->space));
    fit_motion(&m, values, weights);
    move_along(&m, weights, values, *motion);
    share_constants(&m, weights, values, *motion);
done:
    return status;
}

double ritz_dot_vectors(int64_t n, const double *u, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += u[i] * v[i];
    return sum;
}

/* Raises all free unknowns by the number that is nearest in energy, where that leaves less: for temperatures held here and there, and
   around films. The number that leaves the least would be one of rounding where a film holds far less than the part conducts. */
static ritz_status raise_rest(const ritz_drive *drive, double *rest, double *motion)
{
    ritz_status status = RITZ_OK;
    const int64_t n = ritz_space_n_dofs(drive->space);
    double *force = NULL, *one = NULL, left = 0;
    RITZ_NEW(one, n);
    RITZ_NEW(force, n);
    for (int64_t i = 0; i < n; i++)
        one[i] = !ritz_is_gone(drive, i);
    RITZ_TRY(ritz_matrix_multiply(drive->system->matrix, one, force));
    const double energy = ritz_dot_vectors(n, force, one),
                 height = energy > 0 ? ritz_dot_vectors(n, one, rest) / energy : 0;
    for (int64_t i = 0; i < n; i++)
        left += (rest[i] - height * force[i]) * (rest[i] - height * force[i]);
    const bool less = left < ritz_dot_vectors(n, rest, rest);
    for (int64_t i = 0; i < n && less; i++) {
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

/* 0 in the place of what rounding leaves of the diagonal times the motion, and of b. */
static ritz_status drop_rounding(const ritz_drive *drive, const double *b, double *rest)
{
    ritz_status status = RITZ_OK;
    const int64_t n = ritz_space_n_dofs(drive->space);
    double *diagonal = NULL;
    RITZ_NEW(diagonal, n);
    RITZ_TRY(ritz_matrix_read_diagonal(drive->system->matrix, diagonal));
    for (int64_t i = 0; i < n; i++)
        if (fabs(rest[i]) <= 64 * DBL_EPSILON * (fabs(diagonal[i] * drive->motion[i]) + fabs(b[i])))
            rest[i] = 0;
done:
    ritz_free(diagonal);
    return status;
}

ritz_status ritz_leave_motion(ritz_drive *drive, ritz_buffer *b, ritz_buffer *x)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *matrix = drive->system->matrix;
    const int64_t n = ritz_space_n_dofs(drive->space);
    double *loads = NULL, *rest = NULL, before = 0;
    if (!drive->motion)
        return RITZ_OK;
    RITZ_NEW(loads, n);
    RITZ_NEW(rest, n);
    RITZ_TRY(ritz_matrix_read_vector(matrix, b, loads));
    memcpy(rest, loads, (size_t)n * sizeof *rest);
    for (int64_t i = 0; i < n; i++)
        before += ritz_is_gone(drive, i) ? 0 : loads[i] * loads[i];
    RITZ_TRY(take_motion(drive, drive->motion, rest));
    if (!(ritz_dot_vectors(n, rest, rest) < before)) {
        ritz_free(drive->motion);
        drive->motion = NULL;
        goto done;
    }
    RITZ_TRY(drop_rounding(drive, loads, rest));
    RITZ_TRY(ritz_matrix_write_vector(matrix, rest, b));
    memset(rest, 0, (size_t)n * sizeof *rest);
    RITZ_TRY(ritz_matrix_write_vector(matrix, rest, x));
done:
    ritz_free(loads);
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
        *norm = fmin(*norm, sqrt(ritz_dot_vectors(n, rest, rest)));
    }
done:
    ritz_free(motion);
    ritz_free(rest);
    return status;
}

/* sums[k] = v, at free unknowns, times motion k: of the same bits for any number of threads. */
static ritz_status project(const motions *m, const double *v, double sums[MOST_MOTIONS])
{
    enum { RUN = 16384 };
    ritz_status status = RITZ_OK;
    const int64_t n = ritz_space_n_dofs(m->drive->space), n_parts = (n + RUN - 1) / RUN;
    double(*part)[MOST_MOTIONS] = NULL;
    RITZ_NEW(part, n_parts);
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < n_parts; p++)
        for (int64_t i = p * RUN; i < ritz_min64(n, (p + 1) * RUN); i++) {
            double at[MOST_MOTIONS];
            if (ritz_is_gone(m->drive, i))
                continue;
            list_motions(m, i, at);
            for (int k = 0; k < m->n; k++)
                part[p][k] += at[k] * v[i];
        }
    for (int k = 0; k < m->n; k++)
        sums[k] = 0;
    for (int64_t p = 0; p < n_parts; p++)
        for (int k = 0; k < m->n; k++)
            sums[k] += part[p][k];
done:
    ritz_free(part);
    return status;
}

bool ritz_may_settle(const ritz_drive *drive)
{
    return (drive->n_springs > 0 || drive->n_films > 0) && drive->problem->solver.precision == RITZ_F64;
}

ritz_status ritz_settle_motion(const ritz_drive *drive, const ritz_buffer *b, double *x)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *matrix = drive->system->matrix;
    const int64_t n = ritz_space_n_dofs(drive->space);
    double *rest = NULL, *force = NULL, *column = NULL, weights[MOST_MOTIONS], made[MOST_MOTIONS];
    if (!ritz_may_settle(drive))
        return RITZ_OK;
    const motions m = make_motions(drive);
    motion_fit f = {.n = m.n};
    RITZ_NEW(rest, n);
    RITZ_NEW(force, n);
    RITZ_NEW(column, n);
    RITZ_TRY(ritz_matrix_read_vector(matrix, b, rest));
    RITZ_TRY(ritz_matrix_multiply(matrix, x, force));
    for (int64_t i = 0; i < n; i++)
        rest[i] -= force[i];
    RITZ_TRY(project(&m, rest, f.b));
    for (int k = 0; k < m.n; k++) {
        const double one[MOST_MOTIONS] = {k == 0, k == 1, k == 2, k == 3, k == 4, k == 5};
        move_along(&m, one, NULL, column);
        RITZ_TRY(ritz_matrix_multiply(matrix, column, force));
        RITZ_TRY(project(&m, force, made));
        for (int l = 0; l < m.n; l++)
            f.a[l][k] = made[l];
    }
    solve_fit(&f, weights);
    move_along(&m, weights, NULL, column);
    for (int64_t i = 0; i < n; i++)
        x[i] += column[i];
done:
    ritz_free(rest);
    ritz_free(force);
    ritz_free(column);
    return status;
}
