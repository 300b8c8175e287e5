/* Forms, what they are given, integration, prescribed values, assembly, matrices in arrays: every argument spoiled. */
#include "api.h"

/* ---- Forms ---- */

static void form_create(void)
{
    ritz_form *f = NULL;
    REFUSES(ritz_form_create(NULL, 3, &f));
    REFUSES(ritz_form_create("poisson", 3, NULL));
    REFUSES(ritz_form_create("", 3, &f));
    REFUSES(ritz_form_create("poison", 3, &f));
    REFUSES(ritz_form_create("poisson", 0, &f));
    REFUSES(ritz_form_create("poisson", -3, &f));
    REFUSES(ritz_form_create("poisson", INT32_MAX, &f));
    REFUSES(ritz_form_create("elasticity", 2, &f));
    assert_null(f);
    DESTROYS(ritz_form_destroy, ritz_form);
}

static void form_read(void)
{
    ritz_form *f = NULL;
    REFUSES(ritz_form_read(NULL, &f));
    REFUSES(ritz_form_read("none.json", NULL));
    FAILS(RITZ_ERROR_FILE, ritz_form_read("", &f));
    FAILS(RITZ_ERROR_FILE, ritz_form_read("/nowhere/none.json", &f));
    assert_null(f);
    FILE *file = fopen(scratch, "w");
    fputs("{\"ritz_form\": 1, \"dim\": 2, \"components\": 4, \"order\": 2, \"degree\": 3, \"data\": [{\"name\": "
          "\"in_3\", "
          "\"group\": \"3\"}], \"terms\": [{\"at\": [3, 3, 1, 1], \"coefficient\": \"in_3\"}], \"surfaces\": "
          "[{\"group\": "
          "\"wall\", \"load\": [\"0\", \"1\", \"x\", \"nx\"], \"film\": \"2\"}]}",
          file);
    fclose(file);
    OK(ritz_form_read(scratch, &f));
    assert_int_equal(ritz_form_dim(f), 2);
    assert_int_equal(ritz_form_n_components(f), 4);
    assert_int_equal(ritz_form_degree(f, 2), 3);
    assert_int_equal(ritz_form_degree(f, 3), 0); /* the default of a higher order */
    assert_string_equal(ritz_form_data_group(f, 0), "3");
    const ritz_form_surface *surface = ritz_form_get_surface(f, 0);
    assert_non_null(surface);
    assert_string_equal(surface->group, "wall");
    assert_string_equal(surface->load[3], "nx");
    assert_null(surface->load[4]);
    assert_string_equal(surface->film, "2");
    assert_null(ritz_form_get_surface(f, 1));
    ritz_form_destroy(&f);
    remove(scratch);
    assert_int_equal(ritz_form_dim(NULL), 0);
    assert_int_equal(ritz_form_degree(NULL, 1), 0);
    assert_int_equal(ritz_form_degree(form, -1), 0);
    assert_null(ritz_form_data_group(NULL, 0));
    assert_null(ritz_form_get_surface(NULL, 0));
    for (int i = -1; i < 3; i++) {
        assert_null(ritz_form_data_group(form, i));
        assert_null(ritz_form_get_surface(form, i));
    }
}

static void materials(void)
{
    static const double positive[3] = {1, 1, 1}, zeros[3] = {0}, bad[9] = {NAN}, axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double constants[21] = {0};
    REFUSES(ritz_elastic_constants(NULL, zeros, positive, NULL, constants));
    REFUSES(ritz_elastic_constants(positive, NULL, positive, NULL, constants));
    REFUSES(ritz_elastic_constants(positive, zeros, NULL, NULL, constants));
    REFUSES(ritz_elastic_constants(positive, zeros, positive, NULL, NULL));
    REFUSES(ritz_elastic_constants(zeros, zeros, positive, NULL, constants));
    REFUSES(ritz_elastic_constants(positive, positive, positive, NULL, constants));
    REFUSES(ritz_elastic_constants(positive, bad, positive, NULL, constants));
    REFUSES(ritz_elastic_constants(positive, zeros, positive, bad, constants));
    REFUSES(ritz_turn_elastic_constants(NULL, constants));
    REFUSES(ritz_turn_elastic_constants(axes, NULL));
    REFUSES(ritz_turn_elastic_constants(axes, constants)); /* zeros */
    assert_null(ritz_known_material_at(-1));
    assert_null(ritz_known_material_at(INT32_MAX));
}

