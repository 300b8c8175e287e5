#!/bin/sh
# Measures the sparse product of `ritz bench spmv` and cuSPARSE's on the same GPU, one after the other, and prints the
# ratio of the vendor's best of CSR, BSR and sliced ELL to SBELL.
#
#   bench/peers/cusparse.sh [RITZ [MESH...]]     build/ritz; tri quad tet hex hex-large
#
# Needs CUDA's toolkit (nvcc with cuSPARSE 12.6 or later) and python3; ./check never runs this. The matrices of the four
# meshes go to cuSPARSE through Matrix Market files; of hex-large it gets the pattern, with random values.
set -eu
peer=$(cd "$(dirname "$0")" && pwd)
ritz=${1:-build/ritz}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- tri quad tet hex hex-large
if ! command -v nvcc >/dev/null; then
    echo "cusparse.sh: there is no nvcc on the PATH; install CUDA's toolkit (13.0 or later), on a machine with an NVIDIA GPU" >&2
    exit 1
fi
[ -x "$ritz" ] || { echo "cusparse.sh: '$ritz' is no program; give the path of ritz" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -O3 -std=c++17 -arch=native -Xcompiler -fopenmp -o "$work/cusparse" "$peer/cusparse.cu" -lcusparse

for mesh in "$@"; do
    write="--write $work/matrix.mtx"
    case $mesh in
    tri | quad) from="--block 2 $work/matrix.mtx" ;;
    tet | hex) from="--block 3 $work/matrix.mtx" ;;
    hex-large) from="--hex 160" write= ;;
    *) echo "cusparse.sh: there is no mesh '$mesh'; use tri, quad, tet, hex or hex-large" >&2; exit 1 ;;
    esac
    # shellcheck disable=SC2086  # words
    "$ritz" bench spmv --device gpu --meshes "$mesh" --formats sbell --types f64,f32 --json $write \
        2>/dev/null >"$work/ritz.json"
    # shellcheck disable=SC2086
    "$work/cusparse" --name "$mesh" $from | tee "$work/peer.json"
    python3 - "$work/ritz.json" "$work/peer.json" <<'END'
import json, sys
ours = json.load(open(sys.argv[1]))
peers = [json.loads(line) for line in open(sys.argv[2])]
for run in ours["runs"]:
    best = min((p for p in peers if p["type"] == run["type"] and "us" in p), key=lambda p: p["us"])
    us = 1e6 * run["seconds"]
    print(json.dumps({"matrix": run["matrix"], "type": run["type"], "sbell_us": round(us, 2),
                      "copy_fraction": round(run["copy_fraction"], 4), "best": best["format"] + ", " + best["detail"],
                      "best_us": best["us"], "ratio": round(best["us"] / us, 3),
                      "ratio_less_empty_kernel": round((best["us"] - best["empty_us"]) / us, 3)}))
END
done
