/* Nodes into aggregates: which connections are strong, roots apart from each other, and who joins whom. */
#include "multigrid/levels.h"

#include <stdio.h>

/* A connection is strong if its block's norm, or its pull, is above this share of the geometric mean of the largest ones of its two
   nodes: what is weak across a flat cell or a jump of material is not what errors are smooth along. */
static const float least_strength[] = {0.08f, /* as Vanek, Mandel and Brezina (1996) begin, here on all levels */
                                       0.4f};
/* Cells are stretched where a smaller share of the blocks beside the diagonal is strong by the pull: three quarters are in cubes, 0.43 to
   0.5 in tets made of cubes; 0.31 to 0.33 where they are long in one direction, 0.08 to 0.17 where they are in two. */
static const double stretched_below = 0.35;
/* In solid parts rows of the next level are longer where aggregates go along the short edges, which pays where the farthest neighbour of most
   nodes is this many times as far away as the nearest one: flat cells of 1 : 7, long ones of 1 : 10. */
enum { PLANE_COLUMNS = 3 };
static const float stretched_from = 10;
/* And few aggregates across a plate keep its bending too badly: strong neighbours on an average in a plate of 7 cells across. */
static const double thick_neighbours = 1.75;
/* Blocks of a row on an average, as of hexes of order 1: longer ones are of a higher order, where few pull however cells are shaped. */
enum { ROW_MOST = 27 };
/* Nodes hang together along lines where they have fewer strong neighbours on an average. */
static const double line_neighbours = 3.5;

/* ---- The graph ---- */

static ritz_row_threads strength_threads(const ritz_block_rows *a)
{
    return ritz_multigrid_threads(a->device, RITZ_MULTIGRID_STRENGTH_THREADS);
}

static ritz_status get_strength_kernel(const ritz_block_rows *a, const char *name, ritz_kernel **kernel)
{
    char options[64];
    snprintf(options, sizeof options, "-DTABLE_LOCAL=0 -DHEIGHT=%d", a->height);
    ritz_multigrid_add_slices(a, options, sizeof options);
    return ritz_row_kernel(a->device, a->precision, "multigrid/kernels/strength.cl", strength_threads(a), options, name,
                           kernel);
}

/* Strong by the pull of nodes, where cells are stretched, or by the norms of blocks. */
typedef struct strength {
    const ritz_block_rows *a;
    ritz_kernel *measure, *count, *fill;
    ritz_range rows;
    ritz_buffer *sizes, *largest; /* float [n_blocks][2], [n_rows][2] */
    ritz_buffer *counts;          /* int32 [n_rows] */
    bool by_pull;
} strength;

static ritz_status measure_strength(const multigrid_rows *fine, strength *s)
{
    ritz_status status = RITZ_OK;
    const ritz_block_rows *a = fine->a;
    s->a = a;
    s->rows = ritz_row_range(a->device, strength_threads(a), a->n_rows);
    RITZ_TRY(get_strength_kernel(a, "measure_blocks", &s->measure));
    RITZ_TRY(get_strength_kernel(a, "count_strong", &s->count));
    RITZ_TRY(get_strength_kernel(a, "fill_strong", &s->fill));
    RITZ_TRY(ritz_buffer_create(a->device, a->n_blocks * 8, "the strength of connections", &s->sizes));
    RITZ_TRY(ritz_buffer_create(a->device, a->n_rows * (int64_t)8, "the strength of connections", &s->largest));
    RITZ_TRY(ritz_buffer_create(a->device, a->n_rows * (int64_t)4, "the numbers of neighbours", &s->counts));
    const ritz_argument arguments[] = {RITZ_INT(a->n_rows),      RITZ_BUFFER(a->row_start),
                                       RITZ_BUFFER(a->columns),  RITZ_BUFFER(ritz_block_rows_values(a)),
                                       RITZ_BUFFER(s->sizes),    RITZ_BUFFER(s->largest),
                                       RITZ_BUFFER(a->row_slot), RITZ_BUFFER(a->slot_of_row),
                                       RITZ_BUFFER(fine->root)};
    RITZ_TRY(ritz_block_rows_launch(s->measure, s->rows, arguments, sizeof arguments / sizeof *arguments));
done:
    return status;
}

