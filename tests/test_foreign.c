/* Formats and geometries of others: what the process of ritz-gmsh may and may not do, how its ends are told, glue and
   groups, files that end early or are damaged. */
#include "mesh_files.h"

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
    assert_non_null(strstr(ritz_message(), "RITZ_GMSH is '/nowhere', which is not a program"));
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

/* ---- Meshes kept from run to run ---- */

/* Whether the mesh, which has so many nodes, is that of an earlier run. */
static bool is_kept(const char *path, const ritz_geometry_options *options, int32_t n_nodes)
{
    ritz_mesh *mesh = NULL;
    if (ritz_mesh_generate(path, options, &mesh))
        fail_msg("%s", ritz_message());
    assert_int_equal(mesh->n_nodes, n_nodes);
    const bool kept = mesh->was_kept;
    ritz_mesh_destroy(&mesh);
    return kept;
}

/* part.geo: a cube, n cells along an edge. */
static const char *write_cubes(int n)
{
    char script[400];
    snprintf(script, sizeof script,
             "Point(1)={0,0,0}; l[]=Extrude{1,0,0}{Point{1}; Layers{%d};};\n"
             "s[]=Extrude{0,1,0}{Line{l[1]}; Layers{%d}; Recombine;};\n"
             "v[]=Extrude{0,0,1}{Surface{s[1]}; Layers{%d}; Recombine;};\nPhysical Volume(\"body\")={v[1]};\n",
             n, n, n);
    return write_text("part.geo", script);
}

static int keep_meshes(void **state)
{
    (void)state;
    return setenv("RITZ_CACHE_DIR", in_folder("cache"), 1);
}

static int keep_nothing(void **state)
{
    return restore_gmsh(state) || setenv("RITZ_CACHE_DIR", "none", 1);
}

/* The mesh of a geometry is kept as long as nothing is different that it depends on. */
static void meshes_of_geometries_are_kept(void **state)
{
    (void)state;
    const ritz_geometry_options curved = {.order = 2}, trusted = {.trust = 1};
    char path[256];
    snprintf(path, sizeof path, "%s", write_cubes(2));
    assert_false(is_kept(path, NULL, 27));
    assert_true(is_kept(path, NULL, 27));
    assert_false(is_kept(path, &curved, 125));
    assert_true(is_kept(path, &curved, 125));
    assert_false(is_kept(path, &trusted, 27));
    write_cubes(1);
    assert_false(is_kept(path, NULL, 8));
    setenv("RITZ_CACHE_DIR", "none", 1);
    assert_false(is_kept(path, NULL, 8));
    setenv("RITZ_CACHE_DIR", in_folder("cache"), 1);
    assert_true(is_kept(path, NULL, 8));
    if (system("cd $RITZ_CACHE_DIR && for f in mesh-*; do head -c 300 $f > cut && mv cut $f; done"))
        fail_msg("no mesh is in the cache");
    assert_false(is_kept(path, NULL, 8));
    assert_true(is_kept(path, NULL, 8));
}

/* A geometry that looks at other files is meshed again, as these may be others by now. */
static void meshes_that_depend_on_other_files_are_not_kept(void **state)
{
    (void)state;
    write_text("number.geo", "n = 1;\n");
    const char *path =
        write_text("part.geo", "Include \"number.geo\";\nPoint(1)={0,0,0}; l[]=Extrude{1,0,0}{Point{1}; Layers{n};};\n"
                               "s[]=Extrude{0,1,0}{Line{l[1]}; Layers{n}; Recombine;};\n"
                               "Physical Surface(\"body\")={s[1]};\n");
    assert_false(is_kept(path, NULL, 4));
    write_text("number.geo", "n = 2;\n");
    assert_false(is_kept(path, NULL, 9));
    path = write_cubes(3);
    assert_false(is_kept(path, NULL, 64));
    write_text("part.geo.opt", "Mesh.ElementOrder = 1;\n"); /* Gmsh's options for this file */
    assert_false(is_kept(path, NULL, 64));
    unlink(in_folder("part.geo.opt"));
    assert_true(is_kept(path, NULL, 64));
}

/* A program that stands for ritz-gmsh: it says this and writes one square, which is on a file of its own. */
static void use_fake_gmsh(const char *says)
{
    char script[300];
    snprintf(script, sizeof script, "#!/bin/sh\necho '%s' >&2\ncat ${0%%/*}/made.msh\n", says);
    const char *program = write_text("fake", script);
    chmod(program, 0700);
    setenv("RITZ_GMSH", program, 1);
    write_text("made.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 1 \"a\"\n$EndPhysicalNames\n"
                           "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
                           "$Elements\n1\n1 3 2 1 1 1 2 3 4\n$EndElements\n");
}

