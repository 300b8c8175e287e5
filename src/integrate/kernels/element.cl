/* What every integration kernel knows of an element: its map at a point, its coefficients, the kernel's arguments.

   After the form's header. Compile-time parameters: N_SHAPE, N_QUAD, N_GEO (geometry nodes), AFFINE (Jacobian
   constant), realv (a real for each of LANES elements), LANES, NODE_STRIDE (realv from one coordinate of an element's
   nodes to the next), NODE_SPACE (the address space they are in; __global unless it is set), and those of the form: DIM,
   N_E, FORM_...; and IN_ORDER, of the device (see FIRST_SET). */

#ifndef NODE_SPACE
#define NODE_SPACE __global
#endif

/* Short loops are unrolled by pragma: PoCL unrolls none by itself, and then keeps their arrays in memory. */

#define ATLEAST1(n) ((n) > 0 ? (n) : 1)

/* Tables of the reference cell: [q][D][n], D = 0 the value. */
#define TABLE(table, n, q, D, i) table[((q) * (DIM + 1) + (D)) * (n) + (i)]

/* The sets of elements of a worker, of n in all. IN_ORDER: those that follow each other, as a processor's prefetching has it, and as many for
   the first workers as for the last, since a processor takes work-groups in their order; else the sets of all workers follow each other. */
#if IN_ORDER
#define FIRST_SET(worker, n) ((int)((long)(worker) * (n) / (long)get_num_groups(0)))
#define END_OF_SETS(worker, n) FIRST_SET((worker) + 1, n)
#define SET_STEP 1
#else
#define FIRST_SET(worker, n) ((int)(worker))
#define END_OF_SETS(worker, n) (n)
#define SET_STEP ((int)get_num_groups(0))
#endif

/* The arguments of every kernel of the registry (src/integrate/integrator.c).
   geometry: [set][node * DIM + axis][width] relative to the element's first node, which is in origin [element][DIM];
   or as the plan's input says (ritz_plan_input), with geometry_cells [element][N_GEO] where they are gathered
   geo, psi: tables of the geometry and the shape functions; weights: of the quadrature
   tables: the method's own numbers; jacobians: [element - first][q][1 + DIM * DIM] vol and the inverse of the
   Jacobian, row by row, where the plan sends them */
#define INTEGRATE_ARGUMENTS                                                                                            \
    int first, int count, int n_cells, real time, __global const realv *restrict geometry,                             \
        __global const int *restrict geometry_cells, __global const real *restrict origin,                             \
        __global const real *restrict geo, __global const real *restrict psi,                                          \
        __global const real *restrict weights, __global const real *restrict data,                                     \
        __global const long *restrict offset, __global const int *restrict selector,                                   \
        __global const int *restrict cell_nodes, __global const real *restrict old,                                    \
        __global const real *restrict tables, __global const real *restrict jacobians,                                 \
        __global realv *restrict all_scratch, __global realv *restrict matrices, __global realv *restrict vectors

/* Those of them that coefficients are made from. */
typedef struct {
    __global const real *origin, *geo, *psi;
    FORM_SPACE const real *data;
    __global const long *offset;
    __global const int *selector, *cell_nodes;
    __global const real *old;
    real time;
    int n_cells;
} inputs;
#define INPUTS_FROM(data) {origin, geo, psi, data, offset, selector, cell_nodes, old, time, n_cells}
#define INPUTS INPUTS_FROM(data)

/* J[a][b] = dx_a / dxi_b from the element's nodes (relative to its first one). */
INLINE void jacobian(realv (*J)[DIM], NODE_SPACE const realv *nodes, __global const real *geo, int q)
{
#pragma unroll
    for (int a = 0; a < DIM; a++)
#pragma unroll
        for (int b = 0; b < DIM; b++)
            J[a][b] = 0;
    for (int g = 0; g < N_GEO; g++)
#pragma unroll
        for (int a = 0; a < DIM; a++) {
            const realv x = nodes[(g * DIM + a) * NODE_STRIDE];
#pragma unroll
            for (int b = 0; b < DIM; b++)
                J[a][b] += x * TABLE(geo, N_GEO, q, b + 1, g);
        }
}

