/* Which keywords and parameters of decks are served. What is not served is an error before anything is computed. */
#include "deck/translate.h"

#include <string.h>
#include <strings.h>

enum { MOST_TOLD = 20 };

/* parameters: names, each with a blank before and behind; a name with '=' and values allows these alone. */
static const struct {
    const char *keyword, *parameters;
} served[] = {
    {"HEADING", " "},
    {"NODE", " NSET "},
    {"ELEMENT", " TYPE ELSET "},
    {"NSET", " NSET GENERATE UNSORTED INTERNAL "},
    {"ELSET", " ELSET GENERATE UNSORTED INTERNAL "},
    {"SURFACE", " NAME TYPE=ELEMENT TYPE=NODE "},
    {"MATERIAL", " NAME "},
    {"ELASTIC", " TYPE=ISO TYPE=ISOTROPIC TYPE=ORTHO TYPE=ORTHOTROPIC TYPE=ENGINEERINGCONSTANTS TYPE=ANISO "
                "TYPE=ANISOTROPIC "},
    {"ORIENTATION", " NAME SYSTEM=RECTANGULAR SYSTEM=CYLINDRICAL DEFINITION=COORDINATES "},
    {"DENSITY", " "},
    {"CONDUCTIVITY", " TYPE=ISO TYPE=ISOTROPIC TYPE=ORTHO TYPE=ORTHOTROPIC "},
    {"EXPANSION", " TYPE=ISO TYPE=ISOTROPIC TYPE=ORTHO TYPE=ORTHOTROPIC ZERO "},
    {"TEMPERATURE", " OP=NEW OP=MOD AMPLITUDE "},
    {"SPECIFICHEAT", " "},
    {"SOLIDSECTION", " ELSET MATERIAL ORIENTATION OFFSET=0 OFFSET=0. "},
    {"PHYSICALCONSTANTS", " ABSOLUTEZERO STEFANBOLTZMANN NEWTONGRAVITY "},
    {"INITIALCONDITIONS", " TYPE=TEMPERATURE TYPE=STRESS TYPE=PLASTICSTRAIN "},
    {"AMPLITUDE", " NAME VALUE=RELATIVE TIME=STEPTIME TIME=TOTALTIME "},
    {"EQUATION", " "},
    {"TIE", " NAME ADJUST=NO POSITIONTOLERANCE "},
    {"MPC", " "},
    {"RIGIDBODY", " NSET ELSET REFNODE ROTNODE "},
    {"COUPLING", " REFNODE SURFACE CONSTRAINTNAME "},
    {"KINEMATIC", " "},
    {"DISTRIBUTING", " "},
    {"TRANSFORM", " NSET TYPE=R TYPE=C "},
    {"BOUNDARY", " OP=NEW OP=MOD AMPLITUDE "},
    {"CLOAD", " OP=NEW OP=MOD AMPLITUDE "},
    {"DLOAD", " OP=NEW OP=MOD AMPLITUDE "},
    {"DSLOAD", " OP=NEW OP=MOD AMPLITUDE "},
    {"CFLUX", " OP=NEW OP=MOD AMPLITUDE "},
    {"DFLUX", " OP=NEW OP=MOD AMPLITUDE "},
    {"FILM", " OP=NEW OP=MOD "},
    {"RADIATE", " OP=NEW OP=MOD "},
    {"STEP", " INC INCF NAME NLGEOM=NO AMPLITUDE PERTURBATION "},
    {"STATIC", " SOLVER DIRECT "},
    {"HEATTRANSFER", " STEADYSTATE SOLVER DIRECT DELTMX TIMERESET "},
    {"ENDSTEP", " "},
    {"NODEPRINT", " NSET FREQUENCY FREQUENCYF TOTALS=NO TOTALS=YES TOTALS=ONLY GLOBAL=YES GLOBAL=NO "},
    {"ELPRINT", " ELSET FREQUENCY FREQUENCYF TOTALS GLOBAL=YES GLOBAL=NO "},
    {"NODEFILE", " NSET FREQUENCY FREQUENCYF GLOBAL OUTPUT "},
    {"ELFILE", " NSET FREQUENCY FREQUENCYF GLOBAL OUTPUT SECTIONFORCES=NO "},
    {"NODEOUTPUT", " NSET FREQUENCY FREQUENCYF GLOBAL OUTPUT "},
    {"ELEMENTOUTPUT", " NSET FREQUENCY FREQUENCYF GLOBAL OUTPUT "},
    {"OUTPUT", " FREQUENCY "},
};
enum { N_SERVED = sizeof served / sizeof *served };

