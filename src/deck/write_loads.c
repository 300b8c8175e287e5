/* What a problem file has for supports and loads on faces and nodes. */
#include "deck/writing.h"

#include <stdio.h>

/* In a cylindrical system each node has a direction of its own. */
static ritz_status write_turned_load(ritz_deck_writing *w, const ritz_deck_load *load, const ritz_deck_transform *t,
                                     const char *indent)
{
    ritz_status status = RITZ_OK;
    const ritz_deck *deck = w->a->deck;
    const ritz_deck_group *group = &deck->groups[load->group];
    for (int64_t i = 0; i < group->n; i++) {
        const int64_t node = group->members[i];
        char text[96];
        double axis[3];
        ritz_deck_transform_axis(t, deck->nodes + 3 * node, load->component, axis);
        for (int d = 0; d < 3; d++)
            axis[d] *= load->value;
        RITZ_TRY(ritz_deck_add_line(w, load->place, "%s- {group: \"%s\", force: %s}", indent,
                                    ritz_deck_group_name(w, deck->node_groups[node]),
                                    ritz_deck_write_vector(w, axis, text)));
    }
done:
    return status;
}

double ritz_deck_heat_thickness(const ritz_deck_analysis *a)
{
    const bool plane = a->procedure == RITZ_DECK_HEAT && a->dim == 2 && a->deck->types[0]->plane != 'a';
    return plane && a->sections[0].thickness > 0 ? a->sections[0].thickness : 1;
}

ritz_status ritz_deck_check_thickness(const ritz_deck_analysis *a)
{
    for (int s = 1; s < a->n_sections && a->procedure == RITZ_DECK_HEAT && a->dim == 2; s++)
        if (a->sections[s].thickness != a->sections[0].thickness && a->deck->types[0]->plane != 'a')
            return ritz_deck_fail(a->sections[s].card->place,
                                  "*SOLID SECTION: in heat transfer plane elements of one thickness are served, and "
                                  "line %d has another",
                                  a->sections[0].card->place.line);
    return RITZ_OK;
}

ritz_status ritz_deck_write_shares(ritz_deck_writing *w, ritz_deck_place place, const ritz_deck_equation *e,
                                   double factor, const char *indent)
{
    ritz_status status = RITZ_OK;
    for (int t = 0; t < e->n; t++) {
        const struct ritz_deck_term *term = &e->terms[t];
        const char *group = ritz_deck_group_name(w, w->a->deck->node_groups[term->node]);
        double force[3] = {0};
        char vector[96];
        force[term->component] = factor * term->weight;
        RITZ_TRY(w->a->procedure == RITZ_DECK_HEAT
                     ? ritz_deck_add_line(w, place, "%s- {group: \"%s\", power: %.15g}", indent, group,
                                          force[0] / ritz_deck_heat_thickness(w->a))
                     : ritz_deck_add_line(w, place, "%s- {group: \"%s\", force: %s}", indent, group,
                                          ritz_deck_write_vector(w, force, vector)));
    }
done:
    return status;
}

/* A load on a reference node acts on the nodes that say what its motion is, each with the share that it moves it by. */
static ritz_status write_reference_load(ritz_deck_writing *w, const ritz_deck_load *load,
                                        const ritz_deck_equation *rest, const char *indent)
{
    for (int t = 0; t < rest->n; t++)
        if (!w->a->deck->used[rest->terms[t].node])
            return ritz_deck_fail(load->place, "the load is on a reference node that the *EQUATIONs leave free to move "
                                               "together with another one; hold one of them");
    return ritz_deck_write_shares(w, load->place, rest, -load->value, indent);
}

static ritz_status write_reference_loads(ritz_deck_writing *w, const ritz_deck_load *load, const char *indent,
                                         bool *any)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_group *group = &w->a->deck->groups[load->group];
    *any = false;
    for (int64_t i = 0; w->a->n_references > 0 && i < group->n; i++) {
        const ritz_deck_reference *reference = ritz_deck_find_reference(w->a, group->members[i], load->component);
        if (reference)
            RITZ_TRY(write_reference_load(w, load, &reference->rest, indent));
        *any = *any || reference;
    }
