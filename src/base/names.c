/* Names of the values 0, 1, 2, ... of an option: one to its value and back, and the message for what is none. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

enum { LIST_BYTES = 1024 };

int ritz_place_of_name(const char *name, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

const char *ritz_list_names(const char *const *names, int n, char *list, size_t bytes)
{
    size_t length = 0;
    list[0] = '\0';
    for (int i = 0; i < n && length < bytes; i++)
        length += (size_t)snprintf(list + length, bytes - length, "%s%s", i ? ", " : "", names[i]);
    return list;
}

const char *ritz_name_at(const ritz_name_table *table, int value)
{
    return value >= 0 && value < table->n ? table->names[value] : "unknown";
}

ritz_status ritz_check_value(const ritz_name_table *table, int value)
{
    char list[LIST_BYTES];
    if (value >= 0 && value < table->n)
        return RITZ_OK;
    return ritz_fail(RITZ_ERROR_INPUT, "%s %d does not exist; choices: %s", table->what, value,
                     ritz_list_names(table->names, table->n, list, sizeof list));
}

ritz_status ritz_refuse_name(const ritz_name_table *table, const char *name, const char *meant)
{
    char list[LIST_BYTES];
    const char *near = meant ? meant : ritz_nearest(name, table->names, table->n);
    return ritz_fail(RITZ_ERROR_INPUT, "unknown %s '%.60s'%s%s%s%s%s %s", table->what, name, table->of ? " in " : "",
                     table->of ? table->of : "", near ? "; did you mean '" : "", near ? near : "",
                     near ? "'? Choices:" : "; choices:", ritz_list_names(table->names, table->n, list, sizeof list));
}

ritz_status ritz_find_name(const ritz_name_table *table, const char *name, int *value)
{
    const int place = ritz_place_of_name(name, table->names, table->n);
    if (place < 0)
        return ritz_refuse_name(table, name, NULL);
    *value = place;
    return RITZ_OK;
}
