/* Data of a form that follow from several properties of a material and from its axes: elastic constants along x y z. They are
   numbers where the properties are and the axes do not turn, and else a value at each point of quadrature. */
#include "integrate/element.h"
#include "problem/drive.h"

#include <string.h>

/* A material ready to be evaluated: its numbers, and where it has expressions. */
typedef struct prepared_material {
    const ritz_material *material;
    int n[RITZ_MAX_PROPERTIES];
    double value[RITZ_MAX_PROPERTIES][RITZ_MAX_COMPONENTS];
    int n_varying, varying[RITZ_MAX_PROPERTIES * RITZ_MAX_COMPONENTS]; /* property * RITZ_MAX_COMPONENTS + component */
    bool constant;
} prepared_material;

static void prepare_material(const ritz_physics *physics, const ritz_material *material, prepared_material *prepared)
{
    *prepared = (prepared_material){.material = material};
    ritz_count_components(physics, material, prepared->n);
    for (int p = 0; p < physics->n_properties; p++)
        for (int c = 0; c < prepared->n[p]; c++) {
            const ritz_quantity *q = &material->property[p].component[c];
            if (q->expression && !q->constant)
                prepared->varying[prepared->n_varying++] = p * RITZ_MAX_COMPONENTS + c;
            else
                prepared->value[p][c] = q->expression ? q->value : 0;
        }
    prepared->constant = prepared->n_varying == 0 && ritz_frame_is_constant(material->orientation);
}

/* values[derivation->n] at x y z T. */
static ritz_status derive_at(const ritz_derivation *derivation, const prepared_material *prepared, const double x[4],
                             double *values)
{
    ritz_status status = RITZ_OK;
    double value[RITZ_MAX_PROPERTIES][RITZ_MAX_COMPONENTS];
    ritz_point_material point = {.n = prepared->n, .value = (const double(*)[RITZ_MAX_COMPONENTS])value};
    memcpy(value, prepared->value, sizeof value);
    for (int k = 0; k < prepared->n_varying; k++) {
        const int p = prepared->varying[k] / RITZ_MAX_COMPONENTS, c = prepared->varying[k] % RITZ_MAX_COMPONENTS;
        value[p][c] = ritz_quantity_at(&prepared->material->property[p].component[c], x);
    }
    RITZ_TRY(ritz_frame_axes(prepared->material->orientation, x, point.axes));
    RITZ_TRY(derivation->derive(&point, values));
done:
    return status;
}

/* What is made of a form. */
typedef struct deriving {
    const ritz_drive *drive;
    const ritz_form *form;
    const ritz_derivation *derivation;
    const prepared_material *prepared; /* [n_materials] */
    ritz_datum *const *data;
    double **arrays;
    int *n_arrays;
    int place[RITZ_MAX_DERIVED]; /* of each derived value among the form's data, -1: it has none */
} deriving;

static ritz_status add_array(const deriving *d, int64_t n, double **array)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(*array, n);
    d->arrays[(*d->n_arrays)++] = *array;
done:
    return status;
}

/* ---- Numbers ---- */

static ritz_status derive_numbers(const deriving *d)
{
    static const double nowhere[4];
    ritz_status status = RITZ_OK;
    const ritz_drive *drive = d->drive;
    const int n = drive->problem->n_materials;
    double(*values)[RITZ_MAX_DERIVED] = NULL, *array;
    RITZ_NEW(values, n);
    for (int m = 0; m < n; m++)
        if ((status = derive_at(d->derivation, &d->prepared[m], nowhere, values[m])) != RITZ_OK) {
            ritz_fail_context_at(status, &d->prepared[m].material->place);
            goto done;
        }
    for (int k = 0; k < d->derivation->n; k++) {
        bool equal = true;
        for (int m = 1; m < n; m++)
            equal = equal && values[m][k] == values[0][k];
        for (int b = 0; d->place[k] >= 0 && b < drive->mesh->n_blocks; b++) {
            ritz_datum *datum = &d->data[b][d->place[k]];
            const int32_t n_cells = drive->mesh->blocks[b].n_cells;
            *datum = (ritz_datum){.kind = RITZ_DATA_CONSTANT, .value = values[0][k]};
            if (equal)
                continue;
            RITZ_TRY(add_array(d, n_cells, &array));
            for (int32_t e = 0; e < n_cells; e++)
                array[e] = values[drive->material[b][e]][k];
            *datum = (ritz_datum){.kind = RITZ_DATA_ELEMENT, .values = array};
        }
    }
done:
    ritz_free(values);
    return status;
}

