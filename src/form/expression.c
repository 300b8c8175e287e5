/* Expressions: from text to nodes. Recursive descent over the grammar

       expression = or [ '?' expression ':' expression ]
       binary     = unary { operator unary }            by precedence: || && (== !=) (< <= > >=) (+ -) (* /)
       unary      = { '-' | '+' | '!' } primary
       primary    = number | variable | constant | function '(' expression { ',' expression } ')' | '(' expression ')'

   Depth is limited at every step, so that no text can exhaust the stack here, in the evaluator, or in an OpenCL
   compiler. */
#include "form/expression_code.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ritz_expression_functions[EXPRESSION_N_FUNCTIONS] = {
    "sin",   "cos",   "tan", "asin",  "acos",  "atan",  "atan2", "sinh", "cosh",  "tanh",  "asinh",
    "acosh", "atanh", "exp", "exp2",  "exp10", "expm1", "log",   "log2", "log10", "log1p", "sqrt",
    "rsqrt", "cbrt",  "pow", "hypot", "fabs",  "sign",  "floor", "ceil", "round", "trunc", "fmod",
    "fmin",  "fmax",  "min", "max",   "step",  "clamp", "erf",   "erfc",
};

static const struct {
    const char *name;
    double value;
} constants[] = {{"M_PI", 3.14159265358979323846}, {"M_E", 2.71828182845904523536}};
enum { N_CONSTANTS = sizeof constants / sizeof constants[0] };

typedef struct parser {
    ritz_expression *expression;
    const char *text;
    const char *at;
    const char *const *names;
    int nesting;
} parser;

static ritz_status parse_expression(parser *p, int32_t *node);
static ritz_status parse_binary(parser *p, int least, int32_t *node);

/* The text as it stands in a message: one line, at most about 80 characters around `position`. */
static void quote_place(const char *text, int64_t position, char quoted[128])
{
    int64_t length = (int64_t)strlen(text);
    int64_t begin = length > 80 ? ritz_max64(0, ritz_min64(position - 40, length - 80)) : 0;
    int64_t end = ritz_min64(length, begin + 80);
    int n = snprintf(quoted, 8, "%s", begin > 0 ? "..." : "");
    for (int64_t i = begin; i < end; i++)
        quoted[n++] = iscntrl((unsigned char)text[i]) ? ' ' : text[i];
    snprintf(quoted + n, 8, "%s", end < length ? "..." : "");
}

/* An error at `where`; `what` is put before and `advice` after the place. */
static ritz_status fail_at(const parser *p, const char *where, const char *what, const char *advice)
{
    char quoted[128];
    quote_place(p->text, where - p->text, quoted);
    return ritz_fail(RITZ_ERROR_INPUT, "%s at character %lld of \"%s\": %s", what, (long long)(where - p->text) + 1,
                     quoted, advice);
}

