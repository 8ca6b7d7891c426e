#include "profiler/execution/sass/instructions/memory_address.hpp"

#include "profiler/execution/simt/block.hpp"

namespace tilescope::sass {

std::int64_t decode_address(Decoder& decoder, std::size_t index, std::vector<simt::Slot>& slots,
                            std::uint8_t& shift) {
  const Operand& operand = decoder.take_operand(index);
  if (operand.kind != Operand::Kind::address || operand.has_sign())
    decoder.unsupported("an operand that is no address");
  const AddressText& address = operand.address;
  const RegisterSlots& registers = decoder.slots();
  const auto word = [&](int reg) {
    if (reg == no_register || reg == zero_register) return decoder.zero();
    if (reg >= registers.registers()) decoder.unsupported("a register behind the kernel's last one");
    return registers.reg(reg);
  };
  const auto uniform = [&](int reg) {
    return reg == no_register || reg == zero_uniform ? decoder.zero() : registers.uniform(reg);
  };
  const bool has_high = address.reg_is_pair && address.reg != zero_register;
  slots.push_back(word(address.reg));
  slots.push_back(has_high ? word(address.reg + 1) : decoder.zero());
  slots.push_back(uniform(address.uniform));
  // A uniform register beside a pair or a zero-extended one is a pair itself.
  const bool has_high_uniform = address.uniform != no_register &&
                                (address.uniform_is_pair || address.reg_is_unsigned || address.reg_is_pair);
  slots.push_back(has_high_uniform ? uniform(address.uniform + 1) : decoder.zero());
  shift = static_cast<std::uint8_t>(address.scale == 1   ? 0
                                    : address.scale == 4 ? 2
                                    : address.scale == 8 ? 3
                                                         : 4);
  if (shift != 0 && address.reg_is_pair) decoder.unsupported("a scaled register pair");
  return address.offset;
}

void use_register_pair(const Decoder& decoder, std::size_t index, std::vector<simt::Slot>& slots) {
  const AddressText& text = decoder.operand(index).address;
  const bool is_register = text.reg != no_register && text.reg != zero_register;
  if (!is_register || text.reg_is_unsigned || text.uniform != no_register) return;
  if (text.reg + 1 >= decoder.slots().registers())
    decoder.unsupported("a register behind the kernel's last one");
  const std::size_t low = slots.size() - address_operands;
  slots[low + 1] = slots[low] + RegisterSlots::step;
}

std::array<std::uint64_t, simt::lane_count> addresses_32(const simt::Warp& warp,
                                                         const AddressSlots& address) {
  const auto* low = warp.read<std::uint32_t>(address.low);
  const auto added = static_cast<std::uint32_t>(address.added(warp));
  std::array<std::uint64_t, simt::lane_count> addresses;
  for (std::size_t lane = 0; lane < simt::lane_count; ++lane) {
    addresses[lane] = static_cast<std::uint32_t>((low[lane] << address.shift) + added);
  }
  return addresses;
}

std::array<std::uint64_t, simt::lane_count> addresses_64(const simt::Warp& warp,
                                                         const AddressSlots& address) {
  const auto* low = warp.read<std::uint32_t>(address.low);
  const auto* high = warp.read<std::uint32_t>(address.high);
  const std::uint64_t added = address.added(warp);
  std::array<std::uint64_t, simt::lane_count> addresses;
  for (std::size_t lane = 0; lane < simt::lane_count; ++lane) {
    addresses[lane] = ((low[lane] | std::uint64_t{high[lane]} << 32) << address.shift) + added;
  }
  return addresses;
}

std::array<std::uint64_t, simt::lane_count> addresses_in(const simt::Warp& warp, const AddressSlots& address,
                                                         simt::Space space) {
  if (space == simt::Space::shared || space == simt::Space::local) return addresses_32(warp, address);
  auto addresses = addresses_64(warp, address);
  if (space != simt::Space::generic) return addresses;
  const std::uint64_t reserved = warp.block().program->reserved_shared_bytes;
  for (std::uint64_t& one : addresses) {
    if (one - simt::shared_window < simt::window_bytes) one -= reserved;
  }
  return addresses;
}

void take_cache_and_order(Decoder& decoder) {
  for (const std::string_view hint :
       {"E",  "CONSTANT", "WEAK", "CTA", "SM",     "GPU",     "SYS",     "VC",      "EF",     "EL",
        "LU", "EU",       "NA",   "EN",  "LTC64B", "LTC128B", "LTC256B", "PRIVATE", "BYPASS", "ACCESS"}) {
    decoder.take(hint);
  }
  for (const std::string_view order : {"STRONG", "MMIO"}) {
    if (decoder.take(order)) decoder.data().is_strong = true;
  }
}

}  // namespace tilescope::sass
