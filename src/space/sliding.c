/* Motions of a whole body along the faces that hold it. Facets of a round face, and normals at their corners, stop what turns the body in
   it by their angles alone, which are the mesh's and not the part's. */
#include "space/sliding.h"
#include "base/eigen.h"
#include "base/point.h"
#include "space/motions.h"

#include <math.h>

typedef double square[RITZ_MAX_MODES][RITZ_MAX_MODES];

/* What is held, in coordinates (x - centre) / size. */
typedef struct holds {
    const ritz_space *space;
    int64_t n;
    const ritz_hold *list;
    double centre[3], size;
    int n_modes;
} holds;

/* Squares beside those of the whole, of rounding; parts of a motion that are left out of its name. */
static const double rounding = 1e-10, noise = 0.02;

static bool is_curved(const ritz_hold *hold)
{
    return hold->slack > 0;
}

/* u[c][m]: component c of mode m at the node of a hold. */
static void move_node(const holds *h, const ritz_hold *hold, double u[3][RITZ_MAX_MODES])
{
    double x[3] = {0, 0, 0};
    for (int d = 0; d < h->space->dim; d++)
        x[d] = (h->space->coordinates[(int64_t)hold->node * h->space->dim + d] - h->centre[d]) / h->size;
    for (int c = 0; c < h->space->dim; c++)
        ritz_rigid_modes(h->space->dim, x, c, u[c]);
}

/* Whether the motion moves all that curved faces hold by no more than their slack. *share: how much at most, of the largest movement. */
static bool slides(const holds *h, const double *motion, double *share)
{
    double held = 0, most = 0;
    bool within = true;
    for (int64_t i = 0; i < h->n; i++) {
        double u[3][RITZ_MAX_MODES], moved[3] = {0, 0, 0};
        if (!is_curved(&h->list[i]))
            continue;
        move_node(h, &h->list[i], u);
        for (int c = 0; c < h->space->dim; c++)
            for (int m = 0; m < h->n_modes; m++)
                moved[c] += motion[m] * u[c][m];
        const double along = fabs(ritz_dot(moved, h->list[i].direction)), whole = sqrt(ritz_dot(moved, moved));
        within = within && along <= h->list[i].slack * whole;
        held = fmax(held, along);
        most = fmax(most, whole);
    }
    *share = held / most;
    return within && most > 0;
}

/* Of curved or plane holds: gram, the sums of squares of what they hold of each motion; mass, of how it moves their nodes. */
static void sum_squares(const holds *h, bool curved, square gram, square mass)
{
    for (int m = 0; m < h->n_modes; m++)
        for (int k = 0; k < h->n_modes; k++)
            gram[m][k] = mass[m][k] = 0;
    for (int64_t i = 0; i < h->n; i++) {
        double u[3][RITZ_MAX_MODES], along[RITZ_MAX_MODES] = {0};
        if (is_curved(&h->list[i]) != curved)
            continue;
        move_node(h, &h->list[i], u);
        for (int c = 0; c < h->space->dim; c++)
            for (int m = 0; m < h->n_modes; m++)
                along[m] += h->list[i].direction[c] * u[c][m];
        for (int m = 0; m < h->n_modes; m++)
            for (int k = 0; k < h->n_modes; k++) {
                gram[m][k] += along[m] * along[k];
                for (int c = 0; c < h->space->dim; c++)
                    mass[m][k] += u[c][m] * u[c][k];
            }
    }
}

/* reduced = basis^T a basis, of n columns. */
static void project(int n_modes, int n, square a, square basis, square reduced)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            reduced[i][j] = 0;
            for (int m = 0; m < n_modes; m++)
                for (int k = 0; k < n_modes; k++)
                    reduced[i][j] += basis[m][i] * a[m][k] * basis[k][j];
        }
}

/* basis = basis vectors, both of n columns. */
static void turn(int n_modes, int n, square vectors, square basis)
{
    for (int m = 0; m < n_modes; m++) {
        double row[RITZ_MAX_MODES] = {0};
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                row[j] += basis[m][i] * vectors[i][j];
        for (int j = 0; j < n; j++)
            basis[m][j] = row[j];
    }
}

static double largest_of(int n, const double *values)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, values[i]);
    return largest;
}

/* Motions that plane holds leave free, as columns, so that what curved ones hold of each beside how it moves their nodes is stationary.
   Returns how many. */
static int find_motions(const holds *h, square motions)
{
    square gram, mass, reduced, vectors;
    double values[RITZ_MAX_MODES];
    int n = 0, kept = 0;
    sum_squares(h, false, gram, mass);
    ritz_symmetric_eigen(h->n_modes, RITZ_MAX_MODES, gram[0], values, vectors[0]);
    const double stiff = largest_of(h->n_modes, values);
    for (int i = 0; i < h->n_modes; i++)
        if (values[i] <= rounding * stiff) {
            for (int m = 0; m < h->n_modes; m++)
                motions[m][n] = vectors[m][i];
            n++;
        }
    sum_squares(h, true, gram, mass);
    project(h->n_modes, n, mass, motions, reduced);
    ritz_symmetric_eigen(n, RITZ_MAX_MODES, reduced[0], values, vectors[0]);
    turn(h->n_modes, n, vectors, motions);
    const double heavy = largest_of(n, values);
    for (int i = 0; i < n; i++)
        if (values[i] > rounding * heavy) {
            for (int m = 0; m < h->n_modes; m++)
                motions[m][kept] = motions[m][i] / sqrt(values[i]);
            kept++;
        }
    project(h->n_modes, kept, gram, motions, reduced);
    ritz_symmetric_eigen(kept, RITZ_MAX_MODES, reduced[0], values, vectors[0]);
    turn(h->n_modes, kept, vectors, motions);
    return kept;
}

/* The motion without what comes of the facets, of length 1, as a row. */
static void clean_motion(int n_modes, square motions, int column, square row)
{
    double largest = 0, length = 0;
    for (int m = 0; m < n_modes; m++)
        largest = fmax(largest, fabs(motions[m][column]));
    for (int m = 0; m < n_modes; m++) {
        row[0][m] = fabs(motions[m][column]) > noise * largest ? motions[m][column] : 0;
        length += row[0][m] * row[0][m];
    }
    for (int m = 0; m < n_modes; m++)
        row[0][m] /= sqrt(length);
}

ritz_status ritz_find_sliding(const ritz_space *space, int64_t n, const ritz_hold *list, double *share, char **words)
{
    ritz_status status = RITZ_OK;
    holds h = {.space = space, .n = n, .list = list, .n_modes = ritz_n_rigid_modes(space->dim)};
    square motions;
    double low[3], high[3], across[3];
    ritz_text text = {0};
    *words = NULL;
    ritz_mesh_bounds(space->mesh, low, high);
    for (int d = 0; d < 3; d++) {
        h.centre[d] = (low[d] + high[d]) / 2;
        across[d] = high[d] - low[d];
    }
    h.size = ritz_length(across) / 2;
    const int n_motions = find_motions(&h, motions);
    for (int i = 0; i < n_motions && !*words; i++) {
        square one = {{0}};
        double motion[RITZ_MAX_MODES];
        for (int m = 0; m < h.n_modes; m++)
            motion[m] = motions[m][i];
        if (!slides(&h, motion, share))
            continue;
        clean_motion(h.n_modes, motions, i, one);
        ritz_name_motions(space->dim, 1, one, h.centre, h.size, &text);
        RITZ_TRY(ritz_text_take(&text, words));
    }
done:
    ritz_text_free(&text);
    return status;
}
