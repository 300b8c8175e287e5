/* Operations of what every kernel does at a point (kernels/element.cl); docs/integrate-command.md derives the counts. */
#include "integrate/methods.h"

double ritz_count_map(const ritz_case *c)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const int determinant = size.dim == 3 ? 14 : 3, rest = size.dim == 3 ? 28 : 5;
    return 2.0 * (double)size.n_geo * size.dim * size.dim + determinant + (c->traits.derivatives ? rest : 0);
}

double ritz_count_point_coefficients(const ritz_case *c, const ritz_form_counts *counts)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const double n_shape = (double)size.n_shape, n_e = c->n_components;
    if (!c->traits.n_varying)
        return 0;
    double n = counts->varying;
    n += c->traits.reads_x ? 2 * (double)size.n_geo * size.dim : 0;
    if (c->traits.reads_gradient)
        n += 2 * n_shape * n_e * (1 + size.dim) + 2 * n_e * size.dim * size.dim;
    else if (c->traits.reads_u)
        n += 2 * n_shape * n_e;
    return n;
}
