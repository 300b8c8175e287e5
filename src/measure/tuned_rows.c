/* Lines of a tuning file from what a search found, and back. A trial is

       #: TERMS [elements=N] | METHOD | SETTINGS or - | OUTCOME | nanoseconds an element | reason, or "in turns" */
#include "measure/tuned_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char trial_mark[] = "#: ", complete_mark[] = "complete", turns_mark[] = "in turns";
enum { FIELDS = 6, MOST_LINE = 2048 };
static const double worth = 0.03; /* of the time: what a change has to save */

ritz_status ritz_case_terms(const ritz_case *the_case, char **terms)
{
    ritz_fact facts[RITZ_CASE_FACTS];
    ritz_text text = {0};
    ritz_case_facts(the_case, facts);
    for (int f = 0; f < RITZ_CASE_FACTS; f++)
        ritz_text_add(&text, "%s%s=%.10g", f ? " " : "", facts[f].name, facts[f].value);
    return ritz_text_take(&text, terms);
}

/* What the lines of a search's trials begin with. */
static ritz_status trial_terms(const ritz_search *search, char **terms)
{
    ritz_status status = RITZ_OK;
    char *of_case = NULL;
    RITZ_TRY(ritz_case_terms(search->the_case, &of_case));
    if (search->elements > 0)
        RITZ_TRY(ritz_format(terms, "%s elements=%lld", of_case, (long long)search->elements));
    else
        RITZ_TRY(ritz_copy_text(of_case, terms));
done:
    ritz_free(of_case);
    return status;
}

/* Whether a trial's terms are these, or these and any number of elements. */
static bool is_alike(const char *told, const char *terms, bool any_elements)
{
    const size_t n = strlen(terms);
    return strncmp(told, terms, n) == 0 &&
           (told[n] == '\0' || (any_elements && strncmp(told + n, " elements=", strlen(" elements=")) == 0));
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

/* Among the methods that are searched, or in the registry; NULL: there is none. */
static const ritz_method *find_method(const ritz_search *s, const char *name)
{
    for (int m = 0; m < s->n_methods; m++)
        if (strcmp(s->methods[m]->name, name) == 0)
            return s->methods[m];
    return ritz_method_named(name);
}

ritz_status ritz_rows_recall(const char *rows, ritz_search *search, bool *complete)
{
    ritz_status status = RITZ_OK;
    char *terms = NULL, line[MOST_LINE], *fields[FIELDS];
    *complete = false;
    RITZ_TRY(trial_terms(search, &terms));
    for (const char *at = rows; at && *at;) {
        at = take_line(at, line);
        const int n = split_trial(line, fields);
        if (n < 2 || !is_alike(fields[0], terms, search->elements < 0))
            continue;
        *complete = *complete || strcmp(fields[1], complete_mark) == 0;
        const ritz_trial_outcome outcome = n == FIELDS ? find_outcome(fields[3]) : RITZ_TRIAL_NONE;
        const ritz_method *method = outcome != RITZ_TRIAL_NONE ? find_method(search, fields[1]) : NULL;
        const int64_t n_known = search->n;
        if (method)
            RITZ_TRY(ritz_search_remember(search, method, strcmp(fields[2], "-") == 0 ? "" : fields[2], outcome,
                                          1e-9 * strtod(fields[4], NULL), fields[5]));
        if (search->n > n_known)
            search->tried[n_known].in_turns = strcmp(fields[5], turns_mark) == 0;
    }
done:
    ritz_free(terms);
    return status;
}

static bool is_trial(const char *line, const char *terms)
{
    char copy[MOST_LINE], *fields[FIELDS];
    snprintf(copy, sizeof copy, "%s", line);
    return split_trial(copy, fields) > 0 && strcmp(fields[0], terms) == 0;
}

ritz_status ritz_rows_find_case(const char *rows, const ritz_search *search, int64_t *place)
{
    ritz_status status = RITZ_OK;
    char *terms = NULL, line[MOST_LINE];
    *place = -1;
    RITZ_TRY(trial_terms(search, &terms));
    for (const char *at = rows, *next; at && *at; at = next) {
        next = take_line(at, line);
        if (is_trial(line, terms))
            *place = at - rows;
    }
done:
    ritz_free(terms);
    return status;
}

/* Whether a line is a row about integration for the device with all these terms. */
static bool is_row(const char *line, const char *selector, const char *terms)
{
    char name[64], device[RITZ_TUNED_TEXT + 8];
    const char *comment = strchr(line, '#'), *found = strstr(line, terms);
    return sscanf(line, "%63s %263s", name, device) == 2 && strcmp(device, selector) == 0 &&
           strncmp(name, "integrate.", 10) == 0 && found && (!comment || found < comment);
}

/* Nanoseconds rounded as in the file: a time that was read again prints the same digits. */
static double round_nanoseconds(double seconds)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.6g", 1e9 * seconds);
    return strtod(digits, NULL);
}

