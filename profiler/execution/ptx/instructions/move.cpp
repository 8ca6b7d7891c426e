#include <cstring>
#include <string>
#include <vector>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"
#include "profiler/execution/simt/block.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/move.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

struct Same {
  template <class T>
  T operator()(T a) const {
    return a;
  }
};
Handler CopyHandler(int bytes) {
  return bytes == 2   ? unary<Same, std::uint16_t>
         : bytes == 4 ? unary<Same, std::uint32_t>
                      : unary<Same, std::uint64_t>;
}

// {a, b} in one register of twice the size, the first in the low half.
template <class Half, class Whole>
void pack(Warp& warp, const Instruction& i) {
  for_lanes(
      warp.exec, warp.write<Whole>(i.d),
      [](Half low, Half high) {
        return static_cast<Whole>(static_cast<Whole>(high) << (8 * sizeof(Half)) | low);
      },
      warp.read<Half>(i.a), warp.read<Half>(i.b));
}
// The halves of a register: the second result is the first further operand.
template <class Half, class Whole>
void unpack(Warp& warp, const Instruction& i) {
  const Whole* whole = warp.read<Whole>(i.a);
  for_lanes(
      warp.exec, warp.write<Half>(i.d), [](Whole value) { return static_cast<Half>(value); }, whole);
  for_lanes(
      warp.exec, warp.write<Half>(warp.operands(i)[0]),
      [](Whole value) { return static_cast<Half>(value >> (8 * sizeof(Half))); }, whole);
}
// Four 16-bit registers and one of 64 bits.
void pack_quarters(Warp& warp, const Instruction& i) {
  const Slot* further = warp.operands(i);
  for_lanes(
      warp.exec, warp.write<std::uint64_t>(i.d),
      [](std::uint16_t a, std::uint16_t b, std::uint16_t c, std::uint16_t d) {
        return std::uint64_t{a} | std::uint64_t{b} << 16 | std::uint64_t{c} << 32 | std::uint64_t{d} << 48;
      },
      warp.read<std::uint16_t>(i.a), warp.read<std::uint16_t>(i.b), warp.read<std::uint16_t>(i.c),
      warp.read<std::uint16_t>(further[0]));
}
void unpack_quarters(Warp& warp, const Instruction& i) {
  const std::uint64_t* whole = warp.read<std::uint64_t>(i.a);
  const Slot* further = warp.operands(i);
  for (int part = 0; part < 4; ++part) {
    for_lanes(
        warp.exec, warp.write<std::uint16_t>(part == 0 ? i.d : further[part - 1]),
        [part](std::uint64_t value) { return static_cast<std::uint16_t>(value >> (16 * part)); }, whole);
  }
}

