/* The sparsity pattern: a node's row holds a block for every node that shares a cell with it. Rows are made
   independently, in parallel, each with a small hash table that stays in the cache; the same pass tells where each
   element entry goes. */
#include "assemble/pattern.h"
#include "base/buckets.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_A_RUN = 2048 };

void ritz_pattern_destroy(ritz_pattern **pattern)
{
    if (!pattern || !*pattern)
        return;
    ritz_pattern *p = *pattern;
    for (int b = 0; b < p->n_batches; b++) {
        if (p->position)
            ritz_free(p->position[b]);
        if (p->incidence_start)
            ritz_free(p->incidence_start[b]);
        if (p->incidence)
            ritz_free(p->incidence[b]);
    }
    ritz_free(p->position);
    ritz_free(p->incidence_start);
    ritz_free(p->incidence);
    ritz_free(p->row_start);
    ritz_free(p->columns);
    ritz_free(p);
    *pattern = NULL;
}

static void nodes_of_items(const void *cell_nodes, int64_t first, int n, int32_t *node)
{
    memcpy(node, (const int32_t *)cell_nodes + first, (size_t)n * sizeof *node);
}

/* Columns of a run of rows, and room for making them. */
typedef struct row_run {
    int32_t *columns; /* room for all entries, of which no more is touched than there are columns */
    int64_t n_columns;
    int32_t *keys;    /* hash table, -1 free */
    uint16_t *places; /* the key's place in its row */
    int32_t *slots;   /* [most_entries] where in the table each entry of the row is */
    int32_t *found;   /* [most_entries + 3] the row's columns as they are met, */
    int32_t *at;      /* [most_entries] and where in the table they are */
    int64_t most_entries;
    int64_t table_size; /* a power of two */
    ritz_status status;
} row_run;

static int64_t find_column(const row_run *p, int32_t key)
{
    int64_t at = (int64_t)((uint32_t)key * UINT32_C(2654435769)) & (p->table_size - 1);
    while (p->keys[at] >= 0 && p->keys[at] != key)
        at = (at + 1) & (p->table_size - 1);
    return at;
}

typedef int32_t quad __attribute__((vector_size(4 * sizeof(int32_t))));

/* How many of 4 n_quads numbers are less. */
static int32_t count_less(int64_t n_quads, const int32_t *numbers, int32_t than)
{
    quad count = {0};
    for (int64_t q = 0; q < n_quads; q++) {
        quad four;
        memcpy(&four, numbers + 4 * q, sizeof four);
        count -= four < than; /* -1 where it holds */
    }
    return count[0] + count[1] + count[2] + count[3];
}

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Puts the n columns that were found in order, and their places into the table. Counting takes n^2 / 4 steps without a branch,
   which up to some 1000 columns is less than sorting takes. */
static void order_columns(row_run *p, int64_t n, int32_t *columns)
{
    enum { MOST_COUNTED = 1024 };
    const int64_t n_quads = (n + 3) / 4;
    if (n > MOST_COUNTED) {
        memcpy(columns, p->found, (size_t)n * sizeof *columns);
        qsort(columns, (size_t)n, sizeof *columns, by_number);
        for (int64_t k = 0; k < n; k++)
            p->places[find_column(p, columns[k])] = (uint16_t)k;
        return;
    }
    for (int64_t k = n; k < 4 * n_quads; k++)
        p->found[k] = INT32_MAX;
    for (int64_t k = 0; k < n; k++) {
        const int32_t place = count_less(n_quads, p->found, p->found[k]);
        columns[place] = p->found[k];
        p->places[p->at[k]] = (uint16_t)place;
    }
}

/* Room for a row of at most n columns: its hash table (twice as large) and the lists. */
static ritz_status reserve_row(row_run *p, int64_t n)
{
    ritz_status status = RITZ_OK;
    int64_t size = 64;
    while (size < 2 * n)
        size *= 2;
    if (size > p->table_size || size < p->table_size / 8) {
        RITZ_RESIZE(p->keys, size);
        RITZ_RESIZE(p->places, size);
        p->table_size = size;
    }
    memset(p->keys, 0xff, (size_t)p->table_size * sizeof *p->keys);
    if (n > p->most_entries) {
        RITZ_RESIZE(p->slots, 2 * n);
        RITZ_RESIZE(p->found, 2 * n + 3);
        RITZ_RESIZE(p->at, 2 * n);
        p->most_entries = 2 * n;
    }
done:
    return status;
}

/* Entries of the rows first .. last - 1, an upper bound of their blocks. */
static int64_t count_entries(const ritz_space *space, const ritz_pattern *pattern, int32_t first, int32_t last)
{
    int64_t n = 0;
    for (int b = 0; b < space->n_batches; b++)
        n += (pattern->incidence_start[b][last] - pattern->incidence_start[b][first]) * space->batches[b].n_shape;
    return n;
}

