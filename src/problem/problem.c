/* Problems: made from a file or a text, and ended. */
#include "problem/problem.h"
#include "problem/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void ritz_materials_free(ritz_material **materials, int *n)
{
    for (int i = 0; i < *n; i++) {
        ritz_names_free(&(*materials)[i].groups);
        for (int k = 0; k < RITZ_MAX_PROPERTIES; k++)
            ritz_vector_free(&(*materials)[i].property[k]);
    }
    ritz_free(*materials);
    *materials = NULL;
    *n = 0;
}

void ritz_loads_free(ritz_loads *loads)
{
    for (int i = 0; i < loads->n_boundary; i++) {
        ritz_boundary *entry = &loads->boundary[i];
        ritz_names_free(&entry->groups);
        for (int k = 0; k < RITZ_MAX_BOUNDARY_KEYS; k++)
            ritz_vector_free(&entry->term[k]);
    }
    ritz_free(loads->boundary);
    for (int k = 0; k < RITZ_MAX_BODY_LOADS; k++)
        ritz_vector_free(&loads->body[k]);
    ritz_vector_free(&loads->exact);
    *loads = (ritz_loads){0};
}

static void free_description(ritz_problem *p)
{
    ritz_joins_free(&p->joins);
    ritz_frames_free(&p->systems, &p->n_systems);
    ritz_materials_free(&p->materials, &p->n_materials);
    ritz_loads_free(&p->loads);
    ritz_vector_free(&p->newton.start);
    for (int i = 0; i < p->n_cases; i++) {
        ritz_free(p->cases[i].name);
        ritz_loads_free(&p->cases[i].loads);
        ritz_materials_free(&p->cases[i].body, &p->cases[i].n_body);
    }
    ritz_free(p->cases);
    for (int i = 0; i < p->n_combinations; i++) {
        ritz_free(p->combinations[i].name);
        ritz_free(p->combinations[i].factors);
    }
    ritz_free(p->combinations);
    ritz_names_free(&p->fields);
    ritz_group_choices_free(&p->choices, &p->n_choices);
    ritz_probes_free(&p->probes, &p->n_probes);
    ritz_form_file_destroy(&p->form_file);
    ritz_free(p->form_path);
    ritz_free(p->mesh_path);
    ritz_free(p->integration_method);
    ritz_free(p->device_selector);
    ritz_free(p->output_file);
    ritz_free(p->frd_file);
    ritz_free(p->dat_file);
    ritz_prints_free(p);
    ritz_node_systems_free(&p->frd_systems);
    ritz_free(p->local);
}

void ritz_problem_forget(ritz_problem *p)
{
    for (int i = 0; i < p->n_case_results; i++) {
        ritz_balance *balance = &p->case_results[i].balance;
        for (int k = 0; k < balance->n_reactions; k++)
            ritz_free(balance->reactions[k].groups);
        ritz_free(balance->reactions);
        for (int k = 0; k < balance->n_flows; k++)
            ritz_free(balance->flows[k].groups);
        ritz_free(balance->flows);
        ritz_free(p->case_results[i].failure);
    }
    ritz_free(p->case_results);
    p->case_results = NULL;
    p->n_case_results = 0;
    for (int i = 0; p->probe_results && i < p->n_probes; i++)
        ritz_free(p->probe_results[i].file);
    ritz_free(p->probe_results);
    p->probe_results = NULL;
    for (int g = 0; g < p->n_group_names; g++)
        ritz_free(p->group_names[g]);
    ritz_free(p->group_names);
    p->group_names = NULL;
    p->n_group_names = 0;
    ritz_free(p->newton_iterations);
    p->newton_iterations = NULL;
    ritz_free(p->choice);
    ritz_free(p->output_path);
    ritz_free(p->faces_path);
    ritz_free(p->earlier_output);
    p->choice = p->output_path = p->faces_path = p->earlier_output = NULL;
}

void ritz_problem_destroy(ritz_problem **problem)
{
    if (!problem || !*problem)
        return;
    ritz_problem *p = *problem;
    ritz_problem_forget(p);
    free_description(p);
    for (int i = 0; i < p->n_settings; i++)
        ritz_free(p->settings[i]);
    ritz_free(p->settings);
    ritz_free(p->description);
    ritz_deck_problem_free(&p->deck);
    ritz_free(p->file);
    ritz_free(p->folder);
    ritz_free(p->stem);
    ritz_problem_use_device(p, NULL);
    ritz_free(p);
    *problem = NULL;
}

/* Nodes stand where the deck has them. */
static void place_in_deck(const ritz_deck_problem *deck, ritz_tree *tree)
{
    for (int i = 0; i < tree->n_nodes; i++) {
        ritz_place *place = &tree->nodes[i]->place;
        if (place->line < 1 || place->line > deck->n_lines)
            continue;
        const struct ritz_deck_origin *origin = &deck->origins[place->line - 1];
        *place = (ritz_place){.file = deck->files[origin->file], .line = origin->line};
    }
}

