/* Mesh files, and geometries through Gmsh: every variant of the format says the same, second-order geometry is what it should be, and
   each kind of bad file is named. Truth: volumes and areas of boxes, balls and cylinders. */
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

static void keep_log(const char *line, void *context)
{
    (void)context;
    size_t used = strlen(logged);
    snprintf(logged + used, sizeof logged - used, "%s\n", line);
}

static const char *in_folder(const char *name)
{
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static const char *write_file(const char *name, const char *content, size_t n)
{
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, n, file), n);
    fclose(file);
    return path;
}

static const char *write_text(const char *name, const char *content)
{
    return write_file(name, content, strlen(content));
}

static ritz_mesh *read_mesh(const char *path)
{
    ritz_mesh *mesh = NULL;
    if (ritz_mesh_read(path, &mesh))
        fail_msg("%s", ritz_message());
    return mesh;
}

static void expect_refusal(const char *path, ritz_status wanted, const char *words)
{
    ritz_mesh *mesh = NULL;
    ritz_status status = ritz_mesh_read(path, &mesh);
    if (status != wanted)
        fail_msg("status %d, not %d: %s, looking for '%s'", status, wanted, status ? ritz_message() : "", words);
    assert_null(mesh);
    if (!strstr(ritz_message(), words))
        fail_msg("'%s' is not in '%s'", words, ritz_message());
}

static void refuse_text(const char *content, const char *words)
{
    expect_refusal(write_text("bad.msh", content), RITZ_ERROR_INPUT, words);
}

/* Volume by a rule of degree 6; every determinant must be positive. */
static double volume(const ritz_mesh *mesh)
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

static int entities_in(const ritz_mesh *mesh, const char *name)
{
    int32_t group;
    int n = 0;
    if (ritz_mesh_find_group(mesh, name, -1, &group))
        fail_msg("%s", ritz_message());
    for (int e = 0; e < mesh->n_entities; e++)
        n += ritz_mesh_set_has(mesh, mesh->entities[e].set, group);
    return n;
}

static int cells_in(const ritz_mesh *mesh, const char *name)
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

/* Runs Gmsh on a script, then saves the mesh in all four variants as NAME-22a.msh, -22b, -41a, -41b. */
static const char *const variants[] = {"22a", "22b", "41a", "41b"};

/* Gmsh's own files of a script: names within the folder, blanks between. */
static void save_files(const char *script, int dim, int order, bool incomplete, const char *names)
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

static void save_variants(const char *name, const char *script, int dim, int order, bool incomplete)
{
    char names[256];
    snprintf(names, sizeof names, "%s-22a.msh %s-22b.msh %s-41a.msh %s-41b.msh", name, name, name, name);
    save_files(script, dim, order, incomplete, names);
}

static const char *variant(const char *name, int v)
{
    char file[64];
    snprintf(file, sizeof file, "%s-%s.msh", name, variants[v]);
    return in_folder(file);
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

static const char MIXED_2D[] =
    "Point(1)={0,0,7,.3};Point(2)={1,0,7,.3};Point(3)={1,1,7,.3};Point(4)={0,1,7,.3};Point(5)={2,0,7,.3};Point(6)={2,1,"
    "7,.3};"
    "Line(1)={1,2};Line(2)={2,3};Line(3)={3,4};Line(4)={4,1};Line(5)={2,5};Line(6)={5,6};Line(7)={6,3};"
    "Curve Loop(1)={1,2,3,4};Plane Surface(1)={1};Curve Loop(2)={5,6,7,-2};Plane Surface(2)={2};"
    "Transfinite Curve{1:7}=4;Transfinite Surface{1};Recombine Surface{1};"
    "Physical Surface(\"left\")={1};Physical Surface(\"right\")={2};Physical Surface(\"all\")={1,2};"
    "Physical Curve(\"bottom\")={1,5};Physical Curve(\"west\")={4};Physical Point(\"corner\")={1};\n";

static void check_same(const ritz_mesh *p, const ritz_mesh *q)
{
    assert_int_equal(p->n_nodes, q->n_nodes);
    assert_int_equal(p->n_blocks, q->n_blocks);
    assert_int_equal(p->n_groups, q->n_groups);
    assert_int_equal(p->n_entities, q->n_entities);
    for (int b = 0; b < p->n_blocks; b++) {
        const ritz_mesh_block *r = &p->blocks[b], *s = &q->blocks[b];
        assert_int_equal(r->cell, s->cell);
        assert_int_equal(r->geometry_order, s->geometry_order);
        assert_int_equal(r->n_cells, s->n_cells);
        assert_memory_equal(r->nodes, s->nodes, (size_t)r->n_cells * (size_t)r->n_nodes * sizeof(int32_t));
    }
    for (int64_t i = 0; i < 3 * (int64_t)p->n_nodes; i++)
        assert_true(fabs(p->nodes[i] - q->nodes[i]) < 1e-13);
}

static void check_mixed(const ritz_mesh *mesh, int order)
{
    bool solid = mesh->dim == 3;
    assert_int_equal(mesh->n_blocks, 2);
    assert_int_equal(mesh->blocks[0].geometry_order, order);
    assert_int_equal(mesh->blocks[0].cell, solid ? RITZ_PRISM : RITZ_TRI);
    assert_int_equal(mesh->blocks[1].cell, solid ? RITZ_HEX : RITZ_QUAD);
    assert_int_equal(mesh->blocks[1].n_cells, solid ? 18 : 9);
    assert_true(fabs(volume(mesh) - 2) < 1e-12);
    assert_int_equal(cells_in(mesh, "left"), mesh->blocks[1].n_cells);
    assert_int_equal(cells_in(mesh, "right"), mesh->blocks[0].n_cells);
    assert_int_equal(cells_in(mesh, "all"), mesh->blocks[0].n_cells + mesh->blocks[1].n_cells);
    assert_int_equal(entities_in(mesh, "corner"), 1);
    assert_int_equal(entities_in(mesh, "west"), solid ? 6 : 3);
    assert_int_equal(entities_in(mesh, "bottom"), solid ? 9 + mesh->blocks[0].n_cells / 2 : 6);
    if (solid)
        assert_int_equal(entities_in(mesh, "rim"), 6);
    for (int e = 0; e < mesh->n_entities; e++) {
        assert_true(mesh->entities[e].cell >= 0);
        assert_true((mesh->entities[e].facet >= 0) == (mesh->entities[e].dim == mesh->dim - 1));
    }
}

static void all_variants_say_the_same(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        for (int order = 1; order <= 2; order++) {
            ritz_mesh *first = NULL;
            save_variants("mixed", dim == 2 ? MIXED_2D : MIXED_3D, dim, order, false);
            for (int v = 0; v < 4; v++) {
                ritz_mesh *mesh = read_mesh(variant("mixed", v));
                check_mixed(mesh, order);
                if (first) {
                    check_same(first, mesh);
                    ritz_mesh_destroy(&mesh);
                } else {
                    first = mesh;
                }
            }
            ritz_mesh_destroy(&first);
        }
    }
}

