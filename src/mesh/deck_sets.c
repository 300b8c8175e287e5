/* Sets and surfaces of decks, and groups for the numbers that loads are on; decks from file to memory. */
#include "mesh/deck.h"
#include "mesh/msh_scan.h"

#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Groups ---- */

static const char *const suffix[] = {
    [RITZ_GROUP_NODES] = "_NODES", [RITZ_GROUP_FACETS] = "_FACES", [RITZ_GROUP_CELLS] = "_CELLS"};

int32_t ritz_deck_find_set(const ritz_deck *deck, const char *name, ritz_group_kind kind)
{
    for (int32_t g = 0; g < deck->n_groups; g++)
        if (deck->groups[g].own && deck->groups[g].kind == kind && strcasecmp(deck->groups[g].own, name) == 0)
            return g;
    return -1;
}

/* For messages: "; did you mean 'BASE'?" of a set of this kind that is nearly called so, else nothing. */
const char *ritz_deck_meant(const ritz_deck *deck, const char *name, ritz_group_kind kind, char text[RITZ_DECK_WORD])
{
    const char *near = NULL;
    text[0] = '\0';
    for (int32_t g = 0; g < deck->n_groups && !near; g++)
        if (deck->groups[g].own && *deck->groups[g].own != ' ' && deck->groups[g].kind == kind)
            near = ritz_nearest(name, (const char *const[]){deck->groups[g].own}, 1);
    if (near)
        snprintf(text, RITZ_DECK_WORD, "; did you mean '%.60s'?", near);
    return text;
}

static bool name_is_taken(const ritz_deck *deck, const char *name)
{
    for (int32_t g = 0; g < deck->n_groups; g++)
        if (deck->groups[g].name && strcmp(deck->groups[g].name, name) == 0)
            return true;
    return false;
}

/* The set of this name and kind, made if it is new; own NULL: a group without a name of the deck's. A name that begins
   with a blank is none that a deck can have. The mesh's groups have one space of names, so a set of nodes may need another
   one than a set of elements; no name needs marks before its letters to stand in a problem file, nor an encoding. */
ritz_status ritz_deck_add_group(ritz_deck *deck, const char *own, ritz_group_kind kind, int32_t *group)
{
    ritz_status status = RITZ_OK;
    const int32_t found = own ? ritz_deck_find_set(deck, own, kind) : -1;
    if (found >= 0) {
        *group = found;
        return RITZ_OK;
    }
    if (deck->n_groups == deck->group_capacity) {
        deck->group_capacity = 2 * deck->group_capacity + 16;
        RITZ_RESIZE(deck->groups, deck->group_capacity);
    }
    ritz_deck_group *g = &deck->groups[deck->n_groups];
    *g = (ritz_deck_group){.kind = kind};
    *group = deck->n_groups++;
    if (own) {
        RITZ_TRY(ritz_copy_text(own, &g->own));
        for (char *c = g->own; *c; c++)
            *c = (char)toupper((unsigned char)*c);
    }
    for (int k = 0; !g->name; k++) {
        char *name = NULL;
        if (!own)
            RITZ_TRY(ritz_format(&name, "%s%d",
                                 kind == RITZ_GROUP_NODES    ? "nodes"
                                 : kind == RITZ_GROUP_FACETS ? "faces"
                                                             : "elements",
                                 *group + 1 + k));
        else if (k == 0)
            RITZ_TRY(ritz_copy_text(g->own + (*g->own == ' '), &name));
        else
            RITZ_TRY(ritz_format(&name, "%s%s%.0d", g->own + (*g->own == ' '), suffix[kind], k - 1));
        for (char *c = name; *c; c++)
            *c = *c == '\\' || *c == '"' || *c < 0x20 || *c > 0x7e ? '_' : *c; /* `char` may be signed */
        if (name_is_taken(deck, name))
            ritz_free(name);
        else
            g->name = name;
    }
done:
    return status;
}

ritz_status ritz_deck_add_member(ritz_deck *deck, int32_t group, int64_t member, int64_t face)
{
    ritz_status status = RITZ_OK;
    ritz_deck_group *g = &deck->groups[group];
    const int width = g->kind == RITZ_GROUP_FACETS ? 2 : 1;
    if (g->n == g->capacity) {
        g->capacity = 2 * g->capacity + 16;
        RITZ_RESIZE(g->members, width * g->capacity);
    }
    g->members[width * g->n] = member;
    if (width == 2)
        g->members[2 * g->n + 1] = face;
    g->n++;
done:
    return status;
}

