/* Nodes and elements of decks: their numbers, the types of elements, and the order of nodes and faces in them. */
#include "mesh/deck.h"
#include "mesh/msh_scan.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* CalculiX's solid and plane elements. C3D8 and its like are distinguished for messages and quadrature. */
#define FULL false, RITZ_DECK_SHAPES
#define REDUCED true, RITZ_DECK_SHAPES
static const ritz_deck_element types[] = {
    {"C3D4", RITZ_TET, 4, 0, FULL},
    {"C3D10", RITZ_TET, 10, 0, FULL},
    {"C3D10T", RITZ_TET, 10, 0, FULL},
    {"C3D6", RITZ_PRISM, 6, 0, FULL},
    {"C3D15", RITZ_PRISM, 15, 0, FULL},
    {"C3D8", RITZ_HEX, 8, 0, FULL},
    {"C3D20", RITZ_HEX, 20, 0, FULL},
    {"C3D20R", RITZ_HEX, 20, 0, REDUCED},
    {"DC3D4", RITZ_TET, 4, 0, FULL},
    {"DC3D10", RITZ_TET, 10, 0, FULL},
    {"DC3D6", RITZ_PRISM, 6, 0, FULL},
    {"DC3D15", RITZ_PRISM, 15, 0, FULL},
    {"DC3D8", RITZ_HEX, 8, 0, FULL},
    {"DC3D20", RITZ_HEX, 20, 0, FULL},
    {"CPS3", RITZ_TRI, 3, 's', FULL},
    {"CPS4", RITZ_QUAD, 4, 's', FULL},
    {"CPS6", RITZ_TRI, 6, 's', FULL},
    {"CPS8", RITZ_QUAD, 8, 's', FULL},
    {"CPS8R", RITZ_QUAD, 8, 's', REDUCED},
    {"CPE3", RITZ_TRI, 3, 'e', FULL},
    {"CPE4", RITZ_QUAD, 4, 'e', FULL},
    {"CPE6", RITZ_TRI, 6, 'e', FULL},
    {"CPE8", RITZ_QUAD, 8, 'e', FULL},
    {"CPE8R", RITZ_QUAD, 8, 'e', REDUCED},
    {"CAX3", RITZ_TRI, 3, 'a', FULL},
    {"CAX4", RITZ_QUAD, 4, 'a', FULL},
    {"CAX6", RITZ_TRI, 6, 'a', FULL},
    {"CAX8", RITZ_QUAD, 8, 'a', FULL},
    {"CAX8R", RITZ_QUAD, 8, 'a', REDUCED},
    {"C3D8I", RITZ_HEX, 8, 0, false, RITZ_DECK_MODES},
    {"C3D8R", RITZ_HEX, 8, 0, false, RITZ_DECK_HOURGLASS},
    {"CPS4R", RITZ_QUAD, 4, 's', false, RITZ_DECK_HOURGLASS},
    {"CPE4R", RITZ_QUAD, 4, 'e', false, RITZ_DECK_HOURGLASS},
    {"CAX4R", RITZ_QUAD, 4, 'a', false, RITZ_DECK_HOURGLASS},
    {"T3D2", RITZ_N_CELLS, 2, 0, FULL},
    {"T3D3", RITZ_N_CELLS, 3, 0, FULL},
};
enum { N_TYPES = sizeof types / sizeof *types };

/* Gmsh writes elements of curves and faces that are in a group beside the cells, as trusses and plane elements. */
static int dim_of(const ritz_deck_element *type)
{
    return type->cell == RITZ_N_CELLS ? 1 : ritz_cell_dim(type->cell);
}

static ritz_status find_type(const ritz_deck *deck, const ritz_deck_card *card, const ritz_deck_element **type)
{
    const char *name = ritz_deck_parameter_value(card, "TYPE");
    *type = NULL;
    if (!name || !*name)
        return ritz_deck_fail(card->place, "*ELEMENT has no TYPE; write for example  *ELEMENT, TYPE=C3D20R");
    for (int t = 0; t < N_TYPES && !*type; t++)
        if (strcasecmp(name, types[t].name) == 0 && (deck->mesh_alone || dim_of(&types[t]) > 1))
            *type = &types[t];
    if (*type)
        return RITZ_OK;
    return ritz_deck_fail(
        card->place,
        "elements of type %s are not served; solid and plane ones are: C3D4, C3D6, "
        "C3D8, C3D8I, C3D8R, C3D10, C3D15, C3D20, C3D20R, CPS3 to CPS8R, CPE3 to CPE8R, CAX3 to CAX8R",
        name);
}

