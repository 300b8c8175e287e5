/* Tables of measured constants in files: the user's, which the tuner writes, and those that are shipped. */
#define _GNU_SOURCE /* dladdr */
#include "base/cache.h"
#include "base/fresh.h"
#include "base/lock.h"
#include "device/device.h"
#include "device/tuning.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char first_line[] = "ritz tuning 1\n";

/* What is loaded, for each device and driver that was opened; kept until the process ends. */
typedef struct loaded {
    char name[256], driver[128];
    char *user, *shipped; /* rows; NULL: none */
    char *user_path, *shipped_folder;
} loaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static loaded *devices;
static int n_devices;
static char *override_rows;
static atomic_int generation = 1;

static loaded *find_loaded(const ritz_device_info *device)
{
    for (int d = 0; d < n_devices; d++)
        if (strcmp(devices[d].name, device->name) == 0 && strcmp(devices[d].driver, device->driver) == 0)
            return &devices[d];
    return NULL;
}

int ritz_tuning_hold(const ritz_device_info *device, ritz_tuning_table tables[RITZ_TUNING_TABLES])
{
    int n = 0;
    pthread_mutex_lock(&lock);
    const loaded *l = find_loaded(device);
    if (override_rows)
        tables[n++] = (ritz_tuning_table){override_rows, "tuning", "rows of a trial"};
    if (l && l->user)
        tables[n++] = (ritz_tuning_table){l->user, "the tuning file", l->user_path};
    if (l && l->shipped)
        tables[n++] = (ritz_tuning_table){l->shipped, "a tuning table in", l->shipped_folder};
    tables[n++] = (ritz_tuning_table){ritz_kernel_source("device/tuning.txt"), NULL, NULL};
    return n;
}

/* ---- What was told ---- */

static pthread_mutex_t told_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool quiet;

void ritz_tuning_be_quiet(void)
{
    quiet = true;
}

bool ritz_tuning_is_news(const char *line)
{
    enum { MOST = 256 }; /* after so many nothing is told any more */
    static uint64_t told[MOST];
    static int n_told;
    const uint64_t key = ritz_hash(line, (int64_t)strlen(line), 0);
    pthread_mutex_lock(&told_lock);
    bool known = quiet || n_told == MOST;
    for (int k = 0; k < n_told && !known; k++)
        known = told[k] == key;
    if (!known)
        told[n_told++] = key;
    pthread_mutex_unlock(&told_lock);
    return !known;
}

int ritz_tuning_generation(void)
{
    return generation;
}

void ritz_tuning_let_go(void)
{
    pthread_mutex_unlock(&lock);
}

ritz_status ritz_tuning_override(const char *rows)
{
    ritz_status status = RITZ_OK;
    char *copy = NULL;
    if (rows)
        RITZ_TRY(ritz_copy_text(rows, &copy));
    pthread_mutex_lock(&lock);
    ritz_free(override_rows);
    override_rows = copy;
    generation++;
    pthread_mutex_unlock(&lock);
done:
    return status;
}

void ritz_tuning_selector(const ritz_device_info *device, char text[RITZ_TUNED_TEXT + 8])
{
    snprintf(text, RITZ_TUNED_TEXT + 8, "name:%s", device->name);
    for (char *c = text; *c; c++)
        if (*c == ' ' || *c == '\t')
            *c = '_';
}

/* ---- One file ---- */

/* The file's text; *text stays NULL where there is none. */
static ritz_status read_text(const char *path, char **text)
{
    ritz_status status = RITZ_OK;
    enum { MOST = 1 << 24 };
    char *content = NULL;
    int64_t bytes = 0;
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) /* a pipe would be waited for */
        return ritz_fail(RITZ_ERROR_FILE, "it is %s", S_ISDIR(about.st_mode) ? "a folder" : "not a regular file");
    RITZ_TRY(ritz_read_file_if_there(path, MOST, &content, &bytes));
    if (!content)
        goto done;
    RITZ_REQUIRE(bytes < MOST, RITZ_ERROR_FILE, "it is too large for a tuning file");
    RITZ_REQUIRE((int64_t)strlen(content) == bytes, RITZ_ERROR_FILE, "it is not text");
    *text = content;
    content = NULL;
