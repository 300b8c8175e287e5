/* What reading and writing of Matrix Market files share. The format: Boisvert, Pozo and Remington
   (1996). */
#ifndef RITZ_SRC_MARKET_H
#define RITZ_SRC_MARKET_H

#include "base/base.h"
#include "ritz/market.h"

/* Entries of a file in its order, from 0. */
typedef struct ritz_triplets {
    int64_t n_rows, n_columns;
    int64_t n; /* entries */
    int32_t *row, *column;
    double *value;
} ritz_triplets;

void ritz_triplets_free(ritz_triplets *triplets);
/* Rows with increasing columns; entries of the same place are added in their order, both halves are made of a
   symmetric matrix, and zeros are left out where asked. */
ritz_status ritz_rows_from_triplets(const ritz_triplets *triplets, ritz_market_symmetry symmetry, bool drop_zeros,
                                    ritz_rows **rows);

/* The words of the first line, by the values of their enumerations. */
extern const char *const ritz_market_field_names[3], *const ritz_market_symmetry_names[3];

#endif
