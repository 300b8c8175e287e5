/* ritz-gmsh: see ritz_gmsh.h. Meshing runs on one thread with a fixed seed: the same file gives the same mesh. */
#include "ritz_gmsh.h"

#include <fcntl.h>
#include <gmshc.h>
#include <link.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

static const char usage[] =
    "Usage: ritz-gmsh FILE > PART.msh\n"
    "       ritz-gmsh --mesh SIZE ORDER [--glue] [--trust] GEOMETRY > PART.msh\n\n"
    "Reads a mesh, or meshes a geometry, with Gmsh; `ritz` calls it. SIZE 0: the file's own.\n"
    "--glue: bodies that touch share their faces. --trust: the file may run programs and write files.\n"
    "This program links Gmsh and is under the GNU General Public License, version 2 or later.\n";

typedef struct request {
    const char *path;
    bool mesh, glue, trust;
    double size;
    int order;
} request;

void fail(const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *p = text; *p; p++) /* one line */
        *p = *p == '\n' || *p == '\r' ? ' ' : *p;
    fprintf(stderr, "error: %s\n", text);
    _exit(1); /* Gmsh's own end may crash when its reader has failed */
}

void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n ? n : 1, size);
    if (!memory)
        fail("memory ran out");
    return memory;
}

void judge(int error, const char *doing)
{
    char **lines = NULL, first[1024] = "";
    size_t n = 0;
    int ignored;
    gmshLoggerGet(&lines, &n, &ignored);
    for (size_t i = 0; i < n && !*first; i++) {
        if (strncmp(lines[i], "Error: ", 7) == 0)
            snprintf(first, sizeof first, "%s", lines[i] + 7);
    }
    if (error || *first)
        fail("Gmsh could not %s: %s", doing, *first ? first : "it gives no reason");
    for (size_t i = 0; i < n; i++)
        gmshFree(lines[i]);
    gmshFree(lines);
}

void require(int error, const char *doing)
{
    if (error)
        judge(error, doing);
}

static void tell_warnings(void)
{
    char **lines = NULL;
    size_t n = 0;
    int error;
    gmshLoggerGet(&lines, &n, &error);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(lines[i], "Warning: ", 9) == 0)
            fprintf(stderr, "warning: %.*s\n", (int)strcspn(lines[i] + 9, "\n"), lines[i] + 9);
    }
}

/* OpenCASCADE prints on standard output whatever it is told; the mesh goes to what standard output was. */
static FILE *take_output(void)
{
    const int nowhere = open("/dev/null", O_WRONLY), kept = dup(STDOUT_FILENO);
    FILE *file = kept >= 0 ? fdopen(kept, "wb") : NULL;
    if (nowhere < 0 || !file || dup2(nowhere, STDOUT_FILENO) < 0)
        fail("standard output can not be set up");
    close(nowhere);
    return file;
}

/* Dies with its parent, and leaves no core behind. */
static void live_quietly(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static void start_gmsh(void)
{
    int error;
    gmshInitialize(0, NULL, 0, &error); /* installs no signal handlers; reads none of the user's options */
    if (error)
        fail("Gmsh's library does not start (error %d); install libgmsh4.8", error);
    setlocale(LC_ALL, "C");
    gmshOptionSetNumber("General.Terminal", 0, &error);
    gmshOptionSetNumber("General.AbortOnError", 0, &error);
    gmshOptionSetNumber("General.NumThreads", 1, &error);
    gmshOptionSetNumber("Mesh.RandomSeed", 1, &error);
    gmshLoggerStart(&error);
}

static bool is_script(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcasecmp(dot, ".geo") == 0 || strcasecmp(dot, ".geo_unrolled") == 0);
}

