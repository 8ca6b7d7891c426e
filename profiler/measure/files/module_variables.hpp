#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "profiler/execution/simt/program.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/files/launch_file.hpp"

namespace tilescope {

/// Variables of a module that the host may set: Program::variables, and the ones in constant banks.
struct ModuleVariables {
  simt::Program& program;
  std::span<const ConstantVariable> constants;
};

/// Gives variables the values of "variables", as the host does with cudaMemcpyToSymbol. A value may be shorter than its
/// variable. Names are found as by symbols_named(). `placed` puts the addresses of buffers into bytes. Throws LaunchFileError.
void set_variables(const LaunchFile& file,
                   const std::function<std::vector<std::byte>(const LaunchBytes&)>& placed,
                   const ModuleVariables& module);

/// A note on the variables that the kernel's code uses, that are zero, and that the file gives no value: the host may
/// set them. "" where there are none.
std::string unset_variables_note(const ModuleVariables& module, const LaunchFile& file);

}  // namespace tilescope
