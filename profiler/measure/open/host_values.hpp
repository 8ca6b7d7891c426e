#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profiler/kernels/cuda_source/cuda_source.hpp"
#include "profiler/measure/open/launch_guess.hpp"
#include "profiler/service/requests/file_subject.hpp"
#include "profiler/service/requests/host_call.hpp"

namespace tilescope {

/// A call of a function of the sources' host code, with the names that the function gives its arguments.
class NamedCall {
 public:
  /// The call that reaches the launch in `host_function`: of that function, else the first one, which calls it. Empty
  /// where there is none, or no source has its function.
  NamedCall(const std::vector<HostCall>& calls, const std::vector<std::shared_ptr<const CudaSource>>& sources,
            const std::string& host_function);

  bool is_empty() const { return call_ == nullptr; }
  const HostCall& call() const { return *call_; }
  /// Values of expressions of the host code, by their text without blanks: "n", "x.size(0)", "x.numel()", "x.stride(-1)".
  std::map<std::string, double> values() const;
  /// Gives the kernel's pointers the tensors that the host code passes: by the variable, else the one tensor with as many
  /// bytes as was allocated.
  void take_tensors(WrittenKernel& written) const;

 private:
  const HostCall* call_ = nullptr;
  /// By argument.
  std::vector<std::string> names_;
};

/// Kernels that the functions of calls launch, the last one of each function first.
std::vector<std::string> kernels_of(const std::vector<HostCall>& calls,
                                    const std::vector<std::shared_ptr<const CudaSource>>& sources);

/// Where the call returns one tensor, and one buffer that the launch writes has as many elements: that buffer is expected to
/// hold it. Returns why nothing is compared, a sentence; "" where it is. `arrays`: the files that the tensors name. Throws
/// std::invalid_argument for a file that is not read.
std::string expect_result(const HostCall& call, const std::vector<SentArray>& arrays, GuessedLaunch& launch);

}  // namespace tilescope
