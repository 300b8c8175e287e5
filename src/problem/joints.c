/* Where the cells of a mesh touch without sharing nodes: joined if the problem says `glue`, reported otherwise. */
#include "problem/drive.h"

#include <stdio.h>
#include <stdlib.h>

ritz_status ritz_join_mesh(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    int64_t n_nodes = 0, n_cells = 0;
    if (!problem->glue)
        return RITZ_OK;
    if ((status = ritz_mesh_glue(drive->mesh, &n_nodes, &n_cells)) == RITZ_ERROR_INPUT)
        ritz_fail_context_at(status, &problem->glue_place);
    RITZ_TRY(status);
    if (n_nodes == 0 && problem->mesh_source == RITZ_MESH_GEOMETRY)
        ritz_stage_line(
            problem,
            "glue       no nodes left to join: bodies of the geometry that touch were meshed with shared faces");
    else
        ritz_stage_line(problem, "glue       %lld coincident node%s joined", (long long)n_nodes,
                        n_nodes == 1 ? "" : "s");
    if (n_cells > 0)
        ritz_stage_line(problem,
                        "warning    %lld cell%s stood at the place of another one and %s taken once; if that is not "
                        "intended, remove the part that is there twice",
                        (long long)n_cells, n_cells == 1 ? "" : "s", n_cells == 1 ? "was" : "were");
done:
    return status;
}

/* The name of a group of the first cell that has the node, NULL if it is in none. */
static const char *group_at(const ritz_mesh *mesh, int32_t node)
{
    for (int b = 0; b < mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &mesh->blocks[b];
        for (int64_t i = 0; i < (int64_t)block->n_cells * block->n_nodes; i++) {
            const ritz_group_set *set = &mesh->sets[block->set[i / block->n_nodes]];
            if (block->nodes[i] == node)
                return set->n_groups ? mesh->groups[set->groups[0]].name : NULL;
        }
    }
    return NULL;
}

static void warn_of_coincidence(const ritz_drive *drive, const ritz_coincidence *found)
{
    const ritz_mesh *mesh = drive->mesh;
    const double *x = &mesh->nodes[3 * (int64_t)found->first];
    const char *one = group_at(mesh, found->other), *other = group_at(mesh, found->first);
    char groups[256] = "";
    if (one && other && one == other)
        snprintf(groups, sizeof groups, " in the group '%.100s'", one);
    else if (one && other)
        snprintf(groups, sizeof groups, " between the groups '%.100s' and '%.100s'", one, other);
    ritz_stage_line(
        drive->problem,
        "warning    %lld node%s at the same place as another one, one at (%g, %g, %g)%s: the cells are not joined "
        "there%s; add  glue: true  to join them, or  contact: none  if that is intended",
        (long long)found->n, found->n == 1 ? " stands" : "s stand", x[0], x[1], x[2], groups,
        drive->problem->joins.n_equations > 0 ? " but by equations" : " and are solved separately");
}

/* ---- Faces of two kinds ---- */

/* Three vertices in ascending order, those of an outer quadrilateral but one. */
typedef struct corner {
    int32_t vertex[3];
} corner;

static corner sort_corner(int32_t a, int32_t b, int32_t c)
{
    const int32_t low = a < b ? a : b, high = a < b ? b : a;
    return (corner){{c < low ? c : low, c < low ? low : c < high ? c : high, c < high ? high : c}};
}

static int compare_corners(const void *a, const void *b)
{
    const int32_t *x = ((const corner *)a)->vertex, *y = ((const corner *)b)->vertex;
    int k = 0;
    while (k < 2 && x[k] == y[k])
        k++;
    return (x[k] > y[k]) - (x[k] < y[k]);
}

