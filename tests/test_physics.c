/* The tables of physics: each name in them is one that the others know, and the forms they describe exist. */
#include "physics/physics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Whether the form has a datum of this name, or of a vector, of its first component. */
static bool has_datum(const ritz_form *form, const ritz_property *property)
{
    char name[64];
    const char *first = property->vector ? "x" : property->one_alone ? NULL : property->components[0];
    snprintf(name, sizeof name, "%s%s%s", property->name, first ? "_" : "", first ? first : "");
    return ritz_form_find_data(form, name) >= 0;
}

/* The same of the form of strains that a body has by itself. */
static bool has_self_strain(const ritz_physics *p, int dim, const ritz_property *property)
{
    ritz_form *form = NULL;
    if (!p->self_strain)
        return false;
    assert_int_equal(ritz_physics_self_strain(p, dim, &form), RITZ_OK);
    const bool has = has_datum(form, property);
    ritz_form_destroy(&form);
    return has;
}

static bool is_of_field(const ritz_physics *p, const char *property)
{
    for (int f = 0; f < p->n_fields; f++)
        if (p->fields[f].property && strcmp(p->fields[f].property, property) == 0)
            return true;
    return false;
}

static bool is_part(const ritz_physics *p, const char *property)
{
    for (int k = 0; k < p->n_component_data; k++)
        if (strcmp(p->component_data[k].property, property) == 0)
            return true;
    for (int k = 0; k < p->n_body_loads; k++)
        if (p->body_loads[k].times && strcmp(p->body_loads[k].times, property) == 0)
            return true;
    return false;
}

/* Each property reaches the form, and each datum of the form comes from some property. */
static void check_data(const ritz_physics *p, const ritz_form *form)
{
    for (int k = 0; k < p->n_properties; k++) {
        const ritz_property *property = &p->properties[k];
        if (!(has_datum(form, property) || has_self_strain(p, form->dim, property) || is_part(p, property->name) ||
              is_of_field(p, property->name) || property->least_dim > form->dim || p->general || p->derivation ||
              (p->thickness == NULL && strcmp(property->name, "thickness") == 0) || p->form_alone))
            fail_msg("%s: nothing reads the property %s", p->name, property->name);
        assert_true(strncmp(property->example, property->name, strlen(property->name)) == 0);
        assert_int_equal(ritz_find_property(p, property->name), k); /* no name twice */
    }
    for (int d = 0; d < form->n_data; d++) {
        bool known = p->axisymmetric && strcmp(ritz_form_data_name(form, d), p->thickness) == 0;
        for (int k = 0; p->derivation && k < p->derivation->n; k++)
            known = known || strcmp(p->derivation->names[k], ritz_form_data_name(form, d)) == 0;
        for (int k = 0; k < p->n_properties; k++) {
            const size_t n = strlen(p->properties[k].name);
            const char *name = ritz_form_data_name(form, d);
            known = known || (strncmp(name, p->properties[k].name, n) == 0 && (!name[n] || name[n] == '_'));
        }
        if (!known)
            fail_msg("%s: no property gives the datum %s", p->name, ritz_form_data_name(form, d));
    }
    for (int k = 0; k < p->n_component_data; k++) {
        const int property = ritz_find_property(p, p->component_data[k].property);
        assert_true(property >= 0);
        assert_true(ritz_find_property(p, p->component_data[k].datum) >= 0 ||
                    ritz_form_find_data(form, p->component_data[k].datum) >= 0);
        assert_true(p->component_data[k].component == 0 || p->properties[property].vector);
    }
}

/* What stands for each other has the same tables, and each derived value reaches one of the forms. */
static void check_general(const ritz_physics *p, const ritz_form *form)
{
    if (p->general) {
        assert_ptr_equal(p->general->special, p);
        assert_ptr_equal(p->general->properties, p->properties);
        assert_int_equal(p->general->n_properties, p->n_properties);
        assert_int_equal(p->general->n_fields, p->n_fields);
        assert_int_equal(p->general->dim, p->dim);
        for (int f = 0; f < p->n_fields; f++)
            assert_string_equal(p->general->fields[f].name, p->fields[f].name);
    }
    for (int k = 0; p->derivation && k < p->derivation->n; k++) {
        ritz_form *strain = NULL;
        const char *name = p->derivation->names[k];
        if (p->self_strain)
            assert_int_equal(ritz_physics_self_strain(p, form->dim, &strain), RITZ_OK);
        assert_true(ritz_form_find_data(form, name) >= 0 || (strain && ritz_form_find_data(strain, name) >= 0));
        ritz_form_destroy(&strain);
    }
}

