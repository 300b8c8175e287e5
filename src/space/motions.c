/* Rigid-body motions: their values, and names for those that are free. */
#include "space/motions.h"
#include "base/eigen.h"
#include "base/point.h"

#include <math.h>
#include <string.h>

typedef double square[RITZ_MAX_MODES][RITZ_MAX_MODES];

int ritz_n_rigid_modes(int dim)
{
    return dim == 3 ? 6 : 3;
}

void ritz_rigid_modes(int dim, const double *x, int c, double *motions)
{
    for (int m = 0; m < ritz_n_rigid_modes(dim); m++)
        motions[m] = m == c;
    if (dim == 2) {
        motions[2] = c == 0 ? -x[1] : x[0];
        return;
    }
    /* Rotation about axis a moves x by e_a times x (cross product). */
    int next = (c + 1) % 3, after = (c + 2) % 3;
    motions[3 + next] = x[after];
    motions[3 + after] = -x[next];
}

/* Brings the rows to reduced echelon form (columns from left to right), so that motions along and about the axes come
   out as such; pivot[i] is the column of row i. Returns the rank. */
static int reduce_rows(int n_rows, int n_columns, square rows, int *pivot)
{
    int rank = 0;
    for (int column = 0; column < n_columns && rank < n_rows; column++) {
        int best = rank;
        for (int i = rank + 1; i < n_rows; i++)
            if (fabs(rows[i][column]) > fabs(rows[best][column]))
                best = i;
        if (fabs(rows[best][column]) < 1e-5)
            continue;
        for (int k = 0; k < n_columns; k++) {
            double swap = rows[rank][k];
            rows[rank][k] = rows[best][k];
            rows[best][k] = swap;
        }
        double scale = 1 / rows[rank][column];
        for (int k = 0; k < n_columns; k++)
            rows[rank][k] *= scale;
        for (int i = 0; i < n_rows; i++)
            for (int k = n_columns - 1; i != rank && k >= 0; k--)
                rows[i][k] -= rows[i][column] * rows[rank][k];
        pivot[rank++] = column;
    }
    return rank;
}

/* Unit length; noise beside the larger components becomes zero. */
static void clean_direction(double *v)
{
    double length = sqrt(ritz_dot(v, v));
    for (int d = 0; d < 3; d++)
        v[d] = fabs(v[d]) < 1e-6 * length ? 0 : v[d] / length;
}

/* The axis that v lies on, or -1. */
static int axis_of(const double *v)
{
    for (int d = 0; d < 3; d++)
        if (v[d] != 0 && v[(d + 1) % 3] == 0 && v[(d + 2) % 3] == 0)
            return d;
    return -1;
}

static void add_point(int dim, const double *x, double size, ritz_text *text)
{
    for (int d = 0; d < dim; d++)
        ritz_text_add(text, "%s%.4g", d ? ", " : "(", fabs(x[d]) < 1e-6 * size ? 0.0 : x[d]);
    ritz_text_add(text, ")");
}

static void name_translation(int dim, const double *direction, ritz_text *text)
{
    int axis = axis_of(direction);
    ritz_text_add(text, "translation along ");
    if (axis >= 0)
        ritz_text_add(text, "%c", "xyz"[axis]);
    else
        add_point(dim, direction, 1, text);
}

/* Rotation w (unit) with translation t, both in the scaled coordinates; `through`: whether the place of the axis is
   known. */
static void name_rotation(int dim, const double *w, const double *t, bool through, const double *centre, double size,
                          ritz_text *text)
{
    int axis = axis_of(w);
    double point[3], pitch = ritz_dot(w, t), away = 0;
    for (int d = 0; d < 3; d++)
        point[d] =
            (d < dim ? centre[d] : 0) + size * (w[(d + 1) % 3] * t[(d + 2) % 3] - w[(d + 2) % 3] * t[(d + 1) % 3]);
    double along = ritz_dot(point, w);
    for (int d = 0; d < 3; d++)
        away = fmax(away, fabs(point[d] - along * w[d])); /* distance of the axis from the origin */
    through = through && (dim == 2 || axis < 0 || away > 1e-6 * size);
    if (dim == 2) {
        ritz_text_add(text, "rotation in the plane%s", through ? " about " : "");
    } else if (axis >= 0) {
        ritz_text_add(text, through ? "rotation about the axis along %c" : "rotation about the %c axis", "xyz"[axis]);
    } else {
        ritz_text_add(text, "rotation about the axis along ");
        add_point(3, w, 1, text);
    }
    if (through) {
        ritz_text_add(text, "%s", dim == 3 ? " through " : "");
        add_point(dim, point, size, text);
    }
    if (fabs(pitch) > 1e-6)
        ritz_text_add(text, " with a translation along it");
}

