/* The search for the fastest configuration of a case: which method, with which parameters. It knows methods by the
   registry's table alone; what a trial is, is the caller's. Depends on the integrate room. */
#ifndef RITZ_SRC_SEARCH_H
#define RITZ_SRC_SEARCH_H

#include "integrate/integrate.h"

typedef enum ritz_trial_outcome {
    RITZ_TRIAL_NONE = 0, /* not tried yet */
    RITZ_TRIAL_TIMED,    /* right, and timed */
    RITZ_TRIAL_WRONG,    /* its result is not that of the reference: it has no time */
    RITZ_TRIAL_REFUSED,  /* no plan, or no kernel: too much local memory, too many registers */
    RITZ_TRIAL_CRASHED,
    RITZ_TRIAL_TOO_LONG
} ritz_trial_outcome;
const char *ritz_trial_outcome_name(ritz_trial_outcome outcome);

enum { RITZ_SETTINGS_TEXT = 200 };

/* A method with values for some of its parameters; the plan chooses the others. */
typedef struct ritz_configuration {
    const ritz_method *method;
    char settings[RITZ_SETTINGS_TEXT];  /* "rows=2,columns=4"; "": the plan chooses all */
    int32_t taken[RITZ_MAX_PARAMETERS]; /* all values as the plan has them */
    bool is_known;                      /* from an earlier run */
    double predicted;                   /* seconds an element by the model; NAN: not known */
    double least;                       /* by the roofline */
    bool memory_bound;                  /* which is that of the bytes there */
    ritz_trial_outcome outcome;
    double seconds;   /* an element: TIMED */
    bool in_turns;    /* they are those of turns with what is taken without a search */
    double error;     /* against the reference; NAN: not known */
    double took;      /* seconds that the trial would take again, without compiling; 0: not known */
    char reason[256]; /* why it has no time */
    int64_t place;    /* in its list: which of two with the same prediction is tried first */
} ritz_configuration;

/* Fills outcome, seconds, error and reason; NONE: the search had no time for it (`left`). A status that is not RITZ_OK
   ends the search. */
typedef ritz_status ritz_trial(void *context, ritz_configuration *configuration);

typedef struct ritz_search {
    const ritz_case *the_case;
    const ritz_device_info *limits;
    const ritz_method *const *methods; /* those that are searched; of them, those that apply */
    int n_methods;
    const ritz_configuration
        *first; /* what is taken without a search, tried before all others, so that a search that is cut
                                        short makes nothing slower; NULL: none */
    const ritz_method
        *usual; /* the method that is taken without rows, and stays where none is clearly faster; NULL: none */
    /* fills predicted and least; NULL: there is no model */
    void (*predict)(void *context, const ritz_plan *plan, ritz_configuration *configuration);
    ritz_trial *trial;
    /* NULL, or called with the next configurations, n_together at most, before the first of them is tried */
    ritz_status (*prepare)(void *context, const ritz_configuration *list, int n);
    int n_together;
    ritz_status (*added)(
        void *context); /* NULL, or called after each trial, which is among those that were tried now */
    void *context;
    double budget;       /* seconds; after the first trial, the next one begins where the longest still has time */
    double left;         /* of it, for the trial or the preparation that is called; INFINITY: as long as it takes */
    int64_t whole_up_to; /* configurations of a method that are all tried; beyond, parameter after parameter */
    bool exhaustive;     /* those of slow methods too, and in the end all configurations of all methods */
    int64_t
        elements; /* that were asked for, with which no other number's times are compared; 0: the usual number; < 0: all are taken */
    ritz_configuration *tried; /* [n], in the order of their trials; ritz_search_clear */
    int64_t n, capacity;
    int64_t n_left; /* about so many further trials, while one runs */
    bool complete;  /* nothing was left to try */
    bool open;      /* its times are of single trials: they are kept, but auto does not go by them yet */
} ritz_search;

/* What an earlier run found, so that it is not tried again; a configuration that no plan takes now is left out. */
ritz_status ritz_search_remember(ritz_search *search, const ritz_method *method, const char *settings,
                                 ritz_trial_outcome outcome, double seconds, const char *reason);
/* The values of all parameters of a configuration, as its plan has them, and the time that the model gives it. */
ritz_status ritz_search_plan(const ritz_search *search, ritz_configuration *configuration);
/* The trial with the same kernel and launch as a configuration that was planned; NULL if none was tried. */
const ritz_configuration *ritz_search_find(const ritz_search *search, const ritz_configuration *configuration);
/* A configuration that the caller has tried. */
ritz_status ritz_search_add(ritz_search *search, const ritz_configuration *configuration);
/* Tries: first methods as they plan themselves, those of the least predicted time first; then the parameters of
   those up to twice as slow as the fastest, or of all where it is exhaustive, in turns: the faster a method and the fewer its
   trials, the sooner it is its turn. Methods that the model
   expects to take over four times the least come after all that, in the same way. */
ritz_status ritz_search_run(ritz_search *search);
/* Tries them in turns, five times or while there is time for a whole turn until `end` (as ritz_seconds; 0: no end), once
   at least: each has the median of its times then, in which a turn in which all are slower counts as the others do. One
   that fails stays failed. */
ritz_status ritz_settle(ritz_configuration *list, int n, double end, ritz_trial *trial, void *context);
/* So for the best of a search, `first` and those of each method among them, as many as one turn has time for, two at
   least: its `trial` is what is called. Memory can be faster in one minute than in the next, so that times of different
   turns are compared by that of `first`. */
ritz_status ritz_search_settle(ritz_search *search, double end);
/* The fastest one that was timed, of one method or of all (NULL), those of an earlier run too; of a search that is not
   open, one that ran in turns if there is any. NULL if there is none. */
const ritz_configuration *ritz_search_best(const ritz_search *search, const ritz_method *method);
/* Its trial with the parameters that its plan chooses; NULL: there was none. */
const ritz_configuration *ritz_search_own_plan(const ritz_search *search, const ritz_method *method);
void ritz_search_clear(ritz_search *search);
/* Whether a method is among those that are searched. */
bool ritz_search_has(const ritz_search *search, const ritz_method *method);
/* Forgets the trials from number `first` on of the methods that are searched, not those of other methods in a file. */
void ritz_search_forget(ritz_search *search, int64_t first);

/* The settings of a configuration as texts "key=value", in `text`, RITZ_SETTINGS_TEXT long; how many. */
int ritz_configuration_settings(const ritz_configuration *configuration, char *text,
                                const char *settings[RITZ_MAX_PARAMETERS]);

#endif
