/* The table of runs: columns of an HDF5 file that grow by one row a run. */
#include "output/record.h"
#include "base/lock.h"
#include "output/hdf.h"

#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { COLUMN_CHUNK = 64 };

static const char mark[] = "ritz_records"; /* attribute of the file's root: the version of this layout */
static const char count[] = "n_runs";      /* attribute of a table */

/* One append: the old file is copied into a fresh one that takes its place. */
typedef struct append {
    const char *path;
    hid_t old; /* negative: there is none */
    ritz_hdf *hdf;
    hid_t file, table;
    int64_t n_runs;
    ritz_status status; /* of the iterations' callbacks */
} append;

static ritz_status fail_broken(const append *a, const char *what)
{
    return ritz_fail(RITZ_ERROR_FILE, "%s is broken: %s cannot be read; move it away or give another name", a->path,
                     what);
}

static ritz_status fail_to_write(const append *a, const char *what)
{
    return ritz_fail(RITZ_ERROR_FILE, "%s: the column %s cannot be written; the file is as it was; check the disk",
                     a->path, what);
}

/* Waits until no other process appends to a file of this folder. */
static int lock_folder(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    return ritz_lock_folder(folder);
}

static bool read_integer(hid_t object, const char *name, int64_t *value)
{
    hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : H5I_INVALID_HID;
    bool good = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_INT64, value) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    return good;
}

static bool write_integer(hid_t object, const char *name, int64_t value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Aexists(object, name) > 0
                          ? H5Aopen(object, name, H5P_DEFAULT)
                          : H5Acreate2(object, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, &value) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    return good;
}

