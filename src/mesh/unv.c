/* Groups of I-DEAS universal files (.unv), looked through before Gmsh reads them: it crashes on groups of nodes, and on
   members that the file does not have. */
#include "mesh/formats.h"
#include "mesh/msh_scan.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 256, FINITE_ELEMENT = 8 };

typedef struct unv {
    const char *path;
    const char *at, *end;
    long number; /* of the line */
    char line[LINE];
    ritz_msh_numbers elements; /* labels of lines, surfaces and solids */
} unv;

static bool next_line(unv *u)
{
    if (u->at >= u->end)
        return false;
    const char *stop = memchr(u->at, '\n', (size_t)(u->end - u->at));
    const size_t length = (size_t)((stop ? stop : u->end) - u->at);
    snprintf(u->line, LINE, "%.*s", (int)(length < LINE ? length : LINE - 1), u->at);
    u->at = stop ? stop + 1 : u->end;
    u->number++;
    return true;
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

/* Elements up to the mark: label, descriptor, ..., number of nodes; a line more for beams; then eight nodes a line. */
static ritz_status take_elements(unv *u)
{
    ritz_status status = RITZ_OK;
    int64_t twice;
    while (next_line(u) && !is_mark(u)) {
        int label, descriptor, n_nodes;
        if (sscanf(u->line, "%d %d %*d %*d %*d %d", &label, &descriptor, &n_nodes) != 3)
            break;
        bool beam = descriptor >= 11 && descriptor <= 24;
        for (int i = beam ? -8 : 0; i < n_nodes && next_line(u); i += 8)
            ;
        if (descriptor >= 11 && descriptor <= 122)
            RITZ_TRY(ritz_msh_numbers_add(&u->elements, label));
    }
    RITZ_TRY(ritz_msh_numbers_close(&u->elements, &twice));
done:
    return status;
}

/* Members of a group, two a line: type, tag, and two more numbers each. */
static ritz_status check_members(unv *u, const char *name, int n)
{
    ritz_status status = RITZ_OK;
    for (int i = 0; i < n; i += 2) {
        int type[2] = {FINITE_ELEMENT, FINITE_ELEMENT}, label[2] = {0, 0};
        if (!next_line(u))
            break;
        int n_read = sscanf(u->line, "%d %d %*d %*d %d %d", &type[0], &label[0], &type[1], &label[1]);
        RITZ_REQUIRE(
            type[0] == FINITE_ELEMENT && type[1] == FINITE_ELEMENT, RITZ_ERROR_INPUT,
            "%s:%ld: group '%s' holds nodes, which cannot be read from .unv files; make it a group of faces or "
            "edges, or save the mesh as .msh",
            u->path, u->number, name);
        for (int k = 0; k < n_read / 2; k++)
            RITZ_REQUIRE(
                ritz_msh_numbers_has(&u->elements, label[k]), RITZ_ERROR_INPUT,
                "%s:%ld: group '%s' holds element %d, which is no line, surface or solid of the file; take it out "
                "of the group, or save the mesh as .msh",
                u->path, u->number, name, label[k]);
    }
done:
    return status;
}

/* Groups up to the mark that ends the dataset: a line of eight numbers, the last the count of members, then the name.
   */
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

ritz_status ritz_unv_check(const char *path, const char *data, int64_t n, ritz_model *model)
{
    ritz_status status = RITZ_OK;
    unv u = {.path = path, .at = data, .end = data + n};
    int dataset = 0;
    (void)model;
    while (next_line(&u)) {
        if (!is_mark(&u))
            continue;
        RITZ_REQUIRE(
            next_line(&u) && sscanf(u.line, "%d", &dataset) == 1, RITZ_ERROR_INPUT,
            "%s:%ld: the number of a dataset should stand after -1: the file is truncated or damaged; write or "
            "copy it again",
            path, u.number);
        if (holds_groups(dataset))
            RITZ_TRY(check_groups(&u));
        else if (dataset == 2412 && !u.elements.n)
            RITZ_TRY(take_elements(&u));
        while (!is_mark(&u) && next_line(&u))
            ;
        RITZ_REQUIRE(
            is_mark(&u), RITZ_ERROR_INPUT,
            "%s: the file ends inside dataset %d, without the -1 that closes it: it is truncated; write or copy "
            "it again",
            path, dataset);
    }
done:
    ritz_msh_numbers_free(&u.elements);
    return status;
}
