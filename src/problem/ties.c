/* Ties: each node of some faces follows the point of other faces that it lies on, by the shape functions there, whether
   or not the meshes match. The point is the nearest one of the curved faces; over a gap displacements turn as the face does. */
#include "base/point.h"
#include "integrate/element.h"
#include "problem/drive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double default_tolerance = 0.05; /* of the mean size of the faces that are tied to */
static const double coarse = 1.2;             /* times the size of the faces that are tied to */
/* Of that size: gaps that are rounding of coordinates; and those that are wide, over which the turn of one face is no guide. */
static const double closed = 1e-6, wide = 0.5;
/* Of the area of such a face: points where one is folded, as at the tip of quarter-point elements, have no normal. */
static const double flat = 1e-3;
static const double same_face = 0.8660254; /* cosine of the angle under which two nodes are held in one direction */

/* A face that nodes may lie on. */
typedef struct target_facet {
    const ritz_mesh_entity *entity;
    double low[3], high[3];
} target_facet;

typedef struct target_list {
    const ritz_drive *drive;
    int64_t n;
    target_facet *facets; /* by their least coordinate along `axis` */
    int axis;
    double widest, mean, largest; /* extent along the axis; mean and largest diagonal of their boxes */
    ritz_basis *geometry[RITZ_N_CELLS];
    const ritz_held_directions *held; /* along axes of nodes' own, by equations that come later */
} target_list;

/* The nearest point of a facet. */
typedef struct footing {
    const ritz_mesh_entity *entity;
    double reference[3], x[3], distance;
    double span[3][3];    /* the facet's first vertex and edges in the reference cell, */
    double tangent[2][3]; /* and the edges in space, there; 2D: the second one is 0 */
} footing;

/* ---- Faces ---- */

static bool is_facet_of(const ritz_mesh *mesh, const ritz_mesh_entity *entity, const ritz_names *names)
{
    for (int i = 0; i < names->n; i++)
        if (ritz_mesh_is_facet_of(mesh, entity, ritz_next_group(mesh, names->name[i], mesh->dim - 1, 0)))
            return true;
    return false;
}

/* The box of the facet's corners, from which a curved one may stand out: see margin_of. */
static void measure_facet(const ritz_mesh *mesh, target_facet *facet)
{
    for (int d = 0; d < 3; d++) {
        facet->low[d] = INFINITY;
        facet->high[d] = -INFINITY;
        for (int v = 0; v < facet->entity->n_vertices; v++) {
            const double x = mesh->nodes[3 * (int64_t)facet->entity->vertices[v] + d];
            facet->low[d] = fmin(facet->low[d], x);
            facet->high[d] = fmax(facet->high[d], x);
        }
    }
}

static double diagonal_of(const target_facet *facet)
{
    double sum = 0;
    for (int d = 0; d < 3; d++)
        sum += (facet->high[d] - facet->low[d]) * (facet->high[d] - facet->low[d]);
    return sqrt(sum);
}

/* qsort has no context: the key stands in the items. */
typedef struct sorted_facet {
    double low;
    int64_t number;
    target_facet facet;
} sorted_facet;

