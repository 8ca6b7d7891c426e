// Rung 6: both products on the tensor cores, scores and output in registers (FlashAttention-2).
//
// Against the rung below (tensor cores through wmma, scores and output in shared memory): mma.sync says which lane
// holds which element, so the scores of one product become the weights of the next without leaving the registers, and
// the softmax runs on them in place, a row within four lanes. The rows are divided over the warps, so that no warp
// waits for the maximum of another. K and V come by cp.async while the tile before is computed, and go to the registers
// by ldmatrix from a layout that decides its bank conflicts. Tiles that the causal mask hides are not visited, and only
// those on its edge or at the ragged end pay for a mask.
//
// A masked score may be infinite or NaN, its weight is 0 all the same. An infinite V is another matter: 0 times it is
// NaN, and zeros in its place, as behind the last key, would take it from the rows of the same product that do see it.
// So every V up to Sk must be finite, of keys that the causal mask hides too, as in the other rungs from 2 on.
//
// Source of the scheme: Dao 2023, "FlashAttention-2", algorithm 1 and section 3.3. The rescaling that waits until it is
// needed is that of the FlashAttention-4 forward kernel.

/* tilescope-kernel
{
  "name": "mma_flash",
  "role": "rung",
  "rung": 6,
  "title": "FlashAttention-2 on mma.sync, scores and output in registers",
  "entry": "mma_flash",
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "BLOCK_M", "values": [32, 64, 128], "default": 64,
     "help": "Query rows per block. More rows read K and V fewer times; fewer make more blocks, which a small grid needs."},
    {"name": "BLOCK_N", "values": [16, 32, 64, 128], "default": 64,
     "help": "Keys per tile. A row's maximum is taken, and the barriers are passed, once a tile; the scores of a tile are held in registers."},
    {"name": "NUM_WARPS", "values": [2, 4, 8], "default": 4,
     "help": "Warps per block. Each takes BLOCK_M / NUM_WARPS rows, in slices of 16; warps beyond BLOCK_M / 16 split the keys of each tile instead."},
    {"name": "STAGES", "values": [1, 2, 3, 4], "default": 2,
     "help": "Pairs of tiles of K and V in shared memory. With 1, V arrives during the scores and the next K during the softmax, for two barriers a tile; with more, whole tiles arrive ahead for one."},
    {"name": "SMEM_LAYOUT", "values": ["row_major", "padded", "xor_swizzle"], "default": "xor_swizzle",
     "help": "How the rows of Q, K and V lie in shared memory, which decides the bank conflicts of ldmatrix."},
    {"name": "Q_IN_REGISTERS", "values": [0, 1], "default": 1,
     "help": "1 keeps the fragments of Q, in D / 4 more registers for each 16 rows of a warp; 0 loads them again for each tile of keys."},
    {"name": "LAZY_RESCALE", "values": [0, 1], "default": 1,
     "help": "1 rescales the output only when a maximum has grown by more than 8 in log2; 0 with every tile."},
    {"name": "OVERLAP", "values": [0, 1], "default": 0,
     "help": "1 computes the scores of the next tile beside the exponentials of this one, for a second tile of scores in registers; 0 one after the other."},
    {"name": "BLOCKS_PER_SM", "values": [1, 2, 3, 4], "default": 1,
     "help": "Blocks for which the compiler must leave registers on an SM; a persistent grid has as many for each."},
    {"name": "PERSISTENT", "values": [0, 1], "default": 0,
     "help": "1 launches one wave of blocks, each of which takes tiles of queries until none is left and starts the copies of the next before it writes the last; 0 a block for each tile."}
  ],
  "let": {
    "STRIDE": "D + (SMEM_LAYOUT == padded ? 8 : 0)",
    "PART": "D % 64 == 0 ? 64 : 32",
    "PERMUTED": "SMEM_LAYOUT == xor_swizzle ? PART : 8",
    "ROW_BYTES": "2 * STRIDE",
    "TILE_BYTES": "BLOCK_N * ROW_BYTES",
    "ROWS_PER_WARP": "max(16, BLOCK_M / NUM_WARPS)",
    "KEY_PARTS": "max(1, 16 * NUM_WARPS / BLOCK_M)",
    "Q_OFFSET": "(Q_IN_REGISTERS == 0 ? 2 * STAGES : STAGES == 1 ? 1 : 2 * STAGES - 2) * TILE_BYTES",
    "MERGED_BYTES": "(KEY_PARTS - 1) * 4 * BLOCK_M * (D + 8)",
    "Q_TILES": "ceil_div(Sq, BLOCK_M) * Hq * B"
  },
  "constraints": [
    {"expression": "D == 32 || D == 64 || D == 96 || D == 128 || D == 256",
     "text": "mma_flash takes D = 32, 64, 96, 128 or 256"},
    {"expression": "BLOCK_N * BLOCK_M >= 256 * NUM_WARPS",
     "text": "more warps than slices of 16 rows split the keys of a tile, 16 or more to each: BLOCK_M * BLOCK_N must be at least 256 * NUM_WARPS"},
    {"expression": "ROWS_PER_WARP * (D + (1 + OVERLAP) * BLOCK_N / KEY_PARTS) / 32 + Q_IN_REGISTERS * ROWS_PER_WARP * D / 64 + 32 <= min(255, 2048 / (NUM_WARPS * BLOCKS_PER_SM))",
     "text": "scores, output and the Q kept in registers would not fit in a thread's registers: take fewer rows per warp, fewer keys, fewer BLOCKS_PER_SM or Q_IN_REGISTERS = 0"},
    {"expression": "OVERLAP == 0 || STAGES >= 3",
     "text": "OVERLAP = 1 reads K of one tile and V of the one before while a third arrives: it takes STAGES = 3 or 4"},
    {"expression": "SHARED_BYTES <= MAX_SHARED_BYTES",
     "text": "the tiles do not fit: STAGES pairs of tiles of K and V, and Q, need more shared memory than a block has on this device"},
    {"expression": "BLOCKS_PER_SM * (SHARED_BYTES + 1024) <= MAX_SHARED_BYTES + 1024",
     "text": "BLOCKS_PER_SM blocks need more shared memory than an SM has on this device"}
  ],
  "grid": ["PERSISTENT ? min(SM_COUNT * BLOCKS_PER_SM, Q_TILES) : CAUSAL ? Q_TILES : ceil_div(Sq, BLOCK_M)",
           "PERSISTENT || CAUSAL ? 1 : Hq", "PERSISTENT || CAUSAL ? 1 : B"],
  "threads": "NUM_WARPS * 32",
  "dynamic_shared_bytes": "max(MERGED_BYTES, max(2 * STAGES * TILE_BYTES, Q_OFFSET + BLOCK_M * ROW_BYTES))",
  "tiles": [
    {"name": "K 0", "bytes": "TILE_BYTES", "rows": "BLOCK_N", "columns": "D", "pitch": "STRIDE",
     "index": "ROW*PITCH + bit_xor(COLUMN, floor_div(ROW, 64/PART)*8 % PERMUTED)"},
    {"name": "V 0", "bytes": "TILE_BYTES", "rows": "BLOCK_N", "columns": "D", "pitch": "STRIDE",
     "index": "ROW*PITCH + bit_xor(COLUMN, floor_div(ROW, 64/PART)*8 % PERMUTED)"},
    {"name": "K 1", "bytes": "STAGES < 2 ? 0 : TILE_BYTES", "rows": "BLOCK_N", "columns": "D", "pitch": "STRIDE",
     "index": "ROW*PITCH + bit_xor(COLUMN, floor_div(ROW, 64/PART)*8 % PERMUTED)"},
    {"name": "V 1", "bytes": "STAGES < 2 ? 0 : TILE_BYTES", "rows": "BLOCK_N", "columns": "D", "pitch": "STRIDE",
     "index": "ROW*PITCH + bit_xor(COLUMN, floor_div(ROW, 64/PART)*8 % PERMUTED)"},
    {"name": "K 2", "bytes": "STAGES < 3 ? 0 : TILE_BYTES", "rows": "BLOCK_N", "columns": "D", "pitch": "STRIDE",
     "index": "ROW*PITCH + bit_xor(COLUMN, floor_div(ROW, 64/PART)*8 % PERMUTED)"},
    {"name": "V 2", "bytes": "STAGES < 3 ? 0 : TILE_BYTES", "rows": "BLOCK_N", "columns": "D", "pitch": "STRIDE",
     "index": "ROW*PITCH + bit_xor(COLUMN, floor_div(ROW, 64/PART)*8 % PERMUTED)"},
    {"name": "K 3", "bytes": "STAGES < 4 ? 0 : TILE_BYTES", "rows": "BLOCK_N", "columns": "D", "pitch": "STRIDE",
     "index": "ROW*PITCH + bit_xor(COLUMN, floor_div(ROW, 64/PART)*8 % PERMUTED)"},
    {"name": "V 3", "bytes": "STAGES < 4 ? 0 : TILE_BYTES", "rows": "BLOCK_N", "columns": "D", "pitch": "STRIDE",
     "index": "ROW*PITCH + bit_xor(COLUMN, floor_div(ROW, 64/PART)*8 % PERMUTED)"},
    {"name": "Q", "bytes": "BLOCK_M * ROW_BYTES", "offset": "Q_OFFSET", "rows": "BLOCK_M", "columns": "D", "pitch": "STRIDE",
     "index": "ROW*PITCH + bit_xor(COLUMN, floor_div(ROW, 64/PART)*8 % PERMUTED)"},
    {"name": "merged rows", "bytes": "MERGED_BYTES", "offset": "0", "rows": "(KEY_PARTS - 1) * BLOCK_M", "columns": "D + 8",
     "element_bytes": "4",
     "index": "(floor_div(ROW, 16) * (D/8 + 1) + floor_div(COLUMN, 8)) * 128 + ROW % 8 * 16 + floor_div(COLUMN % 8, 2) * 4 + (COLUMN < D ? floor_div(ROW % 16, 8) * 2 + COLUMN % 2 : COLUMN % 2 * 2 + floor_div(ROW % 16, 8))"}
  ],
  "phases": [
    {"name": "load", "functions": ["copy_keys", "copy_values", "copy_ahead", "keep_query", "begin"]},
    {"name": "scores", "functions": ["compute_scores", "mask"]}, {"name": "softmax", "functions": ["raise_max", "weigh"]},
    {"name": "accumulate", "functions": ["accumulate"]}, {"name": "store", "functions": ["store_output"]}
  ],
  "arguments": [{"type": "attention_problem"}]
}
*/

