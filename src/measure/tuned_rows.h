/* What a search found, as lines of a tuning file: rows for "auto" and for the parameters of each method, and each trial as
   a comment, so that an interrupted search goes on from there. Depends on the integrate room. */
#ifndef RITZ_SRC_TUNED_ROWS_H
#define RITZ_SRC_TUNED_ROWS_H

#include "measure/search.h"

/* "tet=1 order=1 points=4 ...": the terms by which rows name a case; *terms is the caller's. */
ritz_status ritz_case_terms(const ritz_case *the_case, char **terms);

/* The trials of a case that stand in the rows of a file, into the search; *complete: that search had come to its end. */
ritz_status ritz_rows_recall(const char *rows, ritz_search *search, bool *complete);
/* The rows with those of this case replaced by what the search found; `words` tell people of the case. rows may be NULL;
   *changed is the caller's. */
ritz_status ritz_rows_put_case(const char *rows, const ritz_device_info *device, const ritz_search *search,
                               const char *words, char **changed);
/* The rows with that of one constant, device and terms ("value=8 block=3", "" for none) replaced. */
ritz_status ritz_rows_put_constant(const char *rows, const ritz_device_info *device, ritz_constant constant,
                                   const char *value, const char *terms, const char *words, char **changed);

#endif
