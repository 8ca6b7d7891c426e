#pragma once

#include "device/async_copy.cuh"
#include "device/attention_problem.cuh"
#include "device/ldmatrix.cuh"
#include "device/mma_m16n8k16.cuh"
#include "device/mma_tiling.cuh"
#include "device/online_softmax.cuh"
#include "device/probe.cuh"
#include "device/query_tile.cuh"

// The main loop of attention on mma.sync: one block, BLOCK_M rows of queries, a range of key tiles from the last to the
// first. Backwards, because what needs a mask (the ragged end, the diagonal) then comes first, and the loop over the
// rest has no predicate. Scores and output stay in registers; only Q, K and V pass through shared memory.

// Key tiles [first, end) of a block; those from `unmasked` on have keys that some row must not see.
struct KeyTiles {
  int first;
  int end;
  int unmasked;
};

template <class T>
__device__ inline KeyTiles visible_key_tiles(const AttentionProblem& problem, int first_query) {
  // Query i sees the keys up to i + (Sk - Sq) when causal: the last query bounds the tiles, the first the mask.
  int seen_by_last = problem.keys, seen_by_first = problem.keys;
  if (T::causal) {
    const int offset = problem.keys - problem.queries;
    seen_by_last = min(problem.keys, min(first_query + T::block_m, problem.queries) + offset);
    seen_by_first = max(0, min(problem.keys, first_query + offset + 1));
  }
  return {0, (max(0, seen_by_last) + T::block_n - 1) / T::block_n, seen_by_first / T::block_n};
}

template <class T>
class KeyLoop {
  using Element = typename T::Element;
  using Scores = float[T::row_fragments][T::score_fragments][4];

 public:
  // `shared` is a multiple of 128.
  __device__ __forceinline__ KeyLoop(const AttentionProblem& problem, unsigned shared)
      : problem_(problem), place_(warp_place<T>()), shared_(shared),
        key_squares_(shared, place_.key_warp * T::warp_keys, place_.lane),
        value_squares_(shared + T::tile_bytes, place_.key_warp * T::warp_keys, place_.lane),
        query_squares_(shared + T::query_offset, place_.row_warp * T::warp_rows, place_.lane),
        scale_(problem.softmax_scale * log2_e) {}

  // Starts the copies of Q and of all tiles of keys but one of the ring. Nobody may be reading what they overwrite.
  __device__ __forceinline__ void begin(const QueryTile& tile, const KeyTiles& tiles) {
    tiles_ = tiles;
    first_query_ = tile.first_query;
    if (tiles.first >= tiles.end) return;
    const int key_head = key_head_of(problem_, tile.head);
    const int first_key = (tiles.end - 1) * T::block_n;
    const Element* q = row_of<const Element>(problem_.q, problem_.q_strides, tile.batch, tile.head,
                                             first_query_ + copy_.row);
    next_k_ = row_of<const Element>(problem_.k, problem_.k_strides, tile.batch, key_head, first_key + copy_.row);
    next_v_ = row_of<const Element>(problem_.v, problem_.v_strides, tile.batch, key_head, first_key + copy_.row);
    copy_.copy<T::block_m, true>(shared_ + T::query_offset, q, problem_.q_strides.row,
                                 problem_.queries - first_query_);
    // Only the last tile of the keys can be ragged.
    copy_keys<true>(0, problem_.keys - first_key);
    if constexpr (T::stages > 1) copy_values<true>(0, problem_.keys - first_key);
    commit_copies();
#pragma unroll
    for (int ahead = 1; ahead < T::stages - 1; ++ahead) {
      write_stage_ = ahead * T::stage_bytes;
      copy_ahead(tiles.end - 1 - ahead);
    }
    write_stage_ = (T::stages - 1) * T::stage_bytes;
    read_stage_ = 0;
  }

