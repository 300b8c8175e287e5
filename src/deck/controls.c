/* Nodes of decks that stand for a motion instead of being part of an element: reference and rotation nodes of *RIGID BODY and
   *COUPLING, and the pilots of mean rotations (*MPC). */
#include "deck/writing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static ritz_status find_control_node(const ritz_deck_analysis *a, const ritz_deck_card *card, const char *parameter,
                                     int64_t *node)
{
    const char *value = ritz_deck_parameter_value(card, parameter);
    int64_t number;
    *node = -1;
    if (!value)
        return RITZ_OK;
    if (ritz_deck_integer(value, &number))
        *node = ritz_deck_find_number(a->deck, false, number);
    return *node >= 0 ? RITZ_OK : ritz_deck_fail(card->place, "*%s: there is no node %s", card->words, value);
}

const ritz_deck_control *ritz_deck_find_motion(const ritz_deck_analysis *a, int64_t node)
{
    for (int k = 0; k < a->n_controls; k++)
        if (a->controls[k].node[0] == node || a->controls[k].node[1] == node)
            return &a->controls[k];
    return NULL;
}

/* A load on a node finds one motion alone, so no two have a node in common. */
static ritz_status add_control(ritz_deck_analysis *a, ritz_deck_control control)
{
    ritz_status status = RITZ_OK;
    for (int k = 0; k < 2; k++) {
        const int64_t node = control.node[k];
        const char *words = control.card->words;
        const ritz_deck_control *other = node >= 0 ? ritz_deck_find_motion(a, node) : NULL;
        if (node >= 0 && a->deck->used[node])
            return ritz_deck_fail(control.card->place,
                                  "*%s: node %lld is a node of elements; give the motion a node of its own", words,
                                  (long long)a->deck->node_numbers[node]);
        if (other)
            return ritz_deck_fail(control.card->place,
                                  "*%s: node %lld stands for the motion of line %d already; put all that follows it "
                                  "into one set or surface",
                                  words, (long long)a->deck->node_numbers[node], other->card->place.line);
    }
    if (control.node[0] == control.node[1])
        return ritz_deck_fail(control.card->place, "*%s: REF NODE and ROT NODE are one node; give them two",
                              control.card->words);
    RITZ_RESIZE(a->controls, a->n_controls + 1);
    a->controls[a->n_controls++] = control;
done:
    return status;
}

static ritz_status read_rigid_body(ritz_deck_analysis *a, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    const char *nset = ritz_deck_parameter_value(card, "NSET"), *elset = ritz_deck_parameter_value(card, "ELSET");
    ritz_deck_control control = {.kind = RITZ_DECK_RIGID, .card = card, .group = -1};
    if (nset || elset)
        control.group = ritz_deck_find_set(a->deck, nset ? nset : elset, nset ? RITZ_GROUP_NODES : RITZ_GROUP_CELLS);
    if (control.group < 0)
        return ritz_deck_fail(card->place, "*RIGID BODY: there is no set called '%s'",
                              nset    ? nset
                              : elset ? elset
                                      : "");
    RITZ_TRY(find_control_node(a, card, "REFNODE", &control.node[0]));
    RITZ_TRY(find_control_node(a, card, "ROTNODE", &control.node[1]));
    if (control.node[0] < 0)
        return ritz_deck_fail(card->place, "*RIGID BODY has no REF NODE");
    RITZ_TRY(add_control(a, control));
done:
    return status;
}

/* Whether a *KINEMATIC or *DISTRIBUTING has all displacements: without lines it has. turns: the rotations that it names. */
static bool takes_all(const ritz_deck_analysis *a, const ritz_deck_card *card, bool turns[3])
{
    bool taken[3] = {card->n == 0, card->n == 0, card->n == 0};
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
        const int n = ritz_deck_fields(&a->deck->lines[l], fields);
        int64_t from = 0, to = 0;
        if (n > 0)
            ritz_deck_integer(fields[0], &from);
        to = from;
        if (n > 1)
            ritz_deck_integer(fields[1], &to);
        for (int c = 0; c < 3; c++) {
            taken[c] = taken[c] || (from <= c + 1 && c + 1 <= to);
            turns[c] = turns[c] || (from <= c + 4 && c + 4 <= to);
        }
    }
    return taken[0] && taken[1] && (taken[2] || a->dim == 2);
}

