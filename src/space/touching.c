/* Why a body, a connected component of a mesh, hangs on nothing: vertices at the same place as another body's, and
   vertices inside another body's facets; only looked for when a body was found free, to say so in the message. And
   vertices inside outer facets of cells that do not have them, whatever holds the bodies. Facets are kept in a grid of
   bins over the body's box. */
#include "base/point.h"
#include "space/motions.h"

#include <math.h>
#include <string.h>

enum { MAX_DIVISIONS = 128 };
static const int64_t max_entries = 20000000;

typedef ritz_mesh_facet facet;

typedef struct facet_grid {
    const ritz_mesh *mesh;
    double low[3], high[3];
    double tolerance, reach; /* for coincidence; by which boxes are made larger */
    int divisions;
    int64_t n_facets;
    const facet *facets;
    int64_t *start;   /* [divisions^3 + 1] */
    int32_t *entries; /* facets of each bin */
} facet_grid;

static void free_grid(facet_grid *grid)
{
    ritz_free(grid->start);
    ritz_free(grid->entries);
}

static int bin_along(const facet_grid *grid, int d, double x)
{
    double extent = grid->high[d] - grid->low[d];
    int bin = extent > 0 ? (int)floor(fmin(fmax((x - grid->low[d]) / extent, 0), 1) * grid->divisions) : 0;
    return bin < grid->divisions ? bin : grid->divisions - 1;
}

/* Box of a facet; whether it meets the grid's. */
static bool facet_box(const facet_grid *grid, const facet *f, double *low, double *high)
{
    bool meets = true;
    for (int d = 0; d < 3; d++) {
        low[d] = INFINITY, high[d] = -INFINITY;
        for (int k = 0; k < f->n; k++) {
            double x = grid->mesh->nodes[3 * (int64_t)f->vertices[k] + d];
            low[d] = fmin(low[d], x - grid->reach);
            high[d] = fmax(high[d], x + grid->reach);
        }
        meets = meets && high[d] >= grid->low[d] && low[d] <= grid->high[d];
    }
    return meets;
}

/* All facets of the body (or of all others) near the grid's box. */
static ritz_status collect_facets(facet_grid *grid, const int32_t *component, int32_t body, bool of_body,
                                  facet **facets)
{
    ritz_status status = RITZ_OK;
    int64_t capacity = 0;
    for (int b = 0; b < grid->mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &grid->mesh->blocks[b];
        const ritz_topology *topology = ritz_cell_topology(block->cell);
        for (int32_t c = 0; c < block->n_cells; c++) {
            const int32_t *nodes = block->nodes + (int64_t)c * block->n_nodes;
            if ((component[nodes[0]] == body) != of_body)
                continue;
            for (int e = 0; e < topology->n_facets; e++) {
                facet f = {.n = topology->facet_n_vertices[e]};
                double low[3], high[3];
                for (int k = 0; k < f.n; k++)
                    f.vertices[k] = nodes[topology->facets[e][k]];
                if (!facet_box(grid, &f, low, high))
                    continue;
                if (grid->n_facets == capacity) {
                    capacity = 2 * capacity + 64;
                    RITZ_RESIZE(*facets, capacity);
                }
                (*facets)[grid->n_facets++] = f;
            }
        }
    }
    grid->facets = *facets;
done:
    return status;
}

/* Counts facets into the bins (entries NULL), or writes them. */
static int64_t visit_bins(const facet_grid *grid, int64_t *place, int32_t *entries)
{
    int64_t total = 0;
    for (int64_t f = 0; f < grid->n_facets && total <= max_entries; f++) {
        double low[3], high[3];
        int from[3], to[3];
        facet_box(grid, &grid->facets[f], low, high);
        for (int d = 0; d < 3; d++) {
            from[d] = bin_along(grid, d, low[d]);
            to[d] = bin_along(grid, d, high[d]);
        }
        for (int i = from[0]; i <= to[0]; i++)
            for (int j = from[1]; j <= to[1]; j++)
                for (int k = from[2]; k <= to[2]; k++) {
                    int64_t bin = ((int64_t)i * grid->divisions + j) * grid->divisions + k;
                    if (entries)
                        entries[place[bin]] = (int32_t)f;
                    place[bin]++;
                    total++;
                }
    }
    return total;
}

static ritz_status fill_grid(facet_grid *grid)
{
    ritz_status status = RITZ_OK;
    int64_t *place = NULL, total = 0, bins = 1;
    grid->divisions = (int)fmin(cbrt((double)grid->n_facets) + 1, MAX_DIVISIONS);
    for (;; grid->divisions /= 2) { /* coarser where large facets would stand in too many bins */
        bins = (int64_t)grid->divisions * grid->divisions * grid->divisions;
        RITZ_NEW(place, bins);
        total = visit_bins(grid, place, NULL);
        if (total <= max_entries || grid->divisions == 1)
            break;
        ritz_free(place);
        place = NULL;
    }
    RITZ_NEW(grid->start, bins + 1);
    for (int64_t i = 0; i < bins; i++) {
        grid->start[i + 1] = grid->start[i] + place[i];
        place[i] = grid->start[i];
    }
    RITZ_NEW(grid->entries, total);
    visit_bins(grid, place, grid->entries);
done:
    ritz_free(place);
    return status;
}

