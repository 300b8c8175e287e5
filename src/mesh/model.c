/* Filling the model of a mesh file: nodes, runs of elements, entities with their physical tags, names. */
#include "mesh/model.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ritz_model_free(ritz_model *model)
{
    for (int64_t i = 0; i < model->n_names; i++)
        ritz_free(model->names[i].name);
    ritz_free(model->nodes);
    ritz_free(model->node_numbers);
    ritz_free(model->numbers);
    ritz_free(model->connected);
    ritz_free(model->runs);
    ritz_free(model->entities);
    ritz_free(model->tags);
    ritz_free(model->names);
    for (int64_t i = 0; i < model->n_node_groups; i++) {
        ritz_free(model->node_groups[i].name);
        ritz_free(model->node_groups[i].numbers);
    }
    ritz_free(model->node_groups);
    ritz_model_remove_stand_in(model);
    ritz_free(model->warning);
    *model = (ritz_model){0};
}

/* Room for `more` elements of an array behind its first n. */
#define MAKE_ROOM(array, n, capacity, more)                                                                            \
    do {                                                                                                               \
        if ((n) + (more) > (capacity)) {                                                                               \
            const int64_t wanted = 2 * (capacity) + (more) + 64;                                                       \
            RITZ_RESIZE(array, wanted);                                                                                \
            (capacity) = wanted;                                                                                       \
        }                                                                                                              \
    } while (0)

ritz_status ritz_model_add_node(ritz_model *model, int64_t number, const double x[3])
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(model->n_nodes < INT32_MAX, RITZ_ERROR_INPUT,
                 "the mesh has more than the 2147483647 nodes that one mesh can hold; split it into parts");
    if (model->n_nodes == model->node_capacity) {
        const int64_t wanted = 2 * model->node_capacity + 64;
        RITZ_RESIZE(model->nodes, 3 * wanted);
        RITZ_RESIZE(model->node_numbers, wanted);
        model->node_capacity = wanted;
    }
    model->node_numbers[model->n_nodes] = number;
    memcpy(&model->nodes[3 * model->n_nodes++], x, 3 * sizeof *x);
done:
    return status;
}

/* The last run if elements like these may join it, or a new one. */
static ritz_status run_for(ritz_model *model, const ritz_gmsh_type *type, int entity, int group, ritz_model_run **run)
{
    ritz_status status = RITZ_OK;
    ritz_model_run *last = model->n_runs > 0 ? &model->runs[model->n_runs - 1] : NULL;
    if (!last || last->type != type || last->entity != entity || last->group != group) {
        MAKE_ROOM(model->runs, model->n_runs, model->run_capacity, 1);
        last = &model->runs[model->n_runs++];
        *last = (ritz_model_run){.type = type,
                                 .entity = entity,
                                 .group = group,
                                 .first_element = model->n_elements,
                                 .first_node = model->n_connected};
    }
    *run = last;
done:
    return status;
}

ritz_status ritz_model_add_element(ritz_model *model, const ritz_gmsh_type *type, int entity, int group, int64_t number,
                                   const int32_t *nodes)
{
    ritz_status status = RITZ_OK;
    ritz_model_run *run;
    if (model->n_elements % 65536 == 0)
        RITZ_TRY(ritz_check_interrupt());
    RITZ_TRY(run_for(model, type, entity, group, &run));
    MAKE_ROOM(model->numbers, model->n_elements, model->element_capacity, 1);
    MAKE_ROOM(model->connected, model->n_connected, model->connected_capacity, type->n_nodes);
    model->numbers[model->n_elements++] = number;
    memcpy(&model->connected[model->n_connected], nodes, (size_t)type->n_nodes * sizeof *nodes);
    model->n_connected += type->n_nodes;
    run->n++;
done:
    return status;
}

ritz_status ritz_model_add_entity(ritz_model *model, int dim, int tag)
{
    ritz_status status = RITZ_OK;
    MAKE_ROOM(model->entities, model->n_entities, model->entity_capacity, 1);
    model->entities[model->n_entities++] = (ritz_model_entity){.dim = dim, .tag = tag, .first = model->n_tags};
done:
    return status;
}

