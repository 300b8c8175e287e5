/* Materials and sections of decks. */
#include "deck/translate.h"

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

static ritz_status read_expansion(const ritz_deck *deck, const ritz_deck_card *card, ritz_deck_material *m)
{
    const char *type = ritz_deck_parameter_value(card, "TYPE");
    m->has_expansion = true;
    m->n_expansion = type && strncasecmp(type, "ORTHO", 5) == 0 ? 3 : 1;
    return ritz_deck_read_numbers(deck, card, m->n_expansion == 3 ? "12.E-6, 12.E-6, 20.E-6" : "12.E-6", m->n_expansion,
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
    if (expansion)
        return read_expansion(a->deck, card, m);
    m->has_density = m->has_density || density;
    m->has_conductivity = m->has_conductivity || conductivity;
    return ritz_deck_read_numbers(a->deck, card, density ? "7.8E-9" : "50.", 1,
                                  density ? &m->density : &m->conductivity);
}

static ritz_status read_material(ritz_deck_analysis *a, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    const char *name = ritz_deck_parameter_value(card, "NAME");
    if (!name || !*name)
        return ritz_deck_fail(card->place, "*MATERIAL has no name; write  *MATERIAL, NAME=STEEL");
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
    if (elset)
        section.group = ritz_deck_find_set(a->deck, elset, RITZ_GROUP_CELLS);
    if (section.group < 0)
        return ritz_deck_fail(card->place, "*SOLID SECTION: there is no set of elements called '%s'",
                              elset ? elset : "");
    for (int m = 0; m < a->n_materials; m++)
        if (name && strcasecmp(a->materials[m].name, name) == 0)
            section.material = m;
    if (section.material < 0)
        return ritz_deck_fail(card->place, "*SOLID SECTION: there is no *MATERIAL called '%s'", name ? name : "");
    if (orientation && a->procedure != RITZ_DECK_HEAT) {
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
done:
    return status;
}
