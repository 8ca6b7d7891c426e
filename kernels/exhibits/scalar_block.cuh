#pragma once

#include "device/head_view.cuh"
#include "device/load_rows.cuh"
#include "device/probe.cuh"
#include "device/row_softmax.cuh"
#include "device/shared_tile.cuh"
#include "device/store_floats.cuh"

// What the exhibits have in common: an attention block with an online softmax on the plain cores, everything in shared
// memory, phase by phase. An exhibit is a loop over these phases in which one of them, or what lies between two, is at
// fault. Every phase is done by all threads together and needs a barrier behind it.

enum Fault { off, on };

template <int ROWS, int KEYS, int WARPS, class KEY_TILE = SharedTile<padded, HEAD_DIM, 8>>
struct ScalarBlock {
  using Element = DTYPE;
  using QueryTile = SharedTile<padded, HEAD_DIM, 8>;
  using KeyTile = KEY_TILE;

  static constexpr int warp_size = 32;
  static constexpr int threads = WARPS * warp_size;
  static constexpr int width = 8;  // elements that a load of Q or K moves
  static constexpr int piece = 4;  // columns of the output that a thread owns: 16 bytes of float
  static constexpr int pieces_per_row = HEAD_DIM / piece;
  static constexpr int score_stride = KEYS + 4;  // the rows that a warp reads together lie in different banks
  static constexpr float log2_e = 1.4426950408889634f;

  // In the order in which the exhibits' declarations count its bytes.
  struct __align__(16) Shared {
    Element k[KEYS * KeyTile::row_stride];
    Element v[KEYS * KeyTile::row_stride];
    Element q[ROWS * QueryTile::row_stride];
    float scores[ROWS * score_stride];  // then the weights
    float output[ROWS * HEAD_DIM];      // not yet divided by the row's sum
    float row_max[ROWS];                // of the scaled scores, in units of log2
    float row_sum[ROWS];
    float rescale[ROWS];
  };

  Shared& shared;
  const AttentionProblem& problem;
  const HeadView<Element> head;
  const int first_query;
  const int keys;  // that the block's last query sees, which is the one that sees most

  __device__ ScalarBlock(void* memory, const AttentionProblem& problem, int batch, int head, int first_query)
      : shared(*static_cast<Shared*>(memory)),
        problem(problem),
        head(head_view<Element>(problem, batch, head)),
        first_query(first_query),
        keys(visible_keys(problem, min(first_query + ROWS, problem.queries) - 1)) {}

  __device__ static int warp() { return threadIdx.x / warp_size; }
  __device__ static int lane() { return threadIdx.x % warp_size; }

  // Q is loaded, the output zeroed. The first load of keys needs no barrier behind this.
  __device__ void begin() {
    load_rows<QueryTile, width, threads>(shared.q, head.q + first_query * problem.q_strides.row,
                                         problem.q_strides.row, ROWS, problem.queries - first_query);
    for (int i = threadIdx.x; i < ROWS * HEAD_DIM; i += threads) shared.output[i] = 0;
    for (int i = threadIdx.x; i < ROWS; i += threads) {
      shared.row_max[i] = minus_infinity();
      shared.row_sum[i] = 0;
    }
  }

  __device__ const Element* key(int first_key) const { return head.k + first_key * problem.k_strides.row; }
  __device__ const Element* value(int first_key) const { return head.v + first_key * problem.v_strides.row; }

  __device__ void load(int first_key) {
    probe("tile", first_key, min(KEYS, keys - first_key));
    load_rows<KeyTile, width, threads>(shared.k, key(first_key), problem.k_strides.row, KEYS, keys - first_key);
    load_rows<KeyTile, width, threads>(shared.v, value(first_key), problem.v_strides.row, KEYS, keys - first_key);
  }

  __device__ void keep_score(int row, int key, int first_key, float sum) {
    const bool is_visible = first_key + key < visible_keys(problem, first_query + row);
    shared.scores[row * score_stride + key] = is_visible ? sum * problem.softmax_scale * log2_e : minus_infinity();
    probe("score_log2", first_query + row, first_key + key, shared.scores[row * score_stride + key]);
  }

