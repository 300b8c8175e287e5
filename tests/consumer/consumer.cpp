// The same program in C++: every header compiles as C++, and the names link as those of C.
#include <ritz.h>

#include <cstdio>

int main()
{
    ritz_mesh *mesh = nullptr;
    ritz_box box = {};
    box.cell = RITZ_HEX;
    box.cells[0] = box.cells[1] = box.cells[2] = 2;
    if (ritz_mesh_box(&box, &mesh) != RITZ_OK)
        return std::fprintf(stderr, "%s\n", ritz_message()), 1;
    ritz_space *space = nullptr;
    const bool right = ritz_space_create(mesh, 2, 3, &space) == RITZ_OK && ritz_space_n_dofs(space) == 375;
    std::printf("ritz %s: %lld degrees of freedom\n", ritz_version(), static_cast<long long>(ritz_space_n_dofs(space)));
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
    return right ? 0 : 1;
}
