/* The report of `ritz tune`: for each case a line a method, what failed, and what auto takes from now on. */
#include "plan.h"
#include "tune.h"

#include <math.h>
#include <string.h>

static const ritz_configuration *find_own(const ritz_search *s, const ritz_method *method)
{
    for (int64_t k = 0; k < s->n; k++)
        if (s->tried[k].method == method && !*s->tried[k].settings)
            return &s->tried[k];
    return NULL;
}

static double nanoseconds(const ritz_configuration *c)
{
    return c && c->outcome == RITZ_TRIAL_TIMED ? 1e9 * c->seconds : NAN;
}

static void print_number(FILE *file, double number)
{
    if (isnan(number))
        fprintf(file, " %10s", "-");
    else
        fprintf(file, " %10.4g", number);
}

static void print_methods(FILE *file, const ritz_tune_case *c)
{
    const ritz_search *s = &c->search;
    fprintf(file, "  %-12s %10s %10s %10s  %s\n", "method", "ns", "own plan", "model", "parameters");
    for (int m = 0; m < s->n_methods; m++) {
        const ritz_configuration *best = ritz_search_best(s, s->methods[m]), *own = find_own(s, s->methods[m]);
        if (!best)
            continue;
        fprintf(file, "  %-12s", best->method->name);
        print_number(file, nanoseconds(best));
        print_number(file, nanoseconds(own));
        print_number(file, 1e9 * best->predicted);
        fprintf(file, "  %s\n", *best->settings ? best->settings : "as the plan chooses");
    }
}

void ritz_tune_print_case(FILE *file, const ritz_tune_case *c)
{
    const ritz_search *s = &c->search;
    const ritz_configuration *best = ritz_search_best(s, NULL);
    char words[128];
    ritz_tune_case_words(c, words, sizeof words);
    if (*c->skipped) {
        fprintf(file, "%s: - %s\n", words, c->skipped);
        return;
    }
    fprintf(file, "%s: %lld configurations on %lld elements, %.1f s%s\n", words, (long long)s->n,
            (long long)c->elements, c->seconds, s->complete ? "" : ", not at an end: the same command goes on");
    if (best)
        print_methods(file, c);
    for (int64_t k = 0; k < s->n; k++)
        if (s->tried[k].outcome != RITZ_TRIAL_TIMED)
            fprintf(file, "  %s: %s %s: %s\n", ritz_trial_outcome_name(s->tried[k].outcome), s->tried[k].method->name,
                    s->tried[k].settings, s->tried[k].reason);
    if (!best) {
        fprintf(file, "  nothing was timed\n");
        return;
    }
    fprintf(file, "  auto takes %s %s: %.4g ns an element", best->method->name, best->settings, nanoseconds(best));
    if (c->before && find_own(s, c->before))
        fprintf(file, "; without tuning %s, %.4g ns", c->before->name, nanoseconds(find_own(s, c->before)));
    if (c->picked && find_own(s, c->picked))
        fprintf(file, "; by the model alone %s, %.4g ns", c->picked->name, nanoseconds(find_own(s, c->picked)));
    fputc('\n', file);
}

static void json_configuration(ritz_json *json, const char *key, const ritz_configuration *c)
{
    if (!c)
        return;
    ritz_json_open(json, key, '{');
    ritz_json_text(json, "method", c->method->name);
    ritz_json_text(json, "settings", c->settings);
    ritz_json_text(json, "outcome", ritz_trial_outcome_name(c->outcome));
    ritz_json_number(json, "ns_per_element", nanoseconds(c));
    ritz_json_number(json, "predicted_ns", 1e9 * c->predicted);
    ritz_json_number(json, "max_relative_error", c->error);
    ritz_json_bool(json, "from_earlier_run", c->is_known);
    ritz_json_text(json, "reason", *c->reason ? c->reason : NULL);
    ritz_json_close(json, '}');
}

void ritz_tune_json_case(ritz_json *json, const ritz_tune_case *c)
{
    const ritz_search *s = &c->search;
    ritz_json_open(json, NULL, '{');
    ritz_json_text(json, "cell", ritz_cell_name(c->cell));
    ritz_json_integer(json, "order", c->order);
    ritz_json_text(json, "form", c->form);
    ritz_json_text(json, "precision", ritz_cli_precision_name(c->precision));
    ritz_json_text(json, "skipped", *c->skipped ? c->skipped : NULL);
    ritz_json_integer(json, "elements", c->elements);
    ritz_json_number(json, "seconds", c->seconds);
    ritz_json_bool(json, "complete", s->complete);
    json_configuration(json, "best", ritz_search_best(s, NULL));
    json_configuration(json, "before", c->before ? find_own(s, c->before) : NULL);
    json_configuration(json, "model", c->picked ? find_own(s, c->picked) : NULL);
    ritz_json_open(json, "trials", '[');
    for (int64_t k = 0; k < s->n; k++)
        json_configuration(json, NULL, &s->tried[k]);
    ritz_json_close(json, ']');
    ritz_json_close(json, '}');
}
