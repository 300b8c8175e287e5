/* The keys of the problem file: tables, and the readers of values that only one key has. */
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define AT(field) offsetof(ritz_problem, field)

/* ---- Physics ---- */

static ritz_status find_physics(const char *name, const ritz_physics **found)
{
    const char *names[RITZ_PHYSICS_MOST];
    const ritz_name_table table = {.what = "physics", .names = names, .n = ritz_physics_names(false, names)};
    *found = ritz_physics_named(name);
    return *found && !(*found)->form_alone ? RITZ_OK : ritz_refuse_name(&table, name, ritz_meant(name, names, table.n));
}

/* A form that `ritz compile` wrote. */
static ritz_status read_form(const ritz_node *node, ritz_problem *problem)
{
    ritz_status status = RITZ_OK;
    char *path = NULL;
    ritz_free(problem->form_path);
    problem->form_path = NULL;
    RITZ_TRY(ritz_copy_text(node->text, &problem->form_path));
    RITZ_TRY(ritz_problem_path(problem, node->text, &path));
    if ((status = ritz_form_file_read(path, &problem->form_file)) != RITZ_OK) {
        ritz_fail_context_at(status, &node->place);
        goto done;
    }
    const ritz_form_file *file = problem->form_file;
    problem->physics = &file->physics;
    if (file->form->order)
        problem->order = file->form->order;
done:
    ritz_free(path);
    return status;
}

static ritz_status read_physics(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    ritz_problem *problem = target;
    problem->physics_place = node->place;
    if (node->kind != RITZ_NODE_SCALAR)
        return ritz_wrong_type(node, key, "a name");
    if (ritz_is_form_file(node->text))
        return read_form(node, problem);
    ritz_status status = find_physics(node->text, &problem->physics);
    return status == RITZ_OK ? status : ritz_fail_context_at(status, &node->place);
}

/* ---- Solver, integration, output ---- */

/* auto, and the solver's methods behind it in their order. */
static ritz_status read_method(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    ritz_solver_settings *solver = target;
    const char *names[RITZ_CHOOSE_DIRECT + 1] = {[RITZ_CHOOSE_METHOD] = "auto"};
    const ritz_name_table choices = {.what = "solver method", .names = names, .n = RITZ_CHOOSE_DIRECT + 1};
    int value = 0;
    solver->method_place = node->place;
    for (int m = 0; m <= RITZ_DIRECT; m++)
        names[RITZ_CHOOSE_CG + m] = ritz_solve_method_name((ritz_solve_method)m);
    const ritz_status status = ritz_read_choice(node, key, &choices, &value);
    solver->method = (ritz_solver_choice)value;
    return status;
}

int64_t ritz_memory_most(const ritz_solver_settings *solver)
{
    return (int64_t)ceil(1e9 * solver->memory);
}

bool ritz_solver_is_open(const ritz_solver_settings *s)
{
    return s->method == RITZ_CHOOSE_METHOD && s->precision == RITZ_F64 && !s->preconditioner && !s->degree &&
           !s->storage && !s->matrix && !s->max_iterations;
}

ritz_solve_options ritz_solver_options(const ritz_solver_settings *solver, bool symmetric)
{
    const bool named = solver->method != RITZ_CHOOSE_METHOD;
    return (ritz_solve_options){.method = named       ? (ritz_solve_method)(solver->method - RITZ_CHOOSE_CG)
                                          : symmetric ? RITZ_CG
                                                      : RITZ_BICGSTAB,
                                .preconditioner = solver->preconditioner,
                                .degree = solver->degree,
                                .storage = solver->storage,
                                .vectors = solver->vectors,
                                .matrix = solver->matrix,
                                .tolerance = solver->tolerance,
                                .max_iterations = solver->max_iterations,
                                .memory_most = ritz_solver_is_open(solver) ? 0 : ritz_memory_most(solver)};
}

