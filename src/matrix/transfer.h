/* Columns and values between block compressed rows on the host and slices on the device. */
#ifndef RITZ_SRC_MATRIX_TRANSFER_H
#define RITZ_SRC_MATRIX_TRANSFER_H

#include "matrix/matrix.h"

/* Checks the columns of block compressed rows and brings them to the device. */
ritz_status ritz_matrix_send_columns(ritz_matrix *matrix, const int64_t *row_start, const int32_t *columns);
/* Brings values[blocks][b][b] of block compressed rows to the device; value types f64 and f32. */
ritz_status ritz_matrix_send_values(ritz_matrix *matrix, const int64_t *row_start, const double *values);

#endif