#include "device/attention_problem.cuh"
#include "device/element.cuh"
#include "device/mma_key_loop.cuh"
#include "device/mma_output.cuh"
#include "device/mma_tiling.cuh"
#include "device/online_softmax.cuh"
#include "device/query_tile.cuh"
#include "device/shared_address.cuh"

struct Choice {
  using Element = DTYPE;
  static constexpr int head_dim = HEAD_DIM;
  static constexpr bool causal = CAUSAL;
  static constexpr int block_m = BLOCK_M;
  static constexpr int block_n = BLOCK_N;
  static constexpr int warps = NUM_WARPS;
  static constexpr int stages = STAGES;
  static constexpr SmemLayout layout = SMEM_LAYOUT;
  static constexpr bool query_in_registers = Q_IN_REGISTERS;
  static constexpr bool lazy_rescale = LAZY_RESCALE;
  static constexpr bool overlap = OVERLAP;
};
using Tiling = MmaTiling<Choice>;

// The first tile of queries of this block. Without a causal mask all tiles are alike and the grid says which it is.
__device__ inline QueryTile first_tile(const AttentionProblem& problem) {
  if (PERSISTENT || CAUSAL) return query_tile_at<Tiling>(problem, blockIdx.x);
  return {static_cast<int>(blockIdx.x) * BLOCK_M, static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.z)};
}

