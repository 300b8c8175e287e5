/* Decks as text: files and what they include, cards, their parameters and data lines. */
#include "mesh/deck.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_INCLUDES = 256, DEEPEST = 16 };

ritz_status ritz_deck_fail(ritz_deck_place place, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ritz_fail(RITZ_ERROR_INPUT, "%s:%d: %s", place.file, place.line, text);
}

/* ---- Fields ---- */

/* Moves to the first character of a field, up to a comma, that is not blank; the length without the blanks behind it. */
static size_t trim_field(const char **at)
{
    size_t length = strcspn(*at, ",");
    while (length > 0 && isspace((unsigned char)**at)) {
        ++*at;
        length--;
    }
    while (length > 0 && isspace((unsigned char)(*at)[length - 1]))
        length--;
    return length;
}

int ritz_deck_fields(const ritz_deck_line *line, char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD])
{
    int n = 0;
    for (const char *at = line->text; n < RITZ_DECK_FIELDS; n++) {
        const size_t whole = strcspn(at, ",");
        const char *next = at[whole] == ',' ? at + whole + 1 : NULL;
        size_t length = trim_field(&at);
        if (!next && length == 0) /* a comma at the end of the line */
            return n;
        length = length < RITZ_DECK_WORD ? length : RITZ_DECK_WORD - 1;
        memcpy(fields[n], at, length);
        fields[n][length] = '\0';
        if (!next)
            return n + 1;
        at = next;
    }
    return n;
}

bool ritz_deck_real(const char *field, double *value)
{
    char text[RITZ_DECK_WORD], *end;
    size_t n = 0;
    for (; field[n] && n + 1 < sizeof text; n++) {
        const char c = field[n];
        if (c == 'x' || c == 'X' || c == 'n' || c == 'N' || c == 'i' || c == 'I')
            return false;
        text[n] = c == 'd' || c == 'D' ? 'e' : c;
    }
    text[n] = '\0';
    if (n == 0)
        return false;
    *value = strtod(text, &end);
    return *end == '\0' && isfinite(*value);
}

bool ritz_deck_two_points(const ritz_deck *deck, const ritz_deck_card *card, double points[6])
{
    char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD];
    bool good = card->n == 1 && ritz_deck_fields(&deck->lines[card->first], fields) == 6;
    for (int i = 0; good && i < 6; i++)
        good = ritz_deck_real(fields[i], &points[i]);
    return good;
}

bool ritz_deck_integer(const char *field, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(field, &end, 10);
    return *field && *end == '\0' && errno == 0;
}

const char *ritz_deck_parameter_value(const ritz_deck_card *card, const char *name)
{
    for (int i = 0; i < card->n_parameters; i++)
        if (strcmp(card->parameters[i].name, name) == 0)
            return card->parameters[i].value ? card->parameters[i].value : "";
    return NULL;
}

/* ---- Keywords ---- */

/* Without blanks at both ends and quotes around it, in place. */
static char *trim_text(char *text)
{
    while (isspace((unsigned char)*text) || *text == '"')
        text++;
    size_t n = strlen(text);
    while (n > 0 && (isspace((unsigned char)text[n - 1]) || text[n - 1] == '"'))
        text[--n] = '\0';
    return text;
}

/* In capitals; single blanks between words, or none. */
static ritz_status copy_word(const char *text, bool blanks, char **word)
{
    ritz_status status = RITZ_OK;
    char *to;
    RITZ_TRY(ritz_copy_text(text, word));
    to = *word;
    for (const char *c = text; *c; c++) {
        if (!isspace((unsigned char)*c))
            *to++ = (char)toupper((unsigned char)*c);
        else if (blanks && to > *word && to[-1] != ' ' && c[1])
            *to++ = ' ';
    }
    *to = '\0';
done:
    return status;
}

static ritz_status add_parameter(ritz_deck_card *card, char *text)
{
    ritz_status status = RITZ_OK;
    char *equals = strchr(text, '=');
    text = trim_text(text);
    if (!*text)
        return RITZ_OK;
    if (card->n_parameters == RITZ_DECK_PARAMETERS)
        return ritz_deck_fail(card->place, "*%s has more than %d parameters", card->words, RITZ_DECK_PARAMETERS);
    ritz_deck_parameter *parameter = &card->parameters[card->n_parameters++];
    if (equals)
        *equals = '\0';
    RITZ_TRY(copy_word(text, false, &parameter->name));
    if (equals)
        RITZ_TRY(ritz_copy_text(trim_text(equals + 1), &parameter->value));
done:
    return status;
}

/* The text after the star, its continued lines joined to it. */
static ritz_status add_card(ritz_deck *deck, ritz_deck_place place, char *text)
{
    ritz_status status = RITZ_OK;
    if (deck->n_cards == deck->card_capacity) {
        deck->card_capacity = 2 * deck->card_capacity + 64;
        RITZ_RESIZE(deck->cards, deck->card_capacity);
    }
    ritz_deck_card *card = &deck->cards[deck->n_cards++];
    *card = (ritz_deck_card){.place = place, .first = deck->n_lines};
    char *next = strchr(text, ',');
    if (next)
        *next++ = '\0';
    RITZ_TRY(copy_word(trim_text(text), false, &card->keyword));
    RITZ_TRY(copy_word(trim_text(text), true, &card->words));
    while (next) {
        char *parameter = next;
        next = strchr(next, ',');
        if (next)
            *next++ = '\0';
        RITZ_TRY(add_parameter(card, parameter));
    }
done:
    return status;
}

