"""The commands `ritz bench` and `ritz predict` as a user meets them: exit statuses and sentences, the JSON object, the record.

    bench.py RITZ_PROGRAM [NAME]

Needs Python's standard library alone. Each case is a function; NAME runs one of them."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time

import harness
from harness import check, main, tests_of

SMALL = ["--methods", "lanes", "--elements", "12", "--repeat", "1"]
ELASTICITY = ["--cell", "prism", "--order", "7", "--form", "elasticity", "--precision", "f32"]
# NVIDIA GTX580 as Banaś et al. (2014) used it
CARD = ["--local-memory", "48K", "--work-group", "512", "--compute-units", "16", "--global-memory", "1536M"]
NO_DEVICE = {"OCL_ICD_VENDORS": "/nonexistent"}


class Bench(harness.Bench):
    def bench(self, *arguments, status=0):
        return self.run("bench", "higher-order", *arguments, status=status)

    def json(self, *arguments, status=0, **environment):
        return json.loads(self.run(*arguments, "--json", status=status, **environment).stdout)


def test_list(bench):
    done = bench.run("bench", "--help")
    check("higher-order" in done.stdout and "Example: ritz bench" in done.stdout, done.stdout)
    done = bench.run("bench", "higher-oder", status=2)
    check("did you mean 'higher-order'" in done.stderr and done.stdout == "", done.stderr)


def test_json(bench):
    """A run for every combination, each with its error; the best of each order; figures that agree with each other."""
    r = bench.json("bench", "higher-order", "--cell", "tri,prism", "--orders", "1-2", "--forms", "poisson", "--precisions", "f32,f64", *SMALL)
    check(r["command"] == "bench" and r["benchmark"] == "higher-order" and r["complete"] and r["failed"] == 0 and not r["not_run"], f"{r}")
    cases = {(run["cell"], run["order"], run["precision"]) for run in r["runs"]}
    check(len(r["runs"]) == len(cases) == 8, f"{cases}")
    for run in r["runs"]:
        check(0 < run["max_relative_error"] <= (1e-12 if run["precision"] == "f64" else 2e-5), f"{run}")
        check(run["elements"] == run["checked_elements"] == 12 and run["repeat"] == 1 and not run["failed"], f"{run}")
        check(run["seconds"]["kernel"] > 0 and run["parameters"]["lanes"] >= 1, f"{run}")
        rate = run["ceilings"]["f64_gflop_s" if run["precision"] == "f64" else "f32_gflop_s"]
        check(math.isclose(run["ceiling_fraction"], run["gflops"] / rate), "ceiling_fraction")
    best = {(run["cell"], run["order"], run["precision"]): run for run in r["best"]}
    check(set(best) == cases and len(r["best"]) == 8, f"{r['best']}")
    for run in r["runs"]:
        check(best[run["cell"], run["order"], run["precision"]]["kernel_ns_per_element"] == run["kernel_ns_per_element"], "best")


def test_all_methods(bench):
    """Every method of the registry is measured or listed with the reason, and none is wrong."""
    plans = bench.json("predict", "--cell", "quad", "--order", "2", "--form", "poisson", "--precision", "f32", "--method", "all")["methods"]
    r = bench.json("bench", "higher-order", "--cell", "quad", "--orders", "2", "--forms", "poisson", "--elements", "8", "--repeat", "1",
                   "--distort", "0")  # tensor is for affine cells
    check({m["method"] for m in plans if m["reason"]} == {m["method"] for m in r["not_run"]}, f"{r['not_run']}")
    check({m["method"] for m in plans if not m["reason"]} == {m["method"] for m in r["runs"]}, f"{plans}")
    check(all(m["reason"] for m in r["not_run"]), f"{r['not_run']}")
    check(min(r["runs"], key=lambda run: run["kernel_ns_per_element"])["method"] == r["best"][0]["method"], f"{r['best']}")


def test_text(bench):
    """A line a run, and a table with a column for each order."""
    done = bench.bench("--orders", "1,3", "--forms", "poisson", "--distort", "0.3", *SMALL)
    lines = [line for line in done.stdout.splitlines() if re.match(r"[13] lanes ", line)]
    check(len(lines) == 2 and all("%" in line and "lanes=" in line for line in lines), done.stdout)
    table = done.stdout.split("Table: prism, poisson, f32")[1]
    check(re.search(r"p=1 +p=3", table) and "p=2" not in table, table)
    for row in ("prepare_input", "allocate", "transfer_input", "kernel", "transfer_output", "total", "GFLOP/s", "error", "best kernel"):
        check(re.search(rf"\n *{row}( +\S+){{2}}\n", table), f"no row {row} with two columns: {table}")


def test_elements_are_chosen(bench):
    """Left to itself, the bench takes as many elements as fill about a tenth of a second, and says how many."""
    r = bench.json("bench", "higher-order", "--methods", "lanes", "--orders", "3", "--forms", "poisson")
    run = r["runs"][0]
    check(run["elements"] > 100 and 4 <= run["checked_elements"] <= 100, f"{run['elements']} elements")
    bytes_of_matrices = run["elements"] * 40 * 40 * 4
    check(bytes_of_matrices <= 1.1 * 2**28, f"the matrices take {bytes_of_matrices} bytes, and not about 256 MB")  # a box of whole cells
    check(run["seconds"]["kernel"] > 0.005 or bytes_of_matrices > 2**27, f"a pass takes {run['seconds']['kernel']} s")
    check(run["seconds"]["kernel"] < 2, f"a pass takes {run['seconds']['kernel']} s")


def test_skipped(bench):
    """A form that is not for the cell is told, not forgotten; that is no failure, but a bench that measured nothing is one."""
    r = bench.json("bench", "higher-order", "--cell", "prism", "--orders", "1", "--forms", "plane-stress", *SMALL, status=1)
    check(r["device"]["name"] and r["device"]["driver"], f"{r}")
    check(not r["runs"] and "use elasticity" in r["not_run"][0]["reason"] and not r["not_run"][0]["failed"], f"{r}")


def test_wrong_results(bench):
    """A modulus beyond single precision: FAILED, no times, exit status 1."""
    arguments = ["--orders", "1", "--data", "young=1e39", *SMALL]
    done = bench.bench(*arguments, status=1)
    check("FAILED" in done.stdout and "1 of 1 runs failed" in done.stderr, done.stdout + done.stderr)
    r = bench.json("bench", "higher-order", *arguments, status=1)
    check(r["failed"] == 1 and r["runs"][0]["failed"] and r["runs"][0]["seconds"]["kernel"] is None and not r["best"], f"{r}")


def test_record(bench):
    """Each run is a row beside those of ritz integrate."""
    path = bench.path("runs.h5")
    for rows in (2, 4):
        bench.bench("--orders", "1-2", "--forms", "mass", "--record", path, *SMALL)
        with open(path, "rb") as file:  # texts stand in the file as they are
            check(file.read().count(b"bench higher-order") == rows, f"not {rows} rows")
    check(os.listdir(bench.folder) == ["runs.h5"], f"{os.listdir(bench.folder)}")


def test_interrupt(bench):
    """Ctrl-C after the first line: what was measured is told."""
    process = subprocess.Popen([bench.program, "bench", "higher-order", "--orders", "1-7", "--json", "--methods", "lanes", "--forms", "mass",
                                "--elements", "40", "--repeat", "1000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if line.startswith("1 lanes"):
            break
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    check(process.returncode == 128 + signal.SIGINT, f"exit status {process.returncode}: {errors}")
    r = json.loads(output)
    check(not r["complete"] and 1 <= len(r["runs"]) < 7 and "interrupted after" in errors, f"{len(r['runs'])} runs: {errors}")


def test_predict_paper(bench):
    """The counts of Banaś et al. (2016) beside those derived, without a device; --measure adds time, share and a picture."""
    case = ["predict", "--cell", "prism", "--order", "1", "--form", "convection-diffusion"]
    r = bench.json(*case, "--method", "sqs", *CARD, **NO_DEVICE)
    check(r["arrays"]["qss_all_points"] == r["arrays"]["qss_all_points_published"] == 206, f"{r['arrays']}")
    check(r["algorithm"]["global_accesses"] == r["algorithm"]["global_accesses_published"] == 80, f"{r['algorithm']}")
    check(r["algorithm"]["operations_published"] == 12492 and r["algorithm"]["operations"] > 11000, f"{r['algorithm']}")
    check(r["item"]["registers"] == 128, f"{r['item']}")
    r = bench.json(*case, "--method", "sqs", "--kind", "gpu", "--compute-units", "13", "--global-cache", "1536K", **NO_DEVICE)
    check(r["item"]["cache"] == 59, f"the K20m's of Table 2: {r['item']}")
    r = bench.json(*case, "--method", "lanes", *CARD, **NO_DEVICE)
    check("operations" not in r["algorithm"] and "measured" not in r, f"{r}")
    r = bench.json("predict", "--cell", "tri", "--order", "1", "--form", "mass", "--precision", "f32", "--method", "lanes", "--measure", "--record", bench.path("runs.h5"))
    m = r["measured"]
    with open(bench.path("runs.h5"), "rb") as file:
        check(file.read().count(b"predict") >= 1, "no row of what was timed")
    check(m["ns_per_element"] > 0 and m["max_relative_error"] <= 2e-5, f"{m}")
    check(math.isclose(m["share_of_estimate"], r["least_ns_per_element"] / m["ns_per_element"]), f"{m}")


def test_predict_reasons(bench):
    """Where a method does not apply, the reason is what would have to change: the cell, the order, or either."""
    for method, cell, order, words in (("qss", "hex", "2", "serves hex cells at order 1 only, and order 2 on tri, quad, tet"), ("qss", "hex", "3", "serves order 1 only"), ("sqs", "tet", "7", "serves orders 1, 2 only"),
                                       ("factor", "tri", "2", "serves quad, prism, hex cells only")):
        done = bench.run("predict", *CARD, "--cell", cell, "--order", order, "--form", "poisson", "--method", method, status=1, **NO_DEVICE)
        check(f"{method} does not apply: it {words}" in done.stderr, done.stderr)


def test_wrong_usage(bench):
    cases = [
        (["--methods", "lanes,magic"], "unknown integration method 'magic'"),
        (["--orders", "0-3"], "1 to 7"),
        (["--orders", "3-1"], "3-1"),
        (["--orders", ""], "--orders"),
        (["--cell", "cube"], "cube"),
        (["--forms", "poison"], "unknown form 'poison'"),
        (["--forms", "mass", "--data", "weight=1"], "--data weight=1: the form mass has no such data; it has density"),
        (["--precisions", "f16"], "f16"),
        (["--distort", "2"], "0 to 0.4"),
        (["--elements", "0"], "--elements"),
        (["--data", "sauce=1"], "sauce"),
        (["extra"], "extra"),
        (["--nonsense"], "nonsense"),
    ]
    for arguments, words in cases:
        done = bench.bench(*arguments, status=2)
        check(words in done.stderr and "--help" in done.stderr and done.stdout == "", f"{arguments}: {done.stderr}{done.stdout}")
    done = bench.bench("--device", "abacus", status=1)
    check("abacus" in done.stderr, done.stderr)


def test_predict(bench):
    """Plans from limits alone, where there is no device at all."""
    r = bench.json("predict", *ELASTICITY, *CARD, "--rate", "1580", "--bandwidth", "192", **NO_DEVICE)
    check(r["command"] == "predict" and r["device"]["name"] == "none", f"{r}")
    check(r["limits"]["local_memory"] == 49152 and r["limits"]["global_memory"] == 1536 * 2**20, f"{r['limits']}")
    check(r["limits"]["largest_allocation"] == 384 * 2**20, f"{r['limits']}")
    check(r["shape_functions"] == 288 and r["quadrature_points"] == 336 and r["flops_per_element"] == 63 * 288**2 * 336, f"{r}")
    check(r["parameters"]["work_group"] <= 512 and r["parameters"]["launch_elements"] >= 1, f"{r['parameters']}")
    least = max(r["operations_per_element"] / 1580, r["bytes_per_element"] / 192)
    check(math.isclose(r["least_ns_per_element"], least) and r["bound"] == "compute", f"{r['least_ns_per_element']}, not {least}")
    check(r == bench.json("predict", *ELASTICITY, *CARD, "--rate", "1580", "--bandwidth", "192", **NO_DEVICE), "not the same again")
    narrow = bench.json("predict", *ELASTICITY, *CARD, "--largest-allocation", "40M", **NO_DEVICE)
    check(narrow["parameters"]["launch_elements"] < r["parameters"]["launch_elements"], f"{narrow['parameters']}")
    check(narrow["bound"] == "unknown" and narrow["least_ns_per_element"] is None, "ceilings that nobody gave")


def test_predict_memory(bench):
    """Memory that holds fewer work-groups is used so; memory that holds not even one set of elements is a reason."""
    box = ["--cell", "hex", "--order", "2", "--form", "elasticity"]
    tight = bench.json("predict", *box, "--method", "tiles", "--global-memory", "1M", **NO_DEVICE)["parameters"]
    check(tight["workers"] * tight["scratch_bytes"] <= 2**18, f"{tight}")
    done = bench.run("predict", *box, "--global-memory", "1K", status=1, **NO_DEVICE)
    check("bytes of device memory" in done.stderr and "1024 bytes" in done.stderr and not done.stdout, done.stderr)
    for m in bench.json("predict", *box, "--method", "all", "--global-memory", "1K", **NO_DEVICE)["methods"]:
        check(m["reason"], f"{m['method']} has a plan in 1 KB")


def test_predict_methods(bench):
    """All methods, with the reason where one has no plan; one of them in full says the same."""
    r = bench.json("predict", *ELASTICITY, *CARD, "--method", "all", **NO_DEVICE)
    check(len(r["methods"]) == len({m["method"] for m in r["methods"]}) >= 1, f"{r}")
    planned = [m for m in r["methods"] if not m["reason"]]
    check(planned and all(m["operations_per_element"] > 0 and m["bytes_per_element"] > 0 for m in planned), f"{planned}")
    for m in r["methods"]:
        done = bench.run("predict", *ELASTICITY, *CARD, "--method", m["method"], "--json", status=1 if m["reason"] else 0, **NO_DEVICE)
        if m["reason"]:
            check(m["reason"] in done.stderr, f"{m}: {done.stderr}")
        else:
            one = json.loads(done.stdout)
            check(one["parameters"] == m["parameters"] and one["source"] == m["source"], f"{m}")
    text = bench.run("predict", *ELASTICITY, *CARD, "--method", "all", **NO_DEVICE).stdout
    check(all(re.search(rf"^{re.escape(m['method'])} ", text, re.M) for m in r["methods"]), text)


def test_predict_parameters(bench):
    """Parameters, data and the device's own limits, each of which can be put aside."""
    r = bench.json("predict", "--cell", "tet", "--order", "2", "--form", "poisson", "--method", "lanes", "--set", "lanes=4", "--data", "source=x")
    check(r["parameters"]["lanes"] == 4 and r["device"]["name"] != "none" and r["precision"] == "f64", f"{r}")
    own = r["limits"]
    r = bench.json("predict", "--cell", "tet", "--order", "2", "--form", "poisson", "--device", "auto", "--local-memory", "17K")
    check(r["limits"] == {**own, "local_memory": 17408, "largest_local_memory": 17408}, f"{r['limits']}")
    constant, points = (bench.json("predict", "--cell", "hex", "--order", "3", "--form", "mass", *CARD, "--data", f"density={kind}")
                        for kind in ("2", "points"))
    check(points["bytes_per_element"] - constant["bytes_per_element"] == 8 * 64, "a density for each of 64 points")


