"""The command `ritz bench pcg` as a user meets it: counts that depend on formats by rounding alone, tables, solutions beside a direct solve and beside
`ritz solve`, failures with their reasons, refusals.

    bench_pcg.py RITZ_PROGRAM [NAME]

Needs Python's standard library alone. Each case is a function; NAME runs one of them."""

import json
import math
import os
import random
import stat
import subprocess
import sys

import harness
from harness import check, main, tests_of


class Bench(harness.Bench):
    command = ("bench", "pcg")

    def json(self, *arguments, status=0):
        return json.loads(self.run(*arguments, "--json", status=status).stdout)


def kinds(runs):
    return [(run["format"], run["precision"], run["preconditioner"], run["degree"]) for run in runs]


def write_matrix(path, rows):
    """The lower half of a symmetric matrix as a Matrix Market file."""
    entries = [(i, j, rows[i][j]) for i in range(len(rows)) for j in range(i + 1) if rows[i][j] != 0]
    with open(path, "w", encoding="ascii") as file:
        file.write(f"%%MatrixMarket matrix coordinate real symmetric\n{len(rows)} {len(rows)} {len(entries)}\n")
        file.writelines(f"{i + 1} {j + 1} {value!r}\n" for i, j, value in entries)


def write_vector(path, numbers):
    with open(path, "w", encoding="ascii") as file:
        file.write(f"%%MatrixMarket matrix array real general\n{len(numbers)} 1\n")
        file.writelines(f"{number!r}\n" for number in numbers)


def read_vector(path):
    with open(path, encoding="ascii") as file:
        head, size, *numbers = [line for line in file if not line.startswith("%") or line.startswith("%%")]
    check(head.split()[:3] == ["%%MatrixMarket", "matrix", "array"] and size.split() == [str(len(numbers)), "1"], head + size)
    return [float(number) for number in numbers]


def solve_directly(rows, b):
    """Cholesky's factors, then forwards and back."""
    n = len(rows)
    factor = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            left = rows[i][j] - sum(factor[i][k] * factor[j][k] for k in range(j))
            factor[i][j] = math.sqrt(left) if i == j else left / factor[j][j]
    y = []
    for i in range(n):
        y.append((b[i] - sum(factor[i][k] * y[k] for k in range(i))) / factor[i][i])
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (y[i] - sum(factor[k][i] * x[k] for k in range(i + 1, n))) / factor[i][i]
    return x


def sample_matrix(n):
    """Sparse, positive definite, rows of different size and length."""
    numbers = random.Random(1)
    scale = [10 ** numbers.uniform(-1, 1) for _ in range(n)]
    rows = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in numbers.sample(range(n), 3):
            if i != j:
                rows[i][j] = rows[j][i] = numbers.uniform(-1, 1)
    for i in range(n):
        rows[i][i] = 1.02 * sum(abs(value) for j, value in enumerate(rows[i]) if j != i) + 0.01
    return [[scale[i] * rows[i][j] * scale[j] for j in range(n)] for i in range(n)]