static int by_low(const void *a, const void *b)
{
    const sorted_facet *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static ritz_status sort_facets(target_list *list)
{
    ritz_status status = RITZ_OK;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    sorted_facet *sorted = NULL;
    RITZ_NEW(sorted, list->n);
    for (int64_t k = 0; k < list->n; k++)
        for (int d = 0; d < 3; d++) {
            low[d] = fmin(low[d], list->facets[k].low[d]);
            high[d] = fmax(high[d], list->facets[k].high[d]);
        }
    for (int d = 1; d < 3; d++)
        if (high[d] - low[d] > high[list->axis] - low[list->axis])
            list->axis = d;
    for (int64_t k = 0; k < list->n; k++)
        sorted[k] = (sorted_facet){list->facets[k].low[list->axis], k, list->facets[k]};
    qsort(sorted, (size_t)list->n, sizeof *sorted, by_low);
    for (int64_t k = 0; k < list->n; k++) {
        list->facets[k] = sorted[k].facet;
        list->widest = fmax(list->widest, list->facets[k].high[list->axis] - list->facets[k].low[list->axis]);
        list->mean += diagonal_of(&list->facets[k]) / (double)list->n;
        list->largest = fmax(list->largest, diagonal_of(&list->facets[k]));
    }
done:
    ritz_free(sorted);
    return status;
}

static ritz_status list_targets(const ritz_names *names, target_list *list)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = list->drive->mesh;
    RITZ_NEW(list->facets, mesh->n_entities);
    for (int32_t e = 0; e < mesh->n_entities; e++) {
        const ritz_mesh_entity *entity = &mesh->entities[e];
        if (!is_facet_of(mesh, entity, names))
            continue;
        list->facets[list->n].entity = entity;
        measure_facet(mesh, &list->facets[list->n++]);
    }
    for (int b = 0; b < mesh->n_blocks; b++)
        RITZ_TRY(ritz_basis_create(mesh->blocks[b].cell, mesh->blocks[b].geometry_order, RITZ_NODES_LOBATTO,
                                   &list->geometry[b]));
    RITZ_TRY(sort_facets(list));
done:
    return status;
}

/* ---- The nearest point ---- */

/* Coordinates on a facet, each from 0 on; a triangle's add up to no more than 1. */
static void clamp_local(int n_vertices, double *s)
{
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < 2; k++)
            s[k] = fmin(fmax(s[k], 0), 1);
        const double over = n_vertices == 3 ? s[0] + s[1] - 1 : 0;
        for (int k = 0; k < 2 && over > 0; k++)
            s[k] -= over / 2;
    }
}

/* The facet's first vertex and its two (in 2D one) edges from there, in the reference cell. */
static void span_facet(ritz_cell cell, int facet, double span[3][3])
{
    const ritz_topology *topology = ritz_cell_topology(cell);
    const double *vertices = ritz_cell_vertices(cell);
    const int *v = topology->facets[facet], n = topology->facet_n_vertices[facet], dim = topology->dim;
    memset(span, 0, 9 * sizeof(double));
    for (int d = 0; d < dim; d++) {
        span[0][d] = vertices[v[0] * dim + d];
        span[1][d] = vertices[v[1] * dim + d] - span[0][d];
        span[2][d] = n > 2 ? vertices[v[n - 1] * dim + d] - span[0][d] : 0;
    }
}

/* The place in space of a point of the facet, and how it moves with the two coordinates. */
static ritz_status map_local(const target_list *list, const ritz_mesh_entity *entity, double span[3][3],
                             const double *s, double *reference, double *x, double tangent[2][3])
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = list->drive->mesh;
    const ritz_mesh_block *block = &mesh->blocks[entity->block];
    const ritz_basis *basis = list->geometry[entity->block];
    double psi[4 * RITZ_MAX_SHAPE];
    for (int d = 0; d < 3; d++) {
        reference[d] = span[0][d] + s[0] * span[1][d] + s[1] * span[2][d];
        x[d] = tangent[0][d] = tangent[1][d] = 0;
    }
    RITZ_TRY(ritz_basis_tabulate(basis, 1, reference, psi));
    for (int g = 0; g < basis->n_shape; g++) {
        const double *node = &mesh->nodes[3 * (int64_t)block->nodes[(int64_t)entity->cell * block->n_nodes + g]];
        for (int d = 0; d < 3; d++) {
            x[d] += psi[g] * node[d];
            for (int k = 0; k < 2; k++)
                for (int e = 0; e < mesh->dim; e++)
                    tangent[k][d] += psi[(1 + e) * basis->n_shape + g] * span[1 + k][e] * node[d];
        }
    }
done:
    return status;
}

