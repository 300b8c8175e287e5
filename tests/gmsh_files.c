/* Writes what the tests read: runs Gmsh on a script and saves the result in other formats. A program of its own, so that
   no test shares a process with Gmsh.

     gmsh_files SCRIPT DIM ORDER INCOMPLETE FILE...

   DIM 0: no mesh. FILE-22a.msh, -22b, -41a, -41b choose the version and text or binary; others go by their endings,
   FILE-b.vtk and the like in binary. */
#include <gmshc.h>
#include <stdlib.h>
#include <string.h>

static void set_variant(const char *file)
{
    int error;
    const char *mark = strrchr(file, '-');
    gmshOptionSetNumber("Mesh.Binary", mark && strncmp(mark, "-b.", 3) == 0, &error);
    if (mark && strstr(mark, ".msh")) {
        gmshOptionSetNumber("Mesh.MshFileVersion", mark[1] == '2' ? 2.2 : 4.1, &error);
        gmshOptionSetNumber("Mesh.Binary", mark[3] == 'b', &error);
    }
}

int main(int n, char **arguments)
{
    int error;
    if (n < 6)
        return 2;
    gmshInitialize(0, NULL, 0, &error);
    gmshOptionSetNumber("General.Terminal", 0, &error);
    gmshOpen(arguments[1], &error);
    if (error)
        return 1;
    gmshOptionSetNumber("Mesh.SecondOrderIncomplete", atoi(arguments[4]), &error);
    if (atoi(arguments[2]) > 0) {
        gmshModelMeshGenerate(atoi(arguments[2]), &error);
        if (error)
            return 1;
        gmshModelMeshSetOrder(atoi(arguments[3]), &error);
        if (error)
            return 1;
    }
    for (int i = 5; i < n; i++) {
        set_variant(arguments[i]);
        gmshWrite(arguments[i], &error);
        if (error)
            return 1;
    }
    gmshFinalize(&error);
    return 0;
}
