/* Lines of a tuning file from what a search found, and back. A trial is

       #: TERMS | METHOD | SETTINGS or - | OUTCOME | nanoseconds an element | reason */
#include "measure/tuned_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char trial_mark[] = "#: ", complete_mark[] = "complete";
enum { FIELDS = 6, MOST_LINE = 2048 };

ritz_status ritz_case_terms(const ritz_case *the_case, char **terms)
{
    ritz_fact facts[RITZ_CASE_FACTS];
    ritz_text text = {0};
    ritz_case_facts(the_case, facts);
    for (int f = 0; f < RITZ_CASE_FACTS; f++)
        ritz_text_add(&text, "%s%s=%.10g", f ? " " : "", facts[f].name, facts[f].value);
    return ritz_text_take(&text, terms);
}

/* The line without its end, in `line`; where the next one begins. */
static const char *take_line(const char *at, char line[MOST_LINE])
{
    const size_t length = strcspn(at, "\n");
    snprintf(line, MOST_LINE, "%.*s", (int)length, at);
    return at + length + (at[length] == '\n');
}

/* The fields of a trial's line, cut in place; how many there are, 0 where it is no trial. */
static int split_trial(char *line, char *fields[FIELDS])
{
    int n = 0;
    if (strncmp(line, trial_mark, strlen(trial_mark)) != 0)
        return 0;
    for (char *at = line + strlen(trial_mark); at && n < FIELDS;) {
        char *bar = n < FIELDS - 1 ? strstr(at, " | ") : NULL;
        fields[n++] = at;
        if (bar)
            *bar = '\0';
        at = bar ? bar + 3 : NULL;
    }
    return n;
}

static ritz_trial_outcome find_outcome(const char *name)
{
    for (int o = RITZ_TRIAL_TIMED; o <= RITZ_TRIAL_TOO_LONG; o++)
        if (strcmp(name, ritz_trial_outcome_name((ritz_trial_outcome)o)) == 0)
            return (ritz_trial_outcome)o;
    return RITZ_TRIAL_NONE;
}

ritz_status ritz_rows_recall(const char *rows, ritz_search *search, bool *complete)
{
    ritz_status status = RITZ_OK;
    char *terms = NULL, line[MOST_LINE], *fields[FIELDS];
    *complete = false;
    RITZ_TRY(ritz_case_terms(search->the_case, &terms));
    for (const char *at = rows; at && *at;) {
        at = take_line(at, line);
        const int n = split_trial(line, fields);
        if (n < 2 || strcmp(fields[0], terms) != 0)
            continue;
        *complete = *complete || strcmp(fields[1], complete_mark) == 0;
        const ritz_trial_outcome outcome = n == FIELDS ? find_outcome(fields[3]) : RITZ_TRIAL_NONE;
        for (int m = 0; m < search->n_methods && outcome != RITZ_TRIAL_NONE; m++)
            if (strcmp(search->methods[m]->name, fields[1]) == 0)
                RITZ_TRY(ritz_search_remember(search, search->methods[m], strcmp(fields[2], "-") == 0 ? "" : fields[2],
                                              outcome, 1e-9 * strtod(fields[4], NULL), fields[5]));
    }
done:
    ritz_free(terms);
    return status;
}

/* Whether a line is a trial of the case, or a row of `constant` for the device with all these terms. */
static bool is_of_case(const char *line, const char *selector, const char *terms)
{
    char copy[MOST_LINE], *fields[FIELDS], name[64], device[RITZ_TUNED_TEXT + 8];
    snprintf(copy, sizeof copy, "%s", line);
    if (split_trial(copy, fields) > 0)
        return strcmp(fields[0], terms) == 0;
    const char *comment = strchr(line, '#'), *found = strstr(line, terms);
    return sscanf(line, "%63s %263s", name, device) == 2 && strcmp(device, selector) == 0 &&
           strncmp(name, "integrate.", 10) == 0 && found && (!comment || found < comment);
}

