/* *TRANSFORM and *ORIENTATION: systems that the degrees of freedom of nodes, and the directions of materials, are along. */
#include "base/point.h"
#include "deck/translate.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* Directions and axes that are no further apart are the same. */
static const double same_direction = 1e-9;

/* From the two points of a card's only line. */
static ritz_status read_points(const ritz_deck *deck, const ritz_deck_card *card, const char *rectangular,
                               const char *cylindrical, ritz_deck_transform *t)
{
    double point[6];
    bool good = ritz_deck_two_points(deck, card, point);
    for (int d = 0; good && d < 3; d++) {
        t->origin[d] = t->cylindrical ? point[d] : 0;
        t->axes[0][d] = point[d];
        t->axes[1][d] = point[3 + d];
        t->axes[2][d] = point[3 + d] - point[d];
    }
    if (good && t->cylindrical) {
        good = ritz_scale_to_unit(t->axes[2]) > 0;
    } else if (good) {
        ritz_cross(t->axes[0], t->axes[1], t->axes[2]);
        good = ritz_scale_to_unit(t->axes[0]) > 0 && ritz_scale_to_unit(t->axes[2]) > 0;
        ritz_cross(t->axes[2], t->axes[0], t->axes[1]);
    }
    return good
               ? RITZ_OK
               : ritz_deck_fail(card->place,
                                "*%s takes two points: %s one on the x axis and one in the plane of x and y, %s two on "
                                "the axis",
                                card->words, rectangular, cylindrical);
}

static ritz_status read_transform(ritz_deck_analysis *a, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    const char *set = ritz_deck_parameter_value(card, "NSET"), *type = ritz_deck_parameter_value(card, "TYPE");
    ritz_deck_transform t = {.card = card, .cylindrical = type && strcasecmp(type, "C") == 0};
    t.group = set ? ritz_deck_find_set(a->deck, set, RITZ_GROUP_NODES) : -1;
    if (t.group < 0)
        return ritz_deck_fail(card->place, "*TRANSFORM: there is no set of nodes called '%s'", set ? set : "");
    RITZ_TRY(read_points(a->deck, card, "TYPE=R", "TYPE=C", &t));
    if (a->dim == 2)
        return ritz_deck_fail(card->place, "*TRANSFORM with plane elements is not served");
    RITZ_RESIZE(a->transforms, a->n_transforms + 1);
    a->transforms[a->n_transforms++] = t;
done:
    return status;
}

static ritz_status read_orientation(ritz_deck_analysis *a, const ritz_deck_card *card)
{
    ritz_status status = RITZ_OK;
    const char *name = ritz_deck_parameter_value(card, "NAME"), *system = ritz_deck_parameter_value(card, "SYSTEM");
    ritz_deck_transform t = {
        .card = card, .group = -1, .cylindrical = system && strcasecmp(system, "CYLINDRICAL") == 0};
    if (!name || !*name)
        return ritz_deck_fail(card->place, "*ORIENTATION has no name; write  *ORIENTATION, NAME=OR1");
    RITZ_TRY(read_points(a->deck, card, "SYSTEM=RECTANGULAR", "SYSTEM=CYLINDRICAL", &t));
    RITZ_RESIZE(a->orientations, a->n_orientations + 1);
    a->orientations[a->n_orientations++] = t;
done:
    return status;
}

ritz_status ritz_deck_read_orientations(ritz_deck_analysis *a)
{
    ritz_status status = RITZ_OK;
    for (int64_t c = 0; c < a->deck->n_cards; c++)
        if (strcmp(a->deck->cards[c].keyword, "ORIENTATION") == 0)
            RITZ_TRY(read_orientation(a, &a->deck->cards[c]));
done:
    return status;
}

int ritz_deck_find_orientation(const ritz_deck_analysis *a, const char *name)
{
    for (int k = 0; k < a->n_orientations; k++)
        if (strcasecmp(ritz_deck_parameter_value(a->orientations[k].card, "NAME"), name) == 0)
            return k;
    return -1;
}

