#include "profiler/execution/sass/code_sections.hpp"

#include <fmt/format.h>

#include <utility>

#include "profiler/execution/sass/cubin_error.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope::sass {
namespace {

// "_Z4halff" of "`(_Z4halff)", "32@lo(_Z4halff)" and "32@lo((_Z4halff + .L_x_2@srel))"; "" for other operands.
std::string_view named_in(std::string_view operand) {
  if (!operand.starts_with("`(") && !operand.starts_with("32@")) return "";
  operand.remove_prefix(operand.find('(') + 1);
  if (operand.starts_with('(')) operand.remove_prefix(1);
  return operand.substr(0, operand.find_first_of(" )"));
}

bool calls_indirectly(const Instruction& one) {
  return one.opcode.starts_with("CALL") && !one.operands.empty() && named_in(one.operands.back()).empty();
}

}  // namespace

CodeSections::CodeSections(const Cubin& cubin, const CubinKernel& kernel, const Disassembly& disassembly)
    : cubin_(cubin), kernel_(kernel) {
  add(disassembly, cubin.functions[kernel.function]);
  for (const CubinFunction& function : cubin.functions) {
    if (!function.is_kernel) add(disassembly, function);
  }
  reach(0);
}

// Marks a section and those that its code names. A call through a register may go to every function of which data has
// the address.
void CodeSections::reach(std::size_t index) {
  if (std::exchange(sections_[index].is_reached, true)) return;
  for (const Instruction& one : sections_[index].text->instructions) {
    for (const std::string& operand : one.operands) {
      if (const std::string_view name = named_in(operand); !name.empty()) reach(name);
    }
    if (calls_indirectly(one) && !std::exchange(reaches_addresses_, true)) reach_addresses();
  }
}

void CodeSections::reach(std::string_view name) {
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    if (sections_[i].code->name == name) return reach(i);
  }
}

void CodeSections::reach_addresses() {
  const auto reach_symbols = [&](const DataSection& data) {
    for (const Relocation& relocation : data.relocations) {
      const CubinSymbol& symbol = cubin_.symbols.at(relocation.symbol);
      if (symbol.kind == SymbolKind::function) reach(symbol.name);
    }
  };
  for (const DataSection& section : cubin_.global_sections) reach_symbols(section);
  for (const ConstantBank& bank : cubin_.constant_banks) {
    if (cubin_.constant_bank(bank.number, kernel_.name) == &bank) reach_symbols(bank.data);
  }
}

void CodeSections::add(const Disassembly& disassembly, const CubinFunction& code) {
  const Function* text = disassembly.find(code.name);
  if (text == nullptr) throw CubinError("the disassembly has no function '" + code.name + "'");
  for (const Instruction& one : text->instructions) {
    if (one.address % simt::Program::instruction_bytes != 0 ||
        one.address / simt::Program::instruction_bytes >= code.words.size()) {
      throw CubinError(fmt::format("the instruction at {:#06x} is outside of '{}'", one.address, code.name));
    }
  }
  sections_.push_back({text, &code, next_base_, false});
  next_base_ += static_cast<std::uint32_t>(code.bytes());
  for (const Label& label : text->labels) {
    const bool is_end = label.before >= text->instructions.size();
    const std::uint64_t address = is_end ? code.bytes() : text->instructions[label.before].address;
    labels_.emplace(label.name, sections_.back().base + static_cast<std::uint32_t>(address));
  }
  labels_.emplace(code.name, sections_.back().base);
}

}  // namespace tilescope::sass
