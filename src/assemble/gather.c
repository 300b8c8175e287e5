/* Assembly by rows: each block row of a chunk gathers what its elements give it (kernels/gather.cl). */
#include "assemble/adder.h"

struct ritz_gatherer {
    const ritz_system *system;
    int64_t chunk;
    int64_t n_chunks;
    int64_t *first_row; /* [n_chunks + 1] the chunk's first place in rows */
    ritz_buffer *rows, *start, *items;
    const ritz_buffer *positions;
    ritz_kernel *kernel;
};

void ritz_gatherer_destroy(ritz_gatherer **gatherer)
{
    if (!gatherer || !*gatherer)
        return;
    ritz_gatherer *g = *gatherer;
    ritz_buffer_destroy(&g->rows);
    ritz_buffer_destroy(&g->start);
    ritz_buffer_destroy(&g->items);
    ritz_free(g->first_row);
    ritz_free(g);
    *gatherer = NULL;
}

/* The rows that each chunk adds to, in increasing order, and the element rows that go there. */
typedef struct chunk_lists {
    int32_t *rows;  /* [first_row[n_chunks]] */
    int64_t *start; /* [first_row[n_chunks] + 1] into items */
    int32_t *items; /* [n_cells * n_shape] cell in the chunk * n_shape + i */
} chunk_lists;

/* Two passes over the nodes in increasing order: count what each chunk gets, then hand it out. */
static ritz_status list_chunks(const ritz_adder_options *o, ritz_gatherer *g, chunk_lists *lists)
{
    ritz_status status = RITZ_OK;
    int64_t *next_row = NULL, *next_item = NULL;
    const int64_t *start = o->pattern->incidence_start[o->batch], *incidence = o->pattern->incidence[o->batch];
    const int64_t n_items = (int64_t)o->cells->n_cells * o->cells->n_shape, per_chunk = o->chunk * o->cells->n_shape;
    RITZ_NEW(g->first_row, g->n_chunks + 1);
    RITZ_NEW(next_row, g->n_chunks);
    RITZ_NEW(next_item, g->n_chunks);
    for (int32_t node = 0; node < o->pattern->n_rows; node++)
        for (int64_t k = start[node]; k < start[node + 1]; k++) /* a node's cells increase, and so do their chunks */
            if (k == start[node] || incidence[k] / per_chunk != incidence[k - 1] / per_chunk)
                g->first_row[incidence[k] / per_chunk + 1]++;
    for (int64_t c = 0; c < g->n_chunks; c++) {
        g->first_row[c + 1] += g->first_row[c];
        next_row[c] = g->first_row[c];
        next_item[c] = c * per_chunk;
    }
    const int64_t n_rows = g->first_row[g->n_chunks];
    RITZ_NEW(lists->rows, n_rows);
    RITZ_NEW(lists->start, n_rows + 1);
    RITZ_NEW(lists->items, n_items);
    for (int32_t node = 0; node < o->pattern->n_rows; node++)
        for (int64_t k = start[node]; k < start[node + 1]; k++) {
            const int64_t c = incidence[k] / per_chunk;
            if (k == start[node] || c != incidence[k - 1] / per_chunk) {
                lists->rows[next_row[c]] = node;
                lists->start[next_row[c]++] = next_item[c];
            }
            lists->items[next_item[c]++] = (int32_t)(incidence[k] - c * per_chunk);
        }
    lists->start[n_rows] = n_items;
done:
    ritz_free(next_row);
    ritz_free(next_item);
    return status;
}

ritz_status ritz_gatherer_create(const ritz_adder_options *o, ritz_gatherer **gatherer)
{
    ritz_status status = RITZ_OK;
    static const char what[] = "the rows of assembly";
    ritz_gatherer *g = NULL;
    chunk_lists lists = {0};
    RITZ_NEW(g, 1);
    g->system = o->system;
    g->chunk = o->chunk;
    g->n_chunks = (o->cells->n_cells + o->chunk - 1) / o->chunk;
    RITZ_TRY(list_chunks(o, g, &lists));
    const int64_t n_rows = g->first_row[g->n_chunks], n_items = (int64_t)o->cells->n_cells * o->cells->n_shape;
    RITZ_TRY(ritz_buffer_create_from(o->device, lists.rows, n_rows * (int64_t)sizeof *lists.rows, what, &g->rows));
    RITZ_TRY(
        ritz_buffer_create_from(o->device, lists.start, (n_rows + 1) * (int64_t)sizeof *lists.start, what, &g->start));
    RITZ_TRY(ritz_buffer_create_from(o->device, lists.items, n_items * (int64_t)sizeof *lists.items, what, &g->items));
    g->positions = o->positions;
    RITZ_TRY(ritz_adder_kernel(o, "assemble/kernels/gather.cl", "gather", &g->kernel));
    *gatherer = g;
    g = NULL;
done:
    ritz_free(lists.rows);
    ritz_free(lists.start);
    ritz_free(lists.items);
    ritz_gatherer_destroy(&g);
    return status;
}

ritz_status ritz_gatherer_add(const ritz_gatherer *g, int64_t chunk, const ritz_buffer *matrices,
                              const ritz_buffer *vectors, double *seconds)
{
    const int64_t n_rows = g->first_row[chunk + 1] - g->first_row[chunk];
    const ritz_matrix *matrix = g->system->matrix;
    return RITZ_LAUNCH(g->kernel, ritz_adder_range(n_rows), seconds, RITZ_INT((int32_t)n_rows),
                       RITZ_LONG(g->first_row[chunk]), RITZ_LONG(chunk * g->chunk), RITZ_BUFFER(g->rows),
                       RITZ_BUFFER(g->start), RITZ_BUFFER(g->items), RITZ_BUFFER(g->positions), RITZ_BUFFER(matrices),
                       RITZ_BUFFER(vectors), RITZ_BUFFER(matrix->row_slot), RITZ_BUFFER(matrix->values),
                       RITZ_BUFFER(g->system->rhs));
}
