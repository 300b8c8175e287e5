/* The figures of a run as one list, in the order of the JSON object: printed as JSON or text, kept in records. */
#ifndef RITZ_CLI_FIELDS_H
#define RITZ_CLI_FIELDS_H

#include "cli.h"
#include "output/record.h"

enum { RITZ_CLI_MAX_FIELDS = 256 };

/* Room for RITZ_CLI_MAX_FIELDS of them; `fields` is the owner's: ritz_free. Names are as in records:
   "seconds.kernel" becomes a key of the object "seconds", "devices[1].name" one of the second object of the array
   "devices", so fields of a group stand together. */
typedef struct ritz_cli_fields {
    ritz_record_field *fields;
    int n;
} ritz_cli_fields;

ritz_status ritz_cli_fields_create(ritz_cli_fields *list);
void ritz_cli_add_number(ritz_cli_fields *list, const char *name, double number);
void ritz_cli_add_integer(ritz_cli_fields *list, const char *name, int64_t integer);
void ritz_cli_add_text(ritz_cli_fields *list, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* When, and by which version: "date", "version". */
void ritz_cli_add_origin(ritz_cli_fields *list);
/* Texts one after the other, with spaces between. */
void ritz_cli_add_texts(ritz_cli_fields *list, const char *name, const char *const *texts, int n);

/* A number that was added under this name; NAN if there is none. */
double ritz_cli_find_number(const ritz_record_field *fields, int n_fields, const char *name);
/* A text likewise; "" if there is none. */
const char *ritz_cli_find_text(const ritz_record_field *fields, int n_fields, const char *name);

/* The fields as keys of the object that is open. */
void ritz_cli_json_fields(ritz_json *json, const ritz_record_field *fields, int n_fields);
/* Name and value in two columns. */
void ritz_cli_print_fields(const ritz_record_field *fields, int n_fields);

#endif
