/* Writes FOLDER/CELL_ORDER[_curved].vtkhdf and .vtu for every cell, order and geometry, and for meshes of several cells
   (mixed2, mixed3): a distorted mesh of a few cells with fields that are polynomials in space and lie in the finite
   element space (degree p; p / 2 where the geometry is quadratic), for test_vtk.py to compare with what VTK evaluates.
   Fields: scalar  = sum of x^i y^j z^k / (1 + i + 2 j + 3 k) over i + j + k <= degree, vector  = (x^degree,
   x y^(degree - 1), scalar), tensor  = scalar times 1..6, and scalar again under a name that XML has to escape. */
#include "meshes.h"
#include "output/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double polynomial(int dim, int degree, const double *x)
{
    double sum = 0;
    for (int i = 0; i <= degree; i++)
        for (int j = 0; i + j <= degree; j++)
            for (int k = 0; i + j + k <= degree && (k == 0 || dim == 3); k++)
                sum += pow(x[0], i) * pow(x[1], j) * (k > 0 ? pow(x[2], k) : 1) / (1 + i + 2 * j + 3 * k);
    return sum;
}

/* Makes a linear mesh quadratic and bends it by x += 0.05 y^2, which keeps volumes. */
static ritz_status curve(ritz_mesh *mesh)
{
    ritz_status status = RITZ_OK;
    ritz_space *space = NULL;
    int32_t *nodes[RITZ_N_CELLS] = {NULL};
    double *coordinates = NULL;
    RITZ_TRY(ritz_space_create(mesh, 2, 1, &space));
    RITZ_NEW(coordinates, 3 * (int64_t)space->n_nodes);
    for (int32_t n = 0; n < space->n_nodes; n++) {
        for (int d = 0; d < mesh->dim; d++)
            coordinates[3 * n + d] = space->coordinates[n * mesh->dim + d];
        coordinates[3 * n] += 0.05 * coordinates[3 * n + 1] * coordinates[3 * n + 1];
    }
    for (int b = 0; b < mesh->n_blocks; b++) {
        int64_t total = (int64_t)space->batches[b].n_cells * space->batches[b].n_shape;
        RITZ_NEW(nodes[b], total);
        for (int64_t i = 0; i < total; i++)
            nodes[b][i] = space->batches[b].cell_nodes[i];
    }
    for (int b = 0; b < mesh->n_blocks; b++) {
        ritz_free(mesh->blocks[b].nodes);
        mesh->blocks[b].nodes = nodes[b];
        nodes[b] = NULL;
        mesh->blocks[b].geometry_order = 2;
        mesh->blocks[b].n_nodes = space->batches[b].n_shape;
    }
    ritz_free(mesh->nodes);
    mesh->nodes = coordinates;
    coordinates = NULL;
    mesh->n_nodes = space->n_nodes;
done:
    for (int b = 0; b < RITZ_N_CELLS; b++)
        ritz_free(nodes[b]);
    ritz_free(coordinates);
    ritz_space_destroy(&space);
    return status;
}

/* Both formats of a mesh's fields; NAME_ORDER[_curved]. */
static ritz_status write_files(const char *folder, const char *name, ritz_mesh *mesh, int order, bool curved)
{
    static const char *const endings[] = {"vtkhdf", "vtu"};
    ritz_status status = RITZ_OK;
    ritz_space *space = NULL;
    double *scalar = NULL, *vector = NULL, *tensor = NULL;
    char *path = NULL;
    const int degree = curved ? order / 2 : order;
    RITZ_TRY(ritz_space_create(mesh, order, 1, &space));
    RITZ_NEW(scalar, space->n_nodes);
    RITZ_NEW(vector, 3 * (int64_t)space->n_nodes);
    RITZ_NEW(tensor, 6 * (int64_t)space->n_nodes);
    for (int32_t n = 0; n < space->n_nodes; n++) {
        const double *x = space->coordinates + (int64_t)n * space->dim;
        scalar[n] = polynomial(space->dim, degree, x);
        vector[3 * n] = pow(x[0], degree);
        vector[3 * n + 1] = degree > 0 ? x[0] * pow(x[1], degree - 1) : 1;
        vector[3 * n + 2] = scalar[n];
        for (int k = 0; k < 6; k++)
            tensor[6 * n + k] = (k + 1) * scalar[n];
    }
    ritz_field fields[] = {
        {"scalar", 1, scalar}, {"vector", 3, vector}, {"tensor", 6, tensor}, {"<\"u\" & 'v'>", 1, scalar}};
    for (int e = 0; e < 2; e++) {
        RITZ_TRY(ritz_format(&path, "%s/%s_%d%s.%s", folder, name, order, curved ? "_curved" : "", endings[e]));
        RITZ_TRY(ritz_write_result(path, space, fields, 4));
        ritz_free(path);
        path = NULL;
    }
done:
    ritz_free(path);
    ritz_free(scalar);
    ritz_free(vector);
    ritz_free(tensor);
    ritz_space_destroy(&space);
    return status;
}

static ritz_status write_cell(const char *folder, ritz_cell cell, int order, bool curved)
{
    ritz_status status = RITZ_OK;
    ritz_mesh *mesh = NULL;
    ritz_box box = {.cell = cell, .cells = {2, 2, 1}, .size = {1, 0.8, 0.6}, .distort = 0.2};
    RITZ_TRY(ritz_mesh_box(&box, &mesh));
    for (int32_t n = 0; n < mesh->n_nodes; n++) { /* a shear, which keeps volumes */
        mesh->nodes[3 * n] += 0.3 * mesh->nodes[3 * n + 1] + 0.1 * mesh->nodes[3 * n + 2];
        mesh->nodes[3 * n + 1] -= 0.2 * mesh->nodes[3 * n + 2];
    }
    if (curved)
        RITZ_TRY(curve(mesh));
    RITZ_TRY(write_files(folder, ritz_cell_name(cell), mesh, order, curved));
done:
    ritz_mesh_destroy(&mesh);
    return status;
}

static ritz_status write_mixed(const char *folder, int dim, int order)
{
    ritz_mesh *mesh = meshes_mixed(dim, 1);
    const ritz_status status = write_files(folder, dim == 3 ? "mixed3" : "mixed2", mesh, order, false);
    ritz_mesh_destroy(&mesh);
    return status;
}

/* Everything of one order. */
static ritz_status write_order(const char *folder, int order)
{
    ritz_status status = RITZ_OK;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        for (int curved = 0; curved <= (order > 1); curved++)
            RITZ_TRY(write_cell(folder, (ritz_cell)cell, order, curved));
    for (int dim = 2; dim <= 3; dim++)
        RITZ_TRY(write_mixed(folder, dim, order));
done:
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: write_vtk_cells FOLDER\n");
        return 2;
    }
    for (int order = 1; order <= RITZ_MAX_ORDER; order++)
        if (write_order(argv[1], order) != RITZ_OK) {
            fprintf(stderr, "%s\n", ritz_message());
            return 1;
        }
    return 0;
}
