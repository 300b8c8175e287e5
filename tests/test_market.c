/* Matrix Market files: read, written, read again; what is refused, and where. With RITZ_PYTHON that has scipy, both
   programs read what the other wrote. */
#include "ritz/market.h"
#include "rows.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64], other[64];

static int make_names(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/ritz-market-%ld.mtx", (long)getpid());
    snprintf(other, sizeof other, "/tmp/ritz-market-%ld-b.mtx", (long)getpid());
    return open_device(state);
}

static int remove_files(void **state)
{
    unlink(path);
    unlink(other);
    return close_device(state);
}

static void put_text(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* The file `text` gives these dense values[n_rows * n_columns] and so many entries. */
static void expect_rows(const char *text, int64_t n_rows, int64_t n_columns, const double *values, int64_t n_entries,
                        ritz_market_kind kind)
{
    ritz_rows *r = NULL;
    ritz_market_kind found = {0};
    put_text(text);
    OK(ritz_market_read(path, &found, &r));
    assert_true(found.array == kind.array && found.field == kind.field && found.symmetry == kind.symmetry);
    assert_int_equal(r->block, 1);
    assert_int_equal(r->n_rows, n_rows);
    assert_int_equal(r->n_columns, n_columns);
    assert_int_equal(r->row_start[0], 0);
    assert_int_equal(r->row_start[n_rows], n_entries);
    for (int64_t i = 0; i < n_rows; i++) {
        double row[16] = {0};
        for (int64_t k = r->row_start[i]; k < r->row_start[i + 1]; k++) {
            assert_true(k == r->row_start[i] || r->columns[k] > r->columns[k - 1]);
            row[r->columns[k]] = r->values[k];
        }
        for (int64_t j = 0; j < n_columns; j++)
            if (row[j] != values[i * n_columns + j])
                fail_msg("entry (%d, %d) is %.17g, not %.17g of: %s", (int)i, (int)j, row[j], values[i * n_columns + j],
                         text);
    }
    ritz_rows_destroy(&r);
}

static void kinds(void **state)
{
    (void)state;
    expect_rows(
        "%%MatrixMarket matrix coordinate real general\n% a comment\n\n 2 3 4 \n2 3 -1.5e-3\n1 1 .25\n\n2 1\t1e22\r\n"
        "1 2 12345678901234567890",
        2, 3, (double[]){0.25, 12345678901234567890.0, 0, 1e22, 0, -1.5e-3}, 4, (ritz_market_kind){0});
    expect_rows("%%matrixmarket MATRIX Coordinate Integer Symmetric\n3 3 4\n1 1 5\n3 1 -7\n2 2 +1\n3 2 0\n", 3, 3,
                (double[]){5, 0, -7, 0, 1, 0, -7, 0, 0}, 6,
                (ritz_market_kind){.field = RITZ_MARKET_INTEGER, .symmetry = RITZ_MARKET_SYMMETRIC});
    expect_rows("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n", 2, 2, (double[]){0, -3, 3, 0},
                2, (ritz_market_kind){.symmetry = RITZ_MARKET_SKEW_SYMMETRIC});
    expect_rows("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n", 2, 2, (double[]){1, 1, 1, 0},
                3, (ritz_market_kind){.field = RITZ_MARKET_PATTERN, .symmetry = RITZ_MARKET_SYMMETRIC});
    expect_rows("%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1.0D+00\n1 2 -2.5d-3\n"
                "2 1 1D22\n2 2 1.2345678901234567890123D+30\n",
                2, 2, (double[]){1, -2.5e-3, 1e22, 1.2345678901234567890123e30}, 4, (ritz_market_kind){0});
    expect_rows("%%MatrixMarket matrix array real general\n2 2\n1\n2\n0\n4\n", 2, 2, (double[]){1, 0, 2, 4}, 3,
                (ritz_market_kind){.array = true});
    expect_rows("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", 3, 3,
                (double[]){1, 2, 3, 2, 4, 5, 3, 5, 6}, 9,
                (ritz_market_kind){.array = true, .field = RITZ_MARKET_INTEGER, .symmetry = RITZ_MARKET_SYMMETRIC});
    expect_rows("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n", 3, 3,
                (double[]){0, -1, -2, 1, 0, -3, 2, 3, 0}, 6,
                (ritz_market_kind){.array = true, .symmetry = RITZ_MARKET_SKEW_SYMMETRIC});
    /* Entries named twice are added. */
    expect_rows("%%MatrixMarket matrix coordinate real general\n2 2 4\n2 2 1\n1 2 1\n2 2 2\n2 1 9\n", 2, 2,
                (double[]){0, 1, 9, 3}, 3, (ritz_market_kind){0});
    expect_rows("%%MatrixMarket matrix coordinate real general\n1 2 0\n", 1, 2, (double[]){0, 0}, 0,
                (ritz_market_kind){0});
}

static void refuse_text(const char *text, const char *part)
{
    ritz_rows *r = NULL;
    put_text(text);
    assert_int_equal(ritz_market_read(path, NULL, &r), RITZ_ERROR_INPUT);
    assert_null(r);
    if (!strstr(ritz_message(), part) || !strstr(ritz_message(), path))
        fail_msg("\"%s\" does not say \"%s\"", ritz_message(), part);
}

#define GENERAL "%%MatrixMarket matrix coordinate real general\n"
static void bad_files(void **state)
{
    (void)state;
    refuse_text("", ":1: this is not a Matrix Market file");
    refuse_text("1 2 3\n", ":1: this is not a Matrix Market file");
    refuse_text("%%MatrixMarket matrix coordinate real\n1 1 0\n", ":1: the first line should be");
    refuse_text("%%MatrixMarket matrix coordinate complex general\n", "complex");
    refuse_text("%%MatrixMarket matrix coordinate real hermitian\n", "complex");
    refuse_text("%%MatrixMarket matrix dense real general\n", "'dense'");
    refuse_text("%%MatrixMarket matrix array reel general\n", "'reel'");
    refuse_text("%%MatrixMarket matrix array real diagonal\n", "'diagonal'");
    refuse_text("%%MatrixMarket matrix array pattern general\n", ":1: a pattern");
    refuse_text(GENERAL "% nothing\n", ":3: the file ends");
    refuse_text(GENERAL "%\n2 2\n", ":3: the line of sizes");
    refuse_text(GENERAL "2 2 1 1\n", ":2: the line of sizes");
    refuse_text(GENERAL "2 -2 1\n", ":2: a matrix of 2 rows, -2 columns");
    refuse_text(GENERAL "2 99999999999 1\n", ":2: a matrix of");
    refuse_text("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n", ":2: a symmetric matrix is square");
    refuse_text(GENERAL "2 2 2\n1 1 1\n\n1 3 1\n", ":5: column 3 is not in the matrix");
    refuse_text(GENERAL "2 2 1\n0 1 1\n", ":3: row 0 is not in the matrix");
    refuse_text(GENERAL "2 2 1\nx 1 1\n", ":3: 'x' appears where the number of a row");
    refuse_text(GENERAL "2 2 1\n1 1.5 1\n", ":3: '1.5' appears where the number of a column");
    refuse_text(GENERAL "2 2 1\n1 1 nan\n", ":3: 'nan' appears where a real number");
    refuse_text(GENERAL "2 2 1\n1 1 1.0D\n", ":3: '1.0D'");
    refuse_text(GENERAL "2 2 1\n1 1\n", ":3: 'the end of the line' appears where a real number");
    refuse_text(GENERAL "2 2 1\n1 1 1e999\n", ":3: the value is too large");
    refuse_text(GENERAL "2 2 1\n1 1 1 7\n", ":3: '7' follows the entry");
    refuse_text(GENERAL "2 2 2\n1 1 1\n", ":4: the file ends after 1 of 2 entries");
    refuse_text(GENERAL "2 2 1\n1 1 1\n\n1 2 1\n2 2 1\n", ":5: there are more entries than the 1");
    refuse_text("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.0\n",
                ":3: '1.0' appears where a whole");
    refuse_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", ":3: a symmetric file holds");
    refuse_text("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n",
                ":3: a skew-symmetric file holds");
    refuse_text("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "3 of 4 entries");
    refuse_text(GENERAL "2000000000 2000000000 2000000000000000000\n1 1 1\n", "1 of 2000000000000000000 entries");
    refuse_text(GENERAL "2000000000 2000000000 1\n1 1 1\n", ":2: 2000000000 rows and 2000000000 columns for 1 entries");
    refuse_text("%%MatrixMarket matrix coordinate pattern general\n3 2000000000 0\n",
                ":2: 3 rows and 2000000000 columns");
    ritz_rows *r = NULL;
    FILE *file = fopen(path, "wb");
    fwrite("%%MatrixMarket\0", 1, 15, file);
    fclose(file);
    assert_int_equal(ritz_market_read(path, NULL, &r), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "zero bytes"));
    assert_int_equal(ritz_market_read("/nowhere/a.mtx", NULL, &r), RITZ_ERROR_FILE);
    assert_int_equal(ritz_market_read("/tmp", NULL, &r), RITZ_ERROR_FILE);
}

/* Rows without entries are believed as long as they cost little. */
static void empty_rows(void **state)
{
    (void)state;
    ritz_rows *r = NULL;
    put_text(GENERAL "1000000 3 1\n1000000 3 5\n");
    OK(ritz_market_read(path, NULL, &r));
    assert_int_equal(r->n_rows, 1000000);
    assert_int_equal(r->row_start[999999], 0);
    assert_int_equal(r->row_start[1000000], 1);
    assert_true(r->columns[0] == 2 && r->values[0] == 5);
    ritz_rows_destroy(&r);
}

/* ---- Round trips ---- */

static ritz_rows as_rows(rows *a)
{
    return (ritz_rows){.block = a->block,
                       .n_rows = a->n,
                       .n_columns = a->n_columns,
                       .row_start = a->start,
                       .columns = a->columns,
                       .values = a->values};
}

static void assert_equal(const ritz_rows *a, const ritz_rows *b)
{
    assert_int_equal(a->n_rows, b->n_rows);
    assert_int_equal(a->n_columns, b->n_columns);
    assert_memory_equal(a->row_start, b->row_start, (size_t)(a->n_rows + 1) * 8);
    assert_memory_equal(a->columns, b->columns, (size_t)a->row_start[a->n_rows] * 4);
    assert_memory_equal(a->values, b->values, (size_t)a->row_start[a->n_rows] * 8);
}

/* Large enough for chunks of many lines; all bits of every value come back. */
static void general(void **state)
{
    (void)state;
    rows a = random_rectangle(1, 200, 300, 0.2, 0, 7, 190);
    for (int64_t i = 0; i < a.start[a.n]; i++)
        a.values[i] *= ldexp(1, (int)(i % 2000) - 1000);
    ritz_rows r = as_rows(&a), *back = NULL;
    for (int array = 0; array < 2; array++) {
        OK(ritz_market_write(path, &(ritz_market_kind){.array = array == 1}, &r));
        OK(ritz_market_read(path, NULL, &back));
        assert_equal(&r, back);
        ritz_rows_destroy(&back);
    }
    /* A matrix on the device, in blocks, to a file and back. */
    ritz_matrix *m = NULL;
    rows b = random_rows(3, 20, 0.2, 1, -1, 100);
    ritz_rows blocks = as_rows(&b), *found = NULL, *scalars = NULL;
    for (int64_t i = 0; i < b.start[b.n] * 9; i++)
        b.values[i] = (double)(float)b.values[i];
    OK(ritz_matrix_create_from_rows(device, &(ritz_matrix_options){.precision = RITZ_F32}, &blocks, &m));
    OK(ritz_matrix_get_rows(m, 3, &found));
    OK(ritz_matrix_get_rows(m, 1, &scalars));
    OK(ritz_market_write(path, NULL, found));
    OK(ritz_market_read(path, NULL, &back));
    assert_equal(scalars, back);
    ritz_rows_destroy(&found);
    ritz_rows_destroy(&scalars);
    ritz_rows_destroy(&back);
    ritz_matrix_destroy(&m);
    free_rows(&a);
    free_rows(&b);
}

/* The same matrix through every field, symmetry and shape of file. */
static void all_kinds(void **state)
{
    (void)state;
    const double symmetric[] = {2, -1, 0, -1, 2, 3, 0, 3, 4}, skew[] = {0, -1, 5, 1, 0, 3, -5, -3, 0},
                 ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    for (int array = 0; array < 2; array++)
        for (int field = 0; field < 3; field++)
            for (int symmetry = 0; symmetry < 3; symmetry++) {
                ritz_market_kind kind = {array == 1, (ritz_market_field)field, (ritz_market_symmetry)symmetry}, found;
                bool pattern = field == RITZ_MARKET_PATTERN;
                const double *dense = pattern ? ones : symmetry == RITZ_MARKET_SKEW_SYMMETRIC ? skew : symmetric;
                int64_t start[4] = {0}, n = 0;
                int32_t columns[9];
                double values[9];
                for (int i = 0; i < 9; i++) {
                    if (dense[i] != 0) {
                        columns[n] = i % 3;
                        values[n++] = dense[i];
                    }
                    start[i / 3 + 1] = n;
                }
                ritz_rows r = {1, 3, 3, start, columns, values}, *back = NULL;
                if (pattern && (array || symmetry == RITZ_MARKET_SKEW_SYMMETRIC)) {
                    assert_int_equal(ritz_market_write(path, &kind, &r), RITZ_ERROR_INPUT);
                    continue;
                }
                OK(ritz_market_write(path, &kind, &r));
                OK(ritz_market_read(path, &found, &back));
                assert_true(found.array == kind.array && found.field == kind.field && found.symmetry == kind.symmetry);
                assert_equal(&r, back);
                ritz_rows_destroy(&back);
            }
}

static void bad_writes(void **state)
{
    (void)state;
    int64_t start[] = {0, 2, 3};
    int32_t columns[] = {0, 1, 0};
    double values[] = {1, 2, 2.5};
    ritz_rows r = {1, 2, 2, start, columns, values};
    const struct {
        ritz_market_kind kind;
        const char *part;
    } some[] = {
        {{.symmetry = RITZ_MARKET_SYMMETRIC}, "not symmetric: entry (1, 2)"},
        {{.symmetry = RITZ_MARKET_SKEW_SYMMETRIC}, "not skew-symmetric: entry (1, 1)"},
        {{.field = RITZ_MARKET_INTEGER}, "entry (2, 1) is 2.5"},
    };
    unlink(path);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        assert_int_equal(ritz_market_write(path, &some[i].kind, &r), RITZ_ERROR_INPUT);
        if (!strstr(ritz_message(), some[i].part))
            fail_msg("\"%s\" does not say \"%s\"", ritz_message(), some[i].part);
        assert_int_equal(access(path, F_OK), -1);
    }
    values[1] = INFINITY;
    assert_int_equal(ritz_market_write(path, NULL, &r), RITZ_ERROR_INPUT);
    values[1] = 2;
    assert_int_equal(ritz_market_write("/nowhere/a.mtx", NULL, &r), RITZ_ERROR_FILE);
    assert_int_equal(ritz_market_write("/tmp", NULL, &r), RITZ_ERROR_FILE); /* a folder stays one */
}

