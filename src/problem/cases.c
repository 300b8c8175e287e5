/* Load cases: what each of them puts on the right-hand side.

   A case has one vector of doubles from before the assembly to the result file. First it holds, at degrees of freedom
   that are prescribed, the prescribed value, and at the others the case's own load: what stands there besides the
   right-hand side of the top level. Then it holds the case's solution. */
#include "problem/drive.h"

#include <math.h>
#include <string.h>

ritz_integral ritz_batch_integral(const ritz_drive *drive, int b, const ritz_datum *data)
{
    return (ritz_integral){.space = drive->space,
                           .batch = &drive->space->batches[b],
                           .form = drive->form,
                           .data = data,
                           .degree = drive->problem->degree};
}

/* ---- Loads on cells ---- */

/* A load on the cells of one material, and of the groups, if any are named. */
typedef struct cell_load {
    const ritz_load_case *load_case;
    const ritz_loads *loads;
    const ritz_material *material; /* its loads are those of the case */
    int32_t number;                /* of the material */
    const ritz_names *groups;      /* NULL: all cells */
    const ritz_place *place;
    bool at_supports; /* on the cells at supports alone */
} cell_load;

/* The load on a batch. */
typedef struct batch_load {
    const ritz_drive *drive;
    const cell_load *load;
    int batch;
} batch_load;

static bool cell_has_load(const void *context, int32_t e)
{
    const batch_load *on = context;
    const ritz_drive *drive = on->drive;
    const cell_load *l = on->load;
    const int b = on->batch;
    return drive->material[b][e] == l->number &&
           (!l->at_supports || ritz_cell_is_at_support(&(ritz_drive_batch){drive, b}, e)) &&
           (!l->groups || !l->groups->n || ritz_names_set(drive->mesh, l->groups, drive->mesh->blocks[b].set[e]));
}

/* Names the first element whose vector is not finite. */
static ritz_status name_bad_element(const cell_load *l, const ritz_integral *integral, const int32_t *cells, int32_t n)
{
    ritz_status status = RITZ_OK;
    const int64_t rows = (int64_t)integral->batch->n_shape * integral->space->n_components;
    ritz_element_vectors of = {0};
    RITZ_TRY(ritz_element_vectors_prepare(integral, NULL, &of));
    for (int32_t e = 0; e < n && !ritz_is_interrupted(); e++)
        RITZ_REQUIRE_AT(ritz_find_not_finite(rows, ritz_element_vectors_compute(&of, 1, cells + e)) == rows, l->place,
                        "a load of the case '%s' on cells is not a finite number in element %lld; give an expression "
                        "that is finite in all cells that have it",
                        l->load_case->name, (long long)integral->batch->block->number[cells[e]]);
    RITZ_TRY(ritz_check_interrupt());
done:
    ritz_element_vectors_free(&of);
    return status;
}

static ritz_status add_on_batch(const ritz_drive *drive, const cell_load *l, int b, const ritz_datum *data,
                                double *load)
{
    ritz_status status = RITZ_OK;
    const ritz_integral integral = ritz_batch_integral(drive, b, data);
    const batch_load on = {drive, l, b};
    const int64_t n_dofs = ritz_space_n_dofs(drive->space);
    int32_t *cells = NULL, n;
    RITZ_TRY(ritz_choose_cells(integral.batch, cell_has_load, &on, &cells, &n));
    RITZ_TRY(ritz_add_element_vectors(&integral, NULL, cells, n, 1, load));
    if (n > 0 && ritz_find_not_finite(n_dofs, load) < n_dofs)
        RITZ_TRY(name_bad_element(l, &integral, cells, n));
done:
    ritz_free(cells);
    return status;
}

/* expressions: of each datum. */
static ritz_status add_expressions(const ritz_drive *drive, const cell_load *l, int b,
                                   const ritz_expression *const *expressions, double *load)
{
    ritz_status status = RITZ_OK;
    const int n_data = drive->form->n_data, n_materials = drive->problem->n_materials;
    ritz_datum data[RITZ_MAX_DATA] = {0};
    double *arrays[RITZ_MAX_DATA] = {NULL};
    const ritz_expression **of = NULL; /* each material's: the same */
    int n_arrays = 0;
    RITZ_NEW(of, n_materials);
    for (int d = 0; d < n_data; d++) {
        for (int m = 0; m < n_materials; m++)
            of[m] = expressions[d];
        data[d] = (ritz_datum){.kind = RITZ_DATA_EXPRESSION, .expressions = &expressions[d], .n_expressions = 1};
        RITZ_TRY(ritz_put_temperature(drive, of, b, arrays, &n_arrays, &data[d]));
    }
    RITZ_TRY(add_on_batch(drive, l, b, data, load));
done:
    for (int k = 0; k < n_arrays; k++)
        ritz_free(arrays[k]);
    ritz_free(of);
    return status;
}