bool ritz_deck_has_member(const ritz_deck *deck, int32_t group, int64_t member)
{
    const ritz_deck_group *g = &deck->groups[group];
    for (int64_t i = 0; i < g->n; i++)
        if (g->members[i] == member)
            return true;
    return false;
}

static int compare_members(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

ritz_status ritz_deck_count_nodes(const ritz_deck *deck, int32_t group, int64_t *n)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_group *g = &deck->groups[group];
    int64_t *sorted = NULL;
    RITZ_NEW(sorted, g->n);
    if (g->n)
        memcpy(sorted, g->members, (size_t)g->n * sizeof *sorted);
    qsort(sorted, (size_t)g->n, sizeof *sorted, compare_members);
    *n = 0;
    for (int64_t i = 0; i < g->n; i++)
        *n += deck->used[sorted[i]] && (i == 0 || sorted[i] != sorted[i - 1]);
done:
    ritz_free(sorted);
    return status;
}

/* ---- *NSET and *ELSET ---- */

static const char *word_of(ritz_group_kind kind)
{
    return kind == RITZ_GROUP_NODES ? "node" : "element";
}

/* first, last, step: those that there are. */
static ritz_status add_range(ritz_deck *deck, const ritz_deck_line *line, char fields[][RITZ_DECK_WORD], int n,
                             int32_t group)
{
    ritz_status status = RITZ_OK;
    const ritz_group_kind kind = deck->groups[group].kind;
    const int64_t before = deck->groups[group].n;
    int64_t first = 0, last, step = 1;
    bool good = n >= 1 && n <= 3 && ritz_deck_integer(fields[0], &first);
    last = first;
    good = good && (n < 2 || ritz_deck_integer(fields[1], &last)) && (n < 3 || ritz_deck_integer(fields[2], &step));
    if (!good || first < 1 || step < 1 || last < first)
        return ritz_deck_fail(line->place,
                              "GENERATE takes the first number, the last one and the step, like  1, 99, 2");
    const bool cells = kind == RITZ_GROUP_CELLS;
    const int64_t n_known = cells ? deck->n_elements : deck->n_nodes;
    const int64_t *known = cells ? deck->numbers : deck->node_numbers;
    if ((last - first) / step > n_known) { /* mostly numbers that there are not: 1 to 999999999 is meant as all */
        for (int64_t place = 0; place < n_known; place++)
            if (known[place] >= first && known[place] <= last && (known[place] - first) % step == 0)
                RITZ_TRY(ritz_deck_add_member(deck, group, place, 0));
    } else
        for (int64_t number = first, n_left = (last - first) / step; n_left >= 0; n_left--) {
            const int64_t place = ritz_deck_find_number(deck, cells, number);
            if (place >= 0)
                RITZ_TRY(ritz_deck_add_member(deck, group, place, 0));
            number += n_left > 0 ? step : 0; /* the last may be the largest that there is */
        }
    if (deck->groups[group].n == before)
        return ritz_deck_fail(line->place, "there is no %s from %lld to %lld", word_of(kind), (long long)first,
                              (long long)last);
done:
    return status;
}

/* The place of a node or an element. */
static ritz_status find_number(const ritz_deck *deck, const ritz_deck_line *line, int64_t number, bool cells,
                               int64_t *place)
{
    *place = ritz_deck_find_number(deck, cells, number);
    return *place >= 0 ? RITZ_OK
                       : ritz_deck_fail(line->place, "there is no %s %lld",
                                        word_of(cells ? RITZ_GROUP_CELLS : RITZ_GROUP_NODES), (long long)number);
}

