/* Groups of single nodes in decks: the terms of equations, forces whose direction differs from node to node, and supports of nodes
   on the axis of a cylindrical system. */
#include "base/point.h"
#include "mesh/deck.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static ritz_status add_node(ritz_deck *deck, int64_t node)
{
    ritz_status status = RITZ_OK;
    char name[48];
    if (deck->node_groups[node] >= 0)
        return RITZ_OK;
    snprintf(name, sizeof name, " NODE_%lld", (long long)deck->node_numbers[node]);
    RITZ_TRY(ritz_deck_add_group(deck, name, RITZ_GROUP_NODES, &deck->node_groups[node]));
    if (deck->groups[deck->node_groups[node]].n == 0)
        RITZ_TRY(ritz_deck_add_member(deck, deck->node_groups[node], node, 0));
done:
    return status;
}

/* The terms of an equation: node, component, coefficient. */
static ritz_status add_terms(ritz_deck *deck, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        const int n = ritz_deck_fields(&deck->lines[l], fields);
        for (int f = 0; n >= 3 && f < n; f += 3) {
            int64_t number;
            if (!ritz_deck_integer(fields[f], &number))
                return ritz_deck_fail(deck->lines[l].place, "*EQUATION: '%s' is not the number of a node", fields[f]);
            const int64_t node = ritz_deck_find_number(deck, false, number);
            if (node < 0)
                return ritz_deck_fail(deck->lines[l].place, "there is no node %lld", (long long)number);
            RITZ_TRY(add_node(deck, node));
        }
    }
done:
    return status;
}

/* The nodes of multiple point constraints, which begin with a word on the first of their lines; of sets, too. */
static ritz_status add_mpc_nodes(ritz_deck *deck, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        const int n = ritz_deck_fields(&deck->lines[l], fields);
        for (int f = 0; f < n; f++) {
            int64_t number;
            const int64_t node =
                ritz_deck_integer(fields[f], &number) ? ritz_deck_find_number(deck, false, number) : -1;
            if (node >= 0)
                RITZ_TRY(add_node(deck, node));
            const int32_t set = f > 0 && node < 0 ? ritz_deck_find_set(deck, fields[f], RITZ_GROUP_NODES) : -1;
            for (int64_t i = 0; set >= 0 && i < deck->groups[set].n; i++)
                RITZ_TRY(add_node(deck, deck->groups[set].members[i]));
        }
    }
done:
    return status;
}

static bool is_cylindrical(const ritz_deck_card *card)
{
    const char *type = ritz_deck_parameter_value(card, "TYPE");
    return strcmp(card->keyword, "TRANSFORM") == 0 && type && strcasecmp(type, "C") == 0;
}

enum { IN_SET = 1, ON_FACE = 2, VERTEX = 4 };

/* A vertex in the set that is one of none of its faces. */
static ritz_status check_covered(const ritz_deck *deck, const ritz_deck_line *line, int32_t set, const uint8_t *in)
{
    const ritz_deck_group *g = &deck->groups[set];
    for (int64_t i = 0; i < g->n; i++)
        if (in[g->members[i]] == (IN_SET | VERTEX))
            return ritz_deck_fail(line->place,
                                  "node %lld of '%s' is on no face whose nodes are all in it, so that it would not be "
                                  "tied; give a *SURFACE of element faces, or all nodes of these",
                                  (long long)deck->node_numbers[g->members[i]], g->own);
    return RITZ_OK;
}

/* The faces whose vertices are all in a set of nodes. */
static ritz_status add_faces_of_nodes(ritz_deck *deck, const ritz_deck_line *line, int32_t set, uint8_t *in)
{
    ritz_status status = RITZ_OK;
    int32_t faces;
    const char *own = deck->groups[set].own;
    if (ritz_deck_find_set(deck, own, RITZ_GROUP_FACETS) >= 0)
        return RITZ_OK;
    RITZ_TRY(ritz_deck_add_group(deck, own, RITZ_GROUP_FACETS, &faces));
    memset(in, 0, (size_t)deck->n_nodes);
    for (int64_t i = 0; i < deck->groups[set].n; i++)
        in[deck->groups[set].members[i]] = IN_SET;
    for (int64_t e = 0; e < deck->n_elements; e++) {
        if (deck->types[e]->cell == RITZ_N_CELLS)
            continue;
        const ritz_topology *t = ritz_cell_topology(deck->types[e]->cell);
        for (int v = 0; v < t->n_vertices; v++)
            in[deck->connected[deck->starts[e] + v]] |= VERTEX;
        for (int face = 1; face <= t->n_facets; face++) {
            const int f = ritz_deck_facet(deck->types[e]->cell, face);
            bool all = true;
            for (int v = 0; v < t->facet_n_vertices[f]; v++)
                all = all && in[deck->connected[deck->starts[e] + t->facets[f][v]]] & IN_SET;
            if (all)
                RITZ_TRY(ritz_deck_add_member(deck, faces, e, face));
            for (int v = 0; all && v < t->facet_n_vertices[f]; v++)
                in[deck->connected[deck->starts[e] + t->facets[f][v]]] |= ON_FACE;
        }
    }
    RITZ_TRY(check_covered(deck, line, set, in));
done:
    return status;
}

