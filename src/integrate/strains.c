/* Strains times stresses of functions that move along one component each: what reduced elements and incompatible modes are made
   of. Most strains of a function are zero. */
#include "integrate/reduce.h"

/* Strains in Voigt's order of a motion along E, and the number of the gradient that each is; how many. */
RITZ_ANY_WIDTH int list_strains(int dim, bool ring, int E, int place[3], int part[3])
{
    int n = 0;
    for (; n < dim; n++) {
        place[n] = ritz_voigt_place[E][n];
        part[n] = n;
    }
    if (ring && E == 0) {
        place[n] = 2;
        part[n++] = 2;
    }
    return n;
}

void ritz_find_stresses(int dim, bool ring, double c[6][6], int n, double (*g)[3], ritz_strain_row stress[6])
{
    int place[3], part[3];
    memset(stress, 0, 6 * sizeof *stress);
    for (int E = 0; E < dim; E++) {
        const int n_strains = list_strains(dim, ring, E, place, part);
        for (int v = 0; v < 6; v++)
            for (int i = 0; i < n; i++) {
                double sum = 0;
                for (int k = 0; k < n_strains; k++)
                    sum += c[v][place[k]] * g[i][part[k]];
                stress[v].of[i * dim + E] = sum;
            }
    }
}

/* A row's products with packs of columns; the number of these is a constant where it is inlined. */
RITZ_ANY_WIDTH void add_row(int n_packs, double factor, int n_strains, const int *place, const int *part,
                            const double *f, const ritz_strain_row *stress, ritz_strain_row *row)
{
    ritz_lanes sum[RITZ_STRAIN_PACKS]; /* first, for points cancel */
    for (int p = 0; p < n_packs; p++)
        sum[p] = f[part[0]] * stress[place[0]].packs[p];
    for (int k = 1; k < n_strains; k++)
        for (int p = 0; p < n_packs; p++)
            sum[p] += f[part[k]] * stress[place[k]].packs[p];
    for (int p = 0; p < n_packs; p++)
        row->packs[p] += factor * sum[p];
}

RITZ_EACH_WIDTH static void add_products(int dim, bool ring, double factor, int n, double (*f)[3], int n_columns,
                                         const ritz_strain_row *stress, ritz_strain_row *rows)
{
    enum { FEW = (9 + RITZ_N_LANES - 1) / RITZ_N_LANES }; /* of the modes of a hex, the functions of a quad */
    int place[3], part[3];
    for (int E = 0; E < dim; E++) {
        const int n_strains = list_strains(dim, ring, E, place, part);
        for (int i = 0; i < n; i++)
            if (n_columns <= FEW * RITZ_N_LANES)
                add_row(FEW, factor, n_strains, place, part, f[i], stress, &rows[i * dim + E]);
            else
                add_row(RITZ_STRAIN_PACKS, factor, n_strains, place, part, f[i], stress, &rows[i * dim + E]);
    }
}

void ritz_add_strain_products(int dim, bool ring, double factor, int n, double (*f)[3], int n_columns,
                              const ritz_strain_row stress[6], ritz_strain_row *rows)
{
    add_products(dim, ring, factor, n, f, n_columns, stress, rows);
}
