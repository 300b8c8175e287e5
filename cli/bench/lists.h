/* Lists on the command line: "tri,prism", "1-3,7". */
#ifndef RITZ_CLI_LISTS_H
#define RITZ_CLI_LISTS_H

#include "cli.h"
#include "integrate/integrate.h"

/* The next item of a list of texts parted by commas: false at its end. *at starts at the list and moves on. An item
   that is too long for its room is cut. */
bool ritz_cli_next_item(const char **at, char *item, size_t size);

/* "1-3,7": chosen[n] for least <= n <= most; false if the text is no such list. */
bool ritz_cli_read_numbers(const char *text, int least, int most, bool *chosen);

enum { RITZ_CLI_FORM_NAME = 256, RITZ_CLI_MAX_FORMS = 16, RITZ_CLI_MAX_METHODS = 64 };

/* Options that take lists: RITZ_EXIT_DONE, or ritz_cli_usage for `command`, which calls it --option. Cells by name, or all of them; orders
   from 1 on; forms that there are for cells of some dimension; f32 (precisions[0]) and f64; methods of the registry, or all.
   Of what stands twice in a list there is one. */
int ritz_cli_take_cells(const char *command, const char *text, bool *cells);
int ritz_cli_take_orders(const char *command, const char *option, const char *text,
                         bool *orders); /* [RITZ_MAX_ORDER + 1] */
int ritz_cli_take_forms(const char *command, const char *option, const char *text, char (*forms)[RITZ_CLI_FORM_NAME],
                        int *n_forms);
int ritz_cli_take_precisions(const char *command, const char *option, const char *text, bool *precisions);
int ritz_cli_take_methods(const char *command, const char *text, const ritz_method **methods, int *n_methods);
/* RITZ_EXIT_USAGE where --data names what none of the forms has: that is a slip. */
int ritz_cli_check_data(const char *command, const char *const *data, int n_data, char (*forms)[RITZ_CLI_FORM_NAME],
                        int n_forms);

#endif
