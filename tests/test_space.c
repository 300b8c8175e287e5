/* Function spaces: closed formulas for numbers of nodes, continuity whatever the numbering and orientation of cells,
   groups, curved geometry, constraints and the motions they leave free. */
#include "arrays.h"
#include "mesh/internal.h"
#include "space/space.h"

#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SUCCEEDS(call)                                                                                                 \
    do {                                                                                                               \
        if ((call) != RITZ_OK)                                                                                         \
            fail_msg("%s: %s", #call, ritz_message());                                                                 \
    } while (0)

static uint32_t random_state = 1;
static uint32_t random_number(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

static ritz_mesh *box_mesh(ritz_cell cell, int nx, int ny, int nz, double distort)
{
    ritz_mesh *mesh = NULL;
    ritz_box box = {.cell = cell, .cells = {nx, ny, nz}, .distort = distort};
    SUCCEEDS(ritz_mesh_box(&box, &mesh));
    return mesh;
}

static ritz_space *make_space(const ritz_mesh *mesh, int order, int n_components)
{
    ritz_space *space = NULL;
    SUCCEEDS(ritz_space_create(mesh, order, n_components, &space));
    return space;
}

/* ---- shuffling --------------------------------------------------------------------------------------------------- */

enum { MAX_TURNS = 24 };

/* Whether the permutation of a cell's vertices is an affine map of positive determinant of the cell onto itself. */
static bool is_turn(ritz_cell cell, const int *turn)
{
    const ritz_topology *topology = ritz_cell_topology(cell);
    const double *v = ritz_cell_vertices(cell);
    int dim = topology->dim, n = topology->n_vertices;
    int axis[3] = {0}; /* vertices at the unit points of each axis */
    for (int i = 0; i < n; i++)
        for (int d = 0; d < dim; d++) {
            double sum = 0;
            for (int e = 0; e < dim; e++)
                sum += v[i * dim + e];
            if (sum == 1 && v[i * dim + d] == 1)
                axis[d] = i;
        }
    double jacobian[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int d = 0; d < dim; d++)
        for (int e = 0; e < dim; e++)
            jacobian[e][d] = v[turn[axis[d]] * dim + e] - v[turn[0] * dim + e];
    for (int i = 0; i < n; i++)
        for (int e = 0; e < dim; e++) {
            double x = v[turn[0] * dim + e];
            for (int d = 0; d < dim; d++)
                x += jacobian[e][d] * v[i * dim + d];
            if (x != v[turn[i] * dim + e])
                return false;
        }
    double det = 0;
    for (int d = 0; d < 3; d++)
        det += jacobian[0][d] * (jacobian[1][(d + 1) % 3] * jacobian[2][(d + 2) % 3] -
                                 jacobian[1][(d + 2) % 3] * jacobian[2][(d + 1) % 3]);
    return det > 0;
}

/* All ways to number a cell's vertices that keep it the same cell. */
static int find_turns(ritz_cell cell, int turns[MAX_TURNS][8])
{
    int n = ritz_cell_topology(cell)->n_vertices, n_turns = 0, turn[8];
    int total = 1;
    for (int i = 0; i < n; i++)
        total *= n;
    for (int code = 0; code < total; code++) {
        unsigned used = 0;
        for (int i = 0, rest = code; i < n; i++, rest /= n)
            used |= 1u << (turn[i] = rest % n);
        if (used == (1u << n) - 1 && is_turn(cell, turn))
            memcpy(turns[n_turns++], turn, sizeof turn);
    }
    return n_turns;
}

static int turns[RITZ_N_CELLS][MAX_TURNS][8], n_turns[RITZ_N_CELLS];

static int find_all_turns(void **state)
{
    (void)state;
    static const int expected[] = {3, 4, 12, 6, 24}; /* orders of the rotation groups */
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        n_turns[cell] = find_turns((ritz_cell)cell, turns[cell]);
        if (n_turns[cell] != expected[cell])
            return -1;
    }
    return 0;
}

/* New random numbers for the mesh's nodes and a random turn of each cell, in place (linear geometry). */
static void shuffle_mesh(ritz_mesh *mesh)
{
    int32_t *number = malloc(sizeof(int32_t) * (size_t)mesh->n_nodes);
    double *nodes = malloc(sizeof(double[3]) * (size_t)mesh->n_nodes);
    for (int32_t i = 0; i < mesh->n_nodes; i++) {
        int32_t k = (int32_t)random_number((uint32_t)i + 1);
        number[i] = number[k];
        number[k] = i;
    }
    for (int32_t i = 0; i < mesh->n_nodes; i++)
        memcpy(nodes + 3 * number[i], mesh->nodes + 3 * i, sizeof(double[3]));
    memcpy(mesh->nodes, nodes, sizeof(double[3]) * (size_t)mesh->n_nodes);
    for (int b = 0; b < mesh->n_blocks; b++) {
        ritz_mesh_block *block = &mesh->blocks[b];
        for (int32_t c = 0; c < block->n_cells; c++) {
            int32_t before[8], *cell = block->nodes + c * block->n_nodes;
            const int *turn = turns[block->cell][random_number((uint32_t)n_turns[block->cell])];
            memcpy(before, cell, sizeof(int32_t) * (size_t)block->n_nodes);
            for (int i = 0; i < block->n_nodes; i++)
                cell[i] = number[before[turn[i]]];
        }
    }
    for (int32_t e = 0; e < mesh->n_entities; e++)
        for (int k = 0; k < mesh->entities[e].n_vertices; k++)
            mesh->entities[e].vertices[k] = number[mesh->entities[e].vertices[k]];
    SUCCEEDS(ritz_mesh_attach_entities(mesh));
    free(number);
    free(nodes);
}

/* A mesh from blocks of linear cells, without renumbering: cells[b][n_cells[b]][vertices]. */
static ritz_mesh *hand_mesh(int dim, int n_nodes, const double *x, int n_blocks, const ritz_cell *types,
                            const int *n_cells, const int32_t *const *cells)
{
    ritz_mesh *mesh = NULL;
    int32_t group, set;
    ritz_mesh_block *block;
    SUCCEEDS(ritz_mesh_new(dim, &mesh));
    SUCCEEDS(ritz_mesh_add_group(mesh, dim, 1, "body", &group));
    SUCCEEDS(ritz_mesh_add_set(mesh, 1, &group, &set));
    SUCCEEDS(ritz_allocate((void **)&mesh->nodes, 3 * n_nodes, sizeof(double)));
    mesh->n_nodes = n_nodes;
    memcpy(mesh->nodes, x, sizeof(double[3]) * (size_t)n_nodes);
    for (int b = 0; b < n_blocks; b++) {
        SUCCEEDS(ritz_mesh_add_block(mesh, types[b], 1, n_cells[b], &block));
        memcpy(block->nodes, cells[b], sizeof(int32_t) * (size_t)(n_cells[b] * block->n_nodes));
        for (int c = 0; c < n_cells[b]; c++)
            block->set[c] = set;
    }
    return mesh;
}

/* A hex, two prisms beside it (one face to face with it), tets on and under the prisms' triangles. */
static ritz_mesh *mixed_solid(void)
{
    static const double x[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0},     {0, 1, 0},      {0, 0, 1},
                                  {1, 0, 1}, {1, 1, 1}, {0, 1, 1},     {2, 0, 0},      {2, 0, 1},
                                  {2, 1, 0}, {2, 1, 1}, {1.4, 0.4, 2}, {1.5, 0.3, -1}, {1.7, 0.8, 2}};
    static const int32_t tets[] = {5, 9, 6, 12, 1, 2, 8, 13, 9, 11, 6, 14, 9, 14, 6, 12};
    static const int32_t prisms[] = {1, 8, 2, 5, 9, 6, 8, 10, 2, 9, 11, 6};
    static const int32_t hexes[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const int32_t *const cells[] = {tets, prisms, hexes};
    return hand_mesh(3, 15, x[0], 3, (ritz_cell[]){RITZ_TET, RITZ_PRISM, RITZ_HEX}, (int[]){4, 2, 1}, cells);
}

/* Two quads and three triangles. */
static ritz_mesh *mixed_plane(void)
{
    static const double x[][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0},   {0, 1, 0},
                                  {1, 1, 0}, {2, 1, 0}, {0.5, 2, 0}, {1.5, 2, 0}};
    static const int32_t triangles[] = {3, 4, 6, 4, 7, 6, 4, 5, 7}, quads[] = {0, 1, 4, 3, 1, 2, 5, 4};
    static const int32_t *const cells[] = {triangles, quads};
    return hand_mesh(2, 8, x[0], 2, (ritz_cell[]){RITZ_TRI, RITZ_QUAD}, (int[]){3, 2}, cells);
}

