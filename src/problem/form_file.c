/* Reads form files: tables of keys, as for problem files. */
#include "problem/form_file.h"

#include "problem/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1 };

bool ritz_is_form_file(const char *name)
{
    const size_t n = strlen(name);
    return n > 5 && strcmp(name + n - 5, ".json") == 0;
}

/* ---- What stands in lists ---- */

/* One datum, expression, term or load of the file. */
typedef struct entry {
    char *name, *text, *constant, *coefficient, *group, *cell;
    double value, factor;
    int32_t derivative, place[4];
} entry;

typedef struct entries {
    int n;
    entry *list;
} entries;

/* The whole file as it is read. */
typedef struct content {
    int32_t version, dim, n_components, order, degree, only_order;
    char *name, *cell, *old;
    entries data, expressions, terms, loads;
    int n_surfaces;
    ritz_form_surface *surfaces;
} content;

static void free_entries(entries *e)
{
    for (int i = 0; i < e->n; i++) {
        entry *one = &e->list[i];
        char *texts[] = {one->name, one->text, one->constant, one->coefficient, one->group, one->cell};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            ritz_free(texts[k]);
    }
    ritz_free(e->list);
}

static ritz_status read_indices(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    int32_t *place = target;
    (void)context;
    if (node->kind != RITZ_NODE_LIST || node->n != key->most)
        return ritz_wrong_type(node, key, "a list of whole numbers");
    for (int i = 0; i < node->n; i++) {
        double value;
        const ritz_node *item = node->values[i];
        if (item->kind != RITZ_NODE_SCALAR || !ritz_parse_number(item->text, &value) || value != floor(value) ||
            fabs(value) > 100)
            return ritz_wrong_type(node, key, "a list of whole numbers");
        place[i] = (int32_t)value;
    }
    return RITZ_OK;
}

/* Place of a component of a constant: what it means is for Python. */
static ritz_status skip_value(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)node;
    (void)key;
    (void)target;
    (void)context;
    return RITZ_OK;
}

#define AT(field) offsetof(entry, field)
static const ritz_key data_keys[] = {
    {.name = "name", .read = ritz_read_text, .offset = AT(name), .example = "name: kappa", .required = true},
    {.name = "default", .read = ritz_read_real, .offset = AT(value), .example = "default: 1"},
    {.name = "constant", .read = ritz_read_text, .offset = AT(constant), .example = "constant: kappa"},
    {.name = "coefficient", .read = ritz_read_text, .offset = AT(coefficient), .example = "coefficient: w"},
    {.name = "component", .read = skip_value, .example = "component: 0"},
    {.name = "shape", .read = skip_value, .example = "shape: [3]"},
    {.name = "most_order", .read = skip_value, .example = "most_order: 1"},
    {.name = "derivative",
     .read = ritz_read_integer,
     .offset = AT(derivative),
     .example = "derivative: 1",
     .least = 0,
     .most = 3},
    {.name = "group", .read = ritz_read_text, .offset = AT(group), .example = "group: steel"},
    {.name = "cell", .read = ritz_read_text, .offset = AT(cell), .example = "cell: cell_diameter"},
};
static const ritz_key expression_keys[] = {
    {.name = "name", .read = ritz_read_text, .offset = AT(name), .example = "name: e0", .required = true},
    {.name = "text", .read = ritz_read_text, .offset = AT(text), .example = "text: \"1 + x\"", .required = true},
};
#define COEFFICIENT_KEYS                                                                                               \
    {.name = "coefficient",                                                                                            \
     .read = ritz_read_text,                                                                                           \
     .offset = AT(text),                                                                                               \
     .example = "coefficient: \"1 + x\"",                                                                              \
     .required = true},                                                                                                \
    {                                                                                                                  \
        .name = "factor", .read = ritz_read_real, .offset = AT(factor), .example = "factor: 2"                         \
    }
