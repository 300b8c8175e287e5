/* The registry of integration methods on the device: one table that says which method serves what. A new method is entered
   here. */
#include "integrate/methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define LIST(entry)                                                                                                    \
    entry(lanes)                                                                                                       \
    entry(factor)                                                                                                      \
    entry(dd_sc)                                                                                                       \
    entry(dd_sr)                                                                                                       \
    entry(wf_sc)                                                                                                       \
    entry(wf_sr)                                                                                                       \
    entry(reg_jac)                                                                                                     \
    entry(reg_nojac)                                                                                                   \
    entry(shm_jac)                                                                                                     \
    entry(shm_nojac)                                                                                                   \
    entry(tiles)                                                                                                       \
    entry(mma)                                                                                                         \
    entry(qss)                                                                                                         \
    entry(sqs)                                                                                                         \
    entry(ssq)                                                                                                         \
    entry(tensor)
/* clang-format on */
#define DECLARE(name) extern const ritz_method ritz_method_##name;
#define POINT(name) &ritz_method_##name,
LIST(DECLARE)
static const ritz_method *const methods[] = {LIST(POINT)};
enum { N_METHODS = sizeof methods / sizeof methods[0] };

const ritz_method *const *ritz_methods(int *n_methods)
{
    *n_methods = N_METHODS;
    return methods;
}

/* Whether the method computes the case, with what it stores. */
static bool method_serves(const ritz_method *method, const ritz_case *c, const ritz_device_info *limits)
{
    if ((c->serendipity && !method->serendipity) || method == c->unfit)
        return false;
    return (method->hands_on || c->result == RITZ_RESULT_MATRICES) && method->applies(c, limits);
}

/* The first method that serves; "lanes" serves all cases that store matrices. */
static const ritz_method *find_serving(const ritz_case *c, const ritz_device_info *limits)
{
    int m = 0;
    while (m < N_METHODS - 1 && !method_serves(methods[m], c, limits))
        m++;
    return methods[m];
}

/* The case that a row of a table is asked for, and the method that it names. */
typedef struct method_asked {
    const ritz_case *c;
    const ritz_device_info *limits;
    const ritz_method *method; /* NULL: none that serves */
} method_asked;

/* Whether a row names a method that serves the case. */
static bool names_method(void *context, const char *name, char why[RITZ_TUNED_WHY])
{
    method_asked *asked = context;
    const char *names[N_METHODS];
    int m = 0;
    for (int k = 0; k < N_METHODS; k++)
        names[k] = methods[k]->name;
    while (m < N_METHODS && strcmp(names[m], name) != 0)
        m++;
    const char *near = m < N_METHODS ? NULL : ritz_nearest(name, names, N_METHODS);
    asked->method = m < N_METHODS && method_serves(methods[m], asked->c, asked->limits) ? methods[m] : NULL;
    if (m == N_METHODS)
        snprintf(why, RITZ_TUNED_WHY, "since there is no method '%s'%s%s%s", name, near ? ", did you mean '" : "",
                 near ? near : "", near ? "'?" : "");
    else
        snprintf(
            why, RITZ_TUNED_WHY,
            "since %s does not serve %s cells of order %d here (the term %s=1 keeps a row to the cases that it does)",
            name, ritz_cell_name(asked->c->cell), asked->c->order, name);
    return asked->method != NULL;
}

/* What "auto" takes: the tables' word for the case (src/device/tuning.h). */
static const ritz_method *choose_method(const ritz_case *c, const ritz_device_info *limits)
{
    ritz_fact facts[N_METHODS + RITZ_CASE_FACTS + 1];
    char name[RITZ_TUNED_TEXT];
    method_asked asked = {.c = c, .limits = limits};
    for (int m = 0; m < N_METHODS; m++)
        facts[m] = (ritz_fact){methods[m]->name, method_serves(methods[m], c, limits)};
    ritz_case_facts(c, facts + N_METHODS);
    facts[N_METHODS + RITZ_CASE_FACTS] = (ritz_fact){"assembled", c->read_soon};
    ritz_tuned_text(limits, RITZ_INTEGRATE_METHOD, facts, N_METHODS + RITZ_CASE_FACTS + 1, names_method, &asked, name);
    return asked.method ? asked.method : find_serving(c, limits);
}

