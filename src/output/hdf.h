/* HDF5 files that appear under their name only once they are complete. Depends on base. */
#ifndef RITZ_SRC_OUTPUT_HDF_H
#define RITZ_SRC_OUTPUT_HDF_H

#include "base/base.h"

typedef struct ritz_hdf ritz_hdf;
typedef enum ritz_hdf_type { RITZ_HDF_U8, RITZ_HDF_I32, RITZ_HDF_I64, RITZ_HDF_F64 } ritz_hdf_type;

/* Starts a file under a temporary name in the folder of `path`. bytes: how much will be written, or a little more: that
   much room is reserved on the disk, and what is left over is given back at the end. */
ritz_status ritz_hdf_create(const char *path, int64_t bytes, ritz_hdf **hdf);
/* Closes the file and gives it its name. On failure nothing is left. Sets *hdf to NULL either way. */
ritz_status ritz_hdf_finish(ritz_hdf **hdf);
/* Gives the file up: nothing is left of it. */
void ritz_hdf_destroy(ritz_hdf **hdf);

ritz_status ritz_hdf_group(ritz_hdf *hdf, const char *name);
/* Text attribute of fixed length, and integers [n], on the object `name`. */
ritz_status ritz_hdf_attribute_text(ritz_hdf *hdf, const char *name, const char *attribute, const char *text);
ritz_status ritz_hdf_attribute_integers(ritz_hdf *hdf, const char *name, const char *attribute, int n,
                                        const int64_t *values);
/* A dataset of rows x columns (columns 0: one-dimensional), to be filled by ritz_hdf_rows. */
ritz_status ritz_hdf_dataset(ritz_hdf *hdf, const char *name, ritz_hdf_type type, int64_t rows, int64_t columns);
/* Writes n rows from row `first` on; data is [n][columns] of the dataset's type. */
ritz_status ritz_hdf_rows(ritz_hdf *hdf, const char *name, int64_t first, int64_t n, const void *data);
/* A one-dimensional dataset in one go. */
ritz_status ritz_hdf_vector(ritz_hdf *hdf, const char *name, ritz_hdf_type type, int64_t n, const void *data);
/* An array of n texts. */
ritz_status ritz_hdf_texts(ritz_hdf *hdf, const char *name, int n, const char *const *texts);
/* HDF5's own handle (hid_t) of the open file, for layouts that the functions above do not make. */
int64_t ritz_hdf_handle(const ritz_hdf *hdf);

#endif
