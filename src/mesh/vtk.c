/* Legacy .vtk files of unstructured grids (VTK's file formats, versions 1 to 5.1), text and binary, with the cells' groups.
   Read here and not by Gmsh, which crashes on damaged ones, knows no version 5, and drops data of cells. */
#include "mesh/formats.h"
#include "mesh/msh_scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* VTK's cell types: Gmsh's type, and where each of Gmsh's nodes stands in VTK's order (NULL: at the same place). */
static const struct {
    int vtk, gmsh;
    const char *order;
} cell_types[] = {
    {1, 15, NULL},
    {3, 1, NULL},
    {5, 2, NULL},
    {8, 3, "abdc"},
    {9, 3, NULL},
    {10, 4, NULL},
    {11, 5, "abdcefhg"},
    {12, 5, NULL},
    {13, 6, NULL},
    {21, 8, NULL},
    {22, 9, NULL},
    {23, 16, NULL},
    {28, 10, NULL},
    {24, 11, "abcdefghji"},
    {25, 17, "abcdefghilqjrkstmpno"},
    {29, 12, "abcdefghilqjrkstmpnoywuvxz{"},
    {26, 18, "abcdefgimhnojlk"},
    {32, 13, "abcdefgimhnojlkprq"},
};

typedef struct vtk {
    ritz_msh file; /* its tokens; never `binary`, which means Gmsh's binary */
    bool binary, version5;
    int64_t n_points, n_cells, n_connected, n_offsets;
    int64_t *offsets;   /* [n_cells + 1] into connected */
    int64_t *connected; /* points of one cell after another */
    int64_t *types;     /* [n_cells] */
    double *values;     /* the array that was read last */
    int64_t n_values, capacity;
    int *groups; /* [n_cells], NULL while none is known */
    int rank;    /* of the name that gave them, less is better */
    char *dropped;
} vtk;

/* Bytes of a type of VTK, negative for real numbers, 0 where it is not known. */
static int bytes_of(const char *type)
{
    static const struct {
        const char *name;
        int bytes;
    } types[] = {{"float", -4},         {"double", -8},       {"int", 4},
                 {"unsigned_int", 4},   {"long", 8},          {"char", 1},
                 {"unsigned_long", 8},  {"unsigned_char", 1}, {"short", 2},
                 {"unsigned_short", 2}, {"bit", 0},           {"vtkIdType", 8},
                 {"vtktypeint64", 8},   {"vtktypeint32", 4},  {"vtktypeuint8", 1},
                 {"vtktypeint8", 1},    {"signed_char", 1},   {"vtktypefloat32", -4},
                 {"vtktypefloat64", -8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcasecmp(types[i].name, type) == 0)
            return types[i].bytes;
    }
    return 0;
}

/* The next word, cut to 63 characters; "" at the end of the file. */
static const char *next_word(vtk *v, char text[64])
{
    ritz_msh *f = &v->file;
    int n = 0;
    while (f->at < f->end && (unsigned char)*f->at <= ' ')
        f->at++;
    for (; f->at < f->end && (unsigned char)*f->at > ' '; f->at++) {
        if (n < 63)
            text[n++] = *f->at;
    }
    text[n] = 0;
    return text;
}

