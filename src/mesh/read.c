/* Mesh files and geometry files: which file is what, who reads it, and from its model to a checked mesh. */
#include "mesh/deck.h"
#include "mesh/foreign.h"
#include "mesh/formats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef enum file_kind { KIND_UNKNOWN, KIND_OWN, KIND_DECK, KIND_MESH, KIND_GEOMETRY } file_kind;

static const struct {
    const char *suffix;
    file_kind kind;
    ritz_reader *reader; /* of KIND_OWN; for others what looks through the file before Gmsh sees it */
} suffixes[] = {
    {".msh", KIND_OWN, ritz_msh_read},   {".vtk", KIND_OWN, ritz_vtk_read},
    {".unv", KIND_OWN, ritz_unv_read},   {".inp", KIND_DECK, NULL},
    {".med", KIND_MESH, NULL},           {".mmed", KIND_MESH, NULL},
    {".stl", KIND_MESH, ritz_stl_check}, {".mesh", KIND_MESH, ritz_medit_check},
    {".bdf", KIND_MESH, ritz_bdf_check}, {".nas", KIND_MESH, ritz_bdf_check},
    {".cgns", KIND_MESH, NULL},          {".p3d", KIND_MESH, ritz_p3d_check},
    {".geo", KIND_GEOMETRY, NULL},       {".step", KIND_GEOMETRY, NULL},
    {".stp", KIND_GEOMETRY, NULL},       {".brep", KIND_GEOMETRY, NULL},
    {".iges", KIND_GEOMETRY, NULL},      {".igs", KIND_GEOMETRY, NULL},
    {".xao", KIND_GEOMETRY, NULL},       {".geo_unrolled", KIND_GEOMETRY, NULL},
};

/* A first line that only .msh files have counts more than the name. */
static ritz_status kind_of(const char *path, file_kind *kind, ritz_reader **reader)
{
    static const char mark[] = "$MeshFormat";
    ritz_status status = RITZ_OK;
    struct stat info;
    char start[sizeof mark] = "";
    FILE *file = NULL;
    *kind = KIND_UNKNOWN;
    *reader = NULL;
    RITZ_REQUIRE(stat(path, &info) == 0, RITZ_ERROR_FILE, "%s: cannot be opened: %s; check the path", path,
                 strerror(errno));
    RITZ_REQUIRE(S_ISREG(info.st_mode), RITZ_ERROR_FILE, /* opening a pipe would wait for its writer */
                 "%s: is not a regular file; give the path of a mesh or geometry file", path);
    file = fopen(path, "rb");
    RITZ_REQUIRE(file, RITZ_ERROR_FILE, "%s: cannot be opened: %s; check the path", path, strerror(errno));
    RITZ_REQUIRE(info.st_size > 0, RITZ_ERROR_INPUT, "%s: the file is empty; write it again", path);
    size_t length = fread(start, 1, sizeof mark - 1, file);
    RITZ_REQUIRE(!ferror(file), RITZ_ERROR_FILE, "%s: cannot be read: %s", path, strerror(errno));
    if (length == sizeof mark - 1 && strcmp(start, mark) == 0) {
        *kind = KIND_OWN;
        *reader = ritz_msh_read;
    }
    for (size_t i = 0; *kind == KIND_UNKNOWN && i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t n = strlen(path), m = strlen(suffixes[i].suffix);
        if (n > m && strcasecmp(path + n - m, suffixes[i].suffix) == 0) {
            *kind = suffixes[i].kind;
            *reader = suffixes[i].reader;
        }
    }
done:
    if (file)
        fclose(file);
    return status;
}

