/* Linear equations between unknowns, resolved one after the other: each is freed of what is prescribed or eliminated
   before it, then eliminates one unknown that is left. */
#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A coefficient below this share of what it was summed from has cancelled. */
static const double cancelled = 1e-10;
/* An unknown is not eliminated where another one's coefficient is larger by this factor. */
static const double least_share = 1e-3;

void ritz_equations_free(ritz_equations *e)
{
    ritz_free(e->end);
    ritz_free(e->dof);
    ritz_free(e->weight);
    ritz_free(e->value);
    *e = (ritz_equations){0};
}

ritz_status ritz_constraints_add_equation(ritz_constraints *constraints, int n, const int64_t *dofs,
                                          const double *weights, double value)
{
    ritz_status status = RITZ_OK;
    ritz_equations *e = &constraints->equations;
    if (e->n == e->room) {
        const int64_t room = ritz_max64(2 * e->room, 64);
        RITZ_RESIZE(e->end, room);
        RITZ_RESIZE(e->value, room);
        e->room = room;
    }
    if (e->n_terms + n > e->term_room) {
        const int64_t room = ritz_max64(2 * e->term_room, e->n_terms + n);
        RITZ_RESIZE(e->dof, room);
        RITZ_RESIZE(e->weight, room);
        e->term_room = room;
    }
    for (int k = 0; k < n; k++) {
        e->dof[e->n_terms] = dofs[k];
        e->weight[e->n_terms++] = weights[k];
    }
    e->end[e->n] = e->n_terms;
    e->value[e->n++] = value;
done:
    return status;
}

/* number: from 1, for messages */
static ritz_status check_equation(int64_t number, int64_t n, const int64_t *dofs, const double *coefficients,
                                  double value, int64_t n_dofs)
{
    ritz_status status = RITZ_OK;
    bool any = false;
    RITZ_REQUIRE(n >= 1 && n <= INT32_MAX, RITZ_ERROR_INPUT, "equation %lld has %lld terms; give 1 or more",
                 (long long)number, (long long)n);
    for (int64_t k = 0; k < n; k++) {
        RITZ_REQUIRE(dofs[k] >= 0 && dofs[k] < n_dofs, RITZ_ERROR_INPUT,
                     "equation %lld has degree of freedom %lld, and the space has 0 to %lld", (long long)number,
                     (long long)dofs[k], (long long)n_dofs - 1);
        RITZ_REQUIRE(isfinite(coefficients[k]), RITZ_ERROR_INPUT, "coefficient %lld of equation %lld is not finite",
                     (long long)k + 1, (long long)number);
        any = any || coefficients[k] != 0;
    }
    RITZ_REQUIRE(any, RITZ_ERROR_INPUT, "all coefficients of equation %lld are 0", (long long)number);
    RITZ_REQUIRE(isfinite(value), RITZ_ERROR_INPUT, "the value of equation %lld is not finite", (long long)number);
done:
    return status;
}

ritz_status ritz_constraints_add_equations(ritz_constraints *constraints, int64_t n, const int64_t *starts,
                                           const int64_t *dofs, const double *coefficients, const double *values)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(constraints);
    RITZ_REQUIRE(n >= 0, RITZ_ERROR_INPUT, "%lld equations cannot be added; give 0 or more", (long long)n);
    if (n == 0)
        return RITZ_OK;
    RITZ_REQUIRE_POINTER(starts);
    RITZ_REQUIRE_POINTER(dofs);
    RITZ_REQUIRE_POINTER(coefficients);
    const ritz_equations *e = &constraints->equations;
    const int64_t before = e->n, terms_before = e->n_terms;
    const int64_t n_dofs = (int64_t)constraints->n_nodes * constraints->n_components;
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = starts[i], length = starts[i + 1] - first;
        RITZ_REQUIRE(first >= 0, RITZ_ERROR_INPUT, "starts[%lld] is %lld; it cannot be negative", (long long)i,
                     (long long)first);
        RITZ_TRY(check_equation(i + 1, length, dofs + first, coefficients + first, values ? values[i] : 0, n_dofs));
    }
    for (int64_t i = 0; i < n; i++) {
        status = ritz_constraints_add_equation(constraints, (int)(starts[i + 1] - starts[i]), dofs + starts[i],
                                               coefficients + starts[i], values ? values[i] : 0);
        if (status != RITZ_OK) {
            constraints->equations.n = before;
            constraints->equations.n_terms = terms_before;
            goto done;
        }
    }
