/* The hierarchy of levels: made from the finest down, described, destroyed. */
#include "multigrid/levels.h"

#include <stdio.h>
#include <string.h>

/* So many times the unknowns that are solved directly in any case a level may have that cannot be coarsened: of 2400 an inverse factor takes
   46 MB, and to make it seconds of one core. A bound, not a measured constant: such levels are rare, and beyond it other methods serve. */
enum { DIRECT_AT_ALL = 4 };
/* No more nodes than this share of a level's go to the next, or it is not worth making: aggregates of fewer than 1.25 nodes
   would give a hierarchy of 5 and more times the finest level's work. */
static const double coarsening_most = 0.8;
/* Of stretched cells: a part of one or two of them across is gathered as if they were not. */
static const double stretched_most = 0.6;

static bool may_be_direct(const ritz_multigrid *m, int64_t n)
{
    return (double)n <= DIRECT_AT_ALL * ritz_device_tuned(m->device, RITZ_MULTIGRID_DIRECT);
}

static bool is_smoothed(const ritz_multigrid *m, const multigrid_level *l)
{
    return (double)l->info.n_rows > ritz_device_tuned(m->device, RITZ_MULTIGRID_DIRECT);
}

ritz_row_threads ritz_multigrid_threads(ritz_device *device, ritz_constant constant)
{
    return ritz_row_threads_for(device, ritz_device_tuned(device, constant),
                                (int)ritz_device_tuned(device, RITZ_MULTIGRID_GROUP));
}

ritz_status ritz_multigrid_kernel(ritz_device *device, ritz_precision precision, const char *file, int height,
                                  int width, const char *options, const char *name, ritz_kernel **kernel)
{
    char all[96];
    snprintf(all, sizeof all, "-DHEIGHT=%d -DWIDTH=%d %s", height, width, options);
    return ritz_block_rows_kernel(device, precision, file, all, name, kernel);
}

void ritz_multigrid_add_slices(const ritz_block_rows *a, char *options, size_t size)
{
    const size_t used = strlen(options);
    if (a->in_slices)
        snprintf(options + used, size - used, " -DSLICE=%d", a->slice_height);
}

static void destroy_rows(multigrid_rows *rows)
{
    ritz_buffer_destroy(&rows->root);
    ritz_block_rows_destroy(&rows->a);
    ritz_buffer_destroy(&rows->nullspace);
}

/* What depends on the matrix's values, and does not keep its room for others. */
static void destroy_values(multigrid_level *l)
{
    ritz_matrix_destroy(&l->matrix);
    ritz_matrix_destroy(&l->factor[0]);
    ritz_matrix_destroy(&l->factor[1]);
}

static void destroy_vectors(multigrid_level *l)
{
    ritz_buffer_destroy(&l->r);
    ritz_buffer_destroy(&l->z[0]);
    ritz_buffer_destroy(&l->z[1]);
}

static void destroy_kept(multigrid_kept *kept)
{
    ritz_buffer_destroy(&kept->aggregate);
    ritz_block_rows_destroy(&kept->strong);
    ritz_block_rows_destroy(&kept->ap);
    ritz_block_rows_destroy(&kept->coarse);
}

static void destroy_level(multigrid_level *l)
{
    destroy_values(l);
    destroy_vectors(l);
    ritz_block_rows_destroy(&l->prolongator);
    ritz_block_rows_destroy(&l->restrictor);
    ritz_buffer_destroy(&l->slot);
    destroy_kept(&l->kept);
    *l = (multigrid_level){0};
}

static void destroy_levels(ritz_multigrid *m)
{
    for (int l = 0; l < RITZ_MULTIGRID_LEVELS_MOST; l++)
        destroy_level(&m->level[l]);
    ritz_block_rows_destroy(&m->pattern);
    m->n_levels = 0;
}

