"""`python -m ritz.plot runs.h5`: what runs of `ritz integrate`, `ritz predict`, `ritz tune` and `ritz bench` with --record came to, as pictures: rate
over elements, rate over the batch size, and the roofline."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

Run = dict[str, Any]
CASE = ("device.name", "cell", "order", "form", "precision", "result")
NEEDED = (*CASE[:-1], "method", "elements", "operations_per_element", "bytes_per_element", "kernel_ns_per_element")
CEILINGS = ("ceilings.copy_gb_s", "ceilings.store_gb_s", "ceilings.f32_gflop_s", "ceilings.f64_gflop_s")
ERRORS = ("max_relative_error", "max_relative_vector_error")
OTHERWISE = {"result": "matrices", "tolerance": math.inf, **dict.fromkeys(ERRORS, 0.0)}  # in records that do not tell
BATCH = ("parameters.batch", "parameters.concurrent", "parameters.unroll", "parameters.store")
MARKERS = "os^vD<>pP*Xhd8"


class NoPicture(Exception):
    """Why there is nothing to draw."""


# ---- Runs ----


def read_runs(path: str | os.PathLike[str]) -> list[Run]:
    """The table /integrate of a record file, a dictionary for each run that was timed and passed its check; parameters that a run
    lacks are -1."""
    try:
        import h5py
    except ImportError as error:
        raise NoPicture(f"records are read by h5py ({error}): pip install h5py matplotlib") from None
    try:
        with h5py.File(path) as file:
            if "integrate" not in file:
                raise NoPicture(f"{os.fspath(path)}: there are no runs of integration in it")
            table = file["integrate"]
            missing = [name for name in (*NEEDED, *CEILINGS) if name not in table]
            if missing:
                raise NoPicture(f"{os.fspath(path)}: the table /integrate has no {', '.join(missing)}")
            columns = {name: table[name][:] for name in (*NEEDED, *CEILINGS)}
            for name, value in {**dict.fromkeys(BATCH, -1), **OTHERWISE}.items():
                columns[name] = table[name][:] if name in table else [value] * len(columns["cell"])
    except OSError as error:
        raise NoPicture(f"{os.fspath(path)}: this is no record of runs: {error}") from None
    runs = [
        {name: value[row].decode() if isinstance(value[row], bytes) else value[row] for name, value in columns.items()}
        for row in range(len(columns["cell"]))
    ]
    for run in runs:
        run["result"] = run["result"] or OTHERWISE["result"]  # rows from before there was that column
    return [run for run in runs if math.isfinite(run["kernel_ns_per_element"]) and run["kernel_ns_per_element"] > 0 and not has_failed(run)]


def has_failed(run: Run) -> bool:
    """Whether the run's check did, as `ritz integrate` has it; forms without a load have no error of vectors."""
    matrix, vector = (float(run[name]) for name in ERRORS)
    tolerance = run["tolerance"]
    return bool(tolerance > 0 and (not matrix <= tolerance or vector > tolerance))


def choose(runs: Iterable[Run], **asked: str | None) -> list[Run]:
    """The runs of this cell, order, form, precision, result, method; device: part of its name."""

    def fits(run: Run) -> bool:
        device = asked.get("device") or ""
        return device.lower() in run["device.name"].lower() and all(
            value is None or str(run[name]) == value for name, value in asked.items() if name != "device"
        )

    return [run for run in runs if fits(run)]


def rate_of(run: Run) -> float:
    """GFLOP/s of the operations that were done."""
    return float(run["operations_per_element"] / run["kernel_ns_per_element"])


def fastest(runs: Iterable[Run], key: Callable[[Run], Any]) -> dict[Any, Run]:
    """The fastest run of each key, in the order of the keys."""
    best: dict[Any, Run] = {}
    for run in runs:
        at = key(run)
        if at not in best or run["kernel_ns_per_element"] < best[at]["kernel_ns_per_element"]:
            best[at] = run
    return dict(sorted(best.items()))


def case_of(run: Run) -> tuple[Any, ...]:
    """What has to be alike for two runs to be compared."""
    return tuple(run[name] for name in CASE)


def words_of(case: Sequence[Any]) -> str:
    """A case in words, for titles and legends."""
    _, cell, order, form, precision, result = case
    return f"{form}, {cell} p={order}, {precision}" + ("" if result == "matrices" else f", {result} alone")


# ---- Pictures ----


