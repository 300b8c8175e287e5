/* The boundary entries: their groups, and the values they prescribe. */
#include "problem/drive.h"

#include <math.h>
#include <string.h>

static const char *const kinds[4] = {"points", "edges", "faces", "cells"};

int32_t ritz_next_group(const ritz_mesh *mesh, const char *name, int dim, int32_t from)
{
    for (int32_t g = from; g < mesh->n_groups; g++)
        if ((dim < 0 || mesh->groups[g].dim == dim) && strcmp(mesh->groups[g].name, name) == 0)
            return g;
    return -1;
}

static bool has_groups(const ritz_mesh *mesh, int dim)
{
    for (int32_t g = 0; g < mesh->n_groups; g++)
        if (dim < 0 || mesh->groups[g].dim == dim)
            return true;
    return false;
}

/* A mesh without groups of a dimension: a material does without, a load needs one. */
static ritz_status no_groups(const ritz_mesh *mesh, const ritz_names *names, int i, int dim, const char *use)
{
    if (dim == mesh->dim)
        return ritz_fail_at(
            RITZ_ERROR_INPUT, &names->places[i],
            "the mesh has no groups of cells, so none is called '%s'; omit 'group', and the %s is for all cells",
            names->name[i], use);
    return ritz_fail_at(RITZ_ERROR_INPUT, &names->places[i],
                        "the mesh has no groups%s%s, so none is called '%s', and a %s needs one; name it in the mesh "
                        "(in Gmsh: Physical %s)",
                        dim < 0 ? "" : " of ", dim < 0 ? "" : kinds[dim], names->name[i], use,
                        mesh->dim == 2 ? "Curve" : "Surface");
}

/* Each name is a group of the dimension (any when dim < 0). `use` says what stands on it: "traction". */
static ritz_status check_names(const ritz_mesh *mesh, const ritz_names *names, int dim, const char *use)
{
    ritz_status status = RITZ_OK;
    int32_t g;
    for (int i = 0; i < names->n; i++) {
        if (ritz_next_group(mesh, names->name[i], dim, 0) >= 0)
            continue;
        const int32_t other = dim < 0 ? -1 : ritz_next_group(mesh, names->name[i], -1, 0);
        if (other < 0 && !has_groups(mesh, dim)) {
            status = no_groups(mesh, names, i, dim, use);
            goto done;
        }
        RITZ_REQUIRE_AT(other < 0, &names->places[i],
                        "the group '%s' holds %s, and a %s needs a group of %s; name such a group in the mesh",
                        names->name[i], kinds[mesh->groups[other].dim], use, kinds[dim < 0 ? 0 : dim]);
        if ((status = ritz_mesh_find_group(mesh, names->name[i], dim, &g)) != RITZ_OK) {
            ritz_fail_context_at(status, &names->places[i]);
            goto done;
        }
    }
done:
    return status;
}

/* Of a group's members below cells: how many there are, how many of them are no cell's, and a point of such a one. */
typedef struct tally {
    int64_t n, lost;
    const double *x;
} tally;

/* All groups in one walk: decks have one for each node that is loaded. */
static ritz_status tally_groups(const ritz_mesh *mesh, tally **tallies)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(*tallies, mesh->n_groups);
    for (int32_t e = 0; e < mesh->n_entities; e++) {
        const ritz_mesh_entity *entity = &mesh->entities[e];
        const ritz_group_set *set = &mesh->sets[entity->set];
        const bool lost = entity->dim == mesh->dim - 1 ? entity->facet < 0 : entity->cell < 0;
        for (int k = 0; k < set->n_groups; k++) {
            tally *t = &(*tallies)[set->groups[k]];
            if (mesh->groups[set->groups[k]].dim != entity->dim)
                continue;
            t->n++;
            t->lost += lost;
            t->x = lost && !t->x ? &mesh->nodes[3 * (int64_t)entity->vertices[0]] : t->x;
        }
    }
done:
    return status;
}

/* Faces and edges of a group that are no cell's: a support or load on them would be lost in silence. Points that no
   cell has, as those that rigid links start from, are no reason to stop. */
