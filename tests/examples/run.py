"""Solves the examples with the program and compares with what is known about them; reads the files with VTK.

    run.py RITZ_PROGRAM NAME

NAME: le1, le10, le11, t1, t2, t4, cook, cantilever, thick_cylinder, lame_ring, spinning_disc, bimetal, remote_load, crystal, poisson,
bracket, load_cases, repeat. Run by ctest with .venv/bin/python; works in a folder of its own."""

import csv
import json
import math
import os
import subprocess
import sys
import tempfile

from vtkmodules.vtkIOHDF import vtkHDFReader

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
XX, YY, ZZ = 0, 1, 2  # components of stress


def check_balance(result):
    """Loads and reactions add up to zero, and flows do."""
    for run in result.get("cases") or [result]:
        if "imbalance" not in run:
            sys.exit(f"nothing tells whether {run.get('name', 'the run')} balances")
        if not run["imbalance"] < 1e-9:
            sys.exit(f"reactions and loads, or flows, of {run.get('name', 'the run')} differ by {run['imbalance']}")


def solve(program, example, folder, *settings):
    """The program's JSON and the result file as a VTK grid."""
    output = os.path.join(folder, f"{len(os.listdir(folder))}.vtkhdf")
    command = [program, "solve", os.path.join(ROOT, "examples", example), "--json", "--set", f"output.file={output}"]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"exit status {done.returncode} of {' '.join(command)}")
    result = json.loads(done.stdout)
    if not result["converged"] or result["output"] != output:
        sys.exit(f"not what was asked for: {done.stdout}")
    check_balance(result)
    reader = vtkHDFReader()
    reader.SetFileName(output)
    reader.Update()
    return result, reader.GetOutputDataObject(0)


def at(grid, field, component, place):
    point = grid.FindPoint(place)
    distance = sum((a - b) ** 2 for a, b in zip(grid.GetPoint(point), place)) ** 0.5
    if distance > 1e-6 * grid.GetLength():
        sys.exit(f"no node at {place}; the nearest is {distance:g} away")
    return grid.GetPointData().GetArray(field).GetComponent(point, component)


def expect(what, value, known, tolerance):
    """tolerance: relative to known."""
    error = abs(value - known) / abs(known)
    print(f"{what}: {value:.6g}, known {known:.6g}, {100 * error:.2f} % away, allowed {100 * tolerance:g} %")
    if not error <= tolerance:
        sys.exit("too far away")


def le1(program, folder):
    _, grid = solve(program, "nafems-le1/le1.yaml", folder)
    expect("sigma_yy at D", at(grid, "stress", YY, (2, 0, 0)), 92.7e6, 0.01)


def le10(program, folder):
    _, grid = solve(program, "nafems-le10/le10.yaml", folder)
    expect("sigma_yy at D", at(grid, "stress", YY, (2, 0, 0.6)), -5.38e6, 0.01)


def t1(program, folder):
    result, grid = solve(program, "nafems-t1/t1.yaml", folder)
    stress = grid.GetPointData().GetArray("stress")
    at_d = [stress.GetComponent(i, YY) for i in range(grid.GetNumberOfPoints()) if math.dist(grid.GetPoint(i), (1, 0, 0)) < 1e-6]
    expect("sigma_yy at D outside the spot", max(at_d), 50e6, 0.01)
    expect("sigma_yy at D inside the spot", min(at_d), -50e6, 0.02)


def le11(program, folder):
    _, grid = solve(program, "nafems-le11/le11.yaml", folder)
    expect("axial stress at A", at(grid, "stress", YY, (1, 0, 0)), -105e6, 0.01)


def t2(program, folder):
    result, grid = solve(program, "nafems-t2/t2.yaml", folder)
    expect("temperature of the end that radiates", at(grid, "temperature", 0, (0.1, 0, 0)), 927.0, 1e-4)
    inflow = {flow["key"]: flow["value"] for flow in result["flows"]}
    expect("what flows in", inflow["temperature"], 55.6 * (1000 - 927.0) / 0.1 * 0.01, 2e-3)  # 927.0 has four digits
    expect("what is radiated", inflow["radiation"], -0.98 * 5.67e-8 * (927.0**4 - 300**4) * 0.01, 1e-3)


