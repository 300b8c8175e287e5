/* Sections of decks that become several: elements that begin with stresses or strains are a group for each value, those of
   several formulations a group for each. */
#include "mesh/deck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_STATES = 1000 };

/* What an element begins with. */
typedef struct element_state {
    double v[6];
    int64_t line; /* -1: nothing */
    int section;  /* -1: none */
    int64_t element;
} element_state;

static bool has_values(const element_state *state, const double v[6])
{
    bool same = true;
    for (int i = 0; i < 6; i++)
        same = same && state->v[i] == v[i];
    return same;
}

bool ritz_deck_is_state(const ritz_deck_card *card)
{
    const char *type = ritz_deck_parameter_value(card, "TYPE");
    return strcmp(card->keyword, "INITIALCONDITIONS") == 0 && type &&
           (strcasecmp(type, "STRESS") == 0 || strcasecmp(type, "PLASTICSTRAIN") == 0 ||
            strcasecmp(type, "PLASTIC STRAIN") == 0);
}

ritz_status ritz_deck_read_state(const ritz_deck_line *line, int64_t *number, double v[6])
{
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    const int n = ritz_deck_fields(line, fields);
    int64_t point = 0;
    bool good = n >= 8 && ritz_deck_integer(fields[0], number) && ritz_deck_integer(fields[1], &point) && point > 0;
    for (int i = 0; good && i < 6; i++)
        good = ritz_deck_real(fields[2 + i], &v[i]);
    return good ? RITZ_OK
                : ritz_deck_fail(line->place, "*INITIAL CONDITIONS takes an element, a point of quadrature and six "
                                              "values, like  7, 1, -100., 0., 0., 0., 0., 0.");
}

/* Six numbers do not tell where in an element they are: its points have the same. */
static ritz_status read_states(ritz_deck *deck, const ritz_deck_card *card, element_state *states)
{
    ritz_status status = RITZ_OK;
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        ritz_deck_line *line = &deck->lines[l];
        int64_t number;
        double v[6];
        RITZ_TRY(ritz_deck_read_state(line, &number, v));
        const int64_t e = ritz_deck_find_number(deck, true, number);
        if (e < 0)
            return ritz_deck_fail(line->place, "there is no element %lld", (long long)number);
        if (states[e].line >= 0 && !has_values(&states[e], v))
            return ritz_deck_fail(line->place,
                                  "element %lld has other values on line %d; values that differ within an element are "
                                  "not served",
                                  (long long)number, deck->lines[states[e].line].place.line);
        line->joined = true;
        if (states[e].line < 0)
            states[e].line = l;
        memcpy(states[e].v, v, sizeof v);
    }
done:
    return status;
}

static int compare_states(const void *a, const void *b)
{
    const element_state *x = a, *y = b;
    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    if ((x->line < 0) != (y->line < 0))
        return x->line < 0 ? 1 : -1;
    for (int i = 0; i < 6 && x->line >= 0; i++)
        if (x->v[i] != y->v[i])
            return x->v[i] < y->v[i] ? -1 : 1;
    return x->element < y->element ? -1 : x->element > y->element;
}

static bool is_same_group(const element_state *a, const element_state *b)
{
    return a->section == b->section && (a->line < 0) == (b->line < 0) && (a->line < 0 || has_values(a, b->v));
}

/* Elements in the order of their groups: each begins a new group or joins that of the one before. */
static ritz_status add_state_groups(ritz_deck *deck, const element_state *states)
{
    ritz_status status = RITZ_OK;
    int32_t group = -1;
    int n = 0;
    for (int64_t i = 0; i < deck->n_elements; i++) {
        const element_state *s = &states[i];
        if (i == 0 || !is_same_group(s, &states[i - 1])) {
            char name[48];
            snprintf(name, sizeof name, s->line < 0 ? " SECTION%d_REST" : " SECTION%d_STATE%d", s->section + 1, n + 1);
            n += s->line >= 0;
            RITZ_TRY(ritz_deck_add_group(deck, name, RITZ_GROUP_CELLS, &group));
            if (n > MOST_STATES)
                return ritz_deck_fail(deck->lines[s->line < 0 ? 0 : s->line].place,
                                      "*INITIAL CONDITIONS with more than %d different values are not served",
                                      MOST_STATES);
        }
        if (s->section >= 0)
            RITZ_TRY(ritz_deck_add_member(deck, group, s->element, 0));
        if (s->line >= 0) {
            deck->lines[s->line].target = group;
            deck->lines[s->line].joined = deck->groups[group].n > 1;
        }
    }
done:
    return status;
}

