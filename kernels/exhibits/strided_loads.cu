// Exhibit: neighbouring threads load from neighbouring rows instead of from neighbouring columns.
//
// Global memory moves in sectors of 32 bytes. 32 threads that load 4 bytes each along a row fill 4 sectors; 32 threads
// that load 4 bytes each down a column touch 32 sectors and use an eighth of each. The elements that are fetched along
// with them are used by later loads, if the L1 cache still holds them.

/* tilescope-kernel
{
  "name": "strided_loads",
  "role": "exhibit",
  "title": "Strided loads from global memory",
  "entry": "strided_loads",
  "card": {
    "looks": "Latency far above what the bytes of K and V ask for, worse with more heads than the caches hold.",
    "shown": "Memory: the loads of K and V need 8 times the minimum of sectors. In trace, the same lines, column 'excess'; their stores into shared memory conflict too.",
    "diagnosis": "uncoalesced",
    "repair": "Let the fastest-running index of the copy be the column."
  },
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "FAULT", "values": ["off", "on"], "default": "off",
     "help": "on: thread t copies from row t % 32. off: neighbouring threads copy along a row."}
  ],
  "constraints": [
    {"expression": "D == 32 || D == 64 || D == 96 || D == 128 || D == 256",
     "text": "the exhibits take D = 32, 64, 96, 128 or 256, as the rungs of the ladder"}
  ],
  "grid": ["ceil_div(Sq, 32)", "Hq", "B"],
  "threads": "256",
  "dynamic_shared_bytes": "4*32*(D + 8) + 2*32*(D + 8) + 4*32*(32 + 4) + 4*32*D + 12*32",
  "tiles": [
    {"name": "K", "bytes": "2*32*(D + 8)", "rows": "32", "columns": "D", "pitch": "D + 8"},
    {"name": "V", "bytes": "2*32*(D + 8)", "rows": "32", "columns": "D", "pitch": "D + 8"},
    {"name": "Q", "bytes": "2*32*(D + 8)", "rows": "32", "columns": "D", "pitch": "D + 8"},
    {"name": "S", "bytes": "4*32*(32 + 4)", "rows": "32", "columns": "32", "pitch": "32 + 4", "element_bytes": "4"},
    {"name": "O", "bytes": "4*32*D", "rows": "32", "columns": "D", "element_bytes": "4"},
    {"name": "row_max", "bytes": "4*32", "rows": "32", "columns": "1", "element_bytes": "4"},
    {"name": "row_sum", "bytes": "4*32", "rows": "32", "columns": "1", "element_bytes": "4"},
    {"name": "rescale", "bytes": "4*32", "rows": "32", "columns": "1", "element_bytes": "4"}
  ],
  "arguments": [{"type": "attention_problem"}]
}
*/

#include "exhibits/scalar_block.cuh"

constexpr int rows = 32, keys = 32, warps = 8;
using Block = ScalarBlock<rows, keys, warps>;

constexpr int width = 2;  // elements of a load: 4 bytes

__device__ inline void load_tile(Block::Element* tile, const Block::Element* source, long long row_stride, int valid) {
  if constexpr (FAULT == off) {
    return load_rows<Block::KeyTile, width, Block::threads>(tile, source, row_stride, keys, valid);
  }
  for (int i = threadIdx.x; i < keys * HEAD_DIM / width; i += Block::threads) {
    const int row = i % keys, column = i / keys * width;
    Packet<width> packet{};
    if (row < valid) packet = load_packet<width>(source + row * row_stride + column);
    store_packet(tile + Block::KeyTile::index(row, column), packet);
  }
}

extern "C" __global__ void __launch_bounds__(Block::threads, 1) strided_loads(const AttentionProblem problem) {
  extern __shared__ __align__(128) char shared[];
  Block block(shared, problem, blockIdx.z, blockIdx.y, blockIdx.x * rows);
  block.begin();
  for (int first_key = 0; first_key < block.keys; first_key += keys) {
    load_tile(block.shared.k, block.key(first_key), problem.k_strides.row, block.keys - first_key);
    load_tile(block.shared.v, block.value(first_key), problem.v_strides.row, block.keys - first_key);
    __syncthreads();  // the tiles are written
    block.scores(first_key);
    __syncthreads();  // the scores are written
    block.softmax();
    __syncthreads();  // the weights are written
    block.accumulate();
    __syncthreads();  // the tiles and the weights are read
  }
  __syncthreads();  // with no tile at all, the zeroed output was not yet waited for
  block.store();
}
