/* Expressions: what appears where a number may stand. OpenCL C's arithmetic (+ - * / unary -, comparisons, && || !,
   ?:), its functions (sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 log log2 log10 sqrt cbrt pow fabs fmin
   fmax floor ceil hypot step(edge, x) ...) and the constants M_PI and M_E, over named variables. No statements. */
#ifndef RITZ_SRC_EXPRESSION_H
#define RITZ_SRC_EXPRESSION_H

#include "base/base.h"
#include "base/lanes.h"

typedef struct ritz_expression ritz_expression;

/* names[n_names]: the variables that may stand in the expression; their values come in that order. The error is
   RITZ_ERROR_INPUT and points into the text:  unknown name 'q' at character 5 of "2*x+q": known are x, y, z. */
ritz_status ritz_expression_create(const char *text, const char *const *names, int n_names,
                                   ritz_expression **expression);
void ritz_expression_destroy(ritz_expression **expression);
const char *ritz_expression_text(const ritz_expression *expression);
/* Whether variable i is read. */
bool ritz_expression_reads(const ritz_expression *expression, int variable);
/* Whether no variable is read; then *value is its value. */
bool ritz_expression_is_constant(const ritz_expression *expression, double *value);
/* The value, in f64. */
double ritz_expression_value(const ritz_expression *expression, const double *variables);
/* The same of several cells, at n points of each: variables[.][n] -> value[n]. */
enum { RITZ_LANE_POINTS = 8 }; /* at most */
void ritz_expression_lanes(const ritz_expression *expression, int n, const ritz_lanes *variables, ritz_lanes *value);
/* The value, and its derivatives with respect to variables 0..n-1 (forward differentiation), n <= 3. */
double ritz_expression_gradient(const ritz_expression *expression, const double *variables, int n, double *gradient);
/* Appends OpenCL C of type `real` (fully parenthesised, literals as (real)1.5, integer literals too, so 1/2 is 0.5)
   where variable i is written as spelled[i]. */
void ritz_expression_print(const ritz_expression *expression, const char *const *spelled, ritz_text *text);

#endif
