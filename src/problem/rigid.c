/* Rigid faces and equations of the problem file as equations between unknowns. The motion of a rigid face, of which there
   are 6 unknowns (3 in the plane) beside those of the space, is eliminated for the motion of some of its nodes. A ring
   moves along its axis alone: its other two are 0. */
#include "base/point.h"
#include "problem/drive.h"

#include <math.h>
#include <string.h>

/* ---- Rigid faces ---- */

typedef struct rigid_face {
    const ritz_space *space;
    int32_t *nodes, n;
    double at[3], size;  /* rotations times the size are unknowns of the same kind as displacements */
    int64_t first_extra; /* displacement of the point, then rotation */
} rigid_face;

static void move_to_front(rigid_face *face, int32_t from, int32_t to)
{
    const int32_t node = face->nodes[from];
    face->nodes[from] = face->nodes[to];
    face->nodes[to] = node;
}

/* Three nodes that stand far from each other come first: their motion is that of the face. Returns the largest
   distance. */
static double sort_nodes(rigid_face *face)
{
    double a[3], far = 0, most = -1;
    int32_t best = 0;
    ritz_space_get_place(face->space, face->nodes[0], a);
    for (int32_t i = 1; i < face->n; i++) {
        double x[3], distance = 0;
        ritz_space_get_place(face->space, face->nodes[i], x);
        for (int d = 0; d < 3; d++)
            distance += (x[d] - a[d]) * (x[d] - a[d]);
        if (distance > far) {
            far = distance;
            best = i;
        }
    }
    if (far == 0)
        return 0;
    move_to_front(face, best, 1);
    double b[3];
    ritz_space_get_place(face->space, face->nodes[1], b);
    for (int32_t i = 2; i < face->n; i++) {
        double x[3], ab[3], ax[3], normal[3];
        ritz_space_get_place(face->space, face->nodes[i], x);
        for (int d = 0; d < 3; d++) {
            ab[d] = b[d] - a[d];
            ax[d] = x[d] - a[d];
        }
        ritz_cross(ab, ax, normal);
        const double area = ritz_dot(normal, normal);
        if (area > most) {
            most = area;
            best = i;
        }
    }
    if (face->n > 2)
        move_to_front(face, best, 2);
    return sqrt(far);
}

/* u = displacement + rotation x (x - at) at one node. */
static ritz_status bind_node(const rigid_face *face, int32_t node, ritz_constraints *constraints)
{
    ritz_status status = RITZ_OK;
    const int dim = face->space->dim;
    const int64_t turn = face->first_extra + dim;
    double x[3], arm[3];
    ritz_space_get_place(face->space, node, x);
    for (int d = 0; d < 3; d++)
        arm[d] = (x[d] - face->at[d]) / face->size;
    for (int c = 0; c < dim; c++) {
        const int p = (c + 1) % 3, q = (c + 2) % 3; /* (w x r)_c = w_p r_q - w_q r_p */
        int64_t dofs[4] = {(int64_t)node * dim + c, face->first_extra + c, turn + p, turn + q};
        double weights[4] = {1, -1, -arm[q], arm[p]};
        if (dim == 2) { /* about z alone */
            dofs[2] = turn;
            weights[2] = c == 0 ? arm[1] : -arm[0];
        }
        RITZ_TRY(ritz_constraints_add_equation(constraints, dim == 2 ? 3 : 4, dofs, weights, 0));
    }
done:
    return status;
}

static ritz_status hold_ring(const rigid_face *face, ritz_constraints *constraints)
{
    ritz_status status = RITZ_OK;
    const int64_t radial = face->first_extra, turn = face->first_extra + 2;
    const double one = 1;
    RITZ_TRY(ritz_constraints_add_equation(constraints, 1, &radial, &one, 0));
    RITZ_TRY(ritz_constraints_add_equation(constraints, 1, &turn, &one, 0));
done:
    return status;
}

static ritz_status prescribe_motion(const ritz_vector *motion, int64_t first, double scale,
                                    ritz_constraints *constraints)
{
    ritz_status status = RITZ_OK;
    for (int c = 0; c < motion->n; c++) {
        const int64_t unknown = first + c;
        const double one = 1;
        if (motion->component[c].expression)
            RITZ_TRY(ritz_constraints_add_equation(constraints, 1, &unknown, &one, scale * motion->component[c].value));
    }
done:
    return status;
}

