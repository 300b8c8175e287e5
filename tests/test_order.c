/* Cells and nodes in the caller's order: meshes from arrays, shuffled, with cells of either orientation and data that
   differ from cell to cell, and from files whose numbers have gaps. Through the public interface alone. */
#include "arrays.h"
#include "check.h"
#include "ritz.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* ---- Arrays of a caller ---- */

typedef struct arrays {
    ritz_cell cell;
    int dim, n_vertices;
    int32_t n_nodes, n_cells;
    double *x;         /* [n_nodes][dim] */
    int32_t *vertices; /* [n_cells][n_vertices] */
    double *data;      /* [n_cells] positive, all different */
} arrays;

static arrays make_arrays(ritz_cell cell, int32_t n_nodes, int32_t n_cells)
{
    arrays a = {cell, ritz_cell_dim(cell), ritz_cell_n_shape(cell, 1), n_nodes, n_cells, NULL, NULL, NULL};
    a.x = calloc((size_t)n_nodes * (size_t)a.dim, sizeof *a.x);
    a.vertices = calloc((size_t)n_cells * (size_t)a.n_vertices, sizeof *a.vertices);
    a.data = calloc((size_t)n_cells, sizeof *a.data);
    assert_true(a.x && a.vertices && a.data);
    return a;
}

static void free_arrays(arrays *a)
{
    free(a->x);
    free(a->vertices);
    free(a->data);
}

/* Exchanges x and y of the reference cell, or turns the cell's vertices by one: left-handed where it was not, or only
   another start. */
static void reorder_vertices(ritz_cell cell, int how, int32_t *v)
{
    static const int mirror[RITZ_N_CELLS][8] = {
        {0, 2, 1}, {0, 3, 2, 1}, {0, 2, 1, 3}, {0, 2, 1, 3, 5, 4}, {0, 3, 2, 1, 4, 7, 6, 5}};
    static const int upside[RITZ_N_CELLS][8] = {
        {1, 0, 2}, {1, 0, 3, 2}, {1, 0, 2, 3}, {3, 4, 5, 0, 1, 2}, {4, 5, 6, 7, 0, 1, 2, 3}};
    static const int turned[RITZ_N_CELLS][8] = {
        {1, 2, 0}, {1, 2, 3, 0}, {1, 2, 0, 3}, {1, 2, 0, 4, 5, 3}, {1, 2, 3, 0, 5, 6, 7, 4}};
    const int *from = how == 1 ? mirror[cell] : how == 2 ? upside[cell] : turned[cell];
    int32_t old[8];
    memcpy(old, v, sizeof(int32_t) * (size_t)ritz_cell_n_shape(cell, 1));
    for (int i = 0; how > 0 && i < ritz_cell_n_shape(cell, 1); i++)
        v[i] = old[from[i]];
}

/* A distorted box as a caller would hold it: x first, cells of all orientations, one node that no cell uses. */
static arrays box_arrays(ritz_cell cell)
{
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    ritz_box box = {.cell = cell, .cells = {3, 2, 2}, .size = {1, 1.5, 0.8}, .origin = {3, -2, 1}, .distort = 0.3};
    OK(ritz_mesh_box(&box, &mesh));
    OK(ritz_space_create(mesh, 1, 1, &space));
    arrays a = make_arrays(cell, (int32_t)ritz_space_n_nodes(space) + 1, (int32_t)ritz_mesh_n_cells(mesh, cell));
    memcpy(a.x + a.dim, ritz_space_coordinates(space), sizeof(double) * (size_t)((a.n_nodes - 1) * a.dim));
    OK(ritz_space_cell_nodes(space, cell, a.vertices));
    for (int32_t c = 0; c < a.n_cells; c++) {
        for (int i = 0; i < a.n_vertices; i++)
            a.vertices[c * a.n_vertices + i]++; /* node 0 is the one that no cell uses */
        reorder_vertices(cell, c % 4, &a.vertices[c * a.n_vertices]);
        a.data[c] = 1 + 0.37 * c;
    }
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
    return a;
}

static uint64_t random_state = 88172645463325252u;
static int32_t below(int32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int32_t)(random_state % (uint64_t)n);
}

static int32_t *permutation(int32_t n)
{
    int32_t *p = calloc((size_t)n, sizeof *p);
    for (int32_t i = 0; i < n; i++) {
        int32_t j = below(i + 1);
        p[i] = p[j];
        p[j] = i;
    }
    return p;
}

