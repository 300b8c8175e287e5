/* Boxes, arrays, checks, renumbering, colouring, parts. Truth: volumes, areas and Euler characteristics of boxes, and
   the divergence theorem. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "arrays.h"
#include "mesh/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char last_log[512];

static void keep_log(const char *line, void *context)
{
    (void)context;
    snprintf(last_log, sizeof last_log, "%s", line);
}

static const double SIZE[3] = {2.0, 0.5, 3.0};
static const double ORIGIN[3] = {-1.0, 10.0, 4.0};

static ritz_mesh *make_box(ritz_cell cell, int n, double distort)
{
    ritz_mesh *mesh = NULL;
    ritz_box box = {.cell = cell, .cells = {n, n + 1, n + 2}, .distort = distort};
    memcpy(box.size, SIZE, sizeof SIZE);
    memcpy(box.origin, ORIGIN, sizeof ORIGIN);
    assert_int_equal(ritz_mesh_box(&box, &mesh), RITZ_OK);
    return mesh;
}

/* J[D][a] = dx_a/dxi_D at a point. */
static void jacobian(const ritz_mesh *mesh, const ritz_mesh_block *block, int32_t cell, const double *psi,
                     double J[3][3])
{
    memset(J, 0, 9 * sizeof(double));
    for (int D = 0; D < mesh->dim; D++) {
        for (int i = 0; i < block->n_nodes; i++) {
            int64_t node = block->nodes[(int64_t)cell * block->n_nodes + i];
            for (int a = 0; a < 3; a++)
                J[D][a] += psi[(1 + D) * block->n_nodes + i] * mesh->nodes[3 * node + a];
        }
    }
    if (mesh->dim == 2)
        J[2][2] = 1;
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double volume_of_block(const ritz_mesh *mesh, const ritz_mesh_block *block)
{
    ritz_basis *basis = NULL;
    ritz_quadrature *rule = NULL;
    double sum = 0;
    assert_int_equal(ritz_basis_create(block->cell, block->geometry_order, RITZ_NODES_LOBATTO, &basis), RITZ_OK);
    assert_int_equal(ritz_quadrature_create(block->cell, 6, &rule), RITZ_OK);
    int stride = (1 + mesh->dim) * block->n_nodes;
    double *psi = calloc((size_t)(rule->n_points * stride), sizeof *psi);
    assert_int_equal(ritz_basis_tabulate(basis, rule->n_points, rule->points, psi), RITZ_OK);
    for (int32_t c = 0; c < block->n_cells; c++) {
        for (int q = 0; q < rule->n_points; q++) {
            double J[3][3], n[3];
            jacobian(mesh, block, c, &psi[q * stride], J);
            cross(J[0], J[1], n);
            double det = n[0] * J[2][0] + n[1] * J[2][1] + n[2] * J[2][2];
            assert_true(det > 0);
            sum += det * rule->weights[q];
        }
    }
    free(psi);
    ritz_basis_destroy(&basis);
    ritz_quadrature_destroy(&rule);
    return sum;
}

/* Integral over the entities of a group of n (3 components) and of x . n / dim, through the facets they are attached
   to. */
static void flux_of_group(const ritz_mesh *mesh, int32_t group, double n_sum[3], double *x_dot_n)
{
    for (int32_t e = 0; e < mesh->n_entities; e++) {
        const ritz_mesh_entity *entity = &mesh->entities[e];
        if (!ritz_mesh_set_has(mesh, entity->set, group))
            continue;
        assert_true(entity->cell >= 0 && entity->facet >= 0);
        const ritz_mesh_block *block = &mesh->blocks[entity->block];
        ritz_basis *basis = NULL;
        ritz_facet_quadrature *rule = NULL;
        assert_int_equal(ritz_basis_create(block->cell, block->geometry_order, RITZ_NODES_LOBATTO, &basis), RITZ_OK);
        assert_int_equal(ritz_facet_quadrature_create(block->cell, entity->facet, 6, &rule), RITZ_OK);
        int stride = (1 + mesh->dim) * block->n_nodes;
        double *psi = calloc((size_t)(rule->n_points * stride), sizeof *psi);
        assert_int_equal(ritz_basis_tabulate(basis, rule->n_points, rule->points, psi), RITZ_OK);
        for (int q = 0; q < rule->n_points; q++) {
            double J[3][3], cofactor[3][3];
            jacobian(mesh, block, entity->cell, &psi[q * stride], J);
            for (int D = 0; D < 3; D++)
                cross(J[(D + 1) % 3], J[(D + 2) % 3], cofactor[D]);
            for (int a = 0; a < 3; a++) {
                double n = 0, x = 0;
                for (int D = 0; D < mesh->dim; D++)
                    n += cofactor[D][a] * rule->normal[D];
                for (int i = 0; i < block->n_nodes; i++)
                    x += psi[q * stride + i] *
                         mesh->nodes[3 * (int64_t)block->nodes[(int64_t)entity->cell * block->n_nodes + i] + a];
                n_sum[a] += n * rule->weights[q];
                *x_dot_n += n * x * rule->weights[q] / mesh->dim;
            }
        }
        free(psi);
        ritz_basis_destroy(&basis);
        ritz_facet_quadrature_destroy(&rule);
    }
}

static double box_volume(int dim)
{
    return dim == 2 ? SIZE[0] * SIZE[1] : SIZE[0] * SIZE[1] * SIZE[2];
}

static void check_box(const ritz_mesh *mesh)
{
    int dim = mesh->dim;
    double volume = box_volume(dim), x_dot_n = 0;
    assert_true(fabs(volume_of_block(mesh, &mesh->blocks[0]) - volume) < 1e-12 * volume);
    for (int side = 0; side < 2 * dim; side++) {
        char name[3] = {"xyz"[side / 2], (char)('0' + side % 2), 0};
        double n[3] = {0};
        int32_t group;
        assert_int_equal(ritz_mesh_find_group(mesh, name, dim - 1, &group), RITZ_OK);
        flux_of_group(mesh, group, n, &x_dot_n);
        for (int a = 0; a < dim; a++) {
            double area = a == side / 2 ? (side % 2 ? 1 : -1) * volume / SIZE[a] : 0;
            assert_true(fabs(n[a] - area) < 1e-12 * volume / SIZE[1]);
        }
    }
    assert_true(fabs(x_dot_n - volume) < 1e-10 * volume);
}

static void boxes_have_their_volume_and_sides(void **state)
{
    (void)state;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        for (int d = 0; d < 3; d++) {
            ritz_mesh *mesh = make_box((ritz_cell)cell, 3, 0.2 * d);
            check_box(mesh);
            ritz_mesh_destroy(&mesh);
        }
    }
}

