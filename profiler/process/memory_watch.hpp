#pragma once

#include <cstdint>
#include <thread>

namespace tilescope {

/// [B] What a process may take by default: three quarters of the memory of this machine, or of the control group that
/// this process is in, whichever is less.
std::uint64_t default_memory_limit();

/// Ends this process with a sentence on stderr and `exit_code` once it has more than `limit` [B] in memory. Looks ten
/// times a second. 0: never.
class MemoryWatch {
 public:
  MemoryWatch(std::uint64_t limit, int exit_code);
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace tilescope
