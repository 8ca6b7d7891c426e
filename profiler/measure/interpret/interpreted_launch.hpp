#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"

namespace tilescope {

/// The declared arguments differ from the arguments of the kernel's code. The message has the argument and
/// both sizes.
class ArgumentMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The arguments in the layout of the kernel's .param space. Throws ArgumentMismatch.
std::vector<std::byte> parameter_bytes(const simt::Program& program, const KernelDeclaration& kernel,
                                       const std::vector<std::vector<std::byte>>& arguments);

/// One launch in the interpreter: the kernel's code, and the memory and the parameters that it gets, whether they are a
/// problem's (ProblemLaunch) or a launch file's (FileLaunch).
class InterpretedLaunch {
 public:
  virtual ~InterpretedLaunch() = default;
  InterpretedLaunch(const InterpretedLaunch&) = delete;
  InterpretedLaunch& operator=(const InterpretedLaunch&) = delete;

  const simt::Program& program() const { return *program_; }
  const simt::Launch& launch() const { return launch_; }
  simt::GlobalMemory& memory() { return memory_; }

  /// Runs the blocks that the options choose, on the memory as it is now. Throws what trace() throws.
  Traced run(const TraceOptions& options) { return trace(program(), launch_, memory_, options); }

 protected:
  explicit InterpretedLaunch(std::shared_ptr<const simt::Program> program) : program_(std::move(program)) {}

  /// Filled by the derived class.
  simt::Launch launch_;
  simt::GlobalMemory memory_;

 private:
  std::shared_ptr<const simt::Program> program_;
};

}  // namespace tilescope
