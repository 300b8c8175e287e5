/* libFuzzer target: any bytes as a .msh file. Whatever they are, reading ends with a mesh or a message.
   Build with clang and -DRITZ_FUZZ=ON; run: fuzz_mesh -max_total_time=60 -close_fd_mask=1 tests/corpus/mesh */
#include "mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64];

static void remove_file(void)
{
    unlink(path);
}

static const char *file_path(void)
{
    if (!*path) {
        snprintf(path, sizeof path, "/tmp/ritz-fuzz-%ld.msh", (long)getpid());
        atexit(remove_file);
    }
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ritz_mesh *mesh = NULL;
    FILE *file = fopen(file_path(), "wb");
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
