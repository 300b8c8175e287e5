"""Sparse products and transposes of test_block_rows.c, by SciPy.

Prints for each case the number of blocks of A B and, of A B and of its transpose, sums of entries times weights that depend
on their place: a block in the wrong place or order changes them. The random numbers are the test's.
"""
import numpy as np
import scipy.sparse as sparse

state = 1


def uniform():
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 11) * 2.0**-53


def random_rows(n_rows, n_columns, height, width, density):
    start, columns = [0], []
    for _ in range(n_rows):
        columns += [j for j in range(n_columns) if uniform() < density]
        start.append(len(columns))
    values = np.array([2 * uniform() - 1 for _ in range(len(columns) * height * width)])
    return sparse.bsr_matrix((values.reshape(-1, height, width), columns, start),
                             shape=(n_rows * height, n_columns * width))


def weigh(m):
    m = m.tocoo()
    return (m.data * np.cos(m.row + 0.7 * m.col)).sum()


for n, inner, m, h, i, w, density in [(60, 50, 40, 3, 3, 6, 0.08), (40, 60, 30, 6, 3, 6, 0.1), (300, 200, 250, 1, 1, 1, 0.02),
                                      (50, 40, 60, 2, 3, 3, 0.1)]:
    a, b = random_rows(n, inner, h, i, density), random_rows(inner, m, i, w, density)
    pattern = (sparse.csr_matrix((np.ones(len(a.indices)), a.indices, a.indptr), shape=(n, inner)) @
               sparse.csr_matrix((np.ones(len(b.indices)), b.indices, b.indptr), shape=(inner, m)))
    product = (a @ b).tocsr()
    print(f"    {{{n}, {inner}, {m}, {h}, {i}, {w}, {density}, {pattern.nnz}, {weigh(product):.15g}, {weigh(product.T):.15g}}},")
