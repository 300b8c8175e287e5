/* *EQUATION and *TIE: what binds degrees of freedom to each other, in lines of the problem file. */
#include "deck/translate.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TERMS = 4096 };

static bool is_heat(const ritz_deck_analysis *a)
{
    return a->procedure == RITZ_DECK_HEAT;
}

int ritz_deck_find_term(const ritz_deck_equation *e, int64_t node, int component)
{
    for (int t = 0; t < e->n; t++)
        if (e->terms[t].node == node && e->terms[t].component == component)
            return t;
    return -1;
}

ritz_status ritz_deck_add_term(ritz_deck_equation *e, int64_t node, int component, double weight)
{
    ritz_status status = RITZ_OK;
    const int there = ritz_deck_find_term(e, node, component);
    if (there >= 0) {
        e->terms[there].weight += weight;
        return RITZ_OK;
    }
    if (e->n == e->capacity) {
        e->capacity = 2 * e->capacity + 8;
        RITZ_RESIZE(e->terms, e->capacity);
    }
    e->terms[e->n++] = (struct ritz_deck_term){node, component, weight};
done:
    return status;
}

/* The value that a support of a step prescribes there. */
static bool is_prescribed(const ritz_deck *deck, const ritz_deck_step *step, int64_t node, int component, double *value)
{
    bool found = false;
    for (int i = 0; i < step->n_loads; i++) {
        const ritz_deck_load *load = &step->loads[i];
        if (load->kind != RITZ_DECK_SUPPORT || load->control || load->component != component ||
            !ritz_deck_has_member(deck, load->group, node))
            continue;
        *value = load->value;
        found = true;
    }
    return found;
}

/* A node of no element brings in what its support prescribes, as equations with a value are written, or is free in all steps: a reference,
   as of periodic cells. */
static ritz_status add_apart(const ritz_deck_analysis *a, const ritz_deck_line *line, int64_t node, int component,
                             double weight, ritz_deck_equation *e)
{
    const long long number = a->deck->node_numbers[node];
    double value = 0, other = 0;
    int n_known = 0;
    bool same = true;
    for (int s = 0; s < a->n_steps; s++)
        if (is_prescribed(a->deck, &a->steps[s], node, component, &other)) {
            same = same && (n_known == 0 || other == value);
            value = other;
            n_known++;
        }
    if (ritz_deck_find_motion(a, node))
        return ritz_deck_fail(
            line->place,
            "*EQUATION: node %lld stands for the motion of a rigid body or a mean; write the equation "
            "of nodes of elements",
            number);
    if (n_known == 0)
        return ritz_deck_add_term(e, node, component, weight);
    if (n_known < a->n_steps || !same)
        return ritz_deck_fail(line->place,
                              "*EQUATION: node %lld is in no element; that is served where all steps prescribe one "
                              "value of its degree of freedom %d by *BOUNDARY, or none does",
                              number, is_heat(a) ? RITZ_DECK_TEMPERATURE : component + 1);
    e->value -= weight * value;
    return RITZ_OK;
}

/* A degree of freedom of a node in a system of its own is one along x, y and z together. */
static ritz_status add_freedom(const ritz_deck_analysis *a, const ritz_deck_line *line, int64_t node, int component,
                               double weight, ritz_deck_equation *e)
{
    ritz_status status = RITZ_OK;
    double axis[3] = {0};
    const ritz_deck_transform *system = is_heat(a) ? NULL : ritz_deck_transform_of(a, node);
    if (!a->deck->used[node])
        return add_apart(a, line, node, component, weight, e);
    if (system)
        ritz_deck_transform_axis(system, a->deck->nodes + 3 * node, component, axis);
    else
        axis[component] = 1;
    for (int d = 0; d < 3; d++)
        if (axis[d] != 0)
            RITZ_TRY(ritz_deck_add_term(e, node, d, weight * axis[d]));
done:
    return status;
}

static ritz_status write_equation(const ritz_deck_analysis *a, const ritz_deck_equation *e, char **text)
{
    ritz_status status = RITZ_OK;
    ritz_text line = {0};
    int n = 0;
    ritz_text_add(&line, "  - {terms: [");
    for (int t = 0; t < e->n; t++) {
        if (e->terms[t].weight == 0)
            continue;
        const ritz_deck_group *group = &a->deck->groups[a->deck->node_groups[e->terms[t].node]];
        ritz_text_add(&line, "%s{group: \"%s\", ", n++ ? ", " : "", group->name);
        if (!is_heat(a))
            ritz_text_add(&line, "component: %c, ", 'x' + e->terms[t].component);
        ritz_text_add(&line, "weight: %.15g}", e->terms[t].weight);
    }
    ritz_text_add(&line, e->value != 0 ? "], value: %.15g}" : "]}", e->value);
    RITZ_TRY(ritz_text_take(&line, text));
done:
    ritz_text_free(&line);
    return status;
}