static void add_trial(ritz_text *text, const char *terms, const ritz_configuration *c)
{
    char reason[sizeof c->reason];
    snprintf(reason, sizeof reason, "%s", c->reason);
    for (char *at = reason; *at; at++)
        if (*at == '\n')
            *at = ' ';
    ritz_text_add(text, "%s%s | %s | %s | %s | %.6g | %s\n", trial_mark, terms, c->method->name,
                  *c->settings ? c->settings : "-", ritz_trial_outcome_name(c->outcome), 1e9 * c->seconds, reason);
}

/* The rows that follow from the trials. */
static void add_rows(ritz_text *text, const char *selector, const char *terms, const ritz_search *s, const char *words)
{
    const ritz_configuration *best = ritz_search_best(s, NULL);
    if (best)
        ritz_text_add(text, "integrate.method %s %s %s=1 %s # %s: %.4g ns an element\n", selector, best->method->name,
                      best->method->name, terms, words, 1e9 * best->seconds);
    for (int m = 0; m < s->n_methods; m++) {
        const ritz_configuration *own = ritz_search_best(s, s->methods[m]);
        if (own && *own->settings)
            ritz_text_add(text, "integrate.parameters %s %s %s=1 %s # %s: %.4g ns an element\n", selector,
                          own->settings, own->method->name, terms, words, 1e9 * own->seconds);
    }
}

ritz_status ritz_rows_put_case(const char *rows, const ritz_device_info *device, const ritz_search *s,
                               const char *words, char **changed)
{
    ritz_status status = RITZ_OK;
    char selector[RITZ_TUNED_TEXT + 8], line[MOST_LINE], *terms = NULL;
    ritz_text text = {0};
    RITZ_TRY(ritz_case_terms(s->the_case, &terms));
    ritz_tuning_selector(device, selector);
    for (const char *at = rows; at && *at;) {
        at = take_line(at, line);
        if (!is_of_case(line, selector, terms))
            ritz_text_add(&text, "%s\n", line);
    }
    add_rows(&text, selector, terms, s, words);
    for (int64_t k = 0; k < s->n; k++)
        add_trial(&text, terms, &s->tried[k]);
    if (s->complete)
        ritz_text_add(&text, "%s%s | %s\n", trial_mark, terms, complete_mark);
    RITZ_TRY(ritz_text_take(&text, changed));
done:
    ritz_text_free(&text);
    ritz_free(terms);
    return status;
}

ritz_status ritz_rows_put_constant(const char *rows, const ritz_device_info *device, ritz_constant constant,
                                   const char *value, const char *terms, const char *words, char **changed)
{
    ritz_status status = RITZ_OK;
    char selector[RITZ_TUNED_TEXT + 8], line[MOST_LINE], name[64], of[RITZ_TUNED_TEXT + 8], told[RITZ_TUNED_TEXT];
    ritz_text text = {0};
    int behind;
    ritz_tuning_selector(device, selector);
    for (const char *at = rows; at && *at;) {
        at = take_line(at, line);
        behind = 0;
        const bool is_row = sscanf(line, "%63s %263s %255s %n", name, of, told, &behind) == 3 &&
                            strcmp(name, ritz_constant_name(constant)) == 0 && strcmp(of, selector) == 0;
        const char *comment = is_row ? strchr(line + behind, '#') : NULL;
        size_t length = is_row ? (comment ? (size_t)(comment - line) : strlen(line)) - (size_t)behind : 0;
        while (length > 0 && line[(size_t)behind + length - 1] == ' ')
            length--;
        if (!is_row || strlen(terms) != length || strncmp(line + behind, terms, length) != 0)
            ritz_text_add(&text, "%s\n", line);
    }
    ritz_text_add(&text, "%s %s %s%s%s # %s\n", ritz_constant_name(constant), selector, value, *terms ? " " : "", terms,
                  words);
    RITZ_TRY(ritz_text_take(&text, changed));
done:
    ritz_text_free(&text);
    return status;
}
