/* From mesh to result file, stage by stage. What a stage no longer needs is freed before the next one: on a CPU device the
   matrix lies in the same memory. */
#include "problem/drive.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ritz_stage_line(const ritz_problem *problem, const char *format, ...)
{
    char line[512];
    if (!problem->stage)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    problem->stage(line, problem->stage_context);
}

/* ---- Device ---- */

static ritz_status open_device(ritz_problem *problem)
{
    ritz_status status = RITZ_OK;
    if (!problem->device)
        RITZ_TRY(ritz_device_open(problem->device_selector, &problem->device));
    const ritz_device_info *info = ritz_device_get_info(problem->device);
    RITZ_REQUIRE(info->has_f64 || problem->solver.precision != RITZ_F64, RITZ_ERROR_DEVICE,
                 "the device %s has no double precision; choose  solver: {precision: single}  or another device",
                 info->name);
    ritz_stage_line(problem, "device     %s", info->name);
done:
    return status;
}

/* ---- Mesh ---- */

static ritz_status check_dimension(const ritz_drive *drive)
{
    const ritz_physics *physics = drive->problem->physics;
    const int dim = drive->mesh->dim;
    if (physics->dim == 0 || physics->dim == dim)
        return RITZ_OK;
    return ritz_fail_at(RITZ_ERROR_INPUT, &drive->problem->physics_place,
                        "%s needs a mesh of dimension %d, and this one has dimension %d; %s", physics->name,
                        physics->dim, dim, physics->otherwise);
}

/* Fewer points than these leave motions of an element that cost no energy (hourglass modes). Gradients of straight
   simplices need degree 2p - 2, values and products of lines 2p. */
static ritz_status check_degree(const ritz_drive *drive)
{
    const ritz_problem *problem = drive->problem;
    const int order = problem->order;
    bool values = false;
    for (int t = 0; t < drive->form->n_terms; t++)
        values = values || drive->form->terms[t].iD == 0 || drive->form->terms[t].jD == 0;
    for (int b = 0; problem->degree && b < drive->mesh->n_blocks; b++) {
        const ritz_cell cell = drive->mesh->blocks[b].cell;
        const bool gradients = (cell == RITZ_TRI || cell == RITZ_TET) && !values;
        const bool reduced = problem->serendipity && cell != RITZ_TRI && cell != RITZ_TET; /* as C3D20R */
        const int least = reduced ? 2 : !gradients ? 2 * order : order == 1 ? 1 : 2 * order - 2;
        if (problem->degree < least)
            return ritz_fail_at(RITZ_ERROR_INPUT, &problem->degree_place,
                                "a quadrature of degree %d leaves %s cells of order %d motions without energy; take "
                                "degree %d or more",
                                problem->degree, ritz_cell_name(cell), order, least);
    }
    return RITZ_OK;
}

static void describe_mesh(const ritz_drive *drive, double seconds)
{
    char cells[256] = "";
    size_t n = 0;
    for (int b = 0; b < drive->mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &drive->mesh->blocks[b];
        drive->result->n_cells[block->cell] = block->n_cells;
        n += (size_t)snprintf(cells + n, sizeof cells - n, "%s%d %s", b ? ", " : "", block->n_cells,
                              ritz_cell_name(block->cell));
    }
    ritz_stage_line(drive->problem, "mesh       %s; %d nodes (%.2f s)", cells, drive->mesh->n_nodes, seconds);
}

static void warn_of_mesh(const ritz_drive *drive)
{
    if (drive->mesh->warning)
        ritz_stage_line(drive->problem, "warning    %s", drive->mesh->warning);
    const int32_t turned = drive->mesh->n_turned;
    if (turned > 0)
        ritz_stage_line(drive->problem,
                        "warning    %d element%s of the mesh run%s clockwise (or left-handed) and %s turned; if that "
                        "is not intended, mesh the part again",
                        turned, turned == 1 ? "" : "s", turned == 1 ? "s" : "", turned == 1 ? "was" : "were");
}

