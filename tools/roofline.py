#!/usr/bin/env python3
"""A roofline of recorded runs: every method of every case as a point under the device's measured ceilings.

    roofline.py RUNS.h5 [--output roofline] [--cell tet] [--order 1] [--form poisson] [--precision f64] [--device NAME]

RUNS.h5 comes from `ritz integrate`, `ritz bench` or `ritz tune` with --record. Writes OUTPUT.png and OUTPUT.svg; of several
runs of a method on a case the fastest counts. Needs h5py and matplotlib (PyPI)."""

import argparse
import math
import sys

COLUMNS = ["device.name", "cell", "order", "form", "method", "precision", "operations_per_element", "bytes_per_element", "kernel_ns_per_element",
           "ceilings.copy_gb_s", "ceilings.store_gb_s", "ceilings.f32_gflop_s", "ceilings.f64_gflop_s"]


def read_runs(path):
    """The table /integrate as a list of dictionaries."""
    import h5py
    with h5py.File(path) as file:
        if "integrate" not in file:
            sys.exit(f"{path}: there are no runs of integration in it")
        table = file["integrate"]
        missing = [name for name in COLUMNS if name not in table]
        if missing:
            sys.exit(f"{path}: the table /integrate has no {', '.join(missing)}")
        columns = {name: table[name][:] for name in COLUMNS}
    text = lambda value: value.decode() if isinstance(value, bytes) else value
    return [{name: text(columns[name][row]) for name in COLUMNS} for row in range(len(columns["cell"]))]


def choose(runs, asked):
    """Those asked for that have a time, the fastest of each method and case."""
    best = {}
    for run in runs:
        if any(value is not None and str(run[name]) != value for name, value in asked.items() if name != "device"):
            continue
        if asked["device"] and asked["device"].lower() not in run["device.name"].lower():
            continue
        time = run["kernel_ns_per_element"]
        if not (math.isfinite(time) and time > 0 and run["operations_per_element"] > 0):
            continue
        key = tuple(run[name] for name in ("device.name", "cell", "order", "form", "method", "precision"))
        if key not in best or time < best[key]["kernel_ns_per_element"]:
            best[key] = run
    return list(best.values())


def roofs(runs):
    """(bandwidth in GB/s, rate in GFLOP/s) of each device and precision."""
    found = {}
    for run in runs:
        found[run["device.name"], run["precision"]] = (max(run["ceilings.copy_gb_s"], run["ceilings.store_gb_s"]), run[f"ceilings.{run['precision']}_gflop_s"])
    return found


def draw(runs, output):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib import ticker
    figure, axes = plt.subplots(figsize=(9, 6))
    intensity = lambda run: run["operations_per_element"] / run["bytes_per_element"]
    limits = roofs(runs)
    least = min(min(intensity(run) for run in runs), min(rate / bandwidth for bandwidth, rate in limits.values())) / 2
    most = 2 * max(max(intensity(run) for run in runs), max(rate / bandwidth for bandwidth, rate in limits.values()))
    for (device, precision), (bandwidth, rate) in limits.items():
        axes.plot([least, rate / bandwidth, most], [bandwidth * least, rate, rate], color="black", linewidth=1)
        axes.text(most, rate, f"{device}, {precision}: {rate:.4g} GFLOP/s, {bandwidth:.4g} GB/s", ha="right", va="bottom", fontsize=7)
    methods, markers = sorted({run["method"] for run in runs}), "os^vD<>pP*Xhd8"
    cases = sorted({(run["cell"], int(run["order"]), run["form"], run["precision"]) for run in runs})
    for run in runs:
        case = cases.index((run["cell"], int(run["order"]), run["form"], run["precision"]))
        axes.plot(intensity(run), run["operations_per_element"] / run["kernel_ns_per_element"], markers[methods.index(run["method"]) % len(markers)],
                  color=plt.cm.tab20(case % 20), linestyle="none")
    for k, method in enumerate(methods):
        axes.plot([], [], markers[k % len(markers)], color="gray", linestyle="none", label=method)
    for k, (cell, order, form, precision) in enumerate(cases):
        axes.plot([], [], "s", color=plt.cm.tab20(k % 20), linestyle="none", label=f"{cell} {form} p={order} {precision}")
    axes.set(xscale="log", yscale="log", xlabel="operations a byte", ylabel="GFLOP/s", title="Roofline of integration")
    for axis in (axes.xaxis, axes.yaxis):  # 1, 2, 5 as plain numbers
        axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5), numticks=50))
        axis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter(ticker.NullFormatter())
    axes.grid(True, which="both", linewidth=0.3)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    for ending in ("png", "svg"):
        figure.savefig(f"{output}.{ending}", bbox_inches="tight", dpi=150)
        print(f"{output}.{ending}: {len(runs)} points")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs")
    parser.add_argument("--output", default="roofline")
    for name in ("cell", "order", "form", "precision", "method", "device"):
        parser.add_argument(f"--{name}")
    a = parser.parse_args()
    runs = choose(read_runs(a.runs), {name: getattr(a, name) for name in ("cell", "order", "form", "precision", "method", "device")})
    if not runs:
        sys.exit(f"{a.runs}: no run of that kind has a time")
    draw(runs, a.output)


if __name__ == "__main__":
    main()
