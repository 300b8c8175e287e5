/* What other programs and books call the keys and names of the problem file: for "did you mean". */
#include "physics/physics.h"
#include "problem/reader.h"

#include <string.h>
#include <strings.h>

/* A key may stand for several: the first that the map at hand knows is meant. Upper and lower case are alike, and so are
   '-', ' ' and '_'. */
static const ritz_synonym synonyms[] = {
    /* boundary */
    {"region", "group"},
    {"set", "group"},
    {"nset", "group"},
    {"elset", "group"},
    {"surface", "group"},
    {"physical", "group"},
    {"tag", "group"},
    {"ux", "x"},
    {"uy", "y"},
    {"uz", "z"},
    {"dx", "x"},
    {"dy", "y"},
    {"dz", "z"},
    /* the problem */
    {"bc", "boundary"},
    {"bcs", "boundary"},
    {"boundary_conditions", "boundary"},
    {"constraints", "boundary"},
    {"supports", "boundary"},
    {"load", "boundary"},
    {"loads", "boundary"},
    {"mat", "materials"},
    {"degree", "order"},
    {"p", "order"},
    {"polynomial_order", "order"},
    {"element_order", "order"},
    {"model", "physics"},
    {"analysis", "physics"},
    {"type", "physics"},
    {"problem", "physics"},
    {"equation", "physics"},
    {"cad", "geometry"},
    {"mesh_size", "size"},
    {"element_size", "size"},
    {"lc", "size"},
    {"loadcases", "cases"},
    {"load_cases", "cases"},
    {"steps", "cases"},
    {"result", "output"},
    {"results", "output"},
    {"linear_solver", "solver"},
    /* solver, box */
    {"tol", "tolerance"},
    {"rtol", "tolerance"},
    {"relative_tolerance", "tolerance"},
    {"eps", "tolerance"},
    {"maxiter", "max_iterations"},
    {"max_iter", "max_iterations"},
    {"maxit", "max_iterations"},
    {"iterations", "max_iterations"},
    {"pc", "preconditioner"},
    {"precond", "preconditioner"},
    {"type", "method"},
    {"ksp", "method"},
    {"n", "cells"},
    {"divisions", "cells"},
    {"elements", "cells"},
    {"element", "cell"},
    {"type", "cell"},
    {"length", "size"},
    {"lengths", "size"},
    {"dimensions", "size"},
    {"corner", "origin"},
    {"path", "file"},
};

static const char *find_plain_name(const ritz_synonym *table, int n, const char *plain, const char *const *names,
                                   int n_names)
{
    for (int s = 0; s < n; s++)
        for (int i = 0; i < n_names && strcasecmp(table[s].word, plain) == 0; i++)
            if (strcmp(table[s].meant, names[i]) == 0)
                return names[i];
    return NULL;
}

const char *ritz_meant(const char *word, const char *const *names, int n_names)
{
    char plain[64];
    size_t n = 0;
    if (strlen(word) >= sizeof plain)
        return NULL;
    for (; word[n]; n++)
        plain[n] = (char)(word[n] == '-' || word[n] == ' ' ? '_' : word[n]);
    plain[n] = '\0';
    const char *found = find_plain_name(synonyms, sizeof synonyms / sizeof *synonyms, plain, names, n_names);
    for (int i = 0; !found && ritz_physics_at(i); i++)
        found = find_plain_name(ritz_physics_at(i)->synonyms, ritz_physics_at(i)->n_synonyms, plain, names, n_names);
    return found ? found : ritz_nearest(word, names, n_names);
}
