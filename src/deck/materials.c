/* Materials and sections of decks. */
#include "deck/writing.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* n numbers from a line on, whatever the lines that they take. */
static bool read_row(const ritz_deck *deck, int64_t line, int n, double *values)
{
    enum { A_LINE = 8 };
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    for (int done = 0; done < n; line++) {
        const int here = n - done < A_LINE ? n - done : A_LINE;
        if (ritz_deck_fields(&deck->lines[line], fields) < here)
            return false;
        for (int i = 0; i < here; i++)
            if (!ritz_deck_real(fields[i], &values[done + i]))
                return false;
        done += here;
    }
    return true;
}

ritz_status ritz_deck_read_numbers(const ritz_deck *deck, const ritz_deck_card *card, const char *example, int n,
                                   double *values)
{
    enum { A_LINE = 8, MOST = 21 };
    const int lines = n / A_LINE + 1; /* with the temperature */
    double other[MOST];
    /* without a temperature the last line may be missing */
    if (card->n * A_LINE < n || !read_row(deck, card->first, n, values))
        return ritz_deck_fail(card->place, "*%s takes numbers, like  %s", card->words, example);
    for (int64_t l = card->first + lines; l < card->first + card->n; l += lines) {
        bool same = l + lines <= card->first + card->n && read_row(deck, l, n, other);
        for (int i = 0; same && i < n; i++)
            same = other[i] == values[i];
        if (!same)
            return ritz_deck_fail(deck->lines[l].place, "*%s with values that depend on the temperature is not served",
                                  card->words);
    }
    return RITZ_OK;
}

/* One number, or with TYPE=ORTHO three; the curve's card is NULL where a single number does not depend on the temperature. */
static ritz_status read_directed(const ritz_deck *deck, const ritz_deck_card *card, const char *one, const char *three,
                                 ritz_deck_curve *curve, int *n, double *values)
{
    ritz_status status = RITZ_OK;
    const char *type = ritz_deck_parameter_value(card, "TYPE");
    curve->card = NULL;
    *n = type && strncasecmp(type, "ORTHO", 5) == 0 ? 3 : 1;
    if (*n == 1)
        RITZ_TRY(ritz_deck_read_curve(deck, card, 1, curve));
    if (!curve->card)
        RITZ_TRY(ritz_deck_read_numbers(deck, card, *n == 3 ? three : one, *n, values));
done:
    return status;
}

static ritz_status read_expansion(const ritz_deck *deck, const ritz_deck_card *card, ritz_deck_material *m)
{
    const char *zero = ritz_deck_parameter_value(card, "ZERO");
    if (zero && !ritz_deck_real(zero, &m->expansion_zero))
        return ritz_deck_fail(card->place, "'%s' is not a temperature", zero);
    return read_directed(deck, card, "12.E-6", "12.E-6, 12.E-6, 20.E-6", &m->expansion_of, &m->n_expansion,
                         m->expansion);
}

static ritz_status read_property(ritz_deck_analysis *a, const ritz_deck_card *card)
{
    const bool statics = a->procedure != RITZ_DECK_HEAT;
    const bool elastic = statics && strcmp(card->keyword, "ELASTIC") == 0,
               expansion = statics && strcmp(card->keyword, "EXPANSION") == 0,
               density = strcmp(card->keyword, "DENSITY") == 0,
               conductivity = strcmp(card->keyword, "CONDUCTIVITY") == 0;
    if (!elastic && !density && !conductivity && !expansion)
        return RITZ_OK;
    if (a->n_materials == 0)
        return ritz_deck_fail(card->place, "*%s stands before any *MATERIAL", card->words);
    ritz_deck_material *m = &a->materials[a->n_materials - 1];
    if (elastic)
        return ritz_deck_read_elastic(a->deck, card, m);
    m->has_expansion = m->has_expansion || expansion;
    if (expansion)
        return read_expansion(a->deck, card, m);
    m->has_conductivity = m->has_conductivity || conductivity;
    if (conductivity)
        return read_directed(a->deck, card, "50.", "50., 50., 10.", &m->conductivity_of, &m->n_conductivity,
                             m->conductivity);
    m->has_density = true;
    return ritz_deck_read_numbers(a->deck, card, "7.8E-9", 1, &m->density);
}

