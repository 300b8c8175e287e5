/* Matrix Market files in. A strict reader of our own: CHOLMOD's, the one that Debian has, names no lines in its errors,
   and the file of a large matrix wants all cores. The text after the size line is cut into segments at line ends; their
   lines are counted, then read, each segment by one thread into its own range of the entries. */
#include "market/market.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { N_SEGMENTS = 64, WORD_LENGTH = 32, PROBLEM_LENGTH = 200, REAL_LENGTH = 1100 };
/* Rows and columns cost memory, and the file only claims them: so many are believed, and so many more an entry. */
enum { ROWS_BELIEVED = 1 << 20, ROWS_AN_ENTRY = 16 };

const char *const ritz_market_field_names[3] = {
    [RITZ_MARKET_REAL] = "real", [RITZ_MARKET_INTEGER] = "integer", [RITZ_MARKET_PATTERN] = "pattern"};
const char *const ritz_market_symmetry_names[3] = {[RITZ_MARKET_GENERAL] = "general",
                                                   [RITZ_MARKET_SYMMETRIC] = "symmetric",
                                                   [RITZ_MARKET_SKEW_SYMMETRIC] = "skew-symmetric"};

/* The whole file in memory, and how far it is read. */
typedef struct market {
    const char *path;
    char *text; /* ends with NUL */
    int64_t length;
    const char *at, *end;
    int64_t line; /* of `at`, from 1 */
    ritz_market_kind kind;
    int64_t size_line;  /* where the sizes stand */
    int64_t n_expected; /* entries */
    ritz_triplets entries;
} market;

static ritz_status fail_at(const market *m, int64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static ritz_status fail_at(const market *m, int64_t line, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments); /* NOLINT(clang-analyzer-valist.Uninitialized) */
    va_end(arguments);
    return ritz_fail(RITZ_ERROR_INPUT, "%s:%lld: %s", m->path, (long long)line, text);
}

static ritz_status load_file(market *m)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_read_file(m->path, INT64_MAX, &m->text, &m->length));
    RITZ_REQUIRE(!memchr(m->text, 0, (size_t)m->length), RITZ_ERROR_INPUT,
                 "%s is not a text file: it holds zero bytes; unpack it first if it is compressed", m->path);
    m->at = m->text;
    m->end = m->text + m->length;
    m->line = 1;
done:
    return status;
}

/* ---- Words and numbers of one line ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(const char **at)
{
    while (is_blank(**at))
        ++*at;
}

static bool ends_word(char c)
{
    return c == 0 || c == '\n' || is_blank(c);
}

/* The word at `at`, cut to fit, for a message; unprintable bytes become '?'. */
static const char *word_at(const char *at, char word[WORD_LENGTH])
{
    int n = 0;
    for (; !ends_word(*at) && n < WORD_LENGTH - 1; at++)
        word[n++] = *at >= 32 && *at < 127 ? *at : '?';
    word[n] = 0;
    return n > 0 ? word : "the end of the line";
}

static bool take_integer(const char **at, int64_t *value)
{
    skip_blanks(at);
    const char *p = *at;
    bool negative = *p == '-';
    int64_t v = 0;
    p += *p == '-' || *p == '+';
    const char *first = p;
    for (; is_digit(*p) && v < INT64_MAX / 10 - 1; p++)
        v = 10 * v + (*p - '0');
    if (p == first || !ends_word(*p))
        return false;
    *value = negative ? -v : v;
    *at = p;
    return true;
}

/* D is Fortran's, for double precision. */
static bool is_exponent(char c)
{
    return c == 'e' || c == 'E' || c == 'd' || c == 'D';
}

/* The number from p to end by strtod, which does not know Fortran's exponents; false where it is too long to be one. */
static bool convert_real(const char *p, const char *end, double *value)
{
    char number[REAL_LENGTH];
    const int64_t length = end - p;
    if (length >= REAL_LENGTH)
        return false;
    for (int64_t i = 0; i < length; i++)
        number[i] = is_exponent(p[i]) ? 'e' : p[i];
    number[length] = 0;
    *value = strtod(number, NULL);
    return true;
}

