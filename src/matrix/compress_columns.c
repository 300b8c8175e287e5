/* Columns in 16 bits, for products that take the time of their bytes: a tenth of those of blocks of 2 in f32. Block rows
   that stand side by side have their neighbours side by side, too: on meshes in any order that keeps neighbours near, those
   of a strip of 1024 rows lie in some ten pages of 2048 block columns. */
#include "device/tuning.h"
#include "matrix/storage.h"

#include <stdio.h>

enum { PAGES_BYTES = 4 * RITZ_COLUMN_PAGES };

int32_t ritz_matrix_strip_slices(const ritz_matrix *m)
{
    const int32_t rows = (int32_t)ritz_device_tuned(m->device, RITZ_MATRIX_STRIP_ROWS);
    return m->slice_height < rows ? rows / m->slice_height : 1;
}

static int64_t compressed_bytes(const ritz_matrix *m)
{
    return m->compressed ? ritz_buffer_bytes(m->compressed) + ritz_buffer_bytes(m->pages) : 0;
}

/* Makes compressed columns and pages; *n_wide strips have columns in too many pages. */
static ritz_status compress_strips(ritz_matrix *m, int32_t n_strips, int32_t *n_wide)
{
    ritz_status status = RITZ_OK;
    ritz_program *program = NULL;
    ritz_kernel *kernel = NULL;
    ritz_buffer *wide = NULL;
    char options[64];
    const char *paths[] = {"matrix/kernels/compress_columns.cl"}, *what = "the matrix columns in 16 bits";
    snprintf(options, sizeof options, "-DPAGES=%d -DPLACE_BITS=%d", RITZ_COLUMN_PAGES, RITZ_COLUMN_PLACE_BITS);
    RITZ_TRY(ritz_program_get(m->device, RITZ_F32, "", paths, 1, options, &program));
    RITZ_TRY(ritz_kernel_get(program, "compress_columns", &kernel));
    RITZ_TRY(ritz_buffer_create(m->device, m->n_slots * 2, what, &m->compressed));
    RITZ_TRY(ritz_buffer_create(m->device, (int64_t)n_strips * PAGES_BYTES, what, &m->pages));
    RITZ_TRY(ritz_buffer_create_from(m->device, &(int32_t){0}, 4, what, &wide));
    const int64_t group =
        ritz_min64((int64_t)ritz_device_tuned(m->device, RITZ_MATRIX_STRIP_GROUP), ritz_kernel_work_group_size(kernel));
    const ritz_range range = {.global = {n_strips * group}, .local = {group}};
    RITZ_TRY(RITZ_LAUNCH(kernel, range, NULL, RITZ_INT(m->n_slices), RITZ_INT(ritz_matrix_strip_slices(m)),
                         RITZ_BUFFER(m->slice_start), RITZ_BUFFER(m->columns), RITZ_BUFFER(m->compressed),
                         RITZ_BUFFER(m->pages), RITZ_BUFFER(wide)));
    RITZ_TRY(ritz_buffer_read(wide, 0, n_wide, 4));
done:
    ritz_buffer_destroy(&wide);
    return status;
}

ritz_status ritz_matrix_compress_columns(ritz_matrix *m)
{
    ritz_status status = RITZ_OK;
    int32_t n_wide = 0;
    m->bytes -= compressed_bytes(m); /* of the matrix that this one is like */
    m->compressed = m->pages = NULL;
    const int32_t each = ritz_matrix_strip_slices(m), n_strips = (m->n_slices + each - 1) / each;
    const int64_t bytes = m->n_slots * 2 + (int64_t)n_strips * PAGES_BYTES;
    /* Where memory is short it is for vectors. */
    if (m->sharing.compressed && m->n_slots > 0 && bytes <= ritz_device_free_bytes(m->device) / 4) {
        RITZ_TRY(compress_strips(m, n_strips, &n_wide));
        ritz_log("matrix: columns in 16 bits in %d of %d strips%s", n_strips - n_wide, n_strips,
                 n_wide > 0 ? ", so products read them in 32" : "");
    }
    if (n_wide > 0) {
        ritz_buffer_destroy(&m->compressed);
        ritz_buffer_destroy(&m->pages);
    }
    m->bytes += compressed_bytes(m);
    ritz_matrix_choose_sharing(m); /* which changes with compressed columns */
done:
    return status;
}