/* ---- Points ---- */

/* All points of a cell, into array[k] where there is one; x: where it fails. */
static ritz_status derive_in_cell(const deriving *d, int b, const ritz_tables *tables, int32_t e, double *const *array,
                                  double x[4])
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = d->drive->mesh;
    const int32_t *nodes = mesh->blocks[b].nodes + (int64_t)e * mesh->blocks[b].n_nodes;
    double values[RITZ_MAX_DERIVED];
    for (int q = 0; q < tables->n_points; q++) {
        ritz_point_place(tables, mesh, nodes, q, x);
        x[3] = ritz_temperature_at(d->drive, b, e, q);
        RITZ_TRY(derive_at(d->derivation, &d->prepared[d->drive->material[b][e]], x, values));
        for (int k = 0; k < d->derivation->n; k++)
            if (array[k])
                array[k][(int64_t)e * tables->n_points + q] = values[k];
    }
done:
    return status;
}

/* The message names the lowest cell that fails, whatever thread finds one first. */
static ritz_status derive_in_block(const deriving *d, int b, const ritz_tables *tables)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh_block *block = &d->drive->mesh->blocks[b];
    double *array[RITZ_MAX_DERIVED] = {NULL}, x[4];
    int32_t bad = INT32_MAX;
    for (int k = 0; k < d->derivation->n; k++)
        if (d->place[k] >= 0) {
            RITZ_TRY(add_array(d, (int64_t)block->n_cells * tables->n_points, &array[k]));
            d->data[b][d->place[k]] = (ritz_datum){.kind = RITZ_DATA_POINT, .values = array[k]};
        }
#pragma omp parallel for schedule(static) reduction(min : bad) private(x)
    for (int32_t e = 0; e < block->n_cells; e++)
        if (bad > e && derive_in_cell(d, b, tables, e, array, x) != RITZ_OK)
            bad = e;
    if (bad < INT32_MAX) {
        status = derive_in_cell(d, b, tables, bad, array, x);
        ritz_fail_context(status, "element %lld at (%g, %g, %g): ", (long long)block->number[bad], x[0], x[1], x[2]);
        ritz_fail_context_at(status, &d->prepared[d->drive->material[b][bad]].material->place);
    }
    RITZ_TRY(status);
    RITZ_TRY(ritz_check_interrupt());
done:
    return status;
}

static ritz_status derive_points(const deriving *d)
{
    ritz_status status = RITZ_OK;
    ritz_tables *tables = NULL;
    for (int b = 0; b < d->drive->mesh->n_blocks; b++) {
        RITZ_TRY(ritz_point_tables_create(d->drive, b, &tables));
        RITZ_TRY(derive_in_block(d, b, tables));
        ritz_tables_destroy(&tables);
    }
done:
    ritz_tables_destroy(&tables);
    return status;
}

ritz_status ritz_derive_data(const ritz_drive *drive, const ritz_form *form, const ritz_material *materials,
                             ritz_datum *const *data, double **arrays, int *n_arrays)
{
    ritz_status status = RITZ_OK;
    const ritz_derivation *derivation = drive->problem->physics->derivation;
    prepared_material *prepared = NULL;
    bool constant = true;
    if (!derivation)
        return RITZ_OK;
    deriving d = {
        .drive = drive, .form = form, .derivation = derivation, .data = data, .arrays = arrays, .n_arrays = n_arrays};
    for (int k = 0; k < derivation->n; k++)
        d.place[k] = ritz_form_find_data(form, derivation->names[k]);
    RITZ_NEW(prepared, drive->problem->n_materials);
    for (int m = 0; m < drive->problem->n_materials; m++) {
        prepare_material(drive->problem->physics, &materials[m], &prepared[m]);
        constant = constant && prepared[m].constant;
    }
    d.prepared = prepared;
    RITZ_TRY(constant ? derive_numbers(&d) : derive_points(&d));
done:
    ritz_free(prepared);
    return status;
}
