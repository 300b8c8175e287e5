#!/usr/bin/env python3
"""Thin and slender parts in Ritz and in CalculiX with SPOOLES: the same decks, whole processes, results against each other.

    bench/peers/slender.py [--ritz build/ritz] [--ccx ccx] [--only NAME,...] [--repeat 3]

Plates of 20 x 20 x 1 hexes, a beam, a sheet with a hole, a thin ring and a lattice of bars, all of order 2, held at one end and pushed at
the other; no solver key. Prints a line a part: unknowns, median seconds of both (Ritz after one run that compiles
kernels), how far the displacements are from Ritz' direct solution (0 where that was chosen) and from CalculiX's, of the largest, and
what Ritz chose. CalculiX prints six digits, and of plates of 1 : 300 and more the assembled matrix holds fewer. Exit status 1: one
takes longer than CalculiX, is off by more than 1e-5 from the direct solution, or from CalculiX's by more than 5e-5 (1 : 1000: 5e-3). Meshes of tets come from Gmsh through Ritz."""
import argparse
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calculix_bracket import mesh_of  # noqa: E402
from calculix_decks import blocks, compare, read  # noqa: E402

END = 0.02  # of the length: what is held, and pushed, of parts that have no plane ends
CORNERS = ((0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2))
EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))
SHAPE = CORNERS + tuple(tuple((a + b) // 2 for a, b in zip(CORNERS[i], CORNERS[j])) for i, j in EDGES)  # of C3D20
OPENCASCADE = 'SetFactory("OpenCASCADE");\n'
SHEET = OPENCASCADE + """Box(1) = {0, 0, 0, 100, 60, 1.5};
Cylinder(2) = {50, 30, -1, 0, 0, 4, 10};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Physical Volume("body") = Volume{:};
"""
RING = OPENCASCADE + """Cylinder(1) = {0, 0, 0, 0, 0, 4, 51};
Cylinder(2) = {0, 0, -1, 0, 0, 6, 50};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Physical Volume("body") = Volume{:};
"""
LATTICE = OPENCASCADE + "".join(
    f"Box({1 + 9 * axis + 3 * i + k}) = {{{', '.join(corner)}, {', '.join(size)}}};\n"
    for axis, i, k in itertools.product(range(3), repeat=3)
    for corner, size in [([str(v) for v in (lambda p: p[:axis] + [0] + p[axis:])([10 * i, 10 * k])],
                          ["21" if d == axis else "1" for d in range(3)])]) + """
BooleanUnion(100) = { Volume{1}; Delete; }{ Volume{2:27}; Delete; };
Physical Volume("body") = Volume{:};
"""


def box(cells, size):
    """Nodes and C3D20 elements of a box."""
    number, elements = {}, {}
    for at in itertools.product(*(range(n) for n in cells)):
        nodes = [tuple(2 * a + s for a, s in zip(at, shape)) for shape in SHAPE]
        elements[len(elements) + 1] = [number.setdefault(node, len(number) + 1) for node in nodes]
    return {n: [v * length / (2 * k) for v, length, k in zip(node, size, cells)] for node, n in number.items()}, elements


def meshed(ritz, folder, geometry, size):
    """Nodes and C3D10 elements that Gmsh makes of a geometry."""
    for name, text in (("part.geo", geometry), ("mesh.yaml", f"geometry: part.geo\nsize: {size}\norder: 2\nphysics: elasticity\n"
                                                "materials: {young: 1, poisson: 0.3}\nsolver: {preconditioner: jacobi, tolerance: 0.9}\n"
                                                "groups: [{name: all, of: faces, box: {from: [-99, -99, -99], to: [199, 199, 199]}}]\n"
                                                "boundary: [{group: all, displacement: fixed}]\n")):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    run([ritz, "solve", "mesh.yaml", "--set", "output.frd=mesh.frd"], folder)
    return mesh_of(os.path.join(folder, "mesh.frd"))


def run(command, folder):
    begin = time.perf_counter()
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stdout[-2000:]}")
    return time.perf_counter() - begin, done.stdout


def write_deck(path, mesh, axis):
    """Held at the least x (or z), pushed along z (or x) at the most."""
    nodes, elements = mesh
    least, most = (end(at[axis] for at in nodes.values()) for end in (min, max))
    kind = {20: "C3D20", 10: "C3D10"}[len(next(iter(elements.values())))]
    near = END * (most - least) if kind == "C3D10" else 0
    held, pushed = ([n for n, at in nodes.items() if abs(at[axis] - end) <= near] for end in (least, most))
    with open(path, "w") as file:
        print("*NODE, NSET=NALL", *(f"{n},{x!r},{y!r},{z!r}" for n, (x, y, z) in nodes.items()), sep="\n", file=file)
        print(f"*ELEMENT, TYPE={kind}, ELSET=EALL", file=file)
        for e, of in elements.items():
            words = list(map(str, [e] + of))
            print(",".join(words[:11]), *([] if len(words) < 12 else [",".join(words[11:])]), sep=",\n", file=file)
        print("*NSET, NSET=HELD", *held, "*MATERIAL, NAME=STEEL", "*ELASTIC", "210.E3, 0.3", "*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL",
              "*BOUNDARY", "HELD, 1, 3", "*STEP", "*STATIC", "*CLOAD", sep="\n", file=file)
        print(*(f"{n},{3 if axis == 0 else 1},{1 / len(pushed)!r}" for n in pushed), "*NODE FILE", "U", "*END STEP", sep="\n", file=file)
    return 3 * len(nodes)


def displacements(path):
    return [block for block in blocks(read(path)) if block[0] == "DISP"][:1]


def measure(given, folder, name, mesh, axis):
    unknowns = write_deck(os.path.join(folder, "part.inp"), mesh, axis)
    own = [given.ritz, "solve", "part.inp", "--output", "own.vtkhdf", "--set", "output.frd=own.frd"]
    direct = own[:3] + ["--output", "direct.vtkhdf", "--set", "output.frd=direct.frd", "--set", "solver={method: direct}"]
    run(own, folder)
    runs = [(run(own, folder), run([given.ccx, "-i", "part"], folder)[0]) for _ in range(given.repeat)]
    ours, theirs = (statistics.median(times) for times in zip(*((o[0], t) for o, t in runs)))
    run(direct, folder)
    result = displacements(os.path.join(folder, "own.frd"))
    truth, peer = (compare(displacements(os.path.join(folder, other)), list(result))[0] for other in ("direct.frd", "part.frd"))
    chosen = next((line for line in runs[0][0][1].splitlines() if line.startswith("choice")), "").removeprefix("choice").strip()
    print(f"{name:14} {unknowns:8} {ours:8.2f} {theirs:8.2f} {theirs / ours:6.2f} {truth:9.1e} {peer:9.1e}  {chosen[:60]}", flush=True)
    return ours <= theirs and truth <= 1e-5 and peer <= (5e-3 if name == "plate 1:1000" else 5e-5)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ritz", default="build/ritz")
    parser.add_argument("--ccx", default="ccx")
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    given.ritz = os.path.abspath(given.ritz)
    os.environ["OMP_NUM_THREADS"] = str(os.cpu_count())
    parts = {f"plate 1:{ratio}": ((20, 20, 1), (ratio, ratio, 1), 0) for ratio in (100, 300, 1000)}
    parts |= {"beam 1:100": ((100, 2, 2), (1, 0.01, 0.01), 0), "sheet": (SHEET, 2.1, 0), "ring": (RING, 1.6, 0),
              "lattice": (LATTICE, 0.7, 2)}
    print(f"{'part':14} {'unknowns':>8} {'ritz, s':>8} {'ccx, s':>8} {'times':>6} {'to direct':>9} {'to ccx':>9}  choice")
    good = True
    for name, (shape, size, axis) in parts.items():
        if given.only and name not in given.only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            mesh = box(shape, size) if isinstance(shape, tuple) else meshed(given.ritz, folder, shape, size)
            good = measure(given, folder, name, mesh, axis) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
