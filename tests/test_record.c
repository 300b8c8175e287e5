/* Record files and files of element matrices, read back by HDF5 itself. */
#include "output/record.h"

#include <dirent.h>
#include <hdf5.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != RITZ_OK)                                                                                         \
            fail_msg("%s: %s", #call, ritz_message());                                                                 \
    } while (0)

static char folder[] = "/tmp/ritz-record-XXXXXX";
static char path_memory[128];

static const char *in_folder(const char *name)
{
    snprintf(path_memory, sizeof path_memory, "%s/%s", folder, name);
    return path_memory;
}

static int n_files(void)
{
    int n = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        n += entry->d_name[0] != '.';
    closedir(directory);
    return n;
}

static ritz_record_field number_field(const char *name, double value)
{
    ritz_record_field field = {.kind = RITZ_FIELD_NUMBER, .number = value};
    snprintf(field.name, sizeof field.name, "%s", name);
    return field;
}

static ritz_record_field integer(const char *name, int64_t value)
{
    ritz_record_field field = {.kind = RITZ_FIELD_INTEGER, .integer = value};
    snprintf(field.name, sizeof field.name, "%s", name);
    return field;
}

static ritz_record_field text(const char *name, const char *value)
{
    ritz_record_field field = {.kind = RITZ_FIELD_TEXT};
    snprintf(field.name, sizeof field.name, "%s", name);
    snprintf(field.text, sizeof field.text, "%s", value);
    return field;
}

/* Reads a whole dataset of at most `most` values; returns how many there are. */
static int read_dataset(const char *path, const char *name, hid_t type, int most, void *values)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, name, H5P_DEFAULT),
          space = H5Dget_space(set);
    const int n = (int)H5Sget_simple_extent_npoints(space);
    assert_true(set >= 0 && n <= most);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
    return n;
}

static int read_texts(const char *path, const char *name, int most, char **values)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const int n = read_dataset(path, name, type, most, values);
    H5Tclose(type);
    return n;
}

/* Three runs with different columns: each has a row in every column. */
static void test_columns(void **unused)
{
    (void)unused;
    const char *path = in_folder("runs.h5");
    const ritz_record_field first[] = {text("method", "lanes"), number_field("seconds.kernel", 0.5),
                                       integer("elements", 7)};
    const ritz_record_field second[] = {text("method", "qss"), number_field("seconds.kernel", 0.25),
                                        integer("parts", 3)};
    OK(ritz_record_append(path, "integrate", first, 3));
    OK(ritz_record_append(path, "integrate", second, 3));
    OK(ritz_record_append(path, "integrate", first, 1));
    OK(ritz_record_append(path, "solve", first, 1));
    double kernel[4];
    int64_t elements[4], parts[4];
    char *methods[4];
    assert_int_equal(read_dataset(path, "/integrate/seconds.kernel", H5T_NATIVE_DOUBLE, 4, kernel), 3);
    assert_true(kernel[0] == 0.5 && kernel[1] == 0.25 && isnan(kernel[2]));
    assert_int_equal(read_dataset(path, "/integrate/elements", H5T_NATIVE_INT64, 4, elements), 3);
    assert_true(elements[0] == 7 && elements[1] == -1 && elements[2] == -1);
    assert_int_equal(read_dataset(path, "/integrate/parts", H5T_NATIVE_INT64, 4, parts), 3);
    assert_true(parts[0] == -1 && parts[1] == 3 && parts[2] == -1);
    assert_int_equal(read_texts(path, "/integrate/method", 4, methods), 3);
    assert_string_equal(methods[0], "lanes");
    assert_string_equal(methods[1], "qss");
    assert_string_equal(methods[2], "lanes");
    for (int k = 0; k < 3; k++)
        H5free_memory(methods[k]);
    assert_int_equal(read_texts(path, "/solve/method", 4, methods), 1);
    H5free_memory(methods[0]);

    const ritz_record_field other[] = {number_field("method", 1)};
    assert_int_equal(ritz_record_append(path, "integrate", other, 1), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "column method of another type"));
    assert_int_equal(read_dataset(path, "/integrate/elements", H5T_NATIVE_INT64, 4, elements), 3); /* as it was */
    assert_int_equal(n_files(), 1);
    unlink(path);
}

static void write_text(const char *path, const char *content, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(content, 1, bytes, file), bytes);
    fclose(file);
}

/* Files that are no record files are refused and stay as they are. */
static void test_refused(void **unused)
{
    (void)unused;
    const ritz_record_field field = integer("elements", 7);
    const char *path = in_folder("bad.h5");
    write_text(path, "not HDF5", 8);
    assert_int_equal(ritz_record_append(path, "integrate", &field, 1), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "is not an HDF5 file, or is a damaged one"));
    assert_int_equal(access(path, R_OK), 0);
    unlink(path);

    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_int_equal(ritz_record_append(path, "integrate", &field, 1), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "holds no records of runs"));
    unlink(path);

    char content[65536]; /* a record file cut short */
    OK(ritz_record_append(path, "integrate", &field, 1));
    FILE *whole = fopen(path, "rb");
    const size_t bytes = fread(content, 1, sizeof content, whole);
    fclose(whole);
    write_text(path, content, bytes / 2);
    assert_int_equal(ritz_record_append(path, "integrate", &field, 1), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "broken"));
    unlink(path);

    assert_int_equal(ritz_record_append("/no-such-folder/runs.h5", "integrate", &field, 1), RITZ_ERROR_FILE);
    assert_int_equal(n_files(), 0);
}

