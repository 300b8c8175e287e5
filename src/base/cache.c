/* The disk cache: one file for each entry in ritz_cache_directory().

   A file is a readable head, the key, and the data:

       RITZ CACHE 1
       key 5120 bytes
       data 40960 bytes, checksum 0123456789abcdef

       ritz 0.1.0
       device ...
       source
       ...

   Its name is the kind and a 128-bit hash of the key. What is read is compared with the whole key and the checksum, so a
   file that is stale, cut short or damaged is only a file that is not there. Files appear whole: processes that make the
   same entry at once all write the same content. */
#include "base/cache.h"
#include "base/fresh.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char head_format[] =
    "RITZ CACHE 1\nkey %" PRId64 " bytes\ndata %" PRId64 " bytes, checksum %016" PRIx64 "\n\n";

bool ritz_cache_is_kept(void)
{
    const char *own = getenv("RITZ_CACHE_DIR");
    return !own || strcmp(own, "none") != 0;
}

static ritz_status cache_path(const char *kind, const char *key, char **path)
{
    ritz_status status = RITZ_OK;
    char *folder = NULL;
    int64_t bytes = (int64_t)strlen(key);
    RITZ_TRY(ritz_cache_directory(&folder));
    RITZ_TRY(ritz_format(path, "%s/%s-%016" PRIx64 "%016" PRIx64, folder, kind, ritz_hash(key, bytes, 0),
                         ritz_hash(key, bytes, UINT64_C(0x9e3779b97f4a7c15))));
done:
    ritz_free(folder);
    return status;
}

static ritz_status make_head(const char *key, const unsigned char *data, int64_t bytes, char **head)
{
    return ritz_format(head, head_format, (int64_t)strlen(key), bytes, ritz_hash(data, bytes, 0));
}

/* Where the data start in a file whose head and key are right, or -1. */
static int64_t find_data(const char *data, int64_t bytes, const char *key)
{
    int64_t key_bytes = 0, data_bytes = 0, n_key = (int64_t)strlen(key);
    uint64_t checksum = 0;
    const char *end = strstr(data, "\n\n");
    if (!end || sscanf(data, "RITZ CACHE 1\nkey %" SCNd64 " bytes\ndata %" SCNd64 " bytes, checksum %" SCNx64,
                       &key_bytes, &data_bytes, &checksum) != 3)
        return -1;
    int64_t start = end + 2 - (const char *)data;
    if (key_bytes != n_key || data_bytes <= 0 || bytes - start - n_key != data_bytes ||
        memcmp(data + start, key, (size_t)n_key) != 0)
        return -1;
    start += n_key;
    return ritz_hash(data + start, data_bytes, 0) == checksum ? start : -1;
}

void ritz_cache_load(const char *kind, const char *key, unsigned char **data, int64_t *bytes)
{
    char *path = NULL;
    char *content = NULL;
    int64_t n = 0;
    *data = NULL;
    if (!ritz_cache_is_kept() || cache_path(kind, key, &path) != RITZ_OK)
        return; /* ritz_cache_store will say why */
    const bool is_there = ritz_read_file_if_there(path, INT64_MAX, &content, &n) == RITZ_OK && content;
    const int64_t start = is_there ? find_data(content, n, key) : -1;
    if (start >= 0) {
        memmove(content, content + start, (size_t)(n - start));
        content[n - start] = '\0';
        *data = (unsigned char *)content;
        *bytes = n - start;
        utimensat(AT_FDCWD, path, NULL, 0); /* for ritz_cache_trim */
    } else {
        if (is_there)
            ritz_log("%s cache: %s is damaged or of another version, and is made again", kind, path);
        ritz_free(content);
    }
    ritz_free(path);
}

void ritz_cache_store(const char *kind, const char *key, const unsigned char *data, int64_t bytes)
{
    ritz_status status = RITZ_OK;
    char *path = NULL, *head = NULL;
    ritz_fresh file = {0};
    if (!ritz_cache_is_kept())
        return;
    RITZ_TRY(cache_path(kind, key, &path));
    RITZ_TRY(make_head(key, data, bytes, &head));
    const int64_t n_head = (int64_t)strlen(head), n_key = (int64_t)strlen(key);
    RITZ_TRY(ritz_fresh_create(path, n_head + n_key + bytes, &file));
    RITZ_TRY(ritz_fresh_write(&file, 0, n_head, head));
    RITZ_TRY(ritz_fresh_write(&file, n_head, n_key, key));
    RITZ_TRY(ritz_fresh_write(&file, n_head + n_key, bytes, data));
    RITZ_TRY(ritz_fresh_finish(&file, -1));
done:
    if (status != RITZ_OK)
        ritz_log("%s cache: %s; the next run makes it again", kind, ritz_message());
    ritz_fresh_drop(&file);
    ritz_free(path);
    ritz_free(head);
}

/* ---- Room ---- */

typedef struct cache_file {
    char *path;
    int64_t bytes;
    struct timespec used;
} cache_file;

static int by_use(const void *a, const void *b) /* the last used first */
{
    const struct timespec x = ((const cache_file *)a)->used, y = ((const cache_file *)b)->used;
    return x.tv_sec != y.tv_sec ? (x.tv_sec < y.tv_sec) - (x.tv_sec > y.tv_sec)
                                : (x.tv_nsec < y.tv_nsec) - (x.tv_nsec > y.tv_nsec);
}

/* Adds the file to the list if it is an entry of this kind. */
static ritz_status list_file(const char *folder, const char *name, const char *kind, cache_file **files, int64_t *n)
{
    ritz_status status = RITZ_OK;
    const size_t length = strlen(kind);
    struct stat info;
    char *path = NULL;
    if (strncmp(name, kind, length) != 0 || name[length] != '-')
        return RITZ_OK;
    RITZ_TRY(ritz_format(&path, "%s/%s", folder, name));
    if (stat(path, &info) == 0) {
        RITZ_RESIZE(*files, *n + 1);
        (*files)[(*n)++] = (cache_file){path, info.st_size, info.st_mtim};
        path = NULL;
    }
done:
    ritz_free(path);
    return status;
}

void ritz_cache_trim(const char *kind, int64_t most)
{
    ritz_status status = RITZ_OK;
    char *folder = NULL;
    DIR *list = NULL;
    cache_file *files = NULL;
    int64_t n = 0, sum = 0;
    if (!ritz_cache_is_kept())
        return;
    RITZ_TRY(ritz_cache_directory(&folder));
    list = opendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list));)
        RITZ_TRY(list_file(folder, entry->d_name, kind, &files, &n));
    if (n > 0)
        qsort(files, (size_t)n, sizeof *files, by_use);
    for (int64_t i = 0; i < n; i++)
        if ((sum += files[i].bytes) > most)
            unlink(files[i].path);
done:
    if (status != RITZ_OK)
        ritz_log("%s cache: %s; it stays as large as it is", kind, ritz_message());
    if (list)
        closedir(list);
    for (int64_t i = 0; i < n; i++)
        ritz_free(files[i].path);
    ritz_free(files);
    ritz_free(folder);
}
