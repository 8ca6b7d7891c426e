#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/move_family.hpp"
#include "profiler/execution/simt/block.hpp"

// Loads from constant banks whose address is not known before the launch, or which are not of whole words.
namespace tilescope::sass {
namespace {

using simt::lane_count;
using simt::Warp;

// `flags` of such a load: an 8-bit or 16-bit number that is extended by its sign.
constexpr std::uint8_t signed_flag = 1;

// Bytes behind the bank's end are 0.
std::uint64_t bytes_at(std::span<const std::byte> bank, std::uint32_t address, std::size_t bytes) {
  std::uint64_t value = 0;
  if (address >= bank.size()) return value;
  std::memcpy(&value, bank.data() + address, std::min(bytes, bank.size() - address));
  return value;
}

std::uint32_t extended(std::uint32_t value, std::uint32_t bytes, bool with_sign) {
  const std::uint32_t unused = bytes < 4 ? 32 - 8 * bytes : 0;
  const auto sign = static_cast<std::uint32_t>(static_cast<std::int32_t>(value << unused) >> unused);
  return with_sign ? sign : value;
}

// The variable that the load's own offset lies in: the array that is indexed. nullptr where it lies in none, or in a
// single value, which an index may be counted from.
const simt::ConstantVariable* variable_of(const simt::Program& program, const simt::Instruction& i) {
  constexpr std::uint32_t single_value = 8;
  const auto offset = static_cast<std::uint32_t>(i.immediate);
  for (const simt::ConstantVariable& variable : program.constant_variables) {
    if (variable.bank == i.count && offset - variable.offset < variable.bytes)
      return variable.bytes > single_value ? &variable : nullptr;
  }
  return nullptr;
}

// The variable that has all bytes of the access; nullptr for none.
const simt::ConstantVariable* variable_at(const simt::Program& program, std::uint32_t bank,
                                          std::uint32_t address, std::uint32_t bytes) {
  for (const simt::ConstantVariable& variable : program.constant_variables) {
    const std::uint32_t into = address - variable.offset;
    if (variable.bank == bank && into < variable.bytes && bytes <= variable.bytes - into) return &variable;
  }
  return nullptr;
}

// Whether a lane reads behind the end of the array, or where the bank has no variable. A register may hold the address
// of another array, and the load's own offset may be an element's: the read then belongs to that array.
bool is_outside(const simt::Program& program, const simt::Instruction& i,
                const simt::ConstantVariable* variable, std::uint32_t address) {
  const simt::ConstantVariable* read = variable_at(program, i.count, address, i.width);
  if (read == nullptr) return true;
  const auto offset = static_cast<std::uint32_t>(i.immediate);
  if (variable == nullptr || offset != variable->offset || address < variable->offset + variable->bytes)
    return false;
  return !read->may_be_in_register || address - offset < read->offset;
}

// Raises a fault for the first lane that is outside, as for variables in memory.
void check_variables(Warp& warp, const simt::Instruction& i) {
  const simt::Block& block = warp.block();
  const simt::Program& program = *block.program;
  if (!std::ranges::any_of(program.constant_variables,
                           [&](const auto& variable) { return variable.bank == i.count; }))
    return;
  const simt::ConstantVariable* variable = variable_of(program, i);
  const auto* index = warp.read<std::uint32_t>(i.a);
  for (simt::LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = simt::first_lane(rest);
    const std::uint32_t address = index[lane] + static_cast<std::uint32_t>(i.immediate);
    if (!is_outside(program, i, variable, address)) continue;
    simt::Fault fault;
    fault.kind = simt::FaultKind::out_of_bounds;
    fault.origin = i.origin;
    fault.block = {block.index.x, block.index.y, block.index.z};
    fault.thread = warp.first_thread() + static_cast<std::uint32_t>(lane);
    fault.address = address;
    const std::string beside = variable == nullptr
                                   ? "where no __constant__ variable lies"
                                   : fmt::format("at byte {} of '{}', which has {}",
                                                 static_cast<std::int32_t>(address - variable->offset),
                                                 variable->name, variable->bytes);
    fault.text = fmt::format(
        "Thread {} of block ({}, {}, {}) reads {} bytes at constant address {:#x} ({}): {}: check the index "
        "and "
        "the bounds test before it.",
        fault.thread, block.index.x, block.index.y, block.index.z, unsigned{i.width}, address,
        simt::describe_place(program, i), beside);
    return warp.block().raise(std::move(fault));
  }
}

// From bank `count` at `a` + `immediate`, `width` bytes.
void load_constant(Warp& warp, const simt::Instruction& i) {
  if (!warp.block().program->constant_variables.empty()) check_variables(warp, i);
  const std::span<const std::byte> bank = warp.block().bank(i.count);
  const auto* index = warp.read<std::uint32_t>(i.a);
  if (simt::Observer* observer = warp.block().observer; observer != nullptr)
    observer->constant_load(warp, i, std::span<const std::uint32_t, lane_count>(index, lane_count));
  auto* d = warp.write<std::uint32_t>(i.d);
  auto* high = warp.write<std::uint32_t>(i.d + (i.width == 8 ? RegisterSlots::step : 0));
  for (int lane = 0; lane < lane_count; ++lane) {
    if ((warp.exec >> lane & 1u) == 0) continue;
    const std::uint32_t address = index[lane] + static_cast<std::uint32_t>(i.immediate);
    const std::uint64_t value = bytes_at(bank, address, i.width);
    d[lane] = extended(static_cast<std::uint32_t>(value), i.width, (i.flags & signed_flag) != 0);
    if (i.width == 8) high[lane] = static_cast<std::uint32_t>(value >> 32);
  }
}

// Words at a known place, which are among the program's constants.
template <int words>
void copy_words(Warp& warp, const simt::Instruction& i) {
  for (int k = 0; k < words; ++k) {
    const auto* from = warp.read<std::uint32_t>(i.a + k * RegisterSlots::step);
    auto* to = warp.write<std::uint32_t>(i.d + k * RegisterSlots::step);
    for (int lane = 0; lane < lane_count; ++lane) {
      to[lane] = (warp.exec >> lane & 1u) != 0 ? from[lane] : to[lane];
    }
  }
}

struct Width {
  std::string_view name;
  std::uint8_t bytes = 4;
  bool with_sign = false;
};
constexpr Width widths[] = {{"64", 8}, {"U8", 1}, {"S8", 1, true}, {"U16", 2}, {"S16", 2, true}};

}  // namespace

void decode_constant_load(Decoder& decoder, simt::Instruction& instruction) {
  Width width{"", 4};
  for (const Width& named : widths) {
    if (decoder.take(named.name)) width = named;
  }
  const int words = width.bytes == 8 ? 2 : 1;
  act_uniformly(decoder, instruction);
  instruction.d = decoder.write(0, words);
  const Operand& source = decoder.operand(1);
  if (source.kind != Operand::Kind::constant || source.has_sign() || !source.selector.empty()) {
    decoder.unsupported("its source is no constant");
  }
  const AddressText& address = source.address;
  const bool is_indexed = (address.reg != no_register && address.reg != zero_register) ||
                          (address.uniform != no_register && address.uniform != zero_uniform);
  const bool is_plain = address.reg == no_register && address.uniform == no_register;
  if (is_plain && width.bytes >= 4 && address.offset % 4 == 0) {
    instruction.a = (words == 2 ? decoder.source64(1) : decoder.source(1)).slot;
    instruction.execute = words == 2 ? copy_words<2> : copy_words<1>;
    return;
  }
  decoder.take_operand(1);
  if (address.reg_is_pair || address.reg_is_unsigned || address.uniform_is_pair || address.scale != 1) {
    decoder.unsupported("this address of a constant");
  }
  if (address.reg != no_register && address.uniform != no_register) decoder.unsupported("two indices");
  instruction.a = decoder.zero();
  if (is_indexed) {
    instruction.a = address.reg != no_register ? decoder.slots().reg(address.reg)
                                               : decoder.slots().uniform(address.uniform);
    if (address.reg != no_register && address.reg >= decoder.slots().registers()) {
      decoder.unsupported("its index is behind the kernel's registers");
    }
  }
  instruction.immediate = address.offset;
  instruction.count = static_cast<std::uint8_t>(source.bank);
  instruction.width = width.bytes;
  instruction.flags = width.with_sign ? signed_flag : 0;
  instruction.execute = load_constant;
}

}  // namespace tilescope::sass
