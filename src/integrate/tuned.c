/* How tuning tables name a case of integration, and the parameters of a method that they tell for it. */
#include "integrate/methods.h"

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

bool ritz_method_take_tuned(const ritz_method *method, const ritz_case *the_case, const ritz_device_info *limits,
                            const bool *given, int32_t *parameters)
{
    ritz_fact facts[1 + RITZ_CASE_FACTS] = {{method->name, 1}};
    char text[RITZ_TUNED_TEXT];
    bool any = false;
    ritz_case_facts(the_case, facts + 1);
    ritz_tuned_text(limits, RITZ_INTEGRATE_PARAMETERS, facts, 1 + RITZ_CASE_FACTS, text);
    for (const char *at = text; *at; at += strcspn(at, ","), at += *at == ',') {
        const size_t length = strcspn(at, "=,");
        const int p = at[length] == '=' ? find_place(method, at, length) : -1;
        const long value = p >= 0 ? strtol(at + length + 1, NULL, 10) : 0;
        if (p < 0 || given[p] || value < method->parameters[p].least || value > method->parameters[p].most)
            continue;
        parameters[p] = (int32_t)value;
        any = true;
    }
    return any;
}
