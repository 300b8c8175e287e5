/* Element matrices left on the device, and systems made of them. */
#include "api.h"

static void elements_create(void)
{
    const ritz_integrate_options bad[] = {{.precision = (ritz_precision)7}, {.size = 3}, {.size = (size_t)-1}};
    ritz_elements *e = NULL;
    REFUSES(ritz_elements_create(NULL, space, RITZ_TET, NULL, &e));
    REFUSES(ritz_elements_create(device, NULL, RITZ_TET, NULL, &e));
    REFUSES(ritz_elements_create(device, space, RITZ_TET, NULL, NULL));
    REFUSES(ritz_elements_create(device, space, RITZ_HEX, NULL, &e)); /* the mesh has none */
    for (int i = 0; i < NO_CELLS; i++)
        REFUSES(ritz_elements_create(device, space, no_cells[i], NULL, &e));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSES(ritz_elements_create(device, space, RITZ_TET, &bad[i], &e));
    assert_null(e);
    DESTROYS(ritz_elements_destroy, ritz_elements);
}

static void refuse_to_read(const ritz_elements *e)
{
    ritz_element_layout layout = {.size = sizeof layout};
    double *none = NULL;
    REFUSES(ritz_elements_read(e, none, none));
    REFUSES(ritz_elements_get_layout(e, &layout));
    assert_null(ritz_elements_opencl_matrices(e));
    assert_null(ritz_elements_opencl_vectors(e));
}

/* Numbers that are finite each, and their products not in single precision. */
static void read_what_is_not_finite(void)
{
    double matrices[6 * 4 * 4];
    ritz_mesh *large = NULL;
    ritz_space *of_large = NULL;
    ritz_elements *e = NULL;
    const ritz_input input = {.n_data = 1, .data = &(ritz_data){.name = "conductivity", .value = 3e38}};
    OK(ritz_mesh_box(&(ritz_box){.cell = RITZ_TET, .cells = {1, 1, 1}, .size = {1e3, 1e3, 1e3}}, &large));
    OK(ritz_space_create(large, 1, 1, &of_large));
    OK(ritz_elements_create(device, of_large, RITZ_TET, &(ritz_integrate_options){.precision = RITZ_F32}, &e));
    OK(ritz_elements_fill(e, form, &input));
    REFUSES(ritz_elements_read(e, matrices, NULL));
    ritz_elements_destroy(&e);
    ritz_space_destroy(&of_large);
    ritz_mesh_destroy(&large);
}

static void elements_fill(void)
{
    enum { N_TETS = 6, N_SHAPE = 4 };
    ritz_elements *e = NULL, *wrong = NULL;
    ritz_form *plane = NULL;
    ritz_element_layout layout = {.size = 4};
    int32_t cells[N_TETS], nodes[N_TETS * N_SHAPE];
    OK(ritz_form_create("poisson", 2, &plane));
    OK(ritz_elements_create(device, space, RITZ_TET, NULL, &e));
    OK(ritz_elements_create(device, space, RITZ_TET, &(ritz_integrate_options){.method = "none such"}, &wrong));
    refuse_to_read(NULL);
    refuse_to_read(e); /* not filled yet */
    REFUSES(ritz_elements_fill(NULL, form, NULL));
    REFUSES(ritz_elements_fill(e, NULL, NULL));
    REFUSES(ritz_elements_fill(e, plane, NULL));
    REFUSES(ritz_elements_fill(e, form, &(ritz_input){.n_data = 1}));
    REFUSES(ritz_elements_fill(wrong, form, NULL));
    refuse_to_read(wrong);
    REFUSES(ritz_elements_get_cells(NULL, cells, nodes));
    OK(ritz_elements_get_cells(e, cells, nodes));
    OK(ritz_elements_get_cells(e, NULL, NULL));
    OK(ritz_elements_fill(e, form, NULL));
    OK(ritz_elements_read(e, NULL, NULL));
    REFUSES(ritz_elements_get_layout(e, NULL));
    REFUSES(ritz_elements_get_layout(e, &layout));
    layout.size = 0;
    OK(ritz_elements_get_layout(e, &layout));
    assert_true(layout.n_cells == N_TETS && layout.n_shape == N_SHAPE && layout.n_components == 1);
    assert_non_null(ritz_elements_opencl_matrices(e));
    ritz_elements_destroy(&e);
    ritz_elements_destroy(&wrong);
    ritz_form_destroy(&plane);
}

