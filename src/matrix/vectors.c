/* Vectors of a matrix between the host, in double, and the device, in the matrix's precision. */
#include "matrix/storage.h"

ritz_status ritz_write_vector(ritz_precision precision, int64_t n, const double *from, ritz_buffer *to)
{
    ritz_status status = RITZ_OK;
    float *narrow = NULL;
    if (precision == RITZ_F64)
        return ritz_buffer_write(to, 0, from, n * 8);
    RITZ_NEW(narrow, n);
    for (int64_t i = 0; i < n; i++)
        narrow[i] = (float)from[i];
    RITZ_TRY(ritz_buffer_write(to, 0, narrow, n * 4));
done:
    ritz_free(narrow);
    return status;
}

ritz_status ritz_read_vector(ritz_precision precision, int64_t n, const ritz_buffer *from, double *to)
{
    ritz_status status = RITZ_OK;
    float *narrow = NULL;
    if (precision == RITZ_F64)
        return ritz_buffer_read(from, 0, to, n * 8);
    RITZ_NEW(narrow, n);
    RITZ_TRY(ritz_buffer_read(from, 0, narrow, n * 4));
    for (int64_t i = 0; i < n; i++)
        to[i] = (double)narrow[i];
done:
    ritz_free(narrow);
    return status;
}

ritz_status ritz_matrix_write_vector(const ritz_matrix *m, const double *from, ritz_buffer *to)
{
    return ritz_write_vector(m->precision, m->n_unknowns, from, to);
}

ritz_status ritz_matrix_read_vector(const ritz_matrix *m, const ritz_buffer *from, double *to)
{
    return ritz_read_vector(m->precision, m->n_unknowns, from, to);
}
