/* Meshes from arrays through the public interface alone: cells of several types and of second order, with groups, in the
   caller's numbering, whatever the order and orientation of cells; the same as the same mesh in a file. */
#include "check.h"
#include "ritz.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* ---- A plate of 3 x 2 squares: quads at the left, triangles at the right, curved ---- */

enum { NX = 3, NY = 2, ROW = 2 * NX + 1, N_NODES = ROW * (2 * NY + 1), N_QUADS = 2, N_TRIS = 8, N_CELLS = 10 };
enum { N_SIDES = 2 * (NX + NY) };

typedef struct plate {
    double x[N_NODES + 1][2]; /* the last node is one that no cell has */
    int32_t quads[N_QUADS][9], tris[N_TRIS][6];
    int64_t left[N_QUADS], sides[N_SIDES][2], corners[2];
} plate;

static int32_t at(int i, int j)
{
    return j * ROW + i;
}

/* The nodes from the corners of a cell: these, then the middles of edges in turn (Gmsh's 6-node tri, 8 of its 9-node quad). */
static void fill_cell(int n, int corner[][2], int32_t *nodes)
{
    for (int k = 0; k < n; k++) {
        const int *p = corner[k], *q = corner[(k + 1) % n];
        nodes[k] = at(p[0], p[1]);
        nodes[n + k] = at((p[0] + q[0]) / 2, (p[1] + q[1]) / 2);
    }
}

/* Cells 0, 1 are the quads, 2 .. 9 the triangles, two a square. */
static void make_plate(plate *p)
{
    int n_sides = 0;
    memset(p, 0, sizeof *p);
    for (int j = 0; j <= 2 * NY; j++)
        for (int i = 0; i < ROW; i++) {
            const double s = 0.5 * i, t = 0.5 * j;
            p->x[at(i, j)][0] = s + 0.1 * sin(2 * t);
            p->x[at(i, j)][1] = t + 0.1 * cos(1.5 * s);
        }
    p->x[N_NODES][0] = 17;
    for (int b = 0; b < NX * NY; b++) {
        const int i = 2 * (b % NX), j = 2 * (b / NX), tri = 2 * (b / NX * (NX - 1) + b % NX - 1);
        if (i == 0) {
            fill_cell(4, (int[][2]){{0, j}, {2, j}, {2, j + 2}, {0, j + 2}}, p->quads[b / NX]);
            p->quads[b / NX][8] = at(1, j + 1);
            p->left[b / NX] = b / NX;
        } else {
            fill_cell(3, (int[][2]){{i, j}, {i + 2, j}, {i + 2, j + 2}}, p->tris[tri]);
            fill_cell(3, (int[][2]){{i, j}, {i + 2, j + 2}, {i, j + 2}}, p->tris[tri + 1]);
        }
        const int64_t first = i == 0 ? b / NX : N_QUADS + tri, second = i == 0 ? first : first + 1;
        const bool on[4] = {j == 0, i == 2 * (NX - 1), j == 2 * (NY - 1), i == 0};
        const int64_t facet[4][2] = {{first, 0}, {first, 1}, {second, i == 0 ? 2 : 1}, {first, 3}};
        for (int k = 0; k < 4; k++)
            if (on[k])
                memcpy(p->sides[n_sides++], facet[k], sizeof facet[k]);
    }
    assert_int_equal(n_sides, N_SIDES);
    p->corners[0] = at(0, 0);
    p->corners[1] = at(1, 2 * NY); /* in the middle of an edge */
}

