/* Filling the model of a mesh file: nodes, runs of elements, entities with their physical tags, names. */
#include "mesh/model.h"

#include <string.h>

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
static ritz_status get_run(ritz_model *model, const ritz_gmsh_type *type, int entity, int group, ritz_model_run **run)
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
    RITZ_TRY(get_run(model, type, entity, group, &run));
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
