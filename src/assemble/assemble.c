/* Systems: a pattern made once, and any number of assemblies into it. */
#include "assemble/assembler.h"

void ritz_system_destroy(ritz_system **system)
{
    if (!system || !*system)
        return;
    ritz_matrix_destroy(&(*system)->matrix);
    ritz_buffer_destroy(&(*system)->rhs);
    ritz_free(*system);
    *system = NULL;
}

void ritz_assembler_destroy(ritz_assembler **assembler)
{
    ritz_assembler *a = assembler ? *assembler : NULL;
    if (!a)
        return;
    for (int b = 0; b < RITZ_N_CELLS; b++)
        ritz_batch_work_free(&a->work[b]);
    ritz_buffer_destroy(&a->matrices);
    ritz_buffer_destroy(&a->vectors);
    ritz_eliminator_destroy(&a->eliminator);
    ritz_cell_order_free(&a->order);
    ritz_system_destroy(&a->system);
    ritz_pattern_destroy(&a->pattern);
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

ritz_status ritz_assembler_create(ritz_device *device, const ritz_space *space, const ritz_assemble_options *options,
                                  ritz_assembler **assembler)
{
    ritz_status status = RITZ_OK;
    ritz_assembler *a = NULL;
    RITZ_REQUIRE_POINTER(device);
    RITZ_REQUIRE_POINTER(space);
    RITZ_REQUIRE_POINTER(assembler);
    RITZ_NEW(a, 1);
    a->device = device;
    a->space = space;
    RITZ_TRY(take_options(options, a));
    const ritz_matrix_options matrix_options = {.precision = a->options.precision};
    RITZ_NEW(a->system, 1);
    const double begin = ritz_seconds();
    RITZ_TRY(ritz_pattern_create(space, &a->pattern));
    RITZ_TRY(ritz_matrix_create_structure(device, &matrix_options, space->n_components, a->pattern->n_rows,
                                          a->pattern->row_start, a->pattern->columns, &a->system->matrix));
    RITZ_TRY(ritz_buffer_create(device, ritz_space_n_dofs(space) * ritz_real_bytes(a->options.precision),
                                "the right-hand side", &a->system->rhs));
    a->rhs = ritz_vector_lend(device, a->options.precision, ritz_space_n_dofs(space), a->system->rhs);
    a->system->seconds_pattern = ritz_seconds() - begin;
    *assembler = a;
    a = NULL;
done:
    ritz_assembler_destroy(&a);
    return status;
}

const ritz_system *ritz_assembler_system(const ritz_assembler *assembler)
{
    return assembler->system;
}

/* The matrix is zeros, as it was created. */
static ritz_status add_all(ritz_assembler *a, const ritz_assembly *assembly, bool keep)
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
    a->eliminated = assembly->constraints && assembly->constraints->n_fixed > 0;
    if (a->eliminated)
        RITZ_TRY(ritz_eliminate(a, assembly->constraints));
    a->filled = true;
done:
    return status;
}

ritz_status ritz_assembler_run(ritz_assembler *a, const ritz_assembly *assembly)
{
    ritz_status status = RITZ_OK;
    ritz_system *system = a->system;
    system->seconds_pattern = system->seconds_integrate = system->seconds_assemble = 0;
    RITZ_TRY(ritz_buffer_zero(system->matrix->values));
    RITZ_TRY(add_all(a, assembly, true));
done:
    return status;
}

ritz_status ritz_assembler_run_once(ritz_assembler *a, const ritz_assembly *assembly)
{
    return add_all(a, assembly, false);
}

ritz_status ritz_assemble_system(ritz_device *device, const ritz_assembly *assembly,
                                 const ritz_assemble_options *options, ritz_system **system)
{
    ritz_status status = RITZ_OK;
    ritz_assembler *a = NULL;
    RITZ_TRY(ritz_form_check_space(assembly->form, assembly->space));
    RITZ_TRY(ritz_assembler_create(device, assembly->space, options, &a));
    RITZ_TRY(ritz_assembler_run_once(a, assembly));
    *system = a->system;
    a->system = NULL;
done:
    ritz_assembler_destroy(&a);
    return status;
}
