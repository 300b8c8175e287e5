/* What the tests of mesh files share: a folder of their own with files, Gmsh's files of a script, what a mesh holds. */
#ifndef RITZ_TEST_MESH_FILES_H
#define RITZ_TEST_MESH_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "mesh/raw.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/ritz-test-XXXXXX";
static char logged[4096];

static inline void keep_log(const char *line, void *context)
{
    (void)context;
    size_t used = strlen(logged);
    snprintf(logged + used, sizeof logged - used, "%s\n", line);
}

static inline const char *in_folder(const char *name)
{
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline const char *write_file(const char *name, const char *content, size_t n)
{
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, n, file), n);
    fclose(file);
    return path;
}

static inline const char *write_text(const char *name, const char *content)
{
    return write_file(name, content, strlen(content));
}

/* Whichever allocation fails, of more than 40: no memory, and no mesh. */
static inline void survives_failing_allocations(const char *path)
{
    for (int64_t n = 1;; n++) {
        ritz_mesh *mesh = NULL;
        ritz_fail_allocation(n);
        const ritz_status status = ritz_mesh_read(path, &mesh);
        ritz_fail_allocation(0);
        if (status == RITZ_OK) {
            assert_true(n > 40);
            ritz_mesh_destroy(&mesh);
            return;
        }
        assert_int_equal(status, RITZ_ERROR_MEMORY);
        assert_null(mesh);
    }
}

static inline ritz_mesh *read_mesh(const char *path)
{
    ritz_mesh *mesh = NULL;
    if (ritz_mesh_read(path, &mesh))
        fail_msg("%s", ritz_message());
    return mesh;
}

static inline void expect_refusal(const char *path, ritz_status wanted, const char *words)
{
    ritz_mesh *mesh = NULL;
    ritz_status status = ritz_mesh_read(path, &mesh);
    if (status != wanted)
        fail_msg("status %d, not %d: %s, looking for '%s'", status, wanted, status ? ritz_message() : "", words);
    assert_null(mesh);
    if (!strstr(ritz_message(), words))
        fail_msg("'%s' is not in '%s'", words, ritz_message());
}

/* Volume by a rule of degree 8; every determinant must be positive. */
static inline double volume(const ritz_mesh *mesh)
{
    double sum = 0;
    for (int b = 0; b < mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &mesh->blocks[b];
        ritz_basis *basis = NULL;
        ritz_quadrature *rule = NULL;
        assert_int_equal(ritz_basis_create(block->cell, block->geometry_order, RITZ_NODES_LOBATTO, &basis), RITZ_OK);
        assert_int_equal(ritz_quadrature_create(block->cell, 8, &rule), RITZ_OK);
        int n = block->n_nodes, stride = (1 + mesh->dim) * n;
        double *psi = calloc((size_t)(rule->n_points * stride), sizeof *psi);
        assert_int_equal(ritz_basis_tabulate(basis, rule->n_points, rule->points, psi), RITZ_OK);
        for (int64_t k = 0; k < (int64_t)block->n_cells * rule->n_points; k++) {
            int64_t c = k / rule->n_points, q = k % rule->n_points;
            double J[3][3] = {{0}, {0}, {0, 0, mesh->dim == 2}};
            for (int D = 0; D < mesh->dim; D++) {
                for (int i = 0; i < n; i++) {
                    for (int a = 0; a < mesh->dim; a++)
                        J[D][a] +=
                            psi[q * stride + (1 + D) * n + i] * mesh->nodes[3 * (int64_t)block->nodes[c * n + i] + a];
                }
            }
            double det = J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) -
                         J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
                         J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
            assert_true(det > 0);
            sum += det * rule->weights[q];
        }
        free(psi);
        ritz_basis_destroy(&basis);
        ritz_quadrature_destroy(&rule);
    }
    return sum;
}

static inline int entities_in(const ritz_mesh *mesh, const char *name)
{
    int32_t group;
    int n = 0;
    if (ritz_mesh_find_group(mesh, name, -1, &group))
        fail_msg("%s", ritz_message());
    for (int e = 0; e < mesh->n_entities; e++)
        n += ritz_mesh_set_has(mesh, mesh->entities[e].set, group);
    return n;
}

static inline int cells_in(const ritz_mesh *mesh, const char *name)
{
    int32_t group;
    int n = 0;
    if (ritz_mesh_find_group(mesh, name, mesh->dim, &group))
        fail_msg("%s", ritz_message());
    for (int b = 0; b < mesh->n_blocks; b++) {
        for (int32_t c = 0; c < mesh->blocks[b].n_cells; c++)
            n += ritz_mesh_set_has(mesh, mesh->blocks[b].set[c], group);
    }
    return n;
}

/* Gmsh's own files of a script: names within the folder, blanks between. */
static inline void save_files(const char *script, int dim, int order, bool incomplete, const char *names)
{
    char command[2048], one[64];
    const char *path = write_text("saved.geo", script), *program = getenv("RITZ_GMSH_FILES");
    int used = snprintf(command, sizeof command, "%s %s %d %d %d", program ? program : "gmsh_files", path, dim, order,
                        incomplete);
    for (int n; sscanf(names, "%63s %n", one, &n) == 1; names += n)
        used += snprintf(command + used, sizeof command - (size_t)used, " %s/%s", folder, one);
    snprintf(command + used, sizeof command - (size_t)used, " > /dev/null");
    assert_int_equal(system(command), 0);
}

/* A unit square extruded: its left part in tets, prisms or hexes by Recombine, by the layers' options. */
static const char MIXED_3D[] = /* hexes, then prisms beside them */
    "Point(1)={0,0,0,.5};Point(2)={1,0,0,.5};Point(3)={1,1,0,.5};Point(4)={0,1,0,.5};Point(5)={2,0,0,.5};Point(6)={2,1,"
    "0,.5};"
    "Line(1)={1,2};Line(2)={2,3};Line(3)={3,4};Line(4)={4,1};Line(5)={2,5};Line(6)={5,6};Line(7)={6,3};"
    "Curve Loop(1)={1,2,3,4};Plane Surface(1)={1};Curve Loop(2)={5,6,7,-2};Plane Surface(2)={2};"
    "Transfinite Curve{1:7}=4;Transfinite Surface{1};Recombine Surface{1};"
    "a[]=Extrude{0,0,1}{Surface{1};Layers{2};Recombine;};b[]=Extrude{0,0,1}{Surface{2};Layers{2};Recombine;};"
    "Physical Volume(\"left\")={a[1]};Physical Volume(\"right\")={b[1]};Physical Volume(\"all\")={a[1],b[1]};"
    "Physical Surface(\"bottom\")={1,2};Physical Surface(\"west\")={a[5]};Physical Curve(\"rim\")={1,5};Physical "
    "Point(\"corner\")={1};\n";

static const char CYLINDER[] = "SetFactory(\"OpenCASCADE\");\nCylinder(1)={0,0,0,0,0,1,0.5};\n";

static inline ritz_mesh *generate(const char *path, double size, int order)
{
    ritz_mesh *mesh = NULL;
    if (ritz_mesh_generate(path, &(ritz_geometry_options){.size = size, .order = order}, &mesh))
        fail_msg("%s", ritz_message());
    return mesh;
}

static inline int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

#endif
