/* An integral made ready on a device: its tables, geometry and data sent, its kernel built, and launches of it. */
#include "integrate/element.h"
#include "integrate/layout.h"
#include "integrate/methods.h"

#include <math.h>
#include <string.h>

struct ritz_integrator {
    ritz_device *device;
    const ritz_method *method;
    ritz_plan plan;
    ritz_precision precision;
    int32_t n_cells;
    double time;
    char *form_header; /* the form's section of it */
    char *source;      /* generated header and kernel */
    bool is_auto;      /* the method was not asked for by its name */
    bool reads_old;
    ritz_kernel *kernel;
    ritz_buffer *geometry, *geometry_cells, *origin, *geo, *psi, *weights, *data, *offset, *selector, *cell_nodes, *old,
        *scratch;
    ritz_buffer *tables, *jacobians;
    ritz_tables *reference;              /* where the plan sends Jacobian terms: what the host makes them from */
    const ritz_mesh *mesh;               /* borrowed, likewise */
    const ritz_mesh_block *block;        /* borrowed */
    int32_t first_jacobian, n_jacobians; /* the elements whose terms are on the device */
    double seconds_jacobians;            /* the host took to make them, so far */
    ritz_buffer *no_vectors;             /* for forms without load, which have no vectors */
};

void ritz_integrator_destroy(ritz_integrator **integrator)
{
    if (!integrator || !*integrator)
        return;
    ritz_integrator *in = *integrator;
    ritz_buffer **const buffers[] = {&in->geometry, &in->geometry_cells, &in->origin, &in->geo,       &in->psi,
                                     &in->weights,  &in->data,           &in->offset, &in->selector,  &in->cell_nodes,
                                     &in->old,      &in->scratch,        &in->tables, &in->jacobians, &in->no_vectors};
    for (size_t b = 0; b < sizeof buffers / sizeof buffers[0]; b++)
        ritz_buffer_destroy(buffers[b]);
    ritz_tables_destroy(&in->reference);
    ritz_free(in->form_header);
    ritz_free(in->source);
    ritz_free(in);
    *integrator = NULL;
}

const ritz_plan *ritz_integrator_plan(const ritz_integrator *integrator)
{
    return &integrator->plan;
}

const ritz_method *ritz_integrator_method(const ritz_integrator *integrator)
{
    return integrator->method;
}

const ritz_layout *ritz_integrator_layout(const ritz_integrator *integrator)
{
    return &integrator->plan.layout;
}

const char *ritz_integrator_source(const ritz_integrator *integrator)
{
    return integrator->source;
}

double ritz_integrator_prepare_seconds(const ritz_integrator *integrator)
{
    return integrator->seconds_jacobians;
}

enum { PIECE = 1 << 19 }; /* numbers computed and sent at once */

static ritz_status send_reals(ritz_device *device, ritz_precision precision, const double *values, int64_t n,
                              const char *what, ritz_buffer **buffer)
{
    ritz_status status = ritz_buffer_reserve(device, n * ritz_real_bytes(precision), what, buffer);
    return status == RITZ_OK ? ritz_buffer_write_reals(*buffer, precision, 0, values, n) : status;
}

/* Node coordinates of each element relative to its first node (so that f32 keeps its digits far from the origin),
   interleaved by `width`: [set][node * dim + axis][width]. The last set is filled up with copies of the last element. */
static ritz_status send_element_geometry(ritz_integrator *in, const ritz_integral *integral, int64_t width)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = integral->space->mesh;
    const ritz_mesh_block *block = integral->batch->block;
    const int dim = mesh->dim;
    const int64_t entries = (int64_t)block->n_nodes * dim, set_size = entries * width;
    const int64_t n_sets = ritz_round_up(block->n_cells, width) / width;
    const int64_t sets_at_once = ritz_max64(1, ritz_min64(n_sets, PIECE / set_size));
    double *staging = NULL;
    RITZ_NEW(staging, sets_at_once * set_size);
    RITZ_TRY(ritz_buffer_create(in->device, n_sets * set_size * ritz_real_bytes(in->precision), "the cells' geometry",
                                &in->geometry));
    for (int64_t first = 0; first < n_sets; first += sets_at_once) {
        const int64_t n = ritz_min64(sets_at_once, n_sets - first);
#pragma omp parallel for
        for (int64_t e = 0; e < n * width; e++) {
            const int64_t cell = ritz_min64(first * width + e, block->n_cells - 1);
            const int32_t *nodes = block->nodes + cell * block->n_nodes;
            for (int64_t k = 0; k < entries; k++)
                staging[(e / width) * set_size + k * width + e % width] =
                    mesh->nodes[3 * (int64_t)nodes[k / dim] + k % dim] - mesh->nodes[3 * (int64_t)nodes[0] + k % dim];
        }
        RITZ_TRY(ritz_buffer_write_reals(in->geometry, in->precision, first * set_size, staging, n * set_size));
    }
