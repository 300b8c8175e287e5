/* Lists on the command line. */
#include "bench/lists.h"

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
