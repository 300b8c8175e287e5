/* The program ritz-gmsh: where it is, how it is called, and what its end means. */
#define _GNU_SOURCE /* dladdr */
#include "mesh/foreign.h"

#include "mesh/formats.h"

#include <dlfcn.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef RITZ_GMSH
static const char whereabouts[] = "install Ritz whole, or set RITZ_GMSH to its path";
#else
static const char whereabouts[] = "this Ritz was built without Gmsh (build with -DRITZ_GMSH=ON)";
#endif

/* Places relative to the folder that the program or the library lies in: the build's, then those of an installed tree. */
static const char *const places[] = {"ritz-gmsh", RITZ_GMSH_FROM_BIN, RITZ_GMSH_FROM_LIB};

/* *found stays NULL where the program is not near that file. */
static ritz_status find_program_beside(const char *file, char **found)
{
    ritz_status status = RITZ_OK;
    const char *slash = file ? strrchr(file, '/') : NULL;
    char *candidate = NULL;
    for (size_t i = 0; slash && !*found && i < sizeof places / sizeof *places; i++) {
        RITZ_TRY(ritz_format(&candidate, "%.*s/%s", (int)(slash - file), file, places[i]));
        if (access(candidate, X_OK) == 0)
            *found = candidate;
        else
            ritz_free(candidate);
        candidate = NULL;
    }
done:
    return status;
}

/* RITZ_GMSH, then beside the library and the running program. */
static ritz_status find_program(const char *path, char **found)
{
    ritz_status status = RITZ_OK;
    const char *named = getenv("RITZ_GMSH");
    char self[4096];
    Dl_info info = {0};
    if (named && *named) {
        RITZ_REQUIRE(access(named, X_OK) == 0, RITZ_ERROR_FILE,
                     "RITZ_GMSH is '%s', which is not a program that can be run", named);
        return ritz_copy_text(named, found);
    }
    if (dladdr((const void *)places, &info) != 0)
        RITZ_TRY(find_program_beside(info.dli_fname, found));
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (!*found && n > 0) {
        self[n] = 0;
        RITZ_TRY(find_program_beside(self, found));
    }
    RITZ_REQUIRE(*found, RITZ_ERROR_FILE,
                 "%s: ritz-gmsh, the program that reads this format and meshes geometries, is missing: %s; or "
                 "convert the file to .msh elsewhere: gmsh FILE -save -format msh41",
                 path, whereabouts);
done:
    return status;
}

const char *ritz_next_labelled(const char *at, const char *label, size_t *n)
{
    for (; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        if (strncmp(at, label, strlen(label)) == 0) {
            at += strlen(label);
            *n = strcspn(at, "\n");
            return at;
        }
    }
    return NULL;
}

static void log_warnings(const ritz_run *run)
{
    size_t n = 0;
    for (const char *at = run->errors; (at = ritz_next_labelled(at, "warning: ", &n)); at += n)
        ritz_log("Gmsh: %.*s", (int)n, at);
}

/* The last line that came, for a crash: an abort often says why. */
static const char *last_words(ritz_run *run)
{
    while (run->n_errors > 0 && run->errors[run->n_errors - 1] == '\n')
        run->errors[--run->n_errors] = 0;
    const char *line = run->errors ? strrchr(run->errors, '\n') : NULL;
    return run->n_errors == 0 ? "" : line ? line + 1 : run->errors;
}

