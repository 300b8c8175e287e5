/* What solids share: the properties of their materials, and what follows from stresses. */
#ifndef RITZ_SRC_PHYSICS_SOLID_H
#define RITZ_SRC_PHYSICS_SOLID_H

#include "physics/elastic.h"
#include "physics/physics.h"

/* Places of the properties. Those of the plane are all; in space all but the thickness. */
enum {
    RITZ_SOLID_YOUNG,
    RITZ_SOLID_POISSON,
    RITZ_SOLID_SHEAR,
    RITZ_SOLID_STIFFNESS, /* c11 and the other 20 */
    RITZ_SOLID_DENSITY = RITZ_SOLID_STIFFNESS + RITZ_N_STIFFNESS,
    RITZ_SOLID_FORCE,
    RITZ_SOLID_YIELD,
    RITZ_SOLID_EXPANSION,
    RITZ_SOLID_TEMPERATURE,
    RITZ_SOLID_REFERENCE,
    RITZ_SOLID_INITIAL_STRESS,
    RITZ_N_SOLID_IN_SPACE,
    RITZ_SOLID_THICKNESS = RITZ_N_SOLID_IN_SPACE,
    RITZ_N_SOLID_IN_PLANE
};
extern const ritz_property ritz_solid_properties[RITZ_N_SOLID_IN_PLANE];
extern const ritz_property_group ritz_stiffness_group;
/* anisotropic.c: the general cases of the physics of solids, and which materials need them. */
extern const ritz_physics ritz_elasticity, ritz_plane_stress, ritz_plane_strain, ritz_axisymmetric;
extern const ritz_physics ritz_anisotropic_elasticity, ritz_anisotropic_plane_stress, ritz_anisotropic_plane_strain,
    ritz_anisotropic_axisymmetric;
bool ritz_is_anisotropic(const int *n, bool turned);
ritz_status ritz_check_solid_material(const int *n);
/* solid.c: Hooke's law without Lame's first parameter. */
ritz_status ritz_mix_solid(int p, const char *const *value, char **mixed);
/* solid.c: body loads, boundary and synonyms, of use to both. */
extern const ritz_body_load ritz_solid_body_loads[4];
extern const ritz_boundary_key ritz_solid_boundary[10];
/* axisymmetric.c, likewise. */
extern const ritz_body_load ritz_ring_body_loads[4];
extern const ritz_boundary_key ritz_ring_boundary[8];

/* Hooke's law and the strain from the displacement gradient: xx yy zz xy yz xz; data of the stress: young, poisson. */
ritz_point_function ritz_find_solid_stress, ritz_find_solid_strain;

/* The form of what a solid strains by itself (thermal strain, initial stress). measure: the datum that all integrals are
   multiplied by, NULL: none; pressure: Lame's first parameter times the trace of the strain e_x, e_y, e_z; across: what
   the strain across the plane is less by, NULL: that strain is prescribed. */
ritz_status ritz_build_self_strain(ritz_form *form, const char *measure, const char *pressure, const char *across);
/* The parts of it: temperatures and initial stress; the loads of the intermediates s_xx and so on. */
void ritz_add_self_strain_data(ritz_form *form, const char *measure);
ritz_status ritz_add_stress_loads(ritz_form *form, const char *measure);
#define RITZ_SELF_STRAIN_PRESSURE "young * poisson / ((1 + poisson) * (1 - 2 * poisson)) * (e_x + e_y + e_z)"
/* The first coefficients of the form, as a field's `offset`: what Hooke's law of the whole strain gives too much, with
   `pressure` after it (0 where no element is mixed), and what strains that follow from those in the plane lack. */
enum { RITZ_STRESS_OFFSET = 1, RITZ_STRAIN_OFFSET = 8 };
#define RITZ_SOLID_TENSOR "xx", "yy", "zz", "xy", "yz", "xz"
/* Loads on the whole body. */
#define RITZ_TEMPERATURE_LOADS                                                                                         \
    {.name = "temperature", .example = "temperature: 80", .property = "temperature", .nodal = "temperature"},          \
    {                                                                                                                  \
        .name = "reference_temperature", .example = "reference_temperature: 20", .property = "reference_temperature",  \
        .no_load = true, .nodal = "temperature"                                                                        \
    }