/* Whether a file is a whole STEP file: its first and last words say it better than the reader's message. */
static ritz_status check_step(const char *path)
{
    static const char first[] = "ISO-10303-21;", last[] = "END-ISO-10303-21;";
    ritz_status status = RITZ_OK;
    enum { TAIL = 256 };
    char start[TAIL] = "", end[TAIL + 1] = "";
    const char *dot = strrchr(path, '.');
    FILE *file = NULL;
    if (!dot || (strcasecmp(dot, ".step") != 0 && strcasecmp(dot, ".stp") != 0))
        return RITZ_OK;
    file = fopen(path, "rb");
    RITZ_REQUIRE(file, RITZ_ERROR_FILE, "%s: cannot be opened: %s; check the path", path, strerror(errno));
    size_t n = fread(start, 1, sizeof start - 1, file);
    RITZ_REQUIRE(n > 0 && strstr(start, first), RITZ_ERROR_INPUT,
                 "%s: is not a STEP file: it does not begin with %s; export it again", path, first);
    if (fseek(file, -TAIL, SEEK_END) != 0)
        rewind(file);
    n = fread(end, 1, TAIL, file);
    RITZ_REQUIRE(n > 0 && strstr(end, last), RITZ_ERROR_INPUT,
                 "%s: does not end with %s: it is truncated; export or copy it again", path, last);
done:
    if (file)
        fclose(file);
    return status;
}

/* A 2D mesh must lie in a plane z = const, which becomes z = 0. */
static ritz_status flatten_nodes(ritz_mesh *mesh)
{
    ritz_status status = RITZ_OK;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int b = 0; b < mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &mesh->blocks[b];
        for (int64_t i = 0; i < (int64_t)block->n_cells * block->n_nodes; i++) {
            for (int a = 0; a < 3; a++) {
                low[a] = fmin(low[a], mesh->nodes[3 * (int64_t)block->nodes[i] + a]);
                high[a] = fmax(high[a], mesh->nodes[3 * (int64_t)block->nodes[i] + a]);
            }
        }
    }
    double extent = fmax(high[0] - low[0], high[1] - low[1]);
    RITZ_REQUIRE(
        high[2] - low[2] <= 1e-8 * extent, RITZ_ERROR_INPUT,
        "the mesh has surface cells only, and they do not lie in a plane z = const (z runs from %g to %g); for a 2D "
        "problem put them there, for a solid mesh the volume and put it in a physical group",
        low[2], high[2]);
    for (int64_t n = 0; n < mesh->n_nodes; n++)
        mesh->nodes[3 * n + 2] = 0;
done:
    return status;
}

/* Logs what came in, a line per mesh. */
static void log_mesh(const ritz_mesh *mesh, const char *path)
{
    char cells[160] = "";
    for (int b = 0; b < mesh->n_blocks; b++) {
        size_t used = strlen(cells);
        snprintf(cells + used, sizeof cells - used, ", %d %s of order %d", mesh->blocks[b].n_cells,
                 ritz_cell_name(mesh->blocks[b].cell), mesh->blocks[b].geometry_order);
    }
    ritz_log("%s: %d nodes%s, %d group%s", path, mesh->n_nodes, cells, mesh->n_groups, ritz_plural(mesh->n_groups));
}

/* generated: the mesh was made here, so folded cells are mended; those of a file are reported to the user. */
static ritz_status finish_mesh(const ritz_raw *raw, bool generated, ritz_mesh *mesh)
{
    ritz_status status = RITZ_OK;
    const int32_t n_given = mesh->n_nodes;
    int32_t n_straightened = 0;
    RITZ_TRY(ritz_mesh_add_raw(mesh, raw));
    if (mesh->dim == 2)
        RITZ_TRY(flatten_nodes(mesh));
    RITZ_TRY(ritz_mesh_merge_duplicates(mesh));
    RITZ_TRY(ritz_mesh_merge_entities(mesh));
    RITZ_TRY(ritz_mesh_group_made_nodes(mesh, n_given));
    if (generated)
        RITZ_TRY(ritz_mesh_straighten(mesh, &n_straightened));
    if (n_straightened > 0)
        ritz_log("%d second-order element%s, folded over by curved edges, now have straight ones; a smaller size "
                 "avoids that",
                 n_straightened, ritz_plural(n_straightened));
    RITZ_TRY(ritz_mesh_check(mesh));
    RITZ_TRY(ritz_mesh_renumber(mesh));
    RITZ_TRY(ritz_mesh_attach_entities(mesh));
done:
    return status;
}

