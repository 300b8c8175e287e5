/* From a deck to the text of a problem file. */
#include "deck/writing.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void ritz_deck_analysis_free(ritz_deck_analysis *a)
{
    for (int s = 0; s < a->n_steps; s++) {
        ritz_free(a->steps[s].loads);
        ritz_free(a->steps[s].temperature.values);
    }
    for (int i = 0; i < a->n_equations; i++)
        ritz_free(a->equations[i].terms);
    for (int i = 0; i < a->n_references; i++)
        ritz_free(a->references[i].rest.terms);
    ritz_free(a->equations);
    ritz_free(a->references);
    ritz_free(a->reference.values);
    ritz_free(a->steps);
    ritz_free(a->transforms);
    ritz_free(a->controls);
    ritz_free(a->materials);
    ritz_free(a->orientations);
    ritz_free(a->sections);
    *a = (ritz_deck_analysis){0};
}

void ritz_deck_problem_free(ritz_deck_problem *problem)
{
    for (int f = 0; f < problem->n_files; f++)
        ritz_free(problem->files[f]);
    for (int i = 0; i < problem->n_notes; i++)
        ritz_free(problem->notes[i]);
    for (int t = 0; t < problem->n_tables; t++) {
        ritz_free(problem->tables[t].name);
        ritz_free(problem->tables[t].text);
    }
    ritz_free(problem->tables);
    ritz_free(problem->files);
    ritz_free(problem->notes);
    ritz_free(problem->origins);
    ritz_free(problem->text);
    *problem = (ritz_deck_problem){0};
}

const char *ritz_deck_write_vector(const ritz_deck_writing *w, const double *vector, char text[96])
{
    if (w->a->dim == 2)
        snprintf(text, 96, "[%.15g, %.15g]", vector[0], vector[1]);
    else
        snprintf(text, 96, "[%.15g, %.15g, %.15g]", vector[0], vector[1], vector[2]);
    return text;
}

/* ---- Steps ---- */

static bool has_kind(const ritz_deck_step *step, int kinds)
{
    for (int i = 0; i < step->n_loads; i++)
        if (!(step->loads[i].control &&
              step->loads[i].kind == RITZ_DECK_SUPPORT) && /* `rigid` and `equations` have it */
            ritz_deck_kind_of(&step->loads[i]) & kinds)
            return true;
    return false;
}

static bool has_support(const ritz_deck_step *step, const ritz_deck_load *support)
{
    for (int k = 0; k < step->n_loads; k++)
        if (step->loads[k].kind == RITZ_DECK_SUPPORT && step->loads[k].group == support->group &&
            step->loads[k].component == support->component)
            return true;
    return false;
}

/* The film or radiation of the other step that is the same as this one. */
static bool has_film(const ritz_deck_step *step, const ritz_deck_load *film)
{
    for (int k = 0; k < step->n_loads; k++) {
        const ritz_deck_load *other = &step->loads[k];
        bool same = other->kind == film->kind && other->group == film->group && other->value == film->value;
        for (int d = 0; d < 3; d++)
            same = same && other->vector[d] == film->vector[d];
        if (same)
            return true;
    }
    return false;
}

/* They are part of the matrix, which all steps share. */
static ritz_status check_films(const ritz_deck_step *first, const ritz_deck_step *step)
{
    for (int i = 0; i < step->n_loads; i++)
        if (ritz_deck_kind_of(&step->loads[i]) == RITZ_DECK_FILMS && !has_film(first, &step->loads[i]))
            return ritz_deck_fail(step->loads[i].place,
                                  "a *FILM or *RADIATE that the first step does not have in the same way is not "
                                  "served; give the step a deck of its own");
    for (int i = 0; i < first->n_loads; i++)
        if (ritz_deck_kind_of(&first->loads[i]) == RITZ_DECK_FILMS && !has_film(step, &first->loads[i]))
            return ritz_deck_fail(step->place,
                                  "a step that takes away or changes a *FILM or *RADIATE of the first, of line %d, is "
                                  "not served; give it a deck of its own",
                                  first->loads[i].place.line);
    return RITZ_OK;
}

