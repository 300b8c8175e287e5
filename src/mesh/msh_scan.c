/* .msh files from end to end: the order of sections, and a copy without those that a mesh does not need. Gmsh is shown
   nothing that has not been checked here. */
#include "mesh/msh_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A piece of the file that Gmsh is to see. */
typedef struct piece {
    const char *start, *end;
} piece;

static const struct {
    const char *name;
    ritz_status (*scan)(ritz_msh *);
} sections[] = {
    {"PhysicalNames", ritz_msh_scan_names},
    {"Entities", ritz_msh_scan_entities},
    {"Nodes", ritz_msh_scan_nodes},
    {"Elements", ritz_msh_scan_elements},
};
enum { N_SECTIONS = sizeof sections / sizeof *sections, FORMAT = N_SECTIONS, MOST_PIECES = N_SECTIONS + 1 };

static ritz_status scan_format(ritz_msh *msh)
{
    ritz_status status = RITZ_OK;
    char version[16];
    int n = 0;
    int64_t binary, bytes, one;
    while (msh->at + n < msh->end && n < 15 && msh->at[n] > ' ')
        version[n] = msh->at[n], n++;
    version[n] = 0;
    if (msh->at + n == msh->end)
        RITZ_TRY(ritz_msh_truncated(msh));
    msh->version4 = strcmp(version, "4.1") == 0;
    if (!msh->version4 && strcmp(version, "2.2") != 0 && strcmp(version, "2.1") != 0 && strcmp(version, "2") != 0)
        RITZ_TRY(ritz_msh_fail(msh, msh->at,
                               "the file's format is version '%s'; versions 2.2 and 4.1 are read: convert it with gmsh "
                               "FILE -save -format msh41",
                               version));
    msh->at += n;
    RITZ_TRY(ritz_msh_integer(msh, 4, "the file type", &binary));
    RITZ_TRY(ritz_msh_integer(msh, 4, "the size of numbers", &bytes));
    if ((binary != 0 && binary != 1) || bytes != 8)
        RITZ_TRY(ritz_msh_fail(
            msh, msh->at, "the file type is %lld and the size of numbers %lld; they are 0 (text) or 1 (binary), and 8",
            (long long)binary, (long long)bytes));
    if (binary) {
        ritz_msh_skip_line(msh);
        msh->binary = true;
        RITZ_TRY(ritz_msh_integer(msh, 4, "the byte order mark", &one));
        if (one != 1)
            RITZ_TRY(ritz_msh_fail(
                msh, msh->at, "the binary file was written on a machine with another byte order; write it as text"));
    }
done:
    return status;
}

/* Passes over a section that is not read. */
static ritz_status skip_section(ritz_msh *msh)
{
    char wanted[80];
    size_t n = (size_t)snprintf(wanted, sizeof wanted, "$End%s", msh->section);
    if (strcmp(msh->section, "PartitionedEntities") == 0)
        return ritz_msh_fail(
            msh, msh->at,
            "the mesh is partitioned, which is not supported; unite it in Gmsh (UnpartitionMesh) and save it again");
    for (const char *p = msh->at; (p = memchr(p, '$', (size_t)(msh->end - p))); p++) {
        if ((size_t)(msh->end - p) < n)
            break;
        if (memcmp(p, wanted, n) == 0) {
            msh->at = p;
            return ritz_msh_end(msh);
        }
    }
    return ritz_msh_truncated(msh);
}

/* The next line that begins a section; false at the end of the file. */
static ritz_status next_section(ritz_msh *msh, bool *found)
{
    ritz_status status = RITZ_OK;
    int n = 0;
    while (msh->at < msh->end && (unsigned char)*msh->at <= ' ')
        msh->at++;
    *found = msh->at < msh->end;
    if (!*found)
        return RITZ_OK;
    if (*msh->at != '$')
        RITZ_TRY(ritz_msh_fail(
            msh, msh->at,
            "a section ($Nodes, $Elements, ...) should begin here; this is no .msh file, or it is damaged"));
    msh->at++;
    while (msh->at<msh->end && * msh->at> ' ' && n < 63)
        msh->section[n++] = *msh->at++;
    msh->section[n] = 0;
    if (n == 0 || n == 63 || msh->at == msh->end || strncmp(msh->section, "End", 3) == 0)
        RITZ_TRY(ritz_msh_fail(msh, msh->at - n,
                               "'$%s' is no section that could begin here; the file is truncated or damaged",
                               msh->section));
    ritz_msh_skip_line(msh);
done:
    return status;
}