static void destroy_strength(strength *s)
{
    ritz_buffer_destroy(&s->sizes);
    ritz_buffer_destroy(&s->largest);
    ritz_buffer_destroy(&s->counts);
}

#define STRENGTH(s, diagonal)                                                                                          \
    RITZ_INT((s)->a->n_rows), {.value = least_strength, .bytes = sizeof least_strength}, RITZ_INT((s)->by_pull),       \
        RITZ_INT(diagonal), RITZ_BUFFER((s)->a->row_start), RITZ_BUFFER((s)->a->columns), RITZ_BUFFER((s)->sizes),     \
        RITZ_BUFFER((s)->largest)

/* The pattern of strong connections or, with the diagonal, of A's strong blocks; its columns are not there yet. */
static ritz_status count_strong(const strength *s, bool diagonal, ritz_block_rows **pattern)
{
    ritz_status status = RITZ_OK;
    const ritz_block_rows *a = s->a;
    const int size = diagonal ? a->height : 1;
    RITZ_TRY(RITZ_LAUNCH(s->count, s->rows, NULL, STRENGTH(s, diagonal), RITZ_BUFFER(s->counts)));
    RITZ_TRY(ritz_block_rows_create_pattern(a->device, diagonal ? a->precision : RITZ_F32, size, size, a->n_rows,
                                            a->n_rows, s->counts, pattern));
done:
    return status;
}

static ritz_status fill_strong(const strength *s, bool diagonal, const ritz_block_rows *pattern,
                               const ritz_buffer *weights)
{
    return RITZ_LAUNCH(s->fill, s->rows, NULL, STRENGTH(s, diagonal), RITZ_BUFFER(pattern->row_start),
                       RITZ_BUFFER(pattern->columns), RITZ_BUFFER(weights));
}

/* Whether it pays to gather the nodes of a solid part along short edges; n: strong connections. */
static ritz_status pays_in_solid(const multigrid_rows *fine, const strength *s, double n, bool *pays)
{
    ritz_status status = RITZ_OK;
    const int32_t n_rows = (int32_t)s->a->n_rows;
    ritz_kernel *count = NULL;
    int32_t *stretched = NULL;
    int64_t n_free = 0, n_stretched = 0;
    *pays = false;
    RITZ_NEW(stretched, n_rows);
    RITZ_TRY(get_strength_kernel(s->a, "count_stretched", &count));
    RITZ_TRY(RITZ_LAUNCH(count, s->rows, NULL, RITZ_INT(n_rows),
                         {.value = &stretched_from, .bytes = sizeof stretched_from}, RITZ_BUFFER(s->a->row_start),
                         RITZ_BUFFER(s->a->columns), RITZ_BUFFER(fine->nullspace), RITZ_BUFFER(s->counts)));
    RITZ_TRY(ritz_buffer_read(s->counts, 0, stretched, n_rows * (int64_t)sizeof *stretched));
    for (int32_t i = 0; i < n_rows; i++)
        n_free += stretched[i] > 0, n_stretched += stretched[i] > 1;
    *pays = 2 * n_stretched > n_free && n >= thick_neighbours * (double)n_free;
done:
    ritz_free(stretched);
    return status;
}

/* Whether cells are stretched, which the levels of aggregates below take over from the first. *graph: if so, of what is strong by the
   pull. */
