"""`import ritz` against what is known without it: closed forms, SciPy, scikit-fem, meshio."""

import copy
import importlib
import inspect
import os
import pkgutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

import numpy as np
import pytest
import ritz
import scipy.sparse
import scipy.sparse.linalg
from ritz import _library


def clamped_bar():
    mesh = ritz.Mesh.box("hex", (12, 2, 2), size=(4, 1, 1))
    space = ritz.Space(mesh, order=1, components=3)
    clamp = ritz.Constraints(space).set("x0", 0.0)
    data = {"young": 1e4, "poisson": 0.0}
    pull = [ritz.Traction("x1", [10, 0, 0])]
    return space, clamp, *ritz.assemble(space, ritz.Form("elasticity", 3), data, loads=pull, constraints=clamp)


def test_clamped_bar_is_as_long_as_hooke_says():
    space, clamp, matrix, rhs = clamped_bar()
    u, report = ritz.solve(matrix, rhs, tolerance=1e-12)
    np.testing.assert_allclose(u.reshape(-1, 3)[:, 0], 10 * space.points[:, 0] / 1e4, atol=1e-12)
    assert report.converged and report.outcome == "converged" and report.method == "cg"
    np.testing.assert_allclose(ritz.solve(matrix, rhs, tolerance=1e-12, matrix="half")[0], u, atol=1e-12)
    assert len(report.history) > 1 and report.history[-1] < 1e-11
    a = matrix.to_scipy()
    np.testing.assert_allclose(a @ u, rhs, atol=1e-9)
    np.testing.assert_allclose(matrix @ u, a @ u, atol=1e-12)
    assert len(clamp) == 27 and not clamp.values.any()


def test_elastic_constants_are_those_of_the_compliance():
    """NumPy inverts the compliance and turns the tensor by its four indices; the form takes the constants as data."""
    young, poisson, shear = (140.0, 20.0, 10.0), (0.3, 0.25, 0.4), (6.0, 7.0, 4.0)
    compliance = np.diag([1 / e for e in young] + [1 / shear[2], 1 / shear[1], 1 / shear[0]])
    for (i, j), nu in zip(((0, 1), (0, 2), (1, 2)), poisson):
        compliance[i, j] = compliance[j, i] = -nu / young[i]
    voigt = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))
    own, tensor = np.linalg.inv(compliance), np.zeros((3, 3, 3, 3))
    for a, (i, j) in enumerate(voigt):
        for b, (k, l) in enumerate(voigt):
            tensor[i, j, k, l] = tensor[j, i, k, l] = tensor[i, j, l, k] = tensor[j, i, l, k] = own[a, b]
    axes = np.linalg.qr(np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0], [2.0, 0.1, -0.7]]))[0]
    turned = np.einsum("pqrs,pi,qj,rk,sl", tensor, axes, axes, axes, axes)
    known = [turned[(*voigt[a], *voigt[b])] for a in range(6) for b in range(a, 6)]
    constants = ritz.elastic_constants(young, poisson, shear, axes)
    assert np.allclose(constants, known, rtol=0, atol=1e-11)
    assert np.allclose(ritz.turn_elastic_constants(ritz.elastic_constants(young, poisson, shear), axes), known, rtol=0, atol=1e-11)
    form = ritz.Form("anisotropic-elasticity", 3)
    space = ritz.Space(ritz.Mesh.box("hex", (1, 1, 1)), order=1, components=3)
    data = {f"c{a}{b}": c for (a, b), c in zip(((a, b) for a in range(1, 7) for b in range(a, 7)), constants)}
    matrix, _ = ritz.assemble(space, form, data)
    x = np.asarray(space.points)
    strain = np.array([[1.0, 0.3, -0.2], [0.3, 2.0, 0.5], [-0.2, 0.5, -1.0]])
    u = (x @ strain).ravel()
    assert abs(u @ (matrix @ u) - np.einsum("ij,ijkl,kl", strain, turned, strain)) < 1e-9
    with pytest.raises(ritz.Error, match="nu12 must be between"):
        ritz.elastic_constants(young, (3.0, 0.0, 0.0), shear)
    assert ritz.materials()["steel"]["young"] == 210e9


def test_matrix_lives_as_long_as_it_is_needed():
    matrix = clamped_bar()[2]  # the space, the assembler and the mesh have no other names
    assert matrix.to_scipy().shape == (351, 351)


def test_pressure_and_expressions_are_loads():
    mesh = ritz.Mesh.box("quad", (4, 4))
    space = ritz.Space(mesh, 2, 2)
    form, data = ritz.Form("plane-strain", 2), {"young": 1.0, "poisson": 0.3}
    total = {}
    for name, load in {"pressure": ritz.Pressure("x1", 3.0), "traction": ritz.Traction("x1", ["y", 0])}.items():
        total[name] = ritz.assemble(space, form, data, loads=[load])[1].reshape(-1, 2).sum(axis=0)
    np.testing.assert_allclose(total["pressure"], [-3, 0], atol=1e-13)
    np.testing.assert_allclose(total["traction"], [0.5, 0], atol=1e-13)


def test_films_are_springs_and_serve_further_load_cases():
    """A bar on springs h over the unit area of x0, pulled at x1: its foot moves by pull / h."""
    space = ritz.Space(ritz.Mesh.box("hex", (3, 1, 1), size=(3, 1, 1)), 1, 3)
    data, pull = {"young": 100.0, "poisson": 0.0}, ritz.Traction("x1", [2, 0, 0])
    assembler, form = ritz.Assembler(space), ritz.Form("elasticity", 3)
    sides = ritz.Constraints(space).set("y0", 0.0, component=1).set("z0", 0.0, component=2)
    rhs = assembler.fill(form, data, loads=[pull, ritz.Film("x0", "40 + 0 * nx")], constraints=sides)
    u, _ = ritz.solve(assembler.matrix, rhs, tolerance=1e-12)
    np.testing.assert_allclose(u.reshape(-1, 3)[:, 0], 2 / 40 + 2 / 100 * space.points[:, 0], atol=1e-10)
    sides.set_values(np.full(space.n_dofs, 0.01))
    loads = [ritz.Film("x0", 40)]
    again = assembler.rhs(form, data, loads=loads, constraints=sides)
    np.testing.assert_allclose(again, ritz.Assembler(space).fill(form, data, loads=loads, constraints=sides), atol=1e-12)


@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_equations_are_a_triple_product(precision):
    """K' = T^T K T and f' = T^T (f - K g), for chains, equations within a node, and with what is prescribed."""
    mesh = ritz.Mesh.box("tet", (3, 2, 2), distort=0.2)
    space = ritz.Space(mesh, order=2, components=3)
    form, data = ritz.Form("elasticity", 3), {"young": 100.0, "poisson": 0.3}
    loads, n = [ritz.Traction("x1", [1, 2, "z"])], space.n_dofs
    assembler = ritz.Assembler(space, precision=precision)
    f = assembler.fill(form, data, loads=loads)
    k = assembler.matrix.to_scipy()
    held = ritz.Constraints(space).set("x0", 0.01, component=0).set("y0", 0.0, component=1)
    free = np.setdiff1d(np.arange(n), held.dofs)
    a, b, c, d, e, far, g, h = free[np.linspace(0, len(free) - 1, 8).astype(int)]
    rows = {a: ({b: 0.5, c: -2.0}, 0.1), b: ({d: 0.5, e: 0.25}, 0.0), far: ({g: 1.0}, -0.3), h: ({}, 0.02)}
    for row, (masters, constant) in rows.items():  # a depends on b, which depends on others: a chain
        terms = [row, *masters, held.dofs[0]]
        held.equation(terms, [1.0, *(-w for w in masters.values()), 1.0], constant + 0.01)
    t, g0 = np.eye(n), np.zeros(n)
    t[held.dofs] = 0
    g0[held.dofs] = held.values
    for row in (b, far, h, a):
        masters, constant = rows[row]
        t[row], g0[row] = sum((w * t[m] for m, w in masters.items()), np.zeros(n)), constant
        g0[row] += sum(w * g0[m] for m, w in masters.items())
    gone = np.flatnonzero(t.diagonal() == 0)
    rhs = assembler.fill(form, data, loads=loads, constraints=held)
    ours, t = assembler.matrix.to_scipy(), scipy.sparse.csr_array(t)
    keep = np.setdiff1d(np.arange(n), gone)
    tolerance = 1e-12 if precision == "f64" else 1e-5
    truth = (t.T @ k @ t).toarray()
    np.testing.assert_allclose(ours.toarray()[np.ix_(keep, keep)], truth[np.ix_(keep, keep)], atol=tolerance * abs(k).max())
    np.testing.assert_allclose(rhs[keep], (t.T @ (f - k @ g0))[keep], atol=100 * tolerance)
    assert not abs(ours[gone][:, keep]).sum() and not abs(ours[keep][:, gone]).sum()
    if precision == "f64":
        np.testing.assert_allclose(assembler.rhs(form, data, loads=loads, constraints=held), rhs, atol=1e-11)
        for options in ({}, {"method": "direct"}, {"preconditioner": "multigrid"}, {"preconditioner": "chebyshev"}):
            u = held.complete(ritz.solve(assembler.matrix, rhs, tolerance=1e-12, **options)[0])
            np.testing.assert_allclose(u, t @ u + g0, atol=1e-12)
            np.testing.assert_allclose((t.T @ (k @ u - f))[keep], 0, atol=1e-8)
    raw = assembler.fill(form, data, loads=loads)  # and back
    np.testing.assert_array_equal(raw, f)
    assert (assembler.matrix.to_scipy() != k).nnz == 0


def test_equations_that_contradict_are_named():
    space = ritz.Space(ritz.Mesh.box("quad", (2, 2)), components=2)
    form, data = ritz.Form("plane-strain", 2), {"young": 1.0, "poisson": 0.3}
    held = ritz.Constraints(space).set_dofs([0, 1], 0.5)
    held.equation([4, 6], [1, -1]).equation([6, 4], [2, -2])  # twice the same, and a circle
    held.equation([8, 0], [1, -2]).equation([8], 1, 1.0)  # what is prescribed fulfils the second
    ritz.assemble(space, form, data, constraints=held)
    with pytest.raises(ritz.Error, match="coefficients has the shape .1,.; give .2,. or one number"):
        held.equation([4, 6], [1])
    held.equation([4, 0, 6], [1, 1, -1])
    with pytest.raises(ritz.Error, match="equation 5 .*contradicts"):
        ritz.assemble(space, form, data, constraints=held)


def test_element_matrices_assemble_to_the_matrix():
    """Of a mixed mesh from arrays, with data of each kind."""
    points = np.array([[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]], float)
    mesh = ritz.Mesh.from_arrays(points, [("quad", [[0, 1, 4, 3]]), ("tri", [[1, 2, 5], [1, 5, 4]])])
    space = ritz.Space(mesh, order=2)
    field = ritz.Space(mesh, order=1)
    source = ritz.Field(field, field.interpolate(lambda x: 1 + x[0]))
    data = {"conductivity": np.array([1.0, 2.0, 3.0]), "source": source}
    form = ritz.Form("poisson", 2)
    matrix, rhs = ritz.assemble(space, form, data)
    dense, load = np.zeros(matrix.shape), np.zeros(space.n_dofs)
    for cell in mesh.cell_types:
        matrices, vectors = ritz.integrate(space, form, data, cell=cell)
        for dofs, a, b in zip(space.cell_dofs(cell), matrices, vectors):
            dense[np.ix_(dofs, dofs)] += a
            load[dofs] += b
    np.testing.assert_allclose(matrix.to_scipy().toarray(), dense, atol=1e-13)
    np.testing.assert_allclose(rhs, load, atol=1e-13)
    x = space.points[:, 0]
    assert load.sum() == pytest.approx(4)  # integral of 1 + x over [0,2] x [0,1]
    assert x @ dense @ x == pytest.approx(1 * 1 + (2 + 3) / 2)  # of conductivity times |grad x|^2
    at_points = {cell: 1 + ritz.quadrature_points(space, cell)[..., 0] for cell in mesh.cell_types}
    same = ritz.assemble(space, form, {**data, "source": at_points})[1]
    np.testing.assert_allclose(same, load, atol=1e-13)


