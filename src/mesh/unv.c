/* Groups of I-DEAS universal files (.unv), looked through before Gmsh reads them: it crashes on groups of nodes, and on
   members that the file does not have. Groups of nodes are taken here, and Gmsh gets a copy of the file without them. */
#include "mesh/formats.h"
#include "mesh/msh_scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 256, NODE = 7, FINITE_ELEMENT = 8 };

typedef struct unv {
    const char *path;
    const char *at, *end;
    long number; /* of the line */
    char line[LINE];
    ritz_msh_numbers elements; /* labels of lines, surfaces and solids */
    ritz_model *model;
    const char *kept; /* what stands from here to a group of nodes goes into the copy */
    ritz_text copy;
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

/* Members of a group, two a line: type, label, and two more numbers each. *nodes: they are nodes, which are taken. */
static ritz_status take_members(unv *u, const char *name, int n, bool *nodes)
{
    ritz_status status = RITZ_OK;
    *nodes = false;
    for (int i = 0; i < n; i += 2) {
        int type[2], label[2];
        if (!next_line(u))
            break;
        const int n_read = sscanf(u->line, "%d %d %*d %*d %d %d", &type[0], &label[0], &type[1], &label[1]) / 2;
        if (i == 0 && n_read > 0 && type[0] == NODE) {
            *nodes = true;
            RITZ_TRY(ritz_model_add_node_group(u->model, name));
        }
        for (int k = 0; k < n_read; k++) {
            RITZ_REQUIRE(type[k] == (*nodes ? NODE : FINITE_ELEMENT), RITZ_ERROR_INPUT,
                         "%s:%ld: group '%s' holds nodes beside elements, or what is neither; make groups of elements "
                         "and groups of nodes",
                         u->path, u->number, name);
            RITZ_REQUIRE(
                *nodes || ritz_msh_numbers_has(&u->elements, label[k]), RITZ_ERROR_INPUT,
                "%s:%ld: group '%s' holds element %d, which is no line, surface or solid of the file; take it out "
                "of the group, or save the mesh as .msh",
                u->path, u->number, name, label[k]);
            if (*nodes)
                RITZ_TRY(ritz_model_add_group_node(u->model, label[k]));
        }
    }
done:
    return status;
}

/* Groups up to the mark that ends the dataset: a line of eight numbers, the last the count of members, then the name.
   */
static ritz_status check_groups(unv *u)
{
    ritz_status status = RITZ_OK;
    const char *group = u->at;
    for (; next_line(u) && !is_mark(u); group = u->at) {
        int n = 0;
        bool nodes;
        char name[LINE] = "";
        if (sscanf(u->line, "%*d %*d %*d %*d %*d %*d %*d %d", &n) != 1 || !next_line(u))
            break;
        sscanf(u->line, " %255[^\r\n]", name);
        RITZ_TRY(take_members(u, name, n, &nodes));
        if (nodes) {
            ritz_text_add(&u->copy, "%.*s", (int)(group - u->kept), u->kept);
            u->kept = u->at;
        }
    }
done:
    return status;
}

/* An empty temporary file whose name ends in .unv, since Gmsh goes by the ending; removed with the model. */
static ritz_status create_stand_in(unv *u, FILE **file)
{
    ritz_status status = RITZ_OK;
    const char *folder = getenv("TMPDIR");
    char *path = NULL, *ended = NULL;
    int descriptor = -1;
    RITZ_TRY(ritz_format(&path, "%s/ritz-XXXXXX", folder && *folder ? folder : "/tmp"));
    descriptor = mkstemp(path);
    RITZ_REQUIRE(descriptor >= 0, RITZ_ERROR_FILE, "%s: no temporary file %s can be made: %s; set TMPDIR", u->path,
                 path, strerror(errno));
    status = ritz_format(&ended, "%s.unv", path);
    if (status || rename(path, ended) != 0) {
        unlink(path);
        RITZ_TRY(status);
        RITZ_FAIL(RITZ_ERROR_FILE, "%s: the temporary file %s can not be named: %s", u->path, ended, strerror(errno));
    }
    u->model->stand_in = ended;
    ended = NULL;
    RITZ_TRY(ritz_temporary_add(u->model->stand_in));
    *file = fdopen(descriptor, "w");
    RITZ_REQUIRE(*file, RITZ_ERROR_FILE, "%s: %s can not be opened: %s", u->path, u->model->stand_in, strerror(errno));
    descriptor = -1;
done:
    if (descriptor >= 0)
        close(descriptor);
    ritz_free(path);
    ritz_free(ended);
    return status;
}

/* The file without its groups of nodes, for Gmsh. */
static ritz_status write_stand_in(unv *u)
{
    ritz_status status = RITZ_OK;
    char *text = NULL;
    FILE *file = NULL;
    ritz_text_add(&u->copy, "%.*s", (int)(u->end - u->kept), u->kept);
    const int64_t n = u->copy.length;
    RITZ_TRY(ritz_text_take(&u->copy, &text));
    RITZ_TRY(create_stand_in(u, &file));
    RITZ_REQUIRE(fwrite(text, 1, (size_t)n, file) == (size_t)n && fflush(file) == 0, RITZ_ERROR_FILE,
                 "%s: a temporary copy, %s, can not be written: %s; set TMPDIR", u->path, u->model->stand_in,
                 strerror(errno));
done:
    if (file)
        fclose(file);
    ritz_free(text);
    return status;
}

ritz_status ritz_unv_check(const char *path, const char *data, int64_t n, ritz_model *model)
{
    ritz_status status = RITZ_OK;
    unv u = {.path = path, .at = data, .end = data + n, .model = model, .kept = data};
    int dataset = 0;
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
    if (model->n_node_groups > 0) {
        RITZ_REQUIRE(n < INT32_MAX, RITZ_ERROR_INPUT,
                     "%s: groups of nodes are read from .unv files up to 2 GB; save the mesh as .msh", path);
        RITZ_TRY(write_stand_in(&u));
    }
done:
    ritz_text_free(&u.copy);
    ritz_msh_numbers_free(&u.elements);
    return status;
}
