/* Files that appear whole: without a name or with a temporary one, and renamed at the end. */
#define _GNU_SOURCE /* files without a name (O_TMPFILE), locks of an open file (F_OFD_SETLK) */
#include "base/fresh.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

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

ritz_status ritz_fail_errno(const char *path, int code)
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
        return ritz_fail(RITZ_ERROR_FILE, "%s: the folder %s is not writable; choose another one", path, folder);
    case EROFS:
        return ritz_fail(RITZ_ERROR_FILE, "%s: the folder %s is on a read-only disk; choose another one", path, folder);
    case ENOENT: /* also of a folder in which there are no new files, such as /proc */
        return access(folder, F_OK) == 0
                   ? ritz_fail(RITZ_ERROR_FILE, "%s: no file can be made in the folder %s; choose another one", path,
                               folder)
                   : ritz_fail(RITZ_ERROR_FILE, "%s: the folder %s does not exist; make it first", path, folder);
    case ENOTDIR:
        return ritz_fail(RITZ_ERROR_FILE, "%s: %s is not a folder; choose another output path", path, folder);
    case ENAMETOOLONG:
        return ritz_fail(RITZ_ERROR_FILE, "%s: the file name is too long; choose a shorter one", path);
    default:
        return ritz_fail(RITZ_ERROR_FILE, "%s: cannot write: %s", path, strerror(code));
    }
}

/* ---- Which unfinished files are somebody's ---- */

/* 0, or an errno: EAGAIN or EACCES where another process has the file. The lock goes with the last copy of the
   descriptor, so with a process that is killed. */
static int take_lock(int descriptor)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_OFD_SETLK, &whole) == 0 ? 0 : errno;
}

/* Whether the file is ours: not found, before the lock was there, by a process that takes it for a dead one's. A file
   system without locks leaves nothing to find out by. */
static bool file_is_ours(int descriptor)
{
    struct stat about;
    const int why = take_lock(descriptor);
    return why != EAGAIN && why != EACCES && fstat(descriptor, &about) == 0 && about.st_nlink > 0;
}

/* Whether `name` is BASE.PID.N.part. */
static bool is_temporary_of(const char *base, const char *name)
{
    const size_t n = strlen(base);
    int length = 0;
    if (strncmp(name, base, n) != 0)
        return false;
    (void)sscanf(name + n, ".%*d.%*d.part%n", &length);
    return length > 0 && name[n + (size_t)length] == '\0';
}

static void remove_dead_temporary(int folder, const char *name)
{
    const int descriptor = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return;
    if (take_lock(descriptor) == 0)
        unlinkat(folder, name, 0);
    close(descriptor);
}

static void remove_dead_temporaries(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    DIR *list = opendir(folder_of(path, folder, sizeof folder));
    if (list == NULL)
        return; /* making the file tells why */
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;)
        if (is_temporary_of(slash ? slash + 1 : path, entry->d_name))
            remove_dead_temporary(dirfd(list), entry->d_name);
    closedir(list);
}

/* ---- The file ---- */

static ritz_status check_disk_space(const char *path, int64_t bytes)
{
    ritz_status status = RITZ_OK;
    struct statvfs disk;
    struct rlimit limit;
    char folder[4096];
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && (rlim_t)bytes > limit.rlim_cur)
        return ritz_fail_errno(path, EFBIG); /* reaching it would send SIGXFSZ to the process */
    if (statvfs(folder_of(path, folder, sizeof folder), &disk) != 0 || disk.f_blocks == 0)
        return RITZ_OK;
    const double room = (double)disk.f_bavail * (double)disk.f_frsize;
    RITZ_REQUIRE(
        (double)bytes <= room, RITZ_ERROR_FILE,
        "%s: the disk is too full: %.3g MB are needed and %.3g MB are free; free some space or write to another folder",
        path, 1e-6 * (double)bytes, 1e-6 * room);
done:
    return status;
}

static bool use_names;

void ritz_fresh_use_names(bool use)
{
    use_names = use;
}

