/* The check that prescribed values, equations and springs stop every motion that costs no energy.

   For each body (connected component of the mesh) the Gram matrix of its rigid motions over the prescribed degrees of
   freedom is formed, about the body's centre and in units of its size: the motions in its null space are free. Bodies
   that equations join are taken together, with the motions of each, and so are pieces of a body, which share nodes, where
   those are asked about. */
#include "base/eigen.h"
#include "base/trees.h"
#include "space/motions.h"
#include "space/number.h"

#include <math.h>
#include <stdio.h>

/* Eigenvalues below this share of the largest are zero: lever arms under a millionth of the body's size hold nothing.
 */
static const double null_tolerance = 1e-12;

/* A motion that moves an equation by less than this share of its terms satisfies it. */
static const double rounding = 1e-12;

/* More motions at a time than these are not looked through: they are taken for held. */
enum { MOST_MOTIONS = 300 };

/* A connected component of the mesh. */
typedef struct mesh_body {
    double low[3], high[3];
    int64_t n_held, n_cells; /* n_held: relations that stop motions of this body alone */
    int32_t node;            /* one of its nodes; -1: none yet */
    int32_t group;           /* of bodies that equations join */
    int first;               /* motion of the group that is its first */
} mesh_body;

/* Bodies that equations join; most are alone. */
typedef struct body_group {
    int n;        /* motions */
    double *gram; /* [n][n] */
} body_group;

typedef struct check {
    const ritz_space *space;
    const ritz_constraints *constraints;
    const ritz_dependence *dependence; /* NULL: no equations */
    const uint8_t *held;               /* [n_nodes] components that something else holds, or NULL */
    int32_t *component;                /* [mesh->n_nodes] */
    const int32_t *piece; /* [cells of all blocks] the bodies, which share nodes then; NULL: components are */
    int32_t *node_body;   /* [space->n_nodes]; of pieces that of the cell that has the node first */
    int32_t n_bodies, n_groups;
    mesh_body *bodies;
    body_group *groups;
    bool rigid; /* motions of a displacement field; constants of each component otherwise */
    int n_motions;
} check;

static int32_t body_of(const check *k, const ritz_space_batch *batch, int32_t cell)
{
    int64_t first = 0;
    for (const ritz_mesh_block *b = k->space->mesh->blocks; k->piece && b < batch->block; b++)
        first += b->n_cells;
    return k->piece ? k->piece[first + cell] : k->component[batch->block->nodes[(int64_t)cell * batch->block->n_nodes]];
}

static mesh_body empty_body(int dim)
{
    mesh_body body = {.node = -1};
    for (int d = 0; d < dim; d++)
        body.low[d] = INFINITY, body.high[d] = -INFINITY;
    return body;
}

/* Adds cells first .. last - 1 of a batch to their bodies. */
static void measure_cells(const check *k, const ritz_space_batch *batch, int32_t first, int32_t last, mesh_body *bodies)
{
    const int dim = k->space->dim;
    for (int32_t c = first; c < last; c++) {
        const int32_t number = body_of(k, batch, c);
        mesh_body *body = &bodies[number];
        body->n_cells++;
        for (int i = 0; i < batch->n_shape; i++) {
            const int32_t n = batch->cell_nodes[(int64_t)c * batch->n_shape + i];
            const bool first_use = ritz_is_first_use(k->space, batch, c, n);
            if (!first_use && !k->piece)
                continue;
            body->node = body->node < 0 ? n : body->node;
            if (first_use)
                k->node_body[n] = number;
            for (int d = 0; d < dim; d++) {
                const double x = k->space->coordinates[(int64_t)n * dim + d];
                body->low[d] = x < body->low[d] ? x : body->low[d];
                body->high[d] = x > body->high[d] ? x : body->high[d];
            }
        }
    }
}

