# shellcheck shell=sh
# Sourced by ./tilescope and scripts of the build, also by sh: the folders of the user, as profiler/installation.cpp finds
# them.

# home_folder: HOME, else what the user database has. Without a usable one a folder among the temporary files that only
# this user may enter; nothing where another user has taken its name.
home_folder() {
  case ${HOME:-} in
    /*)
      printf '%s\n' "$HOME"
      return
      ;;
  esac
  found=$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6)
  case $found in
    /*)
      if [ -d "$found" ] && [ -w "$found" ]; then
        printf '%s\n' "$found"
        return
      fi
      ;;
  esac
  found=${TMPDIR:-/tmp}/tilescope-$(id -u)
  mkdir -m 700 "$found" 2>/dev/null || true # it may be there
  if [ -d "$found" ] && [ ! -L "$found" ] && [ -z "$(why_untrusted "$found")" ]; then printf '%s\n' "$found"; fi
}

# cache_folder: nothing where there is none.
cache_folder() {
  case ${XDG_CACHE_HOME:-} in
    /*)
      printf '%s\n' "$XDG_CACHE_HOME/tilescope"
      return
      ;;
  esac
  found=$(home_folder)
  [ -z "$found" ] || printf '%s\n' "$found/.cache/tilescope"
}

# why_untrusted FOLDER: why another user than this one and root may write a folder, of which nothing may be run then;
# nothing where none may, or where it does not exist.
why_untrusted() {
  [ -e "$1" ] || return 0
  if ! [ -O "$1" ] && [ "$(stat -L -c '%u' "$1")" != 0 ]; then
    echo "$1 belongs to $(stat -L -c '%U' "$1")"
  elif [ -n "$(find -H "$1" -maxdepth 0 -perm /022 2>/dev/null)" ]; then
    echo "$1 may be written by other users"
  fi
}
