/* Element matrices of triangles and quads that stand in arrays of one's own, for an assembly of one's own: heat conduction
   with a conductivity for each element, computed on the device, added into a dense matrix here.

     cc a_element_matrices.c $(pkg-config --cflags --libs ritz) -lm -o a_element_matrices && ./a_element_matrices

     tri: 2 elements of 6 shape functions
     quad: 2 elements of 9 shape functions
     21 unknowns, rows add up to 3e-15, differs from the library's matrix by 4e-15 */
#include <ritz.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ORDER = 2, N_NODES = 8, N_QUADS = 2, N_TRIS = 2, N_CELLS = N_QUADS + N_TRIS };

/* What another code holds: nodes, and the nodes of each cell. */
static const double coordinates[N_NODES][2] = {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1.2}, {2, 1}, {3, 0.1}, {3, 1}};
static const int32_t quads[N_QUADS][4] = {{0, 1, 4, 3}, {2, 6, 7, 5}}, tris[N_TRIS][3] = {{1, 2, 4}, {2, 5, 4}};

static void check_status(ritz_status status)
{
    if (status == RITZ_OK)
        return;
    fprintf(stderr, "%s\n", ritz_message());
    exit(1);
}

/* dense += the element matrices of one cell type. */
static void add_cells(ritz_device *device, const ritz_mesh *mesh, const ritz_space *space, ritz_cell cell,
                      const ritz_form *form, const ritz_input *input, double *dense)
{
    const int64_t n_cells = ritz_mesh_n_cells(mesh, cell), n = ritz_space_n_dofs(space);
    const int n_shape = ritz_cell_n_shape(cell, ORDER);
    double *matrices = (double *)malloc(sizeof *matrices * (size_t)(n_cells * n_shape * n_shape));
    int32_t *nodes = (int32_t *)malloc(sizeof *nodes * (size_t)(n_cells * n_shape));
    if (!matrices || !nodes)
        exit(1);
    check_status(ritz_integrate(device, space, cell, form, input, NULL, matrices, NULL));
    check_status(ritz_space_cell_nodes(space, cell, nodes));
    for (int64_t c = 0; c < n_cells; c++)
        for (int i = 0; i < n_shape; i++)
            for (int j = 0; j < n_shape; j++)
                dense[nodes[c * n_shape + i] * n + nodes[c * n_shape + j]] += matrices[(c * n_shape + i) * n_shape + j];
    printf("%s: %lld elements of %d shape functions\n", ritz_cell_name(cell), (long long)n_cells, n_shape);
    free(matrices);
    free(nodes);
}

int main(void)
{
    ritz_device *device = NULL;
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    ritz_form *form = NULL;
    ritz_matrix *matrix = NULL;
    const ritz_block_arrays blocks[] = {{.cell = RITZ_QUAD, .n_cells = N_QUADS, .nodes = quads[0]},
                                        {.cell = RITZ_TRI, .n_cells = N_TRIS, .nodes = tris[0]}};
    const ritz_mesh_arrays arrays = {.size = sizeof arrays,
                                     .dim = 2,
                                     .n_nodes = N_NODES,
                                     .coordinates = coordinates[0],
                                     .n_blocks = 2,
                                     .blocks = blocks};
    check_status(ritz_device_open("auto", &device));
    check_status(ritz_mesh_create(&arrays, &mesh));
    check_status(ritz_space_create(mesh, ORDER, 1, &space));
    check_status(ritz_form_create("poisson", 2, &form));
    const int64_t n = ritz_space_n_dofs(space);

    /* A number for each element, in the order of the arrays: quads first, then triangles. */
    double conductivity[N_CELLS];
    for (int c = 0; c < N_CELLS; c++)
        conductivity[c] = 1 + 0.5 * c;
    double *dense = (double *)calloc((size_t)(n * n), sizeof *dense);
    double *x = (double *)malloc(sizeof *x * (size_t)n), *y = (double *)malloc(sizeof *y * (size_t)n);
    if (!dense || !x || !y)
        return 1;
    const ritz_data data[] = {{.name = "conductivity", .kind = RITZ_DATA_ELEMENT, .values = conductivity}};
    const ritz_input input = {.size = sizeof input, .n_data = 1, .data = data};
    add_cells(device, mesh, space, RITZ_QUAD, form, &input, dense);
    add_cells(device, mesh, space, RITZ_TRI, form, &input, dense);

    /* A constant field has no gradient, so rows add up to 0; and the library assembles the same matrix. */
    double sum = 0, difference = 0;
    for (int64_t i = 0; i < n; i++)
        x[i] = 1 + sin((double)i);
    check_status(ritz_assemble(device, space, form, &input, NULL, &matrix, NULL));
    check_status(ritz_matrix_multiply(matrix, x, y));
    for (int64_t i = 0; i < n; i++) {
        double row = 0;
        for (int64_t j = 0; j < n; j++) {
            row += dense[i * n + j];
            y[i] -= dense[i * n + j] * x[j];
        }
        sum = fmax(sum, fabs(row));
        difference = fmax(difference, fabs(y[i]));
    }
    printf("%lld unknowns, rows add up to %.0e, differs from the library's matrix by %.0e\n", (long long)n, sum,
           difference);

    free(dense);
    free(x);
    free(y);
    ritz_matrix_destroy(&matrix);
    ritz_form_destroy(&form);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
    ritz_device_close(&device);
    return sum < 1e-12 && difference < 1e-12 ? 0 : 1;
}
