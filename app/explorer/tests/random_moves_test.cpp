// Whatever is moved, cancelled and saved, in whatever order: what is there in the end is what asking once for each
// configuration gives, and the session has what was chosen alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "app/explorer/tests/explorer_driver.hpp"
#include "base/json.hpp"
#include "profiler/kernels/compile/kernel_source.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// All that a point says, but when it was made, and what was found out about its parameters while nothing was asked
/// for.
std::string text_of(const Measurement& point) {
  Json json = point;
  json["provenance"].erase("time_utc");
  json.erase("diagnoses");
  return json.dump();
}

/// The worker's words, see instant_worker.cpp.
using Words = std::vector<std::string>;

class RandomMoves : public testing::TestWithParam<std::tuple<Words, unsigned>> {
 protected:
  RandomMoves() {
    const Installation here = find_installation();
    fs::create_directories(root());
    fs::copy(here.kernels, root() / "kernels", fs::copy_options::recursive);
    fs::copy(here.root / "assets", root() / "assets", fs::copy_options::recursive);
    setenv("TILESCOPE_ROOT", root().c_str(), 1);
    explorer = start(scratch);
    explorer->kernels().watch();
  }
  ~RandomMoves() override { unsetenv("TILESCOPE_ROOT"); }

  static std::unique_ptr<Explorer> start(const ScratchFolder& folder) {
    const Words& words = std::get<0>(GetParam());
    // Each stage takes a part of the time.
    std::vector<std::string> command{INSTANT_WORKER, words.empty() ? "2" : "8"};
    command.insert(command.end(), words.begin(), words.end());
    auto started = start_explorer(folder, command);
    started->neighbours().on_battery = [] { return false; };
    return started;
  }

  fs::path root() const { return scratch / "root"; }
  fs::path kernel_file() const { return root() / "kernels/attention/flash_scalar.cu"; }
  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  }

  void choose(const Experiment& experiment) {
    chosen.insert(identity(explorer->selection().complete(experiment)));
  }
  /// The experiment under the sliders counts as chosen, however it came there.
  void note_choice() { choose(explorer->selection().experiment()); }

  void move_a_slider() {
    const KernelDeclaration& kernel = explorer->selection().kernel();
    const ParameterDeclaration& parameter = kernel.parameters[below(kernel.parameters.size())];
    explorer->selection().drag_parameter(parameter.name, parameter.values[below(parameter.values.size())]);
    if (below(2) == 0) explorer->selection().end_drag();
  }
  void sweep_or_cancel() {
    if (explorer->jobs().sweep() != nullptr) return explorer->jobs().cancel_sweep();
    for (const ParameterValue& value : explorer->selection().kernel().find_parameter("VEC_WIDTH")->values) {
      Experiment swept = explorer->selection().experiment();
      swept.parameters["VEC_WIDTH"] = value;
      choose(swept);
    }
    explorer->jobs().start_sweep({{"VEC_WIDTH", {}}});
  }
  void save_the_kernel() {
    std::ostringstream text;
    text << std::ifstream(kernel_file()).rdbuf();
    // Every other time the text stays as it is: an editor may save an unchanged file.
    const std::string edit = below(2) == 0 ? "" : "// edit " + std::to_string(below(1000)) + "\n";
    // By renaming, as editors do: no reader sees half of it.
    const fs::path beside = kernel_file().string() + "~";
    std::ofstream(beside) << text.str() << edit;
    fs::rename(beside, kernel_file());
  }
  void act() {
    switch (below(8)) {
      case 0:
        return explorer->selection().undo();
      case 1:
        return explorer->selection().redo();
      case 2:
        return sweep_or_cancel();
      case 3:
        return save_the_kernel();
      case 4:
        return explorer->neighbours().enable(!explorer->neighbours().is_enabled());
      default:
        return move_a_slider();
    }
  }
  /// Until the answer of what runs, or some neighbours, or not at all.
  void let_time_pass() {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(below(3) == 0 ? below(30) : 0);
    wait_for(*explorer, [&] { return std::chrono::steady_clock::now() >= end; });
    note_choice();
  }
  /// While the hand is on a slider, and its point grows where the worker sends stages.
  void save_in_a_drag() {
    move_a_slider();
    wait_for(*explorer, [&] {
      const auto& partial = explorer->jobs().partial_point();
      has_seen_latency_grow = has_seen_latency_grow || (partial && partial->so_far.latency);
      return explorer->jobs().current_point() || (partial && partial->stage >= last_stage());
    });
    note_choice();
    save();
  }
  void save() {
    ASSERT_TRUE(explorer->points().save_session(scratch / "saved.json"));
    const Session session = load_session(scratch / "saved.json");
    saved.insert(saved.end(), session.points.begin(), session.points.end());
  }
  static bool is_present() {
    const Words& words = std::get<0>(GetParam());
    return std::find(words.begin(), words.end(), "present") != words.end();
  }
  static PointStage last_stage() { return is_present() ? PointStage::timed : PointStage::checked; }
  bool come_to_rest() {
    const auto is_as_saved = [&] {
      const auto known = explorer->kernels().sources().find("flash_scalar");
      return known != explorer->kernels().sources().end() &&
             known->second == read_kernel_source(kernel_file(), root() / "kernels").sha256;
    };
    return wait_for(*explorer, is_as_saved) && settle(*explorer) && wait_for(*explorer, [&] {
             return explorer->activity().empty() && explorer->jobs().current_point() != nullptr &&
                    !explorer->jobs().measuring();
           });
  }

  ScratchFolder scratch;
  std::unique_ptr<Explorer> explorer;
  std::mt19937 random{std::get<1>(GetParam())};
  std::set<std::string> chosen;
  /// The points of all sessions that were saved.
  std::vector<SharedMeasurement> saved;
  bool has_seen_latency_grow = false;
};

