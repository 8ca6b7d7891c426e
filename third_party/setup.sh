# shellcheck shell=bash
# Sourced by ./tilescope: installs what the machine needs to build. Steps that are done are skipped. Uses $root (the
# repository), $cache, $dependencies (where downloads are unpacked) and $build_folder.

# The distribution's Python has the packages that apt installed; another one on PATH may not.
if [[ -x /usr/bin/python3 ]]; then python=/usr/bin/python3; else python=python3; fi

# stop CODE SENTENCE: 1 failed, 2 wrong usage, 3 cannot run here.
stop() {
  echo "tilescope: $2" >&2
  [[ -z ${document:-} ]] || print_failure "$1" "$2"
  exit "$1"
}

# print_documents: for --json. From here on a failure is a JSON document on stdout, too, as of the program's commands.
print_documents() {
  { exec {document}>&1; } 2>/dev/null || return 0 # stdout is closed: nobody reads it
  trap 'document_end $?' EXIT
}

# document_end CODE: of a step that failed without a sentence of this script.
document_end() {
  (($1 == 0)) || print_failure "$1" "the set-up or the build failed: standard error says how"
}

# print_failure CODE SENTENCE: the document, once.
print_failure() {
  local LC_ALL=C status=cannot_run text=$2
  case $1 in
    2) status=usage ;;
    130 | 143) status=cancelled ;;
  esac
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\n'/\\n}
  printf '{\n  "reason": "%s",\n  "status": "%s"\n}\n' "${text//[^ -~]/?}" "$status" >&"$document"
  trap - EXIT
}

# leave_to PROGRAM ARGUMENT ...: becomes the program, which prints its own documents.
leave_to() {
  trap - EXIT
  [[ -z ${document:-} ]] || exec {document}>&-
  exec "$@"
}

# set_up [--for-driver VERSION] [FILE ...]: installs the packages of packages.txt and of the named lists, and fetches
# the downloads of requirements.txt and of the named requirements, and the NVRTC for a driver: this machine's, a
# version, or "all".
set_up() {
  local file for_driver=here packages=("$root/third_party/packages.txt") downloads=("$root/third_party/requirements.txt")
  if [[ ${1:-} == --for-driver ]]; then
    for_driver=$2
    shift 2
  fi
  for file in "$@"; do
    case $file in
      requirements*) downloads+=("$root/third_party/$file") ;;
      *) packages+=("$root/third_party/$file") ;;
    esac
  done
  [[ $(uname -sm) == "Linux x86_64" ]] ||
    stop 3 "Tilescope runs on Linux on x86-64; this is $(uname -sm). Explore its GPU from such a machine."
  check_folders
  install_packages "${packages[@]}"
  check_tools
  "$python" "$root/third_party/fetch.py" --dependencies "$dependencies" --for-driver "$for_driver" \
    "${downloads[@]}" || exit $?
}

# Programs and libraries are run from the downloads.
check_folders() {
  local folder why
  [[ -n $cache ]] || stop 3 "There is no folder for downloads: the user database has no home folder for this user, and
${TMPDIR:-/tmp}/tilescope-$(id -u) belongs to somebody else. Set HOME or XDG_CACHE_HOME to a folder of your own."
  for folder in "$cache" "$dependencies"; do
    why=$(why_untrusted "$folder")
    [[ -z $why ]] || stop 3 "$why, so that others could put programs there: nothing is run from it. Take it back with
chown and chmod -R go-w, or set XDG_CACHE_HOME to a folder of your own."
  done
}

# set_up_only [--for-driver VERSION] [--nvcc]: ./tilescope setup
set_up_only() {
  local for_driver=() more=()
  while (($#)); do
    if [[ $1 == --nvcc ]]; then
      more=(requirements-nvcc.txt)
      shift
    elif [[ $1 == --for-driver && -n ${2:-} ]]; then
      for_driver=("$1" "$2")
      shift 2
    else
      stop 2 "setup takes --for-driver VERSION and --nvcc; VERSION is what nvidia-smi shows, 550.54 or 12.4, or all."
    fi
  done
  set_up "${for_driver[@]}" "${more[@]}"
  echo "The downloads are complete in $dependencies" >&2
}

# install_packages LIST ...: runs apt-get only when something is missing, and only if this user may.
install_packages() {
  local wanted missing line
  mapfile -t wanted < <(sed 's/#.*//' "$@" | tr -s ' \n' '\n' | grep .)
  if ! command -v dpkg-query >/dev/null; then
    warn_other_distribution "${wanted[@]}"
    return
  fi
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  ((${#missing[@]})) || return 0

  line="apt-get install --no-install-recommends ${missing[*]}"
  local sudo=()
  if (($(id -u) != 0)); then
    sudo -n true 2>/dev/null || stop 3 "Packages are missing, and this user may not install them. Run this, then start again:
  sudo $line"
    sudo=(sudo)
  fi
  echo "Installing ${#missing[@]} packages: ${missing[*]}"
  # A fresh machine's lists are empty or old. A failing source does not matter if the packages are found anyway.
  "${sudo[@]}" apt-get update -qq || true
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" ||
    stop 3 "apt-get could not install what is missing; its output is above. Without a network or with a full disk
nothing can be installed. On another distribution a package may have another name: Tilescope was tried on Debian 12 and
13. To try by hand: sudo $line"
}

# The named packages that are not installed. A package may be provided by another (pkg-config by pkgconf).
missing_packages() {
  comm -23 <(printf '%s\n' "$@" | sort -u) \
    <(dpkg-query -W -f '${db:Status-Abbrev}|${Package}|${Provides}\n' | grep '^ii' | cut -d'|' -f2- |
      tr '|,' '\n' | sed 's/ *(.*//; s/^ *//' | sort -u)
}

warn_other_distribution() {
  [[ -f $build_folder/build.ninja ]] && return
  echo "Tilescope installs its packages on Debian and Ubuntu, and here is no dpkg-query. It goes on with what is here. If
the build finds something missing, install what corresponds to: $*"
}

check_tools() {
  local tool
  for tool in g++ cmake ninja pkg-config "$python"; do
    command -v "$tool" >/dev/null || stop 3 "$tool is not installed or not on PATH; Tilescope is built with it."
  done
  local version
  version=$(cmake --version | sed -n 's/^cmake version \([0-9]*\.[0-9]*\).*/\1/p')
  printf '3.25\n%s\n' "$version" | sort -CV ||
    stop 3 "CMake 3.25 is needed and $(command -v cmake) is $version. Debian 12 and 13 have a newer one."
  version=$(g++ -dumpversion)
  ((${version%%.*} >= 12)) ||
    stop 3 "g++ 12 is needed for C++20 and $(command -v g++) is $version. Debian 12 and 13 have a newer one."
}