/* Whether all translations across the axis w are free: then the axis may stand anywhere. */
static bool axis_is_anywhere(int n, double translations[3][3], const double *w)
{
    double free = 0; /* trace of the projector across w, restricted to the free translations */
    for (int i = 0; i < n; i++) {
        double along = ritz_dot(translations[i], w);
        free += 1 - along * along;
    }
    return free > 2 - 1e-6;
}

void ritz_name_motions(int dim, int n, square null, const double *centre, double size, ritz_text *text)
{
    int n_rotations = dim == 3 ? 3 : 1, n_motions = dim + n_rotations, pivot[RITZ_MAX_MODES];
    square rows = {{0}};
    /* Rotations first, so that the rows behind them are pure translations. */
    for (int i = 0; i < n; i++)
        for (int m = 0; m < n_motions; m++)
            rows[i][m] = null[i][(m + dim) % n_motions];
    int rank = reduce_rows(n, n_motions, rows, pivot), n_turning = 0, n_translations = 0;
    double translations[3][3] = {{0}}, orthonormal[3][3] = {{0}};
    for (int i = 0; i < rank; i++) {
        if (pivot[i] < n_rotations) {
            n_turning++;
            continue;
        }
        double *t = translations[n_translations], *q = orthonormal[n_translations];
        memcpy(t, rows[i] + n_rotations, sizeof(double) * (size_t)dim);
        clean_direction(t);
        memcpy(q, t, sizeof(double[3]));
        for (int k = 0; k < n_translations; k++)
            for (int d = 0; d < 3; d++)
                q[d] -= ritz_dot(t, orthonormal[k]) * orthonormal[k][d];
        clean_direction(q);
        ritz_text_add(text, "%s", n_translations++ ? ", " : "");
        name_translation(dim, t, text);
    }
    for (int i = 0; i < n_turning; i++) {
        double w[3] = {0, 0, 1}, t[3] = {0, 0, 0}, length = 1;
        memcpy(t, rows[i] + n_rotations, sizeof(double) * (size_t)dim);
        if (dim == 3)
            memcpy(w, rows[i], sizeof w);
        length = sqrt(ritz_dot(w, w));
        clean_direction(w);
        for (int k = 0; k < n_translations; k++) {
            double along = ritz_dot(t, orthonormal[k]);
            for (int d = 0; d < 3; d++)
                t[d] -= along * orthonormal[k][d];
        }
        for (int d = 0; d < 3; d++)
            t[d] /= length;
        ritz_text_add(text, "%s", i + n_translations ? ", " : "");
        name_rotation(dim, w, t, !axis_is_anywhere(n_translations, orthonormal, w), centre, size, text);
    }
}

/* ---- Of a field ---- */

/* The nodes that move in a field u[n_nodes][dim], and the rigid motion that is nearest to it there. */
typedef struct moving {
    int32_t n_nodes;
    double centre[3], size;
    square rigid; /* [0]: of each mode */
    bool is_rigid;
} moving;

static bool node_moves(const ritz_space *space, const double *u, int32_t node, double least)
{
    bool any = false;
    for (int c = 0; c < space->dim; c++)
        any = any || fabs(u[(int64_t)node * space->dim + c]) > least;
    return any;
}

static void find_moving(const ritz_space *space, const double *u, double least, moving *m)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < space->n_nodes; i++) {
        if (!node_moves(space, u, i, least))
            continue;
        m->n_nodes++;
        for (int d = 0; d < space->dim; d++) {
            low[d] = fmin(low[d], space->coordinates[(int64_t)i * space->dim + d]);
            high[d] = fmax(high[d], space->coordinates[(int64_t)i * space->dim + d]);
        }
    }
    for (int d = 0; d < space->dim; d++) {
        m->centre[d] = (low[d] + high[d]) / 2;
        m->size = fmax(m->size, high[d] - low[d]);
    }
    m->size = m->size > 0 ? m->size : 1; /* a single node */
}

