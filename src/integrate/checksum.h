/* A checksum of element matrices that are too many to keep. Depends on the integrate room. */
#ifndef RITZ_SRC_CHECKSUM_H
#define RITZ_SRC_CHECKSUM_H

#include "integrate/stream.h"

/* The chunk's part of the checksum; those of all chunks are added modulo 2^64. With rows = n_shape * n_components,
   bits(x) the bits of a real as a whole number (32 or 64 of them), and all arithmetic modulo 2^64:

       entry(x, k)   = z * 0xbf58476d1ce4e5b9, folded, where z = bits(x) + (k + 1) * 0x9e3779b97f4a7c15, folded
       fold(z)       = z xor (z >> 32)
       element(e)    = sum over k of entry(x_k, k): k = row * rows + column for the matrix, rows * rows + row for the
                       vector (left out where the form has no load)
       checksum      = sum over e of entry(element(e), e)

   It depends on the values of each element and their places alone: not on chunks, devices, interleaving, padding, or
   whether a symmetric matrix is kept whole. */
uint64_t ritz_chunk_checksum(const ritz_chunk *chunk);

#endif
