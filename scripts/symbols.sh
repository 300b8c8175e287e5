#!/bin/sh
# What programs that link against the library depend on, and so what a new version must keep: the functions that it exports,
# one a line, and the bytes of the structs in its headers (where pointers have 64 bits).
#
#   symbols.sh BUILD_FOLDER            compares them with tests/symbols.txt; exit status 1 where they differ
#   symbols.sh BUILD_FOLDER --write    makes that file anew
set -eu
root=$(dirname "$0")/..
list=$root/tests/symbols.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "grows" is said of a struct that starts with its size: fields may be appended to it.
{
    printf '#include "ritz.h"\n#include <stdio.h>\nint main(void)\n{\n'
    awk '/^typedef struct ritz_[a-z_]+ \{$/ { inside = 1; first = 1; grows = ""; next }
         inside && first { if ($0 ~ /^ *size_t (struct_)?size;/) grows = ", grows"; first = 0 }
         inside && /^\} ritz_[a-z_]+;$/ { sub(/;$/, "", $2); printf "    printf(\"struct %s %%zu%s\\n\", sizeof(%s));\n", $2, grows, $2; inside = 0 }' \
        "$root"/include/ritz/*.h
    printf '    return 0;\n}\n'
} >"$work/sizes.c"
"${CC:-cc}" -I"$root/include" -o "$work/sizes" "$work/sizes.c"
{
    nm -D --defined-only "$1/libritz.so" | awk '$3 ~ /^ritz_/ { print $3 }' | LC_ALL=C sort
    "$work/sizes" | LC_ALL=C sort
} >"$work/now"
[ "$(grep -c '^struct' "$work/now")" -gt 20 ] || {
    echo "the structs of the headers were not found" >&2
    exit 1
}
if [ "${2:-}" = --write ]; then
    cp "$work/now" "$list"
elif ! diff "$list" "$work/now" >&2; then
    echo "libritz.so and its headers are not as tests/symbols.txt lists: < is gone, > is new. A function that is gone, and a" >&2
    echo "struct of another size that does not say that it grows, break programs: the name libritz.so.0.N counts such" >&2
    echo "versions; if it is meant: scripts/symbols.sh $1 --write" >&2
    exit 1
fi
