/* What flows into the body in scalar physics: where values are prescribed, through films, by radiation, and what sources,
   fluxes and flows in total supply. In a steady state it adds up to nothing. Where values are prescribed it is A u - f,
   and as the assembled matrix has lost these rows, the cells there are gone through again, on host threads. */
#include "problem/drive.h"

#include <math.h>
#include <string.h>

static const double rounding = 1e-9; /* of the scale of the flows */

bool ritz_has_flows(const ritz_drive *drive)
{
    bool only_gradients = true; /* of the test function: each cell gives what it takes */
    for (int t = 0; t < drive->form->n_terms; t++)
        only_gradients = only_gradients && drive->form->terms[t].iD > 0;
    return drive->space->n_components == 1 && !drive->problem->physics->vector && !drive->problem->form_file &&
           only_gradients;
}

typedef struct flows {
    const ritz_drive *drive;
    const double *solution;
    double *action;  /* [n_dofs] what flows in where values are prescribed or joined */
    double *inflow;  /* [n_dofs] all but what flows in there */
    double *film;    /* [n_dofs] what flows in through an entry's films */
    uint8_t *left;   /* [n_dofs] what is prescribed or joined, and no entry has yet */
    double total;    /* of all flows; nothing but for the solver's residual */
    double carried;  /* the sum of what flows at each node */
    double scale;    /* flows beside which others are rounding */
    ritz_flow *list; /* the balance's */
} flows;

static int64_t n_nodes(const flows *f)
{
    return f->drive->space->n_nodes;
}

/* The flow through a term of an entry is reported, at nodes whose value it prescribes or through its facets. */
static bool is_told(const ritz_physics *physics, const ritz_boundary *entry, int k)
{
    const ritz_boundary_kind kind = physics->boundary[k].kind;
    return kind == RITZ_BOUNDARY_VALUE
               ? entry->fixed || entry->term[k].n
               : entry->term[k].n && (kind == RITZ_BOUNDARY_FILM || kind == RITZ_BOUNDARY_RADIATION);
}

static int count_told(const ritz_physics *physics, const ritz_boundary *entry)
{
    int n = 0;
    for (int k = 0; k < physics->n_boundary; k++)
        n += is_told(physics, entry, k);
    return n;
}

static ritz_status name_flows(const ritz_drive *drive, ritz_balance *balance)
{
    ritz_status status = RITZ_OK;
    const ritz_loads *loads = &drive->problem->loads;
    const ritz_physics *physics = drive->problem->physics;
    int n = 1; /* of equations */
    for (int i = 0; i < loads->n_boundary; i++)
        n += count_told(physics, &loads->boundary[i]);
    RITZ_NEW(balance->flows, n);
    for (int i = 0; i < loads->n_boundary; i++)
        for (int k = 0; k < physics->n_boundary; k++) {
            if (!is_told(physics, &loads->boundary[i], k))
                continue;
            ritz_flow *one = &balance->flows[balance->n_flows++]; /* counted first: a failure frees it too */
            one->key = physics->boundary[k].name;
            RITZ_TRY(ritz_join_names(&loads->boundary[i].groups, &one->groups));
        }
done:
    return status;
}

/* ---- Sources, fluxes, films ---- */

static bool has_source(const ritz_problem *problem)
{
    for (int m = 0; m < problem->n_materials; m++)
        if (ritz_has_loads(problem->physics, &problem->materials[m]))
            return true;
    for (int k = 0; k < problem->physics->n_body_loads; k++)
        if (problem->loads.body[k].n)
            return true;
    return false;
}

static ritz_status add_sources(const flows *f)
{
    ritz_status status = RITZ_OK;
    const ritz_drive *drive = f->drive;
    for (int b = 0; has_source(drive->problem) && b < drive->space->n_batches; b++) {
        ritz_integral integral = ritz_batch_integral(drive, b, drive->data[b]);
        integral.time = ritz_problem_is_nonlinear(drive->problem); /* the whole load */
        RITZ_TRY(ritz_add_chosen_vectors(&integral, NULL, NULL, NULL, 1, f->inflow));
    }
done:
    return status;
}

/* The loads on surfaces of the top level, but for films. */
static ritz_status add_fluxes(const flows *f)
{
    ritz_status status = RITZ_OK;
    const ritz_loads *loads = &f->drive->problem->loads;
    const ritz_physics *physics = f->drive->problem->physics;
    double *inflow = f->inflow;
    for (int i = 0; i < loads->n_boundary; i++) {
        ritz_boundary entry = loads->boundary[i]; /* what it points to is borrowed */
        for (int k = 0; k < physics->n_boundary; k++)
            if (is_told(physics, &entry, k))
                entry.term[k].n = 0;
        RITZ_TRY(ritz_add_surface_loads(f->drive, &(ritz_loads){.boundary = &entry, .n_boundary = 1}, &inflow));
    }
done:
    return status;
}

