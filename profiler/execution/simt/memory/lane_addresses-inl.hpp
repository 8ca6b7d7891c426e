// Finds the memory that the lanes of a warp access, for all of them at once: the common case, in which all lanes are
// aligned and inside one piece of memory. Everything else, faults included, is left to lane_access.hpp.
//
// Compiled once for each vector target: see ../lane_loops-inl.hpp.
#if defined(TILESCOPE_PROFILER_SIMT_LANE_ADDRESSES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_LANE_ADDRESSES_INL
#undef TILESCOPE_PROFILER_SIMT_LANE_ADDRESSES_INL
#else
#define TILESCOPE_PROFILER_SIMT_LANE_ADDRESSES_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/memory/lane_access.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

// One piece of memory, and where in it each lane accesses.
struct Lanes {
  LaneMask exec = 0;
  Space space = Space::shared;
  std::byte* base = nullptr;
  // [B] from base. A lane that is not in exec has the offset of the first lane in exec: it may be read, and it does not
  // change comparisons over all lanes.
  alignas(64) std::uint32_t offset[lane_count];
  std::uint64_t origin = 0;  // The address of base, in its space.
};

// Offsets must fit in 31 bits, so that they can index vectors.
constexpr std::uint64_t largest_piece = std::uint64_t{1} << 31;

// address(lane) is an offset into a piece of `size` bytes, in 32 or 64 bits of wrapping arithmetic. False when a lane
// of exec accesses outside of it, or misaligned.
template <int bytes, class AddressOf>
HWY_INLINE bool find_in_piece(LaneMask exec, std::uint64_t size, AddressOf address, Lanes& lanes) {
  using Address = decltype(address(0));
  if (size < static_cast<std::uint64_t>(bytes)) return false;
  const Address limit = static_cast<Address>(size - bytes);
  Address outside = 0;
  if (exec == all_lanes) {
    for (int lane = 0; lane < lane_count; ++lane) {
      const Address at = address(lane);
      lanes.offset[lane] = static_cast<std::uint32_t>(at);
      outside |= (at & static_cast<Address>(bytes - 1)) | static_cast<Address>(at > limit ? 1 : 0);
    }
  } else {
    const Address first = address(std::countr_zero(exec));
    for (int lane = 0; lane < lane_count; ++lane) {
      const Address at = (exec >> lane & 1u) != 0 ? address(lane) : first;
      lanes.offset[lane] = static_cast<std::uint32_t>(at);
      outside |= (at & static_cast<Address>(bytes - 1)) | static_cast<Address>(at > limit ? 1 : 0);
    }
  }
  lanes.exec = exec;
  return outside == 0;
}

// An address operand: its register and what is added to it.
struct AddressOperand {
  Slot base = no_slot;
  std::int64_t offset = 0;
};

template <class Address, int bytes>
HWY_INLINE bool find_shared(Warp& warp, LaneMask exec, AddressOperand operand, std::uint64_t window,
                            Lanes& lanes) {
  const auto shared = warp.block().shared;
  const Address* base = warp.read<Address>(operand.base);
  const Address offset = static_cast<Address>(static_cast<std::uint64_t>(operand.offset) - window);
  lanes.space = Space::shared;
  lanes.base = shared.data();
  lanes.origin = 0;
  return find_in_piece<bytes>(
      exec, shared.size(), [=](int lane) { return static_cast<Address>(base[lane] + offset); }, lanes);
}

template <int bytes, bool is_store>
HWY_INLINE bool find_global(Warp& warp, LaneMask exec, AddressOperand operand, Lanes& lanes) {
  const std::uint64_t* base = warp.read<std::uint64_t>(operand.base);
  const std::uint64_t first = base[std::countr_zero(exec)] + static_cast<std::uint64_t>(operand.offset);
  const Allocation* allocation = warp.block().global->find(first, bytes);
  if (allocation == nullptr || allocation->bytes > largest_piece) return false;
  if (is_store && allocation->read_only) return false;
  lanes.space = Space::global;
  lanes.base = allocation->data;
  lanes.origin = allocation->address;
  // Allocations begin at multiples of 256: an offset is as aligned as its address.
  const std::uint64_t offset = static_cast<std::uint64_t>(operand.offset) - allocation->address;
  return find_in_piece<bytes>(
      exec, allocation->bytes, [=](int lane) { return base[lane] + offset; }, lanes);
}

