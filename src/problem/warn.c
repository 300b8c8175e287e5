/* Warnings: what is solved all the same, but may not be what was meant. Elements that are too stiff, layers that the
   mesh does not resolve, problems in which nothing is left to solve. */
#include "problem/drive.h"

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

/* At x; 0 where it is not given. */
static double quantity_value(const ritz_quantity *q, const double x[3])
{
    return !q->expression ? 0 : q->constant ? q->value : ritz_expression_value(q->expression, x);
}

/* ---- Nearly incompressible materials ---- */

enum { LOCKING_ORDER = 2 };
static const double locking_poisson = 0.49;

static double poisson_ratio(const ritz_drive *drive, const void *context, int b, int32_t e)
{
    const int *property = context;
    const ritz_material *material = &drive->problem->materials[drive->material[b][e]];
    double x[3];
    cell_centre(drive->mesh, b, e, x);
    return quantity_value(&material->property[*property].component[0], x);
}

/* Elements of low order can not deform at constant volume in all the ways that the material does. */
static void warn_of_volume_locking(const ritz_drive *drive)
{
    const ritz_problem *problem = drive->problem;
    const int property = ritz_find_property(problem->physics, "poisson");
    bool possible = false;
    if (!(problem->physics->warnings & RITZ_LOCKS_IN_VOLUME))
        return;
    for (int m = 0; m < problem->n_materials; m++) {
        const ritz_quantity *q = &problem->materials[m].property[property].component[0];
        possible = possible || (q->expression && (!q->constant || q->value > locking_poisson));
    }
    if (!possible || problem->order > LOCKING_ORDER)
        return;
    const worst_cell worst = find_worst(drive, poisson_ratio, &property, locking_poisson);
    if (worst.n_above == 0)
        return;
    double x[3];
    cell_centre(drive->mesh, worst.block, worst.cell, x);
    ritz_stage_line(
        problem,
        "warning    Poisson's ratio is up to %g, at (%g, %g, %g), and above %g in %lld element%s: order %d is too "
        "stiff there (volumetric locking); take  order: 3  or more",
        worst.value, x[0], x[1], x[2], locking_poisson, (long long)worst.n_above, worst.n_above == 1 ? "" : "s",
        problem->order);
}

/* ---- Bending at order 1 ---- */

/* A slender part: its length at least this many times its thickness. */
static const double slender = 5;
/* The excess of a bending stiffness of elements of order 1 is c (l / t)^2, l the longest edge of a cell, t the
   thickness of the part. A rectangle that bends shears by G / E (l / t)^2 of the true energy, 0.4 with a Poisson's
   ratio of 0.3, and a layer or many make no difference; triangles and tets, whose strain is constant, were measured on
   beams and plates. */
static double stiffness_factor(ritz_cell cell)
{
    return cell == RITZ_TRI || cell == RITZ_TET ? 1.2 : cell == RITZ_PRISM ? 0.3 : 0.42;
}
static const double told_excess = 0.1;

/* Sums over cells; each chunk in the order of its cells, then chunk after chunk, for the same bits with any threads. */
typedef struct cell_sums {
    double volume, squares, excess; /* of volume, times l^2, times c l^2 */
} cell_sums;
enum { CHUNK = 4096 };

/* Half the cross product of b - a and d - c. */
static void half_cross(const double *a, const double *b, const double *c, const double *d, double area[3])
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        area[i] = 0.5 * ((b[j] - a[j]) * (d[k] - c[k]) - (b[k] - a[k]) * (d[j] - c[j]));
    }
}

/* The area vector of a face of 3 or 4 vertices, by its diagonals; of an edge in the plane, its outward normal times its
   length. */
static void facet_area(const ritz_mesh *mesh, const int32_t *nodes, int n, double area[3])
{
    const double *x[4] = {NULL};
    for (int v = 0; v < n; v++)
        x[v] = &mesh->nodes[3 * (int64_t)nodes[v]];
    if (n == 2) {
        area[0] = x[1][1] - x[0][1];
        area[1] = x[0][0] - x[1][0];
        area[2] = 0;
    } else
        half_cross(x[0], x[n == 3 ? 1 : 2], n == 3 ? x[0] : x[1], x[n - 1], area);
}

