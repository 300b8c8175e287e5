/* Boxes of structured cells with named sides. Each grid square or cube holds one quad or hex, two triangles or prisms,
   or six tets around its main diagonal (Kuhn's subdivision, which fits its neighbours). */
#include "mesh/internal.h"

#include <math.h>

/* Corners of the unit cube by bits: x is 1, y is 2, z is 4. */
typedef struct cut {
    int n_cells;
    int corners[6][8];
} cut;

static const cut cuts[RITZ_N_CELLS] = {
    [RITZ_TRI] = {2, {{0, 1, 3}, {0, 3, 2}}},
    [RITZ_QUAD] = {1, {{0, 1, 3, 2}}},
    [RITZ_TET] = {6, {{0, 1, 3, 7}, {0, 1, 7, 5}, {0, 2, 7, 3}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 7, 6}}},
    [RITZ_PRISM] = {2, {{0, 1, 3, 4, 5, 7}, {0, 3, 2, 4, 7, 6}}},
    [RITZ_HEX] = {1, {{0, 1, 3, 2, 4, 5, 7, 6}}},
};

/* The grid under a box: n cells and n + 1 nodes along an axis; in 2D one layer of nodes. */
typedef struct grid {
    int dim;
    int64_t cells[3], stride[3]; /* 0 along z in 2D */
    int64_t n_nodes, n_cubes;
    double size[3], origin[3];
} grid;

static ritz_status grid_create(const ritz_box *box, grid *g)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(box->cell >= 0 && box->cell < RITZ_N_CELLS, RITZ_ERROR_INPUT,
                 "%d is not a cell type; use RITZ_TRI ... RITZ_HEX", (int)box->cell);
    RITZ_REQUIRE(box->distort >= 0 && box->distort <= 0.4, RITZ_ERROR_INPUT,
                 "a box can be distorted by 0 to 0.4 of a cell; got %g", box->distort);
    *g = (grid){.dim = ritz_cell_dim(box->cell), .n_nodes = 1, .n_cubes = 1};
    for (int a = 0; a < g->dim; a++) {
        char axis = "xyz"[a];
        RITZ_REQUIRE(box->cells[a] > 0, RITZ_ERROR_INPUT, "a box of %s cells needs at least one cell along %c; got %d",
                     ritz_cell_name(box->cell), axis, box->cells[a]);
        RITZ_REQUIRE(box->size[a] >= 0 && box->size[a] <= RITZ_FARTHEST, RITZ_ERROR_INPUT,
                     "the length of a box along %c must be positive and at most %g; got %g", axis, RITZ_FARTHEST,
                     box->size[a]);
        RITZ_REQUIRE(fabs(box->origin[a]) <= RITZ_FARTHEST, RITZ_ERROR_INPUT,
                     "the origin of a box along %c must be a number of at most %g; got %g", axis, RITZ_FARTHEST,
                     box->origin[a]);
        g->cells[a] = box->cells[a];
        g->size[a] = box->size[a] > 0 ? box->size[a] : 1.0;
        g->origin[a] = box->origin[a];
        RITZ_REQUIRE(g->size[a] / g->cells[a] > 1e-12 * (fabs(g->origin[a]) + g->size[a]), RITZ_ERROR_INPUT,
                     "the cells of a box along %c are %g long, which rounding loses beside its origin %g: move the box",
                     axis, g->size[a] / g->cells[a], g->origin[a]);
        g->stride[a] = g->n_nodes;
        RITZ_REQUIRE(
            g->n_nodes <= INT32_MAX / (g->cells[a] + 1), RITZ_ERROR_INPUT,
            "a box of %d x %d x %d cells has more than the 2147483647 nodes that one mesh can hold; take fewer cells",
            box->cells[0], box->cells[1], g->dim == 3 ? box->cells[2] : 1);
        g->n_nodes *= g->cells[a] + 1;
        g->n_cubes *= g->cells[a];
    }
done:
    return status;
}