/* The same cells elsewhere in the arrays: cell c becomes to[c]. */
static arrays shuffle_arrays(const arrays *a, int32_t *to)
{
    arrays s = make_arrays(a->cell, a->n_nodes, a->n_cells);
    int32_t *node = permutation(a->n_nodes), *cell = permutation(a->n_cells);
    for (int32_t n = 0; n < a->n_nodes; n++)
        memcpy(s.x + node[n] * a->dim, a->x + n * a->dim, sizeof(double) * (size_t)a->dim);
    for (int32_t c = 0; c < a->n_cells; c++) {
        to[c] = cell[c];
        s.data[cell[c]] = a->data[c];
        for (int i = 0; i < a->n_vertices; i++)
            s.vertices[cell[c] * a->n_vertices + i] = node[a->vertices[c * a->n_vertices + i]];
    }
    free(node);
    free(cell);
    return s;
}

/* ---- What the library makes of them ---- */

typedef struct model {
    ritz_mesh *mesh;
    ritz_space *space;
    ritz_form *form;
    int n_shape, n_components, n_rows;
    double *matrices, *vectors; /* [n_cells][n_rows]... */
    int32_t *nodes;             /* [n_cells][n_shape] */
    double *dense, *rhs;        /* assembled, [n_dofs][n_dofs] */
} model;

static void make_space(const arrays *a, int order, const char *form, model *m)
{
    *m = (model){.n_shape = ritz_cell_n_shape(a->cell, order)};
    OK(mesh_from_arrays(a->cell, a->n_nodes, a->x, a->n_cells, a->vertices, &m->mesh));
    OK(ritz_form_create(form, a->dim, &m->form));
    m->n_components = ritz_form_n_components(m->form);
    m->n_rows = m->n_shape * m->n_components;
    OK(ritz_space_create(m->mesh, order, m->n_components, &m->space));
    m->nodes = calloc((size_t)a->n_cells * (size_t)m->n_shape, sizeof *m->nodes);
    OK(ritz_space_cell_nodes(m->space, a->cell, m->nodes));
}

/* Data: 0 (conductivity, young) differs from cell to cell unless `constant`. */
static int make_data(const arrays *a, bool constant, const ritz_form *form, ritz_data *data)
{
    const int n_data = ritz_form_n_data(form);
    for (int d = 0; d < n_data; d++) {
        const char *name = ritz_form_data_name(form, d);
        data[d] = (ritz_data){.name = name, .value = strcmp(name, "poisson") == 0 ? 0.3 : 1};
        if (d == 0 && !constant)
            data[d] = (ritz_data){.name = name, .kind = RITZ_DATA_ELEMENT, .values = a->data};
    }
    return n_data;
}

static void integrate(const arrays *a, bool constant, model *m)
{
    ritz_data data[8];
    const ritz_input input = {.n_data = make_data(a, constant, m->form, data), .data = data};
    free(m->matrices);
    free(m->vectors);
    m->matrices = calloc((size_t)a->n_cells * (size_t)(m->n_rows * m->n_rows), sizeof(double));
    m->vectors = calloc((size_t)a->n_cells * (size_t)m->n_rows, sizeof(double));
    OK(ritz_integrate(device, m->space, a->cell, m->form, &input, NULL, m->matrices, m->vectors));
}

static void make_dense(const ritz_matrix *matrix, model *m)
{
    const int64_t n = ritz_space_n_dofs(m->space);
    ritz_rows *rows = NULL;
    m->dense = calloc((size_t)(n * n), sizeof(double));
    OK(ritz_matrix_get_rows(matrix, 1, &rows));
    for (int64_t row = 0; row < n; row++)
        for (int64_t k = rows->row_start[row]; k < rows->row_start[row + 1]; k++)
            m->dense[row * n + rows->columns[k]] = rows->values[k];
    ritz_rows_destroy(&rows);
}

static void assemble(const arrays *a, bool constant, model *m)
{
    ritz_data data[8];
    const ritz_input input = {.n_data = make_data(a, constant, m->form, data), .data = data};
    ritz_matrix *matrix = NULL;
    m->rhs = calloc((size_t)ritz_space_n_dofs(m->space), sizeof(double));
    OK(ritz_assemble(device, m->space, m->form, &input, NULL, &matrix, m->rhs));
    make_dense(matrix, m);
    ritz_matrix_destroy(&matrix);
}

/* By an assembler: conductivity a field of a space of vectors, the source of the old solution, some values prescribed; all
   of it functions of the place. */