done:
    ritz_free(content);
    return status;
}

/* Takes "NAME value" off the text where its next line begins with NAME; RITZ_ERROR_FILE where the value is another than
   this, unless it is NULL. */
static ritz_status take_head(const char **at, const char *name, const char *value)
{
    const size_t n = strlen(name), length = strcspn(*at, "\n");
    if (strncmp(*at, name, n) != 0 || (*at)[n] != ' ')
        return RITZ_OK;
    if (value && (length - n - 1 != strlen(value) || strncmp(*at + n + 1, value, length - n - 1) != 0))
        return ritz_fail(RITZ_ERROR_FILE, "it is of %s '%.*s', not '%s'", name, (int)(length - n - 1), *at + n + 1,
                         value);
    *at += length + ((*at)[length] == '\n');
    return RITZ_OK;
}

/* The rows of a file's text, without head and end. Without `device`, what it was measured on does not matter. */
static ritz_status take_rows(const char *text, const ritz_device_info *device, char **rows)
{
    ritz_status status = RITZ_OK;
    char *copy = NULL, *rest = NULL;
    const char *at = text, *end = NULL;
    int64_t told = -1, n = 0;
    RITZ_REQUIRE(strncmp(text, first_line, strlen(first_line)) == 0, RITZ_ERROR_FILE,
                 "it is of another version: its first line is not '%.*s'", (int)strlen(first_line) - 1, first_line);
    at += strlen(first_line);
    RITZ_TRY(take_head(&at, "device", device ? device->name : NULL));
    RITZ_TRY(take_head(&at, "driver", device ? device->driver : NULL));
    RITZ_TRY(take_head(&at, "library", device ? ritz_version() : NULL));
    for (const char *line = at; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, "end ", 4) == 0) {
            end = line;
            told = strtol(line + 4, &rest, 10);
            break;
        }
    RITZ_REQUIRE(end, RITZ_ERROR_FILE, "it was cut: its last line, 'end' and the number of rows, is missing");
    RITZ_REQUIRE(
        rest[strspn(rest, " \t\n")] == '\0', RITZ_ERROR_FILE,
        "it goes on after 'end' and the number of rows, which are a table's last line: take out what is there");
    RITZ_TRY(ritz_format(&copy, "%.*s", (int)(end - at), at));
    RITZ_TRY(ritz_tuning_check(copy, &n));
    RITZ_REQUIRE(n == told, RITZ_ERROR_FILE, "it is damaged: %lld rows where its last line says %lld", (long long)n,
                 (long long)told);
    *rows = copy;
    copy = NULL;
done:
    ritz_free(copy);
    return status;
}

/* The rows of a file that may be there; RITZ_ERROR_FILE with what is wrong with it. */
static ritz_status read_rows(const char *path, const ritz_device_info *device, char **rows)
{
    char *text = NULL;
    ritz_status status = read_text(path, &text);
    if (status == RITZ_OK && text)
        status = take_rows(text, device, rows);
    ritz_free(text);
    return status == RITZ_ERROR_INPUT ? RITZ_ERROR_FILE : status; /* a row that nobody reads */
}

/* What to do about a file that can not be used. The tuner does not touch what is no file. */
static const char *advice(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode)
               ? "name a file in RITZ_TUNING"
               : "'ritz tune' writes a new one and keeps this one beside it, as .old";
}

/* The same; a file that is of no use is logged and left, once as it is. */
static ritz_status read_usable_rows(const char *path, const ritz_device_info *device, char **rows)
{
    char key[1024];
    struct stat about = {0};
    const ritz_status status = read_rows(path, device, rows);
    if (status != RITZ_ERROR_FILE)
        return status;
    stat(path, &about);
    snprintf(key, sizeof key, "%lld %lld %lld %s: %s", (long long)about.st_size, (long long)about.st_mtim.tv_sec,
             (long long)about.st_mtim.tv_nsec, path, ritz_message());
    if (ritz_tuning_is_news(key))
        ritz_log("warning: the tuning file %s is not used, %s; %s; until then the built-in values are used", path,
                 ritz_message(), advice(path));
    return RITZ_OK;
}

