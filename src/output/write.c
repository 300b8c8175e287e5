/* Result files for ParaView, in either format: points, cells and fields as VTK wants them. */
#include "output/format.h"
#include "output/output.h"

#include <string.h>
#include <strings.h>

/* Cells that are put together in memory before they are written. */
enum { CHUNK = 8192 };

typedef struct ritz_result_file {
    const ritz_space *space;
    ritz_result_points points; /* what they own is the caller's */
    const ritz_result_format *format;
    ritz_result_shape shape;
    void *file;             /* the format's */
    int n_added;            /* fields */
    int n_reals, n_written; /* a node, in fields */
} writer;

const char *const ritz_tensor_components[7] = {"XX", "YY", "ZZ", "XY", "YZ", "XZ", NULL};

static const ritz_result_format *const formats[] = {&ritz_format_vtkhdf, &ritz_format_vtu};
enum { N_FORMATS = sizeof formats / sizeof *formats };

const ritz_result_format *ritz_find_result_format(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    for (int f = 0; dot && f < N_FORMATS; f++)
        for (int k = 0; formats[f]->endings[k]; k++)
            if (strcasecmp(dot, formats[f]->endings[k]) == 0)
                return formats[f];
    return NULL;
}

ritz_status ritz_check_result_path(const char *path)
{
    if (path && ritz_find_result_format(path))
        return RITZ_OK;
    return ritz_fail(
        RITZ_ERROR_INPUT,
        "'%s' has no ending of a result format; .vtkhdf (or .hdf) is VTK's HDF5 format, .vtu its XML format",
        path ? path : "");
}

/* Whether a text is UTF-8 without control characters, as both formats need their names. */
static bool is_printable(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        const int more = *c < 0x80                 ? 0
                         : *c >= 0xc2 && *c < 0xe0 ? 1
                         : *c >= 0xe0 && *c < 0xf0 ? 2
                         : *c >= 0xf0 && *c < 0xf5 ? 3
                                                   : -1;
        if (more < 0 || *c < 0x20 || *c == 0x7f)
            return false;
        for (int k = 1; k <= more; k++)
            if ((c[k] & 0xc0) != 0x80)
                return false;
        c += 1 + more;
    }
    return true;
}

/* Name and components of field f, which no field before it is called. */
static ritz_status check_head(const ritz_field *fields, int f)
{
    ritz_status status = RITZ_OK;
    const char *name = fields[f].name;
    const int n = fields[f].n_components;
    RITZ_REQUIRE(name != NULL && name[0] != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0,
                 RITZ_ERROR_INPUT, "field '%s' needs a name without '/'", name ? name : "");
    RITZ_REQUIRE(is_printable(name), RITZ_ERROR_INPUT,
                 "the name of field %d has control characters or is not UTF-8; give it a name that can be printed", f);
    RITZ_REQUIRE(n == 1 || n == 3 || n == 6, RITZ_ERROR_INPUT,
                 "field '%s' has %d components; a scalar has 1, a vector 3, a symmetric tensor 6", name, n);
    for (int g = 0; g < f; g++)
        RITZ_REQUIRE(strcmp(name, fields[g].name) != 0, RITZ_ERROR_INPUT, "two fields are called '%s'", name);
done:
    return status;
}

static ritz_status check_values(const ritz_result_points *points, const ritz_field *field)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(field->values != NULL, RITZ_ERROR_INPUT, "field '%s' has no values", field->name);
    const int64_t n_values = (int64_t)points->n * field->n_components;
    const int64_t bad = ritz_find_not_finite(n_values, field->values);
    RITZ_REQUIRE(bad == n_values, RITZ_ERROR_INPUT, "field '%s' is not a finite number at node %lld", field->name,
                 (long long)ritz_result_node(points, (int32_t)(bad / field->n_components)));
done:
    return status;
}

static ritz_status write_points(writer *w)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = w->space;
    double *points = NULL;
    if (space->order == 1 && space->dim == 3 && w->points.n == space->n_nodes) /* the space has them as they are */
        return w->format->write(w->file, RITZ_ARRAY_POINTS, 0, w->points.n, space->coordinates);
    RITZ_NEW(points, 3 * (int64_t)w->points.n);
    RITZ_TRY(ritz_space_family_coordinates(space, RITZ_NODES_EQUISPACED, points));
    ritz_copy_to_points(&w->points, 3, points);
    RITZ_TRY(w->format->write(w->file, RITZ_ARRAY_POINTS, 0, w->points.n, points));
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

static void fill_chunk(const writer *w, int b, int32_t first, int32_t n, int type, const int *order, int64_t offset,
                       const chunk *c)
{
    const ritz_space_batch *batch = &w->space->batches[b];
    int n_shape = batch->n_shape;
#pragma omp parallel for schedule(static)
    for (int32_t e = 0; e < n; e++) {
        const int32_t *nodes = batch->cell_nodes + (int64_t)(first + e) * n_shape;
        for (int k = 0; k < n_shape; k++)
            c->connectivity[(int64_t)e * n_shape + k] = ritz_result_point(&w->points, b, first + e, nodes[order[k]]);
        c->offsets[e] = offset + (int64_t)(e + 1) * n_shape;
        c->types[e] = (uint8_t)type;
        const ritz_group_set *set = &w->space->mesh->sets[batch->block->set[first + e]];
        c->groups[e] = set->n_groups > 0 ? set->groups[0] : -1;
    }
}

