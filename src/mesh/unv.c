/* I-DEAS universal files (.unv) with their permanent groups of nodes and elements (the datasets are described in
   https://www.ceas3.uc.edu/sdrluff). Read here and not by Gmsh, which crashes on groups of nodes, loses most groups of
   elements and cuts names at blanks. */
#include "mesh/unv.h"
#include "mesh/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODE = 7, FINITE_ELEMENT = 8, MOST_NODES = 100 };
/* Physical tags of groups begin here; those below are numbers of materials. */
enum { FIRST_TAG = 1 << 30 };

typedef enum shape { SHAPE_LINE, SHAPE_TRI, SHAPE_QUAD, SHAPE_TET, SHAPE_WEDGE, SHAPE_BRICK, SHAPE_CUBIC, OTHER } shape;

/* Gmsh's type, and where each of its nodes stands in I-DEAS' order, which goes around a side with the nodes in the middle of edges
   (NULL: at the same place). Nodes in the middle of a face that SALOME adds to a triangle are left out. */
static const struct {
    shape shape;
    int n_nodes, gmsh;
    const char *order;
} cell_types[] = {
    {SHAPE_LINE, 2, 1, NULL},        {SHAPE_LINE, 3, 8, "acb"},
    {SHAPE_TRI, 3, 2, NULL},         {SHAPE_TRI, 6, 9, "acebdf"},
    {SHAPE_TRI, 7, 9, "acebdf"},     {SHAPE_QUAD, 4, 3, NULL},
    {SHAPE_QUAD, 8, 16, "acegbdfh"}, {SHAPE_QUAD, 9, 10, "acegbdfhi"},
    {SHAPE_TET, 4, 4, NULL},         {SHAPE_TET, 10, 11, "acejbdfgih"},
    {SHAPE_WEDGE, 6, 6, NULL},       {SHAPE_WEDGE, 15, 18, "acejlnbfgdhikom"},
    {SHAPE_BRICK, 8, 5, NULL},       {SHAPE_BRICK, 20, 17, "acegmoqsbhidjfklntpr"},
};
enum { NO_CELL = -1 }; /* of an element that is ignored */

typedef struct unv_element {
    int64_t label, first; /* first: of its nodes */
    int type;             /* in cell_types, or NO_CELL */
    int material;
    int32_t groups; /* combination of them */
} unv_element;

typedef struct unv_group {
    char *name;
    const char *at; /* in the file */
    int64_t first, n;
} unv_group;

typedef struct unv_member {
    int64_t kind, label;
} unv_member;

/* Groups that elements are in together: those of the parent, and one more. */
typedef struct unv_combination {
    int32_t parent, group;
    bool of_dim[4]; /* whether cells of that dimension are in it */
} unv_combination;

typedef struct unv {
    ritz_msh file;             /* its tokens */
    ritz_msh_numbers elements; /* labels of all of them */
    int64_t n_elements, element_capacity, n_connected, connected_capacity;
    unv_element *element;
    int64_t *connected; /* labels of the nodes of one element after another */
    int64_t n_groups, group_capacity, n_members, member_capacity;
    unv_group *groups;
    unv_member *members;
    int64_t n_combinations, combination_capacity;
    unv_combination *combinations; /* the first: no group */
    int64_t n_other_elements, n_other_members;
    ritz_unv_frame frame;
} unv;

/* ---- Nodes ---- */

static ritz_status read_nodes(unv *u)
{
    ritz_status status = RITZ_OK;
    ritz_msh *f = &u->file;
    int64_t label, system, unused;
    double x[3];
    while (!ritz_unv_take_mark(f)) {
        const char *at = f->at;
        RITZ_TRY(ritz_msh_integer(f, 8, "a node's number", &label));
        RITZ_TRY(ritz_msh_integer(f, 4, "a node's coordinate system", &system));
        for (int i = 0; i < 2; i++) /* the system of displacements and a colour */
            RITZ_TRY(ritz_msh_integer(f, 4, "a number of a node's first line", &unused));
        RITZ_TRY(ritz_unv_use_system(&u->frame, at, label, system));
        RITZ_TRY(ritz_msh_reals(f, 3, "a coordinate", label, x));
        RITZ_TRY(ritz_model_add_node(f->model, label, x));
        RITZ_TRY(ritz_msh_numbers_add(&f->nodes, label));
    }
done:
    return status;
}

