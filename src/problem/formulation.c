/* The elements of materials that ask for more than shape functions: mixed ones, incompatible modes, reduced ones. */
#include "problem/drive.h"

#include <math.h>
#include <string.h>

static ritz_solid find_solid(const ritz_physics *physics)
{
    return physics->axisymmetric   ? RITZ_SOLID_RING
           : physics->dim == 3     ? RITZ_SOLID_SPACE
           : physics->plane_stress ? RITZ_SOLID_PLANE_STRESS
                                   : RITZ_SOLID_PLANE_STRAIN;
}

/* Whether the physics serves the formulations of the materials, checked while the file is read. */
ritz_status ritz_check_formulations(const ritz_problem *problem)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = problem->physics;
    for (int m = 0; m < problem->n_materials; m++) {
        const ritz_material *material = &problem->materials[m];
        if (material->formulation == RITZ_STANDARD)
            continue;
        const char *none = material->formulation == RITZ_MIXED          ? physics->no_mixed
                           : material->formulation == RITZ_INCOMPATIBLE ? physics->no_incompatible
                                                                        : NULL;
        RITZ_REQUIRE_AT(!none, &material->formulation_place, "%s", none);
    }
done:
    return status;
}

/* ---- Data ---- */

ritz_status ritz_replace_in_mixed(const ritz_drive *drive, int m, const char *name, ritz_expression **expression)
{
    ritz_status status = RITZ_OK;
    const ritz_material *material = &drive->problem->materials[m];
    const ritz_physics *physics = drive->problem->physics;
    const char *value[RITZ_MAX_PROPERTIES] = {NULL};
    const int own = ritz_find_property(physics, name);
    char *text = NULL;
    if (material->formulation != RITZ_MIXED || own < 0)
        return RITZ_OK;
    for (int p = 0; p < physics->n_properties; p++)
        if (material->property[p].component[0].expression)
            value[p] = ritz_expression_text(material->property[p].component[0].expression);
    RITZ_TRY(physics->mix(own, value, &text));
    if (!text)
        return RITZ_OK;
    ritz_expression_destroy(expression);
    RITZ_TRY(ritz_datum_expression(drive->form, text, expression));
done:
    ritz_free(text);
    return status;
}

/* Derived constants are called c11 and so on. */
static void find_stiffness(const ritz_drive *drive, int b, int32_t cell, int q, const double x[4],
                           ritz_enhancement_material *material)
{
    const ritz_derivation *derivation = drive->problem->physics->derivation;
    const ritz_enhancement *e = &drive->enhancements[b];
    material->directed = true;
    for (int k = 0; k < derivation->n; k++) {
        const char *name = derivation->names[k];
        const int at = drive->solid_places.derived[k];
        if (at < 0 || name[0] != 'c')
            continue;
        const int i = name[1] - '1', j = name[2] - '1';
        material->c[i][j] = material->c[j][i] = ritz_datum_value(&drive->data[b][at], cell, e->tables->n_points, q, x);
    }
}

/* At each point of each such cell: names are looked up before. */
static void evaluate_material(const void *context, int batch, int32_t cell, int q, const double place[3],
                              ritz_enhancement_material *material)
{
    const ritz_drive *drive = context;
    const double x[4] = {place[0], place[1], place[2], ritz_temperature_at(drive, batch, cell, q)};
    const ritz_solid_places *at = &drive->solid_places;
    const ritz_vector *property = drive->problem->materials[drive->material[batch][cell]].property;
    if (drive->problem->physics->derivation)
        find_stiffness(drive, batch, cell, q, x, material);
    if (property[at->young].n == 1) { /* the same in all directions, although another may not be */
        material->young = ritz_quantity_at(&property[at->young].component[0], x);
        material->poisson = ritz_quantity_at(&property[at->poisson].component[0], x);
    } else
        material->young = material->c[0][0];
    material->measure = 1;
    if (drive->problem->physics->axisymmetric)
        material->measure = 2 * acos(-1) * x[0];
    else if (at->thickness >= 0 && property[at->thickness].component[0].expression)
        material->measure = ritz_quantity_at(&property[at->thickness].component[0], x);
}

/* ---- Elements ---- */

/* Each cell's matrix can be made: Lame's first parameter is not negative there. */
static ritz_status check_cells(const ritz_drive *drive, const ritz_enhancement *e)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh_block *block = &drive->mesh->blocks[e->batch];
    int32_t bad = INT32_MAX;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int32_t c = 0; c < block->n_cells; c++) {
        ritz_enhanced enhanced;
        if (e->kind[c] != RITZ_STANDARD && !ritz_enhance_cell(e, c, false, &enhanced) && c < bad)
            bad = c;
    }
    if (bad < INT32_MAX) {
        const ritz_material *material = &drive->problem->materials[drive->material[e->batch][bad]];
        RITZ_REQUIRE_AT(false, &material->formulation_place,
                        "element %lld: a mixed formulation needs a Poisson's ratio of 0 or more, and all of these "
                        "elements need a positive Jacobian",
                        (long long)block->number[bad]);
    }
done:
    return status;
}

