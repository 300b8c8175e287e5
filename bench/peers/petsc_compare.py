"""What bench/peers/petsc.sh measured in one case, as one line of JSON with the ratios.

    python3 petsc_compare.py FOLDER

FOLDER holds before.json and after.json of petsc_solve.py, spmv.json and pcg.json of `ritz bench`, and the solutions x.mtx and
ritz.mtx of both. Ratios are PETSc's seconds over Ritz': medians of products, with the least beside them, and medians of
solves, of PETSc the faster of its two runs. The line ends with the largest difference of the solutions over their largest
entry; above 1e-4 they are not of the same system, and the exit status is 1."""

import json
import os
import sys

import numpy


def main():
    folder = sys.argv[1]
    read = {}
    for name in ("before", "after", "spmv", "pcg"):
        with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
            read[name] = json.load(file)
    petsc, again = read["before"], read["after"]
    product = min((run["product_s"][name] for run in (petsc, again) for name in run["product_s"]), key=lambda s: s["median"])
    solve = min(petsc["solve"], again["solve"], key=lambda s: s["median"])
    case = {key: petsc[key] for key in ("peer", "ranks", "cell", "cells", "unknowns", "nonzeros")}
    case["copy_gb_s"] = round(read["spmv"]["copy_gb_s"], 1)
    case["petsc"] = {"product_ms": [{name: round(1e3 * seconds["median"], 3) for name, seconds in run["product_s"].items()}
                                    for run in (petsc, again)],
                     "best": [petsc["best"], again["best"]], "iterations": solve["iterations"],
                     "solve_s": [round(run["solve"]["median"], 3) for run in (petsc, again)],
                     "true_residual": solve["true_residual"]}
    case["products"] = {}
    for run in read["spmv"]["runs"]:
        if "reason" in run:
            continue
        case["products"].setdefault(run["format"], {})[run["type"]] = {
            "ms": round(1e3 * run["seconds"], 3), "gb_s": round(run["bandwidth_gb_s"], 1), "error": run["max_relative_error"],
            "ratio": round(product["median"] / run["seconds"], 2),
            "ratio_of_least": round(product["min"] / run["seconds_least"], 2)}
    case["solves"] = []
    for run in read["pcg"]["runs"]:
        if "reason" in run or not run["converged"]:
            continue
        case["solves"].append({
            "preconditioner": run["preconditioner"], "degree": run["degree"], "precision": run["precision"], "format": run["format"],
            "half": run["half"],
            "iterations": run["iterations"], "s": round(run["seconds"], 3), "setup_s": round(run["seconds_setup"], 3),
            "scaled_residual": run["scaled_residual"], "ratio": round(solve["median"] / run["seconds"], 2)})
    theirs, ours = (numpy.loadtxt(os.path.join(folder, name), comments="%", skiprows=2) for name in ("x.mtx", "ritz.mtx"))
    difference = float(numpy.max(numpy.abs(theirs - ours)) / numpy.max(numpy.abs(theirs)))
    case["solutions_differ"] = difference
    print(json.dumps(case))
    return 0 if difference < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
