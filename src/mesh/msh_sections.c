/* The sections of .msh files, versions 2.2 and 4.1 (Gmsh's reference manual, "MSH file format"), checked item by
   item. */
#include "mesh/msh_scan.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 127 };

/* dim tag "name", a line each; text in binary files too. */
ritz_status ritz_msh_scan_names(ritz_msh *msh)
{
    ritz_status status = RITZ_OK;
    int64_t n, dim, tag;
    bool binary = msh->binary;
    msh->binary = false;
    RITZ_TRY(ritz_msh_count(msh, 4, "the number of physical names", &n));
    for (int64_t i = 0; i < n; i++) {
        RITZ_TRY(ritz_msh_integer(msh, 4, "the dimension of a physical group", &dim));
        RITZ_TRY(ritz_msh_integer(msh, 4, "the tag of a physical group", &tag));
        while (msh->at < msh->end && (*msh->at == ' ' || *msh->at == '\t'))
            msh->at++;
        const char *open = msh->at, *close = open + 1;
        if (open >= msh->end)
            RITZ_TRY(ritz_msh_truncated(msh));
        while (close < msh->end && *close != '"' && *close != '\n')
            close++;
        if (close >= msh->end)
            RITZ_TRY(ritz_msh_truncated(msh));
        if (dim < 0 || dim > 3 || *open != '"' || *close != '"' || close == open + 1 || close - open > LONGEST_NAME ||
            memchr(open, 0, (size_t)(close - open)))
            RITZ_TRY(ritz_msh_fail(msh, open,
                                   "a physical name is a dimension 0 to 3, a tag, and up to %d characters in "
                                   "quotes; write the file again",
                                   LONGEST_NAME - 1));
        RITZ_TRY(ritz_model_add_name(msh->model, (int)dim, (int)tag, open + 1, close - open - 1));
        msh->at = close + 1;
    }
done:
    msh->binary = binary;
    return status;
}

/* One geometric entity of dimension dim: tag, box (a point's coordinates), groups, and the tags on its boundary. */
static ritz_status scan_entity(ritz_msh *msh, int dim)
{
    ritz_status status = RITZ_OK;
    int64_t tag, n, other;
    RITZ_TRY(ritz_msh_integer(msh, 4, "the tag of an entity", &tag));
    RITZ_TRY(ritz_msh_numbers_add(&msh->entities[dim], tag));
    RITZ_TRY(ritz_model_add_entity(msh->model, dim, (int)tag));
    RITZ_TRY(ritz_msh_reals(msh, dim == 0 ? 3 : 6, "a coordinate of an entity's box", 0, NULL));
    RITZ_TRY(ritz_msh_count(msh, 8, "the number of an entity's groups", &n));
    for (int64_t i = 0; i < n; i++) {
        RITZ_TRY(ritz_msh_integer(msh, 4, "the tag of a physical group", &other));
        RITZ_TRY(ritz_model_add_tag(msh->model, (int)other));
    }
    if (dim == 0)
        return RITZ_OK;
    RITZ_TRY(ritz_msh_count(msh, 8, "the number of entities on a boundary", &n));
    for (int64_t i = 0; i < n; i++) {
        const char *before = msh->at;
        RITZ_TRY(ritz_msh_integer(msh, 4, "the tag of an entity on a boundary", &other));
        if (!ritz_msh_numbers_has(&msh->entities[dim - 1], other < 0 ? -other : other))
            RITZ_TRY(ritz_msh_fail(msh, before,
                                   "entity %lld of dimension %d is bounded by entity %lld, which the file "
                                   "does not have; write the file again",
                                   (long long)tag, dim, (long long)other));
    }
done:
    return status;
}

ritz_status ritz_msh_scan_entities(ritz_msh *msh)
{
    ritz_status status = RITZ_OK;
    int64_t n[4], twice;
    for (int dim = 0; dim < 4; dim++)
        RITZ_TRY(ritz_msh_count(msh, 8, "the number of entities", &n[dim]));
    for (int dim = 0; dim < 4; dim++) {
        for (int64_t i = 0; i < n[dim]; i++)
            RITZ_TRY(scan_entity(msh, dim));
        RITZ_TRY(ritz_msh_numbers_close(&msh->entities[dim], &twice));
        if (twice)
            RITZ_TRY(ritz_msh_fail(msh, msh->at,
                                   "entity %lld of dimension %d appears twice in $Entities; write the file again",
                                   (long long)twice, dim));
    }
    msh->has_entities = true;
done:
    return status;
}

