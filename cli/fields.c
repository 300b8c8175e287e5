/* Lists of figures: made, and printed as JSON or text. */
#include "fields.h"

#include "base/base.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

ritz_status ritz_cli_fields_create(ritz_cli_fields *list)
{
    ritz_status status = RITZ_OK;
    *list = (ritz_cli_fields){0};
    RITZ_NEW(list->fields, RITZ_CLI_MAX_FIELDS);
done:
    return status;
}

static ritz_record_field *next_field(ritz_cli_fields *list, const char *name, ritz_field_kind kind)
{
    ritz_record_field *field = &list->fields[list->n < RITZ_CLI_MAX_FIELDS ? list->n++ : RITZ_CLI_MAX_FIELDS - 1];
    field->kind = kind;
    snprintf(field->name, sizeof field->name, "%s", name);
    return field;
}

void ritz_cli_add_number(ritz_cli_fields *list, const char *name, double number)
{
    next_field(list, name, RITZ_FIELD_NUMBER)->number = number;
}

void ritz_cli_add_integer(ritz_cli_fields *list, const char *name, int64_t integer)
{
    next_field(list, name, RITZ_FIELD_INTEGER)->integer = integer;
}

void ritz_cli_add_text(ritz_cli_fields *list, const char *name, const char *format, ...)
{
    ritz_record_field *field = next_field(list, name, RITZ_FIELD_TEXT);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(field->text, sizeof field->text, format, arguments);
    va_end(arguments);
}

void ritz_cli_add_texts(ritz_cli_fields *list, const char *name, const char *const *texts, int n)
{
    char joined[256] = "";
    for (int k = 0; k < n; k++) {
        const size_t used = strlen(joined);
        snprintf(joined + used, sizeof joined - used, "%s%s", k ? " " : "", texts[k]);
    }
    ritz_cli_add_text(list, name, "%s", joined);
}

void ritz_cli_add_origin(ritz_cli_fields *list)
{
    const time_t now = time(NULL);
    struct tm utc;
    char date[32];
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    ritz_cli_add_text(list, "date", "%s", date);
    ritz_cli_add_text(list, "version", "%s", ritz_version());
}

double ritz_cli_find_number(const ritz_record_field *fields, int n_fields, const char *name)
{
    for (int f = 0; f < n_fields; f++)
        if (strcmp(fields[f].name, name) == 0 && fields[f].kind != RITZ_FIELD_TEXT)
            return fields[f].kind == RITZ_FIELD_NUMBER ? fields[f].number : (double)fields[f].integer;
    return NAN;
}

const char *ritz_cli_find_text(const ritz_record_field *fields, int n_fields, const char *name)
{
    for (int f = 0; f < n_fields; f++)
        if (strcmp(fields[f].name, name) == 0 && fields[f].kind == RITZ_FIELD_TEXT)
            return fields[f].text;
    return "";
}

/* Length of the array's name in "devices[1]"; 0 for a group that is no object of an array. */
static size_t array_name(const char *group)
{
    const size_t length = strcspn(group, "[");
    return group[length] == '[' ? length : 0;
}

/* Closes the object `old` and opens the object `new`, with the arrays around them; either may be "". */
static void change_group(ritz_json *json, const char *old, const char *new)
{
    char name[48];
    const size_t from = array_name(old), to = array_name(new);
    const bool same_array = from > 0 && from == to && strncmp(old, new, to) == 0;
    if (*old)
        ritz_json_close(json, '}');
    if (from > 0 && !same_array)
        ritz_json_close(json, ']');
    snprintf(name, sizeof name, "%.*s", (int)to, new);
    if (to > 0 && !same_array)
        ritz_json_open(json, name, '[');
    if (*new)
        ritz_json_open(json, to > 0 ? NULL : new, '{');
}

void ritz_cli_json_fields(ritz_json *json, const ritz_record_field *fields, int n_fields)
{
    char group[48] = ""; /* the object that is open */
    for (int f = 0; f < n_fields; f++) {
        const ritz_record_field *field = &fields[f];
        const char *dot = strchr(field->name, '.'), *key = dot ? dot + 1 : field->name;
        char own[48] = "";
        if (dot)
            snprintf(own, sizeof own, "%.*s", (int)(dot - field->name), field->name);
        if (strcmp(own, group) != 0) {
            change_group(json, group, own);
            memcpy(group, own, sizeof group);
        }
        if (field->kind == RITZ_FIELD_TEXT)
            ritz_json_text(json, key, field->text);
        else if (field->kind == RITZ_FIELD_NUMBER)
            ritz_json_number(json, key, field->number);
        else
            ritz_json_integer(json, key, field->integer);
    }
    change_group(json, group, "");
}

void ritz_cli_print_fields(const ritz_record_field *fields, int n_fields)
{
    for (int f = 0; f < n_fields; f++) {
        const ritz_record_field *field = &fields[f];
        printf("%-28s ", field->name);
        if (field->kind == RITZ_FIELD_TEXT)
            printf("%s\n", field->text);
        else if (field->kind == RITZ_FIELD_INTEGER)
            printf("%" PRId64 "\n", field->integer);
        else if (isnan(field->number))
            printf("-\n");
        else
            printf("%.6g\n", field->number);
    }
}