static void distortion_moves_nodes_but_no_side(void **state)
{
    (void)state;
    ritz_mesh *straight = make_box(RITZ_HEX, 3, 0), *bent = make_box(RITZ_HEX, 3, 0.3);
    double low[60], high[60];
    int moved = 0;
    assert_int_equal(bent->blocks[0].n_cells, 60);
    assert_int_equal(ritz_mesh_determinants(bent, &bent->blocks[0], low, high), RITZ_OK);
    for (int c = 0; c < 60; c++)
        moved += low[c] < 0.999;
    assert_true(moved > 50);
    assert_int_equal(ritz_mesh_determinants(straight, &straight->blocks[0], low, high), RITZ_OK);
    for (int c = 0; c < 60; c++)
        assert_true(fabs(low[c] - 1) < 1e-12 && fabs(high[c] - 1) < 1e-12);
    for (int n = 0; n < bent->n_nodes; n++) {
        for (int a = 0; a < 3; a++) {
            double x = bent->nodes[3 * n + a];
            assert_true(x >= ORIGIN[a] && x <= ORIGIN[a] + SIZE[a]);
        }
    }
    ritz_mesh_destroy(&straight);
    ritz_mesh_destroy(&bent);
}

static void boxes_count_right(void **state)
{
    (void)state;
    static const int per_cube[RITZ_N_CELLS] = {2, 1, 6, 2, 1};
    static const int side_facets[RITZ_N_CELLS] = {14, 14, 188, 118, 94};
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        ritz_mesh *mesh = make_box((ritz_cell)cell, 3, 0);
        bool solid = ritz_cell_dim((ritz_cell)cell) == 3;
        assert_int_equal(ritz_mesh_dim(mesh), solid ? 3 : 2);
        assert_int_equal(ritz_mesh_n_cells(mesh, (ritz_cell)cell), per_cube[cell] * (solid ? 60 : 12));
        assert_int_equal(ritz_mesh_n_nodes(mesh), solid ? 4 * 5 * 6 : 4 * 5);
        assert_int_equal(mesh->n_entities, side_facets[cell]);
        ritz_mesh_destroy(&mesh);
    }
}