static ritz_mesh *mesh_of(const plate *p)
{
    ritz_mesh *mesh = NULL;
    const ritz_block_arrays blocks[] = {{RITZ_QUAD, 2, 0, N_QUADS, p->quads[0]}, {RITZ_TRI, 2, 0, N_TRIS, p->tris[0]}};
    const ritz_group_arrays groups[] = {{"left", RITZ_GROUP_CELLS, N_QUADS, p->left},
                                        {"side", RITZ_GROUP_FACETS, N_SIDES, p->sides[0]},
                                        {"points", RITZ_GROUP_NODES, 2, p->corners}};
    const ritz_mesh_arrays arrays = {sizeof arrays, 2, N_NODES + 1, p->x[0], 2, blocks, 3, groups};
    OK(ritz_mesh_create(&arrays, &mesh));
    return mesh;
}

static void write_element(FILE *file, int *number, int type, int group, int n, const int32_t *nodes)
{
    fprintf(file, "%d %d 2 %d %d", ++*number, type, group, group);
    for (int i = 0; i < n; i++)
        fprintf(file, " %d", nodes[i] + 1);
    fprintf(file, "\n");
}

/* The same in Gmsh's format 2.2. */
static ritz_mesh *file_of(const plate *p)
{
    char path[64];
    ritz_mesh *mesh = NULL;
    int number = 0;
    snprintf(path, sizeof path, "/tmp/ritz-arrays-%ld.msh", (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 \"left\"\n1 2 \"side\"\n0 3 \"points\"\n"
            "$EndPhysicalNames\n$Nodes\n%d\n",
            N_NODES);
    for (int n = 0; n < N_NODES; n++)
        fprintf(file, "%d %.17g %.17g 0\n", n + 1, p->x[n][0], p->x[n][1]);
    fprintf(file, "$EndNodes\n$Elements\n%d\n", N_CELLS + N_SIDES + 2);
    for (int c = 0; c < N_QUADS; c++)
        write_element(file, &number, 10, 1, 9, p->quads[c]);
    for (int c = 0; c < N_TRIS; c++)
        write_element(file, &number, 9, 0, 6, p->tris[c]);
    for (int s = 0; s < N_SIDES; s++) {
        const bool quad = p->sides[s][0] < N_QUADS;
        const int32_t *nodes = quad ? p->quads[p->sides[s][0]] : p->tris[p->sides[s][0] - N_QUADS];
        const int n = quad ? 4 : 3, f = (int)p->sides[s][1];
        write_element(file, &number, 8, 2, 3, (int32_t[]){nodes[f], nodes[(f + 1) % n], nodes[n + f]});
    }
    for (int k = 0; k < 2; k++)
        write_element(file, &number, 15, 3, 1, (int32_t[]){(int32_t)p->corners[k]});
    fprintf(file, "$EndElements\n");
    assert_int_equal(fclose(file), 0);
    OK(ritz_mesh_read(path, &mesh));
    unlink(path);
    return mesh;
}

/* ---- Laplace's equation on it ---- */

/* Solves in place, by elimination with pivots. */
static void solve_dense(int n, double *a, double *b)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k; i < n; i++)
            pivot = fabs(a[i * n + k]) > fabs(a[pivot * n + k]) ? i : pivot;
        for (int j = 0; j < n; j++) {
            const double swap = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swap;
        }
        const double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (int i = 0; i < n; i++) {
            const double factor = i == k ? 0 : a[i * n + k] / a[k * n + k];
            for (int j = k; j < n && factor != 0; j++)
                a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = 0; k < n; k++)
        b[k] /= a[k * n + k];
}

/* u[mesh node] with u = value(x, y) on the group "side" and the load 1 at the group "points"; u of a node that no cell has
   is left. */