/* *COUPLING says of what, the next card how. */
static ritz_status read_coupling(ritz_deck_analysis *a, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    const char *surface = ritz_deck_parameter_value(card, "SURFACE");
    const ritz_deck_card *next = card + 1 < a->deck->cards + a->deck->n_cards ? card + 1 : NULL;
    ritz_deck_control control = {.card = card, .node = {-1, -1}};
    control.group = surface ? ritz_deck_find_set(a->deck, surface, RITZ_GROUP_FACETS) : -1;
    if (control.group < 0)
        return ritz_deck_fail(card->place, "*COUPLING: there is no surface of element faces called '%s'",
                              surface ? surface : "");
    RITZ_TRY(find_control_node(a, card, "REFNODE", &control.node[0]));
    if (control.node[0] < 0)
        return ritz_deck_fail(card->place, "*COUPLING has no REF NODE");
    if (!next || (strcmp(next->keyword, "KINEMATIC") != 0 && strcmp(next->keyword, "DISTRIBUTING") != 0))
        return ritz_deck_fail(card->place, "*COUPLING is followed by *KINEMATIC or *DISTRIBUTING");
    control.kind = strcmp(next->keyword, "KINEMATIC") == 0 ? RITZ_DECK_RIGID : RITZ_DECK_DISTRIBUTED;
    if (!takes_all(a, next, control.turns))
        return ritz_deck_fail(next->place, "*%s of some of the displacements is not served; write 1, 3", next->words);
    RITZ_TRY(add_control(a, control));
done:
    return status;
}

static ritz_status read_pilots(ritz_deck_analysis *a, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    for (int64_t l = card->first; l < card->first + card->n;) {
        ritz_deck_control control = {
            .kind = RITZ_DECK_MEAN_ROTATION, .card = card, .group = -1, .node = {-1, -1}, .line = l};
        ritz_deck_mpc mpc = {0};
        status = ritz_deck_read_mpc(a, card, &l, &mpc);
        if (status == RITZ_OK && mpc.kind == RITZ_DECK_MEANROT) {
            control.node[0] = mpc.nodes[mpc.n - 1];
            status = add_control(a, control);
        }
        ritz_free(mpc.nodes);
        RITZ_TRY(status);
    }
done:
    return status;
}

ritz_status ritz_deck_read_controls(ritz_deck_analysis *a)
{
    ritz_status status = RITZ_OK;
    for (int64_t c = 0; c < a->deck->n_cards; c++) {
        const ritz_deck_card *card = &a->deck->cards[c];
        if (strcmp(card->keyword, "RIGIDBODY") == 0)
            RITZ_TRY(read_rigid_body(a, card));
        if (strcmp(card->keyword, "COUPLING") == 0)
            RITZ_TRY(read_coupling(a, card));
        if ((strcmp(card->keyword, "KINEMATIC") == 0 || strcmp(card->keyword, "DISTRIBUTING") == 0) &&
            (c == 0 || strcmp(card[-1].keyword, "COUPLING") != 0))
            return ritz_deck_fail(card->place, "*%s says how a *COUPLING couples and stands right after one",
                                  card->words);
        if (strcmp(card->keyword, "MPC") == 0)
            RITZ_TRY(read_pilots(a, card));
    }
done:
    return status;
}

ritz_status ritz_deck_find_control(const ritz_deck_analysis *a, int32_t group, ritz_deck_place place, int *control,
                                   bool *turns)
{
    const ritz_deck_group *g = &a->deck->groups[group];
    *control = -1;
    *turns = false;
    for (int k = 0; k < a->n_controls; k++)
        for (int part = 0; part < 2; part++)
            for (int64_t i = 0; a->controls[k].node[part] >= 0 && i < g->n; i++) {
                if (g->members[i] != a->controls[k].node[part])
                    continue;
                if (g->n > 1)
                    return ritz_deck_fail(place, "give node %lld, which stands for a motion, a line of its own",
                                          (long long)a->deck->node_numbers[g->members[i]]);
                *control = k;
                *turns = part == 1;
            }
    return RITZ_OK;
}

/* The node that stands for a control's displacements, or its rotations. */
static int64_t node_of(const ritz_deck_control *control, bool turns)
{
    return control->node[turns && control->node[1] >= 0];
}

/* The motions that the first step prescribes, in the systems of their nodes. */
static void list_motions(const ritz_deck_analysis *a, int control, bool given[6], double value[6])
{
    const ritz_deck_step *step = &a->steps[0];
    for (int c = 0; c < 6; c++)
        given[c] = false;
    for (int i = 0; i < step->n_loads; i++)
        if (step->loads[i].kind == RITZ_DECK_SUPPORT && step->loads[i].control == control + 1) {
            given[step->loads[i].component] = true;
            value[step->loads[i].component] = step->loads[i].value;
        }
}

bool ritz_deck_prescribes_rotation(const ritz_deck_analysis *a, int64_t line, double *value)
{
    bool given[6];
    double values[6];
    for (int k = 0; k < a->n_controls; k++) {
        if (a->controls[k].kind != RITZ_DECK_MEAN_ROTATION || a->controls[k].line != line)
            continue;
        list_motions(a, k, given, values);
        *value = values[0];
        return given[0];
    }
    return false;
}