def test_counts(program):
    """Every preconditioner and degree: the same counts in both formats, in mixed precision as in double; the command itself compares the bits of
    repeats."""
    r = program.json("--nodes", "21x17", "--formats", "sbell,csr", "--repeat", "2", "--degrees", "2,6")
    check(r["complete"] and r["failed"] == 0 and r["tolerance"] == 1e-7 and r["repeat"] == 2, r)
    polynomials = [(name, degree) for name in ("neumann", "least-squares", "chebyshev") for degree in (2, 6)]
    expected = [(f, "double", name, degree) for f in ("sbell", "csr") for name, degree in [("jacobi", 0), *polynomials]]
    expected += [(f, "mixed", name, degree) for f in ("sbell", "csr") for name, degree in polynomials]
    check(sorted(kinds(r["runs"])) == sorted(expected), kinds(r["runs"]))
    runs = dict(zip(kinds(r["runs"]), r["runs"]))
    for (fmt, precision, name, degree), run in runs.items():
        check(run["converged"] and not run["failed"] and "reason" not in run, run)
        check(run["unknowns"] == 2 * 21 * 17 and run["block"] == (2 if fmt == "sbell" else 1), run)
        double = runs["sbell", "double", name, degree]
        check(abs(run["iterations"] - double["iterations"]) <= 1, f"{name} {degree} {fmt} {precision}: {run['iterations']} iterations")
        check(run["products"] == run["iterations"] * (degree + 1), run)
        check(run["scaled_residual"] < 1.01e-7 and run["true_relative_residual"] < 1e-6, run)
        check(0 < run["seconds_least"] <= run["seconds"] and run["seconds_convert"] >= 0, run)
        check(0 < run["seconds_setup"] < run["seconds"], run)
        spent = run["seconds_setup"] + run["seconds_iteration"] * run["iterations"]
        check(abs(spent / run["seconds"] - 1) < 1e-9, f"{spent} seconds in all, not {run['seconds']}")
        check(run["storage"] == (None if degree == 0 else "f32" if precision == "mixed" else "f64"), run)
        check(run["vectors"] == (None if degree == 0 else "f32" if precision == "mixed" else "f64"), run)
        check(run["double_iterations"] == 0 if degree == 0 else 0 < run["double_iterations"] <= run["iterations"], run)
        check((run["double_iterations"] < run["iterations"]) == (degree == 0 or precision == "mixed"), run)
        check(run["iteration_bytes"] > (degree + 1) * run["nonzeros"] * 4, run)
        check(abs(run["bandwidth_gb_s"] * run["seconds_iteration"] * 1e9 / run["iteration_bytes"] - 1) < 1e-9, run)
        check(abs(run["copy_fraction"] * r["copy_gb_s"] / run["bandwidth_gb_s"] - 1) < 1e-9, run)
        jacobi, csr = runs[fmt, "double", "jacobi", 0], runs["csr", "double", name, degree]
        check(abs(run["times_as_fast_as_jacobi"] * run["seconds"] / jacobi["seconds"] - 1) < 1e-9, run)
        check(abs(run["times_as_fast_as_csr_double"] * run["seconds"] / csr["seconds"] - 1) < 1e-9, run)
        check((run["lanczos_steps"] > 0 and 1 < run["largest_eigenvalue"] < 4) == (degree > 0), run)
        check(run["iterations"] < jacobi["iterations"] / (1 if degree == 0 else 1.5) + 1, run)
        check(run["max_error"] is None, "the solution of a mesh is not known")
        history = run["history"]["relative_residuals"]
        check(run["history"]["stride"] == 1 and len(history) == run["iterations"] + 1, f"{len(history)} residuals")
        check(history[0] == 1 and history[-1] <= 1e-7 < history[-2], f"residuals from {history[0]} to {history[-1]}")
    less = runs["sbell", "mixed", "least-squares", 6]["iteration_bytes"] / runs["sbell", "double", "least-squares", 6]["iteration_bytes"]
    check(0.5 < less < 0.8, f"mixed precision moves {less} of the bytes")


def table(text, heading):
    """The rows of a table, by their first word."""
    lines = text[text.index(heading):].splitlines()[1:]
    return {line.split()[0] if line[0] != " " else "": line.split() for line in lines[:lines.index("") if "" in lines else None]}


