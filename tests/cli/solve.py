"""The command `ritz solve` as a user meets it: exit statuses, JSON, files that are whole or absent, interruption, repetition.

    solve.py RITZ_PROGRAM [NAME]

Needs Python's standard library alone. Each case is a function; NAME runs one of them."""

import glob
import json
import os
import re
import resource
import stat
import subprocess
import sys
import time

import harness
from harness import Failed, Skipped, check, main

POISSON = """\
mesh: {box: {cells: [3, 3, 3], cell: tet}}
physics: poisson
order: 2
source: "3*M_PI*M_PI*sin(M_PI*x)*sin(M_PI*y)*sin(M_PI*z)"
boundary: [{groups: [x0, x1, y0, y1, z0, z1], value: 0}]
"""

# The mesh does not resolve the layers of convection.
LAYERS = """\
mesh: {box: {cells: [20, 20]}}
physics: convection-diffusion
order: 1
materials: {diffusion: 1e-4, velocity: [1, 0]}
source: 1
boundary: [{group: [x0, x1, y0, y1], value: 0}]
output: none
"""

LONG = """\
mesh: {box: {cells: [30, 30, 30], cell: hex}}
physics: elasticity
order: 2
materials: {young: 1, poisson: 0.3}
boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [0, 0, 1]}]
solver: {tolerance: 1e-14}
"""


# The second case needs more iterations than the first.
CASES_OF_A_BAR = """\
mesh: {box: {cells: [6, 2, 2], size: [3, 1, 1], cell: hex}}
physics: elasticity
order: 1
materials: {young: 100, poisson: 0.3, density: 2}
boundary: [{group: x0, displacement: fixed}]
cases:
  - {name: move, boundary: {group: x0, displacement: {x: 1 - 0.2*z*(1 - z)}}}
  - {name: bend, boundary: {group: x1, traction: [0, z, 1]}}
"""


TWO_SQUARES = """\
$MeshFormat
2.2 0 8
$EndMeshFormat
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
2
1 3 2 0 0 1 2 5 4
2 3 2 0 0 2 3 6 5
$EndElements
"""


# A cube beside two half cubes: vertices 13 and 14 stand in the middle of two edges of the cube.
HANGING = """\
$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
16
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
5 0 0 1
6 1 0 1
7 1 1 1
8 0 1 1
9 2 0 0
10 2 1 0
11 2 0 1
12 2 1 1
13 1 0.5 0
14 1 0.5 1
15 2 0.5 0
16 2 0.5 1
$EndNodes
$Elements
3
1 5 2 0 0 1 2 3 4 5 6 7 8
2 5 2 0 0 2 9 15 13 6 11 16 14
3 5 2 0 0 13 15 10 3 14 16 12 7
$EndElements
"""


