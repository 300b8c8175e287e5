/* HDF5 files: fresh ones, and every failure as a sentence.

   HDF5 1.10 cannot close a file whose last writes fail: the file stays open, and the process crashes on it at exit. So
   the room on the disk is reserved before anything is written: a full disk, a quota or a size limit shows at once, and
   ends in a message. */
#include "output/hdf.h"
#include "base/fresh.h"
#include "output/silence.h"

#include <stdio.h>
#include <string.h>

struct ritz_hdf {
    ritz_fresh fresh;
    hid_t file;
};

/* Keeps the innermost description of HDF5's error stack, and the errno that its drivers put into the text. */
typedef struct hdf_reason {
    int code;
    char text[256];
} hdf_reason;

static herr_t record_reason(unsigned n, const H5E_error2_t *error, void *data)
{
    hdf_reason *reason = data;
    const char *found = error->desc == NULL ? NULL : strstr(error->desc, "errno = ");
    if (n == 0 && error->desc != NULL)
        snprintf(reason->text, sizeof reason->text, "%s", error->desc);
    if (found != NULL && reason->code == 0)
        sscanf(found, "errno = %d", &reason->code);
    return 0;
}

static ritz_status fail_hdf(const ritz_hdf *hdf, const char *what)
{
    hdf_reason reason = {0, "no reason given"};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, record_reason, &reason);
    if (reason.code != 0)
        return ritz_fail_errno(hdf->fresh.path, reason.code);
    return ritz_fail(RITZ_ERROR_FILE, "%s: HDF5 cannot write %s (%s); check the disk", hdf->fresh.path, what,
                     reason.text);
}

/* Opens the fresh file again. HDF5's usual driver asks for the target of the link in /proc by which a file without a name
   is opened, and fails; the stdio driver does not. HDF5's lock could meet that of the fresh file, and is not needed. */
static hid_t open_file(const ritz_fresh *fresh)
{
    hid_t file = H5I_INVALID_HID, access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_fapl_stdio(access) >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_file_locking(access, false, true) >= 0)
        file = H5Fcreate(fresh->name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (access >= 0)
        H5Pclose(access);
    return file;
}

ritz_status ritz_hdf_create(const char *path, int64_t bytes, ritz_hdf **hdf)
{
    ritz_status status = RITZ_OK;
    ritz_hdf *h = NULL;
    silence quiet = begin_silence();
    RITZ_NEW(h, 1);
    h->file = H5I_INVALID_HID;
    RITZ_TRY(ritz_fresh_create(path, bytes, &h->fresh));
    h->file = open_file(&h->fresh);
    if (h->file < 0)
        RITZ_TRY(fail_hdf(h, "the file"));
    RITZ_TRY(ritz_fresh_reserve(&h->fresh, bytes));
    *hdf = h;
    h = NULL;
done:
    end_silence(quiet);
    ritz_hdf_destroy(&h);
    return status;
}

ritz_status ritz_hdf_finish(ritz_hdf **hdf)
{
    ritz_status status = RITZ_OK;
    ritz_hdf *h = *hdf;
    silence quiet = begin_silence();
    hid_t file = h->file;
    hsize_t size = 0;
    if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0 || H5Fget_filesize(file, &size) < 0)
        RITZ_TRY(fail_hdf(h, "the file"));
    h->file = H5I_INVALID_HID;
    if (H5Fclose(file) < 0)
        RITZ_TRY(fail_hdf(h, "the file"));
    RITZ_TRY(ritz_fresh_finish(&h->fresh, (int64_t)size)); /* what was reserved and not needed goes back */
done:
    end_silence(quiet);
    ritz_hdf_destroy(hdf);
    return status;
}

void ritz_hdf_destroy(ritz_hdf **hdf)
{
    ritz_hdf *h = *hdf;
    if (h == NULL)
        return;
    silence quiet = begin_silence();
    if (h->file >= 0)
        H5Fclose(h->file);
    end_silence(quiet);
    ritz_fresh_drop(&h->fresh);
    ritz_free(h);
    *hdf = NULL;
}

ritz_status ritz_hdf_group(ritz_hdf *hdf, const char *name)
{
    ritz_status status = RITZ_OK;
    silence quiet = begin_silence();
    hid_t group = H5Gcreate2(hdf->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0 || H5Gclose(group) < 0)
        RITZ_TRY(fail_hdf(hdf, name));
done:
    end_silence(quiet);
    return status;
}

static ritz_status write_attribute(ritz_hdf *hdf, const char *name, const char *attribute, hid_t type, hid_t space,
                                   const void *data)
{
    ritz_status status = RITZ_OK;
    hid_t id = H5Acreate_by_name(hdf->file, name, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (id < 0 || H5Awrite(id, type, data) < 0)
        status = fail_hdf(hdf, attribute);
    if (id >= 0)
        H5Aclose(id);
    return status;
}

ritz_status ritz_hdf_attribute_text(ritz_hdf *hdf, const char *name, const char *attribute, const char *text)
{
    silence quiet = begin_silence();
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text));
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    ritz_status status = write_attribute(hdf, name, attribute, type, space, text);
    H5Tclose(type);
    H5Sclose(space);
    end_silence(quiet);
    return status;
}

