/* What a caller gives a form: checked, brought into the order of the mesh's cells, fields of other spaces evaluated at
   the quadrature points. */
#include "integrate/input.h"

#include "integrate/element.h"

#include <math.h>
#include <string.h>

/* ---- Order of cells ---- */

void ritz_cell_order_free(ritz_cell_order *order)
{
    for (int b = 0; b < RITZ_N_CELLS; b++) {
        ritz_free(order->in_block[b]);
        ritz_free(order->in_mesh[b]);
    }
    *order = (ritz_cell_order){0};
}

ritz_status ritz_cell_order_block(const ritz_mesh *mesh, int b, ritz_cell_order *order)
{
    return order->in_block[b] ? RITZ_OK : ritz_mesh_places(&mesh->blocks[b], &order->in_block[b]);
}

static ritz_status order_mesh(const ritz_mesh *mesh, int b, ritz_cell_order *order)
{
    return order->in_mesh[b] ? RITZ_OK : ritz_mesh_places_of_all(mesh, order->in_mesh);
}

/* ---- Values ---- */

void ritz_given_destroy(ritz_given **given)
{
    ritz_given *g = given ? *given : NULL;
    if (!g)
        return;
    for (int d = 0; d < RITZ_MAX_DATA; d++) {
        ritz_expression *expression = (ritz_expression *)g->expressions[d];
        ritz_expression_destroy(&expression);
        for (int b = 0; b < RITZ_N_CELLS; b++)
            ritz_free(g->arrays[b][d]);
    }
    ritz_free(g);
    *given = NULL;
}

/* Datum d of a batch as an array of n numbers per cell, with the place of each cell in the caller's arrays. */
typedef struct filling {
    const ritz_giving *to;
    const ritz_data *from;
    int b, d, n_points;
    double *values; /* [n_cells], or [n_cells][n_points] */
} filling;

static ritz_status fill_elements(const filling *f)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = f->to->space->mesh;
    const ritz_form *form = f->to->form;
    const int32_t n_cells = mesh->blocks[f->b].n_cells;
    RITZ_TRY(order_mesh(mesh, f->b, f->to->order));
    const int64_t *place = f->to->order->in_mesh[f->b];
    for (int32_t c = 0; c < n_cells; c++)
        f->values[c] = f->from->values[place[c]];
    const int64_t bad = ritz_form_find_bad(form, f->d, f->values, n_cells, f->to->precision);
    if (bad < n_cells)
        status = ritz_form_tell_bad(form, f->d, f->values[bad], place[bad]);
done:
    return status;
}

static ritz_status copy_points(const filling *f)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh_block *block = &f->to->space->mesh->blocks[f->b];
    const double *given = f->from->points[block->cell];
    RITZ_REQUIRE(given, RITZ_ERROR_INPUT, "'%s' is given at quadrature points, but those of the %s cells are NULL",
                 f->from->name, ritz_cell_name(block->cell));
    RITZ_TRY(ritz_cell_order_block(f->to->space->mesh, f->b, f->to->order));
    for (int32_t c = 0; c < block->n_cells; c++)
        memcpy(f->values + (int64_t)c * f->n_points, given + (int64_t)f->to->order->in_block[f->b][c] * f->n_points,
               sizeof(double) * (size_t)f->n_points);
done:
    return status;
}

/* A component of a field, or a derivative of it, at the points of one cell. */
static void evaluate_cell(const filling *f, const ritz_tables *tables, int32_t c)
{
    const ritz_space *space = f->from->space;
    const ritz_space_batch *batch = &space->batches[f->b];
    const int n_c = space->n_components, n_shape = batch->n_shape, d = f->from->derivative;
    const int32_t *nodes = batch->cell_nodes + (int64_t)c * n_shape;
    const ritz_mesh_block *block = batch->block;
    double shape[4 * RITZ_MAX_SHAPE];
    for (int q = 0; q < f->n_points; q++) {
        const double *psi = tables->psi + (int64_t)q * (1 + space->dim) * n_shape;
        if (d > 0) {
            ritz_point point;
            ritz_point_map(tables, space->mesh, block->nodes + (int64_t)c * block->n_nodes, q, &point);
            ritz_point_shape(tables, &point, q, shape);
            psi = shape + (int64_t)d * n_shape;
        }
        double sum = 0;
        for (int i = 0; i < n_shape; i++)
            sum += psi[i] * f->from->values[(int64_t)nodes[i] * n_c + f->from->component];
        f->values[(int64_t)c * f->n_points + q] = sum;
    }
}

