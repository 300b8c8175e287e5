/* `ritz compile`: weak forms in UFL become forms of the library. Python does it (python/ritz/compile.py). */
#include "cli.h"

static const char help[] =
    "Usage: ritz compile FORM.py [-o FORM.json] [OPTION]...\n"
    "Compiles a weak form in UFL, as FEniCS users write them, to a file for  ritz integrate --form  and for  physics:  "
    "of problem\n"
    "files. FORM.py names the bilinear form a and the linear form L, or the residual F of a nonlinear problem, and J "
    "where "
    "its\n"
    "derivative is not meant to be taken. Needs Python with the packages fenics-ufl and fenics-basix.\n\n"
    "  -o, --output FILE       the file that is written (default: as the form, with .json)\n"
    "  --group ID=NAME         the group that dx(ID) or ds(ID) means (default: the one called ID); may be repeated\n"
    "  --boundary NAME         the group that ds without an id means (default: boundary)\n"
    "  --old NAME              the coefficient that is the old solution (default: that of derivative())\n"
    "  --degree N              of the quadrature (default: as UFL estimates, at least twice the order)\n"
    "  --json                  print one JSON object\n"
    "  -h, --help              print this\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage. RITZ_PYTHON names the interpreter (default python3).\n\n"
    "Example: ritz compile poisson.py -o poisson.json && ritz integrate --box 8x8 --cell tri --order 1 --form "
    "poisson.json\n";

int ritz_command_compile(int argc, char **argv)
{
    if (!ritz_cli_wants_help(argc, argv))
        return ritz_cli_run_python(argc, argv, "ritz.compile", "compiling forms");
    fputs(help, stdout);
    return RITZ_EXIT_DONE;
}
