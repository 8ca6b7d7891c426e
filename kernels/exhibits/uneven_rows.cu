// Exhibit: a barrier in a loop that the warps leave after different numbers of rounds.
//
// With 6 warps and 32 rows, two warps take six rows and four take five. The barrier inside the loop over the rows is then
// passed six times by some and five times by others, every later barrier pairs the wrong two, and the phases run into
// each other. With 4 or 8 warps nothing is wrong, so that the kernel passes its tests until NUM_WARPS is swept.

/* tilescope-kernel
{
  "name": "uneven_rows",
  "role": "exhibit",
  "title": "Rows that do not divide over the warps",
  "entry": "uneven_rows",
  "card": {
    "looks": "Fast and wrong, for some values of NUM_WARPS only: an error of 0.28 was once ranked in a table of winners.",
    "shown": "measure: wrong_result with NUM_WARPS = 6, right with 4 and 8. trace --check names races between phases that a barrier separates, and fewer barrier waits are counted than there should be.",
    "diagnosis": "race",
    "repair": "Give every warp the same number of rounds and skip the work, not the barrier, in those that have no row; or demand that the rows divide over the warps, in a constraint."
  },
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "FAULT", "values": ["off", "on"], "default": "off",
     "help": "on: a warp leaves the loop over rows when it has no more. off: all warps make the same number of rounds."},
    {"name": "NUM_WARPS", "values": [4, 6, 8], "default": 6,
     "help": "Warps per block. 6 do not divide the 32 rows."}
  ],
  "constraints": [
    {"expression": "D == 32 || D == 64 || D == 96 || D == 128 || D == 256",
     "text": "the exhibits take D = 32, 64, 96, 128 or 256, as the rungs of the ladder"}
  ],
  "grid": ["ceil_div(Sq, 32)", "Hq", "B"],
  "threads": "NUM_WARPS * 32",
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

constexpr int rows = 32, keys = 32;
using Block = ScalarBlock<rows, keys, NUM_WARPS>;

__device__ inline void score_row(Block& block, int row, int first_key) {
  block.keep_score(row, Block::lane(), first_key, block.score(row, Block::lane()));
}

// Scores, then softmax, of the rows of this warp, with a barrier between the two.
__device__ inline void scores_and_softmax(Block& block, int first_key) {
  if constexpr (FAULT == on) {
    for (int row = Block::warp(); row < rows; row += NUM_WARPS) {
      score_row(block, row, first_key);
      __syncthreads();  // not all warps come here equally often
      block.softmax_row(row);
    }
  } else {
    for (int first_row = 0; first_row < rows; first_row += NUM_WARPS) {
      const int row = first_row + Block::warp();
      if (row < rows) score_row(block, row, first_key);
      __syncthreads();  // the scores are written, and every warp passes here ceil(rows / NUM_WARPS) times
      if (row < rows) block.softmax_row(row);
    }
  }
}

extern "C" __global__ void __launch_bounds__(Block::threads, 1) uneven_rows(const AttentionProblem problem) {
  extern __shared__ __align__(128) char shared[];
  Block block(shared, problem, blockIdx.z, blockIdx.y, blockIdx.x * rows);
  block.begin();
  for (int first_key = 0; first_key < block.keys; first_key += keys) {
    block.load(first_key);
    __syncthreads();  // the tiles are written
    scores_and_softmax(block, first_key);
    __syncthreads();  // the weights are written
    block.accumulate();
    __syncthreads();  // the tiles and the weights are read
  }
  __syncthreads();  // with no tile at all, the zeroed output was not yet waited for
  block.store();
}