/* One row: its columns to the end of the row_run, and the positions of its element entries. */
static ritz_status make_row(const ritz_space *space, ritz_pattern *pattern, int32_t row, row_run *p)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(reserve_row(p, count_entries(space, pattern, row, row + 1)));
    int64_t n = 0, entry = 0;
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        for (int64_t k = pattern->incidence_start[b][row]; k < pattern->incidence_start[b][row + 1]; k++) {
            const int32_t *nodes = batch->cell_nodes + pattern->incidence[b][k] / batch->n_shape * batch->n_shape;
            for (int j = 0; j < batch->n_shape; j++) {
                const int64_t at = find_column(p, nodes[j]);
                if (p->keys[at] < 0) {
                    p->keys[at] = p->found[n] = nodes[j];
                    p->at[n++] = (int32_t)at;
                }
                p->slots[entry++] = (int32_t)at;
            }
        }
    }
    RITZ_REQUIRE(n <= RITZ_LONGEST_ROW, RITZ_ERROR_INPUT,
                 "node %d is joined to %lld others, more than %d: mesh this place with fewer cells around one point",
                 (int)row, (long long)n, (int)RITZ_LONGEST_ROW);
    order_columns(p, n, p->columns + p->n_columns);
    entry = 0;
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        for (int64_t k = pattern->incidence_start[b][row]; k < pattern->incidence_start[b][row + 1]; k++) {
            uint16_t *position = pattern->position[b] + pattern->incidence[b][k] * batch->n_shape;
            for (int j = 0; j < batch->n_shape; j++)
                position[j] = p->places[p->slots[entry++]];
        }
    }
    pattern->row_start[row + 1] = n;
    p->n_columns += n;
done:
    return status;
}

static ritz_status make_room(int64_t n, int32_t **columns)
{
    ritz_status status = RITZ_OK;
    RITZ_RESIZE(*columns, n);
done:
    return status;
}

/* Rows first..last-1 of one row_run. A message set on another thread would be lost: the caller tells. */
static void make_row_run(const ritz_space *space, ritz_pattern *pattern, int32_t first, int32_t last, row_run *p)
{
    p->status = make_room(count_entries(space, pattern, first, last), &p->columns);
    for (int32_t row = first; row < last && p->status == RITZ_OK && !ritz_is_interrupted(); row++)
        p->status = make_row(space, pattern, row, p);
    ritz_free(p->keys);
    ritz_free(p->places);
    ritz_free(p->slots);
    ritz_free(p->found);
    ritz_free(p->at);
}

ritz_status ritz_pattern_list_cells(const ritz_space *space, ritz_pattern **pattern)
{
    ritz_status status = RITZ_OK;
    ritz_pattern *p = NULL;
    RITZ_NEW(p, 1);
    p->n_rows = space->n_nodes;
    p->n_batches = space->n_batches;
    RITZ_NEW(p->row_start, (int64_t)p->n_rows + 1);
    RITZ_NEW(p->position, p->n_batches);
    RITZ_NEW(p->incidence, p->n_batches);
    RITZ_NEW(p->incidence_start, p->n_batches);
    for (int b = 0; b < p->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        RITZ_TRY(ritz_fill_buckets((int64_t)batch->n_cells * batch->n_shape, p->n_rows, nodes_of_items,
                                   batch->cell_nodes, &p->incidence_start[b], &p->incidence[b]));
    }
    *pattern = p;
    p = NULL;
done:
    ritz_pattern_destroy(&p);
    return status;
}

ritz_status ritz_pattern_create(const ritz_space *space, ritz_pattern **pattern)
{
    ritz_status status = RITZ_OK;
    ritz_pattern *p = NULL;
    row_run *runs = NULL;
    const int64_t n_runs = ((int64_t)space->n_nodes + ROWS_A_RUN - 1) / ROWS_A_RUN;
    RITZ_TRY(ritz_pattern_list_cells(space, &p));
    for (int b = 0; b < p->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        RITZ_NEW(p->position[b], (int64_t)batch->n_cells * batch->n_shape * batch->n_shape);
    }
    RITZ_NEW(runs, n_runs);
#pragma omp parallel for schedule(dynamic)
    for (int64_t k = 0; k < n_runs; k++)
        make_row_run(space, p, (int32_t)(k * ROWS_A_RUN), (int32_t)ritz_min64((k + 1) * ROWS_A_RUN, p->n_rows),
                     &runs[k]);
    RITZ_TRY(ritz_check_interrupt());
    for (int64_t k = 0; k < n_runs; k++) {
        RITZ_REQUIRE(runs[k].status != RITZ_ERROR_MEMORY, RITZ_ERROR_MEMORY,
                     "host memory ran out while the matrix pattern was made");
        RITZ_REQUIRE(runs[k].status == RITZ_OK, RITZ_ERROR_INPUT, RITZ_LONG_ROW_TEXT, (int)RITZ_LONGEST_ROW);
    }
    for (int32_t row = 0; row < p->n_rows; row++)
        p->row_start[row + 1] += p->row_start[row];
    RITZ_NEW(p->columns, p->row_start[p->n_rows]);
#pragma omp parallel for
    for (int64_t k = 0; k < n_runs; k++)
        memcpy(p->columns + p->row_start[k * ROWS_A_RUN], runs[k].columns,
               (size_t)runs[k].n_columns * sizeof *p->columns);
    *pattern = p;
    p = NULL;
done:
    for (int64_t k = 0; runs && k < n_runs; k++)
        ritz_free(runs[k].columns);
    ritz_free(runs);
    ritz_pattern_destroy(&p);
    return status;
}
