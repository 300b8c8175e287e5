/* From mesh to result file, stage by stage. What a stage no longer needs is freed before the next one: on a CPU
   device the matrix lies in the same memory. */
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
    const int32_t turned = drive->mesh->n_turned;
    if (turned > 0)
        ritz_stage_line(
            drive->problem,
            "warning    %d element%s of the mesh run%s clockwise (or left-handed) and %s turned; if that is "
            "not meant, mesh the part again",
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
        status = ritz_mesh_generate(path, problem->size, geometry_order, &drive->mesh);
    else
        status = ritz_mesh_read(path, &drive->mesh);
    if (status != RITZ_OK) {
        if (status != RITZ_INTERRUPTED)
            ritz_fail_context_at(status, &problem->mesh_place);
        goto done;
    }
    RITZ_TRY(check_dimension(drive));
    RITZ_TRY(ritz_check_groups(drive));
    RITZ_TRY(ritz_assign_materials(drive));
    RITZ_TRY(ritz_check_properties(drive));
    drive->result->seconds.read_mesh = ritz_seconds() - start;
    describe_mesh(drive, drive->result->seconds.read_mesh);
    warn_of_mesh(drive);
    RITZ_TRY(ritz_check_interrupt());
done:
    ritz_free(path);
    return status;
}

/* ---- Space, data, constraints ---- */

/* A box has no such vertices; a file or a geometry of several volumes may. */
static ritz_status warn_of_gaps(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    int64_t n = 0;
    int32_t first = -1;
    if (drive->problem->mesh_source == RITZ_MESH_BOX)
        return RITZ_OK;
    RITZ_TRY(ritz_find_hanging(drive->mesh, &n, &first));
    if (n > 0) {
        const double *x = &drive->mesh->nodes[3 * (int64_t)first];
        ritz_stage_line(drive->problem,
                        "warning    %lld vert%s inside faces or edges of other cells, one at (%g, %g, %g): the cells "
                        "are not joined there and the solution has a gap; make the mesh conforming",
                        (long long)n, n == 1 ? "ex lies" : "ices lie", x[0], x[1], x[2]);
    }
done:
    return status;
}

static ritz_status make_space(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const double start = ritz_seconds();
    RITZ_TRY(ritz_form_create(problem->physics->name, drive->mesh->dim, &drive->form));
    RITZ_TRY(ritz_make_data(drive));
    RITZ_REQUIRE_AT(problem->solver.method != RITZ_CHOOSE_CG || ritz_data_symmetric(drive),
                    &problem->solver.method_place,
                    "cg needs a symmetric form, and this one is not (a velocity, or c01 beside c10); choose  method: "
                    "bicgstab  or  auto");
    RITZ_TRY(ritz_space_create(drive->mesh, problem->order, drive->form->n_components, &drive->space));
    RITZ_TRY(ritz_check_interrupt());
    RITZ_TRY(ritz_make_constraints(drive));
    RITZ_TRY(warn_of_gaps(drive));
    drive->result->unknowns = ritz_space_n_dofs(drive->space);
    drive->result->seconds.space = ritz_seconds() - start;
    ritz_stage_line(problem, "space      order %d, %lld unknowns, %lld of them prescribed (%.2f s)", problem->order,
                    (long long)drive->result->unknowns, (long long)drive->constraints->n_fixed,
                    drive->result->seconds.space);
    RITZ_TRY(ritz_check_interrupt());
done:
    return status;
}

/* ---- System ---- */

static ritz_status assemble(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    ritz_result *result = drive->result;
    const double start = ritz_seconds();
    RITZ_TRY(ritz_make_load(drive));
    const double load_seconds = ritz_seconds() - start;
    const ritz_assembly assembly = {.space = drive->space,
                                    .form = drive->form,
                                    .data = (const ritz_datum *const *)drive->data,
                                    .load = drive->load,
                                    .constraints = drive->constraints};
    const ritz_assemble_options options = {.method = problem->integration_method,
                                           .precision = problem->solver.precision};
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

/* Reals of the device's precision from doubles, or back: `to_device` says which way. */
static void convert(double *values, float *singles, int64_t n, bool to_device)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        if (to_device)
            singles[i] = (float)values[i];
        else
            values[i] = singles[i];
}

/* The start of the iteration: prescribed values where there are some, zero elsewhere. */
static ritz_status make_start(const ritz_drive *drive, ritz_buffer **x)
{
    ritz_status status = RITZ_OK;
    const ritz_precision precision = drive->problem->solver.precision;
    const int64_t n = ritz_space_n_dofs(drive->space), bytes = n * ritz_real_bytes(precision);
    float *singles = NULL;
    if (precision == RITZ_F32) {
        RITZ_NEW(singles, n);
        convert(drive->constraints->value, singles, n, true);
    }
    RITZ_TRY(ritz_buffer_create_from(drive->problem->device, singles ? (void *)singles : drive->constraints->value,
                                     bytes, "the solution", x));
done:
    ritz_free(singles);
    return status;
}