static ritz_status read_term(const ritz_deck_analysis *a, const ritz_deck_line *line, char (*fields)[RITZ_DECK_WORD],
                             int n_fields, ritz_deck_equation *e)
{
    int64_t number, freedom;
    double weight;
    const bool is_term = n_fields >= 3 && ritz_deck_integer(fields[0], &number) &&
                         ritz_deck_integer(fields[1], &freedom) && ritz_deck_real(fields[2], &weight);
    if (is_heat(a) && !(is_term && (freedom == RITZ_DECK_TEMPERATURE || freedom == 0)))
        return ritz_deck_fail(
            line->place, "in heat transfer a term of *EQUATION is a node, the degree of freedom %d and a coefficient",
            RITZ_DECK_TEMPERATURE);
    if (!is_heat(a) && !(is_term && freedom >= 1 && freedom <= a->dim))
        return ritz_deck_fail(
            line->place, "a term of *EQUATION is a node, a degree of freedom from 1 to %d and a coefficient", a->dim);
    const int64_t node = ritz_deck_find_number(a->deck, false, number); /* it is there: the mesh was made with it */
    return add_freedom(a, line, node, is_heat(a) ? 0 : (int)freedom - 1, weight, e);
}

/* One equation: the number of terms, then three fields for each on one or more lines. */
static ritz_status read_equation(const ritz_deck_analysis *a, const ritz_deck_card *card, int64_t *l,
                                 ritz_deck_equation *e)
{
    ritz_status status = RITZ_OK;
    const ritz_deck *deck = a->deck;
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    const ritz_deck_place place = deck->lines[*l].place;
    int64_t n = 0, found = 0;
    if (ritz_deck_fields(&deck->lines[(*l)++], fields) != 1 || !ritz_deck_integer(fields[0], &n) || n < 1)
        return ritz_deck_fail(place, "*EQUATION begins with the number of its terms");
    if (n > MOST_TERMS)
        return ritz_deck_fail(place, "*EQUATION has %lld terms, and at most %d are served", (long long)n, MOST_TERMS);
    for (; found < n && *l < card->first + card->n; ++*l) {
        const int n_fields = ritz_deck_fields(&deck->lines[*l], fields);
        for (int f = 0; f < n_fields; f += 3, found++) {
            RITZ_TRY(read_term(a, &deck->lines[*l], fields + f, n_fields - f, e));
        }
    }
    if (found != n)
        return ritz_deck_fail(place, "*EQUATION announces %lld terms and has %lld", (long long)n, (long long)found);
done:
    return status;
}

/* Nothing is left of one whose nodes are all in no element, and whose values meet it. */
static ritz_status check_terms(const ritz_deck_equation *e)
{
    bool any = e->n == 0 && e->value == 0;
    for (int t = 0; t < e->n; t++)
        any = any || e->terms[t].weight != 0;
    return any ? RITZ_OK
               : ritz_deck_fail(e->place,
                                "the terms of this *EQUATION cancel, or are of nodes of no element whose values "
                                "do not meet it; remove or correct it");
}

static int64_t count_lines(const ritz_deck *deck)
{
    int64_t n = 0;
    for (int64_t c = 0; c < deck->n_cards; c++)
        n += strcmp(deck->cards[c].keyword, "EQUATION") == 0 ? deck->cards[c].n : 0;
    return n;
}

ritz_status ritz_deck_read_equations(ritz_deck_analysis *a)
{
    ritz_status status = RITZ_OK;
    const ritz_deck *deck = a->deck;
    RITZ_NEW(a->equations, count_lines(deck));
    for (int64_t c = 0; c < deck->n_cards; c++) {
        const ritz_deck_card *card = &deck->cards[c];
        for (int64_t l = card->first; strcmp(card->keyword, "EQUATION") == 0 && l < card->first + card->n;) {
            ritz_deck_equation *e = &a->equations[a->n_equations++];
            e->place = deck->lines[l].place;
            RITZ_TRY(read_equation(a, card, &l, e));
        }
    }
    RITZ_TRY(ritz_deck_solve_references(a));
    for (int i = 0; i < a->n_equations; i++)
        RITZ_TRY(check_terms(&a->equations[i]));
done:
    return status;
}