static ritz_status read_preconditioner(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    if (node->kind != RITZ_NODE_SCALAR)
        return ritz_wrong_type(node, key, "a name");
    ritz_status status = ritz_preconditioner_from_name(node->text, target);
    return status == RITZ_OK ? status : ritz_fail_context_at(status, &node->place);
}

static ritz_status read_matrix(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    ritz_solver_settings *solver = target;
    int value = 0;
    solver->matrix_place = node->place;
    const ritz_status status = ritz_read_choice(node, key, &ritz_matrix_choice_names, &value);
    solver->matrix = (ritz_matrix_choice)value;
    return status;
}

static ritz_status read_precision(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    ritz_solver_settings *solver = target;
    if (node->kind != RITZ_NODE_SCALAR)
        return ritz_wrong_type(node, key, "a name");
    const ritz_solve_precision *chosen = NULL;
    const ritz_status status = ritz_solve_precision_from_name(node->text, RITZ_SOLVE_N_USUAL_PRECISIONS, &chosen);
    if (status != RITZ_OK)
        return ritz_fail_context_at(status, &node->place);
    solver->precision = chosen->precision;
    solver->storage = chosen->storage;
    solver->vectors = chosen->vectors;
    return RITZ_OK;
}

static ritz_status read_tolerance(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    const double *tolerance = target;
    RITZ_TRY(ritz_read_positive(node, key, target, context));
    RITZ_REQUIRE_AT(*tolerance < 1, &node->place,
                    "'tolerance' is relative to the right-hand side and must be less than 1, like  %s; got %g",
                    key->example, *tolerance);
done:
    return status;
}

static ritz_status read_memory(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_solver_settings *solver = target;
    RITZ_TRY(ritz_read_positive(node, key, &solver->memory, context));
    RITZ_REQUIRE_AT(solver->memory <= 1e9, &node->place, "'memory' is in GB, like  %s; got %g", key->example,
                    solver->memory);
done:
    return status;
}

/* Settings that rule each other out on every device, by the solver's own rules; an automatic method is cg, which takes
   all of them. */
static ritz_status check_solver(const ritz_solver_settings *solver, const ritz_place *place)
{
    ritz_solve_options options = ritz_solver_options(solver, true);
    options.matrix = RITZ_MATRIX_AUTOMATIC;
    ritz_status status = ritz_solve_check_options(&options, solver->precision);
    if (status)
        return ritz_fail_context_at(status, place);
    status = ritz_solve_check_options(&(ritz_solve_options){.method = options.method, .matrix = solver->matrix},
                                      solver->precision);
    return status ? ritz_fail_context_at(status, &solver->matrix_place) : status;
}

static ritz_status read_solver(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)key;
    ritz_solver_settings *solver = target;
    static const ritz_key keys[] = {
        {.name = "method", .read = read_method, .example = "method: cg"}, /* first: it may stand alone */
        {.name = "preconditioner",
         .read = read_preconditioner,
         .offset = offsetof(ritz_solver_settings, preconditioner),
         .example = "preconditioner: auto"},
        {.name = "degree",
         .read = ritz_read_integer,
         .offset = offsetof(ritz_solver_settings, degree),
         .example = "degree: 6",
         .least = 1,
         .most = RITZ_DEGREE_MOST},
        {.name = "precision", .read = read_precision, .example = "precision: double"},
        {.name = "matrix", .read = read_matrix, .example = "matrix: auto"},
        {.name = "tolerance",
         .read = read_tolerance,
         .offset = offsetof(ritz_solver_settings, tolerance),
         .example = "tolerance: 1e-8"},
        {.name = "max_iterations",
         .read = ritz_read_integer,
         .offset = offsetof(ritz_solver_settings, max_iterations),
         .example = "max_iterations: 20000",
         .least = 1,
         .most = RITZ_ITERATIONS_MOST},
        {.name = "storage",
         .gone = "it is a setting of  ritz bench pcg, as in  --precisions mixed-f16;  precision: mixed  stores the "
                 "polynomial's matrix in f32"},
        {.name = "vectors",
         .gone =
             "it is a setting of  ritz bench pcg, as in  --precisions mixed-single;  precision: mixed  takes single "
             "vectors once the residual allows it"},
        {.name = "powers", .gone = "products that are blocked for the cache are gone, because plain ones are faster"},
        {.name = "memory", .read = read_memory, .example = "memory: 16"},
    };
    ritz_status status = RITZ_OK;
    if (node->kind == RITZ_NODE_SCALAR) /* the method alone, as  solver: auto */
        RITZ_TRY(read_method(node, &keys[0], target, context));
    else
        RITZ_TRY(ritz_read_map(node, "solver", keys, RITZ_N_KEYS(keys), target, context));
    RITZ_TRY(check_solver(solver, &node->place));
