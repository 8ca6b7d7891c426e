#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/simt/address_space.hpp"
#include "profiler/execution/simt/program.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/measure/files/launch_file.hpp"
#include "profiler/service/requests/file_subject.hpp"

namespace tilescope {

/// A kernel of a file, with the memory and the parameters that its launch file describes.
class FileLaunch {
 public:
  struct Buffer {
    /// Its index among the arguments.
    std::size_t argument = 0;
    std::string name;
    Element element;
    std::uint64_t address = 0, bytes = 0;
  };

  /// Throws LaunchFileError where the launch does not fit the kernel, and std::runtime_error where it cannot be read or
  /// does not fit in memory.
  FileLaunch(simt::Program program, const FileSubject& subject);
  FileLaunch(const FileLaunch&) = delete;
  FileLaunch& operator=(const FileLaunch&) = delete;

  const simt::Program& program() const { return program_; }
  const simt::Launch& launch() const { return launch_; }
  simt::GlobalMemory& memory() { return memory_; }
  const std::vector<Buffer>& buffers() const { return buffers_; }
  /// The bytes of a buffer as they are now.
  std::string_view contents(const Buffer& buffer) const;

 private:
  void place_arguments(const LaunchFile& file);
  std::uint64_t place(const BufferArgument& buffer, std::size_t argument);

  simt::Program program_;
  simt::Launch launch_;
  simt::GlobalMemory memory_;
  std::vector<Buffer> buffers_;
};

LaunchGeometry geometry_of(const simt::Launch& launch);

/// Calls `run`, which launches a kernel of a file. Throws LaunchFileError for a launch that no GPU accepts, and
/// std::runtime_error with a sentence where memory does not suffice.
void with_launch_errors(const std::function<void()>& run);

}  // namespace tilescope