static void subtract_points(const double *a, const double *b, double *c)
{
    for (int d = 0; d < 3; d++)
        c[d] = a[d] - b[d];
}

/* Whether x lies on the segment from a to b, within a millionth of its length. */
static bool on_segment(const double *x, const double *a, const double *b)
{
    double u[3], v[3];
    subtract_points(b, a, u);
    subtract_points(x, a, v);
    double length2 = ritz_dot(u, u), s = ritz_dot(u, v) / length2;
    for (int d = 0; d < 3; d++)
        v[d] -= s * u[d];
    return s >= 0 && s <= 1 && ritz_dot(v, v) <= 1e-12 * length2;
}

static bool on_triangle(const double *x, const double *a, const double *b, const double *c)
{
    double u[3], v[3], w[3];
    subtract_points(b, a, u);
    subtract_points(c, a, v);
    subtract_points(x, a, w);
    double uu = ritz_dot(u, u), uv = ritz_dot(u, v), vv = ritz_dot(v, v), wu = ritz_dot(w, u), wv = ritz_dot(w, v);
    double det = uu * vv - uv * uv;
    if (!(det > 0))
        return false;
    double s = (wu * vv - wv * uv) / det, t = (wv * uu - wu * uv) / det;
    for (int d = 0; d < 3; d++)
        w[d] -= s * u[d] + t * v[d];
    return s >= -1e-6 && t >= -1e-6 && s + t <= 1 + 1e-6 && ritz_dot(w, w) <= 1e-12 * fmax(uu, vv);
}

/* 2: x is a vertex of a facet of its bin; 1: it lies on one; 0: neither. */
static int facet_at(const facet_grid *grid, const double *x)
{
    int found = 0;
    int64_t n = grid->divisions,
            bin = (bin_along(grid, 0, x[0]) * n + bin_along(grid, 1, x[1])) * n + bin_along(grid, 2, x[2]);
    for (int64_t i = grid->start[bin]; i < grid->start[bin + 1]; i++) {
        const facet *f = &grid->facets[grid->entries[i]];
        const double *v[4] = {x, x, x, x};
        for (int k = 0; k < f->n; k++) {
            double away[3];
            v[k] = grid->mesh->nodes + 3 * (int64_t)f->vertices[k];
            subtract_points(x, v[k], away);
            if (ritz_dot(away, away) <= grid->tolerance * grid->tolerance)
                return 2;
        }
        if (f->n == 2 ? on_segment(x, v[0], v[1])
                      : on_triangle(x, v[0], v[1], v[2]) || (f->n == 4 && on_triangle(x, v[0], v[2], v[3])))
            found = 1;
    }
    return found;
}

/* Meets the facets of the body (or of the others) with the vertices of the others (or of the body). */
static ritz_status count_meeting(const ritz_space *space, const int32_t *component, int32_t body, bool facets_of_body,
                                 const double *low, const double *high, int64_t *coincident, int64_t *hanging)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = space->mesh;
    facet_grid grid = {.mesh = mesh};
    facet *facets = NULL;
    double diagonal[3];
    subtract_points(high, low, diagonal);
    grid.tolerance = 1e-9 * sqrt(ritz_dot(diagonal, diagonal));
    grid.reach = 1000 * grid.tolerance;
    for (int d = 0; d < 3; d++) {
        grid.low[d] = low[d] - grid.reach;
        grid.high[d] = high[d] + grid.reach;
    }
    RITZ_TRY(collect_facets(&grid, component, body, facets_of_body, &facets));
    RITZ_TRY(fill_grid(&grid));
    for (int32_t n = 0; n < mesh->n_nodes; n++) {
        const double *x = mesh->nodes + 3 * (int64_t)n;
        bool inside = space->vertex_nodes[n] >= 0 && (component[n] == body) != facets_of_body;
        for (int d = 0; d < 3; d++)
            inside = inside && x[d] >= grid.low[d] && x[d] <= grid.high[d];
        if (!inside)
            continue;
        int how = facet_at(&grid, x);
        *coincident += how == 2;
        *hanging += how == 1;
    }
done:
    ritz_free(facets);
    free_grid(&grid);
    return status;
}

