/* Doubles of the host to and from buffers of reals. */
#include "device/device.h"

enum { FEW = 256, PIECE = 1 << 20 }; /* numbers converted at once, on the stack and off it */

ritz_status ritz_buffer_write_reals(ritz_buffer *buffer, ritz_precision precision, int64_t first, const double *from,
                                    int64_t n)
{
    ritz_status status = RITZ_OK;
    float few[FEW], *many = NULL;
    if (precision == RITZ_F64)
        return ritz_buffer_write(buffer, first * 8, from, n * 8);
    if (n > FEW)
        RITZ_NEW(many, ritz_min64(n, PIECE));
    float *piece = many ? many : few;
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t m = ritz_min64(PIECE, n - at);
        for (int64_t i = 0; i < m; i++)
            piece[i] = (float)from[at + i];
        RITZ_TRY(ritz_buffer_write(buffer, (first + at) * 4, piece, m * 4));
    }
done:
    ritz_free(many);
    return status;
}

ritz_status ritz_buffer_read_reals(const ritz_buffer *buffer, ritz_precision precision, int64_t first, double *to,
                                   int64_t n)
{
    ritz_status status = RITZ_OK;
    float few[FEW], *many = NULL;
    if (precision == RITZ_F64)
        return ritz_buffer_read(buffer, first * 8, to, n * 8);
    if (n > FEW)
        RITZ_NEW(many, ritz_min64(n, PIECE));
    float *piece = many ? many : few;
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t m = ritz_min64(PIECE, n - at);
        RITZ_TRY(ritz_buffer_read(buffer, (first + at) * 4, piece, m * 4));
        for (int64_t i = 0; i < m; i++)
            to[at + i] = (double)piece[i];
    }
done:
    ritz_free(many);
    return status;
}
