/* What supports carry: r = A u - f at the degrees of freedom that are prescribed, joined by equations or held by springs,
   summed over each support, and the balance with all loads. The assembled matrix has lost these rows, so the cells at the supports are gone through again,
   on host threads. */
#include "base/point.h"
#include "problem/drive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bits of the components of a node where a force other than a load may act. */
static int supports_of(const ritz_drive *drive, int32_t node)
{
    return drive->held[node] | (drive->joined ? drive->joined[node] : 0);
}

static void mark_dof(int n_components, int64_t dof, uint8_t *marks)
{
    marks[dof / n_components] |= (uint8_t)(1 << dof % n_components);
}

/* Bits of what equations make of other unknowns, and of these. */
static void mark_equations(const ritz_dependence *d, uint8_t *marks)
{
    for (int64_t i = 0; d && i < d->n_own; i++) {
        mark_dof(d->n_components, d->row[i], marks);
        for (int64_t k = d->start[i]; k < d->start[i + 1]; k++)
            mark_dof(d->n_components, d->master[k], marks);
    }
}

ritz_status ritz_keep_supports(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_constraints *constraints = drive->constraints;
    const ritz_dependence *d = drive->dependence;
    const bool forces = drive->problem->physics->vector;
    const bool joins = d || (forces && (drive->n_films > 0 || drive->n_springs > 0));
    int32_t *nodes = NULL, n;
    if (!(forces || ritz_has_flows(drive)) || drive->problem->form_file || (constraints->n_fixed == 0 && !joins))
        return RITZ_OK;
    RITZ_NEW(drive->held, constraints->n_nodes);
    memcpy(drive->held, constraints->fixed, (size_t)constraints->n_nodes * sizeof *drive->held);
    if (joins)
        RITZ_NEW(drive->joined, constraints->n_nodes);
    mark_equations(d, drive->joined);
    for (int64_t k = 0; k < drive->n_springs; k++)
        drive->joined[drive->springs[k].node] |= (uint8_t)(1 << drive->springs[k].component);
    if (d) {
        RITZ_TRY(ritz_keep_equations(drive));
        ritz_warn_of_shared_supports(drive);
    }
    for (int k = 0; forces && k < drive->n_films; k++) {
        RITZ_TRY(ritz_space_group_nodes(drive->space, drive->films[k].group, &nodes, &n));
        for (int32_t i = 0; i < n; i++)
            drive->joined[nodes[i]] |= (uint8_t)drive->films[k].axes;
        ritz_free(nodes);
        nodes = NULL;
    }
done:
    ritz_free(nodes);
    return status;
}

/* sums[n_components + 1]: of the right-hand side at the free unknowns of nodes from `first` on, before `end`, and of its
   magnitudes. */
static void sum_free(const ritz_drive *drive, int32_t first, int32_t end, const double *rhs, double *sums)
{
    const int n_c = drive->space->n_components;
    const uint8_t *gone = drive->dependence ? drive->dependence->gone : drive->held;
    for (int32_t node = first; node < end; node++)
        for (int c = 0; c < n_c; c++)
            if (!(gone[node] >> c & 1)) {
                sums[c] += rhs[(int64_t)node * n_c + c];
                sums[n_c] += fabs(rhs[(int64_t)node * n_c + c]);
            }
}

ritz_status ritz_sum_loads(ritz_drive *drive, int r)
{
    enum { RUN = 16384 }; /* nodes: sums of the same bits for any number of threads */
    ritz_status status = RITZ_OK;
    const int n_c = drive->space->n_components;
    const int32_t n_nodes = drive->space->n_nodes, n_parts = (n_nodes + RUN - 1) / RUN;
    double *rhs = drive->vector[r], *applied = drive->problem->case_results[r].balance.applied, *sums = NULL;
    if (!drive->held || !drive->problem->physics->vector)
        return RITZ_OK;
    RITZ_NEW(sums, (int64_t)n_parts * (n_c + 1));
    RITZ_TRY(ritz_matrix_read_vector(drive->system->matrix, drive->system->rhs, rhs));
#pragma omp parallel for schedule(static)
    for (int32_t k = 0; k < n_parts; k++)
        sum_free(drive, k * RUN, k + 1 < n_parts ? (k + 1) * RUN : n_nodes, rhs, sums + (int64_t)k * (n_c + 1));
    for (int32_t k = 0; k < n_parts; k++) {
        for (int c = 0; c < n_c && !drive->joined; c++)
            applied[c] += sums[(int64_t)k * (n_c + 1) + c];
        drive->load_size[r] += sums[(int64_t)k * (n_c + 1) + n_c];
    }
    for (int c = 0; drive->joined && c < n_c; c++)
        applied[c] += drive->applied[c];
done:
    ritz_free(sums);
    return status;
}

