#!/usr/bin/env bash
# Builds the fuzzers and runs one of them: fuzz.sh cubin|code BUILD_FOLDER SEEDS [SECONDS]
# cubin reads bytes as a cubin; code damages cubins and their texts, decodes and executes them. SEEDS is a folder of cubins
# to begin with (nvcc -cubin, ptxas); nvdisasm must be in PATH for their texts. Inputs are collected in BUILD_FOLDER/corpus,
# findings in BUILD_FOLDER.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../../../.." && pwd)
what=$1
build=$2
seeds=$(cd "$3" && pwd)
seconds=${4:-3600}
mkdir -p "$build/corpus-$what"
build=$(cd "$build" && pwd)
cd "$root/profiler/execution"

case $what in
  cubin)
    sources=(sass/tests/cubin_fuzz/fuzz_cubin.cpp sass/cubin.cpp sass/cubin_info.cpp sass/cubin_kernel.cpp
      sass/cubin_names.cpp sass/elf_file.cpp)
    ;;
  code)
    # Without what runs other programs and what only panels need.
    mapfile -t sources < <(find sass simt memory -name '*.cpp' -not -path '*/tests/*' -not -path '*/bench/*' \
      -not -name 'disassembler.cpp' -not -name 'trace_window*' -not -name 'access_passes.cpp' | sort)
    sources+=(sass/tests/cubin_fuzz/fuzz_code.cpp sass/tests/damaged_code/code_damage.cpp
      sass/tests/damaged_code/damaged_run.cpp ../../base/json_reader.cpp ../../sessions/memory_counts.cpp)
    ;;
  *)
    echo "fuzz.sh: '$what' is neither cubin nor code" >&2
    exit 2
    ;;
esac

# One instruction set, the compiler's own, is enough.
flags=(-std=c++20 -O1 -g1 -march=x86-64-v3 -ffp-contract=off -fno-strict-aliasing -DHWY_COMPILE_ONLY_STATIC
  -fno-omit-frame-pointer "-fsanitize=address,undefined" -fno-sanitize-recover=all -w "-I$root")
compiler=${CXX:-clang++-14}
objects=()
for source in "${sources[@]}"; do objects+=("$build/${source//\//_}.o"); done
for at in "${!sources[@]}"; do
  [[ ${objects[at]} -nt ${sources[at]} ]] || echo "${objects[at]} -c ${sources[at]}"
done | xargs -r -P "$(nproc)" -L 1 "$compiler" "${flags[@]}" -fsanitize=fuzzer-no-link -o
"$compiler" -fsanitize=fuzzer,address,undefined "${objects[@]}" -lhwy -lelf -lfmt -o "$build/fuzz_$what"

if [ "$what" = code ]; then
  export TILESCOPE_FUZZ_SEEDS="$seeds"
  for cubin in "$seeds"/*.cubin; do
    [ -e "${cubin%.cubin}.txt" ] || nvdisasm -c -gi -gp "$cubin" > "${cubin%.cubin}.txt"
  done
  exec "$build/fuzz_code" "-max_total_time=$seconds" -rss_limit_mb=2048 -malloc_limit_mb=512 -timeout=20 -max_len=256 \
    "-artifact_prefix=$build/" "$build/corpus-code"
fi
exec "$build/fuzz_$what" "-max_total_time=$seconds" -rss_limit_mb=1024 -timeout=5 -max_len=65536 \
  "-artifact_prefix=$build/" "$build/corpus-$what" "$seeds"
