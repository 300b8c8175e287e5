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

static bool wants(const ritz_problem *problem, const char *field)
{
    for (int i = 0; i < problem->fields.n; i++)
        if (strcmp(problem->fields.name[i], field) == 0)
            return true;
    return problem->fields.n == 0;
}

/* The fields that one solution gives, as far as they are wanted; how many. */
static int list_fields(const ritz_problem *problem, ritz_field fields[3])
{
    static const ritz_field mechanical[] = {{"displacement", 3, NULL}, {"stress", 6, NULL}, {"von_mises", 1, NULL}};
    int n = 0;
    if (!(problem->physics->bit & RITZ_MECHANICS))
        fields[n++] = (ritz_field){problem->fields.n ? problem->fields.name[0] : "u", 1, NULL};
    for (int k = 0; (problem->physics->bit & RITZ_MECHANICS) && k < 3; k++)
        if (wants(problem, mechanical[k].name))
            fields[n++] = mechanical[k];
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
    ritz_field one[3], *all = NULL;
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

static ritz_status add_field(ritz_result_file *file, const double *values)
{
    return file ? ritz_result_file_add(file, values) : RITZ_OK;
}

static ritz_status scalar_result(const ritz_drive *drive, const double *solution, ritz_case_result *run,
                                 ritz_result_file *file)
{
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < ritz_space_n_dofs(drive->space); i++) {
        least = fmin(least, solution[i]);
        most = fmax(most, solution[i]);
    }
    run->smallest_value = least;
    run->largest_value = most;
    return add_field(file, solution);
}

static ritz_status recover(const ritz_drive *drive, const double *solution, double *stress)
{
    ritz_datum young[RITZ_N_CELLS], poisson[RITZ_N_CELLS];
    ritz_batch_data(drive, "young", young);
    ritz_batch_data(drive, "poisson", poisson);
    return ritz_recover_stress(drive->space, drive->problem->physics->stress, young, poisson, drive->problem->degree,
                               solution, stress);
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

static ritz_status mechanical_result(const ritz_drive *drive, const double *solution, ritz_case_result *run,
                                     ritz_result_file *file)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const int64_t n = drive->space->n_nodes;
    double *padded = NULL, *stress = NULL, *von_mises = NULL;
    RITZ_NEW(stress, 6 * n);
    RITZ_NEW(von_mises, n);
    RITZ_TRY(recover(drive, solution, stress));
    RITZ_TRY(ritz_check_interrupt());
    ritz_von_mises(n, stress, von_mises);
    run->largest_displacement = largest(solution, n, drive->space->n_components);
    run->largest_von_mises = largest(von_mises, n, 1);
    if (wants(problem, "displacement")) {
        if (drive->space->n_components < 3)
            RITZ_TRY(pad(drive->space, solution, &padded));
        RITZ_TRY(add_field(file, padded ? padded : solution));
    }
    if (wants(problem, "stress"))
        RITZ_TRY(add_field(file, stress));
    if (wants(problem, "von_mises"))
        RITZ_TRY(add_field(file, von_mises));
done:
    ritz_free(padded);
    ritz_free(stress);
    ritz_free(von_mises);
    return status;
}

static ritz_status find_error(const ritz_drive *drive, int r, ritz_case_result *run)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const ritz_vector *known = problem->n_cases ? &problem->cases[r].loads.exact : &problem->loads.exact;
    const ritz_expression *exact[3] = {NULL};
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
static void gather_answers(ritz_result *result, const ritz_case_result *run)
{
    result->largest_displacement = fmax(result->largest_displacement, run->largest_displacement);
    result->largest_von_mises = fmax(result->largest_von_mises, run->largest_von_mises);
    result->smallest_value = fmin(result->smallest_value, run->smallest_value);
    result->largest_value = fmax(result->largest_value, run->largest_value);
    result->error_l2 = fmax(result->error_l2, run->error_l2);
    result->error_h1 = fmax(result->error_h1, run->error_h1);
}

ritz_status ritz_make_result(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const bool mechanics = problem->physics->bit & RITZ_MECHANICS;
    ritz_result_file *file = NULL;
    ritz_field *fields = NULL;
    int n_fields = 0;
    RITZ_TRY(name_fields(drive, &fields, &n_fields));
    if (problem->output_path && n_fields)
        RITZ_TRY(ritz_result_file_create(problem->output_path, drive->space, fields, n_fields, &file));
    for (int r = 0; r < drive->n_runs; r++) {
        ritz_case_result *run = &problem->case_results[r];
        const double *solution = drive->vector[r];
        if (!solution)
            continue;
        RITZ_TRY(find_error(drive, r, run));
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(mechanics ? mechanical_result(drive, solution, run, file) : scalar_result(drive, solution, run, file));
        gather_answers(drive->result, run);
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
