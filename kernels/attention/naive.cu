// Rung 1: one query row per block, no tiling.
//
// The formula as it is written: all scores of a row, its softmax, its weighted sum of V, one after the other. Every block
// reads all of K and V again from global memory for its one row, so that each element that arrives feeds one FMA; a lane
// reads the row of its own key, so that the 32 lanes of a load touch 32 different lines; and one thread alone computes the
// softmax while the others wait. It is the baseline that the rungs above are measured against, and each removes one of
// these: tiled the re-reading of K and V, flash_scalar the stored scores and the serial softmax.

/* tilescope-kernel
{
  "name": "naive",
  "role": "rung",
  "rung": 1,
  "title": "One query row per block, no tiling",
  "entry": "naive",
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "NUM_WARPS", "values": [1, 2, 4, 8, 16], "default": 4,
     "help": "Warps per block. They share the keys of the scores; the weighted sum of V keeps only D threads busy."},
    {"name": "VEC_WIDTH", "values": [1, 2, 4, 8], "default": 8,
     "help": "16-bit elements that one load of Q or K moves: 2, 4, 8 or 16 bytes."}
  ],
  "constraints": [
    {"expression": "D == 32 || D == 64 || D == 96 || D == 128 || D == 256",
     "text": "naive takes D = 32, 64, 96, 128 or 256, as the other rungs of the ladder"},
    {"expression": "SHARED_BYTES <= MAX_SHARED_BYTES",
     "text": "the row does not fit: all Sk scores of a row stay in shared memory, 4 bytes each, and a block of this device has less"}
  ],
  "grid": ["Sq", "Hq", "B"],
  "threads": "NUM_WARPS * 32",
  "dynamic_shared_bytes": "4*Sk + 8",
  "tiles": [
    {"name": "row_max", "bytes": "4", "rows": "1", "columns": "1", "element_bytes": "4"},
    {"name": "row_sum", "bytes": "4", "rows": "1", "columns": "1", "element_bytes": "4"},
    {"name": "S", "bytes": "4*Sk", "rows": "1", "columns": "Sk", "element_bytes": "4"}
  ],
  "arguments": [{"type": "attention_problem"}]
}
*/

#include "device/head_view.cuh"
#include "device/probe.cuh"

using Element = DTYPE;

constexpr int threads = NUM_WARPS * 32;
constexpr float log2_e = 1.4426950408889634f;

// The block's shared memory, in the order in which the declaration above counts its bytes.
struct Row {
  float* max;     // of the scaled scores, in units of log2
  float* sum;     // of the weights
  float* scores;  // [Sk], then the weights
};

// A thread computes the scores of keys t, t + threads, ..., in units of log2.
__device__ inline void scores(const Row& row, const HeadView<Element>& head, const Element* q, long long key_stride,
                              int visible, float scale) {
  for (int key = threadIdx.x; key < visible; key += threads) {
    const Element* k = head.k + key * key_stride;
    float sum = 0;
#pragma unroll 8
    for (int column = 0; column < HEAD_DIM; column += VEC_WIDTH) {
      float q_values[VEC_WIDTH], k_values[VEC_WIDTH];
      unpack<Element>(load_packet<VEC_WIDTH>(q + column), q_values);
      unpack<Element>(load_packet<VEC_WIDTH>(k + column), k_values);
#pragma unroll
      for (int i = 0; i < VEC_WIDTH; ++i) sum = fmaf(q_values[i], k_values[i], sum);
    }
    row.scores[key] = sum * scale;
    probe("score_log2", blockIdx.x, key, sum * scale);
  }
}

// Turns the scores into weights, not yet divided by their sum. One thread does it all.
__device__ inline void softmax(const Row& row, int visible) {
  float max = minus_infinity();
  for (int key = 0; key < visible; ++key) max = fmaxf(max, row.scores[key]);
  const float base = max == minus_infinity() ? 0.0f : max;  // -inf minus -inf would be NaN
  float sum = 0;
  for (int key = 0; key < visible; ++key) {
    const float weight = exp2f(row.scores[key] - base);
    row.scores[key] = weight;
    sum += weight;
  }
  *row.max = max;
  *row.sum = sum;
  probe("m_log2", blockIdx.x, max);
  probe("l", blockIdx.x, sum);
}

// A thread computes and writes column t of the output, so that neighbouring threads read neighbouring elements of V.
// A row that saw no key is zeros.
__device__ inline void accumulate(const Row& row, const Element* v, long long key_stride, Element* o, int visible) {
  const float inverse = *row.sum > 0 ? 1 / *row.sum : 0.0f;
  for (int column = threadIdx.x; column < HEAD_DIM; column += threads) {
    float sum = 0;
#pragma unroll 4
    for (int key = 0; key < visible; ++key) sum = fmaf(row.scores[key], to_float(v[key * key_stride + column]), sum);
    probe("o", blockIdx.x, column, sum);
    from_float(sum * inverse, o[column]);
  }
}

extern "C" __global__ void __launch_bounds__(threads) naive(const AttentionProblem problem) {
  extern __shared__ float shared[];
  const Row row{shared, shared + 1, shared + 2};
  const HeadView<Element> head = head_view<Element>(problem, blockIdx.z, blockIdx.y);
  const int query = blockIdx.x;
  const int visible = visible_keys(problem, query);

  probe("tile", 0, visible);
  scores(row, head, head.q + query * problem.q_strides.row, problem.k_strides.row, visible,
         problem.softmax_scale * log2_e);
  __syncthreads();  // all scores are written before one thread reads them
  if (threadIdx.x == 0) softmax(row, visible);
  __syncthreads();  // the weights are written before all threads read them
  accumulate(row, head.v, problem.v_strides.row, head.o + query * problem.o_strides.row, visible);

  // The log-sum-exp of a row that saw no key is -inf.
  if (head.lse != nullptr && threadIdx.x == 0) head.lse[query] = (*row.max + log2f(*row.sum)) / log2_e;
}