static double decode_number(const char *at, int bytes)
{
    unsigned char raw[8] = {0}; /* the file's first byte is the largest */
    const int n = abs(bytes);
    for (int i = 0; i < n; i++)
        raw[i] = (unsigned char)at[n - 1 - i];
    uint64_t whole = 0;
    for (int i = 0; i < n; i++)
        whole |= (uint64_t)raw[i] << 8 * i;
    if (bytes == -4) {
        const uint32_t half = (uint32_t)whole;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    if (bytes == -8) {
        double value;
        memcpy(&value, &whole, sizeof value);
        return value;
    }
    const int unused = 64 - 8 * n;
    return (double)((int64_t)(whole << unused) >> unused);
}

/* The next n numbers of a type, into values. strict: they must be finite. */
static ritz_status take_numbers(vtk *v, int64_t n, const char *type, bool strict, const char *what)
{
    ritz_status status = RITZ_OK;
    ritz_msh *f = &v->file;
    const int bytes = bytes_of(type);
    if (bytes == 0)
        RITZ_TRY(ritz_msh_fail(f, f->at, "%s has the type '%.40s', which is not supported; write the file again", what,
                               type));
    if (v->binary)
        ritz_msh_skip_line(f);
    if (n > (f->end - f->at) / (v->binary ? abs(bytes) : 1))
        RITZ_TRY(ritz_msh_truncated(f));
    if (n > v->capacity) {
        RITZ_RESIZE(v->values, n);
        v->capacity = n;
    }
    v->n_values = n;
    for (int64_t i = 0; i < n; i++) {
        const char *at = f->at;
        if (v->binary) {
            v->values[i] = decode_number(at, bytes);
            f->at += abs(bytes);
        } else if (strict) {
            RITZ_TRY(ritz_msh_reals(f, 1, what, 0, &v->values[i]));
        } else {
            char text[64], *end;
            if (!*next_word(v, text))
                RITZ_TRY(ritz_msh_truncated(f));
            v->values[i] = strtod(text, &end);
            if (*end)
                RITZ_TRY(ritz_msh_fail(f, at, "'%.20s' appears where %s should be, a number; write the file again",
                                       text, what));
        }
        if (strict && !isfinite(v->values[i]))
            RITZ_TRY(
                ritz_msh_fail(f, at, "%s is '%g', which is not a finite number; correct the mesh", what, v->values[i]));
    }
done:
    return status;
}

/* The numbers of values as whole ones. */
static ritz_status take_integers(vtk *v, int64_t n, const char *type, const char *what, int64_t **whole)
{
    ritz_status status = RITZ_OK;
    const char *at = v->file.at;
    ritz_free(*whole);
    *whole = NULL;
    RITZ_TRY(take_numbers(v, n, type, true, what));
    RITZ_NEW(*whole, n);
    for (int64_t i = 0; i < n; i++) {
        if (v->values[i] != floor(v->values[i]) || fabs(v->values[i]) > 1e15)
            RITZ_TRY(
                ritz_msh_fail(&v->file, at, "%s is %g, no whole number; write the file again", what, v->values[i]));
        (*whole)[i] = (int64_t)v->values[i];
    }
done:
    return status;
}

static ritz_status read_count(vtk *v, const char *what, int64_t *n)
{
    return ritz_msh_count(&v->file, 8, what, n);
}

static ritz_status read_points(vtk *v)
{
    ritz_status status = RITZ_OK;
    char type[64];
    RITZ_TRY(read_count(v, "the number of points", &v->n_points));
    next_word(v, type);
    RITZ_TRY(take_numbers(v, 3 * v->n_points, type, true, "a coordinate"));
    if (v->file.model->n_nodes > 0)
        RITZ_TRY(ritz_msh_fail(&v->file, v->file.at, "POINTS appears twice in the file; write it again"));
    for (int64_t i = 0; i < v->n_points; i++)
        RITZ_TRY(ritz_model_add_node(v->file.model, i, &v->values[3 * i]));
done:
    return status;
}

/* Versions before 5: each cell as its number of points and these. */
static ritz_status split_cells(vtk *v, int64_t size)
{
    ritz_status status = RITZ_OK;
    int64_t at = 0, n = 0;
    for (int64_t c = 0; c < v->n_cells; c++) {
        const int64_t points = at < size ? v->connected[at] : -1;
        if (points < 0 || points > size - at - 1)
            RITZ_TRY(ritz_msh_fail(&v->file, v->file.at,
                                   "CELLS announces %lld cells in %lld numbers, which do not fit; "
                                   "write the file again",
                                   (long long)v->n_cells, (long long)size));
        v->offsets[c] = n;
        memmove(&v->connected[n], &v->connected[at + 1], (size_t)points * sizeof *v->connected);
        n += points;
        at += points + 1;
    }
    v->offsets[v->n_cells] = v->n_connected = n;
done:
    return status;
}

static ritz_status read_cells(vtk *v)
{
    ritz_status status = RITZ_OK;
    int64_t n, size;
    char key[64], type[64];
    RITZ_TRY(read_count(v, "the number of cells", &n));
    RITZ_TRY(read_count(v, "the size of CELLS", &size));
    if (v->offsets)
        RITZ_TRY(ritz_msh_fail(&v->file, v->file.at, "CELLS appears twice in the file; write it again"));
    if (!v->version5) {
        v->n_cells = n;
        RITZ_NEW(v->offsets, n + 1);
        RITZ_TRY(take_integers(v, size, "int", "a point of a cell", &v->connected));
        RITZ_TRY(split_cells(v, size));
        return RITZ_OK;
    }
    v->n_cells = n - 1;
    if (n < 1 || strcmp(next_word(v, key), "OFFSETS") != 0)
        RITZ_TRY(ritz_msh_fail(&v->file, v->file.at, "OFFSETS should follow CELLS; write the file again"));
    next_word(v, type);
    RITZ_TRY(take_integers(v, n, type, "an offset of a cell", &v->offsets));
    if (strcmp(next_word(v, key), "CONNECTIVITY") != 0)
        RITZ_TRY(ritz_msh_fail(&v->file, v->file.at, "CONNECTIVITY should follow OFFSETS; write the file again"));
    next_word(v, type);
    RITZ_TRY(take_integers(v, size, type, "a point of a cell", &v->connected));
    v->n_connected = size;
    for (int64_t c = 0; c <= v->n_cells; c++) {
        if (v->offsets[c] < (c ? v->offsets[c - 1] : 0) || v->offsets[c] > size)
            RITZ_TRY(ritz_msh_fail(&v->file, v->file.at,
                                   "the offset %lld of cell %lld does not fit; write the file again",
                                   (long long)v->offsets[c], (long long)c));
    }
done:
    return status;
}

/* ---- Data of cells ---- */

/* Place of a name among those under which programs write the groups of cells, or -1. */
static int group_rank(const char *name)
{
    static const char *const names[] = {"gmsh:physical", "CellEntityIds", "group",       "groups",      "GroupIds",
                                        "material",      "materials",     "MaterialId",  "MaterialIds", "material_id",
                                        "MatId",         "physical",      "PhysicalIds", "region",      "RegionId",
                                        "domain",        "part",          "PartId",      "attribute",   "medit:ref",
                                        "cell_tags",     "tag",           "label"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(names[i], name) == 0)
            return (int)i;
    }
    return -1;
}

