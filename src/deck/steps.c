/* Steps of decks: which loads and supports act at the end of each. */
#include "deck/translate.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What reads the cards in their order. */
typedef struct reading {
    ritz_deck_analysis *a;
    ritz_deck_load *loads; /* that act now */
    int n_loads, capacity, step;
    double time, before; /* of the step, of all before it */
    bool has_temperature, fitted, in_step, perturbation;
    bool begun[RITZ_DECK_KINDS + 1]; /* a card of that kind, the last of temperatures, was in this step */
    ritz_deck_place step_place;
    double *initial, *temperature; /* [n_nodes] */
} reading;

typedef struct data_line {
    const ritz_deck_card *card;
    const ritz_deck_line *line;
    int n;
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    double factor; /* of the amplitude at the end of the step */
} data_line;

/* ---- Numbers ---- */

static ritz_status read_real(const data_line *d, int field, const char *what, double *value)
{
    if (field < d->n && ritz_deck_real(d->fields[field], value))
        return RITZ_OK;
    return ritz_deck_fail(d->line->place, "*%s: '%s' is not %s", d->card->words, field < d->n ? d->fields[field] : "",
                          what);
}

/* TIME=TOTAL TIME, not STEP TIME. */
static bool counts_all_steps(const ritz_deck_card *amplitude)
{
    const char *time = ritz_deck_parameter_value(amplitude, "TIME");
    return time && toupper((unsigned char)*time) == 'T';
}

/* The amplitude that a card names; NULL: none, or there is no such one. */
static const ritz_deck_card *amplitude_of(const ritz_deck *deck, const ritz_deck_card *card)
{
    const char *name = ritz_deck_parameter_value(card, "AMPLITUDE");
    for (int64_t c = 0; name && c < deck->n_cards; c++) {
        const char *own = ritz_deck_parameter_value(&deck->cards[c], "NAME");
        if (strcmp(deck->cards[c].keyword, "AMPLITUDE") == 0 && own && strcasecmp(own, name) == 0)
            return &deck->cards[c];
    }
    return NULL;
}

/* The amplitude's value at the end of the step: its last point at or before that time, lines between points. */
static ritz_status find_amplitude(const reading *r, const ritz_deck_card *card, double *factor)
{
    const ritz_deck *deck = r->a->deck;
    const ritz_deck_card *amplitude = amplitude_of(deck, card);
    const char *name = ritz_deck_parameter_value(card, "AMPLITUDE");
    double before[2] = {0}, point[2];
    bool first = true;
    *factor = 1;
    if (!amplitude)
        return name ? ritz_deck_fail(card->place, "there is no *AMPLITUDE called '%s'", name) : RITZ_OK;
    const double time = r->time + (counts_all_steps(amplitude) ? r->before : 0);
    for (int64_t l = amplitude->first; l < amplitude->first + amplitude->n; l++) {
        char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
        const int n = ritz_deck_fields(&deck->lines[l], fields);
        for (int f = 0; f + 1 < n; f += 2) {
            if (!ritz_deck_real(fields[f], &point[0]) || !ritz_deck_real(fields[f + 1], &point[1]))
                return ritz_deck_fail(deck->lines[l].place, "*AMPLITUDE takes pairs of time and value");
            if (point[0] >= time) {
                const double share = first || point[0] <= before[0] ? 1 : (time - before[0]) / (point[0] - before[0]);
                *factor = before[1] * (1 - share) + point[1] * share;
                return RITZ_OK;
            }
            memcpy(before, point, sizeof before);
            first = false;
        }
    }
    *factor = before[1];
    return RITZ_OK;
}

/* ---- Loads ---- */

/* Whether vectors point the same way; one of length 0 points anywhere. */
static bool is_parallel(const double *a, const double *b)
{
    double inner = 0, first = 0, second = 0;
    for (int i = 0; i < 3; i++) {
        inner += a[i] * b[i];
        first = hypot(first, a[i]);
        second = hypot(second, b[i]);
    }
    return inner >= (1 - 1e-12) * first * second;
}

