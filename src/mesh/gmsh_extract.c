/* Takes the mesh that Gmsh holds through its C API: nodes, physical groups, cells, and the lower elements in groups. */
#include "mesh/gmsh_session.h"

#ifdef RITZ_GMSH
#include <gmshc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From node numbers in the file to indices: a direct table where the numbers are dense, a sorted list otherwise. */
typedef struct tag_index {
    int64_t largest;
    int32_t *direct; /* [largest + 1], -1 for no node */
    struct tagged {
        int64_t tag;
        int32_t node;
    } * sorted;
    int64_t n;
} tag_index;

static int by_tag(const void *p, const void *q)
{
    int64_t a = ((const struct tagged *)p)->tag, b = ((const struct tagged *)q)->tag;
    return (a > b) - (a < b);
}

static ritz_status tag_index_create(int64_t n, const size_t *tags, tag_index *index)
{
    ritz_status status = RITZ_OK;
    *index = (tag_index){.n = n};
    for (int64_t i = 0; i < n; i++)
        index->largest = ritz_max64(index->largest, (int64_t)tags[i]);
    if (index->largest < 8 * n + 1024) {
        RITZ_NEW(index->direct, index->largest + 1);
        memset(index->direct, -1, (size_t)(index->largest + 1) * sizeof *index->direct);
        for (int64_t i = 0; i < n; i++)
            index->direct[tags[i]] = (int32_t)i;
    } else {
        RITZ_NEW(index->sorted, n);
        for (int64_t i = 0; i < n; i++)
            index->sorted[i] = (struct tagged){(int64_t)tags[i], (int32_t)i};
        qsort(index->sorted, (size_t)n, sizeof *index->sorted, by_tag);
    }
done:
    return status;
}

static int32_t node_of(const tag_index *index, size_t tag)
{
    if (index->direct)
        return (int64_t)tag <= index->largest ? index->direct[tag] : -1;
    struct tagged key = {(int64_t)tag, 0};
    const struct tagged *found = bsearch(&key, index->sorted, (size_t)index->n, sizeof key, by_tag);
    return found ? found->node : -1;
}

static void tag_index_free(tag_index *index)
{
    ritz_free(index->direct);
    ritz_free(index->sorted);
}

static ritz_status take_nodes(ritz_mesh *mesh, tag_index *index)
{
    ritz_status status = RITZ_OK;
    size_t *tags = NULL, n = 0, n_coordinates = 0, n_parametric = 0;
    double *coordinates = NULL, *parametric = NULL;
    int error;
    gmshModelMeshGetNodes(&tags, &n, &coordinates, &n_coordinates, &parametric, &n_parametric, -1, -1, 0, 0, &error);
    RITZ_GMSH_REQUIRE(!error, "give the nodes");
    RITZ_REQUIRE(n > 0, RITZ_ERROR_INPUT, "the mesh is empty: there are no nodes in it");
    RITZ_REQUIRE(n <= INT32_MAX, RITZ_ERROR_INPUT,
                 "the mesh has %zu nodes, more than the 2147483647 that one mesh can hold", n);
    RITZ_NEW(mesh->nodes, 3 * (int64_t)n);
    memcpy(mesh->nodes, coordinates, 3 * n * sizeof(double));
    RITZ_NEW(mesh->node_number, (int64_t)n);
    mesh->n_nodes = (int32_t)n;
    for (size_t i = 0; i < n; i++) {
        mesh->node_number[i] = (int64_t)tags[i];
        const double *x = &coordinates[3 * i];
        RITZ_REQUIRE(isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]), RITZ_ERROR_INPUT,
                     "node %zu has the coordinates (%g, %g, %g); every coordinate must be a finite number", tags[i],
                     x[0], x[1], x[2]);
    }
    RITZ_TRY(tag_index_create((int64_t)n, tags, index));
done:
    gmshFree(tags);
    gmshFree(coordinates);
    gmshFree(parametric);
    return status;
}

