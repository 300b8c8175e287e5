/* What gathering and scattering share: the shape of launches, kernels, and the places of element entries. */
#include "assemble/adder.h"

#include "integrate/layout.h"

ritz_range ritz_adder_range(int64_t n)
{
    enum { LOCAL = 64 };
    return (ritz_range){.global = {ritz_round_up(n, LOCAL)}, .local = {LOCAL}};
}

ritz_status ritz_adder_kernel(const ritz_adder_options *o, const char *path, const char *more, const char *name,
                              ritz_kernel **kernel)
{
    const ritz_matrix *matrix = o->system->matrix;
    ritz_status status = RITZ_OK;
    char *header = NULL;
    ritz_text text = {0};
    ritz_program *program = NULL;
    ritz_text_add(&text, "#define N_SHAPE %d\n#define N_E %d\n#define WIDTH %d\n#define S %d\n#define LOAD %d\n",
                  o->cells->n_shape, matrix->block, (int)o->layout->width, matrix->slice_height,
                  o->layout->vector_entries > 0);
    ritz_layout_defines(o->layout, &text);
    RITZ_TRY(ritz_text_take(&text, &header));
    const char *const paths[] = {"integrate/kernels/layout.cl", "assemble/kernels/add.cl", path};
    RITZ_TRY(ritz_program_get(o->device, matrix->precision, header, paths, 3, more, &program));
    RITZ_TRY(ritz_kernel_get(program, name, kernel));
done:
    ritz_text_free(&text);
    ritz_free(header);
    return status;
}