static ritz_status read_mesh(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    char *path = NULL;
    const double start = ritz_seconds();
    if (problem->mesh_path)
        RITZ_TRY(ritz_problem_path(problem, problem->mesh_path, &path));
    const int geometry_order = problem->geometry_order ? problem->geometry_order : problem->order < 2 ? 1 : 2;
    if (problem->mesh_source == RITZ_MESH_BOX)
        status = ritz_mesh_box(&problem->box, &drive->mesh);
    else if (problem->mesh_source == RITZ_MESH_GEOMETRY)
        status = ritz_mesh_generate(path,
                                    &(ritz_geometry_options){.size = problem->size,
                                                             .order = geometry_order,
                                                             .glue = problem->glue,
                                                             .trust = problem->trust_geometry},
                                    &drive->mesh);
    else
        status = ritz_mesh_read(path, &drive->mesh);
    if (status != RITZ_OK) {
        if (status != RITZ_INTERRUPTED)
            ritz_fail_context_at(status, &problem->mesh_place);
        goto done;
    }
    RITZ_TRY(check_dimension(drive));
    if (problem->form_file)
        drive->form = problem->form_file->form; /* the problem's */
    else
        RITZ_TRY(ritz_form_create(problem->physics->name, drive->mesh->dim, &drive->form));
    RITZ_TRY(check_degree(drive));
    RITZ_TRY(ritz_join_mesh(drive));
    RITZ_TRY(ritz_choose_groups(drive));
    RITZ_TRY(ritz_check_groups(drive));
    RITZ_TRY(ritz_check_prints(drive));
    RITZ_TRY(ritz_check_frd(drive));
    RITZ_TRY(ritz_assign_materials(drive));
    RITZ_TRY(ritz_check_properties(drive));
    RITZ_TRY(ritz_check_self_strain(drive));
    drive->result->seconds.read_mesh = ritz_seconds() - start;
    describe_mesh(drive, drive->result->seconds.read_mesh);
    warn_of_mesh(drive);
    RITZ_TRY(ritz_check_interrupt());
done:
    ritz_free(path);
    return status;
}

/* ---- Space, data, constraints ---- */

static ritz_status make_space(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const double start = ritz_seconds();
    RITZ_TRY(ritz_make_data(drive));
    RITZ_REQUIRE_AT(problem->solver.method != RITZ_CHOOSE_CG || ritz_data_symmetric(drive),
                    &problem->solver.method_place,
                    "cg needs a symmetric form, and this one is not (%s); choose  method: bicgstab  or  auto",
                    problem->physics->unsymmetric);
    RITZ_REQUIRE_AT(problem->solver.matrix != RITZ_MATRIX_HALF || ritz_data_symmetric(drive),
                    &problem->solver.matrix_place,
                    "half storage is for symmetric forms, and this one is not (%s); choose  matrix: whole  or  auto",
                    problem->physics->unsymmetric);
    const int n_components = drive->form->n_components;
    RITZ_TRY(problem->serendipity ? ritz_space_create_serendipity(drive->mesh, n_components, &drive->space)
                                  : ritz_space_create(drive->mesh, problem->order, n_components, &drive->space));
    RITZ_TRY(ritz_check_interrupt());
    RITZ_TRY(ritz_list_films(drive, &drive->films, &drive->n_films));
    RITZ_TRY(ritz_list_springs(drive));
    RITZ_TRY(ritz_list_form_films(drive));
    RITZ_TRY(ritz_make_constraints(drive));
    RITZ_TRY(ritz_warn_of_joints(drive));
    drive->n_prescribed = drive->constraints->n_fixed;
    RITZ_TRY(ritz_keep_supports(drive));
    drive->result->unknowns = ritz_space_n_dofs(drive->space);
    drive->result->seconds.space = ritz_seconds() - start;
    char joined[64] = "";
    if (drive->dependence)
        snprintf(joined, sizeof joined, ", %lld eliminated by equations", (long long)drive->dependence->n_own);
    ritz_stage_line(problem, "space      order %d, %lld unknowns, %lld of them prescribed%s (%.2f s)", problem->order,
                    (long long)drive->result->unknowns, (long long)drive->constraints->n_fixed, joined,
                    drive->result->seconds.space);
    RITZ_TRY(ritz_measure_body(drive));
    ritz_warn(drive);
    RITZ_TRY(ritz_weigh_body(drive));
    RITZ_TRY(ritz_find_probes(drive));
    RITZ_TRY(ritz_choose_faces(drive));
    RITZ_TRY(ritz_check_interrupt());
done:
    return status;
}

