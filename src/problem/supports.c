/* Supports along directions that are no axes: an equation n . u = value at each node, for the normals of faces and for the
   components of a system. Facets that meet at a node under less than 30 degrees are one curved face and share a normal,
   weighted by area; others hold each its own direction. */
#include "base/point.h"
#include "integrate/element.h"
#include "problem/drive.h"
#include "space/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double same_face = 0.8660254; /* cosine of the angle under which facets are one face */
static const double independent = 0.1;     /* sine of the angle between directions that are held each by itself */

static const double same_direction = 0.999999;   /* the same of components of systems */
static const double nearly_parallel = 0.9949874; /* of these the later one replaces the earlier: see `independent` */

/* The normal of a facet at one of its nodes, times the area that belongs there; or a direction of a system. */
typedef struct node_normal {
    int32_t node;
    int32_t entry; /* of the top level, then of the case */
    int64_t number;
    const ritz_quantity *value; /* NULL: 0 */
    bool of_system, two_sided;  /* seen from two cells, or a system's: its sign means nothing */
    double area[3];
} node_normal;

typedef struct normal_list {
    const ritz_drive *drive;
    const ritz_loads *loads[2]; /* of the top level, and of a case or NULL */
    int key, value_key;         /* of the normal and the unknown in the physics */
    int64_t n, room;
    node_normal *normals;
    ritz_tables *tables[RITZ_N_CELLS]; /* of a batch at its nodes */
    int8_t *n_cells;                   /* of each facet of the mesh; NULL before the first face */
} normal_list;

static const ritz_boundary *entry_at(const normal_list *list, int32_t entry)
{
    const int32_t n_top = list->loads[0]->n_boundary;
    return entry < n_top ? &list->loads[0]->boundary[entry] : &list->loads[1]->boundary[entry - n_top];
}

static ritz_status make_tables(normal_list *list, int batch)
{
    ritz_status status = RITZ_OK;
    const ritz_space_batch *b = &list->drive->space->batches[batch];
    double *weights = NULL;
    if (!list->tables[batch]) {
        RITZ_NEW(weights, b->n_shape);
        RITZ_TRY(ritz_tables_create(b, b->n_shape, b->basis->nodes, weights, &list->tables[batch]));
    }
done:
    ritz_free(weights);
    return status;
}

static ritz_status add_normal(normal_list *list, node_normal normal)
{
    ritz_status status = RITZ_OK;
    if (list->n == list->room) {
        const int64_t room = ritz_max64(2 * list->room, 256);
        RITZ_RESIZE(list->normals, room);
        list->room = room;
    }
    normal.number = list->n;
    list->normals[list->n++] = normal;
done:
    return status;
}

static ritz_status add_facet(normal_list *list, const ritz_mesh_entity *facet, int32_t entry)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = list->drive->space;
    const ritz_space_batch *batch = &space->batches[facet->block];
    const ritz_topology *topology = ritz_cell_topology(batch->cell);
    ritz_facet_quadrature *rule = NULL;
    unsigned mask = 0;
    RITZ_TRY(make_tables(list, facet->block));
    RITZ_TRY(ritz_facet_quadrature_create(batch->cell, facet->facet, 1, &rule));
    for (int k = 0; k < topology->facet_n_vertices[facet->facet]; k++)
        mask |= 1u << topology->facets[facet->facet][k];
    for (int i = 0; i < batch->n_shape; i++) {
        if (ritz_node_mask(topology, &batch->basis->entities[i]) & ~mask)
            continue;
        ritz_point point;
        node_normal normal = {.node = batch->cell_nodes[(int64_t)facet->cell * batch->n_shape + i],
                              .entry = entry,
                              .two_sided = list->n_cells[facet - space->mesh->entities] > 1,
                              .value = &entry_at(list, entry)->term[list->key].component[0]};
        ritz_point_map(list->tables[facet->block], space->mesh,
                       batch->block->nodes + (int64_t)facet->cell * batch->block->n_nodes, i, &point);
        for (int a = 0; a < space->dim; a++)
            for (int b = 0; b < space->dim; b++)
                normal.area[a] += point.det * point.inverse[b][a] * rule->normal[b];
        RITZ_TRY(add_normal(list, normal));
    }
done:
    ritz_facet_quadrature_destroy(&rule);
    return status;
}

/* The components of an entry's system at the nodes of a group. On the axis of a cylinder radial and tangential have no
   direction; both together hold what is across. */