def test_tables(program):
    """The paper's tables stand at the end, and agree with the lines above."""
    text = program.run("--meshes", "tri,quad", "--nodes", "9x8", "--formats", "csr,sbell", "--preconditioners", "jacobi,least-squares",
                       "--degrees", "3,6").stdout
    lines = [line.split() for line in text.splitlines() if line.startswith(("csr ", "sbell ")) and "|" in line]
    check(len(lines) == 2 * 2 * 5, f"{len(lines)} lines")
    counts = {tuple(line[:4]): line[5] for line in lines[10:]}
    third = table(text, "quad, sbell, mixed: iterations by degree")
    check(third[""] == ["3", "6"], third)
    check(third["least-squares"][1:] == [counts["sbell", "mixed", "least-squares", d] for d in ("3", "6")], third)
    check(f"quad, csr, double: iterations by degree (jacobi {counts['csr', 'double', 'jacobi', '-']})" in text, text)
    check(len(table(text, "tri, csr, double: seconds by degree")["least-squares"]) == 3, text)
    fifth = table(text, "sbell: seconds with jacobi and with least-squares of degree 6")
    check(fifth[""] == ["jacobi", "double", "mixed"] and len(fifth["tri"]) == len(fifth["quad"]) == 4 and "-" not in fifth["tri"], fifth)
    tenth = table(text, "times as fast as csr in double, least-squares of degree 6")
    check(tenth[""] == ["csr+double", "csr+mixed", "sbell+double", "sbell+mixed"], tenth)
    check(tenth["tri"][1] == tenth["quad"][1] == "1", tenth)


def test_taken(program):
    """What auto took is told, with its degree, and products are counted of that: multigrid's own are not."""
    automatic, multigrid = program.json("--meshes", "quad", "--nodes", "9x8", "--preconditioners", "auto,multigrid", "--precisions", "double")["runs"]
    check(multigrid["levels"][0]["rows"] == multigrid["unknowns"] and multigrid["operator_complexity"] >= 1 and multigrid["vectors"] == "f32", f"{multigrid}")
    taken = automatic["preconditioner_taken"]
    check(automatic["preconditioner"] == "auto" and taken in ("jacobi", "chebyshev", "multigrid"), f"{automatic}")
    check((automatic["degree"] > 0) == (taken == "chebyshev"), f"{automatic}")
    check(automatic["products"] == automatic["iterations"] * (automatic["degree"] + 1), f"{automatic}")
    check(multigrid["preconditioner_taken"] == "multigrid" and multigrid["degree"] == 0, f"{multigrid}")
    check(multigrid["products"] == multigrid["iterations"] and multigrid["largest_eigenvalue"] is None, f"{multigrid}")


def test_beside_solve(program):
    """The meshes carry the supports and loads that they should: `ritz solve` of the same box takes as many iterations, and the
    unstructured meshes are pulled as far as the structured ones."""
    for mesh, nodes, physics, cells in (("quad", "31x31", "plane-stress", "30, 30"), ("hex", "6x5x7", "elasticity", "5, 4, 6")):
        path = program.path("problem.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"mesh: {{box: {{cells: [{cells}], size: [{cells}], cell: {mesh}}}}}\nphysics: {physics}\norder: 1\n"
                       "materials: {young: 1, poisson: 0.3}\n"
                       "boundary: [{group: x0, displacement: fixed}, {group: x1, traction: " + str([1, 0, 0][:len(cells.split(','))]) + "}]\n"
                       "solver: {method: cg, tolerance: 1e-7, preconditioner: chebyshev, degree: 3}\noutput: none\n")
        done = subprocess.run([program.program, "solve", path, "--json"], capture_output=True, text=True, timeout=300)
        check(done.returncode == 0, done.stderr)
        solved = json.loads(done.stdout)
        solution = program.path("x.mtx")
        run, = program.json("--meshes", mesh, "--nodes", nodes, "--preconditioners", "chebyshev", "--degrees", "3", "--precisions", "double",
                            "--solution", solution)["runs"]
        check(run["iterations"] == solved["iterations"], f"{mesh}: {run['iterations']} iterations, ritz solve takes {solved['iterations']}")
        check(run["unknowns"] == solved["unknowns"] and run["nonzeros"] == solved["nonzeros"], run)
        x, dim = read_vector(solution), len(cells.split(","))
        far = max(math.hypot(*x[i:i + dim]) for i in range(0, len(x), dim))
        check(abs(far / solved["extremes"]["displacement"] - 1) < 1e-5, f"{mesh}: moved by {far}, not {solved['extremes']['displacement']}")

        simplex = {"quad": "tri", "hex": "tet"}[mesh]
        program.json("--meshes", simplex, "--nodes", nodes, "--preconditioners", "jacobi", "--precisions", "double", "--solution", solution)
        x = read_vector(solution)
        near = max(math.hypot(*x[i:i + dim]) for i in range(0, len(x), dim))
        check(0.85 < near / far < 1.02, f"{simplex} moves by {near}, {mesh} by {far}")


