/* `ritz tune`: finds the fastest method and parameters for cases on this device, and keeps them for "auto". */
#include "tune.h"

#include "plan.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: ritz tune --cell LIST --form LIST --order LIST [OPTION]...\n"
    "       ritz tune (--products | --all | --export) [OPTION]...\n"
    "Finds the fastest method of integration and its parameters for each case, and keeps them in the device's tuning "
    "file, "
    "which\n"
    "'auto' reads from then on. Each configuration runs in a process of its own, is compared with the reference, and "
    "is "
    "timed only\n"
    "if it is right; what fails is listed. A run that was interrupted, or whose budget ended, goes on where it was.\n\n"
    "  --cell LIST             tri, quad, tet, prism, hex or all\n"
    "  --form LIST             as poisson,elasticity, or form.json files of 'ritz compile'\n"
    "  --order LIST            as 1-3,7\n"
    "  --precision LIST        f32, f64 (default f64)\n"
    "  --data NAME=VALUE       for the forms that have such data: a number, an expression, 'elements' (default) or "
    "'points'; may be\n"
    "                          repeated\n"
    "  --methods LIST          of the registry (default all)\n"
    "  --budget TIME           for all cases together, as 60s, 20m or 2h (default 60s for each case)\n"
    "  --limit TIME            for one configuration, compilation and all (default 60s,\n"
    "                          which what auto takes without tuning has at least)\n"
    "  --exhaustive            the parameters of slow methods too, then all combinations of all values, however many; "
    "no "
    "budget\n"
    "                          unless one is given\n"
    "  --verify                times what auto takes, with and without the tuning file, and what the model takes in "
    "turns with the\n"
    "                          best that was found, after the budget and for half of it more at most; fails where "
    "auto,\n"
    "                          with the tuning file or without, is over 5 % or the model over 25 % slower\n"
    "  --again                 forgets what an interrupted run found for these cases\n"
    "  --products              sparse products: slice height, window, threads for each row, rounds of loads\n"
    "  --all                   a new device: all cells, orders 1 to 3, poisson, convection-diffusion and elasticity, "
    "both\n"
    "                          precisions, and products (default budget 20m)\n"
    "  --export                prints the tuning file, to be mailed or put into share/ritz/tuning, and measures "
    "nothing\n"
    "  --distort X             moves the inner nodes of the box by up to X of a cell, 0 to 0.4 (default 0.2)\n"
    "  --elements N            of each trial (default: enough to leave the caches)\n"
    "  --repeat N              timed passes, of which the fastest counts (default 5)\n"
    "  --seed N                of the random data and of the sample (default 1)\n"
    "  --device SELECTOR       auto, gpu, cpu, gpu:1, or part of a name\n"
    "  --measure               measures the device's ceilings anew (else once for each device and driver)\n"
    "  --record FILE           appends each configuration that was timed to an HDF5 file\n"
    "  --json                  print one JSON object\n"
    "  -h, --help              print this\n\n"
    "Exit status: 0 done, 1 failed or nothing found, 2 wrong usage.\n\n"
    "Example: ritz tune --cell tet,prism --form poisson,convection-diffusion --order 1 --budget 5m\n";

static const char command[] = "tune";

