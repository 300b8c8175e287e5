/* Methods and their plans as commands tell them. */
#include "plan.h"

#include <math.h>
#include <string.h>

const char *ritz_cli_precision_name(ritz_precision precision)
{
    return precision == RITZ_F64 ? "f64" : "f32";
}

/* A parameter, unless one of that name stands already: a method may name one as every plan does. */
static bool is_new(const ritz_cli_fields *list, const char *name)
{
    for (int f = 0; f < list->n; f++)
        if (strcmp(list->fields[f].name, name) == 0)
            return false;
    return true;
}

void ritz_cli_add_plan(ritz_cli_fields *list, const ritz_method *method, const ritz_plan *plan)
{
    char name[48];
    for (int p = 0; p < method->n_parameters; p++) {
        snprintf(name, sizeof name, "parameters.%s", method->parameters[p].name);
        ritz_cli_add_integer(list, name, plan->parameters[p]);
    }
    const struct {
        const char *name;
        int64_t value;
    } general[] = {{"work_group", plan->local_size},        {"work_groups", plan->n_workers * plan->n_sharing},
                   {"interleave", plan->layout.width},      {"scratch_bytes", plan->scratch_bytes},
                   {"local_bytes", plan->local_bytes},      {"launch_elements", plan->launch_elements},
                   {"group_elements", plan->group_elements}};
    for (size_t g = 0; g < sizeof general / sizeof general[0]; g++) {
        snprintf(name, sizeof name, "parameters.%s", general[g].name);
        if (is_new(list, name))
            ritz_cli_add_integer(list, name, general[g].value);
    }
    for (int f = 0; f < plan->n_figures; f++) {
        snprintf(name, sizeof name, "parameters.%s", plan->figures[f].name);
        if (is_new(list, name))
            ritz_cli_add_number(list, name, plan->figures[f].value);
    }
}

void ritz_cli_plan_in_short(const ritz_method *method, const ritz_plan *plan, char *text, size_t size)
{
    *text = '\0';
    for (int p = 0; p < method->n_parameters; p++) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s=%d", p ? " " : "", method->parameters[p].name,
                 (int)plan->parameters[p]);
    }
    for (int f = 0; f < plan->n_figures; f++) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s=%.10g", *text ? " " : "", plan->figures[f].name,
                 plan->figures[f].value);
    }
}

/* Names of the cells, or numbers of the orders, for which the method would apply, the rest of the case as it is. */
static int list_cells(const ritz_method *method, ritz_case c, const ritz_device_info *limits, char *text, size_t size)
{
    int n = 0;
    *text = '\0';
    for (c.cell = 0; c.cell < RITZ_N_CELLS; c.cell++)
        if (method->applies(&c, limits)) {
            const size_t used = strlen(text);
            snprintf(text + used, size - used, "%s%s", n++ ? ", " : "", ritz_cell_name(c.cell));
        }
    return n;
}

static int list_orders(const ritz_method *method, ritz_case c, const ritz_device_info *limits, char *text, size_t size)
{
    int n = 0;
    *text = '\0';
    for (c.order = 1; c.order <= RITZ_MAX_ORDER; c.order++)
        if (method->applies(&c, limits)) {
            const size_t used = strlen(text);
            snprintf(text + used, size - used, "%s%d", n++ ? ", " : "", c.order);
        }
    return n;
}

/* Changes to a case or a device after which a method may apply, and what is said when they help. */
enum { PRECISION, STRAIGHT, CONSTANT, INDEPENDENT, SYMMETRIC, NO_LOAD, OTHER_KIND, PTX, MATRIX_UNIT, N_CHANGES };

