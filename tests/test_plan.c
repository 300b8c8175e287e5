/* Plans of the methods that take an element a work-group, from limits alone: Tables 1 to 4 of Banaś et al. (2014), and
   what is said where no plan is possible. Then unusual plans on the device. */
#include "elements.h"
#include "measure/measure.h"

#include <stdio.h>

enum { N_ORDERS = 7 };

/* Limits of the paper's two cards (Section 5.2 and 5.3); work-groups: what registers leave of 1024 and 256. */
static const ritz_device_info gtx580 = {.kind = RITZ_DEVICE_GPU,
                                        .global_memory = 1536LL << 20,
                                        .largest_allocation = 384LL << 20,
                                        .local_memory = 48 << 10,
                                        .largest_local_memory = 48 << 10,
                                        .work_group_size = 512,
                                        .group_multiple = 32,
                                        .compute_units = 16};
static const ritz_device_info hd5870 = {.kind = RITZ_DEVICE_GPU,
                                        .global_memory = 1024LL << 20,
                                        .largest_allocation = 128LL << 20,
                                        .local_memory = 32 << 10,
                                        .largest_local_memory = 32 << 10,
                                        .work_group_size = 256,
                                        .group_multiple = 64,
                                        .compute_units = 20};

/* An H200: 48 KB of local memory as reported, 227 KB as static arrays where inline PTX asks for them. */
static const ritz_device_info h200 = {.kind = RITZ_DEVICE_GPU,
                                      .global_memory = INT64_C(143) * 1000 * 1000 * 1000,
                                      .largest_allocation = INT64_C(143) * 1000 * 1000 * 1000 / 4,
                                      .local_memory = 48 << 10,
                                      .largest_local_memory = 232448,
                                      .work_group_size = 1024,
                                      .group_multiple = 32,
                                      .compute_units = 132,
                                      .vector_width_f32 = 1,
                                      .vector_width_f64 = 1,
                                      .has_f64 = true,
                                      .has_ptx = true,
                                      .has_f64_matrix_unit = true};

/* at_points: a datum that has values at the points, NULL: none. */
static void make_case_of_data(const char *form_name, const char *at_points, ritz_cell cell, int order,
                              ritz_precision precision, ritz_case *the_case)
{
    ritz_form *form = NULL;
    ritz_datum data[RITZ_MAX_DATA] = {{.value = 1}};
    OK(ritz_form_create(form_name, ritz_cell_dim(cell), &form));
    if (at_points)
        data[ritz_form_find_data(form, at_points)].kind = RITZ_DATA_POINT;
    *the_case = (ritz_case){.cell = cell,
                            .order = order,
                            .geometry_order = 1,
                            .n_components = ritz_form_n_components(form),
                            .precision = precision};
    ritz_form_get_traits(form, data, &the_case->traits);
    ritz_form_destroy(&form);
}

static void make_case(const char *form_name, ritz_cell cell, int order, ritz_precision precision, ritz_case *the_case)
{
    make_case_of_data(form_name, NULL, cell, order, precision, the_case);
}

static ritz_status make_plan(const char *name, const ritz_case *the_case, const ritz_device_info *limits,
                             const char *setting, ritz_plan *plan)
{
    const ritz_method *method = NULL;
    OK(ritz_method_find(name, the_case, limits, &method));
    return ritz_method_plan(method, the_case, limits, &setting, setting ? 1 : 0, plan);
}

static double figure(const ritz_plan *plan, const char *name)
{
    for (int k = 0; k < plan->n_figures; k++)
        if (strcmp(plan->figures[k].name, name) == 0)
            return plan->figures[k].value;
    fail_msg("the plan has no figure %s", name);
    return 0;
}

static void assert_figure(const ritz_plan *plan, const char *name, int order, double expected)
{
    if (figure(plan, name) != expected)
        fail_msg("order %d: %s is %g, expected %g", order, name, figure(plan, name), expected);
}

/* Tables 1 and 2. */
static void test_tables_1_and_2(void **unused)
{
    (void)unused;
    static const int n_shape[] = {6, 18, 40, 75, 126, 196, 288}, n_quad[] = {6, 18, 48, 80, 150, 231, 336},
                     quadrature[] = {24, 72, 192, 320, 600, 924, 1344}, at_point[] = {24, 72, 160, 300, 504, 784, 1152},
                     at_all[] = {144, 1296, 7680, 24000, 75600, 181104, 387072},
                     blocks[] = {36, 324, 1600, 5625, 15876, 38416, 82944};
    for (int p = 1; p <= N_ORDERS; p++) {
        ritz_case c;
        ritz_plan plan;
        make_case("elasticity", RITZ_PRISM, p, RITZ_F32, &c);
        OK(make_plan("reg-jac", &c, &gtx580, NULL, &plan));
        assert_figure(&plan, "n_shape", p, n_shape[p - 1]);
        assert_figure(&plan, "n_quad", p, n_quad[p - 1]);
        assert_figure(&plan, "quadrature_entries", p, quadrature[p - 1]);
        assert_figure(&plan, "shape_entries_point", p, at_point[p - 1]);
        assert_figure(&plan, "shape_entries", p, at_all[p - 1]);
        assert_figure(&plan, "matrix_blocks", p, blocks[p - 1]);
    }
}