template <class Address, int bytes>
HWY_INLINE bool find_local(Warp& warp, LaneMask exec, AddressOperand operand, std::uint64_t window,
                           Lanes& lanes) {
  const Block& block = warp.block();
  const std::uint32_t size = block.program->local_bytes;
  if (std::uint64_t{size} * lane_count > largest_piece) return false;
  const Address* base = warp.read<Address>(operand.base);
  const Address offset = static_cast<Address>(static_cast<std::uint64_t>(operand.offset) - window);
  lanes.space = Space::local;
  lanes.base = block.local.data() + std::uint64_t{warp.first_thread()} * size;
  lanes.origin = 0;
  if (!find_in_piece<bytes>(
          exec, size, [=](int lane) { return static_cast<Address>(base[lane] + offset); }, lanes)) {
    return false;
  }
  // Each thread has its own memory; inactive lanes read the first active lane's.
  const auto first = static_cast<std::uint32_t>(std::countr_zero(exec));
  for (std::uint32_t lane = 0; lane < lane_count; ++lane) {
    lanes.offset[lane] += size * ((exec >> lane & 1u) != 0 ? lane : first);
  }
  return true;
}

template <int bytes>
HWY_INLINE bool find_parameter(Warp& warp, LaneMask exec, AddressOperand operand, Lanes& lanes) {
  const auto& parameters = warp.block().launch->parameters;
  const std::uint64_t* base = warp.read<std::uint64_t>(operand.base);
  const auto offset = static_cast<std::uint64_t>(operand.offset);
  lanes.space = Space::param;
  lanes.base = const_cast<std::byte*>(parameters.data());  // only ever read
  lanes.origin = 0;
  return find_in_piece<bytes>(
      exec, parameters.size(), [=](int lane) { return base[lane] + offset; }, lanes);
}

// The window of the first lane's address decides. Lanes in another window are found to be outside.
template <int bytes, bool is_store>
HWY_INLINE bool find_generic(Warp& warp, LaneMask exec, AddressOperand operand, Lanes& lanes) {
  const std::uint64_t* base = warp.read<std::uint64_t>(operand.base);
  const std::uint64_t first = base[std::countr_zero(exec)] + static_cast<std::uint64_t>(operand.offset);
  if (first - shared_window < window_bytes) {
    return find_shared<std::uint64_t, bytes>(warp, exec, operand, shared_window, lanes);
  }
  if (first - local_window < window_bytes) {
    return find_local<std::uint64_t, bytes>(warp, exec, operand, local_window, lanes);
  }
  if (first - param_window < window_bytes) return false;
  return find_global<bytes, is_store>(warp, exec, operand, lanes);
}

// Reports them to the observer.
inline HWY_NOINLINE void tell(Warp& warp, const Instruction& i, Access access, const Lanes& lanes,
                              std::size_t lane_bytes, std::size_t element_bytes,
                              const std::uint64_t* source_addresses = nullptr, LaneMask source_lanes = 0) {
  alignas(64) std::uint64_t addresses[lane_count];
  if (lanes.space == Space::local) {
    const std::uint32_t size = warp.block().program->local_bytes;
    for (std::uint32_t lane = 0; lane < lane_count; ++lane)
      addresses[lane] = lanes.offset[lane] - lane * size;
  } else {
    for (int lane = 0; lane < lane_count; ++lane) addresses[lane] = lanes.origin + lanes.offset[lane];
  }
  warp.block().observer->access(warp, {.instruction = &i,
                                       .space = lanes.space,
                                       .access = access,
                                       .lane_bytes = static_cast<std::uint8_t>(lane_bytes),
                                       .element_bytes = static_cast<std::uint8_t>(element_bytes),
                                       .lanes = lanes.exec,
                                       .addresses = addresses,
                                       .source_addresses = source_addresses,
                                       .source_lanes = source_lanes});
}

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