/* The end of a decimal number at p, or NULL. *mantissa * 10^*exponent is its value where the digits fit 64 bits,
   *mantissa is UINT64_MAX where they do not. */
static const char *scan_real(const char *p, uint64_t *mantissa, int *exponent)
{
    uint64_t m = 0;
    int e = 0, digits = 0;
    bool point = false;
    for (; is_digit(*p) || (*p == '.' && !point); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        digits++;
        m = m >= UINT64_MAX / 10 - 1 ? UINT64_MAX : 10 * m + (uint64_t)(*p - '0');
        e -= point;
    }
    if (digits == 0)
        return NULL;
    if (is_exponent(*p)) {
        int power = 0, sign = p[1] == '-' ? -1 : 1;
        p += p[1] == '-' || p[1] == '+' ? 2 : 1;
        if (!is_digit(*p))
            return NULL;
        for (; is_digit(*p); p++)
            power = power < 100000 ? 10 * power + (*p - '0') : power;
        e += sign * power;
    }
    *mantissa = m;
    *exponent = e;
    return p;
}

/* A real number. Up to 2^53 times a power of ten up to 10^22 is exact with one operation, the rest takes strtod (whose
   decimal point is '.' here: the caller sees to the locale). */
static bool take_real(const char **at, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    skip_blanks(at);
    const char *p = *at;
    bool negative = *p == '-';
    uint64_t mantissa = 0;
    int exponent = 0;
    const char *end = scan_real(p + (*p == '-' || *p == '+'), &mantissa, &exponent);
    if (!end || !ends_word(*end))
        return false;
    if (mantissa <= (uint64_t)1 << 53 && exponent >= -22 && exponent <= 22) {
        double v = exponent < 0 ? (double)mantissa / powers[-exponent] : (double)mantissa * powers[exponent];
        *value = negative ? -v : v;
    } else if (!convert_real(p, end, value)) {
        return false;
    }
    *at = end;
    return true;
}

/* ---- First lines ---- */

static int find_word(const char *word, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (strcasecmp(word, words[i]) == 0)
            return i;
    return -1;
}

/* Copies the line at m->at without its end and moves on; a longer line is cut. */
static void take_line(market *m, char *line, int64_t capacity)
{
    int64_t n = 0;
    for (; m->at < m->end && *m->at != '\n'; m->at++)
        if (n < capacity - 1)
            line[n++] = *m->at;
    line[n] = 0;
    if (m->at < m->end) {
        m->at++;
        m->line++;
    }
}

static ritz_status read_first_line(market *m)
{
    ritz_status status = RITZ_OK;
    char line[256], words[5][WORD_LENGTH] = {{0}}, rest[2];
    static const char *const formats[] = {"coordinate", "array"};
    take_line(m, line, sizeof line);
    int n = sscanf(line, "%31s %31s %31s %31s %31s %1s", words[0], words[1], words[2], words[3], words[4], rest);
    if (n < 1 || strcasecmp(words[0], "%%MatrixMarket") != 0)
        return fail_at(m, 1, "this is not a Matrix Market file: its first line does not start with %%%%MatrixMarket");
    if (n != 5 || strcasecmp(words[1], "matrix") != 0)
        return fail_at(m, 1,
                       "the first line should be: %%%%MatrixMarket matrix coordinate|array real|integer|pattern "
                       "general|symmetric|skew-symmetric");
    int format = find_word(words[2], formats, 2), field = find_word(words[3], ritz_market_field_names, 3),
        symmetry = find_word(words[4], ritz_market_symmetry_names, 3);
    if (strcasecmp(words[3], "complex") == 0 || strcasecmp(words[4], "hermitian") == 0)
        return fail_at(m, 1, "complex matrices are not supported; write the real part as a real matrix");
    if (format < 0)
        return fail_at(m, 1, "the format '%s' is not known; it is coordinate or array", words[2]);
    if (field < 0)
        return fail_at(m, 1, "the field '%s' is not known; it is real, integer or pattern", words[3]);
    if (symmetry < 0)
        return fail_at(m, 1, "the symmetry '%s' is not known; it is general, symmetric or skew-symmetric", words[4]);
    m->kind = (ritz_market_kind){
        .array = format == 1, .field = (ritz_market_field)field, .symmetry = (ritz_market_symmetry)symmetry};
    if (field == RITZ_MARKET_PATTERN && (m->kind.array || symmetry == RITZ_MARKET_SKEW_SYMMETRIC))
        status = fail_at(m, 1, "a pattern has no values and can be neither array nor skew-symmetric");
    return status;
}