static ritz_status add_node(ritz_msh *msh, const char *at, int64_t number)
{
    if (number <= 0)
        return ritz_msh_fail(msh, at, "a node has the number %lld; numbers start at 1", (long long)number);
    return ritz_msh_numbers_add(&msh->nodes, number);
}

/* Counts of version 2.2 are a line of text in binary files too. */
static ritz_status text_count(ritz_msh *msh, const char *what, int64_t *n)
{
    bool binary = msh->binary;
    msh->binary = false;
    ritz_status status = ritz_msh_count(msh, 4, what, n);
    msh->binary = binary;
    if (binary)
        ritz_msh_skip_line(msh);
    return status;
}

static ritz_status scan_nodes_2(ritz_msh *msh, int64_t *n)
{
    ritz_status status = RITZ_OK;
    int64_t number;
    double x[3];
    RITZ_TRY(text_count(msh, "the number of nodes", n));
    for (int64_t i = 0; i < *n; i++) {
        const char *at = msh->at;
        RITZ_TRY(ritz_msh_integer(msh, 4, "a node's number", &number));
        RITZ_TRY(add_node(msh, at, number));
        RITZ_TRY(ritz_msh_reals(msh, 3, "a coordinate", number, x));
        RITZ_TRY(ritz_model_add_node(msh->model, number, x));
    }
done:
    return status;
}

/* The head of a block in version 4.1: the entity it lies on must be there. */
static ritz_status scan_block_entity(ritz_msh *msh, int64_t *dim, int64_t *tag)
{
    ritz_status status = RITZ_OK;
    const char *at = msh->at;
    RITZ_TRY(ritz_msh_integer(msh, 4, "the dimension of an entity", dim));
    RITZ_TRY(ritz_msh_integer(msh, 4, "the tag of an entity", tag));
    if (*dim < 0 || *dim > 3)
        RITZ_TRY(ritz_msh_fail(msh, at, "an entity has the dimension %lld; it is 0 to 3", (long long)*dim));
    if (msh->has_entities && !ritz_msh_numbers_has(&msh->entities[*dim], *tag))
        RITZ_TRY(ritz_msh_fail(msh, at, "entity %lld of dimension %lld is not in $Entities; write the file again",
                               (long long)*tag, (long long)*dim));
done:
    return status;
}

static ritz_status scan_nodes_4(ritz_msh *msh, int64_t *n)
{
    ritz_status status = RITZ_OK;
    int64_t n_blocks, least, largest, dim, tag, parametric, in_block, number;
    const char *head = msh->at;
    RITZ_TRY(ritz_msh_count(msh, 8, "the number of node blocks", &n_blocks));
    RITZ_TRY(ritz_msh_count(msh, 8, "the number of nodes", n));
    RITZ_TRY(ritz_msh_integer(msh, 8, "the least node number", &least));
    RITZ_TRY(ritz_msh_integer(msh, 8, "the largest node number", &largest));
    for (int64_t b = 0; b < n_blocks; b++) {
        RITZ_TRY(scan_block_entity(msh, &dim, &tag));
        RITZ_TRY(ritz_msh_integer(msh, 4, "whether nodes have parameters", &parametric));
        RITZ_TRY(ritz_msh_count(msh, 8, "the number of nodes in a block", &in_block));
        int64_t first = msh->nodes.n;
        for (int64_t i = 0; i < in_block; i++) {
            const char *at = msh->at;
            RITZ_TRY(ritz_msh_integer(msh, 8, "a node's number", &number));
            RITZ_TRY(add_node(msh, at, number));
        }
        for (int64_t i = 0; i < in_block; i++) {
            double x[6]; /* and, perhaps, parameters on the entity */
            RITZ_TRY(ritz_msh_reals(msh, 3 + (parametric ? dim : 0), "a coordinate", msh->nodes.numbers[first + i], x));
            RITZ_TRY(ritz_model_add_node(msh->model, msh->nodes.numbers[first + i], x));
        }
    }
    if (msh->nodes.n != *n || (*n > 0 && (least > msh->nodes.least || largest < msh->nodes.largest)))
        RITZ_TRY(ritz_msh_fail(msh, head,
                               "$Nodes announces %lld nodes with the numbers %lld to %lld but holds %lld, from "
                               "%lld to %lld; write the file again",
                               (long long)*n, (long long)least, (long long)largest, (long long)msh->nodes.n,
                               (long long)msh->nodes.least, (long long)msh->nodes.largest));
done:
    return status;
}