static ritz_status enhance_batch(ritz_drive *drive, int b)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const ritz_mesh_block *block = &drive->mesh->blocks[b];
    uint8_t *kind = NULL;
    int64_t n[RITZ_N_ENHANCEMENTS] = {0};
    static const char *const words[RITZ_N_ENHANCEMENTS] = {[RITZ_MIXED] = "mixed, with a pressure of their own",
                                                           [RITZ_INCOMPATIBLE] = "with incompatible modes",
                                                           [RITZ_REDUCED] = "reduced, with hourglass control",
                                                           [RITZ_REDUCED_CALCULIX] =
                                                               "reduced, with CalculiX's hourglass control"};
    RITZ_NEW(kind, block->n_cells);
    ritz_enhancement *e = &drive->enhancements[b];
    *e = (ritz_enhancement){.space = drive->space,
                            .batch = b,
                            .solid = find_solid(problem->physics),
                            .kind = kind,
                            .data = evaluate_material,
                            .context = drive};
    for (int32_t c = 0; c < block->n_cells; c++)
        n[kind[c] = (uint8_t)problem->materials[drive->material[b][c]].formulation]++;
    if ((status = ritz_enhancement_prepare(e, ritz_quadrature_degree(problem->degree, problem->order))) != RITZ_OK) {
        for (int m = 0; m < problem->n_materials; m++)
            if (problem->materials[m].formulation != RITZ_STANDARD)
                return ritz_fail_context_at(status, &problem->materials[m].formulation_place);
        return status;
    }
    drive->space->batches[b].enhancement = e;
    RITZ_TRY(check_cells(drive, e));
    for (int k = 0; k < RITZ_N_ENHANCEMENTS; k++)
        if (n[k] > 0 && words[k])
            ritz_stage_line(problem, "elements   %s: %lld %s", words[k], (long long)n[k], ritz_cell_name(block->cell));
done:
    return status;
}

ritz_status ritz_enhance_elements(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    bool any = false;
    for (int m = 0; m < drive->problem->n_materials; m++)
        any = any || drive->problem->materials[m].formulation != RITZ_STANDARD;
    if (!any)
        return RITZ_OK;
    drive->solid_places =
        (ritz_solid_places){.young = ritz_find_role(physics, RITZ_ROLE_MODULUS),
                            .poisson = ritz_find_role(physics, RITZ_ROLE_CONTRACTION),
                            .thickness = physics->thickness ? ritz_find_property(physics, physics->thickness) : -1};
    for (int k = 0; physics->derivation && k < physics->derivation->n; k++)
        drive->solid_places.derived[k] = ritz_form_find_data(drive->form, physics->derivation->names[k]);
    RITZ_NEW(drive->enhancements, drive->space->n_batches);
    for (int b = 0; b < drive->space->n_batches; b++)
        RITZ_TRY(enhance_batch(drive, b));
done:
    return status;
}

/* ---- Loads per volume ---- */

static bool acts_on_volume(const ritz_drive *drive, int b)
{
    static const char *const names[] = {"force_x", "force_y", "force_z"};
    for (int d = 0; d < drive->mesh->dim; d++) {
        const ritz_datum *force = &drive->data[b][ritz_form_find_data(drive->form, names[d])];
        if (force->kind != RITZ_DATA_CONSTANT || force->value != 0)
            return true;
    }
    return false;
}

/* Whether its load is not that of the form. */
static bool has_own_load(const void *context, int32_t cell)
{
    const ritz_enhancement *e = context;
    return e->kind[cell] == RITZ_REDUCED_CALCULIX || (e->kind[cell] == RITZ_REDUCED && e->tables->n_points == 1);
}

/* Adds factor times the loads of those cells, as their elements have them, or as the form has. */
static ritz_status add_reduced_loads(const ritz_drive *drive, int b, bool as_elements, double factor, double *load)
{
    ritz_space_batch batch = drive->space->batches[b];
    ritz_integral integral = ritz_batch_integral(drive, b, drive->data[b]);
    if (!as_elements)
        batch.enhancement = NULL;
    integral.batch = &batch;
    return ritz_add_chosen_vectors(&integral, NULL, has_own_load, &drive->enhancements[b], factor, load);
}

/* The device integrates those of the form. */
ritz_status ritz_add_volume_loads(const ritz_drive *drive, double **load)
{
    ritz_status status = RITZ_OK;
    for (int b = 0; drive->enhancements && b < drive->space->n_batches; b++) {
        if (!acts_on_volume(drive, b))
            continue;
        if (!*load)
            RITZ_NEW(*load, ritz_space_n_dofs(drive->space));
        RITZ_TRY(add_reduced_loads(drive, b, true, 1, *load));
        RITZ_TRY(add_reduced_loads(drive, b, false, -1, *load));
    }
done:
    return status;
}

void ritz_free_enhancements(ritz_drive *drive)
{
    for (int b = 0; drive->enhancements && b < drive->space->n_batches; b++) {
        drive->space->batches[b].enhancement = NULL;
        ritz_free((uint8_t *)drive->enhancements[b].kind);
        ritz_enhancement_free(&drive->enhancements[b]);
    }
    ritz_free(drive->enhancements);
    drive->enhancements = NULL;
}
