/* Method "plain": one element a work-item, nothing kept from one block to the next (kernels/plain.cl). */
#include "integrate/methods.h"

enum { LOCAL, WORKERS };

/* Beyond order 2 it would only waste time. */
static bool plain_applies(const ritz_case *c, const ritz_device_info *limits)
{
    (void)limits;
    return c->order <= 2;
}

static ritz_status plan_plain(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters,
                              ritz_plan *plan)
{
    const int32_t local = parameters[LOCAL] ? parameters[LOCAL] : (int32_t)ritz_plan_tuned(limits, RITZ_LANES_GROUP);
    const int64_t workers = ritz_plan_workers(limits, parameters[WORKERS], RITZ_LANES_GROUPS_PER_UNIT);
    *plan = (ritz_plan){.parameters = {local, (int32_t)workers},
                        .layout = ritz_layout_blocks(c, local, c->traits.symmetric),
                        .local_size = local,
                        .n_workers = workers};
    ritz_plan_set_launch(c, limits, plan);
    return RITZ_OK;
}

static void add_defines(const ritz_case *c, const ritz_plan *plan, ritz_text *header)
{
    (void)c;
    ritz_text_add(header, "#define LANES 1\n#define LOCAL %d\n#define NODE_STRIDE LOCAL\ntypedef real realv;\n",
                  (int)plan->local_size);
}

/* kernels/plain.cl, loop by loop. */
static double count_operations(const ritz_case *c, const ritz_plan *plan, const ritz_form_counts *counts)
{
    (void)plan;
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const double n_shape = (double)size.n_shape, n_quad = (double)size.n_quad;
    const double pairs = c->traits.symmetric ? n_shape * (n_shape + 1) / 2 : n_shape * n_shape;
    const double shape = c->traits.derivatives ? size.dim * (2.0 * size.dim - 1) : 0;
    const double at_point = ritz_count_map(c) + 1 + ritz_count_point_coefficients(c, counts) + 2 * shape +
                            counts->weight + counts->accumulate;
    return counts->constants + n_quad * n_shape * counts->load + pairs * (n_quad * at_point + counts->finish);
}

const ritz_method ritz_method_plain = {
    .name = "plain",
    .source = "this project",
    .summary = "one element a work-item; every block computed by itself",
    .kernel_path = "integrate/kernels/plain.cl",
    .kernel_name = "integrate",
    .n_parameters = 2,
    .parameters = {[LOCAL] = {"local", "work-items per group", 1, 1024, false},
                   [WORKERS] = {"workers", "work-groups in flight", 1, 1 << 20, false}},
    .applies = plain_applies,
    .plan = plan_plain,
    .defines = add_defines,
    .operations = count_operations};