def test_predict_wrong_usage(bench):
    base = ["--cell", "prism", "--order", "2", "--form", "mass"]
    cases = [
        (["--order", "2", "--form", "mass"], "--cell is needed"),
        (["--cell", "prism", "--form", "mass"], "--order is needed"),
        (["--cell", "prism", "--order", "2"], "--form is needed"),
        (base + ["--method", "magic"], "choices: lanes"),
        (base + CARD + ["--set", "lines=4"], "lines=4"),
        (base + ["--method", "all", "--set", "lanes=4"], "one method"),
        (base + ["--local-memory", "-1"], "--local-memory"),
        (base + ["--local-memory", "48Q"], "not '48Q'"),
        (base + ["--work-group", "0"], "--work-group"),
        (base + ["--kind", "tpu"], "gpu or cpu"),
        (base + ["--ptx", "maybe"], "yes or no"),
        (base + ["--largest-allocation", "8G", "--global-memory", "1G"], "more than the global memory"),
        (base + ["--rate", "0"], "--rate"),
        (base + ["--geometry-order", "3"], "--geometry-order"),
        (base + ["--record", "runs.h5"], "give --measure"),
        (base + ["extra"], "extra"),
    ]
    for arguments, words in cases:
        done = bench.run("predict", *arguments, status=2, **NO_DEVICE)
        check(words in done.stderr and "--help" in done.stderr and done.stdout == "", f"{arguments}: {done.stderr}{done.stdout}")
    done = bench.run("predict", *base, "--f64", "no", status=1, **NO_DEVICE)
    check("--precision f32" in done.stderr, done.stderr)


