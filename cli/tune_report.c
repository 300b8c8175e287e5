/* The report of `ritz tune`: for each case a line a method, what failed, and what auto takes from now on. */
#include "plan.h"
#include "tune.h"

#include <math.h>
#include <string.h>

enum { MOST_REASON = 256 };
static const double over_budget = 1.2; /* times a case's budget: that is said */

static double nanoseconds_of(const ritz_configuration *c)
{
    return c && c->outcome == RITZ_TRIAL_TIMED ? 1e9 * c->seconds : NAN;
}

/* The next method from number *m on that does not apply, of those that were asked for by name; NULL: there is none. */
static const ritz_method *next_useless(const ritz_search *s, int *m, char reason[MOST_REASON])
{
    int n_all;
    ritz_methods(&n_all);
    for (; s->n_methods < n_all && *m < s->n_methods; ++*m) {
        const ritz_method *method = s->methods[*m];
        if (method->applies(s->the_case, s->limits))
            continue;
        ritz_cli_why_not(method, s->the_case, s->limits, reason, MOST_REASON);
        ++*m;
        return method;
    }
    return NULL;
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
        const ritz_configuration *best = ritz_search_best(s, s->methods[m]),
                                 *own = ritz_search_own_plan(s, s->methods[m]);
        if (!best)
            continue;
        fprintf(file, "  %-12s", best->method->name);
        print_number(file, nanoseconds_of(best));
        print_number(file, nanoseconds_of(own));
        print_number(file, 1e9 * best->predicted);
        fprintf(file, "  %s\n", *best->settings ? best->settings : "as the plan chooses");
    }
}

/* "auto takes ...; without tuning ...; by the model alone ..." */
static void print_picks(FILE *file, const ritz_tune_case *c)
{
    static const char *const words[RITZ_N_PICKS] = {NULL, "  auto takes", "; without tuning", "; by the model alone"};
    for (int p = RITZ_PICK_AUTO; p < RITZ_N_PICKS; p++) {
        const ritz_configuration *pick = &c->picks[p];
        if (!pick->method)
            continue;
        fprintf(file, "%s %s%s%s", words[p], pick->method->name, *pick->settings ? " " : "", pick->settings);
        if (pick->outcome == RITZ_TRIAL_TIMED)
            fprintf(file, ", %.4g ns", nanoseconds_of(pick));
    }
    fputc('\n', file);
}

/* Where the time went of a case that took longer than it should. */
static void print_excess(FILE *file, const ritz_tune_case *c)
{
    static const char *const words[RITZ_N_TUNE_PARTS] = {"mesh, data and reference", "the search", "turns of the best",
                                                         "--verify"};
    if (c->budget <= 0 || c->seconds - c->parts[RITZ_TUNE_VERIFY] <= over_budget * c->budget)
        return;
    fprintf(file, "  longer than the %.3g s that it had:", c->budget);
    for (int part = 0; part < RITZ_N_TUNE_PARTS; part++)
        if (c->parts[part] > 0)
            fprintf(file, "%s %s took %.1f s", part ? "," : "", words[part], c->parts[part]);
    fputc('\n', file);
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
            (long long)c->elements, c->seconds,
            s->complete ? ""
            : c->again  ? ", not at an end: the same command goes on, without --again"
                        : ", not at an end: the same command goes on");
    print_excess(file, c);
    if (best)
        print_methods(file, c);
    for (int64_t k = 0; k < s->n; k++)
        if (s->tried[k].outcome != RITZ_TRIAL_TIMED)
            fprintf(file, "  %s: %s %s: %s\n", ritz_trial_outcome_name(s->tried[k].outcome), s->tried[k].method->name,
                    s->tried[k].settings, s->tried[k].reason);
    char reason[MOST_REASON];
    int m = 0;
    for (const ritz_method *method; (method = next_useless(s, &m, reason));)
        fprintf(file, "  %s does not apply: %s\n", method->name, reason);
    if (!best) {
        fprintf(file, "  nothing was timed\n");
        return;
    }
    print_picks(file, c);
}

static int64_t count_timed(const ritz_search *s)
{
    int64_t n = 0;
    for (int64_t k = 0; k < s->n; k++)
        n += s->tried[k].outcome == RITZ_TRIAL_TIMED;
    return n;
}

/* Configurations from which on a pick that is not slower than the best says something. */
enum { ENOUGH = 10 };

