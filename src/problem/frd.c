/* What the solutions of a problem put into a file of CalculiX's form. Stresses and strains are means over the elements at a
   node, also where materials meet, as CalculiX takes them. */
#include "problem/drive.h"

#include <string.h>

/* A block: of the unknown and fields by our names, and of what the elements exert on their nodes. */
static const struct {
    const char *ours;
    ritz_frd_block block;
} frd_blocks[] = {
    {"displacement", {"DISP", 3, {"D1", "D2", "D3"}}},
    {"stress", {"STRESS", 6, {"SXX", "SYY", "SZZ", "SXY", "SYZ", "SZX"}}},
    {"strain", {"TOSTRAIN", 6, {"EXX", "EYY", "EZZ", "EXY", "EYZ", "EZX"}}},
    {"force", {"FORC", 3, {"F1", "F2", "F3"}}},
    {"temperature", {"NDTEMP", 1, {"T"}}},
    {"heat_flux", {"FLUX", 3, {"F1", "F2", "F3"}}},
    {"flow", {"RFL", 1, {"RFL"}}},
};
enum { N_BLOCKS = sizeof frd_blocks / sizeof *frd_blocks };

static const ritz_result_field *find_block_field(const ritz_physics *physics, int k)
{
    for (int f = 0; f < physics->n_fields; f++)
        if (strcmp(physics->fields[f].name, frd_blocks[k].ours) == 0 && !physics->fields[f].derive)
            return &physics->fields[f];
    return NULL;
}

ritz_status ritz_check_frd(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    bool any = false;
    if (!problem->frd_file)
        return RITZ_OK;
    for (int k = 0; k < N_BLOCKS; k++)
        any = any || find_block_field(problem->physics, k);
    RITZ_REQUIRE_AT(any, &problem->frd_place, "an .frd file has no results of %s; remove 'frd'",
                    problem->physics->name);
    RITZ_REQUIRE_AT(problem->order <= 2, &problem->frd_place,
                    "an .frd file has elements of order 1 and 2, and the order is %d; take  order: 2,  or remove 'frd'",
                    problem->order);
    RITZ_TRY(ritz_check_node_systems(drive, &problem->frd_systems));
done:
    return status;
}

ritz_status ritz_frd_start(const ritz_drive *drive, ritz_frd **frd)
{
    return ritz_frd_create(ritz_output_path(drive, RITZ_OUTPUT_FRD), drive->space, drive->material, frd);
}

/* Block k of run r; nothing where the physics has none of that name. */
static ritz_status add_block(const ritz_drive *drive, int r, int k, const ritz_field_offset *offsets, ritz_frd *frd)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const ritz_result_points points = ritz_result_points_of(drive->space);
    const ritz_result_field *field = find_block_field(problem->physics, k);
    const bool action = strcmp(frd_blocks[k].ours, problem->physics->vector ? "force" : "flow") == 0;
    const int n = frd_blocks[k].block.n, n_c = drive->space->n_components;
    double *values = NULL, *exerted = NULL;
    int32_t *systems = NULL;
    if (!field && !action)
        return RITZ_OK;
    RITZ_NEW(values, (int64_t)points.n * n);
    if (field && field->at_point) {
        RITZ_TRY(ritz_recover_field(drive, &points, field, offsets, drive->vector[r], true, values));
    } else {
        const double *of_nodes = drive->vector[r];
        if (action) {
            RITZ_NEW(exerted, ritz_space_n_dofs(drive->space));
            RITZ_TRY(ritz_add_actions(drive, r, exerted));
            RITZ_TRY(ritz_frd_move_forces(frd, n_c, exerted));
            of_nodes = exerted;
        }
        RITZ_TRY(ritz_find_node_systems(drive, &problem->frd_systems, &systems));
        for (int32_t i = 0; i < points.n; i++) {
            memcpy(values + (int64_t)n * i, of_nodes + (int64_t)n_c * i, (size_t)n_c * sizeof *values);
            if (n == 3)
                RITZ_TRY(ritz_turn_at_node(drive, &problem->frd_systems, systems, i, values + (int64_t)n * i));
        }
    }
    RITZ_TRY(ritz_frd_add(frd, r + 1, &frd_blocks[k].block, values));
done:
    ritz_free(systems);
    ritz_free(exerted);
    ritz_free(values);
    return status;
}

ritz_status ritz_frd_add_run(const ritz_drive *drive, int r, ritz_frd *frd)
{
    ritz_status status = RITZ_OK;
    ritz_run_offsets offsets;
    RITZ_TRY(ritz_make_offsets(drive, r, &offsets));
    for (int k = 0; k < N_BLOCKS; k++)
        RITZ_TRY(add_block(drive, r, k, offsets.fields, frd));
done:
    ritz_free_offsets(&offsets);
    return status;
}