static ritz_status add_supplied(flows *f, int r, double *supplied)
{
    ritz_status status = RITZ_OK;
    double *inflow = f->inflow;
    RITZ_TRY(add_sources(f));
    RITZ_TRY(add_fluxes(f));
    RITZ_TRY(ritz_add_run_loads(f->drive, r, false, &inflow));
    for (int64_t i = 0; i < n_nodes(f); i++) {
        *supplied += f->inflow[i];
        f->carried += fabs(f->inflow[i]);
    }
    f->total += *supplied;
done:
    return status;
}

/* f->film: term k of an entry, the films from number `first` of the drive on. Where a surface radiates they are the derivatives,
   and the flow at the solution stands among the loads of the form. */
static ritz_status integrate_film(flows *f, const ritz_boundary *entry, int k, int first)
{
    ritz_status status = RITZ_OK;
    const ritz_drive *drive = f->drive;
    ritz_facet_data data = drive->facet_data;
    const bool nonlinear = ritz_physics_is_nonlinear(drive->problem);
    double *film = f->film;
    data.old = f->solution;
    memset(film, 0, (size_t)n_nodes(f) * sizeof *film);
    for (int g = first; g < first + entry->groups.n; g++) {
        ritz_facet_load one = drive->films[g];
        one.data = nonlinear ? &data : NULL;
        RITZ_TRY(ritz_subtract_facet_action(drive->space, &one, f->solution, film));
    }
    for (int64_t i = 0; i < n_nodes(f); i++) {
        f->scale += fabs(film[i]);
        film[i] = nonlinear ? 0 : film[i];
    }
    for (int g = first; nonlinear && g < first + entry->groups.n; g++) {
        ritz_facet_load one = drive->form_loads[g];
        one.data = &data;
        RITZ_TRY(ritz_integrate_facets(drive->space, &one, film));
    }
    if (!nonlinear)
        RITZ_TRY(ritz_add_film_load(drive, entry, k, &film));
done:
    return status;
}

/* All films, and what radiates: the drive lists them by entry, key and group. */
static ritz_status add_films(flows *f)
{
    ritz_status status = RITZ_OK;
    const ritz_loads *loads = &f->drive->problem->loads;
    const ritz_physics *physics = f->drive->problem->physics;
    ritz_flow *one = f->list;
    int first = 0;
    for (int i = 0; i < loads->n_boundary; i++)
        for (int k = 0; k < physics->n_boundary; k++) {
            const ritz_boundary *entry = &loads->boundary[i];
            if (!is_told(physics, entry, k))
                continue;
            if (physics->boundary[k].kind != RITZ_BOUNDARY_VALUE) {
                RITZ_TRY(integrate_film(f, entry, k, first));
                first += entry->groups.n;
                for (int64_t n = 0; n < n_nodes(f); n++) {
                    one->value += f->film[n];
                    f->carried += fabs(f->film[n]);
                    f->inflow[n] += f->film[n];
                }
                f->total += one->value;
            }
            one++;
        }
done:
    return status;
}

/* ---- Prescribed values and equations ---- */

/* sum += A u of the cells there, A as it is at the solution. */
static ritz_status add_actions_of(const flows *f, const double *u, double *sum)
{
    const ritz_drive *drive = f->drive;
    ritz_status status = RITZ_OK;
    for (int b = 0; b < drive->space->n_batches; b++) {
        ritz_integral integral = ritz_batch_integral(drive, b, drive->data[b]);
        const ritz_drive_batch of = {drive, b};
        integral.old = f->solution;
        RITZ_TRY(ritz_add_chosen_vectors(&integral, u, ritz_cell_is_at_support, &of, 1, sum));
    }
done:
    return status;
}

/* What would flow if all that is not prescribed were 0. */
static ritz_status measure_scale(flows *f)
{
    ritz_status status = RITZ_OK;
    double *values = NULL, *action = NULL;
    RITZ_NEW(values, n_nodes(f));
    RITZ_NEW(action, n_nodes(f));
    for (int64_t n = 0; n < n_nodes(f); n++)
        values[n] = f->drive->held[n] ? f->solution[n] : 0;
    RITZ_TRY(add_actions_of(f, values, action));
    for (int64_t n = 0; n < n_nodes(f); n++)
        f->scale += f->left[n] ? fabs(action[n]) : 0;
done:
    ritz_free(values);
    ritz_free(action);
    return status;
}

static ritz_status add_actions(flows *f)
{
    ritz_status status = RITZ_OK;
    const ritz_drive *drive = f->drive;
    if (!drive->held)
        return RITZ_OK;
    RITZ_TRY(add_actions_of(f, f->solution, f->action));
    for (int64_t n = 0; n < n_nodes(f); n++) {
        f->left[n] = drive->held[n] || (drive->joined && drive->joined[n]);
        f->action[n] -= f->inflow[n];
        f->total += f->left[n] ? f->action[n] : 0;
        f->carried += f->left[n] ? fabs(f->action[n]) : 0;
    }
    RITZ_TRY(ritz_take_inner_forces(drive, f->action));
    RITZ_TRY(measure_scale(f));
done:
    return status;
}

