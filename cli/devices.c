/* `ritz devices`: the OpenCL devices, their limits, and on request their ceilings. */
#include "cli.h"

#include "device/ceilings.h"

#include <getopt.h>
#include <inttypes.h>

static const char help[] =
    "Usage: ritz devices [--device SELECTOR] [--measure] [--json]\n"
    "Lists the OpenCL devices in the order in which 'auto' prefers them, with their limits.\n\n"
    "  --device SELECTOR  only this device: auto, gpu, cpu, gpu:1, or part of a name of a device, vendor or platform\n"
    "  --measure          measures copy and store bandwidth and the rates of multiply-adds anew, and keeps them\n"
    "  --json             print one JSON object\n"
    "  -h, --help         print this\n\n"
    "Example: ritz devices --device gpu --measure --json\n";

/* One device to show, with its ceilings when they were measured. */
typedef struct shown {
    ritz_device_info info;
    ritz_device_ceilings ceilings;
    bool measured;
} shown;

static void print_bytes(const char *label, int64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    printf("  %-22s %.4g %s\n", label, value, units[unit]);
}

static void print_text(const shown *device)
{
    const ritz_device_info *info = &device->info;
    printf("%s:%d  %s\n", ritz_device_kind_name(info->kind), info->number, info->name);
    printf("  %-22s %s\n", "vendor", info->vendor);
    printf("  %-22s %s, %s\n", "platform", info->platform, info->version);
    printf("  %-22s %s\n", "driver", info->driver);
    print_bytes("global memory", info->global_memory);
    print_bytes("largest allocation", info->largest_allocation);
    print_bytes("local memory", info->local_memory);
    print_bytes("as static arrays", info->largest_local_memory);
    print_bytes("constant memory", info->constant_memory);
    print_bytes("global cache", info->global_cache);
    printf("  %-22s %" PRId64 ", in multiples of %" PRId64 "\n", "work-group size", info->work_group_size,
           info->group_multiple);
    printf("  %-22s %d at %d MHz\n", "compute units", info->compute_units, info->clock_mhz);
    printf("  %-22s %d f32, %d f64\n", "native vector width", info->vector_width_f32, info->vector_width_f64);
    printf("  %-22s %s\n", "double precision", info->has_f64 ? "yes" : "no: use single precision (--precision f32)");
    printf("  %-22s %s\n", "memory of the host", info->unified_memory ? "yes" : "no");
    printf("  %-22s %s\n", "inline PTX", info->has_ptx ? "yes" : "no");
    printf("  %-22s %s\n", "f64 matrix unit", info->has_f64_matrix_unit ? "yes" : "no");
    if (!device->measured)
        return;
    printf("  %-22s %.1f GB/s\n", "copy, measured", device->ceilings.copy_gb_s);
    printf("  %-22s %.1f GB/s\n", "store, measured", device->ceilings.store_gb_s);
    printf("  %-22s %.1f GFLOP/s\n", "f32, measured", device->ceilings.f32_gflop_s);
    if (info->has_f64)
        printf("  %-22s %.1f GFLOP/s\n", "f64, measured", device->ceilings.f64_gflop_s);
}

static void print_json(ritz_json *json, const shown *device)
{
    const ritz_device_info *info = &device->info;
    char selector[32];
    snprintf(selector, sizeof selector, "%s:%d", ritz_device_kind_name(info->kind), info->number);
    ritz_json_open(json, NULL, '{');
    ritz_json_text(json, "selector", selector);
    ritz_json_text(json, "name", info->name);
    ritz_json_text(json, "vendor", info->vendor);
    ritz_json_text(json, "platform", info->platform);
    ritz_json_text(json, "version", info->version);
    ritz_json_text(json, "driver", info->driver);
    ritz_json_text(json, "kind", ritz_device_kind_name(info->kind));
    ritz_json_integer(json, "global_memory", info->global_memory);
    ritz_json_integer(json, "largest_allocation", info->largest_allocation);
    ritz_json_integer(json, "local_memory", info->local_memory);
    ritz_json_integer(json, "largest_local_memory", info->largest_local_memory);
    ritz_json_integer(json, "constant_memory", info->constant_memory);
    ritz_json_integer(json, "global_cache", info->global_cache);
    ritz_json_integer(json, "work_group_size", info->work_group_size);
    ritz_json_integer(json, "group_multiple", info->group_multiple);
    ritz_json_integer(json, "compute_units", info->compute_units);
    ritz_json_integer(json, "clock_mhz", info->clock_mhz);
    ritz_json_integer(json, "vector_width_f32", info->vector_width_f32);
    ritz_json_integer(json, "vector_width_f64", info->vector_width_f64);
    ritz_json_bool(json, "f64", info->has_f64);
    ritz_json_bool(json, "unified_memory", info->unified_memory);
    ritz_json_bool(json, "ptx", info->has_ptx);
    ritz_json_bool(json, "f64_matrix_unit", info->has_f64_matrix_unit);
    if (device->measured) {
        ritz_json_open(json, "ceilings", '{');
        ritz_json_number(json, "copy_gb_s", device->ceilings.copy_gb_s);
        ritz_json_number(json, "store_gb_s", device->ceilings.store_gb_s);
        ritz_json_number(json, "f32_gflop_s", device->ceilings.f32_gflop_s);
        ritz_json_number(json, "f64_gflop_s", device->ceilings.f64_gflop_s);
        ritz_json_close(json, '}');
    }
    ritz_json_close(json, '}');
}

