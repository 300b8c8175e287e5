/* Meshes of benchmarks. The unstructured ones are cut from a grid whose nodes carry random ranks: the diagonal of each
   quadrilateral goes through its corner of lowest rank, and a cube becomes the tets that join its corner of lowest rank
   to the triangles on the three sides away from it. Neighbours choose the same diagonals, each node has 4 to 8
   neighbours in 2D and 6 to 26 in 3D, and on average as many as meshes of such cells usually have. */
#include "bench/meshes.h"

#include "base/base.h"

#include <string.h>

const ritz_bench_mesh ritz_bench_meshes[] = {
    {"tri", "plane-stress", RITZ_TRI, {728, 728, 1}, true, "1 059 968 unknowns, plane stress, unstructured"},
    {"quad", "plane-stress", RITZ_QUAD, {401, 401, 1}, false, "321 602 unknowns, plane stress"},
    {"tet", "elasticity", RITZ_TET, {59, 59, 60}, true, "626 580 unknowns, unstructured"},
    {"hex", "elasticity", RITZ_HEX, {55, 55, 55}, false, "499 125 unknowns"},
    {"hex-large", "elasticity", RITZ_HEX, {160, 160, 160}, false, "12 288 000 unknowns, not among the default ones"},
    {NULL, NULL, RITZ_HEX, {0, 0, 0}, false, NULL},
};

const ritz_bench_mesh *ritz_bench_find_mesh(const char *name)
{
    const char *names[8];
    int number = 0;
    ritz_name_table table = {.what = "mesh", .names = names};
    for (; ritz_bench_meshes[table.n].name; table.n++)
        names[table.n] = ritz_bench_meshes[table.n].name;
    return ritz_find_name(&table, name, &number) ? NULL : &ritz_bench_meshes[number];
}

/* ---- Unstructured meshes ---- */

