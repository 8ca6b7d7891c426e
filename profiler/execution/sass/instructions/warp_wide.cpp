#include <string_view>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/simt/lanes/across_lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/warp_wide.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/shuffle-inl.hpp"

// Instructions across the lanes of a warp. They act on the lanes that execute them together: the code converges first.
HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

simt::Handler ShuffleHandler(std::string_view mode) {
  if (mode == "UP") return shuffle<Up>;
  if (mode == "DOWN") return shuffle<Down>;
  if (mode == "BFLY") return shuffle<Butterfly>;
  return mode == "IDX" ? shuffle<Indexed> : nullptr;
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(ShuffleHandler);

using simt::broadcast;
using simt::LaneMask;
using simt::Warp;

// SHFL.BFLY PT, R14, R13, 0x1, 0x1f
void decode_shuffle(Decoder& decoder, simt::Instruction& instruction) {
  instruction.execute = HWY_DYNAMIC_DISPATCH(ShuffleHandler)(decoder.take_next());
  if (instruction.execute == nullptr) decoder.unsupported("its mode");
  const bool has_predicate = !decoder.is_true(0);
  const simt::Slot predicate = decoder.write_predicate(0);
  instruction.d = decoder.write(1);
  instruction.b = decoder.plain(2);
  instruction.c = decoder.plain(3);
  const simt::Slot further[] = {decoder.plain(4), predicate};
  decoder.more_operands(instruction, std::span(further, has_predicate ? 2 : 1));
}

// d gets the mask of voters, c the decision; a uniform result is written to all lanes.
LaneMask voters(const Warp& warp, const simt::Instruction& i) {
  const LaneMask predicate = warp.mask(i.a);
  return ((i.flags & 1) != 0 ? ~predicate : predicate) & warp.exec;
}
void set_votes(Warp& warp, const simt::Instruction& i, LaneMask yes, bool decision) {
  const LaneMask exec = warp.exec;
  const bool is_uniform = (i.flags & 2) != 0;
  if (is_uniform) warp.exec = simt::all_lanes;
  if (i.d != simt::no_slot) broadcast(warp.write<LaneMask>(i.d), warp.exec, yes);
  if (i.c != simt::no_slot) warp.set_mask(i.c, decision ? simt::all_lanes : 0);
  warp.exec = exec;
}
void vote_all(Warp& warp, const simt::Instruction& i) {
  const LaneMask yes = voters(warp, i);
  set_votes(warp, i, yes, yes == warp.exec);
}
void vote_any(Warp& warp, const simt::Instruction& i) {
  const LaneMask yes = voters(warp, i);
  set_votes(warp, i, yes, yes != 0);
}
void vote_equal(Warp& warp, const simt::Instruction& i) {
  const LaneMask yes = voters(warp, i);
  set_votes(warp, i, yes, yes == 0 || yes == warp.exec);
}

// VOTE.ANY R4, PT, P0; VOTE.ALL P1, P0; VOTEU.ANY UR4, UPT, PT. The register comes first where there is one.
void decode_vote(Decoder& decoder, simt::Instruction& instruction) {
  const std::string_view mode = decoder.take_next();
  if (mode != "ALL" && mode != "ANY" && mode != "EQ") decoder.unsupported("its mode");
  instruction.execute = mode == "ALL" ? vote_all : mode == "ANY" ? vote_any : vote_equal;
  std::size_t next = 0;
  using Kind = Operand::Kind;
  if (decoder.is(0, Kind::reg) || decoder.is(0, Kind::uniform)) instruction.d = decoder.write(next++);
  instruction.c = decoder.write_predicate(next++);
  const Decoder::Predicate predicate = decoder.predicate(next);
  instruction.a = predicate.slot;
  instruction.flags =
      static_cast<std::uint8_t>((predicate.is_negated ? 1 : 0) | (decoder.is_uniform() ? 2 : 0));
}

LaneMask lanes_like(const Warp& warp, const simt::Instruction& i, int lane) {
  const auto* low = warp.read<std::uint32_t>(i.a);
  const LaneMask found = simt::lanes_with(low, warp.exec, low[lane]);
  if (i.b == simt::no_slot) return found;
  const auto* high = warp.read<std::uint32_t>(i.b);
  return simt::lanes_with(high, found, high[lane]);
}

void match_any(Warp& warp, const simt::Instruction& i) {
  simt::write_groups(warp.write<LaneMask>(i.d), warp.exec,
                     [&](int lane) { return lanes_like(warp, i, lane); });
}

void match_all(Warp& warp, const simt::Instruction& i) {
  const bool same = lanes_like(warp, i, simt::first_lane(warp.exec)) == warp.exec;
  broadcast(warp.write<LaneMask>(i.d), warp.exec, same ? warp.exec : 0u);
  warp.set_mask(i.c, same ? simt::all_lanes : 0);
}

// MATCH.ANY R4, R2; MATCH.ANY.U64 R4, R2; MATCH.ALL PT, R4, R2
void decode_match(Decoder& decoder, simt::Instruction& instruction) {
  const bool is_wide = decoder.take("U64");
  std::size_t next = 0;
  if (decoder.take("ALL")) {
    instruction.c = decoder.write_predicate(next++);
    instruction.execute = match_all;
  } else {
    if (!decoder.take("ANY")) decoder.unsupported("its mode");
    instruction.execute = match_any;
  }
  instruction.d = decoder.write(next++);
  instruction.a = is_wide ? decoder.plain64(next) : decoder.plain(next);
  if (is_wide) instruction.b = instruction.a + RegisterSlots::step;
}

template <class T, class Operation>
void reduce(Warp& warp, const simt::Instruction& i) {
  broadcast(warp.write<T>(i.d), simt::all_lanes, simt::reduce_lanes<Operation>(warp.read<T>(i.a), warp.exec));
}

// REDUX.SUM UR4, R2: over the lanes that execute it; without an operation it is .AND.
void decode_reduce(Decoder& decoder, simt::Instruction& instruction) {
  const bool is_signed = decoder.take("S32");
  const std::string_view operation = decoder.take_next();
  if (operation == "SUM") instruction.execute = reduce<std::uint32_t, simt::Sum>;
  if (operation.empty() || operation == "AND") instruction.execute = reduce<std::uint32_t, simt::Both>;
  if (operation == "OR") instruction.execute = reduce<std::uint32_t, simt::Either>;
  if (operation == "XOR") instruction.execute = reduce<std::uint32_t, simt::Parity>;
  if (operation == "MIN")
    instruction.execute = is_signed ? reduce<std::int32_t, simt::Least> : reduce<std::uint32_t, simt::Least>;
  if (operation == "MAX")
    instruction.execute =
        is_signed ? reduce<std::int32_t, simt::Greatest> : reduce<std::uint32_t, simt::Greatest>;
  if (instruction.execute == nullptr) decoder.unsupported("its operation");
  instruction.d = decoder.write(0);
  instruction.a = decoder.plain(1);
}

constexpr Opcode opcodes[] = {
    Opcode{"SHFL", decode_shuffle, simt::Pipe::lsu, HardwarePipe::lsu}.uses(simt::DataUse::shuffle),
    Opcode{"VOTE", decode_vote, simt::Pipe::alu, HardwarePipe::alu}.uses(simt::DataUse::no_number),
    Opcode{"VOTEU", decode_vote, simt::Pipe::alu, HardwarePipe::alu}.uses(simt::DataUse::no_number),
    {"MATCH", decode_match, simt::Pipe::other, HardwarePipe::adu},
    {"REDUX", decode_reduce, simt::Pipe::other, HardwarePipe::adu},
};

}  // namespace

std::span<const Opcode> warp_opcodes() {
  return opcodes;
}

}  // namespace tilescope::sass
#endif
