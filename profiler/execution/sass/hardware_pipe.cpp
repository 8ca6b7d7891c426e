#include "profiler/execution/sass/hardware_pipe.hpp"

#include <array>

#include "profiler/execution/sass/opcode.hpp"

namespace tilescope::sass {

std::string_view name_of(HardwarePipe pipe) {
  constexpr std::array<std::string_view, hardware_pipe_count> names = {
      "adu", "alu", "cbu", "fma", "fma heavy", "fp16", "fp64", "lsu", "tensor", "uniform", "xu"};
  return names[static_cast<std::size_t>(pipe)];
}

HardwarePipes set_of(std::initializer_list<HardwarePipe> pipes) {
  HardwarePipes set;
  for (const HardwarePipe pipe : pipes) set.set(static_cast<std::size_t>(pipe));
  return set;
}

HardwarePipes pipes_of(const simt::MachineFacts& instruction, int architecture) {
  if (instruction.opcode == nullptr) return {};
  return instruction.opcode->hardware.pipes(instruction, architecture);
}

}  // namespace tilescope::sass