void ritz_tune_add_verified(ritz_text *text, const ritz_tune_case *c)
{
    static const char *const names[RITZ_N_PICKS] = {NULL, "auto", "untuned", "model"};
    const char *comma = "  ";
    char words[128];
    ritz_tune_case_words(c, words, sizeof words);
    ritz_text_add(text, "%-40s %10.4g %6lld", words, nanoseconds_of(&c->picks[RITZ_PICK_BEST]),
                  (long long)count_timed(&c->search));
    for (int p = RITZ_PICK_AUTO; p < RITZ_N_PICKS; p++) {
        const double excess = ritz_tune_excess(c, (ritz_tune_pick)p);
        if (isnan(excess))
            ritz_text_add(text, " %10s", "-");
        else
            ritz_text_add(text, " %+8.1f %%", 100 * excess);
    }
    for (int p = 0; p < RITZ_N_PICKS; p++)
        ritz_text_add(text, "%s%s", p ? ", " : "  ", c->picks[p].method ? c->picks[p].method->name : "-");
    for (int p = RITZ_PICK_AUTO; p < RITZ_N_PICKS; p++)
        if (!ritz_tune_pick_holds(c, (ritz_tune_pick)p)) {
            ritz_text_add(text, "%s%s", comma, names[p]);
            comma = ", ";
        }
    ritz_text_add(text, "%s\n",
                  !ritz_tune_holds(c)                ? " too slow"
                  : count_timed(&c->search) < ENOUGH ? "  few tried"
                                                     : "");
}

ritz_status ritz_tune_print_verified(FILE *file, ritz_text *text)
{
    ritz_status status = RITZ_OK;
    char *lines = NULL;
    RITZ_TRY(ritz_text_take(text, &lines));
    fprintf(file, "\n%-40s %10s %6s %10s %10s %10s  %s\n%s", "side by side", "best ns", "of", "auto", "untuned",
            "model", "best, auto, untuned, model", lines);
done:
    ritz_free(lines);
    return status;
}

static void json_configuration(ritz_json *json, const char *key, const ritz_configuration *c)
{
    if (!c)
        return;
    ritz_json_open(json, key, '{');
    ritz_json_text(json, "method", c->method->name);
    ritz_json_text(json, "settings", c->settings);
    ritz_json_text(json, "outcome", ritz_trial_outcome_name(c->outcome));
    ritz_json_number(json, "ns_per_element", nanoseconds_of(c));
    ritz_json_number(json, "predicted_ns", 1e9 * c->predicted);
    ritz_json_number(json, "least_ns", 1e9 * c->least);
    ritz_json_number(json, "max_relative_error", c->error);
    ritz_json_bool(json, "from_earlier_run", c->is_known);
    ritz_json_bool(json, "in_turns", c->in_turns);
    ritz_json_text(json, "reason", *c->reason ? c->reason : NULL);
    ritz_json_close(json, '}');
}

static const ritz_configuration *pick_of(const ritz_tune_case *c, ritz_tune_pick pick)
{
    return c->picks[pick].method ? &c->picks[pick] : NULL;
}

/* Times side by side, by how much the picks are slower than the best, and whether none is slower than it may be. */
static void json_verified(ritz_json *json, const ritz_tune_case *c)
{
    ritz_json_open(json, "verified", '{');
    json_configuration(json, "best", pick_of(c, RITZ_PICK_BEST));
    ritz_json_integer(json, "timed", count_timed(&c->search));
    ritz_json_number(json, "auto_excess", ritz_tune_excess(c, RITZ_PICK_AUTO));
    ritz_json_number(json, "before_excess", ritz_tune_excess(c, RITZ_PICK_BEFORE));
    ritz_json_number(json, "model_excess", ritz_tune_excess(c, RITZ_PICK_MODEL));
    ritz_json_bool(json, "holds", ritz_tune_holds(c));
    ritz_json_close(json, '}');
}

/* Methods that were asked for and do not apply. */
static void json_useless(ritz_json *json, const ritz_search *s)
{
    char reason[MOST_REASON];
    int m = 0;
    ritz_json_open(json, "not_applicable", '[');
    for (const ritz_method *method; (method = next_useless(s, &m, reason));) {
        ritz_json_open(json, NULL, '{');
        ritz_json_text(json, "method", method->name);
        ritz_json_text(json, "reason", reason);
        ritz_json_close(json, '}');
    }
    ritz_json_close(json, ']');
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
    ritz_json_number(json, "budget", c->budget > 0 ? c->budget : NAN);
    ritz_json_bool(json, "complete", s->complete);
    json_configuration(json, "best", ritz_search_best(s, NULL));
    json_configuration(json, "auto", pick_of(c, RITZ_PICK_AUTO));
    json_configuration(json, "before", pick_of(c, RITZ_PICK_BEFORE));
    json_configuration(json, "model", pick_of(c, RITZ_PICK_MODEL));
    if (c->verified)
        json_verified(json, c);
    ritz_json_open(json, "trials", '[');
    for (int64_t k = 0; k < s->n; k++)
        json_configuration(json, NULL, &s->tried[k]);
    ritz_json_close(json, ']');
    json_useless(json, s);
    ritz_json_close(json, '}');
}
