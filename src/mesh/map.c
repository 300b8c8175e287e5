/* A file's content for a reader. */
#include "mesh/formats.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

ritz_status ritz_read_mapped(const char *path, ritz_reader *reader, ritz_model *model)
{
    ritz_status status = RITZ_OK;
    struct stat info;
    void *data = MAP_FAILED;
    const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    locale_t before = (locale_t)0;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    RITZ_REQUIRE(plain, RITZ_ERROR_MEMORY, "the C locale cannot be set: memory ran out");
    before = uselocale(plain);
    RITZ_REQUIRE(descriptor >= 0 && fstat(descriptor, &info) == 0 && info.st_size > 0, RITZ_ERROR_FILE,
                 "%s: cannot be read: %s", path, strerror(errno));
    data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    RITZ_REQUIRE(data != MAP_FAILED, RITZ_ERROR_FILE, "%s: cannot be read: %s", path, strerror(errno));
    RITZ_TRY(reader(path, data, info.st_size, model));
done:
    if (data != MAP_FAILED)
        munmap(data, (size_t)info.st_size);
    if (descriptor >= 0)
        close(descriptor);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return status;
}
