/* The check that prescribed values stop every motion that costs no energy.

   For each body (connected component of the mesh) the Gram matrix of its rigid motions over the prescribed degrees of
   freedom is formed, about the body's centre and in units of its size: the motions in its null space are free. */
#include "space/motions.h"

#include <math.h>
#include <stdio.h>

/* Eigenvalues below this share of the largest are zero: lever arms under a millionth of the body's size hold nothing.
 */
static const double null_tolerance = 1e-12;

/* A connected component of the mesh. */
typedef struct mesh_body {
    double low[3], high[3];
    double gram[RITZ_MAX_MODES * (RITZ_MAX_MODES + 1) / 2]; /* lower triangle, row by row */
    int64_t n_fixed, n_cells;
    int32_t node; /* one of its nodes; -1: none yet */
} mesh_body;

typedef struct check {
    const ritz_space *space;
    const ritz_constraints *constraints;
    int32_t *component; /* [mesh->n_nodes] */
    int32_t n_bodies;
    mesh_body *bodies;
    bool rigid; /* motions of a displacement field; constants of each component otherwise */
    int n_motions;
} check;

static int32_t body_of(const check *k, const ritz_space_batch *batch, int32_t cell)
{
    return k->component[batch->block->nodes[(int64_t)cell * batch->block->n_nodes]];
}

static void measure_bodies(check *k)
{
    for (int32_t p = 0; p < k->n_bodies; p++) {
        k->bodies[p].node = -1;
        for (int d = 0; d < k->space->dim; d++)
            k->bodies[p].low[d] = INFINITY, k->bodies[p].high[d] = -INFINITY;
    }
    for (int b = 0; b < k->space->n_batches; b++) {
        const ritz_space_batch *batch = &k->space->batches[b];
        for (int32_t c = 0; c < batch->n_cells; c++) {
            mesh_body *body = &k->bodies[body_of(k, batch, c)];
            body->n_cells++;
            for (int32_t n = batch->first_node[c]; n < batch->first_node[c + 1]; n++) {
                body->node = body->node < 0 ? n : body->node;
                for (int d = 0; d < k->space->dim; d++) {
                    double x = k->space->coordinates[(int64_t)n * k->space->dim + d];
                    body->low[d] = fmin(body->low[d], x);
                    body->high[d] = fmax(body->high[d], x);
                }
            }
        }
    }
}

/* Centre of the body's box and its half diagonal. */
static double frame_body(const check *k, const mesh_body *body, double *centre)
{
    double size2 = 0;
    for (int d = 0; d < 3; d++) {
        double half = d < k->space->dim ? 0.5 * (body->high[d] - body->low[d]) : 0;
        centre[d] = d < k->space->dim ? body->low[d] + half : 0;
        size2 += half * half;
    }
    return size2 > 0 ? sqrt(size2) : 1;
}

static void add_fixed_node(const check *k, int32_t node, mesh_body *body)
{
    double centre[3], x[3] = {0, 0, 0}, motions[RITZ_MAX_MODES];
    double size = frame_body(k, body, centre);
    for (int d = 0; d < k->space->dim; d++)
        x[d] = (k->space->coordinates[(int64_t)node * k->space->dim + d] - centre[d]) / size;
    for (int c = 0; c < k->space->n_components; c++) {
        if (!(k->constraints->fixed[node] >> c & 1))
            continue;
        body->n_fixed++;
        for (int m = 0; m < k->n_motions; m++)
            motions[m] = m == c;
        if (k->rigid)
            ritz_rigid_modes(k->space->dim, x, c, motions);
        for (int i = 0, place = 0; i < k->n_motions; i++)
            for (int j = 0; j <= i; j++)
                body->gram[place++] += motions[i] * motions[j];
    }
}

static void gather_fixed(check *k)
{
    for (int b = 0; b < k->space->n_batches; b++) {
        const ritz_space_batch *batch = &k->space->batches[b];
        for (int32_t c = 0; c < batch->n_cells; c++)
            for (int32_t n = batch->first_node[c]; n < batch->first_node[c + 1]; n++)
                if (k->constraints->fixed[n])
                    add_fixed_node(k, n, &k->bodies[body_of(k, batch, c)]);
    }
}

/* The free motions of a body as rows of `null`; returns their number. */
static int find_null_space(const check *k, const mesh_body *body, double null[RITZ_MAX_MODES][RITZ_MAX_MODES])
{
    double gram[RITZ_MAX_MODES][RITZ_MAX_MODES], vectors[RITZ_MAX_MODES][RITZ_MAX_MODES], values[RITZ_MAX_MODES];
    double largest = 0;
    int n = 0;
    for (int i = 0, place = 0; i < k->n_motions; i++)
        for (int j = 0; j <= i; j++, place++)
            gram[i][j] = gram[j][i] = body->gram[place];
    ritz_symmetric_eigen(k->n_motions, gram, values, vectors);
    for (int i = 0; i < k->n_motions; i++)
        largest = fmax(largest, values[i]);
    for (int i = 0; i < k->n_motions; i++)
        if (values[i] <= null_tolerance * largest) {
            for (int m = 0; m < k->n_motions; m++)
                null[n][m] = vectors[m][i];
            n++;
        }
    return n;
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
    ritz_text_add(text, "the mesh has %d parts that share no node, and one of them (%lld cell%s", k->n_bodies,
                  (long long)body->n_cells, body->n_cells == 1 ? "" : "s");
    name_groups(k, p, has, text);
    ritz_text_add(text, ", with a node at (%.4g, %.4g", x[0], x[1]);
    if (k->space->dim == 3)
        ritz_text_add(text, ", %.4g", x[2]);
    ritz_text_add(text, ")) is not held: ");
done:
    ritz_free(has);
    return status;
}

/* What is free, and what to do. */
static void describe_motions(const check *k, const mesh_body *body, int n, double null[RITZ_MAX_MODES][RITZ_MAX_MODES],
                             ritz_text *text)
{
    double centre[3];
    double size = frame_body(k, body, centre);
    if (k->rigid) {
        ritz_text_add(text, body->n_fixed ? "the prescribed displacements leave free "
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
    if (k->n_bodies == 1)
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
            "nodes match",
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
        for (int c = 0; c < space->n_components; c++) {
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

ritz_status ritz_constraints_check(const ritz_space *space, const ritz_constraints *constraints)
{
    ritz_status status = RITZ_OK;
    double null[RITZ_MAX_MODES][RITZ_MAX_MODES];
    check k = {.space = space, .constraints = constraints, .rigid = space->n_components == space->dim};
    k.n_motions = k.rigid ? ritz_n_rigid_modes(space->dim) : space->n_components;
    RITZ_TRY(check_finite(space, constraints));
    RITZ_NEW(k.component, space->mesh->n_nodes);
    RITZ_TRY(ritz_mesh_components(space->mesh, k.component, &k.n_bodies));
    RITZ_NEW(k.bodies, k.n_bodies);
    measure_bodies(&k);
    gather_fixed(&k);
    for (int32_t p = 0; p < k.n_bodies; p++) {
        int n = find_null_space(&k, &k.bodies[p], null);
        if (n > 0)
            RITZ_TRY(report_motion(&k, p, n, null));
    }
done:
    ritz_free(k.component);
    ritz_free(k.bodies);
    return status;
}
