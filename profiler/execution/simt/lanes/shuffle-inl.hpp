// Moves of values between the lanes of a warp. Compiled once for each vector target: see lane_loops-inl.hpp.
#if defined(TILESCOPE_PROFILER_SIMT_SHUFFLE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_SHUFFLE_INL
#undef TILESCOPE_PROFILER_SIMT_SHUFFLE_INL
#else
#define TILESCOPE_PROFILER_SIMT_SHUFFLE_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"
#include "profiler/execution/simt/observer.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

// The lane that a lane reads, and whether it lies in the segment (PTX ISA, "shfl.sync").
struct Up {
  std::int32_t from(std::int32_t lane, std::int32_t b, std::int32_t) const { return lane - b; }
  bool inside(std::int32_t from, std::int32_t limit) const { return from >= limit; }
};
struct Down {
  std::int32_t from(std::int32_t lane, std::int32_t b, std::int32_t) const { return lane + b; }
  bool inside(std::int32_t from, std::int32_t limit) const { return from <= limit; }
};
struct Butterfly {
  std::int32_t from(std::int32_t lane, std::int32_t b, std::int32_t) const { return lane ^ b; }
  bool inside(std::int32_t from, std::int32_t limit) const { return from <= limit; }
};
struct Indexed {
  std::int32_t from(std::int32_t lane, std::int32_t b, std::int32_t segment) const {
    return (lane & segment) | (b & ~segment);
  }
  bool inside(std::int32_t from, std::int32_t limit) const { return from <= limit; }
};

// b is the value, c the lane; the further operands are the clamp with its segment mask and, if present, the predicate.
template <class Mode>
void shuffle(Warp& warp, const Instruction& i) {
  const std::uint32_t* value = warp.read<std::uint32_t>(i.b);
  const std::int32_t* b = warp.read<std::int32_t>(i.c);
  const std::int32_t* c = warp.read<std::int32_t>(warp.operands(i)[0]);
  alignas(64) std::int32_t source[lane_count];
  alignas(64) std::uint32_t in_segment[lane_count];
  for (std::int32_t lane = 0; lane < lane_count; ++lane) {
    const std::int32_t segment = c[lane] >> 8 & 31;
    const std::int32_t limit = (lane & segment) | (c[lane] & 31 & ~segment);
    const std::int32_t from = Mode{}.from(lane, b[lane] & 31, segment);
    const bool inside = Mode{}.inside(from, limit);
    source[lane] = inside ? from & 31 : lane;
    in_segment[lane] = inside ? 1 : 0;
  }
  if (Observer* observer = warp.block().observer; observer != nullptr) observer->shuffle(warp, i, source);
  alignas(64) std::uint32_t result[lane_count];
  for (int lane = 0; lane < lane_count; ++lane) result[lane] = value[source[lane]];
  for_lanes(
      warp.exec, warp.write<std::uint32_t>(i.d), [](std::uint32_t moved) { return moved; },
      static_cast<const std::uint32_t*>(result));
  if (i.operand_count == 2) {
    warp.set_mask(warp.operands(i)[1], mask_of_lanes([](std::uint32_t inside) { return inside != 0; },
                                                     static_cast<const std::uint32_t*>(in_segment)));
  }
}

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
