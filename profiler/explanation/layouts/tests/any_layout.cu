// Attention whose tiles of K and V have any layout: a padding behind each row and an XOR swizzle with any bits, base
// and shift. What the layout solver promises is proved on it: each promise is one configuration of this kernel.
//
// It lies under tests/, where the catalogue does not look: its path is the kernel's name. Accesses of shared memory are
// volatile, so that neither the compiler nor ptxas joins neighbouring ones: what PTX has is what machine code has.

/* tilescope-kernel
{
  "name": "any_layout",
  "role": "rung",
  "title": "Attention with any layout of K and V",
  "entry": "any_layout",
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "BLOCK_N", "values": [16, 24, 40, 48, 64, 80, 96], "default": 64, "help": "Keys per tile."},
    {"name": "COPY", "values": ["cp_async", "vector", "scalar"], "default": "cp_async",
     "help": "How K and V are written: cp.async of 16 B, stores of 16 B, stores of 2 B."},
    {"name": "READ", "values": ["ldmatrix", "vector", "scalar"], "default": "ldmatrix",
     "help": "How they are read: ldmatrix for mma.sync, loads of 16 B, loads of 2 B."},
    {"name": "PAD", "values": [0, 2, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 76, 80, 84,
                               88, 92, 96, 100, 104, 108, 112, 116, 120, 124], "default": 0,
     "help": "Bytes behind each row."},
    {"name": "BITS", "values": [0, 1, 2, 3, 4, 5], "default": 0, "help": "Bits of the swizzle; 0 for none."},
    {"name": "BASE", "values": [1, 2, 3, 4, 5, 6, 7], "default": 4, "help": "The lowest bit that it changes."},
    {"name": "SHIFT", "values": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], "default": 3,
     "help": "How far above them the bits lie that it XORs with; with XOR_WITH=row_bits the lowest of the row's bits."},
    {"name": "XOR_WITH", "values": ["offset_bits", "row_bits"], "default": "offset_bits",
     "help": "Bits of the offset in bytes (CUTLASS), or of the row's number."}
  ],
  "let": {
    "PIECE": "COPY == scalar && READ == scalar ? 2 : 16",
    "STRIDE": "D + PAD / 2",
    "TILE_BYTES": "ceil_div(2*BLOCK_N*STRIDE, 1024) * 1024"
  },
  "constraints": [
    {"expression": "D % 16 == 0 && D <= 128", "text": "any_layout takes D = 16, 32, ... 128"},
    {"expression": "READ != ldmatrix || BLOCK_N % 16 == 0", "text": "mma.sync takes keys in groups of 16"},
    {"expression": "PAD % PIECE == 0", "text": "rows must start at a multiple of the 16 bytes that an access moves"},
    {"expression": "BITS == 0 || 2^BASE >= PIECE", "text": "the swizzle would cut accesses of 16 bytes"},
    {"expression": "BASE + BITS <= 10", "text": "the swizzle would reach over the 1024 bytes that a tile has"},
    {"expression": "XOR_WITH == offset_bits || (2*D) % 2^(BASE + BITS) == 0",
     "text": "the swizzle would reach over the end of a row"},
    {"expression": "SHARED_BYTES <= MAX_SHARED_BYTES", "text": "the tiles do not fit"}
  ],
  "grid": ["ceil_div(Sq, 64)", "Hq", "B"],
  "threads": "128",
  "dynamic_shared_bytes": "2*TILE_BYTES + 4*64*D + 8*64 + 16*BLOCK_N",
  "tiles": [
    {"name": "K", "bytes": "TILE_BYTES", "rows": "BLOCK_N", "columns": "D", "pitch": "STRIDE",
     "index": "XOR_WITH == row_bits ? ROW*PITCH + floor_div(bit_xor(2*COLUMN, floor_div(ROW, 2^SHIFT) % 2^BITS * 2^BASE), 2) : floor_div(bit_xor(2*(ROW*PITCH + COLUMN), floor_div(2*(ROW*PITCH + COLUMN), 2^(BASE + SHIFT)) % 2^BITS * 2^BASE), 2)"},
    {"name": "V", "bytes": "TILE_BYTES", "rows": "BLOCK_N", "columns": "D", "pitch": "STRIDE",
     "index": "XOR_WITH == row_bits ? ROW*PITCH + floor_div(bit_xor(2*COLUMN, floor_div(ROW, 2^SHIFT) % 2^BITS * 2^BASE), 2) : floor_div(bit_xor(2*(ROW*PITCH + COLUMN), floor_div(2*(ROW*PITCH + COLUMN), 2^(BASE + SHIFT)) % 2^BITS * 2^BASE), 2)"},
    {"name": "O", "bytes": "4*64*D"}, {"name": "row_max", "bytes": "4*64"}, {"name": "row_sum", "bytes": "4*64"},
    {"name": "weights", "bytes": "16*BLOCK_N"}
  ],
  "arguments": [{"type": "attention_problem"}]
}
*/

