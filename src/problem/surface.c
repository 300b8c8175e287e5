/* The loads on the surfaces of boundary entries. */
#include "integrate/element.h"
#include "problem/drive.h"

#include <math.h>

/* A facet's points in the reference cell, as places in space are made of them. */
static ritz_status facet_tables(const ritz_drive *drive, int batch, int facet, ritz_tables **tables)
{
    ritz_status status = RITZ_OK;
    ritz_facet_quadrature *rule = NULL;
    const ritz_space_batch *b = &drive->space->batches[batch];
    const int degree = ritz_quadrature_degree(drive->problem->degree, drive->problem->order);
    if (*tables)
        return RITZ_OK;
    RITZ_TRY(ritz_facet_quadrature_create(b->cell, facet, degree, &rule));
    RITZ_TRY(ritz_tables_create(b, rule->n_points, rule->points, rule->weights, tables));
done:
    ritz_facet_quadrature_destroy(&rule);
    return status;
}

/* A quantity that is read on the facets of a group. */
typedef struct surface_value {
    const ritz_quantity *quantity;
    const char *key;
    const ritz_data_bounds *bounds;
    int32_t material; /* on facets of its cells alone; -1: on all */
} surface_value;

/* The values of one facet, at the points where it is integrated. */
static ritz_status check_facet(const ritz_space *space, const ritz_mesh_entity *entity, const ritz_tables *tables,
                               int32_t group, const surface_value *v)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh_block *block = space->batches[entity->block].block;
    for (int q = 0; q < tables->n_points; q++) {
        ritz_point point;
        ritz_point_map(tables, space->mesh, block->nodes + (int64_t)entity->cell * block->n_nodes, q, &point);
        const double value = ritz_expression_value(v->quantity->expression, point.x);
        RITZ_REQUIRE_AT(ritz_data_within(v->bounds, value), &v->quantity->place,
                        "'%s' must be %s; %.200s is %g at (%g, %g, %g) on a surface of the group '%s'", v->key,
                        v->bounds->words, ritz_expression_text(v->quantity->expression), value, point.x[0], point.x[1],
                        point.x[2], space->mesh->groups[group].name);
    }
done:
    return status;
}

/* One quantity on a group. */
static ritz_status check_values(const ritz_drive *drive, int32_t group, const surface_value *v)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = drive->space;
    const ritz_mesh *mesh = space->mesh;
    ritz_tables *made[RITZ_N_CELLS][RITZ_MAX_FACETS] = {{NULL}};
    for (int32_t n = 0; v->quantity->expression && !v->quantity->constant && n < mesh->n_entities; n++) {
        const ritz_mesh_entity *entity = &mesh->entities[n];
        if (!ritz_mesh_is_facet_of(mesh, entity, group) ||
            (v->material >= 0 && drive->material[entity->block][entity->cell] != v->material))
            continue;
        ritz_tables **tables = &made[space->batches[entity->block].cell][entity->facet];
        RITZ_TRY(facet_tables(drive, entity->block, entity->facet, tables));
        RITZ_TRY(check_facet(space, entity, *tables, group, v));
    }
done:
    for (int c = 0; c < RITZ_N_CELLS; c++)
        for (int f = 0; f < RITZ_MAX_FACETS; f++)
            ritz_tables_destroy(&made[c][f]);
    return status;
}

ritz_status ritz_check_surface_quantity(const ritz_drive *drive, const char *group, const char *key,
                                        const ritz_quantity *quantity, const ritz_data_bounds *bounds)
{
    ritz_status status = RITZ_OK;
    int32_t number;
    RITZ_TRY(ritz_mesh_find_group(drive->mesh, group, drive->mesh->dim - 1, &number));
    RITZ_TRY(check_values(drive, number, &(surface_value){quantity, key, bounds, -1}));
done:
    return status;
}

/* The components of a load on a group, and the thickness that they act on. */
static ritz_status check_group(const ritz_drive *drive, int32_t group, const char *key, const ritz_vector *load)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    const int p = physics->thickness ? ritz_find_property(physics, physics->thickness) : -1;
    for (int c = 0; c < load->n; c++)
        RITZ_TRY(check_values(drive, group, &(surface_value){&load->component[c], key, &ritz_finite, -1}));
    for (int32_t m = 0; p >= 0 && m < drive->problem->n_materials; m++)
        RITZ_TRY(check_values(drive, group,
                              &(surface_value){&drive->problem->materials[m].property[p].component[0],
                                               physics->thickness, ritz_property_bounds(&physics->properties[p]), m}));
done:
    return status;
}

ritz_status ritz_add_surface_load(const ritz_drive *drive, const ritz_boundary *entry, int k, double **load)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    const ritz_boundary_key *key = &physics->boundary[k];
    const bool turn = entry->system && key->kind == RITZ_BOUNDARY_LOAD;
    const ritz_vector *given = &entry->term[k];
    ritz_vector turned = {0};
    const ritz_expression *value[RITZ_MAX_COMPONENTS] = {NULL};
    ritz_datum thickness[RITZ_N_CELLS];
    const bool thick = physics->thickness && ritz_batch_data(drive, physics->thickness, thickness);
    if (!*load)
        RITZ_NEW(*load, ritz_space_n_dofs(drive->space));
    double size = 0;
    for (int64_t i = 0; turn && i < 3 * (int64_t)drive->mesh->n_nodes; i++)
        size = fmax(size, fabs(drive->mesh->nodes[i]));
    if (turn)
        RITZ_TRY(ritz_frame_turn(entry->system, given, size, &turned));
    given = turn ? &turned : given;
    for (int c = 0; c < given->n; c++)
        value[c] = given->component[c].expression;
    for (int i = 0; i < entry->groups.n; i++) {
        int32_t group;
        RITZ_TRY(ritz_mesh_find_group(drive->mesh, entry->groups.name[i], drive->mesh->dim - 1, &group));
        RITZ_TRY(check_group(drive, group, key->name, given));
        const ritz_facet_load facet_load = {.group = group,
                                            .before = (const char *const *)entry->groups.name,
                                            .n_before = i,
                                            .pressure = key->kind == RITZ_BOUNDARY_PRESSURE,
                                            .value = value,
                                            .scale = thick ? thickness : NULL,
                                            .degree = drive->problem->degree};
        if ((status = ritz_integrate_facets(drive->space, &facet_load, *load)) != RITZ_OK) {
            ritz_fail_context_at(status, &entry->place);
            goto done;
        }
    }