/* Opens the record file that is there, if one is. */
static ritz_status open_old_file(append *a)
{
    ritz_status status = RITZ_OK;
    struct stat info;
    int64_t version = 0;
    if (stat(a->path, &info) != 0 && errno == ENOENT)
        return RITZ_OK;
    RITZ_REQUIRE(H5Fis_hdf5(a->path) > 0, RITZ_ERROR_FILE,
                 "%s exists and is not an HDF5 file, or is a damaged one: nothing was appended; move it away or give "
                 "another name",
                 a->path);
    a->old = H5Fopen(a->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (a->old < 0)
        RITZ_TRY(fail_broken(a, "its head"));
    RITZ_REQUIRE(read_integer(a->old, mark, &version), RITZ_ERROR_FILE,
                 "%s is an HDF5 file but holds no records of runs: give another name", a->path);
    RITZ_REQUIRE(version == 1, RITZ_ERROR_FILE,
                 "%s has records of layout %lld, this version writes layout 1: give another name", a->path,
                 (long long)version);
done:
    return status;
}

static herr_t copy_table(hid_t root, const char *name, const H5L_info_t *info, void *context)
{
    append *a = context;
    (void)info;
    if (H5Ocopy(root, name, a->file, name, H5P_DEFAULT, H5P_DEFAULT) >= 0)
        return 0;
    a->status = fail_broken(a, name);
    return -1;
}

/* The fresh file with all tables of the old one. */
static ritz_status start_new_file(append *a)
{
    ritz_status status = RITZ_OK;
    struct stat info = {0};
    if (a->old >= 0 && stat(a->path, &info) != 0)
        info.st_size = 0;
    RITZ_TRY(ritz_hdf_create(a->path, (int64_t)info.st_size + 262144, &a->hdf));
    a->file = (hid_t)ritz_hdf_handle(a->hdf);
    if (!write_integer(a->file, mark, 1))
        RITZ_TRY(fail_to_write(a, mark));
    if (a->old >= 0 && H5Literate(a->old, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, copy_table, a) < 0)
        RITZ_TRY(a->status != RITZ_OK ? a->status : fail_broken(a, "the list of its tables"));
done:
    return status;
}

static ritz_status open_table(append *a, const char *table)
{
    ritz_status status = RITZ_OK;
    if (H5Lexists(a->file, table, H5P_DEFAULT) > 0) {
        a->table = H5Gopen2(a->file, table, H5P_DEFAULT);
        if (a->table < 0 || !read_integer(a->table, count, &a->n_runs) || a->n_runs < 0)
            RITZ_TRY(fail_broken(a, table));
    } else {
        a->table = H5Gcreate2(a->file, table, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (a->table < 0)
            RITZ_TRY(fail_to_write(a, table));
    }
done:
    return status;
}

/* The type in memory and on disk of a column. */
static hid_t column_type(ritz_field_kind kind)
{
    hid_t type = H5Tcopy(kind == RITZ_FIELD_TEXT     ? H5T_C_S1
                         : kind == RITZ_FIELD_NUMBER ? H5T_IEEE_F64LE
                                                     : H5T_STD_I64LE);
    if (type >= 0 && kind == RITZ_FIELD_TEXT &&
        (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0))
        type = H5I_INVALID_HID;
    return type;
}

/* A new column with a row for each run that is already there. */
static hid_t create_column(append *a, const char *name, ritz_field_kind kind)
{
    const hsize_t n = (hsize_t)a->n_runs, chunk = COLUMN_CHUNK, unlimited = H5S_UNLIMITED;
    const double not_known = NAN;
    const int64_t none = -1;
    hid_t type = column_type(kind), space = H5Screate_simple(1, &n, &unlimited), list = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = H5I_INVALID_HID;
    bool good = type >= 0 && space >= 0 && list >= 0 && H5Pset_chunk(list, 1, &chunk) >= 0;
    if (kind == RITZ_FIELD_NUMBER)
        good = good && H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &not_known) >= 0;
    if (kind == RITZ_FIELD_INTEGER)
        good = good && H5Pset_fill_value(list, H5T_NATIVE_INT64, &none) >= 0;
    if (good)
        set = H5Dcreate2(a->table, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Pclose(list);
    H5Sclose(space);
    H5Tclose(type);
    return set;
}

/* A column that is there; checked to be of this kind. */
static ritz_status open_column(const append *a, const ritz_record_field *field, hid_t *set)
{
    ritz_status status = RITZ_OK;
    static const H5T_class_t class_of[] = {
        [RITZ_FIELD_TEXT] = H5T_STRING, [RITZ_FIELD_NUMBER] = H5T_FLOAT, [RITZ_FIELD_INTEGER] = H5T_INTEGER};
    *set = H5Dopen2(a->table, field->name, H5P_DEFAULT);
    hid_t type = *set >= 0 ? H5Dget_type(*set) : H5I_INVALID_HID;
    if (type < 0)
        RITZ_TRY(fail_broken(a, field->name));
    RITZ_REQUIRE(H5Tget_class(type) == class_of[field->kind], RITZ_ERROR_FILE,
                 "%s has a column %s of another type than this run's: give another name", a->path, field->name);
done:
    if (type >= 0)
        H5Tclose(type);
    return status;
}

static bool write_row(hid_t set, const ritz_record_field *field, int64_t row)
{
    const hsize_t start = (hsize_t)row, one = 1;
    const char *text = field->text;
    const void *value = field->kind == RITZ_FIELD_TEXT     ? (const void *)&text
                        : field->kind == RITZ_FIELD_NUMBER ? (const void *)&field->number
                                                           : (const void *)&field->integer;
    hid_t type = field->kind == RITZ_FIELD_TEXT
                     ? column_type(field->kind)
                     : H5Tcopy(field->kind == RITZ_FIELD_NUMBER ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64);
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(1, &one, NULL);
    bool good = type >= 0 && space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &one, NULL) >= 0 &&
                H5Dwrite(set, type, memory, space, H5P_DEFAULT, value) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

static ritz_status add_field(append *a, const ritz_record_field *field)
{
    ritz_status status = RITZ_OK;
    hid_t set = H5I_INVALID_HID;
    if (H5Lexists(a->table, field->name, H5P_DEFAULT) > 0)
        RITZ_TRY(open_column(a, field, &set));
    else
        set = create_column(a, field->name, field->kind);
    const hsize_t rows = (hsize_t)a->n_runs + 1;
    if (set < 0 || H5Dset_extent(set, &rows) < 0 || !write_row(set, field, a->n_runs))
        RITZ_TRY(fail_to_write(a, field->name));
done:
    if (set >= 0)
        H5Dclose(set);
    return status;
}

/* Fills up a column that this run does not have. */
static herr_t extend_column(hid_t table, const char *name, const H5L_info_t *info, void *context)
{
    append *a = context;
    (void)info;
    const hsize_t rows = (hsize_t)a->n_runs + 1;
    hid_t set = H5Dopen2(table, name, H5P_DEFAULT);
    bool good = set >= 0 && H5Dset_extent(set, &rows) >= 0;
    if (set >= 0)
        H5Dclose(set);
    if (!good)
        a->status = fail_broken(a, name);
    return good ? 0 : -1;
}

static ritz_status append_run(append *a, const char *table, const ritz_record_field *fields, int n_fields)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(open_old_file(a));
    RITZ_TRY(start_new_file(a));
    RITZ_TRY(open_table(a, table));
    for (int f = 0; f < n_fields; f++)
        RITZ_TRY(add_field(a, &fields[f]));
    if (H5Literate(a->table, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, extend_column, a) < 0)
        RITZ_TRY(a->status != RITZ_OK ? a->status : fail_broken(a, table));
    if (!write_integer(a->table, count, a->n_runs + 1))
        RITZ_TRY(fail_to_write(a, count));
    H5Gclose(a->table);
    a->table = H5I_INVALID_HID;
    H5Fclose(a->old);
    a->old = H5I_INVALID_HID;
    RITZ_TRY(ritz_hdf_finish(&a->hdf));
done:
    return status;
}

ritz_status ritz_record_append(const char *path, const char *table, const ritz_record_field *fields, int n_fields)
{
    append a = {.path = path, .old = H5I_INVALID_HID, .file = H5I_INVALID_HID, .table = H5I_INVALID_HID};
    H5E_auto2_t print = NULL;
    void *print_data = NULL;
    H5Eget_auto2(H5E_DEFAULT, &print, &print_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* ritz_message says what failed */
    const int lock = lock_folder(path);
    ritz_status status = append_run(&a, table, fields, n_fields);
    if (a.table >= 0)
        H5Gclose(a.table);
    if (a.old >= 0)
        H5Fclose(a.old);
    ritz_hdf_destroy(&a.hdf);
    ritz_unlock_folder(lock);
    H5Eset_auto2(H5E_DEFAULT, print, print_data);
    return status;
}