/* Opens the device that the selector names, to describe it and to measure it. */
static ritz_status inspect_device(const char *selector, bool measure, shown *device)
{
    ritz_device *open = NULL;
    char when[32];
    ritz_status status = ritz_device_open(selector, &open);
    if (status != RITZ_OK)
        return status;
    *device = (shown){.info = *ritz_device_get_info(open), .measured = measure};
    if (measure) /* bench and predict tell shares of them */
        status = ritz_device_known_ceilings(open, true, &device->ceilings, when);
    ritz_device_close(&open);
    return status;
}

static void print_one(ritz_json *json, bool as_json, const shown *device)
{
    if (as_json)
        print_json(json, device);
    else
        print_text(device);
}

/* All devices. One that cannot be measured is reported, and the command fails after the others were shown. */
static ritz_status show_all_devices(ritz_json *json, bool as_json, bool measure)
{
    ritz_device_info *infos = NULL;
    int32_t n_devices = 0;
    ritz_status status = ritz_device_list(&infos, &n_devices), worst = status;
    for (int32_t i = 0; status == RITZ_OK && i < n_devices; i++) {
        shown device = {.info = infos[i]};
        char selector[32];
        snprintf(selector, sizeof selector, "%s:%d", ritz_device_kind_name(infos[i].kind), infos[i].number);
        ritz_status measured = measure ? inspect_device(selector, true, &device) : RITZ_OK;
        if (measured != RITZ_OK) {
            worst = measured;
            device.measured = false;
            ritz_cli_failed();
        }
        print_one(json, as_json, &device);
        if (measured == RITZ_INTERRUPTED)
            break;
    }
    ritz_device_list_free(&infos);
    if (status != RITZ_OK)
        ritz_cli_failed();
    return worst;
}

static ritz_status show_device(ritz_json *json, bool as_json, const char *selector, bool measure)
{
    shown device;
    ritz_status status = inspect_device(selector, measure, &device);
    if (status == RITZ_OK)
        print_one(json, as_json, &device);
    else
        ritz_cli_failed();
    return status;
}

int ritz_command_devices(int argc, char **argv)
{
    static const struct option options[] = {
        {"device", required_argument, NULL, 'd'},
        {"measure", no_argument, NULL, 'm'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char *selector = NULL;
    bool measure = false, as_json = false;
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (option) {
        case 'd':
            selector = optarg;
            break;
        case 'm':
            measure = true;
            break;
        case 'j':
            as_json = true;
            break;
        case 'h':
            fputs(help, stdout);
            return RITZ_EXIT_DONE;
        default:
            return ritz_cli_usage("devices", NULL);
        }
    }
    if (optind < argc)
        return ritz_cli_usage("devices", "'%s' is not an option; choose a device with --device", argv[optind]);
    ritz_json json = {.file = stdout};
    if (as_json) {
        ritz_json_open(&json, NULL, '{');
        ritz_json_text(&json, "command", "devices");
        ritz_json_open(&json, "devices", '[');
    }
    ritz_status status =
        selector ? show_device(&json, as_json, selector, measure) : show_all_devices(&json, as_json, measure);
    if (as_json) {
        ritz_json_close(&json, ']');
        ritz_json_close(&json, '}');
    }
    return status == RITZ_OK ? RITZ_EXIT_DONE : RITZ_EXIT_FAILED;
}
