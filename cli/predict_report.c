/* The report of `ritz predict`: one method in full, or a line for each. */
#include "plan.h"
#include "predict.h"
#include "roofline.h"

#include "measure/first_order.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void add_case(const ritz_prediction *s, ritz_cli_fields *l)
{
    const ritz_case *c = &s->the_case;
    ritz_cli_add_text(l, "command", "predict");
    ritz_cli_add_text(l, "device.name", "%s", s->limits.name);
    ritz_cli_add_text(l, "device.platform", "%s", s->limits.platform);
    ritz_cli_add_text(l, "device.driver", "%s", s->limits.driver);
    ritz_cli_add_text(l, "cell", "%s", ritz_cell_name(c->cell));
    ritz_cli_add_integer(l, "order", c->order);
    ritz_cli_add_integer(l, "geometry_order", c->geometry_order);
    ritz_cli_add_text(l, "form", "%s", s->form->name);
    ritz_cli_add_text(l, "precision", "%s", ritz_cli_precision_name(c->precision));
    ritz_cli_add_integer(l, "shape_functions", ritz_cell_n_shape(c->cell, c->order));
    ritz_cli_add_integer(l, "quadrature_points", ritz_case_get_sizes(c).n_quad);
}

static void add_limits(const ritz_prediction *s, ritz_cli_fields *l)
{
    const ritz_device_info *i = &s->limits;
    ritz_cli_add_text(l, "limits.kind", "%s", ritz_device_kind_name(i->kind));
    ritz_cli_add_integer(l, "limits.local_memory", i->local_memory);
    ritz_cli_add_integer(l, "limits.largest_local_memory", i->largest_local_memory);
    ritz_cli_add_integer(l, "limits.work_group", i->work_group_size);
    ritz_cli_add_integer(l, "limits.group_multiple", i->group_multiple);
    ritz_cli_add_integer(l, "limits.compute_units", i->compute_units);
    ritz_cli_add_integer(l, "limits.global_memory", i->global_memory);
    ritz_cli_add_integer(l, "limits.largest_allocation", i->largest_allocation);
    ritz_cli_add_integer(l, "limits.vector_width_f32", i->vector_width_f32);
    ritz_cli_add_integer(l, "limits.vector_width_f64", i->vector_width_f64);
    ritz_cli_add_text(l, "limits.f64", i->has_f64 ? "yes" : "no");
    ritz_cli_add_text(l, "limits.ptx", i->has_ptx ? "yes" : "no");
    ritz_cli_add_text(l, "limits.f64_matrix_unit", i->has_f64_matrix_unit ? "yes" : "no");
    ritz_cli_add_number(l, "ceilings.bandwidth_gb_s",
                        s->ceilings.copy_gb_s > 0 ? fmax(s->ceilings.copy_gb_s, s->ceilings.store_gb_s) : NAN);
    const double rate = ritz_cli_best_rate(s->the_case.precision, &s->ceilings);
    ritz_cli_add_number(l, "ceilings.gflop_s", rate > 0 ? rate : NAN);
    ritz_cli_add_text(l, "ceilings.measured", "%s", s->when);
}

/* A count, and the published one beside it where there is one. */
static void add_count(ritz_cli_fields *l, const char *table, const char *name, double count, bool is_published,
                      double published)
{
    char field[48];
    snprintf(field, sizeof field, "%s.%s", table, name);
    ritz_cli_add_number(l, field, count);
    snprintf(field, sizeof field, "%s.%s_published", table, name);
    if (is_published && !isnan(published))
        ritz_cli_add_number(l, field, published);
}

/* Tables 2 to 4 of Banaś et al. (2016) for this case: what a work-item has, what its arrays take, and the counts of the
   algorithm for methods that follow one. Operations that the kernel really does stand in operations_per_element. */
