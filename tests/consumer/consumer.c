/* The smallest program that uses an installed Ritz: a mesh from a box, counted. Exit status 0 when the count is
   right. */
#include <ritz.h>
#include <stdio.h>

int main(void)
{
    ritz_mesh *mesh = NULL;
    if (ritz_mesh_box(&(ritz_box){.cell = RITZ_HEX, .cells = {3, 4, 5}}, &mesh) != RITZ_OK)
        return fprintf(stderr, "%s\n", ritz_message()), 1;
    printf("ritz %s: %lld hexes\n", ritz_version(), (long long)ritz_mesh_n_cells(mesh, RITZ_HEX));
    int wrong = ritz_mesh_n_cells(mesh, RITZ_HEX) != 60;
    ritz_mesh_destroy(&mesh);
    return wrong;
}
