/* The form's data on each batch of elements, put together from materials, gravity and sources.

   Each datum of each material becomes one expression (of no variable when all terms are numbers). Equal numbers in all
   materials are sent as one constant, different ones as an array over elements; else the kernel gets the
   expressions. */
#include "problem/drive.h"

#include <math.h>
#include <string.h>

enum { UNKNOWN = 4 }; /* among the variables of a form: after x y z t */

static void add_term(ritz_text *sum, const ritz_quantity *term)
{
    if (term->expression)
        ritz_text_add(sum, "%s(%s)", sum->length ? " + " : "", ritz_expression_text(term->expression));
}

/* A component of a property: the material's own, and what loads on the whole body add to it. */
static void add_property(const ritz_physics *physics, const ritz_loads *loads, const ritz_material *material, int p,
                         int c, ritz_text *sum)
{
    const ritz_vector *own = &material->property[p];
    add_term(sum, &own->component[c]);
    for (int k = 0; k < physics->n_body_loads; k++) {
        const ritz_body_load *load = &physics->body_loads[k];
        const ritz_quantity *q = &loads->body[k].component[c];
        if (strcmp(load->property, physics->properties[p].name) != 0 || !q->expression)
            continue;
        if (!load->times && !own->n)
            add_term(sum, q);
        else if (load->times && !(q->constant && q->value == 0))
            ritz_text_add(sum, "%s(%s) * (%s)", sum->length ? " + " : "",
                          ritz_expression_text(
                              material->property[ritz_find_property(physics, load->times)].component[0].expression),
                          ritz_expression_text(q->expression));
    }
}

/* The property that a datum takes its value from and the component of it; -1 if there is none. */
static int property_of(const ritz_physics *physics, const char *datum, int *component)
{
    for (int p = 0; p < physics->n_properties; p++) {
        const ritz_property *property = &physics->properties[p];
        const size_t n = strlen(property->name);
        *component = 0;
        if (strcmp(datum, property->name) == 0)
            return p;
        if (strncmp(datum, property->name, n) == 0 && datum[n] == '_')
            for (; property->components[*component]; ++*component)
                if (strcmp(datum + n + 1, property->components[*component]) == 0)
                    return p;
        if (property->vector && strncmp(datum, property->name, n) == 0 && datum[n] == '_') {
            *component = datum[n + 1] - 'x';
            return p;
        }
    }
    return -1;
}

ritz_status ritz_datum_expression(const ritz_form *form, const char *text, ritz_expression **expression)
{
    static const char *const of_temperature[] = {"x", "y", "z", "T"};
    return ritz_reads_temperature(text)
               ? ritz_expression_create(text, of_temperature, 4, expression)
               : ritz_expression_create(text, form->variables.pointers, form->variables.n, expression);
}

ritz_status ritz_make_datum(const ritz_drive *drive, const ritz_form *form, const ritz_loads *loads,
                            const ritz_material *material, int d, ritz_expression **expression)
{
    ritz_status status = RITZ_OK;
    const char *name = ritz_form_data_name(form, d);
    const ritz_physics *physics = drive->problem->physics;
    int component;
    ritz_text sum = {0};
    char *text = NULL, *of_unknown = NULL;
    const int own = property_of(physics, name, &component);
    if (own >= 0)
        add_property(physics, loads, material, own, component, &sum);
    for (int k = 0; k < physics->n_component_data; k++)
        if (strcmp(physics->component_data[k].datum, name) == 0)
            add_property(physics, loads, material, ritz_find_property(physics, physics->component_data[k].property),
                         physics->component_data[k].component, &sum);
    if (physics->axisymmetric && strcmp(name, physics->thickness) == 0)
        ritz_text_add(&sum, "6.283185307179586 * x");
    if (!sum.length)
        ritz_text_add(&sum, "%.17g", isnan(form->defaults[d]) ? 0 : form->defaults[d]); /* or of ritz_make_own_data */
    RITZ_TRY(ritz_text_take(&sum, &text));
    if (own >= 0 && physics->properties[own].of_unknown && ritz_reads_temperature(text))
        RITZ_TRY(ritz_replace_temperature(text, form->variables.names[UNKNOWN], &of_unknown));
    RITZ_TRY(ritz_datum_expression(form, of_unknown ? of_unknown : text, expression));
done:
    ritz_text_free(&sum);
    ritz_free(of_unknown);
    ritz_free(text);
    return status;
}

/* What a material gives for three axes has no meaning in the plane. */
static ritz_status check_axes(const ritz_drive *drive, const ritz_material *material)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    const int dim = drive->mesh->dim;
    for (int p = 0; p < physics->n_properties; p++) {
        const ritz_property *property = &physics->properties[p];
        const ritz_vector *given = &material->property[p];
        RITZ_REQUIRE_AT(!property->vector || given->n <= dim, &given->place,
                        "'%s' has %d components on a mesh of dimension %d; give %d", property->name, given->n, dim,
                        dim);
        RITZ_REQUIRE_AT(!given->n || property->least_dim <= dim, &given->place,
                        "'%s' has no meaning on a mesh of dimension %d; remove it", property->name, dim);
        for (int c = 0; c < dim && property->vector && property->required; c++)
            RITZ_REQUIRE_AT(given->component[c].expression, &given->place,
                            "'%s' has no value for %c; give one for each axis", property->name, "xyz"[c]);
    }
