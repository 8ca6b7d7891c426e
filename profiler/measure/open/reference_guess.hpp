#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "profiler/measure/open/file_kernels.hpp"
#include "profiler/measure/open/launch_guess.hpp"
#include "profiler/measure/open/other_kernel_guess.hpp"

namespace tilescope {

/// A guessed launch of a reference kernel becomes "reference" of a launch document. `outputs`: buffers that the launch
/// writes, of which those that the reference writes, too, are compared; empty where that is not known. `choices`: as of
/// OtherKernelSources, with "tolerance". Throws std::invalid_argument where it writes none of them.
Json reference_member(const OtherKernelGuess& reference, const std::vector<std::string>& outputs,
                      const std::map<std::string, std::string>& choices);

/// Whether the host code gives an output of one kernel another size than the argument of the other in the same place has.
/// `outputs`: parameters that the first one writes. False where a size is not known.
bool outputs_differ_in_size(const WrittenKernel& kernel, const WrittenKernel& other,
                            const std::vector<std::size_t>& outputs);

/// Another kernel whose arguments have the same types, which may compute the same: the one that the file launches first,
/// often its plainest, of those that `is_possible` takes by their names. Null where there is none.
const OpenedKernel* kernel_with_equal_arguments(const FileKernels& kernels, const std::string& entry,
                                                const std::vector<std::string>& launched,
                                                const std::function<bool(const std::string&)>& is_possible);

}  // namespace tilescope
