/* Formats of result files: what write.c tells each of them. Depends on base and space. */
#ifndef RITZ_SRC_OUTPUT_FORMAT_H
#define RITZ_SRC_OUTPUT_FORMAT_H

#include "ritz/output.h"
#include "space/space.h"

/* The arrays of a result file; field f is RITZ_ARRAY_FIELDS + f. */
enum {
    RITZ_ARRAY_POINTS,       /* f64 [n_points][3], at VTK's equispaced nodes */
    RITZ_ARRAY_CONNECTIVITY, /* i64 [n_ids] points of the cells, in VTK's order */
    RITZ_ARRAY_OFFSETS,      /* i64 [n_cells] where a cell's points end in the connectivity */
    RITZ_ARRAY_TYPES,        /* u8 [n_cells] VTK's cell types */
    RITZ_ARRAY_GROUP,        /* i32 [n_cells] number of the cell's first group, -1 for none */
    RITZ_ARRAY_FIELDS        /* f64 [n_points][components] */
};

/* What a file will hold, known before anything is written. */
typedef struct ritz_result_shape {
    const ritz_mesh *mesh; /* with the names of the groups */
    int64_t n_points, n_cells, n_ids;
    bool has_lagrange_hexes;  /* whose edges VTK 9.0 and older number in another way */
    const ritz_field *fields; /* [n_fields] names and components; values are not read */
    int n_fields;
} ritz_result_shape;

typedef struct ritz_result_format {
    const char *endings[3]; /* of the path, lower case, NULL after the last */
    /* Starts a file, with its room on the disk. `shape` stays the caller's and outlives the file. */
    ritz_status (*create)(const char *path, const ritz_result_shape *shape, void **file);
    /* Rows first to first + n - 1 of an array. */
    ritz_status (*write)(void *file, int array, int64_t first, int64_t n, const void *data);
    /* Completes the file and gives it its name; *file is NULL afterwards. */
    ritz_status (*finish)(void **file);
    void (*destroy)(void **file);
} ritz_result_format;

extern const ritz_result_format ritz_format_vtkhdf, ritz_format_vtu;

/* By the ending of the path; NULL where it tells none. */
const ritz_result_format *ritz_find_result_format(const char *path);

/* Names of the components of fields of 6, in their order; NULL after the last. */
extern const char *const ritz_tensor_components[7];

#endif