def test_results_go_into_arrays_of_the_caller():
    mesh = ritz.Mesh.box("tri", (2, 2))
    space = ritz.Space(mesh)
    matrices = np.empty((8, 3, 3))
    made, _ = ritz.integrate(space, ritz.Form("poisson", 2), matrices=matrices)
    assert made is matrices and made.sum(axis=2) == pytest.approx(0)
    with pytest.raises(ritz.Error, match="matrices must be a writable, contiguous array of float64"):
        ritz.integrate(space, ritz.Form("poisson", 2), matrices=np.empty((8, 3, 3), np.float32))


def test_factors_of_zero_leave_terms_out():
    space = ritz.Space(ritz.Mesh.box("tri", (2, 2)))
    whole = [(0, 0, 1, 1, "1"), (0, 0, 2, 2, "1")]
    without = ritz.Form.define(2, 1, [*whole, (0, 0, 0, 0, "x", 0), (0, 0, 0, 0, "y", 0.0)], [(0, 0, "x", 0)])
    made, loads = ritz.integrate(space, without)
    expected, _ = ritz.integrate(space, ritz.Form.define(2, 1, whole))
    assert np.array_equal(made, expected) and (loads is None or not loads.any())


def test_newton_with_a_form_of_ones_own():
    """-div((1 + u^2) grad u) = f with u = sin(x + 2 y) / 2, as in examples/api/c_newton.c."""
    form = ritz.Form.define(
        2,
        1,
        [(0, 0, 1, 1, "k"), (0, 0, 2, 2, "k"), (0, 0, 1, 0, "u * u_x", 2), (0, 0, 2, 0, "u * u_y", 2)],
        [(0, 0, "f"), (0, 1, "k * u_x", -1), (0, 2, "k * u_y", -1)],
        expressions={
            "k": "1 + u*u",
            "s": "0.5 * sin(x + 2*y)",
            "c": "0.5 * cos(x + 2*y)",
            "f": "5 * s * (1 + s*s) - 10 * s * c*c",
        },
    )
    assert not form.symmetric and form.data == {}
    space = ritz.Space(ritz.Mesh.box("quad", (8, 8)), order=3)
    exact = space.interpolate(lambda x: np.sin(x[0] + 2 * x[1]) / 2)
    boundary = ritz.Constraints(space)
    for side in ("x0", "x1", "y0", "y1"):
        boundary.set(side)
    assembler, u = ritz.Assembler(space), np.zeros(space.n_dofs)
    for _ in range(6):
        boundary.set_values(exact - u)
        rhs = assembler.fill(form, old=u, constraints=boundary)
        du, _ = ritz.solve(assembler.matrix, rhs, method="bicgstab", tolerance=1e-12)
        u += du
    assert abs(du).max() < 1e-10 and abs(u - exact).max() < 1e-5