static ritz_status add_components(normal_list *list, int32_t group, int32_t entry)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = list->drive->space;
    const ritz_boundary *from = entry_at(list, entry);
    const ritz_vector *term = &from->term[list->value_key];
    int32_t *nodes = NULL, n = 0;
    if ((status = ritz_space_group_nodes(space, group, &nodes, &n)) == RITZ_ERROR_INPUT)
        ritz_fail_context_at(status, &from->place);
    RITZ_TRY(status);
    for (int32_t i = 0; i < n; i++)
        for (int c = 0; c < term->n; c++) {
            double x[3];
            node_normal normal = {
                .node = nodes[i], .entry = entry, .value = &term->component[c], .of_system = true, .two_sided = true};
            ritz_space_get_place(space, nodes[i], x);
            if (!term->component[c].expression)
                continue;
            if (ritz_frame_direction(from->system, c, x, normal.area)) {
                RITZ_TRY(add_normal(list, normal));
                continue;
            }
            normal.value = NULL;
            for (int d = 0; d < space->dim && c == 0 && term->component[1].expression; d++) {
                const double *axis = from->system->axes[2];
                for (int e = 0; e < 3; e++)
                    normal.area[e] = (e == d) - axis[e] * axis[d];
                if (ritz_length(normal.area) > independent)
                    RITZ_TRY(add_normal(list, normal));
            }
        }
done:
    ritz_free(nodes);
    return status;
}

static ritz_status add_faces(normal_list *list, int32_t group, int32_t entry)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = list->drive->mesh;
    if (!list->n_cells) {
        RITZ_NEW(list->n_cells, mesh->n_entities);
        RITZ_TRY(ritz_mesh_facet_cells(mesh, list->n_cells));
    }
    for (int32_t e = 0; e < mesh->n_entities; e++)
        if (ritz_mesh_is_facet_of(mesh, &mesh->entities[e], group))
            RITZ_TRY(add_facet(list, &mesh->entities[e], entry));
done:
    return status;
}

static ritz_status list_normals(normal_list *list)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = list->drive->mesh;
    int32_t number = 0;
    for (int l = 0; l < 2 && list->loads[l]; l++)
        for (int i = 0; i < list->loads[l]->n_boundary; i++, number++) {
            const ritz_boundary *entry = &list->loads[l]->boundary[i];
            for (int g = 0; g < entry->groups.n; g++) {
                const char *name = entry->groups.name[g];
                if (entry->term[list->key].n)
                    RITZ_TRY(add_faces(list, ritz_next_group(mesh, name, mesh->dim - 1, 0), number));
                if (!entry->system || !entry->term[list->value_key].n)
                    continue;
                for (int32_t k = ritz_next_group(mesh, name, -1, 0); k >= 0; k = ritz_next_group(mesh, name, -1, k + 1))
                    RITZ_TRY(add_components(list, k, number));
            }
        }
done:
    return status;
}