done:
    return status;
}

static ritz_status write_point_load(ritz_deck_writing *w, const ritz_deck_load *load, const char *indent)
{
    ritz_status status = RITZ_OK;
    char vector[96];
    int64_t n = 0;
    double total[3] = {0};
    int t = -1;
    bool on_references = false;
    RITZ_TRY(ritz_deck_count_nodes(w->a->deck, load->group, &n));
    RITZ_TRY(write_reference_loads(w, load, indent, &on_references));
    if (n == 0 && on_references)
        return RITZ_OK;
    if (n == 0)
        return ritz_deck_fail(load->place,
                              w->a->deck->groups[load->group].n > 0
                                  ? "the load is on nodes that no element has"
                                  : "the load is on a set without nodes; give it some, or leave the load out");
    if (w->a->procedure == RITZ_DECK_HEAT)
        return ritz_deck_add_line(w, load->place, "%s- {group: \"%s\", power: %.15g}", indent,
                                  ritz_deck_group_name(w, load->group),
                                  load->value * (double)n / ritz_deck_heat_thickness(w->a));
    RITZ_TRY(ritz_deck_find_transform(w->a, load->group, 1u << load->component, load->place, &t));
    if (t >= 0 && w->a->transforms[t].cylindrical && load->component < 2)
        return write_turned_load(w, load, &w->a->transforms[t], indent);
    total[load->component] = load->value * (double)n;
    for (int d = 0; t >= 0 && d < 3; d++)
        total[d] = load->value * (double)n * w->a->transforms[t].axes[load->component][d];
    RITZ_TRY(ritz_deck_add_line(w, load->place, "%s- {group: \"%s\", force: %s}", indent,
                                ritz_deck_group_name(w, load->group), ritz_deck_write_vector(w, total, vector)));
done:
    return status;
}

/* On the axis of a cylindrical system radial and tangential have no direction, and CalculiX takes one: so do those nodes. */
static ritz_status write_supports_on_axis(ritz_deck_writing *w, const ritz_deck_load *load, int t, const char *indent)
{
    ritz_status status = RITZ_OK;
    const ritz_deck *deck = w->a->deck;
    const ritz_deck_transform *system = &w->a->transforms[t];
    for (int64_t i = -1; (i = ritz_deck_next_on_axis(deck, system, load->group, i + 1)) >= 0;) {
        const int64_t node = deck->groups[load->group].members[i];
        /* Several cards may say the same system, and this node's own has been written with its axis. */
        const int own = (int)(ritz_deck_transform_of(w->a, node) - w->a->transforms);
        RITZ_TRY(ritz_deck_add_line(
            w, load->place, "%s- {group: \"%s\", system: system%d_axis, displacement: {%c: %.15g}}", indent,
            ritz_deck_group_name(w, deck->node_groups[node]), own + 1, 'x' + load->component, load->value));
    }
done:
    return status;
}

/* Components of one group that follow each other are one entry; of a group with nodes on the axis of a cylinder each is one of its own,
   since radial and tangential together would hold them there. */