/* Entries that the sizes promise. */
static int64_t count_expected(const market *m, int64_t given)
{
    int64_t n = m->entries.n_rows;
    if (!m->kind.array)
        return given;
    switch (m->kind.symmetry) {
    case RITZ_MARKET_SYMMETRIC:
        return n * (n + 1) / 2;
    case RITZ_MARKET_SKEW_SYMMETRIC:
        return n * (n - 1) / 2;
    default:
        return n * m->entries.n_columns;
    }
}

static ritz_status read_sizes(market *m)
{
    char line[256] = "";
    const char *at = line;
    int64_t number = m->line, rows = 0, columns = 0, given = 0;
    while (m->at < m->end) { /* comments and empty lines */
        number = m->line;
        take_line(m, line, sizeof line);
        at = line;
        skip_blanks(&at);
        if (*at && *at != '%')
            break;
    }
    if (*at == 0 || *at == '%')
        return fail_at(m, m->line, "the file ends before its line of sizes");
    bool good = take_integer(&at, &rows) && take_integer(&at, &columns) && (m->kind.array || take_integer(&at, &given));
    skip_blanks(&at);
    if (!good || *at)
        return fail_at(m, number, "the line of sizes should be: rows columns%s", m->kind.array ? "" : " entries");
    if (rows < 1 || columns < 1 || rows > INT32_MAX || columns > INT32_MAX || given < 0)
        return fail_at(m, number,
                       "a matrix of %lld rows, %lld columns and %lld entries cannot be read; sizes are 1 to %d",
                       (long long)rows, (long long)columns, (long long)given, INT32_MAX);
    if (m->kind.symmetry != RITZ_MARKET_GENERAL && rows != columns)
        return fail_at(m, number, "a %s matrix is square; this one has %lld rows and %lld columns",
                       ritz_market_symmetry_names[m->kind.symmetry], (long long)rows, (long long)columns);
    m->size_line = number;
    m->entries.n_rows = rows;
    m->entries.n_columns = columns;
    m->n_expected = count_expected(m, given);
    return RITZ_OK;
}

/* ---- Entries ---- */

typedef struct segment {
    const char *at, *end;
    int64_t n_lines, n_entries; /* in it */
    int64_t first_line, first_entry;
    int64_t bad_line; /* 0: none */
    char problem[PROBLEM_LENGTH];
} segment;

/* Segments of about the same length that end at line ends. */
static void cut_segments(const market *m, segment *segments)
{
    const char *at = m->at;
    int64_t length = m->end - m->at;
    for (int c = 0; c < N_SEGMENTS; c++) {
        const char *end = c == N_SEGMENTS - 1 ? m->end : m->at + length * (c + 1) / N_SEGMENTS;
        end = end < at ? at : end;
        while (end < m->end && end > at && end[-1] != '\n')
            end++;
        segments[c].at = at;
        segments[c].end = end;
        at = end;
    }
}

static void count_lines(segment *c)
{
    bool empty = true;
    for (const char *p = c->at; p < c->end; p++) {
        if (*p == '\n') {
            c->n_lines++;
            c->n_entries += !empty;
            empty = true;
        } else if (!is_blank(*p)) {
            empty = false;
        }
    }
    c->n_entries += !empty; /* the last line of the file may lack its end */
}

static void complain_of_line(segment *c, int64_t line, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void complain_of_line(segment *c, int64_t line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->problem, sizeof c->problem, format, arguments); /* NOLINT(clang-analyzer-valist.Uninitialized) */
    va_end(arguments);
    c->bad_line = line;
}