/* ---- numbering --------------------------------------------------------------------------------------------------- */

static int lattice(int p, const int *n, int dim)
{
    int nodes = 1;
    for (int d = 0; d < dim; d++)
        nodes *= p * n[d] + 1;
    return nodes;
}

/* Every cell finds its nodes, computed through its own geometry, where the space has them; every node is used; numbers
   run by first use. */
static void assert_continuous(const ritz_space *space)
{
    int32_t next = 0;
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        const ritz_mesh_block *block = batch->block;
        int n_geometry = block->n_nodes, dim = space->dim, stride = (1 + dim) * n_geometry;
        ritz_basis *geometry = NULL;
        double *psi = malloc(sizeof(double) * (size_t)(batch->n_shape * stride));
        SUCCEEDS(ritz_basis_create(block->cell, block->geometry_order, RITZ_NODES_LOBATTO, &geometry));
        SUCCEEDS(ritz_basis_tabulate(geometry, batch->n_shape, batch->basis->nodes, psi));
        for (int32_t c = 0; c < batch->n_cells; c++) {
            assert_int_equal(batch->first_node[c], next);
            int32_t largest = next - 1;
            for (int i = 0; i < batch->n_shape; i++) {
                int32_t node = batch->cell_nodes[c * batch->n_shape + i];
                assert_true(node >= 0 && node < space->n_nodes);
                largest = node > largest ? node : largest;
                for (int d = 0; d < dim; d++) {
                    double x = 0;
                    for (int k = 0; k < n_geometry; k++)
                        x += psi[i * stride + k] * space->mesh->nodes[3 * block->nodes[c * n_geometry + k] + d];
                    assert_true(fabs(x - space->coordinates[node * dim + d]) < 1e-12);
                }
            }
            next = largest + 1;
            assert_int_equal(batch->first_node[c + 1], next);
        }
        ritz_basis_destroy(&geometry);
        free(psi);
    }
    assert_int_equal(next, space->n_nodes);
}

/* A polynomial of degree p. */
static double polynomial(int p, const double *x, int dim)
{
    return pow(0.3 + 0.5 * x[0] - 0.4 * x[1] + (dim == 3 ? 0.7 * x[2] : 0), p);
}

/* Interpolated at the nodes, it is found again at random points of every cell (affine cells). */
static void assert_interpolates(const ritz_space *space)
{
    enum { N_POINTS = 3 };
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        int dim = space->dim, n = batch->n_shape, n_geometry = batch->block->n_nodes;
        double points[N_POINTS * 3], x[3];
        ritz_basis *geometry = NULL;
        double *psi = malloc(sizeof(double) * (size_t)(N_POINTS * (1 + dim) * n)),
               *shape = malloc(sizeof(double[N_POINTS * 4 * 8]));
        for (int i = 0; i < N_POINTS * dim; i++)
            points[i] = random_number(1000) * 0.33e-3;
        SUCCEEDS(ritz_basis_create(batch->cell, 1, RITZ_NODES_LOBATTO, &geometry));
        SUCCEEDS(ritz_basis_tabulate(geometry, N_POINTS, points, shape));
        SUCCEEDS(ritz_basis_tabulate(batch->basis, N_POINTS, points, psi));
        for (int32_t c = 0; c < batch->n_cells; c++)
            for (int q = 0; q < N_POINTS; q++) {
                double value = 0;
                for (int i = 0; i < n; i++)
                    value += psi[q * (1 + dim) * n + i] *
                             polynomial(space->order, &space->coordinates[batch->cell_nodes[c * n + i] * dim], dim);
                for (int d = 0; d < 3; d++) {
                    x[d] = 0;
                    for (int k = 0; k < n_geometry; k++)
                        x[d] += shape[q * (1 + dim) * n_geometry + k] *
                                space->mesh->nodes[3 * batch->block->nodes[c * n_geometry + k] + d];
                }
                assert_true(fabs(value - polynomial(space->order, x, dim)) < 1e-11);
            }
        ritz_basis_destroy(&geometry);
        free(psi);
        free(shape);
    }
}

