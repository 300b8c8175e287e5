"""Signals and limits that end a run: nothing unfinished is left, and --json prints one object whatever happens.

    signals.py RITZ_PROGRAM [NAME]

Needs Python's standard library alone. Each case is a function; NAME runs one of them."""

import json
import os
import resource
import signal
import subprocess
import sys
import time

import harness
from harness import Failed, check, main, tests_of

SMALL = ["--box", "3x3x3", "--cell", "hex", "--order", "1", "--form", "poisson", "--repeat", "1"]
LONG = SMALL[:-1] + ["1000000"]

PROBLEM = """\
mesh: {box: {cells: [6, 6, 6], cell: hex}}
physics: poisson
order: 1
source: 1
boundary: [{groups: [x0, x1], value: 0}]
"""


class Bench(harness.Bench):
    def start(self, *arguments, **options):
        return subprocess.Popen([self.program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder,
                                **options)

    def ends(self, process, status):
        """Standard output and error of a process that ends with this status."""
        output, errors = process.communicate(timeout=120)
        check(process.returncode == status, f"exit status {process.returncode}, not {status}: {errors}")
        return output, errors

    def files(self):
        return sorted(os.listdir(self.folder))

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def start_output(self, *more, **options):
        """A run that has begun its file Ae.h5, which has no name yet, and goes on for long."""
        process = self.start("integrate", *LONG, "--output", "Ae.h5", *more, **options)
        for _ in range(1200):
            descriptors = f"/proc/{process.pid}/fd"
            try:
                open_files = [os.readlink(os.path.join(descriptors, name)) for name in os.listdir(descriptors)]
            except OSError:
                open_files = []
            if any(name.startswith(os.path.realpath(self.folder) + "/") for name in open_files):
                time.sleep(0.5)  # PoCL's last program: LLVM takes signals while it makes one
                return process
            if process.poll() is not None:
                raise Failed(f"ended too soon: {process.communicate()}")
            time.sleep(0.05)
        raise Failed("no file was begun")


def one_object(output):
    try:
        result, end = json.JSONDecoder().raw_decode(output)
    except ValueError as error:
        raise Failed(f"no object: {output!r}") from error
    check(output[end:] == "\n", f"one object and a newline: {output!r}")
    return result


def test_signals(bench):
    """Whatever ends the run leaves nothing of the file; a signal that asks leaves a JSON object and the status of a shell."""
    bench.ends(bench.start("integrate", *SMALL), 0)  # kernels are in the cache now
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        process = bench.start_output("--json")
        process.send_signal(number)
        output, errors = bench.ends(process, 128 + number)
        result = one_object(output)
        check(result["command"] == "integrate" and "interrupted; no file is half-written" in result["failure"], f"{number!r}: {result}")
        check(result["failure"] in errors and bench.files() == [], f"{number!r}: {errors} {bench.files()}")
    process = bench.start_output()
    process.kill()
    bench.ends(process, -signal.SIGKILL)
    check(bench.files() == [], f"killed: {bench.files()}")


def test_nohup(bench):
    """A hangup that is ignored when the program starts stays ignored."""
    process = bench.start_output(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    check(process.poll() is None, "ended by a hangup under nohup")
    process.send_signal(signal.SIGTERM)
    bench.ends(process, 128 + signal.SIGTERM)


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


def test_file_limit(bench):
    """A limit on the size of files ends in a sentence, for every kind of file that is written."""
    bench.write("p.yaml", PROBLEM)
    runs = (["solve", "p.yaml"], ["solve", "p.yaml", "--output", "p.vtu"],
            ["integrate", *SMALL[:1], "9x9x9", *SMALL[2:], "--output", "Ae.h5"],
            ["integrate", *SMALL, "--record", "runs.h5"],
            ["bench", "spmv", "--meshes", "tet", "--nodes", "8x8x8", "--types", "f64", "--repeat", "1", "--formats", "csr", "--write", "A.mtx"])
    for arguments in runs:
        bench.ends(bench.start(*arguments), 0)  # kernels are in the cache now
        for name in set(bench.files()) - {"p.yaml"}:
            os.unlink(bench.path(name))
        output, errors = bench.ends(bench.start(*arguments, "--json", preexec_fn=limit_files), 1)
        check("larger than the system allows" in errors and "ulimit -f" in errors, f"{arguments}: {errors}")
        one_object(output)
        check(bench.files() == ["p.yaml"], f"{arguments}: {bench.files()}")


def test_json_of_failures(bench):
    """Every command: one object of a wrong use, of a failure and of an interrupt."""
    for status, arguments in ((2, ["integrate", "--box", "3x3x3"]), (2, ["solve"]), (2, ["predict", "--no-such"]), (2, ["devices", "x"]),
                              (2, ["bench", "spmv", "--repeat", "many"]), (2, ["bench", "nothing"]),
                              (1, ["solve", "no-such.yaml"]), (1, ["integrate", *SMALL, "--device", "no such device"]),
                              (1, ["devices", "--device", "no such device"]), (1, ["bench", "spmv", "--matrix", "none.mtx"]),
                              (1, ["bench", "higher-order", "--device", "no such device"])):
        output, errors = bench.ends(bench.start(*arguments, "--json"), status)
        result = one_object(output)
        check(result["command"] == arguments[0], f"{arguments}: {result}")
        check(arguments[0] == "devices" and status == 1 or result["failure"] and errors, f"{arguments}: {result}")
    output, _ = bench.ends(bench.start("solve", "--help", "--json"), 0)
    check("Usage:" in output and '"failure"' not in output, "help is no failure")


def test_earlier_results(bench):
    """A run that fails or is ended puts the file of an earlier one aside, once, and says so."""
    bench.write("p.yaml", PROBLEM)
    runs = {"p.vtkhdf": (["solve", "p.yaml", "--set", "solver.max_iterations=1"], 1),
            "q.vtu": (["solve", "p.yaml", "--output", "q.vtu", "--set", "boundary.0.groups.0=x9"], 1),
            "Ae.h5": (["integrate", *SMALL, "--output", "Ae.h5", "--device", "no such device"], 1)}
    for name, (arguments, status) in runs.items():
        aside = name.replace(".", ".old.")
        for text in ("first", "second"):
            bench.write(name, text)
            output, errors = bench.ends(bench.start(*arguments, "--json"), status)
            told = f"the result of an earlier run is now called {'' if name == 'Ae.h5' or '--output' not in arguments else bench.folder + '/'}{aside}"
            check(told in errors and told in one_object(output)["failure"], f"{arguments}: {errors}")
            check(bench.read(aside) == text and not os.path.exists(bench.path(name)), f"{arguments}: {bench.files()}")
        output, errors = bench.ends(bench.start(*arguments, "--json"), status)
        check("earlier run" not in errors + output and bench.read(aside) == "second", f"nothing there to put aside: {errors}")
        os.unlink(bench.path(aside))
    bench.write("p.vtkhdf", "first")  # a problem that cannot be read is no run
    bench.ends(bench.start("solve", "p.yaml", "--set", "ordr=2"), 1)
    check(bench.files() == ["p.vtkhdf", "p.yaml"], f"{bench.files()}")
    os.mkdir(bench.path("p.old.vtkhdf"))
    _, errors = bench.ends(bench.start("solve", "p.yaml", "--set", "solver.max_iterations=1"), 1)
    check("p.vtkhdf is the result of an earlier run" in errors and bench.read("p.vtkhdf") == "first", f"a folder in the way: {errors}")


def test_earlier_result_of_an_ended_run(bench):
    """A signal puts the earlier file aside, too, however soon the run ends after it."""
    for signals in (1, 2):
        bench.write("Ae.h5", "first")
        process = bench.start_output("--json")
        for _ in range(signals):
            process.send_signal(signal.SIGTERM)
        output, errors = bench.ends(process, 128 + signal.SIGTERM)
        check(bench.files() == ["Ae.old.h5"] and bench.read("Ae.old.h5") == "first", f"{bench.files()}")
        told = "no file is half-written; the result of an earlier run is now called Ae.old.h5"
        check(told in errors and told in one_object(output)["failure"], f"{errors}")


CASES = tests_of(globals())

if __name__ == "__main__":
    sys.exit(main(Bench, CASES, __doc__))
