/* Materials and sections of decks. */
#include "deck/translate.h"

#include <string.h>
#include <strings.h>

/* The numbers of the first line of a card, n of them; a second line is one of another temperature. */
static ritz_status read_numbers(const ritz_deck *deck, const ritz_deck_card *card, const char *example, int n,
                                double *values)
{
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    bool good = card->n >= 1 && ritz_deck_fields(&deck->lines[card->first], fields) >= n;
    for (int i = 0; good && i < n; i++)
        good = ritz_deck_real(fields[i], &values[i]);
    if (!good)
        return ritz_deck_fail(card->place, "*%s takes numbers, like  %s", card->words, example);
    for (int64_t l = card->first + 1; l < card->first + card->n; l++) {
        double other[RITZ_DECK_FIELDS];
        good = ritz_deck_fields(&deck->lines[l], fields) >= n;
        for (int i = 0; good && i < n; i++)
            good = ritz_deck_real(fields[i], &other[i]) && other[i] == values[i];
        if (!good)
            return ritz_deck_fail(deck->lines[l].place, "*%s with values that depend on the temperature is not served",
                                  card->words);
    }
    return RITZ_OK;
}

static ritz_status read_property(ritz_deck_analysis *a, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    double value[2];
    const bool elastic = strcmp(card->keyword, "ELASTIC") == 0, density = strcmp(card->keyword, "DENSITY") == 0,
               conductivity = strcmp(card->keyword, "CONDUCTIVITY") == 0,
               expansion = strcmp(card->keyword, "EXPANSION") == 0 && a->procedure != RITZ_DECK_HEAT;
    if (!elastic && !density && !conductivity && !expansion)
        return RITZ_OK;
    if (a->n_materials == 0)
        return ritz_deck_fail(card->place, "*%s stands before any *MATERIAL", card->words);
    ritz_deck_material *m = &a->materials[a->n_materials - 1];
    RITZ_TRY(read_numbers(a->deck, card,
                          elastic     ? "210000., 0.3"
                          : density   ? "7.8E-9"
                          : expansion ? "12.E-6"
                                      : "50.",
                          elastic ? 2 : 1, value));
    if (elastic) {
        m->young = value[0];
        m->poisson = value[1];
    }
    *(density ? &m->density : conductivity ? &m->conductivity : expansion ? &m->expansion : &m->young) = value[0];
    m->has_expansion = m->has_expansion || expansion;
    m->has_elastic = m->has_elastic || elastic;
    m->has_density = m->has_density || density;
    m->has_conductivity = m->has_conductivity || conductivity;
done:
    return status;
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
    ritz_deck_section section = {.card = card, .group = -1, .material = -1};
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
