/* HDF5 files: temporary name and rename, and every failure as a sentence.

   HDF5 1.10 cannot close a file whose last writes fail: the file stays open, and the process crashes on it at exit. So
   the room on the disk is reserved before anything is written: a full disk, a quota or a size limit shows at once, and
   ends in a message. */
#include "output/hdf.h"
#include "output/silence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct ritz_hdf {
    char *path, *temporary;
    hid_t file;
};

static char *folder_of(const char *path, char *folder, size_t size)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    if (slash == NULL || length >= size)
        snprintf(folder, size, ".");
    else
        snprintf(folder, size, "%.*s", (int)length, path);
    return folder;
}

/* What an errno means for the user's result file. */
static ritz_status fail_errno(const char *path, int code)
{
    char folder[4096];
    folder_of(path, folder, sizeof folder);
    switch (code) {
    case ENOSPC:
        return ritz_fail(RITZ_ERROR_FILE, "%s: the disk is full; free some space or write to another folder", path);
    case EDQUOT:
        return ritz_fail(RITZ_ERROR_FILE, "%s: your disk quota is used up; free some space or write to another folder",
                         path);
    case EFBIG:
        return ritz_fail(RITZ_ERROR_FILE,
                         "%s: the file would be larger than the system allows; write to another folder or raise "
                         "the limit (ulimit -f)",
                         path);
    case EACCES:
    case EPERM:
        return ritz_fail(RITZ_ERROR_FILE, "%s: the folder %s is not writable; choose another output folder", path,
                         folder);
    case EROFS:
        return ritz_fail(RITZ_ERROR_FILE, "%s: the folder %s is on a read-only disk; choose another output folder",
                         path, folder);
    case ENOENT:
        return ritz_fail(RITZ_ERROR_FILE, "%s: the folder %s does not exist; make it first", path, folder);
    case ENOTDIR:
        return ritz_fail(RITZ_ERROR_FILE, "%s: %s is not a folder; choose another output path", path, folder);
    case ENAMETOOLONG:
        return ritz_fail(RITZ_ERROR_FILE, "%s: the file name is too long; choose a shorter one", path);
    default:
        return ritz_fail(RITZ_ERROR_FILE, "%s: cannot write: %s", path, strerror(code));
    }
}

/* Keeps the innermost description of HDF5's error stack, and the errno that its drivers put into the text. */
typedef struct hdf_reason {
    int code;
    char text[256];
} hdf_reason;

static herr_t note_reason(unsigned n, const H5E_error2_t *error, void *data)
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
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_reason, &reason);
    if (reason.code != 0)
        return fail_errno(hdf->path, reason.code);
    return ritz_fail(RITZ_ERROR_FILE, "%s: HDF5 cannot write %s (%s); check the disk", hdf->path, what, reason.text);
}

/* Makes an empty file of a fresh name beside hdf->path: found out here, a folder that is not writable has a clear
 * errno. */
static ritz_status make_temporary(ritz_hdf *hdf)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_check_replaceable(hdf->path));
    for (int attempt = 0; attempt < 1000; attempt++) {
        ritz_free(hdf->temporary);
        hdf->temporary = NULL;
        RITZ_TRY(ritz_format(&hdf->temporary, "%s.%ld.%d.part", hdf->path, (long)getpid(), attempt));
        int descriptor = open(hdf->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            close(descriptor);
            if ((status = ritz_temporary_add(hdf->temporary)) != RITZ_OK)
                unlink(hdf->temporary);
            goto done;
        }
        if (errno != EEXIST)
            break;
    }
    status = fail_errno(hdf->path, errno);
done:
    if (status != RITZ_OK) {
        ritz_free(hdf->temporary);
        hdf->temporary = NULL;
    }
    return status;
}

static ritz_status check_room(const ritz_hdf *hdf, int64_t bytes)
{
    ritz_status status = RITZ_OK;
    struct statvfs disk;
    char folder[4096];
    if (statvfs(folder_of(hdf->path, folder, sizeof folder), &disk) != 0 || disk.f_blocks == 0)
        return RITZ_OK;
    double room = (double)disk.f_bavail * (double)disk.f_frsize;
    RITZ_REQUIRE(
        (double)bytes <= room, RITZ_ERROR_FILE,
        "%s: the disk is too full: %.1f MB are needed and %.1f MB are free; free some space or write to another folder",
        hdf->path, 1e-6 * (double)bytes, 1e-6 * room);
done:
    return status;
}

/* Takes the disk's room for the whole file, through the descriptor that HDF5 holds. */
static ritz_status reserve(const ritz_hdf *hdf, int64_t bytes)
{
    ritz_status status = RITZ_OK;
    void *handle = NULL;
    if (H5Fget_vfd_handle(hdf->file, H5P_DEFAULT, &handle) < 0)
        RITZ_TRY(fail_hdf(hdf, "the file"));
    int descriptor = *(int *)handle, code = posix_fallocate(descriptor, 0, (off_t)ritz_max64(bytes, 1));
    if (code != 0) {
        if (ftruncate(descriptor, 0) != 0)
            code = errno;
        RITZ_TRY(fail_errno(hdf->path, code));
    }
done:
    return status;
}

ritz_status ritz_hdf_create(const char *path, int64_t bytes, ritz_hdf **hdf)
{
    ritz_status status = RITZ_OK;
    ritz_hdf *h = NULL;
    silence quiet = begin_silence();
    hid_t access = H5I_INVALID_HID;
    RITZ_REQUIRE(path != NULL && path[0] != '\0', RITZ_ERROR_INPUT, "the output file has no name; give one");
    RITZ_NEW(h, 1);
    h->file = H5I_INVALID_HID;
    RITZ_TRY(ritz_copy_text(path, &h->path));
    RITZ_TRY(make_temporary(h));
    RITZ_TRY(check_room(h, bytes));
    access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0 || H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0)
        RITZ_TRY(fail_hdf(h, "the file"));
    h->file = H5Fcreate(h->temporary, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (h->file < 0)
        RITZ_TRY(fail_hdf(h, "the file"));
    RITZ_TRY(reserve(h, bytes));
    *hdf = h;
    h = NULL;
done:
    if (access >= 0)
        H5Pclose(access);
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
    /* What was reserved and not needed goes back. */
    if (truncate(h->temporary, (off_t)size) != 0 || rename(h->temporary, h->path) != 0)
        RITZ_TRY(fail_errno(h->path, errno));
    ritz_temporary_forget(h->temporary);
    ritz_free(h->temporary);
    h->temporary = NULL;
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
    if (h->temporary != NULL) {
        unlink(h->temporary);
        ritz_temporary_forget(h->temporary);
    }
    ritz_free(h->temporary);
    ritz_free(h->path);
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
