#!/bin/sh
# Installs a build into an empty prefix and builds the consumer against it, with find_package and with pkg-config, and in
# C++ where there is a compiler for it; likewise the programs of examples/api, all of them as both.
#
#   run.sh BUILD_FOLDER
#
# Fails when the installed library exports a symbol that is not of the interface, too, when a header or the README cites a
# page that is not installed, and when the tree does not configure without cmocka.
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
# The programs of examples/api, as their heads say how to build them; each checks its own results.
examples=$(find "$prefix" -path '*examples/api')
for source in "$examples"/*.c; do
    name=$(basename "$source" .c)
    lines=$(wc -l <"$source")
    if [ "$lines" -gt 120 ]; then
        echo "$source has $lines lines; 120 are allowed" >&2
        exit 1
    fi
    # shellcheck disable=SC2046
    "${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror -o "$work/$name" "$source" $(pkg-config --cflags --libs ritz) -lm
    LD_LIBRARY_PATH=$library "$work/$name"
done
if command -v "${CXX:-g++}" >/dev/null; then
    # shellcheck disable=SC2046
    "${CXX:-g++}" -std=c++11 -Wall -Wextra -Wpedantic -Werror -o "$work/consumer++" "$here/consumer.cpp" \
        $(pkg-config --cflags --libs ritz)
    LD_LIBRARY_PATH=$library "$work/consumer++"
    # shellcheck disable=SC2046
    for source in "$examples"/*.c; do # C++20 has designated initialisers
        name=$(basename "$source" .c)++
        # shellcheck disable=SC2046
        "${CXX:-g++}" -std=c++20 -x c++ -Wall -Wextra -Wpedantic -Wno-missing-field-initializers -Werror \
            -o "$work/$name" "$source" $(pkg-config --cflags --libs ritz)
        LD_LIBRARY_PATH=$library "$work/$name"
    done
else
    echo "no C++ compiler: the C++ program was left out"
fi

"$prefix/bin/ritz" --version

pages=$(dirname "$(find "$prefix" -path '*/doc/ritz/README.md')")
cited=$(grep -rhoE 'docs/[A-Za-z0-9_/-]+\.[a-z]+' "$prefix/include" "$pages/README.md" | sort -u)
for page in ${cited:?no header cites a page any more}; do
    [ -f "$pages/$page" ] || missing="${missing:-} $page"
done
if [ -n "${missing:-}" ]; then
    echo "cited by what is installed, and not installed:$missing" >&2
    exit 1
fi

# A pkg-config that knows no cmocka.
printf '#!/bin/sh\ncase "$*" in *cmocka*) exit 1 ;; esac\nexec pkg-config "$@"\n' >"$work/pkg-config"
chmod +x "$work/pkg-config"
cmake -S "$here/../.." -B "$work/bare" -DPKG_CONFIG_EXECUTABLE="$work/pkg-config" >"$work/bare.log" 2>&1 ||
    { cat "$work/bare.log" && exit 1; }
grep -q 'tests are left out: cmocka is missing' "$work/bare.log"

# Gmsh is in a program of its own, which the moved tree finds: a failure of it names its file.
for file in "$library/libritz.so" "$prefix/bin/ritz"; do
    if ldd "$file" | grep -i gmsh; then
        echo "$file links Gmsh" >&2
        exit 1
    fi
done
if [ -x "$build/ritz-gmsh" ]; then
    printf 'SetFactory("OpenCASCADE");\nBox(1)={0,0,0,1,1,1};\n' >"$work/box.geo"
    printf 'geometry: box.geo\nphysics: poisson\nboundary:\n  - {group: nowhere, value: 0}\n' >"$work/box.yaml"
    message=$(env -u RITZ_GMSH "$prefix/bin/ritz" solve "$work/box.yaml" 2>&1 || true)
    case $message in
    *"no group"*face6*) ;;
    *)
        echo "the installed ritz does not mesh a geometry: $message" >&2
        exit 1
        ;;
    esac
fi

[ -e "$library/libritz.so.0.2" ] # the name that programs keep: it changes with versions that may break them

foreign=$(nm -D --defined-only "$library/libritz.so" | awk '{ print $3 }' | grep -vxE 'ritz_.*|__bss_start|_edata|_end|_init|_fini' || true)
if [ -n "$foreign" ]; then
    echo "libritz.so exports more than ritz_*: $foreign" >&2
    exit 1
fi