static void skip_space(parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool is_word_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static size_t word_length(const char *word)
{
    size_t n = 0;
    while (is_word_start(word[n]) || (n > 0 && isdigit((unsigned char)word[n])))
        n++;
    return n;
}

bool ritz_expression_chains(int parent, int child)
{
    bool sum = (parent == OP_ADD || parent == OP_SUBTRACT) && (child == OP_ADD || child == OP_SUBTRACT);
    bool product = (parent == OP_MULTIPLY || parent == OP_DIVIDE) && (child == OP_MULTIPLY || child == OP_DIVIDE);
    return sum || product;
}

/* Appends a node whose operands are in place, and follows how deep the tree and its printed brackets go. */
static ritz_status add_node(parser *p, expression_node node, int32_t *index)
{
    ritz_status status = RITZ_OK;
    ritz_expression *e = p->expression;
    int depth = 0, brackets = 0;
    for (int k = 0; k < node.n_operands; k++) {
        const expression_node *operand = &e->nodes[node.operand[k]];
        int inside = operand->brackets - (k == 0 && ritz_expression_chains(node.op, operand->op) ? 1 : 0);
        depth = operand->depth > depth ? operand->depth : depth;
        brackets = inside > brackets ? inside : brackets;
    }
    node.depth = depth + 1;
    /* The printer puts at most two pairs around an operator that gives a truth value. */
    bool truth = node.op >= OP_NOT && node.op <= OP_GREATER_EQUAL;
    node.brackets = (int16_t)(brackets + (truth ? 3 : 1));
    if (node.depth > EXPRESSION_MAX_DEPTH || node.brackets > EXPRESSION_MAX_BRACKETS)
        RITZ_TRY(fail_at(p, p->at, "too deeply nested or too long", "split the expression or simplify it"));
    if (e->n_nodes == e->capacity) {
        int32_t capacity = 2 * e->capacity + 16;
        RITZ_RESIZE(e->nodes, capacity);
        e->capacity = capacity;
    }
    *index = e->n_nodes;
    e->nodes[e->n_nodes++] = node;
done:
    return status;
}

/* ---- numbers and names ------------------------------------------------------------------------------------------- */

static ritz_status parse_number(parser *p, int32_t *node)
{
    ritz_status status = RITZ_OK;
    const char *begin = p->at, *at = begin;
    while (isdigit((unsigned char)*at) || *at == '.')
        at++;
    if ((*at == 'e' || *at == 'E') &&
        (isdigit((unsigned char)at[1]) || ((at[1] == '+' || at[1] == '-') && isdigit((unsigned char)at[2]))))
        for (at += 2; isdigit((unsigned char)*at);)
            at++;
    char digits[128];
    size_t n = (size_t)(at - begin);
    if (n >= sizeof digits)
        RITZ_TRY(fail_at(p, begin, "a number of more than 127 digits", "shorten it"));
    memcpy(digits, begin, n);
    digits[n] = 0;
    /* strtod reads the decimal point of the program's locale; expressions always have '.'. */
    char *point = strchr(digits, '.');
    if (point)
        *point = localeconv()->decimal_point[0];
    char *end = NULL;
    double value = strtod(digits, &end);
    if (*end || end == digits)
        RITZ_TRY(fail_at(p, begin, "not a number", "write it as 12, 1.5 or 2.5e-3"));
    if (!isfinite(value))
        RITZ_TRY(fail_at(p, begin, "number too large", "the largest is about 1.8e308"));
    if ((*at == 'f' || *at == 'F') && !is_word_start(at[1]) && !isdigit((unsigned char)at[1]))
        at++; /* C's suffix of a float: precision is chosen elsewhere */
    if (is_word_start(*at) || *at == '(')
        RITZ_TRY(fail_at(p, at, "an operator is missing", "a product is written with *, as in 2*x"));
    p->at = at;
    RITZ_TRY(add_node(p, (expression_node){.op = OP_NUMBER, .number = value}, node));
done:
    return status;
}

/* "known are x, y, z", and the nearest name of any kind. */
static ritz_status unknown_name(const parser *p, const char *word, const char *where, bool called)
{
    ritz_status status = RITZ_OK;
    ritz_text advice = {0};
    char *made = NULL;
    const char **candidates = NULL;
    int n = 0, n_names = p->expression->n_names;
    RITZ_NEW(candidates, n_names + N_CONSTANTS + EXPRESSION_N_FUNCTIONS);
    for (int i = 0; i < EXPRESSION_N_FUNCTIONS && (called || strlen(word) > 1); i++)
        candidates[n++] = ritz_expression_functions[i];
    for (int i = 0; i < n_names && !called; i++)
        candidates[n++] = p->names[i];
    for (int i = 0; i < N_CONSTANTS && !called; i++)
        candidates[n++] = constants[i].name;
    const char *nearest = strlen(word) > 1 ? ritz_nearest(word, candidates, n) : NULL;
    if (!strcmp(word, "pi") || !strcmp(word, "PI") || !strcmp(word, "Pi"))
        nearest = "M_PI";
    else if (called && !strcmp(word, "abs"))
        nearest = "fabs";
    else if (called && !strcmp(word, "ln"))
        nearest = "log";
    ritz_text_add(&advice, "known are ");
    int n_listed = called ? EXPRESSION_N_FUNCTIONS : n_names;
    for (int i = 0; i < n_listed; i++)
        ritz_text_add(&advice, "%s%s", i ? ", " : "", called ? ritz_expression_functions[i] : p->names[i]);
    if (!n_listed)
        ritz_text_add(&advice, "numbers, M_PI, M_E and functions only");
    if (nearest)
        ritz_text_add(&advice, "; did you mean '%s'?", nearest);
    RITZ_TRY(ritz_text_take(&advice, &made));
    char what[96];
    snprintf(what, sizeof what, "unknown %s '%.60s'", called ? "function" : "name", word);
    status = fail_at(p, where, what, made);
done:
    ritz_free(candidates);
    ritz_free(made);
    return status;
}

static int n_arguments(int op)
{
    switch (op) {
    case F_CLAMP:
        return 3;
    case F_ATAN2:
    case F_POW:
    case F_HYPOT:
    case F_FMOD:
    case F_FMIN:
    case F_FMAX:
    case F_MIN:
    case F_MAX:
    case F_STEP:
        return 2;
    default:
        return 1;
    }
}

/* After the function's name: its arguments in parentheses. */
static ritz_status parse_call(parser *p, int op, const char *where, int32_t *node)
{
    ritz_status status = RITZ_OK;
    expression_node call = {.op = (uint8_t)op};
    int expected = n_arguments(op), given = 0;
    char what[96], advice[96];
    snprintf(what, sizeof what, "%s takes %d argument%s", ritz_expression_functions[op - OP_FIRST_FUNCTION], expected,
             expected == 1 ? "" : "s");
    snprintf(advice, sizeof advice, "write %s(%s)", ritz_expression_functions[op - OP_FIRST_FUNCTION],
             expected == 1   ? "a"
             : expected == 2 ? "a, b"
                             : "a, b, c");
    do {
        p->at++; /* '(' or ',' */
        skip_space(p);
        if (given == expected || *p->at == ')')
            RITZ_TRY(fail_at(p, where, what, advice));
        RITZ_TRY(parse_expression(p, &call.operand[given++]));
        skip_space(p);
    } while (*p->at == ',');
    if (*p->at != ')')
        RITZ_TRY(fail_at(p, p->at, "a ')' is missing", "close the function's arguments"));
    if (given != expected)
        RITZ_TRY(fail_at(p, where, what, advice));
    p->at++;
    call.n_operands = (uint8_t)given;
    RITZ_TRY(add_node(p, call, node));
done:
    return status;
}

static ritz_status parse_name(parser *p, int32_t *node)
{
    ritz_status status = RITZ_OK;
    const char *where = p->at;
    size_t length = word_length(where);
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), where);
    p->at += length;
    skip_space(p);
    bool called = *p->at == '(';
    for (int i = 0; i < p->expression->n_names; i++)
        if (length < sizeof word && !strcmp(word, p->names[i])) {
            if (called)
                RITZ_TRY(
                    fail_at(p, p->at, "a variable is not a function", "a product is written with *, as in x*(y + 1)"));
            p->expression->reads[i] = true;
            return add_node(p, (expression_node){.op = OP_VARIABLE, .operand = {i}}, node);
        }
    for (int i = 0; i < N_CONSTANTS; i++)
        if (!strcmp(word, constants[i].name) && !called)
            return add_node(p, (expression_node){.op = OP_NUMBER, .number = constants[i].value}, node);
    for (int i = 0; i < EXPRESSION_N_FUNCTIONS; i++)
        if (!strcmp(word, ritz_expression_functions[i])) {
            if (!called)
                RITZ_TRY(fail_at(p, p->at, "a '(' is missing",
                                 "a function takes its arguments in parentheses, as in sin(x)"));
            return parse_call(p, OP_FIRST_FUNCTION + i, where, node);
        }
    status = unknown_name(p, word, where, called);
