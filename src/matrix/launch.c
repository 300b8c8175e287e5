/* How products are launched: constants of the device, rows per work-item, work-items that share a row, common
   arguments. */
#include "device/tuning.h"
#include "matrix/storage.h"

bool ritz_product_is_scaled(const ritz_product *p)
{
    return (p->alpha != 1 && p->alpha != 0) || p->beta != 0 || p->gamma != 0 || p->delta != 0;
}

ritz_matrix_plan ritz_matrix_plan_of(const ritz_device *device)
{
    const ritz_device_info *info = ritz_device_get_info(device);
    return (ritz_matrix_plan){
        .lanes = (int)ritz_tuned(info, RITZ_MATRIX_LANES, NULL, 0),
        .items_per_unit = (int)ritz_tuned(info, RITZ_PRODUCT_ITEMS_PER_UNIT, NULL, 0),
        .group = (int)ritz_tuned(info, RITZ_PRODUCT_GROUP, NULL, 0),
        .shares_rows = ritz_tuned(info, RITZ_PRODUCT_SHARES_ROWS, NULL, 0) != 0,
        .kept_bytes = (int64_t)ritz_tuned(info, RITZ_PRODUCT_KEPT_BYTES, NULL, 0),
    };
}

/* The device's number of lanes, halved until it divides the slice height. */
int ritz_matrix_lanes(const ritz_matrix_plan *plan, int32_t slice_height)
{
    int lanes = plan->lanes;
    while (slice_height % lanes != 0)
        lanes /= 2;
    return lanes;
}

/* A constant that depends on the type of values and on whether x stays in the cache. */
static double tuned_value(const ritz_matrix *m, ritz_constant constant)
{
    const bool x_kept = m->n_scalar_columns * ritz_real_bytes(m->precision) <= m->plan.kept_bytes;
    const ritz_fact facts[] = {{"value", (double)ritz_value_bytes(m->value_type)}, {"x_kept", x_kept}};
    return ritz_tuned(ritz_device_get_info(m->device), constant, facts, 2);
}

int ritz_matrix_default_height(const ritz_matrix *m)
{
    return (int)tuned_value(m, RITZ_MATRIX_SLICE_HEIGHT);
}

int64_t ritz_matrix_default_window(const ritz_matrix *m)
{
    return (int64_t)tuned_value(m, RITZ_MATRIX_SORT_WINDOW);
}

bool ritz_matrix_is_compressed(const ritz_matrix *m)
{
    return m->sharing.compressed && m->compressed;
}

/* A constant of how work-items share rows; what of that is chosen already is among the facts. */
static int choose_sharing(const ritz_matrix *m, ritz_constant constant)
{
    const double value = (double)ritz_value_bytes(m->value_type), real = (double)ritz_real_bytes(m->precision);
    const double b = m->block, rows = (double)m->n_slices * m->slice_height;
    const ritz_fact facts[] = {
        {"block", b},
        {"mean", (double)m->n_slots / rows},
        {"value", value},
        {"real", real},
        {"widening", real / value},
        {"block_bytes", value * b * b},
        {"x_of_block", real / (b * value)},
        {"rows", m->sharing.rows},
        {"items", m->sharing.threads},
        {"kept", m->sharing.keep},
        {"compressed", ritz_matrix_is_compressed(m)},
    };
    return (int)ritz_tuned(ritz_device_get_info(m->device), constant, facts, sizeof facts / sizeof *facts);
}

/* With columns in 16 bits a warp must have rows of one slice, and as many rounds for all. */
static bool columns_can_be_compressed(const ritz_matrix *m)
{
    return ritz_device_get_info(m->device)->has_ptx && !m->row_lengths && !m->one_slice && !m->hub_length &&
           m->slice_height / m->sharing.rows % RITZ_WARP == 0;
}

/* A GPU's work-items on slices of at least a warp's width: below that they read apart. */
void ritz_matrix_choose_sharing(ritz_matrix *m)
{
    const int64_t b = m->block;
    m->sharing = (ritz_row_sharing){0};
    if (!m->plan.shares_rows || m->items > 1 || m->slice_height < RITZ_WARP)
        return;
    m->sharing.rows = m->slice_height % 2 == 0 ? (int)tuned_value(m, RITZ_PRODUCT_ROWS_PER_ITEM) : 1;
    m->sharing.threads = choose_sharing(m, RITZ_PRODUCT_THREADS_PER_ROW);
    m->sharing.keep = m->n_slots * (ritz_value_bytes(m->value_type) * b * b + 4) <= m->plan.kept_bytes;
    m->sharing.compressed = columns_can_be_compressed(m) && choose_sharing(m, RITZ_PRODUCT_COMPRESSED_COLUMNS) != 0;
    m->sharing.round = choose_sharing(m, RITZ_PRODUCT_ROUND);
    m->sharing.last_round = choose_sharing(m, RITZ_PRODUCT_LAST_ROUND);
    if (m->sharing.last_round == 0)
        m->sharing.last_round = m->sharing.round;
    m->sharing.early = choose_sharing(m, RITZ_PRODUCT_EARLY) != 0;
}

void ritz_product_make_extras(const ritz_matrix *m, const ritz_product *p, const ritz_buffer *x, ritz_product_extras *e)
{
    const double factors[4] = {p->alpha, p->beta, p->gamma, p->delta};
    const bool scaled = ritz_product_is_scaled(p);
    e->n = 0;
    for (int f = 0; f < 4 && scaled; f++) {
        e->wide[f] = factors[f];
        e->narrow[f] = (float)factors[f];
        e->list[e->n++] = m->precision == RITZ_F64 ? (ritz_argument){.value = &e->wide[f], .bytes = 8}
                                                   : (ritz_argument){.value = &e->narrow[f], .bytes = 4};
    }
    if (scaled)
        e->list[e->n++] = RITZ_BUFFER(p->gamma != 0 ? p->z : x);
    if (p->partial) {
        e->list[e->n++] = RITZ_BUFFER(p->w ? p->w : x);
        e->list[e->n++] = RITZ_BUFFER(p->partial);
    }
}