static int by_node(const void *a, const void *b)
{
    const node_normal *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* ---- One node ---- */

enum { MOST_FACES = 16 };

/* Faces that meet at a node. */
typedef struct node_faces {
    int n;
    double normal[MOST_FACES][3];           /* sums of areas, then unit vectors */
    double area[MOST_FACES];                /* the areas, of top-level entries */
    double spread[MOST_FACES];              /* radians of the facets' normals about theirs */
    double sign[MOST_FACES];                /* of the last one that prescribes along it, */
    const ritz_quantity *value[MOST_FACES]; /* its value, NULL: 0, */
    int32_t entry[MOST_FACES];              /* and entry */
    int32_t top[MOST_FACES];                /* the last one of the top level */
    bool of_system[MOST_FACES], two_sided[MOST_FACES];
} node_faces;

/* The face that a direction belongs to. Outward normals that point apart are two sides of a sharp edge. -1: none. */
static int find_face(const node_faces *faces, const node_normal *normal, double same)
{
    const double *direction = normal->area;
    int best = -1;
    double most = same;
    for (int f = 0; f < faces->n; f++) {
        double cosine =
            ritz_dot(faces->normal[f], direction) / (ritz_length(faces->normal[f]) * ritz_length(direction));
        if (normal->two_sided || faces->two_sided[f])
            cosine = fabs(cosine);
        if (cosine > most) {
            most = cosine;
            best = f;
        }
    }
    return best;
}

static ritz_status refuse_case(const normal_list *list, const node_normal *normal)
{
    const ritz_boundary *entry = entry_at(list, normal->entry);
    return ritz_fail_at(RITZ_ERROR_INPUT, &entry->place,
                        "a case prescribes the displacement of the group '%s' in a direction that is free at the top "
                        "level: all cases share their supports and only the values may differ; add to the top level's "
                        "boundary the same with the value 0",
                        entry->groups.name[0]);
}

/* Directions come from the top level alone: cases share them and change values. */
static ritz_status gather_faces(const normal_list *list, const node_normal *normals, int64_t n, node_faces *faces)
{
    ritz_status status = RITZ_OK;
    *faces = (node_faces){0};
    for (int64_t k = 0; k < n; k++) {
        const bool of_case = normals[k].entry >= list->loads[0]->n_boundary;
        if (!(ritz_length(normals[k].area) > 0))
            continue;
        int f = find_face(faces, &normals[k], normals[k].of_system ? same_direction : same_face);
        const int near = normals[k].of_system && !of_case ? find_face(faces, &normals[k], nearly_parallel) : -1;
        const bool replaces = f < 0 && near >= 0 && faces->of_system[near];
        f = replaces ? near : f;
        if (f < 0 && of_case)
            RITZ_TRY(refuse_case(list, &normals[k]));
        if (f < 0 && faces->n == MOST_FACES)
            continue; /* many more than there are directions */
        if (f < 0) {
            f = faces->n++;
            faces->of_system[f] = normals[k].of_system;
            faces->two_sided[f] = normals[k].two_sided;
        }
        if (replaces)
            memset(faces->normal[f], 0, sizeof faces->normal[f]);
        const double sign = ritz_dot(faces->normal[f], normals[k].area) < 0 ? -1 : 1;
        for (int d = 0; d < 3 && !of_case; d++)
            faces->normal[f][d] += sign * normals[k].area[d];
        faces->area[f] = (replaces ? 0 : faces->area[f]) + (of_case ? 0 : ritz_length(normals[k].area));
        if (normals[k].entry >= faces->entry[f]) {
            faces->entry[f] = normals[k].entry;
            faces->value[f] = normals[k].value;
            faces->sign[f] = sign;
        }
        faces->top[f] = of_case ? faces->top[f] : faces->entry[f];
    }
    for (int f = 0; f < faces->n; f++) {
        const double length = ritz_length(faces->normal[f]);
        faces->spread[f] = acos(fmin(1, length / faces->area[f]));
        for (int d = 0; d < 3; d++)
            faces->normal[f][d] =
                fabs(faces->normal[f][d]) < 1e-9 * length ? 0 : faces->normal[f][d] / length; /* noise */
    }
done:
    return status;
}

static ritz_status find_value(const node_faces *faces, int f, const double x[3], double *value)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_prescribed_value(faces->value[f], x, value));
    *value *= faces->value[f] ? faces->sign[f] : 1;
done:
    return status;
}

/* Orthonormal directions that are held at a node, and the displacement along each. */
typedef struct held_basis {
    int n;
    double direction[3][3], value[3];
} held_basis;

/* What is left of a direction beside those held; its length. *held: the displacement along the rest of it, of a sum whose
   terms have the size *scale. */
static double reduce_direction(const held_basis *basis, const double *normal, double *rest, double *held, double *scale)
{
    memcpy(rest, normal, 3 * sizeof *rest);
    *held = *scale = 0;
    for (int h = 0; h < basis->n; h++) {
        const double along = ritz_dot(rest, basis->direction[h]);
        *held += along * basis->value[h];
        *scale += fabs(along * basis->value[h]);
        for (int d = 0; d < 3; d++)
            rest[d] -= along * basis->direction[h][d];
    }
    return ritz_length(rest);
}

/* A direction that is held already must have the same value, but for what the small angle beside it makes. */
static ritz_status check_agreement(const normal_list *list, const node_faces *faces, int f, double rest, double value,
                                   double held, double scale, const double x[3])
{
    ritz_status status = RITZ_OK;
    const ritz_boundary *entry = entry_at(list, faces->entry[f]);
    const double *normal = faces->normal[f];
    RITZ_REQUIRE_AT(fabs(held - value) <= (1e-6 + rest * rest) * (scale + fabs(value)), &entry->place,
                    "the displacement of the group '%s' along (%.4g, %.4g, %.4g) is to be %g at (%g, %g, %g), where "
                    "another entry makes it %g; remove one of them",
                    entry->groups.name[0], normal[0], normal[1], normal[2], value, x[0], x[1], x[2], held);
done:
    return status;
}

