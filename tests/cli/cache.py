"""The folder of compiled kernels as a user can spoil it: the result is right all the same, and standard error says what was done.

    cache.py RITZ_PROGRAM [NAME]

Needs Python's standard library alone. Each case is a function; NAME runs one of them."""

import glob
import json
import os
import pty
import resource
import shutil
import subprocess
import sys
import tempfile

import harness
from harness import Skipped, check, main, tests_of

PROBLEM = """mesh: {box: {cells: [3, 3], size: [1, 1], cell: quad}}
physics: convection-diffusion
order: 1
materials:
  - {group: body, c01: "1 + 0*x", c11: 1, c22: 1}
boundary:
  - {group: x0, value: 0}
  - {group: x1, value: 1}
solver: {method: bicgstab}
"""


def halve(path):
    os.truncate(path, os.path.getsize(path) // 2)


def empty(path):
    os.truncate(path, 0)


def fill_with_zeros(path):
    size = os.path.getsize(path)
    empty(path)
    os.truncate(path, size)


def garble(path):
    """Other bytes in the middle; size and date stay."""
    about = os.stat(path)
    with open(path, "r+b") as file:
        file.seek(about.st_size // 3)
        old = file.read(about.st_size // 3)
        file.seek(about.st_size // 3)
        file.write(bytes(b ^ 0x5A for b in old))
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))


DAMAGES = (halve, empty, fill_with_zeros, garble, os.remove)


class Bench(harness.Bench):
    command = ("solve",)
    base = None  # a cache folder with all kernels of the problem, and the answer

    def solve(self, status=0, **environment):
        """The answer, and standard error. TMPDIR is a folder that has to be empty afterwards."""
        os.makedirs(self.path("tmp"), exist_ok=True)
        done = self.run(self.path("p.yaml"), "--json", status=status, **{"TMPDIR": self.path("tmp"), **environment})
        check(os.listdir(self.path("tmp")) == [], f"left behind: {os.listdir(self.path('tmp'))}")
        answer = json.loads(done.stdout)
        return (answer["iterations"], answer["true_relative_residual"], answer["extremes"]), done.stderr

    def devices(self, **environment):
        """Standard error of a run that finds the devices and compiles nothing."""
        return subprocess.run([self.program, "devices"], capture_output=True, text=True, timeout=60, check=True,
                              env={**os.environ, **environment}).stderr

    def copy(self):
        """The problem file, a copy of a warm cache folder, and the answer."""
        with open(self.path("p.yaml"), "w", encoding="utf-8") as file:
            file.write(PROBLEM)
        if Bench.base is None:
            folder = tempfile.mkdtemp()
            answer, error = self.solve(RITZ_CACHE_DIR=folder)
            Bench.base = folder, answer
            check("warning" not in error, f"the compiler talks: {error}")
        shutil.rmtree(self.path("cache"), ignore_errors=True)
        shutil.copytree(Bench.base[0], self.path("cache"))
        return self.path("cache"), Bench.base[1]


def test_no_kernel_is_compiled_twice(bench):
    """PoCL compiles kernels for the work-groups that are launched, and none for groups of any size, which are never launched."""
    folder, _ = bench.copy()
    sizes = {os.path.basename(path) for path, _, files in os.walk(os.path.join(folder, "pocl")) if any(f.endswith(".so") for f in files)}
    check(sizes and "0-0-0" not in sizes, f"kernels for the sizes {sizes}")


def test_compiling_is_told(bench):
    """On a terminal, while kernels are compiled that the cache does not have; not otherwise."""
    bench.copy()
    for folder, told in ((bench.path("new"), True), (bench.path("cache"), False)):
        ours, theirs = pty.openpty()
        done = subprocess.Popen([bench.program, "solve", bench.path("p.yaml")], stdout=subprocess.DEVNULL, stderr=theirs,
                                env={**os.environ, "RITZ_CACHE_DIR": folder})
        os.close(theirs)
        said = b""
        try:
            while some := os.read(ours, 4096):
                said += some
        except OSError:  # the end of a terminal
            pass
        os.close(ours)
        check(done.wait() == 0 and (b"compiling kernels" in said) == told, f"{folder}: {said}")


def test_damaged_files(bench):
    """Every file of PoCL's, each spoilt in another way: three runs see every kind on both kinds of file. Afterwards all is in order."""
    for first in range(3):
        cache, answer = bench.copy()
        files = sorted(glob.glob(cache + "/pocl/??/*/program.bc")) + sorted(glob.glob(cache + "/pocl/??/*/*/*/*.so"))
        check(len(files) > 8, f"PoCL's files are elsewhere: {files}")
        for i, path in enumerate(files):
            DAMAGES[(i + first) % len(DAMAGES)](path)
        check(bench.solve(RITZ_CACHE_DIR=cache)[0] == answer, "another answer")
        done = bench.run(bench.path("p.yaml"), RITZ_CACHE_DIR=cache, RITZ_LOG="info")
        check("compiled" not in done.stderr and "damaged" not in done.stderr, f"damage stayed: {done.stderr}")


def test_damaged_lists(bench):
    """The lists of files, and the stored binaries: what stands beside them is not believed either."""
    cache, answer = bench.copy()
    for i, path in enumerate(sorted(glob.glob(cache + "/pocl/??/*/ritz.files") + glob.glob(cache + "/program-*"))):
        DAMAGES[i % len(DAMAGES)](path)
    for path in glob.glob(cache + "/pocl/??/*/program.bc"):
        garble(path)
    check(bench.solve(RITZ_CACHE_DIR=cache)[0] == answer, "another answer")


def warned(error, folder):
    lines = [line for line in error.splitlines() if line.startswith("ritz: warning: ")]
    check(len(lines) == 1 and "every run compiles them again" in lines[0] and folder in lines[0], f"{error}")


def test_unusable_folders(bench):
    """A file, a folder that nobody can write, none at all, for Ritz's cache and for PoCL's: a warning, no cache, the right answer."""
    cache, answer = bench.copy()
    with open(bench.path("file"), "w", encoding="utf-8"):
        pass
    for name in ("RITZ_CACHE_DIR", "POCL_CACHE_DIR"):
        got, error = bench.solve(**{"RITZ_CACHE_DIR": cache, name: bench.path("file")})
        check(got == answer, f"another answer with {name}")
        warned(error, bench.path("file"))
        warned(bench.devices(**{"RITZ_CACHE_DIR": cache, name: "/proc/none"}), "/proc/none")


def test_no_cache(bench):
    """RITZ_CACHE_DIR=none: no file stays, no warning, and the right answer."""
    _, answer = bench.copy()
    os.mkdir(bench.path("home"))
    before = sorted(os.listdir("."))
    got, error = bench.solve(RITZ_CACHE_DIR="none", HOME=bench.path("home"), XDG_CACHE_HOME=bench.path("home"))
    check(got == answer and "warning" not in error, f"{got}: {error}")
    check(os.listdir(bench.path("home")) == [] and sorted(os.listdir(".")) == before, "files were left")


def test_drivers_cache(bench):
    """RITZ_PROGRAM_CACHE=driver: no binaries beside PoCL's own files, and a second run compiles nothing."""
    _, answer = bench.copy()
    left = {"RITZ_CACHE_DIR": bench.path("own"), "RITZ_PROGRAM_CACHE": "driver"}
    files = []
    for _ in range(2):
        check(bench.solve(**left)[0] == answer, "another answer")
        files.append({path: os.stat(path).st_mtime_ns for path in glob.glob(bench.path("own/pocl/??/*/**/*.*"), recursive=True)})
        check(not glob.glob(bench.path("own/program-*")) and not glob.glob(bench.path("own/pocl/??/*/*/0-0-0")), "binaries are kept")
    check(files[0] == files[1] and any(path.endswith(".so") for path in files[0]), f"compiled anew: {files}")


def test_full_disk(bench):
    cache, answer = bench.copy()
    full = bench.path("full")
    os.mkdir(full)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", full], capture_output=True).returncode:
        raise Skipped("a small disk cannot be mounted here")
    try:
        got, error = bench.solve(RITZ_CACHE_DIR=cache, POCL_CACHE_DIR=full)
        check(got == answer, "another answer")
        warned(error, full)
        warned(bench.devices(RITZ_CACHE_DIR=full), full)
    finally:
        subprocess.run(["umount", full], check=True)


def test_little_memory(bench):
    """A limit within which no driver can be loaded is named."""
    def run(*arguments):
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))
        return subprocess.run([bench.program, *arguments], capture_output=True, text=True, timeout=60, preexec_fn=limit)
    if run("--version").returncode:
        raise Skipped("the program itself does not start in it (sanitizers take terabytes)")
    done = run("devices")
    check(done.returncode == 1 and "ulimit -v" in done.stderr, f"{done.returncode}: {done.stderr}")


if __name__ == "__main__":
    try:
        failures = main(Bench, tests_of(globals()), __doc__)
    finally:
        if Bench.base:
            shutil.rmtree(Bench.base[0])
    sys.exit(failures)
