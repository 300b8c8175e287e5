/* Files of element matrices, streamed. */
#include "output/hdf.h"
#include "output/record.h"
#include "output/silence.h"

#include <string.h>

enum { PIECE = 1 << 16 }; /* rows of numbers converted at once */

struct ritz_element_file {
    char *path;
    ritz_hdf *hdf;
    int64_t n_cells, rows;
    hid_t matrices, vectors;
};

static ritz_status fail_to_write(const ritz_element_file *file, const char *what)
{
    return ritz_fail(RITZ_ERROR_FILE,
                     "%s: %s could not be written; the file was removed; check the free space on the disk", file->path,
                     what);
}

/* A dataset that is written once from its first row to its last. */
static hid_t create_dataset(const ritz_element_file *file, const char *name, ritz_precision precision, int rank,
                            const hsize_t *shape)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(rank, shape, NULL), set = H5I_INVALID_HID;
    if (list >= 0 && space >= 0 && H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0)
        set =
            H5Dcreate2((hid_t)ritz_hdf_handle(file->hdf), name, precision == RITZ_F64 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE,
                       space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Pclose(list);
    H5Sclose(space);
    return set;
}

static bool write_cells(hid_t set, int rank, int64_t first, int64_t n, int64_t rows, const double *values)
{
    const hsize_t start[3] = {(hsize_t)first, 0, 0}, shape[3] = {(hsize_t)n, (hsize_t)rows, (hsize_t)rows};
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(rank, shape, NULL);
    bool good = space >= 0 && memory >= 0 &&
                H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, shape, NULL) >= 0 &&
                H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

/* cell_dofs: the row of (shape function i, component c) is degree of freedom node * n_components + c. */
static ritz_status write_cell_dofs(ritz_element_file *file, const ritz_space_batch *batch, int n_components)
{
    ritz_status status = RITZ_OK;
    int64_t *dofs = NULL;
    const int64_t n_at_once = ritz_max64(1, PIECE / file->rows);
    RITZ_TRY(ritz_hdf_dataset(file->hdf, "cell_dofs", RITZ_HDF_I64, file->n_cells, file->rows));
    RITZ_NEW(dofs, n_at_once * file->rows);
    for (int64_t first = 0; first < file->n_cells; first += n_at_once) {
        const int64_t n = ritz_min64(n_at_once, file->n_cells - first);
        for (int64_t k = 0; k < n * file->rows; k++)
            dofs[k] =
                (int64_t)batch->cell_nodes[(first * file->rows + k) / n_components] * n_components + k % n_components;
        RITZ_TRY(ritz_hdf_rows(file->hdf, "cell_dofs", first, n, dofs));
    }
done:
    ritz_free(dofs);
    return status;
}

static ritz_status write_coordinates(ritz_element_file *file, const ritz_space *space, int n_components)
{
    ritz_status status = RITZ_OK;
    double *coordinates = NULL;
    const int dim = space->dim;
    const int64_t n_dofs = (int64_t)space->n_nodes * n_components;
    RITZ_TRY(ritz_hdf_dataset(file->hdf, "dof_coordinates", RITZ_HDF_F64, n_dofs, dim));
    RITZ_NEW(coordinates, ritz_min64(PIECE, n_dofs) * dim);
    for (int64_t first = 0; first < n_dofs; first += PIECE) {
        const int64_t n = ritz_min64(PIECE, n_dofs - first);
        for (int64_t k = 0; k < n; k++)
            memcpy(coordinates + k * dim, space->coordinates + (first + k) / n_components * dim,
                   (size_t)dim * sizeof *coordinates);
        RITZ_TRY(ritz_hdf_rows(file->hdf, "dof_coordinates", first, n, coordinates));
    }
done:
    ritz_free(coordinates);
    return status;
}