/* Ties follow faces, also where a deck names their nodes. */
static ritz_status name_tied_faces(ritz_deck *deck, const ritz_deck_card *card, uint8_t *in)
{
    ritz_status status = RITZ_OK;
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        const int n = ritz_deck_fields(&deck->lines[l], fields);
        for (int f = 0; f < n; f++) {
            const int32_t set = ritz_deck_find_set(deck, fields[f], RITZ_GROUP_NODES);
            if (set >= 0)
                RITZ_TRY(add_faces_of_nodes(deck, &deck->lines[l], set, in));
        }
    }
done:
    return status;
}

enum { TURNED = 1, ON_AXIS = 2 };

/* Marks the nodes of a cylindrical *TRANSFORM; its line of two points is checked where it is translated. */
static void mark_turned(const ritz_deck *deck, const ritz_deck_card *card, uint8_t *turned)
{
    const char *set = ritz_deck_parameter_value(card, "NSET");
    const int32_t group = set ? ritz_deck_find_set(deck, set, RITZ_GROUP_NODES) : -1;
    double points[6] = {0}, axis[3], radial[3];
    const bool good = ritz_deck_two_points(deck, card, points);
    for (int d = 0; d < 3; d++)
        axis[d] = points[3 + d] - points[d];
    const bool has_axis = ritz_scale_to_unit(axis) > 0 && good;
    for (int64_t i = 0; group >= 0 && i < deck->groups[group].n; i++) {
        const int64_t node = deck->groups[group].members[i];
        turned[node] =
            has_axis && !ritz_radial_direction(axis, points, deck->nodes + 3 * node, radial) ? ON_AXIS : TURNED;
    }
}

/* Names the nodes in a set of a card's lines that have one of these marks. */
static ritz_status add_marked(ritz_deck *deck, const ritz_deck_card *card, const uint8_t *turned, unsigned marks)
{
    ritz_status status = RITZ_OK;
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        const int32_t target = deck->lines[l].target;
        for (int64_t i = 0; target >= 0 && i < deck->groups[target].n; i++)
            if (turned[deck->groups[target].members[i]] & marks)
                RITZ_TRY(add_node(deck, deck->groups[target].members[i]));
    }
done:
    return status;
}

ritz_status ritz_deck_name_nodes(ritz_deck *deck)
{
    ritz_status status = RITZ_OK;
    uint8_t *turned = NULL; /* [n_nodes] TURNED: in a cylindrical system; ON_AXIS: of it; 0 */
    RITZ_NEW(deck->node_groups, deck->n_nodes);
    memset(deck->node_groups, -1, (size_t)deck->n_nodes * sizeof *deck->node_groups);
    RITZ_NEW(turned, deck->n_nodes);
    for (int64_t c = 0; c < deck->n_cards; c++) {
        if (is_cylindrical(&deck->cards[c]))
            mark_turned(deck, &deck->cards[c], turned);
        if (strcmp(deck->cards[c].keyword, "EQUATION") == 0)
            RITZ_TRY(add_terms(deck, &deck->cards[c]));
        if (strcmp(deck->cards[c].keyword, "MPC") == 0)
            RITZ_TRY(add_mpc_nodes(deck, &deck->cards[c]));
    }
    for (int64_t c = 0; c < deck->n_cards; c++) {
        if (strcmp(deck->cards[c].keyword, "CLOAD") == 0)
            RITZ_TRY(add_marked(deck, &deck->cards[c], turned, TURNED | ON_AXIS));
        if (strcmp(deck->cards[c].keyword, "BOUNDARY") == 0)
            RITZ_TRY(add_marked(deck, &deck->cards[c], turned, ON_AXIS));
    }
    for (int64_t c = 0; c < deck->n_cards; c++)
        if (strcmp(deck->cards[c].keyword, "TIE") == 0)
            RITZ_TRY(name_tied_faces(deck, &deck->cards[c], turned));
done:
    ritz_free(turned);
    return status;
}
