/* A covering array: rows of levels of N_FACTORS factors in which every pair of levels of any two factors stands, each row
   made possible and compared by the test that includes this. Before it come the enumeration of factors with N_FACTORS and
   MOST_LEVELS, and factors[N_FACTORS] with name, n_levels and values. */
#ifndef RITZ_TEST_COVERING_H
#define RITZ_TEST_COVERING_H

/* A row: the level of each factor. */
typedef struct row {
    int level[N_FACTORS];
} row;

static int value_of(const row *r, int factor)
{
    return factors[factor].values[r->level[factor]];
}

/* The test's own: makes of a row one that is possible, false where there is none; a pair that there is not; compares. */
static bool repair_row(row *r);
static bool is_void(int f, int a, int g, int b);
static void compare_row(const row *r);

static bool covered[N_FACTORS][MOST_LEVELS][N_FACTORS][MOST_LEVELS];

/* Pairs of the row that no row had before; `mark` counts them as had. */
static int count_new_pairs(const row *r, int first_factor, bool mark)
{
    int n = 0;
    for (int f = first_factor; f < N_FACTORS; f++)
        for (int g = f + 1; g < N_FACTORS; g++) {
            bool *pair = &covered[f][r->level[f]][g][r->level[g]];
            n += !*pair;
            *pair = *pair || mark;
        }
    return n;
}

static row random_row(void)
{
    row r;
    for (int f = 0; f < N_FACTORS; f++)
        r.level[f] = (int)(uniform() * factors[f].n_levels);
    return r;
}

/* The best of some random rows, each improved factor by factor; false where none has a new pair. */
static bool find_row(int first_factor, row *best)
{
    enum { TRIES = 20 };
    int most = 0;
    for (int t = 0; t < TRIES; t++) {
        row r = random_row();
        int n = repair_row(&r) ? count_new_pairs(&r, first_factor, false) : 0;
        for (int f = 0; f < N_FACTORS; f++)
            for (int level = 0; level < factors[f].n_levels; level++) {
                row other = r;
                other.level[f] = level;
                const int m = repair_row(&other) ? count_new_pairs(&other, first_factor, false) : 0;
                if (m > n) {
                    r = other;
                    n = m;
                }
            }
        if (n > most) {
            most = n;
            *best = r;
        }
    }
    return most > 0;
}

static void check_covered(int first_factor)
{
    for (int f = first_factor; f < N_FACTORS; f++)
        for (int g = f + 1; g < N_FACTORS; g++)
            for (int a = 0; a < factors[f].n_levels; a++)
                for (int b = 0; b < factors[g].n_levels; b++)
                    if (covered[f][a][g][b] == is_void(f, a, g, b))
                        fail_msg("%s number %d with %s number %d: %s", factors[f].name, a, factors[g].name, b,
                                 covered[f][a][g][b] ? "was thought impossible" : "is in no row");
}

/* Rows until all pairs of levels of the factors from the first one on were compared: the same ones, and so the same kernels,
   whatever the tests before drew. */
static void cover_pairs(int first_factor)
{
    enum { MOST_MISSES = 25 };
    row r;
    random_state = 88172645463325252u;
    for (int misses = 0; misses < MOST_MISSES;)
        if (find_row(first_factor, &r)) {
            count_new_pairs(&r, first_factor, true);
            compare_row(&r);
        } else
            misses++;
    check_covered(first_factor);
}

#endif
