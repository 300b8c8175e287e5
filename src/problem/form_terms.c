/* What a problem takes from a form file beyond its form: data that belong to the mesh, and terms on surfaces. */
#include "problem/drive.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
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

/* The number of a datum, where it is one and the same in all materials. */
static ritz_status find_number(const ritz_drive *drive, const char *name, const char *group, double *value)
{
    ritz_status status = RITZ_OK;
    const int d = ritz_form_find_data(drive->form, name), n = drive->problem->n_materials;
    const char *cells = drive->problem->form_file->data[d].cell, *of = drive->form->groups[d];
    RITZ_REQUIRE_AT(!cells && !of, &drive->problem->physics_place,
                    "'%s' in the form's term on the surfaces of '%s' is %s%s, and terms on surfaces take numbers and "
                    "expressions of x, y, z; give it as a Constant, or keep to the cells (dx)",
                    name, group, cells ? "a number of each cell, " : "known in cells alone, those of the group ",
                    cells ? cells : of);
    for (int m = 0; m < n; m++) {
        double other;
        const bool number = ritz_expression_is_constant(drive->expressions[d * n + m], &other);
        RITZ_REQUIRE_AT(number && (m == 0 || other == *value), &drive->problem->physics_place,
                        "'%s' is used in the form's term on the surfaces of '%s'; give one number for all materials",
                        name, group);
        *value = other;
    }
done:
    return status;
}

/* A surface's text with numbers in the place of the form's data. */
static ritz_status replace_data(const ritz_drive *drive, const char *group, const char *text, char **replaced)
{
    ritz_status status = RITZ_OK;
    ritz_text made = {0};
    for (const char *at = text; *at;) {
        char word[64];
        size_t n = 0;
        while (isalnum((unsigned char)at[n]) || at[n] == '_')
            n++;
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        if (n > 0 && n < sizeof word && !isdigit((unsigned char)*at) && ritz_form_find_data(drive->form, word) >= 0) {
            double value = 0;
            RITZ_TRY(find_number(drive, word, group, &value));
            ritz_text_add(&made, "(%.17g)", value);
        } else {
            ritz_text_add(&made, "%.*s", (int)(n ? n : 1), at);
        }
        at += n ? n : 1;
    }
    RITZ_TRY(ritz_text_take(&made, replaced));
done:
    ritz_text_free(&made);
    return status;
}

/* The expression of a text of a surface; the drive keeps it. */
static ritz_status take_expression(ritz_drive *drive, const char *group, const char *text,
                                   const ritz_expression **taken)
{
    static const char *const names[] = {"x", "y", "z", "t", "nx", "ny", "nz"};
    ritz_status status = RITZ_OK;
    char *replaced = NULL;
    RITZ_TRY(replace_data(drive, group, text, &replaced));
    RITZ_RESIZE(drive->surface_expressions, drive->n_surface_expressions + 1);
    ritz_expression **place = &drive->surface_expressions[drive->n_surface_expressions++];
    *place = NULL;
    status = ritz_expression_create(replaced, names, sizeof names / sizeof *names, place);
    if (status != RITZ_OK) {
        ritz_fail_context(status, "the form's term on the surfaces of '%s': ", group);
        ritz_fail_context_at(status, &drive->problem->physics_place);
    }
    *taken = *place;
done:
    ritz_free(replaced);
    return status;
}

static ritz_status find_surface(const ritz_drive *drive, const ritz_form_surface *surface, int32_t *group)
{
    const ritz_status status = ritz_mesh_find_group(drive->mesh, surface->group, drive->mesh->dim - 1, group);
    return status == RITZ_OK ? status : ritz_fail_context_at(status, &drive->problem->physics_place);
}

ritz_status ritz_add_form_loads(ritz_drive *drive, double **load)
{
    ritz_status status = RITZ_OK;
    for (int s = 0; s < drive->form->n_surfaces; s++) {
        const ritz_form_surface *surface = &drive->form->surfaces[s];
        const ritz_expression *value[RITZ_MAX_COMPONENTS];
        ritz_facet_load facet_load = {.value = value, .degree = drive->problem->degree};
        for (int c = 0; c < drive->form->n_components; c++)
            RITZ_TRY(take_expression(drive, surface->group, surface->load[c], &value[c]));
        RITZ_TRY(find_surface(drive, surface, &facet_load.group));
        if (!*load)
            RITZ_NEW(*load, ritz_space_n_dofs(drive->space));
        RITZ_TRY(ritz_integrate_facets(drive->space, &facet_load, *load));
    }
done:
    return status;
}

ritz_status ritz_list_form_films(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const int n = drive->form->n_surfaces;
    if (n == 0)
        return RITZ_OK;
    RITZ_RESIZE(drive->films, drive->n_films + n);
    RITZ_NEW(drive->film_values, n);
    for (int s = 0; s < n; s++) {
        const ritz_form_surface *surface = &drive->form->surfaces[s];
        if (!surface->film)
            continue;
        ritz_facet_load *film = &drive->films[drive->n_films++];
        *film = (ritz_facet_load){.value = &drive->film_values[s], .degree = drive->problem->degree};
        RITZ_TRY(take_expression(drive, surface->group, surface->film, &drive->film_values[s]));
        RITZ_TRY(find_surface(drive, surface, &film->group));
    }
done:
    return status;
}

void ritz_free_form_terms(ritz_drive *drive)
{
    for (int k = 0; k < drive->n_surface_expressions; k++)
        ritz_expression_destroy(&drive->surface_expressions[k]);
    ritz_free(drive->surface_expressions);
    ritz_free(drive->film_values);
}
