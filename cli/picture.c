/* `ritz picture`: a result file as a PNG. Python draws it with VTK (python/ritz/picture.py). */
#include "cli.h"

static const char help[] =
    "Usage: ritz picture RESULT.vtkhdf [-o PICTURE.png] [OPTION]...\n"
    "Draws a result file: the deformed part coloured by a field, its edges, those of the part at rest, and a colour "
    "bar.\n"
    "Needs Python with the package vtk, and no display.\n\n"
    "  -o, --output FILE       the picture (default: as the result, with .png)\n"
    "  --field NAME            a field of the file (default: von_mises, else the first number); of vectors the length\n"
    "  --component NAME        xx, yy, zz, xy, yz, xz of a tensor, x, y, z of a vector, 1, 2, 3 of principal stresses\n"
    "  --case NAME             a load case: its field and its deformation\n"
    "  --deform FACTOR         auto (about a tenth of the part), none, or a number\n"
    "  --view VIEW             iso, x, y, z, -x, -y, -z (from that side), or X,Y,Z; results in the plane are seen from "
    "z\n"
    "  --range LOW,HIGH        values at the ends of the colours; of equivalent stresses these end at 98 % of the "
    "points\n"
    "  --size WIDTH,HEIGHT     in pixels (default: 1200,800)\n"
    "  --title TEXT            the first line (default: the file's name)\n"
    "  --json                  print one JSON object\n"
    "  -h, --help              print this\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage. RITZ_PYTHON names the interpreter (default python3).\n\n"
    "Example: ritz picture part.vtkhdf --field von_mises --deform auto --view iso -o part.png\n";

int ritz_command_picture(int argc, char **argv)
{
    if (!ritz_cli_wants_help(argc, argv))
        return ritz_cli_run_python(argc, argv, "ritz.picture", "drawing pictures");
    fputs(help, stdout);
    return RITZ_EXIT_DONE;
}