def t4(program, folder):
    _, grid = solve(program, "nafems-t4/t4.yaml", folder)
    expect("temperature at E", at(grid, "temperature", 0, (0.6, 0.2, 0)), 18.3, 0.01)


def cook(program, folder):
    _, grid = solve(program, "cook/cook.yaml", folder)
    expect("rise of the tip", at(grid, "displacement", 1, (48, 52, 0)), 23.96, 0.002)
    # Nearly incompressible: order 6 and 18818 unknowns give 0.080616 at the corner, where standard cells of order 1 give 0.024.
    for order, tolerance in ((1, 0.03), (2, 0.004)):
        _, grid = solve(program, "cook/cook.yaml", folder, "physics=plane-strain", f"order={order}",
                        "materials={young: 240.565, poisson: 0.4999, formulation: mixed}", "solver={method: direct}")
        expect(f"rise of the corner, order {order}", at(grid, "displacement", 1, (48, 60, 0)), 0.080616, tolerance)


def cantilever(program, folder):
    _, grid = solve(program, "cantilever/cantilever.yaml", folder)
    expect("deflection of the end", at(grid, "displacement", 2, (1, 0.05, 0.05)), -1.9196e-4, 0.01)
    # Half way along, far from the clamp: bending stress F x 6 / h^3 at the upper face.
    expect("bending stress half way", at(grid, "stress", XX, (0.5, 0.05, 0.1)), 3.0e6, 0.01)


def thick_cylinder(program, folder):
    result, grid = solve(program, "thick-cylinder/cylinder.yaml", folder)
    place = (0.1 * math.cos(math.radians(20)), 0.1 * math.sin(math.radians(20)), 0)
    expect("widening of the bore", sum(at(grid, "displacement", c, place) ** 2 for c in (0, 1)) ** 0.5, 5.4476e-5, 0.002)
    expect("hoop stress at the bore", at(grid, "stress_cylinder", YY, place), 100e6, 0.03)
    with open(result["probes"][0]["file"], encoding="utf-8") as file:
        for row in csv.DictReader(file):
            lame = (0.2 / math.hypot(float(row["x"]), float(row["y"]))) ** 2
            for component, known in (("rr", 1 - lame), ("tt", 1 + lame)):
                expect(f"{component} in the wall", 100e6 + float(row[f"stress_cylinder_{component}"]), 100e6 + 20e6 * known, 0.03)


def lame_ring(program, folder):
    mixed = "lame-ring/ring.yaml"
    _, grid = solve(program, mixed, folder)
    expect("widening of the bore", at(grid, "displacement", 0, (0.01, 0, 0)), 2.0e-4, 0.02)
    expect("hoop stress at the bore", at(grid, "stress_cylinder", YY, (0.01, 0, 0)), 50e3, 0.02)
    expect("pressure at the bore", at(grid, "stress_cylinder", XX, (0.01, 0, 0)), -30e3, 0.02)
    _, grid = solve(program, mixed, folder, "materials.0.poisson=0.49999")
    expect("widening of the bore, nu = 0.49999", at(grid, "displacement", 0, (0.01, 0, 0)), 2.0e-4, 0.02)


def spinning_disc(program, folder):
    _, grid = solve(program, "spinning-disc/disc.yaml", folder)
    expect("hoop stress at the hole", at(grid, "stress_cylinder", YY, (0.05, 0, 0)), 287.846e6, 0.01)
    expect("widening of the hole", at(grid, "displacement", 0, (0.05, 0, 0)), 6.8535e-5, 0.002)
    expect("safety", at(grid, "safety", 0, (0.05, 0, 0)), 355 / 287.846, 0.015)


def bimetal(program, folder):
    result, grid = solve(program, "bimetal/bimetal.yaml", folder)
    expect("lowering of the end", at(grid, "displacement", 2, (0.1, 0, 0.001)), -2.5455e-3, 0.001)
    with open(result["probes"][0]["file"], encoding="utf-8") as file:
        lower = [row for row in csv.DictReader(file) if row["group"] == "below"]
    for component in ("xx", "yy"):
        expect(f"stress where the layers meet, {component}", float(lower[-1][f"stress_{component}"]), 90.91e6, 0.01)


