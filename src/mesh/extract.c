/* From the model of a file to a mesh: nodes, physical groups, cells, and the lower elements in groups. */
#include "mesh/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Groups by (dimension, physical tag): one group may stand for several tags of the same name. */
typedef struct tagged_group {
    int dim, tag;
    int32_t group;
} tagged_group;

typedef struct extraction {
    ritz_model *model;
    ritz_mesh *mesh;
    ritz_raw *raw;
    int64_t n_tagged, entity_capacity;
    tagged_group *tagged; /* increasing by dimension and tag */
} extraction;

static ritz_status take_nodes(extraction *x)
{
    ritz_status status = RITZ_OK;
    ritz_model *model = x->model;
    RITZ_REQUIRE(model->n_nodes > 0, RITZ_ERROR_INPUT, "the mesh is empty: there are no nodes in it");
    x->mesh->nodes = model->nodes;
    x->mesh->node_number = model->node_numbers;
    x->mesh->n_nodes = (int32_t)model->n_nodes;
    x->mesh->warning = model->warning;
    if (model->warning)
        ritz_log("mesh: %s", model->warning);
    model->nodes = NULL;
    model->node_numbers = NULL;
    model->warning = NULL;
    model->n_nodes = model->node_capacity = 0;
done:
    return status;
}

static int by_dim_and_tag(const void *p, const void *q)
{
    const tagged_group *a = p, *b = q;
    return a->dim != b->dim ? (a->dim > b->dim) - (a->dim < b->dim) : (a->tag > b->tag) - (a->tag < b->tag);
}

static const char *name_of(const ritz_model *model, int dim, int tag)
{
    for (int64_t i = 0; i < model->n_names; i++) {
        if (model->names[i].dim == dim && model->names[i].tag == tag)
            return model->names[i].name;
    }
    return NULL;
}

/* The groups that entities and elements are in, by dimension and tag. */
static ritz_status take_groups(extraction *x)
{
    ritz_status status = RITZ_OK;
    const ritz_model *model = x->model;
    int64_t n = 0;
    RITZ_NEW(x->tagged, model->n_tags + model->n_runs);
    for (int64_t e = 0; e < model->n_entities; e++) {
        for (int64_t i = 0; i < model->entities[e].n; i++)
            x->tagged[n++] = (tagged_group){model->entities[e].dim, model->tags[model->entities[e].first + i], -1};
    }
    for (int64_t r = 0; r < model->n_runs; r++) {
        if (model->runs[r].group > 0)
            x->tagged[n++] = (tagged_group){model->runs[r].type->dim, model->runs[r].group, -1};
    }
    if (n > 0)
        qsort(x->tagged, (size_t)n, sizeof *x->tagged, by_dim_and_tag);
    for (int64_t i = 0; i < n; i++) {
        tagged_group t = x->tagged[i];
        if (x->n_tagged > 0 && by_dim_and_tag(&t, &x->tagged[x->n_tagged - 1]) == 0)
            continue;
        RITZ_TRY(ritz_mesh_add_group(x->mesh, t.dim, t.tag, name_of(model, t.dim, t.tag), &t.group));
        x->tagged[x->n_tagged++] = t;
    }
done:
    return status;
}

/* *set and the group of a physical tag. */
static ritz_status unite_tag(extraction *x, int dim, int tag, int32_t *set)
{
    ritz_status status = RITZ_OK;
    int32_t one;
    const tagged_group key = {dim, tag, -1},
                       *found = bsearch(&key, x->tagged, (size_t)x->n_tagged, sizeof key, by_dim_and_tag);
    RITZ_TRY(ritz_mesh_add_set(x->mesh, 1, &found->group, &one));
    RITZ_TRY(ritz_mesh_unite_sets(x->mesh, *set, one, set));
done:
    return status;
}

static int by_entity(const void *p, const void *q)
{
    const ritz_model_entity *a = p, *b = q;
    return a->dim != b->dim ? (a->dim > b->dim) - (a->dim < b->dim) : (a->tag > b->tag) - (a->tag < b->tag);
}

/* The groups of each run: its own and those of its entity. */
static ritz_status take_sets(extraction *x)
{
    ritz_status status = RITZ_OK;
    ritz_model *model = x->model;
    if (model->n_entities > 0)
        qsort(model->entities, (size_t)model->n_entities, sizeof *model->entities, by_entity);
    for (int64_t r = 0; r < model->n_runs; r++) {
        ritz_model_run *run = &model->runs[r];
        const ritz_model_entity key = {.dim = run->type->dim, .tag = run->entity}, *entity = NULL;
        if (model->n_entities > 0)
            entity = bsearch(&key, model->entities, (size_t)model->n_entities, sizeof key, by_entity);
        for (int64_t i = 0; entity && i < entity->n; i++)
            RITZ_TRY(unite_tag(x, key.dim, model->tags[entity->first + i], &run->set));
        if (run->group > 0)
            RITZ_TRY(unite_tag(x, key.dim, run->group, &run->set));
    }
done:
    return status;
}