/* Groups by (dimension, physical tag): one group may stand for several tags of the same name. */
typedef struct tagged_group {
    int dim, tag;
    int32_t group;
} tagged_group;

/* One geometric entity of the model and the set of groups that its elements are in. */
typedef struct model_entity {
    int dim, tag;
    int32_t set;
} model_entity;

typedef struct extraction {
    ritz_mesh *mesh;
    ritz_raw *raw;
    tag_index nodes;
    int64_t n_tagged;
    tagged_group *tagged;
    int64_t n_entities, entity_capacity;
    model_entity *entities;
} extraction;

static void extraction_free(extraction *x)
{
    tag_index_free(&x->nodes);
    ritz_free(x->tagged);
    ritz_free(x->entities);
}

static ritz_status take_groups(extraction *x)
{
    ritz_status status = RITZ_OK;
    int *pairs = NULL, error;
    char *name = NULL;
    size_t n = 0;
    gmshModelGetPhysicalGroups(&pairs, &n, -1, &error);
    RITZ_GMSH_REQUIRE(!error, "give the physical groups");
    RITZ_NEW(x->tagged, (int64_t)n / 2);
    for (size_t i = 0; i < n; i += 2) {
        tagged_group *t = &x->tagged[x->n_tagged++];
        *t = (tagged_group){.dim = pairs[i], .tag = pairs[i + 1]};
        gmshModelGetPhysicalName(t->dim, t->tag, &name, &error);
        RITZ_TRY(ritz_mesh_add_group(x->mesh, t->dim, t->tag, error ? NULL : name, &t->group));
        gmshFree(name);
        name = NULL;
    }
done:
    gmshFree(name);
    gmshFree(pairs);
    return status;
}

/* The set of the groups of an entity. */
static ritz_status set_of(extraction *x, int dim, int tag, int32_t *set)
{
    ritz_status status = RITZ_OK;
    int *tags = NULL, error;
    size_t n = 0;
    *set = 0;
    gmshModelGetPhysicalGroupsForEntity(dim, tag, &tags, &n, &error);
    RITZ_GMSH_REQUIRE(!error, "give the physical groups of an entity");
    for (size_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < x->n_tagged; k++) {
            int32_t one;
            if (x->tagged[k].dim != dim || x->tagged[k].tag != abs(tags[i]))
                continue;
            RITZ_TRY(ritz_mesh_add_set(x->mesh, 1, &x->tagged[k].group, &one));
            RITZ_TRY(ritz_mesh_unite_sets(x->mesh, *set, one, set));
        }
    }
done:
    gmshFree(tags);
    return status;
}

static ritz_status take_entities(extraction *x, int *highest)
{
    ritz_status status = RITZ_OK;
    int *pairs = NULL, *types = NULL, error;
    size_t n = 0, n_types = 0;
    *highest = 0;
    gmshModelGetEntities(&pairs, &n, -1, &error);
    RITZ_GMSH_REQUIRE(!error, "give the parts of the model");
    RITZ_NEW(x->entities, (int64_t)n / 2);
    for (size_t i = 0; i < n; i += 2) {
        model_entity e = {.dim = pairs[i], .tag = pairs[i + 1]};
        gmshModelMeshGetElementTypes(&types, &n_types, e.dim, e.tag, &error);
        gmshFree(types);
        types = NULL;
        if (error || n_types == 0)
            continue;
        *highest = e.dim > *highest ? e.dim : *highest;
        RITZ_TRY(set_of(x, e.dim, e.tag, &e.set));
        x->entities[x->n_entities++] = e;
    }
done:
    gmshFree(pairs);
    return status;
}

/* Groups for a geometry that has none: "body" and each side by its tag. */
static ritz_status name_entities(extraction *x, int highest)
{
    ritz_status status = RITZ_OK;
    for (int64_t i = 0; i < x->n_entities; i++) {
        model_entity *e = &x->entities[i];
        int32_t group;
        char name[32] = "body";
        if (e->dim < highest - 1)
            continue;
        if (e->dim < highest)
            snprintf(name, sizeof name, "%s%d", e->dim == 2 ? "face" : "edge", e->tag);
        RITZ_TRY(ritz_mesh_add_group(x->mesh, e->dim, e->tag, name, &group));
        RITZ_TRY(ritz_mesh_add_set(x->mesh, 1, &group, &e->set));
    }
done:
    return status;
}