/* The array that was read last: groups if its name says so and its values are such, else noted as dropped. */
static ritz_status consider_array(vtk *v, const char *name, int64_t n_components)
{
    ritz_status status = RITZ_OK;
    char *list = NULL;
    const int rank = group_rank(name);
    bool fits = rank >= 0 && n_components == 1 && v->n_values == v->n_cells && (!v->groups || rank < v->rank);
    for (int64_t i = 0; fits && i < v->n_values; i++)
        fits = v->values[i] == floor(v->values[i]) && v->values[i] >= 0 && v->values[i] < 2147483647;
    if (fits) {
        v->rank = rank;
        if (!v->groups)
            RITZ_NEW(v->groups, v->n_cells);
        for (int64_t i = 0; i < v->n_cells; i++)
            v->groups[i] = (int)v->values[i];
        return RITZ_OK;
    }
    RITZ_TRY(ritz_format(&list, "%s%s%s", v->dropped ? v->dropped : "", v->dropped ? ", " : "", name));
    ritz_free(v->dropped);
    v->dropped = list;
done:
    return status;
}

static ritz_status read_array(vtk *v, const char *name, int64_t n_tuples, int64_t n_components, const char *type,
                              bool of_cells)
{
    ritz_status status = RITZ_OK;
    if (n_tuples > 0 && n_components > INT32_MAX)
        RITZ_TRY(ritz_msh_truncated(&v->file));
    RITZ_TRY(take_numbers(v, n_tuples * n_components, type, false, "a value"));
    if (of_cells)
        RITZ_TRY(consider_array(v, name, n_components));
done:
    return status;
}

/* FIELD name n: arrays with their own sizes. */
static ritz_status read_field(vtk *v, bool of_cells)
{
    ritz_status status = RITZ_OK;
    char name[64], type[64];
    int64_t n, n_components, n_tuples;
    next_word(v, name);
    RITZ_TRY(read_count(v, "the number of arrays", &n));
    for (int64_t i = 0; i < n; i++) {
        while (strcmp(next_word(v, name), "METADATA") == 0) { /* lines up to a blank one */
            const char *blank = v->file.at;
            while (blank < v->file.end && strncmp(blank, "\n\n", 2) != 0)
                blank++;
            v->file.at = blank;
        }
        RITZ_TRY(read_count(v, "the number of components", &n_components));
        RITZ_TRY(read_count(v, "the number of tuples", &n_tuples));
        next_word(v, type);
        if (strcmp(type, "string") == 0)
            return ritz_msh_fail(&v->file, v->file.at, "the array '%s' holds text, which is not supported; remove it",
                                 name);
        RITZ_TRY(read_array(v, name, n_tuples, n_components, type, of_cells));
    }
done:
    return status;
}

