/* Groups by where their members are: those that meet all criteria of a choice. */
#include "base/point.h"
#include "mesh/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What may be chosen: a cell, a facet or a node, by its points. */
typedef struct candidate {
    int n;
    const double *points[8];
    double normal[3]; /* of a facet, of length 1 */
    int32_t set;      /* groups that it is in */
    int32_t cell_set; /* of a facet: those that its cell is in */
    uint16_t member;  /* of a node: bits of the criteria with groups of facets or cells that have it */
} candidate;

/* ---- Criteria ---- */

/* Distance of x from the axis through `point`, and along it. */
static double distance_from_axis(const ritz_criterion *c, const double x[3], double *along)
{
    double v[3], square = 0;
    for (int d = 0; d < 3; d++)
        v[d] = x[d] - c->point[d];
    *along = ritz_dot(v, c->direction);
    for (int d = 0; d < 3; d++)
        square += (v[d] - *along * c->direction[d]) * (v[d] - *along * c->direction[d]);
    return sqrt(square);
}

static bool point_meets(const ritz_criterion *c, const double x[3], double tolerance)
{
    double v[3], along, away;
    for (int d = 0; d < 3; d++)
        v[d] = x[d] - c->point[d];
    switch (c->kind) {
    case RITZ_IN_BOX:
        for (int d = 0; d < 3; d++)
            if (v[d] < -tolerance || x[d] > c->direction[d] + tolerance)
                return false;
        return true;
    case RITZ_IN_SPHERE:
        away = ritz_length(v);
        return away <= c->radius + tolerance && away >= c->inner - tolerance;
    case RITZ_IN_CYLINDER:
        away = distance_from_axis(c, x, &along);
        return away <= c->radius + tolerance && away >= c->inner - tolerance &&
               (c->length == 0 || (along >= -tolerance && along <= c->length + tolerance));
    case RITZ_ON_PLANE:
        return fabs(ritz_dot(v, c->direction)) <= tolerance;
    case RITZ_ABOVE_PLANE:
        return ritz_dot(v, c->direction) >= -tolerance;
    default:
        return true;
    }
}

static bool is_in_groups(const ritz_mesh *mesh, const candidate *one, const ritz_criterion *c)
{
    for (int g = 0; g < c->n_groups; g++) {
        const bool of_cells = mesh->groups[c->groups[g]].dim == mesh->dim;
        const int32_t set = of_cells && one->cell_set >= 0 ? one->cell_set : one->set;
        if (ritz_mesh_set_has(mesh, set, c->groups[g]))
            return true;
    }
    return false;
}

/* Criterion k. */
static bool meets_criterion(const ritz_mesh *mesh, const candidate *one, const ritz_criterion *c, int k,
                            double tolerance)
{
    if (c->kind == RITZ_IN_GROUPS || c->kind == RITZ_NOT_IN_GROUPS)
        return (is_in_groups(mesh, one, c) || one->member >> k & 1) == (c->kind == RITZ_IN_GROUPS);
    if (c->kind == RITZ_NORMAL)
        return ritz_dot(one->normal, c->direction) >= cos(c->angle * 3.14159265358979323846 / 180) - 1e-12;
    for (int p = 0; p < one->n; p++)
        if (!point_meets(c, one->points[p], tolerance))
            return false;
    return true;
}

static double square_distance(const candidate *one, const double x[3])
{
    double centre[3] = {0}, square = 0;
    for (int p = 0; p < one->n; p++)
        for (int d = 0; d < 3; d++)
            centre[d] += one->points[p][d] / one->n;
    for (int d = 0; d < 3; d++)
        square += (centre[d] - x[d]) * (centre[d] - x[d]);
    return square;
}

/* ---- Candidates ---- */

typedef struct choosing {
    ritz_mesh *mesh;
    const ritz_choice *choice;
    double tolerance;
    ritz_mesh_facet *facets; /* [n_facets] the outer ones, then those between cells that stand in groups */
    int64_t n_facets;
    int32_t *entity; /* [n_facets] of the mesh; -1: none yet. For nodes: [n_nodes] */
    int32_t *cell_set;
    uint16_t *member; /* [n_nodes] as of a candidate */
    int64_t n;        /* candidates */
    uint8_t *chosen;
} choosing;

