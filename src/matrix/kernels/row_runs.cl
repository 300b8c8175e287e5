/* Which rows a work-item takes: a run of neighbours, of one row where there are as many work-items. */
#define ROW_RUN(n) (((long)(n) + (long)get_global_size(0) - 1) / (long)get_global_size(0))
#define EACH_ROW(row, n)                                                                                               \
    for (long row = get_global_id(0) * ROW_RUN(n), end_##row = min((long)row + ROW_RUN(n), (long)(n));                 \
         row < end_##row; row++)
