#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/kernels/cuda_source/cuda_source.hpp"
#include "profiler/measure/open/launch_guess.hpp"

namespace tilescope {

/// "softmax" of "void ns::softmax<float>(float*)": the name that a source gives a kernel.
std::string plain_kernel_name(const std::string& demangled);

/// Whether a value rests on another one that its name suggests.
bool has_guessed_value(const std::string& reason);

/// Values for names to which a source gives none, such as a host function's parameter or the size of a tensor: what their
/// names suggest.
std::optional<double> suggested_value(const std::string& name, const std::string& type,
                                      const SuggestionBasis& basis = {});

/// A kernel as one of its sources writes it, with the first launch in any of them whose template arguments are the
/// kernel's, else the first one. `chosen`: the user's values, of which numbers go before the file's. Launches in the
/// function `host_function` go before others. Empty where no source has the kernel.
WrittenKernel written_kernel(const std::vector<std::shared_ptr<const CudaSource>>& sources,
                             const std::string& entry, const std::map<std::string, std::string>& chosen,
                             const SuggestionBasis& basis = {}, const std::string& host_function = "");

}  // namespace tilescope