/* Whether its fields, and each of them, have room. */
static bool has_room(const char *text)
{
    int n = 1;
    for (const char *field = text;; field += strcspn(field, ",") + 1, n++) {
        const size_t length = strcspn(field, ",");
        const char *at = field;
        if (trim_field(&at) >= RITZ_DECK_WORD || n > RITZ_DECK_FIELDS)
            return n == RITZ_DECK_FIELDS + 1 && field[strspn(field, " \t")] == '\0'; /* a comma at the end */
        if (field[length] == '\0')
            return true;
    }
}

static ritz_status add_line(ritz_deck *deck, ritz_deck_place place, char *text)
{
    ritz_status status = RITZ_OK;
    if (deck->n_cards == 0)
        return ritz_deck_fail(place, "data stand before the first keyword; a deck begins with a line like *NODE");
    if (!has_room(text))
        return ritz_deck_fail(place, "a line of data has at most %d fields of less than %d characters",
                              RITZ_DECK_FIELDS, RITZ_DECK_WORD);
    if (deck->n_lines == deck->line_capacity) {
        deck->line_capacity = 2 * deck->line_capacity + 1024;
        RITZ_RESIZE(deck->lines, deck->line_capacity);
    }
    deck->lines[deck->n_lines++] = (ritz_deck_line){.place = place, .text = text, .target = -1};
    deck->cards[deck->n_cards - 1].n++;
done:
    return status;
}

/* ---- Files ---- */

static ritz_status load_text(const char *path, char **text)
{
    ritz_status status = RITZ_OK;
    int64_t n = 0;
    RITZ_TRY(ritz_read_file(path, INT64_MAX, text, &n));
    RITZ_REQUIRE((int64_t)strlen(*text) == n, RITZ_ERROR_INPUT, "%s: holds zero bytes; a deck is a text", path);
done:
    return status;
}

/* A line that is neither blank nor a comment, without its end; NULL at the end of the text. */
static char *next_line(char **at, int *line)
{
    while (**at) {
        char *text = *at, *stop = text + strcspn(text, "\r\n");
        *at = *stop ? stop + (stop[0] == '\r' && stop[1] == '\n' ? 2 : 1) : stop;
        *stop = '\0';
        ++*line;
        text += strspn(text, " \t");
        if (*text && strncmp(text, "**", 2) != 0)
            return text;
    }
    return NULL;
}

static ritz_status read_file(ritz_deck *deck, const char *path, int depth);

/* *INCLUDE,INPUT=path: from the folder of the file that includes. */
static ritz_status read_include(ritz_deck *deck, ritz_deck_place place, char *text, int depth)
{
    ritz_status status = RITZ_OK;
    char *path = NULL, *name = strchr(text, '=');
    if (!name || !*trim_text(name + 1))
        return ritz_deck_fail(place, "*INCLUDE names no file; write  *INCLUDE, INPUT=mesh.inp");
    name = trim_text(name + 1);
    const char *slash = strrchr(place.file, '/');
    const int folder = *name != '/' && slash ? (int)(slash + 1 - place.file) : 0;
    if (depth == DEEPEST || deck->n_files == MOST_INCLUDES)
        return ritz_deck_fail(place, "too many files include each other; does '%s' include itself?", name);
    RITZ_TRY(ritz_format(&path, "%.*s%s", folder, place.file, name));
    status = read_file(deck, path, depth + 1);
    if (status == RITZ_ERROR_FILE)
        ritz_fail_context(status, "%s:%d: ", place.file, place.line);
done:
    ritz_free(path);
    return status;
}

static ritz_status read_file(ritz_deck *deck, const char *path, int depth)
{
    ritz_status status = RITZ_OK;
    char *at, *text, *joined = NULL;
    int line = 0;
    RITZ_RESIZE(deck->files, deck->n_files + 1);
    RITZ_RESIZE(deck->texts, deck->n_files + 1);
    deck->files[deck->n_files] = deck->texts[deck->n_files] = NULL;
    const int f = deck->n_files++;
    RITZ_TRY(ritz_copy_text(path, &deck->files[f]));
    RITZ_TRY(load_text(path, &deck->texts[f]));
    at = deck->texts[f] + (strncmp(deck->texts[f], "\xEF\xBB\xBF", 3) == 0 ? 3 : 0); /* a byte order mark */
    while ((text = next_line(&at, &line))) {
        const ritz_deck_place place = {deck->files[f], line};
        if (*text != '*') {
            RITZ_TRY(add_line(deck, place, text));
            continue;
        }
        RITZ_TRY(ritz_copy_text(trim_text(text + 1), &joined));
        while (*joined && joined[strlen(joined) - 1] == ',' && (text = next_line(&at, &line))) {
            char *longer = NULL;
            RITZ_TRY(ritz_format(&longer, "%s%s", joined, trim_text(text)));
            ritz_free(joined);
            joined = longer;
        }
        RITZ_TRY(strncasecmp(joined, "INCLUDE", 7) == 0 ? read_include(deck, place, joined, depth)
                                                        : add_card(deck, place, joined));
        ritz_free(joined);
        joined = NULL;
    }
done:
    ritz_free(joined);
    return status;
}

ritz_status ritz_deck_read_cards(const char *path, ritz_deck *deck)
{
    return read_file(deck, path, 0);
}