/* One of Tables 3 and 4: p = 2..7, Jacobian terms computed or sent. */
static void assert_table(const ritz_device_info *limits, const int *reg_parts, const int *shm_parts,
                         const int *shm_blocks, const char *group_of_order_2)
{
    for (int p = 2; p <= N_ORDERS; p++)
        for (int sent = 0; sent < 2; sent++) {
            const char *const settings[] = {NULL, p == 2 ? group_of_order_2 : NULL};
            ritz_case c;
            make_case("elasticity", RITZ_PRISM, p, RITZ_F32, &c);
            for (int s = 0; s < 2; s++) {
                ritz_plan plan;
                OK(make_plan(sent ? "reg-nojac" : "reg-jac", &c, limits, settings[s], &plan));
                assert_figure(&plan, "parts", p, reg_parts[p - 2]);
                assert_figure(&plan, "blocks_per_item", p, 1);
                assert_int_equal(plan.sends_jacobians, sent);
                assert_int_equal(plan.local_size % 64, 0);
                assert_true(plan.local_size <= limits->work_group_size);
                OK(make_plan(sent ? "shm-nojac" : "shm-jac", &c, limits, settings[s], &plan));
                assert_figure(&plan, "parts", p, shm_parts[p - 2]);
                assert_figure(&plan, "blocks_per_item", p, shm_blocks[p - 2]);
                assert_true(plan.local_bytes <= limits->local_memory);
                assert_true(plan.local_bytes >= plan.local_size * shm_blocks[p - 2] * 9 * 4);
            }
        }
}

static void test_table_3(void **unused)
{
    (void)unused;
    const int reg[] = {2, 4, 11, 32, 76, 162}, shm[] = {1, 2, 6, 16, 38, 81}, blocks[] = {2, 2, 2, 2, 2, 2};
    assert_table(&gtx580, reg, shm, blocks, "work_group=192");
}

static void test_table_4(void **unused)
{
    (void)unused;
    const int reg[] = {2, 7, 22, 63, 151, 324}, shm[] = {1, 3, 8, 21, 51, 108}, blocks[] = {2, 3, 3, 3, 3, 3};
    assert_table(&hd5870, reg, shm, blocks, "work_group=192");
}

/* Order 2 gets its 192 work-items by itself: two parts of 320 would leave half of the second idle. */
static void test_work_groups(void **unused)
{
    (void)unused;
    static const int expected[] = {192, 448, 512, 512, 512, 512};
    for (int p = 2; p <= N_ORDERS; p++) {
        ritz_case c;
        ritz_plan plan;
        make_case("elasticity", RITZ_PRISM, p, RITZ_F32, &c);
        OK(make_plan("reg-nojac", &c, &gtx580, NULL, &plan));
        assert_int_equal(plan.local_size, expected[p - 2]);
    }
}

/* Elements of a launch: what the largest allocation holds of matrices, and of Jacobian terms where they are sent. */
static void test_launch(void **unused)
{
    (void)unused;
    ritz_case c;
    ritz_plan plan;
    make_case("elasticity", RITZ_PRISM, 3, RITZ_F32, &c);
    OK(make_plan("reg-jac", &c, &hd5870, NULL, &plan));
    assert_int_equal(plan.launch_elements, (128LL << 20) / (1600 * 9 * 4));
    assert_int_equal(plan.group_elements, (plan.launch_elements + plan.n_workers - 1) / plan.n_workers);
    make_case("mass", RITZ_PRISM, 1, RITZ_F32, &c);
    OK(make_plan("reg-jac", &c, &hd5870, NULL, &plan));
    assert_int_equal(plan.launch_elements, (128LL << 20) / (36 * 4));
    OK(make_plan("reg-nojac", &c, &hd5870, NULL, &plan));
    assert_int_equal(plan.launch_elements, (128LL << 20) / (6 * 10 * 4));
}

/* Every case has a plan on both cards, inside their limits, and tiles of a half are about half of all. */
static void test_all_cases(void **unused)
{
    (void)unused;
    static const char *const names[] = {"reg-jac", "shm-nojac", "tiles"};
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        for (int p = 1; p <= N_ORDERS; p++)
            for (int f = 0; f < 3; f++) {
                ritz_case c;
                ritz_plan plan, whole;
                const bool space = ritz_cell_dim((ritz_cell)cell) == 3;
                const ritz_device_info *limits = (cell + p) % 2 ? &gtx580 : &hd5870;
                make_case(space ? "elasticity" : "plane-stress", (ritz_cell)cell, p, f % 2 ? RITZ_F32 : RITZ_F64, &c);
                OK(make_plan(names[f], &c, limits, NULL, &plan));
                assert_true(plan.local_size >= 1 && plan.local_size <= limits->work_group_size);
                assert_true(plan.local_bytes <= limits->local_memory);
                assert_true(plan.launch_elements >= 1 && plan.most_sharing >= 1);
                if (f < 2)
                    continue;
                OK(make_plan(names[f], &c, limits, "half=0", &whole));
                assert_true(plan.layout.symmetric && !whole.layout.symmetric);
                const double all = figure(&whole, "tiles"), upper = figure(&plan, "tiles");
                assert_true(upper <= all && upper >= all / 2);
                if (plan.parameters[0] == plan.parameters[1]) { /* square tiles: those on the diagonal are whole */
                    const int rows = plan.parameters[0], side = (ritz_cell_n_shape(c.cell, p) + rows - 1) / rows;
                    assert_true(upper == side * (side + 1) / 2.0);
                }
            }
}