static void add_part(int dim, const mesh_body *part, mesh_body *body)
{
    body->n_cells += part->n_cells;
    body->node = body->node < 0 ? part->node : body->node;
    for (int d = 0; d < dim; d++) {
        body->low[d] = part->low[d] < body->low[d] ? part->low[d] : body->low[d];
        body->high[d] = part->high[d] > body->high[d] ? part->high[d] : body->high[d];
    }
}

/* Each batch is cut into stripes of cells; what these have of each body is put together in their order. */
static ritz_status measure_bodies(check *k)
{
    enum { MOST_STRIPES = 64, MOST_PARTS = 4096 };
    ritz_status status = RITZ_OK;
    const ritz_space *space = k->space;
    const int64_t n = k->n_bodies, n_stripes = ritz_max64(1, ritz_min64(MOST_STRIPES, MOST_PARTS / ritz_max64(1, n)));
    mesh_body *parts = NULL; /* [n_batches][n_stripes][n_bodies] */
    RITZ_NEW(parts, space->n_batches * n_stripes * n);
#pragma omp parallel for schedule(static) if (space->n_nodes > PARALLEL_FROM)
    for (int64_t s = 0; s < space->n_batches * n_stripes; s++) {
        const ritz_space_batch *batch = &space->batches[s / n_stripes];
        const int64_t stripe = s % n_stripes, n_cells = batch->n_cells;
        for (int64_t p = 0; p < n; p++)
            parts[s * n + p] = empty_body(space->dim);
        measure_cells(k, batch, (int32_t)(n_cells * stripe / n_stripes), (int32_t)(n_cells * (stripe + 1) / n_stripes),
                      parts + s * n);
    }
    for (int64_t p = 0; p < n; p++) {
        k->bodies[p] = empty_body(space->dim);
        for (int64_t s = 0; s < space->n_batches * n_stripes; s++)
            add_part(space->dim, &parts[s * n + p], &k->bodies[p]);
    }
done:
    ritz_free(parts);
    return status;
}

/* Centre of the body's box and its half diagonal. */
static double measure_body(const check *k, const mesh_body *body, double *centre)
{
    double size2 = 0;
    for (int d = 0; d < 3; d++) {
        double half = d < k->space->dim ? 0.5 * (body->high[d] - body->low[d]) : 0;
        centre[d] = d < k->space->dim ? body->low[d] + half : 0;
        size2 += half * half;
    }
    return size2 > 0 ? sqrt(size2) : 1;
}

/* ---- Bodies that equations join ---- */

static int32_t body_of_dof(const check *k, int64_t dof)
{
    return k->node_body[dof / k->space->n_components];
}

typedef void shared_node(check *k, int32_t node, int32_t body, void *context);

/* Each node of a piece that another one has first. */
static void visit_shared(check *k, shared_node *visit, void *context)
{
    for (int b = 0; k->piece && b < k->space->n_batches; b++) {
        const ritz_space_batch *batch = &k->space->batches[b];
        for (int32_t c = 0; c < batch->n_cells; c++) {
            const int32_t body = body_of(k, batch, c);
            for (int i = 0; i < batch->n_shape; i++) {
                const int32_t node = batch->cell_nodes[(int64_t)c * batch->n_shape + i];
                if (k->node_body[node] != body)
                    visit(k, node, body, context);
            }
        }
    }
}

static void join_pieces(check *k, int32_t node, int32_t body, void *context)
{
    ritz_join_roots(context, k->node_body[node], body);
}