/* Writes the cells of a batch; *cell and *id count the cells and points of cells written so far. */
static ritz_status write_batch(writer *w, int b, int64_t *cell, int64_t *id)
{
    ritz_status status = RITZ_OK;
    const ritz_space_batch *batch = &w->space->batches[b];
    int order[RITZ_MAX_SHAPE], type = 0, n_shape = batch->n_shape;
    chunk c = {0};
    RITZ_TRY(w->space->serendipity ? ritz_vtk_serendipity_cell(batch->cell, &type, order)
                                   : ritz_vtk_cell(batch->cell, w->space->order, &type, order));
    RITZ_NEW(c.connectivity, (int64_t)CHUNK * n_shape);
    RITZ_NEW(c.offsets, CHUNK);
    RITZ_NEW(c.types, CHUNK);
    RITZ_NEW(c.groups, CHUNK);
    for (int32_t first = 0; first < batch->n_cells; first += CHUNK) {
        int32_t n = (int32_t)ritz_min64(CHUNK, batch->n_cells - first);
        RITZ_TRY(ritz_check_interrupt());
        ritz_progress("output", 0.5 * (double)*cell / (double)w->shape.n_cells);
        fill_chunk(w, b, first, n, type, order, *id, &c);
        RITZ_TRY(w->format->write(w->file, RITZ_ARRAY_CONNECTIVITY, *id, (int64_t)n * n_shape, c.connectivity));
        RITZ_TRY(w->format->write(w->file, RITZ_ARRAY_OFFSETS, *cell, n, c.offsets));
        RITZ_TRY(w->format->write(w->file, RITZ_ARRAY_TYPES, *cell, n, c.types));
        RITZ_TRY(w->format->write(w->file, RITZ_ARRAY_GROUP, *cell, n, c.groups));
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
    int64_t cell = 0, id = 0;
    for (int b = 0; b < w->space->n_batches; b++)
        RITZ_TRY(write_batch(w, b, &cell, &id));
done:
    return status;
}

/* Values at one cell's equispaced nodes that no earlier cell has filled: out[node] = sum_j psi_j(equispaced node)
 * in[node_j]. */
static void move_cell(const ritz_result_points *points, int b, const double *psi, int32_t cell, const ritz_field *field,
                      uint8_t *filled, double *out)
{
    const ritz_space_batch *batch = &points->space->batches[b];
    int32_t at[RITZ_MAX_SHAPE];
    int n_shape = batch->n_shape, n = field->n_components, dim = batch->basis->dim;
    const int32_t *nodes = batch->cell_nodes + (int64_t)cell * n_shape;
    for (int i = 0; i < n_shape; i++)
        at[i] = ritz_result_point(points, b, cell, nodes[i]);
    for (int i = 0; i < n_shape; i++) {
        const double *row = psi + (int64_t)i * (1 + dim) * n_shape;
        if (filled[at[i]])
            continue;
        filled[at[i]] = 1;
        for (int c = 0; c < n; c++) {
            double sum = 0;
            for (int j = 0; j < n_shape; j++)
                sum += row[j] * field->values[(int64_t)at[j] * n + c];
            out[(int64_t)at[i] * n + c] = sum;
        }
    }
}

/* A field from the Lobatto nodes to the equispaced ones. Any cell at a point gives the same value, the field being
   continuous in its material; the first one is taken. */
static ritz_status move_field(const ritz_result_points *points, const ritz_field *field, double *out)
{
    ritz_status status = RITZ_OK;
    uint8_t *filled = NULL;
    double *psi = NULL;
    ritz_basis *even = NULL;
    const ritz_space *space = points->space;
    RITZ_NEW(filled, points->n);
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        RITZ_TRY(ritz_basis_create(batch->cell, space->order, RITZ_NODES_EQUISPACED, &even));
        RITZ_NEW(psi, (int64_t)batch->n_shape * batch->n_shape * (1 + even->dim));
        RITZ_TRY(ritz_basis_tabulate(batch->basis, batch->n_shape, even->nodes, psi));
        for (int32_t cell = 0; cell < batch->n_cells; cell++) {
            if (cell % CHUNK == 0)
                RITZ_TRY(ritz_check_interrupt());
            move_cell(points, b, psi, cell, field, filled, out);
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
    const int64_t n_points = w->points.n;
    const double *values = field->values;
    double *moved = NULL;
    RITZ_TRY(ritz_check_interrupt());
    if (w->space->order > 2) { /* up to order 2 the two node families agree */
        RITZ_NEW(moved, n_points * field->n_components);
        RITZ_TRY(move_field(&w->points, field, moved));
        values = moved;
    }
    RITZ_TRY(w->format->write(w->file, RITZ_ARRAY_FIELDS + w->n_added, 0, n_points, values));
done:
    ritz_free(moved);
    return status;
}

static void measure_result(writer *w)
{
    const ritz_space *space = w->space;
    ritz_result_shape *shape = &w->shape;
    shape->mesh = space->mesh;
    shape->n_points = w->points.n;
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        shape->n_cells += batch->n_cells;
        shape->n_ids += (int64_t)batch->n_cells * batch->n_shape;
        shape->has_lagrange_hexes =
            shape->has_lagrange_hexes || (batch->cell == RITZ_HEX && space->order > 1 && !space->serendipity);
    }
    for (int f = 0; f < shape->n_fields; f++)
        w->n_reals += shape->fields[f].n_components;
}

static ritz_status create_writer(const char *path, const ritz_result_format *format, const ritz_result_points *points,
                                 const ritz_field *fields, int n_fields, ritz_result_file **file)
{
    ritz_status status = RITZ_OK;
    writer *w = NULL;
    RITZ_NEW(w, 1);
    *w = (writer){
        .space = points->space, .points = *points, .format = format, .shape = {.fields = fields, .n_fields = n_fields}};
    for (int f = 0; f < n_fields; f++)
        RITZ_TRY(check_head(fields, f));
    measure_result(w);
    RITZ_TRY(format->create(path, &w->shape, &w->file));
    RITZ_TRY(write_points(w));
    RITZ_TRY(write_cells(w));
    *file = w;
    w = NULL;
done:
    ritz_result_file_destroy(&w);
    return status;
}

ritz_status ritz_result_file_create(const char *path, const ritz_result_points *points, const ritz_field *fields,
                                    int n_fields, ritz_result_file **file)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_check_result_path(path));
    RITZ_TRY(create_writer(path, ritz_find_result_format(path), points, fields, n_fields, file));
