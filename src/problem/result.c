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
                 "cannot write %s: no file can be created in the folder %s: %s; name another with  output: {file: ...}",
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
                 "cannot write %s: there is no folder %s; make it or name another with  output: {file: ...}", whole,
                 folder);
    RITZ_REQUIRE(access(folder, W_OK | X_OK) == 0, RITZ_ERROR_FILE,
                 "cannot write %s: the folder %s cannot be written: %s; name another with  output: {file: ...}", whole,
                 folder, strerror(errno));
    RITZ_TRY(ritz_check_replaceable(whole)); /* the result takes the place of an old one, of nothing else */
    RITZ_TRY(try_folder(folder, whole));
    *path = whole;
    whole = NULL;
done:
    ritz_free(name);
    ritz_free(whole);
    ritz_free(folder);
    return status;
}

/* ---- The fields of a solution ---- */

static bool wants_field(const ritz_problem *problem, const char *field)
{
    for (int i = 0; i < problem->fields.n; i++)
        if (strcmp(problem->fields.name[i], field) == 0)
            return true;
    return problem->fields.n == 0;
}

/* The name that a field has in the file: the only field of a physics may be renamed. */
static const char *field_name(const ritz_problem *problem, int f)
{
    const bool renamed = problem->physics->n_fields == 1 && problem->fields.n;
    return renamed ? problem->fields.name[0] : problem->physics->fields[f].name;
}

/* The fields that one solution gives, as far as they are wanted; how many. */
static int list_fields(const ritz_problem *problem, ritz_field fields[RITZ_MAX_FIELDS])
{
    int n = 0;
    for (int f = 0; f < problem->physics->n_fields; f++) {
        const char *name = field_name(problem, f);
        if (wants_field(problem, name))
            fields[n++] = (ritz_field){name, ritz_field_components(&problem->physics->fields[f]), NULL};
    }
    return n;
}

static void free_fields(ritz_field **fields, int n)
{
    for (int f = 0; *fields && f < n; f++)
        ritz_free((char *)(*fields)[f].name);
    ritz_free(*fields);
    *fields = NULL;
}

/* The fields of all solutions that there are, named after their load cases, in the order in which they are written. */
static ritz_status name_fields(const ritz_drive *drive, ritz_field **fields, int *n_fields)
{
    ritz_status status = RITZ_OK;
    ritz_field one[RITZ_MAX_FIELDS], *all = NULL;
    const int n = list_fields(drive->problem, one);
    int n_all = 0;
    RITZ_NEW(all, (int64_t)n * drive->n_runs);
    for (int r = 0; r < drive->n_runs; r++) {
        const char *name = drive->problem->case_results[r].name;
        for (int k = 0; drive->vector[r] && k < n; k++) {
            char *whole = NULL;
            RITZ_TRY(ritz_format(&whole, "%s%s%s", one[k].name, name ? "_" : "", name ? name : ""));
            all[n_all++] = (ritz_field){whole, one[k].n_components, NULL};
        }
    }
    *fields = all;
    *n_fields = n_all;
    all = NULL;
done:
    free_fields(&all, n_all);
    return status;
}

/* Whether field f is written, told, or what the next one is derived from. */
static bool is_needed(const ritz_problem *problem, int f)
{
    const ritz_physics *physics = problem->physics;
    return wants_field(problem, field_name(problem, f)) || physics->fields[f].largest ||
           (f + 1 < physics->n_fields && physics->fields[f + 1].derive && is_needed(problem, f + 1));
}

/* The unknown, or components of it, as many as its field has: three for vectors, zero out of the plane. */
static void fill_unknown(const ritz_space *space, int first, int n_components, const double *solution, double *values)
{
    const int n_c = space->n_components;
    for (int64_t i = 0; i < space->n_nodes; i++)
        for (int c = 0; c < n_components && first + c < n_c; c++)
            values[n_components * i + c] = solution[i * n_c + first + c];
}

static ritz_status recover_field(const ritz_drive *drive, const ritz_result_field *field, const double *solution,
                                 double *values)
{
    ritz_datum data[RITZ_MAX_POINT_DATA][RITZ_N_CELLS];
    const ritz_datum *rows[RITZ_MAX_POINT_DATA] = {NULL};
    for (int k = 0; k < RITZ_MAX_POINT_DATA && field->data[k]; k++) {
        ritz_batch_data(drive, field->data[k], data[k]);
        rows[k] = data[k];
    }
    return ritz_recover(drive->space, field, rows, drive->problem->degree, solution, values);
}

/* Largest value, of vectors and tensors the length. */
static double largest_magnitude(const double *values, int64_t n, int components)
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