/* Row and column of a coordinate entry, from 0; false after a complaint. */
static bool read_place(const market *m, segment *c, int64_t line, const char **at, int64_t *row, int64_t *column)
{
    char word[WORD_LENGTH];
    int64_t *const places[] = {row, column}, most[] = {m->entries.n_rows, m->entries.n_columns};
    static const char *const names[] = {"row", "column"};
    for (int i = 0; i < 2; i++) {
        if (!take_integer(at, places[i])) {
            complain_of_line(c, line, "'%s' appears where the number of a %s should be", word_at(*at, word), names[i]);
            return false;
        }
        if (*places[i] < 1 || *places[i] > most[i]) {
            complain_of_line(c, line, "%s %lld is not in the matrix; its %ss go from 1 to %lld", names[i],
                             (long long)*places[i], names[i], (long long)most[i]);
            return false;
        }
        --*places[i];
    }
    if (m->kind.symmetry == RITZ_MARKET_GENERAL || *row > *column)
        return true;
    if (*row == *column && m->kind.symmetry == RITZ_MARKET_SYMMETRIC)
        return true;
    complain_of_line(c, line, "a %s file holds entries below the diagonal%s only, not row %lld, column %lld",
                     ritz_market_symmetry_names[m->kind.symmetry],
                     m->kind.symmetry == RITZ_MARKET_SYMMETRIC ? " and on it" : "", (long long)*row + 1,
                     (long long)*column + 1);
    return false;
}

static bool read_value(const market *m, segment *c, int64_t line, const char **at, double *value)
{
    char word[WORD_LENGTH];
    int64_t whole = 0;
    *value = 1;
    if (m->kind.field == RITZ_MARKET_REAL) {
        if (!take_real(at, value)) {
            complain_of_line(c, line, "'%s' appears where a real number should be", word_at(*at, word));
            return false;
        }
    } else if (m->kind.field == RITZ_MARKET_INTEGER) {
        if (!take_integer(at, &whole)) {
            complain_of_line(c, line, "'%s' appears where a whole number should be", word_at(*at, word));
            return false;
        }
        *value = (double)whole;
    }
    if (!isfinite(*value)) {
        complain_of_line(c, line, "the value is too large for double precision");
        return false;
    }
    skip_blanks(at);
    if (**at != '\n' && **at != 0) {
        complain_of_line(c, line, "'%s' follows the entry; a line holds one entry", word_at(*at, word));
        return false;
    }
    return true;
}

/* The place of entry k of an array, column after column; symmetric ones start at the diagonal or below it. */
static void place_in_array(const market *m, int64_t k, int64_t *row, int64_t *column)
{
    const int64_t n = m->entries.n_rows;
    const int first = m->kind.symmetry == RITZ_MARKET_SKEW_SYMMETRIC;
    if (m->kind.symmetry == RITZ_MARKET_GENERAL) {
        *row = k % n;
        *column = k / n;
        return;
    }
    for (*column = 0; k >= n - *column - first; ++*column)
        k -= n - *column - first;
    *row = *column + first + k;
}

static void next_in_array(const market *m, int64_t *row, int64_t *column)
{
    if (++*row < m->entries.n_rows)
        return;
    ++*column;
    *row = m->kind.symmetry == RITZ_MARKET_GENERAL ? 0 : *column + (m->kind.symmetry == RITZ_MARKET_SKEW_SYMMETRIC);
}

static void read_segment(const market *m, segment *c)
{
    int64_t row = 0, column = 0, line = c->first_line, k = c->first_entry;
    if (m->kind.array && k < m->entries.n)
        place_in_array(m, k, &row, &column);
    for (const char *at = c->at; at < c->end && k < m->entries.n; at++, line++) {
        skip_blanks(&at);
        if (*at == '\n')
            continue;
        if (at >= c->end)
            return;
        if ((!m->kind.array && !read_place(m, c, line, &at, &row, &column)) ||
            !read_value(m, c, line, &at, &m->entries.value[k]))
            return;
        m->entries.row[k] = (int32_t)row;
        m->entries.column[k] = (int32_t)column;
        k++;
        if (m->kind.array)
            next_in_array(m, &row, &column);
    }
}

