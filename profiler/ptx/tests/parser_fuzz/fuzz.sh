#!/bin/sh
# Builds the fuzzer of the PTX parser and decoder and runs it: fuzz.sh BUILD_FOLDER [SECONDS]
# New inputs are collected in BUILD_FOLDER/corpus, findings in BUILD_FOLDER; a finding that is repaired belongs into
# findings/ here, where parser_test replays it. With SECONDS of 0 it is only built.
# shellcheck disable=SC2086 # the flags and the objects are lists of words
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../../.." && pwd)
build=$1
seconds=${2:-3600}
compiler=${CXX:-clang++-14}
flags="-std=c++20 -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
       -fno-strict-aliasing -Wno-pass-failed -I$root"
mkdir -p "$build/objects" "$build/corpus"
objects=
for source in "$here/fuzz_parser.cpp" $(find "$root/profiler/ptx" -name '*.cpp' -not -path '*/tests/*' -not -path '*/bench/*'); do
  object=$build/objects/$(echo "${source#"$root"/}" | tr / _).o
  objects="$objects $object"
  if [ ! -e "$object" ] || [ -n "$(find "$root/profiler/ptx" \( -name '*.hpp' -o -path "$source" \) -newer "$object")" ]; then
    echo "$source"
    "$compiler" $flags -c "$source" -o "$object"
  fi
done
"$compiler" -fsanitize=fuzzer,address,undefined $objects -lhwy -lfmt -o "$build/fuzz_parser"
[ "$seconds" = 0 ] && exit 0
mkdir -p "$here/findings"
exec "$build/fuzz_parser" -dict="$here/ptx.dict" -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=5 -max_len=65536 \
  -artifact_prefix="$build/" "$build/corpus" "$here/corpus" "$here/findings"