/* ---- Node order and faces ---- */

/* Past the vertices: the middle of which edge each node is, by vertices counted from 0. */
static const struct {
    ritz_cell cell;
    int edges[12][2];
} middles[] = {
    {RITZ_TRI, {{0, 1}, {1, 2}, {2, 0}}},
    {RITZ_QUAD, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
    {RITZ_TET, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}},
    {RITZ_PRISM, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}}},
    {RITZ_HEX, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}},
};

/* from[n_nodes]: the place in the deck's element of each node in Gmsh's order. */
static ritz_status order_nodes(const ritz_deck_element *type, int *from)
{
    ritz_status status = RITZ_OK;
    double x[RITZ_GMSH_MOST_NODES][3] = {{0}};
    const int n_vertices = ritz_cell_topology(type->cell)->n_vertices, dim = ritz_cell_dim(type->cell);
    const double *vertices = ritz_cell_vertices(type->cell);
    RITZ_TRY(ritz_gmsh_reference(ritz_gmsh_type_of_cell(type->cell, type->n_nodes), x));
    for (int i = 0; i < type->n_nodes; i++) {
        from[i] = i;
        for (int j = n_vertices; i >= n_vertices && j < type->n_nodes; j++) {
            const int *edge = middles[type->cell].edges[j - n_vertices];
            double off = 0;
            for (int d = 0; d < dim; d++) {
                const double step = vertices[edge[0] * dim + d] + vertices[edge[1] * dim + d] - 2 * x[i][d];
                off += step * step;
            }
            if (off < 1e-12)
                from[i] = j;
        }
    }
done:
    return status;
}

ritz_status ritz_deck_gmsh_order(const ritz_deck_element *type, int *gmsh, int *from)
{
    *gmsh = ritz_gmsh_type_of_cell(type->cell, type->n_nodes)->type;
    return order_nodes(type, from);
}

int ritz_deck_middle(ritz_cell cell, int a, int b)
{
    const ritz_topology *t = ritz_cell_topology(cell);
    for (int e = 0; e < t->n_edges; e++) {
        const int *edge = middles[cell].edges[e];
        if ((edge[0] == a && edge[1] == b) || (edge[0] == b && edge[1] == a))
            return t->n_vertices + e;
    }
    return -1;
}

int ritz_deck_facet(ritz_cell cell, int64_t face)
{
    static const int faces[RITZ_N_CELLS][6][3] = {
        [RITZ_TRI] = {{0, 1}, {1, 2}, {2, 0}},
        [RITZ_QUAD] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}},
        [RITZ_TET] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}},
        [RITZ_PRISM] = {{0, 1, 2}, {3, 4, 5}, {0, 1, 4}, {1, 2, 5}, {2, 0, 3}},
        [RITZ_HEX] = {{0, 1, 2}, {4, 7, 6}, {0, 4, 5}, {1, 5, 6}, {2, 6, 7}, {3, 7, 4}},
    };
    const ritz_topology *t = cell < RITZ_N_CELLS ? ritz_cell_topology(cell) : NULL;
    if (!t || face < 1 || face > t->n_facets)
        return -1;
    const int *wanted = faces[cell][face - 1];
    for (int f = 0; f < t->n_facets; f++) {
        int found = 0;
        for (int v = 0; v < t->facet_n_vertices[f]; v++)
            for (int w = 0; w < t->dim; w++)
                found += t->facets[f][v] == wanted[w];
        if (found == t->dim)
            return f;
    }
    return -1;
}

/* ---- Cards ---- */

