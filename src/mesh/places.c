/* The order in which callers know the cells and nodes of a mesh: by the numbers that these came with. */
#include "mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

typedef struct numbered {
    int64_t number;
    int32_t at;
} numbered;

static int by_number(const void *p, const void *q)
{
    const numbered *a = p, *b = q;
    return a->number != b->number ? (a->number > b->number) - (a->number < b->number)
                                  : (a->at > b->at) - (a->at < b->at);
}

static ritz_status sort_numbers(int32_t n, const int64_t *number, int32_t *place)
{
    ritz_status status = RITZ_OK;
    numbered *sorted = NULL;
    RITZ_NEW(sorted, n);
    for (int32_t i = 0; i < n; i++)
        sorted[i] = (numbered){number[i], i};
    qsort(sorted, (size_t)n, sizeof *sorted, by_number);
    for (int32_t i = 0; i < n; i++)
        place[sorted[i].at] = i;
done:
    ritz_free(sorted);
    return status;
}

/* The same by a table where numbers are dense, as almost always; *placed is false where they are not, or one comes twice. */
static ritz_status tabulate_numbers(int32_t n, const int64_t *number, int32_t *place, bool *placed)
{
    ritz_status status = RITZ_OK;
    int64_t low = INT64_MAX, high = INT64_MIN;
    int32_t *at = NULL, next = 0; /* at: by number */
    for (int32_t i = 0; i < n; i++) {
        low = ritz_min64(low, number[i]);
        high = ritz_max64(high, number[i]);
    }
    *placed = low >= 0 && high - low < (int64_t)4 * n;
    if (!*placed)
        return RITZ_OK;
    RITZ_NEW(at, high - low + 1);
    memset(at, -1, (size_t)(high - low + 1) * sizeof *at);
    for (int32_t i = 0; i < n; i++) {
        *placed = *placed && at[number[i] - low] < 0;
        at[number[i] - low] = i;
    }
    for (int64_t k = 0; *placed && k <= high - low; k++)
        if (at[k] >= 0)
            place[at[k]] = next++;
done:
    ritz_free(at);
    return status;
}

/* place[n]: how many numbers are less than each; equal ones in the order in which they stand. */
static ritz_status rank_numbers(int32_t n, const int64_t *number, int32_t *place)
{
    ritz_status status = RITZ_OK;
    bool placed = false;
    RITZ_TRY(tabulate_numbers(n, number, place, &placed));
    if (!placed)
        RITZ_TRY(sort_numbers(n, number, place));
done:
    return status;
}

ritz_status ritz_mesh_places(const ritz_mesh_block *block, int32_t **place)
{
    ritz_status status = RITZ_OK;
    int32_t *p = NULL;
    RITZ_NEW(p, block->n_cells);
    RITZ_TRY(rank_numbers(block->n_cells, block->number, p));
    *place = p;
    p = NULL;
done:
    ritz_free(p);
    return status;
}

ritz_status ritz_mesh_node_places(const ritz_mesh *mesh, int32_t **place)
{
    ritz_status status = RITZ_OK;
    int32_t *p = NULL, n_made = 0;
    RITZ_NEW(p, mesh->n_nodes);
    if (mesh->n_given == 0)
        RITZ_TRY(rank_numbers(mesh->n_nodes, mesh->node_number, p));
    for (int32_t n = 0; n < mesh->n_nodes; n++) {
        const bool made = mesh->node_number[n] < 0;
        if (mesh->n_given > 0)
            p[n] = made ? mesh->n_given + n_made : (int32_t)mesh->node_number[n];
        n_made += made;
    }
    for (int32_t n = 0; n < mesh->n_nodes && mesh->n_given == 0 && n_made > 0; n++) /* -1 stands first when sorted */
        p[n] += p[n] < n_made ? mesh->n_nodes - n_made : -n_made;
    *place = p;
    p = NULL;
done:
    ritz_free(p);
    return status;
}

/* The number of cells of a block whose numbers are less than `number`, or equal to it where `equal`. sorted[n]. */
static int64_t count_below(const int64_t *sorted, int32_t n, int64_t number, bool equal)
{
    int32_t low = 0, high = n;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (sorted[middle] < number || (equal && sorted[middle] == number))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

ritz_status ritz_mesh_places_of_all(const ritz_mesh *mesh, int64_t *place[RITZ_N_CELLS])
{
    ritz_status status = RITZ_OK;
    int32_t *in_block[RITZ_N_CELLS] = {NULL};
    int64_t *sorted[RITZ_N_CELLS] = {NULL}, *made[RITZ_N_CELLS] = {NULL};
    for (int b = 0; b < mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &mesh->blocks[b];
        RITZ_TRY(ritz_mesh_places(block, &in_block[b]));
        RITZ_NEW(sorted[b], block->n_cells);
        RITZ_NEW(made[b], block->n_cells);
        for (int32_t c = 0; c < block->n_cells; c++)
            sorted[b][in_block[b][c]] = block->number[c];
    }
    for (int b = 0; b < mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &mesh->blocks[b];
        for (int32_t c = 0; c < block->n_cells; c++) {
            made[b][c] = in_block[b][c];
            for (int other = 0; other < mesh->n_blocks; other++)
                if (other != b)
                    made[b][c] += count_below(sorted[other], mesh->blocks[other].n_cells, block->number[c], other < b);
        }
    }
    for (int b = 0; b < mesh->n_blocks; b++) {
        place[b] = made[b];
        made[b] = NULL;
    }
done:
    for (int b = 0; b < mesh->n_blocks; b++) {
        ritz_free(in_block[b]);
        ritz_free(sorted[b]);
        ritz_free(made[b]);
    }
    return status;
}

const ritz_mesh_block *ritz_mesh_find_block(const ritz_mesh *mesh, ritz_cell cell)
{
    for (int b = 0; b < mesh->n_blocks; b++)
        if (mesh->blocks[b].cell == cell)
            return &mesh->blocks[b];
    ritz_fail(RITZ_ERROR_INPUT, "the mesh has no %s cells", ritz_cell_name(cell));
    return NULL;
}