static void solve(const ritz_mesh *mesh, double (*value)(const double *x), double load, double *u)
{
    ritz_space *space = NULL;
    ritz_form *form = NULL;
    ritz_matrix *matrix = NULL;
    ritz_rows *rows = NULL;
    int64_t dofs[64], n_dofs = 0;
    OK(ritz_space_create(mesh, 2, 1, &space));
    OK(ritz_form_create("poisson", 2, &form));
    OK(ritz_assemble(device, space, form, NULL, NULL, &matrix, NULL));
    OK(ritz_matrix_get_rows(matrix, 1, &rows));
    const int n = (int)ritz_space_n_dofs(space);
    double *a = calloc((size_t)(n * n), sizeof *a), *b = calloc((size_t)n, sizeof *b);
    for (int row = 0; row < n; row++)
        for (int64_t k = rows->row_start[row]; k < rows->row_start[row + 1]; k++)
            a[row * n + rows->columns[k]] = rows->values[k];
    OK(ritz_space_group_dofs(space, "points", -1, 64, dofs, &n_dofs));
    assert_int_equal(n_dofs, 2);
    for (int k = 0; k < n_dofs; k++)
        b[dofs[k]] = load;
    OK(ritz_space_group_dofs(space, "side", 0, 0, NULL, &n_dofs));
    OK(ritz_space_group_dofs(space, "side", 0, n_dofs, dofs, &n_dofs));
    assert_int_equal(n_dofs, 2 * N_SIDES);
    for (int k = 0; k < n_dofs; k++) {
        memset(a + dofs[k] * n, 0, (size_t)n * sizeof *a);
        a[dofs[k] * n + dofs[k]] = 1;
        b[dofs[k]] = value(ritz_space_coordinates(space) + 2 * dofs[k]);
    }
    solve_dense(n, a, b);
    int32_t *node = calloc((size_t)ritz_mesh_n_nodes(mesh), sizeof *node);
    OK(ritz_space_mesh_nodes(space, node));
    for (int64_t k = 0; k < ritz_mesh_n_nodes(mesh); k++)
        if (node[k] >= 0)
            u[k] = b[node[k]];
    free(node);
    free(a);
    free(b);
    ritz_rows_destroy(&rows);
    ritz_matrix_destroy(&matrix);
    ritz_form_destroy(&form);
    ritz_space_destroy(&space);
}

static double linear(const double *x)
{
    return 3 + x[0] - 2 * x[1];
}

static double wavy(const double *x)
{
    return sin(3 * x[0]) + x[1] * x[1];
}

/* A linear field is the solution of Laplace's equation with its own values on the sides, whatever the mesh. */
static void patch(void **state)
{
    (void)state;
    plate p;
    double u[N_NODES + 1];
    make_plate(&p);
    ritz_mesh *mesh = mesh_of(&p);
    u[N_NODES] = -7;
    solve(mesh, linear, 0, u);
    for (int n = 0; n < N_NODES; n++)
        assert_true(fabs(u[n] - linear(p.x[n])) < 1e-12);
    assert_true(u[N_NODES] == -7);
    ritz_mesh_destroy(&mesh);
}

static void file_gives_the_same(void **state)
{
    (void)state;
    plate p;
    double u[N_NODES + 1] = {0}, v[N_NODES + 1] = {0};
    make_plate(&p);
    ritz_mesh *mesh = mesh_of(&p), *read = file_of(&p);
    solve(mesh, wavy, 1, u);
    solve(read, wavy, 1, v);
    for (int n = 0; n < N_NODES; n++)
        assert_true(fabs(u[n] - v[n]) < 1e-12);
    assert_int_equal(ritz_mesh_n_groups(read), 3);
    for (int g = 0; g < 3; g++) {
        int64_t mine[2 * N_SIDES], its[2 * N_SIDES];
        int other = 0;
        while (strcmp(ritz_mesh_group_name(read, other), ritz_mesh_group_name(mesh, g)) != 0)
            assert_true(++other < 3);
        const int64_t size = ritz_mesh_group_size(mesh, g);
        assert_int_equal(ritz_mesh_group_size(read, other), size);
        assert_int_equal(ritz_mesh_group_kind(read, other), g);
        assert_int_equal(ritz_mesh_group_kind(mesh, g), g);
        OK(ritz_mesh_group_members(mesh, g, mine));
        OK(ritz_mesh_group_members(read, other, its));
        assert_memory_equal(mine, its, (size_t)size * (g == 1 ? 2 : 1) * sizeof *mine);
    }
    ritz_mesh_destroy(&mesh);
    ritz_mesh_destroy(&read);
}

