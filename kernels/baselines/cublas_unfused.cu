// Attention as three steps in global memory: S = Q K^T / sqrt(D) and O = P V by cuBLAS, one strided-batched call each, and
// between them P = softmax(S) by the kernel below.
//
// It is what attention was before FlashAttention: the matrix products run at the library's speed, and the scores, Sq x Sk
// for every head, travel to DRAM and back four times. The query heads that share a key head lie behind each other, so
// that they are one taller matrix and a batch has B * Hkv of them. How the calls are made: profiler/baselines.

/* tilescope-kernel
{
  "name": "cublas_unfused",
  "role": "baseline",
  "library": "cublas",
  "title": "cuBLAS without fusion: QK^T, softmax, PV, the scores in global memory",
  "entry": "softmax_rows",
  "dtypes": ["fp16", "bf16"],
  "parameters": [],
  "constraints": [
    {"expression": "Sq * Hq / Hkv < 2147483648 && Sk < 2147483648 && B * Hq * Sq < 8589934592",
     "text": "a batch of cuBLAS takes matrices of at most 2147483647 rows, and the softmax as many blocks of four rows"}
  ]
}
*/

#include "device/element.cuh"
#include "device/warp_reduce.cuh"

constexpr int warps_per_block = 4;

// What a lane has seen of its row: the largest score, and the sum of exp(score - largest).
struct Seen {
  float largest;
  float sum;
};

// Any finite stand-in for the largest score of nothing keeps exp(-inf - largest) at 0.
__device__ inline float finite(float largest) { return largest == minus_infinity() ? 0.0f : largest; }

template <int WIDTH>
__device__ inline Seen look_at(const DTYPE* row, int keys, int lane) {
  Seen seen{minus_infinity(), 0.0f};
  for (int key = lane * WIDTH; key < keys; key += 32 * WIDTH) {
    float scores[WIDTH];
    unpack<DTYPE>(load_packet<WIDTH>(row + key), scores);
    float largest = seen.largest;
#pragma unroll
    for (float score : scores) largest = fmaxf(largest, score);
    seen.sum *= __expf(seen.largest - finite(largest));
#pragma unroll
    for (float score : scores) seen.sum += __expf(score - finite(largest));
    seen.largest = largest;
  }
  return seen;
}

template <int WIDTH>
__device__ inline void write_weights(DTYPE* row, int visible, int keys, int lane, float largest, float factor) {
  for (int key = lane * WIDTH; key < keys; key += 32 * WIDTH) {
    float scores[WIDTH];
    DTYPE weights[WIDTH];
    unpack<DTYPE>(load_packet<WIDTH>(row + key), scores);
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) {
      from_float(key + i < visible ? __expf(scores[i] - largest) * factor : 0.0f, weights[i]);
    }
    Packet<WIDTH> packet;
    memcpy(&packet, weights, sizeof packet);
    store_packet(row + key, packet);
  }
}

template <int WIDTH>
__device__ inline void softmax_row(DTYPE* row, int visible, int keys, int lane) {
  // The last packet of the visible keys may hold hidden ones: it is read one by one.
  const int whole = visible / WIDTH * WIDTH;
  Seen seen = look_at<WIDTH>(row, whole, lane);
  const Seen rest = look_at<1>(row + whole, visible - whole, lane);
  const float largest = warp_max(fmaxf(seen.largest, rest.largest));
  const float sum = warp_sum(seen.sum * __expf(seen.largest - finite(largest)) +
                             rest.sum * __expf(rest.largest - finite(largest)));
  write_weights<WIDTH>(row, visible, keys, lane, finite(largest), sum > 0.0f ? 1.0f / sum : 0.0f);
}

// In place: [rows, keys] scores become weights, 0 where the causal mask hides a key. A warp takes a row.
extern "C" __global__ void __launch_bounds__(32 * warps_per_block)
    softmax_rows(DTYPE* scores, long long rows, int queries, int keys) {
  const long long index = static_cast<long long>(blockIdx.x) * warps_per_block + threadIdx.x / 32;
  if (index >= rows) return;
  const int query = static_cast<int>(index % queries);
  const int visible = CAUSAL ? max(0, min(keys, query + keys - queries + 1)) : keys;
  DTYPE* row = scores + index * keys;
  const int lane = threadIdx.x % 32;
  if (keys % 8 == 0) {
    softmax_row<8>(row, visible, keys, lane);
  } else {
    softmax_row<1>(row, visible, keys, lane);
  }
}
