/* Which rows a work-item takes: a run of neighbours, of one row where there are as many work-items. */
#define ROW_RUN(n) (((long)(n) + (long)get_global_size(0) - 1) / (long)get_global_size(0))
#define EACH_ROW(row, n)                                                                                               \
    for (long row = get_global_id(0) * ROW_RUN(n), end_##row = min((long)row + ROW_RUN(n), (long)(n));                 \
         row < end_##row; row++)

/* Where block k of a row begins, of `entries`, and where its entry e is from there: side by side, or in slices of SLICE rows, whose
   slots of a row are SLICE apart from the row's first one on. */
#ifndef SLICE
#define SLICE 0
#endif
#if SLICE
#define SLOT_PLACE(at, entries) (((at) - (at) % SLICE) * (entries) + (at) % SLICE)
#define BLOCK_PLACE(row, k, entries) SLOT_PLACE(row_slot[row] + (long)slot_of_row[k] * SLICE, entries)
#define ENTRY_PLACE(e) ((e) * SLICE)
#define SLICE_ARGUMENT , const global long *restrict row_slot, const global ushort *restrict slot_of_row
#define SLICE_PARAMETER , const global long *row_slot, const global ushort *slot_of_row
#define SLICE_VALUE , row_slot, slot_of_row
#else
#define BLOCK_PLACE(row, k, entries) ((long)(k) * (entries))
#define ENTRY_PLACE(e) (e)
#define SLICE_ARGUMENT
#define SLICE_PARAMETER
#define SLICE_VALUE
#endif
