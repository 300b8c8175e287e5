/* Base, cells, devices, with every argument spoiled. */
#include "../arrays.h"
#include "api.h"

/* ---- Base ---- */

static void version(void)
{
    assert_non_null(strchr(ritz_version(), '.'));
}

static void message(void)
{
    assert_non_null(ritz_message());
}

static void set_log(void)
{
    ritz_set_log(NULL, NULL);
}

static void set_progress(void)
{
    ritz_set_progress(NULL, NULL);
}

static void interrupt(void)
{
    ritz_mesh *m = NULL;
    const double x[][2] = {{0, 0}, {1, 0}, {0, 1}};
    const int32_t tri[] = {0, 1, 2};
    ritz_interrupt();
    FAILS(RITZ_INTERRUPTED, mesh_from_arrays(RITZ_TRI, 3, x[0], 1, tri, &m));
    FAILS(RITZ_INTERRUPTED, mesh_from_arrays(RITZ_TRI, 3, x[0], 1, tri, &m));
    ritz_clear_interrupt();
    OK(mesh_from_arrays(RITZ_TRI, 3, x[0], 1, tri, &m));
    ritz_mesh_destroy(&m);
}

static void remove_temporaries(void)
{
    ritz_remove_temporaries();
}

/* ---- Cells ---- */

static void cell_name(void)
{
    for (int i = 0; i < NO_CELLS; i++)
        assert_string_equal(ritz_cell_name(no_cells[i]), "unknown");
}

static void cell_from_name(void)
{
    ritz_cell cell;
    REFUSES(ritz_cell_from_name(NULL, &cell));
    REFUSES(ritz_cell_from_name("tet", NULL));
    REFUSES(ritz_cell_from_name("", &cell));
}

static void cell_sizes(void)
{
    for (int i = 0; i < NO_CELLS; i++) {
        assert_int_equal(ritz_cell_dim(no_cells[i]), 0);
        assert_int_equal(ritz_cell_facet(no_cells[i], 0, (int[4]){0}), 0);
        assert_int_equal(ritz_cell_n_shape(no_cells[i], 1), 0);
        assert_int_equal(ritz_cell_n_quad(no_cells[i], 1), 0);
    }
    for (int i = 0; i < NO_ORDERS; i++)
        for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
            assert_int_equal(ritz_cell_n_shape((ritz_cell)cell, no_orders[i]), 0);
            assert_int_equal(ritz_cell_n_quad((ritz_cell)cell, no_orders[i]), 0);
        }
}

/* ---- Devices ---- */

static void device_list(void)
{
    ritz_device_info *infos = NULL;
    int32_t n = 0;
    REFUSES(ritz_device_list(NULL, &n));
    REFUSES(ritz_device_list(&infos, NULL));
    DESTROYS(ritz_device_list_free, ritz_device_info);
}

static void device_kind_name(void)
{
    assert_string_equal(ritz_device_kind_name((ritz_device_kind)99), "unknown");
    assert_string_equal(ritz_device_kind_name((ritz_device_kind)-1), "unknown");
}

static void device_open(void)
{
    ritz_device *d = NULL;
    REFUSES(ritz_device_open(NULL, NULL));
    FAILS(RITZ_ERROR_DEVICE, ritz_device_open("no such device", &d));
    FAILS(RITZ_ERROR_DEVICE, ritz_device_open("cpu:99999999999999999999", &d));
    FAILS(RITZ_ERROR_DEVICE, ritz_device_open(":", &d));
    assert_null(d);
    OK(ritz_device_open(NULL, &d));
    ritz_device_close(&d);
    DESTROYS(ritz_device_close, ritz_device);
}

/* Matrix and solver outlive the handle of their device. */
static void closed_before_matrix(void)
{
    ritz_device *d = NULL;
    ritz_matrix *m = NULL, *converted = NULL;
    ritz_solver *s = NULL;
    double y[N] = {0}, x[N] = {0};
    OK(ritz_device_open(getenv("RITZ_TEST_DEVICE"), &d));
    make_matrix(d, &m);
    OK(ritz_solver_create(m, NULL, &s));
    ritz_device_close(&d);
    OK(ritz_matrix_multiply(m, ones, y));
    assert_true(y[0] == 3 && y[1] == 4 && y[2] == 4);
    OK(ritz_matrix_convert(m, NULL, 1, &converted));
    OK(ritz_solver_solve(s, y, x, NULL));
    assert_true(fabs(x[0] - 1) < 1e-6 && fabs(x[1] - 1) < 1e-6 && fabs(x[2] - 1) < 1e-6);
    ritz_solver_destroy(&s);
    ritz_matrix_destroy(&m);
    ritz_matrix_destroy(&converted);
}

static void device_getters(void)
{
    assert_null(ritz_device_get_info(NULL));
    assert_null(ritz_device_get_counters(NULL));
}

static void device_measure(void)
{
    ritz_device_ceilings ceilings;
    REFUSES(ritz_device_measure(NULL, &ceilings));
    REFUSES(ritz_device_measure(device, NULL));
    ceilings.size = 3;
    REFUSES(ritz_device_measure(device, &ceilings));
}

const struct api_entry api_base[] = {
    ENTRY(ritz_version, version),
    ENTRY(ritz_message, message),
    ENTRY(ritz_set_log, set_log),
    ENTRY(ritz_set_progress, set_progress),
    ENTRY(ritz_interrupt, interrupt),
    ENTRY(ritz_clear_interrupt, interrupt),
    ENTRY(ritz_remove_temporaries, remove_temporaries),
    ENTRY(ritz_cell_name, cell_name),
    ENTRY(ritz_cell_from_name, cell_from_name),
    ENTRY(ritz_cell_dim, cell_sizes),
    ENTRY(ritz_cell_n_shape, cell_sizes),
    ENTRY(ritz_cell_facet, cell_sizes),
    ENTRY(ritz_cell_n_quad, cell_sizes),
    ENTRY(ritz_device_list, device_list),
    ENTRY(ritz_device_list_free, device_list),
    ENTRY(ritz_device_kind_name, device_kind_name),
    ENTRY(ritz_device_open, device_open),
    ENTRY(ritz_device_close, closed_before_matrix),
    ENTRY(ritz_device_get_info, device_getters),
    ENTRY(ritz_device_get_counters, device_getters),
    ENTRY(ritz_device_measure, device_measure),
    {NULL, NULL, NULL},
};
