/* Reduced hexes and quads: V B' C B with the mean strains B of the shape functions and the cell's volume V, and a stiffness
   k against each of the motions that have no mean strain, in each component:
       k gamma gamma',  gamma = h - B (x . h),  h = eta zeta, xi zeta, xi eta, xi eta zeta at the vertices
   (Flanagan and Belytschko (1981)). gamma is orthogonal to all linear displacements, so that constant strains are exact in
   cells of any shape. k = 0.0005 E V sum |B|^2, as CalculiX 2.20 has it, by the matrices that it stores; its gamma is made
   orthogonal to what is linear in z alone, so that its elements resist strains along x and y a little too much, and
   rotations about all axes.
   A quad is such a hex with two layers of nodes that move alike: gradients at a node are half of the quad's b, and of h only
   xi eta acts, twice. With the mean values n of the shape functions and the thickness t
       k = 0.001 E V (sum |b|^2 + 4 sum n^2 / t^2)
   The quad of CalculiX is this one, by its matrices; in the others t is infinite. That the layers move apart is left to the
   thickness of a plate, which gives way.
   In a ring the hex is a wedge of two degrees, t = 2 x s, s = sin(1 degree), and the last term is sum b_hoop^2 / s^2. Its
   layers move apart by 2 s u_x. So eta zeta, xi zeta and xi eta zeta act on u_x by
       0.001 E V (s^2 sum |b|^2 + sum b_hoop^2)  against  g - b_hoop (x . g),  g = eta, xi, xi eta
   which are hoop strains that have no mean; without a wedge s is 0 here.
   What is kept is the difference from the matrix of the form, which kernels have made. */
#include "integrate/reduce.h"
#include "base/point.h"

#include <string.h>

enum { MOST_VERTICES = RITZ_REDUCED_ROWS / 3 };
static const double hourglass_factor = 0.0005, half_wedge = 0.017452406437283512 /* sin(1 degree) */;

/* What follows from the shape of a cell. */
typedef struct reduced_shape {
    int n, dim; /* vertices, axes */
    bool ring, calculix;
    double x[MOST_VERTICES][3];          /* of a ring the third is the radius again, along the third gradient */
    double volume, value[MOST_VERTICES]; /* of a plate the area; mean values of the shape functions */
} reduced_shape;

static double find_part(const ritz_tables *tables, const ritz_point *point, int q, bool ring)
{
    return point->det * tables->weights[q] * (ring ? 2 * acos(-1) * point->x[0] : 1);
}

/* Gradient i of those at a point; the third in a ring is the hoop strain of the motion along x. */
static void find_gradient(const reduced_shape *shape, const double *psi, const double x[3], int i, double g[3])
{
    g[2] = shape->ring ? psi[i] / x[0] : 0;
    for (int d = 0; d < shape->dim; d++)
        g[d] = psi[(1 + d) * shape->n + i];
}

/* Mean gradients, too. */
static void find_shape(const ritz_enhancement *e, const int32_t *nodes, ritz_enhanced *of, reduced_shape *shape)
{
    double psi[4 * MOST_VERTICES], g[3];
    *shape = (reduced_shape){.dim = e->space->dim,
                             .n = e->tables->n_shape,
                             .ring = e->solid == RITZ_SOLID_RING,
                             .calculix = of->kind == RITZ_REDUCED_CALCULIX};
    for (int i = 0; i < shape->n; i++) {
        memcpy(shape->x[i], e->space->mesh->nodes + (int64_t)nodes[i] * 3, sizeof shape->x[i]);
        if (shape->ring)
            shape->x[i][2] = shape->x[i][0];
    }
    for (int q = 0; q < e->mean->n_points; q++) {
        ritz_point point;
        ritz_point_map(e->mean, e->space->mesh, nodes, q, &point);
        ritz_point_shape(e->mean, &point, q, psi);
        const double vol = find_part(e->mean, &point, q, shape->ring);
        shape->volume += vol;
        for (int i = 0; i < shape->n; i++) {
            find_gradient(shape, psi, point.x, i, g);
            for (int d = 0; d < 3; d++)
                of->mean[i][d] += vol * g[d];
            shape->value[i] += vol * psi[i];
        }
    }
    for (int i = 0; i < shape->n; i++) {
        for (int d = 0; d < 3; d++)
            of->mean[i][d] /= shape->volume;
        shape->value[i] /= shape->volume;
    }
}

/* Adds factor times B' c B. */
static void add_stiffness(const reduced_shape *shape, double c[6][6], double factor, double g[MOST_VERTICES][3],
                          ritz_strain_row *rows)
{
    ritz_strain_row stress[6];
    ritz_find_stresses(shape->dim, shape->ring, c, shape->n, g, stress);
    ritz_add_strain_products(shape->dim, shape->ring, factor, shape->n, g, shape->n * shape->dim, stress, rows);
}

