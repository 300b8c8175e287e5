/* `ritz integrate`, file by file: what was asked for (cli/integrate.c), the data of the form (cli/integrate_data.c),
   and the report of the run (cli/integrate_report.c). */
#ifndef RITZ_CLI_INTEGRATE_H
#define RITZ_CLI_INTEGRATE_H

#include "cli.h"
#include "measure/measure.h"
#include "output/record.h"

enum { RITZ_CLI_MAX_TEXTS = 32 };

/* The options as given. All texts are those of argv. */
typedef struct ritz_integrate_arguments {
    const char *command; /* as reports tell it; NULL: "integrate" */
    const char *mesh, *form, *method, *device, *output, *record;
    bool is_box, has_cell, has_repeat, json, show_kernel, measure, checksum;
    ritz_element_result result;
    ritz_box box;
    ritz_cell cell;
    ritz_precision precision;
    int64_t order, degree, check, repeat, seed, max_device_bytes; /* 0: not given */
    const char *settings[RITZ_CLI_MAX_TEXTS], *data[RITZ_CLI_MAX_TEXTS];
    int n_settings, n_data;
} ritz_integrate_arguments;

/* Where each datum of the form comes from, and the memory behind it. */
typedef struct ritz_cli_data {
    ritz_datum datum[RITZ_MAX_DATA];
    double *values[RITZ_MAX_DATA];
    ritz_expression *expressions[RITZ_MAX_DATA];
} ritz_cli_data;
/* A built-in form by its name, or that of a form.json. RITZ_ERROR_INPUT: there is none for cells of this dimension. */
ritz_status ritz_cli_make_form(const char *name, int dim, ritz_form **form);
/* Random numbers, one per element, where no --data says otherwise. RITZ_ERROR_INPUT: a --data that the form does not
   take. */
ritz_status ritz_cli_make_data(const ritz_form *form, int64_t n_cells, int n_quad,
                               const ritz_integrate_arguments *arguments, ritz_cli_data *data);
/* The names of a form's data, parted by commas. */
enum { RITZ_CLI_DATA_NAMES = RITZ_MAX_DATA * 26 };
void ritz_cli_list_data(const ritz_form *form, char names[RITZ_CLI_DATA_NAMES]);
/* "name=value" to the datum's number, and the value's text. RITZ_ERROR_INPUT: the form has no such data. */
ritz_status ritz_cli_split_datum(const ritz_form *form, const char *text, int *d, const char **value);
/* Adds the text "key=value" of the option --name, from getopt's optarg, to texts[RITZ_CLI_MAX_TEXTS]: RITZ_EXIT_DONE, or
   ritz_cli_usage, also where the key is set already. */
int ritz_cli_take_pair(const char *command, const char *name, const char **texts, int *n);
/* Adds those of the n_data texts "name=value" that are of data that the form has. */
void ritz_cli_choose_data(const ritz_form *form, const char *const *data, int n_data,
                          ritz_integrate_arguments *arguments);
/* The option --result: RITZ_EXIT_DONE, or ritz_cli_usage. */
int ritz_cli_take_result(const char *command, const char *text, ritz_element_result *result);
const char *ritz_cli_result_name(ritz_element_result result);
/* An old solution *old[n_dofs of the space], ritz_free: a smooth wave, for the action random numbers as --seed has it; NULL
   and RITZ_OK where nothing reads it. The integral has its form and data. */
ritz_status ritz_cli_make_old(const ritz_integral *integral, int64_t seed, double **old);
void ritz_cli_free_data(ritz_cli_data *data);

/* The run as a list of fields in the order of the JSON object; *fields is the caller's: ritz_free. */
ritz_status ritz_integrate_fields(const ritz_integrate_arguments *arguments, const ritz_integral *integral,
                                  ritz_device *device, const ritz_measurement *measurement,
                                  const ritz_device_ceilings *ceilings, const char *when, ritz_record_field **fields,
                                  int *n_fields);
void ritz_integrate_print_json(const ritz_record_field *fields, int n_fields);
void ritz_integrate_print_text(const ritz_record_field *fields, int n_fields);

#endif
