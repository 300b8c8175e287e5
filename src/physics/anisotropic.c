/* Solids that are linear, hardly strained, and not the same in all directions: the general cases of elasticity, plane
   stress, plane strain and axisymmetric solids. The form has the elastic constants along x y z as data; they follow at
   each point from the properties of the material and its axes. */
#include "physics/solid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Forms ---- */

/* Part of a strain in Voigt's order: derivative D of component E, or the component itself over x. */
typedef struct strain_part {
    int strain, E, D;
} strain_part;
static const strain_part in_space[] = {{0, 0, 1}, {1, 1, 2}, {2, 2, 3}, {3, 1, 3}, {3, 2, 2},
                                       {4, 0, 3}, {4, 2, 1}, {5, 0, 2}, {5, 1, 1}};
static const strain_part in_ring[] = {{0, 0, 1}, {1, 1, 2}, {5, 0, 2}, {5, 1, 1}, {2, 0, 0}};
enum { N_IN_SPACE = 9, N_IN_RING = 5, N_IN_PLANE = 4 /* of the ring's */ };

/* strain(v) : c strain(u), times the measure where there is one. */
static ritz_status add_stiffness(ritz_form *form, const strain_part *parts, int n, const char *measure)
{
    ritz_status status = RITZ_OK;
    int coefficient[6][6];
    memset(coefficient, -1, sizeof coefficient);
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++) {
            const strain_part *a = &parts[p], *b = &parts[q];
            const int row = a->strain < b->strain ? a->strain : b->strain, column = a->strain + b->strain - row;
            const int over_x = (a->D == 0) + (b->D == 0);
            int *k = &coefficient[row][column];
            char text[64];
            snprintf(text, sizeof text, "%s%s%s%s", measure ? measure : "", measure ? " * " : "",
                     ritz_stiffness_names[ritz_stiffness_place(row, column)],
                     over_x == 2   ? " / (x * x)"
                     : over_x == 1 ? " / x"
                                   : "");
            if (*k < 0)
                RITZ_TRY(ritz_form_add_coefficient(form, text, k));
            ritz_form_add_term(form, a->E, b->E, a->D, b->D, *k);
        }
done:
    return status;
}

static ritz_status build_form(ritz_form *form, const ritz_derivation *derivation, int n_data, const strain_part *parts,
                              int n, const char *measure)
{
    ritz_status status = RITZ_OK;
    char text[64];
    for (int d = 0; d < n_data; d++)
        ritz_form_add_data(form, derivation->names[d], NAN);
    if (measure)
        ritz_form_add_data(form, measure, strcmp(measure, "thickness") == 0 ? 1 : NAN);
    ritz_form_add_vector_data(form, "force", 0);
    RITZ_TRY(add_stiffness(form, parts, n, measure));
    for (int d = 0; d < form->dim; d++) {
        snprintf(text, sizeof text, "%s%sforce_%c", measure ? measure : "", measure ? " * " : "", "xyz"[d]);
        RITZ_TRY(ritz_form_add_load(form, d, 0, 1, text));
    }
done:
    return status;
}

/* The stress of a degree of temperature is derived, like the strain across a sheet. */
static ritz_status build_self_strain(ritz_form *form, const char *measure, bool is_sheet)
{
    static const char *const tensor[6] = {RITZ_SOLID_TENSOR};
    ritz_status status = RITZ_OK;
    char name[32], text[96];
    int k;
    for (int c = 0; c < 6; c++) {
        snprintf(name, sizeof name, "t_%s", tensor[c]);
        ritz_form_add_data(form, name, 0);
    }
    if (is_sheet)
        ritz_form_add_data(form, "across", 0);
    ritz_add_self_strain_data(form, measure);
    for (int c = 0; c < 6; c++) {
        const bool missing = form->dim == 2 && (c > 3 || (c == 2 && is_sheet));
        snprintf(name, sizeof name, "s_%s", tensor[c]);
        snprintf(text, sizeof text, "t_%s * (temperature - reference_temperature) - initial_stress_%s", tensor[c],
                 tensor[c]);
        RITZ_TRY(ritz_form_add_intermediate(form, name, missing ? "0" : text));
        RITZ_TRY(ritz_form_add_coefficient(form, name, &k));
    }
    RITZ_TRY(ritz_form_add_coefficient(form, "0", &k)); /* the pressure of mixed elements */
    for (int c = 0; c < 6; c++)
        RITZ_TRY(ritz_form_add_coefficient(
            form, c == 2 && is_sheet ? "-across * (temperature - reference_temperature)" : "0", &k));
    RITZ_TRY(ritz_add_stress_loads(form, measure));
done:
    return status;
}

