/* A mesh as a file holds it, before it becomes blocks and groups: what every reader of the mesh room fills. Private to
   the mesh room. */
#ifndef RITZ_SRC_MESH_MODEL_H
#define RITZ_SRC_MESH_MODEL_H

#include "mesh/raw.h"

/* Elements that stand one after another in the file, of one type, on one entity of the geometry, in the same group. */
typedef struct ritz_model_run {
    const ritz_gmsh_type *type;
    int entity;  /* its tag; the dimension is the type's */
    int group;   /* physical tag of these elements alone, 0 for none */
    int32_t set; /* group set of the mesh, once extracted */
    int64_t n, first_element, first_node;
} ritz_model_run;

/* An entity of the geometry and its physical tags, tags[first] to tags[first + n - 1] of the model. */
typedef struct ritz_model_entity {
    int dim, tag;
    int64_t first, n;
} ritz_model_entity;

typedef struct ritz_model_name {
    int dim, tag;
    char *name;
} ritz_model_name;

typedef struct ritz_model {
    int64_t n_nodes, node_capacity;
    double *nodes;         /* [n_nodes][3] */
    int64_t *node_numbers; /* [n_nodes] in the file */
    int64_t n_elements, element_capacity;
    int64_t *numbers; /* [n_elements] in the file */
    int64_t n_connected, connected_capacity;
    int32_t *connected; /* the nodes of one element after another, in Gmsh's order */
    int64_t n_runs, run_capacity;
    ritz_model_run *runs;
    int64_t n_entities, entity_capacity;
    ritz_model_entity *entities; /* those of which something is known; increasing by dimension and tag once sorted */
    int64_t n_tags, tag_capacity;
    int *tags;
    int64_t n_names, name_capacity;
    ritz_model_name *names;
    char *warning; /* what the file has and the mesh will not have; NULL: nothing */
    bool was_kept; /* Gmsh made it in an earlier run */
} ritz_model;
void ritz_model_free(ritz_model *model);

ritz_status ritz_model_add_node(ritz_model *model, int64_t number, const double x[3]);
/* nodes[type->n_nodes]: places in model->nodes. group: see ritz_model_run. */
ritz_status ritz_model_add_element(ritz_model *model, const ritz_gmsh_type *type, int entity, int group, int64_t number,
                                   const int32_t *nodes);
ritz_status ritz_model_add_entity(ritz_model *model, int dim, int tag);
/* Of the entity added last. */
ritz_status ritz_model_add_tag(ritz_model *model, int physical);
/* length characters, which need no end. */
ritz_status ritz_model_add_name(ritz_model *model, int dim, int tag, const char *name, int64_t length);

/* Nodes, groups, entities and cells out of the model, whose nodes move to the mesh. Cells are the elements of the
   highest dimension. grouped_only: those outside all groups are left out where others are in one, as Gmsh itself does
   when it saves. */
ritz_status ritz_model_extract(ritz_model *model, bool grouped_only, ritz_mesh **mesh, ritz_raw *raw);

#endif
