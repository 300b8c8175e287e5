"""Random problems, by default and by multigrid, against the direct solution of the same system.

python3 tests/python/test_random.py FIRST LAST [UNKNOWNS]: as many more as one likes, with a line for each (PYTHONPATH=python RITZ_LIBRARY=build)."""

import random
import sys

import h5py
import numpy as np
import pytest
import ritz

UNKNOWNS = 1500  # about; the largest have a few times as many
SEEDS = range(8)
SOLVERS = {"default": None, "multigrid": {"method": "cg", "preconditioner": "multigrid"}}
VALUE = {"heat": "temperature", "poisson": "value", "seepage": "head"}  # what is prescribed
FIELD = VALUE | {"poisson": "u"}  # its name in results
ERROR_MOST = 1e-5  # of the largest value of the field that is solved for


def box(r, dim, components, order, unknowns):
    """A box of cells, cubes or flat and long, up to 1 to 20."""
    cell = r.choice(["hex", "hex", "tet", "prism"] if dim == 3 else ["tri", "quad"])
    aspects = [10 ** r.uniform(-0.6, 0.6) for _ in range(dim)]
    scale = (unknowns * r.choice([0.2, 1, 1]) / components / np.prod(aspects)) ** (1 / dim) / order
    cells = [max(1, min(400, round(scale * aspect))) for aspect in aspects]
    cells[0] = max(cells[0], 4)  # room for two materials
    length = 10 ** r.choice([0, 0, -3, 3])
    size = [length * n / max(cells) for n in cells]
    if r.random() < 0.5:
        size = [length] + [length * 10 ** r.uniform(-1.2, 0) for _ in cells[1:]]
    made = {"cell": cell, "cells": cells, "size": size}
    return made | ({"distort": 0.2} if r.random() < 0.4 else {})


