"""DOLFINx assembling linear elasticity on a box into PETSc's BAIJ: the peer of bench/pipeline.

    mpirun -n 2 python3 dolfinx_assembly.py [--cells 60] [--cell hex|tet] [--order 1] [--repeat 5] [--products 50]

The same problem as bench/pipeline: the unit cube, order 1, E = 1, nu = 0.3. Prints one line of JSON: seconds of the
sparsity pattern with the creation of the matrix, and the minimum and median seconds of one assembly into it (from zero, the
final exchange between ranks included) and of one product with it. Form compilation is not counted. The quadrature
degree is 2 for hexes (2 points an axis, 8 in all) and 0 for tets (1 point), as few as serve; UFL's own estimate takes more.
Made for DOLFINx 0.5 of Debian 12."""

import argparse
import json
import logging
import sys
import time

import dolfinx
import ufl
from dolfinx import fem, mesh
from mpi4py import MPI
from petsc4py import PETSc

from ranks import measure


def main():
    logging.disable(logging.INFO)  # the form compiler tells each compiler run
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=60, help="cubes along each side; six tets each with --cell tet")
    parser.add_argument("--cell", choices=["hex", "tet"], default="hex")
    parser.add_argument("--order", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--products", type=int, default=50)
    options = parser.parse_args()
    comm = MPI.COMM_WORLD

    shape = mesh.CellType.hexahedron if options.cell == "hex" else mesh.CellType.tetrahedron
    n = options.cells
    domain = mesh.create_box(comm, [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], [n, n, n], shape)
    space = fem.VectorFunctionSpace(domain, ("Lagrange", options.order))
    u, v = ufl.TrialFunction(space), ufl.TestFunction(space)
    young, poisson = 1.0, 0.3
    mu = young / (2 * (1 + poisson))
    lam = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    degree = 2 * options.order if options.cell == "hex" else 2 * (options.order - 1)
    dx = ufl.Measure("dx", domain=domain, metadata={"quadrature_degree": degree})
    stress = 2 * mu * ufl.sym(ufl.grad(u)) + lam * ufl.div(u) * ufl.Identity(3)
    form = fem.form(ufl.inner(stress, ufl.sym(ufl.grad(v))) * dx,
                    jit_params={"cffi_extra_compile_args": ["-O3", "-march=native", "-ffast-math"]})

    def create():
        return dolfinx.cpp.fem.petsc.create_matrix(form, "baij")

    comm.Barrier()
    begin = time.perf_counter()
    matrix = create()
    pattern = comm.allreduce(time.perf_counter() - begin, op=MPI.MAX)

    def assemble():
        matrix.zeroEntries()
        fem.petsc.assemble_matrix(matrix, form)
        matrix.assemble()

    assembly = measure(options.repeat, assemble)
    x, y = matrix.createVecs()
    x.set(1.0)
    product = measure(options.products, lambda: matrix.mult(x, y))

    n_cells = domain.topology.index_map(3).size_global
    result = {
        "peer": "dolfinx " + dolfinx.__version__ + ", petsc " + ".".join(map(str, PETSc.Sys.getVersion())),
        "ranks": comm.size, "cell": options.cell, "order": options.order, "cells": n_cells, "unknowns": matrix.getSize()[0],
        "matrix": matrix.getType(), "block_size": matrix.getBlockSize(), "nonzeros": int(matrix.getInfo(PETSc.Mat.InfoType.GLOBAL_SUM)["nz_used"]),
        "pattern_s": pattern, "assembly_s": assembly, "assembly_us_per_cell": assembly["min"] / n_cells * 1e6, "product_s": product,
    }
    if comm.rank == 0:
        print(json.dumps(result))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
