"""What `ritz solve` tells of a solution, against closed forms and NumPy: fields, extremes, mass; reads the files with VTK.

    run.py RITZ_PROGRAM

Run by ctest with .venv/bin/python; works in a folder of its own."""

import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy
import vtkmodules.vtkCommonCore as vtkmodules
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

# Two squares side by side, of the groups a and b, between the edges bottom and top.
TWO_SQUARES = """\
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
4
2 1 "a"
2 2 "b"
1 3 "bottom"
1 4 "top"
$EndPhysicalNames
$Nodes
6
1 0 0 0
2 1 0 0
3 2 0 0
4 0 1 0
5 1 1 0
6 2 1 0
$EndNodes
$Elements
6
1 3 2 1 1 1 2 5 4
2 3 2 2 2 2 3 6 5
3 1 2 3 1 1 2
4 1 2 3 1 2 3
5 1 2 4 1 4 5
6 1 2 4 1 5 6
$EndElements
"""


def check(condition, message):
    if not condition:
        sys.exit(message)


def near(what, value, known, tolerance=1e-7):
    """tolerance: relative to the largest number known."""
    value, known = numpy.asarray(value, float), numpy.asarray(known, float)
    check(value.shape == known.shape, f"{what}: {value.shape} numbers, not {known.shape}")
    error = numpy.abs(value - known).max() / max(numpy.abs(known).max(), 1e-300)
    check(error <= tolerance, f"{what}: {value} is not {known}, {error:.2g} apart")


def read_grid(path):
    reader = vtkXMLUnstructuredGridReader() if path.endswith(".vtu") else vtkHDFReader()
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutputDataObject(0)


class Runs:
    def __init__(self, program, folder):
        self.program, self.folder, self.n = program, folder, 0

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def start(self, text, *options):
        self.n += 1
        self.write(f"{self.n}.yaml", text)
        command = [self.program, "solve", os.path.join(self.folder, f"{self.n}.yaml"), "--set", "solver={method: direct}"]
        return subprocess.run([*command, *options],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)

    def solve(self, text):
        """The JSON and the arrays of the file: points, cells (numbers of points), fields."""
        done = self.start(text, "--json")
        check(done.returncode == 0, f"exit status {done.returncode}: {done.stderr}\n{text}")
        result = json.loads(done.stdout)
        grid = read_grid(result["output"])
        data = grid.GetPointData()
        fields = {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}
        cells = [[grid.GetCell(c).GetPointId(k) for k in range(grid.GetCell(c).GetNumberOfPoints())]
                 for c in range(grid.GetNumberOfCells())]
        return result, vtk_to_numpy(grid.GetPoints().GetData()), cells, fields


def sides_of_materials(runs):
    """Two squares stretched alike: each keeps its own stress at the nodes that they share."""
    runs.write("two.msh", TWO_SQUARES)
    for order, ending in ((1, "vtkhdf"), (2, "vtu"), (3, "vtkhdf")):
        result, points, cells, fields = runs.solve(f"""\
mesh: two.msh
physics: plane-stress
order: {order}
materials: [{{group: a, young: 100, poisson: 0, yield: 1}}, {{group: b, young: 300, poisson: 0, yield: "1 + x"}}]
boundary: [{{group: bottom, displacement: fixed}}, {{group: top, displacement: {{x: 0, y: 0.01}}}}]
output: {{file: two{order}.{ending}, fields: [displacement, strain, stress, von_mises, safety]}}
""")
        check(len(points) == (2 * order + 1) * (order + 1) + order + 1, f"{len(points)} points of order {order}")
        for cell, young in zip(cells, (100, 300), strict=True):
            n = len(cell)
            near("stress", fields["stress"][cell], numpy.tile([0, 0.01 * young, 0, 0, 0, 0], (n, 1)))
            near("strain", fields["strain"][cell], numpy.tile([0, 0.01, 0, 0, 0, 0], (n, 1)))
            near("von Mises", fields["von_mises"][cell], [0.01 * young] * n)
            near("displacement", fields["displacement"][cell][:, 1], 0.01 * points[cell][:, 1])
            yields = [1] * n if young == 100 else 1 + points[cell][:, 0]
            near("safety", fields["safety"][cell], numpy.divide(yields, 0.01 * young))
        place = result["places"]["safety"]
        near("least safety", [place["value"], place["at"][0]], [2 / 3, 1])
        check(place["group"] == "b" and result["places"]["von_mises"]["group"] == "b", f"{result['places']}")


def stress_states(runs):
    """Displacements given on all sides: constant strain, from which Hooke's law gives the rest."""
    gradient = numpy.array([[2, -1, 0.5], [3, -4, 1.5], [-0.5, 2.5, 1]]) * 1e-3
    young, nu, strength = 200.0, 0.3, 0.7
    for physics, dim in (("elasticity", 3), ("plane-strain", 2), ("plane-stress", 2)):
        g = numpy.zeros((3, 3))
        g[:dim, :dim] = gradient[:dim, :dim]
        if physics == "plane-stress":
            g[2, 2] = -nu / (1 - nu) * (g[0, 0] + g[1, 1])
        strain = (g + g.T) / 2
        stress = young / (1 + nu) * (strain + nu / (1 - 2 * nu) * numpy.trace(strain) * numpy.eye(3))
        values, vectors = numpy.linalg.eigh(stress)
        values, vectors = values[::-1], vectors.T[::-1]
        given = ", ".join(f'{axis}: "{" + ".join(f"({g[c, d]}) * {a}" for d, a in zip(range(dim), "xyz"))}"'
                          for c, axis in zip(range(dim), "xyz"))
        sides = ", ".join(f"{axis}{end}" for axis in "xyz"[:dim] for end in (0, 1))
        result, points, _, fields = runs.solve(f"""\
mesh: {{box: {{cells: {[2] * dim}, distort: 0.2}}}}
physics: {physics}
order: 1
materials: {{young: {young}, poisson: {nu}, yield: {strength}}}
boundary: [{{groups: [{sides}], displacement: {{{given}}}}}]
output: {{fields: [strain, stress, tresca, von_mises, safety, principal_stress, principal_direction_1,
                  principal_direction_2, principal_direction_3]}}
""")
        n = len(points)
        voigt = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))
        near("strain", fields["strain"], numpy.tile([strain[ij] for ij in voigt], (n, 1)))
        near("stress", fields["stress"], numpy.tile([stress[ij] for ij in voigt], (n, 1)))
        near("principal stress", fields["principal_stress"], numpy.tile(values, (n, 1)))
        near("Tresca", fields["tresca"], [values[0] - values[2]] * n)
        deviator = stress - numpy.trace(stress) / 3 * numpy.eye(3)
        von_mises = numpy.sqrt(1.5 * numpy.sum(deviator ** 2))
        near("von Mises", fields["von_mises"], [von_mises] * n)
        near("safety", fields["safety"], [strength / von_mises] * n)
        for k in range(3):
            along = fields[f"principal_direction_{k + 1}"] @ vectors[k]
            near(f"direction {k + 1}", numpy.abs(along), [1] * n)
        near("extremes", [result["extremes"][name] for name in ("tresca", "principal_stress", "safety")],
             [values[0] - values[2], values[0], strength / von_mises])
        check("displacement" not in fields and "displacement" in result["extremes"], f"{result['extremes']}")


