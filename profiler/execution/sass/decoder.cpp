#include "profiler/execution/sass/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope::sass {
namespace {

using Kind = Operand::Kind;

std::vector<std::string_view> words_of(std::string_view opcode) {
  std::vector<std::string_view> words;
  while (!opcode.empty()) {
    const std::size_t end = std::min(opcode.find('.'), opcode.size());
    words.push_back(opcode.substr(0, end));
    opcode.remove_prefix(std::min(end + 1, opcode.size()));
  }
  return words;
}

// Instructions of hardware that is not interpreted, by the beginnings of their names; "" for any other.
std::string_view why_left_out(std::string_view opcode) {
  using Family = std::pair<std::string_view, std::string_view>;
  constexpr std::string_view
      texture = "it reads a texture, and textures are not executed here",
      surface = "it accesses a surface, and surfaces are not executed here",
      warp_group =
          "tensor instructions of warp groups (wgmma), which GPUs of sm_90 alone have, are "
          "not executed here: compile it for sm_80 or sm_89",
      bulk_copy =
          "bulk copies by the tensor memory accelerator (TMA) are not executed here: compile "
          "it for sm_80 or sm_89";
  constexpr std::array<Family, 15> families = {{{"TEX", texture},
                                                {"TLD", texture},
                                                {"TXD", texture},
                                                {"TXQ", texture},
                                                {"TMML", texture},
                                                {"SULD", surface},
                                                {"SUST", surface},
                                                {"SURED", surface},
                                                {"SUATOM", surface},
                                                {"WARPGROUP", warp_group},
                                                {"HGMMA", warp_group},
                                                {"IGMMA", warp_group},
                                                {"QGMMA", warp_group},
                                                {"BGMMA", warp_group},
                                                {"UTMA", bulk_copy}}};
  const auto* const found =
      std::ranges::find_if(families, [&](const Family& family) { return opcode.starts_with(family.first); });
  return found == families.end() ? std::string_view() : found->second;
}

}  // namespace

Decoder::Decoder(const Instruction& text, const InstructionWord& word, DecodeState& state)
    : text_(text), word_(word), state_(state), parts_{words_of(text.opcode), {}} {
  if (const std::string_view why = why_left_out(text.opcode); !why.empty()) unsupported(std::string(why));
  if (parts_.words.size() > 64 || text.operands.size() > 64) unsupported("it is too long");
  for (const std::string& operand : text.operands) {
    auto parsed = parse_operand(operand);
    if (!parsed) unsupported("its operand '" + operand + "' is not known");
    parts_.operands.push_back(std::move(*parsed));
  }
}

const Opcode& Decoder::known_opcode() const {
  const Opcode* known = find_opcode(opcode());
  if (known == nullptr) unsupported("the instruction is not known");
  return *known;
}

bool Decoder::take(std::string_view modifier) {
  for (std::size_t i = 1; i < parts_.words.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if ((words_taken_ & bit) != 0 || parts_.words[i] != modifier) continue;
    words_taken_ |= bit;
    return true;
  }
  return false;
}

std::string_view Decoder::take_next() {
  for (std::size_t i = 1; i < parts_.words.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if ((words_taken_ & bit) != 0) continue;
    words_taken_ |= bit;
    return parts_.words[i];
  }
  return "";
}

const Operand& Decoder::operand(std::size_t index) const {
  if (index >= parts_.operands.size()) unsupported(fmt::format("operand {} is missing", index + 1));
  return parts_.operands[index];
}

const Operand& Decoder::take_operand(std::size_t index) {
  const Operand& taken = operand(index);
  operands_taken_ |= std::uint64_t{1} << index;
  return taken;
}

// Throws for registers behind the last one that the kernel has.
simt::Slot Decoder::register_slot(const Operand& operand, int count) const {
  if (operand.index == zero_register) return state_.registers.sink();
  if (operand.index + count > state_.registers.registers()) {
    unsupported(fmt::format("R{} is behind the last of the kernel's {} registers", operand.index + count - 1,
                            state_.registers.registers()));
  }
  return state_.registers.reg(operand.index);
}

simt::Slot Decoder::constant_slot(const Operand& operand, int words) {
  const AddressText& address = operand.address;
  if (address.reg != no_register || address.uniform != no_register) unsupported("an indexed constant");
  if (address.offset < 0 || address.offset > 0xffff || address.offset % 4 != 0) {
    unsupported("this place in the constant bank");
  }
  return state_.constants.bank_words(operand.bank, static_cast<std::uint32_t>(address.offset), words);
}

// A value of one or two words; see source() and source64().
Decoder::Source Decoder::value(std::size_t index, int words) {
  const Operand& operand = take_operand(index);
  Source source;
  source.is_negated = operand.is_negated;
  source.is_absolute = operand.is_absolute;
  source.is_inverted = operand.is_inverted;
  source.selector = operand.selector;
  const auto literal = [&](std::uint64_t bits) {
    return words == 1 ? constant(static_cast<std::uint32_t>(bits)) : state_.constants.value64(bits);
  };
  switch (operand.kind) {
    case Kind::reg:
      source.slot = operand.index == zero_register ? zero() : register_slot(operand, words);
      break;
    case Kind::uniform:
      source.slot = operand.index == zero_uniform ? zero() : state_.registers.uniform(operand.index);
      if (words == 2 && operand.index + 1 == zero_uniform)
        unsupported("a pair behind the last uniform register");
      break;
    case Kind::integer:
      source.slot = literal(static_cast<std::uint64_t>(operand.value));
      break;
    case Kind::real:
      source.slot = literal(words == 1 ? immediate_bits() : std::uint64_t{immediate_bits()} << 32);
      break;
    case Kind::constant:
      source.slot = constant_slot(operand, words);
      break;
    default:
      unsupported(fmt::format("operand {} is none that has a value of {} bits", index + 1, 32 * words));
  }
  if (operand.is_not) unsupported("a predicate's sign");
  return source;
}

