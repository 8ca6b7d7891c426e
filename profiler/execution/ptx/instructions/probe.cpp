#include "profiler/execution/ptx/instructions/families.hpp"

#include <utility>

// "tilescope.probe.m %r1, %f1;": the comment of a step build, by which a kernel names a value (kernels/device/probe.cuh).
// No instruction of PTX: the interpreter reports it to the observer.
namespace tilescope::ptx {
namespace {

void decode_probe(Decoder& decoder, Instruction& instruction) {
  constexpr std::size_t most_operands = 4;
  if (!decoder.take("probe")) decoder.unsupported("only tilescope.probe is known");
  Probe probe;
  probe.name = std::string(decoder.take_next());
  const std::size_t count = decoder.operand_count();
  if (probe.name.empty() || count == 0 || count > most_operands) {
    decoder.unsupported("a probe has a name, up to three 32-bit integers and a 32-bit float");
  }
  for (std::size_t i = 0; i + 1 < count; ++i) probe.indices.push_back(decoder.read(i, Type::s32));
  probe.value = decoder.read(count - 1, Type::f32);
  decoder.set_pipe(Pipe::other);
  decoder.add_probe(instruction, std::move(probe));
}

constexpr Opcode opcodes[] = {{"tilescope", decode_probe, Pipe::other}};

}  // namespace

std::span<const Opcode> probe_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
