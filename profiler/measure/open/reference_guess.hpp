#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "profiler/measure/open/file_kernels.hpp"
#include "profiler/measure/open/other_kernel_guess.hpp"

namespace tilescope {

/// A guessed launch of a reference kernel becomes "reference" of a launch document. `outputs`: buffers that the launch
/// writes, of which those that the reference writes, too, are compared; empty where that is not known. `choices`: as of
/// OtherKernelSources, with "tolerance". Throws std::invalid_argument where it writes none of them.
Json reference_member(const OtherKernelGuess& reference, const std::vector<std::string>& outputs,
                      const std::map<std::string, std::string>& choices);

/// Another kernel whose arguments have the same types, which may compute the same: the one that the file launches first,
/// often its plainest. Null where there is none.
const OpenedKernel* kernel_with_equal_arguments(const FileKernels& kernels, const std::string& entry,
                                                const std::vector<std::string>& launched);

}  // namespace tilescope
