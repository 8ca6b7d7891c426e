#include "profiler/execution/memory/access_pattern.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/memory/access_pattern.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilescope::HWY_NAMESPACE {

bool HasDeltas(const std::uint64_t* addresses, std::uint64_t base, const std::uint64_t* deltas,
               simt::LaneMask lanes) {
  std::uint64_t difference = 0;
  if (lanes == simt::all_lanes) {
    for (int lane = 0; lane < simt::lane_count; ++lane) difference |= (addresses[lane] - base) ^ deltas[lane];
  } else {
    for (int lane = 0; lane < simt::lane_count; ++lane) {
      const std::uint64_t select = 0 - static_cast<std::uint64_t>(lanes >> lane & 1u);
      difference |= ((addresses[lane] - base) ^ deltas[lane]) & select;
    }
  }
  return difference == 0;
}

}  // namespace tilescope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope {

HWY_EXPORT(HasDeltas);

bool has_deltas(const std::uint64_t* addresses, std::uint64_t base, const std::uint64_t* deltas,
                simt::LaneMask lanes) {
  return HWY_DYNAMIC_DISPATCH(HasDeltas)(addresses, base, deltas, lanes);
}

}  // namespace tilescope
#endif