/* Processes that append at the same time lose no run. */
static void test_processes(void **unused)
{
    (void)unused;
    enum { PROCESSES = 4, RUNS = 5 };
    const char *path = in_folder("many.h5");
    for (int p = 0; p < PROCESSES; p++)
        if (fork() == 0) {
            int failures = 0;
            for (int k = 0; k < RUNS; k++) {
                const ritz_record_field field = integer("elements", p * RUNS + k);
                failures += ritz_record_append(path, "integrate", &field, 1) != RITZ_OK;
            }
            _exit(failures);
        }
    for (int p = 0; p < PROCESSES; p++) {
        int result = 1;
        wait(&result);
        assert_int_equal(result, 0);
    }
    int64_t elements[PROCESSES * RUNS], sum = 0;
    assert_int_equal(read_dataset(path, "/integrate/elements", H5T_NATIVE_INT64, PROCESSES * RUNS, elements),
                     PROCESSES * RUNS);
    for (int k = 0; k < PROCESSES * RUNS; k++)
        sum += elements[k];
    assert_int_equal(sum, PROCESSES * RUNS * (PROCESSES * RUNS - 1) / 2);
    unlink(path);
}

/* Element matrices in two pieces; degrees of freedom and where they are; nothing under the name before the end. */
static void test_element_file(void **unused)
{
    (void)unused;
    enum { CELLS = 4, ROWS = 8 };
    const ritz_box box = {.cell = RITZ_QUAD, .cells = {2, 2}, .size = {2, 2}};
    const char *path = in_folder("Ae.h5");
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    ritz_element_file *file = NULL;
    double matrices[CELLS * ROWS * ROWS], vectors[CELLS * ROWS], read[CELLS * ROWS * ROWS], coordinates[18 * 2];
    int64_t dofs[CELLS * ROWS];
    for (int k = 0; k < CELLS * ROWS * ROWS; k++)
        matrices[k] = k + 0.5;
    for (int k = 0; k < CELLS * ROWS; k++)
        vectors[k] = -k;
    OK(ritz_mesh_box(&box, &mesh));
    OK(ritz_space_create(mesh, 1, 2, &space));
    OK(ritz_element_file_create(path, space, &space->batches[0], 2, RITZ_F32, &file));
    assert_int_not_equal(access(path, F_OK), 0);
    OK(ritz_element_file_write(file, 0, 3, matrices, vectors));
    OK(ritz_element_file_write(file, 3, 1, matrices + 3 * ROWS * ROWS, vectors + 3 * ROWS));
    const ritz_record_field fields[] = {text("form", "plane-stress"), integer("order", 1),
                                        number_field("seconds.kernel", 0.5)};
    OK(ritz_element_file_finish(&file, fields, 3));
    assert_null(file);
    assert_int_equal(read_dataset(path, "matrices", H5T_NATIVE_DOUBLE, CELLS * ROWS * ROWS, read), CELLS * ROWS * ROWS);
    assert_memory_equal(read, matrices, sizeof matrices); /* numbers that f32 holds */
    assert_int_equal(read_dataset(path, "vectors", H5T_NATIVE_DOUBLE, CELLS * ROWS, read), CELLS * ROWS);
    assert_memory_equal(read, vectors, sizeof vectors);
    assert_int_equal(read_dataset(path, "cell_dofs", H5T_NATIVE_INT64, CELLS * ROWS, dofs), CELLS * ROWS);
    assert_int_equal(read_dataset(path, "dof_coordinates", H5T_NATIVE_DOUBLE, 18 * 2, coordinates), 18 * 2);
    const ritz_mesh_block *block = space->batches[0].block;
    for (int row = 0; row < CELLS * ROWS; row++) /* order 1: the degrees of freedom stand at the cell's vertices */
        for (int d = 0; d < 2; d++)
            assert_true(coordinates[dofs[row] * 2 + d] == mesh->nodes[3 * block->nodes[row / 2] + d] &&
                        dofs[row] % 2 == row % 2);
    unlink(path);

    OK(ritz_element_file_create(path, space, &space->batches[0], 2, RITZ_F64, &file)); /* given up */
    OK(ritz_element_file_write(file, 0, 1, matrices, vectors));
    ritz_element_file_destroy(&file);
    assert_int_equal(n_files(), 0);
    assert_int_equal(ritz_element_file_create("/no-such-folder/Ae.h5", space, &space->batches[0], 2, RITZ_F64, &file),
                     RITZ_ERROR_FILE);
    assert_int_equal(ritz_element_file_create(folder, space, &space->batches[0], 2, RITZ_F64, &file), RITZ_ERROR_FILE);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
}

/* Each allocation in turn fails: a status, and no file. */
static void test_failing_allocations(void **unused)
{
    (void)unused;
    const ritz_record_field field = integer("elements", 7);
    const char *path = in_folder("none.h5");
    int64_t n = 1;
    for (;; n++) {
        ritz_fail_allocation(n);
        const ritz_status status = ritz_record_append(path, "integrate", &field, 1);
        ritz_fail_allocation(0);
        if (status == RITZ_OK)
            break;
        assert_int_equal(status, RITZ_ERROR_MEMORY);
        assert_int_equal(n_files(), 0);
    }
    assert_true(n > 2);
    unlink(path);
}

static int make_folder(void **unused)
{
    (void)unused;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **unused)
{
    (void)unused;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_processes), cmocka_unit_test(test_element_file),
                                       cmocka_unit_test(test_failing_allocations)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
