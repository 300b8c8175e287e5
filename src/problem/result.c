/* From the solution to the result: extremes, error norms, recovered stress, the result file. */
#include "problem/drive.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes a file in the folder and removes it again: there are file systems that refuse files which access() allows. */
static ritz_status try_folder(const char *folder, const char *path)
{
    ritz_status status = RITZ_OK;
    char *trial = NULL;
    RITZ_TRY(ritz_format(&trial, "%s/.ritz-XXXXXX", folder));
    errno = 0;
    const int file = mkstemp(trial);
    RITZ_REQUIRE(file >= 0, RITZ_ERROR_FILE,
                 "can not write %s: no file can be made in the folder %s: %s; name another with  output: {file: ...}",
                 path, folder, strerror(errno));
    close(file);
    unlink(trial);
done:
    ritz_free(trial);
    return status;
}

ritz_status ritz_choose_output(const ritz_problem *problem, char **path)
{
    ritz_status status = RITZ_OK;
    char *name = NULL, *whole = NULL, *folder = NULL;
    struct stat about;
    *path = NULL;
    if (problem->no_output || (!problem->output_file && !problem->stem))
        goto done;
    if (problem->output_file)
        RITZ_TRY(ritz_copy_text(problem->output_file, &name));
    else
        RITZ_TRY(ritz_format(&name, "%s.vtkhdf", problem->stem));
    RITZ_TRY(ritz_problem_path(problem, name, &whole));
    const char *slash = strrchr(whole, '/');
    RITZ_TRY(ritz_copy_text(slash ? whole : ".", &folder));
    if (slash)
        folder[slash == whole ? 1 : slash - whole] = '\0';
    errno = 0;
    RITZ_REQUIRE(stat(folder, &about) == 0 && S_ISDIR(about.st_mode), RITZ_ERROR_FILE,
                 "can not write %s: there is no folder %s; make it or name another with  output: {file: ...}", whole,
                 folder);
    RITZ_REQUIRE(access(folder, W_OK | X_OK) == 0, RITZ_ERROR_FILE,
                 "can not write %s: the folder %s can not be written: %s; name another with  output: {file: ...}",
                 whole, folder, strerror(errno));
    const bool there = stat(whole, &about) == 0; /* the result takes the place of an old one, of nothing else */
    RITZ_REQUIRE(!there || !S_ISDIR(about.st_mode), RITZ_ERROR_FILE, "can not write %s: it is a folder; name a file",
                 whole);
    RITZ_REQUIRE(!there || S_ISREG(about.st_mode), RITZ_ERROR_FILE,
                 "can not write %s: it is no regular file; name another", whole);
    RITZ_TRY(try_folder(folder, whole));
    *path = whole;
    whole = NULL;
done:
    ritz_free(name);
    ritz_free(whole);
    ritz_free(folder);
    return status;
}

static bool wants(const ritz_problem *problem, const char *field)
{
    for (int i = 0; i < problem->fields.n; i++)
        if (strcmp(problem->fields.name[i], field) == 0)
            return true;
    return problem->fields.n == 0;
}

static ritz_status write_fields(const ritz_drive *drive, const ritz_field *fields, int n)
{
    if (!drive->problem->output_path)
        return RITZ_OK;
    const ritz_status status = ritz_write_vtkhdf(drive->problem->output_path, drive->space, fields, n);
    if (status == RITZ_OK)
        drive->result->output = drive->problem->output_path;
    return status;
}

static ritz_status scalar_result(ritz_drive *drive)
{
    const int64_t n = ritz_space_n_dofs(drive->space);
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        least = fmin(least, drive->solution[i]);
        most = fmax(most, drive->solution[i]);
    }
    drive->result->smallest_value = least;
    drive->result->largest_value = most;
    const ritz_problem *problem = drive->problem;
    const ritz_field field = {
        .name = problem->fields.n ? problem->fields.name[0] : "u", .n_components = 1, .values = drive->solution};
    return write_fields(drive, &field, 1);
}

static ritz_status recover(const ritz_drive *drive, double *stress)
{
    ritz_status status = RITZ_OK;
    double **young = NULL, **poisson = NULL;
    RITZ_TRY(ritz_all_property_values(drive, RITZ_YOUNG, NAN, &young));
    RITZ_TRY(ritz_all_property_values(drive, RITZ_POISSON_RATIO, NAN, &poisson));
    RITZ_TRY(ritz_recover_stress(drive->space, drive->problem->physics->stress, (const double *const *)young,
                                 (const double *const *)poisson, drive->solution, stress));
done:
    ritz_free_values(drive, &young);
    ritz_free_values(drive, &poisson);
    return status;
}

/* Displacement with three components, zero out of the plane. */
static ritz_status pad(const ritz_space *space, const double *displacement, double **padded)
{
    ritz_status status = RITZ_OK;
    double *v = NULL;
    RITZ_NEW(v, 3 * (int64_t)space->n_nodes);
    for (int64_t i = 0; i < space->n_nodes; i++)
        for (int c = 0; c < space->n_components; c++)
            v[3 * i + c] = displacement[i * space->n_components + c];
    *padded = v;
done:
    return status;
}

static double largest(const double *values, int64_t n, int components)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        double square = 0;
        for (int c = 0; c < components; c++)
            square += values[i * components + c] * values[i * components + c];
        most = fmax(most, square);
    }
    return sqrt(most);
}

static ritz_status mechanical_result(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const int64_t n = drive->space->n_nodes;
    double *padded = NULL, *stress = NULL, *von_mises = NULL;
    RITZ_NEW(stress, 6 * n);
    RITZ_NEW(von_mises, n);
    RITZ_TRY(recover(drive, stress));
    RITZ_TRY(ritz_check_interrupt());
    ritz_von_mises(n, stress, von_mises);
    drive->result->largest_displacement = largest(drive->solution, n, drive->space->n_components);
    drive->result->largest_von_mises = largest(von_mises, n, 1);
    ritz_field fields[3];
    int n_fields = 0;
    if (wants(problem, "displacement")) {
        if (drive->space->n_components < 3)
            RITZ_TRY(pad(drive->space, drive->solution, &padded));
        fields[n_fields++] =
            (ritz_field){.name = "displacement", .n_components = 3, .values = padded ? padded : drive->solution};
    }
    if (wants(problem, "stress"))
        fields[n_fields++] = (ritz_field){.name = "stress", .n_components = 6, .values = stress};
    if (wants(problem, "von_mises"))
        fields[n_fields++] = (ritz_field){.name = "von_mises", .n_components = 1, .values = von_mises};
    RITZ_TRY(write_fields(drive, fields, n_fields));
done:
    ritz_free(padded);
    ritz_free(stress);
    ritz_free(von_mises);
    return status;
}

ritz_status ritz_make_result(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_vector *known = &drive->problem->exact;
    const ritz_expression *exact[3] = {NULL};
    for (int c = 0; c < known->n; c++)
        exact[c] = known->component[c].expression;
    if (known->n) {
        RITZ_TRY(
            ritz_error_norms(drive->space, drive->solution, exact, &drive->result->error_l2, &drive->result->error_h1));
        RITZ_REQUIRE_AT(isfinite(drive->result->error_l2) && isfinite(drive->result->error_h1), &known->place,
                        "'exact' or its gradient is not finite somewhere in the mesh; give an expression that is");
    }
    RITZ_TRY(ritz_check_interrupt());
    RITZ_TRY(drive->problem->physics->bit & RITZ_MECHANICS ? mechanical_result(drive) : scalar_result(drive));
done:
    return status;
}
