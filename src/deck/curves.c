/* Properties over the temperature: a line of values and a temperature each. */
#include "deck/translate.h"

enum { MOST_VALUES = 2 };

/* The line's values, and the temperature behind them: 0 where it has none, as CalculiX reads it. */
static bool read_point(const ritz_deck_line *line, int n, double values[MOST_VALUES + 1])
{
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    const int given = ritz_deck_fields(line, fields);
    values[n] = 0;
    if (given < n)
        return false;
    for (int i = 0; i < given && i <= n; i++)
        if (!ritz_deck_real(fields[i], &values[i]))
            return false;
    return true;
}

ritz_status ritz_deck_read_curve(const ritz_deck *deck, const ritz_deck_card *card, int n, ritz_deck_curve *curve)
{
    double values[MOST_VALUES + 1], first[MOST_VALUES + 1], before = 0;
    bool varies = false;
    int64_t falls = -1; /* the first line whose temperature is not above that of the line before */
    *curve = (ritz_deck_curve){.n_values = n};
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        if (!read_point(&deck->lines[l], n, values))
            return ritz_deck_fail(deck->lines[l].place,
                                  "*%s takes lines of %d number%s, with a temperature behind where they depend on it",
                                  card->words, n, n == 1 ? "" : "s");
        if (l > card->first && values[n] <= before && falls < 0)
            falls = l;
        before = values[n];
        for (int i = 0; i < n; i++) {
            first[i] = l == card->first ? values[i] : first[i];
            varies = varies || values[i] != first[i];
        }
    }
    if (varies && falls >= 0)
        return ritz_deck_fail(deck->lines[falls].place,
                              "*%s: the temperature is not greater than that of the line before", card->words);
    curve->card = varies ? card : NULL;
    return RITZ_OK;
}

void ritz_deck_write_curve(const ritz_deck *deck, const ritz_deck_curve *curve, int value, ritz_text *text)
{
    const ritz_deck_card *card = curve->card;
    double values[MOST_VALUES + 1];
    ritz_text_add(text, "{table: [");
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        read_point(&deck->lines[l], curve->n_values, values);
        ritz_text_add(text, "%s[%.15g, %.15g]", l == card->first ? "" : ", ", values[curve->n_values], values[value]);
    }
    ritz_text_add(text, "]}");
}

double ritz_deck_curve_at(const ritz_deck *deck, const ritz_deck_curve *curve, int value, double temperature)
{
    const ritz_deck_card *card = curve->card;
    const int n = curve->n_values;
    double values[MOST_VALUES + 1], before[MOST_VALUES + 1] = {0};
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        read_point(&deck->lines[l], n, values);
        if (temperature <= values[n])
            return l == card->first ? values[value]
                                    : before[value] + (values[value] - before[value]) / (values[n] - before[n]) *
                                                          (temperature - before[n]);
        for (int i = 0; i <= n; i++)
            before[i] = values[i];
    }
    return before[value];
}

/* As an expression of T. */
static void write_expression(const ritz_deck *deck, const ritz_deck_curve *curve, ritz_text *text)
{
    const ritz_deck_card *card = curve->card;
    double values[MOST_VALUES + 1], before[MOST_VALUES + 1] = {0};
    ritz_text_add(text, "(");
    for (int64_t l = card->first; l < card->first + card->n; l++) {
        read_point(&deck->lines[l], 1, values);
        if (l == card->first)
            ritz_text_add(text, "T <= (%.15g) ? (%.15g) : ", values[1], values[0]);
        else
            ritz_text_add(text, "T <= (%.15g) ? (%.15g) + (%.17g) * (T - (%.15g)) : ", values[1], before[0],
                          (values[0] - before[0]) / (values[1] - before[1]), before[1]);
        before[0] = values[0];
        before[1] = values[1];
    }
    ritz_text_add(text, "(%.15g))", before[0]);
}

void ritz_deck_write_expansion(const ritz_deck *deck, const ritz_deck_curve *curve, double zero, double initial,
                               ritz_text *text)
{
    if (zero == initial) {
        ritz_deck_write_curve(deck, curve, 0, text);
        return;
    }
    ritz_text_add(text, "\"T == (%.15g) ? (%.15g) : ", initial, ritz_deck_curve_at(deck, curve, 0, initial));
    write_expression(deck, curve, text);
    ritz_text_add(text, " + (");
    write_expression(deck, curve, text);
    ritz_text_add(text, " - (%.15g)) * (%.15g) / (T - (%.15g))\"", ritz_deck_curve_at(deck, curve, 0, initial),
                  initial - zero, initial);
}
