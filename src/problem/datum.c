/* The form's data on each batch of elements, put together from materials, gravity and sources.

   Each datum of each material becomes one expression (of no variable when all parts are numbers). Equal numbers in all
   materials are sent as one constant, different ones as an array over elements; else the kernel gets the
   expressions. */
#include "problem/drive.h"

#include <string.h>

static void add_part(ritz_text *sum, const ritz_quantity *part)
{
    if (part->expression)
        ritz_text_add(sum, "%s(%s)", sum->length ? " + " : "", ritz_expression_text(part->expression));
}

/* Body force along axis d: the material's own and its weight. */
static void add_force(const ritz_loads *loads, const ritz_material *material, int d, ritz_text *sum)
{
    add_part(sum, &material->property[RITZ_FORCE].component[d]);
    const ritz_quantity *gravity = &loads->gravity.component[d],
                        *density = &material->property[RITZ_DENSITY].component[0];
    if (gravity->expression && !(gravity->constant && gravity->value == 0))
        ritz_text_add(sum, "%s(%s) * (%s)", sum->length ? " + " : "", ritz_expression_text(density->expression),
                      ritz_expression_text(gravity->expression));
}

/* c[i][j] of the general scalar form: diffusion k on the diagonal, velocity beside the trial function's
   derivatives, reaction. */
static void add_c(const ritz_material *material, int i, int j, ritz_text *sum)
{
    add_part(sum, &material->property[RITZ_C00 + 4 * i + j].component[0]);
    if (i == j)
        add_part(sum, &material->property[i == 0 ? RITZ_REACTION : RITZ_DIFFUSION].component[0]);
    else if (i == 0)
        add_part(sum, &material->property[RITZ_VELOCITY].component[j - 1]);
}

static void add_source(const ritz_loads *loads, const ritz_material *material, ritz_text *sum)
{
    const ritz_vector *own = &material->property[RITZ_SOURCE];
    add_part(sum, own->n ? &own->component[0] : &loads->source);
}

static void add_property(const ritz_material *material, const char *name, ritz_text *sum)
{
    for (int p = 0; p < RITZ_N_PROPERTIES; p++)
        if (strcmp(ritz_properties[p].name, name) == 0)
            add_part(sum, &material->property[p].component[0]);
}

ritz_status ritz_make_datum(const ritz_drive *drive, const ritz_loads *loads, const ritz_material *material, int d,
                            ritz_expression **expression)
{
    ritz_status status = RITZ_OK;
    const ritz_form *form = drive->form;
    const char *name = ritz_form_data_name(form, d);
    const bool general = drive->problem->physics->bit & RITZ_CONVECTION_DIFFUSION;
    ritz_text sum = {0};
    char *text = NULL;
    if (strncmp(name, "force_", 6) == 0)
        add_force(loads, material, name[6] - 'x', &sum);
    else if (general && name[0] == 'c')
        add_c(material, name[1] - '0', name[2] - '0', &sum);
    else if (general && name[0] == 'f') {
        add_part(&sum, &material->property[RITZ_F0 + name[1] - '0'].component[0]);
        if (name[1] == '0')
            add_source(loads, material, &sum);
    } else if (strcmp(name, "source") == 0)
        add_source(loads, material, &sum);
    else
        add_property(material, name, &sum);
    if (!sum.length)
        ritz_text_add(&sum, "%.17g", form->defaults[d]);
    RITZ_TRY(ritz_text_take(&sum, &text));
    RITZ_TRY(ritz_expression_create(text, form->variables.pointers, form->variables.n, expression));
done:
    ritz_text_free(&sum);
    ritz_free(text);
    return status;
}

/* What a material gives for three axes has no meaning in the plane. */
static ritz_status check_axes(const ritz_drive *drive, const ritz_material *material)
{
    ritz_status status = RITZ_OK;
    const int dim = drive->mesh->dim;
    const ritz_vector *velocity = &material->property[RITZ_VELOCITY];
    RITZ_REQUIRE_AT(velocity->n <= dim, &velocity->place,
                    "'velocity' has %d components on a mesh of dimension %d; give %d", velocity->n, dim, dim);
    for (int p = RITZ_C00; p < RITZ_N_PROPERTIES; p++) {
        const int i = p < RITZ_F0 ? (p - RITZ_C00) / 4 : p - RITZ_F0, j = p < RITZ_F0 ? (p - RITZ_C00) % 4 : 0;
        RITZ_REQUIRE_AT(!material->property[p].n || (i <= dim && j <= dim), &material->property[p].place,
                        "'%s' has no meaning on a mesh of dimension %d; remove it", ritz_properties[p].name, dim);
    }
done:
    return status;
}

/* Numbers of datum d in all materials, when all are numbers. */
static bool constants(const ritz_drive *drive, int d, double *value, bool *equal)
{
    const int n = drive->problem->n_materials;
    *equal = true;
    for (int m = 0; m < n; m++) {
        if (!ritz_expression_is_constant(drive->expressions[d * n + m], &value[m]))
            return false;
        *equal = *equal && value[m] == value[0];
    }
    return true;
}