  // All threads have left the loop's shared memory when they have passed a barrier behind it.
  __device__ __forceinline__ void run(SoftmaxRows<T>& rows) {
    if (tiles_.first >= tiles_.end) return;
    if constexpr (T::query_in_registers) keep_query();
    int tile = tiles_.end - 1;
    const int last_masked = max(tiles_.first, min(tiles_.unmasked, tiles_.end));
    if constexpr (T::overlap) {
      Scores score;
      wait_for_copies<T::stages - 2>();
      __syncthreads();  // the first tile has landed for all
      next_scores<true>(tile, score);
      for (; tile > last_masked; --tile) overlapped_step<true>(tile, score, rows);
      for (; tile > tiles_.first; --tile) overlapped_step<false>(tile, score, rows);
      begin_tile(tile);
      name_scores(tile, score);
      rows.raise_max(score, scale_);
      accumulate(score, read_stage_, rows);
      name_rows(rows);
    } else {
      for (; tile >= last_masked; --tile) step<true>(tile, rows);
      for (; tile >= tiles_.first; --tile) step<false>(tile, rows);
    }
  }

 private:
  static constexpr float log2_e = 1.4426950408889634f;

  // Copies of K and of V each go from tile to tile downwards, so a pointer to the next one is all they need.
  template <bool CHECKED>
  __device__ __forceinline__ void copy_keys(unsigned stage, int valid_rows) {
    copy_.copy<T::block_n, CHECKED>(shared_ + stage, next_k_, problem_.k_strides.row, valid_rows);
    next_k_ -= T::block_n * problem_.k_strides.row;
  }
  template <bool CHECKED>
  __device__ __forceinline__ void copy_values(unsigned stage, int valid_rows) {
    copy_.copy<T::block_n, CHECKED>(shared_ + stage + T::tile_bytes, next_v_, problem_.v_strides.row, valid_rows);
    next_v_ -= T::block_n * problem_.v_strides.row;
  }

  // Whole tiles of K and V into the stage that is filled next, if there is such a tile.
  __device__ __forceinline__ void copy_ahead(int tile) {
    if (tile >= tiles_.first) {
      copy_keys<false>(write_stage_, T::block_n);
      copy_values<false>(write_stage_, T::block_n);
    }
    commit_copies();
  }

  __device__ __forceinline__ void keep_query() {
    wait_for_copies<T::stages == 1 ? 0 : T::stages - 2>();
    __syncthreads();  // the copies of all threads to Q have landed
#pragma unroll
    for (int d = 0; d < T::depth_steps; ++d) load_query(d, query_[d]);
  }

  __device__ __forceinline__ void load_query(int depth, unsigned (&query)[T::row_fragments][4]) const {
#pragma unroll
    for (int r = 0; r < T::row_fragments; ++r) load_matrices(query[r], query_squares_.at(r, depth));
  }

  __device__ __forceinline__ static unsigned behind(unsigned stage) {
    return stage + T::stage_bytes == T::ring_bytes ? 0 : stage + T::stage_bytes;
  }

  // What a lane holds, for those that step through the kernel.
  __device__ __forceinline__ int row_of_value(int fragment, int half) const {
    return first_query_ + place_.row_warp * T::warp_rows + fragment * 16 + half * 8 + place_.lane / 4;
  }
  __device__ __forceinline__ void begin_tile(int tile) const {
    probe("tile", tile * T::block_n, min(T::block_n, problem_.keys - tile * T::block_n));
  }
  __device__ __forceinline__ void name_scores(int tile, const Scores& score) const {
#ifdef TILESCOPE_STEP
    const int first_key = tile * T::block_n + place_.key_warp * T::warp_keys + place_.lane % 4 * 2;
#pragma unroll
    for (int r = 0; r < T::row_fragments; ++r) {
#pragma unroll
      for (int n = 0; n < T::score_fragments; ++n) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          probe("score_log2", row_of_value(r, e / 2), first_key + n * 8 + e % 2, score[r][n][e] * scale_);
        }
      }
    }
