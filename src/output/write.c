/* Result files for ParaView: VTKHDF 1.0, unstructured grid
 * (https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format). */
#include "output/hdf.h"
#include "output/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Cells that are put together in memory before they are written. */
enum { CHUNK = 8192 };

typedef struct ritz_result_file {
    const ritz_space *space;
    ritz_hdf *hdf;
    int64_t n_cells, n_ids; /* of all batches; ids are the points of all cells */
    int n_reals, n_written; /* a node, in fields */
} writer;

static ritz_status check_field(const ritz_space *space, const ritz_field *field)
{
    ritz_status status = RITZ_OK;
    const char *name = field->name;
    int n = field->n_components;
    RITZ_REQUIRE(name != NULL && name[0] != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0,
                 RITZ_ERROR_INPUT, "field '%s' needs a name without '/'", name ? name : "");
    RITZ_REQUIRE(n == 1 || n == 3 || n == 6, RITZ_ERROR_INPUT,
                 "field '%s' has %d components; a scalar has 1, a vector 3, a symmetric tensor 6", name, n);
    RITZ_REQUIRE(field->values != NULL, RITZ_ERROR_INPUT, "field '%s' has no values", name);
    int64_t n_values = (int64_t)space->n_nodes * n;
    for (int64_t i = 0; i < n_values; i++)
        RITZ_REQUIRE(isfinite(field->values[i]), RITZ_ERROR_INPUT, "field '%s' is not a finite number at node %lld",
                     name, (long long)(i / n));
done:
    return status;
}

static int64_t estimate_bytes(const writer *w)
{
    return 65536 + 8 * (3 + (int64_t)w->n_reals) * w->space->n_nodes + 8 * w->n_ids + 13 * w->n_cells;
}

static ritz_status write_head(writer *w)
{
    ritz_status status = RITZ_OK;
    int64_t n_points = w->space->n_nodes;
    RITZ_TRY(ritz_hdf_group(w->hdf, "VTKHDF"));
    RITZ_TRY(ritz_hdf_attribute_integers(w->hdf, "VTKHDF", "Version", 2, (int64_t[2]){1, 0}));
    RITZ_TRY(ritz_hdf_attribute_text(w->hdf, "VTKHDF", "Type", "UnstructuredGrid"));
    RITZ_TRY(ritz_hdf_vector(w->hdf, "VTKHDF/NumberOfPoints", RITZ_HDF_I64, 1, &n_points));
    RITZ_TRY(ritz_hdf_vector(w->hdf, "VTKHDF/NumberOfCells", RITZ_HDF_I64, 1, &w->n_cells));
    RITZ_TRY(ritz_hdf_vector(w->hdf, "VTKHDF/NumberOfConnectivityIds", RITZ_HDF_I64, 1, &w->n_ids));
    RITZ_TRY(ritz_hdf_group(w->hdf, "VTKHDF/PointData"));
    RITZ_TRY(ritz_hdf_group(w->hdf, "VTKHDF/CellData"));
    RITZ_TRY(ritz_hdf_group(w->hdf, "VTKHDF/FieldData"));
done:
    return status;
}

static ritz_status write_points(writer *w)
{
    ritz_status status = RITZ_OK;
    double *points = NULL;
    RITZ_NEW(points, 3 * (int64_t)w->space->n_nodes);
    RITZ_TRY(ritz_space_family_coordinates(w->space, RITZ_NODES_EQUISPACED, points));
    RITZ_TRY(ritz_hdf_dataset(w->hdf, "VTKHDF/Points", RITZ_HDF_F64, w->space->n_nodes, 3));
    RITZ_TRY(ritz_hdf_rows(w->hdf, "VTKHDF/Points", 0, w->space->n_nodes, points));
done:
    ritz_free(points);
    return status;
}

/* Buffers for a chunk of cells. */
typedef struct chunk {
    int64_t *connectivity, *offsets;
    uint8_t *types;
    int32_t *groups;
} chunk;

static void fill_chunk(const writer *w, const ritz_space_batch *batch, int32_t first, int32_t n, int type,
                       const int *order, int64_t offset, const chunk *c)
{
    int n_shape = batch->n_shape;
    for (int32_t e = 0; e < n; e++) {
        const int32_t *nodes = batch->cell_nodes + (int64_t)(first + e) * n_shape;
        for (int k = 0; k < n_shape; k++)
            c->connectivity[(int64_t)e * n_shape + k] = nodes[order[k]];
        c->offsets[e] = offset + (int64_t)(e + 1) * n_shape;
        c->types[e] = (uint8_t)type;
        const ritz_group_set *set = &w->space->mesh->sets[batch->block->set[first + e]];
        c->groups[e] = set->n_groups > 0 ? set->groups[0] : -1;
    }
}

