/* Lists on the command line: "tri,prism", "1-3,7". */
#ifndef RITZ_CLI_LISTS_H
#define RITZ_CLI_LISTS_H

#include "cli.h"

/* The next item of a list of texts parted by commas: false at its end. *at starts at the list and moves on. An item
   that is too long for its room is cut. */
bool ritz_cli_next_item(const char **at, char *item, size_t size);

/* "1-3,7": chosen[n] for least <= n <= most; false if the text is no such list. */
bool ritz_cli_read_numbers(const char *text, int least, int most, bool *chosen);

#endif
