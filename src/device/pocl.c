/* PoCL's own cache of machine code: which folder it gets, and whether what stands there is whole.

   PoCL writes what it compiles below $POCL_CACHE_DIR, one folder per program, and believes whatever it finds there: a
   file that was cut short or changed ends the process inside PoCL. So a list of the files with their sizes and
   checksums is kept in each of these folders:

       RITZ FILES 1
       0123456789abcdef 43172 program.bc
       89abcdef01234567 17712 integrate/1-1-1-goffs0-smallgrid/integrate.so
       end fedcba9876543210

   Before PoCL gets a program from a stored binary, its folder is compared with the list, and removed if anything
   differs: PoCL unpacks the binary anew. A program that is compiled from source gets a folder that nobody has used.
   Kernels for further sizes of work-groups come while the program is in use; they are listed when it is released. */
#include "base/cache.h"
#include "base/lock.h"
#include "device/opencl.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

static const char list_name[] = RITZ_POCL_LIST;
static const char list_head[] = "RITZ FILES 1\n";
enum { PATH_LENGTH = 4096, MIN_FREE_BYTES = 32 << 20 };

/* ---- Which folder ---- */

static char own_folder[PATH_LENGTH]; /* made for this process alone, or "" */

static bool is_dot_entry(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* "folder/name" in path[PATH_LENGTH]; false if it is too long. */
static bool join_path(char *path, const char *folder, const char *name)
{
    return (size_t)snprintf(path, PATH_LENGTH, "%s/%s", folder, name) < PATH_LENGTH;
}

void ritz_pocl_remove(const char *path)
{
    char inner[PATH_LENGTH];
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (!is_dot_entry(entry->d_name) && join_path(inner, path, entry->d_name) && unlink(inner) != 0)
            ritz_pocl_remove(inner);
    if (folder)
        closedir(folder);
    rmdir(path);
}

static void remove_own_folder(void)
{
    ritz_pocl_remove(own_folder);
}

/* Fails unless files can be written in the folder, which is made if it is missing, and there is room for some. */
static ritz_status try_folder(const char *folder)
{
    ritz_status status = RITZ_OK;
    char *file = NULL;
    struct statvfs system;
    RITZ_REQUIRE(mkdir(folder, 0700) == 0 || errno == EEXIST, RITZ_ERROR_FILE, "%s cannot be made: %s", folder,
                 strerror(errno));
    RITZ_TRY(ritz_format(&file, "%s/try.XXXXXX", folder));
    int descriptor = mkstemp(file);
    RITZ_REQUIRE(descriptor >= 0, RITZ_ERROR_FILE, "%s cannot be written: %s", folder, strerror(errno));
    close(descriptor);
    unlink(file);
    if (statvfs(folder, &system) == 0) {
        const double room = (double)system.f_bavail * (double)system.f_frsize;
        RITZ_REQUIRE(room >= MIN_FREE_BYTES, RITZ_ERROR_FILE, "the disk of %s is full: %.0f kB are left", folder,
                     1e-3 * room);
    }
done:
    ritz_free(file);
    return status;
}

/* A folder that lives as long as the process. */
static bool make_own_folder(void)
{
    const char *const places[] = {getenv("TMPDIR"), "/tmp", "/dev/shm"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!places[i] || try_folder(places[i]) != RITZ_OK || !join_path(own_folder, places[i], "ritz-XXXXXX") ||
            !mkdtemp(own_folder))
            continue;
        atexit(remove_own_folder);
        return setenv("POCL_CACHE_DIR", own_folder, 1) == 0;
    }
    return false;
}

static void choose_folder(void)
{
    ritz_status status = RITZ_OK;
    const char *given = getenv("POCL_CACHE_DIR");
    char *folder = NULL, *pocl = NULL;
    if (!ritz_cache_is_kept() && make_own_folder())
        return;
    RITZ_TRY(ritz_cache_directory(&folder));
    RITZ_TRY(try_folder(folder));
    if (given && *given)
        RITZ_TRY(ritz_copy_text(given, &pocl));
    else
        RITZ_TRY(ritz_format(&pocl, "%s/pocl", folder));
    RITZ_TRY(try_folder(pocl));
    setenv("POCL_CACHE_DIR", pocl, 1);
done:
    if (status != RITZ_OK)
        ritz_log("warning: compiled kernels are not kept, every run compiles them again%s: %s",
                 make_own_folder() ? "" : " (and the driver may have no place to compile in)", ritz_message());
    ritz_free(folder);
    ritz_free(pocl);
}