ritz_status ritz_hdf_attribute_integers(ritz_hdf *hdf, const char *name, const char *attribute, int n,
                                        const int64_t *values)
{
    silence quiet = begin_silence();
    hid_t space = H5Screate_simple(1, (hsize_t[1]){(hsize_t)n}, NULL);
    ritz_status status = write_attribute(hdf, name, attribute, H5T_NATIVE_INT64, space, values);
    H5Sclose(space);
    end_silence(quiet);
    return status;
}

static hid_t native_type(ritz_hdf_type type)
{
    switch (type) {
    case RITZ_HDF_U8:
        return H5T_NATIVE_UINT8;
    case RITZ_HDF_I32:
        return H5T_NATIVE_INT32;
    case RITZ_HDF_I64:
        return H5T_NATIVE_INT64;
    default:
        return H5T_NATIVE_DOUBLE;
    }
}

/* A dataset without times in its header, so that the same content gives the same bytes. Negative on failure. */
static hid_t create_dataset(ritz_hdf *hdf, const char *name, hid_t type, int rank, const hsize_t *size)
{
    hid_t space = H5Screate_simple(rank, size, NULL), plain = H5Pcreate(H5P_DATASET_CREATE), set = H5I_INVALID_HID;
    if (space >= 0 && plain >= 0 && H5Pset_obj_track_times(plain, 0) >= 0)
        set = H5Dcreate2(hdf->file, name, type, space, H5P_DEFAULT, plain, H5P_DEFAULT);
    if (plain >= 0)
        H5Pclose(plain);
    if (space >= 0)
        H5Sclose(space);
    return set;
}

ritz_status ritz_hdf_dataset(ritz_hdf *hdf, const char *name, ritz_hdf_type type, int64_t rows, int64_t columns)
{
    ritz_status status = RITZ_OK;
    silence quiet = begin_silence();
    hsize_t size[2] = {(hsize_t)rows, (hsize_t)columns};
    hid_t set = create_dataset(hdf, name, native_type(type), columns > 0 ? 2 : 1, size);
    if (set < 0 || H5Dclose(set) < 0)
        RITZ_TRY(fail_hdf(hdf, name));
done:
    end_silence(quiet);
    return status;
}

ritz_status ritz_hdf_rows(ritz_hdf *hdf, const char *name, int64_t first, int64_t n, const void *data)
{
    ritz_status status = RITZ_OK;
    silence quiet = begin_silence();
    hid_t set = H5Dopen2(hdf->file, name, H5P_DEFAULT), type = H5I_INVALID_HID, file_space = H5I_INVALID_HID;
    hid_t memory_space = H5I_INVALID_HID;
    hsize_t start[2] = {(hsize_t)first, 0}, size[2] = {0, 0};
    if (set < 0 || (type = H5Dget_type(set)) < 0 || (file_space = H5Dget_space(set)) < 0)
        RITZ_TRY(fail_hdf(hdf, name));
    int rank = H5Sget_simple_extent_dims(file_space, size, NULL);
    size[0] = (hsize_t)n;
    memory_space = H5Screate_simple(rank, size, NULL);
    if (memory_space < 0 || H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
        H5Dwrite(set, type, memory_space, file_space, H5P_DEFAULT, data) < 0)
        RITZ_TRY(fail_hdf(hdf, name));
done:
    if (memory_space >= 0)
        H5Sclose(memory_space);
    if (file_space >= 0)
        H5Sclose(file_space);
    if (type >= 0)
        H5Tclose(type);
    if (set >= 0)
        H5Dclose(set);
    end_silence(quiet);
    return status;
}

ritz_status ritz_hdf_vector(ritz_hdf *hdf, const char *name, ritz_hdf_type type, int64_t n, const void *data)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_hdf_dataset(hdf, name, type, n, 0));
    RITZ_TRY(ritz_hdf_rows(hdf, name, 0, n, data));
done:
    return status;
}

ritz_status ritz_hdf_texts(ritz_hdf *hdf, const char *name, int n, const char *const *texts)
{
    ritz_status status = RITZ_OK;
    silence quiet = begin_silence();
    /* The character set stays ASCII even for UTF-8 bytes: VTK's reader refuses any other. */
    hid_t type = H5Tcopy(H5T_C_S1), set = H5I_INVALID_HID;
    if (type < 0 || H5Tset_size(type, H5T_VARIABLE) < 0 ||
        (set = create_dataset(hdf, name, type, 1, (hsize_t[1]){(hsize_t)n})) < 0 ||
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) < 0)
        RITZ_TRY(fail_hdf(hdf, name));
done:
    if (set >= 0)
        H5Dclose(set);
    if (type >= 0)
        H5Tclose(type);
    end_silence(quiet);
    return status;
}

int64_t ritz_hdf_handle(const ritz_hdf *hdf)
{
    return hdf->file;
}