/* What Gmsh warned of is told again; another program, or one with other libraries, is asked. */
static void warnings_are_kept_with_the_mesh(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s", write_text("part.geo", CYLINDER));
    use_fake_gmsh("warning: it is thin");
    ritz_set_log(keep_log, NULL);
    for (int run = 0; run < 2; run++) {
        logged[0] = 0;
        assert_int_equal(is_kept(path, NULL, 4), run > 0);
        assert_non_null(strstr(logged, "Gmsh: it is thin"));
        unlink(in_folder("made.msh"));
    }
    ritz_set_log(NULL, NULL);
    use_fake_gmsh("library: 1000 1700000000 /nowhere/libgmsh.so");
    assert_false(is_kept(path, NULL, 4));
    assert_false(is_kept(path, NULL, 4));
}

/* Whichever allocation fails, while the mesh is made and kept and while it is taken: no mesh, or a whole one. */
static void kept_meshes_survive_failing_allocations(void **state)
{
    (void)state;
    int n_made = 0;
    char path[256], command[300];
    snprintf(path, sizeof path, "%s", write_text("part.geo", CYLINDER));
    snprintf(command, sizeof command, "rm -f %s/mesh-*", getenv("RITZ_CACHE_DIR"));
    use_fake_gmsh("");
    for (int kept = 0; kept < 2; kept++)
        for (int64_t n = 1, n_counted = n; n_counted >= n - 1; n++) { /* as long as the failing one was reached */
            ritz_mesh *mesh = NULL;
            if (!kept && system(command) != 0)
                fail_msg("%s", command);
            ritz_fail_allocation(n);
            const ritz_status status = ritz_mesh_generate(path, NULL, &mesh);
            n_counted = ritz_fail_allocation(0);
            n_made += status == RITZ_OK;
            assert_int_equal(mesh != NULL, status == RITZ_OK);
            assert_true(status == RITZ_OK ? mesh->n_nodes == 4 : status == RITZ_ERROR_MEMORY);
            ritz_mesh_destroy(&mesh);
        }
    assert_true(n_made >= 4); /* not least where keeping alone failed */
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
    const char *flat =
        write_text("flat.geo", "Point(1)={0,0,0};Point(2)={1,0,0};Point(3)={0,1,0};Line(1)={1,2};Line(2)={2,3};"
                               "Line(3)={3,1};Curve Loop(1)={1,2,3};Plane Surface(1)={1};\n");
    logged[0] = 0;
    ritz_set_log(keep_log, NULL);
    assert_int_equal(ritz_mesh_generate(flat, &(ritz_geometry_options){.size = 0.5, .glue = 1}, &mesh), RITZ_OK);
    ritz_set_log(NULL, NULL);
    assert_non_null(strstr(logged, "none of OpenCASCADE, so its bodies are not cut"));
    ritz_mesh_destroy(&mesh);
}

/* The number, length or area of a group's points, edges or triangles, and the centre of their mass. */
static double size_and_centre(const ritz_mesh *mesh, const char *name, double centre[3])
{
    int32_t group;
    double sum = 0, moment[3] = {0};
    if (ritz_mesh_find_group(mesh, name, -1, &group))
        fail_msg("%s", ritz_message());
    for (int e = 0; e < mesh->n_entities; e++) {
        const ritz_mesh_entity *entity = &mesh->entities[e];
        const int n = entity->n_vertices;
        double at[3][3], g[2][2] = {{1, 0}, {0, 1}}; /* metric */
        if (!ritz_mesh_set_has(mesh, entity->set, group))
            continue;
        assert_in_range(n, 1, 3);
        for (int i = 0; i < n; i++)
            memcpy(at[i], &mesh->nodes[3 * (int64_t)entity->vertices[i]], sizeof at[i]);
        for (int i = 0; i + 1 < n; i++)
            for (int j = 0; j + 1 < n; j++) {
                g[i][j] = 0;
                for (int d = 0; d < 3; d++)
                    g[i][j] += (at[i + 1][d] - at[0][d]) * (at[j + 1][d] - at[0][d]);
            }
        const double size = sqrt(g[0][0] * g[1][1] - g[0][1] * g[1][0]) / (n == 3 ? 2 : 1);
        sum += size;
        for (int i = 0; i < n; i++)
            for (int d = 0; d < 3; d++)
                moment[d] += size * at[i][d] / n;
    }
    for (int d = 0; d < 3; d++)
        centre[d] = moment[d] / sum;
    return sum;
}