/* stress.c: from stresses xx yy zz xy yz xz. */
ritz_derive_function ritz_find_von_mises, ritz_find_tresca, ritz_find_principal, ritz_find_safety;
ritz_derive_function ritz_find_direction_1, ritz_find_direction_2, ritz_find_direction_3;

/* What all linear solids have. */
#define RITZ_SOLID                                                                                                     \
    .vector = true, .symmetric = true, .materials_example = "young: 210e9, poisson: 0.3",                              \
    .all_loads = "a traction, a pressure, gravity, a force, a temperature or a displacement other than zero",          \
    .properties = ritz_solid_properties, .mix = ritz_mix_solid

/* Fields of results. stress_data and strain_data: what the functions at a point read. */
#define RITZ_PRINCIPAL_DIRECTION(k)                                                                                    \
    {                                                                                                                  \
        .name = "principal_direction_" #k, .words = "principal direction", .components = {"x", "y", "z"},              \
        .derive = ritz_find_direction_##k, .on_request = true                                                          \
    }
#define RITZ_IN_MATERIAL(field, in_words)                                                                              \
    {                                                                                                                  \
        .name = "material_" field, .words = in_words " along the material's axes",                                     \
        .components = {"11", "22", "33", "12", "23", "13"}, .turn = ritz_turn_to_axes, .on_request = true              \
    }
#define RITZ_SOLID_FIELDS(strain_at_point, strain_data, stress_at_point, stress_data, is_ring)                         \
    {                                                                                                                  \
        {.name = "displacement", .words = "displacement", .components = {"x", "y", "z"}, .largest = true},             \
            {.name = "strain",                                                                                         \
             .words = "strain",                                                                                        \
             .components = {RITZ_SOLID_TENSOR},                                                                        \
             .at_point = (strain_at_point),                                                                            \
             .hoop = (is_ring),                                                                                        \
             .data = {strain_data},                                                                                    \
             .offset = RITZ_STRAIN_OFFSET,                                                                             \
             .on_request = true},                                                                                      \
            RITZ_IN_MATERIAL("strain", "strain"),                                                                      \
            {.name = "stress",                                                                                         \
             .words = "stress",                                                                                        \
             .components = {RITZ_SOLID_TENSOR},                                                                        \
             .at_point = (stress_at_point),                                                                            \
             .has_pressure = true,                                                                                     \
             .hoop = (is_ring),                                                                                        \
             .data = {stress_data},                                                                                    \
             .offset = RITZ_STRESS_OFFSET},                                                                            \
            RITZ_IN_MATERIAL("stress", "stress"),                                                                      \
            {.name = "von_mises", .words = "von Mises stress", .derive = ritz_find_von_mises, .largest = true},        \
            {.name = "tresca",                                                                                         \
             .words = "Tresca stress",                                                                                 \
             .derive = ritz_find_tresca,                                                                               \
             .largest = true,                                                                                          \
             .on_request = true},                                                                                      \
            {.name = "principal_stress",                                                                               \
             .words = "principal stress",                                                                              \
             .components = {"1", "2", "3"},                                                                            \
             .derive = ritz_find_principal,                                                                            \
             .largest = true,                                                                                          \
             .first_alone = true,                                                                                      \
             .on_request = true},                                                                                      \
            RITZ_PRINCIPAL_DIRECTION(1), RITZ_PRINCIPAL_DIRECTION(2), RITZ_PRINCIPAL_DIRECTION(3),                     \
            {.name = "safety",                                                                                         \
             .words = "safety factor",                                                                                 \
             .derive = ritz_find_safety,                                                                               \
             .property = "yield",                                                                                      \
             .smallest = true,                                                                                         \
             .on_request = true},                                                                                      \
    }

#define RITZ_NO_MODES_IN_RINGS "there are no incompatible modes in axisymmetric; take  order: 2  for bending"

#endif