static void fill_from_elements(void)
{
    ritz_elements *e = NULL, *empty = NULL, *foreign = NULL, *narrow = NULL;
    ritz_space *other = NULL;
    ritz_constraints *constraints = NULL;
    ritz_assembler *a = NULL;
    double rhs[8];
    OK(ritz_space_create(mesh, 2, 1, &other));
    OK(ritz_constraints_create(other, &constraints));
    OK(ritz_assembler_create(device, space, NULL, &a));
    OK(ritz_elements_create(device, space, RITZ_TET, NULL, &e));
    OK(ritz_elements_create(device, space, RITZ_TET, NULL, &empty));
    OK(ritz_elements_create(device, other, RITZ_TET, NULL, &foreign));
    OK(ritz_elements_create(device, space, RITZ_TET, &(ritz_integrate_options){.precision = RITZ_F32}, &narrow));
    OK(ritz_elements_fill(e, form, NULL));
    OK(ritz_elements_fill(foreign, form, NULL));
    OK(ritz_elements_fill(narrow, form, NULL));
    const ritz_elements *given[2] = {e, e};
    REFUSES(ritz_assembler_fill_from_elements(NULL, 1, given, NULL, NULL, rhs));
    REFUSES(ritz_assembler_fill_from_elements(a, 1, NULL, NULL, NULL, rhs));
    REFUSES(ritz_assembler_fill_from_elements(a, 0, given, NULL, NULL, rhs));
    REFUSES(ritz_assembler_fill_from_elements(a, -1, given, NULL, NULL, rhs));
    REFUSES(ritz_assembler_fill_from_elements(a, 2, given, NULL, NULL, rhs));
    REFUSES(ritz_assembler_fill_from_elements(a, 1, given, &(ritz_external_loads){.n_surfaces = 1}, NULL, rhs));
    REFUSES(ritz_assembler_fill_from_elements(a, 1, given, NULL, constraints, rhs));
    const ritz_elements *const bad[] = {NULL, empty, foreign, narrow};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSES(ritz_assembler_fill_from_elements(a, 1, &bad[i], NULL, NULL, rhs));
    assert_null(ritz_assembler_vector(NULL));
    assert_null(ritz_assembler_vector(a));
    OK(ritz_assembler_fill_from_elements(a, 1, given, NULL, NULL, NULL));
    assert_int_equal(ritz_vector_size(ritz_assembler_vector(a)), 8);
    ritz_elements_destroy(&e);
    ritz_elements_destroy(&empty);
    ritz_elements_destroy(&foreign);
    ritz_elements_destroy(&narrow);
    ritz_assembler_destroy(&a);
    ritz_constraints_destroy(&constraints);
    ritz_space_destroy(&other);
}

const struct api_entry api_device_elements[] = {
    ENTRY(ritz_elements_create, elements_create),
    ENTRY(ritz_elements_destroy, elements_create),
    ENTRY(ritz_elements_fill, elements_fill),
    ENTRY(ritz_elements_read, read_what_is_not_finite),
    ENTRY(ritz_elements_get_layout, elements_fill),
    ENTRY(ritz_elements_get_cells, elements_fill),
    ENTRY(ritz_elements_opencl_matrices, elements_fill),
    ENTRY(ritz_elements_opencl_vectors, elements_fill),
    ENTRY(ritz_assembler_fill_from_elements, fill_from_elements),
    ENTRY(ritz_assembler_vector, fill_from_elements),
    {NULL, NULL, NULL},
};