static void check_loads(const ritz_physics *p)
{
    assert_true(p->n_properties <= RITZ_MAX_PROPERTIES && p->n_body_loads <= RITZ_MAX_BODY_LOADS);
    assert_true(p->n_boundary <= RITZ_MAX_BOUNDARY_KEYS && p->n_fields <= RITZ_MAX_FIELDS);
    for (int k = 0; k < p->n_body_loads; k++) {
        assert_true(ritz_find_property(p, p->body_loads[k].property) >= 0);
        assert_true(!p->body_loads[k].times || ritz_find_property(p, p->body_loads[k].times) >= 0);
    }
    assert_true(!p->thickness || p->axisymmetric || ritz_find_property(p, p->thickness) >= 0);
    assert_true(p->form_alone || (p->n_boundary > 0 && p->n_fields > 0 && p->all_loads));
    assert_true(p->symmetric || p->unsymmetric);
}

static void check_fields(const ritz_physics *p, const ritz_form *form)
{
    for (int f = 0; f < p->n_fields; f++) {
        const ritz_result_field *field = &p->fields[f];
        const int n = ritz_field_components(field);
        assert_true(n == 1 || n == 3 || n == 6); /* as result files have them */
        assert_true(!(field->largest || field->smallest) || field->words);
        assert_true(!field->property || (field->derive && ritz_find_property(p, field->property) >= 0));
        assert_true(f > 0 || (!field->at_point && !field->derive && n == (p->vector ? 3 : 1)));
        assert_true(f == 0 || (field->at_point != NULL) + (field->derive != NULL) + (field->turn != NULL) == 1);
        for (int k = 0; k < RITZ_MAX_POINT_DATA && field->data[k]; k++)
            assert_true(ritz_form_find_data(form, field->data[k]) >= 0);
    }
}

/* Each synonym is for a name that some physics has. */
static bool is_meant(const char *meant)
{
    for (int i = 0; ritz_physics_at(i); i++) {
        const ritz_physics *p = ritz_physics_at(i);
        bool found =
            strcmp(p->name, meant) == 0 || ritz_find_property(p, meant) >= 0 || ritz_find_body_load(p, meant) >= 0;
        for (int k = 0; k < p->n_boundary; k++)
            found = found || strcmp(p->boundary[k].name, meant) == 0;
        if (found)
            return true;
    }
    return false;
}

static void test_tables(void **state)
{
    (void)state;
    int n = 0;
    for (; ritz_physics_at(n); n++) {
        const ritz_physics *p = ritz_physics_at(n);
        assert_ptr_equal(ritz_physics_named(p->name), p);
        check_loads(p);
        for (int dim = 2; dim <= 3; dim++) {
            ritz_form *form = NULL;
            const ritz_status status = ritz_form_create(p->name, dim, &form);
            assert_int_equal(status, p->dim == 0 || p->dim == dim ? RITZ_OK : RITZ_ERROR_INPUT);
            if (!form) {
                assert_non_null(strstr(ritz_message(), p->otherwise));
                continue;
            }
            assert_int_equal(ritz_form_n_components(form), p->vector ? dim : 1);
            check_data(p, form);
            check_general(p, form);
            check_fields(p, form);
            ritz_form_destroy(&form);
        }
        for (int s = 0; s < p->n_synonyms; s++)
            if (!is_meant(p->synonyms[s].meant))
                fail_msg("%s: '%s' stands for '%s', which is no name", p->name, p->synonyms[s].word,
                         p->synonyms[s].meant);
    }
    assert_true(n > 0 && !ritz_physics_at(-1) && !ritz_physics_named("elastic"));
}

/* Bounds reach the library's forms: what the table of a physics says, ritz_form_find_bad asks. */
static void test_bounds(void **state)
{
    (void)state;
    ritz_form *form = NULL;
    assert_int_equal(ritz_form_create("elasticity", 3, &form), RITZ_OK);
    const int poisson = ritz_form_find_data(form, "poisson"), force = ritz_form_find_data(form, "force_x");
    static const double good = 0.49, bad = 0.5, any = -1e9;
    assert_int_equal(ritz_form_find_bad(form, poisson, &good, 1, RITZ_F64), 1);
    assert_int_equal(ritz_form_find_bad(form, poisson, &bad, 1, RITZ_F64), 0);
    assert_int_equal(ritz_form_tell_bad(form, poisson, bad, -1), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "inside (-1, 0.5)"));
    assert_int_equal(ritz_form_find_bad(form, force, &any, 1, RITZ_F64), 1);
    ritz_form_destroy(&form);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables), cmocka_unit_test(test_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
