"""The command `ritz integrate` as a user meets it: exit statuses and sentences, the JSON object, files that are whole or absent.

    integrate.py RITZ_PROGRAM [NAME]

Needs Python's standard library alone. Each case is a function; NAME runs one of them."""

import glob
import json
import math
import os
import re
import signal
import subprocess
import sys

import harness
from harness import check, main, tests_of

MIXED = """$MeshFormat
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
3
1 3 2 1 1 1 2 5 4
2 2 2 1 1 2 3 6
3 2 2 1 1 2 6 5
$EndElements
"""

BOX = ["--box", "3x3x3", "--cell", "hex", "--distort", "0.2", "--order", "1", "--form", "elasticity"]


class Bench(harness.Bench):
    command = ("integrate",)

    def json(self, *arguments, status=0, **environment):
        done = self.run(*arguments, "--json", status=status, **environment)
        return json.loads(done.stdout)


def test_check(bench):
    """So many elements are compared, and no fewer than one."""
    check(bench.json(*BOX, "--check", "5")["checked_elements"] == 5, "--check 5")
    bench.run(*BOX, "--check", "0", status=2)


def test_json(bench):
    """All keys of the contract, and the relations between them."""
    r = bench.json(*BOX, "--repeat", "3")
    expected = {"command": "integrate", "cell": "hex", "order": 1, "form": "elasticity", "method": "ssq", "precision": "f64",
                "elements": 27, "shape_functions": 8, "quadrature_points": 8, "quadrature_degree": 2, "repeat": 3, "checked_elements": 27}
    for key, value in expected.items():
        check(r[key] == value, f"{key} is {r[key]}, not {value}")
    for key in ("name", "platform", "driver"):
        check(r["device"][key], f"device.{key} is empty")
    s = r["seconds"]
    parts = [s[k] for k in ("prepare_input", "allocate", "transfer_input", "kernel", "transfer_output")]
    check(all(p > 0 for p in parts) and abs(sum(parts) - s["total"]) < 1e-12, f"seconds do not add up: {s}")
    check(s["kernel_least"] <= s["kernel"], "the median is below the least")
    check(r["parameters"]["work_group"] >= 1 and r["parameters"]["lanes"] >= 1, "parameters are missing")
    ns = 1e9 * s["kernel"] / 27
    check(math.isclose(r["kernel_ns_per_element"], ns), "kernel_ns_per_element")
    check(r["flops_per_element"] == 63 * 8 * 8 * 8, "flops_per_element")
    check(math.isclose(r["gflops"], r["flops_per_element"] / ns), "gflops")
    check(0 < r["operations_per_element"] < r["flops_per_element"], "operations_per_element")
    check(math.isclose(r["internal_gflops"], r["operations_per_element"] / ns), "internal_gflops")
    check(math.isclose(r["external_gflops"], 1e-9 * 27 * r["flops_per_element"] / s["total"]), "external_gflops")
    # the upper 36 of 8 x 8 blocks of 9 entries and 24 loads out, 8 nodes and 5 data in
    check(r["bytes_per_element"] == 8 * (36 * 9 + 24 + 7 * 3 + 5), "bytes_per_element: of 8 nodes the first is 0")
    check(math.isclose(r["bandwidth_gb_s"], r["bytes_per_element"] / ns), "bandwidth_gb_s")
    c = r["ceilings"]
    memory = r["bytes_per_element"] / max(c["copy_gb_s"], c["store_gb_s"])
    compute = r["operations_per_element"] / c["f64_gflop_s"]
    check(r["bound"] == ("memory" if memory > compute else "compute"), "bound")
    check(math.isclose(r["roofline_fraction"], max(memory, compute) / ns), "roofline_fraction")
    check(0 < r["max_relative_error"] <= 1e-12 and 0 < r["max_relative_vector_error"] <= 1e-12, "errors")


def test_ceilings_are_kept(bench):
    """Measured once for the device and driver; again when asked."""
    first = bench.json(*BOX, "--repeat", "1")["ceilings"]
    check(bench.json(*BOX, "--repeat", "1")["ceilings"] == first, "the ceilings changed without being asked to")
    check(bench.json(*BOX, "--repeat", "1", "--measure")["ceilings"] != first, "the ceilings were not measured anew")