bool ritz_deck_acts_alike(const ritz_deck_load *a, const ritz_deck_load *b)
{
    const bool turns = a->kind == RITZ_DECK_CENTRIFUGAL, falls = a->kind == RITZ_DECK_GRAVITY;
    bool alike = a->kind == b->kind && a->component == b->component && a->control == b->control &&
                 (!turns || is_parallel(a->vector, b->vector)) && (!falls || is_parallel(a->point, b->point));
    for (int i = 0; i < 3 && turns; i++)
        alike = alike && a->point[i] == b->point[i];
    return alike;
}

/* Whether its vector is its size, and not a direction beside one. */
static bool is_vector(const ritz_deck_load *load)
{
    return load->kind == RITZ_DECK_GRAVITY || load->kind == RITZ_DECK_FORCE;
}

/* Amplitudes over the total time go on in the steps after that of their load; of others the value stays, as CalculiX has
   it. */
static ritz_status follow_amplitudes(reading *r)
{
    ritz_status status = RITZ_OK;
    for (int i = 0; i < r->n_loads; i++) {
        ritz_deck_load *load = &r->loads[i];
        const ritz_deck_card *amplitude = amplitude_of(r->a->deck, load->card);
        double factor = load->factor;
        if (load->step == r->step || !amplitude || !counts_all_steps(amplitude))
            continue;
        RITZ_TRY(find_amplitude(r, load->card, &factor));
        if (load->mixed || (factor != load->factor && load->factor == 0))
            return ritz_deck_fail(load->place,
                                  "a later step changes this load by its *AMPLITUDE, from 0 or together with "
                                  "another on the same thing; give it in that step again");
        const double change = factor == load->factor ? 1 : factor / load->factor;
        load->value *= change;
        for (int d = 0; d < 3 && is_vector(load); d++)
            load->vector[d] *= change;
        load->factor = factor;
    }
done:
    return status;
}

/* Loads that one step has twice on the same thing add up in CalculiX; of supports, films and radiation the last counts. */
static bool adds_up(ritz_deck_load_kind kind)
{
    return kind != RITZ_DECK_SUPPORT && kind != RITZ_DECK_FILM && kind != RITZ_DECK_RADIATION;
}

/* A load replaces that of an earlier step on the same thing. */
static ritz_status add_load(reading *r, const data_line *d, ritz_deck_load load)
{
    ritz_status status = RITZ_OK;
    load.group = d->line->target;
    load.place = d->line->place;
    load.step = r->step;
    load.card = d->card;
    load.factor = d->factor;
    for (int i = 0; i < r->n_loads; i++) {
        ritz_deck_load *old = &r->loads[i];
        if (old->group != load.group || !ritz_deck_acts_alike(old, &load))
            continue;
        if (!adds_up(load.kind) || old->step != load.step) {
            *old = load;
            return RITZ_OK;
        }
        old->value += load.value;
        for (int k = 0; k < 3 && is_vector(&load); k++)
            old->vector[k] += load.vector[k];
        old->mixed = old->mixed || amplitude_of(r->a->deck, old->card) != amplitude_of(r->a->deck, load.card);
        old->card = amplitude_of(r->a->deck, load.card) ? load.card : old->card;
        return RITZ_OK;
    }
    if (r->n_loads == r->capacity) {
        r->capacity = 2 * r->capacity + 64;
        RITZ_RESIZE(r->loads, r->capacity);
    }
    r->loads[r->n_loads++] = load;
done:
    return status;
}

static bool is_heat(const reading *r)
{
    return r->a->procedure == RITZ_DECK_HEAT;
}

/* Where the line is on a node that stands for a motion, its degrees of freedom become displacements 1 to 3 and rotations 4
   to 6; *control is -1 elsewhere. */
