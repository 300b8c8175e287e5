/* Groups for parts that have none, and bodies glued where they touch. */
#include "ritz_gmsh.h"

#include <gmshc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- A list of who is in which group ---- */

typedef struct member {
    int dim, entity;
    int group; /* physical tag, or 0: the name counts, and the tag is given in order */
    char *name;
    bool done;
} member;

typedef struct members {
    size_t n, capacity;
    member *list;
} members;

/* Takes a copy of the name. */
static void add_member(members *m, int dim, int entity, int group, const char *name)
{
    if (m->n == m->capacity) {
        m->capacity = 2 * m->capacity + 64;
        m->list = realloc(m->list, m->capacity * sizeof *m->list);
        if (!m->list)
            fail("memory ran out");
    }
    char *copy = allocate(strlen(name) + 1, 1);
    m->list[m->n++] = (member){dim, entity, group, strcpy(copy, name), false};
}

static bool same_group(const member *a, const member *b)
{
    return a->dim == b->dim && a->group == b->group && (a->group > 0 || strcmp(a->name, b->name) == 0);
}

/* Tells Gmsh of the groups, in the order of their first members. */
static void make_groups(const members *m)
{
    int *tags = allocate(m->n, sizeof *tags), next[4] = {1, 1, 1, 1}, error;
    for (size_t i = 0; i < m->n; i++) {
        const member *first = &m->list[i];
        size_t n = 0;
        for (size_t k = i; k < m->n; k++) {
            bool there = m->list[k].done || !same_group(first, &m->list[k]);
            m->list[k].done = m->list[k].done || !there;
            for (size_t j = 0; j < n && !there; j++)
                there = tags[j] == m->list[k].entity;
            if (!there)
                tags[n++] = m->list[k].entity;
        }
        if (n == 0)
            continue;
        const int group = first->group > 0 ? first->group : next[first->dim]++;
        gmshModelAddPhysicalGroup(first->dim, tags, n, group, &error);
        judge(error, "make a group");
        if (*first->name)
            gmshModelSetPhysicalName(first->dim, group, first->name, &error);
    }
    free(tags);
}

static void free_members(members *m)
{
    for (size_t i = 0; i < m->n; i++)
        free(m->list[i].name);
    free(m->list);
    *m = (members){0};
}

/* ---- Names ---- */

/* What a STEP file calls a part: the end of "Shapes/Assembly/Bolt"; "" for what OpenCASCADE writes for a nameless one. */
static const char *given_name(const char *label)
{
    static const char nameless[] = "Open CASCADE STEP translator";
    const char *slash = strrchr(label, '/'), *name = slash ? slash + 1 : label;
    return strncmp(name, nameless, sizeof nameless - 1) == 0 ? "" : name;
}

/* Gmsh tells the linear light of a colour, files and programs speak of sRGB. */
static int to_srgb(int linear)
{
    const double c = linear / 255.0;
    return (int)lround(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055));
}

/* "colour_ff0000" for an entity that the file gives a colour, which Gmsh tells by its being opaque. */
static void add_colour(members *m, int dim, int entity)
{
    int r = 0, g = 0, b = 0, a = 0, error = 0;
    char name[32];
    gmshModelGetColor(dim, entity, &r, &g, &b, &a, &error);
    if (error || a != 255)
        return;
    snprintf(name, sizeof name, "colour_%02x%02x%02x", to_srgb(r) & 255, to_srgb(g) & 255, to_srgb(b) & 255);
    add_member(m, dim, entity, 0, name);
}

void name_parts(int dim)
{
    static const char *const kinds[] = {"point", "edge", "face", "solid"};
    members m = {0};
    for (int d = dim; d >= dim - 1; d--) {
        int *pairs = NULL, error;
        size_t n = 0;
        gmshModelGetEntities(&pairs, &n, d, &error);
        for (size_t i = 0; i < n && d == dim; i += 2)
            add_member(&m, d, pairs[i + 1], 0, "body");
        for (size_t i = 0; i < n; i += 2) {
            char name[32];
            snprintf(name, sizeof name, "%s%d", kinds[d], pairs[i + 1]);
            add_member(&m, d, pairs[i + 1], 0, name);
        }
        for (size_t i = 0; i < n; i += 2) {
            char *label = NULL;
            gmshModelGetEntityName(d, pairs[i + 1], &label, &error);
            if (label && *given_name(label))
                add_member(&m, d, pairs[i + 1], 0, given_name(label));
            gmshFree(label);
            add_colour(&m, d, pairs[i + 1]);
        }
        gmshFree(pairs);
    }
    make_groups(&m);
    free_members(&m);
}