static ritz_status find_stretch(multigrid_rows *fine, strength *s, ritz_block_rows **graph)
{
    ritz_status status = RITZ_OK;
    const int64_t others = s->a->n_blocks - s->a->n_rows;
    if (fine->stretch == STRETCH_UNKNOWN &&
        (s->a->n_blocks > ROW_MOST * (int64_t)s->a->n_rows || (fine->columns > PLANE_COLUMNS && !fine->has_places)))
        fine->stretch = EVEN;
    if (fine->stretch == EVEN)
        return RITZ_OK;
    s->by_pull = true;
    RITZ_TRY(count_strong(s, false, graph));
    const double n = (double)(*graph)->n_blocks;
    if (fine->stretch == STRETCH_UNKNOWN) {
        fine->stretch = n >= stretched_below * (double)others         ? EVEN
                        : n >= line_neighbours * (double)s->a->n_rows ? STRETCHED
                                                                      : STRETCHED_IN_LINES;
        if (fine->stretch != EVEN && fine->columns > PLANE_COLUMNS) {
            bool pays = false;
            RITZ_TRY(pays_in_solid(fine, s, n, &pays));
            fine->stretch = pays ? fine->stretch : EVEN;
        }
        ritz_log("multigrid: level %d, %.2g of the blocks are strong by their pull%s", fine->clock->level,
                 n / (double)ritz_max64(1, others), fine->stretch == EVEN ? "" : ": cells are stretched");
    }
    s->by_pull = fine->stretch != EVEN;
    if (!s->by_pull)
        ritz_block_rows_destroy(graph);
done:
    return status;
}

/* Strong connections as rows of 1 x 1 blocks, their sizes the values. */
static ritz_status make_graph(multigrid_rows *fine, ritz_block_rows **graph, ritz_block_rows **strong)
{
    ritz_status status = RITZ_OK;
    strength s = {0};
    ritz_block_rows *g = NULL, *kept = NULL;
    ritz_buffer *weights = NULL;
    RITZ_TRY(measure_strength(fine, &s));
    RITZ_TRY(find_stretch(fine, &s, &g));
    if (!g)
        RITZ_TRY(count_strong(&s, false, &g));
    RITZ_TRY(ritz_block_rows_create_values(g));
    RITZ_TRY(fill_strong(&s, false, g, g->values));
    if (s.by_pull) {
        RITZ_TRY(count_strong(&s, true, &kept));
        RITZ_TRY(ritz_buffer_create(s.a->device, kept->n_blocks * 4, "the strength of connections", &weights));
        RITZ_TRY(fill_strong(&s, true, kept, weights));
    }
    *graph = g;
    *strong = kept;
    g = kept = NULL;
done:
    destroy_strength(&s);
    ritz_buffer_destroy(&weights);
    ritz_block_rows_destroy(&g);
    ritz_block_rows_destroy(&kept);
    return status;
}

ritz_status ritz_multigrid_copy_strong(const multigrid_rows *fine, ritz_block_rows *strong)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *copy = NULL;
    const ritz_block_rows *a = fine->a;
    RITZ_TRY(get_strength_kernel(a, "copy_blocks", &copy));
    RITZ_TRY(ritz_block_rows_create_values(strong));
    const ritz_argument arguments[] = {RITZ_INT(a->n_rows),
                                       RITZ_BUFFER(a->row_start),
                                       RITZ_BUFFER(a->columns),
                                       RITZ_BUFFER(ritz_block_rows_values(a)),
                                       RITZ_BUFFER(strong->row_start),
                                       RITZ_BUFFER(strong->columns),
                                       RITZ_BUFFER(strong->values),
                                       RITZ_BUFFER(a->row_slot),
                                       RITZ_BUFFER(a->slot_of_row)};
    RITZ_TRY(ritz_block_rows_launch(copy, ritz_row_range(a->device, strength_threads(a), a->n_rows), arguments,
                                    sizeof arguments / sizeof *arguments));
done:
    return status;
}

/* ---- Roots ---- */

