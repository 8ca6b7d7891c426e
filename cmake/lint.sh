#!/usr/bin/env bash
# lint.sh BUILD: the format of C++, the scripts, clang-tidy over what BUILD compiles, every header alone, and clang over
# what has changed. Exit code 1 on a finding.
# shellcheck disable=SC2317 # the functions are called by check
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build_folder=$1
failed=0

# check NAME COMMAND ...: continues after a finding, so that one run shows all.
check() {
  echo "== $1"
  "${@:2}" && return
  failed=1
  echo "tilescope: $1 found something, see above"
}

# Not the kernels: recorded sessions hold the hash of their source, and moving a line break would change it.
clang_format() {
  git ls-files -z '*.cpp' '*.hpp' | xargs -0 clang-format-14 --dry-run --Werror
}

check clang-format clang_format
check shellcheck shellcheck -x -a tilescope cmake/lint.sh .ci/run .ci/nightly .ci/parts.sh cmake/compiler_launcher.sh \
  cmake/fresh_machine.sh profiler/*/*/tests/*/*.sh
check clang-tidy python3 cmake/clang_tidy.py "$build_folder"
check "headers alone" python3 cmake/header_check.py "$build_folder"
check "clang 19" python3 cmake/clang_check.py "$build_folder"
((failed)) || echo "Lint: nothing found"
exit "$failed"
