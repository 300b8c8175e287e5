/* What element matrices were handed on to in registers, compared with the same made of the reference's matrices. Depends on
   the integrate room. */
#ifndef RITZ_SRC_RESULT_ERROR_H
#define RITZ_SRC_RESULT_ERROR_H

#include "integrate/integrate.h"

/* The largest difference of an element's numbers (ritz_element_result, not matrices; the bits of a checksum left out),
   relative to the sum of the absolute values of what each of them sums up. matrix[rows][rows], vector[rows]: the
   reference's. Infinite where a number is not finite. */
double ritz_result_error(const ritz_integral *integral, int32_t cell, const double *numbers, const double *matrix,
                         const double *vector);

#endif