/* inverse[b][a] = dxi_b / dx_a; returns det J. */
static realv invert(realv (*inverse)[DIM], realv (*J)[DIM])
{
#if DIM == 2
    const realv det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    const realv over = 1 / det;
    inverse[0][0] = J[1][1] * over;
    inverse[0][1] = -J[0][1] * over;
    inverse[1][0] = -J[1][0] * over;
    inverse[1][1] = J[0][0] * over;
#else
    const realv c00 = J[1][1] * J[2][2] - J[1][2] * J[2][1];
    const realv c10 = J[1][2] * J[2][0] - J[1][0] * J[2][2];
    const realv c20 = J[1][0] * J[2][1] - J[1][1] * J[2][0];
    const realv det = J[0][0] * c00 + J[0][1] * c10 + J[0][2] * c20;
    const realv over = 1 / det;
    inverse[0][0] = c00 * over;
    inverse[1][0] = c10 * over;
    inverse[2][0] = c20 * over;
    inverse[0][1] = (J[0][2] * J[2][1] - J[0][1] * J[2][2]) * over;
    inverse[1][1] = (J[0][0] * J[2][2] - J[0][2] * J[2][0]) * over;
    inverse[2][1] = (J[0][1] * J[2][0] - J[0][0] * J[2][1]) * over;
    inverse[0][2] = (J[0][1] * J[1][2] - J[0][2] * J[1][1]) * over;
    inverse[1][2] = (J[0][2] * J[1][0] - J[0][0] * J[1][2]) * over;
    inverse[2][2] = (J[0][0] * J[1][1] - J[0][1] * J[1][0]) * over;
#endif
    return det;
}

/* The map at point q: the Jacobian's inverse; returns its determinant. */
INLINE realv map_point(realv (*inverse)[DIM], NODE_SPACE const realv *nodes, __global const real *geo, int q)
{
    realv J[DIM][DIM];
    jacobian(J, nodes, geo, q);
    return invert(inverse, J);
}

/* Coefficients that are constant in an element, for the LANES elements from e0 on, lane after lane. */
static void edge_constants(realv *cc, const inputs *in, int e0)
{
    for (int lane = 0; lane < LANES; lane++) {
        real v[FORM_VARIABLES], c[ATLEAST1(FORM_CONSTANTS)];
        v[3] = in->time;
        form_element_data(v, in->data, in->offset, min(e0 + lane, in->n_cells - 1));
        form_constants(c, v);
#pragma unroll
        for (int k = 0; k < FORM_CONSTANTS; k++)
            ((real *)&cc[k])[lane] = c[k];
    }
}

#if LANES > 1
#if FORM_NEIGHBOURS
typedef realv unaligned __attribute__((aligned(sizeof(real))));
#define READ_DATUM(d) read[d] = *(FORM_SPACE const unaligned *)&in->data[FORM_ELEMENT_AT(d, e0)];
#define TAKE_DATUM(d) v[FORM_FIRST_DATUM + (d)] = ((const real *)&read[d])[lane];
#else
#define READ_DATUM(d)
#define TAKE_DATUM(d)
#endif

/* The same where all of them are inside the mesh. Neighbours' numbers that stand side by side are read as whole vectors:
   compilers, and PoCL's vload, put them together from halves, in memory, where the whole then waits for both stores. */
static void inner_constants(realv *cc, const inputs *in, int e0)
{
    __global const long *offset = in->offset;
    realv read[ATLEAST1(FORM_DATA)];
    FORM_ELEMENT_DATA(READ_DATUM)
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        real v[FORM_VARIABLES], c[ATLEAST1(FORM_CONSTANTS)];
        v[3] = in->time;
        form_element_data(v, in->data, offset, e0 + lane);
        FORM_ELEMENT_DATA(TAKE_DATUM)
        form_constants(c, v);
#pragma unroll
        for (int k = 0; k < FORM_CONSTANTS; k++)
            ((real *)&cc[k])[lane] = c[k];
    }
}
#endif

