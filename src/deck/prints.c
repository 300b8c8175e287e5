/* *NODE PRINT and *EL PRINT as what the problem file prints. */
#include "deck/writing.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *key, *value; /* CalculiX's word, ours; NULL: what no file of Ritz has */
    bool nodes, points;      /* in *NODE PRINT, in *EL PRINT */
} prints[] = {
    {"U", "displacement", true, false}, {"NT", "temperature", true, false}, {"RF", "force", true, false},
    {"RFL", "flow", true, false},       {"S", "stress", false, true},       {"E", "strain", false, true},
    {"HFL", "heat_flux", false, true},
};

static ritz_status write_print(ritz_deck_writing *w, const ritz_deck_card *card, int step)
{
    ritz_status status = RITZ_OK;
    const bool nodes = strcmp(card->keyword, "NODEPRINT") == 0;
    const char *set = ritz_deck_parameter_value(card, nodes ? "NSET" : "ELSET");
    const int32_t group = set ? ritz_deck_find_set(w->a->deck, set, nodes ? RITZ_GROUP_NODES : RITZ_GROUP_CELLS) : -1;
    char values[256] = "", fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD], in_case[32] = "", system[32] = "";
    size_t used = 0;
    if (group < 0)
        return ritz_deck_fail(card->place, "*%s: there is no set called '%s'", card->words, set ? set : "");
    int t = -1;
    if (nodes && !ritz_deck_parameter_value(card, "GLOBAL")) {
        if (ritz_deck_find_transform(w->a, group, card->place, &t) != RITZ_OK)
            RITZ_TRY(ritz_deck_add_note(w, card->place,
                                        "some nodes have systems of their own, and all values are along x, y, z:",
                                        ritz_deck_group_name(w, group)));
        else if (t >= 0)
            snprintf(system, sizeof system, ", system: system%d", t + 1);
    }
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        const int n = ritz_deck_fields(&w->a->deck->lines[l], fields);
        for (int f = 0; f < n; f++) {
            const char *value = NULL;
            for (size_t k = 0; k < sizeof prints / sizeof *prints; k++)
                if (strcasecmp(prints[k].key, fields[f]) == 0 && (nodes ? prints[k].nodes : prints[k].points))
                    value = prints[k].value;
            if (!value)
                RITZ_TRY(ritz_deck_add_note(w, w->a->deck->lines[l].place, "these values are not printed:", fields[f]));
            else
                used += (size_t)snprintf(values + used, sizeof values - used, "%s%s", used ? ", " : "", value);
        }
    }
    if (w->a->n_steps > 1)
        snprintf(in_case, sizeof in_case, ", case: step%d", step);
    if (used)
        RITZ_TRY(ritz_deck_add_line(w, card->place, "    - {group: \"%s\", values: [%s]%s%s}",
                                    ritz_deck_group_name(w, group), values, system, in_case));
done:
    return status;
}

ritz_status ritz_deck_write_prints(ritz_deck_writing *w, const char *dat)
{
    ritz_status status = RITZ_OK;
    const ritz_deck *deck = w->a->deck;
    bool any = false;
    for (int64_t c = 0; c < deck->n_cards; c++)
        any = any || strcmp(deck->cards[c].keyword, "NODEPRINT") == 0 || strcmp(deck->cards[c].keyword, "ELPRINT") == 0;
    if (!any)
        return RITZ_OK;
    const ritz_deck_place place = w->a->steps[0].place;
    RITZ_TRY(ritz_deck_add_line(w, place, "output:"));
    if (dat)
        RITZ_TRY(ritz_deck_add_line(w, place, "  dat: \"%s\"", dat));
    RITZ_TRY(ritz_deck_add_line(w, place, "  print:"));
    int step = 0;
    for (int64_t c = 0; c < deck->n_cards; c++) {
        const char *keyword = deck->cards[c].keyword;
        if (strcmp(keyword, "STEP") == 0)
            step++;
        if (strcmp(keyword, "NODEPRINT") == 0 || strcmp(keyword, "ELPRINT") == 0)
            RITZ_TRY(write_print(w, &deck->cards[c], step));
    }
done:
    return status;
}
