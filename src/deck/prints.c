/* *NODE PRINT and *EL PRINT as what the problem file prints. */
#include "deck/writing.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *key, *value; /* CalculiX's word, ours */
    bool nodes, heat;        /* in *NODE PRINT, else in *EL PRINT; in heat transfer, else in statics */
} prints[] = {
    {"U", "displacement", true, false}, {"NT", "temperature", true, true}, {"RF", "force", true, false},
    {"RFL", "flow", true, true},        {"S", "stress", false, false},     {"E", "strain", false, false},
    {"HFL", "heat_flux", false, true},
};
enum { N_PRINTS = sizeof prints / sizeof *prints };

static bool is_print(const ritz_deck_card *card)
{
    return strcmp(card->keyword, "NODEPRINT") == 0 || strcmp(card->keyword, "ELPRINT") == 0;
}

/* Whether values are along x, y, z where the card does not say so. */
static bool is_global(const ritz_deck_card *card, bool unless_told)
{
    const char *global = ritz_deck_parameter_value(card, "GLOBAL");
    return global ? strcasecmp(global, "NO") != 0 : unless_told;
}

/* Of elements with an orientation, along which CalculiX has their tensors. */
static bool is_turned(const ritz_deck_writing *w, const ritz_deck_card *card)
{
    return strcmp(card->keyword, "ELPRINT") == 0 && w->a->n_orientations && !is_global(card, false);
}

/* The values that a card asks for, each once, with commas between them; what is not printed is noted if asked. */
static ritz_status list_values(ritz_deck_writing *w, const ritz_deck_card *card, bool notes, char values[256])
{
    ritz_status status = RITZ_OK;
    const bool nodes = strcmp(card->keyword, "NODEPRINT") == 0, heat = w->a->procedure == RITZ_DECK_HEAT;
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    bool taken[N_PRINTS] = {false};
    *values = '\0';
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        const int n = ritz_deck_fields(&w->a->deck->lines[l], fields);
        for (int f = 0; f < n; f++) {
            int found = -1;
            for (int k = 0; k < N_PRINTS; k++)
                if (strcasecmp(prints[k].key, fields[f]) == 0 && prints[k].nodes == nodes && prints[k].heat == heat)
                    found = k;
            if (found >= 0 && !taken[found])
                snprintf(values + strlen(values), 256 - strlen(values), "%s%s%s", *values ? ", " : "",
                         is_turned(w, card) && !heat ? "material_" : "", prints[found].value);
            if (found >= 0)
                taken[found] = true;
            if (found >= 0 && notes && strcmp(prints[found].key, "RFL") == 0 && ritz_deck_heat_thickness(w->a) != 1)
                RITZ_TRY(ritz_deck_add_note(w, w->a->deck->lines[l].place, "per unit of thickness are the values of",
                                            fields[f]));
            if (found < 0 && notes)
                RITZ_TRY(ritz_deck_add_note(w, w->a->deck->lines[l].place, "these values are not printed:", fields[f]));
        }
    }
done:
    return status;
}

/* Of forces and heat at nodes; CalculiX has no sums of what is printed of elements here. */
static const char *list_totals(const ritz_deck_card *card, bool nodes)
{
    const char *totals = nodes ? ritz_deck_parameter_value(card, "TOTALS") : NULL;
    return totals && strcasecmp(totals, "YES") == 0    ? ", totals: yes"
           : totals && strcasecmp(totals, "ONLY") == 0 ? ", totals: only"
                                                       : "";
}

/* All systems of nodes, as `system` takes them. */
static void list_systems(const ritz_deck_writing *w, ritz_text *text)
{
    for (int t = 0; t < w->a->n_transforms; t++)
        ritz_text_add(text, "%s{group: \"%s\", system: system%d}", t ? ", " : "",
                      ritz_deck_group_name(w, w->a->transforms[t].group), t + 1);
}

