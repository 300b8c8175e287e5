"""`ritz picture`: the colours and the shape that a PNG shows, and what is refused."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("vtkmodules")
from vtkmodules.util.numpy_support import vtk_to_numpy  # noqa: E402
from vtkmodules.vtkIOImage import vtkPNGReader  # noqa: E402

HEAT = """\
mesh: {box: {cells: [4, 4], size: [2, 1]}}
physics: heat
order: 1
materials: {conductivity: 1}
boundary: [{group: x0, temperature: 10}, {group: x1, temperature: 30}]
output: {file: heat.vtkhdf}
"""
CASES = """\
mesh: {box: {cells: [8, 1, 1], size: [8, 1, 1]}}
physics: elasticity
order: 2
materials: {young: 1000, poisson: 0}
boundary: [{group: x0, displacement: fixed}]
cases: [{name: pull, boundary: {group: x1, traction: [10, 0, 0]}}, {name: bend, boundary: {group: x1, traction: [0, 0, 0.1]}}]
output: {file: bar.vtu}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pictures")


@pytest.fixture(scope="module")
def run(program, folder):
    def start(*words, **environment):
        done = subprocess.run([program, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "RITZ_PYTHON": sys.executable, **environment})
        return done.returncode, done.stdout, done.stderr

    for name, text in (("heat", HEAT), ("bar", CASES)):
        (folder / f"{name}.yaml").write_text(text)
        assert start("solve", f"{name}.yaml")[0] == 0
    return start


def draw(run, folder, *words):
    status, output, error = run("picture", *words, "-o", "out.png", "--size", "600,400", "--json")
    assert status == 0, error
    reader = vtkPNGReader()
    reader.SetFileName(str(folder / "out.png"))
    reader.Update()
    image = reader.GetOutput()
    width, height, _ = image.GetDimensions()
    assert (width, height) == (600, 400)
    return json.loads(output), vtk_to_numpy(image.GetPointData().GetScalars()).reshape(height, width, -1)[::-1, :, :3] / 255.0


def inside(pixels):
    """Rows and columns of the part: what has colour, left of the bar, below the text and without the axes."""
    part = pixels.max(axis=2) - pixels.min(axis=2) > 0.15
    part[:55] = part[:, 500:] = part[320:, :80] = False
    rows, columns = part.any(axis=1).nonzero()[0], part.any(axis=0).nonzero()[0]
    return rows[0], rows[-1], columns[0], columns[-1]


def test_colours_are_those_of_the_values(run, folder):
    shown, pixels = draw(run, folder, "heat.vtkhdf")
    assert shown["field"] == "temperature" and shown["range"] == [10, 30] and shown["deformation"] == 0
    top, bottom, left, right = inside(pixels)
    assert abs((right - left) / (bottom - top) - 2) < 0.05  # as long as it is high, twice
    middle = (top + bottom) // 2
    for place, colour in ((0.02, (0.32, 0.46, 0.68)), (0.4, (0.53, 0.79, 0.56)), (0.8, (0.94, 0.55, 0.23)), (0.98, (0.74, 0.12, 0.15))):
        assert abs(pixels[middle, int(left + place * (right - left))] - colour).max() < 0.06, place
    _, pixels = draw(run, folder, "heat.vtkhdf", "--range", "20,30")
    assert abs(pixels[middle, int(left + 0.4 * (right - left))] - (0.32, 0.46, 0.68)).max() < 0.02


