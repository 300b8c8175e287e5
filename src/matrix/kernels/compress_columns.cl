/* Columns in 16 bits: a group a strip of slices finds the pages in which the strip's columns lie, and gives each slot the
   number of its page and its place there.

   Compile-time parameters:
       PAGES      a strip may have, at most
       PLACE_BITS of a compressed column, for the place in a page; the others number the page */
#define TABLE (4 * PAGES) /* a hash table with room, a power of two */
#define EMPTY -1

/* Where a page stands in the table or may be put; TABLE: nowhere. */
INLINE int find_page(volatile local int *table, const int page, const bool put)
{
    for (int tries = 0, at = page % TABLE; tries < TABLE; tries++, at = (at + 1) % TABLE) {
        const int there = put ? atomic_cmpxchg(table + at, EMPTY, page) : table[at];
        if (there == page || (put && there == EMPTY))
            return at;
    }
    return TABLE;
}

/* pages[strip * PAGES + number] = a page's first column, in increasing order. *n_wide counts strips with too many of them,
   which are left as they are. */
kernel void compress_columns(const int n_slices, const int strip_slices, const global long *restrict slice_start,
                         const global int *restrict columns, global ushort *restrict compressed, global int *restrict pages,
                         global int *restrict n_wide)
{
    const int item = get_local_id(0), n_items = get_local_size(0), strip = get_group_id(0);
    const long first = slice_start[strip * strip_slices], end = slice_start[min((strip + 1) * strip_slices, n_slices)];
    volatile local int table[TABLE];
    local int number[TABLE];
    for (int t = item; t < TABLE; t += n_items)
        table[t] = EMPTY;
    barrier(CLK_LOCAL_MEM_FENCE);
    int last = EMPTY; /* the next column is in the same page, mostly */
    for (long slot = first + item; slot < end; slot += n_items) {
        const int page = columns[slot] >> PLACE_BITS;
        if (page != last && find_page(table, page, true) == TABLE)
            break;
        last = page;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int n_pages = 0;
    for (int t = 0; t < TABLE; t++)
        n_pages += table[t] != EMPTY;
    if (n_pages > PAGES) {
        if (item == 0)
            atomic_inc(n_wide);
        return;
    }
    for (int t = item; t < PAGES; t += n_items)
        if (t >= n_pages)
            pages[strip * PAGES + t] = 0;
    for (int t = item; t < TABLE; t += n_items) {
        if (table[t] == EMPTY)
            continue;
        int before = 0;
        for (int other = 0; other < TABLE; other++)
            before += table[other] != EMPTY && table[other] < table[t];
        number[t] = before;
        pages[strip * PAGES + before] = table[t] << PLACE_BITS;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (long slot = first + item; slot < end; slot += n_items) {
        const int column = columns[slot], at = find_page(table, column >> PLACE_BITS, false);
        compressed[slot] = (ushort)(number[at] << PLACE_BITS | (column & ((1 << PLACE_BITS) - 1)));
    }
}