static ritz_status add_rigid(const ritz_drive *drive, const ritz_rigid *rigid, ritz_constraints *constraints)
{
    ritz_status status = RITZ_OK;
    const int dim = drive->space->dim;
    const bool ring = drive->problem->physics->axisymmetric;
    rigid_face face = {.space = drive->space,
                       .first_extra = ritz_space_n_dofs(drive->space) + constraints->equations.n_extra};
    RITZ_TRY(ritz_list_nodes(drive, &rigid->groups, &face.nodes, &face.n));
    RITZ_REQUIRE_AT(face.n > 0, &rigid->place, "no node of the mesh lies in the group '%s'", rigid->groups.name[0]);
    constraints->equations.n_extra += dim == 3 ? 6 : 3;
    face.size = ring ? 1 : sort_nodes(&face); /* a ring does not turn */
    RITZ_REQUIRE_AT(face.size > 0, &rigid->place,
                    "the group '%s' is a single node, which is rigid anyway; name a group of faces, or of several "
                    "nodes",
                    rigid->groups.name[0]);
    for (int32_t i = 0; i < face.n && !rigid->has_at; i++) {
        double x[3];
        ritz_space_get_place(drive->space, face.nodes[i], x);
        for (int d = 0; d < 3; d++)
            face.at[d] += x[d] / face.n;
    }
    if (rigid->has_at)
        memcpy(face.at, rigid->at, sizeof face.at);
    if (ring)
        RITZ_TRY(hold_ring(&face, constraints));
    RITZ_TRY(prescribe_motion(&rigid->displacement, face.first_extra, 1, constraints));
    RITZ_TRY(prescribe_motion(&rigid->rotation, face.first_extra + dim, face.size, constraints));
    for (int32_t i = 0; i < face.n; i++)
        RITZ_TRY(bind_node(&face, face.nodes[i], constraints));
done:
    ritz_free(face.nodes);
    return status;
}

/* The largest growth of the distances between the first three nodes, once they have moved by u. */
static double find_growth(const rigid_face *face, const double *u)
{
    const int dim = face->space->dim, n = face->n < 3 ? face->n : 3;
    double growth = 0;
    for (int i = 0; i < n; i++) {
        double before[3], after[3] = {0}, other[3];
        const int32_t a = face->nodes[i], b = face->nodes[(i + 1) % n];
        ritz_space_get_place(face->space, a, before);
        ritz_space_get_place(face->space, b, other);
        for (int d = 0; d < 3; d++) {
            before[d] -= other[d];
            after[d] = before[d] + (d < dim ? u[(int64_t)a * dim + d] - u[(int64_t)b * dim + d] : 0);
        }
        growth = fmax(growth, ritz_length(after) / ritz_length(before) - 1);
    }
    return growth;
}

ritz_status ritz_warn_of_grown_faces(const ritz_drive *drive, const double *u)
{
    static const double told = 0.005; /* of a rotation by 0.1 */
    ritz_status status = RITZ_OK;
    const ritz_joins *joins = &drive->problem->joins;
    rigid_face face = {.space = drive->space};
    for (int i = 0; i < joins->n_rigid && drive->space->n_components == drive->space->dim; i++) {
        RITZ_TRY(ritz_list_nodes(drive, &joins->rigid[i].groups, &face.nodes, &face.n));
        const double growth = face.n > 1 && sort_nodes(&face) > 0 ? find_growth(&face, u) : 0;
        if (growth > told)
            ritz_stage_line(
                drive->problem,
                "warning    the rigid face '%s' has grown by %.2g %%: rigid faces turn by the theory of small "
                "rotations; move its nodes by expressions of a support instead (cos(1)*(y-0.5) ...)",
                joins->rigid[i].groups.name[0], 100 * growth);
        ritz_free(face.nodes);
        face.nodes = NULL;
    }
done:
    ritz_free(face.nodes);
    return status;
}

/* ---- Equations ---- */