/* Vertices - edges + faces - cells is 1 for a box. */
static void boxes_have_euler_characteristic_one(void **state)
{
    (void)state;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        ritz_mesh *mesh = make_box((ritz_cell)cell, 2, 0.1);
        const ritz_topology *t = ritz_cell_topology((ritz_cell)cell);
        const ritz_mesh_block *block = &mesh->blocks[0];
        ritz_tuple_table edges = {0}, facets = {0};
        assert_int_equal(ritz_tuple_table_create(&edges, 1), RITZ_OK);
        assert_int_equal(ritz_tuple_table_create(&facets, 1), RITZ_OK);
        for (int32_t c = 0; c < block->n_cells; c++) {
            const int32_t *nodes = &block->nodes[c * block->n_nodes];
            int32_t v[4], stored;
            for (int e = 0; e < t->n_edges; e++) {
                v[0] = nodes[t->edges[e][0]];
                v[1] = nodes[t->edges[e][1]];
                assert_int_equal(ritz_tuple_add(&edges, ritz_tuple_of(2, v), c, &stored), RITZ_OK);
            }
            for (int f = 0; f < t->n_facets; f++) {
                for (int i = 0; i < t->facet_n_vertices[f]; i++)
                    v[i] = nodes[t->facets[f][i]];
                assert_int_equal(ritz_tuple_add(&facets, ritz_tuple_of(t->facet_n_vertices[f], v), c, &stored),
                                 RITZ_OK);
            }
        }
        int64_t euler = mesh->n_nodes - edges.used + (mesh->dim == 3 ? facets.used - block->n_cells : block->n_cells);
        assert_int_equal(euler, 1);
        ritz_tuple_table_free(&edges);
        ritz_tuple_table_free(&facets);
        ritz_mesh_destroy(&mesh);
    }
}

static void wrong_boxes_are_refused(void **state)
{
    (void)state;
    ritz_mesh *mesh = NULL;
    assert_int_equal(ritz_mesh_box(&(ritz_box){.cell = RITZ_HEX, .cells = {2, 2, 0}}, &mesh), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "along z"));
    assert_int_equal(ritz_mesh_box(&(ritz_box){.cell = RITZ_QUAD, .cells = {2, 2}, .size = {1, -1}}, &mesh),
                     RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "-1"));
    assert_int_equal(ritz_mesh_box(&(ritz_box){.cell = RITZ_QUAD, .cells = {2, 2}, .size = {NAN, 1}}, &mesh),
                     RITZ_ERROR_INPUT);
    assert_int_equal(ritz_mesh_box(&(ritz_box){.cell = RITZ_HEX, .cells = {2000, 2000, 2000}}, &mesh),
                     RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "2147483647"));
    assert_int_equal(ritz_mesh_box(&(ritz_box){.cell = RITZ_HEX, .cells = {2, 2, 2}, .distort = 0.7}, &mesh),
                     RITZ_ERROR_INPUT);
    assert_null(mesh);
}