static ritz_status evaluate_field(const filling *f)
{
    ritz_status status = RITZ_OK;
    const ritz_space_batch *batch = &f->from->space->batches[f->b];
    ritz_tables *tables = NULL;
    RITZ_TRY(ritz_tables_create_quadrature(batch, ritz_quadrature_degree(f->to->degree, f->to->space->order), &tables));
#pragma omp parallel for schedule(static)
    for (int32_t c = 0; c < batch->n_cells; c++)
        evaluate_cell(f, tables, c);
done:
    ritz_tables_destroy(&tables);
    return status;
}

static ritz_status fill_points(const filling *f)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = f->to->space->mesh;
    const int64_t n = (int64_t)mesh->blocks[f->b].n_cells * f->n_points;
    RITZ_TRY(f->from->kind == RITZ_DATA_POINT ? copy_points(f) : evaluate_field(f));
    const int64_t bad = ritz_form_find_bad(f->to->form, f->d, f->values, n, f->to->precision);
    if (bad < n) {
        RITZ_TRY(order_mesh(mesh, f->b, f->to->order));
        status = ritz_form_tell_bad(f->to->form, f->d, f->values[bad], f->to->order->in_mesh[f->b][bad / f->n_points]);
    }
done:
    return status;
}

static ritz_status fill_array(const ritz_giving *to, const ritz_data *from, int b, int d, ritz_given *given)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh_block *block = &to->space->mesh->blocks[b];
    const int degree = ritz_quadrature_degree(to->degree, to->space->order);
    const bool element = from->kind == RITZ_DATA_ELEMENT;
    filling f = {to, from, b, d, element ? 1 : ritz_quadrature_n_points(block->cell, degree), NULL};
    RITZ_NEW(given->arrays[b][d], (int64_t)block->n_cells * f.n_points);
    f.values = given->arrays[b][d];
    RITZ_TRY(element ? fill_elements(&f) : fill_points(&f));
    given->data[b][d] =
        (ritz_datum){.kind = element ? RITZ_DATA_ELEMENT : RITZ_DATA_POINT, .values = given->arrays[b][d]};
done:
    return status;
}

/* ---- One datum on all batches ---- */

static ritz_status check_data(const ritz_giving *to, const ritz_data *from)
{
    ritz_status status = RITZ_OK;
    switch (from->kind) {
    case RITZ_DATA_CONSTANT:
        return RITZ_OK;
    case RITZ_DATA_ELEMENT:
        RITZ_REQUIRE(from->values, RITZ_ERROR_INPUT, "'%s' is given an element, but 'values' is NULL", from->name);
        return RITZ_OK;
    case RITZ_DATA_POINT:
        RITZ_REQUIRE(from->points, RITZ_ERROR_INPUT, "'%s' is given at quadrature points, but 'points' is NULL",
                     from->name);
        return RITZ_OK;
    case RITZ_DATA_EXPRESSION:
        RITZ_REQUIRE(from->expression, RITZ_ERROR_INPUT, "'%s' is an expression, but 'expression' is NULL", from->name);
        return RITZ_OK;
    case RITZ_DATA_FIELD:
        RITZ_REQUIRE(from->space && from->values, RITZ_ERROR_INPUT, "'%s' is a field, but '%s' is NULL", from->name,
                     from->space ? "values" : "space");
        RITZ_REQUIRE(from->space->mesh == to->space->mesh, RITZ_ERROR_INPUT,
                     "the field of '%s' belongs to another mesh; give one on the mesh that is integrated", from->name);
        RITZ_REQUIRE(from->component >= 0 && from->component < from->space->n_components, RITZ_ERROR_INPUT,
                     "the field of '%s' has no component %d; there are 0 to %d", from->name, from->component,
                     from->space->n_components - 1);
        RITZ_REQUIRE(from->derivative >= 0 && from->derivative <= from->space->dim, RITZ_ERROR_INPUT,
                     "the field of '%s' has no derivative %d; use 0 for the field itself, 1 to %d for x to %c",
                     from->name, from->derivative, from->space->dim, from->space->dim == 2 ? 'y' : 'z');
        return RITZ_OK;
    }
    RITZ_FAIL(RITZ_ERROR_INPUT, "'%s' has kind %d, which is not a ritz_data_kind", from->name, (int)from->kind);
done:
    return status;
}