/* A number, or a set that stands before. */
static ritz_status add_named(ritz_deck *deck, const ritz_deck_line *line, const char *field, int32_t group)
{
    ritz_status status = RITZ_OK;
    const ritz_group_kind kind = deck->groups[group].kind;
    char meant[RITZ_DECK_WORD];
    int64_t number;
    if (ritz_deck_integer(field, &number)) {
        int64_t place;
        RITZ_TRY(find_number(deck, line, number, kind == RITZ_GROUP_CELLS, &place));
        return ritz_deck_add_member(deck, group, place, 0);
    }
    const int32_t other = ritz_deck_find_set(deck, field, kind);
    if (other < 0)
        return ritz_deck_fail(line->place, "there is no set of %ss called '%s' up to here%s", word_of(kind), field,
                              ritz_deck_meant(deck, field, kind, meant));
    const int64_t n = deck->groups[other].n; /* the set may be added to itself */
    for (int64_t i = 0; i < n; i++)
        RITZ_TRY(ritz_deck_add_member(deck, group, deck->groups[other].members[i], 0));
done:
    return status;
}

static ritz_status read_set(ritz_deck *deck, const ritz_deck_card *card, ritz_group_kind kind)
{
    ritz_status status = RITZ_OK;
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    const char *name = ritz_deck_parameter_value(card, card->keyword);
    const bool generate = ritz_deck_parameter_value(card, "GENERATE");
    int32_t group;
    if (!name || !*name)
        return ritz_deck_fail(card->place, "*%s has no name; write  *%s, %s=TOP", card->keyword, card->keyword,
                              card->keyword);
    RITZ_TRY(ritz_deck_add_group(deck, name, kind, &group));
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        const ritz_deck_line *line = &deck->lines[l];
        const int n = ritz_deck_fields(line, fields);
        if (generate)
            RITZ_TRY(add_range(deck, line, fields, n, group));
        for (int f = 0; !generate && f < n; f++)
            if (*fields[f])
                RITZ_TRY(add_named(deck, line, fields[f], group));
    }
done:
    return status;
}

/* ---- *SURFACE, and what loads are on ---- */

static ritz_status check_face(const ritz_deck *deck, const ritz_deck_line *line, int64_t element, int64_t face)
{
    const ritz_deck_element *type = deck->types[element];
    return ritz_deck_facet(type->cell, face) >= 0
               ? RITZ_OK
               : ritz_deck_fail(line->place, "element %lld, a %s, has no face %lld", (long long)deck->numbers[element],
                                type->name, (long long)face);
}

/* The faces of an element or of a set of them. */
static ritz_status add_faces(ritz_deck *deck, const ritz_deck_line *line, const char *target, int64_t face,
                             int32_t group)
{
    ritz_status status = RITZ_OK;
    char meant[RITZ_DECK_WORD];
    int64_t number, one;
    const int32_t set = ritz_deck_integer(target, &number) ? -1 : ritz_deck_find_set(deck, target, RITZ_GROUP_CELLS);
    const int64_t *members = set < 0 ? &one : deck->groups[set].members;
    one = ritz_deck_integer(target, &number) ? ritz_deck_find_number(deck, true, number) : -1;
    if (set < 0 && one < 0)
        return ritz_deck_fail(line->place, "there is no element or set of elements called '%s'%s", target,
                              ritz_deck_meant(deck, target, RITZ_GROUP_CELLS, meant));
    for (int64_t i = 0; i < (set < 0 ? 1 : deck->groups[set].n); i++) {
        RITZ_TRY(check_face(deck, line, members[i], face));
        RITZ_TRY(ritz_deck_add_member(deck, group, members[i], face));
    }
done:
    return status;
}

/* S1, P1, F1: the number behind the letter; 0 where there is none. */
static int64_t face_of(const char *label)
{
    int64_t face = 0;
    return *label && ritz_deck_integer(label + 1, &face) ? face : 0;
}

static ritz_status read_surface(ritz_deck *deck, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    const char *name = ritz_deck_parameter_value(card, "NAME"), *type = ritz_deck_parameter_value(card, "TYPE");
    const bool nodes = type && strcasecmp(type, "NODE") == 0;
    int32_t group;
    if (!name || !*name)
        return ritz_deck_fail(card->place, "*SURFACE has no name; write  *SURFACE, NAME=TOP");
    RITZ_TRY(ritz_deck_add_group(deck, name, nodes ? RITZ_GROUP_NODES : RITZ_GROUP_FACETS, &group));
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        const ritz_deck_line *line = &deck->lines[l];
        const int n = ritz_deck_fields(line, fields);
        if (nodes) {
            RITZ_TRY(add_named(deck, line, fields[0], group));
            continue;
        }
        if (n != 2 || face_of(fields[1]) == 0)
            return ritz_deck_fail(line->place, "a surface is made of elements and their faces, like  EALL, S1");
        RITZ_TRY(add_faces(deck, line, fields[0], face_of(fields[1]), group));
    }
