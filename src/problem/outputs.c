/* The files that a run writes: named and tried before anything is computed. Those of an earlier run, which stand where a run
   that fails should have written, are put aside. */
#include "problem/drive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Names ---- */

/* NULL: no result file is wanted. */
static ritz_status name_result(const ritz_problem *problem, char **path)
{
    ritz_status status = RITZ_OK;
    char *name = NULL;
    if (problem->no_output || (!problem->output_file && !problem->stem))
        return RITZ_OK;
    if (problem->output_file)
        RITZ_TRY(ritz_copy_text(problem->output_file, &name));
    else
        RITZ_TRY(ritz_format(&name, "%s.vtkhdf", problem->stem));
    RITZ_TRY(ritz_problem_path(problem, name, path));
done:
    ritz_free(name);
    return status;
}

/* part.vtkhdf: part_faces.vtkhdf */
static ritz_status name_faces(const ritz_problem *problem, char **path)
{
    if (!problem->faces || !problem->output_path)
        return RITZ_OK;
    const char *dot = strrchr(problem->output_path, '.');
    return ritz_format(path, "%.*s_faces%s", (int)(dot - problem->output_path), problem->output_path, dot);
}

/* The caller's copy of a name that the problem has, and of a path; NULL: there is no such file. */
static ritz_status copy_named(const ritz_problem *problem, const char *name, char **path)
{
    return name ? ritz_problem_path(problem, name, path) : RITZ_OK;
}

static ritz_status copy_path(const char *of, char **path)
{
    return of ? ritz_copy_text(of, path) : RITZ_OK;
}

static ritz_status name_outputs(ritz_problem *problem, char **paths)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(name_result(problem, &problem->output_path));
    RITZ_TRY(copy_path(problem->output_path, &paths[RITZ_OUTPUT_RESULT]));
    RITZ_TRY(name_faces(problem, &problem->faces_path));
    RITZ_TRY(copy_path(problem->faces_path, &paths[RITZ_OUTPUT_FACES]));
    RITZ_TRY(copy_named(problem, problem->frd_file, &paths[RITZ_OUTPUT_FRD]));
    RITZ_TRY(copy_named(problem, problem->dat_file, &paths[RITZ_OUTPUT_DAT]));
    RITZ_TRY(ritz_name_probe_files(problem));
    for (int i = 0; i < problem->n_probes; i++)
        RITZ_TRY(copy_path(problem->probe_results[i].file, &paths[RITZ_OUTPUT_PROBES + i]));
done:
    return status;
}

/* ---- Files of an earlier run ---- */

const char *ritz_output_path(const ritz_drive *drive, int output)
{
    return drive->outputs[output].path;
}

void ritz_output_written(const ritz_drive *drive, int output)
{
    ritz_earlier_forget(&drive->outputs[output]);
}

void ritz_end_outputs(ritz_drive *drive, bool failed)
{
    for (int k = 0; drive->outputs && k < RITZ_OUTPUT_PROBES + drive->problem->n_probes; k++) {
        char *aside = NULL;
        if (failed)
            ritz_earlier_put_aside(&drive->outputs[k], &aside);
        ritz_earlier_forget(&drive->outputs[k]);
        if (k == RITZ_OUTPUT_RESULT)
            drive->problem->earlier_output = aside;
        else
            ritz_free(aside);
    }
    ritz_free(drive->outputs);
    drive->outputs = NULL;
}

/* ---- Trials ---- */

/* Makes a file in the folder and removes it again: there are file systems that refuse files which access() allows. */
static ritz_status check_folder(const char *folder, const char *path)
{
    ritz_status status = RITZ_OK;
    char *trial = NULL;
    RITZ_TRY(ritz_format(&trial, "%s/.ritz-XXXXXX", folder));
    errno = 0;
    const int file = mkstemp(trial);
    RITZ_REQUIRE(file >= 0, RITZ_ERROR_FILE,
                 "cannot write %s: no file can be created in the folder %s: %s; name another with  output: {file: ...}",
                 path, folder, strerror(errno));
    close(file);
    unlink(trial);
done:
    ritz_free(trial);
    return status;
}

