#pragma once

#include "device/attention_problem.cuh"

// Which rows a block computes, and in which order the rows of a grid are taken.

struct QueryTile {
  int first_query;
  int head;
  int batch;
};

__device__ inline int query_tiles_per_head(const AttentionProblem& problem, int block_m) {
  return (problem.queries + block_m - 1) / block_m;
}

__device__ inline int query_tiles(const AttentionProblem& problem, int block_m) {
  return query_tiles_per_head(problem, block_m) * problem.query_heads * problem.batches;
}

// The tile that comes at place `order`. Without a causal mask the tiles of a head follow each other: they read the same
// K and V. With one the last rows see the most keys, and work that starts last should be short: the last rows of many
// heads come first, of as many as leave their K and V in L2 until the next rows read them again. Divisions are avoided
// where they can be, because nothing else runs while the first address is computed.
template <class T>
__device__ inline QueryTile query_tile_at(const AttentionProblem& problem, int order) {
  const int tiles = query_tiles_per_head(problem, T::block_m);
  const int heads = problem.query_heads * problem.batches;
  int tile, head;
  if constexpr (T::causal) {
    constexpr int section_bytes = 16 << 20;  // a third of the L2 of an L4, A100 or H100
    constexpr int bytes_per_key = 2 * T::head_dim * sizeof(typename T::Element);  // of K and V
    const long long head_bytes = static_cast<long long>(problem.keys) * bytes_per_key;
    int first_head = 0, section_heads = heads;
    if (heads * head_bytes > section_bytes) {
      section_heads = head_bytes < section_bytes ? section_bytes / static_cast<int>(head_bytes) : 1;
      first_head = order / (section_heads * tiles) * section_heads;
    }
    const int here = min(section_heads, heads - first_head);
    const int place = order - first_head * tiles;
    tile = tiles - 1 - place / here;
    head = first_head + place % here;
  } else {
    tile = order % tiles;
    head = order / tiles;
  }
  const int batch = problem.batches == 1 ? 0 : head / problem.query_heads;
  return {tile * T::block_m, head - batch * problem.query_heads, batch};
}

// The head of K and V that a head of queries reads.
__device__ inline int key_head_of(const AttentionProblem& problem, int head) {
  return problem.query_heads == problem.key_heads ? head : head / (problem.query_heads / problem.key_heads);
}

// Where row `row` of a tensor's (batch, head) starts.
template <class Element>
__device__ inline Element* row_of(const void* tensor, const TensorStrides& strides, int batch, int head, int row) {
  return static_cast<Element*>(const_cast<void*>(tensor)) + batch * strides.batch + head * strides.head +
         row * strides.row;
}