/* A later step supports what the first does, and its loads either replace earlier ones or add to them. */
static ritz_status check_step(const ritz_deck_writing *w, const ritz_deck_step *step)
{
    const ritz_deck_step *first = &w->a->steps[0];
    const ritz_status films = check_films(first, step);
    if (films != RITZ_OK)
        return films;
    for (int i = 0; i < first->n_loads; i++)
        if (first->loads[i].kind == RITZ_DECK_SUPPORT && !has_support(step, &first->loads[i]))
            return ritz_deck_fail(step->place, "a step that releases a support of the first, of line %d, is not served",
                                  first->loads[i].place.line);
    for (int i = 0; i < step->n_loads; i++) {
        const ritz_deck_load *load = &step->loads[i];
        if (load->kind == RITZ_DECK_SUPPORT && !has_support(first, load))
            return ritz_deck_fail(load->place,
                                  "the first step has no support of this set in this direction: later steps may give "
                                  "its supports other values, set by set, and no further ones");
        if (load->kind == RITZ_DECK_SUPPORT && load->control && load->step > 1)
            return ritz_deck_fail(load->place, "a motion of a rigid body or of nodes together that changes from step "
                                               "to step is not served");
    }
    return RITZ_OK;
}

/* Where a member of a group stands among marks. */
static int64_t mark_of(const ritz_deck_group *g, int64_t i)
{
    return g->kind == RITZ_GROUP_FACETS ? 8 * g->members[2 * i] + g->members[2 * i + 1] : 8 * g->members[i];
}

/* Whether two groups of one kind share a member. marks: zeros for all members, before and after. */
static bool groups_meet(const ritz_deck_group *a, const ritz_deck_group *b, uint8_t *marks)
{
    bool meet = false;
    for (int64_t i = 0; i < a->n; i++)
        marks[mark_of(a, i)] = 1;
    for (int64_t i = 0; i < b->n && !meet; i++)
        meet = marks[mark_of(b, i)];
    for (int64_t i = 0; i < a->n; i++)
        marks[mark_of(a, i)] = 0;
    return meet;
}

/* What CalculiX would change in part: a load by a later step, films and radiation by a later line. */
static ritz_status check_overlaps(const ritz_deck *deck, const ritz_deck_step *step, bool several)
{
    ritz_status status = RITZ_OK;
    uint8_t *marks = NULL;
    RITZ_NEW(marks, 8 * ritz_max64(deck->n_nodes, deck->n_elements));
    for (int i = 0; i < step->n_loads; i++)
        for (int k = 0; k < i; k++) {
            const ritz_deck_load *load = &step->loads[i], *other = &step->loads[k];
            const ritz_deck_group *a = &deck->groups[other->group], *b = &deck->groups[load->group];
            const bool film = ritz_deck_kind_of(load) == RITZ_DECK_FILMS;
            if (!ritz_deck_acts_alike(other, load) || (!film && (!several || other->step == load->step)) ||
                a->kind != b->kind || !groups_meet(a, b, marks))
                continue;
            status = film ? ritz_deck_fail(load->place,
                                           "faces here have another one by line %d; CalculiX takes the last of them, "
                                           "which is not served: give each face one",
                                           other->place.line)
                          : ritz_deck_fail(load->place,
                                           "the load is on part of what line %d is on; that one step changes part of "
                                           "an earlier load is not served",
                                           other->place.line);
            goto done;
        }
done:
    ritz_free(marks);
    return status;
}

static ritz_status write_body_entry(ritz_deck_writing *w, ritz_deck_place place, int32_t group,
                                    const ritz_deck_volume_load *load)
{
    ritz_status status = RITZ_OK;
    ritz_text text = {0};
    char *line = NULL;
    ritz_deck_write_volume_load(w, load, &text);
    RITZ_TRY(ritz_text_take(&text, &line));
    RITZ_TRY(ritz_deck_add_line(w, place, "      - {group: \"%s\"%s}", ritz_deck_group_name(w, group), line));
done:
    ritz_text_free(&text);
    ritz_free(line);
    return status;
}