static void assemble_fields(model *m)
{
    ritz_space *vectors = NULL;
    ritz_assembler *assembler = NULL;
    ritz_constraints *constraints = NULL;
    const int dim = ritz_mesh_dim(m->mesh);
    OK(ritz_space_create(m->mesh, 2, 2, &vectors));
    OK(ritz_assembler_create(device, m->space, NULL, &assembler));
    OK(ritz_constraints_create(m->space, &constraints));
    const int64_t n = ritz_space_n_dofs(m->space), n_nodes = ritz_space_n_nodes(vectors);
    const double *x = ritz_space_coordinates(m->space), *y = ritz_space_coordinates(vectors);
    double *old = calloc((size_t)n, sizeof *old), *field = calloc((size_t)n_nodes, 2 * sizeof *field);
    for (int64_t k = 0; k < n_nodes; k++)
        field[2 * k + 1] = 2 + sin(y[k * dim] + 3 * y[k * dim + 1]);
    for (int64_t k = 0; k < n; k++) {
        old[k] = cos(x[k * dim] * x[k * dim + 1]);
        const double value = x[k * dim];
        if (old[k] > 0.5)
            OK(ritz_constraints_set_dofs(constraints, 1, &k, &value));
    }
    assert_true(ritz_constraints_n_dofs(constraints) > 0);
    const ritz_data data[] = {
        {.name = "conductivity", .kind = RITZ_DATA_FIELD, .values = field, .space = vectors, .component = 1},
        {.name = "source", .kind = RITZ_DATA_EXPRESSION, .expression = "1 + u*u + u_y"}};
    const ritz_input input = {.n_data = 2, .data = data, .old = old};
    m->rhs = calloc((size_t)n, sizeof(double));
    OK(ritz_assembler_fill(assembler, m->form, &input, NULL, constraints, m->rhs));
    make_dense(ritz_assembler_matrix(assembler), m);
    free(old);
    free(field);
    ritz_constraints_destroy(&constraints);
    ritz_assembler_destroy(&assembler);
    ritz_space_destroy(&vectors);
}

static void free_model(model *m)
{
    ritz_form_destroy(&m->form);
    ritz_space_destroy(&m->space);
    ritz_mesh_destroy(&m->mesh);
    free(m->matrices);
    free(m->vectors);
    free(m->nodes);
    free(m->dense);
    free(m->rhs);
}

/* ---- Tests ---- */

/* The row of local row r of a cell. */
static int64_t row_of(const model *m, int32_t cell, int r)
{
    return (int64_t)m->nodes[cell * m->n_shape + r / m->n_components] * m->n_components + r % m->n_components;
}

/* The same systems: cell c of p is cell to[c] of q. */
static void compare_systems(const arrays *a, const int32_t *to, const model *p, const model *q)
{
    const int64_t n_dofs = ritz_space_n_dofs(p->space);
    assert_int_equal(n_dofs, ritz_space_n_dofs(q->space));
    for (int32_t c = 0; c < a->n_cells; c++)
        for (int i = 0; i < p->n_rows; i++) {
            const int64_t row_p = row_of(p, c, i), row_q = row_of(q, to[c], i);
            assert_true(fabs(p->rhs[row_p] - q->rhs[row_q]) < 1e-13);
            for (int j = 0; j < p->n_rows; j++)
                assert_true(fabs(p->dense[row_p * n_dofs + row_of(p, c, j)] -
                                 q->dense[row_q * n_dofs + row_of(q, to[c], j)]) < 1e-12);
        }
}

/* The model's space again, with these numbers of the cells' nodes. */
static void number_space(const arrays *a, int order, const int32_t *numbers, model *m)
{
    const int32_t *nodes[RITZ_N_CELLS] = {NULL};
    nodes[a->cell] = numbers;
    ritz_space_destroy(&m->space);
    free(m->dense);
    free(m->rhs);
    OK(ritz_space_create_numbered(m->mesh, order, 0, m->n_components, nodes, &m->space));
    OK(ritz_space_cell_nodes(m->space, a->cell, m->nodes));
    assert_memory_equal(m->nodes, numbers, sizeof *numbers * (size_t)(a->n_cells * m->n_shape));
}

/* Nodes numbered at random by the caller: cell c of p is cell to[c] of q, and their nodes have the same numbers. */
static void number_alike(const arrays *a, const arrays *b, const int32_t *to, int order, model *p, model *q)
{
    const int32_t n_nodes = (int32_t)ritz_space_n_nodes(p->space);
    const int n = p->n_shape;
    int32_t *random = permutation(n_nodes), *numbers = calloc((size_t)(2 * a->n_cells * n), sizeof *numbers);
    int32_t *moved = numbers + a->n_cells * n;
    for (int32_t c = 0; c < a->n_cells; c++)
        for (int i = 0; i < n; i++)
            moved[to[c] * n + i] = numbers[c * n + i] = random[p->nodes[c * n + i]];
    number_space(a, order, numbers, p);
    number_space(b, order, moved, q);
    const double *x = ritz_space_coordinates(p->space), *y = ritz_space_coordinates(q->space);
    for (int32_t k = 0; k < n_nodes * a->dim; k++)
        assert_true(fabs(x[k] - y[k]) < 1e-14);
    free(random);
    free(numbers);
}

