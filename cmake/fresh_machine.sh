#!/usr/bin/env bash
# An empty Debian 12 in a folder, which sees no toolkit, packages or home of this machine. It tests what the README
# promises for a fresh machine.
#
#   cmake/fresh_machine.sh                  make one and run the README's two commands in it, each with its time
#   cmake/fresh_machine.sh make             make one (a minute, debootstrap included); the one before is removed
#   cmake/fresh_machine.sh run COMMAND ...  run COMMAND in it, in a clone of HEAD; results of earlier commands are kept
#   cmake/fresh_machine.sh folder           print its folder
#
# Downloads may come from this machine's cache, since they are verified by hash. Nothing is installed beforehand. What
# ccache, clang-tidy and the compiler of kernels kept from earlier fresh machines is there, except with TILESCOPE_COLD=1; a
# newcomer has no ccache, and the first command does not install it (.ci/run does). Needs root and debootstrap. Exit codes:
# the command's; 3 when no such machine can be made here.
#
# FRESH_MACHINE is the folder, /var/tmp/tilescope-fresh-machine by default. SUITE=trixie makes a Debian 13 instead.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
suite=${SUITE:-bookworm}
default_folder=/var/tmp/tilescope-fresh-machine
[[ $suite == bookworm ]] || default_folder+=-$suite
folder=${FRESH_MACHINE:-$default_folder}
# shellcheck source=cmake/user_folders.sh
source "$root/cmake/user_folders.sh"
cache=$(cache_folder)

cannot() {
  echo "tilescope: no fresh machine can be made here: $1" >&2
  exit 3
}

check_possible() {
  [[ -n $cache && -z $(why_untrusted "$cache") ]] || cannot "there is no cache folder of this user's own (${cache:-no home folder})."
  (($(id -u) == 0)) || cannot "debootstrap and chroot need root. Run it with sudo."
  command -v debootstrap >/dev/null || apt-get install -y -qq --no-install-recommends debootstrap >/dev/null 2>&1 ||
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends debootstrap >/dev/null; } ||
    cannot "debootstrap is not installed, and apt-get could not install it."
  unshare --mount --pid --fork true 2>/dev/null || cannot "this kernel or container allows no mount namespace (unshare)."
}

# The mirror that this machine's apt uses, so that a proxy or a local mirror is used.
debian_mirror() {
  sed -n 's/^URIs: *\([^ ]*debian\)\/*$/\1/p; s/^deb \(\[[^]]*\] \)\?\([^ ]*debian\)\/* .*/\2/p' \
    /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list /etc/apt/sources.list 2>/dev/null | head -1 || true
}

# Unpacks the base system, which debootstrap makes once a week for each mirror.
make_base() {
  local mirror base
  mirror=$(debian_mirror)
  base=$cache/fresh-machine/$suite-$(sha256sum <<<"$mirror" | cut -c1-8).tar
  if [[ -z $(find "$base" -mtime -7 2>/dev/null) ]]; then
    bootstrap "$mirror"
    tar -C "$folder" --numeric-owner -cf "$base.partial" . && mv "$base.partial" "$base"
  else
    tar -C "$folder" --numeric-owner -xf "$base"
  fi
}

# bootstrap MIRROR
bootstrap() {
  local debs=$cache/fresh-machine/debs
  mkdir -p "$folder/etc/dpkg/dpkg.cfg.d" "$debs"
  # As in images of containers: dpkg does not wait for the disk, which takes half the time of installing.
  echo force-unsafe-io >"$folder/etc/dpkg/dpkg.cfg.d/unsafe-io"
  debootstrap --variant=minbase --include=ca-certificates,git --cache-dir="$debs" "$suite" "$folder" \
    ${1:+"$1"} >"$folder.log" 2>&1 || {
    tail -5 "$folder.log" >&2
    cannot "debootstrap failed, its output is above. It needs a Debian mirror, as apt has one."
  }
}

