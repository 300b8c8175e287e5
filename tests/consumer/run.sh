#!/bin/sh
# Installs a build into an empty prefix and builds the consumer against it, with find_package and with pkg-config, and in
# C++ where there is a compiler for it.
#
#   run.sh BUILD_FOLDER
#
# Fails when the installed library exports a symbol that is not of the interface, too.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/prefix" # the installed tree must not remember where it was put
prefix=$work/prefix

cmake -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >"$work/cmake.log"
cmake --build "$work/cmake" >>"$work/cmake.log"
"$work/cmake/consumer"

pc=$(find "$prefix" -name ritz.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046  # pkg-config prints words
"${CC:-cc}" -std=c11 -Wall -Werror -o "$work/consumer" "$here/consumer.c" $(pkg-config --cflags --libs ritz)
library=$(dirname "$(find "$prefix" -name libritz.so)")
LD_LIBRARY_PATH=$library "$work/consumer"
if command -v "${CXX:-g++}" >/dev/null; then
    # shellcheck disable=SC2046
    "${CXX:-g++}" -std=c++11 -Wall -Wextra -Wpedantic -Werror -o "$work/consumer++" "$here/consumer.cpp" \
        $(pkg-config --cflags --libs ritz)
    LD_LIBRARY_PATH=$library "$work/consumer++"
else
    echo "no C++ compiler: the C++ program was left out"
fi

"$prefix/bin/ritz" --version

foreign=$(nm -D --defined-only "$library/libritz.so" | awk '{ print $3 }' | grep -vxE 'ritz_.*|__bss_start|_edata|_end|_init|_fini' || true)
if [ -n "$foreign" ]; then
    echo "libritz.so exports more than ritz_*: $foreign" >&2
    exit 1
fi