/* What has no effect on temperatures. */
static const char *const idle_in_heat[] = {"EXPANSION", "ELASTIC", "ORIENTATION"};

/* Whether `word` stands in a list with blanks around each word. */
static bool list_has(const char *list, const char *word, size_t length)
{
    for (const char *at = list; *at; at++)
        if (*at == ' ' && strncasecmp(at + 1, word, length) == 0 && at[1 + length] == ' ')
            return true;
    return false;
}

static bool parameter_is_served(const char *list, const ritz_deck_parameter *parameter)
{
    char pair[2 * RITZ_DECK_WORD];
    const size_t length = strlen(parameter->name);
    size_t n = 0;
    if (list_has(list, parameter->name, length))
        return true;
    for (const char *c = parameter->name; *c && n < sizeof pair - 2; c++)
        pair[n++] = *c;
    pair[n++] = '=';
    for (const char *c = parameter->value ? parameter->value : ""; *c && n < sizeof pair - 1; c++)
        if (*c != ' ')
            pair[n++] = *c;
    return list_has(list, pair, n);
}

/* A section of another kind that no element has. */
static bool is_empty_section(const ritz_deck *deck, const ritz_deck_card *card)
{
    static const char *const sections[] = {"MEMBRANE", "MEMBRANESECTION", "SHELLSECTION", "BEAMSECTION"};
    const char *set = ritz_deck_parameter_value(card, "ELSET");
    const int32_t group = set ? ritz_deck_find_set(deck, set, RITZ_GROUP_CELLS) : -1;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strcmp(sections[i], card->keyword) == 0)
            return set && (group < 0 || deck->groups[group].n == 0);
    return false;
}

/* The keyword that was meant, NULL where none is near: others of CalculiX begin differently, or are longer. */
static const char *find_meant(const char *keyword)
{
    const char *names[N_SERVED];
    int n = 0;
    for (int k = 0; k < N_SERVED; k++)
        if (*served[k].keyword == *keyword && strlen(served[k].keyword) <= strlen(keyword) + 1 &&
            strlen(keyword) <= strlen(served[k].keyword) + 1)
            names[n++] = served[k].keyword;
    return ritz_nearest(keyword, names, n);
}

static void tell_card(const ritz_deck *deck, const ritz_deck_card *card, bool heat, ritz_text *text, int *n)
{
    int k = 0;
    if (is_empty_section(deck, card))
        return;
    for (size_t i = 0; heat && i < sizeof idle_in_heat / sizeof *idle_in_heat; i++)
        if (strcmp(idle_in_heat[i], card->keyword) == 0)
            return;
    while (k < N_SERVED && strcmp(served[k].keyword, card->keyword) != 0)
        k++;
    if (k == N_SERVED && (*n)++ < MOST_TOLD) {
        const char *meant = find_meant(card->keyword);
        ritz_text_add(text, "%s%s:%d: *%s is not served%s%s%s", *n > 1 ? "\n" : "", card->place.file, card->place.line,
                      card->words, meant ? "; did you mean *" : "", meant ? meant : "", meant ? "?" : "");
    }
    for (int i = 0; k < N_SERVED && i < card->n_parameters; i++) {
        const ritz_deck_parameter *parameter = &card->parameters[i];
        if (parameter_is_served(served[k].parameters, parameter) || (*n)++ >= MOST_TOLD)
            continue;
        ritz_text_add(text, "%s%s:%d: *%s: the parameter %s%s%s is not served", *n > 1 ? "\n" : "", card->place.file,
                      card->place.line, card->words, parameter->name, parameter->value ? "=" : "",
                      parameter->value ? parameter->value : "");
    }
}

ritz_status ritz_deck_check_served(const ritz_deck *deck)
{
    ritz_status status = RITZ_OK;
    ritz_text text = {0};
    char *whole = NULL;
    int n = 0;
    bool heat = false;
    for (int64_t c = 0; c < deck->n_cards; c++)
        heat = heat || strcmp(deck->cards[c].keyword, "HEATTRANSFER") == 0;
    for (int64_t c = 0; c < deck->n_cards; c++)
        tell_card(deck, &deck->cards[c], heat, &text, &n);
    if (n > MOST_TOLD)
        ritz_text_add(&text, "\n%s: and %d more", deck->path, n - MOST_TOLD);
    if (n > 0) {
        RITZ_TRY(ritz_text_take(&text, &whole));
        status = ritz_fail(RITZ_ERROR_INPUT, "%s", whole);
    }
done:
    ritz_text_free(&text);
    ritz_free(whole);
    return status;
}
