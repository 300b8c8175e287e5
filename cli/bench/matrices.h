/* Matrices of benchmarks: which are asked for on the command line, and how they are made. */
#ifndef RITZ_CLI_BENCH_MATRIX_H
#define RITZ_CLI_BENCH_MATRIX_H

#include "bench/bench.h"
#include "bench/meshes.h"

#include "assemble/assemble.h"

enum { RITZ_BENCH_MAX_MATRICES = 16 };

/* Meshes, or Matrix Market files. */
typedef struct ritz_bench_sources {
    const ritz_bench_mesh *meshes[RITZ_BENCH_MAX_MATRICES];
    const char *files[RITZ_BENCH_MAX_MATRICES];
    int n_meshes, n_files;
    int32_t nodes[3]; /* 0: the mesh's own */
    int64_t block;    /* of files, in formats with blocks; 0: chosen */
} ritz_bench_sources;

/* Entries for getopt_long; ritz_bench_take_source takes them from optarg and returns an exit status. */
#define RITZ_BENCH_SOURCE_OPTIONS                                                                                      \
    {"meshes", required_argument, NULL, 'g'}, {"nodes", required_argument, NULL, 'n'},                                 \
        {"matrix", required_argument, NULL, 'm'},                                                                      \
    {                                                                                                                  \
        "block", required_argument, NULL, 'b'                                                                          \
    }
int ritz_bench_take_source(const char *command, int option, ritz_bench_sources *sources);
/* Once all options are taken: options that exclude each other are wrong usage; without any, `meshes` are taken. */
int ritz_bench_check_sources(const char *command, const char *meshes, ritz_bench_sources *sources);
static inline int ritz_bench_n_sources(const ritz_bench_sources *sources)
{
    return sources->n_meshes + sources->n_files;
}
/* Calls for each of them, one of mesh (with the nodes that are asked for) and file not NULL. */
typedef ritz_status ritz_bench_source_function(void *bench, int number, const ritz_bench_mesh *mesh, const char *file);
ritz_status ritz_bench_each_source(const ritz_bench_sources *sources, ritz_bench_source_function *function,
                                   void *bench);

/* The format of that name, as long-lived text; NULL with a message if there is none. */
const char *ritz_bench_find_format(const char *name);
/* The names of all formats for a help text, lines but the first indented; returns `list`. */
const char *ritz_bench_list_formats(int indent, char *list, size_t bytes);

/* Rigid motions of a mesh's nodes, for multigrid: values[n_dofs][columns], freed with ritz_free. */
typedef struct ritz_bench_motions {
    int columns, components;
    double *values;
} ritz_bench_motions;
/* The widest precision that the device has. */
ritz_precision ritz_bench_widest(const ritz_device *device);
/* Assembles the stiffness of a mesh with E = 1, nu = 0.3. `supported`: the side of least x is clamped (its unknowns stay,
   with rows of their diagonal alone) and a unit traction pulls the side of greatest x outwards; otherwise the matrix is
   singular and the right-hand side zero. motions: filled; NULL: not wanted. */
ritz_status ritz_bench_assemble(ritz_device *device, const ritz_bench_mesh *mesh, bool supported, ritz_system **system,
                                ritz_bench_motions *motions);
/* A Matrix Market file on the host, and as compressed rows on the device. *block 0: becomes the size of 1 to 4 whose
   product moves the fewest bytes. */
ritz_status ritz_bench_read(ritz_device *device, const char *path, int *block, ritz_rows **rows, ritz_matrix **matrix);
/* What comes after the last slash. */
const char *ritz_bench_file_name(const char *path);

#endif
