/* The base room: messages, allocation that fails, sorting into buckets, numbers by first use, text, nearest words, hashes,
   whole files, temporary files, the cache, interruption. */
#include "base/buckets.h"
#include "base/cache.h"
#include "base/first_use.h"
#include "base/fresh.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static void test_messages(void **state)
{
    (void)state;
    assert_int_equal(ritz_fail(RITZ_ERROR_FILE, "line %d", 7), RITZ_ERROR_FILE);
    assert_string_equal(ritz_message(), "line 7");
    assert_int_equal(ritz_fail_context(RITZ_ERROR_FILE, "%s: ", "part.msh"), RITZ_ERROR_FILE);
    assert_string_equal(ritz_message(), "part.msh: line 7");
    char *large = malloc(20000);
    memset(large, 'x', 19999);
    large[19999] = '\0';
    ritz_fail(RITZ_ERROR_INPUT, "%s", large); /* cut, not overrun */
    assert_true(strlen(ritz_message()) > 1000 && strlen(ritz_message()) < 19999);
    ritz_fail_context(RITZ_ERROR_INPUT, "%s", large);
    ritz_fail_context(RITZ_ERROR_INPUT, "in front: ");
    assert_memory_equal(ritz_message(), "in front: x", 11);
    free(large);
}

static ritz_status make_three(int64_t count)
{
    ritz_status status = RITZ_OK;
    double *a = NULL;
    char *b = NULL, *c = NULL;
    RITZ_NEW(a, count);
    for (int64_t i = 0; i < count; i++)
        RITZ_REQUIRE(a[i] == 0, RITZ_ERROR_INPUT, "memory is not zeroed");
    RITZ_RESIZE(a, 2 * count);
    RITZ_TRY(ritz_format(&b, "%d and %s", 12, "text"));
    RITZ_TRY(ritz_copy_text(b, &c));
    RITZ_REQUIRE(strcmp(c, "12 and text") == 0, RITZ_ERROR_INPUT, "wrong text '%s'", c);
done:
    ritz_free(a);
    ritz_free(b);
    ritz_free(c);
    return status;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    ritz_fail_allocation(0);
    assert_int_equal(make_three(100), RITZ_OK);
    int64_t n = ritz_fail_allocation(0);
    assert_true(n >= 4);
    for (int64_t i = 1; i <= n; i++) {
        ritz_fail_allocation(i);
        assert_int_equal(make_three(100), RITZ_ERROR_MEMORY);
        assert_non_null(strstr(ritz_message(), "memory"));
    }
    ritz_fail_allocation(0);
    assert_int_equal(make_three(0), RITZ_OK);
    assert_int_equal(make_three(INT64_MAX / 4), RITZ_ERROR_MEMORY); /* bytes would overflow */
    assert_int_equal(make_three(-1), RITZ_ERROR_MEMORY);
}

static void test_text(void **state)
{
    (void)state;
    ritz_text text = {0};
    char *data = NULL;
    for (int i = 0; i < 1000; i++)
        ritz_text_add(&text, "%d,", i % 10);
    assert_int_equal(ritz_text_take(&text, &data), RITZ_OK);
    assert_int_equal(strlen(data), 2000);
    for (int i = 0; i < 1000; i++)
        assert_true(data[2 * i] == '0' + i % 10 && data[2 * i + 1] == ',');
    assert_null(text.data);
    ritz_free(data);

    data = NULL;
    assert_int_equal(ritz_text_take(&text, &data), RITZ_OK); /* empty text is text */
    assert_string_equal(data, "");
    ritz_free(data);

    data = NULL;
    ritz_fail_allocation(1); /* a failed append is reported at the end */
    ritz_text_add(&text, "lost");
    ritz_text_add(&text, "more");
    ritz_fail_allocation(0);
    assert_int_equal(ritz_text_take(&text, &data), RITZ_ERROR_MEMORY);
    assert_null(data);
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const words[] = {"devices", "integrate", "solve", "materials"};
    assert_string_equal(ritz_nearest("devics", words, 4), "devices");
    assert_string_equal(ritz_nearest("sovle", words, 4), "solve");
    assert_string_equal(ritz_nearest("material", words, 4), "materials");
    assert_string_equal(ritz_nearest("solve", words, 4), "solve");
    assert_null(ritz_nearest("zebra-crossing", words, 4));
    assert_null(ritz_nearest("solve", words, 0));
}

