/* What the search for the fastest configuration is made of: the values of parameters (search_space.c), trials (search.c), and the ways
   through the parameters of methods (search_walk.c). */
#ifndef RITZ_SRC_SEARCH_PARTS_H
#define RITZ_SRC_SEARCH_PARTS_H

#include "measure/search.h"

/* ---- Values of parameters ---- */

enum { OPEN = INT32_MIN, MOST_VALUES = 16 };

/* Values of a method's parameters; OPEN: the plan chooses. */
typedef struct point {
    int32_t values[RITZ_MAX_PARAMETERS];
} point;

/* The values of all parameters of a method, around its own plan. */
typedef struct space {
    int n[RITZ_MAX_PARAMETERS];
    int32_t values[RITZ_MAX_PARAMETERS][MOST_VALUES];
    double n_points;
} space;

/* All open. */
point ritz_search_open_point(void);
/* Number k of a space. */
point ritz_search_take_point(const ritz_method *method, const space *all, int64_t k);
/* The values of the best configuration so far. */
point ritz_search_best_point(const ritz_configuration *best);
void ritz_search_make_space(const ritz_configuration *own, space *all);
/* The configuration of a point; false where no plan takes it. */
bool ritz_search_make(const ritz_search *s, const ritz_method *method, const point *p, ritz_configuration *c);
/* The same where parameter d has a new value: another one that does not go with it is left to the plan. */
bool ritz_search_make_changed(const ritz_search *s, const ritz_method *method, const point *p, int d,
                              ritz_configuration *c);

/* ---- Trials ---- */

/* The time that is left, and the longest trial so far. */
typedef struct clock {
    double start, longest; /* 0: none was tried yet */
    bool is_over;          /* there was no time for something */
    int64_t n_rest;        /* about so many trials after those of the list that is tried */
} clock_state;

/* All of a list, the least predicted time first; of equal ones, as they stand. */
ritz_status ritz_search_try(ritz_search *s, clock_state *clock, ritz_configuration *list, int64_t n);
/* All combinations, or those that the time is enough to plan, from all over the space: of a million, planning takes
   tens of seconds. */
ritz_status ritz_search_try_space(ritz_search *s, clock_state *clock, const ritz_method *method, const space *all);
/* For qsort: the fastest first. */
int ritz_search_compare_seconds(const void *one, const void *other);

/* ---- Walks ---- */

/* A method's way through its parameters: the nearest values of each, then one parameter after the other around the best so far,
   while that becomes faster; all combinations at once of few. */
typedef struct walk {
    const ritz_method *method;
    space all;
    bool whole, is_done;
    int order[RITZ_MAX_PARAMETERS];   /* its parameters, the promising ones first */
    int at, round;                    /* the next one's place there; how often all of them had their turn */
    int value;                        /* the next of its values */
    int next[RITZ_MAX_PARAMETERS];    /* of each one's values, while the nearest are tried */
    int32_t own[RITZ_MAX_PARAMETERS]; /* the values that the plan chooses by itself */
    double before;                    /* the best's time when all had their turn last */
} walk;

/* From the best one so far; NULL: none was right, and there is nothing to walk around. `own` is the method as it plans itself. */
void ritz_search_start_walk(const ritz_configuration *own, const ritz_configuration *best, int64_t whole_up_to,
                            walk *w);
ritz_status ritz_search_take_step(ritz_search *s, clock_state *clock, walk *w);
/* The walk that goes on: each trial makes a method look slower, so that the fastest has most of the trials and no other one is
   left out for it; NULL: all are done, or over twice as slow as the fastest. */
walk *ritz_search_choose_walk(const ritz_search *s, walk *walks, int n);
/* About so many values are left to try. */
int64_t ritz_search_count_rest(const ritz_search *s, const walk *walks, int n);

#endif
