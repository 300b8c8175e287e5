/* Expressions: values against the C library, derivatives against exact ones, C's precedence, messages, hostile text. */
#include "form/expression.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifndef M_PI /* POSIX C has neither */
#define M_PI 3.14159265358979323846
#define M_E 2.71828182845904523536
#endif

static const char *const names[] = {"x", "y", "z", "t"};
static const double at[] = {0.3, 1.7, -0.6, 2.5};

static ritz_expression *make_expression(const char *text)
{
    ritz_expression *e = NULL;
    if (ritz_expression_create(text, names, 4, &e) != RITZ_OK)
        fail_msg("%s", ritz_message());
    return e;
}

/* Several cells at several points at once give the bits that each gives. */
static void assert_lanes(const ritz_expression *e)
{
    enum { N = 3 };
    ritz_lanes all[4 * N], several[N];
    for (int v = 0; v < 4 * N; v++)
        for (int l = 0; l < RITZ_N_LANES; l++)
            all[v][l] = at[v / N] * (1 - 0.3 * l) + 0.2 * (v % N);
    ritz_expression_lanes(e, N, all, several);
    for (int i = 0; i < N * RITZ_N_LANES; i++) {
        const int p = i / RITZ_N_LANES, l = i % RITZ_N_LANES;
        const double own[] = {all[p][l], all[N + p][l], all[2 * N + p][l], all[3 * N + p][l]},
                     one = ritz_expression_value(e, own), it = several[p][l];
        if (!(it == one && signbit(it) == signbit(one)) && !(isnan(it) && isnan(one)))
            fail_msg("%s gives %.17g at point %d of lane %d, not %.17g", ritz_expression_text(e), it, p, l, one);
    }
}

static double value(const char *text)
{
    ritz_expression *e = make_expression(text);
    double v = ritz_expression_value(e, at);
    assert_lanes(e);
    ritz_expression_destroy(&e);
    return v;
}

static void assert_near(const char *text, double v, double expected)
{
    if (!(fabs(v - expected) <= 1e-14 * (1 + fabs(expected))))
        fail_msg("%s gives %.17g instead of %.17g", text, v, expected);
}

#define SAME(expression) assert_near(#expression, value(#expression), (double)(expression))

static void values_agree_with_c(void **state)
{
    (void)state;
    const double x = at[0], y = at[1], z = at[2], t = at[3];
    SAME(2 * x + 3 * y - z / t);
    SAME(1.5e-3 + .5 + 2. + 1E2);
    SAME(x - y - z - t);
    SAME(x / y / z * t);
    SAME(x - y * z + t);
    SAME(-x * -y);
    SAME(-(x + y) * (z - t));
    SAME(x < y);
    SAME(x + 1 < y - 2);
    assert_near("comparison before equality", value("x < y == z < t"), 1);
    SAME((x > y) || (z > y && t > y));
    SAME(!x + !(y - y));
    SAME(x >= 0.3 ? y : z);
    SAME(x > 1 ? 2 : y > 1 ? z > 1 ? 4 : 5 : 6);
    SAME((x <= y) + (x != y) * 2 + (x == x) * 4);
    SAME(sin(x) + cos(y) * tan(z));
    SAME(asin(x) + acos(x) + atan(t) + atan2(y, z));
    SAME(sinh(x) + cosh(y) + tanh(z) + asinh(z) + acosh(t) + atanh(x));
    SAME(exp(x) + exp2(y) + expm1(z) + log(t) + log2(t) + log10(t) + log1p(x));
    SAME(sqrt(x) + cbrt(z) + pow(y, z) + hypot(x, y));
    SAME(fabs(z) + floor(z) + ceil(z) + round(z) + trunc(z) + fmod(t, y));
    SAME(fmin(x, y) - fmax(x, y) + erf(x) + erfc(x));
    SAME(exp(-(x * x + y * y + z * z)));
    SAME(sin(M_PI * x) * M_E);
    assert_near("exp10", value("exp10(x)"), pow(10, x));
    assert_near("rsqrt", value("rsqrt(y)"), 1 / sqrt(y));
    assert_near("min", value("min(x, y) + 10*max(x, y)"), x + 10 * y);
    assert_near("clamp", value("clamp(t, 0, 1) + 10*clamp(z, 0, 1) + 100*clamp(x, 0, 1)"), 1 + 100 * x);
    assert_near("step", value("step(1, x) + 10*step(1, y) + 100*step(x, x)"), 110);
    assert_near("sign", value("sign(z) + 10*sign(x) + 100*sign(x - x)"), 9);
    assert_near("integers divide as reals", value("1/2"), 0.5);
    assert_near("float suffix", value("1.5f*2.0F"), 3);
    assert_near("unary plus", value("+x - +y"), x - y);
    assert_near("text with breaks", value(" x\n\t+\ny "), x + y);
}

