/* Thermal strain and initial stress: the loads that hold them, and the data by which stresses are recovered without them.

   A body that is warmer than its reference temperature would strain by expansion (T - T_ref) without stress. With this
   strain e and an initial stress s, Hooke's law is C (strain(u) - e) + s, and the weak form has the load
   strain(v) : (C e - s). It is integrated on host threads: a vector is cheap beside the matrix, whose kernels stay as
   they are. */
#include "problem/drive.h"

#include <math.h>
#include <string.h>

static const ritz_vector *property_of(const ritz_drive *drive, const ritz_material *material, ritz_role role)
{
    return ritz_property_of(drive->problem->physics, material, role);
}

static void drop_property(const ritz_drive *drive, ritz_material *material, ritz_role role)
{
    const int p = ritz_find_role(drive->problem->physics, role);
    if (p >= 0)
        material->property[p] = (ritz_vector){0};
}

/* The loads that count, and where the temperature stands in them. */
static ritz_loads choose_loads(const ritz_drive *drive, const ritz_load_case *load_case,
                               const ritz_vector **temperature)
{
    const ritz_problem *problem = drive->problem;
    ritz_loads loads = load_case ? load_case->loads : problem->loads;
    for (int k = 0; k < problem->physics->n_body_loads; k++)
        if (problem->physics->body_loads[k].no_load && !loads.body[k].n)
            loads.body[k] = problem->loads.body[k];
    *temperature =
        ritz_body_load_of(problem->physics, load_case ? &load_case->loads : &problem->loads, RITZ_ROLE_TEMPERATURE);
    return loads;
}

/* The material with what acts by these loads alone: a case has neither temperatures of materials nor initial stress,
   and without a temperature nothing expands. *acts: something is left. */
static ritz_material choose_material(const ritz_drive *drive, int m, const ritz_load_case *load_case, bool temperature,
                                     bool *acts)
{
    ritz_material material = drive->problem->materials[m]; /* what it points to is borrowed */
    if (load_case) {
        drop_property(drive, &material, RITZ_ROLE_TEMPERATURE);
        drop_property(drive, &material, RITZ_ROLE_INITIAL);
    }
    if (!temperature && !property_of(drive, &material, RITZ_ROLE_TEMPERATURE)->n)
        drop_property(drive, &material, RITZ_ROLE_EXPANSION);
    *acts =
        property_of(drive, &material, RITZ_ROLE_EXPANSION)->n || property_of(drive, &material, RITZ_ROLE_INITIAL)->n;
    return material;
}

/* Datum d on all blocks, from its expressions. */
static ritz_status set_datum(const ritz_drive *drive, ritz_self_strain *strain, int d)
{
    ritz_status status = RITZ_OK;
    const int n = drive->problem->n_materials;
    const ritz_expression *const *of = (const ritz_expression *const *)&strain->expressions[d * n];
    double first = 0, other = 0;
    bool constant = ritz_expression_is_constant(of[0], &first);
    for (int m = 1; m < n && constant; m++)
        constant = ritz_expression_is_constant(of[m], &other) && other == first;
    for (int b = 0; b < strain->n_blocks; b++) {
        strain->data[b][d] = constant ? (ritz_datum){.kind = RITZ_DATA_CONSTANT, .value = first}
                                      : (ritz_datum){.kind = RITZ_DATA_EXPRESSION,
                                                     .expressions = of,
                                                     .n_expressions = n,
                                                     .selector = n > 1 ? drive->material[b] : NULL};
        RITZ_TRY(ritz_put_temperature(drive, of, b, strain->arrays, &strain->n_arrays, &strain->data[b][d]));
    }
done:
    return status;
}

