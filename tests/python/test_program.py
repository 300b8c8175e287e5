"""`ritz compile`, and what `ritz integrate` and `ritz solve` make of its files."""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FORMS = Path(__file__).parent / "forms"


@pytest.fixture
def run(program, tmp_path):
    """Runs the program in a folder of its own: exit status, output, errors."""

    def start(*words, **environment):
        done = subprocess.run(
            [program, *map(str, words)],
            cwd=tmp_path,
            env={**os.environ, "RITZ_PYTHON": sys.executable, **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )
        return done.returncode, done.stdout, done.stderr

    return start


def compile_form(run, name, *options):
    assert run("compile", FORMS / f"{name}.py", "-o", f"{name}.json", *options)[0] == 0
    return f"{name}.json"


def test_compile_says_what_is_missing(run, tmp_path):
    status, _, error = run("compile", "x.py", RITZ_PYTHON="/nowhere/python")
    assert status == 1 and "needs Python, and '/nowhere/python' cannot be started" in error
    status, _, error = run("compile", "x.py", RITZ_PYTHON=sys.executable)
    assert status == 1 and error.startswith("ritz: error: ") and error.endswith("x.py: No such file or directory\n")
    (tmp_path / "ufl.py").write_text("raise ImportError('no ufl here')\n")
    status, _, error = run("compile", "x.py", PYTHONPATH=str(tmp_path))
    assert status == 1 and error.startswith("ritz: error: ritz compile needs UFL and Basix (no ufl here): pip install"), error


def test_compile_prints_one_json_object(run):
    status, output, _ = run("compile", FORMS / "robin.py", "-o", "r.json", "--json")
    made = json.loads(output)
    assert status == 0 and made["output"] == "r.json" and made["surfaces"] == 2 and made["data"] == ["r", "s"]
    status, output, error = run("compile", "none.py", "--json")
    assert status == 1 and json.loads(output)["failure"] in error


def test_compile_keeps_its_source(run, tmp_path):
    """An output that is the source, by its path or by a link, is refused before anything is written."""
    source = (FORMS / "poisson.py").read_text()
    (tmp_path / "poisson.py").write_text(source)
    (tmp_path / "form.json").symlink_to("poisson.py")
    os.link(tmp_path / "poisson.py", tmp_path / "hard.json")
    for output in ("poisson.py", f"../{tmp_path.name}/poisson.py", "form.json", "hard.json"):
        status, _, error = run("compile", "poisson.py", "-o", output)
        assert status == 1 and error == f"ritz: error: {output}: the output is the file that is compiled; name another by -o, like form.json\n"
        assert (tmp_path / "poisson.py").read_text() == source and (tmp_path / "form.json").is_symlink()
    assert run("compile", "poisson.py", "-o", "poisson.py", "--json")[0] == 1
    assert run("compile", "form.json", "-o", "other.json")[0] == 0


@pytest.mark.parametrize("name, cell, order, box", [("poisson", "tri", 2, "3x3"), ("hyperelasticity", "tet", 1, "2x2x1")])
def test_integrate_takes_forms_of_files(run, name, cell, order, box):
    """The device's matrices against the plain C integrator; mu and lmbda are random numbers an element."""
    path = compile_form(run, name)
    status, output, error = run("integrate", "--box", box, "--cell", cell, "--order", order, "--form", path, "--json", "--repeat", 1)
    assert status == 0, error
    figures = json.loads(output)
    assert figures["max_relative_error"] < 1e-12 and figures["max_relative_vector_error"] < 1e-12
    assert figures["form"] == name


def test_slow_builds_are_named(run, tmp_path):
    """A kernel whose build from a cold cache takes longer than a second stands on stderr, others do not."""
    path = compile_form(run, "hyperelasticity")
    words = ("integrate", "--box", "1x1x1", "--cell", "hex", "--order", 2, "--form", path, "--repeat", 1, "--method", "lanes", "--json")
    status, _, error = run(*words, RITZ_CACHE_DIR=str(tmp_path / "all"), RITZ_LOG="info")
    lines = re.findall(r"ritz: (note: )?program: compiled (.*) in (\d+) ms", error)
    assert status == 0 and lines and all(bool(note) == (int(ms) > 1000) for note, _, ms in lines), error
    status, _, error = run(*words, RITZ_CACHE_DIR=str(tmp_path / "notes"))
    assert status == 0 and all(re.fullmatch(r"ritz: note: program: compiled .* in [0-9]{4,} ms", line) for line in error.splitlines()), error


def test_integrate_refuses_another_dimension(run):
    path = compile_form(run, "poisson")
    status, _, error = run("integrate", "--box", "2x2x2", "--cell", "tet", "--order", 1, "--form", path)
    assert status == 2 and "poisson.json is a form in 2 dimensions, and the mesh has 3" in error


PROBLEM = """
physics: robin.json
mesh: {box: {cells: [4, 3], cell: tri}}
materials: {r: 1, s: 3}
boundary: [{group: x0, value: 1}]
exact: "1 + x"
"""


def test_solve_takes_forms_of_files(run, tmp_path):
    """-u'' = 0, u(0) = 1, u'(1) + (1 + y) u(1) = (1 + y) 2 has the solution u = 1 for s = ..., and 1 + x with s(y) as here."""
    text = (FORMS / "robin.py").read_text().replace("v * dx + r * s * v", "r * s * v").replace("r * (1 + x[1])", "r")
    (tmp_path / "robin.py").write_text(text.replace("+ u * v * ds(2)", ""))
    assert run("compile", "robin.py", "-o", "robin.json", "--group", "1=x1")[0] == 0
    (tmp_path / "p.yaml").write_text(PROBLEM)
    status, output, error = run("solve", "p.yaml", "--json", "--set", "solver.tolerance=1e-13")
    assert status == 0, error
    result = json.loads(output)
    assert result["error"]["l2"] < 1e-10


def test_solve_knows_regions_normals_and_vectors(run, tmp_path):
    """A block in plane strain under a pressure on its right side that presses it against the left one."""
    text = (FORMS / "plane_strain.py").read_text().replace("E, nu = 1 + x[0] * x[1], 0.3", "E, nu = Constant(mesh), 0.0")
    text = text[: text.index("L =")] + "L = -p * dot(n, v) * ds(1)\n"
    (tmp_path / "block.py").write_text(text)
    assert run("compile", "block.py", "-o", "block.json", "--group", "1=x1")[0] == 0
    (tmp_path / "p.yaml").write_text(
        "physics: block.json\nmesh: {box: {cells: [2, 2]}}\nmaterials: {E: 100, p: 5}\n"
        'boundary: [{group: x0, value: {x: 0}}, {group: y0, value: {y: 0}}]\nexact: ["-x/20", 0]\n'
    )
    status, output, error = run("solve", "p.yaml", "--json", "--set", "solver.tolerance=1e-13")
    assert status == 0, error
    assert json.loads(output)["error"]["l2"] < 1e-11


def test_solve_presses_and_holds_along_normals(run, tmp_path):
    """The same block, pressed by the problem file, between faces that slide."""
    text = (FORMS / "plane_strain.py").read_text().replace("E, nu = 1 + x[0] * x[1], 0.3", "E, nu = Constant(mesh), 0.0")
    (tmp_path / "block.py").write_text(text[: text.index("L =")] + "L = None\n")
    assert run("compile", "block.py", "-o", "block.json")[0] == 0
    (tmp_path / "p.yaml").write_text(
        "physics: block.json\nmesh: {box: {cells: [2, 2]}}\nmaterials: {E: 100}\n"
        "boundary: [{group: x0, normal: 0}, {group: y0, normal: 0}, {group: x1, pressure: 5}]\n"
        'exact: ["-x/20", 0]\noutput: none\n'
    )
    status, output, error = run("solve", "p.yaml", "--json", "--set", "solver.tolerance=1e-13")
    assert status == 0, error
    assert json.loads(output)["error"]["l2"] < 1e-11


def test_surface_terms_read_what_the_cells_have(run, tmp_path):
    """-u'' = 0 with u(0) = 0 and u' + h u = g at the other end, where g and h are numbers of the cells there, of their group,
    or expressions of their material: u = g / (1 + h) x."""
    (tmp_path / "p.yaml").write_text(
        "physics: f.json\nmesh: {box: {cells: [2, 2], cell: tri}}\norder: 1\nboundary: [{group: x0, value: 0}]\noutput: none\n"
        "groups: [{name: left, of: cells, box: {from: [-1, -1], to: [0.5, 2]}}, {name: right, of: cells, box: {from: [0.5, -1], to: [2, 2]}}]\n"
        "materials: [{group: left, k: 1}, {group: right, k: 1}]\n"
    )
    terms = [{"at": [0, 0, d, d], "coefficient": "1"} for d in (1, 2)]
    for datum, right, value in (({"cell": "cell_diameter"}, "1", 0.5**0.5), ({"group": "right"}, "1", 1), ({}, '"3*x + 0*y"', 3), ({}, "0.25", 0.25)):
        data = [{"name": "k"}, {"name": "h", "default": 0, **datum}]
        surface = {"group": "x1", "load": ["2*h*k + 0*nx"], "film": "h"}
        form = {"ritz_form": 1, "dim": 2, "components": 1, "terms": terms, "data": data, "surfaces": [surface]}
        (tmp_path / "f.json").write_text(json.dumps(form))
        own = [] if datum else ["--set", f"materials.1.h={right}"]
        status, output, error = run("solve", "p.yaml", "--json", "--set", f'exact="{2 * value / (1 + value)!r}*x"', *own)
        assert status == 0, error
        assert json.loads(output)["error"]["l2"] < 1e-10, (datum, right)


def test_a_film_beside_convection(run, tmp_path):
    """-u'' - 22 u' = 0 with u(0) = 0 and u' + u = 1 at the other end is about 1 - exp(-22 x). The sum of the matrix over all unknowns, by
    which a solution of a symmetric one is brought into equilibrium with its films, is 0 on this mesh."""
    form = {
        "ritz_form": 1,
        "dim": 2,
        "components": 1,
        "terms": [{"at": [0, 0, d, d], "coefficient": "1"} for d in (1, 2)] + [{"at": [0, 0, 0, 1], "coefficient": "-22"}],
        "surfaces": [{"group": "x1", "load": ["1"], "film": "1"}],
    }
    (tmp_path / "f.json").write_text(json.dumps(form))
    (tmp_path / "p.yaml").write_text(
        "physics: f.json\nmesh: {box: {cells: [10, 4], size: [1, 0.4]}}\norder: 1\nboundary: {group: x0, value: 0}\noutput: none\n"
        'exact: "1 - exp(-22*x)"\n'
    )
    for method in ("bicgstab", "gmres", "direct"):
        status, output, error = run("solve", "p.yaml", "--json", "--set", f"solver={method}")
        assert status == 0, error
        assert json.loads(output)["error"]["l2"] < 0.1, method


RADIATION = """
physics: radiation.json
mesh: {box: {cells: [4, 1, 1], cell: tet}}
materials: {k: 2, s: 2/15, far: 1}
boundary: [{group: x0, value: 3}]
newton: {start: 1}
exact: "3 - x"
output: none
"""


def test_newton_with_the_solution_in_surface_terms(run, tmp_path):
    """A rod, 3 at one end, that radiates at the other: its temperature there, 2, solves k (3 - T) = s (T^4 - far^4)."""
    text = (FORMS / "radiation.py").read_text().replace(" - k * v * ds(1)", "").replace("far**4", "(t * far)**4")
    text = text.replace("s, far = Constant(mesh), Constant(mesh)", "s, far, t = (Constant(mesh) for _ in range(3))")
    (tmp_path / "radiation.py").write_text(text)
    assert run("compile", "radiation.py", "-o", "radiation.json", "--group", "3=x1")[0] == 0
    (tmp_path / "p.yaml").write_text(RADIATION)
    status, output, error = run("solve", "p.yaml", "--json")
    assert status == 0, error
    told = json.loads(output)
    assert told["error"]["l2"] < 1e-9
    assert [i["residual"] for i in told["newton"]["iterations"]][-1] < 1e-8 and len(told["newton"]["iterations"]) < 9


CASES = """
physics: f.json
mesh: {box: {cells: [8, 2], cell: quad}}
order: 2
boundary: [{group: x0, value: 0}]
cases:
  - {name: own, exact: "2*x - x*x"}
  - {name: more, boundary: {group: x1, flux: 1}, exact: "3*x - x*x"}
output: none
"""


def test_load_cases_share_the_load_of_a_form(run, tmp_path):
    """-u'' = 2: a case may add to the form's load, or leave it as it is; a form without a load needs one of the case."""
    terms = [{"at": [0, 0, d, d], "coefficient": "1"} for d in (1, 2)]
    form = {"ritz_form": 1, "dim": 2, "components": 1, "terms": terms, "loads": [{"at": [0, 0], "coefficient": "2"}]}
    (tmp_path / "p.yaml").write_text(CASES)
    (tmp_path / "f.json").write_text(json.dumps(form))
    status, output, error = run("solve", "p.yaml", "--json", "--set", "solver.tolerance=1e-12")
    assert status == 0, error
    assert json.loads(output)["error"]["l2"] < 1e-10
    (tmp_path / "f.json").write_text(json.dumps({**form, "loads": []}))
    status, _, error = run("solve", "p.yaml")
    assert status == 1 and "the case 'own' has no load" in error
    assert error.endswith("add for example  boundary: {group: face, flux: 100}\n"), error


STOKES = """
physics: stokes.json
mesh: {box: {cells: [N, N]}}
boundary:
  - {groups: [x0, y0], value: ["sin(M_PI*x)*cos(M_PI*y)", "-cos(M_PI*x)*sin(M_PI*y)", ~]}
  - {group: x1, value: {u0: 0, u1: "sin(M_PI*y)", u2: y}}
  - {group: y1, value: {u0: "-sin(M_PI*x)", u1: 0}}
exact: ["sin(M_PI*x)*cos(M_PI*y)", "-cos(M_PI*x)*sin(M_PI*y)", "x*y"]
output: {file: stokes.vtu}
"""


def test_solve_takes_stokes(run, tmp_path):
    """A flow in closed form by the stabilised equations of the corpus, three components in the plane: an indefinite matrix, by
    factors where nothing is asked for. The pressure converges with order one, gmres comes to the same."""
    text = (FORMS / "stokes.py").read_text()
    force = "2 * pi**2 * sin(pi * x[0]) * cos(pi * x[1]) + x[1], -2 * pi**2 * cos(pi * x[0]) * sin(pi * x[1]) + x[0]"
    text = text.replace("f = Constant(mesh, shape=(2,))", f"x = SpatialCoordinate(mesh)\nf = as_vector([{force}])")
    (tmp_path / "stokes.py").write_text(text)
    assert run("compile", "stokes.py", "-o", "stokes.json")[0] == 0
    errors = []
    for n in (8, 16):
        (tmp_path / "p.yaml").write_text(STOKES.replace("N", str(n)))
        status, output, error = run("solve", "p.yaml", "--json")
        assert status == 0 and "choice     direct: the matrix is symmetric, with negative numbers on its diagonal" in error, error
        errors.append(json.loads(output)["error"]["l2"])
    assert errors[1] < 0.08 and errors[0] / errors[1] > 2
    status, output, error = run("solve", "p.yaml", "--json", "--set", "solver.method=gmres", "--set", "solver.tolerance=1e-10")
    assert status == 0, error
    assert abs(json.loads(output)["error"]["l2"] - errors[1]) < 1e-6
    assert all(f'Name="u{c}" NumberOfComponents="1"'.encode() in (tmp_path / "stokes.vtu").read_bytes() for c in range(3))


def test_helmholtz_turns_to_factors(run, tmp_path):
    """An indefinite matrix whose diagonal is positive: cg finds out, and the drive goes on with factors."""
    text = (FORMS / "poisson.py").read_text()
    text = text[: text.index("kappa,")] + "x = SpatialCoordinate(mesh)\na = (inner(grad(u), grad(v)) - 90 * u * v) * dx\n"
    (tmp_path / "h.py").write_text(text + "b, c = x[0] * (1 - x[0]), x[1] * (1 - x[1])\nL = (2 * (b + c) - 90 * b * c) * v * dx\n")
    assert run("compile", "h.py", "-o", "h.json")[0] == 0
    boundary = "{groups: [x0, x1, y0, y1], value: 0}"
    (tmp_path / "p.yaml").write_text(
        f'physics: h.json\nmesh: {{box: {{cells: [12, 12]}}}}\nboundary: [{boundary}]\nexact: "x*(1-x)*y*(1-y)"\noutput: none\n'
    )
    status, output, error = run("solve", "p.yaml", "--json")
    assert status == 0 and "choice     direct: " in error, error
    assert json.loads(output)["error"]["l2"] < 1e-4


def test_predict_tune_and_bench_take_forms_of_files(run, tmp_path):
    path = compile_form(run, "stokes")
    status, output, error = run("predict", "--cell", "tri", "--order", 1, "--form", path, "--method", "all", "--json", "--device", "cpu")
    assert status == 0, error
    rows = json.loads(output)["methods"]
    assert {"lanes", "qss"} <= {row["method"] for row in rows if row.get("applies", True)}
    environment = {"RITZ_TUNING": str(tmp_path / "tuning.txt")}
    words = ("--cell", "tri", "--order", 1, "--form", path, "--precision", "f64", "--methods", "lanes", "--elements", 64, "--json")
    status, output, error = run("tune", *words, "--device", "cpu", "--budget", "5", "--record", "runs.h5", **environment)
    assert status == 0 and "stokes.json" in output, error
    words = ("--cell", "tri", "--orders", 1, "--forms", path, "--precisions", "f64", "--methods", "lanes", "--elements", 64, "--json")
    status, output, error = run("bench", "higher-order", *words, "--device", "cpu", "--record", "runs.h5")
    assert status == 0, error
    status, _, error = run("predict", "--cell", "tet", "--order", 1, "--form", path)
    assert status == 2 and "stokes.json is a form in 2 dimensions, and the mesh has 3" in error
    status, _, error = run("bench", "higher-order", "--forms", "none.json")
    assert status == 2 and "none.json: cannot be opened" in error


BAD = {
    "": "the file is empty; a form is written by  ritz compile",
    "{": "form.json:",
    '{"ritz_form": 2, "dim": 2, "components": 1, "terms": []}': "'ritz_form' ",
    '{"dim": 2, "components": 1, "terms": []}': "the form has no 'ritz_form'",
    '{"ritz_form": 1, "dim": 4, "components": 1, "terms": []}': "'dim' ",
    '{"ritz_form": 1, "dim": 2, "components": 1, "terms": []}': "a form of 0 terms is not possible",
    '{"ritz_form": 1, "dim": 2, "components": 1, "terms": [{"at": [0, 0, 1], "coefficient": "1"}]}': "'at' takes a list",
    '{"ritz_form": 1, "dim": 2, "components": 1, "terms": [{"at": [0, 0, 1, 3], "coefficient": "1"}]}': "derivative 3",
    '{"ritz_form": 1, "dim": 2, "components": 1, "terms": [{"at": [0, 0, 1, 1], "coefficient": "q"}]}': "unknown name 'q'",
    '{"ritz_form": 1, "dim": 2, "components": 1, "term": []}': "unknown key 'term' in the form; did you mean 'terms'",
    '{"ritz_form": 1, "dim": 2, "components": 1, "terms": [{"at": [0, 0, 1, 1], "coefficient": "1"}], '
    '"surfaces": [{"group": "x0", "load": ["1", "2"]}]}': "'load' takes a list of 1 expressions",
    '{"ritz_form": 1, "dim": 2, "components": 1, "old": "u", "terms": [{"at": [0, 0, 1, 1], "coefficient": "u"}], '
    '"surfaces": [{"group": "x1", "film": "1", "load": ["0"]}]}': "depends on the solution 'u' and has a film on 'x1', but its load there does not",
    '{"ritz_form": 1, "dim": 2, "components": 9, "terms": [{"at": [0, 0, 1, 1], "coefficient": "1"}]}':
    "'components' must be between 1 and 8",
    '{"ritz_form": 1, "dim": 2, "components": 3, "terms": [{"at": [0, 3, 1, 1], "coefficient": "1"}]}':
    "is of component 3; there are 0 to 2",
    '{"ritz_form": 1, "dim": 2, "components": 3, "terms": [{"at": [0, 0, 1, 1], "coefficient": "1"}]}':
    "'value' takes a list, a map of components, or the word fixed, like  value: {u0: 0}",
    '{"ritz_form": 1, "dim": 3, "components": 1, "terms": [{"at": [0, 0, 1, 1], "coefficient": "1"}]}':
    "compile the form for cells of that dimension",
    '{"ritz_form": 1, "dim": 2, "components": 1, "terms": [{"at": [0, 0, 1, 1], "coefficient": "k"}], "data": [{"name": "k"}]}':
    "add for example  materials: [{k: 1}]",
    '{"ritz_form": 1, "dim": 2, "components": 1, "terms": [{"at": [0, 0, 1, 1], "coefficient": "k"}], '
    '"data": [{"name": "k", "group": "steel"}]}': "the mesh has no such group",
}


@pytest.mark.parametrize("content", BAD)
def test_bad_form_files_are_told(run, tmp_path, content):
    (tmp_path / "form.json").write_text(content)
    (tmp_path / "p.yaml").write_text("physics: form.json\nmesh: {box: {cells: [1, 1]}}\noutput: none\nboundary: [{group: x0, value: 0}]\n")
    status, _, error = run("solve", "p.yaml")
    assert status == 1 and BAD[content] in error, error


def test_missing_form_files_are_told(run, tmp_path):
    (tmp_path / "p.yaml").write_text("physics: none.json\nmesh: {box: {cells: [1, 1]}}\n")
    status, _, error = run("solve", "p.yaml")
    assert status == 1 and "p.yaml:1: none.json: cannot be opened: No such file or directory" in error
    status, _, error = run("integrate", "--box", "1x1", "--cell", "tri", "--order", 1, "--form", "none.json")
    assert status == 1 and "none.json: cannot be opened" in error


# ---- Newton's method ----

RUBBER = Path(__file__).parents[2] / "examples" / "rubber"


@pytest.fixture(scope="module")
def rubber_form(program, tmp_path_factory):
    """The form of the example, compiled once."""
    path = tmp_path_factory.mktemp("rubber") / "rubber.json"
    subprocess.run([program, "compile", RUBBER / "rubber.py", "-o", path], env={**os.environ, "RITZ_PYTHON": sys.executable}, check=True)
    return path.read_text()


@pytest.fixture
def rubber(run, rubber_form, tmp_path):
    """Solves the example with settings: exit status, its JSON object, errors."""
    (tmp_path / "rubber.json").write_text(rubber_form)
    (tmp_path / "rubber.yaml").write_text((RUBBER / "rubber.yaml").read_text())

    def solve(*settings):
        status, output, error = run("solve", "rubber.yaml", "--json", *(w for s in settings for w in ("--set", s)))
        return status, json.loads(output), error

    return solve


def test_newton_stretches_rubber(rubber):
    """A uniaxial stretch of 1.5 in closed form, in two steps of the load; the relative residuals square."""
    status, told, error = rubber()
    assert status == 0, error
    newton = told["newton"]
    assert told["error"]["l2"] < 1e-12 and told["converged"] and newton["converged"]
    assert (newton["load"], newton["steps"], newton["halvings"]) == (1, 2, 0)
    residuals = [i["relative_residual"] for i in newton["iterations"] if i["step"] == 2]
    assert len(residuals) == 5 and residuals[-1] < 1e-10
    assert all(b < 2 * a**2 for a, b in zip(residuals[1:3], residuals[2:4])), residuals
    assert "newton     load 1, iteration 3: residual" in error and "(direct, 1 iterations)" in error


THREE_SIDES = "boundary=[{group: x0, value: {x: 0}}, {group: y0, value: {y: 0}}, {group: z0, value: {z: 0}}]"


def sides(stretch):
    """What the sides of the example's rubber shrink to, and the force an area of the start, in closed form."""
    mu, lame = 1e6, 1e6 * 0.19 / math.log(1.215)
    low, high = 0.1, 10.0
    for _ in range(200):
        s = (low + high) / 2
        low, high = (s, high) if mu * (s * s - 1) + lame * math.log(stretch * s * s) < 0 else (low, s)
    return s, mu * (stretch - 1 / stretch) + lame * math.log(stretch * s * s) / stretch


def rubber_case(stretch, key, value):
    exact = ", ".join(f'"{k!r}*{x}"' for k, x in zip((stretch - 1, *2 * [sides(stretch)[0] - 1]), "xyz"))
    return f"{{name: s{round(100 * stretch)}, boundary: {{group: x1, {key}: {{x: {value!r}}}}}, exact: [{exact}]}}"


@pytest.mark.parametrize("by_force", (False, True))
def test_newton_solves_load_cases(rubber, by_force):
    """Stretched and pressed, by prescribed values and by forces: each case by steps of its own from the start."""
    cases = ", ".join(rubber_case(s, *(("flux", sides(s)[1]) if by_force else ("value", 2 * (s - 1)))) for s in (1.5, 0.8, 1.25))
    settings = [THREE_SIDES] if by_force else ["boundary.3.value.x=1"]
    status, told, error = rubber("exact=null", f"cases=[{cases}]", *settings)
    assert status == 0 and told["converged"] and told["newton"]["converged"], error
    assert [c["error"]["l2"] < 1e-9 for c in told["cases"]] == [True] * 3, told["cases"]
    assert (told["newton"]["load"], told["newton"]["steps"]) == (1, 6)
    assert [i["case"] for i in told["newton"]["iterations"] if i["iteration"] == 0] == ["s150", "s150", "s80", "s80", "s125", "s125"]
    assert "newton     s80: load 0.5, iteration 1: residual" in error and "solve      s125: " in error


def test_a_case_that_fails_leaves_the_others(rubber):
    bad, good = rubber_case(0.8, "value", -2.4), rubber_case(1.25, "value", 0.5)
    status, told, error = rubber("exact=null", "boundary.3.value.x=0", f"cases=[{bad}, {good}]", "newton={max_iterations: 6}")
    assert status == 1 and "1 of 2 load cases did not converge (s80)" in told["failure"], told["failure"]
    assert told["cases"][1]["error"]["l2"] < 1e-8 and told["output"] and not told["newton"]["converged"]
    assert "did not converge beyond the load" in told["cases"][0]["failure"] and "result file" not in told["cases"][0]["failure"]


def test_newton_with_equations(rubber):
    """The same stretch where equations alone hold the end: flat, and as far out on average; also from a start, and as
    far as it goes after a step that failed."""
    flat = [f"{{terms: [{{at: [2, {y}, {z}], component: x}}, {{at: [2, 1, 1], component: x, weight: -1}}]}}" for y in (0, 0.5, 1) for z in (0, 0.5, 1)][:-1]
    mean = "{terms: {group: x1, component: x}, value: %s}"
    held = ["boundary.3={group: x0, value: {x: 0}}", f"equations=[{', '.join(flat)}, {mean % 1}]"]
    status, told, error = rubber(*held)
    assert status == 0 and told["error"]["l2"] < 1e-12 and "9 eliminated by equations" in error, error
    residuals = [i["relative_residual"] for i in told["newton"]["iterations"] if i["step"] == 2]
    assert len(residuals) == 5 and all(b < 2 * a**2 for a, b in zip(residuals[1:3], residuals[2:4])), residuals
    status, told, error = rubber(*held, 'newton={steps: 1, start: ["0.4*x", 0, "0.1*z"]}')
    assert status == 0 and told["error"]["l2"] < 1e-10, error
    held[1] = f"equations=[{', '.join(flat)}, {mean % -2.4}]"  # more than the length of 2
    status, told, error = rubber(*held, "materials.lame=0", "newton={steps: 4}")
    assert status == 1 and told["newton"]["halvings"] >= 7 and 0.8 < told["newton"]["load"] < 2 / 2.4, error
    assert told["extremes"]["u"] == pytest.approx(2.4 * told["newton"]["load"], rel=1e-6)


def test_newton_in_single_precision_and_by_iteration(rubber):
    """The same by conjugate gradients, and as near as f32 comes."""
    status, told, error = rubber("solver={method: cg, tolerance: 1e-12}")
    assert status == 0 and told["error"]["l2"] < 1e-10, error
    status, told, error = rubber("solver={precision: single, method: cg}", "newton={steps: 2}")
    assert status == 0 and told["error"]["l2"] < 1e-4, error


def test_newton_keeps_what_it_reached(rubber, tmp_path):
    """A block of length 2 that is to lose 2.4 of it: steps are halved towards the load 2 / 2.4, and the last one is written."""
    status, told, error = rubber("mesh.box.cells=[2, 1, 1]", "boundary.3.value.x=-2.4", "newton={steps: 4}", "materials.lame=0", "output.file=r.vtkhdf")
    newton = told["newton"]
    assert status == 1 and not newton["converged"] and newton["halvings"] >= 7 and 0.8 < newton["load"] < 2 / 2.4
    assert f"did not converge beyond the load {newton['load']:g}"[:50] in told["failure"] and told["output"].endswith("r.vtkhdf")
    assert (tmp_path / "r.vtkhdf").exists() and any(i["damping"] < 1 for i in newton["iterations"])
    assert told["extremes"]["u"] == pytest.approx(2.4 * newton["load"], rel=1e-6)  # its sides stay, as lame is 0
    status, told, error = rubber("boundary.3.value.x=-2.4", "newton={max_iterations: 1}")
    assert status == 1 and told["newton"]["load"] == 0 and told["output"] is None
    assert "after 1 iterations the relative residual is" in told["failure"]


P_LAPLACIAN = """
physics: p.json
mesh: {box: {cells: [3, 2], cell: tri}}
order: 2
materials: {p: 4, f: "-1e-3 - 3*(1 + x)*(1 + x)"}
boundary: [{group: x0, value: 0}, {group: x1, flux: 8.002}]
newton: {start: "1.5*x"}
exact: "x + x*x/2"
output: none
"""


def test_newton_solves_the_p_laplacian(run, tmp_path):
    """u = x + x^2/2 lies in the space; also from zeros, where the tangent is almost singular."""
    text = (FORMS / "p_laplacian.py").read_text().replace("* dx", "* dx(degree=8) - f * v * dx(degree=8)")
    (tmp_path / "p.py").write_text(text.replace("p = Constant(mesh)", "p, f = Constant(mesh), Coefficient(V)"))
    (tmp_path / "p.yaml").write_text(P_LAPLACIAN)
    assert run("compile", "p.py", "-o", "p.json")[0] == 0
    status, output, error = run("solve", "p.yaml", "--json")
    told = json.loads(output)
    assert status == 0 and told["error"]["l2"] < 1e-8 and len(told["newton"]["iterations"]) < 9, error
    status, output, error = run("solve", "p.yaml", "--json", "--set", "newton={max_iterations: 60}")
    told = json.loads(output)
    assert status == 0 and told["error"]["l2"] < 1e-8, error


@pytest.mark.parametrize(
    "settings, message",
    [
        (["newton.steps=0"], "'steps'"),
        (["newton.tolerance=2"], "must be less than 1"),
        (["newton.stps=2"], "steps"),
        (["newton.start=1"], "'start' takes 3 expressions of x, y, z"),
        (["newton.start=[0, 0, \"1/x\"]"], "a start must be finite"),
        (["exact=null", THREE_SIDES, "cases=[{name: a, boundary: {group: x1, flux: {x: 1}}}]", "combine={a: 2}"], "do not add up"),
        (["physics=elasticity", "materials={young: 1, poisson: 0}", "boundary={group: x0, displacement: fixed}", "output=none"], "'newton' is for forms that depend on their own solution"),
    ],
)
def test_newton_refuses(rubber, settings, message):
    status, told, _ = rubber(*settings)
    assert status == 1 and message in told["failure"], told["failure"]