done:
    return status;
}

int64_t ritz_constraints_n_equations(const ritz_constraints *constraints)
{
    return constraints ? constraints->equations.n : 0;
}

/* ---- Elimination ---- */

/* Rows in the order in which they were made: a row holds no unknown of an earlier row, it may hold those of later ones. */
typedef struct elimination {
    const ritz_constraints *constraints;
    int64_t n_dofs, n_all; /* with the unknowns beside the space */
    int64_t *row_of;       /* [n_all] -1: none */
    double *sum;           /* [n_all] coefficients of the equation at hand */
    bool *listed;          /* [n_all] */
    int64_t *list, n_list; /* [n_all] its unknowns */
    double size, rhs, rhs_size;
    double largest_rhs; /* of all equations so far: what is rounding beside it is no contradiction */
    int64_t n_rows;
    int64_t *unknown, *start; /* [equations], [equations + 1] */
    double *constant;         /* [equations] */
    int64_t *master, n_terms, room;
    double *weight;
} elimination;

static void free_elimination(elimination *e)
{
    ritz_free(e->row_of);
    ritz_free(e->sum);
    ritz_free(e->listed);
    ritz_free(e->list);
    ritz_free(e->unknown);
    ritz_free(e->start);
    ritz_free(e->constant);
    ritz_free(e->master);
    ritz_free(e->weight);
}

static ritz_status start_elimination(const ritz_constraints *constraints, elimination *e)
{
    ritz_status status = RITZ_OK;
    const int64_t n = constraints->equations.n;
    e->constraints = constraints;
    e->n_dofs = (int64_t)constraints->n_nodes * constraints->n_components;
    e->n_all = e->n_dofs + constraints->equations.n_extra;
    RITZ_NEW(e->row_of, e->n_all);
    RITZ_NEW(e->sum, e->n_all);
    RITZ_NEW(e->listed, e->n_all);
    RITZ_NEW(e->list, e->n_all);
    RITZ_NEW(e->unknown, n);
    RITZ_NEW(e->start, n + 1);
    RITZ_NEW(e->constant, n);
    for (int64_t i = 0; i < e->n_all; i++)
        e->row_of[i] = -1;
done:
    return status;
}

static void add_term(elimination *e, int64_t unknown, double weight)
{
    if (!e->listed[unknown]) {
        e->listed[unknown] = true;
        e->list[e->n_list++] = unknown;
    }
    e->sum[unknown] += weight;
    e->size = fmax(e->size, fabs(weight));
}

static void move_to_rhs(elimination *e, double amount)
{
    e->rhs -= amount;
    e->rhs_size = fmax(e->rhs_size, fabs(amount));
    e->largest_rhs = fmax(e->largest_rhs, fabs(amount));
}

static void clear_sums(elimination *e)
{
    for (int64_t k = 0; k < e->n_list; k++) {
        e->sum[e->list[k]] = 0;
        e->listed[e->list[k]] = false;
    }
    e->n_list = 0;
    e->size = e->rhs = e->rhs_size = 0;
}

static void substitute_row(elimination *e, int64_t row, double factor)
{
    for (int64_t k = e->start[row]; k < e->start[row + 1]; k++)
        add_term(e, e->master[k], factor * e->weight[k]);
    move_to_rhs(e, factor * e->constant[row]);
}

