/* HDF5 prints its errors unless told otherwise; the caller's own setting comes back afterwards. */
#ifndef RITZ_SRC_OUTPUT_SILENCE_H
#define RITZ_SRC_OUTPUT_SILENCE_H

#include <hdf5.h>

typedef struct silence {
    H5E_auto2_t function;
    void *data;
} silence;

static inline silence begin_silence(void)
{
    silence s = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &s.function, &s.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return s;
}

static inline void end_silence(silence s)
{
    H5Eset_auto2(H5E_DEFAULT, s.function, s.data);
}

#endif
