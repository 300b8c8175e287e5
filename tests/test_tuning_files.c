/* Tables of measured constants in files: what is written is read back and goes before the table that is built in; a file
   that is cut, old, damaged, of another device or not writable is told, and the built-in values serve. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "device/device.h"
#include "device/tuning.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define OK(call) assert_int_equal((call), RITZ_OK)

static const ritz_device_info card = {
    .name = "Some Card 9", .vendor = "Vendor", .driver = "1.2.3", .kind = RITZ_DEVICE_GPU};
static const char rows[] = "# by hand\nproduct.group name:Some_Card_9 96\nintegrate.parameters name:Some_Card_9 "
                           "rows=2,columns=4 lanes=1 tet=1 # ns\n";
static char folder[64] = "/tmp/ritz-tuning-XXXXXX", path[96], told[4096];

static void take_line(const char *line, void *context)
{
    (void)context;
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s\n", line);
}

static int group(void)
{
    return (int)ritz_tuned(&card, RITZ_PRODUCT_GROUP, NULL, 0);
}

static void load_files(void)
{
    told[0] = '\0';
    OK(ritz_tuning_load(&card));
}

static void put_text(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static char *content(void)
{
    static char text[4096];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void written_is_read(void **state)
{
    (void)state;
    char *back = NULL, text[RITZ_TUNED_TEXT];
    const ritz_fact facts[] = {{"lanes", 1}, {"tet", 1}};
    load_files();
    assert_int_equal(group(), 128);                                                      /* as built in */
    assert_non_null(strstr(told, "warning: there is no tuning file /tmp/ritz-tuning-")); /* that RITZ_TUNING names */
    load_files();
    assert_string_equal(told, ""); /* it was told */
    OK(ritz_tuning_write(&card, rows));
    assert_int_equal(group(), 128); /* what was loaded stays until a device is opened */
    load_files();
    assert_int_equal(group(), 96);
    ritz_tuned_text(&card, RITZ_INTEGRATE_PARAMETERS, facts, 2, NULL, NULL, text);
    assert_string_equal(text, "rows=2,columns=4");
    ritz_tuned_text(&card, RITZ_INTEGRATE_PARAMETERS, facts, 1, NULL, NULL, text);
    assert_string_equal(text, "none");
    OK(ritz_tuning_read(&card, &back));
    assert_string_equal(back, rows);
    ritz_free(back);
    assert_non_null(strstr(content(), "device Some Card 9\ndriver 1.2.3\n"));
    ritz_device_info other = card;
    strcpy(other.driver, "2"); /* nothing was loaded for it */
    assert_int_equal((int)ritz_tuned(&other, RITZ_PRODUCT_GROUP, NULL, 0), 128);
    OK(ritz_tuning_override("product.group * 3\n"));
    assert_int_equal(group(), 3);
    OK(ritz_tuning_override(NULL));
    assert_int_equal(group(), 96);
    assert_string_equal(told, "");
}

static bool is_first(void *context, const char *value, char why[RITZ_TUNED_WHY])
{
    snprintf(why, RITZ_TUNED_WHY, "for '%s' is not '%s'", value, (const char *)context);
    return strcmp(value, context) == 0;
}

/* A row whose value does not serve is told once with its file, and the next row, or the next table, gives the value. */
static void passed_over(void **state)
{
    (void)state;
    static const char own[] = "integrate.method * one\nintegrate.method name:Some_Card_9 two # 5 ns\n"
                              "integrate.method name:Some_Card_9 three\nintegrate.method gpu four tet=1\n";
    static const struct {
        const char *serves, *taken;
        int n_passed;
    } cases[] = {{"two", "two", 0}, {"three", "three", 1}, {"one", "one", 1}, {"lanes", "lanes", 1}, {"five", "", 0}};
    char text[RITZ_TUNED_TEXT];
    OK(ritz_tuning_write(&card, own));
    load_files();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        int n = 0;
        told[0] = '\0';
        ritz_tuned_text(&card, RITZ_INTEGRATE_METHOD, NULL, 0, is_first, (void *)cases[k].serves, text);
        assert_string_equal(text, cases[k].taken);
        for (const char *at = told; *at; at = strchr(at, '\n') + 1, n++)
            assert_non_null(strstr(told, path));
        if (k == 1)
            assert_non_null(
                strstr(told, "the row 'integrate.method name:Some_Card_9 two' is passed over, for 'two' is not"));
        assert_int_equal(n, cases[k].n_passed);
        told[0] = '\0';
        ritz_tuned_text(&card, RITZ_INTEGRATE_METHOD, NULL, 0, is_first, (void *)cases[k].serves, text);
        assert_string_equal(text, cases[k].taken);
        assert_string_equal(told, "");
    }
}