def test_a_small_safety_factor_is_hot(run, folder):
    """It is 1 on the left, 3 on the right."""
    (folder / "strip.yaml").write_text("""\
mesh: {box: {cells: [4, 2], size: [2, 1]}}
physics: plane-stress
materials: {young: 1000, poisson: 0, yield: "10 + 10*x"}
boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [10, 0]}]
""")
    assert run("solve", "strip.yaml")[0] == 0
    shown, pixels = draw(run, folder, "strip.vtkhdf", "--field", "safety", "--deform", "none")
    assert abs(shown["smallest"] - 1) < 1e-6 and abs(shown["largest"] - 3) < 1e-6
    top, bottom, left, right = inside(pixels)
    for place, colour in ((0.02, (0.74, 0.12, 0.15)), (0.98, (0.32, 0.46, 0.68))):
        assert abs(pixels[(top + bottom) // 2 + 8, int(left + place * (right - left))] - colour).max() < 0.06, place


def test_safety_between_points(run, folder):
    """Pure bending, stresses y - 1/2: the factor is 1 / |y - 1/2|, 1000 on the neutral axis, where cells meet. Between points at y = 3/4 and
    1 it falls from 4 to 2; the parabola through 1000, 4 and 2 is below zero there."""
    (folder / "bent.yaml").write_text("""\
mesh: {box: {cells: [4, 2], size: [2, 1]}}
physics: plane-stress
materials: {young: 1, poisson: 0, yield: 1}
boundary: {groups: [x0, x1, y0, y1], displacement: ["x*(y - 0.5)", "-0.5*x*x"]}
""")
    assert run("solve", "bent.yaml")[0] == 0
    shown, pixels = draw(run, folder, "bent.vtkhdf", "--field", "safety", "--deform", "none")
    assert abs(shown["smallest"] - 2) < 1e-5 and abs(shown["range"][1] - 5) < 1e-5 and shown["largest"] > 900
    top, bottom, left, right = inside(pixels)
    red, orange, yellow = np.array([(0.74, 0.12, 0.15), (0.94, 0.55, 0.23), (0.96, 0.86, 0.38)])
    at = (1 / 0.375 - 2) / 3 * 5  # of the five steps between six colours
    row, column = round(top + 0.125 * (bottom - top)), round(left + 0.3 * (right - left))
    assert 1 < at < 2 and abs(pixels[row, column] - (orange + (at - 1) * (yellow - orange))).max() < 0.06
    assert abs(pixels[(top + bottom) // 2, column] - (0.32, 0.46, 0.68)).max() < 0.06  # the axis


def test_stresses_stay_in_their_range(run, folder):
    """Two metals that are heated: parabolas through small and large values fall below zero, which no equivalent stress does."""
    (folder / "corner.yaml").write_text("""\
mesh: {box: {cells: [40, 4], size: [0.1, 0.002]}}
physics: plane-stress
materials: {young: "y < 0.001 ? 200e9 : 100e9", poisson: 0.3, expansion: "y < 0.001 ? 12e-6 : 19e-6"}
temperature: 100
boundary: [{group: x0, displacement: fixed}]
""")
    status, output, _ = run("solve", "corner.yaml", "--json")
    shown, _ = draw(run, folder, "corner.vtkhdf", "--field", "von_mises")
    assert status == 0 and shown["smallest"] >= 0
    assert abs(shown["largest"] / json.loads(output)["extremes"]["von_mises"] - 1) < 1e-6


def test_titles_name_the_field_and_the_case():
    from ritz.picture import title_of

    assert title_of("von_mises", None, None) == "von Mises stress"
    assert title_of("von_mises_bend", None, None) == title_of("von_mises_bend", None, "bend") == "von Mises stress, bend"
    assert title_of("stress_in_use", "xx", "in_use") == "stress xx, in_use" and title_of("heat_flux", None, None) == "heat flux"


def test_the_part_at_rest_is_in_the_picture(run, folder):
    """A bar that moves down as a whole: its lines at rest end below the text, too."""
    (folder / "moved.yaml").write_text("""\
mesh: {box: {cells: [4, 1, 1], size: [4, 1, 1]}}
physics: elasticity
materials: {young: 1000, poisson: 0}
boundary: {group: x0, displacement: [0, 0, -0.5]}
""")
    assert run("solve", "moved.yaml")[0] == 0
    _, pixels = draw(run, folder, "moved.vtkhdf", "--deform", "5", "--view", "-y", "--title", "bar")
    assert pixels[44:58, :490].min() == 1 and pixels[60:70, :490].min() < 0.7


def test_lines_of_text_end_in_the_picture(run, folder):
    """Letters get smaller where a line is long; of letters as wide as these, too."""
    _, pixels = draw(run, folder, "bar.vtu", "--case", "pull", "--title", "A part in the workshop " * 6)
    assert pixels[:40, 594:].min() == 1 and pixels[:40, 300:500].min() < 0.5


def test_cases_and_components_and_views(run, folder):
    shown, pixels = draw(run, folder, "bar.vtu", "--case", "pull", "--field", "stress", "--component", "xx", "--view", "-y")
    assert shown["field"] == "stress_pull" and abs(shown["largest"] / 10 - 1) < 1e-5
    # The bar is 0.08 longer; a tenth of its diagonal is 0.812: 10 times.
    assert shown["deformation"] == 10
    top, bottom, left, right = inside(pixels)
    assert abs((right - left) / (bottom - top) - 8.8) < 0.5
    at_rest, pixels = draw(run, folder, "bar.vtu", "--case", "pull", "--deform", "none", "--view", "-y", "--field", "displacement")
    assert at_rest["deformation"] == 0 and abs(at_rest["largest"] / 0.08 - 1) < 1e-5
    top, bottom, left, right = inside(pixels)
    assert abs((right - left) / (bottom - top) - 8) < 0.4
    _, along = draw(run, folder, "bar.vtu", "--case", "pull", "--deform", "none", "--view", "x", "--field", "displacement")
    top, bottom, left, right = inside(along)
    assert abs((right - left) / (bottom - top) - 1) < 0.05
    bend, _ = draw(run, folder, "bar.vtu", "--field", "von_mises_bend", "--deform", "-2.5", "--view", "1,1,1")
    assert bend["field"] == "von_mises_bend" and bend["deformation"] == -2.5


def test_what_is_refused_leaves_no_file(run, folder):
    (folder / "out.png").unlink(missing_ok=True)
    for words, said in (
        (["bar.vtu", "--field", "strain"], "no field 'strain'; the file has: displacement_pull, stress_pull"),
        (["bar.vtu", "--field", "stress"], "'stress' is there for each load case; add --case pull"),
        (["bar.vtu", "--case", "twist"], "no field of a load case 'twist'"),
        (["bar.vtu", "--field", "von_mises_bend", "--component", "xx"], "no component 'xx'; it is a number"),
        (["bar.vtu", "--field", "stress_bend", "--component", "x"], "it has: xx, yy, zz, xy, yz, xz"),
        (["none.vtkhdf"], "none.vtkhdf: no such file"),
        (["bar.yaml"], "bar.yaml: not a result file"),
        (["bar.vtu", "-o", "nowhere/out.png"], "there is no folder nowhere"),
    ):
        output = [] if "-o" in words else ["-o", "out.png"]
        status, out, error = run("picture", *words, *output, "--json")
        assert status == 1 and said in error and error.startswith("ritz: error: "), error
        assert said in json.loads(out)["failure"]
    for words, said in ((["--view", "up"], "'up' is no view; there are iso, x, "), (["--size", "1,2"], "from 100 to 10000, like 1200,800"),
                        (["--range", "2,1"], "smaller number first"), (["--range", "7"], "it takes LOW,HIGH"),
                        (["-o", "out.jpg"], "does not end in .png"), (["--deform", "much"], "it takes auto, none or a number")):
        status, _, error = run("picture", "bar.vtu", *words)
        assert status == 2 and said in error, error
    assert not (folder / "out.png").exists() and not (folder / "out.jpg").exists()
    status, _, error = run("picture", "bar.vtu", RITZ_PYTHON="/nowhere/python")
    assert status == 1 and "drawing pictures needs Python, and '/nowhere/python' cannot be started" in error
    (folder / "without").mkdir()
    (folder / "without" / "vtkmodules.py").write_text("raise ImportError('no VTK here')\n")
    status, _, error = run("picture", "bar.vtu", PYTHONPATH=str(folder / "without"))
    assert status == 1 and error.startswith("ritz: error: pictures need VTK for Python (no VTK here): pip install vtk"), error
    assert "ritz picture part.vtkhdf" in run("picture", "--help")[1]
