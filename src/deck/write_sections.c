/* What a problem file has for the sections of a deck, their materials and temperatures. */
#include "deck/writing.h"

#include <string.h>

bool ritz_deck_has_temperatures(const ritz_deck_analysis *a)
{
    for (int s = 0; s < a->n_steps; s++)
        if (a->steps[s].has_temperature)
            return true;
    return false;
}

ritz_status ritz_deck_check_curves(const ritz_deck_analysis *a)
{
    const ritz_deck_temperature *from = &a->reference;
    const bool even = !from->values && from->linear[0] == 0 && from->linear[1] == 0 && from->linear[2] == 0;
    for (int s = 0; s < a->n_sections; s++) {
        const ritz_deck_material *m = &a->materials[a->sections[s].material];
        const ritz_deck_card *card = m->elastic_of.card ? m->elastic_of.card : m->expansion_of.card;
        if (!card)
            continue;
        if (a->n_steps > 1 || !ritz_deck_has_temperatures(a))
            return ritz_deck_fail(
                card->place, "*%s depends on the temperature: that is served in a deck of one step with *TEMPERATURE",
                card->words);
        if (m->expansion_of.card && !even)
            return ritz_deck_fail(
                m->expansion_of.card->place,
                "*EXPANSION depends on the temperature: that is served where the initial temperatures "
                "are the same at all nodes");
    }
    return RITZ_OK;
}

/* A file of nodes beside the mesh: part_temperature2.csv. */
static ritz_status add_table(ritz_deck_writing *w, ritz_deck_place place, const char *key, const double *values)
{
    ritz_status status = RITZ_OK;
    ritz_deck_problem *out = w->out;
    const char *dot = strrchr(w->mesh, '.');
    RITZ_RESIZE(out->tables, out->n_tables + 1);
    struct ritz_deck_table *table = &out->tables[out->n_tables++];
    *table = (struct ritz_deck_table){0};
    RITZ_TRY(ritz_format(&table->name, "%.*s_temperature%d.csv", (int)(dot ? dot - w->mesh : (long)strlen(w->mesh)),
                         w->mesh, out->n_tables));
    RITZ_TRY(ritz_deck_write_table(w->a->deck, values, &table->text));
    RITZ_TRY(ritz_deck_add_line(w, place, "%s: {nodes: \"%s\"%s}", key, table->name,
                                ritz_deck_has_own_temperatures(w->a->deck) ? ", in_cells: calculix" : ""));
done:
    return status;
}

ritz_status ritz_deck_write_temperature(ritz_deck_writing *w, ritz_deck_place place, const char *key,
                                        const ritz_deck_temperature *temperature)
{
    ritz_text text = {0};
    char *value = NULL;
    if (temperature->values)
        return add_table(w, place, key, temperature->values);
    ritz_deck_write_linear(temperature->linear, w->a->dim, &text);
    ritz_status status = ritz_text_take(&text, &value);
    if (status == RITZ_OK)
        status = ritz_deck_add_line(w, place, "%s: %s", key, value);
    ritz_free(value);
    return status;
}

/* What the elements of a section are, all of them alike. */
static ritz_status find_formulation(const ritz_deck *deck, const ritz_deck_section *section,
                                    ritz_deck_formulation *formulation)
{
    const ritz_deck_group *group = &deck->groups[section->group];
    *formulation = group->n > 0 ? deck->types[group->members[0]]->formulation : RITZ_DECK_SHAPES;
    for (int64_t i = 0; i < group->n; i++)
        if (deck->types[group->members[i]]->formulation != *formulation)
            return ritz_deck_fail(section->card->place,
                                  "*SOLID SECTION: elements of different formulations (%s and %s) that begin with "
                                  "stresses need sections of their own",
                                  deck->types[group->members[0]]->name, deck->types[group->members[i]]->name);
    return RITZ_OK;
}

ritz_status ritz_deck_write_section(ritz_deck_writing *w, const ritz_deck_section *section, const ritz_deck_step *step)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_material *m = &w->a->materials[section->material];
    ritz_text text = {0};
    char *line = NULL;
    ritz_deck_volume_load load = {0};
    static const char *const words[] = {"", ", formulation: incompatible", ", formulation: reduced-calculix"};
    bool partly;
    ritz_deck_formulation formulation;
    RITZ_TRY(find_formulation(w->a->deck, section, &formulation));
    ritz_text_add(&text, "  - {group: \"%s\"", ritz_deck_group_name(w, section->group));
    if (w->a->procedure == RITZ_DECK_HEAT && m->conductivity_of.card) {
        ritz_text_add(&text, ", conductivity: ");
        ritz_deck_write_curve(w->a->deck, &m->conductivity_of, 0, &text);
    } else if (w->a->procedure == RITZ_DECK_HEAT)
        ritz_text_add(&text, m->n_conductivity == 3 ? ", conductivity: [%.15g, %.15g, %.15g]" : ", conductivity: %.15g",
                      m->conductivity[0], m->conductivity[1], m->conductivity[2]);
    else
        ritz_deck_write_elastic(w->a->deck, m, &text);
    if (w->a->procedure == RITZ_DECK_STATIC)
        ritz_text_add(&text, "%s", words[formulation]);
    if (section->orientation >= 0)
        ritz_text_add(&text, ", orientation: orientation%d", section->orientation + 1);
    if (m->has_density && w->a->procedure == RITZ_DECK_STATIC)
        ritz_text_add(&text, ", density: %.15g", m->density);
    if (m->expansion_of.card && ritz_deck_has_temperatures(w->a)) {
        ritz_text_add(&text, ", expansion: ");
        ritz_deck_write_expansion(w->a->deck, &m->expansion_of, m->expansion_zero, w->a->reference.linear[3], &text);
    } else if (m->has_expansion && ritz_deck_has_temperatures(w->a))
        ritz_text_add(&text, m->n_expansion == 3 ? ", expansion: [%.15g, %.15g, %.15g]" : ", expansion: %.15g",
                      m->expansion[0], m->expansion[1], m->expansion[2]);
    if (section->thickness > 0 && w->a->procedure == RITZ_DECK_STATIC && w->a->deck->types[0]->plane != 'a')
        ritz_text_add(&text, ", thickness: %.15g", section->thickness);
    if (section->has_stress && w->a->procedure == RITZ_DECK_STATIC)
        ritz_text_add(&text, ", initial_stress: [%.15g, %.15g, %.15g, %.15g, %.15g, %.15g]", section->stress[0],
                      section->stress[1], section->stress[2], section->stress[3], section->stress[5],
                      section->stress[4]);
    if (step)
        RITZ_TRY(ritz_deck_sum_volume_loads(w, step, section, &load, &partly));
    if (load.any)
        ritz_deck_write_volume_load(w, &load, &text);
    RITZ_TRY(ritz_text_take(&text, &line));
    RITZ_TRY(ritz_deck_add_line(w, m->card->place, "%s}", line));
done:
    ritz_text_free(&text);
    ritz_free(line);
    return status;
}
