/* Assembly by colours: elements of one colour share no node, so each adds its whole matrix without looking at the
   others; colour after colour (kernels/scatter.cl). Deterministic, too: a place gets its contributions in the order
   of the colours. */
#include "assemble/adder.h"

struct ritz_scatterer {
    const ritz_system *system;
    int64_t chunk;
    int32_t n_colours;
    int64_t *first; /* [n_chunks * n_colours + 1] first element of a (chunk, colour) in elements */
    ritz_buffer *elements, *cell_nodes;
    const ritz_buffer *positions;
    ritz_kernel *kernel;
};

void ritz_scatterer_destroy(ritz_scatterer **scatterer)
{
    if (!scatterer || !*scatterer)
        return;
    ritz_scatterer *s = *scatterer;
    ritz_buffer_destroy(&s->elements);
    ritz_buffer_destroy(&s->cell_nodes);
    ritz_free(s->first);
    ritz_free(s);
    *scatterer = NULL;
}

/* Elements sorted by chunk and colour: elements[n_cells] holds the number in the chunk. */
static ritz_status sort_by_colour(const ritz_adder_options *o, ritz_scatterer *s, int32_t **elements)
{
    ritz_status status = RITZ_OK;
    int32_t *colour = NULL;
    int64_t *next = NULL;
    const int64_t n_cells = o->cells->n_cells;
    RITZ_NEW(colour, n_cells);
    RITZ_TRY(ritz_colour_cells(o->cells->n_cells, o->cells->n_shape, o->cells->cell_nodes, o->pattern->n_rows, colour,
                               &s->n_colours));
    const int64_t n_sets = (n_cells + o->chunk - 1) / o->chunk * s->n_colours;
    RITZ_NEW(s->first, n_sets + 1);
    RITZ_NEW(next, n_sets);
    RITZ_NEW(*elements, n_cells);
    for (int64_t e = 0; e < n_cells; e++)
        s->first[e / o->chunk * s->n_colours + colour[e] + 1]++;
    for (int64_t k = 0; k < n_sets; k++) {
        s->first[k + 1] += s->first[k];
        next[k] = s->first[k];
    }
    for (int64_t e = 0; e < n_cells; e++)
        (*elements)[next[e / o->chunk * s->n_colours + colour[e]]++] = (int32_t)(e % o->chunk);
done:
    ritz_free(colour);
    ritz_free(next);
    return status;
}

ritz_status ritz_scatterer_create(const ritz_adder_options *o, ritz_scatterer **scatterer)
{
    ritz_status status = RITZ_OK;
    ritz_scatterer *s = NULL;
    int32_t *elements = NULL;
    RITZ_NEW(s, 1);
    s->system = o->system;
    s->chunk = o->chunk;
    RITZ_TRY(sort_by_colour(o, s, &elements));
    const int64_t n_cells = o->cells->n_cells, word = (int64_t)sizeof(int32_t);
    RITZ_TRY(ritz_buffer_create_from(o->device, elements, n_cells * word, "the colours of assembly", &s->elements));
    RITZ_TRY(ritz_buffer_create_from(o->device, o->cells->cell_nodes, n_cells * o->cells->n_shape * word,
                                     "the cells' nodes", &s->cell_nodes));
    s->positions = o->positions;
    RITZ_TRY(ritz_adder_kernel(o, "assemble/kernels/scatter.cl", "", "scatter", &s->kernel));
    ritz_log("assemble: %d colours of %s cells", (int)s->n_colours, ritz_cell_name(o->cells->cell));
    *scatterer = s;
    s = NULL;
done:
    ritz_free(elements);
    ritz_scatterer_destroy(&s);
    return status;
}

ritz_status ritz_scatterer_add(const ritz_scatterer *s, int64_t chunk, const ritz_buffer *matrices,
                               const ritz_buffer *vectors, double *seconds)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *matrix = s->system->matrix;
    for (int64_t set = chunk * s->n_colours; set < (chunk + 1) * s->n_colours; set++) {
        const int64_t n = s->first[set + 1] - s->first[set];
        RITZ_TRY(RITZ_LAUNCH(s->kernel, ritz_adder_range(n), seconds, RITZ_INT((int32_t)n), RITZ_LONG(s->first[set]),
                             RITZ_LONG(chunk * s->chunk), RITZ_BUFFER(s->elements), RITZ_BUFFER(s->cell_nodes),
                             RITZ_BUFFER(s->positions), RITZ_BUFFER(matrices), RITZ_BUFFER(vectors),
                             RITZ_BUFFER(matrix->row_slot), RITZ_BUFFER(matrix->values), RITZ_BUFFER(s->system->rhs)));
    }
done:
    return status;
}
