#pragma once

#include <bit>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "app/panels/tests/panels_fixture.hpp"

namespace tilescope {

/// The panels with a real worker that traces, on a small shape.
class TracedPanels : public Panels {
 protected:
  TracedPanels() {
    // An empty cache but for the downloads: in them may be the only NVRTC.
    const fs::path cache = scratch_.folder() / "cache";
    fs::create_directories(cache / "tilescope");
    fs::create_directory_symlink(find_installation().dependencies, cache / "tilescope" / "dependencies");
    setenv("XDG_CACHE_HOME", cache.c_str(), 1);
    Client::Options worker;
    worker.command = {REAL_WORKER, "worker"};
    explorer_ = std::make_unique<Explorer>(find_installation(), worker);
    explorer_->line_shown = [this] { ++lines_shown_; };
  }
  void TearDown() override {
    explorer_.reset();
    unsetenv("XDG_CACHE_HOME");
  }

  void choose(const std::string& kernel, const Configuration& parameters) {
    Experiment experiment = explorer_->selection().experiment();
    experiment.kernel = kernel;
    experiment.parameters = parameters;
    experiment.device = "L4";
    experiment.shape.B = 1;
    experiment.shape.Hq = experiment.shape.Hkv = 1;
    experiment.shape.Sq = experiment.shape.Sk = 77;
    explorer_->selection().set_experiment(experiment);
  }
  /// Frames as in the window, until the condition holds.
  template <class Condition>
  bool wait_until(testing::HeadlessGui& gui, Condition condition) {
    for (int i = 0; i < 3000 && !condition(); ++i) {
      explorer_->update();
      frame(gui);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    gui.frames();
    EXPECT_TRUE(gui.errors().empty()) << gui.errors().front();
    return condition();
  }
  bool wait_for(testing::HeadlessGui& gui, const std::string& mark) {
    return wait_until(gui, [&] { return gui.has(mark); });
  }
  void frame(testing::HeadlessGui& gui) {
    explorer_->memory_focus().next_frame();
    gui.frames(1);
  }
  const TracedBlock& block() const { return *explorer_->block_trace().block(); }

  int lines_shown_ = 0;
};

}  // namespace tilescope