/* Frees the sums of what is prescribed or has a row: earlier rows first, as they may bring in later ones. */
static void substitute_rows(elimination *e)
{
    const ritz_constraints *c = e->constraints;
    for (;;) {
        int64_t next = -1;
        for (int64_t k = 0; k < e->n_list; k++) {
            const int64_t row = e->row_of[e->list[k]];
            if (row >= 0 && e->sum[e->list[k]] != 0 && (next < 0 || row < e->row_of[next]))
                next = e->list[k];
        }
        if (next < 0)
            break;
        const double factor = e->sum[next];
        e->sum[next] = 0;
        substitute_row(e, e->row_of[next], factor);
    }
    for (int64_t k = 0; k < e->n_list; k++) {
        const int64_t i = e->list[k];
        if (i >= e->n_dofs || !ritz_is_marked(c->fixed, c->n_components, i))
            continue;
        move_to_rhs(e, e->sum[i] * c->value[i]);
        e->sum[i] = 0;
    }
}

static bool coefficient_is_left(const elimination *e, int64_t unknown)
{
    return fabs(e->sum[unknown]) > cancelled * e->size;
}

/* What the equation eliminates: an unknown beside the space, so that rows of the space have the space's alone; else the
   first one that is not small; -1: nothing is left of it. */
static int64_t choose_unknown(const elimination *e)
{
    double largest = 0, largest_extra = 0;
    int64_t extra = -1;
    for (int64_t k = 0; k < e->n_list; k++) {
        const double size = fabs(e->sum[e->list[k]]);
        if (!coefficient_is_left(e, e->list[k]))
            continue;
        largest = fmax(largest, size);
        if (e->list[k] >= e->n_dofs && size > largest_extra) {
            largest_extra = size;
            extra = e->list[k];
        }
    }
    if (extra >= 0)
        return extra;
    for (int64_t k = 0; k < e->n_list; k++)
        if (coefficient_is_left(e, e->list[k]) && fabs(e->sum[e->list[k]]) >= least_share * largest)
            return e->list[k];
    return -1;
}

static ritz_status add_master(elimination *e, int64_t unknown, double weight)
{
    ritz_status status = RITZ_OK;
    if (e->n_terms == e->room) {
        const int64_t room = ritz_max64(2 * e->room, 256);
        RITZ_RESIZE(e->master, room);
        RITZ_RESIZE(e->weight, room);
        e->room = room;
    }
    e->master[e->n_terms] = unknown;
    e->weight[e->n_terms++] = weight;
done:
    return status;
}

static ritz_status make_row(elimination *e, int64_t unknown)
{
    ritz_status status = RITZ_OK;
    const double divisor = e->sum[unknown];
    for (int64_t k = 0; k < e->n_list; k++)
        if (e->list[k] != unknown && coefficient_is_left(e, e->list[k]))
            RITZ_TRY(add_master(e, e->list[k], -e->sum[e->list[k]] / divisor));
    e->row_of[unknown] = e->n_rows;
    e->unknown[e->n_rows] = unknown;
    e->constant[e->n_rows++] = e->rhs / divisor;
    e->start[e->n_rows] = e->n_terms;
done:
    return status;
}

static ritz_status refuse_equation(const elimination *e, int64_t number, int64_t first)
{
    const ritz_constraints *c = e->constraints;
    const int dim = c->space->dim;
    char place[96] = "";
    if (first < e->n_dofs) {
        const double *x = c->space->coordinates + first / c->n_components * dim;
        char third[24] = "", component[4] = "";
        if (dim == 3)
            snprintf(third, sizeof third, ", %.4g", x[2]);
        if (c->n_components == dim)
            snprintf(component, sizeof component, "%c ", "xyz"[first % dim]);
        snprintf(place, sizeof place, ", %sat (%.4g, %.4g%s)", component, x[0], x[1], third);
    }
    return ritz_fail(RITZ_ERROR_INPUT,
                     "equation %lld (of %lld, its first degree of freedom is %lld%s) contradicts the prescribed values "
                     "and the equations before it: they determine all its unknowns, and its two sides differ by %g",
                     (long long)number + 1, (long long)c->equations.n, (long long)first, place, fabs(e->rhs));
}