def _plain_ticks(axis: Any) -> None:
    """Numbers as 20, 50, 100 and not as powers of ten."""
    from matplotlib import ticker

    for side, (low, high) in ((axis.xaxis, axis.get_xlim()), (axis.yaxis, axis.get_ylim())):
        side.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if high < 300 * low else (1,), numticks=20))
        side.set_major_formatter(ticker.FormatStrFormatter("%g"))
        side.set_minor_formatter(ticker.NullFormatter())
    axis.grid(True, which="both", linewidth=0.3)


def _panels(cases: Sequence[tuple[Any, ...]], xlabel: str, title: str) -> tuple[Any, dict[tuple[Any, ...], Any]]:
    """A figure with axes for each case."""
    import matplotlib.pyplot as plt

    columns = min(math.ceil(math.sqrt(len(cases))), 4)
    rows = -(-len(cases) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(4.6 * columns + 1.5, 3.4 * rows + 0.6), squeeze=False, layout="constrained")
    devices = sorted({case[0] for case in cases})
    figure.suptitle(title + (f"\n{devices[0]}" if len(devices) == 1 else ""), fontsize=10)
    placed = {}
    for number, axis in enumerate(axes.flat):
        if number >= len(cases):
            axis.set_visible(False)
            continue
        case = cases[number]
        axis.set(xscale="log", yscale="log", xlabel=xlabel, ylabel="GFLOP/s")
        axis.set_title(words_of(case) + ("" if len(devices) == 1 else f"\n{case[0]}"), fontsize=9)
        placed[case] = axis
    return figure, placed


def _finish(figure: Any, axes: Iterable[Any]) -> None:
    """Ticks, and one legend for all axes."""
    lines: dict[str, Any] = {}
    for axis in axes:
        _plain_ticks(axis)
        for handle, label in zip(*axis.get_legend_handles_labels()):
            lines.setdefault(label, handle)
    figure.legend(list(lines.values()), list(lines), loc="outside right center", fontsize=8)


def draw_rate(runs: Sequence[Run]) -> Any:
    """Rate over elements: for each case a line for each method, of its fastest runs."""
    import matplotlib.pyplot as plt

    methods = sorted({run["method"] for run in runs})
    figure, axes = _panels(sorted({case_of(run) for run in runs}), "elements", "Rate of integration")
    for case, axis in axes.items():
        for number, method in enumerate(methods):
            mine = [run for run in runs if case_of(run) == case and run["method"] == method]
            best = fastest(mine, lambda run: int(run["elements"]))
            if best:
                axis.plot(
                    list(best), [rate_of(run) for run in best.values()], MARKERS[number % len(MARKERS)] + "-",
                    color=plt.cm.tab20(number % 20), markersize=4, linewidth=1, label=method,
                )  # fmt: skip
    _finish(figure, axes.values())
    return figure


def draw_batch(runs: Sequence[Run]) -> Any:
    """Rate over the batch size, as Figs. 1 to 3 of Knepley and Terrel (2013): a line for each way to run; of several numbers of
    elements the largest counts."""
    import matplotlib.pyplot as plt

    with_batch = [run for run in runs if run["parameters.batch"] > 0]
    if not with_batch:
        raise NoPicture("no run has a batch size; `ritz bench tensor --record` makes some")
    figure, axes = _panels(sorted({case_of(run) for run in with_batch}), "elements a batch", "Rate by batch size")
    ways = sorted({tuple(int(run[name]) for name in BATCH[1:]) for run in with_batch})
    for case, axis in axes.items():
        mine = [run for run in with_batch if case_of(run) == case]
        most = max(run["elements"] for run in mine)
        for number, (concurrent, unroll, store) in enumerate(ways):
            own = [run for run in mine if run["elements"] == most and tuple(int(run[name]) for name in BATCH[1:]) == ways[number]]
            best = fastest(own, lambda run: int(run["parameters.batch"]))
            label = f"{concurrent} at once, {'unrolled' if unroll else 'loops'}, stores {'interleaved' if store else 'after'}"
            if best:
                axis.plot(
                    list(best), [rate_of(run) for run in best.values()], MARKERS[concurrent % len(MARKERS)],
                    linestyle="-" if unroll else "--", color=plt.cm.tab20(number % 20), markersize=4, linewidth=1, label=label,
                )  # fmt: skip
    _finish(figure, axes.values())
    for axis in axes.values():
        axis.set_xticks(sorted({int(run["parameters.batch"]) for run in with_batch}))
    return figure


def _intensity(run: Run) -> float:
    return float(run["operations_per_element"] / run["bytes_per_element"])