ritz_status ritz_deck_name_states(ritz_deck *deck)
{
    ritz_status status = RITZ_OK;
    element_state *states = NULL;
    int n_sections = 0;
    bool any = false;
    for (int64_t c = 0; c < deck->n_cards; c++)
        any = any || ritz_deck_is_state(&deck->cards[c]);
    if (!any)
        return RITZ_OK;
    RITZ_NEW(states, deck->n_elements);
    for (int64_t e = 0; e < deck->n_elements; e++)
        states[e] = (element_state){.line = -1, .section = -1, .element = e};
    for (int64_t c = 0; c < deck->n_cards; c++) {
        const ritz_deck_card *card = &deck->cards[c];
        if (ritz_deck_is_state(card))
            RITZ_TRY(read_states(deck, card, states));
        if (strcmp(card->keyword, "SOLIDSECTION") != 0)
            continue;
        const char *set = ritz_deck_parameter_value(card, "ELSET");
        const int32_t group = set ? ritz_deck_find_set(deck, set, RITZ_GROUP_CELLS) : -1;
        for (int64_t i = 0; group >= 0 && i < deck->groups[group].n; i++)
            states[deck->groups[group].members[i]].section = n_sections;
        n_sections++;
    }
    qsort(states, (size_t)deck->n_elements, sizeof *states, compare_states);
    RITZ_TRY(add_state_groups(deck, states));
done:
    ritz_free(states);
    return status;
}

/* ---- Formulations ---- */

static void name_part(int section, ritz_deck_formulation formulation, char name[48])
{
    static const char *const words[RITZ_DECK_N_FORMULATIONS] = {"SHAPES", "MODES", "HOURGLASS"};
    snprintf(name, 48, " SECTION%d_%s", section + 1, words[formulation]);
}

int32_t ritz_deck_find_part(const ritz_deck *deck, int section, ritz_deck_formulation formulation)
{
    char name[48];
    name_part(section, formulation, name);
    return ritz_deck_find_set(deck, name, RITZ_GROUP_CELLS);
}

/* The parts of section n, whose elements are those of a group. */
static ritz_status add_parts(ritz_deck *deck, int section, int32_t whole)
{
    ritz_status status = RITZ_OK;
    int64_t n[RITZ_DECK_N_FORMULATIONS] = {0};
    for (int64_t i = 0; i < deck->groups[whole].n; i++)
        n[deck->types[deck->groups[whole].members[i]]->formulation]++;
    for (int f = 0; f < RITZ_DECK_N_FORMULATIONS; f++) {
        char name[48];
        int32_t part;
        if (n[f] == 0 || n[f] == deck->groups[whole].n)
            continue;
        name_part(section, (ritz_deck_formulation)f, name);
        RITZ_TRY(ritz_deck_add_group(deck, name, RITZ_GROUP_CELLS, &part));
        for (int64_t i = 0; i < deck->groups[whole].n; i++) {
            const int64_t e = deck->groups[whole].members[i];
            if ((int)deck->types[e]->formulation == f)
                RITZ_TRY(ritz_deck_add_member(deck, part, e, 0));
        }
    }
done:
    return status;
}

ritz_status ritz_deck_name_parts(ritz_deck *deck)
{
    ritz_status status = RITZ_OK;
    int n_sections = 0;
    for (int64_t c = 0; c < deck->n_cards; c++) {
        const char *set = ritz_deck_parameter_value(&deck->cards[c], "ELSET");
        if (strcmp(deck->cards[c].keyword, "SOLIDSECTION") != 0)
            continue;
        const int32_t group = set ? ritz_deck_find_set(deck, set, RITZ_GROUP_CELLS) : -1;
        if (group >= 0)
            RITZ_TRY(add_parts(deck, n_sections, group));
        n_sections++;
    }
done:
    return status;
}