// The place in the order of tiles that this block of a persistent grid takes in its `wave`-th round. Every other round
// goes backwards: with a causal mask, who had the longest rows of one round has the shortest of the next.
__device__ inline int place_in_wave(int wave) {
  const int place = wave % 2 == 0 ? blockIdx.x : gridDim.x - 1 - blockIdx.x;
  return wave * gridDim.x + place;
}

extern "C" __global__ void __launch_bounds__(Tiling::threads, BLOCKS_PER_SM) mma_flash(const AttentionProblem problem) {
  extern __shared__ __align__(128) char shared[];
  const WarpPlace place = warp_place<Tiling>();
  const int tiles = query_tiles(problem, BLOCK_M);
  KeyLoop<Tiling> loop(problem, shared_address(shared));
  QueryTile tile = first_tile(problem);
  loop.begin(tile, visible_key_tiles<Tiling>(problem, tile.first_query));
  for (int wave = 1;; ++wave) {
    SoftmaxRows<Tiling> rows;
    rows.clear();
    loop.run(rows);
    merge_key_warps<Tiling>(place, shared, rows);

    const QueryTile done = tile;
    const bool goes_on = PERSISTENT && place_in_wave(wave) < tiles;
    if (goes_on) {
      __syncthreads();  // all warps have read the tiles, and the rows that were merged, before the next copies
      tile = query_tile_at<Tiling>(problem, place_in_wave(wave));
      loop.begin(tile, visible_key_tiles<Tiling>(problem, tile.first_query));
    }
    if (place.key_warp == 0) store_output<Tiling>(problem, done, place, rows);
    if (!goes_on) return;
  }
}