/* So deep that lanes go point by point. */
static void deep_values(void **state)
{
    (void)state;
    enum { DEPTH = 120 };
    char text[4 * DEPTH + 2] = "";
    for (int i = 0; i < DEPTH; i++)
        strcat(text, "y+(");
    strcat(text, "x");
    for (int i = 0; i < DEPTH; i++)
        strcat(text, ")");
    assert_near("nested sums", value(text), at[0] + DEPTH * at[1]);
}

/* A derivative is exact when the gradient of f equals the value of an expression that was derived by hand. */
static void gradients_are_exact(void **state)
{
    (void)state;
    static const char *const cases[][4] = {
        {"x*y*z", "y*z", "x*z", "x*y"},
        {"x/y - z", "1/y", "-x/(y*y)", "-1"},
        {"sin(x*y) + cos(z)", "y*cos(x*y)", "x*cos(x*y)", "-sin(z)"},
        {"tan(x) + atan(y) + tanh(z)", "1/(cos(x)*cos(x))", "1/(1 + y*y)", "1 - tanh(z)*tanh(z)"},
        {"asin(x) + acosh(y) + asinh(z)", "1/sqrt(1 - x*x)", "1/sqrt(y*y - 1)", "1/sqrt(1 + z*z)"},
        {"acos(x) + sinh(y) + atanh(z)", "-1/sqrt(1 - x*x)", "cosh(y)", "1/(1 - z*z)"},
        {"atan2(y, x)", "-y/(x*x + y*y)", "x/(x*x + y*y)", "0"},
        {"exp(-(x*x + y*y + z*z))", "-2*x*exp(-(x*x + y*y + z*z))", "-2*y*exp(-(x*x + y*y + z*z))",
         "-2*z*exp(-(x*x + y*y + z*z))"},
        {"exp2(x) + exp10(y) + expm1(z)", "exp2(x)*log(2)", "exp10(y)*log(10)", "exp(z)"},
        {"log(x) + log2(y) + log1p(z)", "1/x", "1/(y*log(2))", "1/(1 + z)"},
        {"log10(x) + rsqrt(y) + cbrt(z)", "1/(x*log(10))", "-0.5/(y*sqrt(y))", "1/(3*cbrt(z)*cbrt(z))"},
        {"sqrt(x) + pow(x, y) + pow(z, 3)", "0.5/sqrt(x) + y*pow(x, y - 1)", "log(x)*pow(x, y)", "3*z*z"},
        {"hypot(x, y) + fabs(z)", "x/hypot(x, y)", "y/hypot(x, y)", "-1"},
        {"erf(x) + erfc(y) + cosh(z)", "2/sqrt(M_PI)*exp(-x*x)", "-2/sqrt(M_PI)*exp(-y*y)", "sinh(z)"},
        {"x < y ? x*x : y + z", "2*x", "0", "0"},
        {"x > y ? x*x : y + t*z", "0", "1", "t"},
        {"fmin(x, y) + 2*fmax(y, z) + 3*min(z, x) + 4*max(x, y)", "1", "6", "3"},
        {"clamp(y, x, t) + clamp(z, 2*x, t) + floor(x) + step(x, y)", "2", "1", "0"},
        {"fmod(t*x, y) + (x < y) + !z", "t", "0", "0"},
        {"-x*-y - -z", "y", "x", "1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double gradient[3];
        ritz_expression *e = make_expression(cases[i][0]);
        double v = ritz_expression_gradient(e, at, 3, gradient);
        assert_true(v == ritz_expression_value(e, at));
        for (int c = 0; c < 3; c++)
            assert_near(cases[i][0], gradient[c], value(cases[i][1 + c]));
        ritz_expression_destroy(&e);
    }
}

static void still_operands_have_no_slope(void **state)
{
    (void)state;
    const double origin[] = {0, 0, 0, 0};
    double gradient[3] = {7, 7, 7};
    ritz_expression *e = make_expression("sqrt(x*x + y*y) + sqrt(0*z) + pow(-2, 3)");
    assert_true(ritz_expression_gradient(e, origin, 2, gradient) == -8);
    assert_true(gradient[0] == 0 && gradient[1] == 0 && gradient[2] == 7); /* n = 2: the third is not touched */
    ritz_expression_destroy(&e);
}

static void what_is_read(void **state)
{
    (void)state;
    double v = 0;
    ritz_expression *e = make_expression("2*M_PI + cos(0)");
    assert_true(ritz_expression_is_constant(e, &v));
    assert_true(v == 2 * M_PI + 1);
    ritz_expression_destroy(&e);
    e = make_expression("y + t*0");
    assert_false(ritz_expression_is_constant(e, &v));
    assert_false(ritz_expression_reads(e, 0));
    assert_true(ritz_expression_reads(e, 1));
    assert_true(ritz_expression_reads(e, 3));
    assert_false(ritz_expression_reads(e, 4));
    assert_string_equal(ritz_expression_text(e), "y + t*0");
    ritz_expression_destroy(&e);
}

/* Each wrong text, and what its message must hold. */
static void messages_point_into_the_text(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"2*x+q", "unknown name 'q' at character 5 of \"2*x+q\": known are x, y, z, t", ""},
        {"2*sn(x)", "unknown function 'sn' at character 3", "did you mean 'sin'"},
        {"abs(x)", "did you mean 'fabs'", ""},
        {"ln(x)", "did you mean 'log'", ""},
        {"sin(pi*x)", "at character 5", "did you mean 'M_PI'"},
        {"x^2", "character 2", "pow(x, 2)"},
        {"x**2", "character 3", "pow(x, 2)"},
        {"2x", "an operator is missing at character 2", "2*x"},
        {"2(x)", "an operator is missing at character 2", ""},
        {"x(1)", "character 2", "*"},
        {"x y", "unexpected 'y' at character 3", ""},
        {"1,5", "unexpected ',' at character 2", "1.5"},
        {"(1,5)", "character 3", "1.5"},
        {"(x+1", "a '(' is never closed at character 1", ""},
        {"x+1)", "unexpected ')' at character 4", ""},
        {"sin x", "a '(' is missing at character 5", "sin(x)"},
        {"sin(x", "a ')' is missing at character 6", ""},
        {"sin(x, y)", "sin takes 1 argument at character 1", "sin(a)"},
        {"1 + pow(x)", "pow takes 2 arguments at character 5", "pow(a, b)"},
        {"pow()", "pow takes 2 arguments", ""},
        {"x +", "the expression ends too early at character 4", ""},
        {"x + * y", "character 5", ""},
        {"x = 2", "unexpected '=' at character 3", "=="},
        {"x; y", "no statements", ""},
        {"x & y", "&&", ""},
        {"x % y", "fmod(x, y)", ""},
        {"x << 2", "unexpected '<'", ""},
        {"0 < x < 1", "a chain of comparisons at character 7", "0 < x && x < 1"},
        {"x ? 1", "a '?' has no ':' at character 3", ""},
        {"x--1--", "character", ""},
        {"1.2.3", "not a number at character 1", ""},
        {".", "not a number at character 1", ""},
        {"1e999", "number too large at character 1", ""},
        {"", "an empty expression", ""},
        {"  \n", "an empty expression", ""},
        {"x + \"y\"", "quotes", ""},
        {"u[0]", "unknown name 'u' at character 1", ""},
        {"x[0]", "unexpected '[' at character 2", ""},
        {"x\xff", "unexpected byte 0xff at character 2", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ritz_expression *e = NULL;
        assert_int_equal(ritz_expression_create(cases[i][0], names, 4, &e), RITZ_ERROR_INPUT);
        assert_null(e);
        for (int k = 1; k <= 2; k++)
            if (!strstr(ritz_message(), cases[i][k]))
                fail_msg("'%s' gives: %s\ninstead of: %s", cases[i][0], ritz_message(), cases[i][k]);
    }
}