/* The loads on a section, and those on groups of elements that all lie in it. */
static ritz_status write_body(ritz_deck_writing *w, const ritz_deck_step *step, const ritz_deck_section *section)
{
    ritz_status status = RITZ_OK;
    ritz_deck_volume_load whole = {0}, part;
    for (int i = 0; i < step->n_loads; i++) {
        const ritz_deck_load *load = &step->loads[i];
        int64_t n, n_shared;
        bool partly = false;
        if (!ritz_deck_acts_on_volume(load))
            continue;
        part = whole;
        RITZ_TRY(ritz_deck_add_to_section(w, load, section, &part, &partly));
        if (!partly) {
            whole = part;
            continue;
        }
        RITZ_TRY(ritz_deck_count_shared(w->a->deck, load->group, section->group, &n, &n_shared));
        if (n_shared < n)
            return ritz_deck_fail(load->place, "the load is on parts of several sections; give it a line for each");
        part = (ritz_deck_volume_load){0};
        RITZ_TRY(ritz_deck_add_to_section(w, load, section, &part, &partly));
        RITZ_TRY(write_body_entry(w, load->place, load->group, &part));
    }
    if (whole.any)
        RITZ_TRY(write_body_entry(w, step->place, section->group, &whole));
done:
    return status;
}

static ritz_status write_case(ritz_deck_writing *w, int s)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_step *step = &w->a->steps[s];
    RITZ_TRY(check_step(w, step));
    RITZ_TRY(ritz_deck_add_line(w, step->place, "  - name: step%d", s + 1));
    if (has_kind(step, RITZ_DECK_SUPPORTS | RITZ_DECK_OTHERS)) {
        RITZ_TRY(ritz_deck_add_line(w, step->place, "    boundary:"));
        RITZ_TRY(ritz_deck_write_loads(w, step->loads, step->n_loads, RITZ_DECK_SUPPORTS | RITZ_DECK_OTHERS, "      "));
    }
    if (step->has_temperature)
        RITZ_TRY(ritz_deck_write_temperature(w, step->place, "    temperature", &step->temperature));
    if (!has_kind(step, RITZ_DECK_VOLUME))
        return RITZ_OK;
    RITZ_TRY(ritz_deck_add_line(w, step->place, "    body:"));
    for (int k = 0; k < w->a->n_sections; k++)
        RITZ_TRY(write_body(w, step, &w->a->sections[k]));
done:
    return status;
}

/* ---- The whole ---- */

/* The rule of quadrature that CalculiX's elements have, where one serves all cells; 0: that of the order. */
static int find_degree(const ritz_deck_analysis *a)
{
    const ritz_deck *deck = a->deck;
    bool reduced = false, full = false, tets = true, one = a->procedure == RITZ_DECK_STATIC;
    for (int64_t e = 0; e < deck->n_elements; e++) {
        const ritz_deck_element *type = deck->types[e];
        reduced = reduced || type->reduced;
        full = full || !type->reduced;
        tets = tets && type->cell == RITZ_TET && type->n_nodes == 10;
        one = one && (type->formulation == RITZ_DECK_HOURGLASS || (type->cell == RITZ_TET && type->n_nodes == 4) ||
                      (type->cell == RITZ_TRI && type->n_nodes == 3 && type->plane != 'a'));
    }
    return one ? 1 : tets ? 2 : reduced && !full ? 3 : 0;
}

static ritz_status check_elements(const ritz_deck_writing *w)
{
    const ritz_deck *deck = w->a->deck;
    int64_t reduced = -1, full = -1;
    for (int64_t e = 0; e < deck->n_elements; e++)
        *(deck->types[e]->reduced ? &reduced : &full) = e;
    if (reduced >= 0 && full >= 0)
        return ritz_fail(RITZ_ERROR_INPUT,
                         "%s: elements %lld (%s) and %lld (%s): one rule of quadrature for all "
                         "elements is served",
                         deck->path, (long long)deck->numbers[full], deck->types[full]->name,
                         (long long)deck->numbers[reduced], deck->types[reduced]->name);
    return RITZ_OK;
}

