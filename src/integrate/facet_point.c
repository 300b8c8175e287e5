/* What is known at a point of a facet, through the shape functions of the cell behind it. */
#include "integrate/facet_point.h"

#include "base/point.h"

#include <string.h>

int ritz_list_facet_names(const ritz_form *form, const char *names[RITZ_N_FACET_NAMES + RITZ_MAX_NAMES])
{
    static const char *const always[RITZ_N_FACET_NAMES] = {"x", "y", "z", "t", "nx", "ny", "nz"};
    int n = RITZ_N_FACET_NAMES;
    memcpy(names, always, sizeof always);
    for (int v = 4; form && v < form->variables.n + form->n_data; v++)
        names[n++] = form->variables.names[v];
    return n;
}

/* The place of the form's variable v among those of expressions on facets. */
static int place_of(int v)
{
    return v < 4 ? v : RITZ_N_FACET_NAMES + v - 4;
}

static bool is_read(const ritz_facet_load *facet_load, int n_values, int v)
{
    bool read = false;
    for (int c = 0; c < n_values; c++)
        read = read || ritz_expression_reads(facet_load->value[c], place_of(v));
    return read;
}

/* Whether an expression on the form's own variables changes with time or the old solution. */
static bool datum_varies(const ritz_form *form, const ritz_datum *datum)
{
    for (int e = 0; datum->kind == RITZ_DATA_EXPRESSION && e < datum->n_expressions; e++)
        for (int v = 3; v < form->variables.n; v++)
            if (ritz_expression_reads(datum->expressions[e], v))
                return true;
    return false;
}

bool ritz_facet_load_varies(const ritz_space *space, const ritz_facet_load *facet_load, int n_values)
{
    const ritz_facet_data *own = facet_load->data;
    const int n = own ? own->form->variables.n : 4;
    bool varies = false;
    for (int v = 3; v < n; v++)
        varies = varies || is_read(facet_load, n_values, v);
    for (int d = 0; own && d < own->form->n_data && !varies; d++)
        for (int b = 0; b < space->n_batches && is_read(facet_load, n_values, n + d); b++)
            varies = varies || datum_varies(own->form, &own->data[b][d]);
    return varies;
}

/* ---- Tables ---- */

void ritz_facet_tables_free(ritz_facet_tables *tables)
{
    ritz_tables_destroy(&tables->tables);
    for (int d = 0; d < RITZ_MAX_DATA; d++)
        ritz_tables_destroy(&tables->fields[d]);
}

static void mark_reads(const ritz_facet_load *facet_load, int n_values, ritz_facet_tables *made)
{
    const ritz_form *form = facet_load->data ? facet_load->data->form : NULL;
    for (int v = 4; form && v < form->variables.n; v++)
        made->reads_form = made->reads_form || is_read(facet_load, n_values, v);
    for (int d = 0; form && d < form->n_data; d++) {
        made->reads[d] = is_read(facet_load, n_values, form->variables.n + d);
        made->reads_form = made->reads_form || made->reads[d];
    }
}

ritz_status ritz_facet_tables_prepare(const ritz_space *space, const ritz_facet_load *facet_load, int n_values,
                                      const ritz_mesh_entity *entity, ritz_facet_tables *made)
{
    ritz_status status = RITZ_OK;
    const ritz_space_batch *batch = &space->batches[entity->block];
    const int degree = ritz_quadrature_degree(facet_load->degree, space->order);
    ritz_facet_quadrature *rule = NULL;
    if (made->tables)
        return RITZ_OK;
    mark_reads(facet_load, n_values, made);
    RITZ_TRY(ritz_facet_quadrature_create(batch->cell, entity->facet, degree, &rule));
    for (int d = 0; d < RITZ_MAX_DATA; d++) {
        const ritz_data *field = facet_load->data && made->reads[d] ? facet_load->data->fields[d] : NULL;
        if (field)
            RITZ_TRY(ritz_tables_create(&field->space->batches[entity->block], rule->n_points, rule->points,
                                        rule->weights, &made->fields[d]));
    }
    RITZ_TRY(ritz_tables_create(batch, rule->n_points, rule->points, rule->weights, &made->tables));
    for (int d = 0; d < 3; d++)
        made->normal[d] = rule->normal[d];
done:
    ritz_facet_quadrature_destroy(&rule);
    return status;
}