/* Two glued bodies of a script, some of whose sides are a group. */
static void check_sides(const char *bodies, const char *kind, const char *sides, double wanted, const double at[3])
{
    char script[512];
    double centre[3];
    ritz_mesh *mesh = NULL;
    const char *body = *bodies == 'B' ? "Volume" : "Surface";
    snprintf(script, sizeof script,
             "SetFactory(\"OpenCASCADE\");\n%sPhysical %s(\"A\")={1};\nPhysical %s(\"B\")={2};\n"
             "Physical %s(\"sides\")={%s};\n",
             bodies, body, body, kind, sides);
    if (ritz_mesh_generate(write_text("sides.geo", script), &(ritz_geometry_options){.size = 0.5, .glue = 1}, &mesh))
        fail_msg("%s %s: %s", kind, sides, ritz_message());
    const double size = size_and_centre(mesh, "sides", centre);
    bool same = fabs(size - wanted) < 1e-9;
    for (int d = 0; d < 3; d++)
        same = same && fabs(centre[d] - at[d]) < 1e-9;
    if (!same)
        fail_msg("%s %s: size %g, centre (%g, %g, %g)", kind, sides, size, centre[0], centre[1], centre[2]);
    assert_int_equal(touching_parts(mesh), 1);
    assert_true(cells_in(mesh, "A") > 0 && cells_in(mesh, "B") > 0);
    ritz_mesh_destroy(&mesh);
}