void number_parts(void)
{
    members m = {0};
    int *pairs = NULL, error;
    size_t n = 0;
    gmshModelGetEntities(&pairs, &n, -1, &error);
    for (size_t i = 0; i < n; i += 2) {
        int *types = NULL;
        size_t n_types = 0;
        gmshModelMeshGetElementTypes(&types, &n_types, pairs[i], pairs[i + 1], &error);
        gmshFree(types);
        if (n_types > 0 && pairs[i + 1] > 0)
            add_member(&m, pairs[i], pairs[i + 1], pairs[i + 1], "");
    }
    make_groups(&m);
    gmshFree(pairs);
    free_members(&m);
}

/* ---- Glue ---- */

/* Every entity in a group, once for each of its groups, and those with a name of their own (group 0). */
static void list_groups(members *groups, members *labels)
{
    int *pairs = NULL, error;
    size_t n = 0;
    gmshModelGetEntities(&pairs, &n, -1, &error);
    for (size_t i = 0; i < n; i += 2) {
        int *tags = NULL;
        size_t n_tags = 0;
        char *name = NULL;
        gmshModelGetPhysicalGroupsForEntity(pairs[i], pairs[i + 1], &tags, &n_tags, &error);
        for (size_t k = 0; k < n_tags; k++) {
            const int group = abs(tags[k]);
            gmshModelGetPhysicalName(pairs[i], group, &name, &error);
            add_member(groups, pairs[i], pairs[i + 1], group, name ? name : "");
            gmshFree(name);
            name = NULL;
        }
        gmshModelGetEntityName(pairs[i], pairs[i + 1], &name, &error);
        if (name && *name)
            add_member(labels, pairs[i], pairs[i + 1], 0, name);
        gmshFree(name);
        gmshFree(tags);
    }
    gmshFree(pairs);
}

/* Adds (dim, tag) to the list of pairs unless it is there. */
static void add_pair(int *pairs, size_t *n, int dim, int tag)
{
    for (size_t i = 0; i < *n; i += 2) {
        if (pairs[i] == dim && pairs[i + 1] == tag)
            return;
    }
    pairs[(*n)++] = dim;
    pairs[(*n)++] = tag;
}

/* What is cut, as pairs (dimension, number): first the sides of others, then bodies and what stands alone. With their
   lengths, areas or volumes, and what came of each: n_came[i] numbers, in pairs too. */
typedef struct parts {
    int *pairs, **came;
    size_t n, n_sides, *n_came; /* n and n_sides count numbers, two a part */
    double *sizes;
} parts;

static double size_of(int dim, int entity)
{
    double size = 1; /* of a point */
    int error = 0;
    if (dim > 0)
        gmshModelOccGetMass(dim, entity, &size, &error);
    require(error, "measure the parts to be glued");
    return size;
}

/* Whether it bounds another entity. */
static bool is_side(int dim, int entity)
{
    int *up = NULL, *down = NULL, error;
    size_t n_up = 0, n_down = 0;
    gmshModelGetAdjacencies(dim, entity, &up, &n_up, &down, &n_down, &error);
    gmshFree(up);
    gmshFree(down);
    return n_up > 0;
}

static void add_named(parts *p, const members *named, bool sides)
{
    for (size_t i = 0; i < named->n; i++) {
        const member *m = &named->list[i];
        if (is_side(m->dim, m->entity) == sides)
            add_pair(p->pairs, &p->n, m->dim, m->entity);
    }
}

static void collect_parts(parts *p, const int *bodies, size_t n_bodies, const members *groups, const members *labels)
{
    p->pairs = allocate(n_bodies + 2 * (groups->n + labels->n), sizeof *p->pairs);
    add_named(p, groups, true);
    add_named(p, labels, true);
    p->n_sides = p->n;
    for (size_t i = 0; i < n_bodies; i += 2)
        add_pair(p->pairs, &p->n, bodies[i], bodies[i + 1]);
    add_named(p, groups, false);
    add_named(p, labels, false);
    p->sizes = allocate(p->n / 2, sizeof *p->sizes);
    for (size_t i = 0; i < p->n; i += 2)
        p->sizes[i / 2] = size_of(p->pairs[i], p->pairs[i + 1]);
}