/* ---- System ---- */

static ritz_status assemble_system(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    ritz_result *result = drive->result;
    const double start = ritz_seconds();
    RITZ_TRY(ritz_add_surface_loads(drive, &problem->loads, &drive->load));
    RITZ_TRY(ritz_add_self_strain(drive, NULL, false, &drive->load));
    RITZ_TRY(ritz_add_form_loads(drive, &drive->load));
    RITZ_TRY(ritz_make_load_cases(drive));
    const double load_seconds = ritz_seconds() - start;
    const ritz_assembly assembly = {.space = drive->space,
                                    .form = drive->form,
                                    .data = (const ritz_datum *const *)drive->data,
                                    .load = drive->load,
                                    .films = drive->films,
                                    .n_films = drive->n_films,
                                    .springs = drive->springs,
                                    .n_springs = drive->n_springs,
                                    .constraints = drive->constraints,
                                    .applied = drive->joined ? drive->applied : NULL};
    const ritz_assemble_options options = {
        .method = problem->integration_method, .precision = problem->solver.precision, .degree = problem->degree};
    RITZ_TRY(ritz_assemble_system(problem->device, &assembly, &options, &drive->system));
    result->seconds.pattern = drive->system->seconds_pattern;
    result->seconds.integrate = drive->system->seconds_integrate + load_seconds;
    result->seconds.assemble = drive->system->seconds_assemble;
    result->nonzeros = ritz_matrix_nonzeros(drive->system->matrix);
    result->matrix_bytes = ritz_matrix_bytes(drive->system->matrix);
    ritz_stage_line(problem, "system     %lld nonzeros, %.3g MB (pattern %.2f s, integrate %.2f s, assemble %.2f s)",
                    (long long)result->nonzeros, (double)result->matrix_bytes / 1e6, result->seconds.pattern,
                    result->seconds.integrate, result->seconds.assemble);
    ritz_free(drive->load);
    drive->load = NULL;
    RITZ_TRY(ritz_check_interrupt());
done:
    return status;
}

/* ---- Solution ---- */

/* The prescribed values are the start of a problem without load cases; those of a case stand in its vector. */
static ritz_status start_run(ritz_drive *drive, const ritz_load_case_base *base, int r, ritz_buffer *x)
{
    ritz_status status = RITZ_OK;
    if (drive->problem->n_cases)
        return ritz_load_case_start(drive, base, r, drive->system->rhs, x);
    RITZ_TRY(ritz_matrix_write_vector(drive->system->matrix,
                                      drive->dependence ? drive->dependence->offset : drive->constraints->value, x));
    ritz_constraints_destroy(&drive->constraints);
done:
    return status;
}

/* What rounding keeps from the tolerance is as good as it gets in this precision: told, and written. */
static void warn_of_rounding(const ritz_problem *problem, const ritz_load_case_result *run)
{
    const bool single = problem->solver.precision == RITZ_F32;
    if (run->solve.method == RITZ_DIRECT) {
        ritz_stage_line(problem,
                        "warning    %s%s%srounding of the matrix's entries in %s precision alone may change the result "
                        "by a relative %.1g (thin or slender parts, stiffnesses far apart)",
                        run->name ? "load case '" : "", run->name ? run->name : "", run->name ? "': " : "",
                        single ? "single" : "double", run->solve.sensitivity);
        return;
    }
    ritz_stage_line(
        problem,
        "warning    %s%s%srounding in %s precision kept the relative residual at %.2g where %g was requested (thin or "
        "slender parts, stiffnesses far apart); the result is as near as this precision comes%s",
        run->name ? "load case '" : "", run->name ? run->name : "", run->name ? "': " : "",
        single ? "single" : "double", run->solve.relative_residual,
        problem->solver.tolerance > 0 ? problem->solver.tolerance : RITZ_TOLERANCE_DEFAULT,
        single ? "; precision double comes nearer" : "");
}

