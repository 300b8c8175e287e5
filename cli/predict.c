/* `ritz predict`: the plans of methods, and the time that a device's ceilings allow them, without building or running a
   kernel. */
#include "predict.h"

#include "integrate.h"
#include "plan.h"

#include "device/ceilings.h"

#include <getopt.h>
#include <string.h>

static const char help_head[] =
    "Usage: ritz predict --cell CELL --order P --form NAME [OPTION]...\n"
    "Tells how a method of integration would run: its parameters, work-groups, memory, operations and bytes, and the "
    "time that\n"
    "the device's ceilings allow. A pure function of limits, cell, order, form, precision and parameters: no kernel is "
    "built or run without --measure.\n\n"
    "  --cell CELL             tri, quad, tet, prism or hex\n"
    "  --order P               order of the shape functions, 1 to 7\n"
    "  --geometry-order G      1: straight edges (default), 2: curved\n"
    "  --form NAME             as in 'ritz integrate': a name or a form.json\n"
    "  --data NAME=VALUE       a number, an expression, 'elements' (default) or 'points'; may be repeated\n"
    "  --precision f32|f64     of the kernel (default f64)\n"
    "  --method NAME|all       a method (default auto), or a line for each of them, with the reason where one does not "
    "apply\n"
    "  --set KEY=VALUE         a parameter of the method; may be repeated\n"
    "  --device SELECTOR       the device whose limits count: auto (default), gpu, cpu, gpu:1, or part of a name\n"
    "  --measure               measures the device's ceilings anew (otherwise those measured before are printed), and "
    "the "
    "methods on\n"
    "                          a distorted box: time and share of the estimate\n"
    "  --record FILE           with --measure: appends each method that was timed to an HDF5 file, as 'ritz integrate' "
    "does\n"
    "  --bandwidth GB_S        of memory, in place of the measured one\n"
    "  --rate GFLOP_S          of multiply-adds in this precision, in place of the measured one\n"
    "  --json                  print one JSON object\n"
    "  -h, --help              print this\n\n"
    "Limits in place of the device's own; without --device, with any of them no device is needed (numbers may end in "
    "K, M, G):\n";
static const char help_tail[] =
    "\nExit status: 0 done, 1 no plan, 2 wrong usage.\n\n"
    "Example: ritz predict --cell prism --order 7 --form elasticity --precision f32 --method all --local-memory 48K "
    "--work-group 512\n";

enum {
    OPTION_CELL = 1,
    OPTION_ORDER,
    OPTION_GEOMETRY,
    OPTION_FORM,
    OPTION_DATA,
    OPTION_PRECISION,
    OPTION_METHOD,
    OPTION_SET,
    OPTION_DEVICE,
    OPTION_MEASURE,
    OPTION_RECORD,
    OPTION_BANDWIDTH,
    OPTION_RATE,
    OPTION_JSON,
    OPTION_HELP = 'h',
    OPTION_LIMIT /* and those after it: the table of limits */
};

static const struct option own_options[] = {
    {"cell", required_argument, NULL, OPTION_CELL},
    {"order", required_argument, NULL, OPTION_ORDER},
    {"geometry-order", required_argument, NULL, OPTION_GEOMETRY},
    {"form", required_argument, NULL, OPTION_FORM},
    {"data", required_argument, NULL, OPTION_DATA},
    {"precision", required_argument, NULL, OPTION_PRECISION},
    {"method", required_argument, NULL, OPTION_METHOD},
    {"set", required_argument, NULL, OPTION_SET},
    {"device", required_argument, NULL, OPTION_DEVICE},
    {"measure", no_argument, NULL, OPTION_MEASURE},
    {"record", required_argument, NULL, OPTION_RECORD},
    {"bandwidth", required_argument, NULL, OPTION_BANDWIDTH},
    {"rate", required_argument, NULL, OPTION_RATE},
    {"json", no_argument, NULL, OPTION_JSON},
    {"help", no_argument, NULL, OPTION_HELP},
};
enum { N_OWN = sizeof own_options / sizeof own_options[0] };

static void print_help(void)
{
    int n_limits;
    const ritz_cli_limit *limits = ritz_cli_limits(&n_limits);
    fputs(help_head, stdout);
    for (int k = 0; k < n_limits; k++)
        printf("  --%-22s%s\n", limits[k].name, limits[k].meaning);
    fputs(help_tail, stdout);
}

static int take_positive(const char *name, double *number)
{
    if (ritz_cli_read_number(optarg, number) && *number > 0)
        return RITZ_EXIT_DONE;
    return ritz_cli_usage("predict", "--%s takes a number above 0, not '%s'", name, optarg);
}

