/* Reference nodes of *EQUATION: of no element, and free, as those that a periodic cell is pulled by. Their motions are no unknowns here: an
   equation says what each is, and loads on it act on the nodes of that equation. */
#include "deck/translate.h"

#include <math.h>

static bool is_reference(const ritz_deck_analysis *a, const struct ritz_deck_term *term)
{
    return !a->deck->used[term->node] && term->weight != 0;
}

/* The difference of two numbers, 0 where it is no more than their rounding. */
static double subtract(double x, double y)
{
    const double rounding = 1e-14 * (fabs(x) + fabs(y));
    return fabs(x - y) <= rounding ? 0 : x - y;
}

static void drop_term(ritz_deck_equation *e, int t)
{
    for (e->n--; t < e->n; t++)
        e->terms[t] = e->terms[t + 1];
}

/* Subtracts the reference's own equation as often as *e has its term. */
static ritz_status substitute(const ritz_deck_reference *reference, ritz_deck_equation *e)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_equation *rest = &reference->rest;
    const int at = ritz_deck_find_term(e, reference->node, reference->component);
    if (at < 0)
        return RITZ_OK;
    const double weight = e->terms[at].weight;
    drop_term(e, at);
    e->value = subtract(e->value, weight * rest->value);
    for (int t = 0; t < rest->n; t++) {
        const struct ritz_deck_term *term = &rest->terms[t];
        const int there = ritz_deck_find_term(e, term->node, term->component);
        if (there < 0) {
            RITZ_TRY(ritz_deck_add_term(e, term->node, term->component, -weight * term->weight));
            continue;
        }
        e->terms[there].weight = subtract(e->terms[there].weight, weight * term->weight);
        if (e->terms[there].weight == 0)
            drop_term(e, there);
    }
done:
    return status;
}

/* Makes term t of an equation a reference, and takes the equation. */
static ritz_status add_reference(ritz_deck_analysis *a, ritz_deck_equation *e, int t)
{
    ritz_status status = RITZ_OK;
    const struct ritz_deck_term term = e->terms[t];
    RITZ_RESIZE(a->references, a->n_references + 1);
    ritz_deck_reference *reference = &a->references[a->n_references++];
    *reference = (ritz_deck_reference){.node = term.node, .component = term.component, .rest = *e};
    *e = (ritz_deck_equation){.place = e->place};
    drop_term(&reference->rest, t);
    reference->rest.value /= term.weight;
    for (int k = 0; k < reference->rest.n; k++)
        reference->rest.terms[k].weight /= term.weight;
done:
    return status;
}

ritz_status ritz_deck_solve_references(ritz_deck_analysis *a)
{
    ritz_status status = RITZ_OK;
    for (int i = 0; i < a->n_equations; i++) {
        int t = 0;
        while (t < a->equations[i].n && !is_reference(a, &a->equations[i].terms[t]))
            t++;
        if (t == a->equations[i].n)
            continue;
        RITZ_TRY(add_reference(a, &a->equations[i], t));
        const ritz_deck_reference *reference = &a->references[a->n_references - 1];
        for (int k = 0; k < a->n_equations; k++)
            RITZ_TRY(substitute(reference, &a->equations[k]));
        for (int k = 0; k + 1 < a->n_references; k++)
            RITZ_TRY(substitute(reference, &a->references[k].rest));
    }
done:
    return status;
}

const ritz_deck_reference *ritz_deck_find_reference(const ritz_deck_analysis *a, int64_t node, int component)
{
    for (int i = 0; i < a->n_references; i++)
        if (a->references[i].node == node && a->references[i].component == component)
            return &a->references[i];
    return NULL;
}