static const char *apply_change(int which, ritz_case *c, ritz_device_info *limits)
{
    switch (which) {
    case PRECISION:
        c->precision = c->precision == RITZ_F64 ? RITZ_F32 : RITZ_F64;
        return ritz_cli_precision_name(c->precision);
    case STRAIGHT:
        c->geometry_order = 1;
        return "straight edges";
    case CONSTANT:
        c->traits.constant = true;
        c->traits.n_varying = 0;
        memset(c->traits.varies, 0, sizeof c->traits.varies);
        return "coefficients that are constant in an element";
    case INDEPENDENT:
        c->traits.reads_x = c->traits.reads_u = c->traits.reads_gradient = false;
        return "coefficients that do not depend on x or u";
    case SYMMETRIC:
        c->traits.symmetric = true;
        return "a symmetric form";
    case NO_LOAD:
        c->traits.load = false;
        return "a form without load";
    case OTHER_KIND:
        limits->kind = limits->kind == RITZ_DEVICE_GPU ? RITZ_DEVICE_CPU : RITZ_DEVICE_GPU;
        return limits->kind == RITZ_DEVICE_GPU ? "a GPU" : "a CPU";
    case PTX:
        limits->has_ptx = true;
        return "inline PTX";
    default:
        limits->has_ptx = limits->has_f64_matrix_unit = true;
        return "an f64 matrix unit that takes inline PTX";
    }
}

/* Whether the method applies after all changes of the set; *words lists them. */
static bool changes_help(const ritz_method *method, ritz_case c, ritz_device_info limits, unsigned set, char *words,
                         size_t size)
{
    *words = '\0';
    for (int which = 0; which < N_CHANGES; which++)
        if (set & 1u << which) {
            const size_t used = strlen(words);
            snprintf(words + used, size - used, "%s%s", used ? " and " : "", apply_change(which, &c, &limits));
        }
    return method->applies(&c, &limits);
}

static int n_changes_in(unsigned set)
{
    int n = 0;
    for (; set; set &= set - 1)
        n++;
    return n;
}

void ritz_cli_why_not(const ritz_method *method, const ritz_case *the_case, const ritz_device_info *limits,
                      char *reason, size_t size)
{
    char words[256], orders[64];
    const int n_cells = list_cells(method, *the_case, limits, words, sizeof words),
              n_orders = list_orders(method, *the_case, limits, orders, sizeof orders);
    if (n_cells && n_orders) {
        snprintf(reason, size, "it serves %s cells at order%s %s only, and order %d on %s",
                 ritz_cell_name(the_case->cell), n_orders > 1 ? "s" : "", orders, the_case->order, words);
        return;
    }
    if (n_cells) {
        snprintf(reason, size, "it serves %s cells only", words);
        return;
    }
    if (n_orders) {
        snprintf(reason, size, "it serves order%s %s only", n_orders > 1 ? "s" : "", orders);
        return;
    }
    for (int n = 1; n <= N_CHANGES; n++)
        for (unsigned set = 1; set < 1u << N_CHANGES; set++)
            if (n_changes_in(set) == n && changes_help(method, *the_case, *limits, set, words, sizeof words)) {
                snprintf(reason, size, "it needs %s", words);
                return;
            }
    snprintf(reason, size, "it does not support %s cells of order %d", ritz_cell_name(the_case->cell), the_case->order);
}

double ritz_cli_best_rate(ritz_precision precision, const ritz_device_ceilings *ceilings)
{
    return precision == RITZ_F64 ? ceilings->f64_gflop_s : ceilings->f32_gflop_s;
}

double ritz_cli_least_seconds(const ritz_work *work, ritz_precision precision, const ritz_device_ceilings *ceilings,
                              const char **bound)
{
    const double operations = isnan(work->operations) ? work->paper_operations : work->operations;
    const double bandwidth = fmax(ceilings->copy_gb_s, ceilings->store_gb_s);
    const double rate = ritz_cli_best_rate(precision, ceilings);
    *bound = "unknown";
    if (!(bandwidth > 0) || !(rate > 0))
        return NAN;
    const double memory = 1e-9 * (work->input_bytes + work->output_bytes) / bandwidth;
    const double compute = 1e-9 * operations / rate;
    *bound = memory > compute ? "memory" : "compute";
    return fmax(memory, compute);
}

void ritz_cli_choose_box(int64_t n, ritz_box *box)
{
    const int a_cube = box->cell == RITZ_TET ? 6 : box->cell == RITZ_TRI || box->cell == RITZ_PRISM ? 2 : 1;
    const int dim = ritz_cell_dim(box->cell);
    double cubes = ceil((double)n / a_cube);
    for (int axis = 0; axis < dim; axis++) {
        const double side = pow(cubes, 1.0 / (dim - axis));
        box->cells[axis] = (int32_t)fmax(1, axis == dim - 1 ? ceil(cubes) : floor(side + 1e-9));
        cubes = ceil(cubes / box->cells[axis]);
    }
}
