/* What the search tries for the parameters of methods: values, points of them, and their configurations. */
#include "measure/search_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_POWER = 1024, EACH_UP_TO = 8 };

/* ---- Values ---- */

static void add_value(int32_t value, const ritz_method_parameter *p, int32_t *values, int *n)
{
    for (int k = 0; k < *n; k++)
        if (values[k] == value)
            return;
    if (value >= p->least && value <= p->most && *n < MOST_VALUES)
        values[(*n)++] = value;
}

/* The values after the first, the nearest to it first. */
static void sort_by_nearness(int32_t *values, int n)
{
    for (int k = 2; k < n; k++)
        for (int j = k; j > 1; j--) {
            const double a = fabs(log2((values[j - 1] + 1.0) / (values[0] + 1.0))),
                         b = fabs(log2((values[j] + 1.0) / (values[0] + 1.0)));
            if (a <= b)
                break;
            const int32_t nearer = values[j];
            values[j] = values[j - 1];
            values[j - 1] = nearer;
        }
}

/* What is tried for a parameter: what the plan takes by itself; all values of a short range, or powers of two; half,
   2, 4 and 16 times as many work-groups. What is far from the plan's own comes last, in case time runs out. */
static int list_values(const ritz_method_parameter *p, int32_t own, int32_t *values)
{
    int n = 0;
    add_value(own, p, values, &n);
    if (strcmp(p->name, "workers") == 0) {
        add_value(own / 2, p, values, &n);
        for (int32_t times = 2; times <= 16 && own <= p->most / times; times *= times)
            add_value(times * own, p, values, &n);
    } else if (p->most <= EACH_UP_TO) {
        for (int32_t value = p->least; value <= p->most; value++)
            add_value(value, p, values, &n);
    } else {
        add_value(p->least, p, values, &n);
        for (int32_t value = 1; value <= MOST_POWER; value *= 2)
            add_value(value, p, values, &n);
    }
    sort_by_nearness(values, n);
    return n;
}

void ritz_search_make_space(const ritz_configuration *own, space *all)
{
    all->n_points = 1;
    for (int p = 0; p < own->method->n_parameters; p++) {
        all->n[p] = list_values(&own->method->parameters[p], own->taken[p], all->values[p]);
        all->n_points *= all->n[p];
    }
}

/* ---- Points ---- */

point ritz_search_open_point(void)
{
    point p;
    for (int k = 0; k < RITZ_MAX_PARAMETERS; k++)
        p.values[k] = OPEN;
    return p;
}

point ritz_search_take_point(const ritz_method *method, const space *all, int64_t k)
{
    point p = ritz_search_open_point();
    for (int d = 0; d < method->n_parameters; d++) {
        const int n = all->n[d] > 0 ? all->n[d] : 1;
        p.values[d] = all->values[d][k % n];
        k /= n;
    }
    return p;
}

point ritz_search_best_point(const ritz_configuration *best)
{
    point p = ritz_search_open_point();
    for (int d = 0; d < best->method->n_parameters; d++)
        p.values[d] = best->taken[d];
    return p;
}

/* ---- Configurations ---- */

static void write_settings(const ritz_method *method, const point *p, char *text)
{
    *text = '\0';
    for (int k = 0; k < method->n_parameters; k++) {
        const size_t used = strlen(text);
        if (p->values[k] != OPEN)
            snprintf(text + used, RITZ_SETTINGS_TEXT - used, "%s%s=%d", used ? "," : "", method->parameters[k].name,
                     (int)p->values[k]);
    }
}

ritz_status ritz_search_plan(const ritz_search *s, ritz_configuration *c)
{
    char text[RITZ_SETTINGS_TEXT];
    const char *settings[RITZ_MAX_PARAMETERS];
    const int n = ritz_configuration_settings(c, text, settings);
    ritz_plan plan;
    ritz_status status = ritz_method_plan(c->method, s->the_case, s->limits, settings, n, &plan);
    if (status == RITZ_OK)
        status = ritz_plan_check_memory(c->method, s->limits, &plan);
    if (status == RITZ_OK && plan.approximate)
        status = ritz_fail(RITZ_ERROR_INPUT, "an approximation is not compared with what is exact");
    if (status == RITZ_OK && plan.input == RITZ_INPUT_GATHERED && s->the_case->precision == RITZ_F32)
        status = ritz_fail(RITZ_ERROR_INPUT, "in single, coordinates from the mesh have fewer digits of a cell's size "
                                             "the more cells there are, which a box does not show");
    if (status != RITZ_OK)
        return status;
    memcpy(c->taken, plan.parameters, sizeof c->taken);
    c->predicted = c->least = NAN;
    if (s->predict)
        s->predict(s->context, &plan, c);
    return RITZ_OK;
}

bool ritz_search_make(const ritz_search *s, const ritz_method *method, const point *p, ritz_configuration *c)
{
    *c = (ritz_configuration){.method = method};
    write_settings(method, p, c->settings);
    return ritz_search_plan(s, c) == RITZ_OK;
}

bool ritz_search_make_changed(const ritz_search *s, const ritz_method *method, const point *p, int d,
                              ritz_configuration *c)
{
    bool made = ritz_search_make(s, method, p, c);
    for (int other = 0; other < method->n_parameters && !made; other++) {
        point q = *p;
        q.values[other] = OPEN;
        made = other != d && ritz_search_make(s, method, &q, c);
    }
    return made;
}