/* The space of order 1 inside: what is linear is found again from its values at the vertices. */
static void assert_weighs_vertices(const ritz_space *space)
{
    const int64_t n = space->n_nodes;
    int32_t *vertices = malloc((size_t)n * RITZ_VERTICES_MOST * 4), *place = malloc((size_t)n * 4), n_vertices = 0;
    double *weights = malloc((size_t)n * RITZ_VERTICES_MOST * 8);
    int32_t found = 0;
    SUCCEEDS(ritz_space_get_vertex_weights(space, vertices, weights, &n_vertices));
    for (int64_t i = 0; i < n; i++)
        if (vertices[i * RITZ_VERTICES_MOST + 1] < 0) {
            assert_true(vertices[i * RITZ_VERTICES_MOST] == found && weights[i * RITZ_VERTICES_MOST] == 1);
            place[found++] = (int32_t)i;
        }
    assert_int_equal(found, n_vertices);
    for (int64_t i = 0; i < n; i++) {
        double value = 0;
        int last = -1;
        for (int k = 0; k < RITZ_VERTICES_MOST; k++) {
            const int32_t v = vertices[i * RITZ_VERTICES_MOST + k];
            const double weight = weights[i * RITZ_VERTICES_MOST + k];
            if (v < 0) {
                assert_true(v == -1 && weight == 0);
                continue;
            }
            assert_true(v > last && v < n_vertices && weight > 0);
            last = v;
            value += weight * polynomial(1, &space->coordinates[place[v] * space->dim], space->dim);
        }
        assert_true(fabs(value - polynomial(1, &space->coordinates[i * space->dim], space->dim)) < 1e-12);
    }
    free(vertices);
    free(place);
    free(weights);
}

static void boxes_have_lattice_nodes(void **state)
{
    (void)state;
    static const int n[] = {2, 1, 2};
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        for (int p = 1; p <= RITZ_MAX_ORDER; p++)
            for (int shuffled = 0; shuffled < 2; shuffled++) {
                int dim = ritz_cell_dim((ritz_cell)cell);
                ritz_mesh *mesh = box_mesh((ritz_cell)cell, n[0], n[1], n[2], 0);
                if (shuffled)
                    shuffle_mesh(mesh);
                ritz_space *space = make_space(mesh, p, dim);
                assert_int_equal(ritz_space_n_nodes(space), lattice(p, n, dim));
                assert_int_equal(ritz_space_n_dofs(space), dim * lattice(p, n, dim));
                assert_ptr_equal(ritz_space_coordinates(space), space->coordinates);
                assert_continuous(space);
                assert_interpolates(space);
                ritz_space_destroy(&space);
                ritz_mesh_destroy(&mesh);
            }
}

static void distorted_boxes_are_continuous(void **state)
{
    (void)state;
    static const int n[] = {2, 2, 1};
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        for (int p = 1; p <= RITZ_MAX_ORDER; p++) {
            ritz_mesh *mesh = box_mesh((ritz_cell)cell, n[0], n[1], n[2], 0.2);
            shuffle_mesh(mesh);
            ritz_space *space = make_space(mesh, p, 1);
            assert_int_equal(space->n_nodes, lattice(p, n, space->dim));
            assert_continuous(space);
            assert_weighs_vertices(space);
            ritz_space_destroy(&space);
            ritz_mesh_destroy(&mesh);
        }
}

static void mixed_meshes_are_continuous(void **state)
{
    (void)state;
    for (int trial = 0; trial < 6; trial++)
        for (int p = 1; p <= RITZ_MAX_ORDER; p++) {
            ritz_mesh *mesh = mixed_solid();
            shuffle_mesh(mesh);
            ritz_space *space = make_space(mesh, p, 3);
            /* Each cell's nodes less those of the faces that it shares. */
            int tri = (p + 1) * (p + 2) / 2, quad = (p + 1) * (p + 1), line = p + 1;
            int hex = quad * line, prism = tri * line, tet = tri * (p + 3) / 3;
            int solid = hex + 2 * prism - 2 * quad /* prism on hex, prism on prism */
                        + 3 * (tet - tri)          /* on the first prism above and below, on the second above */
                        + tet - 2 * tri + line;    /* between the two upper tets: two faces that share an edge */
            assert_int_equal(space->n_nodes, solid);
            assert_continuous(space);
            assert_weighs_vertices(space);
            assert_interpolates(space);
            ritz_space_destroy(&space);
            ritz_mesh_destroy(&mesh);
            mesh = mixed_plane();
            shuffle_mesh(mesh);
            space = make_space(mesh, p, 2);
            assert_int_equal(space->n_nodes, 2 * quad - line + 3 * (tri - line) - (p + 1) + 1);
            assert_continuous(space);
            assert_interpolates(space);
            ritz_space_destroy(&space);
            ritz_mesh_destroy(&mesh);
        }
}