done:
    return status;
}

static ritz_status read_newton(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)key;
    static const ritz_key keys[] = {
        {.name = "steps",
         .read = ritz_read_integer,
         .offset = offsetof(ritz_newton_settings, steps),
         .example = "steps: 10",
         .least = 1,
         .most = 100000},
        {.name = "max_iterations",
         .read = ritz_read_integer,
         .offset = offsetof(ritz_newton_settings, max_iterations),
         .example = "max_iterations: 25",
         .least = 1,
         .most = 100000},
        {.name = "tolerance",
         .read = read_tolerance,
         .offset = offsetof(ritz_newton_settings, tolerance),
         .example = "tolerance: 1e-8"},
        {.name = "start",
         .read = ritz_read_exact,
         .offset = offsetof(ritz_newton_settings, start),
         .example = "start: \"x*x\""},
    };
    const ritz_problem *problem = context;
    if (!ritz_problem_is_nonlinear(problem))
        return ritz_fail_at(RITZ_ERROR_INPUT, &node->place,
                            "'newton' is for forms that depend on their own solution, as  derivative()  makes them, "
                            "for radiation and for conductivities that read T; this problem has none of them, omit it");
    return ritz_read_map(node, "newton", keys, RITZ_N_KEYS(keys), target, context);
}

static ritz_status read_integration(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)key;
    static const ritz_key keys[] = {
        {.name = "method", .read = ritz_read_text, .offset = AT(integration_method), .example = "method: auto"}};
    return ritz_read_map(node, "integration", keys, RITZ_N_KEYS(keys), target, context);
}

static ritz_status read_quadrature(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)key;
    static const ritz_key keys[] = {{.name = "degree",
                                     .read = ritz_read_integer,
                                     .offset = AT(degree),
                                     .example = "degree: 8",
                                     .required = true,
                                     .least = 1,
                                     .most = RITZ_MAX_DEGREE}};
    ritz_problem *problem = target;
    problem->degree_place = node->place;
    return ritz_read_map(node, "quadrature", keys, RITZ_N_KEYS(keys), target, context);
}

static ritz_status check_fields(const ritz_problem *problem)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = problem->physics;
    const char *names[RITZ_MAX_FIELDS];
    const ritz_name_table choices = {.what = "field", .names = names, .n = physics->n_fields, .of = physics->name};
    if (physics->n_fields == 1) {
        RITZ_REQUIRE_AT(problem->fields.n <= 1, &problem->fields.places[0],
                        "%s has one field; 'fields' takes one name for it, like  fields: [temperature]", physics->name);
        goto done;
    }
    for (int k = 0; k < physics->n_fields; k++)
        names[k] = physics->fields[k].name;
    for (int i = 0; i < problem->fields.n; i++) {
        int value = 0;
        status = ritz_find_name(&choices, problem->fields.name[i], &value);
        if (status)
            RITZ_TRY(ritz_fail_context_at(status, &problem->fields.places[i]));
    }
done:
    return status;
}

/* The path of the result file, whose ending tells the format. */
static ritz_status read_output_file(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_read_text(node, key, target, context));
    status = ritz_check_result_path(*(char **)target);
    if (status != RITZ_OK)
        ritz_fail_context_at(status, &node->place);