static int by_number(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* By dimension, entity and type, as Gmsh holds them. */
static int in_order(const void *p, const void *q)
{
    const ritz_model_run *a = p, *b = q;
    int order = by_number(a->type->dim, b->type->dim);
    order = order ? order : by_number(a->entity, b->entity);
    order = order ? order : by_number(a->type->type, b->type->type);
    return order ? order : by_number(a->first_element, b->first_element);
}

static ritz_status add_cells(extraction *x, const ritz_model_run *run)
{
    ritz_status status = RITZ_OK;
    ritz_raw_cells *cells = &x->raw->cells[run->type->type];
    int64_t n_nodes = run->type->n_nodes, total = cells->n + run->n;
    cells->type = run->type;
    if (total > cells->capacity) {
        int64_t capacity = ritz_max64(total, cells->capacity + cells->capacity / 2);
        RITZ_RESIZE(cells->nodes, capacity * n_nodes);
        RITZ_RESIZE(cells->set, capacity);
        RITZ_RESIZE(cells->number, capacity);
        cells->capacity = capacity;
    }
    memcpy(&cells->nodes[cells->n * n_nodes], &x->model->connected[run->first_node],
           (size_t)(run->n * n_nodes) * sizeof *cells->nodes);
    memcpy(&cells->number[cells->n], &x->model->numbers[run->first_element], (size_t)run->n * sizeof *cells->number);
    for (int64_t c = 0; c < run->n; c++)
        cells->set[cells->n++] = run->set;
done:
    return status;
}

static ritz_status add_sides(extraction *x, const ritz_model_run *run)
{
    ritz_status status = RITZ_OK;
    ritz_mesh *mesh = x->mesh;
    const ritz_gmsh_type *type = run->type;
    int64_t total = mesh->n_entities + run->n;
    RITZ_REQUIRE(total <= INT32_MAX, RITZ_ERROR_INPUT, "the groups have more than 2147483647 faces, edges and points");
    if (total > x->entity_capacity) {
        x->entity_capacity = ritz_max64(total, x->entity_capacity + x->entity_capacity / 2);
        RITZ_RESIZE(mesh->entities, x->entity_capacity);
    }
    for (int64_t c = 0; c < run->n; c++) {
        ritz_mesh_entity *e = &mesh->entities[mesh->n_entities];
        *e = (ritz_mesh_entity){.dim = (int8_t)type->dim,
                                .n_vertices = (int8_t)type->n_vertices,
                                .facet = -1,
                                .set = run->set,
                                .block = -1,
                                .cell = -1};
        memcpy(e->vertices, &x->model->connected[run->first_node + c * type->n_nodes],
               (size_t)type->n_vertices * sizeof *e->vertices);
        mesh->n_entities++;
    }
done:
    return status;
}

static ritz_status take_elements(extraction *x, bool grouped_only)
{
    ritz_status status = RITZ_OK;
    const int highest = x->mesh->dim;
    bool grouped = false;
    for (int64_t r = 0; r < x->model->n_runs; r++)
        grouped = grouped || (x->model->runs[r].type->dim == highest && x->model->runs[r].set > 0);
    for (int64_t r = 0; r < x->model->n_runs; r++) {
        const ritz_model_run *run = &x->model->runs[r];
        RITZ_TRY(ritz_check_interrupt());
        if (run->type->dim == highest && (run->set > 0 || !(grouped_only && grouped)))
            RITZ_TRY(add_cells(x, run));
        else if (run->type->dim < highest && run->set > 0)
            RITZ_TRY(add_sides(x, run));
    }
done:
    return status;
}

ritz_status ritz_model_extract(ritz_model *model, bool grouped_only, ritz_mesh **mesh, ritz_raw *raw)
{
    ritz_status status = RITZ_OK;
    extraction x = {.model = model, .raw = raw};
    int highest = 0;
    RITZ_TRY(ritz_mesh_new(3, &x.mesh));
    RITZ_TRY(take_nodes(&x));
    for (int64_t r = 0; r < model->n_runs; r++)
        highest = model->runs[r].type->dim > highest ? model->runs[r].type->dim : highest;
    RITZ_REQUIRE(highest >= 2, RITZ_ERROR_INPUT,
                 "the mesh has no cells: its elements are %s; mesh the surface (2D) or the volume (3D), and if it has "
                 "physical groups put the part itself in one, or it is not saved",
                 highest == 1 ? "lines and points only" : "points only, or none");
    x.mesh->dim = highest;
    RITZ_TRY(take_groups(&x));
    RITZ_TRY(take_sets(&x));
    qsort(model->runs, (size_t)model->n_runs, sizeof *model->runs, in_order);
    RITZ_TRY(take_elements(&x, grouped_only));
    *mesh = x.mesh;
    x.mesh = NULL;
done:
    ritz_mesh_destroy(&x.mesh);
    ritz_free(x.tagged);
    return status;
}