static void arrays_are_continuous(void **state)
{
    (void)state;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        int dim = ritz_cell_dim((ritz_cell)cell);
        ritz_mesh *box = box_mesh((ritz_cell)cell, 2, 2, 2, 0), *mesh = NULL;
        shuffle_mesh(box);
        double *x = malloc(sizeof(double) * (size_t)(box->n_nodes * dim));
        for (int32_t i = 0; i < box->n_nodes; i++)
            memcpy(x + i * dim, box->nodes + 3 * i, sizeof(double) * (size_t)dim);
        SUCCEEDS(
            mesh_from_arrays((ritz_cell)cell, box->n_nodes, x, box->blocks[0].n_cells, box->blocks[0].nodes, &mesh));
        for (int p = 1; p <= RITZ_MAX_ORDER; p++) {
            ritz_space *space = make_space(mesh, p, 1);
            assert_int_equal(space->n_nodes, lattice(p, (int[]){2, 2, 2}, dim));
            assert_continuous(space);
            ritz_space_destroy(&space);
        }
        free(x);
        ritz_mesh_destroy(&box);
        ritz_mesh_destroy(&mesh);
    }
}

/* The same numbers and bits, whatever the number of threads. */
static void threads_change_nothing(void **state)
{
    (void)state;
    int threads = omp_get_max_threads();
    ritz_mesh *mesh = box_mesh(RITZ_TET, 8, 8, 8, 0.1);
    shuffle_mesh(mesh);
    for (int p = 1; p <= 4; p++) {
        omp_set_num_threads(1);
        ritz_space *one = make_space(mesh, p, 1);
        omp_set_num_threads(3);
        ritz_space *three = make_space(mesh, p, 1);
        const ritz_space_batch *a = one->batches, *b = three->batches;
        assert_int_equal(one->n_nodes, three->n_nodes);
        assert_memory_equal(a->cell_nodes, b->cell_nodes, sizeof(int32_t) * (size_t)(a->n_cells * a->n_shape));
        assert_memory_equal(one->coordinates, three->coordinates, sizeof(double[3]) * (size_t)one->n_nodes);
        ritz_space_destroy(&one);
        ritz_space_destroy(&three);
    }
    omp_set_num_threads(threads);
    ritz_mesh_destroy(&mesh);
}

/* ---- geometry ---------------------------------------------------------------------------------------------------- */

static void bend(const double *from, int dim, double *x)
{
    x[0] = from[0] + 0.1 * from[1] * from[1];
    x[1] = from[1] + 0.15 * from[0] * from[0] + (dim == 3 ? 0.1 * from[2] * from[2] : 0);
    x[2] = dim == 3 ? from[2] - 0.1 * from[0] * from[1] : 0;
}

/* The mesh with second-order cells whose nodes went through `bend`. */
static ritz_mesh *bent_mesh(const ritz_mesh *straight)
{
    ritz_mesh *mesh = NULL;
    ritz_space *space = make_space(straight, 2, 1);
    ritz_mesh_block *block;
    SUCCEEDS(ritz_mesh_new(straight->dim, &mesh));
    SUCCEEDS(ritz_allocate((void **)&mesh->nodes, 3 * space->n_nodes, sizeof(double)));
    mesh->n_nodes = space->n_nodes;
    for (int32_t i = 0; i < space->n_nodes; i++)
        bend(space->coordinates + i * space->dim, space->dim, mesh->nodes + 3 * i);
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        SUCCEEDS(ritz_mesh_add_block(mesh, batch->cell, 2, batch->n_cells, &block));
        memcpy(block->nodes, batch->cell_nodes, sizeof(int32_t) * (size_t)(batch->n_cells * batch->n_shape));
    }
    ritz_space_destroy(&space);
    return mesh;
}

static void curved_geometry(void **state)
{
    (void)state;
    static const int n[] = {2, 1, 2};
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        ritz_mesh *straight = box_mesh((ritz_cell)cell, n[0], n[1], n[2], 0);
        shuffle_mesh(straight);
        ritz_mesh *mesh = bent_mesh(straight);
        for (int p = 1; p <= 5; p++) {
            ritz_space *space = make_space(mesh, p, 1), *flat = make_space(straight, p, 1);
            assert_int_equal(space->n_nodes, lattice(p, n, mesh->dim)); /* order 1: vertices only */
            assert_continuous(space);
            /* bend is quadratic, so second-order cells follow it exactly; compared as sets of points by their sums */
            double sum[3] = {0, 0, 0}, expected[3] = {0, 0, 0}, x[3];
            for (int32_t i = 0; i < space->n_nodes; i++) {
                bend(flat->coordinates + i * mesh->dim, mesh->dim, x);
                for (int d = 0; d < mesh->dim; d++) {
                    sum[d] += pow(space->coordinates[i * mesh->dim + d], 3);
                    expected[d] += pow(x[d], 3);
                }
            }
            for (int d = 0; d < mesh->dim; d++)
                assert_true(fabs(sum[d] - expected[d]) < 1e-9 * (1 + fabs(expected[d])));
            ritz_space_destroy(&flat);
            ritz_space_destroy(&space);
        }
        ritz_mesh_destroy(&mesh);
        ritz_mesh_destroy(&straight);
    }
}

