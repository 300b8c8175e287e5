/* libFuzzer target: any bytes as a .msh file, or as a .vtk file where they begin like one. Whatever they are, reading ends with a mesh or a message.
   Build with clang and -DRITZ_FUZZ=ON; run: fuzz_mesh -max_total_time=60 -close_fd_mask=1 tests/corpus/mesh */
#include "mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char paths[2][64]; /* .msh, .vtk */

static void remove_files(void)
{
    unlink(paths[0]);
    unlink(paths[1]);
}

static const char *file_path(bool vtk)
{
    if (!*paths[0]) {
        snprintf(paths[0], sizeof paths[0], "/tmp/ritz-fuzz-%ld.msh", (long)getpid());
        snprintf(paths[1], sizeof paths[1], "/tmp/ritz-fuzz-%ld.vtk", (long)getpid());
        atexit(remove_files);
    }
    return paths[vtk];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ritz_mesh *mesh = NULL;
    const char *path = file_path(size > 5 && memcmp(data, "# vtk", 5) == 0);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size)
        abort();
    fclose(file);
    if (ritz_mesh_read(path, &mesh) == RITZ_OK) {
        int32_t group;
        if (ritz_mesh_dim(mesh) < 2 || ritz_mesh_n_nodes(mesh) < 3)
            abort();
        if (ritz_mesh_find_group(mesh, "no group has this name", -1, &group) == RITZ_OK)
            abort();
    } else if (mesh || !*ritz_message()) {
        abort();
    }
    ritz_mesh_destroy(&mesh);
    return 0;
}