done:
    return status;
}

/* ---- grammar ----------------------------------------------------------------------------------------------------- */

/* What is said where an operand should stand and does not. */
static ritz_status missing_operand(const parser *p)
{
    const char *what = *p->at ? "a number, name or '(' is missing" : "the expression ends too early";
    const char *advice = "expressions are made of numbers, variables, functions and + - * / ( ), as in 2*sin(x) + 1";
    if (*p->at == '*' && p->at > p->text && p->at[-1] == '*')
        advice = "a power is written pow(x, 2) or x*x, not x**2";
    else if (*p->at == '"' || *p->at == '\'')
        advice = "quotes do not belong into an expression";
    return fail_at(p, p->at, what, advice);
}

static ritz_status parse_primary(parser *p, int32_t *node)
{
    ritz_status status = RITZ_OK;
    skip_space(p);
    if (isdigit((unsigned char)*p->at) || *p->at == '.')
        return parse_number(p, node);
    if (is_word_start(*p->at))
        return parse_name(p, node);
    if (*p->at != '(')
        return missing_operand(p);
    const char *opened = p->at++;
    RITZ_TRY(parse_expression(p, node));
    skip_space(p);
    if (*p->at == ',')
        RITZ_TRY(fail_at(p, p->at, "a comma outside a function", "decimals are written with a point, as in 1.5"));
    if (*p->at != ')')
        RITZ_TRY(fail_at(p, opened, "a '(' is never closed", "add the missing ')'"));
    p->at++;
done:
    return status;
}