static ritz_status check_lost(const ritz_drive *drive, const tally *tallies, int32_t g, const ritz_place *place)
{
    ritz_status status = RITZ_OK;
    const ritz_group *group = &drive->mesh->groups[g];
    const double *x = group->n_lost ? group->lost_at : tallies[g].x;
    const int64_t n = group->n_lost + tallies[g].n, lost = group->n_lost + tallies[g].lost;
    RITZ_REQUIRE_AT(lost == 0 || group->dim == 0, place,
                    "%lld of the %lld %s of the group '%s' belong to no cell, one of them at (%g, %g, %g): they and "
                    "the cells do not fit together; mesh the part again",
                    (long long)lost, (long long)n, kinds[group->dim], group->name, x[0], x[1], x[2]);
    if (lost > 0)
        ritz_stage_line(drive->problem,
                        "warning    %lld of the %lld points of the group '%s' belong to no cell, one of them at (%g, "
                        "%g, %g): what is prescribed there has no effect",
                        (long long)lost, (long long)n, group->name, x[0], x[1], x[2]);
done:
    return status;
}

/* A pressure acts against the normal that points out of the cells: between two cells there is none. */
static ritz_status check_pressure(const ritz_mesh *mesh, const ritz_boundary *entry)
{
    ritz_status status = RITZ_OK;
    int8_t *n_cells = NULL;
    RITZ_NEW(n_cells, mesh->n_entities);
    RITZ_TRY(ritz_mesh_facet_cells(mesh, n_cells));
    for (int i = 0; i < entry->groups.n; i++) {
        const int32_t group = ritz_next_group(mesh, entry->groups.name[i], mesh->dim - 1, 0);
        for (int32_t e = 0; e < mesh->n_entities; e++) {
            const ritz_mesh_entity *entity = &mesh->entities[e];
            if (n_cells[e] < 2 || !ritz_mesh_set_has(mesh, entity->set, group))
                continue;
            double x[3] = {0};
            for (int v = 0; v < entity->n_vertices; v++)
                for (int d = 0; d < 3; d++)
                    x[d] += mesh->nodes[3 * (int64_t)entity->vertices[v] + d] / entity->n_vertices;
            status = ritz_fail_at(RITZ_ERROR_INPUT, &entry->groups.places[i],
                                  "the group '%s' has %s between two cells, one of them at (%g, %g, %g): a pressure "
                                  "has no direction there; put it on the outside of the part, or give a traction",
                                  entry->groups.name[i], kinds[mesh->dim - 1], x[0], x[1], x[2]);
            goto done;
        }
    }
done:
    ritz_free(n_cells);
    return status;
}

static bool takes_any_group(ritz_boundary_kind kind)
{
    return ritz_is_total(kind) || kind == RITZ_BOUNDARY_SPRING;
}

static bool has_total(const ritz_physics *physics, const ritz_boundary *entry)
{
    for (int k = 0; k < physics->n_boundary; k++)
        if (entry->term[k].n && takes_any_group(physics->boundary[k].kind))
            return true;
    return false;
}

static bool prescribes_value(const ritz_physics *physics, const ritz_boundary *entry)
{
    const ritz_boundary_key *value = ritz_find_boundary(physics, RITZ_BOUNDARY_VALUE);
    return entry->fixed || (value && entry->term[value - physics->boundary].n);
}

static ritz_status check_entry(const ritz_drive *drive, const tally *tallies, const ritz_boundary *entry)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = drive->mesh;
    const ritz_physics *physics = drive->problem->physics;
    const bool prescribes = prescribes_value(physics, entry);
    const int dim = prescribes || has_total(physics, entry) ? -1 : mesh->dim - 1; /* of the groups that it means */
    if (prescribes)
        RITZ_TRY(check_names(mesh, &entry->groups, -1, "prescribed value"));
    for (int k = 0; k < physics->n_boundary; k++)
        if (entry->term[k].n && physics->boundary[k].kind != RITZ_BOUNDARY_VALUE)
            RITZ_TRY(check_names(mesh, &entry->groups, takes_any_group(physics->boundary[k].kind) ? -1 : mesh->dim - 1,
                                 physics->boundary[k].name));
    for (int i = 0; i < entry->groups.n; i++)
        for (int32_t g = ritz_next_group(mesh, entry->groups.name[i], dim, 0); g >= 0;
             g = ritz_next_group(mesh, entry->groups.name[i], dim, g + 1))
            RITZ_TRY(check_lost(drive, tallies, g, &entry->groups.places[i]));
    for (int k = 0; k < physics->n_boundary; k++)
        if (physics->boundary[k].kind == RITZ_BOUNDARY_PRESSURE && entry->term[k].n)
            RITZ_TRY(check_pressure(mesh, entry));