const ritz_method *ritz_method_named(const char *name)
{
    const char *names[N_METHODS];
    int number = 0;
    for (int m = 0; m < N_METHODS; m++)
        names[m] = methods[m]->name;
    const ritz_name_table table = {.what = "integration method", .names = names, .n = N_METHODS};
    return ritz_find_name(&table, name, &number) ? NULL : methods[number];
}

/* Of results that are no matrices: where no method gives them. */
static ritz_status refuse_result(const ritz_case *c)
{
    return ritz_fail(RITZ_ERROR_INPUT,
                     "no integration method hands on the element matrices of %s cells of order %d here: let them be "
                     "stored, or take order 1, or order 2 where the sums fit into registers",
                     ritz_cell_name(c->cell), c->order);
}

static ritz_status refuse_method(const ritz_method *method, const ritz_case *the_case, const ritz_device_info *limits)
{
    const char *names[N_METHODS + 1] = {"auto"}; /* of those that serve the case */
    char list[256], degree[48] = "";
    int n = 1;
    if (the_case->degree)
        snprintf(degree, sizeof degree, " with a quadrature of degree %d", the_case->degree);
    for (int m = 0; m < N_METHODS; m++)
        if (method_serves(methods[m], the_case, limits))
            names[n++] = methods[m]->name;
    if (n == 1 && the_case->result != RITZ_RESULT_MATRICES)
        return refuse_result(the_case);
    if (!method->hands_on && the_case->result != RITZ_RESULT_MATRICES)
        return ritz_fail(RITZ_ERROR_INPUT,
                         "the integration method '%s' stores element matrices and does not hand them on to a sum, a "
                         "checksum or an action; choices: %s",
                         method->name, ritz_list_names(names, n, list, sizeof list));
    return ritz_fail(RITZ_ERROR_INPUT,
                     "the integration method '%s' does not support %s cells of order %d%s on this device; choices: %s",
                     method->name, ritz_cell_name(the_case->cell), the_case->order, degree,
                     ritz_list_names(names, n, list, sizeof list));
}

ritz_status ritz_method_find(const char *name, const ritz_case *the_case, const ritz_device_info *limits,
                             const ritz_method **method)
{
    if (!name || strcmp(name, "auto") == 0) {
        *method = choose_method(the_case, limits);
        return method_serves(*method, the_case, limits) ? RITZ_OK : refuse_method(*method, the_case, limits);
    }
    const ritz_method *named = ritz_method_named(name);
    if (!named)
        return RITZ_ERROR_INPUT;
    if (!method_serves(named, the_case, limits))
        return refuse_method(named, the_case, limits);
    *method = named;
    return RITZ_OK;
}

/* The parameter that "key=value" is for, or NULL. */
static const ritz_method_parameter *find_parameter(const ritz_method *method, const char *setting)
{
    const size_t length = strcspn(setting, "=");
    for (int p = 0; p < method->n_parameters && setting[length]; p++) {
        const char *name = method->parameters[p].name;
        if (strlen(name) == length && strncmp(name, setting, length) == 0)
            return &method->parameters[p];
    }
    return NULL;
}

static ritz_status refuse_parameter(const ritz_method *method, const char *setting)
{
    const char *names[RITZ_MAX_PARAMETERS];
    char list[256];
    for (int p = 0; p < method->n_parameters; p++)
        names[p] = method->parameters[p].name;
    return ritz_fail(RITZ_ERROR_INPUT,
                     "method %s has no parameter for '%.60s'; it is set as key=value, the keys are %s", method->name,
                     setting, ritz_list_names(names, method->n_parameters, list, sizeof list));
}