/* Enters a value where it is larger than the one that the field has. */
static void tell_largest(ritz_largest list[RITZ_MAX_LARGEST], const char *field, const char *words, double value)
{
    for (int k = 0; k < RITZ_MAX_LARGEST; k++)
        if (!list[k].field || strcmp(list[k].field, field) == 0) {
            list[k] = (ritz_largest){field, words, list[k].field ? fmax(list[k].value, value) : value};
            return;
        }
}

static void find_range(const ritz_drive *drive, const double *solution, ritz_load_case_result *run)
{
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < ritz_space_n_dofs(drive->space); i++) {
        least = fmin(least, solution[i]);
        most = fmax(most, solution[i]);
    }
    run->smallest_value = least;
    run->largest_value = most;
}

/* Field f; before: the field before it, NULL if that was not needed. */
static ritz_status fill_field(const ritz_drive *drive, int f, const double *solution, const double *before,
                              double *values)
{
    const ritz_result_field *field = &drive->problem->physics->fields[f];
    if (field->at_point)
        return recover_field(drive, field, solution, values);
    if (field->derive)
        field->derive(drive->space->n_nodes, before, values);
    else
        fill_unknown(drive->space, field->first, ritz_field_components(field), solution, values);
    return RITZ_OK;
}

/* Makes, measures and writes the fields of a solution one after the other. */
static ritz_status make_fields(const ritz_drive *drive, const double *solution, ritz_load_case_result *run,
                               ritz_result_file *file)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    const int64_t n = drive->space->n_nodes;
    double *values = NULL, *before = NULL;
    if (drive->space->n_components == 1)
        find_range(drive, solution, run);
    for (int f = 0; f < physics->n_fields; f++) {
        const ritz_result_field *field = &physics->fields[f];
        const int components = ritz_field_components(field);
        if (!is_needed(drive->problem, f))
            continue;
        RITZ_NEW(values, components * n);
        RITZ_TRY(fill_field(drive, f, solution, before, values));
        RITZ_TRY(ritz_check_interrupt());
        if (field->largest)
            tell_largest(run->largest, field->name, field->words, largest_magnitude(values, n, components));
        if (file && wants_field(drive->problem, field_name(drive->problem, f)))
            RITZ_TRY(ritz_result_file_add(file, values));
        ritz_free(before);
        before = values;
        values = NULL;
    }
done:
    ritz_free(before);
    ritz_free(values);
    return status;
}

static ritz_status find_error(const ritz_drive *drive, int r, ritz_load_case_result *run)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const ritz_vector *known = problem->n_cases ? &problem->cases[r].loads.exact : &problem->loads.exact;
    const ritz_expression *exact[RITZ_MAX_COMPONENTS] = {NULL};
    for (int c = 0; c < known->n; c++)
        exact[c] = known->component[c].expression;
    if (!known->n)
        return RITZ_OK;
    RITZ_TRY(ritz_error_norms(drive->space, drive->vector[r], exact, problem->degree, &run->error_l2, &run->error_h1));
    RITZ_REQUIRE_AT(isfinite(run->error_l2) && isfinite(run->error_h1), &known->place,
                    "'exact' or its gradient is not finite somewhere in the mesh; give an expression that is");
done:
    return status;
}

/* Extremes over all load cases; fmax and fmin pass over NAN. */
static void gather_answers(ritz_result *result, const ritz_load_case_result *run)
{
    for (int k = 0; k < RITZ_MAX_LARGEST && run->largest[k].field; k++)
        tell_largest(result->largest, run->largest[k].field, run->largest[k].words, run->largest[k].value);
    result->smallest_value = fmin(result->smallest_value, run->smallest_value);
    result->largest_value = fmax(result->largest_value, run->largest_value);
    result->error_l2 = fmax(result->error_l2, run->error_l2);
    result->error_h1 = fmax(result->error_h1, run->error_h1);
}

ritz_status ritz_make_result(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    ritz_result_file *file = NULL;
    ritz_field *fields = NULL;
    int n_fields = 0;
    RITZ_TRY(name_fields(drive, &fields, &n_fields));
    if (problem->output_path && n_fields)
        RITZ_TRY(ritz_result_file_create(problem->output_path, drive->space, fields, n_fields, &file));
    for (int r = 0; r < drive->n_runs; r++) {
        ritz_load_case_result *run = &problem->case_results[r];
        const double *solution = drive->vector[r];
        if (!solution)
            continue;
        RITZ_TRY(ritz_find_reactions(drive, r));
        RITZ_TRY(find_error(drive, r, run));
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(make_fields(drive, solution, run, file));
        gather_answers(drive->result, run);
        if (!problem->n_cases)
            drive->result->balance = run->balance;
        ritz_free(drive->vector[r]);
        drive->vector[r] = NULL;
    }
    if (file) {
        RITZ_TRY(ritz_result_file_finish(&file));
        drive->result->output = problem->output_path;
    }
done:
    ritz_result_file_destroy(&file);
    free_fields(&fields, n_fields);
    return status;
}