static void form_getters(void)
{
    static const int no_data[] = {-1, 2, 1000, INT32_MAX, INT32_MIN};
    assert_int_equal(ritz_form_n_components(NULL), 0);
    assert_int_equal(ritz_form_n_data(NULL), 0);
    assert_null(ritz_form_data_name(NULL, 0));
    assert_true(isnan(ritz_form_data_default(NULL, 0)));
    ritz_form *mass = NULL;
    OK(ritz_form_create("mass", 2, &mass));
    assert_true(ritz_form_has_derivatives(form) && !ritz_form_has_derivatives(mass) &&
                !ritz_form_has_derivatives(NULL));
    ritz_form_destroy(&mass);
    for (int i = 0; i < 5; i++) {
        assert_null(ritz_form_data_name(form, no_data[i]));
        assert_true(isnan(ritz_form_data_default(form, no_data[i])));
    }
}

/* Values that data of forms must not have. */
static const struct bad_datum {
    const char *form, *name;
    double value;
    const char *words;
} bad_data[] = {{"elasticity", "young", 0, "greater than 0"},
                {"elasticity", "young", -1, "greater than 0"},
                {"elasticity", "young", NAN, "greater than 0"},
                {"elasticity", "young", INFINITY, "greater than 0"},
                {"elasticity", "poisson", 0.5, "inside (-1, 0.5)"},
                {"elasticity", "poisson", -1, "inside (-1, 0.5)"},
                {"elasticity", "poisson", NAN, "inside (-1, 0.5)"},
                {"elasticity", "force_x", NAN, "a finite number"},
                {"elasticity", "force_z", INFINITY, "a finite number"},
                {"neo-hookean", "poisson", 0.5, "inside (-1, 0.5)"},
                {"poisson", "conductivity", 0, "greater than 0"},
                {"poisson", "source", -INFINITY, "a finite number"},
                {"mass", "density", -1, "greater than 0"},
                {"convection-diffusion", "c12", NAN, "a finite number"},
                {"convection-diffusion", "f0", INFINITY, "a finite number"}};

static void check_words(const struct bad_datum *bad)
{
    if (!strstr(ritz_message(), bad->name) || !strstr(ritz_message(), bad->words))
        fail_msg("'%s' names neither %s nor '%s'", ritz_message(), bad->name, bad->words);
}

static void spoil_data(const struct bad_datum *bad)
{
    enum { CELLS = 6, MOST = 24 };
    ritz_form *f = NULL;
    ritz_space *s = NULL;
    ritz_matrix *m = NULL;
    double element[MOST][CELLS];
    ritz_data constant[MOST], elements[MOST];
    OK(ritz_form_create(bad->form, 3, &f));
    OK(ritz_space_create(mesh, 1, ritz_form_n_components(f), &s));
    for (int d = 0; d < ritz_form_n_data(f); d++) {
        const char *name = ritz_form_data_name(f, d);
        const bool spoiled = strcmp(name, bad->name) == 0;
        constant[d] = (ritz_data){.name = name, .value = spoiled ? bad->value : 0.25};
        for (int c = 0; c < CELLS; c++)
            element[d][c] = spoiled && c == 4 ? bad->value : 0.25;
        elements[d] = (ritz_data){.name = name, .kind = RITZ_DATA_ELEMENT, .values = element[d]};
    }
    const ritz_input one = {.n_data = ritz_form_n_data(f), .data = constant},
                     many = {.n_data = ritz_form_n_data(f), .data = elements};
    REFUSES(ritz_integrate(device, s, RITZ_TET, f, &many, NULL, NULL, NULL));
    check_words(bad);
    assert_non_null(strstr(ritz_message(), "element 4"));
    REFUSES(ritz_assemble(device, s, f, &one, NULL, &m, NULL));
    check_words(bad);
    ritz_space_destroy(&s);
    ritz_form_destroy(&f);
}

/* Coordinates and data that are numbers each, but not the matrices made of them. */
static void too_large(void)
{
    const ritz_box box = {.cell = RITZ_TET, .cells = {1, 1, 1}, .size = {1e30, 1e30, 1e30}};
    const ritz_integrate_options single = {.precision = RITZ_F32};
    ritz_mesh *m = NULL;
    ritz_space *s = NULL;
    double matrices[6 * 16], vectors[6 * 4];
    OK(ritz_mesh_box(&box, &m));
    OK(ritz_space_create(m, 1, 1, &s));
    REFUSES(ritz_integrate(device, s, RITZ_TET, form, NULL, &single, matrices, NULL));
    assert_non_null(strstr(ritz_message(), "not finite in single precision"));
    OK(ritz_integrate(device, s, RITZ_TET, form, NULL, NULL, matrices, vectors));
    ritz_space_destroy(&s);
    ritz_mesh_destroy(&m);
}

/* ---- Forms of one's own ---- */