done:
    ritz_vector_free(&turned);
    return status;
}

/* A film's load: coefficient times ambient value. */
ritz_status ritz_add_film_load(const ritz_drive *drive, const ritz_boundary *entry, int k, double **load)
{
    ritz_status status = RITZ_OK;
    const ritz_quantity *film = entry->term[k].component;
    ritz_boundary product = {.groups = entry->groups, .place = entry->place};
    char *text = NULL;
    RITZ_TRY(ritz_format(&text, "(%s) * (%s)", ritz_expression_text(film[0].expression),
                         ritz_expression_text(film[1].expression)));
    RITZ_TRY(ritz_quantity_create(text, entry->term[k].place, &product.term[k].component[0]));
    product.term[k].n = 1;
    for (int i = 0; i < entry->groups.n; i++) {
        int32_t group;
        RITZ_TRY(ritz_mesh_find_group(drive->mesh, entry->groups.name[i], drive->mesh->dim - 1, &group));
        RITZ_TRY(check_values(drive, group, &(surface_value){&film[0], "coefficient", &ritz_positive, -1}));
        RITZ_TRY(check_values(drive, group, &(surface_value){&film[1], "ambient", &ritz_finite, -1}));
    }
    RITZ_TRY(ritz_add_surface_load(drive, &product, k, load));
done:
    ritz_vector_free(&product.term[k]);
    ritz_free(text);
    return status;
}

ritz_status ritz_find_film_scale(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const char *thickness = drive->problem->physics->thickness;
    if (!thickness)
        return RITZ_OK;
    RITZ_NEW(drive->film_scale, RITZ_N_CELLS);
    if (!ritz_batch_data(drive, thickness, drive->film_scale)) {
        ritz_free(drive->film_scale);
        drive->film_scale = NULL;
    }
done:
    return status;
}

ritz_status ritz_list_films(const ritz_drive *drive, ritz_facet_load **films, int *n)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    const ritz_loads *loads = &drive->problem->loads;
    *n = 0;
    for (int i = 0; i < loads->n_boundary; i++)
        for (int k = 0; k < physics->n_boundary; k++) {
            const ritz_boundary *entry = &loads->boundary[i];
            if (physics->boundary[k].kind != RITZ_BOUNDARY_FILM || !entry->term[k].n ||
                ritz_physics_is_nonlinear(drive->problem)) /* radiation.c has them then */
                continue;
            RITZ_RESIZE(*films, *n + entry->groups.n);
            for (int g = 0; g < entry->groups.n; g++) {
                ritz_facet_load *film = &(*films)[(*n)++];
                *film =
                    (ritz_facet_load){.before = (const char *const *)entry->groups.name,
                                      .n_before = g,
                                      .value = (const ritz_expression *const *)&entry->term[k].component[0].expression,
                                      .scale = drive->film_scale,
                                      .degree = drive->problem->degree};
                RITZ_TRY(ritz_mesh_find_group(drive->mesh, entry->groups.name[g], drive->mesh->dim - 1, &film->group));
            }
        }
done:
    return status;
}

static ritz_status add_entry(const ritz_drive *drive, const ritz_boundary *entry, double **load)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    bool in_total = false;
    for (int k = 0; k < physics->n_boundary; k++) {
        const ritz_boundary_kind kind = physics->boundary[k].kind;
        if (!entry->term[k].n)
            continue;
        in_total = in_total || ritz_is_total(kind);
        if (kind == RITZ_BOUNDARY_LOAD || kind == RITZ_BOUNDARY_PRESSURE)
            RITZ_TRY(ritz_add_surface_load(drive, entry, k, load));
        else if (kind == RITZ_BOUNDARY_FILM && !ritz_physics_is_nonlinear(drive->problem))
            RITZ_TRY(ritz_add_film_load(drive, entry, k, load));
    }
    if (in_total)
        RITZ_TRY(ritz_add_force(drive, entry, load));
done:
    return status;
}

ritz_status ritz_add_surface_loads(const ritz_drive *drive, const ritz_loads *loads, double **load)
{
    ritz_status status = RITZ_OK;
    for (int i = 0; i < loads->n_boundary; i++)
        RITZ_TRY(add_entry(drive, &loads->boundary[i], load));
    const int64_t n = *load ? ritz_space_n_dofs(drive->space) : 0, bad = ritz_find_not_finite(n, *load);
    RITZ_REQUIRE(bad == n, RITZ_ERROR_INPUT,
                 "%s: the loads on surfaces overflow near node %lld; choose units that bring them nearer to 1",
                 drive->problem->file, (long long)(bad / drive->space->n_components));
done:
    return status;
}
