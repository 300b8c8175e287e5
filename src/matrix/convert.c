/* From slices of any format to slices of any other on the device. What grows with the nonzeros (columns, values, the
   merging of blocks) is done there; what grows with the rows (sorting their lengths, cutting slices) on the host. */
#include "matrix/block_rows.h"
#include "matrix/storage.h"

#include <stdio.h>

/* What the slices are made into: others, the same with other values, block compressed rows in their order. */
typedef enum conversion { TO_SLICES, TO_SAME_SLICES, TO_ROWS } conversion;

static ritz_status get_program(const ritz_matrix *from, ritz_value_type type, int block, bool drop, bool scaled,
                               conversion to, ritz_program **program)
{
    char options[176];
    bool wide = from->value_type == RITZ_VALUES_F64 || type == RITZ_VALUES_F64;
    const char *paths[] = {"matrix/kernels/narrow.cl", "matrix/kernels/convert.cl"};
    snprintf(options, sizeof options,
             "-DFROM_BLOCK=%d -DTO_BLOCK=%d -DFROM_VALUES=%d -DTO_VALUES=%d -DDROP=%d "
             "-DSCALED=%d -DSAME=%d -DROWS=%d",
             from->block, block, (int)from->value_type, (int)type, drop,
             scaled ? (int)ritz_real_bytes(from->precision) / 4 : 0, to == TO_SAME_SLICES, to == TO_ROWS);
    return ritz_program_get(from->device, wide ? RITZ_F64 : RITZ_F32, "", paths, 2, options, program);
}

/* counted[n_rows]: blocks of the new matrix's rows. */
static ritz_status count_blocks(const ritz_matrix *from, ritz_program *program, int32_t n_rows, ritz_buffer **counted)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *kernel = NULL;
    RITZ_TRY(ritz_kernel_get(program, "count", &kernel));
    RITZ_TRY(ritz_buffer_create(from->device, n_rows * (int64_t)4, "the new matrix's row lengths", counted));
    RITZ_TRY(RITZ_LAUNCH(kernel, ritz_matrix_range(kernel, n_rows), NULL, RITZ_INT(n_rows), RITZ_LONG(from->n_unknowns),
                         RITZ_LONG(from->n_scalar_columns), RITZ_INT(from->slice_height), RITZ_BUFFER(from->row_slot),
                         RITZ_BUFFER(from->row_length), RITZ_BUFFER(from->columns), RITZ_BUFFER(from->values),
                         RITZ_BUFFER(*counted)));
done:
    return status;
}

/* Where columns and values go: into slices of `height` rows, order[n_positions] the row of each place; NULL: its number. */
typedef struct destination {
    int32_t n_positions, height;
    const ritz_buffer *start, *order, *columns, *values;
} destination;

static ritz_status fill_values(const ritz_matrix *from, ritz_program *program, const ritz_buffer *weight,
                               const destination *to)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *flag = NULL;
    ritz_kernel *kernel = NULL;
    ritz_argument arguments[15];
    int32_t too_large = 0;
    int n = 0;
    RITZ_TRY(ritz_kernel_get(program, "fill", &kernel));
    RITZ_TRY(ritz_buffer_create_from(from->device, &too_large, 4, "a conversion's flag", &flag));
    const ritz_argument all[] = {
        RITZ_INT(to->n_positions),    RITZ_LONG(from->n_unknowns), RITZ_LONG(from->n_scalar_columns),
        RITZ_INT(from->slice_height), RITZ_BUFFER(from->row_slot), RITZ_BUFFER(from->row_length),
        RITZ_BUFFER(from->columns),   RITZ_BUFFER(from->values),   RITZ_INT(to->height),
        RITZ_BUFFER(to->start),       RITZ_BUFFER(to->order),      RITZ_BUFFER(to->columns),
        RITZ_BUFFER(to->values),      RITZ_BUFFER(flag),           RITZ_BUFFER(weight),
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].buffer || all[i].value)
            arguments[n++] = all[i];
    RITZ_TRY(ritz_launch(kernel, ritz_matrix_range(kernel, to->n_positions), arguments, n, NULL));
    RITZ_TRY(ritz_matrix_refuse_too_large(flag));
done:
    ritz_buffer_destroy(&flag);
    return status;
}

static destination destination_of(const ritz_matrix *m)
{
    return (destination){.n_positions = m->n_slices * m->slice_height,
                         .height = m->slice_height,
                         .start = m->slice_start,
                         .order = m->permutation,
                         .columns = m->columns,
                         .values = m->values};
}