/* ---- The constants of a material at a point ---- */

/* Of the material along its own axes. */
static ritz_status make_constants(const ritz_point_material *m, double c[6][6])
{
    ritz_status status = RITZ_OK;
    const double(*value)[RITZ_MAX_COMPONENTS] = m->value;
    if (m->n[RITZ_SOLID_YOUNG] == 3)
        return ritz_make_orthotropic(value[RITZ_SOLID_YOUNG], value[RITZ_SOLID_POISSON], value[RITZ_SOLID_SHEAR], c);
    if (m->n[RITZ_SOLID_YOUNG]) {
        const double young = value[RITZ_SOLID_YOUNG][0], poisson = value[RITZ_SOLID_POISSON][0];
        RITZ_REQUIRE(young > 0, RITZ_ERROR_INPUT, "'young' must be greater than 0; it is %g", young);
        RITZ_REQUIRE(poisson > -1 && poisson < 0.5, RITZ_ERROR_INPUT, "'poisson' must be inside (-1, 0.5); it is %g",
                     poisson);
        ritz_make_isotropic(young, poisson, c);
        return RITZ_OK;
    }
    double constants[RITZ_N_STIFFNESS];
    for (int k = 0; k < RITZ_N_STIFFNESS; k++)
        constants[k] = value[RITZ_SOLID_STIFFNESS + k][0];
    ritz_spread_stiffness(constants, c);
    RITZ_TRY(ritz_check_stiffness(c));
done:
    return status;
}

/* Along x y z: stiffness, and the stress that holds the strain of one degree (Voigt's order). */
static ritz_status make_global(const ritz_point_material *m, double c[6][6], double thermal[6])
{
    ritz_status status = RITZ_OK;
    double axes[3][3], local[6];
    memcpy(axes, m->axes, sizeof axes);
    RITZ_TRY(make_constants(m, c));
    for (int a = 0; a < 6; a++) {
        local[a] = 0;
        for (int b = 0; b < 3; b++)
            local[a] += c[a][b] * m->value[RITZ_SOLID_EXPANSION][b];
    }
    ritz_turn_to_global(axes, local, thermal);
    ritz_turn_stiffness(axes, c);
done:
    return status;
}

/* xx yy zz xy yz xz from Voigt's order. */
static void sort_thermal(const double thermal[6], double *sorted)
{
    static const int order[6] = {0, 1, 2, 5, 3, 4};
    for (int k = 0; k < 6; k++)
        sorted[k] = thermal[order[k]];
}

static ritz_status derive_in_space(const ritz_point_material *m, double *values)
{
    ritz_status status = RITZ_OK;
    double c[6][6], thermal[6];
    RITZ_TRY(make_global(m, c, thermal));
    for (int a = 0; a < 6; a++)
        for (int b = a; b < 6; b++)
            values[ritz_stiffness_place(a, b)] = c[a][b];
    sort_thermal(thermal, values + RITZ_N_STIFFNESS);
done:
    return status;
}

/* Stresses in the plane cause no shear out of it. */
static ritz_status check_plane(double c[6][6])
{
    ritz_status status = RITZ_OK;
    static const double rounding = 1e-9;
    static const int coupled[8][2] = {{0, 3}, {0, 4}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 5}, {4, 5}};
    for (int k = 0; k < 8; k++) {
        const int a = coupled[k][0], b = coupled[k][1];
        RITZ_REQUIRE(fabs(c[a][b]) <= rounding * sqrt(c[a][a] * c[b][b]), RITZ_ERROR_INPUT,
                     "the plane is no plane of symmetry of the material (c%d%d is not 0), so that it would leave the "
                     "plane; use elasticity on a 3D mesh",
                     a + 1, b + 1);
    }
