#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/execution/sass/disassembler.hpp"
#include "profiler/execution/sass/tests/random_programs/random_program.hpp"
#include "profiler/kernels/compile/nvrtc.hpp"

namespace tilescope::random_programs {

/// Outcome of the kernels of one module.
struct Agreement {
  /// Kernels that both interpreters executed to their ends.
  int compared = 0;
  /// Kernels that would take too long.
  int skipped = 0;
  /// A sentence for each kernel in which the machine code wrote something else than the PTX, faulted, or is unsupported.
  std::vector<std::string> differences;
};

/// Compiles a program for an architecture, and runs the PTX and the machine code of each kernel on random_input(seed).
/// Throws CompileFailed and what the disassembler throws.
Agreement agreement(const RandomProgram& program, std::uint64_t seed, const std::string& architecture,
                    const Nvrtc& nvrtc, const sass::Disassembler& nvdisasm);

}  // namespace tilescope::random_programs
