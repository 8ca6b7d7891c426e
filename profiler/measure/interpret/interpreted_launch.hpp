#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/measure/prepare/prepared.hpp"

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

/// A launch in the interpreter with its own memory: Q, K and V are the problem's and read-only, O and LSE are filled
/// with NaN, scratch memory with zeros. The problem must outlive it.
class InterpretedLaunch {
 public:
  /// Throws ArgumentMismatch, DeclarationError and std::bad_alloc.
  InterpretedLaunch(const simt::Program& program, const Prepared& kernel, const ProblemInputs& problem);

  simt::GlobalMemory& memory() { return memory_; }
  const simt::Launch& launch() const { return launch_; }
  /// The current contents of the whole result.
  std::vector<std::uint16_t> output() const;
  /// The result, for TraceOptions::output.
  WatchedTensor output_tensor() const { return {output_address_, output_bytes_, sizeof(std::uint16_t)}; }

 private:
  simt::GlobalMemory memory_;
  simt::Launch launch_;
  std::uint64_t output_address_ = 0;
  std::uint64_t output_bytes_ = 0;
};

/// The kernel's own file, without its folder.
std::string main_file(const Prepared& kernel);

/// The tiles that the kernel declares, after its static arrays, and those arrays by their own names.
std::vector<NamedTile> named_tiles(const simt::Program& program, const Prepared& kernel);

}  // namespace tilescope
