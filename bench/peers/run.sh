#!/bin/sh
# Measures the peers of bench/pipeline on this machine: DOLFINx and PETSc from Debian, two ranks, hexes then tets.
#
#   bench/peers/run.sh [CELLS]     cubes along each side (60)
#
# Installs about 200 large packages when they are missing; ./check never runs this. One line of JSON a case.
set -eu
cd "$(dirname "$0")/../.."
. scripts/packages.sh
# shellcheck disable=SC2086,SC2154  # a list of words, set in scripts/packages.sh
need $peer_packages

cells=${1:-60}
OMP_NUM_THREADS=1
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMP_NUM_THREADS OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
for cell in hex tet; do
    # /usr/bin/python3: Debian's, which sees Debian's packages.
    mpirun --bind-to core -n 2 /usr/bin/python3 bench/peers/dolfinx_assembly.py --cells "$cells" --cell $cell
done