/* ---- Elements ---- */

/* Of I-DEAS' number of the element's kind: 41 to 96 are plane stress, plane strain, plate, membrane, axisymmetric and
   thin shell elements, 101 to 106 thick shells, 111 to 118 solids. */
static shape shape_of(int64_t descriptor)
{
    static const struct {
        int descriptor;
        shape shape;
    } known[] = {{11, SHAPE_LINE},   {21, SHAPE_LINE},   {22, SHAPE_LINE},   {23, SHAPE_LINE},   {24, SHAPE_LINE},
                 {31, SHAPE_LINE},   {32, SHAPE_LINE},   {71, SHAPE_QUAD},   {74, SHAPE_TRI},    {101, SHAPE_WEDGE},
                 {102, SHAPE_WEDGE}, {103, SHAPE_CUBIC}, {104, SHAPE_BRICK}, {105, SHAPE_BRICK}, {106, SHAPE_CUBIC},
                 {111, SHAPE_TET},   {112, SHAPE_WEDGE}, {113, SHAPE_WEDGE}, {114, SHAPE_CUBIC}, {115, SHAPE_BRICK},
                 {116, SHAPE_BRICK}, {117, SHAPE_CUBIC}, {118, SHAPE_TET}};
    static const shape plane[10] = {OTHER,      SHAPE_TRI,   SHAPE_TRI, SHAPE_CUBIC, SHAPE_QUAD,
                                    SHAPE_QUAD, SHAPE_CUBIC, OTHER,     OTHER,       OTHER};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].descriptor == descriptor)
            return known[i].shape;
    }
    return descriptor > 40 && descriptor < 100 ? plane[descriptor % 10] : OTHER;
}

static ritz_status find_type(unv *u, const char *at, int64_t label, int64_t descriptor, int64_t n_nodes, int *type)
{
    ritz_status status = RITZ_OK;
    const shape wanted = shape_of(descriptor);
    *type = NO_CELL;
    if (wanted == OTHER) {
        u->n_other_elements++;
        return RITZ_OK;
    }
    for (int i = 0; i < (int)(sizeof cell_types / sizeof *cell_types); i++) {
        if (cell_types[i].shape == wanted && cell_types[i].n_nodes == n_nodes)
            *type = i;
    }
    if (*type == NO_CELL)
        RITZ_TRY(ritz_msh_fail(&u->file, at,
                               "element %lld is of I-DEAS' kind %lld with %lld nodes, which is not supported; use tri, "
                               "quad, tet, prism and hex cells of order 1 or 2",
                               (long long)label, (long long)descriptor, (long long)n_nodes));
done:
    return status;
}

/* Label, kind, tables of properties and of materials, colour, number of nodes; a line more for beams; the nodes. */
static ritz_status read_element(unv *u)
{
    ritz_status status = RITZ_OK;
    ritz_msh *f = &u->file;
    int64_t head[6], node;
    int type;
    for (int i = 0; i < 6; i++)
        RITZ_TRY(ritz_msh_integer(f, i == 0 ? 8 : 4, "a number of an element's first line", &head[i]));
    if (head[5] < 0 || head[5] > MOST_NODES)
        RITZ_TRY(ritz_msh_fail(f, f->at, "element %lld has %lld nodes; write the file again", (long long)head[0],
                               (long long)head[5]));
    RITZ_TRY(find_type(u, f->at, head[0], head[1], head[5], &type));
    GROW(u->element, u->n_elements, u->element_capacity);
    u->element[u->n_elements++] =
        (unv_element){head[0], u->n_connected, type, (int)(head[3] > 0 && head[3] < FIRST_TAG ? head[3] : 0), 0};
    RITZ_TRY(ritz_msh_numbers_add(&u->elements, head[0]));
    const int n_ends = shape_of(head[1]) == SHAPE_LINE ? 3 : 0; /* of a beam: orientation and cross sections */
    for (int64_t i = -n_ends; i < head[5]; i++) {
        RITZ_TRY(ritz_msh_integer(f, 8, "a node of an element", &node));
        if (i < 0)
            continue;
        GROW(u->connected, u->n_connected, u->connected_capacity);
        u->connected[u->n_connected++] = node;
    }
done:
    return status;
}

