/* Data of the form for `ritz integrate`: random but the same on every run, or as --data says. */
#include "integrate.h"

#include "mesh/mesh.h"
#include "problem/form_file.h"
#include "space/space.h"

#include <getopt.h>
#include <math.h>
#include <string.h>

ritz_status ritz_cli_make_form(const char *name, int dim, ritz_form **form)
{
    ritz_status status = RITZ_OK;
    ritz_form *read = NULL;
    if (!ritz_is_form_file(name))
        return ritz_form_create(name, dim, form);
    RITZ_TRY(ritz_form_read(name, &read));
    RITZ_REQUIRE(ritz_form_dim(read) == dim, RITZ_ERROR_INPUT, "%s is a form in %d dimensions, and the mesh has %d",
                 name, ritz_form_dim(read), dim);
    *form = read;
    read = NULL;
done:
    ritz_form_destroy(&read);
    return status;
}

/* A number in [0, 1) that depends on nothing but its place (splitmix64's mixing of a counter). */
static double uniform_at(int64_t seed, int datum, int64_t k)
{
    uint64_t z = ((uint64_t)seed * 1000003u + (uint64_t)datum) * UINT64_C(0xd1342543de82ef95) +
                 (uint64_t)(k + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* n random numbers for a datum: Poisson's ratio between 0.1 and 0.4, others between 0.5 and 1.5. */
static ritz_status make_random(const ritz_form *form, int d, int64_t n, int64_t seed, double **values)
{
    ritz_status status = RITZ_OK;
    const bool ratio = strcmp(ritz_form_data_name(form, d), "poisson") == 0;
    RITZ_NEW(*values, n);
#pragma omp parallel for
    for (int64_t k = 0; k < n; k++)
        (*values)[k] = ratio ? 0.1 + 0.3 * uniform_at(seed, d, k) : 0.5 + uniform_at(seed, d, k);
done:
    return status;
}

void ritz_cli_list_data(const ritz_form *form, char names[RITZ_CLI_DATA_NAMES])
{
    *names = '\0';
    for (int i = 0; i < form->n_data; i++)
        strcat(strcat(names, i ? ", " : ""), ritz_form_data_name(form, i));
}

ritz_status ritz_cli_split_datum(const ritz_form *form, const char *text, int *d, const char **value)
{
    ritz_status status = RITZ_OK;
    char names[RITZ_CLI_DATA_NAMES];
    const char *equals = strchr(text, '=');
    ritz_cli_list_data(form, names);
    *d = -1;
    for (int i = 0; i < form->n_data; i++) {
        const char *name = ritz_form_data_name(form, i);
        if (equals && strlen(name) == (size_t)(equals - text) && strncmp(name, text, (size_t)(equals - text)) == 0)
            *d = i;
    }
    RITZ_REQUIRE(equals && equals[1], RITZ_ERROR_INPUT, "--data takes name=value, not '%s'", text);
    RITZ_REQUIRE(*d >= 0, RITZ_ERROR_INPUT, "--data %s: the form %s has no such data; it has %s", text, form->name,
                 names);
    *value = equals + 1;
done:
    return status;
}

static ritz_status make_datum(const ritz_form *form, int d, const char *text, int64_t n_cells, int n_quad, int64_t seed,
                              ritz_cli_data *data)
{
    ritz_status status = RITZ_OK;
    double number;
    if (!text || strcmp(text, "elements") == 0) {
        RITZ_TRY(make_random(form, d, n_cells, seed, &data->values[d]));
        data->datum[d] = (ritz_datum){.kind = RITZ_DATA_ELEMENT, .values = data->values[d]};
    } else if (strcmp(text, "points") == 0) {
        RITZ_TRY(make_random(form, d, n_cells * n_quad, seed, &data->values[d]));
        data->datum[d] = (ritz_datum){.kind = RITZ_DATA_POINT, .values = data->values[d]};
    } else if (ritz_cli_read_number(text, &number)) {
        data->datum[d] = (ritz_datum){.kind = RITZ_DATA_CONSTANT, .value = number};
    } else {
        const char *names[4 + RITZ_MAX_COMPONENTS * 4];
        for (int v = 0; v < form->variables.n; v++)
            names[v] = form->variables.names[v];
        if ((status = ritz_expression_create(text, names, form->variables.n, &data->expressions[d])) != RITZ_OK) {
            ritz_fail_context(status, "--data %s=%s: not a number, 'elements' or 'points', and as an expression: ",
                              ritz_form_data_name(form, d), text);
            goto done;
        }
        data->datum[d] = (ritz_datum){.kind = RITZ_DATA_EXPRESSION,
                                      .expressions = (const ritz_expression *const *)&data->expressions[d],
                                      .n_expressions = 1};
    }
done:
    return status;
}

ritz_status ritz_cli_make_data(const ritz_form *form, int64_t n_cells, int n_quad,
                               const ritz_integrate_arguments *arguments, ritz_cli_data *data)
{
    ritz_status status = RITZ_OK;
    const char *values[RITZ_MAX_DATA] = {NULL};
    for (int k = 0; k < arguments->n_data; k++) {
        int d;
        const char *value;
        RITZ_TRY(ritz_cli_split_datum(form, arguments->data[k], &d, &value));
        values[d] = value;
    }
    for (int d = 0; d < form->n_data; d++)
        RITZ_TRY(make_datum(form, d, values[d], n_cells, n_quad, arguments->seed, data));
done:
    return status;
}

int ritz_cli_take_pair(const char *command, const char *name, const char **texts, int *n)
{
    const size_t length = strcspn(optarg, "=");
    if (!optarg[length] || !optarg[length + 1])
        return ritz_cli_usage(command, "--%s takes key=value, not '%s'", name, optarg);
    for (int k = 0; k < *n; k++)
        if (strncmp(texts[k], optarg, length + 1) == 0)
            return ritz_cli_usage(command, "--%s %s: %.*s is set twice; keep one of them", name, optarg, (int)length,
                                  optarg);
    if (*n == RITZ_CLI_MAX_TEXTS)
        return ritz_cli_usage(command, "--%s is given more than %d times", name, RITZ_CLI_MAX_TEXTS);
    texts[(*n)++] = optarg;
    return RITZ_EXIT_DONE;
}

void ritz_cli_choose_data(const ritz_form *form, const char *const *data, int n_data,
                          ritz_integrate_arguments *arguments)
{
    for (int k = 0; k < n_data; k++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(data[k], "="), data[k]);
        if (ritz_form_find_data(form, name) >= 0)
            arguments->data[arguments->n_data++] = data[k];
    }
}

static const char *const result_names[] = {[RITZ_RESULT_MATRICES] = "matrices",
                                           [RITZ_RESULT_SUM] = "sum",
                                           [RITZ_RESULT_CHECKSUM] = "checksum",
                                           [RITZ_RESULT_ACTION] = "action"};
static const ritz_name_table results = {.what = "result", .names = result_names, .n = RITZ_RESULT_ACTION + 1};

int ritz_cli_take_result(const char *command, const char *text, ritz_element_result *result)
{
    int value = 0;
    if (ritz_find_name(&results, text, &value) != RITZ_OK)
        return ritz_cli_usage(command, "--result: %s", ritz_message());
    *result = (ritz_element_result)value;
    return RITZ_EXIT_DONE;
}

const char *ritz_cli_result_name(ritz_element_result result)
{
    return ritz_name_at(&results, result);
}

/* A smooth wave a few cells long whose derivatives are at most about a tenth. Every material can have it on every mesh, and its
   differences in a cell are no small ones of large numbers. It is no polynomial: coefficients of an old solution that is zero or
   linear would suit methods that real ones do not. */
static double wave(const double *x, int dim, const double low[3], double cell_size, int component)
{
    double phase = component;
    for (int a = 0; a < dim; a++)
        phase += (1 + 0.5 * a) * (x[a] - low[a]) / cell_size;
    return 0.05 * cell_size * sin(phase);
}

/* The side of a cell where the mesh's cells fill a cube of its longest side. */
static double typical_cell_size(const ritz_space *space, const double low[3], const double high[3])
{
    double size = 0;
    int64_t n_cells = 0;
    for (int a = 0; a < space->dim; a++)
        size = fmax(size, high[a] - low[a]);
    for (int b = 0; b < space->n_batches; b++)
        n_cells += space->batches[b].n_cells;
    return size * pow((double)n_cells, -1.0 / space->dim);
}

ritz_status ritz_cli_make_old(const ritz_integral *integral, int64_t seed, double **old)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = integral->space;
    const int dim = space->dim, n_components = space->n_components;
    const int64_t n = ritz_space_n_dofs(space);
    double low[3], high[3];
    ritz_case c;
    ritz_case_of(integral, RITZ_F64, &c);
    if (!ritz_case_reads_old(&c))
        return RITZ_OK;
    ritz_mesh_bounds(space->mesh, low, high);
    const double cell_size = typical_cell_size(space, low, high);
    RITZ_NEW(*old, n);
    for (int64_t k = 0; k < n; k++)
        (*old)[k] = integral->result == RITZ_RESULT_ACTION ? uniform_at(seed, RITZ_MAX_DATA, k) - 0.5
                                                           : wave(space->coordinates + k / n_components * dim, dim, low,
                                                                  cell_size, (int)(k % n_components));
done:
    return status;
}

void ritz_cli_free_data(ritz_cli_data *data)
{
    for (int d = 0; d < RITZ_MAX_DATA; d++) {
        ritz_free(data->values[d]);
        ritz_expression_destroy(&data->expressions[d]);
    }
}