void ritz_pocl_choose_folder(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT; /* as PoCL looks once */
    pthread_once(&once, choose_folder);
}

/* ---- What is in it ---- */

ritz_status ritz_pocl_fresh_options(const char *options, char **fresh)
{
    static atomic_llong count;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const long long seed[] = {getpid(), now.tv_sec, now.tv_nsec, atomic_fetch_add(&count, 1)};
    return ritz_format(fresh, "%s -DRITZ_FOLDER=0x%016" PRIx64, options, ritz_hash(seed, sizeof seed, 0));
}

bool ritz_is_pocl(const ritz_device *device)
{
    return strcmp(device->info.platform, "Portable Computing Language") == 0;
}

bool ritz_is_known_pocl(const ritz_device *device)
{
    return ritz_is_pocl(device) && strstr(device->platform_version, "PoCL 3.1");
}

/* PoCL's binaries start with "poclbin"; the head of some tens of bytes ends with the name of the program's folder: a
   hash in the letters A to P, whose third character is a slash. */
ritz_status ritz_pocl_folder(const unsigned char *binary, int64_t bytes, char **folder)
{
    enum { HEAD = 128, NAME = 40 };
    const char *top = getenv("POCL_CACHE_DIR"), *head = (const char *)binary;
    *folder = NULL;
    if (!top || bytes < HEAD || memcmp(binary, "poclbin", 8) != 0)
        return RITZ_OK;
    for (int at = 8; at < HEAD - NAME; at++)
        if (head[at + 2] == '/' && head[at + NAME] == '\0' && strspn(head + at, "ABCDEFGHIJKLMNOP") == 2 &&
            strspn(head + at + 3, "ABCDEFGHIJKLMNOP") == NAME - 3)
            return ritz_format(folder, "%s/%s", top, head + at);
    return RITZ_OK;
}

/* PoCL 3.1 puts a binary together in 256 MB and does not look whether it got them. */
bool ritz_pocl_has_memory(void)
{
    return ritz_has_addresses((int64_t)300 << 20);
}

/* FNV-1a in steps of eight bytes, mixed so that every bit reaches the low ones. */
static uint64_t checksum_of(const char *data, int64_t bytes)
{
    uint64_t sum = (uint64_t)bytes, word;
    int64_t at = 0;
    for (; at + 8 <= bytes; at += 8) {
        memcpy(&word, data + at, 8);
        sum = (sum ^ word) * UINT64_C(0x100000001b3);
        sum ^= sum >> 29;
    }
    return ritz_hash(data + at, bytes - at, sum);
}

ritz_status ritz_pocl_read_file(const char *path, char **content, int64_t *bytes)
{
    const ritz_status status = ritz_read_file_if_there(path, INT64_MAX, content, bytes);
    return status == RITZ_ERROR_FILE ? RITZ_OK : status;
}

/* Adds the line of one file to `text`; nothing when it is gone. */
static ritz_status add_line(const char *folder, const char *name, ritz_text *text)
{
    ritz_status status = RITZ_OK;
    char path[PATH_LENGTH], *content = NULL;
    int64_t bytes = 0;
    if (join_path(path, folder, name))
        RITZ_TRY(ritz_pocl_read_file(path, &content, &bytes));
    if (content)
        ritz_text_add(text, "%016" PRIx64 " %" PRId64 " %s\n", checksum_of(content, bytes), bytes, name);
done:
    ritz_free(content);
    return status;
}

/* The body of a folder's list, without its last line; NULL when there is none or it is damaged. */
static ritz_status read_list(const char *folder, char **list)
{
    ritz_status status = RITZ_OK;
    char path[PATH_LENGTH], *content = NULL;
    int64_t bytes = 0;
    uint64_t sum = 0;
    *list = NULL;
    if (join_path(path, folder, list_name))
        RITZ_TRY(ritz_pocl_read_file(path, &content, &bytes));
    char *end = content ? strstr(content, "\nend ") : NULL;
    if (!end || strncmp(content, list_head, sizeof list_head - 1) != 0 || sscanf(end, "\nend %" SCNx64, &sum) != 1 ||
        sum != checksum_of(content, end + 1 - content))
        goto done;
    end[1] = '\0';
    *list = content;
    content = NULL;
done:
    ritz_free(content);
    return status;
}

