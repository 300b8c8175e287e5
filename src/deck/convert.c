/* A deck as a problem file and a mesh file (.msh 2.2) that say the same. */
#include "base/fresh.h"
#include "deck/translate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is written of the mesh. */
typedef struct mesh_writing {
    const ritz_deck *deck;
    ritz_text text;
    int64_t n_elements, next; /* the next number past those of the deck */
} mesh_writing;

static int dim_of(const ritz_deck *deck, const ritz_deck_group *group)
{
    const int dim = ritz_cell_dim(deck->types[0]->cell);
    return group->kind == RITZ_GROUP_NODES ? 0 : group->kind == RITZ_GROUP_FACETS ? dim - 1 : dim;
}

static void write_head(mesh_writing *w)
{
    const ritz_deck *deck = w->deck;
    ritz_text_add(&w->text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n%d\n", deck->n_groups);
    for (int32_t g = 0; g < deck->n_groups; g++)
        ritz_text_add(&w->text, "%d %d \"%s\"\n", dim_of(deck, &deck->groups[g]), g + 1, deck->groups[g].name);
    ritz_text_add(&w->text, "$EndPhysicalNames\n$Nodes\n%lld\n", (long long)deck->n_nodes);
    for (int64_t n = 0; n < deck->n_nodes; n++)
        ritz_text_add(&w->text, "%lld %.17g %.17g %.17g\n", (long long)deck->node_numbers[n], deck->nodes[3 * n],
                      deck->nodes[3 * n + 1], deck->nodes[3 * n + 2]);
    ritz_text_add(&w->text, "$EndNodes\n");
}

/* Lines of $Elements into a text of their own: their number stands before them. */
static void write_element(mesh_writing *w, ritz_text *lines, int64_t number, int type, int32_t group, int n,
                          const int32_t *nodes)
{
    ritz_text_add(lines, "%lld %d 2 %d %d", (long long)(number > 0 ? number : w->next++), type, group + 1, group + 1);
    for (int i = 0; i < n; i++)
        ritz_text_add(lines, " %lld", (long long)w->deck->node_numbers[nodes[i]]);
    ritz_text_add(lines, "\n");
    w->n_elements++;
}

static ritz_status write_cell(mesh_writing *w, ritz_text *lines, int64_t e, int64_t number, int32_t group)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_element *type = w->deck->types[e];
    int from[32];
    int32_t nodes[32];
    int gmsh = 0;
    RITZ_TRY(ritz_deck_gmsh_order(type, &gmsh, from));
    for (int i = 0; i < type->n_nodes; i++)
        nodes[i] = w->deck->connected[w->deck->starts[e] + from[i]];
    write_element(w, lines, number, gmsh, group, type->n_nodes, nodes);
done:
    return status;
}

/* Each element under its number with its first group, and again for each further one. */
static ritz_status write_cells(mesh_writing *w, ritz_text *lines)
{
    ritz_status status = RITZ_OK;
    const ritz_deck *deck = w->deck;
    int32_t *first = NULL; /* group + 1 */
    RITZ_NEW(first, deck->n_elements);
    for (int32_t g = 0; g < deck->n_groups; g++)
        for (int64_t i = 0; deck->groups[g].kind == RITZ_GROUP_CELLS && i < deck->groups[g].n; i++)
            if (!first[deck->groups[g].members[i]])
                first[deck->groups[g].members[i]] = g + 1;
    for (int64_t e = 0; e < deck->n_elements; e++)
        RITZ_TRY(write_cell(w, lines, e, deck->numbers[e], first[e] - 1));
    for (int32_t g = 0; g < deck->n_groups; g++)
        for (int64_t i = 0; deck->groups[g].kind == RITZ_GROUP_CELLS && i < deck->groups[g].n; i++)
            if (first[deck->groups[g].members[i]] != g + 1)
                RITZ_TRY(write_cell(w, lines, deck->groups[g].members[i], 0, g));
done:
    ritz_free(first);
    return status;
}

static void write_facet(mesh_writing *w, ritz_text *lines, int64_t e, int64_t face, int32_t group)
{
    static const int first_order[5] = {[2] = 1, [3] = 2, [4] = 3}, second_order[5] = {[2] = 8, [3] = 9, [4] = 16};
    const ritz_deck *deck = w->deck;
    const ritz_cell cell = deck->types[e]->cell;
    const ritz_topology *t = ritz_cell_topology(cell);
    const int facet = ritz_deck_facet(cell, face), n = t->facet_n_vertices[facet];
    const int32_t *of_cell = deck->connected + deck->starts[e];
    const bool middles = deck->types[e]->n_nodes > t->n_vertices;
    int32_t nodes[8];
    int n_nodes = n;
    for (int v = 0; v < n; v++)
        nodes[v] = of_cell[t->facets[facet][v]];
    for (int v = 0; middles && v < (n == 2 ? 1 : n); v++)
        nodes[n_nodes++] = of_cell[ritz_deck_middle(cell, t->facets[facet][v], t->facets[facet][(v + 1) % n])];
    write_element(w, lines, 0, (middles ? second_order : first_order)[n], group, n_nodes, nodes);
}

