/* From one level to the next: near-nullspace, tentative and smoothed prolongator, the matrix between them. */
#include "multigrid/levels.h"

#include <math.h>
#include <stdio.h>

/* Three files, each compiled for no more than its kernels depend on: compilers take long for the loops over a node's unknowns. */
static const char prolongator_file[] = "multigrid/kernels/prolongator.cl",
                  columns_file[] = "multigrid/kernels/orthonormalise.cl",
                  level_file[] = "multigrid/kernels/scale_level.cl";

/* What kernels are compiled for; 0 where they do not depend on it: of the blocks of P, or of a level's matrix and near-nullspace. */
typedef struct kernel_kind {
    ritz_device *device;
    ritz_precision precision;
    int height, width, modes; /* of blocks; columns of the near-nullspace */
    bool roots, factors;      /* A is in place; and to be scaled by the factors of its diagonal blocks */
} kernel_kind;

static kernel_kind kind_of(const multigrid_rows *fine)
{
    const ritz_block_rows *a = fine->a;
    return (kernel_kind){.device = a->device,
                         .precision = a->precision,
                         .height = a->height,
                         .width = fine->columns,
                         .roots = fine->root != NULL,
                         .factors = fine->factor != NULL};
}

static ritz_range rows_range(ritz_device *device, int64_t n)
{
    return ritz_row_range(device, ritz_multigrid_threads(device, RITZ_MULTIGRID_PROLONGATOR_THREADS), n);
}

/* `constant`: how many work-items share a row. */
static ritz_status get_kernel(const kernel_kind *k, const char *file, ritz_constant constant, const char *name,
                              ritz_kernel **kernel)
{
    char options[96];
    snprintf(options, sizeof options, "-DTABLE_LOCAL=0 -DHEIGHT=%d -DWIDTH=%d -DMODES=%d%s%s", k->height, k->width,
             k->modes, k->roots ? " -DROOTS=1" : "", k->factors ? " -DFACTORS=1" : "");
    return ritz_row_kernel(k->device, k->precision, file, ritz_multigrid_threads(k->device, constant), options, name,
                           kernel);
}

/* One in which work-items share the rows of P. */
static ritz_status get_row_kernel(const kernel_kind *k, const char *file, const char *name, ritz_kernel **kernel)
{
    return get_kernel(k, file, RITZ_MULTIGRID_PROLONGATOR_THREADS, name, kernel);
}

/* ---- Tentative prolongator ---- */

/* One block for each node of an aggregate: its rows of the near-nullspace. */
static ritz_status place_nullspace(const multigrid_rows *fine, int32_t n_aggregates, const ritz_buffer *aggregate,
                                   ritz_block_rows **tentative)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *count = NULL, *fill = NULL;
    ritz_buffer *counts = NULL;
    ritz_block_rows *t = NULL;
    const ritz_block_rows *a = fine->a;
    const kernel_kind kind = kind_of(fine);
    RITZ_TRY(get_row_kernel(&kind, prolongator_file, "count_members", &count));
    RITZ_TRY(get_row_kernel(&kind, prolongator_file, "fill_members", &fill));
    const ritz_range rows = ritz_block_rows_range(count, a->device, a->n_rows);
    RITZ_TRY(ritz_buffer_create(a->device, a->n_rows * (int64_t)4, "the members of aggregates", &counts));
    RITZ_TRY(RITZ_LAUNCH(count, rows, NULL, RITZ_INT(a->n_rows), RITZ_BUFFER(aggregate), RITZ_BUFFER(counts)));
    RITZ_TRY(
        ritz_block_rows_create(a->device, a->precision, a->height, fine->columns, a->n_rows, n_aggregates, counts, &t));
    RITZ_TRY(RITZ_LAUNCH(fill, rows_range(a->device, a->n_rows), NULL, RITZ_INT(a->n_rows), RITZ_BUFFER(aggregate),
                         RITZ_BUFFER(fine->nullspace), RITZ_BUFFER(t->row_start), RITZ_BUFFER(t->columns),
                         RITZ_BUFFER(t->values)));
    *tentative = t;
    t = NULL;
done:
    ritz_buffer_destroy(&counts);
    ritz_block_rows_destroy(&t);
    return status;
}

