/* Loads (temperatures) that are given at nodes: each source is read once, on a space of its own on the same mesh. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */

#include "problem/drive.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The result of an earlier run ---- */

/* The order of the space whose cells have so many nodes; 0: none. */
static int find_order(const ritz_mesh *mesh, const ritz_stored_field *stored, bool *serendipity)
{
    const ritz_cell cell = mesh->blocks[0].cell;
    int type, order[RITZ_MAX_SHAPE];
    *serendipity = false;
    for (int p = 1; p <= RITZ_MAX_ORDER; p++)
        if (ritz_vtk_cell(cell, p, &type, order) == RITZ_OK && type == stored->first_type &&
            ritz_cell_n_shape(cell, p) == stored->first_n_points)
            return p;
    *serendipity = ritz_vtk_serendipity_cell(cell, &type, order) == RITZ_OK && type == stored->first_type;
    return *serendipity ? 2 : 0;
}

/* The nodes of the file are those of the space, one after the other. */
static ritz_status check_points(const ritz_stored_field *stored, const ritz_space *space, const char *path)
{
    ritz_status status = RITZ_OK;
    double *x = NULL, low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    RITZ_NEW(x, 3 * (int64_t)space->n_nodes);
    RITZ_TRY(ritz_space_family_coordinates(space, RITZ_NODES_EQUISPACED, x));
    for (int64_t i = 0; i < 3 * (int64_t)space->n_nodes; i++) {
        low[i % 3] = fmin(low[i % 3], x[i]);
        high[i % 3] = fmax(high[i % 3], x[i]);
    }
    const double size = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    RITZ_REQUIRE(stored->n >= space->n_nodes, RITZ_ERROR_INPUT,
                 "%s is of another mesh: it has %lld nodes, and this mesh has %lld at its order; solve that problem on "
                 "the same mesh",
                 path, (long long)stored->n, (long long)space->n_nodes);
    for (int64_t i = 0; i < space->n_nodes; i++) {
        const double *a = x + 3 * i, *b = stored->points + 3 * i;
        RITZ_REQUIRE(hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]) <= 1e-6 * size, RITZ_ERROR_INPUT,
                     "%s is of another mesh: its node %lld is at (%g, %g, %g), and that of this mesh at (%g, %g, %g); "
                     "solve that problem on the same mesh",
                     path, (long long)i, b[0], b[1], b[2], a[0], a[1], a[2]);
    }
done:
    ritz_free(x);
    return status;
}

static ritz_status read_result(const ritz_drive *drive, const ritz_nodal_source *source, ritz_nodal_values *values)
{
    ritz_status status = RITZ_OK;
    ritz_stored_field stored = {0};
    char *path = NULL;
    bool serendipity;
    RITZ_TRY(ritz_problem_path(drive->problem, source->result, &path));
    RITZ_TRY(ritz_stored_field_read(path, source->field ? source->field : values->what, &stored));
    const int order = find_order(drive->mesh, &stored, &serendipity);
    RITZ_REQUIRE(order > 0, RITZ_ERROR_INPUT,
                 "%s is of another mesh: its first cell has %d nodes and VTK's type %d, and that of this mesh is a %s; "
                 "solve that problem on the same mesh",
                 path, stored.first_n_points, stored.first_type, ritz_cell_name(drive->mesh->blocks[0].cell));
    RITZ_TRY(serendipity ? ritz_space_create_serendipity(drive->mesh, 1, &values->space)
                         : ritz_space_create(drive->mesh, order, 1, &values->space));
    RITZ_TRY(check_points(&stored, values->space, path));
    values->values = stored.values;
    stored.values = NULL;
    for (int64_t i = 0; i < values->space->n_nodes; i++)
        RITZ_REQUIRE(isfinite(values->values[i]), RITZ_ERROR_INPUT, "%s: the %s at node %lld is %g", path,
                     source->field ? source->field : values->what, (long long)i, values->values[i]);
done:
    ritz_stored_field_free(&stored);
    ritz_free(path);
    return status;
}

/* ---- A file with a line a node ---- */

typedef struct numbered_node {
    int64_t number;
    int32_t node;
} numbered_node;

static int compare_nodes(const void *a, const void *b)
{
    const int64_t first = ((const numbered_node *)a)->number, second = ((const numbered_node *)b)->number;
    return (first > second) - (first < second);
}

/* The nodes of the mesh by their numbers in its file. */
static ritz_status sort_nodes(const ritz_mesh *mesh, numbered_node **nodes)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(*nodes, mesh->n_nodes);
    for (int32_t n = 0; n < mesh->n_nodes; n++)
        (*nodes)[n] = (numbered_node){mesh->node_number ? mesh->node_number[n] : n, n};
    qsort(*nodes, (size_t)mesh->n_nodes, sizeof **nodes, compare_nodes);
done:
    return status;
}

static const char *const before_text = " \t\r\n\xEF\xBB\xBF"; /* blanks, and what some programs begin a file with */