ritz_status ritz_method_read_settings(const ritz_method *method, const char *const *settings, int n_settings,
                                      int32_t parameters[RITZ_MAX_PARAMETERS], bool given[RITZ_MAX_PARAMETERS])
{
    ritz_status status = RITZ_OK;
    for (int p = 0; p < RITZ_MAX_PARAMETERS; p++) {
        parameters[p] = p < method->n_parameters && method->parameters[p].least == 0 ? RITZ_PLAN_CHOOSES : 0;
        given[p] = false;
    }
    for (int s = 0; s < n_settings; s++) {
        const ritz_method_parameter *found = find_parameter(method, settings[s]);
        if (!found)
            return refuse_parameter(method, settings[s]);
        const char *text = strchr(settings[s], '=') + 1;
        char *end;
        const long value = strtol(text, &end, 10);
        const bool is_number = end > text && !*end, is_fixed = found->least == found->most;
        RITZ_REQUIRE(!is_fixed || (is_number && value == found->least), RITZ_ERROR_INPUT,
                     "'%s': method %s takes %s=%d alone: %s", settings[s], method->name, found->name, (int)found->least,
                     found->meaning);
        RITZ_REQUIRE(is_number && value >= found->least && value <= found->most, RITZ_ERROR_INPUT,
                     "'%s': %s takes a whole number from %d to %d (%s)", settings[s], found->name, (int)found->least,
                     (int)found->most, found->meaning);
        RITZ_REQUIRE(!given[found - method->parameters], RITZ_ERROR_INPUT, "'%s': %s is set twice; keep one of them",
                     settings[s], found->name);
        parameters[found - method->parameters] = (int32_t)value;
        given[found - method->parameters] = true;
    }
done:
    return status;
}

/* A plan takes a value as it is given or not at all: a value that it would round or cut is an error, which names the value that it
   would take. */
static ritz_status check_settings(const ritz_method *method, const ritz_case *c, const int32_t *parameters,
                                  const bool *given, const ritz_plan *plan)
{
    for (int p = 0; p < method->n_parameters; p++) {
        const ritz_method_parameter *parameter = &method->parameters[p];
        const int32_t taken = plan->parameters[p];
        if (!given[p] || taken == parameters[p] || (parameter->is_bound && taken < parameters[p]))
            continue;
        const char *why = method->why ? method->why(plan, p) : NULL;
        const bool is_switch = parameter->most - parameter->least == 1;
        return ritz_fail(
            RITZ_ERROR_INPUT,
            "'%s=%d' is not possible for %s cells of order %d here%s%s; %s method %s can take is %s=%d (%s)",
            parameter->name, (int)parameters[p], ritz_cell_name(c->cell), c->order, why ? ", since " : "",
            why ? why : "", is_switch ? "all that" : "the nearest that", method->name, parameter->name, (int)taken,
            parameter->meaning);
    }
    return RITZ_OK;
}

/* The value of a parameter that several methods have; 1 for those without it. */
static int64_t parameter_value(const ritz_method *method, const ritz_plan *plan, const char *name)
{
    for (int p = 0; p < method->n_parameters; p++)
        if (strcmp(method->parameters[p].name, name) == 0)
            return ritz_max64(plan->parameters[p], 1);
    return 1;
}

/* Some devices run a whole group in one thread, with the private arrays of all its work-items on its stack. The
   estimate is for sums, weights and coefficients, and some room beside them. */
static ritz_status check_stack(const ritz_method *method, const ritz_case *c, const ritz_device_info *limits,
                               const ritz_plan *plan)
{
    enum { BESIDE = 64 };
    const int64_t stack = ritz_plan_tuned(limits, RITZ_INTEGRATE_STACK);
    const int64_t rows = parameter_value(method, plan, "rows"), pairs = rows * parameter_value(method, plan, "columns");
    const int64_t reals = pairs * c->traits.n_sums + rows * c->traits.n_weights + 2 * c->traits.n_varying + BESIDE;
    const int64_t bytes =
        plan->local_size * parameter_value(method, plan, "lanes") * reals * ritz_real_bytes(c->precision);
    if (stack > 0 && plan->local_size > 1 && bytes > stack)
        return ritz_fail(
            RITZ_ERROR_INPUT,
            "method %s would need about %.1f MB of private memory for a group of %lld on a CPU, where a group "
            "shares a thread's stack: take a smaller group, tile or vector",
            method->name, 1e-6 * (double)bytes, (long long)plan->local_size);
    return RITZ_OK;
}