static void free_choosing(choosing *c)
{
    ritz_free(c->facets);
    ritz_free(c->entity);
    ritz_free(c->cell_set);
    ritz_free(c->member);
    ritz_free(c->chosen);
}

/* A facet and its entity, where it has one. */
static ritz_status match_entities(choosing *c, int64_t n_outer)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = c->mesh;
    ritz_tuple_table table = {0};
    int32_t stored;
    RITZ_TRY(ritz_tuple_table_create(&table, n_outer + mesh->n_entities));
    RITZ_NEW(c->entity, n_outer + mesh->n_entities);
    RITZ_RESIZE(c->facets, n_outer + mesh->n_entities);
    c->n_facets = n_outer;
    for (int64_t f = 0; f < n_outer; f++) {
        c->entity[f] = -1;
        RITZ_TRY(ritz_tuple_add(&table, ritz_tuple_of(c->facets[f].n, c->facets[f].vertices), (int32_t)f, &stored));
    }
    for (int32_t e = 0; e < mesh->n_entities; e++) {
        const ritz_mesh_entity *entity = &mesh->entities[e];
        if (entity->dim != mesh->dim - 1 || entity->facet < 0)
            continue;
        const int64_t f = c->n_facets;
        RITZ_TRY(ritz_tuple_add(&table, ritz_tuple_of(entity->n_vertices, entity->vertices), (int32_t)f, &stored));
        if (stored == f) {
            c->facets[f] = (ritz_mesh_facet){.n = entity->n_vertices};
            memcpy(c->facets[f].vertices, entity->vertices, sizeof entity->vertices);
            c->n_facets++;
        }
        c->entity[stored] = e;
    }
done:
    ritz_tuple_table_free(&table);
    return status;
}

/* Whether a node of a cell lies on one of its facets. */
static bool is_on_facet(const ritz_topology *t, const ritz_cell_node *node, int facet)
{
    int n = 0; /* its vertices that are the facet's */
    if (node->dim == 2)
        return t->dim == 3 && node->entity == facet;
    for (int v = 0; v < t->facet_n_vertices[facet] && node->dim < 2; v++)
        n += t->facets[facet][v] == (node->dim ? t->edges[node->entity][0] : node->entity) ||
             (node->dim == 1 && t->facets[facet][v] == t->edges[node->entity][1]);
    return n == node->dim + 1;
}

/* Nodes of the cells that are in one of the groups, and of the facets that are. */
static ritz_status mark_members(choosing *c, const ritz_criterion *criterion, uint16_t bit)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = c->mesh;
    ritz_basis *basis[RITZ_N_CELLS] = {NULL};
    for (int b = 0; b < mesh->n_blocks; b++)
        RITZ_TRY(
            ritz_basis_create(mesh->blocks[b].cell, mesh->blocks[b].geometry_order, RITZ_NODES_LOBATTO, &basis[b]));
    for (int g = 0; g < criterion->n_groups; g++) {
        const int32_t group = criterion->groups[g];
        for (int b = 0; b < mesh->n_blocks && mesh->groups[group].dim == mesh->dim; b++)
            for (int64_t i = 0; i < (int64_t)mesh->blocks[b].n_cells * mesh->blocks[b].n_nodes; i++)
                if (ritz_mesh_set_has(mesh, mesh->blocks[b].set[i / mesh->blocks[b].n_nodes], group))
                    c->member[mesh->blocks[b].nodes[i]] |= bit;
        for (int32_t e = 0; e < mesh->n_entities; e++) {
            const ritz_mesh_entity *entity = &mesh->entities[e];
            if (!ritz_mesh_is_facet_of(mesh, entity, group))
                continue;
            const ritz_mesh_block *block = &mesh->blocks[entity->block];
            for (int i = 0; i < block->n_nodes; i++)
                if (is_on_facet(ritz_cell_topology(block->cell), &basis[entity->block]->entities[i], entity->facet))
                    c->member[block->nodes[(int64_t)entity->cell * block->n_nodes + i]] |= bit;
        }
    }
done:
    for (int b = 0; b < mesh->n_blocks; b++)
        ritz_basis_destroy(&basis[b]);
    return status;
}

