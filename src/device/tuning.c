/* Looking up a constant in the table of measured ones. A row is

       constant  device  value  [term ...]      # comment

   with a number or a word for value, and terms like block=3, mean<20, value>=4 about the facts of the case, all of which
   must hold. device is * for any, a kind (cpu, gpu, other), vendor:TEXT or family:TEXT, parts of the vendor's and the
   device's name, or name:TEXT, the whole name; blanks in TEXT are written as _. A row for a name goes before one for a
   family, a vendor, a kind, any device; among those of one rank the first that holds. */
#include "device/tuning.h"
#include "device/opencl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[RITZ_N_CONSTANTS] = {
#define NAME(symbol, name) [RITZ_##symbol] = (name),
    RITZ_CONSTANTS(NAME)
#undef NAME
};

const char *ritz_constant_name(ritz_constant constant)
{
    return names[constant];
}

/* A word of a line. */
typedef struct word {
    const char *text;
    size_t length;
} word;

/* The next word before the line's end or a comment; length 0: none. */
static word next_word(const char **at)
{
    const char *p = *at;
    p += strspn(p, " \t");
    const size_t length = *p == '#' ? 0 : strcspn(p, " \t\n");
    *at = p + length;
    return (word){p, length};
}

static bool is_word(word w, const char *text)
{
    return strlen(text) == w.length && memcmp(w.text, text, w.length) == 0;
}

/* Whether `name` begins with w, blanks written as _. */
static bool begins_with(const char *name, word w)
{
    for (size_t i = 0; i < w.length; i++)
        if (name[i] != w.text[i] && !(name[i] == ' ' && w.text[i] == '_'))
            return false;
    return true;
}

static bool has_word(const char *name, word w)
{
    for (; *name; name++)
        if (begins_with(name, w))
            return true;
    return false;
}

/* How closely a row's device fits, 0 where it does not. */
static int rank_device(word w, const ritz_device_info *device)
{
    const char *colon = memchr(w.text, ':', w.length);
    if (!colon)
        return is_word(w, "*") ? 1 : is_word(w, ritz_device_kind_name(device->kind)) ? 2 : 0;
    const word prefix = {w.text, (size_t)(colon - w.text)}, rest = {colon + 1, w.length - prefix.length - 1};
    if (is_word(prefix, "vendor"))
        return has_word(device->vendor, rest) ? 3 : 0;
    if (is_word(prefix, "family"))
        return has_word(device->name, rest) ? 4 : 0;
    return is_word(prefix, "name") && strlen(device->name) == rest.length && begins_with(device->name, rest) ? 5 : 0;
}