/* The one node at a point, or those of a group. */
static ritz_status find_term_nodes(const ritz_drive *drive, const ritz_linear_term *term, int32_t **nodes, int32_t *n)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = drive->space;
    double nearest[3] = {0}, least = INFINITY, size = 0;
    int32_t n_there = 0;
    if (!term->has_at) {
        RITZ_TRY(ritz_list_nodes(drive, &term->groups, nodes, n));
        RITZ_REQUIRE_AT(*n > 0, &term->place, "no node of the mesh lies in the group '%s'", term->groups.name[0]);
        goto done;
    }
    RITZ_NEW(*nodes, 1);
    *n = 1;
    for (int32_t node = 0; node < space->n_nodes; node++) {
        double x[3], distance = 0;
        ritz_space_get_place(space, node, x);
        for (int d = 0; d < 3; d++) {
            distance += (x[d] - term->at[d]) * (x[d] - term->at[d]);
            size = fmax(size, fabs(x[d]));
        }
        if (distance < least) {
            least = distance;
            **nodes = node;
            memcpy(nearest, x, sizeof nearest);
        }
    }
    RITZ_REQUIRE_AT(sqrt(least) <= 1e-6 * size, &term->place,
                    "there is no node at (%g, %g, %g); the nearest one is at (%.9g, %.9g, %.9g)", term->at[0],
                    term->at[1], term->at[2], nearest[0], nearest[1], nearest[2]);
    for (int32_t node = 0; node < space->n_nodes; node++) {
        double x[3];
        ritz_space_get_place(space, node, x);
        for (int d = 0; d < 3; d++)
            x[d] -= nearest[d];
        n_there += ritz_length(x) <= 1e-9 * size;
    }
    RITZ_REQUIRE_AT(
        n_there == 1, &term->place,
        "%d nodes lie at (%g, %g, %g), of bodies that are not joined there; name a group of points that has "
        "the one that is meant",
        (int)n_there, term->at[0], term->at[1], term->at[2]);
done:
    return status;
}

static ritz_status find_component(const ritz_drive *drive, const ritz_linear_term *term, int *component)
{
    const int n_c = drive->space->n_components;
    const char *const *names = ritz_physics_component_names(drive->problem->physics);
    *component = 0;
    if (n_c == 1 && !term->component)
        return RITZ_OK;
    for (int c = 0; c < n_c && names && term->component; c++)
        if (strcmp(names[c], term->component) == 0) {
            *component = c;
            return RITZ_OK;
        }
    if (n_c == 1)
        return ritz_fail_at(RITZ_ERROR_INPUT, &term->place,
                            "the unknown of %s has no components; remove 'component: %s'",
                            drive->problem->physics->name, term->component);
    return ritz_fail_at(RITZ_ERROR_INPUT, &term->place,
                        "a term of an equation needs a component of the unknown, like  "
                        "component: %s",
                        names ? names[0] : "x");
}

static ritz_status add_linear(const ritz_drive *drive, const ritz_linear_equation *equation,
                              ritz_constraints *constraints)
{
    ritz_status status = RITZ_OK;
    const int n_c = drive->space->n_components;
    int64_t *dofs = NULL;
    double *weights = NULL;
    int32_t *nodes = NULL, n_nodes;
    int n = 0;
    for (int t = 0; t < equation->n_terms; t++) {
        const ritz_linear_term *term = &equation->terms[t];
        int component;
        RITZ_TRY(find_component(drive, term, &component));
        RITZ_TRY(find_term_nodes(drive, term, &nodes, &n_nodes));
        RITZ_RESIZE(dofs, n + n_nodes);
        RITZ_RESIZE(weights, n + n_nodes);
        for (int32_t i = 0; i < n_nodes; i++) {
            dofs[n] = (int64_t)nodes[i] * n_c + component;
            weights[n++] = term->weight / n_nodes;
        }
        ritz_free(nodes);
        nodes = NULL;
    }
    RITZ_TRY(ritz_constraints_add_equation(constraints, n, dofs, weights, equation->value));
done:
    ritz_free(dofs);
    ritz_free(weights);
    ritz_free(nodes);
    return status;
}

ritz_status ritz_add_rigid_and_linear(const ritz_drive *drive, ritz_constraints *constraints)
{
    ritz_status status = RITZ_OK;
    const ritz_joins *joins = &drive->problem->joins;
    for (int i = 0; i < joins->n_rigid; i++)
        RITZ_TRY(add_rigid(drive, &joins->rigid[i], constraints));
    for (int i = 0; i < joins->n_equations; i++)
        RITZ_TRY(add_linear(drive, &joins->equations[i], constraints));
done:
    return status;
}