done:
    return status;
}

static ritz_status check_joins(const ritz_mesh *mesh, const ritz_joins *joins)
{
    ritz_status status = RITZ_OK;
    for (int i = 0; i < joins->n_ties; i++) {
        RITZ_TRY(check_names(mesh, &joins->ties[i].from, mesh->dim - 1, "tie"));
        RITZ_TRY(check_names(mesh, &joins->ties[i].to, mesh->dim - 1, "tie"));
    }
    for (int i = 0; i < joins->n_rigid; i++)
        RITZ_TRY(check_names(mesh, &joins->rigid[i].groups, -1, "rigid face"));
    for (int i = 0; i < joins->n_equations; i++)
        for (int t = 0; t < joins->equations[i].n_terms; t++)
            RITZ_TRY(check_names(mesh, &joins->equations[i].terms[t].groups, -1, "term of an equation"));
done:
    return status;
}

ritz_status ritz_check_groups(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const ritz_mesh *mesh = drive->mesh;
    tally *tallies = NULL;
    RITZ_TRY(tally_groups(mesh, &tallies));
    for (int m = 0; m < problem->n_materials; m++)
        RITZ_TRY(check_names(mesh, &problem->materials[m].groups, mesh->dim, "material"));
    for (int i = 0; i < problem->loads.n_boundary; i++)
        RITZ_TRY(check_entry(drive, tallies, &problem->loads.boundary[i]));
    RITZ_TRY(check_joins(mesh, &problem->joins));
    for (int c = 0; c < problem->n_cases; c++) {
        const ritz_load_case *load_case = &problem->cases[c];
        for (int i = 0; i < load_case->n_body; i++)
            RITZ_TRY(check_names(mesh, &load_case->body[i].groups, mesh->dim, "body load"));
        for (int i = 0; i < load_case->loads.n_boundary; i++)
            RITZ_TRY(check_entry(drive, tallies, &load_case->loads.boundary[i]));
    }
done:
    ritz_free(tallies);
    return status;
}

/* ---- Prescribed values ---- */

/* What an entry prescribes, and into what. */
typedef struct prescription {
    const ritz_drive *drive;
    const ritz_boundary *entry;
    const ritz_boundary_key *key;
    const ritz_vector *values; /* of the key in the entry; those of a fixed one are zero */
    const char *case_name;     /* of a case, which may only prescribe what is prescribed already; else NULL */
    double axis;               /* nodes up to this x stay on the axis; -INFINITY: there is none */
    ritz_constraints *constraints;
} prescription;

static ritz_status refuse_support(const prescription *p, const char *group, int component)
{
    const char *remedy =
        "all cases share their supports and only the values may differ; add to the top level's boundary";
    const char *key = p->key->name;
    if (p->drive->space->n_components == 1)
        return ritz_fail_at(RITZ_ERROR_INPUT, &p->entry->place,
                            "the case '%s' prescribes the %s of the group '%s', which is free at the top level: "
                            "%s  {group: %s, %s: 0}",
                            p->case_name, key, group, remedy, group, key);
    const char *name = ritz_physics_component_names(p->drive->problem->physics)[component];
    return ritz_fail_at(RITZ_ERROR_INPUT, &p->entry->place,
                        "the case '%s' prescribes the %s of the group '%s' along %s, which is free at the top "
                        "level: %s  {group: %s, %s: {%s: 0}}",
                        p->case_name, key, group, name, remedy, group, key, name);
}