// nullptr for the rarer sizes, which pack_any and unpack_any handle.
Handler PackHandler(int bytes, std::size_t parts) {
  if (bytes == 8 && parts == 4) return pack_quarters;
  if (bytes == 4 && parts == 2) return pack<std::uint16_t, std::uint32_t>;
  return bytes == 8 && parts == 2 ? pack<std::uint32_t, std::uint64_t> : nullptr;
}
Handler UnpackHandler(int bytes, std::size_t parts) {
  if (bytes == 8 && parts == 4) return unpack_quarters;
  if (bytes == 4 && parts == 2) return unpack<std::uint16_t, std::uint32_t>;
  return bytes == 8 && parts == 2 ? unpack<std::uint32_t, std::uint64_t> : nullptr;
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {
namespace {

HWY_EXPORT(CopyHandler);
HWY_EXPORT(PackHandler);
HWY_EXPORT(UnpackHandler);

void copy_predicate(Warp& warp, const Instruction& i) {
  const LaneMask value = warp.mask(i.a);
  warp.set_mask(i.d, (i.flags & 1) != 0 ? ~value : value);
}

template <class T>
void broadcast(Warp& warp, Slot d, T value) {
  T* lanes = warp.write<T>(d);
  for (int lane = 0; lane < lane_count; ++lane) {
    if ((warp.exec >> lane & 1u) != 0) lanes[lane] = value;
  }
}

// The block's clock counts its warp instructions so far, so that runs are reproducible. `immediate` is the first bit:
// 32 for %clock_hi.
void read_clock(Warp& warp, const Instruction& i) {
  broadcast(warp, i.d, static_cast<std::uint32_t>(warp.block().clock >> i.immediate));
}
void read_clock_64(Warp& warp, const Instruction& i) {
  broadcast(warp, i.d, warp.block().clock);
}
// [ns] One nanosecond per instruction: the host's time would change from run to run.
void read_timer(Warp& warp, const Instruction& i) {
  broadcast(warp, i.d, warp.block().clock);
}
void read_timer_part(Warp& warp, const Instruction& i) {
  broadcast(warp, i.d, static_cast<std::uint32_t>(warp.block().clock >> i.immediate));
}

struct Clock {
  std::string_view name;
  Type type;
  Handler handler;
  int first_bit;
};
constexpr Clock clocks[] = {
    {"%clock", Type::u32, read_clock, 0},
    {"%clock_hi", Type::u32, read_clock, 32},
    {"%clock64", Type::u64, read_clock_64, 0},
    {"%globaltimer", Type::u64, read_timer, 0},
    {"%globaltimer_lo", Type::u32, read_timer_part, 0},
    {"%globaltimer_hi", Type::u32, read_timer_part, 32},
};

bool take_clock(Decoder& decoder, Instruction& instruction, Type type) {
  const OperandSyntax& source = decoder.operand(1);
  if (source.kind != OperandSyntax::Kind::special) return false;
  for (const Clock& clock : clocks) {
    if (clock.name != source.name || size_of(clock.type) != size_of(type)) continue;
    decoder.take_operand(1);
    instruction.execute = clock.handler;
    instruction.immediate = clock.first_bit;
    decoder.data().reads_clock = true;
    instruction.d = decoder.write(0, type);
    return true;
  }
  return false;
}

// [B] The sizes of parts that the ISA allows.
int part_bytes(const Decoder& decoder, Type whole, std::size_t parts) {
  const int bytes = parts == 2 || parts == 4 ? size_of(whole) / static_cast<int>(parts) : 0;
  const bool known = size_of(whole) == 16  ? bytes == 8 || bytes == 4
                     : size_of(whole) == 8 ? bytes == 4 || bytes == 2
                                           : bytes == 2 || bytes == 1;
  if (!known) {
    decoder.unsupported("a vector of " + std::to_string(parts) + " parts of a ." +
                        std::string(name_of(whole)));
  }
  return bytes;
}

// Wholes of 16 or 128 bits and parts of 8, lane after lane: `count` parts of `width` bytes, whose registers have wider
// lanes when they are of 8 bits. The parts are the further operands.
void pack_any(Warp& warp, const Instruction& i) {
  const std::size_t bytes = i.width, stride = static_cast<std::size_t>(lane_bytes_of(i.width));
  for (std::size_t part = 0; part < i.count; ++part) {
    const std::byte* from = warp.read<std::byte>(warp.operands(i)[part]);
    std::byte* to = warp.write<std::byte>(i.d) + part * bytes;
    for (LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(first_lane(rest));
      std::memcpy(to + lane * bytes * i.count, from + lane * stride, bytes);
    }
  }
}
void unpack_any(Warp& warp, const Instruction& i) {
  const std::size_t bytes = i.width, stride = static_cast<std::size_t>(lane_bytes_of(i.width));
  for (std::size_t part = 0; part < i.count; ++part) {
    const std::byte* from = warp.read<std::byte>(i.a) + part * bytes;
    std::byte* to = warp.write<std::byte>(warp.operands(i)[part]);
    for (LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(first_lane(rest));
      std::memset(to + lane * stride, 0, stride);
      std::memcpy(to + lane * stride, from + lane * bytes * i.count, bytes);
    }
  }
}
void copy_128(Warp& warp, const Instruction& i) {
  for (LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(first_lane(rest));
    std::memcpy(warp.write<std::byte>(i.d) + 16 * lane, warp.read<std::byte>(i.a) + 16 * lane, 16);
  }
}

// A register of exactly this many bytes, including 8-bit and 128-bit ones.
Slot exactly(const Decoder& decoder, const Decoder::Sized& value, int bytes) {
  if (value.bytes != bytes) {
    decoder.unsupported("a register of " + std::to_string(8 * value.bytes) + " bits in the place of one of " +
                        std::to_string(8 * bytes));
  }
  return value.slot;
}
Slot read_part(Decoder& decoder, const OperandSyntax& operand, int bytes) {
  if (operand.kind == OperandSyntax::Kind::reg) return exactly(decoder, decoder.read_any(operand), bytes);
  return decoder.read(operand, bytes == 8 ? Type::b64 : bytes == 4 ? Type::b32 : Type::b16);
}
Slot write_part(Decoder& decoder, const OperandSyntax& operand, int bytes) {
  if (operand.kind == OperandSyntax::Kind::sink) return decoder.scratch(bytes);
  return exactly(decoder, decoder.write_any(operand), bytes);
}

void decode_pack(Decoder& decoder, Instruction& instruction, Type type) {
  const OperandSyntax& vector = decoder.take_operand(1);
  const int part = part_bytes(decoder, type, vector.elements.size());
  std::vector<Slot> parts;
  parts.reserve(vector.elements.size());
  for (const OperandSyntax& element : vector.elements) parts.push_back(read_part(decoder, element, part));
  instruction.d = write_part(decoder, decoder.take_operand(0), size_of(type));
  instruction.execute = HWY_DYNAMIC_DISPATCH(PackHandler)(size_of(type), parts.size());
  if (instruction.execute != nullptr) {
    instruction.a = parts[0];
    instruction.b = parts[1];
    if (parts.size() == 2) return;
    instruction.c = parts[2];
    decoder.more_operands(instruction, std::span(parts).last(1));
    return;
  }
  instruction.execute = pack_any;
  instruction.width = static_cast<std::uint8_t>(part);
  instruction.count = static_cast<std::uint8_t>(parts.size());
  decoder.more_operands(instruction, parts);
}

void decode_unpack(Decoder& decoder, Instruction& instruction, Type type) {
  const OperandSyntax& vector = decoder.take_operand(0);
  const int part = part_bytes(decoder, type, vector.elements.size());
  instruction.a = read_part(decoder, decoder.take_operand(1), size_of(type));
  std::vector<Slot> parts;
  parts.reserve(vector.elements.size());
  for (const OperandSyntax& element : vector.elements) parts.push_back(write_part(decoder, element, part));
  instruction.execute = HWY_DYNAMIC_DISPATCH(UnpackHandler)(size_of(type), parts.size());
  if (instruction.execute != nullptr) {
    instruction.d = parts[0];
    decoder.more_operands(instruction, std::span(parts).subspan(1));
    return;
  }
  instruction.execute = unpack_any;
  instruction.width = static_cast<std::uint8_t>(part);
  instruction.count = static_cast<std::uint8_t>(parts.size());
  decoder.more_operands(instruction, parts);
}

void decode_move(Decoder& decoder, Instruction& instruction) {
  if (decoder.take("v2")) return decode_vector_move(decoder, instruction, 2);
  if (decoder.take("v4")) return decode_vector_move(decoder, instruction, 4);
  const Type type = decoder.take_type();
  if (type == Type::pred) {
    instruction.execute = copy_predicate;
    instruction.d = decoder.write_predicate(0);
    const Decoder::Predicate source = decoder.read_predicate(1);
    instruction.a = source.slot;
    instruction.flags = source.negated ? 1 : 0;
    return;
  }
  if (size_of(type) < 2) {
    decoder.unsupported("a ." + std::string(name_of(type)) +
                        ": 8-bit registers are for ld, st and cvt, and for the parts of mov");
  }
  if (decoder.operand(1).kind == OperandSyntax::Kind::vector) return decode_pack(decoder, instruction, type);
  if (decoder.operand(0).kind == OperandSyntax::Kind::vector)
    return decode_unpack(decoder, instruction, type);
  if (size_of(type) == 16) {
    instruction.execute = copy_128;
    instruction.d = write_part(decoder, decoder.take_operand(0), 16);
    instruction.a = read_part(decoder, decoder.take_operand(1), 16);
    return;
  }
  if (take_clock(decoder, instruction, type)) return;
  instruction.execute = HWY_DYNAMIC_DISPATCH(CopyHandler)(size_of(type));
  decode_operands(decoder, instruction, type, type);
}

constexpr Opcode opcodes[] = {
    {"mov", decode_move, Pipe::alu},
    {"cvta", decode_address_conversion, Pipe::alu},
    {"isspacep", decode_space_test, Pipe::alu},
};

}  // namespace

std::span<const Opcode> move_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
#endif
