/* The list of physics, and their forms by name. A new physics is entered here. */
#include "physics/physics.h"

#include <string.h>

/* clang-format off */
#define LIST(entry)                                                                                                    \
    entry(elasticity)                                                                                                  \
    entry(plane_stress)                                                                                                \
    entry(plane_strain)                                                                                                \
    entry(poisson)                                                                                                     \
    entry(axisymmetric)                                                                                                \
    entry(heat)                                                                                                        \
    entry(seepage)                                                                                                     \
    entry(convection_diffusion)                                                                                        \
    entry(mass)                                                                                                        \
    entry(neo_hookean)                                                                                                 \
    entry(anisotropic_elasticity)                                                                                      \
    entry(anisotropic_plane_stress)                                                                                    \
    entry(anisotropic_plane_strain)                                                                                    \
    entry(anisotropic_axisymmetric)                                                                                    \
    entry(anisotropic_heat)                                                                                            \
    entry(axisymmetric_heat)
/* clang-format on */
#define DECLARE(name) extern const ritz_physics ritz_##name;
#define POINT(name) &ritz_##name,
LIST(DECLARE)
static const ritz_physics *const list[] = {LIST(POINT)};
enum { N_PHYSICS = sizeof list / sizeof *list };
_Static_assert((int)N_PHYSICS <= (int)RITZ_PHYSICS_MOST, "tables of names are too short");

const ritz_physics *ritz_physics_at(int i)
{
    return i >= 0 && i < N_PHYSICS ? list[i] : NULL;
}

const ritz_physics *ritz_physics_named(const char *name)
{
    for (int i = 0; i < N_PHYSICS; i++)
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    return NULL;
}

int ritz_physics_names(bool forms, const char *names[RITZ_PHYSICS_MOST])
{
    int n = 0;
    for (int i = 0; i < N_PHYSICS; i++)
        if (forms || !list[i]->form_alone)
            names[n++] = list[i]->name;
    return n;
}

int ritz_physics_components(const ritz_physics *physics, int dim)
{
    return physics->vector ? dim : physics->n_components ? physics->n_components : 1;
}

const char *const *ritz_physics_component_names(const ritz_physics *physics)
{
    static const char *const axes[] = {"x", "y", "z"};
    static const char *const numbers[RITZ_MAX_COMPONENTS] = {"u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7"};
    return physics->vector ? axes : numbers;
}

int ritz_find_property(const ritz_physics *physics, const char *name)
{
    for (int p = 0; p < physics->n_properties; p++)
        if (strcmp(physics->properties[p].name, name) == 0)
            return p;
    return -1;
}

int ritz_find_body_load(const ritz_physics *physics, const char *name)
{
    for (int k = 0; k < physics->n_body_loads; k++)
        if (strcmp(physics->body_loads[k].name, name) == 0)
            return k;
    return -1;
}

int ritz_find_role(const ritz_physics *physics, ritz_role role)
{
    for (int p = 0; p < physics->n_properties; p++)
        if (physics->properties[p].role == role)
            return p;
    return -1;
}

int ritz_find_role_load(const ritz_physics *physics, ritz_role role)
{
    const int p = ritz_find_role(physics, role);
    for (int k = 0; p >= 0 && k < physics->n_body_loads; k++)
        if (strcmp(physics->body_loads[k].property, physics->properties[p].name) == 0)
            return k;
    return -1;
}

const char *ritz_role_name(const ritz_physics *physics, ritz_role role)
{
    const int p = ritz_find_role(physics, role);
    return p < 0 ? "" : physics->properties[p].name;
}

const ritz_data_bounds *ritz_property_bounds(const ritz_property *property)
{
    return property->bounds ? property->bounds : &ritz_finite;
}

const ritz_boundary_key *ritz_find_boundary(const ritz_physics *physics, ritz_boundary_kind kind)
{
    for (int k = 0; k < physics->n_boundary; k++)
        if (physics->boundary[k].kind == kind)
            return &physics->boundary[k];
    return NULL;
}

int ritz_field_components(const ritz_result_field *field)
{
    int n = 0;
    while (field->components[n])
        n++;
    return n ? n : 1;
}

bool ritz_field_follows(const ritz_result_field *field)
{
    return field->derive || field->turn;
}

/* ---- Forms ---- */

/* With the bounds of the properties. */
static ritz_status build_form(const ritz_physics *physics, int dim, ritz_form_builder *build, ritz_form **form)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_form_build(physics->name, dim, ritz_physics_components(physics, dim), build, form));
    (*form)->symmetric = physics->symmetric;
    for (int p = 0; p < physics->n_properties; p++)
        if (physics->properties[p].bounds)
            ritz_form_bound_data(*form, physics->properties[p].name, physics->properties[p].bounds);
done:
    return status;
}

ritz_status ritz_physics_newton(const ritz_physics *physics, int dim, ritz_form **form)
{
    return build_form(physics, dim, physics->newton, form);
}

ritz_status ritz_form_create(const char *name, int dim, ritz_form **form)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(name);
    RITZ_REQUIRE_POINTER(form);
    RITZ_REQUIRE(dim == 2 || dim == 3, RITZ_ERROR_INPUT, "a form has 2 or 3 dimensions, not %d", dim);
    const ritz_physics *physics = ritz_physics_named(name);
    if (!physics) {
        const char *names[RITZ_PHYSICS_MOST];
        const int n = ritz_physics_names(true, names);
        return ritz_refuse_name(&(ritz_name_table){.what = "form", .names = names, .n = n}, name, NULL);
    }
    RITZ_REQUIRE(physics->dim == 0 || physics->dim == dim, RITZ_ERROR_INPUT,
                 "the form '%s' is for %dD meshes, this one is %dD: %s", name, physics->dim, dim, physics->otherwise);
    RITZ_TRY(build_form(physics, dim, physics->build, form));
done:
    return status;
}

ritz_status ritz_physics_self_strain(const ritz_physics *physics, int dim, ritz_form **form)
{
    return ritz_form_build(physics->name, dim, ritz_physics_components(physics, dim), physics->self_strain, form);
}

bool ritz_is_stiffness(ritz_boundary_kind kind)
{
    return kind == RITZ_BOUNDARY_SPRING || kind == RITZ_BOUNDARY_BEDDING;
}

bool ritz_is_total(ritz_boundary_kind kind)
{
    return kind == RITZ_BOUNDARY_FORCE || kind == RITZ_BOUNDARY_MOMENT || kind == RITZ_BOUNDARY_POINT;
}
