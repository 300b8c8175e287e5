"""The tasks of docs/tasks.md: each file is taken from the page, run as it stands there, and compared with the answer in closed form.

    run.py RITZ_PROGRAM SOURCE_FOLDER

Run by ctest; works in a folder of its own."""

import json
import math
import os
import re
import subprocess
import sys
import tempfile

MOST_LINES = 25
BEAM = 1 / (210e9 * 0.05 * 0.1 ** 3 / 12)  # 1 / (E I)
SHEAR = 1.2 / (210e9 / 2.6 * 0.05 * 0.1)


def check(good, message):
    if not good:
        sys.exit(f"FAILED: {message}")


def hoop(a, b, p):
    return p * (b * b + a * a) / (b * b - a * a)


# file: (probed point, field, component, known value, tolerance); extremes are of the whole part
KNOWN = {
    "bracket.yaml": ([1, 0.025, 0.05], "displacement_z", -1000 * (BEAM / 3 + SHEAR), 0.01),
    "half.yaml": ([0, 0.025, 0.05], "displacement_z", -(2000 * 2 ** 3 / 48 * BEAM + 1000 * SHEAR), 0.01),
    "vessel.yaml": ([0.5, 0.025], "stress_zz", hoop(0.5, 0.6, 20e6), 0.005),
    "bimetal.yaml": ([0.1, 0.001], "displacement_y", -24 * 7e-6 * 100 / (0.002 * (14 + 2 + 0.5)) * 0.1 ** 2 / 2, 0.02),
    "disc.yaml": ([0, 0.0025], "stress_xx", 3.3 / 8 * 7850 * (200 * math.pi) ** 2 * 0.2 ** 2, 0.01),
    "remote.yaml": ([1, 0.025, 0.05], "displacement_z", -1000 * (BEAM / 3 + 0.5 * BEAM / 2 + SHEAR), 0.01),
    "two.yaml": ([100, 5, 5], "displacement_x", 10e3 / 100 * (50 / 210e3 + 50 / 70e3), 1e-6),
    "deck.inp": ([0.5, 0.5, 2], "displacement_z", 100 * 2 / 210000, 1e-6),
}
STEP = """SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 50, 10, 10};
Box(2) = {50, 0, 0, 50, 10, 10};
Mesh.MeshSizeMin = 20;
Save "two.step";
"""


def files_of(page):
    """{name: text} of the indented blocks whose first line is a comment with the name of a file."""
    found = {}
    for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", page, re.M):
        lines = [line[4:] for line in block.strip("\n").splitlines()]
        name = re.fullmatch(r"(?:#|\*\*) (\S+)", lines[0])
        if name:
            check(len(lines) - 1 <= MOST_LINES, f"{name[1]} has {len(lines) - 1} lines")
            found[name[1]] = "\n".join(lines) + "\n"
    return found


def run(program, folder, name, *settings):
    return subprocess.run([program, "solve", name, "--json", *settings], cwd=folder, text=True, capture_output=True)


def make_step(program, folder):
    """A STEP file by Gmsh, which saves it while it reads a .geo file."""
    with open(os.path.join(folder, "make.geo"), "w") as file:
        file.write(STEP)
    with open(os.path.join(folder, "make.yaml"), "w") as file:
        file.write("{geometry: make.geo, physics: elasticity, order: 1, materials: {young: 1, poisson: 0}, output: none}\n")
    run(program, folder, "make.yaml", "--trust-geometry")
    check(os.path.exists(os.path.join(folder, "two.step")), "Gmsh saved no STEP file")


def main():
    program = os.path.abspath(sys.argv[1])
    with open(os.path.join(sys.argv[2], "docs", "tasks.md")) as file:
        files = files_of(file.read())
    check(list(files) == list(KNOWN), f"files of the page: {list(files)}")
    with tempfile.TemporaryDirectory() as folder:
        make_step(program, folder)
        for name, (point, field, known, tolerance) in KNOWN.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(files[name])
            done = run(program, folder, name, "--set", f"probes={{name: at, points: {point}, file: at.csv}}")
            check(done.returncode == 0, f"{name}: {done.stderr}")
            told = json.loads(done.stdout)
            check(told["imbalance"] < 1e-6 and not told["warnings"], f"{name}: {told['imbalance']}, {told['warnings']}")
            with open(os.path.join(folder, "at.csv")) as file:
                heads, values = (line.strip().split(",") for line in file)
            value = float(values[heads.index(field)])
            print(f"{name}: {field} {value:.6g}, known {known:.6g}, {100 * abs(value / known - 1):.2g} % away")
            check(abs(value - known) <= tolerance * abs(known), "too far away")


main()