static ritz_status parse_unary(parser *p, int32_t *node)
{
    ritz_status status = RITZ_OK;
    skip_space(p);
    char sign = *p->at;
    if (sign != '-' && sign != '+' && sign != '!')
        return parse_primary(p, node);
    if (++p->nesting > EXPRESSION_MAX_NESTING)
        RITZ_TRY(fail_at(p, p->at, "too deeply nested", "simplify the expression"));
    if (p->at[1] == sign && sign != '!')
        RITZ_TRY(fail_at(p, p->at, "++ and -- are statements",
                         "expressions change no variable; write -(-x) for a double sign"));
    p->at++;
    RITZ_TRY(parse_unary(p, node));
    if (sign != '+')
        RITZ_TRY(add_node(
            p, (expression_node){.op = sign == '-' ? OP_NEGATE : OP_NOT, .n_operands = 1, .operand = {*node}}, node));
    p->nesting--;
done:
    return status;
}

static const struct operator_entry {
    char sign[3];
    uint8_t op, precedence;
} operators[] = {{"||", OP_OR, 1},         {"&&", OP_AND, 2},           {"==", OP_EQUAL, 3},   {"!=", OP_UNEQUAL, 3},
                 {"<=", OP_LESS_EQUAL, 4}, {">=", OP_GREATER_EQUAL, 4}, {"<", OP_LESS, 4},     {">", OP_GREATER, 4},
                 {"+", OP_ADD, 5},         {"-", OP_SUBTRACT, 5},       {"*", OP_MULTIPLY, 6}, {"/", OP_DIVIDE, 6}};

/* The operator that stands here, or NULL. Longer signs come first in the table; << and >> are none. */
static const struct operator_entry *operator_at(const char *at)
{
    if ((at[0] == '<' || at[0] == '>') && at[1] == at[0])
        return NULL;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (!strncmp(at, operators[i].sign, strlen(operators[i].sign)))
            return &operators[i];
    return NULL;
}

static ritz_status parse_binary(parser *p, int least, int32_t *node)
{
    ritz_status status = RITZ_OK;
    int previous = 0;
    RITZ_TRY(parse_unary(p, node));
    for (;;) {
        skip_space(p);
        const struct operator_entry *found = operator_at(p->at);
        if (!found || found->precedence < least)
            break;
        if (found->precedence == 4 && previous == 4)
            RITZ_TRY(fail_at(p, p->at, "a chain of comparisons", "write 0 < x && x < 1"));
        previous = found->precedence;
        p->at += strlen(found->sign);
        expression_node binary = {.op = found->op, .n_operands = 2, .operand = {*node}};
        RITZ_TRY(parse_binary(p, found->precedence + 1, &binary.operand[1]));
        RITZ_TRY(add_node(p, binary, node));
    }
done:
    return status;
}