/* The same matrix and right-hand side, row by row and column by column. */
static void compare_rows(const model *p, const model *q)
{
    const int64_t n = ritz_space_n_dofs(p->space);
    for (int64_t k = 0; k < n * n; k++)
        assert_true(fabs(p->dense[k] - q->dense[k]) < 1e-12);
    for (int64_t k = 0; k < n; k++)
        assert_true(fabs(p->rhs[k] - q->rhs[k]) < 1e-13);
}

static void shuffled(ritz_cell cell, int order, const char *form)
{
    arrays a = box_arrays(cell);
    int32_t *to = calloc((size_t)a.n_cells, sizeof *to);
    arrays b = shuffle_arrays(&a, to);
    model p, q;
    make_space(&a, order, form, &p);
    make_space(&b, order, form, &q);
    integrate(&a, false, &p);
    integrate(&b, false, &q);
    const size_t n = (size_t)p.n_rows;
    for (int32_t c = 0; c < a.n_cells; c++) {
        assert_memory_equal(p.matrices + (size_t)c * n * n, q.matrices + (size_t)to[c] * n * n, n * n * sizeof(double));
        assert_memory_equal(p.vectors + (size_t)c * n, q.vectors + (size_t)to[c] * n, n * sizeof(double));
    }
    assemble(&a, false, &p);
    assemble(&b, false, &q);
    compare_systems(&a, to, &p, &q);
    number_alike(&a, &b, to, order, &p, &q);
    assemble(&a, false, &p);
    assemble(&b, false, &q);
    compare_systems(&a, to, &p, &q);
    compare_rows(&p, &q);
    free_model(&p);
    free_model(&q);
    free_arrays(&a);
    free_arrays(&b);
    free(to);
}

/* The same of data that are functions of the place. */
static void shuffled_fields(ritz_cell cell, int order)
{
    arrays a = box_arrays(cell);
    int32_t *to = calloc((size_t)a.n_cells, sizeof *to);
    arrays b = shuffle_arrays(&a, to);
    model p, q;
    make_space(&a, order, "poisson", &p);
    make_space(&b, order, "poisson", &q);
    assemble_fields(&p);
    assemble_fields(&q);
    compare_systems(&a, to, &p, &q);
    number_alike(&a, &b, to, order, &p, &q);
    assemble_fields(&p);
    assemble_fields(&q);
    compare_rows(&p, &q);
    free_model(&p);
    free_model(&q);
    free_arrays(&a);
    free_arrays(&b);
    free(to);
}

/* The assembled matrix is the sum of the element matrices through ritz_space_cell_nodes. */
static void sum_of_elements(ritz_cell cell, int order, const char *form)
{
    arrays a = box_arrays(cell);
    model m;
    make_space(&a, order, form, &m);
    integrate(&a, false, &m);
    assemble(&a, false, &m);
    const int64_t n = ritz_space_n_dofs(m.space);
    for (int32_t c = 0; c < a.n_cells; c++)
        for (int i = 0; i < m.n_rows; i++) {
            m.rhs[row_of(&m, c, i)] -= m.vectors[c * m.n_rows + i];
            for (int j = 0; j < m.n_rows; j++)
                m.dense[row_of(&m, c, i) * n + row_of(&m, c, j)] -= m.matrices[(c * m.n_rows + i) * m.n_rows + j];
        }
    for (int64_t k = 0; k < n * n; k++)
        assert_true(fabs(m.dense[k]) < 1e-12);
    for (int64_t k = 0; k < n; k++)
        assert_true(fabs(m.rhs[k]) < 1e-13);
    free_model(&m);
    free_arrays(&a);
}

