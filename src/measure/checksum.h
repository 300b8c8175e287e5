/* A checksum of element matrices that are too many to keep. Depends on the integrate room. */
#ifndef RITZ_SRC_CHECKSUM_H
#define RITZ_SRC_CHECKSUM_H

#include "integrate/stream.h"

/* The chunk's share of the checksum; those of all chunks are added modulo 2^64. With rows = n_shape * n_components,
   bits(x) the bits of a real as a whole number (32 or 64 of them), G = 0x9e3779b97f4a7c15, low(z) and high(z) the
   halves of 32 bits, and all arithmetic modulo 2^64:

       entry(x, k)  = low(z) * high(z), where z = bits(x) + (k + 1) * G
       element(e)   = sum over k of entry(x_k, k): k = row * rows + column for the matrix, rows * rows + row for the
                      vector (left out where the form has no load)
       checksum     = sum over e of mix(element(e) + (e + 1) * G), where
                      mix(z) = shift_xor(shift_xor(z) * 0xbf58476d1ce4e5b9) and
                      shift_xor(z) = z xor (z >> 32)

   (one product of halves a number as in NH: Black, Halevi, Krawczyk, Krovetz and Rogaway, UMAC, 1999). It depends on
   the values of each element and their places alone: not on chunks, devices, interleaving, padding, or whether a
   symmetric matrix is kept whole. Added to *checksum. The chunk has matrices, or RITZ_RESULT_CHECKSUM: then the device
   computed element(e) already. */
ritz_status ritz_chunk_checksum(const ritz_chunk *chunk, uint64_t *checksum);

#endif
