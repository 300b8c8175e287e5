/* Reading maps of the problem file by tables of keys, and the values that stand behind keys. */
#include "problem/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KEYS = 64 };

static const char *const variables[3] = {"x", "y", "z"};

/* ---- Maps ---- */

/* Whether entry i of a map written {poisson: 0,3} is the 3: a number without a value after a whole number. */
static bool follows_comma(const ritz_node *map, int i)
{
    double value;
    return i > 0 && ritz_node_is_null(map->values[i]) && isdigit((unsigned char)map->keys[i]->text[0]) &&
           map->values[i - 1]->kind == RITZ_NODE_SCALAR && !strpbrk(map->values[i - 1]->text, ".eE") &&
           ritz_parse_number(map->values[i - 1]->text, &value);
}

static ritz_status unknown_key(const ritz_node *map, int i, const char *what, const ritz_key *keys, int n_keys)
{
    const ritz_node *key = map->keys[i];
    const char *names[MAX_KEYS];
    ritz_name_table table = {.what = "key", .names = names, .of = what};
    char list[1024], described[64];
    for (int k = 0; k < n_keys; k++)
        if (!keys[k].gone)
            names[table.n++] = keys[k].name;
    if (key->kind != RITZ_NODE_SCALAR)
        return ritz_fail_at(RITZ_ERROR_INPUT, &key->place, "%s is where a key of %s should be; choices: %s",
                            ritz_node_describe(key, described), what,
                            ritz_list_names(names, table.n, list, sizeof list));
    if (follows_comma(map, i))
        return ritz_fail_at(RITZ_ERROR_INPUT, &key->place,
                            "'%s,%.60s' is read as two entries, because a comma separates entries; write decimals with "
                            "a point:  %s: %s.%.60s",
                            map->values[i - 1]->text, key->text, map->keys[i - 1]->text, map->values[i - 1]->text,
                            key->text);
    const char *colon = strchr(key->text, ':');
    if (colon && colon > key->text && colon[1])
        return ritz_fail_at(RITZ_ERROR_INPUT, &key->place,
                            "'%.60s' is read as one word; write a blank behind the colon:  %.*s: %.60s", key->text,
                            (int)ritz_min64(colon - key->text, 60), key->text, colon + 1);
    const ritz_status status = ritz_refuse_name(&table, key->text, ritz_meant(key->text, names, table.n));
    return ritz_fail_context_at(status, &key->place);
}

/* The place of each key of the table in the map, or -1. */
static ritz_status find_keys(const ritz_node *node, const char *what, const ritz_key *keys, int n_keys, int *at)
{
    ritz_status status = RITZ_OK;
    for (int k = 0; k < n_keys; k++)
        at[k] = -1;
    for (int i = 0; i < node->n; i++) {
        int k = 0;
        while (k < n_keys &&
               (node->keys[i]->kind != RITZ_NODE_SCALAR || strcmp(keys[k].name, node->keys[i]->text) != 0))
            k++;
        if (k == n_keys)
            RITZ_TRY(unknown_key(node, i, what, keys, n_keys));
        RITZ_REQUIRE_AT(!keys[k].gone, &node->keys[i]->place, "'%s' is no longer a key of %s; remove it: %s",
                        keys[k].name, what, keys[k].gone);
        RITZ_REQUIRE_AT(at[k] < 0, &node->keys[i]->place,
                        "the key '%s' appears twice in %s, first on line %d; remove one", keys[k].name, what,
                        node->keys[at[k]]->place.line);
        at[k] = i;
    }
done:
    return status;
}

ritz_status ritz_read_map(const ritz_node *node, const char *what, const ritz_key *keys, int n_keys, void *target,
                          void *context)
{
    ritz_status status = RITZ_OK;
    int at[MAX_KEYS];
    char described[64];
    RITZ_REQUIRE_AT(node->kind == RITZ_NODE_MAP, &node->place, "%s is a map of keys and values, like  %s; got %s", what,
                    keys[0].example, ritz_node_describe(node, described));
    RITZ_TRY(find_keys(node, what, keys, n_keys, at));
    for (int k = 0; k < n_keys; k++) {
        const ritz_node *value = at[k] >= 0 ? node->values[at[k]] : NULL;
        const bool given = value && !ritz_node_is_null(value);
        RITZ_REQUIRE_AT(given || !keys[k].required, value ? &value->place : &node->place,
                        "%s has no '%s'; add for example  %s", what, keys[k].name, keys[k].example);
        if (given)
            RITZ_TRY(keys[k].read(value, &keys[k], (char *)target + keys[k].offset, context));
    }
done:
    return status;
}