/* Solves a load case, or the problem that has none. A case that does not converge loses its vector and keeps the
   message; the others go on. */
static ritz_status solve_run(ritz_drive *drive, int r, ritz_buffer *x)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    ritz_load_case_result *run = &problem->case_results[r];
    RITZ_TRY(ritz_sum_loads(drive, &run->balance));
    const int64_t before = ritz_device_get_counters(problem->device).bytes_from_device;
    status = ritz_solver_solve_device(drive->solver, drive->system->rhs, x, &run->solve);
    if (status == RITZ_ERROR_NOT_CONVERGED && run->solve.outcome != RITZ_LIMITED_BY_ROUNDING) {
        bool turned = false;
        RITZ_TRY(ritz_turn_solver(drive, &run->solve, &turned));
        status = turned ? ritz_solver_solve_device(drive->solver, drive->system->rhs, x, &run->solve)
                        : RITZ_ERROR_NOT_CONVERGED;
    }
    drive->result->solve_bytes_from_device += ritz_device_get_counters(problem->device).bytes_from_device - before;
    if (status == RITZ_OK && run->solve.method == RITZ_GMRES && drive->problem->solver.method != RITZ_CHOOSE_GMRES)
        ritz_stage_line(problem, "warning    bicgstab found no solution, gmres did; " RITZ_LAYER_ADVICE);
    if (status == RITZ_ERROR_NOT_CONVERGED && run->solve.outcome == RITZ_LIMITED_BY_ROUNDING) {
        warn_of_rounding(problem, run);
        status = RITZ_OK;
    }
    if (status == RITZ_ERROR_NOT_CONVERGED && problem->n_cases) {
        RITZ_TRY(ritz_copy_text(ritz_message(), &run->failure));
        ritz_free(drive->vector[r]);
        drive->vector[r] = NULL;
        return RITZ_OK;
    }
    if (status != RITZ_OK && status != RITZ_INTERRUPTED && problem->n_cases)
        ritz_fail_context(status, "load case '%s': ", run->name);
    RITZ_TRY(status);
    if (!drive->vector[r])
        RITZ_NEW(drive->vector[r], ritz_space_n_dofs(drive->space));
    RITZ_TRY(ritz_matrix_read_vector(drive->system->matrix, x, drive->vector[r]));
    ritz_dependence_recover(drive->dependence, drive->vector[r]);
done:
    return status;
}

/* What was done, as the stage's line has it. */
static void describe_work(const ritz_solve_report *solve, char *text, size_t size)
{
    if (solve->method == RITZ_DIRECT)
        snprintf(text, size, "%s, %.3g nonzeros in the factors, %d refinement%s",
                 ritz_factorisation_name(solve->direct.factorisation), (double)solve->direct.factor_nonzeros,
                 solve->iterations, solve->iterations == 1 ? "" : "s");
    else if (solve->degree > 0)
        snprintf(text, size, "%s %d, %d iterations", ritz_preconditioner_name(solve->preconditioner), solve->degree,
                 solve->iterations);
    else
        snprintf(text, size, "%s, %d iterations", ritz_preconditioner_name(solve->preconditioner), solve->iterations);
}

static void tell_run(const ritz_drive *drive, const ritz_load_case_result *run)
{
    char work[160];
    describe_work(&run->solve, work, sizeof work);
    ritz_stage_line(drive->problem, "solve      %s%s%s, %s, relative residual %.2e%s (%.2f s)",
                    run->name ? run->name : "", run->name ? ": " : "", ritz_solve_method_name(run->solve.method), work,
                    run->solve.relative_residual,
                    run->failure                                     ? ", NOT CONVERGED"
                    : run->solve.outcome == RITZ_LIMITED_BY_ROUNDING ? ", limited by rounding"
                                                                     : "",
                    run->seconds);
}

