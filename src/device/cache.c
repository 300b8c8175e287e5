/* The disk cache of compiled programs: one file per program in ritz_cache_directory().

   A file is a readable head, the key, and the binary:

       RITZ PROGRAM 1
       key 5120 bytes
       binary 40960 bytes, checksum 0123456789abcdef

       ritz 0.1.0
       device ...
       source
       ...

   Its name is a 128-bit hash of the key. What is read is compared with the whole key and the checksum, so a file that
   is stale, cut short or damaged is only a file that is not there. Files are written under a name of their own and
   renamed: processes that build the same program at once all write the same content. */
#include "device/opencl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char head_format[] =
    "RITZ PROGRAM 1\nkey %" PRId64 " bytes\nbinary %" PRId64 " bytes, checksum %016" PRIx64 "\n\n";

bool ritz_cache_is_kept(void)
{
    const char *own = getenv("RITZ_CACHE_DIR");
    return !own || strcmp(own, "none") != 0;
}

static ritz_status cache_path(const char *key, char **path)
{
    ritz_status status = RITZ_OK;
    char *folder = NULL;
    int64_t bytes = (int64_t)strlen(key);
    RITZ_TRY(ritz_cache_directory(&folder));
    RITZ_TRY(ritz_format(path, "%s/program-%016" PRIx64 "%016" PRIx64, folder, ritz_hash(key, bytes, 0),
                         ritz_hash(key, bytes, UINT64_C(0x9e3779b97f4a7c15))));
done:
    ritz_free(folder);
    return status;
}

static ritz_status make_head(const char *key, const unsigned char *binary, int64_t bytes, char **head)
{
    return ritz_format(head, head_format, (int64_t)strlen(key), bytes, ritz_hash(binary, bytes, 0));
}

/* The whole file; *data is NULL when it is not there or cannot be read. */
static void read_file(const char *path, unsigned char **data, int64_t *bytes)
{
    unsigned char *content = NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    if (size > 0 && ritz_allocate((void **)&content, size + 1, 1) == RITZ_OK &&
        fread(content, 1, (size_t)size, file) == (size_t)size) {
        *data = content;
        *bytes = size;
        content = NULL;
    }
    ritz_free(content);
    fclose(file);
}

/* Where the binary starts in a file whose head and key are right, or -1. */
static int64_t find_binary(const unsigned char *data, int64_t bytes, const char *key)
{
    int64_t key_bytes = 0, binary_bytes = 0, n_key = (int64_t)strlen(key);
    uint64_t checksum = 0;
    const char *end = strstr((const char *)data, "\n\n"); /* read_file left a NUL at the end */
    if (!end ||
        sscanf((const char *)data, "RITZ PROGRAM 1\nkey %" SCNd64 " bytes\nbinary %" SCNd64 " bytes, checksum %" SCNx64,
               &key_bytes, &binary_bytes, &checksum) != 3)
        return -1;
    int64_t start = end + 2 - (const char *)data;
    if (key_bytes != n_key || binary_bytes <= 0 || bytes - start - n_key != binary_bytes ||
        memcmp(data + start, key, (size_t)n_key) != 0)
        return -1;
    start += n_key;
    return ritz_hash(data + start, binary_bytes, 0) == checksum ? start : -1;
}

void ritz_cache_load(const char *key, unsigned char **binary, int64_t *bytes)
{
    char *path = NULL;
    unsigned char *data = NULL;
    int64_t n = 0;
    *binary = NULL;
    if (!ritz_cache_is_kept() || cache_path(key, &path) != RITZ_OK)
        return; /* ritz_cache_store will say why */
    read_file(path, &data, &n);
    int64_t start = data ? find_binary(data, n, key) : -1;
    if (start >= 0) {
        memmove(data, data + start, (size_t)(n - start));
        *binary = data;
        *bytes = n - start;
    } else {
        if (data)
            ritz_log("program cache: %s is damaged or of another version; compiling again", path);
        ritz_free(data);
    }
    ritz_free(path);
}

/* Writes head, key and binary to an open file; false when the disk is full. */
static bool write_all(int descriptor, const char *head, const char *key, const unsigned char *binary, int64_t bytes)
{
    FILE *file = fdopen(descriptor, "wb");
    if (!file) {
        close(descriptor);
        return false;
    }
    bool good =
        fputs(head, file) >= 0 && fputs(key, file) >= 0 && fwrite(binary, 1, (size_t)bytes, file) == (size_t)bytes;
    return fclose(file) == 0 && good;
}

void ritz_cache_store(const char *key, const unsigned char *binary, int64_t bytes)
{
    ritz_status status = RITZ_OK;
    char *path = NULL, *temporary = NULL, *head = NULL;
    if (!ritz_cache_is_kept())
        return;
    RITZ_TRY(cache_path(key, &path));
    RITZ_TRY(make_head(key, binary, bytes, &head));
    RITZ_TRY(ritz_format(&temporary, "%s.XXXXXX", path));
    int descriptor = mkstemp(temporary);
    RITZ_REQUIRE(descriptor >= 0, RITZ_ERROR_FILE, "%s cannot be written: %s", path, strerror(errno));
    bool registered = ritz_temporary_add(temporary) == RITZ_OK; /* else an interrupt leaves the file behind */
    bool good = write_all(descriptor, head, key, binary, bytes) && rename(temporary, path) == 0;
    int why = errno;
    if (!good)
        unlink(temporary);
    if (registered)
        ritz_temporary_forget(temporary);
    RITZ_REQUIRE(good, RITZ_ERROR_FILE, "%s cannot be written: %s", path, strerror(why));
done:
    if (status != RITZ_OK)
        ritz_log("program cache: %s; the next start will compile again", ritz_message());
    ritz_free(path);
    ritz_free(temporary);
    ritz_free(head);
}
