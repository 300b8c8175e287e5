/* Result files: their bytes and their failures; recovered stress against exact fields. */
#include "arrays.h"
#include "base/fresh.h"
#include "output/hdf.h"
#include "stress.h"

#include <dirent.h>
#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* after the headers it needs */
#include <cmocka.h>

static char folder[] = "/tmp/ritz_output_XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Files in the test's folder: what a failed write must not leave behind. */
static int count_files(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    while (readdir(d) != NULL)
        n++;
    closedir(d);
    return n - 2;
}

static void make_space(ritz_cell cell, int order, double distort, ritz_mesh **mesh, ritz_space **space)
{
    ritz_box box = {.cell = cell, .cells = {3, 2, 2}, .size = {1, 0.7, 0.5}, .distort = distort};
    assert_int_equal(ritz_mesh_box(&box, mesh), RITZ_OK);
    assert_int_equal(ritz_space_create(*mesh, order, ritz_cell_dim(cell), space), RITZ_OK);
}

static ritz_status write_hexes(const char *path, int divisions)
{
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    ritz_box box = {.cell = RITZ_HEX, .cells = {divisions, divisions, divisions}};
    assert_int_equal(ritz_mesh_box(&box, &mesh), RITZ_OK);
    assert_int_equal(ritz_space_create(mesh, 3, 1, &space), RITZ_OK);
    double *values = malloc(sizeof *values * (size_t)space->n_nodes);
    for (int32_t n = 0; n < space->n_nodes; n++)
        values[n] = space->coordinates[3 * n];
    ritz_field field = {"x", 1, values};
    const size_t n = strlen(path);
    const bool xml = n > 4 && strcmp(path + n - 4, ".vtu") == 0;
    ritz_status status = (xml ? ritz_write_result : ritz_write_vtkhdf)(path, space, &field, 1);
    free(values);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
    return status;
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    fclose(f);
    return bytes;
}

static void same_input_gives_the_same_bytes(void **state)
{
    (void)state;
    static const char *const names[] = {"same.vtkhdf", "same.vtu"};
    size_t size[2][2];
    char *bytes[2][2];
    for (int k = 0; k < 2; k++) {
        for (int n = 0; n < 2; n++) {
            assert_int_equal(write_hexes(in_folder(names[n]), 4), RITZ_OK);
            bytes[k][n] = read_whole(in_folder(names[n]), &size[k][n]);
        }
        if (k == 0)
            sleep(1); /* a time in a header would differ now */
    }
    for (int n = 0; n < 2; n++) {
        assert_int_equal(size[0][n], size[1][n]);
        assert_memory_equal(bytes[0][n], bytes[1][n], size[0][n]);
        free(bytes[0][n]);
        free(bytes[1][n]);
        unlink(in_folder(names[n]));
    }
    assert_int_equal(count_files(), 0);
}

static bool holds_text(const char *bytes, size_t size, const char *text)
{
    const size_t n = strlen(text);
    for (size_t i = 0; i + n <= size; i++)
        if (memcmp(bytes + i, text, n) == 0)
            return true;
    return false;
}

static void endings_tell_the_format(void **state)
{
    (void)state;
    static const struct {
        const char *name, *start, *components;
    } files[] = {{"a.vtkhdf", "\x89HDF\r\n", "XX YY ZZ XY YZ XZ"},
                 {"a.HDF", "\x89HDF\r\n", "components"},
                 {"a.b.vtu", "<?xml ", "ComponentName3=\"XY\" ComponentName4=\"YZ\" ComponentName5=\"XZ\""}};
    static const char *const others[] = {"a", "a.vtk", "a.vtu.gz", "a.h5", ".vtu/a"};
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    make_space(RITZ_TRI, 1, 0, &mesh, &space);
    double *values = calloc((size_t)space->n_nodes * 6, sizeof *values);
    const ritz_field field = {"stress", 6, values};
    for (int f = 0; f < 3; f++) {
        size_t size;
        const char *path = in_folder(files[f].name);
        assert_int_equal(ritz_write_result(path, space, &field, 1), RITZ_OK);
        char *bytes = read_whole(path, &size);
        assert_memory_equal(bytes, files[f].start, 6);
        assert_true(holds_text(bytes, size, files[f].components));
        free(bytes);
        unlink(path);
    }
    for (int o = 0; o < 5; o++) {
        assert_int_equal(ritz_write_result(in_folder(others[o]), space, &field, 1), RITZ_ERROR_INPUT);
        assert_non_null(strstr(ritz_message(), ".vtkhdf (or .hdf)"));
    }
    assert_int_equal(ritz_write_vtkhdf(in_folder("a.vtu"), space, &field, 1), RITZ_ERROR_INPUT);
    assert_int_equal(count_files(), 0);
    free(values);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
}