static ritz_status take_expression(const ritz_giving *to, const ritz_data *from, int d, ritz_given *given)
{
    ritz_variables names = to->form->variables;
    ritz_expression *expression = NULL;
    for (int v = 0; v < names.n; v++)
        names.pointers[v] = names.names[v];
    const ritz_status status = ritz_expression_create(from->expression, names.pointers, names.n, &expression);
    if (status != RITZ_OK)
        return ritz_fail_context(status, "'%s' of the form %s: ", from->name, to->form->name);
    given->expressions[d] = expression;
    return RITZ_OK;
}

static ritz_status take_datum(const ritz_giving *to, const ritz_data *from, int d, ritz_given *given)
{
    ritz_status status = RITZ_OK;
    double value = from->value;
    RITZ_TRY(check_data(to, from));
    if (from->kind == RITZ_DATA_FIELD)
        given->fields[d] = *from;
    if (from->kind == RITZ_DATA_EXPRESSION)
        RITZ_TRY(take_expression(to, from, d, given));
    const bool number =
        from->kind == RITZ_DATA_CONSTANT ||
        (from->kind == RITZ_DATA_EXPRESSION && ritz_expression_is_constant(given->expressions[d], &value));
    if (number && ritz_form_find_bad(to->form, d, &value, 1, to->precision) == 0)
        RITZ_TRY(ritz_form_tell_bad(to->form, d, value, -1));
    for (int b = 0; b < to->space->n_batches; b++) {
        if (to->batch >= 0 && b != to->batch)
            continue;
        if (number)
            given->data[b][d] = (ritz_datum){.value = value};
        else if (from->kind == RITZ_DATA_EXPRESSION)
            given->data[b][d] =
                (ritz_datum){.kind = RITZ_DATA_EXPRESSION, .expressions = &given->expressions[d], .n_expressions = 1};
        else
            RITZ_TRY(fill_array(to, from, b, d, given));
    }
done:
    return status;
}

/* ---- The whole ---- */

static ritz_status find_data(const ritz_form *form, const ritz_input *input, const ritz_data **of_form)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(input->n_data >= 0 && input->n_data <= RITZ_MAX_DATA, RITZ_ERROR_INPUT,
                 "%d data cannot be given; the form %s has %d", input->n_data, form->name, form->n_data);
    RITZ_REQUIRE(input->n_data == 0 || input->data, RITZ_ERROR_INPUT, "%d data are given, but 'data' is NULL",
                 input->n_data);
    for (int k = 0; k < input->n_data; k++) {
        const char *name = input->data[k].name;
        RITZ_REQUIRE(name, RITZ_ERROR_INPUT, "datum %d has no name; name one of the form %s", k, form->name);
        const int d = ritz_form_find_data(form, name);
        if (d < 0)
            RITZ_TRY(ritz_form_tell_unknown(form, name));
        RITZ_REQUIRE(!of_form[d], RITZ_ERROR_INPUT, "'%s' of the form %s is given twice", name, form->name);
        of_form[d] = &input->data[k];
    }
done:
    return status;
}

static ritz_status check_state(const ritz_giving *to, const ritz_input *input)
{
    ritz_status status = RITZ_OK;
    const int64_t n = input->old ? ritz_space_n_dofs(to->space) : 0, bad = ritz_find_not_finite(n, input->old);
    RITZ_REQUIRE(isfinite(input->time), RITZ_ERROR_INPUT, "the time is not finite; give a number");
    RITZ_REQUIRE(bad == n, RITZ_ERROR_INPUT, "the old solution is not finite at degree of freedom %lld",
                 (long long)bad);
done:
    return status;
}

ritz_status ritz_given_create(const ritz_giving *to, const ritz_input *input, ritz_given **given)
{
    ritz_status status = RITZ_OK;
    const ritz_form *form = to->form;
    const ritz_data *of_form[RITZ_MAX_DATA] = {NULL};
    ritz_input in;
    ritz_given *g = NULL;
    RITZ_TRY(ritz_take_struct(input, &in, sizeof in, "ritz_input"));
    RITZ_TRY(find_data(form, &in, of_form));
    RITZ_TRY(check_state(to, &in));
    RITZ_NEW(g, 1);
    g->old = in.old;
    g->time = in.time;
    for (int d = 0; d < form->n_data; d++) {
        const ritz_data usual = {.name = ritz_form_data_name(form, d), .value = form->defaults[d]};
        RITZ_REQUIRE(of_form[d] || !isnan(form->defaults[d]), RITZ_ERROR_INPUT, "the form %s needs values of '%s'",
                     form->name, usual.name);
        RITZ_TRY(take_datum(to, of_form[d] ? of_form[d] : &usual, d, g));
    }
    *given = g;
    g = NULL;
done:
    ritz_given_destroy(&g);
    return status;
}