def test_files(program):
    """A matrix and a right-hand side of files, solved as a direct solver does it; without the latter ones are the solution."""
    matrix, rhs, solution = program.path("a.mtx"), program.path("b.mtx"), program.path("x.mtx")
    rows = sample_matrix(70)
    b = [math.sin(3 * i) for i in range(70)]
    write_matrix(matrix, rows)
    write_vector(rhs, b)
    truth = solve_directly(rows, b)
    for precision, tolerance in (("double", "1e-11"), ("mixed", "1e-11"), ("mixed-bf16", "1e-11"), ("mixed-double-f16", "1e-11"),
                                 ("mixed-single", "1e-8"), ("mixed-single-bf16", "1e-8"), ("single", "1e-5")):
        r = program.json("--matrix", matrix, "--rhs", rhs, "--preconditioners", "least-squares", "--degrees", "3", "--precisions", precision,
                         "--tolerance", tolerance, "--formats", "sbell,csr", "--solution", solution)
        check(r["failed"] == 0 and [run["matrix"] for run in r["runs"]] == ["a.mtx"] * 2 and r["runs"][0]["max_error"] is None, r)
        x = read_vector(solution)
        error = math.dist(x, truth) / math.hypot(*truth)
        check(error < 100 * float(tolerance), f"{precision}: the solution is wrong by {error}")
        values, vectors = precision.split("-")[-1] if "f16" in precision else None, {"double": "f64", "single": "f32"}
        for run in r["runs"]:
            check(values in (None, run["storage"]), run)
            for name, kind in vectors.items():
                if f"-{name}" in precision:
                    check(run["vectors"] == kind and run["double_iterations"] == (run["iterations"] if kind == "f64" else 0), run)
    runs = program.json("--matrix", matrix, "--preconditioners", "jacobi,none,neumann", "--degrees", "4", "--tolerance", "1e-10", "--block", "3",
                        "--formats", "bcsr,sell")["runs"]
    check([run["block"] for run in runs] == [3] * 4 + [1] * 4, "not the block size asked for")
    check(all(run["max_error"] < 1e-7 for run in runs), [run["max_error"] for run in runs])
    check(runs[0]["iterations"] < runs[1]["iterations"], "scaling does not help a badly scaled matrix")


