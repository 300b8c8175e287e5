/* Methods "reg-jac", "reg-nojac", "shm-jac", "shm-nojac": one element per work-group, its matrix in parts, sums in
   registers or in local memory, Jacobian terms computed on the device or sent (kernels/groups.cl; Banaś et al. (2014),
   Algorithms 3 and 4; the plan: Section 4.2). */
#include "integrate/groups.h"

#include <math.h>

enum { WORK_GROUP, POINTS, WORKERS, BLOCKS };
enum { MULTIPLE = 64 }; /* of the size of a work-group: "as a rule of thumb" (Section 3.3) */

int64_t ritz_groups_n_derivatives(const ritz_case *c)
{
    return (ritz_groups_needs_value(c) ? 1 : 0) + (c->traits.derivatives ? ritz_cell_dim(c->cell) : 0);
}

bool ritz_groups_needs_value(const ritz_case *c)
{
    return c->traits.test_value || c->traits.trial_value || !c->traits.derivatives;
}

int64_t ritz_groups_record(const ritz_case *c)
{
    const int64_t dim = ritz_cell_dim(c->cell);
    return 1 + dim * dim + c->traits.n_varying;
}

void ritz_groups_set_launch(const ritz_case *c, const ritz_device_info *limits, ritz_plan *plan)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const int64_t terms = size.n_quad * (1 + size.dim * size.dim) * size.real_bytes;
    ritz_plan_set_launch(c, limits, plan);
    if (plan->sends_jacobians)
        plan->launch_elements = ritz_max64(1, ritz_min64(plan->launch_elements, limits->largest_allocation / terms));
    plan->group_elements = (plan->launch_elements + plan->n_workers - 1) / plan->n_workers;
}

void ritz_groups_define(const ritz_case *c, const ritz_plan *plan, int64_t points, int64_t parts, ritz_text *header)
{
    ritz_text_add(header,
                  "#define LANES 1\n#define NODE_STRIDE 1\ntypedef real realv;\n"
                  "#define GROUP %d\n#define PARTS %d\n#define POINTS %d\n#define FIRST_D %d\n"
                  "#define SENT_JACOBIANS %d\n",
                  (int)plan->local_size, (int)parts, (int)points, ritz_groups_needs_value(c) ? 0 : 1,
                  plan->sends_jacobians);
}

static bool groups_apply(const ritz_case *c, const ritz_device_info *limits)
{
    (void)c;
    (void)limits;
    return true;
}

/* Largest work-group that registers allow. */
static int64_t most_work_items(const ritz_case *c, const ritz_device_info *limits)
{
    const ritz_fact fact = {"real", (double)ritz_real_bytes(c->precision)};
    return ritz_min64(limits->work_group_size, (int64_t)ritz_tuned(limits, RITZ_PARTS_GROUP, &fact, 1));
}

/* Bytes of local memory but for the sums: psi of all shape functions, two sets of records (groups.cl). */
static int64_t workspace_bytes(const ritz_case *c, int64_t points)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    return points * (ritz_groups_n_derivatives(c) * size.n_shape + 2 * ritz_groups_record(c)) * size.real_bytes;
}

/* Blocks a work-item: one, or as many as local memory holds, and no more than there are. */
static ritz_status choose_blocks(const ritz_case *c, const ritz_device_info *limits, bool local_sums, int64_t n_blocks,
                                 int64_t group, int64_t points, int64_t *blocks)
{
    ritz_status status = RITZ_OK;
    const int64_t workspace = workspace_bytes(c, points),
                  sums = local_sums ? group * c->traits.n_sums * ritz_real_bytes(c->precision) : 0;
    const int64_t given = *blocks, least = local_sums ? ritz_max64(1, given) : 0;
    RITZ_REQUIRE(workspace + least * sums <= limits->local_memory, RITZ_ERROR_INPUT,
                 "a work-group of %lld needs %lld bytes of local memory for order %d on %s cells, the device has %lld: "
                 "take smaller work_group, points or blocks, or the method lanes",
                 (long long)group, (long long)(workspace + least * sums), c->order, ritz_cell_name(c->cell),
                 (long long)limits->local_memory);
    *blocks = 1;
    if (local_sums)
        *blocks = given ? given : ritz_min64((limits->local_memory - workspace) / sums, (n_blocks + group - 1) / group);
done:
    return status;
}

/* The smallest multiple of 64 that needs no more parts than `group` does: fewer idle work-items in the last part. */
static int64_t balance_parts(int64_t n_blocks, int64_t group, int64_t blocks)
{
    const int64_t parts = (n_blocks + group * blocks - 1) / (group * blocks);
    return ritz_min64(group, ritz_round_up((n_blocks + parts * blocks - 1) / (parts * blocks), MULTIPLE));
}