def asked_or_not(runs):
    """Without `fields` the file has those of always; with a yield stress, the safety factor too."""
    text = """\
mesh: {box: {cells: [4, 1, 1], size: [4, 1, 1]}}
physics: elasticity
order: 1
materials: {young: 1000, poisson: 0%s}
boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [2, 0, 0]}]
"""
    result, _, _, fields = runs.solve(text % "")
    check(set(fields) == {"displacement", "stress", "von_mises"}, f"{set(fields)}")
    check(set(result["extremes"]) == {"displacement", "von_mises"}, f"{result['extremes']}")
    result, _, _, fields = runs.solve(text % ", yield: 10")
    check(set(fields) == {"displacement", "stress", "von_mises", "safety"}, f"{set(fields)}")
    near("safety", result["extremes"]["safety"], 5)
    place = result["places"]["displacement"]
    near("displacement", [place["value"], place["at"][0]], [0.008, 4])
    check(place["group"] == "body", f"{place}")
    lines = runs.start(text % ", yield: 10").stdout.splitlines()
    for line in ("largest displacement 0.008 at (4, ", "smallest safety factor 5 at ("):
        check(any(one.startswith(line) and one.endswith(" in body") for one in lines), f"no '{line}' in {lines}")


def local_systems(runs):
    """Fields along systems: a turn about an axis is tangential, and tensors are turned as NumPy turns them."""
    axis, origin, angle = numpy.array([1, 2, 2]) / 3, numpy.array([0.1, -2, 0.3]), numpy.radians(30)
    turn = [f"0.001 * ({axis[(d + 1) % 3]} * ({'xyz'[(d + 2) % 3]} - ({origin[(d + 2) % 3]})) - {axis[(d + 2) % 3]} * ({'xyz'[(d + 1) % 3]} - ({origin[(d + 1) % 3]})))"
            for d in range(3)]
    result, points, _, fields = runs.solve(f"""\
mesh: {{box: {{cells: [2, 1, 1], cell: hex}}}}
physics: elasticity
order: 2
systems: {{bore: {{axis: [1, 2, 2], origin: [0.1, -2, 0.3]}}, plate: {{rotate: [0, 0, 30]}}}}
materials: {{young: 200, poisson: 0.3}}
boundary: {{groups: [x0, x1, y0, y1, z0, z1], displacement: ["{turn[0]} + 0.01*x*y", "{turn[1]} - 0.02*y", "{turn[2]} + 0.01*x*x"]}}
cases: [{{name: whole}}, {{name: turn, boundary: {{groups: [x0, x1, y0, y1, z0, z1], displacement: ["{turn[0]}", "{turn[1]}", "{turn[2]}"]}}}}]
probes: {{name: tip, points: [1, 1, 1]}}
output: {{file: local.vtu, fields: [displacement, stress], systems: [bore, plate]}}
""")
    arm = points - origin
    arm = arm - numpy.outer(arm @ axis, axis)
    radius = numpy.linalg.norm(arm, axis=1)
    near("a turn", fields["displacement_bore_turn"], numpy.outer(0.001 * radius, [0, 1, 0]))
    radial = arm / radius[:, None]
    bore = numpy.stack([radial, numpy.cross(axis, radial), numpy.tile(axis, (len(points), 1))], axis=1)
    c, s = numpy.cos(angle), numpy.sin(angle)
    plate = numpy.tile([[c, s, 0], [-s, c, 0], [0, 0, 1]], (len(points), 1, 1))
    stress = fields["stress_whole"][:, [[0, 3, 5], [3, 1, 4], [5, 4, 2]]]
    for name, axes in (("bore", bore), ("plate", plate)):
        turned = axes @ stress @ axes.transpose(0, 2, 1)
        near(f"stress along {name}", fields[f"stress_{name}_whole"], turned[:, [0, 1, 2, 0, 1, 0], [0, 1, 2, 1, 2, 2]], 1e-12)
        near(f"displacement along {name}", fields[f"displacement_{name}_whole"], numpy.einsum("pij,pj->pi", axes, fields["displacement_whole"]), 1e-12)
    table, tip = read_csv(runs, "local_tip.csv"), numpy.flatnonzero(numpy.all(points == 1, axis=1))[0]
    near("radial at a point", float(table["displacement_bore_whole_radial"][0]), fields["displacement_bore_whole"][tip, 0], 1e-8)
    near("shear at a point", float(table["stress_bore_whole_ta"][0]), fields["stress_bore_whole"][tip, 4], 1e-8)
    check("stress_plate_turn_xy" in table, f"{list(table)}")
    check("stress_bore" not in str(result["extremes"]), f"{result['extremes']}")
    for output, words in (("systems: [hole]", ("no system 'hole'",)), ("systems: [bore, bore]", ("named twice",)),
                          ("frd_system: bore", ("frd: part.frd",)),
                          ("frd: a.frd, frd_system: [{group: x9, system: bore}]", ("no group 'x9'",))):
        done = runs.start("mesh: {box: {cells: [1, 1, 1]}}\nphysics: elasticity\nsystems: {bore: {axis: [0, 0, 1]}}\n"
                          "materials: {young: 1, poisson: 0}\nboundary: {group: x0, displacement: fixed}\noutput: {%s}\n" % output)
        check(done.returncode == 1 and all(word in done.stderr for word in words), f"{output}: {done.stderr}")


