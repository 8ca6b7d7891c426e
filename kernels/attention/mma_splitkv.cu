// Rung 7: the keys split over blocks.
//
// Against the rung below (a block sees all keys of its rows): where B x Hq x Sq / BLOCK_M is less than the GPU has room
// for blocks - decoding, a small batch - most SMs idle and the time is that of one block's walk over all keys. Here
// SPLITS blocks share a row, each with a part of its key tiles, and leave unfinished rows in global memory. The warp
// that comes last adds them up, so that no second launch follows. It takes them in the order of the keys, whoever came
// last: the result is the same in every run. What it costs is the way of the unfinished rows through L2, in floats. The
// loop over the keys is that of mma_flash (device/mma_key_loop.cuh).
//
// Source of the scheme: Dao, Haziza, Massa and Sizov 2023, "Flash-Decoding for long-context inference".

/* tilescope-kernel
{
  "name": "mma_splitkv",
  "role": "rung",
  "rung": 7,
  "title": "mma_flash with the keys split over blocks, for small grids",
  "entry": "mma_splitkv",
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "BLOCK_M", "values": [32, 64, 128], "default": 32,
     "help": "Query rows per block. More rows read K and V fewer times; fewer make more blocks, which a small grid needs."},
    {"name": "BLOCK_N", "values": [16, 32, 64, 128], "default": 32,
     "help": "Keys per tile. A row's maximum is taken, and the barriers are passed, once a tile; the scores of a tile are held in registers."},
    {"name": "NUM_WARPS", "values": [2, 4, 8], "default": 2,
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
    {"name": "BLOCKS_PER_SM", "values": [1, 2, 3, 4], "default": 2,
     "help": "Blocks for which the compiler must leave registers on an SM; with SPLITS = auto the grid has as many for each, if the keys suffice."},
    {"name": "SPLITS", "values": [1, 2, 4, 8, 16, "auto"], "default": "auto",
     "help": "Blocks that share the keys of a row. auto: as many as give each SM BLOCKS_PER_SM blocks, at most 16 and one for each tile of keys."}
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
    "Q_TILES": "ceil_div(Sq, BLOCK_M) * Hq * B",
    "WAVE": "SM_COUNT * BLOCKS_PER_SM"
  },
  "constraints": [
    {"expression": "D == 32 || D == 64 || D == 96 || D == 128 || D == 256",
     "text": "mma_splitkv takes D = 32, 64, 96, 128 or 256"},
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
  "grid": ["ceil_div(Sq, BLOCK_M) * BLOCK_GROUP", "Hq", "B"],
  "block_group": "SPLITS == auto ? min(16, min(ceil_div(Sk, BLOCK_N), max(1, (WAVE - WAVE % Q_TILES) / Q_TILES))) : SPLITS",
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
  "arguments": [
    {"type": "attention_problem"},
    {"type": "int32", "value": "BLOCK_GROUP"},
    {"type": "pointer", "value": "scratch", "bytes": "Q_TILES * BLOCK_GROUP * BLOCK_M * (D + 8) * 4"},
    {"type": "pointer", "value": "scratch", "bytes": "Q_TILES * NUM_WARPS * 4"}
  ]
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

// SPLITS is a number or the word auto, which is a keyword here: joined to a name it is neither.
enum : int {
  splits_auto = 0,  // known at launch
  splits_1 = 1,
  splits_2 = 2,
  splits_4 = 4,
  splits_8 = 8,
  splits_16 = 16,
};
#define JOIN_(left, right) left##right
#define JOIN(left, right) JOIN_(left, right)
constexpr int fixed_splits = JOIN(splits_, SPLITS);

// The key tiles of one of `parts` blocks that share a row; the parts differ by one tile at most.
__device__ inline KeyTiles part_of(const KeyTiles& tiles, int part, int parts) {
  const int count = tiles.end - tiles.first;
  return {tiles.first + count * part / parts, tiles.first + count * (part + 1) / parts, tiles.unmasked};
}

// Whether this warp is the last of `count` that share its rows. The counter is 0 again afterwards, for the next launch.
__device__ inline bool is_last_to_arrive(unsigned* counter, int count) {
  __threadfence();  // what this lane wrote is visible to all before the arrival is
  __syncwarp();
  unsigned before = 0;
  if (threadIdx.x % 32 == 0) before = atomicInc(counter, count - 1);
  before = __shfl_sync(0xffffffffu, before, 0);
  __threadfence();  // what the others wrote is read after their arrivals
  return before == static_cast<unsigned>(count - 1);
}

// Past L1, which may hold what was there before another SM wrote.
__device__ inline float4 load_from_l2(const float4* address) {
  float4 word;
  asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(word.x), "=f"(word.y), "=f"(word.z), "=f"(word.w)
               : "l"(address)
               : "memory");
  return word;
}

// Leaves this warp's rows for the others; true for the last of `parts`, which has the sum of all in `rows` then. Lanes
// whose rows are behind the last query, most of them when one token is decoded, have nothing to leave.
__device__ __forceinline__ bool combine(const WarpPlace& place, bool has_rows, int row_tile, int part, int parts,
                                        int splits, float4* partial_rows, unsigned* arrivals,
                                        SoftmaxRows<Tiling>& rows) {
  using Partial = PartialRows<Tiling>;
  const int slice = row_tile * Tiling::row_warps + place.row_warp;
  float4* slots = partial_rows + static_cast<long long>(slice) * splits * Partial::words + place.lane;
  if (has_rows) {
    float4* own = slots + part * Partial::words;
    Partial::write(rows, [&](int i, float4 word) { own[i] = word; });
  }
  if (!is_last_to_arrive(arrivals + slice, parts)) return false;
  rows.clear();
  if (has_rows) {
    Partial::merge(rows, parts, [&](int other, int i) { return load_from_l2(slots + other * Partial::words + i); });
  }
  return true;
}

extern "C" __global__ void __launch_bounds__(Tiling::threads, BLOCKS_PER_SM)
    mma_splitkv(const AttentionProblem problem, int launched_splits, float4* partial_rows, unsigned* arrivals) {
  extern __shared__ __align__(128) char shared[];
  const int splits = fixed_splits == splits_auto ? launched_splits : fixed_splits;
  const int tiles_per_head = gridDim.x / splits, part = blockIdx.x % splits;
  const int row_tile = tiles_per_head - 1 - blockIdx.x / splits;  // with a causal mask the longest rows start first
  const int head = blockIdx.y, batch = blockIdx.z;
  const QueryTile tile = {row_tile * BLOCK_M, head, batch};
  const KeyTiles tiles = visible_key_tiles<Tiling>(problem, tile.first_query);
  const int parts = max(1, min(splits, tiles.end - tiles.first));
  if (part >= parts) return;  // the rows see fewer tiles than there are blocks for them

  SoftmaxRows<Tiling> rows;
  rows.clear();
  KeyLoop<Tiling> loop(problem, shared_address(shared));
  loop.begin(tile, part_of(tiles, part, parts));
  loop.run(rows);
  const WarpPlace place = warp_place<Tiling>();
  merge_key_warps<Tiling>(place, shared, rows);
  if (place.key_warp > 0) return;
  if (parts > 1) {
    const int row_tile_of_all = (batch * problem.query_heads + head) * tiles_per_head + row_tile;
    const bool has_rows = tile.first_query + place.row_warp * Tiling::warp_rows + place.lane / 4 < problem.queries;
    if (!combine(place, has_rows, row_tile_of_all, part, parts, splits, partial_rows, arrivals, rows)) return;
  }
  store_output<Tiling>(problem, tile, place, rows);
}
