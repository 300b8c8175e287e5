/* Shared by the files of test_api: how a spoiled call is checked, what is called, and the tables of functions. */
#ifndef RITZ_TEST_API_H
#define RITZ_TEST_API_H

#include "ritz.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != RITZ_OK)                                                                                         \
            fail_msg("%s: %s", #call, ritz_message());                                                                 \
    } while (0)
/* The call must return this status and leave a message of its own. */
#define FAILS(status, call)                                                                                            \
    do {                                                                                                               \
        old_message();                                                                                                 \
        expect_status((call), (status), #call);                                                                        \
    } while (0)
#define REFUSES(call) FAILS(RITZ_ERROR_INPUT, call)

void old_message(void);
void expect_status(ritz_status status, ritz_status expected, const char *call);

/* ---- What the functions are called with ---- */

extern ritz_device *device;
extern ritz_mesh *mesh;     /* six tets */
extern ritz_space *space;   /* of order 1 on it, scalar */
extern ritz_form *form;     /* poisson */
extern ritz_matrix *matrix; /* 3 x 3, positive definite */
extern ritz_solver *solver;
extern ritz_problem *problem;
enum { N = 3 };
extern const int64_t row_start[N + 1];
extern const int32_t columns[5];
extern const double values[5], ones[N];
extern const char problem_text[];
extern char scratch[64];                      /* a path that can be written */
extern const char *headers;                   /* the folder of the installed headers */
void handles_of_another_device(void **state); /* devices.c */
void make_matrix(ritz_device *on, ritz_matrix **made);

static const ritz_cell no_cells[] = {(ritz_cell)99, (ritz_cell)-1, RITZ_N_CELLS};
static const int no_orders[] = {0, -1, 8, 1000000, INT32_MAX, INT32_MIN};
enum { NO_CELLS = sizeof no_cells / sizeof *no_cells, NO_ORDERS = sizeof no_orders / sizeof *no_orders };

/* A function that destroys takes NULL and a pointer to NULL. */
#define DESTROYS(destroy, type)                                                                                        \
    do {                                                                                                               \
        type *none = NULL;                                                                                             \
        destroy(NULL);                                                                                                 \
        destroy(&none);                                                                                                \
        assert_null(none);                                                                                             \
    } while (0)

/* ---- Tables: each public function, and the test that spoils its arguments; a NULL name ends them ---- */

typedef void any_function(void);
struct api_entry {
    const char *name;
    any_function *function; /* its address: the library exports it */
    void (*test)(void);
};
#define ENTRY(function, test)                                                                                          \
    {                                                                                                                  \
#function, (any_function *)(function), test                                                                    \
    }
extern const struct api_entry api_base[], api_elements[], api_matrices[], api_assembly[], api_device_elements[],
    api_vectors[];

#endif
