#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace tilescope {

/// [B] Default memory limit of a process: three quarters of the memory of this machine, or of the control
/// group that this process is in, whichever is less.
std::uint64_t default_memory_limit();

/// Ends this process once it has more than `limit` [B] in memory; 0: never. Looks ten times a second.
class MemoryWatch {
 public:
  /// Says why the process ends and ends it. Called on the watch's own thread, while the others go on.
  using End = std::function<void(const std::string& reason)>;

  MemoryWatch(std::uint64_t limit, End end);
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace tilescope
