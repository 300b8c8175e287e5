"""PETSc multiplying and solving linear elasticity on a cantilever, and the same system as Matrix Market files for Ritz.

    mpirun -n 2 python3 petsc_solve.py [--write FOLDER] [--cells 34] [--cell hex|tet] [--products 50] [--repeat 2]

The beam 4 x 1 x 1 of 4 n x n x n cubes (six tets each with --cell tet), order 1, E = 1, nu = 0.3, clamped at x = 0, under its own
weight. Prints one line of JSON: least and median seconds of a product in AIJ, BAIJ and SELL, seconds and iterations of
CG with Jacobi in the fastest of them to 1e-7 of the natural norm sqrt(r . D^-1 r), from zero, and the solution's true
residual in that norm. FOLDER gets A.mtx (the lower half, in PETSc's numbering), the load b.mtx and the solution x.mtx.
Made for DOLFINx 0.5 of Debian 12."""

import argparse
import json
import logging
import os
import statistics
import sys
import time

import numpy
import ufl
from dolfinx import fem, mesh
from mpi4py import MPI
from petsc4py import PETSc

from ranks import measure

FORMATS = ["aij", "baij", "sell"]
LINES = 200000  # written at once


def assemble(cells, cell):
    """The matrix as BAIJ, the load, and the number of cells."""
    shape = mesh.CellType.hexahedron if cell == "hex" else mesh.CellType.tetrahedron
    domain = mesh.create_box(MPI.COMM_WORLD, [[0.0, 0.0, 0.0], [4.0, 1.0, 1.0]], [4 * cells, cells, cells], shape)
    space = fem.VectorFunctionSpace(domain, ("Lagrange", 1))
    u, v = ufl.TrialFunction(space), ufl.TestFunction(space)
    young, poisson = 1.0, 0.3
    mu = young / (2 * (1 + poisson))
    lam = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    dx = ufl.Measure("dx", domain=domain, metadata={"quadrature_degree": 2 if cell == "hex" else 1})
    stress = 2 * mu * ufl.sym(ufl.grad(u)) + lam * ufl.div(u) * ufl.Identity(3)
    weight = fem.Constant(domain, PETSc.ScalarType((0.0, 0.0, -1.0)))
    compiler = {"cffi_extra_compile_args": ["-O3", "-march=native", "-ffast-math"]}
    bilinear = fem.form(ufl.inner(stress, ufl.sym(ufl.grad(v))) * dx, jit_params=compiler)
    linear = fem.form(ufl.inner(weight, v) * dx, jit_params=compiler)

    clamped = fem.locate_dofs_geometrical(space, lambda x: numpy.isclose(x[0], 0.0))
    fixed = fem.dirichletbc(numpy.zeros(3), clamped, space)
    matrix = fem.petsc.create_matrix(bilinear, "baij")
    fem.petsc.assemble_matrix(matrix, bilinear, [fixed])
    matrix.assemble()
    load = fem.petsc.assemble_vector(linear)
    load.ghostUpdate(addv=PETSc.InsertMode.ADD, mode=PETSc.ScatterMode.REVERSE)
    fem.petsc.set_bc(load, [fixed])
    return matrix, load, domain.topology.index_map(3).size_global


def solve(matrix, load, repeat):
    """CG with Jacobi to 1e-7 of the natural norm: what is printed, and the solution."""
    solver = PETSc.KSP().create(matrix.getComm())
    solver.setOperators(matrix)
    solver.setType("cg")
    solver.getPC().setType("jacobi")
    solver.setNormType(PETSc.KSP.NormType.NATURAL)
    solver.setTolerances(rtol=1e-7, atol=0, max_it=20000)
    solver.setUp()
    solution = matrix.createVecRight()
    seconds = []
    for _ in range(repeat):
        solution.set(0)
        matrix.getComm().tompi4py().Barrier()
        begin = time.perf_counter()
        solver.solve(load, solution)
        seconds.append(MPI.COMM_WORLD.allreduce(time.perf_counter() - begin, op=MPI.MAX))
    residual = load.duplicate()
    matrix.mult(solution, residual)
    residual.aypx(-1, load)
    diagonal = matrix.getDiagonal()
    norms = []
    for vector in (residual, load):
        scaled = vector.duplicate()
        scaled.pointwiseDivide(vector, diagonal)
        norms.append(vector.dot(scaled) ** 0.5)
    return {"norm": "sqrt(r.D^-1 r) / sqrt(b.D^-1 b)", "iterations": solver.getIterationNumber(), "min": min(seconds),
            "median": statistics.median(seconds), "true_residual": norms[0] / norms[1]}, solution