static void test_names(void **state)
{
    (void)state;
    static const char *const colours[] = {"red", "green", "blue"};
    const ritz_name_table table = {.what = "colour", .names = colours, .n = 3}, key = {.what = "key", .of = "a box"};
    int value = -1;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ritz_find_name(&table, colours[i], &value), RITZ_OK);
        assert_int_equal(value, i);
        assert_string_equal(ritz_name_at(&table, i), colours[i]);
        assert_int_equal(ritz_check_value(&table, i), RITZ_OK);
    }
    assert_int_equal(ritz_find_name(&table, "gren", &value), RITZ_ERROR_INPUT);
    assert_string_equal(ritz_message(), "unknown colour 'gren'; did you mean 'green'? Choices: red, green, blue");
    assert_int_equal(ritz_find_name(&table, "", &value), RITZ_ERROR_INPUT);
    assert_string_equal(ritz_message(), "unknown colour ''; choices: red, green, blue");
    assert_int_equal(value, 2);
    assert_int_equal(ritz_refuse_name(&key, "colour", NULL), RITZ_ERROR_INPUT);
    assert_string_equal(ritz_message(), "unknown key 'colour' in a box; choices: ");
    assert_int_equal(ritz_refuse_name(&table, "rouge", "red"), RITZ_ERROR_INPUT);
    assert_string_equal(ritz_message(), "unknown colour 'rouge'; did you mean 'red'? Choices: red, green, blue");
    assert_int_equal(ritz_check_value(&table, 3), RITZ_ERROR_INPUT);
    assert_string_equal(ritz_message(), "colour 3 does not exist; choices: red, green, blue");
    assert_int_equal(ritz_check_value(&table, -1), RITZ_ERROR_INPUT);
    assert_string_equal(ritz_name_at(&table, 3), "unknown");
    assert_string_equal(ritz_name_at(&table, -1), "unknown");
    char list[8];
    assert_string_equal(ritz_list_names(colours, 3, list, sizeof list), "red, gr");
    assert_string_equal(ritz_list_names(colours, 0, list, sizeof list), "");
}