/* "12, 55.5"; *blank: there is nothing on the line. */
static bool parse_line(const char *line, int64_t *number, double *value, bool *blank)
{
    char *end;
    line += strspn(line, before_text);
    *blank = *line == '\0' || *line == '#';
    if (*blank)
        return true;
    *number = strtoll(line, &end, 10);
    if (end == line)
        return false;
    line = end + strspn(end, ", \t;");
    if (line == end)
        return false;
    *value = strtod(line, &end);
    return end > line && isfinite(*value) && end[strspn(end, " \t\r\n")] == '\0';
}

/* Names of columns, which no number begins. */
static bool is_heading(const char *line)
{
    line += strspn(line, before_text);
    return !isdigit((unsigned char)line[strspn(line, "+-.\"")]);
}

/* at[n_nodes of the mesh]. Nodes that the mesh has not are left out, as the file may be of all nodes of a deck: *n_others, the first of
   them *other. */
static ritz_status read_lines(FILE *file, const char *path, const ritz_mesh *mesh, double *at, int64_t *n_others,
                              int64_t *other)
{
    ritz_status status = RITZ_OK;
    numbered_node *nodes = NULL, wanted;
    char line[256];
    double value = 0;
    int64_t n = 0;
    bool blank;
    RITZ_TRY(sort_nodes(mesh, &nodes));
    for (int64_t l = 1; fgets(line, sizeof line, file); l++) {
        const bool good = parse_line(line, &wanted.number, &value, &blank);
        const bool head = l == 1 && !good && is_heading(line);
        RITZ_REQUIRE(good || head, RITZ_ERROR_INPUT,
                     "%s:%lld: a line takes the number of a node and a value, like  12, 55.5", path, (long long)l);
        const numbered_node *found =
            blank || head ? NULL : bsearch(&wanted, nodes, (size_t)mesh->n_nodes, sizeof *nodes, compare_nodes);
        if (found) {
            at[found->node] = value;
            n++;
        } else if (!blank && !head) {
            *other = *n_others == 0 ? wanted.number : *other;
            (*n_others)++;
        }
    }
    RITZ_REQUIRE(!ferror(file), RITZ_ERROR_FILE, "%s: cannot be read: %s", path, strerror(errno));
    RITZ_REQUIRE(n > 0, RITZ_ERROR_INPUT,
                 "%s: no line is of a node of the mesh, whose numbers go from %lld to %lld; name the file of this "
                 "mesh",
                 path, (long long)nodes[0].number, (long long)nodes[mesh->n_nodes - 1].number);
done:
    ritz_free(nodes);
    return status;
}

/* values[n_nodes of the space] of those of the mesh; *some: a node has none. */
static ritz_status take_from_mesh(const ritz_space *space, const double *at, double **values, bool *some)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(*values, space->n_nodes);
    for (int32_t i = 0; i < space->n_nodes; i++)
        (*values)[i] = NAN;
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        const int n_common = ritz_space_n_common(space, batch);
        for (int32_t e = 0; e < batch->n_cells; e++)
            for (int i = 0; i < n_common; i++)
                (*values)[batch->cell_nodes[(int64_t)e * batch->n_shape + i]] =
                    at[batch->block->nodes[(int64_t)e * batch->block->n_nodes + i]];
    }
    *some = false;
    for (int32_t i = 0; i < space->n_nodes; i++)
        *some = *some || isnan((*values)[i]);
done:
    return status;
}

/* Those in the middle of edges count where all of them have values; else they are linear between the vertices. */
static ritz_status spread_on_mesh(const ritz_drive *drive, const double *at, ritz_nodal_values *values)
{
    ritz_status status = RITZ_OK;
    bool some = true;
    if (drive->mesh->blocks[0].geometry_order == 2) {
        RITZ_TRY(ritz_space_create_serendipity(drive->mesh, 1, &values->space));
        RITZ_TRY(take_from_mesh(values->space, at, &values->values, &some));
    }
    if (!some)
        return RITZ_OK;
    ritz_free(values->values);
    values->values = NULL;
    ritz_space_destroy(&values->space);
    RITZ_TRY(ritz_space_create(drive->mesh, 1, 1, &values->space));
    RITZ_TRY(take_from_mesh(values->space, at, &values->values, &some));
done:
    return status;
}

