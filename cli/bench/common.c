/* The options that all benchmarks have, and the head of their reports. */
#include "bench/bench.h"

#include "device/ceilings.h"

int ritz_bench_main(const ritz_bench_command *bench, int argc, char **argv, ritz_bench_common *common, void *arguments)
{
    int exit_status = RITZ_EXIT_DONE;
    for (int option; (option = getopt_long(argc, argv, "h", bench->options, NULL)) != -1;)
        switch (option) {
        case 'h':
            fputs(bench->help, stdout);
            return RITZ_EXIT_DONE;
        case 'd':
            common->device = optarg;
            break;
        case 'a':
            common->measure = true;
            break;
        case 'j':
            common->json = true;
            break;
        case '?':
            return ritz_cli_usage(bench->name, NULL);
        default:
            if ((exit_status = bench->take_option(option, arguments)) != RITZ_EXIT_DONE)
                return exit_status;
        }
    if (optind < argc)
        return ritz_cli_usage(bench->name, "'%s' is not an option", argv[optind]);
    if ((exit_status = bench->check_arguments(arguments)) != RITZ_EXIT_DONE)
        return exit_status;
    ritz_cli_show_progress();
    ritz_cli_set_grace(10); /* what was begun may take seconds, and the figures there are come after it */
    return bench->run(arguments);
}

void ritz_bench_open_json(ritz_json *json, const char *benchmark, const ritz_device_info *device)
{
    ritz_json_open(json, NULL, '{');
    ritz_json_text(json, "command", "bench");
    ritz_json_text(json, "benchmark", benchmark);
    ritz_json_open(json, "device", '{');
    ritz_json_text(json, "name", device->name);
    ritz_json_text(json, "platform", device->platform);
    ritz_json_text(json, "driver", device->driver);
    ritz_json_close(json, '}');
}

void ritz_bench_json_progress(ritz_json *json, int64_t n_runs, int64_t n_expected, int64_t n_failed)
{
    ritz_json_bool(json, "complete", n_runs == n_expected);
    ritz_json_integer(json, "failed", n_failed);
}

ritz_status ritz_bench_begin(ritz_bench_session *s, const char *output)
{
    ritz_status status = RITZ_OK;
    char when[32];
    if (output) {
        RITZ_TRY(ritz_check_replaceable(output));
        RITZ_TRY(ritz_cli_watch_output(output));
    }
    RITZ_TRY(ritz_device_open(s->common->device, &s->device));
    RITZ_TRY(ritz_device_known_ceilings(s->device, s->common->measure, &s->ceilings, when));
done:
    return status;
}

ritz_status ritz_bench_count(ritz_bench_session *s, bool failed, double rate)
{
    ritz_status status = RITZ_OK;
    char when[32];
    s->n_runs++;
    s->n_failed += failed;
    for (bool again = rate > 0; again;) {
        RITZ_TRY(ritz_device_known_ceilings(s->device, false, &s->ceilings, when));
        RITZ_TRY(ritz_device_check_share(s->device, rate / s->ceilings.copy_gb_s, &again));
    }
done:
    return status;
}

ritz_status ritz_bench_keep(const ritz_bench_session *s, const char *table, ritz_cli_fields *figures)
{
    const ritz_device_info *device = ritz_device_get_info(s->device);
    if (!s->common->record)
        return RITZ_OK;
    ritz_cli_add_text(figures, "command", "bench %s", table);
    ritz_cli_add_text(figures, "device.name", "%s", device->name);
    ritz_cli_add_text(figures, "device.platform", "%s", device->platform);
    ritz_cli_add_text(figures, "device.driver", "%s", device->driver);
    ritz_cli_add_number(figures, "ceilings.copy_gb_s", s->ceilings.copy_gb_s);
    ritz_cli_add_origin(figures);
    return ritz_record_append(s->common->record, table, figures->fields, figures->n);
}

int ritz_bench_end(const ritz_bench_session *s, ritz_status status, const void *bench, ritz_bench_report *print_json,
                   ritz_bench_report *print_tables, ritz_status failure, const char *what_failed)
{
    ritz_cli_end_progress();
    if (s->n_runs == 0 && status != RITZ_OK)
        return ritz_cli_failed();
    if (s->common->json)
        print_json(bench, stdout);
    if (print_tables)
        print_tables(bench, ritz_bench_lines(s->common));
    if (status == RITZ_OK && s->n_failed)
        status = ritz_fail(failure, "%d of %d %s", s->n_failed, s->n_runs, what_failed);
    return status == RITZ_OK ? RITZ_EXIT_DONE : ritz_cli_failed();
}
