#!/bin/sh
# The functions that the library exports, one a line: what programs link against, and so what a new version must keep.
#
#   symbols.sh BUILD_FOLDER            compares them with tests/symbols.txt; exit status 1 where they differ
#   symbols.sh BUILD_FOLDER --write    makes that file anew
set -eu
list=$(dirname "$0")/../tests/symbols.txt
now=$(nm -D --defined-only "$1/libritz.so" | awk '$3 ~ /^ritz_/ { print $3 }' | LC_ALL=C sort)
if [ "${2:-}" = --write ]; then
    printf '%s\n' "$now" >"$list"
elif ! printf '%s\n' "$now" | diff "$list" - >&2; then
    echo "libritz.so does not export what tests/symbols.txt lists: < is gone, > is new. What is gone breaks programs" >&2
    echo "(the name libritz.so.0.N counts such versions); if it is meant: scripts/symbols.sh $1 --write" >&2
    exit 1
fi
