/* The mesh itself: creation, groups and sets of groups, what it tells of itself. */
#include "mesh/internal.h"

#include <stdio.h>
#include <string.h>

ritz_status ritz_mesh_new(int dim, ritz_mesh **mesh)
{
    ritz_status status = RITZ_OK;
    ritz_mesh *m = NULL;
    RITZ_NEW(m, 1);
    m->dim = dim;
    RITZ_NEW(m->sets, 1);
    m->n_sets = 1;
    *mesh = m;
    m = NULL;
done:
    ritz_mesh_destroy(&m);
    return status;
}

void ritz_mesh_destroy(ritz_mesh **mesh)
{
    if (!mesh || !*mesh)
        return;
    ritz_mesh *m = *mesh;
    for (int b = 0; b < m->n_blocks; b++) {
        ritz_free(m->blocks[b].nodes);
        ritz_free(m->blocks[b].set);
        ritz_free(m->blocks[b].number);
        ritz_free(m->blocks[b].turned);
    }
    for (int g = 0; g < m->n_groups; g++)
        ritz_free(m->groups[g].name);
    for (int s = 0; s < m->n_sets; s++)
        ritz_free(m->sets[s].groups);
    ritz_free(m->blocks);
    ritz_free(m->groups);
    ritz_free(m->sets);
    ritz_free(m->entities);
    ritz_free(m->nodes);
    ritz_free(m->node_number);
    ritz_free(m->unused);
    ritz_free(m->unused_at);
    ritz_free(m->warning);
    ritz_free(m);
    *mesh = NULL;
}

int ritz_mesh_dim(const ritz_mesh *mesh)
{
    return mesh ? mesh->dim : 0;
}

int64_t ritz_mesh_n_nodes(const ritz_mesh *mesh)
{
    return mesh ? (int64_t)mesh->n_nodes + mesh->n_unused : 0;
}

int64_t ritz_mesh_n_cells(const ritz_mesh *mesh, ritz_cell cell)
{
    int64_t n = 0;
    for (int b = 0; mesh && b < mesh->n_blocks; b++)
        n += mesh->blocks[b].cell == cell || cell == RITZ_N_CELLS ? mesh->blocks[b].n_cells : 0;
    return n;
}

const char *ritz_plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

ritz_status ritz_mesh_add_group(ritz_mesh *mesh, int dim, int tag, const char *name, int32_t *group)
{
    ritz_status status = RITZ_OK;
    char digits[16];
    if (!name || !*name) {
        snprintf(digits, sizeof digits, "%d", tag);
        name = digits;
    }
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        if (mesh->groups[g].dim == dim && strcmp(mesh->groups[g].name, name) == 0) {
            *group = g;
            return RITZ_OK;
        }
    }
    RITZ_RESIZE(mesh->groups, mesh->n_groups + 1);
    ritz_group *g = &mesh->groups[mesh->n_groups];
    *g = (ritz_group){.dim = dim, .tag = tag};
    RITZ_TRY(ritz_copy_text(name, &g->name));
    *group = mesh->n_groups++;
done:
    return status;
}

ritz_status ritz_mesh_add_set(ritz_mesh *mesh, int n_groups, const int32_t *groups, int32_t *set)
{
    ritz_status status = RITZ_OK;
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        const ritz_group_set *old = &mesh->sets[s];
        if (old->n_groups == n_groups &&
            (n_groups == 0 || memcmp(old->groups, groups, (size_t)n_groups * sizeof *groups) == 0)) {
            *set = s;
            return RITZ_OK;
        }
    }
    RITZ_RESIZE(mesh->sets, mesh->n_sets + 1);
    ritz_group_set *fresh = &mesh->sets[mesh->n_sets];
    *fresh = (ritz_group_set){.n_groups = n_groups};
    RITZ_NEW(fresh->groups, n_groups);
    memcpy(fresh->groups, groups, (size_t)n_groups * sizeof *groups);
    *set = mesh->n_sets++;
done:
    return status;
}

ritz_status ritz_mesh_unite_sets(ritz_mesh *mesh, int32_t a, int32_t b, int32_t *set)
{
    ritz_status status = RITZ_OK;
    int32_t *united = NULL;
    const ritz_group_set *p = &mesh->sets[a], *q = &mesh->sets[b];
    int n = 0, i = 0, j = 0;
    RITZ_NEW(united, p->n_groups + q->n_groups);
    while (i < p->n_groups || j < q->n_groups) {
        bool from_p = j == q->n_groups || (i < p->n_groups && p->groups[i] <= q->groups[j]);
        int32_t g = from_p ? p->groups[i] : q->groups[j];
        i += i < p->n_groups && p->groups[i] == g;
        j += j < q->n_groups && q->groups[j] == g;
        united[n++] = g;
    }
    RITZ_TRY(ritz_mesh_add_set(mesh, n, united, set));
done:
    ritz_free(united);
    return status;
}

