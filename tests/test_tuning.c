/* The table of measured constants: its rows are sound, every device finds a value, and closer rows go first. */
#include "device/device.h"
#include "device/tuning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const ritz_device_info h200 = {.name = "NVIDIA H200", .vendor = "NVIDIA Corporation", .kind = RITZ_DEVICE_GPU},
                              cpu = {.name = "some CPU", .vendor = "AuthenticAMD", .kind = RITZ_DEVICE_CPU};

static int in(const char *table, const ritz_device_info *device, const ritz_fact *facts, int n)
{
    bool found;
    const double value = ritz_tuned_in(table, device, RITZ_MATRIX_LANES, facts, n, &found);
    return found ? (int)value : -1;
}

static void closer_rows_go_first(void **state)
{
    (void)state;
    const char table[] = "matrix.lanes * 1\nmatrix.lanes gpu 2 # two\n  matrix.lanes  family:H200\t3\n"
                         "matrix.lanes vendor:NVIDIA 4\nmatrix.lanes family:H200 9\nmatrix.lanesy gpu 7\n";
    assert_int_equal(in(table, &cpu, NULL, 0), 1);
    assert_int_equal(in(table, &h200, NULL, 0), 3);
    assert_int_equal(in("matrix.lanes family:H200 3\nmatrix.lanes name:NVIDIA_H200 5", &h200, NULL, 0), 5);
    assert_int_equal(in("matrix.lanes name:H200 5\nmatrix.lanes vendor:NVIDIA_Corp 4", &h200, NULL, 0), 4);
    assert_int_equal(in("matrix.lanes gpu 2", &cpu, NULL, 0), -1);
    assert_int_equal(in("", &cpu, NULL, 0), -1);
}

static void terms_hold_together(void **state)
{
    (void)state;
    const char table[] = "matrix.lanes * 1 block=3 mean<20\nmatrix.lanes * 2 mean>=20 # not block=3\nmatrix.lanes * 3 "
                         "block>2\nmatrix.lanes * 4 length=1\n";
    assert_int_equal(in(table, &cpu, (ritz_fact[]){{"block", 3}, {"mean", 19.9}}, 2), 1);
    assert_int_equal(in(table, &cpu, (ritz_fact[]){{"block", 3}, {"mean", 20}}, 2), 2);
    assert_int_equal(in(table, &cpu, (ritz_fact[]){{"block", 4}, {"mean", 2}}, 2), 3);
    assert_int_equal(in(table, &cpu, (ritz_fact[]){{"block", 2}, {"mean", 2}}, 2), -1);
    assert_int_equal(in(table, &cpu, NULL, 0), -1);
    assert_int_equal(in("matrix.lanes * 1 mean<=8", &cpu, (ritz_fact[]){{"mean", 8}}, 1), 1);
    assert_int_equal(in("matrix.lanes * 1 mean<8", &cpu, (ritz_fact[]){{"mean", 8}}, 1), -1);
    assert_int_equal(in("matrix.lanes * 1 mean>8", &cpu, (ritz_fact[]){{"mean", 8}}, 1), -1);
}

/* Words as values: of the built-in table, since the constant is one of its own. */
static void words_are_values(void **state)
{
    (void)state;
    char text[RITZ_TUNED_TEXT];
    const ritz_fact serves[] = {{"order", 4}, {"sums", 9}, {"factor", 1}, {"mma", 1}}, none[] = {{"order", 4}};
    ritz_tuned_text(&h200, RITZ_INTEGRATE_METHOD, serves, 4, NULL, NULL, text);
    assert_string_equal(text, "factor");
    ritz_tuned_text(&h200, RITZ_INTEGRATE_METHOD, serves + 3, 1, NULL, NULL,
                    text); /* an order that is not given is no order */
    assert_string_equal(text, "lanes");
    ritz_tuned_text(&cpu, RITZ_INTEGRATE_METHOD, none, 1, NULL, NULL, text);
    assert_string_equal(text, "lanes");
}

/* Of the table that is built in: every row is of a known constant, and each has a last row for any device and case. */
static void table_is_whole(void **state)
{
    (void)state;
    char line[256];
    bool whole[RITZ_N_CONSTANTS] = {false};
    const char *table = ritz_kernel_source("device/tuning.txt");
    assert_non_null(table);
    for (; *table; table += strcspn(table, "\n"), table += *table == '\n') {
        char name[64], device[64], term[64] = "";
        double value;
        snprintf(line, sizeof line, "%.*s", (int)strcspn(table, "\n#"), table);
        char word[64], rest[64];
        const int n = sscanf(line, "%63s %63s %63s %63s", name, device, word, term);
        if (n < 1)
            continue;
        const bool is_number = n >= 3 && sscanf(word, "%lf%63s", &value, rest) == 1;
        int c = 0;
        while (c < RITZ_N_CONSTANTS && strcmp(name, ritz_constant_name((ritz_constant)c)) != 0)
            c++;
        if (n < 3 || c == RITZ_N_CONSTANTS ||
            is_number == (c == RITZ_INTEGRATE_METHOD || c == RITZ_INTEGRATE_PARAMETERS))
            fail_msg("no row of a known constant: %s", line);
        else if (n == 3 && strcmp(device, "*") == 0)
            whole[c] = true;
    }
    for (int c = 0; c < RITZ_N_CONSTANTS; c++)
        if (!whole[c])
            fail_msg("%s has no row for any device and case", ritz_constant_name((ritz_constant)c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closer_rows_go_first),
        cmocka_unit_test(terms_hold_together),
        cmocka_unit_test(words_are_values),
        cmocka_unit_test(table_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
