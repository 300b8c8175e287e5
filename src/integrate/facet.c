/* Surface terms: tractions, pressures and fluxes on the facets of a group, integrated on the host (a surface is small
   beside its volume) through the shape functions of the cell behind each facet. */
#include "integrate/facet_point.h"

#include <math.h>
#include <string.h>

/* One facet's share of the load. */
static void add_facet(const ritz_space *space, const ritz_facet_load *facet_load, const ritz_mesh_entity *entity,
                      const ritz_facet_tables *at, double *load)
{
    const ritz_space_batch *batch = &space->batches[entity->block];
    const ritz_tables *tables = at->tables;
    const int dim = space->dim, n_c = space->n_components;
    for (int q = 0; q < tables->n_points; q++) {
        double area[3] = {0}, value[RITZ_MAX_COMPONENTS], variables[RITZ_FACET_VARIABLES];
        const double size = ritz_facet_point(space, facet_load, entity, at, q, area, variables);
        const double scale =
            facet_load->scale ? ritz_datum_value(&facet_load->scale[entity->block], entity->cell, 0, 0, variables) : 1;
        const double pressure = facet_load->pressure ? ritz_expression_value(facet_load->value[0], variables) : 0;
        for (int c = 0; c < n_c; c++)
            value[c] = facet_load->pressure ? -pressure * area[c]
                                            : size * ritz_expression_value(facet_load->value[c], variables);
        const double *psi = tables->psi + (int64_t)q * (1 + dim) * tables->n_shape;
        for (int i = 0; i < tables->n_shape; i++) {
            const int64_t node = batch->cell_nodes[(int64_t)entity->cell * batch->n_shape + i];
            for (int c = 0; c < n_c; c++)
                load[node * n_c + c] += scale * tables->weights[q] * psi[i] * value[c];
        }
    }
}

/* Whether another load has the facet. */
static bool is_left_out(const ritz_mesh *mesh, const ritz_mesh_entity *entity, const ritz_facet_load *facet_load)
{
    const ritz_group_set *set = &mesh->sets[entity->set];
    for (int b = 0; b < facet_load->n_before; b++)
        for (int i = 0; i < set->n_groups; i++)
            if (strcmp(mesh->groups[set->groups[i]].name, facet_load->before[b]) == 0)
                return true;
    return false;
}

ritz_status ritz_integrate_facets(const ritz_space *space, const ritz_facet_load *facet_load, double *load)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = space->mesh;
    const int n_values = facet_load->pressure ? 1 : space->n_components;
    ritz_facet_tables made[RITZ_N_CELLS][RITZ_MAX_FACETS] = {0};
    int64_t n_facets = 0;
    for (int32_t n = 0; n < mesh->n_entities; n++) {
        const ritz_mesh_entity *entity = &mesh->entities[n];
        if (!ritz_mesh_is_facet_of(mesh, entity, facet_load->group))
            continue;
        n_facets++;
        if (is_left_out(mesh, entity, facet_load))
            continue;
        ritz_facet_tables *at = &made[space->batches[entity->block].cell][entity->facet];
        RITZ_TRY(ritz_facet_tables_prepare(space, facet_load, n_values, entity, at));
        add_facet(space, facet_load, entity, at, load);
    }
    RITZ_REQUIRE(n_facets > 0, RITZ_ERROR_INPUT,
                 "the group '%s' has no %s of the mesh's cells to put a load on; name a group of %s",
                 mesh->groups[facet_load->group].name, mesh->dim == 3 ? "faces" : "edges",
                 mesh->dim == 3 ? "surfaces" : "curves");
done:
    for (int c = 0; c < RITZ_N_CELLS; c++)
        for (int f = 0; f < RITZ_MAX_FACETS; f++)
            ritz_facet_tables_free(&made[c][f]);
    return status;
}

/* ---- Terms of the matrix ---- */

/* value[q] = weight times area times the term's value at point q of a facet. */
static void weigh_points(const ritz_space *space, const ritz_facet_load *term, const ritz_mesh_entity *entity,
                         const ritz_facet_tables *at, double *value)
{
    const ritz_tables *tables = at->tables;
    for (int q = 0; q < tables->n_points; q++) {
        double area[3] = {0}, variables[RITZ_FACET_VARIABLES];
        value[q] = tables->weights[q] * ritz_facet_point(space, term, entity, at, q, area, variables) *
                   ritz_expression_value(term->value[0], variables);
        if (term->scale)
            value[q] *= ritz_datum_value(&term->scale[entity->block], entity->cell, 0, 0, variables);
    }
}

