/* How tuning tables name a case of integration, and the parameters of a method that they tell for it. */
#include "integrate/methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ritz_case_facts(const ritz_case *c, ritz_fact facts[RITZ_CASE_FACTS])
{
    const ritz_form_traits *t = &c->traits;
    const ritz_fact all[RITZ_CASE_FACTS] = {
        {ritz_cell_name(c->cell), 1},
        {"order", c->order},
        {"geometry", c->geometry_order},
        {"points", (double)ritz_case_get_sizes(c).n_quad},
        {"real", (double)ritz_real_bytes(c->precision)},
        {"components", c->n_components},
        {"sums", t->n_sums},
        {"weights", t->n_weights},
        {"varying", t->n_varying},
        {"constant", t->constant},
        {"symmetric", t->symmetric},
        {"load", t->load},
        {"reads_x", t->reads_x},
        {"reads_u", t->reads_u},
        {"reads_gradient", t->reads_gradient},
    };
    memcpy(facts, all, sizeof all);
}

/* The place of a parameter by its name, -1 where the method has none such. */
static int find_place(const ritz_method *method, const char *name, size_t length)
{
    for (int p = 0; p < method->n_parameters; p++)
        if (strlen(method->parameters[p].name) == length && strncmp(method->parameters[p].name, name, length) == 0)
            return p;
    return -1;
}

/* A value of a parameters' row: "rows=2,columns=4". */
typedef struct tuned_setting {
    int place; /* -1: the method has no such parameter */
    long value;
    bool is_number;
} tuned_setting;

/* The next one of a list; false at its end, and of "none" there is none. */
static bool next_setting(const ritz_method *method, const char **at, tuned_setting *s)
{
    const char *text = *at;
    char *end = NULL;
    if (!*text || strcmp(text, "none") == 0)
        return false;
    const size_t length = strcspn(text, "=,");
    *s = (tuned_setting){.place = text[length] == '=' ? find_place(method, text, length) : -1};
    if (text[length] == '=') {
        s->value = strtol(text + length + 1, &end, 10);
        s->is_number = end > text + length + 1 && (*end == ',' || !*end);
    }
    *at += strcspn(text, ",");
    *at += **at == ',';
    return true;
}

/* Whether a row gives parameters of the method values that they can have. */
static bool sets_parameters(void *context, const char *list, char why[RITZ_TUNED_WHY])
{
    const ritz_method *method = context;
    tuned_setting s;
    for (const char *at = list, *text = list; next_setting(method, &at, &s); text = at) {
        const int length = (int)strcspn(text, ",");
        if (s.place < 0) {
            snprintf(why, RITZ_TUNED_WHY, "since %s has no parameter for '%.*s'", method->name, length, text);
            return false;
        }
        const ritz_method_parameter *p = &method->parameters[s.place];
        if (!s.is_number || s.value < p->least || s.value > p->most) {
            snprintf(why, RITZ_TUNED_WHY, "since in '%.*s' %s of %s takes a whole number from %d to %d", length, text,
                     p->name, method->name, (int)p->least, (int)p->most);
            return false;
        }
    }
    return true;
}

bool ritz_method_take_tuned(const ritz_method *method, const ritz_case *the_case, const ritz_device_info *limits,
                            const bool *given, int32_t *parameters)
{
    ritz_fact facts[2 + RITZ_CASE_FACTS] = {{method->name, 1}, {"assembled", the_case->read_soon}};
    char text[RITZ_TUNED_TEXT];
    tuned_setting s;
    bool any = false;
    ritz_case_facts(the_case, facts + 2);
    ritz_tuned_text(limits, RITZ_INTEGRATE_PARAMETERS, facts, 2 + RITZ_CASE_FACTS, sets_parameters, (void *)method,
                    text);
    for (const char *at = text; next_setting(method, &at, &s);) {
        if (given[s.place])
            continue;
        parameters[s.place] = (int32_t)s.value;
        any = true;
    }
    return any;
}