ritz_status ritz_plan_check_memory(const ritz_method *method, const ritz_device_info *limits, const ritz_plan *plan)
{
    ritz_status status = RITZ_OK;
    const int64_t set = plan->layout.width * plan->bytes_per_element, scratch = plan->n_workers * plan->scratch_bytes;
    RITZ_REQUIRE(ritz_max64(set, scratch) <= limits->largest_allocation && set + scratch <= limits->global_memory,
                 RITZ_ERROR_INPUT,
                 "method %s takes at least %lld bytes of device memory for matrices and %lld for work space; the "
                 "device has %lld bytes, %lld of them in one allocation",
                 method->name, (long long)set, (long long)scratch, (long long)limits->global_memory,
                 (long long)limits->largest_allocation);
done:
    return status;
}

/* Fewer work-groups than the method would choose, so that their work space fits into memory; 0 where the choice does. */
static int32_t fewer_workers(const ritz_device_info *limits, const ritz_plan *plan)
{
    const int64_t set = plan->layout.width * plan->bytes_per_element;
    const int64_t room = ritz_min64(limits->largest_allocation, limits->global_memory - set);
    if (plan->scratch_bytes == 0 || plan->n_workers * plan->scratch_bytes <= room)
        return 0;
    return (int32_t)ritz_max64(1, room / plan->scratch_bytes);
}

/* The plan with these parameters, some of them given. */
static ritz_status make_plan(const ritz_method *method, const ritz_case *the_case, const ritz_device_info *limits,
                             int32_t *parameters, const bool *given, ritz_plan *plan)
{
    ritz_status status = RITZ_OK;
    const ritz_method_parameter *workers = find_parameter(method, "workers=");
    RITZ_TRY(method->plan(the_case, limits, parameters, plan));
    RITZ_TRY(check_settings(method, the_case, parameters, given, plan));
    if (workers && !given[workers - method->parameters] &&
        (parameters[workers - method->parameters] = fewer_workers(limits, plan)) > 0)
        RITZ_TRY(method->plan(the_case, limits, parameters, plan));
    RITZ_TRY(check_stack(method, the_case, limits, plan));
done:
    return status;
}

/* A plan may round what a table says, as what it goes with is given: it does not run unsaid. */
static void tell_adapted(const ritz_method *method, const int32_t *parameters, const int32_t *tuned,
                         const ritz_plan *plan)
{
    for (int p = 0; p < method->n_parameters; p++)
        if (tuned[p] != parameters[p] && plan->parameters[p] != tuned[p])
            ritz_log("tuning: method %s takes %s=%d here in the place of the tuned %d", method->name,
                     method->parameters[p].name, (int)plan->parameters[p], (int)tuned[p]);
}

ritz_status ritz_method_plan(const ritz_method *method, const ritz_case *the_case, const ritz_device_info *limits,
                             const char *const *settings, int n_settings, ritz_plan *plan)
{
    ritz_status status = RITZ_OK;
    int32_t parameters[RITZ_MAX_PARAMETERS], tuned[RITZ_MAX_PARAMETERS];
    bool given[RITZ_MAX_PARAMETERS];
    if (the_case->result != RITZ_RESULT_MATRICES && !method_serves(method, the_case, limits))
        return refuse_method(method, the_case, limits);
    RITZ_TRY(ritz_method_read_settings(method, settings, n_settings, parameters, given));
    memcpy(tuned, parameters, sizeof tuned);
    if (ritz_method_take_tuned(method, the_case, limits, given, tuned)) {
        if ((status = make_plan(method, the_case, limits, tuned, given, plan)) == RITZ_OK) {
            tell_adapted(method, parameters, tuned, plan);
            goto done;
        }
        ritz_log("tuning: method %s does not take the tuned parameters here, and chooses: %s", method->name,
                 ritz_message());
    }
    status = make_plan(method, the_case, limits, parameters, given, plan);
done:
    return status;
}

