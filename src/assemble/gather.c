/* Assembly by rows: each block row of a chunk gathers what its elements give it, by several work-items
   (kernels/gather_shared.cl), or, where it is too long for that, by one (kernels/gather.cl). */
#include "assemble/adder.h"

#include "device/tuning.h"

#include <stdio.h>

struct ritz_gatherer {
    const ritz_system *system;
    int64_t chunk;
    int64_t n_chunks;
    int64_t *first_row; /* [2 n_chunks + 1] in rows: of each chunk those that groups sum, then its longer ones */
    ritz_buffer *rows, *start, *items;
    const ritz_buffer *positions;
    int lanes, group; /* rows and work-items of a group that sums in local memory */
    int64_t longest;  /* blocks of a row there, 0: groups sum none; a longer row has one work-item */
    int64_t n_longer; /* rows */
    int64_t sums;     /* bytes that the groups' kernel is given */
    ritz_kernel *shared, *single;
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

/* The rows that each chunk adds to, in two lists, each in increasing order, and the element rows that go there. */
typedef struct chunk_lists {
    int32_t *rows;  /* [first_row[2 n_chunks]] */
    int64_t *start; /* [first_row[2 n_chunks] + 1] into items */
    int32_t *items; /* [n_cells * n_shape] cell in the chunk * n_shape + i */
} chunk_lists;

enum { PARALLEL_FROM = 1 << 15 }; /* element rows */

/* How far a list has come. */
typedef struct list_ends {
    int64_t row, item;
} list_ends;

static int64_t row_length(const ritz_pattern *pattern, int32_t row)
{
    return pattern->row_start[row + 1] - pattern->row_start[row];
}

/* Goes through the nodes first .. last - 1 in increasing order. lists NULL: counts what each list gets; else hands it
   out. ends[2 n_chunks] */
static void visit_nodes(const ritz_adder_options *o, int64_t longest, int32_t first, int32_t last, list_ends *ends,
                        chunk_lists *lists)
{
    const int64_t *start = o->pattern->incidence_start[o->batch], *incidence = o->pattern->incidence[o->batch];
    const int64_t per_chunk = o->chunk * o->cells->n_shape;
    for (int32_t node = first; node < last; node++) {
        const int is_longer = row_length(o->pattern, node) > longest;
        for (int64_t k = start[node], chunk = -1; k < start[node + 1]; k++) {
            const int64_t c = incidence[k] / per_chunk; /* a node's cells increase, and so do their chunks */
            list_ends *end = &ends[2 * c + is_longer];
            if (c != chunk) {
                if (lists) {
                    lists->rows[end->row] = node;
                    lists->start[end->row] = end->item;
                }
                end->row++;
            }
            if (lists)
                lists->items[end->item] = (int32_t)(incidence[k] - c * per_chunk);
            end->item++;
            chunk = c;
        }
    }
}

/* The nodes are cut into stripes; ends[stripe][list] counts, then is where the stripe's part of the list begins. */
static ritz_status list_chunks(const ritz_adder_options *o, ritz_gatherer *g, chunk_lists *lists)
{
    enum { STRIPES = 64 };
    ritz_status status = RITZ_OK;
    const int64_t n_nodes = o->pattern->n_rows, n_items = (int64_t)o->cells->n_cells * o->cells->n_shape,
                  n_lists = 2 * g->n_chunks;
    list_ends *ends = NULL, so_far = {0};
    RITZ_NEW(g->first_row, n_lists + 1);
    RITZ_NEW(ends, STRIPES * n_lists);
#pragma omp parallel for schedule(dynamic) if (n_items > PARALLEL_FROM)
    for (int s = 0; s < STRIPES; s++)
        visit_nodes(o, g->longest, (int32_t)(n_nodes * s / STRIPES), (int32_t)(n_nodes * (s + 1) / STRIPES),
                    ends + s * n_lists, NULL);
    for (int64_t l = 0; l < n_lists; l++) {
        for (int s = 0; s < STRIPES; s++) {
            const list_ends own = ends[s * n_lists + l];
            ends[s * n_lists + l] = so_far;
            so_far = (list_ends){so_far.row + own.row, so_far.item + own.item};
        }
        g->first_row[l + 1] = so_far.row;
    }
    RITZ_NEW(lists->rows, so_far.row);
    RITZ_NEW(lists->start, so_far.row + 1);
    RITZ_NEW(lists->items, n_items);
#pragma omp parallel for schedule(dynamic) if (n_items > PARALLEL_FROM)
    for (int s = 0; s < STRIPES; s++)
        visit_nodes(o, g->longest, (int32_t)(n_nodes * s / STRIPES), (int32_t)(n_nodes * (s + 1) / STRIPES),
                    ends + s * n_lists, lists);
    lists->start[so_far.row] = n_items;
done:
    ritz_free(ends);
    return status;
}

enum { LANES_MOST = 32 }; /* rows: as many as load side by side on a GPU */
enum { UNEVEN = 8 };      /* a long row over the average */
enum { FEW = 256 };       /* one in so many: rows that have one work-item each take about 20 times as long */
#define FIXED_BYTES(n_shape) (2 * (n_shape) + 12) /* of local memory, beside a row's sums */
enum { PADDING = 64 };                            /* between arrays there, and an argument that is not read */

static int64_t group_most(const ritz_adder_options *o)
{
    return ritz_min64((int64_t)ritz_device_tuned(o->device, RITZ_ASSEMBLE_GROUP),
                      ritz_device_get_info(o->device)->work_group_size);
}

/* Blocks of a row whose sums take so many bytes of local memory. */
static int64_t blocks_in(const ritz_adder_options *o, int64_t bytes)
{
    const ritz_matrix *matrix = o->system->matrix;
    return (bytes - FIXED_BYTES(o->cells->n_shape)) /
           ((int64_t)matrix->block * matrix->block * ritz_real_bytes(matrix->precision));
}

/* Groups get `lanes` rows of at most `most` blocks, if few element rows go to longer ones. */
static bool share_rows(const ritz_adder_options *o, int lanes, int64_t most, ritz_gatherer *g)
{
    const int64_t *start = o->pattern->incidence_start[o->batch], n_items = start[o->pattern->n_rows];
    int64_t longest = 0, n_longer = 0, items = 0;
#pragma omp parallel for reduction(max : longest) reduction(+ : n_longer, items) if (n_items > PARALLEL_FROM)
    for (int32_t row = 0; row < o->pattern->n_rows; row++) {
        const int64_t length = row_length(o->pattern, row), own = start[row + 1] - start[row];
        if (length <= most) {
            longest = length > longest ? length : longest;
        } else if (own > 0) {
            n_longer++;
            items += own;
        }
    }
    if (items > n_items / FEW)
        return false;
    g->lanes = lanes;
    g->longest = longest;
    g->n_longer = n_longer;
    return true;
}

/* Rows whose sums a group keeps in local memory, a power of two: as many as almost all rows leave room for. A single row
   may take all that there is, unless it is far longer than the average. */
static void choose_lanes(const ritz_adder_options *o, ritz_gatherer *g)
{
    const ritz_device_info *limits = ritz_device_get_info(o->device);
    const ritz_matrix *matrix = o->system->matrix;
    const int64_t entries = (int64_t)matrix->block * matrix->block, group = group_most(o),
                  all = ritz_max64(limits->local_memory, limits->largest_local_memory) - PADDING,
                  room = ritz_min64((int64_t)ritz_device_tuned(o->device, RITZ_ASSEMBLE_SUMS_BYTES), all);
    if (room <= 0 || entries > limits->work_group_size)
        return;
    for (int lanes = LANES_MOST; lanes > 0; lanes /= 2)
        if ((lanes == 1 || lanes * entries <= group) && share_rows(o, lanes, blocks_in(o, room / lanes), g))
            return;
    share_rows(o, 1, ritz_min64(blocks_in(o, all), UNEVEN * matrix->n_blocks / matrix->n_rows), g);
}

/* How groups sum their rows. */
static ritz_status get_shared(const ritz_adder_options *o, ritz_gatherer *g)
{
    const ritz_matrix *matrix = o->system->matrix;
    const int64_t n = o->cells->n_shape, entries = (int64_t)matrix->block * matrix->block;
    char more[80];
    /* Nodes of an element that a work-item adds: two or more where the element has them, about as many for each. */
    const int64_t most = ritz_max64(1, ritz_min64((n + 1) / 2, group_most(o) / (g->lanes * entries))),
                  nodes = (n + most - 1) / most, parts = (n + nodes - 1) / nodes;
    g->group = (int)(g->lanes * entries * parts);
    const int64_t real = ritz_real_bytes(matrix->precision), sums = g->lanes * g->longest * entries * real;
    const bool is_given = sums + FIXED_BYTES(n) * g->lanes + PADDING <= ritz_device_get_info(o->device)->local_memory;
    g->sums = is_given ? sums : real; /* no argument may be empty */
    ritz_log("assemble: %d rows of up to %d blocks in a group of %d work-items; longer rows: %lld", g->lanes,
             (int)g->longest, g->group, (long long)g->n_longer);
    snprintf(more, sizeof more, "-DLANES=%d -DPARTS=%d -DLONGEST=%d", g->lanes, (int)parts,
             is_given ? 0 : (int)g->longest);
    return ritz_adder_kernel(o, "assemble/kernels/gather_shared.cl", more, "gather_shared", &g->shared);
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
    choose_lanes(o, g);
    if (g->longest > 0)
        RITZ_TRY(get_shared(o, g));
    if (g->longest == 0 || g->n_longer > 0)
        RITZ_TRY(ritz_adder_kernel(o, "assemble/kernels/gather.cl", "", "gather", &g->single));
    RITZ_TRY(list_chunks(o, g, &lists));
    const int64_t n_rows = g->first_row[2 * g->n_chunks], n_items = (int64_t)o->cells->n_cells * o->cells->n_shape;
    RITZ_TRY(ritz_buffer_create_from(o->device, lists.rows, n_rows * (int64_t)sizeof *lists.rows, what, &g->rows));
    RITZ_TRY(
        ritz_buffer_create_from(o->device, lists.start, (n_rows + 1) * (int64_t)sizeof *lists.start, what, &g->start));
    RITZ_TRY(ritz_buffer_create_from(o->device, lists.items, n_items * (int64_t)sizeof *lists.items, what, &g->items));
    g->positions = o->positions;
    *gatherer = g;
    g = NULL;
done:
    ritz_free(lists.rows);
    ritz_free(lists.start);
    ritz_free(lists.items);
    ritz_gatherer_destroy(&g);
    return status;
}

/* The chunk's rows that groups sum, or the longer ones. */
static ritz_status add_rows(const ritz_gatherer *g, int64_t chunk, bool is_longer, const ritz_buffer *matrices,
                            const ritz_buffer *vectors, double *seconds)
{
    const int64_t *first = &g->first_row[2 * chunk + is_longer], n_rows = first[1] - first[0];
    const ritz_matrix *matrix = g->system->matrix;
    const ritz_range shared = {.global = {(n_rows + g->lanes - 1) / ritz_max64(1, g->lanes) * g->group},
                               .local = {g->group}};
    const ritz_argument arguments[] = {RITZ_INT((int32_t)n_rows),
                                       RITZ_LONG(first[0]),
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
    if (n_rows == 0)
        return RITZ_OK;
    if (is_longer)
        return ritz_launch(g->single, ritz_adder_range(n_rows), arguments, n - 2 /* not the last two */, seconds);
    return ritz_launch(g->shared, shared, arguments, n, seconds);
}

ritz_status ritz_gatherer_add(const ritz_gatherer *g, int64_t chunk, const ritz_buffer *matrices,
                              const ritz_buffer *vectors, double *seconds)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(add_rows(g, chunk, false, matrices, vectors, seconds));
    RITZ_TRY(add_rows(g, chunk, true, matrices, vectors, seconds));
done:
    return status;
}
