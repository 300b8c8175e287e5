/* Lines of the problem file with the places that they came from. */
#include "deck/writing.h"

#include <stdarg.h>
#include <stdio.h>

/* Adds one whole line, which came from a place in the deck. */
ritz_status ritz_deck_add_line(ritz_deck_writing *w, ritz_deck_place place, const char *format, ...)
{
    ritz_status status = RITZ_OK;
    ritz_deck_problem *out = w->out;
    char *line = NULL; /* an equation may have thousands of terms */
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    RITZ_NEW(line, length + 1);
    va_start(arguments, format);
    vsnprintf(line, (size_t)length + 1, format, arguments);
    va_end(arguments);
    if (out->n_lines == out->capacity) {
        out->capacity = 2 * out->capacity + 64;
        RITZ_RESIZE(out->origins, out->capacity);
    }
    int file = 0;
    while (file + 1 < w->a->deck->n_files && w->a->deck->files[file] != place.file)
        file++;
    out->origins[out->n_lines++] = (struct ritz_deck_origin){file, place.line};
    ritz_text_add(&w->text, "%s\n", line);
done:
    ritz_free(line);
    return status;
}

ritz_status ritz_deck_add_file(ritz_deck_writing *w, ritz_deck_place place, const char *key, const char *file)
{
    ritz_text text = {0};
    char *marked = NULL;
    for (const char *c = file; *c; c++)
        ritz_text_add(&text, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    ritz_status status = ritz_text_take(&text, &marked);
    if (status == RITZ_OK)
        status = ritz_deck_add_line(w, place, "%s: \"%s\"", key, marked);
    ritz_free(marked);
    return status;
}

ritz_status ritz_deck_add_note(ritz_deck_writing *w, ritz_deck_place place, const char *text, const char *word)
{
    ritz_status status = RITZ_OK;
    RITZ_RESIZE(w->out->notes, w->out->n_notes + 1);
    w->out->notes[w->out->n_notes] = NULL;
    RITZ_TRY(ritz_format(&w->out->notes[w->out->n_notes++], "%s:%d: %s %s", place.file, place.line, text, word));
done:
    return status;
}

ritz_status ritz_deck_require_displacements(const ritz_deck_analysis *a, ritz_deck_place place, const char *words)
{
    return a->procedure == RITZ_DECK_HEAT
               ? ritz_deck_fail(place, "*%s binds displacements, which heat transfer has none of; remove it", words)
               : RITZ_OK;
}

const char *ritz_deck_group_name(const ritz_deck_writing *w, int32_t group)
{
    return w->a->deck->groups[group].name;
}
