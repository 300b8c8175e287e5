/* Systems: a pattern made once, and any number of assemblies into it. */
#include "assemble/assembler.h"
#include "assemble/device_pattern.h"

#include <stdatomic.h>

void ritz_system_destroy(ritz_system **system)
{
    if (!system || !*system)
        return;
    ritz_matrix_destroy(&(*system)->matrix);
    ritz_buffer_destroy(&(*system)->rhs);
    ritz_free(*system);
    *system = NULL;
}

/* What belongs to one pattern. */
static void free_system(ritz_assembler *a)
{
    for (int b = 0; b < RITZ_N_CELLS; b++)
        ritz_batch_work_free(&a->work[b]);
    ritz_eliminator_destroy(&a->eliminator);
    ritz_transformation_destroy(&a->transformation);
    ritz_system_destroy(&a->system);
    ritz_pattern_destroy(&a->pattern);
}

void ritz_assembler_destroy(ritz_assembler **assembler)
{
    ritz_assembler *a = assembler ? *assembler : NULL;
    if (!a)
        return;
    free_system(a);
    ritz_buffer_destroy(&a->matrices);
    ritz_buffer_destroy(&a->vectors);
    ritz_buffer_destroy(&a->diagonal);
    ritz_buffer_destroy(&a->found);
    ritz_cell_order_free(&a->order);
    ritz_free(a->method);
    ritz_free(a);
    *assembler = NULL;
}

static ritz_status take_options(const ritz_assemble_options *options, ritz_assembler *a)
{
    ritz_status status = RITZ_OK;
    ritz_assemble_options *o = &a->options;
    RITZ_TRY(ritz_take_struct(options, o, sizeof *o, "ritz_assemble_options"));
    RITZ_TRY(ritz_check_precision(o->precision));
    RITZ_REQUIRE(o->scheme == RITZ_ASSEMBLE_GATHER || o->scheme == RITZ_ASSEMBLE_COLOURS, RITZ_ERROR_INPUT,
                 "assembly scheme %d does not exist; use RITZ_ASSEMBLE_GATHER or RITZ_ASSEMBLE_COLOURS",
                 (int)o->scheme);
    RITZ_REQUIRE(o->chunk_bytes >= 0, RITZ_ERROR_INPUT,
                 "chunks of %lld bytes are not possible; use 0 for the device's choice", (long long)o->chunk_bytes);
    if (o->method)
        RITZ_TRY(ritz_copy_text(o->method, &a->method));
    o->method = a->method;
done:
    return status;
}

/* What depends on other unknowns has blocks besides, which the host finds. */
static ritz_status make_matrix(ritz_assembler *a, const ritz_dependence *dependence)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix_options options = {.precision = a->options.precision};
    if (!dependence && ritz_pattern_belongs_on_device(a->device, a->space)) {
        ritz_buffer *positions[RITZ_N_CELLS] = {NULL};
        status = ritz_device_pattern_create(a->device, a->space, &options, &a->pattern, &a->system->matrix, positions);
        for (int b = 0; b < RITZ_N_CELLS; b++)
            a->work[b].positions = positions[b];
        return status;
    }
    RITZ_TRY(ritz_pattern_create(a->space, &a->pattern));
    if (dependence)
        RITZ_TRY(ritz_pattern_extend(a->pattern, a->space, dependence));
    RITZ_TRY(ritz_matrix_create_structure(a->device, &options, a->space->n_components, a->pattern->n_rows,
                                          a->pattern->row_start, a->pattern->columns, &a->system->matrix));
done:
    return status;
}

/* The pattern, an empty matrix and right-hand side; takes `dependence`, which is NULL where nothing depends. */
static ritz_status make_system(ritz_assembler *a, ritz_dependence *dependence)
{
    ritz_status status = RITZ_OK;
    const int64_t n = ritz_space_n_dofs(a->space);
    const double begin = ritz_seconds();
    RITZ_NEW(a->system, 1);
    RITZ_TRY(make_matrix(a, dependence));
    RITZ_TRY(ritz_buffer_create(a->device, n * ritz_real_bytes(a->options.precision), "the right-hand side",
                                &a->system->rhs));
    a->rhs = ritz_vector_lend(a->device, a->options.precision, n, a->system->rhs);
    if (dependence) {
        status = ritz_transformation_create(a, dependence, &a->transformation);
        dependence = NULL;
    }
    a->system->seconds_pattern = ritz_seconds() - begin;
done:
    ritz_dependence_destroy(&dependence);
    return status;
}

ritz_status ritz_assembler_make(ritz_device *device, const ritz_space *space, const ritz_assemble_options *options,
                                ritz_dependence *dependence, ritz_assembler **assembler)
{
    ritz_status status = RITZ_OK;
    ritz_assembler *a = NULL;
    RITZ_NEW(a, 1);
    a->device = device;
    a->space = space;
    RITZ_TRY(take_options(options, a));
    status = make_system(a, dependence);
    dependence = NULL;
    RITZ_TRY(status);
    *assembler = a;
    a = NULL;
done:
    ritz_dependence_destroy(&dependence);
    ritz_assembler_destroy(&a);
    return status;
}