done:
    ritz_free(staging);
    return status;
}

/* Coordinates of the mesh's nodes relative to the middle of the mesh, [n_nodes][dim]: the kernel takes the difference to an
   element's first node, which loses fewer digits of f32 there. */
static ritz_status send_mesh_nodes(ritz_integrator *in, const ritz_mesh *mesh)
{
    ritz_status status = RITZ_OK;
    double *nodes = NULL;
    RITZ_NEW(nodes, (int64_t)mesh->n_nodes * mesh->dim);
    for (int d = 0; d < mesh->dim; d++) {
        double least = INFINITY, most = -INFINITY;
        for (int32_t n = 0; n < mesh->n_nodes; n++) {
            least = fmin(least, mesh->nodes[3 * (int64_t)n + d]);
            most = fmax(most, mesh->nodes[3 * (int64_t)n + d]);
        }
        for (int32_t n = 0; n < mesh->n_nodes; n++)
            nodes[(int64_t)n * mesh->dim + d] = mesh->nodes[3 * (int64_t)n + d] - 0.5 * (least + most);
    }
    RITZ_TRY(send_reals(in->device, in->precision, nodes, (int64_t)mesh->n_nodes * mesh->dim, "the mesh's nodes",
                        &in->geometry));
done:
    ritz_free(nodes);
    return status;
}

/* As the plan's input has it. */
static ritz_status send_geometry(ritz_integrator *in, const ritz_integral *integral)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh_block *block = integral->batch->block;
    const bool gathers = in->plan.input == RITZ_INPUT_GATHERED;
    if (gathers)
        RITZ_TRY(send_mesh_nodes(in, integral->space->mesh));
    else
        RITZ_TRY(send_element_geometry(in, integral, in->plan.input == RITZ_INPUT_PACKED ? 1 : in->plan.layout.width));
    RITZ_TRY(ritz_buffer_create_from(
        in->device, block->nodes, (gathers ? (int64_t)block->n_cells * block->n_nodes : 1) * (int64_t)sizeof(int32_t),
        "the cells' geometry nodes", &in->geometry_cells));
done:
    return status;
}

/* The first node of each element, [n_cells][dim]: read only by expressions of x. */
static ritz_status send_origin(ritz_integrator *in, const ritz_integral *integral, bool needed)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = integral->space->mesh;
    const ritz_mesh_block *block = integral->batch->block;
    const int64_t n = needed ? block->n_cells : 1;
    double *origin = NULL;
    RITZ_NEW(origin, n * mesh->dim);
    for (int64_t e = 0; e < n; e++)
        for (int d = 0; d < mesh->dim; d++)
            origin[e * mesh->dim + d] = mesh->nodes[3 * (int64_t)block->nodes[e * block->n_nodes] + d];
    RITZ_TRY(send_reals(in->device, in->precision, origin, n * mesh->dim, "the cells' origins", &in->origin));
done:
    ritz_free(origin);
    return status;
}

static ritz_status send_tables(ritz_integrator *in, const ritz_integral *integral)
{
    ritz_status status = RITZ_OK;
    ritz_tables *t = NULL;
    RITZ_TRY(ritz_tables_create_quadrature(integral->batch, ritz_integral_degree(integral), &t));
    const int64_t rows = (int64_t)t->n_points * (1 + t->dim);
    RITZ_TRY(send_reals(in->device, in->precision, t->psi, rows * t->n_shape, "the shape functions", &in->psi));
    RITZ_TRY(
        send_reals(in->device, in->precision, t->geo, rows * t->n_geo, "the geometry's shape functions", &in->geo));
    RITZ_TRY(send_reals(in->device, in->precision, t->weights, t->n_points, "the quadrature weights", &in->weights));
    if (in->plan.sends_jacobians) {
        in->mesh = integral->space->mesh;
        in->block = integral->batch->block;
        in->reference = t;
        t = NULL;
    }
done:
    ritz_tables_destroy(&t);
    return status;
}