static ritz_status read_nodes(ritz_deck *deck, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    const char *set = ritz_deck_parameter_value(card, "NSET");
    int32_t group = -1;
    if (set)
        RITZ_TRY(ritz_deck_add_group(deck, set, RITZ_GROUP_NODES, &group));
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        const ritz_deck_line *line = &deck->lines[l];
        const int n = ritz_deck_fields(line, fields);
        int64_t number;
        if (deck->n_nodes == deck->node_capacity) {
            deck->node_capacity = 2 * deck->node_capacity + 1024;
            RITZ_RESIZE(deck->nodes, 3 * deck->node_capacity);
            RITZ_RESIZE(deck->node_numbers, deck->node_capacity);
        }
        double *x = deck->nodes + 3 * deck->n_nodes;
        bool good = n >= 1 && ritz_deck_integer(fields[0], &number) && number > 0;
        for (int d = 0; good && d < 3; d++) {
            x[d] = 0;
            good = d + 1 >= n || !*fields[d + 1] || ritz_deck_real(fields[d + 1], &x[d]);
        }
        if (!good)
            return ritz_deck_fail(line->place, "a node is a number and its coordinates, like  1, 0., 0., 2.5");
        deck->node_numbers[deck->n_nodes] = number;
        RITZ_TRY(ritz_msh_numbers_add(deck->node_table, number));
        if (group >= 0)
            RITZ_TRY(ritz_deck_add_member(deck, group, deck->n_nodes, 0));
        deck->n_nodes++;
    }
done:
    return status;
}

/* One element of n_nodes + 1 numbers on one or more lines; *l is the line after it. */
static ritz_status read_element(ritz_deck *deck, const ritz_deck_element *type, int64_t end, int64_t *l)
{
    ritz_status status = RITZ_OK;
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    const ritz_deck_place place = deck->lines[*l].place;
    int64_t number = 0, node;
    int n = -1;
    while (n < type->n_nodes && *l < end) {
        const ritz_deck_line *line = &deck->lines[(*l)++];
        const int n_fields = ritz_deck_fields(line, fields);
        for (int f = 0; f < n_fields; f++, n++) {
            if (!ritz_deck_integer(fields[f], &node) || node < 1)
                return ritz_deck_fail(line->place, "'%s' is not the number of a node or element", fields[f]);
            if (n >= type->n_nodes)
                return ritz_deck_fail(place, "element %lld has not the %d nodes of a %s: its lines hold more numbers",
                                      (long long)number, type->n_nodes, type->name);
            if (n < 0) {
                number = node;
                continue;
            }
            const int64_t found = ritz_deck_find_number(deck, false, node);
            if (found < 0)
                return ritz_deck_fail(line->place, "element %lld has the node %lld, which no *NODE card has",
                                      (long long)number, (long long)node);
            deck->connected[deck->n_connected + n] = (int32_t)found;
            deck->used[found] = 1;
        }
    }
    if (n < type->n_nodes)
        return ritz_deck_fail(place, "element %lld has %d nodes, and a %s has %d", (long long)number, n < 0 ? 0 : n,
                              type->name, type->n_nodes);
    deck->numbers[deck->n_elements] = number;
    RITZ_TRY(ritz_msh_numbers_add(deck->element_table, number));
done:
    return status;
}

static ritz_status read_elements(ritz_deck *deck, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_element *type;
    const char *set = ritz_deck_parameter_value(card, "ELSET");
    int32_t group = -1;
    RITZ_TRY(find_type(deck, card, &type));
    if (set)
        RITZ_TRY(ritz_deck_add_group(deck, set, RITZ_GROUP_CELLS, &group));
    for (int64_t l = card->first; l < card->first + card->n;) {
        if (deck->n_elements == deck->element_capacity) {
            deck->element_capacity = 2 * deck->element_capacity + 1024;
            RITZ_RESIZE(deck->numbers, deck->element_capacity);
            RITZ_RESIZE(deck->starts, deck->element_capacity);
            RITZ_RESIZE(deck->types, deck->element_capacity);
        }
        if (deck->n_connected + type->n_nodes > deck->connected_capacity) {
            deck->connected_capacity = 2 * deck->connected_capacity + 4096;
            RITZ_RESIZE(deck->connected, deck->connected_capacity);
        }
        RITZ_TRY(read_element(deck, type, card->first + card->n, &l));
        deck->starts[deck->n_elements] = deck->n_connected;
        deck->types[deck->n_elements] = type;
        deck->n_connected += type->n_nodes;
        deck->dim = dim_of(type) > deck->dim ? dim_of(type) : deck->dim;
        if (group >= 0)
            RITZ_TRY(ritz_deck_add_member(deck, group, deck->n_elements, 0));
        deck->n_elements++;
    }
done:
    return status;
}