/* Equispaced nodes of a box of unit cells stand on a lattice of step 1/p; each node keeps its neighbours. */
static void equispaced_coordinates(void **state)
{
    (void)state;
    static const int n[] = {2, 2, 1};
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        for (int p = 1; p <= RITZ_MAX_ORDER; p++) {
            ritz_mesh *mesh = box_mesh((ritz_cell)cell, n[0], n[1], n[2], 0);
            shuffle_mesh(mesh);
            ritz_space *space = make_space(mesh, p, 1);
            double *x = malloc(sizeof(double[3]) * (size_t)space->n_nodes);
            uint8_t *taken = calloc((size_t)lattice(p, n, 3), 1);
            SUCCEEDS(ritz_space_family_coordinates(space, RITZ_NODES_EQUISPACED, x));
            for (int32_t i = 0; i < space->n_nodes; i++) {
                int place = 0;
                for (int d = 0; d < 3; d++) {
                    double step = x[3 * i + d] * n[d] * p;
                    assert_true(fabs(step - round(step)) < 1e-11);
                    place = place * (n[d] * p + 1) + (int)round(step);
                    if (d < mesh->dim)
                        assert_true(fabs(x[3 * i + d] - space->coordinates[i * mesh->dim + d]) < 1.0 / (n[d] * p));
                }
                assert_false(taken[place]);
                taken[place] = 1;
            }
            SUCCEEDS(ritz_space_family_coordinates(space, RITZ_NODES_LOBATTO, x));
            for (int32_t i = 0; i < space->n_nodes; i++)
                assert_memory_equal(x + 3 * i, space->coordinates + i * mesh->dim, sizeof(double) * (size_t)mesh->dim);
            free(x);
            free(taken);
            ritz_space_destroy(&space);
            ritz_mesh_destroy(&mesh);
        }
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Nodes of the group, all with coordinate `axis` equal to `where`. */
static int group_size(const ritz_space *space, const char *name, int axis, double where)
{
    int32_t group = -1, n = 0, *nodes = NULL;
    SUCCEEDS(ritz_mesh_find_group(space->mesh, name, -1, &group));
    SUCCEEDS(ritz_space_group_nodes(space, group, &nodes, &n));
    for (int32_t i = 0; i < n; i++) {
        assert_true(i == 0 || nodes[i] > nodes[i - 1]);
        if (axis >= 0)
            assert_true(fabs(space->coordinates[nodes[i] * space->dim + axis] - where) < 1e-14);
    }
    ritz_free(nodes);
    return n;
}

static void group_nodes_of_sides(void **state)
{
    (void)state;
    static const int n[] = {2, 3, 1};
    static const char *const low[] = {"x0", "y0", "z0"}, *const high[] = {"x1", "y1", "z1"};
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        for (int p = 1; p <= RITZ_MAX_ORDER; p++)
            for (int shuffled = 0; shuffled < 2; shuffled++) {
                ritz_mesh *mesh = box_mesh((ritz_cell)cell, n[0], n[1], n[2], 0);
                if (shuffled)
                    shuffle_mesh(mesh);
                ritz_space *space = make_space(mesh, p, 1);
                assert_int_equal(group_size(space, "body", -1, 0), space->n_nodes);
                for (int d = 0; d < mesh->dim; d++) {
                    int across = p * n[d] + 1;
                    assert_int_equal(group_size(space, low[d], d, 0), space->n_nodes / across);
                    assert_int_equal(group_size(space, high[d], d, 1), space->n_nodes / across);
                }
                ritz_space_destroy(&space);
                ritz_mesh_destroy(&mesh);
            }
}

static int32_t node_at(const ritz_mesh *mesh, double x, double y, double z)
{
    for (int32_t i = 0; i < mesh->n_nodes; i++)
        if (fabs(mesh->nodes[3 * i] - x) + fabs(mesh->nodes[3 * i + 1] - y) + fabs(mesh->nodes[3 * i + 2] - z) < 1e-12)
            return i;
    fail_msg("no node at (%g, %g, %g)", x, y, z);
    return -1;
}

static void add_entity(ritz_mesh *mesh, const char *group_name, int dim, int32_t a, int32_t b)
{
    int32_t group, set;
    SUCCEEDS(ritz_mesh_add_group(mesh, dim, 77 + dim, group_name, &group));
    SUCCEEDS(ritz_mesh_add_set(mesh, 1, &group, &set));
    SUCCEEDS(ritz_reallocate((void **)&mesh->entities, mesh->n_entities + 1, sizeof *mesh->entities));
    mesh->entities[mesh->n_entities++] = (ritz_mesh_entity){.dim = (int8_t)dim,
                                                            .n_vertices = (int8_t)(dim + 1),
                                                            .facet = -1,
                                                            .vertices = {a, b},
                                                            .set = set,
                                                            .block = -1,
                                                            .cell = -1};
    SUCCEEDS(ritz_mesh_attach_entities(mesh));
}

static void group_nodes_of_edges_and_points(void **state)
{
    (void)state;
    for (int cell = RITZ_TET; cell < RITZ_N_CELLS; cell++)
        for (int p = 1; p <= RITZ_MAX_ORDER; p++) {
            ritz_mesh *mesh = box_mesh((ritz_cell)cell, 2, 2, 2, 0);
            add_entity(mesh, "edge", 1, node_at(mesh, 0, 0.5, 1), node_at(mesh, 0.5, 0.5, 1));
            add_entity(mesh, "edge", 1, node_at(mesh, 1, 0.5, 1), node_at(mesh, 0.5, 0.5, 1));
            add_entity(mesh, "point", 0, node_at(mesh, 0.5, 0.5, 0.5), 0);
            shuffle_mesh(mesh);
            ritz_space *space = make_space(mesh, p, 3);
            assert_int_equal(group_size(space, "edge", 1, 0.5), 2 * p + 1);
            assert_int_equal(group_size(space, "edge", 2, 1), 2 * p + 1);
            for (int d = 0; d < 3; d++)
                assert_int_equal(group_size(space, "point", d, 0.5), 1);
            ritz_space_destroy(&space);
            ritz_mesh_destroy(&mesh);
        }
}

/* ---- constraints ------------------------------------------------------------------------------------------------- */

/* Fixes the components of `mask` at all nodes inside a box. */
static void fix_box(const ritz_space *space, ritz_constraints *constraints, unsigned mask, const double *low,
                    const double *high)
{
    for (int32_t i = 0; i < space->n_nodes; i++) {
        bool inside = true;
        for (int d = 0; d < space->dim; d++) {
            double x = space->coordinates[i * space->dim + d];
            inside = inside && x >= low[d] - 1e-9 && x <= high[d] + 1e-9;
        }
        for (int c = 0; c < space->n_components && inside; c++)
            if (mask >> c & 1)
                ritz_constraints_set(constraints, i, c, 0.25 * c);
    }
}

typedef struct fixing {
    unsigned mask;
    double low[3], high[3];
} fixing;

/* Checks up to three fixings; message NULL: nothing may be free, else its exact beginning. */
static void assert_check(const ritz_mesh *mesh, int n_components, const fixing *fixings, int n_fixings,
                         const char *message)
{
    ritz_space *space = make_space(mesh, 2, n_components);
    ritz_constraints *constraints = NULL;
    SUCCEEDS(ritz_constraints_create(space, &constraints));
    for (int i = 0; i < n_fixings; i++)
        fix_box(space, constraints, fixings[i].mask, fixings[i].low, fixings[i].high);
    ritz_status status = ritz_constraints_check(space, constraints, NULL);
    if (!message) {
        SUCCEEDS(status);
    } else {
        assert_int_equal(status, RITZ_ERROR_INPUT);
        if (strncmp(ritz_message(), message, strlen(message)))
            fail_msg("%s\ninstead of %s", ritz_message(), message);
    }
    ritz_constraints_destroy(&constraints);
    ritz_space_destroy(&space);
}

#define CHECK(mesh, n_components, message, ...)                                                                        \
    assert_check(mesh, n_components, (fixing[]){__VA_ARGS__}, (int)(sizeof((fixing[]){__VA_ARGS__}) / sizeof(fixing)), \
                 message)

enum { X = 1, Y = 2, Z = 4, XYZ = 7, NONE = 0 };
#define EVERYWHERE                                                                                                     \
    {-9, -9, -9},                                                                                                      \
    {                                                                                                                  \
        9, 9, 9                                                                                                        \
    }

static void free_motions_in_space(void **state)
{
    (void)state;
    ritz_mesh *mesh = box_mesh(RITZ_HEX, 2, 2, 2, 0);
    CHECK(mesh, 3,
          "no displacement is fixed; free are translation along x, translation along y, translation along z, "
          "rotation about the x axis, rotation about the y axis, rotation about the z axis:",
          {NONE, EVERYWHERE});
    CHECK(mesh, 3, NULL, {XYZ, {0, 0, 0}, {0, 1, 1}}); /* a face */
    CHECK(mesh, 3, NULL, {XYZ, EVERYWHERE});
    CHECK(mesh, 3,
          "the supports leave free rotation about the x axis, rotation about the y axis, rotation "
          "about the z axis:",
          {XYZ, {0, 0, 0}, {0, 0, 0}}); /* a point at the origin */
    CHECK(mesh, 3,
          "the supports leave free rotation about the axis along x through (0.5, 1, 0), "
          "rotation about the y axis, rotation about the axis along z through (0, 1, 0.5):",
          {XYZ, {0, 1, 0}, {0, 1, 0}}); /* a point elsewhere */
    CHECK(mesh, 3, "the supports leave free rotation about the z axis:", {XYZ, {0, 0, 0}, {0, 0, 1}}); /* a hinge */
    CHECK(mesh, 3,
          "the supports leave free rotation about the axis along x through (0.5, 1, 1):", {XYZ, {0, 1, 1}, {1, 1, 1}});
    CHECK(mesh, 3, "the supports leave free translation along z, rotation about the z axis:",
          {X | Y, {0, 0, 0}, {0, 0, 1}}); /* a hinge that slides */
    CHECK(mesh, 3, "the supports leave free translation along x, translation along y, rotation about the z axis:",
          {Z, {0, 0, 0}, {1, 1, 0}}); /* one symmetry plane */
    CHECK(mesh, 3, "the supports leave free translation along z:", {X, {0, 0, 0}, {0, 1, 1}},
          {Y, {0, 0, 0}, {1, 0, 1}});
    CHECK(mesh, 3, NULL, {X, {0, 0, 0}, {0, 1, 1}}, {Y, {0, 0, 0}, {1, 0, 1}}, {Z, {0, 0, 0}, {1, 1, 0}});
    CHECK(mesh, 3, NULL, {XYZ, {0, 0, 0}, {0, 0, 0}}, {Y | Z, {1, 0, 0}, {1, 0, 0}},
          {Z, {0, 1, 0}, {0, 1, 0}}); /* 3-2-1 */
    CHECK(mesh, 3, "the supports leave free rotation about the axis along (0.7071, 0.7071, 0) through",
          {XYZ, {0, 0, 1}, {0, 0, 1}}, {XYZ, {1, 1, 1}, {1, 1, 1}}); /* a skew hinge */
    ritz_mesh_destroy(&mesh);
}

static void free_motions_in_the_plane(void **state)
{
    (void)state;
    ritz_mesh *mesh = box_mesh(RITZ_TRI, 2, 2, 0, 0);
    CHECK(mesh, 2,
          "no displacement is fixed; free are translation along x, translation along y, rotation in the plane:",
          {NONE, EVERYWHERE});
    CHECK(mesh, 2, "the supports leave free rotation in the plane about (1, 0):", {X | Y, {1, 0, 0}, {1, 0, 0}});
    CHECK(mesh, 2, "the supports leave free translation along y:", {X, {0, 0, 0}, {0, 1, 0}});
    CHECK(mesh, 2, NULL, {X | Y, {1, 0, 0}, {1, 0, 0}}, {X, {1, 1, 0}, {1, 1, 0}});
    CHECK(mesh, 2, "the supports leave free rotation in the plane about (1, 0):", {X | Y, {1, 0, 0}, {1, 0, 0}},
          {X, {0, 0, 0}, {0, 0, 0}}); /* the second support pulls through the first */
    CHECK(mesh, 2, NULL, {X, {0, 0, 0}, {0, 1, 0}}, {Y, {0, 0, 0}, {1, 0, 0}});
    ritz_mesh_destroy(&mesh);
}

static void free_constants(void **state)
{
    (void)state;
    ritz_mesh *mesh = box_mesh(RITZ_PRISM, 2, 1, 1, 0);
    CHECK(mesh, 1, "no value is prescribed, so the solution may be shifted by any constant", {NONE, EVERYWHERE});
    CHECK(mesh, 1, NULL, {1, {0, 0, 0}, {0, 0, 0}});
    CHECK(mesh, 2, "no value is prescribed for component 2,", {1, {0, 0, 0}, {0, 0, 0}});
    ritz_mesh_destroy(&mesh);
}

static void constraints_keep_the_last_value(void **state)
{
    (void)state;
    ritz_mesh *mesh = box_mesh(RITZ_QUAD, 1, 1, 0, 0);
    ritz_space *space = make_space(mesh, 1, 2);
    ritz_constraints *constraints = NULL;
    SUCCEEDS(ritz_constraints_create(space, &constraints));
    ritz_constraints_set(constraints, 3, 1, 4.5);
    ritz_constraints_set(constraints, 3, 1, -2.5);
    ritz_constraints_set(constraints, 2, 0, 1);
    assert_int_equal(constraints->n_fixed, 2);
    assert_int_equal(constraints->fixed[3], 2);
    assert_int_equal(constraints->fixed[2], 1);
    assert_true(constraints->value[7] == -2.5 && constraints->value[4] == 1);
    ritz_constraints_set(constraints, 2, 1, NAN);
    assert_int_equal(ritz_constraints_check(space, constraints, NULL), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "component 2 prescribed at (1, 1) is "));
    ritz_constraints_set(constraints, 2, 1, 0);
    SUCCEEDS(ritz_constraints_check(space, constraints, NULL));
    ritz_constraints_destroy(&constraints);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
}