static ritz_status read_material(ritz_deck_analysis *a, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    const char *name = ritz_deck_parameter_value(card, "NAME");
    if (!name || !*name)
        return ritz_deck_fail(card->place, "*MATERIAL has no name; write  *MATERIAL, NAME=STEEL");
    for (int m = 0; m < a->n_materials; m++)
        if (strcasecmp(a->materials[m].name, name) == 0)
            return ritz_deck_fail(card->place,
                                  "two materials are called '%s', this one and that of line %d; rename one", name,
                                  a->materials[m].card->place.line);
    RITZ_RESIZE(a->materials, a->n_materials + 1);
    a->materials[a->n_materials++] = (ritz_deck_material){.card = card, .name = name};
done:
    return status;
}

static ritz_status read_section(ritz_deck_analysis *a, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    const char *elset = ritz_deck_parameter_value(card, "ELSET"), *name = ritz_deck_parameter_value(card, "MATERIAL");
    ritz_deck_section section = {.card = card, .group = -1, .material = -1, .orientation = -1};
    const char *orientation = ritz_deck_parameter_value(card, "ORIENTATION");
    char meant[RITZ_DECK_WORD];
    if (elset)
        section.group = ritz_deck_find_set(a->deck, elset, RITZ_GROUP_CELLS);
    if (section.group < 0)
        return ritz_deck_fail(card->place, "*SOLID SECTION: there is no set of elements called '%s'%s",
                              elset ? elset : "",
                              ritz_deck_meant(a->deck, elset ? elset : "", RITZ_GROUP_CELLS, meant));
    for (int m = 0; m < a->n_materials; m++)
        if (name && strcasecmp(a->materials[m].name, name) == 0)
            section.material = m;
    if (section.material < 0)
        return ritz_deck_fail(card->place, "*SOLID SECTION: there is no *MATERIAL called '%s'", name ? name : "");
    if (orientation && (a->procedure != RITZ_DECK_HEAT || a->materials[section.material].n_conductivity == 3)) {
        section.orientation = ritz_deck_find_orientation(a, orientation);
        if (section.orientation < 0)
            return ritz_deck_fail(card->place, "*SOLID SECTION: there is no *ORIENTATION called '%s'", orientation);
    }
    if (card->n > 0 && a->dim == 2 && ritz_deck_fields(&a->deck->lines[card->first], fields) > 0 &&
        (!ritz_deck_real(fields[0], &section.thickness) || section.thickness <= 0))
        return ritz_deck_fail(a->deck->lines[card->first].place, "'%s' is not a thickness", fields[0]);
    RITZ_RESIZE(a->sections, a->n_sections + 1);
    a->sections[a->n_sections++] = section;
done:
    return status;
}

/* Strain that is there without any stress is, held back, the stress less what it would take. */
static ritz_status make_stress(const ritz_deck_analysis *a, const ritz_deck_card *card, ritz_deck_section *section)
{
    const ritz_deck_material *m = &a->materials[section->material];
    const double trace = section->stress[0] + section->stress[1] + section->stress[2];
    section->has_stress = true;
    if (a->dim == 2)
        return ritz_deck_fail(card->place, "*INITIAL CONDITIONS of plane elements are not served but for TEMPERATURE");
    if (strncasecmp(ritz_deck_parameter_value(card, "TYPE"), "PLASTIC", 7) == 0 &&
        (m->n_constants || m->elastic_of.card))
        return ritz_deck_fail(card->place,
                              "*INITIAL CONDITIONS, TYPE=PLASTIC STRAIN with the material '%s', whose "
                              "stiffness depends on the %s, is not served",
                              m->name, m->n_constants ? "direction" : "temperature");
    for (int i = 0; strncasecmp(ritz_deck_parameter_value(card, "TYPE"), "PLASTIC", 7) == 0 && i < 6; i++)
        section->stress[i] = -m->young / (1 + m->poisson) *
                             (section->stress[i] + (i < 3 ? m->poisson / (1 - 2 * m->poisson) * trace : 0));
    return RITZ_OK;
}