make_machine() {
  rm -rf --one-file-system "$folder"
  mkdir -p "$folder"
  make_base
  # Network access works as on this machine: its resolver, its certificates, its proxies.
  local file
  for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt /etc/pip.conf /etc/apt/apt.conf.d/*proxy*; do
    [[ -f $file ]] && cp --parents "$file" "$folder"
  done
  copy_downloads
}

# The downloaded archives, which the set-up there checks and unpacks.
copy_downloads() {
  [[ -d $cache/dependencies/downloads ]] || return 0
  mkdir -p "$folder/root/.cache/tilescope/dependencies"
  cp -rp "$cache/dependencies/downloads" "$folder/root/.cache/tilescope/dependencies/"
}

# New downloads, so that the next machine does not fetch them again.
copy_downloads_back() {
  [[ -d $folder/root/.cache/tilescope/dependencies/downloads ]] || return 0
  mkdir -p "$cache/dependencies"
  cp -rp --update "$folder/root/.cache/tilescope/dependencies/downloads" "$cache/dependencies/"
}

# The variables of this machine that a command there also gets, as NAME=VALUE, one a line.
variables_inside() {
  local name
  for name in PIP_CERT PIP_INDEX_URL PIP_DEFAULT_TIMEOUT HTTP_PROXY HTTPS_PROXY http_proxy https_proxy NO_PROXY no_proxy \
    SSL_CERT_FILE CURL_CA_BUNDLE TILESCOPE_PRESET TILESCOPE_COLD TILESCOPE_WERROR CI; do
    [[ -z ${!name:-} ]] || echo "$name=${!name}"
  done
}

run_inside() {
  [[ -d $folder/root ]] || make_machine
  [[ -d $folder/root/tilescope ]] || git clone -q "$root" "$folder/root/tilescope"
  local variables results='' code=0
  mapfile -t variables < <(variables_inside)
  [[ ${TILESCOPE_COLD:-} == 1 ]] || results=$cache/fresh-machine
  # A separate process namespace, so that processes that the command leaves running end with it. The mounts end with it
  # too: the folders in $results have the same names in the machine's cache. The first process of the namespace ignores
  # Ctrl+C, so that is not the command itself.
  # shellcheck disable=SC2016 # the inner shell expands it
  unshare --mount --pid --fork bash -c '
    folder=$1 results=$2; shift 2
    mount -t proc proc "$folder/proc" && mount --rbind /dev "$folder/dev" && mount -t tmpfs tmpfs "$folder/tmp" || exit 3
    for name in ${results:+ccache lint binaries}; do
      mkdir -p "$results/$name" "$folder/root/.cache/tilescope/$name" &&
        mount --bind "$results/$name" "$folder/root/.cache/tilescope/$name" || exit 3
    done
    chroot "$folder" /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
    exit $?' - \
    "$folder" "$results" "${variables[@]}" bash -c 'cd /root/tilescope && exec "$@"' - "$@" || code=$?
  copy_downloads_back
  return "$code"
}

# timed WORDS COMMAND ...
timed() {
  local start=$SECONDS code=0
  run_inside "${@:2}" || code=$?
  echo "Fresh machine: $1: $(((SECONDS - start) / 60)) min $(((SECONDS - start) % 60)) s, exit code $code"
  return "$code"
}

case ${1:-} in
  "")
    check_possible
    make_machine
    start=$SECONDS
    timed "./tilescope, from nothing to the first picture" ./tilescope
    timed "./tilescope test" ./tilescope test
    echo "Fresh machine: from nothing to the end of the tests: $(((SECONDS - start) / 60)) min $(((SECONDS - start) % 60)) s"
    ;;
  make)
    check_possible
    make_machine
    echo "$folder: $(du -sh "$folder" | cut -f1)"
    ;;
  run)
    shift
    (($#)) || { echo "usage: cmake/fresh_machine.sh run COMMAND ..." >&2; exit 2; }
    check_possible
    run_inside "$@"
    ;;
  folder)
    echo "$folder"
    ;;
  *)
    sed -n '2,17s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
