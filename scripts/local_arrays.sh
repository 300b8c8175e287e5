#!/bin/sh
# Fails if a kernel that PoCL compiled keeps memory of its own: a local array that all threads write to (INLINE in
# src/device/kernels/real.cl prevents it).
#
#   scripts/local_arrays.sh FOLDER_OF_POCL
set -eu
# a compilation that a test stops leaves a temporary file
sizes=$(find "$1" -name '*.so' ! -name 'tempfile_*' -exec size {} +)
[ -n "$sizes" ] || { echo "there are no kernels in $1" >&2 && exit 1; }
found=$(echo "$sizes" | awk '$3 + 0 > 64 { print $3 " bytes: " $6 }')
[ -z "$found" ] || { printf 'these kernels keep memory of their own, the same for all threads:\n%s\n' "$found" >&2 && exit 1; }