/* Gmsh's reference cells are [-1, 1] where ours are [0, 1]; unit simplices are the same. */
static ritz_status take_reference(int type, ritz_raw_cells *cells)
{
    ritz_status status = RITZ_OK;
    char *name = NULL;
    int dim, order, n_nodes, n_primary, error;
    double *local = NULL;
    size_t n_local = 0;
    gmshModelMeshGetElementProperties(type, &name, &dim, &order, &n_nodes, &local, &n_local, &n_primary, &error);
    RITZ_GMSH_REQUIRE(!(error || n_nodes != cells->type->n_nodes || n_local != (size_t)dim * (size_t)n_nodes),
                      "describe its element types");
    for (int i = 0; i < n_nodes; i++) {
        for (int a = 0; a < dim; a++) {
            ritz_cell cell = (ritz_cell)cells->type->cell;
            bool doubled = cell == RITZ_QUAD || cell == RITZ_HEX || (cell == RITZ_PRISM && a == 2);
            double x = local[i * dim + a];
            cells->reference[i][a] = doubled ? 0.5 * (x + 1) : x;
        }
    }
done:
    gmshFree(name);
    gmshFree(local);
    return status;
}

static ritz_status missing_node(int64_t number, size_t tag)
{
    return ritz_fail(RITZ_ERROR_INPUT,
                     "element %lld refers to node %zu, which the file does not have; write the mesh again",
                     (long long)number, tag);
}

static ritz_status add_cells(extraction *x, const ritz_gmsh_type *type, int32_t set, size_t n, const size_t *tags,
                             const size_t *nodes)
{
    ritz_status status = RITZ_OK;
    ritz_raw_cells *cells = &x->raw->cells[type->type];
    int64_t n_nodes = type->n_nodes, total = cells->n + (int64_t)n;
    if (!cells->type) {
        cells->type = type;
        RITZ_TRY(take_reference(type->type, cells));
    }
    if (total > cells->capacity) {
        int64_t capacity = ritz_max64(total, cells->capacity + cells->capacity / 2);
        RITZ_RESIZE(cells->nodes, capacity * n_nodes);
        RITZ_RESIZE(cells->set, capacity);
        RITZ_RESIZE(cells->number, capacity);
        cells->capacity = capacity;
    }
    for (size_t c = 0; c < n; c++, cells->n++) {
        for (int64_t i = 0; i < n_nodes; i++) {
            int32_t node = node_of(&x->nodes, nodes[(int64_t)c * n_nodes + i]);
            if (node < 0)
                RITZ_TRY(missing_node((int64_t)tags[c], nodes[(int64_t)c * n_nodes + i]));
            cells->nodes[cells->n * n_nodes + i] = node;
        }
        cells->set[cells->n] = set;
        cells->number[cells->n] = (int64_t)tags[c];
    }
done:
    return status;
}

static ritz_status add_sides(extraction *x, const ritz_gmsh_type *type, int32_t set, size_t n, const size_t *tags,
                             const size_t *nodes)
{
    ritz_status status = RITZ_OK;
    ritz_mesh *mesh = x->mesh;
    int64_t total = mesh->n_entities + (int64_t)n;
    RITZ_REQUIRE(total <= INT32_MAX, RITZ_ERROR_INPUT, "the groups have more than 2147483647 faces, edges and points");
    if (total > x->entity_capacity) {
        x->entity_capacity = ritz_max64(total, x->entity_capacity + x->entity_capacity / 2);
        RITZ_RESIZE(mesh->entities, x->entity_capacity);
    }
    for (size_t c = 0; c < n; c++) {
        ritz_mesh_entity *e = &mesh->entities[mesh->n_entities];
        *e = (ritz_mesh_entity){.dim = (int8_t)type->dim,
                                .n_vertices = (int8_t)type->n_vertices,
                                .facet = -1,
                                .set = set,
                                .block = -1,
                                .cell = -1};
        for (int v = 0; v < type->n_vertices; v++) {
            size_t tag = nodes[c * (size_t)type->n_nodes + (size_t)v];
            e->vertices[v] = node_of(&x->nodes, tag);
            if (e->vertices[v] < 0)
                RITZ_TRY(missing_node((int64_t)tags[c], tag));
        }
        mesh->n_entities++;
    }
done:
    return status;
}

