#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/disassembly.hpp"
#include "profiler/execution/simt/interpreter.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope::sass {

/// Decodes a kernel's machine code. `disassembly` is nvdisasm's text of the same file. Throws Unsupported, which names
/// the first instruction that is not executed, and CubinError.
simt::Program build_program(const Cubin& cubin, const Disassembly& disassembly, std::string_view entry);

/// How often an instruction was executed.
struct InstructionCount {
  /// [B] as Origin::address
  std::uint32_t address = 0;
  /// Into Program::code.
  std::uint32_t at = 0;
  /// By warps, with any lane or none whose guard is true.
  std::uint64_t executions = 0;
  /// Active lanes, summed, and active lanes whose guard was true.
  std::uint64_t lanes = 0, guarded_lanes = 0;
};

/// Counts of every instruction of the program, in the order of the code.
std::vector<InstructionCount> instruction_counts(const simt::Program& program, const simt::RunResult& result);

}  // namespace tilescope::sass