static ritz_status find_motion(const reading *r, const data_line *d, int64_t *first, int64_t *last, int *control)
{
    ritz_status status = RITZ_OK;
    bool turns;
    RITZ_TRY(ritz_deck_find_control(r->a, d->line->target, d->line->place, control, &turns));
    if (*control < 0)
        return RITZ_OK;
    const bool mean = r->a->controls[*control].kind == RITZ_DECK_MEAN_ROTATION;
    *first += turns ? 3 : 0;
    *last += turns ? 3 : 0;
    for (int64_t c = *first; c <= *last; c++)
        if (mean ? c != 1 : c < 1 || c > 6 || (r->a->dim == 2 && c > 2 && c < 6))
            return ritz_deck_fail(d->line->place, "*%s: the node has no degree of freedom %lld", d->card->words,
                                  (long long)(turns ? c - 3 : c));
done:
    return status;
}

/* first to last component, value. */
static ritz_status add_support(reading *r, const data_line *d)
{
    ritz_status status = RITZ_OK;
    int64_t first = 0, last;
    double value = 0;
    bool good = d->n >= 2 && ritz_deck_integer(d->fields[1], &first);
    last = first;
    good = good && (d->n < 3 || !*d->fields[2] || ritz_deck_integer(d->fields[2], &last)) &&
           first >= (is_heat(r) ? 0 : 1) && last >= first;
    if (!good)
        return ritz_deck_fail(d->line->place, "*BOUNDARY takes a node or set, the first and the last degree of freedom "
                                              "and a value, like  BASE, 1, 3");
    if (d->n > 3)
        RITZ_TRY(read_real(d, 3, "a prescribed value", &value));
    if (is_heat(r)) {
        if ((first != RITZ_DECK_TEMPERATURE && first != 0) || last != first)
            return ritz_deck_fail(d->line->place, "*BOUNDARY: in heat transfer the degree of freedom is %d",
                                  RITZ_DECK_TEMPERATURE);
        return add_load(r, d, (ritz_deck_load){.kind = RITZ_DECK_SUPPORT, .value = d->factor * value});
    }
    int control;
    RITZ_TRY(find_motion(r, d, &first, &last, &control));
    if (control >= 0 && r->a->controls[control].kind == RITZ_DECK_DISTRIBUTED)
        return ritz_deck_fail(d->line->place,
                              "a prescribed motion of a *DISTRIBUTING coupling is not served; *KINEMATIC "
                              "couplings take one");
    for (int64_t c = first; control >= 0 && c <= last; c++)
        RITZ_TRY(add_load(r, d,
                          (ritz_deck_load){.kind = RITZ_DECK_SUPPORT,
                                           .control = control + 1,
                                           .component = (int)c - 1,
                                           .value = d->factor * value}));
    if (control >= 0)
        return RITZ_OK;
    if (last > 6)
        return ritz_deck_fail(d->line->place, "*BOUNDARY: the degree of freedom %lld is not served in *STATIC",
                              (long long)last);
    if (value != 0 && last > r->a->dim)
        return ritz_deck_fail(d->line->place, "*BOUNDARY: nodes of these elements have %d degrees of freedom",
                              r->a->dim);
    for (int64_t c = first; c <= last && c <= r->a->dim; c++) /* solids do not turn */
        RITZ_TRY(add_load(
            r, d, (ritz_deck_load){.kind = RITZ_DECK_SUPPORT, .component = (int)c - 1, .value = d->factor * value}));
done:
    return status;
}

/* CalculiX leaves out moments about axes that the coupling does not name, without a word. */
static ritz_status check_moment(const reading *r, const data_line *d, int control, int64_t component)
{
    const ritz_deck_control *c = &r->a->controls[control];
    if (c->kind != RITZ_DECK_DISTRIBUTED || component < 4 || c->turns[component - 4])
        return RITZ_OK;
    return ritz_deck_fail(d->line->place,
                          "*%s: the *DISTRIBUTING of this node does not couple its rotation %lld, so that a moment "
                          "there acts on nothing; write  1, 6  below *DISTRIBUTING",
                          d->card->words, (long long)component);
}