static ritz_status check_result(const char *path)
{
    ritz_status status = RITZ_OK;
    char *folder = NULL;
    struct stat about;
    const char *slash = strrchr(path, '/');
    RITZ_TRY(ritz_copy_text(slash ? path : ".", &folder));
    if (slash)
        folder[slash == path ? 1 : slash - path] = '\0';
    errno = 0;
    RITZ_REQUIRE(stat(folder, &about) == 0 && S_ISDIR(about.st_mode), RITZ_ERROR_FILE,
                 "cannot write %s: there is no folder %s; make it or name another with  output: {file: ...}", path,
                 folder);
    RITZ_REQUIRE(access(folder, W_OK | X_OK) == 0, RITZ_ERROR_FILE,
                 "cannot write %s: the folder %s cannot be written: %s; name another with  output: {file: ...}", path,
                 folder, strerror(errno));
    RITZ_TRY(ritz_check_replaceable(path)); /* the result takes the place of an old one, of nothing else */
    RITZ_TRY(check_folder(folder, path));
done:
    ritz_free(folder);
    return status;
}

static ritz_status check_file(const char *path, const ritz_place *place)
{
    ritz_status status = RITZ_OK;
    ritz_fresh fresh = {0};
    RITZ_TRY(ritz_check_replaceable(path));
    RITZ_TRY(ritz_fresh_create(path, 0, &fresh));
done:
    ritz_fresh_drop(&fresh);
    return status == RITZ_OK ? status : ritz_fail_context_at(status, place);
}

/* What names the file in the problem; NULL: --output, or the problem's own name. */
static const ritz_place *place_of(const ritz_problem *problem, int output)
{
    return output == RITZ_OUTPUT_RESULT  ? NULL
           : output == RITZ_OUTPUT_FACES ? &problem->faces_place
           : output == RITZ_OUTPUT_FRD   ? &problem->frd_place
           : output == RITZ_OUTPUT_DAT   ? &problem->dat_place
                                         : &problem->probes[output - RITZ_OUTPUT_PROBES].place;
}

/* That it is neither a file that is read nor one of those before it. */
static ritz_status check_name(const ritz_problem *problem, char *const *paths, int output)
{
    ritz_status status = ritz_refuse_input(problem, paths[output]);
    for (int k = 0; k < output && status == RITZ_OK; k++)
        if (paths[k] && ritz_is_same_file(paths[k], paths[output]))
            status = ritz_fail(RITZ_ERROR_INPUT, "%s would be written twice; name another file", paths[output]);
    const ritz_place *place = place_of(problem, output);
    return status != RITZ_OK && place ? ritz_fail_context_at(status, place) : status;
}

/* All files are watched before the first of them is tried, and none is before all names are good: a run that fails puts aside what
   stands where it is watched. */
ritz_status ritz_watch_outputs(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    ritz_problem *problem = drive->problem;
    const int n = RITZ_OUTPUT_PROBES + problem->n_probes;
    char **paths = NULL;
    RITZ_NEW(paths, n);
    RITZ_TRY(name_outputs(problem, paths));
    for (int k = 0; k < n; k++)
        if (paths[k])
            RITZ_TRY(check_name(problem, paths, k));
    RITZ_NEW(drive->outputs, n);
    for (int k = 0; k < n; k++)
        if (paths[k])
            RITZ_TRY(ritz_earlier_watch(paths[k], &drive->outputs[k]));
    if (problem->output_path)
        RITZ_TRY(check_result(problem->output_path));
    for (int k = RITZ_OUTPUT_FACES; k < n; k++)
        if (paths[k])
            RITZ_TRY(check_file(paths[k], place_of(problem, k)));
done:
    for (int k = 0; paths && k < n; k++)
        ritz_free(paths[k]);
    ritz_free(paths);
    return status;
}
