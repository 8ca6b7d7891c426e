#include "profiler/measure/interpret/other_kernel.hpp"

#include <fmt/format.h>

#include <utility>

namespace tilescope {
namespace {

FileLaunch launch_of(FileProgram kernel, const std::string& document, const std::vector<SentArray>& arrays) {
  if (!kernel.program) throw OtherKernelFailed(kernel.status, kernel.reason);
  FileSubject subject;
  subject.entry = kernel.entry;
  subject.launch = SentFile{"the launch of another kernel", document};
  subject.arrays = arrays;
  try {
    return {std::move(kernel), subject};
  } catch (const LaunchFileError& error) {
    throw OtherKernelFailed(Status::launch_failed, error.what());
  }
}

}  // namespace

OtherKernel::OtherKernel(FileProgram kernel, const std::string& document,
                         const std::vector<SentArray>& arrays, const BufferContents& before)
    : launch_(launch_of(std::move(kernel), document, arrays)) {
  launch_.begin_with(before);
}

std::vector<BufferWriters> OtherKernel::run(const std::vector<const FileLaunch::Buffer*>& watched,
                                            const RunLimit& limit) {
  std::vector<WatchedBuffer> buffers;
  buffers.reserve(watched.size());
  for (const FileLaunch::Buffer* const buffer : watched)
    buffers.push_back({buffer->address, buffer->bytes, buffer->element.bytes, {}});
  TraceOptions options;
  options.cancelled = [&limit] { return limit.is_over(); };
  WatchedRun run;
  try {
    with_launch_errors(
        [&] { run = run_watched(launch_.program(), launch_.launch(), launch_.memory(), buffers, options); });
  } catch (const LaunchFileError& error) {
    throw OtherKernelFailed(Status::launch_failed, error.what());
  }
  if (run.result.fault) throw OtherKernelFailed(Status::launch_failed, run.result.fault->text);
  if (!run.result.cancelled) return std::move(run.buffers);
  throw OtherKernelFailed(
      limit.failure().status,
      fmt::format("its {} blocks took longer than the time limit: choose smaller sizes, or give it more time "
                  "(--time-limit)",
                  launch_.launch().grid.count()));
}

}  // namespace tilescope
