/* Counting sort on all threads. Items are cut into stripes, one after the other. The buckets above all that earlier
   stripes have are a stripe's own: it fills them alone. What it has for others waits in a list; the lists are emptied
   stripe after stripe, so that each bucket gets its items in increasing order. */
#include "base/buckets.h"

enum { MOST_STRIPES = 64, LEAST_ITEMS = 1 << 15, BLOCK = 1024 };

typedef struct waiting_item {
    int64_t item;
    int32_t bucket;
} waiting_item;

typedef struct stripe {
    int64_t first, last;
    int32_t highest; /* bucket of the items before; -1 */
    int64_t n_waiting, room;
    waiting_item *waiting;
    ritz_status status;
} stripe;

typedef struct sorting {
    ritz_bucket_function *bucket_of;
    const void *context;
    int64_t *next; /* next[bucket + 1] counts, then next[bucket] is the place of the bucket's next item */
    int64_t *items;
    int n_stripes;
    stripe stripes[MOST_STRIPES];
} sorting;

/* The buckets of the stripe's items from *at on; returns their number, 0 at its end. */
static int take_block(const sorting *s, const stripe *of, int64_t *at, int32_t bucket[BLOCK])
{
    const int n = (int)ritz_min64(BLOCK, of->last - *at);
    if (n > 0)
        s->bucket_of(s->context, *at, n, bucket);
    *at += n;
    return n;
}

static void find_highest(sorting *s)
{
    int32_t highest = -1;
#pragma omp parallel for schedule(static, 1) if (s->n_stripes > 1)
    for (int k = 0; k < s->n_stripes; k++) {
        stripe *of = &s->stripes[k];
        int32_t bucket[BLOCK], own = -1;
        int64_t at = of->first;
        for (int n; (n = take_block(s, of, &at, bucket)) > 0;)
            for (int i = 0; i < n; i++)
                own = bucket[i] > own ? bucket[i] : own;
        of->highest = own;
    }
    for (int k = 0; k < s->n_stripes; k++) {
        const int32_t own = s->stripes[k].highest;
        s->stripes[k].highest = highest;
        highest = own > highest ? own : highest;
    }
}

static ritz_status add_waiting(stripe *of, waiting_item late)
{
    ritz_status status = RITZ_OK;
    if (of->n_waiting == of->room) {
        const int64_t room = ritz_max64(BLOCK, 2 * of->room);
        RITZ_RESIZE(of->waiting, room);
        of->room = room;
    }
    of->waiting[of->n_waiting++] = late;
done:
    return status;
}

/* What each stripe has in buckets of its own, which no other one counts, and its list of the others. */
static ritz_status count_items(sorting *s)
{
    ritz_status status = RITZ_OK;
#pragma omp parallel for schedule(static, 1) if (s->n_stripes > 1)
    for (int k = 0; k < s->n_stripes; k++) {
        stripe *of = &s->stripes[k];
        int32_t bucket[BLOCK];
        int64_t at = of->first;
        for (int n; of->status == RITZ_OK && (n = take_block(s, of, &at, bucket)) > 0;)
            for (int i = 0; i < n && of->status == RITZ_OK; i++) {
                if (bucket[i] > of->highest)
                    s->next[bucket[i] + 1]++;
                else
                    of->status = add_waiting(of, (waiting_item){at - n + i, bucket[i]});
            }
    }
    for (int k = 0; k < s->n_stripes; k++) /* a message of another thread is lost */
        RITZ_REQUIRE(s->stripes[k].status == RITZ_OK, s->stripes[k].status,
                     "host memory ran out while cells and nodes were sorted");
    for (int k = 0; k < s->n_stripes; k++)
        for (int64_t i = 0; i < s->stripes[k].n_waiting; i++)
            s->next[s->stripes[k].waiting[i].bucket + 1]++;
done:
    return status;
}

static void place_items(sorting *s)
{
#pragma omp parallel for schedule(static, 1) if (s->n_stripes > 1)
    for (int k = 0; k < s->n_stripes; k++) {
        const stripe *of = &s->stripes[k];
        int32_t bucket[BLOCK];
        int64_t at = of->first;
        for (int n; (n = take_block(s, of, &at, bucket)) > 0;)
            for (int i = 0; i < n; i++)
                if (bucket[i] > of->highest)
                    s->items[s->next[bucket[i]]++] = at - n + i;
    }
    for (int k = 0; k < s->n_stripes; k++)
        for (int64_t i = 0; i < s->stripes[k].n_waiting; i++) {
            const waiting_item *late = &s->stripes[k].waiting[i];
            s->items[s->next[late->bucket]++] = late->item;
        }
}

ritz_status ritz_fill_buckets(int64_t n, int32_t n_buckets, ritz_bucket_function *bucket_of, const void *context,
                              int64_t **start, int64_t **items)
{
    ritz_status status = RITZ_OK;
    sorting s = {.bucket_of = bucket_of, .context = context};
    s.n_stripes = (int)ritz_max64(1, ritz_min64(MOST_STRIPES, n / LEAST_ITEMS));
    for (int k = 0; k < s.n_stripes; k++)
        s.stripes[k] = (stripe){.first = n * k / s.n_stripes, .last = n * (k + 1) / s.n_stripes};
    RITZ_NEW(*start, (int64_t)n_buckets + 2);
    RITZ_NEW(*items, n);
    s.next = *start + 1;
    s.items = *items;
    find_highest(&s);
    RITZ_TRY(count_items(&s));
    for (int32_t b = 0; b < n_buckets; b++)
        s.next[b + 1] += s.next[b];
    place_items(&s);
done:
    for (int k = 0; k < s.n_stripes; k++)
        ritz_free(s.stripes[k].waiting);
    return status;
}