/* Values that the algorithm's authors publish. */
static void test_hash(void **state)
{
    (void)state;
    assert_true(ritz_hash("", 0, 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(ritz_hash("a", 1, 0) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(ritz_hash("foobar", 6, 0) == UINT64_C(0x85944171f73967e8));
    assert_true(ritz_hash("bar", 3, ritz_hash("foo", 3, 0)) == ritz_hash("foobar", 6, 0));
}

static void test_temporaries(void **state)
{
    (void)state;
    char removed[] = "/tmp/ritz-test-base-XXXXXX", kept[] = "/tmp/ritz-test-base-XXXXXX";
    int first = mkstemp(removed), second = mkstemp(kept);
    assert_true(first >= 0 && second >= 0);
    close(first);
    close(second);
    assert_int_equal(ritz_temporary_add(removed), RITZ_OK);
    assert_int_equal(ritz_temporary_add(kept), RITZ_OK);
    ritz_temporary_forget(kept);
    ritz_remove_temporaries();
    assert_int_equal(access(removed, F_OK), -1);
    assert_int_equal(access(kept, F_OK), 0);
    unlink(kept);
    ritz_temporary_forget(removed);

    char path[32];
    ritz_status status = RITZ_OK;
    int n = 0; /* the table is finite, and says when it is full */
    for (; n < 1000 && status == RITZ_OK; n++) {
        snprintf(path, sizeof path, "/nonexistent/%d", n);
        status = ritz_temporary_add(path);
    }
    assert_int_equal(status, RITZ_ERROR_FILE);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "/nonexistent/%d", i);
        ritz_temporary_forget(path);
    }
    assert_int_equal(ritz_temporary_add("/nonexistent/0"), RITZ_OK);
    ritz_temporary_forget("/nonexistent/0");
}

static bool holds_text(const char *path, const char *text)
{
    char found[16] = "";
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const bool same = fgets(found, sizeof found, file) && strcmp(found, text) == 0;
    fclose(file);
    return same;
}

static void put_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* One generation is kept, at a failure and when the program leaves at once; a run that has written its own keeps none. */
static void test_earlier(void **state)
{
    (void)state;
    char folder[] = "/tmp/ritz-test-base-XXXXXX", path[64], aside[64], *name = NULL;
    ritz_earlier earlier;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.b.vtu", folder);
    snprintf(aside, sizeof aside, "%s/a.b.old.vtu", folder);
    for (int k = 0; k < 2; k++) {
        put_text(path, k ? "second" : "first");
        ritz_fail(RITZ_ERROR_INPUT, "failed");
        assert_int_equal(ritz_earlier_watch(path, &earlier), RITZ_OK);
        ritz_earlier_put_aside(&earlier, &name);
        assert_string_equal(name, aside);
        assert_true(strncmp(ritz_message(), "failed; ", 8) == 0 && strstr(ritz_message(), aside));
        assert_true(holds_text(aside, k ? "second" : "first") && access(path, F_OK) != 0);
        ritz_free(name);
        name = NULL;
    }
    assert_int_equal(ritz_earlier_watch(path, &earlier), RITZ_OK); /* nothing stands there */
    ritz_earlier_put_aside(&earlier, &name);
    assert_true(name == NULL && holds_text(aside, "second"));
    put_text(path, "third");
    assert_int_equal(ritz_earlier_watch(path, &earlier), RITZ_OK);
    ritz_earlier_forget(&earlier);
    ritz_remove_temporaries();
    assert_true(ritz_renamed_result() == NULL && holds_text(path, "third"));
    assert_int_equal(ritz_earlier_watch(path, &earlier), RITZ_OK);
    ritz_remove_temporaries();
    assert_string_equal(ritz_renamed_result(), aside);
    assert_true(holds_text(aside, "third") && access(path, F_OK) != 0);
    ritz_earlier_forget(&earlier);
    unlink(aside);
    assert_int_equal(rmdir(folder), 0);
}

static void expect_content(const char *path, int64_t most, const char *wanted)
{
    char *content = NULL;
    int64_t bytes = 0;
    assert_int_equal(ritz_read_file(path, most, &content, &bytes), RITZ_OK);
    assert_int_equal(bytes, strlen(wanted));
    assert_string_equal(content, wanted);
    ritz_free(content);
}

/* Files, also empty ones and those longer than asked for; a pipe, whose size no one knows; a folder and nothing. */
static void test_whole_files(void **state)
{
    (void)state;
    enum { MANY = 300000 };
    char path[] = "/tmp/ritz-whole-XXXXXX", pipe_path[40], *content = NULL, *many = NULL;
    int64_t bytes = 0;
    int file = mkstemp(path), ends[2];
    assert_true(file >= 0);
    expect_content(path, INT64_MAX, "");
    assert_int_equal(write(file, "abcdef", 6), 6);
    expect_content(path, INT64_MAX, "abcdef");
    expect_content(path, 6, "abcdef");
    expect_content(path, 4, "abcd");
    close(file);
    unlink(path);
    assert_int_equal(pipe(ends), 0);
    pid_t writer = fork();
    if (writer == 0) {
        char text[MANY];
        memset(text, 'x', MANY);
        _exit(write(ends[1], text, MANY) == MANY ? 0 : 1);
    }
    close(ends[1]);
    assert_int_equal(ritz_allocate((void **)&many, MANY + 1, 1), RITZ_OK);
    memset(many, 'x', MANY);
    many[MANY] = '\0';
    snprintf(pipe_path, sizeof pipe_path, "/dev/fd/%d", ends[0]);
    expect_content(pipe_path, INT64_MAX, many);
    close(ends[0]);
    assert_int_equal(waitpid(writer, NULL, 0), writer);
    ritz_free(many);
    assert_int_equal(ritz_read_file("/tmp", INT64_MAX, &content, &bytes), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "/tmp: cannot be read: Is a directory"));
    assert_int_equal(ritz_read_file(path, INT64_MAX, &content, &bytes), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "cannot be opened: No such file"));
    assert_null(content);
}

