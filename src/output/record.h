/* Records of runs, and files of element matrices, in HDF5. Depends on base and space. */
#ifndef RITZ_SRC_OUTPUT_RECORD_H
#define RITZ_SRC_OUTPUT_RECORD_H

#include "space/space.h"

/* One figure or parameter of a run. */
typedef enum ritz_field_kind { RITZ_FIELD_TEXT = 0, RITZ_FIELD_NUMBER, RITZ_FIELD_INTEGER } ritz_field_kind;
typedef struct ritz_record_field {
    char name[48]; /* "kernel_ns_per_element"; dots separate groups: "seconds.kernel" */
    ritz_field_kind kind;
    char text[256];  /* TEXT */
    double number;   /* NUMBER; NAN: not known */
    int64_t integer; /* INTEGER, >= 0 */
} ritz_record_field;

/* Appends a run to the table `table` of a record file, which is made when it is not there: one column (a
   one-dimensional dataset /table/name) for each field and one row for each run. A column that a run does not have
   holds an empty text, NaN or -1 there; new columns are filled up likewise. The old file is replaced whole, or not at
   all; processes that append to files of one folder wait for each other. RITZ_ERROR_FILE: not a record file, broken,
   not writable. */
ritz_status ritz_record_append(const char *path, const char *table, const ritz_record_field *fields, int n_fields);

/* Element matrices of one batch, written from the first element to the last:
     matrices         [n_cells][rows][rows]  rows = n_shape * n_components, in the precision of the kernel
     vectors          [n_cells][rows]
     cell_dofs        [n_cells][rows]        number of the degree of freedom of each row
     dof_coordinates  [n_dofs][dim]
   and the run's fields as attributes of the file. */
typedef struct ritz_element_file ritz_element_file;
/* Made under a temporary name in the folder of `path`; space and batch stay the caller's and must outlive the file. */
ritz_status ritz_element_file_create(const char *path, const ritz_space *space, const ritz_space_batch *batch,
                                     int n_components, ritz_precision precision, ritz_element_file **file);
ritz_status ritz_element_file_write(ritz_element_file *file, int64_t first, int64_t count, const double *matrices,
                                    const double *vectors);
/* Completes the file and gives it its name; *file is NULL afterwards, also on failure, which leaves nothing behind. */
ritz_status ritz_element_file_finish(ritz_element_file **file, const ritz_record_field *fields, int n_fields);
void ritz_element_file_destroy(ritz_element_file **file);

#endif
