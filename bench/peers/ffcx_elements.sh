#!/bin/sh
# Measures element matrices on one core beside FFCx's C kernels, remade here, and libCEED's published figures.
#
#   bench/peers/ffcx_elements.sh [OPTION...]     see bench/peers/ffcx_elements.py --help
#
# Installs FFCx from Debian when it is missing; ./check never runs this.
set -eu
cd "$(dirname "$0")/../.."
. scripts/packages.sh
# shellcheck disable=SC2086,SC2154  # a list of words, set in scripts/packages.sh
need $element_peer_packages

# /usr/bin/python3: Debian's, which sees Debian's packages.
exec /usr/bin/python3 bench/peers/ffcx_elements.py "$@"