def test_help(bench):
    """The examples of the help run."""
    done = bench.run("predict", "--help")
    bench.run(*done.stdout.split("Example: ritz ")[1].split(), **NO_DEVICE)
    done = bench.run("bench", "higher-order", "--help")
    example = done.stdout.split("Example: ritz ")[1].split()
    example[example.index("--record") + 1] = bench.path("runs.h5")
    example[example.index("--orders") + 1] = "1"
    bench.run(*example, *SMALL)
    check(os.path.exists(bench.path("runs.h5")), "no record")


def test_tensor(bench):
    """Every combination of the paper's parameters and the method's own choice, each with its error; what can not be, with the reason; a record."""
    path = bench.path("tensor.h5")
    r = bench.json("bench", "tensor", "--cell", "tet", "--forms", "laplacian,elasticity", "--batch", "6,7", "--concurrent", "2", "--unroll", "1",
                   "--interleave", "0,1", "--elements", "12", "--precisions", "f64", "--repeat", "1", "--record", path)
    check(r["benchmark"] == "tensor" and r["complete"] and r["failed"] == 0 and len(r["runs"]) == 2 * (2 * 2 + 1), f"{r}")
    for run in r["runs"]:
        if run["parameters"].get("batch") == 7 and not run["own_choice"]:
            check("nearest" in run["reason"] and "batch=8" in run["reason"] and "seconds" not in run, f"{run}")
            continue
        check(0 < run["max_relative_error"] < 1e-12 and run["elements"] == 12 and run["reason"] is None, f"{run}")
        check(run["own_choice"] or run["parameters"]["items"] == 10, f"{run['parameters']}")
    check({run["parameters"]["store"] for run in r["runs"] if not run["own_choice"]} == {0, 1}, "interleaving")
    with open(path, "rb") as file:
        check(file.read().count(b"bench tensor") == 6, "not a row a run")
    done = bench.run("bench", "tensor", "--cell", "hex", status=2)
    check("tri and tet" in done.stderr and done.stdout == "", done.stderr)
    done = bench.run("bench", "tensor", "--batch", "0", status=2)
    check("--batch takes" in done.stderr, done.stderr)


if __name__ == "__main__":
    sys.exit(main(Bench, tests_of(globals()), __doc__))
