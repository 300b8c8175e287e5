/* VTKHDF 1.0, unstructured grid (https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format). */
#include "output/format.h"
#include "output/hdf.h"

typedef struct vtkhdf {
    const ritz_result_shape *shape;
    ritz_hdf *hdf;
} vtkhdf;

static int64_t estimate_bytes(const ritz_result_shape *shape)
{
    int64_t n_reals = 3;
    for (int f = 0; f < shape->n_fields; f++)
        n_reals += shape->fields[f].n_components;
    return 65536 + 8 * n_reals * shape->n_points + 8 * shape->n_ids + 13 * shape->n_cells;
}

static ritz_status write_head(const vtkhdf *v)
{
    ritz_status status = RITZ_OK;
    const ritz_result_shape *shape = v->shape;
    RITZ_TRY(ritz_hdf_group(v->hdf, "VTKHDF"));
    RITZ_TRY(ritz_hdf_attribute_integers(v->hdf, "VTKHDF", "Version", 2, (int64_t[2]){1, 0}));
    RITZ_TRY(ritz_hdf_attribute_text(v->hdf, "VTKHDF", "Type", "UnstructuredGrid"));
    RITZ_TRY(ritz_hdf_vector(v->hdf, "VTKHDF/NumberOfPoints", RITZ_HDF_I64, 1, &shape->n_points));
    RITZ_TRY(ritz_hdf_vector(v->hdf, "VTKHDF/NumberOfCells", RITZ_HDF_I64, 1, &shape->n_cells));
    RITZ_TRY(ritz_hdf_vector(v->hdf, "VTKHDF/NumberOfConnectivityIds", RITZ_HDF_I64, 1, &shape->n_ids));
    RITZ_TRY(ritz_hdf_group(v->hdf, "VTKHDF/PointData"));
    RITZ_TRY(ritz_hdf_group(v->hdf, "VTKHDF/CellData"));
    RITZ_TRY(ritz_hdf_group(v->hdf, "VTKHDF/FieldData"));
done:
    return status;
}

/* The names that the numbers of CellData/group stand for. */
static ritz_status write_group_names(const vtkhdf *v)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = v->shape->mesh;
    const char **names = NULL;
    if (mesh->n_groups == 0)
        return RITZ_OK;
    RITZ_NEW(names, mesh->n_groups);
    for (int g = 0; g < mesh->n_groups; g++)
        names[g] = mesh->groups[g].name;
    RITZ_TRY(ritz_hdf_texts(v->hdf, "VTKHDF/FieldData/group_names", mesh->n_groups, names));
done:
    ritz_free(names);
    return status;
}

static ritz_status create_arrays(const vtkhdf *v)
{
    ritz_status status = RITZ_OK;
    const ritz_result_shape *shape = v->shape;
    const int64_t zero = 0;
    RITZ_TRY(ritz_hdf_dataset(v->hdf, "VTKHDF/Points", RITZ_HDF_F64, shape->n_points, 3));
    RITZ_TRY(ritz_hdf_dataset(v->hdf, "VTKHDF/Connectivity", RITZ_HDF_I64, shape->n_ids, 0));
    RITZ_TRY(ritz_hdf_dataset(v->hdf, "VTKHDF/Offsets", RITZ_HDF_I64, shape->n_cells + 1, 0));
    RITZ_TRY(ritz_hdf_rows(v->hdf, "VTKHDF/Offsets", 0, 1, &zero));
    RITZ_TRY(ritz_hdf_dataset(v->hdf, "VTKHDF/Types", RITZ_HDF_U8, shape->n_cells, 0));
    RITZ_TRY(ritz_hdf_dataset(v->hdf, "VTKHDF/CellData/group", RITZ_HDF_I32, shape->n_cells, 0));
done:
    return status;
}

static void destroy_file(void **file)
{
    vtkhdf *v = *file;
    if (!v)
        return;
    ritz_hdf_destroy(&v->hdf);
    ritz_free(v);
    *file = NULL;
}

static ritz_status create_vtkhdf(const char *path, const ritz_result_shape *shape, void **file)
{
    ritz_status status = RITZ_OK;
    vtkhdf *v = NULL;
    RITZ_NEW(v, 1);
    v->shape = shape;
    RITZ_TRY(ritz_hdf_create(path, estimate_bytes(shape), &v->hdf));
    RITZ_TRY(write_head(v));
    RITZ_TRY(create_arrays(v));
    RITZ_TRY(write_group_names(v));
    *file = v;
    v = NULL;
done:
    destroy_file((void **)&v);
    return status;
}

/* VTKHDF 1.0 has no names of components: an attribute tells them to readers of the file. */
static ritz_status create_field(const vtkhdf *v, const char *name, int n_components)
{
    ritz_status status = RITZ_OK;
    ritz_text names = {0};
    char *text = NULL;
    RITZ_TRY(ritz_hdf_dataset(v->hdf, name, RITZ_HDF_F64, v->shape->n_points, n_components > 1 ? n_components : 0));
    for (int k = 0; n_components == 6 && k < 6; k++)
        ritz_text_add(&names, "%s%s", k ? " " : "", ritz_tensor_components[k]);
    if (n_components == 6) {
        RITZ_TRY(ritz_text_take(&names, &text));
        RITZ_TRY(ritz_hdf_attribute_text(v->hdf, name, "components", text));
    }
done:
    ritz_text_free(&names);
    ritz_free(text);
    return status;
}

static ritz_status write_vtkhdf(void *file, int array, int64_t first, int64_t n, const void *data)
{
    static const char *const names[] = {"VTKHDF/Points", "VTKHDF/Connectivity", "VTKHDF/Offsets", "VTKHDF/Types",
                                        "VTKHDF/CellData/group"};
    ritz_status status = RITZ_OK;
    const vtkhdf *v = file;
    char *name = NULL;
    if (array < RITZ_ARRAY_FIELDS) /* the offsets of VTKHDF begin with a zero */
        return ritz_hdf_rows(v->hdf, names[array], first + (array == RITZ_ARRAY_OFFSETS), n, data);
    const ritz_field *field = &v->shape->fields[array - RITZ_ARRAY_FIELDS];
    RITZ_TRY(ritz_format(&name, "VTKHDF/PointData/%s", field->name));
    if (first == 0)
        RITZ_TRY(create_field(v, name, field->n_components));
    RITZ_TRY(ritz_hdf_rows(v->hdf, name, first, n, data));
done:
    ritz_free(name);
    return status;
}

static ritz_status finish_vtkhdf(void **file)
{
    vtkhdf *v = *file;
    const ritz_status status = ritz_hdf_finish(&v->hdf);
    destroy_file(file);
    return status;
}

const ritz_result_format ritz_format_vtkhdf = {.endings = {".vtkhdf", ".hdf"},
                                               .create = create_vtkhdf,
                                               .write = write_vtkhdf,
                                               .finish = finish_vtkhdf,
                                               .destroy = destroy_file};