/* Displacements, or rotations, along x, y, z: of a node in a system of its own all of them or none. */
static ritz_status turn_motion(const ritz_deck_analysis *a, const ritz_deck_control *control, bool turns,
                               const bool *given, double *value)
{
    const int64_t node = node_of(control, turns);
    const ritz_deck_transform *system = ritz_deck_transform_of(a, node);
    double turned[3] = {0}, axis[3];
    if (!system || (!given[0] && !given[1] && !given[2]))
        return RITZ_OK;
    if (!given[0] || !given[1] || !given[2])
        return ritz_deck_fail(system->card->place,
                              "*TRANSFORM: node %lld, which stands for a motion, is held in some of the directions of "
                              "this system and free in others: that is not served; take it out of the set",
                              (long long)a->deck->node_numbers[node]);
    for (int c = 0; c < 3; c++) {
        ritz_deck_transform_axis(system, a->deck->nodes + 3 * node, c, axis);
        for (int d = 0; d < 3; d++)
            turned[d] += value[c] * axis[d];
    }
    memcpy(value, turned, sizeof turned);
    return RITZ_OK;
}

static void write_motion(const char *key, const bool *given, const double *value, ritz_text *text)
{
    int n = 0;
    for (int c = 0; c < 3; c++)
        if (given[c])
            ritz_text_add(text, "%s%c: %.15g", n++ ? ", " : key, 'x' + c, value[c]);
    ritz_text_add(text, n ? "}" : "");
}

ritz_status ritz_deck_write_rigid(ritz_deck_writing *w)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_analysis *a = w->a;
    bool any = false;
    for (int k = 0; k < a->n_controls; k++) {
        const ritz_deck_control *control = &a->controls[k];
        bool given[6];
        double value[6];
        char at[96], *line = NULL;
        ritz_text text = {0};
        RITZ_TRY(ritz_deck_require_displacements(a, control->card->place, control->card->words));
        if (control->kind != RITZ_DECK_RIGID)
            continue;
        if (!any)
            RITZ_TRY(ritz_deck_add_line(w, control->card->place, "rigid:"));
        any = true;
        list_motions(a, k, given, value);
        for (int turns = 0; turns < 2; turns++)
            RITZ_TRY(turn_motion(a, control, turns, given + 3 * turns, value + 3 * turns));
        write_motion(", displacement: {", given, value, &text);
        if (a->dim == 3)
            write_motion(", rotation: {", given + 3, value + 3, &text);
        else if (given[5])
            ritz_text_add(&text, ", rotation: %.15g", value[5]);
        status = ritz_text_take(&text, &line);
        if (status == RITZ_OK)
            status = ritz_deck_add_line(w, control->card->place, "  - {group: \"%s\", at: %s%s}",
                                        ritz_deck_group_name(w, control->group),
                                        ritz_deck_write_vector(w, a->deck->nodes + 3 * control->node[0], at), line);
        ritz_free(line);
        RITZ_TRY(status);
    }
done:
    return status;
}

/* A force or moment on the node of a motion, on what moves so. */
ritz_status ritz_deck_write_control_load(ritz_deck_writing *w, const ritz_deck_load *load, const char *indent)
{
    const ritz_deck_control *control = &w->a->controls[load->control - 1];
    const bool turns = load->component > 2;
    const int64_t node = node_of(control, turns);
    const ritz_deck_transform *system = ritz_deck_transform_of(w->a, node);
    double vector[3] = {0};
    char text[96], at[96];
    if (control->kind == RITZ_DECK_MEAN_ROTATION)
        return ritz_deck_write_mean_moment(w, control, load, indent);
    vector[load->component % 3] = 1;
    if (system)
        ritz_deck_transform_axis(system, w->a->deck->nodes + 3 * node, load->component % 3, vector);
    for (int d = 0; d < 3; d++)
        vector[d] *= load->value;
    if (turns && w->a->dim == 2)
        return ritz_deck_add_line(w, load->place, "%s- {group: \"%s\", moment: %.15g}", indent,
                                  ritz_deck_group_name(w, control->group), load->value);
    ritz_deck_write_vector(w, vector, text);
    if (turns)
        return ritz_deck_add_line(w, load->place, "%s- {group: \"%s\", moment: %s}", indent,
                                  ritz_deck_group_name(w, control->group), text);
    return ritz_deck_add_line(w, load->place, "%s- {group: \"%s\", force: %s, at: %s}", indent,
                              ritz_deck_group_name(w, control->group), text,
                              ritz_deck_write_vector(w, w->a->deck->nodes + 3 * control->node[0], at));
}
