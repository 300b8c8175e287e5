"""What bench/peers/petsc.sh measured in one case, as one line of JSON with the ratios.

    python3 petsc_compare.py FOLDER

FOLDER holds petsc-*.json of petsc_solve.py, spmv-*.json and pcg-*.json of `ritz bench`, a file each turn, and the solutions x.mtx
and ritz.mtx of both. Figures are medians over the turns of each turn's median, with the least of all turns beside
them; ratios are PETSc's seconds over Ritz'. The line ends with the largest difference of the solutions over their largest
entry; above 1e-4 they are not of the same system, and the exit status is 1."""

import glob
import json
import os
import statistics
import sys

import numpy


def read(folder, name):
    """What all turns printed."""
    told = []
    for path in sorted(glob.glob(os.path.join(folder, name + "-*.json"))):
        with open(path, encoding="utf-8") as file:
            told.append(json.load(file))
    return told


def collect(turns, key):
    """The good runs of all turns, those with the same key together."""
    runs = {}
    for turn in turns:
        for run in turn["runs"]:
            if "reason" not in run and run.get("converged", True):
                runs.setdefault(tuple(run[k] for k in key), []).append(run)
    return runs


def beside(petsc, ours, unit):
    """Seconds of both, (medians, leasts) of the turns each: Ritz' own and the ratios."""
    median, least = statistics.median(ours[0]), min(ours[1])
    return {"median": round(unit * median, 3), "least": round(unit * least, 3),
            "ratio": round(statistics.median(petsc[0]) / median, 2), "ratio_of_least": round(min(petsc[1]) / least, 2)}


def main():
    folder = sys.argv[1]
    petsc, spmv, pcg = read(folder, "petsc"), read(folder, "spmv"), read(folder, "pcg")
    case = {key: petsc[0][key] for key in ("peer", "ranks", "cell", "cells", "unknowns", "nonzeros")}
    best = [min(turn["product_s"].values(), key=lambda s: s["median"]) for turn in petsc]
    product = [s["median"] for s in best], [s["min"] for s in best]
    solve = [turn["solve"]["median"] for turn in petsc], [turn["solve"]["min"] for turn in petsc]
    case["copy_gb_s"] = [round(turn["copy_gb_s"], 1) for turn in spmv]
    case["petsc"] = {"product_ms": [round(1e3 * s, 3) for s in product[0]], "best": [turn["best"] for turn in petsc],
                     "iterations": petsc[0]["solve"]["iterations"], "solve_s": [round(s, 3) for s in solve[0]],
                     "true_residual": petsc[0]["solve"]["true_residual"]}
    case["products"] = []
    for (form, types), runs in collect(spmv, ("format", "type")).items():
        seconds = [run["seconds"] for run in runs], [run["seconds_least"] for run in runs]
        case["products"].append({"format": form, "type": types, "ms": beside(product, seconds, 1e3),
                                 "error": max(run["max_relative_error"] for run in runs)})
    case["solves"] = []
    for (precision, degree), runs in collect(pcg, ("precision", "degree")).items():
        seconds = [run["seconds"] for run in runs], [run["seconds_least"] for run in runs]
        case["solves"].append({"preconditioner": "least-squares", "precision": precision, "degree": degree, "half": runs[0]["half"],
                               "iterations": runs[0]["iterations"], "double_iterations": runs[0]["double_iterations"],
                               "s": beside(solve, seconds, 1), "turns_s": [round(s, 3) for s in seconds[0]],
                               "scaled_residual": max(run["scaled_residual"] for run in runs)})
    theirs, ours = (numpy.loadtxt(os.path.join(folder, name), comments="%", skiprows=2) for name in ("x.mtx", "ritz.mtx"))
    difference = float(numpy.max(numpy.abs(theirs - ours)) / numpy.max(numpy.abs(theirs)))
    case["solutions_differ"] = difference
    print(json.dumps(case))
    return 0 if difference < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
