"""Multigrid of Ritz beside PyAMG's smoothed aggregation: the same matrix and near-nullspace, both under conjugate gradients.

    pip install ./python pyamg && python3 bench/peers/pyamg_compare.py [--side 25] [--tolerance 1e-8] [--device cpu]

Cubes of hexes and tets of order 1: elasticity, held at x = 0 and pulled at x = 1, with rigid motions, and Poisson's equation with
constants. Ritz as it is by default; PyAMG with its defaults (symmetric Gauss and Seidel before and after) and with Ritz' own
smoother, Chebyshev's of degree 2. Both stop at the true residual relative to b's in the 2-norm of the scaled system
D^-1/2 A D^-1/2. Prints a line a case: unknowns, iterations, seconds of set-up and of iterations, operator complexity. PyAMG's set-up
and smoothers run on one core."""

import argparse
import time

import numpy as np
import pyamg
import ritz
import scipy.sparse as sparse


def elasticity(device, cell, side):
    space = ritz.Space(ritz.Mesh.box(cell, (side,) * 3), order=1, components=3)
    held = ritz.Constraints(space).set("x0", 0.0)
    matrix, b = ritz.assemble(space, ritz.Form("elasticity", 3), {"young": 1.0, "poisson": 0.3}, loads=[ritz.Traction("x1", [0, 0, 1])],
                              constraints=held, device=device)
    return matrix, b, space.rigid_motions()


def poisson(device, cell, side):
    space = ritz.Space(ritz.Mesh.box(cell, (side,) * 3), order=1)
    held = ritz.Constraints(space)
    for group in ("x0", "x1", "y0", "y1", "z0", "z1"):
        held.set(group, 0.0)
    matrix, b = ritz.assemble(space, ritz.Form("poisson", 3), {"conductivity": 1.0, "source": 1.0}, constraints=held, device=device)
    return matrix, b, np.ones((matrix.shape[0], 1))


def by_ritz(matrix, b, motions, tolerance):
    solver = ritz.Solver(matrix, preconditioner="multigrid", near_nullspace=motions, tolerance=tolerance)
    start = time.perf_counter()
    report = solver.solve(b)[1]
    return report.iterations, report.setup_seconds, time.perf_counter() - start, None


def by_pyamg(matrix, b, motions, tolerance, smoother):
    start, columns, values = matrix.csr()
    a = sparse.csr_matrix((values, columns, start), shape=matrix.shape)
    root = np.sqrt(a.diagonal())
    scaling = sparse.diags(1 / root)
    block = 3 if motions.shape[1] > 1 else 1
    scaled, right = (scaling @ a @ scaling).tobsr((block, block)), b / root
    begin = time.perf_counter()
    hierarchy = pyamg.smoothed_aggregation_solver(scaled, B=motions * root[:, None], strength=("symmetric", {"theta": 0.08}), max_coarse=600,
                                                  coarse_solver="splu", presmoother=smoother, postsmoother=smoother)
    setup, residuals = time.perf_counter() - begin, []
    begin = time.perf_counter()
    hierarchy.solve(right, tol=tolerance, accel="cg", residuals=residuals, maxiter=200)
    return len(residuals) - 1, setup, time.perf_counter() - begin, hierarchy.operator_complexity()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("--side", type=int, default=25)
    arguments.add_argument("--tolerance", type=float, default=1e-8)
    arguments.add_argument("--device", default="cpu")
    given = arguments.parse_args()
    device = ritz.Device(given.device)
    smoothers = {"pyamg": ("gauss_seidel", {"sweep": "symmetric"}),
                 "pyamg, chebyshev": ("chebyshev", {"degree": 2, "lower_bound": 1 / 15, "upper_bound": 1.1})}
    print(f"{'form':11} {'cell':4} {'unknowns':>9} {'solver':17} {'iterations':>10} {'set-up':>8} {'solve':>8} {'complexity':>10}")
    for form, side in ((elasticity, given.side), (poisson, 3 * given.side // 2)):
        for cell in ("hex", "tet"):
            system = form(device, cell, side)
            runs = {"ritz": by_ritz(*system, given.tolerance)}
            for name, smoother in smoothers.items():
                runs[name] = by_pyamg(*system, given.tolerance, smoother)
            for name, (iterations, setup, seconds, complexity) in runs.items():
                print(f"{form.__name__:11} {cell:4} {system[0].shape[0]:9} {name:17} {iterations:10} {setup:8.3f} {seconds:8.3f} "
                      f"{'' if complexity is None else format(complexity, '10.2f'):>10}", flush=True)


if __name__ == "__main__":
    main()