def test_failures(program):
    """A solve that does not converge has its line and its reason; the others go on."""
    r = program.json("--nodes", "21x17", "--preconditioners", "jacobi,least-squares", "--degrees", "6", "--max-iterations", "40", status=1)
    check(r["complete"] and [run["failed"] for run in r["runs"]] == [True, False, False] and r["failed"] == 1, r)
    check(r["runs"][0]["iterations"] == 40 and not r["runs"][0]["converged"] and "did not converge" in r["runs"][0]["reason"], r["runs"][0])
    check(r["runs"][1]["times_as_fast_as_jacobi"] is None, "compared with a solve that failed")
    done = program.run("--nodes", "21x17", "--preconditioners", "jacobi", "--max-iterations", "4", status=1)
    check("FAILED: cg did not converge" in done.stdout and "1 of 1 solves failed" in done.stderr, done.stdout + done.stderr)

    path, rhs = program.path("indefinite.mtx"), program.path("b.mtx")
    write_matrix(path, [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    write_vector(rhs, [1.0, -1.0, 1.0])
    r = program.json("--matrix", path, "--rhs", rhs, "--preconditioners", "jacobi", "--precisions", "double", status=1)
    check("not positive definite" in r["runs"][0]["reason"], r)
    write_vector(rhs, [1.0, 2.0])
    check("3 rows" in program.run("--matrix", path, "--rhs", rhs, status=1).stderr, "the size of the right-hand side is not told")
    with open(path, "w", encoding="ascii") as file:
        file.write("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n")
    check("indefinite.mtx: a matrix of 2 rows and 3 columns" in program.run("--matrix", path, status=1).stderr, "not refused")
    check("none.mtx" in program.run("--matrix", "none.mtx", status=1).stderr, "the file is not named")


def test_no_solution(program):
    """Where the last run makes no solution, an older file is put aside; what is no file stays."""
    matrix, solution, pipe = program.path("a.mtx"), program.path("x.mtx"), program.path("pipe")
    common = ("--matrix", matrix, "--preconditioners", "jacobi", "--precisions", "double", "--solution")
    with open(matrix, "w", encoding="ascii") as file:
        file.write("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n1 2 0.5\n2 2 2\n")
    write_vector(solution, [7.0])
    aside = program.path("x.old.mtx")
    for formats, words in (("sbell-symmetric", "|a_ij - a_ji|"), ("sbell", "")):
        done = program.run(*common, solution, "--formats", formats, "--max-iterations", "1", status=1)
        check("x.mtx is not written, because the last run made no solution: " in done.stderr and words in done.stderr, done.stderr)
        check(f"now called {aside}" in done.stderr and read_vector(aside) == [7.0], f"{formats}: {done.stderr}")
        check(not os.path.exists(solution), f"{formats}: the older solution is still there")
        os.rename(aside, solution)
    r = program.json(*common, solution, "--formats", "sbell-symmetric", status=1)
    check(r["complete"] and "seconds" not in r["runs"][0] and "reason" in r["runs"][0], r)
    os.mkfifo(pipe)
    done = program.run(*common, pipe, status=1)
    check("pipe: it is not a regular file" in done.stderr and done.stdout == "", done.stdout + done.stderr)
    check(stat.S_ISFIFO(os.stat(pipe).st_mode), "a pipe that stood in the file's place is gone")
    write_matrix(matrix, [[2.0, 0.5], [0.5, 2.0]])
    program.run(*common, solution, "--formats", "sbell-symmetric")
    check(len(read_vector(solution)) == 2, "a solution does not take the older one's place")


def test_usage(program):
    for arguments, words in (
        (["--meshes", "quax"], "did you mean 'quad'?"),
        (["--nodes", "4x4", "--meshes", "hex"], "three numbers"),
        (["--preconditioners", "jacoby"], "did you mean 'jacobi'?"),
        (["--preconditioners", "jacobi,jacobi"], "twice"),
        (["--degrees", "0-3"], "1 to 20"),
        (["--degrees", "21"], "1 to 20"),
        (["--precisions", "half"], "unknown precision 'half'; choices: double, single, mixed,"),
        (["--precisions", "mixed,mixed"], "twice"),
        (["--formats", "ell"], "unknown format"),
        (["--formats", "foo"], "sbell-symmetric; or auto"),
        (["--formats", "csr,csr"], "twice"),
        (["--tolerance", "0"], "between 0 and 1"),
        (["--tolerance", "1e-7x"], "between 0 and 1"),
        (["--max-iterations", "0"], "--max-iterations"),
        (["--repeat", "0"], "--repeat"),
        (["--rhs", "b.mtx"], "--matrix"),
        (["--block", "2"], "--matrix"),
        (["--matrix", "a.mtx", "--meshes", "hex"], "give one of them"),
        (["--preconditioners", "jacobi", "--precisions", "mixed"], "is for the preconditioners neumann, least-squares, chebyshev, multigrid, and this one is jacobi"),
        (["a.mtx"], "is not an option"),
    ):
        done = program.run(*arguments, status=2)
        check(words in done.stderr and "--help" in done.stderr and done.stdout == "", f"{arguments}: {done.stderr}")
    check("Example: ritz bench pcg" in program.run("--help").stdout, "the help has no example")


if __name__ == "__main__":
    sys.exit(main(Bench, tests_of(globals()), __doc__))