static ritz_status close_table(const ritz_deck *deck, const char *what, ritz_msh_numbers *table)
{
    ritz_status status = RITZ_OK;
    int64_t twice = 0;
    RITZ_TRY(ritz_msh_numbers_close(table, &twice));
    RITZ_REQUIRE(twice == 0, RITZ_ERROR_INPUT, "%s: %s %lld is there twice", deck->path, what, (long long)twice);
done:
    return status;
}

static bool is_quadratic(const ritz_deck_element *type)
{
    return type->n_nodes > ritz_cell_topology(type->cell)->n_vertices;
}

/* Elements of a deck fill the plane or space together, and have one order; in a mesh alone others are on their sides. */
static ritz_status check_kinds(const ritz_deck *deck)
{
    ritz_status status = RITZ_OK;
    int64_t first = -1;
    RITZ_REQUIRE(deck->dim > 1, RITZ_ERROR_INPUT,
                 "%s: has no solid or plane elements; a deck has a card like  *ELEMENT, "
                 "TYPE=C3D20R",
                 deck->path);
    for (int64_t e = 0; e < deck->n_elements; e++) {
        const ritz_deck_element *type = deck->types[e], *other = first < 0 ? type : deck->types[first];
        if (deck->mesh_alone && dim_of(type) < deck->dim)
            continue;
        first = first < 0 ? e : first;
        RITZ_REQUIRE(
            type->plane == other->plane, RITZ_ERROR_INPUT,
            "%s: elements %lld (%s) and %lld (%s) are of different kinds; plane and solid elements in one deck "
            "are not served%s",
            deck->path, (long long)deck->numbers[first], other->name, (long long)deck->numbers[e], type->name,
            dim_of(type) != dim_of(other) ? ", but a problem file takes the deck as its  mesh" : "");
        RITZ_REQUIRE(is_quadratic(type) == is_quadratic(other), RITZ_ERROR_INPUT,
                     "%s: elements %lld (%s) and %lld (%s) are of different order; one order for all "
                     "elements is served",
                     deck->path, (long long)deck->numbers[first], other->name, (long long)deck->numbers[e], type->name);
    }
done:
    return status;
}

ritz_status ritz_deck_read_elements(ritz_deck *deck)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(deck->node_table, 1);
    RITZ_NEW(deck->element_table, 1);
    for (int64_t c = 0; c < deck->n_cards; c++)
        if (strcmp(deck->cards[c].keyword, "NODE") == 0)
            RITZ_TRY(read_nodes(deck, &deck->cards[c]));
    RITZ_REQUIRE(deck->n_nodes > 0 && deck->n_nodes < INT32_MAX, RITZ_ERROR_INPUT,
                 "%s: has no nodes; a deck begins with a card *NODE", deck->path);
    RITZ_TRY(close_table(deck, "node", deck->node_table));
    RITZ_NEW(deck->used, deck->n_nodes);
    for (int64_t c = 0; c < deck->n_cards; c++)
        if (strcmp(deck->cards[c].keyword, "ELEMENT") == 0)
            RITZ_TRY(read_elements(deck, &deck->cards[c]));
    RITZ_TRY(close_table(deck, "element", deck->element_table));
    RITZ_TRY(check_kinds(deck));
done:
    return status;
}

int64_t ritz_deck_find_number(const ritz_deck *deck, bool element, int64_t number)
{
    return ritz_msh_numbers_find(element ? deck->element_table : deck->node_table, number);
}

/* ---- The mesh ---- */

/* The blocks of the mesh: elements of one cell and number of nodes, in the deck's order. */
typedef struct blocks {
    int n;
    ritz_block_arrays block[RITZ_N_CELLS];
    int32_t *nodes[RITZ_N_CELLS];
    int64_t *place;         /* [n_elements] of each in the mesh's cells */
    int64_t *number;        /* [n_elements] of each cell of the mesh */
    ritz_tuple_table sides; /* elements that stand on sides of cells, by their vertices */
    int64_t *side;          /* [n_elements][2] of these: a cell of the deck and its facet */
} blocks;

