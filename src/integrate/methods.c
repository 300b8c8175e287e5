/* The registry of integration methods on the device: one table that says which method serves what. */
#include "integrate/integrate.h"

#include <string.h>

/* Sizes of a case that plans and defines share. */
static void sizes(const ritz_case *c, int64_t *n_shape, int64_t *n_quad, int64_t *n_geo)
{
    *n_shape = ritz_cell_n_shape(c->cell, c->order);
    *n_quad = ritz_cell_n_quad(c->cell, c->order);
    *n_geo = ritz_cell_n_shape(c->cell, c->geometry_order);
}

/* ---- lanes: src/integrate/kernels/lanes.cl ---- */

enum { LANES_LANES, LANES_LOCAL, LANES_WORKERS };

static bool lanes_applies(const ritz_case *c)
{
    (void)c;
    return true;
}

/* Elements a work-item: as many as a register holds; on GPUs each lane is a work-item of its own. */
static void lanes_plan(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters, ritz_plan *plan)
{
    int64_t n_shape, n_quad, n_geo;
    sizes(c, &n_shape, &n_quad, &n_geo);
    const bool gpu = limits->kind == RITZ_DEVICE_GPU;
    const int32_t native = c->precision == RITZ_F64 ? limits->vector_width_f64 : limits->vector_width_f32;
    int32_t lanes = parameters[LANES_LANES] ? parameters[LANES_LANES] : gpu || native < 2 ? 1 : native;
    int32_t local = parameters[LANES_LOCAL] ? parameters[LANES_LOCAL] : gpu ? 64 : 1;
    while (lanes & (lanes - 1)) /* OpenCL's vectors: 1 2 4 8 16 */
        lanes--;
    const int64_t per_item = n_quad * (1 + c->traits.n_weights + c->traits.n_varying) +
                             (c->traits.derivatives ? n_shape * n_quad * ritz_cell_dim(c->cell) : 0);
    const int64_t worker_bytes = per_item * lanes * local * ritz_real_bytes(c->precision);
    /* Enough groups to keep every unit busy and even out their work, within a share of memory for scratch. */
    const int64_t share = limits->global_memory / 16;
    int64_t workers =
        parameters[LANES_WORKERS] ? parameters[LANES_WORKERS] : (int64_t)limits->compute_units * (gpu ? 16 : 8);
    if (workers * worker_bytes > share)
        workers = ritz_max64(share / worker_bytes, 1);
    const int64_t pairs = c->traits.symmetric ? n_shape * (n_shape + 1) / 2 : n_shape * n_shape;
    *plan = (ritz_plan){.parameters = {lanes, local, (int32_t)workers},
                        .layout = {.width = lanes * local,
                                   .symmetric = c->traits.symmetric,
                                   .matrix_entries = (int32_t)(pairs * c->n_components * c->n_components),
                                   .vector_entries = c->traits.load ? (int32_t)(n_shape * c->n_components) : 0},
                        .local_size = local,
                        .n_workers = workers,
                        .n_parts = 1,
                        .scratch_bytes = worker_bytes};
    plan->bytes_per_element =
        ((int64_t)plan->layout.matrix_entries + plan->layout.vector_entries) * ritz_real_bytes(c->precision);
}

static void lanes_defines(const ritz_case *c, const ritz_plan *plan, ritz_text *header)
{
    int64_t n_shape, n_quad, n_geo;
    sizes(c, &n_shape, &n_quad, &n_geo);
    const int32_t lanes = plan->parameters[LANES_LANES];
    const bool simplex = c->cell == RITZ_TRI || c->cell == RITZ_TET;
    ritz_text_add(header, "#define LANES %d\n#define LOCAL %d\n", lanes, (int)plan->local_size);
    if (lanes > 1)
        ritz_text_add(header, "typedef real%d realv;\n", lanes);
    else
        ritz_text_add(header, "typedef real realv;\n");
    ritz_text_add(header,
                  "#define N_SHAPE %d\n#define N_QUAD %d\n#define N_GEO %d\n#define AFFINE %d\n#define SYMMETRIC "
                  "FORM_SYMMETRIC\n",
                  (int)n_shape, (int)n_quad, (int)n_geo, simplex && c->geometry_order == 1);
}

/* ---- The table ---- */

static const ritz_method methods[] = {
    {.name = "lanes",
     .source = "this project",
     .summary = "one element a vector lane or work-item; sums of products first where coefficients are constant",
     .kernel_path = "integrate/kernels/lanes.cl",
     .kernel_name = "integrate",
     .n_parameters = 3,
     .parameters = {[LANES_LANES] = {"lanes", "elements a work-item, in explicit vectors (1, 2, 4, 8, 16)", 1, 16},
                    [LANES_LOCAL] = {"local", "work-items a group", 1, 1024},
                    [LANES_WORKERS] = {"workers", "work-groups in flight", 1, 1 << 20}},
     .applies = lanes_applies,
     .plan = lanes_plan,
     .defines = lanes_defines},
};

const ritz_method *ritz_methods(int *n_methods)
{
    *n_methods = sizeof methods / sizeof methods[0];
    return methods;
}

ritz_status ritz_method_find(const char *name, const ritz_case *the_case, const ritz_method **method)
{
    const bool any = !name || strcmp(name, "auto") == 0;
    int n_methods;
    const ritz_method *table = ritz_methods(&n_methods);
    char names[256] = "auto";
    for (int m = 0; m < n_methods; m++) {
        if ((any || strcmp(table[m].name, name) == 0) && table[m].applies(the_case)) {
            *method = &table[m];
            return RITZ_OK;
        }
        strncat(names, ", ", sizeof names - strlen(names) - 1);
        strncat(names, table[m].name, sizeof names - strlen(names) - 1);
    }
    return ritz_fail(RITZ_ERROR_INPUT, "no integration method '%s' serves %s cells of order %d; there are %s",
                     any ? "auto" : name, ritz_cell_name(the_case->cell), the_case->order, names);
}
