/* *ELASTIC: isotropic, orthotropic by constants or by moduli, anisotropic. */
#include "deck/translate.h"

#include <string.h>
#include <strings.h>

/* Where CalculiX's constants stand among c11 c12 .. c66: 1111 1122 2222 1133 2233 3333, then 1212 1313 2323 or the rest. */
static const int orthotropic[9] = {0, 1, 6, 2, 7, 11, 20, 18, 15};
static const int anisotropic[21] = {0, 1, 6, 2, 7, 11, 5, 10, 14, 20, 4, 9, 13, 19, 18, 3, 8, 12, 17, 16, 15};

ritz_status ritz_deck_read_elastic(const ritz_deck *deck, const ritz_deck_card *card, ritz_deck_material *m)
{
    ritz_status status = RITZ_OK;
    const char *type = ritz_deck_parameter_value(card, "TYPE");
    double values[21];
    m->has_elastic = true;
    m->n_constants = 0;
    m->elastic_of.card = NULL;
    if (!type || strncasecmp(type, "ISO", 3) == 0) {
        RITZ_TRY(ritz_deck_read_curve(deck, card, 2, &m->elastic_of));
        if (m->elastic_of.card)
            return RITZ_OK;
        RITZ_TRY(ritz_deck_read_numbers(deck, card, "210000., 0.3", 2, values));
        m->young = values[0];
        m->poisson = values[1];
    } else if (strncasecmp(type, "ENG", 3) == 0) {
        m->n_constants = 9;
        RITZ_TRY(ritz_deck_read_numbers(deck, card, "140.E3, 10.E3, 10.E3, 0.3, 0.3, 0.4, 5.E3, 5.E3, 3.5E3", 9,
                                        m->constants));
    } else {
        const bool nine = strncasecmp(type, "ORTHO", 5) == 0;
        m->n_constants = 21;
        memset(m->constants, 0, sizeof m->constants);
        RITZ_TRY(ritz_deck_read_numbers(deck, card, nine ? "nine constants" : "21 constants", nine ? 9 : 21, values));
        for (int k = 0; k < (nine ? 9 : 21); k++)
            m->constants[nine ? orthotropic[k] : anisotropic[k]] = values[k];
    }
done:
    return status;
}

static void write_list(const char *key, int n, const double *values, ritz_text *text)
{
    ritz_text_add(text, ", %s: [", key);
    for (int k = 0; k < n; k++)
        ritz_text_add(text, "%s%.15g", k ? ", " : "", values[k]);
    ritz_text_add(text, "]");
}

void ritz_deck_write_elastic(const ritz_deck *deck, const ritz_deck_material *m, ritz_text *text)
{
    static const char *const isotropic[] = {"young", "poisson"};
    for (int k = 0; k < 2 && m->elastic_of.card; k++) {
        ritz_text_add(text, ", %s: ", isotropic[k]);
        ritz_deck_write_curve(deck, &m->elastic_of, k, text);
    }
    if (m->n_constants == 0 && !m->elastic_of.card)
        ritz_text_add(text, ", young: %.15g, poisson: %.15g", m->young, m->poisson);
    if (m->n_constants == 21)
        write_list("stiffness", 21, m->constants, text);
    for (int k = 0; k < 3 && m->n_constants == 9; k++)
        write_list(((const char *[]){"young", "poisson", "shear"})[k], 3, m->constants + 3 * k, text);
}