static void element_constants(realv *cc, const inputs *in, int e0)
{
#if LANES > 1
    if (e0 + LANES <= in->n_cells) {
        inner_constants(cc, in, e0);
        return;
    }
#endif
    edge_constants(cc, in, e0);
}

#if FORM_VARYING
/* Position, old solution and its gradient at point q of element e, into the variables of the expressions. */
INLINE void point_variables(real *v, const inputs *in, NODE_SPACE const realv *nodes, realv (*inverse)[DIM], int e,
                            int lane, int q)
{
    v[0] = v[1] = v[2] = 0;
#if FORM_READS_X
#pragma unroll
    for (int a = 0; a < DIM; a++) {
        real x = in->origin[e * DIM + a];
        for (int g = 0; g < N_GEO; g++)
            x += ((NODE_SPACE const real *)&nodes[(g * DIM + a) * NODE_STRIDE])[lane] * TABLE(in->geo, N_GEO, q, 0, g);
        v[a] = x;
    }
#endif
#if FORM_READS_U || FORM_READS_GRADIENT
    real u[N_E][1 + DIM]; /* the value and the derivatives in reference coordinates */
#pragma unroll
    for (int c = 0; c < N_E; c++)
#pragma unroll
        for (int D = 0; D <= DIM; D++)
            u[c][D] = 0;
    for (int i = 0; i < N_SHAPE; i++)
#pragma unroll
        for (int c = 0; c < N_E; c++) {
            const real old = in->old[in->cell_nodes[(long)e * N_SHAPE + i] * N_E + c];
#pragma unroll
            for (int D = 0; D <= (FORM_READS_GRADIENT ? DIM : 0); D++)
                u[c][D] += old * TABLE(in->psi, N_SHAPE, q, D, i);
        }
#pragma unroll
    for (int c = 0; c < N_E; c++) {
        v[4 + c] = u[c][0];
#if FORM_READS_GRADIENT
#pragma unroll
        for (int d = 0; d < DIM; d++) {
            real sum = 0;
#pragma unroll
            for (int b = 0; b < DIM; b++)
                sum += ((const real *)&inverse[b][d])[lane] * u[c][b + 1];
            v[4 + N_E + c * DIM + d] = sum;
        }
#endif
    }
#endif
}

/* Coefficients that vary within an element, at point q, for the LANES elements from e0 on. */
INLINE void point_coefficients(realv *cv, const inputs *in, NODE_SPACE const realv *nodes, realv (*inverse)[DIM], int e0,
                               int q)
{
    for (int lane = 0; lane < LANES; lane++) {
        const int e = min(e0 + lane, in->n_cells - 1);
        real v[FORM_VARIABLES], varying[FORM_VARYING];
        point_variables(v, in, nodes, inverse, e, lane, q);
        v[3] = in->time;
        form_element_data(v, in->data, in->offset, e);
        form_point_data(v, in->data, in->offset, in->selector, e, q);
        form_varying(varying, v);
#pragma unroll
        for (int k = 0; k < FORM_VARYING; k++)
            ((real *)&cv[k])[lane] = varying[k];
    }
}
#endif

#if defined(MATRIX_UNIT) && MATRIX_UNIT
/* c += a b on the f64 matrix unit of NVIDIA's devices, a fragment of 16 x 8 with 4 in between, shared by a warp: a lane
   has, with g = lane / 4 and t = lane % 4, of a the rows g and g + 8 at column t, of b row t at column g, of c the rows g
   and g + 8 at columns 2t and 2t + 1. */
static void multiply_add(real *c, const real *a, real b)
{
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                 : "d"(a[0]), "d"(a[1]), "d"(b));
}
#endif
