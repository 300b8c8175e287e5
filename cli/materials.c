/* `ritz materials`: the materials that problem files may name. */
#include "cli.h"

#include "physics/library.h"

#include <getopt.h>
#include <string.h>

static const char help[] =
    "Usage: ritz materials [--units UNITS] [--json]\n"
    "Lists the materials that a problem file takes by name, as in  materials: {material: steel}\n\n"
    "  --units UNITS  as in problem files: m-N-Pa (default; m, kg, s) or mm-N-MPa (mm, t, s);\n"
    "                 m and mm for short\n"
    "  --json         print one JSON object\n"
    "  -h, --help     print this\n\n"
    "Example: ritz materials --units mm\n";

static const char *const names[] = {"young", "poisson", "density", "expansion", "conductivity", "yield"};
static const char *const units_of[2][6] = {{"Pa", "", "kg/m3", "1/K", "W/(m K)", "Pa"},
                                           {"MPa", "", "t/mm3", "1/K", "mW/(mm K)", "MPa"}};
enum { N_NAMES = 6 };

static void print_text(ritz_units units)
{
    double value;
    printf("%-15s", "");
    for (int k = 0; k < N_NAMES; k++)
        printf(" %12s", names[k]);
    printf("\n%-15s", "");
    for (int k = 0; k < N_NAMES; k++)
        printf(" %12s", units_of[units][k]);
    printf("\n");
    for (int i = 0; ritz_known_material_at(i); i++) {
        const ritz_known_material *material = ritz_known_material_at(i);
        printf("%-15s", material->name);
        for (int k = 0; k < N_NAMES; k++)
            if (ritz_known_property(material, names[k], units, &value))
                printf(" %12g", value);
            else
                printf(" %12s", "-");
        printf("  %s (%s)\n", material->words, material->source);
    }
}

static void print_json(ritz_units units)
{
    ritz_json json = {.file = stdout};
    double value;
    ritz_json_open(&json, NULL, '{');
    ritz_json_text(&json, "command", "materials");
    ritz_json_text(&json, "units", units == RITZ_UNITS_MM ? "mm-N-MPa" : "m-N-Pa");
    ritz_json_open(&json, "materials", '[');
    for (int i = 0; ritz_known_material_at(i); i++) {
        const ritz_known_material *material = ritz_known_material_at(i);
        ritz_json_open(&json, NULL, '{');
        ritz_json_text(&json, "name", material->name);
        ritz_json_text(&json, "words", material->words);
        ritz_json_text(&json, "source", material->source);
        for (int k = 0; k < N_NAMES; k++)
            if (ritz_known_property(material, names[k], units, &value))
                ritz_json_number(&json, names[k], value);
        ritz_json_close(&json, '}');
    }
    ritz_json_close(&json, ']');
    ritz_json_close(&json, '}');
}

/* As problem files write them, or by the length alone. */
static bool read_units(const char *text, ritz_units *units)
{
    const bool mm = strcmp(text, "mm") == 0 || strcmp(text, "mm-N-MPa") == 0;
    *units = mm ? RITZ_UNITS_MM : RITZ_UNITS_M;
    return mm || strcmp(text, "m") == 0 || strcmp(text, "m-N-Pa") == 0;
}

int ritz_command_materials(int argc, char **argv)
{
    static const struct option options[] = {
        {"units", required_argument, NULL, 'u'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    ritz_units units = RITZ_UNITS_M;
    bool as_json = false;
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (option) {
        case 'u':
            if (!read_units(optarg, &units))
                return ritz_cli_usage("materials", "--units takes m-N-Pa or mm-N-MPa (m or mm for short), not '%s'",
                                      optarg);
            break;
        case 'j':
            as_json = true;
            break;
        case 'h':
            fputs(help, stdout);
            return RITZ_EXIT_DONE;
        default:
            return ritz_cli_usage("materials", NULL);
        }
    }
    if (optind < argc)
        return ritz_cli_usage("materials", "'%s' is not an option", argv[optind]);
    if (as_json)
        print_json(units);
    else
        print_text(units);
    return RITZ_EXIT_DONE;
}
