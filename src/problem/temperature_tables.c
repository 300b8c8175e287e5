/* Properties of materials that depend on the temperature: tables, and expressions that read T. They become expressions of the
   place once the temperature is known, or of the temperature too, where that is given at nodes. */
#include "problem/problem.h"

#include <ctype.h>
#include <string.h>

enum { MOST_ROWS = 100 };

static bool is_misspelt(const ritz_node *node)
{
    static const char *const name[] = {"table"};
    return node->n == 1 && node->keys[0]->kind == RITZ_NODE_SCALAR && ritz_nearest(node->keys[0]->text, name, 1);
}

bool ritz_is_table(const ritz_node *node)
{
    return node->kind == RITZ_NODE_MAP && (ritz_node_find(node, "table") >= 0 || is_misspelt(node));
}

/* The next T that is a word by itself; NULL for none. */
static const char *find_temperature(const char *text)
{
    for (const char *at = text; *at; at++) {
        const bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && *at == 'T' && !(isalnum((unsigned char)at[1]) || at[1] == '_'))
            return at;
    }
    return NULL;
}

bool ritz_reads_temperature(const char *text)
{
    return find_temperature(text) != NULL;
}

/* Straight lines between rows of a temperature and a value, and the last values beyond. */
static ritz_status write_table(const ritz_node *node, const ritz_key *key, ritz_text *text)
{
    ritz_status status = RITZ_OK;
    const int at = ritz_node_find(node, "table");
    const ritz_node *table = node->values[at < 0 ? 0 : at];
    double row[2], before[2] = {0};
    RITZ_REQUIRE_AT(at >= 0, &node->place, "'%s' has no key '%.60s'; did you mean 'table'?", key->name,
                    node->keys[0]->text);
    for (int i = 0; i < node->n; i++)
        RITZ_REQUIRE_AT(i == at, &node->keys[i]->place, "'%s' takes a 'table' and no key beside it; remove '%.60s'",
                        key->name, node->keys[i]->text);
    RITZ_REQUIRE_AT(
        table->kind == RITZ_NODE_LIST && table->n > 0 && table->n <= MOST_ROWS, &node->place,
        "'table' takes a list of up to %d rows, each a temperature and a value, like  %s: {table: [[20, 210e9], "
        "[200, 195e9]]}",
        MOST_ROWS, key->name);
    for (int i = 0; i < table->n; i++) {
        const ritz_key pair = {.name = key->name, .example = key->example, .least = 2, .most = 2};
        double given[3] = {0};
        RITZ_TRY(ritz_read_reals(table->values[i], &pair, given, NULL));
        memcpy(row, given, sizeof row);
        RITZ_REQUIRE_AT(i == 0 || row[0] > before[0], &table->values[i]->place,
                        "temperatures of a table increase; %g does not come after %g", row[0], before[0]);
        if (i == 0)
            ritz_text_add(text, "(T <= (%.17g) ? (%.17g) : ", row[0], row[1]);
        else
            ritz_text_add(text, "T <= (%.17g) ? (%.17g) + (%.17g) * (T - (%.17g)) : ", row[0], before[1],
                          (row[1] - before[1]) / (row[0] - before[0]), before[0]);
        memcpy(before, row, sizeof before);
    }
    ritz_text_add(text, "(%.17g))", before[1]);
done:
    return status;
}

ritz_status ritz_read_of_temperature(const ritz_node *node, const ritz_key *key, ritz_quantity *quantity)
{
    static const char *const variables[] = {"x", "y", "z", "T"};
    ritz_status status = RITZ_OK;
    ritz_text text = {0};
    ritz_expression *trial = NULL;
    char *whole = NULL;
    if (ritz_is_table(node))
        RITZ_TRY(write_table(node, key, &text));
    else
        ritz_text_add(&text, "%s", node->text);
    RITZ_TRY(ritz_text_take(&text, &whole));
    if (!find_temperature(whole)) {
        status = ritz_quantity_create(whole, node->place, quantity);
        goto done;
    }
    if ((status = ritz_expression_create(whole, variables, 4, &trial)) != RITZ_OK) {
        ritz_fail_context_at(status, &node->place);
        goto done;
    }
    RITZ_TRY(ritz_quantity_create("0*x", node->place, quantity)); /* until the temperature is there */
    quantity->of_temperature = whole;
    whole = NULL;
done:
    ritz_expression_destroy(&trial);
    ritz_text_free(&text);
    ritz_free(whole);
    return status;
}

