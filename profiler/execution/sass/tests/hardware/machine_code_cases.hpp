#pragma once

#include <functional>
#include <string>
#include <vector>

#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"
#include "profiler/execution/sass/tests/hardware/machine_code_launch.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/compile/compiler.hpp"

/// The launches whose machine code was recorded on a GPU: kernels of the catalogue, and the cases of
/// profiler/execution/ptx/tests/hardware.
namespace tilescope::hardware {

/// "sm_90a"
extern const std::string recorded_arch;

struct MachineCodeCase {
  /// Name, shape of the launch, buffers and the compared regions. A kernel of the catalogue has "rung/", "exhibit/",
  /// "baseline/" or "micro/" before its name.
  Case launch;
  std::function<CompiledKernel(const Compiler&)> compile;
};

/// Every launch, in the order in which they are recorded. Names are unique.
std::vector<MachineCodeCase> machine_code_cases(const Installation& installation);

/// Cases of the catalogue alone: all rungs, exhibits and microbenchmarks but global_latency, whose memory
/// holds addresses of itself, and sm_clock_probe, which runs until a time has passed.
std::vector<MachineCodeCase> catalogue_cases(const Installation& installation);

/// The compiler of the downloaded packages or of TILESCOPE_CUDA. Throws NvrtcUnavailable.
Compiler open_compiler(const Installation& installation);

/// The launch with the cubin that `compiler` makes and with the contents of its buffers. Throws CompileFailed and what
/// Compiler throws.
MachineCodeLaunch prepare(const MachineCodeCase& one, const Compiler& compiler);

}  // namespace tilescope::hardware
