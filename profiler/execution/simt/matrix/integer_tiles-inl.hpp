// Products of matrices of bytes: fragments as tiles-inl.hpp describes them, sums of 32 bits.
//
// Compiled once for each vector target: see ../lane_loops-inl.hpp.
#if defined(TILESCOPE_PROFILER_SIMT_INTEGER_TILES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_INTEGER_TILES_INL
#undef TILESCOPE_PROFILER_SIMT_INTEGER_TILES_INL
#else
#define TILESCOPE_PROFILER_SIMT_INTEGER_TILES_INL
#endif

#include <algorithm>
#include <cstdint>
#include <limits>

#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

// D (16 x 8) = A (16 x depth) * B (depth x 8) + C, exact, then truncated to 32 bits or, with `saturates`, clamped.
template <class A, class B, int depth, bool saturates>
HWY_INLINE void multiply_integers(Warp& warp, const Slot* d, const Slot* a, const Slot* b, const Slot* c) {
  std::int64_t sum[16][8];
  for (int half = 0; half < 2; ++half) {
    for (int lane = 0; lane < lane_count; ++lane) {
      std::int64_t* pair = &sum[8 * half + lane / 4][lane % 4 * 2];
      pair[0] = warp.read<std::int32_t>(c[2 * half])[lane];
      pair[1] = warp.read<std::int32_t>(c[2 * half + 1])[lane];
    }
    for (int tile = 0; tile < depth / 16; ++tile) {
      const A* rows = warp.read<A>(a[2 * tile + half]);
      const B* columns = warp.read<B>(b[tile]);
      for (int m = 0; m < 8; ++m) {
        for (int n = 0; n < 8; ++n) {
          std::int32_t products = 0;
          for (int k = 0; k < 16; ++k)
            products += std::int32_t{rows[16 * m + k]} * std::int32_t{columns[16 * n + k]};
          sum[8 * half + m][n] += products;
        }
      }
    }
  }
  using Limits = std::numeric_limits<std::int32_t>;
  for (int r = 0; r < 4; ++r) {
    std::int32_t result[lane_count];
    for (int lane = 0; lane < lane_count; ++lane) {
      const std::int64_t value = sum[8 * (r / 2) + lane / 4][lane % 4 * 2 + r % 2];
      result[lane] = static_cast<std::int32_t>(
          saturates ? std::clamp<std::int64_t>(value, Limits::min(), Limits::max()) : value);
    }
    for_lanes(
        warp.exec, warp.write<std::int32_t>(d[r]), [](std::int32_t value) { return value; }, result);
  }
}

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
