/* Warnings: what is solved all the same, but may not be what was meant. Elements that are too stiff, layers that the
   mesh does not resolve, problems in which nothing is left to solve. */
#include "base/point.h"
#include "problem/drive.h"
#include "space/sliding.h"

#include <math.h>
#include <string.h>

/* ---- The worst cell ---- */

/* A number of a cell, and where it is largest: of equal ones in the first cell, whatever the number of threads. */
typedef double cell_measure(const ritz_drive *drive, const void *context, int b, int32_t e);
typedef struct worst_cell {
    double value; /* -inf before the first */
    int block;
    int32_t cell;
    int64_t n_above; /* cells with more than the limit */
} worst_cell;

static worst_cell find_worst(const ritz_drive *drive, cell_measure *measure, const void *context, double limit)
{
    worst_cell worst = {.value = -INFINITY};
    for (int b = 0; b < drive->mesh->n_blocks; b++) {
        const int32_t n = drive->mesh->blocks[b].n_cells;
        int64_t above = 0;
#pragma omp parallel reduction(+ : above)
        {
            worst_cell own = {.value = -INFINITY, .block = b};
#pragma omp for schedule(static)
            for (int32_t e = 0; e < n; e++) {
                const double value = measure(drive, context, b, e);
                above += value > limit;
                if (value > own.value) {
                    own.value = value;
                    own.cell = e;
                }
            }
#pragma omp critical
            if (own.value > worst.value ||
                (own.value == worst.value && own.block == worst.block && own.cell < worst.cell)) {
                own.n_above = worst.n_above;
                worst = own;
            }
        }
        worst.n_above += above;
    }
    return worst;
}

static void cell_centre(const ritz_mesh *mesh, int b, int32_t e, double x[3])
{
    const ritz_mesh_block *block = &mesh->blocks[b];
    const int n = ritz_cell_topology(block->cell)->n_vertices;
    x[0] = x[1] = x[2] = 0;
    for (int v = 0; v < n; v++)
        for (int d = 0; d < 3; d++)
            x[d] += mesh->nodes[3 * (int64_t)block->nodes[(int64_t)e * block->n_nodes + v] + d] / n;
}

/* ---- Nearly incompressible materials ---- */

enum { LOCKING_ORDER = 2 };
static const double locking_poisson = 0.49;

static double poisson_ratio(const ritz_drive *drive, const void *context, int b, int32_t e)
{
    const int *property = context;
    const ritz_material *material = &drive->problem->materials[drive->material[b][e]];
    double x[4];
    cell_centre(drive->mesh, b, e, x);
    x[3] = ritz_mean_temperature(drive, b, e);
    return ritz_quantity_at(&material->property[*property].component[0], x);
}

/* Mixed and reduced elements do not lock. */
static double locking_ratio(const ritz_drive *drive, const void *context, int b, int32_t e)
{
    const ritz_enhancement_kind kind = drive->problem->materials[drive->material[b][e]].formulation;
    return kind == RITZ_STANDARD || kind == RITZ_INCOMPATIBLE ? poisson_ratio(drive, context, b, e) : 0;
}

/* Whether a material may be nearly incompressible. *property: of Poisson's ratio. */
static bool may_keep_volume(const ritz_drive *drive, int *property)
{
    const ritz_problem *problem = drive->problem;
    bool possible = false;
    if (!(problem->physics->warnings & RITZ_LOCKS_IN_VOLUME))
        return false;
    *property = ritz_find_role(problem->physics, RITZ_ROLE_CONTRACTION);
    for (int m = 0; m < problem->n_materials; m++) {
        const ritz_quantity *q = &problem->materials[m].property[*property].component[0];
        possible = possible || (q->expression && (!q->constant || q->value > locking_poisson));
    }
    return possible;
}

double ritz_volume_keeping(const ritz_drive *drive)
{
    int property = -1;
    if (!may_keep_volume(drive, &property))
        return 0;
    const double nu = find_worst(drive, poisson_ratio, &property, locking_poisson).value;
    return nu > locking_poisson && nu < 0.5 ? sqrt(2 * (1 + nu) / (3 * (1 - 2 * nu))) : 0;
}