static void add_paper_counts(const ritz_prediction *s, const ritz_method *method, ritz_cli_fields *l)
{
    const ritz_first_order_case c = ritz_first_order_case_of(&s->the_case, s->form, s->data.datum, s->source);
    const ritz_loop_order order = ritz_loop_order_of(method->name);
    const ritz_item_resources r = ritz_count_resources(&s->limits, s->the_case.precision);
    ritz_array_counts told = {0};
    ritz_algorithm_counts published = {0};
    const ritz_array_counts a = ritz_count_arrays(&c);
    const ritz_algorithm_counts n = ritz_count_algorithm(&c, order < RITZ_N_LOOP_ORDERS ? order : RITZ_QSS);
    const bool is_told = ritz_published_counts(&c, s->form->name, order, &told, &published);
    ritz_cli_add_number(l, "item.registers", r.registers);
    ritz_cli_add_number(l, "item.local_memory", r.local_memory);
    ritz_cli_add_number(l, "item.cache", r.cache);
    add_count(l, "arrays", "reference", a.reference, is_told, told.reference);
    add_count(l, "arrays", "geometry", a.geometry, is_told, told.geometry);
    add_count(l, "arrays", "coefficients", a.coefficients, is_told, told.coefficients);
    add_count(l, "arrays", "matrix", a.matrix, is_told, told.matrix);
    add_count(l, "arrays", "load", a.load, is_told, told.load);
    add_count(l, "arrays", "qss_point", a.point_total, is_told, told.point_total);
    add_count(l, "arrays", "qss_all_points", a.all_total, is_told, told.all_total);
    add_count(l, "arrays", "ssq_entry", a.entry_total, is_told, told.entry_total);
    add_count(l, "algorithm", "global_accesses", n.global_accesses, is_told, published.global_accesses);
    if (order >= RITZ_N_LOOP_ORDERS)
        return;
    add_count(l, "algorithm", "local_geometry", n.local_geometry, is_told, published.local_geometry);
    add_count(l, "algorithm", "local_coefficients", n.local_coefficients, is_told, published.local_coefficients);
    add_count(l, "algorithm", "local_shapes", n.local_shapes, is_told, published.local_shapes);
    add_count(l, "algorithm", "local_sums", n.local_sums, is_told, published.local_sums);
    add_count(l, "algorithm", "map", n.map, is_told, published.map);
    add_count(l, "algorithm", "jacobian", n.jacobian, is_told, published.jacobian);
    add_count(l, "algorithm", "derivatives", n.derivatives, is_told, published.derivatives);
    add_count(l, "algorithm", "sums", n.sums, is_told, published.sums);
    add_count(l, "algorithm", "operations", n.operations, is_told, published.operations);
    add_count(l, "algorithm", "intensity", n.intensity, is_told, published.intensity);
    const double bandwidth = fmax(s->ceilings.copy_gb_s, s->ceilings.store_gb_s),
                 rate = ritz_cli_best_rate(s->the_case.precision, &s->ceilings);
    bool memory_bound;
    if (bandwidth > 0 && rate > 0)
        ritz_cli_add_number(l, "algorithm.estimate_ns",
                            1e9 * ritz_estimate_seconds(n.global_accesses, n.operations, s->the_case.precision,
                                                        bandwidth, rate, &memory_bound));
}

/* A row of the record, as 'ritz integrate' and 'ritz tune' write it. */
static ritz_status record_measured(const ritz_prediction *s, const ritz_measure_options *o, const ritz_measurement *m)
{
    ritz_status status = RITZ_OK;
    ritz_integrate_arguments given = s->box.as_given;
    ritz_record_field *fields = NULL;
    int n_fields = 0;
    given.n_settings = o->n_settings;
    for (int k = 0; k < o->n_settings; k++)
        given.settings[k] = o->settings[k];
    RITZ_TRY(ritz_integrate_fields(&given, &s->box.integral, s->device, m, &s->ceilings, s->when, &fields, &n_fields));
    RITZ_TRY(ritz_record_append(s->p->a.record, "integrate", fields, n_fields));
done:
    ritz_free(fields);
    return status;
}

/* Seconds of a run that is not repeated: some methods are a hundred times as slow as the fastest. */
static const double enough = 0.5;

/* The method run on a box of this case, and the share of the roofline that it reached. */
static ritz_status add_measured(const ritz_prediction *s, const ritz_method *method, double least, ritz_cli_fields *l)
{
    ritz_status status = RITZ_OK;
    const ritz_integrate_arguments *a = &s->p->a;
    const bool all = a->method && strcmp(a->method, "all") == 0;
    const ritz_measure_options o = {.method = method->name,
                                    .settings = all ? NULL : a->settings,
                                    .n_settings = all ? 0 : a->n_settings,
                                    .precision = a->precision,
                                    .enough = enough,
                                    .seed = (uint64_t)a->seed};
    ritz_measurement m = {0};
    RITZ_TRY(ritz_measure(s->device, &s->box.integral, &o, &m));
    const double tolerance = ritz_measure_tolerance(a->precision),
                 error = fmax(m.matrix_error, isnan(m.vector_error) ? 0 : m.vector_error);
    const double seconds = m.kernel / s->box.integral.batch->n_cells;
    const bool good = error <= tolerance;
    ritz_cli_add_integer(l, "measured.elements", s->box.integral.batch->n_cells);
    ritz_cli_add_number(l, "measured.max_relative_error", error);
    ritz_cli_add_number(l, "measured.ns_per_element", good ? 1e9 * seconds : NAN);
    ritz_cli_add_number(l, "measured.share_of_estimate", good ? least / seconds : NAN);
    if (a->record && good)
        RITZ_TRY(record_measured(s, &o, &m));
done:
    ritz_measurement_clear(&m);
    return status;
}