static const struct option options[] = {
    {"cell", required_argument, NULL, 'c'},
    {"form", required_argument, NULL, 'f'},
    {"forms", required_argument, NULL, 'f'},
    {"order", required_argument, NULL, 'o'},
    {"orders", required_argument, NULL, 'o'},
    {"precision", required_argument, NULL, 'p'},
    {"precisions", required_argument, NULL, 'p'},
    {"data", required_argument, NULL, 't'},
    {"methods", required_argument, NULL, 'm'},
    {"budget", required_argument, NULL, 'b'},
    {"limit", required_argument, NULL, 'l'},
    {"exhaustive", no_argument, NULL, 'X'},
    {"verify", no_argument, NULL, 'V'},
    {"again", no_argument, NULL, 'G'},
    {"products", no_argument, NULL, 'P'},
    {"all", no_argument, NULL, 'A'},
    {"export", no_argument, NULL, 'E'},
    {"distort", required_argument, NULL, 'x'},
    {"elements", required_argument, NULL, 'n'},
    {"repeat", required_argument, NULL, 'r'},
    {"seed", required_argument, NULL, 's'},
    {"device", required_argument, NULL, 'd'},
    {"measure", no_argument, NULL, 'a'},
    {"record", required_argument, NULL, 'e'},
    {"json", no_argument, NULL, 'j'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool take_switch(int option, ritz_tune_arguments *a)
{
    bool *const place = option == 'X'   ? &a->exhaustive
                        : option == 'V' ? &a->verify
                        : option == 'G' ? &a->again
                        : option == 'P' ? &a->products
                        : option == 'A' ? &a->all
                        : option == 'E' ? &a->export
                        : option == 'a' ? &a->measure
                        : option == 'j' ? &a->json
                                        : NULL;
    if (place)
        *place = true;
    return place != NULL;
}

static int take_option(int option, ritz_tune_arguments *a)
{
    if (take_switch(option, a))
        return RITZ_EXIT_DONE;
    switch (option) {
    case 'c':
        return ritz_cli_take_cells(command, optarg, a->cells);
    case 'f':
        return ritz_cli_take_forms(command, "form", optarg, a->forms, &a->n_forms);
    case 'o':
        return ritz_cli_take_orders(command, "order", optarg, a->orders);
    case 'p':
        return ritz_cli_take_precisions(command, "precision", optarg, a->precisions);
    case 'm':
        return ritz_cli_take_methods(command, optarg, a->methods, &a->n_methods);
    case 't':
        return ritz_cli_take_pair(command, "data", a->data, &a->n_data);
    case 'b':
        return ritz_cli_take_time(command, "budget", &a->budget);
    case 'l':
        return ritz_cli_take_time(command, "limit", &a->limit);
    case 'x':
        return ritz_cli_take_distort(command, optarg, &a->distort);
    case 'n':
        return ritz_cli_take_integer(command, "elements", 1, INT32_MAX / 8, &a->elements);
    case 'r':
        return ritz_cli_take_integer(command, "repeat", 1, 1000000, &a->repeat);
    case 's':
        return ritz_cli_take_integer(command, "seed", 0, INT64_MAX, &a->seed);
    case 'd':
        a->device = optarg;
        return RITZ_EXIT_DONE;
    case 'e':
        a->record = optarg;
        return RITZ_EXIT_DONE;
    default:
        return ritz_cli_usage(command, NULL);
    }
}

static bool any_is_chosen(const bool *chosen, int n)
{
    for (int k = 0; k < n; k++)
        if (chosen[k])
            return true;
    return false;
}

/* What --all means. */
static void choose_all(ritz_tune_arguments *a)
{
    static const char *const forms[] = {"poisson", "convection-diffusion", "elasticity", "plane-stress"};
    memset(a->cells, true, sizeof a->cells);
    memset(a->orders + 1, true, 3 * sizeof a->orders[0]);
    a->precisions[0] = a->precisions[1] = true;
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++)
        snprintf(a->forms[f], sizeof a->forms[f], "%s", forms[f]);
    a->n_forms = sizeof forms / sizeof forms[0];
    a->products = true;
    a->budget = a->budget > 0 ? a->budget : 20 * 60;
}

/* Where the command does something else than tune the cases that it is given: options that have an effect there, and why
   the others have none. */
static const struct {
    const char *mode, *options, *why;
} modes[] = {
    {"export", "Edj", "which prints the file and measures nothing"},
    {"products alone", "Pblnrdaej", "since it is for element matrices"},
    {"all", "AxnrsdaejblXVGmt", "which takes both"},
};
enum { EXPORT, PRODUCTS, ALL, N_GIVEN = 128 };

static int refuse_useless(int mode, const bool *given)
{
    for (const struct option *o = options; o->name; o++)
        if (given[o->val] && !strchr(modes[mode].options, o->val))
            return ritz_cli_usage(command, "--%s has no effect with --%s, %s: leave it away", o->name, modes[mode].mode,
                                  modes[mode].why);
    return RITZ_EXIT_DONE;
}

static int check_combination(ritz_tune_arguments *a, const bool *given)
{
    const bool cell = any_is_chosen(a->cells, RITZ_N_CELLS), order = any_is_chosen(a->orders, RITZ_MAX_ORDER + 1);
    const bool cases = cell || order || a->n_forms;
    int exit_status = RITZ_EXIT_DONE;
    if ((a->all || a->export) && (cases || a->products))
        return ritz_cli_usage(command, "--%s is for all there is: leave --cell, --form, --order and --products away",
                              a->all ? "all" : "export");
    if (a->all && a->export)
        return ritz_cli_usage(command, "--export measures nothing: leave --all away");
    if (!a->all && !a->export && !(a->products && !cases) && !(cell && order && a->n_forms))
        return ritz_cli_usage(command, "--cell, --order and --form are needed, or --products, --all or --export");
    if (a->all || a->export || !cases)
        exit_status = refuse_useless(a->all ? ALL : a->export ? EXPORT : PRODUCTS, given);
    if (a->all)
        choose_all(a);
    if (!any_is_chosen(a->precisions, 2))
        a->precisions[1] = true;
    return exit_status == RITZ_EXIT_DONE ? ritz_cli_check_data(command, a->data, a->n_data, a->forms, a->n_forms)
                                         : exit_status;
}

/* ---- The loop ---- */

static int64_t count_cases(const ritz_tune_arguments *a)
{
    int64_t n = 0;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        for (int order = 1; order <= RITZ_MAX_ORDER; order++)
            for (int wide = 0; wide < 2; wide++)
                n += a->cells[cell] && a->orders[order] && a->precisions[wide] ? a->n_forms : 0;
    return n;
}

/* A case that was asked for. */
typedef struct listed_case {
    ritz_tune_case c;
    bool possible;
    int64_t number, place; /* place: of what earlier runs tried in the file, -1: nothing */
} listed_case;

/* What a run has done and found so far. */
typedef struct run_state {
    ritz_tuner tuner;
    ritz_json *json;
    double start, verifying; /* seconds of --verify so far, which no budget counts */
    listed_case *cases;
    int64_t n_cases;
    int64_t n_left; /* that are possible, products among them */
    int n_begun, n_found;
    ritz_text not_tried; /* names, a line each: cases, then products */
    int n_cases_not_tried;
    ritz_text verified;                               /* the table of --verify */
    int n_verified, n_too_slow, n_slow[RITZ_N_PICKS]; /* cases: any pick, each of them */
} run_state;

static ritz_status list_cases(run_state *r)
{
    ritz_status status = RITZ_OK;
    const ritz_tune_arguments *a = r->tuner.a;
    RITZ_NEW(r->cases, count_cases(a));
    for (int order = 1; order <= RITZ_MAX_ORDER; order++)
        for (int cell = 0; cell < RITZ_N_CELLS; cell++)
            for (int f = 0; f < a->n_forms; f++)
                for (int wide = 0; wide < 2; wide++) {
                    listed_case *l = &r->cases[r->n_cases];
                    if (!a->cells[cell] || !a->orders[order] || !a->precisions[wide])
                        continue;
                    l->c = (ritz_tune_case){.cell = (ritz_cell)cell,
                                            .order = order,
                                            .form = a->forms[f],
                                            .precision = wide ? RITZ_F64 : RITZ_F32};
                    RITZ_TRY(ritz_tune_recall(&r->tuner, &l->c, &l->possible, &l->place));
                    l->number = r->n_cases;
                    r->n_left += l->possible;
                    r->n_cases++;
                }
    r->n_left += a->products;
done:
    return status;
}

static const double time_of_case = 60; /* seconds, where there is no budget */

static double seconds_spent(const run_state *r)
{
    return ritz_seconds() - r->start - r->verifying;
}

/* Of what is left of the budget, a case's part: what one does not need, others have. */
static double budget_of_case(const run_state *r)
{
    const ritz_tune_arguments *a = r->tuner.a;
    if (a->budget > 0)
        return fmax(1e-3, (a->budget - seconds_spent(r)) / (double)ritz_max64(r->n_left, 1));
    return a->exhaustive ? 0 : time_of_case;
}

/* Whether nothing more is begun. However short the budget, one case is. */
static bool budget_is_spent(const run_state *r)
{
    const double budget = r->tuner.a->budget;
    return budget > 0 && r->n_begun > 0 && seconds_spent(r) >= budget;
}

static ritz_status tune_case(run_state *r, listed_case *l)
{
    ritz_status status = RITZ_OK;
    ritz_tune_case *c = &l->c;
    if (l->possible && budget_is_spent(r)) {
        char words[128];
        ritz_tune_case_words(c, words, sizeof words);
        ritz_text_add(&r->not_tried, "%s\n", words);
        r->n_cases_not_tried++;
        return RITZ_OK;
    }
    status = ritz_tune_one(&r->tuner, budget_of_case(r), c);
    ritz_cli_end_progress();
    const bool told = status == RITZ_OK || (status == RITZ_INTERRUPTED && c->search.n > 0);
    if (told && r->json)
        ritz_tune_json_case(r->json, c);
    else if (told && !(*c->skipped && r->tuner.a->all)) /* --all takes forms that are not for every cell */
        ritz_tune_print_case(stdout, c);
    fflush(stdout);
    r->verifying += c->parts[RITZ_TUNE_VERIFY];
    r->n_left -= l->possible;
    r->n_begun += l->possible;
    r->n_found += ritz_search_best(&c->search, NULL) != NULL;
    r->n_verified += c->verified;
    if (c->verified && !r->json)
        ritz_tune_add_verified(&r->verified, c);
    r->n_too_slow += c->verified && !ritz_tune_holds(c);
    for (int p = RITZ_PICK_AUTO; p < RITZ_N_PICKS; p++)
        r->n_slow[p] += c->verified && !ritz_tune_pick_holds(c, (ritz_tune_pick)p);
    ritz_tune_case_clear(c);
    return status;
}

static ritz_status tune_products(run_state *r)
{
    ritz_status status = RITZ_OK;
    if (r->json)
        ritz_json_open(r->json, "products", '[');
    if (budget_is_spent(r)) {
        ritz_text_add(&r->not_tried, "products\n");
    } else {
        status = ritz_tune_products(&r->tuner, budget_of_case(r), r->json, &r->not_tried);
        r->n_found += status == RITZ_OK;
    }
    if (r->json)
        ritz_json_close(r->json, ']');
    return status;
}

/* Those that no earlier run came to, then those that one came to longest ago. */
static int compare_places(const void *one, const void *other)
{
    const listed_case *a = one, *b = other;
    return a->place != b->place ? (a->place < b->place ? -1 : 1) : (a->number > b->number) - (a->number < b->number);
}

/* Where a budget may end before the last case, the same command, given again, begins with those that it did not come to. */
static ritz_status tune_all(run_state *r)
{
    ritz_status status = RITZ_OK;
    const ritz_tune_arguments *a = r->tuner.a;
    if (a->budget > 0 && !a->again && r->n_cases > 0)
        qsort(r->cases, (size_t)r->n_cases, sizeof *r->cases, compare_places);
    for (int64_t k = 0; k < r->n_cases; k++)
        RITZ_TRY(tune_case(r, &r->cases[k]));
done:
    if (r->json)
        ritz_json_close(r->json, ']');
    if (status == RITZ_OK && a->products)
        status = tune_products(r);
    return status;
}

/* What the budget had no time for, and what to do. */
static ritz_status tell_not_tried(run_state *r)
{
    ritz_status status = RITZ_OK;
    const ritz_tune_arguments *a = r->tuner.a;
    char *names = NULL;
    int n = 0;
    RITZ_TRY(ritz_text_take(&r->not_tried, &names));
    for (const char *at = names; *at; at++)
        n += *at == '\n';
    if (r->json)
        ritz_json_open(r->json, "not_tried", '[');
    else if (n > 0)
        printf("not tried, since the %s of %.4g s is spent (%d):\n", a->budget > 0 ? "budget" : "default budget",
               a->budget > 0 ? a->budget : time_of_case, n);
    for (char *at = names, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        *end = '\0';
        if (r->json)
            ritz_json_text(r->json, NULL, at);
        else
            printf("  %s\n", at);
    }
    if (r->json)
        ritz_json_close(r->json, ']');
    else if (n > 0)
        printf("%s%s%s%s\n", r->n_cases_not_tried > 0 ? "the same command begins with these cases" : "",
               r->n_cases_not_tried > 0 && a->again ? ", without --again" : "",
               r->n_cases_not_tried > 0 && n > r->n_cases_not_tried ? "; " : "",
               n > r->n_cases_not_tried ? "'ritz tune --products' with a --budget of its own tries products" : "");
done:
    ritz_free(names);
    return status;
}

static void open_json(run_state *r, const char *path)
{
    const ritz_device_info *info = &r->tuner.info;
    ritz_json_open(r->json, NULL, '{');
    ritz_json_text(r->json, "command", command);
    ritz_json_open(r->json, "device", '{');
    ritz_json_text(r->json, "name", info->name);
    ritz_json_text(r->json, "platform", info->platform);
    ritz_json_text(r->json, "driver", info->driver);
    ritz_json_close(r->json, '}');
    ritz_json_text(r->json, "file", path);
    ritz_json_open(r->json, "cases", '[');
}

static int tune_chosen(const ritz_tune_arguments *a)
{
    ritz_status status = RITZ_OK;
    ritz_json json = {.file = stdout};
    run_state r = {.json = a->json ? &json : NULL, .start = ritz_seconds()};
    char *path = NULL;
    RITZ_TRY(ritz_tuner_start(a, RITZ_TUNER_KEEPS, &r.tuner));
    RITZ_TRY(ritz_tuning_path(&r.tuner.info, &path));
    RITZ_TRY(list_cases(&r));
    if (r.json)
        open_json(&r, path);
    status = tune_all(&r);
    if (status == RITZ_OK)
        status = tell_not_tried(&r);
    if (r.json)
        ritz_json_close(r.json, '}');
    ritz_cli_end_progress();
    if (status == RITZ_INTERRUPTED)
        ritz_fail(status, "interrupted; what was found is in %s, and the same command%s continues from there", path,
                  a->again ? ", without --again," : "");
    if (r.n_verified > 0 && !r.json)
        RITZ_TRY(ritz_tune_print_verified(stdout, &r.verified));
    RITZ_TRY(status);
    RITZ_REQUIRE(
        r.n_too_slow == 0, RITZ_ERROR_INPUT,
        "in %d of %d cases something is too slow beside the best that was found: auto with the tuning file in %d "
        "and without it in %d (over %.0f %%), the model in %d (over %.0f %%)",
        r.n_too_slow, r.n_verified, r.n_slow[RITZ_PICK_AUTO], r.n_slow[RITZ_PICK_BEFORE], 100 * RITZ_TUNE_AUTO_BAR,
        r.n_slow[RITZ_PICK_MODEL], 100 * RITZ_TUNE_MODEL_BAR);
    RITZ_REQUIRE(r.n_found > 0, RITZ_ERROR_INPUT, "nothing was found: the lines say why each case was left out");
    if (!r.json)
        printf("kept in %s\n", path);
done:
    ritz_free(path);
    ritz_free(r.cases);
    ritz_text_free(&r.not_tried);
    ritz_text_free(&r.verified);
    ritz_tuner_clear(&r.tuner);
    return status == RITZ_OK ? RITZ_EXIT_DONE : ritz_cli_failed();
}

/* The file as it stands. */
static int export_file(const ritz_tune_arguments *a)
{
    ritz_status status = RITZ_OK;
    ritz_tuner tuner = {0};
    char *text = NULL, *path = NULL;
    RITZ_TRY(ritz_tuner_start(a, RITZ_TUNER_PRINTS, &tuner));
    RITZ_TRY(ritz_tuning_path(&tuner.info, &path));
    ritz_cli_end_progress();
    RITZ_TRY(ritz_tuning_format(&tuner.info, tuner.rows, &text));
    if (a->json) {
        ritz_json json = {.file = stdout};
        ritz_json_open(&json, NULL, '{');
        ritz_json_text(&json, "command", command);
        ritz_json_text(&json, "file", path);
        ritz_json_text(&json, "content", text);
        ritz_json_close(&json, '}');
    } else {
        fputs(text, stdout);
    }
done:
    ritz_free(text);
    ritz_free(path);
    ritz_tuner_clear(&tuner);
    return status == RITZ_OK ? RITZ_EXIT_DONE : ritz_cli_failed();
}

int ritz_command_tune(int argc, char **argv)
{
    ritz_tune_arguments a = {.seed = 1, .distort = 0.2};
    bool given[N_GIVEN] = {false};
    int exit_status;
    ritz_cli_take_methods(command, "all", a.methods, &a.n_methods);
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (option == 'h') {
            fputs(help, stdout);
            return RITZ_EXIT_DONE;
        }
        if (option == '?')
            return ritz_cli_usage(command, NULL);
        if ((exit_status = take_option(option, &a)) != RITZ_EXIT_DONE)
            return exit_status;
        given[option] = true;
    }
    if (optind < argc)
        return ritz_cli_usage(command, "'%s' is not an option", argv[optind]);
    if ((exit_status = check_combination(&a, given)) != RITZ_EXIT_DONE)
        return exit_status;
    ritz_cli_show_progress();
    return a.export ? export_file(&a) : tune_chosen(&a);
}
