/* The options that all benchmarks have, and the head of their reports. */
#include "bench/bench.h"

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
        return ritz_cli_usage(bench->name, "'%s' is no option", argv[optind]);
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
