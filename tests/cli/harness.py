"""What the tests of the program's commands share: failures, a folder of its own with the program, and the run of all cases."""

import os
import signal
import subprocess
import sys
import tempfile
import time


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Failed(what)


def processor_seconds(process):
    """What the processor has worked for it, and for the processes that it started and that have ended."""
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
        return sum(map(int, file.read().rpartition(")")[2].split()[11:15])) / os.sysconf("SC_CLK_TCK")


def let_work(process, seconds):
    """Returns when the processor has worked that long for it: other work on the machine does not count."""
    start = processor_seconds(process)
    while process.poll() is None and processor_seconds(process) < start + seconds:
        time.sleep(0.01)


def interrupt(process):
    """Ctrl-C: standard output and error, and the seconds that the processor worked from the signal to the end."""
    others, before = sum(os.times()[2:4]), processor_seconds(process) if process.poll() is None else 0
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    return output, errors, sum(os.times()[2:4]) - others - before


class Bench:
    """A folder of its own, and the program, run with the words of `command` first."""

    command = ()

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *arguments, status=0, **environment):
        done = subprocess.run([self.program, *self.command, *arguments], capture_output=True, text=True, timeout=300,
                              env={**os.environ, **environment})
        check(done.returncode == status, f"{arguments}: exit status {done.returncode}, not {status}: {done.stderr}")
        return done


def tests_of(module):
    """Cases by name: the functions test_NAME of a module's globals."""
    return {name[5:]: case for name, case in module.items() if name.startswith("test_")}


def main(bench, cases, usage):
    """PROGRAM [NAME | -NAME]...: runs the cases that are named, or all but those left out, each with a fresh folder; the exit status."""
    names = sys.argv[2:]
    if len(sys.argv) < 2 or any(name.lstrip("-") not in cases for name in names):
        return usage
    program, failures = os.path.abspath(sys.argv[1]), 0
    for name in [name for name in names if name in cases] or [name for name in cases if f"-{name}" not in names]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                cases[name](bench(program, folder))
                print(f"{name}: ok")
            except Skipped as why:
                print(f"{name}: skipped: {why}")
            except Failed as failure:
                failures += 1
                print(f"{name}: FAILED: {failure}")
    return failures != 0