static void groups_are_found_by_name(void **state)
{
    (void)state;
    ritz_mesh *mesh = make_box(RITZ_TET, 1, 0);
    int32_t group = -1;
    assert_int_equal(ritz_mesh_find_group(mesh, "body", 3, &group), RITZ_OK);
    assert_true(ritz_mesh_set_has(mesh, mesh->blocks[0].set[0], group));
    assert_int_equal(ritz_mesh_find_group(mesh, "z1", -1, &group), RITZ_OK);
    assert_int_equal(ritz_mesh_find_group(mesh, "bodi", -1, &group), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "did you mean 'body'"));
    assert_non_null(strstr(ritz_message(), "body, x0, x1, y0, y1, z0, z1"));
    assert_int_equal(ritz_mesh_find_group(mesh, "body", 2, &group), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "of surfaces"));
    ritz_mesh_destroy(&mesh);
}

/* Two tets that share a face; the second is left-handed. */
static const double TETS_X[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
static const int32_t TETS[2][4] = {{0, 1, 2, 3}, {1, 3, 2, 4}};

static void arrays_become_a_mesh(void **state)
{
    (void)state;
    ritz_mesh *mesh = NULL;
    ritz_set_log(keep_log, NULL);
    assert_int_equal(mesh_from_arrays(RITZ_TET, 5, &TETS_X[0][0], 2, &TETS[0][0], &mesh), RITZ_OK);
    ritz_set_log(NULL, NULL);
    assert_int_equal(mesh->n_nodes, 5);
    assert_true(fabs(volume_of_block(mesh, &mesh->blocks[0]) - (1.0 / 6 + 2.0 / 6)) < 1e-14);
    assert_non_null(strstr(last_log, "1 element"));
    ritz_mesh_destroy(&mesh);
}

static void wrong_arrays_are_refused(void **state)
{
    (void)state;
    ritz_mesh *mesh = NULL;
    double x[5][3];
    int32_t cells[2][4];
    memcpy(x, TETS_X, sizeof x);
    memcpy(cells, TETS, sizeof cells);
    x[3][1] = NAN;
    assert_int_equal(mesh_from_arrays(RITZ_TET, 5, &x[0][0], 2, &cells[0][0], &mesh), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "node 3"));
    x[3][1] = 0;
    cells[1][3] = 5;
    assert_int_equal(mesh_from_arrays(RITZ_TET, 5, &x[0][0], 2, &cells[0][0], &mesh), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "element 1 (tet) refers to node 5"));
    cells[1][3] = 3;
    assert_int_equal(mesh_from_arrays(RITZ_TET, 5, &x[0][0], 2, &cells[0][0], &mesh), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "element 1 (tet) is degenerate: its vertices 2 and 4 are the same node"));
    cells[1][3] = 4;
    x[4][0] = x[4][1] = 0.5, x[4][2] = 0;
    assert_int_equal(mesh_from_arrays(RITZ_TET, 5, &x[0][0], 2, &cells[0][0], &mesh), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "element 1 (tet) is degenerate: its Jacobian determinant is"));
    assert_int_equal(mesh_from_arrays(RITZ_TET, 5, &x[0][0], 0, &cells[0][0], &mesh), RITZ_ERROR_INPUT);
    assert_null(mesh);
}