  __device__ float score(int row, int key) const {
    float sum = 0;
#pragma unroll 8
    for (int column = 0; column < HEAD_DIM; column += width) {
      float q[width], k[width];
      unpack<Element>(load_packet<width>(shared.q + QueryTile::index(row, column)), q);
      unpack<Element>(load_packet<width>(shared.k + KeyTile::index(key, column)), k);
#pragma unroll
      for (int j = 0; j < width; ++j) sum = fmaf(q[j], k[j], sum);
    }
    return sum;
  }

  __device__ void scores(int first_key) {
    for (int i = threadIdx.x; i < ROWS * KEYS; i += threads) {
      keep_score(i / KEYS, i % KEYS, first_key, score(i / KEYS, i % KEYS));
    }
  }

  // One row by one warp: its scores become weights.
  __device__ void softmax_row(int row) {
    constexpr int scores_per_lane = (KEYS + warp_size - 1) / warp_size;
    float* scores = shared.scores + row * score_stride;
    float score[scores_per_lane];
#pragma unroll
    for (int i = 0; i < scores_per_lane; ++i) {
      const int key = lane() + i * warp_size;
      score[i] = key < KEYS ? scores[key] : minus_infinity();
    }
    const float rescale = update_row(score, shared.row_max + row, shared.row_sum + row, lane());
#pragma unroll
    for (int i = 0; i < scores_per_lane; ++i) {
      if (lane() + i * warp_size < KEYS) scores[lane() + i * warp_size] = score[i];
    }
    if (lane() == 0) {
      shared.rescale[row] = rescale;
      probe("m_log2", first_query + row, shared.row_max[row]);
      probe("l", first_query + row, shared.row_sum[row]);
      probe("rescale", first_query + row, rescale);
    }
  }

  __device__ void softmax() {
    for (int row = warp(); row < ROWS; row += WARPS) softmax_row(row);
  }

  // A thread owns `piece` columns of a row of the output: the i-th of these pieces.
  __device__ void accumulate_piece(int i) {
    const int row = i / pieces_per_row, column = i % pieces_per_row * piece;
    float* output = shared.output + row * HEAD_DIM + column;
    float sum[piece];
#pragma unroll
    for (int j = 0; j < piece; ++j) sum[j] = output[j] * shared.rescale[row];
#pragma unroll 4
    for (int key = 0; key < KEYS; ++key) {
      float v[piece];
      unpack<Element>(load_packet<piece>(shared.v + KeyTile::index(key, column)), v);
      const float weight = shared.scores[row * score_stride + key];
#pragma unroll
      for (int j = 0; j < piece; ++j) sum[j] = fmaf(weight, v[j], sum[j]);
    }
#pragma unroll
    for (int j = 0; j < piece; ++j) {
      output[j] = sum[j];
      probe("o", first_query + row, column + j, sum[j]);
    }
  }

  __device__ void accumulate() {
    for (int i = threadIdx.x; i < ROWS * pieces_per_row; i += threads) accumulate_piece(i);
  }

  // Divides by the rows' sums and writes. A row that saw no key is zeros, its log-sum-exp -inf.
  __device__ void store() const {
    const int rows = min(ROWS, problem.queries - first_query);
    for (int i = threadIdx.x; i < rows * pieces_per_row; i += threads) {
      const int row = i / pieces_per_row, column = i % pieces_per_row * piece;
      const float sum = shared.row_sum[row];
      const float inverse = sum > 0 ? 1 / sum : 0.0f;
      float values[piece];
#pragma unroll
      for (int j = 0; j < piece; ++j) values[j] = shared.output[row * HEAD_DIM + column + j] * inverse;
      store_floats(head.o + (first_query + row) * problem.o_strides.row + column, values);
    }
    if (head.lse == nullptr) return;
    for (int row = threadIdx.x; row < rows; row += threads) {
      head.lse[first_query + row] = (shared.row_max[row] + log2f(shared.row_sum[row])) / log2_e;
    }
  }

  // The whole block as it should be: four barriers for each tile of keys.
  __device__ void run() {
    begin();
    for (int first_key = 0; first_key < keys; first_key += KEYS) {
      load(first_key);
      __syncthreads();  // the tiles (and, the first time, Q and the zeroed output) are written
      scores(first_key);
      __syncthreads();  // the scores are written: those of a row may come from several warps
      softmax();
      __syncthreads();  // the weights are written: a row's pieces of the output belong to several warps
      accumulate();
      __syncthreads();  // the tiles and the weights are read, the output is written
    }
    __syncthreads();  // with no tile at all, the zeroed output was not yet waited for
    store();
  }
};
