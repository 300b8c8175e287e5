/* Writing JSON. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *volatile wanted; /* the command whose object is missing */

void ritz_cli_want_json(const char *command)
{
    wanted = command;
}

const char *ritz_cli_json_wanted(void)
{
    return wanted;
}

void ritz_cli_end_json(int exit_status)
{
    ritz_json json = {.file = stdout};
    const char *command = wanted;
    if (!command || exit_status == RITZ_EXIT_DONE)
        return;
    ritz_json_open(&json, NULL, '{');
    ritz_json_text(&json, "command", command);
    ritz_json_text(&json, "failure", ritz_cli_failure());
    ritz_json_close(&json, '}');
}

/* Length of the valid UTF-8 sequence at `text`, or 0. */
static int sequence_length(const unsigned char *text)
{
    int n = text[0] < 0x80                      ? 1
            : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
            : (text[0] & 0xf0) == 0xe0          ? 3
            : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                : 0;
    for (int i = 1; i < n; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

static void write_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int n = sequence_length(c);
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(file, "\\u%04x", *c);
        else if (n == 0)
            fputs("\\ufffd", file); /* a byte of another encoding */
        else
            fwrite(c, 1, (size_t)n, file);
        c += n > 0 ? n : 1;
    }
    fputc('"', file);
}

/* The comma and the key before a value. */
static void begin_value(ritz_json *json, const char *key)
{
    if (json->needs_comma)
        fputc(',', json->file);
    json->needs_comma = true;
    if (key) {
        write_text(json->file, key);
        fputc(':', json->file);
    }
}

void ritz_json_open(ritz_json *json, const char *key, char bracket)
{
    begin_value(json, key);
    fputc(bracket, json->file);
    json->needs_comma = false;
    json->depth++;
}

void ritz_json_close(ritz_json *json, char bracket)
{
    fputc(bracket, json->file);
    json->needs_comma = true;
    if (--json->depth > 0)
        return;
    fputc('\n', json->file);
    if (json->file == stdout) {
        fflush(stdout); /* main tells what went wrong */
        wanted = NULL;
    }
}

void ritz_json_text(ritz_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (text)
        write_text(json->file, text);
    else
        fputs("null", json->file);
}

void ritz_json_raw(ritz_json *json, const char *key, const char *value)
{
    begin_value(json, key);
    fputs(value, json->file);
}

void ritz_json_number(ritz_json *json, const char *key, double number)
{
    begin_value(json, key);
    if (isfinite(number))
        fprintf(json->file, "%.17g", number);
    else
        fputs("null", json->file);
}

void ritz_json_integer(ritz_json *json, const char *key, int64_t number)
{
    begin_value(json, key);
    fprintf(json->file, "%" PRId64, number);
}

void ritz_json_bool(ritz_json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->file);
}

void ritz_json_history(ritz_json *json, int32_t stride, int32_t n, const double *residuals)
{
    ritz_json_open(json, "history", '{');
    ritz_json_integer(json, "stride", stride);
    ritz_json_open(json, "relative_residuals", '[');
    for (int32_t i = 0; i < n; i++)
        ritz_json_number(json, NULL, residuals[i]);
    ritz_json_close(json, ']');
    ritz_json_close(json, '}');
}

void ritz_json_levels(ritz_json *json, const ritz_solve_report *report)
{
    if (report->n_levels == 0)
        return;
    ritz_json_number(json, "operator_complexity", report->operator_complexity);
    ritz_json_open(json, "levels", '[');
    for (int l = 0; l < report->n_levels; l++) {
        const ritz_solve_level *level = &report->levels[l];
        ritz_json_open(json, NULL, '{');
        ritz_json_integer(json, "rows", level->n_rows);
        ritz_json_integer(json, "nonzeros", level->n_nonzeros);
        ritz_json_integer(json, "nodes", level->n_nodes);
        ritz_json_integer(json, "aggregates", level->n_aggregates);
        ritz_json_close(json, '}');
    }
    ritz_json_close(json, ']');
}
