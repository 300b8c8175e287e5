"""What DOLFINx and PETSc make of the forms of dolfinx_forms.py beside Ritz, for Debian's Python: test_dolfinx.py compiles them
into a folder and runs this in it.

    RITZ_LIBRARY=build PYTHONPATH=python /usr/bin/python3 tests/python/peer_dolfinx.py FOLDER

The same mesh, the same form; both assemble, matrices are compared entry by entry, and PETSc solves what Ritz assembled.
"""

import sys
from pathlib import Path

import numpy as np
import ritz
import ufl
from dolfinx import fem, mesh
from dolfinx_forms import FORMS
from mpi4py import MPI
from petsc4py import PETSc
from scipy.sparse import csr_matrix


def moved_mesh(kind):
    domain = mesh.create_unit_cube(MPI.COMM_SELF, 2, 3, 2, getattr(mesh.CellType, kind))
    x = domain.geometry.x
    x[:, 0] += 0.1 * x[:, 1] ** 2 + 0.2 * x[:, 0] * x[:, 1]
    return domain


def scipy_of(matrix):
    matrix.assemble()
    start, columns, values = matrix.getValuesCSR()
    return csr_matrix((values, columns, start))


def their_matrix(domain, order, components, text):
    """And the place of each row: its point and component."""
    element = ("Lagrange", order)
    V = fem.FunctionSpace(domain, element) if components == 1 else fem.VectorFunctionSpace(domain, element)
    names = {**vars(ufl), "u": ufl.TrialFunction(V), "v": ufl.TestFunction(V)}
    fast = {"cffi_extra_compile_args": ["-O1", "-g0"]}
    matrix = fem.petsc.assemble_matrix(fem.form(eval(text, names), jit_params=fast))
    return scipy_of(matrix), V.tabulate_dof_coordinates()[:, : domain.topology.dim]


def rows_by_place(points, components):
    nodes = np.lexsort(np.round(points, 9).T)
    return (nodes[:, None] * components + np.arange(components)).ravel()


def compare(name, folder):
    kind, order, components, text = FORMS[name]
    domain = moved_mesh(kind)
    left = mesh.locate_entities_boundary(domain, domain.topology.dim - 1, lambda x: np.isclose(x[1], 0))
    tags = mesh.meshtags(domain, domain.topology.dim - 1, np.sort(left), np.full(len(left), 7, np.int32))
    theirs, points = their_matrix(domain, order, components, text)
    ours_mesh = ritz.Mesh.from_dolfinx(domain, facet_tags=tags, names={7: "bottom"})
    space = ritz.Space(ours_mesh, order, components)
    matrix, _ = ritz.assemble(space, ritz.Form.from_file(folder / f"{name}.json"))
    ours = matrix.to_scipy()
    place = [rows_by_place(p, components) for p in (points, space.points)]
    error = abs(theirs[place[0]][:, place[0]] - ours[place[1]][:, place[1]]).max() / abs(theirs).max()
    assert theirs.shape == ours.shape and error < 1e-13, (name, error)
    assert set(np.round(space.points[np.unique(space.group_dofs("bottom") // components), 1], 9)) == {0.0}
    print(f"{name}: {ours.shape[0]} unknowns, largest difference {error:.1e}")
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
    ours, _ = ritz.solve(matrix, b.array, method="bicgstab", tolerance=1e-13)
    assert abs(ours - x.array).max() < 1e-9 * abs(x.array).max()
    print("PETSc solves it as Ritz does")


if __name__ == "__main__":
    matrices = {name: compare(name, Path(sys.argv[1])) for name in FORMS}
    solve_by_petsc(matrices["convection"])
