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
    bool values = false, steady = problem->n_materials > 0; /* its elements have no such motions by any rule */
    for (int t = 0; t < drive->form->n_terms; t++)
        values = values || drive->form->terms[t].iD == 0 || drive->form->terms[t].jD == 0;
    for (int m = 0; m < problem->n_materials; m++)
        steady = steady && ritz_is_reduced(problem->materials[m].formulation);
    for (int b = 0; problem->degree && !steady && b < drive->mesh->n_blocks; b++) {
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
    ritz_stage_line(drive->problem, "mesh       %s; %d nodes (%s%.2f s)", cells, drive->mesh->n_nodes,
                    drive->mesh->was_kept ? "kept from an earlier run, " : "", seconds);
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
        if (status != RITZ_INTERRUPTED && !problem->deck.text) /* a deck's name is in the message */
            ritz_fail_context_at(status, &problem->mesh_place);
        goto done;
    }
    RITZ_TRY(check_dimension(drive));
    if (problem->form_file)
        drive->form = problem->form_file->form; /* the problem's */
    else
        RITZ_TRY(ritz_physics_is_nonlinear(problem)
                     ? ritz_physics_newton(problem->physics, drive->mesh->dim, &drive->form)
                     : ritz_form_create(problem->physics->name, drive->mesh->dim, &drive->form));
    RITZ_TRY(check_degree(drive));
    RITZ_TRY(ritz_join_mesh(drive));
    RITZ_TRY(ritz_choose_groups(drive));
    RITZ_TRY(ritz_check_groups(drive));
    RITZ_TRY(ritz_check_prints(drive));
    RITZ_TRY(ritz_check_frd(drive));
    RITZ_TRY(ritz_assign_materials(drive));
    RITZ_TRY(ritz_check_self_strain(drive));
    RITZ_TRY(ritz_read_nodal_sources(drive));
    RITZ_TRY(ritz_fill_temperatures(drive));
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
    RITZ_TRY(ritz_form_check_space(drive->form, drive->space));
    RITZ_TRY(ritz_check_interrupt());
    RITZ_TRY(ritz_enhance_elements(drive));
    RITZ_TRY(ritz_find_film_scale(drive));
    RITZ_TRY(ritz_list_films(drive, &drive->films, &drive->n_films));
    RITZ_TRY(ritz_list_springs(drive));
    RITZ_TRY(ritz_list_form_surfaces(drive));
    RITZ_TRY(ritz_list_radiation(drive));
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
    RITZ_TRY(ritz_warn(drive));
    RITZ_TRY(ritz_weigh_body(drive));
    RITZ_TRY(ritz_find_probes(drive));
    RITZ_TRY(ritz_check_faces(drive));
    RITZ_TRY(ritz_check_axes(drive));
    RITZ_TRY(ritz_check_interrupt());
done:
    return status;
}

/* ---- System ---- */

/* Without the loads. */
static ritz_assembly describe_assembly(const ritz_drive *drive)
{
    return (ritz_assembly){.space = drive->space,
                           .form = drive->form,
                           .data = (const ritz_datum *const *)drive->data,
                           .films = drive->films,
                           .n_films = drive->n_films,
                           .springs = drive->springs,
                           .n_springs = drive->n_springs,
                           .constraints = drive->constraints};
}

static ritz_status assemble(const ritz_drive *drive, const ritz_assembly *assembly, ritz_system **system)
{
    const ritz_problem *problem = drive->problem;
    const ritz_assemble_options options = {
        .method = problem->integration_method, .precision = problem->solver.precision, .degree = problem->degree};
    return ritz_assemble_system(problem->device, assembly, &options, system);
}

ritz_status ritz_assemble_with(const ritz_drive *drive, const ritz_constraints *constraints, const ritz_spring *springs,
                               int64_t n_springs, ritz_system **system)
{
    ritz_assembly assembly = describe_assembly(drive);
    assembly.constraints = constraints;
    assembly.springs = springs;
    assembly.n_springs = n_springs;
    return assemble(drive, &assembly, system);
}

