/* Sums and actions of the reference's element matrices beside those of a device. */
#include "measure/result_error.h"

#include <math.h>

/* A sum in the making: its value, and that of the terms' absolute values. */
typedef struct sum {
    double value, absolute;
} sum;

static void add_term(sum *s, double term)
{
    s->value += term;
    s->absolute += fabs(term);
}

/* The sum of all entries, each times its number. */
static double sum_error(const ritz_integral *in, double number, const double *matrix, const double *vector)
{
    const int64_t rows = (int64_t)in->batch->n_shape * in->form->n_components;
    sum s = {0};
    for (int64_t k = 0; k < rows * rows; k++)
        add_term(&s, (double)(k + 1) * matrix[k]);
    for (int64_t row = 0; row < rows; row++)
        add_term(&s, (double)(rows * rows + row + 1) * vector[row]);
    const double difference = fabs(number - s.value);
    return !isfinite(number) ? INFINITY : s.absolute > 0 ? difference / s.absolute : difference;
}

/* The matrix times the element's part of the old solution. */
static double action_error(const ritz_integral *in, int32_t cell, const double *numbers, const double *matrix)
{
    const int n_c = in->form->n_components;
    const int64_t rows = (int64_t)in->batch->n_shape * n_c;
    const int32_t *nodes = in->batch->cell_nodes + (int64_t)cell * in->batch->n_shape;
    double difference = 0, largest = 0;
    for (int64_t row = 0; row < rows; row++) {
        sum s = {0};
        for (int64_t k = 0; k < rows; k++)
            add_term(&s, in->old ? matrix[row * rows + k] * in->old[(int64_t)nodes[k / n_c] * n_c + k % n_c] : 0);
        if (!isfinite(numbers[row]))
            return INFINITY;
        difference = fmax(difference, fabs(numbers[row] - s.value));
        largest = fmax(largest, s.absolute);
    }
    return largest > 0 ? difference / largest : difference;
}

double ritz_result_error(const ritz_integral *in, int32_t cell, const double *numbers, const double *matrix,
                         const double *vector)
{
    return in->result == RITZ_RESULT_ACTION ? action_error(in, cell, numbers, matrix)
                                            : sum_error(in, numbers[0], matrix, vector);
}
