/* Loads on volumes: gravity, centrifugal and other forces, sources; each affine in space. */
#include "deck/writing.h"

static const char axis_names[] = "xyz";

/* How many elements of one group are in another one. */
ritz_status ritz_deck_count_shared(const ritz_deck *deck, int32_t a, int32_t b, int64_t *n_a, int64_t *n_shared)
{
    ritz_status status = RITZ_OK;
    uint8_t *in = NULL;
    *n_a = *n_shared = 0;
    RITZ_NEW(in, deck->n_elements);
    for (int64_t i = 0; i < deck->groups[b].n; i++)
        in[deck->groups[b].members[i]] = 1;
    for (int64_t i = 0; i < deck->groups[a].n; i++) {
        uint8_t *at = &in[deck->groups[a].members[i]];
        *n_a += *at < 2;
        *n_shared += *at == 1;
        *at = 2;
    }
done:
    ritz_free(in);
    return status;
}

bool ritz_deck_acts_on_volume(const ritz_deck_load *load)
{
    return load->kind == RITZ_DECK_GRAVITY || load->kind == RITZ_DECK_CENTRIFUGAL || load->kind == RITZ_DECK_FORCE ||
           load->kind == RITZ_DECK_SOURCE;
}

ritz_status ritz_deck_check_turning(const ritz_deck *deck, const ritz_deck_load *loads, int n)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_load **by = NULL; /* [n_elements] the load that turns it */
    for (int i = 0; i < n; i++) {
        const ritz_deck_group *group = &deck->groups[loads[i].group];
        if (loads[i].kind != RITZ_DECK_CENTRIFUGAL)
            continue;
        if (!by)
            RITZ_NEW(by, deck->n_elements);
        for (int64_t m = 0; m < group->n; m++) {
            const ritz_deck_load *other = by[group->members[m]];
            by[group->members[m]] = &loads[i];
            const bool alike = other && ritz_deck_acts_alike(other, &loads[i]);
            if (!other || (alike && other->group == loads[i].group))
                continue;
            status = ritz_deck_fail(
                loads[i].place,
                alike
                    ? "element %lld turns by the set of line %d already, and CalculiX takes one of the two sets; name "
                      "each element once, with the sum where speeds squared add up"
                    : "element %lld turns about the axis of line %d already; name the axis of the last with *DLOAD, "
                      "OP=NEW, and each element once",
                (long long)deck->numbers[group->members[m]], other->place.line);
            goto done;
        }
    }
done:
    ritz_free(by);
    return status;
}

static void add_volume_load(const ritz_deck_load *load, double density, ritz_deck_volume_load *sum)
{
    const double *n = load->vector, *p = load->point;
    const double factor = load->kind == RITZ_DECK_GRAVITY || load->kind == RITZ_DECK_CENTRIFUGAL ? density : 1;
    sum->any = true;
    for (int d = 0; d < 3; d++) {
        if (load->kind != RITZ_DECK_CENTRIFUGAL) {
            sum->at[d][3] += factor * n[d];
            continue;
        }
        for (int k = 0; k < 3; k++) { /* the part of x - p across the axis */
            const double across = (d == k) - n[d] * n[k];
            sum->at[d][k] += factor * load->value * across;
            sum->at[d][3] -= factor * load->value * across * p[k];
        }
    }
    if (load->kind == RITZ_DECK_SOURCE)
        sum->at[0][3] += load->value;
}

/* Adds a load where it is on all of a section; *partly: it is on a part of it. */
ritz_status ritz_deck_add_to_section(const ritz_deck_writing *w, const ritz_deck_load *load,
                                     const ritz_deck_section *section, ritz_deck_volume_load *sum, bool *partly)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_material *material = &w->a->materials[section->material];
    int64_t n, n_shared;
    RITZ_TRY(ritz_deck_count_shared(w->a->deck, section->group, load->group, &n, &n_shared));
    *partly = n_shared > 0 && n_shared < n;
    if (n_shared > 0 && load->kind != RITZ_DECK_FORCE && load->kind != RITZ_DECK_SOURCE && !material->has_density)
        return ritz_deck_fail(load->place, "the material '%s' needs a *DENSITY for this load", material->name);
    if (n_shared > 0)
        add_volume_load(load, material->density, sum);
    if (w->a->dim == 2 && (sum->at[2][0] != 0 || sum->at[2][1] != 0 || sum->at[2][3] != 0))
        status = ritz_deck_fail(load->place, "a load across the plane has no meaning for plane elements");
done:
    return status;
}

/* The loads of a step on the volume of one section, together; *partly: one is on a part of it. */
ritz_status ritz_deck_sum_volume_loads(const ritz_deck_writing *w, const ritz_deck_step *step,
                                       const ritz_deck_section *section, ritz_deck_volume_load *sum, bool *partly)
{
    ritz_status status = RITZ_OK;
    *sum = (ritz_deck_volume_load){0};
    *partly = false;
    for (int i = 0; i < step->n_loads; i++) {
        bool part = false;
        if (ritz_deck_acts_on_volume(&step->loads[i]))
            RITZ_TRY(ritz_deck_add_to_section(w, &step->loads[i], section, sum, &part));
        *partly = *partly || part;
    }
done:
    return status;
}

/* "7.5", or an expression in quotes. */
void ritz_deck_write_linear(const double f[4], int dim, ritz_text *text)
{
    bool varies = false;
    for (int k = 0; k < dim; k++)
        varies = varies || f[k] != 0;
    ritz_text_add(text, varies ? "\"%.15g" : "%.15g", f[3]);
    for (int k = 0; k < dim; k++)
        if (f[k] != 0)
            ritz_text_add(text, " + (%.15g) * %c", f[k], axis_names[k]);
    ritz_text_add(text, varies ? "\"" : "");
}

void ritz_deck_write_volume_load(const ritz_deck_writing *w, const ritz_deck_volume_load *load, ritz_text *text)
{
    if (w->a->procedure == RITZ_DECK_HEAT) {
        ritz_text_add(text, ", source: %.15g", load->at[0][3]);
        return;
    }
    for (int d = 0; d < w->a->dim; d++) {
        ritz_text_add(text, d ? ", " : ", force: [");
        ritz_deck_write_linear(load->at[d], w->a->dim, text);
    }
    ritz_text_add(text, "]");
}