/* ---- The vector of reactions ---- */

/* Sums over the cells at supports: action += A u, load += f, which are whole at what is prescribed, and from_values +=
   A g with the prescribed values g alone. All are [n_dofs]. */
typedef struct sums {
    const double *solution, *values; /* values: NULL where all are zero */
    double *action, *load, *from_values;
    double scale;    /* of measure_scale */
    double balanced; /* what the imbalance is relative to where supports carry less */
} sums;

bool ritz_cell_is_at_support(const void *drive_batch, int32_t cell)
{
    const ritz_drive_batch *of = drive_batch;
    const ritz_drive *drive = of->drive;
    const ritz_space_batch *b = &drive->space->batches[of->batch];
    for (int i = 0; i < b->n_shape; i++)
        if (drive->held[b->cell_nodes[(int64_t)cell * b->n_shape + i]] ||
            (drive->joined && drive->joined[b->cell_nodes[(int64_t)cell * b->n_shape + i]]))
            return true;
    return false;
}

static ritz_status add_batch(const ritz_drive *drive, int b, const sums *s)
{
    ritz_status status = RITZ_OK;
    const ritz_drive_batch of = {drive, b};
    const ritz_integral integral = ritz_batch_integral(drive, b, drive->data[b]);
    int32_t *cells = NULL, n;
    RITZ_TRY(ritz_choose_cells(integral.batch, ritz_cell_is_at_support, &of, &cells, &n));
    RITZ_TRY(ritz_add_element_vectors(&integral, s->solution, cells, n, 1, s->action));
    if (s->values)
        RITZ_TRY(ritz_add_element_vectors(&integral, s->values, cells, n, 1, s->from_values));
    RITZ_TRY(ritz_add_element_vectors(&integral, NULL, cells, n, 1, s->load));
done:
    ritz_free(cells);
    return status;
}

/* The constants of equations: what a row is beside its masters, 0 where that is rounding. */
static void add_offsets(const ritz_dependence *d, const double *solution, double *values)
{
    static const double cancelled = 1e-12;
    for (int64_t i = 0; d && i < d->n_own; i++) {
        double offset = solution[d->row[i]], size = fabs(offset);
        for (int64_t k = d->start[i]; k < d->start[i + 1]; k++) {
            offset -= d->weight[k] * solution[d->master[k]];
            size += fabs(d->weight[k] * solution[d->master[k]]);
        }
        values[d->row[i]] = fabs(offset) > cancelled * size ? offset : 0;
    }
}

/* The values of a solution that are prescribed, also through equations, 0 elsewhere; NULL where all are 0. */
static ritz_status get_values(const ritz_drive *drive, const double *solution, double **values)
{
    ritz_status status = RITZ_OK;
    const int n_c = drive->space->n_components;
    bool any = false;
    RITZ_NEW(*values, ritz_space_n_dofs(drive->space));
    add_offsets(drive->dependence, solution, *values);
    for (int32_t node = 0; node < drive->space->n_nodes; node++)
        for (int c = 0; (drive->held[node] || drive->dependence) && c < n_c; c++) {
            const int64_t i = (int64_t)node * n_c + c;
            if (drive->held[node] >> c & 1)
                (*values)[i] = solution[i];
            any = any || (*values)[i] != 0;
        }
    if (!any)
        ritz_free(*values);
    *values = any ? *values : NULL;
done:
    return status;
}

/* ---- Sums ---- */

