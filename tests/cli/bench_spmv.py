"""The command `ritz bench spmv` as a user meets it: figures beside errors, counts of Zhang and Zhang (2013), files in and out, refusals.

    bench_spmv.py RITZ_PROGRAM [NAME]

Needs Python's standard library alone. Each case is a function; NAME runs one of them."""

import json
import os
import stat
import sys

import harness
from harness import check, main, tests_of

FORMATS = ["csr", "csr-vector", "bcsr", "ellpack", "ellpack-r", "sell", "bellpack", "sbell"]


class Bench(harness.Bench):
    command = ("bench", "spmv")

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--json").stdout)


def lattice(*nodes):
    """Entries of a matrix that couples neighbours across cells."""
    blocks = 1
    for n in nodes:
        blocks *= 3 * n - 2
    return blocks


def test_all_formats(program):
    """Every format on both structured meshes, with the counts that follow from the lattice."""
    for mesh, nodes, block in (("quad", (12, 9), 2), ("hex", (5, 4, 6), 3)):
        r = program.json("--meshes", mesh, "--nodes", "x".join(map(str, nodes)), "--repeat", "2")
        check(r["complete"] and r["failed"] == 0 and r["cold_cache"], r)
        check([run["format"] for run in r["runs"]] == 2 * FORMATS, "not all formats, or not in order")
        for run in r["runs"]:
            blocked = run["format"] in ("bcsr", "bellpack", "sbell")
            b = block if blocked else 1
            check(run["nonzeros"] == lattice(*nodes) * block**2, f"{run['nonzeros']} nonzeros")
            check(run["block"] == b, f"{run['format']}: blocks of {run['block']}")
            check(run["stored"] == round(run["factor"] * run["nonzeros"]), "stored and factor disagree")
            real = 8 if run["type"] == "f64" else 4
            expected = run["nonzeros"] // b**2 * (4 + b * b * real) + 2 * run["rows"] * real
            check(run["product_bytes"] == expected, f"{run['format']}: {run['product_bytes']} bytes, not {expected}")
            check(abs(run["bandwidth_gb_s"] * run["seconds"] * 1e9 / expected - 1) < 1e-9, "the rate is not bytes over seconds")
            check(abs(run["copy_fraction"] * r["copy_gb_s"] / run["bandwidth_gb_s"] - 1) < 1e-9, "the share is not of the copy rate")
            check(0 < run["max_relative_error"] < (1e-14 if real == 8 else 1e-6), f"{run['format']}: error {run['max_relative_error']}")
            if run["format"] in ("csr", "csr-vector", "bcsr"):
                check(run["factor"] == 1, "compressed rows are padded")


def test_unstructured(program):
    """Rows of all lengths, which ELLPACK pads and slices do not; narrower values are wrong by their rounding."""
    for mesh, nodes in (("tri", "40x40"), ("tet", "8x9x10")):
        r = program.json("--meshes", mesh, "--nodes", nodes, "--repeat", "1", "--formats", "bellpack,sbell", "--types", "f32/f64,bf16/f64,bf16/f32",
                         "--sort-window", "all")
        check(r["failed"] == 0 and len(r["runs"]) == 6, r)
        whole, sliced, _, sliced16 = r["runs"][:4]
        for run in r["runs"][2:]:
            check(1e-5 < run["max_relative_error"] < 4e-3, run["max_relative_error"])
        check(whole["longest_row"] > whole["shortest_row"] + 3, "all rows are alike")
        check(whole["factor"] > 1.2 and sliced["factor"] < 1.1, f"factors {whole['factor']} and {sliced['factor']}")
        check(1e-9 < whole["max_relative_error"] < 6e-8, whole["max_relative_error"])
        check(sliced16["product_bytes"] < sliced["product_bytes"], "16 bits take as much as 32")
        again = program.json("--meshes", mesh, "--nodes", nodes, "--repeat", "1", "--formats", "sbell", "--types", "f32/f64",
                             "--sort-window", "all")
        check(again["runs"][0]["max_relative_error"] == sliced["max_relative_error"], "two runs differ")


