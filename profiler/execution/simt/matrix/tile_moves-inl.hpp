// ldmatrix and stmatrix: tiles of 8 x 8 halves between shared memory and registers, as tiles-inl.hpp describes them.
// Compiled once for each vector target: see ../lanes/lane_loops-inl.hpp.
#if defined(TILESCOPE_PROFILER_SIMT_TILE_MOVES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_TILE_MOVES_INL
#undef TILESCOPE_PROFILER_SIMT_TILE_MOVES_INL
#else
#define TILESCOPE_PROFILER_SIMT_TILE_MOVES_INL
#endif

#include <hwy/highway.h>

#include <cstring>

#include "profiler/execution/simt/matrix/tiles-inl.hpp"
#include "profiler/execution/simt/memory/lane_access.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

inline constexpr int tile_row_bytes = 16;

// Loads `count` tiles from the rows of lanes 8i to 8i + 7 into the registers that are the instruction's operands.
HWY_INLINE void load_tiles(Warp& warp, const Instruction& i, const LanePointers& rows, bool is_transposed) {
  for (int m = 0; m < i.count; ++m) {
    alignas(64) std::uint16_t tile[64];
    for (std::size_t r = 0; r < 8; ++r) {
      const std::size_t lane = 8 * static_cast<std::size_t>(m) + r;
      if ((rows.lanes >> lane & 1u) != 0) {
        std::memcpy(tile + 8 * r, rows.at[lane], tile_row_bytes);
      } else {
        std::memset(tile + 8 * r, 0, tile_row_bytes);
      }
    }
    if (is_transposed) transpose_tile(tile, tile);
    const Slot slot = warp.operands(i)[m];
    if (warp.exec == all_lanes) {
      std::memcpy(warp.write<std::uint16_t>(slot), tile, sizeof tile);
    } else {
      alignas(64) std::uint32_t pairs[lane_count];
      std::memcpy(pairs, tile, sizeof pairs);
      for_lanes(
          warp.exec, warp.write<std::uint32_t>(slot), [](std::uint32_t pair) { return pair; }, pairs);
    }
  }
}

HWY_INLINE void store_tiles(const Warp& warp, const Instruction& i, const LanePointers& rows,
                            bool is_transposed) {
  for (int m = 0; m < i.count; ++m) {
    alignas(64) std::uint16_t tile[64];
    std::memcpy(tile, warp.read<std::uint16_t>(warp.operands(i)[m]), sizeof tile);
    if (is_transposed) transpose_tile(tile, tile);
    for (std::size_t r = 0; r < 8; ++r) {
      const std::size_t lane = 8 * static_cast<std::size_t>(m) + r;
      if ((rows.lanes >> lane & 1u) != 0) std::memcpy(rows.at[lane], tile + 8 * r, tile_row_bytes);
    }
  }
}

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
