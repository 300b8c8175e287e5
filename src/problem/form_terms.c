/* What a problem takes from a form file beyond its form: data that belong to the mesh, and terms on surfaces. */
#include "problem/drive.h"

#include <math.h>
#include <string.h>

/* ---- Data ---- */

/* The largest distance of two corners of a cell. */
static double cell_diameter(const ritz_mesh *mesh, const ritz_mesh_block *block, int32_t e)
{
    const int n = ritz_cell_n_shape(block->cell, 1);
    const int32_t *nodes = block->nodes + (int64_t)e * block->n_nodes;
    double most = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            const double *a = mesh->nodes + 3 * (int64_t)nodes[i], *b = mesh->nodes + 3 * (int64_t)nodes[j];
            most = fmax(most, hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
        }
    return most;
}

static ritz_status check_own_data(const ritz_drive *drive, const char *cell, const char *group)
{
    ritz_status status = RITZ_OK;
    const ritz_place *place = &drive->problem->physics_place;
    RITZ_REQUIRE_AT(!cell || strcmp(cell, "cell_diameter") == 0, place,
                    "the form reads '%s' of the cells, which is not available in problem files; use CellDiameter",
                    cell);
    bool found = !group;
    for (int g = 0; !found && g < drive->mesh->n_groups; g++)
        found = drive->mesh->groups[g].dim == drive->mesh->dim && strcmp(drive->mesh->groups[g].name, group) == 0;
    RITZ_REQUIRE_AT(found, place, "the form has a term on the cells of the group '%s', and the mesh has no such group",
                    group);
done:
    return status;
}

ritz_status ritz_make_own_data(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_form_file *file = drive->problem->form_file;
    const ritz_mesh *mesh = drive->mesh;
    for (int d = 0; file && d < drive->form->n_data; d++) {
        char *group = drive->form->groups[d];
        const ritz_names names = {.n = 1, .name = (char *[]){group}};
        if (!group && !file->data[d].cell)
            continue;
        RITZ_TRY(check_own_data(drive, file->data[d].cell, group));
        for (int b = 0; b < mesh->n_blocks; b++) {
            const ritz_mesh_block *block = &mesh->blocks[b];
            double *array = NULL;
            RITZ_NEW(array, block->n_cells);
            drive->arrays[drive->n_arrays++] = array;
            for (int32_t e = 0; e < block->n_cells; e++)
                array[e] = group ? ritz_names_set(mesh, &names, block->set[e]) : cell_diameter(mesh, block, e);
            drive->data[b][d] = (ritz_datum){.kind = RITZ_DATA_ELEMENT, .values = array};
        }
    }
done:
    return status;
}

/* ---- Surfaces ---- */

ritz_status ritz_take_surface_expression(ritz_drive *drive, const char *text, const ritz_expression **taken)
{
    ritz_status status = RITZ_OK;
    const char *names[RITZ_N_FACET_NAMES + RITZ_MAX_NAMES];
    const int n_names = ritz_list_facet_names(drive->form, names);
    RITZ_RESIZE(drive->surface_expressions, drive->n_surface_expressions + 1);
    ritz_expression **place = &drive->surface_expressions[drive->n_surface_expressions++];
    *place = NULL;
    RITZ_TRY(ritz_expression_create(text, names, n_names, place));
    *taken = *place;
done:
    return status;
}

static ritz_status take_expression(ritz_drive *drive, const char *group, const char *text,
                                   const ritz_expression **taken)
{
    const ritz_status status = ritz_take_surface_expression(drive, text, taken);
    if (status == RITZ_OK)
        return RITZ_OK;
    ritz_fail_context(status, "the form's term on the surfaces of '%s': ", group);
    return ritz_fail_context_at(status, &drive->problem->physics_place);
}

static ritz_status find_surface(const ritz_drive *drive, const ritz_form_surface *surface, int32_t *group)
{
    const ritz_status status = ritz_mesh_find_group(drive->mesh, surface->group, drive->mesh->dim - 1, group);
    return status == RITZ_OK ? status : ritz_fail_context_at(status, &drive->problem->physics_place);
}

/* What a film adds to the residual stands in the load, where the form is a step of Newton's method. */
static ritz_status check_film(const ritz_drive *drive, const ritz_form_surface *surface, const ritz_expression **values)
{
    ritz_status status = RITZ_OK;
    const char *old = drive->problem->form_file->old;
    bool reads = !old;
    for (int c = 0; c < drive->form->n_components; c++)
        for (int v = 4; v < drive->form->variables.n; v++)
            reads = reads || ritz_expression_reads(values[c], RITZ_N_FACET_NAMES + v - 4);
    RITZ_REQUIRE_AT(
        reads, &drive->problem->physics_place,
        "the form depends on the solution '%s' and has a film on '%s', but its load there does not read the "
        "solution; a film h needs the load -h*%s, as derivative() makes both",
        old, surface->group, old);
done:
    return status;
}

/* Values are [n_components] of the load, then that of the film. */
static ritz_status list_surface(ritz_drive *drive, const ritz_form_surface *surface, const ritz_expression **values)
{
    ritz_status status = RITZ_OK;
    const int n = drive->form->n_components;
    ritz_facet_load *load = &drive->form_loads[drive->n_form_loads++];
    *load = (ritz_facet_load){.value = values, .data = &drive->facet_data, .degree = drive->problem->degree};
    RITZ_TRY(find_surface(drive, surface, &load->group));
    for (int c = 0; c < n; c++)
        RITZ_TRY(take_expression(drive, surface->group, surface->load[c], &values[c]));
    if (surface->film) {
        ritz_facet_load *film = &drive->films[drive->n_films++];
        *film = *load;
        film->value = &values[n];
        RITZ_TRY(take_expression(drive, surface->group, surface->film, &values[n]));
        RITZ_TRY(check_film(drive, surface, values));
    }
done:
    return status;
}

ritz_status ritz_list_form_surfaces(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const int n = drive->form->n_surfaces, stride = drive->form->n_components + 1;
    if (n == 0)
        return RITZ_OK;
    drive->facet_data = (ritz_facet_data){.form = drive->form, .data = (const ritz_datum *const *)drive->data};
    RITZ_RESIZE(drive->films, drive->n_films + n);
    RITZ_NEW(drive->form_loads, n);
    RITZ_NEW(drive->form_values, n * stride);
    for (int s = 0; s < n; s++)
        RITZ_TRY(list_surface(drive, &drive->form->surfaces[s], &drive->form_values[s * stride]));
done:
    return status;
}

ritz_status ritz_add_form_loads(const ritz_drive *drive, bool varying, double **load)
{
    ritz_status status = RITZ_OK;
    for (int s = 0; s < drive->n_form_loads; s++) {
        const ritz_facet_load *form_load = &drive->form_loads[s];
        if (ritz_facet_load_varies(drive->space, form_load, drive->form->n_components) != varying)
            continue;
        if (!*load)
            RITZ_NEW(*load, ritz_space_n_dofs(drive->space));
        RITZ_TRY(ritz_integrate_facets(drive->space, form_load, *load));
    }
done:
    return status;
}

void ritz_free_form_terms(ritz_drive *drive)
{
    for (int k = 0; k < drive->n_surface_expressions; k++)
        ritz_expression_destroy(&drive->surface_expressions[k]);
    ritz_free(drive->surface_expressions);
    ritz_free(drive->form_values);
    ritz_free(drive->form_loads);
}
