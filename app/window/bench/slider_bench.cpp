// The time from a slider move until the window has its point, through the real worker: configurations that
// were never compiled, then the same ones with cached binaries, both checked and counted by the interpreter
// without a GPU, then again with their points in the session; steps to neighbours after a rest; and
// tensor-core kernels. Measures also the time until new ones are checked and counted, which may come before
// the point, and the time until new and cached ones have a prediction, which comes from the executed machine
// code: for new ones also without the time of the compiler. Prints a line of JSON per figure.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/explorer/tests/scratch_folder.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"

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
  void wait_for(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [this] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rung_ = false;
};

/// [ms] from a move until its point was checked and counted, until it had a prediction, and until it was there.
struct Answer {
  double counted_ms = 0;
  double predicted_ms = 0;
  double final_ms = 0;
  /// Compiler's share of these times; 0 for a cached binary.
  double compile_ms = 0;
  double beyond_compile_ms = 0;
};
using Answers = std::vector<Answer>;

/// Nothing where the point failed or has no prediction, or the sliders stand there already.
std::optional<Answer> move_to(Explorer& explorer, Bell& bell, Experiment experiment) {
  experiment.parameters = explorer.selection().kernel().complete(experiment.parameters);
  if (experiment == explorer.selection().experiment()) return std::nullopt;
  const auto start = Clock::now();
  const auto passed = [start] {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  };
  Answer answer;
  explorer.selection().set_experiment(std::move(experiment));
  while (!explorer.jobs().current_point()) {
    const auto& partial = explorer.jobs().partial_point();
    if (partial && partial->so_far.memory && answer.counted_ms == 0) answer.counted_ms = passed();
    if (partial && partial->so_far.prediction && answer.predicted_ms == 0) answer.predicted_ms = passed();
    bell.wait();
    explorer.update();
  }
  answer.final_ms = passed();
  if (answer.counted_ms == 0) answer.counted_ms = answer.final_ms;
  const Measurement& point = *explorer.jobs().current_point();
  if (point.status != Status::ok || !point.prediction) return std::nullopt;
  if (answer.predicted_ms == 0) answer.predicted_ms = answer.final_ms;
  if (!point.provenance.binary_from_cache) answer.compile_ms = point.provenance.compile_ms;
  answer.beyond_compile_ms = answer.predicted_ms - answer.compile_ms;
  return answer;
}

/// Every combination of the values, other parameters as they are.
Answers move_over(Explorer& explorer, Bell& bell,
                  const std::vector<std::pair<std::string, std::vector<ParameterValue>>>& values) {
  Answers answers;
  Experiment experiment = explorer.selection().experiment();
  for (Configuration& configuration :
       expand_grid(explorer.selection().kernel(), experiment.parameters, values)) {
    if (!explorer.selection().why_invalid_with(configuration).empty()) continue;
    experiment.parameters = std::move(configuration);
    if (const auto answer = move_to(explorer, bell, experiment)) answers.push_back(*answer);
  }
  return answers;
}

