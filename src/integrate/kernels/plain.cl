/* Method "plain": one element a work-item, each block summed by itself: the map, the coefficients and the shape functions are
   computed again for each pair of shape functions and point.

   After layout.cl and element.cl. Compile-time parameters: theirs, LOCAL (work-items a group). */

/* psi_i and its derivatives in space at point q. */
static void get_shape(realv *p, const realv (*inverse)[DIM], __global const real *restrict psi, int i, int q)
{
    p[0] = TABLE(psi, N_SHAPE, q, 0, i);
#if FORM_DERIVATIVES
#pragma unroll
    for (int a = 0; a < DIM; a++) {
        realv sum = inverse[0][a] * TABLE(psi, N_SHAPE, q, 1, i);
#pragma unroll
        for (int b = 1; b < DIM; b++)
            sum += inverse[b][a] * TABLE(psi, N_SHAPE, q, b + 1, i);
        p[a + 1] = sum;
    }
#endif
}

__kernel __attribute__((reqd_work_group_size(LOCAL, 1, 1)))
void integrate(INTEGRATE_ARGUMENTS)
{
    const int item = get_local_id(0);
    const int n_sets = (count + LOCAL - 1) / LOCAL;
    const inputs in = INPUTS;

    for (int set = get_group_id(0); set < n_sets; set += get_num_groups(0)) {
        const int e0 = first + set * LOCAL + item;
        __global const realv *nodes = geometry + (long)(first / LOCAL + set) * (N_GEO * DIM) * LOCAL + item;
        __global realv *matrix = matrices + (long)set * MATRIX_ENTRIES * LOCAL + item;
        realv cc[ATLEAST1(FORM_CONSTANTS)];
        element_constants(cc, &in, e0);
        for (int i = 0; i < N_SHAPE; i++)
            for (int j = SYMMETRIC ? i : 0; j < N_SHAPE; j++) {
                realv sum[FORM_SUMS], block[ENTRIES], b[N_E];
#pragma unroll
                for (int k = 0; k < FORM_SUMS; k++)
                    sum[k] = 0;
#pragma unroll
                for (int k = 0; k < N_E; k++)
                    b[k] = 0;
                for (int q = 0; q < N_QUAD; q++) {
                    realv inverse[DIM][DIM], p[DIM + 1], w[FORM_WEIGHTS], cv[ATLEAST1(FORM_VARYING)];
                    const realv vol = map_point(inverse, nodes, in.geo, AFFINE ? 0 : q) * weights[q];
#if FORM_VARYING
                    point_coefficients(cv, &in, nodes, inverse, e0, q);
#endif
                    get_shape(p, inverse, psi, i, q);
                    form_weight(w, cc, cv, vol, p);
#if FORM_LOAD
                    if (j == N_SHAPE - 1)
                        form_load(b, cc, cv, vol, p);
#endif
                    get_shape(p, inverse, psi, j, q);
                    form_accumulate(sum, w, p);
                }
                form_finish(block, sum, cc);
#pragma unroll
                for (int k = 0; k < ENTRIES; k++)
                    matrix[ENTRY_AT(PAIR(i, j), k) * LOCAL] = block[k];
#if FORM_LOAD
#pragma unroll
                for (int k = 0; k < N_E; k++)
                    if (j == N_SHAPE - 1)
                        vectors[((long)set * (N_SHAPE * N_E) + i * N_E + k) * LOCAL + item] = b[k];
#endif
            }
    }
}