ritz_status ritz_wrong_type(const ritz_node *node, const ritz_key *key, const char *expected)
{
    char described[64];
    return ritz_fail_at(RITZ_ERROR_INPUT, &node->place, "'%s' takes %s, like  %s; got %s", key->name, expected,
                        key->example, ritz_node_describe(node, described));
}

/* ---- Numbers ---- */

static bool parse_special(const char *text, double *value)
{
    const bool negative = *text == '-';
    if (*text == '-' || *text == '+')
        text++;
    static const char *const infinities[] = {".inf", ".Inf", ".INF", "inf", "Inf", "infinity"};
    static const char *const nans[] = {".nan", ".NaN", ".NAN", "nan", "NaN", "NAN"};
    for (size_t i = 0; i < sizeof infinities / sizeof *infinities; i++)
        if (strcmp(text, infinities[i]) == 0) {
            *value = negative ? -INFINITY : INFINITY;
            return true;
        }
    for (size_t i = 0; i < sizeof nans / sizeof *nans; i++)
        if (strcmp(text, nans[i]) == 0) {
            *value = NAN;
            return true;
        }
    return false;
}

bool ritz_parse_number(const char *text, double *value)
{
    char clean[128];
    size_t n = 0;
    if (parse_special(text, value))
        return true;
    for (const char *c = text; *c; c++) {
        if (*c == '_' && c > text && isdigit((unsigned char)c[-1]) && isdigit((unsigned char)c[1]))
            continue;
        if (n + 1 == sizeof clean)
            return false;
        clean[n++] = *c;
    }
    clean[n] = '\0';
    const char *digits = clean + (clean[0] == '-' || clean[0] == '+');
    if (!isdigit((unsigned char)*digits) && !(*digits == '.' && isdigit((unsigned char)digits[1])))
        return false;
    char *end;
    if (strncmp(digits, "0o", 2) == 0) {
        *value = (double)strtoull(digits + 2, &end, 8) * (clean[0] == '-' ? -1 : 1);
        return end > digits + 2 && *end == '\0';
    }
    *value = strtod(clean, &end);
    return *end == '\0';
}