ritz_status ritz_mesh_add_block(ritz_mesh *mesh, ritz_cell cell, int geometry_order, int64_t n_cells,
                                ritz_mesh_block **block)
{
    ritz_status status = RITZ_OK;
    int n_nodes = ritz_cell_n_shape(cell, geometry_order);
    RITZ_REQUIRE(n_cells <= INT32_MAX, RITZ_ERROR_INPUT,
                 "the mesh has %lld %s cells, more than the 2147483647 that one mesh can hold; split it into parts",
                 (long long)n_cells, ritz_cell_name(cell));
    RITZ_RESIZE(mesh->blocks, mesh->n_blocks + 1);
    ritz_mesh_block *b = &mesh->blocks[mesh->n_blocks++];
    *b = (ritz_mesh_block){
        .cell = cell, .geometry_order = geometry_order, .n_nodes = n_nodes, .n_cells = (int32_t)n_cells};
    RITZ_NEW(b->nodes, n_cells * n_nodes);
    RITZ_NEW(b->set, n_cells);
    RITZ_NEW(b->number, n_cells);
    *block = b;
done:
    return status;
}

/* The names of the groups, each once, in the order of the file: "body, x0, x1". */
static void list_groups(const ritz_mesh *mesh, int dim, ritz_text *text)
{
    for (int g = 0; g < mesh->n_groups; g++) {
        if (dim < 0 || mesh->groups[g].dim == dim)
            ritz_text_add(text, "%s%s", text->length > 0 ? ", " : "", mesh->groups[g].name);
    }
    if (text->length == 0)
        ritz_text_add(text, "none");
}

ritz_status ritz_mesh_find_group(const ritz_mesh *mesh, const char *name, int dim, int32_t *group)
{
    static const char *const kind[] = {"points", "edges", "surfaces", "volumes"};
    ritz_status status = RITZ_OK;
    ritz_text list = {0};
    char of[16] = "";
    const char *other = NULL; /* of what a group of the name is, where it is of other members */
    char *names = NULL;
    const char **candidates = NULL;
    int n = 0;
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        if ((dim < 0 || mesh->groups[g].dim == dim) && strcmp(mesh->groups[g].name, name) == 0) {
            *group = g;
            return RITZ_OK;
        }
    }
    RITZ_NEW(candidates, mesh->n_groups);
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        if (dim < 0 || mesh->groups[g].dim == dim)
            candidates[n++] = mesh->groups[g].name;
        else if (strcmp(mesh->groups[g].name, name) == 0)
            other = kind[mesh->groups[g].dim];
    }
    if (dim >= 0 && dim <= 3)
        snprintf(of, sizeof of, "of %s ", kind[dim]);
    list_groups(mesh, dim, &list);
    RITZ_TRY(ritz_text_take(&list, &names));
    const char *nearest = ritz_nearest(name, candidates, n);
    if (other)
        RITZ_FAIL(RITZ_ERROR_INPUT, "the group '%s' is of %s, and one %sis needed; groups %sare: %s", name, other, of,
                  of, names);
    if (nearest)
        RITZ_FAIL(RITZ_ERROR_INPUT, "the mesh has no group %s'%s'; did you mean '%s'? Its groups %sare: %s", of, name,
                  nearest, of, names);
    RITZ_FAIL(RITZ_ERROR_INPUT, "the mesh has no group %s'%s'; its groups %sare: %s", of, name, of, names);
done:
    ritz_free(candidates);
    ritz_free(names);
    ritz_text_free(&list);
    return status;
}

bool ritz_mesh_set_has(const ritz_mesh *mesh, int32_t set, int32_t group)
{
    const ritz_group_set *s = &mesh->sets[set];
    for (int i = 0; i < s->n_groups; i++) {
        if (s->groups[i] == group)
            return true;
    }
    return false;
}

bool ritz_mesh_is_facet_of(const ritz_mesh *mesh, const ritz_mesh_entity *entity, int32_t group)
{
    return entity->facet >= 0 && entity->cell >= 0 && ritz_mesh_set_has(mesh, entity->set, group);
}
