/* Files of other programs looked through before Gmsh reads them: it takes one that ends early for a smaller mesh. */
#include "mesh/formats.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The next line without its end, cut to fit; false at the end of the file. */
typedef struct lines {
    const char *at, *end;
    char line[256];
} lines;

static bool next_line(lines *l)
{
    if (l->at >= l->end)
        return false;
    const char *stop = memchr(l->at, '\n', (size_t)(l->end - l->at));
    const size_t length = (size_t)((stop ? stop : l->end) - l->at);
    snprintf(l->line, sizeof l->line, "%.*s", (int)(length < sizeof l->line ? length : sizeof l->line - 1), l->at);
    l->line[strcspn(l->line, "\r")] = 0;
    l->at = stop ? stop + 1 : l->end;
    return true;
}

static ritz_status ends_early(const char *path, const char *wanted)
{
    return ritz_fail(RITZ_ERROR_INPUT, "%s: the file ends without %s: it is truncated; write or copy it again", path,
                     wanted);
}

/* ---- Nastran ---- */

/* The name of a property that a comment tells, as HyperMesh, Femap and ANSA write them: its length, 0 for none. */
static int name_in_comment(const char *line, int *property, char name[128])
{
    char kind[16];
    const char *mark = strstr(line, "Property ");
    *name = 0;
    if (sscanf(line, "$HMNAME %15s %d \"%127[^\"]\"", kind, property, name) == 3 &&
        (strncmp(kind, "COMP", 4) == 0 || strcmp(kind, "PROP") == 0))
        return (int)strlen(name);
    if (sscanf(line, "$ANSA_NAME_COMMENT;%d;%15[^;];%127[^;]", property, kind, name) == 3 && kind[0] == 'P')
        return (int)strlen(name);
    if (mark && sscanf(mark, "Property %d : %127[^\n]", property, name) == 2)
        return (int)strlen(name);
    return 0;
}

/* Field 1, 2, .. behind the name of a card, of 8 columns, behind a star of 16, or between commas, as a number; 0: it is blank. */
static int field_of(const char *line, int field)
{
    const char *at = line;
    const int width = memchr(line, '*', strnlen(line, 8)) ? 16 : 8;
    if (strchr(line, ',')) {
        for (int k = 0; k < field && at; k++)
            at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
        return at ? atoi(at) : 0;
    }
    const size_t begin = (size_t)(8 + (field - 1) * width);
    char text[17] = "";
    if (strlen(line) > begin)
        snprintf(text, (size_t)width + 1, "%s", line + begin);
    return atoi(text);
}

/* The number of a property's card ("PSOLID  3 ...", "PSHELL,3,..."), or 0. */
static int property_of(const char *line)
{
    static const char *const cards[] = {"PSOLID", "PLSOLID", "PSHELL", "PCOMP", "PPLANE", "PLPLANE", "PBAR", "PROD"};
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++)
        if (strncasecmp(line, cards[i], strlen(cards[i])) == 0)
            return field_of(line, 1);
    return 0;
}

static ritz_status name_property(ritz_model *model, int property, const char *name)
{
    ritz_status status = RITZ_OK;
    for (int dim = 1; dim <= 3; dim++)
        RITZ_TRY(ritz_model_add_name(model, dim, property, name, (int64_t)strlen(name)));
done:
    return status;
}

/* Gmsh takes the numbers of nodes in a system of their own for x, y, z. */
static ritz_status check_system(const char *path, const char *line)
{
    const bool is_node = strncasecmp(line, "GRID", 4) == 0 && strchr(" ,*\t", line[4]);
    if (!(is_node || strncasecmp(line, "GRDSET", 6) == 0) || field_of(line, 2) == 0)
        return RITZ_OK;
    return ritz_fail(
        RITZ_ERROR_INPUT,
        "%s: %s %d is in the coordinate system %d (CP), and such systems are not read; write the nodes in the "
        "basic system, along x, y, z",
        path, is_node ? "GRID" : "GRDSET", is_node ? field_of(line, 1) : 0, field_of(line, 2));
}

