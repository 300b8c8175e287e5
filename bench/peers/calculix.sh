#!/bin/sh
# Ritz beside CalculiX (Debian's calculix-ccx, with SPOOLES) on the bracket of examples/bracket: the same deck for both, the
# whole process from the deck to the .frd file, in turns, then both results against each other.
#
#   bench/peers/calculix.sh [RITZ [SIZE...]]     build/ritz; 0.005 0.00256, metres: about 112 000 and 299 000 unknowns
#
# SIZE 0.00179 is about 635 000 unknowns, for which SPOOLES takes minutes and 10 GB. RITZ_PEER_RUNS (2) runs of each; the
# first of Ritz compiles kernels unless they are cached. ./check never runs this.
set -eu
cd "$(dirname "$0")/../.."
. scripts/packages.sh
need calculix-ccx python3 time
case ${1:-build/ritz} in
/*) ritz=$1 ;;
*) ritz=$PWD/${1:-build/ritz} ;;
esac
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- 0.005 0.00256
scripts=$PWD/bench/peers
geometry=$PWD/examples/bracket/bracket.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
OMP_NUM_THREADS=$(nproc)
export OMP_NUM_THREADS
timed() { # NAME COMMAND...
    name=$1
    shift
    /usr/bin/time -f "$name: %e s, %M KB" "$@" >"$work/log" 2>"$work/time" || {
        cat "$work/log" "$work/time"
        exit 1
    }
    tail -n 1 "$work/time"
}
for size; do
    if [ -n "${RITZ_PEER_DECKS:-}" ] && [ -e "$RITZ_PEER_DECKS/$size.inp" ]; then
        cp "$RITZ_PEER_DECKS/$size.inp" "$work/part.inp"
    else # the mesh alone: nearly no solve
        "$ritz" solve "$geometry" --set "size=$size" --set 'solver={tolerance: 0.9}' --set "output.frd=$work/mesh.frd" \
            --output "$work/mesh.vtkhdf" >"$work/log"
        python3 "$scripts/calculix_bracket.py" deck "$work/mesh.frd" "$work/part.inp"
        [ -z "${RITZ_PEER_DECKS:-}" ] || cp "$work/part.inp" "$RITZ_PEER_DECKS/$size.inp"
    fi
    [ -z "${RITZ_PEER_MESH_ONLY:-}" ] || continue
    i=0
    while [ $i -lt "${RITZ_PEER_RUNS:-2}" ]; do
        timed ritz "$ritz" solve "$work/part.inp" --set "output.frd=$work/own.frd" --output "$work/own.vtkhdf"
        (cd "$work" && timed ccx ccx -i part)
        i=$((i + 1))
    done
    python3 "$scripts/calculix_bracket.py" compare "$work/part.frd" "$work/own.frd"
done
