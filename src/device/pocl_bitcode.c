/* Programs of PoCL 3.1 as LLVM's bitcode, in the place of its binaries. For a binary PoCL compiles each kernel for any size of
   work-groups, which it never launches where it can compile for the size at hand: half of the work of a first run. What
   clCompileProgram leaves it takes as a binary, too, and links it with its functions into a folder that depends on it and on
   the options alone; there it finds it again, and the kernels.

   What is kept of a program is text, then bitcode:

       RITZ BITCODE 1
       NN/ILHFBGAEHGBJODLBGGMBAIMCELAHFHAEIEDHG
       -w -cl-std=CL1.2 ... -DRITZ_FOLDER=0x0123456789abcdef
       BC...

   The folder is the one that has come while the program was linked. Where another process has made one meanwhile it is not
   known which is whose: then nothing is kept. */
#include "device/opencl.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char head[] = "RITZ BITCODE 1\n", program_file[] = "program.bc";

bool ritz_pocl_takes_bitcode(const ritz_device *device)
{
    return ritz_is_known_pocl(device) && getenv("POCL_CACHE_DIR");
}

/* ---- Folders ---- */

/* File times are those of the kernel's last tick. */
enum { TICK_NANOSECONDS = 20 * 1000 * 1000 };

static bool is_since(const struct timespec *time, const struct timespec *since)
{
    const double seconds = difftime(time->tv_sec, since->tv_sec);
    return 1e9 * seconds + (double)(time->tv_nsec - since->tv_nsec) >= -(double)TICK_NANOSECONDS;
}

/* Whether a folder's program was made since then, and is not in use: that has a list of its files. */
static ritz_status is_new_program(const char *folder, const struct timespec *since, bool *is_new)
{
    ritz_status status = RITZ_OK;
    char *file = NULL, *list = NULL;
    struct stat about;
    RITZ_TRY(ritz_format(&file, "%s/%s", folder, program_file));
    RITZ_TRY(ritz_format(&list, "%s/" RITZ_POCL_LIST, folder));
    *is_new = stat(file, &about) == 0 && is_since(&about.st_mtim, since) && stat(list, &about) != 0;
done:
    ritz_free(file);
    ritz_free(list);
    return status;
}

/* Looks through `folder`, whose folders are of programs if `last` and hold such folders else: *n more, the last one *found. */
static ritz_status look_for_programs(const char *folder, bool last, const struct timespec *since, int *n, char **found)
{
    ritz_status status = RITZ_OK;
    char *path = NULL;
    struct stat about;
    DIR *opened = opendir(folder);
    for (struct dirent *entry; opened && (entry = readdir(opened));) {
        bool is_new = false;
        if (strspn(entry->d_name, "ABCDEFGHIJKLMNOP") != strlen(entry->d_name))
            continue;
        ritz_free(path);
        path = NULL;
        RITZ_TRY(ritz_format(&path, "%s/%s", folder, entry->d_name));
        if (stat(path, &about) != 0 || !is_since(&about.st_mtim, since))
            continue;
        if (!last) {
            RITZ_TRY(look_for_programs(path, true, since, n, found));
            continue;
        }
        RITZ_TRY(is_new_program(path, since, &is_new));
        if (is_new) {
            ritz_free(*found);
            *found = path;
            path = NULL;
            (*n)++;
        }
    }
done:
    if (opened)
        closedir(opened);
    ritz_free(path);
    return status;
}

ritz_status ritz_pocl_find_new(const struct timespec *since, char **folder)
{
    ritz_status status = RITZ_OK;
    char *found = NULL;
    int n = 0;
    *folder = NULL;
    RITZ_TRY(look_for_programs(getenv("POCL_CACHE_DIR"), false, since, &n, &found));
    if (n == 1) {
        *folder = found;
        found = NULL;
    }
done:
    ritz_free(found);
    return status;
}

/* ---- Bitcode ---- */

/* The unlinked program that PoCL has in a folder, which goes. */
static ritz_status take_bitcode(const char *folder, unsigned char **bitcode, int64_t *bytes)
{
    ritz_status status = RITZ_OK;
    char *path = NULL, *content = NULL;
    RITZ_TRY(ritz_format(&path, "%s/%s", folder, program_file));
    RITZ_TRY(ritz_pocl_read_file(path, &content, bytes));
    ritz_pocl_remove(folder);
    if (content && *bytes > 4 && memcmp(content, "BC\xc0\xde", 4) == 0) {
        *bitcode = (unsigned char *)content;
        content = NULL;
    }
done:
    ritz_free(path);
    ritz_free(content);
    return status;
}

ritz_status ritz_pocl_compile_bitcode(ritz_device *device, cl_program source, const char *options,
                                      unsigned char **bitcode, int64_t *bytes)
{
    ritz_status status = RITZ_OK;
    unsigned char *binary = NULL;
    char *folder = NULL;
    size_t size = 0;
    *bitcode = NULL;
    ritz_keep_signals();
    const cl_int error = clCompileProgram(source, 1, &device->id, options, 0, NULL, NULL, NULL, NULL);
    ritz_give_back_signals();
    if (error != CL_SUCCESS ||
        clGetProgramInfo(source, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) != CL_SUCCESS || size == 0)
        return RITZ_OK;
    RITZ_NEW(binary, (int64_t)size);
    if (clGetProgramInfo(source, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS)
        RITZ_TRY(ritz_pocl_folder(binary, (int64_t)size, &folder));
    if (folder)
        RITZ_TRY(take_bitcode(folder, bitcode, bytes));
done:
    ritz_free(folder);
    ritz_free(binary);
    return status;
}

/* ---- What is kept ---- */

ritz_status ritz_pocl_pack(const char *folder, const char *options, const unsigned char *bitcode, int64_t bytes,
                           unsigned char **kept, int64_t *kept_bytes)
{
    ritz_status status = RITZ_OK;
    char *text = NULL;
    const char *cache = getenv("POCL_CACHE_DIR"); /* which holds the folder */
    RITZ_REQUIRE(cache, RITZ_ERROR_FILE, "POCL_CACHE_DIR is not set any more");
    RITZ_TRY(ritz_format(&text, "%s%s\n%s\n", head, folder + strlen(cache) + 1, options));
    const int64_t before = (int64_t)strlen(text);
    RITZ_NEW(*kept, before + bytes);
    memcpy(*kept, text, (size_t)before);
    memcpy(*kept + before, bitcode, (size_t)bytes);
    *kept_bytes = before + bytes;
done:
    ritz_free(text);
    return status;
}

ritz_status ritz_pocl_unpack(unsigned char *kept, int64_t bytes, char **folder, const char **options, int64_t *start)
{
    ritz_status status = RITZ_OK;
    char *const name = (char *)kept + sizeof head - 1;
    const char *const top = getenv("POCL_CACHE_DIR");
    *options = NULL;
    if (!top || bytes < (int64_t)sizeof head || memcmp(kept, head, sizeof head - 1) != 0)
        return RITZ_OK;
    char *const name_end = memchr(name, '\n', (size_t)(bytes - (name - (char *)kept)));
    char *const end = name_end ? memchr(name_end + 1, '\n', (size_t)(bytes - (name_end + 1 - (char *)kept))) : NULL;
    if (!end)
        return RITZ_OK;
    *name_end = *end = '\0';
    RITZ_TRY(ritz_format(folder, "%s/%s", top, name));
    *options = name_end + 1;
    *start = end + 1 - (char *)kept;
done:
    return status;
}