/* Numbers that one datum takes on the device. */
static int64_t datum_size(const ritz_datum *datum, int32_t n_cells, int n_quad)
{
    switch (datum->kind) {
    case RITZ_DATA_ELEMENT:
        return n_cells;
    case RITZ_DATA_POINT:
        return (int64_t)n_cells * n_quad;
    case RITZ_DATA_EXPRESSION:
        return 0;
    case RITZ_DATA_CONSTANT:
    case RITZ_DATA_FIELD:
        break;
    }
    return 1;
}

/* Writes all data element by element: [element][number], a datum of points n_quad numbers, any other one. */
static ritz_status write_packed(ritz_integrator *in, const ritz_integral *integral, const int64_t *offset,
                                int64_t n_numbers, int n_quad)
{
    ritz_status status = RITZ_OK;
    const int64_t at_once = ritz_max64(1, ritz_min64(in->n_cells, PIECE / n_numbers));
    double *staging = NULL;
    RITZ_NEW(staging, at_once * n_numbers);
    for (int64_t first = 0; first < in->n_cells; first += at_once) {
        const int64_t n = ritz_min64(at_once, in->n_cells - first);
        for (int d = 0; d < integral->form->n_data; d++) {
            const ritz_datum *datum = &integral->data[d];
            const int64_t size = datum_size(datum, 1, n_quad);
            for (int64_t k = 0; k < n * size; k++)
                staging[k / size * n_numbers + offset[d] + k % size] =
                    datum->kind == RITZ_DATA_CONSTANT ? datum->value : datum->values[first * size + k];
        }
        RITZ_TRY(ritz_buffer_write_reals(in->data, in->precision, first * n_numbers, staging, n * n_numbers));
    }
done:
    ritz_free(staging);
    return status;
}

/* All data one after the other, with the place of each, or packed; selectors of expressions one after the other. */
static ritz_status send_data(ritz_integrator *in, const ritz_integral *integral)
{
    ritz_status status = RITZ_OK;
    const ritz_form *form = integral->form;
    const int n_quad = ritz_quadrature_n_points(integral->batch->cell, ritz_integral_degree(integral));
    const bool packs = in->plan.input == RITZ_INPUT_PACKED;
    int64_t offset[RITZ_MAX_DATA] = {0}, n_numbers = 0, n_selectors = 0;
    for (int d = 0; d < form->n_data; d++) {
        const bool selects = integral->data[d].kind == RITZ_DATA_EXPRESSION && integral->data[d].selector;
        offset[d] = selects ? n_selectors : n_numbers;
        n_selectors += selects ? in->n_cells : 0;
        n_numbers += datum_size(&integral->data[d], packs ? 1 : in->n_cells, n_quad);
    }
    const int64_t n_reals = n_numbers * (packs ? in->n_cells : 1);
    RITZ_TRY(
        ritz_buffer_reserve(in->device, (n_reals + 1) * ritz_real_bytes(in->precision), "the coefficients", &in->data));
    RITZ_TRY(
        ritz_buffer_reserve(in->device, (n_selectors + 1) * (int64_t)sizeof(int32_t), "the materials", &in->selector));
    if (!in->offset)
        RITZ_TRY(ritz_buffer_create_from(in->device, offset, sizeof offset, "the places of coefficients", &in->offset));
    for (int d = 0; d < form->n_data; d++) {
        const ritz_datum *datum = &integral->data[d];
        if (datum->kind == RITZ_DATA_EXPRESSION && datum->selector)
            RITZ_TRY(ritz_buffer_write(in->selector, offset[d] * (int64_t)sizeof(int32_t), datum->selector,
                                       in->n_cells * (int64_t)sizeof(int32_t)));
        else if (datum->kind != RITZ_DATA_EXPRESSION && !packs)
            RITZ_TRY(ritz_buffer_write_reals(in->data, in->precision, offset[d],
                                             datum->kind == RITZ_DATA_CONSTANT ? &datum->value : datum->values,
                                             datum_size(datum, in->n_cells, n_quad)));
    }
    if (packs && n_numbers > 0)
        RITZ_TRY(write_packed(in, integral, offset, n_numbers, n_quad));
done:
    return status;
}

