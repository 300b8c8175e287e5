/* Commands that the Python package does: finds it and an interpreter, and becomes it. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folders with the Python package, from that of the program: of a build in the tree, and of an installation. Elsewhere
   Python may have it itself. */
static const char *const places[] = {"../python", "../share/ritz/python"};

/* The folder of the program; "" where the system does not tell. */
static void find_program(char program[PATH_MAX])
{
    const ssize_t n = readlink("/proc/self/exe", program, PATH_MAX - 1);
    program[n > 0 ? n : 0] = '\0';
    if (n > 0)
        *strrchr(program, '/') = '\0';
}

static void find_package(char *folder, size_t bytes)
{
    char program[PATH_MAX], file[PATH_MAX + 64];
    struct stat about;
    folder[0] = '\0';
    find_program(program);
    if (!program[0])
        return;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(file, sizeof file, "%s/%s/ritz/__init__.py", program, places[i]);
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

/* RITZ_PYTHON, else that of the tree's environment of packages, else the system's. */
static const char *find_interpreter(char *room, size_t bytes)
{
    const char *named = getenv("RITZ_PYTHON");
    char program[PATH_MAX];
    if (named)
        return named;
    find_program(program);
    snprintf(room, bytes, "%s/../.venv/bin/python", program);
    return program[0] && access(room, X_OK) == 0 ? room : "python3";
}

/* What runs `ritz solve` again. */
static bool set_program(void)
{
    char program[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    return n <= 0 || setenv("RITZ_PROGRAM", program, 1) == 0;
}

int ritz_cli_run_python(int argc, char **argv, const char *module, const char *what)
{
    char room[PATH_MAX + 64];
    const char *python = find_interpreter(room, sizeof room);
    char **arguments = calloc((size_t)argc + 3, sizeof *arguments);
    if (!arguments || !set_path() || !set_program()) {
        free(arguments);
        fprintf(stderr, "ritz: error: host memory ran out\n");
        return RITZ_EXIT_FAILED;
    }
    arguments[0] = (char *)python;
    arguments[1] = "-m";
    arguments[2] = (char *)module;
    for (int i = 1; i < argc; i++)
        arguments[i + 2] = argv[i];
    execvp(python, arguments);
    fprintf(stderr,
            "ritz: error: %s needs Python, and '%s' cannot be started: %s; install python3, or name one in the "
            "environment's RITZ_PYTHON\n",
            what, python, strerror(errno));
    free(arguments);
    return RITZ_EXIT_FAILED;
}

bool ritz_cli_wants_help(int argc, char **argv)
{
    return argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
}