/* "auto" where the measured best are known: on a GPU tensors on simplices, sum factorisation from order 2, 3 or 4 on where a cell
   has lines, the matrix unit in f64 and tiles elsewhere, lanes at its order 1; on a CPU all sums at each point at order 1, lanes on
   simplices. */
static void test_best_methods(void **unused)
{
    (void)unused;
    const ritz_device_info cpu = {.kind = RITZ_DEVICE_CPU, .work_group_size = 4096, .local_memory = 1 << 20};
    static const struct {
        const ritz_device_info *limits;
        const char *form;
        ritz_cell cell;
        int order;
        ritz_precision precision;
        const char *best;
    } cases[] = {
        {&h200, "elasticity", RITZ_PRISM, 1, RITZ_F64, "sqs"},
        {&h200, "elasticity", RITZ_PRISM, 3, RITZ_F64, "mma"},
        {&h200, "elasticity", RITZ_PRISM, 3, RITZ_F32, "tiles"},
        {&h200, "elasticity", RITZ_PRISM, 4, RITZ_F32, "factor"},
        {&h200, "poisson", RITZ_HEX, 3, RITZ_F64, "factor"},
        {&h200, "elasticity", RITZ_TET, 5, RITZ_F64, "tensor"},
        {&h200, "poisson", RITZ_TET, 1, RITZ_F32, "tensor"},
        {&gtx580, "elasticity", RITZ_PRISM, 3, RITZ_F64, "tiles"},
        {&h200, "neo-hookean", RITZ_TET, 1, RITZ_F64, "sqs"},
        {&h200, "neo-hookean", RITZ_TRI, 3, RITZ_F64, "mma"},
        {&h200, "neo-hookean", RITZ_HEX, 2, RITZ_F32, "factor"},
        {&h200, "seepage", RITZ_HEX, 1, RITZ_F64, "qss"},
        {&h200, "seepage", RITZ_HEX, 3, RITZ_F64, "factor"},
        {&h200, "mass", RITZ_HEX, 2, RITZ_F64, "lanes"},
        {&h200, "axisymmetric", RITZ_QUAD, 4, RITZ_F64, "factor"},
        {NULL, "elasticity", RITZ_HEX, 1, RITZ_F64, "ssq"},
        {NULL, "poisson", RITZ_TET, 1, RITZ_F32, "qss"},
        {NULL, "neo-hookean", RITZ_TET, 1, RITZ_F64, "qss"},
        {NULL, "elasticity", RITZ_HEX, 2, RITZ_F64, "lanes"},
        {NULL, "elasticity", RITZ_HEX, 3, RITZ_F64, "factor"},
        {NULL, "elasticity", RITZ_TET, 5, RITZ_F64, "tensor"},
        {NULL, "seepage", RITZ_PRISM, 1, RITZ_F64, "sqs"},
        {NULL, "seepage", RITZ_PRISM, 2, RITZ_F64, "lanes"},
        {NULL, "axisymmetric", RITZ_QUAD, 2, RITZ_F64, "sqs"},
        {NULL, "axisymmetric", RITZ_QUAD, 4, RITZ_F64, "factor"},
        {NULL, "neo-hookean", RITZ_QUAD, 4, RITZ_F64, "factor"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const ritz_method *method = NULL;
        ritz_case c;
        make_case(cases[k].form, cases[k].cell, cases[k].order, cases[k].precision, &c);
        OK(ritz_method_find("auto", &c, cases[k].limits ? cases[k].limits : &cpu, &method));
        assert_string_equal(method->name, cases[k].best);
    }
}

/* Data that vary keep tensors from a matrix and not from a load; on a CPU that is worth while from order 2 on. Work is counted: each
   point of a load takes a multiply-add for each of its entries. */
static void test_loads_at_points(void **unused)
{
    (void)unused;
    const ritz_device_info cpu = {.kind = RITZ_DEVICE_CPU, .work_group_size = 4096, .local_memory = 1 << 20};
    static const struct {
        const char *form, *at_points;
        ritz_cell cell;
        int order;
        ritz_precision precision;
        const char *best, *best_on_gpu;
    } cases[] = {
        {"poisson", "source", RITZ_TET, 1, RITZ_F64, "qss", "tensor"},
        {"poisson", "source", RITZ_TET, 2, RITZ_F64, "tensor", "tensor"},
        {"poisson", "source", RITZ_TRI, 7, RITZ_F32, "tensor", "tensor"},
        {"poisson", "conductivity", RITZ_TET, 4, RITZ_F64, "lanes", "mma"},
        {"convection-diffusion", "f2", RITZ_TRI, 3, RITZ_F64, "tensor", "tensor"},
        {"elasticity", "force_y", RITZ_TET, 5, RITZ_F32, "tensor", "tensor"},
        {"plane-stress", "force_x", RITZ_TRI, 2, RITZ_F64, "sqs", "tensor"},
        {"plane-strain", "thickness", RITZ_TRI, 3, RITZ_F64, "lanes", "mma"},
        {"poisson", "source", RITZ_HEX, 3, RITZ_F64, "factor", "factor"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const ritz_method *method = NULL;
        ritz_case c;
        make_case_of_data(cases[k].form, cases[k].at_points, cases[k].cell, cases[k].order, cases[k].precision, &c);
        OK(ritz_method_find("auto", &c, &cpu, &method));
        assert_string_equal(method->name, cases[k].best);
        OK(ritz_method_find("auto", &c, &h200, &method));
        assert_string_equal(method->name, cases[k].best_on_gpu);
    }
    const ritz_method *tensor = ritz_method_named("tensor");
    const ritz_form_counts counts = {0};
    double operations[2];
    for (int varies = 0; varies < 2; varies++) {
        ritz_case c;
        ritz_plan plan;
        make_case_of_data("convection-diffusion", "f0", RITZ_TET, 4, RITZ_F64, &c);
        c.traits.constant_load = !varies;
        OK(make_plan("tensor", &c, &cpu, NULL, &plan));
        operations[varies] = tensor->operations(&c, &plan, &counts);
    }
    const double points = 46, shapes = 35, loads = 4, map = 42;
    assert_true(operations[1] - operations[0] == map + 2 * points * loads * 36 - (2 * loads - 1) * shapes);
}

/* Matrices that are added up next stay in the caches: what was measured for stored ones does not hold, data at points or not. */
static void test_assembled(void **unused)
{
    (void)unused;
    const ritz_device_info cpu = {.kind = RITZ_DEVICE_CPU, .work_group_size = 4096, .local_memory = 1 << 20};
    static const struct {
        ritz_cell cell;
        const char *stored;
    } cases[] = {{RITZ_HEX, "sqs"}, {RITZ_PRISM, "qss"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const ritz_method *method = NULL;
        ritz_case c;
        make_case_of_data("elasticity", "young", cases[k].cell, 1, RITZ_F64, &c);
        OK(ritz_method_find("auto", &c, &cpu, &method));
        assert_string_equal(method->name, cases[k].stored);
        c.read_soon = true;
        OK(ritz_method_find("auto", &c, &cpu, &method));
        assert_string_equal(method->name, "lanes");
    }
}

/* 2 GB of matrices of elasticity on prisms of order 4 are fewer elements than an H200 has lanes in groups of 64: all of
   them are taken, where rounding down to whole rounds left none. */
static void test_elements_of_a_pass(void **unused)
{
    (void)unused;
    static const char *const names[] = {"lanes", "dd-sc", "wf-sr", "tiles", "mma"};
    const int64_t most = (INT64_C(1) << 31) / (225 * 225 * 8);
    assert_int_equal(most, 5302);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        ritz_case c;
        ritz_plan plan;
        make_case("elasticity", RITZ_PRISM, 4, RITZ_F64, &c);
        OK(make_plan(names[k], &c, &h200, NULL, &plan));
        const int64_t width = plan.layout.width, workers = width * plan.n_workers, units = width * h200.compute_units;
        for (int64_t n = 1; n < 100000; n = 3 * n + 1)
            for (int64_t there = 1; there <= most; there = 2 * there + 1) {
                const int64_t taken = ritz_measure_even(&plan, &h200, n, there);
                assert_true(taken >= 1 && taken <= there);
                assert_true(taken == there || taken >= n || taken % workers == 0 || taken % units == 0);
            }
        const int64_t all = ritz_measure_even(&plan, &h200, 67584, most);
        assert_int_equal(all, k < 3 ? most : most / units * units); /* fewer than the 64 groups for each unit */
    }
}

/* A value that is set is in the plan as it is, or the plan is refused with what would be possible. */
static void test_values_are_taken(void **unused)
{
    (void)unused;
    static const int values[] = {0,  1,  2,  3,  4,   5,   7,    8,    12,    16,     17,
                                 31, 32, 37, 64, 100, 256, 1000, 1024, 20000, 1 << 20};
    const ritz_device_info cpu = {.kind = RITZ_DEVICE_CPU,
                                  .global_memory = INT64_C(1) << 34,
                                  .largest_allocation = INT64_C(1) << 32,
                                  .local_memory = 256 << 10,
                                  .largest_local_memory = 256 << 10,
                                  .work_group_size = 4096,
                                  .group_multiple = 1,
                                  .compute_units = 8,
                                  .vector_width_f32 = 8,
                                  .vector_width_f64 = 4,
                                  .has_f64 = true};
    const ritz_device_info *const devices[] = {&h200, &gtx580, &cpu};
    int n_methods, n_taken = 0, n_refused = 0;
    const ritz_method *const *methods = ritz_methods(&n_methods);
    for (int m = 0; m < n_methods; m++)
        for (int p = 0; p < methods[m]->n_parameters; p++)
            for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
                for (int k = 0; k < 12; k++) {
                    const ritz_method_parameter *parameter = &methods[m]->parameters[p];
                    char setting[64];
                    const char *settings = setting;
                    ritz_case c;
                    ritz_plan plan;
                    make_case(k % 2 ? "elasticity" : "convection-diffusion", k % 4 < 2 ? RITZ_HEX : RITZ_PRISM,
                              k % 3 + 1, RITZ_F64, &c);
                    if (!methods[m]->applies(&c, devices[k / 4]))
                        continue;
                    snprintf(setting, sizeof setting, "%s=%d", parameter->name, values[v]);
                    if (ritz_method_plan(methods[m], &c, devices[k / 4], &settings, 1, &plan) != RITZ_OK) {
                        n_refused++;
                        continue;
                    }
                    n_taken++;
                    if (parameter->is_bound ? plan.parameters[p] > values[v] : plan.parameters[p] != values[v])
                        fail_msg("%s %s becomes %d", methods[m]->name, setting, (int)plan.parameters[p]);
                }
    assert_true(n_taken > 2000 && n_refused > 1000);
}

/* What a plan of first order on a large GPU chose can be set: its workers are one for each set of 35 GB of matrices. */
static void test_choices_can_be_set(void **unused)
{
    (void)unused;
    static const char *const names[] = {"qss", "sqs", "ssq"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        ritz_case c;
        ritz_plan plan, again;
        char setting[64];
        make_case("poisson", RITZ_TET, 1, RITZ_F64, &c);
        OK(make_plan(names[k], &c, &h200, NULL, &plan));
        assert_true(plan.n_workers > 1 << 20);
        snprintf(setting, sizeof setting, "workers=%d", (int)plan.parameters[2]);
        OK(make_plan(names[k], &c, &h200, setting, &again));
        assert_int_equal(again.n_workers, plan.n_workers);
    }
}

static int32_t parameter_of(const char *method_name, const ritz_plan *plan, const char *name)
{
    const ritz_method *method = ritz_method_named(method_name);
    for (int p = 0; p < method->n_parameters; p++)
        if (strcmp(method->parameters[p].name, name) == 0)
            return plan->parameters[p];
    fail_msg("%s has no parameter %s", method_name, name);
    return 0;
}

/* Loops over points are unrolled where the registers of a processor hold the sums: 27 of a prism, 44 of a hex. */
static void test_unrolled_points(void **unused)
{
    (void)unused;
    static const struct {
        ritz_cell cell;
        int vector_width, unroll;
    } rows[] = {{RITZ_PRISM, 8, 2}, {RITZ_HEX, 8, 1}, {RITZ_PRISM, 4, 1}, {RITZ_TET, 4, 2}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const ritz_device_info cpu = {.kind = RITZ_DEVICE_CPU,
                                      .global_memory = INT64_C(1) << 34,
                                      .largest_allocation = INT64_C(1) << 32,
                                      .work_group_size = 4096,
                                      .compute_units = 2,
                                      .vector_width_f64 = rows[r].vector_width,
                                      .has_f64 = true};
        ritz_case c;
        ritz_plan plan;
        make_case("poisson", rows[r].cell, 1, RITZ_F64, &c);
        OK(make_plan("qss", &c, &cpu, NULL, &plan));
        assert_int_equal(parameter_of("qss", &plan, "unroll"), rows[r].unroll);
    }
}

/* A processor keeps the maps of all points where rows or entries would repeat them, and with them coefficients that vary; not of
   tets, whose map is one. */
static void test_kept_points(void **unused)
{
    (void)unused;
    static const struct {
        const char *method, *form;
        ritz_cell cell;
        int32_t keep, unroll;
    } rows[] = {{"sqs", "poisson", RITZ_PRISM, 1, 1},
                {"ssq", "convection-diffusion", RITZ_HEX, 1, 1},
                {"sqs", "poisson", RITZ_TET, 0, 2},
                {"qss", "convection-diffusion", RITZ_PRISM, 0, 1}};
    const ritz_device_info cpu = {.kind = RITZ_DEVICE_CPU,
                                  .global_memory = INT64_C(1) << 34,
                                  .largest_allocation = INT64_C(1) << 32,
                                  .work_group_size = 4096,
                                  .local_memory = 1 << 20,
                                  .compute_units = 2,
                                  .vector_width_f64 = 8,
                                  .has_f64 = true};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int varies = 0; varies < 2; varies++) {
            ritz_case c;
            ritz_plan plan;
            make_case(rows[r].form, rows[r].cell, 1, RITZ_F64, &c);
            c.traits.n_varying = varies;
            OK(make_plan(rows[r].method, &c, &cpu, NULL, &plan));
            assert_int_equal(parameter_of(rows[r].method, &plan, "keep"), rows[r].keep);
            assert_int_equal(parameter_of(rows[r].method, &plan, "coefficients"), varies ? rows[r].keep : 0);
            assert_int_equal(parameter_of(rows[r].method, &plan, "unroll"), rows[r].unroll);
        }
}

/* A device with too little memory: fewer work-groups where that helps, else a sentence. */
static void test_small_memory(void **unused)
{
    (void)unused;
    int n_methods;
    const ritz_method *const *methods = ritz_methods(&n_methods);
    for (int m = 0; m < n_methods; m++)
        for (int64_t bytes = 1024; bytes < h200.global_memory; bytes *= 4) {
            ritz_device_info small = h200;
            ritz_case c;
            ritz_plan plan;
            small.global_memory = bytes;
            small.largest_allocation = bytes / 4;
            make_case("elasticity", RITZ_HEX, 5, RITZ_F64, &c);
            if (!methods[m]->applies(&c, &small))
                continue;
            OK(ritz_method_plan(methods[m], &c, &small, NULL, 0, &plan));
            const int64_t set = plan.layout.width * plan.bytes_per_element,
                          scratch = plan.n_workers * plan.scratch_bytes;
            if (ritz_plan_check_memory(methods[m], &small, &plan) == RITZ_OK) {
                assert_true(set + scratch <= bytes && set <= bytes / 4 && scratch <= bytes / 4);
                continue;
            }
            assert_non_null(strstr(ritz_message(), "bytes of device memory"));
            assert_true(plan.n_workers == 1 || set > bytes / 4);
        }
}

/* Tables of many points that do not fit into the memory for constants: the method does not serve the case there. */
static void test_constant_memory(void **unused)
{
    (void)unused;
    const ritz_method *method = NULL;
    ritz_device_info gpu = h200;
    ritz_case c;
    gpu.constant_memory = 65536;
    make_case("poisson", RITZ_TET, 2, RITZ_F64, &c);
    OK(ritz_method_find("qss", &c, &gpu, &method));
    c.degree = 16;
    assert_int_equal(ritz_method_find("qss", &c, &gpu, &method), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "degree 16"));
    OK(ritz_method_find("lanes", &c, &gpu, &method));
    gpu.constant_memory = 1 << 20;
    OK(ritz_method_find("qss", &c, &gpu, &method));
}

