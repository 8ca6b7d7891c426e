#pragma once

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

namespace tilescope::testing {

/// Runs on a thread that may not raise a priority, nor may those that it makes: as in a process of an ordinary user.
inline void without_rights(const std::function<void()>& run) {
  std::thread([&run] {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> rights{};
    ::syscall(SYS_capset, &header, rights.data());
    run();
  }).join();
}

/// How many threads of this process have a nice value.
inline int threads_with_nice_value(int nice) {
  int count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const int id = std::stoi(task.path().filename().string());
    count += ::getpriority(PRIO_PROCESS, static_cast<id_t>(id)) == nice ? 1 : 0;
  }
  return count;
}

}  // namespace tilescope::testing