/* What a method does with the case. */
static ritz_status add_prediction(const ritz_prediction *s, const ritz_method *method, const ritz_plan *plan,
                                  ritz_cli_fields *l)
{
    ritz_work work;
    const char *bound;
    ritz_count_case(&s->the_case, s->form, s->data.datum, method, plan, s->source, &work);
    const double least = ritz_cli_least_seconds(&work, s->the_case.precision, &s->ceilings, &bound);
    ritz_cli_add_text(l, "method", "%s", method->name);
    ritz_cli_add_text(l, "source", "%s", method->source);
    ritz_cli_add_text(l, "summary", "%s", method->summary);
    ritz_cli_add_plan(l, method, plan);
    ritz_cli_add_text(l, "stored", "%s", plan->layout.symmetric ? "upper half" : "whole");
    ritz_cli_add_text(l, "jacobians", "%s", plan->sends_jacobians ? "sent" : "computed");
    ritz_cli_add_integer(l, "matrix_entries", plan->layout.matrix_entries);
    ritz_cli_add_integer(l, "vector_entries", plan->layout.vector_entries);
    ritz_cli_add_number(l, "bytes_per_element", work.input_bytes + work.output_bytes);
    ritz_cli_add_number(l, "flops_per_element", work.paper_operations);
    ritz_cli_add_text(l, "flops_source", "%s", work.paper_source);
    ritz_cli_add_number(l, "operations_per_element", work.operations);
    ritz_cli_add_number(l, "operations_per_byte", work.operations / (work.input_bytes + work.output_bytes));
    ritz_cli_add_text(l, "bound", "%s", bound);
    ritz_cli_add_number(l, "least_ns_per_element", 1e9 * least);
    ritz_cli_add_number(l, "expected_ns_per_element",
                        1e9 * least / ritz_expected_share(&s->the_case, &s->limits, method, plan));
    add_paper_counts(s, method, l);
    return s->box.mesh ? add_measured(s, method, least, l) : RITZ_OK;
}

/* RITZ_EXIT_USAGE where a --set is none of the method's, which is another thing than a plan that does not fit. */
static int check_settings(const ritz_prediction *s, const ritz_method *method)
{
    const ritz_integrate_arguments *a = &s->p->a;
    int32_t parameters[RITZ_MAX_PARAMETERS];
    bool given[RITZ_MAX_PARAMETERS];
    return ritz_method_read_settings(method, a->settings, a->n_settings, parameters, given) == RITZ_OK
               ? RITZ_EXIT_DONE
               : ritz_cli_usage("predict", "%s", ritz_message());
}

int ritz_predict_tell_one(const ritz_prediction *s)
{
    const ritz_integrate_arguments *a = &s->p->a;
    const ritz_method *method = NULL;
    ritz_plan plan;
    ritz_cli_fields l;
    ritz_status status = RITZ_OK;
    if (a->method && strcmp(a->method, "auto") != 0) {
        method = ritz_method_named(a->method);
        if (!method->applies(&s->the_case, &s->limits)) {
            char reason[256];
            ritz_cli_why_not(method, &s->the_case, &s->limits, reason, sizeof reason);
            ritz_fail(RITZ_ERROR_INPUT, "%s does not apply: %s", method->name, reason);
            return ritz_cli_failed();
        }
    } else if (ritz_method_find(NULL, &s->the_case, &s->limits, &method) != RITZ_OK) {
        return ritz_cli_failed();
    }
    if (check_settings(s, method) != RITZ_EXIT_DONE)
        return RITZ_EXIT_USAGE;
    if (ritz_method_plan(method, &s->the_case, &s->limits, a->settings, a->n_settings, &plan) != RITZ_OK ||
        ritz_plan_check_memory(method, &s->limits, &plan) != RITZ_OK)
        return ritz_cli_failed();
    RITZ_TRY(ritz_cli_fields_create(&l));
    add_case(s, &l);
    RITZ_TRY(add_prediction(s, method, &plan, &l));
    add_limits(s, &l);
    if (a->json) {
        ritz_json json = {.file = stdout};
        ritz_json_open(&json, NULL, '{');
        ritz_cli_json_fields(&json, l.fields, l.n);
        ritz_json_close(&json, '}');
    } else {
        ritz_cli_print_fields(l.fields, l.n);
    }
done:
    ritz_free(l.fields);
    return status == RITZ_OK ? RITZ_EXIT_DONE : ritz_cli_failed();
}