static void bad_paths_are_told(void **state)
{
    (void)state;
    assert_int_equal(write_hexes(folder, 1), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "is a folder"));
    assert_int_equal(write_hexes(in_folder("none/part.vtkhdf"), 1), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "does not exist"));
    assert_int_equal(write_hexes("", 1), RITZ_ERROR_INPUT);
    FILE *f = fopen(in_folder("file"), "w");
    fclose(f);
    assert_int_equal(write_hexes(in_folder("file/part.vtkhdf"), 1), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "is not a folder"));
    unlink(in_folder("file"));
    assert_int_equal(count_files(), 0);
}

/* Starts this program again for one job that changes its process's user or limits; true when the job succeeded. A plain
   fork would not do: OpenMP's threads do not live on in a forked child, and HDF5's clean-up at exit is part of what is
   tested. */
static bool in_child(const char *job)
{
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        execl("/proc/self/exe", "test_output", job, folder, (char *)NULL);
        _exit(3);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool write_without_permission(void)
{
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        return false;
    return write_hexes(in_folder("part.vtkhdf"), 1) == RITZ_ERROR_FILE &&
           strstr(ritz_message(), "not writable") != NULL;
}

static void a_folder_that_is_not_writable_is_told(void **state)
{
    (void)state;
    chmod(folder, 0555);
    bool told = in_child("without-permission");
    chmod(folder, 0755);
    assert_true(told);
    assert_int_equal(count_files(), 0);
}

/* The size limit of a process is seen before the write reaches it, which would end the process by SIGXFSZ. */
static bool write_past_the_limit(void)
{
    struct rlimit limit = {100000, 100000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return false;
    for (int k = 0; k < 2; k++)
        if (write_hexes(in_folder(k ? "part.vtu" : "part.vtkhdf"), 8) != RITZ_ERROR_FILE ||
            strstr(ritz_message(), "larger than") == NULL)
            return false;
    return true;
}

static void a_write_that_fails_halfway_leaves_nothing(void **state)
{
    (void)state;
    assert_true(in_child("past-the-limit"));
    assert_int_equal(count_files(), 0);
}

static void too_little_room_is_told_before_writing(void **state)
{
    (void)state;
    ritz_hdf *hdf = NULL;
    assert_int_equal(ritz_hdf_create(in_folder("part.vtkhdf"), (int64_t)1 << 60, &hdf), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "too full"));
    assert_null(hdf);
    assert_int_equal(count_files(), 0);
}

static void interrupt_output(const char *stage, double fraction, void *context)
{
    (void)fraction;
    if (strcmp(stage, "output") == 0) {
        assert_int_equal(count_files(), *(const int *)context);
        ritz_interrupt();
    }
}

static void an_old_result_outlives_a_failed_write(void **state)
{
    (void)state;
    FILE *f = fopen(in_folder("part.vtkhdf"), "w");
    fputs("old", f);
    fclose(f);
    for (int names = 0; names < 2; names++) {
        int n_files = 1 + names; /* the unfinished one is seen where files have names all along */
        ritz_fresh_use_names(names);
        ritz_set_progress(interrupt_output, &n_files);
        assert_int_equal(write_hexes(in_folder("part.vtkhdf"), 2), RITZ_INTERRUPTED);
        ritz_set_progress(NULL, NULL);
        ritz_clear_interrupt();
        assert_int_equal(count_files(), 1);
    }
    char text[8] = "";
    f = fopen(in_folder("part.vtkhdf"), "r");
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    assert_string_equal(text, "old");
    assert_int_equal(write_hexes(in_folder("part.vtkhdf"), 2), RITZ_OK);
    assert_int_equal(count_files(), 1);
    ritz_fresh_use_names(false);
    assert_int_equal(write_hexes(in_folder("part.vtkhdf"), 2), RITZ_OK);
    assert_int_equal(count_files(), 1);
    unlink(in_folder("part.vtkhdf"));
}

/* Ends this process in the middle of a write, as a kill or a library's abort would. */
static void end_output(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    raise(*(const int *)context);
}

static bool write_and_die(int signal_number, bool names)
{
    ritz_fresh_use_names(names);
    signal(signal_number, SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    ritz_set_progress(end_output, &signal_number);
    write_hexes(in_folder("part.vtkhdf"), 2);
    return true;
}

static void a_killed_write_leaves_nothing(void **state)
{
    (void)state;
    static const char *const jobs[] = {"kill", "abort", "hang-up"};
    for (int j = 0; j < 3; j++) {
        assert_false(in_child(jobs[j]));
        assert_int_equal(count_files(), 0);
    }
}

/* Where files have names all along, the next write to the same path removes what a dead process left, not what a living
   one is about to finish. */
static void a_dead_write_goes_with_the_next(void **state)
{
    (void)state;
    ritz_fresh living = {0};
    assert_false(in_child("kill-with-names"));
    assert_int_equal(count_files(), 1);
    ritz_fresh_use_names(true);
    assert_int_equal(ritz_fresh_create(in_folder("part.vtu"), 0, &living), RITZ_OK);
    ritz_fresh_use_names(false);
    assert_int_equal(count_files(), 2); /* that of another path stays */
    assert_int_equal(write_hexes(in_folder("part.vtkhdf"), 1), RITZ_OK);
    assert_int_equal(count_files(), 2);
    ritz_fresh second = {0};
    assert_int_equal(ritz_fresh_create(in_folder("part.vtu"), 0, &second), RITZ_OK);
    assert_int_equal(count_files(), 2);
    ritz_fresh_drop(&second);
    assert_int_equal(ritz_fresh_finish(&living, 3), RITZ_OK);
    assert_int_equal(count_files(), 2);
    unlink(in_folder("part.vtu"));
    unlink(in_folder("part.vtkhdf"));
    assert_int_equal(count_files(), 0);
}

static void bad_fields_are_refused(void **state)
{
    (void)state;
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    make_space(RITZ_TET, 1, 0, &mesh, &space);
    double *values = calloc((size_t)space->n_nodes * 6, sizeof *values);
    const char *path = in_folder("part.vtkhdf");
    ritz_field two[] = {{"u", 1, values}, {"u", 1, values}};
    assert_int_equal(ritz_write_vtkhdf(path, space, two, 2), RITZ_ERROR_INPUT);
    assert_int_equal(ritz_write_vtkhdf(path, space, &(ritz_field){"u", 2, values}, 1), RITZ_ERROR_INPUT);
    assert_int_equal(ritz_write_vtkhdf(path, space, &(ritz_field){"a/b", 1, values}, 1), RITZ_ERROR_INPUT);
    assert_int_equal(ritz_write_vtkhdf(path, space, &(ritz_field){"u", 1, NULL}, 1), RITZ_ERROR_INPUT);
    values[7] = NAN;
    assert_int_equal(ritz_write_vtkhdf(path, space, &(ritz_field){"u", 1, values}, 1), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "node 7"));
    assert_int_equal(count_files(), 0);
    free(values);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    make_space(RITZ_PRISM, 3, 0.2, &mesh, &space);
    double *values = calloc((size_t)space->n_nodes, sizeof *values);
    ritz_field field = {"u", 1, values};
    for (int k = 0; k < 4; k++) {
        const char *path = in_folder(k % 2 ? "part.vtu" : "part.vtkhdf");
        int n = 1;
        ritz_fresh_use_names(k > 1);
        for (; n < 300; n++) {
            ritz_fail_allocation(n);
            ritz_status status = ritz_write_result(path, space, &field, 1);
            ritz_fail_allocation(0);
            if (status == RITZ_OK)
                break;
            assert_int_equal(status, RITZ_ERROR_MEMORY);
            assert_int_equal(count_files(), 0);
        }
        assert_true(n > 20 && n < 300);
        unlink(path);
    }
    ritz_fresh_use_names(false);
    free(values);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
}

/* A displacement field u_c = sum_a G[c][a] x_a + sum_ab H[c][a][b] x_a x_b. */
static const double G[3][3] = {{1.0, 0.3, -0.2}, {0.5, -0.7, 0.4}, {-0.1, 0.6, 0.9}};
static const double H[3][3][3] = {{{0.5, 0.2, 0.1}, {0, -0.4, 0.3}, {0, 0, 0.6}},
                                  {{-0.3, 0.7, 0.2}, {0, 0.1, -0.5}, {0, 0, 0.4}},
                                  {{0.2, -0.1, 0.8}, {0, 0.3, 0.1}, {0, 0, -0.6}}};

static void displacement_at(int dim, double quadratic, const double *x, double *u)
{
    for (int c = 0; c < dim; c++) {
        u[c] = 0;
        for (int a = 0; a < dim; a++) {
            u[c] += G[c][a] * x[a];
            for (int b = a; b < dim; b++)
                u[c] += quadratic * H[c][a][b] * x[a] * x[b];
        }
    }
}

/* The stress of that field, from the textbook's compliance matrices solved for each state. */
static void stress_at(int dim, const char *kind, double quadratic, const double *x, double E, double nu, double *s)
{
    double e[3][3] = {{0}};
    for (int c = 0; c < dim; c++) {
        for (int d = 0; d < dim; d++) {
            double slope = G[c][d];
            for (int a = 0; a < dim; a++)
                for (int b = a; b < dim; b++)
                    slope += quadratic * H[c][a][b] * ((a == d) * x[b] + (b == d) * x[a]);
            e[c][d] += 0.5 * slope;
            e[d][c] += 0.5 * slope;
        }
    }
    double shear = E / (1 + nu);
    if (strcmp(kind, "plane-stress") == 0) {
        s[0] = E / (1 - nu * nu) * (e[0][0] + nu * e[1][1]);
        s[1] = E / (1 - nu * nu) * (e[1][1] + nu * e[0][0]);
        s[2] = 0;
    } else {
        double f = E / ((1 + nu) * (1 - 2 * nu));
        s[0] = f * ((1 - nu) * e[0][0] + nu * (e[1][1] + e[2][2]));
        s[1] = f * ((1 - nu) * e[1][1] + nu * (e[0][0] + e[2][2]));
        s[2] = f * ((1 - nu) * e[2][2] + nu * (e[0][0] + e[1][1]));
    }
    s[3] = shear * e[0][1];
    s[4] = shear * e[1][2];
    s[5] = shear * e[0][2];
}

static void check_stress(ritz_cell cell, int order, const char *kind, double quadratic)
{
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    const double E = 210, nu = 0.3;
    make_space(cell, order, 0.2, &mesh, &space);
    int dim = space->dim;
    double *u = malloc(sizeof *u * (size_t)(space->n_nodes * dim)), *s = malloc(sizeof *s * 6 * (size_t)space->n_nodes);
    const ritz_datum young = {.value = E}, poisson = {.value = nu};
    for (int32_t n = 0; n < space->n_nodes; n++)
        displacement_at(dim, quadratic, space->coordinates + (int64_t)n * dim, u + (int64_t)n * dim);
    assert_int_equal(recover_stress(space, kind, &young, &poisson, 0, u, s), RITZ_OK);
    for (int32_t n = 0; n < space->n_nodes; n++) {
        double exact[6];
        stress_at(dim, kind, quadratic, space->coordinates + (int64_t)n * dim, E, nu, exact);
        for (int k = 0; k < 6; k++)
            if (!(fabs(s[6 * n + k] - exact[k]) < 1e-9))
                fail_msg("%s order %d: stress %d at node %d is %g, not %g", ritz_cell_name(cell), order, k, n,
                         s[6 * n + k], exact[k]);
    }
    free(u);
    free(s);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
}

static void stress_is_exact_on_polynomials(void **state)
{
    (void)state;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        for (int order = 1; order <= (ritz_cell_dim((ritz_cell)cell) == 2 ? RITZ_MAX_ORDER : 4); order++) {
            for (int quadratic = 0; quadratic <= (order > 1); quadratic++) {
                if (ritz_cell_dim((ritz_cell)cell) == 3) {
                    check_stress((ritz_cell)cell, order, "elasticity", quadratic);
                } else {
                    check_stress((ritz_cell)cell, order, "plane-stress", quadratic);
                    check_stress((ritz_cell)cell, order, "plane-strain", quadratic);
                }
            }
        }
    }
}

