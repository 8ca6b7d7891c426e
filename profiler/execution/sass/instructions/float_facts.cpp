#include "profiler/execution/sass/instructions/float_facts.hpp"

namespace tilescope::sass {

using simt::FloatFacts;
using simt::FloatKind;

static FloatKind half_kind(const InstructionParts& parts) {
  return parts.has("BF16_V2") || parts.has("BF16") ? FloatKind::bf16x2 : FloatKind::f16x2;
}

FloatFacts single_floats(const InstructionParts&) {
  return {.result = FloatKind::f32, .factor = FloatKind::f32};
}

FloatFacts single_choice_floats(const InstructionParts&) {
  return {.result = FloatKind::f32, .factor = FloatKind::f32, .numbers = 2};
}

FloatFacts transcendental_floats(const InstructionParts& parts) {
  return parts.has("RCP64H") || parts.has("RSQ64H") ? FloatFacts{} : single_floats(parts);
}

FloatFacts half_floats(const InstructionParts& parts) {
  const FloatKind half = half_kind(parts);
  return {.result = parts.has("F32") ? FloatKind::f32 : half, .factor = half};
}

FloatFacts double_floats(const InstructionParts&) {
  return {.result = FloatKind::f64_pair, .factor = FloatKind::f64_pair};
}

FloatFacts packed_floats(const InstructionParts& parts) {
  return {.result = half_kind(parts), .factor = FloatKind::f32};
}

FloatFacts matrix_floats(const InstructionParts& parts) {
  const bool is_single = parts.has("F32");
  return {.result = is_single ? FloatKind::f32 : FloatKind::f16x2,
          .factor = parts.has("TF32") ? FloatKind::f32 : half_kind(parts),
          .matrix_registers = static_cast<std::uint8_t>(is_single ? 4 : 2)};
}

}  // namespace tilescope::sass
