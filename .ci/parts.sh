# shellcheck shell=bash
# Sourced by .ci/run and .ci/nightly in the repository's folder: runs their parts, if possible in a fresh machine, and
# reports what each took (report.py).
# shellcheck source=cmake/user_folders.sh
source cmake/user_folders.sh
number=0
failed=0
command -v python3 >/dev/null || { echo "tilescope: CI's report needs python3" >&2; exit 3; }

# start_in_machine: makes a fresh machine for the parts. Fails if that is not possible here.
start_in_machine() {
  local start=$SECONDS machine
  cmake/fresh_machine.sh make || return
  machine=$(cmake/fresh_machine.sh folder)
  inside=(cmake/fresh_machine.sh run)
  [[ ${TILESCOPE_COLD:-} == 1 ]] || install_ccache
  clone=$machine/root/tilescope
  records=$machine/root/ci
  records_inside=/root/ci
  start_records "$(cache_folder)/fresh-machine/ccache"
  record "a fresh machine" $((SECONDS - start)) 0
}

# A newcomer has no ccache. Here the first picture uses what it kept, too; --cold shows what a newcomer waits for.
install_ccache() {
  "${inside[@]}" bash -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends ccache' >/dev/null 2>&1 ||
    echo "CI: ccache could not be installed before the first picture, which is compiled without it."
}

# start_here: the parts run on this machine, in this clone.
start_here() {
  inside=()
  clone=$PWD
  records=$PWD/build/ci
  records_inside=$records
  start_records "$(cache_folder)/ccache"
}

# start_records CACHE: CACHE is the folder that ccache will use.
start_records() {
  rm -rf "$records"
  mkdir -p "$records"
  state=cold
  if [[ ${TILESCOPE_COLD:-} == 1 ]]; then
    echo "CI: cold: without compiled files, kernels and lint results of earlier runs"
  elif [[ -z $(ls -A "$1" 2>/dev/null) ]]; then
    echo "CI: cold: ccache has kept nothing yet"
  else
    state=warm
    echo "CI: warm: with compiled files, kernels and lint results of earlier runs; --cold leaves them out"
  fi
}

# record NAME SECONDS CODE
record() {
  times >"$records/$number.times" # not in a subshell, whose times start at 0
  python3 .ci/report.py part "$records" "$state" "$number" "$@"
  times >"$records/$number.times" # where the next part begins, without this report
  ((number += 1))
}

# part NAME COMMAND ...: continues after a failure, so that one run shows all.
part() {
  local start=$SECONDS code
  echo "CI: $1 ..."
  "${inside[@]}" env CCACHE_STATSLOG="$records_inside/$number.ccache" "${@:2}" 2>&1 | tee "$records/$number.log"
  code=${PIPESTATUS[0]}
  ((code != 130)) || exit 130
  ((code == 0)) || failed=1
  record "$1" $((SECONDS - start)) "$code"
}

# finish CLOSING PRESET: the report on the tests of PRESET's build, whose last line is the closing line of the part
# CLOSING. Ends with 1 if a part failed.
finish() {
  python3 .ci/report.py end "$records" "$state" "$clone/build/$2" "$1"
  exit "$failed"
}