#include "device/async_copy.cuh"
#include "device/head_view.cuh"
#include "device/ldmatrix.cuh"
#include "device/mma_m16n8k16.cuh"
#include "device/online_softmax.cuh"
#include "device/row_softmax.cuh"
#include "device/shared_address.cuh"

enum AccessKind { cp_async, ldmatrix, vector, scalar };
enum XorWith { offset_bits, row_bits };

using Element = DTYPE;

constexpr int block_m = 64, threads = 128, warp_size = 32, rows_per_warp = 16;
constexpr float log2_e = 1.4426950408889634f;

struct AnyLayout {
  static constexpr int pitch_bytes = 2 * HEAD_DIM + PAD;
  static constexpr int tile_bytes = (BLOCK_N * pitch_bytes + 1023) / 1024 * 1024;
  static constexpr int mask = ((1 << BITS) - 1) << BASE;

  // [bytes] from the start of the tile
  __device__ static int place(int row, int column) {
    if constexpr (XOR_WITH == row_bits) {
      return row * pitch_bytes + (2 * column ^ (row >> SHIFT << BASE & mask));
    } else {
      const int offset = row * pitch_bytes + 2 * column;
      return offset ^ (offset >> SHIFT & mask);
    }
  }
};

__device__ inline void store_shared(unsigned address, Packet<8> packet) {
  asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(packet.words.x),
               "r"(packet.words.y), "r"(packet.words.z), "r"(packet.words.w)
               : "memory");
}
__device__ inline void store_shared(unsigned address, Packet<1> packet) {
  asm volatile("st.volatile.shared.u16 [%0], %1;" ::"r"(address), "h"(packet.word) : "memory");
}
__device__ inline void load_shared(unsigned address, Packet<8>& packet) {
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(packet.words.x), "=r"(packet.words.y), "=r"(packet.words.z), "=r"(packet.words.w)
               : "r"(address)
               : "memory");
}
__device__ inline void load_shared(unsigned address, Packet<1>& packet) {
  asm volatile("ld.volatile.shared.u16 %0, [%1];" : "=h"(packet.word) : "r"(address) : "memory");
}

struct Shared {
  unsigned k, v;     // [BLOCK_N, D]
  float* output;     // [block_m, D]
  float* row_max;    // [block_m] of the scaled scores, in units of log2
  float* row_sum;    // [block_m]
  float* weights;    // [BLOCK_N] of this warp's row

  __device__ explicit Shared(char* shared) {
    k = shared_address(shared);
    v = k + AnyLayout::tile_bytes;
    output = reinterpret_cast<float*>(shared + 2 * AnyLayout::tile_bytes);
    row_max = output + block_m * HEAD_DIM;
    row_sum = row_max + block_m;
    weights = row_sum + block_m + threadIdx.x / warp_size * BLOCK_N;
  }
};