static const ritz_key term_keys[] = {{.name = "at",
                                      .read = read_indices,
                                      .offset = AT(place),
                                      .example = "at: [0, 0, 1, 1]",
                                      .required = true,
                                      .most = 4},
                                     COEFFICIENT_KEYS};
static const ritz_key load_keys[] = {
    {.name = "at", .read = read_indices, .offset = AT(place), .example = "at: [0, 0]", .required = true, .most = 2},
    COEFFICIENT_KEYS};
#undef AT

/* A list of maps by a table. */
static ritz_status read_entries(const ritz_node *node, const ritz_key *key, const char *what, const ritz_key *keys,
                                int n_keys, entries *e)
{
    ritz_status status = RITZ_OK;
    if (node->kind != RITZ_NODE_LIST)
        return ritz_wrong_type(node, key, "a list of maps");
    RITZ_NEW(e->list, node->n);
    e->n = node->n;
    for (int i = 0; i < node->n; i++) {
        e->list[i].value = NAN;
        RITZ_TRY(ritz_read_map(node->values[i], what, keys, n_keys, &e->list[i], NULL));
    }
done:
    return status;
}

static ritz_status read_data(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    return read_entries(node, key, "a datum", data_keys, RITZ_N_KEYS(data_keys), target);
}

static ritz_status read_expressions(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    return read_entries(node, key, "an expression", expression_keys, RITZ_N_KEYS(expression_keys), target);
}

static ritz_status read_terms(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    return read_entries(node, key, "a term", term_keys, RITZ_N_KEYS(term_keys), target);
}

static ritz_status read_loads(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    return read_entries(node, key, "a load", load_keys, RITZ_N_KEYS(load_keys), target);
}

/* ---- Surfaces ---- */

static ritz_status read_surface_load(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_form_surface *surface = target;
    const content *c = context;
    RITZ_REQUIRE_AT(node->kind == RITZ_NODE_LIST && node->n == c->n_components, &node->place,
                    "'%s' takes a list of %d expressions, like  %s", key->name, c->n_components, key->example);
    for (int i = 0; i < node->n; i++)
        RITZ_TRY(ritz_read_text(node->values[i], key, &surface->load[i], NULL));
done:
    return status;
}

static ritz_status read_surfaces(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    static const ritz_key keys[] = {
        {.name = "group",
         .read = ritz_read_text,
         .offset = offsetof(ritz_form_surface, group),
         .example = "group: \"3\"",
         .required = true},
        {.name = "load", .read = read_surface_load, .example = "load: [\"g\"]", .required = true},
        {.name = "film", .read = ritz_read_text, .offset = offsetof(ritz_form_surface, film), .example = "film: \"h\""},
        {.name = "reads", .read = skip_value, .example = "reads: [g]"},
    };
    ritz_status status = RITZ_OK;
    content *c = target;
    if (node->kind != RITZ_NODE_LIST)
        return ritz_wrong_type(node, key, "a list of maps");
    RITZ_NEW(c->surfaces, node->n);
    c->n_surfaces = node->n;
    for (int i = 0; i < node->n; i++)
        RITZ_TRY(ritz_read_map(node->values[i], "a surface", keys, RITZ_N_KEYS(keys), &c->surfaces[i], context));
done:
    return status;
}

/* ---- The whole ---- */