/* Two boxes of one cell type as one mesh: the second one moved by `shift` along x. */
static ritz_mesh *two_boxes(ritz_cell cell, int n, int m, double shift)
{
    ritz_mesh *a = box_mesh(cell, n, n, n, 0), *b = box_mesh(cell, m, m, m, 0);
    int n_nodes = a->n_nodes + b->n_nodes, per = a->blocks[0].n_nodes;
    int n_cells = a->blocks[0].n_cells + b->blocks[0].n_cells;
    double *x = malloc(sizeof(double[3]) * (size_t)n_nodes);
    int32_t *cells = malloc(sizeof(int32_t) * (size_t)(n_cells * per));
    memcpy(x, a->nodes, sizeof(double[3]) * (size_t)a->n_nodes);
    memcpy(x + 3 * a->n_nodes, b->nodes, sizeof(double[3]) * (size_t)b->n_nodes);
    for (int i = a->n_nodes; i < n_nodes; i++)
        x[3 * i] += shift;
    int first = a->blocks[0].n_cells * per;
    memcpy(cells, a->blocks[0].nodes, sizeof(int32_t) * (size_t)first);
    for (int i = first; i < n_cells * per; i++)
        cells[i] = b->blocks[0].nodes[i - first] + a->n_nodes;
    ritz_mesh *mesh = hand_mesh(a->dim, n_nodes, x, 1, &cell, &n_cells, (const int32_t *[]){cells});
    ritz_mesh_destroy(&a);
    ritz_mesh_destroy(&b);
    free(x);
    free(cells);
    return mesh;
}