/* deck: where the text comes from, taken over; NULL: from no deck. */
static ritz_status create_problem(const char *text, const char *file, const char *folder, const char *stem,
                                  ritz_deck_problem *deck, const char *const *settings, int n_settings,
                                  ritz_problem **problem)
{
    ritz_status status = RITZ_OK;
    ritz_problem *p = NULL;
    ritz_tree *tree = NULL;
    RITZ_REQUIRE(n_settings >= 0 && (settings || n_settings == 0), RITZ_ERROR_INPUT, "%d settings cannot be taken%s",
                 n_settings, settings ? "" : "; 'settings' is NULL");
    for (int i = 0; i < n_settings; i++)
        RITZ_REQUIRE_POINTER(settings[i]);
    RITZ_NEW(p, 1);
    if (deck) {
        p->deck = *deck;
        *deck = (ritz_deck_problem){0};
        text = p->deck.text;
    }
    RITZ_TRY(ritz_copy_text(file, &p->file));
    RITZ_TRY(ritz_copy_text(folder, &p->folder));
    if (stem)
        RITZ_TRY(ritz_copy_text(stem, &p->stem));
    RITZ_NEW(p->settings, n_settings);
    for (int i = 0; i < n_settings; i++) {
        RITZ_TRY(ritz_copy_text(settings[i], &p->settings[i]));
        p->n_settings = i + 1;
    }
    RITZ_TRY(ritz_tree_parse(text, p->file, &tree));
    place_in_deck(&p->deck, tree);
    for (int i = 0; i < n_settings; i++)
        RITZ_TRY(ritz_tree_set(tree, p->file, p->settings[i]));
    RITZ_TRY(ritz_problem_interpret(p, tree));
    RITZ_TRY(ritz_describe_tree(tree->root, &p->description));
    *problem = p;
    p = NULL;
done:
    ritz_tree_destroy(&tree);
    ritz_problem_destroy(&p);
    return status;
}

ritz_status ritz_problem_parse(const char *text, const char *folder, const char *const *settings, int n_settings,
                               ritz_problem **problem)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(text);
    RITZ_REQUIRE_POINTER(problem);
    RITZ_TRY(create_problem(text, "problem", folder ? folder : "", NULL, NULL, settings, n_settings, problem));
done:
    return status;
}

ritz_status ritz_problem_convert(const char *deck, const char *path)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(deck);
    RITZ_REQUIRE_POINTER(path);
    RITZ_TRY(ritz_deck_convert(deck, path));
done:
    return status;
}

static bool is_deck(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".inp") == 0;
}

ritz_status ritz_problem_read(const char *path, const char *const *settings, int n_settings, ritz_problem **problem)
{
    ritz_status status = RITZ_OK;
    ritz_deck_problem deck = {0};
    char *text = NULL, *folder = NULL, *stem = NULL;
    RITZ_REQUIRE_POINTER(path);
    RITZ_REQUIRE_POINTER(problem);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *key = ritz_key_of_file(path, false);
    RITZ_REQUIRE(!key, RITZ_ERROR_INPUT,
                 "%s is no problem file; name it in one, beside materials and loads, like  %s: %s", path, key, name);
    if (is_deck(path))
        RITZ_TRY(ritz_deck_translate(path, name, NULL, &deck));
    else
        RITZ_TRY(ritz_read_yaml(path, "too long for a problem file; is it a mesh?",
                                "not a text file; a problem file is YAML in UTF-8", &text));
    RITZ_TRY(ritz_copy_text(slash ? path : "", &folder));
    if (slash)
        folder[slash - path + 1] = '\0';
    RITZ_TRY(ritz_copy_text(name, &stem));
    char *dot = strrchr(stem, '.');
    if (dot && dot > stem)
        *dot = '\0';
    RITZ_TRY(create_problem(text, path, folder, stem, is_deck(path) ? &deck : NULL, settings, n_settings, problem));
done:
    ritz_deck_problem_free(&deck);
    ritz_free(text);
    ritz_free(folder);
    ritz_free(stem);
    return status;
}

ritz_status ritz_problem_path(const ritz_problem *problem, const char *path, char **whole)
{
    const size_t n = strlen(problem->folder);
    const bool alone = path[0] == '/' || n == 0;
    return ritz_format(whole, "%s%s%s", alone ? "" : problem->folder, alone || problem->folder[n - 1] == '/' ? "" : "/",
                       path);
}

const ritz_device *ritz_problem_device(const ritz_problem *problem)
{
    return problem ? problem->device : NULL;
}

double ritz_find_largest(const ritz_largest largest[RITZ_MAX_LARGEST], const char *field)
{
    for (int k = 0; largest && field && k < RITZ_MAX_LARGEST && largest[k].field; k++)
        if (strcmp(largest[k].field, field) == 0)
            return largest[k].value;
    return NAN;
}

const char *ritz_problem_physics(const ritz_problem *problem)
{
    if (!problem)
        return NULL;
    return problem->physics->special ? problem->physics->special->name : problem->physics->name;
}

void ritz_problem_trust_geometry(ritz_problem *problem, int trust)
{
    if (problem)
        problem->trust_geometry = trust != 0;
}

void ritz_problem_use_device(ritz_problem *problem, ritz_device *device)
{
    if (!problem || (device && device == problem->device)) /* its own, too */
        return;
    if (!problem->device_is_lent)
        ritz_device_close(&problem->device);
    problem->device = device;
    problem->device_is_lent = device != NULL;
}

void ritz_problem_set_stage(ritz_problem *problem, ritz_stage_function *stage, void *context)
{
    if (!problem)
        return;
    problem->stage = stage;
    problem->stage_context = context;
}
