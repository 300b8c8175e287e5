"""The two levels of test_multigrid.c by PyAMG: tentative and smoothed prolongator, coarse matrix and near-nullspace.

The matrix and its aggregates are the test's. Prints sums of entries times weights that depend on their place: of the
prolongator as PyAMG smooths it, of P^T A P scaled to diagonal blocks of ones, and of the coarse near-nullspace in that scaling.
"""
import numpy as np
import scipy.sparse as sparse
from pyamg.aggregation import smooth
from pyamg.aggregation.tentative import fit_candidates

SIDE, BLOCK, COLUMNS, OMEGA = 9, 2, 3, 0.5
N = SIDE * SIDE
state = 1


def uniform():
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 11) * 2.0**-53


def weigh(m):
    m = sparse.coo_matrix(m)
    return (m.data * np.cos(m.row + 0.7 * m.col)).sum()


dense = np.zeros((N * BLOCK, N * BLOCK))
motions = np.zeros((N * BLOCK, COLUMNS))
for i in range(N):
    x, y = i % SIDE, i // SIDE
    motions[2 * i:2 * i + 2] = [[1, 0, -(y - 4)], [0, 1, x - 4]]
    dense[2 * i:2 * i + 2, 2 * i:2 * i + 2] = [[1, 0.1], [0.1, 1]]
    for j in range(i + 1, N):
        if max(abs(j % SIDE - x), abs(j // SIDE - y)) == 1:
            block = np.array([[-0.05 * uniform() for _ in range(BLOCK)] for _ in range(BLOCK)])
            dense[2 * i:2 * i + 2, 2 * j:2 * j + 2] = block
            dense[2 * j:2 * j + 2, 2 * i:2 * i + 2] = block.T
A = sparse.bsr_matrix(dense, blocksize=(BLOCK, BLOCK))
aggregates = [-1 if i == 40 else i % SIDE // 3 + i // SIDE // 3 * 3 for i in range(N)]
members = [i for i in range(N) if aggregates[i] >= 0]
AggOp = sparse.csr_matrix((np.ones(len(members)), (members, [aggregates[i] for i in members])), shape=(N, 9))
T, R = fit_candidates(AggOp, motions)
smooth.approximate_spectral_radius = lambda *_, **__: 1.0  # so that omega is taken as it is
P = smooth.jacobi_prolongation_smoother(A, T, A, motions, omega=OMEGA, degree=1)
coarse = (P.T @ A @ P).toarray()
L = sparse.block_diag([np.linalg.cholesky(coarse[k:k + 3, k:k + 3]) for k in range(0, 27, 3)]).toarray()
inverse = np.linalg.inv(L)
scaled = inverse @ coarse @ inverse.T
scaled[np.abs(scaled) < 1e-13] = 0
print(f"{weigh(T):.15g}, {weigh(P):.15g}, {weigh(scaled):.15g}, {weigh(L.T @ R):.15g}")