TEST_P(RandomMoves, EndAsAskingOnceForEach) {
  ASSERT_TRUE(wait_for(*explorer, [&] { return !explorer->kernels().sources().empty(); }));
  note_choice();
  for (int i = 0; i < 60; ++i) {
    act();
    if (i % 6 == 0) {
      ASSERT_NO_FATAL_FAILURE(save_in_a_drag());
    }
    let_time_pass();
  }
  EXPECT_EQ(has_seen_latency_grow, is_present());
  ASSERT_TRUE(come_to_rest());
  note_choice();
  ASSERT_NO_FATAL_FAILURE(save());

  const ScratchFolder other;
  const std::unique_ptr<Explorer> once = start(other);
  once->neighbours().enable(false);
  ASSERT_TRUE(settle(*once));
  const auto ask_once = [&](Experiment experiment) {
    experiment.device.clear();  // As it was chosen.
    once->selection().set_experiment(experiment);
    EXPECT_TRUE(settle(*once));
    return text_of(*once->jobs().current_point());
  };
  EXPECT_EQ(text_of(*explorer->jobs().current_point()), ask_once(explorer->selection().experiment()));
  EXPECT_FALSE(explorer->points().list().empty());
  saved.insert(saved.end(), explorer->points().list().begin(), explorer->points().list().end());
  for (const SharedMeasurement& point : saved) {
    EXPECT_TRUE(chosen.contains(identity(experiment_of(*point)))) << to_string(point->parameters);
    EXPECT_FALSE(is_about_the_machine(point->status)) << point->reason;
    EXPECT_NE(point->status, Status::cancelled);
    EXPECT_EQ(point->latency.has_value(), is_present() && point->status != Status::compile_failed);
    // A provisional latency is wider.
    if (point->latency) {
      EXPECT_EQ(point->latency->p90_us, 50);
    }
    if (is_of_older_source(*point, explorer->kernels().sources())) continue;
    EXPECT_EQ(text_of(*point), ask_once(experiment_of(*point)));
  }
}

TEST_P(RandomMoves, WhatIsRestedAtIsInTheSession) {
  explorer->kernels().watch();
  for (int i = 0; i < 15; ++i) {
    move_a_slider();
    let_time_pass();
    if (i % 3 != 0) continue;
    ASSERT_TRUE(settle(*explorer));
    const SharedMeasurement here = explorer->jobs().current_point();
    if (here->status == Status::invalid_configuration) continue;
    const std::vector<SharedMeasurement>& session = explorer->points().list();
    EXPECT_NE(std::find(session.begin(), session.end(), here), session.end()) << to_string(here->parameters);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMoves,
                         testing::Combine(testing::Values(Words{}, Words{"stages"},
                                                          Words{"stages", "present"}),
                                          testing::Values(1U, 2U, 3U, 4U, 5U)));

}  // namespace
}  // namespace tilescope