static ritz_status make_blocks(const ritz_deck *deck, blocks *b)
{
    ritz_status status = RITZ_OK;
    int64_t at = 0;
    RITZ_NEW(b->place, deck->n_elements);
    RITZ_NEW(b->number, deck->n_elements);
    for (int c = 0; c < RITZ_N_CELLS; c++) {
        const ritz_deck_element *type = NULL;
        int from[RITZ_GMSH_MOST_NODES];
        int64_t n = 0;
        if (ritz_cell_dim((ritz_cell)c) < deck->dim)
            continue;
        for (int64_t e = 0; e < deck->n_elements; e++) {
            type = (int)deck->types[e]->cell == c ? deck->types[e] : type;
            n += (int)deck->types[e]->cell == c;
        }
        if (n == 0)
            continue;
        const int order = type->n_nodes > ritz_cell_topology(type->cell)->n_vertices ? 2 : 1;
        RITZ_TRY(order_nodes(type, from));
        RITZ_NEW(b->nodes[b->n], n * type->n_nodes);
        b->block[b->n] = (ritz_block_arrays){.cell = type->cell,
                                             .order = order,
                                             .serendipity = type->n_nodes != ritz_cell_n_shape(type->cell, order),
                                             .n_cells = n,
                                             .nodes = b->nodes[b->n]};
        int32_t *to = b->nodes[b->n++];
        for (int64_t e = 0; e < deck->n_elements; e++) {
            if ((int)deck->types[e]->cell != c)
                continue;
            for (int i = 0; i < type->n_nodes; i++)
                *to++ = deck->connected[deck->starts[e] + from[i]];
            b->number[at] = deck->numbers[e];
            b->place[e] = at++;
        }
    }
done:
    return status;
}

static ritz_node_tuple key_of(const ritz_deck *deck, int64_t e)
{
    const ritz_deck_element *type = deck->types[e];
    const int n = type->cell == RITZ_N_CELLS ? 2 : ritz_cell_topology(type->cell)->n_vertices;
    return ritz_tuple_of(n, deck->connected + deck->starts[e]);
}

/* Which side of which cell the elements of one dimension less are on. */
static ritz_status find_sides(const ritz_deck *deck, blocks *b)
{
    ritz_status status = RITZ_OK;
    int32_t stored;
    RITZ_TRY(ritz_tuple_table_create(&b->sides, 1));
    for (int64_t e = 0; e < deck->n_elements; e++)
        if (dim_of(deck->types[e]) == deck->dim - 1)
            RITZ_TRY(ritz_tuple_add(&b->sides, key_of(deck, e), (int32_t)e, &stored));
    RITZ_NEW(b->side, b->sides.used > 0 ? 2 * deck->n_elements : 0);
    for (int64_t e = 0; b->sides.used > 0 && e < deck->n_elements; e++) {
        const ritz_topology *t = dim_of(deck->types[e]) == deck->dim ? ritz_cell_topology(deck->types[e]->cell) : NULL;
        for (int f = 0; t && f < t->n_facets; f++) {
            int32_t nodes[4];
            for (int v = 0; v < t->facet_n_vertices[f]; v++)
                nodes[v] = deck->connected[deck->starts[e] + t->facets[f][v]];
            const int32_t on = ritz_tuple_find(&b->sides, ritz_tuple_of(t->facet_n_vertices[f], nodes));
            if (on >= 0) {
                b->side[2 * (int64_t)on] = b->place[e] + 1; /* 0: none */
                b->side[2 * (int64_t)on + 1] = f;
            }
        }
    }
done:
    return status;
}

/* The group of elements below cells: sides of these, or of curves in space their nodes. */
static ritz_status make_side_group(const ritz_deck *deck, const blocks *b, const ritz_deck_group *group, int dim,
                                   ritz_group_arrays *made, int64_t *members)
{
    ritz_status status = RITZ_OK;
    made->kind = dim == deck->dim - 1 ? RITZ_GROUP_FACETS : RITZ_GROUP_NODES;
    made->n = 0;
    for (int64_t i = 0; i < group->n; i++) {
        const int64_t e = group->members[i];
        if (dim_of(deck->types[e]) < dim)
            continue;
        if (made->kind == RITZ_GROUP_NODES) {
            for (int k = 0; k < deck->types[e]->n_nodes; k++)
                members[made->n++] = deck->connected[deck->starts[e] + k];
            continue;
        }
        const int64_t *side = b->side + 2 * (int64_t)ritz_tuple_find(&b->sides, key_of(deck, e));
        RITZ_REQUIRE(
            side[0] > 0, RITZ_ERROR_INPUT,
            "%s: element %lld (%s) of '%s' is on no side of another element; delete it, or mesh the part again",
            deck->path, (long long)deck->numbers[e], deck->types[e]->name, group->name);
        members[2 * made->n] = side[0] - 1;
        members[2 * made->n++ + 1] = side[1];
    }
done:
    return status;
}

