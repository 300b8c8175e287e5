/* *MPC, as far as they are linear for small motions: nodes that stay in a plane or on a line, a distance that is kept, and
   the mean rotation of nodes about an axis. */
#include "base/point.h"
#include "deck/writing.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { NODES_OF_PLANE = 3, NODES_OF_LINE = 2, REPEATED = 3 };

static const struct {
    const char *name;
    ritz_deck_mpc_kind kind;
    int least; /* nodes */
} mpc_kinds[] = {{"PLANE", RITZ_DECK_PLANE, 4},
                 {"STRAIGHT", RITZ_DECK_STRAIGHT, 3},
                 {"BEAM", RITZ_DECK_BEAM, 2},
                 {"MEANROT", RITZ_DECK_MEANROT, 4}};

/* Adds the node of this number, or those of the set of this name in its order. 0 is none. */
static ritz_status add_nodes(const ritz_deck *deck, const char *field, ritz_deck_place place, ritz_deck_mpc *mpc)
{
    ritz_status status = RITZ_OK;
    int64_t number, node, n = 1;
    const int64_t *added = &node;
    if (ritz_deck_integer(field, &number)) {
        if (number == 0)
            return RITZ_OK;
        node = ritz_deck_find_number(deck, false, number);
        if (node < 0)
            return ritz_deck_fail(place, "there is no node %lld", (long long)number);
    } else {
        const int32_t set = ritz_deck_find_set(deck, field, RITZ_GROUP_NODES);
        if (set < 0)
            return ritz_deck_fail(place, "*MPC: '%s' is neither the number of a node nor a set of nodes", field);
        added = deck->groups[set].members;
        n = deck->groups[set].n;
    }
    RITZ_RESIZE(mpc->nodes, mpc->n + n);
    memcpy(mpc->nodes + mpc->n, added, (size_t)n * sizeof *added);
    mpc->n += (int)n;
done:
    return status;
}

/* A kind and its nodes; further lines begin with a number. */
ritz_status ritz_deck_read_mpc(const ritz_deck_analysis *a, const ritz_deck_card *card, int64_t *l, ritz_deck_mpc *mpc)
{
    ritz_status status = RITZ_OK;
    const ritz_deck *deck = a->deck;
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    int64_t number;
    int n = ritz_deck_fields(&deck->lines[*l], fields), least = 0, first = 1;
    const char *name = "";
    *mpc = (ritz_deck_mpc){.place = deck->lines[*l].place};
    for (size_t k = 0; k < sizeof mpc_kinds / sizeof *mpc_kinds; k++)
        if (n > 0 && strcasecmp(fields[0], mpc_kinds[k].name) == 0) {
            mpc->kind = mpc_kinds[k].kind;
            least = mpc_kinds[k].least;
            name = mpc_kinds[k].name;
        }
    if (least == 0)
        return ritz_deck_fail(mpc->place, "*MPC of the kind '%s' is not served; PLANE, STRAIGHT, BEAM and MEANROT are",
                              n > 0 ? fields[0] : "");
    RITZ_TRY(ritz_deck_require_displacements(a, mpc->place, card->words));
    if (a->dim == 2)
        return ritz_deck_fail(mpc->place, "*MPC with plane elements is not served");
    do {
        for (int f = first; f < n; f++)
            RITZ_TRY(add_nodes(deck, fields[f], deck->lines[*l].place, mpc));
        first = 0;
        n = ++*l < card->first + card->n ? ritz_deck_fields(&deck->lines[*l], fields) : 0;
    } while (n > 0 && ritz_deck_integer(fields[0], &number));
    if (mpc->n < least)
        return ritz_deck_fail(mpc->place, "*MPC, %s: %d nodes are named, and %d are the least", name, mpc->n, least);
done:
    return status;
}

static const double *place_of(const ritz_deck_analysis *a, int64_t node)
{
    return a->deck->nodes + 3 * node;
}

static void subtract_points(const double *a, const double *b, double difference[3])
{
    for (int d = 0; d < 3; d++)
        difference[d] = a[d] - b[d];
}

static ritz_status add_along(int64_t node, const double *direction, double weight, ritz_deck_equation *e)
{
    ritz_status status = RITZ_OK;
    for (int d = 0; d < 3; d++)
        if (direction[d] != 0)
            RITZ_TRY(ritz_deck_add_term(e, node, d, weight * direction[d]));
done:
    return status;
}

