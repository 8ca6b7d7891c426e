#!/bin/bash
# Records launches of machine code on a GPU: their outputs, and what the profiler counts of each, in total and at each
# instruction. Run from the repository's root on a machine with an NVIDIA GPU and ncu:
#   record.sh PROGRAM LAUNCHES OUT
# PROGRAM is machine_code_hardware, LAUNCHES the folder that its compile command wrote, OUT an empty folder. make_fixture.py
# turns OUT into the fixture. Leaves clocks and every other setting of the GPU alone.
set -u -o pipefail
program=$1 launches=$2 out=$3
reader=$(dirname "$0")/read_report.py
export TILESCOPE_ROOT=${TILESCOPE_ROOT:-$PWD}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

{
  date -u +%FT%TZ
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
  ncu --version | tail -1
} > "$out/machine.txt" 2>&1

timeout 120 "$program" gpu --launches "$launches" --to "$work/plain" || echo "the outputs are not complete"
cp "$work/plain/outputs.json" "$out/"
xz -T0 -6 -c "$work/plain/outputs.bin" > "$out/outputs.bin.xz"
# Twice more: outputs that differ depend on the order of blocks and warps.
for run in again once_more; do timeout 120 "$program" gpu --launches "$launches" --to "$work/$run" > /dev/null; done
python3 - "$work" > "$out/unsteady_outputs.txt" <<'END'
import json, pathlib, sys
runs = [pathlib.Path(sys.argv[1]) / name / "outputs.bin" for name in ("plain", "again", "once_more")]
contents = [run.read_bytes() for run in runs]
for launch in json.loads((runs[0].parent / "outputs.json").read_text())["launches"]:
    for buffer in launch.get("buffers", []):
        end = buffer["offset"] + buffer["bytes"]
        if len({content[buffer["offset"]:end] for content in contents}) > 1:
            print(f'{launch["name"]}: buffer {buffer["buffer"]}')
END
sed 's/^/differs from run to run: /' "$out/unsteady_outputs.txt"

# One run for each part of the names before the first '/', so that the failure of one does not affect the others.
metrics=$(python3 "$reader" --metrics)
groups=$(python3 -c '
import json, sys
names = [launch["name"] for launch in json.load(open(sys.argv[1]))["launches"]]
print("\n".join(dict.fromkeys(name.split("/")[0] + "/" for name in names)))' "$out/outputs.json")
for group in $groups; do
  left=$((540 - SECONDS)) start=$SECONDS report="$work/${group%/}.ncu-rep"
  if [ $left -lt 10 ]; then echo "no time left for $group"; continue; fi
  timeout $left ncu --clock-control none --metrics "$metrics" -f -o "$report" \
    "$program" gpu --launches "$launches" --only "$group" > "$work/log.txt" 2>&1 || tail -20 "$work/log.txt"
  python3 "$reader" "$report" > "$work/counters.json" || { echo "$group: no counters"; continue; }
  xz -T0 -6 -c "$work/counters.json" > "$work/counters.${group%/}.json.xz"
  echo "$group: $(grep -c 'PROF.*Profiling' "$work/log.txt") launches, $(grep -m1 -o '[0-9]* passes' "$work/log.txt"), $((SECONDS - start)) s"
done
(cd "$work" && tar -cf counters.tar counters.*.json.xz)
mv "$work/counters.tar" "$out/counters.tar"
ls -la "$out"