/* The file's own words or those of ritz-gmsh, into a mesh. */
static ritz_status make_mesh(const char *path, bool generated, ritz_model *model, ritz_mesh **mesh)
{
    ritz_status status = RITZ_OK;
    ritz_raw raw = {0};
    ritz_mesh *m = NULL;
    status = ritz_model_extract(model, generated, &m, &raw);
    if (!status)
        status = finish_mesh(&raw, generated, m);
    if (status)
        RITZ_TRY(ritz_fail_context(status, "%s: ", path));
    m->was_kept = model->was_kept;
    log_mesh(m, path);
    *mesh = m;
    m = NULL;
done:
    ritz_raw_free(&raw);
    ritz_mesh_destroy(&m);
    return status;
}

/* The mesh of a deck of CalculiX or Abaqus. */
static ritz_status read_deck(const char *path, ritz_mesh **mesh)
{
    ritz_status status = RITZ_OK;
    ritz_deck *deck = NULL;
    RITZ_TRY(ritz_deck_read(path, &deck));
    RITZ_TRY(ritz_deck_make_mesh(deck, mesh));
    log_mesh(*mesh, path);
done:
    ritz_deck_destroy(&deck);
    return status;
}

ritz_status ritz_mesh_read(const char *path, ritz_mesh **mesh)
{
    ritz_status status = RITZ_OK;
    ritz_model model = {0};
    file_kind kind;
    ritz_reader *reader;
    RITZ_REQUIRE_POINTER(path);
    RITZ_REQUIRE_POINTER(mesh);
    RITZ_TRY(kind_of(path, &kind, &reader));
    RITZ_REQUIRE(kind != KIND_GEOMETRY, RITZ_ERROR_INPUT,
                 "%s: is a geometry, not a mesh; mesh it (geometry: instead of mesh: in the problem file)", path);
    RITZ_REQUIRE(kind != KIND_UNKNOWN, RITZ_ERROR_INPUT,
                 "%s: is not a mesh that Ritz knows; it reads .msh (2.2 and 4.1), .vtk, .unv, .inp, .stl, .mesh, .bdf, "
                 ".nas and .p3d; "
                 "convert others, as with  meshio convert FILE PART.msh",
                 path);
    if (reader)
        RITZ_TRY(ritz_read_mapped(path, reader, &model));
    if (kind == KIND_MESH)
        RITZ_TRY(ritz_foreign_read(path, NULL, &model));
    RITZ_TRY(kind == KIND_DECK ? read_deck(path, mesh) : make_mesh(path, false, &model, mesh));
done:
    ritz_model_free(&model);
    return status;
}

ritz_status ritz_mesh_generate(const char *path, const ritz_geometry_options *options, ritz_mesh **mesh)
{
    ritz_status status = RITZ_OK;
    ritz_geometry_options o;
    ritz_model model = {0};
    file_kind kind;
    ritz_reader *reader;
    RITZ_REQUIRE_POINTER(path);
    RITZ_REQUIRE_POINTER(mesh);
    RITZ_TRY(ritz_take_struct(options, &o, sizeof o, "ritz_geometry_options"));
    RITZ_REQUIRE(o.order >= 0 && o.order <= 2, RITZ_ERROR_INPUT, "the order of the geometry is 1 or 2; got %d",
                 o.order);
    RITZ_REQUIRE(o.size >= 0 && isfinite(o.size), RITZ_ERROR_INPUT,
                 "the size of the elements must be positive, or 0 for the file's own; got %g", o.size);
    RITZ_TRY(kind_of(path, &kind, &reader));
    RITZ_REQUIRE(kind == KIND_GEOMETRY, RITZ_ERROR_INPUT,
                 "%s: is not a geometry that Ritz knows; it meshes .geo, .step, .stp, .brep, .iges, .igs and .xao",
                 path);
    RITZ_TRY(check_step(path));
    RITZ_TRY(ritz_foreign_read(path, &o, &model));
    RITZ_TRY(make_mesh(path, true, &model, mesh));
done:
    ritz_model_free(&model);
    return status;
}