static void test_cache_directory(void **state)
{
    (void)state;
    char folder[] = "/tmp/ritz-test-base-XXXXXX", deep[64], *path = NULL;
    struct stat found;
    assert_non_null(mkdtemp(folder));
    snprintf(deep, sizeof deep, "%s/a/b", folder);
    setenv("RITZ_CACHE_DIR", deep, 1);
    assert_int_equal(ritz_cache_directory(&path), RITZ_OK);
    assert_string_equal(path, deep);
    assert_true(stat(deep, &found) == 0 && S_ISDIR(found.st_mode));
    ritz_free(path);
    path = NULL;
    unsetenv("RITZ_CACHE_DIR");
    setenv("XDG_CACHE_HOME", folder, 1);
    assert_int_equal(ritz_cache_directory(&path), RITZ_OK);
    assert_true(strncmp(path, folder, strlen(folder)) == 0 && strcmp(path + strlen(folder), "/ritz") == 0);
    rmdir(path);
    ritz_free(path);
    path = NULL;
    setenv("RITZ_CACHE_DIR", "/proc/nowhere", 1);
    assert_int_equal(ritz_cache_directory(&path), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "/proc/nowhere"));
    assert_null(path);
    rmdir(deep);
    *strrchr(deep, '/') = '\0';
    rmdir(deep);
    assert_int_equal(rmdir(folder), 0);
}

static void test_interrupt(void **state)
{
    (void)state;
    assert_int_equal(ritz_check_interrupt(), RITZ_OK);
    ritz_interrupt();
    assert_true(ritz_is_interrupted());
    assert_int_equal(ritz_check_interrupt(), RITZ_INTERRUPTED);
    ritz_clear_interrupt();
    assert_int_equal(ritz_check_interrupt(), RITZ_OK);
}

static void keep_line(const char *line, void *context)
{
    snprintf(context, 64, "%s", line);
}

static void keep_fraction(const char *stage, double fraction, void *context)
{
    snprintf(context, 64, "%s %.2f", stage, fraction);
}

static void test_log_and_progress(void **state)
{
    (void)state;
    char line[64] = "";
    ritz_log("unheard");
    ritz_progress("unseen", 0.5);
    ritz_set_log(keep_line, line);
    ritz_log("row %d", 3);
    assert_string_equal(line, "row 3");
    ritz_set_log(NULL, NULL);
    ritz_set_progress(keep_fraction, line);
    ritz_progress("solve", 0.25);
    assert_string_equal(line, "solve 0.25");
    ritz_set_progress(NULL, NULL);
}

static void test_numbers(void **state)
{
    (void)state;
    assert_int_equal(ritz_round_up(0, 8), 0);
    assert_int_equal(ritz_round_up(1, 8), 8);
    assert_int_equal(ritz_round_up(8, 8), 8);
    assert_true(ritz_round_up((INT64_C(1) << 40) + 1, 64) == (INT64_C(1) << 40) + 64);
    double start = ritz_seconds();
    assert_true(ritz_seconds() >= start);
    assert_true(ritz_peak_host_bytes() > 100000);
}

static void given_buckets(const void *context, int64_t first, int n, int32_t *bucket)
{
    memcpy(bucket, (const int32_t *)context + first, (size_t)n * sizeof *bucket);
}

/* Every item once, in its bucket, and increasing there: buckets that grow with the items, as those of cells do, and any. */
static void test_buckets(void **state)
{
    (void)state;
    enum { ITEMS = 200001, BUCKETS = 5000 };
    static int32_t bucket[ITEMS];
    for (int kind = 0; kind < 3; kind++) {
        const int64_t n = kind == 2 ? 0 : ITEMS;
        int64_t *start = NULL, *items = NULL;
        uint32_t random = 1;
        for (int32_t i = 0; i < ITEMS; i++) {
            random = random * 1664525u + 1013904223u;
            const int32_t any = (int32_t)((random >> 8) % (BUCKETS - 100)), near = i / 41 + any % 100;
            bucket[i] = kind == 0 && any % 16 ? near : any;
        }
        assert_int_equal(ritz_fill_buckets(n, BUCKETS, given_buckets, bucket, &start, &items), RITZ_OK);
        assert_int_equal(start[0], 0);
        assert_int_equal(start[BUCKETS], n);
        for (int32_t b = 0; b < BUCKETS; b++)
            for (int64_t k = start[b]; k < start[b + 1]; k++) {
                assert_int_equal(bucket[items[k]], b);
                assert_true(k == start[b] || items[k] > items[k - 1]);
            }
        ritz_free(start);
        ritz_free(items);
    }
}