/* The report of all runs together. A right-hand side of zeros leaves what the runs share unsaid, so another one is
   asked for it. */
static void gather_reports(const ritz_drive *drive)
{
    const ritz_load_case_result *runs = drive->problem->case_results;
    ritz_solve_report *all = &drive->result->solve;
    int said = drive->n_runs - 1;
    while (said > 0 && runs[said].solve.iteration_bytes == 0)
        said--;
    *all = runs[said].solve;
    for (int r = 0; r < drive->n_runs; r++) {
        const ritz_solve_report *one = &runs[r].solve;
        if (r == said)
            continue;
        const int64_t bytes = all->iteration_bytes * all->iterations +
                              one->iteration_bytes * one->iterations; /* of products and vectors */
        all->iterations += one->iterations;
        all->double_iterations += one->double_iterations;
        all->iteration_bytes = all->iterations > 0 ? bytes / all->iterations : all->iteration_bytes;
        all->converged = all->converged && one->converged;
        all->outcome = all->outcome > one->outcome ? all->outcome : one->outcome; /* the worst */
        all->relative_residual = fmax(all->relative_residual, one->relative_residual);
        all->true_relative_residual = fmax(all->true_relative_residual, one->true_relative_residual);
    }
    drive->result->preconditioner = all->preconditioner;
    drive->result->choice = drive->problem->choice;
    if (drive->problem->n_cases)
        all->history_count = all->history_stride = 0;
}

static ritz_status solve_runs(ritz_drive *drive, ritz_buffer *x)
{
    ritz_status status = RITZ_OK;
    ritz_load_case_base base = {0};
    char prefix[80];
    if (drive->problem->n_cases)
        RITZ_TRY(ritz_load_case_base_read(drive, &base));
    for (int r = 0; r < drive->n_runs; r++) {
        ritz_load_case_result *run = &drive->problem->case_results[r];
        const double start = ritz_seconds();
        if (run->name) {
            snprintf(prefix, sizeof prefix, "%s: ", run->name);
            ritz_progress_prefix(prefix);
            ritz_log("solve: load case %s", run->name);
            RITZ_TRY(start_run(drive, &base, r, x));
        }
        RITZ_TRY(solve_run(drive, r, x));
        run->seconds = ritz_seconds() - start;
        if (run->name) {
            tell_run(drive, run);
            ritz_warn_of_zeros(drive, r);
        }
        RITZ_TRY(ritz_check_interrupt());
    }
done:
    gather_reports(drive);
    ritz_progress_prefix(NULL);
    ritz_load_case_base_free(&base);
    return status;
}

/* A line per level. */
static void tell_levels(const ritz_drive *drive, const ritz_solve_report *report)
{
    for (int l = 0; l < report->n_levels; l++) {
        const ritz_solve_level *level = &report->levels[l];
        char aggregates[48] = "solved directly";
        if (level->n_aggregates > 0)
            snprintf(aggregates, sizeof aggregates, "%.1f nodes per aggregate",
                     (double)level->n_nodes / level->n_aggregates);
        else if (l + 1 < report->n_levels)
            aggregates[0] = 0;
        ritz_stage_line(drive->problem, "level %-4d %lld rows, %lld nonzeros, %s", l, (long long)level->n_rows,
                        (long long)level->n_nonzeros, aggregates);
    }
    if (report->n_levels > 0)
        ritz_stage_line(drive->problem, "multigrid  operator complexity %.2f, set-up %.2f s",
                        report->operator_complexity, report->setup_seconds);
}

