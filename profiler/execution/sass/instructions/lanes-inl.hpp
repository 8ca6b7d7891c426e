// Access of machine-code handlers to the machine. Included once for each vector target.
#if defined(TILESCOPE_PROFILER_SASS_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SASS_LANES_INL
#undef TILESCOPE_PROFILER_SASS_LANES_INL
#else
#define TILESCOPE_PROFILER_SASS_LANES_INL
#endif

#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;
using simt::all_lanes;
using simt::Handler;
// Not the text of one, which has the same name.
using simt::Instruction;
using simt::lane_count;
using simt::LaneMask;
using simt::Slot;
using simt::Warp;
}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