def two_materials(r, mesh, first, second):
    """Groups and materials: `second` in the middle, at one end, or in turns along x."""
    n, length = mesh["cells"][0], mesh["size"][0]
    cuts = r.choice([[(0, n // 2)], [(n // 4, n - n // 4)], [(0, n // 4), (n // 2, n - n // 4)]])
    far = 9 * max(mesh["size"])
    rest = [-far] * (len(mesh["cells"]) - 1)
    names = [f"part{i}" for i in range(len(cuts))]
    groups = [
        {
            "name": name,
            "of": "cells",
            "box": {"from": [a * length / n, *rest], "to": [b * length / n, *(-x for x in rest)]},
            "tolerance": 0.35 * length / n,
        }
        for name, (a, b) in zip(names, cuts)
    ]
    groups.append({"name": "rest", "of": "cells", "not": names, "box": {"from": [-far, *rest], "to": [far, *(-x for x in rest)]}})
    return groups, [{"group": "rest"} | first, {"groups": names} | second]


def scalar_problem(r, unknowns):
    """Heat, seepage or Poisson's equation: values, films and fluxes, about a level that may be large."""
    physics, dim, order = r.choice(["heat", "heat", "seepage", "poisson"]), r.choice([2, 3, 3]), r.choice([1, 1, 2, 2, 3])
    mesh = box(r, dim, 1, order, unknowns)
    length = mesh["size"][0]
    factor, contrast, level = 10 ** r.choice([0, 0, 3, -3]), r.choice([1, 1, 1e2, 1e-3, 1e6]), r.choice([0, 0, 20, 300])
    coefficient, flux = {"seepage": ("permeability", "inflow")}.get(physics, ("conductivity", "flux"))
    material = {coefficient: factor} | ({"source": "x"} if r.random() < 0.5 else {})
    groups, materials = two_materials(r, mesh, material, material | {coefficient: factor * contrast})
    film, ambient = ("leakage", "ambient") if physics == "seepage" else ("film", "ambient")
    boundary = [{"group": "x0", VALUE[physics]: level}]
    if physics != "poisson" and r.random() < 0.7:
        warm = {"coefficient": factor / length * 10 ** r.uniform(-4, 2), ambient: level + r.uniform(0, 50)}
        boundary = boundary[: r.choice([0, 1])] + [{"group": r.choice(["x0", "y0", "y1"]), film: warm}]
    far = r.choice([{VALUE[physics]: level + r.uniform(-1, 1) * 10 ** r.uniform(-3, 2)}, {flux: factor * 10 ** r.uniform(-3, 3)}])
    return {"physics": physics, "order": order, "mesh": {"box": mesh}, "groups": groups, "materials": materials,
            "boundary": [*boundary, {"group": "x1"} | far]}  # fmt: skip


def supports(r, dim, length, young):
    """Boundary conditions, rigid faces and equations that hold a part at x0."""
    axes = "xyz"[:dim]
    kind = r.choice(["clamp", "planes", "bedding", "springs", "rigid", "means"] if dim == 3 else ["clamp", "planes", "bedding", "springs"])
    if kind == "planes":
        return {"boundary": [{"group": axis + "0", "normal": 0} for axis in axes]}
    if kind == "bedding":
        return {"boundary": [{"group": "x0", "bedding": [young / length * 10 ** r.uniform(-1, 1)] * dim}]}
    if kind == "springs":
        return {"boundary": [{"group": "x0", "spring": [young * length ** (dim - 2) * 10 ** r.uniform(-2, 1)] * dim}]}
    if kind == "rigid":
        turn = {"x": 0, "y": r.choice([0, 0.1]), "z": r.choice([0, 0.01])}
        return {"rigid": [{"group": "x0", "at": [0, 0, 0], "displacement": {a: r.choice([0, 0.1 * length]) for a in axes}, "rotation": turn}]}
    if kind == "means":
        return {"boundary": [{"group": "y0", "normal": 0}, {"group": "z0", "bedding": [0, 0, young / length]}],
                "equations": [{"terms": [{"group": "x0", "component": "x"}], "value": r.choice([0, 0.1 * length])}]}  # fmt: skip
    return {"boundary": [{"group": "x0", "displacement": "fixed"}]}


def elastic_problem(r, unknowns):
    """A part of one material or two, held in some way, under one or two of the usual loads."""
    physics, order = r.choice(["elasticity"] * 4 + ["plane-stress", "plane-strain"]), r.choice([1, 1, 2, 2, 3])
    dim = 3 if physics == "elasticity" else 2
    mesh = box(r, dim, dim, order, unknowns)
    length, young, contrast = mesh["size"][0], 10 ** r.choice([0, 11, 5]), r.choice([1, 1, 1e2, 1e-3, 1e6, 1e-6])
    material = {"poisson": r.choice([0, 0.3, 0.3, 0.45]), "expansion": 1.2e-5, "density": 7800.0}
    if order == 1 and mesh["cell"] in ("hex", "quad") and r.random() < 0.5:
        material["formulation"] = "incompatible"
    groups, materials = two_materials(r, mesh, material | {"young": young}, material | {"young": young * contrast})
    problem = {"physics": physics, "order": order, "mesh": {"box": mesh}, "groups": groups, "materials": materials}
    problem |= supports(r, dim, length, young)
    boundary = problem.pop("boundary", [])
    strain = 10 ** r.uniform(-8, -3)
    for load in r.sample(["traction", "pressure", "gravity", "centrifugal", "warmth", "force"], r.choice([1, 1, 2])):
        if load == "traction":
            boundary.append({"group": "x1", "traction": [young * strain * r.uniform(-1, 1) for _ in range(dim)]})
        elif load == "pressure":
            boundary.append({"group": "y1", "pressure": young * strain})
        elif load == "gravity":
            problem["gravity"] = [0] * (dim - 1) + [-9.81]
        elif load == "centrifugal":
            problem["centrifugal"] = {"rpm": 3000}
        elif load == "warmth":
            problem["temperature"] = f"100*x/{length!r}"
        else:
            boundary.append({"group": "x1", "force": [young * strain * length ** (dim - 1) * r.uniform(-1, 1) for _ in range(dim)]})
    return problem | ({"boundary": boundary} if boundary else {})


def make_problem(seed, unknowns=UNKNOWNS):
    r = random.Random(seed)
    return r.choice([elastic_problem, elastic_problem, scalar_problem])(r, unknowns)


def solve(problem, solver, folder):
    """The field that is solved for, and the result."""
    out = folder / "result.vtkhdf"
    result = ritz.solve_problem(problem | {"output": {"file": str(out)}}, {"solver": solver} if solver else None)
    with h5py.File(out) as file:
        return file["VTKHDF/PointData"][FIELD.get(problem["physics"], "displacement")][:], result


def compare(seed, folder, unknowns=UNKNOWNS):
    """The error of each solver, and a line about the problem."""
    problem = make_problem(seed, unknowns)
    exact, result = solve(problem, {"method": "direct", "tolerance": 1e-12}, folder)
    line = f"{seed}: {problem['physics']}, {problem['mesh']['box']['cell']}, order {problem['order']}, {result.unknowns} unknowns"
    errors = {}
    for name, solver in SOLVERS.items():
        field, result = solve(problem, solver, folder)
        errors[name] = abs(field - exact).max() / abs(exact).max()
        line += f"; {name}: {result.solve.method}, {result.solve.preconditioner}, {result.solve.iterations} iterations, {errors[name]:.1e}"
    return errors, line


@pytest.mark.parametrize("seed", SEEDS)
def test_against_direct(seed, tmp_path):
    errors, line = compare(seed, tmp_path)
    assert max(errors.values()) < ERROR_MOST, line


if __name__ == "__main__":
    import pathlib
    import tempfile

    first, last, *unknowns = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(first, last):
            try:
                worst, text = compare(number, pathlib.Path(scratch), *unknowns)
                print("BAD " if max(worst.values()) > ERROR_MOST else "ok  ", text, flush=True)
            except ritz.Error as error:
                print("FAIL", number, error, flush=True)