ritz_status ritz_prescribed_value(const ritz_quantity *quantity, const double x[3], double *value)
{
    ritz_status status = RITZ_OK;
    *value = quantity ? ritz_quantity_at(quantity, x) : 0;
    RITZ_REQUIRE_AT(isfinite(*value), &quantity->place, "'%s' is %g at (%g, %g, %g); a prescribed value must be finite",
                    ritz_expression_text(quantity->expression), *value, x[0], x[1], x[2]);
done:
    return status;
}

/* Prescribes one component at the nodes of a group; quantity NULL: zero. */
static ritz_status prescribe_component(const prescription *p, const char *group, const int32_t *nodes, int32_t n,
                                       int component, const ritz_quantity *quantity)
{
    ritz_status status = RITZ_OK;
    for (int32_t i = 0; i < n; i++) {
        double x[3], value;
        if (p->case_name && !(p->constraints->fixed[nodes[i]] >> component & 1)) {
            status = refuse_support(p, group, component);
            goto done;
        }
        ritz_space_get_place(p->drive->space, nodes[i], x);
        const bool held = component == 0 && x[0] <= p->axis;
        if (held) /* not of rounding */
            x[0] = 0;
        RITZ_TRY(ritz_prescribed_value(quantity, x, &value));
        RITZ_REQUIRE_AT(!held || value == 0, &p->entry->place,
                        "the %s of the group '%s' is %g along x at (%g, %g), and what is on the axis stays on it; "
                        "leave out the axis, or give  %s: {x: 0}",
                        p->key->name, group, value, x[0], x[1], p->key->name);
        ritz_constraints_set(p->constraints, nodes[i], component, value);
    }
done:
    return status;
}

/* Corners of a side are not the side: at higher orders there are nodes between them. */
static ritz_status warn_of_open_facets(const prescription *p, int32_t group)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = p->drive->mesh;
    int64_t n = 0;
    int32_t first = -1;
    RITZ_TRY(ritz_space_open_facets(p->drive->space, group, &n, &first));
    if (n > 0) {
        const double *x = &mesh->nodes[3 * (int64_t)first];
        const char *facets = kinds[mesh->dim - 1];
        ritz_stage_line(
            p->drive->problem,
            "warning    the group '%s' of points holds all corners of %lld of the outer %s, one at (%g, %g, %g), and "
            "at order "
            "%d these have nodes between the corners that stay free; if you mean the %s, make it a group of %s",
            mesh->groups[group].name, (long long)n, facets, x[0], x[1], x[2], p->drive->space->order, facets, facets);
    }
done:
    return status;
}

static ritz_status constrain_group(const prescription *p, int32_t group)
{
    ritz_status status = RITZ_OK;
    const ritz_boundary *entry = p->entry;
    const char *name = p->drive->mesh->groups[group].name;
    int32_t *nodes = NULL, n = 0;
    if ((status = ritz_space_group_nodes(p->drive->space, group, &nodes, &n)) == RITZ_ERROR_INPUT)
        ritz_fail_context_at(status, &entry->place);
    RITZ_TRY(status);
    RITZ_REQUIRE_AT(n > 0, &entry->place, "no node of the mesh lies in the group '%s'", name);
    if (!p->case_name)
        RITZ_TRY(warn_of_open_facets(p, group));
    for (int c = 0; c < p->drive->space->n_components; c++)
        if (entry->fixed)
            RITZ_TRY(prescribe_component(p, name, nodes, n, c, NULL));
        else if (p->values->component[c].expression)
            RITZ_TRY(prescribe_component(p, name, nodes, n, c, &p->values->component[c]));
done:
    ritz_free(nodes);
    return status;
}

/* All groups of these names, of any dimension. */
static ritz_status constrain_groups(const prescription *p)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = p->drive->mesh;
    for (int k = 0; k < p->entry->groups.n; k++) {
        const char *name = p->entry->groups.name[k];
        for (int32_t g = ritz_next_group(mesh, name, -1, 0); g >= 0; g = ritz_next_group(mesh, name, -1, g + 1))
            RITZ_TRY(constrain_group(p, g));
    }
done:
    return status;
}

bool ritz_have_facets(const ritz_mesh *mesh, const ritz_names *names)
{
    for (int i = 0; i < names->n; i++)
        if (ritz_next_group(mesh, names->name[i], mesh->dim - 1, 0) < 0)
            return false;
    return true;
}

