# shellcheck shell=bash
# Sourced by ./tilescope: configure and build. Uses $root, $preset, $build_folder, $dependencies and $python.

# Builds what the explorer needs, without tests.
build_program() {
  lock_build
  configure KEEP
  build program
  unlock_build
}

build_everything() {
  lock_build
  configure ON
  build all
  unlock_build
}

# build_units "NAME NAME ...": these test executables and what they need.
build_units() {
  local units
  read -ra units <<<"$1"
  lock_build
  configure ON
  build "${units[@]}"
  unlock_build
}

# Also the list of what is compiled, for tools that build nothing: where a CMakeLists.txt has changed since, ninja runs
# CMake again.
configure_everything() {
  lock_build
  configure ON
  ninja -C "$build_folder" build.ninja ||
    stop 1 "CMake could not configure $build_folder again; its output is above."
  unlock_build
}

# Two starts at once run one after the other; the program that is started does not inherit the lock.
lock_build() {
  mkdir -p "$build_folder" || stop 3 "$build_folder cannot be made; Tilescope is built inside its own folder."
  exec {build_lock}>"$build_folder/.lock"
  flock "$build_lock"
}

unlock_build() {
  exec {build_lock}>&-
}

# configure TESTS: only when the result could differ from the last one. TESTS is ON, or KEEP for the previous value.
configure() {
  local tests=$1 options wanted
  if [[ $tests == KEEP ]]; then
    tests=$(grep -qs '^TILESCOPE_TESTS:BOOL=ON' "$build_folder/CMakeCache.txt" && echo ON || echo OFF)
  fi
  mapfile -t options < <(configure_options "$tests")
  wanted="${options[*]} $(sha256sum <"$root/CMakePresets.json")"
  [[ -f $build_folder/build.ninja && -r $build_folder/.configured && $(<"$build_folder/.configured") == "$wanted" ]] &&
    return
  echo "Configuring $preset"
  (cd "$root" && cmake --preset "$preset" --log-level=WARNING "${options[@]}") ||
    stop 1 "CMake could not configure $build_folder; its output is above. If a package is named there, install it;
else remove $build_folder and start again."
  echo "$wanted" >"$build_folder/.configured"
}

# configure_options TESTS: one a line. An option that is not wanted is named too, since CMake remembers it otherwise.
configure_options() {
  local werror=OFF
  [[ ${TILESCOPE_WERROR:-} == 1 || $preset == lint || $preset == asan ]] && werror=ON
  printf '%s\n' "-DTILESCOPE_TESTS=$1" "-DTILESCOPE_DEPENDENCIES=$dependencies" \
    "-DTILESCOPE_WARNINGS_AS_ERRORS=$werror"
  [[ $preset == lint ]] || printf '%s\n' "-DCMAKE_C_COMPILER_LAUNCHER=$root/cmake/compiler_launcher.sh" \
    "-DCMAKE_CXX_COMPILER_LAUNCHER=$root/cmake/compiler_launcher.sh"
}

# build TARGET ...: silent when there is nothing to do.
build() {
  local code=0
  "$python" "$root/cmake/build_progress.py" "$build_folder" "$@" || code=$?
  ((code < 128)) || exit "$code"
  ((code == 0)) || stop 1 "The build failed, see above. If the disk is full, free 1 GB and start again."
}