/* Numbers that are the same everywhere: splitmix64 (Steele, Lea, Flood 2014) of a counter. */
static uint64_t random_bits(uint64_t counter)
{
    uint64_t z = (counter + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* number[n]: a random order of 0..n-1. */
static void shuffle_numbers(int32_t n, int32_t *number)
{
    for (int32_t i = 0; i < n; i++)
        number[i] = i;
    for (int32_t i = n - 1; i > 0; i--) {
        int32_t k = (int32_t)(random_bits((uint64_t)i) % (uint64_t)(i + 1)), swap = number[i];
        number[i] = number[k];
        number[k] = swap;
    }
}

/* Nodes of a grid with their numbers; a number serves as its node's rank, too. */
typedef struct grid {
    int dim;
    int32_t nodes[3];
    int32_t n_nodes;
    int32_t *number;
    double *coordinates; /* [n_nodes][dim], by number */
    int64_t n_cells;
    int32_t *vertices; /* [n_cells][dim + 1] */
} grid;

/* Inner nodes move along each axis by up to a tenth of a cell, which turns no cell inside out. */
static void place_nodes(const grid *g)
{
    int32_t at = 0, i[3];
    for (i[2] = 0; i[2] < g->nodes[2]; i[2]++)
        for (i[1] = 0; i[1] < g->nodes[1]; i[1]++)
            for (i[0] = 0; i[0] < g->nodes[0]; i[0]++, at++)
                for (int a = 0; a < g->dim; a++) {
                    double jitter = (double)(random_bits((uint64_t)(3 * (int64_t)at + a)) >> 11) * 0x1p-53 - 0.5;
                    bool inner = i[a] > 0 && i[a] < g->nodes[a] - 1;
                    g->coordinates[(int64_t)g->number[at] * g->dim + a] = i[a] + (inner ? 0.2 * jitter : 0);
                }
}

/* Positive volume, by a swap of the first two vertices. */
static void orient_cell(const grid *g, int32_t *vertices)
{
    const double *x[4];
    double edge[3][3] = {{0}};
    for (int v = 0; v <= g->dim; v++)
        x[v] = g->coordinates + (int64_t)vertices[v] * g->dim;
    for (int e = 0; e < g->dim; e++)
        for (int a = 0; a < g->dim; a++)
            edge[e][a] = x[e + 1][a] - x[0][a];
    double volume = g->dim == 2 ? edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0]
                                : edge[0][0] * (edge[1][1] * edge[2][2] - edge[1][2] * edge[2][1]) -
                                      edge[0][1] * (edge[1][0] * edge[2][2] - edge[1][2] * edge[2][0]) +
                                      edge[0][2] * (edge[1][0] * edge[2][1] - edge[1][1] * edge[2][0]);
    if (volume < 0) {
        int32_t swap = vertices[0];
        vertices[0] = vertices[1];
        vertices[1] = swap;
    }
}

/* Two triangles (a, b, c) of a quadrilateral given around, split through its corner of lowest rank. */
static void split_quad(const int32_t around[4], int32_t triangles[2][3])
{
    int low = 0;
    for (int v = 1; v < 4; v++)
        low = around[v] < around[low] ? v : low;
    for (int t = 0; t < 2; t++) {
        triangles[t][0] = around[low];
        triangles[t][1] = around[(low + 1 + t) % 4];
        triangles[t][2] = around[(low + 2 + t) % 4];
    }
}

static void cut_square(grid *g, const int32_t corner[8])
{
    const int32_t around[4] = {corner[0], corner[1], corner[3], corner[2]};
    int32_t triangles[2][3];
    split_quad(around, triangles);
    for (int t = 0; t < 2; t++, g->n_cells++) {
        memcpy(g->vertices + 3 * g->n_cells, triangles[t], sizeof triangles[t]);
        orient_cell(g, g->vertices + 3 * g->n_cells);
    }
}

/* Corner c lies at (c & 1, c >> 1 & 1, c >> 2). */
static void cut_cube(grid *g, const int32_t corner[8])
{
    int low = 0;
    for (int c = 1; c < 8; c++)
        low = corner[c] < corner[low] ? c : low;
    for (int axis = 0; axis < 3; axis++) {
        int across = 1 << axis, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3;
        int first = (low & across) ^ across; /* the side away from the lowest corner */
        const int32_t around[4] = {corner[first], corner[first | u], corner[first | u | v], corner[first | v]};
        int32_t triangles[2][3];
        split_quad(around, triangles);
        for (int t = 0; t < 2; t++, g->n_cells++) {
            int32_t *vertices = g->vertices + 4 * g->n_cells;
            vertices[0] = corner[low];
            memcpy(vertices + 1, triangles[t], sizeof triangles[t]);
            orient_cell(g, vertices);
        }
    }
}

static void cut_cells(grid *g)
{
    const int32_t stride[3] = {1, g->nodes[0], g->nodes[0] * g->nodes[1]};
    const int32_t n[3] = {g->nodes[0] - 1, g->nodes[1] - 1, g->dim == 3 ? g->nodes[2] - 1 : 1};
    for (int32_t z = 0; z < n[2]; z++)
        for (int32_t y = 0; y < n[1]; y++)
            for (int32_t x = 0; x < n[0]; x++) {
                int32_t corner[8];
                for (int c = 0; c < 1 << g->dim; c++)
                    corner[c] = g->number[(x + (c & 1)) * stride[0] + (y + (c >> 1 & 1)) * stride[1] +
                                          (z + (c >> 2)) * stride[2]];
                if (g->dim == 2)
                    cut_square(g, corner);
                else
                    cut_cube(g, corner);
            }
}

static ritz_status create_unstructured(const ritz_bench_mesh *about, ritz_mesh **mesh)
{
    ritz_status status = RITZ_OK;
    grid g = {.dim = ritz_cell_dim(about->cell)};
    int64_t n_boxes = 1;
    memcpy(g.nodes, about->nodes, sizeof g.nodes);
    g.n_nodes = g.nodes[0] * g.nodes[1] * g.nodes[2];
    for (int a = 0; a < g.dim; a++)
        n_boxes *= g.nodes[a] - 1;
    RITZ_NEW(g.number, g.n_nodes);
    RITZ_NEW(g.coordinates, (int64_t)g.n_nodes * g.dim);
    RITZ_NEW(g.vertices, n_boxes * (g.dim == 2 ? 2 * 3 : 6 * 4));
    shuffle_numbers(g.n_nodes, g.number);
    place_nodes(&g);
    cut_cells(&g);
    const ritz_block_arrays cells = {.cell = about->cell, .n_cells = g.n_cells, .nodes = g.vertices};
    const ritz_mesh_arrays arrays = {
        .dim = g.dim, .n_nodes = g.n_nodes, .coordinates = g.coordinates, .n_blocks = 1, .blocks = &cells};
    RITZ_TRY(ritz_mesh_create(&arrays, mesh));
done:
    ritz_free(g.number);
    ritz_free(g.coordinates);
    ritz_free(g.vertices);
    return status;
}

ritz_status ritz_bench_mesh_create(const ritz_bench_mesh *about, ritz_mesh **mesh)
{
    ritz_box box = {.cell = about->cell};
    for (int a = 0; a < ritz_cell_dim(about->cell); a++) {
        if (about->nodes[a] < 2 || (int64_t)about->nodes[0] * about->nodes[1] * about->nodes[2] > INT32_MAX)
            return ritz_fail(RITZ_ERROR_INPUT,
                             "a mesh of %d x %d x %d nodes is not possible; use 2 or more along an axis",
                             about->nodes[0], about->nodes[1], about->nodes[2]);
        box.cells[a] = about->nodes[a] - 1;
        box.size[a] = box.cells[a];
    }
    return about->unstructured ? create_unstructured(about, mesh) : ritz_mesh_box(&box, mesh);
}
