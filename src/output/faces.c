/* The faces (in the plane edges) that stand in groups, as a file of their own: for each group its faces as cells, with the
   number of the group. */
#include "output/format.h"
#include "output/output.h"

#include <string.h>

/* The facets of one cell type as cells of VTK: vtk[f][k] is the cell's node at point k of facet f. */
typedef struct facet_cells {
    int n[RITZ_MAX_FACETS], type[RITZ_MAX_FACETS];
    int *vtk[RITZ_MAX_FACETS];
} facet_cells;

static void free_facets(facet_cells cells[RITZ_N_CELLS])
{
    for (int c = 0; c < RITZ_N_CELLS; c++)
        for (int f = 0; f < RITZ_MAX_FACETS; f++)
            ritz_free(cells[c].vtk[f]);
}

static int find_node(const ritz_basis *basis, int dim, int entity, const int16_t index[3])
{
    for (int i = 0; i < basis->n_shape; i++) {
        const ritz_cell_node *node = &basis->entities[i];
        if (node->dim == dim && node->entity == entity && memcmp(node->index, index, sizeof node->index) == 0)
            return i;
    }
    return -1;
}

/* The node k steps from vertex a of the cell towards b. */
static int find_on_edge(const ritz_basis *basis, const ritz_topology *t, int a, int b, int k)
{
    for (int e = 0; e < t->n_edges; e++) {
        const bool along = t->edges[e][0] == a && t->edges[e][1] == b;
        if (along || (t->edges[e][0] == b && t->edges[e][1] == a))
            return find_node(basis, 1, e, (int16_t[3]){(int16_t)(along ? k : basis->order - k)});
    }
    return -1;
}

/* An edge of a cell in the plane: both ends, then the nodes between them. */
static ritz_status list_edge(const ritz_basis *basis, int f, facet_cells *cells)
{
    enum { LINE = 3, LAGRANGE_CURVE = 68 };
    ritz_status status = RITZ_OK;
    const ritz_topology *t = ritz_cell_topology(basis->cell);
    const int a = t->facets[f][0], b = t->facets[f][1];
    cells->n[f] = basis->order + 1;
    cells->type[f] = basis->order == 1 ? LINE : LAGRANGE_CURVE;
    RITZ_NEW(cells->vtk[f], cells->n[f]);
    cells->vtk[f][0] = a;
    cells->vtk[f][1] = b;
    for (int k = 1; k < basis->order; k++)
        cells->vtk[f][1 + k] = find_on_edge(basis, t, a, b, k);
done:
    return status;
}

/* A face: the nodes of a triangle or quad, in VTK's order, found among those of the cell. */
static ritz_status list_face(const ritz_basis *basis, int f, facet_cells *cells)
{
    ritz_status status = RITZ_OK;
    const ritz_topology *t = ritz_cell_topology(basis->cell);
    const ritz_cell flat = t->facet_n_vertices[f] == 3 ? RITZ_TRI : RITZ_QUAD;
    const ritz_topology *flat_t = ritz_cell_topology(flat);
    int order[RITZ_MAX_SHAPE];
    ritz_basis *face = NULL;
    const bool serendipity = basis->whole && flat == RITZ_QUAD;
    RITZ_TRY(serendipity ? ritz_basis_create_serendipity(flat, &face)
                         : ritz_basis_create(flat, basis->order, RITZ_NODES_LOBATTO, &face));
    RITZ_TRY(serendipity ? ritz_vtk_serendipity_cell(flat, &cells->type[f], order)
                         : ritz_vtk_cell(flat, basis->order, &cells->type[f], order));
    cells->n[f] = face->n_shape;
    RITZ_NEW(cells->vtk[f], face->n_shape);
    for (int k = 0; k < face->n_shape; k++) {
        const ritz_cell_node *node = &face->entities[order[k]];
        const int *ends = flat_t->edges[node->dim == 1 ? node->entity : 0];
        cells->vtk[f][k] = node->dim == 0 ? t->facets[f][node->entity]
                           : node->dim == 1
                               ? find_on_edge(basis, t, t->facets[f][ends[0]], t->facets[f][ends[1]], node->index[0])
                               : find_node(basis, 2, f, node->index);
    }
done:
    ritz_basis_destroy(&face);
    return status;
}

static ritz_status list_facets(const ritz_space *space, facet_cells cells[RITZ_N_CELLS])
{
    ritz_status status = RITZ_OK;
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_basis *basis = space->batches[b].basis;
        for (int f = 0; f < ritz_cell_topology(basis->cell)->n_facets; f++)
            RITZ_TRY(space->dim == 2 ? list_edge(basis, f, &cells[b]) : list_face(basis, f, &cells[b]));
    }
done:
    return status;
}

/* What goes into the file. */
typedef struct face_mesh {
    int64_t n_cells, n_ids, n_points;
    int64_t *connectivity, *offsets; /* [n_ids] [n_cells] */
    uint8_t *types;
    int32_t *groups;
    int32_t *point; /* [n_nodes] of the space's nodes; -1: not on a face */
    double *coordinates;
} face_mesh;

