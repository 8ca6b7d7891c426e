// The time from a slider move until the window has its point, through the real worker: configurations that were never
// compiled, then the same ones with cached binaries, both checked and counted by the interpreter without a GPU, then
// again with their points in the session. Prints a line of JSON per figure.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "app/explorer/explorer.hpp"
#include "app/explorer/tests/scratch_folder.hpp"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

/// A small version of the window's event loop: waits until it is woken, as glfwWaitEvents does.
class Bell {
 public:
  void ring() {
    const std::lock_guard lock(mutex_);
    rung_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rung_ = false;
};

/// [ms] for each move that ended in a good point.
std::vector<double> move_all(Explorer& explorer, Bell& bell) {
  std::vector<double> times;
  for (const std::int64_t n : {16, 32, 64, 128}) {
    for (const char* layout : {"row_major", "padded", "xor_swizzle"}) {
      for (const std::int64_t width : {1, 2, 4, 8}) {
        Experiment experiment = explorer.selection().experiment();
        experiment.parameters["BLOCK_N"] = n;
        experiment.parameters["SMEM_LAYOUT"] = layout;
        experiment.parameters["VEC_WIDTH"] = width;
        if (experiment == explorer.selection().experiment()) continue;
        const auto start = Clock::now();
        explorer.selection().set_experiment(experiment);
        while (!explorer.jobs().current_point()) {
          bell.wait();
          explorer.update();
        }
        if (explorer.jobs().current_point()->status != Status::ok) continue;
        times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
      }
    }
  }
  return times;
}

void print_median(const char* name, std::vector<double> times, double target) {
  std::sort(times.begin(), times.end());
  if (times.empty()) return;
  fmt::print("{{\"name\": \"{} (median of {})\", \"value\": {:.3f}, \"unit\": \"ms\", \"target\": {}}}\n",
             name, times.size(), times[times.size() / 2], target);
}

void run() {
  const ScratchFolder scratch;
  const std::filesystem::path dependencies = find_installation().dependencies;
  std::filesystem::create_directories(scratch / "cache/tilescope");
  std::filesystem::create_directory_symlink(dependencies, scratch / "cache/tilescope/dependencies");
  setenv("XDG_CACHE_HOME", (scratch / "cache").c_str(), 1);
  setenv("XDG_DATA_HOME", (scratch / "data").c_str(), 1);
  Bell bell;
  Client::Options worker;
  worker.command = {REAL_WORKER, "worker"};
  Explorer explorer(find_installation(), worker, [&bell] { bell.ring(); });
  while (!explorer.jobs().current_point()) {
    bell.wait();
    explorer.update();
  }
  print_median("a slider move to a new configuration", move_all(explorer, bell), 450);
  explorer.points().new_session();
  print_median("a slider move to a cached configuration", move_all(explorer, bell), 60);
  print_median("a slider move to a point of the session", move_all(explorer, bell), 5);
}

}  // namespace
}  // namespace tilescope

int main() {
  tilescope::run();
}
