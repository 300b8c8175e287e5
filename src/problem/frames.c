/* Coordinate systems by name: turned axes, cylindrical ones, and those that vary from place to place, for supports, loads and
   materials. */
#include "problem/frames.h"
#include "base/point.h"
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const turned_names[] = {"x", "y", "z"};
static const char *const cylindrical_names[] = {"radial", "tangential", "axial"};

const char *const *ritz_frame_components(const ritz_frame *system)
{
    return system->cylindrical ? cylindrical_names : turned_names;
}

/* ---- Reading ---- */

typedef struct given_frame {
    double origin[3], axis[3], rotate[3];
    ritz_vector x, xy; /* go on to the system */
} given_frame;

static ritz_status scale_to_unit(double *v, const char *name, const ritz_place *place)
{
    ritz_status status = RITZ_OK;
    const double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2]))); /* squares of the given may be 0 or infinite */
    for (int d = 0; d < 3; d++)
        RITZ_REQUIRE_AT(isfinite(v[d]), place,
                        "component %d of '%s' is not finite here; give an expression that is, all over the body", d + 1,
                        name);
    RITZ_REQUIRE_AT(most > 0, place, "'%s' has no direction: all its components are 0", name);
    for (int d = 0; d < 3; d++)
        v[d] /= most;
    ritz_scale_to_unit(v);
done:
    return status;
}

/* Turned about x, then about y, then about z, which stay where they are. */
static void turn_axes(const double *degrees, double axes[3][3])
{
    for (int i = 0; i < 3; i++) {
        axes[i][0] = i == 0, axes[i][1] = i == 1, axes[i][2] = i == 2;
        for (int a = 0; a < 3; a++) {
            const double angle = degrees[a] * (acos(-1) / 180), c = cos(angle), s = sin(angle);
            const int p = (a + 1) % 3, q = (a + 2) % 3;
            const double u = axes[i][p], v = axes[i][q];
            axes[i][p] = c * u - s * v;
            axes[i][q] = s * u + c * v;
        }
    }
}

/* Three axes from the first one and a direction in the plane of the first two (has_xy), or as near to z as can be. */
static ritz_status span_axes(const ritz_frame *system, double xy[3], bool has_xy, double axes[3][3])
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(scale_to_unit(axes[0], "x", &system->place));
    if (!has_xy)
        ritz_cross((const double[]){0, 0, 1}, axes[0], xy);
    else
        RITZ_TRY(scale_to_unit(xy, "xy", &system->place));
    ritz_cross(axes[0], xy, axes[2]);
    RITZ_REQUIRE_AT(has_xy || ritz_length(axes[2]) > 1e-9, &system->place,
                    "the x axis of the system '%s' lies along z, where the other two could be any; add for example  "
                    "xy: [0, 1, 0]",
                    system->name);
    RITZ_REQUIRE_AT(ritz_length(axes[2]) > 1e-9, &system->place,
                    "'xy' of the system '%s' lies along its x axis; give another point or direction in the plane of "
                    "x and y, like  xy: [0, 1, 0]",
                    system->name);
    RITZ_TRY(scale_to_unit(axes[2], "xy", &system->place));
    ritz_cross(axes[2], axes[0], axes[1]);
done:
    return status;
}

static void evaluate_vector(const ritz_vector *v, const double at[3], double value[3])
{
    for (int c = 0; c < 3; c++)
        value[c] = c < v->n ? ritz_quantity_at(&v->component[c], at) : 0;
}

/* Axes that follow from x and xy; of those that vary, only what can be checked at once. */
static ritz_status make_spanned_axes(const ritz_problem *problem, ritz_frame *system)
{
    static const double nowhere[3];
    double xy[3], axes[3][3];
    ritz_status status = RITZ_OK;
    system->varies = !ritz_vector_is_constant(&system->x) || !ritz_vector_is_constant(&system->xy);
    RITZ_REQUIRE_AT(!system->varies || problem->physics->dim != 2 || (system->x.n < 3 && system->xy.n < 3),
                    &system->place, "the system '%s' leaves the plane; give two components of 'x' and 'xy'",
                    system->name);
    if (system->varies) {
        system->axes[2][2] = 1;
        return RITZ_OK;
    }
    evaluate_vector(&system->x, nowhere, axes[0]);
    evaluate_vector(&system->xy, nowhere, xy);
    RITZ_TRY(span_axes(system, xy, system->xy.n > 0, axes));
    memcpy(system->axes, axes, sizeof axes);
done:
    return status;
}