void ritz_case_of(const ritz_integral *integral, ritz_precision precision, ritz_case *the_case)
{
    *the_case = (ritz_case){.cell = integral->batch->cell,
                            .order = integral->space->order,
                            .geometry_order = integral->batch->block->geometry_order,
                            .serendipity = integral->batch->basis->whole != NULL,
                            .n_components = integral->form->n_components,
                            .precision = precision,
                            .degree = integral->degree,
                            .result = integral->result,
                            .read_soon = integral->read_soon};
    ritz_form_get_traits(integral->form, integral->data, &the_case->traits);
}

bool ritz_case_reads_old(const ritz_case *c)
{
    return c->traits.reads_u || c->traits.reads_gradient || c->result == RITZ_RESULT_ACTION;
}

int ritz_case_n_shape(const ritz_case *c)
{
    return c->serendipity ? ritz_cell_n_serendipity(c->cell) : ritz_cell_n_shape(c->cell, c->order);
}

ritz_case_sizes ritz_case_get_sizes(const ritz_case *c)
{
    const bool simplex = c->cell == RITZ_TRI || c->cell == RITZ_TET;
    return (ritz_case_sizes){.n_shape = ritz_case_n_shape(c),
                             .n_quad = ritz_quadrature_n_points(c->cell, ritz_quadrature_degree(c->degree, c->order)),
                             .n_geo = ritz_cell_n_shape(c->cell, c->geometry_order),
                             .dim = ritz_cell_dim(c->cell),
                             .real_bytes = ritz_real_bytes(c->precision),
                             .affine = simplex && c->geometry_order == 1};
}

void ritz_plan_set_launch(const ritz_case *c, const ritz_device_info *limits, ritz_plan *plan)
{
    const int64_t real = ritz_real_bytes(c->precision), width = plan->layout.width;
    plan->bytes_per_element = ((int64_t)plan->layout.matrix_entries + plan->layout.vector_entries) * real;
    const int64_t sets = limits->largest_allocation / (plan->layout.matrix_entries * real * width);
    plan->launch_elements = ritz_max64(sets, 1) * width;
    plan->group_elements = (ritz_max64(sets, 1) + plan->n_workers - 1) / plan->n_workers * width;
    plan->most_sharing = ritz_max64(plan->most_sharing, 1);
    plan->n_sharing = 1;
}

int64_t ritz_plan_fit_workers(const ritz_device_info *limits, int64_t workers, int64_t scratch_bytes)
{
    const int64_t share = limits->global_memory / 16;
    return workers * scratch_bytes > share ? ritz_max64(share / scratch_bytes, 1) : workers;
}

int32_t ritz_plan_lanes(const ritz_case *c, const ritz_device_info *limits, int32_t asked)
{
    const int32_t native = c->precision == RITZ_F64 ? limits->vector_width_f64 : limits->vector_width_f32;
    const bool uses_vectors = ritz_plan_tuned(limits, RITZ_INTEGRATE_VECTORS) != 0 && native > 1;
    int32_t lanes = asked ? asked : uses_vectors ? native : 1;
    while (lanes & (lanes - 1)) /* OpenCL's vectors: 1 2 4 8 16 */
        lanes--;
    return lanes;
}

void ritz_plan_add_figure(ritz_plan *plan, const char *name, double value)
{
    if (plan->n_figures < RITZ_MAX_FIGURES)
        plan->figures[plan->n_figures++] = (ritz_plan_figure){name, value};
}