/* Sides of glued bodies stay in their place: untouched, one with the neighbour's, or cut by it; a face through both. */
static void named_sides_stay_in_place(void **state)
{
    (void)state;
    static const char cubes[] = "Box(1)={0,0,0,1,1,1};\nBox(2)={1,0,0,1,1,1};\n",
                      squares[] = "Rectangle(1)={0,0,0,1,1};\nRectangle(2)={1,0,0,1,1};\n",
                      halves[] = "Box(1)={0,0,0,1,1,1};\nBox(2)={1,0,0,1,0.5,1};\n",
                      crossed[] =
                          "Box(1)={0,0,0,1,1,1};\nBox(2)={1,0,0,1,1,1};\nRectangle(20)={0.2,0.2,0.5,1.6,0.6};\n";
    static const struct {
        const char *bodies, *kind, *sides;
        double size, centre[3];
    } cases[] = {{cubes, "Surface", "8", 1, {2, 0.5, 0.5}},
                 {cubes, "Surface", "1,8,12", 3, {3.5 / 3, 0.5, 2.0 / 3}},
                 {cubes, "Surface", "1,3", 2, {0.25, 0.25, 0.5}},
                 {cubes, "Surface", "2,8", 2, {1.5, 0.5, 0.5}},
                 {cubes, "Surface", "2,7", 1, {1, 0.5, 0.5}},
                 {cubes, "Curve", "1,5", 2, {0.5, 0, 0.5}},
                 {halves, "Surface", "2,8", 1.5, {2 / 1.5, 0.625 / 1.5, 0.5}},
                 {crossed, "Surface", "8,20", 1.96, {2.96 / 1.96, 0.5, 0.5}},
                 {squares, "Curve", "6", 1, {2, 0.5, 0}},
                 {squares, "Curve", "4", 1, {0, 0.5, 0}},
                 {squares, "Curve", "4,6", 2, {1, 0.5, 0}},
                 {squares, "Point", "1,6", 2, {1, 0, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_sides(cases[i].bodies, cases[i].kind, cases[i].sides, cases[i].size, cases[i].centre);
}

/* OpenCASCADE tells the length of an ellipse with another error than those of its pieces; that is not a lost piece. */
static void cut_ellipses_are_whole(void **state)
{
    (void)state;
    const char *path = write_text("ellipse.geo", "SetFactory(\"OpenCASCADE\");\nDisk(1)={0,0,0,20,1};\n"
                                                 "Rectangle(2)={6,-3,0,60,6};\nPhysical Curve(\"rim\")={1};\n"
                                                 "Physical Surface(\"A\")={1};\nPhysical Surface(\"B\")={2};\n");
    double centre[3];
    ritz_mesh *mesh = NULL;
    if (ritz_mesh_generate(path, &(ritz_geometry_options){.size = 1, .glue = 1}, &mesh))
        fail_msg("%s", ritz_message());
    const double perimeter = size_and_centre(mesh, "rim", centre);
    if (!(perimeter > 79 && perimeter < 80.3886)) /* of the ellipse 80.38851; chords are shorter */
        fail_msg("%.6g", perimeter);
    assert_int_equal(touching_parts(mesh), 1);
    ritz_mesh_destroy(&mesh);
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
    static const char *const systems[] = {"GRID,9,7,0.,0.,0.\n", "GRID    9       7       0.      0.      0.\n",
                                          "GRID*   9               7               0.              0.\n*       0.\n",
                                          "GRDSET,,7\n"};
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        snprintf(text, sizeof text, "%s%sCQUAD4,1,7,1,2,3,4\nENDDATA\n", BDF_HEAD, systems[i]);
        expect_refusal(write_text("system.bdf", text), RITZ_ERROR_INPUT, "is in the coordinate system 7 (CP)");
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

/* A deck that is read for its mesh alone: what makes or moves nodes is not left out. */
static void decks_are_whole(void **state)
{
    (void)state;
    static const char nodes[] = "1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n*ELEMENT,TYPE=CPS4,ELSET=E\n1,1,2,3,4\n";
    static const struct {
        const char *before, *after, *words; /* NULL: it is read */
    } decks[] = {
        {"*NODE\n", "", NULL},
        {"*PART,NAME=P\n*NODE\n", "*END PART\n*INSTANCE,NAME=I,PART=P\n0.,0.,0.\n*END INSTANCE\n", NULL},
        {"*PART,NAME=P\n*NODE\n", "*END PART\n*INSTANCE,NAME=I,PART=P\n0.,1.,0.\n*END INSTANCE\n", "*INSTANCE"},
        {"*NODE,SYSTEM=C\n", "", "*NODE with SYSTEM is not read"},
        {"*SYSTEM\n1.,0.,0.\n*NODE\n", "", "*SYSTEM is not read"},
        {"*NODE\n", "*ELGEN\n1,2,1,1\n", "*ELGEN is not read"}};
    char text[512];
    for (size_t i = 0; i < sizeof decks / sizeof *decks; i++) {
        snprintf(text, sizeof text, "%s%s%s", decks[i].before, nodes, decks[i].after);
        const char *const path = write_text("part.inp", text);
        if (decks[i].words) {
            expect_refusal(path, RITZ_ERROR_INPUT, decks[i].words);
            continue;
        }
        ritz_mesh *mesh = read_mesh(path);
        assert_true(fabs(volume(mesh) - 1) < 1e-12);
        ritz_mesh_destroy(&mesh);
    }
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
               "bad.vtk:10: a point of a cell is 'CELL_TYPES', which is not a finite number");
    refuse_vtk(VTK_HEAD "CELLS 2 10\n4 0 1 2 3\n4 1 4 5 6\nCELL_TYPES 2\n9\n9\n",
               "cell 1 refers to point 6, which the file does not have");
    refuse_vtk(VTK_HEAD "CELLS 2 10\n4 0 1 2 3\n4 1 4 5 2\nCELL_TYPES 2\n9\n14\n",
               "cell 1 is of VTK's type 14 (pyramid)");
    refuse_vtk(VTK_HEAD "CELLS 2 10\n4 0 1 2 3\n4 1 4 5 2\nCELL_TYPES 2\n9\n12\n",
               "cell 1 is a 8-node hex but has 4 points");
    refuse_vtk(VTK_HEAD "CELLS 2 9\n4 0 1 2 3\n4 1 4 5\nCELL_TYPES 2\n9\n9\n", "do not fit");
    refuse_vtk("# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\n",
               "only DATASET UNSTRUCTURED_GRID is supported");
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

static size_t mutate_file(char *content, size_t n)
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
            const char *path = write_file(name, content, mutate_file(content, n));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(untrusted_geometries_do_nothing),
        cmocka_unit_test(trusted_geometries_run_their_commands),
        cmocka_unit_test_teardown(bad_ends_of_gmsh_become_sentences, restore_gmsh),
        cmocka_unit_test_teardown(an_interrupt_ends_gmsh, restore_gmsh),
        cmocka_unit_test_setup_teardown(meshes_of_geometries_are_kept, keep_meshes, keep_nothing),
        cmocka_unit_test_setup_teardown(meshes_that_depend_on_other_files_are_not_kept, keep_meshes, keep_nothing),
        cmocka_unit_test_setup_teardown(warnings_are_kept_with_the_mesh, keep_meshes, keep_nothing),
        cmocka_unit_test_setup_teardown(kept_meshes_survive_failing_allocations, keep_meshes, keep_nothing),
        cmocka_unit_test(groups_survive_glue),
        cmocka_unit_test(named_sides_stay_in_place),
        cmocka_unit_test(cut_ellipses_are_whole),
        cmocka_unit_test(solids_have_groups),
        cmocka_unit_test(touching_bodies_are_glued),
        cmocka_unit_test(truncated_files_of_others_are_refused),
        cmocka_unit_test(groups_of_other_formats_are_kept),
        cmocka_unit_test(decks_are_whole),
        cmocka_unit_test(vtk_files_keep_their_groups),
        cmocka_unit_test(second_order_vtk_files_are_read),
        cmocka_unit_test(mutated_files_end_in_a_mesh_or_a_sentence),
    };
    const char *program = getenv("RITZ_GMSH");
    snprintf(gmsh_program, sizeof gmsh_program, "%s", program ? program : "");
    setenv("RITZ_CACHE_DIR", "none", 1);
    if (!mkdtemp(folder))
        return 1;
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
