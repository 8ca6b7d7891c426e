// Compilers that keep the other cores busy while a GPU is timed.
#pragma once

#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "profiler/installation.hpp"
#include "profiler/kernels/compile/nvrtc.hpp"

namespace tilescope::gpu_point {

/// This program again, at the lowest priority, with `compile_forever`.
class Compilers {
 public:
  explicit Compilers(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      char self[] = "/proc/self/exe", argument[] = "compile_forever";
      char* arguments[] = {self, argument, nullptr};
      pid_t process = 0;
      if (posix_spawn(&process, self, nullptr, nullptr, arguments, environ) == 0)
        processes_.push_back(process);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // until they compile
  }
  ~Compilers() {
    for (const pid_t process : processes_) ::kill(process, SIGKILL);
    for (const pid_t process : processes_) ::waitpid(process, nullptr, 0);
  }
  Compilers(const Compilers&) = delete;
  Compilers& operator=(const Compilers&) = delete;

 private:
  std::vector<pid_t> processes_;
};

inline int compile_forever() {
  ::setpriority(PRIO_PROCESS, 0, 19);
  const Installation installation = find_installation();
  const char* toolkit = std::getenv("TILESCOPE_CUDA");
  const Nvrtc nvrtc =
      Nvrtc::open({toolkit == nullptr ? "" : toolkit, installation.dependencies, std::nullopt});
  const std::string source = R"(
template <int N> __device__ float deep(float x) { if constexpr (N > 0) return deep<N - 1>(x * x + N); else return x; }
extern "C" __global__ void busy(float* x) {
  for (int i = 0; i < 64; ++i) x[i] = deep<60>(x[i]) + deep<61>(x[i + 1]) + deep<62>(x[i + 2]);
})";
  while (::getppid() != 1) nvrtc.compile("busy.cu", source, {}, {"--gpu-architecture=sm_90a", "--std=c++17"});
  return 0;
}

}  // namespace tilescope::gpu_point
