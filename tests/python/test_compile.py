"""`ritz compile`: a corpus of forms as in FEniCS's demos, matrices and vectors against the kernels that FFCx compiles from the
same forms, entry by entry."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ufl")
pytest.importorskip("basix.ufl")
pytest.importorskip("ffcx")

import basix
import ritz
import ufl
from ffcx_reference import Reference, dense, element_of
from ritz.compile import Refused, compile_file, main, read_forms

FORMS = sorted((Path(__file__).parent / "forms").glob("*.py"))


def field(k, components):
    """Smooth functions [components][n] of x[dim][n], small so that det(1 + grad) > 0."""
    return lambda x: np.array([0.3 + 0.1 * np.sin((c + 1) * x[0] + 0.5 * k + x[-1] * (1 + c)) for c in range(components)])


def constant(k, shape):
    return 0.4 + 0.1 * k + np.arange(np.prod(shape, dtype=int)).reshape(shape) * 0.07


def nodal(space, function, values, reference):
    """A coefficient as a field on a space of its own, or as one value a cell."""
    element = element_of(function)
    if element.discontinuous:
        return reference.values(function, values)[:, 0]
    order = getattr(element, "_sub_element", element).basix_element.degree
    own = ritz.Space(space.mesh, order, element.block_size)
    return ritz.Field(own, own.interpolate(values))


def setting(cell):
    """A small distorted mesh with sides that are called by FEniCS's numbers, and half of its cells in the group 1."""
    dim = 2 if cell in ("tri", "quad") else 3
    box = ritz.Mesh.box(cell, (2, 2, 1)[:dim], distort=0.2)
    points, cells = box.points, box.cells(cell)
    half = np.arange(len(cells)) < len(cells) // 2
    sides = {str(k): box.group(name) for k, name in enumerate(["x0", "x1", "y0", "y1", "z0", "z1"][: 2 * dim])}
    groups = {"1": np.flatnonzero(half), "0": np.flatnonzero(~half)}
    named = {("side " if name in groups else "") + name: members for name, members in sides.items()}
    mesh = ritz.Mesh.from_arrays(points, {cell: cells}, cell_groups=groups, side_groups=named)
    return mesh, points, cells, half


def basix_sides(reference, mesh, cells):
    """{id: [(cell, facet of Basix)]} of the mesh's sides."""
    topology = basix.topology(reference.kind)[mesh.dim - 1]
    corners = [[frozenset(nodes[list(facet)]) for facet in topology] for nodes in reference.nodes]
    from ritz.mesh import _local_facets

    local = _local_facets(reference.cell)
    found = {}
    for name, kind in mesh.groups.items():
        if kind == "facets":
            number = int(name.split()[-1])
            found[number] = [(c, corners[c].index(frozenset(cells[c][local[f]]))) for c, f in mesh.group(name)]
    return found


def with_degree(form, degree):
    """The form with one degree of the quadrature, which the library has for matrix and vector together."""
    return ufl.Form([part.reconstruct(metadata={"quadrature_degree": degree}) for part in form.integrals()])


def rename_sides(description):
    """The corpus calls sides 1, 2, 3, ...; where the cells have groups 0 and 1, they are called otherwise."""
    for surface in description["surfaces"]:
        if surface["group"] in ("0", "1"):
            surface["group"] = "side " + surface["group"]