/* ---- The user's ---- */

static bool is_named(void)
{
    const char *given = getenv("RITZ_TUNING");
    return given && *given;
}

static bool cache_is_used(void)
{
    const char *given = getenv("RITZ_TUNING");
    return given && *given ? strcmp(given, "none") != 0 : ritz_cache_is_kept();
}

ritz_status ritz_tuning_path(const ritz_device_info *device, char **path)
{
    ritz_status status = RITZ_OK;
    char *folder = NULL, *key = NULL;
    const char *given = getenv("RITZ_TUNING");
    *path = NULL;
    if (!cache_is_used())
        return RITZ_OK;
    if (given && *given)
        return ritz_copy_text(given, path);
    RITZ_TRY(ritz_cache_directory(&folder));
    RITZ_TRY(ritz_format(&key, "device %s\ndriver %s\n", device->name, device->driver));
    RITZ_TRY(ritz_format(path, "%s/tuning-%016" PRIx64 ".txt", folder, ritz_hash(key, (int64_t)strlen(key), 0)));
done:
    ritz_free(folder);
    ritz_free(key);
    return status;
}

/* A file that RITZ_TUNING names and that is not there: likely its name is wrong. */
static void tell_missing(const char *path)
{
    char line[1024];
    if (!is_named() || access(path, F_OK) == 0)
        return;
    snprintf(line, sizeof line,
             "warning: there is no tuning file %s, which RITZ_TUNING names: what is shipped and built in is used; "
             "correct the name, or let 'ritz tune' write the file",
             path);
    if (ritz_tuning_is_news(line))
        ritz_log("%s", line);
}

ritz_status ritz_tuning_read(const ritz_device_info *device, char **rows)
{
    char *path = NULL;
    *rows = NULL;
    ritz_status status = ritz_tuning_path(device, &path);
    if (status == RITZ_OK && path)
        status = read_usable_rows(path, device, rows);
    if (status == RITZ_OK && path && !*rows)
        tell_missing(path);
    ritz_free(path);
    return status == RITZ_ERROR_FILE ? RITZ_OK : status; /* without a cache folder there is no file */
}

ritz_status ritz_tuning_read_existing(const ritz_device_info *device, char **rows)
{
    ritz_status status = RITZ_OK;
    char *path = NULL, *found = NULL, why[512];
    *rows = NULL;
    RITZ_TRY(ritz_tuning_path(device, &path));
    RITZ_REQUIRE(path, RITZ_ERROR_FILE,
                 "there is no tuning file: RITZ_TUNING or RITZ_CACHE_DIR is 'none'; name a file in RITZ_TUNING");
    status = read_rows(path, device, &found);
    if (status == RITZ_ERROR_FILE) {
        snprintf(why, sizeof why, "%s", ritz_message());
        ritz_fail(status, "the tuning file %s can not be used, %s; %s", path, why, advice(path));
    }
    RITZ_TRY(status);
    RITZ_REQUIRE(found, RITZ_ERROR_FILE, "nothing was tuned on '%s' yet: there is no file %s; 'ritz tune' writes it",
                 device->name, path);
    RITZ_REQUIRE(*found, RITZ_ERROR_FILE,
                 "nothing was tuned on '%s' yet: the file %s has no rows; 'ritz tune' writes them", device->name, path);
    *rows = found;
    found = NULL;
done:
    ritz_free(found);
    ritz_free(path);
    return status;
}

ritz_status ritz_tuning_format(const ritz_device_info *device, const char *rows, char **text)
{
    ritz_status status = RITZ_OK;
    int64_t n;
    RITZ_TRY(ritz_tuning_check(rows, &n));
    RITZ_TRY(ritz_format(text, "%sdevice %s\ndriver %s\nlibrary %s\n%send %lld\n", first_line, device->name,
                         device->driver, ritz_version(), rows, (long long)n));
done:
    return status;
}