static ritz_status add_point_load(reading *r, const data_line *d)
{
    ritz_status status = RITZ_OK;
    int64_t component;
    double value;
    if (is_heat(r)) { /* the degree of freedom says nothing */
        RITZ_TRY(read_real(d, 2, "a flow of heat", &value));
        return add_load(r, d, (ritz_deck_load){.kind = RITZ_DECK_POINT, .value = d->factor * value});
    }
    if (d->n >= 3 && ritz_deck_integer(d->fields[1], &component)) {
        int64_t last = component;
        int control;
        RITZ_TRY(find_motion(r, d, &component, &last, &control));
        if (control >= 0) {
            RITZ_TRY(check_moment(r, d, control, component));
            RITZ_TRY(read_real(d, 2, "a force", &value));
            return add_load(r, d,
                            (ritz_deck_load){.kind = RITZ_DECK_POINT,
                                             .control = control + 1,
                                             .component = (int)component - 1,
                                             .value = d->factor * value});
        }
    }
    if (d->n < 3 || !ritz_deck_integer(d->fields[1], &component) || component < 1 || component > r->a->dim)
        return ritz_deck_fail(d->line->place, "*%s takes a node or set, a degree of freedom from 1 to %d and a value",
                              d->card->words, r->a->dim);
    RITZ_TRY(read_real(d, 2, "a force", &value));
    RITZ_TRY(add_load(
        r, d, (ritz_deck_load){.kind = RITZ_DECK_POINT, .component = (int)component - 1, .value = d->factor * value}));
done:
    return status;
}

static ritz_status refuse_label(const data_line *d)
{
    return ritz_deck_fail(d->line->place, "*%s: loads of the kind '%s' are not served", d->card->words,
                          d->n > 1 ? d->fields[1] : "");
}

/* GRAV, g, nx, ny, nz. */
static ritz_status add_gravity(reading *r, const data_line *d)
{
    ritz_status status = RITZ_OK;
    ritz_deck_load load = {.kind = RITZ_DECK_GRAVITY};
    double size, length = 0;
    RITZ_TRY(read_real(d, 2, "an acceleration", &size));
    for (int i = 0; i < 3; i++) {
        if (d->n > 3 + i && *d->fields[3 + i])
            RITZ_TRY(read_real(d, 3 + i, "a part of a direction", &load.point[i]));
        length = hypot(length, load.point[i]);
    }
    if (length == 0)
        return ritz_deck_fail(d->line->place, "*DLOAD: GRAV takes an acceleration and its direction, like  EALL, GRAV, "
                                              "9810., 0., 0., -1.");
    for (int i = 0; i < 3; i++)
        load.vector[i] = d->factor * size / length * load.point[i];
    RITZ_TRY(add_load(r, d, load));
done:
    return status;
}

/* CENTRIF, speed squared, a point of the axis, its direction. */
static ritz_status add_centrifugal(reading *r, const data_line *d)
{
    ritz_status status = RITZ_OK;
    ritz_deck_load load = {.kind = RITZ_DECK_CENTRIFUGAL};
    double length = 0;
    RITZ_TRY(read_real(d, 2, "the square of a speed", &load.value));
    for (int i = 0; i < 3; i++) {
        RITZ_TRY(read_real(d, 3 + i, "a coordinate of a point of the axis", &load.point[i]));
        RITZ_TRY(read_real(d, 6 + i, "a part of the axis' direction", &load.vector[i]));
        length = hypot(length, load.vector[i]);
    }
    if (length == 0)
        return ritz_deck_fail(d->line->place, "*DLOAD: CENTRIF needs the direction of the axis");
    for (int i = 0; i < 3; i++)
        load.vector[i] /= length;
    load.value *= d->factor;
    RITZ_TRY(add_load(r, d, load));
done:
    return status;
}

static ritz_status add_volume_load(reading *r, const data_line *d)
{
    ritz_status status = RITZ_OK;
    const char *label = d->n > 1 ? d->fields[1] : "";
    ritz_deck_load load = {.kind = RITZ_DECK_FORCE};
    double value;
    if (!is_heat(r) && strcasecmp(label, "GRAV") == 0)
        return add_gravity(r, d);
    if (!is_heat(r) && strcasecmp(label, "CENTRIF") == 0)
        return add_centrifugal(r, d);
    const bool source = is_heat(r) && strcasecmp(label, "BF") == 0;
    const bool force =
        !is_heat(r) && (strcasecmp(label, "BX") == 0 || strcasecmp(label, "BY") == 0 || strcasecmp(label, "BZ") == 0);
    if (!source && !force)
        return refuse_label(d);
    RITZ_TRY(read_real(d, 2, "a load", &value));
    if (force) {
        load.component = (label[1] | 0x20) - 'x';
        load.vector[load.component] = d->factor * value;
    } else {
        load.kind = RITZ_DECK_SOURCE;
        load.value = d->factor * value;
    }
    RITZ_TRY(add_load(r, d, load));
done:
    return status;
}

