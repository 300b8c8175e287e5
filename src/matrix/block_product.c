/* Products of two sparse matrices in block compressed rows: kernels/block_pattern.cl and block_product.cl tell how. */
#include "matrix/block_rows.h"
#include "matrix/storage.h"

#include <stdio.h>

enum { LISTS_BYTES = 64 << 20 }; /* of memory for the lists of columns that work-items keep at a time */

static ritz_status get_pattern_kernel(const ritz_block_rows *a, const char *name, ritz_kernel **kernel)
{
    return ritz_block_rows_kernel(a->device, RITZ_F32, "matrix/kernels/block_pattern.cl", "", name, kernel);
}

/* No row of the product has more blocks than *most. */
static ritz_status bound_rows(const ritz_block_rows *a, const ritz_block_rows *b, ritz_buffer *counts, int32_t *most)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *bound = NULL;
    int32_t *on_host = NULL;
    RITZ_NEW(on_host, a->n_rows);
    RITZ_TRY(get_pattern_kernel(a, "bound_rows", &bound));
    RITZ_TRY(RITZ_LAUNCH(bound, ritz_block_rows_range(bound, a->device, a->n_rows), NULL, RITZ_INT(a->n_rows),
                         RITZ_INT(b->n_columns), RITZ_BUFFER(a->row_start), RITZ_BUFFER(a->columns),
                         RITZ_BUFFER(b->row_start), RITZ_BUFFER(counts)));
    RITZ_TRY(ritz_buffer_read(counts, 0, on_host, a->n_rows * (int64_t)4));
    *most = 1;
    for (int32_t row = 0; row < a->n_rows; row++)
        *most = on_host[row] > *most ? on_host[row] : *most;
done:
    ritz_free(on_host);
    return status;
}

/* counts[a->n_rows]: blocks of the product's rows. */
static ritz_status count_columns(const ritz_block_rows *a, const ritz_block_rows *b, ritz_buffer *counts)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *count = NULL;
    ritz_buffer *lists = NULL;
    int32_t room = 0;
    RITZ_TRY(bound_rows(a, b, counts, &room));
    RITZ_TRY(get_pattern_kernel(a, "count_columns", &count));
    ritz_range range = ritz_block_rows_range(count, a->device, a->n_rows);
    const int64_t most = ritz_max64(1, LISTS_BYTES / (room * (int64_t)4 * range.local[0])) * range.local[0];
    range.global[0] = ritz_min64(range.global[0], most);
    RITZ_TRY(ritz_buffer_create(a->device, range.global[0] * room * 4, "the columns of a sparse product", &lists));
    RITZ_TRY(RITZ_LAUNCH(count, range, NULL, RITZ_INT(a->n_rows), RITZ_INT(room), RITZ_BUFFER(a->row_start),
                         RITZ_BUFFER(a->columns), RITZ_BUFFER(b->row_start), RITZ_BUFFER(b->columns),
                         RITZ_BUFFER(lists), RITZ_BUFFER(counts)));
done:
    ritz_buffer_destroy(&lists);
    return status;
}

ritz_status ritz_block_rows_multiply(const ritz_block_rows *a, const ritz_block_rows *b, ritz_block_rows **c)
{
    ritz_status status = RITZ_OK;
    char options[64];
    ritz_kernel *fill = NULL, *multiply = NULL;
    ritz_buffer *counts = NULL;
    ritz_block_rows *product = NULL;
    RITZ_REQUIRE(
        a->n_columns == b->n_rows && a->width == b->height && a->precision == b->precision, RITZ_ERROR_INPUT,
        "a product of matrices needs as many columns of the first as rows of the second: %d of %d and %d of %d",
        a->n_columns, a->width, b->n_rows, b->height);
    snprintf(options, sizeof options, "-DHEIGHT=%d -DINNER=%d -DWIDTH=%d", a->height, a->width, b->width);
    RITZ_TRY(get_pattern_kernel(a, "fill_columns", &fill));
    RITZ_TRY(ritz_block_rows_kernel(a->device, a->precision, "matrix/kernels/block_product.cl", options,
                                    "multiply_blocks", &multiply));
    RITZ_TRY(ritz_buffer_create(a->device, a->n_rows * (int64_t)4, "the row lengths of a sparse product", &counts));
    RITZ_TRY(count_columns(a, b, counts));
    RITZ_TRY(ritz_block_rows_create(a->device, a->precision, a->height, b->width, a->n_rows, b->n_columns, counts,
                                    &product));
    RITZ_TRY(RITZ_LAUNCH(fill, ritz_block_rows_range(fill, a->device, a->n_rows), NULL, RITZ_INT(a->n_rows),
                         RITZ_BUFFER(a->row_start), RITZ_BUFFER(a->columns), RITZ_BUFFER(b->row_start),
                         RITZ_BUFFER(b->columns), RITZ_BUFFER(product->row_start), RITZ_BUFFER(product->columns)));
    RITZ_TRY(RITZ_LAUNCH(multiply, ritz_block_rows_range(multiply, a->device, a->n_rows), NULL, RITZ_INT(a->n_rows),
                         RITZ_BUFFER(a->row_start), RITZ_BUFFER(a->columns), RITZ_BUFFER(a->values),
                         RITZ_BUFFER(b->row_start), RITZ_BUFFER(b->columns), RITZ_BUFFER(b->values),
                         RITZ_BUFFER(product->row_start), RITZ_BUFFER(product->columns), RITZ_BUFFER(product->values)));
    RITZ_TRY(ritz_check_interrupt());
    *c = product;
    product = NULL;
done:
    ritz_buffer_destroy(&counts);
    ritz_block_rows_destroy(&product);
    return status;
}
