#include "profiler/execution/sass/constant_addresses.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "profiler/execution/sass/operand.hpp"

namespace tilescope::sass {
namespace {

// The word at a fixed place of a bank that has no variables; none for other operands.
std::optional<std::uint32_t> pooled_word(const simt::Program& program, const Operand& operand) {
  const AddressText& address = operand.address;
  const bool is_fixed = address.reg == no_register && address.uniform == no_register;
  if (operand.kind != Operand::Kind::constant || !is_fixed || operand.bank >= program.constant_banks.size())
    return std::nullopt;
  const std::span<const std::byte> bank(program.constant_banks[operand.bank]);
  const bool has_variables = std::ranges::any_of(
      program.constant_variables, [&](const auto& variable) { return variable.bank == operand.bank; });
  const auto offset = static_cast<std::uint64_t>(address.offset);
  std::uint32_t word = 0;
  if (has_variables || offset > bank.size() || bank.size() - offset < sizeof word) return std::nullopt;
  std::memcpy(&word, bank.data() + offset, sizeof word);
  return word;
}

// Opcodes that move numbers or compute addresses; the numbers of others are masks, shifts and tables of logic.
constexpr std::string_view makers[] = {"MOV",  "UMOV",  "IMAD", "UIMAD", "IADD3", "UIADD3",
                                       "IADD", "VIADD", "ULEA", "LEA",   "SEL",   "USEL"};

}  // namespace

void ConstantAddresses::add(const simt::Program& program, const InstructionParts& parts) {
  if (program.constant_variables.size() < 2 || std::ranges::find(makers, parts.words[0]) == std::end(makers))
    return;
  for (const Operand& operand : parts.operands) {
    if (operand.kind == Operand::Kind::integer) numbers_.push_back(operand.value);
    if (const auto word = pooled_word(program, operand)) numbers_.push_back(*word);
  }
}

void ConstantAddresses::mark(simt::Program& program) const {
  for (simt::ConstantVariable& variable : program.constant_variables) {
    const std::int64_t first = variable.offset, end = first + variable.bytes;
    variable.may_be_in_register = first == 0 || std::ranges::any_of(numbers_, [&](std::int64_t number) {
                                    return number >= first && number < end;
                                  });
  }
}

}  // namespace tilescope::sass
