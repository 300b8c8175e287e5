/* Base room, internal side: error passing, checked allocation, logging, time.

   Pattern of a function that can fail:

       ritz_status ritz_thing_create(int32_t n, ritz_thing **thing)
       {
           ritz_status status = RITZ_OK;
           ritz_thing *t = NULL;
           RITZ_REQUIRE(n > 0, RITZ_ERROR_INPUT, "a thing needs at least one leg; got %d", n);
           RITZ_NEW(t, 1);
           RITZ_TRY(fill(t));
           *thing = t;
           t = NULL;
       done:
           ritz_thing_destroy(&t);
           return status;
       } */
#ifndef RITZ_SRC_BASE_H
#define RITZ_SRC_BASE_H

#include "ritz/base.h"

#include <stdbool.h>

/* Sets this thread's message (printf format) and returns `status`. */
ritz_status ritz_fail(ritz_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Puts text before the current message: context that a caller knows ("part.msh: ..."). Returns `status`. */
ritz_status ritz_fail_context(ritz_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts text behind the current message: what became of things after the failure. */
void ritz_add_to_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* These three need a local `ritz_status status` and a label `done`. */
#define RITZ_TRY(call)                                                                                                 \
    do {                                                                                                               \
        if ((status = (call)) != RITZ_OK)                                                                              \
            goto done;                                                                                                 \
    } while (0)
#define RITZ_FAIL(code, ...) /* status is set here, where a reader and an analyser can see it */                       \
    do {                                                                                                               \
        ritz_fail((code), __VA_ARGS__);                                                                                \
        status = (code);                                                                                               \
        goto done;                                                                                                     \
    } while (0)
#define RITZ_REQUIRE(condition, code, ...)                                                                             \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            RITZ_FAIL((code), __VA_ARGS__);                                                                            \
    } while (0)

/* A pointer that a public function needs. */
#define RITZ_REQUIRE_POINTER(pointer)                                                                                  \
    RITZ_REQUIRE((pointer) != NULL, RITZ_ERROR_INPUT, "%s: '%s' is NULL; it must be given", __func__, #pointer)

/* A struct of a caller's that starts with `size_t size`: its bytes as far as both sides know them into *own, which is
   zeroed first; size 0 means own_size, given NULL all zeros. `name` stands in the message where the size is none. */
ritz_status ritz_take_struct(const void *given, void *own, size_t own_size, const char *name);
/* The way back, for what a function fills: all but the size, as far as both sides know it, zeros beyond. given: as above,
   and taken before; NULL: nothing. */
void ritz_give_struct(const void *own, size_t own_size, void *given);

/* Zeroed memory for count elements, into a typed pointer; fails with RITZ_ERROR_MEMORY. count 0 gives a pointer that
   may be freed. Free with ritz_free. */
#define RITZ_NEW(pointer, count)                                                                                       \
    RITZ_TRY(ritz_allocate((void **)&(pointer), (int64_t)(count), (int64_t)sizeof *(pointer)))
/* Changes the number of elements, keeping the content; new elements are not zeroed. */
#define RITZ_RESIZE(pointer, count)                                                                                    \
    RITZ_TRY(ritz_reallocate((void **)&(pointer), (int64_t)(count), (int64_t)sizeof *(pointer)))
ritz_status ritz_allocate(void **memory, int64_t count, int64_t size);
ritz_status ritz_reallocate(void **memory, int64_t count, int64_t size);
void ritz_free(void *memory);
ritz_status ritz_copy_text(const char *text, char **copy);
/* Text built by printf into fresh memory. */
ritz_status ritz_format(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text that grows: for generated kernels, JSON and messages. A failed append is remembered and reported by
   ritz_text_take. */
typedef struct ritz_text {
    char *data; /* NUL-terminated once anything was added */
    int64_t length, capacity;
    ritz_status status;
} ritz_text;
void ritz_text_add(ritz_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Hands the characters over (never NULL on success) and empties `text`. */
ritz_status ritz_text_take(ritz_text *text, char **data);
void ritz_text_free(ritz_text *text);

/* Testing: the n-th allocation from now fails (1 is the next), 0 turns it off. Returns how many were counted since
   the last call. */
int64_t ritz_fail_allocation(int64_t n);

/* One line to the log function, if one is set. */
void ritz_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Whether log lines are read: what takes time to find out is logged only then. */
bool ritz_logs(void);
void ritz_progress(const char *stage, double fraction);
/* A text before the names of all stages from now on ("pull: "), borrowed; NULL for none. */
void ritz_progress_prefix(const char *prefix);

/* RITZ_INTERRUPTED (with a message) once ritz_interrupt() was called, RITZ_OK otherwise: call it in every long loop as
   RITZ_TRY(ritz_check_interrupt()). */
ritz_status ritz_check_interrupt(void);
bool ritz_is_interrupted(void); /* for loops on several threads, where no message may be set */

/* RITZ_ERROR_INPUT unless it is one of ritz_precision. */
ritz_status ritz_check_precision(ritz_precision precision);

/* Files that exist only while they are being written; ritz_remove_temporaries unlinks them. */
ritz_status ritz_temporary_add(const char *path);
/* A result of an earlier run, which ritz_remove_temporaries renames. */
ritz_status ritz_earlier_add(const char *path, const char *aside);
/* Ends either. */
void ritz_temporary_forget(const char *path);
/* What ritz_remove_temporaries renamed a result of an earlier run to, NULL if none. Safe in a signal handler. */
const char *ritz_renamed_result(void);
/* Whole files are renamed over what stands at their path: RITZ_ERROR_FILE where that is not a regular file (a folder, a
   link, a pipe, a device), RITZ_OK where it is one or nothing stands there. */
ritz_status ritz_check_replaceable(const char *path);

/* Everything in a file or a pipe, but no more than `most` bytes, with a zero behind; the caller frees it. RITZ_ERROR_FILE where it
   cannot be opened or read. */
ritz_status ritz_read_file(const char *path, int64_t most, char **content, int64_t *bytes);
/* The same; *content is NULL, without an error, where nothing is there. */
ritz_status ritz_read_file_if_there(const char *path, int64_t most, char **content, int64_t *bytes);

/* The first of n numbers that is not finite; n: there is none. On all threads. */
int64_t ritz_find_not_finite(int64_t n, const double *values);

/* Seconds from a monotonic clock. */
double ritz_seconds(void);
/* Largest resident memory of this process so far, bytes. */
int64_t ritz_peak_host_bytes(void);
/* Whether so many more bytes of addresses can be had, which a limit of the process (ulimit -v) may not leave. */
bool ritz_has_addresses(int64_t bytes);
/* Directory for caches ($XDG_CACHE_HOME/ritz or ~/.cache/ritz, RITZ_CACHE_DIR before both), made if missing. */
ritz_status ritz_cache_directory(char **path);
/* The candidate nearest to `word` by edit distance, or NULL if none is near: for "did you mean". */
const char *ritz_nearest(const char *word, const char *const *candidates, int n_candidates);

/* Names of the values 0 to n-1 of an option. Every name that a user types is read through these functions. */
typedef struct ritz_name_table {
    const char *what; /* it is, for messages: "preconditioner" */
    const char *const *names;
    int n;
    const char *of; /* NULL, or what the names belong to, for messages: "the problem" */
} ritz_name_table;
/* The place of a name; -1 if it is none of them. */
int ritz_place_of_name(const char *name, const char *const *names, int n);
/* The names with commas between them, as far as they fit. Returns `list`. */
const char *ritz_list_names(const char *const *names, int n, char *list, size_t bytes);
/* *value of a name, or RITZ_ERROR_INPUT as below. */
ritz_status ritz_find_name(const ritz_name_table *table, const char *name, int *value);
/* RITZ_ERROR_INPUT with a message that lists the choices and suggests `meant`, or where that is NULL the nearest name. */
ritz_status ritz_refuse_name(const ritz_name_table *table, const char *name, const char *meant);
/* RITZ_ERROR_INPUT unless the table has the value. */
ritz_status ritz_check_value(const ritz_name_table *table, int value);
/* The name of a value, "unknown" for what is none. */
const char *ritz_name_at(const ritz_name_table *table, int value);

/* 64-bit FNV-1a of bytes, chained through `seed` (start with 0). */
uint64_t ritz_hash(const void *data, int64_t bytes, uint64_t seed);

static inline int64_t ritz_min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline int64_t ritz_max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}
/* n rounded up to a multiple of m. */
static inline int64_t ritz_round_up(int64_t n, int64_t m)
{
    return (n + m - 1) / m * m;
}

#endif