ritz_status ritz_msh_scan_nodes(ritz_msh *msh)
{
    ritz_status status = RITZ_OK;
    const char *head = msh->at;
    int64_t n, twice;
    RITZ_TRY(msh->version4 ? scan_nodes_4(msh, &n) : scan_nodes_2(msh, &n));
    if (n == 0)
        RITZ_TRY(ritz_msh_fail(msh, head, "the mesh is empty: $Nodes holds none; mesh the part before saving it"));
    RITZ_TRY(ritz_msh_numbers_close(&msh->nodes, &twice));
    if (twice)
        RITZ_TRY(ritz_msh_fail(msh, head, "node %lld appears twice in $Nodes; give each node a number of its own",
                               (long long)twice));
done:
    return status;
}

/* The nodes of an element, which joins the model. */
static ritz_status scan_element_nodes(ritz_msh *msh, int bytes, const ritz_gmsh_type *type, int64_t entity,
                                      int64_t group, int64_t number)
{
    ritz_status status = RITZ_OK;
    int64_t node;
    int32_t nodes[RITZ_GMSH_MOST_NODES];
    for (int i = 0; i < type->n_nodes; i++) {
        const char *at = msh->at;
        RITZ_TRY(ritz_msh_integer(msh, bytes, "a node of an element", &node));
        nodes[i] = ritz_msh_numbers_find(&msh->nodes, node);
        if (nodes[i] < 0)
            RITZ_TRY(ritz_msh_fail(msh, msh->binary ? at : msh->at,
                                   "element %lld (%s) refers to node %lld, which the file "
                                   "does not have; write the mesh again",
                                   (long long)number, type->name, (long long)node));
    }
    RITZ_TRY(ritz_model_add_element(msh->model, type, (int)entity, (int)group, number, nodes));
done:
    return status;
}

static ritz_status type_of(ritz_msh *msh, const char *at, int64_t type, int64_t number, const ritz_gmsh_type **found)
{
    *found = ritz_gmsh_type_of((int)type);
    if (*found)
        return RITZ_OK;
    char text[512];
    ritz_gmsh_refuse_type((int)type, number);
    snprintf(text, sizeof text, "%s", ritz_message());
    return ritz_msh_fail(msh, at, "%s", text);
}

/* Tags of an element: physical group (its sign is an orientation), entity, and perhaps the number of its partitions,
   which must be 0. */
static ritz_status scan_tags(ritz_msh *msh, const char *at, int64_t n, int64_t number, int64_t tags[3])
{
    ritz_status status = RITZ_OK;
    tags[2] = 0;
    if (n < 2)
        RITZ_TRY(ritz_msh_fail(msh, at, "element %lld has %lld tags; it needs two (physical group and entity)",
                               (long long)number, (long long)n));
    for (int64_t i = 0; i < n && i < 3; i++)
        RITZ_TRY(ritz_msh_integer(msh, 4, "a tag of an element", &tags[i]));
    tags[0] = tags[0] < 0 ? -tags[0] : tags[0];
    if (n > 3 || tags[2] != 0)
        RITZ_TRY(ritz_msh_fail(msh, at,
                               "element %lld lies in partitions: the mesh is partitioned, which is not supported; "
                               "merge it in Gmsh (UnpartitionMesh) and save it again",
                               (long long)number));
done:
    return status;
}

static ritz_status scan_text_element(ritz_msh *msh)
{
    ritz_status status = RITZ_OK;
    const ritz_gmsh_type *type;
    int64_t number, kind, n_tags, tags[3];
    RITZ_TRY(ritz_msh_integer(msh, 4, "an element's number", &number));
    RITZ_TRY(ritz_msh_integer(msh, 4, "an element's type", &kind));
    RITZ_TRY(type_of(msh, msh->at, kind, number, &type));
    RITZ_TRY(ritz_msh_integer(msh, 4, "the number of an element's tags", &n_tags));
    RITZ_TRY(scan_tags(msh, msh->at, n_tags, number, tags));
    RITZ_TRY(scan_element_nodes(msh, 4, type, tags[1], tags[0], number));
done:
    return status;
}