static ritz_status add_row(void *context, const char *now, char **changed)
{
    return ritz_format(changed, "%sproduct.group name:Some_Card_9 96 block=%d\n", now, *(int *)context);
}

/* Processes that change the file at once all find their rows in it. */
static void changed_at_once(void **state)
{
    (void)state;
    enum { PROCESSES = 8, ROWS = 20 };
    char *back = NULL;
    int64_t n = 0;
    OK(ritz_tuning_write(&card, rows));
    for (int p = 0; p < PROCESSES; p++)
        if (fork() == 0) {
            int failed = 0;
            for (int k = 0; k < ROWS; k++) {
                int number = p * ROWS + k;
                char *now = NULL;
                failed += ritz_tuning_change(&card, add_row, &number, &now) != RITZ_OK;
                ritz_free(now);
            }
            _exit(failed != 0);
        }
    for (int p = 0, how; p < PROCESSES; p++) {
        assert_true(wait(&how) > 0);
        assert_int_equal(how, 0);
    }
    OK(ritz_tuning_read(&card, &back));
    OK(ritz_tuning_check(back, &n));
    assert_int_equal(n, 2 + PROCESSES * ROWS);
    ritz_free(back);
}

/* Cut after any of its bytes, the file is told and not used. */
static void cut(void **state)
{
    (void)state;
    char whole[4096];
    OK(ritz_tuning_write(&card, rows));
    strcpy(whole, content());
    for (size_t n = 0; n + 1 < strlen(whole); n++) {
        char part[4096];
        snprintf(part, sizeof part, "%.*s", (int)n, whole);
        put_text(part);
        load_files();
        if (group() != 128 || !strstr(told, "warning") || !strstr(told, path))
            fail_msg("%d bytes: %d, '%s'", (int)n, group(), told);
    }
    put_text(whole);
    load_files();
    assert_int_equal(group(), 96);
}

static void spoilt(const char *from, const char *to, const char *words)
{
    char text[4096], *at;
    OK(ritz_tuning_write(&card, rows));
    strcpy(text, content());
    at = strstr(text, from);
    assert_non_null(at);
    char rest[4096];
    strcpy(rest, at + strlen(from));
    sprintf(at, "%s%s", to, rest);
    put_text(text);
    load_files();
    if (group() != 128 || !strstr(told, "warning") || !strstr(told, words))
        fail_msg("'%s' for '%s': %d, '%s'", to, from, group(), told);
}

static void old_or_of_another_device(void **state)
{
    (void)state;
    spoilt("ritz tuning 1", "ritz tuning 0", "another version");
    spoilt("Some Card 9\n", "Some Card 8\n", "of device 'Some Card 8', not 'Some Card 9'");
    spoilt("1.2.3", "1.2.2", "of driver");
    spoilt("library 0", "library 9", "of library");
    spoilt("end 2", "end 3", "2 rows where its last line says 3");
    spoilt("product.group", "product.grope", "line 2");
    spoilt("lanes=1", "lanes", "line 3");
    spoilt(" 96", " many", "line 2");
    spoilt(" 96", " 0", "line 2"); /* what is divided by */
    spoilt(" 96", " -64", "line 2");
    spoilt(" 96", " nan", "line 2");
    spoilt(" 96", " 1e18", "line 2");
    spoilt("end 2", "end 2\nproduct.group * 64", "goes on after 'end'");
    spoilt("end 2", "end 2x", "goes on after 'end'");
}

