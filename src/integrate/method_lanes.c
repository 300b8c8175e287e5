/* Method "lanes": one element a vector lane or work-item (kernels/lanes.cl). */
#include "integrate/methods.h"

enum { LANES, LOCAL, WORKERS };

static bool applies(const ritz_case *c, const ritz_device_info *limits)
{
    (void)c;
    (void)limits;
    return true;
}

/* Elements a work-item: as many as a register holds; on GPUs each lane is a work-item of its own. */
static ritz_status plan_lanes(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters,
                              ritz_plan *plan)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const bool gpu = limits->kind == RITZ_DEVICE_GPU;
    const int32_t native = c->precision == RITZ_F64 ? limits->vector_width_f64 : limits->vector_width_f32;
    int32_t lanes = parameters[LANES] ? parameters[LANES] : gpu || native < 2 ? 1 : native;
    int32_t local = parameters[LOCAL] ? parameters[LOCAL] : gpu ? 64 : 1;
    while (lanes & (lanes - 1)) /* OpenCL's vectors: 1 2 4 8 16 */
        lanes--;
    const int64_t per_item = size.n_quad * (1 + c->traits.n_weights + c->traits.n_varying) +
                             (c->traits.derivatives ? size.n_shape * size.n_quad * size.dim : 0);
    const int64_t worker_bytes = per_item * lanes * local * size.real_bytes;
    /* Enough groups to keep every unit busy and even out their work, within a share of memory for scratch. */
    const int64_t share = limits->global_memory / 16;
    int64_t workers = parameters[WORKERS] ? parameters[WORKERS] : (int64_t)limits->compute_units * (gpu ? 16 : 8);
    if (workers * worker_bytes > share)
        workers = ritz_max64(share / worker_bytes, 1);
    *plan = (ritz_plan){.parameters = {lanes, local, (int32_t)workers},
                        .layout = ritz_layout_blocks(c, lanes * local, c->traits.symmetric),
                        .local_size = local,
                        .n_workers = workers,
                        .most_sharing = size.n_shape,
                        .scratch_bytes = worker_bytes};
    ritz_plan_set_launch(c, limits, plan);
    return RITZ_OK;
}

static void defines(const ritz_case *c, const ritz_plan *plan, ritz_text *header)
{
    (void)c;
    const int32_t lanes = plan->parameters[LANES];
    ritz_text_add(header, "#define LANES %d\n#define LOCAL %d\n#define NODE_STRIDE LOCAL\n", lanes,
                  (int)plan->local_size);
    if (lanes > 1)
        ritz_text_add(header, "typedef real%d realv;\n", lanes);
    else
        ritz_text_add(header, "typedef real realv;\n");
}

/* kernels/lanes.cl, loop by loop. */
static double operations(const ritz_case *c, const ritz_plan *plan, const ritz_form_counts *counts)
{
    (void)plan;
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const double n_quad = (double)size.n_quad, n_shape = (double)size.n_shape;
    const double pairs = c->traits.symmetric ? n_shape * (n_shape + 1) / 2 : n_shape * n_shape;
    double n = (size.affine ? 1 : n_quad) * ritz_count_map(c) + n_quad + counts->constants;
    if (c->traits.derivatives)
        n += n_quad * n_shape * size.dim * (2 * size.dim - 1);
    n += n_quad * ritz_count_point_coefficients(c, counts);
    n += n_quad * n_shape * (counts->weight + counts->load);
    return n + pairs * (n_quad * counts->accumulate + counts->finish);
}

const ritz_method ritz_method_lanes = {
    .name = "lanes",
    .source = "this project",
    .summary = "one element a vector lane or work-item; sums of products first where coefficients are constant",
    .kernel_path = "integrate/kernels/lanes.cl",
    .kernel_name = "integrate",
    .n_parameters = 3,
    .parameters = {[LANES] = {"lanes", "elements a work-item, in explicit vectors (1, 2, 4, 8, 16)", 1, 16},
                   [LOCAL] = {"local", "work-items a group", 1, 1024},
                   [WORKERS] = {"workers", "work-groups in flight", 1, 1 << 20}},
    .applies = applies,
    .plan = plan_lanes,
    .defines = defines,
    .operations = operations};