// BLOCK_N rows into a tile; rows from `valid` on become zeros.
__device__ inline void copy(unsigned tile, const Element* source, long long row_stride, int valid) {
  constexpr int width = COPY == scalar ? 1 : 8, per_row = HEAD_DIM / width;
  for (int i = threadIdx.x; i < BLOCK_N * per_row; i += threads) {
    const int row = i / per_row, column = i % per_row * width;
    const unsigned to = tile + AnyLayout::place(row, column);
    const Element* from = source + row * row_stride + column;
    if constexpr (COPY == cp_async) {
      copy_async_16_or_zeros(to, row < valid ? from : source, row < valid);
    } else {
      Packet<width> packet{};
      if (row < valid) packet = load_packet<width>(from);
      store_shared(to, packet);
    }
  }
}

template <int WIDTH>
__device__ inline void load_elements(unsigned address, float (&values)[WIDTH]) {
  Packet<WIDTH> packet;
  load_shared(address, packet);
  unpack<Element>(packet, values);
}

// A row of queries by one warp on the plain cores. Lane l computes the scores of keys l, l + 32, ...: with 16 B the
// lanes of a pass read one column of 8 keys, with 2 B one column of 32. V is read with 8 keys side by side too.
struct PlainRows {
  static constexpr int width = READ == vector ? 8 : 1;
  static constexpr int scores_per_lane = (BLOCK_N + warp_size - 1) / warp_size;

  __device__ static void scores(const Shared& shared, const Element* q, int lane, int visible, float scale,
                                float (&score)[scores_per_lane]) {
    for (int i = 0; i < scores_per_lane; ++i) {
      const int key = lane + i * warp_size;
      float sum = 0;
      if (key < BLOCK_N) {
        for (int column = 0; column < HEAD_DIM; column += width) {
          float k[width];
          load_elements(shared.k + AnyLayout::place(key, column), k);
          for (int j = 0; j < width; ++j) sum = fmaf(to_float(q[column + j]), k[j], sum);
        }
      }
      score[i] = key < min(visible, BLOCK_N) ? sum * scale : minus_infinity();
    }
  }

  // output = output * rescale + weights * V. Lanes l, l + 8, ... take one key each of 8 and share a piece of the row.
  __device__ static void accumulate(const Shared& shared, float* output, int lane, float rescale) {
    constexpr int keys_at_once = 8;
    // Lanes that share a piece: where D is not a multiple of a turn's columns, the others have none in the last turn.
    const unsigned group = 0xffu << (lane / keys_at_once * keys_at_once);
    for (int column = lane / keys_at_once * width; column < HEAD_DIM; column += warp_size / keys_at_once * width) {
      float sum[width] = {};
      for (int key = lane % keys_at_once; key < BLOCK_N; key += keys_at_once) {
        float v[width];
        load_elements(shared.v + AnyLayout::place(key, column), v);
        for (int j = 0; j < width; ++j) sum[j] = fmaf(shared.weights[key], v[j], sum[j]);
      }
      for (int j = 0; j < width; ++j) {
        for (int distance = 1; distance < keys_at_once; distance *= 2)
          sum[j] += __shfl_xor_sync(group, sum[j], distance);
        if (lane % keys_at_once == 0) output[column + j] = output[column + j] * rescale + sum[j];
      }
    }
  }

  __device__ static void begin(const Shared& shared) {
    for (int i = threadIdx.x; i < block_m * HEAD_DIM; i += threads) shared.output[i] = 0;
    for (int i = threadIdx.x; i < block_m; i += threads) {
      shared.row_max[i] = minus_infinity();
      shared.row_sum[i] = 0;
    }
    __syncthreads();  // every row's state is set before its warp reads it
  }

  __device__ static void step(const Shared& shared, const AttentionProblem& problem, const HeadView<Element>& head,
                              int first_query, int first_key) {
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const float scale = problem.softmax_scale * log2_e;
    for (int row = warp * rows_per_warp; row < (warp + 1) * rows_per_warp; ++row) {
      const int query = min(first_query + row, problem.queries - 1);
      float score[scores_per_lane];
      scores(shared, head.q + query * problem.q_strides.row, lane, visible_keys(problem, query) - first_key, scale,
             score);
      const float rescale = update_row(score, shared.row_max + row, shared.row_sum + row, lane);
      for (int i = 0; i < scores_per_lane; ++i) {
        if (lane + i * warp_size < BLOCK_N) shared.weights[lane + i * warp_size] = score[i];
      }
      __syncwarp();  // the weights are written
      accumulate(shared, shared.output + row * HEAD_DIM, lane, rescale);
      __syncwarp();  // and read, before the next row's replace them
    }
  }