/* How many triangles are halves of quadrilaterals, both of one cell each; first: the facet of one. */
static ritz_status find_halves(const ritz_mesh_facet *outer, int64_t n_outer, int64_t *n, int64_t *first)
{
    ritz_status status = RITZ_OK;
    int64_t n_quads = 0, n_corners = 0;
    corner *corners = NULL;
    *n = 0;
    for (int64_t f = 0; f < n_outer; f++)
        n_quads += outer[f].n == 4;
    if (n_quads == 0 || n_quads == n_outer)
        return RITZ_OK;
    RITZ_NEW(corners, 4 * n_quads);
    for (int64_t f = 0; f < n_outer; f++)
        for (int k = 0; k < 4 && outer[f].n == 4; k++) {
            const int32_t *v = outer[f].vertices;
            corners[n_corners++] = sort_corner(v[k], v[(k + 1) % 4], v[(k + 2) % 4]);
        }
    qsort(corners, (size_t)n_corners, sizeof *corners, compare_corners);
    for (int64_t f = 0; f < n_outer; f++) {
        if (outer[f].n != 3)
            continue;
        const corner half = sort_corner(outer[f].vertices[0], outer[f].vertices[1], outer[f].vertices[2]);
        if (bsearch(&half, corners, (size_t)n_corners, sizeof *corners, compare_corners) && (*n)++ == 0)
            *first = f;
    }
done:
    ritz_free(corners);
    return status;
}

/* *any: there are some. */
static ritz_status warn_of_halves(const ritz_drive *drive, const ritz_mesh_facet *outer, int64_t n_outer, bool *any)
{
    ritz_status status = RITZ_OK;
    int64_t n, first;
    RITZ_TRY(find_halves(outer, n_outer, &n, &first));
    *any = n > 0;
    if (*any) {
        const double *x = &drive->mesh->nodes[3 * (int64_t)outer[first].vertices[0]];
        ritz_stage_line(drive->problem,
                        "warning    %lld triangle%s half of a quadrilateral of another cell, one at (%g, %g, %g): the "
                        "solution has a gap between them, since they share vertices and no face, or the cells lie in "
                        "one another; mesh both sides with one kind of face, or apart and joined by  ties",
                        (long long)n, n == 1 ? " is" : "s are", x[0], x[1], x[2]);
    }
done:
    return status;
}

/* ---- Hinges ---- */

/* Pieces that may turn although the part is held. The loads may leave that alone, so it is no error. */
static ritz_status warn_of_hinges(const ritz_drive *drive, const ritz_mesh_facet *outer, int64_t n_outer)
{
    ritz_status status = RITZ_OK;
    int32_t *piece = NULL, n_pieces;
    uint8_t *held = NULL;
    if (ritz_space_n_rigid_motions(drive->space) == 0 || ritz_data_stop_constants(drive))
        return RITZ_OK;
    RITZ_TRY(ritz_mesh_find_pieces(drive->mesh, outer, n_outer, &piece, &n_pieces));
    if (!piece)
        return RITZ_OK;
    RITZ_TRY(ritz_list_held(drive, &held));
    status = ritz_constraints_check_pieces(drive->space, drive->constraints, held, piece, n_pieces);
    if (status == RITZ_ERROR_INPUT) {
        ritz_stage_line(drive->problem, "warning    %s, or join the pieces by faces", ritz_message());
        status = RITZ_OK;
    }
done:
    ritz_free(piece);
    ritz_free(held);
    return status;
}

/* A box has no such places; a file or a geometry of several volumes may. */
ritz_status ritz_warn_of_joints(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const bool apart = problem->no_contact || problem->joins.n_ties > 0; /* and joined otherwise */
    ritz_mesh_facet *outer = NULL;
    ritz_coincidence found = {0};
    int64_t n_outer = 0, n = 0;
    int32_t first = -1;
    bool halves = false;
    if (problem->mesh_source == RITZ_MESH_BOX)
        return RITZ_OK;
    RITZ_TRY(ritz_mesh_outer_facets(drive->mesh, &outer, &n_outer));
    if (!apart)
        RITZ_TRY(ritz_mesh_find_coincident(drive->mesh, outer, n_outer, NULL, &found));
    if (found.n > 0)
        warn_of_coincidence(drive, &found);
    RITZ_TRY(ritz_find_hanging(drive->mesh, outer, n_outer, apart, &n, &first));
    if (n > 0) {
        const double *x = &drive->mesh->nodes[3 * (int64_t)first];
        ritz_stage_line(problem,
                        "warning    %lld vert%s inside faces or edges of other cells, one at (%g, %g, %g): the cells "
                        "are not joined there and the solution has a gap; make the mesh conforming",
                        (long long)n, n == 1 ? "ex lies" : "ices lie", x[0], x[1], x[2]);
    }
    RITZ_TRY(warn_of_halves(drive, outer, n_outer, &halves));
    if (!halves)
        RITZ_TRY(warn_of_hinges(drive, outer, n_outer));
done:
    ritz_free(outer);
    return status;
}
