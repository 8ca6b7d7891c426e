#pragma once

#include <filesystem>
#include <string>

#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"
#include "profiler/kernels/compile/compiler.hpp"

namespace tilescope::hardware {

/// Compiles the cases to PTX, so that a GPU and the interpreter execute the same text.
class CaseCompiler {
 public:
  /// `root` is the repository; NVRTC comes from `dependencies` or TILESCOPE_CUDA. Throws NvrtcUnavailable.
  CaseCompiler(std::filesystem::path root, const std::filesystem::path& dependencies,
               const std::filesystem::path& cache);

  /// Throws CompileFailed, with the macros in the message.
  std::string ptx(const KernelText& kernel) const;
  std::string nvrtc_version() const { return compiler_.nvrtc().version(); }

 private:
  std::filesystem::path root_;
  Compiler compiler_;
};

}  // namespace tilescope::hardware