ritz_status ritz_tuning_write(const ritz_device_info *device, const char *rows)
{
    ritz_status status = RITZ_OK;
    char *path = NULL, *text = NULL;
    RITZ_TRY(ritz_tuning_path(device, &path));
    RITZ_REQUIRE(path, RITZ_ERROR_FILE,
                 "there is no place for a tuning file: RITZ_TUNING or RITZ_CACHE_DIR is 'none'; name a file in "
                 "RITZ_TUNING");
    RITZ_TRY(ritz_tuning_format(device, rows, &text));
    status = ritz_fresh_write_file(path, (int64_t)strlen(text), text);
    if (status == RITZ_ERROR_FILE)
        ritz_fail_context(status, "the tuning file, which %s, can not be written: ",
                          is_named() ? "RITZ_TUNING names" : "stands in the cache folder (RITZ_CACHE_DIR)");
done:
    ritz_free(path);
    ritz_free(text);
    return status;
}

/* The lock of the folder that a file stands in, -1 where there is none. */
static ritz_status lock_place(const char *path, int *held)
{
    ritz_status status = RITZ_OK;
    char *folder = NULL;
    const char *slash = strrchr(path, '/');
    *held = -1;
    RITZ_TRY(slash ? ritz_format(&folder, "%.*s", (int)(slash - path + 1), path) : ritz_copy_text(".", &folder));
    *held = ritz_lock_folder(folder);
done:
    ritz_free(folder);
    return status;
}

/* The rows of the user's file before it is written anew. One that can not be used is somebody's all the same, cut or of
   another device or no tuning file at all: it stays beside the new one, as FILE.old. */
static ritz_status read_to_change(const char *path, const ritz_device_info *device, char **rows)
{
    ritz_status status = RITZ_OK;
    char *aside = NULL, why[256];
    struct stat about;
    status = read_rows(path, device, rows);
    if (status != RITZ_ERROR_FILE)
        return status;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) /* its writer reports that */
        return RITZ_OK;
    snprintf(why, sizeof why, "%s", ritz_message());
    RITZ_TRY(ritz_format(&aside, "%s.old", path));
    RITZ_REQUIRE(rename(path, aside) == 0, RITZ_ERROR_FILE, "the tuning file %s can not be used, %s, nor renamed: %s",
                 path, why, strerror(errno));
    ritz_log("warning: the tuning file %s is not used, %s; it is kept as %s", path, why, aside);
done:
    ritz_free(aside);
    return status;
}

ritz_status ritz_tuning_change(const ritz_device_info *device, ritz_tuning_changer *change, void *context, char **rows)
{
    ritz_status status = RITZ_OK;
    char *path = NULL, *now = NULL, *changed = NULL;
    int held = -1;
    RITZ_TRY(ritz_tuning_path(device, &path));
    if (path)
        RITZ_TRY(lock_place(path, &held));
    if (held < 0) /* an interrupt came while another process had it, or there are no locks here */
        RITZ_TRY(ritz_check_interrupt());
    if (path)
        RITZ_TRY(read_to_change(path, device, &now));
    RITZ_TRY(change(context, now ? now : "", &changed));
    RITZ_TRY(ritz_tuning_write(device, changed));
    *rows = changed;
    changed = NULL;
done:
    ritz_unlock_folder(held);
    ritz_free(path);
    ritz_free(now);
    ritz_free(changed);
    return status;
}

/* ---- Those that are shipped ---- */

/* The folder, as seen from the program or library that this code is in; where it is installed, and in a build tree. */
static ritz_status find_shipped(char **folder)
{
    static const char *const places[] = {"share/ritz/tuning", RITZ_TUNING_FROM_BIN, RITZ_TUNING_FROM_LIB};
    ritz_status status = RITZ_OK;
    char self[4096];
    Dl_info info;
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    const char *const starts[] = {dladdr((const void *)first_line, &info) != 0 ? info.dli_fname : "", self};
    for (int s = 0; s < 2; s++)
        for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
            const char *slash = strrchr(starts[s], '/');
            if (!slash)
                continue;
            RITZ_TRY(ritz_format(folder, "%.*s/%s", (int)(slash - starts[s]), starts[s], places[p]));
            if (access(*folder, R_OK) == 0)
                return RITZ_OK;
            ritz_free(*folder);
            *folder = NULL;
        }
