#include "profiler/execution/ptx/instructions/float_facts.hpp"

#include <algorithm>
#include <vector>

namespace tilescope::ptx {
namespace {

using Words = std::span<const std::string_view>;

FloatKind kind_of(Type type) {
  switch (type) {
    case Type::f16:
      return FloatKind::f16;
    case Type::f16x2:
      return FloatKind::f16x2;
    case Type::bf16:
      return FloatKind::bf16;
    case Type::bf16x2:
      return FloatKind::bf16x2;
    case Type::f32:
    case Type::tf32:
      return FloatKind::f32;
    case Type::f64:
      return FloatKind::f64;
    default:
      return FloatKind::none;
  }
}

// A number in a register of 16 bits twice as many of them hold two of.
FloatKind packed(FloatKind kind) {
  if (kind == FloatKind::f16) return FloatKind::f16x2;
  return kind == FloatKind::bf16 ? FloatKind::bf16x2 : kind;
}

std::vector<Type> types_of(Words words) {
  std::vector<Type> types;
  for (const std::string_view word : words.subspan(1)) {
    const Type type = type_named(word);
    if (type != Type::none) types.push_back(type);
  }
  return types;
}

FloatFacts matrix_floats(Words words, int registers) {
  const std::vector<Type> types = types_of(words);
  if (types.empty()) return {};
  FloatFacts facts;
  facts.result = packed(kind_of(types[0]));
  facts.factor = packed(types.size() > 2 ? kind_of(types[1]) : FloatKind::f16);
  facts.matrix_registers =
      static_cast<std::uint8_t>(facts.result == FloatKind::f32 ? registers : registers / 2);
  return facts;
}

}  // namespace

FloatFacts arithmetic_floats(Words words) {
  const std::vector<Type> types = types_of(words);
  if (types.empty()) return {};
  const FloatKind kind = kind_of(types.back());
  return {.result = kind, .factor = kind};
}

FloatFacts conversion_floats(Words words) {
  const std::vector<Type> types = types_of(words);
  if (types.empty()) return {};
  return {.result = kind_of(types[0]), .factor = kind_of(types.back())};
}

FloatFacts mma_floats(Words words) {
  return matrix_floats(words, 4);
}

FloatFacts wmma_floats(Words words) {
  return matrix_floats(words, 8);
}

FloatFacts float_facts(const Opcode& opcode, Words words) {
  FloatFacts facts = opcode.floats == nullptr ? FloatFacts{} : opcode.floats(words);
  const std::vector<Type> types = types_of(words);
  if (!types.empty()) facts.result_bytes = static_cast<std::uint8_t>(std::clamp(size_of(types[0]), 2, 8));
  return facts;
}

}  // namespace tilescope::ptx
