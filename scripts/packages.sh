# shellcheck shell=sh disable=SC2034
# What Ritz needs from Debian 12 and from PyPI, named once, and the functions that install it. Read with `.` by ./demo,
# ./check and scripts/*; the current folder is the root of the tree.

# To build and run the library and the program.
build_packages="gcc libc6-dev cmake make ninja-build pkg-config ocl-icd-opencl-dev opencl-c-headers pocl-opencl-icd libgmsh-dev
libyaml-dev libhdf5-dev libmumps-seq-dev libopenblas0-pthread"
# To draw pictures: Python and a library that renders without a display or a graphics card.
picture_packages="ca-certificates python3 python3-venv libosmesa6"
# To run ./check: unit tests, the OpenCL checker, the sanitizers and fuzzers, the linters, and the peers: CalculiX's decks, DOLFINx.
test_packages="g++ libcmocka-dev oclgrind clang clang-format clang-tidy libclang-rt-14-dev libomp-dev shellcheck
calculix-ccx-test python3-dolfinx-real"
# To run bench/peers (large; no part of ./check): the whole assembly, multigrid, and element matrices alone.
peer_packages="python3-dolfinx-real python3-ffcx python3-petsc4py-real python3-mpi4py openmpi-bin gcc g++"
multigrid_peer_packages="python3-petsc4py-real python3-mpi4py openmpi-bin python3-venv"
element_peer_packages="python3-ffcx gcc libc6-dev"

# missing PACKAGE...: prints those that are not installed.
missing() {
    for package in "$@"; do
        case $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) in
        installed) ;;
        *) printf '%s ' "$package" ;;
        esac
    done
}

# need PACKAGE...: installs what is missing; without the right to do so it names the line to run, and ends the script.
need() {
    if ! command -v apt-get >/dev/null; then
        echo "This script installs packages of Debian 12 and finds no apt-get. With your system's names for these, use cmake:" >&2
        echo "  $*" >&2
        exit 1
    fi
    absent=$(missing "$@")
    [ -n "$absent" ] || return 0
    if [ "$(id -u)" != 0 ]; then
        echo "Some packages are missing. Run this line, then this script again:" >&2
        echo "  sudo apt-get update && sudo apt-get install --no-install-recommends ${absent% }" >&2
        exit 1
    fi
    echo "installing ${absent% }"
    packages_log=$(mktemp)
    # shellcheck disable=SC2086  # a list of words
    if ! { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $absent; } \
        >"$packages_log" 2>&1 </dev/null; then
        tail -n 20 "$packages_log" >&2
        rm -f "$packages_log"
        echo "The packages above could not be installed; is the network there, and is this Debian 12?" >&2
        exit 1
    fi
    rm -f "$packages_log"
}

# need_python: a folder .venv of the project's own with the packages of scripts/requirements.txt.
need_python() {
    cmp -s scripts/requirements.txt .venv/requirements.txt && return 0
    echo "installing Python packages into .venv"
    python3 -m venv .venv
    # Without dependencies: vtk names matplotlib, which the pictures do not use.
    if ! .venv/bin/pip install --quiet --disable-pip-version-check --no-deps -r scripts/requirements.txt; then
        echo "The Python packages of scripts/requirements.txt could not be installed into .venv; is the network there?" >&2
        exit 1
    fi
    cp scripts/requirements.txt .venv/requirements.txt
}