done:
    return status;
}

/* What the first field of a load's line names. */
typedef enum target_kind { ON_NOTHING, ON_NODES, ON_ELEMENTS, ON_SURFACE } target_kind;

/* *card_kind: a number of each keyword. */
static target_kind kind_of_load(const ritz_deck_card *card, int *card_kind)
{
    static const struct {
        const char *keyword;
        target_kind kind;
    } loads[] = {{"BOUNDARY", ON_NODES}, {"CLOAD", ON_NODES},    {"CFLUX", ON_NODES},     {"TEMPERATURE", ON_NODES},
                 {"DLOAD", ON_ELEMENTS}, {"DFLUX", ON_ELEMENTS}, {"FILM", ON_ELEMENTS},   {"RADIATE", ON_ELEMENTS},
                 {"DSLOAD", ON_SURFACE}, {"SFILM", ON_SURFACE},  {"SRADIATE", ON_SURFACE}};
    const char *type = ritz_deck_parameter_value(card, "TYPE");
    *card_kind = -1;
    if (strcmp(card->keyword, "INITIALCONDITIONS") == 0 && type && strcasecmp(type, "TEMPERATURE") == 0)
        return ON_NODES;
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        if (strcmp(card->keyword, loads[i].keyword) == 0) {
            *card_kind = (int)i;
            return loads[i].kind;
        }
    return ON_NOTHING;
}

/* Whether a load of this label is on faces: P1, S2, F3, R4. */
static bool is_on_face(const char *label)
{
    return strchr("PSFRpsfr", *label) && face_of(label) > 0;
}

/* Nodes of no element may stand for motions, each for one of its own. */
static bool is_apart(const ritz_deck *deck, int64_t number)
{
    const int64_t node = ritz_deck_find_number(deck, false, number);
    return node >= 0 && !deck->used[node];
}

/* A line that says the same of another number as the line before it goes on with that. */
static bool joins_line_before(const ritz_deck *deck, const ritz_deck_card *card, int64_t l, target_kind kind,
                              int64_t own)
{
    int64_t number;
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    if (l == card->first || (kind == ON_NODES && is_apart(deck, own)))
        return false;
    const char *rest = strchr(deck->lines[l].text, ','), *before = strchr(deck->lines[l - 1].text, ',');
    if (!rest || !before || strcmp(rest, before) != 0)
        return false;
    return ritz_deck_fields(&deck->lines[l - 1], fields) > 0 && ritz_deck_integer(fields[0], &number) &&
           !(kind == ON_NODES && is_apart(deck, number));
}

static ritz_status name_number(ritz_deck *deck, const ritz_deck_card *card, int64_t l, target_kind kind, int card_kind,
                               const char *field, const char *label)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_line *line = &deck->lines[l];
    const bool faces = kind == ON_ELEMENTS && is_on_face(label);
    const ritz_group_kind group_kind = kind == ON_NODES ? RITZ_GROUP_NODES
                                       : faces          ? RITZ_GROUP_FACETS
                                                        : RITZ_GROUP_CELLS;
    const int64_t face = faces ? face_of(label) : 0;
    int64_t number = 0, member;
    ritz_deck_integer(field, &number);
    RITZ_TRY(find_number(deck, line, number, kind != ON_NODES, &member));
    if (faces)
        RITZ_TRY(check_face(deck, line, member, face));
    RITZ_TRY(ritz_deck_add_numbered(deck, line, joins_line_before(deck, card, l, kind, number), card_kind, group_kind,
                                    member, face));
done:
    return status;
}