void ritz_multigrid_destroy(ritz_multigrid **multigrid)
{
    if (!multigrid || !*multigrid)
        return;
    destroy_levels(*multigrid);
    ritz_buffer_destroy(&(*multigrid)->nullspace);
    ritz_buffer_destroy(&(*multigrid)->factor);
    ritz_multigrid_destroy_embedding(&(*multigrid)->embedding);
    ritz_free(*multigrid);
    *multigrid = NULL;
}

/* ---- A level ---- */

enum { VECTOR_PADDING = 64 }; /* numbers: whole packs of any device, and whole blocks */

static ritz_status create_vector(const ritz_multigrid *m, int64_t n, ritz_buffer **vector)
{
    ritz_status status = RITZ_OK;
    const int64_t bytes = (ritz_round_up(n, VECTOR_PADDING) + VECTOR_PADDING) * ritz_real_bytes(m->options.vectors);
    RITZ_TRY(ritz_buffer_create(m->device, bytes, "a vector of multigrid", vector));
    RITZ_TRY(ritz_buffer_zero(*vector));
done:
    return status;
}

/* Values of the restrictors, once all levels are there, and what their set-up takes for a while is not. */
static ritz_status turn_prolongators(ritz_multigrid *m, multigrid_clock *clock)
{
    ritz_status status = RITZ_OK;
    int64_t bytes = 0;
    for (multigrid_level *l = m->level; l < m->level + m->n_levels; l++) {
        if (!l->prolongator)
            continue;
        if (!l->restrictor->values)
            RITZ_TRY(ritz_block_rows_create_values(l->restrictor));
        RITZ_TRY(ritz_block_rows_turn(l->prolongator, l->slot, l->restrictor));
        bytes += 2 * ritz_block_rows_bytes(l->prolongator);
        if (!m->options.updatable)
            ritz_buffer_destroy(&l->slot);
    }
    ritz_multigrid_phase(clock, "restrictors", bytes);
done:
    return status;
}

/* Once all levels are there, too. */
static ritz_status create_vectors(ritz_multigrid *m)
{
    ritz_status status = RITZ_OK;
    for (multigrid_level *l = m->level; l < m->level + m->n_levels; l++) {
        if (l > m->level)
            RITZ_TRY(create_vector(m, l->info.n_rows, &l->r));
        RITZ_TRY(create_vector(m, l->info.n_rows, &l->z[0]));
        RITZ_TRY(create_vector(m, l->info.n_rows, &l->z[1]));
    }
done:
    return status;
}

/* The level's matrix for the cycle, the bound of its spectrum, its smoother. */
static ritz_status make_smoother(ritz_multigrid *m, const ritz_matrix *finest, const ritz_block_rows *a,
                                 multigrid_clock *clock, multigrid_level *l)
{
    ritz_status status = RITZ_OK;
    const ritz_multigrid_options *o = &m->options;
    const ritz_matrix_options types = {.precision = o->vectors, .values = o->values ? o->values : RITZ_VALUES_F32};
    if (l == m->level)
        RITZ_TRY(ritz_multigrid_copy_finest(m, finest, ritz_multigrid_first_values(m, finest)));
    else
        RITZ_TRY(ritz_block_rows_to_matrix(a, &types, &l->matrix));
    ritz_multigrid_phase(clock, "the cycle's matrix", ritz_matrix_product_bytes(l->matrix));
    RITZ_TRY(ritz_multigrid_largest(l->matrix, &l->info.largest_eigenvalue));
    ritz_multigrid_phase(clock, "its spectrum", RITZ_LANCZOS_STEPS * ritz_matrix_product_bytes(l->matrix));
    l->smoother = ritz_multigrid_smoother(o->degree, l->info.largest_eigenvalue);
done:
    return status;
}

static ritz_status get_transfer(const ritz_multigrid *m, const ritz_block_rows *rows, bool add, multigrid_transfer *t)
{
    char options[80];
    snprintf(options, sizeof options, "-DTABLE_LOCAL=0 -DHEIGHT=%d -DWIDTH=%d -DADD=%d", rows->height, rows->width,
             add);
    t->threads = ritz_row_threads_for(m->device, (double)rows->n_blocks / rows->n_rows,
                                      (int)ritz_device_tuned(m->device, RITZ_MULTIGRID_GROUP));
    return ritz_row_kernel(m->device, m->options.vectors, "multigrid/kernels/transfer.cl", t->threads, options,
                           "transfer", &t->kernel);
}