/* ---- What was given comes back ---- */

static void getters(void **state)
{
    (void)state;
    plate p;
    double x[N_NODES + 1][2];
    int32_t quads[N_QUADS][9], tris[N_TRIS][6];
    int64_t places[N_TRIS], left[N_QUADS], sides[N_SIDES][2], corners[2];
    make_plate(&p);
    ritz_mesh *mesh = mesh_of(&p);
    assert_int_equal(ritz_mesh_n_nodes(mesh), N_NODES + 1);
    assert_int_equal(ritz_mesh_n_cells(mesh, RITZ_N_CELLS), N_CELLS);
    assert_int_equal(ritz_mesh_order(mesh), 2);
    OK(ritz_mesh_coordinates(mesh, x[0]));
    OK(ritz_mesh_cell_nodes(mesh, RITZ_QUAD, quads[0]));
    OK(ritz_mesh_cell_nodes(mesh, RITZ_TRI, tris[0]));
    assert_memory_equal(x, p.x, sizeof x);
    assert_memory_equal(quads, p.quads, sizeof quads);
    assert_memory_equal(tris, p.tris, sizeof tris);
    OK(ritz_mesh_cell_places(mesh, RITZ_QUAD, places));
    for (int c = 0; c < N_QUADS; c++)
        assert_int_equal(places[c], c);
    OK(ritz_mesh_cell_places(mesh, RITZ_TRI, places));
    for (int c = 0; c < N_TRIS; c++)
        assert_int_equal(places[c], N_QUADS + c);
    OK(ritz_mesh_group_members(mesh, 0, left));
    OK(ritz_mesh_group_members(mesh, 1, sides[0]));
    OK(ritz_mesh_group_members(mesh, 2, corners));
    assert_memory_equal(left, p.left, sizeof left);
    assert_memory_equal(corners, p.corners, sizeof corners);
    assert_int_equal(ritz_mesh_group_size(mesh, 1), N_SIDES);
    for (int s = 0; s < N_SIDES; s++) {
        int found = 0;
        for (int k = 0; k < N_SIDES; k++)
            found += sides[s][0] == p.sides[k][0] && sides[s][1] == p.sides[k][1];
        assert_int_equal(found, 1);
    }
    ritz_mesh_destroy(&mesh);
}

