#pragma once

#include <functional>
#include <string>
#include <vector>

#include "profiler/measure/files/earlier_launches.hpp"
#include "profiler/measure/files/file_launch.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/interpret/run_limit.hpp"

namespace tilescope {

/// Decodes another kernel of the file. Throws UnknownEntry.
using DecodeOther = std::function<FileProgram(const std::string& entry)>;

/// Runs all blocks of kernels, one after the other, on the buffers of a launch, and returns the contents of the buffers
/// that they wrote, by name. Variables in global memory begin anew with each kernel. Throws OtherKernelFailed, with the
/// kernel's name, where one of them cannot be launched, ends with a fault, or takes longer than the limit.
BufferContents contents_after(const std::vector<EarlierLaunch>& launches, const DecodeOther& decode,
                              const std::vector<SentArray>& arrays, const RunLimit& limit);

}  // namespace tilescope