/* ---- Hourglass control ---- */

/* Adds k gamma gamma' in the first n_components; gamma is h less its part along axes first to last. */
static void resist(const reduced_shape *shape, double k, const double *h, int first, int last, int n_components,
                   ritz_enhanced *of)
{
    double gamma[MOST_VERTICES];
    memcpy(gamma, h, (size_t)shape->n * sizeof *gamma);
    for (int d = first; d <= last; d++) {
        double moment = 0;
        for (int i = 0; i < shape->n; i++)
            moment += shape->x[i][d] * h[i];
        for (int i = 0; i < shape->n; i++)
            gamma[i] -= of->mean[i][d] * moment;
    }
    for (int i = 0; i < shape->n; i++)
        for (int j = i; j < shape->n; j++)
            for (int d = 0; d < n_components; d++)
                of->reduced[shape->dim * i + d][shape->dim * j + d] += k * gamma[i] * gamma[j];
}

static double sum_squares(const reduced_shape *shape, const ritz_enhanced *of, int first, int last)
{
    double sum = 0;
    for (int i = 0; i < shape->n; i++)
        for (int d = first; d <= last; d++)
            sum += of->mean[i][d] * of->mean[i][d];
    return sum;
}

static void resist_in_hex(const reduced_shape *shape, double modulus, ritz_enhanced *of)
{
    static const double h[4][MOST_VERTICES] = {{1, 1, -1, -1, -1, -1, 1, 1},
                                               {1, -1, -1, 1, -1, 1, 1, -1},
                                               {1, -1, 1, -1, 1, -1, 1, -1},
                                               {-1, 1, -1, 1, 1, -1, 1, -1}};
    const double k = hourglass_factor * modulus * sum_squares(shape, of, 0, 2);
    for (int p = 0; p < 4; p++)
        resist(shape, k, h[p], shape->calculix ? 2 : 0, 2, 3, of);
}

/* The last term of k: sum 4 n^2 / t^2. */
static double sum_across(const reduced_shape *shape, double thickness, const ritz_enhanced *of)
{
    double sum = 0;
    if (!shape->calculix)
        return 0;
    if (shape->ring)
        return sum_squares(shape, of, 2, 2) / (half_wedge * half_wedge);
    for (int i = 0; i < shape->n; i++)
        sum += 4 * shape->value[i] * shape->value[i] / (thickness * thickness);
    return sum;
}

static void resist_in_quad(const reduced_shape *shape, double modulus, double thickness, ritz_enhanced *of)
{
    static const double h[3][4] = {{1, -1, 1, -1}, {-1, -1, 1, 1}, {-1, 1, 1, -1}};
    const double factor = 2 * hourglass_factor * modulus, in_plane = sum_squares(shape, of, 0, 1),
                 wedge = shape->calculix ? half_wedge * half_wedge : 0,
                 around = wedge * in_plane + sum_squares(shape, of, 2, 2);
    resist(shape, factor * (in_plane + sum_across(shape, thickness, of)), h[0], 0, shape->calculix ? -1 : 1, 2, of);
    for (int p = 0; shape->ring && p < 3; p++)
        resist(shape, factor * around, h[p], 2, 2, 1, of);
}

static double find_volume(const ritz_enhancement *e, const ritz_tables *tables, int32_t cell)
{
    const ritz_mesh_block *block = e->space->batches[e->batch].block;
    double volume = 0;
    for (int q = 0; q < tables->n_points; q++) {
        ritz_point point;
        ritz_point_map(tables, e->space->mesh, block->nodes + (int64_t)cell * block->n_nodes, q, &point);
        volume += find_part(tables, &point, q, e->solid == RITZ_SOLID_RING);
    }
    return volume;
}

/* One point does not have the volume, and gives each node the same. So does CalculiX. */
void ritz_share_reduced_load(const ritz_enhancement *e, int32_t cell, double *load)
{
    const int n = e->tables->n_shape, dim = e->space->dim;
    const bool one = e->tables->n_points == 1;
    const double volume = one ? find_volume(e, e->mean, cell) / find_volume(e, e->tables, cell) : 1;
    for (int d = 0; d < dim && (one || e->kind[cell] == RITZ_REDUCED_CALCULIX); d++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += load[i * dim + d];
        for (int i = 0; i < n; i++)
            load[i * dim + d] = volume * sum / n;
    }
}

/* Young's modulus of the mean of a material over all directions (Voigt), which is the same however it lies along x, y, z;
   of one that is the same in all directions its own. */
