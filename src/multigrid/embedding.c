/* A first coarse level that the caller gives, as the space of order 1 inside one of a higher order: its prolongator is the exact
   embedding, and needs no smoothing, since the coarse functions are smooth as they are. */
#include "multigrid/levels.h"

#include <math.h>

void ritz_multigrid_destroy_embedding(multigrid_embedding *e)
{
    ritz_buffer_destroy(&e->nodes);
    ritz_buffer_destroy(&e->weights);
    ritz_buffer_destroy(&e->place);
}

/* place[n_coarse]: the node that each coarse one is; *most weights that a node has. */
static ritz_status find_places(const ritz_multigrid_options *o, int32_t n_nodes, int32_t *place, int *most)
{
    ritz_status status = RITZ_OK;
    *most = 1;
    for (int32_t c = 0; c < o->n_coarse; c++)
        place[c] = -1;
    for (int32_t i = 0; i < n_nodes; i++) {
        const int32_t *nodes = o->coarse_nodes + (int64_t)i * RITZ_EMBEDDING_WEIGHTS;
        const double *weights = o->coarse_weights + (int64_t)i * RITZ_EMBEDDING_WEIGHTS;
        int n = 0;
        for (; n < RITZ_EMBEDDING_WEIGHTS && nodes[n] >= 0; n++)
            RITZ_REQUIRE(nodes[n] < o->n_coarse && (n == 0 || nodes[n] > nodes[n - 1]) && isfinite(weights[n]),
                         RITZ_ERROR_INPUT,
                         "weight %d of node %d is %g at coarse node %d; weights must be finite, and coarse nodes "
                         "increasing and below %d",
                         n, i, weights[n], nodes[n], o->n_coarse);
        if (n == 1 && weights[0] == 1 && place[nodes[0]] < 0)
            place[nodes[0]] = i;
        *most = n > *most ? n : *most;
    }
    for (int32_t c = 0; c < o->n_coarse; c++)
        RITZ_REQUIRE(place[c] >= 0, RITZ_ERROR_INPUT,
                     "no node has the weight 1 at coarse node %d and no other weight; each coarse node must be a node",
                     c);
done:
    return status;
}

/* To the device, no more of each node than the most that one has; prolongators are in single, and so are weights. */
static ritz_status write_weights(const ritz_multigrid *m, int32_t n_nodes, multigrid_embedding *e)
{
    ritz_status status = RITZ_OK;
    const ritz_multigrid_options *o = &m->options;
    const int64_t n = (int64_t)n_nodes * e->most;
    int32_t *nodes = NULL;
    float *weights = NULL;
    RITZ_NEW(nodes, n);
    RITZ_NEW(weights, n);
    for (int64_t i = 0; i < n_nodes; i++)
        for (int64_t k = 0; k < e->most; k++) {
            nodes[i * e->most + k] = o->coarse_nodes[i * RITZ_EMBEDDING_WEIGHTS + k];
            weights[i * e->most + k] = (float)o->coarse_weights[i * RITZ_EMBEDDING_WEIGHTS + k];
        }
    RITZ_TRY(ritz_buffer_create_from(m->device, nodes, n * 4, "the coarse nodes", &e->nodes));
    RITZ_TRY(ritz_buffer_create_from(m->device, weights, n * 4, "the weights of coarse nodes", &e->weights));
done:
    ritz_free(nodes);
    ritz_free(weights);
    return status;
}

ritz_status ritz_multigrid_take_embedding(ritz_multigrid *m, int32_t n_nodes)
{
    ritz_status status = RITZ_OK;
    const ritz_multigrid_options *o = &m->options;
    multigrid_embedding e = {.n_coarse = o->n_coarse};
    int32_t *place = NULL;
    RITZ_NEW(place, o->n_coarse);
    RITZ_TRY(find_places(o, n_nodes, place, &e.most));
    RITZ_TRY(ritz_buffer_create_from(m->device, place, o->n_coarse * (int64_t)4, "the coarse nodes", &e.place));
    RITZ_TRY(write_weights(m, n_nodes, &e));
    m->embedding = e;
    e = (multigrid_embedding){0};
done:
    ritz_free(place);
    ritz_multigrid_destroy_embedding(&e);
    return status;
}