/* The table that came with a deck, or the file of this name. */
static ritz_status read_nodes(const ritz_drive *drive, const ritz_nodal_source *source, ritz_nodal_values *values)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_problem *deck = &drive->problem->deck;
    char *path = NULL;
    double *at = NULL;
    FILE *file = NULL;
    int64_t n_others = 0, other = 0;
    RITZ_NEW(at, drive->mesh->n_nodes);
    for (int32_t n = 0; n < drive->mesh->n_nodes; n++)
        at[n] = NAN;
    RITZ_TRY(ritz_problem_path(drive->problem, source->nodes, &path));
    for (int t = 0; t < deck->n_tables && !file; t++)
        if (strcmp(deck->tables[t].name, source->nodes) == 0)
            file = fmemopen(deck->tables[t].text, strlen(deck->tables[t].text), "r");
    const bool of_deck = file != NULL; /* which has nodes of no element, too */
    errno = 0;
    if (!file)
        file = fopen(path, "r");
    RITZ_REQUIRE(file, RITZ_ERROR_FILE, "cannot open %s: %s", path, strerror(errno));
    RITZ_TRY(read_lines(file, path, drive->mesh, at, &n_others, &other));
    if (n_others > 0 && !of_deck)
        ritz_stage_line(drive->problem,
                        "warning    %s: lines left out since the mesh has no such node: %lld, the first for node %lld; "
                        "check that the file is of this mesh",
                        path, (long long)n_others, (long long)other);
    RITZ_TRY(spread_on_mesh(drive, at, values));
done:
    if (file)
        fclose(file);
    ritz_free(at);
    ritz_free(path);
    return status;
}

/* ---- Groups ---- */

static ritz_status set_group(const ritz_drive *drive, const struct ritz_nodal_group *entry, ritz_nodal_values *values)
{
    ritz_status status = RITZ_OK;
    int32_t *nodes = NULL, n;
    for (int k = 0; k < entry->groups.n; k++) {
        int32_t g;
        RITZ_TRY(ritz_mesh_find_group(drive->mesh, entry->groups.name[k], -1, &g));
        for (; g >= 0; g = ritz_next_group(drive->mesh, entry->groups.name[k], -1, g + 1)) {
            RITZ_TRY(ritz_space_group_nodes(values->space, g, &nodes, &n));
            for (int32_t i = 0; i < n; i++) {
                double x[3];
                ritz_space_get_place(values->space, nodes[i], x);
                RITZ_TRY(ritz_prescribed_value(&entry->value, x, &values->values[nodes[i]]));
            }
            ritz_free(nodes);
            nodes = NULL;
        }
    }
done:
    ritz_free(nodes);
    return status;
}

static ritz_status read_groups(const ritz_drive *drive, const ritz_nodal_source *source, ritz_nodal_values *values)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_space_create(drive->mesh, drive->mesh->blocks[0].geometry_order, 1, &values->space));
    RITZ_NEW(values->values, values->space->n_nodes);
    for (int32_t i = 0; i < values->space->n_nodes; i++)
        values->values[i] = NAN;
    for (int g = 0; g < source->n_groups; g++)
        RITZ_TRY(set_group(drive, &source->groups[g], values));
done:
    return status;
}

/* ---- All sources ---- */

/* Every node has a value, if need be the other one. */
static ritz_status fill_others(const ritz_nodal_source *source, ritz_nodal_values *values)
{
    ritz_status status = RITZ_OK;
    for (int32_t i = 0; i < values->space->n_nodes; i++) {
        double x[3];
        if (!isnan(values->values[i]))
            continue;
        ritz_space_get_place(values->space, i, x);
        RITZ_REQUIRE(source->other.expression, RITZ_ERROR_INPUT,
                     "the node at (%g, %g, %g) has no %s; give one for all that have none:  other: 20", x[0], x[1],
                     x[2], values->what);
        RITZ_TRY(ritz_prescribed_value(&source->other, x, &values->values[i]));
    }
done:
    return status;
}

static ritz_status read_source(ritz_drive *drive, const ritz_nodal_source *source, const char *what)
{
    ritz_status status = RITZ_OK;
    RITZ_RESIZE(drive->nodal, drive->n_nodal + 1);
    ritz_nodal_values *values = &drive->nodal[drive->n_nodal++];
    *values = (ritz_nodal_values){.source = source, .what = what};
    RITZ_TRY(source->result  ? read_result(drive, source, values)
             : source->nodes ? read_nodes(drive, source, values)
                             : read_groups(drive, source, values));
    RITZ_TRY(fill_others(source, values));
done:
    if (status != RITZ_OK && status != RITZ_INTERRUPTED)
        ritz_fail_context_at(status, &source->place);
    return status;
}

static ritz_status read_loads(ritz_drive *drive, const ritz_loads *loads)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    for (int k = 0; k < physics->n_body_loads; k++)
        if (loads->body[k].nodal)
            RITZ_TRY(read_source(drive, loads->body[k].nodal, physics->body_loads[k].nodal));
done:
    return status;
}

ritz_status ritz_read_nodal_sources(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(read_loads(drive, &drive->problem->loads));
    for (int c = 0; c < drive->problem->n_cases; c++)
        RITZ_TRY(read_loads(drive, &drive->problem->cases[c].loads));
done:
    return status;
}

void ritz_free_nodal_values(ritz_drive *drive)
{
    for (int i = 0; i < drive->n_nodal; i++) {
        ritz_space_destroy(&drive->nodal[i].space);
        ritz_free(drive->nodal[i].values);
    }
    ritz_free(drive->nodal);
    drive->nodal = NULL;
    drive->n_nodal = 0;
    ritz_free_temperature(drive);
}
