#pragma once

#include <string_view>

#include "profiler/execution/ptx/text/reading.hpp"

namespace tilescope::ptx {

/// Reads the operands of instructions. An unknown name is taken for a label: its `index` stays no_index until its scope
/// ends.
class OperandReader {
 public:
  OperandReader(Reading& reading, Function& function) : reading_(reading), function_(function) {}

  /// Reads one operand; with `is_call` a list in parentheses is one too.
  OperandSyntax read(bool is_call) { return read_operand(0, is_call); }
  /// "%p" or "!%p" after an "@": the index of the register, and whether it is negated.
  std::uint32_t read_guard(bool& negated);

 private:
  OperandSyntax read_operand(int nesting, bool is_call);
  OperandSyntax read_single(int nesting, bool is_call);
  OperandSyntax read_list(int nesting, char end);
  OperandSyntax read_address(int nesting);
  OperandSyntax read_signed(char sign);
  OperandSyntax read_number_operand(bool is_negative, Position position);
  OperandSyntax read_named(int nesting);
  OperandSyntax read_special(const Token& token);
  OperandSyntax read_vector(const Token& name, const Meaning& vector);
  OperandSyntax register_or_variable(const Token& name, const Meaning& meaning, int nesting);
  OperandSyntax begin(OperandSyntax::Kind kind) const;

  Reading& reading_;
  Function& function_;
};

}  // namespace tilescope::ptx