/* The volume of a cell (in the plane, its area) from its facets, and the square of its longest edge. */
static void measure_cell(const ritz_mesh *mesh, int b, int32_t e, double *volume, double *longest)
{
    const ritz_mesh_block *block = &mesh->blocks[b];
    const ritz_topology *t = ritz_cell_topology(block->cell);
    const int32_t *nodes = block->nodes + (int64_t)e * block->n_nodes;
    const double *origin = &mesh->nodes[3 * (int64_t)nodes[0]];
    *volume = *longest = 0;
    for (int f = 0; f < t->n_facets; f++) {
        const int n = t->facet_n_vertices[f];
        int32_t vertices[4];
        double area[3];
        for (int v = 0; v < n; v++)
            vertices[v] = nodes[t->facets[f][v]];
        facet_area(mesh, vertices, n, area);
        for (int v = 0; v < n; v++)
            for (int d = 0; d < 3; d++)
                *volume += (mesh->nodes[3 * (int64_t)vertices[v] + d] - origin[d]) * area[d] / (n * t->dim);
    }
    for (int k = 0; k < t->n_edges; k++) {
        double square = 0;
        for (int d = 0; d < 3; d++) {
            const double step = mesh->nodes[3 * (int64_t)nodes[t->edges[k][1]] + d] -
                                mesh->nodes[3 * (int64_t)nodes[t->edges[k][0]] + d];
            square += step * step;
        }
        *longest = fmax(*longest, square);
    }
}

static ritz_status sum_cells(const ritz_mesh *mesh, cell_sums *sums)
{
    ritz_status status = RITZ_OK;
    cell_sums *chunks = NULL;
    *sums = (cell_sums){0};
    for (int b = 0; b < mesh->n_blocks; b++) {
        const int32_t n = mesh->blocks[b].n_cells, n_chunks = n / CHUNK + (n % CHUNK > 0);
        const double c = stiffness_factor(mesh->blocks[b].cell);
        RITZ_NEW(chunks, n_chunks);
#pragma omp parallel for schedule(static)
        for (int32_t k = 0; k < n_chunks; k++)
            for (int32_t e = k * CHUNK; e < n && e - k * CHUNK < CHUNK; e++) {
                double volume, longest;
                measure_cell(mesh, b, e, &volume, &longest);
                chunks[k].volume += volume;
                chunks[k].squares += volume * longest;
                chunks[k].excess += volume * longest * c;
            }
        for (int32_t k = 0; k < n_chunks; k++) {
            sums->volume += chunks[k].volume;
            sums->squares += chunks[k].squares;
            sums->excess += chunks[k].excess;
        }
        ritz_free(chunks);
        chunks = NULL;
    }
done:
    ritz_free(chunks);
    return status;
}

/* The area of the outside (in the plane, its length) and the diagonal of the box around the part. */
static ritz_status measure_outside(const ritz_mesh *mesh, double *outside, double *diagonal)
{
    ritz_status status = RITZ_OK;
    ritz_mesh_facet *facets = NULL;
    int64_t n = 0;
    double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
    *outside = 0;
    RITZ_TRY(ritz_mesh_outer_facets(mesh, &facets, &n));
    for (int64_t f = 0; f < n; f++) {
        double area[3];
        facet_area(mesh, facets[f].vertices, facets[f].n, area);
        *outside += sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
        for (int v = 0; v < facets[f].n; v++)
            for (int d = 0; d < 3; d++) {
                const double x = mesh->nodes[3 * (int64_t)facets[f].vertices[v] + d];
                least[d] = fmin(least[d], x);
                most[d] = fmax(most[d], x);
            }
    }
    for (int d = 0; d < 3; d++)
        square += (most[d] - least[d]) * (most[d] - least[d]);
    *diagonal = sqrt(square);
done:
    ritz_free(facets);
    return status;
}

/* The smaller of two sides of which sum and product are known. */
static double smaller_side(double sum, double product)
{
    const double square = 0.25 * sum * sum - product;
    return square > 0 ? product / (0.5 * sum + sqrt(square)) : sqrt(product);
}

/* Length and thickness of the bar, plate or strip that has the part's volume, outside and diagonal: unrolled, where the
   part is bent. */
static void measure_part(int dim, double volume, double outside, double diagonal, double *length, double *thickness)
{
    *length = diagonal;
    if (dim == 3) {
        const double section = volume / diagonal;
        *thickness = smaller_side((0.5 * outside - section) / diagonal, section);
    } else {
        *thickness = smaller_side(0.5 * outside, volume);
        *length = volume / *thickness;
    }
}

/* Notes how slender the part is. */
static ritz_status warn_of_shear_locking(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = drive->mesh;
    cell_sums sums;
    double outside, diagonal, length, thickness;
    if (!(drive->problem->physics->warnings & RITZ_LOCKS_IN_BENDING))
        goto done;
    RITZ_TRY(sum_cells(mesh, &sums));
    RITZ_TRY(measure_outside(mesh, &outside, &diagonal));
    measure_part(mesh->dim, sums.volume, outside, diagonal, &length, &thickness);
    drive->slenderness = length / thickness;
    if (drive->problem->order > 1)
        goto done;
    const double excess = sums.excess / sums.volume / (thickness * thickness);
    if (length >= slender * thickness && excess >= told_excess)
        ritz_stage_line(
            drive->problem,
            "warning    elements of order 1 are too stiff in bending (shear locking): the part is about %.3g "
            "thick and its cells %.3g long, so that what bends may be displaced by up to %.0f %% too "
            "little; take  order: 2  or finer cells",
            thickness, sqrt(sums.squares / sums.volume), 100 * excess / (1 + excess));
done:
    return status;
}