ritz_status ritz_list_nodes(const ritz_drive *drive, const ritz_names *names, int32_t **nodes, int32_t *n)
{
    ritz_status status = RITZ_OK;
    int32_t *mark = NULL;
    const int32_t first = names->n == 1 ? ritz_next_group(drive->mesh, names->name[0], -1, 0) : -1;
    *n = 0;
    if (first >= 0 && ritz_next_group(drive->mesh, names->name[0], -1, first + 1) < 0)
        return ritz_space_group_nodes(drive->space, first, nodes, n);
    RITZ_NEW(mark, drive->space->n_nodes);
    RITZ_TRY(ritz_mark_nodes(drive, names, 1, mark));
    RITZ_NEW(*nodes, drive->space->n_nodes);
    for (int32_t node = 0; node < drive->space->n_nodes; node++)
        if (mark[node])
            (*nodes)[(*n)++] = node;
done:
    ritz_free(mark);
    return status;
}

ritz_status ritz_mark_nodes(const ritz_drive *drive, const ritz_names *names, int32_t number, int32_t *mark)
{
    ritz_status status = RITZ_OK;
    int32_t *nodes = NULL, n;
    for (int k = 0; k < names->n; k++)
        for (int32_t g = ritz_next_group(drive->mesh, names->name[k], -1, 0); g >= 0;
             g = ritz_next_group(drive->mesh, names->name[k], -1, g + 1)) {
            RITZ_TRY(ritz_space_group_nodes(drive->space, g, &nodes, &n));
            for (int32_t i = 0; i < n; i++)
                mark[nodes[i]] = number;
            ritz_free(nodes);
            nodes = NULL;
        }
done:
    ritz_free(nodes);
    return status;
}

/* What moves and whose stiffness stops it in the radial direction, but not along the axis. */
static bool is_ring(const ritz_drive *drive)
{
    return drive->problem->physics->axisymmetric && drive->problem->physics->vector;
}

/* Nodes up to this x are on the axis. */
static double measure_axis(const ritz_space *space)
{
    double most = 0;
    for (int64_t n = 0; n < space->n_nodes; n++)
        most = fmax(most, fabs(space->coordinates[n * space->dim]));
    return 1e-9 * most;
}

static ritz_status constrain_boundary(const ritz_drive *drive, const ritz_loads *loads, const char *case_name,
                                      ritz_constraints *constraints)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    const double axis = is_ring(drive) ? measure_axis(drive->space) : -INFINITY;
    for (int i = 0; i < loads->n_boundary; i++) {
        const ritz_boundary *entry = &loads->boundary[i];
        for (int k = 0; k < physics->n_boundary; k++)
            if (physics->boundary[k].kind == RITZ_BOUNDARY_VALUE &&
                (entry->fixed || (entry->term[k].n && !entry->system)))
                RITZ_TRY(constrain_groups(&(prescription){.drive = drive,
                                                          .entry = entry,
                                                          .key = &physics->boundary[k],
                                                          .values = &entry->term[k],
                                                          .case_name = case_name,
                                                          .axis = axis,
                                                          .constraints = constraints}));
    }
done:
    return status;
}

ritz_status ritz_copy_prescribed(const ritz_drive *drive, ritz_constraints **copy)
{
    ritz_status status = RITZ_OK;
    const ritz_constraints *from = drive->constraints;
    ritz_constraints *to = NULL;
    RITZ_TRY(ritz_constraints_create(drive->space, &to));
    memcpy(to->fixed, from->fixed, (size_t)from->n_nodes);
    memcpy(to->value, from->value, (size_t)ritz_space_n_dofs(drive->space) * sizeof *from->value);
    to->n_fixed = from->n_fixed;
    *copy = to;
done:
    return status;
}

