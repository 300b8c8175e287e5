/* What a search found, as lines of a tuning file: rows for "auto" and for the parameters of each method, and each trial as
   a comment, so that an interrupted search goes on from there. Depends on the integrate room. */
#ifndef RITZ_SRC_TUNED_ROWS_H
#define RITZ_SRC_TUNED_ROWS_H

#include "measure/search.h"

/* "tet=1 order=1 points=4 ...": the terms by which rows name a case; *terms is the caller's. */
ritz_status ritz_case_terms(const ritz_case *the_case, char **terms);

/* The trials of a case that stand in the rows of a file, into the search, also those of methods that it does not search;
   *complete: that search had come to its end. */
ritz_status ritz_rows_recall(const char *rows, ritz_search *search, bool *complete);
/* Where the trials of a search's case stand among the rows, -1 where there are none: those that were written last stand
   last. */
ritz_status ritz_rows_find_case(const char *rows, const ritz_search *search, int64_t *place);
/* The rows with those of this case replaced by what the search found and what the rows tell of other trials, which another
   process may have written; with `anew` only of methods that are not searched. Where nothing was timed, or
   the search is still open, the rows that auto reads stay. `words` tell people of the case. rows may be NULL; *changed is
   the caller's. */
ritz_status ritz_rows_put_case(const char *rows, const ritz_device_info *device, const ritz_search *search, bool anew,
                               const char *words, char **changed);
/* The rows with one of a constant for this device in front, "value=8 block=3" or "" for its terms; without `value` none.
   Those that would serve a matrix of these facts in its place go. */
typedef struct ritz_constant_row {
    ritz_constant constant;
    const char *value, *terms, *words; /* words tell people of it */
    const ritz_fact *facts;
    int n_facts;
} ritz_constant_row;
ritz_status ritz_rows_put_constant(const char *rows, const ritz_device_info *device, const ritz_constant_row *row,
                                   char **changed);

#endif
