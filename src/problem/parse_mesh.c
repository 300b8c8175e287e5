/* The keys that say where the mesh comes from: a file, a geometry, a box. */
#include "problem/problem.h"

#include <string.h>

static ritz_status read_cell(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    if (node->kind != RITZ_NODE_SCALAR)
        return ritz_wrong_type(node, key, "the name of a cell");
    ritz_status status = ritz_cell_from_name(node->text, target);
    return status == RITZ_OK ? status : ritz_fail_context_at(status, &node->place);
}

static ritz_status read_share(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_read_real(node, key, target, context));
    RITZ_REQUIRE_AT(*(double *)target >= 0 && *(double *)target <= 0.4, &node->place,
                    "'%s' must be between 0 and 0.4; got %g", key->name, *(double *)target);
done:
    return status;
}

static ritz_status read_lengths(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    double *length = target;
    RITZ_TRY(ritz_read_reals(node, key, target, context));
    for (int i = 0; i < node->n; i++)
        RITZ_REQUIRE_AT(length[i] > 0, &node->values[i]->place, "'%s' takes lengths greater than 0, like  %s; got %g",
                        key->name, key->example, length[i]);
done:
    return status;
}

static const ritz_key box_keys[] = {
    {.name = "cells",
     .read = ritz_read_integers,
     .offset = offsetof(ritz_box, cells),
     .example = "cells: [4, 4, 4]",
     .required = true,
     .least = 1,
     .most = 100000},
    {.name = "cell", .read = read_cell, .offset = offsetof(ritz_box, cell), .example = "cell: hex"},
    {.name = "size",
     .read = read_lengths,
     .offset = offsetof(ritz_box, size),
     .example = "size: [1, 1, 1]",
     .least = 2,
     .most = 3},
    {.name = "origin",
     .read = ritz_read_reals,
     .offset = offsetof(ritz_box, origin),
     .example = "origin: [0, 0, 0]",
     .least = 2,
     .most = 3},
    {.name = "distort", .read = read_share, .offset = offsetof(ritz_box, distort), .example = "distort: 0.2"},
};

/* Which of cells, size and origin fit the cell's dimension; without `cell` the number of divisions tells it. */
static ritz_status read_box(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)key, (void)target;
    ritz_status status = RITZ_OK;
    ritz_problem *problem = context;
    problem->mesh_source = RITZ_MESH_BOX;
    problem->box = (ritz_box){.cell = RITZ_N_CELLS, .cells = {0}};
    RITZ_TRY(ritz_read_map(node, "a box", box_keys, RITZ_N_KEYS(box_keys), &problem->box, context));
    const bool flat = problem->box.cells[2] == 0;
    if (problem->box.cell == RITZ_N_CELLS)
        problem->box.cell = flat ? RITZ_QUAD : RITZ_HEX;
    const int dim = ritz_cell_dim(problem->box.cell);
    RITZ_REQUIRE_AT(dim == 2 || !flat, &node->place,
                    "a box of %s cells takes three numbers in cells, like  cells: [4, 4, 4]",
                    ritz_cell_name(problem->box.cell));
    RITZ_REQUIRE_AT(dim == 3 || flat, &node->place, "a box of %s cells takes two numbers in cells, like  cells: [4, 4]",
                    ritz_cell_name(problem->box.cell));
    double cells = 1;
    for (int d = 0; d < dim; d++)
        cells *= problem->box.cells[d];
    RITZ_REQUIRE_AT(cells <= 2e8, &node->place, "a box of %.3g divisions is too large; take fewer cells", cells);
    for (int d = 0; d < dim; d++)
        RITZ_REQUIRE_AT(problem->box.size[0] == 0 || problem->box.size[d] > 0, &node->place,
                        "a box of %s cells takes three numbers in size, like  size: [1, 1, 1]",
                        ritz_cell_name(problem->box.cell));
done:
    return status;
}

static const ritz_key mesh_keys[] = {
    {.name = "box", .read = read_box, .example = "box: {cells: [4, 4, 4], size: [1, 1, 1], cell: hex}"},
    {.name = "file", .read = ritz_read_text, .offset = offsetof(ritz_problem, mesh_path), .example = "file: part.msh"},
};

ritz_status ritz_read_mesh(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_problem *problem = target;
    problem->mesh_place = node->place;
    if (node->kind == RITZ_NODE_SCALAR)
        return ritz_read_text(node, key, &problem->mesh_path, context);
    problem->mesh_source = RITZ_MESH_FILE;
    RITZ_TRY(ritz_read_map(node, "mesh", mesh_keys, RITZ_N_KEYS(mesh_keys), problem, context));
    RITZ_REQUIRE_AT((problem->mesh_source == RITZ_MESH_BOX) != (problem->mesh_path != NULL), &node->place,
                    "mesh takes either a file or a box, like  mesh: part.msh  or  mesh: {box: {cells: [4, 4, 4]}}");
done:
    return status;
}

ritz_status ritz_read_geometry(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_problem *problem = target;
    RITZ_REQUIRE_AT(problem->mesh_place.line == 0 && !problem->mesh_place.setting, &node->place,
                    "both 'mesh' and 'geometry' are given; a problem has one of them");
    problem->mesh_source = RITZ_MESH_GEOMETRY;
    problem->mesh_place = node->place;
    RITZ_TRY(ritz_read_text(node, key, &problem->mesh_path, context));
done:
    return status;
}

ritz_status ritz_read_glue(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    ritz_problem *problem = target;
    if (node->kind != RITZ_NODE_SCALAR || (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0))
        return ritz_wrong_type(node, key, "true or false");
    problem->glue = strcmp(node->text, "true") == 0;
    problem->glue_place = node->place;
    return RITZ_OK;
}

ritz_status ritz_read_contact(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)key, (void)context;
    ritz_status status = RITZ_OK;
    ritz_problem *problem = target;
    RITZ_REQUIRE_AT(node->kind == RITZ_NODE_SCALAR && strcmp(node->text, "none") == 0, &node->place,
                    "'contact' takes one word:  contact: none  says that bodies which touch are not connected; to join "
                    "them add  glue: true");
    RITZ_REQUIRE_AT(!problem->glue, &node->place,
                    "'glue: true' joins bodies where they touch, and 'contact: none' keeps them apart; choose one");
    problem->no_contact = true;
done:
    return status;
}