done:
    return status;
}

static ritz_status read_faces(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    ritz_problem *problem = target;
    if (node->kind != RITZ_NODE_SCALAR || (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0))
        return ritz_wrong_type(node, key, "true or false");
    problem->faces = strcmp(node->text, "true") == 0;
    problem->faces_place = node->place;
    return RITZ_OK;
}

static ritz_status read_frd(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_problem *problem = target;
    problem->frd_place = node->place;
    return ritz_read_text(node, key, &problem->frd_file, context);
}

static ritz_status read_dat(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_problem *problem = target;
    problem->dat_place = node->place;
    return ritz_read_text(node, key, &problem->dat_file, context);
}

static ritz_status read_output(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)key;
    ritz_status status = RITZ_OK;
    ritz_problem *problem = target;
    static const ritz_key keys[] = {
        {.name = "file", .read = read_output_file, .offset = AT(output_file), .example = "file: part.vtkhdf"},
        {.name = "fields",
         .read = ritz_read_names,
         .offset = AT(fields),
         .example = "fields: [displacement, stress, von_mises]"},
        {.name = "faces", .read = read_faces, .example = "faces: true"},
        {.name = "systems", .read = ritz_read_local_systems, .example = "systems: [bore]"},
        {.name = "frd", .read = read_frd, .example = "frd: part.frd"},
        {.name = "frd_system",
         .read = ritz_read_node_systems,
         .offset = AT(frd_systems),
         .example = "frd_system: bore"},
        {.name = "dat", .read = read_dat, .example = "dat: part.dat"},
        {.name = "print", .read = ritz_read_prints, .example = "print: [{group: face, values: [displacement]}]"},
    };
    if (node->kind == RITZ_NODE_SCALAR && strcmp(node->text, "none") == 0) {
        problem->no_output = true;
        return RITZ_OK;
    }
    RITZ_TRY(ritz_read_map(node, "output", keys, RITZ_N_KEYS(keys), problem, context));
    RITZ_REQUIRE_AT(problem->frd_file || !problem->frd_systems.n || problem->deck.text, &node->place,
                    "'frd_system' is of the vectors in an .frd file; name it, like  frd: part.frd");
    RITZ_REQUIRE_AT(!problem->dat_file || problem->n_prints, &node->values[ritz_node_find(node, "dat")]->place,
                    "'dat' is a file of printed values, and none are named; add for example  %s",
                    problem->deck.text ? "*NODE PRINT, NSET=BASE" : keys[RITZ_N_KEYS(keys) - 1].example);
    RITZ_REQUIRE_AT(problem->dat_file || !problem->n_prints || problem->deck.text, &node->place,
                    "'print' says what a file of printed values holds; name it, like  %s",
                    keys[RITZ_N_KEYS(keys) - 2].example);
    RITZ_TRY(check_fields(problem));
    RITZ_TRY(ritz_check_field_properties(problem));
done:
    return status;
}

/* full or serendipity. */
static ritz_status read_elements(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    static const char *const names[] = {"full", "serendipity"};
    static const ritz_name_table choices = {.what = "kind of elements", .names = names, .n = 2};
    ritz_problem *problem = target;
    int value = 0;
    problem->elements_place = node->place;
    const ritz_status status = ritz_read_choice(node, key, &choices, &value);
    problem->serendipity = value == 1;
    return status;
}

/* ---- The whole file: in the order in which values need one another, physics first ---- */

