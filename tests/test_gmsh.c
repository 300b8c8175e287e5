/* Mesh files, and geometries through Gmsh: every variant of the format says the same, second-order geometry is what it should be, and
   each kind of bad file is named. Truth: volumes and areas of boxes, balls and cylinders. */
#include "mesh_files.h"

static void refuse_text(const char *content, const char *words)
{
    expect_refusal(write_text("bad.msh", content), RITZ_ERROR_INPUT, words);
}

/* Runs Gmsh on a script, then saves the mesh in all four variants as NAME-22a.msh, -22b, -41a, -41b. */
static const char *const variants[] = {"22a", "22b", "41a", "41b"};

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

/* The number of the first entity of this kind in a STEP file. */
static int find_in_step(const char *text, const char *kind)
{
    const char *at = strstr(text, kind);
    assert_non_null(at);
    while (*at != '#')
        at--;
    return atoi(at + 1);
}

/* A colour given to one face in a STEP file, by the entities that CAD programs write. */
static void colours_of_step_files_are_groups(void **state)
{
    (void)state;
    char text[65536];
    save_files(CYLINDER, 0, 1, false, "coloured.step");
    FILE *file = fopen(in_folder("coloured.step"), "r+");
    assert_non_null(file);
    const size_t n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    const int face = find_in_step(text, "ADVANCED_FACE"),
              context = find_in_step(text, "GEOMETRIC_REPRESENTATION_CONTEXT");
    char *end = strstr(strstr(text, "DATA;"), "ENDSEC;");
    assert_true(n < sizeof text - 1 && end);
    fseek(file, end - text, SEEK_SET);
    fprintf(file,
            "#90000 = COLOUR_RGB('',1.,0.5,0.);\n#90001 = FILL_AREA_STYLE_COLOUR('',#90000);\n"
            "#90002 = FILL_AREA_STYLE('',(#90001));\n#90003 = SURFACE_STYLE_FILL_AREA(#90002);\n"
            "#90004 = SURFACE_SIDE_STYLE('',(#90003));\n#90005 = SURFACE_STYLE_USAGE(.BOTH.,#90004);\n"
            "#90006 = PRESENTATION_STYLE_ASSIGNMENT((#90005));\n#90007 = STYLED_ITEM('color',(#90006),#%d);\n"
            "#90008 = MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION('',(#90007),#%d);\n%s",
            face, context, "ENDSEC;\nEND-ISO-10303-21;\n");
    assert_int_equal(fclose(file), 0);
    ritz_mesh *mesh = generate(in_folder("coloured.step"), 0.3, 1);
    int32_t g = -1;
    for (int32_t k = 0; k < mesh->n_groups; k++)
        if (strncmp(mesh->groups[k].name, "colour_ff", 9) == 0) {
            assert_int_equal(g, -1);
            g = k;
        }
    assert_true(g >= 0 && mesh->groups[g].dim == 2);
    unsigned rgb = 0; /* Gmsh keeps eight bits of linear light */
    assert_int_equal(sscanf(mesh->groups[g].name, "colour_%x", &rgb), 1);
    assert_true((rgb & 0xff) == 0 && abs((int)(rgb >> 8 & 0xff) - 0x80) <= 2);
    assert_int_equal(entities_in(mesh, mesh->groups[g].name), entities_in(mesh, "face1"));
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
    assert_int_equal(ritz_mesh_new(2, &mesh), RITZ_OK);
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
    expect_refusal(folder, RITZ_ERROR_FILE, "not a regular file");
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
                "bad.msh:8: a coordinate of node 3 is 'nan', which is not a finite number");
    refuse_text(HEAD "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1e999 0\n4 0 1 0\n$EndNodes\n" ONE_QUAD,
                "a coordinate of node 3 is '1e999', which is not a finite number");
    refuse_text(HEAD "$Nodes\n4\n1 0 0 0\n2 1 0 0\n2 1 1 0\n4 0 1 0\n$EndNodes\n" ONE_QUAD, "node 2 appears twice");
    refuse_text(HEAD "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n" ONE_QUAD,
                "bad.msh:10: '$EndNodes' appears where a node's number should be");
    refuse_text(HEAD "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n" ONE_QUAD,
                "'4' appears where $EndNodes should be");
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
    refuse_text(HEAD ONE_QUAD NODES4, "$Elements comes before $Nodes");
    refuse_text(HEAD NODES4 NODES4 ONE_QUAD, "$Nodes appears twice");
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
                                                 "$Periodic\n1\n-3 99 99 99\n$EndPeriodic\n"
                                                 "$ANameOfFortyCharactersOrMoreIsStillAName\n1\n"
                                                 "$EndANameOfFortyCharactersOrMoreIsStillAName\n"));
    ritz_set_log(NULL, NULL);
    assert_non_null(strstr(logged, "section $Periodic is ignored"));
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
    survives_failing_allocations(variant("mixed", 2));
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

/* Cells of second order and names of groups in a .unv file are those that Gmsh writes as .msh. */
static void unv_files_are_read_as_gmsh_writes_them(void **state)
{
    (void)state;
    static const char box[] = "SetFactory(\"OpenCASCADE\");\nBox(1)={0,0,0,1,1,1};\nPhysical Volume(\"my box\")={1};\n"
                              "Physical Surface(\"left side\")={1};\nMesh.CharacteristicLengthMin=0.7;\n";
    char script[sizeof MIXED_3D];
    strcpy(script, MIXED_3D);
    strcpy(strstr(script, "Physical Point"), "\n"); /* which Gmsh does not write */
    for (int i = 0; i < 2; i++) {
        save_files(i ? script : box, 3, 2, true, "same-41a.msh same.unv");
        ritz_mesh *msh = read_mesh(in_folder("same-41a.msh")), *unv = read_mesh(in_folder("same.unv"));
        check_same(msh, unv);
        for (int g = 0; g < msh->n_groups; g++) {
            char name[32]; /* Gmsh writes underscores for blanks */
            snprintf(name, sizeof name, "%s", msh->groups[g].name);
            for (char *p = name; *p; p++)
                *p = *p == ' ' ? '_' : *p;
            if (msh->groups[g].dim == 3)
                assert_int_equal(cells_in(unv, name), cells_in(msh, msh->groups[g].name));
            else
                assert_int_equal(entities_in(unv, name), entities_in(msh, msh->groups[g].name));
        }
        ritz_mesh_destroy(&msh);
        ritz_mesh_destroy(&unv);
    }
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
        cmocka_unit_test(colours_of_step_files_are_groups),
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
        cmocka_unit_test(unv_files_are_read_as_gmsh_writes_them),
    };
    setenv("RITZ_CACHE_DIR", "none", 1); /* Gmsh is asked each time */
    if (!mkdtemp(folder))
        return 1;
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