/* What a plan refuses, and what it says then. */
static void test_refusals(void **unused)
{
    (void)unused;
    static const struct {
        const char *method, *form, *setting, *said;
    } refused[] = {{"lanes", "elasticity", "lanes=3", "(1, 2, 4, 8, 16)"},
                   {"lanes", "elasticity", "lanes=3", "lanes=2"},
                   {"tiles", "elasticity", "rows=3", "(1, 2, 4, 8)"},
                   {"dd-sc", "elasticity", "part_bytes=8", "more"},
                   {"reg-jac", "elasticity", "work_group=513", "at most 512"},
                   {"reg-jac", "elasticity", "work_group=0", "work_group"},
                   {"reg-jac", "elasticity", "blocks=2", "no parameter"},
                   {"reg-nojac", "elasticity", "points=64", "local memory"},
                   {"shm-jac", "elasticity", "blocks=40", "local memory"},
                   {"tiles", "elasticity", "work_group=1000", "at most 512"},
                   {"tiles", "elasticity", "points=48", "local memory"},
                   {"tiles", "convection-diffusion", "half=1", "symmetric"},
                   {"tiles", "elasticity", "half=3", "half"},
                   {"tiles", "elasticity", "rows=x", "rows"}};
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        ritz_case c;
        ritz_plan plan;
        make_case(refused[k].form, RITZ_PRISM, 7, RITZ_F64, &c);
        assert_int_equal(make_plan(refused[k].method, &c, &gtx580, refused[k].setting, &plan), RITZ_ERROR_INPUT);
        if (!strstr(ritz_message(), refused[k].said))
            fail_msg("%s %s: '%s'", refused[k].method, refused[k].setting, ritz_message());
    }
    ritz_device_info small = gtx580;
    small.local_memory = small.largest_local_memory = 4 << 10;
    for (int m = 0; m < 2; m++) {
        ritz_case c;
        ritz_plan plan;
        make_case("elasticity", RITZ_HEX, 7, RITZ_F64, &c);
        assert_int_equal(make_plan(m ? "shm-jac" : "reg-jac", &c, &small, NULL, &plan), RITZ_ERROR_INPUT);
        assert_non_null(strstr(ritz_message(), "4096"));
    }
}

