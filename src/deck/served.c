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
    /* what Abaqus writes and CalculiX reads over */
    {"OUTPUT", " FREQUENCY FIELD HISTORY VARIABLE "},
    {"PREPRINT", " ECHO MODEL HISTORY CONTACT "},
    {"RESTART", " WRITE FREQUENCY OVERLAY "},
};
enum { N_SERVED = sizeof served / sizeof *served };

static const char flatten[] = "the deck has parts and instances; write it without them (Abaqus/CAE: Model, Edit "
                              "Attributes, Do not use parts and assemblies in input files)",
                  static_alone[] = "Ritz computes what is static, and heat that is steady";

/* What to do where these are not served, told once. */
static const struct {
    const char *word, *advice;
} advices[] = {
    {"PART", flatten},
    {"INSTANCE", flatten},
    {"ASSEMBLY", flatten},
    {"NLGEOM", "without NLGEOM the step is computed for small displacements"},
    {"FREQUENCY", static_alone},
    {"BUCKLE", static_alone},
    {"DYNAMIC", static_alone},
    {"MODALDYNAMIC", static_alone},
    {"STEADYSTATEDYNAMICS", static_alone},
    {"COUPLEDTEMPERATUREDISPLACEMENT", static_alone},
    {"UNCOUPLEDTEMPERATUREDISPLACEMENT", static_alone},
};
enum { N_ADVICES = sizeof advices / sizeof *advices };

/* Keywords and parameters that are not served, as a text, and the advice that goes with them. */
typedef struct refusals {
    ritz_text text;
    const char *advice; /* of the first that has some; NULL */
    int n;              /* of which MOST_TOLD are in the text */
} refusals;

/* Whether another one is to be told. */
static bool refuse(refusals *r, const char *word)
{
    for (int k = 0; k < N_ADVICES && !r->advice; k++)
        r->advice = strcasecmp(advices[k].word, word) == 0 ? advices[k].advice : NULL;
    return r->n++ < MOST_TOLD;
}

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

static void tell_card(const ritz_deck *deck, const ritz_deck_card *card, bool heat, refusals *r)
{
    int k = 0;
    if (is_empty_section(deck, card))
        return;
    for (size_t i = 0; heat && i < sizeof idle_in_heat / sizeof *idle_in_heat; i++)
        if (strcmp(idle_in_heat[i], card->keyword) == 0)
            return;
    while (k < N_SERVED && strcmp(served[k].keyword, card->keyword) != 0)
        k++;
    if (k == N_SERVED && refuse(r, card->keyword)) {
        const char *meant = find_meant(card->keyword);
        ritz_text_add(&r->text, "%s%s:%d: *%s is not served%s%s%s", r->n > 1 ? "\n" : "", card->place.file,
                      card->place.line, card->words, meant ? "; did you mean *" : "", meant ? meant : "",
                      meant ? "?" : "");
    }
    for (int i = 0; k < N_SERVED && i < card->n_parameters; i++) {
        const ritz_deck_parameter *parameter = &card->parameters[i];
        if (parameter_is_served(served[k].parameters, parameter) || !refuse(r, parameter->name))
            continue;
        ritz_text_add(&r->text, "%s%s:%d: *%s: the parameter %s%s%s is not served", r->n > 1 ? "\n" : "",
                      card->place.file, card->place.line, card->words, parameter->name, parameter->value ? "=" : "",
                      parameter->value ? parameter->value : "");
    }
}

ritz_status ritz_deck_check_served(const ritz_deck *deck)
{
    ritz_status status = RITZ_OK;
    refusals r = {0};
    char *whole = NULL;
    bool heat = false;
    for (int64_t c = 0; c < deck->n_cards; c++)
        heat = heat || strcmp(deck->cards[c].keyword, "HEATTRANSFER") == 0;
    for (int64_t c = 0; c < deck->n_cards; c++)
        tell_card(deck, &deck->cards[c], heat, &r);
    if (r.n > MOST_TOLD)
        ritz_text_add(&r.text, "\n%s: and %d more", deck->path, r.n - MOST_TOLD);
    if (r.advice)
        ritz_text_add(&r.text, "\n%s: %s", deck->path, r.advice);
    if (r.n > 0) {
        RITZ_TRY(ritz_text_take(&r.text, &whole));
        status = ritz_fail(RITZ_ERROR_INPUT, "%s", whole);
    }
done:
    ritz_text_free(&r.text);
    ritz_free(whole);
    return status;
}