def fnv1a(data):
    """The checksum of a file in the cache."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def scale_ceilings(cache, factor):
    """What a machine that was busy with something else measured."""
    path = next(p for p in glob.glob(cache + "/ceilings-*"))
    with open(path, "rb") as file:
        text = file.read().decode()
    head, rest = text.split("\n\n", 1)
    n_key = int(head.split()[4])
    body = re.sub(r"^(copy|store|f32|f64) (\S+)", lambda m: f"{m[1]} {float(m[2]) * factor:.17g}", rest[n_key:], flags=re.M)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"RITZ CACHE 1\nkey {n_key} bytes\ndata {len(body)} bytes, checksum {fnv1a(body.encode()):016x}\n\n{rest[:n_key]}{body}")


def test_ceilings_too_low(bench):
    """Ceilings from a busy machine: a share above 105 % has them measured again before it is told, once; then it is told with a warning."""
    cache = bench.path("cache")
    box = ["--box", "3x3", "--cell", "tri", "--order", "1", "--form", "poisson", "--repeat", "1", "--json"]

    def run():
        done = bench.run(*box, RITZ_CACHE_DIR=cache)
        return json.loads(done.stdout), "warning: " in done.stderr

    true, _ = run()
    scale_ceilings(cache, 1e-6)
    again, warned = run()
    check(again["roofline_fraction"] <= 1.05 and not warned, f"a share of {again['roofline_fraction']}")
    check(again["ceilings"]["copy_gb_s"] > 0.1 * true["ceilings"]["copy_gb_s"], f"{again['ceilings']}")
    scale_ceilings(cache, 1e-6)  # now they count as confirmed
    told, warned = run()
    check(told["roofline_fraction"] > 1.05 and warned, f"a share of {told['roofline_fraction']} without a word")


def test_precision_and_parameters(bench):
    r = bench.json(*BOX, "--precision", "f32", "--set", "lanes=4", "--set", "workers=3", "--method", "lanes", "--repeat", "1")
    check(r["precision"] == "f32" and 1e-9 < r["max_relative_error"] <= 2e-5, f"f32: {r['max_relative_error']}")
    check(r["parameters"]["lanes"] == 4 and r["parameters"]["workers"] == 3, f"{r['parameters']}")
    check(r["settings"] == "lanes=4 workers=3", "settings")


def test_large_tiles(bench):
    """Functions that are too large to be inlined unasked: each thread has its own local memory (two elements of order 7, groups on all threads)."""
    r = bench.json("--box", "2x1x1", "--cell", "hex", "--order", "7", "--form", "anisotropic-elasticity", "--method", "factor", "--repeat", "1", "--check", "2",
                   *[word for name in ("lanes=1", "bases=1", "half=1", "line_points=2", "tile_rows=6", "tile_columns=8") for word in ("--set", name)])
    check(r["max_relative_error"] < 1e-12, f"{r['max_relative_error']}")


def test_degree(bench):
    """The rule of a degree has its number of points."""
    box = ["--box", "2x2x2", "--cell", "hex", "--distort", "0.2", "--order", "1", "--form", "poisson", "--repeat", "1"]
    r = bench.json(*box)
    check(r["quadrature_degree"] == 2 and r["quadrature_points"] == 8, "the default degree")
    r = bench.json(*box, "--degree", "5")
    check(r["quadrature_degree"] == 5 and r["quadrature_points"] == 27 and r["max_relative_error"] <= 1e-12, "degree 5")
    check(r["flops_per_element"] == 7 * 8 * 8 * 27, "flops_per_element")


def test_data(bench):
    """Constants, expressions, random numbers a point; the same numbers on every run, others with another seed."""
    box = ["--box", "3x3", "--cell", "tri", "--order", "2", "--form", "poisson", "--repeat", "1"]
    constant = bench.json(*box, "--data", "conductivity=2", "--data", "source=0")
    check(constant["max_relative_vector_error"] is None, "a source of 0 has vectors")
    expression = bench.json(*box, "--data", "conductivity=1+x*x", "--data", "source=sin(y)")
    check(expression["operations_per_element"] > constant["operations_per_element"], "an expression costs nothing")
    points = bench.json(*box, "--data", "conductivity=points")
    check(points["bytes_per_element"] - constant["bytes_per_element"] == 8 * (6 + 1 + 6), "points read 6, the source 1, and 6 loads are written")
    random = [bench.json(*box, "--seed", seed)["max_relative_error"] for seed in ("1", "1", "2")]
    check(random[0] == random[1] != random[2], f"errors with seeds 1, 1, 2: {random}")


def test_load_at_points(bench):
    """A source that varies in an element keeps no method from the matrix: the same one serves, and reads a number a point instead of one."""
    box = ["--box", "3x3x3", "--cell", "tet", "--distort", "0.2", "--order", "3", "--form", "poisson", "--repeat", "1"]
    constant, points, formula = [bench.json(*box, "--data", f"source={source}") for source in ("elements", "points", "exp(x)*y")]
    check(constant["method"] == points["method"] == formula["method"] == "tensor", f"{points['method']}, {formula['method']}")
    check(max(points["max_relative_vector_error"], formula["max_relative_vector_error"]) <= 1e-12, "the loads are wrong")
    n = points["quadrature_points"]
    check(points["bytes_per_element"] - constant["bytes_per_element"] == 8 * (n - 1), f"{n} points")
    check(points["operations_per_element"] - constant["operations_per_element"] > 2 * n * 20 - 20, "the load's sums are not counted")


def test_old_solution(bench):
    """On many cells too an old solution's gradient is no small difference of large numbers: single precision is right."""
    r = bench.json("--box", "200x200", "--cell", "tri", "--form", "neo-hookean", "--order", "3", "--precision", "f32", "--repeat", "1")
    check(0 < r["max_relative_vector_error"] < 1e-5, f"{r['max_relative_vector_error']}")