/* The name of what an entry holds by; NULL: it is no support. */
static const char *key_of_support(const ritz_physics *physics, const ritz_boundary *entry)
{
    for (int k = 0; k < physics->n_boundary; k++) {
        const ritz_boundary_kind kind = physics->boundary[k].kind;
        if (kind == RITZ_BOUNDARY_VALUE ? entry->fixed || entry->term[k].n
                                        : (kind == RITZ_BOUNDARY_NORMAL || ritz_is_stiffness(kind)) && entry->term[k].n)
            return physics->boundary[k].name;
    }
    return NULL;
}

/* By springs or bedding. */
static bool is_sprung(const ritz_physics *physics, const ritz_boundary *entry, int c)
{
    for (int k = 0; k < physics->n_boundary; k++)
        if (ritz_is_stiffness(physics->boundary[k].kind) && entry->term[k].component[c].expression)
            return true;
    return false;
}

static bool is_prescribed(const ritz_physics *physics, const ritz_boundary *entry, int c)
{
    for (int k = 0; k < physics->n_boundary; k++)
        if (physics->boundary[k].kind == RITZ_BOUNDARY_VALUE &&
            (entry->fixed || (!entry->system && entry->term[k].component[c].expression)))
            return true;
    return false;
}

ritz_status ritz_join_names(const ritz_names *names, char **text)
{
    ritz_text joined = {0};
    for (int i = 0; i < names->n; i++)
        ritz_text_add(&joined, "%s%s", i ? ", " : "", names->name[i]);
    const ritz_status status = ritz_text_take(&joined, text);
    ritz_text_free(&joined);
    return status;
}

/* A force that acts at a node; what is radial adds up to nothing around a ring. */
static void add_force(const ritz_drive *drive, int32_t node, const double force[3], ritz_reaction *one)
{
    const bool ring = drive->problem->physics->axisymmetric;
    double arm[3], moment[3];
    ritz_space_get_place(drive->space, node, arm);
    for (int c = 0; c < 3; c++)
        arm[c] -= one->about[c];
    ritz_cross(arm, force, moment);
    for (int c = 0; c < 3; c++) {
        one->force[c] += ring && c == 0 ? 0 : force[c];
        one->moment[c] += ring ? 0 : moment[c];
    }
}

static void add_component(const ritz_drive *drive, int64_t dof, double value, ritz_reaction *one)
{
    const int n_c = drive->space->n_components;
    double force[3] = {0};
    force[dof % n_c] = value;
    add_force(drive, (int32_t)(dof / n_c), force, one);
}

/* The mean of the nodes with this mark; of all where `mark` is NULL. */
static void find_mean(const ritz_drive *drive, const int32_t *mark, int32_t number, double mean[3])
{
    int32_t n = 0;
    double x[3], sum[3] = {0};
    for (int32_t node = 0; node < drive->space->n_nodes; node++)
        if (!mark || mark[node] == number) {
            ritz_space_get_place(drive->space, node, x);
            for (int c = 0; c < 3; c++)
                sum[c] += x[c];
            n++;
        }
    for (int c = 0; c < 3; c++)
        mean[c] = n > 0 ? sum[c] / n : 0;
}

/* What is left over at the marked nodes of a rigid face that is moved, by a moment alone where that turns it; NULL: at all
   nodes, of which no entry is the cause: what leaves the body free to move as a whole carries nothing in sum, and gets no
   line. */
static ritz_status sum_left(const ritz_drive *drive, const double *reaction, double scale, const int32_t *mark,
                            uint8_t *left, const char *name, ritz_balance *balance)
{
    ritz_status status = RITZ_OK;
    const int n_c = drive->space->n_components;
    double carried = 0;
    ritz_reaction sum = {0};
    find_mean(drive, mark, 1, sum.about);
    for (int64_t d = 0; d < ritz_space_n_dofs(drive->space); d++)
        if ((!mark || mark[d / n_c] == 1) && left[d / n_c] >> d % n_c & 1) {
            left[d / n_c] &= (uint8_t) ~(1 << d % n_c);
            add_component(drive, d, reaction[d], &sum);
            carried += fabs(reaction[d]);
        }
    for (int i = 0; i < balance->n_reactions; i++)
        for (int c = 0; c < 3; c++)
            carried += fabs(balance->reactions[i].force[c]);
    if (!mark && ritz_length(sum.force) <= fmax(1e-7 * carried, RITZ_BALANCE_ROUNDING * scale))
        return RITZ_OK;
    RITZ_TRY(ritz_copy_text(name, &sum.groups));
    sum.key = mark ? "rigid" : name;
    balance->reactions[balance->n_reactions++] = sum;
done:
    return status;
}

