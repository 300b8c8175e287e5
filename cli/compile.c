/* `ritz compile`: weak forms in UFL become forms of the library. Python does it (python/ritz/compile.py); this finds it. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Folders with the Python package, from that of the program: of a build in the tree, and of an installation. Elsewhere
   Python may have it itself. */
static const char *const places[] = {"../python", "../share/ritz/python"};

static void find_package(char *folder, size_t bytes)
{
    char program[PATH_MAX], file[PATH_MAX + 64];
    struct stat about;
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    folder[0] = '\0';
    if (n <= 0)
        return;
    program[n] = '\0';
    *strrchr(program, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(file, sizeof file, "%s/%s/ritz/compile.py", program, places[i]);
        if (stat(file, &about) == 0) {
            snprintf(folder, bytes, "%s/%s", program, places[i]);
            return;
        }
    }
}

/* The package's folder goes in front of what PYTHONPATH names. */
static bool set_path(void)
{
    char folder[PATH_MAX + 64];
    const char *before = getenv("PYTHONPATH");
    find_package(folder, sizeof folder);
    if (!folder[0])
        return true;
    const size_t bytes = strlen(folder) + (before ? strlen(before) : 0) + 2;
    char *path = malloc(bytes);
    if (!path)
        return false;
    snprintf(path, bytes, "%s%s%s", folder, before && *before ? ":" : "", before ? before : "");
    const bool done = setenv("PYTHONPATH", path, 1) == 0;
    free(path);
    return done;
}

int ritz_command_compile(int argc, char **argv)
{
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(help, stdout);
        return RITZ_EXIT_DONE;
    }
    const char *named = getenv("RITZ_PYTHON"), *python = named ? named : "python3";
    char **arguments = calloc((size_t)argc + 3, sizeof *arguments);
    if (!arguments || !set_path()) {
        free(arguments);
        fprintf(stderr, "ritz: error: host memory ran out\n");
        return RITZ_EXIT_FAILED;
    }
    arguments[0] = (char *)python;
    arguments[1] = "-m";
    arguments[2] = "ritz.compile";
    for (int i = 1; i < argc; i++)
        arguments[i + 2] = argv[i];
    execvp(python, arguments);
    fprintf(stderr,
            "ritz: error: compiling forms needs Python, and '%s' cannot be started: %s; install python3, or name one "
            "in the environment's RITZ_PYTHON\n",
            python, strerror(errno));
    free(arguments);
    return RITZ_EXIT_FAILED;
}
