#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/measure/files/file_launch.hpp"
#include "profiler/measure/gpu/file_on_gpu.hpp"
#include "profiler/service/requests/open_file.hpp"

namespace tilescope {

/// A buffer that a launch writes, an index into FileLaunch::buffers(), with what the interpreter left in it.
struct OutputContents {
  std::size_t buffer = 0;
  std::vector<std::byte> contents;
};
/// `names`: the outputs; empty for those that the launch file marks or says the values of.
std::vector<OutputContents> interpreted_outputs(const FileLaunch& launch,
                                                const std::vector<std::string>& names);

/// Whether a launch can run on a GPU too; else why it cannot, a sentence.
std::string why_not_on_gpu(const FileLaunch& launch);

/// Compares what a launch left on the GPU with the interpreter's result, where that is of the whole grid, and with
/// "expected" values: adds notes, and a finding for values that are wrong there.
void compare_with_gpu(const FileOnGpu& gpu, const FileLaunch& launch,
                      const std::vector<OutputContents>& interpreted, bool is_whole_grid, OpenedPoint& point);

}  // namespace tilescope
