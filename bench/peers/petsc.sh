#!/bin/sh
# Measures Ritz on this machine's processor against PETSc from Debian with two ranks: products and solves with the same
# matrices, written by PETSc and read by Ritz, in turns, three of Ritz between four of PETSc, since the rate of memory changes
# meanwhile, which is measured with Ritz' products. One line of JSON a case.
#
#   bench/peers/petsc.sh [CELLS] [RITZ]     cubes along the short sides (34: 503 475 unknowns), the program (build/ritz)
#
# Installs about 200 large packages when they are missing; ./check never runs this. Needs 2 GB in $TMPDIR, 4 GB of memory.
set -eu
cd "$(dirname "$0")/../.."
. scripts/packages.sh
# shellcheck disable=SC2086,SC2154  # a list of words, set in scripts/packages.sh
need $peer_packages

cells=${1:-34}
ritz=${2:-build/ritz}
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# /usr/bin/python3: Debian's, which sees Debian's packages.
petsc() {
    OMP_NUM_THREADS=1 mpirun --bind-to core -n 2 /usr/bin/python3 bench/peers/petsc_solve.py --cells "$cells" "$@"
}
for cell in hex tet; do
    rm -f "$folder"/*
    petsc --cell $cell --write "$folder" >"$folder/petsc-0.json"
    for turn in 1 2 3; do
        "$ritz" bench spmv --matrix "$folder/A.mtx" --block 3 --formats sbell,sbell-symmetric --types f64,f32,f32/f64,f16/f32 \
            --warm --repeat 50 --device cpu --measure --json >"$folder/spmv-$turn.json" 2>"$folder/log"
        "$ritz" bench pcg --matrix "$folder/A.mtx" --rhs "$folder/b.mtx" --block 3 --formats auto \
            --preconditioners least-squares --degrees 6,10 --precisions mixed,mixed-f16,mixed-double,mixed-single --repeat 2 \
            --solution "$folder/ritz.mtx" --device cpu --json >"$folder/pcg-$turn.json" 2>"$folder/log"
        petsc --cell $cell >"$folder/petsc-$turn.json"
    done
    /usr/bin/python3 bench/peers/petsc_compare.py "$folder"
done