/* det of the edge vectors from vertex 0, and the gradients of the barycentric coordinates of a triangle or tet. */
static double simplex(const arrays *a, const int32_t *v, double gradient[4][3])
{
    double e[3][3] = {{0}, {0}, {0, 0, 1}};
    for (int k = 0; k < a->dim; k++)
        for (int d = 0; d < a->dim; d++)
            e[k][d] = a->x[v[k + 1] * a->dim + d] - a->x[v[0] * a->dim + d];
    double det = 0;
    for (int k = 0; k < 3; k++) {
        const double *s = e[(k + 1) % 3], *t = e[(k + 2) % 3];
        for (int d = 0; d < 3; d++)
            gradient[k + 1][d] = s[(d + 1) % 3] * t[(d + 2) % 3] - s[(d + 2) % 3] * t[(d + 1) % 3];
        if (k == 0)
            det = e[0][0] * gradient[1][0] + e[0][1] * gradient[1][1] + e[0][2] * gradient[1][2];
    }
    for (int d = 0; d < 3; d++) {
        gradient[0][d] = 0;
        for (int k = 1; k <= a->dim; k++) {
            gradient[k][d] /= det;
            gradient[0][d] -= gradient[k][d];
        }
    }
    return fabs(det);
}

/* Linear simplices in closed form: conductivity * volume * grad_i . grad_j, and volume / (dim + 1). */
static void closed_form(ritz_cell cell)
{
    arrays a = box_arrays(cell);
    model m;
    make_space(&a, 1, "poisson", &m);
    integrate(&a, false, &m);
    for (int32_t c = 0; c < a.n_cells; c++) {
        double g[4][3];
        const double volume = simplex(&a, &a.vertices[c * a.n_vertices], g) / (a.dim == 2 ? 2 : 6);
        for (int i = 0; i < a.n_vertices; i++) {
            assert_true(fabs(m.vectors[c * a.n_vertices + i] - volume / a.n_vertices) < 1e-14);
            for (int j = 0; j < a.n_vertices; j++) {
                const double exact = a.data[c] * volume * (g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2]);
                assert_true(fabs(m.matrices[(c * a.n_vertices + i) * a.n_vertices + j] - exact) < 1e-12);
            }
        }
    }
    free_model(&m);
    free_arrays(&a);
}

static void matrices(void **state)
{
    (void)state;
    closed_form(RITZ_TRI);
    closed_form(RITZ_TET);
    shuffled(RITZ_TRI, 1, "poisson");
    shuffled(RITZ_TRI, 3, "poisson");
    shuffled(RITZ_PRISM, 2, "poisson");
    shuffled(RITZ_HEX, 1, "elasticity");
    shuffled_fields(RITZ_TRI, 3);
    shuffled_fields(RITZ_PRISM, 2);
    sum_of_elements(RITZ_TRI, 3, "poisson");
    sum_of_elements(RITZ_HEX, 1, "elasticity");
}

/* The place of reference point xi in a cell: its vertices' multilinear (simplices: linear) map. */
static void place(const arrays *a, const int32_t *v, const double *xi, double *x)
{
    const double r = xi[0], s = xi[1], t = a->dim == 3 ? xi[2] : 0;
    const double tri[] = {1 - r - s, r, s}, quad[] = {(1 - r) * (1 - s), r * (1 - s), r * s, (1 - r) * s};
    double weight[8];
    for (int i = 0; i < a->n_vertices; i++)
        switch (a->cell) {
        case RITZ_TRI:
            weight[i] = tri[i];
            break;
        case RITZ_QUAD:
            weight[i] = quad[i];
            break;
        case RITZ_TET:
            weight[i] = i == 0 ? 1 - r - s - t : xi[i - 1];
            break;
        case RITZ_PRISM:
            weight[i] = tri[i % 3] * (i < 3 ? 1 - t : t);
            break;
        default:
            weight[i] = quad[i % 4] * (i < 4 ? 1 - t : t);
        }
    for (int d = 0; d < a->dim; d++) {
        x[d] = 0;
        for (int i = 0; i < a->n_vertices; i++)
            x[d] += weight[i] * a->x[v[i] * a->dim + d];
    }
}

/* The reference cell itself as a mesh: where the nodes of a cell stand in it, [n_shape][dim]. */
static double *reference_nodes(ritz_cell cell, int order)
{
    static const double plane[] = {0, 0, 1, 0, 0, 1}, square[] = {0, 0, 1, 0, 1, 1, 0, 1};
    arrays a = make_arrays(cell, ritz_cell_n_shape(cell, 1), 1);
    const int n_base = cell == RITZ_TRI || cell == RITZ_TET || cell == RITZ_PRISM ? 3 : 4;
    model m;
    for (int i = 0; i < a.n_vertices; i++) {
        a.vertices[i] = i;
        if (cell == RITZ_TET && i == 3) {
            a.x[11] = 1;
            continue;
        }
        memcpy(a.x + i * a.dim, (n_base == 3 ? plane : square) + 2 * (i % n_base), 2 * sizeof(double));
        if (a.dim == 3)
            a.x[3 * i + 2] = i >= n_base;
    }
    make_space(&a, order, "poisson", &m);
    double *nodes = calloc((size_t)(m.n_shape * a.dim), sizeof(double));
    for (int i = 0; i < m.n_shape; i++)
        memcpy(nodes + i * a.dim, ritz_space_coordinates(m.space) + m.nodes[i] * a.dim, sizeof(double) * (size_t)a.dim);
    free_model(&m);
    free_arrays(&a);
    return nodes;
}