static bool is_embedded(const ritz_multigrid *m, const multigrid_level *l)
{
    return l == m->level && m->embedding.nodes && !m->straight;
}

/* l->info.n_aggregates and l->kept.aggregate; 0 where the next level would not be worth making. */
static ritz_status gather_nodes(const ritz_multigrid *m, multigrid_level *l, multigrid_rows *fine)
{
    ritz_status status = RITZ_OK;
    int32_t n = 0;
    if (is_embedded(m, l)) {
        l->info.n_aggregates = m->embedding.n_coarse;
        return RITZ_OK;
    }
    RITZ_TRY(ritz_multigrid_aggregate(fine, &n, &l->kept.aggregate, &l->kept.strong));
    if (fine->stretch != EVEN && n * (double)fine->columns > stretched_most * (double)l->info.n_rows) {
        ritz_buffer_destroy(&l->kept.aggregate);
        ritz_block_rows_destroy(&l->kept.strong);
        fine->stretch = EVEN;
        RITZ_TRY(ritz_multigrid_aggregate(fine, &n, &l->kept.aggregate, &l->kept.strong));
    }
    if (n * (double)fine->columns <= coarsening_most * (double)l->info.n_rows)
        l->info.n_aggregates = n;
    else
        ritz_buffer_destroy(&l->kept.aggregate);
done:
    return status;
}

/* Where products of a level will take far more memory than was in use before the set-up, as those of the finest level do where A's
   rows are short and those of the second in stretched cells, the finest level's matrix for the cycle makes room for them until all
   levels are there: it is but a copy. Besides a piece of A P there are P, patterns and P^T, of which some 70 + 28 height columns bytes
   of each node were measured. */
static void make_room(ritz_multigrid *m, const multigrid_rows *fine)
{
    const ritz_block_rows *a = fine->a;
    const int64_t node = 70 + 28 * (int64_t)a->height * fine->columns;
    const int64_t soon = ritz_device_live_bytes(m->device) + ritz_block_rows_piece_bytes(a) + node * a->n_rows;
    if ((double)soon > 1.5 * (double)m->peak_before)
        ritz_matrix_destroy(&m->level->matrix);
}

/* Omega times the largest eigenvalue. 4 / 3, which bounds say is best, takes one iteration of 15 to 20 more. */
static const double prolongator_damping = 1.5;

/* The next level's rows, and what leads there. */
static ritz_status coarsen_level(ritz_multigrid *m, const ritz_matrix *finest, multigrid_level *l, multigrid_rows *fine,
                                 multigrid_rows *coarse)
{
    ritz_status status = RITZ_OK;
    ritz_block_rows *tentative = NULL;
    const double omega = prolongator_damping / l->info.largest_eigenvalue;
    if (is_embedded(m, l))
        RITZ_TRY(ritz_multigrid_embed(m, finest, fine, coarse, &l->prolongator));
    else {
        RITZ_TRY(ritz_multigrid_tentative(fine, l->info.n_aggregates, l->kept.aggregate, coarse, &tentative));
        if (l->kept.strong)
            RITZ_TRY(ritz_multigrid_copy_strong(fine, l->kept.strong));
        RITZ_TRY(ritz_multigrid_smooth(fine, tentative, l->kept.strong, coarse, omega, &l->prolongator));
        if (l->kept.strong)
            ritz_buffer_destroy(&l->kept.strong->values);
        coarse->stretch = fine->stretch;
        ritz_block_rows_destroy(&tentative);
    }
    ritz_buffer_destroy(&fine->nullspace);
    if (!m->options.updatable) {
        ritz_buffer_destroy(&l->kept.aggregate);
        ritz_multigrid_destroy_embedding(&m->embedding);
    }
    RITZ_TRY(ritz_multigrid_galerkin(fine, l->prolongator, coarse, &l->kept, &l->restrictor, &l->slot));
    if (!m->options.updatable) {
        coarse->a->lent = false; /* the pattern is its own from here on */
        l->kept.coarse->lent = true;
        destroy_kept(&l->kept);
    }
    if (!m->again) {
        RITZ_TRY(get_transfer(m, l->prolongator, true, &l->prolong));
        RITZ_TRY(get_transfer(m, l->restrictor, false, &l->restrict_));
    }
done:
    ritz_block_rows_destroy(&tentative);
    return status;
}

