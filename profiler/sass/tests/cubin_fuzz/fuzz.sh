#!/bin/sh
# Builds the fuzzer of the cubin reader and runs it: fuzz.sh BUILD_FOLDER SEEDS [SECONDS]
# SEEDS is a folder of cubins to begin with (nvcc -cubin, ptxas). Inputs are collected in BUILD_FOLDER/corpus, findings
# in BUILD_FOLDER.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../../.." && pwd)
build=$1
seeds=$2
seconds=${3:-3600}
mkdir -p "$build/corpus"
cd "$root/profiler/sass"
"${CXX:-clang++-14}" -std=c++20 -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined \
  -fno-sanitize-recover=all "-I$root" "$here/fuzz_cubin.cpp" cubin.cpp cubin_info.cpp cubin_kernel.cpp cubin_names.cpp \
  elf_file.cpp -lelf -lfmt -o "$build/fuzz_cubin"
exec "$build/fuzz_cubin" "-max_total_time=$seconds" -rss_limit_mb=1024 -timeout=5 -max_len=65536 \
  "-artifact_prefix=$build/" "$build/corpus" "$seeds"