/* Reads one section and notes it among the pieces if it is one that Gmsh needs. */
static ritz_status scan_section(ritz_msh *msh, const char *start, piece *pieces, bool *skipped)
{
    ritz_status status = RITZ_OK;
    int s = 0;
    while (s < N_SECTIONS && (strcmp(msh->section, sections[s].name) != 0 || (s == 1 && !msh->version4)))
        s++;
    bool format = strcmp(msh->section, "MeshFormat") == 0;
    if (!format && !pieces[FORMAT].start)
        RITZ_TRY(ritz_msh_fail(
            msh, start,
            "the file should begin with $MeshFormat but begins with $%s; it is no .msh file of version 2.2 or 4.1",
            msh->section));
    if (!format && s == N_SECTIONS) {
        *skipped = true;
        ritz_log("%s: section $%s is passed over", msh->path, msh->section);
        return skip_section(msh);
    }
    piece *p = &pieces[format ? FORMAT : s];
    if (p->start)
        RITZ_TRY(ritz_msh_fail(msh, start, "$%s stands twice in the file; write it again", msh->section));
    if (!format && s == 3 && !pieces[2].start)
        RITZ_TRY(ritz_msh_fail(msh, start, "$Elements stands before $Nodes; write the file again"));
    RITZ_TRY(format ? scan_format(msh) : sections[s].scan(msh));
    RITZ_TRY(ritz_msh_end(msh));
    *p = (piece){start, msh->at};
done:
    return status;
}

static ritz_status scan_all(ritz_msh *msh, piece *pieces, bool *skipped)
{
    ritz_status status = RITZ_OK;
    bool found;
    for (;;) {
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(next_section(msh, &found));
        if (!found)
            break;
        const char *start = msh->at;
        do
            start--;
        while (*start != '$');
        RITZ_TRY(scan_section(msh, start, pieces, skipped));
    }
    for (int s = 2; s < N_SECTIONS; s++) {
        RITZ_REQUIRE(pieces[s].start, RITZ_ERROR_INPUT,
                     "%s: the file has no $%s: it is truncated or holds no mesh; write it again", msh->path,
                     sections[s].name);
    }
    RITZ_REQUIRE(msh->n_elements > 0, RITZ_ERROR_INPUT,
                 "%s: the mesh has no elements; if the geometry has physical groups, put the part itself in one, or it "
                 "is not saved",
                 msh->path);
done:
    return status;
}

/* The pieces, in the order that Gmsh expects, in a file of their own. */
static ritz_status write_copy(const piece *pieces, char **copy)
{
    ritz_status status = RITZ_OK;
    static const int order[MOST_PIECES] = {FORMAT, 0, 1, 2, 3};
    const char *folder = getenv("TMPDIR");
    char *path = NULL;
    FILE *file = NULL;
    int descriptor = -1;
    RITZ_TRY(ritz_format(&path, "%s/ritz-mesh-XXXXXX", folder && *folder ? folder : "/tmp"));
    descriptor = mkstemp(path);
    RITZ_REQUIRE(descriptor >= 0, RITZ_ERROR_FILE,
                 "%s: a temporary file cannot be made: %s; set TMPDIR to a folder with room", path, strerror(errno));
    *copy = path;
    path = NULL;
    RITZ_TRY(ritz_temporary_add(*copy));
    file = fdopen(descriptor, "wb");
    RITZ_REQUIRE(file, RITZ_ERROR_FILE, "%s: cannot be written: %s", *copy, strerror(errno));
    descriptor = -1;
    bool written = true;
    for (int i = 0; i < MOST_PIECES; i++) {
        const piece *p = &pieces[order[i]];
        size_t n = (size_t)(p->end - p->start);
        written = written &&
                  (n == 0 || (fwrite(p->start, 1, n, file) == n && (p->end[-1] == '\n' || fputc('\n', file) != EOF)));
    }
    written = fclose(file) == 0 && written;
    file = NULL;
    RITZ_REQUIRE(written, RITZ_ERROR_FILE, "%s: cannot be written: %s; set TMPDIR to a folder with room", *copy,
                 strerror(errno));
done:
    if (file)
        fclose(file);
    if (descriptor >= 0)
        close(descriptor);
    if (status)
        ritz_msh_remove_copy(copy);
    ritz_free(path);
    return status;
}

void ritz_msh_remove_copy(char **copy)
{
    if (!*copy)
        return;
    unlink(*copy);
    ritz_temporary_forget(*copy);
    ritz_free(*copy);
    *copy = NULL;
}

ritz_status ritz_msh_scan(const char *path, char **copy)
{
    ritz_status status = RITZ_OK;
    ritz_msh msh = {.path = path, .section = "MeshFormat"};
    piece pieces[MOST_PIECES] = {{0}};
    struct stat info;
    void *data = MAP_FAILED;
    bool skipped = false;
    int descriptor = open(path, O_RDONLY);
    RITZ_REQUIRE(descriptor >= 0 && fstat(descriptor, &info) == 0 && info.st_size > 0, RITZ_ERROR_FILE,
                 "%s: cannot be read: %s", path, strerror(errno));
    data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    RITZ_REQUIRE(data != MAP_FAILED, RITZ_ERROR_FILE, "%s: cannot be read: %s", path, strerror(errno));
    msh.start = msh.at = data;
    msh.end = msh.start + info.st_size;
    RITZ_TRY(scan_all(&msh, pieces, &skipped));
    /* Gmsh reads .msh data by the first line, whatever the name. */
    if (skipped)
        RITZ_TRY(write_copy(pieces, copy));
done:
    if (data != MAP_FAILED)
        munmap(data, (size_t)info.st_size);
    if (descriptor >= 0)
        close(descriptor);
    ritz_msh_numbers_free(&msh.nodes);
    for (int dim = 0; dim < 4; dim++)
        ritz_msh_numbers_free(&msh.parts[dim]);
    return status;
}