ritz_status ritz_multigrid_tentative(const multigrid_rows *fine, int32_t n_aggregates, const ritz_buffer *aggregate,
                                     multigrid_rows *coarse, ritz_block_rows **tentative)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *orthonormalise = NULL;
    ritz_block_rows *t = NULL, *members = NULL;
    const ritz_block_rows *a = fine->a;
    const int64_t entries = (int64_t)n_aggregates * fine->columns * fine->columns;
    const kernel_kind kind = kind_of(fine);
    coarse->columns = fine->columns;
    RITZ_TRY(get_kernel(&kind, columns_file, RITZ_MULTIGRID_AGGREGATE_THREADS, "orthonormalise", &orthonormalise));
    RITZ_TRY(place_nullspace(fine, n_aggregates, aggregate, &t));
    RITZ_TRY(ritz_block_rows_transpose(t, &members));
    RITZ_TRY(ritz_buffer_create(a->device, entries * ritz_real_bytes(a->precision), "the near-nullspace",
                                &coarse->nullspace));
    const ritz_argument arguments[] = {RITZ_INT(n_aggregates),         RITZ_BUFFER(members->row_start),
                                       RITZ_BUFFER(members->columns),  RITZ_BUFFER(members->values),
                                       RITZ_BUFFER(t->row_start),      RITZ_BUFFER(t->values),
                                       RITZ_BUFFER(coarse->nullspace), RITZ_BUFFER(fine->root)};
    const ritz_range aggregates =
        ritz_row_range(a->device, ritz_multigrid_threads(a->device, RITZ_MULTIGRID_AGGREGATE_THREADS), n_aggregates);
    RITZ_TRY(ritz_block_rows_launch(orthonormalise, aggregates, arguments, sizeof arguments / sizeof *arguments));
    ritz_multigrid_phase(fine->clock, "tentative prolongator", 2 * ritz_block_rows_bytes(t));
    *tentative = t;
    t = NULL;
done:
    ritz_block_rows_destroy(&t);
    ritz_block_rows_destroy(&members);
    return status;
}

/* ---- Smoothed prolongator, Galerkin product ---- */

ritz_status ritz_multigrid_smooth(const multigrid_rows *fine, const ritz_block_rows *t, const ritz_block_rows *strong,
                                  const multigrid_rows *coarse, double omega, ritz_block_rows **prolongator)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *subtract = NULL, *keep = NULL;
    const ritz_block_rows *a = strong ? strong : fine->a;
    ritz_block_rows few = *a; /* hubs, as a rigid face has, would make A P as long in each row beside them */
    few.most = ritz_block_rows_even_length(a);
    const kernel_kind kind = kind_of(fine);
    RITZ_TRY(get_row_kernel(&kind, prolongator_file, "subtract_product", &subtract));
    if (!*prolongator) {
        RITZ_TRY(ritz_block_rows_multiply_pattern(&few, t, prolongator));
        (*prolongator)->precision = RITZ_F32;
        RITZ_TRY(ritz_block_rows_create_values(*prolongator));
    }
    RITZ_TRY(ritz_block_rows_multiply(&few, t, prolongator));
    const ritz_block_rows *p = *prolongator;
    if (strong) {
        RITZ_TRY(get_row_kernel(&kind, prolongator_file, "keep_nullspace", &keep));
        RITZ_TRY(RITZ_LAUNCH(keep, rows_range(a->device, a->n_rows), NULL, RITZ_INT(a->n_rows),
                             RITZ_BUFFER(t->row_start), RITZ_BUFFER(t->columns), RITZ_BUFFER(coarse->nullspace),
                             RITZ_BUFFER(p->row_start), RITZ_BUFFER(p->columns), RITZ_BUFFER(p->values)));
    }
    const ritz_argument arguments[] = {
        RITZ_INT(a->n_rows),       RITZ_REAL(a->precision, omega), RITZ_INT(few.most),      RITZ_BUFFER(a->row_start),
        RITZ_BUFFER(t->row_start), RITZ_BUFFER(t->columns),        RITZ_BUFFER(t->values),  RITZ_BUFFER(p->row_start),
        RITZ_BUFFER(p->columns),   RITZ_BUFFER(p->values),         RITZ_BUFFER(fine->root), RITZ_BUFFER(fine->factor)};
    RITZ_TRY(ritz_block_rows_launch(subtract, rows_range(a->device, a->n_rows), arguments,
                                    sizeof arguments / sizeof *arguments));
    ritz_multigrid_phase(fine->clock, "smoothed prolongator",
                         ritz_block_rows_bytes(a) + ritz_block_rows_bytes(t) + ritz_block_rows_bytes(p));
done:
    return status;
}