/* On faces: P1, S2, F3, and P alone on surfaces. */
static ritz_status add_face_load(reading *r, const data_line *d)
{
    ritz_status status = RITZ_OK;
    const char *label = d->n > 1 ? d->fields[1] : "", letter = (char)(*label & ~0x20);
    ritz_deck_load load = {.kind = letter == 'P'   ? RITZ_DECK_PRESSURE
                                   : letter == 'S' ? RITZ_DECK_FLUX
                                   : letter == 'F' ? RITZ_DECK_FILM
                                                   : RITZ_DECK_RADIATION};
    if (letter != (!is_heat(r)                                ? 'P'
                   : strcmp(d->card->keyword, "FILM") == 0    ? 'F'
                   : strcmp(d->card->keyword, "RADIATE") == 0 ? 'R'
                                                              : 'S'))
        return refuse_label(d);
    if (label[1 + strspn(label + 1, "0123456789")] != '\0')
        return refuse_label(d);
    if (load.kind == RITZ_DECK_PRESSURE || load.kind == RITZ_DECK_FLUX) {
        RITZ_TRY(read_real(d, 2, "a load", &load.value));
        load.value *= d->factor;
    } else {
        RITZ_TRY(read_real(d, 2, "a sink temperature", &load.vector[0]));
        RITZ_TRY(read_real(d, 3, load.kind == RITZ_DECK_FILM ? "a film coefficient" : "an emissivity", &load.value));
    }
    if (load.kind == RITZ_DECK_RADIATION)
        RITZ_TRY(ritz_deck_read_constants(r->a->deck, d->card, &load.vector[1], &load.vector[2]));
    RITZ_TRY(add_load(r, d, load));
done:
    return status;
}

static ritz_status add_line(reading *r, const data_line *d)
{
    const char *keyword = d->card->keyword;
    if (d->line->target < 0)
        return ritz_deck_fail(d->line->place, "*%s names nothing that it acts on", d->card->words);
    if (strcmp(keyword, "BOUNDARY") == 0)
        return add_support(r, d);
    if (strcmp(keyword, "CLOAD") == 0 || strcmp(keyword, "CFLUX") == 0)
        return add_point_load(r, d);
    return r->a->deck->groups[d->line->target].kind == RITZ_GROUP_FACETS ? add_face_load(r, d) : add_volume_load(r, d);
}

static ritz_deck_load_kind kinds_of(const char *keyword, ritz_deck_load_kind *last)
{
    if (strcmp(keyword, "BOUNDARY") == 0)
        return *last = RITZ_DECK_SUPPORT;
    if (strcmp(keyword, "CLOAD") == 0 || strcmp(keyword, "CFLUX") == 0)
        return *last = RITZ_DECK_POINT;
    if (strcmp(keyword, "FILM") == 0)
        return *last = RITZ_DECK_FILM;
    if (strcmp(keyword, "RADIATE") == 0)
        return *last = RITZ_DECK_RADIATION;
    *last = RITZ_DECK_SOURCE;
    return RITZ_DECK_PRESSURE;
}

static bool is_new(const ritz_deck_card *card)
{
    const char *op = ritz_deck_parameter_value(card, "OP");
    return op && strcasecmp(op, "NEW") == 0;
}