/* The largest error of the stress at nodes, of u_c = sin(x + 2 y + c) at the nodes and moduli that vary: E = exp(x),
   nu = 0.1 + 0.2 y. */
static double stress_error(ritz_cell cell, int order, int n)
{
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    ritz_expression *e = NULL, *nu = NULL;
    static const char *const names[] = {"x", "y", "z"};
    ritz_box box = {.cell = cell, .cells = {n, n, n}};
    assert_int_equal(ritz_mesh_box(&box, &mesh), RITZ_OK);
    assert_int_equal(ritz_space_create(mesh, order, ritz_cell_dim(cell), &space), RITZ_OK);
    assert_int_equal(ritz_expression_create("exp(x)", names, 3, &e), RITZ_OK);
    assert_int_equal(ritz_expression_create("0.1 + 0.2*y", names, 3, &nu), RITZ_OK);
    const ritz_expression *young[] = {e}, *poisson[] = {nu};
    const ritz_datum of_e = {.kind = RITZ_DATA_EXPRESSION, .expressions = young, .n_expressions = 1},
                     of_nu = {.kind = RITZ_DATA_EXPRESSION, .expressions = poisson, .n_expressions = 1};
    const int dim = space->dim;
    double *u = malloc(sizeof *u * (size_t)(space->n_nodes * dim)), *s = malloc(sizeof *s * 6 * (size_t)space->n_nodes);
    double worst = 0;
    for (int64_t k = 0; k < space->n_nodes; k++)
        for (int c = 0; c < dim; c++)
            u[k * dim + c] = sin(space->coordinates[k * dim] + 2 * space->coordinates[k * dim + 1] + c);
    assert_int_equal(recover_stress(space, dim == 3 ? "elasticity" : "plane-strain", &of_e, &of_nu, 0, u, s), RITZ_OK);
    for (int64_t k = 0; k < space->n_nodes; k++) {
        const double *x = space->coordinates + k * dim, sum = x[0] + 2 * x[1], v = 0.1 + 0.2 * x[1];
        const double xx = cos(sum), yy = 2 * cos(sum + 1), f = exp(x[0]) / ((1 + v) * (1 - 2 * v));
        worst = fmax(worst, fabs(s[6 * k] - f * ((1 - v) * xx + v * yy)));
        worst = fmax(worst, fabs(s[6 * k + 1] - f * ((1 - v) * yy + v * xx)));
        worst = fmax(worst, fabs(s[6 * k + 3] - exp(x[0]) / (2 * (1 + v)) * (2 * cos(sum) + cos(sum + 1))));
    }
    free(u);
    free(s);
    ritz_expression_destroy(&e);
    ritz_expression_destroy(&nu);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
    return worst;
}

