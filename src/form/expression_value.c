/* Expressions: values, forward-mode derivatives, and OpenCL C text. */
#include "form/expression_code.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846, ln2 = 0.69314718055994530942, ln10 = 2.30258509299404568402;

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* OpenCL's sign: 0 for 0 and for NaN. */
static double sign_of(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? x : 0;
}

/* clang-format off */ /* tables in the shape of switches */
static double call_function(int op, const double *a)
{
    switch (op) {
    case F_SIN: return sin(a[0]);
    case F_COS: return cos(a[0]);
    case F_TAN: return tan(a[0]);
    case F_ASIN: return asin(a[0]);
    case F_ACOS: return acos(a[0]);
    case F_ATAN: return atan(a[0]);
    case F_ATAN2: return atan2(a[0], a[1]);
    case F_SINH: return sinh(a[0]);
    case F_COSH: return cosh(a[0]);
    case F_TANH: return tanh(a[0]);
    case F_ASINH: return asinh(a[0]);
    case F_ACOSH: return acosh(a[0]);
    case F_ATANH: return atanh(a[0]);
    case F_EXP: return exp(a[0]);
    case F_EXP2: return exp2(a[0]);
    case F_EXP10: return pow(10, a[0]);
    case F_EXPM1: return expm1(a[0]);
    case F_LOG: return log(a[0]);
    case F_LOG2: return log2(a[0]);
    case F_LOG10: return log10(a[0]);
    case F_LOG1P: return log1p(a[0]);
    case F_SQRT: return sqrt(a[0]);
    case F_RSQRT: return 1 / sqrt(a[0]);
    case F_CBRT: return cbrt(a[0]);
    case F_POW: return pow(a[0], a[1]);
    case F_HYPOT: return hypot(a[0], a[1]);
    case F_FABS: return fabs(a[0]);
    case F_SIGN: return sign_of(a[0]);
    case F_FLOOR: return floor(a[0]);
    case F_CEIL: return ceil(a[0]);
    case F_ROUND: return round(a[0]);
    case F_TRUNC: return trunc(a[0]);
    case F_FMOD: return fmod(a[0], a[1]);
    case F_MIN:
    case F_FMIN: return fmin(a[0], a[1]);
    case F_MAX:
    case F_FMAX: return fmax(a[0], a[1]);
    case F_STEP: return a[1] < a[0] ? 0 : 1;
    case F_CLAMP: return fmin(fmax(a[0], a[1]), a[2]);
    case F_ERF: return erf(a[0]);
    default: return erfc(a[0]);
    }
}
/* clang-format on */

/* clang-format off */
double ritz_expression_apply(int op, const double *a)
{
    switch (op) {
    case OP_NEGATE: return -a[0];
    case OP_NOT: return a[0] == 0;
    case OP_OR: return a[0] != 0 || a[1] != 0;
    case OP_AND: return a[0] != 0 && a[1] != 0;
    case OP_EQUAL: return a[0] == a[1];
    case OP_UNEQUAL: return a[0] != a[1];
    case OP_LESS: return a[0] < a[1];
    case OP_LESS_EQUAL: return a[0] <= a[1];
    case OP_GREATER: return a[0] > a[1];
    case OP_GREATER_EQUAL: return a[0] >= a[1];
    case OP_ADD: return a[0] + a[1];
    case OP_SUBTRACT: return a[0] - a[1];
    case OP_MULTIPLY: return a[0] * a[1];
    case OP_DIVIDE: return a[0] / a[1];
    case OP_SELECT: return a[0] != 0 ? a[1] : a[2];
    default: return call_function(op, a);
    }
}
/* clang-format on */

