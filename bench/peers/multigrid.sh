#!/bin/sh
# Multigrid of Ritz on this machine's processor beside PETSc's GAMG, hypre's BoomerAMG and PyAMG: the cantilever of 503 475 unknowns
# to 1e-7 in hexes and tets, the same matrix, load and near-nullspace, all in one run (multigrid_compare.py says how).
#
#   bench/peers/multigrid.sh [CELLS [OPTION...]]     cubes along the short sides (34); options of multigrid_compare.py
#
# Runs Ritz' library of the newest build of this tree. Installs packages when they are missing, PyAMG into a folder that is removed
# afterwards; ./check never runs this. Needs 6 GB of memory and 2 GB in $TMPDIR.
set -eu
cd "$(dirname "$0")/../.."
. scripts/packages.sh
# shellcheck disable=SC2086,SC2154  # a list of words, set in scripts/packages.sh
need $multigrid_peer_packages

cells=${1:-34}
[ $# -gt 0 ] && shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
/usr/bin/python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check cffi pyamg
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
PYTHONPATH=python "$folder/venv/bin/python" bench/peers/multigrid_compare.py --cantilever "$cells" --tolerance 1e-7 --repeat 3 \
    --peers petsc,pyamg "$@"