static ritz_status make_axes(const ritz_node *node, const given_frame *g, const ritz_problem *problem,
                             ritz_frame *system)
{
    ritz_status status = RITZ_OK;
    const bool has_axis = ritz_node_find(node, "axis") >= 0, has_x = ritz_node_find(node, "x") >= 0,
               has_xy = ritz_node_find(node, "xy") >= 0, has_turn = ritz_node_find(node, "rotate") >= 0;
    RITZ_REQUIRE_AT(has_axis + has_x + has_turn == 1 && has_xy <= has_x, &system->place,
                    "the system '%s' must have one of 'axis' (cylindrical), 'rotate' (angles), and 'x' with or without "
                    "'xy' (directions), like  %s: {axis: [0, 0, 1]}",
                    system->name, system->name);
    system->cylindrical = has_axis;
    if (has_turn) {
        turn_axes(g->rotate, system->axes);
    } else if (has_axis) {
        memcpy(system->axes[2], g->axis, sizeof g->axis);
        RITZ_TRY(scale_to_unit(system->axes[2], "axis", &system->place));
    } else {
        RITZ_TRY(make_spanned_axes(problem, system));
    }
    RITZ_REQUIRE_AT(problem->physics->dim != 2 || fabs(system->axes[2][2]) > 1 - 1e-12, &system->place,
                    "the system '%s' leaves the plane; its third axis must be z", system->name);
    memcpy(system->origin, g->origin, sizeof g->origin);
done:
    return status;
}

static ritz_status read_system(const ritz_node *node, ritz_problem *problem, ritz_frame *system)
{
#define VECTOR(field, text)                                                                                            \
    {                                                                                                                  \
        .name = #field, .read = ritz_read_reals, .offset = offsetof(given_frame, field), .example = (text),            \
        .least = 2, .most = 3                                                                                          \
    }
#define QUANTITIES(field, text)                                                                                        \
    {                                                                                                                  \
        .name = #field, .read = ritz_read_components, .offset = offsetof(given_frame, field), .example = (text),       \
        .least = 2, .most = 3                                                                                          \
    }
    static const ritz_key keys[] = {
        VECTOR(origin, "origin: [0.1, 0, 0]"),
        {.name = "axis",
         .read = ritz_read_reals,
         .offset = offsetof(given_frame, axis),
         .example = "axis: [0, 0, 1]",
         .least = 3,
         .most = 3},
        QUANTITIES(x, "x: [1, 1, 0]"),
        QUANTITIES(xy, "xy: [0, 1, 0]"),
        {.name = "rotate",
         .read = ritz_read_reals,
         .offset = offsetof(given_frame, rotate),
         .example = "rotate: [0, 0, 30]",
         .least = 3,
         .most = 3},
    };
#undef VECTOR
#undef QUANTITIES
    ritz_status status = RITZ_OK;
    given_frame given = {0};
    char what[96];
    system->place = node->place;
    snprintf(what, sizeof what, "the system '%.60s'", system->name);
    if (node->kind != RITZ_NODE_MAP)
        return ritz_fail_at(RITZ_ERROR_INPUT, &node->place, "%s takes a map, like  {axis: [0, 0, 1]}", what);
    status = ritz_read_map(node, what, keys, RITZ_N_KEYS(keys), &given, problem);
    system->x = given.x;
    system->xy = given.xy;
    RITZ_TRY(status);
    RITZ_TRY(make_axes(node, &given, problem, system));
done:
    return status;
}

/* Whether something has a direction: the unknown, or a field that follows from it. */
static bool has_vectors(const ritz_physics *physics)
{
    bool any = physics->vector;
    for (int f = 0; f < physics->n_fields; f++)
        any = any || ritz_field_is_local(&physics->fields[f]);
    return any;
}

ritz_status ritz_read_frames(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_problem *problem = target;
    char **names = NULL;
    int first, again;
    bool repeated;
    if (node->kind != RITZ_NODE_MAP || node->n == 0)
        return ritz_wrong_type(node, key, "a map of systems by their names");
    RITZ_REQUIRE_AT(has_vectors(problem->physics), &node->place, "'systems' has no meaning in %s; remove it",
                    problem->physics->name);
    RITZ_NEW(names, node->n);
    RITZ_NEW(problem->systems, node->n);
    problem->n_systems = node->n;
    for (int i = 0; i < node->n; i++) {
        RITZ_TRY(ritz_read_text(node->keys[i], key, &problem->systems[i].name, context));
        names[i] = problem->systems[i].name;
        RITZ_TRY(read_system(node->values[i], problem, &problem->systems[i]));
    }
    RITZ_TRY(ritz_find_repeated(names, node->n, &first, &again, &repeated));
    RITZ_REQUIRE_AT(!repeated, &problem->systems[again].place,
                    "two systems are called '%s', this one and that on line %d; give them different names",
                    names[again], problem->systems[first].place.line);
done:
    ritz_free(names);
    return status;
}

ritz_status ritz_read_orientation(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = context;
    const ritz_frame **system = target;
    char *name = NULL;
    RITZ_TRY(ritz_read_text(node, key, &name, context));
    for (int i = 0; i < problem->n_systems && !*system; i++)
        if (strcmp(problem->systems[i].name, name) == 0)
            *system = &problem->systems[i];
    RITZ_REQUIRE_AT(*system, &node->place,
                    "there is no system '%.60s'; add for example  systems: {%.60s: {axis: [0, 0, 1]}}", name, name);
done:
    ritz_free(name);
    return status;
}

