"""Multigrid of Ritz beside PyAMG's smoothed aggregation and, through PETSc on two ranks, GAMG and hypre: the same matrix, load and
near-nullspace, all under conjugate gradients, all in one run.

    pip install ./python pyamg && python3 bench/peers/multigrid_compare.py [--side 25] [--cantilever CELLS] [--peers pyamg,petsc]
        [--cells hex,tet] [--tolerance 1e-8] [--repeat 1] [--device cpu]

Cubes of order 1: elasticity, held at x = 0 and pulled at x = 1, with rigid motions, and Poisson's equation with constants; or the
cantilever 4 x 1 x 1 of 4 n x n x n cubes under its own weight (34: 503 475 unknowns). Ritz as it is by default; PyAMG with its
defaults (symmetric Gauss and Seidel) and with Ritz' own smoother, Chebyshev's of degree 2; GAMG and BoomerAMG with theirs,
CG with Jacobi beside them (petsc_multigrid.py; Debian's petsc4py and mpirun). Ritz and PyAMG stop at the true residual relative to b's
in the 2-norm of the scaled system D^-1/2 A D^-1/2, PETSc in that of A; what each has reached in the former is printed. A line a
case: unknowns, iterations, seconds of set-up and of iterations (medians of --repeat, after one run that warms up), operator
complexity, residual. PyAMG's set-up and smoothers run on one core."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import ritz
import scipy.sparse as sparse


def elasticity(device, cell, side):
    space = ritz.Space(ritz.Mesh.box(cell, (side,) * 3), order=1, components=3)
    held = ritz.Constraints(space).set("x0", 0.0)
    matrix, b = ritz.assemble(space, ritz.Form("elasticity", 3), {"young": 1.0, "poisson": 0.3}, loads=[ritz.Traction("x1", [0, 0, 1])],
                              constraints=held, device=device)
    return matrix, b, space.rigid_motions(), space.points


def cantilever(device, cell, side):
    space = ritz.Space(ritz.Mesh.box(cell, (4 * side, side, side), size=(4, 1, 1)), order=1, components=3)
    held = ritz.Constraints(space).set("x0", 0.0)
    material = {"young": 1.0, "poisson": 0.3, "force_z": -1.0}
    matrix, b = ritz.assemble(space, ritz.Form("elasticity", 3), material, constraints=held, device=device)
    return matrix, b, space.rigid_motions(), space.points


def poisson(device, cell, side):
    space = ritz.Space(ritz.Mesh.box(cell, (side,) * 3), order=1)
    held = ritz.Constraints(space)
    for group in ("x0", "x1", "y0", "y1", "z0", "z1"):
        held.set(group, 0.0)
    matrix, b = ritz.assemble(space, ritz.Form("poisson", 3), {"conductivity": 1.0, "source": 1.0}, constraints=held, device=device)
    return matrix, b, np.ones((matrix.shape[0], 1)), space.points


class System:
    """A case, as arrays for the peers, and the residual by which all are compared."""

    def __init__(self, matrix, b, motions, points):
        self.matrix, self.b, self.motions, self.points = matrix, b, motions, points
        self.a = matrix.to_scipy()
        self.root = np.sqrt(self.a.diagonal())
        self.block = 3 if motions.shape[1] > 1 else 1

    def residual(self, x):
        return np.linalg.norm((self.b - self.a @ x) / self.root) / np.linalg.norm(self.b / self.root)


def by_ritz(system, tolerance):
    start = time.perf_counter()
    solver = ritz.Solver(system.matrix, preconditioner="multigrid", near_nullspace=system.motions, tolerance=tolerance)
    made = time.perf_counter()
    x, report = solver.solve(system.b)
    done = time.perf_counter()
    return {"iterations": report.iterations, "setup": made - start, "solve": done - made, "residual": system.residual(x)}


def by_pyamg(system, tolerance, smoother):
    import pyamg

    scaling = sparse.diags(1 / system.root)
    scaled, right = (scaling @ system.a @ scaling).tobsr((system.block, system.block)), system.b / system.root
    begin = time.perf_counter()
    hierarchy = pyamg.smoothed_aggregation_solver(scaled, B=system.motions * system.root[:, None], strength=("symmetric", {"theta": 0.08}),
                                                  max_coarse=600, coarse_solver="splu", presmoother=smoother, postsmoother=smoother)
    made, residuals = time.perf_counter(), []
    y = hierarchy.solve(right, tol=tolerance, accel="cg", residuals=residuals, maxiter=200)
    return {"iterations": len(residuals) - 1, "setup": made - begin, "solve": time.perf_counter() - made,
            "complexity": hierarchy.operator_complexity(), "residual": system.residual(y / system.root)}


def write_system(system, folder):
    """In PETSc's binary form, with nodes ordered by x, y and z, so that ranks have slabs; the order that undoes this."""
    nodes = np.lexsort(np.round(system.points.T[::-1], 9))
    order = (nodes[:, None] * system.block + np.arange(system.block)).ravel()
    a = system.a[order][:, order].tocsr()
    a.sort_indices()
    big = (np.diff(a.indptr).astype(">i4"), a.indices.astype(">i4"), a.data.astype(">f8"))
    with open(folder / "A", "wb") as file:
        np.array([1211216, *a.shape, a.nnz], ">i4").tofile(file)
        for part in big:
            part.tofile(file)
    modes = np.linalg.qr(system.motions)[0]
    with open(folder / "vectors", "wb") as file:  # the load, then the near-nullspace
        for vector in (system.b, *modes.T):
            np.array([1211214, len(vector)], ">i4").tofile(file)
            vector[order].astype(">f8").tofile(file)
    return order


