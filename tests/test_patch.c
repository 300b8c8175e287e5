/* Patch tests through the whole library: polynomials that solve the equations must be found exactly, on plain,
   distorted, mixed and shuffled meshes of every cell and order. */
#include "assemble/assemble.h"
#include "check.h"
#include "meshes.h"
#include "solve/solve.h"

/* Solutions of the equations without sources. harmonic: Re (x + i y)^p plus a term in z; linear: a displacement
   field. */
static void harmonic(int p, int dim, const double *x, double *u)
{
    double real = 1, imaginary = 0;
    for (int k = 0; k < p; k++) {
        const double next = real * x[0] - imaginary * x[1];
        imaginary = real * x[1] + imaginary * x[0];
        real = next;
    }
    u[0] = real + (dim == 3 ? 0.5 * x[2] : 0.25);
}

static void linear(int p, int dim, const double *x, double *u)
{
    (void)p;
    for (int c = 0; c < dim; c++)
        u[c] = 0.1 * c + 0.3 * x[0] - 0.2 * (c + 1) * x[1] + (dim == 3 ? (0.4 - 0.1 * c) * x[2] : 0);
}

/* The facets of a mesh by their sorted vertices; how many cells have each. */
typedef struct facet_list {
    int32_t (*keys)[4];
    int *cells;
    int64_t n;
} facet_list;

static int64_t find_facet(facet_list *list, const ritz_mesh_block *block, int32_t cell, int facet)
{
    const ritz_topology *topology = ritz_cell_topology(block->cell);
    int32_t key[4] = {-1, -1, -1, -1};
    for (int v = 0; v < topology->facet_n_vertices[facet]; v++) {
        int32_t vertex = block->nodes[(int64_t)cell * block->n_nodes + topology->facets[facet][v]];
        for (int k = 0; k < 4; k++)
            if (vertex > key[k]) {
                const int32_t kept = key[k];
                key[k] = vertex;
                vertex = kept;
            }
    }
    for (int64_t at = 0; at < list->n; at++)
        if (memcmp(list->keys[at], key, sizeof key) == 0)
            return at;
    memcpy(list->keys[list->n], key, sizeof key);
    return list->n++;
}

/* Whether node i of the cell's basis lies in the plane of a facet. */
static bool is_on_facet(const ritz_basis *basis, int i, int facet)
{
    const ritz_topology *topology = ritz_cell_topology(basis->cell);
    const int dim = basis->dim;
    const double *vertices = ritz_cell_vertices(basis->cell), *node = basis->nodes + (int64_t)i * dim;
    const double *a = vertices + topology->facets[facet][0] * dim, *b = vertices + topology->facets[facet][1] * dim;
    const double *c = vertices + topology->facets[facet][dim == 3 ? 2 : 1] * dim;
    double normal[3] = {b[1] - a[1], a[0] - b[0], 0}, distance = 0;
    for (int d = 0; d < 3 && dim == 3; d++) {
        const int d1 = (d + 1) % 3, d2 = (d + 2) % 3;
        normal[d] = (b[d1] - a[d1]) * (c[d2] - a[d2]) - (b[d2] - a[d2]) * (c[d1] - a[d1]);
    }
    for (int d = 0; d < dim; d++)
        distance += normal[d] * (node[d] - a[d]);
    return fabs(distance) < 1e-9;
}

/* Marks the nodes on facets that only one cell has: the mesh's skin. */
static void mark_skin(const ritz_space *space, uint8_t *skin)
{
    const ritz_mesh *mesh = space->mesh;
    int64_t most = 0;
    for (int b = 0; b < mesh->n_blocks; b++)
        most += (int64_t)RITZ_MAX_FACETS * mesh->blocks[b].n_cells;
    facet_list list = {.keys = calloc((size_t)most, sizeof *list.keys),
                       .cells = calloc((size_t)most, sizeof *list.cells)};
    for (int pass = 0; pass < 2; pass++)
        for (int b = 0; b < mesh->n_blocks; b++)
            for (int32_t e = 0; e < mesh->blocks[b].n_cells; e++)
                for (int f = 0; f < ritz_cell_topology(mesh->blocks[b].cell)->n_facets; f++) {
                    const ritz_space_batch *batch = &space->batches[b];
                    const int64_t facet = find_facet(&list, &mesh->blocks[b], e, f);
                    list.cells[facet] += pass == 0;
                    for (int i = 0; i < batch->n_shape && pass == 1 && list.cells[facet] == 1; i++)
                        if (is_on_facet(batch->basis, i, f))
                            skin[batch->cell_nodes[(int64_t)e * batch->n_shape + i]] = 1;
                }
    free(list.keys);
    free(list.cells);
}