/* Writes the cells of a batch; *cell and *id count the cells and points of cells written so far. */
static ritz_status write_batch(writer *w, const ritz_space_batch *batch, int64_t *cell, int64_t *id)
{
    ritz_status status = RITZ_OK;
    int order[RITZ_MAX_SHAPE], type = 0, n_shape = batch->n_shape;
    chunk c = {0};
    RITZ_TRY(ritz_vtk_cell(batch->cell, w->space->order, &type, order));
    RITZ_NEW(c.connectivity, (int64_t)CHUNK * n_shape);
    RITZ_NEW(c.offsets, CHUNK);
    RITZ_NEW(c.types, CHUNK);
    RITZ_NEW(c.groups, CHUNK);
    for (int32_t first = 0; first < batch->n_cells; first += CHUNK) {
        int32_t n = (int32_t)ritz_min64(CHUNK, batch->n_cells - first);
        RITZ_TRY(ritz_check_interrupt());
        ritz_progress("output", 0.5 * (double)*cell / (double)w->n_cells);
        fill_chunk(w, batch, first, n, type, order, *id, &c);
        RITZ_TRY(ritz_hdf_rows(w->hdf, "VTKHDF/Connectivity", *id, (int64_t)n * n_shape, c.connectivity));
        RITZ_TRY(ritz_hdf_rows(w->hdf, "VTKHDF/Offsets", *cell + 1, n, c.offsets));
        RITZ_TRY(ritz_hdf_rows(w->hdf, "VTKHDF/Types", *cell, n, c.types));
        RITZ_TRY(ritz_hdf_rows(w->hdf, "VTKHDF/CellData/group", *cell, n, c.groups));
        *cell += n;
        *id += (int64_t)n * n_shape;
    }
done:
    ritz_free(c.connectivity);
    ritz_free(c.offsets);
    ritz_free(c.types);
    ritz_free(c.groups);
    return status;
}

static ritz_status write_cells(writer *w)
{
    ritz_status status = RITZ_OK;
    int64_t cell = 0, id = 0, zero = 0;
    RITZ_TRY(ritz_hdf_dataset(w->hdf, "VTKHDF/Connectivity", RITZ_HDF_I64, w->n_ids, 0));
    RITZ_TRY(ritz_hdf_dataset(w->hdf, "VTKHDF/Offsets", RITZ_HDF_I64, w->n_cells + 1, 0));
    RITZ_TRY(ritz_hdf_dataset(w->hdf, "VTKHDF/Types", RITZ_HDF_U8, w->n_cells, 0));
    RITZ_TRY(ritz_hdf_dataset(w->hdf, "VTKHDF/CellData/group", RITZ_HDF_I32, w->n_cells, 0));
    RITZ_TRY(ritz_hdf_rows(w->hdf, "VTKHDF/Offsets", 0, 1, &zero));
    for (int b = 0; b < w->space->n_batches; b++)
        RITZ_TRY(write_batch(w, &w->space->batches[b], &cell, &id));
done:
    return status;
}

/* The names that the numbers of CellData/group stand for. */
static ritz_status write_group_names(writer *w)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = w->space->mesh;
    const char **names = NULL;
    if (mesh->n_groups == 0)
        return RITZ_OK;
    RITZ_NEW(names, mesh->n_groups);
    for (int g = 0; g < mesh->n_groups; g++)
        names[g] = mesh->groups[g].name;
    RITZ_TRY(ritz_hdf_texts(w->hdf, "VTKHDF/FieldData/group_names", mesh->n_groups, names));
done:
    ritz_free(names);
    return status;
}

/* Values at one cell's equispaced nodes that no earlier cell has filled: out[node] = sum_j psi_j(equispaced node)
 * in[node_j]. */
static void move_cell(const ritz_space_batch *batch, const double *psi, int32_t cell, const ritz_field *field,
                      uint8_t *filled, double *out)
{
    int n_shape = batch->n_shape, n = field->n_components, dim = batch->basis->dim;
    const int32_t *nodes = batch->cell_nodes + (int64_t)cell * n_shape;
    for (int i = 0; i < n_shape; i++) {
        const double *row = psi + (int64_t)i * (1 + dim) * n_shape;
        if (filled[nodes[i]])
            continue;
        filled[nodes[i]] = 1;
        for (int c = 0; c < n; c++) {
            double sum = 0;
            for (int j = 0; j < n_shape; j++)
                sum += row[j] * field->values[(int64_t)nodes[j] * n + c];
            out[(int64_t)nodes[i] * n + c] = sum;
        }
    }
}

/* A field from the Lobatto nodes to the equispaced ones. Any cell at a node gives the same value, the field being
   continuous; the first one is taken. */