def test_results(bench):
    """Matrices handed on in registers: the checksum of those that are stored, a sum and an action that are right; what needs them."""
    box = ["--box", "3x3x3", "--cell", "tet", "--distort", "0.2", "--order", "1", "--form", "elasticity", "--method", "qss"]
    stored = bench.json(*box, "--checksum")
    r = bench.json(*box, "--result", "checksum")
    check(r["checksum"] == stored["checksum"] and r["result"] == "checksum" and stored["result"] == "matrices", f"{r['checksum']}")
    action = bench.json(*box, "--result", "action")
    check(0 < action["max_relative_error"] < 1e-14 and action["max_relative_vector_error"] < 1e-14, f"{action}")
    check(stored["bytes_per_element"] - action["bytes_per_element"] == 8 * (10 * 9 - 12 - 12) - 4 * 4, "12 numbers in the place of 10 blocks, 12 and 4 nodes read")
    for words, message in (("average", "choices: matrices, sum, checksum, action"), ("sum --checksum", "--checksum is for element matrices that are stored"),
                           ("checksum --checksum", "which prints their checksum"), ("sum --output Ae.h5", "--output is for"),
                           ("sum --method factor", "'factor' stores element matrices and does not hand them on"), ("sum --order 3", "no integration method hands on")):
        done = bench.run(*box, "--result", *words.split(), status=2)
        check(message in done.stderr, done.stderr)


