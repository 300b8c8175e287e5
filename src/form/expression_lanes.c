/* Expressions of several cells at once: their program is read once for all of them. The numbers are those that
   ritz_expression_value gives of each. */
#include "form/expression_code.h"

/* Where the comparison holds 1, else 0. */
#define TRUTH(comparison) RITZ_CHOOSE(comparison, ones, zeros)

/* a[0] = op of a[0], a[1], a[2] */
RITZ_ANY_WIDTH void operate(const expression_node *node, ritz_lanes *a)
{
    const ritz_lanes zeros = {0}, ones = zeros + 1;
    switch (node->op) {
    case OP_NEGATE:
        a[0] = -a[0];
        break;
    case OP_LESS:
        a[0] = TRUTH(a[0] < a[1]);
        break;
    case OP_LESS_EQUAL:
        a[0] = TRUTH(a[0] <= a[1]);
        break;
    case OP_GREATER:
        a[0] = TRUTH(a[0] > a[1]);
        break;
    case OP_GREATER_EQUAL:
        a[0] = TRUTH(a[0] >= a[1]);
        break;
    case OP_ADD:
        a[0] = a[0] + a[1];
        break;
    case OP_SUBTRACT:
        a[0] = a[0] - a[1];
        break;
    case OP_MULTIPLY:
        a[0] = a[0] * a[1];
        break;
    case OP_DIVIDE:
        a[0] = a[0] / a[1];
        break;
    case OP_SELECT:
        a[0] = RITZ_CHOOSE(a[0] != 0, a[1], a[2]);
        break;
    default:
        for (int l = 0; l < RITZ_N_LANES; l++) {
            double operand[3] = {0};
            for (int k = 0; k < node->n_operands; k++)
                operand[k] = a[k][l];
            a[0][l] = ritz_expression_apply(node->op, operand);
        }
    }
}

RITZ_EACH_WIDTH static void run(const ritz_expression *expression, const ritz_lanes *variables, ritz_lanes *value)
{
    const ritz_lanes zeros = {0};
    ritz_lanes stack[EXPRESSION_MAX_STACK];
    int top = 0;
    for (int32_t i = 0; i < expression->n_nodes; i++) {
        const expression_node *node = &expression->nodes[i];
        top -= node->n_operands;
        if (node->op == OP_NUMBER)
            stack[top] = node->number - zeros; /* -0 too */
        else if (node->op == OP_VARIABLE)
            stack[top] = variables[node->operand[0]];
        else
            operate(node, &stack[top]);
        top++;
    }
    *value = stack[0];
}

void ritz_expression_lanes(const ritz_expression *expression, const ritz_lanes *variables, ritz_lanes *value)
{
    const expression_node *only = expression->nodes;
    if (expression->n_nodes > 1)
        run(expression, variables, value);
    else if (only->op == OP_VARIABLE)
        *value = variables[only->operand[0]];
    else
        *value = only->number - (ritz_lanes){0}; /* -0 too */
}