/* The finest level's near-nullspace: from the options, or from what was kept of them. */
static ritz_status make_nullspace(ritz_multigrid *m, const ritz_matrix *matrix, multigrid_rows *finest)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *given = NULL;
    if (!m->nullspace)
        RITZ_TRY(ritz_multigrid_take_nullspace(m, matrix, finest->a, finest->columns, &given));
    if (m->options.updatable && !m->nullspace) {
        m->nullspace = given;
        given = NULL;
    }
    if (m->nullspace) {
        const int64_t bytes = ritz_buffer_bytes(m->nullspace);
        RITZ_TRY(ritz_buffer_create(m->device, bytes, "the near-nullspace", &given));
        RITZ_TRY(ritz_buffer_copy(m->nullspace, 0, given, 0, bytes));
    }
    RITZ_TRY(ritz_multigrid_scale_nullspace(m, matrix, finest->a, finest->columns, given));
    finest->nullspace = given;
    given = NULL;
    ritz_multigrid_phase(finest->clock, "near-nullspace", ritz_buffer_bytes(finest->nullspace));
done:
    ritz_buffer_destroy(&given);
    return status;
}

/* What a new level has whatever the values. */
static void start_level(ritz_multigrid *m, const ritz_matrix *finest, const ritz_block_rows *a)
{
    multigrid_level *l = &m->level[m->n_levels++];
    l->block = a->height;
    l->info.n_nodes = a->n_rows;
    l->info.n_rows = m->n_levels == 1 ? finest->n_unknowns : (int64_t)a->n_rows * a->height;
    l->info.n_nonzeros = a->n_blocks * a->height * a->width;
}

/* What of the options the finest level's coarsening starts from, checked. */
static ritz_status start_finest(ritz_multigrid *m, const ritz_matrix *matrix, multigrid_rows *finest)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(make_nullspace(m, matrix, finest));
    if (m->options.coarse_nodes && !m->straight)
        RITZ_TRY(ritz_multigrid_take_embedding(m, finest->a->n_rows));
done:
    return status;
}

/* One level from its rows; coarse->a is NULL after the last. */
static ritz_status make_level(ritz_multigrid *m, const ritz_matrix *finest, multigrid_rows *fine,
                              multigrid_rows *coarse)
{
    ritz_status status = RITZ_OK;
    const int number = fine->clock->level;
    multigrid_level *l = &m->level[number];
    const ritz_block_rows *a = fine->a;
    if (!m->again)
        start_level(m, finest, a);
    const bool is_large = is_smoothed(m, l);
    if (is_large)
        RITZ_TRY(make_smoother(m, finest, a, fine->clock, l));
    if (number == 0) /* not before the work space of the bounds is given up */
        RITZ_TRY(start_finest(m, finest, fine));
    make_room(m, fine);
    if (is_large && number + 1 < RITZ_MULTIGRID_LEVELS_MOST && !m->again)
        RITZ_TRY(gather_nodes(m, l, fine));
    if (number == 1 && !m->straight && (m->options.coarse_nodes || m->embedding.nodes) &&
        fine->stretch == STRETCHED_IN_LINES) {
        m->straight = true; /* all levels are made anew */
        goto done;
    }
    if (l->info.n_aggregates > 0)
        RITZ_TRY(coarsen_level(m, finest, l, fine, coarse));
    else if (may_be_direct(m, l->info.n_rows)) {
        RITZ_TRY(ritz_multigrid_factorise(m, a, 0, NULL, l->factor));
        ritz_multigrid_phase(fine->clock, "factors", ritz_block_rows_bytes(a));
    } else
        ritz_log("multigrid: a level of %lld unknowns can not be coarsened, and is smoothed alone",
                 (long long)l->info.n_rows);
    ritz_log("multigrid: level %d of %lld rows, %lld nonzeros, %d nodes in %d aggregates, eigenvalues up to %.3g%s",
             number, (long long)l->info.n_rows, (long long)l->info.n_nonzeros, l->info.n_nodes, l->info.n_aggregates,
             l->info.largest_eigenvalue, l->factor[0] ? ", solved directly" : "");
    RITZ_TRY(ritz_check_interrupt());
done:
    return status;
}