static ritz_status read_elements(unv *u)
{
    ritz_status status = RITZ_OK;
    while (!ritz_unv_take_mark(&u->file)) {
        if (u->n_elements % 65536 == 0)
            RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(read_element(u));
    }
done:
    return status;
}

/* ---- Groups ---- */

/* A line of numbers, the last the count of members; the name; the members: kind, label and, in newer datasets, two more
   numbers each. */
static ritz_status read_group(unv *u, bool pairs)
{
    ritz_status status = RITZ_OK;
    ritz_msh *f = &u->file;
    char line[RITZ_UNV_LINE];
    int64_t unused;
    const char *at = f->at;
    do {
        if (!ritz_unv_take_line(f, line))
            RITZ_TRY(ritz_msh_truncated(f));
    } while (!*line);
    const char *last = line + strlen(line); /* of "1 0 0 0 0 0 0 12" */
    while (last > line && last[-1] > ' ')
        last--;
    char *end;
    const int64_t n = strtoll(last, &end, 10);
    if (last == line || *end || n < 0 || n > f->end - f->at)
        RITZ_TRY(ritz_msh_fail(f, at,
                               "'%.40s' appears where the numbers of a group should be, the last the count of its "
                               "members; write the file again",
                               line));
    GROW(u->groups, u->n_groups, u->group_capacity);
    u->groups[u->n_groups] = (unv_group){.at = at, .first = u->n_members, .n = n};
    if (!ritz_unv_take_line(f, line))
        RITZ_TRY(ritz_msh_truncated(f));
    RITZ_TRY(*line ? ritz_copy_text(line, &u->groups[u->n_groups].name)
                   : ritz_format(&u->groups[u->n_groups].name, "group %lld", (long long)u->n_groups + 1));
    u->n_groups++;
    for (int64_t i = 0; i < n; i++) {
        GROW(u->members, u->n_members, u->member_capacity);
        unv_member *m = &u->members[u->n_members++];
        RITZ_TRY(ritz_msh_integer(f, 4, "the kind of a member of a group", &m->kind));
        RITZ_TRY(ritz_msh_integer(f, 8, "the label of a member of a group", &m->label));
        for (int k = 0; k < 2 && !pairs; k++)
            RITZ_TRY(ritz_msh_integer(f, 8, "a number of a member of a group", &unused));
    }
    if (n > 0)
        ritz_msh_skip_line(f);
done:
    return status;
}

static ritz_status read_groups(unv *u, bool pairs)
{
    ritz_status status = RITZ_OK;
    while (!ritz_unv_take_mark(&u->file))
        RITZ_TRY(read_group(u, pairs));
done:
    return status;
}

/* Moves the elements of a group to combinations that have it; child[n_combinations]: of each, -1 as yet. */
static ritz_status combine_group(unv *u, int32_t group, int32_t *child)
{
    ritz_status status = RITZ_OK;
    const unv_group *g = &u->groups[group];
    const int32_t n_before = (int32_t)u->n_combinations;
    for (int64_t i = g->first; i < g->first + g->n; i++) {
        const int64_t label = u->members[i].label;
        if (u->members[i].kind != FINITE_ELEMENT)
            continue;
        const int32_t place = ritz_msh_numbers_find(&u->elements, label);
        if (place < 0)
            RITZ_TRY(
                ritz_msh_fail(&u->file, g->at,
                              "group '%s' holds element %lld, which the file does not have; remove it from the group",
                              g->name, (long long)label));
        unv_element *e = &u->element[place];
        if (e->groups >= n_before) /* it appears twice in the group */
            continue;
        if (child[e->groups] < 0) {
            GROW(u->combinations, u->n_combinations, u->combination_capacity);
            u->combinations[u->n_combinations] = (unv_combination){.parent = e->groups, .group = group};
            child[e->groups] = (int32_t)u->n_combinations++;
        }
        e->groups = child[e->groups];
    }
done:
    return status;
}

/* Which groups each element is in together. */
static ritz_status combine_groups(unv *u)
{
    ritz_status status = RITZ_OK;
    int32_t *child = NULL;
    GROW(u->combinations, 0, u->combination_capacity);
    u->combinations[u->n_combinations++] = (unv_combination){.parent = -1};
    for (int32_t g = 0; g < u->n_groups; g++) {
        RITZ_RESIZE(child, u->n_combinations);
        memset(child, -1, (size_t)u->n_combinations * sizeof *child);
        RITZ_TRY(combine_group(u, g, child));
    }
    for (int64_t i = 0; i < u->n_elements; i++) {
        const unv_element *e = &u->element[i];
        if (e->type != NO_CELL)
            u->combinations[e->groups].of_dim[ritz_gmsh_type_of(cell_types[e->type].gmsh)->dim] = true;
    }
done:
    ritz_free(child);
    return status;
}