done:
    return status;
}

ritz_status ritz_result_file_add(ritz_result_file *w, const double *values)
{
    ritz_status status = RITZ_OK;
    ritz_field field = w->shape.fields[w->n_added];
    field.values = values;
    RITZ_TRY(check_values(&w->points, &field));
    ritz_progress("output", 0.5 + 0.5 * w->n_written / w->n_reals);
    RITZ_TRY(write_field(w, &field));
    w->n_written += field.n_components;
    w->n_added++;
done:
    return status;
}

ritz_status ritz_result_file_finish(ritz_result_file **file)
{
    const ritz_status status = (*file)->format->finish(&(*file)->file);
    ritz_result_file_destroy(file);
    if (status == RITZ_OK)
        ritz_progress("output", 1);
    return status;
}

void ritz_result_file_destroy(ritz_result_file **file)
{
    if (!*file)
        return;
    (*file)->format->destroy(&(*file)->file);
    ritz_free(*file);
    *file = NULL;
}

static ritz_status write_fields(const char *path, const ritz_result_format *format, const ritz_space *space,
                                const ritz_field *fields, int n_fields)
{
    ritz_status status = RITZ_OK;
    ritz_result_file *file = NULL;
    RITZ_REQUIRE_POINTER(space);
    const ritz_result_points points = ritz_result_points_of(space);
    RITZ_REQUIRE(n_fields >= 0 && (fields || n_fields == 0), RITZ_ERROR_INPUT, "%d fields cannot be written%s",
                 n_fields, fields ? "" : "; 'fields' is NULL");
    for (int f = 0; f < n_fields; f++) {
        RITZ_TRY(check_head(fields, f));
        RITZ_TRY(check_values(&points, &fields[f]));
    }
    RITZ_TRY(create_writer(path, format, &points, fields, n_fields, &file));
    for (int f = 0; f < n_fields; f++)
        RITZ_TRY(ritz_result_file_add(file, fields[f].values));
    RITZ_TRY(ritz_result_file_finish(&file));
done:
    ritz_result_file_destroy(&file);
    return status;
}

ritz_status ritz_write_result(const char *path, const ritz_space *space, const ritz_field *fields, int n_fields)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(path);
    RITZ_TRY(ritz_check_result_path(path));
    RITZ_TRY(write_fields(path, ritz_find_result_format(path), space, fields, n_fields));
done:
    return status;
}

ritz_status ritz_write_vtkhdf(const char *path, const ritz_space *space, const ritz_field *fields, int n_fields)
{
    ritz_status status = RITZ_OK;
    const ritz_result_format *format = path ? ritz_find_result_format(path) : NULL;
    RITZ_REQUIRE_POINTER(path);
    RITZ_REQUIRE(!format || format == &ritz_format_vtkhdf, RITZ_ERROR_INPUT,
                 "'%s' ends like another format; ritz_write_result chooses by the ending", path);
    RITZ_TRY(write_fields(path, &ritz_format_vtkhdf, space, fields, n_fields));
done:
    return status;
}
