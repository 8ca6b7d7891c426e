#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "profiler/measure/interpret/interpreted_launch.hpp"
#include "profiler/measure/prepare/prepared.hpp"

namespace tilescope {

/// A launch of a declared kernel: Q, K and V are the problem's and read-only, O and LSE are filled with NaN, scratch
/// memory with zeros. The problem must outlive it.
class ProblemLaunch : public InterpretedLaunch {
 public:
  /// Throws ArgumentMismatch, DeclarationError and std::bad_alloc.
  ProblemLaunch(std::shared_ptr<const simt::Program> program, const Prepared& kernel,
                const ProblemInputs& problem);

  /// The current contents of the whole result.
  std::vector<std::uint16_t> output() const;
  /// The result, for TraceOptions::output.
  WatchedTensor output_tensor() const {
    return {output_address_, output_bytes_, sizeof(std::uint16_t), output_kind_};
  }

 private:
  std::uint64_t output_address_ = 0;
  std::uint64_t output_bytes_ = 0;
  FloatKind output_kind_ = FloatKind::none;
};

/// The kernel's own file, without its folder.
std::string main_file(const Prepared& kernel);

/// The tiles that the kernel declares, after its static arrays, and those arrays by their own names.
std::vector<NamedTile> named_tiles(const simt::Program& program, const Prepared& kernel);

}  // namespace tilescope