/* What a card asks for in a step: its own, or a later one without such a card. */
static ritz_status write_print(ritz_deck_writing *w, const ritz_deck_card *card, int step, bool is_own)
{
    ritz_status status = RITZ_OK;
    const bool nodes = strcmp(card->keyword, "NODEPRINT") == 0;
    const char *set = ritz_deck_parameter_value(card, nodes ? "NSET" : "ELSET");
    const int32_t group = set ? ritz_deck_find_set(w->a->deck, set, nodes ? RITZ_GROUP_NODES : RITZ_GROUP_CELLS) : -1;
    char values[256], in_case[32] = "", *whole = NULL;
    ritz_text systems = {0};
    if (group < 0)
        return ritz_deck_fail(card->place, "*%s: there is no set called '%s'", card->words, set ? set : "");
    if (nodes && w->a->n_transforms && w->a->procedure != RITZ_DECK_HEAT && !is_global(card, false)) {
        ritz_text_add(&systems, ", system: [");
        list_systems(w, &systems);
        ritz_text_add(&systems, "]");
    }
    if (is_turned(w, card) && is_own && w->a->procedure == RITZ_DECK_HEAT)
        RITZ_TRY(ritz_deck_add_note(w, card->place, "the flux of heat is along x, y, z, not along the orientation:",
                                    ritz_deck_group_name(w, group)));
    RITZ_TRY(list_values(w, card, is_own, values));
    if (w->a->n_steps > 1)
        snprintf(in_case, sizeof in_case, ", case: step%d", step);
    RITZ_TRY(ritz_text_take(&systems, &whole));
    if (*values)
        RITZ_TRY(ritz_deck_add_line(w, card->place, "    - {group: \"%s\", values: [%s]%s%s%s}",
                                    ritz_deck_group_name(w, group), values, list_totals(card, nodes), whole, in_case));
done:
    ritz_text_free(&systems);
    ritz_free(whole);
    return status;
}

/* The requests of a step are those of the last step up to it that has any of their kind. */
static ritz_status write_prints_of_step(ritz_deck_writing *w, const char *keyword, int step)
{
    ritz_status status = RITZ_OK;
    const ritz_deck *deck = w->a->deck;
    int at = 0, last = 0;
    for (int64_t c = 0; c < deck->n_cards; c++) {
        at += strcmp(deck->cards[c].keyword, "STEP") == 0;
        if (at <= step && strcmp(deck->cards[c].keyword, keyword) == 0)
            last = at;
    }
    at = 0;
    for (int64_t c = 0; c < deck->n_cards; c++) {
        at += strcmp(deck->cards[c].keyword, "STEP") == 0;
        if (at == last && strcmp(deck->cards[c].keyword, keyword) == 0)
            RITZ_TRY(write_print(w, &deck->cards[c], step, at == step));
    }
done:
    return status;
}

/* Systems of the vectors in the .frd file, if a card asks for them. */
static ritz_status write_frd_systems(ritz_deck_writing *w, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    ritz_text systems = {0};
    char *whole = NULL;
    list_systems(w, &systems);
    RITZ_TRY(ritz_text_take(&systems, &whole));
    RITZ_TRY(ritz_deck_add_line(w, card->place, "  frd_system: [%s]", whole));
done:
    ritz_text_free(&systems);
    ritz_free(whole);
    return status;
}

static bool is_node_file(const ritz_deck_card *card)
{
    return strcmp(card->keyword, "NODEFILE") == 0 || strcmp(card->keyword, "NODEOUTPUT") == 0;
}

/* The first card that asks for vectors of nodes in their own systems in the .frd file; NULL: none. */
static const ritz_deck_card *find_local_file(const ritz_deck_analysis *a)
{
    for (int64_t c = 0; c < a->deck->n_cards && a->n_transforms && a->procedure != RITZ_DECK_HEAT; c++) {
        const ritz_deck_card *card = &a->deck->cards[c];
        if (is_node_file(card) && !is_global(card, true))
            return card;
    }
    return NULL;
}