/* The prolongator's pattern with room for values. */
static ritz_status make_pattern(const multigrid_embedding *e, const ritz_matrix *matrix, const multigrid_rows *fine,
                                ritz_block_rows **prolongator)
{
    ritz_status status = RITZ_OK;
    const ritz_block_rows *a = fine->a;
    ritz_kernel *count = NULL;
    ritz_buffer *counts = NULL;
    RITZ_TRY(ritz_multigrid_nullspace_kernel(matrix, a, fine->columns, "count_coarse", &count));
    RITZ_TRY(ritz_buffer_create(a->device, a->n_rows * (int64_t)4, "the row lengths of a prolongator", &counts));
    RITZ_TRY(RITZ_LAUNCH(count, ritz_block_rows_range(count, a->device, a->n_rows), NULL, RITZ_INT(a->n_rows),
                         RITZ_INT(e->most), RITZ_BUFFER(e->nodes), RITZ_BUFFER(counts)));
    RITZ_TRY(
        ritz_block_rows_create(a->device, RITZ_F32, a->height, a->height, a->n_rows, e->n_coarse, counts, prolongator));
done:
    ritz_buffer_destroy(&counts);
    return status;
}

static ritz_status take_coarse_nullspace(const ritz_multigrid *m, const ritz_matrix *matrix, const multigrid_rows *fine,
                                         multigrid_rows *coarse)
{
    ritz_status status = RITZ_OK;
    const multigrid_embedding *e = &m->embedding;
    const ritz_block_rows *a = fine->a;
    const int64_t entries = (int64_t)e->n_coarse * a->height * fine->columns;
    ritz_kernel *take = NULL;
    RITZ_TRY(ritz_multigrid_nullspace_kernel(matrix, a, fine->columns, "coarse_nullspace", &take));
    RITZ_TRY(ritz_buffer_create(a->device, entries * ritz_real_bytes(a->precision), "the near-nullspace",
                                &coarse->nullspace));
    RITZ_TRY(RITZ_LAUNCH(take, ritz_block_rows_range(take, a->device, e->n_coarse), NULL, RITZ_INT(e->n_coarse),
                         RITZ_LONG(matrix->n_unknowns), RITZ_BUFFER(e->place), RITZ_BUFFER(m->options.weight),
                         RITZ_BUFFER(fine->nullspace), RITZ_BUFFER(coarse->nullspace)));
    coarse->columns = fine->columns;
    coarse->has_places = fine->has_places;
done:
    return status;
}

ritz_status ritz_multigrid_embed(const ritz_multigrid *m, const ritz_matrix *matrix, const multigrid_rows *fine,
                                 multigrid_rows *coarse, ritz_block_rows **prolongator)
{
    ritz_status status = RITZ_OK;
    const multigrid_embedding *e = &m->embedding;
    const ritz_block_rows *a = fine->a;
    ritz_kernel *find = NULL, *fill = NULL;
    ritz_buffer *tied = NULL;
    RITZ_TRY(ritz_multigrid_nullspace_kernel(matrix, a, fine->columns, "find_tied", &find));
    RITZ_TRY(ritz_multigrid_nullspace_kernel(matrix, a, fine->columns, "fill_coarse", &fill));
    RITZ_TRY(ritz_buffer_create(a->device, a->n_rows, "the nodes that are tied to others", &tied));
    const ritz_range rows = ritz_block_rows_range(find, a->device, a->n_rows);
    const ritz_argument arguments[] = {RITZ_INT(a->n_rows),        RITZ_BUFFER(a->row_start),
                                       RITZ_BUFFER(a->columns),    RITZ_BUFFER(ritz_block_rows_values(a)),
                                       RITZ_BUFFER(tied),          RITZ_BUFFER(a->row_slot),
                                       RITZ_BUFFER(a->slot_of_row)};
    RITZ_TRY(ritz_block_rows_launch(find, rows, arguments, sizeof arguments / sizeof *arguments));
    if (!*prolongator)
        RITZ_TRY(make_pattern(e, matrix, fine, prolongator));
    RITZ_TRY(RITZ_LAUNCH(fill, rows, NULL, RITZ_INT(a->n_rows), RITZ_INT(e->most), RITZ_BUFFER(e->nodes),
                         RITZ_BUFFER(e->place), RITZ_BUFFER(tied), RITZ_BUFFER(e->weights),
                         RITZ_BUFFER(m->options.weight), RITZ_BUFFER((*prolongator)->row_start),
                         RITZ_BUFFER((*prolongator)->columns), RITZ_BUFFER((*prolongator)->values)));
    RITZ_TRY(take_coarse_nullspace(m, matrix, fine, coarse));
    ritz_multigrid_phase(fine->clock, "embedding", ritz_block_rows_bytes(a) + ritz_block_rows_bytes(*prolongator));
done:
    ritz_buffer_destroy(&tied);
    return status;
}
