/* Meshes of geometries, kept from run to run: whoever changes loads and materials does not wait for Gmsh again. */
#define _GNU_SOURCE /* memmem */
#include "mesh/foreign.h"

#include "base/cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const char kind[] = "mesh";
static const int64_t most_bytes = INT64_C(1) << 30; /* of all that are kept; a mesh takes no more than a quarter */

/* Of .geo files: commands that look at other files, at the system, the time, or the place of the file. */
static const char *const looking_elsewhere[] = {"Include", "Merge",      "FromFile",     "FileName",  "FileExists",
                                                "Onelab",  "System",     "GetEnv",       "Today",     "Cpu",
                                                "Memory",  "CurrentDir", "AbsolutePath", "Executable"};

/* Whether the mesh depends on this file alone. A .xao file may name another one. */
static bool is_self_contained(const char *path, const char *content, int64_t bytes)
{
    static const char *const alone[] = {".step", ".stp", ".brep", ".iges", ".igs"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof alone / sizeof *alone; i++)
        if (strcasecmp(dot, alone[i]) == 0)
            return true;
    if (!dot || (strcasecmp(dot, ".geo") != 0 && strcasecmp(dot, ".geo_unrolled") != 0))
        return false;
    for (size_t i = 0; i < sizeof looking_elsewhere / sizeof *looking_elsewhere; i++)
        if (memmem(content, (size_t)bytes, looking_elsewhere[i], strlen(looking_elsewhere[i]))) {
            ritz_log("%s: its mesh is not kept for later runs, since '%s' may look beyond the file", path,
                     looking_elsewhere[i]);
            return false;
        }
    return true;
}

/* Gmsh reads options from PATH.opt where there is such a file. */
static ritz_status has_options(const char *path, bool *has)
{
    ritz_status status = RITZ_OK;
    char *options = NULL;
    RITZ_TRY(ritz_format(&options, "%s.opt", path));
    *has = access(options, F_OK) == 0;
done:
    ritz_free(options);
    return status;
}

char *ritz_kept_key(const char *path, char *const *arguments)
{
    ritz_status status = RITZ_OK;
    char *content = NULL;
    char *key = NULL;
    int64_t bytes = 0;
    bool has = false;
    ritz_text text = {0};
    struct stat program;
    if (!ritz_cache_is_kept() || stat(arguments[0], &program) != 0)
        return NULL;
    RITZ_TRY(has_options(path, &has));
    RITZ_TRY(ritz_read_file(path, INT64_MAX, &content, &bytes));
    if (has || !is_self_contained(path, content, bytes))
        goto done;
    ritz_text_add(&text, "ritz %s\nmesh by %s, %lld bytes, changed at %lld.%09ld\n", ritz_version(), arguments[0],
                  (long long)program.st_size, (long long)program.st_mtim.tv_sec, program.st_mtim.tv_nsec);
    for (int i = 1; strcmp(arguments[i], "--") != 0; i++)
        ritz_text_add(&text, "%s\n", arguments[i]);
    ritz_text_add(&text, "of %s, %lld bytes, %016" PRIx64 "%016" PRIx64 "\n", strrchr(path, '.'), (long long)bytes,
                  ritz_hash(content, bytes, 0), ritz_hash(content, bytes, UINT64_C(0x9e3779b97f4a7c15)));
    RITZ_TRY(ritz_text_take(&text, &key));
done:
    if (status != RITZ_OK)
        ritz_log("mesh cache: %s; no mesh is kept", ritz_message());
    ritz_text_free(&text);
    ritz_free(content);
    return key;
}

/* Whether the libraries that made the mesh, which ritz-gmsh named, are those that would make it now. */
static bool has_same_libraries(const char *messages)
{
    size_t n = 0;
    for (const char *at = messages; (at = ritz_next_labelled(at, "library: ", &n)); at += n) {
        long long bytes, changed;
        char path[4096];
        struct stat now;
        if (sscanf(at, "%lld %lld %4095[^\n]", &bytes, &changed, path) != 3 || stat(path, &now) != 0 ||
            now.st_size != bytes || now.st_mtime != changed)
            return false;
    }
    return true;
}

/* An entry is the mesh, what ritz-gmsh said, and how many characters that is, in a number of so many digits. */
enum { DIGITS = 12 };

void ritz_kept_load(const char *key, ritz_run *run)
{
    unsigned char *entry = NULL;
    int64_t bytes = 0;
    ritz_cache_load(kind, key, &entry, &bytes);
    if (!entry)
        return;
    const long long n = bytes > DIGITS ? strtoll((const char *)entry + bytes - DIGITS, NULL, 10) : -1;
    if (n >= 0 && n < bytes - DIGITS && ritz_allocate((void **)&run->errors, n + 1, 1) == RITZ_OK) {
        run->n_errors = n;
        run->n_output = bytes - DIGITS - n;
        memcpy(run->errors, entry + run->n_output, (size_t)n);
        if (has_same_libraries(run->errors)) {
            run->output = (char *)entry;
            return;
        }
    }
    ritz_free(entry);
    ritz_run_free(run);
}

void ritz_kept_store(const char *key, ritz_run *run)
{
    ritz_status status = RITZ_OK;
    const int64_t n_errors = run->errors ? (int64_t)strlen(run->errors) : 0;
    if (run->n_output > most_bytes / 4 || n_errors >= RITZ_MOST_MESSAGES)
        return;
    RITZ_RESIZE(run->output, run->n_output + n_errors + DIGITS + 1);
    snprintf(run->output + run->n_output, (size_t)(n_errors + DIGITS + 1), "%s%0*lld", n_errors ? run->errors : "",
             DIGITS, (long long)n_errors);
    ritz_cache_store(kind, key, (const unsigned char *)run->output, run->n_output + n_errors + DIGITS);
    ritz_cache_trim(kind, most_bytes);
done:
    if (status != RITZ_OK)
        ritz_log("mesh cache: %s; the mesh is not kept", ritz_message());
}