/* The groups of the cell of each facet, the first where there are two. */
static ritz_status find_cell_sets(choosing *c)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = c->mesh;
    ritz_tuple_table table = {0};
    int32_t stored, vertices[4];
    RITZ_TRY(ritz_tuple_table_create(&table, c->n_facets));
    RITZ_NEW(c->cell_set, c->n_facets);
    for (int64_t f = 0; f < c->n_facets; f++) {
        c->cell_set[f] = -1;
        RITZ_TRY(ritz_tuple_add(&table, ritz_tuple_of(c->facets[f].n, c->facets[f].vertices), (int32_t)f, &stored));
    }
    for (int b = 0; b < mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &mesh->blocks[b];
        const ritz_topology *t = ritz_cell_topology(block->cell);
        for (int64_t i = 0; i < (int64_t)block->n_cells * t->n_facets; i++) {
            const int32_t *nodes = &block->nodes[i / t->n_facets * block->n_nodes];
            const int f = (int)(i % t->n_facets), n = t->facet_n_vertices[f];
            for (int v = 0; v < n; v++)
                vertices[v] = nodes[t->facets[f][v]];
            const int32_t facet = ritz_tuple_find(&table, ritz_tuple_of(n, vertices));
            if (facet >= 0 && c->cell_set[facet] < 0)
                c->cell_set[facet] = block->set[i / t->n_facets];
        }
    }
done:
    ritz_tuple_table_free(&table);
    return status;
}

/* Vertices of outer facets run so that this points out of the cell. */
static void find_normal(const ritz_mesh *mesh, candidate *one)
{
    double u[3], v[3];
    const double *const *p = one->points;
    for (int d = 0; d < 3; d++) {
        u[d] = one->n == 4 ? p[2][d] - p[0][d] : p[1][d] - p[0][d];
        v[d] = mesh->dim == 2 ? d == 2 : one->n == 4 ? p[3][d] - p[1][d] : p[2][d] - p[0][d];
    }
    ritz_cross(u, v, one->normal);
    const double length = ritz_length(one->normal);
    for (int d = 0; d < 3; d++)
        one->normal[d] /= length;
}

/* Candidate i, of the cells counted through all blocks. */
static candidate take_candidate(const choosing *c, int64_t i)
{
    const ritz_mesh *mesh = c->mesh;
    candidate one = {.cell_set = -1};
    if (c->choice->of == RITZ_GROUP_CELLS) {
        int b = 0;
        for (; i >= mesh->blocks[b].n_cells; b++)
            i -= mesh->blocks[b].n_cells;
        const ritz_mesh_block *block = &mesh->blocks[b];
        one.n = ritz_cell_topology(block->cell)->n_vertices;
        for (int v = 0; v < one.n; v++)
            one.points[v] = mesh->nodes + 3 * (int64_t)block->nodes[i * block->n_nodes + v];
        one.set = block->set[i];
        return one;
    }
    one.set = c->entity[i] >= 0 ? mesh->entities[c->entity[i]].set : 0;
    if (c->choice->of == RITZ_GROUP_NODES) {
        one.n = 1;
        one.points[0] = mesh->nodes + 3 * i;
        one.member = c->member[i];
        return one;
    }
    one.n = c->facets[i].n;
    for (int v = 0; v < one.n; v++)
        one.points[v] = mesh->nodes + 3 * (int64_t)c->facets[i].vertices[v];
    one.cell_set = c->cell_set[i];
    find_normal(mesh, &one);
    return one;
}

static bool names_facets(const choosing *c)
{
    for (int k = 0; k < c->choice->n_criteria; k++)
        for (int g = 0; g < c->choice->criteria[k].n_groups && c->choice->criteria[k].kind == RITZ_IN_GROUPS; g++)
            if (c->mesh->groups[c->choice->criteria[k].groups[g]].dim < c->mesh->dim)
                return true;
    return false;
}

