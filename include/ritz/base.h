/* Status, messages, logging, progress and interruption: what every room shares. */
#ifndef RITZ_BASE_H
#define RITZ_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define RITZ_API __attribute__((visibility("default")))
#else
#define RITZ_API
#endif

/* C++ finds the functions of C by these two, which enclose the declarations of every header. */
#ifdef __cplusplus
#define RITZ_BEGIN_DECLS extern "C" {
#define RITZ_END_DECLS }
#else
#define RITZ_BEGIN_DECLS
#define RITZ_END_DECLS
#endif

RITZ_BEGIN_DECLS

/* What a function that can fail returns. Zero is success; anything else leaves a message for ritz_message(). */
typedef enum ritz_status {
    RITZ_OK = 0,
    RITZ_ERROR_INPUT,         /* the caller's data or the user's file is wrong */
    RITZ_ERROR_MEMORY,        /* host memory ran out */
    RITZ_ERROR_DEVICE,        /* an OpenCL device is missing, too small, or failed */
    RITZ_ERROR_FILE,          /* a file, or a library, cannot be opened, read or written */
    RITZ_ERROR_NOT_CONVERGED, /* an iteration stopped before its tolerance */
    RITZ_INTERRUPTED          /* ritz_interrupt() was called */
} ritz_status;

/* The precision of kernels, matrices and vectors; zero is the default. */
typedef enum ritz_precision { RITZ_F64 = 0, RITZ_F32 = 1 } ritz_precision;

/* "MAJOR.MINOR.PATCH" of the library that is linked. */
RITZ_API const char *ritz_version(void);

/* The message of the last failed call on this thread: what was wrong, where, what to do. Never NULL; owned by the
   library; valid until the next failure on this thread. */
RITZ_API const char *ritz_message(void);

/* The library never prints. A log function, when set, receives one line without newline for each decision that a user
   may want to see: which path ran and why. Lines that start with "warning: " are for every user. Call before any other
   function; NULL turns it off. */
typedef void ritz_log_function(const char *line, void *context);
RITZ_API void ritz_set_log(ritz_log_function *log, void *context);

/* Progress of long work: the stage's name and the fraction done, 0 to 1, or -1 if it is unknown. Called from the thread
   that called the library. NULL turns it off. */
typedef void ritz_progress_function(const char *stage, double fraction, void *context);
RITZ_API void ritz_set_progress(ritz_progress_function *progress, void *context);

/* Asks the call in progress, on whatever thread, to stop soon with RITZ_INTERRUPTED. Safe in a signal handler. Every
   later call stops as well, until ritz_clear_interrupt; ritz_problem_solve clears it itself when it has stopped. */
RITZ_API void ritz_interrupt(void);
RITZ_API void ritz_clear_interrupt(void);

/* Removes temporary files of unfinished output, and renames results of earlier runs that could be taken for the
   unfinished ones. Safe in a signal handler, for programs that must leave at once. */
RITZ_API void ritz_remove_temporaries(void);

RITZ_END_DECLS

#endif
