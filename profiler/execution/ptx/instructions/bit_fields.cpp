#include <bit>
#include <string>
#include <type_traits>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/bit_fields.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/bit_operations-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

// Length and position are bytes. A signed field is extended by its top bit; a field that reaches past the register, by
// the register's top bit (PTX ISA, "bfe").
struct Extract {
  template <class T>
  T operator()(T a, std::uint32_t b, std::uint32_t c) const {
    using U = std::make_unsigned_t<T>;
    constexpr std::uint32_t bits = 8 * sizeof(T);
    const std::uint32_t position = b & 0xffu, length = c & 0xffu;
    const U moved = position < bits ? static_cast<U>(static_cast<U>(a) >> (position & (bits - 1))) : U{0};
    const std::uint32_t top = position + length - 1 < bits - 1 ? position + length - 1 : bits - 1;
    const U mask = low_ones<U>(length);
    const bool sign =
        std::is_signed_v<T> && length != 0 && (static_cast<U>(a) >> (top & (bits - 1)) & 1u) != 0;
    // Bits past the register's end are the sign too.
    const std::uint32_t present = position < bits ? bits - position : 0;
    const U from_register = static_cast<U>(mask & low_ones<U>(present));
    const U value = static_cast<U>(moved & from_register);
    return static_cast<T>(sign ? static_cast<U>(value | ~from_register) : value);
  }
};

// Inserts the low `length` bits of a into b at a position.
template <class T>
HWY_INLINE T inserted(T a, T b, std::uint32_t position, std::uint32_t length) {
  constexpr std::uint32_t bits = 8 * sizeof(T);
  position &= 0xffu;
  length &= 0xffu;
  const T mask = position < bits ? static_cast<T>(low_ones<T>(length) << (position & (bits - 1))) : T{0};
  const T moved = static_cast<T>(a << (position & (bits - 1)));
  return static_cast<T>((b & ~mask) | (moved & mask));
}
template <class T>
void insert(Warp& warp, const Instruction& i) {
  for_lanes(
      warp.exec, warp.write<T>(i.d),
      [](T a, T b, std::uint32_t position, std::uint32_t length) { return inserted(a, b, position, length); },
      warp.read<T>(i.a), warp.read<T>(i.b), warp.read<std::uint32_t>(i.c),
      warp.read<std::uint32_t>(warp.operands(i)[0]));
}

Handler FieldHandler(bool insertion, Type type) {
  if (insertion) return size_of(type) == 4 ? insert<std::uint32_t> : insert<std::uint64_t>;
  switch (type) {
    case Type::u32:
      return ternary<Extract, std::uint32_t, std::uint32_t, std::uint32_t>;
    case Type::s32:
      return ternary<Extract, std::int32_t, std::int32_t, std::uint32_t>;
    case Type::u64:
      return ternary<Extract, std::uint64_t, std::uint64_t, std::uint32_t>;
    default:
      return ternary<Extract, std::int64_t, std::int64_t, std::uint32_t>;
  }
}

void permute_by_mode(Warp& warp, const Instruction& i) {
  for_lanes(
      warp.exec, warp.write<std::uint32_t>(i.d),
      [mode = int{i.flags}](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        return permuted(a, b, selector_of(mode, c));
      },
      warp.read<std::uint32_t>(i.a), warp.read<std::uint32_t>(i.b), warp.read<std::uint32_t>(i.c));
}
Handler PermuteHandler(bool by_mode) {
  return by_mode ? permute_by_mode : ternary<Permute, std::uint32_t>;
}

