"""PETSc's multigrids under conjugate gradients on a system that multigrid_compare.py wrote: a line of JSON for each.

    mpirun -n 2 /usr/bin/python3 petsc_multigrid.py FOLDER [--block 3] [--vectors 6] [--tolerance 1e-7] [--repeat 1]

GAMG and hypre's BoomerAMG with their defaults, and Jacobi, to the residual's 2-norm relative to b's, from zero. (BoomerAMG with nodal
coarsening and interpolation of rigid motions takes 20 times as long.) FOLDER has A and `vectors`, the load and the near-nullspace; it
gets each solution, by its name. Made for PETSc 3.18 of Debian 12."""

import argparse
import glob
import json
import os
import statistics
import sys
import time

sys.path += glob.glob("/usr/lib/petscdir/petsc3.*/*-real/lib/python3/dist-packages")
import petsc4py  # noqa: E402

petsc4py.init([sys.argv[0]])
from mpi4py import MPI  # noqa: E402
from petsc4py import PETSc  # noqa: E402

SOLVERS = {  # name: preconditioner, options
    "gamg": ("gamg", {}),
    "hypre": ("hypre", {"pc_hypre_type": "boomeramg"}),
    "jacobi": ("jacobi", {}),
}


def read(folder, block, n_vectors):
    """The matrix, with its near-nullspace, and the load."""
    matrix = PETSc.Mat().create()
    matrix.setType("aij")
    PETSc.Options()["matload_block_size"] = block
    matrix.load(PETSc.Viewer().createBinary(os.path.join(folder, "A"), "r"))
    viewer = PETSc.Viewer().createBinary(os.path.join(folder, "vectors"), "r")
    vectors = []
    for _ in range(1 + n_vectors):
        vectors.append(matrix.createVecRight())
        vectors[-1].load(viewer)
    matrix.setNearNullSpace(PETSc.NullSpace().create(vectors=vectors[1:]))
    return matrix, vectors[0]


def now(comm):
    comm.Barrier()
    return time.perf_counter()


def solve(matrix, load, kind, options, tolerance):
    """Iterations, seconds of set-up and of iterations, and the solution; None where it does not converge."""
    for name, value in options.items():
        PETSc.Options()[name] = value
    comm = MPI.COMM_WORLD
    begin = now(comm)
    solver = PETSc.KSP().create()
    solver.setOperators(matrix)
    solver.setType("cg")
    solver.getPC().setType(kind)
    solver.setNormType(PETSc.KSP.NormType.UNPRECONDITIONED)
    solver.setTolerances(rtol=tolerance, atol=0, max_it=20000)
    solver.setFromOptions()
    solver.setUp()
    solution = matrix.createVecRight()
    made = now(comm)
    solver.solve(load, solution)
    done = now(comm)
    for name in options:
        PETSc.Options().delValue(name)
    found = {"iterations": solver.getIterationNumber(), "setup": made - begin, "solve": done - made}
    converged = solver.getConvergedReason() > 0
    solver.destroy()
    return (found, solution) if converged else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--block", type=int, default=3)
    parser.add_argument("--vectors", type=int, default=6)
    parser.add_argument("--tolerance", type=float, default=1e-7)
    parser.add_argument("--repeat", type=int, default=1)
    given = parser.parse_args()
    matrix, load = read(given.folder, given.block, given.vectors)
    for name, (kind, options) in SOLVERS.items():
        runs = [solve(matrix, load, kind, options, given.tolerance) for _ in range(given.repeat)]
        if None in runs:
            print(f"{name} does not converge", file=sys.stderr)
            continue
        found, solution = runs[-1]
        solution.view(PETSc.Viewer().createBinary(os.path.join(given.folder, name), "w"))
        for key in ("setup", "solve"):
            found[key] = statistics.median(run[0][key] for run in runs)
        if MPI.COMM_WORLD.rank == 0:
            print(json.dumps({"name": name} | found), flush=True)


if __name__ == "__main__":
    main()