static ritz_status eliminate_equation(elimination *e, int64_t number)
{
    ritz_status status = RITZ_OK;
    const ritz_equations *equations = &e->constraints->equations;
    const int64_t first = number ? equations->end[number - 1] : 0;
    clear_sums(e);
    move_to_rhs(e, -equations->value[number]);
    for (int64_t k = first; k < equations->end[number]; k++)
        add_term(e, equations->dof[k], equations->weight[k]);
    substitute_rows(e);
    const int64_t unknown = choose_unknown(e);
    if (unknown >= 0)
        RITZ_TRY(make_row(e, unknown));
    else if (fabs(e->rhs) > fmax(1e-8 * e->rhs_size, 1e-12 * e->largest_rhs))
        RITZ_TRY(refuse_equation(e, number, equations->dof[first]));
done:
    return status;
}

/* ---- Rows in final form ---- */

typedef struct master {
    int64_t unknown;
    double weight;
} master;

static int by_unknown(const void *a, const void *b)
{
    const master *x = a, *y = b;
    return (x->unknown > y->unknown) - (x->unknown < y->unknown);
}

/* The rows with masters alone that have none, the last one first: *starts[n], and the terms in `from`'s storage. */
static ritz_status finish_rows(elimination *e, int64_t *begin, int64_t *end)
{
    ritz_status status = RITZ_OK;
    for (int64_t row = e->n_rows - 1; row >= 0; row--) {
        clear_sums(e);
        for (int64_t k = e->start[row]; k < e->start[row + 1]; k++) {
            const int64_t later = e->row_of[e->master[k]];
            if (later < 0) {
                add_term(e, e->master[k], e->weight[k]);
                continue;
            }
            for (int64_t t = begin[later]; t < end[later]; t++)
                add_term(e, e->master[t], e->weight[k] * e->weight[t]);
            e->constant[row] += e->weight[k] * e->constant[later];
        }
        begin[row] = e->n_terms;
        for (int64_t k = 0; k < e->n_list; k++)
            if (coefficient_is_left(e, e->list[k]))
                RITZ_TRY(add_master(e, e->list[k], e->sum[e->list[k]]));
        end[row] = e->n_terms;
    }
done:
    return status;
}

static ritz_status copy_rows(elimination *e, const int64_t *begin, const int64_t *end, ritz_dependence *d)
{
    ritz_status status = RITZ_OK;
    int64_t n_terms = 0, k = 0;
    master *sorted = NULL;
    for (int64_t row = 0; row < e->n_rows; row++)
        n_terms += end[row] - begin[row];
    RITZ_NEW(sorted, n_terms);
    RITZ_NEW(d->row, e->n_rows);
    RITZ_NEW(d->start, e->n_rows + 1);
    RITZ_NEW(d->constant, e->n_rows);
    RITZ_NEW(d->master, n_terms);
    RITZ_NEW(d->weight, n_terms);
    for (int64_t i = 0; i < e->n_all; i++) {
        const int64_t row = e->row_of[i];
        if (row < 0)
            continue;
        const int64_t length = end[row] - begin[row];
        for (int64_t t = 0; t < length; t++)
            sorted[t] = (master){e->master[begin[row] + t], e->weight[begin[row] + t]};
        qsort(sorted, (size_t)length, sizeof *sorted, by_unknown);
        for (int64_t t = 0; t < length; t++, k++) {
            d->master[k] = sorted[t].unknown;
            d->weight[k] = sorted[t].weight;
        }
        d->row[d->n] = i;
        d->constant[d->n++] = e->constant[row];
        d->start[d->n] = k;
        d->n_own += i < e->n_dofs;
    }
done:
    ritz_free(sorted);
    return status;
}

