/* The order in which callers know the cells of a mesh: by the numbers that these came with. */
#include "mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

typedef struct numbered {
    int64_t number;
    int32_t cell;
} numbered;

static int by_number(const void *p, const void *q)
{
    const numbered *a = p, *b = q;
    return a->number != b->number ? (a->number > b->number) - (a->number < b->number)
                                  : (a->cell > b->cell) - (a->cell < b->cell);
}

static ritz_status sort_numbers(const ritz_mesh_block *block, int32_t *place)
{
    ritz_status status = RITZ_OK;
    numbered *cells = NULL;
    RITZ_NEW(cells, block->n_cells);
    for (int32_t c = 0; c < block->n_cells; c++)
        cells[c] = (numbered){block->number[c], c};
    qsort(cells, (size_t)block->n_cells, sizeof *cells, by_number);
    for (int32_t i = 0; i < block->n_cells; i++)
        place[cells[i].cell] = i;
done:
    ritz_free(cells);
    return status;
}

/* The same by a table where numbers are dense, as almost always; *placed is false where they are not, or one comes twice. */
static ritz_status tabulate_numbers(const ritz_mesh_block *block, int32_t *place, bool *placed)
{
    ritz_status status = RITZ_OK;
    int64_t low = INT64_MAX, high = INT64_MIN;
    int32_t *cell = NULL, n = 0; /* cell of each number */
    for (int32_t c = 0; c < block->n_cells; c++) {
        low = ritz_min64(low, block->number[c]);
        high = ritz_max64(high, block->number[c]);
    }
    *placed = low >= 0 && high - low < (int64_t)4 * block->n_cells;
    if (!*placed)
        return RITZ_OK;
    RITZ_NEW(cell, high - low + 1);
    memset(cell, -1, (size_t)(high - low + 1) * sizeof *cell);
    for (int32_t c = 0; c < block->n_cells; c++) {
        *placed = *placed && cell[block->number[c] - low] < 0;
        cell[block->number[c] - low] = c;
    }
    for (int64_t k = 0; *placed && k <= high - low; k++)
        if (cell[k] >= 0)
            place[cell[k]] = n++;
done:
    ritz_free(cell);
    return status;
}

ritz_status ritz_mesh_places(const ritz_mesh_block *block, int32_t **place)
{
    ritz_status status = RITZ_OK;
    int32_t *p = NULL;
    bool placed = false;
    RITZ_NEW(p, block->n_cells);
    RITZ_TRY(tabulate_numbers(block, p, &placed));
    if (!placed)
        RITZ_TRY(sort_numbers(block, p));
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

ritz_status ritz_mesh_cell_numbers(const ritz_mesh *mesh, ritz_cell cell, int64_t *numbers)
{
    ritz_status status = RITZ_OK;
    int32_t *place = NULL;
    RITZ_REQUIRE_POINTER(mesh);
    RITZ_REQUIRE_POINTER(numbers);
    const ritz_mesh_block *block = ritz_mesh_find_block(mesh, cell);
    RITZ_TRY(block ? ritz_mesh_places(block, &place) : RITZ_ERROR_INPUT);
    for (int32_t c = 0; c < block->n_cells; c++)
        numbers[place[c]] = block->number[c];
done:
    ritz_free(place);
    return status;
}