/* ---- The whole ---- */

/* The finest level's rows; again: into their pattern, where *outside says that this is too small. */
static ritz_status make_rows(ritz_multigrid *m, const ritz_matrix *matrix, multigrid_rows *finest, bool *outside)
{
    ritz_status status = RITZ_OK;
    const ritz_multigrid_options *o = &m->options;
    *outside = false;
    finest->columns = o->columns ? o->columns : o->block;
    finest->has_places = o->coordinates && finest->columns == 6;
    if (!may_be_direct(m, matrix->n_unknowns)) /* others may be factorised, whole */
        RITZ_TRY(ritz_block_rows_in_place(matrix, m->setup, o->block, m->again ? m->pattern : NULL, o->weight,
                                          &finest->a, outside));
    if (finest->a && m->again)
        goto done;
    if (m->again) {
        RITZ_TRY(ritz_block_rows_like(m->pattern, m->setup, &finest->a));
        RITZ_TRY(ritz_block_rows_refill(matrix, o->weight, finest->a, outside));
    } else {
        if (!finest->a)
            RITZ_TRY(ritz_block_rows_from_matrix(matrix, m->setup, o->block, o->weight, &finest->a));
        if (o->updatable)
            RITZ_TRY(ritz_block_rows_take_pattern(finest->a, &m->pattern));
    }
    ritz_multigrid_phase(finest->clock, "rows of the matrix",
                         ritz_matrix_product_bytes(matrix) + ritz_block_rows_bytes(finest->a));
done:
    return status;
}

/* Where there may be motions without energy. For these the finest level's near-nullspace, which was given up, is made again. */
static ritz_status hold_free_motions(ritz_multigrid *m, const ritz_matrix *matrix, const multigrid_rows *coarsest)
{
    ritz_status status = RITZ_OK;
    const bool again = m->again, is_finest = m->n_levels == 1;
    multigrid_rows finest = {.clock = coarsest->clock};
    bool may, outside;
    RITZ_TRY(ritz_multigrid_may_be_free(m, coarsest, &may));
    if (!may)
        goto done;
    if (!is_finest) {
        m->again = m->pattern != NULL;
        RITZ_TRY(make_rows(m, matrix, &finest, &outside));
        RITZ_TRY(make_nullspace(m, matrix, &finest));
    }
    RITZ_TRY(ritz_multigrid_hold_free(m, matrix, is_finest ? NULL : &finest, coarsest));
done:
    m->again = again;
    destroy_rows(&finest);
    return status;
}

/* What the cycle has and the set-up does not read makes room for it. */
static void clear_levels(ritz_multigrid *m)
{
    for (multigrid_level *l = m->level; l < m->level + m->n_levels; l++) {
        destroy_values(l);
        destroy_vectors(l);
        if (l->restrictor)
            ritz_buffer_destroy(&l->restrictor->values);
    }
}

/* All levels: made, or given new values. *outside: these have other patterns, and what there is
   serves no more. */