@pytest.fixture
def solve_file(program):
    """What `ritz solve` says against a form on a square of triangles; empty where it solves."""

    def run(folder, description, order):
        (folder / "form.json").write_text(json.dumps(description))
        (folder / "part.yaml").write_text(
            f"mesh: {{box: {{cells: [2, 2], cell: tri}}}}\nphysics: form.json\norder: {order}\nmaterials: {{w: 1}}\n"
            "boundary: [{group: x0, value: 0}]\noutput: none\nsolver: {method: direct}\n"
        )
        return subprocess.run([program, "solve", folder / "part.yaml"], capture_output=True, text=True).stderr

    return run


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_corpus_against_ffcx(path):
    a, L, names = read_forms(path)
    begin = time.process_time()
    description = compile_file(path)
    assert time.process_time() - begin < 3
    rename_sides(description)
    cell, order = description["cell"], description["order"]
    mesh, points, cells, half = setting(cell)
    form = ritz.Form.from_description(description)
    space = ritz.Space(mesh, order, description["components"])
    reference = Reference(cell, points, cells)
    if path.stem == "two_materials":
        reference.region = half.astype(int)
    a, L = (form and with_degree(form, description["degree"]) for form in (a, L))
    forms = [form_of for form_of in (a, L) if form_of is not None]
    coefficients = dict.fromkeys(w for form_of in forms for w in form_of.coefficients())
    functions = {w: field(k, element_of(w).block_size) for k, w in enumerate(coefficients)}
    numbers = {c: constant(k, c.ufl_shape) for k, c in enumerate(dict.fromkeys(c for f in forms for c in f.constants()))}
    if path.stem == "p_laplacian":
        numbers = {c: np.array(3.5) for c in numbers}
    data, old = {}, None
    for name, value in names.items():
        if value in numbers:
            data[name] = numbers[value]
        elif value in functions and name == description.get("old"):
            old = space.interpolate(functions[value])
        elif value in functions:
            data[name] = nodal(space, value, functions[value], reference)
    matrix, rhs = ritz.assemble(space, form, data, old=old)
    sides = basix_sides(reference, mesh, cells)
    theirs = dense(*reference.assemble(a, functions, numbers, sides), space.points)
    ours = matrix.to_scipy().toarray()
    assert abs(ours - theirs).max() <= 1e-12 * abs(theirs).max()
    if L is not None:
        theirs = dense(*reference.assemble(L, functions, numbers, sides), space.points)
        assert abs(rhs - theirs).max() <= 1e-12 * abs(theirs).max()


def test_stokes_in_space_finds_a_linear_flow(tmp_path):
    """Velocity and pressure that are linear solve the stabilised equations exactly: four components, an indefinite matrix."""
    form = ritz.Form.from_description(compile_file(Path(__file__).parent / "forms" / "stokes_tet.py"))
    mesh = ritz.Mesh.box("tet", (3, 3, 2), distort=0.2)
    space = ritz.Space(mesh, 1, 4)
    x, y, z = np.asarray(space.points).T
    exact = np.column_stack([x + y, z - 2 * y, z + x, x - 2 * y + 3 * z])
    held = ritz.Constraints(space)
    for group in ("x0", "x1", "y0", "y1", "z0", "z1"):
        for c in range(3):
            held.set(group, lambda p, c=c: [p[0] + p[1], p[2] - 2 * p[1], p[2] + p[0]][c], c)
    held.set_dofs([3], [exact[0, 3]])
    matrix, rhs = ritz.assemble(space, form, {"nu": 0.7, "f": np.array([1.0, -2.0, 3.0])}, constraints=held)
    for options in ({"method": "direct"}, {"method": "gmres", "tolerance": 1e-12}):
        u, _ = ritz.solve(matrix, rhs, **options)
        np.testing.assert_allclose(u.reshape(-1, 4), exact, atol=1e-8)
    ritz.write_result(tmp_path / "flow.vtu", space, u=u)
    assert all(f'Name="u{c}" NumberOfComponents="1"'.encode() in (tmp_path / "flow.vtu").read_bytes() for c in range(4))


HEAD = """
import basix.ufl
from ufl import *
mesh = Mesh(basix.ufl.element("Lagrange", "triangle", 1, shape=(2,)))
P = lambda order, **more: basix.ufl.element("Lagrange", "triangle", order, **more)
V = FunctionSpace(mesh, P(1))
u, v, w = TrialFunction(V), TestFunction(V), Coefficient(V)
n = FacetNormal(mesh)
a, L = dot(grad(u), grad(v)) * dx, v * dx
"""