def remote_load(program, folder):
    """The end's sinking, as its fibres' mean, and twist; spread over the end, and by a rigid one."""
    for settings in ([], ["rigid=[{group: x1, at: [1.5, 0.125, 0.05]}]"]):
        result, grid = solve(program, "remote-load/lever.yaml", folder, *settings)
        one, middle, other = (at(grid, "displacement", 2, (1, y, 0.05)) for y in (0, 0.025, 0.05))
        expect("sinking of the end", (one + 4 * middle + other) / 6, -6.696e-4, 0.01)
        expect("twist of the end", (one - other) / 0.05, 4.331e-4, 0.03)
        clamp = result["reactions"][0]
        if math.dist(clamp["about"], (0, 0.025, 0.05)) > 1e-12:
            sys.exit(f"the clamp's centre is {clamp['about']}")
        expect("the clamp's moment about x", clamp["moment"][0], 100, 1e-6)
        expect("the clamp's moment about y", clamp["moment"][1], -1500, 1e-6)


def crystal(program, folder):
    _, grid = solve(program, "copper-crystal/crystal.yaml", folder)
    expect("strain along the diagonal", at(grid, "displacement", 0, (2, 0, 0)) / 2, 1 / 191.2, 0.001)
    # A tension of 1 along (1, 1, 1) / sqrt(3) is 1/3 in all components along the cube.
    expect("shear along the cube", at(grid, "material_stress", 3, (2, 0, 0)), 1 / 3, 1e-6)


def poisson(program, folder):
    coarse, _ = solve(program, "poisson/poisson.yaml", folder, "mesh.box.cells=[3, 3, 3]")
    fine, grid = solve(program, "poisson/poisson.yaml", folder, "mesh.box.cells=[6, 6, 6]")
    expect("ratio of the errors", coarse["error"]["l2"] / fine["error"]["l2"], 2 ** 4, 0.15)
    expect("ratio of the slopes' errors", coarse["error"]["h1_seminorm"] / fine["error"]["h1_seminorm"], 2 ** 3, 0.15)
    data = grid.GetPointData()
    expect("u in the middle", at(grid, data.GetArrayName(0), 0, (0.5, 0.5, 0.5)), 2.718281828459045 ** -0.75, 1e-4)


def bracket(program, folder):
    """A coarse bracket: the program's own extremes are those of the file, and the picture gets drawn; orders 1 and 2 by multigrid and directly."""
    result, grid = solve(program, "bracket/bracket.yaml", folder, "size=0.012")
    data = grid.GetPointData()
    expect("largest displacement", data.GetArray("displacement").GetMaxNorm(), result["extremes"]["displacement"], 1e-5)
    expect("largest von Mises stress", data.GetArray("von_mises").GetRange()[1], result["extremes"]["von_mises"], 1e-5)
    picture = os.path.join(folder, "picture.png")
    subprocess.run([program, "picture", result["output"], "-o", picture], check=True, env={**os.environ, "RITZ_PYTHON": sys.executable})
    with open(picture, "rb") as file:
        content = file.read()
    # A picture without a part in it compresses to a third of this.
    if content[:8] != b"\x89PNG\r\n\x1a\n" or len(content) < 60000:
        sys.exit(f"the picture is empty: {len(content)} bytes")
    for order in (1, 2):
        coarse = ("size=0.012", f"order={order}", "output.fields=[displacement]")
        iterated, grid = solve(program, "bracket/bracket.yaml", folder, *coarse, "solver.preconditioner=multigrid")
        _, truth = solve(program, "bracket/bracket.yaml", folder, *coarse, "solver={method: direct}")
        expect_same(f"order {order} by multigrid and directly", values(grid, "displacement"), values(truth, "displacement"), 1e-6)
        if iterated["preconditioner"]["name"] != "multigrid" or iterated["iterations"] > (30, 34)[order - 1]:
            sys.exit(f"{iterated['iterations']} iterations with {iterated['preconditioner']['name']}")


def values(grid, field):
    array = grid.GetPointData().GetArray(field)
    if array is None:
        sys.exit(f"no field {field}")
    n = array.GetNumberOfComponents()
    return [array.GetComponent(i, c) for i in range(array.GetNumberOfTuples()) for c in range(n)]