/* Nodes and cells elsewhere in the arrays, triangles in two blocks around the quads, every other cell clockwise. */
static void shuffled(void **state)
{
    (void)state;
    enum { FIRST = 3 };
    plate p, q;
    double u[N_NODES + 1] = {0}, v[N_NODES + 1] = {0};
    int32_t node[N_NODES + 1];
    int64_t cell[N_CELLS], sides[N_SIDES][2], back[N_SIDES][2], left[N_QUADS], corners[2];
    static const int mirror[2][9] = {{0, 2, 1, 5, 4, 3}, {0, 3, 2, 1, 7, 6, 5, 4, 8}};
    make_plate(&p);
    q = p;
    for (int n = 0; n <= N_NODES; n++) {
        node[n] = (7 * n + 3) % (N_NODES + 1); /* 36 nodes */
        memcpy(q.x[node[n]], p.x[n], sizeof p.x[n]);
    }
    for (int c = 0; c < N_CELLS; c++) {
        const bool quad = c < N_QUADS;
        const int k = quad ? N_QUADS - 1 - c : (3 * (c - N_QUADS) + 1) % N_TRIS, n = quad ? 9 : 6;
        cell[c] = quad ? FIRST + k : k < FIRST ? k : N_QUADS + k;
        const int32_t *from = quad ? p.quads[c] : p.tris[c - N_QUADS];
        int32_t *to = quad ? q.quads[k] : q.tris[k];
        for (int i = 0; i < n; i++)
            to[i] = node[from[c % 2 ? mirror[quad][i] : i]];
    }
    for (int s = 0; s < N_SIDES; s++) { /* the mirrored cell's edges run backwards */
        const int64_t c = p.sides[s][0], f = p.sides[s][1], n = c < N_QUADS ? 4 : 3;
        sides[s][0] = cell[c];
        sides[s][1] = c % 2 ? n - 1 - f : f;
    }
    for (int k = 0; k < 2; k++)
        left[k] = cell[p.left[k]], corners[k] = node[p.corners[k]];
    const ritz_block_arrays blocks[] = {{RITZ_TRI, 2, 0, FIRST, q.tris[0]},
                                        {RITZ_QUAD, 2, 0, N_QUADS, q.quads[0]},
                                        {RITZ_TRI, 2, 0, 0, NULL},
                                        {RITZ_TRI, 2, 0, N_TRIS - FIRST, q.tris[FIRST]}};
    const ritz_group_arrays groups[] = {{"points", RITZ_GROUP_NODES, 2, corners},
                                        {"left", RITZ_GROUP_CELLS, N_QUADS, left},
                                        {"side", RITZ_GROUP_FACETS, N_SIDES, sides[0]}};
    const ritz_mesh_arrays arrays = {0, 2, N_NODES + 1, q.x[0], 4, blocks, 3, groups};
    ritz_mesh *mesh = mesh_of(&p), *other = NULL;
    OK(ritz_mesh_create(&arrays, &other));
    solve(mesh, wavy, 1, u);
    solve(other, wavy, 1, v);
    for (int n = 0; n < N_NODES; n++)
        assert_true(fabs(u[n] - v[node[n]]) < 1e-12);
    OK(ritz_mesh_group_members(other, 2, back[0]));
    assert_int_equal(ritz_mesh_group_size(other, 2), N_SIDES);
    for (int s = 0; s < N_SIDES; s++) {
        int found = 0;
        for (int k = 0; k < N_SIDES; k++)
            found += back[k][0] == sides[s][0] && back[k][1] == sides[s][1];
        assert_int_equal(found, 1);
    }
    int32_t tris[N_TRIS][6];
    int64_t places[N_TRIS];
    OK(ritz_mesh_cell_nodes(other, RITZ_TRI, tris[0]));
    OK(ritz_mesh_cell_places(other, RITZ_TRI, places));
    assert_memory_equal(tris, q.tris, sizeof tris);
    for (int c = 0; c < N_TRIS; c++)
        assert_int_equal(places[c], c < FIRST ? c : N_QUADS + c);
    ritz_mesh_destroy(&mesh);
    ritz_mesh_destroy(&other);
}