static void floating_parts_are_told(void **state)
{
    (void)state;
    static const struct {
        int n, m;
        double shift;
        int cells;
        const char *why;
    } solid[] = {{2, 2, 3, 8, "stop this"}, /* nothing touches */
                 {2, 2, 1, 8, "stop this; 9 of its vertices coincide with vertices of other parts"},
                 {1, 2, 1, 8,
                  "; 4 of its vertices coincide with vertices of other parts without being the same: merge duplicate "
                  "nodes (glue: true in the problem file); 5 hanging nodes lie on"},
                 {2, 1, 1, 1,
                  "; 4 of its vertices coincide with vertices of other parts without being the same: merge duplicate "
                  "nodes (glue: true in the problem file); 5 hanging nodes lie on"}},
      plane[] = {{2, 2, 3, 4, "stop this"},
                 {2, 2, 1, 4, "stop this; 3 of its vertices coincide"},
                 {2, 1, 1, 1, "merge duplicate nodes (glue: true in the problem file); 1 hanging node lies on"}};
    for (int dim = 2; dim <= 3; dim++)
        for (int i = 0; i < (dim == 3 ? 4 : 3); i++) {
            char begin[300];
            int n = dim == 3 ? solid[i].n : plane[i].n, m = dim == 3 ? solid[i].m : plane[i].m;
            double shift = dim == 3 ? solid[i].shift : plane[i].shift;
            int cells = dim == 3 ? solid[i].cells : plane[i].cells;
            ritz_mesh *mesh = two_boxes(dim == 3 ? RITZ_HEX : RITZ_QUAD, n, m, shift);
            snprintf(begin, sizeof begin,
                     "the mesh has 2 parts that share no node, and one of them (%d cell%s of group 'body', with a node "
                     "at (%g, 0%s)) "
                     "is not held: no displacement is fixed; free are translation along x, translation along y,",
                     cells, cells > 1 ? "s" : "", shift, dim == 3 ? ", 0" : "");
            CHECK(mesh, dim, begin, {XYZ, {0, 0, 0}, {0.4, 1, 1}});
            if (!strstr(ritz_message(), dim == 3 ? solid[i].why : plane[i].why))
                fail_msg("%s", ritz_message());
            CHECK(mesh, dim, NULL, {XYZ, {0, 0, 0}, {0.4, 1, 1}}, {XYZ, {shift + 1, 0, 0}, {9, 9, 9}});
            ritz_mesh_destroy(&mesh);
        }
}

/* Conforming meshes have the facets on their sides and no vertex that hangs; beside one cell with a face in four parts,
   the five vertices of those parts that are not its own hang. Parts that only coincide do not. */