/* A quad with a corner pushed through the opposite one: the determinant at Gauss points has both signs. */
static void inverted_cells_are_named(void **state)
{
    (void)state;
    ritz_mesh *mesh = NULL;
    const double x[4][2] = {{0, 0}, {1, 0}, {0.1, 0.1}, {0, 1}};
    const int32_t quad[4] = {0, 1, 2, 3};
    assert_int_equal(mesh_from_arrays(RITZ_QUAD, 4, &x[0][0], 1, quad, &mesh), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "element 0 (quad) is inverted: its Jacobian determinant is -"));
    const double folded[4][2] = {{0, 0}, {1, 0}, {0.45, 0.45}, {0, 1}}; /* negative at one corner alone */
    assert_int_equal(mesh_from_arrays(RITZ_QUAD, 4, &folded[0][0], 1, quad, &mesh), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "element 0 (quad) is inverted: its Jacobian determinant is -0.1 "));
    const double flat_corner[4][2] = {{0, 0}, {1, 0}, {0.5, 0.5}, {0, 1}};
    assert_int_equal(mesh_from_arrays(RITZ_QUAD, 4, &flat_corner[0][0], 1, quad, &mesh), RITZ_OK);
    ritz_mesh_destroy(&mesh);
}

/* Clockwise cells of each type are turned. */
static void left_handed_cells_are_turned(void **state)
{
    (void)state;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        ritz_mesh *mesh = make_box((ritz_cell)cell, 2, 0.1), *turned = NULL;
        int dim = mesh->dim;
        double *x = calloc((size_t)(mesh->n_nodes * dim), sizeof *x);
        for (int n = 0; n < mesh->n_nodes; n++) {
            for (int a = 0; a < dim; a++)
                x[n * dim + a] = (a == 0 ? -1 : 1) * mesh->nodes[3 * n + a];
        }
        assert_int_equal(mesh_from_arrays((ritz_cell)cell, mesh->n_nodes, x, mesh->blocks[0].n_cells,
                                          mesh->blocks[0].nodes, &turned),
                         RITZ_OK);
        assert_int_equal(turned->n_turned, turned->blocks[0].n_cells);
        assert_int_equal(mesh->n_turned, 0);
        assert_true(fabs(volume_of_block(turned, &turned->blocks[0]) - box_volume(dim)) < 1e-12 * box_volume(dim));
        free(x);
        ritz_mesh_destroy(&turned);
        ritz_mesh_destroy(&mesh);
    }
}

/* Neighbours along the curve are near: the mean step between centres stays a few cells, where the order of a grid
   jumps. */
static void renumbering_brings_neighbours_together(void **state)
{
    (void)state;
    ritz_mesh *mesh = NULL;
    ritz_box box = {.cell = RITZ_HEX, .cells = {16, 16, 16}, .size = {16, 16, 16}};
    assert_int_equal(ritz_mesh_box(&box, &mesh), RITZ_OK);
    const ritz_mesh_block *block = &mesh->blocks[0];
    int64_t seen = -1;
    double step = 0;
    for (int32_t c = 0; c < block->n_cells; c++) {
        for (int v = 0; v < 8; v++) {
            int32_t node = block->nodes[8 * c + v];
            assert_true(node <= seen + 1); /* by first use */
            seen = ritz_max64(seen, node);
        }
        for (int a = 0; c > 0 && a < 3; a++)
            step += fabs(mesh->nodes[3 * block->nodes[8 * c] + a] - mesh->nodes[3 * block->nodes[8 * (c - 1)] + a]);
    }
    assert_int_equal(seen, 17 * 17 * 17 - 1);
    assert_true(fabs(step - 4095) < 1e-9); /* on a grid of 2^k the curve goes from neighbour to neighbour */
    ritz_mesh_destroy(&mesh);
}