#define AT(field) offsetof(content, field)
static const ritz_key file_keys[] = {
    {.name = "ritz_form",
     .read = ritz_read_integer,
     .offset = AT(version),
     .example = "ritz_form: 1",
     .required = true,
     .least = 1,
     .most = VERSION},
    {.name = "name", .read = ritz_read_text, .offset = AT(name), .example = "name: poisson"},
    {.name = "cell", .read = ritz_read_text, .offset = AT(cell), .example = "cell: tri"},
    {.name = "order",
     .read = ritz_read_integer,
     .offset = AT(order),
     .example = "order: 1",
     .least = 1,
     .most = RITZ_MAX_ORDER},
    {.name = "only_order",
     .read = ritz_read_integer,
     .offset = AT(only_order),
     .example = "only_order: 1",
     .least = 0,
     .most = 1},
    {.name = "dim",
     .read = ritz_read_integer,
     .offset = AT(dim),
     .example = "dim: 2",
     .required = true,
     .least = 2,
     .most = 3},
    {.name = "components",
     .read = ritz_read_integer,
     .offset = AT(n_components),
     .example = "components: 1",
     .required = true,
     .least = 1,
     .most = RITZ_MAX_COMPONENTS},
    {.name = "degree",
     .read = ritz_read_integer,
     .offset = AT(degree),
     .example = "degree: 2",
     .least = 1,
     .most = RITZ_MAX_DEGREE},
    {.name = "data", .read = read_data, .offset = AT(data), .example = "data: [{name: kappa}]"},
    {.name = "expressions",
     .read = read_expressions,
     .offset = AT(expressions),
     .example = "expressions: [{name: e0, text: \"1 + x\"}]"},
    {.name = "terms",
     .read = read_terms,
     .offset = AT(terms),
     .example = "terms: [{at: [0, 0, 1, 1], coefficient: kappa}]",
     .required = true},
    {.name = "loads", .read = read_loads, .offset = AT(loads), .example = "loads: [{at: [0, 0], coefficient: f}]"},
    {.name = "surfaces", .read = read_surfaces, .example = "surfaces: [{group: \"3\", load: [\"g\"]}]"},
    {.name = "old", .read = ritz_read_text, .offset = AT(old), .example = "old: u"},
};
#undef AT

static ritz_status define_form(const content *c, const char *path, ritz_form **form)
{
    ritz_status status = RITZ_OK;
    ritz_form_datum *data = NULL;
    ritz_form_expression *expressions = NULL;
    ritz_form_term *terms = NULL;
    ritz_form_load *loads = NULL;
    RITZ_NEW(data, c->data.n);
    RITZ_NEW(expressions, c->expressions.n);
    RITZ_NEW(terms, c->terms.n);
    RITZ_NEW(loads, c->loads.n);
    for (int i = 0; i < c->data.n; i++)
        data[i] = (ritz_form_datum){c->data.list[i].name, c->data.list[i].value};
    for (int i = 0; i < c->expressions.n; i++)
        expressions[i] = (ritz_form_expression){c->expressions.list[i].name, c->expressions.list[i].text};
    for (int i = 0; i < c->terms.n; i++) {
        const entry *e = &c->terms.list[i];
        terms[i] = (ritz_form_term){e->place[0], e->place[1], e->place[2], e->place[3], e->text, e->factor};
    }
    for (int i = 0; i < c->loads.n; i++) {
        const entry *e = &c->loads.list[i];
        loads[i] = (ritz_form_load){e->place[0], e->place[1], e->text, e->factor};
    }
    const ritz_form_definition definition = {.size = sizeof definition,
                                             .name = c->name,
                                             .dim = c->dim,
                                             .n_components = c->n_components,
                                             .n_data = c->data.n,
                                             .data = data,
                                             .n_expressions = c->expressions.n,
                                             .expressions = expressions,
                                             .n_terms = c->terms.n,
                                             .terms = terms,
                                             .n_loads = c->loads.n,
                                             .loads = loads};
    if ((status = ritz_form_define(&definition, form)) != RITZ_OK)
        ritz_fail_context(status, "%s: ", path);
done:
    ritz_free(data);
    ritz_free(expressions);
    ritz_free(terms);
    ritz_free(loads);
    return status;
}

