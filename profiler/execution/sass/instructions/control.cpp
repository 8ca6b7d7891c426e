#include <bit>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/observer.hpp"

// Branches, barriers and what orders memory. Targets are labels, which the decoder of the whole program resolves: see
// build_program.cpp.
namespace tilescope::sass {
namespace {

using simt::BarrierForm;
using simt::Flow;
using simt::LaneMask;
using simt::Warp;
using Kind = Operand::Kind;

void nothing(Warp&, const simt::Instruction&) {}

// The predicate beside the guard: `@!P0 EXIT P1`, `BSYNC P3, B0`, `BRA.U UP0, target`. Both must be true. Returns the
// index of the next operand.
std::size_t take_condition(Decoder& decoder, simt::Instruction& instruction) {
  if (!decoder.is(0, Kind::predicate) && !decoder.is(0, Kind::uniform_predicate)) return 0;
  const Decoder::Predicate predicate = decoder.predicate(0);
  instruction.c = predicate.slot;
  instruction.count = predicate.is_negated ? 1 : 0;
  return 1;
}

// `BRA target`, `BRA !P0, target` (the predicate beside the guard), `BRA.DIV UR4, target`.
void decode_branch(Decoder& decoder, simt::Instruction& instruction) {
  instruction.flow = Flow::branch;
  const bool if_diverged = decoder.take("DIV"), if_converged = decoder.take("CONV");
  decoder.take("U"), decoder.take("INC"), decoder.take("DEC");
  std::size_t next = 0;
  if (if_diverged || if_converged) {
    if (decoder.is(0, Kind::predicate)) decoder.unsupported("a predicate beside the mask of lanes");
    const Decoder::Source mask = decoder.source(next++);
    instruction.flow = Flow::branch_if_diverged;
    instruction.a = mask.slot;
    instruction.flags = if_converged ? 1 : 0;
    if (mask.is_inverted && mask.slot != decoder.zero()) decoder.unsupported("an inverted mask of lanes");
    if (mask.is_inverted) instruction.a = decoder.constant(simt::all_lanes);
  } else {
    next = take_condition(decoder, instruction);
  }
  if (decoder.take_operand(next).kind != Kind::label) decoder.unsupported("a target that is no label");
}

// "R4 `(function)": to R4 and R5, counted from the function, or from nothing where the jump is absolute: see jump_base in
// build_program.cpp. "R4 -0x970": to R4, the number and, where the jump is not absolute, the next instruction's address.
void take_jump_register(Decoder& decoder, simt::Instruction& instruction, std::size_t next,
                        bool is_absolute) {
  instruction.flow = Flow::jump;
  instruction.a = decoder.plain64(next++);
  if (decoder.is(next, Kind::integer)) {
    instruction.immediate = decoder.integer(next);
    if (!is_absolute)
      instruction.immediate +=
          static_cast<std::int64_t>(decoder.text().address) + simt::Program::instruction_bytes;
  } else if (decoder.is(next, Kind::label)) {
    decoder.take_operand(next);
  }
}

bool take_is_absolute(Decoder& decoder) {
  const bool is_absolute = decoder.take("ABS");
  if (!is_absolute && !decoder.take("REL")) decoder.unsupported("neither .REL nor .ABS");
  return is_absolute;
}

// CALL jumps; the code has put the return address into a register. CALL.ABS.NOINC R2: to the address in R2 and R3.
// CALL.REL.NOINC R6 `(kernel): to R6, counted from the kernel.
void decode_call(Decoder& decoder, simt::Instruction& instruction) {
  const bool is_absolute = take_is_absolute(decoder);
  decoder.take("NOINC");
  const std::size_t next = take_condition(decoder, instruction);
  if (decoder.is(next, Kind::reg)) {
    take_jump_register(decoder, instruction, next, is_absolute);
    instruction.flags = simt::jump_is_call;
    return;
  }
  instruction.flow = Flow::branch;
  const Operand& target = decoder.take_operand(next);
  if (target.kind != Kind::label && target.kind != Kind::symbol)
    decoder.unsupported("a target that is no label");
}

void load_address(Warp& warp, const simt::Instruction& i) {
  const auto address = static_cast<std::uint64_t>(i.immediate);
  auto* low = warp.write<std::uint32_t>(i.d);
  auto* high = warp.write<std::uint32_t>(i.d + RegisterSlots::step);
  for (LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
    low[simt::first_lane(rest)] = static_cast<std::uint32_t>(address);
    high[simt::first_lane(rest)] = static_cast<std::uint32_t>(address >> 32);
  }
}

// LEPC R20, `(label): the label's address; LEPC R20: the instruction's own. build_program.cpp fills `immediate`.
void decode_load_address(Decoder& decoder, simt::Instruction& instruction) {
  if (decoder.operand_count() > 1 && decoder.take_operand(1).kind != Kind::label)
    decoder.unsupported("a target that is no label");
  instruction.d = decoder.write(0, 2);
  instruction.execute = load_address;
}

// RET.REL.NODEC R4 `(function): to R4, counted from the start of the function that is called. RET.REL.NODEC P3, R4
// `(function): where P3 is true (the predicate beside the guard).
void decode_return(Decoder& decoder, simt::Instruction& instruction) {
  const bool is_absolute = take_is_absolute(decoder);
  decoder.take("NODEC");
  take_jump_register(decoder, instruction, take_condition(decoder, instruction), is_absolute);
}

// BRX R4 -0x970, BRXU UR4 -0x120: to the register, the next instruction's address and the number.
void decode_indexed_branch(Decoder& decoder, simt::Instruction& instruction) {
  decoder.take("INC"), decoder.take("DEC");
  take_jump_register(decoder, instruction, take_condition(decoder, instruction), false);
}

// JMX R4 0x0, JMXU UR4 0x0: to the address in the register and the number.
void decode_indexed_jump(Decoder& decoder, simt::Instruction& instruction) {
  decoder.take("INC"), decoder.take("DEC");
  take_jump_register(decoder, instruction, take_condition(decoder, instruction), true);
}

// EXIT; @!P0 EXIT P1: the lanes where P0 is false and P1 is true. What the modifiers say is for contexts that are saved.
void decode_exit(Decoder& decoder, simt::Instruction& instruction) {
  instruction.flow = Flow::exit;
  decoder.take("KEEPREFCOUNT"), decoder.take("NO_ATEXIT");
  take_condition(decoder, instruction);
}

void set_barrier(Warp& warp, const simt::Instruction& i) {
  const LaneMask lanes = simt::where_condition(warp, i, warp.exec);
  auto* mask = warp.write<LaneMask>(i.d);
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) mask[simt::first_lane(rest)] = lanes;
}

void decode_set_barrier(Decoder& decoder, simt::Instruction& instruction) {
  decoder.take("RELIABLE"), decoder.take("RECONVERGENT");
  const std::size_t next = take_condition(decoder, instruction);
  const Operand& barrier = decoder.take_operand(next);
  if (barrier.kind != Kind::barrier) decoder.unsupported("no convergence barrier");
  instruction.d = decoder.slots().barrier(barrier.index);
  if (decoder.take_operand(next + 1).kind != Kind::label) decoder.unsupported("a target that is no label");
  instruction.execute = set_barrier;
}

void decode_wait_at_barrier(Decoder& decoder, simt::Instruction& instruction) {
  decoder.take("RELIABLE"), decoder.take("RECONVERGENT");
  const Operand& barrier = decoder.take_operand(take_condition(decoder, instruction));
  if (barrier.kind != Kind::barrier) decoder.unsupported("no convergence barrier");
  instruction.flow = Flow::converge;
  instruction.a = decoder.slots().barrier(barrier.index);
}

// The lanes leave the barrier: the others no longer wait for them. A lane whose mask is another one waits at a barrier of
// its own in the same register.
void leave_barrier(Warp& warp, const simt::Instruction& i) {
  LaneMask leaving = simt::where_condition(warp, i, warp.exec);
  auto* mask = warp.write<LaneMask>(i.d);
  while (leaving != 0) {
    const LaneMask barrier = mask[simt::first_lane(leaving)];
    LaneMask members = 0;
    for (int lane = 0; lane < simt::lane_count; ++lane) members |= LaneMask{mask[lane] == barrier} << lane;
    for (LaneMask rest = members; rest != 0; rest &= rest - 1)
      mask[simt::first_lane(rest)] &= ~(leaving & members);
    leaving &= ~members;
  }
}

void decode_leave_barrier(Decoder& decoder, simt::Instruction& instruction) {
  decoder.take("RELIABLE"), decoder.take("RECONVERGENT");
  const Operand& barrier = decoder.take_operand(take_condition(decoder, instruction));
  if (barrier.kind != Kind::barrier) decoder.unsupported("no convergence barrier");
  instruction.d = decoder.slots().barrier(barrier.index);
  instruction.execute = leave_barrier;
}

// The label of .COLLECTIVE stands behind the ENDCOLLECTIVE, where all of its lanes continue anyway. Lanes with other
// masks continue apart behind .COLLECTIVE and .EXCLUSIVE (`flags` 1), for votes of parts of a warp.
void decode_warp_barrier(Decoder& decoder, simt::Instruction& instruction) {
  instruction.flow = Flow::warp_converge;
  std::size_t next = take_condition(decoder, instruction);
  const bool is_collective = decoder.take("COLLECTIVE");
  instruction.flags = decoder.take("EXCLUSIVE") || is_collective ? 1 : 0;
  instruction.a = decoder.take("ALL") ? decoder.constant(simt::all_lanes) : decoder.plain(next++);
  if (is_collective && decoder.take_operand(next).kind != Kind::label) decoder.unsupported("no label");
}

void take_reduction(Decoder& decoder, simt::Instruction& instruction) {
  if (decoder.take("POPC")) {
    instruction.flags = static_cast<std::uint8_t>(BarrierForm::red_popc);
    instruction.d = decoder.slots().barrier_count();
  } else {
    const bool is_and = decoder.take("AND");
    if (!is_and && !decoder.take("OR")) decoder.unsupported("a reduction that is not .POPC, .AND or .OR");
    instruction.flags = static_cast<std::uint8_t>(is_and ? BarrierForm::red_and : BarrierForm::red_or);
    instruction.d = decoder.slots().barrier_predicate();
  }
}

// BAR.SYNC 0x0; BAR.SYNC R4, 0x40; BAR.ARV 0x1, 0x40; BAR.RED.POPC 0x0, P1.
void decode_block_barrier(Decoder& decoder, simt::Instruction& instruction) {
  instruction.flow = Flow::block_barrier;
  const bool reduces = decoder.take("RED");
  if (reduces) {
    take_reduction(decoder, instruction);
  } else if (decoder.take("ARV")) {
    instruction.flags = static_cast<std::uint8_t>(BarrierForm::arrive);
  } else {
    if (!decoder.take("SYNC") && !decoder.take("SYNCALL")) decoder.unsupported("a barrier of this kind");
    instruction.flags = static_cast<std::uint8_t>(BarrierForm::sync);
  }
  decoder.take("DEFER_BLOCKING");
  if (decoder.is(0, Kind::integer)) {
    instruction.immediate = decoder.integer(0);
    if (instruction.immediate < 0 || instruction.immediate > 15)
      decoder.unsupported("a barrier that is not 0 to 15");
  } else {
    instruction.a = decoder.plain(0);
  }
  std::size_t next = 1;
  const std::size_t predicates = reduces ? 1 : 0;
  if (decoder.operand_count() > next + predicates) instruction.b = decoder.plain(next++);
  if (!reduces) return;
  const Decoder::Predicate predicate = decoder.predicate(next);
  instruction.c = predicate.slot;
  instruction.count = predicate.is_negated ? 1 : 0;
}

// Memory is sequentially consistent among the threads of a block, and blocks do not see each other's ordinary writes in
// an order that a fence could change. So a fence moves nothing, nor does an invalidation of a cache; checkers see them.
void decode_fence(Decoder& decoder, simt::Instruction& instruction) {
  while (!decoder.take_next().empty()) {
  }
  for (std::size_t i = 0; i < decoder.operand_count(); ++i) decoder.take_operand(i);
  simt::DataFacts& data = decoder.data();
  const bool is_of_block = decoder.parts().has("CTA") || decoder.parts().has("SM");
  if (data.use == simt::DataUse::fence)
    data.fence = is_of_block ? simt::FenceScope::block : simt::FenceScope::grid;
  instruction.execute = simt::report_fence;
}

void decode_nothing(Decoder& decoder, simt::Instruction& instruction) {
  for (std::size_t i = 0; i < decoder.operand_count(); ++i) decoder.take_operand(i);
  instruction.execute = nothing;
}

void decode_trap(Decoder& decoder, simt::Instruction& instruction) {
  while (!decoder.take_next().empty()) {
  }
  for (std::size_t i = 0; i < decoder.operand_count(); ++i) decoder.take_operand(i);
  instruction.flow = Flow::trap;
}

// RET, BRX, and WARPSYNC of a mask in a register read an address or a mask in the ADU, too.
HardwarePipes warp_barrier_pipes(const simt::MachineFacts& facts, int) {
  return facts.reads_mask ? set_of({HardwarePipe::adu, HardwarePipe::cbu}) : set_of({HardwarePipe::cbu});
}
void read_mask(const InstructionParts& parts, simt::MachineFacts& facts) {
  if (parts.operands.empty()) return;
  const Operand& mask = parts.operands.front();
  facts.reads_mask = mask.kind == Operand::Kind::reg && !mask.has_sign();
}

void read_scope(const InstructionParts& parts, simt::MachineFacts& facts) {
  facts.is_within_block = parts.has("CTA");
}

// "0x1, 0x80": the barrier's number and its threads. "R5" is a number that only the run knows: taken for all warps.
void read_barrier(const InstructionParts& parts, simt::MachineFacts& facts) {
  facts.only_arrives = parts.has("ARV");
  facts.defers_blocking = parts.has("DEFER_BLOCKING");
  for (std::size_t i = 0; i < parts.operands.size(); ++i) {
    const Operand& operand = parts.operands[i];
    if (operand.kind != Operand::Kind::integer) continue;
    const auto value = static_cast<std::uint32_t>(operand.value);
    if (i == 0) {
      facts.number = static_cast<std::uint8_t>(value & 15u);
    } else {
      facts.warps = static_cast<std::uint8_t>(value / simt::lane_count);
    }
  }
}

constexpr Opcode opcodes[] = {
    {"BRA", decode_branch, simt::Pipe::control, {}, Effect::jump},
    {"BRX", decode_indexed_branch, simt::Pipe::control, {HardwarePipe::adu, HardwarePipe::cbu}, Effect::jump},
    {"BRXU", decode_indexed_branch, simt::Pipe::control, HardwarePipe::cbu, Effect::jump},
    {"JMP", decode_branch, simt::Pipe::control, {}, Effect::jump},
    {"JMX", decode_indexed_jump, simt::Pipe::control, {HardwarePipe::adu, HardwarePipe::cbu}, Effect::jump},
    {"JMXU", decode_indexed_jump, simt::Pipe::control, HardwarePipe::cbu, Effect::jump},
    {"CALL", decode_call, simt::Pipe::control, HardwarePipe::cbu, Effect::jump},
    {"RET", decode_return, simt::Pipe::control, {HardwarePipe::adu, HardwarePipe::cbu}, Effect::jump},
    {"LEPC", decode_load_address, simt::Pipe::control},
    {"EXIT", decode_exit, simt::Pipe::control, HardwarePipe::cbu},
    {"BSSY", decode_set_barrier, simt::Pipe::control, HardwarePipe::cbu},
    {"BSYNC", decode_wait_at_barrier, simt::Pipe::control, HardwarePipe::cbu},
    {"BREAK", decode_leave_barrier, simt::Pipe::control, HardwarePipe::cbu},
    {"WARPSYNC", decode_warp_barrier, simt::Pipe::control, warp_barrier_pipes, Effect::delayed_result,
     read_mask},
    {"ENDCOLLECTIVE", decode_nothing, simt::Pipe::control},
    Opcode{"BAR", decode_block_barrier, simt::Pipe::control, HardwarePipe::adu, Effect::block_barrier,
           read_barrier}
        .uses(simt::DataUse::no_number),
    Opcode{"MEMBAR", decode_fence, simt::Pipe::control, HardwarePipe::lsu, Effect::memory_fence, read_scope}
        .uses(simt::DataUse::fence),
    {"FENCE", decode_fence, simt::Pipe::control},
    {"ERRBAR", decode_fence, simt::Pipe::control},
    {"CGAERRBAR", decode_fence, simt::Pipe::control, HardwarePipe::adu},
    Opcode{"CCTL", decode_fence, simt::Pipe::control, HardwarePipe::lsu}.uses(simt::DataUse::cache_hint),
    Opcode{"CCTLL", decode_fence, simt::Pipe::control}.uses(simt::DataUse::cache_hint),
    {"YIELD", decode_nothing, simt::Pipe::control},
    {"NANOSLEEP", decode_nothing, simt::Pipe::control},
    {"BPT", decode_trap, simt::Pipe::control},
};

}  // namespace

std::span<const Opcode> control_opcodes() {
  return opcodes;
}

}  // namespace tilescope::sass
