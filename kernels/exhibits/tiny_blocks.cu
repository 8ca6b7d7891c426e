// Exhibit: blocks of one warp and one query row.
//
// An SM holds only so many blocks, 24 of the L4's, however small they are: 24 blocks of one warp are half of the warps that
// it could hold. And each block reads all of K and V for its one row, where 32 rows could have shared them.

/* tilescope-kernel
{
  "name": "tiny_blocks",
  "role": "exhibit",
  "title": "Blocks too small to fill an SM",
  "entry": "tiny_blocks",
  "card": {
    "looks": "Occupancy of half or less although registers and shared memory are nearly free; traffic that grows with the number of rows.",
    "shown": "Occupancy, up to D = 64: limited by blocks, 24 per SM on an L4, which are 24 of its 48 warps. Memory: more than 20 times the global sectors, nearly all at the loads of K and V.",
    "diagnosis": "small_blocks",
    "repair": "Give a block several warps and enough rows to reuse each tile."
  },
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "FAULT", "values": ["off", "on"], "default": "off",
     "help": "on: one warp, one query row, tiles of 8 keys. off: eight warps, 32 rows, tiles of 32."}
  ],
  "let": {"ROWS": "FAULT == on ? 1 : 32", "KEYS": "FAULT == on ? 8 : 32"},
  "constraints": [
    {"expression": "D == 32 || D == 64 || D == 96 || D == 128 || D == 256",
     "text": "the exhibits take D = 32, 64, 96, 128 or 256, as the rungs of the ladder"}
  ],
  "grid": ["ceil_div(Sq, ROWS)", "Hq", "B"],
  "threads": "FAULT == on ? 32 : 256",
  "dynamic_shared_bytes": "4*KEYS*(D + 8) + 2*ROWS*(D + 8) + 4*ROWS*(KEYS + 4) + 4*ROWS*D + 12*ROWS",
  "tiles": [
    {"name": "K", "bytes": "2*KEYS*(D + 8)", "rows": "KEYS", "columns": "D", "pitch": "D + 8"},
    {"name": "V", "bytes": "2*KEYS*(D + 8)", "rows": "KEYS", "columns": "D", "pitch": "D + 8"},
    {"name": "Q", "bytes": "2*ROWS*(D + 8)", "rows": "ROWS", "columns": "D", "pitch": "D + 8"},
    {"name": "S", "bytes": "4*ROWS*(KEYS + 4)", "rows": "ROWS", "columns": "KEYS", "pitch": "KEYS + 4", "element_bytes": "4"},
    {"name": "O", "bytes": "4*ROWS*D", "rows": "ROWS", "columns": "D", "element_bytes": "4"},
    {"name": "row_max", "bytes": "4*ROWS", "rows": "ROWS", "columns": "1", "element_bytes": "4"},
    {"name": "row_sum", "bytes": "4*ROWS", "rows": "ROWS", "columns": "1", "element_bytes": "4"},
    {"name": "rescale", "bytes": "4*ROWS", "rows": "ROWS", "columns": "1", "element_bytes": "4"}
  ],
  "arguments": [{"type": "attention_problem"}]
}
*/

#include "exhibits/scalar_block.cuh"

constexpr int rows = FAULT == on ? 1 : 32;
constexpr int keys = FAULT == on ? 8 : 32;
constexpr int warps = FAULT == on ? 1 : 8;
using Block = ScalarBlock<rows, keys, warps>;

// As many blocks as any SM takes: left to itself, the compiler uses just the registers that 24 blocks leave it, and they
// would seem to be the limit.
constexpr int blocks_per_sm = FAULT == on ? 32 : 1;

extern "C" __global__ void __launch_bounds__(Block::threads, blocks_per_sm)
    tiny_blocks(const AttentionProblem problem) {
  extern __shared__ __align__(128) char shared[];
  Block(shared, problem, blockIdx.z, blockIdx.y, blockIdx.x * rows).run();
}