/* Nodes of a cell stand where the caller's vertices put them, whatever its orientation. */
static void nodes_of_cells(void **state)
{
    (void)state;
    for (int cell = RITZ_TRI; cell < RITZ_N_CELLS; cell++) {
        arrays a = box_arrays((ritz_cell)cell);
        for (int order = 1; order <= RITZ_MAX_ORDER; order++) {
            double *xi = reference_nodes((ritz_cell)cell, order);
            model m;
            make_space(&a, order, "poisson", &m);
            const double *x = ritz_space_coordinates(m.space);
            for (int32_t c = 0; c < a.n_cells; c++)
                for (int i = 0; i < m.n_shape; i++) {
                    double expected[3];
                    place(&a, &a.vertices[c * a.n_vertices], xi + i * a.dim, expected);
                    for (int d = 0; d < a.dim; d++)
                        assert_true(fabs(x[m.nodes[c * m.n_shape + i] * a.dim + d] - expected[d]) < 1e-12);
                }
            free_model(&m);
            free(xi);
        }
        free_arrays(&a);
    }
}

static void numbers(void **state)
{
    (void)state;
    for (int cell = RITZ_TRI; cell < RITZ_N_CELLS; cell++)
        for (int order = 1; order <= 2; order++) {
            arrays a = box_arrays((ritz_cell)cell);
            model m;
            make_space(&a, order, "poisson", &m);
            const int64_t n_nodes = ritz_space_n_nodes(m.space);
            int64_t *number = calloc((size_t)n_nodes, sizeof *number), found = 0;
            OK(ritz_space_node_numbers(m.space, number));
            for (int64_t n = 0; n < n_nodes; n++) {
                assert_true(number[n] >= -1 && number[n] != 0 && number[n] < a.n_nodes);
                found += number[n] > 0;
                if (number[n] > 0)
                    assert_memory_equal(ritz_space_coordinates(m.space) + n * a.dim, a.x + number[n] * a.dim,
                                        sizeof(double) * (size_t)a.dim);
            }
            assert_int_equal(found, a.n_nodes - 1);
            for (int32_t c = 0; c < a.n_cells; c++)
                for (int i = 0; i < a.n_vertices; i++)
                    assert_int_equal(number[m.nodes[c * m.n_shape + i]], a.vertices[c * a.n_vertices + i]);
            int64_t *cells = calloc((size_t)a.n_cells, sizeof *cells);
            OK(ritz_mesh_cell_numbers(m.mesh, a.cell, cells));
            for (int32_t c = 0; c < a.n_cells; c++)
                assert_int_equal(cells[c], c);
            free(cells);
            free(number);
            free_model(&m);
            free_arrays(&a);
        }
}

/* Three quads in a row, numbered with gaps and out of order, the second one clockwise; numbers[1] far from the others. */
static void file_with(int64_t first, int64_t second, int64_t third)
{
    const int64_t quads[3][5] = {{first, 10, 30, 70, 20}, {second, 30, 70, 80, 40}, {third, 40, 50, 90, 80}};
    char path[64];
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    int64_t cells[3], number[8];
    int32_t nodes[3][4];
    snprintf(path, sizeof path, "/tmp/ritz-order-%ld.msh", (long)getpid());
    FILE *file = fopen(path, "w");
    fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n90 3 1 0\n80 2 1 0\n70 1 1 0\n20 0 1 0\n10 0 0 0\n"
                  "30 1 0 0\n40 2 0 0\n50 3 0 0\n$EndNodes\n$Elements\n3\n");
    for (int q = 0; q < 3; q++)
        fprintf(file, "%lld 3 2 0 1 %lld %lld %lld %lld\n", (long long)quads[q][0], (long long)quads[q][1],
                (long long)quads[q][2], (long long)quads[q][3], (long long)quads[q][4]);
    fprintf(file, "$EndElements\n");
    assert_int_equal(fclose(file), 0);
    OK(ritz_mesh_read(path, &mesh));
    unlink(path);
    OK(ritz_space_create(mesh, 1, 1, &space));
    OK(ritz_mesh_cell_numbers(mesh, RITZ_QUAD, cells));
    OK(ritz_space_cell_nodes(space, RITZ_QUAD, nodes[0]));
    OK(ritz_space_node_numbers(space, number));
    for (int c = 0; c < 3; c++) {
        assert_true(c == 0 || cells[c] > cells[c - 1]);
        int q = 0;
        while (quads[q][0] != cells[c])
            assert_true(++q < 3);
        for (int i = 0; i < 4; i++)
            assert_int_equal(number[nodes[c][i]], quads[q][1 + i]);
    }
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
}