/* Straight serendipity elements are completed to what Gmsh itself writes as complete ones. */
static void serendipity_elements_are_completed(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        const char *script = dim == 2 ? MIXED_2D : MIXED_3D;
        save_variants("mixed", script, dim, 2, true);
        ritz_mesh *serendipity = read_mesh(variant("mixed", 2));
        save_variants("mixed", script, dim, 2, false);
        ritz_mesh *complete = read_mesh(variant("mixed", 2));
        check_mixed(serendipity, 2);
        check_same(serendipity, complete);
        ritz_mesh_destroy(&serendipity);
        ritz_mesh_destroy(&complete);
    }
}

static void three_cell_types_share_faces(void **state)
{
    (void)state;
    ritz_mesh *mesh = read_mesh("data/mesh/tet-prism-hex.msh");
    int32_t part[11], n_parts;
    assert_int_equal(mesh->n_blocks, 3);
    assert_int_equal(mesh->n_nodes, 11);
    assert_true(fabs(volume(mesh) - (1 + 0.5 + 1.0 / 6)) < 1e-14);
    assert_int_equal(cells_in(mesh, "steel"), 1);
    assert_int_equal(cells_in(mesh, "glass"), 2);
    assert_int_equal(entities_in(mesh, "foot"), 2);
    assert_int_equal(ritz_mesh_components(mesh, part, &n_parts), RITZ_OK);
    assert_int_equal(n_parts, 1);
    assert_int_equal(mesh->blocks[0].number[0], 5); /* element numbers of the file are kept */
    ritz_mesh_destroy(&mesh);
}

static ritz_mesh *generate(const char *path, double size, int order)
{
    ritz_mesh *mesh = NULL;
    if (ritz_mesh_generate(path, &(ritz_geometry_options){.size = size, .order = order}, &mesh))
        fail_msg("%s", ritz_message());
    return mesh;
}

/* Error of the volume of a part at two sizes; its order must be at least `order`. */
static void check_convergence(const char *script, double size, int geometry_order, double exact, double order)
{
    const char *path = write_text("part.geo", script);
    double error[2];
    for (int k = 0; k < 2; k++) {
        ritz_mesh *mesh = generate(path, size / (1 + k), geometry_order);
        assert_int_equal(mesh->blocks[0].geometry_order, geometry_order);
        error[k] = fabs(volume(mesh) - exact) / exact;
        ritz_mesh_destroy(&mesh);
    }
    if (!(log2(error[0] / error[1]) > order))
        fail_msg("order %g: errors %g and %g", (double)geometry_order, error[0], error[1]);
}

static const char BALL[] = "SetFactory(\"OpenCASCADE\");\nSphere(1)={0,0,0,1};\nPhysical Volume(\"ball\")={1};\n";
static const char CYLINDER[] = "SetFactory(\"OpenCASCADE\");\nCylinder(1)={0,0,0,0,0,1,0.5};\n";
static const char DISC[] = "SetFactory(\"OpenCASCADE\");\nDisk(1)={0,0,0,1};\n";

/* Straight cells: order 2. Second-order cells interpolate a smooth boundary to order 3, its volume to 4. */
static void curved_parts_converge(void **state)
{
    (void)state;
    const double pi = acos(-1.0);
    check_convergence(BALL, 0.5, 1, 4.0 / 3 * pi, 1.5);
    check_convergence(BALL, 0.5, 2, 4.0 / 3 * pi, 3.2);
    check_convergence(CYLINDER, 0.4, 2, 0.25 * pi, 3.2);
    check_convergence(DISC, 0.5, 2, pi, 3.2);
}

static void a_part_without_groups_gets_some(void **state)
{
    (void)state;
    const char *path = write_text("part.geo", CYLINDER);
    ritz_mesh *mesh = generate(path, 0.5, 1), *again = generate(path, 0.5, 1);
    assert_int_equal(cells_in(mesh, "body"), mesh->blocks[0].n_cells);
    assert_true(entities_in(mesh, "face1") > 0 && entities_in(mesh, "face2") > 0 && entities_in(mesh, "face3") > 0);
    check_same(mesh, again);
    assert_memory_equal(mesh->nodes, again->nodes, 3 * (size_t)mesh->n_nodes * sizeof(double));
    ritz_mesh_destroy(&mesh);
    ritz_mesh_destroy(&again);
}

/* A STEP file, and nothing on standard output meanwhile (where OpenCASCADE prints): it belongs to the program. */
static void step_files_are_meshed_in_silence(void **state)
{
    (void)state;
    const char *step = in_folder("part.step"), *printed = in_folder("printed");
    const int kept = dup(STDOUT_FILENO);
    struct stat after;
    ritz_mesh *mesh = NULL;
    save_files(CYLINDER, 0, 1, false, "part.step");
    fflush(stdout);
    assert_non_null(freopen(printed, "w", stdout));
    ritz_status status = ritz_mesh_generate(step, &(ritz_geometry_options){.size = 0.2, .order = 2}, &mesh);
    fflush(stdout);
    stat(printed, &after);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    if (status)
        fail_msg("%s", ritz_message());
    assert_int_equal(after.st_size, 0);
    assert_true(fabs(volume(mesh) / (0.25 * acos(-1.0)) - 1) < 1e-3);
    assert_int_equal(cells_in(mesh, "body"), mesh->blocks[0].n_cells);
    ritz_mesh_destroy(&mesh);
}

