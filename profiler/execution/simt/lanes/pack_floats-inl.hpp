// Two registers of floats to pairs of halves. Included once for each vector target.
#if defined(TILESCOPE_PROFILER_SIMT_PACK_FLOATS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_PACK_FLOATS_INL
#undef TILESCOPE_PROFILER_SIMT_PACK_FLOATS_INL
#else
#define TILESCOPE_PROFILER_SIMT_PACK_FLOATS_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "profiler/execution/simt/lanes/half_lanes-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

// Rounded to nearest; the first source is the upper half.
template <class Format, bool relu>
void singles_to_pair(Warp& warp, const Instruction& i) {
  alignas(64) std::uint16_t high[lane_count], low[lane_count];
  if (relu) {
    alignas(64) float a[lane_count], b[lane_count];
    for_lanes(
        all_lanes, a, [](float value) { return relu_of(value); }, warp.read<float>(i.a));
    for_lanes(
        all_lanes, b, [](float value) { return relu_of(value); }, warp.read<float>(i.b));
    Format::template demote<lane_count>(a, high);
    Format::template demote<lane_count>(b, low);
  } else {
    Format::template demote<lane_count>(warp.read<float>(i.a), high);
    Format::template demote<lane_count>(warp.read<float>(i.b), low);
  }
  for_lanes(
      warp.exec, warp.write<std::uint32_t>(i.d),
      [](std::uint16_t upper, std::uint16_t lower) {
        return static_cast<std::uint32_t>(upper) << 16 | lower;
      },
      static_cast<const std::uint16_t*>(high), static_cast<const std::uint16_t*>(low));
}

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