std::vector<ParameterValue> numbers(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

Answers move_over_flash_scalar(Explorer& explorer, Bell& bell) {
  return move_over(explorer, bell,
                   {{"BLOCK_N", numbers({16, 32, 64, 128})},
                    {"SMEM_LAYOUT", {"row_major", "padded", "xor_swizzle"}},
                    {"VEC_WIDTH", numbers({1, 2, 4, 8})}});
}

/// A point of the session would be there without having been prepared.
void require_new(const Explorer& explorer, const Experiment& experiment) {
  const std::string here = identity(explorer.selection().complete(experiment));
  for (const SharedMeasurement& point : explorer.points().list()) {
    if (identity(experiment_of(*point)) == here)
      throw std::logic_error("the session has " + to_string(point->parameters));
  }
}

/// One step of a slider at a time, each after a rest in which neighbours may be prepared.
Answers step_after_rests(Explorer& explorer, Bell& bell, std::chrono::milliseconds rest) {
  Answers answers;
  const std::vector<std::pair<std::string, std::vector<std::int64_t>>> steps{
      {"BLOCK_N", {32, 64, 128}}, {"NUM_WARPS", {4, 2}}, {"BLOCK_M", {16, 8}}, {"VEC_WIDTH", {4, 2, 1}}};
  for (const auto& [parameter, values] : steps) {
    for (const std::int64_t value : values) {
      for (const auto end = Clock::now() + rest; Clock::now() < end;) {
        bell.wait_for(std::chrono::milliseconds(10));
        explorer.update();
      }
      Experiment experiment = explorer.selection().experiment();
      experiment.parameters[parameter] = value;
      require_new(explorer, experiment);
      if (const auto answer = move_to(explorer, bell, std::move(experiment))) answers.push_back(*answer);
    }
  }
  return answers;
}

void choose(Explorer& explorer, Bell& bell, const std::string& kernel, Configuration parameters) {
  Experiment experiment = explorer.selection().experiment();
  experiment.kernel = kernel;
  experiment.parameters = std::move(parameters);
  explorer.selection().set_experiment(std::move(experiment));
  while (!explorer.jobs().current_point()) {
    bell.wait();
    explorer.update();
  }
}

void print_median(const std::string& name, const Answers& answers, double Answer::*figure, double target) {
  std::vector<double> times;
  for (const Answer& answer : answers) times.push_back(answer.*figure);
  std::sort(times.begin(), times.end());
  if (times.empty()) return;
  fmt::print("{{\"name\": \"{} (median of {})\", \"value\": {:.3f}, \"unit\": \"ms\", \"target\": {}}}\n",
             name, times.size(), times[times.size() / 2], target);
  std::fflush(stdout);
}

/// Prints the times of new configurations: the goal is the compiler's time plus 50 ms.
void print_prediction(const std::string& kernel, const Answers& answers) {
  const std::string name = "a new " + kernel + " configuration, ";
  print_median(name + "predicted", answers, &Answer::predicted_ms, 300);
  print_median(name + "the compiler's part", answers, &Answer::compile_ms, 250);
  print_median(name + "predicted, without it", answers, &Answer::beyond_compile_ms, 50);
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
  const Answers fresh = move_over_flash_scalar(explorer, bell);
  print_median("a move to a new flash_scalar configuration, counted", fresh, &Answer::counted_ms, 98);
  print_median("a move to a new flash_scalar configuration, final", fresh, &Answer::final_ms, 163);
  print_prediction("flash_scalar", fresh);
  explorer.points().new_session();
  const Answers cached = move_over_flash_scalar(explorer, bell);
  print_median("a move to a cached configuration, final", cached, &Answer::final_ms, 12);
  print_median("a move to a cached configuration, predicted", cached, &Answer::predicted_ms, 15);
  const Answers known = move_over_flash_scalar(explorer, bell);
  print_median("a move to a point of the session, final", known, &Answer::final_ms, 5);
  choose(explorer, bell, "flash_scalar", {{"SYNC_POLICY", "heavy"}, {"BLOCK_N", std::int64_t{16}}});
  const Answers steps = step_after_rests(explorer, bell, std::chrono::seconds(2));
  print_median("a step to a neighbour after 2 s of rest, final", steps, &Answer::final_ms, 30);
  choose(explorer, bell, "mma_flash", {});
  const Answers mma = move_over(explorer, bell,
                                {{"BLOCK_N", numbers({16, 32, 64, 128})},
                                 {"NUM_WARPS", numbers({2, 4})},
                                 {"STAGES", numbers({1, 2, 3})}});
  print_median("a move to a new mma_flash configuration, D 64, counted", mma, &Answer::counted_ms, 94);
  print_median("a move to a new mma_flash configuration, D 64, final", mma, &Answer::final_ms, 157);
  print_prediction("mma_flash", mma);
}

}  // namespace
}  // namespace tilescope

int main() {
  tilescope::run();
}