/* n times `open`, then `middle`, then n times `close`. */
static ritz_status nested(int n, const char *open, const char *middle, const char *close, ritz_expression **e)
{
    ritz_text text = {0};
    char *made = NULL;
    for (int i = 0; i < n; i++)
        ritz_text_add(&text, "%s", open);
    ritz_text_add(&text, "%s", middle);
    for (int i = 0; i < n; i++)
        ritz_text_add(&text, "%s", close);
    assert_int_equal(ritz_text_take(&text, &made), RITZ_OK);
    ritz_status status = ritz_expression_create(made, names, 4, e);
    ritz_free(made);
    return status;
}

static void depth_is_limited(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"(", "x", ")"},   {"- ", "x", ""},   {"!", "x", ""},    {"sin(", "x", ")"},   {"x?", "x", ":x"},
        {"x?x:", "x", ""}, {"x+(", "x", ")"}, {"x<(", "x", ")"}, {"pow(x,", "x", ")"}, {"x||x&&x==x<x+x*(", "x", ")"},
        {"", "x", "+x"},   {"", "x", "==x"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int n = 1; n <= 100000; n *= 10) {
            ritz_expression *e = NULL;
            ritz_status status = nested(n, cases[i][0], cases[i][1], cases[i][2], &e);
            assert_int_equal(status, n <= 10 ? RITZ_OK : n >= 10000 ? RITZ_ERROR_INPUT : status);
            if (status == RITZ_OK) {
                double gradient[3];
                assert_true(ritz_expression_value(e, at) == ritz_expression_gradient(e, at, 3, gradient));
            }
            ritz_expression_destroy(&e);
        }
    ritz_expression *sum = NULL; /* a long sum is no deep one */
    assert_int_equal(nested(1000, "", "x", " + y*2", &sum), RITZ_OK);
    assert_true(fabs(ritz_expression_value(sum, at) - 3400.3) < 1e-9);
    ritz_expression_destroy(&sum);
}