done:
    return status;
}

/* Where the constants of plane and ring stand. */
static const int plane_places[10][2] = {{0, 0}, {0, 1}, {0, 2}, {0, 5}, {1, 1}, {1, 2}, {1, 5}, {2, 2}, {2, 5}, {5, 5}};
enum { N_PLANE = 10, N_SHEET = 9 };

static ritz_status derive_in_plane(const ritz_point_material *m, double *values)
{
    ritz_status status = RITZ_OK;
    double c[6][6], thermal[6];
    RITZ_TRY(make_global(m, c, thermal));
    RITZ_TRY(check_plane(c));
    for (int k = 0; k < N_PLANE; k++)
        values[k] = c[plane_places[k][0]][plane_places[k][1]];
    sort_thermal(thermal, values + N_PLANE);
done:
    return status;
}

/* The stress across the sheet vanishes: e_zz = r_xx e_xx + r_yy e_yy + r_xy g_xy + across (T - T_ref). */
static ritz_status derive_in_sheet(const ritz_point_material *m, double *values)
{
    ritz_status status = RITZ_OK;
    static const int in[3] = {0, 1, 5};
    double c[6][6], thermal[6];
    int n = 0;
    RITZ_TRY(make_global(m, c, thermal));
    RITZ_TRY(check_plane(c));
    for (int a = 0; a < 3; a++)
        for (int b = a; b < 3; b++)
            values[n++] = c[in[a]][in[b]] - c[in[a]][2] * c[2][in[b]] / c[2][2];
    for (int a = 0; a < 3; a++)
        values[n++] = -c[2][in[a]] / c[2][2];
    for (int a = 0; a < 6; a++)
        thermal[a] -= a == 2 ? 0 : c[a][2] / c[2][2] * thermal[2];
    sort_thermal(thermal, values + n);
    values[n + 6] = thermal[2] / c[2][2];
done:
    return status;
}

#define THERMAL "t_xx", "t_yy", "t_zz", "t_xy", "t_yz", "t_xz"
#define IN_SPACE                                                                                                       \
    "c11", "c12", "c13", "c14", "c15", "c16", "c22", "c23", "c24", "c25", "c26", "c33", "c34", "c35", "c36", "c44",    \
        "c45", "c46", "c55", "c56", "c66"
#define IN_PLANE "c11", "c12", "c13", "c16", "c22", "c23", "c26", "c33", "c36", "c66"
#define IN_SHEET "c11", "c12", "c16", "c22", "c26", "c66", "r_xx", "r_yy", "r_xy"
static const char *const names_in_space[] = {IN_SPACE, THERMAL}, *const names_in_plane[] = {IN_PLANE, THERMAL},
                         *const names_in_sheet[] = {IN_SHEET, THERMAL, "across"};
static const ritz_derivation space_derivation = {names_in_space, RITZ_N_STIFFNESS + 6, derive_in_space},
                             plane_derivation = {names_in_plane, N_PLANE + 6, derive_in_plane},
                             sheet_derivation = {names_in_sheet, N_SHEET + 7, derive_in_sheet};

static ritz_status build_in_space(ritz_form *form)
{
    return build_form(form, &space_derivation, RITZ_N_STIFFNESS, in_space, N_IN_SPACE, NULL);
}

static ritz_status build_in_plane(ritz_form *form)
{
    return build_form(form, &plane_derivation, N_PLANE, in_ring, N_IN_PLANE, "thickness");
}

static ritz_status build_in_sheet(ritz_form *form)
{
    return build_form(form, &sheet_derivation, N_SHEET, in_ring, N_IN_PLANE, "thickness");
}