static const ritz_form_datum good_data[] = {{"k", 1}, {"f", 0}};
static const ritz_form_expression good_expressions[] = {{"k2", "k * k"}};
static const ritz_form_term good_terms[] = {{.iD = 1, .jD = 1, .coefficient = "k2"},
                                            {.iD = 2, .jD = 2, .coefficient = "k2", .factor = 2}};
static const ritz_form_load good_loads[] = {{.coefficient = "f"}};

static ritz_form_definition good_definition(void)
{
    return (ritz_form_definition){.size = sizeof(ritz_form_definition),
                                  .name = "mine",
                                  .dim = 3,
                                  .n_components = 1,
                                  .n_data = 2,
                                  .data = good_data,
                                  .n_expressions = 1,
                                  .expressions = good_expressions,
                                  .n_terms = 2,
                                  .terms = good_terms,
                                  .n_loads = 1,
                                  .loads = good_loads};
}

/* The definition is refused, and the message has these words. */
static void refuse_form(const ritz_form_definition *d, const char *words)
{
    ritz_form *f = NULL;
    REFUSES(ritz_form_define(d, &f));
    if (!strstr(ritz_message(), words))
        fail_msg("'%s' lacks '%s'", ritz_message(), words);
    assert_null(f);
}

static void spoil_sizes(void)
{
    static const int no_counts[] = {-1, INT32_MIN, 1000, INT32_MAX};
    ritz_form_definition d = good_definition();
    for (int i = 0; i < 4; i++) {
        d = good_definition();
        d.n_data = no_counts[i];
        refuse_form(&d, "data");
        d = good_definition();
        d.n_expressions = no_counts[i];
        refuse_form(&d, "expressions");
        d = good_definition();
        d.n_terms = no_counts[i];
        refuse_form(&d, "terms");
        d = good_definition();
        d.n_loads = no_counts[i];
        refuse_form(&d, "loads");
        d = good_definition();
        d.dim = no_counts[i];
        refuse_form(&d, "2 or 3 dimensions");
        d = good_definition();
        d.n_components = no_counts[i];
        refuse_form(&d, "components");
    }
    static const size_t no_sizes[] = {1, 7, (size_t)-1, 1u << 30};
    for (int i = 0; i < 4; i++) {
        d = good_definition();
        d.size = no_sizes[i];
        refuse_form(&d, "size");
    }
}