/* By least squares; of a single node or a line, the least rotation that does. */
static void fit_rigid(const ritz_space *space, const double *u, double least, moving *m)
{
    const int dim = space->dim, n = ritz_n_rigid_modes(dim);
    square gram = {{0}}, vectors;
    double right[RITZ_MAX_MODES] = {0}, values[RITZ_MAX_MODES], norm = 0, fitted = 0;
    for (int32_t i = 0; i < space->n_nodes; i++)
        for (int c = 0; c < dim && node_moves(space, u, i, least); c++) {
            double x[3] = {0}, mode[RITZ_MAX_MODES];
            const double value = u[(int64_t)i * dim + c];
            for (int d = 0; d < dim; d++)
                x[d] = (space->coordinates[(int64_t)i * dim + d] - m->centre[d]) / m->size;
            ritz_rigid_modes(dim, x, c, mode);
            for (int a = 0; a < n; a++) {
                right[a] += mode[a] * value;
                for (int b = 0; b < n; b++)
                    gram[a][b] += mode[a] * mode[b];
            }
            norm += value * value;
        }
    ritz_symmetric_eigen(n, RITZ_MAX_MODES, gram[0], values, vectors[0]);
    for (int k = 0; k < n; k++) {
        double along = 0;
        for (int a = 0; a < n; a++)
            along += vectors[a][k] * right[a];
        for (int a = 0; a < n && values[k] > 1e-9 * m->n_nodes; a++)
            m->rigid[0][a] += vectors[a][k] * along / values[k];
    }
    for (int a = 0; a < n; a++)
        fitted += m->rigid[0][a] * right[a];
    m->is_rigid = norm - fitted < 1e-8 * norm;
}

ritz_status ritz_space_describe_motion(const ritz_space *space, const double *u, char **words)
{
    ritz_status status = RITZ_OK;
    ritz_text text = {0};
    moving m = {0};
    double largest = 0;
    for (int64_t i = 0; i < (int64_t)space->n_nodes * space->dim; i++)
        largest = fmax(largest, fabs(u[i]));
    const double least = 1e-6 * largest;
    find_moving(space, u, least, &m);
    fit_rigid(space, u, least, &m);
    ritz_text_add(&text, "%d of %d nodes, around ", m.n_nodes, space->n_nodes);
    add_point(space->dim, m.centre, m.size, &text);
    ritz_text_add(&text, ": ");
    if (m.is_rigid)
        ritz_name_motions(space->dim, 1, m.rigid, m.centre, m.size, &text);
    else
        ritz_text_add(&text, "a motion that is not rigid, as of several parts against each other");
    RITZ_TRY(ritz_text_take(&text, words));
done:
    ritz_text_free(&text);
    return status;
}

/* ---- At all unknowns ---- */

int ritz_space_n_rigid_motions(const ritz_space *space)
{
    return space && space->dim > 1 && space->n_components == space->dim ? ritz_n_rigid_modes(space->dim) : 0;
}

ritz_status ritz_space_get_rigid_motions(const ritz_space *space, double *motions)
{
    ritz_status status = RITZ_OK;
    double centre[3];
    RITZ_REQUIRE_POINTER(space);
    RITZ_REQUIRE_POINTER(motions);
    const int dim = space->dim, n_motions = ritz_space_n_rigid_motions(space);
    RITZ_REQUIRE(
        n_motions > 0, RITZ_ERROR_INPUT,
        "rigid motions are of unknowns with a component for each axis; this space has %d on a mesh of dimension %d",
        space->n_components, dim);
    const double size = ritz_middle_of_points(dim, space->n_nodes, space->coordinates, centre);
#pragma omp parallel for schedule(static)
    for (int32_t i = 0; i < space->n_nodes; i++) {
        double x[3];
        for (int d = 0; d < dim; d++)
            x[d] = (space->coordinates[(int64_t)i * dim + d] - centre[d]) / size;
        for (int c = 0; c < dim; c++)
            ritz_rigid_modes(dim, x, c, motions + ((int64_t)i * dim + c) * n_motions);
    }
done:
    return status;
}
