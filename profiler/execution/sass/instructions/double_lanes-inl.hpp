// Pairs of registers as 64-bit numbers, the low word in the first. Included once for each vector target.
#if defined(TILESCOPE_PROFILER_SASS_DOUBLE_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SASS_DOUBLE_LANES_INL
#undef TILESCOPE_PROFILER_SASS_DOUBLE_LANES_INL
#else
#define TILESCOPE_PROFILER_SASS_DOUBLE_LANES_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "profiler/execution/sass/register_slots.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {

HWY_INLINE void read_pairs(const simt::Warp& warp, simt::Slot slot, std::uint64_t* values) {
  const std::uint32_t* low = warp.read<std::uint32_t>(slot);
  const std::uint32_t* high = warp.read<std::uint32_t>(slot + RegisterSlots::step);
  for (int lane = 0; lane < simt::lane_count; ++lane)
    values[lane] = std::uint64_t{high[lane]} << 32 | low[lane];
}
HWY_INLINE void read_doubles(const simt::Warp& warp, simt::Slot slot, double* values) {
  alignas(64) std::uint64_t bits[simt::lane_count];
  read_pairs(warp, slot, bits);
  for (int lane = 0; lane < simt::lane_count; ++lane) values[lane] = std::bit_cast<double>(bits[lane]);
}

// To the lanes of exec.
HWY_INLINE void write_pairs(simt::Warp& warp, simt::Slot slot, const std::uint64_t* values) {
  simt::HWY_NAMESPACE::for_lanes(
      warp.exec, warp.write<std::uint32_t>(slot),
      [](std::uint64_t value) { return static_cast<std::uint32_t>(value); }, values);
  simt::HWY_NAMESPACE::for_lanes(
      warp.exec, warp.write<std::uint32_t>(slot + RegisterSlots::step),
      [](std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }, values);
}
HWY_INLINE void write_doubles(simt::Warp& warp, simt::Slot slot, const double* values) {
  alignas(64) std::uint64_t bits[simt::lane_count];
  for (int lane = 0; lane < simt::lane_count; ++lane) bits[lane] = std::bit_cast<std::uint64_t>(values[lane]);
  write_pairs(warp, slot, bits);
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