static const ritz_key first_keys[] = {
    {.name = "physics", .read = read_physics, .example = "physics: elasticity", .required = true},
    {.name = "mesh", .read = ritz_read_mesh, .example = "mesh: part.msh"},
    {.name = "geometry", .read = ritz_read_geometry, .example = "geometry: part.step"},
    {.name = "size", .read = ritz_read_positive, .offset = AT(size), .example = "size: 2.5"},
    {.name = "geometry_order",
     .read = ritz_read_integer,
     .offset = AT(geometry_order),
     .example = "geometry_order: 2",
     .least = 1,
     .most = 2},
    {.name = "glue", .read = ritz_read_glue, .example = "glue: true"},
    {.name = "contact", .read = ritz_read_contact, .example = "contact: none"},
    {.name = "order",
     .read = ritz_read_integer,
     .offset = AT(order),
     .example = "order: 2",
     .least = 1,
     .most = RITZ_MAX_ORDER},
    {.name = "systems", .read = ritz_read_frames, .example = "systems: {bore: {axis: [0, 0, 1], origin: [0, 0, 0]}}"},
    {.name = "elements", .read = read_elements, .example = "elements: serendipity"},
    {.name = "groups",
     .read = ritz_read_group_choices,
     .example = "groups: [{name: top, plane: {point: [0, 0, 1], normal: [0, 0, 1]}}]"},
    {.name = "units", .read = ritz_read_units, .example = "units: mm-N-MPa"},
    {.name = "materials", .read = ritz_read_materials, .example = "materials: [{young: 210e9, poisson: 0.3}]"},
    {.name = "boundary",
     .read = ritz_read_boundary,
     .offset = AT(loads),
     .example = "boundary: [{group: bolts, displacement: fixed}]"},
    {.name = "ties", .read = ritz_read_ties, .offset = AT(joins), .example = "ties: [{from: fine, to: coarse}]"},
    {.name = "rigid",
     .read = ritz_read_rigid,
     .offset = AT(joins),
     .example = "rigid: [{group: flange, at: [0, 0, 0.1], rotation: {z: 0.01}}]"},
    {.name = "equations",
     .read = ritz_read_equations,
     .offset = AT(joins),
     .example = "equations: [{terms: [{group: a, component: x}, {group: b, component: x, weight: -1}]}]"},
};
/* Between them, the loads on the whole body. */
static const ritz_key last_keys[] = {
    {.name = "solver", .read = read_solver, .offset = AT(solver), .example = "solver: {method: cg, tolerance: 1e-8}"},
    {.name = "newton", .read = read_newton, .offset = AT(newton), .example = "newton: {steps: 4, tolerance: 1e-8}"},
    {.name = "quadrature", .read = read_quadrature, .example = "quadrature: {degree: 8}"},
    {.name = "integration", .read = read_integration, .example = "integration: {method: auto}"},
    {.name = "device", .read = ritz_read_text, .offset = AT(device_selector), .example = "device: auto"},
    {.name = "output", .read = read_output, .example = "output: {file: part.vtkhdf}"},
    {.name = "probes",
     .read = ritz_read_probes,
     .example = "probes: [{name: axis, line: [[0, 0, 0], [1, 0, 0]], count: 101}]"},
    {.name = "exact", .read = ritz_read_exact, .offset = AT(loads.exact), .example = "exact: \"sin(x)\""},
    {.name = "cases",
     .read = ritz_read_load_cases,
     .example = "cases: [{name: pull, boundary: {group: face, traction: [1e6, 0, 0]}}, {name: weight, gravity: [0, 0, "
                "-9.81]}]"},
    {.name = "combine",
     .read = ritz_read_combinations,
     .example = "combine: {uls: {dead: 1.35, wind: 1.5}, sls: {dead: 1, wind: 1}}"},
};

static ritz_status read_problem(const ritz_node *root, ritz_problem *problem)
{
    enum { N_FIRST = RITZ_N_KEYS(first_keys), N_LAST = RITZ_N_KEYS(last_keys), MOST_LOADS = 16 };
    ritz_key keys[N_FIRST + MOST_LOADS + N_LAST];
    memcpy(keys, first_keys, sizeof first_keys);
    const int n = N_FIRST + ritz_body_load_keys(AT(loads), keys + N_FIRST);
    memcpy(keys + n, last_keys, sizeof last_keys);
    return ritz_read_map(root, "the problem", keys, n + N_LAST, problem, problem);
}

