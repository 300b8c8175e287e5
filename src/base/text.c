/* Text: copies, formatting, text that grows, nearest words. */
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ritz_status ritz_copy_text(const char *text, char **copy)
{
    ritz_status status = RITZ_OK;
    char *fresh = NULL;
    size_t bytes = strlen(text) + 1;
    RITZ_NEW(fresh, bytes);
    memcpy(fresh, text, bytes);
    *copy = fresh;
done:
    return status;
}

/* Makes room for `more` characters and the final NUL. */
static ritz_status reserve_characters(ritz_text *text, int64_t more)
{
    ritz_status status = RITZ_OK;
    if (text->length + more + 1 > text->capacity) {
        int64_t capacity = ritz_max64(2 * text->capacity, text->length + more + 1);
        RITZ_RESIZE(text->data, capacity);
        text->capacity = capacity;
    }
done:
    return status;
}

static void add_arguments(ritz_text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    /* To count characters takes longer than to write them: what fits at once is written at once. */
    int64_t room = text->capacity - text->length;
    int n = vsnprintf(room > 0 ? text->data + text->length : NULL, (size_t)room, format, arguments);
    if (text->status == RITZ_OK && n >= room && (text->status = reserve_characters(text, n)) == RITZ_OK)
        vsnprintf(text->data + text->length, (size_t)n + 1, format, again);
    text->length += text->status == RITZ_OK && n > 0 ? n : 0;
    va_end(again);
}

void ritz_text_add(ritz_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_arguments(text, format, arguments);
    va_end(arguments);
}

ritz_status ritz_text_take(ritz_text *text, char **data)
{
    ritz_text_add(text, "%s", "");
    ritz_status status = text->status;
    if (status == RITZ_OK) {
        *data = text->data;
        text->data = NULL;
    }
    ritz_text_free(text);
    return status;
}

void ritz_text_free(ritz_text *text)
{
    ritz_free(text->data);
    *text = (ritz_text){0};
}

ritz_status ritz_format(char **text, const char *format, ...)
{
    ritz_text made = {0};
    va_list arguments;
    va_start(arguments, format);
    add_arguments(&made, format, arguments);
    va_end(arguments);
    return ritz_text_take(&made, text);
}

/* Levenshtein distance of two words of fewer than 64 letters; large for longer ones. */
static int edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    int row[64];
    if (n >= 64 || m >= 64)
        return 64;
    for (size_t j = 0; j <= m; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            int change = diagonal + (a[i - 1] != b[j - 1]);
            int least = row[j] + 1 < row[j - 1] + 1 ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = change < least ? change : least;
        }
    }
    return row[m];
}

const char *ritz_nearest(const char *word, const char *const *candidates, int n_candidates)
{
    const char *best = NULL;
    int best_distance = (int)strlen(word) / 3 + 2; /* farther than this is another word, not a slip */
    for (int i = 0; i < n_candidates; i++) {
        int distance = edit_distance(word, candidates[i]);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidates[i];
        }
    }
    return best;
}

uint64_t ritz_hash(const void *data, int64_t bytes, uint64_t seed)
{
    uint64_t hash = seed ? seed : UINT64_C(14695981039346656037);
    const unsigned char *byte = data;
    for (int64_t i = 0; i < bytes; i++)
        hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    return hash;
}