static ritz_status write_head(ritz_deck_writing *w, const char *mesh)
{
    ritz_status status = RITZ_OK;
    const ritz_deck *deck = w->a->deck;
    const ritz_deck_element *type = deck->types[0];
    const ritz_deck_place place = deck->cards[0].place, step = w->a->steps[0].place;
    const int order = type->n_nodes > ritz_cell_topology(type->cell)->n_vertices ? 2 : 1, degree = find_degree(w->a);
    bool serendipity = false;
    for (int64_t e = 0; e < deck->n_elements; e++)
        serendipity = serendipity || deck->types[e]->n_nodes != ritz_cell_n_shape(deck->types[e]->cell, order);
    RITZ_TRY(ritz_deck_add_file(w, place, "mesh", mesh));
    RITZ_TRY(ritz_deck_add_line(w, step, "physics: %s",
                                w->a->procedure == RITZ_DECK_HEAT ? (type->plane == 'a' ? "axisymmetric-heat" : "heat")
                                : type->plane == 's'              ? "plane-stress"
                                : type->plane == 'e'              ? "plane-strain"
                                : type->plane == 'a'              ? "axisymmetric"
                                                                  : "elasticity"));
    RITZ_TRY(ritz_deck_add_line(w, place, "order: %d", order));
    if (serendipity)
        RITZ_TRY(ritz_deck_add_line(w, place, "elements: serendipity"));
    if (degree)
        RITZ_TRY(ritz_deck_add_line(w, place, "quadrature: {degree: %d}", degree));
done:
    return status;
}

/* Where nodes are on the axis of a cylindrical system, its directions 1, 2 and 3 there. */
static ritz_status write_system_on_axis(ritz_deck_writing *w, const char *name, const ritz_deck_transform *system,
                                        int number)
{
    const ritz_deck *deck = w->a->deck;
    const int64_t at = ritz_deck_next_on_axis(deck, system, system->group, 0);
    double direction[3];
    char x[96], xy[96];
    if (at < 0)
        return RITZ_OK;
    const double *const place = deck->nodes + 3 * deck->groups[system->group].members[at];
    ritz_deck_transform_axis(system, place, 0, direction);
    ritz_deck_write_vector(w, direction, x);
    ritz_deck_transform_axis(system, place, 1, direction);
    ritz_deck_write_vector(w, direction, xy);
    return ritz_deck_add_line(w, system->card->place, "  %s%d_axis: {x: %s, xy: %s}", name, number, x, xy);
}

/* Systems of nodes, or of materials, number 1 to n of them. */
static ritz_status write_systems(ritz_deck_writing *w, const char *name, const ritz_deck_transform *systems, int n)
{
    ritz_status status = RITZ_OK;
    for (int k = 0; k < n; k++) {
        const ritz_deck_transform *system = &systems[k];
        char axis[96], other[96];
        ritz_deck_write_vector(w, system->cylindrical ? system->axes[2] : system->axes[0], axis);
        ritz_deck_write_vector(w, system->cylindrical ? system->origin : system->axes[1], other);
        RITZ_TRY(ritz_deck_add_line(w, system->card->place,
                                    system->cylindrical ? "  %s%d: {axis: %s, origin: %s}" : "  %s%d: {x: %s, xy: %s}",
                                    name, k + 1, axis, other));
        RITZ_TRY(write_system_on_axis(w, name, system, k + 1));
    }
done:
    return status;
}

static ritz_status write_all_systems(ritz_deck_writing *w)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_analysis *a = w->a;
    const int n_transforms = a->procedure == RITZ_DECK_HEAT ? 0 : a->n_transforms;
    const ritz_deck_transform *first = n_transforms ? a->transforms : a->orientations;
    if (n_transforms + a->n_orientations == 0)
        return RITZ_OK;
    RITZ_TRY(ritz_deck_add_line(w, first->card->place, "systems:"));
    RITZ_TRY(write_systems(w, "system", a->transforms, n_transforms));
    RITZ_TRY(write_systems(w, "orientation", a->orientations, a->n_orientations));
done:
    return status;
}

static ritz_status take_line(void *context, ritz_deck_place place, const char *text)
{
    return ritz_deck_add_line(context, place, "%s", text);
}

