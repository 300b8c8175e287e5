/* What the operating system is asked: time, memory, cache folder, temporary files. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "base/fresh.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_TEMPORARIES = 64, PATH_LENGTH = 4096 };

/* Fixed storage, because a signal handler reads it. A slot is live while the first character of its path is not NUL. */
static struct {
    char path[PATH_LENGTH];
    char aside[PATH_LENGTH]; /* the name that the file gets; "": it is removed */
} temporaries[MAX_TEMPORARIES];
static pthread_mutex_t temporaries_lock = PTHREAD_MUTEX_INITIALIZER;
static const char *volatile renamed_result;

static ritz_status add_temporary(const char *path, const char *aside)
{
    ritz_status status = RITZ_OK;
    pthread_mutex_lock(&temporaries_lock);
    const size_t bytes = strlen(path) + 1;
    RITZ_REQUIRE(bytes <= PATH_LENGTH && strlen(aside) < PATH_LENGTH, RITZ_ERROR_FILE, "the path '%s' is too long",
                 path);
    int slot = 0;
    while (slot < MAX_TEMPORARIES && temporaries[slot].path[0])
        slot++;
    RITZ_REQUIRE(slot < MAX_TEMPORARIES, RITZ_ERROR_FILE, "more than %d files are being written at once",
                 MAX_TEMPORARIES);
    strcpy(temporaries[slot].aside, aside);
    memcpy(temporaries[slot].path + 1, path + 1, bytes - 1);
    temporaries[slot].path[0] = path[0]; /* last, so that the handler sees a whole path or none */
done:
    pthread_mutex_unlock(&temporaries_lock);
    return status;
}

ritz_status ritz_temporary_add(const char *path)
{
    return add_temporary(path, "");
}

ritz_status ritz_earlier_add(const char *path, const char *aside)
{
    return add_temporary(path, aside);
}

void ritz_temporary_forget(const char *path)
{
    pthread_mutex_lock(&temporaries_lock);
    for (int slot = 0; slot < MAX_TEMPORARIES; slot++)
        if (strcmp(temporaries[slot].path, path) == 0)
            temporaries[slot].path[0] = '\0';
    pthread_mutex_unlock(&temporaries_lock);
}

void ritz_remove_temporaries(void)
{
    for (int slot = 0; slot < MAX_TEMPORARIES; slot++) {
        const char *path = temporaries[slot].path, *aside = temporaries[slot].aside;
        if (path[0] && !aside[0])
            unlink(path);
        else if (path[0] && ritz_earlier_rename(path, aside) && !renamed_result)
            renamed_result = aside; /* of several the first that was watched */
    }
}

const char *ritz_renamed_result(void)
{
    return renamed_result;
}

ritz_status ritz_check_replaceable(const char *path)
{
    ritz_status status = RITZ_OK;
    struct stat about;
    if (lstat(path, &about) != 0)
        return RITZ_OK;
    RITZ_REQUIRE(!S_ISDIR(about.st_mode), RITZ_ERROR_FILE, "cannot write %s: it is a folder; name a file", path);
    RITZ_REQUIRE(!S_ISLNK(about.st_mode), RITZ_ERROR_FILE,
                 "cannot write %s: it is a symbolic link, which the file would replace; name the file itself", path);
    RITZ_REQUIRE(S_ISREG(about.st_mode), RITZ_ERROR_FILE, "cannot write %s: it is not a regular file; name another",
                 path);
done:
    return status;
}

double ritz_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int64_t ritz_peak_host_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (int64_t)usage.ru_maxrss * 1024 : 0;
}

bool ritz_has_addresses(int64_t bytes)
{
    void *const room = mmap(NULL, (size_t)bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, (size_t)bytes) == 0;
}

/* Makes a folder and those above it. */
static ritz_status make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        int made = mkdir(path, 0700);
        int why = errno;
        if (slash)
            *slash = '/';
        if (made != 0 && why != EEXIST)
            return ritz_fail(RITZ_ERROR_FILE,
                             "cannot make the cache folder %s: %s; set RITZ_CACHE_DIR to a folder that can be written",
                             path, strerror(why));
        if (!slash)
            return RITZ_OK;
    }
}

ritz_status ritz_cache_directory(char **path)
{
    ritz_status status = RITZ_OK;
    char *folder = NULL;
    const char *own = getenv("RITZ_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own && *own)
        RITZ_TRY(ritz_copy_text(own, &folder));
    else if (xdg && *xdg)
        RITZ_TRY(ritz_format(&folder, "%s/ritz", xdg));
    else if (home && *home)
        RITZ_TRY(ritz_format(&folder, "%s/.cache/ritz", home));
    else
        RITZ_FAIL(RITZ_ERROR_FILE, "no cache folder: none of RITZ_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
    RITZ_TRY(make_folders(folder));
    *path = folder;
    folder = NULL;
done:
    ritz_free(folder);
    return status;
}