/* The old solution and the cells' nodes, where coefficients read them. */
static ritz_status send_solution(ritz_integrator *in, const ritz_integral *integral)
{
    ritz_status status = RITZ_OK;
    const bool needed = in->reads_old;
    const ritz_space *space = integral->space;
    const int64_t n_dofs = (int64_t)space->n_nodes * space->n_components;
    double zero = 0;
    double *zeros = NULL;
    if (needed && !integral->old)
        RITZ_NEW(zeros, n_dofs);
    const double *old = !needed ? &zero : integral->old ? integral->old : zeros;
    RITZ_TRY(send_reals(in->device, in->precision, old, needed ? n_dofs : 1, "the old solution", &in->old));
    if (!in->cell_nodes)
        RITZ_TRY(ritz_buffer_create_from(in->device, integral->batch->cell_nodes,
                                         (needed ? (int64_t)in->n_cells * integral->batch->n_shape : 1) *
                                             (int64_t)sizeof(int32_t),
                                         "the cells' nodes", &in->cell_nodes));
done:
    ritz_free(zeros);
    return status;
}

/* The method's own tables; a single 0 where it has none. */
static ritz_status send_method_tables(ritz_integrator *in, const ritz_integral *integral)
{
    ritz_status status = RITZ_OK;
    double zero = 0, *values = NULL;
    int64_t n = 1;
    if (in->method->tables)
        RITZ_TRY(in->method->tables(integral, &in->plan, &values, &n));
    RITZ_TRY(send_reals(in->device, in->precision, values ? values : &zero, n, "the method's tables", &in->tables));
done:
    ritz_free(values);
    return status;
}

/* The Jacobian terms of one element: [q][vol, inverse row by row]. */
static void make_jacobians(const ritz_integrator *in, int64_t cell, double *terms)
{
    const ritz_tables *t = in->reference;
    for (int q = 0; q < t->n_points; q++) {
        ritz_point point;
        ritz_point_map(t, in->mesh, in->block->nodes + cell * in->block->n_nodes, q, &point);
        *terms++ = point.det * t->weights[q];
        for (int b = 0; b < t->dim; b++)
            for (int a = 0; a < t->dim; a++)
                *terms++ = point.inverse[b][a];
    }
}

/* Jacobian terms of the elements of a launch, made by the host in double precision (Banaś et al. (2014), Section 4.2),
   to the device: only those, because all of them may not fit, and only when the range changed. */
static ritz_status send_jacobians(ritz_integrator *in, int32_t first, int32_t count)
{
    ritz_status status = RITZ_OK;
    const int64_t size = (int64_t)in->reference->n_points * (1 + in->reference->dim * in->reference->dim);
    const int64_t at_once = ritz_max64(1, ritz_min64(count, PIECE / size));
    const int64_t bytes = count * size * ritz_real_bytes(in->precision);
    double *terms = NULL;
    if (first == in->first_jacobian && count <= in->n_jacobians)
        return RITZ_OK;
    in->n_jacobians = 0;
    if (ritz_buffer_bytes(in->jacobians) < bytes) {
        ritz_buffer_destroy(&in->jacobians);
        RITZ_TRY(ritz_buffer_create(in->device, bytes, "the Jacobian terms", &in->jacobians));
    }
    RITZ_NEW(terms, at_once * size);
    for (int64_t done_so_far = 0; done_so_far < count; done_so_far += at_once) {
        const int64_t n = ritz_min64(at_once, count - done_so_far);
        const double start = ritz_seconds();
#pragma omp parallel for
        for (int64_t e = 0; e < n; e++)
            make_jacobians(in, first + done_so_far + e, terms + e * size);
        in->seconds_jacobians += ritz_seconds() - start;
        RITZ_TRY(ritz_buffer_write_reals(in->jacobians, in->precision, done_so_far * size, terms, n * size));
    }
    in->first_jacobian = first;
    in->n_jacobians = count;
done:
    ritz_free(terms);
    return status;
}