/* By Gauss and Newton from the middle, within the facet. */
static ritz_status find_footing(const target_list *list, const ritz_mesh_entity *entity, const double *p, footing *f)
{
    ritz_status status = RITZ_OK;
    enum { MOST_STEPS = 30 };
    const int n = entity->n_vertices;
    double s[2] = {n == 2 ? 0.5 : n == 3 ? 1. / 3 : 0.5, n == 2 ? 0 : n == 3 ? 1. / 3 : 0.5};
    double(*const tangent)[3] = f->tangent, *const x = f->x;
    span_facet(list->drive->space->batches[entity->block].cell, entity->facet, f->span);
    f->entity = entity;
    for (int step = 0; step <= MOST_STEPS; step++) {
        double a[2][2] = {{0}}, b[2] = {0}, before[2] = {s[0], s[1]};
        RITZ_TRY(map_local(list, entity, f->span, s, f->reference, x, tangent));
        f->distance =
            sqrt((p[0] - x[0]) * (p[0] - x[0]) + (p[1] - x[1]) * (p[1] - x[1]) + (p[2] - x[2]) * (p[2] - x[2]));
        for (int i = 0; i < 2; i++)
            for (int d = 0; d < 3; d++) {
                b[i] += tangent[i][d] * (p[d] - x[d]);
                for (int j = 0; j < 2; j++)
                    a[i][j] += tangent[i][d] * tangent[j][d];
            }
        if (n == 2)
            a[1][1] = 1;
        const double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        if (!(det > 0) || step == MOST_STEPS)
            break;
        s[0] += (a[1][1] * b[0] - a[0][1] * b[1]) / det;
        s[1] += (a[0][0] * b[1] - a[1][0] * b[0]) / det;
        clamp_local(n, s);
        if (fabs(s[0] - before[0]) + fabs(s[1] - before[1]) < 1e-15)
            break;
    }
done:
    return status;
}

/* How far from the box of its corners points of a curved facet may lie, and those tied to it. */
static double margin_of(double diagonal, double tolerance)
{
    return tolerance + 0.25 * diagonal;
}

/* The nearest of all facets within the tolerance; entity NULL: there is none, and distance is that to the nearest of
   those looked at. */
static ritz_status find_partner(const target_list *list, const double *p, double tolerance, footing *best)
{
    ritz_status status = RITZ_OK;
    const double place = p[list->axis], reach = margin_of(list->largest, tolerance);
    int64_t low = 0, high = list->n;
    *best = (footing){.distance = INFINITY};
    while (low < high) { /* the first facet that may reach p */
        const int64_t middle = (low + high) / 2;
        if (list->facets[middle].low[list->axis] < place - list->widest - reach)
            low = middle + 1;
        else
            high = middle;
    }
    for (int64_t k = low; k < list->n && list->facets[k].low[list->axis] <= place + reach; k++) {
        const target_facet *facet = &list->facets[k];
        const double margin = margin_of(diagonal_of(facet), tolerance);
        bool near = true;
        footing f;
        for (int d = 0; d < 3; d++)
            near = near && p[d] >= facet->low[d] - margin && p[d] <= facet->high[d] + margin;
        if (!near)
            continue;
        RITZ_TRY(find_footing(list, facet->entity, p, &f));
        if (f.distance < best->distance * (1 - 1e-9))
            *best = f;
    }
    if (!(best->distance <= tolerance))
        best->entity = NULL;
done:
    return status;
}

/* ---- Equations ---- */

/* What a gap adds: the facet turns by its displacements, and takes the gap with it as a rigid arm. So a rigid motion of the whole strains
   nothing, and forces across the gap balance with their moments; of the displacements those of the facet's nodes alone take part. */
typedef struct gap_arm {
    double arm[3];     /* from the footing to the node */
    double normal[3];  /* of the facet, of length 1 */
    double dual[2][3]; /* along the facet: dual[k] tangent[l] is 1 if k = l, else 0 */
} gap_arm;

