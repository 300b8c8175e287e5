/* The files that a run reads: none of them may be written. */
#include "problem/drive.h"

#include <string.h>
#include <sys/stat.h>

bool ritz_is_same_file(const char *one, const char *other)
{
    struct stat a, b;
    return strcmp(one, other) == 0 ||
           (stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

/* name: as the problem has it; NULL: none. */
static ritz_status refuse_named(const ritz_problem *problem, const char *name, const char *path)
{
    ritz_status status = RITZ_OK;
    char *whole = NULL;
    if (name)
        RITZ_TRY(ritz_problem_path(problem, name, &whole));
    RITZ_REQUIRE(!name || !ritz_is_same_file(whole, path), RITZ_ERROR_INPUT,
                 "the result %s would take the place of a file that the problem reads; name another file", path);
done:
    ritz_free(whole);
    return status;
}

/* Values at nodes that loads are made from. */
static ritz_status refuse_loads(const ritz_problem *problem, const ritz_loads *loads, const char *path)
{
    ritz_status status = RITZ_OK;
    for (int k = 0; k < problem->physics->n_body_loads; k++) {
        const ritz_nodal_source *source = loads->body[k].nodal;
        if (source) {
            RITZ_TRY(refuse_named(problem, source->result, path));
            RITZ_TRY(refuse_named(problem, source->nodes, path));
        }
    }
done:
    return status;
}

ritz_status ritz_refuse_input(const ritz_problem *problem, const char *path)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_problem *deck = &problem->deck;
    bool is_read = ritz_is_same_file(problem->file, path);
    for (int i = 0; i < deck->n_files; i++)
        is_read = is_read || ritz_is_same_file(deck->files[i], path);
    RITZ_REQUIRE(!is_read, RITZ_ERROR_INPUT, "the result %s would take the place of the problem; name another file",
                 path);
    RITZ_TRY(refuse_named(problem, problem->mesh_path, path));
    RITZ_TRY(refuse_named(problem, problem->form_path, path));
    RITZ_TRY(refuse_loads(problem, &problem->loads, path));
    for (int c = 0; c < problem->n_cases; c++)
        RITZ_TRY(refuse_loads(problem, &problem->cases[c].loads, path));
done:
    return status;
}
