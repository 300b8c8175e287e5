/* Meshes of geometries, kept from run to run: whoever changes loads and materials does not wait for Gmsh again. */
#define _GNU_SOURCE /* memmem */
#include "mesh/foreign.h"

#include "base/cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const char kind[] = "mesh";
static const int64_t most_bytes = INT64_C(1) << 30; /* of all that are kept; a mesh takes no more than a quarter */

/* Commands of .geo files that look at other files, or at the system. */
static const char *const looking_elsewhere[] = {"Include", "Merge", "File", "Onelab", "System", "GetEnv"};

/* Whether the mesh depends on this file alone. */
static bool is_self_contained(const char *path, const unsigned char *content, int64_t bytes)
{
    static const char *const alone[] = {".step", ".stp", ".brep", ".iges", ".igs"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof alone / sizeof *alone; i++)
        if (strcasecmp(dot, alone[i]) == 0)
            return true;
    if (!dot || (strcasecmp(dot, ".geo") != 0 && strcasecmp(dot, ".geo_unrolled") != 0))
        return false;
    for (size_t i = 0; i < sizeof looking_elsewhere / sizeof *looking_elsewhere; i++)
        if (memmem(content, (size_t)bytes, looking_elsewhere[i], strlen(looking_elsewhere[i])))
            return false;
    return true;
}

static ritz_status read_content(const char *path, unsigned char **content, int64_t *bytes)
{
    ritz_status status = RITZ_OK;
    struct stat info;
    FILE *file = fopen(path, "rb");
    RITZ_REQUIRE(file && fstat(fileno(file), &info) == 0, RITZ_ERROR_FILE, "%s: cannot be read", path);
    RITZ_NEW(*content, (int64_t)info.st_size + 1);
    *bytes = (int64_t)fread(*content, 1, (size_t)info.st_size, file);
    RITZ_REQUIRE(*bytes == info.st_size, RITZ_ERROR_FILE, "%s: cannot be read whole", path);
done:
    if (file)
        fclose(file);
    return status;
}

ritz_status ritz_kept_key(const char *path, char *const *arguments, char **key)
{
    ritz_status status = RITZ_OK;
    unsigned char *content = NULL;
    int64_t bytes = 0;
    ritz_text text = {0};
    struct stat program;
    *key = NULL;
    if (!ritz_cache_is_kept() || stat(arguments[0], &program) != 0)
        return RITZ_OK;
    RITZ_TRY(read_content(path, &content, &bytes));
    if (!is_self_contained(path, content, bytes))
        goto done;
    ritz_text_add(&text, "ritz %s\nmesh by %s, %lld bytes of %lld.%09ld\n", ritz_version(), arguments[0],
                  (long long)program.st_size, (long long)program.st_mtim.tv_sec, program.st_mtim.tv_nsec);
    for (int i = 1; strcmp(arguments[i], "--") != 0; i++)
        ritz_text_add(&text, "%s\n", arguments[i]);
    ritz_text_add(&text, "of %s, %lld bytes, %016" PRIx64 "%016" PRIx64 "\n", strrchr(path, '.'), (long long)bytes,
                  ritz_hash(content, bytes, 0), ritz_hash(content, bytes, UINT64_C(0x9e3779b97f4a7c15)));
    RITZ_TRY(ritz_text_take(&text, key));
done:
    ritz_text_free(&text);
    ritz_free(content);
    return status;
}

/* An entry is the number of characters of Gmsh's messages, a line of its own, those, and the mesh. */
void ritz_kept_load(const char *key, ritz_run *run)
{
    unsigned char *entry = NULL;
    int64_t bytes = 0;
    int head = 0;
    long long n_errors = 0;
    ritz_cache_load(kind, key, &entry, &bytes);
    if (!entry)
        return;
    if (sscanf((const char *)entry, "%lld%n", &n_errors, &head) == 1 && n_errors >= 0 && ++head + n_errors < bytes &&
        ritz_allocate((void **)&run->errors, n_errors + 1, 1) == RITZ_OK) {
        memcpy(run->errors, entry + head, (size_t)n_errors);
        run->n_errors = n_errors;
        run->n_output = bytes - head - n_errors;
        memmove(entry, entry + head + n_errors, (size_t)run->n_output);
        run->output = (char *)entry;
        entry = NULL;
    }
    ritz_free(entry);
}

void ritz_kept_store(const char *key, const ritz_run *run)
{
    ritz_text entry = {0};
    char *data = NULL;
    const char *errors = run->errors ? run->errors : "";
    if (run->n_output > most_bytes / 4)
        return;
    ritz_text_add(&entry, "%lld\n%s", (long long)strlen(errors), errors);
    const int64_t head = entry.length;
    if (entry.status == RITZ_OK && ritz_allocate((void **)&data, head + run->n_output, 1) == RITZ_OK) {
        memcpy(data, entry.data, (size_t)head);
        memcpy(data + head, run->output, (size_t)run->n_output);
        ritz_cache_store(kind, key, (const unsigned char *)data, head + run->n_output);
        ritz_cache_trim(kind, most_bytes);
    }
    ritz_text_free(&entry);
    ritz_free(data);
}