/* Options of qss, sqs and ssq that do not apply: the option, the reason, and the value that it can have. */
static void test_loop_refusals(void **unused)
{
    (void)unused;
    static const struct {
        const char *method, *form;
        ritz_cell cell;
        const char *settings[3];
        int n;
        const char *said[3];
    } refused[] = {
        {"qss", "poisson", RITZ_HEX, {"keep=1"}, 1, {"'keep=1'", "qss takes keep=0 alone", "mapped once"}},
        {"sqs",
         "poisson",
         RITZ_TET,
         {"keep=1"},
         1,
         {"'keep=1'", "constant in a straight element", "all that method sqs can take is keep=0"}},
        {"ssq", "mass", RITZ_PRISM, {"shape=1"}, 1, {"'shape=1'", "no derivatives", "shape=0"}},
        {"sqs", "poisson", RITZ_HEX, {"reuse=1"}, 1, {"'reuse=1'", "without read=1", "reuse=0"}},
        {"sqs", "poisson", RITZ_HEX, {"reuse=1", "read=1"}, 2, {"'reuse=1'", "shape=1 or matrix=1", "reuse=0"}},
        {"sqs",
         "poisson",
         RITZ_HEX,
         {"reuse=1", "read=1", "geometry=1"},
         3,
         {"'reuse=1'", "geometry=0, or input=2", "reuse=0"}},
        {"qss", "poisson", RITZ_HEX, {"write=0", "stream=1"}, 2, {"'stream=1'", "interleaved: write=1", "stream=0"}},
        {"qss", "poisson", RITZ_HEX, {"write=0", "input=1"}, 2, {"'input=1'", "interleaved: write=1", "input=2"}},
        {"ssq",
         "elasticity",
         RITZ_HEX,
         {"unroll=2", "keep=0"},
         2,
         {"'unroll=2'", "longer than compilers take", "unroll=1"}},
    };
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        const ritz_method *method = ritz_method_named(refused[k].method);
        ritz_case c;
        ritz_plan plan;
        make_case(refused[k].form, refused[k].cell, 1, RITZ_F64, &c);
        if (ritz_method_plan(method, &c, &h200, refused[k].settings, refused[k].n, &plan) != RITZ_ERROR_INPUT)
            fail_msg("%s %s is taken", refused[k].method, refused[k].settings[0]);
        for (int w = 0; w < 3; w++)
            if (!strstr(ritz_message(), refused[k].said[w]))
                fail_msg("%s %s: no '%s' in '%s'", refused[k].method, refused[k].settings[0], refused[k].said[w],
                         ritz_message());
    }
}