/* A line per method. */
static void print_line(const ritz_method *method, const ritz_plan *plan, const ritz_cli_fields *l)
{
    char text[256];
    const double ns = ritz_cli_find_number(l->fields, l->n, "least_ns_per_element");
    const double share = ritz_cli_find_number(l->fields, l->n, "measured.share_of_estimate");
    char least[32] = "-", expected[32] = "-";
    if (isfinite(ns)) {
        snprintf(least, sizeof least, "%.4g", 1e-3 * ns);
        snprintf(expected, sizeof expected, "%.4g",
                 1e-3 * ritz_cli_find_number(l->fields, l->n, "expected_ns_per_element"));
    }
    ritz_cli_plan_in_short(method, plan, text, sizeof text);
    printf("%-12s %5" PRId64 " %7" PRId64 " %10" PRId64 " %9" PRId64 " %8" PRId64 " %11.0f %9.0f %10s %-8s %10s %s\n",
           method->name, plan->local_size, plan->local_bytes, plan->scratch_bytes, plan->launch_elements,
           plan->group_elements, ritz_cli_find_number(l->fields, l->n, "operations_per_element"),
           ritz_cli_find_number(l->fields, l->n, "bytes_per_element"), least,
           ritz_cli_find_text(l->fields, l->n, "bound"), expected, text);
    if (isfinite(share))
        printf("%-12s   measured %.4g us, %.1f %% of that\n", "",
               1e-3 * ritz_cli_find_number(l->fields, l->n, "measured.ns_per_element"), 100 * share);
    fflush(stdout); /* an interrupt may end the process at once */
}

/* point: where the method is on the roofline, as it was measured; without that nowhere. */
static ritz_status tell_method(const ritz_prediction *s, const ritz_method *method, ritz_json *json,
                               ritz_roofline_point *point)
{
    ritz_status status = RITZ_OK;
    char reason[512] = "";
    ritz_plan plan;
    ritz_cli_fields l;
    RITZ_TRY(ritz_cli_fields_create(&l));
    if (!method->applies(&s->the_case, &s->limits))
        ritz_cli_why_not(method, &s->the_case, &s->limits, reason, sizeof reason);
    else if (ritz_method_plan(method, &s->the_case, &s->limits, NULL, 0, &plan) != RITZ_OK ||
             ritz_plan_check_memory(method, &s->limits, &plan) != RITZ_OK ||
             (status = add_prediction(s, method, &plan, &l)) != RITZ_OK)
        snprintf(reason, sizeof reason, "%s", ritz_message());
    if (status == RITZ_ERROR_FILE) /* a record that cannot be written is no matter of the method */
        goto done;
    status = RITZ_OK;
    if (json) {
        ritz_json_open(json, NULL, '{');
        if (*reason)
            ritz_json_text(json, "method", method->name);
        ritz_cli_json_fields(json, l.fields, l.n);
        ritz_json_text(json, "reason", *reason ? reason : NULL);
        ritz_json_close(json, '}');
    } else if (*reason) {
        printf("%-12s - %s\n", method->name, reason);
    } else {
        print_line(method, &plan, &l);
    }
    *point = (ritz_roofline_point){.name = method->name,
                                   .intensity = ritz_cli_find_number(l.fields, l.n, "operations_per_byte"),
                                   .gflop_s = ritz_cli_find_number(l.fields, l.n, "operations_per_element") /
                                              ritz_cli_find_number(l.fields, l.n, "measured.ns_per_element")};
done:
    ritz_free(l.fields);
    return status;
}

int ritz_predict_tell_all(const ritz_prediction *s)
{
    ritz_status status = RITZ_OK;
    int n_methods;
    const ritz_method *const *methods = ritz_methods(&n_methods);
    const bool as_json = s->p->a.json;
    ritz_json json = {.file = stdout};
    ritz_cli_fields l = {0};
    ritz_roofline_point *points = NULL;
    RITZ_NEW(points, n_methods);
    RITZ_TRY(ritz_cli_fields_create(&l));
    add_case(s, &l);
    add_limits(s, &l);
    if (as_json) {
        ritz_json_open(&json, NULL, '{');
        ritz_cli_json_fields(&json, l.fields, l.n);
        ritz_json_open(&json, "methods", '[');
    } else {
        ritz_cli_print_fields(l.fields, l.n);
        printf("\n%-12s %5s %7s %10s %9s %8s %11s %9s %10s %-8s %10s %s\n", "method", "group", "local B", "scratch B",
               "el/launch", "el/group", "operations", "bytes", "us at best", "bound", "expected", "plan");
    }
    for (int m = 0; m < n_methods; m++)
        RITZ_TRY(tell_method(s, methods[m], as_json ? &json : NULL, &points[m]));
    if (!as_json && s->box.mesh)
        ritz_cli_print_roofline(stdout, fmax(s->ceilings.copy_gb_s, s->ceilings.store_gb_s),
                                ritz_cli_best_rate(s->the_case.precision, &s->ceilings), points, n_methods);
    if (as_json) {
        ritz_json_close(&json, ']');
        ritz_json_close(&json, '}');
    }
done:
    ritz_free(points);
    ritz_free(l.fields);
    return status == RITZ_OK ? RITZ_EXIT_DONE : ritz_cli_failed();
}
