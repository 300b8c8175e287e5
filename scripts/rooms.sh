#!/bin/sh
# Checks the arrows between the rooms, as far as includes and sources show them:
# - only src/device (and the tests' and benches' own files) may name OpenCL;
# - a room includes headers of itself and of rooms below it only;
# - only src/matrix knows which storages of matrices there are;
# - only src/physics knows properties and loads by their names, others by what its tables say of them;
# - the library neither prints nor ends the process.
# Prints each line that breaks a rule; exit status 1 when there is one.
set -eu
cd "$(dirname "$0")/.."

complain() { # RULE, lines on standard input
    lines=$(cat)
    [ -n "$lines" ] || return 0
    printf '%s:\n%s\n' "$1" "$lines"
}

# room: the rooms below it, as in CMakeLists.txt
below() {
    case $1 in
    base) echo "base" ;;
    device) echo "device base" ;;
    cell) echo "cell base" ;;
    mesh) echo "mesh cell base" ;;
    deck) echo "deck mesh cell base" ;;
    space) echo "space mesh cell base" ;;
    form) echo "form base" ;;
    physics) echo "physics form base" ;;
    integrate) echo "integrate space mesh cell form device base" ;;
    measure) echo "measure integrate space mesh cell form device base" ;;
    matrix) echo "matrix device base" ;;
    market) echo "market matrix device base" ;;
    assemble) echo "assemble integrate space mesh cell form matrix device base" ;;
    direct) echo "direct matrix device base" ;;
    multigrid) echo "multigrid matrix device base" ;;
    solve) echo "solve direct multigrid matrix device base" ;;
    output) echo "output integrate space mesh cell physics form device base" ;;
    problem) echo "problem deck assemble integrate space mesh cell physics form solve multigrid matrix output device base" ;;
    *) echo "$1" ;;
    esac
}
findings() {
    find src cli include -name '*.[ch]' ! -path 'src/device/*' -exec grep -nHE \
        '#[[:space:]]*include[[:space:]]*<(CL|OpenCL)/|\bcl_(mem|kernel|program|context|command_queue|event|device_id|int|uint|long|ulong|double|float)\b|\bcl[A-Z][A-Za-z]+\(' \
        {} + | complain "OpenCL outside src/device"

    find src cli -name '*.[ch]' ! -path 'src/matrix/*' -exec grep -nHE '\bRITZ_STORAGE_[A-Z]+|ritz_storage_(slices|symmetric)' {} + |
        complain "A storage of matrices is named outside src/matrix"

    find src cli -name '*.[ch]' ! -path 'src/physics/*' -exec grep -nHE \
        '(ritz_find_(property|body_load)|ritz_physics_named)\([^;]*"|strcmp\([^;]*\bphysics\b[^;]*name, "' {} + |
        complain "A physics, or a property or load of one, is named outside src/physics"

    for room in src/*/; do
        room=$(basename "$room")
        allowed=$(below "$room" | tr ' ' '|')
        grep -rnE '#include "[a-z]+/' --include='*.[ch]' "src/$room" | grep -v '#include "ritz/' |
            grep -vE "#include \"($allowed)/" | complain "src/$room includes a room that is not below it"
        grep -rnE '#include "ritz/' --include='*.[ch]' "src/$room" |
            grep -vE "#include \"ritz/($allowed)\.h\"" | complain "src/$room includes the interface of a room that is not below it"
    done

    # src/measure/isolate.c ends the copies of the process that it makes, and is no part of the library
    find src -name '*.c' ! -path src/measure/isolate.c -exec grep -nHE \
        '(^|[^a-z_])(printf|puts|putchar|perror|exit|_exit|abort|assert)[[:space:]]*\(|fprintf[[:space:]]*\((stdout|stderr)' \
        {} + | complain "The library prints or ends the process"
}

found=$(findings)
[ -z "$found" ] || {
    printf '%s\n' "$found" >&2
    exit 1
}