static int take_option(int option, ritz_predict_arguments *p)
{
    ritz_integrate_arguments *a = &p->a;
    switch (option) {
    case OPTION_CELL:
        a->has_cell = true;
        return ritz_cell_from_name(optarg, &a->cell) == RITZ_OK
                   ? RITZ_EXIT_DONE
                   : ritz_cli_usage("predict", "--cell: %s", ritz_message());
    case OPTION_ORDER:
        return ritz_cli_take_integer("predict", "order", 1, RITZ_MAX_ORDER, &a->order);
    case OPTION_GEOMETRY:
        return ritz_cli_take_integer("predict", "geometry-order", 1, 2, &p->geometry_order);
    case OPTION_FORM:
        a->form = optarg;
        return RITZ_EXIT_DONE;
    case OPTION_DATA:
        return ritz_cli_take_pair("predict", "data", a->data, &a->n_data);
    case OPTION_PRECISION:
        a->precision = strcmp(optarg, "f32") == 0 ? RITZ_F32 : RITZ_F64;
        return a->precision == RITZ_F32 || strcmp(optarg, "f64") == 0
                   ? RITZ_EXIT_DONE
                   : ritz_cli_usage("predict", "--precision takes f32 or f64, not '%s'", optarg);
    case OPTION_METHOD:
        a->method = optarg;
        return RITZ_EXIT_DONE;
    case OPTION_SET:
        return ritz_cli_take_pair("predict", "set", a->settings, &a->n_settings);
    case OPTION_DEVICE:
        a->device = optarg;
        return RITZ_EXIT_DONE;
    case OPTION_MEASURE:
        a->measure = true;
        return RITZ_EXIT_DONE;
    case OPTION_RECORD:
        a->record = optarg;
        return RITZ_EXIT_DONE;
    case OPTION_BANDWIDTH:
        return take_positive("bandwidth", &p->bandwidth);
    case OPTION_RATE:
        return take_positive("rate", &p->rate);
    case OPTION_JSON:
        a->json = true;
        return RITZ_EXIT_DONE;
    default:
        p->limits.texts[option - OPTION_LIMIT] = optarg;
        p->limits.any = true;
        return RITZ_EXIT_DONE;
    }
}

static int check_combination(const ritz_predict_arguments *p)
{
    const ritz_integrate_arguments *a = &p->a;
    if (!a->has_cell)
        return ritz_cli_usage("predict", "--cell is needed: tri, quad, tet, prism or hex");
    if (!a->order)
        return ritz_cli_usage("predict", "--order is needed: 1 to %d", RITZ_MAX_ORDER);
    if (!a->form)
        return ritz_cli_usage("predict", "--form is needed: poisson, elasticity or another of 'ritz integrate'");
    if (a->method && strcmp(a->method, "all") == 0 && a->n_settings)
        return ritz_cli_usage("predict", "--set is for one method; with --method all each method uses its own");
    if (a->method && strcmp(a->method, "all") != 0 && strcmp(a->method, "auto") != 0 && !ritz_method_named(a->method))
        return ritz_cli_usage("predict", "%s", ritz_message());
    if (a->record && !a->measure)
        return ritz_cli_usage("predict", "--record is for what was timed: give --measure, too");
    if (a->measure && p->limits.any && !a->device)
        return ritz_cli_usage("predict", "--measure needs --device, where limits are given");
    return RITZ_EXIT_DONE;
}

/* A status whose message is about the options: exit status 2. Others: 1. */
static int report_failure(ritz_status status)
{
    return status == RITZ_ERROR_INPUT ? ritz_cli_usage("predict", "%s", ritz_message()) : ritz_cli_failed();
}

static ritz_status open_device(ritz_prediction *s)
{
    ritz_status status = RITZ_OK;
    const ritz_integrate_arguments *a = &s->p->a;
    bool known;
    RITZ_TRY(ritz_device_open(a->device, &s->device));
    if (a->measure)
        RITZ_TRY(ritz_device_known_ceilings(s->device, true, &s->ceilings, s->when));
    else
        RITZ_TRY(ritz_device_recall_ceilings(s->device, &s->ceilings, s->when, &known));
done:
    return status;
}

static int set_limits(ritz_prediction *s)
{
    const ritz_predict_arguments *p = s->p;
    ritz_status status;
    /* wrong limits are an error before a device is looked for */
    if ((status = ritz_cli_make_limits(&p->limits, NULL, &s->limits)) != RITZ_OK && !p->a.device)
        return report_failure(status);
    if (p->a.device || !p->limits.any) {
        if (open_device(s) != RITZ_OK)
            return ritz_cli_failed();
        if ((status = ritz_cli_make_limits(&p->limits, ritz_device_get_info(s->device), &s->limits)) != RITZ_OK)
            return report_failure(status);
    }
    if (p->bandwidth > 0)
        s->ceilings.copy_gb_s = s->ceilings.store_gb_s = p->bandwidth;
    if (p->rate > 0)
        *(p->a.precision == RITZ_F64 ? &s->ceilings.f64_gflop_s : &s->ceilings.f32_gflop_s) = p->rate;
    return RITZ_EXIT_DONE;
}

