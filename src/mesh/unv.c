/* Groups of I-DEAS universal files (.unv), looked through before Gmsh reads them: it crashes on groups of nodes. */
#include "mesh/raw.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 256, FINITE_ELEMENT = 8 };

typedef struct unv {
    const char *path;
    FILE *file;
    long number; /* of the line */
    char line[LINE];
} unv;

static bool next_line(unv *u)
{
    u->number++;
    return fgets(u->line, LINE, u->file) != NULL;
}

/* The line "-1" stands before and after each dataset. */
static bool is_mark(const unv *u)
{
    int value, end = 0;
    return sscanf(u->line, "%d %n", &value, &end) == 1 && value == -1 && u->line[end] == 0;
}

static bool holds_groups(int dataset)
{
    static const int sets[] = {2429, 2430, 2432, 2435, 2452, 2467, 2477};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if (sets[i] == dataset)
            return true;
    }
    return false;
}

/* Members of a group, two a line: type, tag, and two more numbers each. */
static ritz_status check_members(unv *u, const char *name, int n)
{
    ritz_status status = RITZ_OK;
    for (int i = 0; i < n; i += 2) {
        int type[2] = {FINITE_ELEMENT, FINITE_ELEMENT};
        if (!next_line(u))
            break;
        sscanf(u->line, "%d %*d %*d %*d %d", &type[0], &type[1]);
        RITZ_REQUIRE(
            type[0] == FINITE_ELEMENT && type[1] == FINITE_ELEMENT, RITZ_ERROR_INPUT,
            "%s:%ld: group '%s' holds nodes, which cannot be read from .unv files; make it a group of faces or "
            "edges, or save the mesh as .msh",
            u->path, u->number, name);
    }
done:
    return status;
}

/* Groups up to the mark that ends the dataset: a line of eight numbers, the last the count of members, then the name. */
static ritz_status check_groups(unv *u)
{
    ritz_status status = RITZ_OK;
    while (next_line(u) && !is_mark(u)) {
        int n = 0;
        char name[LINE] = "";
        if (sscanf(u->line, "%*d %*d %*d %*d %*d %*d %*d %d", &n) != 1 || !next_line(u))
            break;
        sscanf(u->line, " %255[^\r\n]", name);
        RITZ_TRY(check_members(u, name, n));
    }
done:
    return status;
}

ritz_status ritz_unv_check(const char *path)
{
    ritz_status status = RITZ_OK;
    unv u = {.path = path, .file = fopen(path, "r")};
    int dataset;
    RITZ_REQUIRE(u.file, RITZ_ERROR_FILE, "%s: cannot be opened: %s; check the path", path, strerror(errno));
    while (next_line(&u)) {
        if (!is_mark(&u) || !next_line(&u) || sscanf(u.line, "%d", &dataset) != 1)
            continue;
        if (holds_groups(dataset)) {
            RITZ_TRY(check_groups(&u));
            continue;
        }
        while (next_line(&u) && !is_mark(&u))
            ;
    }
done:
    if (u.file)
        fclose(u.file);
    return status;
}