def test_chunks(bench):
    """Less memory than all matrices take: a bound that holds, the same matrices, one pass that is timed and tells its length."""
    whole = bench.json(*BOX, "--checksum")
    check(len(whole["checksum"]) == 16 and whole["repeat"] == 0 and whole["parameters"]["chunks"] == 1, f"{whole['checksum']}")
    bound = whole["peak_device_bytes"] * 3 // 4  # how much that is tells the width of the processor's vectors
    r = bench.json(*BOX, "--max-device-bytes", str(bound), "--checksum")
    check(r["parameters"]["chunks"] > 1 and r["peak_device_bytes"] <= bound, f"{r['peak_device_bytes']} of {bound} bytes")
    check(r["checksum"] == whole["checksum"], "chunks change the matrices")
    check(r["seconds"]["elapsed"] > 0 and r["seconds"]["kernel"] == r["seconds"]["kernel_least"] > 0, f"{r['seconds']}")
    check(bench.json(*BOX, "--checksum", "--repeat", "2")["repeat"] == 2, "--repeat beside --checksum")
    r = bench.json(*BOX, "--repeat", "0")
    check(r["repeat"] == 0 and r["seconds"]["kernel"] > 0 and "checksum" not in r and "devices" not in r, "--repeat 0")
    done = bench.run(*BOX, "--max-device-bytes", "40", status=2)
    check("allow at least" in done.stderr, done.stderr)
    large = ["--box", "8x8x8", *BOX[2:], "--repeat", "1"]
    matrices = 512 * 24 * 25 * 8
    r = bench.json(*large, RITZ_MAX_DEVICE_BYTES=str(matrices // 2))
    check(r["parameters"]["chunks"] > 1, "half the memory holds all elements")
    check(r["peak_device_bytes"] <= matrices // 2, f"{r['peak_device_bytes']} bytes were taken")


def test_two_devices(bench):
    """The same device twice: the matrices and errors of one, and what each did."""
    box = ["--box", "8x8x8", "--cell", "hex", "--distort", "0.2", "--order", "2", "--form", "elasticity", "--checksum"]
    one, two = bench.json(*box), bench.json(*box, "--device", "cpu+cpu", "--output", bench.path("Ae.h5"), "--record", bench.path("runs.h5"))
    for key in ("checksum", "max_relative_error", "max_relative_vector_error", "elements"):
        check(one[key] == two[key], f"{key}: {one[key]} and {two[key]}")
    check([d["name"] for d in two["devices"]] == 2 * [one["device"]["name"]], f"{two['devices']}")
    check(sum(d["elements"] for d in two["devices"]) == 512 and abs(sum(d["share"] for d in two["devices"]) - 1) < 1e-12, f"{two['devices']}")
    for d in two["devices"]:
        check(d["elements"] > 0 and d["chunks"] > 0 and d["method"] == one["method"], f"{d}")
        check(math.isclose(d["elements_per_second"], d["elements"] / d["kernel"]), f"{d}")
    check(two["seconds"]["kernel"] == max(d["kernel"] for d in two["devices"]), f"{two['seconds']}")
    check(two["parameters"]["chunks"] == sum(d["chunks"] for d in two["devices"]), f"{two['parameters']}")
    check(two["ceilings"]["f64_gflop_s"] > 1.5 * one["ceilings"]["f64_gflop_s"], "the ceilings are not those of both")
    bound = two["peak_device_bytes"] // 4
    r = bench.json(*box, "--device", "cpu+cpu", "--max-device-bytes", str(bound))
    check(r["checksum"] == one["checksum"] and all(d["peak_device_bytes"] <= bound for d in r["devices"]), f"{r['devices']}")
    done = bench.run(*box, "--device", "cpu+abacus", status=1)
    check("abacus" in done.stderr, done.stderr)
    with open(bench.path("part.yaml"), "w", encoding="utf-8") as file:
        file.write("mesh: {box: {cells: [2, 2], size: [1, 1], cell: quad}}\nphysics: poisson\norder: 1\n"
                   "materials:\n  - {group: body, conductivity: 1}\nboundary:\n  - {group: x0, value: 0}\ndevice: cpu+cpu\n")
    done = subprocess.run([bench.program, "solve", bench.path("part.yaml")], capture_output=True, text=True, timeout=300)
    check(done.returncode == 1 and "only `ritz integrate` runs on several" in done.stderr, done.stderr)


def test_wrong_results(bench):
    """A modulus beyond single precision: the figures are told, the exit status is 1, and no element matrices are written."""
    done = bench.run(*BOX, "--precision", "f32", "--data", "young=1e39", "--output", bench.path("Ae.h5"), "--record", bench.path("runs.h5"),
                     "--repeat", "1", "--json", status=1)
    check("is wrong by inf" in done.stderr and "no element matrices are written" in done.stderr, done.stderr)
    check(json.loads(done.stdout)["max_relative_error"] is None, "an error that is no number")
    check(os.listdir(bench.folder) == ["runs.h5"], f"{os.listdir(bench.folder)}")


def test_interrupt(bench):
    """Ctrl-C while kernels are timed: after little work, and nothing is left of the output."""
    bench.run(*BOX, "--repeat", "1")  # programs and ceilings are in the cache now
    process = subprocess.Popen([bench.program, "integrate", *BOX, "--repeat", "1000000", "--output", bench.path("Ae.h5")],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    harness.let_work(process, 1.5)  # the file has no name yet
    output, _, seconds = harness.interrupt(process)
    check(process.returncode == 128 + signal.SIGINT, f"exit status {process.returncode}")
    check(seconds < 1.5 and output == "" and not os.listdir(bench.folder), f"{seconds:.2f} s, {os.listdir(bench.folder)}")


def test_files(bench):
    """Ae.h5 and records appear whole, and only where they were asked for."""
    bench.run(*BOX, "--output", bench.path("Ae.h5"), "--record", bench.path("runs.h5"), "--repeat", "1")
    check(sorted(os.listdir(bench.folder)) == ["Ae.h5", "runs.h5"], f"{os.listdir(bench.folder)}")
    check(os.path.getsize(bench.path("Ae.h5")) > 27 * 24 * 24 * 8, "Ae.h5 is too small")
    bench.run(*BOX, "--record", bench.path("runs.h5"), "--repeat", "1")
    with open(bench.path("runs.h5"), "rb") as file:  # texts stand in the file as they are
        check(file.read().count(b"box 3x3x3") == 2, "two runs were recorded, others are there")
    with open(bench.path("bad.h5"), "w", encoding="utf-8") as file:
        file.write("no HDF5")
    done = bench.run(*BOX, "--record", bench.path("bad.h5"), "--repeat", "1", status=1)
    check("bad.h5" in done.stderr and "another name" in done.stderr and done.stdout == "", done.stderr)
    done = bench.run(*BOX, "--output", bench.path("no/Ae.h5"), status=1)
    check("does not exist" in done.stderr, done.stderr)
    check(sorted(os.listdir(bench.folder)) == ["Ae.h5", "bad.h5", "runs.h5"], f"{os.listdir(bench.folder)}")


def test_mixed_mesh(bench):
    path = bench.path("mixed.msh")
    with open(path, "w", encoding="utf-8") as file:
        file.write(MIXED)
    rest = ["--mesh", path, "--order", "2", "--form", "mass", "--repeat", "1"]
    done = bench.run(*rest, status=2)
    check("--cell" in done.stderr and "tri, quad" in done.stderr, done.stderr)
    done = bench.run(*rest, "--cell", "tet", status=2)
    check("no tet cells; it has tri, quad" in done.stderr, done.stderr)
    for cell, elements in (("tri", 2), ("quad", 1)):
        r = bench.json(*rest, "--cell", cell)
        check(r["cell"] == cell and r["elements"] == elements and r["mesh"] == path, f"{r['cell']}: {r['elements']}")


def test_show_kernel(bench):
    done = bench.run(*BOX, "--show-kernel")
    check("form_accumulate(" in done.stdout and "__kernel" in done.stdout and "#define N_SHAPE 8" in done.stdout, done.stdout[:200])
    r = bench.json(*BOX, "--show-kernel")
    check(r["kernel"] == done.stdout, "the kernel differs in JSON")


def test_wrong_usage(bench):
    """A sentence that names what is wrong, exit status 2, nothing on stdout."""
    base = ["--order", "1", "--form", "poisson"]
    cases = [
        ([], "--mesh or --box"),
        (["--box", "3x3"] + base, "--box needs --cell"),
        (["--box", "3x3", "--cell", "hex"] + base, "takes 3 numbers"),
        (["--box", "3x3x", "--cell", "hex"] + base, "not '3x3x'"),
        (["--box", "0x3", "--cell", "tri"] + base, "not '0x3'"),
        (["--box", "3x3", "--cell", "pyramid"] + base, "pyramid"),
        (["--box", "3x3", "--mesh", "a.msh", "--cell", "tri"] + base, "not both"),
        (["--mesh", "a.msh", "--distort", "0.1"] + base, "--distort is for boxes"),
        (["--box", "3x3", "--cell", "tri", "--form", "mass"], "--order is needed"),
        (["--box", "3x3", "--cell", "tri", "--order", "1"], "--form is needed"),
        (["--box", "3x3", "--cell", "tri", "--form", "mass", "--order", "8"], "from 1 to 7"),
        (["--box", "3x3", "--cell", "tri", "--form", "mass", "--order", "1", "--degree", "31"], "from 1 to 30, not '31'"),
        (["--box", "3x3", "--cell", "tri", "--form", "poison", "--order", "1"], "unknown form 'poison'"),
        (["--box", "3x3", "--cell", "tri", "--form", "elasticity", "--order", "1"], "plane-stress"),
        (["--box", "3x3", "--cell", "tri", "--distort", "2"] + base, "0 to 0.4"),
        (["--box", "3x3", "--cell", "tri", "--precision", "f16"] + base, "f32 or f64"),
        (["--box", "3x3", "--cell", "tri", "--method", "magic"] + base, "'magic'"),
        (["--box", "3x3", "--cell", "tri", "--set", "lanes"] + base, "key=value"),
        (["--box", "3x3", "--cell", "tri", "--set", "lines=4"] + base, "lines=4"),
        (["--box", "3x3", "--cell", "tri", "--method", "tensor", "--set", "code=1", "--set", "items=4"] + base, "since with code=1 each item"),
        (["--box", "3x3", "--cell", "tri", "--method", "tensor", "--set", "write=0", "--set", "stream=1"] + base, "interleaved: write=1"),
        (["--box", "3x3", "--cell", "tri", "--method", "tensor", "--data", "conductivity=1+u*u", "--form", "heat", "--order", "2"], "constant in an element"),
        (["--box", "3x3", "--cell", "tri", "--data", "sauce=4"] + base, "conductivity, source"),
        (["--box", "3x3", "--cell", "tri", "--data", "source"] + base, "key=value"),
        (["--box", "3x3", "--cell", "tri", "--data", "source=q+1"] + base, "q"),
        (["--box", "3x3", "--cell", "tri", "--repeat", "-1"] + base, "--repeat"),
        (["--box", "3x3", "--cell", "tri", "--device", "cpu+"] + base, "with a + between"),
        (["--box", "3x3", "--cell", "tri", "--device", "cpu+cpu", "--show-kernel"] + base, "--show-kernel"),
        (["--box", "3x3", "--cell", "tri", "--output", "a.h5", "--record", "a.h5"] + base, "different files"),
        (["--box", "3x3", "--cell", "tri", "--data", "conductivity=sqrt(-x-10)"] + base, "is not finite"),
        (["--box", "3x3", "--cell", "tri", "--method", "lanes", "--set", "lanes=16", "--set", "local=1024"] + base +
         ["--set", "rows=3", "--set", "columns=3"], "smaller group"),
        (["--box", "3x3", "--cell", "tri", "--method", "lanes", "--set", "lanes=3"] + base, "(1, 2, 4, 8, 16)"),
        (["--box", "3x3", "--cell", "tri", "extra"] + base, "extra"),
        (["--nonsense"], "nonsense"),
    ]
    for arguments, words in cases:
        done = bench.run(*arguments, status=2)
        check(words in done.stderr, f"{arguments}: {done.stderr}")
        check("--help" in done.stderr and done.stdout == "", f"{arguments}: {done.stderr}{done.stdout}")


def test_failures(bench):
    """Not the command line is wrong but a file or the device: exit status 1."""
    done = bench.run("--mesh", bench.path("none.msh"), "--order", "1", "--form", "mass", status=1)
    check("none.msh" in done.stderr, done.stderr)
    done = bench.run(*BOX, "--device", "abacus", status=1)
    check("abacus" in done.stderr, done.stderr)


def test_help(bench):
    done = bench.run("--help")
    check("Example: ritz integrate" in done.stdout, done.stdout)
    example = done.stdout.split("Example: ritz ")[1].split()
    example[example.index("--box") + 1] = "2x2x2"
    done = subprocess.run([bench.program, *example], capture_output=True, text=True, timeout=300)
    check(done.returncode == 0 and json.loads(done.stdout)["cell"] == "prism", f"the example of the help fails: {done.stderr}")


if __name__ == "__main__":
    sys.exit(main(Bench, tests_of(globals()), __doc__))
