#pragma once

#include <bit>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "app/explorer/memory/recorded_block.hpp"
#include "app/panels/tests/panels_fixture.hpp"

namespace tilescope {

/// The panels with the real worker, as soon as a test starts it: it compiles, traces and interprets.
class WorkerPanels : public Panels {
 protected:
  WorkerPanels() { setenv("XDG_CACHE_HOME", cache_of_process().c_str(), 1); }
  void TearDown() override {
    explorer_.reset();
    unsetenv("XDG_CACHE_HOME");
  }

  /// A cache with the downloads, in which may be the only NVRTC, and with the kernels that cases before this one compiled.
  static const fs::path& cache_of_process() {
    static const Scratch folder;
    static const fs::path cache = [] {
      fs::create_directories(folder.folder() / "tilescope");
      fs::create_directory_symlink(find_installation().dependencies,
                                   folder.folder() / "tilescope" / "dependencies");
      return folder.folder();
    }();
    fs::remove_all(cache / "tilescope" / "executions");
    return cache;
  }

  /// Without `measures_points` it answers panels alone.
  void start_worker(bool measures_points = true) {
    Client::Options worker;
    worker.command = {REAL_WORKER, "worker"};
    explorer_ = std::make_unique<Explorer>(find_installation(), worker, std::function<void()>(),
                                           Measure::time_limit, measures_points);
    explorer_->line_shown = [this] { ++lines_shown_; };
  }
  /// The root of an installation with kernels of its own, for the next start_worker().
  fs::path copied_installation() const {
    const fs::path source = TILESCOPE_SOURCE_DIR;
    fs::path root = scratch_.folder() / "root";
    fs::create_directories(root);
    fs::create_directory_symlink(source / "assets", root / "assets");
    fs::copy(source / "kernels", root / "kernels", fs::copy_options::recursive);
    setenv("TILESCOPE_ROOT", root.c_str(), 1);
    return root;
  }
  /// In a file of a copied installation.
  static void replace_in(const fs::path& file, const std::string& from, const std::string& to) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    std::string edited = text.str();
    ASSERT_NE(edited.find(from), std::string::npos) << from;
    edited.replace(edited.find(from), from.size(), to);
    std::ofstream(file) << edited;
  }

  static Shape small_shape() {
    Shape shape;
    shape.B = shape.Hq = shape.Hkv = 1;
    shape.Sq = shape.Sk = 77;
    return shape;
  }
  void choose(const std::string& kernel, const Configuration& parameters = {},
              const Shape& shape = small_shape()) {
    Experiment experiment = explorer_->selection().experiment();
    experiment.kernel = kernel;
    experiment.parameters = parameters;
    experiment.device = "L4";
    experiment.shape = shape;
    explorer_->selection().set_experiment(experiment);
  }
  /// Frames as in the window, until the condition holds.
  template <class Condition>
  bool wait_until(test_support::HeadlessGui& gui, Condition condition) {
    for (int i = 0; i < 3000 && !condition(); ++i) {
      explorer_->update();
      gui.frames(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    gui.frames();
    EXPECT_TRUE(gui.errors().empty()) << gui.errors().front();
    return condition();
  }
  bool wait_for(test_support::HeadlessGui& gui, const std::string& mark) {
    return wait_until(gui, [&] { return gui.has(mark); });
  }
  const RecordedBlock& block() const { return *explorer_->board().get<BlockRecorder>().shown(); }

  int lines_shown_ = 0;
};

/// Panels with a recorded block from the start.
class RecordedPanels : public WorkerPanels {
 protected:
  RecordedPanels() { start_worker(); }
};

}  // namespace tilescope
