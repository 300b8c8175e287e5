/* Expressions of several cells at several points at once: their program is read once for all of them. The numbers are those
   that ritz_expression_value gives of each. */
#include "form/expression_code.h"

#include <string.h>

/* a[p] = value at each of n points */
#define AT_POINTS(value)                                                                                               \
    for (int p = 0; p < n; p++)                                                                                        \
        a[p] = (value);                                                                                                \
    break
/* Where the comparison holds 1, else 0. */
#define TRUTH(comparison) RITZ_CHOOSE(comparison, ones, zeros)

/* clang-format off */ /* a table in the shape of a switch */
/* The operands are a, b and c, each [n]; a receives the result. */
RITZ_ANY_WIDTH void operate(const expression_node *node, int n, ritz_lanes *a)
{
    const ritz_lanes zeros = {0}, ones = zeros + 1, *b = a + n, *c = b + n;
    switch (node->op) {
    case OP_NEGATE: AT_POINTS(-a[p]);
    case OP_LESS: AT_POINTS(TRUTH(a[p] < b[p]));
    case OP_LESS_EQUAL: AT_POINTS(TRUTH(a[p] <= b[p]));
    case OP_GREATER: AT_POINTS(TRUTH(a[p] > b[p]));
    case OP_GREATER_EQUAL: AT_POINTS(TRUTH(a[p] >= b[p]));
    case OP_ADD: AT_POINTS(a[p] + b[p]);
    case OP_SUBTRACT: AT_POINTS(a[p] - b[p]);
    case OP_MULTIPLY: AT_POINTS(a[p] * b[p]);
    case OP_DIVIDE: AT_POINTS(a[p] / b[p]);
    case OP_SELECT: AT_POINTS(RITZ_CHOOSE(a[p] != 0, b[p], c[p]));
    default:
        for (int l = 0; l < n * RITZ_N_LANES; l++) {
            const int p = l / RITZ_N_LANES, lane = l % RITZ_N_LANES;
            double operand[3] = {0};
            for (int k = 0; k < node->n_operands; k++)
                operand[k] = a[k * n + p][lane];
            a[p][lane] = ritz_expression_apply(node->op, operand);
        }
    }
}
/* clang-format on */

/* A number or a name. */
RITZ_ANY_WIDTH void push(const expression_node *node, int n, const ritz_lanes *variables, ritz_lanes *a)
{
    if (node->op == OP_VARIABLE)
        memcpy(a, variables + (int64_t)node->operand[0] * n, (size_t)n * sizeof *a);
    else
        for (int p = 0; p < n; p++)
            a[p] = node->number - (ritz_lanes){0}; /* -0 too */
}

/* With room for n numbers of the stack's height. */
RITZ_EACH_WIDTH static void run(const ritz_expression *expression, int n, const ritz_lanes *variables,
                                ritz_lanes *value)
{
    ritz_lanes stack[EXPRESSION_MAX_STACK], *top = stack;
    for (int32_t i = 0; i < expression->n_nodes; i++) {
        const expression_node *node = &expression->nodes[i];
        top -= n * node->n_operands;
        if (node->op == OP_NUMBER || node->op == OP_VARIABLE)
            push(node, n, variables, top);
        else
            operate(node, n, top);
        top += n;
    }
    memcpy(value, stack, (size_t)n * sizeof *value);
}

/* Point by point what is nested too deeply for several of them. */
static void run_deep(const ritz_expression *expression, int n, const ritz_lanes *variables, ritz_lanes *value)
{
    ritz_lanes own[EXPRESSION_MAX_STACK]; /* no form has as many names */
    for (int p = 0; p < n; p++) {
        for (int v = 0; v < expression->n_names; v++)
            if (expression->reads[v])
                own[v] = variables[(int64_t)v * n + p];
        run(expression, 1, own, &value[p]);
    }
}

void ritz_expression_lanes(const ritz_expression *expression, int n, const ritz_lanes *variables, ritz_lanes *value)
{
    if (expression->n_nodes == 1)
        push(expression->nodes, n, variables, value);
    else if (expression->height * n <= EXPRESSION_MAX_STACK)
        run(expression, n, variables, value);
    else
        run_deep(expression, n, variables, value);
}