ritz_status ritz_model_add_tag(ritz_model *model, int physical)
{
    ritz_status status = RITZ_OK;
    MAKE_ROOM(model->tags, model->n_tags, model->tag_capacity, 1);
    model->tags[model->n_tags++] = physical < 0 ? -physical : physical; /* the sign is an orientation */
    model->entities[model->n_entities - 1].n++;
done:
    return status;
}

ritz_status ritz_model_add_name(ritz_model *model, int dim, int tag, const char *name, int64_t length)
{
    ritz_status status = RITZ_OK;
    MAKE_ROOM(model->names, model->n_names, model->name_capacity, 1);
    ritz_model_name *n = &model->names[model->n_names];
    *n = (ritz_model_name){.dim = dim, .tag = tag};
    RITZ_TRY(ritz_format(&n->name, "%.*s", (int)length, name));
    model->n_names++;
done:
    return status;
}

/* ---- Groups of nodes ---- */

ritz_status ritz_model_add_node_group(ritz_model *model, const char *name)
{
    ritz_status status = RITZ_OK;
    MAKE_ROOM(model->node_groups, model->n_node_groups, model->node_group_capacity, 1);
    ritz_model_nodes *group = &model->node_groups[model->n_node_groups];
    *group = (ritz_model_nodes){0};
    RITZ_TRY(ritz_copy_text(name, &group->name));
    model->n_node_groups++;
done:
    return status;
}

ritz_status ritz_model_add_group_node(ritz_model *model, int64_t number)
{
    ritz_status status = RITZ_OK;
    ritz_model_nodes *group = &model->node_groups[model->n_node_groups - 1];
    MAKE_ROOM(group->numbers, group->n, group->capacity, 1);
    group->numbers[group->n++] = number;
done:
    return status;
}

typedef struct numbered_node {
    int64_t number;
    int32_t place;
} numbered_node;

static int compare_numbered(const void *a, const void *b)
{
    const numbered_node *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

ritz_status ritz_model_place_nodes(ritz_model *model)
{
    ritz_status status = RITZ_OK;
    enum { POINT = 15 }; /* Gmsh's number of the type */
    numbered_node *sorted = NULL;
    if (model->n_node_groups == 0)
        return RITZ_OK;
    RITZ_NEW(sorted, model->n_nodes);
    for (int64_t i = 0; i < model->n_nodes; i++)
        sorted[i] = (numbered_node){model->node_numbers[i], (int32_t)i};
    qsort(sorted, (size_t)model->n_nodes, sizeof *sorted, compare_numbered);
    for (int64_t g = 0; g < model->n_node_groups; g++) {
        const ritz_model_nodes *group = &model->node_groups[g];
        const int tag = (int)g + 1;
        RITZ_TRY(ritz_model_add_name(model, 0, tag, group->name, (int64_t)strlen(group->name)));
        for (int64_t i = 0; i < group->n; i++) {
            const numbered_node key = {.number = group->numbers[i]};
            const numbered_node *found =
                bsearch(&key, sorted, (size_t)model->n_nodes, sizeof *sorted, compare_numbered);
            RITZ_REQUIRE(found, RITZ_ERROR_INPUT,
                         "the group '%s' holds node %lld, which the file does not have, or no element; take it out of "
                         "the group",
                         group->name, (long long)group->numbers[i]);
            RITZ_TRY(ritz_model_add_element(model, ritz_gmsh_type_of(POINT), tag, tag, 0, &found->place));
        }
    }
done:
    ritz_free(sorted);
    return status;
}

void ritz_model_remove_stand_in(ritz_model *model)
{
    if (!model->stand_in)
        return;
    unlink(model->stand_in);
    ritz_temporary_forget(model->stand_in);
    ritz_free(model->stand_in);
    model->stand_in = NULL;
}
