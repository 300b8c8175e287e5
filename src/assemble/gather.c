/* Assembly by rows: each block row of a chunk gathers what its elements give it, by one work-item (kernels/gather.cl) or by
   several (kernels/gather_shared.cl). */
#include "assemble/adder.h"

#include "device/tuning.h"

#include <stdio.h>

struct ritz_gatherer {
    const ritz_system *system;
    int64_t chunk;
    int64_t n_chunks;
    int64_t *first_row; /* [n_chunks + 1] the chunk's first place in rows */
    ritz_buffer *rows, *start, *items;
    const ritz_buffer *positions;
    int lanes, group; /* rows and work-items of a group that sums in local memory; lanes 0: a work-item a row */
    int64_t sums;     /* bytes that its kernel is given for that */
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

/* How far the lists of a chunk have come. */
typedef struct list_ends {
    int64_t row, item;
} list_ends;

/* Goes through the nodes first .. last - 1 in increasing order. lists NULL: counts what each chunk gets; else hands it
   out. ends[n_chunks] */
static void visit_nodes(const ritz_adder_options *o, int32_t first, int32_t last, list_ends *ends, chunk_lists *lists)
{
    const int64_t *start = o->pattern->incidence_start[o->batch], *incidence = o->pattern->incidence[o->batch];
    const int64_t per_chunk = o->chunk * o->cells->n_shape;
    for (int32_t node = first; node < last; node++)
        for (int64_t k = start[node], chunk = -1; k < start[node + 1]; k++) {
            const int64_t c = incidence[k] / per_chunk; /* a node's cells increase, and so do their chunks */
            if (c != chunk) {
                if (lists) {
                    lists->rows[ends[c].row] = node;
                    lists->start[ends[c].row] = ends[c].item;
                }
                ends[c].row++;
            }
            if (lists)
                lists->items[ends[c].item] = (int32_t)(incidence[k] - c * per_chunk);
            ends[c].item++;
            chunk = c;
        }
}

/* The nodes are cut into stripes; ends[stripe][chunk] counts, then is where the stripe's part of the chunk's lists begins. */
static ritz_status list_chunks(const ritz_adder_options *o, ritz_gatherer *g, chunk_lists *lists)
{
    enum { STRIPES = 64, PARALLEL_FROM = 1 << 15 };
    ritz_status status = RITZ_OK;
    const int64_t n_nodes = o->pattern->n_rows, n_items = (int64_t)o->cells->n_cells * o->cells->n_shape;
    list_ends *ends = NULL, so_far = {0};
    RITZ_NEW(g->first_row, g->n_chunks + 1);
    RITZ_NEW(ends, STRIPES * g->n_chunks);
#pragma omp parallel for schedule(dynamic) if (n_items > PARALLEL_FROM)
    for (int s = 0; s < STRIPES; s++)
        visit_nodes(o, (int32_t)(n_nodes * s / STRIPES), (int32_t)(n_nodes * (s + 1) / STRIPES), ends + s * g->n_chunks,
                    NULL);
    for (int64_t c = 0; c < g->n_chunks; c++) {
        for (int s = 0; s < STRIPES; s++) {
            const list_ends own = ends[s * g->n_chunks + c];
            ends[s * g->n_chunks + c] = so_far;
            so_far = (list_ends){so_far.row + own.row, so_far.item + own.item};
        }
        g->first_row[c + 1] = so_far.row;
    }
    RITZ_NEW(lists->rows, so_far.row);
    RITZ_NEW(lists->start, so_far.row + 1);
    RITZ_NEW(lists->items, n_items);
#pragma omp parallel for schedule(dynamic) if (n_items > PARALLEL_FROM)
    for (int s = 0; s < STRIPES; s++)
        visit_nodes(o, (int32_t)(n_nodes * s / STRIPES), (int32_t)(n_nodes * (s + 1) / STRIPES), ends + s * g->n_chunks,
                    lists);
    lists->start[so_far.row] = n_items;
done:
    ritz_free(ends);
    return status;
}

enum { LANES_MOST = 32 };                         /* rows: as many as load side by side on a GPU */
enum { UNEVEN = 8 };                              /* the longest row over the average */
#define FIXED_BYTES(n_shape) (2 * (n_shape) + 12) /* of local memory, beside a row's sums */
enum { PADDING = 64 };                            /* between arrays there, and an argument that is not read */

static int64_t group_most(const ritz_adder_options *o)
{
    return ritz_min64((int64_t)ritz_device_tuned(o->device, RITZ_ASSEMBLE_GROUP),
                      ritz_device_get_info(o->device)->work_group_size);
}

/* Rows whose sums a group keeps in local memory, a power of two. A single one may take all that there is, but not for the sake of a
   few rows that are much longer than the others. 0: none. */
static int choose_lanes(const ritz_adder_options *o, int64_t longest, int64_t entries)
{
    const ritz_device_info *limits = ritz_device_get_info(o->device);
    const ritz_matrix *matrix = o->system->matrix;
    const int64_t room = (int64_t)ritz_device_tuned(o->device, RITZ_ASSEMBLE_SUMS_BYTES),
                  all = ritz_max64(limits->local_memory, limits->largest_local_memory) - PADDING, group = group_most(o);
    const int64_t row = longest * entries * ritz_real_bytes(matrix->precision) + FIXED_BYTES(o->cells->n_shape);
    const bool even = longest * matrix->n_rows <= UNEVEN * matrix->n_blocks;
    int lanes = room > 0 && row <= (even ? all : ritz_min64(room, all)) && entries <= limits->work_group_size;
    while (lanes > 0 && 2 * lanes <= LANES_MOST && 2 * lanes * row <= ritz_min64(room, all) &&
           2 * lanes * entries <= group)
        lanes *= 2;
    return lanes;
}

static ritz_status choose_kernel(const ritz_adder_options *o, ritz_gatherer *g)
{
    const ritz_matrix *matrix = o->system->matrix;
    const int64_t n = o->cells->n_shape, entries = (int64_t)matrix->block * matrix->block,
                  longest = ritz_max64(1, matrix->longest_row);
    char more[80];
    g->lanes = choose_lanes(o, longest, entries);
    if (!g->lanes)
        return ritz_adder_kernel(o, "assemble/kernels/gather.cl", "", "gather", &g->kernel);
    /* Nodes of an element that a work-item adds: two or more where the element has them, about as many for each. */
    const int64_t most = ritz_max64(1, ritz_min64((n + 1) / 2, group_most(o) / (g->lanes * entries))),
                  nodes = (n + most - 1) / most, parts = (n + nodes - 1) / nodes;
    g->group = (int)(g->lanes * entries * parts);
    const int64_t real = ritz_real_bytes(matrix->precision), sums = g->lanes * longest * entries * real;
    const bool is_given = sums + FIXED_BYTES(n) * g->lanes + PADDING <= ritz_device_get_info(o->device)->local_memory;
    g->sums = is_given ? sums : real; /* no argument may be empty */
    ritz_log("assemble: %d rows of up to %d blocks in a group of %d work-items", g->lanes, (int)longest, g->group);
    snprintf(more, sizeof more, "-DLANES=%d -DPARTS=%d -DLONGEST=%d", g->lanes, (int)parts,
             is_given ? 0 : (int)longest);
    return ritz_adder_kernel(o, "assemble/kernels/gather_shared.cl", more, "gather_shared", &g->kernel);
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
    RITZ_TRY(choose_kernel(o, g));
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
    const ritz_range shared = {.global = {(n_rows + g->lanes - 1) / ritz_max64(1, g->lanes) * g->group},
                               .local = {g->group}};
    const ritz_argument arguments[] = {RITZ_INT((int32_t)n_rows),
                                       RITZ_LONG(g->first_row[chunk]),
                                       RITZ_LONG(chunk * g->chunk),
                                       RITZ_BUFFER(g->rows),
                                       RITZ_BUFFER(g->start),
                                       RITZ_BUFFER(g->items),
                                       RITZ_BUFFER(g->positions),
                                       RITZ_BUFFER(matrices),
                                       RITZ_BUFFER(vectors),
                                       RITZ_BUFFER(matrix->row_slot),
                                       RITZ_BUFFER(matrix->values),
                                       RITZ_BUFFER(g->system->rhs),
                                       RITZ_BUFFER(matrix->row_length),
                                       RITZ_LOCAL(g->sums)};
    const int n = (int)(sizeof arguments / sizeof *arguments);
    return ritz_launch(g->kernel, g->lanes ? shared : ritz_adder_range(n_rows), arguments,
                       g->lanes ? n : n - 2 /* gather has not the last two */, seconds);
}