/* What a .geo file may not do: each command, what the message names, and the file that must not come to be. */
static void untrusted_geometries_do_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *command, *words;
    } cases[] = {{"SystemCall \"touch %s/made\";", "starts another program"},
                 {"System \"touch %s/made\";", "starts another program"},
                 {"NonBlockingSystemCall \"touch %s/made\";", "starts another program"},
                 {"Macro made\nSystemCall \"touch %s/made\";\nReturn\nCall made;", "starts another program"},
                 {"x = \"%s/made\"; SystemCall StrCat(\"to\", \"uch \", x);", "starts another program"},
                 {"Save \"%s/made.msh\";", "writes, changes or removes a file"},
                 {"Print \"%s/made.msh\";", "writes, changes or removes a file"},
                 {"CreateDir \"%s/made\";", "writes, changes or removes a file"},
                 {"Printf(\"a\") > \"%s/made\";", "writes, changes or removes a file"},
                 {"Printf(\"a\") >> \"%s/part.geo\";", "writes, changes or removes a file"},
                 {"OnelabRun(\"a\", \"touch %s/made\");", "only when you trust it"},
                 {"Include \"%s/other.geo\";", "starts another program"},
                 {"Merge \"%s/other.geo\";", "starts another program"},
                 {"Exit; // %s", "ended without a mesh"}};
    char other[300], script[1200];
    snprintf(other, sizeof other, "SystemCall \"touch %s/made\";\n", folder);
    write_text("other.geo", other);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ritz_mesh *mesh = NULL;
        char command[512];
        snprintf(command, sizeof command, cases[i].command, folder); /* NOLINT: formats of the table above */
        snprintf(script, sizeof script, "%s%s\n", CYLINDER, command);
        assert_int_equal(ritz_mesh_generate(write_text("part.geo", script), NULL, &mesh), RITZ_ERROR_INPUT);
        if (!strstr(ritz_message(), cases[i].words))
            fail_msg("%s: '%s'", command, ritz_message());
        assert_int_equal(access(in_folder("made"), F_OK), -1);
        assert_int_equal(access(in_folder("made.msh"), F_OK), -1);
    }
}

static void trusted_geometries_run_their_commands(void **state)
{
    (void)state;
    ritz_mesh *mesh = NULL;
    char script[600];
    snprintf(script, sizeof script, "%sSystemCall \"touch %s/made\";\n", CYLINDER, folder);
    if (ritz_mesh_generate(write_text("part.geo", script), &(ritz_geometry_options){.trust = 1}, &mesh))
        fail_msg("%s", ritz_message());
    assert_int_equal(access(in_folder("made"), F_OK), 0);
    ritz_mesh_destroy(&mesh);
}

static char gmsh_program[1024]; /* RITZ_GMSH as the tests began */

static int restore_gmsh(void **state)
{
    (void)state;
    ritz_clear_interrupt();
    return setenv("RITZ_GMSH", gmsh_program, 1);
}

/* ritz-gmsh that is not there, ends by a signal, says nothing, or never ends. */
static void bad_ends_of_gmsh_become_sentences(void **state)
{
    (void)state;
    static const struct {
        const char *program, *words;
    } cases[] = {{"kill -SEGV $$", "Gmsh crashed on "},
                 {"echo 'terminate called' >&2; kill -ABRT $$", "(signal 6: Aborted; terminate called)"},
                 {"true", "ended without a mesh"},
                 {"exit 3", "ritz-gmsh ended with status 3"},
                 {"echo '$MeshFormat'", "truncated"},
                 {"echo 'error: it has no soul' >&2; exit 1", "part.geo: it has no soul"}};
    char script[256], path[256];
    ritz_mesh *mesh = NULL;
    snprintf(path, sizeof path, "%s", write_text("part.geo", CYLINDER));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(script, sizeof script, "#!/bin/sh\n%s\n", cases[i].program);
        const char *program = write_text("fake", script);
        chmod(program, 0700);
        setenv("RITZ_GMSH", program, 1);
        assert_int_not_equal(ritz_mesh_generate(path, NULL, &mesh), RITZ_OK);
        if (!strstr(ritz_message(), cases[i].words))
            fail_msg("%s: '%s'", cases[i].program, ritz_message());
    }
    setenv("RITZ_GMSH", "/nowhere", 1);
    assert_int_equal(ritz_mesh_generate(path, NULL, &mesh), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "RITZ_GMSH is '/nowhere', which is no program"));
    assert_null(mesh);
}

static void interrupt_soon(int signal)
{
    (void)signal;
    ritz_interrupt();
}

/* A process that would take an hour ends within a second of an interrupt, and is gone. */
static void an_interrupt_ends_gmsh(void **state)
{
    (void)state;
    ritz_mesh *mesh = NULL;
    const char *path = write_text("part.geo", CYLINDER), *program = write_text("fake", "#!/bin/sh\nexec sleep 3600\n");
    struct sigaction action = {.sa_handler = interrupt_soon}, before;
    chmod(program, 0700);
    setenv("RITZ_GMSH", program, 1);
    sigaction(SIGALRM, &action, &before);
    alarm(1);
    const double start = ritz_seconds();
    assert_int_equal(ritz_mesh_generate(path, NULL, &mesh), RITZ_INTERRUPTED);
    assert_true(ritz_seconds() - start < 2);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left, dead or alive */
    ritz_clear_interrupt();
    sigaction(SIGALRM, &before, NULL);
}

static const char TWO_BOXES[] = "SetFactory(\"OpenCASCADE\");\nBox(1)={0,0,0,1,1,1};\nBox(2)={1,0,0,1,0.5,1};\n";

static int touching_parts(const ritz_mesh *mesh)
{
    int32_t n_parts, *part = calloc((size_t)mesh->n_nodes, sizeof *part);
    assert_int_equal(ritz_mesh_components(mesh, part, &n_parts), RITZ_OK);
    free(part);
    return n_parts;
}

/* Two boxes that touch, the face of one half as high as that of the other: apart without glue, conforming with it. */
static void touching_bodies_are_glued(void **state)
{
    (void)state;
    const char *step = in_folder("two.step");
    ritz_mesh *mesh = generate(step, 0.4, 1);
    assert_int_equal(touching_parts(mesh), 2);
    ritz_mesh_destroy(&mesh);
    if (ritz_mesh_generate(step, &(ritz_geometry_options){.size = 0.4, .order = 2, .glue = 1}, &mesh))
        fail_msg("%s", ritz_message());
    assert_int_equal(touching_parts(mesh), 1);
    assert_true(fabs(volume(mesh) - 1.5) < 1e-9);
    assert_int_equal(cells_in(mesh, "solid1") + cells_in(mesh, "solid2"), cells_in(mesh, "body"));
    int8_t *n_cells = calloc((size_t)mesh->n_entities, 1);
    int between = 0;
    assert_int_equal(ritz_mesh_facet_cells(mesh, n_cells), RITZ_OK);
    for (int e = 0; e < mesh->n_entities; e++)
        between += n_cells[e] == 2;
    assert_true(between > 2);
    free(n_cells);
    ritz_mesh_destroy(&mesh);
}

