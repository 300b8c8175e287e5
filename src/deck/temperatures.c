/* Temperatures of nodes in decks: initial ones, and those of a step. In the problem file they are a number or an expression
   where they are constant or linear in space and in cells, else a file of nodes and values. */
#include "deck/translate.h"

#include <math.h>
#include <string.h>
#include <strings.h>

ritz_status ritz_deck_set_temperatures(const ritz_deck *deck, const ritz_deck_card *card, double factor, double *values)
{
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        const ritz_deck_line *line = &deck->lines[l];
        double value;
        if (line->joined)
            continue;
        if (ritz_deck_fields(line, fields) < 2 || line->target < 0 || !ritz_deck_real(fields[1], &value))
            return ritz_deck_fail(line->place, "*%s takes a node or set and a temperature, like  NALL, 20.",
                                  card->words);
        const ritz_deck_group *group = &deck->groups[line->target];
        for (int64_t i = 0; i < group->n; i++)
            values[group->members[i]] = factor * value;
    }
    return RITZ_OK;
}

ritz_status ritz_deck_read_initial_temperatures(const ritz_deck *deck, double *values)
{
    ritz_status status = RITZ_OK;
    for (int64_t c = 0; c < deck->n_cards; c++)
        if (strcmp(deck->cards[c].keyword, "INITIALCONDITIONS") == 0 && !ritz_deck_is_state(&deck->cards[c]))
            RITZ_TRY(ritz_deck_set_temperatures(deck, &deck->cards[c], 1, values));
done:
    return status;
}

ritz_status ritz_deck_read_constants(const ritz_deck *deck, const ritz_deck_card *reader, double *zero,
                                     double *stefan_boltzmann)
{
    bool found = false;
    for (int64_t c = 0; c < deck->n_cards; c++) {
        const ritz_deck_card *card = &deck->cards[c];
        if (strcmp(card->keyword, "PHYSICALCONSTANTS") != 0)
            continue;
        const char *const texts[] = {ritz_deck_parameter_value(card, "ABSOLUTEZERO"),
                                     ritz_deck_parameter_value(card, "STEFANBOLTZMANN")};
        double *const values[] = {zero, stefan_boltzmann};
        found = texts[0] && texts[1];
        for (int k = 0; k < 2; k++)
            if (texts[k] && !ritz_deck_real(texts[k], values[k]))
                return ritz_deck_fail(card->place, "'%s' is not a number", texts[k]);
    }
    return found ? RITZ_OK
                 : ritz_deck_fail(reader->place, "*%s needs *PHYSICAL CONSTANTS, ABSOLUTE ZERO=.., STEFAN BOLTZMANN=..",
                                  reader->words);
}

/* The slopes of the linear function that is nearest to values at nodes: a slope = b, leaving out axes without extent. */
static void solve_slopes(double a[3][3], double b[3], double slope[3])
{
    const double least = 1e-10 * (a[0][0] + a[1][1] + a[2][2]);
    bool done[3] = {false};
    for (int p = 0; p < 3; p++) {
        done[p] = a[p][p] > least;
        for (int i = 0; done[p] && i < 3; i++) {
            const double factor = i == p ? 0 : a[i][p] / a[p][p];
            for (int j = 0; j < 3; j++)
                a[i][j] -= factor * a[p][j];
            b[i] -= factor * b[p];
        }
    }
    for (int i = 0; i < 3; i++)
        slope[i] = done[i] ? b[i] / a[i][i] : 0;
}

/* Nodes that elements have, in the middle of edges too: CalculiX interpolates among all of them. */
static void mark_nodes(const ritz_deck *deck, uint8_t *used)
{
    for (int64_t e = 0; e < deck->n_elements; e++)
        for (int v = 0; v < deck->types[e]->n_nodes; v++)
            used[deck->connected[deck->starts[e] + v]] = 1;
}

/* Whether f[3] + f[0] x + f[1] y + f[2] z are the values at all of these. */
static bool fit_at_nodes(const ritz_deck *deck, const uint8_t *used, const double *values, double f[4])
{
    double centre[4] = {0}, a[3][3] = {{0}}, b[3] = {0}, low = INFINITY, high = -INFINITY;
    int64_t n = 0;
    for (int64_t i = 0; i < deck->n_nodes; i++) {
        if (!used[i])
            continue;
        n++;
        for (int d = 0; d < 3; d++)
            centre[d] += deck->nodes[3 * i + d];
        centre[3] += values[i];
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    for (int d = 0; d < 4; d++)
        centre[d] /= (double)n;
    for (int64_t i = 0; i < deck->n_nodes && high > low; i++)
        for (int d = 0; used[i] && d < 3; d++) {
            const double x = deck->nodes[3 * i + d] - centre[d];
            for (int k = 0; k < 3; k++)
                a[d][k] += x * (deck->nodes[3 * i + k] - centre[k]);
            b[d] += x * (values[i] - centre[3]);
        }
    memset(f, 0, 4 * sizeof *f);
    f[3] = low;
    if (high == low)
        return true;
    solve_slopes(a, b, f);
    f[3] = centre[3] - f[0] * centre[0] - f[1] * centre[1] - f[2] * centre[2];
    for (int64_t i = 0; i < deck->n_nodes; i++) {
        const double *x = deck->nodes + 3 * i;
        const double off = values[i] - f[3] - f[0] * x[0] - f[1] * x[1] - f[2] * x[2];
        if (used[i] && fabs(off) > 1e-6 * (high - low))
            return false;
    }
    for (int d = 0; d < 3; d++) /* rounding */
        f[d] = fabs(f[d]) * sqrt(a[d][d] / (double)n) > 1e-9 * (high - low) ? f[d] : 0;
    return true;
}

bool ritz_deck_has_own_temperatures(const ritz_deck *deck)
{
    for (int64_t e = 0; e < deck->n_elements; e++) {
        const ritz_deck_element *type = deck->types[e];
        if (!type->reduced &&
            (type->cell == RITZ_QUAD || type->cell == RITZ_HEX || (type->cell == RITZ_TRI && type->n_nodes == 3) ||
             (type->cell == RITZ_PRISM && type->n_nodes == 6)))
            return true;
    }
    return false;
}

ritz_status ritz_deck_fit_temperatures(const ritz_deck *deck, const double *values, ritz_deck_temperature *temperature)
{
    ritz_status status = RITZ_OK;
    uint8_t *used = NULL;
    RITZ_NEW(used, deck->n_nodes);
    mark_nodes(deck, used);
    const double *f = temperature->linear;
    if (fit_at_nodes(deck, used, values, temperature->linear) &&
        (!ritz_deck_has_own_temperatures(deck) || (f[0] == 0 && f[1] == 0 && f[2] == 0)))
        goto done;
    RITZ_NEW(temperature->values, deck->n_nodes);
    memcpy(temperature->values, values, (size_t)deck->n_nodes * sizeof *values);
done:
    ritz_free(used);
    return status;
}

ritz_status ritz_deck_write_table(const ritz_deck *deck, const double *values, char **text)
{
    ritz_status status = RITZ_OK;
    uint8_t *used = NULL;
    ritz_text lines = {0};
    RITZ_NEW(used, deck->n_nodes);
    mark_nodes(deck, used);
    ritz_text_add(&lines, "node,temperature\n");
    for (int64_t i = 0; i < deck->n_nodes; i++)
        if (used[i])
            ritz_text_add(&lines, "%lld,%.15g\n", (long long)deck->node_numbers[i], values[i]);
    RITZ_TRY(ritz_text_take(&lines, text));
done:
    ritz_text_free(&lines);
    ritz_free(used);
    return status;
}
