#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/execution/memory/last_writers.hpp"
#include "profiler/measure/files/file_launch.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/interpret/run_limit.hpp"
#include "sessions/status.hpp"

namespace tilescope {

/// Another kernel of the file did not run to its end. The message is a sentence that says why, without the kernel's name.
class OtherKernelFailed : public std::runtime_error {
 public:
  OtherKernelFailed(Status status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  Status status() const { return status_; }

 private:
  Status status_;
};

/// Another kernel of the file, which is launched on buffers with the contents of a launch's.
class OtherKernel {
 public:
  /// `document`: its launch (launch_on_same_buffers()). `before`: contents of buffers that differ from the document's.
  /// Throws OtherKernelFailed where it cannot be launched.
  OtherKernel(FileProgram kernel, const std::string& document, const std::vector<SentArray>& arrays,
              const BufferContents& before);

  FileLaunch& launch() { return launch_; }
  /// Runs all of its blocks, and returns for each of these buffers what they wrote. Throws OtherKernelFailed where it ends
  /// with a fault or takes longer than the limit.
  std::vector<BufferWriters> run(const std::vector<const FileLaunch::Buffer*>& watched,
                                 const RunLimit& limit);

 private:
  FileLaunch launch_;
};

}  // namespace tilescope