/* A hex and a prism that share a face, which is in a group from either side; the prism left-handed. */
static void solids(void **state)
{
    (void)state;
    static const double x[10][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1},
                                    {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {2, 0, 0}, {2, 0, 1}};
    static const int32_t hex[8] = {0, 1, 2, 3, 4, 5, 6, 7}, prism[6] = {1, 2, 8, 5, 6, 9};
    ritz_mesh *mesh = NULL;
    int64_t members[4], hex_side[2] = {0, 0}, prism_side[2] = {1, 0};
    int32_t back[8];
    for (int f = 0; f < 6; f++) { /* x = 1 */
        int v[4], sum = 0;
        assert_int_equal(ritz_cell_facet(RITZ_HEX, f, v), 4);
        for (int k = 0; k < 4; k++)
            sum += x[hex[v[k]]][0] == 1;
        hex_side[1] = sum == 4 ? f : hex_side[1];
        const int n = ritz_cell_facet(RITZ_PRISM, f, v);
        for (int k = sum = 0; k < n; k++)
            sum += x[prism[v[k]]][0] == 1;
        prism_side[1] = sum == 4 ? f : prism_side[1];
    }
    const ritz_block_arrays blocks[] = {{RITZ_HEX, 1, 0, 1, hex}, {RITZ_PRISM, 0, 0, 1, prism}};
    const int64_t twice[] = {1, 1};
    const ritz_group_arrays groups[] = {{"from hex", RITZ_GROUP_FACETS, 1, hex_side},
                                        {"from prism", RITZ_GROUP_FACETS, 1, prism_side},
                                        {"prism", RITZ_GROUP_CELLS, 2, twice},
                                        {"none", RITZ_GROUP_NODES, 0, NULL}};
    const ritz_mesh_arrays arrays = {0, 3, 10, x[0], 2, blocks, 4, groups};
    OK(ritz_mesh_create(&arrays, &mesh));
    OK(ritz_mesh_group_members(mesh, 0, members));
    assert_memory_equal(members, hex_side, sizeof hex_side);
    OK(ritz_mesh_group_members(mesh, 1, members));
    assert_memory_equal(members, prism_side, sizeof prism_side);
    assert_int_equal(ritz_mesh_group_size(mesh, 2), 1);
    OK(ritz_mesh_group_members(mesh, 2, members));
    assert_int_equal(members[0], 1);
    assert_int_equal(ritz_mesh_group_size(mesh, 3), 0);
    OK(ritz_mesh_cell_nodes(mesh, RITZ_PRISM, back));
    assert_memory_equal(back, prism, sizeof prism);
    ritz_mesh_destroy(&mesh);
}

/* An 8-node quad beside a triangle of first order: nodes are made in the middle of the quad and of the triangle's edges. */
static void made_nodes(void **state)
{
    (void)state;
    static const double x[9][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5, 0}, {1, 0.5}, {0.5, 1}, {0, 0.5}, {2, 0}};
    static const int32_t quad[8] = {0, 1, 2, 3, 4, 5, 6, 7}, tri[3] = {1, 8, 2};
    const ritz_block_arrays blocks[] = {{RITZ_TRI, 1, 0, 1, tri}, {RITZ_QUAD, 2, 1, 1, quad}};
    const ritz_mesh_arrays arrays = {.dim = 2, .n_nodes = 9, .coordinates = x[0], .n_blocks = 2, .blocks = blocks};
    ritz_mesh *mesh = NULL;
    int32_t q[9], t[6];
    double y[12][2];
    OK(ritz_mesh_create(&arrays, &mesh));
    assert_int_equal(ritz_mesh_n_nodes(mesh), 12);
    assert_string_equal(ritz_mesh_group_name(mesh, 0), "body");
    assert_int_equal(ritz_mesh_group_size(mesh, 0), 2);
    OK(ritz_mesh_coordinates(mesh, y[0]));
    assert_memory_equal(y, x, sizeof x);
    OK(ritz_mesh_cell_nodes(mesh, RITZ_QUAD, q));
    OK(ritz_mesh_cell_nodes(mesh, RITZ_TRI, t));
    assert_memory_equal(q, quad, sizeof quad);
    assert_memory_equal(t, tri, sizeof tri);
    assert_int_equal(t[5], 5); /* the edge that they share */
    const double middle[3][2] = {{0.5, 0.5}, {1.5, 0}, {1.5, 0.5}};
    const int32_t made[3] = {q[8], t[3], t[4]};
    for (int k = 0; k < 3; k++) {
        assert_in_range(made[k], 9, 11);
        assert_true(fabs(y[made[k]][0] - middle[k][0]) + fabs(y[made[k]][1] - middle[k][1]) < 1e-15);
    }
    ritz_mesh_destroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(getters),
                                       cmocka_unit_test(solids),
                                       cmocka_unit_test(made_nodes),
                                       cmocka_unit_test(patch),
                                       cmocka_unit_test(file_gives_the_same),
                                       cmocka_unit_test(shuffled)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