def axes_without_direction(runs):
    """Systems by expressions that have no axes at a node are refused before anything is assembled, by their line and the node."""
    for x, output, orientation, words in (
            ("{x: [x, y]}", "fields: [material_stress]", ", orientation: o", ("'x' has no direction", "'material_stress'")),
            ("{x: [1, 0], xy: [1, y]}", "fields: [displacement], systems: o", "", ("'xy' of the system 'o' lies along its x axis", "'displacement'")),
            ("{x: [x/sqrt(x*x + y*y), y/sqrt(x*x + y*y)]}", "fields: [stress], systems: o", "", ("component 1 of 'x' is not finite here", "'stress'"))):
        done = runs.start(f"""mesh: {{box: {{cells: [2, 2], size: [2, 2], origin: [-1, -1]}}}}
physics: plane-stress
systems:
  o: {x}
materials: {{young: [200, 100, 100], poisson: [0, 0, 0], shear: [1, 1, 1]{orientation}}}
boundary: {{group: x0, displacement: fixed}}
output: {{file: singular.vtu, {output}}}
""")
        check(done.returncode == 1 and all(word in done.stderr for word in (":4: ", "at the node at (", ", 0, 0)", "system 'o'", *words)), f"{x}: {done.stderr}")
        check("system     " not in done.stdout, f"{x} was found out behind the assembly: {done.stdout}")


def masses(runs):
    part = """\
mesh: {box: {cells: [4, 2%s], size: [2, 1%s], cell: %s, origin: [1, 0%s]}}
physics: %s
order: 2
materials: {young: 1, poisson: 0%s}
boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [1, 0%s]}]
"""
    solid = part % (", 1", ", 3", "prism", ", 0", "elasticity", "%s", ", 0")
    plane = part % ("", "", "tri", "", "plane-stress", "%s", "")
    result = runs.solve(solid % "")[0]
    near("volume", [result["volume"], *result["centre"]], [6, 2, 0.5, 1.5], 1e-12)
    check("mass" not in result, f"a mass without a density: {result}")
    result = runs.solve(solid % ", density: 2 * x")[0]
    near("mass", [result["volume"], result["mass"], *result["centre"]], [6, 24, 13 / 6, 0.5, 1.5], 1e-12)
    result = runs.solve(plane % ", density: 5, thickness: x")[0]
    near("plate", [result["volume"], result["mass"], *result["centre"]], [4, 20, 13 / 6, 0.5, 0], 1e-12)
    done = runs.start(plane % ", density: 5, thickness: x")
    check("part       volume 4, mass 20, centre of gravity (2.1667, 0.5)\n" in done.stdout, done.stdout)


def scalars(runs):
    """The ends of a temperature, and the unknown by its name."""
    result, _, _, fields = runs.solve("""\
mesh: {box: {cells: [3, 2], size: [3, 1]}}
physics: heat
order: 1
materials: {conductivity: 2}
boundary: [{group: x0, temperature: 7}, {group: x1, flux: -4}]
""")
    places = result["places"]
    near("coldest", [places["smallest"]["value"], places["smallest"]["at"][0]], [1, 3])
    near("warmest", [places["largest"]["value"], places["largest"]["at"][0]], [7, 0])
    check(places["largest"]["group"] == "body", f"{places}")
    near("area", [result["volume"], *result["centre"]], [3, 1.5, 0.5, 0], 1e-12)
    near("flux", fields["heat_flux"], numpy.tile([4, 0, 0], (12, 1)))


