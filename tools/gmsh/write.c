/* The mesh that Gmsh holds as a binary .msh file, version 4.1 (Gmsh's reference manual, "MSH file format"). Written here
   and not by Gmsh, which wants a file's name: nothing is put on a disk. */
#include "ritz_gmsh.h"

#include <gmshc.h>
#include <string.h>

enum { LONGEST_NAME = 126 };

static void put_items(FILE *file, const void *data, size_t n, size_t size)
{
    if (fwrite(data, size, n, file) != n)
        fail("the mesh can not be handed over: the pipe or the disk is full");
}

static void put_int(FILE *file, int value)
{
    put_items(file, &value, 1, sizeof value);
}

static void put_size(FILE *file, size_t value)
{
    put_items(file, &value, 1, sizeof value);
}

static void put_text(FILE *file, const char *text)
{
    put_items(file, text, strlen(text), 1);
}

static void write_names(FILE *file)
{
    int *groups = NULL, error;
    size_t n = 0, n_named = 0;
    gmshModelGetPhysicalGroups(&groups, &n, -1, &error);
    for (int writing = 0; writing < 2; writing++) {
        if (writing)
            fprintf(file, "$PhysicalNames\n%zu\n", n_named);
        for (size_t i = 0; i < n; i += 2) {
            char *name = NULL;
            gmshModelGetPhysicalName(groups[i], groups[i + 1], &name, &error);
            if (error || !name || !*name)
                continue;
            n_named += !writing;
            for (char *p = name; *p; p++) /* what ends a name in the file */
                *p = *p == '"' ? '\'' : *p == '\n' ? ' ' : *p;
            if (writing)
                fprintf(file, "%d %d \"%.*s\"\n", groups[i], groups[i + 1], LONGEST_NAME, name);
            gmshFree(name);
        }
    }
    put_text(file, "$EndPhysicalNames\n");
    gmshFree(groups);
}

/* Entities without their boxes and boundaries, which nobody asks for. */
static void write_entities(FILE *file, const int *entities, size_t n)
{
    static const double box[6];
    size_t count[4] = {0};
    for (size_t i = 0; i < n; i += 2)
        count[entities[i]]++;
    put_text(file, "$Entities\n");
    put_items(file, count, 4, sizeof *count);
    for (size_t i = 0; i < n; i += 2) { /* by increasing dimension */
        const int dim = entities[i], tag = entities[i + 1];
        int *groups = NULL, error;
        size_t n_groups = 0;
        gmshModelGetPhysicalGroupsForEntity(dim, tag, &groups, &n_groups, &error);
        put_int(file, tag);
        put_items(file, box, dim == 0 ? 3 : 6, sizeof *box);
        put_size(file, n_groups);
        put_items(file, groups, n_groups, sizeof *groups);
        if (dim > 0)
            put_size(file, 0);
        gmshFree(groups);
    }
    put_text(file, "\n$EndEntities\n");
}

/* All nodes as those of one entity: where they lie is not asked for either. */
static void write_nodes(FILE *file, const int entity[2])
{
    size_t *tags = NULL, n = 0, n_coordinates = 0, n_parametric = 0, least = 0, largest = 0;
    double *coordinates = NULL, *parametric = NULL;
    int error;
    gmshModelMeshGetNodes(&tags, &n, &coordinates, &n_coordinates, &parametric, &n_parametric, -1, -1, 0, 0, &error);
    require(error, "give the nodes");
    if (n == 0)
        fail("the mesh is empty: there are no nodes in it");
    for (size_t i = 0; i < n; i++) {
        least = i == 0 || tags[i] < least ? tags[i] : least;
        largest = i == 0 || tags[i] > largest ? tags[i] : largest;
    }
    put_text(file, "$Nodes\n");
    put_items(file, (size_t[]){1, n, least, largest}, 4, sizeof(size_t));
    put_items(file, (int[]){entity[0], entity[1], 0}, 3, sizeof(int));
    put_size(file, n);
    put_items(file, tags, n, sizeof *tags);
    put_items(file, coordinates, 3 * n, sizeof *coordinates);
    put_text(file, "\n$EndNodes\n");
    gmshFree(tags);
    gmshFree(coordinates);
    gmshFree(parametric);
}

/* The elements of one entity: counted into totals {blocks, elements, least, largest} or written. */
static void take_elements(FILE *file, int dim, int tag, size_t totals[4])
{
    int *types = NULL, error;
    size_t n_types = 0, **tags = NULL, *n_tags = NULL, n_lists = 0, **nodes = NULL, *n_nodes = NULL, n_node_lists = 0;
    gmshModelMeshGetElements(&types, &n_types, &tags, &n_tags, &n_lists, &nodes, &n_nodes, &n_node_lists, dim, tag,
                             &error);
    require(error, "give the elements");
    for (size_t t = 0; t < n_types; t++) {
        const size_t n = n_tags[t], each = n > 0 ? n_nodes[t] / n : 0;
        if (file && n > 0) {
            put_items(file, (int[]){dim, tag, types[t]}, 3, sizeof(int));
            put_size(file, n);
        }
        for (size_t e = 0; e < n; e++) {
            if (file) {
                put_size(file, tags[t][e]);
                put_items(file, &nodes[t][e * each], each, sizeof(size_t));
            }
            totals[2] = totals[1] == 0 || tags[t][e] < totals[2] ? tags[t][e] : totals[2];
            totals[3] = tags[t][e] > totals[3] ? tags[t][e] : totals[3];
            totals[1]++;
        }
        totals[0] += n > 0;
        gmshFree(tags[t]);
        gmshFree(nodes[t]);
    }
    gmshFree(types);
    gmshFree(tags);
    gmshFree(n_tags);
    gmshFree(nodes);
    gmshFree(n_nodes);
}

static void write_elements(FILE *file, const int *entities, size_t n)
{
    size_t totals[4] = {0}, again[4] = {0};
    for (size_t i = 0; i < n; i += 2)
        take_elements(NULL, entities[i], entities[i + 1], totals);
    if (totals[1] == 0)
        fail("the mesh has no elements");
    put_text(file, "$Elements\n");
    put_items(file, totals, 4, sizeof *totals);
    for (size_t i = 0; i < n; i += 2)
        take_elements(file, entities[i], entities[i + 1], again);
    put_text(file, "\n$EndElements\n");
}

void write_msh(FILE *file)
{
    int *entities = NULL, error;
    size_t n = 0;
    gmshModelGetEntities(&entities, &n, -1, &error);
    require(error, "give the parts of the model");
    if (n == 0)
        fail("the mesh is empty: there are no nodes in it");
    put_text(file, "$MeshFormat\n4.1 1 8\n");
    put_int(file, 1);
    put_text(file, "\n$EndMeshFormat\n");
    write_names(file);
    write_entities(file, entities, n);
    write_nodes(file, entities);
    write_elements(file, entities, n);
    gmshFree(entities);
    if (fclose(file) != 0)
        fail("the mesh can not be handed over: the pipe or the disk is full");
}