/* What is left at the nodes, which is nobody's from then on. */
static double take_nodes(const flows *f, const int32_t *nodes, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t node = nodes ? nodes[i] : i;
        sum += f->left[node] ? f->action[node] : 0;
        f->left[node] = 0;
    }
    return sum;
}

/* Where entries meet, the later one has the flow as it has the value. What equations let in beside has a row of its own. */
static ritz_status share_among_entries(const flows *f, ritz_balance *balance)
{
    ritz_status status = RITZ_OK;
    const ritz_loads *loads = &f->drive->problem->loads;
    const ritz_physics *physics = f->drive->problem->physics;
    ritz_flow *one = f->list + balance->n_flows;
    int32_t *nodes = NULL, n;
    for (int i = loads->n_boundary - 1; i >= 0; i--)
        for (int k = physics->n_boundary - 1; k >= 0; k--) {
            if (!is_told(physics, &loads->boundary[i], k))
                continue;
            one--;
            if (physics->boundary[k].kind != RITZ_BOUNDARY_VALUE)
                continue;
            RITZ_TRY(ritz_list_nodes(f->drive, &loads->boundary[i].groups, &nodes, &n));
            one->value = take_nodes(f, nodes, n);
            ritz_free(nodes);
            nodes = NULL;
        }
    const double rest = take_nodes(f, NULL, n_nodes(f));
    if (fabs(rest) > fmax(1e-7 * f->carried, rounding * f->scale)) {
        one = &balance->flows[balance->n_flows++];
        *one = (ritz_flow){.key = "equations", .value = rest};
        RITZ_TRY(ritz_copy_text("", &one->groups));
    }
done:
    ritz_free(nodes);
    return status;
}

/* ---- The balance ---- */

static double plain(double value, double scale)
{
    return fabs(value) > rounding * scale ? value : 0;
}

/* What flows beyond those told each, by what makes it flow. */
static void tell_other_flows(const ritz_problem *problem, const char *whose, const char *colon, double scale,
                             const ritz_balance *balance)
{
    for (int i = RITZ_TOLD_MOST; i < balance->n_flows; i++) {
        const char *key = balance->flows[i].key;
        double sum = 0;
        int first = RITZ_TOLD_MOST, n = 0;
        while (strcmp(balance->flows[first].key, key) != 0)
            first++;
        for (int k = i; k < balance->n_flows && first == i; k++)
            if (strcmp(balance->flows[k].key, key) == 0) {
                sum += balance->flows[k].value;
                n++;
            }
        if (first == i)
            ritz_stage_line(problem, "flow in    %s%s%d more, %s: %.5g", whose, colon, n, key, plain(sum, scale));
    }
}

static void tell_flows(const flows *f, const char *name, const ritz_balance *balance)
{
    static const double most = 1e-3;
    const ritz_problem *problem = f->drive->problem;
    const char *whose = name ? name : "", *colon = name ? ": " : "";
    const double scale = fmax(f->scale, f->carried);
    for (int i = 0; i < balance->n_flows && i < RITZ_TOLD_MOST; i++) {
        const ritz_flow *one = &balance->flows[i];
        ritz_stage_line(problem, "flow in    %s%s%s%s%s: %.5g", whose, colon, one->groups, *one->groups ? ", " : "",
                        one->key, plain(one->value, scale));
    }
    tell_other_flows(problem, whose, colon, scale, balance);
    ritz_stage_line(problem, "supplied   %s: %.5g", name ? name : "in total", plain(balance->supplied, scale));
    if (balance->imbalance > most)
        ritz_stage_line(problem, "warning    %s%swhat flows in and out differs by %.2g of what flows at all nodes; %s",
                        whose, colon, balance->imbalance, ritz_how_to_balance(f->drive));
}

/* A body that all is alike in and around has no flows, but rounding. */
static void close_balance(const flows *f, ritz_balance *balance)
{
    const double carried = fmax(f->carried, 1e-6 * f->scale);
    balance->imbalance = carried > 0 ? fabs(f->total) / carried : 0;
}

ritz_status ritz_find_flows(const ritz_drive *drive, int r)
{
    ritz_status status = RITZ_OK;
    ritz_load_case_result *run = &drive->problem->case_results[r];
    flows f = {.drive = drive, .solution = drive->vector[r]};
    if (run->failure) /* the solution of a part of the load */
        return RITZ_OK;
    RITZ_NEW(f.action, n_nodes(&f));
    RITZ_NEW(f.inflow, n_nodes(&f));
    RITZ_NEW(f.film, n_nodes(&f));
    RITZ_NEW(f.left, n_nodes(&f));
    RITZ_TRY(name_flows(drive, &run->balance));
    f.list = run->balance.flows;
    RITZ_TRY(add_supplied(&f, r, &run->balance.supplied));
    RITZ_TRY(add_films(&f));
    RITZ_TRY(add_actions(&f));
    RITZ_TRY(share_among_entries(&f, &run->balance));
    close_balance(&f, &run->balance);
    tell_flows(&f, run->name, &run->balance);
done:
    ritz_free(f.action);
    ritz_free(f.inflow);
    ritz_free(f.film);
    ritz_free(f.left);
    return status;
}
