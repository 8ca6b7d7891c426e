#pragma once

#include <array>
#include <cstdint>

#include "profiler/execution/sass/decoder.hpp"
#include "profiler/execution/simt/address_space.hpp"
#include "profiler/execution/simt/memory/lane_access.hpp"
#include "profiler/execution/simt/warp.hpp"

namespace tilescope::sass {

/// The address of a memory instruction, as it is executed: (low, high) << shift + uniform + offset. Instruction::operands
/// has the `count` registers of the data first, then the address.
struct AddressSlots {
  /// Words of the address's register; of uniform ones. The zero constant stands for what there is not.
  simt::Slot low = simt::no_slot, high = simt::no_slot;
  simt::Slot uniform_low = simt::no_slot, uniform_high = simt::no_slot;
  int shift = 0;
  /// [B]
  std::int64_t offset = 0;

  /// Offset added to all lanes' registers.
  std::uint64_t added(const simt::Warp& warp) const {
    const std::uint64_t uniform =
        *warp.read<std::uint32_t>(uniform_low) | std::uint64_t{*warp.read<std::uint32_t>(uniform_high)} << 32;
    return uniform + static_cast<std::uint64_t>(offset);
  }
};

/// The number of slots that an address takes among the operands.
inline constexpr int address_operands = 4;

/// Appends the address operand `index` to `slots`; the shift goes to `shift`, the offset is returned.
std::int64_t decode_address(Decoder& decoder, std::size_t index, std::vector<simt::Slot>& slots,
                            std::uint8_t& shift);

/// The address behind an instruction's data registers; `width` has the shift, `immediate` the offset.
inline AddressSlots address_of(const simt::Warp& warp, const simt::Instruction& i) {
  const simt::Slot* at = warp.operands(i) + i.count;
  return {at[0], at[1], at[2], at[3], i.width, i.immediate};
}

/// All 32 addresses in a space of 32-bit addresses (shared, local), or in 64 bits.
std::array<std::uint64_t, simt::lane_count> addresses_32(const simt::Warp& warp, const AddressSlots& address);
std::array<std::uint64_t, simt::lane_count> addresses_64(const simt::Warp& warp, const AddressSlots& address);
/// The addresses of an access to `space`. Generic ones in the shared window lose the reserved bytes before shared memory.
std::array<std::uint64_t, simt::lane_count> addresses_in(const simt::Warp& warp, const AddressSlots& address,
                                                         simt::Space space);

/// Consumes modifiers that do not change what a load, a store or an atomic does here: cache hints, orders and scopes.
void take_cache_and_order(Decoder& decoder);

}  // namespace tilescope::sass