/* false: there is no gap or a wide one, nothing that turns, or a facet without a normal. */
static bool find_arm(const target_list *list, const double *node, const footing *f, gap_arm *gap)
{
    static const double z[3] = {0, 0, 1};
    const double *const second = list->drive->mesh->dim == 2 ? z : f->tangent[1];
    ritz_cross(f->tangent[0], second, gap->normal);
    const double area = ritz_scale_to_unit(gap->normal);
    ritz_cross(second, gap->normal, gap->dual[0]);
    ritz_cross(gap->normal, f->tangent[0], gap->dual[1]);
    for (int d = 0; d < 3; d++) {
        gap->arm[d] = node[d] - f->x[d];
        gap->dual[0][d] /= area;
        gap->dual[1][d] /= area;
    }
    return list->drive->problem->physics->vector && f->distance > closed * list->mean &&
           f->distance <= wide * list->mean && area > flat * pow(list->mean, list->drive->mesh->dim - 1);
}

/* add[c][k]: component c of what the gap adds, times component k of the displacement of a node; the derivatives of its shape function in
   the reference cell, [dim], stand `stride` apart. The facet turns by grad u_n x n, and about its normal n by half of the curl along it. */
static void turn_arm(const gap_arm *gap, const footing *f, int dim, int stride, const double *derivatives,
                     double add[3][3])
{
    double slope[3] = {0}, across[3], turn[3], moved[3];
    const double *const n = gap->normal;
    for (int k = 0; k < dim - 1; k++)
        for (int e = 0; e < dim; e++)
            for (int d = 0; d < 3; d++)
                slope[d] += gap->dual[k][d] * f->span[1 + k][e] * derivatives[e * stride];
    ritz_cross(slope, n, across);
    for (int k = 0; k < 3; k++) {
        for (int d = 0; d < 3; d++)
            turn[d] = n[k] * across[d] - n[d] * across[k] / 2;
        ritz_cross(turn, gap->arm, moved);
        for (int c = 0; c < 3; c++)
            add[c][k] = moved[c];
    }
}

static const double no_weight = 1e-12;

/* Whether component c is prescribed at the node and at the footing, where nothing is left to tie. */
static bool is_prescribed(const ritz_constraints *constraints, int n_c, int c, int32_t node, int n_shape,
                          const int32_t *nodes, const double *psi)
{
    bool prescribed = ritz_is_marked(constraints->fixed, n_c, (int64_t)node * n_c + c);
    for (int i = 0; i < n_shape; i++)
        prescribed = prescribed &&
                     (fabs(psi[i]) < no_weight || ritz_is_marked(constraints->fixed, n_c, (int64_t)nodes[i] * n_c + c));
    return prescribed;
}