/* Binary elements come in runs of one type and one number of tags. Returns how many through *n. */
static ritz_status scan_binary_run(ritz_msh *msh, int64_t left, int64_t *n)
{
    ritz_status status = RITZ_OK;
    const ritz_gmsh_type *type;
    int64_t kind, n_tags, number, tags[3];
    const char *at = msh->at;
    RITZ_TRY(ritz_msh_integer(msh, 4, "the type of elements", &kind));
    RITZ_TRY(ritz_msh_count(msh, 4, "the number of elements in a run", n));
    RITZ_TRY(ritz_msh_count(msh, 4, "the number of an element's tags", &n_tags));
    if (*n < 1 || *n > left)
        RITZ_TRY(ritz_msh_fail(msh, at, "a run of %lld elements where 1 to %lld are left; write the file again",
                               (long long)*n, (long long)left));
    for (int64_t i = 0; i < *n; i++) {
        at = msh->at;
        RITZ_TRY(ritz_msh_integer(msh, 4, "an element's number", &number));
        RITZ_TRY(type_of(msh, at, kind, number, &type));
        RITZ_TRY(scan_tags(msh, at, n_tags, number, tags));
        RITZ_TRY(scan_element_nodes(msh, 4, type, tags[1], tags[0], number));
    }
done:
    return status;
}

static ritz_status scan_elements_2(ritz_msh *msh)
{
    ritz_status status = RITZ_OK;
    int64_t n, step = 1;
    RITZ_TRY(text_count(msh, "the number of elements", &n));
    for (int64_t i = 0; i < n; i += step)
        RITZ_TRY(msh->binary ? scan_binary_run(msh, n - i, &step) : scan_text_element(msh));
done:
    return status;
}

static ritz_status scan_elements_4(ritz_msh *msh)
{
    ritz_status status = RITZ_OK;
    int64_t n_blocks, n, least, largest, dim, tag, kind, in_block, number, low = INT64_MAX, high = 0;
    const char *head = msh->at;
    RITZ_TRY(ritz_msh_count(msh, 8, "the number of element blocks", &n_blocks));
    RITZ_TRY(ritz_msh_count(msh, 8, "the number of elements", &n));
    RITZ_TRY(ritz_msh_integer(msh, 8, "the least element number", &least));
    RITZ_TRY(ritz_msh_integer(msh, 8, "the largest element number", &largest));
    for (int64_t b = 0; b < n_blocks; b++) {
        const ritz_gmsh_type *type;
        RITZ_TRY(scan_block_entity(msh, &dim, &tag));
        RITZ_TRY(ritz_msh_integer(msh, 4, "the type of elements", &kind));
        RITZ_TRY(ritz_msh_count(msh, 8, "the number of elements in a block", &in_block));
        for (int64_t i = 0; i < in_block; i++) {
            const char *at = msh->at;
            RITZ_TRY(ritz_msh_integer(msh, 8, "an element's number", &number));
            RITZ_TRY(type_of(msh, at, kind, number, &type));
            if (type->dim != dim)
                RITZ_TRY(ritz_msh_fail(
                    msh, at, "element %lld is a %s but lies on an entity of dimension %lld; write the file again",
                    (long long)number, type->name, (long long)dim));
            RITZ_TRY(scan_element_nodes(msh, 8, type, tag, 0, number));
            low = ritz_min64(low, number);
            high = ritz_max64(high, number);
        }
    }
    if (msh->model->n_elements != n || (n > 0 && (least > low || largest < high || low < 1)))
        RITZ_TRY(ritz_msh_fail(msh, head,
                               "$Elements announces %lld elements with the numbers %lld to %lld but holds %lld, "
                               "from %lld to %lld; write the file again",
                               (long long)n, (long long)least, (long long)largest, (long long)msh->model->n_elements,
                               (long long)low, (long long)high));
done:
    return status;
}

ritz_status ritz_msh_scan_elements(ritz_msh *msh)
{
    return msh->version4 ? scan_elements_4(msh) : scan_elements_2(msh);
}
