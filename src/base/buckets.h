/* Counting sort on all threads. */
#ifndef RITZ_SRC_BUCKETS_H
#define RITZ_SRC_BUCKETS_H

#include "base/base.h"

/* bucket[n]: of the items first .. first + n - 1. */
typedef void ritz_bucket_function(const void *context, int64_t first, int n, int32_t *bucket);

/* Puts items 0 .. n - 1 into buckets 0 .. n_buckets - 1: those of bucket b are items[start[b]] .. items[start[b + 1] - 1],
   in increasing order. *start and *items are the caller's: ritz_free. It is fast where later items have higher buckets
   by and large, as the nodes of cells have that were numbered by first use. */
ritz_status ritz_fill_buckets(int64_t n, int32_t n_buckets, ritz_bucket_function *bucket_of, const void *context,
                              int64_t **start, int64_t **items);

#endif