/* Where a file has to be there, what is wrong with it is the error. */
static void has_to_be_there(void **state)
{
    (void)state;
    char *back = NULL;
    OK(ritz_tuning_write(&card, rows));
    OK(ritz_tuning_read_existing(&card, &back));
    assert_string_equal(back, rows);
    ritz_free(back);
    put_text("ritz tuning 1\nproduct.group * 96\n");
    assert_int_equal(ritz_tuning_read_existing(&card, &back), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "it was cut"));
    assert_non_null(strstr(ritz_message(), path));
    put_text("ritz tuning 1\nend 0\n");
    assert_int_equal(ritz_tuning_read_existing(&card, &back), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "has no rows"));
    assert_null(back);
    unlink(path);
    assert_int_equal(ritz_tuning_read_existing(&card, &back), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "there is no file"));
    setenv("RITZ_TUNING", "none", 1);
    assert_int_equal(ritz_tuning_read_existing(&card, &back), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "is 'none'"));
    setenv("RITZ_TUNING", path, 1);
    assert_null(back);
}

static void not_writable(void **state)
{
    (void)state;
    setenv("RITZ_TUNING", "/proc/tuning.txt", 1);
    assert_int_equal(ritz_tuning_write(&card, rows), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "RITZ_TUNING names"));
    assert_non_null(strstr(ritz_message(), "no file can be made in the folder /proc"));
    setenv("RITZ_TUNING", path, 1);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(ritz_tuning_write(&card, rows), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "it is a folder"));
    load_files();
    assert_int_equal(group(), 128);
    assert_non_null(strstr(told, "warning"));
    rmdir(path);
    setenv("RITZ_TUNING", "none", 1);
    assert_int_equal(ritz_tuning_write(&card, rows), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "RITZ_TUNING"));
    setenv("RITZ_TUNING", path, 1);
    assert_int_equal(ritz_tuning_write(&card, "product.grope * 1\n"), RITZ_ERROR_INPUT);
    assert_int_equal(access(path, F_OK), -1);
}

/* A table that is shipped stands beside the program here. It goes before the one that is built in and after the user's; one
   that is cut is told and left out, and of what it was measured on nothing has to fit. */
static void beside_program(const char *table)
{
    for (int whole = 0; whole < 2; whole++) {
        FILE *file = fopen(table, "w");
        assert_non_null(file);
        fprintf(file,
                "ritz tuning 1\ndevice Another\nproduct.group family:Some_Card 7\nmatrix.lanes family:Some_Card 5\n%s",
                whole ? "end 2\n" : "");
        fclose(file);
        unlink(path);
        load_files();
        assert_int_equal(group(), whole ? 7 : 128);
        assert_int_equal(strstr(told, table) == NULL, whole);
    }
    OK(ritz_tuning_write(&card, rows));
    load_files();
    assert_int_equal(group(), 96);
    assert_int_equal((int)ritz_tuned(&card, RITZ_MATRIX_LANES, NULL, 0), 5);
    OK(ritz_tuning_load_tables(&card, RITZ_TABLES_SHIPPED));
    assert_int_equal(group(), 7);
    OK(ritz_tuning_load_tables(&card, RITZ_TABLES_BUILT_IN));
    assert_int_equal(group(), 128);
    OK(ritz_tuning_load_tables(&card, RITZ_TABLES_ALL));
    assert_int_equal(group(), 96);
    setenv("RITZ_TUNING", "none", 1);
    load_files();
    assert_int_equal(group(), 128);
    setenv("RITZ_TUNING", path, 1);
}

static void copy_program(const char *to)
{
    char part[1 << 16];
    FILE *in = fopen("/proc/self/exe", "rb"), *out = fopen(to, "wb");
    assert_true(in && out);
    for (size_t n; (n = fread(part, 1, sizeof part, in)) > 0;)
        assert_int_equal(fwrite(part, 1, n, out), n);
    fclose(in);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(chmod(to, 0700), 0);
}