#endif
  }
  __device__ __forceinline__ void name_rows(const SoftmaxRows<T>& rows) const {
#ifdef TILESCOPE_STEP
#pragma unroll
    for (int r = 0; r < T::row_fragments; ++r) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        if (place_.lane % 4 == 0) probe("m_log2", row_of_value(r, h), rows.max[r][h]);
        probe("l", row_of_value(r, h), place_.lane % 4, rows.sum[r][h]);
      }
#pragma unroll
      for (int n = 0; n < T::output_fragments; ++n) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          probe("o", row_of_value(r, e / 2), n * 8 + place_.lane % 4 * 2 + e % 2, rows.output[r][n][e]);
        }
      }
    }
#endif
  }

  // One tile: scores, softmax, product with V. Tensor cores wait for the exponentials, unless another warp uses them.
  template <bool MASKED>
  __device__ __forceinline__ void step(int tile, SoftmaxRows<T>& rows) {
    constexpr bool single = T::stages == 1;
    begin_tile(tile);
    wait_for_copies<single ? 0 : T::stages - 2>();
    __syncthreads();  // this tile has landed for all, and all have read the tile that the next copy overwrites
    if constexpr (single) {
      copy_values<MASKED>(0, problem_.keys - tile * T::block_n);
      commit_copies();
    } else {
      copy_ahead(tile - (T::stages - 1));
      write_stage_ = behind(write_stage_);
    }

    const int visible = MASKED ? visible_keys(tile) : T::warp_keys;
    Scores score;
    if (!MASKED || visible > 0) {
      compute_scores(score);
      if constexpr (MASKED) mask(tile, score);
      name_scores(tile, score);
    }
    if constexpr (single) {
      wait_for_copies<0>();
      __syncthreads();  // V has landed for all, and all have read K
      if (tile > tiles_.first) copy_keys<false>(0, T::block_n);
      commit_copies();
    }
    if (!MASKED || visible > 0) {
      rows.raise_max(score, scale_);
      accumulate(score, read_stage_, rows);
      name_rows(rows);
    }
    if constexpr (!single) read_stage_ = behind(read_stage_);
  }

  // The softmax and the product with V of one tile, whose scores are there, and between them the scores of the tile
  // after it: products that do not wait for the exponentials. It takes the registers of a second tile of scores, and K
  // a stage earlier than V.
  template <bool MASKED>
  __device__ __forceinline__ void overlapped_step(int tile, Scores& score, SoftmaxRows<T>& rows) {
    wait_for_copies<T::stages - 3>();
    __syncthreads();  // the next tile has landed for all, and all have read the tile that the copy overwrites
    copy_ahead(tile - (T::stages - 1));
    write_stage_ = behind(write_stage_);
    const unsigned stage = read_stage_;
    read_stage_ = behind(read_stage_);
    begin_tile(tile);
    name_scores(tile, score);
    rows.raise_max(score, scale_);
    Scores next;
    next_scores<MASKED>(tile - 1, next);
    accumulate(score, stage, rows);
    name_rows(rows);
#pragma unroll
    for (int r = 0; r < T::row_fragments; ++r) {
#pragma unroll
      for (int n = 0; n < T::score_fragments; ++n) {
#pragma unroll
        for (int e = 0; e < 4; ++e) score[r][n][e] = next[r][n][e];
      }
    }
  }

  template <bool MASKED>
  __device__ __forceinline__ void next_scores(int tile, Scores& score) {
    compute_scores(score);
    if constexpr (MASKED) mask(tile, score);
  }

  // How many of this warp's keys of the tile its last row sees.
  __device__ __forceinline__ int visible_keys(int tile) const {
    int end = problem_.keys;
    if (T::causal) {
      const int last_row = first_query_ + (place_.row_warp + 1) * T::warp_rows - 1;
      end = min(end, last_row + problem_.keys - problem_.queries + 1);
    }
    return end - tile * T::block_n - place_.key_warp * T::warp_keys;
  }

  __device__ __forceinline__ void compute_scores(Scores& score) {
#pragma unroll
    for (int r = 0; r < T::row_fragments; ++r) {
#pragma unroll
      for (int n = 0; n < T::score_fragments; ++n) {
#pragma unroll
        for (int e = 0; e < 4; ++e) score[r][n][e] = 0;
      }
    }
#pragma unroll
    for (int d = 0; d < T::depth_steps; ++d) {
      unsigned(&query)[T::row_fragments][4] = query_[T::query_in_registers ? d : 0];
      if constexpr (!T::query_in_registers) load_query(d, query);
#pragma unroll
      for (int s = 0; s < T::key_steps; ++s) {
        unsigned key[4];
        load_matrices(key, key_squares_.at(s, d) + read_stage_);
#pragma unroll
        for (int r = 0; r < T::row_fragments; ++r) {
          multiply_add<Element>(score[r][2 * s], query[r], key[0], key[1]);
          multiply_add<Element>(score[r][2 * s + 1], query[r], key[2], key[3]);
        }
      }
    }
  }

  // Overwrites what a row must not see, whatever the product gave there: -inf has the weight 0.
  __device__ __forceinline__ void mask(int tile, Scores& score) const {
    const int first_key = tile * T::block_n + place_.key_warp * T::warp_keys + place_.lane % 4 * 2;
    const int keys_left = problem_.keys - first_key;
    const int first_row = first_query_ + place_.row_warp * T::warp_rows + place_.lane / 4;
    const int seen_by_first_row = keys_left + first_row - problem_.queries + 1;
#pragma unroll
    for (int r = 0; r < T::row_fragments; ++r) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int visible = T::causal ? min(keys_left, seen_by_first_row + r * 16 + h * 8) : keys_left;
#pragma unroll
        for (int n = 0; n < T::score_fragments; ++n) {
          if (n * 8 >= visible) score[r][n][2 * h] = minus_infinity();
          if (n * 8 + 1 >= visible) score[r][n][2 * h + 1] = minus_infinity();
        }
      }
    }
  }

  // The weights of 16 keys are made just before they are multiplied, so that exponentials run beside products.
  __device__ __forceinline__ void accumulate(const Scores& score, unsigned stage, SoftmaxRows<T>& rows) {
    float base[T::row_fragments][2];
#pragma unroll
    for (int r = 0; r < T::row_fragments; ++r) {
#pragma unroll
      for (int h = 0; h < 2; ++h) base[r][h] = -softmax_base(rows.max[r][h]);
    }
#pragma unroll
    for (int s = 0; s < T::key_steps; ++s) {
      unsigned weight[T::row_fragments][4];
#pragma unroll
      for (int r = 0; r < T::row_fragments; ++r) {
        rows.weigh(r, score[r][2 * s], score[r][2 * s + 1], scale_, base[r], weight[r]);
      }
#pragma unroll
      for (int d = 0; d < T::depth_steps; ++d) {
        unsigned value[4];
        load_matrices_transposed(value, value_squares_.at(s, d) + stage);
#pragma unroll
        for (int r = 0; r < T::row_fragments; ++r) {
          multiply_add<Element>(rows.output[r][2 * d], weight[r], value[0], value[1]);
          multiply_add<Element>(rows.output[r][2 * d + 1], weight[r], value[2], value[3]);
        }
      }
    }
  }

  const AttentionProblem& problem_;
  WarpPlace place_;
  TileCopy<T> copy_;
  unsigned shared_;
  SquareAddresses<typename T::Tile, MatrixOrder::across> key_squares_;
  SquareAddresses<typename T::Tile, MatrixOrder::down> value_squares_;
  SquareAddresses<typename T::Tile, MatrixOrder::down> query_squares_;
  float scale_;
  KeyTiles tiles_;
  int first_query_;
  const Element* next_k_;
  const Element* next_v_;
  unsigned read_stage_;   // [bytes] of the tile whose scores are computed, from the start of shared memory
  unsigned write_stage_;  // [bytes] of the one that is filled next
  unsigned query_[T::query_in_registers ? T::depth_steps : 1][T::row_fragments][4];
};