static void spoil_parts(void)
{
    static const struct {
        const char *name, *words;
    } bad[] = {{NULL, "no name"},    {"", "name"},
               {"2k", "name"},       {"a b", "name"},
               {"x", "taken"},       {"u_x", "taken"},
               {"k2", "taken"},      {"sin", "function"},
               {"M_PI", "function"}, {"a_name_of_more_than_23_letters", "name"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ritz_form_definition d = good_definition();
        const ritz_form_expression expressions[] = {{"k2", "k * k"}, {bad[i].name, "1"}};
        d.n_expressions = 2;
        d.expressions = expressions;
        refuse_form(&d, bad[i].words);
    }
    static const struct {
        ritz_form_term term;
        const char *words;
    } no_terms[] = {{{.iE = 1, .coefficient = "1"}, "component 1"},  {{.jE = -1, .coefficient = "1"}, "component -1"},
                    {{.iD = 4, .coefficient = "1"}, "derivative 4"}, {{.jD = -1, .coefficient = "1"}, "derivative -1"},
                    {{.iD = 1, .coefficient = "q"}, "unknown name"}, {{.iD = 1}, "no coefficient"},
                    {{.coefficient = "1", .factor = NAN}, "factor"}};
    for (size_t i = 0; i < sizeof no_terms / sizeof *no_terms; i++) {
        ritz_form_definition d = good_definition();
        const ritz_form_load load = {
            .iE = no_terms[i].term.jE, .iD = no_terms[i].term.jD, .coefficient = no_terms[i].term.coefficient};
        d.n_terms = 1;
        d.terms = &no_terms[i].term;
        refuse_form(&d, no_terms[i].words);
        if (load.iE || load.iD || !load.coefficient) {
            d = good_definition();
            d.loads = &load;
            refuse_form(&d, no_terms[i].words);
        }
    }
}

static void define_form(void)
{
    ritz_form *f = NULL;
    ritz_form_definition d = good_definition();
    REFUSES(ritz_form_define(NULL, &f));
    REFUSES(ritz_form_define(&d, NULL));
    spoil_sizes();
    spoil_parts();
    d = good_definition();
    d.name = "a */ b";
    refuse_form(&d, "name of a form");
    d = good_definition();
    d.data = NULL;
    refuse_form(&d, "NULL");
    const ritz_form_datum twice[] = {{"k", 1}, {"k", 1}}, infinite[] = {{"k", 1}, {"f", INFINITY}};
    d = good_definition();
    d.data = twice;
    refuse_form(&d, "taken");
    d.data = infinite;
    refuse_form(&d, "not finite");
    const ritz_form_expression no_text[] = {{"k2", NULL}}, late[] = {{"k2", "k3"}};
    d = good_definition();
    d.expressions = no_text;
    refuse_form(&d, "no text");
    d.expressions = late;
    refuse_form(&d, "'k3'");
    assert_false(ritz_form_is_symmetric(NULL));
}

/* ---- What forms are given ---- */

static void refuse_datum(ritz_data datum, const char *words)
{
    const ritz_input input = {.n_data = 1, .data = &datum};
    REFUSES(ritz_integrate(device, space, RITZ_TET, form, &input, NULL, NULL, NULL));
    if (!strstr(ritz_message(), words))
        fail_msg("'%s' lacks '%s'", ritz_message(), words);
}

static void spoil_fields(void)
{
    ritz_mesh *other = NULL;
    ritz_space *elsewhere = NULL;
    double field[8] = {1, 1, 1, 1, 1, 1, 1, -1};
    const ritz_box box = {.cell = RITZ_TET, .cells = {1, 1, 1}};
    OK(ritz_mesh_box(&box, &other));
    OK(ritz_space_create(other, 1, 1, &elsewhere));
    const ritz_data good = {.name = "conductivity", .kind = RITZ_DATA_FIELD, .values = field, .space = space};
    ritz_data bad = good;
    refuse_datum(bad, "greater than 0");
    bad.values = NULL;
    refuse_datum(bad, "NULL");
    bad = good;
    bad.space = NULL;
    refuse_datum(bad, "NULL");
    bad.space = elsewhere;
    refuse_datum(bad, "another mesh");
    bad = good;
    bad.component = 1;
    refuse_datum(bad, "component 1");
    bad.component = -1;
    refuse_datum(bad, "component -1");
    bad = good;
    bad.derivative = 4;
    refuse_datum(bad, "derivative 4");
    bad.derivative = -1;
    refuse_datum(bad, "derivative -1");
    ritz_space_destroy(&elsewhere);
    ritz_mesh_destroy(&other);
}

static void spoil_input(void)
{
    const double *const no_points[RITZ_N_CELLS] = {NULL};
    double old[8] = {0};
    refuse_datum((ritz_data){.value = 1}, "no name");
    refuse_datum((ritz_data){.name = "condictivity", .value = 1}, "conductivity");
    refuse_datum((ritz_data){.name = "source", .kind = (ritz_data_kind)99}, "kind 99");
    refuse_datum((ritz_data){.name = "source", .kind = (ritz_data_kind)-1}, "kind -1");
    refuse_datum((ritz_data){.name = "source", .kind = RITZ_DATA_ELEMENT}, "NULL");
    refuse_datum((ritz_data){.name = "source", .kind = RITZ_DATA_POINT}, "NULL");
    refuse_datum((ritz_data){.name = "source", .kind = RITZ_DATA_POINT, .points = no_points}, "tet");
    refuse_datum((ritz_data){.name = "source", .kind = RITZ_DATA_EXPRESSION}, "NULL");
    refuse_datum((ritz_data){.name = "source", .kind = RITZ_DATA_EXPRESSION, .expression = "2 * q"}, "unknown name");
    refuse_datum((ritz_data){.name = "conductivity", .kind = RITZ_DATA_EXPRESSION, .expression = "1 - 2"}, "greater");
    spoil_fields();
    const ritz_data twice[] = {{.name = "source"}, {.name = "source"}};
    const ritz_input bad[] = {
        {.n_data = -1}, {.n_data = 1},        {.n_data = 1000, .data = twice}, {.time = NAN}, {.time = INFINITY},
        {.size = 4},    {.size = (size_t)-1}, {.n_data = 2, .data = twice}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSES(ritz_integrate(device, space, RITZ_TET, form, &bad[i], NULL, NULL, NULL));
    old[7] = NAN;
    REFUSES(ritz_integrate(device, space, RITZ_TET, form, &(ritz_input){.old = old}, NULL, NULL, NULL));
}

static void integrate_space(void)
{
    ritz_form *plane = NULL, *elastic = NULL;
    double matrices[6 * 16], source[6] = {1, 1, 1, 1, 1, 1};
    const ritz_data datum = {.name = "source", .kind = RITZ_DATA_ELEMENT, .values = source};
    const ritz_input input = {.n_data = 1, .data = &datum};
    OK(ritz_form_create("poisson", 2, &plane));
    OK(ritz_form_create("elasticity", 3, &elastic));
    REFUSES(ritz_integrate(NULL, space, RITZ_TET, form, NULL, NULL, matrices, NULL));
    REFUSES(ritz_integrate(device, NULL, RITZ_TET, form, NULL, NULL, matrices, NULL));
    REFUSES(ritz_integrate(device, space, RITZ_TET, NULL, NULL, NULL, matrices, NULL));
    REFUSES(ritz_integrate(device, space, RITZ_HEX, form, NULL, NULL, matrices, NULL));
    for (int i = 0; i < NO_CELLS; i++)
        REFUSES(ritz_integrate(device, space, no_cells[i], form, NULL, NULL, matrices, NULL));
    REFUSES(ritz_integrate(device, space, RITZ_TET, plane, NULL, NULL, matrices, NULL));
    REFUSES(ritz_integrate(device, space, RITZ_TET, elastic, NULL, NULL, matrices, NULL));
    ritz_integrate_options options = {.method = "no such method"};
    REFUSES(ritz_integrate(device, space, RITZ_TET, form, NULL, &options, matrices, NULL));
    options = (ritz_integrate_options){.precision = (ritz_precision)7};
    REFUSES(ritz_integrate(device, space, RITZ_TET, form, NULL, &options, matrices, NULL));
    options.precision = (ritz_precision)-1;
    REFUSES(ritz_integrate(device, space, RITZ_TET, form, NULL, &options, matrices, NULL));
    options.precision = RITZ_F32;
    source[3] = 1e300;
    REFUSES(ritz_integrate(device, space, RITZ_TET, form, &input, &options, matrices, NULL));
    assert_non_null(strstr(ritz_message(), "too large for single precision"));
    too_large();
    spoil_input();
    for (size_t i = 0; i < sizeof bad_data / sizeof *bad_data; i++)
        spoil_data(&bad_data[i]);
    ritz_form_destroy(&plane);
    ritz_form_destroy(&elastic);
}

static void assemble_space(void)
{
    ritz_form *plane = NULL, *elastic = NULL;
    ritz_matrix *m = NULL;
    OK(ritz_form_create("poisson", 2, &plane));
    OK(ritz_form_create("elasticity", 3, &elastic));
    REFUSES(ritz_assemble(NULL, space, form, NULL, NULL, &m, NULL));
    REFUSES(ritz_assemble(device, NULL, form, NULL, NULL, &m, NULL));
    REFUSES(ritz_assemble(device, space, NULL, NULL, NULL, &m, NULL));
    REFUSES(ritz_assemble(device, space, form, NULL, NULL, NULL, NULL));
    REFUSES(ritz_assemble(device, space, plane, NULL, NULL, &m, NULL));
    REFUSES(ritz_assemble(device, space, elastic, NULL, NULL, &m, NULL)); /* young has no default */
    const ritz_assemble_options bad[] = {{.method = "no such method"},
                                         {.size = 1},
                                         {.size = (size_t)-1},
                                         {.precision = (ritz_precision)7},
                                         {.precision = (ritz_precision)-1},
                                         {.scheme = (ritz_assemble_scheme)99},
                                         {.scheme = (ritz_assemble_scheme)-1},
                                         {.chunk_bytes = -1},
                                         {.chunk_bytes = INT64_MIN}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSES(ritz_assemble(device, space, form, NULL, &bad[i], &m, NULL));
    assert_null(m);
    ritz_form_destroy(&plane);
    ritz_form_destroy(&elastic);
}

static void points(void)
{
    double x[6 * 4 * 3];
    assert_int_equal(ritz_integrate_n_points(NULL, RITZ_TET, 0), 0);
    assert_int_equal(ritz_integrate_n_points(space, RITZ_TET, -1), 0);
    assert_int_equal(ritz_integrate_n_points(space, RITZ_TET, 1000000), 0);
    REFUSES(ritz_integrate_points(NULL, RITZ_TET, 0, x));
    REFUSES(ritz_integrate_points(space, RITZ_TET, 0, NULL));
    REFUSES(ritz_integrate_points(space, RITZ_HEX, 0, x));
    REFUSES(ritz_integrate_points(space, RITZ_TET, -1, x));
    REFUSES(ritz_integrate_points(space, RITZ_TET, 1000000, x));
    for (int i = 0; i < NO_CELLS; i++) {
        assert_int_equal(ritz_integrate_n_points(space, no_cells[i], 0), 0);
        REFUSES(ritz_integrate_points(space, no_cells[i], 0, x));
    }
}

/* ---- Prescribed values ---- */

static void constraints(void)
{
    static const double no_numbers[] = {NAN, INFINITY, -INFINITY};
    static const int64_t no_dofs[] = {-1, 8, INT64_MAX, INT64_MIN};
    ritz_constraints *c = NULL;
    double numbers[8] = {0};
    int64_t dofs[8] = {0};
    REFUSES(ritz_constraints_create(NULL, &c));
    REFUSES(ritz_constraints_create(space, NULL));
    OK(ritz_constraints_create(space, &c));
    REFUSES(ritz_constraints_set_dofs(NULL, 1, dofs, numbers));
    REFUSES(ritz_constraints_set_dofs(c, -1, dofs, numbers));
    REFUSES(ritz_constraints_set_dofs(c, 1, NULL, numbers));
    for (int i = 0; i < 4; i++)
        REFUSES(ritz_constraints_set_dofs(c, 1, &no_dofs[i], numbers));
    REFUSES(ritz_constraints_set_group(NULL, "x0", 0, 0));
    REFUSES(ritz_constraints_set_group(c, NULL, 0, 0));
    REFUSES(ritz_constraints_set_group(c, "nowhere", 0, 0));
    REFUSES(ritz_constraints_set_group(c, "x0", 1, 0));
    REFUSES(ritz_constraints_set_group(c, "x0", -2, 0));
    REFUSES(ritz_constraints_set_values(NULL, numbers));
    REFUSES(ritz_constraints_get(NULL, dofs, numbers));
    for (int i = 0; i < 3; i++) {
        numbers[0] = no_numbers[i];
        REFUSES(ritz_constraints_set_dofs(c, 1, dofs, numbers));
        REFUSES(ritz_constraints_set_group(c, "x0", 0, no_numbers[i]));
    }
    assert_int_equal(ritz_constraints_n_dofs(c), 0);
    OK(ritz_constraints_set_dofs(c, 1, dofs, NULL));
    REFUSES(ritz_constraints_set_values(c, numbers));
    assert_int_equal(ritz_constraints_n_dofs(NULL), 0);
    ritz_constraints_destroy(&c);
    DESTROYS(ritz_constraints_destroy, ritz_constraints);
}

static void equations(void)
{
    static const double no_numbers[] = {NAN, INFINITY, -INFINITY};
    static const int64_t no_dofs[] = {-1, 8, INT64_MAX, INT64_MIN}, no_starts[][2] = {{0, 0}, {1, 0}, {-1, 1}};
    ritz_constraints *c = NULL;
    const int64_t starts[2] = {0, 2}, far[2] = {0, INT64_MAX};
    int64_t dofs[2] = {0, 1};
    double numbers[8] = {1, 1};
    OK(ritz_constraints_create(space, &c));
    REFUSES(ritz_constraints_add_equations(NULL, 1, starts, dofs, numbers, NULL));
    REFUSES(ritz_constraints_add_equations(c, -1, starts, dofs, numbers, NULL));
    REFUSES(ritz_constraints_add_equations(c, 1, NULL, dofs, numbers, NULL));
    REFUSES(ritz_constraints_add_equations(c, 1, starts, NULL, numbers, NULL));
    REFUSES(ritz_constraints_add_equations(c, 1, starts, dofs, NULL, NULL));
    REFUSES(ritz_constraints_add_equations(c, 1, far, dofs, numbers, NULL));
    for (int i = 0; i < 3; i++) {
        REFUSES(ritz_constraints_add_equations(c, 1, no_starts[i], dofs, numbers, NULL));
        REFUSES(ritz_constraints_add_equations(c, 1, starts, dofs, numbers, &no_numbers[i]));
        numbers[1] = no_numbers[i];
        REFUSES(ritz_constraints_add_equations(c, 1, starts, dofs, numbers, NULL));
    }
    numbers[0] = numbers[1] = 0;
    REFUSES(ritz_constraints_add_equations(c, 1, starts, dofs, numbers, NULL));
    numbers[0] = numbers[1] = 1;
    for (int i = 0; i < 4; i++) {
        dofs[1] = no_dofs[i];
        REFUSES(ritz_constraints_add_equations(c, 1, starts, dofs, numbers, NULL));
    }
    assert_int_equal(ritz_constraints_n_equations(c), 0);
    assert_int_equal(ritz_constraints_n_equations(NULL), 0);
    OK(ritz_constraints_add_equations(c, 0, NULL, NULL, NULL, NULL));
    REFUSES(ritz_constraints_complete(NULL, numbers));
    REFUSES(ritz_constraints_complete(c, NULL));
    ritz_constraints_destroy(&c);
}

/* ---- Assemblers ---- */

static void assembler_create(void)
{
    const ritz_assemble_options bad[] = {{.precision = (ritz_precision)7},
                                         {.scheme = (ritz_assemble_scheme)99},
                                         {.chunk_bytes = -1},
                                         {.size = 3},
                                         {.size = (size_t)-1}};
    ritz_assembler *a = NULL;
    REFUSES(ritz_assembler_create(NULL, space, NULL, &a));
    REFUSES(ritz_assembler_create(device, NULL, NULL, &a));
    REFUSES(ritz_assembler_create(device, space, NULL, NULL));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSES(ritz_assembler_create(device, space, &bad[i], &a));
    assert_null(a);
    assert_null(ritz_assembler_matrix(NULL));
    DESTROYS(ritz_assembler_destroy, ritz_assembler);
}

static void spoil_loads(ritz_assembler *a)
{
    const double nodal[8] = {0, 0, NAN};
    const ritz_surface_load surfaces[] = {{.group = NULL},
                                          {.group = "nowhere"},
                                          {.group = "body"},
                                          {.group = "x0", .value = {NAN}},
                                          {.group = "x0", .value = {INFINITY}},
                                          {.group = "x0", .expression = {"2 *"}},
                                          {.group = "x0", .expression = {"q"}},
                                          {.group = "x0", .expression = {"1 / (x - x)"}},
                                          {.group = "x0", .pressure = true, .value = {1}}};
    const ritz_external_loads bad[] = {{.n_surfaces = -1}, {.n_surfaces = 1}, {.nodal = nodal},
                                       {.size = 1},        {.n_films = -1},   {.n_films = 1}};
    const ritz_surface_film films[] = {{.group = NULL},
                                       {.group = "nowhere"},
                                       {.group = "body"},
                                       {.group = "x0", .value = NAN},
                                       {.group = "x0", .expression = "2 *"},
                                       {.group = "x0", .expression = "q"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSES(ritz_assembler_fill(a, form, NULL, &bad[i], NULL, NULL));
    for (size_t i = 0; i < sizeof films / sizeof *films; i++)
        REFUSES(
            ritz_assembler_fill(a, form, NULL, &(ritz_external_loads){.n_films = 1, .films = &films[i]}, NULL, NULL));
    for (size_t i = 0; i < sizeof surfaces / sizeof *surfaces; i++)
        REFUSES(ritz_assembler_fill(a, form, NULL, &(ritz_external_loads){.n_surfaces = 1, .surfaces = &surfaces[i]},
                                    NULL, NULL));
}

static void assembler_fill(void)
{
    ritz_assembler *a = NULL;
    ritz_form *plane = NULL;
    ritz_space *other = NULL;
    ritz_constraints *c = NULL, *none = NULL, *foreign = NULL;
    double rhs[8];
    OK(ritz_form_create("poisson", 2, &plane));
    OK(ritz_space_create(mesh, 2, 1, &other));
    OK(ritz_constraints_create(space, &c));
    OK(ritz_constraints_create(space, &none));
    OK(ritz_constraints_create(other, &foreign));
    OK(ritz_constraints_set_group(c, "x0", 0, 1));
    OK(ritz_assembler_create(device, space, NULL, &a));
    REFUSES(ritz_assembler_rhs(a, form, NULL, NULL, NULL, rhs)); /* not filled yet */
    assert_null(ritz_assembler_matrix(a));
    REFUSES(ritz_assembler_fill(NULL, form, NULL, NULL, c, rhs));
    REFUSES(ritz_assembler_fill(a, NULL, NULL, NULL, c, rhs));
    REFUSES(ritz_assembler_fill(a, plane, NULL, NULL, c, rhs));
    REFUSES(ritz_assembler_fill(a, form, &(ritz_input){.n_data = 1}, NULL, c, rhs));
    REFUSES(ritz_assembler_fill(a, form, NULL, NULL, foreign, rhs));
    spoil_loads(a);
    OK(ritz_assembler_fill(a, form, NULL, NULL, c, NULL));
    assert_non_null(ritz_assembler_matrix(a));
    REFUSES(ritz_assembler_rhs(NULL, form, NULL, NULL, c, rhs));
    REFUSES(ritz_assembler_rhs(a, NULL, NULL, NULL, c, rhs));
    REFUSES(ritz_assembler_rhs(a, plane, NULL, NULL, c, rhs));
    REFUSES(ritz_assembler_rhs(a, form, NULL, NULL, c, NULL));
    REFUSES(ritz_assembler_rhs(a, form, NULL, NULL, NULL, rhs));
    REFUSES(ritz_assembler_rhs(a, form, NULL, NULL, none, rhs));
    REFUSES(ritz_assembler_rhs(a, form, &(ritz_input){.n_data = 1}, NULL, c, rhs));
    ritz_assembler_destroy(&a);
    const ritz_assemble_options options = {.method = "no such method"};
    OK(ritz_assembler_create(device, space, &options, &a));
    REFUSES(ritz_assembler_fill(a, form, NULL, NULL, NULL, NULL));
    assert_null(ritz_assembler_matrix(a));
    ritz_assembler_destroy(&a);
    ritz_constraints_destroy(&c);
    ritz_constraints_destroy(&none);
    ritz_constraints_destroy(&foreign);
    ritz_space_destroy(&other);
    ritz_form_destroy(&plane);
}

/* ---- Matrices into arrays ---- */

static void entries(void)
{
    enum { ROOM = 5 };
    int64_t start[N + 1], at[ROOM], n = -1;
    double v[ROOM];
    REFUSES(ritz_matrix_get_csr(NULL, RITZ_INDEX_I64, ROOM, start, at, v, &n));
    REFUSES(ritz_matrix_get_csr(matrix, RITZ_INDEX_I64, ROOM, NULL, at, v, &n));
    REFUSES(ritz_matrix_get_csr(matrix, RITZ_INDEX_I64, ROOM, start, NULL, v, &n));
    REFUSES(ritz_matrix_get_csr(matrix, RITZ_INDEX_I64, ROOM, start, at, NULL, &n));
    REFUSES(ritz_matrix_get_csr(matrix, RITZ_INDEX_I64, ROOM, start, at, v, NULL));
    REFUSES(ritz_matrix_get_csr(matrix, (ritz_index_type)2, ROOM, start, at, v, &n));
    REFUSES(ritz_matrix_get_coo(NULL, RITZ_INDEX_I64, ROOM, at, at, v, &n));
    REFUSES(ritz_matrix_get_coo(matrix, RITZ_INDEX_I64, ROOM, NULL, at, v, &n));
    REFUSES(ritz_matrix_get_coo(matrix, RITZ_INDEX_I64, ROOM, at, NULL, v, &n));
    REFUSES(ritz_matrix_get_coo(matrix, RITZ_INDEX_I64, ROOM, at, at, NULL, &n));
    REFUSES(ritz_matrix_get_coo(matrix, RITZ_INDEX_I64, ROOM, at, at, v, NULL));
    REFUSES(ritz_matrix_get_coo(matrix, (ritz_index_type)-1, ROOM, at, at, v, &n));
    static const int64_t no_rooms[] = {4, 0, -1, INT64_MIN};
    for (int i = 0; i < 4; i++) {
        REFUSES(ritz_matrix_get_csr(matrix, RITZ_INDEX_I32, no_rooms[i], start, at, v, &n));
        REFUSES(ritz_matrix_get_coo(matrix, RITZ_INDEX_I32, no_rooms[i], at, at, v, &n));
    }
    assert_int_equal(n, -1);
}

const struct api_entry api_assembly[] = {
    ENTRY(ritz_form_create, form_create),
    ENTRY(ritz_form_destroy, form_create),
    ENTRY(ritz_form_read, form_read),
    ENTRY(ritz_form_dim, form_read),
    ENTRY(ritz_form_degree, form_read),
    ENTRY(ritz_form_data_group, form_read),
    ENTRY(ritz_form_get_surface, form_read),
    ENTRY(ritz_elastic_constants, materials),
    ENTRY(ritz_turn_elastic_constants, materials),
    ENTRY(ritz_known_material_at, materials),
    ENTRY(ritz_form_n_components, form_getters),
    ENTRY(ritz_form_n_data, form_getters),
    ENTRY(ritz_form_data_name, form_getters),
    ENTRY(ritz_form_data_default, form_getters),
    ENTRY(ritz_integrate, integrate_space),
    ENTRY(ritz_assemble, assemble_space),
    ENTRY(ritz_form_define, define_form),
    ENTRY(ritz_form_is_symmetric, define_form),
    ENTRY(ritz_form_has_derivatives, form_getters),
    ENTRY(ritz_integrate_n_points, points),
    ENTRY(ritz_integrate_points, points),
    ENTRY(ritz_constraints_create, constraints),
    ENTRY(ritz_constraints_destroy, constraints),
    ENTRY(ritz_constraints_set_dofs, constraints),
    ENTRY(ritz_constraints_set_group, constraints),
    ENTRY(ritz_constraints_set_values, constraints),
    ENTRY(ritz_constraints_n_dofs, constraints),
    ENTRY(ritz_constraints_get, constraints),
    ENTRY(ritz_constraints_add_equations, equations),
    ENTRY(ritz_constraints_n_equations, equations),
    ENTRY(ritz_constraints_complete, equations),
    ENTRY(ritz_assembler_create, assembler_create),
    ENTRY(ritz_assembler_destroy, assembler_create),
    ENTRY(ritz_assembler_fill, assembler_fill),
    ENTRY(ritz_assembler_rhs, assembler_fill),
    ENTRY(ritz_assembler_matrix, assembler_fill),
    ENTRY(ritz_matrix_get_csr, entries),
    ENTRY(ritz_matrix_get_coo, entries),
    {NULL, NULL, NULL},
};
