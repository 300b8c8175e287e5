/* Files that appear under their name only once they are whole, and results of earlier runs, which must not be taken
   for those of a run that failed. */
#ifndef RITZ_SRC_BASE_FRESH_H
#define RITZ_SRC_BASE_FRESH_H

#include "base/base.h"

/* A file that is being written. It has no name, so that the system removes it with the process, however that ends; on
   file systems without such files (network file systems), the name PATH.PID.N.part in the folder of its path. {0} is
   none. */
typedef struct ritz_fresh {
    char *path;
    char *name;     /* by which it can be opened: the temporary one, or /proc/self/fd/N */
    bool is_named;  /* it has the temporary one */
    int descriptor; /* open for reading and writing; holds the lock that tells other processes that it is in use */
} ritz_fresh;

/* Starts the file at `path`, where a regular file or nothing may stand. What dead processes left unfinished of the same
   path is removed. bytes: how much will be written, or a little more (0: not known); refused where the disk or a limit
   has no room for it. On failure *fresh is {0}. */
ritz_status ritz_fresh_create(const char *path, int64_t bytes, ritz_fresh *fresh);
/* Takes the room on the disk, so that a full one shows before anything is written. */
ritz_status ritz_fresh_reserve(const ritz_fresh *fresh, int64_t bytes);
/* Writes n bytes from byte `at` on. */
ritz_status ritz_fresh_write(const ritz_fresh *fresh, int64_t at, int64_t n, const void *data);
/* Cuts the file to `bytes` (negative: it stays as long as it is) and gives it its name, in place of what had it. On
   failure nothing is left of it. *fresh is {0} either way. */
ritz_status ritz_fresh_finish(ritz_fresh *fresh, int64_t bytes);
/* The whole of it at once: a file of n bytes. */
ritz_status ritz_fresh_write_file(const char *path, int64_t n, const void *data);
/* Gives the file up: nothing is left of it. */
void ritz_fresh_drop(ritz_fresh *fresh);
/* Testing: whether fresh files get names as on file systems that know no others. */
void ritz_fresh_use_names(bool use);
/* RITZ_ERROR_FILE with what an errno means for the file at `path`, and what to do. */
ritz_status ritz_fail_errno(const char *path, int code);

/* The result of an earlier run at the path that a run is to write. If the run fails, it is kept under another name,
   NAME.old.ENDING ("part.vtkhdf": "part.old.vtkhdf"), in place of what was kept there before. {0} is none. */
typedef struct ritz_earlier {
    char *path, *aside;
} ritz_earlier;
/* From now on a failure puts aside what stands at `path`, and so does ritz_remove_temporaries. */
ritz_status ritz_earlier_watch(const char *path, ritz_earlier *earlier);
/* After a failure: puts the earlier result aside, if there is one, and says so behind this thread's message. *aside: the
   new name in fresh memory, left alone where nothing was renamed. Ends the watch. */
void ritz_earlier_put_aside(ritz_earlier *earlier, char **aside);
/* Ends the watch: the run has written its own result. */
void ritz_earlier_forget(ritz_earlier *earlier);
/* Renames a regular file, in place of a regular file or of nothing; whether it did. Safe in a signal handler. */
bool ritz_earlier_rename(const char *path, const char *aside);

#endif