/* "210 GPa", "30%", "7850 kg/m3": a number, and after it what no expression goes on with. */
static bool has_unit(const char *text)
{
    char *end;
    strtod(text, &end);
    if (end == text)
        return false;
    const char *rest = end + strspn(end, " ");
    if (strcmp(rest, "%") == 0)
        return true;
    return isalpha((unsigned char)*rest) && !strchr("xyz", *rest) && strcmp(rest, "pi") != 0 &&
           strspn(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/^*23 ") == strlen(rest);
}

/* "210 000": digits in groups, and nothing else. */
static bool has_gap(const char *text)
{
    const char *gap = strchr(text, ' ');
    return gap && isdigit((unsigned char)gap[1]) && isdigit((unsigned char)text[0]) &&
           strspn(text, "0123456789 .") == strlen(text);
}

ritz_status ritz_quantity_create(const char *text, ritz_place place, ritz_quantity *quantity)
{
    ritz_status status = RITZ_OK;
    ritz_quantity q = {.place = place};
    char number[40];
    double value;
    if (ritz_parse_number(text, &value)) {
        RITZ_REQUIRE_AT(isfinite(value), &place, "%s is not a finite number; give one", text);
        snprintf(number, sizeof number, "%.17g", value);
        text = number;
    }
    if ((status = ritz_expression_create(text, variables, 3, &q.expression)) != RITZ_OK) {
        RITZ_REQUIRE_AT(
            status != RITZ_ERROR_INPUT || !has_unit(text), &place,
            "'%.60s': numbers have no units here; write it in the units of your mesh, 210 GPa as 210e9 or 210e3", text);
        RITZ_REQUIRE_AT(status != RITZ_ERROR_INPUT || !has_gap(text), &place,
                        "'%.60s': a number has no spaces; write it without them, or as 210_000", text);
        ritz_fail_context_at(status, &place);
        goto done;
    }
    q.constant = ritz_expression_is_constant(q.expression, &q.value);
    RITZ_REQUIRE_AT(!q.constant || isfinite(q.value), &place, "'%.200s' is not a finite number; give one", text);
    ritz_quantity_free(quantity);
    *quantity = q;
    q.expression = NULL;
done:
    ritz_quantity_free(&q);
    return status;
}

double ritz_quantity_at(const ritz_quantity *quantity, const double x[3])
{
    return !quantity->expression ? 0
           : quantity->constant  ? quantity->value
                                 : ritz_expression_value(quantity->expression, x);
}

bool ritz_vector_is_constant(const ritz_vector *vector)
{
    for (int c = 0; c < vector->n; c++)
        if (vector->component[c].expression && !vector->component[c].constant)
            return false;
    return true;
}

void ritz_quantity_free(ritz_quantity *quantity)
{
    ritz_expression_destroy(&quantity->expression);
    ritz_free(quantity->of_temperature);
    quantity->of_temperature = NULL;
}

void ritz_vector_free(ritz_vector *vector)
{
    for (int c = 0; c < RITZ_MAX_COMPONENTS; c++)
        ritz_quantity_free(&vector->component[c]);
    ritz_nodal_source_free(&vector->nodal);
    vector->n = 0;
}

void ritz_names_free(ritz_names *names)
{
    for (int i = 0; i < names->n; i++)
        ritz_free(names->name[i]);
    ritz_free(names->name);
    ritz_free(names->places);
    *names = (ritz_names){0};
}

/* ---- Texts that repeat ---- */

typedef struct numbered_text {
    const char *text;
    int number;
} numbered_text;

static int by_text(const void *a, const void *b)
{
    const numbered_text *x = a, *y = b;
    const int order = strcmp(x->text, y->text);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

ritz_status ritz_find_repeated(char *const *texts, int n, int *first, int *again, bool *found)
{
    ritz_status status = RITZ_OK;
    numbered_text *sorted = NULL;
    *found = false;
    RITZ_NEW(sorted, n);
    for (int i = 0; i < n; i++)
        sorted[i] = (numbered_text){texts[i], i};
    qsort(sorted, (size_t)n, sizeof *sorted, by_text);
    for (int i = 1; i < n; i++)
        if (strcmp(sorted[i - 1].text, sorted[i].text) == 0 && (!*found || sorted[i].number < *again)) {
            *first = sorted[i - 1].number;
            *again = sorted[i].number;
            *found = true;
        }
done:
    ritz_free(sorted);
    return status;
}

/* ---- Values behind keys ---- */

ritz_status ritz_read_text(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    if (node->kind != RITZ_NODE_SCALAR || !*node->text)
        return ritz_wrong_type(node, key, "a text");
    return ritz_copy_text(node->text, target);
}

ritz_status ritz_read_choice(const ritz_node *node, const ritz_key *key, const ritz_name_table *choices, int *value)
{
    if (node->kind != RITZ_NODE_SCALAR)
        return ritz_wrong_type(node, key, "a name");
    const ritz_status status = ritz_find_name(choices, node->text, value);
    return status == RITZ_OK ? status : ritz_fail_context_at(status, &node->place);
}

ritz_status ritz_read_real(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    ritz_status status = RITZ_OK;
    ritz_quantity q = {0};
    if (node->kind != RITZ_NODE_SCALAR || ritz_node_is_null(node))
        return ritz_wrong_type(node, key, "a number");
    RITZ_TRY(ritz_quantity_create(node->text, node->place, &q));
    RITZ_REQUIRE_AT(q.constant, &node->place, "'%s' takes a number, like  %s; x, y and z have no value here", key->name,
                    key->example);
    *(double *)target = q.value;
done:
    ritz_quantity_free(&q);
    return status;
}

ritz_status ritz_read_positive(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    double value = 0;
    RITZ_TRY(ritz_read_real(node, key, &value, context));
    RITZ_REQUIRE_AT(value > 0, &node->place, "'%s' must be greater than 0, like  %s; got %g", key->name, key->example,
                    value);
    *(double *)target = value;
done:
    return status;
}

/* Whether the node is a list of key->least..most entries. */
static bool is_list(const ritz_node *node, const ritz_key *key)
{
    return node->kind == RITZ_NODE_LIST && node->n >= key->least && node->n <= key->most;
}

static ritz_status wrong_length(const ritz_node *node, const ritz_key *key, const char *of)
{
    char expected[64];
    if (key->least == key->most)
        snprintf(expected, sizeof expected, "a list of %d %s", key->least, of);
    else
        snprintf(expected, sizeof expected, "a list of %d to %d %s", key->least, key->most, of);
    if (node->kind == RITZ_NODE_LIST)
        return ritz_fail_at(
            RITZ_ERROR_INPUT, &node->place, "'%s' takes %s, like  %s; got %d%s", key->name, expected, key->example,
            node->n, node->n > key->most ? " (a comma separates entries; write decimals with a point: 1.5)" : "");
    return ritz_wrong_type(node, key, expected);
}

ritz_status ritz_read_reals(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    if (!is_list(node, key))
        return wrong_length(node, key, "numbers");
    ritz_status status = RITZ_OK;
    for (int i = 0; i < node->n && status == RITZ_OK; i++)
        status = ritz_read_real(node->values[i], key, (double *)target + i, context);
    return status;
}

ritz_status ritz_read_integer(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    double value;
    if (node->kind != RITZ_NODE_SCALAR || !ritz_parse_number(node->text, &value) || value != floor(value))
        return ritz_wrong_type(node, key, "a whole number");
    if (value < key->least || value > key->most)
        return ritz_fail_at(RITZ_ERROR_INPUT, &node->place, "'%s' must be between %d and %d, like  %s; got %.60s",
                            key->name, key->least, key->most, key->example, node->text);
    *(int32_t *)target = (int32_t)value;
    return RITZ_OK;
}

ritz_status ritz_read_integers(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    const ritz_key length = {.name = key->name, .example = key->example, .least = 2, .most = 3};
    if (!is_list(node, &length))
        return wrong_length(node, &length, "whole numbers");
    ritz_status status = RITZ_OK;
    for (int i = 0; i < node->n && status == RITZ_OK; i++)
        status = ritz_read_integer(node->values[i], key, (int32_t *)target + i, context);
    return status;
}

ritz_status ritz_read_quantity(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    const bool table = key->of_temperature && ritz_is_table(node);
    if (!table && (node->kind != RITZ_NODE_SCALAR || ritz_node_is_null(node)))
        return ritz_wrong_type(node, key, "a number or an expression of x, y, z");
    if (key->of_temperature)
        return ritz_read_of_temperature(node, key, target);
    return ritz_quantity_create(node->text, node->place, target);
}

static ritz_status read_axes(const ritz_node *node, const ritz_key *key, ritz_vector *vector, void *context)
{
    ritz_key axes[RITZ_MAX_COMPONENTS];
    for (int c = 0; c < key->most; c++)
        axes[c] = (ritz_key){.name = key->components ? key->components[c] : variables[c],
                             .read = ritz_read_quantity,
                             .example = key->example,
                             .of_temperature = key->of_temperature,
                             .offset = offsetof(ritz_vector, component) + (size_t)c * sizeof(ritz_quantity)};
    ritz_status status = ritz_read_map(node, key->name, axes, key->most, vector, context);
    for (int c = 0; c < key->most; c++)
        if (vector->component[c].expression)
            vector->n = c + 1;
    return status;
}

ritz_status ritz_read_components(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_vector *vector = target;
    vector->place = node->place;
    if (node->kind == RITZ_NODE_MAP)
        return read_axes(node, key, vector, context);
    if (!is_list(node, key))
        return wrong_length(node, key, "numbers or expressions");
    for (int c = 0; c < node->n; c++)
        if (!ritz_node_is_null(node->values[c]))
            RITZ_TRY(ritz_read_quantity(node->values[c], key, &vector->component[c], context));
    vector->n = node->n;
done:
    return status;
}

ritz_status ritz_read_names(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_names *names = target;
    const int n = node->kind == RITZ_NODE_LIST ? node->n : 1;
    if (node->kind == RITZ_NODE_MAP || n == 0)
        return ritz_wrong_type(node, key, "a name or a list of names");
    if (names->name)
        return ritz_fail_at(RITZ_ERROR_INPUT, &node->place, "both 'group' and 'groups' are given; keep one of them");
    RITZ_NEW(names->name, n);
    RITZ_NEW(names->places, n);
    for (int i = 0; i < n; i++) {
        const ritz_node *name = node->kind == RITZ_NODE_LIST ? node->values[i] : node;
        RITZ_TRY(ritz_read_text(name, key, &names->name[i], context));
        names->places[i] = name->place;
        names->n = i + 1;
    }
    int first, again;
    bool repeated;
    RITZ_TRY(ritz_find_repeated(names->name, n, &first, &again, &repeated));
    RITZ_REQUIRE_AT(!repeated, &names->places[again], "'%.60s' appears twice in '%s'; keep it once", names->name[again],
                    key->name);
done:
    return status;
}

ritz_status ritz_read_yaml(const char *path, const char *too_long, const char *no_text, char **text)
{
    enum { MOST_BYTES = 4 << 20 };
    ritz_status status = RITZ_OK;
    char *data = NULL;
    int64_t length = 0;
    RITZ_TRY(ritz_read_file(path, MOST_BYTES + 1, &data, &length));
    RITZ_REQUIRE(length <= MOST_BYTES, RITZ_ERROR_INPUT, "%s: %s", path, too_long);
    RITZ_REQUIRE(!memchr(data, '\0', (size_t)length), RITZ_ERROR_INPUT, "%s: %s", path, no_text);
    *text = data;
    data = NULL;
done:
    ritz_free(data);
    return status;
}