/* n . (u_i - sum of weights u_k) = 0: node i keeps its place between others along n; its first term is the largest. */
static ritz_status keep_place(int64_t node, const double *n, const int64_t *others, const double *weights, int n_others,
                              ritz_deck_equation *e)
{
    ritz_status status = RITZ_OK;
    int largest = 0;
    for (int d = 1; d < 3; d++)
        largest = fabs(n[d]) > fabs(n[largest]) ? d : largest;
    RITZ_TRY(ritz_deck_add_term(e, node, largest, n[largest]));
    for (int d = 0; d < 3; d++)
        if (d != largest && fabs(n[d]) > 1e-14)
            RITZ_TRY(ritz_deck_add_term(e, node, d, n[d]));
    for (int k = 0; k < n_others; k++)
        if (fabs(weights[k]) > 1e-14)
            RITZ_TRY(add_along(others[k], n, -weights[k], e));
done:
    return status;
}

static ritz_status keep_plane(const ritz_deck_analysis *a, const ritz_deck_mpc *mpc, ritz_deck_equation *e)
{
    ritz_status status = RITZ_OK;
    const double *origin = place_of(a, mpc->nodes[0]);
    double u[3], v[3], n[3], r[3], c[3];
    subtract_points(place_of(a, mpc->nodes[1]), origin, u);
    subtract_points(place_of(a, mpc->nodes[2]), origin, v);
    ritz_cross(u, v, n);
    const double square = ritz_dot(n, n), length = sqrt(square);
    if (length <= 1e-10 * ritz_length(u) * ritz_length(v))
        return ritz_deck_fail(mpc->place, "*MPC, PLANE: the first three nodes lie on a line");
    for (int i = NODES_OF_PLANE; i < mpc->n; i++) {
        double weights[NODES_OF_PLANE], normal[3];
        subtract_points(place_of(a, mpc->nodes[i]), origin, r);
        ritz_cross(r, v, c);
        weights[1] = ritz_dot(c, n) / square;
        ritz_cross(u, r, c);
        weights[2] = ritz_dot(c, n) / square;
        weights[0] = 1 - weights[1] - weights[2];
        for (int d = 0; d < 3; d++)
            normal[d] = n[d] / length;
        RITZ_TRY(keep_place(mpc->nodes[i], normal, mpc->nodes, weights, NODES_OF_PLANE, &e[i - NODES_OF_PLANE]));
    }
done:
    return status;
}

static ritz_status keep_line(const ritz_deck_analysis *a, const ritz_deck_mpc *mpc, ritz_deck_equation *e)
{
    ritz_status status = RITZ_OK;
    const double *origin = place_of(a, mpc->nodes[0]);
    double t[3], r[3], across[2][3], axis[3] = {0};
    int least = 0;
    subtract_points(place_of(a, mpc->nodes[1]), origin, t);
    const double length = ritz_length(t);
    if (length == 0)
        return ritz_deck_fail(mpc->place, "*MPC, STRAIGHT: the first two nodes are at one place");
    for (int d = 1; d < 3; d++)
        least = fabs(t[d]) < fabs(t[least]) ? d : least;
    axis[least] = 1;
    ritz_cross(t, axis, across[0]);
    ritz_scale_to_unit(across[0]);
    ritz_cross(t, across[0], across[1]);
    for (int d = 0; d < 3; d++)
        across[1][d] /= length;
    for (int i = NODES_OF_LINE; i < mpc->n; i++) {
        subtract_points(place_of(a, mpc->nodes[i]), origin, r);
        const double share = ritz_dot(r, t) / (length * length), weights[NODES_OF_LINE] = {1 - share, share};
        for (int k = 0; k < 2; k++)
            RITZ_TRY(keep_place(mpc->nodes[i], across[k], mpc->nodes, weights, NODES_OF_LINE,
                                &e[2 * (i - NODES_OF_LINE) + k]));
    }
done:
    return status;
}