/* Enough tets for several threads. Each facet that comes out lies on a side, and together they have the sides' area. */
static void outer_facets_cover_the_sides(void **state)
{
    (void)state;
    const int cells[] = {20, 21, 22};
    ritz_mesh *mesh = make_box(RITZ_TET, cells[0], 0.2);
    ritz_mesh_facet *facets = NULL;
    int64_t n = 0;
    double area = 0, sides = 0, count = 0;
    assert_int_equal(ritz_mesh_outer_facets(mesh, &facets, &n), RITZ_OK);
    for (int64_t f = 0; f < n; f++) {
        const double *x[3];
        double normal[3];
        bool on_side = false;
        assert_int_equal(facets[f].n, 3);
        for (int v = 0; v < 3; v++)
            x[v] = &mesh->nodes[3 * (int64_t)facets[f].vertices[v]];
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            normal[a] = 0.5 * ((x[1][b] - x[0][b]) * (x[2][c] - x[0][c]) - (x[1][c] - x[0][c]) * (x[2][b] - x[0][b]));
            on_side = on_side || (x[0][a] == x[1][a] && x[0][a] == x[2][a]);
        }
        assert_true(on_side);
        area += sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    }
    for (int a = 0; a < 3; a++) {
        sides += 2 * SIZE[a] * SIZE[(a + 1) % 3];
        count += 4 * cells[a] * cells[(a + 1) % 3];
    }
    assert_true(n == count);
    assert_true(fabs(area - sides) < 1e-10);
    ritz_free(facets);
    ritz_mesh_destroy(&mesh);
}

static void renumbering_is_repeatable(void **state)
{
    (void)state;
    ritz_mesh *one = make_box(RITZ_PRISM, 6, 0.2), *two = make_box(RITZ_PRISM, 6, 0.2);
    assert_memory_equal(one->nodes, two->nodes, 3 * (size_t)one->n_nodes * sizeof(double));
    assert_memory_equal(one->blocks[0].nodes, two->blocks[0].nodes,
                        (size_t)one->blocks[0].n_cells * 6 * sizeof(int32_t));
    ritz_mesh_destroy(&one);
    ritz_mesh_destroy(&two);
}

static void attaching_finds_what_the_box_knew(void **state)
{
    (void)state;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        ritz_mesh *mesh = make_box((ritz_cell)cell, 3, 0);
        ritz_mesh_entity *known = calloc((size_t)mesh->n_entities, sizeof *known);
        memcpy(known, mesh->entities, (size_t)mesh->n_entities * sizeof *known);
        assert_int_equal(ritz_mesh_attach_entities(mesh), RITZ_OK);
        for (int e = 0; e < mesh->n_entities; e++) {
            assert_int_equal(known[e].cell, mesh->entities[e].cell);
            assert_int_equal(known[e].facet, mesh->entities[e].facet);
            assert_int_equal(known[e].block, mesh->entities[e].block);
        }
        free(known);
        ritz_mesh_destroy(&mesh);
    }
}

static void check_colouring(const ritz_mesh_block *block, int32_t n_nodes, int32_t fewest, int32_t most)
{
    int32_t *colour = calloc((size_t)block->n_cells, sizeof *colour), n_colours = 0;
    int32_t *last = malloc((size_t)n_nodes * sizeof *last), *count;
    assert_int_equal(ritz_colour_cells(block->n_cells, block->n_nodes, block->nodes, n_nodes, colour, &n_colours),
                     RITZ_OK);
    assert_in_range(n_colours, fewest, most);
    count = calloc((size_t)n_colours, sizeof *count);
    for (int32_t k = 0; k < n_colours; k++) {
        memset(last, -1, (size_t)n_nodes * sizeof *last);
        for (int32_t c = 0; c < block->n_cells; c++) {
            if (colour[c] != k)
                continue;
            count[k]++;
            for (int v = 0; v < block->n_nodes; v++) {
                int32_t node = block->nodes[c * block->n_nodes + v];
                assert_int_equal(last[node], -1);
                last[node] = c;
            }
        }
        assert_true(count[k] > 0);
    }
    free(colour);
    free(last);
    free(count);
}

static void colours_never_share_a_node(void **state)
{
    (void)state;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        static const int fewest[RITZ_N_CELLS] = {6, 4, 24, 12, 8};
        ritz_mesh *mesh = make_box((ritz_cell)cell, 5, 0);
        check_colouring(&mesh->blocks[0], mesh->n_nodes, fewest[cell], 2 * fewest[cell]);
        ritz_mesh_destroy(&mesh);
    }
}