/* Rigid faces whose motion is prescribed, then all other equations. */
static ritz_status sum_equations(const ritz_drive *drive, const double *reaction, double scale, uint8_t *left,
                                 ritz_balance *balance)
{
    ritz_status status = RITZ_OK;
    const ritz_joins *joins = &drive->problem->joins;
    int32_t *mark = NULL;
    char *name = NULL;
    for (int i = 0; i < joins->n_rigid; i++) {
        if (!joins->rigid[i].displacement.n && !joins->rigid[i].rotation.n)
            continue;
        RITZ_NEW(mark, drive->space->n_nodes);
        RITZ_TRY(ritz_mark_nodes(drive, &joins->rigid[i].groups, 1, mark));
        RITZ_TRY(ritz_join_names(&joins->rigid[i].groups, &name));
        RITZ_TRY(sum_left(drive, reaction, scale, mark, left, name, balance));
        ritz_free(mark);
        ritz_free(name);
        mark = NULL;
        name = NULL;
    }
    RITZ_TRY(sum_left(drive, reaction, scale, NULL, left, "equations", balance));
done:
    ritz_free(mark);
    ritz_free(name);
    return status;
}

/* The share that each of n directions, of which none lies between the others, has in a vector. */
static void split_vector(int n, double directions[3][3], const double *vector, double share[3])
{
    double gram[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, inverse[3][3], along[3] = {0};
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            along[i] += directions[i][d] * vector[d];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            gram[i][j] = 0;
            for (int d = 0; d < 3; d++)
                gram[i][j] += directions[i][d] * directions[j][d];
        }
    ritz_invert_jacobian(3, gram, inverse);
    for (int i = 0; i < 3; i++)
        share[i] = inverse[i][0] * along[0] + inverse[i][1] * along[1] + inverse[i][2] * along[2];
}

/* What a node's n normals carry beside its prescribed components goes from the reaction to the entries. */
static void take_normals(const ritz_drive *drive, const ritz_held_direction *held, int n, double *reaction,
                         ritz_reaction *const *of_entry)
{
    const int n_c = drive->space->n_components;
    double *r = reaction + (int64_t)held->node * n_c, directions[3][3] = {{0}}, vector[3] = {0}, share[3];
    int n_all = n;
    for (int k = 0; k < n; k++)
        memcpy(directions[k], held[k].normal, sizeof held[k].normal);
    for (int c = 0; c < n_c; c++) {
        vector[c] = r[c];
        if (drive->held[held->node] >> c & 1 && n_all < n_c)
            directions[n_all++][c] = 1;
    }
    split_vector(n_all, directions, vector, share);
    for (int k = 0; k < n; k++) {
        double force[3] = {0};
        for (int c = 0; c < n_c; c++) {
            force[c] = share[k] * held[k].normal[c];
            r[c] -= force[c];
        }
        add_force(drive, held->node, force, of_entry[held[k].entry]);
    }
}

/* ---- Springs beside other supports ---- */

/* Bits of the components that entry `i` holds by springs, at its nodes: mark[node] is i + 1 there. */
static ritz_status find_sprung(const ritz_drive *drive, int i, int32_t *mark, int *bits)
{
    const ritz_boundary *entry = &drive->problem->loads.boundary[i];
    *bits = 0;
    for (int c = 0; c < drive->space->n_components; c++)
        *bits |= is_sprung(drive->problem->physics, entry, c) << c;
    return *bits ? ritz_mark_nodes(drive, &entry->groups, i + 1, mark) : RITZ_OK;
}