/* A .geo file's groups of faces and solids, of which one face is cut by the neighbour's. */
static void groups_survive_glue(void **state)
{
    (void)state;
    char script[512];
    snprintf(script, sizeof script,
             "%sPhysical Volume(\"big\")={1};\nPhysical Volume(\"small\")={2};\nPhysical Surface(\"joint\")={2};\n"
             "Physical Surface(\"left\")={1};\n",
             TWO_BOXES);
    const char *path = write_text("two.geo", script);
    ritz_mesh *mesh = NULL;
    if (ritz_mesh_generate(path, &(ritz_geometry_options){.size = 0.4, .glue = 1}, &mesh))
        fail_msg("%s", ritz_message());
    assert_int_equal(touching_parts(mesh), 1);
    double area[2] = {0};
    for (int e = 0; e < mesh->n_entities; e++) {
        int32_t group;
        assert_int_equal(ritz_mesh_find_group(mesh, "joint", 2, &group), RITZ_OK);
        const double *a = &mesh->nodes[3 * mesh->entities[e].vertices[0]],
                     *b = &mesh->nodes[3 * mesh->entities[e].vertices[1]],
                     *c = &mesh->nodes[3 * mesh->entities[e].vertices[2]];
        area[!ritz_mesh_set_has(mesh, mesh->entities[e].set, group)] +=
            0.5 * fabs((b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]));
    }
    assert_true(fabs(area[0] - 1) < 1e-12 &&
                fabs(area[1] - 1) < 1e-12); /* the joint, x = 1, is the whole face of the big box */
    assert_true(cells_in(mesh, "big") > 0 && cells_in(mesh, "small") > 0);
    ritz_mesh_destroy(&mesh);
    assert_int_equal(
        ritz_mesh_generate(write_text("flat.geo",
                                      "Point(1)={0,0,0};Point(2)={1,0,0};Point(3)={0,1,0};Line(1)={1,2};Line(2)={2,3};"
                                      "Line(3)={3,1};Curve Loop(1)={1,2,3};Plane Surface(1)={1};\n"),
                           &(ritz_geometry_options){.glue = 1}, &mesh),
        RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "flat.geo: bodies can only be glued in a geometry of OpenCASCADE"));
}

/* Solids by number, and by the names that the STEP file gives to products. */
static void solids_have_groups(void **state)
{
    (void)state;
    const char *step = in_folder("two.step"), *named = in_folder("named.step");
    char command[1024];
    save_files(TWO_BOXES, 0, 1, false, "two.step");
    snprintf(command, sizeof command, "sed \"s/'Open CASCADE STEP translator [0-9.]* 1.2'/'bolt'/\" %s > %s", step,
             named);
    assert_int_equal(system(command), 0);
    ritz_mesh *mesh = generate(named, 0.5, 1);
    assert_int_equal(cells_in(mesh, "solid1") + cells_in(mesh, "solid2"), cells_in(mesh, "body"));
    assert_int_equal(cells_in(mesh, "bolt"), cells_in(mesh, "solid2"));
    assert_true(cells_in(mesh, "bolt") > 0 && cells_in(mesh, "solid1") > 0);
    ritz_mesh_destroy(&mesh);
    if (ritz_mesh_generate(named, &(ritz_geometry_options){.size = 0.5, .glue = 1}, &mesh))
        fail_msg("%s", ritz_message());
    assert_int_equal(cells_in(mesh, "bolt"), cells_in(mesh, "solid2"));
    ritz_mesh_destroy(&mesh);
}

/* A plate with a hole of which a quarter is one edge: curved edges would fold cells over. */
static void coarse_curved_parts_have_no_folded_cells(void **state)
{
    (void)state;
    const char *path =
        write_text("plate.geo", "SetFactory(\"OpenCASCADE\");\nRectangle(1)={-1,-1,0,2,2};\nDisk(2)={0,0,0,0.97};\n"
                                "BooleanDifference(3)={Surface{1};Delete;}{Surface{2};Delete;};\n"
                                "Extrude{0,0,0.1}{Surface{3};}\n");
    ritz_mesh *mesh = generate(path, 5, 2);
    assert_true(volume(mesh) > 0); /* every determinant is positive, or the function fails */
    ritz_mesh_destroy(&mesh);
}

static const int32_t FOLDED[1][6] = {{0, 1, 2, 3, 4, 5}};

/* A second-order triangle whose middle node lies beyond the opposite corner; its neighbour is drawn in. */
static void folded_cells_are_straightened(void **state)
{
    (void)state;
    ritz_mesh *mesh = NULL;
    ritz_mesh_block *block;
    const double x[6][3] = {{0, 0}, {2, 0}, {0, 2}, {1, 1.9}, {1, 1}, {0, 1}};
    int32_t n = 0;
    assert_int_equal(ritz_mesh_create(2, &mesh), RITZ_OK);
    assert_int_equal(ritz_mesh_add_block(mesh, RITZ_TRI, 2, 1, &block), RITZ_OK);
    memcpy(block->nodes, FOLDED, sizeof FOLDED);
    assert_int_equal(ritz_allocate((void **)&mesh->nodes, 18, sizeof(double)), RITZ_OK);
    memcpy(mesh->nodes, x, sizeof x);
    mesh->n_nodes = 6;
    assert_int_equal(ritz_mesh_check(mesh), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "is inverted"));
    assert_int_equal(ritz_mesh_straighten(mesh, &n), RITZ_OK);
    assert_int_equal(n, 1);
    assert_int_equal(ritz_mesh_check(mesh), RITZ_OK);
    assert_true(fabs(volume(mesh) - 2) < 1e-14);
    ritz_mesh_destroy(&mesh);
}

#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES4 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
#define ONE_QUAD "$Elements\n1\n7 3 2 0 1 1 2 3 4\n$EndElements\n"
#define HEAD4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES4_4 "$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n"
#define ONE_QUAD_4 "$Elements\n1 1 7 7\n2 1 3 1\n7 1 2 3 4\n$EndElements\n"