/* The directions held at a node: the first of *n. */
static const ritz_held_direction *find_held(const target_list *list, int32_t node, int64_t *n)
{
    const ritz_held_directions *held = list->held;
    int64_t low = 0, high = held->n;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (held->list[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    for (*n = 0; low + *n < held->n && held->list[low + *n].node == node;)
        ++*n;
    return *n > 0 ? held->list + low : NULL;
}

static bool holds(const target_list *list, int32_t node, const double direction[3])
{
    int64_t n;
    const ritz_held_direction *held = find_held(list, node, &n);
    for (int64_t k = 0; k < n; k++)
        if (fabs(ritz_dot(held[k].normal, direction)) > same_face)
            return true;
    return false;
}

/* basis[3][3], orthonormal: in which directions supports hold the node and the footing, along axes of their own. There the facet's turn
   would be prescribed, too. */
static int find_both_held(const target_list *list, int32_t node, int n_shape, const int32_t *nodes, const double *psi,
                          double basis[3][3])
{
    static const double independent = 0.1;
    int64_t n;
    int n_basis = 0;
    const ritz_held_direction *held = find_held(list, node, &n);
    for (int64_t k = 0; k < n && n_basis < 3; k++) {
        double *const rest = basis[n_basis];
        bool both = true;
        for (int i = 0; i < n_shape && both; i++)
            both = fabs(psi[i]) < no_weight || holds(list, nodes[i], held[k].normal);
        memcpy(rest, held[k].normal, sizeof basis[0]);
        for (int b = 0; b < n_basis; b++) {
            const double along = ritz_dot(rest, basis[b]);
            for (int d = 0; d < 3; d++)
                rest[d] -= along * basis[b][d];
        }
        n_basis += both && ritz_scale_to_unit(rest) > independent;
    }
    return n_basis;
}

static void leave_out(int n_basis, double basis[3][3], double add[3][3])
{
    for (int b = 0; b < n_basis; b++)
        for (int k = 0; k < 3; k++) {
            double along = 0;
            for (int c = 0; c < 3; c++)
                along += basis[b][c] * add[c][k];
            for (int c = 0; c < 3; c++)
                add[c][k] -= basis[b][c] * along;
        }
}

/* What the equations of one node have in common. */
typedef struct tie_node {
    int32_t node;
    bool turns;                           /* the gap adds anything: there are as many components as axes */
    int n_shape, n_own;                   /* nodes of the cell, and of those that the footing lies on */
    const int32_t *nodes;                 /* [n_shape] */
    double psi[4 * RITZ_MAX_SHAPE];       /* and derivatives in the reference cell */
    double add[RITZ_MAX_SHAPE][3][3];     /* what a gap adds, of each node */
    int64_t dofs[1 + 3 * RITZ_MAX_SHAPE]; /* of an equation, and weights */
    double weights[1 + 3 * RITZ_MAX_SHAPE];
} tie_node;

static void find_additions(const target_list *list, const double *x, const footing *f, tie_node *t)
{
    gap_arm gap;
    double basis[3][3];
    memset(t->add, 0, (size_t)t->n_shape * sizeof t->add[0]);
    t->turns = find_arm(list, x, f, &gap);
    if (!t->turns)
        return;
    const int n_basis = find_both_held(list, t->node, t->n_shape, t->nodes, t->psi, basis);
    for (int i = 0; i < t->n_shape; i++) {
        turn_arm(&gap, f, list->drive->space->dim, t->n_shape, t->psi + t->n_shape + i, t->add[i]);
        leave_out(n_basis, basis, t->add[i]);
    }
}

/* Terms of component c: the node, then this component at the nodes of the footing, then what a gap adds. */
static int list_terms(tie_node *t, int n_c, int c)
{
    int n = 0;
    t->dofs[n] = (int64_t)t->node * n_c + c;
    t->weights[n++] = 1;
    for (int i = 0; i < t->n_shape; i++)
        if (fabs(t->psi[i]) >= no_weight) {
            t->dofs[n] = (int64_t)t->nodes[i] * n_c + c;
            t->weights[n++] = -t->psi[i] - (t->turns ? t->add[i][c][c] : 0);
        }
    t->n_own = n - 1;
    for (int i = 0; i < t->n_shape; i++)
        for (int k = 0; k < n_c && t->turns; k++) {
            const bool own = k == c && fabs(t->psi[i]) >= no_weight;
            t->dofs[n] = (int64_t)t->nodes[i] * n_c + k;
            t->weights[n] = -t->add[i][c][k];
            n += !own && fabs(t->weights[n]) >= no_weight;
        }
    return n;
}

/* u at the node is that of the shape functions at the footing, and what a gap adds, component by component; *n_own: nodes of the
   footing. t: room. */
static ritz_status bind_node(const target_list *list, int32_t node, const double *x, const footing *f, tie_node *t,
                             ritz_constraints *constraints, int32_t *n_own)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = list->drive->space;
    const ritz_space_batch *batch = &space->batches[f->entity->block];
    const int n_c = space->n_components;
    t->node = node;
    t->n_shape = batch->n_shape;
    t->nodes = batch->cell_nodes + (int64_t)f->entity->cell * batch->n_shape;
    RITZ_TRY(ritz_basis_tabulate(batch->basis, 1, f->reference, t->psi));
    find_additions(list, x, f, t);
    for (int c = 0; c < n_c; c++) {
        const int n = list_terms(t, n_c, c);
        if (is_prescribed(constraints, n_c, c, node, t->n_shape, t->nodes, t->psi))
            continue;
        RITZ_TRY(ritz_constraints_add_equation(constraints, n, t->dofs, t->weights, 0));
        *n_own = t->n_own;
    }
done:
    return status;
}

static ritz_status tell_lost(const ritz_drive *drive, const ritz_tie *tie, int32_t n_all, int32_t n_lost,
                             const double *x, double tolerance)
{
    if (n_lost == n_all)
        return ritz_fail_at(RITZ_ERROR_INPUT, &tie->place,
                            "none of the %d nodes of '%s' lies on '%s' within %.3g; check the groups, or set "
                            "'tolerance'",
                            n_all, tie->from.name[0], tie->to.name[0], tolerance);
    if (n_lost > 0)
        ritz_stage_line(
            drive->problem,
            "warning    %d of the %d nodes of '%s' do not lie on '%s' within %.3g and stay free, one at (%g, "
            "%g, %g); if they should be tied set 'tolerance'",
            n_lost, n_all, tie->from.name[0], tie->to.name[0], tolerance, x[0], x[1], x[2]);
    return RITZ_OK;
}

/* Where `from` is the coarser side, nodes of the other one between its nodes are held by nothing and bulge out. */
static void tell_coarse(const ritz_drive *drive, const ritz_tie *tie, double to)
{
    double sum = 0;
    int64_t n = 0;
    for (int32_t e = 0; e < drive->mesh->n_entities; e++) {
        target_facet facet = {.entity = &drive->mesh->entities[e]};
        if (!is_facet_of(drive->mesh, facet.entity, &tie->from))
            continue;
        measure_facet(drive->mesh, &facet);
        sum += diagonal_of(&facet);
        n++;
    }
    if (sum > coarse * to * (double)n)
        ritz_stage_line(
            drive->problem,
            "warning    the faces '%s' are coarser than '%s', to which they are tied (%.3g and %.3g across): "
            "nodes of '%s' between theirs stay free, and stresses near by are wrong; exchange 'from' and "
            "'to' (in decks both surfaces of *TIE)",
            tie->from.name[0], tie->to.name[0], sum / (double)n, to, tie->to.name[0]);
}

static ritz_status add_tie(const ritz_drive *drive, const ritz_tie *tie, bool tell, const ritz_held_directions *held,
                           ritz_constraints *constraints, int32_t *n_own)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = drive->space;
    target_list list = {.drive = drive, .held = held};
    tie_node *room = NULL;
    int32_t *mark = NULL, n_all = 0, n_lost = 0;
    double lost[3] = {0};
    RITZ_NEW(mark, space->n_nodes);
    RITZ_NEW(room, 1);
    RITZ_TRY(list_targets(&tie->to, &list));
    RITZ_TRY(ritz_mark_nodes(drive, &tie->from, 1, mark));
    const double tolerance = tie->tolerance > 0 ? tie->tolerance : default_tolerance * list.mean;
    for (int32_t node = 0; node < space->n_nodes; node++) {
        double x[3];
        footing f;
        if (!mark[node])
            continue;
        RITZ_TRY(ritz_check_interrupt());
        ritz_space_get_place(space, node, x);
        RITZ_TRY(find_partner(&list, x, tolerance, &f));
        n_all++;
        if (!f.entity) {
            if (n_lost++ == 0)
                memcpy(lost, x, sizeof lost);
            continue;
        }
        RITZ_TRY(bind_node(&list, node, x, &f, room, constraints, &n_own[node]));
    }
    if (tell) {
        RITZ_TRY(tell_lost(drive, tie, n_all, n_lost, lost, tolerance));
        tell_coarse(drive, tie, list.mean);
    }
done:
    ritz_free(mark);
    ritz_free(room);
    ritz_free(list.facets);
    for (int b = 0; b < RITZ_N_CELLS; b++)
        ritz_basis_destroy(&list.geometry[b]);
    return status;
}

ritz_status ritz_add_ties(const ritz_drive *drive, bool tell, const ritz_held_directions *held,
                          ritz_constraints *constraints, int32_t *n_own)
{
    ritz_status status = RITZ_OK;
    const ritz_joins *joins = &drive->problem->joins;
    for (int i = 0; i < joins->n_ties; i++)
        RITZ_TRY(add_tie(drive, &joins->ties[i], tell, held, constraints, n_own));
done:
    return status;
}