static ritz_status get_graph_kernel(ritz_device *device, const char *name, ritz_kernel **kernel)
{
    return ritz_block_rows_kernel(device, RITZ_F32, "multigrid/kernels/aggregate.cl", "", name, kernel);
}

/* The distance within which there is no other root. Further on the finest level: with aggregates of neighbours alone the next one
   would weigh as much as this (tets: 0.94 times its nonzeros, hexes 0.36), and most of a set-up is making it. Along lines in what moves,
   whose aggregates are small and whose next level has more unknowns a node, further still. */
enum { NEAR = 2, FAR = 3, FARTHEST = 4 };
/* But not in solids where blocks of a row are as many as of hexes and prisms (tets have 15): plates 7 and 8 cells across, one or two
   aggregates then, would take up to 7 times the iterations. */
enum { MANY_BLOCKS = 18 };

static int reach_of(const multigrid_rows *fine)
{
    const bool in_lines = fine->stretch == STRETCHED_IN_LINES && fine->columns > 1,
               in_plates = fine->columns > PLANE_COLUMNS && fine->a->n_blocks > MANY_BLOCKS * (int64_t)fine->a->n_rows;
    return fine->clock->level > 0 ? NEAR : in_lines && !in_plates ? FARTHEST : FAR;
}

enum { ROUNDS = 4 }; /* between two looks at the device: those past the last cost less than a look */

typedef struct aggregation {
    const ritz_block_rows *graph;
    ritz_kernel *start, *spread, *decide, *mark, *mark_alone, *number, *leave_all, *join_roots, *join_neighbours;
    ritz_range range;
    int reach;                       /* no two roots are within this distance of each other */
    ritz_buffer *key;                /* uint32 [n] */
    ritz_buffer *near[FARTHEST - 1]; /* uint32 [n]: the highest keys within distances 1, ... */
    ritz_buffer *undecided;          /* int32 [ROUNDS] */
    ritz_buffer *root;               /* int32 [n] */
    ritz_buffer *aggregate;          /* int32 [n] */
    ritz_buffer *start_of;           /* int64 [n + 1]: roots before a node */
    int32_t n_aggregates;
} aggregation;

static void destroy_aggregation(aggregation *g)
{
    ritz_buffer_destroy(&g->key);
    for (int i = 0; i < FARTHEST - 1; i++)
        ritz_buffer_destroy(&g->near[i]);
    ritz_buffer_destroy(&g->undecided);
    ritz_buffer_destroy(&g->root);
    ritz_buffer_destroy(&g->aggregate);
    ritz_buffer_destroy(&g->start_of);
}

static ritz_status create_aggregation(const ritz_block_rows *graph, int reach, aggregation *g)
{
    ritz_status status = RITZ_OK;
    const int64_t n = graph->n_rows;
    ritz_device *device = graph->device;
    const char *names[] = {"start_keys",   "spread_keys", "decide_keys", "mark_roots",     "mark_alone",
                           "number_roots", "leave_all",   "join_roots",  "join_neighbours"};
    ritz_kernel **kernels[] = {&g->start,  &g->spread,    &g->decide,     &g->mark,           &g->mark_alone,
                               &g->number, &g->leave_all, &g->join_roots, &g->join_neighbours};
    g->graph = graph;
    g->reach = reach;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        RITZ_TRY(get_graph_kernel(device, names[i], kernels[i]));
    g->range = ritz_block_rows_range(g->start, device, n);
    RITZ_TRY(ritz_buffer_create(device, n * 4, "the keys of nodes", &g->key));
    for (int i = 0; i < reach - 1; i++)
        RITZ_TRY(ritz_buffer_create(device, n * 4, "the keys of nodes", &g->near[i]));
    RITZ_TRY(ritz_buffer_create(device, ROUNDS * 4, "the aggregation's flags", &g->undecided));
    RITZ_TRY(ritz_buffer_create(device, n * 4, "the roots of aggregates", &g->root));
    RITZ_TRY(ritz_buffer_create(device, (n + 1) * 8, "the numbers of roots", &g->start_of));
    RITZ_TRY(ritz_buffer_create(device, n * 4, "the aggregates", &g->aggregate));
    RITZ_TRY(RITZ_LAUNCH(g->leave_all, g->range, NULL, RITZ_INT(graph->n_rows), RITZ_BUFFER(g->aggregate)));
done:
    return status;
}