/* shared [n_nodes]: components of nodes that springs of one entry hold and others hold, too; others: prescribed or in equations. */
static ritz_status find_shared(const ritz_drive *drive, const uint8_t *others, int32_t *mark, uint8_t *shared,
                               bool *any)
{
    ritz_status status = RITZ_OK;
    uint8_t *once = NULL;
    RITZ_NEW(once, drive->space->n_nodes);
    *any = false;
    for (int i = 0, bits; i < drive->problem->loads.n_boundary; i++) {
        RITZ_TRY(find_sprung(drive, i, mark, &bits));
        for (int32_t node = 0; bits && node < drive->space->n_nodes; node++)
            if (mark[node] == i + 1) {
                shared[node] |= (uint8_t)(bits & (once[node] | others[node]));
                once[node] |= (uint8_t)bits;
                *any = *any || shared[node];
            }
    }
done:
    ritz_free(once);
    return status;
}

/* What springs and bedding exert at the components of nodes that others hold, too, goes from the reaction to their entries: k u, while
   the rest is the others'. Elsewhere they have the reaction, which leaves out what the solver's tolerance is of k u. */
static ritz_status take_springs(const ritz_drive *drive, const double *solution, const uint8_t *others,
                                double *reaction, int32_t *mark, uint8_t *shared, ritz_reaction *const *of_entry)
{
    ritz_status status = RITZ_OK;
    const int n_c = drive->space->n_components;
    double *force = NULL;
    bool any;
    RITZ_TRY(find_shared(drive, others, mark, shared, &any));
    for (int i = 0, bits; any && i < drive->problem->loads.n_boundary; i++) {
        RITZ_TRY(find_sprung(drive, i, mark, &bits));
        if (!bits)
            continue;
        RITZ_NEW(force, ritz_space_n_dofs(drive->space));
        RITZ_TRY(ritz_add_spring_forces(drive, i, solution, force));
        for (int32_t node = 0; node < drive->space->n_nodes; node++)
            for (int c = 0; mark[node] == i + 1 && c < n_c; c++) {
                const int64_t d = (int64_t)node * n_c + c;
                if (!(bits & shared[node] & 1 << c))
                    continue;
                add_component(drive, d, force[d], of_entry[i]);
                reaction[d] -= force[d];
            }
        ritz_free(force);
        force = NULL;
    }
done:
    ritz_free(force);
    return status;
}

/* Components that an entry prescribes at its nodes, where no later one has them; shared: not by springs. */
static ritz_status take_components(const ritz_drive *drive, int entry, const double *reaction, const uint8_t *shared,
                                   int32_t *mark, uint8_t *left, ritz_reaction *one)
{
    ritz_status status = RITZ_OK;
    const ritz_boundary *from = &drive->problem->loads.boundary[entry];
    const int n_c = drive->space->n_components;
    RITZ_TRY(ritz_mark_nodes(drive, &from->groups, entry + 1, mark));
    for (int32_t node = 0; node < drive->space->n_nodes; node++)
        for (int c = 0; mark[node] == entry + 1 && c < n_c; c++) {
            const int bit = 1 << c;
            if (!(left[node] & bit) || !(is_prescribed(drive->problem->physics, from, c) ||
                                         (is_sprung(drive->problem->physics, from, c) && !(shared[node] & bit))))
                continue;
            left[node] &= (uint8_t)~bit;
            add_component(drive, (int64_t)node * n_c + c, reaction[(int64_t)node * n_c + c], one);
        }
done:
    return status;
}

/* A line for each entry that prescribes. mark: [n_nodes], 0 before. */
static ritz_status name_supports(const ritz_drive *drive, ritz_balance *balance, ritz_reaction **of_entry,
                                 int32_t *mark)
{
    ritz_status status = RITZ_OK;
    const ritz_loads *loads = &drive->problem->loads;
    RITZ_NEW(balance->reactions, loads->n_boundary + drive->problem->joins.n_rigid + 1);
    for (int i = 0; i < loads->n_boundary; i++) {
        const char *key = key_of_support(drive->problem->physics, &loads->boundary[i]);
        if (!key)
            continue;
        of_entry[i] = &balance->reactions[balance->n_reactions++]; /* counted first: a failure frees it too */
        of_entry[i]->key = key;
        RITZ_TRY(ritz_join_names(&loads->boundary[i].groups, &of_entry[i]->groups));
        RITZ_TRY(ritz_mark_nodes(drive, &loads->boundary[i].groups, i + 1, mark));
        find_mean(drive, mark, i + 1, of_entry[i]->about);
    }
done:
    return status;
}