static int set_case(ritz_prediction *s)
{
    const ritz_integrate_arguments *a = &s->p->a;
    ritz_status status;
    if ((status = ritz_cli_make_form(a->form, ritz_cell_dim(a->cell), &s->form)) != RITZ_OK)
        return report_failure(status);
    const int degree = ritz_form_degree(s->form, (int)a->order);
    const int n_quad = ritz_quadrature_n_points(a->cell, ritz_quadrature_degree(degree, (int)a->order));
    if ((status = ritz_cli_make_data(s->form, 1, n_quad, a, &s->data)) != RITZ_OK)
        return report_failure(status);
    if (ritz_form_generate(s->form, s->data.datum, &s->source) != RITZ_OK)
        return ritz_cli_failed();
    s->the_case = (ritz_case){.cell = a->cell,
                              .order = (int)a->order,
                              .geometry_order = (int)s->p->geometry_order,
                              .n_components = ritz_form_n_components(s->form),
                              .precision = a->precision,
                              .degree = degree};
    ritz_form_get_traits(s->form, s->data.datum, &s->the_case.traits);
    if (a->precision == RITZ_F64 && !s->limits.has_f64) {
        ritz_fail(RITZ_ERROR_DEVICE, "'%s' has no double precision: use --precision f32", s->limits.name);
        return ritz_cli_failed();
    }
    return RITZ_EXIT_DONE;
}

/* What the methods are measured on. */
static int make_box(ritz_prediction *s)
{
    static const double distort = 0.2;
    const ritz_integrate_arguments *a = &s->p->a;
    if (s->p->geometry_order != 1)
        return ritz_cli_usage("predict", "--measure is for straight edges: leave --geometry-order out");
    const ritz_box_wanted wanted = {.command = "predict",
                                    .cell = a->cell,
                                    .order = (int)a->order,
                                    .form = a->form,
                                    .precision = a->precision,
                                    .data = a->data,
                                    .n_data = a->n_data,
                                    .seed = a->seed,
                                    .distort = distort};
    return ritz_box_case_create(&wanted, &s->limits, &s->box) == RITZ_OK ? RITZ_EXIT_DONE : ritz_cli_failed();
}

static int run_predict(ritz_prediction *s)
{
    int exit_status = set_limits(s);
    if (exit_status == RITZ_EXIT_DONE)
        exit_status = set_case(s);
    if (exit_status != RITZ_EXIT_DONE)
        return exit_status;
    if (s->p->a.measure && (exit_status = make_box(s)) != RITZ_EXIT_DONE)
        return exit_status;
    ritz_cli_end_progress();
    return s->p->a.method && strcmp(s->p->a.method, "all") == 0 ? ritz_predict_tell_all(s) : ritz_predict_tell_one(s);
}

int ritz_command_predict(int argc, char **argv)
{
    ritz_predict_arguments p = {.a = {.seed = 1}, .geometry_order = 1};
    struct option options[N_OWN + RITZ_CLI_MAX_LIMITS + 1] = {{0}};
    int n_limits, exit_status;
    const ritz_cli_limit *limits = ritz_cli_limits(&n_limits);
    memcpy(options, own_options, sizeof own_options);
    for (int k = 0; k < n_limits; k++)
        options[N_OWN + k] = (struct option){limits[k].name, required_argument, NULL, OPTION_LIMIT + k};
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (option == OPTION_HELP) {
            print_help();
            return RITZ_EXIT_DONE;
        }
        if (option == '?')
            return ritz_cli_usage("predict", NULL);
        if ((exit_status = take_option(option, &p)) != RITZ_EXIT_DONE)
            return exit_status;
    }
    if (optind < argc)
        return ritz_cli_usage("predict", "'%s' is not an option", argv[optind]);
    if ((exit_status = check_combination(&p)) != RITZ_EXIT_DONE)
        return exit_status;
    ritz_cli_show_progress();
    ritz_prediction s = {.p = &p};
    exit_status = run_predict(&s);
    ritz_box_case_clear(&s.box);
    ritz_free(s.source);
    ritz_cli_free_data(&s.data);
    ritz_form_destroy(&s.form);
    ritz_device_close(&s.device);
    return exit_status;
}