static ritz_status take_elements(extraction *x, const model_entity *entity, int highest)
{
    ritz_status status = RITZ_OK;
    int *types = NULL, error;
    size_t n_types = 0, **tags = NULL, *n_tags = NULL, n_tag_lists = 0, **nodes = NULL, *n_nodes = NULL,
           n_node_lists = 0;
    gmshModelMeshGetElements(&types, &n_types, &tags, &n_tags, &n_tag_lists, &nodes, &n_nodes, &n_node_lists,
                             entity->dim, entity->tag, &error);
    RITZ_GMSH_REQUIRE(!error, "give the elements");
    for (size_t t = 0; t < n_types; t++) {
        const ritz_gmsh_type *type = ritz_gmsh_type_of(types[t]);
        if (!type || type->dim != entity->dim) {
            status = ritz_gmsh_refuse_type(types[t], n_tags[t] > 0 ? (int64_t)tags[t][0] : 0);
            goto done;
        }
        if (entity->dim == highest)
            RITZ_TRY(add_cells(x, type, entity->set, n_tags[t], tags[t], nodes[t]));
        else
            RITZ_TRY(add_sides(x, type, entity->set, n_tags[t], tags[t], nodes[t]));
    }
done:
    for (size_t t = 0; t < n_tag_lists; t++)
        gmshFree(tags[t]);
    for (size_t t = 0; t < n_node_lists; t++)
        gmshFree(nodes[t]);
    gmshFree(tags);
    gmshFree(n_tags);
    gmshFree(nodes);
    gmshFree(n_nodes);
    gmshFree(types);
    return status;
}

static ritz_status take_all_elements(extraction *x, int highest, bool grouped_only)
{
    ritz_status status = RITZ_OK;
    bool grouped = false;
    for (int64_t i = 0; i < x->n_entities; i++)
        grouped = grouped || (x->entities[i].dim == highest && x->entities[i].set > 0);
    for (int64_t i = 0; i < x->n_entities; i++) {
        const model_entity *e = &x->entities[i];
        bool wanted = e->set > 0 || (e->dim == highest && !(grouped_only && grouped));
        RITZ_TRY(ritz_check_interrupt());
        if (wanted)
            RITZ_TRY(take_elements(x, e, highest));
    }
done:
    return status;
}

ritz_status ritz_gmsh_extract(bool name_sides, ritz_mesh **mesh, ritz_raw *raw)
{
    ritz_status status = RITZ_OK;
    extraction x = {.raw = raw};
    int highest;
    RITZ_TRY(ritz_mesh_create(3, &x.mesh));
    RITZ_TRY(take_nodes(x.mesh, &x.nodes));
    RITZ_TRY(take_groups(&x));
    RITZ_TRY(take_entities(&x, &highest));
    RITZ_REQUIRE(highest >= 2, RITZ_ERROR_INPUT,
                 "the mesh has no cells: its elements are %s; mesh the surface (2D) or the volume (3D), and if it has "
                 "physical groups put the part itself in one, or it is not saved",
                 highest == 1 ? "lines and points only" : "points only, or none");
    x.mesh->dim = highest;
    if (name_sides && x.n_tagged == 0)
        RITZ_TRY(name_entities(&x, highest));
    RITZ_TRY(take_all_elements(&x, highest, name_sides));
    *mesh = x.mesh;
    x.mesh = NULL;
done:
    ritz_mesh_destroy(&x.mesh);
    extraction_free(&x);
    return status;
}
#endif