done:
    return status;
}

static int is_table(const struct dirent *entry)
{
    const size_t n = strlen(entry->d_name);
    return n > 4 && entry->d_name[0] != '.' && strcmp(entry->d_name + n - 4, ".txt") == 0;
}

/* The rows of all files of the folder, in the order of their names. */
static ritz_status read_shipped(char **where, char **rows)
{
    ritz_status status = RITZ_OK;
    char *folder = NULL, *path = NULL, *more = NULL;
    struct dirent **entries = NULL;
    ritz_text all = {0};
    int n = 0;
    RITZ_TRY(find_shipped(&folder));
    n = folder ? scandir(folder, &entries, is_table, alphasort) : 0;
    for (int k = 0; k < n; k++) {
        RITZ_TRY(ritz_format(&path, "%s/%s", folder, entries[k]->d_name));
        RITZ_TRY(read_usable_rows(path, NULL, &more));
        ritz_text_add(&all, "%s", more ? more : "");
        ritz_free(path);
        ritz_free(more);
        path = more = NULL;
    }
    RITZ_TRY(ritz_text_take(&all, rows));
    *where = folder;
    folder = NULL;
done:
    for (int k = 0; k < n; k++)
        free(entries[k]);
    free(entries);
    ritz_text_free(&all);
    ritz_free(folder);
    ritz_free(path);
    return status;
}

/* A table without comments and empty lines, in place: it is read often. */
static void drop_comments(char *rows)
{
    char *to = rows;
    for (const char *line = rows; line && *line;) {
        const size_t length = strcspn(line, "\n"), blank = strspn(line, " \t");
        const bool is_row = blank < length && line[blank] != '#';
        const char *next = line + length + (line[length] == '\n');
        if (is_row) {
            memmove(to, line, (size_t)(next - line));
            to += next - line;
        }
        line = next;
    }
    if (rows)
        *to = '\0';
}

ritz_status ritz_tuning_load(const ritz_device_info *device)
{
    const char *given = getenv("RITZ_TUNING");
    return ritz_tuning_load_tables(device,
                                   given && strcmp(given, "none") == 0 ? RITZ_TABLES_BUILT_IN : RITZ_TABLES_ALL);
}

ritz_status ritz_tuning_load_tables(const ritz_device_info *device, ritz_tuning_tables which)
{
    ritz_status status = RITZ_OK;
    char *user = NULL, *shipped = NULL, *path = NULL, *folder = NULL;
    bool locked = false;
    RITZ_REQUIRE_POINTER(device);
    if (which == RITZ_TABLES_ALL)
        RITZ_TRY(ritz_tuning_read(device, &user));
    if (user)
        RITZ_TRY(ritz_tuning_path(device, &path));
    if (which != RITZ_TABLES_BUILT_IN)
        RITZ_TRY(read_shipped(&folder, &shipped));
    drop_comments(user);
    drop_comments(shipped);
    pthread_mutex_lock(&lock);
    locked = true;
    loaded *l = find_loaded(device);
    if (!l) {
        RITZ_RESIZE(devices, n_devices + 1);
        l = &devices[n_devices++];
        *l = (loaded){0};
        memcpy(l->name, device->name, sizeof l->name);
        memcpy(l->driver, device->driver, sizeof l->driver);
    }
    ritz_free(l->user);
    ritz_free(l->shipped);
    ritz_free(l->user_path);
    ritz_free(l->shipped_folder);
    l->user = user;
    l->shipped = shipped;
    l->user_path = path;
    l->shipped_folder = folder;
    generation++;
    user = shipped = path = folder = NULL;
done:
    if (locked)
        pthread_mutex_unlock(&lock);
    ritz_free(user);
    ritz_free(shipped);
    ritz_free(path);
    ritz_free(folder);
    return status;
}
