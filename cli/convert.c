/* `ritz convert`: a deck of CalculiX as a problem file with a mesh file. */
#include "cli.h"

#include "ritz/problem.h"

#include <getopt.h>
#include <string.h>

static const char help[] =
    "Usage: ritz convert DECK.inp PROBLEM.yaml\n"
    "Writes what a deck of CalculiX says as a problem file, and its mesh beside it as PROBLEM.msh.\n\n"
    "  -h, --help   print this\n\n"
    "What of decks is served is described in docs/calculix.md.\n\n"
    "Example: ritz convert beam.inp beam.yaml && ritz solve beam.yaml\n";

int ritz_command_convert(int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (option != 'h')
            return ritz_cli_usage("convert", NULL);
        fputs(help, stdout);
        return RITZ_EXIT_DONE;
    }
    if (argc - optind != 2)
        return ritz_cli_usage("convert", "it takes a deck and the problem file to be written; %d name%s given",
                              argc - optind, argc - optind == 1 ? " is" : "s are");
    const char *deck = argv[optind], *problem = argv[optind + 1], *dot = strrchr(problem, '.');
    if (!dot || (strcmp(dot, ".yaml") != 0 && strcmp(dot, ".yml") != 0))
        return ritz_cli_usage("convert", "'%s' does not end in .yaml, as problem files do", problem);
    if (ritz_problem_convert(deck, problem) != RITZ_OK)
        return ritz_cli_failed();
    printf("problem: %s, and its mesh beside it\n", problem);
    return RITZ_EXIT_DONE;
}