def draw_roofline(runs: Sequence[Run]) -> Any:
    """Each method's fastest run of each case under the measured ceilings of its device."""
    import matplotlib.pyplot as plt

    best = list(fastest(runs, lambda run: (*case_of(run), run["method"])).values())
    best = [run for run in best if run["operations_per_element"] > 0 and run["bytes_per_element"] > 0]
    roofs = {}
    for run in best:
        bandwidth = max(run["ceilings.copy_gb_s"], run["ceilings.store_gb_s"])
        rate = run[f"ceilings.{run['precision']}_gflop_s"]
        if bandwidth > 0 and rate > 0:
            roofs[run["device.name"], run["precision"]] = bandwidth, rate
    if not best:
        raise NoPicture("no run tells its operations and bytes")
    figure, axis = plt.subplots(figsize=(9.5, 6), layout="constrained")
    turns = [rate / bandwidth for bandwidth, rate in roofs.values()]
    least, most = (pick([*map(_intensity, best), *turns]) for pick in (min, max))
    least, most = least / 2, 2 * most
    for (device, precision), (bandwidth, rate) in roofs.items():
        axis.plot([least, rate / bandwidth, most], [bandwidth * least, rate, rate], color="black", linewidth=1)
        axis.text(most, rate, f"{device}, {precision}: {rate:.4g} GFLOP/s, {bandwidth:.4g} GB/s", ha="right", va="bottom", fontsize=7)
    methods, cases = sorted({run["method"] for run in best}), sorted({case_of(run) for run in best})
    markers = {method: MARKERS[number % len(MARKERS)] for number, method in enumerate(methods)}
    for run in best:
        colour = plt.cm.tab20(cases.index(case_of(run)) % 20)
        axis.plot(_intensity(run), rate_of(run), markers[run["method"]], color=colour, linestyle="none")
    for method, marker in markers.items():
        axis.plot([], [], marker, color="gray", linestyle="none", label=method)
    for number, case in enumerate(cases):
        axis.plot([], [], linewidth=4, color=plt.cm.tab20(number % 20), label=words_of(case))
    axis.set(xscale="log", yscale="log", xlabel="operations a byte", ylabel="GFLOP/s", title="Roofline of integration")
    axis.set_ylim(min(map(rate_of, best)) / 3, 2 * max([*map(rate_of, best), *(rate for _, rate in roofs.values())]))
    _plain_ticks(axis)
    figure.legend(fontsize=8, loc="outside right center")
    return figure


PICTURES: dict[str, Callable[[Sequence[Run]], Any]] = {"rate": draw_rate, "batch": draw_batch, "roofline": draw_roofline}


def draw(path: str, output: str, pictures: Sequence[str] = (), **asked: str | None) -> list[str]:
    """Writes OUTPUT-rate.png and .svg, and likewise the others; the files that were written. Without `pictures` all that the runs
    allow."""
    try:
        import matplotlib
    except ImportError as error:
        raise NoPicture(f"pictures are drawn by matplotlib ({error}): pip install h5py matplotlib") from None
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "ritz"  # the same runs give the same file
    import matplotlib.pyplot as plt

    runs = choose(read_runs(path), **asked)
    if not runs:
        raise NoPicture(f"{path}: no run of that kind has a time")
    written = []
    for name in pictures or PICTURES:
        try:
            figure = PICTURES[name](runs)
        except NoPicture:
            if pictures:
                raise
            continue
        for ending in ("png", "svg"):
            written.append(f"{output}-{name}.{ending}")
            figure.savefig(written[-1], dpi=150, metadata={"Date": None} if ending == "svg" else None)
        plt.close(figure)
    return written


def main(arguments: list[str] | None = None) -> int:
    """`python -m ritz.plot`; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m ritz.plot",
        description="Draws runs of `ritz integrate`, `ritz tune` and `ritz bench` with --record: rate over elements, rate over the "
        "batch size (ritz bench tensor), and the roofline, each as PNG and SVG.",
    )
    parser.add_argument("runs", help="an HDF5 file by --record")
    parser.add_argument("-o", "--output", help="beginning of the names of the files (default: that of the runs)")
    parser.add_argument("--picture", action="append", default=[], choices=list(PICTURES), help="one of them, instead of all there are")
    for name in ("cell", "order", "form", "precision", "result", "method"):
        parser.add_argument(f"--{name}", help="only runs of this " + name)
    parser.add_argument("--device", help="only runs on devices with this in their name")
    a = parser.parse_args(arguments)
    asked = {name: getattr(a, name) for name in ("cell", "order", "form", "precision", "result", "method", "device")}
    try:
        for written in draw(a.runs, a.output or os.path.splitext(a.runs)[0], a.picture, **asked):
            print(written)
    except (NoPicture, OSError) as error:
        print(f"ritz: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