static ritz_status solve_system(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    ritz_problem *problem = drive->problem;
    ritz_result *result = drive->result;
    const ritz_matrix *matrix;
    ritz_buffer *x = NULL;
    double *motions = NULL;
    const double start = ritz_seconds();
    drive->options = ritz_solver_options(&problem->solver, ritz_data_symmetric(drive));
    RITZ_TRY(ritz_make_near_nullspace(drive, &motions, &drive->options));
    RITZ_TRY(ritz_choose_solver(drive));
    if (!drive->solver)
        RITZ_TRY(ritz_solve_store(&drive->system->matrix, &drive->options));
    matrix = drive->system->matrix;
    RITZ_TRY(ritz_buffer_create(problem->device, ritz_matrix_n_rows(matrix) * ritz_real_bytes(matrix->precision),
                                "the solution", &x));
    if (!problem->n_cases) /* before the solver needs memory for itself */
        RITZ_TRY(start_run(drive, NULL, 0, x));
    const int64_t before = ritz_device_get_counters(problem->device).bytes_from_device;
    if (!drive->solver)
        RITZ_TRY(ritz_solver_create(matrix, &drive->options, &drive->solver));
    result->solve_bytes_from_device = ritz_device_get_counters(problem->device).bytes_from_device - before;
    status = solve_runs(drive, x);
    result->seconds.solve = ritz_seconds() - start;
    RITZ_TRY(status);
    tell_levels(drive, &result->solve);
    if (!problem->n_cases) {
        problem->case_results[0].seconds = result->seconds.solve;
        tell_run(drive, &problem->case_results[0]);
        ritz_warn_of_zeros(drive, 0);
    }
done:
    ritz_tell_free_motion(drive, status);
    ritz_free(motions);
    ritz_solver_destroy(&drive->solver);
    ritz_buffer_destroy(&x);
    ritz_constraints_destroy(&drive->constraints);
    ritz_system_destroy(&drive->system);
    return status;
}

/* ---- Result ---- */

static ritz_status make_result(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const double start = ritz_seconds();
    RITZ_TRY(ritz_make_result(drive));
    drive->result->seconds.output = ritz_seconds() - start;
    ritz_stage_line(drive->problem, "output     %s (%.2f s)",
                    drive->result->output         ? drive->result->output
                    : drive->problem->output_path ? "none, because no load case converged"
                                                  : "none wanted",
                    drive->result->seconds.output);
done:
    return status;
}

/* The load cases that did not converge, once the others are written. */
static ritz_status tell_failures(const ritz_drive *drive)
{
    const ritz_load_case_result *runs = drive->problem->case_results, *first = NULL;
    ritz_status status = RITZ_OK;
    ritz_text names = {0};
    int n = 0;
    if (!drive->problem->n_cases && runs[0].failure) /* of Newton's method */
        return ritz_fail(RITZ_ERROR_NOT_CONVERGED, "%s", runs[0].failure);
    for (int r = 0; r < drive->n_runs; r++) {
        if (!runs[r].failure)
            continue;
        first = first ? first : &runs[r];
        ritz_text_add(&names, "%s%s", n++ ? ", " : "", runs[r].name);
    }
    if (first)
        status =
            ritz_fail(RITZ_ERROR_NOT_CONVERGED, "%d of %d load cases did not converge (%s)%s; %s: %s", n, drive->n_runs,
                      names.data ? names.data : "", drive->result->output ? "; the others are in the result file" : "",
                      first->name, first->failure);
    ritz_text_free(&names);
    return status;
}

/* ---- The whole ---- */

static void free_drive(ritz_drive *drive)
{
    ritz_earlier_forget(&drive->earlier);
    ritz_free_data(drive);
    for (int b = 0; drive->material && b < drive->mesh->n_blocks; b++)
        ritz_free(drive->material[b]);
    ritz_free(drive->material);
    ritz_free(drive->load);
    ritz_free(drive->films);
    ritz_free_springs(drive);
    ritz_free_form_terms(drive);
    for (int r = 0; drive->vector && r < drive->n_runs; r++)
        ritz_free(drive->vector[r]);
    ritz_free(drive->vector);
    ritz_free(drive->held);
    ritz_free(drive->joined);
    ritz_free(drive->directions.list);
    ritz_constraints_destroy(&drive->constraints);
    ritz_dependence_destroy(&drive->dependence);
    ritz_system_destroy(&drive->system);
    if (!drive->problem->form_file)
        ritz_form_destroy(&drive->form);
    ritz_space_destroy(&drive->space);
    ritz_mesh_destroy(&drive->mesh);
}

