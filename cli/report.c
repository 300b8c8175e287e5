/* `ritz report`: a calculation as one HTML file. Python writes it (python/ritz/report.py). */
#include "cli.h"

static const char help[] =
    "Usage: ritz report PROBLEM.yaml [-o REPORT.html] [OPTION]...\n"
    "Solves a problem and writes one HTML file of it, pictures within: model, mesh, materials, supports, loads, "
    "reactions\n"
    "or flows, extremes with their places, convergence, device and versions. Needs Python; pictures need its package "
    "vtk.\n\n"
    "  -o, --output FILE       the report (default: as the problem, with .html)\n"
    "  --set PATH=VALUE        as of  ritz solve;  may be given several times\n"
    "  --device SELECTOR       as of  ritz solve\n"
    "  --trust-geometry        as of  ritz solve\n"
    "  --run FILE              a run that is over, as  ritz solve --json --history --describe  printed it: nothing is "
    "solved\n"
    "  --field NAME            of the pictures (default: von_mises, else the first number)\n"
    "  --view VIEW             of the pictures, as of  ritz picture\n"
    "  --title TEXT            the first line (default: the file's name)\n"
    "  --json                  print one JSON object, with that of the run\n"
    "  -h, --help              print this\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage. RITZ_PYTHON names the interpreter (default python3).\n\n"
    "Example: ritz report examples/bracket/bracket.yaml -o bracket.html\n";

int ritz_command_report(int argc, char **argv)
{
    if (!ritz_cli_wants_help(argc, argv))
        return ritz_cli_run_python(argc, argv, "ritz.report", "writing reports");
    fputs(help, stdout);
    return RITZ_EXIT_DONE;
}