static void files_that_are_no_mesh_are_refused(void **state)
{
    (void)state;
    expect_refusal(in_folder("nowhere.msh"), RITZ_ERROR_FILE, "nowhere.msh: cannot be opened: No such file");
    expect_refusal(folder, RITZ_ERROR_FILE, "no regular file");
    expect_refusal(write_text("empty.msh", ""), RITZ_ERROR_INPUT, "the file is empty");
    expect_refusal(write_text("part.geo", "Point(1)={0,0,0};\n"), RITZ_ERROR_INPUT, "is a geometry, not a mesh");
    expect_refusal(write_text("notes.txt", "hello"), RITZ_ERROR_INPUT, "is not a mesh that Ritz knows");
    expect_refusal(write_text("bad.msh", "hello\nworld\n"), RITZ_ERROR_INPUT, "bad.msh:1: a section");
    expect_refusal(write_text("bad.unv", "hello\n"), RITZ_ERROR_INPUT, "bad.unv: ");
    expect_refusal(write_text("bad.med", "hello\n"), RITZ_ERROR_INPUT, "bad.med: ");
    expect_refusal(write_text("bad.cgns", "hello\n"), RITZ_ERROR_INPUT, "bad.cgns: ");
    expect_refusal(write_text("bad.stl", "hello\n"), RITZ_ERROR_INPUT, "bad.stl: ");
    ritz_mesh *mesh = NULL;
    assert_int_equal(ritz_mesh_generate(write_text("bad.msh", "x"), NULL, &mesh), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "is not a geometry"));
}

static void bad_geometries_are_refused(void **state)
{
    (void)state;
    ritz_mesh *mesh = NULL;
    assert_int_equal(ritz_mesh_generate(write_text("bad.geo", "Pnt(1)={0,0,0};\n"), NULL, &mesh), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "bad.geo: Gmsh could not read it: "));
    assert_int_equal(ritz_mesh_generate(write_text("bad.geo", "Point(1)={0,0,0};\n"), NULL, &mesh), RITZ_ERROR_INPUT);
    if (!strstr(ritz_message(), "neither a volume nor a surface"))
        fail_msg("%s", ritz_message());
    assert_int_equal(ritz_mesh_generate(write_text("bad.step", "hello\n"), NULL, &mesh), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "bad.step: "));
    assert_int_equal(ritz_mesh_generate(write_text("c.geo", CYLINDER), &(ritz_geometry_options){.size = -1}, &mesh),
                     RITZ_ERROR_INPUT);
    assert_int_equal(ritz_mesh_generate(in_folder("c.geo"), &(ritz_geometry_options){.order = 3}, &mesh),
                     RITZ_ERROR_INPUT);
    assert_null(mesh);
}

static void wrong_content_is_named(void **state)
{
    (void)state;
    ritz_mesh *mesh = read_mesh(write_text("good.msh", HEAD NODES4 ONE_QUAD));
    assert_true(fabs(volume(mesh) - 1) < 1e-14);
    ritz_mesh_destroy(&mesh);
    mesh = read_mesh(write_text("good.msh", HEAD4 NODES4_4 ONE_QUAD_4));
    assert_true(fabs(volume(mesh) - 1) < 1e-14);
    ritz_mesh_destroy(&mesh);
    refuse_text("$MeshFormat\n4 0 8\n$EndMeshFormat\n" NODES4 ONE_QUAD, "bad.msh:2: the file's format is version '4'");
    refuse_text("$MeshFormat\n2.2 0 4\n$EndMeshFormat\n" NODES4 ONE_QUAD, "bad.msh:2: ");
    refuse_text("$NOD\n1\n1 0 0 0\n$ENDNOD\n", "should begin with $MeshFormat but begins with $NOD");
    refuse_text(HEAD "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 nan 0\n4 0 1 0\n$EndNodes\n" ONE_QUAD,
                "bad.msh:8: a coordinate of node 3 is 'nan', which is no finite number");
    refuse_text(HEAD "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1e999 0\n4 0 1 0\n$EndNodes\n" ONE_QUAD,
                "a coordinate of node 3 is '1e999', which is no finite number");
    refuse_text(HEAD "$Nodes\n4\n1 0 0 0\n2 1 0 0\n2 1 1 0\n4 0 1 0\n$EndNodes\n" ONE_QUAD, "node 2 stands twice");
    refuse_text(HEAD "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n" ONE_QUAD,
                "bad.msh:10: '$EndNodes' stands where a node's number should be");
    refuse_text(HEAD "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n" ONE_QUAD,
                "'4' stands where $EndNodes should be");
    refuse_text(HEAD NODES4 "$Elements\n1\n7 3 2 0 1 1 2 3 5\n$EndElements\n",
                "bad.msh:13: element 7 (4-node quad) refers to node 5, which the file does not have");
    refuse_text(HEAD NODES4 "$Elements\n1\n7 7 2 0 1 1 2 3 4 4\n$EndElements\n", "bad.msh:13: element 7 is a pyramid");
    refuse_text(HEAD NODES4 "$Elements\n1\n7 21 2 0 1 1 2 3 4 4 1 1 1 1 1\n$EndElements\n",
                "element 7 is a tri of geometric order 3");
    refuse_text(HEAD NODES4 "$Elements\n1\n7 99999 2 0 1 1 2 3 4 4\n$EndElements\n",
                "element 7 is of Gmsh's type 99999");
    refuse_text(HEAD NODES4 "$Elements\n1\n7 1 2 0 1 1 2\n$EndElements\n",
                "the mesh has no cells: its elements are lines");
    refuse_text(HEAD NODES4 "$Elements\n0\n$EndElements\n", "the mesh has no elements");
    refuse_text(HEAD ONE_QUAD NODES4, "$Elements stands before $Nodes");
    refuse_text(HEAD NODES4 NODES4 ONE_QUAD, "$Nodes stands twice");
    refuse_text(HEAD NODES4 "$Elements\n1\n7 3 2 0 1 1 2 2 4\n$EndElements\n", "element 7 (quad) is ");
    refuse_text(HEAD NODES4 "$Elements\n1\n7 3 2 0 1 1 3 2 4\n$EndElements\n", "element 7 (quad) is ");
    refuse_text(HEAD "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 1\n4 0 1 1\n$EndNodes\n" ONE_QUAD,
                "plane z = const (z runs from 0 to 1)");
    refuse_text(HEAD4 NODES4_4 "$Elements\n1 1 7 7\n3 1 3 1\n7 1 2 3 4\n$EndElements\n",
                "lies on an entity of dimension 3");
    refuse_text(HEAD4 "$Nodes\n1 4 1 3\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n" ONE_QUAD_4,
                "$Nodes announces 4 nodes");
    refuse_text(HEAD4 "$PartitionedEntities\n1\n$EndPartitionedEntities\n" NODES4_4 ONE_QUAD_4,
                "the mesh is partitioned");
}

