/* The counts of Banaś et al. (2016), derived; and as they are published. */
#include "measure/first_order.h"

#include "device/tuning.h"

#include <math.h>
#include <string.h>

ritz_loop_order ritz_loop_order_of(const char *method)
{
    static const char *const names[] = {[RITZ_QSS] = "qss", [RITZ_SQS] = "sqs", [RITZ_SSQ] = "ssq"};
    int order = 0;
    while (order < RITZ_N_LOOP_ORDERS && strcmp(names[order], method) != 0)
        order++;
    return (ritz_loop_order)order;
}

ritz_first_order_case ritz_first_order_case_of(const ritz_case *c, const ritz_form *form, const ritz_datum *data,
                                               const char *source)
{
    const double n_quad = (double)ritz_case_get_sizes(c).n_quad;
    ritz_first_order_case result = {.the_case = *c};
    for (int d = 0; d < form->n_data; d++) {
        result.constant += data[d].kind == RITZ_DATA_ELEMENT;
        result.varying += data[d].kind == RITZ_DATA_POINT ? n_quad : 0;
    }
    ritz_count_form(source, &result.form);
    return result;
}

/* Table 3. Of linear cells the derivatives of shape functions are kept once, their values at all points. */
ritz_array_counts ritz_count_arrays(const ritz_first_order_case *c)
{
    const ritz_case_sizes size = ritz_case_get_sizes(&c->the_case);
    const double n_s = (double)size.n_shape, n_q = (double)size.n_quad, dim = size.dim, n_e = c->the_case.n_components;
    const double shapes = n_s * (1 + dim);
    const bool linear = size.affine && c->the_case.order == 1;
    ritz_array_counts r = {.reference = n_q * (1 + dim),
                           .geometry = (double)size.n_geo * dim,
                           .coefficients = c->constant + c->varying,
                           .matrix = n_s * n_s * n_e * n_e,
                           .load = n_s * n_e,
                           .point_coefficients = c->constant + c->varying / n_q,
                           .point_shapes = shapes,
                           .all_shapes = linear ? n_s * dim + n_s * n_q : n_q * shapes,
                           .entry_shapes = 2 * (1 + dim)};
    r.all_coefficients = r.entry_coefficients = r.coefficients;
    r.point_total = r.point_coefficients + r.point_shapes + r.matrix + r.load;
    r.all_total = r.all_coefficients + r.all_shapes + r.matrix + r.load;
    r.entry_total = r.entry_coefficients + r.entry_shapes + 2 * n_e * n_e;
    return r;
}

/* Accesses to local memory beyond those of reading and writing: geometry at each map; coefficients at each point; a shape
   function for each pair and point but the first, which is still in registers; each sum twice a point, and once more when it
   is stored. */
static void count_local(const ritz_array_counts *a, const ritz_case_sizes *size, ritz_algorithm_counts *r)
{
    const double n_s = (double)size->n_shape, n_q = (double)size->n_quad;
    r->local_geometry = (size->affine ? 1 : n_q) * a->geometry;
    r->local_coefficients = n_q * a->point_coefficients;
    r->local_shapes = n_q * (n_s * n_s - 1);
    r->local_sums = (2 * n_q + 1) * (a->matrix + a->load);
}

/* Multiplications and additions of a product of dim x n by n x dim, of an inverse with its determinant, of n gradients in
   space; then the form's functions, on half of a symmetric matrix, and once for all points where nothing varies. What
   belongs to a point is done for each row (SQS) or entry (SSQ) again. */
ritz_algorithm_counts ritz_count_algorithm(const ritz_first_order_case *c, ritz_loop_order order)
{
    const ritz_case_sizes size = ritz_case_get_sizes(&c->the_case);
    const double n_s = (double)size.n_shape, n_q = (double)size.n_quad, dim = size.dim, pairs = n_s * n_s;
    const ritz_array_counts a = ritz_count_arrays(c);
    const bool linear = size.affine && c->the_case.order == 1;
    const ritz_form_traits *t = &c->the_case.traits;
    const double summed = t->symmetric ? n_s * (n_s + 1) / 2 : pairs,
                 rounds = linear && t->constant && !t->matrix_values ? 1 : n_q;
    const double repeats = order == RITZ_QSS ? 1 : order == RITZ_SQS ? n_s : pairs;
    const double maps = size.affine ? 1 : n_q * repeats, tables = linear ? 1 : n_q * repeats;
    const double functions = order == RITZ_SSQ && !linear ? 2 : n_s;
    ritz_algorithm_counts r = {.global_accesses = a.geometry + a.coefficients + a.matrix + a.load};
    count_local(&a, &size, &r);
    /* of a linear simplex differences of coordinates are all there is */
    r.map = maps * (size.affine ? dim * dim : 2 * (double)size.n_geo * dim * dim);
    r.jacobian = maps * (dim == 3 ? 42 : 8);
    r.derivatives = t->derivatives ? tables * functions * dim * (2 * dim - 1) : 0;
    r.sums = c->form.constants + n_q * (size.affine ? 1 : repeats) + n_q * n_s * c->form.load + summed * c->form.finish;
    r.sums += rounds * ((order == RITZ_SSQ && !linear ? pairs : n_s) * c->form.weight + summed * c->form.accumulate);
    r.sums += t->n_varying ? n_q * (linear ? 1 : repeats) * c->form.varying : 0;
    r.operations = r.map + r.jacobian + r.derivatives + r.sums;
    r.intensity = r.operations / r.global_accesses;
    return r;
}

