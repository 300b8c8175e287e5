/* libFuzzer target: any bytes as a .msh file, or as a .vtk or .unv file where they begin like one. Whatever they are,
   reading ends with a mesh or a message.
   Build with clang and -DRITZ_FUZZ=ON; run: fuzz_mesh -max_total_time=60 -close_fd_mask=1 tests/corpus/mesh */
#include "mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char paths[3][64];

static void remove_files(void)
{
    for (int i = 0; i < 3; i++)
        unlink(paths[i]);
}

static const char *path_for(const uint8_t *data, size_t size)
{
    static const char *const endings[] = {"msh", "vtk", "unv"};
    static const char *const starts[] = {"", "# vtk", "    -1"};
    int kind = 0;
    if (!*paths[0]) {
        for (int i = 0; i < 3; i++)
            snprintf(paths[i], sizeof paths[i], "/tmp/ritz-fuzz-%ld.%s", (long)getpid(), endings[i]);
        atexit(remove_files);
    }
    for (int i = 1; i < 3; i++)
        kind = size > strlen(starts[i]) && memcmp(data, starts[i], strlen(starts[i])) == 0 ? i : kind;
    return paths[kind];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ritz_mesh *mesh = NULL;
    const char *path = path_for(data, size);
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