static ritz_status group_bodies(check *k)
{
    ritz_status status = RITZ_OK;
    const ritz_dependence *d = k->dependence;
    int32_t *parent = NULL;
    RITZ_NEW(parent, k->n_bodies);
    RITZ_NEW(k->groups, k->n_bodies);
    for (int32_t p = 0; p < k->n_bodies; p++)
        parent[p] = p;
    for (int64_t i = 0; d && i < d->n_own; i++)
        for (int64_t t = d->start[i]; t < d->start[i + 1]; t++)
            ritz_join_roots(parent, body_of_dof(k, d->row[i]), body_of_dof(k, d->master[t]));
    visit_shared(k, join_pieces, parent);
    for (int32_t p = 0; p < k->n_bodies; p++) { /* a root comes before the others of its group */
        const int32_t root = ritz_find_root(parent, p);
        k->bodies[p].group = root == p ? k->n_groups++ : k->bodies[root].group;
        body_group *group = &k->groups[k->bodies[p].group];
        k->bodies[p].first = group->n;
        group->n += k->n_motions;
    }
    for (int32_t g = 0; g < k->n_groups; g++)
        if (k->groups[g].n <= MOST_MOTIONS)
            RITZ_NEW(k->groups[g].gram, (int64_t)k->groups[g].n * k->groups[g].n);
done:
    ritz_free(parent);
    return status;
}

/* ---- What is held ---- */

/* How much the motions of a body move one of its dofs, times the weight; and the sizes of what was added. */
static void add_motions(const check *k, int32_t of, int64_t dof, double weight, double *sum, double *added)
{
    const int n_c = k->space->n_components, c = (int)(dof % n_c);
    const mesh_body *body = &k->bodies[of];
    double centre[3], x[3] = {0, 0, 0}, motions[RITZ_MAX_MODES];
    const double size = measure_body(k, body, centre);
    for (int d = 0; d < k->space->dim; d++)
        x[d] = (k->space->coordinates[dof / n_c * k->space->dim + d] - centre[d]) / size;
    for (int m = 0; m < k->n_motions; m++)
        motions[m] = m == c;
    if (k->rigid)
        ritz_rigid_modes(k->space->dim, x, c, motions);
    for (int m = 0; m < k->n_motions; m++) {
        sum[body->first + m] += weight * motions[m];
        added[body->first + m] += fabs(weight);
    }
}

/* A relation that holds: the sum of a body's and others' motions is 0. */
static void add_sum(mesh_body *body, int n_motions, body_group *group, double *sum, const double *added)
{
    bool alone = false, others = false;
    for (int i = 0; i < group->n; i++) {
        if (fabs(sum[i]) <= rounding * added[i])
            sum[i] = 0;
        if (i >= body->first && i < body->first + n_motions)
            alone = alone || sum[i] != 0;
        else
            others = others || sum[i] != 0;
    }
    body->n_held += alone && !others;
    for (int i = 0; i < group->n; i++)
        for (int j = 0; sum[i] != 0 && j <= i; j++)
            group->gram[i * group->n + j] += sum[i] * sum[j];
}

/* The dof is that of its masters times the weights, or, with none, does not move. */
static void add_relation(check *k, int64_t dof, int64_t n, const int64_t *masters, const double *weights)
{
    mesh_body *body = &k->bodies[body_of_dof(k, dof)];
    body_group *group = &k->groups[body->group];
    double sum[MOST_MOTIONS] = {0}, added[MOST_MOTIONS] = {0};
    if (!group->gram)
        return;
    add_motions(k, body_of_dof(k, dof), dof, 1, sum, added);
    for (int64_t t = 0; t < n; t++)
        add_motions(k, body_of_dof(k, masters[t]), masters[t], -weights[t], sum, added);
    add_sum(body, k->n_motions, group, sum, added);
}

/* Both pieces move a node that they share alike. */
static void add_shared(check *k, int32_t node, int32_t other, void *context)
{
    (void)context;
    body_group *group = &k->groups[k->bodies[other].group];
    for (int c = 0; group->gram && c < k->space->n_components; c++) {
        const int64_t dof = (int64_t)node * k->space->n_components + c;
        double sum[MOST_MOTIONS] = {0}, added[MOST_MOTIONS] = {0};
        add_motions(k, other, dof, 1, sum, added);
        add_motions(k, k->node_body[node], dof, -1, sum, added);
        add_sum(&k->bodies[other], k->n_motions, group, sum, added);
    }
}