  __device__ static void store(const Shared& shared, const AttentionProblem& problem, const HeadView<Element>& head,
                               int first_query) {
    __syncthreads();  // all rows are finished
    const int rows = min(block_m, problem.queries - first_query);
    for (int i = threadIdx.x; i < rows * HEAD_DIM; i += threads) {
      const int row = i / HEAD_DIM, column = i % HEAD_DIM;
      const float sum = shared.row_sum[row];
      from_float(sum > 0 ? shared.output[i] / sum : 0.0f,
                 head.o[(first_query + row) * problem.o_strides.row + column]);
    }
    if (head.lse == nullptr) return;
    for (int row = threadIdx.x; row < rows; row += threads)
      head.lse[first_query + row] = (shared.row_max[row] + log2f(shared.row_sum[row])) / log2_e;
  }
};

// 16 rows of queries by one warp on the tensor cores, scores and output in registers.
struct MatrixRows {
  static constexpr int depth_steps = HEAD_DIM / 16, key_steps = BLOCK_N / 16;

  float output[HEAD_DIM / 8][4] = {};
  float max[2] = {minus_infinity(), minus_infinity()};  // of rows lane / 4 and lane / 4 + 8
  float sum[2] = {};                                    // of this lane's columns

  // The address of a lane's row of four 8 x 8 matrices: two `down` the keys and two across, or the other way round.
  __device__ static unsigned square(unsigned tile, int key, int column, bool down, int lane) {
    const int second = lane / 8 % 2 * 8, third = lane / 16 * 8;
    return tile + AnyLayout::place(key + lane % 8 + (down ? second : third), column + (down ? third : second));
  }

  __device__ static unsigned query_pair(const AttentionProblem& problem, const HeadView<Element>& head, int query,
                                        int column) {
    if (query >= problem.queries) return 0;
    return load_packet<2>(head.q + query * problem.q_strides.row + column).word;
  }