static ritz_status name_target(ritz_deck *deck, const ritz_deck_card *card, int64_t l, target_kind kind, int card_kind)
{
    ritz_status status = RITZ_OK;
    ritz_deck_line *line = &deck->lines[l];
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    const int n = ritz_deck_fields(line, fields);
    const char *label = n > 1 ? fields[1] : "";
    char meant[RITZ_DECK_WORD];
    int64_t number;
    if (n == 0 || !*fields[0])
        return RITZ_OK;
    if (kind != ON_SURFACE && ritz_deck_integer(fields[0], &number))
        return name_number(deck, card, l, kind, card_kind, fields[0], label);
    if (kind == ON_ELEMENTS && is_on_face(label)) {
        char name[2 * RITZ_DECK_WORD + 1];
        snprintf(name, sizeof name, " %s_%s", fields[0], label);
        int32_t group = ritz_deck_find_set(deck, name, RITZ_GROUP_FACETS);
        if (group < 0) {
            RITZ_TRY(ritz_deck_add_group(deck, name, RITZ_GROUP_FACETS, &group));
            RITZ_TRY(add_faces(deck, line, fields[0], face_of(label), group));
        }
        line->target = group;
        return RITZ_OK;
    }
    const ritz_group_kind of = kind == ON_NODES     ? RITZ_GROUP_NODES
                               : kind == ON_SURFACE ? RITZ_GROUP_FACETS
                                                    : RITZ_GROUP_CELLS;
    line->target = ritz_deck_find_set(deck, fields[0], of);
    if (line->target < 0)
        return ritz_deck_fail(line->place, "there is no %s called '%s'%s",
                              kind == ON_SURFACE ? "surface of element faces"
                              : kind == ON_NODES ? "set of nodes"
                                                 : "set of elements",
                              fields[0], ritz_deck_meant(deck, fields[0], of, meant));
done:
    return status;
}

ritz_status ritz_deck_name_targets(ritz_deck *deck)
{
    ritz_status status = RITZ_OK;
    for (int64_t c = 0; c < deck->n_cards; c++) {
        const ritz_deck_card *card = &deck->cards[c];
        int card_kind;
        const target_kind kind = kind_of_load(card, &card_kind);
        for (int64_t l = card->first; kind != ON_NOTHING && l < card->first + card->n; l++)
            RITZ_TRY(name_target(deck, card, l, kind, card_kind));
    }
    RITZ_TRY(ritz_deck_group_numbered(deck));
done:
    return status;
}

ritz_status ritz_deck_read_sets(ritz_deck *deck)
{
    ritz_status status = RITZ_OK;
    for (int64_t c = 0; c < deck->n_cards; c++) {
        const ritz_deck_card *card = &deck->cards[c];
        if (strcmp(card->keyword, "NSET") == 0)
            RITZ_TRY(read_set(deck, card, RITZ_GROUP_NODES));
        else if (strcmp(card->keyword, "ELSET") == 0)
            RITZ_TRY(read_set(deck, card, RITZ_GROUP_CELLS));
        else if (strcmp(card->keyword, "SURFACE") == 0)
            RITZ_TRY(read_surface(deck, card));
    }
    RITZ_TRY(ritz_deck_name_targets(deck));
    RITZ_TRY(ritz_deck_name_nodes(deck));
    RITZ_TRY(ritz_deck_name_states(deck));
    RITZ_TRY(ritz_deck_name_parts(deck));
done:
    return status;
}

/* ---- The whole ---- */

void ritz_deck_destroy(ritz_deck **deck)
{
    ritz_deck *d = deck ? *deck : NULL;
    if (!d)
        return;
    for (int64_t c = 0; c < d->n_cards; c++) {
        ritz_free(d->cards[c].keyword);
        ritz_free(d->cards[c].words);
        for (int i = 0; i < d->cards[c].n_parameters; i++) {
            ritz_free(d->cards[c].parameters[i].name);
            ritz_free(d->cards[c].parameters[i].value);
        }
    }
    for (int f = 0; f < d->n_files; f++) {
        ritz_free(d->files[f]);
        ritz_free(d->texts[f]);
    }
    for (int32_t g = 0; g < d->n_groups; g++) {
        ritz_free(d->groups[g].name);
        ritz_free(d->groups[g].own);
        ritz_free(d->groups[g].members);
    }
    if (d->node_table)
        ritz_msh_numbers_free(d->node_table);
    if (d->element_table)
        ritz_msh_numbers_free(d->element_table);
    void *const arrays[] = {d->path,          d->files,   d->texts,       d->cards,     d->lines,   d->nodes,
                            d->node_numbers,  d->numbers, d->starts,      d->connected, d->types,   d->node_table,
                            d->element_table, d->used,    d->node_groups, d->groups,    d->numbered};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        ritz_free(arrays[i]);
    ritz_free(d);
    *deck = NULL;
}

