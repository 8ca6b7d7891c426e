// Loops over the 32 lanes of a warp, compiled once for each vector target (Highway's foreach_target). They are plain
// loops, which the compiler vectorises with the target's instructions, enabled by HWY_BEFORE_NAMESPACE.
//
// Operations are function objects without state. They must be defined for all inputs: inactive lanes are computed too,
// from whatever their registers hold.
#if defined(TILESCOPE_PROFILER_SIMT_LANE_LOOPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_LANE_LOOPS_INL
#undef TILESCOPE_PROFILER_SIMT_LANE_LOOPS_INL
#else
#define TILESCOPE_PROFILER_SIMT_LANE_LOOPS_INL
#endif

#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/independent_lanes.hpp"
#include "profiler/execution/simt/program.hpp"
#include "profiler/execution/simt/warp.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

// Destination and sources may be the same register but never overlap otherwise: the decoder ensures that.
template <class Result, class Operation, class... Source>
HWY_INLINE void for_lanes(LaneMask exec, Result* result, Operation operation, const Source*... source) {
  if (exec == all_lanes) {
    TILESCOPE_INDEPENDENT_LANES
    for (int lane = 0; lane < lane_count; ++lane)
      result[lane] = static_cast<Result>(operation(source[lane]...));
  } else {
    TILESCOPE_INDEPENDENT_LANES
    for (int lane = 0; lane < lane_count; ++lane) {
      const Result value = static_cast<Result>(operation(source[lane]...));
      result[lane] = (exec >> lane & 1u) != 0 ? value : result[lane];
    }
  }
}

// The predicate of 32 lanes.
template <class Operation, class... Source>
HWY_INLINE LaneMask mask_of_lanes(Operation operation, const Source*... source) {
  LaneMask mask = 0;
  for (int lane = 0; lane < lane_count; ++lane) {
    mask |= static_cast<LaneMask>(operation(source[lane]...) ? 1u : 0u) << lane;
  }
  return mask;
}

// Handlers of one result and one, two or three sources.
template <class Operation, class Result, class A = Result>
void unary(Warp& warp, const Instruction& i) {
  for_lanes(warp.exec, warp.write<Result>(i.d), Operation{}, warp.read<A>(i.a));
}
template <class Operation, class Result, class A = Result, class B = A>
void binary(Warp& warp, const Instruction& i) {
  for_lanes(warp.exec, warp.write<Result>(i.d), Operation{}, warp.read<A>(i.a), warp.read<B>(i.b));
}
template <class Operation, class Result, class A = Result, class B = A, class C = B>
void ternary(Warp& warp, const Instruction& i) {
  for_lanes(warp.exec, warp.write<Result>(i.d), Operation{}, warp.read<A>(i.a), warp.read<B>(i.b),
            warp.read<C>(i.c));
}

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
