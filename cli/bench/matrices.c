/* Matrices of benchmarks: options, stiffness of the meshes with or without supports, files. */
#include "bench/matrices.h"

#include "bench/lists.h"

#include "matrix/matrix.h"
#include "ritz/market.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Options ---- */

static int take_meshes(const char *command, const char *text, ritz_bench_sources *s)
{
    char item[64];
    for (const char *at = text; ritz_cli_next_item(&at, item, sizeof item); s->n_meshes++) {
        if (s->n_meshes == RITZ_BENCH_MAX_MATRICES)
            return ritz_cli_usage(command, "--meshes takes at most %d of them", RITZ_BENCH_MAX_MATRICES);
        s->meshes[s->n_meshes] = ritz_bench_find_mesh(item);
        if (!s->meshes[s->n_meshes])
            return ritz_cli_usage(command, "--meshes: %s", ritz_message());
    }
    return RITZ_EXIT_DONE;
}

static int take_nodes(const char *command, const char *text, int32_t nodes[3])
{
    int end = 0, n = sscanf(text, "%dx%d%nx%d%n", &nodes[0], &nodes[1], &end, &nodes[2], &end);
    bool good = n >= 2 && text[end] == 0;
    for (int i = 0; i < n; i++)
        good = good && nodes[i] >= 2 && nodes[i] <= 100000;
    return good ? RITZ_EXIT_DONE
                : ritz_cli_usage(command, "--nodes takes numbers of nodes from 2 on, as 20x30 or 20x30x40, not '%s'",
                                 text);
}

int ritz_bench_take_source(const char *command, int option, ritz_bench_sources *s)
{
    switch (option) {
    case 'g':
        return take_meshes(command, optarg, s);
    case 'n':
        return take_nodes(command, optarg, s->nodes);
    case 'm':
        if (s->n_files == RITZ_BENCH_MAX_MATRICES)
            return ritz_cli_usage(command, "--matrix is given more than %d times", RITZ_BENCH_MAX_MATRICES);
        s->files[s->n_files++] = optarg;
        return RITZ_EXIT_DONE;
    default:
        return ritz_cli_take_integer(command, "block", 1, 8, &s->block);
    }
}

int ritz_bench_check_sources(const char *command, const char *meshes, ritz_bench_sources *s)
{
    if (s->n_files && (s->n_meshes || s->nodes[0]))
        return ritz_cli_usage(command, "--matrix takes files, --meshes and --nodes make meshes; give one of them");
    if (s->block && !s->n_files)
        return ritz_cli_usage(command, "--block is for --matrix; the meshes' blocks are their components");
    if (!s->n_files && !s->n_meshes && take_meshes(command, meshes, s) != RITZ_EXIT_DONE)
        return RITZ_EXIT_USAGE;
    for (int i = 0; i < s->n_meshes && s->nodes[0]; i++)
        if (ritz_cell_dim(s->meshes[i]->cell) == 3 && !s->nodes[2])
            return ritz_cli_usage(command, "--nodes needs three numbers for the mesh %s", s->meshes[i]->name);
    return RITZ_EXIT_DONE;
}

ritz_status ritz_bench_each_source(const ritz_bench_sources *s, ritz_bench_source_function *function, void *bench)
{
    ritz_status status = RITZ_OK;
    for (int i = 0; i < s->n_files; i++)
        RITZ_TRY(function(bench, i, NULL, s->files[i]));
    for (int i = 0; i < s->n_meshes; i++) {
        ritz_bench_mesh mesh = *s->meshes[i];
        for (int axis = 0; axis < ritz_cell_dim(mesh.cell) && s->nodes[0]; axis++)
            mesh.nodes[axis] = s->nodes[axis];
        RITZ_TRY(function(bench, i, &mesh, NULL));
    }
done:
    return status;
}

const char *ritz_bench_find_format(const char *name)
{
    ritz_matrix_options unused = {0};
    bool blocked;
    if (ritz_format_from_name(name, &unused, &blocked) != RITZ_OK)
        return NULL;
    for (int f = 0; ritz_format_name(f); f++)
        if (strcmp(ritz_format_name(f), name) == 0)
            return ritz_format_name(f);
    return NULL;
}

const char *ritz_bench_list_formats(int indent, char *list, size_t bytes)
{
    size_t length = 0, line = 0;
    for (int f = 0; ritz_format_name(f) && length < bytes; f++) {
        const size_t word = strlen(ritz_format_name(f)) + 2;
        const bool wraps = (size_t)indent + line + word > 100;
        length += (size_t)snprintf(list + length, bytes - length, "%s%s%*s%s", f ? "," : "",
                                   wraps ? "\n"
                                   : f   ? " "
                                         : "",
                                   wraps ? indent : 0, "", ritz_format_name(f));
        line = wraps ? word : line + word;
    }
    return list;
}

/* ---- Supports and loads ---- */

/* Nodes of the mesh as far out as any along x lie exactly there. */
static void find_ends(const ritz_mesh *mesh, double ends[2])
{
    ends[0] = DBL_MAX;
    ends[1] = -DBL_MAX;
    for (int32_t n = 0; n < mesh->n_nodes; n++) {
        ends[0] = fmin(ends[0], mesh->nodes[3 * (int64_t)n]);
        ends[1] = fmax(ends[1], mesh->nodes[3 * (int64_t)n]);
    }
}

static ritz_status clamp_side(const ritz_space *space, double x, ritz_constraints **constraints)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_constraints_create(space, constraints));
    for (int32_t n = 0; n < space->n_nodes; n++)
        for (int c = 0; c < space->n_components && space->coordinates[(int64_t)n * space->dim] == x; c++)
            ritz_constraints_set(*constraints, n, c, 0);