static ritz_status fill_levels(ritz_multigrid *m, const ritz_matrix *matrix, bool *outside)
{
    ritz_status status = RITZ_OK;
    multigrid_clock clock = {.device = matrix->device};
    multigrid_rows fine = {.clock = &clock}, coarse = {.clock = &clock};
    clear_levels(m);
    m->n_free = 0;
    if (m->peak_before == 0)
        m->peak_before = ritz_device_get_counters(m->device)->peak_bytes;
    ritz_multigrid_phase(&clock, NULL, 0);
    RITZ_TRY(make_rows(m, matrix, &fine, outside));
    if (*outside)
        goto done;
    RITZ_TRY(ritz_multigrid_take_roots(m, matrix, &fine));
    RITZ_TRY(ritz_multigrid_factor_nodes(m, matrix, &fine));
    const bool straight = m->straight;
    if (straight)
        fine.stretch = STRETCHED_IN_LINES;
    while (fine.a && m->straight == straight) {
        RITZ_TRY(make_level(m, matrix, &fine, &coarse));
        if (!coarse.a)
            break;
        destroy_rows(&fine);
        fine = coarse;
        coarse = (multigrid_rows){.clock = &clock};
        clock.level++;
    }
    if (m->straight != straight) {
        ritz_log(
            "multigrid: cells are so stretched that the space of order 1 is left out, and all levels are made anew");
        destroy_rows(&fine);
        destroy_levels(m);
        ritz_multigrid_destroy_embedding(&m->embedding);
        return fill_levels(m, matrix, outside);
    }
    if (is_smoothed(m, m->level) && !m->level->matrix)
        RITZ_TRY(ritz_multigrid_copy_finest(m, matrix, ritz_multigrid_first_values(m, matrix)));
    RITZ_TRY(turn_prolongators(m, &clock));
    RITZ_TRY(create_vectors(m));
    RITZ_TRY(hold_free_motions(m, matrix, &fine));
    RITZ_TRY(ritz_multigrid_settle_values(m, matrix, &clock));
done:
    destroy_rows(&fine);
    destroy_rows(&coarse);
    return status;
}

ritz_status ritz_multigrid_create(const ritz_matrix *matrix, const ritz_multigrid_options *options,
                                  ritz_multigrid **multigrid)
{
    ritz_status status = RITZ_OK;
    ritz_multigrid *m = NULL;
    bool outside;
    RITZ_NEW(m, 1);
    m->device = matrix->device;
    m->options = *options;
    m->setup = matrix->precision;
    RITZ_TRY(fill_levels(m, matrix, &outside));
    m->options.nullspace = m->options.coordinates = NULL; /* the caller's, as all of these */
    m->options.coarse_nodes = NULL;
    m->options.coarse_weights = NULL;
    m->options.weight = NULL;
    *multigrid = m;
    m = NULL;
done:
    ritz_multigrid_destroy(&m);
    return status;
}

ritz_status ritz_multigrid_update(ritz_multigrid *m, const ritz_matrix *matrix, const ritz_buffer *weight)
{
    ritz_status status = RITZ_OK;
    bool outside;
    m->options.weight = weight;
    m->again = m->n_levels > 0;
    RITZ_TRY(fill_levels(m, matrix, &outside));
    if (outside) {
        ritz_log(
            "multigrid: the matrix has other blocks than before that are not zero, so that all levels are made anew");
        destroy_levels(m);
        m->again = false;
        RITZ_TRY(fill_levels(m, matrix, &outside));
    }
done:
    if (status)
        destroy_levels(m); /* the next update makes them anew */
    m->options.weight = NULL;
    return status;
}

int ritz_multigrid_n_levels(const ritz_multigrid *m)
{
    return m->n_levels;
}

ritz_multigrid_level_info ritz_multigrid_get_level(const ritz_multigrid *m, int level)
{
    return m->level[level].info;
}

int ritz_multigrid_n_free(const ritz_multigrid *m)
{
    return m->n_free;
}

double ritz_multigrid_complexity(const ritz_multigrid *m)
{
    double sum = 0;
    for (int l = 0; l < m->n_levels; l++)
        sum += (double)m->level[l].info.n_nonzeros;
    return sum / (double)ritz_max64(1, m->level[0].info.n_nonzeros);
}
