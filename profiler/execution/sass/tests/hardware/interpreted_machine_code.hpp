#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profiler/execution/sass/disassembler.hpp"
#include "profiler/execution/sass/tests/hardware/machine_code_launch.hpp"
#include "profiler/execution/sass/tests/hardware/machine_code_record.hpp"
#include "profiler/execution/simt/address_space.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/observer.hpp"

namespace tilescope::hardware {

/// Counts and outputs of the interpreter.
struct InterpretedMachineCode {
  /// As RecordedLaunch has them, by the place of the instruction in the kernel's section.
  std::vector<std::uint64_t> executions, threads, threads_on;
  CountsByInstruction shared_wavefronts, global_sectors;
  /// The instructions as nvdisasm writes them; "" for one that it does not list.
  std::vector<std::string> texts;
  /// The buffers after the launch.
  std::vector<std::vector<std::byte>> buffers;
  /// The sentence of a fault; "" for none.
  std::string fault;
  /// The code has no instruction whose result is only defined within an error: MUFU and HMMA. Its outputs must have the
  /// GPU's bits.
  bool is_exact = true;
};

/// The launch with its buffers in `memory`, whose addresses are appended to `addresses`.
simt::Launch place_launch(const MachineCodeLaunch& launch, simt::GlobalMemory& memory,
                          std::vector<std::uint64_t>& addresses);

/// Runs all blocks of a launch by its machine code. Throws sass::Unsupported, sass::CubinError and
/// sass::DisassemblyError.
InterpretedMachineCode interpret(const MachineCodeLaunch& launch, const sass::Disassembler& nvdisasm);

/// A kind of count that is not the recorded one at every instruction.
struct CountDifference {
  /// "executions", "threads", "threads_on", "shared_wavefronts", "global_sectors"
  std::string kind;
  /// A sentence with the first place.
  std::string text;
};
std::vector<CountDifference> count_differences(const RecordedLaunch& recorded,
                                               const InterpretedMachineCode& interpreted);

/// A sentence for each buffer whose bytes are not those that the GPU left in it. Buffers without bytes in `gpu` were not
/// recorded.
std::vector<std::string> output_differences(const MachineCodeLaunch& launch,
                                            const std::vector<std::vector<std::byte>>& gpu,
                                            const InterpretedMachineCode& interpreted);

}  // namespace tilescope::hardware
