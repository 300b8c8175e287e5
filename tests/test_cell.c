/* Reference cells: topology, node sets and shape functions against exact polynomials. */
#include "cell/cell.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* after the headers it needs */
#include <cmocka.h>

static unsigned long long seed = 88172645463325252ULL;
static double uniform(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static void random_point(ritz_cell cell, double *x)
{
    int dim = ritz_cell_dim(cell);
    for (;;) {
        for (int d = 0; d < dim; d++)
            x[d] = uniform();
        if (cell == RITZ_TRI || cell == RITZ_PRISM ? x[0] + x[1] <= 1 : cell != RITZ_TET || x[0] + x[1] + x[2] <= 1)
            return;
    }
}

static bool in_space(ritz_cell cell, int p, int i, int j, int k)
{
    switch (cell) {
    case RITZ_TRI:
        return i + j <= p && k == 0;
    case RITZ_QUAD:
        return k == 0;
    case RITZ_TET:
        return i + j + k <= p;
    case RITZ_PRISM:
        return i + j <= p;
    default:
        return true;
    }
}

/* x^a and its derivative. */
static double power(double x, int a)
{
    return a == 0 ? 1 : pow(x, a);
}
static double slope(double x, int a)
{
    return a == 0 ? 0 : a * power(x, a - 1);
}

static void monomial(const double *x, int dim, const int *e, double *value)
{
    double z = dim == 3 ? x[2] : 0;
    value[0] = power(x[0], e[0]) * power(x[1], e[1]) * power(z, e[2]);
    value[1] = slope(x[0], e[0]) * power(x[1], e[1]) * power(z, e[2]);
    value[2] = power(x[0], e[0]) * slope(x[1], e[1]) * power(z, e[2]);
    value[3] = power(x[0], e[0]) * power(x[1], e[1]) * slope(z, e[2]);
}

enum { N_RANDOM = 10 };

static void check_monomial(const ritz_basis *b, const int *e, const double *points, const double *psi, double *worst)
{
    double exact[4], at_node[RITZ_MAX_SHAPE];
    for (int i = 0; i < b->n_shape; i++) {
        monomial(b->nodes + i * b->dim, b->dim, e, exact);
        at_node[i] = exact[0];
    }
    for (int q = 0; q < N_RANDOM; q++) {
        monomial(points + q * b->dim, b->dim, e, exact);
        for (int D = 0; D <= b->dim; D++) {
            double sum = 0;
            for (int i = 0; i < b->n_shape; i++)
                sum += psi[(q * (1 + b->dim) + D) * b->n_shape + i] * at_node[i];
            worst[D > 0] = fmax(worst[D > 0], fabs(sum - exact[D]));
        }
    }
}

static void check_basis(ritz_cell cell, int p, ritz_node_family family)
{
    ritz_basis *b = NULL;
    double points[N_RANDOM * 3], worst[2] = {0, 0};
    assert_int_equal(ritz_basis_create(cell, p, family, &b), RITZ_OK);
    assert_int_equal(b->n_shape, ritz_cell_n_shape(cell, p));
    double *psi = malloc(sizeof *psi * 4 * b->n_shape * (size_t)(b->n_shape > N_RANDOM ? b->n_shape : N_RANDOM));
    assert_int_equal(ritz_basis_tabulate(b, b->n_shape, b->nodes, psi), RITZ_OK);
    for (int j = 0; j < b->n_shape; j++) {
        for (int i = 0; i < b->n_shape; i++)
            assert_true(fabs(psi[j * (1 + b->dim) * b->n_shape + i] - (i == j)) < 1e-12);
    }
    for (int q = 0; q < N_RANDOM; q++)
        random_point(cell, points + q * b->dim);
    assert_int_equal(ritz_basis_tabulate(b, N_RANDOM, points, psi), RITZ_OK);
    for (int i = 0; i <= p; i++)
        for (int j = 0; j <= p; j++)
            for (int k = 0; k <= p; k++)
                if (in_space(cell, p, i, j, k))
                    check_monomial(b, (int[3]){i, j, k}, points, psi, worst);
    if (worst[0] > 2e-13 || worst[1] > 5e-12)
        fail_msg("%s order %d family %d: error %g in values, %g in derivatives", ritz_cell_name(cell), p, family,
                 worst[0], worst[1]);
    free(psi);
    ritz_basis_destroy(&b);
}

static void bases_reproduce_polynomials(void **state)
{
    (void)state;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        for (int p = 1; p <= RITZ_MAX_ORDER; p++)
            for (int family = 0; family < 2; family++)
                check_basis((ritz_cell)cell, p, (ritz_node_family)family);
}

/* Where a node must be by its entity record alone, in equispaced positions. */
static void expected_position(const ritz_basis *b, int i, double *x)
{
    const ritz_topology *t = ritz_cell_topology(b->cell);
    const double *v = ritz_cell_vertices(b->cell);
    const ritz_cell_node *n = &b->entities[i];
    static const int own[4] = {0, 1, 2, 3};
    double h = 1.0 / b->order;
    for (int d = 0; d < b->dim; d++) {
        if (n->dim == 0)
            x[d] = v[n->entity * b->dim + d];
        if (n->dim == 1) {
            double a = v[t->edges[n->entity][0] * b->dim + d], c = v[t->edges[n->entity][1] * b->dim + d];
            x[d] = a + n->index[0] * h * (c - a);
        }
        if (n->dim == 2) {
            const int *f = b->dim == 2 ? own : t->facets[n->entity];
            int m = b->dim == 2 ? t->n_vertices : t->facet_n_vertices[n->entity];
            double a = v[f[0] * b->dim + d], c = v[f[1] * b->dim + d], e = v[f[m - 1] * b->dim + d];
            if (m == 3)
                x[d] = h * (n->index[0] * a + n->index[1] * c + n->index[2] * e);
            else
                x[d] = a + h * (n->index[0] * (c - a) + n->index[1] * (e - a));
        }
    }
}

static void nodes_lie_on_their_entities(void **state)
{
    (void)state;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        for (int p = 1; p <= RITZ_MAX_ORDER; p++) {
            ritz_basis *b = NULL;
            int last = 0, inside = 0;
            assert_int_equal(ritz_basis_create((ritz_cell)cell, p, RITZ_NODES_EQUISPACED, &b), RITZ_OK);
            for (int i = 0; i < b->n_shape; i++) {
                double x[3];
                assert_true(b->entities[i].dim >= last);
                last = b->entities[i].dim;
                if (b->entities[i].dim == 3) {
                    assert_int_equal(b->entities[i].index[0], inside++);
                    continue;
                }
                expected_position(b, i, x);
                for (int d = 0; d < b->dim; d++)
                    assert_true(fabs(x[d] - b->nodes[i * b->dim + d]) < 1e-15);
                int sum = b->entities[i].index[0] + b->entities[i].index[1] + b->entities[i].index[2];
                const ritz_topology *t = ritz_cell_topology(b->cell);
                if (last == 2 && (b->dim == 2 ? t->n_vertices : t->facet_n_vertices[b->entities[i].entity]) == 3)
                    assert_int_equal(sum, p);
            }
            ritz_basis_destroy(&b);
        }
    }
}

