#pragma once

#include "device/element.cuh"
#include "device/warp_reduce.cuh"

// One step of the online softmax of one row by one warp, as flash_scalar does it (Milakov and Gimelshein 2018, algorithm
// 3). The scores, COUNT of them in each lane, in units of log2, -inf where masked, become weights against the new
// maximum; the row's maximum and sum, in shared memory, are brought up to date; the factor that rescales what was
// accumulated so far is returned. A row that has seen no key has a maximum of -inf: -inf minus -inf would be NaN, so it
// subtracts 0 instead.
template <int COUNT>
__device__ inline float update_row(float (&score)[COUNT], float* row_max, float* row_sum, int lane) {
  float tile_max = score[0];
#pragma unroll
  for (int i = 1; i < COUNT; ++i) tile_max = fmaxf(tile_max, score[i]);
  const float old_max = *row_max;
  const float new_max = fmaxf(old_max, warp_max(tile_max));
  const float base = new_max == minus_infinity() ? 0.0f : new_max;
  const float rescale = exp2f(old_max - base);
  float tile_sum = 0;
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    score[i] = exp2f(score[i] - base);
    tile_sum += score[i];
  }
  const float new_sum = *row_sum * rescale + warp_sum(tile_sum);
  __syncwarp();  // every lane has read the old maximum and sum before lane 0 replaces them
  if (lane == 0) {
    *row_max = new_max;
    *row_sum = new_sum;
  }
  return rescale;
}
