/* What a problem file says, from C: supports, loads in total at a point away from the part, a rigid face, thermal expansion,
   load cases and their combination in a text, the answers in a struct. Every key of docs/problem-file.md serves here. Checked
   against beam theory and the balance of forces.

     cc f_problem.c $(pkg-config --cflags --libs ritz) -lm -o f_problem && ./f_problem

     reaction   hot, x0: 0, 0, 0
     reaction   pull, x0: -1000, 0, 200; moment 0, -300, 0
     reaction   uls, x0: -1500, 0, 300; moment 0, -450, 0
     pull: the end moves by 7.05e-05, beam theory says 7.02e-05 */
#include <ritz.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A steel bar of 1 m. The force acts half a metre beyond its end, which stays plane. */
static const char part[] = "mesh: {box: {cells: [10, 2, 2], size: [1, 0.1, 0.1]}}\n"
                           "physics: elasticity\n"
                           "materials: {young: 200e9, poisson: 0, expansion: 12e-6}\n"
                           "boundary: {group: x0, displacement: fixed}\n"
                           "rigid: {group: x1, at: [1.5, 0.05, 0.05]}\n"
                           "cases:\n"
                           "  - {name: hot, temperature: 50}\n"
                           "  - {name: pull, boundary: {group: x1, force: [1000, 0, -200], at: [1.5, 0.05, 0.05]}}\n"
                           "combine: {uls: {hot: 1, pull: 1.5}}\n"
                           "output: {file: bar.vtkhdf}\n";

static void check_status(ritz_status status)
{
    if (status == RITZ_OK)
        return;
    fprintf(stderr, "%s\n", ritz_message());
    exit(1);
}

/* Lines of the run: mesh, system, solver, warnings. */
static void print_warning(const char *line, void *context)
{
    (void)context;
    if (line[0] == 'w')
        printf("%s\n", line);
}

static double plain(double force)
{
    return fabs(force) < 1e-3 ? 0 : force;
}

int main(void)
{
    ritz_problem *problem = NULL;
    ritz_result result = {.size = sizeof result};
    const char *const settings[] = {"solver.tolerance=1e-12", "output=none"}; /* as --set of the program */
    check_status(ritz_problem_parse(part, ".", settings, 2, &problem));
    ritz_problem_set_stage(problem, print_warning, NULL);
    check_status(ritz_problem_solve(problem, &result));

    bool right = result.n_cases == 3;
    for (int c = 0; c < result.n_cases; c++) {
        const ritz_balance *balance = &result.cases[c].balance;
        const double factor = c == 0 ? 0 : c == 1 ? 1 : 1.5; /* heat alone asks for no force */
        for (int i = 0; i < balance->n_reactions; i++) {
            const ritz_reaction *one = &balance->reactions[i];
            printf("reaction   %s, %s: %g, %g, %g", result.cases[c].name, one->groups, plain(one->force[0]),
                   plain(one->force[1]), plain(one->force[2]));
            if (factor > 0)
                printf("; moment %g, %g, %g", plain(one->moment[0]), plain(one->moment[1]), plain(one->moment[2]));
            printf("\n");
            right = right && fabs(one->force[0] + 1000 * factor) < 1e-3 && fabs(one->force[2] - 200 * factor) < 1e-3 &&
                    fabs(one->moment[1] + 300 * factor) < 1e-3;
        }
        right = right && balance->n_reactions == 1 && balance->imbalance < 1e-9;
    }
    const double stiffness = 200e9 * 0.1 * 0.001 / 12; /* E I; the force bends along 1 m, its moment besides */
    const double theory = 200 / (3 * stiffness) + 200 * 0.5 / (2 * stiffness) + 1.2 * 200 / (100e9 * 0.01);
    const double moved = ritz_find_largest(result.cases[1].largest, "displacement");
    printf("pull: the end moves by %.3g, beam theory says %.3g\n", moved, theory);
    right = right && fabs(moved / theory - 1) < 0.01;
    ritz_problem_destroy(&problem); /* the result's texts and arrays are its own */
    return right ? 0 : 1;
}
