#!/bin/sh
# Runs the device code in Oclgrind, an OpenCL device that checks every access: data races, bounds, wrong calls of the
# interface. Small cases of every kernel, as the device is an interpreter: unit tests and tiny problems of the program.
#
#   scripts/oclgrind.sh BUILD_FOLDER
#
# Exit status 1 when there is a finding or a run fails; its text is shown. A kernel that is wrong on purpose goes first:
# were it not found out, nothing else would be proved.
set -u
cd "$(dirname "$0")/.." || exit 1
[ -x "$1/ritz" ] || {
    echo "$1: no build with the program" >&2
    exit 2
}
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd tests/oclgrind && oclgrind-kernel --data-races --log "$work/race" race.sim) >/dev/null 2>&1
if ! grep -q 'data race' "$work/race" || ! grep -q 'Invalid write' "$work/race"; then
    echo "Oclgrind does not find the race and the wrong write of tests/oclgrind/race.cl" >&2
    exit 1
fi

# NAME FOLDER COMMAND: one case. Prints nothing but a line when all is well.
cat >"$work/case.sh" <<'CASE'
work=$1
name=${2%% *}
command=${2#* }
begin=$(date +%s)
# restrict is taken out: inlining it leaves a mark in the code (LLVM 14) that Debian's Oclgrind does not know.
RITZ_CACHE_DIR=$work/cache-$name OMP_NUM_THREADS=1 OCLGRIND_NUM_THREADS=1 RITZ_TEST_SMALL=1 timeout 500 \
    sh -c "oclgrind --build-options -Drestrict= --data-races --check-api --log '$work/$name.log' $command" >"$work/$name.out" 2>&1
status=$?
if [ $status != 0 ] || [ -s "$work/$name.log" ] || grep -q 'OpenCL runtime error' "$work/$name.out"; then
    echo "FAIL  $name (exit status $status)"
    head -n 40 "$work/$name.log"
    tail -n 20 "$work/$name.out"
    exit 1
fi
echo "ok    $name ($(($(date +%s) - begin)) s)"
CASE

tuning=none
solve() { # NAME EXAMPLE SETTING...: a case for the program; the problem is an example made tiny
    printf '%s env RITZ_TUNING=%s %s solve examples/%s --set output.file=%s' "$1" "$tuning" "$build/ritz" "$2" "$work/$1.vtkhdf"
    shift 2
    for setting in "$@"; do
        printf " --set '%s'" "$setting"
    done
    printf '\n'
}

{
    # The longest go first, so that all cores end together.
    echo "test-formats $build/tests/test_formats"
    # The simulator calls itself a GPU too, and gets a GPU's plans. What it would not run by itself these tests ask for,
    # and they fail where it was not done: parts of half matrices, shared rows of every shape, all
    # storages of a polynomial's matrix with both methods (and so Lanczos).
    echo "test-shared-rows $build/tests/test_shared_rows"
    echo "test-block-rows $build/tests/test_block_rows"
    echo "test-precondition $build/tests/test_precondition"
    echo "test-symmetric $build/tests/test_symmetric"
    echo "test-multigrid $build/tests/test_multigrid"
    echo "test-matrix $build/tests/test_matrix"
    echo "test-device $build/tests/test_device"
    echo "test-newton $build/tests/test_newton"
    echo "test-loops $build/tests/test_loops"
    echo "test-tensor $build/tests/test_tensor"
    solve elasticity-hex cantilever/cantilever.yaml 'mesh.box.cells=[2, 1, 1]' order=1 solver.method=cg
    solve elasticity-tet cantilever/cantilever.yaml 'mesh.box.cells=[1, 1, 1]' order=2 mesh.box.cell=tet solver.method=cg
    solve elasticity-prism cantilever/cantilever.yaml 'mesh.box.cells=[2, 1, 1]' order=1 mesh.box.cell=prism solver.method=cg
    # Equations of a rigid face and of a sliding one, and springs.
    solve joins cantilever/cantilever.yaml 'mesh.box.cells=[2, 1, 1]' order=1 'rigid={group: x1}' \
        'boundary.0={group: x0, spring: 1e9}' 'boundary.2={group: y0, system: s, displacement: {y: 0}}' 'systems.s={rotate: [0, 0, 10]}' solver.method=cg
    # Aggregates along the short edges of flat cells, in a part so small that it is solved directly elsewhere.
    printf 'ritz tuning 1\nmultigrid.direct * 100\nend 1\n' >"$work/levels.txt"
    tuning=$work/levels.txt
    solve stretched-hex cantilever/cantilever.yaml 'mesh.box={cells: [2, 2, 8], size: [20, 20, 8]}' order=1 solver.preconditioner=multigrid
    tuning=none
    # Rows that are summed apart, as they are far longer than the others.
    solve long-rows cantilever/cantilever.yaml 'mesh.box={cells: [17, 16], size: [1, 1], cell: quad}' physics=plane-stress order=1 \
        'rigid={group: x1}' 'boundary.0={group: x0, displacement: {x: 0, y: 0}}' 'boundary.1={group: x1, force: [0, 1]}' solver.method=direct
    # Sums of equations that a group shares, as they are long.
    solve long-sums cantilever/cantilever.yaml 'mesh.box={cells: [1, 270], size: [1, 1], cell: quad}' physics=plane-stress order=1 \
        'rigid={group: x1}' 'boundary.0={group: x0, displacement: {x: 0, y: 0}}' 'boundary.1={group: x1, force: [0, 1]}' solver.method=direct
    # A node that leads in one direction and follows in another.
    solve chained-equations cantilever/cantilever.yaml 'mesh.box={cells: [8, 1], size: [1, 0.2], cell: quad}' physics=plane-stress order=1 \
        'boundary.0={group: x0, displacement: {x: 0, y: 0}}' 'boundary.1={group: x1, traction: [0, 1]}' \
        'equations=[{terms: [{at: [0.125, 0], component: x}, {at: [0.5, 0], component: x, weight: -1}]}, {terms: [{at: [0.5, 0], component: y}, {at: [1, 0], component: y, weight: -1}]}]' solver.method=cg
    solve poisson-prism poisson/poisson.yaml 'mesh.box.cells=[1, 1, 1]' order=2
    solve poisson-hex poisson/poisson.yaml 'mesh.box.cells=[2, 2, 1]' order=2 mesh.box.cell=hex
    solve convection-quad convection/convection.yaml 'mesh.box.cells=[4, 2]' order=2 solver.method=bicgstab
    solve convection-tri convection/convection.yaml 'mesh.box.cells=[2, 2]' order=3 mesh.box.cell=tri solver.method=bicgstab
} >"$work/cases"
xargs -d '\n' -P "$(nproc)" -n 1 sh "$work/case.sh" "$work" <"$work/cases"