/* Points at once that cost no block. */
static int64_t most_points(const ritz_case *c, const ritz_device_info *limits, bool local_sums, int64_t n_blocks)
{
    const int64_t sums = local_sums ? n_blocks * c->traits.n_sums * ritz_real_bytes(c->precision) : 0;
    int64_t points = ritz_plan_tuned(limits, RITZ_PARTS_POINTS);
    while (points > 1 && workspace_bytes(c, points) + sums > limits->local_memory)
        points--;
    return points;
}

static void add_figures(const ritz_case *c, ritz_plan *plan, int64_t parts, int64_t blocks)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const double n_shape = (double)size.n_shape, n_quad = (double)size.n_quad, n_d = size.dim + 1;
    ritz_plan_add_figure(plan, "parts", (double)parts);
    ritz_plan_add_figure(plan, "blocks_per_item", (double)blocks);
    ritz_plan_add_figure(plan, "n_shape", n_shape);
    ritz_plan_add_figure(plan, "n_quad", n_quad);
    ritz_plan_add_figure(plan, "quadrature_entries", n_d * n_quad);
    ritz_plan_add_figure(plan, "shape_entries_point", n_d * n_shape);
    ritz_plan_add_figure(plan, "shape_entries", n_d * n_shape * n_quad);
    ritz_plan_add_figure(plan, "matrix_blocks", n_shape * n_shape);
}

static ritz_status plan_groups(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters,
                               bool local_sums, bool sends_jacobians, ritz_plan *plan)
{
    ritz_status status = RITZ_OK;
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const int64_t n_blocks = size.n_shape * size.n_shape;
    int64_t group = parameters[WORK_GROUP], blocks = local_sums ? parameters[BLOCKS] : 1;
    int64_t points = parameters[POINTS] ? parameters[POINTS] : 1;
    if (!group) {
        const int64_t most = ritz_min64(most_work_items(c, limits), n_blocks);
        group = ritz_min64(limits->work_group_size, ritz_max64(MULTIPLE, most / MULTIPLE * MULTIPLE));
    }
    RITZ_REQUIRE(group <= limits->work_group_size, RITZ_ERROR_INPUT,
                 "work_group=%lld: the device takes work-groups of at most %lld", (long long)group,
                 (long long)limits->work_group_size);
    RITZ_TRY(choose_blocks(c, limits, local_sums, n_blocks, group, points, &blocks));
    if (!parameters[POINTS])
        points = most_points(c, limits, local_sums, blocks * group);
    if (!parameters[WORK_GROUP])
        group = balance_parts(n_blocks, group, blocks);
    const int64_t parts = (n_blocks + group * blocks - 1) / (group * blocks);
    const int64_t workers = ritz_plan_workers(c, limits, parameters[WORKERS], RITZ_PARTS_GROUPS_PER_UNIT);
    const int64_t sums = local_sums ? blocks * group * c->traits.n_sums * size.real_bytes : 0;
    *plan = (ritz_plan){.parameters = {(int32_t)group, (int32_t)points, (int32_t)workers, (int32_t)blocks},
                        .layout = ritz_layout_planes(c, 1, false, (int32_t)size.n_shape),
                        .local_size = group,
                        .n_workers = workers,
                        .most_sharing = parts,
                        .scratch_bytes = size.n_quad * c->traits.n_varying * size.real_bytes,
                        .local_bytes = workspace_bytes(c, points) + sums,
                        .sends_jacobians = sends_jacobians};
    ritz_groups_set_launch(c, limits, plan);
    add_figures(c, plan, parts, blocks);
done:
    return status;
}

static void define_groups(const ritz_case *c, const ritz_plan *plan, bool local_sums, ritz_text *header)
{
    const int64_t n_shape = ritz_case_get_sizes(c).n_shape, n_blocks = n_shape * n_shape;
    const int64_t group = plan->local_size, blocks = plan->parameters[BLOCKS];
    ritz_groups_define(c, plan, plan->parameters[POINTS], (n_blocks + group * blocks - 1) / (group * blocks), header);
    ritz_text_add(header, "#define TILED 0\n#define SUMS_LOCAL %d\n#define BLOCKS %d\n", local_sums, (int)blocks);
}