/* Settings away from the plan's own choice give the same matrices: more work-items than blocks, odd sizes, one element
   and several at once, parts shared by groups, mirrored halves. */
static void test_settings(void **unused)
{
    (void)unused;
    static const struct {
        const char *method, *settings[3];
    } chosen[] = {{"reg-jac", {"work_group=384", "workers=1", "points=5"}},
                  {"reg-nojac", {"work_group=37", "workers=64", "points=7"}},
                  {"shm-jac", {"work_group=64", "blocks=2", "points=4"}},
                  {"shm-nojac", {"work_group=23", "blocks=3", "workers=3"}},
                  {"shm-nojac", {"work_group=250", "blocks=2", "points=18"}},
                  {"tiles", {"half=0", "rows=1", "columns=4"}},
                  {"tiles", {"half=2", "rows=4", "columns=2"}},
                  {"tiles", {"elements=3", "workers=2", "points=4"}},
                  {"tiles", {"work_group=7", "strip=2", "points=1"}},
                  {"tiles", {"rows=8", "columns=1", "strip=1"}},
                  {"tiles", {"work_group=256", "half=0", "elements=2"}}};
    for (int n = 1; n <= 2; n++) {
        ritz_mesh *mesh = random_mesh(RITZ_TET, n);
        ritz_form *form = NULL;
        ritz_space *space = NULL;
        test_data data;
        OK(ritz_form_create("elasticity", 3, &form));
        OK(ritz_space_create(mesh, 2, 3, &space));
        make_data(form, space->batches[0].n_cells, ritz_cell_n_quad(RITZ_TET, 2), n == 2, &data);
        const ritz_integral integral = {.space = space, .batch = &space->batches[0], .form = form, .data = data.datum};
        for (size_t k = (size_t)n - 1; k < sizeof chosen / sizeof chosen[0]; k += 2) {
            double vector_error,
                error = device_error(&integral, chosen[k].method, RITZ_F64, chosen[k].settings, 3, &vector_error);
            if (!(error <= 1e-12) || !(vector_error <= 1e-12))
                fail_msg("%s %s %s %s: %g %g", chosen[k].method, chosen[k].settings[0], chosen[k].settings[1],
                         chosen[k].settings[2], error, vector_error);
        }
        free_data(&data);
        ritz_space_destroy(&space);
        ritz_form_destroy(&form);
        ritz_mesh_destroy(&mesh);
    }
}

