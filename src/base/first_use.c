/* Each value without a number is claimed by the first cell that uses it: the least of all claims stands in the place of
   its number. Stripes of cells then count what their cells have claimed, and number it from where the stripes before
   end. */
#include "base/first_use.h"

enum { STRIPES = 64, PARALLEL_FROM = 1 << 12 };

/* Negative, less for an earlier cell, and less than the -1 of what nobody has claimed. */
static int32_t claim_of(int32_t cell)
{
    return INT32_MIN + cell;
}

static void claim(int32_t *number, int32_t by)
{
    int32_t is = __atomic_load_n(number, __ATOMIC_RELAXED);
    while (is < 0 && is > by)
        if (__atomic_compare_exchange_n(number, &is, by, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return;
}

static int32_t first_cell(const ritz_uses *uses, int stripe)
{
    return (int32_t)((int64_t)uses->n_cells * stripe / STRIPES);
}

/* Other threads may be numbering what other cells have claimed. */
static bool is_claimed(const int32_t *number, int32_t by)
{
    return __atomic_load_n(number, __ATOMIC_RELAXED) == by;
}

/* Of the values that the cell has claimed; a value that it has several times counts once. */
static int32_t count_claimed(const ritz_uses *uses, int32_t cell, const int32_t *number)
{
    const int32_t *values = uses->values + (int64_t)cell * uses->stride;
    int32_t n = 0;
    for (int i = 0; i < uses->width; i++) {
        bool counts = is_claimed(&number[values[i]], claim_of(cell));
        for (int k = 0; counts && k < i; k++)
            counts = values[k] != values[i];
        n += counts;
    }
    return n;
}

static int32_t number_cell(const ritz_uses *uses, int32_t cell, int32_t next, int32_t *number)
{
    const int32_t *values = uses->values + (int64_t)cell * uses->stride;
    for (int i = 0; i < uses->width; i++)
        if (is_claimed(&number[values[i]], claim_of(cell)))
            __atomic_store_n(&number[values[i]], next++, __ATOMIC_RELAXED);
    return next;
}

void ritz_number_first_uses(const ritz_uses *uses, int32_t *number, int32_t *next, int32_t *first)
{
    int32_t at[STRIPES + 1] = {0};
#pragma omp parallel for schedule(static) if (uses->n_cells > PARALLEL_FROM)
    for (int32_t c = 0; c < uses->n_cells; c++)
        for (int i = 0; i < uses->width; i++)
            claim(&number[uses->values[(int64_t)c * uses->stride + i]], claim_of(c));
#pragma omp parallel for schedule(static) if (uses->n_cells > PARALLEL_FROM)
    for (int s = 0; s < STRIPES; s++) {
        int32_t n = 0;
        for (int32_t c = first_cell(uses, s); c < first_cell(uses, s + 1); c++)
            n += count_claimed(uses, c, number);
        at[s + 1] = n;
    }
    at[0] = *next;
    for (int s = 0; s < STRIPES; s++)
        at[s + 1] += at[s];
    *next = at[STRIPES];
#pragma omp parallel for schedule(static) if (uses->n_cells > PARALLEL_FROM)
    for (int s = 0; s < STRIPES; s++) {
        int32_t n = at[s];
        for (int32_t c = first_cell(uses, s); c < first_cell(uses, s + 1); c++) {
            if (first)
                first[c] = n;
            n = number_cell(uses, c, n, number);
        }
    }
    if (first)
        first[uses->n_cells] = *next;
}