#define GRAPH(g) RITZ_INT((g)->graph->n_rows), RITZ_BUFFER((g)->graph->row_start), RITZ_BUFFER((g)->graph->columns)

static ritz_status decide_round(const aggregation *g, int round, bool is_first)
{
    ritz_status status = RITZ_OK;
    for (int i = 0; i < g->reach - 1; i++)
        RITZ_TRY(RITZ_LAUNCH(g->spread, g->range, NULL, RITZ_INT(g->graph->n_rows), RITZ_INT(is_first),
                             RITZ_BUFFER(g->graph->row_start), RITZ_BUFFER(g->graph->columns),
                             RITZ_BUFFER(g->aggregate), RITZ_BUFFER(i == 0 ? g->key : g->near[i - 1]),
                             RITZ_BUFFER(g->near[i])));
    RITZ_TRY(RITZ_LAUNCH(g->decide, g->range, NULL, GRAPH(g), RITZ_BUFFER(g->near[g->reach - 2]), RITZ_INT(round),
                         RITZ_BUFFER(g->key), RITZ_BUFFER(g->undecided)));
done:
    return status;
}

/* Keys of roots among the nodes that have no aggregate and at least so many neighbours without, and such a percentage of theirs.
   Each round decides the node of the highest key, and in practice most. */
static ritz_status find_roots(aggregation *g, int least_neighbours, int least_percent)
{
    ritz_status status = RITZ_OK;
    const ritz_block_rows *graph = g->graph;
    int32_t left = 1;
    RITZ_TRY(RITZ_LAUNCH(g->start, g->range, NULL, RITZ_INT(graph->n_rows), RITZ_INT(least_neighbours),
                         RITZ_INT(least_percent), RITZ_BUFFER(graph->row_start), RITZ_BUFFER(graph->columns),
                         RITZ_BUFFER(g->aggregate), RITZ_BUFFER(g->key)));
    for (bool first_round = true; left;) {
        RITZ_TRY(ritz_buffer_zero(g->undecided));
        for (int round = 0; round < ROUNDS; round++, first_round = false)
            RITZ_TRY(decide_round(g, round, first_round));
        RITZ_TRY(ritz_buffer_read(g->undecided, (ROUNDS - 1) * 4, &left, 4));
        RITZ_TRY(ritz_check_interrupt());
    }
done:
    return status;
}

/* An aggregate for each node with g->root 1, in the order of the nodes, with its neighbours that have none. */
static ritz_status number_roots(aggregation *g)
{
    ritz_status status = RITZ_OK;
    const int32_t n = g->graph->n_rows;
    int64_t n_roots;
    int32_t most;
    RITZ_TRY(ritz_row_starts(g->graph->device, n, g->root, g->start_of, &n_roots, &most));
    RITZ_TRY(RITZ_LAUNCH(g->number, g->range, NULL, RITZ_INT(n), RITZ_INT(g->n_aggregates), RITZ_BUFFER(g->start_of),
                         RITZ_BUFFER(g->root)));
    g->n_aggregates += (int32_t)n_roots;
    RITZ_TRY(RITZ_LAUNCH(g->join_roots, g->range, NULL, GRAPH(g), RITZ_BUFFER(g->root), RITZ_BUFFER(g->aggregate)));
done:
    return status;
}

static ritz_status grow_roots(aggregation *g)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(
        RITZ_LAUNCH(g->mark, g->range, NULL, RITZ_INT(g->graph->n_rows), RITZ_BUFFER(g->key), RITZ_BUFFER(g->root)));
    RITZ_TRY(number_roots(g));