static ritz_status parse_expression(parser *p, int32_t *node)
{
    ritz_status status = RITZ_OK;
    if (++p->nesting > EXPRESSION_MAX_NESTING)
        RITZ_TRY(fail_at(p, p->at, "too deeply nested", "simplify the expression"));
    RITZ_TRY(parse_binary(p, 1, node));
    skip_space(p);
    if (*p->at == '?') {
        const char *question = p->at++;
        expression_node select = {.op = OP_SELECT, .n_operands = 3, .operand = {*node}};
        RITZ_TRY(parse_expression(p, &select.operand[1]));
        skip_space(p);
        if (*p->at != ':')
            RITZ_TRY(fail_at(p, question, "a '?' has no ':'", "write condition ? a : b"));
        p->at++;
        RITZ_TRY(parse_expression(p, &select.operand[2]));
        RITZ_TRY(add_node(p, select, node));
    }
    p->nesting--;
done:
    return status;
}

/* What is said about text behind a whole expression. */
static ritz_status unexpected_rest(const parser *p)
{
    char what[48];
    const char *advice = "an operator is missing before it, or it does not belong here";
    snprintf(what, sizeof what, isprint((unsigned char)*p->at) ? "unexpected '%c'" : "unexpected byte 0x%02x",
             (unsigned char)*p->at);
    if (*p->at == '^')
        advice = "a power is written x*x or pow(x, 2), not x^2";
    else if (*p->at == '%')
        advice = "a remainder is written fmod(x, y)";
    else if (*p->at == '=')
        advice = "expressions assign nothing; equality is written ==";
    else if (*p->at == ';' || *p->at == '{' || *p->at == '}')
        advice = "one expression, no statements";
    else if (*p->at == '&' || *p->at == '|')
        advice = "logical operators are && and ||";
    else if (*p->at == ',')
        advice = "decimals are written with a point, as in 1.5";
    else if (*p->at == ')')
        advice = "there is no '(' for it";
    else if (*p->at == '[')
        advice = "variables are plain names without index";
    return fail_at(p, p->at, what, advice);
}

/* The stack that the evaluator will need. */
static int32_t stack_height(const ritz_expression *e)
{
    int32_t height = 0, highest = 0;
    for (int32_t i = 0; i < e->n_nodes; i++) {
        height += 1 - e->nodes[i].n_operands;
        highest = height > highest ? height : highest;
    }
    return highest;
}

/* ---- life and simple questions ----------------------------------------------------------------------------------- */

ritz_status ritz_expression_create(const char *text, const char *const *names, int n_names,
                                   ritz_expression **expression)
{
    ritz_status status = RITZ_OK;
    ritz_expression *e = NULL;
    int32_t root = 0;
    RITZ_NEW(e, 1);
    RITZ_TRY(ritz_copy_text(text, &e->text));
    RITZ_NEW(e->reads, n_names);
    e->n_names = n_names;
    parser p = {.expression = e, .text = text, .at = text, .names = names};
    skip_space(&p);
    RITZ_REQUIRE(*p.at, RITZ_ERROR_INPUT, "an empty expression; write a number or something like 2*x + 1");
    RITZ_TRY(parse_expression(&p, &root));
    skip_space(&p);
    if (*p.at)
        RITZ_TRY(unexpected_rest(&p));
    e->height = stack_height(e);
    if (e->height > EXPRESSION_MAX_STACK)
        RITZ_TRY(fail_at(&p, text, "too deeply nested", "simplify the expression"));
    *expression = e;
    e = NULL;
done:
    ritz_expression_destroy(&e);
    return status;
}

void ritz_expression_destroy(ritz_expression **expression)
{
    ritz_expression *e = *expression;
    if (e) {
        ritz_free(e->text);
        ritz_free(e->reads);
        ritz_free(e->nodes);
        ritz_free(e);
    }
    *expression = NULL;
}

const char *ritz_expression_text(const ritz_expression *expression)
{
    return expression->text;
}

bool ritz_expression_reads(const ritz_expression *expression, int variable)
{
    return variable >= 0 && variable < expression->n_names && expression->reads[variable];
}

bool ritz_expression_is_constant(const ritz_expression *expression, double *value)
{
    for (int i = 0; i < expression->n_names; i++)
        if (expression->reads[i])
            return false;
    *value = ritz_expression_value(expression, NULL);
    return true;
}
