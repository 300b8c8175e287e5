/* The disk cache: what takes long to make and is kept from run to run. Problems are logged, never errors: without a cache
   everything is made again. */
#ifndef RITZ_SRC_CACHE_H
#define RITZ_SRC_CACHE_H

#include "base/base.h"

/* Whether anything is kept on disk; not where RITZ_CACHE_DIR is "none". */
bool ritz_cache_is_kept(void);
/* kind: "program", "ceilings", "mesh". What comes out is what was stored for the same key, which is compared whole. *data
   is NULL when there is nothing; the caller frees it. A zero stands behind the data. */
void ritz_cache_load(const char *kind, const char *key, unsigned char **data, int64_t *bytes);
void ritz_cache_store(const char *kind, const char *key, const unsigned char *data, int64_t bytes);
/* Removes entries of a kind, those that were not used for the longest time, until they hold at most so many bytes. */
void ritz_cache_trim(const char *kind, int64_t most);

#endif
