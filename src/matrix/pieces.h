/* The host's side of a slice layout: sorting rows, and moving columns and values in pieces of bounded size. */
#ifndef RITZ_SRC_MATRIX_PIECES_H
#define RITZ_SRC_MATRIX_PIECES_H

#include "matrix/matrix.h"

/* order[n_rows] = rows 0.. n_rows - 1 by decreasing length inside each window, equal lengths in their old order. */
ritz_status ritz_sort_rows(int64_t n_rows, int64_t window, const int32_t *length, int32_t *order);
/* Checks the columns of block compressed rows and brings them to the device. */
ritz_status ritz_matrix_send_columns(ritz_matrix *matrix, const int64_t *row_start, const int32_t *columns);
/* Brings values[blocks][b][b] of block compressed rows to the device. */
ritz_status ritz_matrix_send_values(ritz_matrix *matrix, const int64_t *row_start, const double *values);

#endif