static ritz_status list_candidates(choosing *c)
{
    ritz_status status = RITZ_OK;
    ritz_mesh *mesh = c->mesh;
    int64_t n_outer;
    if (c->choice->of == RITZ_GROUP_CELLS) {
        c->n = ritz_mesh_n_cells(mesh, RITZ_N_CELLS);
    } else if (c->choice->of == RITZ_GROUP_NODES) {
        c->n = mesh->n_nodes;
        RITZ_NEW(c->entity, mesh->n_nodes);
        memset(c->entity, -1, (size_t)mesh->n_nodes * sizeof *c->entity);
        for (int32_t e = 0; e < mesh->n_entities; e++)
            if (mesh->entities[e].dim == 0)
                c->entity[mesh->entities[e].vertices[0]] = e;
        RITZ_NEW(c->member, mesh->n_nodes);
        for (int k = 0; k < c->choice->n_criteria; k++)
            if (c->choice->criteria[k].n_groups)
                RITZ_TRY(mark_members(c, &c->choice->criteria[k], (uint16_t)(1 << k)));
    } else {
        RITZ_TRY(ritz_mesh_outer_facets(mesh, &c->facets, &n_outer));
        RITZ_TRY(match_entities(c, n_outer));
        RITZ_TRY(find_cell_sets(c));
        c->n = names_facets(c) ? c->n_facets : n_outer; /* facets between cells by their own groups alone */
    }
    RITZ_NEW(c->chosen, c->n);
done:
    return status;
}

/* ---- The choice ---- */

/* Marks what meets all criteria, of these the nearest one where that is asked for. met[n_criteria]: how many meet each.
 */
static int64_t mark_chosen(choosing *c, int64_t met[RITZ_MAX_CRITERIA])
{
    const ritz_choice *choice = c->choice;
    int64_t n = 0, nearest = -1;
    double least = INFINITY;
    const double *near = NULL;
    for (int k = 0; k < choice->n_criteria; k++)
        near = choice->criteria[k].kind == RITZ_NEAREST ? choice->criteria[k].point : near;
    for (int64_t i = 0; i < c->n; i++) {
        const candidate one = take_candidate(c, i);
        bool all = true;
        for (int k = 0; k < choice->n_criteria; k++) {
            const bool is_met = meets_criterion(c->mesh, &one, &choice->criteria[k], k, c->tolerance);
            met[k] += is_met;
            all = all && is_met;
        }
        c->chosen[i] = all;
        n += all;
        if (all && near && square_distance(&one, near) < least) {
            least = square_distance(&one, near);
            nearest = i;
        }
    }
    if (nearest < 0)
        return n;
    memset(c->chosen, 0, (size_t)c->n);
    c->chosen[nearest] = 1;
    return 1;
}

static const char *const kind_names[] = {
    [RITZ_GROUP_CELLS] = "cell", [RITZ_GROUP_FACETS] = "face", [RITZ_GROUP_NODES] = "node"};

static ritz_status refuse_empty(const choosing *c, const int64_t met[RITZ_MAX_CRITERIA])
{
    static const char *const words[] = {
        [RITZ_IN_BOX] = "in the box",           [RITZ_IN_SPHERE] = "in the sphere",
        [RITZ_IN_CYLINDER] = "in the cylinder", [RITZ_ON_PLANE] = "on the plane",
        [RITZ_ABOVE_PLANE] = "above",           [RITZ_NORMAL] = "with the normal",
        [RITZ_IN_GROUPS] = "in the groups",     [RITZ_NOT_IN_GROUPS] = "not in the groups"};
    char list[256] = "";
    size_t n = 0;
    double low[3], high[3];
    for (int k = 0; k < c->choice->n_criteria && n < sizeof list; k++)
        if (c->choice->criteria[k].kind != RITZ_NEAREST)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%lld %s", n ? ", " : "", (long long)met[k],
                                  words[c->choice->criteria[k].kind]);
    ritz_mesh_bounds(c->mesh, low, high);
    const char *kind = c->choice->of == RITZ_GROUP_FACETS && c->mesh->dim == 2 ? "edge" : kind_names[c->choice->of];
    return ritz_fail(RITZ_ERROR_INPUT,
                     "the group '%s' is empty: of %lld %s%ss %s; the mesh reaches from (%g, %g, %g) to (%g, %g, %g)",
                     c->choice->name, (long long)c->n, c->choice->of == RITZ_GROUP_FACETS ? "outer " : "", kind,
                     list[0] ? list : "there are none", low[0], low[1], low[2], high[0], high[1], high[2]);
}

/* ---- The group ---- */

/* What is in the set, and in the group besides. of_set[n_sets] remembers. */
static ritz_status join_group(ritz_mesh *mesh, int32_t single, int32_t *of_set, int32_t *set)
{
    ritz_status status = RITZ_OK;
    if (of_set[*set] < 0)
        RITZ_TRY(ritz_mesh_unite_sets(mesh, *set, single, &of_set[*set]));
    *set = of_set[*set];
done:
    return status;
}