ritz_status ritz_slices_make(const ritz_matrix *from, const ritz_matrix_options *o, int block,
                             const ritz_buffer *weight, ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *m = NULL;
    ritz_program *program = NULL;
    ritz_buffer *counted = NULL;
    int32_t *length = NULL;
    int32_t n_rows = (int32_t)((from->n_unknowns + block - 1) / block);
    RITZ_TRY(get_program(from, ritz_value_type_of(o), block, o->drop_zeros, weight != NULL, TO_SLICES, &program));
    RITZ_NEW(length, n_rows);
    if (block == from->block && !o->drop_zeros)
        RITZ_TRY(ritz_buffer_read(from->row_length, 0, length, n_rows * (int64_t)4));
    else {
        RITZ_TRY(count_blocks(from, program, n_rows, &counted));
        RITZ_TRY(ritz_buffer_read(counted, 0, length, n_rows * (int64_t)4));
    }
    RITZ_TRY(ritz_matrix_from_lengths(from->device, o, block, from->n_unknowns, from->n_scalar_columns, length, &m));
    RITZ_TRY(ritz_matrix_create_entries(m));
    const destination to = destination_of(m);
    RITZ_TRY(fill_values(from, program, weight, &to));
    RITZ_TRY(ritz_matrix_compress_columns(m));
    /* Larger blocks are filled up with zeros that nobody gave; smaller ones hold what the larger ones held. */
    m->n_nonzeros = block == 1 ? m->n_blocks : ritz_min64(m->n_nonzeros, from->n_nonzeros);
    *matrix = m;
    m = NULL;
done:
    ritz_free(length);
    ritz_buffer_destroy(&counted);
    ritz_matrix_destroy(&m);
    return status;
}

ritz_status ritz_slices_to_rows(const ritz_matrix *from, ritz_precision precision, int block, const ritz_buffer *weight,
                                ritz_block_rows **rows)
{
    ritz_status status = RITZ_OK;
    ritz_block_rows *r = NULL;
    ritz_program *program = NULL;
    ritz_buffer *counted = NULL;
    const ritz_value_type type = precision == RITZ_F64 ? RITZ_VALUES_F64 : RITZ_VALUES_F32;
    const int32_t n_rows = (int32_t)((from->n_unknowns + block - 1) / block);
    const int32_t n_columns = (int32_t)((from->n_scalar_columns + block - 1) / block);
    RITZ_TRY(get_program(from, type, block, true, weight != NULL, TO_ROWS, &program));
    RITZ_TRY(count_blocks(from, program, n_rows, &counted));
    RITZ_TRY(ritz_block_rows_create(from->device, precision, block, block, n_rows, n_columns, counted, &r));
    const destination to = {
        .n_positions = n_rows, .height = 1, .start = r->row_start, .columns = r->columns, .values = r->values};
    RITZ_TRY(fill_values(from, program, weight, &to));
    *rows = r;
    r = NULL;
done:
    ritz_buffer_destroy(&counted);
    ritz_block_rows_destroy(&r);
    return status;
}

ritz_status ritz_slices_into_rows(const ritz_matrix *from, const ritz_buffer *weight, ritz_block_rows *rows,
                                  bool *outside)
{
    ritz_status status = RITZ_OK;
    ritz_program *program = NULL;
    ritz_kernel *refill = NULL;
    ritz_buffer *flag = NULL;
    int32_t found = 0;
    const ritz_value_type type = rows->precision == RITZ_F64 ? RITZ_VALUES_F64 : RITZ_VALUES_F32;
    RITZ_TRY(get_program(from, type, rows->height, true, true, TO_ROWS, &program));
    RITZ_TRY(ritz_kernel_get(program, "refill", &refill));
    RITZ_TRY(ritz_buffer_create_from(from->device, &found, 4, "a conversion's flag", &flag));
    RITZ_TRY(RITZ_LAUNCH(refill, ritz_matrix_range(refill, rows->n_rows), NULL, RITZ_INT(rows->n_rows),
                         RITZ_LONG(from->n_unknowns), RITZ_LONG(from->n_scalar_columns), RITZ_INT(from->slice_height),
                         RITZ_BUFFER(from->row_slot), RITZ_BUFFER(from->row_length), RITZ_BUFFER(from->columns),
                         RITZ_BUFFER(from->values), RITZ_BUFFER(rows->row_start), RITZ_BUFFER(rows->columns),
                         RITZ_BUFFER(rows->values), RITZ_BUFFER(flag), RITZ_BUFFER(weight)));
    RITZ_TRY(ritz_buffer_read(flag, 0, &found, 4));
    *outside = found != 0;
done:
    ritz_buffer_destroy(&flag);
    return status;
}

/* ---- In the same slices ---- */