static ritz_status keep_distances(const ritz_deck_analysis *a, const ritz_deck_mpc *mpc, ritz_deck_equation *e)
{
    ritz_status status = RITZ_OK;
    for (int i = 1; i < mpc->n; i++) {
        const double weight = 1;
        double r[3];
        subtract_points(place_of(a, mpc->nodes[i]), place_of(a, mpc->nodes[0]), r);
        if (ritz_scale_to_unit(r) == 0)
            return ritz_deck_fail(mpc->place, "*MPC, BEAM: two nodes are at one place");
        RITZ_TRY(keep_place(mpc->nodes[i], r, mpc->nodes, &weight, 1, &e[i - 1]));
    }
done:
    return status;
}

ritz_status ritz_deck_mean_rotation(const ritz_deck_analysis *a, const ritz_deck_mpc *mpc, ritz_deck_equation *e)
{
    ritz_status status = RITZ_OK;
    const int n = (mpc->n - 1) / REPEATED; /* each node stands there for each of its three displacements */
    double centre[3] = {0}, axis[3], mean[3] = {0}, scale = 1;
    memcpy(axis, place_of(a, mpc->nodes[mpc->n - 1]), sizeof axis);
    const double length = ritz_length(axis);
    if (length == 0)
        return ritz_deck_fail(mpc->place,
                              "*MPC, MEANROT: the coordinates of the last node are the axis, and are zeros");
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            centre[d] += place_of(a, mpc->nodes[REPEATED * i])[d] / n;
    for (int pass = 0; pass < 2; pass++) /* the rotation is that about the mean of the nodes, which moves */
        for (int i = 0; i < n; i++) {
            double r[3], w[3], square = 0;
            subtract_points(place_of(a, mpc->nodes[REPEATED * i]), centre, r);
            ritz_cross(axis, r, w);
            square = ritz_dot(w, w) / (length * length);
            scale = square > 0 ? 1 / (n * length * square) : 0;
            for (int d = 0; d < 3; d++) {
                w[d] *= scale;
                mean[d] += pass == 0 ? w[d] / n : 0;
                if (pass == 1 && fabs(w[d] - mean[d]) > 1e-12 / sqrt(square > 0 ? square : 1))
                    RITZ_TRY(ritz_deck_add_term(e, mpc->nodes[REPEATED * i], d, w[d] - mean[d]));
            }
        }
done:
    return status;
}

ritz_status ritz_deck_list_mpc(const ritz_deck_analysis *a, const ritz_deck_mpc *mpc, int64_t line,
                               ritz_deck_equation **equations, int *n)
{
    ritz_status status = RITZ_OK;
    ritz_deck_equation *e = NULL;
    double value = 0;
    *n = mpc->kind == RITZ_DECK_PLANE      ? mpc->n - NODES_OF_PLANE
         : mpc->kind == RITZ_DECK_STRAIGHT ? 2 * (mpc->n - NODES_OF_LINE)
         : mpc->kind == RITZ_DECK_BEAM     ? mpc->n - 1
                                           : ritz_deck_prescribes_rotation(a, line, &value);
    RITZ_NEW(*equations, *n);
    e = *equations;
    if (*n == 0)
        return RITZ_OK;
    if (mpc->kind == RITZ_DECK_MEANROT) {
        e->value = value;
        return ritz_deck_mean_rotation(a, mpc, e);
    }
    RITZ_TRY(mpc->kind == RITZ_DECK_PLANE      ? keep_plane(a, mpc, e)
             : mpc->kind == RITZ_DECK_STRAIGHT ? keep_line(a, mpc, e)
                                               : keep_distances(a, mpc, e));
done:
    return status;
}

/* A moment on the pilot of a mean rotation is a force at each of its nodes. */
ritz_status ritz_deck_write_mean_moment(ritz_deck_writing *w, const ritz_deck_control *control,
                                        const ritz_deck_load *load, const char *indent)
{
    ritz_status status = RITZ_OK;
    ritz_deck_mpc mpc = {0};
    ritz_deck_equation e = {0};
    int64_t line = control->line;
    RITZ_TRY(ritz_deck_read_mpc(w->a, control->card, &line, &mpc));
    RITZ_TRY(ritz_deck_mean_rotation(w->a, &mpc, &e));
    RITZ_TRY(ritz_deck_write_shares(w, load->place, &e, load->value, indent));
done:
    ritz_free(mpc.nodes);
    ritz_free(e.terms);
    return status;
}
