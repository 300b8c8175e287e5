/* Handles of two devices in one call: each public function that takes several refuses them. The second device is the first
   one opened again, which has a context of its own as other hardware has. */
#include "api.h"

#include <ctype.h>
#include <dirent.h>

static ritz_device *other;
static ritz_vector *v, *foreign, *foreign_on_host;

#define REFUSES_OTHER(call)                                                                                            \
    do {                                                                                                               \
        REFUSES(call);                                                                                                 \
        if (!strstr(ritz_message(), "device"))                                                                         \
            fail_msg("%s: %s", #call, ritz_message());                                                                 \
    } while (0)

static void mix_products(void)
{
    REFUSES_OTHER(ritz_matrix_multiply_vectors(matrix, foreign, v));
    REFUSES_OTHER(ritz_matrix_multiply_vectors(matrix, v, foreign));
    REFUSES_OTHER(ritz_matrix_multiply_vectors(matrix, foreign_on_host, v));
    REFUSES_OTHER(ritz_matrix_multiply_vectors(matrix, v, foreign_on_host));
}

static void mix_solves(void)
{
    REFUSES_OTHER(ritz_solve_vectors(matrix, NULL, foreign, v, NULL));
    REFUSES_OTHER(ritz_solve_vectors(matrix, NULL, v, foreign, NULL));
    REFUSES_OTHER(ritz_solve_vectors(matrix, NULL, v, foreign_on_host, NULL));
    REFUSES_OTHER(ritz_solver_solve_vectors(solver, foreign, v, NULL));
    REFUSES_OTHER(ritz_solver_solve_vectors(solver, v, foreign, NULL));
    REFUSES_OTHER(ritz_solver_solve_vectors(solver, foreign_on_host, v, NULL));
}

static void mix_update(void)
{
    ritz_solver *own = NULL;
    ritz_matrix *made = NULL;
    make_matrix(other, &made);
    for (int method = RITZ_CG; method <= RITZ_DIRECT; method++) {
        if (ritz_solver_create(matrix, &(ritz_solve_options){.method = (ritz_solve_method)method, .updatable = true},
                               &own) != RITZ_OK)
            continue; /* built without the direct solver */
        REFUSES_OTHER(ritz_solver_update(own, made));
        OK(ritz_solver_update(own, matrix));
        ritz_solver_destroy(&own);
    }
    ritz_matrix_destroy(&made);
}

static void mix_sums(void)
{
    double dot;
    REFUSES_OTHER(ritz_vector_axpby(1, v, 1, foreign));
    REFUSES_OTHER(ritz_vector_axpby(1, foreign, 1, v));
    REFUSES(ritz_vector_axpby(1, foreign_on_host, 1, v)); /* other memory, too */
    REFUSES_OTHER(ritz_vector_dot(v, foreign, &dot));
    REFUSES_OTHER(ritz_vector_dot(foreign, v, &dot));
}

/* The one that may: it passes over the host. */
static void mix_copy(void)
{
    static const double numbers[N] = {3, 5, 7};
    double got[N] = {0};
    OK(ritz_vector_write(foreign, numbers));
    OK(ritz_vector_copy(foreign, v));
    OK(ritz_vector_read(v, got));
    assert_memory_equal(got, numbers, sizeof got);
    OK(ritz_vector_copy(foreign_on_host, v));
    OK(ritz_vector_read(v, got));
    assert_memory_equal(got, ones, sizeof got);
}

static void mix_elements(void)
{
    ritz_assembler *a = NULL;
    ritz_elements *e = NULL;
    double rhs[8];
    OK(ritz_assembler_create(device, space, NULL, &a));
    OK(ritz_elements_create(other, space, RITZ_TET, NULL, &e));
    OK(ritz_elements_fill(e, form, NULL));
    const ritz_elements *const given[] = {e};
    REFUSES_OTHER(ritz_assembler_fill_from_elements(a, 1, given, NULL, NULL, rhs));
    ritz_elements_destroy(&e);
    ritz_assembler_destroy(&a);
}

static const struct {
    const char *function;
    void (*mix)(void);
} tried[] = {
    {"ritz_matrix_multiply_vectors", mix_products},
    {"ritz_solve_vectors", mix_solves},
    {"ritz_solver_solve_vectors", mix_solves},
    {"ritz_solver_update", mix_update},
    {"ritz_vector_axpby", mix_sums},
    {"ritz_vector_dot", mix_sums},
    {"ritz_vector_copy", mix_copy},
    {"ritz_assembler_fill_from_elements", mix_elements},
};
enum { N_TRIED = sizeof tried / sizeof *tried };

static ritz_status mix_apply(const ritz_vector *x, ritz_vector *y, void *context)
{
    (void)context;
    return ritz_vector_copy(x, y);
}

/* An operator in a struct, and buffers and queues of OpenCL's own. */
static void mix_what_no_argument_shows(void)
{
    ritz_solver *own = NULL;
    ritz_vector *around = NULL;
    ritz_device *d = NULL;
    const ritz_operator system = {.device = device, .n = N, .apply = mix_apply, .diagonal = foreign};
    REFUSES_OTHER(ritz_solver_create_from_operator(&system, NULL, &own));
    REFUSES_OTHER(
        ritz_vector_from_opencl(device, RITZ_F64, N, ritz_vector_opencl_buffer(foreign), RITZ_BORROWED, &around));
    FAILS(RITZ_ERROR_INPUT,
          ritz_device_from_opencl(ritz_device_opencl_context(device), ritz_device_opencl_queue(other), &d));
    assert_true(!own && !around && !d);
}

/* ---- All functions of the headers that take two ---- */

/* Pointers to handles of a device among the arguments of a declaration. */
static int count_handles(const char *arguments)
{
    static const char *const types[] = {"ritz_device *",   "ritz_vector *", "ritz_matrix *",   "ritz_solver *",
                                        "ritz_elements *", "ritz_system *", "ritz_assembler *"};
    int n = 0;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (const char *at = arguments; (at = strstr(at, types[t])) != NULL; at += strlen(types[t]))
            n += at[strlen(types[t])] != '*';
    return n;
}

/* What the header declares with several is tried. */
static void check_header(const char *folder, const char *name, int *n_found)
{
    static char text[1 << 16];
    char path[4096], function[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    for (char *at = text; (at = strstr(at, "\nRITZ_API ")) != NULL; at++) {
        char *end = strchr(at, ';'), *open = strchr(at, '(');
        assert_true(open && end > open);
        *end = '\0';
        const char *start = open;
        while (isalnum((unsigned char)start[-1]) || start[-1] == '_')
            start--;
        snprintf(function, sizeof function, "%.*s", (int)(open - start), start);
        int i = 0;
        while (i < N_TRIED && strcmp(tried[i].function, function) != 0)
            i++;
        const bool several = count_handles(open) > 1;
        if (several != (i < N_TRIED))
            fail_msg("%s: %s takes %s; tried here: %s", name, function, several ? "two handles" : "one handle",
                     i < N_TRIED ? "yes" : "no");
        *n_found += several;
        *end = ';';
    }
}

void handles_of_another_device(void **state)
{
    (void)state;
    int n_found = 0;
    DIR *folder = opendir(headers);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.')
            check_header(headers, entry->d_name, &n_found);
    closedir(folder);
    assert_int_equal(n_found, N_TRIED);
    OK(ritz_device_open(getenv("RITZ_TEST_DEVICE"), &other));
    OK(ritz_vector_create_from(device, RITZ_ON_DEVICE, RITZ_F64, N, ones, &v));
    OK(ritz_vector_create_from(other, RITZ_ON_DEVICE, RITZ_F64, N, ones, &foreign));
    OK(ritz_vector_create_from(other, RITZ_ON_HOST, RITZ_F64, N, ones, &foreign_on_host));
    for (int i = 0; i < N_TRIED; i++)
        tried[i].mix();
    mix_what_no_argument_shows();
    ritz_vector_destroy(&v);
    ritz_vector_destroy(&foreign);
    ritz_vector_destroy(&foreign_on_host);
    ritz_device_close(&other);
}
