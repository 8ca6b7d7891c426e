#include <array>
#include <string>
#include <vector>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/memory_address.hpp"
#include "profiler/execution/sass/instructions/move_family.hpp"
#include "profiler/execution/simt/warp.hpp"

// Moves between registers and predicates, uniform registers and barriers: rare, lane after lane.
namespace tilescope::sass {
namespace {

using simt::lane_count;
using simt::LaneMask;
using simt::Slot;
using simt::Warp;

// `width` is the number of the register's byte, `immediate` the mask of predicates, `a` for P2R what the other bits
// are, `b` the slot of P0. In P2R's result the predicates are in that byte.
void predicates_to_register(Warp& warp, const simt::Instruction& i) {
  const auto* a = warp.read<std::uint32_t>(i.a);
  auto* d = warp.write<std::uint32_t>(i.d);
  const auto mask = static_cast<std::uint32_t>(i.immediate);
  const int shift = 8 * i.width;
  for (int lane = 0; lane < lane_count; ++lane) {
    if ((warp.exec >> lane & 1u) == 0) continue;
    std::uint32_t bits = 0;
    for (int p = 0; p < true_predicate; ++p) bits |= (warp.mask(i.b + p) >> lane & 1u) << p;
    d[lane] = (a[lane] & ~(mask << shift)) | (bits & mask) << shift;
  }
}

void register_to_predicates(Warp& warp, const simt::Instruction& i) {
  const auto* a = warp.read<std::uint32_t>(i.a);
  for (int p = 0; p < true_predicate; ++p) {
    if ((i.immediate >> p & 1) == 0) continue;
    LaneMask value = 0;
    for (int lane = 0; lane < lane_count; ++lane) value |= (a[lane] >> (8 * i.width + p) & 1u) << lane;
    warp.set_mask(i.b + p, value);
  }
}

void first_lane_to_uniform(Warp& warp, const simt::Instruction& i) {
  const std::uint32_t value = warp.read<std::uint32_t>(i.a)[simt::first_lane(warp.exec)];
  auto* d = warp.write<std::uint32_t>(i.d);
  for (int lane = 0; lane < lane_count; ++lane) d[lane] = value;
}
void first_lane_to_uniform_and_others(Warp& warp, const simt::Instruction& i) {
  const auto* a = warp.read<std::uint32_t>(i.a);
  const std::uint32_t value = a[simt::first_lane(warp.exec)];
  simt::LaneMask others = 0;
  for (int lane = 0; lane < lane_count; ++lane) others |= simt::LaneMask{a[lane] != value} << lane;
  first_lane_to_uniform(warp, i);
  warp.set_mask(i.c, others);
}

void copy_lanes(Warp& warp, Slot to, Slot from) {
  const auto* a = warp.read<std::uint32_t>(from);
  auto* d = warp.write<std::uint32_t>(to);
  for (int lane = 0; lane < lane_count; ++lane) d[lane] = (warp.exec >> lane & 1u) != 0 ? a[lane] : d[lane];
}
// A count and, as the first further operands, a predicate and its source.
void barrier_result(Warp& warp, const simt::Instruction& i) {
  copy_lanes(warp, i.d, i.a);
  const Slot* predicate = warp.operands(i);
  warp.set_mask(predicate[0], warp.mask(predicate[1]));
}

// `flags` is 1 where the barrier that was read is cleared.
void move_barrier(Warp& warp, const simt::Instruction& i) {
  copy_lanes(warp, i.d, i.a);
  if (i.flags != 0) copy_lanes(warp, i.a, i.b);
}

// `type` is the space that is asked for.
void query_space(Warp& warp, const simt::Instruction& i) {
  const auto addresses = addresses_64(warp, address_of(warp, i));
  LaneMask inside = 0;
  for (std::size_t lane = 0; lane < addresses.size(); ++lane)
    inside |= LaneMask{simt::space_of_generic(addresses[lane]) == static_cast<simt::Space>(i.type)} << lane;
  warp.set_mask(i.d, inside);
}

// "B1": 1
std::uint8_t byte_of(const Decoder& decoder, std::string_view selector) {
  if (selector.empty()) return 0;
  if (selector.size() != 2 || selector[0] != 'B' || selector[1] < '0' || selector[1] > '3') {
    decoder.unsupported("this part of a register");
  }
  return static_cast<std::uint8_t>(selector[1] - '0');
}

std::int64_t take_mask(Decoder& decoder, std::size_t index) {
  const std::int64_t mask = decoder.integer(index);
  if (mask < 0 || mask > 0x7f) decoder.unsupported("a mask of more than the seven predicates");
  return mask;
}

void take_predicates(Decoder& decoder, std::size_t index) {
  if (decoder.take_operand(index).kind != Operand::Kind::predicates)
    decoder.unsupported("predicates other than PR");
}

}  // namespace

void decode_predicates_to_register(Decoder& decoder, simt::Instruction& instruction) {
  instruction.execute = predicates_to_register;
  instruction.width = byte_of(decoder, decoder.take_next());
  instruction.d = decoder.write(0);
  take_predicates(decoder, 1);
  instruction.a = decoder.plain(2);
  instruction.b = decoder.slots().predicate(0);
  instruction.immediate = take_mask(decoder, 3);
}

void decode_register_to_predicates(Decoder& decoder, simt::Instruction& instruction) {
  instruction.execute = register_to_predicates;
  take_predicates(decoder, 0);
  const Decoder::Source a = decoder.source(1);
  if (a.is_negated || a.is_absolute || a.is_inverted) decoder.unsupported("the sign of its source");
  instruction.width = byte_of(decoder, a.selector);
  instruction.a = a.slot;
  instruction.b = decoder.slots().predicate(0);
  instruction.immediate = take_mask(decoder, 2);
}

// R2UR UR4, R2; R2UR P0, URZ, R2: P0 is true in the lanes with another value than the moved one.
void decode_register_to_uniform(Decoder& decoder, simt::Instruction& instruction) {
  // Not Flow::uniform: its handler asks which lanes are active.
  instruction.execute = first_lane_to_uniform;
  std::size_t next = 0;
  if (decoder.is(0, Operand::Kind::predicate)) {
    instruction.execute = first_lane_to_uniform_and_others;
    instruction.c = decoder.write_predicate(next++);
  }
  instruction.d = decoder.write(next);
  instruction.a = decoder.registers(next + 1, 1);
}

// QSPC.E.S P0, RZ, [R4]: whether the generic address in R4 and R5 lies in shared memory. .D asks for the shared memory of
// the cluster's blocks, of which there is the block's own here.
void decode_space_query(Decoder& decoder, simt::Instruction& instruction) {
  if (!decoder.take("E")) decoder.unsupported("an address of 32 bits");
  const bool is_shared = decoder.take("S") || decoder.take("D");
  const bool is_local = !is_shared && decoder.take("L");
  if (!is_shared && !is_local && !decoder.take("G")) decoder.unsupported("the space that it asks for");
  const simt::Space space = is_shared  ? simt::Space::shared
                            : is_local ? simt::Space::local
                                       : simt::Space::global;
  instruction.type = static_cast<std::uint8_t>(space);
  instruction.d = decoder.write_predicate(0);
  const Operand& address = decoder.take_operand(1);
  if (address.kind != Operand::Kind::reg || address.index != zero_register)
    decoder.unsupported("its result of 32 bits");
  std::vector<Slot> slots;
  instruction.immediate = decode_address(decoder, 2, slots, instruction.width);
  use_register_pair(decoder, 2, slots);
  decoder.more_operands(instruction, slots);
  instruction.execute = query_space;
}

void decode_barrier_result(Decoder& decoder, simt::Instruction& instruction) {
  if (!decoder.take("RESULT")) decoder.unsupported("it does not read a barrier's result");
  instruction.execute = barrier_result;
  instruction.d = decoder.write(0);
  instruction.a = decoder.slots().barrier_count();
  const Slot predicate =
      decoder.operand_count() > 1 ? decoder.write_predicate(1) : decoder.slots().predicate(true_predicate);
  decoder.more_operands(instruction, std::array{predicate, decoder.slots().barrier_predicate()});
}

void decode_barrier_move(Decoder& decoder, simt::Instruction& instruction) {
  if (!decoder.take("32")) decoder.unsupported("it moves no mask of 32 lanes");
  instruction.execute = move_barrier;
  instruction.b = decoder.zero();
  if (decoder.is(0, Operand::Kind::barrier)) {
    instruction.d = decoder.slots().barrier(decoder.take_operand(0).index);
    instruction.a = decoder.plain(1);
    return;
  }
  instruction.flags = decoder.take("CLEAR") ? 1 : 0;
  instruction.d = decoder.write(0);
  const Operand& barrier = decoder.take_operand(1);
  if (barrier.kind != Operand::Kind::barrier) decoder.unsupported("neither operand is a convergence barrier");
  instruction.a = decoder.slots().barrier(barrier.index);
}

}  // namespace tilescope::sass
