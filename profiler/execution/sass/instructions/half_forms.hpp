#pragma once

#include <cstddef>
#include <cstdint>

#include "profiler/execution/sass/instructions/float_forms.hpp"

namespace tilescope::sass {

/// A source of packed halves in Instruction::immediate, four bits each, the first lowest: its signs as in
/// float_forms.hpp, then which halves are read.
enum class HalfPart : std::uint8_t { both, low_twice, high_twice };
inline constexpr int half_source_bits = 4;

/// Reads the source in operand `operand`, or two 16-bit immediates in it and the next, and keeps the way it
/// is read for source `index`. Returns the number of operands.
inline std::size_t read_halves(Decoder& decoder, simt::Instruction& instruction, simt::Slot& slot,
                               std::size_t operand, int index) {
  if (decoder.is(operand, Operand::Kind::real) || decoder.is(operand, Operand::Kind::integer)) {
    slot = decoder.packed_halves(operand);
    return 2;
  }
  const Decoder::Source source = decoder.source(operand);
  check_real(decoder, source, true);
  HalfPart part = HalfPart::both;
  if (source.selector == "H0_H0") {
    part = HalfPart::low_twice;
  } else if (source.selector == "H1_H1") {
    part = HalfPart::high_twice;
  } else if (!source.selector.empty() && source.selector != "H1_H0") {
    decoder.unsupported("the part of a source is not known");
  }
  const int bits = (source.is_absolute ? absolute_sign : 0) | (source.is_negated ? negated_sign : 0) |
                   static_cast<int>(part) << sign_bits;
  instruction.immediate |= static_cast<std::int64_t>(bits) << (half_source_bits * index);
  slot = source.slot;
  return 1;
}

}  // namespace tilescope::sass