static ritz_status write_mesh(const ritz_deck *deck, char **text)
{
    enum { POINT = 15 };
    ritz_status status = RITZ_OK;
    mesh_writing w = {.deck = deck, .next = 1};
    ritz_text lines = {0};
    char *elements = NULL;
    for (int64_t e = 0; e < deck->n_elements; e++)
        w.next = ritz_max64(w.next, deck->numbers[e] + 1);
    write_head(&w);
    RITZ_TRY(write_cells(&w, &lines));
    for (int32_t g = 0; g < deck->n_groups; g++) {
        const ritz_deck_group *group = &deck->groups[g];
        for (int64_t i = 0; group->kind == RITZ_GROUP_FACETS && i < group->n; i++)
            write_facet(&w, &lines, group->members[2 * i], group->members[2 * i + 1], g);
        for (int64_t i = 0; group->kind == RITZ_GROUP_NODES && i < group->n; i++)
            write_element(&w, &lines, 0, POINT, g, 1, &(int32_t){(int32_t)group->members[i]});
    }
    RITZ_TRY(ritz_text_take(&lines, &elements));
    ritz_text_add(&w.text, "$Elements\n%lld\n%s$EndElements\n", (long long)w.n_elements, elements);
    RITZ_TRY(ritz_text_take(&w.text, text));
done:
    ritz_text_free(&w.text);
    ritz_text_free(&lines);
    ritz_free(elements);
    return status;
}

static ritz_status refuse_existing(const char *path)
{
    return access(path, F_OK) != 0
               ? RITZ_OK
               : ritz_fail(RITZ_ERROR_FILE, "%s: exists already; remove it, or name another file", path);
}

/* The tables beside the problem file; those that are there already stay, and nothing is written. */
static ritz_status write_tables(const ritz_deck_problem *said, const char *problem)
{
    ritz_status status = RITZ_OK;
    const char *slash = strrchr(problem, '/');
    const int folder = slash ? (int)(slash + 1 - problem) : 0;
    char *path = NULL;
    for (int write = 0; write < 2; write++)
        for (int t = 0; t < said->n_tables; t++) {
            const struct ritz_deck_table *table = &said->tables[t];
            RITZ_TRY(ritz_format(&path, "%.*s%s", folder, problem, table->name));
            RITZ_TRY(write ? ritz_fresh_write_file(path, (int64_t)strlen(table->text), table->text)
                           : refuse_existing(path));
            ritz_free(path);
            path = NULL;
        }
done:
    ritz_free(path);
    return status;
}

ritz_status ritz_deck_convert(const char *path, const char *problem)
{
    ritz_status status = RITZ_OK;
    ritz_deck *deck = NULL;
    ritz_deck_problem said = {0};
    char *stem = NULL, *msh = NULL, *dat = NULL, *text = NULL;
    const char *slash = strrchr(problem, '/');
    RITZ_TRY(ritz_copy_text(problem, &stem));
    char *dot = strrchr(stem, '.');
    if (dot && dot > stem + (slash ? slash - problem : 0))
        *dot = '\0';
    RITZ_TRY(ritz_format(&msh, "%s.msh", stem));
    RITZ_TRY(refuse_existing(msh)); /* before either is written */
    RITZ_TRY(refuse_existing(problem));
    RITZ_TRY(ritz_format(&dat, "%s.dat", slash ? stem + (slash + 1 - problem) : stem));
    RITZ_TRY(ritz_deck_translate(path, slash ? msh + (slash + 1 - problem) : msh, dat, &said));
    RITZ_TRY(ritz_deck_read(path, &deck));
    RITZ_TRY(write_mesh(deck, &text));
    RITZ_TRY(write_tables(&said, problem));
    RITZ_TRY(ritz_fresh_write_file(msh, (int64_t)strlen(text), text));
    RITZ_TRY(ritz_fresh_write_file(problem, (int64_t)strlen(said.text), said.text));
done:
    ritz_deck_problem_free(&said);
    ritz_deck_destroy(&deck);
    ritz_free(stem);
    ritz_free(msh);
    ritz_free(dat);
    ritz_free(text);
    return status;
}