/* OP=NEW takes away what was there of the card's kind; on the first card of that kind in a step alone, as CalculiX has it. */
static void forget_loads(reading *r, const ritz_deck_card *card)
{
    ritz_deck_load_kind last;
    const ritz_deck_load_kind first = kinds_of(card->keyword, &last);
    const bool begun = r->begun[first];
    int n = 0;
    r->begun[first] = true;
    if (begun || !is_new(card))
        return;
    for (int i = 0; i < r->n_loads; i++) {
        const bool film = r->loads[i].kind == RITZ_DECK_FILM || r->loads[i].kind == RITZ_DECK_RADIATION;
        if (r->loads[i].kind < first || r->loads[i].kind > last || (film && r->loads[i].kind != first))
            r->loads[n++] = r->loads[i];
    }
    r->n_loads = n;
}

static ritz_status read_loads(reading *r, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    data_line d = {.card = card};
    if (r->step == 0 && strcmp(card->keyword, "BOUNDARY") != 0)
        return ritz_deck_fail(card->place, "*%s stands before the first *STEP", card->words);
    RITZ_TRY(find_amplitude(r, card, &d.factor));
    forget_loads(r, card);
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        d.line = &r->a->deck->lines[l];
        if (d.line->joined)
            continue;
        d.n = ritz_deck_fields(d.line, d.fields);
        RITZ_TRY(add_line(r, &d));
    }
done:
    return status;
}

/* ---- Steps ---- */

/* The procedure of a step; its line has the first increment and the length of the step. */
static ritz_status read_procedure(reading *r, const ritz_deck_card *card)
{
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    const bool heat = strcmp(card->keyword, "HEATTRANSFER") == 0;
    ritz_deck_analysis *a = r->a;
    if (r->step == 0)
        return ritz_deck_fail(card->place, "*%s stands outside of a *STEP", card->words);
    if (heat && !ritz_deck_parameter_value(card, "STEADYSTATE"))
        return ritz_deck_fail(card->place, "*HEAT TRANSFER without STEADY STATE (transient) is not served");
    const ritz_deck_procedure procedure = heat ? RITZ_DECK_HEAT : RITZ_DECK_STATIC;
    if (a->procedure != RITZ_DECK_NOTHING && a->procedure != procedure)
        return ritz_deck_fail(card->place, "*STATIC and *HEAT TRANSFER in one deck are not served");
    a->procedure = procedure;
    r->time = 1;
    if (card->n > 0 && ritz_deck_fields(&a->deck->lines[card->first], fields) > 1 && *fields[1] &&
        (!ritz_deck_real(fields[1], &r->time) || r->time <= 0))
        return ritz_deck_fail(a->deck->lines[card->first].place, "'%s' is not the length of a step", fields[1]);
    return RITZ_OK;
}

static ritz_status end_step(reading *r, ritz_deck_place place)
{
    ritz_status status = RITZ_OK;
    ritz_deck_analysis *a = r->a;
    RITZ_TRY(ritz_deck_check_turning(a->deck, r->loads, r->n_loads));
    RITZ_TRY(follow_amplitudes(r));
    r->before += r->time;
    RITZ_RESIZE(a->steps, a->n_steps + 1);
    ritz_deck_step *step = &a->steps[a->n_steps];
    *step = (ritz_deck_step){.place = place, .time = r->time};
    a->n_steps++;
    RITZ_NEW(step->loads, r->n_loads);
    if (r->n_loads)
        memcpy(step->loads, r->loads, (size_t)r->n_loads * sizeof *r->loads);
    step->n_loads = r->n_loads;
    step->has_temperature = r->has_temperature;
    if (r->has_temperature)
        RITZ_TRY(ritz_deck_fit_temperatures(a->deck, r->temperature, &step->temperature));
done:
    return status;
}

/* The procedure stands anywhere in its step, and loads need to know it. */
static ritz_status find_procedure(reading *r, int64_t c)
{
    const ritz_deck *deck = r->a->deck;
    for (c++; c < deck->n_cards && strcmp(deck->cards[c].keyword, "ENDSTEP") != 0; c++)
        if (strcmp(deck->cards[c].keyword, "STATIC") == 0 || strcmp(deck->cards[c].keyword, "HEATTRANSFER") == 0)
            return read_procedure(r, &deck->cards[c]);
    return RITZ_OK;
}