def write_matrix(matrix, path):
    """The lower half, each rank its rows, one rank after the other into one file."""
    comm = matrix.getComm().tompi4py()
    start, columns, values = matrix.getValuesCSR()
    first = matrix.getOwnershipRange()[0]
    rows = numpy.repeat(numpy.arange(first, first + len(start) - 1), numpy.diff(start))
    lower = columns <= rows
    rows, columns, values = rows[lower] + 1, columns[lower] + 1, values[lower]
    n = matrix.getSize()[0]
    total = comm.allreduce(len(values))
    piece = path if comm.rank == 0 else f"{path}.{comm.rank}"
    with open(piece, "w", encoding="ascii") as file:
        if comm.rank == 0:
            file.write(f"%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {total}\n")
        for at in range(0, len(values), LINES):
            to = min(at + LINES, len(values))
            line = numpy.empty(3 * (to - at), dtype=object)
            line[0::3], line[1::3], line[2::3] = rows[at:to], columns[at:to], values[at:to]
            file.write("%d %d %.17g\n" * (to - at) % tuple(line))
    comm.Barrier()
    if comm.rank == 0:
        with open(path, "ab") as file:
            for rank in range(1, comm.size):
                with open(f"{path}.{rank}", "rb") as other:
                    while block := other.read(1 << 24):
                        file.write(block)
                os.remove(f"{path}.{rank}")


def write_vector(vector, path):
    comm = vector.getComm().tompi4py()
    parts = comm.gather(vector.getArray().copy())
    if comm.rank == 0:
        whole = numpy.concatenate(parts)
        with open(path, "w", encoding="ascii") as file:
            file.write(f"%%MatrixMarket matrix array real general\n{len(whole)} 1\n")
            numpy.savetxt(file, whole, fmt="%.17g")


def main():
    logging.disable(logging.INFO)  # the form compiler tells each compiler run
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", metavar="FOLDER", help="where A.mtx, b.mtx and x.mtx go")
    parser.add_argument("--cells", type=int, default=34, help="cubes along the short sides")
    parser.add_argument("--cell", choices=["hex", "tet"], default="hex")
    parser.add_argument("--products", type=int, default=50)
    parser.add_argument("--repeat", type=int, default=2, help="solves")
    options = parser.parse_args()

    matrix, load, n_cells = assemble(options.cells, options.cell)
    products, matrices = {}, {}
    for name in FORMATS:
        matrices[name] = matrix if name == "baij" else matrix.convert("aij", PETSc.Mat())
        if name == "sell":
            matrices[name] = matrices[name].convert("sell")
        x, y = matrices[name].createVecs()
        x.set(1)
        products[name] = measure(options.products, lambda: matrices[name].mult(x, y))
    best = min(products, key=lambda name: products[name]["min"])
    # Jacobi asks for the diagonal, which SELL of PETSc 3.18 does not give on several ranks.
    to_solve = min((name for name in products if name != "sell"), key=lambda name: products[name]["min"])
    solved, solution = solve(matrices[to_solve], load, options.repeat)
    result = {
        "peer": "petsc " + ".".join(map(str, PETSc.Sys.getVersion())), "ranks": matrix.getComm().size,
        "cell": options.cell, "cells": n_cells, "unknowns": matrix.getSize()[0],
        "nonzeros": int(matrices["aij"].getInfo(PETSc.Mat.InfoType.GLOBAL_SUM)["nz_used"]),
        "product_s": products, "best": best, "solve": solved,
    }
    if options.write:
        write_matrix(matrices["aij"], os.path.join(options.write, "A.mtx"))
        write_vector(load, os.path.join(options.write, "b.mtx"))
        write_vector(solution, os.path.join(options.write, "x.mtx"))
    if MPI.COMM_WORLD.rank == 0:
        print(json.dumps(result))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