/* The reaction of each entry that prescribes. Where entries meet, the later one has the reaction as it has the value. */
static ritz_status sum_supports(const ritz_drive *drive, const sums *s, ritz_balance *balance)
{
    ritz_status status = RITZ_OK;
    const ritz_held_directions *held = &drive->directions;
    const int n_c = drive->space->n_components;
    ritz_reaction **of_entry = NULL;
    double *reaction = NULL; /* at supports, 0 elsewhere: its other pages are not touched */
    int32_t *mark = NULL;
    uint8_t *left = NULL;                   /* what no entry has yet */
    uint8_t *shared = NULL, *others = NULL; /* of take_springs */
    RITZ_NEW(of_entry, drive->problem->loads.n_boundary);
    RITZ_NEW(reaction, ritz_space_n_dofs(drive->space));
    RITZ_NEW(mark, drive->space->n_nodes);
    RITZ_NEW(left, drive->space->n_nodes);
    RITZ_NEW(shared, drive->space->n_nodes);
    RITZ_NEW(others, drive->space->n_nodes);
    RITZ_TRY(name_supports(drive, balance, of_entry, mark));
    memcpy(others, drive->held, (size_t)drive->space->n_nodes);
    mark_equations(drive->dependence, others);
#pragma omp parallel for schedule(static)
    for (int32_t node = 0; node < drive->space->n_nodes; node++) {
        left[node] = (uint8_t)supports_of(drive, node);
        for (int c = 0; left[node] && c < n_c; c++) {
            const int64_t d = (int64_t)node * n_c + c;
            reaction[d] = s->action[d] - s->load[d];
        }
    }
    if (drive->problem->physics->vector)
        RITZ_TRY(take_springs(drive, s->solution, others, reaction, mark, shared, of_entry));
    for (int32_t node = 0; node < drive->space->n_nodes; node++) /* what springs alone hold has been told */
        left[node] &= (uint8_t) ~(shared[node] & ~others[node]);
    RITZ_TRY(ritz_take_inner_forces(drive, reaction));
    for (int64_t k = 0, end; k < held->n; k = end) {
        for (end = k + 1; end < held->n && held->list[end].node == held->list[k].node; end++)
            ;
        take_normals(drive, held->list + k, (int)(end - k), reaction, of_entry);
    }
    for (int i = drive->problem->loads.n_boundary - 1; i >= 0; i--)
        if (of_entry[i])
            RITZ_TRY(take_components(drive, i, reaction, shared, mark, left, of_entry[i]));
    if (drive->joined)
        RITZ_TRY(sum_equations(drive, reaction, s->scale, left, balance));
done:
    ritz_free(of_entry);
    ritz_free(reaction);
    ritz_free(mark);
    ritz_free(left);
    ritz_free(shared);
    ritz_free(others);
    return status;
}

/* What was applied is so far that on the free rows of the system, less what prescribed values do there. What is left of loads and
   reactions together, as a part of the loads; 0 where these are rounding. */