/* ---- Points ---- */

/* cofactor(F) normal: the physical normal times the area that belongs to weight 1. */
static void area_normal(int dim, const ritz_point *point, const double *normal, double *area)
{
    for (int a = 0; a < dim; a++) {
        area[a] = 0;
        for (int b = 0; b < dim; b++)
            area[a] += point->det * point->inverse[b][a] * normal[b];
    }
}

/* A component of a field with values at the nodes, or its derivative D > 0, from psi[1 + dim][n_shape] at the point. */
static double field_value(const ritz_space *space, const ritz_mesh_entity *entity, const double *psi,
                          const double *values, int component, int D)
{
    const ritz_space_batch *batch = &space->batches[entity->block];
    const int32_t *nodes = batch->cell_nodes + (int64_t)entity->cell * batch->n_shape;
    double sum = 0;
    for (int i = 0; i < batch->n_shape; i++)
        sum += psi[D * batch->n_shape + i] * values[(int64_t)nodes[i] * space->n_components + component];
    return sum;
}

/* The old solution, its gradient, and the data that are read, behind the others. */
static void add_form_variables(const ritz_space *space, const ritz_facet_load *facet_load,
                               const ritz_mesh_entity *entity, const ritz_facet_tables *at, const ritz_point *point,
                               int q, double *variables)
{
    const ritz_facet_data *own = facet_load->data;
    const ritz_form *form = own->form;
    const int dim = space->dim, n_c = space->n_components, n = form->variables.n;
    double psi[4 * RITZ_MAX_SHAPE], all[RITZ_MAX_NAMES] = {0};
    memcpy(all, variables, 4 * sizeof *all);
    if (own->old)
        ritz_point_shape(at->tables, point, q, psi);
    for (int c = 0; own->old && c < n_c; c++) {
        all[4 + c] = field_value(space, entity, psi, own->old, c, 0);
        for (int d = 0; d < dim; d++)
            all[4 + n_c + c * dim + d] = field_value(space, entity, psi, own->old, c, 1 + d);
    }
    for (int d = 0; d < form->n_data; d++) {
        const ritz_data *field = own->fields[d];
        if (!at->reads[d])
            continue;
        if (field) {
            ritz_point_shape(at->fields[d], point, q, psi);
            all[n + d] = field_value(field->space, entity, psi, field->values, field->component, field->derivative);
        } else {
            all[n + d] = ritz_datum_value(&own->data[entity->block][d], entity->cell, 0, 0, all);
        }
    }
    memcpy(variables + RITZ_N_FACET_NAMES, all + 4, (size_t)(n + form->n_data - 4) * sizeof *all);
}

double ritz_facet_point(const ritz_space *space, const ritz_facet_load *facet_load, const ritz_mesh_entity *entity,
                        const ritz_facet_tables *at, int q, double area[3], double *variables)
{
    const ritz_mesh_block *block = space->batches[entity->block].block;
    const int dim = space->dim;
    ritz_point point;
    ritz_point_map(at->tables, space->mesh, block->nodes + (int64_t)entity->cell * block->n_nodes, q, &point);
    area_normal(dim, &point, at->normal, area);
    const double size = ritz_length(area);
    memset(variables, 0, sizeof *variables * RITZ_FACET_VARIABLES);
    for (int d = 0; d < dim; d++) {
        variables[d] = point.x[d];
        variables[4 + d] = area[d] / size;
    }
    variables[3] = facet_load->time;
    if (at->reads_form)
        add_form_variables(space, facet_load, entity, at, &point, q, variables);
    return size;
}