const char *ritz_key_of_file(const char *path, bool nodal)
{
    static const struct {
        const char *ending, *key;
        bool nodal;
    } kinds[] = {{".geo", "geometry", false},  {".step", "geometry", false}, {".stp", "geometry", false},
                 {".brep", "geometry", false}, {".iges", "geometry", false}, {".igs", "geometry", false},
                 {".msh", "mesh", false},      {".vtk", "mesh", false},      {".unv", "mesh", false},
                 {".bdf", "mesh", false},      {".nas", "mesh", false},      {".vtkhdf", "result", true},
                 {".hdf", "result", true},     {".vtu", "result", true},     {".csv", "nodes", true},
                 {".txt", "nodes", true}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].nodal == nodal && strcasecmp(dot, kinds[i].ending) == 0)
            return kinds[i].key;
    return NULL;
}

/* What no single key can tell. */
static ritz_status check_whole(const ritz_problem *problem, const ritz_place *root)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_AT(problem->mesh_source == RITZ_MESH_BOX || problem->mesh_path, root,
                    "the problem has no 'mesh'; add for example  mesh: part.msh  or  geometry: part.step  or  mesh: "
                    "{box: {cells: [4, 4, 4]}}");
    RITZ_REQUIRE_AT(
        problem->mesh_source == RITZ_MESH_GEOMETRY || (problem->size == 0 && problem->geometry_order == 0),
        &problem->mesh_place,
        "'size' and 'geometry_order' are for a 'geometry' that Gmsh meshes; this problem has a finished mesh");
    RITZ_REQUIRE_AT(!problem->glue || problem->mesh_source != RITZ_MESH_BOX, &problem->glue_place,
                    "'glue' joins the bodies of a mesh file or a geometry, but a box is one body; omit it");
    RITZ_REQUIRE_AT(!problem->serendipity || problem->order == 2, &problem->elements_place,
                    "serendipity elements have order 2; the problem asks for order %d", problem->order);
    RITZ_REQUIRE_AT(
        !problem->has_units || problem->names_material, &problem->units_place,
        "'units' says in which units materials are taken by name, and none is; remove it, or take one, like  "
        "materials: {material: steel}");
    const char *material = problem->physics->materials_example;
    RITZ_REQUIRE_AT(problem->n_materials || !material, root,
                    "the problem has no 'materials'; add for example  materials: [{%s}]", material);
    const char *mesh_key = problem->mesh_source == RITZ_MESH_FILE ? ritz_key_of_file(problem->mesh_path, false) : NULL;
    RITZ_REQUIRE_AT(!mesh_key || strcmp(mesh_key, "geometry") != 0, &problem->mesh_place,
                    "'%s' is a geometry, not a mesh; write  geometry: %s  and Gmsh meshes it", problem->mesh_path,
                    problem->mesh_path);
done:
    return status;
}

ritz_status ritz_problem_interpret(ritz_problem *problem, const ritz_tree *tree)
{
    ritz_status status = RITZ_OK;
    const ritz_place file = {.file = problem->file};
    RITZ_REQUIRE_AT(tree->root && !ritz_node_is_null(tree->root), &file,
                    "the problem file is empty; docs/problem-file.md describes its keys");
    problem->order = 2;
    problem->newton.steps = 1;
    RITZ_TRY(read_problem(tree->root, problem));
    RITZ_TRY(ritz_insert_temperatures(problem));
    RITZ_TRY(check_whole(problem, &file));
    if (ritz_problem_radiates(problem) && !problem->newton.start.n)
        RITZ_TRY(ritz_choose_radiation_start(problem));
    if (problem->form_file && !problem->degree) {
        problem->degree = ritz_form_degree(problem->form_file->form, problem->order);
        problem->degree_place = problem->physics_place;
    }
    if (!problem->n_materials) { /* all its properties have defaults */
        RITZ_NEW(problem->materials, 1);
        problem->n_materials = 1;
    }
done:
    return status;
}