/* SCALARS name type [n], then perhaps LOOKUP_TABLE name. */
static ritz_status read_scalars(vtk *v, int64_t n_tuples, bool of_cells)
{
    ritz_status status = RITZ_OK;
    char name[64], type[64], rest[64] = "";
    int64_t n_components = 1;
    next_word(v, name);
    next_word(v, type);
    const char *line_end = memchr(v->file.at, '\n', (size_t)(v->file.end - v->file.at));
    if (!line_end)
        return ritz_msh_truncated(&v->file);
    snprintf(rest, sizeof rest, "%.*s", (int)ritz_min64(line_end - v->file.at, 62), v->file.at);
    if (strtol(rest, NULL, 10) > 0)
        n_components = strtol(rest, NULL, 10);
    v->file.at = line_end;
    while (v->file.at < v->file.end && (unsigned char)*v->file.at <= ' ' && v->file.at - line_end < 2)
        v->file.at++;
    const char *before = v->file.at;
    if (strcmp(next_word(v, rest), "LOOKUP_TABLE") == 0)
        next_word(v, rest);
    else
        v->file.at = before - (v->binary ? 1 : 0); /* the newline before binary data is skipped by take */
    RITZ_TRY(read_array(v, name, n_tuples, n_components, type, of_cells));
done:
    return status;
}

/* Anything of CELL_DATA or POINT_DATA; *known: it was one of these. */
static ritz_status read_attribute(vtk *v, const char *key, int64_t n_tuples, bool of_cells, bool *known)
{
    ritz_status status = RITZ_OK;
    static const struct {
        const char *key;
        int n_components;
    } fixed[] = {{"VECTORS", 3},  {"NORMALS", 3},    {"TENSORS", 9},
                 {"TENSORS6", 6}, {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}};
    char name[64], type[64];
    *known = true;
    if (strcmp(key, "SCALARS") == 0)
        return read_scalars(v, n_tuples, of_cells);
    if (strcmp(key, "FIELD") == 0)
        return read_field(v, of_cells);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        if (strcmp(key, fixed[i].key) != 0)
            continue;
        next_word(v, name);
        next_word(v, type);
        return read_array(v, name, n_tuples, fixed[i].n_components, type, of_cells);
    }
    *known = false;
    (void)status;
    return status;
}

/* ---- The file ---- */

static ritz_status read_head(vtk *v)
{
    ritz_status status = RITZ_OK;
    static const char mark[] = "# vtk DataFile Version ";
    char key[64], kind[64];
    ritz_msh *f = &v->file;
    if (f->end - f->at < (int64_t)sizeof mark || strncmp(f->at, mark, sizeof mark - 1) != 0)
        RITZ_TRY(ritz_msh_fail(
            f, f->at, "the file does not begin with '%s': it is not a legacy .vtk file; convert it, or save it as .msh",
            mark));
    v->version5 = f->at[sizeof mark - 1] >= '5' && f->at[sizeof mark - 1] <= '9';
    ritz_msh_skip_line(f);
    ritz_msh_skip_line(f);
    v->binary = strcmp(next_word(v, key), "BINARY") == 0;
    if (!v->binary && strcmp(key, "ASCII") != 0)
        RITZ_TRY(ritz_msh_fail(f, f->at, "'%.20s' appears where ASCII or BINARY should be; write the file again", key));
    if (strcmp(next_word(v, key), "DATASET") != 0 || strcmp(next_word(v, kind), "UNSTRUCTURED_GRID") != 0)
        RITZ_TRY(ritz_msh_fail(f, f->at,
                               "the file holds '%.20s %.20s'; only DATASET UNSTRUCTURED_GRID is supported: convert it "
                               "(in ParaView: Append Datasets), or save it as .msh",
                               key, kind));
done:
    return status;
}

