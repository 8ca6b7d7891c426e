// Issues an asynchronous copy from global to shared memory (cp.async, LDGSTS). Compiled once for each vector target: see
// ../lanes/lane_loops-inl.hpp.
#if defined(TILESCOPE_PROFILER_SIMT_ASYNC_COPY_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_ASYNC_COPY_INL
#undef TILESCOPE_PROFILER_SIMT_ASYNC_COPY_INL
#else
#define TILESCOPE_PROFILER_SIMT_ASYNC_COPY_INL
#endif

#include <hwy/highway.h>

#include <cstring>

#include "profiler/execution/simt/memory/async_copies.hpp"
#include "profiler/execution/simt/memory/lane_addresses-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

// Lanes of `reading` copy `bytes` from `source`, the others of the destination get zeros. `source_addresses`: for
// MemoryAccess, of all lanes.
template <int bytes>
HWY_INLINE void issue_async_copy(Warp& warp, const Instruction& i, LaneMask reading, const Lanes& destination,
                                 const Lanes& source, const std::uint64_t* source_addresses) {
  if (warp.block().observer != nullptr) {
    if (reading != 0) tell(warp, i, Access::async_copy_read, source, bytes, bytes);
    tell(warp, i, Access::async_copy_issue, destination, bytes, bytes, source_addresses,
         source_addresses != nullptr ? reading : 0);
  }
  AsyncCopies::Copy& copy = warp.async_copies().issue(warp, i, destination.exec, bytes);
  std::memcpy(copy.destination.data(), destination.offset, sizeof destination.offset);
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    if ((reading >> lane & 1u) != 0) {
      std::memcpy(copy.data.data() + 16 * lane, source.base + source.offset[lane], bytes);
    } else {
      std::memset(copy.data.data() + 16 * lane, 0, bytes);
    }
  }
}

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