/* Whether a matrix of m's types would have the slices that `from` has. */
static bool wants_slices_of(const ritz_matrix *from, const ritz_matrix *m)
{
    const bool same_order = !from->permuted || ritz_matrix_default_window(m) == ritz_matrix_default_window(from);
    return same_order && ritz_matrix_default_height(m) == ritz_matrix_default_height(from);
}

/* Whether kernels/copy_slices.cl serves: products read packs of rows side by side, and values keep or halve their bytes. */
static bool has_packs(const ritz_matrix *from, const ritz_matrix *to)
{
    return from->lanes > 1 && from->items == 1 && !from->one_slice && from->precision <= to->precision &&
           from->value_type <= RITZ_VALUES_F32 && to->value_type <= RITZ_VALUES_F16;
}

static ritz_status copy_packs(const ritz_matrix *from, const ritz_buffer *weight, const ritz_buffer *factor,
                              const ritz_matrix *to)
{
    ritz_status status = RITZ_OK;
    char options[200];
    ritz_program *program = NULL;
    ritz_kernel *kernel = NULL;
    ritz_buffer *flag = NULL;
    int32_t too_large = 0;
    const int lanes = has_packs(from, to) ? from->lanes : 1;
    const bool ragged = from->n_unknowns % from->block != 0 || from->n_scalar_columns % from->block != 0;
    const char *paths[] = {"matrix/kernels/row_runs.cl", "matrix/kernels/values.cl", "matrix/kernels/narrow.cl",
                           "matrix/kernels/copy_slices.cl"};
    /* row_runs.cl has a SLICE of its own for blocks in slices, which means the same. */
    snprintf(options, sizeof options,
             "-DBLOCK=%d -DSLICE=%d -DLANES=%d -DVALUES=%d -DTO_VALUES=%d -DPERMUTED=%d -DRAGGED=%d -DSCALED=%d "
             "-DFACTORS=%d",
             from->block, from->slice_height, lanes, (int)from->value_type, (int)to->value_type, from->permuted, ragged,
             weight != NULL, factor != NULL);
    RITZ_TRY(ritz_program_get(from->device, from->precision, "", paths, 4, options, &program));
    RITZ_TRY(ritz_kernel_get(program, "copy_slices", &kernel));
    RITZ_TRY(ritz_buffer_create_from(from->device, &too_large, 4, "a conversion's flag", &flag));
    const int32_t n_packs = from->n_slices * (from->slice_height / lanes);
    const ritz_argument arguments[] = {
        RITZ_INT(n_packs),
        RITZ_INT(from->n_rows),
        RITZ_LONG(from->n_unknowns),
        RITZ_LONG(from->n_scalar_columns),
        RITZ_BUFFER(from->slice_start),
        RITZ_BUFFER(from->permutation),
        RITZ_BUFFER(from->columns),
        RITZ_BUFFER(from->values),
        RITZ_BUFFER(to->values),
        RITZ_BUFFER(flag),
        RITZ_BUFFER(weight),
        RITZ_BUFFER(factor),
    };
    RITZ_TRY(ritz_block_rows_launch(kernel, ritz_block_rows_range(kernel, from->device, n_packs), arguments,
                                    sizeof arguments / sizeof *arguments));
    RITZ_TRY(ritz_matrix_refuse_too_large(flag));
done:
    ritz_buffer_destroy(&flag);
    return status;
}

ritz_status ritz_slices_share_scaled(const ritz_matrix *from, const ritz_matrix_options *types, bool same_slices,
                                     const ritz_buffer *weight, const ritz_buffer *factor, ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *m = NULL;
    ritz_program *program = NULL;
    const int64_t entries = from->n_slots * from->block * from->block;
    *matrix = NULL;
    RITZ_TRY(ritz_matrix_create_like(from, from->precision, &m));
    m->precision = types->precision;
    m->value_type = ritz_value_type_of(types);
    if (!same_slices && !wants_slices_of(from, m))
        goto done;
    m->bytes += entries * (ritz_value_bytes(m->value_type) - ritz_value_bytes(from->value_type));
    m->values = NULL;
    ritz_matrix_choose_sharing(m);
    RITZ_TRY(ritz_buffer_create(m->device, entries * ritz_value_bytes(m->value_type), "the matrix values", &m->values));
    if (has_packs(from, m) || factor)
        RITZ_TRY(copy_packs(from, weight, factor, m));
    else {
        RITZ_TRY(get_program(from, m->value_type, from->block, false, weight != NULL, TO_SAME_SLICES, &program));
        const destination to = destination_of(m);
        RITZ_TRY(fill_values(from, program, weight, &to));
    }
    *matrix = m;
    m = NULL;
done:
    ritz_matrix_destroy(&m);
    return status;
}
