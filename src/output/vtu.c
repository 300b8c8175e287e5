/* VTK's XML file of an unstructured grid, with the arrays as raw bytes after the XML
   (https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html). Each array stands behind its number of
   bytes, a 64-bit integer; its place is known from the start, so the XML is written first and whole. */
#include "base/fresh.h"
#include "output/format.h"

#include <string.h>

/* Where an array begins, in bytes after the mark '_'. */
typedef struct place {
    int64_t offset, row_bytes, bytes;
} place;

typedef struct vtu {
    const ritz_result_shape *shape;
    ritz_fresh fresh;
    char *head;     /* the XML up to the mark */
    place *places;  /* [RITZ_ARRAY_FIELDS + n_fields] */
    int64_t data;   /* where the mark ends in the file */
    int64_t n_data; /* bytes of all arrays with their numbers of bytes */
} vtu;

static const char tail[] = "\n  </AppendedData>\n</VTKFile>\n";

static const char *byte_order(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1 ? "LittleEndian" : "BigEndian";
}

/* A text between the quotes of an attribute. */
static void add_escaped(ritz_text *xml, const char *text)
{
    for (const char *c = text; *c; c++)
        if (strchr("&<>\"", *c) || (unsigned char)*c < 0x20)
            ritz_text_add(xml, "&#%d;", *c);
        else
            ritz_text_add(xml, "%c", *c);
}

/* Gives an array its place behind those before it. */
static int64_t place_array(vtu *v, int array, int64_t rows, int64_t row_bytes)
{
    const int64_t offset = v->n_data;
    v->places[array] = (place){.offset = offset, .row_bytes = row_bytes, .bytes = rows * row_bytes};
    v->n_data += 8 + rows * row_bytes;
    return offset;
}

static void add_array(ritz_text *xml, const char *type, const char *name, int64_t offset)
{
    ritz_text_add(xml, "        <DataArray type=\"%s\" Name=\"%s\" format=\"appended\" offset=\"%lld\"/>\n", type, name,
                  (long long)offset);
}

static void add_field(vtu *v, ritz_text *xml, int f)
{
    const ritz_field *field = &v->shape->fields[f];
    ritz_text_add(xml, "        <DataArray type=\"Float64\" Name=\"");
    add_escaped(xml, field->name);
    ritz_text_add(xml, "\" NumberOfComponents=\"%d\"", field->n_components);
    for (int k = 0; field->n_components == 6 && k < 6; k++)
        ritz_text_add(xml, " ComponentName%d=\"%s\"", k, ritz_tensor_components[k]);
    ritz_text_add(
        xml, " format=\"appended\" offset=\"%lld\"/>\n",
        (long long)place_array(v, RITZ_ARRAY_FIELDS + f, v->shape->n_points, 8 * (int64_t)field->n_components));
}

/* The names of the groups stand first, one after the other, each with its NUL. */
static int64_t group_name_bytes(const ritz_mesh *mesh)
{
    int64_t bytes = 0;
    for (int g = 0; g < mesh->n_groups; g++)
        bytes += (int64_t)strlen(mesh->groups[g].name) + 1;
    return bytes;
}