class Bench(harness.Bench):
    """With problem files in its folder; what a run ends with is left to the caller."""

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run(self, *arguments, **options):
        environment = dict(os.environ, **options.pop("environment", {}))
        return subprocess.run([self.program, "solve", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              cwd=self.folder, env=environment, check=False, **options)

    def files(self):
        return sorted(os.path.relpath(os.path.join(at, name), self.folder)
                      for at, _, names in os.walk(self.folder) for name in names)

    def json(self, *arguments, **options):
        done = self.run(*arguments, "--json", **options)
        check(done.returncode == 0, f"{arguments}: exit status {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def fails(self, status, parts, *arguments, **options):
        done = self.run(*arguments, **options)
        check(done.returncode == status, f"{arguments}: exit status {done.returncode}, not {status}: {done.stderr}")
        for part in parts:
            check(part in done.stderr, f"{arguments}: '{part}' is not in: {done.stderr}")
        return done


def preconditioner(bench):
    """The JSON tells the preconditioner, a polynomial's degree and the bounds it was made for; fewer iterations."""
    problem = bench.write("p.yaml", POISSON)
    jacobi = bench.json(problem)
    check(jacobi["preconditioner"] == {"name": "jacobi"}, f"{jacobi['preconditioner']}")
    half = bench.json(problem, "--set", "solver.matrix=half")
    check(jacobi["matrix"] == "whole" and half["matrix"] == "half" and abs(half["iterations"] - jacobi["iterations"]) <= 1,
          f"{half['matrix']}: {half['iterations']} iterations instead of {jacobi['iterations']}")
    bench.fails(1, ["matrix: whole", "bicgstab"], problem, "--set", "solver.matrix=half", "--set", "solver.method=bicgstab")
    for name in ("neumann", "least-squares", "chebyshev"):
        for precision in ("double", "mixed"):
            told = bench.json(problem, "--set", f"solver.preconditioner={name}", "--set", "solver.degree=3",
                              "--set", f"solver.precision={precision}", "--set", "solver.tolerance=1e-8", "--history")
            p = told["preconditioner"]
            check(p["name"] == name and p["degree"] == 3 and 1 <= p["lanczos_steps"] <= 64, f"{p}")
            check(p["storage"] == ("f64" if precision == "double" else "f32"), f"{p}")
            single = told["iterations"] - p["double_iterations"]  # with vectors in f32, at the end
            check((single > 0) == (p["vectors"] == "f32") and (precision == "mixed" or single == 0), f"{p}")
            history = told["history"]["relative_residuals"]
            check(len(history) == told["iterations"] + 1 and told["history"]["stride"] == 1, f"{len(history)} residuals")
            check(history[0] == 1 and history[-1] <= 1e-8 < history[-2], f"{history[0]} to {history[-1]}")
            check(0 <= p["smallest_eigenvalue"] < p["largest_eigenvalue"] < 10, f"{p}")
            check(told["iterations"] < jacobi["iterations"], f"{name}: {told['iterations']} iterations")
            check(told["true_relative_residual"] < 1e-7, f"{name}: {told['true_relative_residual']}")
    jacobi = ["--set", "solver.preconditioner=jacobi"]
    bench.fails(1, ["precision mixed", "least-squares"], problem, *jacobi, "--set", "solver.precision=mixed")
    p = bench.json(problem, "--set", "solver.precision=mixed")["preconditioner"]  # by itself, but what is asked for needs a polynomial
    check(p["name"] == "chebyshev" and p["degree"] == 20 and p["storage"] == "f32", f"{p}")
    bench.fails(1, ["'storage'", "ritz bench pcg", "precision: mixed"], problem, "--set", "solver.storage=f16")
    bench.fails(1, ["'vectors'", "ritz bench pcg", "precision: mixed"], problem, "--set", "solver.vectors=double")
    plate = bench.write("plate.yaml", """mesh: {box: {cells: [20, 20, 1], size: [1, 1, 0.0033], cell: tet}}
physics: elasticity
order: 2
materials: {young: 1, poisson: 0.3}
boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [0, 0, 1]}]
solver: {preconditioner: multigrid, max_iterations: 1100}
output: none
""")
    bench.fails(1, ["did not converge", "use method direct, or allow more iterations"], plate)
    loose = bench.write("loose.yaml", """mesh: {box: {cells: [8, 8, 8]}}
physics: elasticity
order: 1
materials: {young: 1e5, poisson: 0.3}
boundary: [{group: x0, spring: 1e-8}, {group: x1, traction: [1, 0, 0]}]
solver: {preconditioner: multigrid}
output: none
""")
    bench.fails(1, ["comes no closer", "supports"], loose)  # long before all iterations are used up, at 10^22


def room(bench):
    """Multigrid needs at most 1.7 times the device memory that Jacobi's preconditioner needs: on tets, whose coarse levels are heaviest, where
    the finest matrix is lightest beside all else, on flat cells, whose second level is large, and where Newton's steps keep what they need
    again."""
    solid, plane = "[{group: x0, displacement: fixed}, {group: x1, traction: [0, 0, 1]}]", "[{group: x0, displacement: fixed}, {group: x1, traction: [0, 1]}]"
    for precision, physics, cell, cells, order, material, boundary in (
            ("double", "elasticity", "tet", [18, 18, 18], 1, "{young: 1, poisson: 0.3}", solid),
            ("single", "elasticity", "hex", [18, 18, 18], 1, "{young: 1, poisson: 0.3}", solid),
            ("double", "elasticity", "hex", "[30, 30, 30], size: [33, 33, 1]", 1, "{young: 1, poisson: 0.3}", solid),
            ("double", "plane-stress", "quad", [270, 270], 1, "{young: 1, poisson: 0.3}", plane),
            ("double", "poisson", "quad", [60, 60], 4, "{conductivity: 1}", "[{group: x0, value: 0}, {group: x1, value: 1}]"),
            ("double", "heat", "tri", [60, 60], 2, '{conductivity: "1 + T*T"}', "[{group: x0, temperature: 0}, {group: x1, temperature: 1}]")):
        problem = bench.write("room.yaml", f"""
mesh: {{box: {{cells: {cells}, cell: {cell}}}}}
physics: {physics}
order: {order}
materials: {material}
boundary: {boundary}
solver: {{method: cg, tolerance: 0.5, precision: {precision}}}
output: none
""")
        peak = [bench.json(problem, "--set", f"solver.preconditioner={name}")["peak_device_bytes"] for name in ("jacobi", "multigrid")]
        check(peak[1] < 1.7 * peak[0], f"{physics} in {cell} of order {order}, {precision}: {peak[1]} bytes, with Jacobi {peak[0]}")


def rounding(bench):
    """What rounding keeps from the tolerance is written, with a warning, and agrees with beam theory; so with load cases."""
    text = """mesh: {box: {cells: [20, 1, 1], size: [1, 0.01, 0.01], cell: hex}}
physics: elasticity
order: 2
materials: {young: 210e9, poisson: 0}
boundary: [{group: x0, displacement: fixed}]
solver: {tolerance: 1e-12}
"""
    load = "{group: x1, traction: [0, 0, -1e4]}"
    problem = bench.write("p.yaml", text + f"cases: [{{name: bend, boundary: {load}}}, {{name: pull, boundary: {{group: x1, traction: [1e6, 0, 0]}}}}]\n")
    whole = bench.json(problem)
    bend, pull = whole["cases"]
    check(whole["converged"] is False and whole["outcome"] == "limited by rounding" and whole["output"], f"{whole}")
    check(bend["converged"] is False and bend["outcome"] == "limited by rounding" and "failure" not in bend, f"{bend}")
    check(pull["converged"] is True and pull["outcome"] == "converged", f"{pull}")
    check(any("'bend'" in w and "rounding" in w for w in whole["warnings"]), f"{whole['warnings']}")
    deflection = 4 * 1e4 * 1e-4 * 1 ** 3 / (210e9 * 0.01 ** 4)  # F L^3 / (3 E I), I = h^4 / 12
    check(abs(bend["extremes"]["displacement"] / deflection - 1) < 0.01, f"{bend['extremes']} instead of {deflection}")
    alone = bench.json(problem, "--set", "cases=null", "--set", f"boundary.1={load}")
    check(alone["outcome"] == "limited by rounding" and alone["output"] and alone["extremes"] == bend["extremes"], f"{alone}")
    done = bench.fails(1, ["did not converge"], problem, "--set", "solver.max_iterations=50")  # far from it: an error as ever
    check("rounding" not in done.stderr, done.stderr)


def layers(bench):
    """A mesh that does not resolve the layers of convection: solved, by gmres where bicgstab breaks down, and said."""
    problem = bench.write("p.yaml", LAYERS)
    result = bench.json(problem, "--set", "solver.method=bicgstab")
    check(result["converged"] and result["method"] == "gmres" and result["true_relative_residual"] < 1e-7, f"{result}")
    check(any("Peclet" in w and "does not resolve" in w for w in result["warnings"]), f"{result['warnings']}")
    gmres = bench.json(problem, "--set", "solver.method=gmres")
    check(not any("bicgstab" in w for w in gmres["warnings"]) and gmres["extremes"] == result["extremes"], f"{gmres}")
    chosen = bench.json(problem)  # by gmres or by factors, as rounding has it
    check(chosen["converged"] and abs(chosen["extremes"]["largest"] / result["extremes"]["largest"] - 1) < 1e-5, f"{chosen}")
    bench.fails(1, ["Peclet", "does not resolve"], problem, "--set", "solver.max_iterations=20")


def direct(bench):
    """Method direct: the answers of the iterative methods, thin parts, one factorisation for all cases, what the JSON tells, refusals."""
    way = ("--set", "solver.method=direct")
    problem = bench.write("p.yaml", POISSON)
    done = bench.run(problem, *way)
    if "built without MUMPS" in done.stderr:
        raise Skipped("built without MUMPS")
    check("solve      direct, LDL^T, " in done.stdout, done.stdout)
    result, other = bench.json(problem, *way), bench.json(problem, "--set", "solver.tolerance=1e-12")
    check(abs(result["extremes"]["largest"] / other["extremes"]["largest"] - 1) < 1e-10, f"{result['extremes']}, {other['extremes']}")
    check(result["method"] == "direct" and result["converged"] and result["true_relative_residual"] < 1e-12, f"{result}")
    facts = result["direct"]
    check(facts["factorisation"] == "LDL^T" and facts["factor_nonzeros"] > 343 and facts["bytes"] > 0 and facts["negative_pivots"] == 0
          and facts["analyse_seconds"] > 0 and facts["factorise_seconds"] > 0 and facts["correction"] < 1e-12, f"{facts}")
    check("direct" not in other and other["choice"].startswith("cg with jacobi: ") and "choice" not in result, f"{other}")
    contents = []
    for i in range(2):
        bench.json(problem, *way)
        with open(bench.path("p.vtkhdf"), "rb") as file:
            contents.append(file.read())
    check(contents[0] == contents[1], "the same bytes")
    bench.fails(1, ["GB of the host's memory, and 1e-06 GB are allowed"], problem, *way, "--set", "solver.memory=1e-6")
    for setting, said in (("preconditioner=jacobi", "a preconditioner"), ("precision=mixed", "a storage (precision mixed sets"),
                          ("max_iterations=9", "a number of iterations"), ("matrix=half", "half storage of the matrix")):
        bench.fails(1, [said, "is for an iterative method"], problem, *way, "--set", f"solver.{setting}")
    for setting in ("method=cg", "preconditioner=multigrid"):
        bench.fails(1, ["a memory limit is for method direct"], problem, "--set", "solver.memory=1", "--set", f"solver.{setting}")
    layers = bench.write("layers.yaml", LAYERS)
    result, other = bench.json(layers, *way), bench.json(layers)
    check(result["direct"]["factorisation"] == "LU" and result["true_relative_residual"] < 1e-12, f"{result}")
    check(abs(result["extremes"]["largest"] / other["extremes"]["largest"] - 1) < 1e-7, f"{result['extremes']}, {other['extremes']}")
    cases = bench.write("cases.yaml", CASES_OF_A_BAR)
    result, other = bench.json(cases, *way), bench.json(cases)
    for one, another in zip(result["cases"], other["cases"]):
        check(abs(one["extremes"]["von_mises"] / another["extremes"]["von_mises"] - 1) < 1e-6 or another["extremes"]["von_mises"] < 1e-5,
              f"{one}, {another}")
    done = bench.run(cases, *way, environment={"RITZ_LOG": "info"})
    check(done.stderr.count("factorised in") == 1 and "solve      bend: direct, " in done.stdout, done.stderr + done.stdout)
    with open(bench.program, "rb") as file:
        library = re.search(rb"lib\w*mumps\w*[-.\w]*[.]so[.\w]*", file.read())[0].decode()
    bench.write(library, "no library")
    done = bench.run(problem, *way, environment={"LD_LIBRARY_PATH": bench.folder})
    check(done.returncode == 1 and "library cannot be loaded" in done.stderr and library in done.stderr and "libmumps-seq-dev" in done.stderr, done.stderr)
    check(bench.run(problem, environment={"LD_LIBRARY_PATH": bench.folder}).returncode == 0, "iterations do not need it")


def long_equations(bench):
    """Means over faces, beside a support and as the only ones: multigrid is made without them."""
    means = lambda *terms: ["equations:", *[f"  - {{terms: [{term}]}}" for term in terms]]
    of = lambda group, *components: [f"{{group: {group}, component: {c}}}" for c in components]
    head = ["physics: elasticity", "materials: [{group: body, young: 2e11, poisson: 0.3}]", "output: none"]
    cases = {
        "held": (1, "12, 12, 12", "[{group: x0, displacement: {x: 0, y: 0, z: 0}}, {group: z1, traction: [0, 0, -1e5]}]", of("x1", "x", "y", "z")),
        "only": (2, "5, 5, 5", "[{group: z1, traction: [1e4, 2e4, -1e5]}]",
                 of("x0", "x", "y", "z") + of("y0", "x") + of("x1", "z") + of("y0", "z")),
    }
    for name, (order, cells, boundary, terms) in cases.items():
        lines = [f"mesh: {{box: {{cells: [{cells}], cell: hex}}}}", f"order: {order}", *head, f"boundary: {boundary}", *means(*terms)]
        problem = bench.write(f"{name}.yaml", "\n".join(lines) + "\n")
        done = bench.run(problem, "--set", "solver.preconditioner=multigrid")
        check(f"multigrid  of the matrix without {len(terms)} equations of over 64 terms" in done.stdout, done.stdout)
        multigrid = bench.json(problem, "--set", "solver.preconditioner=multigrid")
        exact = bench.json(problem, "--set", "solver.method=direct")
        check(multigrid["iterations"] <= 85, f"{name}: {multigrid['iterations']} iterations")
        ratio = multigrid["extremes"]["displacement"] / exact["extremes"]["displacement"]
        check(abs(ratio - 1) < 1e-6, f"{name}: {multigrid['extremes']}, {exact['extremes']}")
    chosen = bench.run(bench.write("p.yaml", open(os.path.join(bench.folder, "held.yaml"), encoding="utf-8").read().replace("12, 12, 12", "20, 20, 20")))
    check("cg with multigrid" in chosen.stdout and "without 3 equations of over 64 terms" in chosen.stdout, f"where nobody asks: {chosen.stdout}")


def overlap(bench):
    """A face in two groups of one entry bears once what the entry says."""
    head = ("mesh: {box: {cells: [2, 1, 1]}}\ngroups: [{name: end, plane: {point: [1, 0, 0], normal: [1, 0, 0]}}]\norder: 1\noutput: none\n"
            "physics: %s\nmaterials: {%s}\nboundary:\n  - {group: x0, %s}\n  - {%s, %s}\n")
    solid, warm = ("elasticity", "young: 1e6, poisson: 0"), ("heat", "conductivity: 1")
    for physics, other, key in ((solid, "displacement: fixed", "traction: [100, 0, 0]"), (solid, "displacement: fixed", "pressure: -100"),
                                (solid, "displacement: fixed", "force: [100, 0, 0]"), (solid, "traction: [-100, 0, 0]", "bedding: 1e6"),
                                (warm, "temperature: 10", "flux: 5"), (warm, "temperature: 10", "film: {coefficient: 2, ambient: 50}"),
                                (warm, "temperature: 300", "radiation: {emissivity: 0.9, ambient: 900, absolute_zero: 0, stefan_boltzmann: 5.67e-8}")):
        found = [bench.json(bench.write("p.yaml", head % (*physics, other, groups, key)))["extremes"] for groups in ("group: x1", "groups: [x1, end]")]
        check(found[0] == found[1], f"{key}: {found}")


def cold(bench):
    """A body at 20 K, far below where Newton's method starts: what is left beside that start is small long before 20 K."""
    problem = bench.write("p.yaml", "mesh: {box: {cells: [4, 1, 1]}}\nphysics: heat\norder: 1\nmaterials: {conductivity: 1}\noutput: none\nboundary:\n"
                          "  - {group: x0, flux: \"5.67e-8*pow(20, 4)\"}\n  - {group: x1, radiation: {emissivity: 1, ambient: 0, absolute_zero: 0, stefan_boltzmann: 5.67e-8}}\n")
    done = bench.json(problem)
    check(abs(done["extremes"]["smallest"] - 20) < 1e-6, f"{done['extremes']}")


def limited(bench):
    """A limited address space: OpenBLAS asks without end for memory that it does not get, PoCL and LLVM end the process."""
    problem = bench.write("p.yaml", "mesh: {box: {cells: [20, 20, 20]}}\nphysics: elasticity\norder: 1\nmaterials: {young: 1, poisson: 0.3}\n"
                          "boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [0, 0, 1]}]\noutput: none\n")
    least = lambda: resource.setrlimit(resource.RLIMIT_AS, (450 << 20, 450 << 20))
    if subprocess.run([bench.program, "--version"], capture_output=True, timeout=60, preexec_fn=least).returncode:
        raise Skipped("the program itself does not start in it (sanitizers take terabytes)")
    for solver in ("solver=direct", "solver.preconditioner=multigrid"):
        bench.json(problem, "--set", solver)  # compiles the kernels
        for megabytes in range(450, 850, 100):
            limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
            case = f"{solver}, {megabytes} MB"
            try:
                done = subprocess.run([bench.program, "solve", problem, "--set", solver], capture_output=True, text=True, timeout=60, preexec_fn=limit)
            except subprocess.TimeoutExpired as late:
                raise Failed(f"{case}: no end; {late.stderr}") from late
            told = any(word in done.stderr for word in ("ulimit -v", "memory ran out", "no memory for"))
            check(done.returncode == 0 or (done.returncode == 1 and told), f"{case}: exit status {done.returncode}, {done.stderr}")


def direct_missing(bench):
    """Where MUMPS cannot be loaded, method direct is an error; a choice says so, and iterates."""
    there = glob.glob("/usr/lib/*/libdmumps_seq-*.so")
    if not there:
        raise Skipped("without Debian's MUMPS")
    for path in there:
        bench.write(os.path.basename(path), "no library")
    problem = bench.write("p.yaml", "mesh: {box: {cells: [20, 2, 1], size: [100, 10, 1]}}\nphysics: elasticity\nmaterials: {young: 1, poisson: 0.3}\n"
                          "boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [0, 0, 1]}]\noutput: none\n")
    without = {"LD_LIBRARY_PATH": bench.folder}
    bench.fails(1, ["library cannot be loaded", "install MUMPS"], problem, "--set", "solver=direct", environment=without)
    chosen = bench.json(problem, environment=without)
    check(chosen["method"] == "cg" and "cannot be loaded" in chosen["choice"], f"{chosen['choice']}")


def direct_interrupt(bench):
    """Ctrl-C in the middle of a factorisation, which does not ask: it takes a second or two, more on a busy machine."""
    problem = bench.write("p.yaml", LONG.replace("30, 30, 30", "16, 16, 16").replace("tolerance: 1e-14", "method: direct"))
    child = start_solve(bench, problem, "system", 3)
    output, errors, seconds = harness.interrupt(child)
    if "built without MUMPS" in errors:
        raise Skipped("built without MUMPS")
    check(child.returncode == 130 and seconds < 10, f"{child.returncode} after {seconds:.2f} s: {errors}")
    check("interrupted" in json.loads(output)["failure"] and bench.files() == ["p.yaml"], f"{output}, {bench.files()}")


def usage(bench):
    """Exit status 2 for a wrong command line, 1 for a wrong problem, 0 for help."""
    problem = bench.write("p.yaml", POISSON)
    bench.fails(2, ["problem file is missing", "--help"])
    bench.fails(2, ["--no-such"], problem, "--no-such")
    bench.fails(2, ["PATH=VALUE", "'order'"], problem, "--set", "order")
    bench.fails(2, ["one problem file"], problem, problem)
    bench.fails(2, ["--output"], problem, "--output", "")
    bench.fails(2, ["--history", "--json"], problem, "--history")
    bench.fails(1, ["no-such.yaml", "No such file"], "no-such.yaml")
    bench.fails(1, ["p.yaml"], os.path.join(problem, "p.yaml"))
    bench.fails(1, ["--set order=9", "between 1 and 7"], problem, "--set", "order=9")
    bench.fails(1, ["no such device"], problem, "--device", "no such device")
    done = bench.run("--help")
    check(done.returncode == 0 and "Example:" in done.stdout and not done.stderr, "help on standard output")
    check(bench.files() == ["p.yaml"], f"no file but the problem: {bench.files()}")


def json_output(bench):
    """One JSON object on standard output with the agreed keys, also of a failure; everything else on standard error."""
    problem = bench.write("p.yaml", POISSON + 'exact: "sin(M_PI*x)*sin(M_PI*y)*sin(M_PI*z)"\n')
    done = bench.run(problem, "--json")
    check(done.returncode == 0, done.stderr)
    result, end = json.JSONDecoder().raw_decode(done.stdout)
    check(done.stdout[end:] == "\n", "one object and a newline")
    keys = {"command", "unknowns", "nonzeros", "cells", "iterations", "relative_residual", "converged", "seconds", "peak_host_bytes",
            "peak_device_bytes", "extremes", "output", "error", "device", "programs_compiled"}
    check(keys <= set(result), f"missing: {keys - set(result)}")
    stages = {"read_mesh", "space", "integrate", "assemble", "solve", "output", "total"}
    check(stages <= set(result["seconds"]), f"missing: {stages - set(result['seconds'])}")
    check(sum(result["seconds"][s] for s in stages - {"total"}) <= result["seconds"]["total"] * 1.001, "stages add up to no more than the total")
    check(result["command"] == "solve" and result["converged"] is True and "history" not in result, "converged")
    check(result["cells"] == {"tet": 162} and result["unknowns"] == 343, f"{result['cells']}, {result['unknowns']}")
    check(0 < result["relative_residual"] <= 1e-8, "residual")
    check(0.005 < result["error"]["l2"] < 0.02, f"error {result['error']}")
    check(0.9 < result["extremes"]["largest"] < 1.1, f"extremes {result['extremes']}")
    for stage in ("device", "mesh", "space", "system", "solve", "output"):
        check(any(line.startswith(stage) for line in done.stderr.splitlines()), f"a line for the stage {stage}")
    done = bench.run(problem, "--json", "--set", "ordr=2")
    check(done.returncode == 1 and "'ordr'" in json.loads(done.stdout)["failure"] and "'ordr'" in done.stderr, "a failure as JSON")
    done = bench.run(problem)
    check("error:" in done.stdout and "result:" in done.stdout and not done.stderr, f"text for people: {done.stderr}")


def warnings(bench):
    """What may not be meant is told in a line of its own, and in JSON: a clockwise square beside one that is not."""
    bench.write("part.msh", TWO_SQUARES.replace("2 3 2 0 0 2 3 6 5", "2 3 2 0 0 2 5 6 3"))
    problem = bench.write("p.yaml", "mesh: part.msh\nphysics: mass\norder: 1\nsource: 1\n")
    line = "1 element of the mesh runs clockwise (or left-handed) and was turned"
    check(f"warning    {line}" in bench.run(problem).stdout, "a line for people")
    result = bench.json(problem)
    check(len(result["warnings"]) == 1 and result["warnings"][0].startswith(line), f"in JSON: {result['warnings']}")
    bench.write("part.msh", TWO_SQUARES)
    check(bench.json(problem)["warnings"] == [], "no warning")
    bench.write("part.msh", HANGING)
    result = bench.json(problem)
    check(len(result["warnings"]) == 1 and "2 vertices lie inside" in result["warnings"][0] and "at (1, 0.5, " in result["warnings"][0],
          f"a large cell beside two small ones: {result['warnings']}")


def output_place(bench):
    """output.file counts from the problem's folder, --output from the current one; without either, beside the problem."""
    bench.write("sub/p.yaml", POISSON)
    check(bench.json("sub/p.yaml")["output"] == "sub/p.vtkhdf", "beside the problem")
    bench.json("sub/p.yaml", "--set", "output.file=a.vtkhdf")
    bench.json("sub/p.yaml", "--output", "it's.vtkhdf")
    result = bench.json("sub/p.yaml", "--set", "output=none")
    check(result["output"] is None, "no output wanted")
    check(bench.files() == ["it's.vtkhdf", "sub/a.vtkhdf", "sub/p.vtkhdf", "sub/p.yaml"], f"{bench.files()}")
    with open(os.path.join(bench.folder, "sub/p.vtkhdf"), "rb") as file:
        check(file.read(8) == b"\x89HDF\r\n\x1a\n", "an HDF5 file")


def output_format(bench):
    """The ending tells the format; one that tells none is refused before anything is done, with its line."""
    problem = bench.write("p.yaml", POISSON + "output:\n  file: part.vtu\n")
    check(bench.json(problem)["output"].endswith("/part.vtu"), "written")
    with open(os.path.join(bench.folder, "part.vtu"), "rb") as file:
        check(file.read(200).startswith(b'<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version='), "an XML file")
    bench.json(problem, "--output", "other.HDF")
    with open(os.path.join(bench.folder, "other.HDF"), "rb") as file:
        check(file.read(8) == b"\x89HDF\r\n\x1a\n", "an HDF5 file")
    for name in ("part.vtk", "part", "part.vtu.gz", ".vtkhdf/part"):
        bench.fails(1, [f"/{name}'", ".vtkhdf", ".vtu"], problem, "--output", name)
    bench.write("p.yaml", POISSON.replace("mesh: {box: {cells: [3, 3, 3], cell: tet}}", "mesh: none.msh") + "output:\n  file: part.h5\n")
    bench.fails(1, ["p.yaml:7:", "'part.h5'", ".vtkhdf", ".vtu"], problem)
    check(bench.files() == ["other.HDF", "p.yaml", "part.vtu"], f"{bench.files()}")
    bench.fails(1, ["part.geo is no problem file", "like  geometry: part.geo"], "part.geo")


def inputs_stay(bench):
    """No result takes the place of what the problem reads, or of another one, also where the run would fail; nothing is renamed."""
    bench.write("m.msh", TWO_SQUARES)
    bench.write("t.csv", "1 20\n2 20\n3 30\n4 20\n5 20\n6 30\n")
    bench.write("p.yaml", """\
mesh: m.msh
physics: plane-stress
order: 1
materials: {young: 1, poisson: 0.3, expansion: 1e-3}
temperature: {nodes: t.csv}
equations:
  - {terms: [{at: [0, 0], component: x}]}
  - {terms: [{at: [0, 0], component: y}]}
  - {terms: [{at: [0, 1], component: x}]}
probes: [{name: a, points: [0.5, 0.5]}]
""")
    bench.json("p.yaml", "--set", "output.file=old.vtkhdf")
    before = {name: open(os.path.join(bench.folder, name), "rb").read() for name in bench.files()}
    os.symlink("m.msh", os.path.join(bench.folder, "link.frd"))
    for name, words in (("p.yaml", "the problem; name another"), ("m.msh", "that the problem reads"), ("link.frd", "that the problem reads"),
                        ("./t.csv", "that the problem reads"), (os.path.join(bench.folder, "m.msh"), "that the problem reads"),
                        ("old.vtkhdf", "written twice"), ("old_a.csv", "old_a.csv would be written twice")):
        bench.fails(1, [words, name], "p.yaml", "--set", "output.file=old.vtkhdf", "--set", f"output.frd={name}",
                    "--set", "solver={method: cg, max_iterations: 1}")
    os.unlink(os.path.join(bench.folder, "link.frd"))
    check(before == {name: open(os.path.join(bench.folder, name), "rb").read() for name in bench.files()}, f"{bench.files()}")


def aside(bench):
    """The older result has its other name, and there is no other file; it is removed."""
    check(bench.files() == ["p.old.vtkhdf", "p.yaml"], f"no other file: {bench.files()}")
    old = os.path.join(bench.folder, "p.old.vtkhdf")
    with open(old, encoding="utf-8") as file:
        check(file.read() == "an older result", "the older result")
    os.unlink(old)


def nothing_half_written(bench):
    """A run that fails leaves no file, and puts the one of an earlier run aside."""
    problem = bench.write("p.yaml", POISSON)
    done = bench.fails(1, ["3 iterations"], problem, "--set", "solver.max_iterations=3")
    check("allow more iterations" in done.stderr, f"what to try: {done.stderr}")
    result = json.loads(bench.run(problem, "--json", "--set", "solver.max_iterations=3").stdout)
    check(result["converged"] is False and result["iterations"] == 3 and result["output"] is None and "failure" in result, "how far it got")
    check(bench.files() == ["p.yaml"], f"no file: {bench.files()}")
    bench.fails(1, ["x9", "x0"], problem, "--set", "boundary.0.groups.0=x9")
    bench.fails(1, ["no folder"], problem, "--output", "no/such/folder.vtkhdf")
    pipe = os.path.join(bench.folder, "pipe.vtkhdf")
    os.mkfifo(pipe)
    bench.fails(1, ["not a regular file"], problem, "--output", "pipe.vtkhdf")
    check(stat.S_ISFIFO(os.stat(pipe).st_mode), "a pipe that stood in the result's place is gone")
    bench.fails(1, ["pipe.vtkhdf: is not a regular file"], problem, "--set", "mesh=pipe.vtkhdf")
    os.unlink(pipe)
    bench.fails(1, ["p.yaml"], problem, "--output", "p.yaml/x.vtkhdf")
    bench.fails(1, ["memory"], problem, environment={"RITZ_MAX_DEVICE_BYTES": "20000"})
    bench.write("p.vtkhdf", "an older result")
    done = bench.fails(1, ["3 iterations", "earlier run"], problem, "--set", "solver.max_iterations=3", "--json")
    check(json.loads(done.stdout)["earlier_output"].endswith("/p.old.vtkhdf"), f"{done.stdout}")
    aside(bench)


def names_leaner(bench):
    """Too little memory for multigrid, but not for Jacobi's: the message says so, and is right."""
    problem = bench.write("p.yaml", """mesh: {box: {cells: [12, 12, 12]}}
physics: elasticity
materials: [{young: 210e9, poisson: 0.3}]
boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [0, 0, 1]}]
output: none
""")
    jacobi = "solver={method: cg, preconditioner: jacobi}"
    room = {"RITZ_MAX_DEVICE_BYTES": str(int(0.9 * bench.json(problem, "--set", jacobi)["peak_device_bytes"])), "RITZ_LOG": "info"}
    bench.fails(1, ["preconditioner: jacobi"], problem, "--set", "solver={method: cg, preconditioner: multigrid}", environment=room)
    done = bench.run(problem, "--set", jacobi, environment=room)
    check(done.returncode == 0 and "the matrix stays whole" in done.stderr, f"without room for half of the matrix beside it: {done.stderr}")


def file_too_large(bench):
    """A write that fails on the way, by a limit on the size of files."""
    problem = bench.write("p.yaml", POISSON)
    bench.json(problem, "--set", "output=none")  # kernels are in the cache now

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (12000, 12000))

    # Python ignores SIGXFSZ; left so, writes fail with EFBIG.
    bench.fails(1, ["p.vtkhdf"], problem, preexec_fn=limit, restore_signals=False)
    check(bench.files() == ["p.yaml"], f"no file: {bench.files()}")


def disk_full(bench):
    """A file system of 64 KiB that is too small for the result."""
    if os.geteuid() != 0:
        raise Skipped("only root mounts file systems")
    problem = bench.write("p.yaml", POISSON)
    small = os.path.join(bench.folder, "small")
    os.mkdir(small)
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "ritz-test", small], stderr=subprocess.PIPE, text=True, check=False)
    if mount.returncode:
        raise Skipped(f"no file system could be mounted: {mount.stderr.strip()}")
    try:
        bench.fails(1, ["small/p.vtkhdf"], problem, "--output", "small/p.vtkhdf")
        check(os.listdir(small) == [], f"no file: {os.listdir(small)}")
    finally:
        subprocess.run(["umount", small], check=True)