/* Every file that ends early is refused, wherever it was cut; binary ones too. */
static void truncated_files_are_refused(void **state)
{
    (void)state;
    save_variants("whole",
                  "SetFactory(\"OpenCASCADE\");\nBox(1)={0,0,0,1,1,1};\nPhysical "
                  "Volume(\"box\")={1};\nMesh.CharacteristicLengthMax=2;\n",
                  3, 1, false);
    for (int v = 0; v < 4; v++) {
        static char content[1 << 16];
        ritz_mesh *mesh = NULL;
        FILE *file = fopen(variant("whole", v), "rb");
        assert_non_null(file);
        size_t n = fread(content, 1, sizeof content, file);
        fclose(file);
        assert_in_range(n, 200, sizeof content - 1);
        for (size_t cut = 1; cut + 14 < n; cut += 1 + n / 150) {
            assert_int_not_equal(ritz_mesh_read(write_file("cut.msh", content, cut), &mesh), RITZ_OK);
            assert_non_null(strstr(ritz_message(), "cut.msh"));
        }
        expect_refusal(write_file("cut.msh", content, n / 2), RITZ_ERROR_INPUT, "truncated");
    }
}

/* Sections that a mesh does not need may hold anything. */
static void other_sections_are_passed_over(void **state)
{
    (void)state;
    ritz_mesh *mesh;
    logged[0] = 0;
    ritz_set_log(keep_log, NULL);
    mesh = read_mesh(write_text("more.msh", HEAD "$Comments\nanything\n$EndComments\n" NODES4
                                                 "$NodeData\ngarbage $here\n$EndNodeData\n" ONE_QUAD
                                                 "$Periodic\n1\n-3 99 99 99\n$EndPeriodic\n"));
    ritz_set_log(NULL, NULL);
    assert_non_null(strstr(logged, "section $Periodic is passed over"));
    assert_int_equal(mesh->blocks[0].n_cells, 1);
    ritz_mesh_destroy(&mesh);
}

/* An element written once for each of its groups, as version 2.2 has it, is one element. */
static void doubled_elements_become_one(void **state)
{
    (void)state;
    ritz_mesh *mesh = read_mesh(
        write_text("twice.msh", HEAD "$PhysicalNames\n3\n2 1 \"a\"\n2 2 \"b\"\n1 5 \"side\"\n$EndPhysicalNames\n" NODES4
                                     "$Elements\n5\n1 3 2 1 1 1 2 3 4\n2 3 2 2 1 1 2 3 4\n3 1 2 5 1 1 2\n4 1 2 6 1 1 "
                                     "2\n5 1 2 5 2 2 1\n$EndElements\n"));
    assert_int_equal(mesh->blocks[0].n_cells, 1);
    assert_int_equal(cells_in(mesh, "a"), 1);
    assert_int_equal(cells_in(mesh, "b"), 1);
    assert_int_equal(entities_in(mesh, "side"), 1);
    assert_int_equal(entities_in(mesh, "6"), 1);
    assert_int_equal(mesh->n_entities, 1);
    ritz_mesh_destroy(&mesh);
}

static void interruption_is_obeyed(void **state)
{
    (void)state;
    const char *path = write_text("good.msh", HEAD NODES4 ONE_QUAD);
    ritz_interrupt();
    expect_refusal(path, RITZ_INTERRUPTED, "interrupted");
    ritz_clear_interrupt();
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    save_variants("mixed", MIXED_3D, 3, 2, true);
    const char *path = variant("mixed", 2);
    for (int64_t n = 1;; n++) {
        ritz_mesh *mesh = NULL;
        ritz_fail_allocation(n);
        ritz_status status = ritz_mesh_read(path, &mesh);
        ritz_fail_allocation(0);
        if (status == RITZ_OK) {
            assert_true(n > 40);
            ritz_mesh_destroy(&mesh);
            break;
        }
        assert_int_equal(status, RITZ_ERROR_MEMORY);
        assert_null(mesh);
    }
}

/* The same part through other formats that Gmsh reads. */
static void check_formats(const char *script, double exact, const char *const *names, int n_names)
{
    char list[256] = "";
    for (int i = 0; i < n_names; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s ", names[i]);
    save_files(script, 3, 1, false, list);
    for (int i = 0; i < n_names; i++) {
        ritz_mesh *mesh = read_mesh(in_folder(names[i]));
        if (fabs(volume(mesh) - exact) > 1e-5) /* some formats write few digits */
            fail_msg("%s: volume %g", names[i], volume(mesh));
        ritz_mesh_destroy(&mesh);
    }
}

/* Gmsh 4.8 would crash on it. */
static void groups_of_nodes_in_unv_files_are_refused(void **state)
{
    (void)state;
    expect_refusal(write_text("nodes.unv", "    -1\n  2411\n         1         1         1        11\n"
                                           "   0.0D+00   0.0D+00   0.0D+00\n    -1\n    -1\n  2477\n"
                                           "         1         0         0         0         0         0         0"
                                           "         1\ncorner\n         7         1         0         0\n    -1\n"),
                   RITZ_ERROR_INPUT, "nodes.unv:10: group 'corner' holds nodes");
    expect_refusal(write_text("lost.unv",
                              "    -1\n  2477\n         1         0         0         0         0         0"
                              "         0         1\ncorner\n         8         1         0         0\n    -1\n"),
                   RITZ_ERROR_INPUT, "lost.unv:5: group 'corner' holds element 1, which is no line");
}

static void other_formats_are_read(void **state)
{
    (void)state;
    static const char *const names[] = {"part.unv", "part.bdf", "part.vtk", "part.mesh"};
    static const char box[] = "SetFactory(\"OpenCASCADE\");\nBox(1)={0,0,0,1,1,1};\nPhysical Volume(\"box\")={1};\n";
    char script[sizeof MIXED_3D];
    strcpy(script, MIXED_3D);
    check_formats(box, 1, names, 4);
    strcpy(strstr(script, "Physical Point"), "\n");
    check_formats(script, 2, names, 3); /* Gmsh 4.8 writes no prisms into .mesh files */
}

/* Every file that ends early is refused: cut after each of its lines but the last. */
static void truncated_files_of_others_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"whole.unv", "whole.bdf", "whole.mesh", "whole.stl", "whole.vtk"};
    static char content[1 << 16];
    save_files("SetFactory(\"OpenCASCADE\");\nBox(1)={0,0,0,1,1,1};\nMesh.CharacteristicLengthMin=2;\n", 3, 1, false,
               "whole.unv whole.bdf whole.mesh whole.stl whole.vtk");
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        char cut[64];
        FILE *file = fopen(in_folder(names[f]), "rb");
        assert_non_null(file);
        const size_t n = fread(content, 1, sizeof content, file);
        fclose(file);
        assert_in_range(n, 500, sizeof content - 1);
        snprintf(cut, sizeof cut, "cut%s", strrchr(names[f], '.'));
        size_t end = n;
        for (int i = 0; i < 2; i++) { /* the last words: End, ENDDATA, -1, endsolid */
            while (end > 0 && content[end - 1] <= ' ')
                end--;
            while (end > 0 && content[end - 1] > ' ')
                end--;
            expect_refusal(write_file(cut, content, end), RITZ_ERROR_INPUT, cut);
        }
        for (size_t at = n / 30; at < end; at += n / 30)
            expect_refusal(write_file(cut, content, at), RITZ_ERROR_INPUT, cut);
        expect_refusal(write_file(cut, content, 3 * n / 4), RITZ_ERROR_INPUT, "truncated");
    }
    expect_refusal(write_text("cut.p3d", "1\n2 2 2\n0 1 0 1 0 1 0 1\n0 0 1 1 0 0 1 1\n0 0 0 0 1 1 1\n"),
                   RITZ_ERROR_INPUT, "the file ends early: it holds 27 numbers where its sizes announce 28");
    content[0] = 'b';
    memset(content, 0, 200);
    content[80] = 3;
    expect_refusal(write_file("cut.stl", content, 184), RITZ_ERROR_INPUT, "234 bytes for its 3 facets");
}