static ritz_status assemble_system(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    ritz_result *result = drive->result;
    const double start = ritz_seconds();
    RITZ_TRY(ritz_add_surface_loads(drive, &problem->loads, &drive->load));
    RITZ_TRY(ritz_add_self_strain(drive, NULL, false, &drive->load));
    RITZ_TRY(ritz_add_volume_loads(drive, &drive->load));
    RITZ_TRY(ritz_add_form_loads(drive, false, &drive->load));
    RITZ_TRY(ritz_add_form_loads(drive, true, &drive->load));
    RITZ_TRY(ritz_make_load_cases(drive));
    const double load_seconds = ritz_seconds() - start;
    ritz_assembly assembly = describe_assembly(drive);
    assembly.load = drive->load;
    assembly.applied = drive->joined ? drive->applied : NULL;
    RITZ_TRY(assemble(drive, &assembly, &drive->system));
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

/* ---- The whole ---- */

static void free_drive(ritz_drive *drive)
{
    ritz_free_probes(drive);
    ritz_free_data(drive);
    for (int b = 0; drive->material && b < drive->mesh->n_blocks; b++)
        ritz_free(drive->material[b]);
    ritz_free(drive->material);
    ritz_free(drive->load);
    ritz_free(drive->films);
    ritz_free(drive->film_scale);
    ritz_free_springs(drive);
    ritz_free_nodal_values(drive);
    ritz_free_form_terms(drive);
    for (int r = 0; drive->vector && r < drive->n_runs; r++)
        ritz_free(drive->vector[r]);
    ritz_free(drive->vector);
    ritz_free(drive->load_size);
    ritz_free(drive->motion);
    ritz_free(drive->held);
    ritz_free(drive->joined);
    ritz_free(drive->directions.list);
    ritz_constraints_destroy(&drive->constraints);
    ritz_dependence_destroy(&drive->dependence);
    ritz_equations_free(&drive->equations);
    ritz_free(drive->is_inner);
    ritz_system_destroy(&drive->system);
    if (!drive->problem->form_file)
        ritz_form_destroy(&drive->form);
    ritz_free_enhancements(drive);
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
    drive->n_runs = problem->n_cases > 0 ? problem->n_cases + problem->n_combinations : 1;
    RITZ_NEW(drive->vector, drive->n_runs);
    RITZ_NEW(drive->load_size, drive->n_runs);
    RITZ_NEW(problem->case_results, drive->n_runs);
    problem->n_case_results = drive->n_runs;
    for (int r = 0; r < drive->n_runs; r++)
        problem->case_results[r] = empty_result(r < problem->n_cases ? problem->cases[r].name : NULL);
    for (int i = 0; i < problem->n_combinations; i++) {
        ritz_load_case_result *run = &problem->case_results[problem->n_cases + i];
        *run = empty_result(problem->combinations[i].name);
        run->factors = problem->combinations[i].factors;
    }
    drive->result->n_cases = problem->n_cases ? drive->n_runs : 0;
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
    RITZ_TRY(ritz_watch_outputs(drive));
    RITZ_TRY(open_device(drive->problem));
    RITZ_TRY(ritz_check_interrupt());
    RITZ_TRY(read_mesh(drive));
    RITZ_TRY(make_space(drive));
    if (!ritz_problem_is_nonlinear(drive->problem))
        RITZ_TRY(assemble_system(drive));
    RITZ_TRY(ritz_problem_is_nonlinear(drive->problem) ? ritz_solve_newton(drive) : ritz_solve_system(drive));
    RITZ_TRY(make_result(drive));
    RITZ_TRY(ritz_tell_failures(drive));
done:
    return status;
}

/* ritz_problem_solve with a result of the library's own. */
static ritz_status solve_problem(ritz_problem *problem, ritz_result *result)
{
    ritz_drive drive = {.problem = problem, .result = result};
    ritz_device_counters before = {0};
    const double start = ritz_seconds();
    *result = (ritz_result){.smallest_value = NAN, .largest_value = NAN, .error_l2 = NAN, .error_h1 = NAN};
    ritz_problem_forget(problem);
    if (problem->device) {
        ritz_device_restart_peak(problem->device);
        before = *ritz_device_get_counters(problem->device);
    }
    const ritz_status status = run_stages(&drive);
    ritz_end_outputs(&drive, status != RITZ_OK);
    result->earlier_output = problem->earlier_output;
    free_drive(&drive);
    if (problem->device) {
        const ritz_device_counters after = *ritz_device_get_counters(problem->device);
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

ritz_status ritz_problem_solve(ritz_problem *problem, ritz_result *result)
{
    ritz_status status = RITZ_OK;
    ritz_result own;
    RITZ_REQUIRE_POINTER(problem);
    RITZ_REQUIRE_POINTER(result);
    RITZ_TRY(ritz_take_struct(result, &own, sizeof own, "ritz_result"));
    status = solve_problem(problem, &own);
    ritz_give_struct(&own, sizeof own, result);
done:
    return status;
}