static void refuse_write(const char *part)
{
    int64_t start[] = {0, 1};
    int32_t columns[] = {0};
    double values[] = {1};
    ritz_rows r = {1, 1, 1, start, columns, values};
    assert_int_equal(ritz_market_write(path, NULL, &r), RITZ_ERROR_FILE);
    if (!strstr(ritz_message(), part) || !strstr(ritz_message(), path))
        fail_msg("\"%s\" does not say \"%s\"", ritz_message(), part);
}

/* What is not a regular file stays what it is; a link stays one, whether or not it leads anywhere. */
static void other_files_stay(void **state)
{
    (void)state;
    struct stat about;
    unlink(path);
    unlink(other);
    assert_int_equal(mkfifo(path, 0600), 0);
    refuse_write("not a regular file");
    assert_int_equal(lstat(path, &about), 0);
    assert_true(S_ISFIFO(about.st_mode));
    unlink(path);
    assert_int_equal(symlink(other, path), 0);
    for (int there = 0; there < 2; there++) {
        refuse_write("symbolic link");
        assert_int_equal(lstat(path, &about), 0);
        assert_true(S_ISLNK(about.st_mode));
        assert_int_equal(access(other, F_OK), there ? 0 : -1);
        FILE *file = fopen(other, "w");
        assert_non_null(file);
        fclose(file);
    }
    unlink(path);
}