/* Sides come first, as objects that Gmsh is not to remove. Behind the bodies they lose their numbers when those go, and
   Gmsh gives the numbers to other sides before it tells what came of which. Where it removes sides, their edges are left
   over. */
static void fragment_parts(parts *p)
{
    int *out = NULL, error;
    size_t n_out = 0, n_maps = 0;
    const size_t n_objects = p->n_sides > 0 ? p->n_sides : p->n;
    gmshModelOccFragment(p->pairs, n_objects, p->pairs + n_objects, p->n - n_objects, &out, &n_out, &p->came,
                         &p->n_came, &n_maps, -1, p->n_sides == 0, 1, &error);
    judge(error, "glue the bodies");
    gmshModelRemovePhysicalGroups(NULL, 0, &error);
    gmshModelOccSynchronize(&error);
    judge(error, "glue the bodies");
    if (2 * n_maps != p->n)
        fail("Gmsh does not tell what came of the glued bodies");
    gmshFree(out);
}

static void free_parts(parts *p)
{
    for (size_t i = 0; 2 * i < p->n; i++)
        gmshFree(p->came[i]);
    gmshFree(p->came);
    gmshFree(p->n_came);
    free(p->pairs);
    free(p->sizes);
}

/* A tenth: OpenCASCADE measures an ellipse to 1.4 %, its pieces better. What is shorter than 1e-7 it takes for a point. */
static void check_size(const parts *p, size_t i, const member *m, double size)
{
    static const char *const kinds[] = {"point", "curve", "surface", "volume"};
    char number[16];
    if (fabs(size - p->sizes[i]) <= 0.1 * p->sizes[i] + pow(1e-7, m->dim))
        return;
    snprintf(number, sizeof number, "%d", m->group);
    fail("of %s %d in the group '%s', which measures %g, Gmsh finds %g after glue; describe the group by its place "
         "instead, under 'groups' in the problem file",
         kinds[m->dim], m->entity, *m->name ? m->name : number, p->sizes[i], size);
}

/* Adds what came of part i to the group of m. */
static void follow_part(const parts *p, size_t i, const member *m, members *after)
{
    double size = 0;
    for (size_t j = 0; j < p->n_came[i]; j += 2) {
        if (p->came[i][j] != m->dim)
            continue;
        add_member(after, m->dim, p->came[i][j + 1], m->group, m->name);
        size += size_of(m->dim, p->came[i][j + 1]);
    }
    check_size(p, i, m, size);
}

/* In every list, a part is replaced by what came of it. */
static void follow_parts(const members *before, const parts *p, members *after)
{
    for (size_t k = 0; k < before->n; k++) {
        const member *m = &before->list[k];
        for (size_t i = 0; 2 * i < p->n; i++) {
            if (p->pairs[2 * i] == m->dim && p->pairs[2 * i + 1] == m->entity)
                follow_part(p, i, m, after);
        }
    }
}

void glue_bodies(int dim)
{
    members groups = {0}, labels = {0}, new_groups = {0}, new_labels = {0};
    parts p = {0};
    int *bodies = NULL, error;
    size_t n_bodies;
    gmshModelOccGetEntities(&bodies, &n_bodies, dim, &error);
    if (error || n_bodies == 0) {
        fputs("warning: the geometry is none of OpenCASCADE, so its bodies are not cut where they touch; write faces "
              "that "
              "they share once, or begin the .geo file with SetFactory(\"OpenCASCADE\")\n",
              stderr);
        return;
    }
    if (n_bodies == 2)
        return;
    list_groups(&groups, &labels);
    collect_parts(&p, bodies, n_bodies, &groups, &labels);
    fragment_parts(&p);
    follow_parts(&groups, &p, &new_groups);
    follow_parts(&labels, &p, &new_labels);
    make_groups(&new_groups);
    for (size_t i = 0; i < new_labels.n; i++)
        gmshModelSetEntityName(new_labels.list[i].dim, new_labels.list[i].entity, new_labels.list[i].name, &error);
    free_members(&groups);
    free_members(&labels);
    free_members(&new_groups);
    free_members(&new_labels);
    free_parts(&p);
    gmshFree(bodies);
}