static ritz_status move_field(const ritz_space *space, const ritz_field *field, double *out)
{
    ritz_status status = RITZ_OK;
    uint8_t *filled = NULL;
    double *psi = NULL;
    ritz_basis *even = NULL;
    RITZ_NEW(filled, space->n_nodes);
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        RITZ_TRY(ritz_basis_create(batch->cell, space->order, RITZ_NODES_EQUISPACED, &even));
        RITZ_NEW(psi, (int64_t)batch->n_shape * batch->n_shape * (1 + even->dim));
        RITZ_TRY(ritz_basis_tabulate(batch->basis, batch->n_shape, even->nodes, psi));
        for (int32_t cell = 0; cell < batch->n_cells; cell++) {
            if (cell % CHUNK == 0)
                RITZ_TRY(ritz_check_interrupt());
            move_cell(batch, psi, cell, field, filled, out);
        }
        ritz_free(psi);
        psi = NULL;
        ritz_basis_destroy(&even);
    }
done:
    ritz_free(psi);
    ritz_free(filled);
    ritz_basis_destroy(&even);
    return status;
}

static ritz_status write_field(writer *w, const ritz_field *field)
{
    ritz_status status = RITZ_OK;
    int64_t n_nodes = w->space->n_nodes;
    const double *values = field->values;
    double *moved = NULL;
    char *name = NULL;
    RITZ_TRY(ritz_check_interrupt());
    RITZ_TRY(ritz_format(&name, "VTKHDF/PointData/%s", field->name));
    if (w->space->order > 2) { /* up to order 2 the two node families agree */
        RITZ_NEW(moved, n_nodes * field->n_components);
        RITZ_TRY(move_field(w->space, field, moved));
        values = moved;
    }
    RITZ_TRY(ritz_hdf_dataset(w->hdf, name, RITZ_HDF_F64, n_nodes, field->n_components > 1 ? field->n_components : 0));
    RITZ_TRY(ritz_hdf_rows(w->hdf, name, 0, n_nodes, values));
done:
    ritz_free(moved);
    ritz_free(name);
    return status;
}

ritz_status ritz_result_file_create(const char *path, const ritz_space *space, int n_reals, ritz_result_file **file)
{
    ritz_status status = RITZ_OK;
    writer *w = NULL;
    RITZ_NEW(w, 1);
    w->space = space;
    w->n_reals = n_reals;
    for (int b = 0; b < space->n_batches; b++) {
        w->n_cells += space->batches[b].n_cells;
        w->n_ids += (int64_t)space->batches[b].n_cells * space->batches[b].n_shape;
    }
    RITZ_TRY(ritz_hdf_create(path, estimate_bytes(w), &w->hdf));
    RITZ_TRY(write_head(w));
    RITZ_TRY(write_points(w));
    RITZ_TRY(write_cells(w));
    RITZ_TRY(write_group_names(w));
    *file = w;
    w = NULL;
done:
    ritz_result_file_destroy(&w);
    return status;
}

ritz_status ritz_result_file_add(ritz_result_file *w, const ritz_field *field)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(check_field(w->space, field));
    ritz_progress("output", 0.5 + 0.5 * w->n_written / w->n_reals);
    RITZ_TRY(write_field(w, field));
    w->n_written += field->n_components;
done:
    return status;
}

ritz_status ritz_result_file_finish(ritz_result_file **file)
{
    const ritz_status status = ritz_hdf_finish(&(*file)->hdf);
    ritz_result_file_destroy(file);
    if (status == RITZ_OK)
        ritz_progress("output", 1);
    return status;
}

void ritz_result_file_destroy(ritz_result_file **file)
{
    if (!*file)
        return;
    ritz_hdf_destroy(&(*file)->hdf);
    ritz_free(*file);
    *file = NULL;
}

ritz_status ritz_write_vtkhdf(const char *path, const ritz_space *space, const ritz_field *fields, int n_fields)
{
    ritz_status status = RITZ_OK;
    ritz_result_file *file = NULL;
    int n_reals = 0;
    RITZ_REQUIRE_POINTER(path);
    RITZ_REQUIRE_POINTER(space);
    RITZ_REQUIRE(n_fields >= 0 && (fields || n_fields == 0), RITZ_ERROR_INPUT, "%d fields can not be written%s",
                 n_fields, fields ? "" : "; 'fields' is NULL");
    for (int f = 0; f < n_fields; f++) {
        RITZ_TRY(check_field(space, &fields[f]));
        for (int g = 0; g < f; g++)
            RITZ_REQUIRE(strcmp(fields[f].name, fields[g].name) != 0, RITZ_ERROR_INPUT, "two fields are called '%s'",
                         fields[f].name);
        n_reals += fields[f].n_components;
    }
    RITZ_TRY(ritz_result_file_create(path, space, n_reals, &file));
    for (int f = 0; f < n_fields; f++)
        RITZ_TRY(ritz_result_file_add(file, &fields[f]));
    RITZ_TRY(ritz_result_file_finish(&file));
done:
    ritz_result_file_destroy(&file);
    return status;
}