done:
    return status;
}

/* Numbers of datum d in all materials, when all are numbers. */
static bool get_constants(const ritz_drive *drive, int d, double *value, bool *equal)
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
    RITZ_NEW(drive->arrays, n_blocks * n_data * RITZ_ARRAYS_A_DATUM);
    for (int m = 0; m < n_materials; m++) {
        RITZ_TRY(check_axes(drive, &drive->problem->materials[m]));
        for (int d = 0; d < n_data; d++) {
            ritz_expression **expression = &drive->expressions[d * n_materials + m];
            RITZ_TRY(ritz_make_datum(drive, drive->form, &drive->problem->loads, &drive->problem->materials[m], d,
                                     expression));
            RITZ_TRY(ritz_replace_in_mixed(drive, m, ritz_form_data_name(drive->form, d), expression));
        }
    }
    for (int b = 0; b < n_blocks; b++)
        RITZ_NEW(drive->data[b], n_data);
    for (int d = 0; d < n_data; d++) {
        bool equal;
        const bool numbers = get_constants(drive, d, value, &equal);
        const ritz_expression *const *of = (const ritz_expression *const *)&drive->expressions[d * n_materials];
        for (int b = 0; b < n_blocks; b++) {
            if (numbers && equal)
                drive->data[b][d] = (ritz_datum){.kind = RITZ_DATA_CONSTANT, .value = value[0]};
            else if (numbers)
                RITZ_TRY(element_array(drive, b, value, &drive->data[b][d]));
            else
                drive->data[b][d] = (ritz_datum){.kind = RITZ_DATA_EXPRESSION,
                                                 .expressions = of,
                                                 .n_expressions = n_materials,
                                                 .selector = n_materials > 1 ? drive->material[b] : NULL};
            RITZ_TRY(ritz_put_temperature(drive, of, b, drive->arrays, &drive->n_arrays, &drive->data[b][d]));
        }
    }
    RITZ_TRY(ritz_make_own_data(drive));
    RITZ_TRY(
        ritz_derive_data(drive, drive->form, drive->problem->materials, drive->data, drive->arrays, &drive->n_arrays));
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

/* The datum that a coefficient of the form is; -1 if it is something else. */
static int coefficient_datum(const ritz_form *form, int coefficient)
{
    return ritz_form_find_data(form, ritz_expression_text(form->coefficients[coefficient]));
}

/* Whether two data are the same in material m. */
static bool data_agree(const ritz_drive *drive, int a, int b, int m)
{
    const int n = drive->problem->n_materials;
    const ritz_expression *first = drive->expressions[a * n + m], *second = drive->expressions[b * n + m];
    double value_a = 0, value_b = 1;
    if (ritz_expression_is_constant(first, &value_a) && ritz_expression_is_constant(second, &value_b))
        return value_a == value_b;
    return strcmp(ritz_expression_text(first), ritz_expression_text(second)) == 0;
}

/* Whether the coefficients before a term and before its transpose are the same. */
static bool terms_agree(const ritz_drive *drive, const ritz_term *a, const ritz_term *b)
{
    const int first = coefficient_datum(drive->form, a->coefficient),
              second = coefficient_datum(drive->form, b->coefficient);
    if (a->coefficient == b->coefficient)
        return true;
    for (int m = 0; m < drive->problem->n_materials; m++)
        if (first < 0 || second < 0 || !data_agree(drive, first, second, m))
            return false;
    return true;
}

bool ritz_data_symmetric(const ritz_drive *drive)
{
    const ritz_form *form = drive->form;
    for (int s = 0; s < form->n_terms && !form->symmetric; s++) {
        const ritz_term *a = &form->terms[s];
        bool found = false;
        for (int t = 0; t < form->n_terms && !found; t++) {
            const ritz_term *b = &form->terms[t];
            found = b->iE == a->jE && b->jE == a->iE && b->iD == a->jD && b->jD == a->iD && terms_agree(drive, a, b);
        }
        if (!found)
            return false;
    }
    return true;
}

bool ritz_data_stop_constants(const ritz_drive *drive)
{
    const ritz_form *form = drive->form;
    const int n = drive->problem->n_materials;
    for (int t = 0; t < form->n_terms; t++) {
        if (form->terms[t].jD != 0)
            continue;
        const int d = coefficient_datum(form, form->terms[t].coefficient);
        for (int m = 0; m < n; m++) {
            double value;
            if (d < 0 || !ritz_expression_is_constant(drive->expressions[d * n + m], &value) || value != 0)
                return true;
        }
    }
    return false;
}
