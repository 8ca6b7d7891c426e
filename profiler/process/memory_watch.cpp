#include "profiler/process/memory_watch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

namespace tilescope {
namespace {

using namespace std::chrono_literals;

constexpr auto interval = 100ms;

/// [B] of this process in memory; 0 where that cannot be read.
std::uint64_t resident_bytes(int statm) {
  char text[128] = {};
  if (pread(statm, text, sizeof text - 1, 0) <= 0) return 0;
  char* end = nullptr;
  std::strtoull(text, &end, 10);
  return std::strtoull(end, nullptr, 10) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// "max" and a missing file mean no limit.
std::uint64_t group_limit() {
  std::string line, path;
  for (std::ifstream groups("/proc/self/cgroup"); std::getline(groups, line);) {
    if (line.starts_with("0::")) path = line.substr(3);
  }
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max(), found = 0;
  for (const std::string& file :
       {"/sys/fs/cgroup" + path + "/memory.max", std::string("/sys/fs/cgroup/memory.max"),
        std::string("/sys/fs/cgroup/memory/memory.limit_in_bytes")}) {
    if (std::ifstream(file) >> found) limit = std::min(limit, found);
  }
  return limit;
}

std::string reason_for(std::uint64_t limit) {
  return fmt::format(
      "ended because it took more than its limit of {:.1f} GiB of memory: choose a smaller shape, fewer "
      "blocks or "
      "smaller buffers",
      static_cast<double>(limit) / static_cast<double>(std::uint64_t{1} << 30));
}

void watch(const std::stop_token& stop, std::uint64_t limit, const MemoryWatch::End& end) {
  const int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (statm < 0) return;
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  while (!woken.wait_for(lock, stop, interval, [] { return false; }) && !stop.stop_requested()) {
    if (resident_bytes(statm) > limit) {
      end(reason_for(limit));
      break;
    }
  }
  close(statm);
}

}  // namespace

std::uint64_t default_memory_limit() {
  const auto machine =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return std::min(machine, group_limit()) / 4 * 3;
}

MemoryWatch::MemoryWatch(std::uint64_t limit, End end) {
  if (limit == 0) return;
  // Signals go to the threads that handle them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ =
      std::jthread([limit, end = std::move(end)](const std::stop_token& stop) { watch(stop, limit, end); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

MemoryWatch::~MemoryWatch() = default;  // stops and joins the thread

}  // namespace tilescope