def test_constraints_by_function():
    space = ritz.Space(ritz.Mesh.box("tet", (2, 2, 2)), order=2, components=3)
    clamp = ritz.Constraints(space)
    clamp.set("x0", lambda x: [x[1], 2 * x[2], 0 * x[0]]).set("z1", lambda x: 5 * x[0], component=2).set("y0", [1, 2, 3])
    at, which = space.points[clamp.dofs // 3], clamp.dofs % 3
    on_y0 = at[:, 1] == 0
    assert np.all(clamp.values[on_y0] == which[on_y0] + 1)
    rest = ~on_y0 & (at[:, 0] == 0) & (which < 2)
    np.testing.assert_allclose(clamp.values[rest], np.where(which == 0, at[:, 1], 2 * at[:, 2])[rest])
    top = ~on_y0 & (at[:, 2] == 1) & (which == 2)
    np.testing.assert_allclose(clamp.values[top], 5 * at[top, 0])
    with pytest.raises(ritz.Error, match="no group 'x9'"):
        clamp.set("x9")


def test_values_do_not_depend_on_how_many_nodes_there_are():
    """Two nodes and two components: an array that a function gives is [n], a list has an entry for each component."""
    space = ritz.Space(ritz.Mesh.box("quad", (1, 1)), components=2)

    def on_x0(value, **options):
        return ritz.Constraints(space).set("x0", value, **options).values.tolist()

    assert on_x0(lambda x: 0.1 * x[1]) == [0, 0, 0.1, 0.1]
    assert on_x0(lambda x: [0, 0.1]) == on_x0([0, 0.1]) == on_x0(np.array([0, 0.1])) == [0, 0.1, 0, 0.1]
    assert on_x0(lambda x: (3, x[1])) == [3, 0, 3, 1]
    assert on_x0(lambda x: 2) == on_x0(np.float32(2)) == [2, 2, 2, 2]
    assert on_x0(lambda x: x[1], component=1) == [0, 1]
    row = ritz.Space(ritz.Mesh.box("quad", (3, 1)), components=8)  # as many as nodes
    np.testing.assert_array_equal(row.interpolate(lambda x: x[0]).reshape(8, 8), np.repeat(row.points[:, :1], 8, axis=1))
    for value, options, message in (
        (lambda x: np.zeros(3), {}, r"the value at 2 nodes has the shape \(3,\); give \(2, 2\), \(2,\), a list"),
        (lambda x: [0, 1, 2], {}, "3 entries; give one for each of the 2 components"),
        ([1, 2, 3], {}, "3 entries"),
        ([1, 2, 3], {"component": 0}, r"has the shape \(3,\); give \(1, 2\)"),
        (lambda x: 1j * x[1], {}, "complex128"),
        ("x", {}, "give real numbers"),
    ):
        with pytest.raises(ritz.Error, match=message):
            on_x0(value, **options)


# ---- Meshes ----


def test_arrays_are_taken_as_they_are_or_refused():
    points = np.array([[0, 0], [1, 0], [0, 1]], float)
    made = ritz.Mesh.from_arrays
    assert made(points, {"tri": [[0, 1.0, 2]]}).n_cells() == 1
    tri = {"tri": [[0, 1, 2]]}
    space = ritz.Space(made(points, tri), components=2)
    held = ritz.Constraints(space).set_dofs(np.array([0.0, 2.0]), [1, 2])
    assert held.dofs.tolist() == [0, 2]
    whole = "is not a whole number from"
    for wrong, message in (
        (lambda: made(points, {"tri": np.array([[0, 1, 2**32 + 2]])}), f"the nodes of tri cells: 4294967298 {whole}"),
        (lambda: made(points, {"tri": [[0, 1, 2.7]]}), f"2.7 {whole}"),
        (lambda: made(points, {"tri": [[0, 1, float("nan")]]}), f"nan {whole}"),
        (lambda: made(points, {"tri": [[0, 1, 2**70]]}), "the nodes of tri cells"),
        (lambda: made(points, {"tri": [[0, 1, 2], [0, 1]]}), "the nodes of tri cells: this is no array of numbers"),
        (lambda: made(points, {"tri": [["0", "1", "2"]]}), "give real numbers"),
        (lambda: made(points + 1j, tri), "points: values of the type complex128 can not be taken"),
        (lambda: made(points, tri, cell_groups={"a": [True]}), r"the group 'a': .*flatnonzero"),
        (lambda: made(points, tri, facet_groups={"a": [[0, 1.5]]}), f"the facet group 'a': 1.5 {whole}"),
        (lambda: held.set_dofs([0.5, 1.7]), f"dofs: 0.5 {whole}"),
        (lambda: held.set_dofs([0, 1], [1, 2, 3]), r"values has the shape \(3,\); give \(2,\) or one number"),
        (lambda: held.equation([0, 1], [1, 2, 3]), r"coefficients has the shape \(3,\)"),
        (lambda: ritz.write_result("never.vtu", space, v=np.zeros((2, 3))), r"the field 'v' has the shape \(2, 3\)"),
        (lambda: ritz.write_result("never.vtu", space, v=np.zeros(3) * 1j), "the field 'v': values of the type complex128"),
        (lambda: ritz.assemble(space, ritz.Form("mass", 2), {"density": np.complex128(1)}), "'density': values of the type complex128"),
        (lambda: ritz.integrate(space, ritz.Form("poisson", 2), matrices=[1]), "matrices must be a writable"),
        (lambda: ritz.Mesh.box("hex", (2, 2, 2), size=(2, 2)), r"size of a box of hex cells has the shape \(2,\); give \(3\)"),
        (lambda: ritz.Mesh.box("hex", (2, 2, 2), size=2), "size of a box of hex cells"),
        (lambda: ritz.Mesh.box("hex", (2, 2, 2), size=(2, 0, 2)), "give lengths greater than 0"),
        (lambda: ritz.Mesh.box("hex", (2, 2, 2), origin=(1, 1)), "origin of a box of hex cells"),
        (lambda: ritz.Mesh.box("hex", 2), "cells of a box of hex cells"),
    ):
        with pytest.raises(ritz.Error, match=message):
            wrong()


def two_cubes():
    points = np.array([[x, y, z] for x in range(3) for y in range(2) for z in range(2)], float)
    cells = [[0, 4, 6, 2, 1, 5, 7, 3], [4, 8, 10, 6, 5, 9, 11, 7]]
    return points, cells


def test_groups_of_facets_are_given_by_their_nodes():
    points, cells = two_cubes()
    mesh = ritz.Mesh.from_arrays(
        points,
        {"hex": cells},
        cell_groups={"left": [0], "right": [1]},
        facet_groups={"end": [[8, 9, 11, 10]], "none": []},
        node_groups={"corner": [0]},
    )
    assert mesh.groups == {"left": "cells", "right": "cells", "end": "facets", "none": "facets", "corner": "nodes"}
    assert len(mesh.group("none")) == 0
    assert mesh.group("end")[0, 0] == 1
    np.testing.assert_array_equal(mesh.points, points)
    np.testing.assert_array_equal(mesh.cells("hex"), cells)
    space = ritz.Space(mesh)
    assert sorted(space.points[space.group_dofs("end"), 0]) == [2, 2, 2, 2]
    with pytest.raises(ritz.Error, match=r"facet 0 of the group 'cut', with the nodes \[0, 5, 11, 10\], is no facet of a cell"):
        ritz.Mesh.from_arrays(points, {"hex": cells}, facet_groups={"cut": [[0, 5, 11, 10]]})
    with pytest.raises(ritz.Error, match="a hex has 8 or 20 or 27 nodes, not 7"):
        ritz.Mesh.from_arrays(points, {"hex": [[0, 1, 2, 3, 4, 5, 6]]})


def volume(mesh):
    matrix, _ = ritz.assemble(ritz.Space(mesh, 1), ritz.Form("mass", mesh.dim), degree=6)
    return matrix.to_scipy().sum()


@pytest.mark.parametrize("cell", ["triangle", "quad", "tetra", "hexahedron", "wedge"])
@pytest.mark.parametrize("order", [1, 2])
def test_meshio_meshes_are_taken_as_they_are(cell, order):
    """The order of nodes is that with which meshio itself writes files for Gmsh; and the volume shows a node in a wrong
    place, as the mid-side nodes lie on a curve."""
    pytest.importorskip("meshio")
    import meshio.gmsh.common
    from ritz._convert import _MESHIO

    ours = _MESHIO[cell]
    box = ritz.Mesh.box(ours, (2, 2, 2)[: 2 if cell in ("triangle", "quad") else 3])
    name = cell if order == 1 else cell + {"triangle": "6", "quad": "9", "tetra": "10", "hexahedron": "27", "wedge": "18"}[cell]
    space = ritz.Space(box, order)
    gmsh = space.cell_nodes(ours) if order == 1 else nodes_in_gmsh_order(space, ours)
    to_gmsh = meshio.gmsh.common._meshio_to_gmsh_order(name, np.arange(gmsh.shape[1])[None])[0]
    if name == "wedge18":  # meshio leaves it as it is; VTK's order differs from Gmsh's: vtkBiQuadraticQuadraticWedge
        to_gmsh = [0, 1, 2, 3, 4, 5, 6, 8, 12, 7, 13, 14, 9, 11, 10, 15, 17, 16]
    nodes = np.empty_like(gmsh)
    nodes[:, to_gmsh] = gmsh
    x = space.points.copy()
    x[:, 0] *= 1 + x[:, 1] ** 2  # the volume becomes that of 1 + y^2 over the unit box, 4/3
    mesh = ritz.Mesh.from_meshio(meshio.Mesh(x, [(name, nodes)], cell_sets={"all": [np.arange(len(nodes))]}))
    assert mesh.groups == {"all": "cells"} and mesh.order == order
    np.testing.assert_array_equal(mesh.cells(ours), gmsh)
    if order == 2 and cell in ("quad", "hexahedron"):  # whose geometry holds the curve exactly
        assert volume(mesh) == pytest.approx(4 / 3, rel=1e-12)


def nodes_in_gmsh_order(space, cell):
    """Nodes of second-order cells in Gmsh's order, found by the places that a straight second-order mesh gives them."""
    import itertools

    edges = {
        "tri": [(0, 1), (1, 2), (2, 0)],
        "quad": [(0, 1), (1, 2), (2, 3), (3, 0), (0, 1, 2, 3)],
        "tet": [(0, 1), (1, 2), (2, 0), (3, 0), (3, 2), (3, 1)],
        "prism": [(0, 1), (0, 2), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (3, 5), (4, 5), (0, 1, 4, 3), (0, 2, 5, 3), (1, 2, 5, 4)],
        "hex": [(0, 1), (0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 7), (5, 6), (6, 7)]
        + [(0, 1, 2, 3), (0, 1, 4, 5), (0, 3, 4, 7), (1, 2, 5, 6), (2, 3, 6, 7), (4, 5, 6, 7), tuple(range(8))],
    }[cell]
    corners = space.mesh.cells(cell)
    points = space.mesh.points
    place = {tuple(np.round(p, 9)): k for k, p in enumerate(space.points)}
    groups = [[(k,) for k in range(corners.shape[1])], edges]
    middle = [[place[tuple(np.round(points[c[list(g)]].mean(axis=0), 9))] for g in itertools.chain(*groups)] for c in corners]
    return np.array(middle, np.int32)


def test_meshio_groups_of_gmsh():
    meshio = pytest.importorskip("meshio")
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
    given = meshio.Mesh(
        points,
        [("line", [[0, 1], [2, 3]]), ("triangle", [[0, 1, 2], [0, 2, 3]])],
        cell_data={"gmsh:physical": [np.array([7, 8]), np.array([1, 2])]},
        field_data={"bottom": np.array([7, 1]), "steel": np.array([1, 2])},
    )
    mesh = ritz.Mesh.from_meshio(given)
    assert mesh.groups == {"steel": "cells", "2": "cells", "bottom": "facets", "8": "facets"}
    space = ritz.Space(mesh)
    assert set(space.points[space.group_dofs("bottom"), 1]) == {0.0}


# ---- Against scikit-fem ----


def test_poisson_of_order_two_is_that_of_scikit_fem():
    skfem = pytest.importorskip("skfem")
    from skfem.models.poisson import laplace

    tri = skfem.MeshTri().refined(2)
    basis = skfem.Basis(tri, skfem.ElementTriP2())
    theirs = laplace.assemble(basis)
    space = ritz.Space(ritz.Mesh.from_arrays(tri.p.T, {"tri": tri.t.T}), order=2)
    ours = ritz.assemble(space, ritz.Form("poisson", 2))[0].to_scipy()
    order = [np.lexsort(np.round(x, 9).T) for x in (basis.doflocs.T, space.points)]
    difference = theirs[order[0]][:, order[0]] - ours[order[1]][:, order[1]]
    assert abs(difference).max() < 1e-13


def test_numbers_of_the_caller_are_those_of_matrices_and_vectors():
    skfem = pytest.importorskip("skfem")
    from skfem.models.poisson import laplace, unit_load

    tri = skfem.MeshTri().refined(2)
    mesh = ritz.Mesh.from_arrays(tri.p.T, {"tri": tri.t.T})
    form = ritz.Form("poisson", 2)
    for order, element in ((1, skfem.ElementTriP1()), (2, skfem.ElementTriP2())):
        basis = skfem.Basis(tri, element)
        space = ritz.Space(mesh, order, numbers="mesh" if order == 1 else {"tri": basis.element_dofs.T})
        matrix, rhs = ritz.assemble(space, form, {"source": 1.0})
        np.testing.assert_allclose(matrix.to_scipy().toarray(), laplace.assemble(basis).toarray(), atol=1e-12)
        np.testing.assert_allclose(rhs, unit_load.assemble(basis), atol=1e-14)
        np.testing.assert_allclose(space.points, basis.doflocs.T, atol=1e-14)
    numbers = space.cell_nodes("tri")
    for wrong, message in (
        ("file", "numbers are 'mesh' or"),
        ("mesh", "order"),
        ({}, "tri"),
        ({"tri": numbers[:, :3]}, "shape"),
        ({"tri": numbers + 1}, "number 81; the space has 81 nodes"),
    ):
        with pytest.raises(ritz.Error, match=message):
            ritz.Space(mesh, 2, numbers=wrong)


def test_serendipity_is_that_of_scikit_fem():
    skfem = pytest.importorskip("skfem")
    from skfem.models.poisson import laplace

    quads = skfem.MeshQuad().refined(1)
    basis = skfem.Basis(quads, skfem.ElementQuadS2(), intorder=6)
    mesh = ritz.Mesh.from_arrays(quads.p.T, {"quad": quads.t.T})
    space = ritz.Space(mesh, serendipity=True)
    assert (space.order, space.n_cell_nodes("quad"), space.cell_nodes("quad").shape) == (2, 8, (4, 8))
    matrix, _ = ritz.assemble(space, ritz.Form("poisson", 2))
    ours = matrix.to_scipy()
    # of equal functions of the space: their basis takes hierarchical ones, ours nodal values
    for k, function in enumerate((lambda x, y: x * x * y - 2 * y, lambda x, y: x * y * y + x * x)):
        nodal = space.interpolate(lambda x: function(x[0], x[1]))
        theirs = basis.project(lambda x: function(x[0], x[1]))
        assert nodal @ ours @ nodal == pytest.approx(theirs @ laplace.assemble(basis) @ theirs, rel=1e-12), k
    dense = np.zeros(ours.shape)
    for dofs, a in zip(space.cell_dofs("quad"), ritz.integrate(space, ritz.Form("poisson", 2))[0]):
        dense[np.ix_(dofs, dofs)] += a
    np.testing.assert_allclose(dense, ours.toarray(), atol=1e-13)
    with pytest.raises(ritz.Error, match="serendipity elements have order 2, not 3"):
        ritz.Space(mesh, 3, serendipity=True)


def test_scipy_matrices_go_there_and_back():
    from scipy.sparse import random

    given = random(40, 30, 0.2, random_state=1, format="csr")
    matrix = ritz.Matrix.from_scipy(given)
    assert matrix.shape == (40, 30)
    assert abs(matrix.to_scipy() - given).max() == 0
    x = np.arange(30.0)
    np.testing.assert_allclose(matrix @ x, given @ x)


def test_blocks_of_scipy_matrices_stay():
    """They are the nodes of multigrid, whose levels do not change with the directions of the axes."""
    from scipy.sparse import identity, kron

    space = ritz.Space(ritz.Mesh.box("tet", (10, 10, 10)), components=3)
    form, data = ritz.Form("elasticity", 3), {"young": 2e11, "poisson": 0.45, "force_z": -1.0}
    matrix, rhs = ritz.assemble(space, form, data, constraints=ritz.Constraints(space).set("x0", 0.0))
    given, motions = matrix.to_scipy().tobsr((3, 3)), space.rigid_motions()
    assert ritz.Matrix.from_scipy(given).nonzeros == 9 * len(given.indices)
    a, b, c = 0.36, 0.48, 0.8  # rows of a rotation
    turn = kron(identity(space.n_nodes), [[a, b, -c], [-c, 0.6, 0], [b, 0.64, 0.6]])
    turned = (turn @ given @ turn.T).tobsr((3, 3))
    u, first = ritz.solve(ritz.Matrix.from_scipy(given), rhs, preconditioner="multigrid", near_nullspace=motions)
    v, second = ritz.solve(ritz.Matrix.from_scipy(turned), turn @ rhs, preconditioner="multigrid", near_nullspace=turn @ motions)
    assert abs(turn @ u - v).max() < 1e-6 * abs(u).max()
    assert first.iterations <= 26 and abs(first.iterations - second.iterations) <= 1, (first.iterations, second.iterations)


# ---- Solvers ----


@pytest.mark.parametrize("options", [{"method": "direct"}, {"preconditioner": "multigrid"}, {"method": "gmres"}, {"degree": 4}], ids=str)
def test_solvers_agree_with_scipy(options):
    from scipy.sparse.linalg import spsolve

    space, _, matrix, rhs = clamped_bar()
    if "preconditioner" in options:
        options = {**options, "near_nullspace": space.rigid_motions(), "coarse": space.vertex_weights()}
    u, report = ritz.solve(matrix, rhs, tolerance=1e-12, **options)
    np.testing.assert_allclose(u, spsolve(matrix.to_scipy(), rhs), atol=1e-11)
    assert all(getattr(report, name) == value for name, value in options.items() if name in ("method", "preconditioner"))


def test_rigid_motions_may_come_from_coordinates():
    space, _, matrix, rhs = clamped_bar()
    given, report = ritz.solve(matrix, rhs, preconditioner="multigrid", near_nullspace=space.rigid_motions())
    made, same = ritz.solve(matrix, rhs, preconditioner="multigrid", coordinates=space.points)
    np.testing.assert_array_equal(given, made)
    assert report.levels == same.levels and report.levels[0].rows == matrix.shape[0] and report.levels[-1].aggregates == 0
    sums = sum(level.nonzeros for level in report.levels) / report.levels[0].nonzeros
    assert abs(report.operator_complexity - sums) < 1e-12
    with pytest.raises(ritz.Error, match="the matrix has"):
        ritz.Solver(matrix, preconditioner="multigrid", coordinates=space.points[1:])
    _, again = ritz.solve(matrix, rhs, preconditioner="multigrid", coordinates=space.points, precondition_matrix=matrix)
    assert again.iterations == same.iterations
    with pytest.raises(ritz.Error, match="multigrid cannot be made of a matrix of"):
        ritz.Solver(matrix, preconditioner="multigrid", coordinates=space.points, precondition_matrix=ritz.Matrix.from_scipy(matrix.to_scipy()))
    plain, turned = (ritz.Matrix.from_scipy(sign * matrix.to_scipy()) for sign in (1, -1))
    with pytest.raises(ritz.Error, match="precondition_matrix has -.* on its diagonal in row"):
        ritz.Solver(plain, preconditioner="multigrid", near_nullspace=space.rigid_motions(), precondition_matrix=turned)


@pytest.mark.parametrize("options", [{"method": "direct"}, {"method": "cg"}, {"matrix": "half"}])
def test_a_solver_is_of_the_fill_that_it_has_seen(options):
    """Factors of the values before would solve another system without a word; what an assembler has made anew is no matrix any more."""
    space = ritz.Space(ritz.Mesh.box("hex", (4, 3, 3)), 1, 3)
    form, loads, held = ritz.Form("elasticity", 3), [ritz.Traction("x1", [1, 0, 0])], ritz.Constraints(space).set("x0", 0.0)
    assembler = ritz.Assembler(space)
    rhs = assembler.fill(form, {"young": 1.0, "poisson": 0.0}, loads=loads, constraints=held)
    solver, matrix = ritz.Solver(assembler.matrix, updatable=True, **options), assembler.matrix
    assert solver.solve(rhs)[0].max() == pytest.approx(1)
    rhs = assembler.fill(form, {"young": 2.0, "poisson": 0.0}, loads=loads, constraints=held)
    with pytest.raises(ritz.Error, match="filled anew since the solver took it"):
        solver.solve(rhs)
    solver.update(matrix)
    assert solver.solve(rhs)[0].max() == pytest.approx(0.5)
    end = np.flatnonzero(space.points[:, 0] == 1)
    tied = ritz.Constraints(space).set("x0", 0.0).equation(3 * end[:2], [1.0, -1.0])
    assembler.fill(form, {"young": 1.0, "poisson": 0.0}, loads=loads, constraints=tied)
    with pytest.raises(ritz.Error, match="filled anew since|made another matrix since"):
        solver.solve(rhs)
    solver.update(assembler.matrix)
    assert solver.solve(rhs)[1].converged


def test_large_assembled_matrices_are_solved_with_multigrid():
    mesh = ritz.Mesh.box("hex", (9, 9, 9))
    for form, data, components in ((ritz.Form("elasticity", 3), {"young": 1.0, "poisson": 0.3}, 3), (ritz.Form("poisson", 3), {"source": 1.0}, 1)):
        space = ritz.Space(mesh, order=2 if components == 3 else 3, components=components)
        held = ritz.Constraints(space).set("x0", 0.0)
        assembler = ritz.Assembler(space)
        assembler.fill(form, data, constraints=held)
        rhs = np.random.default_rng(1).standard_normal(space.n_dofs)
        u, report = ritz.solve(assembler.matrix, rhs, tolerance=1e-8)
        assert report.preconditioner == "multigrid" and report.iterations < 25
        assert report.levels[0].aggregates == 1000, "the space of order 1"
        assert abs(assembler.matrix @ u - rhs).max() < 1e-5 * abs(rhs).max()
        assert ritz.solve(assembler.matrix, rhs, preconditioner="jacobi")[1].preconditioner == "jacobi"
        nodes = held.space.group_dofs("x1")
        assembler.fill(form, data, constraints=held.equation(nodes[:2], [1.0, -1.0]))
        _, report = ritz.solve(assembler.matrix, rhs, tolerance=1e-8)
        assert report.preconditioner == "multigrid" and report.levels[0].aggregates < 1000, "no coarse space where equations are"
    assembler.fill(ritz.Form("mass", 3), constraints=None)
    assert ritz.solve(assembler.matrix, rhs)[1].preconditioner != "multigrid", "a mass matrix needs none"


def test_motions_about_a_far_origin_serve_in_single():
    space = ritz.Space(ritz.Mesh.box("quad", (40, 40)), order=1, components=2)
    held = ritz.Constraints(space).set("x0", 0.0)
    matrix, _ = ritz.assemble(space, ritz.Form("plane-stress", 2), {"young": 1.0, "poisson": 0.3}, constraints=held, precision="f32")
    rhs = np.random.default_rng(1).standard_normal(matrix.shape[0])
    near = space.rigid_motions()
    far = near.copy()
    far[:, 2] = near[:, 2] + 100 * (near[:, 1] - near[:, 0])
    iterations = [ritz.solve(matrix, rhs, preconditioner="multigrid", near_nullspace=motions, tolerance=1e-4, unknowns_per_node=2)[1].iterations
                  for motions in (near, far)]
    assert iterations[1] <= iterations[0] + 1, iterations


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("hinge, n_free", [([], 6), (["x0"], 1), (["x0", "z1"], 0)])
def test_what_loads_leave_alone_by_multigrid(order, hinge, n_free):
    """A body free in space, on a hinge, and held: loads that balance have solutions, and multigrid knows what they leave undetermined."""
    space = ritz.Space(ritz.Mesh.box("hex", (12, 10, 8), size=(1.2, 1, 0.8)), order=order, components=3)
    whole, _ = ritz.assemble(space, ritz.Form("elasticity", 3), {"young": 1.0, "poisson": 0.3})
    on_edge = (space.points[:, 2] < 1e-9) if hinge else np.zeros(space.n_nodes, bool)
    held = on_edge & ((space.points[:, 0] < 1e-9) | ("z1" in hinge))
    matrix = (whole.to_scipy() + scipy.sparse.diags(np.repeat(held.astype(float), 3))).tocsr()
    some = np.random.default_rng(1).standard_normal(space.n_dofs)
    motions = space.rigid_motions()
    solver = ritz.Solver(ritz.Matrix.from_scipy(matrix.tobsr((3, 3))), preconditioner="multigrid", near_nullspace=motions, updatable=True, tolerance=1e-8)
    for scale in (1, 100):
        rhs = scale * (matrix @ some)
        solver.update(ritz.Matrix.from_scipy((scale * matrix).tobsr((3, 3))))
        x, report = solver.solve(rhs)
        assert report.method == "cg" and report.iterations < 30 and report.n_free_motions == n_free
        assert abs(scale * (matrix @ x) - rhs).max() < 1e-6 * abs(rhs).max()
        error = x - some
        error -= motions @ np.linalg.lstsq(motions, error, rcond=None)[0] if n_free else 0
        assert abs(error).max() < 1e-4 * abs(some).max()


def test_free_and_held_bodies_by_multigrid():
    """Three free bodies and a held one, one far from the others: each has motions of its own, and one is as right as if it were alone."""
    space = ritz.Space(ritz.Mesh.box("hex", (8, 8, 8)), order=1, components=3)
    free = ritz.assemble(space, ritz.Form("elasticity", 3), {"young": 1.0, "poisson": 0.3})[0].to_scipy()
    held = free + scipy.sparse.diags(np.repeat((space.points[:, 0] < 1e-9).astype(float), 3))
    matrix = scipy.sparse.block_diag((free, held, free, free)).tobsr((3, 3))
    points = np.concatenate([space.points + [x, 0, 0] for x in (0, 3, 6, 20)])
    some = np.random.default_rng(1).standard_normal(matrix.shape[0])
    x, report = ritz.solve(ritz.Matrix.from_scipy(matrix), matrix @ some, preconditioner="multigrid", coordinates=points)
    own = slice(space.n_dofs, 2 * space.n_dofs)
    assert report.n_free_motions == 18 and report.iterations < 25
    assert abs(matrix @ (x - some)).max() < 1e-6 and abs(x - some)[own].max() < 1e-6 * abs(some).max()


@pytest.mark.parametrize("n", [20, 150])
@pytest.mark.parametrize("soft", [1, 1e-6])
def test_potentials_that_nothing_holds(n, soft):
    """Whatever has the last numbers, and on a single level, too."""
    stiffness = np.where(np.arange(n) < n // 2, 1.0, soft)
    across = scipy.sparse.kron(scipy.sparse.diags(stiffness), chain(n, free=True))
    links = scipy.sparse.diags([-np.ones(n - 1), np.ones(n - 1)], [0, 1], shape=(n - 1, n))
    along = scipy.sparse.kron(links.T @ scipy.sparse.diags(stiffness[1:]) @ links, scipy.sparse.identity(n))
    matrix = (across + along).tocsr()
    some = np.random.default_rng(1).standard_normal(n * n)
    x, report = ritz.solve(ritz.Matrix.from_scipy(matrix), matrix @ some, method="cg", preconditioner="multigrid")
    error = x - some
    assert report.n_free_motions == 1 and report.iterations < 30 and abs(error - error.mean()).max() < 1e-4


@pytest.mark.parametrize("film, n_free", [(0, 1), (1e-9, 0), (1e-12, 0)])
def test_a_weak_film_is_not_none(film, n_free):
    """A potential that nothing holds, and one that next to nothing does: rounding of multigrid's levels makes them alike."""
    n = 120
    edge = np.zeros((n, n))
    edge[0] = film
    matrix = (grid(n, free=True) + scipy.sparse.diags(edge.ravel())).tocsr()
    rhs = np.random.default_rng(1).standard_normal(n * n)
    rhs += edge.sum() * 3 / n**2 - rhs.mean()  # the mean at the edge is 3
    x, report = ritz.solve(ritz.Matrix.from_scipy(matrix), rhs, method="cg", preconditioner="multigrid", thorough=True)
    assert report.iterations < 60 and report.n_free_motions == n_free and abs(matrix @ x - rhs).max() < 1e-5
    assert film == 0 or abs(x.reshape(n, n)[0].mean() - 3) < 3 * 1e-14 / film


@pytest.mark.parametrize("stiffness", [1e6, 1e12])
def test_oblique_springs_by_multigrid(stiffness):
    """Walls along which nodes slide, each in a direction of its own, by springs far stiffer than the part."""
    space = ritz.Space(ritz.Mesh.box("hex", (10, 10, 10)), order=1, components=3)
    matrix, _ = ritz.assemble(space, ritz.Form("elasticity", 3), {"young": 1.0, "poisson": 0.3})
    rng, blocks = np.random.default_rng(1), np.zeros((space.n_nodes, 3, 3))
    for i in np.flatnonzero(space.points[:, 2] < 1e-9):
        normal = rng.standard_normal(3)
        normal /= np.linalg.norm(normal)
        blocks[i] = stiffness * np.outer(normal, normal)
    springs = scipy.sparse.bsr_array((blocks, np.arange(space.n_nodes), np.arange(space.n_nodes + 1)))
    matrix = (matrix.to_scipy() + springs.tocsr()).tocsr()
    rhs = np.tile([1e-3, 0, -2e-3], space.n_nodes) * np.repeat(space.points[:, 2] > 1 - 1e-9, 3)
    x, report = ritz.solve(ritz.Matrix.from_scipy(matrix.tobsr((3, 3))), rhs, method="cg", preconditioner="multigrid", coordinates=space.points)
    truth = scipy.sparse.linalg.spsolve(matrix.tocsc(), rhs)
    assert report.iterations < 25 and abs(x - truth).max() < max(1e-6, 1e-15 * stiffness) * abs(truth).max()


@pytest.mark.parametrize("weight, scale", [(8.85e-12, 1), (1, 1e10)], ids=["identity", "penalty"])
@pytest.mark.parametrize("options", [{}, {"preconditioner": "multigrid"}, {"preconditioner": "chebyshev"}, {"method": "bicgstab"},
                                     {"method": "gmres"}, {"start": True}], ids=str)
def test_rows_that_know_their_unknown(weight, scale, options):
    """Prescribed values as rows of the identity beside a small coefficient, or as penalties: the norm of the right-hand side tells nothing
    of the other rows."""
    from scipy.sparse import diags

    n = 40
    held = np.zeros((n, n))
    held[0] = held[-1] = 1
    given = np.zeros((n, n))
    given[-1] = 100
    free, known = 1 - held.ravel(), given.ravel()
    stiffness = weight * grid(n, free=True)
    if scale == 1:
        matrix, rhs = diags(free) @ stiffness @ diags(free) + diags(held.ravel()), known - free * (stiffness @ known)
    else:
        matrix, rhs = stiffness + diags(scale * held.ravel()), scale * known
    truth = np.repeat(np.linspace(0, 100, n), n)
    options = dict(options)
    start = truth + 1 if options.pop("start", False) else None
    x, report = ritz.solve(ritz.Matrix.from_scipy(matrix.tocsr()), rhs, start, **options)
    assert abs(x - truth).max() < 1e-3, report.iterations


def test_method_of_a_matrix_that_is_not_symmetric():
    skew = ritz.Matrix.from_scipy((grid(30) + scipy.sparse.eye_array(900, k=1)).tocsr())
    rhs = np.ones(900)
    x, report = ritz.solve(skew, rhs)
    assert report.method in ("bicgstab", "gmres") and abs(skew @ x - rhs).max() < 1e-6
    nearly = (grid(30) @ scipy.sparse.diags_array(1 + 1e-7 * np.random.default_rng(0).uniform(-1, 1, 900))).tocsr()
    assert ritz.solve(ritz.Matrix.from_scipy(nearly), rhs)[1].method == "cg"
    penalties = scipy.sparse.diags_array(np.where(np.arange(900) < 30, 1e10, 0))  # which outweigh what is not symmetric
    assert ritz.solve(ritz.Matrix.from_scipy((grid(30) + scipy.sparse.eye_array(900, k=1) + penalties).tocsr()), rhs)[1].method == "bicgstab"


def test_result_has_warnings_and_the_choice():
    beam = {"mesh": {"box": {"cells": [60, 1, 1], "size": [60, 1, 1]}}, "physics": "elasticity", "order": 1, "materials": {"young": 1e3, "poisson": 0.3},
            "boundary": [{"group": "x0", "displacement": "fixed"}, {"group": "x1", "force": [0, 0, -1e-3]}], "output": "none"}
    lines = []
    result = ritz.solve_problem(beam, stage=lines.append)
    assert result.choice.startswith("direct: the part is about 60 times as long as thick")
    assert len(result.warnings) == 1 and "shear locking" in result.warnings[0] and f"warning    {result.warnings[0]}" in lines
    result = ritz.solve_problem(beam, {"order": 2, "solver": "direct"})
    assert result.warnings == () and result.choice is None


@pytest.mark.parametrize("precision, coupling, tolerance", [("f32", 1e-3, 1e-8), ("f32", 1e-5, 1e-8), ("f64", 1e-10, 1e-8), ("f64", 1e-6, 1e-12)])
@pytest.mark.parametrize("start", [None, 1])
def test_rows_that_are_nearly_all(precision, coupling, tolerance, start):
    """What is left of the right-hand side is so little that rounding stays above the tolerance beside it."""
    matrix = (scipy.sparse.eye_array(900) + coupling * grid(30, free=True)).tocsr()
    rhs = np.sin(np.arange(900.0))
    device_matrix = ritz.Matrix.from_scipy(matrix, precision=precision)
    x, report = ritz.solve(device_matrix, rhs, None if start is None else rhs + start, tolerance=tolerance)
    assert report.converged and abs(matrix @ x - rhs).max() < (1e-6 if precision == "f32" else 1e-9)


def test_coarse_level_of_a_matrix_without_blocks():
    space, _, matrix, rhs = clamped_bar()
    plain = ritz.Matrix.from_scipy(matrix.to_scipy())
    u, _ = ritz.solve(plain, rhs, preconditioner="multigrid", near_nullspace=space.rigid_motions(), coarse=space.vertex_weights())
    assert abs(matrix @ u - rhs).max() < 1e-6 * abs(rhs).max()
    nodes, weights = space.vertex_weights()
    for wrong, said in (({"near_nullspace": 0 * space.rigid_motions()}, "vector 0 of the near-nullspace is zero"),
                        ({"coordinates": np.zeros_like(space.points)}, "the coordinates of all nodes are the same")):
        with pytest.raises(ritz.Error, match=said):
            ritz.Solver(plain, preconditioner="multigrid", **wrong)
    for wrong in ({"coarse": (nodes[:-1], weights[:-1])}, {"coarse": (nodes, weights), "unknowns_per_node": 1}):
        with pytest.raises(ritz.Error, match="rows of the matrix"):
            ritz.Solver(plain, preconditioner="multigrid", near_nullspace=space.rigid_motions(), **wrong)


def test_multigrid_of_an_indefinite_matrix_is_refused():
    """Its smoothers and coarse factors are no numbers."""
    space = ritz.Space(ritz.Mesh.box("hex", (12, 12, 12)))
    stiffness, mass = (ritz.assemble(space, ritz.Form(name, 3))[0].to_scipy() for name in ("poisson", "mass"))
    matrix, rhs = ritz.Matrix.from_scipy(stiffness - 30 * mass), np.sin(np.arange(space.n_dofs))
    with pytest.raises(ritz.Error, match="not positive definite.*direct"):
        ritz.solve(matrix, rhs, preconditioner="multigrid")
    u, _ = ritz.solve(matrix, rhs, method="direct")
    np.testing.assert_allclose(matrix @ u, rhs, atol=1e-12)


def chain(n, free=False):
    """Springs in a row, held at both ends or nowhere."""
    diagonal = np.full(n, 2.0)
    diagonal[[0, -1]] = 1 if free else 2
    return scipy.sparse.diags_array([-np.ones(n - 1), diagonal, -np.ones(n - 1)], offsets=[-1, 0, 1]).tocsr()


def grid(n, free=False):
    one = scipy.sparse.identity(n)
    return (scipy.sparse.kron(chain(n, free), one) + scipy.sparse.kron(one, chain(n, free))).tocsr()


@pytest.mark.parametrize("shared", (True, False))
def test_threads_take_turns(shared):
    """On one device, and on devices of their own that are the same processor."""
    n, rhs, found = 2000, np.ones(2000), {}
    held = 0.5 * scipy.sparse.identity(n) + chain(n)

    def work(number):
        device = None if shared else ritz.Device("cpu")
        for _ in range(15):
            matrix = ritz.Matrix.from_scipy(number * held, device=device)
            preconditioner = ("jacobi", "multigrid", "chebyshev", "none")[number - 1]
            found[number] = ritz.solve(matrix, rhs, preconditioner=preconditioner, tolerance=1e-10)[0]
        problem = {"mesh": {"box": {"cells": [number, 1, 1]}}, "physics": "poisson", "boundary": {"group": "x0", "value": 0}, "output": "none"}
        found[-number] = ritz.solve_problem({**problem, "materials": {"source": 1}}).unknowns

    threads = [threading.Thread(target=work, args=(number,)) for number in (1, 2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    truth = scipy.sparse.linalg.spsolve(held.tocsc(), rhs)
    for number in (1, 2, 3, 4):
        np.testing.assert_allclose(number * found[number], truth, rtol=1e-8)
        assert found[-number] == (2 * number + 1) * 9


@pytest.mark.parametrize("logs", [False, True])
def test_a_matrix_that_another_thread_replaces(logs):
    """Products and solves with it are right or an error; they read memory that was gone. While Python hears a log others have the device."""
    space, form = ritz.Space(ritz.Mesh.box("hex", (6, 6, 6))), ritz.Form("poisson", 3)
    plain, tied = (ritz.Constraints(space).set("x0", 0.0) for _ in range(2))
    tied.equation([5, 200], [1.0, -1.0])
    assembler, x, answers, told = ritz.Assembler(space), np.ones(space.n_dofs), [], set()

    def multiply():
        for _ in range(300):
            try:
                matrix = assembler.matrix
                answers.extend([(matrix @ x).sum(), (matrix @ x).sum(), ritz.solve(matrix, x, preconditioner="jacobi")[1].converged])
            except ritz.Error as error:
                told.add(str(error))

    sums, threads = set(), [threading.Thread(target=multiply) for _ in range(3)]
    for constraints in (plain, tied):
        assembler.fill(form, {"conductivity": 1.0}, constraints=constraints)
        sums.add((assembler.matrix @ x).sum())
    if logs:
        ritz.set_log(lambda line: None)
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        for constraints in (tied, plain):
            try:
                assembler.fill(form, {"conductivity": 1.0}, constraints=constraints)
            except ritz.Error as error:
                told.add(str(error))
    ritz.set_log(None)
    expected = ("take assembler.matrix again", "filled anew", "is filling its matrix anew", "a solver is at work")
    assert set(answers) <= sums | {True} and all(any(part in text for part in expected) for text in told), told


def test_a_preconditioner_may_wait_for_another_thread():
    matrix, half = ritz.Matrix.from_scipy(chain(50)), ritz.Matrix.from_scipy(0.5 * scipy.sparse.identity(50).tocsr())
    with ThreadPoolExecutor(1) as pool:
        x, _ = ritz.solve(matrix, np.ones(50), precondition=lambda r: pool.submit(lambda: half @ r).result(timeout=20))
    np.testing.assert_allclose(matrix @ x, 1, rtol=1e-6)


def test_nobody_waits_to_let_go_of_an_object():
    """Not even while another thread computes on its device; it is destroyed after that."""
    matrix, seen = ritz.Matrix.from_scipy(chain(300)), []
    others = [ritz.Matrix.from_scipy(chain(2)) for _ in range(50)]

    def work():
        problem = {"mesh": {"box": {"cells": [12, 12, 12]}}, "physics": "poisson", "boundary": {"group": "x0", "value": 0}, "output": "none"}
        seen.append(ritz.solve_problem({**problem, "materials": {"source": 1}}))

    thread = threading.Thread(target=work)
    thread.start()
    begin = time.monotonic()
    others.clear()
    assert time.monotonic() - begin < 1
    thread.join()
    np.testing.assert_allclose(matrix @ np.ones(300), chain(300) @ np.ones(300))
    assert seen and not _library._unwanted


def test_a_forked_process_is_told_what_to_do():
    ritz.solve(ritz.Matrix.from_scipy(chain(5)), np.ones(5))
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            ritz.Mesh.box("hex", (2, 2, 2))
        except ritz.Error as error:
            os.write(writer, f"{error.status}: {error}".encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    told = os.read(reader, 1000).decode()
    os.close(reader)
    assert told.startswith("device: ") and "spawn" in told
    ritz.solve(ritz.Matrix.from_scipy(chain(5)), np.ones(5))


def failures(solver, rhs, times):
    told = []
    for _ in range(times):
        with pytest.raises(ritz.Error) as error:
            solver.solve(rhs)
        told.append(str(error.value))
    return told


def test_gmres_goes_on_with_the_multigrid_of_bicgstab():
    """Each time: what was made of coordinates is not made anew, of less, for it."""
    n, random = 300, np.random.default_rng(1)
    matrix = ritz.Matrix.from_scipy(scipy.sparse.kron(chain(n, free=True), scipy.sparse.identity(3)).tocsr())
    options = {"preconditioner": "multigrid", "coordinates": random.standard_normal((n, 3))}
    rhs = random.standard_normal(3 * n)
    told = failures(ritz.Solver(matrix, method="bicgstab", **options), rhs, 2)
    assert told == 2 * failures(ritz.Solver(matrix, method="gmres", **options), rhs, 1)


def test_direct_refuses_a_singular_matrix_each_time():
    random = np.random.default_rng(1)
    scale = scipy.sparse.diags_array(random.uniform(0.3, 3, 144))
    matrix = ritz.Matrix.from_scipy((scale @ grid(12, free=True) @ scale).tocsr())
    rhs = random.standard_normal(144)
    told = failures(ritz.Solver(matrix, method="direct"), scale @ (rhs - rhs.mean()), 3)
    assert "singular" in told[0] and told == told[:1] * 3


def test_direct_gives_no_solution_that_leaves_a_residual():
    random = np.random.default_rng(3)
    scale, hold = scipy.sparse.diags_array(random.uniform(0.3, 3, 33**2)), np.zeros(33**2)
    hold[5] = 1e-12
    matrix = (scale @ (grid(33, free=True) + scipy.sparse.diags_array(hold)) @ scale).tocsr()
    with pytest.raises(ritz.Error, match="singular, or so nearly so"):
        ritz.solve(ritz.Matrix.from_scipy(matrix), random.standard_normal(33**2), method="direct")


@pytest.mark.parametrize("options", ({"preconditioner": "none"}, {"precondition": lambda r: r / 2e-14}))
def test_small_units_are_no_lack_of_stiffness(options):
    k, rhs = 1e-14 * chain(100), np.ones(100)
    x, _ = ritz.solve(ritz.Matrix.from_scipy(k), rhs, **options)
    np.testing.assert_allclose(x, scipy.sparse.linalg.spsolve(k.tocsc(), rhs), rtol=1e-6)


@pytest.mark.parametrize("preconditioner", ("none", "jacobi", "chebyshev", "multigrid"))
def test_loads_whose_squares_are_no_numbers_are_refused(preconditioner):
    matrix, rhs = ritz.Matrix.from_scipy(chain(100)), np.random.default_rng(0).standard_normal(100)
    with pytest.raises(ritz.Error, match="too small for its square"):
        ritz.solve(matrix, 1e-161 * rhs, preconditioner=preconditioner)
    x, _ = ritz.solve(matrix, 1e-130 * rhs, preconditioner=preconditioner)
    np.testing.assert_allclose(1e130 * x, scipy.sparse.linalg.spsolve(chain(100).tocsc(), rhs), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("method", ("cg", "gmres"))
def test_multigrid_names_the_row_of_a_matrix_that_is_no_number(method):
    k = grid(30).tolil()
    k[700, 701] = k[701, 700] = np.nan
    with pytest.raises(ritz.Error, match="not a finite number somewhere in row 700"):
        ritz.solve(ritz.Matrix.from_scipy(k.tocsr()), np.ones(900), method=method, preconditioner="multigrid")


@pytest.mark.parametrize("method", ("gmres", "bicgstab"))
def test_multigrid_solves_a_small_indefinite_system(method):
    k, rhs = (grid(12) - 0.2 * scipy.sparse.identity(144)).tocsr(), np.ones(144)
    x, _ = ritz.solve(ritz.Matrix.from_scipy(k), rhs, method=method, preconditioner="multigrid")
    np.testing.assert_allclose(x, scipy.sparse.linalg.spsolve(k.tocsc(), rhs), rtol=1e-6, atol=1e-6)


def test_solver_takes_new_values():
    space, clamp, matrix, rhs = clamped_bar()
    solver = ritz.Solver(matrix, preconditioner="multigrid", near_nullspace=space.rigid_motions(), tolerance=1e-12, updatable=True)
    u, _ = solver.solve(rhs)
    softer, _ = ritz.assemble(space, ritz.Form("elasticity", 3), {"young": 5e3, "poisson": 0.0}, constraints=clamp)
    solver.update(softer)
    np.testing.assert_allclose(solver.solve(rhs)[0], 2 * u, atol=1e-12)
    with pytest.raises(ritz.Error, match="updatable"):
        ritz.Solver(matrix).update(softer)


def test_preconditioner_may_be_a_function():
    _, _, matrix, rhs = clamped_bar()
    diagonal = matrix.to_scipy().diagonal()
    u, report = ritz.solve(matrix, rhs, precondition=lambda r: r / diagonal, tolerance=1e-12)
    assert report.preconditioner == "function" and abs(matrix @ u - rhs).max() < 1e-9

    def fails(r):
        raise ValueError("of the caller")

    with pytest.raises(ValueError, match="of the caller"):
        ritz.solve(matrix, rhs, precondition=fails)

    def uses_itself(r):
        itself.update(matrix)

    def solves_by_itself(r):
        return itself.solve(r)[0]

    for function in (uses_itself, solves_by_itself):
        itself = ritz.Solver(matrix, precondition=function, updatable=True)
        with pytest.raises(ritz.Error, match="in the middle of a solve"):
            itself.solve(rhs)


def test_solutions_are_numbers():
    """x that overflows at the end, and a preconditioner that gives NaN once: no solution, or one that holds."""
    chain = scipy.sparse.diags_array([np.full(49, -1.0), np.full(50, 2.1), np.full(49, -1.0)], offsets=[-1, 0, 1]).tocsr()
    for method in ("cg", "bicgstab", "gmres"):
        with pytest.raises(ritz.Error):
            ritz.solve(ritz.Matrix.from_scipy(chain * 1e-250), np.full(50, 1e100), method=method, preconditioner="none")
    matrix, calls = ritz.Matrix.from_scipy(chain), []

    def fails_at(last):
        calls.clear()

        def precondition(r):
            calls.append(r)
            return r * np.nan if len(calls) == last else r

        return ritz.solve(matrix, np.arange(50.0), method="gmres", precondition=precondition)

    assert fails_at(0)[1].converged
    for last in range(1, len(calls) + 1):
        try:
            assert abs(matrix @ fails_at(last)[0] - np.arange(50.0)).max() < 1e-6
        except ritz.Error as error:
            assert error.status == "not_converged"


def test_levels_that_next_to_nothing_holds():
    """Resistors of 1 ohm with one of 1e5 to 1e7 to earth, and a plate of balanced fluxes in a stream whose film is as weak: the level
    has less than 1e-8 of the residual, and was off by all of it."""
    rng = np.random.default_rng(3)
    n = 3000
    ends = np.concatenate([rng.integers(0, n, (9000, 2)), np.column_stack([np.arange(n - 1), np.arange(1, n)])])
    ends = ends[ends[:, 0] != ends[:, 1]]
    links = scipy.sparse.coo_matrix((np.ones(len(ends)), ends.T), (n, n)).tocsr()
    links += links.T
    network = scipy.sparse.diags_array(np.asarray(links.sum(1)).ravel()) - links
    exact = rng.standard_normal(n)
    exact += 1 - exact.mean()
    for earth in (1e-5, 1e-7):
        matrix = (network + scipy.sparse.coo_matrix(([earth], ([0], [0])), (n, n))).tocsr()
        x, _ = ritz.solve(ritz.Matrix.from_scipy(matrix), matrix @ exact)
        assert abs(x - exact).max() < 1e-5
    blocks = np.array([[2, 0.3, 0.1], [0.3, 1, 0.2], [0.1, 0.2, 1.5]])
    axes = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    for spring in (1e-5, 1e-7):  # three components on three springs aslant
        held = scipy.sparse.lil_matrix((3 * n, 3 * n))
        for axis, node in zip(axes, (5, 300, 777)):
            held[3 * node : 3 * node + 3, 3 * node : 3 * node + 3] = spring * np.outer(axis, axis)
        matrix = scipy.sparse.bsr_array(scipy.sparse.kron(network, blocks) + held, blocksize=(3, 3))
        moved = np.column_stack([exact, -exact, exact + 0.5]).ravel()
        plain = ritz.Matrix.from_scipy(matrix.tocsr())
        for found in (
            ritz.solve(ritz.Matrix.from_scipy(matrix), matrix @ moved),
            ritz.solve(ritz.Matrix.from_scipy(matrix), matrix @ moved, method="bicgstab"),
            ritz.solve(plain, matrix @ moved, unknowns_per_node=3),
        ):
            assert abs(found[0] - moved).max() < 1e-4
    m = 40
    line = scipy.sparse.diags_array(np.r_[1.0, np.full(m - 2, 2.0), 1.0]) - scipy.sparse.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(m, m))
    one = scipy.sparse.identity(m)
    stream = scipy.sparse.diags_array([-1.0, 1.0], offsets=[-1, 0], shape=(m, m)).tolil()
    stream[0, 0] = 0
    held = np.repeat([1.0, 0.0], [m, m * m - m])
    fluxes = np.tile(np.r_[1.0, np.zeros(m - 2), -1.0], m)
    plate = scipy.sparse.kron(line, one) + scipy.sparse.kron(one, line) + 0.05 * scipy.sparse.kron(stream, one)
    for film in (1e-6, 1e-8):
        matrix = (plate + film * scipy.sparse.diags_array(held)).tocsr()
        rhs = fluxes + 5 * film * held
        exact = ritz.solve(ritz.Matrix.from_scipy(matrix), rhs, method="direct")[0]
        for method in ("bicgstab", "gmres"):
            x, _ = ritz.solve(ritz.Matrix.from_scipy(matrix), rhs, method=method)
            assert abs(x - exact).max() < 1e-4 * abs(exact).max()


def test_direct_names_nearly_singular_matrices():
    """Links of 8 decades without earth: no larger tolerance makes the level known."""
    told = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        ends = np.concatenate([rng.integers(0, 500, (1500, 2)), np.column_stack([np.arange(499), np.arange(1, 500)])])
        ends = ends[ends[:, 0] != ends[:, 1]]
        links = scipy.sparse.coo_matrix((10.0 ** rng.uniform(-4, 4, len(ends)), ends.T), (500, 500)).tocsr()
        links += links.T
        matrix = (scipy.sparse.diags_array(np.asarray(links.sum(1)).ravel()) - links).tocsr()
        with pytest.raises(ritz.Error, match="singular"):
            ritz.solve(ritz.Matrix.from_scipy(matrix), matrix @ rng.standard_normal(500), method="direct")
            told += 1
    assert told == 0


def test_thorough_solves_go_on():
    """A chain whose half is a millionth as stiff, pulled at two places of the stiff one by forces that balance each other but for a
    part in 1e10: what moves it as a whole is below the tolerance."""
    stiffness = np.where(np.arange(401) < 200, 1e-6, 1.0)
    chain = scipy.sparse.diags_array([-stiffness[1:-1], stiffness[:-1] + stiffness[1:], -stiffness[1:-1]], offsets=[-1, 0, 1]).tocsr()
    pull = np.zeros(400)
    pull[[250, 390]] = 1, -1
    pull[300] = 1e-10
    matrix, exact = ritz.Matrix.from_scipy(chain), scipy.sparse.linalg.spsolve(chain.tocsc(), pull)
    first, thorough = (ritz.solve(matrix, pull, preconditioner="jacobi", thorough=wanted) for wanted in (False, True))
    assert thorough[1].iterations > first[1].iterations
    assert abs(thorough[0] - exact).max() < 1e-6 * abs(exact).max()


# ---- Manners ----


def test_errors_are_the_librarys_sentences(tmp_path):
    with pytest.raises(ritz.Error, match="cannot|can not|cannot be opened") as caught:
        ritz.Mesh.read(tmp_path / "no.msh")
    assert caught.value.status == "file"
    with pytest.raises(ritz.Error, match="elasticity") as caught:
        ritz.Form("elastcity", 3)
    assert caught.value.status == "input"
    space, _, matrix, rhs = clamped_bar()
    with pytest.raises(ritz.Error) as caught:
        ritz.solve(matrix, rhs, max_iterations=2, tolerance=1e-14)
    assert caught.value.status == "not_converged" and caught.value.report.iterations == 2
    assert caught.value.solution.any()
    with pytest.raises(ritz.Error, match="there is no option 'tolerence'"):
        ritz.solve(matrix, rhs, tolerence=1e-3)
    with pytest.raises(ritz.Error, match="the option 'degree' can not be 2.5"):
        ritz.solve(matrix, rhs, degree=2.5)
    with pytest.raises(ritz.Error, match="method is one of cg, bicgstab, gmres"):
        ritz.solve(matrix, rhs, method="lu?")
    with pytest.raises(ritz.Error, match=r"b has the shape \(3,\); give \(351\)"):
        ritz.solve(matrix, np.zeros(3))


def test_progress_is_told():
    seen = []
    ritz.set_progress(lambda stage, fraction: seen.append((stage, fraction)))
    try:
        clamped_bar()
    finally:
        ritz.set_progress(None)
    assert seen and all(isinstance(stage, str) and fraction <= 1 for stage, fraction in seen)


INTERRUPTED = """
import os, signal, sys, threading, time
import ritz
import scipy.sparse
from ritz._library import _Watcher as watcher
press = watcher.press
watcher.press = lambda self: (time.sleep(0.3), press(self))  # the thread that reads Ctrl-C is late
mesh = ritz.Mesh.box("hex", (40, 40, 40))
space = ritz.Space(mesh, 1)
matrix, rhs = ritz.assemble(space, ritz.Form("poisson", 3), {"source": 1.0}, constraints=ritz.Constraints(space).set("x0"))
same = ritz.Matrix.from_scipy(scipy.sparse.identity(len(rhs)))
others = []
threading.Thread(target=lambda: (time.sleep(0.3), others.append(1), os.kill(os.getpid(), signal.SIGINT)), daemon=True).start()
try:
    ritz.solve(matrix, rhs, PRECONDITIONER, tolerance=1e-300, max_iterations=1 << 24)
except KeyboardInterrupt:
    assert others  # another thread ran meanwhile
    end = time.monotonic() + 0.5
    while time.monotonic() < end:  # and the library serves on
        x, report = ritz.solve(matrix, rhs)
    print("stopped", report.converged)
except ritz.Error as error:
    print(error.status)
"""


def test_forms_that_are_not_symmetric_are_not_solved_by_cg():
    space = ritz.Space(ritz.Mesh.box("quad", (40, 40)), 1)
    held = ritz.Constraints(space).set("x0").set("x1", 1.0)
    form, data = ritz.Form("convection-diffusion", 2), {"c01": 20.0, "c11": 1.0, "c22": 1.0}
    matrix, rhs = ritz.assemble(space, form, data, constraints=held)
    x, report = ritz.solve(matrix, rhs, tolerance=1e-10)
    known, _ = ritz.solve(matrix, rhs, method="direct")
    assert report.method == "bicgstab" and x == pytest.approx(known, abs=1e-7)
    with pytest.raises(ritz.Error, match="such as bicgstab"):
        ritz.solve(matrix, rhs, method="cg")
    with pytest.raises(ritz.Error, match="matrix is not symmetric.*bicgstab"):
        ritz.solve(ritz.Matrix.from_scipy(matrix.to_scipy()), rhs, method="cg")
    with pytest.raises(ritz.Error, match="Matrix.from_scipy"):
        ritz.solve(matrix.to_scipy(), rhs)


def test_wrong_types_are_named():
    space = ritz.Space(ritz.Mesh.box("quad", (4, 4)), 1)
    held = ritz.Constraints(space).set("x0")
    matrix, b = ritz.assemble(space, ritz.Form("poisson", 2), {}, loads=[ritz.Traction("x1", np.float32(2))], constraints=held)
    for words, call in (
        ("settings are a mapping", lambda: ritz.solve_problem("no.yaml", ["order=2"])),
        ("scipy.sparse.csr_array", lambda: ritz.Matrix.from_scipy(np.eye(3))),
        ("storage is one of auto, f64, f32, f16, bf16", lambda: ritz.Solver(matrix, storage="f8")),
        ("'body' is of surfaces, and one of edges is needed; groups of edges are: x0, x1, y0, y1", lambda: ritz.assemble(space, ritz.Form("poisson", 2), {}, loads=[ritz.Traction("body", 1)])),
        ("vectors is one of auto, double, single", lambda: ritz.Solver(matrix, vectors="half")),
        ("not coo_array of the shape", lambda: ritz.Matrix.from_scipy(scipy.sparse.coo_array(np.ones(3)))),
        ("for each component, not None", lambda: ritz.assemble(space, ritz.Form("poisson", 2), {}, loads=[ritz.Traction("x1", None)])),
        ("a vector of zeros what is", lambda: ritz.solve(matrix, b, precondition=lambda r: r / np.where(r == 0, np.nan, 1))),
        ("a vector of ones what is not a finite number in row 0", lambda: ritz.solve(matrix, b, precondition=lambda r: r * np.nan)),
        ("the matrix is a ritz.Matrix, .* NoneType", lambda: ritz.Solver(matrix, updatable=True).update(None)),
        ("precondition_matrix is a ritz.Matrix", lambda: ritz.Solver(matrix, precondition_matrix=matrix.to_scipy())),
        ("Matrix can not be copied", lambda: copy.copy(matrix)),
        ("Space can not be copied", lambda: copy.deepcopy([space])),
    ):
        with pytest.raises(ritz.Error, match=words):
            call()
    x, report = ritz.solve(matrix, b, preconditioner="chebyshev", storage="f16", vectors="single")
    assert report.converged and x == pytest.approx(2 * space.points[:, 0], abs=1e-6)


def test_constraints_of_another_space_are_refused():
    mesh = ritz.Mesh.box("hex", (4, 4, 4))
    spaces = [ritz.Space(mesh, 1, 3, numbers=numbers) for numbers in (None, "mesh")]
    held = ritz.Constraints(spaces[0]).set("x0", 0.0)
    with pytest.raises(ritz.Error, match="another space"):
        ritz.assemble(spaces[1], ritz.Form("elasticity", 3), {"young": 1.0, "poisson": 0.3}, constraints=held)


INTERRUPTED_ANYWHERE = """
import os, signal, sys, threading
import numpy as np, scipy.sparse
import ritz
real = signal.set_wakeup_fd
matrix = ritz.Matrix.from_scipy(scipy.sparse.identity(10))
x = np.ones(10)
mesh = ritz.Mesh.box("hex", (40, 40, 40))
space = ritz.Space(mesh, 1)
large, rhs = ritz.assemble(space, ritz.Form("poisson", 3), {"source": 1.0}, constraints=ritz.Constraints(space).set("x0"))
for which in (1, 2):  # as a call begins, and as it ends
    left = [which]
    def pressed(*arguments, **options):
        old = real(*arguments, **options)
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGINT)
        return old
    signal.set_wakeup_fd = pressed
    try:
        matrix @ x
        print("not stopped")
    except KeyboardInterrupt:
        pass
    signal.set_wakeup_fd = real
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        ritz.solve(large, rhs, preconditioner="none", tolerance=1e-300, max_iterations=1 << 24)
        print("not stopped")
    except KeyboardInterrupt:
        pass
    assert (matrix @ x == x).all() and real(-1) == -1
problem = {"mesh": {"box": {"cells": [2, 2]}}, "physics": "poisson", "boundary": {"group": "x0", "value": 0}, "output": "none"}
try:
    ritz.solve_problem(problem, stage=lambda line: line.startswith("output") and os.kill(os.getpid(), signal.SIGINT))
    print("not stopped by the last line")
except KeyboardInterrupt:
    pass
device = ritz.default_device()
def other():
    global found
    found = matrix @ x
def stage(line):
    if line.startswith("space"):
        thread = threading.Thread(target=other, daemon=True)
        thread.start()
        thread.join(20)
        assert not thread.is_alive()
ritz.solve_problem(problem, stage=stage, device=device)
assert (found == x).all()
print("serves on")
"""


def test_ctrl_c_leaves_nothing_behind(root):
    environment = {**os.environ, "PYTHONPATH": str(root / "python")}
    done = subprocess.run([sys.executable, "-c", INTERRUPTED_ANYWHERE], env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout.split("\n") == ["serves on", ""] and "Error" not in done.stderr, done.stdout + done.stderr


@pytest.mark.parametrize("preconditioner", ['preconditioner="none"', "precondition=lambda r: same @ r"])  # which calls the library itself
def test_ctrl_c_stops_a_long_call(root, preconditioner):
    environment = {**os.environ, "PYTHONPATH": str(root / "python")}
    begin = time.monotonic()
    done = subprocess.run([sys.executable, "-c", INTERRUPTED.replace("PRECONDITIONER", preconditioner)], env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["stopped", "True"], done.stdout + done.stderr
    assert time.monotonic() - begin < 30


def test_calls_from_other_threads_have_their_own_messages():
    messages = []

    def work():
        try:
            ritz.Form("nothing", 3)
        except ritz.Error as error:
            messages.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert "nothing" in messages[0]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# ---- Results ----


def test_results_are_read_by_vtk(tmp_path):
    vtk = pytest.importorskip("vtk")
    space = ritz.Space(ritz.Mesh.box("quad", (3, 2)), order=2, components=2)
    u = space.interpolate(lambda x: [x[0], 2 * x[1]])
    path = tmp_path / "u.vtu"
    ritz.write_result(path, space, displacement=u, height=space.points[:, 1])
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    reader.Update()
    grid = reader.GetOutput()
    assert grid.GetNumberOfCells() == 6 and grid.GetNumberOfPoints() == space.n_nodes
    for k in range(grid.GetNumberOfPoints()):
        x, y, _ = grid.GetPoint(k)
        assert grid.GetPointData().GetArray("displacement").GetTuple(k) == pytest.approx((x, 2 * y, 0))
        assert grid.GetPointData().GetArray("height").GetValue(k) == pytest.approx(y)
    with pytest.raises(ritz.Error, match=r"the field 'u' has the shape \(3,\)"):
        ritz.write_result(path, space, u=np.zeros(3))


def test_results_are_grids_of_pyvista():
    pytest.importorskip("pyvista")
    space = ritz.Space(ritz.Mesh.box("hex", (2, 1, 1)), order=2, components=3)
    grid = ritz.to_pyvista(space, u=space.interpolate(lambda x: [x[0], 2 * x[1], 3 * x[2]]))
    assert grid.n_cells == 2 and grid.n_points == space.n_nodes
    np.testing.assert_allclose(grid["u"], grid.points * [1, 2, 3], atol=1e-7)


def test_problem_files_run(root, tmp_path):
    lines = []
    result = ritz.solve_problem(
        root / "examples" / "poisson" / "poisson.yaml",
        {"output.file": str(tmp_path / "p.vtu"), "order": 1},
        stage=lines.append,
    )
    assert result.solve.converged and result.unknowns > 0 and (tmp_path / "p.vtu").is_file() and lines


def test_problems_are_mappings_too(tmp_path):
    """A ring that is warmed by 50 K and free: u = 12e-6 50 r, no stress; its mass in closed form."""
    problem = {
        "mesh": {"box": {"cells": np.array([2, 2]), "size": [0.5, 1.0], "origin": [1, 0], "cell": "quad"}},
        "physics": "axisymmetric",
        "elements": "serendipity",
        "materials": {"young": 210e9, "poisson": 0.3, "density": 7850, "expansion": np.float64(12e-6)},
        "temperature": 50,
        "boundary": [{"group": "y0", "displacement": {"y": 0}}],
        "output": {"file": tmp_path / "ring.vtu"},
    }
    with pytest.raises(ritz.Error, match="no such device"):
        ritz.solve_problem(problem, {"device": "no such device"})
    result = ritz.solve_problem(problem, {"solver.tolerance": 1e-12, "device": "no such device"}, device=ritz.default_device())
    assert result.largest["displacement"] == pytest.approx(12e-6 * 50 * np.hypot(1.5, 1), rel=1e-9)
    assert result.mass == pytest.approx(7850 * np.pi * (1.5**2 - 1), rel=1e-12) and (tmp_path / "ring.vtu").is_file()
    assert result.places["displacement"].at == pytest.approx((1.5, 1, 0)) and result.places["displacement"].group == "body"
    assert result.centre == pytest.approx((0, 0.5, 0), abs=1e-12)
    assert abs(np.array(result.reactions["y0"])).max() < 1e-3 and result.largest["von_mises"] < 1
    with pytest.raises(ritz.Error, match="unknown key 'temperatur'"):
        ritz.solve_problem({**problem, "temperatur": 1})
    for wrong in ({"order": {1, 2}}, {"order": 2j}, {(1, 2): 3}):
        with pytest.raises(ritz.Error, match="a problem can not hold"):
            ritz.solve_problem({**problem, **wrong})


def test_settings_are_values(tmp_path):
    problem = {
        "mesh": {"box": {"cells": [2, 2]}},
        "physics": "poisson",
        "order": 2,
        "materials": {"source": 1},
        "boundary": {"group": "x0", "value": 0},
        "output": "none",
    }

    def largest(settings):
        return ritz.solve_problem(problem, {"solver.method": "direct", **settings}).largest["largest"]

    for source, value in ((2, 2), ("2e0", 2), ("2 * 1", 2), (np.float32(2), 2), (np.array(2), 2), (None, 0)):
        assert largest({"materials.source": source}) == pytest.approx(value / 2, abs=1e-12)
    for cells in ((3, 3), np.array([3, 3]), [np.int64(3), 3]):
        assert ritz.solve_problem(problem, {"mesh.box.cells": cells, "mesh.box.cell": "tri"}).unknowns == 49
    written = ritz.solve_problem(problem, {"output": MappingProxyType({"file": tmp_path / "a: b # c.vtu", "faces": True})})
    assert written.output and (tmp_path / "a: b # c.vtu").is_file()
    for wrong, message in (
        ({"materials.source": "2 # 3"}, "unexpected '#'"),
        ({"materials.source": 1j}, "a problem can not hold 1j"),
        ({"materials.source": "\ud800"}, "a problem file is YAML in UTF-8"),
        ({"boundary.group": "x0 \U0001f600"}, "no group 'x0 \U0001f600'"),
        ({"order=1": 2}, "the path of the setting 'order=1' has a '='"),
    ):
        with pytest.raises(ritz.Error, match=message):
            ritz.solve_problem(problem, wrong)
    with pytest.raises(ritz.Error, match="no group '\U0001f600'"):
        ritz.solve_problem({**problem, "boundary": {"group": "\U0001f600", "value": 0}})


def test_load_cases_and_combinations():
    """A bar under its own weight and a pull: reactions balance the loads, a combination is the sum of its cases."""
    result = ritz.solve_problem(
        {
            "mesh": {"box": {"cells": [2, 2, 4], "size": [0.1, 0.1, 1], "cell": "hex"}},
            "physics": "elasticity",
            "materials": {"young": 210e9, "poisson": 0, "density": 7850},
            "boundary": [{"group": "z0", "displacement": [0, 0, 0]}],
            "cases": [
                {"name": "weight", "gravity": [0, 0, -9.81]},
                {"name": "pull", "boundary": [{"group": "z1", "force": [0, 0, 1000]}]},
            ],
            "combine": {"both": {"weight": 1.35, "pull": 1.5}},
        },
        {"solver.tolerance": 1e-12},
    )
    weight, pull, both = result.cases.values()
    assert list(result.cases) == ["weight", "pull", "both"] and not result.reactions
    assert weight.reactions["z0"][2] == pytest.approx(9.81 * 78.5, rel=1e-9)
    assert weight.applied == pytest.approx((0, 0, -9.81 * 78.5), abs=1e-6) and pull.places["displacement"].at[2] == 1
    assert pull.reactions["z0"][2] == pytest.approx(-1000, rel=1e-9)
    assert both.reactions["z0"][2] == pytest.approx(1.35 * 9.81 * 78.5 - 1500, rel=1e-9)
    assert pull.largest["von_mises"] == pytest.approx(1e5, rel=1e-6) and weight.failure is None
    assert both.factors == (1.35, 1.5) and pull.factors is None and max(case.imbalance for case in result.cases.values()) < 1e-9


def test_supports_on_the_same_group():
    """A block of weight 1000 stands on springs that are held sideways: both reactions of the face count, and lines tell which is which."""
    lines = []
    result = ritz.solve_problem(
        {
            "mesh": {"box": {"cells": [2, 2, 2], "cell": "hex"}},
            "physics": "elasticity",
            "materials": {"young": 1e6, "poisson": 0, "density": 100},
            "gravity": [0, 0, -10],
            "boundary": [
                {"group": "z0", "spring": [0, 0, 1e5]},
                {"group": "z0", "displacement": {"x": 0, "y": 0}},
                {"group": "z1", "force": [30, 0, 0]},
            ],
            "output": "none",
        },
        {"solver.tolerance": 1e-12},
        lines.append,
    )
    assert result.reactions["z0"] == pytest.approx((-30, 0, 1000), rel=1e-8, abs=1e-6)
    assert result.moments["z0"][1] == pytest.approx(-30, rel=1e-8)  # about the middle of the face: 30 at a height of 1
    assert [line for line in lines if line.startswith("reaction")] == [
        "reaction   z0, spring: 0, 0, 1000; moment 0, -30, 0 about (0.5, 0.5, 0)",
        "reaction   z0, displacement: -30, 0, 0",
    ]


def test_flows_of_heat():
    """A wall of 0.4 m between films: 30 degrees over the resistances in a row; a case that is heated besides."""
    wall = {
        "mesh": {"box": {"cells": [4, 1, 1], "size": [0.4, 2, 1]}},
        "physics": "heat",
        "materials": {"conductivity": 0.8},
        "boundary": [{"group": "x0", "film": {"coefficient": 7.7, "ambient": 20}}, {"group": "x1", "film": {"coefficient": 25, "ambient": -10}}],
        "solver": {"tolerance": 1e-12},
    }
    flow = 2 * 30 / (1 / 7.7 + 0.4 / 0.8 + 1 / 25)
    result = ritz.solve_problem(wall)
    assert result.largest["smallest"] == pytest.approx(-10 + flow / 50, rel=1e-9) and result.places["largest"].at[0] == 0
    assert result.flows["x0"]["film"] == pytest.approx(flow, rel=1e-9) and result.flows["x1"]["film"] == pytest.approx(-flow, rel=1e-9)
    assert result.supplied == 0 and result.imbalance < 1e-9 and result.reactions == {}
    cases = ritz.solve_problem({**wall, "cases": [{"name": "cold"}, {"name": "heated", "boundary": {"group": "x0", "flux": 10}}]}).cases
    assert cases["cold"].flows["x0"]["film"] == pytest.approx(flow, rel=1e-9) and cases["heated"].supplied == pytest.approx(20)
    # Of 20 at x0, what the resistance of the film there has beside that of the rest goes back through it.
    back = 20 * (0.4 / 0.8 + 1 / 25) / (1 / 7.7 + 0.4 / 0.8 + 1 / 25)
    assert cases["heated"].flows == {"x0": {"film": pytest.approx(flow - back, rel=1e-9)}, "x1": {"film": pytest.approx(back - 20 - flow, rel=1e-9)}}


DECK = """*NODE, NSET=ALL
1,0,0,0
2,1,0,0
3,1,1,0
4,0,1,0
5,0,0,1
6,1,0,1
7,1,1,1
8,0,1,1
*ELEMENT, TYPE=C3D8, ELSET=BODY
1,1,2,3,4,5,6,7,8
*MATERIAL, NAME=M
*ELASTIC
1000,0
*SOLID SECTION, ELSET=BODY, MATERIAL=M
*STEP
*STATIC
*BOUNDARY
1,1,3
2,2,3
3,3
4,1
4,3
5,1,2
6,2
8,1
*CLOAD
5,3,2.5
6,3,2.5
7,3,2.5
8,3,2.5
*END STEP
"""


def test_decks_are_converted_and_solved(tmp_path):
    """A cube that is pulled by 10 in all: 0.01 longer."""
    (tmp_path / "cube.inp").write_text(DECK)
    ritz.convert_deck(tmp_path / "cube.inp", tmp_path / "cube.yaml")
    assert (tmp_path / "cube.yaml").is_file() and (tmp_path / "cube.msh").is_file()
    for path in ("cube.inp", "cube.yaml"):
        result = ritz.solve_problem(tmp_path / path, {"output": "none"})
        assert result.largest["displacement"] == pytest.approx(0.01, rel=1e-6)
    with pytest.raises(ritz.Error, match="none.inp"):
        ritz.convert_deck(tmp_path / "none.inp", tmp_path / "none.yaml")


def test_public_names_have_docstrings_and_type_hints():
    """All functions, methods and properties without an underscore, of every module that can be imported here."""
    lacking = []
    for module in pkgutil.iter_modules(ritz.__path__):
        if module.name.startswith("_"):
            continue
        try:
            inside = importlib.import_module("ritz." + module.name)
        except ImportError:  # a package that only pictures or UFL need
            continue
        for name, value in vars(inside).items():
            if name.startswith("_") or getattr(value, "__module__", "") != inside.__name__:
                continue
            members = {name: value} if not inspect.isclass(value) else {f"{name}.{k}": v for k, v in vars(value).items() if k[0] != "_"}
            lacking += [] if value.__doc__ else [f"{module.name}.{name}: docstring"]
            for path, member in members.items():
                function = getattr(member, "fget", None) or getattr(member, "__func__", member)
                if not inspect.isfunction(function):
                    continue
                hinted = set(function.__annotations__) | {"self", "cls"}
                wanted = {*inspect.signature(function).parameters, "return"}
                lacking += [f"{module.name}.{path}: {name}" for name in sorted(wanted - hinted)]
                lacking += [] if function.__doc__ else [f"{module.name}.{path}: docstring"]
    assert not lacking


SOLVED_IN_A_SCRIPT = """
import numpy, ritz, scipy.sparse
n = 200
matrix = ritz.Matrix.from_scipy(scipy.sparse.diags([-1, 2, -1], [-1, 0, 1], (n, n)).tocsr())
solver = ritz.Solver(matrix, preconditioner="chebyshev", degree=4)

def solve(b):  # whose globals refer to it, so that nothing of them goes before the end
    return solver.solve(b)

print(solve(numpy.ones(n))[1].iterations)

class Part:
    def __init__(self):
        self.matrix, self.itself = matrix, self
        self.solver = ritz.Solver(matrix, preconditioner="chebyshev", degree=4)

part = Part()
del part
import gc; gc.collect()
"""


def test_objects_go_after_those_that_need_them(root):
    """At the end of a script, and in what refers to itself, Python lets go of a matrix before its solver."""
    environment = {**os.environ, "PYTHONPATH": str(root / "python")}
    done = subprocess.run([sys.executable, "-c", SOLVED_IN_A_SCRIPT], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and int(done.stdout) > 0, (done.returncode, done.stderr)


def test_data_at_points_have_as_many_as_there_are():
    space = ritz.Space(ritz.Mesh.box("quad", (3, 3)), 2)
    n = ritz.quadrature_points(space, "quad").shape[1]
    assert np.isclose(ritz.integrate(space, ritz.Form("mass", 2), {"density": {"quad": np.ones((9, n))}})[0].sum(), 1)
    with pytest.raises(ritz.Error, match=rf"give \(9, {n}\)"):
        ritz.integrate(space, ritz.Form("mass", 2), {"density": {"quad": np.ones((9, 1))}})


def test_matrices_and_options_that_cannot_be():
    with pytest.raises(ritz.Error, match="3 rows and 0 columns"):
        ritz.Matrix.from_scipy(scipy.sparse.csr_matrix((3, 0)))
    with pytest.raises(ritz.Error, match="no option 'size'"):
        ritz.Solver(ritz.Matrix.from_scipy(scipy.sparse.identity(3)), size=8)


def test_duplicates_of_scipy_are_sums():
    """As SciPy has them, in rows and in blocks."""
    rows = scipy.sparse.csr_array((np.array([1.0, 3.0, 2.0, 5.0]), np.array([0, 0, 1, 1]), np.array([0, 2, 4])), shape=(2, 2))
    np.testing.assert_allclose(ritz.Matrix.from_scipy(rows).to_scipy().toarray(), [[4, 0], [0, 7]])
    assert rows.nnz == 4  # the caller's stays
    blocks = scipy.sparse.bsr_array((np.array([np.eye(2), 2 * np.eye(2)]), np.array([0, 0]), np.array([0, 2])), shape=(2, 2))
    np.testing.assert_allclose(ritz.Matrix.from_scipy(blocks).to_scipy().toarray(), 3 * np.eye(2))


def test_a_matrix_is_that_of_the_last_fill():
    """Whether it is symmetric, too: cg is not for the second one."""
    space = ritz.Space(ritz.Mesh.box("tri", (8, 8)), 1)
    held = ritz.Constraints(space).set("x0", 0.0)
    assembler = ritz.Assembler(space)
    assembler.fill(ritz.Form("poisson", 2), {"conductivity": 1}, constraints=held)
    matrix = assembler.matrix
    assert ritz.solve(matrix, np.ones(space.n_dofs))[1].method == "cg"
    skew = ritz.Form.define(2, 1, [(0, 0, 1, 1, "1"), (0, 0, 2, 2, "1"), (0, 0, 0, 1, "20")])
    assembler.fill(skew, constraints=held)
    x, report = ritz.solve(matrix, np.ones(space.n_dofs))
    assert report.method == "bicgstab" and report.sensitivity == 0
    direct, report = ritz.solve(matrix, np.ones(space.n_dofs), method="direct")
    np.testing.assert_allclose(x, direct, rtol=1e-6)
    assert 0 < report.sensitivity < 1e-8
    with pytest.raises(ritz.Error, match="conductivity"):
        assembler.fill(ritz.Form("poisson", 2), {"conductivity": "what"}, constraints=held)  # and what there is stays
    assert ritz.solve(assembler.matrix, np.ones(space.n_dofs))[1].method == "bicgstab"