/* Prescribes the solution on the skin, solves, and gives the largest error inside. */
static double patch_error(const ritz_mesh *mesh, int order, bool elastic)
{
    const int dim = mesh->dim, n_c = elastic ? dim : 1;
    void (*const solution)(int, int, const double *, double *) = elastic ? linear : harmonic;
    ritz_form *form = NULL;
    ritz_space *space = NULL;
    ritz_constraints *constraints = NULL;
    ritz_system *system = NULL;
    ritz_buffer *x = NULL;
    ritz_solve_report report = {0};
    const ritz_datum data[RITZ_MAX_DATA] = {
        {.value = 2}, {.value = elastic ? 0.3 : 0}, {.value = elastic && dim == 2 ? 1 : 0}};
    const ritz_datum *batches[RITZ_N_CELLS] = {data, data, data, data, data};
    OK(ritz_form_create(!elastic ? "poisson" : dim == 3 ? "elasticity" : "plane-strain", dim, &form));
    OK(ritz_space_create(mesh, order, n_c, &space));
    OK(ritz_constraints_create(space, &constraints));
    uint8_t *skin = calloc((size_t)space->n_nodes, 1);
    double *u = calloc((size_t)space->n_nodes * (size_t)n_c, sizeof *u), exact[3], error = 0;
    mark_skin(space, skin);
    int64_t n_inside = 0;
    for (int32_t n = 0; n < space->n_nodes; n++) {
        solution(order, dim, space->coordinates + (int64_t)n * dim, exact);
        for (int c = 0; c < n_c && skin[n]; c++)
            ritz_constraints_set(constraints, n, c, exact[c]);
        n_inside += !skin[n];
    }
    assert_true(n_inside > 0);
    OK(ritz_constraints_check(space, constraints, NULL));
    const ritz_assembly assembly = {.space = space, .form = form, .data = batches, .constraints = constraints};
    OK(ritz_assemble_system(device, &assembly, NULL, &system));
    OK(ritz_buffer_create(device, ritz_buffer_bytes(system->rhs), "the solution", &x));
    OK(ritz_buffer_zero(x));
    OK(ritz_solve_device(system->matrix, &(ritz_solve_options){.tolerance = 1e-13}, system->rhs, x, &report));
    OK(ritz_buffer_read(x, 0, u, ritz_buffer_bytes(x)));
    for (int32_t n = 0; n < space->n_nodes; n++) {
        solution(order, dim, space->coordinates + (int64_t)n * dim, exact);
        for (int c = 0; c < n_c; c++)
            error = fmax(error, fabs(u[(int64_t)n * n_c + c] - exact[c]));
    }
    free(u);
    free(skin);
    ritz_buffer_destroy(&x);
    ritz_system_destroy(&system);
    ritz_constraints_destroy(&constraints);
    ritz_space_destroy(&space);
    ritz_form_destroy(&form);
    return error;
}

static void check_patch(const ritz_mesh *mesh, const char *what, int order, bool elastic)
{
    const double error = patch_error(mesh, order, elastic);
    if (!(error < 1e-9))
        fail_msg("%s, order %d, %s: error %g", what, order, elastic ? "linear displacement" : "harmonic polynomial",
                 error);
}

/* One cell type: linear displacements on distorted cells; harmonic polynomials of degree p on straight ones.
   Numbering shuffled. */
static void test_one_cell_type(void **unused)
{
    (void)unused;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        for (int order = 1; order <= (ritz_cell_dim((ritz_cell)cell) == 2 ? 7 : 4); order++) {
            ritz_mesh *distorted = meshes_box((ritz_cell)cell, 2, 0, 0, 0.3),
                      *straight = meshes_box((ritz_cell)cell, 2, 0, 0, 0);
            meshes_shuffle(distorted);
            meshes_shuffle(straight);
            check_patch(distorted, ritz_cell_name((ritz_cell)cell), order, true);
            check_patch(straight, ritz_cell_name((ritz_cell)cell), order, false);
            ritz_mesh_destroy(&distorted);
            ritz_mesh_destroy(&straight);
        }
}

static void test_mixed(void **unused)
{
    (void)unused;
    for (int dim = 2; dim <= 3; dim++)
        for (int order = 1; order <= (dim == 2 ? 7 : 4); order++) {
            ritz_mesh *mesh = meshes_mixed(dim, 2);
            meshes_shuffle(mesh);
            check_patch(mesh, dim == 2 ? "quad and tri" : "hex, prism and tet", order, true);
            check_patch(mesh, dim == 2 ? "quad and tri" : "hex, prism and tet", order, false);
            ritz_mesh_destroy(&mesh);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_cell_type), cmocka_unit_test(test_mixed)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