static void files(void **state)
{
    (void)state;
    file_with(7, 3, 5);
    file_with(40, 1000000, 12);
}

/* A square and two triangles beside it, of second order and of first order, and a node at the end that no cell has. */
static ritz_mesh *mixed_mesh(int order, bool lone_node)
{
    static const double x[] = {2,   0, 1, 1,   0,   0,   1,   0, 0,   1,   2, 1,   0.5, 0, 1, 0.5,
                               0.5, 1, 0, 0.5, 0.5, 0.5, 1.5, 0, 1.5, 0.5, 2, 0.5, 1.5, 1, 9, 9};
    static const int32_t quad[] = {2, 3, 1, 4, 6, 7, 8, 9, 10}, tri[] = {3, 0, 1, 11, 12, 7, 0, 5, 1, 13, 14, 12};
    static const int32_t vertices[] = {3, 0, 1, 0, 5, 1};
    const ritz_block_arrays blocks[] = {
        {.cell = RITZ_QUAD, .order = order, .n_cells = 1, .nodes = quad},
        {.cell = RITZ_TRI, .order = order, .n_cells = 2, .nodes = order == 2 ? tri : vertices}};
    const int64_t n_nodes = (order == 2 ? 15 : 6) + lone_node;
    const ritz_mesh_arrays given = {.dim = 2, .n_nodes = n_nodes, .coordinates = x, .n_blocks = 2, .blocks = blocks};
    ritz_mesh *mesh = NULL;
    OK(ritz_mesh_create(&given, &mesh));
    return mesh;
}

/* Spaces with the numbers of the mesh itself: coordinates and cells are those that it was made of. */
static void numbers_of_the_mesh(void **state)
{
    (void)state;
    for (int order = 1; order <= 2; order++) {
        ritz_mesh *mesh = mixed_mesh(order, false);
        ritz_space *space = NULL;
        double x[30];
        int32_t own[12], of_mesh[12], at[15];
        OK(ritz_space_create_numbered(mesh, order, 0, 2, NULL, &space));
        const int32_t n = (int32_t)ritz_space_n_nodes(space);
        assert_int_equal(n, order == 2 ? 15 : 6);
        OK(ritz_mesh_coordinates(mesh, x));
        assert_memory_equal(x, ritz_space_coordinates(space), sizeof(double) * 2 * (size_t)n);
        OK(ritz_space_mesh_nodes(space, at));
        for (int32_t k = 0; k < n; k++)
            assert_int_equal(at[k], k);
        OK(ritz_space_cell_nodes(space, RITZ_TRI, own));
        OK(ritz_mesh_cell_nodes(mesh, RITZ_TRI, of_mesh));
        const int n_shape = order == 2 ? 6 : 3;
        for (int c = 0; c < 2; c++)
            assert_memory_equal(own + c * n_shape, of_mesh + c * n_shape, 3 * sizeof *own);
        ritz_space_destroy(&space);
        ritz_mesh_destroy(&mesh);
    }
}