def test_symmetric(program):
    """Half storage: its bytes are those of the blocks on and above the diagonal; why a matrix is refused stands in
    its line."""
    for mesh, nodes, b in (("quad", (20, 30), 2), ("hex", (8, 9, 10), 3)):
        r = program.json("--meshes", mesh, "--nodes", "x".join(map(str, nodes)), "--repeat", "1", "--formats", "sbell-symmetric")
        check(r["failed"] == 0 and [run["type"] for run in r["runs"]] == ["f64", "f32"], r)
        for run in r["runs"]:
            real = 8 if run["type"] == "f64" else 4
            half = (lattice(*nodes) + run["rows"] // b) // 2
            check(run["product_bytes"] == half * (2 + b * b * real) + 2 * run["rows"] * real, f"{run['product_bytes']} bytes")
            check(run["nonzeros"] == lattice(*nodes) * b * b and run["factor"] < 0.75, f"{run['factor']} of the entries")
            check(0 < run["max_relative_error"] < (1e-14 if real == 8 else 1e-6), run["max_relative_error"])
    path = program.path("skew.mtx")
    with open(path, "w", encoding="ascii") as file:
        file.write("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 4\n1 2 1\n2 1 1.5\n")
    done = program.run("--matrix", path, "--block", "1", "--formats", "sbell-symmetric")
    check(done.stdout.count("|a_ij - a_ji| is 0.5, in block row") == 2, done.stdout)


def test_files(program):
    """A matrix written and read again is the same one; blocks are found, or taken as given."""
    path = program.path("a.mtx")
    first = program.json("--meshes", "hex", "--nodes", "4x4x4", "--repeat", "1", "--formats", "sbell", "--write", path)["runs"][0]
    second = program.json("--matrix", path, "--repeat", "1", "--formats", "sbell")["runs"][0]
    for key in ("rows", "columns", "nonzeros", "block", "stored", "max_relative_error"):
        check(first[key] == second[key], f"{key}: {first[key]} and {second[key]}")
    check(second["matrix"] == "a.mtx", second["matrix"])
    third = program.json("--matrix", path, "--repeat", "1", "--formats", "sbell,sell", "--block", "5", "--slice-height", "32")
    check([run["block"] for run in third["runs"]] == [5, 1, 5, 1], "not the block size asked for")
    check(all(run["slice_height"] == 32 for run in third["runs"]), "not the slice height asked for")

    small = program.path("b.mtx")
    with open(small, "w", encoding="ascii") as file:
        file.write("%%MatrixMarket matrix coordinate pattern general\n3 5 4\n1 1\n1 5\n3 2\n3 3\n")
    r = program.json("--matrix", small, "--matrix", path, "--repeat", "1", "--warm", "--types", "f64")
    check(not r["cold_cache"] and len(r["runs"]) == 2 * len(FORMATS), "not both files")
    check(all(run["rows"] == 3 and run["columns"] == 5 and run["nonzeros"] == 4 for run in r["runs"][:8]), r["runs"][0])
    with open(small, "a", encoding="ascii") as file:
        file.write("9 9\n")
    done = program.run("--matrix", small, status=1)
    check("b.mtx:7:" in done.stderr, done.stderr)
    pipe = program.path("pipe")
    os.mkfifo(pipe)
    done = program.run("--matrix", path, "--write", pipe, status=1)
    check("pipe: it is not a regular file" in done.stderr and done.stdout == "", "a pipe is not refused before the work: " + done.stdout + done.stderr)
    check(stat.S_ISFIFO(os.stat(pipe).st_mode), "a pipe that stood in the file's place is gone")
    check("none.mtx" in program.run("--matrix", "none.mtx", status=1).stderr, "the file is not named")


def test_usage(program):
    for arguments, words in (
        (["--meshes", "quax"], "did you mean 'quad'?"),
        (["--formats", "ell"], "unknown format"),
        (["--types", "f8"], "not 'f8'"),
        (["--nodes", "4"], "--nodes"),
        (["--nodes", "4x4", "--meshes", "hex"], "three numbers"),
        (["--nodes", "4x4x4x4"], "--nodes"),
        (["--block", "9", "--matrix", "a.mtx"], "1 to 8"),
        (["--block", "2"], "--matrix"),
        (["--slice-height", "0"], "1 to 1024"),
        (["--sort-window", "some"], "--sort-window"),
        (["--matrix", "a.mtx", "--meshes", "hex"], "give one of them"),
        (["a.mtx"], "is not an option"),
    ):
        done = program.run(*arguments, status=2)
        check(words in done.stderr and "--help" in done.stderr and done.stdout == "", f"{arguments}: {done.stderr}")
    check("Example: ritz bench spmv" in program.run("--help").stdout, "the help has no example")


if __name__ == "__main__":
    sys.exit(main(Bench, tests_of(globals()), __doc__))
