# For the author of a finite element code: arrays in, arrays out.
#
#     pip install ./python scipy && python3 examples/python/b_code.py
#
# The mesh, the loop over time and the solver are the caller's (NumPy and SciPy here); the library computes element matrices and
# assembles. The problem is heat that spreads in a square, whose slowest mode decays by exp(-2 pi^2 t).

import numpy as np
import ritz
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import splu

# %% A mesh of one's own: nodes, triangles, and the nodes on the boundary as a group.
n = 24
x = np.linspace(0, 1, n + 1)
points = np.stack(np.meshgrid(x, x, indexing="ij"), axis=-1).reshape(-1, 2)
corner = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
square = corner[:, None] + [0, n + 1, n + 2, 1]
triangles = np.concatenate([square[:, [0, 1, 2]], square[:, [0, 2, 3]]])
outside = np.flatnonzero((points == 0).any(axis=1) | (points == 1).any(axis=1))
mesh = ritz.Mesh.from_arrays(points, {"tri": triangles}, node_groups={"outside": outside})

# %% Element matrices [cells][rows][rows] in the caller's order of cells, and where their rows belong.
space = ritz.Space(mesh, order=1)
stiffness, _ = ritz.integrate(space, ritz.Form("poisson", 2), {"conductivity": 1.0})
mass, _ = ritz.integrate(space, ritz.Form("mass", 2), {"density": 1.0})
dofs = space.cell_dofs("tri")


# %% An assembly of one's own...
def assemble(matrices):
    rows, columns = np.repeat(dofs, 3, axis=1), np.tile(dofs, (1, 3))
    return coo_matrix((matrices.ravel(), (rows.ravel(), columns.ravel()))).tocsr()


M, K = assemble(mass), assemble(stiffness)

# %% ... gives what the library assembles on the device.
matrix, _ = ritz.assemble(space, ritz.Form("poisson", 2))
assert abs(matrix.to_scipy() - K).max() < 1e-13

# %% Backward Euler by SciPy, on the nodes that are not held.
free = np.setdiff1d(np.arange(space.n_dofs), space.group_dofs("outside"))
dt, steps = 1e-4, 100
lu = splu((M + dt * K)[free][:, free].tocsc())
u = space.interpolate(lambda x: np.sin(np.pi * x[0]) * np.sin(np.pi * x[1]))
before = abs(u).max()
for _ in range(steps):
    u[free] = lu.solve(M[free][:, free] @ u[free])
rate = -np.log(abs(u).max() / before) / (dt * steps)
print(f"the mode decays with the rate {rate:.3f}; 2 pi^2 is {2 * np.pi**2:.3f}")
assert abs(rate / (2 * np.pi**2) - 1) < 0.01

# %% The caller's nodes are the space's nodes by another number.
assert np.allclose(space.points[space.mesh_nodes()], points)