/* ---- Convection ---- */

/* Where the properties of convection stand. */
typedef struct convection {
    int diffusion, velocity, c00;
} convection;

/* Velocity and, along it, diffusion at a point of a material: the terms of the general form are part of them. Returns
   the speed. */
static double speed_at(const convection *at, const ritz_material *material, int dim, const double x[3],
                       double velocity[3], double *diffusion)
{
    const ritz_vector *c = &material->property[at->c00];
    double square = 0;
    *diffusion = quantity_value(&material->property[at->diffusion].component[0], x);
    for (int i = 0; i < dim; i++) {
        velocity[i] = quantity_value(&material->property[at->velocity].component[i], x) +
                      quantity_value(&c[i + 1].component[0], x) - quantity_value(&c[4 * (i + 1)].component[0], x);
        square += velocity[i] * velocity[i];
    }
    for (int i = 0; i < dim && square > 0; i++)
        for (int j = 0; j < dim; j++)
            *diffusion += velocity[i] * velocity[j] / square * quantity_value(&c[4 * (i + 1) + j + 1].component[0], x);
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

/* |v| h / (2 k) with h the cell's extent along v over the order; at the cell's centre. */
static double peclet(const ritz_drive *drive, const void *at, int b, int32_t e)
{
    const ritz_material *material = &drive->problem->materials[drive->material[b][e]];
    double x[3], velocity[3], diffusion;
    cell_centre(drive->mesh, b, e, x);
    const double speed = speed_at(at, material, drive->mesh->dim, x, velocity, &diffusion);
    return speed > 0 ? speed * extent_along(drive, b, e, velocity, speed) / (2 * diffusion) : 0;
}

static void warn_of_convection(const ritz_drive *drive)
{
    const ritz_problem *problem = drive->problem;
    double x[3], velocity[3], diffusion;
    if (!(problem->physics->warnings & RITZ_HAS_CONVECTION))
        return;
    const convection at = {.diffusion = ritz_find_property(problem->physics, "diffusion"),
                           .velocity = ritz_find_property(problem->physics, "velocity"),
                           .c00 = ritz_find_property(problem->physics, "c00")};
    const worst_cell worst = find_worst(drive, peclet, &at, 1 + 1e-9); /* 1 as rounding leaves it is none */
    if (worst.n_above == 0)
        return;
    cell_centre(drive->mesh, worst.block, worst.cell, x);
    const double speed = speed_at(&at, &problem->materials[drive->material[worst.block][worst.cell]], drive->mesh->dim,
                                  x, velocity, &diffusion);
    const double size = extent_along(drive, worst.block, worst.cell, velocity, speed) * problem->order;
    if (isinf(worst.value))
        ritz_stage_line(problem,
                        "warning    %lld element%s a velocity and no diffusion or next to none, one at (%g, %g, %g): "
                        "the solution may oscillate; give them a 'diffusion' of about %.3g",
                        (long long)worst.n_above, worst.n_above == 1 ? " has" : "s have", x[0], x[1], x[2],
                        speed * size / (2 * problem->order));
    else
        ritz_stage_line(problem,
                        "warning    the mesh does not resolve the convection in %lld element%s: the cell Peclet number "
                        "|v| h / (2 k order) is up to %.3g, at (%g, %g, %g), where h is %.3g; above 1 the solution may "
                        "oscillate at layers: take h below %.2g there, or a higher order",
                        (long long)worst.n_above, worst.n_above == 1 ? "" : "s", worst.value, x[0], x[1], x[2], size,
                        size / worst.value);
}

/* ---- Nothing to solve ---- */

static bool all_prescribed(const ritz_drive *drive)
{
    return drive->n_prescribed == ritz_space_n_dofs(drive->space);
}

ritz_status ritz_warn(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    if (all_prescribed(drive))
        ritz_stage_line(drive->problem,
                        "warning    all %lld unknowns are prescribed, nothing is solved: the result is what was "
                        "prescribed; name only the held part of the boundary, or take a higher order or finer cells",
                        (long long)drive->n_prescribed);
    warn_of_volume_locking(drive);
    RITZ_TRY(warn_of_shear_locking(drive));
    warn_of_convection(drive);
done:
    return status;
}

void ritz_warn_of_zeros(const ritz_drive *drive, int r)
{
    const ritz_load_case_result *run = &drive->problem->case_results[r];
    if (!drive->vector[r] || all_prescribed(drive))
        return;
    for (int64_t i = 0; i < ritz_space_n_dofs(drive->space); i++)
        if (drive->vector[r][i] != 0)
            return;
    ritz_stage_line(drive->problem, "warning    no load acts%s%s%s: the solution is zero everywhere; give %s",
                    run->name ? " in the case '" : "", run->name ? run->name : "", run->name ? "'" : "",
                    drive->problem->physics->all_loads);
}