static ritz_status write_problem(ritz_deck_writing *w, const char *mesh, const char *dat)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_analysis *a = w->a;
    const ritz_deck_step *first = &a->steps[0];
    bool several = a->n_steps > 1; /* load cases; loads on parts of sections are said in one, too */
    RITZ_TRY(ritz_deck_check_curves(a));
    RITZ_TRY(ritz_deck_check_thickness(a));
    for (int s = 0; s < a->n_sections && !several; s++) {
        ritz_deck_volume_load load;
        RITZ_TRY(ritz_deck_sum_volume_loads(w, first, &a->sections[s], &load, &several));
    }
    RITZ_TRY(check_elements(w));
    RITZ_TRY(write_head(w, mesh));
    RITZ_TRY(write_all_systems(w));
    RITZ_TRY(ritz_deck_write_ties(a, take_line, w));
    RITZ_TRY(ritz_deck_write_rigid(w));
    RITZ_TRY(ritz_deck_write_equations(a, take_line, w));
    if (a->n_references > 0)
        RITZ_TRY(ritz_deck_add_note(w, a->references[0].rest.place,
                                    "motions of reference nodes are not printed; what is printed of the other nodes of "
                                    "their equations tells them:",
                                    "*EQUATION"));
    RITZ_TRY(ritz_deck_add_line(w, a->sections[0].card->place, "materials:"));
    for (int s = 0; s < a->n_sections; s++)
        RITZ_TRY(ritz_deck_write_section(w, &a->sections[s], several ? NULL : first));
    const int shared = RITZ_DECK_SUPPORTS | RITZ_DECK_FILMS | (several ? 0 : RITZ_DECK_OTHERS);
    if (has_kind(first, shared)) {
        RITZ_TRY(ritz_deck_add_line(w, first->place, "boundary:"));
        RITZ_TRY(ritz_deck_write_loads(w, first->loads, first->n_loads, shared, "  "));
    }
    if (ritz_deck_has_temperatures(a))
        RITZ_TRY(ritz_deck_write_temperature(w, first->place, "reference_temperature", &a->reference));
    if (first->has_temperature && !several)
        RITZ_TRY(ritz_deck_write_temperature(w, first->place, "temperature", &first->temperature));
    if (several)
        RITZ_TRY(ritz_deck_add_line(w, first->place, "cases:"));
    for (int s = 0; s < a->n_steps; s++)
        RITZ_TRY(check_overlaps(a->deck, &a->steps[s], several));
    for (int s = 0; several && s < a->n_steps; s++)
        RITZ_TRY(write_case(w, s));
    RITZ_TRY(ritz_deck_write_prints(w, dat));
    RITZ_TRY(ritz_text_take(&w->text, &w->out->text));
done:
    return status;
}

static ritz_status copy_files(const ritz_deck *deck, ritz_deck_problem *out)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(out->files, deck->n_files);
    for (; out->n_files < deck->n_files; out->n_files++)
        RITZ_TRY(ritz_copy_text(deck->files[out->n_files], &out->files[out->n_files]));
done:
    return status;
}

/* Numbers are read and written with a point, whatever the caller's locale. */
static ritz_status translate_deck(const char *path, const char *mesh, const char *dat, ritz_deck_problem *problem)
{
    ritz_status status = RITZ_OK;
    ritz_deck *deck = NULL;
    ritz_deck_analysis a = {0};
    ritz_deck_writing w = {.a = &a, .out = problem, .mesh = mesh};
    RITZ_TRY(ritz_deck_open(path, &deck));
    const ritz_status mesh_status = ritz_deck_read_mesh(deck);
    if (mesh_status == RITZ_OK || mesh_status == RITZ_ERROR_INPUT) /* the reason may be a card that is not served */
        RITZ_TRY(ritz_deck_check_served(deck));
    RITZ_TRY(mesh_status);
    a.deck = deck;
    a.dim = deck->types[0]->plane ? 2 : 3;
    RITZ_TRY(ritz_deck_read_controls(&a));
    RITZ_TRY(ritz_deck_read_steps(&a));
    RITZ_TRY(ritz_deck_read_materials(&a));
    RITZ_TRY(ritz_deck_read_transforms(&a));
    RITZ_TRY(ritz_deck_read_equations(&a));
    RITZ_TRY(copy_files(deck, problem));
    RITZ_TRY(write_problem(&w, mesh, dat));
done:
    ritz_text_free(&w.text);
    ritz_deck_analysis_free(&a);
    ritz_deck_destroy(&deck);
    return status;
}

ritz_status ritz_deck_translate(const char *path, const char *mesh, const char *dat, ritz_deck_problem *problem)
{
    ritz_status status = RITZ_OK;
    const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    RITZ_REQUIRE(plain, RITZ_ERROR_MEMORY, "the C locale cannot be set: memory ran out");
    const locale_t before = uselocale(plain);
    *problem = (ritz_deck_problem){0};
    status = translate_deck(path, mesh, dat, problem);
    if (status != RITZ_OK)
        ritz_deck_problem_free(problem);
    uselocale(before);
    freelocale(plain);
done:
    return status;
}