ritz_status ritz_read_frame_name(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_read_orientation(node, key, target, context));
    RITZ_REQUIRE_AT(!(*(const ritz_frame **)target)->varies, &node->place,
                    "the system '%.60s' is given by expressions, which only the 'orientation' of a material takes",
                    node->text);
done:
    return status;
}

void ritz_frames_free(ritz_frame **systems, int *n)
{
    for (int i = 0; *systems && i < *n; i++) {
        ritz_free((*systems)[i].name);
        ritz_vector_free(&(*systems)[i].x);
        ritz_vector_free(&(*systems)[i].xy);
    }
    ritz_free(*systems);
    *systems = NULL;
    *n = 0;
}

/* ---- Directions ---- */

bool ritz_frame_direction(const ritz_frame *system, int component, const double x[3], double direction[3])
{
    double radial[3];
    memcpy(direction, system->axes[component], 3 * sizeof *direction);
    if (!system->cylindrical || component == 2)
        return true;
    const bool is_off = ritz_radial_direction(system->axes[2], system->origin, x, radial);
    if (component == 0)
        memcpy(direction, radial, sizeof radial);
    else
        ritz_cross(system->axes[2], radial, direction);
    return is_off;
}

bool ritz_frame_is_constant(const ritz_frame *system)
{
    return !system || !(system->cylindrical || system->varies);
}

ritz_status ritz_frame_axes(const ritz_frame *system, const double x[3], double axes[3][3])
{
    static const double along[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double xy[3];
    if (system && system->varies) {
        evaluate_vector(&system->x, x, axes[0]);
        evaluate_vector(&system->xy, x, xy);
        return span_axes(system, xy, system->xy.n > 0, axes);
    }
    memcpy(axes, system ? system->axes : along, sizeof along);
    if (!system || !system->cylindrical)
        return RITZ_OK;
    ritz_radial_direction(axes[2], system->origin, x, axes[0]);
    ritz_cross(axes[2], axes[0], axes[1]);
    return RITZ_OK;
}

/* The vector from the axis, component by component, in the expression's x y z. */
static ritz_status write_arm(const ritz_frame *system, char *arm[3])
{
    ritz_status status = RITZ_OK;
    const double *a = system->axes[2], *o = system->origin;
    for (int d = 0; d < 3; d++)
        RITZ_TRY(
            ritz_format(&arm[d],
                        "((%c - (%.17g)) - (%.17g) * ((%.17g) * (x - (%.17g)) + (%.17g) * (y - (%.17g)) + (%.17g) * "
                        "(z - (%.17g))))",
                        'x' + d, o[d], a[d], a[0], o[0], a[1], o[1], a[2], o[2]));
done:
    return status;
}

/* 1 / distance from the axis; 0 next to the axis, where there is no direction. */
static ritz_status write_scale(char *arm[3], double least, char **scale)
{
    ritz_status status = RITZ_OK;
    char *r = NULL;
    RITZ_TRY(ritz_format(&r, "sqrt(%s*%s + %s*%s + %s*%s)", arm[0], arm[0], arm[1], arm[1], arm[2], arm[2]));
    RITZ_TRY(ritz_format(scale, "(step(%.17g, %s) / fmax(%s, %.17g))", least, r, r, least));
done:
    ritz_free(r);
    return status;
}

ritz_status ritz_frame_turn(const ritz_frame *system, const ritz_vector *given, double size, ritz_vector *turned)
{
    ritz_status status = RITZ_OK;
    const double *a = system->axes[2];
    char *arm[3] = {NULL}, *scale = NULL, *text = NULL;
    RITZ_TRY(write_arm(system, arm));
    RITZ_TRY(write_scale(arm, 1e-12 * size, &scale));
    for (int d = 0; d < given->n; d++) {
        ritz_text sum = {0};
        const int p = (d + 1) % 3, q = (d + 2) % 3;
        for (int c = 0; c < given->n; c++) {
            const char *value = ritz_expression_text(given->component[c].expression);
            if (!system->cylindrical || c == 2)
                ritz_text_add(&sum, "%s(%.17g) * (%s)", c ? " + " : "", system->axes[c][d], value);
            else if (c == 0)
                ritz_text_add(&sum, "(%s) * %s * (%s)", arm[d], scale, value);
            else
                ritz_text_add(&sum, " + ((%.17g) * %s - (%.17g) * %s) * %s * (%s)", a[p], arm[q], a[q], arm[p], scale,
                              value);
        }
        status = ritz_text_take(&sum, &text);
        ritz_text_free(&sum);
        RITZ_TRY(status);
        RITZ_TRY(ritz_quantity_create(text, given->place, &turned->component[d]));
        turned->n = d + 1;
        ritz_free(text);
        text = NULL;
    }
    turned->place = given->place;
done:
    for (int d = 0; d < 3; d++)
        ritz_free(arm[d]);
    ritz_free(scale);
    ritz_free(text);
    return status;
}