/* Scales the next level to ones in its diagonal blocks, and the prolongator to it and to its own level. */
static ritz_status scale_level(const ritz_block_rows *p, const multigrid_rows *fine, multigrid_rows *coarse)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *factor = NULL, *scale = NULL, *scale_p = NULL;
    ritz_buffer *inverse = NULL;
    const ritz_block_rows *a = coarse->a;
    const int64_t entries = (int64_t)a->n_rows * a->height * a->width;
    const kernel_kind kind = {.device = a->device,
                              .precision = a->precision,
                              .height = p->height,
                              .width = p->width,
                              .roots = fine->root != NULL,
                              .factors = fine->factor != NULL};
    const kernel_kind level = {
        .device = a->device, .precision = a->precision, .width = p->width, .modes = coarse->columns};
    RITZ_TRY(get_row_kernel(&level, level_file, "factor_diagonal", &factor));
    RITZ_TRY(get_row_kernel(&level, level_file, "scale_blocks", &scale));
    RITZ_TRY(get_row_kernel(&kind, prolongator_file, "scale_prolongator", &scale_p));
    const ritz_range rows = ritz_block_rows_range(factor, a->device, a->n_rows);
    RITZ_TRY(
        ritz_buffer_create(a->device, entries * ritz_real_bytes(a->precision), "the scaling of a level", &inverse));
    RITZ_TRY(RITZ_LAUNCH(factor, rows, NULL, RITZ_INT(a->n_rows), RITZ_BUFFER(a->row_start), RITZ_BUFFER(a->columns),
                         RITZ_BUFFER(a->values), RITZ_BUFFER(inverse), RITZ_BUFFER(coarse->nullspace)));
    RITZ_TRY(RITZ_LAUNCH(scale, rows_range(a->device, a->n_rows), NULL, RITZ_INT(a->n_rows), RITZ_BUFFER(a->row_start),
                         RITZ_BUFFER(a->columns), RITZ_BUFFER(inverse), RITZ_BUFFER(a->values)));
    const ritz_argument arguments[] = {RITZ_INT(p->n_rows),      RITZ_BUFFER(p->row_start), RITZ_BUFFER(p->columns),
                                       RITZ_BUFFER(inverse),     RITZ_BUFFER(p->values),    RITZ_BUFFER(fine->root),
                                       RITZ_BUFFER(fine->factor)};
    RITZ_TRY(ritz_block_rows_launch(scale_p, rows_range(a->device, p->n_rows), arguments,
                                    sizeof arguments / sizeof *arguments));
done:
    ritz_buffer_destroy(&inverse);
    return status;
}

/* The patterns of P^T, A P and P^T A P, which live as long as the cycle or the kept ones. */
static ritz_status make_patterns(const multigrid_rows *fine, const ritz_block_rows *p, multigrid_kept *kept,
                                 ritz_block_rows **restrictor, ritz_buffer **slot)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_block_rows_transpose_pattern(p, slot, restrictor));
    ritz_multigrid_phase(fine->clock, "transpose, pattern", 8 * p->n_blocks);
    RITZ_TRY(ritz_block_rows_multiply_pattern(fine->a, p, &kept->ap));
    RITZ_TRY(ritz_block_rows_multiply_pattern(*restrictor, kept->ap, &kept->coarse));
    ritz_multigrid_phase(fine->clock, "P^T (A P), pattern",
                         4 * (fine->a->n_blocks + p->n_blocks + kept->ap->n_blocks + kept->coarse->n_blocks));
done:
    return status;
}

ritz_status ritz_multigrid_galerkin(multigrid_rows *fine, ritz_block_rows *p, multigrid_rows *coarse,
                                    multigrid_kept *kept, ritz_block_rows **restrictor, ritz_buffer **slot)
{
    ritz_status status = RITZ_OK;
    if (!*restrictor)
        RITZ_TRY(make_patterns(fine, p, kept, restrictor, slot));
    RITZ_TRY(ritz_block_rows_like(kept->coarse, fine->a->precision, &coarse->a));
    RITZ_TRY(ritz_block_rows_multiply_twice(fine->a, p, kept->ap, *restrictor, *slot, coarse->a));
    const int64_t bytes = ritz_block_rows_bytes(p) + ritz_block_rows_bytes(coarse->a);
    ritz_multigrid_phase(fine->clock, "P^T (A P)", ritz_block_rows_bytes(fine->a) + bytes);
    ritz_block_rows_destroy(&fine->a); /* the most of the room that is in use */
    RITZ_TRY(scale_level(p, fine, coarse));
    ritz_multigrid_phase(fine->clock, "scaling", 2 * bytes);
done:
    return status;
}