static double close_balance(const ritz_drive *drive, const sums *s, ritz_balance *balance)
{
    const int n_c = drive->space->n_components;
    double total[3] = {0}, carried = 0, largest = 0, loads = 0;
    for (int32_t node = 0; node < drive->space->n_nodes; node++) {
        const int supports = supports_of(drive, node);
        for (int c = 0; (supports || s->values) && c < n_c; c++) {
            const int64_t d = (int64_t)node * n_c + c;
            if (supports >> c & 1) {
                total[c] += s->action[d] - s->load[d];
                balance->applied[c] += drive->joined ? 0 : s->load[d];
                carried += fabs(s->action[d] - s->load[d]);
            } else if (s->values && !drive->joined) {
                balance->applied[c] += s->from_values[d];
            }
        }
    }
    if (drive->problem->physics->axisymmetric)
        total[0] = balance->applied[0] = 0;
    for (int c = 0; c < n_c; c++) {
        largest = fmax(largest, fabs(total[c] + balance->applied[c]));
        loads = fmax(loads, fabs(balance->applied[c]));
    }
    carried = fmax(carried, s->balanced);
    balance->imbalance = carried > 0 ? largest / carried : 0;
    return loads > 1e-6 * s->scale ? largest / loads : 0;
}

/* The forces at supports that would hold what strains by itself. A body that is free to expand carries nothing else, and
   what its supports carry is rounding beside them. */
static ritz_status measure_self_strain(const ritz_drive *drive, int r, double *size)
{
    ritz_status status = RITZ_OK;
    const int n_c = drive->space->n_components;
    double *load = NULL;
    *size = 0;
    RITZ_TRY(ritz_add_self_strain(drive, NULL, true, &load));
    RITZ_TRY(ritz_add_run_self_strain(drive, r, true, &load));
    for (int64_t i = 0; load && i < ritz_space_n_dofs(drive->space); i++)
        *size += supports_of(drive, (int32_t)(i / n_c)) >> i % n_c & 1 ? fabs(load[i]) : 0;
done:
    ritz_free(load);
    return status;
}

/* The forces beside which small reactions are rounding: those at supports of the cells and of the loads, those that
   prescribed values would take with all else held, those of strains, and all that acts on what is free. */
static double measure_scale(const ritz_drive *drive, const sums *s, double self, double load)
{
    double elastic = 0, moved = 0;
    for (int32_t node = 0; node < drive->space->n_nodes; node++)
        for (int c = 0, supports = supports_of(drive, node); supports >> c && c < drive->space->n_components; c++) {
            const int64_t d = (int64_t)node * drive->space->n_components + c;
            elastic += supports >> c & 1 ? fabs(s->action[d]) + fabs(s->load[d]) : 0;
            moved += supports >> c & 1 && s->values ? fabs(s->from_values[d]) : 0;
        }
    return fmax(fmax(elastic, moved), fmax(self, load));
}

ritz_status ritz_find_reactions(const ritz_drive *drive, int r)
{
    ritz_status status = RITZ_OK;
    const int64_t n = ritz_space_n_dofs(drive->space);
    ritz_load_case_result *run = &drive->problem->case_results[r];
    double *values = NULL, self = 0;
    sums s = {.solution = drive->vector[r]};
    if (!drive->held)
        return RITZ_OK;
    RITZ_NEW(s.action, n);
    RITZ_NEW(s.load, n);
    RITZ_TRY(get_values(drive, s.solution, &values));
    s.values = values;
    if (values)
        RITZ_NEW(s.from_values, n);
    for (int b = 0; b < drive->space->n_batches; b++)
        RITZ_TRY(add_batch(drive, b, &s));
    RITZ_TRY(ritz_add_surface_loads(drive, &drive->problem->loads, &s.load));
    RITZ_TRY(ritz_add_self_strain(drive, NULL, true, &s.load));
    RITZ_TRY(ritz_add_run_loads(drive, r, true, &s.load));
    RITZ_TRY(measure_self_strain(drive, r, &self));
    s.scale = measure_scale(drive, &s, self, drive->load_size[r]);
    /* loads that balance each other leave supports what the solver's tolerance is of them */
    s.balanced = fmax(fmax(self, 1e-3 * drive->load_size[r]), 1e-6 * s.scale);
    RITZ_TRY(sum_supports(drive, &s, &run->balance));
    const double left = close_balance(drive, &s, &run->balance);
    RITZ_TRY(ritz_tell_balance(drive, run->name, &run->balance, left, s.scale));
    ritz_warn_of_loads(drive, r);
done:
    ritz_free(s.action);
    ritz_free(s.load);
    ritz_free(s.from_values);
    ritz_free(values);
    return status;
}