double ritz_expression_value(const ritz_expression *expression, const double *variables)
{
    double stack[EXPRESSION_MAX_STACK];
    int top = 0;
    for (int32_t i = 0; i < expression->n_nodes; i++) {
        const expression_node *node = &expression->nodes[i];
        if (node->op == OP_NUMBER) {
            stack[top++] = node->number;
        } else if (node->op == OP_VARIABLE) {
            stack[top++] = variables[node->operand[0]];
        } else {
            top -= node->n_operands;
            stack[top] = ritz_expression_apply(node->op, &stack[top]);
            top++;
        }
    }
    return stack[0];
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */

/* clang-format off */
/* The derivative of a function of one argument a, whose value is v. */
static double slope_of(int op, double a, double v)
{
    switch (op) {
    case F_SIN: return cos(a);
    case F_COS: return -sin(a);
    case F_TAN: return 1 + v * v;
    case F_ASIN: return 1 / sqrt(1 - a * a);
    case F_ACOS: return -1 / sqrt(1 - a * a);
    case F_ATAN: return 1 / (1 + a * a);
    case F_SINH: return cosh(a);
    case F_COSH: return sinh(a);
    case F_TANH: return 1 - v * v;
    case F_ASINH: return 1 / sqrt(a * a + 1);
    case F_ACOSH: return 1 / sqrt(a * a - 1);
    case F_ATANH: return 1 / (1 - a * a);
    case F_EXP: return v;
    case F_EXP2: return v * ln2;
    case F_EXP10: return v * ln10;
    case F_EXPM1: return v + 1;
    case F_LOG: return 1 / a;
    case F_LOG2: return 1 / (a * ln2);
    case F_LOG10: return 1 / (a * ln10);
    case F_LOG1P: return 1 / (1 + a);
    case F_SQRT: return 0.5 / v;
    case F_RSQRT: return -0.5 * v / a;
    case F_CBRT: return 1 / (3 * v * v);
    case F_FABS: return sign_of(a);
    case F_ERF: return 2 / sqrt(pi) * exp(-a * a);
    case F_ERFC: return -2 / sqrt(pi) * exp(-a * a);
    default: return 0; /* sign, floor, ceil, round, trunc: constant between their jumps */
    }
}

/* Partial derivatives d[k] with respect to each operand of a node of value v. */
static void differentiate_operation(int op, const double *a, double v, double *d)
{
    d[0] = d[1] = d[2] = 0;
    switch (op) {
    case OP_NEGATE: d[0] = -1; break;
    case OP_ADD: d[0] = d[1] = 1; break;
    case OP_SUBTRACT: d[0] = 1, d[1] = -1; break;
    case OP_MULTIPLY: d[0] = a[1], d[1] = a[0]; break;
    case OP_DIVIDE: d[0] = 1 / a[1], d[1] = -v / a[1]; break;
    case OP_SELECT: d[a[0] != 0 ? 1 : 2] = 1; break;
    case F_ATAN2: d[0] = a[1] / (a[0] * a[0] + a[1] * a[1]), d[1] = -a[0] / (a[0] * a[0] + a[1] * a[1]); break;
    case F_POW: d[0] = a[1] == 0 ? 0 : a[1] * pow(a[0], a[1] - 1), d[1] = v == 0 ? 0 : v * log(a[0]); break;
    case F_HYPOT: d[0] = v > 0 ? a[0] / v : 0, d[1] = v > 0 ? a[1] / v : 0; break;
    case F_FMOD: d[0] = 1, d[1] = -trunc(a[0] / a[1]); break;
    case F_MIN:
    case F_FMIN: d[a[0] <= a[1] ? 0 : 1] = 1; break;
    case F_MAX:
    case F_FMAX: d[a[0] >= a[1] ? 0 : 1] = 1; break;
    case F_CLAMP: d[a[0] > a[2] || a[1] > a[2] ? 2 : a[0] < a[1] ? 1 : 0] = 1; break;
    case OP_NOT:
    case OP_OR:
    case OP_AND:
    case OP_EQUAL:
    case OP_UNEQUAL:
    case OP_LESS:
    case OP_LESS_EQUAL:
    case OP_GREATER:
    case OP_GREATER_EQUAL:
    case F_STEP: break; /* constant between their jumps */
    default: d[0] = slope_of(op, a[0], v); break;
    }
}
/* clang-format on */

double ritz_expression_gradient(const ritz_expression *expression, const double *variables, int n, double *gradient)
{
    double value[EXPRESSION_MAX_STACK], slopes[EXPRESSION_MAX_STACK][3], d[3];
    int top = 0;
    for (int32_t i = 0; i < expression->n_nodes; i++) {
        const expression_node *node = &expression->nodes[i];
        double result, sum[3] = {0, 0, 0};
        top -= node->n_operands;
        if (node->op == OP_NUMBER) {
            result = node->number;
        } else if (node->op == OP_VARIABLE) {
            result = variables[node->operand[0]];
            if (node->operand[0] < 3)
                sum[node->operand[0]] = 1;
        } else {
            result = ritz_expression_apply(node->op, &value[top]);
            differentiate_operation(node->op, &value[top], result, d);
            for (int k = 0; k < node->n_operands; k++)
                for (int c = 0; c < 3; c++)
                    /* An operand that stands still adds nothing, even where the function is steep: sqrt(0 * x). */
                    sum[c] += slopes[top + k][c] != 0 && d[k] != 0 ? d[k] * slopes[top + k][c] : 0;
        }
        value[top] = result;
        memcpy(slopes[top++], sum, sizeof sum);
    }
    for (int c = 0; c < n && c < 3; c++)
        gradient[c] = slopes[0][c];
    return value[0];
}

/* ---- OpenCL C ---------------------------------------------------------------------------------------------------- */

static void print_number(double number, ritz_text *text)
{
    char digits[48];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    /* printf writes the decimal point of the program's locale. */
    char *point = strchr(digits, localeconv()->decimal_point[0]);
    if (point)
        *point = '.';
    ritz_text_add(text, "(real)%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
}

static const char *const signs[] = {
    [OP_OR] = "||",  [OP_AND] = "&&",        [OP_EQUAL] = "==",   [OP_UNEQUAL] = "!=",
    [OP_LESS] = "<", [OP_LESS_EQUAL] = "<=", [OP_GREATER] = ">",  [OP_GREATER_EQUAL] = ">=",
    [OP_ADD] = "+",  [OP_SUBTRACT] = "-",    [OP_MULTIPLY] = "*", [OP_DIVIDE] = "/",
};

typedef struct printer {
    const ritz_expression *expression;
    const char *const *spelled;
    ritz_text *text;
} printer;

/* bare: without the outer brackets, as the left end of a chain of sums or products. */
static void print_node(const printer *p, int32_t index, bool bare)
{
    const expression_node *node = &p->expression->nodes[index];
    const int32_t *operand = node->operand;
    ritz_text *text = p->text;
    switch (node->op) {
    case OP_NUMBER:
        print_number(node->number, text);
        break;
    case OP_VARIABLE:
        ritz_text_add(text, "%s", p->spelled[operand[0]]);
        break;
    case OP_NEGATE:
        ritz_text_add(text, "(-");
        print_node(p, operand[0], false);
        ritz_text_add(text, ")");
        break;
    case OP_NOT:
        ritz_text_add(text, "((real)(");
        print_node(p, operand[0], false);
        ritz_text_add(text, " == (real)0))");
        break;
    case OP_OR:
    case OP_AND: /* OpenCL C takes no real as a condition: the comparison makes it an int, the cast a real again */
        ritz_text_add(text, "((real)((");
        print_node(p, operand[0], false);
        ritz_text_add(text, " != (real)0) %s (", signs[node->op]);
        print_node(p, operand[1], false);
        ritz_text_add(text, " != (real)0)))");
        break;
    case OP_SELECT:
        ritz_text_add(text, "(");
        print_node(p, operand[0], false);
        ritz_text_add(text, " != (real)0 ? ");
        print_node(p, operand[1], false);
        ritz_text_add(text, " : ");
        print_node(p, operand[2], false);
        ritz_text_add(text, ")");
        break;
    default:
        if (node->op >= OP_FIRST_FUNCTION) {
            ritz_text_add(text, "%s(", ritz_expression_functions[node->op - OP_FIRST_FUNCTION]);
            for (int k = 0; k < node->n_operands; k++) {
                ritz_text_add(text, "%s", k ? ", " : "");
                print_node(p, operand[k], false);
            }
            ritz_text_add(text, ")");
            break;
        }
        bool truth = node->op <= OP_GREATER_EQUAL;
        ritz_text_add(text, truth ? "((real)(" : bare ? "" : "(");
        print_node(p, operand[0], ritz_expression_chains(node->op, p->expression->nodes[operand[0]].op));
        ritz_text_add(text, " %s ", signs[node->op]);
        print_node(p, operand[1], false);
        ritz_text_add(text, truth ? "))" : bare ? "" : ")");
        break;
    }
}

void ritz_expression_print(const ritz_expression *expression, const char *const *spelled, ritz_text *text)
{
    print_node(&(printer){expression, spelled, text}, expression->n_nodes - 1, false);
}
