#pragma once

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <string>

namespace tilescope::test_support {

/// Runs on a thread that may not raise a priority, nor may those that it makes: as in a process of an ordinary user.
inline void without_rights(const std::function<void()>& run) {
  rlimit before{};
  ::getrlimit(RLIMIT_NICE, &before);
  const rlimit none{0, before.rlim_max};
  ::setrlimit(RLIMIT_NICE, &none);
  auto done = std::async(std::launch::async, [&run] {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> rights{};
    ::syscall(SYS_capset, &header, rights.data());
    run();
  });
  done.wait();
  ::setrlimit(RLIMIT_NICE, &before);
  done.get();
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

}  // namespace tilescope::test_support