ritz_status ritz_assembler_create(ritz_device *device, const ritz_space *space, const ritz_assemble_options *options,
                                  ritz_assembler **assembler)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(device);
    RITZ_REQUIRE_POINTER(space);
    RITZ_REQUIRE_POINTER(assembler);
    RITZ_TRY(ritz_assembler_make(device, space, options, NULL, assembler));
done:
    return status;
}

const ritz_system *ritz_assembler_system(const ritz_assembler *assembler)
{
    return assembler->system;
}

static ritz_status sum_rhs(const ritz_assembler *a, double *sum)
{
    ritz_status status = RITZ_OK;
    const int n_c = a->space->n_components;
    double *rhs = NULL;
    RITZ_NEW(rhs, ritz_space_n_dofs(a->space));
    RITZ_TRY(ritz_matrix_read_vector(a->system->matrix, a->system->rhs, rhs));
    for (int c = 0; c < n_c; c++)
        sum[c] = 0;
    for (int64_t i = 0; i < ritz_space_n_dofs(a->space); i++)
        sum[i % n_c] += rhs[i];
done:
    ritz_free(rhs);
    return status;
}

/* The matrix is zeros, as it was created. dependence: NULL, or what the equations of this assembly make. */
static ritz_status add_contributions(ritz_assembler *a, const ritz_assembly *assembly,
                                     const ritz_dependence *dependence, bool keep)
{
    ritz_status status = RITZ_OK;
    ritz_system *system = a->system;
    const double begin = ritz_seconds();
    a->filled = false;
    RITZ_TRY(assembly->load ? ritz_matrix_write_vector(system->matrix, assembly->load, system->rhs)
                            : ritz_buffer_zero(system->rhs));
    system->seconds_pattern += ritz_seconds() - begin;
    for (int b = 0; b < a->space->n_batches; b++)
        RITZ_TRY(assembly->elements ? ritz_assemble_elements(a, assembly->elements[b])
                                    : ritz_assemble_batch(a, assembly, b, keep));
    RITZ_TRY(ritz_add_films(a->device, assembly, system));
    if (assembly->applied)
        RITZ_TRY(sum_rhs(a, assembly->applied));
    a->eliminated = dependence || (assembly->constraints && assembly->constraints->n_fixed > 0);
    if (dependence)
        RITZ_TRY(ritz_transform_system(a));
    if (a->eliminated)
        RITZ_TRY(ritz_eliminate(a, dependence ? dependence->gone : assembly->constraints->fixed,
                                dependence ? dependence->offset : assembly->constraints->value));
    a->filled = true;
done:
    return status;
}

/* No two fills of a process have the same. */
static int64_t next_version(void)
{
    static atomic_int_fast64_t last;
    return atomic_fetch_add(&last, 1) + 1;
}

ritz_status ritz_assembler_run(ritz_assembler *a, const ritz_assembly *assembly)
{
    ritz_status status = RITZ_OK;
    ritz_dependence *dependence = NULL, *own = NULL;
    if (assembly->constraints)
        RITZ_TRY(ritz_constraints_resolve(assembly->constraints, &dependence));
    if (!a->system || !ritz_dependence_same(dependence, a->transformation ? a->transformation->dependence : NULL)) {
        a->filled = false;
        if (dependence)
            RITZ_TRY(ritz_constraints_resolve(assembly->constraints, &own));
        free_system(a);
        if ((status = make_system(a, own)) != RITZ_OK) {
            free_system(a);
            goto done;
        }
    }
    ritz_system *system = a->system;
    system->seconds_pattern = system->seconds_integrate = system->seconds_assemble = 0;
    system->matrix->version = next_version();
    RITZ_TRY(ritz_buffer_zero(system->matrix->values));
    RITZ_TRY(add_contributions(a, assembly, dependence, true));
done:
    ritz_dependence_destroy(&dependence);
    return status;
}

ritz_status ritz_assembler_run_once(ritz_assembler *a, const ritz_assembly *assembly)
{
    return add_contributions(a, assembly, a->transformation ? a->transformation->dependence : NULL, false);
}

ritz_status ritz_assemble_system(ritz_device *device, const ritz_assembly *assembly,
                                 const ritz_assemble_options *options, ritz_system **system)
{
    ritz_status status = RITZ_OK;
    ritz_assembler *a = NULL;
    ritz_dependence *dependence = NULL;
    RITZ_TRY(ritz_form_check_space(assembly->form, assembly->space));
    if (assembly->constraints)
        RITZ_TRY(ritz_constraints_resolve(assembly->constraints, &dependence));
    RITZ_TRY(ritz_assembler_make(device, assembly->space, options, dependence, &a));
    RITZ_TRY(ritz_assembler_run_once(a, assembly));
    *system = a->system;
    a->system = NULL;
done:
    ritz_assembler_destroy(&a);
    return status;
}