static ritz_status diagnose_end(const char *path, bool geometry, ritz_run *run)
{
    size_t n = 0;
    log_warnings(run);
    if (run->signal == SIGSYS)
        return ritz_fail(RITZ_ERROR_INPUT,
                         "%s: it starts another program (SystemCall or the like), which it may do only when you trust "
                         "it: remove the command, or add --trust-geometry",
                         path);
    if (run->signal) {
        const char *words = last_words(run);
        return ritz_fail(RITZ_ERROR_INPUT, "Gmsh crashed on %s (signal %d: %s%s%s): %s", path, run->signal,
                         strsignal(run->signal), *words ? "; " : "", words,
                         geometry
                             ? "repair or export the geometry again, or mesh it in another program and give the .msh"
                             : "the file is damaged, or Gmsh errs; write it again, or convert it to .msh with the "
                               "program that made it");
    }
    const char *error = ritz_next_labelled(run->errors, "error: ", &n);
    if (error && strstr(error, "must be compiled with")) /* .med and .cgns, with Debian's Gmsh */
        return ritz_fail(RITZ_ERROR_INPUT,
                         "%s: the Gmsh that is installed was built without support for this format; convert the file "
                         "to .msh, as with  meshio convert FILE PART.msh (meshio is on PyPI), or save it as .unv",
                         path);
    if (error)
        return ritz_fail(RITZ_ERROR_INPUT, "%s: %.*s", path, (int)n, error);
    if (run->exit_status != 0)
        return ritz_fail(RITZ_ERROR_FILE, "%s: ritz-gmsh ended with status %d: %s", path, run->exit_status,
                         last_words(run));
    if (run->n_output == 0)
        return ritz_fail(RITZ_ERROR_INPUT,
                         "%s: Gmsh ended without a mesh and gives no reason; remove commands like Exit", path);
    return RITZ_OK;
}

/* The mesh as ritz-gmsh writes it, of an earlier run where one with this key is kept. */
static ritz_status get_stream(const char *path, char *const *arguments, bool geometry, const char *key, ritz_run *run,
                              bool *was_kept)
{
    ritz_status status = RITZ_OK;
    if (key)
        ritz_kept_load(key, run);
    *was_kept = run->output != NULL;
    if (*was_kept) {
        log_warnings(run);
    } else {
        RITZ_TRY(ritz_run_program(arguments, run));
        RITZ_TRY(diagnose_end(path, geometry, run));
    }
done:
    return status;
}

/* Keeps what Gmsh made, unless the file was written anew meanwhile. */
static void keep_mesh(const char *path, char *const *arguments, const char *key, ritz_run *run)
{
    char *now = ritz_kept_key(path, arguments);
    if (now && strcmp(now, key) == 0)
        ritz_kept_store(key, run);
    ritz_free(now);
}

ritz_status ritz_foreign_read(const char *path, const ritz_geometry_options *geometry, ritz_model *model)
{
    ritz_status status = RITZ_OK;
    enum { MOST = 10 };
    char *program = NULL, *copy = NULL, *key = NULL, size[32], *arguments[MOST];
    int n = 0;
    ritz_run run = {0};
    const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    RITZ_REQUIRE(plain, RITZ_ERROR_MEMORY, "the C locale cannot be set: memory ran out");
    RITZ_TRY(ritz_check_interrupt());
    RITZ_TRY(find_program(path, &program));
    RITZ_TRY(ritz_copy_text(path, &copy));
    arguments[n++] = program;
    if (geometry) {
        const locale_t before = uselocale(plain);
        snprintf(size, sizeof size, "%.17g", geometry->size);
        uselocale(before);
        arguments[n++] = "--mesh";
        arguments[n++] = size;
        arguments[n++] = geometry->order == 2 ? "2" : "1";
    }
    if (geometry && geometry->glue)
        arguments[n++] = "--glue";
    if (geometry && geometry->trust)
        arguments[n++] = "--trust";
    arguments[n++] = "--";
    arguments[n++] = copy;
    arguments[n] = NULL;
    if (geometry && !geometry->trust)
        key = ritz_kept_key(path, arguments);
    RITZ_TRY(get_stream(path, arguments, geometry != NULL, key, &run, &model->was_kept));
    status = ritz_msh_read_converted(path, run.output, run.n_output, model);
    if (status)
        ritz_fail_context(status, "%s: ", path);
    else if (key && !model->was_kept)
        keep_mesh(path, arguments, key, &run);
done:
    ritz_free(key);
    if (plain)
        freelocale(plain);
    ritz_run_free(&run);
    ritz_free(program);
    ritz_free(copy);
    return status;
}