/* The header of defines and form functions, and the compiled kernel. */
static ritz_status build_kernel(ritz_integrator *in, const ritz_integral *integral, const ritz_case *the_case)
{
    ritz_status status = RITZ_OK;
    const ritz_case_sizes size = ritz_case_get_sizes(the_case);
    ritz_text text = {0}, whole = {0};
    char *header = NULL;
    ritz_program *program = NULL;
    RITZ_TRY(ritz_form_generate(integral->form, integral->data, &in->form_header));
    ritz_text_add(&text, "#define N_SHAPE %d\n#define N_QUAD %d\n#define N_GEO %d\n#define AFFINE %d\n",
                  (int)size.n_shape, (int)size.n_quad, (int)size.n_geo, size.affine);
    const double consecutive = ritz_plan_tuned(ritz_device_get_info(in->device), RITZ_LOOPS_CONSECUTIVE);
    ritz_text_add(&text, "#define IN_ORDER %d\n", consecutive > 0);
    ritz_layout_defines(&in->plan.layout, &text);
    in->method->defines(the_case, &in->plan, &text);
    ritz_text_add(&text, "%s", in->form_header);
    RITZ_TRY(ritz_text_take(&text, &header));
    ritz_text_add(&whole, "%s", header);
    const char *paths[5] = {"integrate/kernels/layout.cl", "integrate/kernels/element.cl"};
    int n_paths = 2;
    if (in->method->hands_on)
        paths[n_paths++] = "integrate/kernels/result.cl";
    if (in->method->kernel_before)
        paths[n_paths++] = in->method->kernel_before;
    paths[n_paths++] = in->method->kernel_path;
    for (int k = 0; k < n_paths; k++)
        ritz_text_add(&whole, "\n%s", ritz_kernel_source(paths[k]));
    RITZ_TRY(ritz_text_take(&whole, &in->source));
    RITZ_TRY(ritz_program_get(in->device, in->precision, header, paths, n_paths, "", &program));
    RITZ_TRY(ritz_kernel_get(program, in->method->kernel_name, &in->kernel));
done:
    ritz_text_free(&text);
    ritz_text_free(&whole);
    ritz_free(header);
    return status;
}

/* No more workers than sets of so many elements. */
static int64_t count_workers(const ritz_plan *plan, int32_t n_cells)
{
    const int64_t set = plan->set_elements ? plan->set_elements : plan->layout.width;
    return ritz_max64(1, ritz_min64(plan->n_workers, (n_cells + set - 1) / set));
}

/* Those left over share the sets. */
static void share_workers(ritz_plan *plan, int32_t n_cells)
{
    const int64_t planned =
        plan->sharing_workers > 0 ? ritz_min64(plan->n_workers, plan->sharing_workers) : plan->n_workers;
    plan->n_workers = count_workers(plan, n_cells);
    plan->n_sharing = ritz_max64(1, ritz_min64(planned / plan->n_workers, plan->most_sharing));
}

static ritz_status check_integral(const ritz_integrator *in, const ritz_integral *integral)
{
    return in->method->check ? in->method->check(integral, &in->plan) : RITZ_OK;
}

/* The method with its plan. Tables tell what auto takes of a case: the elements and data of this one may be such that the
   method does not take them, and then another serves. */
static ritz_status choose_method(ritz_integrator *in, const ritz_integral *integral, const char *method,
                                 const char *const *settings, int n_settings, ritz_case *the_case)
{
    ritz_status status = RITZ_OK;
    const ritz_device_info *limits = ritz_device_get_info(in->device);
    in->is_auto = !method || strcmp(method, "auto") == 0;
    for (;;) {
        RITZ_TRY(ritz_method_find(method, the_case, limits, &in->method));
        RITZ_TRY(ritz_method_plan(in->method, the_case, limits, settings, n_settings, &in->plan));
        status = check_integral(in, integral);
        if (status != RITZ_ERROR_INPUT || !in->is_auto || the_case->unfit)
            break;
        ritz_log("integrate: %s; auto takes another method", ritz_message());
        the_case->unfit = in->method;
    }
done:
    return status;
}