/* The .frd file has one choice for all steps: a card after the first step that asks for it, and cards that do not. */
static ritz_status note_other_steps(ritz_deck_writing *w, const ritz_deck_card *local)
{
    ritz_status status = RITZ_OK;
    const ritz_deck *deck = w->a->deck;
    int step = 0;
    for (int64_t c = 0; c < deck->n_cards; c++) {
        const ritz_deck_card *card = &deck->cards[c];
        step += strcmp(card->keyword, "STEP") == 0;
        if (is_node_file(card) && (card == local ? step > 1 : is_global(card, true)))
            RITZ_TRY(ritz_deck_add_note(
                w, card->place, "in the .frd file in the systems of *TRANSFORM, in all steps, are the values of",
                card->words));
    }
done:
    return status;
}

/* The .frd file beside a .dat file. */
static ritz_status add_frd(ritz_deck_writing *w, ritz_deck_place place, const char *dat)
{
    ritz_status status = RITZ_OK;
    char *frd = NULL;
    const char *dot = strrchr(dat, '.');
    RITZ_TRY(ritz_format(&frd, "%.*s.frd", (int)(dot ? dot - dat : (long)strlen(dat)), dat));
    RITZ_TRY(ritz_deck_add_file(w, place, "  frd", frd));
done:
    ritz_free(frd);
    return status;
}

/* *EL FILE, GLOBAL=NO: along the orientations, which the .frd file is not. */
static ritz_status note_local_tensors(ritz_deck_writing *w)
{
    ritz_status status = RITZ_OK;
    for (int64_t c = 0; c < w->a->deck->n_cards && w->a->n_orientations; c++) {
        const ritz_deck_card *card = &w->a->deck->cards[c];
        if ((strcmp(card->keyword, "ELFILE") == 0 || strcmp(card->keyword, "ELEMENTOUTPUT") == 0) &&
            !is_global(card, true))
            RITZ_TRY(ritz_deck_add_note(w, card->place,
                                        "in the .frd file along x, y, z, not along the orientations, are the values of",
                                        card->words));
    }
done:
    return status;
}

ritz_status ritz_deck_write_prints(ritz_deck_writing *w, const char *dat)
{
    ritz_status status = RITZ_OK;
    const ritz_deck *deck = w->a->deck;
    bool any = false, in_step = false;
    char values[256];
    for (int64_t c = 0; c < deck->n_cards; c++) {
        in_step = in_step || strcmp(deck->cards[c].keyword, "STEP") == 0;
        if (!is_print(&deck->cards[c]))
            continue;
        if (!in_step)
            return ritz_deck_fail(deck->cards[c].place, "*%s stands before the first *STEP; write it into a step",
                                  deck->cards[c].words);
        RITZ_TRY(list_values(w, &deck->cards[c], false, values));
        any = any || *values;
    }
    RITZ_TRY(note_local_tensors(w));
    const ritz_deck_card *local = find_local_file(w->a);
    const ritz_deck_place place = w->a->steps[0].place;
    if (any || local)
        RITZ_TRY(ritz_deck_add_line(w, place, "output:"));
    if (local && dat) /* a problem file of its own names the file that has these systems */
        RITZ_TRY(add_frd(w, place, dat));
    if (local) {
        RITZ_TRY(write_frd_systems(w, local));
        RITZ_TRY(note_other_steps(w, local));
    }
    if (!any) { /* for the notes */
        for (int64_t c = 0; c < deck->n_cards; c++)
            if (is_print(&deck->cards[c]))
                RITZ_TRY(list_values(w, &deck->cards[c], true, values));
        return RITZ_OK;
    }
    if (dat)
        RITZ_TRY(ritz_deck_add_file(w, place, "  dat", dat));
    RITZ_TRY(ritz_deck_add_line(w, place, "  print:"));
    for (int step = 1; step <= w->a->n_steps; step++) {
        RITZ_TRY(write_prints_of_step(w, "NODEPRINT", step));
        RITZ_TRY(write_prints_of_step(w, "ELPRINT", step));
    }
done:
    return status;
}
