/* The sparsity pattern and the empty matrix made on the device. Private to the room. */
#ifndef RITZ_SRC_DEVICE_PATTERN_H
#define RITZ_SRC_DEVICE_PATTERN_H

#include "assemble/adder.h"

/* Whether it is worth it there: on GPUs, from some number of element entries on. */
bool ritz_pattern_belongs_on_device(ritz_device *device, const ritz_space *space);

/* A pattern without columns and positions, the matrix of zeros that has its columns, and the places of element entries of each batch;
   all the caller's. */
ritz_status ritz_device_pattern_create(ritz_device *device, const ritz_space *space, const ritz_matrix_options *options,
                                       ritz_pattern **pattern, ritz_matrix **matrix,
                                       ritz_buffer *positions[RITZ_N_CELLS]);

#endif