static void stress_of_varying_moduli_converges_by_the_full_order(void **state)
{
    (void)state;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        for (int order = 2; order <= 3; order++) {
            const double coarse = stress_error((ritz_cell)cell, order, 4),
                         fine = stress_error((ritz_cell)cell, order, 8);
            print_message("%s, order %d: %.2e -> %.2e (%.2f)\n", ritz_cell_name((ritz_cell)cell), order, coarse, fine,
                          log2(coarse / fine));
            assert_true(log2(coarse / fine) > order - 0.3);
        }
}

static void a_node_averages_its_cells_by_volume(void **state)
{
    (void)state;
    /* Two triangles of areas 1/2 and 1 that share an edge, with different moduli, under uniform strain e_xx = 1, nu =
       0: sigma_xx is E in each, and (E1 / 2 + E2) / 1.5 on the shared edge. */
    const double x[] = {0, 0, 1, 0, 0, 1, 2, 1};
    const int32_t vertices[] = {0, 1, 2, 1, 3, 2};
    const double young[] = {4, 10};
    double u[8], s[24];
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    assert_int_equal(mesh_from_arrays(RITZ_TRI, 4, x, 2, vertices, &mesh), RITZ_OK);
    assert_int_equal(ritz_space_create(mesh, 1, 2, &space), RITZ_OK);
    for (int n = 0; n < 4; n++) {
        u[2 * n] = space->coordinates[2 * n];
        u[2 * n + 1] = 0;
    }
    const ritz_datum poisson = {.value = 0};
    const ritz_datum e = {.kind = RITZ_DATA_ELEMENT,
                          .values =
                              mesh->blocks[0].number[0] <= mesh->blocks[0].number[1] ? young : (const double[]){10, 4}};
    assert_int_equal(recover_stress(space, "plane-stress", &e, &poisson, 0, u, s), RITZ_OK);
    for (int n = 0; n < 4; n++) {
        double px = space->coordinates[2 * n], py = space->coordinates[2 * n + 1];
        double exact = px + py == 0 ? 4 : px == 2 ? 10 : (4 * 0.5 + 10 * 1.0) / 1.5;
        assert_true(fabs(s[6 * n] - exact) < 1e-12);
        assert_true(fabs(s[6 * n + 1]) < 1e-12);
    }
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
}