done:
    return status;
}

/* The last node of its line, to which nothing is strong, waits for those beside it, as an aggregate of its own. */
static ritz_status keep_alone(aggregation *g, const ritz_block_rows *a)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(RITZ_LAUNCH(g->mark_alone, g->range, NULL, RITZ_INT(g->graph->n_rows), RITZ_BUFFER(a->row_start),
                         RITZ_BUFFER(g->aggregate), RITZ_BUFFER(g->root)));
    RITZ_TRY(number_roots(g));
done:
    return status;
}

/* What is left joins the aggregate beside it, once for each step that roots are further apart than their neighbours reach. */
static ritz_status join_rest(aggregation *g)
{
    ritz_status status = RITZ_OK;
    const ritz_buffer *weights = g->graph->values;
    for (int distance = 1; distance < g->reach; distance++) {
        RITZ_TRY(ritz_buffer_copy(g->aggregate, 0, g->root, 0, g->graph->n_rows * (int64_t)4));
        RITZ_TRY(RITZ_LAUNCH(g->join_neighbours, g->range, NULL, GRAPH(g), RITZ_BUFFER(weights), RITZ_BUFFER(g->root),
                             RITZ_BUFFER(g->aggregate)));
    }
done:
    return status;
}

/* ---- The whole ---- */

/* Least free neighbours of a root, and percentages of all: in the first pass any, then enough for an aggregate that is not a
   splinter. */
enum { FIRST_NEIGHBOURS = 1, LATER_NEIGHBOURS = 2, LATER_PERCENT_FAR = 50 };
/* Passes over the graph, at least: keys spread and compared, neighbours joined, twice, and what is left. */
enum { AGGREGATE_PASSES = 7 };

/* Roots and their aggregates. first: of the levels that have aggregates. */
static ritz_status gather(const multigrid_rows *fine, bool first, aggregation *g)
{
    ritz_status status = RITZ_OK;
    const bool far = fine->clock->level == 0, stretched = fine->stretch != EVEN;
    RITZ_TRY(find_roots(g, FIRST_NEIGHBOURS, 0));
    RITZ_TRY(grow_roots(g));
    if (!far || !stretched) { /* of lines and surfaces the rest joins */
        RITZ_TRY(find_roots(g, LATER_NEIGHBOURS, far ? LATER_PERCENT_FAR : 0));
        RITZ_TRY(grow_roots(g));
    }
    RITZ_TRY(join_rest(g));
    if (!first && stretched)
        RITZ_TRY(keep_alone(g, fine->a));
done:
    return status;
}

ritz_status ritz_multigrid_aggregate(multigrid_rows *fine, int32_t *n_aggregates, ritz_buffer **aggregate,
                                     ritz_block_rows **strong)
{
    ritz_status status = RITZ_OK;
    ritz_block_rows *graph = NULL;
    aggregation g = {0};
    const ritz_block_rows *a = fine->a;
    const bool first = fine->stretch == STRETCH_UNKNOWN || fine->clock->level == 0;
    RITZ_TRY(make_graph(fine, &graph, strong));
    ritz_multigrid_phase(fine->clock, "strength", ritz_block_rows_bytes(a) + ritz_block_rows_bytes(graph));
    RITZ_TRY(create_aggregation(graph, reach_of(fine), &g));
    RITZ_TRY(gather(fine, first, &g));
    ritz_multigrid_phase(fine->clock, "aggregates",
                         AGGREGATE_PASSES * (ritz_block_rows_bytes(graph) + 8 * (int64_t)a->n_rows));
    *n_aggregates = g.n_aggregates;
    *aggregate = g.aggregate;
    g.aggregate = NULL;
done:
    destroy_aggregation(&g);
    ritz_block_rows_destroy(&graph);
    return status;
}