ritz_status ritz_constraints_resolve(const ritz_constraints *constraints, ritz_dependence **dependence)
{
    ritz_status status = RITZ_OK;
    elimination e = {0};
    ritz_dependence *d = NULL;
    int64_t *begin = NULL, *end = NULL;
    if (constraints->equations.n == 0)
        return RITZ_OK;
    RITZ_TRY(start_elimination(constraints, &e));
    for (int64_t i = 0; i < constraints->equations.n; i++)
        RITZ_TRY(eliminate_equation(&e, i));
    RITZ_NEW(begin, e.n_rows);
    RITZ_NEW(end, e.n_rows);
    RITZ_TRY(finish_rows(&e, begin, end));
    RITZ_NEW(d, 1);
    d->n_components = constraints->n_components;
    d->n_dofs = e.n_dofs;
    RITZ_TRY(copy_rows(&e, begin, end, d));
    RITZ_NEW(d->gone, constraints->n_nodes);
    RITZ_NEW(d->offset, d->n_dofs);
    memcpy(d->gone, constraints->fixed, (size_t)constraints->n_nodes);
    memcpy(d->offset, constraints->value, (size_t)d->n_dofs * sizeof *d->offset);
    for (int64_t i = 0; i < d->n_own; i++) {
        d->gone[d->row[i] / d->n_components] |= (uint8_t)(1 << d->row[i] % d->n_components);
        d->offset[d->row[i]] = d->constant[i];
    }
    *dependence = d;
    d = NULL;
done:
    free_elimination(&e);
    ritz_free(begin);
    ritz_free(end);
    ritz_dependence_destroy(&d);
    return status;
}

void ritz_dependence_destroy(ritz_dependence **dependence)
{
    ritz_dependence *d = dependence ? *dependence : NULL;
    if (!d)
        return;
    ritz_free(d->row);
    ritz_free(d->start);
    ritz_free(d->master);
    ritz_free(d->weight);
    ritz_free(d->constant);
    ritz_free(d->gone);
    ritz_free(d->offset);
    ritz_free(d);
    *dependence = NULL;
}

bool ritz_dependence_same(const ritz_dependence *a, const ritz_dependence *b)
{
    if (!a || !b)
        return a == b;
    return a->n == b->n && memcmp(a->row, b->row, (size_t)a->n * sizeof *a->row) == 0 &&
           memcmp(a->start, b->start, (size_t)(a->n + 1) * sizeof *a->start) == 0 &&
           memcmp(a->master, b->master, (size_t)a->start[a->n] * sizeof *a->master) == 0 &&
           memcmp(a->weight, b->weight, (size_t)a->start[a->n] * sizeof *a->weight) == 0;
}

void ritz_dependence_add_to_masters(const ritz_dependence *d, double *f)
{
    for (int64_t i = 0; d && i < d->n_own; i++)
        for (int64_t k = d->start[i]; k < d->start[i + 1]; k++)
            f[d->master[k]] += d->weight[k] * f[d->row[i]];
}

void ritz_dependence_recover(const ritz_dependence *d, double *u)
{
    for (int64_t i = 0; d && i < d->n_own; i++)
        for (int64_t k = d->start[i]; k < d->start[i + 1]; k++)
            u[d->row[i]] += d->weight[k] * u[d->master[k]];
}

ritz_status ritz_constraints_complete(const ritz_constraints *constraints, double *u)
{
    ritz_status status = RITZ_OK;
    ritz_dependence *dependence = NULL;
    RITZ_REQUIRE_POINTER(constraints);
    RITZ_REQUIRE_POINTER(u);
    RITZ_TRY(ritz_constraints_resolve(constraints, &dependence));
    for (int64_t i = 0; i < (int64_t)constraints->n_nodes * constraints->n_components; i++)
        if (ritz_is_marked(constraints->fixed, constraints->n_components, i))
            u[i] = constraints->value[i];
    for (int64_t i = 0; dependence && i < dependence->n_own; i++)
        u[dependence->row[i]] = dependence->constant[i];
    ritz_dependence_recover(dependence, u);
done:
    ritz_dependence_destroy(&dependence);
    return status;
}
