"""Ritz beside DOLFINx and PETSc, for Debian's Python (large packages; no part of ./check):

    apt-get install python3-dolfinx-real python3-petsc4py-real python3-mpi4py python3-cffi python3-scipy
    RITZ_LIBRARY=build PYTHONPATH=python /usr/bin/python3 tests/python/peer_dolfinx.py

The same mesh, the same operators; both assemble, matrices are compared entry by entry, and PETSc solves what Ritz assembled.
"""

import numpy as np
import ritz
import ufl
from dolfinx import fem, mesh
from mpi4py import MPI
from petsc4py import PETSc
from scipy.sparse import csr_matrix


def unit_mesh(kind):
    cell = getattr(mesh.CellType, kind)
    if kind in ("triangle", "quadrilateral"):
        return mesh.create_unit_square(MPI.COMM_SELF, 3, 2, cell)
    return mesh.create_unit_cube(MPI.COMM_SELF, 2, 3, 2, cell)


def scipy_of(matrix):
    matrix.assemble()
    start, columns, values = matrix.getValuesCSR()
    return csr_matrix((values, columns, start))


def compare(kind, order):
    domain = unit_mesh(kind)
    domain.geometry.x[:, 0] += 0.1 * domain.geometry.x[:, 1] ** 2
    left = mesh.locate_entities_boundary(domain, domain.topology.dim - 1, lambda x: np.isclose(x[1], 0))
    tags = mesh.meshtags(domain, domain.topology.dim - 1, np.sort(left), np.full(len(left), 7, np.int32))
    V = fem.FunctionSpace(domain, ("Lagrange", order))
    u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
    form = fem.form(ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx(degree=2 * order) + u * v * ufl.dx(degree=2 * order))
    theirs = scipy_of(fem.petsc.assemble_matrix(form))

    ours_mesh = ritz.Mesh.from_dolfinx(domain, facet_tags=tags, names={7: "bottom"})
    dim = ours_mesh.dim
    space = ritz.Space(ours_mesh, order)
    terms = [(0, 0, d, d, "1") for d in range(dim + 1)]
    matrix, _ = ritz.assemble(space, ritz.Form.define(dim, 1, terms))
    x = V.tabulate_dof_coordinates()[:, :dim]
    place = [np.lexsort(np.round(points, 9).T) for points in (x, space.points)]
    difference = theirs[place[0]][:, place[0]] - matrix.to_scipy()[place[1]][:, place[1]]
    error = abs(difference).max() / abs(theirs).max()
    assert error < 1e-13, (kind, order, error)
    assert set(np.round(space.points[space.group_dofs("bottom"), 1], 9)) == {0.0}
    print(f"{kind:14} order {order}: {len(x):4} unknowns, largest difference {error:.1e}")
    return matrix


def solve_by_petsc(matrix):
    a = matrix.to_petsc()
    x, b = a.createVecs()
    b.array = np.arange(matrix.shape[0]) % 3
    solver = PETSc.KSP().create(a.comm)
    solver.setOperators(a)
    solver.setType("preonly")
    solver.getPC().setType("lu")
    solver.solve(b, x)
    ours, _ = ritz.solve(matrix, b.array, tolerance=1e-13)
    assert abs(ours - x.array).max() < 1e-9 * abs(x.array).max()
    print("PETSc solves it as Ritz does")


if __name__ == "__main__":
    for kind in ("triangle", "quadrilateral", "tetrahedron", "hexahedron"):
        for order in (1, 2):
            matrix = compare(kind, order)
    solve_by_petsc(matrix)
