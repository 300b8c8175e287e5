/* The inner form of an expression, shared by the parser (expression.c) and the evaluator and printer
   (expression_value.c).

   Nodes stand in postfix order: operands before their operator, so that the array is at once a tree (through `operand`)
   and the program of a stack machine that reads it from front to back. */
#ifndef RITZ_SRC_EXPRESSION_CODE_H
#define RITZ_SRC_EXPRESSION_CODE_H

#include "form/expression.h"

/* What hostile text can reach: stack of the evaluator, brackets that OpenCL compilers take (clang: 256), recursion. */
enum {
    EXPRESSION_MAX_STACK = 256,
    EXPRESSION_MAX_BRACKETS = 200,
    EXPRESSION_MAX_DEPTH = 2000,
    EXPRESSION_MAX_NESTING = 150
};

typedef enum expression_op {
    OP_NUMBER,
    OP_VARIABLE,
    OP_NEGATE,
    OP_NOT,
    OP_OR,
    OP_AND,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_SELECT,
    OP_FIRST_FUNCTION,
    F_SIN = OP_FIRST_FUNCTION,
    F_COS,
    F_TAN,
    F_ASIN,
    F_ACOS,
    F_ATAN,
    F_ATAN2,
    F_SINH,
    F_COSH,
    F_TANH,
    F_ASINH,
    F_ACOSH,
    F_ATANH,
    F_EXP,
    F_EXP2,
    F_EXP10,
    F_EXPM1,
    F_LOG,
    F_LOG2,
    F_LOG10,
    F_LOG1P,
    F_SQRT,
    F_RSQRT,
    F_CBRT,
    F_POW,
    F_HYPOT,
    F_FABS,
    F_SIGN,
    F_FLOOR,
    F_CEIL,
    F_ROUND,
    F_TRUNC,
    F_FMOD,
    F_FMIN,
    F_FMAX,
    F_MIN,
    F_MAX,
    F_STEP,
    F_CLAMP,
    F_ERF,
    F_ERFC,
    OP_END
} expression_op;

/* Functions are called alike in the text and in OpenCL C. Indexed by op - OP_FIRST_FUNCTION. */
enum { EXPRESSION_N_FUNCTIONS = OP_END - OP_FIRST_FUNCTION };
extern const char *const ritz_expression_functions[EXPRESSION_N_FUNCTIONS];

typedef struct expression_node {
    uint8_t op;
    uint8_t n_operands;
    int16_t brackets;   /* nesting of the printed text */
    int32_t depth;      /* of the tree below, this node included */
    int32_t operand[3]; /* nodes; of OP_VARIABLE: the variable in operand[0] */
    double number;      /* of OP_NUMBER */
} expression_node;

struct ritz_expression {
    char *text;
    int n_names;
    bool *reads; /* [n_names] */
    int32_t n_nodes, capacity;
    int32_t height;         /* of the evaluator's stack */
    expression_node *nodes; /* the last one is the root */
};

/* Sums and differences, and products and quotients, hang together from left to right without brackets: whether `child`
   as the left operand of `parent` needs none. */
bool ritz_expression_chains(int parent, int child);
/* The value of an operation, OP_NEGATE and those after it, of its operands a. */
double ritz_expression_apply(int op, const double *a);

#endif