static ritz_status read_solution(ritz_drive *drive, const ritz_buffer *x)
{
    ritz_status status = RITZ_OK;
    const ritz_precision precision = drive->problem->solver.precision;
    const int64_t n = ritz_space_n_dofs(drive->space), bytes = n * ritz_real_bytes(precision);
    float *singles = NULL;
    RITZ_NEW(drive->solution, n);
    if (precision == RITZ_F32)
        RITZ_NEW(singles, n);
    RITZ_TRY(ritz_buffer_read(x, 0, singles ? (void *)singles : drive->solution, bytes));
    if (singles)
        convert(drive->solution, singles, n, false);
done:
    ritz_free(singles);
    return status;
}

static ritz_solve_options solve_options(const ritz_drive *drive)
{
    const ritz_solver_settings *solver = &drive->problem->solver;
    const bool cg =
        solver->method == RITZ_CHOOSE_CG || (solver->method == RITZ_CHOOSE_METHOD && ritz_data_symmetric(drive));
    return (ritz_solve_options){.method = cg ? RITZ_CG : RITZ_BICGSTAB,
                                .preconditioner = solver->preconditioner,
                                .degree = solver->degree,
                                .storage = solver->storage,
                                .tolerance = solver->tolerance,
                                .max_iterations = solver->max_iterations};
}

static ritz_status solve(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    ritz_problem *problem = drive->problem;
    ritz_result *result = drive->result;
    ritz_buffer *x = NULL;
    const double start = ritz_seconds();
    const ritz_solve_options options = solve_options(drive);
    RITZ_TRY(make_start(drive, &x));
    ritz_constraints_destroy(&drive->constraints);
    ritz_free_data(drive);
    const int64_t before = ritz_device_get_counters(problem->device).bytes_from_device;
    status = ritz_solve_device(drive->system->matrix, &options, drive->system->rhs, x, &result->solve);
    result->solve_bytes_from_device = ritz_device_get_counters(problem->device).bytes_from_device - before;
    result->preconditioner = options.preconditioner;
    if (status == RITZ_OK)
        status = read_solution(drive, x);
    result->seconds.solve = ritz_seconds() - start;
    RITZ_TRY(status);
    ritz_stage_line(problem, "solve      %s, %d iterations, relative residual %.2e (%.2f s)",
                    options.method == RITZ_CG ? "cg" : "bicgstab", result->solve.iterations,
                    result->solve.relative_residual, result->seconds.solve);
    RITZ_TRY(ritz_check_interrupt());
done:
    ritz_buffer_destroy(&x);
    ritz_system_destroy(&drive->system);
    return status;
}

static ritz_status make_result(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const double start = ritz_seconds();
    RITZ_TRY(ritz_make_result(drive));
    drive->result->seconds.output = ritz_seconds() - start;
    ritz_stage_line(drive->problem, "output     %s (%.2f s)",
                    drive->result->output ? drive->result->output : "none wanted", drive->result->seconds.output);
done:
    return status;
}

/* ---- The whole ---- */

static void free_drive(ritz_drive *drive)
{
    ritz_free_data(drive);
    for (int b = 0; drive->material && b < drive->mesh->n_blocks; b++)
        ritz_free(drive->material[b]);
    ritz_free(drive->material);
    ritz_free(drive->load);
    ritz_free(drive->solution);
    ritz_constraints_destroy(&drive->constraints);
    ritz_system_destroy(&drive->system);
    ritz_form_destroy(&drive->form);
    ritz_space_destroy(&drive->space);
    ritz_mesh_destroy(&drive->mesh);
}

static ritz_status run_stages(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_choose_output(drive->problem, &drive->problem->output_path));
    RITZ_TRY(open_device(drive->problem));
    RITZ_TRY(ritz_check_interrupt());
    RITZ_TRY(read_mesh(drive));
    RITZ_TRY(make_space(drive));
    RITZ_TRY(assemble(drive));
    RITZ_TRY(solve(drive));
    RITZ_TRY(make_result(drive));
done:
    return status;
}

ritz_status ritz_problem_solve(ritz_problem *problem, ritz_result *result)
{
    ritz_drive drive = {.problem = problem, .result = result};
    ritz_device_counters before = {0};
    const double start = ritz_seconds();
    *result = (ritz_result){.largest_displacement = NAN,
                            .largest_von_mises = NAN,
                            .smallest_value = NAN,
                            .largest_value = NAN,
                            .error_l2 = NAN,
                            .error_h1 = NAN};
    ritz_free(problem->output_path);
    problem->output_path = NULL;
    if (problem->device)
        before = ritz_device_get_counters(problem->device);
    const ritz_status status = run_stages(&drive);
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
