/* Groups for the lines of loads and supports that name numbers. Lines one below the other that say the same of different numbers
   are one line on all of them, a chain. Numbers that are in the same chains are a group: what one chain is on consists of
   whole groups, and a later line on one of its numbers finds the group that has it alone. */
#include "mesh/deck.h"

#include <stdlib.h>

/* A line, and what it is of. */
struct ritz_deck_numbered {
    int64_t line, chain; /* the chain's first line */
    int card_kind;       /* of cards that may change each other's lines */
    ritz_group_kind kind;
    int64_t member, face; /* face 0 where it is none */
    int occurrence;       /* of the number in its chain: what comes twice counts twice */
    bool first;           /* of all lines with this number */
    uint64_t chains;      /* a hash of all (chain, occurrence) that the number is in */
};

static int compare(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_cards(const ritz_deck_numbered *a, const ritz_deck_numbered *b)
{
    return a->kind != b->kind ? compare(a->kind, b->kind) : compare(a->card_kind, b->card_kind);
}

static int compare_numbers(const ritz_deck_numbered *a, const ritz_deck_numbered *b)
{
    const int cards = compare_cards(a, b);
    return cards ? cards : a->member != b->member ? compare(a->member, b->member) : compare(a->face, b->face);
}

static int by_number(const void *p, const void *q)
{
    const ritz_deck_numbered *a = p, *b = q;
    const int numbers = compare_numbers(a, b);
    return numbers ? numbers : compare(a->line, b->line);
}

static int compare_groups(const ritz_deck_numbered *a, const ritz_deck_numbered *b)
{
    const int cards = compare_cards(a, b);
    return cards ? cards : a->chains < b->chains ? -1 : a->chains > b->chains;
}

static int by_group(const void *p, const void *q)
{
    const ritz_deck_numbered *a = p, *b = q;
    const int groups = compare_groups(a, b);
    return groups                           ? groups
           : a->chain != b->chain           ? compare(a->chain, b->chain)
           : a->occurrence != b->occurrence ? compare(a->occurrence, b->occurrence)
                                            : compare(a->line, b->line);
}

ritz_status ritz_deck_add_numbered(ritz_deck *deck, const ritz_deck_line *line, bool joins, int card_kind,
                                   ritz_group_kind kind, int64_t member, int64_t face)
{
    ritz_status status = RITZ_OK;
    if (deck->n_numbered == deck->numbered_capacity) {
        deck->numbered_capacity = 2 * deck->numbered_capacity + 64;
        RITZ_RESIZE(deck->numbered, deck->numbered_capacity);
    }
    const int64_t number = line - deck->lines;
    deck->numbered[deck->n_numbered] = (ritz_deck_numbered){
        .line = number,
        .chain = joins ? deck->numbered[deck->n_numbered - 1].chain : number,
        .card_kind = card_kind,
        .kind = kind,
        .member = member,
        .face = face,
    };
    deck->n_numbered++;
done:
    return status;
}

/* Lines first .. end - 1 are those with one number, in their order, and so chain after chain. */
static void describe_number(ritz_deck_numbered *of, int64_t first, int64_t end)
{
    uint64_t chains = 0;
    for (int64_t i = first; i < end; i++) {
        if (i > first && of[i].chain == of[i - 1].chain)
            of[i].occurrence = of[i - 1].occurrence + 1;
        const int64_t key[2] = {of[i].chain, of[i].occurrence};
        chains = ritz_hash(key, sizeof key, chains);
    }
    for (int64_t i = first; i < end; i++) {
        of[i].chains = chains;
        of[i].first = i == first;
    }
}

/* Lines first .. end - 1 are those on one group, chain after chain. */
static ritz_status make_group(ritz_deck *deck, int64_t first, int64_t end)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_numbered *of = deck->numbered;
    int32_t group;
    RITZ_TRY(ritz_deck_add_group(deck, NULL, of[first].kind, &group));
    for (int64_t i = first; i < end; i++) {
        deck->lines[of[i].line].target = group;
        deck->lines[of[i].line].joined =
            i > first && of[i].chain == of[i - 1].chain && of[i].occurrence == of[i - 1].occurrence;
        if (of[i].first)
            RITZ_TRY(ritz_deck_add_member(deck, group, of[i].member, of[i].face));
    }
done:
    return status;
}

typedef struct segment {
    int64_t first, end;
    int64_t line; /* the first one on the group */
} segment;

static int by_line(const void *p, const void *q)
{
    return compare(((const segment *)p)->line, ((const segment *)q)->line);
}

ritz_status ritz_deck_group_numbered(ritz_deck *deck)
{
    ritz_status status = RITZ_OK;
    ritz_deck_numbered *of = deck->numbered;
    segment *segments = NULL;
    int64_t n_segments = 0;
    const int64_t n = deck->n_numbered;
    if (n == 0)
        return RITZ_OK;
    qsort(of, (size_t)n, sizeof *of, by_number);
    for (int64_t first = 0, i = 1; i <= n; i++)
        if (i == n || compare_numbers(&of[first], &of[i]) != 0) {
            describe_number(of, first, i);
            first = i;
        }
    qsort(of, (size_t)n, sizeof *of, by_group);
    RITZ_NEW(segments, n);
    for (int64_t first = 0, i = 1; i <= n; i++)
        if (i == n || compare_groups(&of[first], &of[i]) != 0) {
            segments[n_segments++] = (segment){first, i, of[first].line};
            first = i;
        }
    qsort(segments, (size_t)n_segments, sizeof *segments, by_line); /* names of groups follow the deck */
    for (int64_t k = 0; k < n_segments; k++)
        RITZ_TRY(make_group(deck, segments[k].first, segments[k].end));
done:
    ritz_free(segments);
    return status;
}