/* Gauss-Lobatto points on [0, 1], from tables (Abramowitz and Stegun 25.4.32), one half. */
static void edges_carry_lobatto_points(void **state)
{
    (void)state;
    static const double half[8][4] = {[3] = {0, 0.447213595499958},
                                      [4] = {0, 0.654653670707977, 0},
                                      [5] = {0, 0.765055323929465, 0.285231516480645},
                                      [6] = {0, 0.830223896278567, 0.468848793470714, 0},
                                      [7] = {0, 0.871740148509607, 0.591700181433142, 0.209299217902479}};
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        const ritz_topology *t = ritz_cell_topology((ritz_cell)cell);
        const double *v = ritz_cell_vertices((ritz_cell)cell);
        for (int p = 3; p <= RITZ_MAX_ORDER; p++) {
            ritz_basis *b = NULL;
            assert_int_equal(ritz_basis_create((ritz_cell)cell, p, RITZ_NODES_LOBATTO, &b), RITZ_OK);
            for (int i = 0; i < b->n_shape; i++) {
                int k = b->entities[i].index[0];
                if (b->entities[i].dim != 1)
                    continue;
                double s = 2 * k <= p ? (1 - half[p][k]) / 2 : (1 + half[p][p - k]) / 2;
                for (int d = 0; d < b->dim; d++) {
                    double a = v[t->edges[b->entities[i].entity][0] * b->dim + d];
                    double c = v[t->edges[b->entities[i].entity][1] * b->dim + d];
                    assert_true(fabs(b->nodes[i * b->dim + d] - (a + s * (c - a))) < 2e-15);
                }
            }
            ritz_basis_destroy(&b);
        }
    }
}

/* The face node at steps `index` of face `face` in any numbering of the face's vertices lies where the 2D cell's nodes
   say: for each symmetry of the face, map the 2D cell's node set onto the face by its vertices and look it up. */