/* Opens a file without a name; the descriptor stays negative where the system has none. */
static ritz_status open_nameless(ritz_fresh *fresh)
{
    ritz_status status = RITZ_OK;
    char folder[4096];
    int descriptor = -1;
    if (!use_names)
        descriptor = open(folder_of(fresh->path, folder, sizeof folder), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return RITZ_OK;
    RITZ_TRY(ritz_format(&fresh->name, "/proc/self/fd/%d", descriptor));
    if (access(fresh->name, F_OK) == 0) {
        take_lock(descriptor); /* for the moment between the two names that it gets at the end */
        fresh->descriptor = descriptor;
        descriptor = -1;
    }
done:
    if (descriptor >= 0)
        close(descriptor);
    return status;
}

/* Makes the file, or gives the nameless one a name: an errno, 0 for success. */
static int take_name(ritz_fresh *fresh, const char *name)
{
    if (fresh->descriptor >= 0)
        return linkat(AT_FDCWD, fresh->name, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
    fresh->descriptor = open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
    if (fresh->descriptor < 0)
        return errno;
    if (file_is_ours(fresh->descriptor))
        return 0;
    close(fresh->descriptor);
    fresh->descriptor = -1;
    return EEXIST;
}

/* A temporary name beside the path. */
static ritz_status make_name(ritz_fresh *fresh)
{
    ritz_status status = RITZ_OK;
    char *name = NULL;
    int why = EEXIST;
    for (int attempt = 0; attempt < 1000 && why == EEXIST; attempt++) {
        ritz_free(name);
        name = NULL;
        RITZ_TRY(ritz_format(&name, "%s.%ld.%d.part", fresh->path, (long)getpid(), attempt));
        why = take_name(fresh, name);
    }
    if (why != 0)
        RITZ_TRY(ritz_fail_errno(fresh->path, why));
    if ((status = ritz_temporary_add(name)) != RITZ_OK) {
        unlink(name);
        goto done;
    }
    ritz_free(fresh->name);
    fresh->name = name;
    fresh->is_named = true;
    name = NULL;
done:
    ritz_free(name);
    return status;
}

ritz_status ritz_fresh_create(const char *path, int64_t bytes, ritz_fresh *fresh)
{
    ritz_status status = RITZ_OK;
    *fresh = (ritz_fresh){.descriptor = -1};
    RITZ_REQUIRE(path != NULL && path[0] != '\0', RITZ_ERROR_INPUT, "the output file has no name; give one");
    RITZ_TRY(ritz_check_replaceable(path));
    RITZ_TRY(ritz_copy_text(path, &fresh->path));
    remove_dead_temporaries(path);
    RITZ_TRY(open_nameless(fresh));
    if (fresh->descriptor < 0)
        RITZ_TRY(make_name(fresh));
    RITZ_TRY(check_disk_space(path, bytes));
done:
    if (status != RITZ_OK)
        ritz_fresh_drop(fresh);
    return status;
}

ritz_status ritz_fresh_reserve(const ritz_fresh *fresh, int64_t bytes)
{
    const int code = posix_fallocate(fresh->descriptor, 0, (off_t)ritz_max64(bytes, 1));
    return code == 0 ? RITZ_OK : ritz_fail_errno(fresh->path, code);
}

ritz_status ritz_fresh_write(const ritz_fresh *fresh, int64_t at, int64_t n, const void *data)
{
    for (const char *bytes = data; n > 0;) {
        const ssize_t written = pwrite(fresh->descriptor, bytes, (size_t)n, (off_t)at);
        if (written < 0 && errno != EINTR)
            return ritz_fail_errno(fresh->path, errno);
        const int64_t done = ritz_max64(written, 0);
        bytes += done;
        at += done;
        n -= done;
    }
    return RITZ_OK;
}

/* Closes a copy of the descriptor: some file systems tell only now what they could not write. */
static bool flush_copy(int descriptor)
{
    const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return copy >= 0 && close(copy) == 0;
}

ritz_status ritz_fresh_finish(ritz_fresh *fresh, int64_t bytes)
{
    ritz_status status = RITZ_OK;
    if ((bytes >= 0 && ftruncate(fresh->descriptor, (off_t)bytes) != 0) || !flush_copy(fresh->descriptor))
        RITZ_TRY(ritz_fail_errno(fresh->path, errno));
    if (!fresh->is_named)
        RITZ_TRY(make_name(fresh));
    if (rename(fresh->name, fresh->path) != 0)
        RITZ_TRY(ritz_fail_errno(fresh->path, errno));
    ritz_temporary_forget(fresh->name);
    fresh->is_named = false;
done:
    ritz_fresh_drop(fresh);
    return status;
}

ritz_status ritz_fresh_write_file(const char *path, int64_t n, const void *data)
{
    ritz_status status = RITZ_OK;
    ritz_fresh file = {0};
    RITZ_TRY(ritz_fresh_create(path, n, &file));
    if (n > 0)
        RITZ_TRY(ritz_fresh_write(&file, 0, n, data));
    RITZ_TRY(ritz_fresh_finish(&file, -1));
done:
    ritz_fresh_drop(&file);
    return status;
}

void ritz_fresh_drop(ritz_fresh *fresh)
{
    if (fresh->is_named) {
        unlink(fresh->name);
        ritz_temporary_forget(fresh->name);
    }
    if (fresh->path != NULL && fresh->descriptor >= 0)
        close(fresh->descriptor);
    ritz_free(fresh->name);
    ritz_free(fresh->path);
    *fresh = (ritz_fresh){0};
}
