#!/bin/bash
# Records the cases on a GPU: their outputs, the profiler's counters of each launch, and the reports of
# compute-sanitizer for the fault kernels. Run from the repository's root on a machine with an NVIDIA GPU, ncu and
# compute-sanitizer:
#   record.sh PROGRAM PTX OUT
# PROGRAM is interpreter_hardware, PTX the folder that its compile command wrote, OUT an empty folder. make_fixture.py turns
# OUT into the fixture. Takes less than ten minutes and leaves clocks and every other setting of the GPU alone.
set -u -o pipefail
program=$1 ptx=$2 out=$3
export TILESCOPE_ROOT=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export program ptx work

{
  date -u +%FT%TZ
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm --format=csv,noheader
  ncu --version | tail -1
  compute-sanitizer --version | tail -1
} > "$out/machine.txt" 2>&1

timeout 120 "$program" gpu --ptx "$ptx" --to "$work/plain" || echo "the outputs are not complete"
cp "$work/plain/outputs.json" "$out/"
gzip -c "$work/plain/outputs.bin" > "$out/outputs.bin.gz"

# Every fault kernel and its repaired twin under every tool, several at once.
watch() {  # TOOL NAME [--repaired]
  local kind=fault
  if [ $# -eq 3 ]; then kind=repaired; fi
  local log="$work/sanitizer/$2.$kind.$1.txt"
  timeout 60 compute-sanitizer --tool "$1" "$program" fault "$2" --ptx "$ptx" "${@:3}" > "$log" 2>&1
  echo "exit $?" >> "$log"
}
export -f watch
mkdir "$work/sanitizer"
compute-sanitizer --help > "$work/sanitizer/help.txt" 2>&1
for name in $("$program" faults); do
  for tool in racecheck memcheck initcheck synccheck; do
    echo "$tool $name"
    echo "$tool $name --repaired"
  done
done | timeout 200 xargs -P 8 -L 1 bash -c 'watch "$@"' watch
tar -czf "$out/sanitizer.tar.gz" -C "$work" sanitizer
echo "sanitizer logs: $(find "$work/sanitizer" -type f | wc -l)"

# The requested counters that this profiler has. Prints the ones that it does not have.
wished="smsp__inst_executed
  smsp__inst_executed_op_shared_ld smsp__inst_executed_op_shared_st smsp__inst_executed_op_shared_atom
  smsp__inst_executed_op_ldsm smsp__inst_executed_op_stsm smsp__inst_executed_op_ldgsts
  smsp__inst_executed_op_global_ld smsp__inst_executed_op_global_st
  smsp__sass_inst_executed_op_shared_ld smsp__sass_inst_executed_op_shared_st smsp__sass_inst_executed_op_ldsm
  smsp__sass_inst_executed_op_stsm smsp__sass_inst_executed_op_ldgsts
  smsp__sass_inst_executed_op_shared_atom smsp__sass_inst_executed_op_global_ld smsp__sass_inst_executed_op_global_st
  l1tex__data_pipe_lsu_wavefronts_mem_shared
  l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st
  l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom
  l1tex__data_bank_conflicts_pipe_lsu_mem_shared
  l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st
  l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom
  smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared
  smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ld
  smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_st
  smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm
  smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_stsm
  smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts
  smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_atom
  smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared
  smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld
  smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st
  smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm
  smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm
  smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts
  smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom
  l1tex__t_requests_pipe_lsu_mem_global_op_ld l1tex__t_requests_pipe_lsu_mem_global_op_st
  l1tex__t_sectors_pipe_lsu_mem_global_op_ld l1tex__t_sectors_pipe_lsu_mem_global_op_st
  smsp__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts
  smsp__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ld smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld
  smsp__sass_l1tex_t_requests_pipe_lsu_mem_global_op_st smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st"
ncu --query-metrics 2> /dev/null | awk '/__/ { print $1 }' > "$work/known.txt"
grep -E 'mem_shared|mem_global|inst_executed_op|inst_executed_pipe_lsu' "$work/known.txt" > "$out/known_metrics.txt"
metrics=
for name in $wished; do
  if grep -qx "$name" "$work/known.txt"; then
    metrics+=${metrics:+,}$name.sum
  else
    echo "this profiler has no $name" | tee -a "$out/machine.txt"
  fi
done

# One run for each group of cases, so that the cost of one does not affect the others.
profile() {  # GROUP FILE METRICS
  local left=$((540 - SECONDS)) start=$SECONDS
  if [ $left -lt 10 ]; then echo "no time left for $1"; return; fi
  timeout $left ncu --csv --page raw --print-units base --clock-control none --metrics "$3" --log-file "$work/log.csv" \
    "$program" gpu --ptx "$ptx" --only "$1" || echo "the counters of $1 are not complete"
  { echo "# $1"; cat "$work/log.csv"; } >> "$out/$2"
  echo "$1: counters of $(grep -c '^"[0-9]' "$work/log.csv") launches in $((SECONDS - start)) s"
}
for group in gemm/ flash_scalar/ flash_mma/ wmma/ shared/load shared/ldmatrix shared/st shared/cp.async shared/add global/ \
  divergence/ arithmetic/; do
  profile "$group" counters.csv "$metrics"
done
# The profiler's own counts of wavefronts and sectors, and of their minimum.
ideal=memory_l1_wavefronts_shared,memory_l1_wavefronts_shared_ideal
ideal+=,memory_l2_theoretical_sectors_global,memory_l2_theoretical_sectors_global_ideal
for group in shared/load flash_scalar/ global/; do profile "$group" ideal_counters.csv "$ideal"; done
ls -la "$out"