/* Elements of low order cannot deform at constant volume in all the ways that the material does. */
static void warn_of_volume_locking(const ritz_drive *drive)
{
    const ritz_problem *problem = drive->problem;
    int property = -1;
    if (problem->order > LOCKING_ORDER || !may_keep_volume(drive, &property))
        return;
    const worst_cell worst = find_worst(drive, locking_ratio, &property, locking_poisson);
    if (worst.n_above == 0)
        return;
    double x[3];
    cell_centre(drive->mesh, worst.block, worst.cell, x);
    ritz_stage_line(
        problem,
        "warning    Poisson's ratio is up to %.10g, at (%g, %g, %g), and above %g in %lld element%s: order %d is too "
        "stiff there (volumetric locking); take  order: 3  or more, or  formulation: mixed  in the material",
        worst.value, x[0], x[1], x[2], locking_poisson, (long long)worst.n_above, worst.n_above == 1 ? "" : "s",
        problem->order);
}

/* ---- Bending at order 1 ---- */

/* A slender body: its length at least this many times its thickness. */
static const double slender = 5;
/* An excess that is worth a warning. */
static const double told_excess = 0.1;

static void warn_of_shear_locking(const ritz_drive *drive)
{
    const ritz_body_shape *body = &drive->body;
    bool standard = false;
    for (int m = 0; m < drive->problem->n_materials; m++)
        standard = standard || drive->problem->materials[m].formulation <= RITZ_MIXED;
    if (drive->problem->order > 1 || body->thickness <= 0 || !standard)
        return;
    const double excess = body->excess / (body->thickness * body->thickness);
    if (body->length >= slender * body->thickness && excess >= told_excess)
        ritz_stage_line(drive->problem,
                        "warning    elements of order 1 are too stiff in bending (shear locking): the part is about "
                        "%.3g thick and its cells %.3g long, so that bending displacements may be up to %.0f %% too "
                        "small; take  order: 2  or finer cells, or of quads and hexes  formulation: incompatible  in "
                        "the material",
                        body->thickness, body->cell_length, 100 * excess / (1 + excess));
}

/* ---- Convection ---- */

/* Velocity and, along it, diffusion at a point of a material. Returns the speed. */
static double speed_at(const ritz_drive *drive, int b, int32_t e, const double x[3], double velocity[3],
                       double *diffusion)
{
    const ritz_physics *physics = drive->problem->physics;
    const ritz_material *material = &drive->problem->materials[drive->material[b][e]];
    int n[RITZ_MAX_PROPERTIES];
    double value[RITZ_MAX_PROPERTIES][RITZ_MAX_COMPONENTS] = {{0}};
    const ritz_point_material at = {.n = n, .value = (const double(*)[RITZ_MAX_COMPONENTS])value};
    ritz_count_components(physics, material, n);
    for (int p = 0; p < physics->n_properties; p++)
        for (int c = 0; c < n[p]; c++)
            value[p][c] = ritz_quantity_at(&material->property[p].component[c], x);
    *diffusion = physics->convection(&at, drive->mesh->dim, velocity);
    double square = 0;
    for (int i = 0; i < drive->mesh->dim; i++)
        square += velocity[i] * velocity[i];
    return sqrt(square);
}

/* The cell's extent along the velocity, over the order. */
static double extent_along(const ritz_drive *drive, int b, int32_t e, const double velocity[3], double speed)
{
    const ritz_mesh_block *block = &drive->mesh->blocks[b];
    double least = INFINITY, most = -INFINITY;
    for (int v = 0; v < ritz_cell_topology(block->cell)->n_vertices; v++) {
        const double *x = &drive->mesh->nodes[3 * (int64_t)block->nodes[(int64_t)e * block->n_nodes + v]];
        double along = 0;
        for (int d = 0; d < drive->mesh->dim; d++)
            along += x[d] * velocity[d] / speed;
        least = fmin(least, along);
        most = fmax(most, along);
    }
    return (most - least) / drive->problem->order;
}

/* Above it a solution may oscillate; 1 as rounding leaves it is none. */
static const double most_peclet = 1 + 1e-9;

/* |v| h / (2 k) with h the cell's extent along v over the order; at the cell's centre. */
static double cell_peclet(const ritz_drive *drive, const void *context, int b, int32_t e)
{
    (void)context;
    double x[3], velocity[3], diffusion;
    cell_centre(drive->mesh, b, e, x);
    const double speed = speed_at(drive, b, e, x, velocity, &diffusion);
    return speed > 0 ? speed * extent_along(drive, b, e, velocity, speed) / (2 * diffusion) : 0;
}

bool ritz_resolves_convection(const ritz_drive *drive)
{
    return !drive->problem->physics->convection ||
           find_worst(drive, cell_peclet, NULL, most_peclet).value <= most_peclet;
}

