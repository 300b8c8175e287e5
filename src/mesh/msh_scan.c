/* .msh files from end to end: the order of sections, those that a mesh needs and those that are passed over. */
#include "mesh/msh_scan.h"
#include "mesh/formats.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    ritz_status (*scan)(ritz_msh *);
} sections[] = {
    {"PhysicalNames", ritz_msh_scan_names},
    {"Entities", ritz_msh_scan_entities},
    {"Nodes", ritz_msh_scan_nodes},
    {"Elements", ritz_msh_scan_elements},
};
enum { N_SECTIONS = sizeof sections / sizeof *sections, FORMAT = N_SECTIONS };

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
                               "the file's format is version '%s'; versions 2.2 and 4.1 are supported: convert it with "
                               "gmsh FILE -save -format msh41",
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
    const char *stop;
    if (strcmp(msh->section, "PartitionedEntities") == 0)
        return ritz_msh_fail(
            msh, msh->at,
            "the mesh is partitioned, which is not supported; merge it in Gmsh (UnpartitionMesh) and save it again");
    for (const char *p = msh->at; (p = memchr(p, '$', (size_t)(msh->end - p))); p++)
        if (ritz_msh_is_end(msh, p, &stop)) {
            msh->at = p;
            return ritz_msh_end(msh);
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
            "a section ($Nodes, $Elements, ...) should begin here; this is not a .msh file, or it is damaged"));
    msh->at++;
    while (msh->at<msh->end && * msh->at> ' ' && n < 63)
        msh->section[n++] = *msh->at++;
    msh->section[n] = 0;
    if (n == 0 || n == 63 || msh->at == msh->end || strncmp(msh->section, "End", 3) == 0)
        RITZ_TRY(ritz_msh_fail(msh, msh->at - n, "'$%s' cannot begin a section here; the file is truncated or damaged",
                               msh->section));
    ritz_msh_skip_line(msh);
done:
    return status;
}

/* Reads one section and notes that it was there. */
static ritz_status scan_section(ritz_msh *msh, const char *start, bool *seen)
{
    ritz_status status = RITZ_OK;
    int s = 0;
    while (s < N_SECTIONS && (strcmp(msh->section, sections[s].name) != 0 || (s == 1 && !msh->version4)))
        s++;
    bool format = strcmp(msh->section, "MeshFormat") == 0;
    if (!format && !seen[FORMAT])
        RITZ_TRY(ritz_msh_fail(
            msh, start,
            "the file should begin with $MeshFormat but begins with $%s; it is not a .msh file of version 2.2 or 4.1",
            msh->section));
    if (!format && s == N_SECTIONS) {
        ritz_log("%s: section $%s is ignored", msh->path, msh->section);
        return skip_section(msh);
    }
    if (seen[format ? FORMAT : s])
        RITZ_TRY(ritz_msh_fail(msh, start, "$%s appears twice in the file; write it again", msh->section));
    if (!format && s == 3 && !seen[2])
        RITZ_TRY(ritz_msh_fail(msh, start, "$Elements comes before $Nodes; write the file again"));
    RITZ_TRY(format ? scan_format(msh) : sections[s].scan(msh));
    RITZ_TRY(ritz_msh_end(msh));
    seen[format ? FORMAT : s] = true;
done:
    return status;
}

static ritz_status scan_sections(ritz_msh *msh)
{
    ritz_status status = RITZ_OK;
    bool found, seen[N_SECTIONS + 1] = {false};
    for (;;) {
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(next_section(msh, &found));
        if (!found)
            break;
        const char *start = msh->at;
        do
            start--;
        while (*start != '$');
        RITZ_TRY(scan_section(msh, start, seen));
    }
    for (int s = 2; s < N_SECTIONS; s++) {
        RITZ_REQUIRE(seen[s], RITZ_ERROR_INPUT,
                     "%s: the file has no $%s: it is truncated or holds no mesh; write it again", msh->path,
                     sections[s].name);
    }
    RITZ_REQUIRE(msh->model->n_elements > 0, RITZ_ERROR_INPUT,
                 "%s: the mesh has no elements; if the geometry has physical groups, put the part itself in one, or it "
                 "is not saved",
                 msh->path);
done:
    return status;
}

static ritz_status read_all(ritz_msh *msh)
{
    ritz_status status = RITZ_OK;
    strcpy(msh->section, "MeshFormat");
    RITZ_TRY(scan_sections(msh));
done:
    ritz_msh_numbers_free(&msh->nodes);
    for (int dim = 0; dim < 4; dim++)
        ritz_msh_numbers_free(&msh->entities[dim]);
    return status;
}

ritz_status ritz_msh_read(const char *path, const char *data, int64_t n, ritz_model *model)
{
    return read_all(&(ritz_msh){.path = path, .start = data, .at = data, .end = data + n, .model = model});
}

ritz_status ritz_msh_read_converted(const char *path, const char *data, int64_t n, ritz_model *model)
{
    return read_all(
        &(ritz_msh){.path = path, .converted = true, .start = data, .at = data, .end = data + n, .model = model});
}