static ritz_status element_array(ritz_drive *drive, int b, const double *value, ritz_datum *datum)
{
    ritz_status status = RITZ_OK;
    const int32_t n_cells = drive->mesh->blocks[b].n_cells;
    double *array = NULL;
    RITZ_NEW(array, n_cells);
    drive->arrays[drive->n_arrays++] = array;
    for (int32_t e = 0; e < n_cells; e++)
        array[e] = value[drive->material[b][e]];
    *datum = (ritz_datum){.kind = RITZ_DATA_ELEMENT, .values = array};
done:
    return status;
}

ritz_status ritz_make_data(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const int n_data = drive->form->n_data, n_materials = drive->problem->n_materials, n_blocks = drive->mesh->n_blocks;
    double *value = NULL;
    RITZ_NEW(value, n_materials);
    RITZ_NEW(drive->expressions, n_data * n_materials);
    RITZ_NEW(drive->data, n_blocks);
    RITZ_NEW(drive->arrays, n_blocks * n_data);
    for (int m = 0; m < n_materials; m++) {
        RITZ_TRY(check_axes(drive, &drive->problem->materials[m]));
        for (int d = 0; d < n_data; d++)
            RITZ_TRY(ritz_make_datum(drive, &drive->problem->loads, &drive->problem->materials[m], d,
                                     &drive->expressions[d * n_materials + m]));
    }
    for (int b = 0; b < n_blocks; b++)
        RITZ_NEW(drive->data[b], n_data);
    for (int d = 0; d < n_data; d++) {
        bool equal;
        const bool numbers = constants(drive, d, value, &equal);
        for (int b = 0; b < n_blocks; b++)
            if (numbers && equal)
                drive->data[b][d] = (ritz_datum){.kind = RITZ_DATA_CONSTANT, .value = value[0]};
            else if (numbers)
                RITZ_TRY(element_array(drive, b, value, &drive->data[b][d]));
            else
                drive->data[b][d] =
                    (ritz_datum){.kind = RITZ_DATA_EXPRESSION,
                                 .expressions = (const ritz_expression *const *)&drive->expressions[d * n_materials],
                                 .n_expressions = n_materials,
                                 .selector = n_materials > 1 ? drive->material[b] : NULL};
    }
done:
    ritz_free(value);
    return status;
}

void ritz_free_data(ritz_drive *drive)
{
    for (int i = 0; i < drive->n_arrays; i++)
        ritz_free(drive->arrays[i]);
    ritz_free(drive->arrays);
    for (int b = 0; drive->data && b < drive->mesh->n_blocks; b++)
        ritz_free(drive->data[b]);
    ritz_free(drive->data);
    for (int i = 0; drive->expressions && i < drive->form->n_data * drive->problem->n_materials; i++)
        ritz_expression_destroy(&drive->expressions[i]);
    ritz_free(drive->expressions);
    drive->arrays = NULL;
    drive->data = NULL;
    drive->expressions = NULL;
    drive->n_arrays = 0;
}

bool ritz_batch_data(const ritz_drive *drive, const char *name, ritz_datum data[RITZ_N_CELLS])
{
    const int d = ritz_form_find_data(drive->form, name);
    for (int b = 0; d >= 0 && b < drive->mesh->n_blocks; b++)
        data[b] = drive->data[b][d];
    return d >= 0;
}

/* Datum c[i][j] of the general form in material m, as an expression. */
static const ritz_expression *general_c(const ritz_drive *drive, int i, int j, int m)
{
    const char name[4] = {'c', (char)('0' + i), (char)('0' + j), '\0'};
    return drive->expressions[ritz_form_find_data(drive->form, name) * drive->problem->n_materials + m];
}

bool ritz_data_symmetric(const ritz_drive *drive)
{
    if (!(drive->problem->physics->bit & RITZ_CONVECTION_DIFFUSION))
        return drive->form->symmetric;
    for (int m = 0; m < drive->problem->n_materials; m++)
        for (int i = 0; i <= drive->mesh->dim; i++)
            for (int j = 0; j < i; j++) {
                const ritz_expression *a = general_c(drive, i, j, m), *b = general_c(drive, j, i, m);
                double value_a = 0, value_b = 1;
                const bool numbers =
                    ritz_expression_is_constant(a, &value_a) && ritz_expression_is_constant(b, &value_b);
                if (numbers ? value_a != value_b : strcmp(ritz_expression_text(a), ritz_expression_text(b)) != 0)
                    return false;
            }
    return true;
}

bool ritz_data_stop_constants(const ritz_drive *drive)
{
    if (drive->problem->physics->bit & RITZ_MASS)
        return true;
    if (!(drive->problem->physics->bit & RITZ_CONVECTION_DIFFUSION))
        return false;
    for (int m = 0; m < drive->problem->n_materials; m++)
        for (int i = 0; i <= drive->mesh->dim; i++) {
            double value;
            if (!ritz_expression_is_constant(general_c(drive, i, 0, m), &value) || value != 0)
                return true;
        }
    return false;
}