/* Chunks of different places and sizes: each takes the Jacobian terms of its own elements, and the same bits come again.
   */
static void test_chunks(void **unused)
{
    (void)unused;
    static const int32_t chunks[][2] = {{0, 5}, {5, 7}, {5, 3}, {0, 12}, {11, 1}, {2, 9}};
    ritz_mesh *mesh = random_mesh(RITZ_PRISM, 2);
    ritz_form *form = NULL;
    ritz_space *space = NULL;
    ritz_integrator *integrator = NULL;
    ritz_buffer *matrices = NULL;
    OK(ritz_form_create("poisson", 3, &form));
    OK(ritz_space_create(mesh, 1, 1, &space));
    const ritz_datum data[RITZ_MAX_DATA] = {{.value = 1}, {.value = 0}};
    const ritz_integral integral = {.space = space, .batch = &space->batches[0], .form = form, .data = data};
    enum { N = 6 * 6, MOST = 12 };
    double all[MOST * N], part[MOST * N], expected[MOST * N];
    OK(ritz_integrate_reference(&integral, NULL, MOST, expected, NULL));
    OK(ritz_integrator_create(device, &integral, "reg-nojac", NULL, 0, RITZ_F64, &integrator));
    assert_true(ritz_integrator_prepare_seconds(integrator) == 0);
    OK(ritz_buffer_create(device, sizeof all, "matrices", &matrices));
    OK(ritz_integrator_run(integrator, 0, MOST, matrices, NULL, NULL));
    OK(ritz_buffer_read(matrices, 0, all, sizeof all));
    assert_true(ritz_integrator_prepare_seconds(integrator) > 0);
    assert_true(relative_error(all, expected, MOST * N) <= 1e-12);
    for (size_t k = 0; k < sizeof chunks / sizeof chunks[0]; k++) {
        OK(ritz_integrator_run(integrator, chunks[k][0], chunks[k][1], matrices, NULL, NULL));
        OK(ritz_buffer_read(matrices, 0, part, sizeof part));
        assert_memory_equal(part, all + N * chunks[k][0], (size_t)chunks[k][1] * N * sizeof(double));
    }
    const double before = ritz_integrator_prepare_seconds(integrator);
    OK(ritz_integrator_run(integrator, 2, 9, matrices, NULL, NULL)); /* they are there */
    assert_true(ritz_integrator_prepare_seconds(integrator) == before);
    ritz_buffer_destroy(&matrices);
    ritz_integrator_destroy(&integrator);
    ritz_space_destroy(&space);
    ritz_form_destroy(&form);
    ritz_mesh_destroy(&mesh);
}