#define BDF_HEAD                                                                                                       \
    "BEGIN "                                                                                                           \
    "BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.,0.\nGRID,5,,2.,0.,0.\nGRID,6,,2.,1.,0." \
    "\n"

/* Properties are groups, by number or by the name that a comment gives; the references of a .mesh file likewise. */
static void groups_of_other_formats_are_kept(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"$HMNAME PROP                   7\"steel\"\n", "steel"},
        {"$ Femap Property 7 : hard steel\n", "hard steel"},
        {"$ANSA_NAME_COMMENT;7;PSHELL;blade;;NO;NO;\n", "blade"},
        {"$ Elements and Element Properties for region : web\nPSHELL   7       1       .1\n", "web"},
        {"$ nothing\n", "7"}};
    char text[1024];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(text, sizeof text, "%s%sCQUAD4,1,7,1,2,3,4\nCQUAD4,2,9,2,5,6,3\nCBAR,3,4,1,2\nENDDATA\n", BDF_HEAD,
                 names[i][0]);
        ritz_mesh *mesh = read_mesh(write_text("part.bdf", text));
        assert_true(fabs(volume(mesh) - 2) < 1e-12);
        assert_int_equal(cells_in(mesh, names[i][1]), 1);
        assert_int_equal(cells_in(mesh, "9"), 1);
        assert_int_equal(entities_in(mesh, "4"), 1);
        ritz_mesh_destroy(&mesh);
    }
    ritz_mesh *mesh = read_mesh(write_text(
        "part.mesh",
        "MeshVersionFormatted 2\nDimension\n3\nVertices\n6\n0 0 0 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n2 0 0 0\n2 1 0 0\n"
        "Edges\n1\n1 2 5\nQuadrilaterals\n2\n1 2 3 4 7\n2 5 6 3 9\nEnd\n"));
    assert_int_equal(cells_in(mesh, "7"), 1);
    assert_int_equal(cells_in(mesh, "9"), 1);
    assert_int_equal(entities_in(mesh, "5"), 1);
    ritz_mesh_destroy(&mesh);
}

#define VTK_HEAD                                                                                                       \
    "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n0 0 0 1 0 0 1 1 0 0 1 0 2 " \
    "0 0 2 1 0\n"
#define VTK_CELLS "CELLS 2 10\n4 0 1 2 3\n4 1 4 5 2\nCELL_TYPES 2\n9\n9\n"

static void refuse_vtk(const char *content, const char *words)
{
    expect_refusal(write_text("bad.vtk", content), RITZ_ERROR_INPUT, words);
}

/* Integer data of cells are groups where their name says so; what is dropped is told. */
static void vtk_files_keep_their_groups(void **state)
{
    (void)state;
    ritz_mesh *mesh = read_mesh(write_text("part.vtk", VTK_HEAD VTK_CELLS
                                           "CELL_DATA 2\nSCALARS energy float\nLOOKUP_TABLE default\n1.5 nan\n"
                                           "SCALARS material int 1\nLOOKUP_TABLE default\n3\n8\nPOINT_DATA 6\nVECTORS "
                                           "u double\n0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"));
    assert_true(fabs(volume(mesh) - 2) < 1e-12);
    assert_int_equal(cells_in(mesh, "3"), 1);
    assert_int_equal(cells_in(mesh, "8"), 1);
    assert_null(mesh->warning);
    ritz_mesh_destroy(&mesh);
    mesh = read_mesh(write_text(
        "part.vtk",
        "# vtk DataFile Version 5.1\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 float\n0 0 0 1 0 0 1 1 0 0 1 0 "
        "2 0 0 2 1 0\n"
        "CELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n0 1 2 3 1 4 5 2\nCELL_TYPES 2\n9\n9\n"
        "CELL_DATA 2\nFIELD FieldData 1\nquality 1 2 double\n0.5 0.5\n"));
    assert_true(fabs(volume(mesh) - 2) < 1e-12);
    assert_non_null(strstr(mesh->warning, "(quality) make no groups"));
    ritz_mesh_destroy(&mesh);
    refuse_vtk(VTK_HEAD "CELLS 2 10\n4 0 1 2 3\n4 1 4 5\nCELL_TYPES 2\n9\n9\n",
               "bad.vtk:10: a point of a cell is 'CELL_TYPES', which is no finite number");
    refuse_vtk(VTK_HEAD "CELLS 2 10\n4 0 1 2 3\n4 1 4 5 6\nCELL_TYPES 2\n9\n9\n",
               "cell 1 refers to point 6, which the file does not have");
    refuse_vtk(VTK_HEAD "CELLS 2 10\n4 0 1 2 3\n4 1 4 5 2\nCELL_TYPES 2\n9\n14\n",
               "cell 1 is of VTK's type 14 (pyramid)");
    refuse_vtk(VTK_HEAD "CELLS 2 10\n4 0 1 2 3\n4 1 4 5 2\nCELL_TYPES 2\n9\n12\n",
               "cell 1 is a 8-node hex but has 4 points");
    refuse_vtk(VTK_HEAD "CELLS 2 9\n4 0 1 2 3\n4 1 4 5\nCELL_TYPES 2\n9\n9\n", "do not fit");
    refuse_vtk("# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\n",
               "DATASET UNSTRUCTURED_GRID is read");
    refuse_vtk("# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n0 0 0 0 nan 0 0 0 1\n",
               "a coordinate is 'nan'");
    refuse_vtk(VTK_HEAD VTK_CELLS "CELL_DATA 3\nSCALARS a int 1\n", "CELL_DATA announces 3 values where there are 2");
}