static void check_face(const ritz_basis *b, const ritz_basis *flat, int face)
{
    const ritz_topology *t = ritz_cell_topology(b->cell);
    const double *v = ritz_cell_vertices(b->cell);
    int m = t->facet_n_vertices[face];
    for (int turn = 0; turn < 2 * m; turn++) {
        int f[4];
        for (int k = 0; k < m; k++)
            f[k] = t->facets[face][turn < m ? (k + turn) % m : (turn - k) % m];
        for (int i = 0; i < flat->n_shape; i++) {
            double x[3], best = 1;
            const double *s = flat->nodes + 2 * i;
            for (int d = 0; d < 3; d++) {
                double a = v[f[0] * 3 + d];
                x[d] = a + s[0] * (v[f[1] * 3 + d] - a) + s[1] * (v[f[m - 1] * 3 + d] - a);
            }
            for (int j = 0; j < b->n_shape; j++) {
                double gap = 0;
                for (int d = 0; d < 3; d++)
                    gap = fmax(gap, fabs(x[d] - b->nodes[3 * j + d]));
                if (gap < best && b->entities[j].dim == flat->entities[i].dim)
                    best = gap;
            }
            assert_true(best < 1e-15);
        }
    }
}

static void faces_match_under_all_symmetries(void **state)
{
    (void)state;
    for (int p = 1; p <= RITZ_MAX_ORDER; p++) {
        ritz_basis *flat[2] = {NULL, NULL};
        assert_int_equal(ritz_basis_create(RITZ_TRI, p, RITZ_NODES_LOBATTO, &flat[0]), RITZ_OK);
        assert_int_equal(ritz_basis_create(RITZ_QUAD, p, RITZ_NODES_LOBATTO, &flat[1]), RITZ_OK);
        for (int cell = RITZ_TET; cell <= RITZ_HEX; cell++) {
            ritz_basis *b = NULL;
            const ritz_topology *t = ritz_cell_topology((ritz_cell)cell);
            assert_int_equal(ritz_basis_create((ritz_cell)cell, p, RITZ_NODES_LOBATTO, &b), RITZ_OK);
            for (int face = 0; face < t->n_facets; face++)
                check_face(b, flat[t->facet_n_vertices[face] - 3], face);
            ritz_basis_destroy(&b);
        }
        ritz_basis_destroy(&flat[0]);
        ritz_basis_destroy(&flat[1]);
    }
}

/* Lebesgue constant: the largest sum of |psi_i| over a fine lattice of points. */
static double lebesgue(ritz_cell cell, int p, ritz_node_family family)
{
    ritz_basis *b = NULL;
    double largest = 0, psi[4 * RITZ_MAX_SHAPE];
    enum { STEPS = 20 };
    assert_int_equal(ritz_basis_create(cell, p, family, &b), RITZ_OK);
    for (int i = 0; i <= STEPS; i++) {
        for (int j = 0; j <= STEPS; j++) {
            for (int k = 0; k <= (b->dim == 3 ? STEPS : 0); k++) {
                if ((cell == RITZ_TRI && i + j > STEPS) || (cell == RITZ_TET && i + j + k > STEPS))
                    continue;
                double x[3] = {(double)i / STEPS, (double)j / STEPS, (double)k / STEPS}, sum = 0;
                assert_int_equal(ritz_basis_tabulate(b, 1, x, psi), RITZ_OK);
                for (int n = 0; n < b->n_shape; n++)
                    sum += fabs(psi[n]);
                largest = fmax(largest, sum);
            }
        }
    }
    ritz_basis_destroy(&b);
    return largest;
}

static void order_seven_is_well_conditioned(void **state)
{
    (void)state;
    /* Computed: tri 4.48, quad 3.89, tet 9.11; the equispaced sets are several times worse. The line's constant for
       Gauss-Lobatto points stays below (2 / pi) log(p + 1) + 0.685 (Hesthaven 1998), and the quad's is its square. */
    static const double bound[] = {[RITZ_TRI] = 4.5, [RITZ_QUAD] = 2.009 * 2.009, [RITZ_TET] = 9.2};
    for (int cell = RITZ_TRI; cell <= RITZ_TET; cell++) {
        double lobatto = lebesgue((ritz_cell)cell, 7, RITZ_NODES_LOBATTO);
        double equispaced = lebesgue((ritz_cell)cell, 7, RITZ_NODES_EQUISPACED);
        print_message("%s: Lebesgue constant at p = 7: %.3f; equispaced %.3f\n", ritz_cell_name((ritz_cell)cell),
                      lobatto, equispaced);
        assert_true(lobatto > 1 && lobatto < bound[cell]);
        assert_true(lobatto < 0.5 * equispaced);
    }
}

