/* Results of earlier runs, put aside when a run fails. */
#include "base/fresh.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* "folder/part.vtkhdf" to "folder/part.old.vtkhdf", "folder/part" to "folder/part.old". */
static ritz_status make_earlier_name(const char *path, char **aside)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    const char *ending = dot && dot > name ? dot : name + strlen(name);
    return ritz_format(aside, "%.*s.old%s", (int)(ending - path), path, ending);
}

ritz_status ritz_earlier_watch(const char *path, ritz_earlier *earlier)
{
    ritz_status status = RITZ_OK;
    *earlier = (ritz_earlier){0};
    RITZ_TRY(ritz_copy_text(path, &earlier->path));
    RITZ_TRY(make_earlier_name(path, &earlier->aside));
    RITZ_TRY(ritz_earlier_add(earlier->path, earlier->aside));
done:
    if (status != RITZ_OK)
        ritz_earlier_forget(earlier);
    return status;
}

static bool is_file(const char *path, bool or_nothing)
{
    struct stat about;
    return lstat(path, &about) == 0 ? S_ISREG(about.st_mode) : or_nothing;
}

bool ritz_earlier_rename(const char *path, const char *aside)
{
    return is_file(path, false) && is_file(aside, true) && rename(path, aside) == 0;
}

void ritz_earlier_put_aside(ritz_earlier *earlier, char **aside)
{
    if (earlier->path != NULL && ritz_earlier_rename(earlier->path, earlier->aside)) {
        ritz_add_to_message("; the result of an earlier run is now called %s", earlier->aside);
        *aside = earlier->aside;
        earlier->aside = NULL;
    } else if (earlier->path != NULL && is_file(earlier->path, false)) {
        ritz_add_to_message("; %s is the result of an earlier run", earlier->path);
    }
    ritz_earlier_forget(earlier);
}

void ritz_earlier_forget(ritz_earlier *earlier)
{
    if (earlier->path != NULL)
        ritz_temporary_forget(earlier->path);
    ritz_free(earlier->path);
    ritz_free(earlier->aside);
    *earlier = (ritz_earlier){0};
}