/* Pseudo-random in -1..1, the same on every machine (splitmix64). */
static double random_shift(uint64_t seed)
{
    uint64_t z = (seed + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1.0;
}

/* share[n_nodes]: how much of its move each node makes, or NULL for a regular box. */
static void place_nodes(const grid *g, double distort, const double *share, double *nodes)
{
#pragma omp parallel for schedule(static)
    for (int64_t n = 0; n < g->n_nodes; n++) {
        for (int a = 0; a < g->dim; a++) {
            int64_t i = n / g->stride[a] % (g->cells[a] + 1);
            double at = (double)i;
            if (share && i > 0 && i < g->cells[a])
                at += distort * share[n] * random_shift((uint64_t)(3 * n + a));
            double x = at / (double)g->cells[a];
            nodes[3 * n + a] = i == g->cells[a] ? g->origin[a] + g->size[a] : g->origin[a] + g->size[a] * x;
        }
    }
}

/* Node of a corner of the cube whose lowest node is `low`. */
static int32_t corner_node(const grid *g, int64_t low, int corner)
{
    int64_t n = low;
    for (int a = 0; a < 3; a++)
        n += (corner >> a & 1) ? g->stride[a] : 0;
    return (int32_t)n;
}

/* Lowest node of the cube at i. */
static int64_t low_node(const grid *g, const int64_t i[3])
{
    int64_t n = 0;
    for (int a = 0; a < 3; a++)
        n += i[a] * g->stride[a];
    return n;
}

static void fill_cells(const grid *g, int32_t set, ritz_mesh_block *block)
{
    const cut *c = &cuts[block->cell];
#pragma omp parallel for schedule(static)
    for (int64_t cube = 0; cube < g->n_cubes; cube++) {
        int64_t i[3] = {cube % g->cells[0], cube / g->cells[0] % g->cells[1], 0};
        if (g->dim == 3)
            i[2] = cube / g->cells[0] / g->cells[1];
        int64_t low = low_node(g, i);
        for (int p = 0; p < c->n_cells; p++) {
            int64_t cell = cube * c->n_cells + p;
            for (int v = 0; v < block->n_nodes; v++)
                block->nodes[cell * block->n_nodes + v] = corner_node(g, low, c->corners[p][v]);
            block->set[cell] = set;
            block->number[cell] = cell + 1;
        }
    }
}

/* The facets of a cube's cells that lie on one of its sides. */
typedef struct side_facets {
    int n, cell[2], facet[2];
} side_facets;

static side_facets facets_on_side(ritz_cell cell, int axis, int end)
{
    const ritz_topology *t = ritz_cell_topology(cell);
    side_facets found = {0};
    for (int p = 0; p < cuts[cell].n_cells; p++) {
        for (int f = 0; f < t->n_facets; f++) {
            bool on = true;
            for (int v = 0; v < t->facet_n_vertices[f]; v++)
                on = on && (cuts[cell].corners[p][t->facets[f][v]] >> axis & 1) == end;
            if (on && found.n < 2) {
                found.cell[found.n] = p;
                found.facet[found.n++] = f;
            }
        }
    }
    return found;
}

/* Squares (3D) or edges (2D) of a side. */
static int64_t side_area(const grid *g, int axis)
{
    return g->n_cubes / g->cells[axis];
}

static void fill_side(const grid *g, ritz_cell cell, int axis, int end, int32_t set, ritz_mesh_entity *entities)
{
    const ritz_topology *t = ritz_cell_topology(cell);
    const cut *c = &cuts[cell];
    side_facets found = facets_on_side(cell, axis, end);
    int u = axis == 0 ? 1 : 0, w = axis == 2 ? 1 : 2;
    for (int64_t s = 0; s < side_area(g, axis); s++) {
        int64_t i[3] = {0, 0, 0};
        i[axis] = end ? g->cells[axis] - 1 : 0;
        i[u] = s % g->cells[u];
        if (g->dim == 3)
            i[w] = s / g->cells[u];
        int64_t low = low_node(g, i);
        int64_t cube = i[0] + g->cells[0] * (i[1] + (g->dim == 3 ? g->cells[1] * i[2] : 0));
        for (int k = 0; k < found.n; k++) {
            int f = found.facet[k];
            ritz_mesh_entity *e = &entities[s * found.n + k];
            *e = (ritz_mesh_entity){.dim = (int8_t)(g->dim - 1),
                                    .n_vertices = (int8_t)t->facet_n_vertices[f],
                                    .facet = (int8_t)f,
                                    .set = set,
                                    .cell = (int32_t)(cube * c->n_cells + found.cell[k])};
            for (int v = 0; v < e->n_vertices; v++)
                e->vertices[v] = corner_node(g, low, c->corners[found.cell[k]][t->facets[f][v]]);
        }
    }
}

static ritz_status fill_sides(const grid *g, ritz_cell cell, ritz_mesh *mesh)
{
    ritz_status status = RITZ_OK;
    int64_t n = 0;
    for (int side = 0; side < 2 * g->dim; side++)
        n += side_area(g, side / 2) * facets_on_side(cell, side / 2, side % 2).n;
    RITZ_REQUIRE(n <= INT32_MAX, RITZ_ERROR_INPUT,
                 "the box has %lld facets on its sides, too many for one mesh; take fewer cells", (long long)n);
    RITZ_NEW(mesh->entities, n);
    mesh->n_entities = (int32_t)n;
    n = 0;
    for (int side = 0; side < 2 * g->dim; side++) {
        int32_t group, set;
        char name[3] = {"xyz"[side / 2], (char)('0' + side % 2), 0};
        RITZ_TRY(ritz_mesh_add_group(mesh, g->dim - 1, side + 1, name, &group));
        RITZ_TRY(ritz_mesh_add_set(mesh, 1, &group, &set));
        fill_side(g, cell, side / 2, side % 2, set, &mesh->entities[n]);
        n += side_area(g, side / 2) * facets_on_side(cell, side / 2, side % 2).n;
    }
done:
    return status;
}

/* Moves the nodes; where a cell would come out too thin, its nodes move half as far, until none is. */
static ritz_status distort_nodes(const grid *g, double distort, ritz_mesh *mesh)
{
    enum { ROUNDS = 60 };
    ritz_status status = RITZ_OK;
    double thinnest = 1;
    double *share = NULL, *low = NULL, *high = NULL;
    const ritz_mesh_block *block = &mesh->blocks[0];
    RITZ_NEW(share, g->n_nodes);
    RITZ_NEW(low, block->n_cells);
    RITZ_NEW(high, block->n_cells);
    for (int64_t n = 0; n < g->n_nodes; n++)
        share[n] = 1;
    place_nodes(g, 0, NULL, mesh->nodes);
    RITZ_TRY(ritz_mesh_determinants(mesh, block, low, high));
    for (int64_t c = 0; c < block->n_cells; c++)
        thinnest = fmin(thinnest, 0.05 * low[c]);
    for (int round = 0; round < ROUNDS; round++) {
        bool thin = false;
        place_nodes(g, distort, share, mesh->nodes);
        RITZ_TRY(ritz_mesh_determinants(mesh, block, low, high));
        for (int64_t c = 0; c < block->n_cells; c++) {
            if (low[c] >= thinnest)
                continue;
            thin = true;
            for (int v = 0; v < block->n_nodes; v++)
                share[block->nodes[c * block->n_nodes + v]] *= 0.5;
        }
        if (!thin)
            break;
    }
done:
    ritz_free(share);
    ritz_free(low);
    ritz_free(high);
    return status;
}

ritz_status ritz_mesh_box(const ritz_box *given, ritz_mesh **mesh)
{
    ritz_status status = RITZ_OK;
    ritz_mesh *m = NULL;
    ritz_mesh_block *block;
    ritz_box box;
    grid g;
    int32_t body, set;
    RITZ_REQUIRE_POINTER(given);
    RITZ_REQUIRE_POINTER(mesh);
    RITZ_TRY(ritz_take_struct(given, &box, sizeof box, "ritz_box"));
    RITZ_TRY(grid_create(&box, &g));
    RITZ_TRY(ritz_mesh_new(g.dim, &m));
    RITZ_TRY(ritz_mesh_add_group(m, g.dim, 1, "body", &body));
    RITZ_TRY(ritz_mesh_add_set(m, 1, &body, &set));
    RITZ_TRY(ritz_mesh_add_block(m, box.cell, 1, g.n_cubes * cuts[box.cell].n_cells, &block));
    fill_cells(&g, set, block);
    RITZ_TRY(fill_sides(&g, box.cell, m));
    RITZ_NEW(m->nodes, 3 * g.n_nodes);
    RITZ_NEW(m->node_number, g.n_nodes);
    m->n_nodes = (int32_t)g.n_nodes;
    for (int32_t n = 0; n < m->n_nodes; n++)
        m->node_number[n] = n + 1;
    if (box.distort > 0)
        RITZ_TRY(distort_nodes(&g, box.distort, m));
    else
        place_nodes(&g, 0, NULL, m->nodes);
    RITZ_TRY(ritz_mesh_renumber(m));
    *mesh = m;
    m = NULL;
done:
    ritz_mesh_destroy(&m);
    return status;
}