/* Whether each file of the list is as it was. */
static ritz_status is_whole(const char *folder, bool *whole)
{
    ritz_status status = RITZ_OK;
    char *list = NULL;
    ritz_text now = {0};
    *whole = false;
    RITZ_TRY(read_list(folder, &list));
    if (!list)
        goto done;
    ritz_text_add(&now, "%s", list_head);
    for (char *line = list + sizeof list_head - 1, *end; (end = strchr(line, '\n')); line = end + 1) {
        char name[PATH_LENGTH] = "";
        *end = '\0';
        sscanf(line, "%*s %*s %4095[^\n]", name);
        RITZ_TRY(add_line(folder, name, &now));
        *end = '\n';
    }
    RITZ_TRY(now.status);
    *whole = strcmp(now.data, list) == 0;
done:
    ritz_free(list);
    ritz_text_free(&now);
    return status;
}

/* Whether a file of PoCL's takes part in what is run. */
static bool is_compiled_file(const char *name)
{
    return !is_dot_entry(name) && strncmp(name, "ritz.", 5) != 0 && strcmp(name, "last_accessed") != 0 &&
           !strstr(name, ".log");
}

/* Adds the lines of the files in folder/inner that `text` has not yet; inner is "" for the folder itself. */
static ritz_status add_new_lines(const char *folder, const char *inner, ritz_text *text)
{
    ritz_status status = RITZ_OK;
    char path[PATH_LENGTH], *name = NULL, *ending = NULL;
    struct stat about;
    DIR *opened = join_path(path, folder, inner) ? opendir(path) : NULL;
    for (struct dirent *entry; opened && (entry = readdir(opened));) {
        if (!is_compiled_file(entry->d_name))
            continue;
        ritz_free(name);
        ritz_free(ending);
        name = ending = NULL;
        RITZ_TRY(ritz_format(&name, "%s%s%s", inner, *inner ? "/" : "", entry->d_name));
        RITZ_TRY(ritz_format(&ending, " %s\n", name));
        if (!join_path(path, folder, name) || stat(path, &about) != 0)
            continue;
        if (S_ISDIR(about.st_mode)) {
            RITZ_TRY(add_new_lines(folder, name, text));
        } else if (!strstr(text->data, ending)) {
            RITZ_TRY(add_line(folder, name, text));
        }
        RITZ_TRY(text->status);
    }
done:
    if (opened)
        closedir(opened);
    ritz_free(name);
    ritz_free(ending);
    return status;
}

/* Under a name of its own first: a list is whole or is not there. */
static ritz_status write_list(const char *folder, ritz_text *text)
{
    ritz_status status = RITZ_OK;
    char path[PATH_LENGTH], temporary[PATH_LENGTH];
    ritz_text_add(text, "end %016" PRIx64 "\n", checksum_of(text->data, text->length));
    RITZ_TRY(text->status);
    RITZ_REQUIRE(join_path(path, folder, list_name) && join_path(temporary, folder, "ritz.XXXXXX"), RITZ_ERROR_FILE,
                 "the path of %s is too long", folder);
    int descriptor = mkstemp(temporary);
    RITZ_REQUIRE(descriptor >= 0, RITZ_ERROR_FILE, "%s cannot be written: %s", path, strerror(errno));
    bool good = write(descriptor, text->data, (size_t)text->length) == (ssize_t)text->length;
    good = close(descriptor) == 0 && good && rename(temporary, path) == 0;
    if (!good)
        unlink(temporary);
    RITZ_REQUIRE(good, RITZ_ERROR_FILE, "%s cannot be written: %s", path, strerror(errno));
done:
    return status;
}

void ritz_pocl_list(const char *folder)
{
    ritz_status status = RITZ_OK;
    char *list = NULL;
    ritz_text text = {0};
    RITZ_TRY(read_list(folder, &list));
    ritz_text_add(&text, "%s", list ? list : list_head);
    RITZ_TRY(text.status);
    const int64_t before = text.length;
    RITZ_TRY(add_new_lines(folder, "", &text));
    if (!list || text.length != before)
        RITZ_TRY(write_list(folder, &text));
done:
    if (status != RITZ_OK)
        ritz_log("program cache: %s", ritz_message());
    ritz_free(list);
    ritz_text_free(&text);
}

int ritz_pocl_mend(const char *folder)
{
    bool whole = false;
    if (is_whole(folder, &whole) == RITZ_OK && whole)
        return -1;
    /* Others may be at it, too: one removes, and unpacks while it holds the lock. */
    const int lock = ritz_lock_folder(getenv("POCL_CACHE_DIR"));
    if (is_whole(folder, &whole) == RITZ_OK && whole) {
        ritz_unlock_folder(lock);
        return -1;
    }
    if (access(folder, F_OK) == 0)
        ritz_log("program cache: %s is damaged; it is rebuilt", folder);
    ritz_pocl_remove(folder);
    return lock;
}
