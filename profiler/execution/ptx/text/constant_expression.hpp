#pragma once

#include <cstdint>

#include "profiler/execution/ptx/text/lexer.hpp"

namespace tilescope::ptx {

/// An integer constant: 64 bits, read as signed unless `is_unsigned` (PTX ISA, "Constant Expressions").
struct ConstantInteger {
  std::uint64_t bits = 0;
  bool is_unsigned = false;
};

/// An integer, or a real: an IEEE float (`is_single`) or double.
struct ConstantNumber {
  std::uint64_t bits = 0;
  bool is_unsigned = false;
  bool is_real = false;
  bool is_single = false;
};

/// Reads a constant integer expression as in C, with WARP_SZ. Throws PtxError for anything else, for a division by
/// zero, a shift past the width and for nesting deeper than 64.
ConstantInteger read_constant(Lexer& lexer);
/// Reads a constant integer, or one real number with or without a sign. `is_negative`: its minus has already been read.
ConstantNumber read_number(Lexer& lexer, bool is_negative = false);
/// Reads the sum that follows a base: "+4", "-8", "+-4", "+4*2", or nothing, which is 0.
std::int64_t read_offset(Lexer& lexer);
/// Reads a constant between 0 and `most`; `what` names it in errors.
std::uint64_t read_count(Lexer& lexer, std::uint64_t most, std::string_view what);

}  // namespace tilescope::ptx
