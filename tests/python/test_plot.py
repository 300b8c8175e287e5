"""Records of benchmarks, and pictures of recorded runs: what is drawn, against the record."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

h5py = pytest.importorskip("h5py")
pytest.importorskip("matplotlib").use("Agg")

from ritz import plot


@pytest.fixture(scope="module")
def record(program, tmp_path_factory):
    """Runs of one method on three meshes, by the program itself."""
    path = tmp_path_factory.mktemp("plot") / "runs.h5"
    for box in ("4x4", "8x8", "16x16"):
        words = [program, "integrate", "--box", box, "--cell", "tri", "--order", "1", "--form", "poisson", "--method", "lanes"]
        subprocess.run([*words, "--repeat", "1", "--device", "cpu", "--record", str(path)], check=True, capture_output=True, timeout=120)
    return str(path)


@pytest.fixture
def batches(record, tmp_path):
    """The first run again and again, as if by `ritz bench tensor`: time 8 ns for 32 elements a batch, 4 for 64, on two forms."""
    path = tmp_path / "batches.h5"
    with h5py.File(record) as file:
        row = {name: file["integrate"][name][0] for name in file["integrate"]}
    rows = [
        {**row, "form": form, "method": b"tensor", "elements": 1000, "kernel_ns_per_element": 256 / batch - unroll, "parameters.batch": batch,
         "parameters.concurrent": 2, "parameters.unroll": unroll, "parameters.store": 1}
        for form in (b"poisson", b"elasticity") for batch in (32, 64) for unroll in (0, 1)
    ]  # fmt: skip
    with h5py.File(path, "w") as file:
        for name in rows[0]:
            values = [row[name] for row in rows]
            kind = h5py.string_dtype() if isinstance(values[0], bytes) else None
            file.create_dataset(f"integrate/{name}", data=values, dtype=kind)
    return str(path)


def test_rate_shows_the_runs_of_the_record(record):
    figure = plot.draw_rate(plot.read_runs(record))
    (axis,) = figure.axes
    (line,) = axis.get_lines()
    with h5py.File(record) as file:
        table = file["integrate"]
        elements, rate = table["elements"][:], table["operations_gflops"][:]
    np.testing.assert_array_equal(line.get_xdata(), elements)
    np.testing.assert_allclose(line.get_ydata(), rate, rtol=1e-12)
    assert line.get_label() == "lanes" and axis.get_title() == "poisson, tri p=1, f64" and list(elements) == [32, 128, 512]


def test_batch_has_a_line_for_each_way(batches):
    runs = plot.read_runs(batches)
    figure = plot.draw_batch(runs)
    assert [axis.get_title() for axis in figure.axes] == ["elasticity, tri p=1, f64", "poisson, tri p=1, f64"]
    for axis in figure.axes:
        lines = {line.get_label(): line for line in axis.get_lines()}
        assert set(lines) == {"2 at once, loops, stores interleaved", "2 at once, unrolled, stores interleaved"}
        loops = lines["2 at once, loops, stores interleaved"]
        np.testing.assert_array_equal(loops.get_xdata(), [32, 64])
        np.testing.assert_allclose(loops.get_ydata(), runs[0]["operations_per_element"] / np.array([8, 4]))


def test_results_and_failures_are_told_apart(batches):
    """Sums alone are no matrices: panels of their own; runs whose check failed are left out, older records have neither column."""
    with h5py.File(batches, "a") as file:
        table = file["integrate"]
        n = len(table["cell"])
        del table["result"]
        table.create_dataset("result", data=[b"sum" if k % 4 == 3 else b"matrices" for k in range(n)], dtype=h5py.string_dtype())
        table["max_relative_error"][0], table["max_relative_vector_error"][1] = 1, np.inf
    runs = plot.read_runs(batches)
    assert len(runs) == n - 2
    assert [axis.get_title() for axis in plot.draw_rate(runs).axes] == [
        f"{form}, tri p=1, f64{kind}" for form in ("elasticity", "poisson") for kind in ("", ", sum alone")
    ]
    assert len(plot.choose(runs, result="sum")) == 2
    with h5py.File(batches, "a") as file:
        for name in ("result", "tolerance", "max_relative_error", "max_relative_vector_error"):
            del file["integrate"][name]
    assert len(plot.read_runs(batches)) == n and plot.case_of(plot.read_runs(batches)[0])[-1] == "matrices"


def test_roofline_has_points_and_ceilings(batches):
    runs = plot.read_runs(batches)
    (axis,) = plot.draw_roofline(runs).axes
    roof, *points = [line for line in axis.get_lines() if len(line.get_xdata())]
    bandwidth, rate = max(runs[0]["ceilings.copy_gb_s"], runs[0]["ceilings.store_gb_s"]), runs[0]["ceilings.f64_gflop_s"]
    x, y = roof.get_xdata(), roof.get_ydata()
    np.testing.assert_allclose([y[0] / x[0], y[1], y[1] / x[1], y[2]], [bandwidth, rate, bandwidth, rate])
    assert len(points) == 2  # the fastest run of each case
    np.testing.assert_allclose([point.get_ydata()[0] for point in points], runs[0]["operations_per_element"] / 3)


def test_module_writes_pictures(root, record, batches, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(root / "python"), "RITZ_LIBRARY": "/nowhere"}  # needs no library

    def run(*words):
        return subprocess.run([sys.executable, "-m", "ritz.plot", *words], env=environment, capture_output=True, text=True)

    done = run(batches, "-o", str(tmp_path / "all"))
    names = [f"all-{name}.{ending}" for name in ("rate", "batch", "roofline") for ending in ("png", "svg")]
    assert done.returncode == 0 and [os.path.basename(line) for line in done.stdout.split()] == names, done.stderr
    assert all((tmp_path / name).read_bytes()[:8] in (b"\x89PNG\r\n\x1a\n", b"<?xml ve") for name in names)
    done = run(record, "-o", str(tmp_path / "one"))
    assert done.returncode == 0 and len(done.stdout.split()) == 4  # without a batch size
    done = run(record, "--picture", "batch")
    assert done.returncode == 1 and "no run has a batch size; `ritz bench tensor --record` makes some" in done.stderr
    done = run(record, "--cell", "hex")
    assert done.returncode == 1 and "no run of that kind has a time" in done.stderr
    (tmp_path / "text.h5").write_text("text")
    done = run(str(tmp_path / "text.h5"))
    assert done.returncode == 1 and "this is no record of runs" in done.stderr


def test_benchmarks_of_matrices_record_their_runs(program, tmp_path):
    path = str(tmp_path / "runs.h5")
    shared = ["--nodes", "9x9", "--repeat", "2", "--device", "cpu", "--json", "--record", path]
    benchmarks = {
        "spmv": ["--meshes", "tri", "--formats", "csr,sbell", "--types", "f64"],
        "pcg": ["--meshes", "quad", "--preconditioners", "jacobi,least-squares", "--degrees", "2", "--precisions", "double"],
    }
    told = {}
    for name, words in benchmarks.items():
        done = subprocess.run([program, "bench", name, *words, *shared], check=True, capture_output=True, timeout=120)
        told[name] = json.loads(done.stdout)
    with h5py.File(path) as file:
        for name, report in told.items():
            table, runs = file[name], report["runs"]
            assert len(runs) == 2 and {"date", "version", "device.driver", "repeat", "failed", "ceilings.copy_gb_s"} <= set(table)
            for column in ("matrix", "format", "nonzeros", "block", "seconds", "seconds_least", "bandwidth_gb_s"):
                values = [value.decode() if isinstance(value, bytes) else value for value in table[column][:]]
                np.testing.assert_array_equal(values, [run[column] for run in runs])
            assert table["command"][0].decode() == f"bench {name}" and table["device.name"][1].decode() == report["device"]["name"]
        assert list(file["pcg/iterations"][:]) == [run["iterations"] for run in told["pcg"]["runs"]]
        assert list(file["spmv/max_relative_error"][:]) == [run["max_relative_error"] for run in told["spmv"]["runs"]]