/* Elements of second order, whose nodes VTK orders in its own way, text and binary as Gmsh writes them. */
static void second_order_vtk_files_are_read(void **state)
{
    (void)state;
    for (int incomplete = 0; incomplete < 2; incomplete++) {
        save_files(MIXED_3D, 3, 2, incomplete, "mixed-41a.msh mixed.vtk");
        ritz_mesh *mesh = read_mesh(in_folder("mixed.vtk")), *same = read_mesh(in_folder("mixed-41a.msh"));
        assert_int_equal(mesh->n_nodes, same->n_nodes);
        assert_true(fabs(volume(mesh) - 2) < 1e-5);
        ritz_mesh_destroy(&mesh);
        ritz_mesh_destroy(&same);
    }
    save_files("SetFactory(\"OpenCASCADE\");\nSphere(1)={0,0,0,1};\nMesh.CharacteristicLengthMax=0.7;\n", 3, 2, false,
               "ball-41a.msh ball.vtk ball-b.vtk");
    ritz_mesh *same = read_mesh(in_folder("ball-41a.msh")), *mesh = read_mesh(in_folder("ball.vtk"));
    assert_true(fabs(volume(mesh) - volume(same)) < 1e-5);
    ritz_mesh_destroy(&mesh);
    mesh = read_mesh(in_folder("ball-b.vtk"));
    assert_true(fabs(volume(mesh) - volume(same)) < 1e-5);
    ritz_mesh_destroy(&mesh);
    ritz_mesh_destroy(&same);
}

/* Files with a few bytes, numbers or lines changed, by a fixed rule: each gives a mesh or a sentence that names it. */
static uint32_t mutation_state = 12345;

static uint32_t mutation(uint32_t n)
{
    mutation_state = mutation_state * 1664525u + 1013904223u;
    return (mutation_state >> 8) % n;
}

static size_t mutate(char *content, size_t n)
{
    static const char *const words[] = {"-1 ", "0 ", "99999999 ", "1e300 ", "nan ", "2147483647 ", "\n", "x"};
    for (uint32_t k = 1 + mutation(4); k > 0; k--) {
        const size_t at = mutation((uint32_t)n - 20), length = 1 + mutation(16);
        const char *word = words[mutation(sizeof words / sizeof *words)];
        switch (mutation(4)) {
        case 0:
            content[at] = (char)mutation(256);
            break;
        case 1:
            memcpy(content + at, word, strlen(word));
            break;
        case 2:
            memmove(content + at, content + at + length, n - at - length);
            n -= length;
            break;
        default:
            memmove(content + at, content + mutation((uint32_t)n - 20), length);
        }
    }
    return n;
}

static void mutated_files_end_in_a_mesh_or_a_sentence(void **state)
{
    (void)state;
    static const char *const names[] = {"small.unv", "small.vtk"};
    static char whole[1 << 16], content[1 << 16];
    int n_meshes = 0, n_sentences = 0;
    save_files("SetFactory(\"OpenCASCADE\");\nBox(1)={0,0,0,1,1,1};\nPhysical Volume(\"a\")={1};Physical "
               "Surface(\"b\")={1,2};\n"
               "Mesh.CharacteristicLengthMin=2;\n",
               3, 1, false, "small.unv small.vtk");
    for (int f = 0; f < 2; f++) {
        FILE *file = fopen(in_folder(names[f]), "rb");
        const size_t n = fread(whole, 1, sizeof whole - 1, file);
        fclose(file);
        for (int k = 0; k < 40; k++) {
            ritz_mesh *mesh = NULL;
            char name[32];
            memcpy(content, whole, n);
            snprintf(name, sizeof name, "mutated%s", strrchr(names[f], '.'));
            const char *path = write_file(name, content, mutate(content, n));
            if (ritz_mesh_read(path, &mesh) == RITZ_OK) {
                assert_true(mesh->n_nodes > 0);
                n_meshes++;
            } else {
                assert_null(mesh);
                assert_non_null(strstr(ritz_message(), name));
                n_sentences++;
            }
            ritz_mesh_destroy(&mesh);
        }
    }
    if (n_meshes < 5 || n_sentences < 5)
        fail_msg("%d meshes, %d sentences", n_meshes, n_sentences);
}

static int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_variants_say_the_same),
        cmocka_unit_test(serendipity_elements_are_completed),
        cmocka_unit_test(three_cell_types_share_faces),
        cmocka_unit_test(curved_parts_converge),
        cmocka_unit_test(a_part_without_groups_gets_some),
        cmocka_unit_test(step_files_are_meshed_in_silence),
        cmocka_unit_test(untrusted_geometries_do_nothing),
        cmocka_unit_test(trusted_geometries_run_their_commands),
        cmocka_unit_test_teardown(bad_ends_of_gmsh_become_sentences, restore_gmsh),
        cmocka_unit_test_teardown(an_interrupt_ends_gmsh, restore_gmsh),
        cmocka_unit_test(groups_survive_glue),
        cmocka_unit_test(solids_have_groups),
        cmocka_unit_test(touching_bodies_are_glued),
        cmocka_unit_test(coarse_curved_parts_have_no_folded_cells),
        cmocka_unit_test(folded_cells_are_straightened),
        cmocka_unit_test(files_that_are_no_mesh_are_refused),
        cmocka_unit_test(bad_geometries_are_refused),
        cmocka_unit_test(wrong_content_is_named),
        cmocka_unit_test(truncated_files_are_refused),
        cmocka_unit_test(other_sections_are_passed_over),
        cmocka_unit_test(doubled_elements_become_one),
        cmocka_unit_test(interruption_is_obeyed),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(other_formats_are_read),
        cmocka_unit_test(groups_of_nodes_in_unv_files_are_refused),
        cmocka_unit_test(truncated_files_of_others_are_refused),
        cmocka_unit_test(groups_of_other_formats_are_kept),
        cmocka_unit_test(vtk_files_keep_their_groups),
        cmocka_unit_test(second_order_vtk_files_are_read),
        cmocka_unit_test(mutated_files_end_in_a_mesh_or_a_sentence),
    };
    const char *program = getenv("RITZ_GMSH");
    snprintf(gmsh_program, sizeof gmsh_program, "%s", program ? program : "");
    if (!mkdtemp(folder))
        return 1;
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
