#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/explorer/tests/scratch_folder.hpp"
#include "app/gui/panel.hpp"
#include "app/widgets/tests/headless_gui.hpp"

// From a click in the workspace Learn to the frame that shows its effect, through the real worker, without painting: a
// block of mma_flash at D 128 and 512 keys.
namespace tilescope {
namespace {

namespace fs = std::filesystem;

using PanelIds = std::vector<std::string>;
/// Panels in front when the workspace opens, and all of its tabs.
const PanelIds front_panels{"execution", "lesson", "softmax", "tiles"};
const PanelIds all_panels{"execution", "fragments", "lesson", "shared-memory", "softmax", "source", "tiles"};

/// A window of its own for each panel, as in the workspace.
class Learn {
 public:
  explicit Learn(const PanelIds& shown) : gui_(1600, 1000) {
    const fs::path cache = scratch_ / "cache";
    fs::create_directories(cache / "tilescope");
    fs::create_directory_symlink(find_installation().dependencies, cache / "tilescope" / "dependencies");
    setenv("XDG_CACHE_HOME", cache.c_str(), 1);
    setenv("XDG_DATA_HOME", (scratch_ / "data").c_str(), 1);
    setenv("XDG_CONFIG_HOME", (scratch_ / "config").c_str(), 1);
    setenv("TILESCOPE_ROOT", TILESCOPE_SOURCE_DIR, 1);
    Client::Options worker;
    worker.command = {REAL_WORKER, "worker"};
    explorer_ = std::make_unique<Explorer>(find_installation(), worker, std::function<void()>(),
                                           Measure::time_limit, false);
    panels_ = make_registered_panels();
    std::erase_if(panels_,
                  [&](const auto& panel) { return std::ranges::find(shown, panel->id()) == shown.end(); });
    gui_.show([this] {
      for (const auto& panel : panels_) panel->show(*explorer_, {});
    });
  }

  BlockStepping& stepping() { return explorer_->board().get<BlockStepping>(); }
  std::uint64_t slot() { return stepping().stop()->slot; }

  void choose(std::int64_t block_m, std::int64_t block_n) {
    Experiment experiment = explorer_->selection().experiment();
    experiment.kernel = "mma_flash";
    experiment.parameters = {{"BLOCK_M", block_m}, {"BLOCK_N", block_n}};
    experiment.device = "L4";
    experiment.shape = {};
    experiment.shape.Hq = experiment.shape.Hkv = 8;
    experiment.shape.Sq = experiment.shape.Sk = 512;
    experiment.shape.D = 128;
    explorer_->selection().set_experiment(experiment);
  }
  void frame() {
    explorer_->update();
    gui_.frames(1);
  }
  /// Frames until the condition holds, and one more that shows it. Returns the seconds.
  double until(const std::function<bool()>& condition) {
    const auto start = std::chrono::steady_clock::now();
    frame();
    while (!condition()) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      if (explorer_->update() || condition()) gui_.frames(1);
      if (std::chrono::steady_clock::now() - start > std::chrono::seconds(60))
        throw std::runtime_error("the worker did not answer: " + stepping().missing().text);
    }
    gui_.frames(1);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  double enter(std::int64_t block_m, std::int64_t block_n) {
    choose(block_m, block_n);
    return until([this] { return stepping().stop() && !stepping().is_outdated() && stepping().timeline(); });
  }
  /// Until nothing is asked for any more.
  void settle() {
    for (int quiet = 0; quiet < 50; ++quiet) {
      if (!explorer_->activity().empty()) quiet = 0;
      frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  double step(bool backwards) {
    StepTarget target;
    target.kind = StepTarget::Kind::warp;
    target.number = 0;
    target.backwards = backwards;
    const std::uint64_t before = slot();
    const auto start = std::chrono::steady_clock::now();
    stepping().go(target);
    until([&] { return slot() != before; });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  void go_to_middle() {
    StepTarget target;
    target.number = static_cast<std::int64_t>(stepping().stop()->slots / 2);
    stepping().go(target);
    until([&] { return slot() == static_cast<std::uint64_t>(*target.number); });
    settle();
  }

 private:
  ScratchFolder scratch_;
  test_support::HeadlessGui gui_;
  std::unique_ptr<Explorer> explorer_;
  std::vector<std::unique_ptr<Panel>> panels_;
};

constexpr std::int64_t configurations[][2] = {{64, 64}, {64, 32}, {32, 64}, {64, 16}};

void enter_with_a_new_code(benchmark::State& state) {
  Learn learn(front_panels);
  learn.enter(32, 32);  // the worker and its compiler are there
  std::size_t next = 0;
  for (auto _ : state) {
    const auto& [m, n] = configurations[next++ % std::size(configurations)];
    state.SetIterationTime(learn.enter(m, n));
  }
}

void enter_with_a_cached_code(benchmark::State& state) {
  Learn learn(front_panels);
  for (const auto& [m, n] : configurations) learn.enter(m, n);
  std::size_t next = 0;
  for (auto _ : state) {
    const auto& [m, n] = configurations[next++ % std::size(configurations)];
    state.SetIterationTime(learn.enter(m, n));
  }
}

void step(benchmark::State& state) {
  Learn learn(all_panels);
  learn.enter(64, 64);
  learn.go_to_middle();
  const bool backwards = state.range(0) != 0;
  for (auto _ : state) state.SetIterationTime(learn.step(backwards));
}

void frame_of_all_panels(benchmark::State& state) {
  Learn learn(all_panels);
  learn.enter(64, 64);
  learn.go_to_middle();
  for (auto _ : state) learn.frame();
}

BENCHMARK(enter_with_a_new_code)->UseManualTime()->Iterations(4)->Unit(benchmark::kMillisecond);
BENCHMARK(enter_with_a_cached_code)->UseManualTime()->Iterations(12)->Unit(benchmark::kMillisecond);
BENCHMARK(step)->ArgName("back")->Arg(0)->Arg(1)->UseManualTime()->Iterations(200)->Unit(
    benchmark::kMillisecond);
BENCHMARK(frame_of_all_panels)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilescope

BENCHMARK_MAIN();
