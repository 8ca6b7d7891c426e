#pragma once

// Butterfly reductions: after five exchanges every lane holds the result, so that no broadcast follows.

__device__ inline float warp_max(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
  return value;
}

__device__ inline float warp_sum(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

// How the lanes of a warp reduce: REDUCE in a kernel that offers the choice.
enum Reduction {
  shuffle,  // registers to registers, above
  shared,   // a tree in shared memory: five rounds of write, wait and read
};

// The same reductions with the means chosen: `scratch` is the warp's own 32 floats of shared memory, which shuffles do not
// touch.
template <Reduction REDUCTION>
struct WarpReduction {
  static __device__ float max(float value, float* scratch) {
    if constexpr (REDUCTION == shuffle) return warp_max(value);
    return tree(value, scratch, [](float a, float b) { return fmaxf(a, b); });
  }
  static __device__ float sum(float value, float* scratch) {
    if constexpr (REDUCTION == shuffle) return warp_sum(value);
    return tree(value, scratch, [](float a, float b) { return a + b; });
  }

 private:
  template <class Combine>
  static __device__ float tree(float value, float* scratch, Combine combine) {
    const int lane = threadIdx.x % 32;
    scratch[lane] = value;
    __syncwarp();  // all 32 values are written
    for (int half = 16; half > 0; half /= 2) {
      if (lane < half) scratch[lane] = combine(scratch[lane], scratch[lane + half]);
      __syncwarp();  // this round is written before the next reads it
    }
    const float result = scratch[0];
    __syncwarp();  // every lane has its result before the next reduction overwrites it
    return result;
  }
};