static void warn_of_convection(const ritz_drive *drive)
{
    const ritz_problem *problem = drive->problem;
    double x[3], velocity[3], diffusion;
    if (!problem->physics->convection)
        return;
    const worst_cell worst = find_worst(drive, cell_peclet, NULL, most_peclet);
    if (worst.n_above == 0)
        return;
    cell_centre(drive->mesh, worst.block, worst.cell, x);
    const double speed = speed_at(drive, worst.block, worst.cell, x, velocity, &diffusion);
    const double size = extent_along(drive, worst.block, worst.cell, velocity, speed) * problem->order;
    if (isinf(worst.value))
        ritz_stage_line(
            problem,
            "warning    %lld element%s a velocity and no diffusion or almost none, one at (%g, %g, %g): the "
            "solution may oscillate; give them a '%s' of about %.3g",
            (long long)worst.n_above, worst.n_above == 1 ? " has" : "s have", x[0], x[1], x[2],
            ritz_role_name(problem->physics, RITZ_ROLE_DIFFUSION), speed * size / (2 * problem->order));
    else
        ritz_stage_line(problem,
                        "warning    the mesh does not resolve the convection in %lld element%s: the cell Peclet number "
                        "|v| h / (2 k order) is up to %.3g, at (%g, %g, %g), where h is %.3g; above 1 the solution may "
                        "oscillate at layers: take h below %.2g there, or a higher order",
                        (long long)worst.n_above, worst.n_above == 1 ? "" : "s", worst.value, x[0], x[1], x[2], size,
                        size / worst.value);
}

/* ---- Curved cells at order 1 ---- */

/* Their functions of order 1 do not hold linear displacements, so that a rigid rotation strains them. */
static ritz_status warn_of_curves(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    int64_t n = 0;
    if (drive->problem->order > 1 || ritz_space_n_rigid_motions(drive->space) == 0)
        return RITZ_OK;
    RITZ_TRY(ritz_mesh_count_curved(drive->mesh, &n));
    if (n > 0)
        ritz_stage_line(drive->problem,
                        "warning    %lld element%s curved, and elements of order 1 cannot turn there without stress; "
                        "take  order: 2, or a mesh of straight elements%s",
                        (long long)n, n == 1 ? " is" : "s are",
                        drive->problem->mesh_source == RITZ_MESH_FILE ? "" : " (geometry_order: 1)");
done:
    return status;
}

/* ---- Nothing to solve ---- */

/* ---- Supports ---- */

/* Radians that the normals of facets of one plane face may differ by: rounding of coordinates. */
static const double plane = 1e-6;

/* Normals of an entry may be off by what facets differ most by, at any of its nodes. */
static ritz_status find_slack(const ritz_drive *drive, double **slack)
{
    ritz_status status = RITZ_OK;
    const ritz_held_directions *held = &drive->directions;
    RITZ_NEW(*slack, drive->problem->loads.n_boundary);
    for (int64_t i = 0; i < held->n; i++) {
        double *most = &(*slack)[held->list[i].entry];
        *most = fmax(*most, held->list[i].spread > plane ? held->list[i].spread : 0);
    }
done:
    return status;
}

/* Faces held along their normals do not stop a body that turns in them, as in a bore; the corners of their facets do. */
static ritz_status warn_of_sliding(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_held_directions *along = &drive->directions;
    const ritz_constraints *constraints = drive->constraints;
    const bool others = constraints->equations.n > along->n; /* ties, rigid motions and equations may hold it, too */
    ritz_hold *list = NULL;
    double *slack = NULL, share = 0;
    uint8_t *held = NULL;
    int64_t n = 0;
    char *words = NULL;
    if (along->n == 0 || others || drive->problem->physics->axisymmetric)
        return RITZ_OK;
    RITZ_TRY(find_slack(drive, &slack));
    RITZ_TRY(ritz_list_held(drive, &held));
    RITZ_NEW(list, along->n + ritz_space_n_dofs(drive->space));
    for (; n < along->n; n++) {
        list[n] = (ritz_hold){.node = along->list[n].node, .slack = slack[along->list[n].entry]};
        memcpy(list[n].direction, along->list[n].normal, sizeof list[n].direction);
    }
    for (int32_t node = 0; node < drive->space->n_nodes; node++)
        for (int c = 0; c < drive->space->n_components; c++)
            if ((constraints->fixed[node] | held[node]) >> c & 1) {
                list[n] = (ritz_hold){.node = node};
                list[n++].direction[c] = 1;
            }
    RITZ_TRY(ritz_find_sliding(drive->space, n, list, &share, &words));
    if (words)
        ritz_stage_line(
            drive->problem,
            "warning    the supports along normals of curved faces leave free %s, but for %.1g of it, which the "
            "facets stop and a round face would not: what the loads move that way may be the mesh's and not "
            "the part's; prescribe displacements that stop it",
            words, share);
done:
    ritz_free(words);
    ritz_free(held);
    ritz_free(slack);
    ritz_free(list);
    return status;
}