/* Two lists of cells, one after the other, against a walk; values come several times in a cell, too. */
static void test_first_uses(void **state)
{
    (void)state;
    enum { CELLS = 30001, WIDTH = 3, STRIDE = 4, VALUES = 9000 };
    static int32_t values[2 * CELLS][STRIDE], number[VALUES], expected[VALUES], first[CELLS + 1];
    int32_t next = 0, walked = 0;
    uint32_t random = 1;
    for (int32_t i = 0; i < 2 * CELLS * STRIDE; i++) {
        random = random * 1664525u + 1013904223u;
        values[i / STRIDE][i % STRIDE] = (int32_t)((random >> 8) % 10 + (uint32_t)i / (i < CELLS * STRIDE ? 20 : 27));
    }
    memset(number, -1, sizeof number);
    memset(expected, -1, sizeof expected);
    for (int list = 0; list < 2; list++) {
        const ritz_uses uses = {CELLS, WIDTH, STRIDE, values[list * CELLS]};
        ritz_number_first_uses(&uses, number, &next, list ? first : NULL);
        for (int32_t c = 0; c < CELLS; c++) {
            if (list)
                assert_int_equal(first[c], walked);
            for (int i = 0; i < WIDTH; i++)
                if (expected[values[list * CELLS + c][i]] < 0)
                    expected[values[list * CELLS + c][i]] = walked++;
        }
        assert_int_equal(next, walked);
        assert_memory_equal(number, expected, sizeof number);
    }
    assert_int_equal(first[CELLS], walked);
}

/* The cache gives back what was stored, for its kind and key alone; entries that were not used longest make room. */
static void test_cache(void **state)
{
    (void)state;
    char cache[] = "/tmp/ritz-base-XXXXXX", command[64];
    unsigned char content[1000] = {7}, *data = NULL;
    int64_t bytes = 0;
    assert_non_null(mkdtemp(cache));
    setenv("RITZ_CACHE_DIR", cache, 1);
    static const char *const keys[] = {"first", "second", "third"};
    for (int k = 0; k < 3; k++) {
        ritz_cache_store("thing", keys[k], content, sizeof content);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    ritz_cache_store("other", "first", content, 1);
    ritz_cache_load("thing", "fourth", &data, &bytes);
    assert_null(data);
    ritz_cache_load("thing", "first", &data, &bytes); /* which is the last used by that */
    assert_int_equal(bytes, sizeof content);
    assert_memory_equal(data, content, sizeof content);
    ritz_free(data);
    ritz_cache_trim("thing", 2500);
    static const bool stay[] = {true, false, true};
    for (int k = 0; k < 3; k++) {
        ritz_cache_load("thing", keys[k], &data, &bytes);
        assert_int_equal(data != NULL, stay[k]);
        ritz_free(data);
    }
    ritz_cache_load("other", "first", &data, &bytes);
    assert_int_equal(bytes, 1);
    ritz_free(data);
    unsetenv("RITZ_CACHE_DIR");
    snprintf(command, sizeof command, "rm -r %s", cache);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),    cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_text),        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_names),       cmocka_unit_test(test_hash),
        cmocka_unit_test(test_temporaries), cmocka_unit_test(test_earlier),
        cmocka_unit_test(test_whole_files), cmocka_unit_test(test_cache_directory),
        cmocka_unit_test(test_interrupt),   cmocka_unit_test(test_log_and_progress),
        cmocka_unit_test(test_numbers),     cmocka_unit_test(test_buckets),
        cmocka_unit_test(test_first_uses),  cmocka_unit_test(test_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