static uint32_t random_state = 1;
static uint32_t random_number(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

/* Random words of the language, most of them nonsense: no crash, and a message for each that is refused. */
static void random_text_never_crashes(void **state)
{
    (void)state;
    static const char *const words[] = {"x",  "y",    "z",  "t", "1", "2.5",  "1e3",   "+",      "-",    "*",
                                        "/",  "(",    ")",  "(", "x", ")",    "<",     "<=",     "==",   "&&",
                                        "||", "!",    "?",  ":", ",", "sin(", "pow(",  "clamp(", "M_PI", "q",
                                        "^",  "\xc3", "1e", ".", " ", "1x",   "fmin(", "atan2("};
    int parsed = 0;
    for (int trial = 0; trial < 200000; trial++) {
        char text[256] = "";
        for (uint32_t n = 1 + random_number(9); n > 0; n--)
            strcat(text, words[random_number(sizeof words / sizeof words[0])]);
        ritz_expression *e = NULL;
        if (ritz_expression_create(text, names, 4, &e) != RITZ_OK) {
            assert_true(ritz_message()[0] != 0);
            continue;
        }
        parsed++;
        double gradient[3];
        double v = ritz_expression_value(e, at), w = ritz_expression_gradient(e, at, 3, gradient);
        assert_true(v == w || (isnan(v) && isnan(w)));
        ritz_expression_destroy(&e);
    }
    assert_true(parsed > 2000);
    for (int trial = 0; trial < 20000; trial++) {
        char text[64] = "";
        for (size_t i = 0, n = random_number(60); i < n; i++)
            text[i] = (char)(1 + random_number(255));
        ritz_expression *e = NULL;
        (void)ritz_expression_create(text, names, 4, &e);
        ritz_expression_destroy(&e);
    }
}

static void assert_printed(const char *text, const char *expected)
{
    static const char *const spelled[] = {"x[0]", "x[1]", "x[2]", "t"};
    ritz_text printed = {0};
    char *made = NULL;
    ritz_expression *e = make_expression(text);
    ritz_expression_print(e, spelled, &printed);
    assert_int_equal(ritz_text_take(&printed, &made), RITZ_OK);
    assert_string_equal(made, expected);
    ritz_free(made);
    ritz_expression_destroy(&e);
}

static void printed_text(void **state)
{
    (void)state;
    assert_printed("1/2", "((real)1.0 / (real)2.0)");
    assert_printed("0.1 + 1e-30", "((real)0.1 + (real)1e-30)");
    assert_printed("x - (y - z) - t", "(x[0] - (x[1] - x[2]) - t)");
    assert_printed("x*y + z/t*2", "((x[0] * x[1]) + (x[2] / t * (real)2.0))");
    assert_printed("-x*-y", "((-x[0]) * (-x[1]))");
    assert_printed("pow(x, 2)", "pow(x[0], (real)2.0)");
    assert_printed("x < y ? 1 : t", "(((real)(x[0] < x[1])) != (real)0 ? (real)1.0 : t)");
    assert_printed("x && !y", "((real)((x[0] != (real)0) && (((real)(x[1] == (real)0)) != (real)0)))");
    assert_printed("M_PI", "(real)3.141592653589793");
}

/* The printed text, compiled as C with `real` a double, gives the same values as the evaluator. */
static void printed_text_is_c(void **state)
{
    (void)state;
    typedef double real;
    const double x = at[0], y = at[1], z = at[2], t = at[3];
    static const char *const texts[] = {"x - (y - z) - t*2/3", "x < y && !(z > 0) ? -pow(y, 2.5) : t",
                                        "1/2 + (x == x)/(y < z || t)"};
    const double compiled[] = {
        (x - (y - z) - (t * (real)2.0 / (real)3.0)),
        (((real)((((real)(x < y)) != (real)0) && (((real)(((real)(z > (real)0.0)) == (real)0)) != (real)0))) != (real)0
             ? (-pow(y, (real)2.5))
             : t),
        (((real)1.0 / (real)2.0) + (((real)(x == x)) / ((real)((((real)(y < z)) != (real)0) || (t != (real)0))))),
    };
    static const char *const printed[] = {
        "(x - (y - z) - (t * (real)2.0 / (real)3.0))",
        "(((real)((((real)(x < y)) != (real)0) && (((real)(((real)(z > (real)0.0)) == (real)0)) != (real)0))) != "
        "(real)0 "
        "? (-pow(y, (real)2.5)) : t)",
        "(((real)1.0 / (real)2.0) + (((real)(x == x)) / ((real)((((real)(y < z)) != (real)0) || (t != (real)0)))))",
    };
    for (int i = 0; i < 3; i++) {
        ritz_text text = {0};
        char *made = NULL;
        ritz_expression *e = make_expression(texts[i]);
        ritz_expression_print(e, names, &text);
        assert_int_equal(ritz_text_take(&text, &made), RITZ_OK);
        assert_string_equal(made, printed[i]);
        assert_near(texts[i], ritz_expression_value(e, at), compiled[i]);
        ritz_free(made);
        ritz_expression_destroy(&e);
    }
}

static void failing_allocations(void **state)
{
    (void)state;
    static const char *const texts[] = {"x + sin(y)*3 - pow(z, 2)/t*(x < y ? 1 : 2) + x*y*z*t*x*y*z*t", "x + zz1"};
    for (int i = 0; i < 2; i++) {
        ritz_status status = RITZ_ERROR_MEMORY;
        for (int n = 1; n < 100 && status == RITZ_ERROR_MEMORY; n++) {
            ritz_expression *e = NULL;
            ritz_fail_allocation(n);
            status = ritz_expression_create(texts[i], names, 4, &e);
            ritz_fail_allocation(0);
            ritz_expression_destroy(&e);
        }
        assert_int_equal(status, i == 0 ? RITZ_OK : RITZ_ERROR_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_agree_with_c), cmocka_unit_test(deep_values),
        cmocka_unit_test(gradients_are_exact), cmocka_unit_test(still_operands_have_no_slope),
        cmocka_unit_test(what_is_read),        cmocka_unit_test(messages_point_into_the_text),
        cmocka_unit_test(depth_is_limited),    cmocka_unit_test(random_text_never_crashes),
        cmocka_unit_test(printed_text),        cmocka_unit_test(printed_text_is_c),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