/* ---- Into the model ---- */

/* Each combination is an entity of the model, of each dimension that it has cells of. */
static ritz_status add_groups(unv *u)
{
    ritz_status status = RITZ_OK;
    ritz_model *model = u->file.model;
    for (int dim = 0; dim <= 3; dim++) {
        for (int g = 0; g < u->n_groups; g++) {
            const char *name = u->groups[g].name;
            RITZ_TRY(ritz_model_add_name(model, dim, FIRST_TAG + g, name, (int64_t)strlen(name)));
        }
        for (int32_t c = 1; c < u->n_combinations; c++) {
            if (!u->combinations[c].of_dim[dim])
                continue;
            RITZ_TRY(ritz_model_add_entity(model, dim, c));
            for (int32_t at = c; at > 0; at = u->combinations[at].parent)
                RITZ_TRY(ritz_model_add_tag(model, FIRST_TAG + u->combinations[at].group));
        }
    }
done:
    return status;
}

/* Whether a group has the number as its name: it is meant then, and not the material. */
static bool is_name(const unv *u, int material)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%d", material);
    for (int64_t g = 0; g < u->n_groups; g++) {
        if (strcmp(u->groups[g].name, digits) == 0)
            return true;
    }
    return false;
}

static ritz_status add_elements(unv *u)
{
    ritz_status status = RITZ_OK;
    int material = 0;
    bool named = false;
    int32_t nodes[RITZ_GMSH_MOST_NODES];
    for (int64_t i = 0; i < u->n_elements; i++) {
        const unv_element *e = &u->element[i];
        if (e->type == NO_CELL)
            continue;
        const char *order = cell_types[e->type].order;
        const ritz_gmsh_type *type = ritz_gmsh_type_of(cell_types[e->type].gmsh);
        for (int k = 0; k < type->n_nodes; k++) {
            const int64_t label = u->connected[e->first + (order ? order[k] - 'a' : k)];
            nodes[k] = ritz_msh_numbers_find(&u->file.nodes, label);
            RITZ_REQUIRE(nodes[k] >= 0, RITZ_ERROR_INPUT,
                         "%s: element %lld (%s) refers to node %lld, which the file does not have; write the mesh "
                         "again",
                         u->file.path, (long long)e->label, type->name, (long long)label);
        }
        if (e->material != material)
            named = is_name(u, material = e->material);
        RITZ_TRY(ritz_model_add_element(u->file.model, type, e->groups, named ? 0 : material, e->label, nodes));
    }
done:
    return status;
}

/* The nodes of groups as points; members of other kinds, as curves and surfaces of the geometry, are counted. */
static ritz_status add_points(unv *u)
{
    ritz_status status = RITZ_OK;
    for (int g = 0; g < u->n_groups; g++) {
        const unv_group *group = &u->groups[g];
        for (int64_t i = group->first; i < group->first + group->n; i++) {
            const unv_member *m = &u->members[i];
            u->n_other_members += m->kind != NODE && m->kind != FINITE_ELEMENT;
            if (m->kind != NODE)
                continue;
            const int32_t node = ritz_msh_numbers_find(&u->file.nodes, m->label);
            if (node < 0)
                RITZ_TRY(ritz_msh_fail(
                    &u->file, group->at,
                    "the group '%s' holds node %lld, which the file does not have; remove it from the group",
                    group->name, (long long)m->label));
            RITZ_TRY(ritz_model_add_element(u->file.model, ritz_gmsh_type_of(RITZ_GMSH_POINT), FIRST_TAG + g,
                                            FIRST_TAG + g, 0, &node));
        }
    }
done:
    return status;
}

static ritz_status close_numbers(unv *u, ritz_msh_numbers *numbers, const char *what)
{
    ritz_status status = RITZ_OK;
    int64_t twice;
    RITZ_TRY(ritz_msh_numbers_close(numbers, &twice));
    RITZ_REQUIRE(twice == 0, RITZ_ERROR_INPUT, "%s: %s %lld appears twice in the file; give each a number of its own",
                 u->file.path, what, (long long)twice);
done:
    return status;
}

