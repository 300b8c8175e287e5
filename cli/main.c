/* The program `ritz`: finds the subcommand and calls it. */
#include "cli.h"

#include "base/base.h"

#include <string.h>

static const struct {
    const char *name;
    int (*function)(int argc, char **argv);
    const char *summary;
} commands[] = {
    {"bench", ritz_command_bench, "measure what is published and what was added, side by side"},
    {"compile", ritz_command_compile, "compile a weak form in UFL to a form for integrate and solve"},
    {"convert", ritz_command_convert, "write a deck of CalculiX as a problem file and a mesh"},
    {"devices", ritz_command_devices, "list the OpenCL devices, their limits and what they can do at best"},
    {"integrate", ritz_command_integrate, "compute, check and time element matrices by one method"},
    {"materials", ritz_command_materials, "list the materials that problem files take by name"},
    {"picture", ritz_command_picture, "draw a result file as a PNG"},
    {"predict", ritz_command_predict, "tell how methods would run and how fast they can be, without running them"},
    {"report", ritz_command_report, "solve a problem and write one HTML file of it"},
    {"solve", ritz_command_solve, "solve the problem that a YAML file or a deck describes"},
    {"tune", ritz_command_tune, "find the fastest methods and parameters for this device and keep them"},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *to)
{
    fprintf(to, "Usage: ritz COMMAND [OPTION]...\n"
                "Finite elements on OpenCL devices.\n\n"
                "Commands:\n");
    for (int i = 0; i < N_COMMANDS; i++)
        fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(
        to,
        "\n"
        "  ritz COMMAND --help   options of a command, with an example\n"
        "  ritz --version        version of the program\n\n"
        "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
        "Environment: RITZ_LOG=info logs on stderr what is chosen and why, RITZ_LOG=commands how long each kernel and "
        "transfer\nof the device took; RITZ_CACHE_DIR is the folder of compiled kernels (none: nothing is kept);\n"
        "RITZ_PROGRAM_CACHE=driver leaves them to the driver's own cache; RITZ_CL_OPTIONS adds options of their "
        "compiler;\nRITZ_MAX_DEVICE_BYTES limits the device memory that is taken; RITZ_TUNING names a tuning file "
        "(none: only built-in\nvalues are used).\n\n"
        "Example: ritz devices --measure\n");
}

static int run_command(int argc, char **argv)
{
    const char *names[N_COMMANDS], *name = argc > 1 ? argv[1] : NULL;
    int number = 0;
    if (!name) {
        fputs("ritz: a command is missing\n\n", stderr);
        print_help(stderr);
        return RITZ_EXIT_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return RITZ_EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("ritz %s\n", ritz_version());
        return RITZ_EXIT_DONE;
    }
    for (int i = 0; i < N_COMMANDS; i++)
        names[i] = commands[i].name;
    if (ritz_find_name(&(ritz_name_table){.what = "command", .names = names, .n = N_COMMANDS}, name, &number)) {
        fprintf(stderr, "ritz: %s\ntry 'ritz --help'\n", ritz_message());
        return RITZ_EXIT_USAGE;
    }
    for (int k = 2; k < argc; k++)
        if (strcmp(argv[k], "--json") == 0)
            ritz_cli_want_json(name);
    static char full_name[64]; /* what getopt_long puts before its messages */
    snprintf(full_name, sizeof full_name, "ritz %s", name);
    argv[1] = full_name;
    return commands[number].function(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    ritz_cli_handle_signals();
    int exit_status = ritz_cli_set_log();
    if (exit_status == RITZ_EXIT_DONE)
        exit_status = run_command(argc, argv);
    ritz_cli_end_progress();
    ritz_cli_end_json(exit_status);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fputs("ritz: error: the output could not be written\n", stderr);
        exit_status = RITZ_EXIT_FAILED;
    }
    /* Ended by a signal, as shells count it. */
    return exit_status == RITZ_EXIT_FAILED && ritz_cli_signal() ? 128 + ritz_cli_signal() : exit_status;
}
