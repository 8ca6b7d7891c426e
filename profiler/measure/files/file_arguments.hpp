#pragma once

#include <cstdint>
#include <vector>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/execution/simt/address_space.hpp"
#include "profiler/execution/simt/program.hpp"
#include "profiler/measure/files/launch_file.hpp"
#include "profiler/measure/files/run_file.hpp"

namespace tilescope {

/// The memory and the parameters of a launch, as its file says. `file` must outlive it.
class FileArguments {
 public:
  FileArguments(const LaunchFile& file, const simt::Program& program);

  const simt::Launch& launch() const { return launch_; }
  simt::GlobalMemory& memory() { return memory_; }
  /// What they hold now.
  std::vector<FileRunBuffer> buffers() const;
  std::vector<GivenBuffer> given_buffers() const;

 private:
  std::byte* data(std::uint64_t address) const { return memory_.find(address, 1)->data; }

  const LaunchFile& file_;
  simt::Launch launch_;
  simt::GlobalMemory memory_;
  std::vector<std::uint64_t> addresses_;
};

}  // namespace tilescope