static ritz_status build_in_ring(ritz_form *form)
{
    return build_form(form, &plane_derivation, N_PLANE, in_ring, N_IN_RING, "circumference");
}

static ritz_status build_space_strain(ritz_form *form)
{
    return build_self_strain(form, NULL, false);
}

static ritz_status build_plane_strain(ritz_form *form)
{
    return build_self_strain(form, "thickness", false);
}

static ritz_status build_sheet_strain(ritz_form *form)
{
    return build_self_strain(form, "thickness", true);
}

/* The hoop stress acts on u_x / x. */
static ritz_status build_ring_strain(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(build_self_strain(form, "circumference", false));
    RITZ_TRY(ritz_form_add_load(form, 0, 0, 1, "circumference * s_zz / x"));
done:
    return status;
}

/* ---- Stress and strain at a point ---- */

static void find_stress(const double *data, double g[3][3], double *s)
{
    const double e[6] = {g[0][0], g[1][1], g[2][2], g[1][2] + g[2][1], g[0][2] + g[2][0], g[0][1] + g[1][0]};
    double voigt[6];
    for (int a = 0; a < 6; a++) {
        voigt[a] = 0;
        for (int b = 0; b < 6; b++)
            voigt[a] += data[ritz_stiffness_place(a, b)] * e[b];
    }
    sort_thermal(voigt, s);
}

/* Also of the ring, whose hoop strain is g[2][2]. */
static void find_plane_stress(const double *data, double g[3][3], double *s)
{
    static const int place[6] = {0, 1, 2, -1, -1, 3}; /* of Voigt's in xx yy zz xy */
    const double e[4] = {g[0][0], g[1][1], g[2][2], g[0][1] + g[1][0]};
    memset(s, 0, 6 * sizeof *s);
    for (int k = 0; k < N_PLANE; k++) {
        const int a = place[plane_places[k][0]], b = place[plane_places[k][1]];
        s[a] += data[k] * e[b];
        s[b] += a == b ? 0 : data[k] * e[a];
    }
}

static void find_sheet_stress(const double *data, double g[3][3], double *s)
{
    const double e[3] = {g[0][0], g[1][1], g[0][1] + g[1][0]};
    s[0] = data[0] * e[0] + data[1] * e[1] + data[2] * e[2];
    s[1] = data[1] * e[0] + data[3] * e[1] + data[4] * e[2];
    s[3] = data[2] * e[0] + data[4] * e[1] + data[5] * e[2];
    s[2] = s[4] = s[5] = 0;
}

static void find_sheet_strain(const double *data, double g[3][3], double *e)
{
    g[2][2] = data[0] * g[0][0] + data[1] * g[1][1] + data[2] * (g[0][1] + g[1][0]);
    ritz_find_solid_strain(NULL, g, e);
}

/* ---- Tables ---- */

static bool has_stiffness(const int *n)
{
    for (int k = 0; k < RITZ_N_STIFFNESS; k++)
        if (n[RITZ_SOLID_STIFFNESS + k])
            return true;
    return false;
}

bool ritz_is_anisotropic(const int *n, bool turned)
{
    return has_stiffness(n) || n[RITZ_SOLID_YOUNG] == 3 || (turned && n[RITZ_SOLID_EXPANSION]);
}

ritz_status ritz_check_solid_material(const int *n)
{
    ritz_status status = RITZ_OK;
    const int young = n[RITZ_SOLID_YOUNG], poisson = n[RITZ_SOLID_POISSON], shear = n[RITZ_SOLID_SHEAR];
    RITZ_REQUIRE(!has_stiffness(n) || !(young || poisson || shear), RITZ_ERROR_INPUT,
                 "a material has either a 'stiffness' or 'young', 'poisson' and 'shear'; remove one of them");
    RITZ_REQUIRE(young != 1 || (poisson == 1 && !shear), RITZ_ERROR_INPUT,
                 "a single 'young' takes a single 'poisson' and no 'shear', which follows; for a material that differs "
                 "by its directions give three of each, like  young: [140e9, 10e9, 10e9]");
    RITZ_REQUIRE(young != 3 || (poisson == 3 && shear == 3), RITZ_ERROR_INPUT,
                 "three values of 'young' take three of 'poisson' and three of 'shear', those of 12, 13 and 23, like  "
                 "poisson: [0.3, 0.3, 0.4], shear: [5e9, 5e9, 3.5e9]");
done:
    return status;
}