/* The line of entry number k. */
static int64_t line_of(const segment *segments, int64_t k)
{
    int c = 0;
    while (c < N_SEGMENTS - 1 && segments[c].first_entry + segments[c].n_entries <= k)
        c++;
    int64_t line = segments[c].first_line, at_entry = segments[c].first_entry;
    bool empty = true;
    for (const char *p = segments[c].at; p < segments[c].end; p++) {
        if (*p == '\n') {
            line++;
            empty = true;
        } else if (empty && !is_blank(*p)) {
            empty = false;
            if (at_entry++ == k)
                return line;
        }
    }
    return line;
}

static ritz_status read_entries(market *m)
{
    ritz_status status = RITZ_OK;
    segment *segments = NULL;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    RITZ_REQUIRE(plain, RITZ_ERROR_MEMORY, "no memory for the locale of numbers");
    RITZ_NEW(segments, N_SEGMENTS);
    cut_segments(m, segments);
#pragma omp parallel for schedule(dynamic)
    for (int c = 0; c < N_SEGMENTS; c++)
        count_lines(&segments[c]);
    segments[0].first_line = m->line;
    for (int c = 1; c < N_SEGMENTS; c++) {
        segments[c].first_line = segments[c - 1].first_line + segments[c - 1].n_lines;
        segments[c].first_entry = segments[c - 1].first_entry + segments[c - 1].n_entries;
    }
    const segment *last = &segments[N_SEGMENTS - 1];
    int64_t found = last->first_entry + last->n_entries;
    m->entries.n = ritz_min64(found, m->n_expected);
    RITZ_NEW(m->entries.row, m->entries.n);
    RITZ_NEW(m->entries.column, m->entries.n);
    RITZ_NEW(m->entries.value, m->entries.n);
#pragma omp parallel for schedule(dynamic)
    for (int c = 0; c < N_SEGMENTS; c++) {
        locale_t before = uselocale(plain);
        read_segment(m, &segments[c]);
        uselocale(before);
    }
    for (int c = 0; c < N_SEGMENTS; c++)
        if (segments[c].bad_line > 0)
            RITZ_TRY(fail_at(m, segments[c].bad_line, "%s", segments[c].problem));
    if (found > m->n_expected)
        RITZ_TRY(fail_at(m, line_of(segments, m->n_expected),
                         "there are more entries than the %lld that the line of sizes announces",
                         (long long)m->n_expected));
    if (found < m->n_expected)
        RITZ_TRY(fail_at(m, last->first_line + last->n_lines,
                         "the file ends after %lld of %lld entries; it is cut off, or its sizes are wrong",
                         (long long)found, (long long)m->n_expected));
done:
    if (plain)
        freelocale(plain);
    ritz_free(segments);
    return status;
}

/* Sizes that the entries do not bear out. */
static ritz_status check_sizes(const market *m)
{
    const ritz_triplets *t = &m->entries;
    if (ritz_max64(t->n_rows, t->n_columns) <= ROWS_BELIEVED + ROWS_AN_ENTRY * t->n)
        return RITZ_OK;
    return fail_at(m, m->size_line,
                   "%lld rows and %lld columns for %lld entries: nearly all would be empty; at most %d of each are "
                   "read, and %d more for each entry; correct the sizes, or number those rows and columns only that "
                   "have entries",
                   (long long)t->n_rows, (long long)t->n_columns, (long long)t->n, ROWS_BELIEVED, ROWS_AN_ENTRY);
}

ritz_status ritz_market_read(const char *path, ritz_market_kind *kind, ritz_rows **rows)
{
    ritz_status status = RITZ_OK;
    market m = {.path = path};
    RITZ_REQUIRE_POINTER(path);
    RITZ_REQUIRE_POINTER(rows);
    RITZ_TRY(load_file(&m));
    RITZ_TRY(read_first_line(&m));
    RITZ_TRY(read_sizes(&m));
    RITZ_TRY(read_entries(&m));
    RITZ_TRY(check_sizes(&m));
    ritz_free(m.text); /* the largest part by far */
    m.text = NULL;
    RITZ_TRY(ritz_rows_from_triplets(&m.entries, m.kind.symmetry, m.kind.array, rows));
    if (kind)
        *kind = m.kind;
done:
    ritz_free(m.text);
    ritz_triplets_free(&m.entries);
    return status;
}