static void add_trial(ritz_text *text, const char *terms, const ritz_configuration *c)
{
    char reason[sizeof c->reason];
    snprintf(reason, sizeof reason, "%s", c->in_turns ? turns_mark : c->reason);
    for (char *at = reason; *at; at++)
        if (*at == '\n')
            *at = ' ';
    ritz_text_add(text, "%s%s | %s | %s | %s | %.6g | %s\n", trial_mark, terms, c->method->name,
                  *c->settings ? c->settings : "-", ritz_trial_outcome_name(c->outcome), 1e9 * c->seconds, reason);
}

/* The best of a method, or its own plan where that is as good but for what times differ by from run to run. */
static const ritz_configuration *choose_parameters(const ritz_search *s, const ritz_method *method)
{
    const ritz_configuration *best = ritz_search_best(s, method), *own = ritz_search_own_plan(s, method);
    return own && own->outcome == RITZ_TRIAL_TIMED && own->seconds <= (1 + worth) * best->seconds ? own : best;
}

/* Of all methods; likewise the usual one where it is as good. */
static const ritz_configuration *choose_method(const ritz_search *s)
{
    const ritz_configuration *best = ritz_search_best(s, NULL),
                             *usual = s->usual ? choose_parameters(s, s->usual) : NULL;
    return usual && usual->seconds <= (1 + worth) * best->seconds ? usual
           : best                                                 ? choose_parameters(s, best->method)
                                                                  : NULL;
}

/* The rows that follow from the trials. */
static void add_rows(ritz_text *text, const char *selector, const char *terms, const ritz_search *s, const char *words)
{
    const ritz_configuration *best = choose_method(s);
    if (best)
        ritz_text_add(text, "integrate.method %s %s %s=1 %s # %s: %.4g ns an element\n", selector, best->method->name,
                      best->method->name, terms, words, round_nanoseconds(best->seconds));
    for (int64_t k = 0; k < s->n; k++) {
        const ritz_configuration *own = &s->tried[k];
        if (own == choose_parameters(s, own->method) && *own->settings)
            ritz_text_add(text, "integrate.parameters %s %s %s=1 %s # %s: %.4g ns an element\n", selector,
                          own->settings, own->method->name, terms, words, round_nanoseconds(own->seconds));
    }
}

/* The trials of a search, and those of the rows that it does not know. */
static ritz_status join_trials(const ritz_search *search, const char *rows, bool anew, ritz_search *all)
{
    ritz_status status = RITZ_OK;
    bool complete;
    *all = *search;
    all->tried = NULL;
    all->n = all->capacity = 0;
    for (int64_t k = 0; k < search->n; k++)
        RITZ_TRY(ritz_search_add(all, &search->tried[k]));
    RITZ_TRY(ritz_rows_recall(rows, all, &complete));
    if (anew)
        ritz_search_forget(all, search->n);
done:
    return status;
}

ritz_status ritz_rows_put_case(const char *rows, const ritz_device_info *device, const ritz_search *s, bool anew,
                               const char *words, char **changed)
{
    ritz_status status = RITZ_OK;
    char selector[RITZ_TUNED_TEXT + 8], line[MOST_LINE], *terms = NULL, *trials = NULL;
    ritz_text text = {0};
    ritz_search all = {0};
    RITZ_TRY(ritz_case_terms(s->the_case, &terms));
    RITZ_TRY(trial_terms(s, &trials));
    RITZ_TRY(join_trials(s, rows, anew, &all));
    ritz_tuning_selector(device, selector);
    const bool replaces = !s->open && ritz_search_best(&all, NULL);
    for (const char *at = rows; at && *at;) {
        at = take_line(at, line);
        if (!is_trial(line, trials) && !(replaces && is_row(line, selector, terms)))
            ritz_text_add(&text, "%s\n", line);
    }
    if (replaces)
        add_rows(&text, selector, terms, &all, words);
    for (int64_t k = 0; k < all.n; k++)
        add_trial(&text, trials, &all.tried[k]);
    if (s->complete)
        ritz_text_add(&text, "%s%s | %s\n", trial_mark, trials, complete_mark);
    RITZ_TRY(ritz_text_take(&text, changed));
done:
    ritz_search_clear(&all);
    ritz_text_free(&text);
    ritz_free(terms);
    ritz_free(trials);
    return status;
}

ritz_status ritz_rows_put_constant(const char *rows, const ritz_device_info *device, const ritz_constant_row *row,
                                   char **changed)
{
    ritz_status status = RITZ_OK;
    char selector[RITZ_TUNED_TEXT + 8], line[MOST_LINE], name[64], of[RITZ_TUNED_TEXT + 8];
    ritz_text text = {0};
    ritz_tuning_selector(device, selector);
    if (row->value)
        ritz_text_add(&text, "%s %s %s%s%s # %s\n", ritz_constant_name(row->constant), selector, row->value,
                      *row->terms ? " " : "", row->terms, row->words);
    for (const char *at = rows; at && *at;) {
        bool serves = sscanf(at, "%63s %263s", name, of) == 2 && strcmp(of, selector) == 0;
        at = take_line(at, line);
        if (serves)
            ritz_tuned_in(line, device, row->constant, row->facts, row->n_facts, &serves);
        if (!serves)
            ritz_text_add(&text, "%s\n", line);
    }
    RITZ_TRY(ritz_text_take(&text, changed));
done:
    ritz_text_free(&text);
    return status;
}