static void hanging_vertices_are_found(void **state)
{
    (void)state;
    static const int facets_of_box[] = {
        [RITZ_TRI] = 12, [RITZ_QUAD] = 12, [RITZ_TET] = 108, [RITZ_PRISM] = 72, [RITZ_HEX] = 54}; /* of 3 x 3 (x 3) */
    int64_t n, n_facets;
    int32_t first;
    ritz_mesh_facet *facets = NULL;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        const int dim = ritz_cell_dim((ritz_cell)cell);
        ritz_mesh *mesh = box_mesh((ritz_cell)cell, 3, 3, dim == 3 ? 3 : 0, 0.2);
        SUCCEEDS(ritz_mesh_outer_facets(mesh, &facets, &n_facets));
        assert_int_equal(n_facets, facets_of_box[cell]);
        SUCCEEDS(ritz_find_hanging(mesh, facets, n_facets, false, &n, &first));
        assert_int_equal(n, 0);
        assert_int_equal(first, -1);
        ritz_free(facets);
        ritz_mesh_destroy(&mesh);
    }
    for (int dim = 2; dim <= 3; dim++)
        for (int m = 1; m <= 2; m++) {
            ritz_mesh *mesh = two_boxes(dim == 3 ? RITZ_HEX : RITZ_QUAD, 1, m, 1);
            SUCCEEDS(ritz_mesh_outer_facets(mesh, &facets, &n_facets));
            SUCCEEDS(ritz_find_hanging(mesh, facets, n_facets, true, &n, &first));
            assert_int_equal(n, 0); /* the parts share no node */
            SUCCEEDS(ritz_find_hanging(mesh, facets, n_facets, false, &n, &first));
            ritz_free(facets);
            assert_int_equal(n, m == 1 ? 0 : dim == 3 ? 5 : 1);
            if (n)
                assert_true(mesh->nodes[3 * first] == 1 &&
                            (mesh->nodes[3 * first + 1] == 0.5 || mesh->nodes[3 * first + 2] == 0.5));
            ritz_mesh_destroy(&mesh);
        }
}

/* ---- wrong use --------------------------------------------------------------------------------------------------- */

static void wrong_orders_are_refused(void **state)
{
    (void)state;
    ritz_mesh *mesh = box_mesh(RITZ_TRI, 1, 1, 0, 0);
    ritz_space *space = NULL;
    int32_t *nodes = NULL, n = 0;
    assert_int_equal(ritz_space_create(mesh, 0, 1, &space), RITZ_ERROR_INPUT);
    assert_int_equal(ritz_space_create(mesh, 8, 1, &space), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "order 8"));
    assert_int_equal(ritz_space_create(mesh, 1, 0, &space), RITZ_ERROR_INPUT);
    assert_int_equal(ritz_space_create(mesh, 1, 9, &space), RITZ_ERROR_INPUT);
    assert_null(space);
    space = make_space(mesh, 1, 1);
    assert_int_equal(ritz_space_group_nodes(space, 99, &nodes, &n), RITZ_ERROR_INPUT);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
}

static ritz_status whole_room(const ritz_mesh *mesh)
{
    ritz_status status = RITZ_OK;
    ritz_space *space = NULL;
    ritz_constraints *constraints = NULL;
    int32_t *nodes = NULL, n = 0;
    double *x = NULL;
    RITZ_TRY(ritz_space_create(mesh, 3, 3, &space));
    RITZ_NEW(x, 3 * (int64_t)space->n_nodes);
    RITZ_TRY(ritz_space_family_coordinates(space, RITZ_NODES_EQUISPACED, x));
    RITZ_TRY(ritz_space_group_nodes(space, 0, &nodes, &n));
    RITZ_TRY(ritz_constraints_create(space, &constraints));
    RITZ_TRY(ritz_constraints_check(space, constraints, NULL));
done:
    ritz_free(x);
    ritz_free(nodes);
    ritz_constraints_destroy(&constraints);
    ritz_space_destroy(&space);
    return status;
}

static void failing_allocations(void **state)
{
    (void)state;
    ritz_mesh *mesh = two_boxes(RITZ_PRISM, 1, 1, 1);
    ritz_status status = RITZ_ERROR_MEMORY;
    int n = 1;
    for (; n < 2000 && status == RITZ_ERROR_MEMORY; n++) {
        ritz_fail_allocation(n);
        status = whole_room(mesh);
        ritz_fail_allocation(0);
    }
    assert_int_equal(status, RITZ_ERROR_INPUT); /* the parts are free, once all memory was there */
    assert_true(n > 20);
    ritz_mesh_destroy(&mesh);
}

/* A space with the numbers of the mesh. */
static void failing_allocations_of_numbers(void **state)
{
    (void)state;
    const ritz_box box = {.cell = RITZ_TET, .cells = {2, 1, 1}};
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    ritz_status status = RITZ_ERROR_MEMORY;
    int n = 1;
    assert_int_equal(ritz_mesh_box(&box, &mesh), RITZ_OK);
    for (; n < 200 && status == RITZ_ERROR_MEMORY; n++) {
        ritz_fail_allocation(n);
        status = ritz_space_create_numbered(mesh, 1, 0, 3, NULL, &space);
        ritz_fail_allocation(0);
        assert_true(status == RITZ_OK || !space);
    }
    assert_int_equal(status, RITZ_OK);
    assert_true(n > 10);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_have_lattice_nodes),
        cmocka_unit_test(distorted_boxes_are_continuous),
        cmocka_unit_test(mixed_meshes_are_continuous),
        cmocka_unit_test(arrays_are_continuous),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(curved_geometry),
        cmocka_unit_test(equispaced_coordinates),
        cmocka_unit_test(group_nodes_of_sides),
        cmocka_unit_test(group_nodes_of_edges_and_points),
        cmocka_unit_test(free_motions_in_space),
        cmocka_unit_test(free_motions_in_the_plane),
        cmocka_unit_test(free_constants),
        cmocka_unit_test(constraints_keep_the_last_value),
        cmocka_unit_test(floating_parts_are_told),
        cmocka_unit_test(hanging_vertices_are_found),
        cmocka_unit_test(wrong_orders_are_refused),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(failing_allocations_of_numbers),
    };
    return cmocka_run_group_tests(tests, find_all_turns, NULL);
}