/* The datum of a load on the body where that is given at nodes, for some material at least. */
static ritz_status set_nodal(const ritz_drive *drive, const ritz_loads *loads, const ritz_material *materials, int k,
                             ritz_self_strain *strain)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const ritz_body_load *load = &problem->physics->body_loads[k];
    const int property = ritz_find_property(problem->physics, load->property);
    const int d = ritz_form_find_data(strain->form, load->property);
    const ritz_vector **given = NULL;
    bool nodal = false;
    if (!load->nodal || !loads->body[k].nodal)
        return RITZ_OK;
    RITZ_NEW(given, problem->n_materials);
    for (int m = 0; m < problem->n_materials; m++) {
        const ritz_vector *own = &materials[m].property[property];
        given[m] = own->n ? own : &loads->body[k];
        nodal = nodal || given[m]->nodal;
    }
    for (int b = 0; nodal && b < strain->n_blocks; b++) {
        double *values = NULL;
        RITZ_TRY(ritz_fill_from_nodes(drive, given, b, &values));
        strain->arrays[strain->n_arrays++] = values;
        strain->data[b][d] = (ritz_datum){.kind = RITZ_DATA_POINT, .values = values};
    }
done:
    ritz_free(given);
    return status;
}

ritz_status ritz_self_strain_create(const ritz_drive *drive, const ritz_load_case *load_case, ritz_self_strain *strain)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const int n = problem->n_materials;
    const ritz_vector *temperature;
    ritz_material *materials = NULL;
    bool acts, any = false;
    *strain = (ritz_self_strain){0};
    if (!problem->physics->self_strain)
        return RITZ_OK;
    const ritz_loads loads = choose_loads(drive, load_case, &temperature);
    for (int m = 0; m < n; m++) {
        choose_material(drive, m, load_case, temperature->n > 0, &acts);
        any = any || acts;
    }
    if (!any)
        return RITZ_OK;
    RITZ_TRY(ritz_physics_self_strain(problem->physics, drive->mesh->dim, &strain->form));
    const int n_data = strain->form->n_data;
    RITZ_NEW(strain->expressions, n_data * n);
    RITZ_NEW(strain->data, drive->mesh->n_blocks);
    for (; strain->n_blocks < drive->mesh->n_blocks; strain->n_blocks++)
        RITZ_NEW(strain->data[strain->n_blocks], n_data);
    strain->n_expressions = n_data * n;
    RITZ_NEW(materials, n);
    for (int m = 0; m < n; m++) {
        materials[m] = choose_material(drive, m, load_case, temperature->n > 0, &acts);
        for (int d = 0; d < n_data; d++)
            RITZ_TRY(ritz_make_datum(drive, strain->form, &loads, &materials[m], d, &strain->expressions[d * n + m]));
    }
    RITZ_NEW(strain->arrays, strain->n_blocks * n_data * RITZ_ARRAYS_A_DATUM);
    for (int d = 0; d < n_data; d++)
        RITZ_TRY(set_datum(drive, strain, d));
    RITZ_TRY(ritz_derive_data(drive, strain->form, materials, strain->data, strain->arrays, &strain->n_arrays));
    for (int k = 0; k < problem->physics->n_body_loads; k++)
        RITZ_TRY(set_nodal(drive, &loads, materials, k, strain));
done:
    ritz_free(materials);
    if (status != RITZ_OK)
        ritz_self_strain_free(strain);
    return status;
}

void ritz_self_strain_free(ritz_self_strain *strain)
{
    for (int i = 0; i < strain->n_expressions; i++)
        ritz_expression_destroy(&strain->expressions[i]);
    ritz_free(strain->expressions);
    for (int b = 0; b < strain->n_blocks; b++)
        ritz_free(strain->data[b]);
    ritz_free(strain->data);
    for (int i = 0; i < strain->n_arrays; i++)
        ritz_free(strain->arrays[i]);
    ritz_free(strain->arrays);
    ritz_form_destroy(&strain->form);
    *strain = (ritz_self_strain){0};
}

static ritz_status add_on_batch(const ritz_drive *drive, const ritz_self_strain *strain, int b, bool at_supports,
                                double *load)
{
    ritz_integral integral = ritz_batch_integral(drive, b, strain->data[b]);
    integral.form = strain->form;
    integral.own_stress = true;
    const ritz_drive_batch of = {drive, b};
    return ritz_add_chosen_vectors(&integral, NULL, at_supports ? ritz_cell_is_at_support : NULL, &of, 1, load);
}

