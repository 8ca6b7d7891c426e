#!/bin/sh
# Builds the fuzzer of the PTX parser and decoder and runs it: fuzz.sh BUILD_FOLDER [SECONDS]
# New inputs are collected in BUILD_FOLDER/corpus, findings in BUILD_FOLDER. A finding that has been fixed belongs in
# findings/ here, where ptx_test replays it. With SECONDS of 0 the fuzzer is only built.
#
# corpus/minimised.tar.xz holds the inputs kept from earlier runs. To pack a folder minimised/ again, the same bytes each
# time: find minimised -type f | LC_ALL=C sort | tar --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner \
#   --mode=644 -cf - -T - | xz -9 > minimised.tar.xz
# shellcheck disable=SC2086 # the flags and the objects are lists of words
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../../../.." && pwd)
build=$1
seconds=${2:-3600}
compiler=${CXX:-clang++-14}
flags="-std=c++20 -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
       -fno-strict-aliasing -Wno-pass-failed -I$root"
mkdir -p "$build/objects" "$build/corpus"
objects=
for source in "$here/fuzz_parser.cpp" $(find "$root/profiler/execution/ptx" -name '*.cpp' -not -path '*/tests/*' -not -path '*/bench/*'); do
  object=$build/objects/$(echo "${source#"$root"/}" | tr / _).o
  objects="$objects $object"
  if [ ! -e "$object" ] || [ -n "$(find "$root/profiler/execution/ptx" \( -name '*.hpp' -o -path "$source" \) -newer "$object")" ]; then
    echo "$source"
    "$compiler" $flags -c "$source" -o "$object"
  fi
done
"$compiler" -fsanitize=fuzzer,address,undefined $objects -lhwy -lfmt -o "$build/fuzz_parser"
[ "$seconds" = 0 ] && exit 0
mkdir -p "$here/findings"
(cd "$build" && cmake -E tar xf "$here/corpus/minimised.tar.xz")
exec "$build/fuzz_parser" -dict="$here/ptx.dict" -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=5 -max_len=65536 \
  -artifact_prefix="$build/" "$build/corpus" "$here/corpus" "$build/minimised" "$here/findings"