static ritz_status warn_of_file(const unv *u)
{
    char units[2 * RITZ_UNV_LINE] = "";
    const bool others = u->n_other_elements + u->n_other_members > 0;
    if (u->frame.length_factor > 0 && u->frame.length_factor != 1)
        snprintf(units, sizeof units,
                 "%sits unit of length is a metre / %.6g (dataset 164: %s), and coordinates are taken as they stand: "
                 "loads and materials go with that unit",
                 others ? "; " : "", u->frame.length_factor, u->frame.length_units);
    if (!others)
        return *units ? ritz_format(&u->file.model->warning, "%s", units) : RITZ_OK;
    return ritz_format(&u->file.model->warning,
                       "%lld element%s (springs, masses, rigid bars and the like) and %lld member%s of groups "
                       "that are neither nodes nor elements are passed over%s",
                       (long long)u->n_other_elements, ritz_plural(u->n_other_elements), (long long)u->n_other_members,
                       ritz_plural(u->n_other_members), units);
}

static ritz_status fill_model(unv *u)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(u->file.nodes.n > 0 && u->n_elements > u->n_other_elements, RITZ_ERROR_INPUT,
                 "%s: the file has no %s: it is truncated or holds no mesh; write it again", u->file.path,
                 u->file.nodes.n == 0 ? "nodes (dataset 2411)" : "elements (dataset 2412)");
    RITZ_TRY(ritz_unv_check_systems(&u->file, &u->frame));
    RITZ_TRY(close_numbers(u, &u->file.nodes, "node"));
    RITZ_TRY(close_numbers(u, &u->elements, "element"));
    RITZ_TRY(combine_groups(u));
    RITZ_TRY(add_groups(u));
    RITZ_TRY(add_elements(u));
    RITZ_TRY(add_points(u));
    RITZ_TRY(warn_of_file(u));
done:
    return status;
}

/* A dataset after its first mark, to behind its last. */
static ritz_status read_dataset(unv *u)
{
    ritz_status status = RITZ_OK;
    ritz_msh *f = &u->file;
    char line[RITZ_UNV_LINE];
    int number;
    const char *at = f->at;
    if (!ritz_unv_take_line(f, line) || sscanf(line, "%d", &number) != 1)
        RITZ_TRY(ritz_msh_fail(
            f, at,
            "the number of a dataset should follow -1: the file is truncated or damaged; write or copy it again"));
    snprintf(f->section, sizeof f->section, "dataset %d", number);
    switch (number) {
    case 164:
        return ritz_unv_read_units(f, &u->frame);
    case 2420:
        return ritz_unv_read_systems(f, &u->frame);
    case 781:
    case 2411:
        return read_nodes(u);
    case 2412:
        return read_elements(u);
    case 2417:
    case 2429:
    case 2430:
    case 2432:
        return read_groups(u, true);
    case 2435:
    case 2452:
    case 2467:
    case 2477:
        return read_groups(u, false);
    default:
        do {
            if (ritz_unv_take_mark(f))
                return RITZ_OK;
        } while (ritz_unv_take_line(f, line));
        return ritz_msh_truncated(f);
    }
done:
    return status;
}

ritz_status ritz_unv_read(const char *path, const char *data, int64_t n, ritz_model *model)
{
    ritz_status status = RITZ_OK;
    char line[RITZ_UNV_LINE];
    unv u = {.file = {.path = path, .plain = true, .start = data, .at = data, .end = data + n, .model = model}};
    do {
        RITZ_TRY(ritz_check_interrupt());
        while (ritz_unv_take_mark(&u.file))
            RITZ_TRY(read_dataset(&u));
    } while (ritz_unv_take_line(&u.file, line)); /* what stands between datasets */
    RITZ_TRY(fill_model(&u));
done:
    for (int64_t g = 0; g < u.n_groups; g++)
        ritz_free(u.groups[g].name);
    ritz_free(u.groups);
    ritz_unv_frame_free(&u.frame);
    ritz_free(u.members);
    ritz_free(u.element);
    ritz_free(u.connected);
    ritz_free(u.combinations);
    ritz_msh_numbers_free(&u.elements);
    ritz_msh_numbers_free(&u.file.nodes);
    return status;
}