ritz_status ritz_element_file_create(const char *path, const ritz_space *space, const ritz_space_batch *batch,
                                     int n_components, ritz_precision precision, ritz_element_file **file)
{
    ritz_status status = RITZ_OK;
    ritz_element_file *f = NULL;
    const silence quiet = begin_silence();
    const int64_t rows = (int64_t)batch->n_shape * n_components, n = batch->n_cells,
                  real = precision == RITZ_F64 ? 8 : 4;
    const int64_t bytes =
        n * rows * ((rows + 1) * real + 8) + (int64_t)space->n_nodes * n_components * space->dim * 8 + 65536;
    const hsize_t shape[3] = {(hsize_t)n, (hsize_t)rows, (hsize_t)rows};
    RITZ_NEW(f, 1);
    f->matrices = f->vectors = H5I_INVALID_HID;
    f->n_cells = n;
    f->rows = rows;
    RITZ_TRY(ritz_copy_text(path, &f->path));
    RITZ_TRY(ritz_hdf_create(path, bytes, &f->hdf));
    f->matrices = create_dataset(f, "matrices", precision, 3, shape);
    f->vectors = create_dataset(f, "vectors", precision, 2, shape);
    if (f->matrices < 0 || f->vectors < 0)
        RITZ_TRY(fail_to_write(f, "its head"));
    RITZ_TRY(write_cell_dofs(f, batch, n_components));
    RITZ_TRY(write_coordinates(f, space, n_components));
    *file = f;
    f = NULL;
done:
    end_silence(quiet);
    ritz_element_file_destroy(&f);
    return status;
}

ritz_status ritz_element_file_write(ritz_element_file *file, int64_t first, int64_t count, const double *matrices,
                                    const double *vectors)
{
    const silence quiet = begin_silence();
    const bool good = write_cells(file->matrices, 3, first, count, file->rows, matrices) &&
                      write_cells(file->vectors, 2, first, count, file->rows, vectors);
    end_silence(quiet);
    return good ? RITZ_OK : fail_to_write(file, "element matrices");
}

/* A number as an attribute of the file. */
static bool write_attribute(hid_t root, const ritz_record_field *field)
{
    const bool whole = field->kind == RITZ_FIELD_INTEGER;
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t id = H5Acreate2(root, field->name, whole ? H5T_STD_I64LE : H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = id >= 0 && (whole ? H5Awrite(id, H5T_NATIVE_INT64, &field->integer)
                                        : H5Awrite(id, H5T_NATIVE_DOUBLE, &field->number)) >= 0;
    if (id >= 0)
        H5Aclose(id);
    H5Sclose(space);
    return good;
}

/* Closes the datasets; false if what HDF5 still held could not be written. */
static bool close_datasets(ritz_element_file *file)
{
    bool good = true;
    if (file->matrices >= 0)
        good = H5Dclose(file->matrices) >= 0 && good;
    if (file->vectors >= 0)
        good = H5Dclose(file->vectors) >= 0 && good;
    file->matrices = file->vectors = H5I_INVALID_HID;
    return good;
}

ritz_status ritz_element_file_finish(ritz_element_file **file, const ritz_record_field *fields, int n_fields)
{
    ritz_status status = RITZ_OK;
    const silence quiet = begin_silence();
    ritz_element_file *f = *file;
    for (int k = 0; k < n_fields; k++) {
        if (fields[k].kind == RITZ_FIELD_TEXT)
            RITZ_TRY(ritz_hdf_attribute_text(f->hdf, "/", fields[k].name, fields[k].text));
        else if (!write_attribute((hid_t)ritz_hdf_handle(f->hdf), &fields[k]))
            RITZ_TRY(fail_to_write(f, fields[k].name));
    }
    if (!close_datasets(f))
        RITZ_TRY(fail_to_write(f, "element matrices"));
    RITZ_TRY(ritz_hdf_finish(&f->hdf));
done:
    end_silence(quiet);
    ritz_element_file_destroy(file);
    return status;
}

void ritz_element_file_destroy(ritz_element_file **file)
{
    if (!file || !*file)
        return;
    const silence quiet = begin_silence();
    close_datasets(*file);
    ritz_hdf_destroy(&(*file)->hdf);
    end_silence(quiet);
    ritz_free((*file)->path);
    ritz_free(*file);
    *file = NULL;
}