static void gather_relations(check *k)
{
    const ritz_dependence *d = k->dependence;
    const int n_c = k->space->n_components;
    for (int32_t node = 0; node < k->space->n_nodes; node++)
        for (int c = 0; c < n_c; c++)
            if ((k->constraints->fixed[node] | (k->held ? k->held[node] : 0)) >> c & 1)
                add_relation(k, (int64_t)node * n_c + c, 0, NULL, NULL);
    for (int64_t i = 0; d && i < d->n_own; i++)
        add_relation(k, d->row[i], d->start[i + 1] - d->start[i], d->master + d->start[i], d->weight + d->start[i]);
    visit_shared(k, add_shared, NULL);
}

/* The free motions of a group: *null [*n_null][group->n], the caller's. */
static ritz_status find_null_space(const body_group *group, double **null, int *n_null)
{
    ritz_status status = RITZ_OK;
    const int n = group->n;
    double *vectors = NULL, *values = NULL, largest = 0;
    *n_null = 0;
    RITZ_NEW(*null, n * n);
    RITZ_NEW(vectors, n * n);
    RITZ_NEW(values, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            group->gram[j * n + i] = group->gram[i * n + j];
    ritz_symmetric_eigen(n, n, group->gram, values, vectors);
    for (int i = 0; i < n; i++)
        largest = fmax(largest, values[i]);
    for (int i = 0; i < n; i++)
        if (values[i] <= null_tolerance * largest) {
            for (int m = 0; m < n; m++)
                (*null)[*n_null * n + m] = vectors[m * n + i];
            ++*n_null;
        }
done:
    ritz_free(vectors);
    ritz_free(values);
    return status;
}

/* What the free motions of a group do to one body, as independent rows; returns how many. */
static int take_motions(const check *k, int first, int n, int n_null, const double *null,
                        double rows[RITZ_MAX_MODES][RITZ_MAX_MODES])
{
    static const double dependent = 1e-6; /* of what is left of a vector of length 1 or less */
    int n_rows = 0;
    for (int i = 0; i < n_null && n_rows < k->n_motions; i++) {
        double *row = rows[n_rows], length = 0;
        for (int m = 0; m < k->n_motions; m++)
            row[m] = null[i * n + first + m];
        for (int r = 0; r < n_rows; r++) {
            double along = 0;
            for (int m = 0; m < k->n_motions; m++)
                along += row[m] * rows[r][m];
            for (int m = 0; m < k->n_motions; m++)
                row[m] -= along * rows[r][m];
        }
        for (int m = 0; m < k->n_motions; m++)
            length += row[m] * row[m];
        length = sqrt(length);
        if (length < dependent)
            continue;
        for (int m = 0; m < k->n_motions; m++)
            row[m] /= length;
        n_rows++;
    }
    return n_rows;
}

/* The body of the group that moves most. */
static int32_t choose_body(const check *k, int32_t group, int n_null, const double *null)
{
    int32_t body = -1;
    double most = -1;
    for (int32_t p = 0; p < k->n_bodies; p++) {
        double sum = 0;
        if (k->bodies[p].group != group)
            continue;
        for (int i = 0; i < n_null; i++)
            for (int m = 0; m < k->n_motions; m++) {
                const double value = null[i * k->groups[group].n + k->bodies[p].first + m];
                sum += value * value;
            }
        if (sum > most) {
            most = sum;
            body = p;
        }
    }
    return body;
}

static void name_groups(const check *k, int32_t body, bool *has, ritz_text *text)
{
    const ritz_mesh *mesh = k->space->mesh;
    int n = 0;
    for (int b = 0; b < k->space->n_batches; b++) {
        const ritz_space_batch *batch = &k->space->batches[b];
        for (int32_t c = 0; c < batch->n_cells; c++) {
            const ritz_group_set *set = &mesh->sets[batch->block->set[c]];
            for (int g = 0; g < set->n_groups && body_of(k, batch, c) == body; g++)
                has[set->groups[g]] = true;
        }
    }
    for (int g = 0; g < mesh->n_groups; g++)
        if (has[g])
            ritz_text_add(text, "%s'%s'", n++ ? ", " : " of group ", mesh->groups[g].name);
}

/* Which body, in words; nothing when there is only one. */
static ritz_status describe_body(const check *k, int32_t p, ritz_text *text)
{
    ritz_status status = RITZ_OK;
    const mesh_body *body = &k->bodies[p];
    const double *x = k->space->coordinates + (int64_t)body->node * k->space->dim;
    bool *has = NULL;
    if (k->n_bodies == 1)
        goto done;
    RITZ_NEW(has, k->space->mesh->n_groups);
    ritz_text_add(text,
                  k->piece ? "the mesh has %d pieces that share vertices or edges but no faces, and one of them (%lld "
                             "cell%s"
                           : "the mesh has %d parts that share no node, and one of them (%lld cell%s",
                  k->n_bodies, (long long)body->n_cells, body->n_cells == 1 ? "" : "s");
    name_groups(k, p, has, text);
    ritz_text_add(text, ", with a node at (%.4g, %.4g", x[0], x[1]);
    if (k->space->dim == 3)
        ritz_text_add(text, ", %.4g", x[2]);
    ritz_text_add(text, k->piece ? ")) turns on the others as on a hinge: " : ")) is not held: ");
done:
    ritz_free(has);
    return status;
}

/* What is free, and what to do. */
static void describe_motions(const check *k, const mesh_body *body, int n, double null[RITZ_MAX_MODES][RITZ_MAX_MODES],
                             ritz_text *text)
{
    double centre[3];
    double size = measure_body(k, body, centre);
    if (k->rigid) {
        ritz_text_add(text, k->piece       ? "free is "
                            : body->n_held ? "the supports leave free "
                                           : "no displacement is fixed; free are ");
        ritz_name_motions(k->space->dim, n, null, centre, size, text);
        ritz_text_add(text, ": prescribe displacements that stop this");
        return;
    }
    ritz_text_add(text, "no value is prescribed");
    if (k->n_motions > 1)
        for (int c = 0, named = 0; c < k->n_motions; c++) {
            double along = 0; /* the constant of component c lies in the null space, or is orthogonal to it */
            for (int i = 0; i < n; i++)
                along += null[i][c] * null[i][c];
            if (along > 0.5)
                ritz_text_add(text, "%s %d", named++ ? "," : " for component", c + 1);
        }
    ritz_text_add(text, ", so the solution may be shifted by any constant: prescribe a value on a boundary group");
}

static ritz_status describe_touching(const check *k, int32_t p, ritz_text *text)
{
    ritz_status status = RITZ_OK;
    ritz_touching touching;
    if (k->n_bodies == 1 || k->piece)
        goto done;
    RITZ_TRY(ritz_find_touching(k->space, k->component, p, k->bodies[p].low, k->bodies[p].high, &touching));
    if (touching.coincident)
        ritz_text_add(text,
                      "; %lld of its vertices coincide with vertices of other parts without being the same: merge "
                      "duplicate nodes (glue: true in the problem file)",
                      (long long)touching.coincident);
    if (touching.hanging)
        ritz_text_add(
            text,
            "; %lld hanging node%s on faces or edges that it shares with other parts: mesh the parts so that their "
            "nodes match (glue: true of a geometry in the problem file), or tie them (ties there)",
            (long long)touching.hanging, touching.hanging == 1 ? " lies" : "s lie");
done:
    return status;
}

static ritz_status report_motion(const check *k, int32_t p, int n, double null[RITZ_MAX_MODES][RITZ_MAX_MODES])
{
    ritz_status status = RITZ_OK;
    ritz_text text = {0};
    char *message = NULL;
    RITZ_TRY(describe_body(k, p, &text));
    describe_motions(k, &k->bodies[p], n, null, &text);
    RITZ_TRY(describe_touching(k, p, &text));
    RITZ_TRY(ritz_text_take(&text, &message));
    status = ritz_fail(RITZ_ERROR_INPUT, "%s", message);
done:
    ritz_text_free(&text);
    ritz_free(message);
    return status;
}

/* Prescribed values may come from expressions: 1/x at x = 0. */
static ritz_status check_finite(const ritz_space *space, const ritz_constraints *constraints)
{
    ritz_status status = RITZ_OK;
    for (int32_t n = 0; n < space->n_nodes; n++)
        for (int c = 0; constraints->fixed[n] >> c && c < space->n_components; c++) {
            double value = constraints->value[(int64_t)n * space->n_components + c];
            const double *x = space->coordinates + (int64_t)n * space->dim;
            if (!(constraints->fixed[n] >> c & 1) || isfinite(value))
                continue;
            char third[32] = "";
            if (space->dim == 3)
                snprintf(third, sizeof third, ", %.4g", x[2]);
            RITZ_FAIL(RITZ_ERROR_INPUT,
                      "component %d prescribed at (%.4g, %.4g%s) is %g: boundary values must be finite numbers", c + 1,
                      x[0], x[1], third, value);
        }
done:
    return status;
}

static ritz_status check_group(const check *k, int32_t g)
{
    ritz_status status = RITZ_OK;
    double rows[RITZ_MAX_MODES][RITZ_MAX_MODES], *null = NULL;
    int n_null;
    if (!k->groups[g].gram)
        return RITZ_OK;
    RITZ_TRY(find_null_space(&k->groups[g], &null, &n_null));
    if (n_null > 0) {
        const int32_t body = choose_body(k, g, n_null, null);
        const int n = take_motions(k, k->bodies[body].first, k->groups[g].n, n_null, null, rows);
        RITZ_TRY(report_motion(k, body, n, rows));
    }
done:
    ritz_free(null);
    return status;
}

ritz_status ritz_constraints_check_pieces(const ritz_space *space, const ritz_constraints *constraints,
                                          const uint8_t *held, const int32_t *piece, int32_t n_pieces)
{
    ritz_status status = RITZ_OK;
    ritz_dependence *dependence = NULL;
    check k = {.space = space,
               .constraints = constraints,
               .held = held,
               .piece = piece,
               .n_bodies = n_pieces,
               .rigid = space->n_components == space->dim};
    k.n_motions = k.rigid ? ritz_n_rigid_modes(space->dim) : space->n_components;
    RITZ_TRY(check_finite(space, constraints));
    RITZ_TRY(ritz_constraints_resolve(constraints, &dependence));
    k.dependence = dependence;
    RITZ_NEW(k.component, space->mesh->n_nodes);
    RITZ_NEW(k.node_body, space->n_nodes);
    if (!piece)
        RITZ_TRY(ritz_mesh_components(space->mesh, k.component, &k.n_bodies));
    RITZ_NEW(k.bodies, k.n_bodies);
    RITZ_TRY(measure_bodies(&k));
    RITZ_TRY(group_bodies(&k));
    gather_relations(&k);
    for (int32_t g = 0; g < k.n_groups; g++)
        RITZ_TRY(check_group(&k, g));
done:
    for (int32_t g = 0; k.groups && g < k.n_groups; g++)
        ritz_free(k.groups[g].gram);
    ritz_free(k.groups);
    ritz_free(k.component);
    ritz_free(k.node_body);
    ritz_free(k.bodies);
    ritz_dependence_destroy(&dependence);
    return status;
}

ritz_status ritz_constraints_check(const ritz_space *space, const ritz_constraints *constraints, const uint8_t *held)
{
    return ritz_constraints_check_pieces(space, constraints, held, NULL, 0);
}
