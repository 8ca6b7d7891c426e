// Exhibit: a swizzle that permutes whole rows of K and V, which changes no bank.
//
// Shared memory has 32 banks of 4 bytes, so that addresses 128 bytes apart share a bank. An XOR of the row index moves an
// element by a multiple of the row's 128 bytes: to another address in the same bank. The column of 8 rows that a quarter
// of a warp reads stays in 4 banks. What moves banks is to XOR the place within the row.

/* tilescope-kernel
{
  "name": "idle_swizzle",
  "role": "exhibit",
  "title": "A swizzle that moves no bank",
  "entry": "idle_swizzle",
  "card": {
    "looks": "Switching the swizzle on or off changes nothing: 31.5 of 42.2 million wavefronts were conflicts with it on and off, and the profile was read as bound by compute.",
    "shown": "Conflicts, in Memory or trace: the reads of K are up to 8-way with SWIZZLE = 1 as with 0. The bank grid shows the 8 rows in one column. Without the fault SWIZZLE = 1 has none.",
    "diagnosis": "bank_conflicts",
    "repair": "XOR the number of the 16-byte piece within the row with the row's number, so that the same column of 8 neighbouring rows falls into different banks."
  },
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "FAULT", "values": ["off", "on"], "default": "off",
     "help": "on: SWIZZLE permutes rows. off: it permutes the 16-byte pieces of a row."},
    {"name": "SWIZZLE", "values": [0, 1], "default": 1,
     "help": "Whether the tiles of K and V are swizzled at all."}
  ],
  "let": {"PART": "D % 64 == 0 ? 64 : 32"},
  "constraints": [
    {"expression": "D == 32 || D == 64 || D == 96 || D == 128 || D == 256",
     "text": "the exhibits take D = 32, 64, 96, 128 or 256, as the rungs of the ladder"}
  ],
  "grid": ["ceil_div(Sq, 32)", "Hq", "B"],
  "threads": "256",
  "dynamic_shared_bytes": "4*32*D + 2*32*(D + 8) + 4*32*(32 + 4) + 4*32*D + 12*32",
  "tiles": [
    {"name": "K", "bytes": "2*32*D", "rows": "32", "columns": "D",
     "index": "SWIZZLE == 0 ? ROW*PITCH + COLUMN : FAULT == on ? bit_xor(ROW, floor_div(ROW, 8))*PITCH + COLUMN : ROW*PITCH + bit_xor(COLUMN, floor_div(ROW, 64/PART)*8 % PART)"},
    {"name": "V", "bytes": "2*32*D", "rows": "32", "columns": "D",
     "index": "SWIZZLE == 0 ? ROW*PITCH + COLUMN : FAULT == on ? bit_xor(ROW, floor_div(ROW, 8))*PITCH + COLUMN : ROW*PITCH + bit_xor(COLUMN, floor_div(ROW, 64/PART)*8 % PART)"},
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

struct KeyTile : SharedTile<row_major, HEAD_DIM, 8> {
  __device__ static int index(int row, int column) {
    if constexpr (SWIZZLE == 0) return row * row_stride + column;
    if constexpr (FAULT == on) return (row ^ row / 8) * row_stride + column;
    return SharedTile<xor_swizzle, HEAD_DIM, 8>::index(row, column);
  }
};
using Block = ScalarBlock<rows, keys, warps, KeyTile>;

extern "C" __global__ void __launch_bounds__(Block::threads, 1) idle_swizzle(const AttentionProblem problem) {
  extern __shared__ __align__(128) char shared[];
  Block(shared, problem, blockIdx.z, blockIdx.y, blockIdx.x * rows).run();
}