def expect_same(what, a, b, tolerance):
    """tolerance: relative to the largest value."""
    error = max(abs(x - y) for x, y in zip(a, b, strict=True)) / max(abs(y) for y in b)
    print(f"{what}: {error:.2g} apart, allowed {tolerance:g}")
    if not error <= tolerance:
        sys.exit("too far away")


def load_cases(program, folder):
    """Beam theory; the sum of cases is the case of all loads; each case is a run of its own."""
    beam, end = "load-cases/beam.yaml", (1, 0.05, 0.05)
    everything = ("cases.4={name: all, gravity: [0, 0, -9.81], boundary: [{group: x1, traction: [1e6, 0, -1e5]}, "
                  "{group: x0, displacement: {z: -0.001}}]}")
    result, grid = solve(program, beam, folder, everything)
    expect("pull", at(grid, "displacement_pull", 0, end), 4.762e-6, 0.01)
    expect("bend", at(grid, "displacement_bend", 2, end), -1.9196e-4, 0.01)
    expect("bending stress half way", at(grid, "stress_bend", XX, (0.5, 0.05, 0.1)), 3.0e6, 0.01)
    expect("weight", at(grid, "displacement_weight", 2, end), -5.558e-5, 0.015)
    expect("combined", at(grid, "displacement_uls", 2, end), -3.630e-4, 0.01)
    expect("settle", at(grid, "displacement_settle", 2, end), -1e-3, 1e-7)
    names = [case["name"] for case in result["cases"]]
    fields = {f"{field}_{name}" for field in ("displacement", "stress", "von_mises") for name in names}
    found = {grid.GetPointData().GetArrayName(i) for i in range(grid.GetPointData().GetNumberOfArrays())}
    if found != fields:
        sys.exit(f"fields {found}, not {fields}")
    rounding = {"displacement": 1e-8, "stress": 1e-6, "von_mises": 1e-6}
    for field in ("displacement", "stress"):
        of_cases = [values(grid, f"{field}_{name}") for name in names[:4]]
        expect_same(f"sum of {field}", [sum(v) for v in zip(*of_cases, strict=True)], values(grid, f"{field}_all"),
                    rounding[field])
    for case in result["cases"]:
        expect(f"largest displacement, {case['name']}", case["extremes"]["displacement"],
               grid.GetPointData().GetArray(f"displacement_{case['name']}").GetMaxNorm(), 1e-5)
    settings = {
        "pull": ["boundary.1={group: x1, traction: [1e6, 0, 0]}"],
        "bend": ["boundary.1={group: x1, traction: [0, 0, -1e5]}"],
        "weight": ["gravity=[0, 0, -9.81]"],
        "all": ["boundary=[{group: x0, displacement: {x: 0, y: 0, z: -0.001}}, {group: x1, traction: [1e6, 0, -1e5]}]",
                "gravity=[0, 0, -9.81]"],
    }
    for name, one in settings.items():
        _, alone = solve(program, beam, folder, "cases=null", "combine=null", *one)
        for field, tolerance in rounding.items():  # loads on surfaces alone give the same bits
            expect_same(f"{name} by itself, {field}", values(grid, f"{field}_{name}"), values(alone, field),
                        0 if name in ("pull", "bend") else tolerance)


def repeat(program, folder):
    """Two runs give the same iteration count and the same bytes."""
    first, _ = solve(program, "cantilever/cantilever.yaml", folder)
    second, _ = solve(program, "cantilever/cantilever.yaml", folder)
    if first["iterations"] != second["iterations"]:
        sys.exit(f"{first['iterations']} iterations, then {second['iterations']}")
    with open(first["output"], "rb") as a, open(second["output"], "rb") as b:
        if a.read() != b.read():
            sys.exit("the result files differ")


if __name__ == "__main__":
    cases = {case.__name__: case for case in (le1, le10, le11, t1, t2, t4, cook, cantilever, thick_cylinder, lame_ring, spinning_disc,
                                               bimetal, remote_load, crystal, poisson, bracket, load_cases, repeat)}
    if len(sys.argv) != 3 or sys.argv[2] not in cases:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        cases[sys.argv[2]](os.path.abspath(sys.argv[1]), scratch)