static double find_mean_modulus(double c[6][6])
{
    double traces = 0, squares = 0; /* c_iijj, c_ijij */
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            traces += c[i][j];
        squares += c[i][i] + 2 * c[3 + i][3 + i];
    }
    const double bulk = traces / 9, shear = (3 * squares - traces) / 30;
    return 9 * bulk * shear / (3 * bulk + shear);
}

static void make_matrix(const ritz_enhancement *e, int32_t cell, const reduced_shape *shape, ritz_enhanced *of)
{
    double total = 0, modulus = 0 /* E V */, c[6][6] = {{0}}, g[MOST_VERTICES][3];
    ritz_strain_row rows[RITZ_REDUCED_ROWS];
    bool directed = false;
    memset(rows, 0, sizeof rows);
    for (int q = 0; q < e->tables->n_points; q++) {
        ritz_enhanced_point p;
        ritz_find_enhanced_point(e, cell, q, &p);
        for (int i = 0; i < shape->n; i++)
            find_gradient(shape, p.psi, p.map.x, i, g[i]);
        add_stiffness(shape, p.material.c, -p.vol, g, rows);
        for (int a = 0; a < 36; a++)
            c[a / 6][a % 6] += of->det * p.vol * p.material.c[a / 6][a % 6];
        modulus += of->det * p.vol * p.material.young;
        total += of->det * p.vol;
        directed = directed || p.material.directed;
    }
    if (directed && shape->dim == 3 && !shape->calculix)
        modulus = find_mean_modulus(c);
    add_stiffness(shape, c, 1, of->mean, rows);
    for (int i = 0; i < of->n_rows; i++)
        memcpy(of->reduced[i], rows[i].of, sizeof of->reduced[i]);
    if (shape->dim == 3)
        resist_in_hex(shape, modulus, of);
    else
        resist_in_quad(shape, modulus, total / shape->volume, of);
    for (int i = 0; i < of->n_rows; i++)
        for (int j = 0; j < i; j++)
            of->reduced[i][j] = of->reduced[j][i];
}

bool ritz_reduce_cell(const ritz_enhancement *e, int32_t cell, bool matrix, ritz_enhanced *of)
{
    const ritz_mesh_block *block = e->space->batches[e->batch].block;
    reduced_shape shape;
    find_shape(e, block->nodes + (int64_t)cell * block->n_nodes, of, &shape);
    of->dim = shape.dim;
    of->n_rows = shape.n * shape.dim;
    /* 1 where both are the same rule: quads and hexes have one of each number of points */
    of->det = e->tables->n_points == e->mean->n_points ? 1 : shape.volume / find_volume(e, e->tables, cell);
    if (!(shape.volume > 0))
        return false;
    if (matrix)
        make_matrix(e, cell, &shape, of);
    return true;
}

/* The load of the form reads the gradients at points; here the mean ones count, and the volume. */
void ritz_load_reduced(const ritz_enhancement *e, const ritz_enhanced_point *p, const double own[6], ritz_enhanced *of)
{
    const int dim = e->space->dim, n = e->tables->n_shape;
    for (int i = 0; i < of->n_rows; i++)
        for (int d = 0; d < dim; d++)
            of->pressure[i] += p->vol * own[ritz_symmetric_place[i % dim][d]] *
                               (p->psi[(1 + d) * n + i / dim] - of->det * of->mean[i / dim][d]);
    for (int i = 0; i < n && e->solid == RITZ_SOLID_RING; i++)
        of->pressure[dim * i] += p->vol * own[2] * (p->psi[i] / p->map.x[0] - of->det * of->mean[i][2]);
}

void ritz_add_reduced_matrix(const ritz_enhanced *of, double *matrix)
{
    for (int i = 0; i < of->n_rows; i++)
        for (int j = 0; j < of->n_rows; j++)
            matrix[i * of->n_rows + j] += of->reduced[i][j];
}

void ritz_add_reduced_action(const ritz_enhanced *of, const double *u, double *vector)
{
    for (int i = 0; i < of->n_rows; i++)
        for (int j = 0; j < of->n_rows; j++)
            vector[i] += of->reduced[i][j] * u[j];
}

void ritz_find_mean_gradient(const ritz_enhanced *of, const double *u, double gradient[9])
{
    const int dim = of->dim;
    memset(gradient, 0, 9 * sizeof *gradient);
    for (int i = 0; i < of->n_rows; i++)
        for (int d = 0; d < dim; d++)
            gradient[3 * (i % dim) + d] += of->mean[i / dim][d] * u[i];
    for (int i = 0; i < of->n_rows && dim == 2; i += dim)
        gradient[8] += of->mean[i / dim][2] * u[i];
}