  __device__ void scores(unsigned k, const AttentionProblem& problem, const HeadView<Element>& head, int query,
                         int lane, float (&score)[BLOCK_N / 8][4]) const {
#pragma unroll
    for (int depth = 0; depth < depth_steps; ++depth) {
      unsigned q[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        q[i] = query_pair(problem, head, query + i % 2 * 8, depth * 16 + i / 2 * 8 + lane % 4 * 2);
#pragma unroll
      for (int step = 0; step < key_steps; ++step) {
        unsigned keys[4];
        load_matrices(keys, square(k, step * 16, depth * 16, false, lane));
        multiply_add<Element>(score[2 * step], q, keys[0], keys[1]);
        multiply_add<Element>(score[2 * step + 1], q, keys[2], keys[3]);
      }
    }
  }

  // Scores become weights; what was accumulated is rescaled.
  __device__ void weigh(const AttentionProblem& problem, int query, int first_key, int lane,
                        float (&score)[BLOCK_N / 8][4]) {
    const float scale = problem.softmax_scale * log2_e;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int visible = visible_keys(problem, min(query + half * 8, problem.queries - 1)) - first_key;
      float largest = max[half];
#pragma unroll
      for (int n = 0; n < BLOCK_N / 8; ++n) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          float& here = score[n][2 * half + e];
          here = n * 8 + lane % 4 * 2 + e < visible ? here * scale : minus_infinity();
          largest = fmaxf(largest, here);
        }
      }
      const float new_max = quad_max(largest), base = softmax_base(new_max);
      const float rescale = exp2_approximate(max[half] - base);
      max[half] = new_max;
      sum[half] *= rescale;
#pragma unroll
      for (int d = 0; d < HEAD_DIM / 8; ++d) {
        output[d][2 * half] *= rescale;
        output[d][2 * half + 1] *= rescale;
      }
#pragma unroll
      for (int n = 0; n < BLOCK_N / 8; ++n) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          score[n][2 * half + e] = exp2_approximate(score[n][2 * half + e] - base);
          sum[half] += score[n][2 * half + e];
        }
      }
    }
  }

  __device__ void accumulate(unsigned v, int lane, const float (&weight)[BLOCK_N / 8][4]) {
#pragma unroll
    for (int step = 0; step < key_steps; ++step) {
      unsigned pairs[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float(&of)[4] = weight[2 * step + i / 2];
        pairs[i] = pack_pair<Element>(of[i % 2 * 2], of[i % 2 * 2 + 1]);
      }
#pragma unroll
      for (int d = 0; d < depth_steps; ++d) {
        unsigned values[4];
        load_matrices_transposed(values, square(v, step * 16, d * 16, true, lane));
        multiply_add<Element>(output[2 * d], pairs, values[0], values[1]);
        multiply_add<Element>(output[2 * d + 1], pairs, values[2], values[3]);
      }
    }
  }

  __device__ void step(const Shared& shared, const AttentionProblem& problem, const HeadView<Element>& head, int query,
                       int first_key) {
    const int lane = threadIdx.x % warp_size;
    float score[BLOCK_N / 8][4] = {};
    scores(shared.k, problem, head, query, lane, score);
    weigh(problem, query, first_key, lane, score);
    accumulate(shared.v, lane, score);
  }

  __device__ void store(const AttentionProblem& problem, const HeadView<Element>& head, int query) const {
    const int lane = threadIdx.x % warp_size;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float total = quad_sum(sum[half]);
      const int row = query + half * 8;
      if (row >= problem.queries) continue;
      const float inverse = total > 0 ? 1 / total : 0.0f;
      Element* o = head.o + row * problem.o_strides.row + lane % 4 * 2;
#pragma unroll
      for (int d = 0; d < HEAD_DIM / 8; ++d) {
        Packet<2> pair;
        pair.word = pack_pair<Element>(output[d][2 * half] * inverse, output[d][2 * half + 1] * inverse);
        store_packet(o + d * 8, pair);
      }
      if (head.lse != nullptr && lane % 4 == 0) head.lse[row] = (max[half] + log2f(total)) / log2_e;
    }
  }
};

extern "C" __global__ void __launch_bounds__(threads) any_layout(const AttentionProblem problem) {
  extern __shared__ __align__(1024) char memory[];
  const Shared shared(memory);
  const HeadView<Element> head = head_view<Element>(problem, blockIdx.z, blockIdx.y);
  const int first_query = blockIdx.x * block_m;
  // The block's last query sees the most keys.
  const int keys = visible_keys(problem, min(first_query + block_m, problem.queries) - 1);
  // On the tensor cores: the first of this lane's two rows.
  const int query = first_query + threadIdx.x / warp_size * rows_per_warp + threadIdx.x % warp_size / 4;
  MatrixRows rows;
  if constexpr (READ != ldmatrix) PlainRows::begin(shared);
  for (int first_key = 0; first_key < keys; first_key += BLOCK_N) {
    copy(shared.k, head.k + first_key * problem.k_strides.row, problem.k_strides.row, problem.keys - first_key);
    copy(shared.v, head.v + first_key * problem.v_strides.row, problem.v_strides.row, problem.keys - first_key);
    if constexpr (COPY == cp_async) {
      commit_copies();
      wait_for_copies<0>();
    }
    __syncthreads();  // the tiles are written
    if constexpr (READ == ldmatrix) {
      rows.step(shared, problem, head, query, first_key);
    } else {
      PlainRows::step(shared, problem, head, first_query, first_key);
    }
    __syncthreads();  // and read, before the next ones replace them
  }
  if constexpr (READ == ldmatrix) {
    rows.store(problem, head, query);
  } else {
    PlainRows::store(shared, problem, head, first_query);
  }
}
