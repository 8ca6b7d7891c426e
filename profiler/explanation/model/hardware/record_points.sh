#!/usr/bin/env bash
# Records the points by which the model is fitted and judged, on this machine's GPU: of every rung 12 configurations drawn
# at random for each of nine shapes. A second run adds what is missing.
#   profiler/explanation/model/hardware/record_points.sh SESSION [tilescope]
set -euo pipefail
session=$1
tilescope=${2:-./tilescope}
seed=0
while read -r shape options; do
  seed=$((seed + 1))
  for kernel in naive tiled flash_scalar wmma_scores wmma_full mma_flash mma_splitkv; do
    # shellcheck disable=SC2086  # the options are words
    "$tilescope" sweep "$kernel" --sample 12 --seed "$seed" --shape "$shape" $options --time-budget 0.2 \
      --session "$session" >/dev/null
  done
done <<'SHAPES'
1,8,512,64
4,16,512,64 --causal
8,16,512,64
2,8,1024,128
1,16,333,64 --causal
2,32/8,777,128
1,4,2048,64
4,32/8,1/4096,128
3,5,640,96 --dtype bf16 --causal
SHAPES