done:
    return status;
}

/* Of an edge, a triangle or a parallelogram. */
static double area_of(const ritz_mesh *mesh, const ritz_mesh_facet *facet)
{
    const double *a = mesh->nodes + 3 * (int64_t)facet->vertices[0], *b = mesh->nodes + 3 * (int64_t)facet->vertices[1];
    const double *c = facet->n > 2 ? mesh->nodes + 3 * (int64_t)facet->vertices[2] : a;
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - b[k];
    }
    if (facet->n == 2)
        return hypot(u[0], u[1]);
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / (facet->n == 3 ? 2 : 1);
}

/* load[n_dofs]: (1, 0, 0) on the side at x. Each vertex of such a facet has an equal share. */
static ritz_status make_side_load(const ritz_space *space, double x, double *load)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = space->mesh;
    ritz_mesh_facet *facets = NULL;
    int64_t n = 0;
    RITZ_TRY(ritz_mesh_outer_facets(mesh, &facets, &n));
    for (int64_t f = 0; f < n; f++) {
        const ritz_mesh_facet *facet = &facets[f];
        bool on = true;
        for (int v = 0; v < facet->n; v++)
            on = on && mesh->nodes[3 * (int64_t)facet->vertices[v]] == x;
        for (int v = 0; v < facet->n && on; v++)
            load[(int64_t)space->vertex_nodes[facet->vertices[v]] * space->n_components] +=
                area_of(mesh, facet) / facet->n;
    }
done:
    ritz_free(facets);
    return status;
}

/* ---- The stiffness ---- */

ritz_precision ritz_bench_widest(const ritz_device *device)
{
    return ritz_device_get_info(device)->has_f64 ? RITZ_F64 : RITZ_F32;
}

static ritz_status assemble_matrix(ritz_device *device, const ritz_space *space, const ritz_form *form,
                                   const ritz_constraints *constraints, const double *load, ritz_system **system)
{
    ritz_datum data[RITZ_MAX_DATA] = {0};
    const ritz_datum *of_batch = data; /* these meshes have one kind of cells */
    for (int i = 0; i < ritz_form_n_data(form); i++) {
        const char *name = ritz_form_data_name(form, i);
        data[i].value = strcmp(name, "young") == 0     ? 1
                        : strcmp(name, "poisson") == 0 ? 0.3
                                                       : ritz_form_data_default(form, i);
    }
    const ritz_assembly assembly = {
        .space = space, .form = form, .data = &of_batch, .load = load, .constraints = constraints};
    const ritz_assemble_options options = {.precision = ritz_bench_widest(device)};
    return ritz_assemble_system(device, &assembly, &options, system);
}

ritz_status ritz_bench_assemble(ritz_device *device, const ritz_bench_mesh *about, bool supported, ritz_system **system,
                                ritz_bench_motions *motions)
{
    ritz_status status = RITZ_OK;
    ritz_mesh *mesh = NULL;
    ritz_form *form = NULL;
    ritz_space *space = NULL;
    ritz_constraints *constraints = NULL;
    double *load = NULL, ends[2];
    RITZ_TRY(ritz_bench_mesh_create(about, &mesh));
    RITZ_TRY(ritz_form_create(about->form, ritz_mesh_dim(mesh), &form));
    RITZ_TRY(ritz_space_create(mesh, 1, ritz_form_n_components(form), &space));
    if (supported) {
        find_ends(mesh, ends);
        RITZ_NEW(load, ritz_space_n_dofs(space));
        RITZ_TRY(clamp_side(space, ends[0], &constraints));
        RITZ_TRY(make_side_load(space, ends[1], load));
    }
    if (motions) {
        *motions = (ritz_bench_motions){.columns = ritz_space_n_rigid_motions(space),
                                        .components = ritz_form_n_components(form)};
        RITZ_NEW(motions->values, ritz_space_n_dofs(space) * motions->columns);
        RITZ_TRY(ritz_space_get_rigid_motions(space, motions->values));
    }
    RITZ_TRY(assemble_matrix(device, space, form, constraints, load, system));
done:
    ritz_free(load);
    ritz_constraints_destroy(&constraints);
    ritz_space_destroy(&space);
    ritz_form_destroy(&form);
    ritz_mesh_destroy(&mesh);
    return status;
}

/* ---- Files ---- */

const char *ritz_bench_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static ritz_status choose_block(const ritz_matrix *matrix, int *block)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *blocked = NULL;
    int64_t least = INT64_MAX;
    const ritz_matrix_options options = {.precision = matrix->precision};
    for (int b = 1; b <= 4; b++) {
        RITZ_TRY(ritz_matrix_convert(matrix, &options, b, &blocked));
        ritz_matrix_statistics statistics = {.size = sizeof statistics};
        RITZ_TRY(ritz_matrix_get_statistics(blocked, &statistics));
        const int64_t bytes = statistics.product_bytes;
        ritz_matrix_destroy(&blocked);
        if (bytes < least) {
            least = bytes;
            *block = b;
        }
    }
done:
    return status;
}

ritz_status ritz_bench_read(ritz_device *device, const char *path, int *block, ritz_rows **rows, ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix_options options = {.slice_height = 1, .sort_window = 1, .precision = ritz_bench_widest(device)};
    RITZ_TRY(ritz_market_read(path, NULL, rows));
    RITZ_TRY(ritz_matrix_create_from_rows(device, &options, *rows, matrix));
    if (*block == 0)
        RITZ_TRY(choose_block(*matrix, block));
done:
    return status;
}