static void mesh_geometry(const request *r)
{
    int *pairs = NULL, error;
    size_t n_volumes = 0, n_surfaces = 0, n_groups = 0;
    gmshOpen(r->path, &error);
    judge(error, "read it");
    gmshModelGetEntities(&pairs, &n_volumes, 3, &error);
    gmshModelGetEntities(&pairs, &n_surfaces, 2, &error);
    if (n_volumes + n_surfaces == 0)
        fail("the geometry has neither a volume nor a surface to mesh");
    const int dim = n_volumes > 0 ? 3 : 2;
    if (r->glue)
        glue_bodies(dim);
    gmshModelGetPhysicalGroups(&pairs, &n_groups, -1, &error);
    if (n_groups == 0)
        name_parts(dim);
    if (r->size > 0) {
        gmshOptionSetNumber("Mesh.CharacteristicLengthMax", r->size, &error);
        gmshOptionSetNumber("Mesh.CharacteristicLengthFromPoints", 0, &error);
    }
    gmshOptionSetNumber("Mesh.ElementOrder", 1, &error);
    gmshModelMeshGenerate(dim, &error);
    judge(error, "mesh it");
    if (r->order == 2) {
        gmshModelMeshSetOrder(2, &error);
        judge(error, "make second-order elements");
        gmshModelMeshOptimize("HighOrder", 0, 1, NULL, 0, &error); /* Ritz straightens what it leaves folded */
    }
}

static void read_mesh(const request *r)
{
    int *pairs = NULL, error;
    size_t n_groups = 0;
    gmshMerge(r->path, &error);
    judge(error, "read it");
    gmshModelGetPhysicalGroups(&pairs, &n_groups, -1, &error);
    if (n_groups == 0)
        number_parts();
}

static bool parse_arguments(int n, char **arguments, request *r)
{
    int i = 1;
    for (; i < n && strncmp(arguments[i], "--", 2) == 0 && arguments[i][2]; i++) {
        if (strcmp(arguments[i], "--mesh") == 0 && i + 2 < n) {
            r->mesh = true;
            r->size = strtod(arguments[++i], NULL);
            r->order = atoi(arguments[++i]);
        } else if (strcmp(arguments[i], "--glue") == 0) {
            r->glue = true;
        } else if (strcmp(arguments[i], "--trust") == 0) {
            r->trust = true;
        } else {
            return false;
        }
    }
    i += i < n && strcmp(arguments[i], "--") == 0;
    r->path = i < n ? arguments[i] : NULL;
    return i + 1 == n && r->size >= 0;
}

/* The mesh is theirs: whoever keeps it has to know whether they are others by now. */
static int tell_library(struct dl_phdr_info *library, size_t size, void *context)
{
    struct stat file;
    (void)size;
    (void)context;
    if (*library->dlpi_name && stat(library->dlpi_name, &file) == 0)
        fprintf(stderr, "library: %lld %lld %s\n", (long long)file.st_size, (long long)file.st_mtime,
                library->dlpi_name);
    return 0;
}

int main(int n, char **arguments)
{
    request r = {0};
    if (n == 2 && (strcmp(arguments[1], "-h") == 0 || strcmp(arguments[1], "--help") == 0)) {
        fputs(usage, stdout);
        return 0;
    }
    if (!parse_arguments(n, arguments, &r)) {
        fputs(usage, stderr);
        return 2;
    }
    if (isatty(STDOUT_FILENO)) {
        fputs("ritz-gmsh: the mesh is binary; send standard output to a file\n", stderr);
        return 2;
    }
    live_quietly();
    FILE *output = take_output();
    start_gmsh();
    if (!r.trust && !confine() && is_script(r.path))
        fail("this system cannot keep a .geo file from running programs and writing files; if you trust the file, add "
             "--trust-geometry");
    if (r.mesh)
        mesh_geometry(&r);
    else
        read_mesh(&r);
    write_msh(output);
    tell_warnings();
    dl_iterate_phdr(tell_library, NULL);
    fflush(stderr);
    _exit(0); /* past Gmsh's clearing up, which takes its time */
}