ritz_status ritz_deck_read_transforms(ritz_deck_analysis *a)
{
    ritz_status status = RITZ_OK;
    for (int64_t c = 0; c < a->deck->n_cards; c++)
        if (strcmp(a->deck->cards[c].keyword, "TRANSFORM") == 0)
            RITZ_TRY(read_transform(a, &a->deck->cards[c]));
done:
    return status;
}

const ritz_deck_transform *ritz_deck_transform_of(const ritz_deck_analysis *a, int64_t node)
{
    const ritz_deck_transform *found = NULL; /* the last one counts */
    for (int t = 0; t < a->n_transforms; t++)
        if (ritz_deck_has_member(a->deck, a->transforms[t].group, node))
            found = &a->transforms[t];
    return found;
}

/* Whether a component is along the same direction at each node in both systems; NULL: x, y, z. */
static bool are_alike(const ritz_deck_transform *s, const ritz_deck_transform *t, int component)
{
    static const double units[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const bool turns = s && s->cylindrical && component < 2;
    if (s == t || turns != (t && t->cylindrical && component < 2))
        return s == t;
    const int axis = turns ? 2 : component;
    const double *const one = s ? s->axes[axis] : units[axis], *const other = t ? t->axes[axis] : units[axis];
    double between[3], apart[3] = {0};
    for (int d = 0; d < 3 && turns; d++)
        between[d] = t->origin[d] - s->origin[d];
    if (turns)
        ritz_cross(one, between, apart);
    double size = 0;
    for (int d = 0; d < 3; d++)
        size = fmax(size, turns ? fmax(fabs(s->origin[d]), fabs(t->origin[d])) : 0);
    for (int d = 0; d < 3; d++)
        if (fabs(one[d] - other[d]) > same_direction || fabs(apart[d]) > same_direction * size)
            return false;
    return true;
}

ritz_status ritz_deck_find_transform(const ritz_deck_analysis *a, int32_t group, unsigned components,
                                     ritz_deck_place place, int *transform)
{
    const ritz_deck_group *g = &a->deck->groups[group];
    const ritz_deck_transform *found = g->n > 0 ? ritz_deck_transform_of(a, g->members[0]) : NULL;
    for (int64_t i = 1; i < g->n; i++) {
        const ritz_deck_transform *other = ritz_deck_transform_of(a, g->members[i]);
        for (int c = 0; c < 3; c++)
            if (components & 1u << c && !are_alike(found, other, c))
                return ritz_deck_fail(place,
                                      "nodes %lld and %lld are in different systems of *TRANSFORM (of line %d); give "
                                      "them lines of their own",
                                      (long long)a->deck->node_numbers[g->members[0]],
                                      (long long)a->deck->node_numbers[g->members[i]],
                                      (found ? found : other)->card->place.line);
    }
    *transform = found ? (int)(found - a->transforms) : -1;
    return RITZ_OK;
}

void ritz_deck_transform_axis(const ritz_deck_transform *t, const double x[3], int component, double axis[3])
{
    double radial[3];
    if (!t->cylindrical || component == 2) {
        memcpy(axis, t->axes[component], sizeof(double[3]));
        return;
    }
    ritz_radial_direction(t->axes[2], t->origin, x, radial);
    if (component == 0)
        memcpy(axis, radial, sizeof radial);
    else
        ritz_cross(t->axes[2], radial, axis);
}

int64_t ritz_deck_next_on_axis(const ritz_deck *deck, const ritz_deck_transform *t, int32_t group, int64_t first)
{
    double radial[3];
    for (int64_t i = first; t->cylindrical && group >= 0 && i < deck->groups[group].n; i++)
        if (!ritz_radial_direction(t->axes[2], t->origin, deck->nodes + 3 * deck->groups[group].members[i], radial))
            return i;
    return -1;
}