ritz_status ritz_deck_open(const char *path, ritz_deck **deck)
{
    ritz_status status = RITZ_OK;
    ritz_deck *d = NULL;
    RITZ_NEW(d, 1);
    RITZ_TRY(ritz_copy_text(path, &d->path));
    RITZ_TRY(ritz_deck_read_cards(path, d));
    *deck = d;
    d = NULL;
done:
    ritz_deck_destroy(&d);
    return status;
}

ritz_status ritz_deck_read_mesh(ritz_deck *deck)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_deck_read_elements(deck));
    RITZ_TRY(ritz_deck_read_sets(deck));
done:
    return status;
}

static bool has_shift(const ritz_deck *deck, const ritz_deck_card *card)
{
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    double shift;
    for (int64_t l = card->first; l < card->first + card->n; l++)
        for (int f = ritz_deck_fields(&deck->lines[l], fields) - 1; f >= 0; f--)
            if (ritz_deck_real(fields[f], &shift) && shift != 0)
                return true;
    return false;
}

/* Whether an instance brings nodes, its own or those of its part. */
static bool brings_nodes(const ritz_deck *deck, const ritz_deck_card *instance)
{
    const char *part = ritz_deck_parameter_value(instance, "PART");
    bool inside = false;
    for (int64_t c = 0; c < deck->n_cards; c++) {
        const ritz_deck_card *card = &deck->cards[c];
        const char *name = ritz_deck_parameter_value(card, "NAME");
        if (strcmp(card->keyword, "PART") == 0)
            inside = part && name && strcasecmp(part, name) == 0;
        if (strcmp(card->keyword, "INSTANCE") == 0)
            inside = card == instance;
        if (strcmp(card->keyword, "ENDPART") == 0 || strcmp(card->keyword, "ENDINSTANCE") == 0)
            inside = false;
        if (inside && strcmp(card->keyword, "NODE") == 0)
            return true;
    }
    return false;
}

/* What makes a mesh out of one that a deck writes in part: as a problem its keywords are refused by their names. */
static ritz_status check_generators(const ritz_deck *deck)
{
    static const char *const makers[] = {"NCOPY", "NGEN", "NFILL", "NMAP", "ELGEN", "ELCOPY"};
    int n_instances = 0;
    for (int64_t c = 0; c < deck->n_cards; c++) {
        const ritz_deck_card *card = &deck->cards[c];
        const char *system = ritz_deck_parameter_value(card, "SYSTEM");
        bool turns = strcmp(card->keyword, "SYSTEM") == 0 && has_shift(deck, card);
        turns = turns || (strcmp(card->keyword, "NODE") == 0 && system && strcasecmp(system, "R") != 0);
        for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
            turns = turns || strcmp(card->keyword, makers[i]) == 0;
        if (turns)
            return ritz_deck_fail(card->place,
                                  "*%s%s is not read; write the mesh with all its nodes and elements, and nodes along "
                                  "x, y, z",
                                  card->words, system && strcmp(card->keyword, "NODE") == 0 ? " with SYSTEM" : "");
        if (strcmp(card->keyword, "INSTANCE") != 0 || !brings_nodes(deck, card))
            continue;
        if (++n_instances > 1 || has_shift(deck, card))
            return ritz_deck_fail(card->place, "*INSTANCE: several instances of parts, or one that is moved, are not "
                                               "read; write the deck without parts and instances");
    }
    return RITZ_OK;
}

ritz_status ritz_deck_read(const char *path, ritz_deck **deck)
{
    ritz_status status = RITZ_OK;
    ritz_deck *d = NULL;
    const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    locale_t before = (locale_t)0;
    RITZ_REQUIRE(plain, RITZ_ERROR_MEMORY, "the C locale cannot be set: memory ran out");
    before = uselocale(plain);
    RITZ_TRY(ritz_deck_open(path, &d));
    d->mesh_alone = true;
    RITZ_TRY(check_generators(d));
    RITZ_TRY(ritz_deck_read_mesh(d));
    *deck = d;
    d = NULL;
done:
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    ritz_deck_destroy(&d);
    return status;
}
