/* Every public function with every argument spoiled: NULL, values that an enumeration does not have, sizes below zero and
   absurd ones, numbers that are not finite, indices out of range. Each is refused with a message, or gives what its header
   says. Linked with the shared library alone, so that all of it is exported; a function of the headers that has no test
   here fails the first test. The functions stand in api/.

     test_api FOLDER_OF_THE_HEADERS */
#include "api/api.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/wait.h>

void old_message(void)
{
    ritz_cell cell;
    assert_int_equal(ritz_cell_from_name("an old message", &cell), RITZ_ERROR_INPUT);
}

void expect_status(ritz_status status, ritz_status expected, const char *call)
{
    if (status != expected)
        fail_msg("%s: status %d instead of %d (%s)", call, (int)status, (int)expected, ritz_message());
    if (strlen(ritz_message()) < 10 || strstr(ritz_message(), "an old message"))
        fail_msg("%s: no message: %s", call, ritz_message());
}

/* ---- What the functions are called with ---- */

ritz_device *device;
ritz_mesh *mesh;
ritz_space *space;
ritz_form *form;
ritz_matrix *matrix;
ritz_solver *solver;
ritz_problem *problem;
const int64_t row_start[] = {0, 2, 4, 5};
const int32_t columns[] = {0, 1, 0, 1, 2};
const double values[] = {2, 1, 1, 3, 4}, ones[] = {1, 1, 1};
const char problem_text[] = "mesh: {box: {cells: [1, 1, 1], cell: tet}}\nphysics: poisson\nmaterials:\n"
                            "  - {conductivity: 1}\nboundary:\n  - {group: x0, value: 0}\noutput: none\n";
char scratch[64];

void make_matrix(ritz_device *on, ritz_matrix **made)
{
    OK(ritz_matrix_create(on, NULL, 1, N, row_start, columns, values, made));
}

static int make_all(void **state)
{
    (void)state;
    const ritz_box box = {.cell = RITZ_TET, .cells = {1, 1, 1}};
    snprintf(scratch, sizeof scratch, "/tmp/ritz-api-%ld", (long)getpid());
    OK(ritz_device_open(getenv("RITZ_TEST_DEVICE"), &device));
    OK(ritz_mesh_box(&box, &mesh));
    OK(ritz_space_create(mesh, 1, 1, &space));
    OK(ritz_form_create("poisson", 3, &form));
    make_matrix(device, &matrix);
    OK(ritz_solver_create(matrix, NULL, &solver));
    OK(ritz_problem_parse(problem_text, NULL, NULL, 0, &problem));
    return 0;
}

static int end_all(void **state)
{
    (void)state;
    unlink(scratch);
    ritz_problem_destroy(&problem);
    ritz_solver_destroy(&solver);
    ritz_matrix_destroy(&matrix);
    ritz_form_destroy(&form);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
    ritz_device_close(&device);
    return 0;
}

/* ---- Whether all are tried ---- */

enum { MOST_ENTRIES = 256 };
static struct api_entry table[MOST_ENTRIES];
static int n_entries;

static void take_table(const struct api_entry *entries)
{
    for (; entries->name; entries++)
        if (n_entries < MOST_ENTRIES)
            table[n_entries++] = *entries;
}

/* The functions that a header declares, each marked in found[MOST_ENTRIES]. */
static void read_header(const char *folder, const char *name, bool *found)
{
    char path[4096], line[512], function[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        const char *end = strchr(line, '('), *start = end;
        if (strncmp(line, "RITZ_API ", 9) != 0)
            continue;
        while (start && start > line && start[-1] != ' ' && start[-1] != '*')
            start--;
        assert_true(start && end > start);
        snprintf(function, sizeof function, "%.*s", (int)(end - start), start);
        int i = 0;
        while (i < n_entries && strcmp(table[i].name, function) != 0)
            i++;
        if (i == n_entries)
            fail_msg("%s declares %s: it needs a test here and a line in the table", name, function);
        found[i] = true;
    }
    fclose(file);
}

const char *headers;

static void every_function_is_here(void **state)
{
    (void)state;
    bool found[MOST_ENTRIES] = {false};
    DIR *folder = opendir(headers);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.')
            read_header(headers, entry->d_name, found);
    closedir(folder);
    for (int i = 0; i < n_entries; i++) {
        assert_non_null(table[i].function);
        if (!found[i])
            fail_msg("no header declares %s", table[i].name);
    }
}

static void run_entry(void **state)
{
    const struct api_entry *entry = *state;
    entry->test();
}

/* ---- The first device opened by four threads at once, in processes that did not open one before ---- */

static pthread_barrier_t barrier;

static void *open_one(void *opened)
{
    ritz_device *d = NULL;
    pthread_barrier_wait(&barrier);
    *(bool *)opened = ritz_device_open(getenv("RITZ_TEST_DEVICE"), &d) == RITZ_OK;
    ritz_device_close(&d);
    return NULL;
}

static int open_at_once(void)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    bool opened[THREADS] = {false};
    int failed = pthread_barrier_init(&barrier, NULL, THREADS);
    for (int t = 0; t < THREADS; t++)
        failed += pthread_create(&thread[t], NULL, open_one, &opened[t]) != 0;
    for (int t = 0; t < THREADS && !failed; t++)
        pthread_join(thread[t], NULL);
    for (int t = 0; t < THREADS; t++)
        failed += !opened[t];
    return failed;
}

static int failed_processes;

static void start_of_four_threads(void **state)
{
    (void)state;
    assert_int_equal(failed_processes, 0);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return fprintf(stderr, "usage: test_api FOLDER_OF_THE_HEADERS\n"), 2;
    headers = argv[1];
    for (int i = 0; i < 5; i++) { /* before this process starts a driver */
        int ended = 1;
        const pid_t child = fork();
        if (child == 0)
            _exit(open_at_once());
        failed_processes += child < 0 || waitpid(child, &ended, 0) != child || ended != 0;
    }
    take_table(api_base);
    take_table(api_elements);
    take_table(api_matrices);
    take_table(api_assembly);
    take_table(api_device_elements);
    take_table(api_vectors);
    static struct CMUnitTest tests[MOST_ENTRIES + 3] = {
        {"every function is here", every_function_is_here, NULL, NULL, NULL},
        {"four threads open the first device", start_of_four_threads, NULL, NULL, NULL},
        {"handles of another device", handles_of_another_device, NULL, NULL, NULL}};
    for (int i = 0; i < n_entries; i++)
        tests[i + 3] = (struct CMUnitTest){table[i].name, run_entry, NULL, NULL, (void *)&table[i]};
    return _cmocka_run_group_tests("api", tests, (size_t)n_entries + 3, make_all, end_all);
}