static ritz_status add_cell_load(const ritz_drive *drive, const cell_load *l, double *load)
{
    ritz_status status = RITZ_OK;
    ritz_expression *expressions[RITZ_MAX_DATA] = {NULL};
    for (int d = 0; d < drive->form->n_data; d++)
        RITZ_TRY(ritz_make_datum(drive, drive->form, l->loads, l->material, d, &expressions[d]));
    for (int b = 0; b < drive->space->n_batches; b++)
        RITZ_TRY(add_expressions(drive, l, b, (const ritz_expression *const *)expressions, load));
done:
    for (int d = 0; d < drive->form->n_data; d++)
        ritz_expression_destroy(&expressions[d]);
    return status;
}

/* Loads of the case on the whole body, then its loads on groups of cells. */
static ritz_status add_cell_loads(const ritz_drive *drive, const ritz_load_case *load_case, bool at_supports,
                                  double *load)
{
    ritz_status status = RITZ_OK;
    static const ritz_loads none;
    const ritz_problem *problem = drive->problem;
    const ritz_loads *loads = &load_case->loads;
    int first = 0; /* load on the whole body */
    while (first < RITZ_MAX_BODY_LOADS && !loads->body[first].n)
        first++;
    for (int32_t m = 0; m < problem->n_materials; m++) {
        ritz_material material = problem->materials[m]; /* what it points to is borrowed */
        cell_load l = {
            .load_case = load_case, .loads = loads, .material = &material, .number = m, .at_supports = at_supports};
        ritz_take_loads(problem->physics, &material, NULL);
        if (first < RITZ_MAX_BODY_LOADS) {
            l.place = &loads->body[first].place;
            RITZ_TRY(add_cell_load(drive, &l, load));
        }
        for (int i = 0; i < load_case->n_body; i++) {
            const ritz_material *body = &load_case->body[i];
            ritz_take_loads(problem->physics, &material, body);
            l.loads = &none;
            l.groups = &body->groups;
            l.place = &body->place;
            RITZ_TRY(add_cell_load(drive, &l, load));
        }
    }
done:
    return status;
}

ritz_status ritz_add_case_loads(const ritz_drive *drive, const ritz_load_case *load_case, bool at_supports,
                                double **load)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_add_surface_loads(drive, &load_case->loads, load));
    RITZ_TRY(add_cell_loads(drive, load_case, at_supports, *load));
    RITZ_TRY(ritz_add_self_strain(drive, load_case, at_supports, load));
done:
    return status;
}

/* ---- Prescribed values ---- */

const uint8_t *ritz_gone(const ritz_drive *drive)
{
    return drive->dependence ? drive->dependence->gone : drive->constraints->fixed;
}

bool ritz_is_gone(const ritz_drive *drive, int64_t dof)
{
    return ritz_is_marked(ritz_gone(drive), drive->space->n_components, dof);
}

const double *ritz_offset_of(const ritz_constraints *constraints, const ritz_dependence *dependence)
{
    return dependence ? dependence->offset : constraints->value;
}

static ritz_status add_values(const ritz_drive *drive, const double *own, double *load)
{
    ritz_status status = RITZ_OK;
    double *difference = NULL; /* 0 where nothing is prescribed, as both values are */
    RITZ_NEW(difference, ritz_space_n_dofs(drive->space));
    for (int64_t i = 0; i < ritz_space_n_dofs(drive->space); i++)
        difference[i] = own[i] - ritz_offset_of(drive->constraints, drive->dependence)[i];
    for (int b = 0; b < drive->space->n_batches; b++) {
        const ritz_integral integral = ritz_batch_integral(drive, b, drive->data[b]);
        RITZ_TRY(ritz_subtract_action(&integral, difference, load));
    }
    for (int k = 0; k < drive->n_films; k++)
        RITZ_TRY(ritz_subtract_facet_action(drive->space, &drive->films[k], difference, load));
    for (int64_t k = 0; k < drive->n_springs; k++) {
        const int64_t dof = (int64_t)drive->springs[k].node * drive->space->n_components + drive->springs[k].component;
        load[dof] -= drive->springs[k].stiffness * difference[dof];
    }
done:
    ritz_free(difference);
    return status;
}