def read_csv(runs, name):
    with open(os.path.join(runs.folder, name), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {key: numpy.array([row[key] for row in rows]) for key in rows[0]}


def probes(runs):
    """A quadratic displacement is the same at any point of distorted cells, in all load cases."""
    given = '{x: "x*y + 2*z", y: "y*y - x", z: "x*z"}'
    text = """\
mesh: {box: {cells: [3, 2, 2], cell: %s, distort: 0.3}}
physics: elasticity
order: %d
materials: {young: 1, poisson: 0, force: [-0.5, -2.5, 0]}
boundary: [{groups: [x0, x1, y0, y1, z0, z1], displacement: %s}]
output: {fields: [displacement, stress]}
probes:
  - {name: some, points: [[0.1, 0.2, 0.3], [1, 1, 1], [0.77, 0.5, 0.01]], file: some.csv}
  - {name: cross, line: [[-0.5, 0.4, 0.6], [1.5, 0.4, 0.6]], count: 21}
"""
    for cell, order in (("hex", 2), ("tet", 2), ("prism", 3)):
        result, _, _, _ = runs.solve(text % (cell, order, given))
        some, cross = read_csv(runs, "some.csv"), read_csv(runs, f"{runs.n}_cross.csv")
        check(list(some)[:4] == ["x", "y", "z", "group"] and list(some)[4] == "displacement_x", f"{list(some)}")
        check([p["outside"] for p in result["probes"]] == [0, 10], f"{result['probes']}")
        check(any("10 of the 21 points" in w and "(-0.5, 0.4, 0.6), 0.5 away" in w for w in result["warnings"]),
              f"{result['warnings']}")
        check(list(cross["stress_xx"] == "") == [True] * 5 + [False] * 11 + [True] * 5, f"{cross['stress_xx']}")
        near("distance", cross["distance"].astype(float), numpy.linspace(0, 2, 21), 1e-9)
        for table in (some, {key: column[5:16] for key, column in cross.items()}):
            x, y, z = (table[axis].astype(float) for axis in "xyz")
            check(set(table["group"]) == {"body"}, f"{table['group']}")
            near("x", table["displacement_x"].astype(float), x * y + 2 * z)
            near("y", table["displacement_y"].astype(float), y * y - x)
            near("z", table["displacement_z"].astype(float), x * z)
            near("yy", table["stress_yy"].astype(float), 2 * y, 1e-6)
    lines = runs.start(text % ("hex", 2, given)).stdout
    check("probe      some: 3 points in " in lines, lines)
    cases = "cases: [{name: a}, {name: b, boundary: {group: x0, displacement: {x: 1}}}]\n"
    runs.solve(text % ("hex", 1, given) + cases)
    check({"stress_a_xx", "displacement_b_z"} <= set(read_csv(runs, "some.csv")), "no columns of cases")
    # An earlier file is not taken for that of a run that fails.
    done = runs.start(text % ("hex", 1, given) + "solver: {method: cg, max_iterations: 1}\n", "--set",
                      "solver={method: cg, max_iterations: 1}")
    check(done.returncode == 1 and sorted(f for f in os.listdir(runs.folder) if f.startswith("some")) == ["some.old.csv"],
          f"{os.listdir(runs.folder)}")


def followers_at_points(runs):
    """Between nodes, too, fields along axes that turn and what follows from the stress are those of the stress at the point."""
    runs.write("two.msh", TWO_SQUARES)
    sides = '{group: bottom, displacement: [0, 0]}, {group: top, displacement: ["0.01 + 0.02*x*x", "-0.01*x"]}'
    text = """\
mesh: %s
physics: %s
order: %d
systems: {bore: {axis: [0, 0, 1], origin: [-0.7, 0.2]}, fan: {x: [1, x*x], xy: [0, 1]}}
materials: %s
boundary: [%s]
probes: {name: line, line: [%s], count: 6}
output: {file: points.vtkhdf, systems: [bore, fan], fields: [displacement, stress, material_stress, von_mises, tresca, safety, principal_stress,
         principal_direction_1, principal_direction_2, principal_direction_3]}
"""
    same = "young: [200, 200, 200], poisson: [0.25, 0.25, 0.25], shear: [80, 80, 80]"
    two = f'[{{group: a, {same}, orientation: bore, yield: "2 + x*x"}}, {{group: b, {same}, orientation: fan, yield: 3}}]'
    one = f"{{{same}, orientation: bore, yield: \"2 + x*x\"}}"
    given = '{groups: [%s], displacement: ["x*y + x*x*y", "y*y - x"%s]}'
    for mesh, physics, order, materials, boundary, line in (
            ("two.msh", "plane-stress", 2, two, sides, "[0.1, 0.3], [1.9, 0.8]"),
            ("{box: {cells: [1, 1], distort: 0.2}}", "plane-strain", 2, one, given % ("x0, x1, y0, y1", ""), "[0.1, 0.3], [0.7, 0.8]"),
            ("{box: {cells: [1, 1, 1], cell: tet}}", "elasticity", 3, one, given % ("x0, x1, y0, y1, z0, z1", ', "x*z + y*y"'), "[0.1, 0.3, 0.2], [0.7, 0.8, 0.9]")):
        runs.solve(text % (mesh, physics, order, materials, boundary, line))
        table = {key: column.astype(float) if key != "group" else column for key, column in read_csv(runs, "points_line.csv").items()}
        voigt = ([0, 1, 2, 0, 1, 0], [0, 1, 2, 1, 2, 2])
        n, what = len(table["x"]), f"{physics} of order {order}: "
        where = numpy.stack([table[axis] for axis in "xyz"], axis=1)
        stress = numpy.zeros((n, 3, 3))
        for i, j in zip(*voigt):
            stress[:, i, j] = stress[:, j, i] = table["stress_" + "xyz"[i] + "xyz"[j]]
        arm = (where - [-0.7, 0.2, 0]) * [1, 1, 0]
        radial, up = arm / numpy.linalg.norm(arm, axis=1)[:, None], numpy.tile([0, 0, 1], (n, 1))
        along = numpy.stack([numpy.ones(n), where[:, 0] ** 2, numpy.zeros(n)], axis=1)
        along /= numpy.linalg.norm(along, axis=1)[:, None]
        bore, fan = (numpy.stack([first, numpy.cross(up, first), up], axis=1) for first in (radial, along))
        u = numpy.stack([table["displacement_" + axis] for axis in "xyz"], axis=1)
        own = numpy.where((table["group"] == "b")[:, None, None], fan, bore)
        for name, axes, parts in (("displacement_bore", bore, ("radial", "tangential", "axial")), ("displacement_fan", fan, "xyz")):
            near(what + name, numpy.stack([table[f"{name}_{part}"] for part in parts], axis=1), numpy.einsum("pij,pj->pi", axes, u), 1e-8)
        for name, axes, parts in (("stress_bore", bore, ("rr", "tt", "aa", "rt", "ta", "ra")), ("stress_fan", fan, ("xx", "yy", "zz", "xy", "yz", "xz")),
                                  ("material_stress", own, ("11", "22", "33", "12", "23", "13"))):
            near(what + name, numpy.stack([table[f"{name}_{part}"] for part in parts], axis=1),
                 (axes @ stress @ axes.transpose(0, 2, 1))[:, voigt[0], voigt[1]], 1e-8)
        values, vectors = numpy.linalg.eigh(stress)
        near(what + "principal stress", numpy.stack([table[f"principal_stress_{k}"] for k in (1, 2, 3)], axis=1), values[:, ::-1], 1e-8)
        for k in (1, 2, 3):
            direction = numpy.stack([table[f"principal_direction_{k}_{axis}"] for axis in "xyz"], axis=1)
            near(what + f"direction {k}", numpy.abs(numpy.sum(direction * vectors[:, :, 3 - k], axis=1)), [1] * n)
        near(what + "Tresca", table["tresca"], values[:, 2] - values[:, 0], 1e-8)
        deviator = stress - numpy.trace(stress, axis1=1, axis2=2)[:, None, None] / 3 * numpy.eye(3)
        von_mises = numpy.sqrt(1.5 * numpy.sum(deviator ** 2, axis=(1, 2)))
        near(what + "von Mises", table["von_mises"], von_mises, 1e-8)
        near(what + "safety", table["safety"], numpy.minimum(numpy.where(table["group"] == "b", 3, 2 + table["x"] ** 2) / von_mises, 1000), 1e-8)
    # Axes that are none at a probe alone are told before anything is assembled.
    done = runs.start("mesh: {box: {cells: [1, 1]}}\nphysics: plane-stress\nsystems: {o: {x: [x - 0.3, y - 0.3]}}\nmaterials: {young: 1, poisson: 0}\n"
                      "boundary: {group: x0, displacement: fixed}\nprobes: {name: p, points: [0.3, 0.3]}\n"
                      "output: {file: points.vtkhdf, fields: [displacement], systems: o}\n")
    check(done.returncode == 1 and "at the point of a probe at (0.3, 0.3, 0)" in done.stderr and "system     " not in done.stdout, done.stderr)


def earlier_files(runs):
    """Whatever file a run would write, and wherever it fails: what an earlier run left there is put aside."""
    names = ["out.vtkhdf", "out_faces.vtkhdf", "out_middle.csv", "out.frd", "out.dat"]
    text = ("mesh: {box: {cells: [2, 2, 2]}}\nphysics: elasticity\norder: 1\nmaterials: {young: 1, poisson: 0.3}\n"
            "boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [1, 0, 0]}]\n"
            "probes: [{name: middle, points: [0.5, 0.5, 0.5]}]\n"
            "output: {file: out.vtkhdf, faces: true, frd: out.frd, dat: out.dat, print: [{group: x1, values: [displacement]}]}\n")
    aside = [".old.".join(name.split(".")) for name in names]
    for setting, why in (("device=none", "device"), ("mesh=missing.msh", "missing.msh"), ("boundary.1.group=x9", "'x9'"),
                         ("probes.0.points=[9, 9, 9]", "outside the mesh"), ("probes.0.file=sub/middle.csv", "sub/middle.csv"),
                         ("boundary.0.displacement={x: 0}", "leave free"), ("output.dat=/proc/out.dat", "/proc/out.dat")):
        for name in names:
            runs.write(name, "of an earlier run")
        done = runs.start(text, "--set", setting)
        kept = ["out_middle.csv"] if "file=" in setting else ["out.dat"] if ".dat=" in setting else []
        check(done.returncode == 1 and why in done.stderr, f"{setting}: {done.stderr}")
        there = {name for name in os.listdir(runs.folder) if name.startswith("out")}
        check(there == {a if n not in kept else n for n, a in zip(names, aside, strict=True)}, f"{setting}: {there}")
        check(all(f"is now called {runs.folder}/{a}" in done.stderr for a in there - set(kept)), f"{setting}: {done.stderr}")
        for name in there:
            os.unlink(os.path.join(runs.folder, name))
    runs.solve(text)
    check({name for name in os.listdir(runs.folder) if name.startswith("out")} == set(names), f"{os.listdir(runs.folder)}")


def refused_probes(runs):
    text = "mesh: {box: {cells: [2, 2]}}\nphysics: poisson\nboundary: {group: x0, value: 0}\nprobes:\n- {%s}\n"
    for probe, words in (
            ("name: a", ("yaml:5:", "'a' needs 'points' or a 'line'")),
            ("name: a/b, points: [0, 0]", ("yaml:5:", "'a/b' cannot be a name")),
            ("name: a, line: [[0, 0], [1, 0]]", ("needs a 'count'",)),
            ("name: a, line: [[0, 0], [0, 0]], count: 3", ("two different points",)),
            ("name: a, points: [[0, 0], [1, 0, 0]]", ("3 coordinates and those before it 2",)),
            ("name: a, points: [0, 0, 0]", ("3 coordinates on a mesh of dimension 2",)),
            ("name: a, points: [0, 0], file: a.txt", ("does not end in .csv",)),
            ("name: a, points: [0, 0]}\n- {name: a, points: [0, 0]", ("two probes are called 'a'",)),
            ("name: a, points: [[0, 0], [4, 5]]", ("(4, 5, 0) is 5 away", "from (0, 0, 0) to (1, 1, 0)")),
            ("name: a, line: [[2, 0], [3, 0]], count: 2", ("all points of the probe 'a'", "is 1 away"))):
        before = {name for name in os.listdir(runs.folder) if name.endswith(".csv")}
        done = runs.start(text % probe)
        check(done.returncode == 1 and all(word in done.stderr for word in words), f"{probe}: {done.stderr}")
        check({name for name in os.listdir(runs.folder) if name.endswith(".csv")} == before, "a file in spite of it")


def faces(runs):
    """The sides of a box: areas, normals that point outwards, points of bent sides on them."""
    groups = ["x0", "x1", "y0", "y1", "z0", "z1"]
    for cells, cell, order, ending in (("2, 1, 1", "hex", 3, "vtkhdf"), ("1, 2, 1", "tet", 2, "vtu"),
                                       ("1, 1, 2", "prism", 4, "vtkhdf"),
                                       ("2, 1, 1", "prism", 2, "vtkhdf serendipity"), ("3, 2", "tri", 2, "vtkhdf"),
                                       ("2, 2", "quad", 1, "vtu")):
        dim = cells.count(",") + 1
        ending, _, elements = ending.partition(" ")
        result = runs.solve(f"""\
mesh: {{box: {{cells: [{cells}], cell: {cell}, size: [{"2, 3, 5" if dim == 3 else "2, 3"}]}}}}
physics: poisson
order: {order}
elements: {elements or "full"}
boundary: {{group: x0, value: 0}}
source: 1
output: {{file: box{runs.n}.{ending}, faces: true}}
""")[0]
        check(result["faces"].endswith(f"box{runs.n - 1}_faces.{ending}"), f"{result['faces']}")
        grid = read_grid(result["faces"])
        names = grid.GetFieldData().GetAbstractArray("group_names")
        names = [names.GetValue(i) for i in range(names.GetNumberOfValues())]
        points = vtk_to_numpy(grid.GetPoints().GetData())
        of = vtk_to_numpy(grid.GetCellData().GetArray("group"))
        check({names[g] for g in of} == set(groups[:2 * dim]), f"{names}, {of}")
        for g in set(of):
            total, size = numpy.zeros(3), (2, 3, 5 if dim == 3 else 1)
            axis, end = "xyz".index(names[g][0]), int(names[g][1])
            for c in numpy.flatnonzero(of == g):
                one = grid.GetCell(int(c))
                p = points[[one.GetPointId(k) for k in range(one.GetNumberOfPoints())]]
                check(numpy.allclose(p[:, axis], end * size[axis]), f"{p} is not on {names[g]}")
                if dim == 2:
                    total += numpy.cross(p[1] - p[0], [0, 0, 1])
                    check(numpy.allclose(p[2:], (p[1] + p[0]) / 2), f"{p} is not straight")  # order 2 at most
                else:
                    n = 3 if one.GetCellType() in (5, 69) else 4  # linear and Lagrange triangles
                    total += sum(numpy.cross(p[k] - p[0], p[k + 1] - p[0]) / 2 for k in range(1, n - 1))
                    weights, where, sub, t = [0.0] * one.GetNumberOfPoints(), [0.0] * 3, vtkmodules.reference(0), [0.3, 0.2, 0]
                    one.EvaluateLocation(sub, t, where, weights)  # by VTK's shape functions; straight faces
                    known = p[0] + 0.3 * (p[1] - p[0]) + 0.2 * (p[n - 1] - p[0])
                    near("a point on a face", where, known, 1e-9)
            outward = numpy.eye(3)[axis] * (1 if end else -1)
            near(f"area of {names[g]}", total, outward * numpy.prod(size) / size[axis], 1e-9)
    runs.write("bare.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
               "$Elements\n1\n1 2 2 1 1 1 2 3\n$EndElements\n")
    done = runs.start("mesh: bare.msh\nphysics: mass\noutput: {faces: true}\nsource: 1\n")
    check(done.returncode == 1 and "yaml:3: 'faces' is asked for, and the mesh has no groups of edges" in done.stderr,
          done.stderr)


GRID = """\
mesh: {box: {cells: [4, 3, 2]}}
physics: elasticity
order: 1
materials: %s
boundary: [{group: %s, displacement: fixed}, {group: %s, traction: [1, 2, 3]}]
groups:
%s"""


def choices(runs):
    """On a grid of 4 x 3 x 2 cells the members of groups are counted by hand."""
    counted = {
        "end": ("plane: {point: [1, 0, 0], normal: [2, 0, 0]}", "6 faces, area 1"),
        "top": ("normal: [0, 0, 1]", "12 faces, area 1"),
        "most": ("normal: [0, 0, 1], angle: 90", "40 faces, area 5"),
        "low": ("box: {from: [0, 0, 0], to: [0.5, 1, 0.5]}", "13 faces, area 1.5"),
        "corner": ("of: nodes, nearest: [2, 2, 2]", "1 node"),
        "axis": ("of: nodes, cylinder: {point: [0.5, 0, 0], axis: [0, 0, 1], radius: 0.1}", "3 nodes"),
        "half": ("of: nodes, cylinder: {point: [0.5, 0, 0], axis: [0, 0, 1], radius: 0.1, length: 0.5}", "2 nodes"),
        "side": ("of: nodes, groups: x0", "12 nodes"),
        "rim": ("of: nodes, groups: [x0, y0], box: {from: [0, 0, 0], to: [1, 1, 0.1]}", "8 nodes"),
        "left": ("of: cells, above: {point: [0.5, 0, 0], normal: [-1, 0, 0]}", "12 cells, volume 0.5"),
        "right": ("of: cells, not: [left]", "12 cells, volume 0.5"),
        "ball": ("of: nodes, sphere: {centre: [0, 0, 0], radius: 0.5, inner: 0.4}", "3 nodes"),
        "inside": ("of: nodes, groups: left, not: side", "24 nodes"),
        "walls": ("not: [x0, x1]", "40 faces, area 4"),
        "both": ("groups: [x0, y0]", "14 faces, area 2"),
        "far": ("of: nodes, not: [both]", "36 nodes"),
        "one": ("groups: [both], not: y0", "6 faces, area 1"),
        "skin": ("groups: left", "26 faces, area 3"),
        "spot": ("groups: top, nearest: [0.4, 0.5, 9]", "1 face, area 0.0833333"),
    }
    text = "".join(f"  - {{name: {name}, {what[0]}}}\n" for name, what in counted.items())
    materials = "[{group: left, young: 1, poisson: 0, density: 2}, {group: right, young: 3, poisson: 0, density: 10}]"
    done = runs.start(GRID % (materials, "one", "end", text))
    check(done.returncode == 0, done.stderr)
    for name, what in counted.items():
        check(f"group      {name}: {what[1]}\n" in done.stdout, f"{name}, {what}: {done.stdout}")
    check("largest displacement" in done.stdout and " in right\n" in done.stdout, done.stdout)
    chosen = runs.solve(GRID % (materials, "one", "end", text))[0]
    named = runs.solve(GRID % (materials, "x0", "x1", text))[0]
    near("mass", [chosen["mass"], chosen["centre"][0]], [6, (1 * 0.25 + 5 * 0.75) / 6], 1e-12)
    check(chosen["extremes"] == named["extremes"], f"{chosen['extremes']}, {named['extremes']}")
    near("reaction", chosen["reactions"][0]["force"], [-1, -2, -3])
    near("faces of one corner", runs.solve(GRID % (materials, "x0", "spot", text))[0]["applied"],
         numpy.array([1, 2, 3]) / 12)
    # A ring in the plane: circles are spheres.
    around = [(numpy.cos(a), numpy.sin(a)) for a in numpy.arange(8) * numpy.pi / 4]
    nodes = "".join(f"{1 + 8 * r + k} {(1 + r) * x} {(1 + r) * y} 0\n" for r in (0, 1) for k, (x, y) in enumerate(around))
    quads = "".join(f"{1 + k} 3 2 1 1 {1 + k} {9 + k} {9 + (k + 1) % 8} {1 + (k + 1) % 8}\n" for k in range(8))
    runs.write("ring.msh", f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n16\n{nodes}$EndNodes\n"
               f"$Elements\n8\n{quads}$EndElements\n")
    done = runs.start("""\
mesh: ring.msh
physics: poisson
order: 1
boundary: [{group: hole, value: 0}, {group: rim, flux: 1}]
groups: [{name: hole, sphere: {centre: [0, 0], radius: 1}},
         {name: rim, of: edges, sphere: {centre: [0, 0], radius: 2, inner: 1.9}},
         {name: east, normal: [1, 0], angle: 23}]
""")
    for line in ("hole: 8 edges, length 6.12293", "rim: 8 edges, length 12.2459", "east: 4 edges, length 4.5922"):
        check(f"group      {line}\n" in done.stdout, done.stdout + done.stderr)


def refused_choices(runs):
    text = "mesh: {box: {cells: [2, 2, 2]}}\nphysics: poisson\nboundary: {group: x0, value: 0}\ngroups:\n- {%s}\n"
    for group, words in (
            ("name: a", ("yaml:5:", "'a' chooses nothing", "box: {from")),
            ("name: x0, normal: [0, 0, 1]", ("yaml:5:", "has a group 'x0' already")),
            ("name: a, plane: {point: [0, 0, 3], normal: [0, 0, 1]}, normal: [0, 0, 1]",
             ("'a' is empty: of 24 outer faces 0 on the plane, 4 with the normal", "(0, 0, 0) to (1, 1, 1)")),
            ("name: a, of: nodes, box: {from: [2, 0, 0], to: [3, 1, 1]}", ("of 27 nodes 0 in the box",)),
            ("name: a, box: {from: [1, 0, 0], to: [0, 1, 1]}", ("the box is empty along x",)),
            ("name: a, sphere: {centre: [0, 0, 0], radius: 1, inner: 2}", ("'inner' must be less",)),
            ("name: a, plane: {point: [0, 0, 0]}", ("normal: [0, 0, 1]",)),
            ("name: a, plane: {point: [0, 0], normal: [0, 1]}", ("2 coordinates on a mesh of dimension 3",)),
            ("name: a, plane: {point: [0, 0, 0], normal: [0, 1]}", ("2 coordinates and others of this group 3",)),
            ("name: a, normal: [0, 0, 0]", ("is no direction",)),
            ("name: a, of: cells, normal: [0, 0, 1]", ("only faces have a normal",)),
            ("name: a, of: edges, normal: [0, 0, 1]", ("only meshes in the plane can choose",)),
            ("name: a, angle: 5", ("'normal', which is missing",)),
            ("name: a, groups: [x3]", ("yaml:5:", "no group of surfaces 'x3'", "x0")),
            ("name: a, of: bodies, normal: [0, 0, 1]", ("unknown kind of members 'bodies'", "faces, edges, cells, nodes")),
            ("name: a, bix: 1", ("'box'",))):
        done = runs.start(text % group)
        check(done.returncode == 1 and all(word in done.stderr for word in words), f"{group}: {done.stderr}")
    done = runs.start(text.replace("[2, 2, 2]", "[2, 2]") % "name: a, cylinder: {point: [0, 0, 0], axis: [0, 0, 1], radius: 1}")
    check(done.returncode == 1 and "give 2, and in the place of a 'cylinder' a 'sphere'" in done.stderr, done.stderr)


def rings(runs):
    """Solids of revolution: Lame's thick tube under inner pressure, and a rod that is pulled, which has its axis in it."""
    E, nu, a, b, p = 1000.0, 0.3, 1.0, 2.0, 10.0
    factor = p * a * a * (1 + nu) / (E * (b * b - a * a))
    tube = ("mesh: {box: {cells: [4, 2], size: [1, 0.5], origin: [1, 0], cell: %s}}\nphysics: axisymmetric\norder: 4\n"
            f"materials: [{{young: {E}, poisson: {nu}, density: 2}}]\n"
            "boundary: [{groups: [y0, y1], displacement: {y: 0}}, {group: x0, pressure: 10}]\n"
            f"exact: [\"{factor} * ({1 - 2 * nu} * x + {b * b} / x)\", \"0\"]\nsolver: {{method: direct}}\n")
    for cell in ("quad", "tri"):
        done = runs.start(tube % cell, "--json")
        check(done.returncode == 0, done.stderr)
        told = json.loads(done.stdout)
        check(told["error"]["l2"] < 1e-6, f"tube of {cell}: {told['error']}")
        check(abs(told["volume"] / (numpy.pi * (b * b - a * a) * 0.5) - 1) < 1e-12, f"volume {told['volume']}")
        check(told["centre"][0] == 0 and abs(told["centre"][1] - 0.25) < 1e-12, f"centre {told['centre']}")
        check(told["applied"][0] == 0 and told["imbalance"] < 1e-8, f"balance: {told['applied']}, {told['imbalance']}")
        check(all(r["force"][0] == 0 for r in told["reactions"]), f"reactions: {told['reactions']}")
        check(not told["warnings"], f"warnings: {told['warnings']}")
    rod = ("mesh: {box: {cells: [2, 3], size: [0.5, 2], distort: 0.2}}\nphysics: axisymmetric\norder: 1\n"
           "materials: [{young: 1000, poisson: 0.25}]\n"
           "boundary: [{group: y0, displacement: {y: 0}}, {group: y1, %s}]\n"
           f"exact: [\"-{0.25 * 4 / 1000} * x\", \"{4 / 1000} * y\"]\nsolver: {{method: direct}}\n")
    for load in ("traction: [0, 4]", f"force: [0, {numpy.pi * 0.25 * 4}]"):
        done = runs.start(rod % load, "--json")
        check(done.returncode == 0, done.stderr)
        told = json.loads(done.stdout)
        check(told["error"]["h1_seminorm"] < 1e-13, f"rod: {told['error']}")
        check(abs(told["reactions"][0]["force"][1] + numpy.pi) < 1e-9, f"rod: {told['reactions']}")
        check(abs(told["extremes"]["von_mises"] - 4) < 1e-9, f"rod: {told['extremes']}")
    done = runs.start(rod.replace("size:", "origin: [-0.1, 0], size:") % load)
    check(done.returncode == 1 and "x is the radius" in done.stderr, done.stderr)


def printed_forces(runs):
    """A cube held at two faces: its initial stress, and in a case its thermal stress too, are all that its nodes feel."""
    done = runs.start("mesh: {box: {cells: [1, 1, 1]}}\nphysics: elasticity\norder: 1\n"
                      "materials: {young: 1000, poisson: 0, expansion: 1e-3, initial_stress: {zz: 8}}\n"
                      "boundary: [{groups: [z0, z1], displacement: [0, 0, 0]}]\ncases: [{name: cold}, {name: warm, temperature: 20}]\n"
                      "output: {dat: forces.dat, print: [{group: z1, values: [force]}]}\n")
    check(done.returncode == 0, done.stderr)
    with open(os.path.join(runs.folder, "forces.dat"), encoding="utf-8") as file:
        rows = [line.split() for line in file if len(line.split()) == 4]
    near("forces of nodes", [float(row[3]) for row in rows], [2] * 4 + [2 - 5] * 4)


def read_frd(runs, name):
    """The blocks of an .frd file, and of its nodes as NODES: rows of numbers by node."""
    blocks, block = {}, None
    with open(os.path.join(runs.folder, name), encoding="utf-8") as file:
        for line in file:
            if line.startswith((" -4", "    2C")):
                block = blocks.setdefault(line.split()[1] if line[1] == "-" else "NODES", {})
            elif line.startswith("    3C"):
                block = None  # elements
            elif line.startswith(" -1") and block is not None:
                block[int(line[3:13])] = [float(line[i:i + 12]) for i in range(13, len(line) - 1, 12)]
    return blocks


def totals(runs):
    """What a pulled bar's end carries, in total: nodes count that the mesh has no number for. What acts on nodes that an .frd
    file does not have is in it with the same sum and moment."""
    bar = ("mesh: {box: {cells: [2%s], size: [2%s], distort: 0.2, cell: %s}}\norder: %d\nelements: %s\n%s\n"
           "output: {file: out.vtkhdf, dat: out.dat, print: [{group: x0, values: [%s], totals: only}]%s}\n")
    pull = "physics: elasticity\nmaterials: {young: 1e6, poisson: 0}\nboundary: [{group: x0, displacement: fixed}, {group: x1, traction: [100, 0, 0]}]"
    warm = "physics: heat\nmaterials: {conductivity: 2}\nboundary: [{group: x0, temperature: 0}, {group: x1, flux: 100}]"
    for cell, order, kind, value in (("hex", 1, "full", "force"), ("hex", 2, "full", "force"), ("hex", 3, "full", "force"), ("hex", 2, "serendipity", "force"),
                                     ("prism", 2, "full", "force"), ("tet", 2, "full", "force"), ("hex", 2, "full", "flow"), ("quad", 2, "full", "flow")):
        across, what = ", 1" if cell == "quad" else ", 1, 1", f"{value} of {kind} {cell} {order}"
        done = runs.start(bar % (across, across, cell, order, kind, pull if value == "force" else warm, value, ", frd: out.frd" if order < 3 else ""))
        check(done.returncode == 0, done.stderr)
        with open(os.path.join(runs.folder, "out.dat"), encoding="utf-8") as file:
            near(f"total {what}", float(file.read().splitlines()[-1].split()[0]), -100, 1e-6)
        if order < 3:
            blocks = read_frd(runs, "out.frd")
            forces = {n: v[0] for n, v in blocks["FORC" if value == "force" else "RFL"].items()}
            end = [(forces[n], forces[n] * y) for n, (x, y, _) in blocks["NODES"].items() if abs(x) < 1e-9]
            near(f"{what} in the .frd file", [*numpy.sum(end, axis=0), sum(forces.values())], [-100, -50, 0], 1e-5)


def combined(runs):
    """A combination is the case of all its loads: own weight, tractions, temperatures that vary, settled supports, springs."""
    text = ("mesh: {box: {cells: [4, 2, 2], size: [2, 0.4, 0.3]}}\nphysics: elasticity\norder: 2\n"
            "materials: {young: 200, poisson: 0.3, density: 7, expansion: 1e-2, yield: 90}\nreference_temperature: 20\n"
            "boundary: [{group: x0, displacement: fixed}, {group: z0, displacement: {z: 0}}, {group: x1, spring: {y: 3}}]\n"
            "solver: {method: direct}\nprobes: [{name: middle, points: [1, 0.2, 0.15], file: middle.csv}]\n"
            "output: {file: out.vtkhdf, dat: out.dat, print: [{group: x0, values: [force]}, {group: x0, values: [force], case: uls}]}\ncases:\n")
    cases = ("- {name: dead, gravity: [0, 0, -10]}\n- {name: wind, boundary: {group: x1, traction: [0, 1, 2]}}\n"
             "- {name: warm, temperature: 60 + 20*x}\n- {name: sink, boundary: {group: z0, displacement: {z: 0.01}}}\n")
    total = ("- {name: uls, gravity: [0, 0, -13.5], temperature: 20 + 0.5*(40 + 20*x), boundary: [{group: x1, traction: [0, -1.5, -3]}, "
             "{group: z0, displacement: {z: 0.02}}]}\n")

    def read():
        with open(os.path.join(runs.folder, "out.dat"), encoding="utf-8") as file:
            forces = [float(word) for line in file for word in line.split()[1:] if len(line.split()) == 4]
        table = read_csv(runs, "middle.csv")
        return forces, {key: column.astype(float) for key, column in table.items() if "_uls_" in key}

    result, _, _, fields = runs.solve(text + cases + "combine: {uls: {dead: 1.35, wind: -1.5, warm: 0.5, sink: 2}, half: {wind: 0.5}}\n")
    forces, probes = read()
    whole, _, _, other = runs.solve(text + total)
    all_forces, all_probes = read()
    one, same = result["cases"][4], whole["cases"][0]
    check(one["combines"] == {"dead": 1.35, "wind": -1.5, "warm": 0.5, "sink": 2} and "iterations" not in one, f"{one}")
    check(len(result["cases"]) == 6 and one["imbalance"] < 1e-9, f"{one}")
    for field in ("displacement", "stress", "von_mises", "safety"):
        near(field, fields[f"{field}_uls"], other[f"{field}_uls"], 1e-8)
    near("applied", one["applied"], same["applied"], 1e-8)
    near("reactions", [r["force"] for r in one["reactions"]], [r["force"] for r in same["reactions"]], 1e-6)
    n = len(all_forces) // 2  # of each entry: the first prints in all six cases, the other in the fifth alone
    near("printed forces", forces[4 * n:6 * n], all_forces, 1e-6)
    check(len(forces) == 7 * n, f"{len(forces)} forces")
    check(len(probes) > 8 and probes.keys() == all_probes.keys(), f"{list(probes)}")
    for key, column in probes.items():
        near(key, column, all_probes[key], 1e-7)
    for more, words in (("gravity: [0, 0, -1]\n", "act in every case"), ("cases: null\n", "the problem has none")):
        done = runs.start(text.replace("cases:\n", "") + ("cases:\n" + cases if "null" not in more else "") + more + "combine: {dead: 2}\n")
        check(done.returncode == 1 and words in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for case in (sides_of_materials, stress_states, local_systems, axes_without_direction, asked_or_not, masses, scalars, probes, followers_at_points, earlier_files, refused_probes, rings, printed_forces, totals, combined, faces, choices,
                     refused_choices):
            case(Runs(sys.argv[1], folder))
            print(f"{case.__name__}: as it should be")


main()