static bool all_prescribed(const ritz_drive *drive)
{
    return drive->n_prescribed == ritz_space_n_dofs(drive->space);
}

ritz_status ritz_warn(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    if (all_prescribed(drive))
        ritz_stage_line(drive->problem,
                        "warning    all %lld unknowns are prescribed, nothing is solved: the result is what was "
                        "prescribed; name only the held part of the boundary, or take a higher order or finer cells",
                        (long long)drive->n_prescribed);
    warn_of_volume_locking(drive);
    warn_of_shear_locking(drive);
    warn_of_convection(drive);
    RITZ_TRY(warn_of_curves(drive));
    RITZ_TRY(warn_of_sliding(drive));
done:
    return status;
}

/* ---- The solution ---- */

/* Displacements larger than the part are none of a theory of small ones, and mostly come of units that do not fit. */
static void warn_of_large_displacements(const ritz_drive *drive, const double *solution, const char *in,
                                        const char *name, const char *end)
{
    const ritz_space *space = drive->space;
    double low[3], high[3], x[3], largest = 0;
    if (!drive->problem->physics->vector || drive->problem->form_file)
        return;
    for (int32_t node = 0; node < space->n_nodes; node++) {
        double square = 0;
        for (int c = 0; c < space->n_components; c++)
            square +=
                solution[(int64_t)node * space->n_components + c] * solution[(int64_t)node * space->n_components + c];
        largest = fmax(largest, square);
    }
    largest = sqrt(largest);
    ritz_mesh_bounds(drive->mesh, low, high);
    for (int d = 0; d < 3; d++)
        x[d] = high[d] - low[d];
    const double size = ritz_length(x);
    if (largest > size)
        ritz_stage_line(drive->problem,
                        "warning    the largest displacement%s%s%s, %.4g, is larger than the part (%.4g), and the "
                        "theory is that of small ones; check that mesh, materials and loads are in the same units",
                        in, name, end, largest, size);
}

void ritz_warn_of_solution(const ritz_drive *drive, int r)
{
    const ritz_load_case_result *run = &drive->problem->case_results[r];
    const char *in = run->name ? " in the case '" : "", *name = run->name ? run->name : "", *end = run->name ? "'" : "";
    if (!drive->vector[r] || all_prescribed(drive))
        return;
    for (int64_t i = 0; i < ritz_space_n_dofs(drive->space); i++)
        if (drive->vector[r][i] != 0) {
            warn_of_large_displacements(drive, drive->vector[r], in, name, end);
            return;
        }
    for (int c = 0; c < 3; c++)
        if (run->balance.applied[c] != 0) {
            ritz_stage_line(drive->problem,
                            "warning    the solution is zero everywhere%s%s%s: all loads act where the supports and "
                            "equations leave nothing free, or cancel there",
                            in, name, end);
            return;
        }
    ritz_stage_line(
        drive->problem, "warning    no load acts on free unknowns%s%s%s%s: the solution is zero everywhere; give %s",
        in, name, end, drive->dependence ? ", or loads cancel each other where equations or ties join nodes" : "",
        drive->problem->physics->all_loads);
}

/* What turns of coordinates and rounding leave at free unknowns of loads that all act on supports. */
static const double nothing_of_loads = 1e-10;

void ritz_warn_of_loads(const ritz_drive *drive, int r)
{
    const ritz_load_case_result *run = &drive->problem->case_results[r];
    const double rest = drive->load_size[r], all = ritz_length(run->balance.applied);
    if (rest > 0 && rest < nothing_of_loads * all)
        ritz_stage_line(drive->problem,
                        "warning    %s%sall loads but %.1g of them act where the supports and equations leave nothing "
                        "free: displacements and stresses are of that rest, which is mostly rounding",
                        run->name ? run->name : "", run->name ? ": " : "", rest / all);
}
