/* Results along the axes of systems: fields of the result file, and vectors at nodes in printed values and .frd files. */
#include "base/point.h"
#include "physics/elastic.h"
#include "problem/drive.h"

#include <string.h>

/* ---- Reading ---- */

/* The systems that the fields of the result are written along, too. */
ritz_status ritz_read_local_systems(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_problem *problem = target;
    const bool list = node->kind == RITZ_NODE_LIST;
    if (node->kind == RITZ_NODE_MAP || (list && node->n == 0))
        return ritz_wrong_type(node, key, "the name of a system, or a list of names");
    problem->n_local = list ? node->n : 1;
    RITZ_NEW(problem->local, problem->n_local);
    for (int i = 0; i < problem->n_local; i++) {
        const ritz_node *name = list ? node->values[i] : node;
        RITZ_TRY(ritz_read_orientation(name, key, &problem->local[i], context));
        for (int k = 0; k < i; k++)
            RITZ_REQUIRE_AT(problem->local[k] != problem->local[i], &name->place, "the system '%s' is named twice",
                            problem->local[i]->name);
    }
done:
    return status;
}

void ritz_node_systems_free(ritz_node_systems *systems)
{
    for (int i = 0; i < systems->n; i++)
        ritz_names_free(&systems->list[i].groups);
    ritz_free(systems->list);
    *systems = (ritz_node_systems){0};
}

/* One system for all nodes, or those of groups. */
ritz_status ritz_read_node_systems(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    static const ritz_key keys[] = {
        {.name = "group",
         .read = ritz_read_names,
         .offset = offsetof(ritz_node_system, groups),
         .example = "group: rim",
         .required = true},
        {.name = "system",
         .read = ritz_read_frame_name,
         .offset = offsetof(ritz_node_system, system),
         .example = "system: bore",
         .required = true},
    };
    ritz_status status = RITZ_OK;
    ritz_node_systems *systems = target;
    if (node->kind == RITZ_NODE_MAP || (node->kind == RITZ_NODE_LIST && node->n == 0))
        return ritz_wrong_type(node, key, "the name of a system, or a list of maps of group and system");
    systems->n = node->kind == RITZ_NODE_LIST ? node->n : 1;
    RITZ_NEW(systems->list, systems->n);
    if (node->kind == RITZ_NODE_SCALAR)
        return ritz_read_frame_name(node, key, &systems->list[0].system, context);
    for (int i = 0; i < node->n; i++)
        RITZ_TRY(
            ritz_read_map(node->values[i], "a system of nodes", keys, RITZ_N_KEYS(keys), &systems->list[i], context));
done:
    return status;
}

/* ---- Fields ---- */

bool ritz_field_is_local(const ritz_result_field *field)
{
    const int n = ritz_field_components(field);
    return !ritz_field_follows(field) && (n == 3 || n == 6);
}

const char *const *ritz_local_components(const ritz_result_field *field, const ritz_frame *system)
{
    static const char *const tensor[] = {"rr", "tt", "aa", "rt", "ta", "ra", NULL}, *const vector[] = {"radial",
                                                                                                       "tangential",
                                                                                                       "axial", NULL};
    return !system->cylindrical ? field->components : ritz_field_components(field) == 6 ? tensor : vector;
}

void ritz_turn_values(double axes[3][3], int n_components, const double *from, double *to)
{
    if (n_components == 6)
        ritz_turn_to_axes(axes, from, to);
    for (int c = 0; c < 3 && n_components == 3; c++)
        to[c] = ritz_dot(axes[c], from);
}

ritz_status ritz_turn_field(const ritz_drive *drive, const ritz_result_points *points, int n_components,
                            const ritz_frame *system, const double *along, double *values)
{
    ritz_status status = RITZ_OK;
    for (int32_t i = 0; i < points->n; i++) {
        double x[3], axes[3][3];
        ritz_space_get_place(drive->space, ritz_result_node(points, i), x);
        RITZ_TRY(ritz_frame_axes(system, x, axes));
        ritz_turn_values(axes, n_components, along + (int64_t)n_components * i, values + (int64_t)n_components * i);
    }
done:
    return status;
}

ritz_status ritz_check_axes_at(const ritz_frame *along, const double x[3], const char *where, const char *field)
{
    ritz_status status = RITZ_OK;
    double axes[3][3];
    if (!along || !along->varies)
        return RITZ_OK;
    status = ritz_frame_axes(along, x, axes);
    if (status != RITZ_OK)
        ritz_add_to_message(" (at the %s at (%g, %g, %g), where '%s' is found along the system '%s'; a system "
                            "with 'axis' has directions all over)",
                            where, x[0], x[1], x[2], field, along->name);
    return status;
}

/* ---- Vectors at nodes ---- */

ritz_status ritz_check_node_systems(const ritz_drive *drive, const ritz_node_systems *systems)
{
    ritz_status status = RITZ_OK;
    for (int i = 0; i < systems->n; i++)
        for (int g = 0; g < systems->list[i].groups.n; g++)
            RITZ_REQUIRE_AT(ritz_next_group(drive->mesh, systems->list[i].groups.name[g], -1, 0) >= 0,
                            &systems->list[i].groups.places[g], "the mesh has no group '%s' that could have a system",
                            systems->list[i].groups.name[g]);
done:
    return status;
}

ritz_status ritz_find_node_systems(const ritz_drive *drive, const ritz_node_systems *systems, int32_t **number)
{
    ritz_status status = RITZ_OK;
    const int32_t n = drive->space->n_nodes;
    RITZ_NEW(*number, n);
    for (int i = 0; i < systems->n; i++) {
        if (systems->list[i].groups.n)
            RITZ_TRY(ritz_mark_nodes(drive, &systems->list[i].groups, i + 1, *number));
        for (int32_t node = 0; !systems->list[i].groups.n && node < n; node++)
            (*number)[node] = i + 1;
    }
done:
    return status;
}

ritz_status ritz_turn_at_node(const ritz_drive *drive, const ritz_node_systems *systems, const int32_t *number,
                              int32_t node, double v[3])
{
    ritz_status status = RITZ_OK;
    double x[3], turned[3], axes[3][3];
    if (!number[node])
        return RITZ_OK;
    ritz_space_get_place(drive->space, node, x);
    RITZ_TRY(ritz_frame_axes(systems->list[number[node] - 1].system, x, axes));
    for (int c = 0; c < 3; c++)
        turned[c] = ritz_dot(axes[c], v);
    memcpy(v, turned, sizeof turned);
done:
    return status;
}
