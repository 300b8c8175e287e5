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

/* In every list, a part is replaced by what came of it: came[i][n_came[i]] of parts[2 * i]. */
static void follow_parts(const members *before, const int *parts, size_t n_parts, int **came, const size_t *n_came,
                         members *after)
{
    for (size_t k = 0; k < before->n; k++) {
        const member *m = &before->list[k];
        for (size_t i = 0; 2 * i < n_parts; i++) {
            if (parts[2 * i] != m->dim || parts[2 * i + 1] != m->entity)
                continue;
            for (size_t j = 0; j < n_came[i]; j += 2) {
                if (came[i][j] == m->dim)
                    add_member(after, m->dim, came[i][j + 1], m->group, m->name);
            }
        }
    }
}

void glue_bodies(int dim)
{
    members groups = {0}, labels = {0}, new_groups = {0}, new_labels = {0};
    int *bodies = NULL, *out = NULL, **came = NULL, error;
    size_t n = 0, n_bodies, n_out = 0, *n_came = NULL, n_maps = 0;
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
    int *parts = allocate(n_bodies + 2 * (groups.n + labels.n), sizeof *parts);
    for (size_t i = 0; i < n_bodies; i += 2)
        add_pair(parts, &n, bodies[i], bodies[i + 1]);
    for (size_t i = 0; i < groups.n; i++)
        add_pair(parts, &n, groups.list[i].dim, groups.list[i].entity);
    for (size_t i = 0; i < labels.n; i++)
        add_pair(parts, &n, labels.list[i].dim, labels.list[i].entity);
    gmshModelOccFragment(parts, n_bodies, parts + n_bodies, n - n_bodies, &out, &n_out, &came, &n_came, &n_maps, -1, 1,
                         1, &error);
    judge(error, "glue the bodies");
    gmshModelRemovePhysicalGroups(NULL, 0, &error);
    gmshModelOccSynchronize(&error);
    judge(error, "glue the bodies");
    if (2 * n_maps != n)
        fail("Gmsh does not tell what came of the glued bodies");
    follow_parts(&groups, parts, n, came, n_came, &new_groups);
    follow_parts(&labels, parts, n, came, n_came, &new_labels);
    make_groups(&new_groups);
    for (size_t i = 0; i < new_labels.n; i++)
        gmshModelSetEntityName(new_labels.list[i].dim, new_labels.list[i].entity, new_labels.list[i].name, &error);
    free_members(&groups);
    free_members(&labels);
    free_members(&new_groups);
    free_members(&new_labels);
    free(parts);
    gmshFree(bodies);
    gmshFree(out);
    for (size_t i = 0; i < n_maps; i++)
        gmshFree(came[i]);
    gmshFree(came);
    gmshFree(n_came);
}