struct LeadingZeros {
  template <class U>
  std::uint32_t operator()(U a) const {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};
template <bool as_shift>
Handler find_top(Type type) {
  switch (type) {
    case Type::u32:
      return unary<FindTop<as_shift>, std::uint32_t>;
    case Type::s32:
      return unary<FindTop<as_shift>, std::uint32_t, std::int32_t>;
    case Type::u64:
      return unary<FindTop<as_shift>, std::uint32_t, std::uint64_t>;
    default:
      return unary<FindTop<as_shift>, std::uint32_t, std::int64_t>;
  }
}
Handler CountHandler(std::string_view opcode, Type type, bool as_shift) {
  const bool is_long = size_of(type) == 8;
  if (opcode == "popc")
    return is_long ? unary<CountOnes, std::uint32_t, std::uint64_t> : unary<CountOnes, std::uint32_t>;
  if (opcode == "clz") {
    return is_long ? unary<LeadingZeros, std::uint32_t, std::uint64_t> : unary<LeadingZeros, std::uint32_t>;
  }
  if (opcode == "brev") return is_long ? unary<Reverse, std::uint64_t> : unary<Reverse, std::uint32_t>;
  return as_shift ? find_top<true>(type) : find_top<false>(type);
}

// The position of the n-th set bit from a base on, upward for positive n and downward for negative; n = 0 asks for the
// base itself (PTX ISA, "fns").
struct FindNth {
  std::uint32_t operator()(std::uint32_t mask, std::uint32_t base, std::int32_t offset) const {
    if (base > 31u) return 0xffffffffu;
    if (offset == 0) return (mask >> base & 1u) != 0 ? base : 0xffffffffu;
    const int step = offset > 0 ? 1 : -1;
    std::int64_t left = offset > 0 ? std::int64_t{offset} : -std::int64_t{offset};
    for (int position = static_cast<int>(base); position >= 0 && position < 32; position += step) {
      if ((mask >> position & 1u) != 0 && --left == 0) return static_cast<std::uint32_t>(position);
    }
    return 0xffffffffu;
  }
};
Handler FindNthHandler() {
  return ternary<FindNth, std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t>;
}

Handler MaskHandler(bool is_mask, bool wrap, bool with_sign) {
  if (is_mask) return wrap ? binary<BitMask<true>, std::uint32_t> : binary<BitMask<false>, std::uint32_t>;
  if (with_sign) {
    return wrap ? binary<Extend<true>, std::int32_t, std::int32_t, std::uint32_t>
                : binary<Extend<false>, std::int32_t, std::int32_t, std::uint32_t>;
  }
  return wrap ? binary<Extend<true>, std::uint32_t> : binary<Extend<false>, std::uint32_t>;
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {

HWY_EXPORT(FieldHandler);
HWY_EXPORT(PermuteHandler);
HWY_EXPORT(CountHandler);
HWY_EXPORT(FindNthHandler);
HWY_EXPORT(MaskHandler);

namespace {

// Types of 32 or 64 bits that are not floating-point.
Type take_word_type(Decoder& decoder) {
  const Type type = decoder.take_type();
  if (is_floating(type) || (size_of(type) != 4 && size_of(type) != 8)) {
    decoder.unsupported("bits of a ." + std::string(name_of(type)));
  }
  return type;
}

}  // namespace

void decode_bit_field(Decoder& decoder, Instruction& instruction) {
  const bool insertion = decoder.opcode() == "bfi";
  const Type type = take_word_type(decoder);
  const bool is_bits = type == Type::b32 || type == Type::b64;
  if (is_bits != insertion) decoder.unsupported("bfi is of .b32 and .b64, bfe of signed and unsigned types");
  instruction.execute = HWY_DYNAMIC_DISPATCH(FieldHandler)(insertion, type);
  if (!insertion) {
    decode_operands(decoder, instruction, type, type, Type::u32, Type::u32);
    return;
  }
  decode_operands(decoder, instruction, type, type, type, Type::u32);
  const Slot length = decoder.read(4, Type::u32);
  decoder.more_operands(instruction, std::span(&length, 1));
}

void decode_permute(Decoder& decoder, Instruction& instruction) {
  if (decoder.take_type() != Type::b32) decoder.unsupported("a type that is not .b32");
  constexpr std::string_view modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
  bool by_mode = false;
  for (std::size_t mode = 0; mode < std::size(modes); ++mode) {
    if (!decoder.take(modes[mode])) continue;
    by_mode = true;
    instruction.flags = static_cast<std::uint8_t>(mode);
  }
  instruction.execute = HWY_DYNAMIC_DISPATCH(PermuteHandler)(by_mode);
  decode_operands(decoder, instruction, Type::b32, Type::b32, Type::b32, Type::b32);
}

void decode_bit_count(Decoder& decoder, Instruction& instruction) {
  const std::string_view opcode = decoder.opcode();
  const bool as_shift = opcode == "bfind" && decoder.take("shiftamt");
  const Type type = take_word_type(decoder);
  const bool is_bits = type == Type::b32 || type == Type::b64;
  if (is_bits != (opcode != "bfind")) decoder.unsupported("the type ." + std::string(name_of(type)));
  decoder.set_pipe(Pipe::other);
  instruction.execute = HWY_DYNAMIC_DISPATCH(CountHandler)(opcode, type, as_shift);
  decode_operands(decoder, instruction, opcode == "brev" ? type : Type::u32, type);
}

void decode_find_nth(Decoder& decoder, Instruction& instruction) {
  if (decoder.take_type() != Type::b32) decoder.unsupported("a type that is not .b32");
  instruction.execute = HWY_DYNAMIC_DISPATCH(FindNthHandler)();
  decode_operands(decoder, instruction, Type::b32, Type::b32, Type::b32, Type::s32);
}

void decode_bit_mask(Decoder& decoder, Instruction& instruction) {
  const bool is_mask = decoder.opcode() == "bmsk";
  const bool wrap = decoder.take("wrap");
  if (!wrap && !decoder.take("clamp")) decoder.unsupported("neither .wrap nor .clamp");
  const Type type = decoder.take_type();
  const bool fits = is_mask ? type == Type::b32 : type == Type::u32 || type == Type::s32;
  if (!fits) decoder.unsupported("the type ." + std::string(name_of(type)));
  instruction.execute = HWY_DYNAMIC_DISPATCH(MaskHandler)(is_mask, wrap, is_signed(type));
  decode_operands(decoder, instruction, type, type, Type::u32);
}

}  // namespace tilescope::ptx
#endif