def by_petsc(system, tolerance, repeat, cores):
    program = pathlib.Path(__file__).with_name("petsc_multigrid.py")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        order = write_system(system, folder)
        command = ["mpirun", "--bind-to", "core", "-n", str(cores), "/usr/bin/python3", program, folder, "--block", str(system.block),
                   "--vectors", str(system.motions.shape[1]), "--tolerance", str(tolerance), "--repeat", str(repeat)]
        env = os.environ | {"OMP_NUM_THREADS": "1"}
        lines = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True, env=env).stdout.splitlines()
        for line in lines:
            run = json.loads(line)
            x = np.empty(len(order))
            x[order] = np.fromfile(folder / run["name"], ">f8", offset=8)
            yield run.pop("name"), run | {"residual": system.residual(x)}


def several(repeat, run, *arguments):
    runs = [run(*arguments) for _ in range(repeat + 1)][1:]
    return runs[0] | {key: statistics.median(r[key] for r in runs) for key in ("setup", "solve")}


def peers_of(system, given):
    yield "ritz", several(given.repeat, by_ritz, system, given.tolerance)
    if "petsc" in given.peers:
        yield from by_petsc(system, given.tolerance, given.repeat, given.cores)
        yield "ritz again", several(given.repeat, by_ritz, system, given.tolerance)
    if "pyamg" in given.peers:
        yield "pyamg", by_pyamg(system, given.tolerance, ("gauss_seidel", {"sweep": "symmetric"}))
        yield "pyamg, chebyshev", by_pyamg(system, given.tolerance, ("chebyshev", {"degree": 2, "lower_bound": 1 / 12, "upper_bound": 1.05}))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("--side", type=int, default=25)
    arguments.add_argument("--cantilever", type=int)
    arguments.add_argument("--cells", type=lambda text: text.split(","), default=["hex", "tet"])
    arguments.add_argument("--peers", type=lambda text: text.split(","), default=["pyamg"])
    arguments.add_argument("--tolerance", type=float, default=1e-8)
    arguments.add_argument("--repeat", type=int, default=1)
    arguments.add_argument("--cores", type=int, default=2, help="ranks of PETSc")
    arguments.add_argument("--device", default="cpu")
    given = arguments.parse_args()
    device = ritz.Device(given.device)
    cubes = [(elasticity, given.side), (poisson, 3 * given.side // 2)]
    print(f"{'form':11} {'cell':4} {'unknowns':>9} {'solver':17} {'iterations':>10} {'set-up':>8} {'solve':>8} {'all':>8} {'of ritz':>8} "
          f"{'complexity':>10} {'residual':>9}", flush=True)
    for form, side in [(cantilever, given.cantilever)] if given.cantilever else cubes:
        for cell in given.cells:
            system, own = System(*form(device, cell, side)), None
            for name, run in peers_of(system, given):
                all_of_it = run["setup"] + run["solve"]
                own = own or all_of_it
                complexity = format(run["complexity"], "10.2f") if "complexity" in run else ""
                print(f"{form.__name__:11} {cell:4} {len(system.b):9} {name:17} {run['iterations']:10} {run['setup']:8.3f} "
                      f"{run['solve']:8.3f} {all_of_it:8.3f} {all_of_it / own:8.2f} {complexity:>10} {run['residual']:9.1e}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
