// Finds the memory of an address of machine code, for all lanes at once: see simt/memory/lane_addresses-inl.hpp.
// Compiled once for each vector target.
#if defined(TILESCOPE_PROFILER_SASS_FIND_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SASS_FIND_LANES_INL
#undef TILESCOPE_PROFILER_SASS_FIND_LANES_INL
#else
#define TILESCOPE_PROFILER_SASS_FIND_LANES_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "profiler/execution/sass/instructions/memory_address.hpp"
#include "profiler/execution/simt/memory/lane_addresses-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;
using simt::LaneMask;
using simt::Space;
using simt::Warp;

template <int bytes>
HWY_INLINE bool find_shared_lanes(Warp& warp, LaneMask exec, const AddressSlots& address, Lanes& lanes) {
  const auto shared = warp.block().shared;
  const std::uint32_t* base = warp.read<std::uint32_t>(address.low);
  const auto added = static_cast<std::uint32_t>(address.added(warp));
  const int shift = address.shift;
  lanes.space = Space::shared;
  lanes.base = shared.data();
  lanes.origin = 0;
  return find_in_piece<bytes>(
      exec, shared.size(), [=](int lane) { return (base[lane] << shift) + added; }, lanes);
}

template <int bytes, bool is_store>
HWY_INLINE bool find_global_lanes(Warp& warp, LaneMask exec, const AddressSlots& address, Lanes& lanes) {
  if (address.shift != 0) return false;
  const std::uint32_t* low = warp.read<std::uint32_t>(address.low);
  const std::uint32_t* high = warp.read<std::uint32_t>(address.high);
  const std::uint64_t added = address.added(warp);
  const int first = std::countr_zero(exec);
  const std::uint64_t at = (low[first] | std::uint64_t{high[first]} << 32) + added;
  const simt::Allocation* allocation = warp.block().global->find(at, bytes);
  if (allocation == nullptr || allocation->bytes > largest_piece) return false;
  if (is_store && allocation->read_only) return false;
  lanes.space = Space::global;
  lanes.base = allocation->data;
  lanes.origin = allocation->address;
  const std::uint64_t offset = added - allocation->address;
  return find_in_piece<bytes>(
      exec, allocation->bytes,
      [=](int lane) { return (low[lane] | std::uint64_t{high[lane]} << 32) + offset; }, lanes);
}

// A generic address is left to the slow path unless it is a global one.
template <Space space, int bytes, bool is_store>
HWY_NOINLINE bool find_lanes(Warp& warp, LaneMask exec, const AddressSlots& address, Lanes& lanes) {
  if constexpr (space == Space::shared) return find_shared_lanes<bytes>(warp, exec, address, lanes);
  if constexpr (space == Space::local) {
    if (address.shift != 0) return false;
    const auto added = static_cast<std::uint32_t>(address.added(warp));
    return find_local<std::uint32_t, bytes>(warp, exec, {address.low, added}, 0, lanes);
  }
  return find_global_lanes<bytes, is_store>(warp, exec, address, lanes);
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