/* Done by a copy of this program in a folder of its own, so that nothing has to be written where this one stands. */
static void shipped(void **state)
{
    (void)state;
    char copy[128], place[160], table[192], command[512];
    snprintf(copy, sizeof copy, "%s/program", folder);
    copy_program(copy);
    static const char *const folders[] = {"share", "share/ritz", "share/ritz/tuning"};
    for (int f = 0; f < 3; f++) {
        snprintf(place, sizeof place, "%s/%s", folder, folders[f]);
        assert_int_equal(mkdir(place, 0700), 0);
    }
    snprintf(table, sizeof table, "%s/test.txt", place);
    snprintf(command, sizeof command, "%s --beside %s", copy, table);
    const int how = system(command);
    snprintf(command, sizeof command, "rm -r %s/share %s", folder, copy);
    assert_int_equal(system(command), 0);
    if (WIFEXITED(how) && WEXITSTATUS(how) == 126) {
        print_message("no program can be started in %s\n", folder);
        skip();
    }
    assert_int_equal(how, 0);
}

/* Each table that this tree ships: read as the user's own on the device that its head names, where its rows hold. */
static void shipped_ones(void **state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob(RITZ_SOURCE_DIR "/share/ritz/tuning/*.txt", 0, NULL, &found), 0);
    for (size_t k = 0; k < found.gl_pathc; k++) {
        ritz_device_info device = card;
        char *measured = NULL, selector[RITZ_TUNED_TEXT + 8];
        FILE *file = fopen(found.gl_pathv[k], "r");
        assert_non_null(file);
        assert_int_equal(fscanf(file, "ritz tuning 1\ndevice %255[^\n]\ndriver %127[^\n]", device.name, device.driver),
                         2);
        fclose(file);
        setenv("RITZ_TUNING", found.gl_pathv[k], 1);
        OK(ritz_tuning_read(&device, &measured));
        ritz_tuning_selector(&device, selector);
        assert_non_null(measured);
        for (const char *row = measured; *row; row = strchr(row, '\n') + 1)
            assert_non_null(strstr(row, selector));
        ritz_free(measured);
    }
    globfree(&found);
    setenv("RITZ_TUNING", path, 1);
}

static char *the_table;
static void shipped_beside(void **state)
{
    (void)state;
    beside_program(the_table);
}

/* One file a device and driver in the cache folder. */
static void place(void **state)
{
    (void)state;
    char *first = NULL, *second = NULL;
    ritz_device_info other = card;
    strcpy(other.driver, "2");
    unsetenv("RITZ_TUNING");
    setenv("RITZ_CACHE_DIR", folder, 1);
    OK(ritz_tuning_path(&card, &first));
    OK(ritz_tuning_path(&other, &second));
    assert_non_null(strstr(first, folder));
    assert_string_not_equal(first, second);
    ritz_free(first);
    ritz_free(second);
    setenv("RITZ_CACHE_DIR", "none", 1);
    OK(ritz_tuning_path(&card, &first));
    assert_null(first);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest beside[] = {cmocka_unit_test(shipped_beside)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_is_read),
        cmocka_unit_test(passed_over),
        cmocka_unit_test(changed_at_once),
        cmocka_unit_test(cut),
        cmocka_unit_test(old_or_of_another_device),
        cmocka_unit_test(has_to_be_there),
        cmocka_unit_test(not_writable),
        cmocka_unit_test(shipped),
        cmocka_unit_test(shipped_ones),
        cmocka_unit_test(place),
    };
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/own.txt", folder);
    setenv("RITZ_TUNING", path, 1);
    ritz_set_log(take_line, NULL);
    the_table = argc == 3 ? argv[2] : NULL;
    const int failed =
        the_table ? cmocka_run_group_tests(beside, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(folder);
    return failed;
}
