#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"
#include "sessions/standing.hpp"

namespace tilescope {

/// The kernels as their files are at one moment.
struct KernelFiles {
  std::vector<KernelDeclaration> kernels;
  /// Without those whose last good declaration is among the kernels.
  std::vector<BrokenKernel> broken;
  /// The source of each kernel with its headers; a kernel whose file cannot be read has none.
  CurrentSources sources;
  /// Why a declaration cannot be used: one sentence per kernel. The last good declaration stays in force.
  std::map<std::string, std::string> errors;
  /// Error of the whole catalogue, in which case the previous catalogue stays in force; "" for none.
  std::string problem;
};

/// Reads the kernels' folder; `former` are the declarations that stay where a file's own cannot be used.
KernelFiles read_kernel_files(const Installation& installation, const std::vector<KernelDeclaration>& former);

}  // namespace tilescope
