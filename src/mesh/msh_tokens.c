/* Tokens of .msh files: numbers in text or binary, sets of node numbers, messages with their place. */
#include "mesh/msh_scan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ritz_status ritz_msh_fail(const ritz_msh *msh, const char *at, const char *format, ...)
{
    char text[1024];
    int64_t line = 1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format,
              arguments); /* NOLINT(clang-analyzer-valist.Uninitialized): clang-tidy 14 errs here
                                                        when it reads several files in a row */
    va_end(arguments);
    if (msh->converted)
        return ritz_fail(RITZ_ERROR_INPUT, "%s", text);
    if (msh->binary)
        return ritz_fail(RITZ_ERROR_INPUT, "%s: at byte %lld: %s", msh->path, (long long)(at - msh->start), text);
    for (const char *p = msh->start; p < at; p++)
        line += *p == '\n';
    return ritz_fail(RITZ_ERROR_INPUT, "%s:%lld: %s", msh->path, (long long)line, text);
}

ritz_status ritz_msh_truncated(const ritz_msh *msh)
{
    return ritz_msh_fail(msh, msh->end, "the file ends inside %s%s: it is truncated; write or copy it again",
                         msh->plain ? "" : "$", msh->section);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_space(ritz_msh *msh)
{
    while (msh->at < msh->end && is_space(*msh->at))
        msh->at++;
}

void ritz_msh_skip_line(ritz_msh *msh)
{
    while (msh->at < msh->end && *msh->at != '\n')
        msh->at++;
    msh->at += msh->at < msh->end;
}

/* Length of the word at msh->at, and the word itself, cut to fit, for a message. Unprintable bytes become '?'. */
static void word_at(const ritz_msh *msh, char word[24])
{
    int n = 0;
    for (const char *p = msh->at; p < msh->end && !is_space(*p) && n < 23; p++)
        word[n++] = *p >= 32 && *p < 127 ? *p : '?';
    word[n] = 0;
}

static ritz_status bad_word(const ritz_msh *msh, const char *what, const char *wanted)
{
    char word[24];
    if (msh->at == msh->end)
        return ritz_msh_truncated(msh);
    word_at(msh, word);
    return ritz_msh_fail(msh, msh->at, "'%s' appears where %s should be, %s; write the file again", word, what, wanted);
}

static ritz_status take_bytes(ritz_msh *msh, int64_t bytes, void *value)
{
    if (msh->end - msh->at < bytes)
        return ritz_msh_truncated(msh);
    memcpy(value, msh->at, (size_t)bytes);
    msh->at += bytes;
    return RITZ_OK;
}

ritz_status ritz_msh_integer(ritz_msh *msh, int bytes, const char *what, int64_t *value)
{
    ritz_status status = RITZ_OK;
    const int64_t most = bytes == 4 ? INT32_MAX : INT64_MAX / 2;
    if (msh->binary) {
        int32_t narrow = 0;
        int64_t wide = 0;
        RITZ_TRY(take_bytes(msh, bytes, bytes == 4 ? (void *)&narrow : (void *)&wide));
        *value = bytes == 4 ? narrow : wide;
        if (*value > most || *value < -most)
            return ritz_msh_fail(msh, msh->at - bytes, "%s is %lld, out of range; write the file again", what,
                                 (long long)*value);
        return RITZ_OK;
    }
    skip_space(msh);
    const char *p = msh->at;
    bool negative = p < msh->end && *p == '-';
    int64_t sum = 0;
    p += negative || (p < msh->end && *p == '+');
    const char *first = p;
    while (p < msh->end && is_digit(*p) && sum <= most) {
        sum = 10 * (sum <= most / 10 ? sum : most / 10 + 1) + (*p - '0');
        p++;
    }
    if (p == first || sum > most || (p < msh->end && !is_space(*p)))
        return bad_word(msh, what, bytes == 4 ? "a whole number below 2147483648" : "a whole number");
    if (p == msh->end)
        return ritz_msh_truncated(msh);
    msh->at = p;
    *value = negative ? -sum : sum;
done:
    return status;
}

ritz_status ritz_msh_count(ritz_msh *msh, int bytes, const char *what, int64_t *value)
{
    ritz_status status = RITZ_OK;
    const char *before = msh->at;
    RITZ_TRY(ritz_msh_integer(msh, bytes, what, value));
    if (*value < 0)
        return ritz_msh_fail(msh, before, "%s is %lld, below zero; write the file again", what, (long long)*value);
    if (*value > msh->end - msh->at)
        return ritz_msh_fail(
            msh, before,
            "%s is %lld, more than the rest of the file can hold: it is truncated or damaged; write or copy it again",
            what, (long long)*value);
done:
    return status;
}

/* What begins the exponent of a number; Fortran writes a D. */
static bool is_exponent(char c)
{
    return c == 'e' || c == 'E' || c == 'd' || c == 'D';
}

/* End of a finite decimal number that begins at p, or p itself. */
static const char *real_end(const char *p, const char *end)
{
    const char *start = p;
    int digits = 0;
    p += p < end && (*p == '-' || *p == '+');
    for (; p < end && is_digit(*p); p++)
        digits++;
    p += p < end && *p == '.';
    for (; p < end && is_digit(*p); p++)
        digits++;
    if (digits == 0)
        return start;
    if (p < end && is_exponent(*p)) {
        p++;
        p += p < end && (*p == '-' || *p == '+');
        int n = 0;
        for (; p < end && is_digit(*p); p++)
            n++;
        if (n == 0 || n > 9)
            return start;
    }
    return p;
}

/* The number from p to end. */
static double read_decimal(const char *p, const char *end)
{
    char text[64];
    const size_t n = (size_t)(end - p);
    if (!memchr(p, 'D', n) && !memchr(p, 'd', n))
        return strtod(p, NULL);
    if (n >= sizeof text)
        return NAN;
    memcpy(text, p, n);
    text[n] = 0;
    text[strcspn(text, "dD")] = 'e';
    return strtod(text, NULL);
}

static ritz_status bad_real(const ritz_msh *msh, const char *what, int64_t number, const char *word)
{
    if (number > 0)
        return ritz_msh_fail(msh, msh->at, "%s of node %lld is '%s', which is not a finite number; correct the mesh",
                             what, (long long)number, word);
    return ritz_msh_fail(msh, msh->at, "%s is '%s', which is not a finite number; write the file again", what, word);
}

/* The reader has set the locale whose decimal mark is a point. */
static ritz_status take_real(ritz_msh *msh, const char *what, int64_t number, double *value)
{
    ritz_status status = RITZ_OK;
    char word[32];
    if (msh->binary) {
        RITZ_TRY(take_bytes(msh, 8, value));
        snprintf(word, sizeof word, "%g", *value);
    } else {
        skip_space(msh);
        const char *end = real_end(msh->at, msh->end);
        if (end == msh->end)
            return ritz_msh_truncated(msh);
        word_at(msh, word);
        *value = end > msh->at && is_space(*end) ? read_decimal(msh->at, end) : NAN;
        msh->at = isfinite(*value) ? end : msh->at;
    }
    if (!isfinite(*value))
        RITZ_TRY(bad_real(msh, what, number, word));
done:
    return status;
}

ritz_status ritz_msh_reals(ritz_msh *msh, int64_t n, const char *what, int64_t number, double *values)
{
    ritz_status status = RITZ_OK;
    double unused;
    for (int64_t i = 0; i < n; i++)
        RITZ_TRY(take_real(msh, what, number, values ? &values[i] : &unused));
done:
    return status;
}

bool ritz_msh_is_end(const ritz_msh *msh, const char *at, const char **stop)
{
    static const char mark[] = "$End";
    const size_t n_mark = sizeof mark - 1, n = n_mark + strlen(msh->section);
    size_t k = 0;
    while (k < n && at + k < msh->end && at[k] == (k < n_mark ? mark[k] : msh->section[k - n_mark]))
        k++;
    *stop = at + k;
    return k == n;
}

ritz_status ritz_msh_end(ritz_msh *msh)
{
    char word[24];
    const char *stop;
    skip_space(msh);
    if (ritz_msh_is_end(msh, msh->at, &stop)) {
        ritz_msh_skip_line(msh);
        return RITZ_OK;
    }
    if (stop == msh->end)
        return ritz_msh_truncated(msh);
    word_at(msh, word);
    return ritz_msh_fail(
        msh, msh->at,
        "'%s' appears where $End%s should be: the counts in the section do not fit its content; write the file again",
        word, msh->section);
}

ritz_status ritz_msh_numbers_add(ritz_msh_numbers *set, int64_t number)
{
    ritz_status status = RITZ_OK;
    if (set->n == set->capacity) {
        int64_t capacity = 2 * set->capacity + 64;
        RITZ_RESIZE(set->numbers, capacity);
        set->capacity = capacity;
    }
    set->least = set->n == 0 || number < set->least ? number : set->least;
    set->largest = set->n == 0 || number > set->largest ? number : set->largest;
    set->numbers[set->n++] = number;
done:
    return status;
}

static int by_number(const void *p, const void *q)
{
    int64_t a = ((const struct ritz_msh_place *)p)->number, b = ((const struct ritz_msh_place *)q)->number;
    return (a > b) - (a < b);
}

ritz_status ritz_msh_numbers_close(ritz_msh_numbers *set, int64_t *twice)
{
    ritz_status status = RITZ_OK;
    *twice = 0;
    RITZ_REQUIRE(set->n <= INT32_MAX, RITZ_ERROR_INPUT,
                 "the mesh has %lld nodes, more than the 2147483647 that one mesh can hold; split it into parts",
                 (long long)set->n);
    if (set->n > 0 && set->least >= 0 && set->largest < 8 * set->n + 1024) {
        RITZ_NEW(set->direct, set->largest + 1);
        memset(set->direct, -1, (size_t)(set->largest + 1) * sizeof *set->direct);
        for (int64_t i = 0; i < set->n; i++) {
            int32_t *place = &set->direct[set->numbers[i]];
            *twice = *twice == 0 && *place >= 0 ? set->numbers[i] : *twice;
            *place = (int32_t)i;
        }
        return RITZ_OK;
    }
    RITZ_NEW(set->sorted, set->n);
    for (int64_t i = 0; i < set->n; i++)
        set->sorted[i] = (struct ritz_msh_place){set->numbers[i], (int32_t)i};
    if (set->n > 0)
        qsort(set->sorted, (size_t)set->n, sizeof *set->sorted, by_number);
    for (int64_t i = 1; i < set->n && *twice == 0; i++)
        *twice = set->sorted[i].number == set->sorted[i - 1].number ? set->sorted[i].number : 0;
done:
    return status;
}

int32_t ritz_msh_numbers_find(const ritz_msh_numbers *set, int64_t number)
{
    if (set->n == 0 || number < set->least || number > set->largest)
        return -1;
    if (set->direct)
        return set->direct[number];
    const struct ritz_msh_place key = {number, 0},
                                *found = bsearch(&key, set->sorted, (size_t)set->n, sizeof key, by_number);
    return found ? found->place : -1;
}

bool ritz_msh_numbers_has(const ritz_msh_numbers *set, int64_t number)
{
    return ritz_msh_numbers_find(set, number) >= 0;
}

void ritz_msh_numbers_free(ritz_msh_numbers *set)
{
    ritz_free(set->numbers);
    ritz_free(set->direct);
    ritz_free(set->sorted);
    *set = (ritz_msh_numbers){0};
}
