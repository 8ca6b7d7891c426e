#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"
#include "profiler/execution/simt/warp.hpp"

// SIMD video instructions: four bytes or two halves of each register. nvcc makes vabsdiff4 of __vabsdiffu4() and of
// __vsadu4(), which adds the four results to its third input.
namespace tilescope::ptx {
namespace {

enum VideoFlag : std::uint8_t {
  a_signed = 1,
  b_signed = 2,
  result_signed = 4,
  saturates = 8,
  adds = 16,
};

// One part of a register, extended to 32 bits.
std::int32_t part_of(std::uint32_t value, int part, int bits, bool with_sign) {
  const std::uint32_t raised = value << (32 - bits * (part + 1));
  return with_sign ? static_cast<std::int32_t>(raised) >> (32 - bits)
                   : static_cast<std::int32_t>(raised >> (32 - bits));
}

std::int32_t clamped(std::int32_t value, int bits, bool is_signed) {
  const std::int32_t least = is_signed ? -(1 << (bits - 1)) : 0;
  const std::int32_t most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  return std::clamp(value, least, most);
}

using Operation = std::int32_t (*)(std::int32_t, std::int32_t);

std::int32_t sum(std::int32_t a, std::int32_t b) {
  return a + b;
}
std::int32_t difference(std::int32_t a, std::int32_t b) {
  return a - b;
}
// Rounds a half away from zero.
std::int32_t average(std::int32_t a, std::int32_t b) {
  return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
}
std::int32_t absolute_difference(std::int32_t a, std::int32_t b) {
  return std::abs(a - b);
}
std::int32_t minimum(std::int32_t a, std::int32_t b) {
  return std::min(a, b);
}
std::int32_t maximum(std::int32_t a, std::int32_t b) {
  return std::max(a, b);
}

template <Operation operation, int bits>
std::uint32_t video(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint8_t flags) {
  constexpr std::uint32_t mask = (1u << bits) - 1;
  const bool is_sum = (flags & adds) != 0;
  std::uint32_t result = is_sum ? c : 0;
  for (int part = 0; part < 32 / bits; ++part) {
    std::int32_t value = operation(part_of(a, part, bits, (flags & a_signed) != 0),
                                   part_of(b, part, bits, (flags & b_signed) != 0));
    if ((flags & saturates) != 0) value = clamped(value, bits, (flags & result_signed) != 0);
    const auto unsigned_value = static_cast<std::uint32_t>(value);
    if (is_sum) {
      result += unsigned_value;
    } else {
      result |= (unsigned_value & mask) << (bits * part);
    }
  }
  return result;
}

template <Operation operation, int bits>
void run_video(Warp& warp, const Instruction& i) {
  const auto *a = warp.read<std::uint32_t>(i.a), *b = warp.read<std::uint32_t>(i.b),
             *c = warp.read<std::uint32_t>(i.c);
  auto* d = warp.write<std::uint32_t>(i.d);
  for (LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = first_lane(rest);
    d[lane] = video<operation, bits>(a[lane], b[lane], c[lane], i.flags);
  }
}

bool take_signed(Decoder& decoder) {
  const Type type = decoder.take_type();
  if (type != Type::u32 && type != Type::s32) decoder.unsupported("types other than .u32 and .s32");
  return type == Type::s32;
}

// vabsdiff4.u32.u32.u32.add d, a, b, c: the types of the result, of a and of b.
template <Operation operation, int bits>
void decode_video(Decoder& decoder, Instruction& instruction) {
  std::uint8_t flags = 0;
  if (take_signed(decoder)) flags |= result_signed;
  if (take_signed(decoder)) flags |= a_signed;
  if (take_signed(decoder)) flags |= b_signed;
  if (decoder.take("sat")) flags |= saturates;
  if (decoder.take("add")) flags |= adds;
  instruction.flags = flags;
  instruction.execute = run_video<operation, bits>;
  decode_operands(decoder, instruction, Type::b32, Type::b32, Type::b32, Type::b32);
}

constexpr Opcode opcodes[] = {
    {"vadd2", decode_video<sum, 16>, Pipe::alu},
    {"vadd4", decode_video<sum, 8>, Pipe::alu},
    {"vsub2", decode_video<difference, 16>, Pipe::alu},
    {"vsub4", decode_video<difference, 8>, Pipe::alu},
    {"vavrg2", decode_video<average, 16>, Pipe::alu},
    {"vavrg4", decode_video<average, 8>, Pipe::alu},
    {"vabsdiff2", decode_video<absolute_difference, 16>, Pipe::alu},
    {"vabsdiff4", decode_video<absolute_difference, 8>, Pipe::alu},
    {"vmin2", decode_video<minimum, 16>, Pipe::alu},
    {"vmin4", decode_video<minimum, 8>, Pipe::alu},
    {"vmax2", decode_video<maximum, 16>, Pipe::alu},
    {"vmax4", decode_video<maximum, 8>, Pipe::alu},
};

}  // namespace

std::span<const Opcode> video_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