ritz_status ritz_integrator_create(ritz_device *device, const ritz_integral *integral, const char *method,
                                   const char *const *settings, int n_settings, ritz_precision precision,
                                   ritz_integrator **integrator)
{
    ritz_status status = RITZ_OK;
    ritz_integrator *in = NULL;
    ritz_case the_case;
    RITZ_REQUIRE(integral->degree >= 0 && integral->degree <= RITZ_MAX_DEGREE, RITZ_ERROR_INPUT,
                 "there is no quadrature of degree %d; take 1 to %d, or 0 for twice the order", integral->degree,
                 RITZ_MAX_DEGREE);
    ritz_case_of(integral, precision, &the_case);
    RITZ_NEW(in, 1);
    in->reads_old = ritz_case_reads_old(&the_case);
    in->device = device;
    in->precision = precision;
    in->n_cells = integral->batch->n_cells;
    in->time = integral->time;
    RITZ_TRY(choose_method(in, integral, method, settings, n_settings, &the_case));
    share_workers(&in->plan, in->n_cells);
    RITZ_TRY(build_kernel(in, integral, &the_case));
    RITZ_TRY(send_geometry(in, integral));
    RITZ_TRY(send_origin(in, integral, the_case.traits.reads_x));
    RITZ_TRY(send_tables(in, integral));
    RITZ_TRY(send_method_tables(in, integral));
    RITZ_TRY(ritz_buffer_create(device, (int64_t)sizeof(double), "the Jacobian terms", &in->jacobians));
    RITZ_TRY(send_data(in, integral));
    RITZ_TRY(send_solution(in, integral));
    RITZ_TRY(ritz_buffer_create(device, in->plan.n_workers * in->plan.n_sharing * in->plan.scratch_bytes,
                                "the work space of integration", &in->scratch));
    RITZ_TRY(ritz_buffer_create(device, (int64_t)sizeof(double), "element vectors", &in->no_vectors));
    ritz_log("integrate: %s on %d %s cells of order %d, form %s (%s), %d elements a set, %lld workers",
             in->method->name, (int)in->n_cells, ritz_cell_name(the_case.cell), the_case.order, integral->form->name,
             the_case.traits.constant ? "coefficients constant per element" : "coefficients at each point",
             (int)in->plan.layout.width, (long long)in->plan.n_workers);
    *integrator = in;
    in = NULL;
done:
    ritz_integrator_destroy(&in);
    return status;
}

ritz_status ritz_integrator_update(ritz_integrator *in, const ritz_integral *integral, bool *fits)
{
    ritz_status status = RITZ_OK;
    char *form_header = NULL;
    RITZ_TRY(ritz_form_generate(integral->form, integral->data, &form_header));
    *fits = strcmp(form_header, in->form_header) == 0;
    if (!*fits)
        goto done;
    status = check_integral(in, integral);
    if (status == RITZ_ERROR_INPUT && in->is_auto) { /* auto takes another method */
        *fits = false;
        status = RITZ_OK;
        goto done;
    }
    RITZ_TRY(status);
    in->time = integral->time;
    RITZ_TRY(send_data(in, integral));
    RITZ_TRY(send_solution(in, integral));
done:
    ritz_free(form_header);
    return status;
}

ritz_status ritz_integrator_run(ritz_integrator *in, int32_t first, int32_t count, ritz_buffer *matrices,
                                ritz_buffer *vectors, double *seconds)
{
    /* a chunk's own: of a million idle groups the start alone takes a millisecond */
    const int64_t n_workers = count_workers(&in->plan, count);
    const ritz_range range = {.global = {n_workers * in->plan.local_size, in->plan.n_sharing},
                              .local = {in->plan.local_size, 1}};
    if (first % in->plan.layout.width != 0)
        return ritz_fail(RITZ_ERROR_INPUT, "a chunk of elements starts at %d, which is not a multiple of %d",
                         (int)first, (int)in->plan.layout.width);
    const ritz_status status = in->plan.sends_jacobians ? send_jacobians(in, first, count) : RITZ_OK;
    if (status != RITZ_OK)
        return status;
    return RITZ_LAUNCH(in->kernel, range, seconds, RITZ_INT(first), RITZ_INT(count), RITZ_INT(in->n_cells),
                       RITZ_REAL(in->precision, in->time), RITZ_BUFFER(in->geometry), RITZ_BUFFER(in->geometry_cells),
                       RITZ_BUFFER(in->origin), RITZ_BUFFER(in->geo), RITZ_BUFFER(in->psi), RITZ_BUFFER(in->weights),
                       RITZ_BUFFER(in->data), RITZ_BUFFER(in->offset), RITZ_BUFFER(in->selector),
                       RITZ_BUFFER(in->cell_nodes), RITZ_BUFFER(in->old), RITZ_BUFFER(in->tables),
                       RITZ_BUFFER(in->jacobians), RITZ_BUFFER(in->scratch), RITZ_BUFFER(matrices),
                       RITZ_BUFFER(vectors ? vectors : in->no_vectors));
}