/* The first coarse level of multigrid, of a space with numbers at random. */
static void vertices_of_numbered(void **state)
{
    (void)state;
    ritz_mesh *mesh = mixed_mesh(1, false);
    ritz_space *plain = NULL, *numbered = NULL;
    enum { N = 32, WIDTH = RITZ_VERTICES_MOST };
    int32_t quad[16], tri[20], at[2][N * WIDTH], n[2], old_of[N];
    double weights[2][N * WIDTH], sum[2] = {0, 0};
    OK(ritz_space_create(mesh, 3, 1, &plain));
    const int32_t n_nodes = (int32_t)ritz_space_n_nodes(plain);
    assert_int_equal(n_nodes, 28);
    int32_t *random = permutation(n_nodes);
    OK(ritz_space_cell_nodes(plain, RITZ_QUAD, quad));
    OK(ritz_space_cell_nodes(plain, RITZ_TRI, tri));
    for (int i = 0; i < 16; i++)
        quad[i] = random[quad[i]];
    for (int i = 0; i < 20; i++)
        tri[i] = random[tri[i]];
    const int32_t *const nodes[RITZ_N_CELLS] = {[RITZ_QUAD] = quad, [RITZ_TRI] = tri};
    OK(ritz_space_create_numbered(mesh, 3, 0, 1, nodes, &numbered));
    OK(ritz_space_get_vertex_weights(plain, at[0], weights[0], &n[0]));
    OK(ritz_space_get_vertex_weights(numbered, at[1], weights[1], &n[1]));
    assert_int_equal(n[0], 6);
    assert_int_equal(n[1], 6);
    for (int32_t k = 0; k < n_nodes; k++)
        old_of[random[k]] = k;
    for (int32_t k = 0; k < n_nodes; k++) {
        double most[2] = {0, 0};
        for (int w = 0; w < WIDTH; w++) {
            most[0] = fmax(most[0], weights[0][old_of[k] * WIDTH + w]);
            most[1] = fmax(most[1], weights[1][k * WIDTH + w]);
            sum[1] += weights[1][k * WIDTH + w];
        }
        assert_true(fabs(most[0] - most[1]) < 1e-14);
        for (int d = 0; d < 2; d++)
            assert_true(fabs(ritz_space_coordinates(numbered)[2 * k + d] -
                             ritz_space_coordinates(plain)[2 * old_of[k] + d]) < 1e-15);
    }
    assert_true(fabs(sum[1] - n_nodes) < 1e-12);
    free(random);
    ritz_space_destroy(&plain);
    ritz_space_destroy(&numbered);
    ritz_mesh_destroy(&mesh);
}

static void expect_refusal(const ritz_mesh *mesh, int order, const int32_t *quad, const int32_t *tri,
                           const char *message)
{
    const int32_t *const nodes[RITZ_N_CELLS] = {[RITZ_QUAD] = quad, [RITZ_TRI] = tri};
    ritz_space *space = NULL;
    assert_int_equal(ritz_space_create_numbered(mesh, order, 0, 1, quad ? nodes : NULL, &space), RITZ_ERROR_INPUT);
    assert_null(space);
    if (!strstr(ritz_message(), message))
        fail_msg("'%s' is not in: %s", message, ritz_message());
}

static void wrong_numbers(void **state)
{
    (void)state;
    static const int32_t quad[] = {2, 3, 1, 4}, tri[] = {3, 0, 1, 0, 5, 1}, large[] = {3, 0, 1, 0, 6, 1},
                         negative[] = {3, 0, 1, 0, -1, 1}, other[] = {3, 0, 4, 0, 5, 1}, twice[] = {3, 2, 1, 2, 5, 1};
    ritz_mesh *mesh = mixed_mesh(1, false), *lone = mixed_mesh(1, true);
    ritz_space *space = NULL;
    expect_refusal(mesh, 1, quad, NULL, "the mesh has tri cells, and no numbers of their nodes are given");
    expect_refusal(mesh, 1, quad, large, "tri 1: its node 1 has the number 6; the space has 6 nodes, numbered from 0");
    expect_refusal(mesh, 1, quad, negative, "tri 1: its node 1 has the number -1");
    expect_refusal(mesh, 1, quad, other, "tri 0: its node 2 has the number 4, and 1 in a cell that shares it");
    expect_refusal(mesh, 1, quad, twice, "quad 0: its node 0 has the number 2 of a node elsewhere");
    expect_refusal(mesh, 2, NULL, NULL, "a space of order 2 has 15 nodes, and the mesh 6: give numbers of its own");
    expect_refusal(lone, 1, NULL, NULL,
                   "a space of order 1 has no node at node 6 of the mesh: give numbers of its own");
    assert_int_equal(ritz_space_create_numbered(mesh, 1, 1, 1, NULL, &space), RITZ_ERROR_INPUT);
    const int32_t *const nodes[RITZ_N_CELLS] = {[RITZ_QUAD] = quad, [RITZ_TRI] = tri};
    OK(ritz_space_create_numbered(lone, 1, 0, 1, nodes, &space));
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
    ritz_mesh_destroy(&lone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_of_cells),
                                       cmocka_unit_test(numbers),
                                       cmocka_unit_test(files),
                                       cmocka_unit_test(matrices),
                                       cmocka_unit_test(numbers_of_the_mesh),
                                       cmocka_unit_test(vertices_of_numbered),
                                       cmocka_unit_test(wrong_numbers)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