static ritz_status read_sections(vtk *v)
{
    ritz_status status = RITZ_OK;
    char key[64];
    int64_t n_tuples = 0, n;
    bool of_cells = false, known;
    while (*next_word(v, key)) {
        RITZ_TRY(ritz_check_interrupt());
        snprintf(v->file.section, sizeof v->file.section, "%s", key);
        if (strcmp(key, "POINTS") == 0) {
            RITZ_TRY(read_points(v));
        } else if (strcmp(key, "CELLS") == 0) {
            RITZ_TRY(read_cells(v));
        } else if (strcmp(key, "CELL_TYPES") == 0) {
            RITZ_TRY(read_count(v, "the number of cell types", &n));
            if (n != v->n_cells)
                RITZ_TRY(ritz_msh_fail(&v->file, v->file.at,
                                       "there are %lld cell types of %lld cells; write the file again", (long long)n,
                                       (long long)v->n_cells));
            RITZ_TRY(take_integers(v, n, "int", "a cell's type", &v->types));
        } else if (strcmp(key, "CELL_DATA") == 0 || strcmp(key, "POINT_DATA") == 0) {
            of_cells = key[0] == 'C';
            RITZ_TRY(read_count(v, "the number of values", &n_tuples));
            n = of_cells ? v->n_cells : v->n_points;
            if (n_tuples != n)
                RITZ_TRY(ritz_msh_fail(&v->file, v->file.at,
                                       "%s announces %lld values where there are %lld; write the file "
                                       "again",
                                       key, (long long)n_tuples, (long long)n));
        } else if (strcmp(key, "METADATA") == 0) { /* lines up to a blank one */
            while (v->file.at < v->file.end &&
                   strncmp(v->file.at, "\n\n", (size_t)ritz_min64(2, v->file.end - v->file.at)) != 0)
                v->file.at++;
        } else {
            RITZ_TRY(read_attribute(v, key, n_tuples, of_cells, &known));
            if (!known)
                RITZ_TRY(ritz_msh_fail(
                    &v->file, v->file.at,
                    "'%.20s' is not expected here: the counts before it do not fit what follows; write the file again",
                    key));
        }
    }
done:
    return status;
}

/* One cell into the model. */
static ritz_status add_cell(vtk *v, int64_t c)
{
    ritz_status status = RITZ_OK;
    const int64_t n = v->offsets[c + 1] - v->offsets[c], *points = &v->connected[v->offsets[c]];
    int64_t kind = v->types[c];
    int32_t nodes[RITZ_GMSH_MOST_NODES];
    const ritz_gmsh_type *type = NULL;
    const char *order = NULL;
    if (kind == 7 && (n == 3 || n == 4)) /* a polygon */
        kind = n == 3 ? 5 : 9;
    for (size_t i = 0; i < sizeof cell_types / sizeof *cell_types; i++) {
        if (cell_types[i].vtk == kind) {
            type = ritz_gmsh_type_of(cell_types[i].gmsh);
            order = cell_types[i].order;
        }
    }
    RITZ_REQUIRE(
        type, RITZ_ERROR_INPUT,
        "%s: cell %lld is of VTK's type %lld%s, which is not supported; use tri, quad, tet, prism and hex cells "
        "of order 1 or 2",
        v->file.path, (long long)c, (long long)kind, kind == 14 ? " (pyramid)" : "");
    RITZ_REQUIRE(n == type->n_nodes, RITZ_ERROR_INPUT,
                 "%s: cell %lld is a %s but has %lld points; write the file again", v->file.path, (long long)c,
                 type->name, (long long)n);
    for (int i = 0; i < n; i++) {
        const int64_t point = points[order ? order[i] - 'a' : i];
        RITZ_REQUIRE(point >= 0 && point < v->n_points, RITZ_ERROR_INPUT,
                     "%s: cell %lld refers to point %lld, which the file does not have; write the file again",
                     v->file.path, (long long)c, (long long)point);
        nodes[i] = (int32_t)point;
    }
    RITZ_TRY(ritz_model_add_element(v->file.model, type, 1, v->groups ? v->groups[c] : 0, c, nodes));
done:
    return status;
}

ritz_status ritz_vtk_read(const char *path, const char *data, int64_t size, ritz_model *model)
{
    ritz_status status = RITZ_OK;
    vtk v = {.file = {.path = path,
                      .plain = true,
                      .section = "the head",
                      .start = data,
                      .at = data,
                      .end = data + size,
                      .model = model}};
    RITZ_TRY(read_head(&v));
    RITZ_TRY(read_sections(&v));
    RITZ_REQUIRE(v.n_points > 0 && v.n_cells > 0 && v.types, RITZ_ERROR_INPUT,
                 "%s: the file has no %s: it is truncated or holds no mesh; write it again", path,
                 v.n_points == 0  ? "POINTS"
                 : v.n_cells == 0 ? "CELLS"
                                  : "CELL_TYPES");
    for (int64_t c = 0; c < v.n_cells; c++)
        RITZ_TRY(add_cell(&v, c));
    if (!v.groups && v.dropped)
        RITZ_TRY(
            ritz_format(&model->warning,
                        "the file's data of cells (%s) make no groups: whole numbers named group, material, region, "
                        "CellEntityIds or the like do",
                        v.dropped));
done:
    ritz_free(v.offsets);
    ritz_free(v.connected);
    ritz_free(v.types);
    ritz_free(v.values);
    ritz_free(v.groups);
    ritz_free(v.dropped);
    return status;
}
