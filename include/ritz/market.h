/* Matrix Market files. */
#ifndef RITZ_MARKET_H
#define RITZ_MARKET_H

#include "ritz/matrix.h"

RITZ_BEGIN_DECLS

typedef enum ritz_market_field { RITZ_MARKET_REAL, RITZ_MARKET_INTEGER, RITZ_MARKET_PATTERN } ritz_market_field;
typedef enum ritz_market_symmetry {
    RITZ_MARKET_GENERAL,
    RITZ_MARKET_SYMMETRIC,
    RITZ_MARKET_SKEW_SYMMETRIC
} ritz_market_symmetry;
/* The first line of a file. Zero: coordinate real general. */
typedef struct ritz_market_kind {
    bool array; /* dense, column after column; zeros are not kept */
    ritz_market_field field;
    ritz_market_symmetry symmetry;
} ritz_market_kind;

/* Reads a file as scalar rows (block 1); both halves of a symmetric one are made, entries named twice are added in the
   file's order, a pattern gets ones. *kind (may be NULL) tells the first line. Errors name file and line. Complex and
   Hermitian files are refused, and so are sizes that the entries do not bear out: more than 2^20 rows or columns and 16
   an entry. *rows is the caller's: ritz_rows_destroy. */
RITZ_API ritz_status ritz_market_read(const char *path, ritz_market_kind *kind, ritz_rows **rows);
/* Writes rows of any block size, with 17 digits, under a temporary name first; they stay the caller's. kind NULL: coordinate real
   general. A
   matrix that lacks the symmetry or the whole numbers asked for is RITZ_ERROR_INPUT, a path where something else than a
   regular file stands RITZ_ERROR_FILE. */
RITZ_API ritz_status ritz_market_write(const char *path, const ritz_market_kind *kind, const ritz_rows *rows);

RITZ_END_DECLS

#endif
