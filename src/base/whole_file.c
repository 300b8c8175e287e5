/* Files that are read whole. */
#include "base/base.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Bytes that a file has by its own account; pipes have none, and grow. */
static int64_t expected_bytes(FILE *file)
{
    struct stat about;
    return fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) ? (int64_t)about.st_size : 1 << 16;
}

ritz_status ritz_read_file(const char *path, int64_t most, char **content, int64_t *bytes)
{
    ritz_status status = RITZ_OK;
    char *data = NULL;
    int64_t n = 0, room;
    errno = 0;
    FILE *file = fopen(path, "rb");
    RITZ_REQUIRE(file, RITZ_ERROR_FILE, "%s: cannot be opened: %s; check the path", path, strerror(errno));
    room = ritz_min64(expected_bytes(file) + 1, most);
    RITZ_RESIZE(data, room + 1);
    for (size_t got = 1; got > 0 && n < most;) {
        if (n == room) { /* of a pipe, whose writer may be slow */
            RITZ_TRY(ritz_check_interrupt());
            room = ritz_min64(2 * room, most);
            RITZ_RESIZE(data, room + 1);
        }
        got = fread(data + n, 1, (size_t)(room - n), file);
        n += (int64_t)got;
    }
    RITZ_REQUIRE(!ferror(file), RITZ_ERROR_FILE, "%s: cannot be read: %s", path, strerror(errno));
    data[n] = '\0';
    *content = data;
    *bytes = n;
    data = NULL;
done:
    ritz_free(data);
    if (file)
        fclose(file);
    return status;
}