/* Members of a deck's group as the mesh counts them; of a facet, the cell and its facet. */
static ritz_status make_group(const ritz_deck *deck, const blocks *b, const ritz_deck_group *group,
                              ritz_group_arrays *made, int64_t **members)
{
    ritz_status status = RITZ_OK;
    const bool nodes = group->kind == RITZ_GROUP_NODES, facets = group->kind == RITZ_GROUP_FACETS;
    const int width = facets ? 2 : 1;
    int dim = group->n == 0 ? deck->dim : 0; /* of the members */
    for (int64_t i = 0; !nodes && !facets && i < group->n; i++) {
        const int own = dim_of(deck->types[group->members[i]]);
        dim = own > dim ? own : dim;
    }
    RITZ_NEW(*members, (nodes ? 1 : 3) * group->n); /* a curve's element has up to three nodes */
    *made = (ritz_group_arrays){.name = group->name, .kind = group->kind, .members = *members};
    if (!nodes && !facets && dim < deck->dim)
        return make_side_group(deck, b, group, dim, made, *members);
    for (int64_t i = 0; i < group->n; i++) {
        const int64_t member = group->members[width * i];
        if (!nodes && dim_of(deck->types[member]) < deck->dim)
            continue;
        (*members)[width * made->n] = nodes ? member : b->place[member];
        if (facets)
            (*members)[2 * made->n + 1] = ritz_deck_facet(deck->types[member]->cell, group->members[2 * i + 1]);
        made->n++;
    }
done:
    return status;
}

/* Nodes, too, are known by the deck's numbers, as those of every mesh file are. */
static void take_node_numbers(const ritz_deck *deck, ritz_mesh *mesh)
{
    for (int32_t n = 0; n < mesh->n_nodes; n++)
        if (mesh->node_number[n] >= 0)
            mesh->node_number[n] = deck->node_numbers[mesh->node_number[n]];
    mesh->n_given = mesh->n_unused = 0;
}

ritz_status ritz_deck_make_mesh(const ritz_deck *deck, ritz_mesh **mesh)
{
    ritz_status status = RITZ_OK;
    const int dim = deck->dim;
    blocks b = {0};
    ritz_group_arrays *groups = NULL;
    int64_t **members = NULL;
    double *coordinates = NULL;
    ritz_mesh *m = NULL;
    RITZ_TRY(make_blocks(deck, &b));
    RITZ_TRY(find_sides(deck, &b));
    RITZ_NEW(groups, deck->n_groups);
    RITZ_NEW(members, deck->n_groups);
    for (int32_t g = 0; g < deck->n_groups; g++)
        RITZ_TRY(make_group(deck, &b, &deck->groups[g], &groups[g], &members[g]));
    RITZ_NEW(coordinates, deck->n_nodes * dim);
    for (int64_t n = 0; n < deck->n_nodes; n++)
        memcpy(coordinates + n * dim, deck->nodes + 3 * n, (size_t)dim * sizeof *coordinates);
    const ritz_mesh_arrays arrays = {.size = sizeof arrays,
                                     .dim = dim,
                                     .n_nodes = deck->n_nodes,
                                     .coordinates = coordinates,
                                     .n_blocks = b.n,
                                     .blocks = b.block,
                                     .n_groups = deck->n_groups,
                                     .groups = groups};
    status = ritz_mesh_create_numbered(&arrays, b.number, &m);
    if (status)
        RITZ_TRY(ritz_fail_context(status, "%s: ", deck->path));
    take_node_numbers(deck, m);
    *mesh = m;
    m = NULL;
done:
    for (int32_t g = 0; members && g < deck->n_groups; g++)
        ritz_free(members[g]);
    for (int k = 0; k < b.n; k++)
        ritz_free(b.nodes[k]);
    ritz_free(b.place);
    ritz_free(b.number);
    ritz_free(b.side);
    ritz_tuple_table_free(&b.sides);
    ritz_free(members);
    ritz_free(groups);
    ritz_free(coordinates);
    ritz_mesh_destroy(&m);
    return status;
}