static ritz_status add_entity(ritz_mesh *mesh, const ritz_mesh_entity *entity, int32_t *capacity)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(mesh->n_entities < INT32_MAX, RITZ_ERROR_INPUT, "the groups have more than 2147483647 members");
    if (mesh->n_entities == *capacity) {
        *capacity = (int32_t)ritz_min64(2 * (int64_t)*capacity + 256, INT32_MAX);
        RITZ_RESIZE(mesh->entities, *capacity);
    }
    mesh->entities[mesh->n_entities++] = *entity;
done:
    return status;
}

static ritz_status fill_cells(const choosing *c, int32_t single, int32_t *of_set)
{
    ritz_status status = RITZ_OK;
    int64_t first = 0;
    for (int b = 0; b < c->mesh->n_blocks; first += c->mesh->blocks[b++].n_cells)
        for (int32_t e = 0; e < c->mesh->blocks[b].n_cells; e++)
            if (c->chosen[first + e])
                RITZ_TRY(join_group(c->mesh, single, of_set, &c->mesh->blocks[b].set[e]));
done:
    return status;
}

static ritz_status fill_entities(const choosing *c, int32_t single, int32_t *of_set)
{
    ritz_status status = RITZ_OK;
    ritz_mesh *mesh = c->mesh;
    const bool nodes = c->choice->of == RITZ_GROUP_NODES;
    int32_t capacity = mesh->n_entities;
    for (int64_t i = 0; i < c->n; i++) {
        if (!c->chosen[i])
            continue;
        if (c->entity[i] >= 0) {
            RITZ_TRY(join_group(mesh, single, of_set, &mesh->entities[c->entity[i]].set));
            continue;
        }
        ritz_mesh_entity entity = {.dim = (int8_t)(nodes ? 0 : mesh->dim - 1),
                                   .n_vertices = (int8_t)(nodes ? 1 : c->facets[i].n),
                                   .facet = -1,
                                   .set = single,
                                   .block = -1,
                                   .cell = -1};
        for (int v = 0; v < 4; v++)
            entity.vertices[v] = nodes ? (v ? -1 : (int32_t)i) : v < c->facets[i].n ? c->facets[i].vertices[v] : -1;
        RITZ_TRY(add_entity(mesh, &entity, &capacity));
    }
    RITZ_TRY(ritz_mesh_attach_loose(mesh));
done:
    return status;
}

static ritz_status make_group(const choosing *c)
{
    ritz_status status = RITZ_OK;
    ritz_mesh *mesh = c->mesh;
    const bool cells = c->choice->of == RITZ_GROUP_CELLS;
    int32_t group, single, *of_set = NULL;
    int tag = 0;
    for (int g = 0; g < mesh->n_groups; g++)
        tag = mesh->groups[g].tag > tag ? mesh->groups[g].tag : tag;
    const int dim = cells ? mesh->dim : c->choice->of == RITZ_GROUP_NODES ? 0 : mesh->dim - 1;
    RITZ_TRY(ritz_mesh_add_group(mesh, dim, tag < INT32_MAX ? tag + 1 : tag, c->choice->name, &group));
    RITZ_TRY(ritz_mesh_add_set(mesh, 1, &group, &single));
    RITZ_NEW(of_set, mesh->n_sets);
    memset(of_set, -1, (size_t)mesh->n_sets * sizeof *of_set);
    RITZ_TRY(cells ? fill_cells(c, single, of_set) : fill_entities(c, single, of_set));
done:
    ritz_free(of_set);
    return status;
}

ritz_status ritz_mesh_choose(ritz_mesh *mesh, const ritz_choice *choice, int64_t *n)
{
    ritz_status status = RITZ_OK;
    int64_t met[RITZ_MAX_CRITERIA] = {0};
    double low[3], high[3], square = 0;
    choosing c = {.mesh = mesh, .choice = choice};
    ritz_mesh_bounds(mesh, low, high);
    for (int d = 0; d < 3; d++)
        square += (high[d] - low[d]) * (high[d] - low[d]);
    c.tolerance = choice->tolerance > 0 ? choice->tolerance : 1e-5 * sqrt(square);
    RITZ_TRY(list_candidates(&c));
    *n = mark_chosen(&c, met);
    if (*n == 0)
        status = refuse_empty(&c, met);
    else
        status = make_group(&c);
done:
    free_choosing(&c);
    return status;
}
