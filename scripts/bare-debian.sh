#!/bin/sh
# Proves the first sentence of the README: makes a bare Debian 12 in a folder (debootstrap, minbase), puts a clone of the
# committed tree there and runs a command in it, ./demo when none is given. As root; needs the package debootstrap and the network.
#
#   scripts/bare-debian.sh FOLDER [COMMAND...]
#
# FOLDER must not exist; it stays afterwards (remove it yourself), with the tree in FOLDER/root/ritz. The mirror, the
# settings of apt and the certificate authorities are taken from this machine.
set -eu
tree=$(cd "$(dirname "$0")/.." && pwd)
[ $# -ge 1 ] || {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
folder=$1
shift
[ $# -gt 0 ] || set -- ./demo
[ "$(id -u)" = 0 ] || {
    echo "debootstrap and chroot need root" >&2
    exit 1
}
[ ! -e "$folder" ] || {
    echo "$folder exists already; name a new folder" >&2
    exit 1
}
command -v debootstrap >/dev/null || {
    echo "debootstrap is missing: apt-get install debootstrap" >&2
    exit 1
}

mirror=$(sed -n 's/^URIs: *//p; s/^deb  *\(\[[^]]*\] *\)\{0,1\}\(http[^ ]*\) bookworm .*/\2/p' \
    /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | head -n 1)
debootstrap --variant=minbase bookworm "$folder" "${mirror:-http://deb.debian.org/debian}" >/dev/null
folder=$(cd "$folder" && pwd)

# What this machine needs to reach its mirrors, the bare one needs too.
for setting in /etc/resolv.conf /etc/hosts; do
    [ ! -f $setting ] || cat $setting >"$folder$setting"
done
apt-config dump | grep -E '^Acquire::(http|https|Check|Retries)' >"$folder/etc/apt/apt.conf.d/99host" || true
certificates=
if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
    cp /etc/ssl/certs/ca-certificates.crt "$folder/etc/host-certificates.crt"
    certificates=/etc/host-certificates.crt
fi
git clone --quiet --no-hardlinks "$tree" "$folder/root/ritz"

leave() {
    umount "$folder/proc" "$folder/sys" "$folder/dev/shm" "$folder/dev" 2>/dev/null || true
}
trap leave EXIT
trap 'exit 130' INT TERM
mount -t proc proc "$folder/proc"
mount -t sysfs sysfs "$folder/sys" 2>/dev/null || mount --rbind /sys "$folder/sys"
mount --bind /dev "$folder/dev"
[ ! -d /dev/shm ] || mount --bind /dev/shm "$folder/dev/shm"

# shellcheck disable=SC2016  # expanded inside
chroot "$folder" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    ${certificates:+PIP_CERT=$certificates} ${http_proxy:+http_proxy=$http_proxy} ${https_proxy:+https_proxy=$https_proxy} \
    sh -c 'cd /root/ritz && exec "$@"' sh "$@"
