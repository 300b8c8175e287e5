/* A case on a distorted box. */
#include "box_case.h"

#include "device/tuning.h"
#include "plan.h"

void ritz_box_case_clear(ritz_box_case *c)
{
    ritz_cli_free_data(&c->data);
    ritz_space_destroy(&c->space);
    ritz_form_destroy(&c->form);
    ritz_mesh_destroy(&c->mesh);
    ritz_free(c->source);
    ritz_free(c->old);
    *c = (ritz_box_case){0};
}

static int64_t choose_elements(const ritz_box_wanted *w, const ritz_device_info *info, int n_components)
{
    const int64_t rows = (int64_t)ritz_cell_n_shape(w->cell, w->order) * n_components;
    const int64_t bytes =
        ritz_min64((int64_t)ritz_tuned(info, RITZ_BENCH_PASS_BYTES, NULL, 0), info->global_memory / 16);
    const int64_t fit = bytes / (rows * rows * ritz_real_bytes(w->precision));
    return w->elements ? w->elements
                       : ritz_max64(1, ritz_min64(fit, (int64_t)ritz_tuned(info, RITZ_BENCH_PASS_ELEMENTS, NULL, 0)));
}

ritz_status ritz_box_case_create(const ritz_box_wanted *w, const ritz_device_info *info, ritz_box_case *c)
{
    ritz_status status = RITZ_OK;
    *c = (ritz_box_case){.box = {.cell = w->cell, .distort = w->distort}};
    c->as_given = (ritz_integrate_arguments){
        .command = w->command, .is_box = true, .precision = w->precision, .seed = w->seed, .form = w->form};
    RITZ_REQUIRE(w->precision == RITZ_F32 || info->has_f64, RITZ_ERROR_INPUT, "'%s' has no double precision",
                 info->name);
    RITZ_TRY(ritz_cli_make_form(w->form, ritz_cell_dim(w->cell), &c->form));
    const int n_components = ritz_form_n_components(c->form);
    ritz_cli_choose_box(choose_elements(w, info, n_components), &c->box);
    RITZ_TRY(ritz_mesh_box(&c->box, &c->mesh));
    RITZ_TRY(ritz_space_create(c->mesh, w->order, n_components, &c->space));
    ritz_cli_choose_data(c->form, w->data, w->n_data, &c->as_given);
    c->as_given.box = c->box;
    c->integral = (ritz_integral){.space = c->space,
                                  .batch = &c->space->batches[0],
                                  .form = c->form,
                                  .degree = ritz_form_degree(c->form, w->order),
                                  .result = w->result};
    const int n_quad = ritz_quadrature_n_points(w->cell, ritz_integral_degree(&c->integral));
    RITZ_TRY(ritz_cli_make_data(c->form, c->integral.batch->n_cells, n_quad, &c->as_given, &c->data));
    c->integral.data = c->data.datum;
    RITZ_TRY(ritz_cli_make_old(&c->integral, w->seed, &c->old));
    c->integral.old = c->old;
    RITZ_TRY(ritz_form_generate(c->form, c->data.datum, &c->source));
    ritz_case_of(&c->integral, w->precision, &c->the_case);
done:
    return status;
}