/* Enough cells for several threads, each of its own moduli. On tets of order 1 the stress is constant in a cell; a node
   has the mean of its cells, by their volumes. */
static void stress_does_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    double *moduli, *u, *s[2], *in_cells = NULL, worst = 0;
    int threads = omp_get_max_threads(), n_points;
    const ritz_box box = {.cell = RITZ_TET, .cells = {9, 9, 9}, .distort = 0.2};
    assert_int_equal(ritz_mesh_box(&box, &mesh), RITZ_OK);
    assert_int_equal(ritz_space_create(mesh, 1, 3, &space), RITZ_OK);
    const ritz_space_batch *batch = &space->batches[0];
    const size_t n_values = 6 * (size_t)space->n_nodes;
    double *sum = calloc(n_values, sizeof *sum), *volume = calloc((size_t)space->n_nodes, sizeof *volume);
    int32_t *cells = malloc(sizeof *cells * (size_t)batch->n_cells);
    moduli = malloc(sizeof *moduli * (size_t)batch->n_cells);
    u = malloc(sizeof *u * 3 * (size_t)space->n_nodes);
    for (int32_t e = 0; e < batch->n_cells; e++) {
        cells[e] = e;
        moduli[e] = 1 + 0.01 * (e % 100);
    }
    for (int32_t n = 0; n < space->n_nodes; n++)
        displacement_at(3, 1, space->coordinates + (int64_t)n * 3, u + (int64_t)n * 3);
    const ritz_datum young = {.kind = RITZ_DATA_ELEMENT, .values = moduli}, poisson = {.value = 0.3};
    for (int k = 0; k < 2; k++) {
        s[k] = malloc(n_values * sizeof *s[k]);
        omp_set_num_threads(k == 0 ? 1 : 5);
        assert_int_equal(recover_stress(space, "elasticity", &young, &poisson, 0, u, s[k]), RITZ_OK);
    }
    omp_set_num_threads(threads);
    assert_memory_equal(s[0], s[1], n_values * sizeof *s[0]);
    const ritz_datum *const data[RITZ_MAX_POINT_DATA] = {&young, &poisson};
    assert_int_equal(ritz_evaluate_in_cells(space, 0, field_of("elasticity", "stress"), data, 0, u, NULL,
                                            batch->n_cells, cells, &n_points, &in_cells),
                     RITZ_OK);
    for (int32_t e = 0; e < batch->n_cells; e++) {
        const int32_t *nodes = batch->cell_nodes + 4 * (int64_t)e;
        double d[3][3];
        for (int v = 0; v < 3; v++)
            for (int x = 0; x < 3; x++)
                d[v][x] = space->coordinates[3 * nodes[v + 1] + x] - space->coordinates[3 * nodes[0] + x];
        const double v = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
                         d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
                         d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
        for (int i = 0; i < 4; i++) {
            volume[nodes[i]] += v;
            for (int k = 0; k < 6; k++)
                sum[6 * nodes[i] + k] += v * in_cells[(int64_t)6 * n_points * e + k];
        }
    }
    for (size_t i = 0; i < n_values; i++)
        worst = fmax(worst, fabs(s[0][i] - sum[i] / volume[i / 6]));
    assert_true(worst < 1e-12);
    free(sum);
    free(volume);
    free(cells);
    free(in_cells);
    free(moduli);
    free(u);
    free(s[0]);
    free(s[1]);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
}