static ritz_status write_support(ritz_deck_writing *w, const ritz_deck_load *loads, int n, int *i, const char *indent)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_load *first = &loads[*i];
    static const char *const along_names[] = {"x", "y", "z"}, *const around_names[] = {"radial", "tangential", "axial"};
    char line[256] = "", system[32] = "";
    size_t used = 0;
    int64_t n_nodes = 0;
    unsigned components = 0;
    int t = -1;
    RITZ_TRY(ritz_deck_count_nodes(w->a->deck, first->group, &n_nodes));
    if (n_nodes == 0) /* of no element: equations have it */
        return RITZ_OK;
    if (w->a->procedure == RITZ_DECK_HEAT)
        return ritz_deck_add_line(w, first->place, "%s- {group: \"%s\", temperature: %.15g}", indent,
                                  ritz_deck_group_name(w, first->group), first->value);
    for (int k = *i; k < n && loads[k].kind == RITZ_DECK_SUPPORT && loads[k].group == first->group; k++)
        components |= 1u << loads[k].component;
    RITZ_TRY(ritz_deck_find_transform(w->a, first->group, components, first->place, &t));
    if (t >= 0)
        snprintf(system, sizeof system, ", system: system%d", t + 1);
    const bool cylindrical = t >= 0 && w->a->transforms[t].cylindrical;
    const bool is_alone = t >= 0 && ritz_deck_next_on_axis(w->a->deck, &w->a->transforms[t], first->group, 0) >= 0;
    for (; *i < n && loads[*i].kind == RITZ_DECK_SUPPORT && loads[*i].group == first->group && !(is_alone && used);
         ++*i)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s: %.15g", used ? ", " : "",
                                 (cylindrical ? around_names : along_names)[loads[*i].component], loads[*i].value);
    --*i;
    RITZ_TRY(ritz_deck_add_line(w, first->place, "%s- {group: \"%s\"%s, displacement: {%s}}", indent,
                                ritz_deck_group_name(w, first->group), system, line));
    if (is_alone && first->component < 2)
        RITZ_TRY(write_supports_on_axis(w, first, t, indent));
done:
    return status;
}

int ritz_deck_kind_of(const ritz_deck_load *load)
{
    if (ritz_deck_acts_on_volume(load))
        return RITZ_DECK_VOLUME;
    return load->kind == RITZ_DECK_SUPPORT                                     ? RITZ_DECK_SUPPORTS
           : load->kind == RITZ_DECK_FILM || load->kind == RITZ_DECK_RADIATION ? RITZ_DECK_FILMS
                                                                               : RITZ_DECK_OTHERS;
}

ritz_status ritz_deck_write_loads(ritz_deck_writing *w, const ritz_deck_load *loads, int n, int kinds,
                                  const char *indent)
{
    ritz_status status = RITZ_OK;
    for (int i = 0; i < n; i++) {
        const ritz_deck_load *load = &loads[i];
        const char *group = ritz_deck_group_name(w, load->group);
        if (!(ritz_deck_kind_of(load) & kinds))
            continue;
        if (load->control) {
            if (load->kind == RITZ_DECK_POINT)
                RITZ_TRY(ritz_deck_write_control_load(w, load, indent));
            continue;
        }
        if (load->kind == RITZ_DECK_SUPPORT)
            RITZ_TRY(write_support(w, loads, n, &i, indent));
        if (load->kind == RITZ_DECK_POINT)
            RITZ_TRY(write_point_load(w, load, indent));
        if (load->kind == RITZ_DECK_PRESSURE)
            RITZ_TRY(
                ritz_deck_add_line(w, load->place, "%s- {group: \"%s\", pressure: %.15g}", indent, group, load->value));
        if (load->kind == RITZ_DECK_FLUX)
            RITZ_TRY(
                ritz_deck_add_line(w, load->place, "%s- {group: \"%s\", flux: %.15g}", indent, group, load->value));
        if (load->kind == RITZ_DECK_FILM)
            RITZ_TRY(ritz_deck_add_line(w, load->place,
                                        "%s- {group: \"%s\", film: {coefficient: %.15g, ambient: %.15g}}", indent,
                                        group, load->value, load->vector[0]));
        if (load->kind == RITZ_DECK_RADIATION)
            RITZ_TRY(ritz_deck_add_line(w, load->place,
                                        "%s- {group: \"%s\", radiation: {emissivity: %.15g, ambient: %.15g, "
                                        "absolute_zero: %.15g, stefan_boltzmann: %.15g}}",
                                        indent, group, load->value, load->vector[0], load->vector[1], load->vector[2]));
    }
done:
    return status;
}
