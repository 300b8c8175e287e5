/* Constants that were measured: which value serves which device and case, in one table (tuning.txt). */
#ifndef RITZ_SRC_DEVICE_TUNING_H
#define RITZ_SRC_DEVICE_TUNING_H

#include "base/base.h"
#include "ritz/device.h"

/* The constants by their names in the table, which tells what each is and how it is measured. */
/* clang-format off */
#define RITZ_CONSTANTS(entry)                                                                                          \
    entry(MATRIX_LANES, "matrix.lanes")                                                                                \
    entry(MATRIX_SLICE_HEIGHT, "matrix.slice_height")                                                                  \
    entry(MATRIX_SORT_WINDOW, "matrix.sort_window")                                                                    \
    entry(PRODUCT_GROUP, "product.group")                                                                              \
    entry(PRODUCT_ITEMS_PER_UNIT, "product.items_per_unit")                                                            \
    entry(PRODUCT_SHARES_ROWS, "product.shares_rows")                                                                  \
    entry(PRODUCT_KEPT_BYTES, "product.kept_bytes")                                                                    \
    entry(PRODUCT_ROWS_PER_ITEM, "product.rows_per_item")                                                              \
    entry(PRODUCT_THREADS_PER_ROW, "product.threads_per_row")                                                          \
    entry(PRODUCT_ROUND, "product.round")                                                                              \
    entry(PRODUCT_LAST_ROUND, "product.last_round")                                                                    \
    entry(PRODUCT_COMPRESSED_COLUMNS, "product.compressed_columns")                                                    \
    entry(PRODUCT_EARLY, "product.early")                                                                              \
    entry(SOLVE_HALF, "solve.half")                                                                                    \
    entry(SOLVE_POLYNOMIAL, "solve.polynomial")
/* clang-format on */

typedef enum ritz_constant {
#define RITZ_CONSTANT_SYMBOL(symbol, name) RITZ_##symbol,
    RITZ_CONSTANTS(RITZ_CONSTANT_SYMBOL)
#undef RITZ_CONSTANT_SYMBOL
        RITZ_N_CONSTANTS
} ritz_constant;
const char *ritz_constant_name(ritz_constant constant);

/* What the rows of a constant may ask about the case at hand. */
typedef struct ritz_fact {
    const char *name;
    double value;
} ritz_fact;

/* The value for a device and a case; no facts: NULL, 0. The table has a row for every device and case of each constant
   (a test looks); 0 where it has not. Reads the table anew, a few microseconds: for plans, not for launches. */
double ritz_tuned(const ritz_device_info *device, ritz_constant constant, const ritz_fact *facts, int n_facts);

/* The same from a table of the caller's. */
double ritz_tuned_in(const char *table, const ritz_device_info *device, ritz_constant constant, const ritz_fact *facts,
                     int n_facts, bool *found);

#endif