@pytest.mark.parametrize(
    "form, words",
    {
        "a += jump(u) * jump(v) * dS": "integrals over interior facets are not possible",
        "a += u('+') * avg(v) * dS": "integrals over interior facets are not possible",
        "V = FunctionSpace(mesh, basix.ufl.mixed_element([P(2, shape=(2,)), P(1)]))\n"
        "u, v = TrialFunction(V), TestFunction(V)\na, L = inner(u, v) * dx, None": "mixed element of the unknown",
        "V = FunctionSpace(mesh, basix.ufl.element('N1curl', 'triangle', 1))\n"
        "u, v = TrialFunction(V), TestFunction(V)\na, L = inner(u, v) * dx, None": "element of the unknown is not possible: .*N1E",
        "w = Coefficient(FunctionSpace(mesh, basix.ufl.element('RT', 'triangle', 1)))\n"
        "L = dot(w, grad(v)) * dx": "element of the coefficient w is not possible: .*RT",
        "V = FunctionSpace(mesh, P(2))\nu, v = TrialFunction(V), TestFunction(V)\n"
        "a, L = div(grad(u)) * v * dx, None": r"second derivatives are not possible: grad\(grad\(v_1\)\)",
        "a += 1j * u * v * dx": "complex",
        "a = u * u * v * dx": "ArityMismatch: Multiplying expressions with overlapping form argument",
        "a, L = v * dx, None": "no trial function",
        "a += dot(grad(u), n) * v * ds(1)": r"derivatives of test or trial function is not possible, on '1'",
        "V = FunctionSpace(mesh, P(1, shape=(2,)))\nu, v = TrialFunction(V), TestFunction(V)\n"
        "a, L = inner(u, v) * dx + dot(u, n) * dot(v, n) * ds(1), None": r"couples components is not possible, on '1'; .* must be h inner\(u, v\)",
        "L += dot(n, grad(v)) * dx": "Integral of type cell cannot contain a FacetNormal",
        "L = u * v * dx": "each term of the linear form needs a test function and no trial function",
        "L = u * dx": "each term of the linear form needs",
        "a += u * v * dP": r"integrals over points \(dP\) are not possible",
        "a = dot(grad(u), grad(v)) * dx(degree=31)": "quadrature of degree 31 is not possible; there are 0 to 30",
        "del a, L\nF = w**2 * dx": "the residual F has no test function",
        "a = None": "there is no form",
        "V = FunctionSpace(mesh, P(8))\nu, v = TrialFunction(V), TestFunction(V)\na, L = u * v * dx, None": "order 8; there are 1 to 7",
        "mesh = Mesh(basix.ufl.element('Lagrange', 'interval', 1, shape=(1,)))\n"
        "V = FunctionSpace(mesh, basix.ufl.element('Lagrange', 'interval', 1))\n"
        "u, v = TrialFunction(V), TestFunction(V)\na, L = u * v * dx, None": "cells of the type interval are not possible",
        "raise RuntimeError('of the user')": "RuntimeError: of the user",
    }.items(),
)
def test_what_ritz_can_not_do_is_refused_by_name(form, words, tmp_path, capsys):
    path = tmp_path / "form.py"
    path.write_text(HEAD + form + "\n")
    assert main([str(path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("ritz: error: ") and re.search(words, error), error
    assert os.listdir(tmp_path) == ["form.py"]


def test_what_is_refused_is_an_error_of_the_package(tmp_path):
    (tmp_path / "form.py").write_text(HEAD + "a = jump(u) * jump(v) * dS\n")
    a, L, names = read_forms(tmp_path / "form.py")
    with pytest.raises(ritz.Error, match="integrals over interior facets") as told:
        ritz.Form.from_ufl(a, L, names)
    assert told.value.status == "input"


def test_names_that_expressions_have_already_are_changed(tmp_path):
    """A coefficient u that is not the old solution, and a constant t, which is the time."""
    path = tmp_path / "form.py"
    path.write_text(HEAD + "u_ = u\nu, sin_, t = Coefficient(V), Constant(mesh), Constant(mesh)\nsin2 = Constant(mesh)\nL = t * u * sin2 * v * dx\n")
    made = compile_file(path)
    assert sorted(datum["name"] for datum in made["data"]) == ["sin2", "u_"]
    assert {"t", "u_", "sin2"} <= set(re.findall(r"\w+", made["loads"][0]["coefficient"]))


def test_constants_have_the_shape_of_the_form(tmp_path):
    (tmp_path / "form.py").write_text(HEAD + "f, k = Constant(mesh, (2,)), Constant(mesh)\na, L = k * u * v * dx, (f[0] + f[1]) * v * dx\n")
    form = ritz.Form.from_description(compile_file(tmp_path / "form.py"))
    space = ritz.Space(ritz.Mesh.box("tri", (1, 1)), 1)
    matrix, rhs = ritz.assemble(space, form, {"f": (1, 2), "k": 2})
    np.testing.assert_allclose((rhs.sum(), matrix.to_scipy().sum()), (3, 2))
    for wrong in ((1, 2, 3), 1, (1,)):
        with pytest.raises(ritz.Error, match="has the shape .* and the form's has"):
            ritz.assemble(space, form, {"f": wrong, "k": 2})


def test_degree_is_that_of_the_measure(tmp_path):
    """Reduced integration stays, in spaces of the order that it was meant for."""
    path = tmp_path / "form.py"
    path.write_text(HEAD + "a, L = dot(grad(u), grad(v)) * dx(degree=1) + u * v * dx(degree=1), None\n")
    form = ritz.Form.from_description(compile_file(path))
    assert form.degree == 1 and form.degree_in(2) is None
    mesh = ritz.Mesh.box("tri", (1, 1))
    matrices, _ = ritz.integrate(ritz.Space(mesh, 1), form)
    mass = matrices - ritz.integrate(ritz.Space(mesh, 1), ritz.Form("poisson", 2))[0]
    np.testing.assert_allclose(mass, 0.5 / 9, atol=1e-15)  # the product of 1/3 and 1/3 at the middle


def test_the_rule_of_one_point_has_degree_0_too(tmp_path):
    (tmp_path / "form.py").write_text(HEAD + "a, L = u * v * dx(degree=0), None\n")
    matrices, _ = ritz.integrate(ritz.Space(ritz.Mesh.box("tri", (1, 1)), 1), ritz.Form.from_description(compile_file(tmp_path / "form.py")))
    np.testing.assert_allclose(matrices, 0.5 / 9, atol=1e-15)


def compiled(tmp_path, text):
    (tmp_path / "form.py").write_text(HEAD + text)
    return ritz.Form.from_description(compile_file(tmp_path / "form.py"))


@pytest.mark.parametrize(
    ("text", "words"),
    {
        "a = dot(grad(u), grad(v)) * dx(degree=3) + u * v * dx(degree=1)": "quadrature of degree 1 and another needs 3",
        "a, L = u * v * dx(degree=1), w * v * dx": "quadrature of degree 1 and another needs 2",
        "a = u * v * dx(scheme='GLL', degree=3)": "by the rule GLL is not possible",
        "W = FunctionSpace(mesh, P(1, shape=(2,)))\nL = TestFunction(W)[0] * dx": "test function is of another space",
        "W = FunctionSpace(mesh, P(1, shape=(2,)))\nL = TestFunction(W)[1] * ds(1)": "test function is of another space",
    }.items(),
)
def test_what_would_be_another_form_is_refused(text, words, tmp_path):
    with pytest.raises(Refused, match=words):
        compiled(tmp_path, text + "\n")


def test_one_degree_serves_all_integrals(tmp_path):
    """What says nothing takes a degree that is given where that is enough; facets count; --degree outweighs all."""
    assert compiled(tmp_path, "a, L = u * v * dx(degree=1), v * dx\n").degree == 1
    assert compiled(tmp_path, "a, L = u * v * dx(degree=6), w * v * dx(degree=6)\n").degree == 6
    assert compile_file(tmp_path / "form.py", degree=2)["degree"] == 2
    form = compiled(tmp_path, "L = SpatialCoordinate(mesh)[1]**8 * v * ds(1)\n")
    form.surfaces[0]["group"] = "x1"
    space = ritz.Space(ritz.Mesh.box("tri", (1, 1)), 1)
    assert form.degree == 9 and abs(ritz.assemble(space, form)[1].sum() - 1 / 9) < 1e-14


def test_an_assembler_of_another_degree_is_an_error(tmp_path):
    form, space = compiled(tmp_path, "L = exp(8 * SpatialCoordinate(mesh)[0]) * v * dx(degree=12)\na = u * v * dx(degree=12)\n"), ritz.Space(ritz.Mesh.box("tri", (2, 2)), 1)
    with pytest.raises(ritz.Error, match="degree 12"):
        ritz.Assembler(space).fill(form)
    rhs = ritz.Assembler(space, degree=form.degree).fill(form)
    assert abs(rhs.sum() / ((np.exp(8) - 1) / 8) - 1) < 1e-7
    assert ritz.Assembler(space, degree=2).fill(form).sum() < 0.99 * rhs.sum()  # it was asked for


def test_made_names_meet_no_given_ones(tmp_path):
    """Components, derivatives, groups and numbers of cells beside constants of the same names, and names of many letters."""
    form = compiled(
        tmp_path,
        "W = FunctionSpace(mesh, P(1, shape=(2,)))\nf, k = Coefficient(W), Coefficient(V)\n"
        "f_0, k_x, in_1, cell_diameter, conductivity_on_the_left = (Constant(mesh) for _ in range(5))\n"
        "velocity_of_the_step_before = Coefficient(W)\nL = velocity_of_the_step_before[1].dx(0) * v * dx\n"
        "L += (f[0] + 10 * f_0 + k.dx(0) + 100 * k_x + CellDiameter(mesh) + 1000 * cell_diameter + conductivity_on_the_left) * v * dx"
        " + 10000 * in_1 * v * dx(1)\n",
    )
    box = ritz.Mesh.box("tri", (4, 4))
    mesh = ritz.Mesh.from_arrays(box.points, {"tri": box.cells("tri")}, cell_groups={"1": np.arange(16)})
    scalar, vector = ritz.Space(mesh, 1), ritz.Space(mesh, 1, components=2)
    data = {"f": ritz.Field(vector, np.tile([2.0, 7.0], vector.n_nodes)), "k": ritz.Field(scalar, 3 * scalar.points[:, 0])}
    data |= {"velocity_of_the_step_before": ritz.Field(vector, vector.interpolate(lambda x: [0 * x[0], 9 * x[0]])), "f_0": 4, "k_x": 5, "in_1": 6, "cell_diameter": 7, "conductivity_on_the_left": 0.125}
    right = 9 + 2 + 40 + 3 + 500 + 2**0.5 / 4 + 7000 + 0.125 + 10000 * 6 / 2
    assert abs(ritz.assemble(scalar, form, data)[1].sum() / right - 1) < 1e-13


def test_components_of_fields_as_scalars(tmp_path):
    form = compiled(tmp_path, "L = (w + w.dx(0)) * v * dx\n")
    mesh = ritz.Mesh.box("tri", (4, 4))
    space, other = ritz.Space(mesh, 1), ritz.Space(mesh, 1, components=2)
    values = other.interpolate(lambda x: [5 * x[0], 7 * x[0]])
    assert abs(ritz.assemble(space, form, {"w": ritz.Field(other, values, component=1)})[1].sum() - 10.5) < 1e-12
    for wrong, words in ((ritz.Field(other, values, derivative=1), "a derivative of that"), (ritz.Field(other, values, component=2), "no component 2")):
        with pytest.raises(ritz.Error, match=words):
            ritz.assemble(space, form, {"w": wrong})
    form = compiled(tmp_path, "f = Coefficient(FunctionSpace(mesh, P(1, shape=(2,))))\nL = (f[0] + f[1]) * v * dx\n")
    with pytest.raises(ritz.Error, match="as a whole"):
        ritz.assemble(space, form, {"f": ritz.Field(other, values, component=1)})


def test_second_derivatives_that_vanish_do_so_in_their_space_alone(tmp_path, solve_file):
    """Of the unknown, and of a coefficient; in a problem file, too."""
    form = compiled(tmp_path, "a += u.dx(0).dx(0) * v * dx\nL = (w + w.dx(0).dx(0)) * v * dx\n")
    mesh = ritz.Mesh.box("tri", (2, 2))
    space, finer = ritz.Space(mesh, 1), ritz.Space(mesh, 2)
    ritz.assemble(space, form, {"w": ritz.Field(space, np.ones(space.n_dofs))})
    with pytest.raises(ritz.Error, match="compiled for order 1"):
        ritz.assemble(finer, form, {"w": ritz.Field(space, np.ones(space.n_dofs))})
    with pytest.raises(ritz.Error, match="coefficient of order 1"):
        ritz.assemble(space, form, {"w": ritz.Field(finer, np.ones(finer.n_dofs))})
    with pytest.raises(ritz.Error, match="compiled for order 1"):
        ritz.integrate(ritz.Space(ritz.Mesh.box("quad", (2, 2)), 1), form, {"w": 1})
    assert "compiled for order 1 on tri cells" in solve_file(tmp_path, compile_file(tmp_path / "form.py"), order=2)
    assert not solve_file(tmp_path, compile_file(tmp_path / "form.py"), order=1)


def test_an_equation_is_both_forms():
    space = {}
    exec(HEAD, space)
    a, L = space["a"], space["L"]
    from_both = ritz.Form.from_ufl(a == L)
    mesh = ritz.Space(ritz.Mesh.box("tri", (2, 2)), 1)
    assert abs(ritz.assemble(mesh, from_both)[1].sum() - 1) < 1e-14
    assert ritz.assemble(mesh, ritz.Form.from_ufl(a, 0))[1].sum() == 0
    for wrong in ((3,), (None,), (a, "L")):
        with pytest.raises(ritz.Error, match="is one of UFL"):
            ritz.Form.from_ufl(*wrong)


def test_module_runs_and_writes_the_file(root, tmp_path):
    out = tmp_path / "form.json"
    environment = {**os.environ, "PYTHONPATH": str(root / "python"), "RITZ_LIBRARY": "/nowhere"}  # needs no library
    command = [sys.executable, "-m", "ritz.compile", str(FORMS[0]), "-o", str(out)]
    subprocess.run(command, check=True, env=environment, capture_output=True)
    assert json.loads(out.read_text())["ritz_form"] == 1


def test_shared_expressions_keep_hyperelasticity_small():
    made = compile_file(Path(__file__).parent / "forms" / "hyperelasticity.py")
    assert len(made["terms"]) == 81 and len({term["coefficient"] for term in made["terms"]}) <= 45
    assert len(made["expressions"]) <= 24 and ritz.Form.from_description(made).symmetric


def test_rigid_faces_that_turn_far_are_told(program, root, tmp_path):
    """Newton's method turns them by the linear theory: by 1 radian a face grows by the root of 2, by 0.05 next to nothing."""
    (tmp_path / "rubber.json").write_text(json.dumps(compile_file(root / "examples" / "rubber" / "rubber.py")))
    for angle, told in ((1, True), (0.05, False)):
        problem = {
            "physics": "rubber.json",
            "mesh": {"box": {"cells": [4, 2, 2], "size": [2, 1, 1], "cell": "hex"}},
            "order": 1,
            "materials": {"mu": 1e6, "lame": 4e6},
            "rigid": {"group": "x1", "at": [2, 0.5, 0.5], "displacement": {"x": 0, "y": 0, "z": 0}, "rotation": {"x": angle, "y": 0, "z": 0}},
            "boundary": {"group": "x0", "value": {"x": 0, "y": 0, "z": 0}},
            "newton": {"steps": 4},
            "output": "none",
        }
        (tmp_path / "part.yaml").write_text(json.dumps(problem))
        done = subprocess.run([program, "solve", "part.yaml", "--json"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        grown = [line for line in json.loads(done.stdout)["warnings"] if "has grown by 41 %" in line]
        assert len(grown) == told