/* ---- The vector of a case ---- */

static ritz_status make_case(ritz_drive *drive, int c)
{
    ritz_status status = RITZ_OK;
    const ritz_load_case *load_case = &drive->problem->cases[c];
    ritz_constraints *own = NULL;
    ritz_dependence *dependence = NULL;
    RITZ_TRY(ritz_load_case_constraints(drive, c, &own));
    if (own && (status = ritz_constraints_resolve(own, &dependence)) != RITZ_OK) {
        ritz_fail_context_at(status, &load_case->place);
        goto done;
    }
    RITZ_NEW(drive->vector[c], ritz_space_n_dofs(drive->space));
    double *load = drive->vector[c];
    RITZ_TRY(ritz_add_case_loads(drive, load_case, false, &load));
    const bool sums = drive->joined && drive->problem->physics->vector;
    for (int64_t i = 0; sums && i < ritz_space_n_dofs(drive->space); i++)
        drive->problem->case_results[c].balance.applied[i % drive->space->n_components] += load[i];
    if (own)
        RITZ_TRY(add_values(drive, ritz_offset_of(own, dependence), load));
    ritz_dependence_add_to_masters(drive->dependence, load);
    drive->case_values = drive->case_values || own;
    const double *values =
        own ? ritz_offset_of(own, dependence) : ritz_offset_of(drive->constraints, drive->dependence);
    for (int64_t i = 0; i < ritz_space_n_dofs(drive->space); i++) {
        if (ritz_is_gone(drive, i))
            load[i] = values[i];
        RITZ_REQUIRE_AT(isfinite(load[i]), &load_case->place,
                        "the loads of the case '%s' overflow near node %lld; choose units that bring them nearer to 1",
                        load_case->name, (long long)(i / drive->space->n_components));
    }
    RITZ_TRY(ritz_check_interrupt());
done:
    ritz_constraints_destroy(&own);
    ritz_dependence_destroy(&dependence);
    return status;
}

ritz_status ritz_make_load_cases(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    for (int c = 0; c < drive->problem->n_cases; c++)
        RITZ_TRY(make_case(drive, c));
done:
    return status;
}

/* ---- The system of a case ---- */

void ritz_load_case_base_free(ritz_load_case_base *base)
{
    ritz_free(base->rhs);
    ritz_free(base->diagonal);
    *base = (ritz_load_case_base){0};
}

ritz_status ritz_load_case_base_read(const ritz_drive *drive, ritz_load_case_base *base)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *matrix = drive->system->matrix;
    const int64_t n = ritz_space_n_dofs(drive->space);
    RITZ_NEW(base->rhs, n);
    RITZ_TRY(ritz_matrix_read_vector(matrix, drive->system->rhs, base->rhs));
    if (drive->case_values) {
        RITZ_NEW(base->diagonal, n);
        RITZ_TRY(ritz_matrix_read_diagonal(matrix, base->diagonal));
    }
done:
    return status;
}

ritz_status ritz_load_case_start(ritz_drive *drive, const ritz_load_case_base *base, int c, ritz_buffer *b,
                                 ritz_buffer *x)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *matrix = drive->system->matrix;
    const double *common = ritz_offset_of(drive->constraints, drive->dependence);
    double *vector = drive->vector[c], *start = NULL;
    RITZ_NEW(start, ritz_space_n_dofs(drive->space));
    for (int64_t i = 0; i < ritz_space_n_dofs(drive->space); i++) {
        const bool fixed = ritz_is_gone(drive, i);
        start[i] = fixed ? vector[i] : 0;
        if (!fixed)
            vector[i] += base->rhs[i];
        else if (vector[i] == common[i])
            vector[i] = base->rhs[i];
        else
            vector[i] = ritz_prescribed_row(matrix->precision, base->diagonal[i], vector[i]);
    }
    RITZ_TRY(ritz_matrix_write_vector(matrix, vector, b));
    RITZ_TRY(ritz_matrix_write_vector(matrix, start, x));
    RITZ_TRY(ritz_find_motion(drive, start, &drive->motion));
done:
    ritz_free(start);
    return status;
}