/* Where lines go, and whether the list of equations has begun. */
typedef struct equation_list {
    ritz_deck_line_function *write;
    void *context;
    bool begun;
} equation_list;

static ritz_status add_equation(const ritz_deck_analysis *a, const ritz_deck_equation *e, equation_list *list)
{
    ritz_status status = RITZ_OK;
    char *text = NULL;
    if (e->n == 0) /* of nodes of no element */
        return RITZ_OK;
    if (!list->begun)
        RITZ_TRY(list->write(list->context, e->place, "equations:"));
    list->begun = true;
    RITZ_TRY(write_equation(a, e, &text));
    RITZ_TRY(list->write(list->context, e->place, text));
done:
    ritz_free(text);
    return status;
}

static ritz_status add_mpc(const ritz_deck_analysis *a, const ritz_deck_card *card, int64_t *l, equation_list *list)
{
    ritz_status status = RITZ_OK;
    const int64_t first = *l;
    ritz_deck_mpc mpc = {0};
    ritz_deck_equation *equations = NULL;
    int n = 0;
    RITZ_TRY(ritz_deck_read_mpc(a, card, l, &mpc));
    RITZ_TRY(ritz_deck_list_mpc(a, &mpc, first, &equations, &n));
    for (int i = 0; i < n; i++) {
        equations[i].place = mpc.place;
        RITZ_TRY(add_equation(a, &equations[i], list));
    }
done:
    for (int i = 0; equations && i < n; i++)
        ritz_free(equations[i].terms);
    ritz_free(equations);
    ritz_free(mpc.nodes);
    return status;
}

ritz_status ritz_deck_write_equations(const ritz_deck_analysis *a, ritz_deck_line_function *write, void *context)
{
    ritz_status status = RITZ_OK;
    const ritz_deck *deck = a->deck;
    equation_list list = {.write = write, .context = context};
    for (int i = 0; i < a->n_equations; i++)
        RITZ_TRY(add_equation(a, &a->equations[i], &list));
    for (int64_t c = 0; c < deck->n_cards; c++) {
        const ritz_deck_card *card = &deck->cards[c];
        for (int64_t l = card->first; strcmp(card->keyword, "MPC") == 0 && l < card->first + card->n;)
            RITZ_TRY(add_mpc(a, card, &l, &list));
    }
done:
    return status;
}

/* A surface of either kind. */
static int32_t find_surface(const ritz_deck *deck, const char *name)
{
    const int32_t faces = ritz_deck_find_set(deck, name, RITZ_GROUP_FACETS);
    return faces >= 0 ? faces : ritz_deck_find_set(deck, name, RITZ_GROUP_NODES);
}

ritz_status ritz_deck_write_ties(const ritz_deck_analysis *a, ritz_deck_line_function *write, void *context)
{
    ritz_status status = RITZ_OK;
    const ritz_deck *deck = a->deck;
    char *text = NULL;
    bool any = false;
    for (int64_t c = 0; c < deck->n_cards; c++) {
        const ritz_deck_card *card = &deck->cards[c];
        char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD], within[64] = "";
        const char *given = ritz_deck_parameter_value(card, "POSITIONTOLERANCE");
        double tolerance;
        if (strcmp(card->keyword, "TIE") != 0)
            continue;
        if (card->n != 1 || ritz_deck_fields(&deck->lines[card->first], fields) != 2)
            return ritz_deck_fail(card->place,
                                  "*TIE takes two surfaces: the one that follows, and the one it is tied to");
        for (int f = 0; f < 2; f++)
            if (find_surface(deck, fields[f]) < 0)
                return ritz_deck_fail(card->place, "*TIE: there is no surface called '%s'", fields[f]);
        if (find_surface(deck, fields[0]) == find_surface(deck, fields[1]))
            return ritz_deck_fail(card->place, "*TIE: '%s' cannot be tied to itself; name two surfaces", fields[0]);
        if (given && (!ritz_deck_real(given, &tolerance) || tolerance <= 0))
            return ritz_deck_fail(card->place, "*TIE: '%s' is not a tolerance", given);
        if (given)
            snprintf(within, sizeof within, ", tolerance: %.15g", tolerance);
        if (!any)
            RITZ_TRY(write(context, card->place, "ties:"));
        any = true;
        RITZ_TRY(ritz_format(&text, "  - {from: \"%s\", to: \"%s\"%s}",
                             deck->groups[find_surface(deck, fields[0])].name,
                             deck->groups[find_surface(deck, fields[1])].name, within));
        RITZ_TRY(write(context, card->place, text));
        ritz_free(text);
        text = NULL;
    }
done:
    ritz_free(text);
    return status;
}