ritz_status ritz_replace_temperature(const char *text, const char *temperature, char **replaced)
{
    ritz_status status = RITZ_OK;
    ritz_text whole = {0};
    const char *at = text;
    for (const char *next; (next = find_temperature(at)); at = next + 1)
        ritz_text_add(&whole, "%.*s(%s)", (int)(next - at), at, temperature);
    ritz_text_add(&whole, "%s", at);
    RITZ_TRY(ritz_text_take(&whole, replaced));
done:
    ritz_text_free(&whole);
    return status;
}

static ritz_status insert_temperature(const char *temperature, ritz_quantity *quantity)
{
    ritz_status status = RITZ_OK;
    char *whole = NULL;
    RITZ_TRY(ritz_replace_temperature(quantity->of_temperature, temperature, &whole));
    RITZ_TRY(ritz_quantity_create(whole, quantity->place, quantity));
done:
    ritz_free(whole);
    return status;
}

/* Loads on edges read the thickness there, where temperatures that are given at nodes are not evaluated. */
static ritz_status check_reader(const ritz_physics *physics, int p, ritz_place place)
{
    const char *name = physics->properties[p].name;
    if (!physics->thickness || strcmp(name, physics->thickness) != 0)
        return RITZ_OK;
    return ritz_fail_at(RITZ_ERROR_INPUT, &place,
                        "'%s' depends on the temperature, which is given at nodes here; give a number, or the "
                        "temperature as an expression",
                        name);
}

static ritz_status read_temperature_at_points(ritz_quantity *quantity)
{
    static const char *const variables[] = {"x", "y", "z", "T"};
    ritz_expression *made = NULL;
    const ritz_status status = ritz_expression_create(quantity->of_temperature, variables, 4, &made);
    if (status != RITZ_OK)
        return status;
    ritz_quantity_free(quantity);
    *quantity = (ritz_quantity){.expression = made, .place = quantity->place, .reads_temperature = true};
    return RITZ_OK;
}

bool ritz_reads_unknown(const ritz_problem *problem)
{
    const ritz_physics *physics = problem->physics;
    for (int m = 0; m < problem->n_materials; m++)
        for (int p = 0; p < physics->n_properties; p++) {
            const ritz_vector *property = &problem->materials[m].property[p];
            for (int c = 0; c < property->n && physics->properties[p].of_unknown; c++)
                if (property->component[c].of_temperature || property->component[c].reads_temperature)
                    return true;
        }
    return false;
}

/* The datum of the form reads the unknown where this reads T. */
static ritz_status read_unknown(const ritz_physics *physics, int p, ritz_quantity *quantity)
{
    if (physics->derivation)
        return ritz_fail_at(RITZ_ERROR_INPUT, &quantity->place,
                            "'%s' depends on the temperature, and differs by direction in some material; give one or "
                            "the other in all materials",
                            physics->properties[p].name);
    return read_temperature_at_points(quantity);
}

static ritz_status insert_in_material(const ritz_problem *problem, ritz_material *material)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = problem->physics;
    const int own = ritz_find_role(physics, RITZ_ROLE_TEMPERATURE),
              load = ritz_find_role_load(physics, RITZ_ROLE_TEMPERATURE);
    for (int p = 0; p < physics->n_properties; p++)
        for (int c = 0; c < material->property[p].n; c++) {
            ritz_quantity *q = &material->property[p].component[c];
            if (!q->of_temperature)
                continue;
            if (physics->properties[p].of_unknown) {
                RITZ_TRY(read_unknown(physics, p, q));
                continue;
            }
            material->of_temperature = true;
            const ritz_expression *temperature = material->property[own].component[0].expression;
            if (!temperature && load >= 0 && problem->loads.body[load].nodal) {
                RITZ_TRY(check_reader(physics, p, q->place));
                RITZ_TRY(read_temperature_at_points(q));
                continue;
            }
            if (!temperature && load >= 0)
                temperature = problem->loads.body[load].component[0].expression;
            RITZ_REQUIRE_AT(temperature, &q->place,
                            "'%s' depends on the temperature, and none is given; add for example  temperature: 80",
                            physics->properties[p].name);
            RITZ_TRY(insert_temperature(ritz_expression_text(temperature), q));
            const ritz_data_bounds *bounds = ritz_property_bounds(&physics->properties[p]);
            RITZ_REQUIRE_AT(!q->constant || material->property[p].n > 1 || ritz_data_within(bounds, q->value),
                            &q->place, "'%s' must be %s; at the given temperature it is %g",
                            physics->properties[p].name, bounds->words, q->value);
        }
done:
    return status;
}

ritz_status ritz_insert_temperatures(ritz_problem *problem)
{
    ritz_status status = RITZ_OK;
    for (int m = 0; m < problem->n_materials; m++)
        RITZ_TRY(insert_in_material(problem, &problem->materials[m]));
done:
    return status;
}
