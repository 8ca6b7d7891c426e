#pragma once

#include "device/element.cuh"

// The running maximum, sum and output of the rows of one warp, in the C fragments of mma.m16n8k16: a row of scores lies
// in the four lanes of a quad, and a lane holds rows l / 4 and l / 4 + 8 of each 16.

// 2 to the power of x, 0 for -inf; results below the least normal number become 0.
__device__ inline float exp2_approximate(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

__device__ inline float quad_max(float value) {
  value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, 1));
  return fmaxf(value, __shfl_xor_sync(0xffffffffu, value, 2));
}

__device__ inline float quad_sum(float value) {
  value += __shfl_xor_sync(0xffffffffu, value, 1);
  return value + __shfl_xor_sync(0xffffffffu, value, 2);
}

// What weights are taken against: -inf minus -inf would be NaN, so a row that has seen no key subtracts 0.
__device__ inline float softmax_base(float row_max) { return row_max == minus_infinity() ? 0.0f : row_max; }

template <class T>
struct SoftmaxRows {
  float output[T::row_fragments][T::output_fragments][4];  // not yet divided by the sum
  float max[T::row_fragments][2];  // of the scaled scores, in units of log2; with lazy rescaling up to 8 less
  float sum[T::row_fragments][2];  // of this lane's columns: the quad's four are added once, at the end

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int r = 0; r < T::row_fragments; ++r) {
#pragma unroll
      for (int n = 0; n < T::output_fragments; ++n) {
#pragma unroll
        for (int e = 0; e < 4; ++e) output[r][n][e] = 0;
      }
      max[r][0] = max[r][1] = minus_infinity();
      sum[r][0] = sum[r][1] = 0;
    }
  }

  // Takes the maxima of a tile's scores in and rescales what was accumulated against the old ones.
  __device__ __forceinline__ void raise_max(const float (&score)[T::row_fragments][T::score_fragments][4],
                                            float scale) {
    // A weight may exceed 1 by this much, in units of log2, before everything is rescaled: 2^8 fits in both formats,
    // and a factor common to weights, sum and output changes no digit. So the rescaling is rare after the first tile.
    constexpr float slack = 8;
    float tile_max[T::row_fragments][2];
    bool grows = false;
#pragma unroll
    for (int r = 0; r < T::row_fragments; ++r) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float largest = score[r][0][2 * h];
#pragma unroll
        for (int n = 0; n < T::score_fragments; ++n) {
          largest = fmaxf(largest, fmaxf(score[r][n][2 * h], score[r][n][2 * h + 1]));
        }
        tile_max[r][h] = quad_max(largest) * scale;
        grows = grows || tile_max[r][h] > max[r][h] + slack;
      }
    }
    if (T::lazy_rescale && !__any_sync(0xffffffffu, grows)) return;
#pragma unroll
    for (int r = 0; r < T::row_fragments; ++r) {
#pragma unroll
      for (int h = 0; h < 2; ++h) tile_max[r][h] = fmaxf(max[r][h], tile_max[r][h]);
    }
    rescale_to(tile_max);
  }

  // Makes `new_max`, which is no less than the maximum, what everything is taken against.
  __device__ __forceinline__ void rescale_to(const float (&new_max)[T::row_fragments][2]) {
#pragma unroll
    for (int r = 0; r < T::row_fragments; ++r) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const float factor = exp2_approximate(max[r][h] - softmax_base(new_max[r][h]));
        max[r][h] = new_max[r][h];
        sum[r][h] *= factor;
#pragma unroll
        for (int n = 0; n < T::output_fragments; ++n) {
          output[r][n][2 * h] *= factor;
          output[r][n][2 * h + 1] *= factor;
        }
      }
    }
  }

  // The weights of 16 keys as the A fragment of the product with V; `base` are the negated bases of the row's halves.
  __device__ __forceinline__ void weigh(int r, const float (&left)[4], const float (&right)[4], float scale,
                                        const float (&base)[2], unsigned (&weight)[4]) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const float w0 = exp2_approximate(fmaf(left[2 * h], scale, base[h]));
      const float w1 = exp2_approximate(fmaf(left[2 * h + 1], scale, base[h]));
      const float w2 = exp2_approximate(fmaf(right[2 * h], scale, base[h]));
      const float w3 = exp2_approximate(fmaf(right[2 * h + 1], scale, base[h]));
      sum[r][h] += (w0 + w1) + (w2 + w3);
      weight[h] = pack_pair<typename T::Element>(w0, w1);
      weight[2 + h] = pack_pair<typename T::Element>(w2, w3);
    }
  }
};
