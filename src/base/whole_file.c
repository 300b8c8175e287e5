/* Files that are read whole. */
#include "base/base.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 64 << 20 }; /* bytes between two looks for an interrupt */

/* Bytes that a file has by its own account; pipes have none, and grow. */
static int64_t expected_bytes(FILE *file)
{
    struct stat about;
    return fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) ? (int64_t)about.st_size : 1 << 16;
}

/* What is left of an open file, which is closed. A file that one read takes is read whatever interrupted the program: who
   keeps results then reads what he adds to. */
static ritz_status read_open(FILE *file, const char *path, int64_t most, char **content, int64_t *bytes)
{
    ritz_status status = RITZ_OK;
    char *data = NULL;
    int64_t n = 0, room = ritz_min64(expected_bytes(file) + 1, most);
    RITZ_RESIZE(data, room + 1);
    for (bool is_filled = true; is_filled && n < most;) {
        if (n == room) {
            room = ritz_min64(2 * room, most);
            RITZ_RESIZE(data, room + 1);
        }
        const size_t asked = (size_t)ritz_min64(room - n, PIECE), got = fread(data + n, 1, asked, file);
        n += (int64_t)got;
        is_filled = got == asked;
        if (is_filled || ferror(file)) /* more to come; or a signal ended the wait for a pipe */
            RITZ_TRY(ritz_check_interrupt());
    }
    RITZ_REQUIRE(!ferror(file), RITZ_ERROR_FILE, "%s: cannot be read: %s", path, strerror(errno));
    data[n] = '\0';
    *content = data;
    *bytes = n;
    data = NULL;
done:
    ritz_free(data);
    fclose(file);
    return status;
}

ritz_status ritz_read_file_if_there(const char *path, int64_t most, char **content, int64_t *bytes)
{
    FILE *file = fopen(path, "rb");
    *content = NULL;
    if (file)
        return read_open(file, path, most, content, bytes);
    return errno == ENOENT || errno == ENOTDIR
               ? RITZ_OK
               : ritz_fail(RITZ_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
}

ritz_status ritz_read_file(const char *path, int64_t most, char **content, int64_t *bytes)
{
    const ritz_status status = ritz_read_file_if_there(path, most, content, bytes);
    return status != RITZ_OK || *content
               ? status
               : ritz_fail(RITZ_ERROR_FILE, "%s: cannot be opened: %s; check the path", path, strerror(errno));
}