/* Shape functions that are not zero on the whole facet; how many. */
static int list_active(const ritz_tables *tables, int *active)
{
    static const double zero = 1e-12; /* a shape function is of the order of 1 at its node */
    int n = 0;
    for (int i = 0; i < tables->n_shape; i++) {
        double most = 0;
        for (int q = 0; q < tables->n_points; q++)
            most = fmax(most, fabs(tables->psi[(int64_t)q * (1 + tables->dim) * tables->n_shape + i]));
        if (most > zero)
            active[n++] = i;
    }
    return n;
}

void ritz_facet_entries_free(ritz_facet_entries *entries)
{
    ritz_free(entries->row);
    ritz_free(entries->column);
    ritz_free(entries->value);
    *entries = (ritz_facet_entries){0};
}

static ritz_status add_entries(const ritz_space *space, const ritz_mesh_entity *entity, const ritz_tables *tables,
                               const double *value, ritz_facet_entries *e)
{
    ritz_status status = RITZ_OK;
    int active[RITZ_MAX_SHAPE];
    const int n = list_active(tables, active), stride = (1 + tables->dim) * tables->n_shape;
    const int32_t *nodes = space->batches[entity->block].cell_nodes + (int64_t)entity->cell * tables->n_shape;
    if (e->n + n * n > e->capacity) {
        const int64_t capacity = ritz_max64(2 * e->capacity, e->n + n * n);
        RITZ_RESIZE(e->row, capacity);
        RITZ_RESIZE(e->column, capacity);
        RITZ_RESIZE(e->value, capacity);
        e->capacity = capacity;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++, e->n++) {
            e->row[e->n] = nodes[active[i]];
            e->column[e->n] = nodes[active[j]];
            e->value[e->n] = 0;
            for (int q = 0; q < tables->n_points; q++)
                e->value[e->n] += value[q] * tables->psi[(int64_t)q * stride + active[i]] *
                                  tables->psi[(int64_t)q * stride + active[j]];
        }
done:
    return status;
}

/* result -= facet matrix times u. */
static void subtract_action(const ritz_space *space, const ritz_mesh_entity *entity, const ritz_tables *tables,
                            const double *value, unsigned axes, const double *u, double *result)
{
    const int n_c = space->n_components, stride = (1 + tables->dim) * tables->n_shape;
    const int32_t *nodes = space->batches[entity->block].cell_nodes + (int64_t)entity->cell * tables->n_shape;
    for (int q = 0; q < tables->n_points; q++)
        for (int c = 0; c < n_c; c++) {
            const double *psi = tables->psi + (int64_t)q * stride;
            double sum = 0;
            if (axes && !(axes >> c & 1))
                continue;
            for (int j = 0; j < tables->n_shape; j++)
                sum += psi[j] * u[(int64_t)nodes[j] * n_c + c];
            for (int i = 0; i < tables->n_shape; i++)
                result[(int64_t)nodes[i] * n_c + c] -= value[q] * psi[i] * sum;
        }
}

/* Facets of the term from entity *next on: their entries, until there are `most`, or, where u is given, their action. */
static ritz_status walk_facets(const ritz_space *space, const ritz_facet_load *term, int64_t most, int32_t *next,
                               ritz_facet_entries *entries, const double *u, double *result)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = space->mesh;
    ritz_facet_tables made[RITZ_N_CELLS][RITZ_MAX_FACETS] = {0};
    double value[RITZ_MAX_QUAD];
    for (; *next < mesh->n_entities && (u || entries->n < most); ++*next) {
        const ritz_mesh_entity *entity = &mesh->entities[*next];
        if (!ritz_mesh_is_facet_of(mesh, entity, term->group) || is_left_out(mesh, entity, term))
            continue;
        ritz_facet_tables *at = &made[space->batches[entity->block].cell][entity->facet];
        RITZ_TRY(ritz_facet_tables_prepare(space, term, 1, entity, at));
        weigh_points(space, term, entity, at, value);
        if (u)
            subtract_action(space, entity, at->tables, value, term->axes, u, result);
        else
            RITZ_TRY(add_entries(space, entity, at->tables, value, entries));
    }
done:
    for (int c = 0; c < RITZ_N_CELLS; c++)
        for (int f = 0; f < RITZ_MAX_FACETS; f++)
            ritz_facet_tables_free(&made[c][f]);
    return status;
}

ritz_status ritz_integrate_facet_entries(const ritz_space *space, const ritz_facet_load *facet_load, int64_t most,
                                         int32_t *next, ritz_facet_entries *entries)
{
    entries->n = 0;
    return walk_facets(space, facet_load, most, next, entries, NULL, NULL);
}

ritz_status ritz_subtract_facet_action(const ritz_space *space, const ritz_facet_load *facet_load, const double *u,
                                       double *result)
{
    int32_t next = 0;
    return walk_facets(space, facet_load, 0, &next, NULL, u, result);
}
