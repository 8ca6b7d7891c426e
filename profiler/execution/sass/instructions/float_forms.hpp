#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "profiler/execution/sass/decoder.hpp"
#include "profiler/execution/simt/lanes/comparison.hpp"
#include "profiler/execution/simt/lanes/float_form.hpp"

/// Shared by the decoders of the floating-point families.
namespace tilescope::sass {

/// Signs of the sources in Instruction::count: two bits for each source, the first source's lowest.
inline constexpr int absolute_sign = 1, negated_sign = 2, sign_bits = 2;

/// Refuses what no floating-point source has.
inline void check_real(const Decoder& decoder, const Decoder::Source& source, bool has_selector = false) {
  if (source.is_inverted) decoder.unsupported("the complement of a number");
  if (!has_selector && !source.selector.empty()) decoder.unsupported("a part of a number");
}

/// Reads a source and keeps its signs for source `index`.
inline simt::Slot take_signs(simt::Instruction& instruction, const Decoder::Source& source, int index) {
  const int signs = (source.is_absolute ? absolute_sign : 0) | (source.is_negated ? negated_sign : 0);
  instruction.count = static_cast<std::uint8_t>(instruction.count | signs << (sign_bits * index));
  return source.slot;
}
inline simt::Slot read_real(Decoder& decoder, simt::Instruction& instruction, std::size_t operand,
                            int index) {
  const Decoder::Source source = decoder.real(operand);
  check_real(decoder, source);
  return take_signs(instruction, source, index);
}
inline simt::Slot read_real64(Decoder& decoder, simt::Instruction& instruction, std::size_t operand,
                              int index) {
  const Decoder::Source source = decoder.real64(operand);
  check_real(decoder, source);
  return take_signs(instruction, source, index);
}

inline simt::Rounding take_rounding(Decoder& decoder) {
  if (decoder.take("RZ")) return simt::Rounding::toward_zero;
  if (decoder.take("RM")) return simt::Rounding::down;
  if (decoder.take("RP")) return simt::Rounding::up;
  return simt::Rounding::nearest_even;
}
/// Takes the rounding of a conversion to integral values.
inline simt::Rounding take_integral_rounding(Decoder& decoder) {
  if (decoder.take("TRUNC")) return simt::Rounding::toward_zero;
  if (decoder.take("FLOOR")) return simt::Rounding::down;
  if (decoder.take("CEIL")) return simt::Rounding::up;
  return simt::Rounding::nearest_even;
}

/// Keeps the form as PTX instructions do: see FloatForm.
inline void keep_form(simt::Instruction& instruction, const simt::FloatForm& form) {
  instruction.flags = static_cast<std::uint8_t>((form.flush ? simt::flush_flag : 0) |
                                                (form.saturate ? simt::saturate_flag : 0) |
                                                (form.relu ? simt::relu_flag : 0));
  instruction.width = static_cast<std::uint8_t>(form.rounding);
}

/// Consumes the comparison's name: "NEU".
inline simt::Comparison take_comparison(Decoder& decoder) {
  std::string name(decoder.take_next());
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const simt::NamedComparison& named : simt::comparisons) {
    if (named.name == name) return named.of_numbers;
  }
  decoder.unsupported("its comparison is not known");
}

/// Consumes .AND, .OR or .XOR.
inline simt::Combination take_combination(Decoder& decoder) {
  if (decoder.take("AND")) return simt::Combination::with_and;
  if (decoder.take("OR")) return simt::Combination::with_or;
  if (decoder.take("XOR")) return simt::Combination::with_xor;
  decoder.unsupported("its combination with a predicate is not known");
}

/// Keeps a comparison's inversion and its combination with the predicate in operand `operand` as PTX does: see
/// comparison.hpp. A comparison AND PT is not combined.
inline void keep_combination(Decoder& decoder, simt::Instruction& instruction, simt::Comparison comparison,
                             simt::Combination combination, std::size_t operand) {
  int flags = comparison.inverted ? simt::inverted_flag : 0;
  const bool is_alone = combination == simt::Combination::with_and && decoder.is_true(operand);
  const Decoder::Predicate predicate = decoder.predicate(operand);
  if (!is_alone) {
    instruction.c = predicate.slot;
    flags |= predicate.is_negated ? simt::negated_predicate_flag : 0;
    flags |= static_cast<int>(combination) << simt::combination_shift;
  }
  instruction.flags = static_cast<std::uint8_t>(flags);
}

/// Writes a comparison's two predicates in operands 0 and 1; the second is an operand of its own unless it is PT.
inline void write_predicates(Decoder& decoder, simt::Instruction& instruction) {
  instruction.d = decoder.write_predicate(0);
  const bool is_dropped = decoder.is_true(1);
  const simt::Slot second = decoder.write_predicate(1);
  if (!is_dropped) decoder.more_operands(instruction, std::span(&second, 1));
}

/// Which of minimum and maximum: the first where the predicate is true.
struct Extremum {
  /// Ignored if the predicate varies.
  bool is_maximum = false;
  bool varies = false;
  Decoder::Predicate predicate;
};
inline Extremum take_extremum(Decoder& decoder, std::size_t operand) {
  const Operand& written = decoder.operand(operand);
  const bool is_constant = written.kind == Operand::Kind::predicate && written.index == true_predicate;
  return {.is_maximum = written.is_not, .varies = !is_constant, .predicate = decoder.predicate(operand)};
}

/// Families in more than one file.
void decode_float_compare(Decoder& decoder, simt::Instruction& instruction);   // FSETP (float_compare.cpp)
void decode_float_set(Decoder& decoder, simt::Instruction& instruction);       // FSET
void decode_division_check(Decoder& decoder, simt::Instruction& instruction);  // FCHK
void decode_float_minmax(Decoder& decoder, simt::Instruction& instruction);    // FMNMX (float_minmax.cpp)
void decode_float_select(Decoder& decoder, simt::Instruction& instruction);    // FSEL
void decode_transcendental(Decoder& decoder, simt::Instruction& instruction);  // MUFU (transcendental.cpp)
void decode_half_minmax(Decoder& decoder, simt::Instruction& instruction);     // HMNMX2 (half_compare.cpp)
void decode_half_set(Decoder& decoder, simt::Instruction& instruction);        // HSET2
void decode_half_compare(Decoder& decoder, simt::Instruction& instruction);    // HSETP2

}  // namespace tilescope::sass