/* The physics of problems with this form: its data are what materials hold. */
static ritz_status describe_physics(const content *c, ritz_form_file *f)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_copy_text(c->name ? c->name : "form", &f->name));
    f->physics = ritz_physics_of_form(f->form, f->name, f->fields);
    f->physics.properties = f->properties;
    for (int d = 0; d < c->data.n; d++) {
        const entry *e = &c->data.list[d];
        ritz_file_datum *datum = &f->data[d];
        RITZ_TRY(ritz_copy_text(e->name, &datum->name));
        if (e->cell)
            RITZ_TRY(ritz_copy_text(e->cell, &datum->cell));
        RITZ_TRY(ritz_format(&datum->example, "%s: 1", e->name));
        if (e->group || e->cell)
            continue;
        f->properties[f->physics.n_properties++] =
            (ritz_property){.name = datum->name,
                            .example = datum->example,
                            .required = isnan(e->value),
                            .role = ritz_physics_role_of_datum(&f->physics, datum->name)};
        if (isnan(e->value) && !f->physics.materials_example)
            f->physics.materials_example = datum->example;
    }
done:
    return status;
}

/* What the file says beyond the form's definition. */
static ritz_status complete_form(content *c, ritz_form *form)
{
    ritz_status status = RITZ_OK;
    form->order = c->order;
    form->degree = c->degree;
    form->only_order = c->only_order;
    form->n_surfaces = c->n_surfaces;
    form->surfaces = c->surfaces;
    c->n_surfaces = 0;
    c->surfaces = NULL;
    for (int d = 0; d < c->data.n; d++)
        if (c->data.list[d].group)
            RITZ_TRY(ritz_copy_text(c->data.list[d].group, &form->groups[d]));
done:
    return status;
}

static ritz_status take_content(content *c, const char *path, ritz_form_file *f)
{
    ritz_status status = RITZ_OK;
    if (c->old)
        RITZ_TRY(ritz_copy_text(c->old, &f->old));
    RITZ_TRY(define_form(c, path, &f->form));
    RITZ_TRY(complete_form(c, f->form));
    RITZ_TRY(describe_physics(c, f));
done:
    return status;
}

ritz_status ritz_form_file_read(const char *path, ritz_form_file **file)
{
    ritz_status status = RITZ_OK;
    content c = {0};
    char *text = NULL;
    ritz_tree *tree = NULL;
    ritz_form_file *f = NULL;
    static const char no_form[] = "this is no form of  ritz compile";
    const ritz_place place = {.file = path};
    RITZ_NEW(f, 1);
    RITZ_TRY(ritz_read_yaml(path, no_form, no_form, &text));
    RITZ_TRY(ritz_tree_parse(text, path, &tree));
    RITZ_REQUIRE_AT(tree->root, &place, "the file is empty; a form is written by  ritz compile form.py -o form.json");
    RITZ_TRY(ritz_read_map(tree->root, "the form", file_keys, RITZ_N_KEYS(file_keys), &c, &c));
    RITZ_TRY(take_content(&c, path, f));
    *file = f;
    f = NULL;
done:
    free_entries(&c.data);
    free_entries(&c.expressions);
    free_entries(&c.terms);
    free_entries(&c.loads);
    ritz_form_free_surfaces(c.surfaces, c.n_surfaces);
    ritz_free(c.name);
    ritz_free(c.cell);
    ritz_free(c.old);
    ritz_tree_destroy(&tree);
    ritz_free(text);
    ritz_form_file_destroy(&f);
    return status;
}

ritz_status ritz_form_read(const char *path, ritz_form **form)
{
    ritz_status status = RITZ_OK;
    ritz_form_file *file = NULL;
    RITZ_REQUIRE_POINTER(path);
    RITZ_REQUIRE_POINTER(form);
    *form = NULL;
    RITZ_TRY(ritz_form_file_read(path, &file));
    *form = file->form;
    file->form = NULL;
done:
    ritz_form_file_destroy(&file);
    return status;
}

void ritz_form_file_destroy(ritz_form_file **file)
{
    ritz_form_file *f = file ? *file : NULL;
    if (!f)
        return;
    for (int d = 0; d < RITZ_MAX_DATA; d++) {
        ritz_free(f->data[d].name);
        ritz_free(f->data[d].cell);
        ritz_free(f->data[d].example);
    }
    ritz_free(f->old);
    ritz_free(f->name);
    ritz_form_destroy(&f->form);
    ritz_free(f);
    *file = NULL;
}
