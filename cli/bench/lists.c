/* Lists on the command line. */
#include "bench/lists.h"

#include "integrate.h"
#include "plan.h"

#include <string.h>

bool ritz_cli_next_item(const char **at, char *item, size_t size)
{
    if (!*at)
        return false;
    const size_t length = strcspn(*at, ",");
    snprintf(item, size, "%.*s", (int)length, *at);
    *at = (*at)[length] ? *at + length + 1 : NULL;
    return true;
}

bool ritz_cli_read_numbers(const char *text, int least, int most, bool *chosen)
{
    char item[32];
    for (const char *at = text; ritz_cli_next_item(&at, item, sizeof item);) {
        int64_t first, last;
        char *dash = strchr(item, '-');
        if (dash)
            *dash = '\0';
        if (!ritz_cli_read_integer(item, least, most, &first) ||
            !ritz_cli_read_integer(dash ? dash + 1 : item, first, most, &last))
            return false;
        for (int64_t n = first; n <= last; n++)
            chosen[n] = true;
    }
    return true;
}

int ritz_cli_take_cells(const char *command, const char *text, bool *cells)
{
    char item[64];
    for (const char *at = text; ritz_cli_next_item(&at, item, sizeof item);) {
        ritz_cell cell;
        if (strcmp(item, "all") == 0) {
            for (int c = 0; c < RITZ_N_CELLS; c++)
                cells[c] = true;
        } else if (ritz_cell_from_name(item, &cell) == RITZ_OK) {
            cells[cell] = true;
        } else {
            return ritz_cli_usage(command, "--cell: %s", ritz_message());
        }
    }
    return RITZ_EXIT_DONE;
}

int ritz_cli_take_orders(const char *command, const char *option, const char *text, bool *orders)
{
    if (!ritz_cli_read_numbers(text, 1, RITZ_MAX_ORDER, orders))
        return ritz_cli_usage(command, "--%s takes a list like 1-3,7 within 1 to %d, not '%s'", option, RITZ_MAX_ORDER,
                              text);
    return RITZ_EXIT_DONE;
}

/* A form of this name in two or three dimensions; NULL: there is none. */
static ritz_form *make_form(const char *name)
{
    ritz_form *form = NULL;
    return ritz_cli_make_form(name, 2, &form) == RITZ_OK || ritz_cli_make_form(name, 3, &form) == RITZ_OK ? form : NULL;
}

int ritz_cli_take_forms(const char *command, const char *option, const char *text, char (*forms)[RITZ_CLI_FORM_NAME],
                        int *n_forms)
{
    char item[RITZ_CLI_FORM_NAME];
    *n_forms = 0;
    for (const char *at = text; ritz_cli_next_item(&at, item, sizeof item);) {
        bool listed = false;
        for (int f = 0; f < *n_forms; f++)
            listed = listed || strcmp(forms[f], item) == 0;
        if (listed)
            continue;
        ritz_form *form = make_form(item);
        const bool known = form != NULL;
        ritz_form_destroy(&form);
        if (!known)
            return ritz_cli_usage(command, "--%s: %s", option, ritz_message());
        if (*n_forms == RITZ_CLI_MAX_FORMS)
            return ritz_cli_usage(command, "--%s takes at most %d of them", option, RITZ_CLI_MAX_FORMS);
        memcpy(forms[(*n_forms)++], item, sizeof item);
    }
    return RITZ_EXIT_DONE;
}

int ritz_cli_check_data(const char *command, const char *const *data, int n_data, char (*forms)[RITZ_CLI_FORM_NAME],
                        int n_forms)
{
    for (int k = 0; k < n_data; k++) {
        ritz_text all = {0};
        bool known = false;
        for (int f = 0; f < n_forms && !known; f++) {
            char names[RITZ_CLI_DATA_NAMES];
            int d;
            const char *value;
            ritz_form *form = make_form(forms[f]);
            known = !form || ritz_cli_split_datum(form, data[k], &d, &value) == RITZ_OK;
            if (form)
                ritz_cli_list_data(form, names);
            if (!known)
                ritz_text_add(&all, "; %s has %s", forms[f], names);
            ritz_form_destroy(&form);
        }
        char *list = NULL;
        int exit_status = RITZ_EXIT_DONE;
        if (!known && n_forms == 1) /* as 'ritz integrate' says it */
            exit_status = ritz_cli_usage(command, "%s", ritz_message());
        else if (!known && ritz_text_take(&all, &list) == RITZ_OK)
            exit_status = ritz_cli_usage(command, "--data %s: none of the forms has such data%s", data[k], list);
        ritz_text_free(&all);
        ritz_free(list);
        if (exit_status != RITZ_EXIT_DONE)
            return exit_status;
    }
    return RITZ_EXIT_DONE;
}

int ritz_cli_take_precisions(const char *command, const char *option, const char *text, bool *precisions)
{
    char item[64];
    for (const char *at = text; ritz_cli_next_item(&at, item, sizeof item);) {
        const bool wide = strcmp(item, "f64") == 0;
        if (!wide && strcmp(item, "f32") != 0)
            return ritz_cli_usage(command, "--%s takes f32 and f64, not '%s'", option, item);
        precisions[wide] = true;
    }
    return RITZ_EXIT_DONE;
}

int ritz_cli_take_methods(const char *command, const char *text, const ritz_method **methods, int *n_methods)
{
    int n_all;
    const ritz_method *const *all = ritz_methods(&n_all);
    char item[64];
    *n_methods = 0;
    if (strcmp(text, "all") == 0) {
        for (; *n_methods < n_all && *n_methods < RITZ_CLI_MAX_METHODS; ++*n_methods)
            methods[*n_methods] = all[*n_methods];
        return RITZ_EXIT_DONE;
    }
    for (const char *at = text; ritz_cli_next_item(&at, item, sizeof item);) {
        const ritz_method *method = ritz_method_named(item);
        bool listed = false;
        if (!method)
            return ritz_cli_usage(command, "--methods: %s", ritz_message());
        if (*n_methods == RITZ_CLI_MAX_METHODS)
            return ritz_cli_usage(command, "--methods takes at most %d of them", RITZ_CLI_MAX_METHODS);
        for (int m = 0; m < *n_methods; m++)
            listed = listed || methods[m] == method;
        if (!listed)
            methods[(*n_methods)++] = method;
    }
    return RITZ_EXIT_DONE;
}
