#include <string_view>
#include <utility>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/move_family.hpp"
#include "profiler/execution/simt/block.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/move.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {

struct SameWord {
  std::uint32_t operator()(std::uint32_t a) const { return a; }
};
Handler MoveHandler() {
  return unary<SameWord, std::uint32_t>;
}

// a where the predicate c is true, else b.
void select_word(Warp& warp, const Instruction& i) {
  const auto *a = warp.read<std::uint32_t>(i.a), *b = warp.read<std::uint32_t>(i.b);
  auto* d = warp.write<std::uint32_t>(i.d);
  const LaneMask choice = warp.mask(i.c), exec = warp.exec;
  TILESCOPE_INDEPENDENT_LANES
  for (int lane = 0; lane < lane_count; ++lane) {
    const std::uint32_t value = (choice >> lane & 1u) != 0 ? a[lane] : b[lane];
    d[lane] = (exec >> lane & 1u) != 0 ? value : d[lane];
  }
}
Handler SelectHandler() {
  return select_word;
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(MoveHandler);
HWY_EXPORT(SelectHandler);

void decode_move(Decoder& decoder, simt::Instruction& instruction) {
  act_uniformly(decoder, instruction);
  instruction.execute = HWY_DYNAMIC_DISPATCH(MoveHandler)();
  instruction.d = decoder.write(0);
  instruction.a = decoder.plain(1);
}

void decode_select(Decoder& decoder, simt::Instruction& instruction) {
  act_uniformly(decoder, instruction);
  instruction.execute = HWY_DYNAMIC_DISPATCH(SelectHandler)();
  instruction.d = decoder.write(0);
  instruction.a = decoder.plain(1);
  instruction.b = decoder.plain(2);
  const Decoder::Predicate choice = decoder.predicate(3);
  instruction.c = choice.slot;
  if (choice.is_negated) std::swap(instruction.a, instruction.b);
}

// ptxas leaves a NOP of a __syncwarp() whose lanes it knows to be together. Behind the code NOPs only fill up.
void order_lanes(simt::Warp& warp, const simt::Instruction&) {
  if (warp.block().observer != nullptr) warp.block().observer->warp_barrier(warp, warp.exec);
}
void decode_order(Decoder&, simt::Instruction& instruction) {
  instruction.execute = order_lanes;
}

using simt::Pipe;

// Threads know their index in the block and their lane; other special registers are read in the ADU.
void read_special_register(const InstructionParts& parts, simt::MachineFacts& facts) {
  if (parts.operands.empty()) return;
  const std::string& source = parts.operands.back().name;
  facts.reads_thread_index = source.starts_with("SR_TID") || source == "SR_LANEID";
}
HardwarePipes special_register_pipes(const simt::MachineFacts& facts, int) {
  return set_of({facts.reads_thread_index ? HardwarePipe::lsu : HardwarePipe::adu});
}

constexpr Opcode opcodes[] = {
    {"MOV", decode_move, Pipe::alu, HardwarePipe::alu},
    {"MOV32I", decode_move, Pipe::alu, HardwarePipe::alu},
    {"UMOV", decode_move, Pipe::uniform},
    {"SEL", decode_select, Pipe::alu, HardwarePipe::alu},
    {"USEL", decode_select, Pipe::uniform, HardwarePipe::uniform},
    {"S2R", decode_special_register, Pipe::other, special_register_pipes, Effect::delayed_result,
     read_special_register},
    {"S2UR", decode_special_register, Pipe::other, special_register_pipes, Effect::delayed_result,
     read_special_register},
    {"CS2R", decode_special_register, Pipe::alu, HardwarePipe::alu},
    Opcode{"LDC", decode_constant_load, Pipe::other, HardwarePipe::adu}.uses(simt::DataUse::constant_load),
    Opcode{"ULDC", decode_constant_load, Pipe::other}.uses(simt::DataUse::constant_load),
    {"P2R", decode_predicates_to_register, Pipe::alu, HardwarePipe::alu},
    Opcode{"R2P", decode_register_to_predicates, Pipe::alu, HardwarePipe::alu}.uses(simt::DataUse::no_number),
    {"R2UR", decode_register_to_uniform, Pipe::alu, HardwarePipe::alu},
    {"QSPC", decode_space_query, Pipe::lsu, HardwarePipe::lsu, Effect::delayed_result},
    {"B2R", decode_barrier_result, Pipe::other, HardwarePipe::adu},
    {"BMOV", decode_barrier_move, Pipe::control},
    {"NOP", decode_order, Pipe::control},
};

}  // namespace

std::span<const Opcode> move_opcodes() {
  return opcodes;
}

}  // namespace tilescope::sass
#endif