static const ritz_result_field space_fields[] =
    RITZ_SOLID_FIELDS(ritz_find_solid_strain, NULL, find_stress, IN_SPACE, false),
                               plane_fields[] =
                                   RITZ_SOLID_FIELDS(ritz_find_solid_strain, NULL, find_plane_stress, IN_PLANE, false),
                               ring_fields[] =
                                   RITZ_SOLID_FIELDS(ritz_find_solid_strain, NULL, find_plane_stress, IN_PLANE, true);
#define RATIOS "r_xx", "r_yy", "r_xy"
static const ritz_result_field sheet_fields[] =
    RITZ_SOLID_FIELDS(find_sheet_strain, RATIOS, find_sheet_stress, IN_SHEET, false);

#define ALIKE " is for problems whose materials are all the same in all directions; "
#define NO_MIXED "'formulation: mixed'" ALIKE "remove it, and take order 3 or more where a Poisson's ratio is near 0.5"
#define SOLID RITZ_SOLID, .form_alone = true, .no_mixed = NO_MIXED
#define LOADS RITZ_TABLE(body_loads, ritz_solid_body_loads), RITZ_TABLE(boundary, ritz_solid_boundary)
#define FLAT                                                                                                           \
    SOLID, LOADS, .dim = 2, .n_properties = RITZ_N_SOLID_IN_PLANE, .thickness = "thickness",                           \
                  .otherwise = "use anisotropic-elasticity for a 3D mesh"

const ritz_physics ritz_anisotropic_elasticity = {
    SOLID,
    LOADS,
    .name = "anisotropic-elasticity",
    .special = &ritz_elasticity,
    .dim = 3,
    .otherwise = "use anisotropic-plane-stress or anisotropic-plane-strain for a 2D mesh",
    .build = build_in_space,
    .self_strain = build_space_strain,
    .derivation = &space_derivation,
    .n_properties = RITZ_N_SOLID_IN_SPACE,
    .warnings = RITZ_LOCKS_IN_BENDING,
    RITZ_TABLE(fields, space_fields),
};

const ritz_physics ritz_anisotropic_plane_stress = {
    FLAT,
    .name = "anisotropic-plane-stress",
    .plane_stress = true,
    .special = &ritz_plane_stress,
    .build = build_in_sheet,
    .self_strain = build_sheet_strain,
    .derivation = &sheet_derivation,
    .warnings = RITZ_LOCKS_IN_BENDING,
    RITZ_TABLE(fields, sheet_fields),
};

const ritz_physics ritz_anisotropic_plane_strain = {
    FLAT,
    .name = "anisotropic-plane-strain",
    .special = &ritz_plane_strain,
    .build = build_in_plane,
    .self_strain = build_plane_strain,
    .derivation = &plane_derivation,
    .warnings = RITZ_LOCKS_IN_BENDING,
    RITZ_TABLE(fields, plane_fields),
};

const ritz_physics ritz_anisotropic_axisymmetric = {
    SOLID,
    RITZ_TABLE(body_loads, ritz_ring_body_loads),
    RITZ_TABLE(boundary, ritz_ring_boundary),
    .name = "anisotropic-axisymmetric",
    .no_incompatible = RITZ_NO_MODES_IN_RINGS,
    .special = &ritz_axisymmetric,
    .dim = 2,
    .axisymmetric = true,
    .otherwise = "use anisotropic-elasticity for a 3D mesh",
    .thickness = "circumference",
    .build = build_in_ring,
    .self_strain = build_ring_strain,
    .derivation = &plane_derivation,
    .n_properties = RITZ_N_SOLID_IN_SPACE,
    RITZ_TABLE(fields, ring_fields),
};