static void failing_allocations(void **state)
{
    (void)state;
    put_text(GENERAL "2 2 3\n1 1 1\n2 1 2\n1 1 3\n");
    for (int64_t n = 1;; n++) {
        ritz_rows *r = NULL;
        ritz_fail_allocation(n);
        ritz_status status = ritz_market_read(path, NULL, &r);
        int64_t seen = ritz_fail_allocation(0);
        ritz_rows_destroy(&r);
        if (seen < n) {
            assert_int_equal(status, RITZ_OK);
            assert_true(n > 8);
            break;
        }
        assert_int_equal(status, RITZ_ERROR_MEMORY);
    }
}

/* A file as scipy writes it, read here, written here, read by scipy, compared by scipy. */
static void scipy(void **state)
{
    (void)state;
    const char *python = getenv("RITZ_PYTHON");
    char command[512];
    snprintf(command, sizeof command, "%s -c 'import scipy' 2>/dev/null", python ? python : "python3");
    if (system(command) != 0)
        skip();
    static const char *const make[] = {
        "s.random(40, 60, 0.2, random_state=1)",
        "(lambda a: a + a.T)(s.random(40, 40, 0.2, random_state=2))",
        "(lambda a: a - a.T)(s.random(40, 40, 0.2, random_state=3))",
        "s.coo_matrix((s.random(40, 60, 0.2, random_state=4) * 1000).astype(int))",
    };
    for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
        ritz_rows *r = NULL;
        ritz_market_kind kind = {0};
        snprintf(command, sizeof command,
                 "%s -c 'import scipy.sparse as s, scipy.io as io; io.mmwrite(\"%s\", %s, precision=17)'",
                 python ? python : "python3", path, make[i]);
        assert_int_equal(system(command), 0);
        OK(ritz_market_read(path, &kind, &r));
        assert_int_equal(kind.symmetry, i == 1   ? RITZ_MARKET_SYMMETRIC
                                        : i == 2 ? RITZ_MARKET_SKEW_SYMMETRIC
                                                 : RITZ_MARKET_GENERAL);
        assert_int_equal(kind.field, i == 3 ? RITZ_MARKET_INTEGER : RITZ_MARKET_REAL);
        OK(ritz_market_write(other, &kind, r));
        ritz_rows_destroy(&r);
        snprintf(command, sizeof command,
                 "%s -c 'import scipy.io as io, sys; a = io.mmread(\"%s\").tocsr(); b = io.mmread(\"%s\").tocsr(); "
                 "sys.exit(a.shape != b.shape or a.nnz < 100 or (a != b).nnz != 0)'",
                 python ? python : "python3", path, other);
        assert_int_equal(system(command), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(empty_rows),
        cmocka_unit_test(general),
        cmocka_unit_test(all_kinds),
        cmocka_unit_test(bad_writes),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(other_files_stay),
        cmocka_unit_test(scipy),
    };
    return cmocka_run_group_tests(tests, make_names, remove_files);
}