/* A section whose elements begin with different stresses is several; `of` is its number among those of the deck. */
static ritz_status split_section(ritz_deck_analysis *a, int of)
{
    ritz_status status = RITZ_OK;
    const ritz_deck *deck = a->deck;
    const ritz_deck_section whole = a->sections[of];
    char name[48];
    int n = 0;
    for (int64_t c = 0; c < deck->n_cards; c++) {
        const ritz_deck_card *card = &deck->cards[c];
        for (int64_t l = card->first; ritz_deck_is_state(card) && l < card->first + card->n; l++) {
            ritz_deck_section part = whole;
            int64_t number, n_part, n_shared;
            part.group = deck->lines[l].target;
            if (deck->lines[l].joined || part.group < 0)
                continue;
            RITZ_TRY(ritz_deck_count_shared(deck, part.group, whole.group, &n_part, &n_shared));
            if (n_shared == 0)
                continue;
            RITZ_TRY(ritz_deck_read_state(&deck->lines[l], &number, part.stress));
            RITZ_TRY(make_stress(a, card, &part));
            RITZ_RESIZE(a->sections, a->n_sections + 1);
            a->sections[n++ ? a->n_sections++ : of] = part;
        }
    }
    snprintf(name, sizeof name, " SECTION%d_REST", of + 1);
    if (n == 0 || ritz_deck_find_set(deck, name, RITZ_GROUP_CELLS) < 0)
        return RITZ_OK;
    RITZ_RESIZE(a->sections, a->n_sections + 1);
    a->sections[a->n_sections] = whole;
    a->sections[a->n_sections++].group = ritz_deck_find_set(deck, name, RITZ_GROUP_CELLS);
done:
    return status;
}

/* A section whose elements are of several formulations is several, but where they begin with stresses. */
static ritz_status split_formulations(ritz_deck_analysis *a, int of)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_section whole = a->sections[of];
    int n = 0;
    for (int64_t c = 0; c < a->deck->n_cards; c++)
        if (ritz_deck_is_state(&a->deck->cards[c]))
            return RITZ_OK;
    for (int f = 0; f < RITZ_DECK_N_FORMULATIONS; f++) {
        ritz_deck_section part = whole;
        part.group = ritz_deck_find_part(a->deck, of, (ritz_deck_formulation)f);
        if (part.group < 0)
            continue;
        RITZ_RESIZE(a->sections, a->n_sections + 1);
        a->sections[n++ ? a->n_sections++ : of] = part;
    }
done:
    return status;
}

static ritz_status check_properties(const ritz_deck_analysis *a)
{
    for (int s = 0; s < a->n_sections; s++) {
        const ritz_deck_material *m = &a->materials[a->sections[s].material];
        const bool heat = a->procedure == RITZ_DECK_HEAT;
        if (heat ? !m->has_conductivity : !m->has_elastic)
            return ritz_deck_fail(m->card->place, "the material '%s' has no *%s", m->name,
                                  heat ? "CONDUCTIVITY" : "ELASTIC");
    }
    return RITZ_OK;
}

ritz_status ritz_deck_read_materials(ritz_deck_analysis *a)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_deck_read_orientations(a));
    for (int64_t c = 0; c < a->deck->n_cards; c++) {
        const ritz_deck_card *card = &a->deck->cards[c];
        RITZ_TRY(strcmp(card->keyword, "MATERIAL") == 0 ? read_material(a, card) : read_property(a, card));
    }
    for (int64_t c = 0; c < a->deck->n_cards; c++)
        if (strcmp(a->deck->cards[c].keyword, "SOLIDSECTION") == 0)
            RITZ_TRY(read_section(a, &a->deck->cards[c]));
    RITZ_REQUIRE(a->n_sections > 0, RITZ_ERROR_INPUT,
                 "%s: no *SOLID SECTION gives the elements a material; write  *SOLID SECTION, ELSET=EALL, "
                 "MATERIAL=STEEL",
                 a->deck->path);
    RITZ_TRY(check_properties(a));
    for (int s = 0, n = a->n_sections; s < n; s++) {
        RITZ_TRY(split_section(a, s));
        RITZ_TRY(split_formulations(a, s));
    }
done:
    return status;
}