ritz_status ritz_bdf_check(const char *path, const char *data, int64_t n, ritz_model *model)
{
    ritz_status status = RITZ_OK;
    lines l = {.at = data, .end = data + n};
    char name[128], region[128] = ""; /* region: Patran's, of the next property */
    bool ended = false;
    while (!ended && next_line(&l)) {
        int property = 0;
        const char *mark = strstr(l.line, "for region : ");
        ended = strncasecmp(l.line, "ENDDATA", 7) == 0;
        RITZ_TRY(check_system(path, l.line));
        if (l.line[0] == '$' && name_in_comment(l.line, &property, name) > 0)
            RITZ_TRY(name_property(model, property, name));
        else if (l.line[0] == '$' && mark)
            snprintf(region, sizeof region, "%.127s", mark + strlen("for region : "));
        else if (*region && (property = property_of(l.line)) > 0) {
            RITZ_TRY(name_property(model, property, region));
            *region = 0;
        }
    }
    if (!ended)
        RITZ_TRY(ends_early(path, "ENDDATA"));
done:
    return status;
}

/* ---- The others ---- */

/* The last word of the file, upper or lower case. */
static bool last_word_is(const char *data, int64_t n, const char *word)
{
    const int64_t length = (int64_t)strlen(word);
    while (n > 0 && isspace((unsigned char)data[n - 1]))
        n--;
    return n >= length && strncasecmp(data + n - length, word, (size_t)length) == 0 &&
           (n == length || isspace((unsigned char)data[n - length - 1]));
}

ritz_status ritz_medit_check(const char *path, const char *data, int64_t n, ritz_model *model)
{
    (void)model;
    return last_word_is(data, n, "End") ? RITZ_OK : ends_early(path, "the word End");
}

ritz_status ritz_stl_check(const char *path, const char *data, int64_t n, ritz_model *model)
{
    enum { HEAD = 84, FACET = 50 };
    lines l = {.at = data, .end = data + n};
    uint32_t facets = 0;
    bool closed = false;
    (void)model;
    if (n >= HEAD)
        memcpy(&facets, data + 80, sizeof facets); /* little-endian, as is every machine with a device that we know */
    if (n == HEAD + FACET * (int64_t)facets)
        return RITZ_OK;
    if (n < 5 || strncasecmp(data, "solid", 5) != 0)
        return ritz_fail(RITZ_ERROR_INPUT,
                         "%s: is neither text that begins with 'solid' nor a binary .stl file of %lld bytes for its %u "
                         "facets (it has %lld): it is truncated or not an .stl file; write or copy it again",
                         path, (long long)(HEAD + FACET * (int64_t)facets), facets, (long long)n);
    while (next_line(&l)) {
        const char *word = l.line + strspn(l.line, " \t");
        if (*word)
            closed = strncasecmp(word, "endsolid", 8) == 0;
    }
    return closed ? RITZ_OK : ends_early(path, "a last line 'endsolid'");
}

/* Plot3D, text: the number of blocks, three sizes each, then the coordinates of their points. */
ritz_status ritz_p3d_check(const char *path, const char *data, int64_t n, ritz_model *model)
{
    int64_t found = 0, blocks = 0, wanted = 1, points = 1, sum = 0;
    (void)model;
    for (const char *at = data, *end = data + n; at < end;) {
        while (at < end && isspace((unsigned char)*at))
            at++;
        if (at == end)
            break;
        char word[32];
        int length = 0;
        for (; at < end && !isspace((unsigned char)*at); at++) {
            if (length < 31)
                word[length++] = *at;
        }
        word[length] = 0;
        const int64_t value = found <= 3 * blocks ? strtoll(word, NULL, 10) : 0;
        if (found <= 3 * blocks && (value < 1 || value > n))
            return ritz_fail(
                RITZ_ERROR_INPUT,
                "%s: '%.20s' is not a number of blocks or of points along a side; a .p3d file begins with these", path,
                word);
        if (found == 0) {
            blocks = value;
            wanted = 1 + 3 * blocks;
        } else if (found <= 3 * blocks) {
            points = found % 3 == 1 ? value : points > n / value ? n + 1 : points * value;
            sum += found % 3 == 0 ? points : 0;
        }
        found++;
    }
    wanted += 3 * ritz_min64(sum, n);
    if (found < wanted || found <= 3 * blocks)
        return ritz_fail(
            RITZ_ERROR_INPUT,
            "%s: the file ends early: it holds %lld numbers where its sizes announce %lld; write or copy it "
            "again",
            path, (long long)found, (long long)wanted);
    return RITZ_OK;
}