static ritz_status make_head(vtu *v)
{
    ritz_status status = RITZ_OK;
    const ritz_result_shape *s = v->shape;
    ritz_text xml = {0};
    ritz_text_add(&xml,
                  "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"%s\" byte_order=\"%s\" "
                  "header_type=\"UInt64\">\n  <UnstructuredGrid>\n",
                  s->has_lagrange_hexes ? "2.2" : "1.0", byte_order());
    if (s->mesh->n_groups > 0) {
        ritz_text_add(&xml,
                      "    <FieldData>\n      <Array type=\"String\" Name=\"group_names\" NumberOfTuples=\"%d\" "
                      "format=\"appended\" offset=\"0\"/>\n    </FieldData>\n",
                      (int)s->mesh->n_groups);
        v->n_data = 8 + group_name_bytes(s->mesh);
    }
    ritz_text_add(&xml, "    <Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n      <PointData>\n",
                  (long long)s->n_points, (long long)s->n_cells);
    for (int f = 0; f < s->n_fields; f++)
        add_field(v, &xml, f);
    ritz_text_add(&xml, "      </PointData>\n      <CellData>\n");
    add_array(&xml, "Int32", "group", place_array(v, RITZ_ARRAY_GROUP, s->n_cells, 4));
    ritz_text_add(&xml, "      </CellData>\n      <Points>\n");
    add_array(&xml, "Float64", "Points\" NumberOfComponents=\"3", place_array(v, RITZ_ARRAY_POINTS, s->n_points, 24));
    ritz_text_add(&xml, "      </Points>\n      <Cells>\n");
    add_array(&xml, "Int64", "connectivity", place_array(v, RITZ_ARRAY_CONNECTIVITY, s->n_ids, 8));
    add_array(&xml, "Int64", "offsets", place_array(v, RITZ_ARRAY_OFFSETS, s->n_cells, 8));
    add_array(&xml, "UInt8", "types", place_array(v, RITZ_ARRAY_TYPES, s->n_cells, 1));
    ritz_text_add(&xml, "      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n   _");
    v->data = xml.length;
    RITZ_TRY(ritz_text_take(&xml, &v->head));
done:
    ritz_text_free(&xml);
    return status;
}

static ritz_status write_group_names(const vtu *v)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = v->shape->mesh;
    const uint64_t bytes = (uint64_t)group_name_bytes(mesh);
    int64_t at = v->data;
    if (mesh->n_groups == 0)
        return RITZ_OK;
    RITZ_TRY(ritz_fresh_write(&v->fresh, at, 8, &bytes));
    at += 8;
    for (int g = 0; g < mesh->n_groups; g++) {
        const int64_t n = (int64_t)strlen(mesh->groups[g].name) + 1;
        RITZ_TRY(ritz_fresh_write(&v->fresh, at, n, mesh->groups[g].name));
        at += n;
    }
done:
    return status;
}

/* All but the arrays' values. */
static ritz_status write_frame(const vtu *v)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_fresh_write(&v->fresh, 0, v->data, v->head));
    RITZ_TRY(write_group_names(v));
    for (int a = 0; a < RITZ_ARRAY_FIELDS + v->shape->n_fields; a++) {
        const uint64_t bytes = (uint64_t)v->places[a].bytes;
        RITZ_TRY(ritz_fresh_write(&v->fresh, v->data + v->places[a].offset, 8, &bytes));
    }
    RITZ_TRY(ritz_fresh_write(&v->fresh, v->data + v->n_data, sizeof tail - 1, tail));
done:
    return status;
}

static void destroy_file(void **file)
{
    vtu *v = *file;
    if (!v)
        return;
    ritz_fresh_drop(&v->fresh);
    ritz_free(v->head);
    ritz_free(v->places);
    ritz_free(v);
    *file = NULL;
}

static ritz_status create_vtu(const char *path, const ritz_result_shape *shape, void **file)
{
    ritz_status status = RITZ_OK;
    vtu *v = NULL;
    RITZ_NEW(v, 1);
    v->shape = shape;
    RITZ_NEW(v->places, RITZ_ARRAY_FIELDS + shape->n_fields);
    RITZ_TRY(make_head(v));
    const int64_t bytes = v->data + v->n_data + (int64_t)sizeof tail - 1;
    RITZ_TRY(ritz_fresh_create(path, bytes, &v->fresh));
    RITZ_TRY(ritz_fresh_reserve(&v->fresh, bytes));
    RITZ_TRY(write_frame(v));
    *file = v;
    v = NULL;
done:
    destroy_file((void **)&v);
    return status;
}

static ritz_status write_vtu(void *file, int array, int64_t first, int64_t n, const void *data)
{
    const vtu *v = file;
    const place *p = &v->places[array];
    return ritz_fresh_write(&v->fresh, v->data + p->offset + 8 + first * p->row_bytes, n * p->row_bytes, data);
}

static ritz_status finish_vtu(void **file)
{
    vtu *v = *file;
    const ritz_status status = ritz_fresh_finish(&v->fresh, -1);
    destroy_file(file);
    return status;
}

const ritz_result_format ritz_format_vtu = {
    .endings = {".vtu"}, .create = create_vtu, .write = write_vtu, .finish = finish_vtu, .destroy = destroy_file};