/* A fan of 150 triangles around one node needs 150 colours: more than fit in a word. */
static void colours_can_be_many(void **state)
{
    (void)state;
    enum { N = 150 };
    int32_t fan[N][3], colour[N], n_colours = 0;
    for (int i = 0; i < N; i++)
        fan[i][0] = 0, fan[i][1] = 1 + i, fan[i][2] = 1 + (i + 1) % N;
    assert_int_equal(ritz_colour_cells(N, 3, &fan[0][0], N + 1, colour, &n_colours), RITZ_OK);
    assert_int_equal(n_colours, N);
}

static void parts_are_counted(void **state)
{
    (void)state;
    ritz_mesh *mesh = NULL;
    int32_t part[8], n_parts = 0;
    const double x[7][2] = {{0, 0}, {1, 0}, {0, 1}, {5, 0}, {6, 0}, {5, 1}, {6, 1}};
    const int32_t tris[3][3] = {{0, 1, 2}, {3, 4, 5}, {4, 6, 5}};
    assert_int_equal(mesh_from_arrays(RITZ_TRI, 7, &x[0][0], 3, &tris[0][0], &mesh), RITZ_OK);
    assert_int_equal(ritz_mesh_components(mesh, part, &n_parts), RITZ_OK);
    assert_int_equal(n_parts, 2);
    for (int n = 0; n < 7; n++)
        assert_int_equal(part[n] == part[0], (mesh->nodes[3 * n] < 3) == (mesh->nodes[0] < 3));
    ritz_mesh_destroy(&mesh);
    mesh = make_box(RITZ_TET, 3, 0);
    int32_t *all = calloc((size_t)mesh->n_nodes, sizeof *all);
    assert_int_equal(ritz_mesh_components(mesh, all, &n_parts), RITZ_OK);
    assert_int_equal(n_parts, 1);
    free(all);
    ritz_mesh_destroy(&mesh);
}

/* Each allocation fails once; every one must come back as an error and leave nothing behind (AddressSanitizer looks).
   */
static void failing_allocations_are_survived(void **state)
{
    (void)state;
    for (int64_t n = 1;; n++) {
        ritz_mesh *mesh = NULL;
        ritz_fail_allocation(n);
        ritz_status status = ritz_mesh_box(&(ritz_box){.cell = RITZ_PRISM, .cells = {2, 2, 2}, .distort = 0.2}, &mesh);
        ritz_fail_allocation(0);
        if (status == RITZ_OK) {
            assert_true(n > 10);
            ritz_mesh_destroy(&mesh);
            break;
        }
        assert_int_equal(status, RITZ_ERROR_MEMORY);
        assert_null(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_have_their_volume_and_sides),
        cmocka_unit_test(distortion_moves_nodes_but_no_side),
        cmocka_unit_test(boxes_count_right),
        cmocka_unit_test(boxes_have_euler_characteristic_one),
        cmocka_unit_test(wrong_boxes_are_refused),
        cmocka_unit_test(groups_are_found_by_name),
        cmocka_unit_test(arrays_become_a_mesh),
        cmocka_unit_test(wrong_arrays_are_refused),
        cmocka_unit_test(inverted_cells_are_named),
        cmocka_unit_test(left_handed_cells_are_turned),
        cmocka_unit_test(renumbering_brings_neighbours_together),
        cmocka_unit_test(renumbering_is_repeatable),
        cmocka_unit_test(outer_facets_cover_the_sides),
        cmocka_unit_test(attaching_finds_what_the_box_knew),
        cmocka_unit_test(colours_never_share_a_node),
        cmocka_unit_test(colours_can_be_many),
        cmocka_unit_test(parts_are_counted),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
