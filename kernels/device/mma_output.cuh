#pragma once

#include "device/attention_problem.cuh"
#include "device/mma_m16n8k16.cuh"
#include "device/mma_tiling.cuh"
#include "device/online_softmax.cuh"
#include "device/query_tile.cuh"

// What follows the loop over the keys: merging rows that several warps or blocks computed over different keys, and
// writing.

// The words of one warp's unfinished rows, as its lanes hold them: lane l's four floats of each fragment side by side
// with those of its neighbours, so that neither shared nor global memory sees anything but whole lines.
template <class T>
struct PartialRows {
  static constexpr int words_of_row = T::output_fragments + 1;  // of 16 rows: the output, then maximum and sum
  static constexpr int words = T::row_fragments * words_of_row * 32;  // of all lanes

  // `store(i, word)` keeps word i of this lane.
  template <class Store>
  __device__ static __forceinline__ void write(const SoftmaxRows<T>& rows, Store store) {
#pragma unroll
    for (int r = 0; r < T::row_fragments; ++r) {
#pragma unroll
      for (int n = 0; n < T::output_fragments; ++n) {
        const float(&o)[4] = rows.output[r][n];
        store((r * words_of_row + n) * 32, float4{o[0], o[1], o[2], o[3]});
      }
      store((r * words_of_row + T::output_fragments) * 32,
            float4{rows.max[r][0], rows.max[r][1], rows.sum[r][0], rows.sum[r][1]});
    }
  }

  // Adds `count` others to the rows, in their order; `load(other, i)` gives word i of this lane. The largest maximum is
  // found first, so that the loads of the second pass need not wait for each other.
  template <class Load>
  __device__ static __forceinline__ void merge(SoftmaxRows<T>& rows, int count, Load load) {
    constexpr int state_word = T::output_fragments * 32;
    float new_max[T::row_fragments][2];
#pragma unroll
    for (int r = 0; r < T::row_fragments; ++r) {
      new_max[r][0] = rows.max[r][0], new_max[r][1] = rows.max[r][1];
    }
#pragma unroll 4
    for (int other = 0; other < count; ++other) {
#pragma unroll
      for (int r = 0; r < T::row_fragments; ++r) {
        const float4 state = load(other, r * words_of_row * 32 + state_word);
        new_max[r][0] = fmaxf(new_max[r][0], state.x), new_max[r][1] = fmaxf(new_max[r][1], state.y);
      }
    }
    rows.rescale_to(new_max);
#pragma unroll 2
    for (int other = 0; other < count; ++other) {
#pragma unroll
      for (int r = 0; r < T::row_fragments; ++r) {
        const float4 state = load(other, r * words_of_row * 32 + state_word);
        const float upper = exp2_approximate(state.x - softmax_base(new_max[r][0]));
        const float lower = exp2_approximate(state.y - softmax_base(new_max[r][1]));
        rows.sum[r][0] += state.z * upper;
        rows.sum[r][1] += state.w * lower;
#pragma unroll
        for (int n = 0; n < T::output_fragments; ++n) {
          const float4 o = load(other, (r * words_of_row + n) * 32);
          rows.output[r][n][0] += o.x * upper, rows.output[r][n][1] += o.y * upper;
          rows.output[r][n][2] += o.z * lower, rows.output[r][n][3] += o.w * lower;
        }
      }
    }
  }
};

// Adds up the rows that key warps share, through the shared memory that held the tiles; afterwards key warp 0 has them.
template <class T>
__device__ __forceinline__ void merge_key_warps(const WarpPlace& place, char* shared, SoftmaxRows<T>& rows) {
  if constexpr (T::key_warps > 1) {
    float4* slots = reinterpret_cast<float4*>(shared) + place.lane;
    const auto slot_of = [&](int other) { return (other * T::row_warps + place.row_warp) * PartialRows<T>::words; };
    __syncthreads();  // all warps have read the last tile
    if (place.key_warp > 0) {
      float4* slot = slots + slot_of(place.key_warp - 1);
      PartialRows<T>::write(rows, [&](int i, float4 word) { slot[i] = word; });
    }
    __syncthreads();  // the rows of the other key warps are written
    if (place.key_warp == 0) {
      PartialRows<T>::merge(rows, T::key_warps - 1, [&](int other, int i) { return slots[slot_of(other) + i]; });
    }
  }
}

// The lanes of a quad each hold one word of four chunks of a row; afterwards each holds one chunk, all its words.
__device__ __forceinline__ void transpose_quad(unsigned (&word)[4], int lane) {
#pragma unroll
  for (int bit = 1; bit <= 2; bit *= 2) {
    const bool upper = (lane & bit) != 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if ((i & bit) != 0) continue;
      const unsigned received = __shfl_xor_sync(0xffffffffu, upper ? word[i] : word[i | bit], bit);
      word[i] = upper ? received : word[i];
      word[i | bit] = upper ? word[i | bit] : received;
    }
  }
}

// One store, spelt out: from an assignment of a uint4 the compiler makes four of 4 bytes where it moves parts of it.
__device__ __forceinline__ void store_16(void* address, const unsigned (&word)[4]) {
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(word[0]), "r"(word[1]), "r"(word[2]),
               "r"(word[3])
               : "memory");
}

// Divides by the sums and writes rows in pieces of 16 bytes. A row that saw no key is zeros, its log-sum-exp -inf; one
// whose sum is NaN stays NaN.
template <class T>
__device__ __forceinline__ void store_output(const AttentionProblem& problem, const QueryTile& tile,
                                             const WarpPlace& place, const SoftmaxRows<T>& rows) {
  using Element = typename T::Element;
  constexpr float ln_2 = 0.6931471805599453f;
#pragma unroll
  for (int r = 0; r < T::row_fragments; ++r) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int query = tile.first_query + place.row_warp * T::warp_rows + r * 16 + h * 8 + place.lane / 4;
      const bool inside = query < problem.queries;
      const float sum = quad_sum(rows.sum[r][h]);
      const float inverse = sum == 0 ? 0.0f : __fdividef(1, sum);
      Element* row = row_of<Element>(problem.o, problem.o_strides, tile.batch, tile.head, query);
#pragma unroll
      for (int n = 0; n < T::output_fragments; n += 4) {
        unsigned word[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const float(&o)[4] = rows.output[r][n + i];
          word[i] = pack_pair<Element>(o[2 * h] * inverse, o[2 * h + 1] * inverse);
        }
        transpose_quad(word, place.lane);
        if (inside) store_16(row + (n + place.lane % 4) * 8, word);
      }
      if (problem.lse != nullptr && inside && place.lane % 4 == 0) {
        const long long head = static_cast<long long>(tile.batch) * problem.query_heads + tile.head;
        problem.lse[head * problem.queries + query] = (rows.max[r][h] + __log2f(sum)) * ln_2;
      }
    }
  }
}
