/* The element types of Gmsh's files that Ritz reads, and what it says of the others. */
#include "mesh/raw.h"

#include <stdio.h>
#include <string.h>

static const ritz_gmsh_type types[] = {
    {1, 1, 2, 1, 2, -1, "2-node line"},
    {2, 2, 3, 1, 3, RITZ_TRI, "3-node tri"},
    {3, 2, 4, 1, 4, RITZ_QUAD, "4-node quad"},
    {4, 3, 4, 1, 4, RITZ_TET, "4-node tet"},
    {5, 3, 8, 1, 8, RITZ_HEX, "8-node hex"},
    {6, 3, 6, 1, 6, RITZ_PRISM, "6-node prism"},
    {8, 1, 3, 2, 2, -1, "3-node line"},
    {9, 2, 6, 2, 3, RITZ_TRI, "6-node tri"},
    {10, 2, 9, 2, 4, RITZ_QUAD, "9-node quad"},
    {11, 3, 10, 2, 4, RITZ_TET, "10-node tet"},
    {12, 3, 27, 2, 8, RITZ_HEX, "27-node hex"},
    {13, 3, 18, 2, 6, RITZ_PRISM, "18-node prism"},
    {15, 0, 1, 1, 1, -1, "point"},
    {16, 2, 8, 2, 4, RITZ_QUAD, "8-node quad"},
    {17, 3, 20, 2, 8, RITZ_HEX, "20-node hex"},
    {18, 3, 15, 2, 6, RITZ_PRISM, "15-node prism"},
};

/* Past the vertices, in order: the middle of which vertices each node is (Gmsh's reference manual, "Node ordering"). */
static const struct {
    int type;
    const char *middles;
} second_order[] = {
    {9, "01 12 02"},
    {10, "01 12 23 03 0123"},
    {11, "01 12 02 03 23 13"},
    {12, "01 03 04 12 15 23 26 37 45 47 56 67 0123 0145 0347 1256 2367 4567 01234567"},
    {13, "01 02 03 12 14 25 34 35 45 0134 0235 1245"},
    {16, "01 12 23 03"},
    {17, "01 03 04 12 15 23 26 37 45 47 56 67"},
    {18, "01 02 03 12 14 25 34 35 45"},
};

ritz_status ritz_gmsh_reference(const ritz_gmsh_type *type, double (*x)[3])
{
    ritz_status status = RITZ_OK;
    ritz_basis *basis = NULL;
    const char *middles = "";
    RITZ_TRY(ritz_basis_create((ritz_cell)type->cell, 1, RITZ_NODES_LOBATTO, &basis));
    for (size_t i = 0; i < sizeof second_order / sizeof *second_order; i++)
        middles = second_order[i].type == type->type ? second_order[i].middles : middles;
    for (int i = 0; i < type->n_nodes; i++) {
        size_t n = strcspn(middles, " ");
        for (int a = 0; a < type->dim; a++) {
            x[i][a] = i < type->n_vertices ? basis->nodes[i * type->dim + a] : 0;
            for (size_t v = 0; i >= type->n_vertices && v < n; v++)
                x[i][a] += basis->nodes[(middles[v] - '0') * type->dim + a] / (double)n;
        }
        if (i >= type->n_vertices)
            middles += n + (middles[n] == ' ');
    }
done:
    ritz_basis_destroy(&basis);
    return status;
}

const ritz_gmsh_type *ritz_gmsh_type_of_cell(ritz_cell cell, int n_nodes)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].cell == (int)cell && types[i].n_nodes == n_nodes)
            return &types[i];
    }
    return NULL;
}

const ritz_gmsh_type *ritz_gmsh_type_of(int type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type == type)
            return &types[i];
    }
    return NULL;
}

/* Names and orders of types that are known and not read: Gmsh's documentation, "MSH file format". */
static const struct {
    int type, order; /* order 0: not for its order */
    const char *name;
} refused[] = {
    {7, 0, "pyramid"},  {14, 0, "pyramid"},    {19, 0, "pyramid"},    {118, 0, "pyramid"}, {119, 0, "pyramid"},
    {34, 0, "polygon"}, {35, 0, "polyhedron"}, {140, 0, "trihedron"}, {20, 3, "tri"},      {21, 3, "tri"},
    {22, 4, "tri"},     {23, 4, "tri"},        {24, 5, "tri"},        {25, 5, "tri"},      {26, 3, "line"},
    {27, 4, "line"},    {28, 5, "line"},       {29, 3, "tet"},        {30, 4, "tet"},      {31, 5, "tet"},
    {36, 3, "quad"},    {37, 4, "quad"},       {38, 5, "quad"},       {39, 3, "quad"},     {40, 4, "quad"},
    {41, 5, "quad"},    {90, 3, "prism"},      {91, 4, "prism"},      {106, 5, "prism"},   {92, 3, "hex"},
    {93, 4, "hex"},     {94, 5, "hex"},        {99, 3, "hex"},        {100, 4, "hex"},     {101, 5, "hex"},
};

ritz_status ritz_gmsh_refuse_type(int type, int64_t number)
{
    char element[64] = "an element";
    if (number > 0)
        snprintf(element, sizeof element, "element %lld", (long long)number);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (refused[i].type != type)
            continue;
        if (refused[i].order > 0)
            return ritz_fail(RITZ_ERROR_INPUT,
                             "%s is a %s of geometric order %d; orders 1 and 2 are supported: save the mesh with "
                             "Mesh.ElementOrder = 2",
                             element, refused[i].name, refused[i].order);
        return ritz_fail(
            RITZ_ERROR_INPUT,
            "%s is a %s, which is not supported; mesh the part with tri, quad, tet, prism and hex cells only", element,
            refused[i].name);
    }
    return ritz_fail(
        RITZ_ERROR_INPUT,
        "%s is of Gmsh's type %d, which is not supported; use tri, quad, tet, prism and hex cells of order 1 or 2",
        element, type);
}