/* ---- As published ---- */

/* Columns of Tables 3 and 4: Poisson on tets, on prisms, convection-diffusion on tets, on prisms. */
static int find_column(const ritz_first_order_case *c, const char *form)
{
    const ritz_case *k = &c->the_case;
    const bool prism = k->cell == RITZ_PRISM;
    const double n_q = (double)ritz_case_get_sizes(k).n_quad;
    if ((k->cell != RITZ_TET && !prism) || k->order != 1 || k->geometry_order != 1 || n_q != (prism ? 6 : 4))
        return -1;
    if (strcmp(form, "poisson") == 0 && c->constant == 0 && c->varying == n_q)
        return prism;
    return strcmp(form, "convection-diffusion") == 0 && c->constant == 20 && c->varying == 0 ? 2 + prism : -1;
}

bool ritz_published_counts(const ritz_first_order_case *c, const char *form, ritz_loop_order order,
                           ritz_array_counts *arrays, ritz_algorithm_counts *algorithm)
{
    static const double reference[] = {16, 24, 16, 24}, geometry[] = {12, 18, 12, 18}, sent[] = {4, 6, 20, 20},
                        matrix[] = {16, 36, 16, 36}, load[] = {4, 6, 4, 6}, at_point[] = {1, 1, 20, 20},
                        shapes_at_point[] = {16, 24, 16, 24}, point_total[] = {37, 67, 56, 86},
                        shapes[] = {28, 144, 28, 144}, total[] = {52, 192, 68, 206}, entry_total[] = {14, 16, 30, 30};
    static const double accesses[] = {36, 66, 52, 80}, local_geometry[] = {12, 108, 12, 108},
                        local_coefficients[] = {4, 6, 80, 120}, local_shapes[] = {60, 210, 60, 210},
                        local_sums[] = {180, 546, 180, 546};
    static const double operations[RITZ_N_LOOP_ORDERS][4] = {
        {290, 2700, 986, 4806}, {290, 10416, 986, 12492}, {290, 54876, 1623, 65232}};
    static const double intensities[RITZ_N_LOOP_ORDERS][4] = {{8, 41, 19, 60}, {8, 158, 19, 156}, {8, 831, 31, 815}};
    static const double map[] = {9, 126}, derivatives[] = {60, 90}, jacobian = 49;
    const int k = find_column(c, form);
    if (k < 0 || order >= RITZ_N_LOOP_ORDERS)
        return false;
    const double points = k % 2 ? 6 : 1; /* at which geometry is computed, once each in QSS */
    *arrays =
        (ritz_array_counts){reference[k],   geometry[k], sent[k],   matrix[k], load[k], at_point[k], shapes_at_point[k],
                            point_total[k], sent[k],     shapes[k], total[k],  sent[k], 8,           entry_total[k]};
    *algorithm = (ritz_algorithm_counts){.global_accesses = accesses[k],
                                         .local_geometry = local_geometry[k],
                                         .local_coefficients = local_coefficients[k],
                                         .local_shapes = local_shapes[k],
                                         .local_sums = local_sums[k],
                                         .map = order == RITZ_QSS ? points * map[k % 2] : NAN,
                                         .jacobian = order == RITZ_QSS ? points * jacobian : NAN,
                                         .derivatives = order == RITZ_QSS ? points * derivatives[k % 2] : NAN,
                                         .sums = NAN,
                                         .operations = operations[order][k],
                                         .intensity = intensities[order][k]};
    if (order == RITZ_QSS)
        algorithm->sums = algorithm->operations - algorithm->map - algorithm->jacobian - algorithm->derivatives;
    return true;
}

/* ---- Resources and estimates ---- */

ritz_item_resources ritz_count_resources(const ritz_device_info *limits, ritz_precision precision)
{
    const double real = (double)ritz_real_bytes(precision);
    const double native = precision == RITZ_F64 ? limits->vector_width_f64 : limits->vector_width_f32;
    const ritz_fact facts[] = {{"real", real}, {"vector_bytes", native * real}};
    const double lanes = ritz_tuned(limits, RITZ_UNIT_LANES, facts, 2), units = fmax(1, limits->compute_units);
    ritz_item_resources r = {.lanes = lanes > 0 ? lanes : native,
                             .items = ritz_tuned(limits, RITZ_UNIT_ITEMS, facts, 2)};
    const double numbers = real * r.lanes * r.items;
    r.registers = floor(ritz_tuned(limits, RITZ_UNIT_REGISTERS, facts, 2) / numbers);
    r.local_memory = floor((double)ritz_max64(limits->local_memory, limits->largest_local_memory) / numbers);
    r.cache = limits->global_cache > 0 ? floor((double)limits->global_cache / units / numbers) : NAN;
    return r;
}

double ritz_estimate_seconds(double accesses, double operations, ritz_precision precision, double bandwidth_gb_s,
                             double gflop_s, bool *memory_bound)
{
    const double memory = 1e-9 * accesses * (double)ritz_real_bytes(precision) / bandwidth_gb_s;
    const double arithmetic = 1e-9 * operations / gflop_s;
    *memory_bound = memory >= arithmetic;
    return fmax(memory, arithmetic);
}
