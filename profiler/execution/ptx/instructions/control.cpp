#include <string>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/observer.hpp"
#include "profiler/execution/simt/warp.hpp"

namespace tilescope::ptx {
namespace {

void nothing(Warp&, const Instruction&) {}

void decode_branch(Decoder& decoder, Instruction& instruction) {
  decoder.take("uni");  // a promise to the compiler, without meaning here
  instruction.flow = Flow::branch;
  decoder.take_label(0, instruction);
}

void decode_indexed_branch(Decoder& decoder, Instruction& instruction) {
  if (!decoder.take("idx")) decoder.unsupported("only brx.idx is executed");
  decoder.take("uni");
  instruction.flow = Flow::branch_table;
  instruction.a = decoder.read(0, Type::u32);
  decoder.take_table(1, instruction);
}

void decode_exit(Decoder&, Instruction& instruction) {
  instruction.flow = Flow::exit;
}

void decode_return(Decoder& decoder, Instruction& instruction) {
  decoder.take("uni");
  instruction.flow = decoder.function().is_entry ? Flow::exit : Flow::call_return;
}

void decode_trap(Decoder&, Instruction& instruction) {
  instruction.flow = Flow::trap;
}

// Operand `index` as a barrier's number: an immediate or a register.
void take_barrier(Decoder& decoder, Instruction& instruction, std::size_t index) {
  if (decoder.operand(index).kind == OperandSyntax::Kind::integer) {
    instruction.immediate = decoder.immediate(index);
    if (instruction.immediate < 0 || instruction.immediate > 15)
      decoder.unsupported("a barrier that is not 0 to 15");
    return;
  }
  instruction.a = decoder.read(index, Type::u32);
}

void take_reduction(Decoder& decoder, Instruction& instruction) {
  std::size_t next = 0;
  if (decoder.take("popc")) {
    if (!decoder.take("u32")) decoder.unsupported("a count that is not .u32");
    instruction.flags = static_cast<std::uint8_t>(BarrierForm::red_popc);
    instruction.d = decoder.write(next++, Type::u32);
  } else {
    const bool is_and = decoder.take("and");
    if (!is_and && !decoder.take("or")) decoder.unsupported("a reduction that is not .popc, .and or .or");
    if (!decoder.take("pred")) decoder.unsupported("a reduction that is not .pred");
    instruction.flags = static_cast<std::uint8_t>(is_and ? BarrierForm::red_and : BarrierForm::red_or);
    instruction.d = decoder.write_predicate(next++);
  }
  take_barrier(decoder, instruction, next++);
  if (decoder.operand_count() == next + 2) instruction.b = decoder.read(next++, Type::u32);
  const Decoder::Predicate predicate = decoder.read_predicate(next);
  instruction.c = predicate.slot;
  instruction.count = predicate.negated ? 1 : 0;
}

// bar.warp.sync waits for lanes, the others for threads of the block.
void decode_barrier(Decoder& decoder, Instruction& instruction) {
  if (decoder.take("warp")) {
    if (!decoder.take("sync")) decoder.unsupported("only bar.warp.sync is executed");
    instruction.flow = Flow::warp_barrier;
    instruction.a = decoder.read(0, Type::b32);
    return;
  }
  instruction.flow = Flow::block_barrier;
  decoder.take("cta");
  const bool has_aligned = decoder.opcode() == "barrier";
  const bool aligned = !has_aligned || decoder.take("aligned");
  instruction.width = aligned ? 1 : 0;
  if (decoder.take("red")) {
    take_reduction(decoder, instruction);
  } else if (decoder.take("arrive")) {
    instruction.flags = static_cast<std::uint8_t>(BarrierForm::arrive);
    take_barrier(decoder, instruction, 0);
    instruction.b = decoder.read(1, Type::u32);
  } else {
    if (!decoder.take("sync")) decoder.unsupported("a barrier that is not .sync, .arrive or .red");
    instruction.flags = static_cast<std::uint8_t>(BarrierForm::sync);
    take_barrier(decoder, instruction, 0);
    if (decoder.operand_count() > 1) instruction.b = decoder.read(1, Type::u32);
  }
}

// Memory here is sequentially consistent among the threads of a block, and blocks do not see each other's ordinary
// writes in an order that a fence could change. So a fence moves nothing; checkers see it.
void decode_fence(Decoder& decoder, Instruction& instruction) {
  for (const std::string_view word : {"gl", "gpu", "sys", "sc", "acquire"}) decoder.take(word);
  const bool is_of_block = decoder.take("cta"), is_of_cluster = decoder.take("cluster");
  simt::DataFacts& data = decoder.data();
  data.fence = is_of_block || is_of_cluster ? simt::FenceScope::block : simt::FenceScope::grid;
  const bool acquires_too = decoder.take("acq_rel");
  data.releases = decoder.take("release") || acquires_too;
  if (decoder.take("proxy")) {
    data.fence = simt::FenceScope::none;
    constexpr std::string_view proxies[] = {"alias", "async", "async::global", "async::shared::cta",
                                            "async::shared::cluster"};
    bool known = false;
    for (const std::string_view word : proxies) known = decoder.take(word) || known;
    if (!known) decoder.unsupported("a fence of this proxy");
  }
  if (decoder.take("mbarrier_init")) data.fence = simt::FenceScope::none;
  instruction.execute = simt::report_fence;
}

void decode_nothing(Decoder& decoder, Instruction& instruction) {
  decoder.take("u32");
  if (decoder.operand_count() == 1) decoder.read(0, Type::u32);
  instruction.execute = nothing;
}

// Programmatic dependent launch: a kernel here is launched alone, with nothing to wait for.
void decode_dependency(Decoder& decoder, Instruction& instruction) {
  if (!decoder.take("wait") && !decoder.take("launch_dependents")) decoder.unsupported("this dependency");
  instruction.execute = nothing;
}

// The number of registers that a warp may use does not change results.
void decode_register_count(Decoder& decoder, Instruction& instruction) {
  if (!decoder.take("inc") && !decoder.take("dec")) decoder.unsupported("neither .inc nor .dec");
  if (!decoder.take("sync") || !decoder.take("aligned") || !decoder.take("u32")) {
    decoder.unsupported("a form other than .sync.aligned.u32");
  }
  decoder.immediate(0);
  instruction.execute = nothing;
}

constexpr Opcode opcodes[] = {
    {"bra", decode_branch, Pipe::control},
    {"brx", decode_indexed_branch, Pipe::control},
    {"exit", decode_exit, Pipe::control},
    {"ret", decode_return, Pipe::control},
    {"trap", decode_trap, Pipe::control},
    {"brkpt", decode_trap, Pipe::control},
    {"bar", decode_barrier, Pipe::control, DataUse::no_number},
    {"barrier", decode_barrier, Pipe::control, DataUse::no_number},
    {"membar", decode_fence, Pipe::control, DataUse::fence},
    {"fence", decode_fence, Pipe::control, DataUse::fence},
    {"nanosleep", decode_nothing, Pipe::control},
    {"griddepcontrol", decode_dependency, Pipe::control},
    {"setmaxnreg", decode_register_count, Pipe::control},
};

}  // namespace

std::span<const Opcode> control_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