def folder_not_writable(bench):
    """The folder is looked at before the work begins. Root may write everywhere but in a file system mounted read-only."""
    problem = bench.write("p.yaml", POISSON)
    closed = os.path.join(bench.folder, "closed")
    os.mkdir(closed, 0o500)
    root = os.geteuid() == 0
    if root:
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "ritz-test", closed], stderr=subprocess.PIPE, text=True, check=False)
        if mount.returncode:
            raise Skipped(f"no file system could be mounted: {mount.stderr.strip()}")
    try:
        done = bench.fails(1, ["closed", "cannot be written"], problem, "--output", "closed/p.vtkhdf")
        check(not done.stdout, f"before any stage: {done.stdout}")
    finally:
        if root:
            subprocess.run(["umount", closed], check=True)


def folder_refuses_files(bench):
    """/proc says that root may write there, and takes no file: found out by making one, before the work begins."""
    if not os.path.isdir("/proc/self"):
        raise Skipped("no /proc")
    problem = bench.write("p.yaml", POISSON)
    done = bench.fails(1, ["cannot write /proc/p.vtkhdf", "output: {file"], problem, "--output", "/proc/p.vtkhdf")
    check(not done.stdout, f"before any stage: {done.stdout}")


def empty_setting(bench):
    """A setting without a value is a slip, not the default."""
    problem = bench.write("p.yaml", POISSON)
    for setting in ("order=", "device=", "solver.tolerance= ", "output= # none"):
        bench.fails(1, [setting.strip(), "no value follows '='"], problem, "--set", setting)
    check(bench.json(problem, "--set", "solver=null")["converged"], "null is the default")
    check(bench.json(problem, "--set", "solver=cg")["method"] == "cg" and bench.json(problem, "--set", "solver=auto")["choice"], "the method alone")
    bench.fails(1, ["unknown solver method 'atuo'; did you mean 'auto'?"], problem, "--set", "solver=atuo")