simt::Slot Decoder::without_sign(const Source& read, std::size_t index) const {
  if (read.is_negated || read.is_absolute || read.is_inverted || !read.selector.empty()) {
    unsupported(fmt::format("the sign or the part of operand {}", index + 1));
  }
  return read.slot;
}

Decoder::Source Decoder::source(std::size_t index) {
  return value(index, 1);
}
Decoder::Source Decoder::source64(std::size_t index) {
  return value(index, 2);
}
simt::Slot Decoder::plain(std::size_t index) {
  return without_sign(source(index), index);
}
simt::Slot Decoder::plain64(std::size_t index) {
  return without_sign(source64(index), index);
}

Decoder::Source Decoder::real(std::size_t index) {
  if (!is(index, Kind::integer)) return source(index);
  take_operand(index);
  Source source;
  source.slot = constant(immediate_bits());
  return source;
}

Decoder::Source Decoder::real64(std::size_t index) {
  if (!is(index, Kind::integer)) return source64(index);
  take_operand(index);
  Source source;
  source.slot = state_.constants.value64(std::uint64_t{immediate_bits()} << 32);
  return source;
}

simt::Slot Decoder::registers(std::size_t index, int count, std::string_view selector) {
  const Operand& operand = take_operand(index);
  if (operand.kind != Kind::reg || operand.has_sign() || operand.selector != selector) {
    unsupported(fmt::format("operand {} is no register", index + 1));
  }
  return operand.index == zero_register ? zero() : register_slot(operand, count);
}

simt::Slot Decoder::packed_halves(std::size_t index) {
  take_operand(index);
  take_operand(index + 1);
  return constant(immediate_bits());
}

simt::Slot Decoder::write(std::size_t index, int count) {
  const Operand& operand = take_operand(index);
  if (operand.has_sign() || !operand.selector.empty()) unsupported("the sign or the part of a result");
  if (operand.kind == Kind::reg) return register_slot(operand, count);
  if (operand.kind != Kind::uniform) unsupported(fmt::format("operand {} is no register", index + 1));
  if (operand.index != zero_uniform && operand.index + count > zero_uniform) {
    unsupported("results behind the last uniform register");
  }
  return state_.registers.uniform(operand.index);
}

bool Decoder::is_uniform() const {
  return is(0, Kind::uniform) || is(0, Kind::uniform_predicate);
}

Decoder::Predicate Decoder::predicate(std::size_t index) {
  const Operand& operand = take_operand(index);
  const bool is_uniform = operand.kind == Kind::uniform_predicate;
  if (!is_uniform && operand.kind != Kind::predicate) {
    unsupported(fmt::format("operand {} is no predicate", index + 1));
  }
  if (operand.index == true_predicate) return {state_.constants.predicate(true), operand.is_not};
  return {is_uniform ? state_.registers.uniform_predicate(operand.index)
                     : state_.registers.predicate(operand.index),
          operand.is_not};
}

simt::Slot Decoder::write_predicate(std::size_t index) {
  const Operand& operand = take_operand(index);
  if (operand.has_sign()) unsupported("the sign of a result");
  if (operand.kind == Kind::predicate) return state_.registers.predicate(operand.index);
  if (operand.kind == Kind::uniform_predicate) return state_.registers.uniform_predicate(operand.index);
  unsupported(fmt::format("operand {} is no predicate", index + 1));
}

bool Decoder::is_true(std::size_t index) const {
  const Operand& one = operand(index);
  const bool is_predicate = one.kind == Kind::predicate || one.kind == Kind::uniform_predicate;
  return is_predicate && one.index == true_predicate && !one.is_not;
}

std::int64_t Decoder::integer(std::size_t index) {
  const Operand& operand = take_operand(index);
  if (operand.kind != Kind::integer) unsupported(fmt::format("operand {} is no number", index + 1));
  return operand.value;
}

void Decoder::more_operands(simt::Instruction& instruction, std::span<const simt::Slot> slots) {
  instruction.operands = static_cast<std::uint32_t>(state_.operands.size());
  instruction.operand_count = static_cast<std::uint16_t>(slots.size());
  state_.operands.insert(state_.operands.end(), slots.begin(), slots.end());
}

void Decoder::note_shared_element(int bytes) {
  state_.shared_grain = std::min(state_.shared_grain, static_cast<std::uint32_t>(bytes));
}

void Decoder::unsupported(const std::string& why) const {
  throw Unsupported(fmt::format("the machine code '{}' at address {:#06x} is not executed: {}",
                                text_of(text_), text_.address, why));
}

void Decoder::check_all_taken() const {
  for (std::size_t i = 1; i < parts_.words.size(); ++i) {
    if ((words_taken_ >> i & 1u) == 0)
      unsupported("its modifier '." + std::string(parts_.words[i]) + "' is not known");
  }
  for (std::size_t i = 0; i < parts_.operands.size(); ++i) {
    if ((operands_taken_ >> i & 1u) == 0) unsupported(fmt::format("operand {} is not expected", i + 1));
  }
}

}  // namespace tilescope::sass