/* normal . u = value, of which the component is eliminated that `rest` is longest along. */
static ritz_status add_equation(ritz_constraints *constraints, int32_t node, const double *normal, const double *rest,
                                double value)
{
    const int n_c = constraints->n_components;
    int order[3] = {0, 1, 2};
    int64_t dofs[3];
    double weights[3];
    for (int i = 0; i < n_c; i++)
        for (int j = i + 1; j < n_c; j++)
            if (fabs(rest[order[j]]) > fabs(rest[order[i]])) {
                const int other = order[i];
                order[i] = order[j];
                order[j] = other;
            }
    for (int i = 0; i < n_c; i++) {
        dofs[i] = (int64_t)node * n_c + order[i];
        weights[i] = normal[order[i]];
    }
    return ritz_constraints_add_equation(constraints, n_c, dofs, weights, value);
}

static ritz_status keep_direction(ritz_held_directions *directions, int32_t node, const node_faces *faces, int f)
{
    ritz_status status = RITZ_OK;
    if (!directions)
        return RITZ_OK;
    if (directions->n == directions->room) {
        const int64_t room = ritz_max64(2 * directions->room, 256);
        RITZ_RESIZE(directions->list, room);
        directions->room = room;
    }
    ritz_held_direction *one = &directions->list[directions->n++];
    *one = (ritz_held_direction){.node = node, .entry = faces->top[f], .spread = faces->spread[f]};
    memcpy(one->normal, faces->normal[f], sizeof one->normal);
done:
    return status;
}

static ritz_status constrain_node(const normal_list *list, const node_normal *normals, int64_t n,
                                  ritz_constraints *constraints, ritz_held_directions *directions)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = list->drive->space;
    const int32_t node = normals[0].node;
    node_faces faces;
    held_basis basis = {0};
    double x[3], rest[3], value, held, scale;
    ritz_space_get_place(space, node, x);
    RITZ_TRY(gather_faces(list, normals, n, &faces));
    for (int d = 0; d < space->dim; d++)
        if (constraints->fixed[node] >> d & 1) {
            basis.value[basis.n] = constraints->value[(int64_t)node * constraints->n_components + d];
            basis.direction[basis.n++][d] = 1;
        }
    for (int f = 0; f < faces.n; f++) {
        RITZ_TRY(find_value(&faces, f, x, &value));
        const double length = reduce_direction(&basis, faces.normal[f], rest, &held, &scale);
        if (length < independent || basis.n == space->dim) {
            RITZ_TRY(check_agreement(list, &faces, f, length, value, held, scale, x));
            continue;
        }
        RITZ_TRY(add_equation(constraints, node, faces.normal[f], rest, value));
        RITZ_TRY(keep_direction(directions, node, &faces, f));
        for (int d = 0; d < 3; d++)
            basis.direction[basis.n][d] = rest[d] / length;
        basis.value[basis.n++] = (value - held) / length;
    }
done:
    return status;
}

/* Whether a node that is tied is held along a normal by the nodes that it follows (n_own terms of the tie behind the first):
   an equation of its own would hold them across curved faces, too. */
static bool is_carried(const normal_list *list, const ritz_constraints *c, int64_t tie, int32_t n_own,
                       const node_normal *normal)
{
    const ritz_equations *e = &c->equations;
    const int64_t first = ritz_equations_first(e, tie) + 1;
    for (int64_t t = first; t < first + n_own; t++) {
        const int32_t node = (int32_t)(e->dof[t] / c->n_components);
        int64_t low = 0, high = list->n;
        bool held = false;
        while (low < high) {
            const int64_t middle = (low + high) / 2;
            if (list->normals[middle].node < node)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < list->n && list->normals[low].node == node && !held; low++) {
            const node_normal *other = &list->normals[low];
            if (other->of_system)
                continue;
            const bool equal = other->entry == normal->entry || (other->value->constant && normal->value->constant &&
                                                                 other->value->value == normal->value->value);
            held = equal && ritz_dot(other->area, normal->area) >
                                same_face * ritz_length(other->area) * ritz_length(normal->area);
        }
        if (!held)
            return false;
    }
    return true;
}

