/* Loads that are given by a few numbers and act as expressions of the place: the acceleration outwards of a body that
   turns, the pressure of a liquid. */
#include "problem/problem.h"

#include <math.h>
#include <string.h>

/* What the file says of a rotation. */
typedef struct rotation {
    double point[3], axis[3];
    double speed, rpm; /* 0: not given */
} rotation;

/* Directions that leave a body of the plane in the plane: along its normal, or in it; a solid of revolution turns about
   its own axis. */
static ritz_status check_axis(const ritz_physics *physics, const rotation *r, const ritz_place *place)
{
    ritz_status status = RITZ_OK;
    const double *a = r->axis;
    RITZ_REQUIRE_AT(a[0] != 0 || a[1] != 0 || a[2] != 0, place,
                    "'axis' is the direction of the axis and has no length; give for example  axis: [0, 0, 1]");
    RITZ_REQUIRE_AT(!physics->axisymmetric || (a[0] == 0 && a[2] == 0 && r->point[0] == 0), place,
                    "a solid of revolution turns about its own axis, y; write  axis: [0, 1]  and no point beside it");
    RITZ_REQUIRE_AT(physics->dim != 2 || a[2] == 0 || (a[0] == 0 && a[1] == 0), place,
                    "an axis that is oblique to the plane pulls out of it; give one along z, or one in the plane");
done:
    return status;
}

ritz_status ritz_read_rotation(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = context;
    ritz_vector *acceleration = target;
    rotation r = {.axis = {0, physics->axisymmetric ? 1 : 0, physics->axisymmetric ? 0 : 1}};
    char *text = NULL;
    const ritz_key keys[] = {
        {.name = "point",
         .read = ritz_read_reals,
         .offset = offsetof(rotation, point),
         .example = "point: [0, 0, 0]",
         .least = 2,
         .most = 3},
        {.name = "axis",
         .read = ritz_read_reals,
         .offset = offsetof(rotation, axis),
         .example = "axis: [0, 0, 1]",
         .least = 2,
         .most = 3},
        {.name = "speed", .read = ritz_read_real, .offset = offsetof(rotation, speed), .example = "speed: 314.16"},
        {.name = "rpm", .read = ritz_read_real, .offset = offsetof(rotation, rpm), .example = "rpm: 3000"}};
    if (node->kind != RITZ_NODE_MAP)
        return ritz_wrong_type(node, key, "a map of an axis and a speed");
    for (int i = 0; i < node->n; i++) /* an axis that is given replaces the usual one whole */
        if (node->keys[i]->kind == RITZ_NODE_SCALAR && strcmp(node->keys[i]->text, "axis") == 0)
            r.axis[0] = r.axis[1] = r.axis[2] = 0;
    RITZ_TRY(ritz_read_map(node, "centrifugal", keys, RITZ_N_KEYS(keys), &r, NULL));
    RITZ_REQUIRE_AT((r.speed != 0) != (r.rpm != 0), &node->place,
                    "a centrifugal load takes one speed that is not 0, in radians per second or in revolutions per "
                    "minute:  speed: 314.16  or  rpm: 3000");
    RITZ_TRY(check_axis(physics, &r, &node->place));
    const double omega = r.speed != 0 ? r.speed : r.rpm * 3.14159265358979323846 / 30;
    const double length = hypot(hypot(r.axis[0], r.axis[1]), r.axis[2]);
    acceleration->place = node->place;
    acceleration->n = physics->dim;
    for (int c = 0; c < physics->dim; c++) {
        double row[3];
        for (int d = 0; d < 3; d++)
            row[d] = omega * omega * ((c == d) - r.axis[c] * r.axis[d] / (length * length));
        RITZ_TRY(ritz_format(&text, "(%.17g)*(x - (%.17g)) + (%.17g)*(y - (%.17g)) + (%.17g)*(z - (%.17g))", row[0],
                             r.point[0], row[1], r.point[1], row[2], r.point[2]));
        RITZ_TRY(ritz_quantity_create(text, node->place, &acceleration->component[c]));
        ritz_free(text);
        text = NULL;
    }
done:
    ritz_free(text);
    return status;
}

/* ---- Liquids ---- */

typedef struct liquid {
    double level, density, gravity[3];
} liquid;

ritz_status ritz_read_hydrostatic(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = context;
    ritz_vector *pressure = target;
    liquid l = {0};
    char *text = NULL;
    const ritz_key keys[] = {{.name = "level",
                              .read = ritz_read_real,
                              .offset = offsetof(liquid, level),
                              .example = "level: 2",
                              .required = true},
                             {.name = "density",
                              .read = ritz_read_positive,
                              .offset = offsetof(liquid, density),
                              .example = "density: 1000",
                              .required = true},
                             {.name = "gravity",
                              .read = ritz_read_reals,
                              .offset = offsetof(liquid, gravity),
                              .example = physics->dim == 2 ? "gravity: [0, -9.81]" : "gravity: [0, 0, -9.81]",
                              .required = true,
                              .least = physics->dim,
                              .most = physics->dim}};
    if (node->kind != RITZ_NODE_MAP)
        return ritz_wrong_type(node, key, "a map of level, density and gravity");
    RITZ_TRY(ritz_read_map(node, "hydrostatic", keys, RITZ_N_KEYS(keys), &l, NULL));
    const double *g = l.gravity, size = hypot(hypot(g[0], g[1]), g[2]);
    RITZ_REQUIRE_AT(size > 0, &node->place, "'gravity' of a hydrostatic pressure is 0; give for example  %s",
                    keys[2].example);
    RITZ_REQUIRE_AT(!physics->axisymmetric || g[0] == 0, &node->place,
                    "'gravity' of a liquid in a ring is along its axis, y; give for example  %s", keys[2].example);
    /* the height is the distance against gravity from the origin */
    RITZ_TRY(ritz_format(&text, "fmax(0, (%.17g) + (%.17g)*x + (%.17g)*y + (%.17g)*z)", l.density * size * l.level,
                         l.density * g[0], l.density * g[1], l.density * g[2]));
    RITZ_TRY(ritz_quantity_create(text, node->place, &pressure->component[0]));
    pressure->n = 1;
    pressure->place = node->place;
done:
    ritz_free(text);
    return status;
}