static void free_mesh(face_mesh *m)
{
    ritz_free(m->connectivity);
    ritz_free(m->offsets);
    ritz_free(m->types);
    ritz_free(m->groups);
    ritz_free(m->point);
    ritz_free(m->coordinates);
}

/* Goes through the faces group by group, counts them, and fills the arrays where there are some. */
static void pass_faces(const ritz_space *space, const facet_cells cells[RITZ_N_CELLS], face_mesh *m)
{
    const ritz_mesh *mesh = space->mesh;
    m->n_cells = m->n_ids = 0;
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        if (mesh->groups[g].dim != mesh->dim - 1)
            continue;
        for (int32_t e = 0; e < mesh->n_entities; e++) {
            const ritz_mesh_entity *entity = &mesh->entities[e];
            if (!ritz_mesh_is_facet_of(mesh, entity, g))
                continue;
            const ritz_space_batch *batch = &space->batches[entity->block];
            const facet_cells *of = &cells[entity->block];
            const int n = of->n[entity->facet];
            for (int k = 0; m->types && k < n; k++)
                m->connectivity[m->n_ids + k] =
                    batch->cell_nodes[(int64_t)entity->cell * batch->n_shape + of->vtk[entity->facet][k]];
            if (m->types) {
                m->types[m->n_cells] = (uint8_t)of->type[entity->facet];
                m->groups[m->n_cells] = g;
                m->offsets[m->n_cells] = m->n_ids + n;
            }
            m->n_cells++;
            m->n_ids += n;
        }
    }
}

/* Numbers the nodes on faces by first use, and takes their coordinates. */
static ritz_status take_points(const ritz_space *space, face_mesh *m)
{
    ritz_status status = RITZ_OK;
    double *all = NULL;
    RITZ_NEW(all, 3 * (int64_t)space->n_nodes);
    RITZ_NEW(m->point, space->n_nodes);
    memset(m->point, -1, (size_t)space->n_nodes * sizeof *m->point);
    RITZ_TRY(ritz_space_family_coordinates(space, RITZ_NODES_EQUISPACED, all));
    for (int64_t i = 0; i < m->n_ids; i++) {
        int32_t *point = &m->point[m->connectivity[i]];
        if (*point < 0)
            *point = (int32_t)m->n_points++;
    }
    RITZ_NEW(m->coordinates, 3 * m->n_points);
    for (int32_t n = 0; n < space->n_nodes; n++)
        if (m->point[n] >= 0)
            memcpy(m->coordinates + 3 * (int64_t)m->point[n], all + 3 * (int64_t)n, 3 * sizeof *all);
    for (int64_t i = 0; i < m->n_ids; i++)
        m->connectivity[i] = m->point[m->connectivity[i]];
done:
    ritz_free(all);
    return status;
}

static ritz_status write_mesh(const char *path, const ritz_space *space, const face_mesh *m)
{
    ritz_status status = RITZ_OK;
    const ritz_result_format *format = ritz_find_result_format(path);
    const ritz_result_shape shape = {
        .mesh = space->mesh, .n_points = m->n_points, .n_cells = m->n_cells, .n_ids = m->n_ids};
    void *file = NULL;
    RITZ_TRY(format->create(path, &shape, &file));
    RITZ_TRY(format->write(file, RITZ_ARRAY_POINTS, 0, m->n_points, m->coordinates));
    RITZ_TRY(format->write(file, RITZ_ARRAY_CONNECTIVITY, 0, m->n_ids, m->connectivity));
    RITZ_TRY(format->write(file, RITZ_ARRAY_OFFSETS, 0, m->n_cells, m->offsets));
    RITZ_TRY(format->write(file, RITZ_ARRAY_TYPES, 0, m->n_cells, m->types));
    RITZ_TRY(format->write(file, RITZ_ARRAY_GROUP, 0, m->n_cells, m->groups));
    RITZ_TRY(format->finish(&file));
done:
    format->destroy(&file);
    return status;
}

ritz_status ritz_write_faces(const char *path, const ritz_space *space)
{
    ritz_status status = RITZ_OK;
    facet_cells cells[RITZ_N_CELLS] = {{{0}, {0}, {NULL}}};
    face_mesh m = {0};
    RITZ_TRY(ritz_check_result_path(path));
    RITZ_TRY(list_facets(space, cells));
    pass_faces(space, cells, &m);
    RITZ_NEW(m.connectivity, m.n_ids);
    RITZ_NEW(m.offsets, m.n_cells);
    RITZ_NEW(m.groups, m.n_cells);
    RITZ_NEW(m.types, m.n_cells);
    pass_faces(space, cells, &m);
    RITZ_TRY(take_points(space, &m));
    RITZ_TRY(write_mesh(path, space, &m));
done:
    free_facets(cells);
    free_mesh(&m);
    return status;
}
