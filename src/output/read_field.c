/* Nodal fields of result files that an earlier run has written. */
#include "output/output.h"
#include "output/silence.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void ritz_stored_field_free(ritz_stored_field *field)
{
    ritz_free(field->points);
    ritz_free(field->values);
    *field = (ritz_stored_field){0};
}

/* Rows of an open dataset: *rows, and *columns, 1 of a one-dimensional one; false where it has another shape. */
static bool find_extent(hid_t set, int64_t *rows, int64_t *columns)
{
    hsize_t size[2] = {0, 1};
    const hid_t space = H5Dget_space(set);
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    const bool good = (rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, size, NULL) >= 0;
    if (space >= 0)
        H5Sclose(space);
    *rows = (int64_t)size[0];
    *columns = (int64_t)size[1];
    return good;
}

/* The first `most` rows of a dataset of reals or whole numbers (most < 0: all); the caller's. */
static ritz_status read_rows(hid_t file, const char *path, const char *name, hid_t type, int64_t columns, int64_t most,
                             int64_t *n, void **values)
{
    ritz_status status = RITZ_OK;
    hid_t set = H5I_INVALID_HID, from = H5I_INVALID_HID, to = H5I_INVALID_HID;
    int64_t rows = 0, found = 0;
    char *bytes = NULL;
    set = H5Dopen2(file, name, H5P_DEFAULT);
    RITZ_REQUIRE(set >= 0 && find_extent(set, &rows, &found) && found == columns, RITZ_ERROR_FILE,
                 "%s: has no %s as result files have it; name a .vtkhdf file that ritz solve has written", path, name);
    *n = most >= 0 && most < rows ? most : rows;
    RITZ_NEW(bytes, *n * columns * (int64_t)H5Tget_size(type));
    const hsize_t size[2] = {(hsize_t)*n, (hsize_t)columns}, start[2] = {0, 0};
    from = H5Dget_space(set);
    to = H5Screate_simple(H5Sget_simple_extent_ndims(from), size, NULL);
    RITZ_REQUIRE(from >= 0 && to >= 0 && H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                     H5Dread(set, type, to, from, H5P_DEFAULT, bytes) >= 0,
                 RITZ_ERROR_FILE, "%s: %s cannot be read; the file is damaged", path, name);
    *values = bytes;
    bytes = NULL;
done:
    if (from >= 0)
        H5Sclose(from);
    if (to >= 0)
        H5Sclose(to);
    if (set >= 0)
        H5Dclose(set);
    ritz_free(bytes);
    return status;
}

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    (void)group;
    (void)info;
    ritz_text *names = context;
    ritz_text_add(names, "%s%s", names->length ? ", " : "", name);
    return 0;
}

/* The message lists the fields that are there. */
static ritz_status find_field(hid_t file, const char *path, const char *field)
{
    ritz_status status = RITZ_OK;
    ritz_text names = {0};
    const hid_t group = H5Gopen2(file, "VTKHDF/PointData", H5P_DEFAULT);
    RITZ_REQUIRE(group >= 0, RITZ_ERROR_FILE, "%s: is no result file; name a .vtkhdf file that ritz solve has written",
                 path);
    if (H5Lexists(group, field, H5P_DEFAULT) <= 0) {
        H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, add_name, &names);
        status = ritz_fail(RITZ_ERROR_INPUT, "%s: has no field '%s'; it has %s", path, field,
                           names.length ? names.data : "none");
    }
done:
    ritz_text_free(&names);
    if (group >= 0)
        H5Gclose(group);
    return status;
}

static ritz_status read_open_file(hid_t file, const char *path, const char *field, ritz_stored_field *stored)
{
    ritz_status status = RITZ_OK;
    char *name = NULL;
    void *points = NULL, *values = NULL, *types = NULL, *offsets = NULL;
    int64_t n, n_values;
    RITZ_TRY(find_field(file, path, field));
    RITZ_TRY(ritz_format(&name, "VTKHDF/PointData/%s", field));
    RITZ_TRY(read_rows(file, path, "VTKHDF/Points", H5T_NATIVE_DOUBLE, 3, -1, &stored->n, &points));
    stored->points = points;
    RITZ_TRY(read_rows(file, path, name, H5T_NATIVE_DOUBLE, 1, -1, &n_values, &values));
    stored->values = values;
    RITZ_TRY(read_rows(file, path, "VTKHDF/Types", H5T_NATIVE_INT, 1, 1, &n, &types));
    RITZ_REQUIRE(n == 1 && n_values == stored->n, RITZ_ERROR_FILE, "%s: is damaged, or no result file", path);
    RITZ_TRY(read_rows(file, path, "VTKHDF/Offsets", H5T_NATIVE_INT64, 1, 2, &n, &offsets));
    RITZ_REQUIRE(n == 2, RITZ_ERROR_FILE, "%s: is damaged, or no result file", path);
    stored->first_type = *(int *)types;
    stored->first_n_points = (int)((int64_t *)offsets)[1];
done:
    ritz_free(name);
    ritz_free(types);
    ritz_free(offsets);
    return status;
}

ritz_status ritz_stored_field_read(const char *path, const char *field, ritz_stored_field *stored)
{
    ritz_status status = RITZ_OK;
    hid_t file = H5I_INVALID_HID;
    const silence before = begin_silence();
    *stored = (ritz_stored_field){0};
    errno = 0;
    RITZ_REQUIRE(access(path, R_OK) == 0, RITZ_ERROR_FILE, "cannot read %s: %s", path, strerror(errno));
    RITZ_REQUIRE(H5Fis_hdf5(path) > 0, RITZ_ERROR_FILE,
                 "%s: is no result file; name a .vtkhdf file that ritz solve has written", path);
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    RITZ_REQUIRE(file >= 0, RITZ_ERROR_FILE, "%s: HDF5 cannot open it; the file is damaged or being written", path);
    RITZ_TRY(read_open_file(file, path, field, stored));
done:
    if (file >= 0)
        H5Fclose(file);
    end_silence(before);
    if (status != RITZ_OK)
        ritz_stored_field_free(stored);
    return status;
}
