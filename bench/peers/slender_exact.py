#!/usr/bin/env python3
"""Plates of slender.py in extended precision: how far Ritz' and CalculiX's displacements are from the solution of a matrix that is
assembled, and whose residuals are summed, in 80 bits (numpy's longdouble on x86), by factors in double and refinement.

    bench/peers/slender_exact.py [--ritz build/ritz] [--ccx ccx] [RATIO...]     (100 300 1000)

Prints a line a plate of 20 x 20 x 1 hexes of order 2: the largest displacement, the last correction beside it, the distance of Ritz'
direct solution and of CalculiX's from it, of the largest, in files of six digits, and of the solution of the same matrix rounded to double."""
import argparse
import itertools
import os
import subprocess
import sys
import tempfile

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from slender import SHAPE, box, displacements, write_deck  # noqa: E402

LONG = np.longdouble


def gradients(at):
    """Of the 20 shape functions of a brick at a point of [-1, 1]^3: corners (1 + ab)(..)(..)(sum - 2) / 8, edges (1 - x^2)(..)(..) / 4."""
    result = np.zeros((20, 3), LONG)
    for i, corner in enumerate(SHAPE):
        a = np.array(corner, LONG) - 1
        factor = [1 + a[d] * at[d] if a[d] else 1 - at[d] ** 2 for d in range(3)]
        slope = [a[d] if a[d] else -2 * at[d] for d in range(3)]
        whole, weight = (a @ at - 2, LONG(1) / 8) if np.all(a != 0) else (LONG(1), LONG(1) / 4)
        for d in range(3):
            others = factor[(d + 1) % 3] * factor[(d + 2) % 3]
            result[i, d] = weight * others * (slope[d] * whole + (factor[d] * a[d] if np.all(a != 0) else 0))
    return result


def stiffness(sides, young=LONG(210000), poisson=LONG(3) / 10):
    """Of one brick, by 3 x 3 x 3 points."""
    lame, shear = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))
    end = np.sqrt(LONG(3) / 5)
    points = ((-end, LONG(5) / 9), (LONG(0), LONG(8) / 9), (end, LONG(5) / 9))
    k = np.zeros((20, 3, 20, 3), LONG)
    for p in itertools.product(points, repeat=3):
        weight = p[0][1] * p[1][1] * p[2][1] * np.prod(sides) / 8
        g = gradients(np.array([x for x, _ in p])) * 2 / sides
        gg = g[:, :, None, None] * g[None, None]  # of i, c, j, d: g_ic g_jd
        k += weight * (lame * gg + shear * gg.transpose(0, 3, 2, 1))
        both = weight * shear * (g @ g.T)
        for c in range(3):
            k[:, c, :, c] += both
    return k.reshape(60, 60)


def refine(factors, multiply, load, free):
    """The solution by factors in double and residuals in 80 bits, [nodes][3], and the last correction beside it."""
    u, change = np.zeros(len(load), LONG), np.inf
    for _ in range(20):
        step = factors.solve((load - multiply(u))[free].astype(float))
        u[free] += step
        change = abs(step).max() / abs(u).max()
        if change < 1e-12:
            break
    return u.reshape(-1, 3).astype(float), float(change)


def solve(nodes, elements, size, cells):
    """Of the matrix in 80 bits: displacements [nodes][3] and the last correction; displacements of the same rounded to double."""
    k = stiffness(np.array(size, LONG) / np.array(cells, LONG))
    dofs = np.array([[3 * (n - 1) + c for n in of for c in range(3)] for of in elements.values()])
    x = np.array([nodes[n + 1][0] for n in range(len(nodes))])
    free, pushed, load = np.repeat(x > 0, 3), np.flatnonzero(x == size[0]), np.zeros(3 * len(nodes), LONG)
    load[3 * pushed + 2] = LONG(1) / len(pushed)
    entries = np.tile(k.ravel(), len(dofs)).astype(float), (np.repeat(dofs, 60, axis=1).ravel(), np.tile(dofs, (1, 60)).ravel())
    rounded = sparse.csr_matrix(entries)
    factors, stored = linalg.splu(rounded[free][:, free].tocsc()), rounded.tocoo()

    def exact(u):
        product = np.zeros(len(u), LONG)
        np.add.at(product, dofs, u[dofs] @ k)
        return product

    def of_doubles(u):
        product = np.zeros(len(u), LONG)
        np.add.at(product, stored.row, stored.data.astype(LONG) * u[stored.col])
        return product

    return *refine(factors, exact, load, free), refine(factors, of_doubles, load, free)[0]


def distance(path, u):
    rows = displacements(path)[0][2]
    found = np.array([rows[key] for key in sorted(rows, key=lambda key: int(key[-1]))])[:, :3]
    return abs(found - u).max() / abs(u).max()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ritz", default="build/ritz")
    parser.add_argument("--ccx", default="ccx")
    parser.add_argument("ratios", nargs="*", type=int, default=[100, 300, 1000])
    given = parser.parse_args()
    ritz = os.path.abspath(given.ritz)
    print(f"{'plate':>8} {'largest':>12} {'correction':>10} {'ritz':>9} {'ccx':>9} {'rounded':>9}")
    for ratio in given.ratios:
        cells, size = (20, 20, 1), (ratio, ratio, 1)
        nodes, elements = box(cells, size)
        u, change, other = solve(nodes, elements, size, cells)
        with tempfile.TemporaryDirectory() as folder:
            write_deck(os.path.join(folder, "part.inp"), (nodes, elements), 0)
            for command in ([ritz, "solve", "part.inp", "--output", "own.vtkhdf", "--set", "output.frd=own.frd"], [given.ccx, "-i", "part"]):
                subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            off = [distance(os.path.join(folder, name), u) for name in ("own.frd", "part.frd")]
        print(f"{'1:' + str(ratio):>8} {abs(u).max():12.6g} {change:10.1e} {off[0]:9.1e} {off[1]:9.1e} "
              f"{abs(other - u).max() / abs(u).max():9.1e}", flush=True)


if __name__ == "__main__":
    main()