/* By which keys a scalar can be held. */
static void tell_remedies(const ritz_physics *physics)
{
    int n = 0;
    for (int k = 0; !physics->vector && k < physics->n_boundary; k++)
        if (physics->boundary[k].kind == RITZ_BOUNDARY_VALUE || physics->boundary[k].kind == RITZ_BOUNDARY_FILM ||
            physics->boundary[k].kind == RITZ_BOUNDARY_RADIATION)
            ritz_add_to_message("%s'%s'", n++ ? ", " : " (keys that do: ", physics->boundary[k].name);
    if (n)
        ritz_add_to_message(")");
}

ritz_status ritz_list_held(const ritz_drive *drive, uint8_t **held)
{
    ritz_status status = RITZ_OK;
    int32_t *nodes = NULL, n;
    RITZ_NEW(*held, drive->space->n_nodes);
    memset(*held, is_ring(drive) ? 1 : 0, (size_t)drive->space->n_nodes); /* component 0 is the radial one */
    for (int k = 0; k < drive->n_films; k++) {
        RITZ_TRY(ritz_space_group_nodes(drive->space, drive->films[k].group, &nodes, &n));
        for (int32_t i = 0; i < n; i++)
            (*held)[nodes[i]] |= (uint8_t)(drive->films[k].axes ? drive->films[k].axes : UINT8_MAX);
        ritz_free(nodes);
        nodes = NULL;
    }
    for (int64_t k = 0; k < drive->n_springs; k++)
        (*held)[drive->springs[k].node] |= (uint8_t)(1 << drive->springs[k].component);
done:
    ritz_free(nodes);
    return status;
}

/* Checks that nothing moves freely. */
static ritz_status check_motions(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    uint8_t *held = NULL;
    RITZ_TRY(ritz_list_held(drive, &held));
    if ((status = ritz_constraints_check(drive->space, drive->constraints, held)) != RITZ_OK)
        ritz_fail_context(status, "%s: ", drive->problem->file);
    if (status == RITZ_ERROR_INPUT)
        tell_remedies(drive->problem->physics);
done:
    ritz_free(held);
    return status;
}

/* What moves stays on the axis where it is on it, and no point is beyond it. */
static ritz_status constrain_axis(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = drive->space;
    const double axis = measure_axis(space);
    for (int32_t n = 0; n < space->n_nodes; n++) {
        const double *x = space->coordinates + (int64_t)n * space->dim;
        RITZ_REQUIRE_AT(x[0] >= -axis, &drive->problem->physics_place,
                        "in %s x is the radius, and the mesh has a node at (%g, %g); move the mesh to x >= 0",
                        drive->problem->physics->name, x[0], x[1]);
        if (x[0] <= axis && drive->problem->physics->vector)
            ritz_constraints_set(drive->constraints, n, 0, 0);
    }
done:
    return status;
}

ritz_status ritz_make_constraints(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_constraints_create(drive->space, &drive->constraints));
    if (drive->problem->physics->axisymmetric)
        RITZ_TRY(constrain_axis(drive));
    RITZ_TRY(constrain_boundary(drive, &drive->problem->loads, NULL, drive->constraints));
    RITZ_TRY(ritz_add_equations(drive, NULL, drive->constraints, &drive->directions));
    if ((status = ritz_constraints_resolve(drive->constraints, &drive->dependence)) != RITZ_OK) {
        ritz_fail_context(status, "%s: ", drive->problem->file);
        goto done;
    }
    if (is_ring(drive) || !ritz_data_stop_constants(drive))
        RITZ_TRY(check_motions(drive));
done:
    return status;
}

ritz_status ritz_load_case_constraints(const ritz_drive *drive, int c, ritz_constraints **constraints)
{
    ritz_status status = RITZ_OK;
    const ritz_load_case *load_case = &drive->problem->cases[c];
    ritz_constraints *own = NULL;
    bool any = false;
    for (int i = 0; i < load_case->loads.n_boundary; i++)
        any = any || ritz_prescribes(drive->problem->physics, &load_case->loads.boundary[i]);
    if (!any)
        goto done;
    RITZ_TRY(ritz_copy_prescribed(drive, &own));
    RITZ_TRY(constrain_boundary(drive, &load_case->loads, load_case->name, own));
    RITZ_TRY(ritz_add_equations(drive, load_case, own, NULL));
    *constraints = own;
    own = NULL;
done:
    ritz_constraints_destroy(&own);
    return status;
}