static void von_mises_of_known_states(void **state)
{
    (void)state;
    const double s[4][6] = {{7, 0, 0, 0, 0, 0}, {3, 3, 3, 0, 0, 0}, {0, 0, 0, 2, 0, 0}, {0, -5, 0, 0, 0, 0}};
    double v[4];
    field_of("elasticity", "von_mises")->derive(4, &s[0][0], NULL, v);
    assert_true(fabs(v[0] - 7) < 1e-14 && fabs(v[1]) < 1e-14 && fabs(v[2] - 2 * sqrt(3)) < 1e-14 &&
                fabs(v[3] - 5) < 1e-14);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL || chmod(folder, 0755) != 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static bool do_job(const char *job)
{
    return strcmp(job, "past-the-limit") == 0       ? write_past_the_limit()
           : strcmp(job, "without-permission") == 0 ? write_without_permission()
           : strcmp(job, "abort") == 0              ? write_and_die(SIGABRT, false)
           : strcmp(job, "hang-up") == 0            ? write_and_die(SIGHUP, false)
                                                    : write_and_die(SIGKILL, strcmp(job, "kill-with-names") == 0);
}

/* Bit patterns, quotients, halves in the last digit, and what lies about powers of ten. */
static void numbers_of_frd_files_are_those_of_printf(void **state)
{
    (void)state;
    uint64_t bits = 88172645463325252U;
    for (int i = 0; i < 400000; i++) {
        char own[RITZ_FRD_REAL + 1] = "", known[32];
        double value;
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        memcpy(&value, &bits, sizeof value);
        value = i % 4 == 1   ? (double)(bits % 4000000000U) / (double)(1 + (bits >> 40) % 1000)
                : i % 4 == 2 ? ((double)(bits % 20000001U) - 1e7) * 0.5
                : i % 4 == 3 ? pow(10, (int)(bits % 38) - 19) * (1 + ((int)(bits >> 32 & 7) - 3) * 1e-16)
                             : value;
        if (!isfinite(value))
            continue;
        ritz_frd_put_real(own, value);
        snprintf(known, sizeof known, "%12.5E", value);
        if (strlen(known) > RITZ_FRD_REAL)
            memmove(strchr(known, 'E'), strchr(known, 'E') + 1, strlen(strchr(known, 'E')));
        assert_string_equal(own, known);
    }
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        snprintf(folder, sizeof folder, "%s", argv[2]);
        return !do_job(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_input_gives_the_same_bytes),
        cmocka_unit_test(endings_tell_the_format),
        cmocka_unit_test(bad_paths_are_told),
        cmocka_unit_test(a_folder_that_is_not_writable_is_told),
        cmocka_unit_test(a_write_that_fails_halfway_leaves_nothing),
        cmocka_unit_test(too_little_room_is_told_before_writing),
        cmocka_unit_test(an_old_result_outlives_a_failed_write),
        cmocka_unit_test(a_killed_write_leaves_nothing),
        cmocka_unit_test(a_dead_write_goes_with_the_next),
        cmocka_unit_test(bad_fields_are_refused),
        cmocka_unit_test(failed_allocations_are_reported),
        cmocka_unit_test(stress_is_exact_on_polynomials),
        cmocka_unit_test(stress_of_varying_moduli_converges_by_the_full_order),
        cmocka_unit_test(a_node_averages_its_cells_by_volume),
        cmocka_unit_test(stress_does_not_depend_on_the_number_of_threads),
        cmocka_unit_test(von_mises_of_known_states),
        cmocka_unit_test(numbers_of_frd_files_are_those_of_printf),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