static ritz_status read_temperatures(reading *r, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    double factor;
    if (r->step == 0)
        return ritz_deck_fail(card->place, "*TEMPERATURE stands before the first *STEP");
    RITZ_TRY(find_amplitude(r, card, &factor));
    if (is_new(card) && !r->begun[RITZ_DECK_KINDS])
        memcpy(r->temperature, r->initial, (size_t)r->a->deck->n_nodes * sizeof *r->temperature);
    RITZ_TRY(ritz_deck_set_temperatures(r->a->deck, card, factor, r->temperature));
    r->has_temperature = r->begun[RITZ_DECK_KINDS] = true;
done:
    return status;
}

static ritz_status read_card(reading *r, int64_t c)
{
    static const char *const loads[] = {"BOUNDARY", "CLOAD", "DLOAD", "DSLOAD", "CFLUX", "DFLUX", "FILM", "RADIATE"};
    ritz_status status = RITZ_OK;
    const ritz_deck_card *card = &r->a->deck->cards[c];
    if (strcmp(card->keyword, "STEP") == 0) {
        if (r->in_step)
            return ritz_deck_fail(card->place, "*STEP: the step before has no *END STEP");
        if (r->a->n_steps > 0 && (r->perturbation || ritz_deck_parameter_value(card, "PERTURBATION")))
            return ritz_deck_fail(card->place, "*STEP: a step before or after one with PERTURBATION, neither of which "
                                               "has the other's loads, is not served; give it a deck of its own");
        r->perturbation = ritz_deck_parameter_value(card, "PERTURBATION");
        r->step_place = card->place;
        r->in_step = true;
        r->step = r->a->n_steps + 1;
        memset(r->begun, 0, sizeof r->begun);
        RITZ_TRY(find_procedure(r, c));
    }
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        if (strcmp(card->keyword, loads[i]) == 0)
            RITZ_TRY(read_loads(r, card));
    if (strcmp(card->keyword, "TEMPERATURE") == 0)
        RITZ_TRY(read_temperatures(r, card));
    if (strcmp(card->keyword, "ENDSTEP") == 0) {
        r->in_step = false;
        RITZ_TRY(end_step(r, card->place));
    }
done:
    return status;
}

ritz_status ritz_deck_read_steps(ritz_deck_analysis *a)
{
    ritz_status status = RITZ_OK;
    reading r = {.a = a, .time = 1};
    for (int64_t c = 0; c < a->deck->n_cards && a->procedure == RITZ_DECK_NOTHING; c++) {
        if (strcmp(a->deck->cards[c].keyword, "HEATTRANSFER") == 0)
            a->procedure = RITZ_DECK_HEAT; /* supports before the first step */
        if (strcmp(a->deck->cards[c].keyword, "STATIC") == 0)
            a->procedure = RITZ_DECK_STATIC;
    }
    RITZ_NEW(r.initial, a->deck->n_nodes);
    RITZ_NEW(r.temperature, a->deck->n_nodes);
    RITZ_TRY(ritz_deck_read_initial_temperatures(a->deck, r.initial));
    memcpy(r.temperature, r.initial, (size_t)a->deck->n_nodes * sizeof *r.temperature);
    for (int64_t c = 0; c < a->deck->n_cards; c++)
        RITZ_TRY(read_card(&r, c));
    if (r.in_step) {
        status = ritz_deck_fail(r.step_place, "this *STEP has no *END STEP");
        goto done;
    }
    for (int s = 0; s < a->n_steps && !r.fitted; s++) {
        r.fitted = a->steps[s].has_temperature;
        if (r.fitted)
            RITZ_TRY(ritz_deck_fit_temperatures(a->deck, r.initial, &a->reference));
    }
    RITZ_REQUIRE(a->n_steps > 0 && a->procedure != RITZ_DECK_NOTHING, RITZ_ERROR_INPUT,
                 "%s: has no whole step; a deck ends like  *STEP  *STATIC  ...  *END STEP", a->deck->path);
done:
    ritz_free(r.initial);
    ritz_free(r.temperature);
    ritz_free(r.loads);
    return status;
}