/* What tables tell of a case: auto takes their method, and parameters that are not given their values; those that are
   given stay, and a plan that cannot take the tuned ones makes its own choice. Rows of no method or parameter, of a method
   that does not serve the case or of values that there are not are passed over. */
static void test_tuned(void **unused)
{
    (void)unused;
    static const char *const names[] = {NULL, "lanes"};
    ritz_case c;
    ritz_plan plan, chosen;
    const ritz_method *method = NULL;
    make_case("poisson", RITZ_PRISM, 3, RITZ_F64, &c);
    OK(make_plan("lanes", &c, &gtx580, NULL, &chosen));
    OK(ritz_tuning_override("integrate.method gpu tilse prism=1 order=3 real=8 sums=1\n"
                            "integrate.method gpu qss prism=1 order=3 real=8 sums=1\n"
                            "integrate.method gpu tiles prism=1 order=3 real=8 sums=1 load=0 tiles=1\n"
                            "integrate.parameters gpu rows=9,columns=2 lanes=1 prism=1 order=3 real=8\n"
                            "integrate.parameters gpu rows=4,unknown=5 lanes=1 prism=1 order=3 real=8\n"
                            "integrate.parameters gpu rows=4,columns lanes=1 prism=1 order=3 real=8\n"
                            "integrate.parameters gpu rows=3,columns=2 lanes=1 prism=1 order=3 real=8\n"
                            "integrate.parameters gpu work_group=1024 tiles=1 prism=1\n"));
    OK(ritz_method_find("auto", &c, &gtx580, &method));
    assert_string_equal(method->name, "tiles");
    OK(make_plan("lanes", &c, &gtx580, NULL, &plan));
    assert_int_equal(plan.parameters[3], 3);
    assert_int_equal(plan.parameters[4], 2);
    assert_int_equal(plan.parameters[1], chosen.parameters[1]);
    OK(make_plan("lanes", &c, &gtx580, "columns=4", &plan));
    assert_int_equal(plan.parameters[3], 3);
    assert_int_equal(plan.parameters[4], 4);
    OK(make_plan("tiles", &c, &gtx580, NULL, &plan)); /* its groups are of 512 at most */
    assert_true(plan.local_size <= 512);
    c.precision = RITZ_F32;
    for (int n = 0; n < 2; n++) {
        OK(ritz_method_find(names[n], &c, &gtx580, &method));
        OK(make_plan("lanes", &c, &gtx580, NULL, &plan));
        assert_int_equal(plan.parameters[3], 1);
    }
    OK(ritz_tuning_override(NULL));
    c.precision = RITZ_F64;
    OK(make_plan("lanes", &c, &gtx580, NULL, &plan));
    assert_int_equal(plan.parameters[3], chosen.parameters[3]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_1_and_2),
        cmocka_unit_test(test_table_3),
        cmocka_unit_test(test_table_4),
        cmocka_unit_test(test_work_groups),
        cmocka_unit_test(test_launch),
        cmocka_unit_test(test_all_cases),
        cmocka_unit_test(test_tuned),
        cmocka_unit_test(test_best_methods),
        cmocka_unit_test(test_loads_at_points),
        cmocka_unit_test(test_assembled),
        cmocka_unit_test(test_elements_of_a_pass),
        cmocka_unit_test(test_values_are_taken),
        cmocka_unit_test(test_choices_can_be_set),
        cmocka_unit_test(test_unrolled_points),
        cmocka_unit_test(test_kept_points),
        cmocka_unit_test(test_small_memory),
        cmocka_unit_test(test_constant_memory),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_loop_refusals),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_chunks),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