def start_solve(bench, problem, line, wait):
    """A running solve that has worked `wait` seconds since it told a line that begins with `line`."""
    child = subprocess.Popen([bench.program, "solve", problem, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             cwd=bench.folder)
    for told in child.stderr:
        if told.startswith(line):
            break
    else:
        raise Failed(f"no line '{line}'")
    harness.let_work(child, wait)
    return child


def interrupt(bench):
    """Ctrl-C in any stage: ends after less than a second of work, exit status 130, no partial file."""
    problem = bench.write("p.yaml", LONG)
    for stage, wait in (("device", 0), ("device", 0.4), ("mesh", 0), ("space", 0.2), ("system", 0.5)):
        child = start_solve(bench, problem, stage, wait)
        output, errors, seconds = harness.interrupt(child)
        check(child.returncode == 130, f"stage {stage}: exit status {child.returncode}: {errors}")
        check(seconds < 2, f"stage {stage}: ended after {seconds:.2f} s")  # two threads for 0.8 s, and the end
        check("interrupted" in json.loads(output)["failure"], f"stage {stage}: {output}")
        check(bench.files() == ["p.yaml"], f"stage {stage}: no file: {bench.files()}")


GMSH_PART = """\
geometry: part.geo
physics: poisson
order: 1
size: 0.5
boundary: [{group: face1, value: 0}]
output: none
"""


def geometry(bench):
    """A .geo file that runs a command: only when it is trusted."""
    if not os.path.exists(os.path.join(os.path.dirname(bench.program), "ritz-gmsh")):
        raise Skipped("built without Gmsh")
    bench.write("part.geo", 'SetFactory("OpenCASCADE");\nBox(1)={0,0,0,1,1,1};\nSystemCall "touch made";\n')
    problem = bench.write("p.yaml", GMSH_PART)
    bench.fails(1, ["part.geo: it starts another program", "--trust-geometry"], problem)
    check(bench.files() == ["p.yaml", "part.geo"], f"nothing was made: {bench.files()}")
    check(bench.json(problem, "--trust-geometry")["converged"], "trusted")
    check("made" in bench.files(), f"the command ran: {bench.files()}")
    bench.write("part.geo", 'SetFactory("OpenCASCADE");\nBox(1)={0,0,0,1,1,1};\nBox(2)={1,0,0,1,1,1};\n')
    glued = bench.write("glued.yaml", GMSH_PART + "glue: true\n")
    check("bodies of the geometry that touch were meshed with shared faces" in bench.run(glued).stdout, "glue is told")


def interrupt_gmsh(bench):
    """Ctrl-C while Gmsh is at work: ends at once, with the JSON whole."""
    bench.write("part.geo", "Point(1)={0,0,0};\n")
    program = bench.write("gmsh", f"#!/bin/sh\ntouch '{bench.path('begun')}'\nexec sleep 600\n")
    os.chmod(program, 0o700)
    problem = bench.write("p.yaml", GMSH_PART)
    child = subprocess.Popen([bench.program, "solve", problem, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env={**os.environ, "RITZ_GMSH": program})
    while child.poll() is None and not os.path.exists(bench.path("begun")):
        time.sleep(0.01)
    output, errors, seconds = harness.interrupt(child)
    check(child.returncode == 130, f"exit status {child.returncode}: {errors}")
    check(seconds < 0.5, f"ended after {seconds:.2f} s")
    check("interrupted" in json.loads(output)["failure"], f"JSON: {output}")


def cases_json(bench):
    """An object a case beside what all share; lines that name the case; settings that reach into cases."""
    problem = bench.write("p.yaml", CASES_OF_A_BAR + "solver: {method: cg}\n")
    result = bench.json(problem, "--history")
    check([case["name"] for case in result["cases"]] == ["move", "bend"], f"{result['cases']}")
    for case in result["cases"]:
        keys = {"iterations", "relative_residual", "true_relative_residual", "converged", "outcome", "seconds", "history", "extremes"}
        check(keys <= set(case) and "failure" not in case, f"keys {set(case)}")
        check(case["converged"] and case["relative_residual"] <= 1e-8, f"{case}")
        check(len(case["history"]["relative_residuals"]) == case["iterations"] + 1, "a history of its own")
        check(0 < case["seconds"] < result["seconds"]["solve"], f"{case['seconds']} s of {result['seconds']['solve']} s")
    move, bend = result["cases"]
    check(abs(move["extremes"]["displacement"] - 1) < 1e-6, f"{move['extremes']}")
    check(result["iterations"] == move["iterations"] + bend["iterations"] and "history" not in result, "all together")
    check(result["extremes"]["displacement"] == bend["extremes"]["displacement"] > 1, f"{result['extremes']}")
    check(result["relative_residual"] == max(case["relative_residual"] for case in (move, bend)), "the largest residual")
    check(result["solve_setup_seconds"] > 0, "the preparation once")
    half = bench.json(problem, "--set", "cases.1.boundary.traction=[0, 0.5*z, 0.5]")["cases"][1]
    ratio = half["extremes"]["displacement"] / bend["extremes"]["displacement"]
    check(abs(ratio - 0.5) < 1e-6, f"half the load, {ratio} of the displacement")
    one = bench.json(problem, "--history", "--set", "cases=null", "--set", "boundary.1={group: x1, traction: [0, z, 1]}")
    plain = bench.json(problem)
    check("history" not in plain and all("history" not in case for case in plain["cases"]), "no history unless it is asked for")
    check(one["history"] == bend["history"] and "cases" not in one, "the same iteration by itself")
    done = bench.run(problem, environment={"RITZ_LOG": "info"})
    for case in ("move", "bend"):
        check(f"solve      {case}: cg, " in done.stdout and f"\n{case}: largest displacement" in done.stdout, done.stdout)
        check(f"load case {case}" in done.stderr, done.stderr)
    check("2 load cases, " in done.stdout and done.stdout.count("system     ") == 1, done.stdout)


def commands(bench):
    """RITZ_LOG=commands: a row for each kernel of an iteration, times that add up, and the same result."""
    problem = bench.write("p.yaml", POISSON)
    # how many iterations are sent ahead depends on how fast they are: one, so that none comes after the last
    alone = bench.write("alone.txt", "ritz tuning 1\nkrylov.ahead_most * 1\nend 1\n")
    done = bench.run(problem, "--json", environment={"RITZ_LOG": "commands", "RITZ_TUNING": alone})
    result, plain = json.loads(done.stdout), bench.json(problem)
    check(result["extremes"] == plain["extremes"] and result["iterations"] == plain["iterations"], "the table changes no result")
    head = re.search(r"ran (\d+) commands in ([0-9.]+) of the ([0-9.]+) ms", done.stderr)
    rows = re.findall(r"commands: +([0-9.]+) ms +([0-9.]+) % +(\d+) times  (.*), ", done.stderr)
    check(0 < float(head[2]) < float(head[3]), done.stderr)
    check(sum(int(row[2]) for row in rows) == int(head[1]), done.stderr)
    check(abs(sum(float(row[0]) for row in rows) - float(head[2])) < 1e-3 * (1 + len(rows)), done.stderr)
    each = [float(row[0]) for row in rows if row[3] != "others"]  # which are a sum
    check(each == sorted(each, reverse=True), done.stderr)
    times = {row[3]: int(row[2]) for row in rows}
    check(times.get("cg_update") in (result["iterations"], result["iterations"] + 1), done.stderr)
    check(any(name.startswith("write ") for name in times) and any(name.startswith("read ") for name in times), done.stderr)
    check(bench.run(problem, environment={"RITZ_LOG": ""}).stderr == "", "no table unless it is asked for")


def cases_apart(bench):
    """A case that does not converge is named; the others are written; the exit status tells. None: no file."""
    problem = bench.write("p.yaml", CASES_OF_A_BAR + "solver: {method: cg}\n")
    full = bench.json(problem)
    size, least = os.path.getsize(full["output"]), full["cases"][0]["iterations"]
    short = ("--set", f"solver.max_iterations={least}")
    done = bench.fails(1, ["1 of 2 load cases did not converge (bend)", "the others are in the result file", "bend: "], problem, *short)
    check("NOT CONVERGED" in done.stdout and "result: " in done.stdout and "\nbend: largest" not in done.stdout, done.stdout)
    check(0 < os.path.getsize(full["output"]) < size, "a file with the fields of one case")
    done = bench.fails(1, ["bend"], problem, *short, "--json")
    result = json.loads(done.stdout)
    check(result["converged"] is False and result["output"] == full["output"] and "did not converge" in result["failure"], "told")
    move, bend = result["cases"]
    check(move == dict(full["cases"][0], seconds=move["seconds"]), f"{move}")
    check(bend["converged"] is False and bend["iterations"] == least and bend["extremes"] == {} and "failure" in bend, f"{bend}")
    os.unlink(full["output"])
    done = bench.fails(1, ["2 of 2 load cases did not converge (move, bend); move: "], problem, "--set", "solver.max_iterations=2")
    check("none, because no load case converged" in done.stdout and bench.files() == ["p.yaml"], f"{bench.files()}")
    bench.fails(1, ["--set cases.1.name=null", "a case has no 'name'"], problem, "--set", "cases.1.name=null")
    bench.fails(1, ["--set cases.1.name=a/b", "cannot be a name"], problem, "--set", "cases.1.name=a/b")
    bench.fails(1, ["'cases' takes a list of maps"], problem, "--set", "cases=[]")
    check(bench.files() == ["p.yaml"], f"{bench.files()}")


def cases_interrupted(bench):
    """Ctrl-C between the cases and within one: no file, and an older one is put aside."""
    text = LONG + "cases: [{name: a}, {name: b, boundary: {group: y1, pressure: 1}}, {name: c, boundary: {group: z1, pressure: 1}}]\n"
    problem = bench.write("p.yaml", text.replace("30, 30, 30", "10, 10, 10").replace("1e-14", "1e-10"))
    for stage, wait in (("system", 0.02), ("solve      a", 0), ("solve      b", 0.02)):
        bench.write("p.vtkhdf", "an older result")
        child = start_solve(bench, problem, stage, wait)
        output, errors, _ = harness.interrupt(child)
        check(child.returncode == 130, f"{stage}: exit status {child.returncode}: {errors}")
        check("earlier run" in errors and "earlier run" in json.loads(output)["failure"], f"{stage}: {errors}")
        aside(bench)


def repetition(bench):
    """Two runs: same bytes, same iterations; the second compiles nothing."""
    cells = {"tri": "[4, 4]", "hex": "[3, 3, 3]"}
    for cell, divisions in cells.items():
        dim = divisions.count(",") + 1
        groups = [f"{axis}{side}" for axis in "xyz"[:dim] for side in (0, 1)]
        problem = bench.write(f"{cell}.yaml", f"mesh: {{box: {{cells: {divisions}, cell: {cell}, distort: 0.2}}}}\nphysics: poisson\norder: 3\n"
                              f"source: \"exp(x)*y\"\nboundary: [{{groups: [{', '.join(groups)}], value: \"x*y\"}}]\n")
        fresh = {"RITZ_CACHE_DIR": os.path.join(bench.folder, f"cache-{cell}")}
        first = bench.json(problem, "--output", f"{cell}1.vtkhdf", environment=fresh)
        second = bench.json(problem, "--output", f"{cell}2.vtkhdf", environment=dict(fresh, OMP_NUM_THREADS="1"))
        check(first["programs_compiled"] > 0 and second["programs_compiled"] == 0,
              f"{first['programs_compiled']} programs compiled, then {second['programs_compiled']}")
        check(first["iterations"] == second["iterations"], f"{first['iterations']} iterations, then {second['iterations']}")
        contents = []
        for i in (1, 2):
            with open(os.path.join(bench.folder, f"{cell}{i}.vtkhdf"), "rb") as file:
                contents.append(file.read())
        check(contents[0] == contents[1], f"{cell}: the same bytes")
    told = "programs of kernels, and was slower for it"  # of the last of them
    cold = {"RITZ_CACHE_DIR": os.path.join(bench.folder, "cache-cold")}
    check(told in bench.run(problem, environment=cold).stdout and told not in bench.run(problem, environment=cold).stdout, "compiled programs are told once")


def threads(bench):
    """The same bytes from one thread and from two, by every method."""
    problem = bench.write("p.yaml", "mesh: {box: {cells: [6, 5, 7], distort: 0.2}}\nphysics: elasticity\nmaterials: {young: 1, poisson: 0.3}\n"
                          "boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [0, 1, 0]}]\n")
    for settings in ("method: cg, preconditioner: jacobi", "method: cg, preconditioner: jacobi, matrix: half", "preconditioner: chebyshev",
                     "preconditioner: multigrid", "method: bicgstab", "method: gmres"):
        contents = []
        for count in ("1", "2"):
            bench.json(problem, "--set", "solver={%s}" % settings, "--output", "p.vtkhdf",
                       environment={"POCL_MAX_PTHREAD_COUNT": count, "OMP_NUM_THREADS": count})
            with open(os.path.join(bench.folder, "p.vtkhdf"), "rb") as file:
                contents.append(file.read())
        check(contents[0] == contents[1], f"{settings}: one thread and two give the same bytes")


def all_cells(bench):
    """u = exp(x - y) on each cell: the error falls by 2^(p+1) when the cells are halved."""
    for cell in ("tri", "quad", "tet", "prism", "hex"):
        dim = 2 if cell in ("tri", "quad") else 3
        groups = [f"{axis}{side}" for axis in "xyz"[:dim] for side in (0, 1)]
        problem = bench.write("p.yaml", "mesh: {box: {cells: [1], cell: %s}}\nphysics: poisson\norder: 2\nsource: \"-2*exp(x - y)\"\n"
                              "boundary: [{groups: [%s], value: \"exp(x - y)\"}]\nexact: \"exp(x - y)\"\noutput: none\n"
                              "solver: {tolerance: 1e-12}\n" % (cell, ", ".join(groups)))
        errors = [bench.json(problem, "--set", f"mesh.box.cells={[n] * dim}")["error"]["l2"] for n in (3, 6)]
        check(5.5 < errors[0] / errors[1] < 11, f"{cell}: errors {errors}")


CASES = {case.__name__: case for case in (
    usage, preconditioner, room, direct, overlap, cold, limited, direct_missing, direct_interrupt, long_equations, rounding, layers, json_output, warnings, output_place, output_format, inputs_stay, nothing_half_written, names_leaner, file_too_large, disk_full,
    folder_not_writable, folder_refuses_files, empty_setting, interrupt, geometry, interrupt_gmsh, cases_json, commands, cases_apart,
    cases_interrupted, repetition, threads, all_cells)}

if __name__ == "__main__":
    sys.exit(main(Bench, CASES, __doc__))
