#include <chrono>
#include <string>
#include <vector>

#include "profiler/ptx/block.hpp"
#include "profiler/ptx/instructions/families.hpp"
#include "profiler/ptx/instructions/forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/ptx/instructions/move.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/ptx/instructions/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {

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
Handler PackHandler(int bytes, std::size_t parts) {
  if (parts == 4) return pack_quarters;
  return bytes == 4 ? pack<std::uint16_t, std::uint32_t> : pack<std::uint32_t, std::uint64_t>;
}
Handler UnpackHandler(int bytes, std::size_t parts) {
  if (parts == 4) return unpack_quarters;
  return bytes == 4 ? unpack<std::uint16_t, std::uint32_t> : unpack<std::uint32_t, std::uint64_t>;
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

// A clock of the block's: its warp instructions so far, so that runs repeat themselves. `immediate` is the bit to begin
// at: 32 for %clock_hi.
void read_clock(Warp& warp, const Instruction& i) {
  broadcast(warp, i.d, static_cast<std::uint32_t>(warp.block().clock >> i.immediate));
}
void read_clock_64(Warp& warp, const Instruction& i) {
  broadcast(warp, i.d, warp.block().clock);
}
// [ns] A nanosecond an instruction: a timer that would show the host's time would change from run to run.
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
    instruction.d = decoder.write(0, type);
    return true;
  }
  return false;
}

Type part_of(Decoder& decoder, Type whole, std::size_t parts) {
  if (size_of(whole) == 4 && parts == 2) return Type::b16;
  if (size_of(whole) == 8 && parts == 2) return Type::b32;
  if (size_of(whole) == 8 && parts == 4) return Type::b16;
  decoder.unsupported("a vector of " + std::to_string(parts) + " parts of a ." + std::string(name_of(whole)));
}

void decode_pack(Decoder& decoder, Instruction& instruction, Type type) {
  const OperandSyntax& vector = decoder.take_operand(1);
  const Type part = part_of(decoder, type, vector.elements.size());
  instruction.execute = HWY_DYNAMIC_DISPATCH(PackHandler)(size_of(type), vector.elements.size());
  instruction.d = decoder.write(0, type);
  instruction.a = decoder.read(vector.elements[0], part);
  instruction.b = decoder.read(vector.elements[1], part);
  if (vector.elements.size() == 2) return;
  instruction.c = decoder.read(vector.elements[2], part);
  const Slot last = decoder.read(vector.elements[3], part);
  decoder.more_operands(instruction, std::span(&last, 1));
}

void decode_unpack(Decoder& decoder, Instruction& instruction, Type type) {
  const OperandSyntax& vector = decoder.take_operand(0);
  const Type part = part_of(decoder, type, vector.elements.size());
  instruction.execute = HWY_DYNAMIC_DISPATCH(UnpackHandler)(size_of(type), vector.elements.size());
  instruction.a = decoder.read(1, type);
  instruction.d = decoder.write(vector.elements[0], part);
  std::vector<Slot> further;
  for (std::size_t k = 1; k < vector.elements.size(); ++k)
    further.push_back(decoder.write(vector.elements[k], part));
  decoder.more_operands(instruction, further);
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
  if (size_of(type) < 2 || size_of(type) > 8) decoder.unsupported("a ." + std::string(name_of(type)));
  if (decoder.operand(1).kind == OperandSyntax::Kind::vector) return decode_pack(decoder, instruction, type);
  if (decoder.operand(0).kind == OperandSyntax::Kind::vector)
    return decode_unpack(decoder, instruction, type);
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