ritz_status ritz_add_self_strain(const ritz_drive *drive, const ritz_load_case *load_case, bool at_supports,
                                 double **load)
{
    ritz_status status = RITZ_OK;
    ritz_self_strain strain;
    RITZ_TRY(ritz_self_strain_create(drive, load_case, &strain));
    if (!strain.form)
        return RITZ_OK;
    if (!*load)
        RITZ_NEW(*load, ritz_space_n_dofs(drive->space));
    for (int b = 0; b < drive->space->n_batches; b++)
        RITZ_TRY(add_on_batch(drive, &strain, b, at_supports, *load));
done:
    ritz_self_strain_free(&strain);
    return status;
}

/* ---- Checks ---- */

/* A stress out of the plane that the form does not read. */
static ritz_status check_initial_stress(const ritz_drive *drive, const ritz_form *form, const ritz_vector *stress)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    const ritz_property *property = &physics->properties[ritz_find_role(physics, RITZ_ROLE_INITIAL)];
    ritz_reads reads = {0};
    for (int k = 0; k < form->n_coefficients; k++)
        ritz_form_mark_reads(form, form->coefficients[k], &reads);
    for (int c = 0; property->components[c]; c++) {
        const ritz_quantity *q = &stress->component[c];
        if (!q->expression || (q->constant && q->value == 0))
            continue;
        bool read = false;
        for (int d = 0; d < form->n_data; d++) {
            const char *name = ritz_form_data_name(form, d);
            const size_t n = strlen(property->name);
            read =
                read || (strncmp(name, property->name, n) == 0 && strcmp(name + n + 1, property->components[c]) == 0 &&
                         reads.variable[form->variables.n + d]);
        }
        RITZ_REQUIRE_AT(read, &q->place, "there is no stress %s in %s; leave it out of '%s'", property->components[c],
                        physics->name, property->name);
    }
done:
    return status;
}

static const char *example_of_expansion(const ritz_physics *physics)
{
    return physics->properties[ritz_find_role(physics, RITZ_ROLE_EXPANSION)].example;
}

/* A temperature of the whole body acts on some material: it expands, or its properties follow it. */
static ritz_status check_temperature(const ritz_drive *drive, const ritz_loads *loads)
{
    const ritz_problem *problem = drive->problem;
    const ritz_vector *temperature = ritz_body_load_of(problem->physics, loads, RITZ_ROLE_TEMPERATURE);
    bool expands = !temperature->n;
    for (int m = 0; m < problem->n_materials; m++)
        expands = expands || problem->materials[m].of_temperature ||
                  property_of(drive, &problem->materials[m], RITZ_ROLE_EXPANSION)->n;
    return expands ? RITZ_OK
                   : ritz_fail_at(RITZ_ERROR_INPUT, &temperature->place,
                                  "a temperature is given, and no material expands; add for example  %s",
                                  example_of_expansion(problem->physics));
}

ritz_status ritz_check_self_strain(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    ritz_form *form = NULL;
    if (!problem->physics->self_strain)
        return RITZ_OK;
    RITZ_TRY(ritz_physics_self_strain(problem->physics, drive->mesh->dim, &form));
    RITZ_TRY(check_temperature(drive, &problem->loads));
    for (int c = 0; c < problem->n_cases; c++)
        RITZ_TRY(check_temperature(drive, &problem->cases[c].loads));
    for (int m = 0; m < problem->n_materials; m++) {
        const ritz_material *material = &problem->materials[m];
        const ritz_vector *temperature = property_of(drive, material, RITZ_ROLE_TEMPERATURE);
        RITZ_REQUIRE_AT(!temperature->n || material->of_temperature ||
                            property_of(drive, material, RITZ_ROLE_EXPANSION)->n,
                        &temperature->place, "the material has a temperature and does not expand; add for example  %s",
                        example_of_expansion(problem->physics));
        RITZ_TRY(check_initial_stress(drive, form, property_of(drive, material, RITZ_ROLE_INITIAL)));
    }
done:
    ritz_form_destroy(&form);
    return status;
}