static ritz_load_case_result empty_result(const char *name)
{
    return (ritz_load_case_result){
        .name = name, .smallest_value = NAN, .largest_value = NAN, .error_l2 = NAN, .error_h1 = NAN};
}

/* Room for the load cases, and for their results. */
static ritz_status make_runs(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    ritz_problem *problem = drive->problem;
    drive->n_runs = problem->n_cases > 0 ? problem->n_cases : 1;
    RITZ_NEW(drive->vector, drive->n_runs);
    RITZ_NEW(problem->case_results, drive->n_runs);
    for (int r = 0; r < drive->n_runs; r++)
        problem->case_results[r] = empty_result(problem->n_cases ? problem->cases[r].name : NULL);
    drive->result->n_cases = problem->n_cases;
    drive->result->cases = problem->n_cases ? problem->case_results : NULL;
done:
    return status;
}

static ritz_status run_stages(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(make_runs(drive));
    for (int i = 0; i < drive->problem->deck.n_notes; i++)
        ritz_stage_line(drive->problem, "warning    %s", drive->problem->deck.notes[i]);
    RITZ_TRY(ritz_choose_output(drive->problem, &drive->problem->output_path));
    if (drive->problem->output_path)
        RITZ_TRY(ritz_earlier_watch(drive->problem->output_path, &drive->earlier));
    RITZ_TRY(open_device(drive->problem));
    RITZ_TRY(ritz_check_interrupt());
    RITZ_TRY(read_mesh(drive));
    RITZ_TRY(make_space(drive));
    if (!ritz_problem_is_nonlinear(drive->problem))
        RITZ_TRY(assemble_system(drive));
    RITZ_TRY(ritz_problem_is_nonlinear(drive->problem) ? ritz_solve_newton(drive) : solve_system(drive));
    RITZ_TRY(make_result(drive));
    RITZ_TRY(tell_failures(drive));
done:
    return status;
}

ritz_status ritz_problem_solve(ritz_problem *problem, ritz_result *result)
{
    if (!problem || !result)
        return ritz_fail(RITZ_ERROR_INPUT, "ritz_problem_solve: '%s' is NULL; it must be given",
                         problem ? "result" : "problem");
    ritz_drive drive = {.problem = problem, .result = result};
    ritz_device_counters before = {0};
    const double start = ritz_seconds();
    *result = (ritz_result){.smallest_value = NAN, .largest_value = NAN, .error_l2 = NAN, .error_h1 = NAN};
    ritz_problem_forget(problem);
    if (problem->device)
        before = ritz_device_get_counters(problem->device);
    const ritz_status status = run_stages(&drive);
    if (status != RITZ_OK && !result->output)
        ritz_earlier_put_aside(&drive.earlier, &problem->earlier_output);
    ritz_end_probes(&drive, status != RITZ_OK);
    ritz_end_faces(&drive, status != RITZ_OK);
    result->earlier_output = problem->earlier_output;
    free_drive(&drive);
    if (problem->device) {
        const ritz_device_counters after = ritz_device_get_counters(problem->device);
        result->bytes_to_device = after.bytes_to_device - before.bytes_to_device;
        result->bytes_from_device = after.bytes_from_device - before.bytes_from_device;
        result->peak_device_bytes = after.peak_bytes;
    }
    result->peak_host_bytes = ritz_peak_host_bytes();
    result->seconds.total = ritz_seconds() - start;
    if (status == RITZ_INTERRUPTED)
        ritz_clear_interrupt(); /* it asked this call to stop, and this call has */
    return status;
}
