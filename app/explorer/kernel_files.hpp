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
  /// Of each kernel, its headers included; none where the file cannot be read.
  CurrentSources sources;
  /// Why a declaration cannot be used, a sentence by kernel: that of the last good save is in force.
  std::map<std::string, std::string> errors;
  /// Of the catalogue as a whole, which is then the former one; "" for none.
  std::string problem;
};

/// Reads the kernels' folder; `former` are the declarations that stay where a file's own cannot be used.
KernelFiles read_kernel_files(const Installation& installation, const std::vector<KernelDeclaration>& former);

}  // namespace tilescope
