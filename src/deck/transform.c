/* *TRANSFORM and *ORIENTATION: systems that the degrees of freedom of nodes, and the directions of materials, are along. */
#include "base/point.h"
#include "deck/translate.h"

#include <math.h>
#include <string.h>
#include <strings.h>

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

/* How many members of a group of nodes another one has. */
static int64_t count_members(const ritz_deck *deck, int32_t group, int32_t other)
{
    int64_t n = 0;
    for (int64_t i = 0; i < deck->groups[group].n; i++)
        n += ritz_deck_has_member(deck, other, deck->groups[group].members[i]);
    return n;
}

const ritz_deck_transform *ritz_deck_transform_of(const ritz_deck_analysis *a, int64_t node)
{
    const ritz_deck_transform *found = NULL; /* the last one counts */
    for (int t = 0; t < a->n_transforms; t++)
        if (ritz_deck_has_member(a->deck, a->transforms[t].group, node))
            found = &a->transforms[t];
    return found;
}

ritz_status ritz_deck_find_transform(const ritz_deck_analysis *a, int32_t group, ritz_deck_place place, int *transform)
{
    *transform = -1;
    for (int t = 0; t < a->n_transforms; t++) {
        const int64_t n = count_members(a->deck, group, a->transforms[t].group);
        if (n == 0)
            continue;
        if (n < a->deck->groups[group].n)
            return ritz_deck_fail(place,
                                  "%lld of the %lld nodes are in the system of line %d, and the others are not; "
                                  "give them lines of their own",
                                  (long long)n, (long long)a->deck->groups[group].n, a->transforms[t].card->place.line);
        *transform = t; /* the last one counts */
    }
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