ritz_status ritz_find_touching(const ritz_space *space, const int32_t *component, int32_t body, const double *low,
                               const double *high, ritz_touching *touching)
{
    ritz_status status = RITZ_OK;
    int64_t seen_from_others = 0;
    memset(touching, 0, sizeof *touching);
    RITZ_TRY(count_meeting(space, component, body, false, low, high, &touching->coincident, &touching->hanging));
    RITZ_TRY(count_meeting(space, component, body, true, low, high, &seen_from_others, &touching->hanging));
done:
    return status;
}

/* ---- Vertices that hang, whatever holds their body ---- */

/* Whether a point on the facet stands at one of its vertices, as near as nodes that ritz_mesh_glue joins. */
static bool at_vertex(const ritz_mesh *mesh, const facet *f, const double *x)
{
    double nearest = INFINITY, shortest = INFINITY;
    for (int k = 0; k < f->n; k++) {
        const double *v = mesh->nodes + 3 * (int64_t)f->vertices[k];
        const double *next = mesh->nodes + 3 * (int64_t)f->vertices[(k + 1) % f->n];
        double away[3], edge[3];
        subtract_points(x, v, away);
        subtract_points(next, v, edge);
        nearest = fmin(nearest, ritz_dot(away, away));
        shortest = fmin(shortest, ritz_dot(edge, edge));
    }
    return nearest <= RITZ_COINCIDENT * RITZ_COINCIDENT * shortest;
}

/* Whether the vertex lies in a facet without being, or standing at the place of, one of its vertices. component: of
   each mesh node, where the facet has to be of the vertex's own; else NULL. */
static bool vertex_hangs(const facet_grid *grid, const int32_t *component, int32_t node)
{
    const double *x = grid->mesh->nodes + 3 * (int64_t)node;
    int64_t n = grid->divisions,
            bin = (bin_along(grid, 0, x[0]) * n + bin_along(grid, 1, x[1])) * n + bin_along(grid, 2, x[2]);
    for (int64_t i = grid->start[bin]; i < grid->start[bin + 1]; i++) {
        const facet *f = &grid->facets[grid->entries[i]];
        const double *v[4] = {x, x, x, x};
        bool vertex = false;
        for (int k = 0; k < f->n; k++) {
            v[k] = grid->mesh->nodes + 3 * (int64_t)f->vertices[k];
            vertex = vertex || f->vertices[k] == node;
        }
        if (!vertex && (!component || component[f->vertices[0]] == component[node]) &&
            (f->n == 2 ? on_segment(x, v[0], v[1])
                       : on_triangle(x, v[0], v[1], v[2]) || (f->n == 4 && on_triangle(x, v[0], v[2], v[3]))) &&
            !at_vertex(grid->mesh, f, x))
            return true;
    }
    return false;
}

/* A grid over the outer facets; outer[mesh nodes]: their vertices. */
static ritz_status grid_of_outer(facet_grid *grid, uint8_t *outer)
{
    const ritz_mesh *mesh = grid->mesh;
    double diagonal[3];
    for (int d = 0; d < 3; d++)
        grid->low[d] = INFINITY, grid->high[d] = -INFINITY;
    for (int64_t f = 0; f < grid->n_facets; f++)
        for (int k = 0; k < grid->facets[f].n; k++) {
            const int32_t node = grid->facets[f].vertices[k];
            outer[node] = 1;
            for (int d = 0; d < 3; d++) {
                grid->low[d] = fmin(grid->low[d], mesh->nodes[3 * (int64_t)node + d]);
                grid->high[d] = fmax(grid->high[d], mesh->nodes[3 * (int64_t)node + d]);
            }
        }
    subtract_points(grid->high, grid->low, diagonal);
    grid->reach = 1e-6 * sqrt(ritz_dot(diagonal, diagonal));
    return fill_grid(grid);
}

ritz_status ritz_find_hanging(const ritz_mesh *mesh, const ritz_mesh_facet *outer, int64_t n_outer, bool within_bodies,
                              int64_t *n_hanging, int32_t *first)
{
    ritz_status status = RITZ_OK;
    facet_grid grid = {.mesh = mesh, .facets = outer, .n_facets = n_outer};
    uint8_t *is_outer = NULL;
    int32_t *component = NULL, n_components = 0, lowest = INT32_MAX;
    int64_t n = 0;
    RITZ_NEW(is_outer, mesh->n_nodes);
    RITZ_TRY(grid_of_outer(&grid, is_outer));
    if (within_bodies) {
        RITZ_NEW(component, mesh->n_nodes);
        RITZ_TRY(ritz_mesh_components(mesh, component, &n_components));
    }
#pragma omp parallel for schedule(static) reduction(+ : n) reduction(min : lowest)
    for (int32_t i = 0; i < mesh->n_nodes; i++)
        if (is_outer[i] && vertex_hangs(&grid, component, i)) {
            n++;
            lowest = i < lowest ? i : lowest;
        }
    *n_hanging = n;
    *first = n ? lowest : -1;
done:
    ritz_free(is_outer);
    ritz_free(component);
    free_grid(&grid);
    return status;
}
