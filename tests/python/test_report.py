"""`ritz report`: one HTML file, well-formed, without links, whose numbers are those of the JSON."""

import base64
import json
import os
import subprocess
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

PROBLEM = """\
mesh: {box: {cells: [6, 2, 2], size: [3, 1, 1]}}
physics: elasticity
order: 1
materials: [{group: body, young: 100, poisson: 0.3, density: 2, yield: 40}]
boundary: [{group: x0, displacement: fixed}, {group: x1, traction: ["0 < 1 ? 1 : 2", 0, 0.1]}]
gravity: [0, 0, -0.01]
output: {file: bar.vtkhdf}
solver: {method: cg}
"""
CASES = "cases: [{name: pull, boundary: {group: x1, traction: [1, 0, 0]}}, {name: bend, gravity: [0, 0, -1]}]\n"


@pytest.fixture
def run(program, tmp_path):
    def start(*words, **environment):
        done = subprocess.run([program, *map(str, words)], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "RITZ_PYTHON": sys.executable, **environment})
        return done.returncode, done.stdout, done.stderr

    (tmp_path / "bar.yaml").write_text(PROBLEM)
    (tmp_path / "cases.yaml").write_text(PROBLEM.replace("bar.v", "cases.v") + CASES)
    return start


class Tags(HTMLParser):
    """Balance of the tags, as HTML sees them; void ones have no end."""

    def __init__(self):
        super().__init__()
        self.open, self.links, self.images = [], [], []

    def handle_starttag(self, tag, attributes):
        self.links += [value for key, value in attributes if key in ("href", "srcset", "action") or (key == "src" and not value.startswith("data:"))]
        self.images += [value for key, value in attributes if key == "src"]
        if tag not in ("meta", "img", "br", "hr", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in ("meta", "img", "br", "hr", "link"):
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


def read(path):
    text = path.read_text(encoding="utf-8")
    doctype, body = text.split("\n", 1)
    assert doctype == "<!DOCTYPE html>"
    tags = Tags()
    tags.feed(text)
    tags.close()
    assert tags.open == [] and tags.links == [] and "@import" not in text and "http" not in body.replace("http-equiv", "")
    return ElementTree.fromstring(body), tags


def find(run, path):
    for key in path.split("."):
        run = run[int(key)] if isinstance(run, list) else run[key]
    return run


def told_numbers(root):
    return {e.get("data-path"): json.loads(e.get("data-value")) for e in root.iter() if e.get("data-path")}


def words_of(root):
    return " ".join(" ".join(root.find("body").itertext()).split())


def test_numbers_are_those_of_the_run(run, tmp_path):
    status, output, error = run("report", "bar.yaml", "--title", "A bar <of & \"tests\">", "--json")
    assert status == 0, error
    answer = json.loads(output)
    root, tags = read(tmp_path / "bar.html")
    told = told_numbers(root)
    for path, value in told.items():
        assert value == find(answer["run"], path), path
    wanted = {"unknowns", "nonzeros", "mesh.nodes", "mesh.least_quality", "volume", "mass", "centre", "applied", "imbalance", "iterations",
              "relative_residual", "cells", "seconds.total", "reactions.0.force", "places.safety.value", "places.von_mises.at"}
    assert wanted <= set(told), wanted - set(told)
    assert abs(told["mass"] - 6) < 1e-12 and abs(told["reactions.0.force"][2] - (-0.1 + 0.06)) < 1e-6
    words = words_of(root)
    for part in ("A bar <of & \"tests\">", "displacement: fixed", "traction: [0 < 1 ? 1 : 2, 0, 0.1]", "gravity: [0, 0, -0.01]", "smallest safety factor",
                 "they balance", answer["run"]["device"]["name"], "100 0.3 2 40", *answer["run"]["warnings"]):
        assert part in words, part
    assert root.find("head/title").text == 'A bar <of & "tests">'
    svg = next(e for e in root.iter() if e.tag == "polyline")
    assert len(svg.get("points").split()) == len(answer["run"]["history"]["relative_residuals"])
    pytest.importorskip("vtkmodules")
    assert len(tags.images) == 1 and base64.b64decode(tags.images[0].split(",")[1])[:8] == b"\x89PNG\r\n\x1a\n"


def test_every_key_of_the_boundary_is_a_load_or_a_support(run, tmp_path):
    """The program names the keys of each physics; the report has to know them all, and where they belong."""
    from ritz.report import LOADS, NEITHER, is_support

    known = {"displacement", "normal", "spring", "bedding", "temperature", "head", "value"}  # that hold
    for physics in ("elasticity", "plane-stress", "plane-strain", "axisymmetric", "heat", "axisymmetric-heat", "seepage", "poisson",
                    "convection-diffusion", "mass"):
        (tmp_path / "keys.yaml").write_text(f"mesh: {{box: {{cells: [2, 2]}}}}\nphysics: {physics}\nmaterials: {{}}\nboundary: {{unknown: 1}}\n")
        for material in ("{}", "{young: 1, poisson: 0}", "{conductivity: 1}", "{permeability: 1}", "{diffusion: 1}", "{density: 1}"):
            error = run("solve", "keys.yaml", "--set", f"materials={material}")[2]
            if "unknown key 'unknown'" in error:
                break
        assert "unknown key 'unknown' in a boundary entry" in error, error
        keys = set(error.split("hoices: ")[1].strip().split(", "))
        assert "group" in keys and {key for key in keys if is_support(key)} <= known and keys - known <= {*LOADS, *NEITHER}, keys


def test_loads_of_all_kinds_are_told(run, tmp_path):
    """Of the top level, temperatures among them, and what combinations are made of."""
    (tmp_path / "hot.yaml").write_text("""\
mesh: {box: {cells: [2, 2, 2], cell: hex}}
physics: elasticity
order: 1
materials: {young: 1e6, poisson: 0, density: 1, expansion: 1e-5}
temperature: 120
reference_temperature: 20
boundary: [{group: z0, displacement: fixed}, {group: x0, hydrostatic: {level: 1, density: 1, gravity: [0, 0, -10]}}]
output: {file: hot.vtkhdf}
""")
    assert run("report", "hot.yaml")[0] == 0
    words = words_of(read(tmp_path / "hot.html")[0])
    loads = words[words.index("Loads case"):words.index("Solution")]
    for part in ("x0 hydrostatic: level: 1, density: 1, gravity: [0, 0, -10]", "temperature: 120", "reference_temperature: 20"):
        assert part in loads, words
    assert run("report", "cases.yaml", "--set", "combine={uls: {pull: 1.35, bend: -2}}", "--set", "gravity=null", "--set", "boundary={group: x0, displacement: fixed}")[0] == 0
    assert "uls 1.35 pull + -2 bend" in words_of(read(tmp_path / "cases.html")[0])
    (tmp_path / "wall.yaml").write_text("""\
mesh: {box: {cells: [2, 2]}}
physics: heat
materials: {conductivity: 1}
boundary: [{group: x0, temperature: 10}, {group: x1, temperature: 30}]
""")
    assert run("report", "wall.yaml")[0] == 0
    assert "smallest temperature 10" in words_of(read(tmp_path / "wall.html")[0])


def test_iterations_of_newton_are_listed(run, tmp_path):
    """A wall that radiates: a row for each evaluation of the residual, with its numbers."""
    (tmp_path / "hot.yaml").write_text("""\
mesh: {box: {cells: [4, 1]}}
physics: heat
materials: {conductivity: 50}
boundary:
  - {group: x0, temperature: 1000}
  - {group: x1, radiation: {emissivity: 0.9, ambient: 300, absolute_zero: 0, stefan_boltzmann: 5.67e-8}}
""")
    status, output, error = run("report", "hot.yaml", "--json")
    assert status == 0, error
    newton = json.loads(output)["run"]["newton"]
    root = read(tmp_path / "hot.html")[0]
    told = told_numbers(root)
    assert len(newton["iterations"]) > 2 and "Iterations of Newton's method" in words_of(root)
    for i, one in enumerate(newton["iterations"]):
        assert told[f"newton.iterations.{i}.residual"] == one["residual"] and told[f"newton.iterations.{i}.load"] == 1


def test_cases_and_runs_that_are_over(run, tmp_path):
    status, output, error = run("solve", "cases.yaml", "--json", "--history", "--describe", "--set", "materials.0.young=200")
    assert status == 0, error
    over = json.loads(output)
    assert over["problem"]["materials"][0]["young"] == 200 and over["problem"]["boundary"][1]["traction"][0] == "0 < 1 ? 1 : 2"
    (tmp_path / "run.json").write_text(output)
    assert run("report", "cases.yaml", "--run", "run.json", "-o", "other.html", "--view", "-y")[0] == 0
    root, tags = read(tmp_path / "other.html")
    told = told_numbers(root)
    for path, value in told.items():
        assert value == find(over, path), path
    assert {f"cases.{i}.{key}" for i in (0, 1) for key in ("iterations", "applied", "places.displacement.at", "reactions.0.force")} <= set(told)
    words = words_of(root)
    assert "in all cases" in words and "bend all gravity: [0, 0, -1]" in words and "pull x1 traction: [1, 0, 0]" in words, words
    pytest.importorskip("vtkmodules")
    assert len(tags.images) == 2


def test_named_materials(run, tmp_path):
    (tmp_path / "named.yaml").write_text("""\
mesh: {box: {cells: [1, 1, 1]}}
physics: elasticity
units: mm-N-MPa
materials: {material: steel-s235, density: 8e-9}
boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [1, 0, 0]}]
""")
    status, _, error = run("report", "named.yaml")
    assert status == 0, error
    words = words_of(read(tmp_path / "named.html")[0])
    assert "group material young poisson density expansion yield all steel-s235 210000 0.3 8e-09 1.2e-05 235" in words, words


def test_flows(run, tmp_path):
    (tmp_path / "wall.yaml").write_text("""\
mesh: {box: {cells: [3, 1], size: [0.4, 1]}}
physics: heat
materials: {conductivity: 0.8}
boundary: [{group: x0, temperature: 20}, {group: x1, film: {coefficient: 25, ambient: -10}}, {group: y1, power: 12}]
solver: {tolerance: 1e-12}
""")
    status, output, error = run("report", "wall.yaml", "--json")
    assert status == 0, error
    answer = json.loads(output)["run"]
    root, _ = read(tmp_path / "wall.html")
    told = told_numbers(root)
    assert {"flows.0.value", "flows.1.value", "supplied", "imbalance"} <= set(told)
    for path, value in told.items():
        assert value == find(answer, path), path
    assert abs(told["flows.0.value"] + told["flows.1.value"] + 12) < 1e-9 and abs(told["supplied"] - 12) < 1e-12
    words = words_of(root)
    for part in ("Flows group by flow into the body x0 temperature ", " x1 film ", "supplied in total sources, fluxes 12", "they balance", "y1 power: 12", "x1 film: coefficient: 25"):
        assert part in words, (part, words)
    assert "Reactions" not in words and "power" not in words[words.index("Supports"):words.index("Loads")]


def test_what_cannot_be_reported(run, tmp_path):
    for words, said in ((["none.yaml"], "nothing to report: none.yaml: cannot be opened"), (["bar.yaml", "--set", "order=9"], "order"), (["bar.yaml", "--run", "bar.yaml"], "not the JSON of a run"),
                        (["bar.yaml", "-o", "nowhere/a.html"], "no folder nowhere"),
                        (["bar.yaml", "--set", "solver={method: cg, max_iterations: 1}"], "nothing to report")):
        status, output, error = run("report", *words, "--json")
        assert status == 1 and said in error and "failure" in json.loads(output), (words, error)
    for words, said in ((["bar.yaml", "-o", "a.pdf"], "does not end in .html"), (["bar.yaml", "--run", "a", "--set", "a=1"], "--run takes a run that is over"), ([], "required")):
        status, _, error = run("report", *words)
        assert status == 2 and said in error
    assert not list(tmp_path.glob("*.html")) and not list(tmp_path.glob("*.part"))
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "vtkmodules.py").write_text("raise ImportError('no VTK here')\n")
    status, _, error = run("report", "bar.yaml", PYTHONPATH=str(tmp_path / "without"))
    assert status == 0, error
    root, tags = read(tmp_path / "bar.html")
    assert tags.images == [] and "pictures need VTK for Python (no VTK here): pip install vtk" in words_of(root)
    assert "ritz report examples" in run("report", "--help")[1]
