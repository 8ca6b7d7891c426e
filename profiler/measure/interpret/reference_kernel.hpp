#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/files/launch_file.hpp"
#include "profiler/measure/files/reference_launch.hpp"
#include "profiler/measure/interpret/other_kernel.hpp"
#include "profiler/measure/interpret/run_limit.hpp"

namespace tilescope {

/// Runs all blocks of the reference kernel and returns what it left in each buffer that is compared, by name; an element
/// that it did not write may have any value. `before`: as of OtherKernel. Throws OtherKernelFailed where it cannot be
/// launched, ends with a fault, writes none of the buffers, or takes longer than the limit.
std::map<std::string, ExpectedValues> values_of_reference(FileProgram kernel,
                                                          const ReferenceLaunch& reference,
                                                          const std::vector<SentArray>& arrays,
                                                          const BufferContents& before,
                                                          const RunLimit& limit);

}  // namespace tilescope