/* One term: a fact that is not given does not hold. */
static bool term_holds(word term, const ritz_fact *facts, int n_facts)
{
    const size_t length = strcspn(term.text, "<>=");
    const char *sign = term.text + length, *number = sign + strspn(sign, "<>=");
    const double value = strtod(number, NULL);
    for (int f = 0; f < n_facts; f++) {
        if (!is_word((word){term.text, length}, facts[f].name))
            continue;
        const double fact = facts[f].value;
        const bool equal = fact == value && memchr(sign, '=', (size_t)(number - sign));
        return equal || (*sign == '<' && fact < value) || (*sign == '>' && fact > value);
    }
    return false;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

/* The lines of a table that have rows of a constant, and may have others between them. */
typedef struct span {
    const char *begin, *end;
} span;

/* A row that holds, and how closely its device fits. */
typedef struct found_row {
    const char *line; /* NULL: none */
    int fit;
    word value;
} found_row;

/* The row that goes before all that hold, or the next one behind a row that was found. */
static found_row find_row(span lines, const ritz_device_info *device, ritz_constant constant, const ritz_fact *facts,
                          int n_facts, const found_row *behind)
{
    found_row best = {0};
    for (const char *line = lines.begin; line < lines.end; line = next_line(line)) {
        const char *at = line;
        if (!is_word(next_word(&at), names[constant]))
            continue;
        const int fit = rank_device(next_word(&at), device);
        const word told = next_word(&at);
        bool all = fit > best.fit && (!behind || fit < behind->fit || (fit == behind->fit && line > behind->line));
        for (word term; all && (term = next_word(&at)).length > 0;)
            all = term_holds(term, facts, n_facts);
        if (all)
            best = (found_row){line, fit, told};
    }
    return best;
}

double ritz_tuned_in(const char *table, const ritz_device_info *device, ritz_constant constant, const ritz_fact *facts,
                     int n_facts, bool *found)
{
    const word value = find_row((span){table, table + strlen(table)}, device, constant, facts, n_facts, NULL).value;
    *found = value.length > 0;
    return *found ? strtod(value.text, NULL) : 0;
}

/* Where a table has its constants: tables are long, and a plan asks dozens of times. */
typedef struct index {
    const char *table;
    int generation;
    span of[RITZ_N_CONSTANTS];
} index_of_table;

static void make_index(index_of_table *made, const char *table, int generation)
{
    *made = (index_of_table){.table = table, .generation = generation};
    for (const char *line = table, *next; *line; line = next) {
        const char *at = line;
        const word name = next_word(&at);
        next = next_line(line);
        for (int c = 0; name.length > 0 && c < RITZ_N_CONSTANTS; c++)
            if (is_word(name, names[c]))
                made->of[c] = (span){made->of[c].begin ? made->of[c].begin : line, next};
    }
}

/* The lines of a constant in the table at this place; to be called while the tables are held. */
static span find_span(const char *table, int place, ritz_constant constant)
{
    static index_of_table indices[RITZ_TUNING_TABLES];
    index_of_table *known = &indices[place];
    const int generation = ritz_tuning_generation();
    if (known->table != table || known->generation != generation)
        make_index(known, table, generation);
    return known->of[constant];
}

enum { COMPLAINT = 1024, MOST_ROW = 160 };

/* What is told of a row that is passed over; "" where it was told before. */
static void write_complaint(const ritz_tuning_table *table, const found_row *row, const char *why,
                            char complaint[COMPLAINT])
{
    int length = (int)strcspn(row->line, "#\n");
    while (length > 0 && (row->line[length - 1] == ' ' || row->line[length - 1] == '\t'))
        length--;
    snprintf(complaint, COMPLAINT, "warning: %s %s: the row '%.*s%s' is passed over, ", table->what, table->where,
             length < MOST_ROW ? length : MOST_ROW, row->line, length < MOST_ROW ? "" : " ...");
    const size_t used = strlen(complaint);
    if (ritz_tuning_is_news(complaint))
        snprintf(complaint + used, COMPLAINT - used, "%s; correct the row or take it out", why);
    else
        *complaint = '\0';
}

/* The value from the first table that has one that serves; "" where none has. A row that is passed over for the first
   time ends it: the complaint has to be logged first, when the tables are let go. */
static bool find_serving(const ritz_device_info *device, ritz_constant constant, const ritz_fact *facts, int n_facts,
                         ritz_tuned_serves *serves, void *context, char text[RITZ_TUNED_TEXT],
                         char complaint[COMPLAINT])
{
    ritz_tuning_table tables[RITZ_TUNING_TABLES];
    const int n = ritz_tuning_hold(device, tables);
    char why[RITZ_TUNED_WHY];
    bool found = false;
    *complaint = *text = '\0';
    for (int t = 0; t < n && !found && !*complaint; t++) {
        const span lines = find_span(tables[t].rows, t, constant);
        found_row row = find_row(lines, device, constant, facts, n_facts, NULL);
        while (row.line && !*complaint) {
            snprintf(text, RITZ_TUNED_TEXT, "%.*s", (int)row.value.length, row.value.text);
            found = !serves || serves(context, text, why);
            if (found)
                break;
            if (tables[t].what)
                write_complaint(&tables[t], &row, why, complaint);
            row = find_row(lines, device, constant, facts, n_facts, &row);
        }
    }
    ritz_tuning_let_go();
    if (!found)
        *text = '\0';
    return found;
}

static bool find_constant(const ritz_device_info *device, ritz_constant constant, const ritz_fact *facts, int n_facts,
                          ritz_tuned_serves *serves, void *context, char text[RITZ_TUNED_TEXT])
{
    char complaint[COMPLAINT];
    bool found;
    do {
        found = find_serving(device, constant, facts, n_facts, serves, context, text, complaint);
        if (*complaint)
            ritz_log("%s", complaint);
    } while (*complaint);
    return found;
}

double ritz_tuned(const ritz_device_info *device, ritz_constant constant, const ritz_fact *facts, int n_facts)
{
    char text[RITZ_TUNED_TEXT];
    return find_constant(device, constant, facts, n_facts, NULL, NULL, text) ? strtod(text, NULL) : 0;
}

double ritz_device_tuned(ritz_device *device, ritz_constant constant)
{
    const int now = ritz_tuning_generation();
    if (device->tuned_generation != now) {
        for (int c = 0; c < RITZ_N_CONSTANTS; c++)
            device->tuned[c] = ritz_tuned(&device->info, (ritz_constant)c, NULL, 0);
        device->tuned_generation = now;
    }
    return device->tuned[constant];
}

int64_t ritz_device_sum_units(ritz_device *device)
{
    const int64_t units = (int64_t)ritz_device_tuned(device, RITZ_SUMS_UNITS);
    return ritz_max64(1, units > 0 ? units : device->info.compute_units);
}

void ritz_tuned_text(const ritz_device_info *device, ritz_constant constant, const ritz_fact *facts, int n_facts,
                     ritz_tuned_serves *serves, void *context, char text[RITZ_TUNED_TEXT])
{
    find_constant(device, constant, facts, n_facts, serves, context, text);
}

static bool is_term(word term)
{
    const size_t name = strcspn(term.text, "<>=");
    const char *number = term.text + name + strspn(term.text + name, "<>=");
    char *end;
    strtod(number, &end);
    return name > 0 && name < term.length && end > number && end == term.text + term.length;
}

/* What a constant can be, by its rows that are built in: sizes and counts, which are nowhere less than 1, are divided by, others
   are 0 at least; and far beyond the greatest, products of sizes do not fit into their types. */
static bool is_possible(const index_of_table *built_in, int constant, double number)
{
    const span lines = built_in->of[constant];
    double least = 1, most = 1e6;
    for (const char *line = lines.begin; line < lines.end; line = next_line(line)) {
        const char *at = line;
        if (!is_word(next_word(&at), names[constant]))
            continue;
        next_word(&at);
        const double known = strtod(next_word(&at).text, NULL);
        least = fmin(least, known);
        most = fmax(most, 1e3 * known);
    }
    return number >= (least < 1 ? 0 : 1) && number <= fmin(most, 1e18); /* whole numbers of 64 bits hold 1e18 */
}

/* Whether it is a value of a constant that there is: a number, but for the two whose values are words. */
static bool is_value(const index_of_table *built_in, word name, word value)
{
    char text[RITZ_TUNED_TEXT], *end;
    int c = 0;
    while (c < RITZ_N_CONSTANTS && !is_word(name, names[c]))
        c++;
    if (c == RITZ_N_CONSTANTS || value.length == 0 || value.length >= sizeof text)
        return false;
    if (c == RITZ_INTEGRATE_METHOD || c == RITZ_INTEGRATE_PARAMETERS)
        return true;
    snprintf(text, sizeof text, "%.*s", (int)value.length, value.text);
    const double number = strtod(text, &end);
    return !*end && is_possible(built_in, c, number);
}

ritz_status ritz_tuning_check(const char *table, int64_t *n_rows)
{
    index_of_table built_in;
    int number = 1;
    make_index(&built_in, ritz_kernel_source("device/tuning.txt"), 0);
    *n_rows = 0;
    for (const char *line = table; *line; line = next_line(line), number++) {
        const char *at = line;
        const word name = next_word(&at), device = next_word(&at), value = next_word(&at);
        if (name.length == 0)
            continue;
        bool good = device.length > 0 && is_value(&built_in, name, value);
        for (word term; good && (term = next_word(&at)).length > 0;)
            good = is_term(term);
        if (!good)
            return ritz_fail(RITZ_ERROR_INPUT,
                             "line %d does not set a constant of this version to a value that it can have: '%.*s'",
                             number, (int)ritz_min64((int64_t)strcspn(line, "\n"), 80), line);
        ++*n_rows;
    }
    return RITZ_OK;
}