/* Serendipity functions in Zienkiewicz' closed form on [-1, 1]^dim, and on the prism what they have to be: nodal, and with
   all polynomials of degree 2 among them. */
static double closed_form(const double *node, const double *x, int dim)
{
    double product = dim == 3 ? 0.125 : 0.25, sum = -(dim - 1), middle = 1;
    bool corner = true;
    for (int d = 0; d < dim; d++) {
        const double at = 2 * node[d] - 1, xi = 2 * x[d] - 1;
        corner = corner && at != 0;
        product *= 1 + xi * at;
        sum += xi * at;
        middle = at == 0 ? 1 - xi * xi : middle;
    }
    return corner ? product * sum : 2 * product * middle;
}

static void serendipity_functions_are_those_of_textbooks(void **state)
{
    (void)state;
    static const ritz_cell cells[] = {RITZ_QUAD, RITZ_HEX, RITZ_PRISM};
    static const int n_shape[] = {8, 20, 15};
    for (int c = 0; c < 3; c++) {
        ritz_basis *b = NULL;
        double x[N_RANDOM * 3], psi[N_RANDOM * 4 * 20], at_nodes[20 * 4 * 20], worst[2] = {0};
        assert_int_equal(ritz_basis_create_serendipity(cells[c], &b), RITZ_OK);
        assert_int_equal(b->n_shape, n_shape[c]);
        const int stride = (1 + b->dim) * b->n_shape;
        assert_int_equal(ritz_basis_tabulate(b, b->n_shape, b->nodes, at_nodes), RITZ_OK);
        for (int i = 0; i < b->n_shape; i++)
            for (int j = 0; j < b->n_shape; j++)
                assert_true(fabs(at_nodes[j * stride + i] - (i == j)) < 1e-13);
        for (int q = 0; q < N_RANDOM; q++)
            random_point(cells[c], x + q * b->dim);
        assert_int_equal(ritz_basis_tabulate(b, N_RANDOM, x, psi), RITZ_OK);
        for (int i = 0; cells[c] != RITZ_PRISM && i < N_RANDOM * b->n_shape; i++)
            worst[0] = fmax(worst[0],
                            fabs(psi[i / b->n_shape * stride + i % b->n_shape] -
                                 closed_form(b->nodes + i % b->n_shape * b->dim, x + i / b->n_shape * b->dim, b->dim)));
        for (int e = 0; e < (b->dim == 3 ? 27 : 9); e++) {
            const int powers[3] = {e % 3, e / 3 % 3, e / 9};
            if (powers[0] + powers[1] + powers[2] <= 2)
                check_monomial(b, powers, x, psi, worst);
        }
        assert_true(worst[0] < 1e-12 && worst[1] < 1e-12);
        ritz_basis_destroy(&b);
    }
}

static void names_and_bad_input(void **state)
{
    (void)state;
    ritz_cell cell;
    ritz_basis *b = NULL;
    for (int c = 0; c < RITZ_N_CELLS; c++) {
        assert_int_equal(ritz_cell_from_name(ritz_cell_name((ritz_cell)c), &cell), RITZ_OK);
        assert_int_equal(cell, c);
    }
    assert_int_equal(ritz_cell_from_name("pyramid", &cell), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "prism"));
    assert_int_equal(ritz_basis_create(RITZ_TET, 8, RITZ_NODES_LOBATTO, &b), RITZ_ERROR_INPUT);
    assert_int_equal(ritz_basis_create(RITZ_TET, 0, RITZ_NODES_LOBATTO, &b), RITZ_ERROR_INPUT);
    assert_null(b);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    for (int n = 1; n < 50; n++) {
        ritz_basis *b = NULL;
        ritz_fail_allocation(n);
        ritz_status status = ritz_basis_create(RITZ_PRISM, 2, RITZ_NODES_LOBATTO, &b);
        ritz_fail_allocation(0);
        if (status == RITZ_OK) {
            assert_true(n > 5);
            ritz_basis_destroy(&b);
            return;
        }
        assert_int_equal(status, RITZ_ERROR_MEMORY);
        assert_null(b);
    }
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bases_reproduce_polynomials),
        cmocka_unit_test(nodes_lie_on_their_entities),
        cmocka_unit_test(edges_carry_lobatto_points),
        cmocka_unit_test(faces_match_under_all_symmetries),
        cmocka_unit_test(order_seven_is_well_conditioned),
        cmocka_unit_test(names_and_bad_input),
        cmocka_unit_test(failed_allocations_are_reported),
        cmocka_unit_test(serendipity_functions_are_those_of_textbooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
