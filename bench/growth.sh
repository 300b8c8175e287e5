#!/bin/sh
# How iterations and seconds of what `ritz solve` chooses, multigrid, grow with the unknowns: cubes of hexes and tets of order 1, elasticity and Poisson's
# equation, and squares of quads and triangles in plane stress, from 50 000 to 3 million unknowns, to 1e-8, by `ritz solve`; beside it the device memory
# of the same solve by Jacobi's preconditioner, to a tolerance that ends it soon. A line a case.
#
#   bench/growth.sh [RITZ [DEVICE [MOST]]]     the program (build/ritz), the device (auto), the most unknowns (3200000)
set -eu
ritz=${1:-build/ritz}
device=${2:-auto}
most=${3:-3200000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/elasticity.yaml" <<'YAML'
mesh: {box: {cells: [25, 25, 25], cell: hex}}
physics: elasticity
order: 1
materials: {young: 1, poisson: 0.3}
boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [0, 0, 1]}]
solver: {tolerance: 1e-8}
output: none
YAML
cat >"$folder/plane-stress.yaml" <<'YAML'
mesh: {box: {cells: [25, 25], cell: quad}}
physics: plane-stress
order: 1
materials: {young: 1, poisson: 0.3}
boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [0, 1]}]
solver: {tolerance: 1e-8}
output: none
YAML
cat >"$folder/poisson.yaml" <<'YAML'
mesh: {box: {cells: [37, 37, 37], cell: hex}}
physics: poisson
order: 1
source: 1
boundary: [{groups: [x0, x1, y0, y1, z0, z1], value: 0}]
solver: {tolerance: 1e-8}
output: none
YAML

# number NAME: the first number of that name in the JSON object of the last run
number() { grep -o "\"$1\":[0-9.e+-]*" "$folder/json" | head -n 1 | cut -d: -f2; }
# run FORM CELL CELLS SETTING...: one solve into $folder/json
run() {
    form=$1 cell=$2 cells=$3
    shift 3
    "$ritz" solve "$folder/$form.yaml" --set "mesh.box={cells: [$cells], cell: $cell}" --device "$device" "$@" \
        --json >"$folder/json" 2>"$folder/log" || { cat "$folder/log"; exit 1; }
}
# grow FORM CELL DIMENSION UNKNOWNS_PER_NODE SIDE...: a line for each side
grow() {
    form=$1 cell=$2 dim=$3 per_node=$4
    shift 4
    for side; do
        cells="$side, $side" unknowns=$((side * side * per_node))
        [ $dim = 3 ] && cells="$cells, $side" unknowns=$((unknowns * side))
        [ $unknowns -gt "$most" ] && continue
        run $form $cell "$cells" --set solver.method=cg --set solver.preconditioner=jacobi --set solver.tolerance=0.5
        plain=$(number peak_device_bytes)
        run $form $cell "$cells"
        awk -v form=$form -v cell=$cell -v unknowns="$(number unknowns)" -v iterations="$(number iterations)" \
            -v setup="$(number solve_setup_seconds)" -v all="$(number solve)" -v complexity="$(number operator_complexity)" \
            -v memory="$(number peak_device_bytes)" -v plain="${plain:-0}" 'BEGIN {
                printf "%-12s %-4s %9d %11d %8.3f %8.3f %10.2f %12.0f %10.2f\n", form, cell, unknowns, iterations, setup,
                    all - setup, complexity, memory / 1e6, (plain ? memory / plain : 0) }'
    done
}

printf '%-12s %-4s %9s %11s %8s %8s %10s %12s %10s\n' form cell unknowns iterations set-up solve complexity 'memory, MB' 'of Jacobi'
for cell in hex tet; do
    grow elasticity $cell 3 3 25 40 63 99
    grow poisson $cell 3 1 36 57 90 146
done
for cell in quad tri; do
    grow plane-stress $cell 2 2 158 316 630 1250
done