/* Moves the normals that a tied node gets from those it follows behind the others; the number of the others. */
static int64_t drop_carried(const normal_list *list, const ritz_constraints *c, int64_t tie, int32_t n_own,
                            node_normal *normals, int64_t n)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < n; k++)
        if (normals[k].of_system || !is_carried(list, c, tie, n_own, &normals[k])) {
            const node_normal other = normals[kept];
            normals[kept++] = normals[k];
            normals[k] = other;
        }
    return kept;
}

/* tie_of[n_nodes]: the last equation of a tied node, counted from 1. */
static ritz_status list_ties(const ritz_constraints *constraints, int64_t **tie_of)
{
    ritz_status status = RITZ_OK;
    const ritz_equations *e = &constraints->equations;
    RITZ_NEW(*tie_of, constraints->n_nodes);
    for (int64_t i = 0; i < e->n; i++)
        (*tie_of)[e->dof[ritz_equations_first(e, i)] / constraints->n_components] = i + 1;
done:
    return status;
}

/* The normals and directions of all nodes, by node. */
static ritz_status make_normals(const ritz_drive *drive, const ritz_load_case *load_case, normal_list *list)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    const ritz_boundary_key *key = ritz_find_boundary(physics, RITZ_BOUNDARY_NORMAL);
    *list = (normal_list){.drive = drive, .loads = {&drive->problem->loads, load_case ? &load_case->loads : NULL}};
    if (!key)
        return RITZ_OK;
    list->key = (int)(key - physics->boundary);
    list->value_key = (int)(ritz_find_boundary(physics, RITZ_BOUNDARY_VALUE) - physics->boundary);
    RITZ_TRY(list_normals(list));
    if (list->n > 0)
        qsort(list->normals, (size_t)list->n, sizeof *list->normals, by_node);
done:
    return status;
}

static void free_normals(normal_list *list)
{
    ritz_free(list->normals);
    ritz_free(list->n_cells);
    for (int b = 0; b < RITZ_N_CELLS; b++)
        ritz_tables_destroy(&list->tables[b]);
}

/* Behind the normals of the node that normal k is of. */
static int64_t end_of_node(const normal_list *list, int64_t k)
{
    int64_t end = k + 1;
    while (end < list->n && list->normals[end].node == list->normals[k].node)
        end++;
    return end;
}

static ritz_status list_directions(const normal_list *list, ritz_held_directions *directions)
{
    ritz_status status = RITZ_OK;
    node_faces faces;
    for (int64_t k = 0, end; k < list->n; k = end) {
        end = end_of_node(list, k);
        RITZ_TRY(gather_faces(list, list->normals + k, end - k, &faces));
        for (int f = 0; f < faces.n; f++)
            RITZ_TRY(keep_direction(directions, list->normals[k].node, &faces, f));
    }
done:
    return status;
}

/* Behind the ties, of which alone there are equations yet. */
static ritz_status add_directions(const normal_list *list, const int32_t *n_own, ritz_constraints *constraints,
                                  ritz_held_directions *directions)
{
    ritz_status status = RITZ_OK;
    int64_t *tie_of = NULL;
    if (list->n == 0)
        return RITZ_OK;
    RITZ_TRY(list_ties(constraints, &tie_of));
    for (int64_t k = 0, end; k < list->n; k = end) {
        const int32_t node = list->normals[k].node;
        const int64_t tie = tie_of[node];
        end = end_of_node(list, k);
        const int64_t n =
            tie > 0 ? drop_carried(list, constraints, tie - 1, n_own[node], list->normals + k, end - k) : end - k;
        if (n > 0)
            RITZ_TRY(constrain_node(list, list->normals + k, n, constraints, directions));
    }
done:
    ritz_free(tie_of);
    return status;
}

ritz_status ritz_add_equations(const ritz_drive *drive, const ritz_load_case *load_case, ritz_constraints *constraints,
                               ritz_held_directions *directions)
{
    ritz_status status = RITZ_OK;
    normal_list list;
    ritz_held_directions held = {0};
    int32_t *n_own = NULL;
    RITZ_TRY(make_normals(drive, load_case, &list));
    RITZ_NEW(n_own, drive->space->n_nodes);
    if (drive->problem->joins.n_ties > 0)
        RITZ_TRY(list_directions(&list, &held));
    RITZ_TRY(ritz_add_ties(drive, !load_case, &held, constraints, n_own));
    RITZ_TRY(add_directions(&list, n_own, constraints, directions));
    RITZ_TRY(ritz_add_rigid_and_linear(drive, constraints));
done:
    free_normals(&list);
    ritz_free(held.list);
    ritz_free(n_own);
    return status;
}