/* The loops of kernels/groups.cl, idle blocks and repeated points included. */
static double count_groups(const ritz_case *c, const ritz_plan *plan, const ritz_form_counts *counts)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const double points = plan->parameters[POINTS], batches = ceil((double)size.n_quad / points);
    const double done = batches * points, n_shape = (double)size.n_shape; /* points a part */
    const double in_space = c->traits.derivatives ? size.dim * (2 * size.dim - 1) : 0;
    const double blocks = (double)(plan->local_size * plan->parameters[BLOCKS]);
    const double parts = ceil(n_shape * n_shape / blocks);
    const double rows = (double)ritz_round_up(size.n_shape, plan->local_size);
    const double map = plan->sends_jacobians ? 0 : ritz_count_map(c) + 1;
    double n = (double)plan->local_size * counts->constants;
    if (c->traits.n_varying)
        n += (double)size.n_quad * (map + ritz_count_point_coefficients(c, counts));
    n += parts * done * (map + n_shape * in_space);
    n += parts * blocks * (done * (counts->weight + counts->accumulate) + counts->finish);
    return n + done * rows * counts->load;
}

static ritz_status plan_reg_jac(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters,
                                ritz_plan *plan)
{
    return plan_groups(c, limits, parameters, false, false, plan);
}

static ritz_status plan_reg_nojac(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters,
                                  ritz_plan *plan)
{
    return plan_groups(c, limits, parameters, false, true, plan);
}

static ritz_status plan_shm_jac(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters,
                                ritz_plan *plan)
{
    return plan_groups(c, limits, parameters, true, false, plan);
}

static ritz_status plan_shm_nojac(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters,
                                  ritz_plan *plan)
{
    return plan_groups(c, limits, parameters, true, true, plan);
}

static void define_reg(const ritz_case *c, const ritz_plan *plan, ritz_text *header)
{
    define_groups(c, plan, false, header);
}

static void define_shm(const ritz_case *c, const ritz_plan *plan, ritz_text *header)
{
    define_groups(c, plan, true, header);
}

#define PARAMETERS                                                                                                     \
    [WORK_GROUP] = {"work_group", "work-items per group", 1, 4096, false},                                             \
    [POINTS] = {"points", "quadrature points tabulated at once; 1 in Banaś et al. (2014)", 1, 64, false},              \
    [WORKERS] = {"workers", "work-groups in flight", 1, 1 << 20, false}

const ritz_method ritz_method_reg_jac = {
    .name = "reg-jac",
    .source = "Banaś et al. (2014), Algorithm 3, REG JAC",
    .summary = "one element per work-group, a block per work-item and part in registers; Jacobians on the device",
    .kernel_path = "integrate/kernels/groups.cl",
    .kernel_name = "integrate",
    .n_parameters = 3,
    .parameters = {PARAMETERS},
    .applies = groups_apply,
    .plan = plan_reg_jac,
    .defines = define_reg,
    .operations = count_groups};

const ritz_method ritz_method_reg_nojac = {.name = "reg-nojac",
                                           .source = "Banaś et al. (2014), Algorithm 3, REG NOJAC",
                                           .summary = "as reg-jac, with Jacobian terms made by the host and sent",
                                           .kernel_path = "integrate/kernels/groups.cl",
                                           .kernel_name = "integrate",
                                           .n_parameters = 3,
                                           .parameters = {PARAMETERS},
                                           .applies = groups_apply,
                                           .plan = plan_reg_nojac,
                                           .defines = define_reg,
                                           .operations = count_groups};

const ritz_method ritz_method_shm_jac = {
    .name = "shm-jac",
    .source = "Banaś et al. (2014), Algorithm 4, SHM JAC",
    .summary =
        "one element per work-group, several blocks per work-item and part in local memory; Jacobians on the device",
    .kernel_path = "integrate/kernels/groups.cl",
    .kernel_name = "integrate",
    .n_parameters = 4,
    .parameters = {PARAMETERS, [BLOCKS] = {"blocks", "blocks per work-item and part", 1, 4096, false}},
    .applies = groups_apply,
    .plan = plan_shm_jac,
    .defines = define_shm,
    .operations = count_groups};

const ritz_method ritz_method_shm_nojac = {
    .name = "shm-nojac",
    .source = "Banaś et al. (2014), Algorithm 4, SHM NOJAC",
    .summary = "as shm-jac, with Jacobian terms made by the host and sent",
    .kernel_path = "integrate/kernels/groups.cl",
    .kernel_name = "integrate",
    .n_parameters = 4,
    .parameters = {PARAMETERS, [BLOCKS] = {"blocks", "blocks per work-item and part", 1, 4096, false}},
    .applies = groups_apply,
    .plan = plan_shm_nojac,
    .defines = define_shm,
    .operations = count_groups};
