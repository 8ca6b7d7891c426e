// Points prepared while the worker is idle, with a worker that answers at once or after a delay.

#include "app/explorer/prefetch/neighbour_prefetch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <string>

#include "app/explorer/tests/explorer_driver.hpp"
#include "app/explorer/tests/request_log.hpp"

namespace tilescope {
namespace {

class Preparing : public testing::Test {
 protected:
  Preparing() { setenv(request_log_variable, log().c_str(), 1); }
  ~Preparing() override { unsetenv(request_log_variable); }

  void start(const std::string& delay_ms = "0", const std::string& machine = "absent") {
    explorer = start_explorer(scratch, {INSTANT_WORKER, delay_ms, machine});
    explorer->neighbours().on_battery = [] { return false; };
  }
  std::string log() const { return (scratch / "requests").string(); }
  std::vector<std::string> logged(const std::string& method) const {
    std::vector<std::string> lines = logged_requests(log());
    std::erase_if(lines, [&](const std::string& line) { return !line.starts_with(method + ":"); });
    return lines;
  }
  void move(const std::string& parameter, const ParameterValue& value) {
    explorer->selection().drag_parameter(parameter, value);
  }
  Experiment with(const std::string& parameter, const ParameterValue& value) const {
    Experiment experiment = explorer->selection().experiment();
    experiment.parameters[parameter] = value;
    return experiment;
  }
  bool is_known(const Experiment& experiment) const {
    return explorer->jobs().find_known(experiment) != nullptr;
  }
  std::size_t known_neighbours() const {
    const Selection& selection = explorer->selection();
    const std::vector<Neighbour> all =
        neighbours_of(selection.kernel(), selection.device(), selection.experiment(), {});
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](const Neighbour& n) { return is_known(n.experiment); }));
  }
  std::size_t neighbour_count() const {
    const Selection& selection = explorer->selection();
    return neighbours_of(selection.kernel(), selection.device(), selection.experiment(), {}).size();
  }
  bool prepare_all() {
    return settle(*explorer) && wait_for(*explorer, [&] { return known_neighbours() == neighbour_count(); });
  }
  bool has_dead_knob() const {
    const SharedMeasurement current = explorer->jobs().current_point();
    return current && current->diagnoses &&
           std::ranges::any_of(*current->diagnoses,
                               [](const Diagnosis& one) { return one.kind == "dead_knob"; });
  }
  /// Some time in which it could have begun.
  void let_it_be() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    wait_for(*explorer, [&] { return std::chrono::steady_clock::now() > end; });
  }

  ScratchFolder scratch;
  std::unique_ptr<Explorer> explorer;
};

TEST_F(Preparing, AVisitOfANeighbourIsAnsweredAtOnceAndOnlyVisitsAreInTheSession) {
  start();
  ASSERT_TRUE(prepare_all());
  ASSERT_EQ(explorer->points().list().size(), 1U) << "nobody chose the neighbours";
  move("BLOCK_M", std::int64_t{64});
  EXPECT_FALSE(explorer->jobs().measuring());
  ASSERT_NE(explorer->jobs().current_point(), nullptr);
  EXPECT_EQ(explorer->jobs().current_point()->parameters.at("BLOCK_M"), ParameterValue(std::int64_t{64}));
  ASSERT_EQ(explorer->points().list().size(), 2U);
  EXPECT_EQ(explorer->points().list().back(), explorer->jobs().current_point());
}

TEST_F(Preparing, TheSummaryOfASweepTellsPreparedPointsFromThoseOfTheSession) {
  start();
  ASSERT_TRUE(prepare_all());
  explorer->jobs().start_sweep({{"BLOCK_M", {std::int64_t{16}, std::int64_t{32}, std::int64_t{64}}}});
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->jobs().sweep_summary() != nullptr; }));
  const std::string& counts = explorer->jobs().sweep_summary()->counts;
  EXPECT_TRUE(counts.starts_with("3 points (1 in the session before, 2 prepared ahead)")) << counts;
}

TEST_F(Preparing, AValueThatADragOnlyCrossesIsNoPointOfTheSession) {
  start();
  ASSERT_TRUE(prepare_all());
  move("BLOCK_M", std::int64_t{64});
  ASSERT_EQ(explorer->points().list().size(), 2U) << "the hand is there";
  const SharedMeasurement crossed = explorer->jobs().current_point();
  move("BLOCK_M", std::int64_t{16});
  ASSERT_EQ(explorer->points().list().size(), 2U);
  const SharedMeasurement released = explorer->jobs().current_point();
  EXPECT_EQ(explorer->points().list().back(), released);
  EXPECT_EQ(explorer->jobs().find_known(with("BLOCK_M", std::int64_t{64})), crossed) << "still prepared";
  explorer->selection().end_drag();
  move("BLOCK_M", std::int64_t{64});
  ASSERT_EQ(explorer->points().list().size(), 3U);
  EXPECT_EQ(explorer->points().list()[1], released) << "the drag ended there: it was chosen";
  EXPECT_EQ(explorer->jobs().current_point(), crossed);
  explorer->selection().undo();
  EXPECT_EQ(explorer->points().list().size(), 3U) << "a step of its own";
}

TEST_F(Preparing, TheSliderOfTheLastMoveIsCountedFirst) {
  start();
  explorer->neighbours().enable(false);
  ASSERT_TRUE(settle(*explorer));
  move("VEC_WIDTH", std::int64_t{4});
  ASSERT_TRUE(settle(*explorer));
  explorer->neighbours().enable(true);
  ASSERT_TRUE(prepare_all());
  const std::vector<std::string> measured = logged("measure");
  ASSERT_GE(measured.size(), 6U);
  EXPECT_NE(measured[2].find("VEC_WIDTH=2"), std::string::npos) << measured[2];
  EXPECT_NE(measured[3].find("VEC_WIDTH=1"), std::string::npos) << measured[3];
  EXPECT_NE(measured[4].find("BLOCK_M=64"), std::string::npos) << "8 is there: " << measured[4];
  const std::vector<std::string> ahead = logged("compile_ahead");
  ASSERT_FALSE(ahead.empty());
  EXPECT_LT(ahead[0].find("VEC_WIDTH=2"), ahead[0].find("BLOCK_M=64")) << "the likeliest first";
}

TEST_F(Preparing, EachIsCountedOnceAndThenItRests) {
  start();
  ASSERT_TRUE(prepare_all());
  ASSERT_TRUE(wait_for(*explorer, [&] { return has_dead_knob(); }));
  const std::vector<std::string> before = logged_requests(log());
  let_it_be();
  EXPECT_EQ(logged_requests(log()), before);
  const std::vector<std::string> measured = logged("measure");
  EXPECT_EQ(std::set(measured.begin(), measured.end()).size(), measured.size());
  EXPECT_EQ(measured.size(), 1 + neighbour_count());
}

TEST_F(Preparing, ThenParametersWithoutEffectAreDiagnosed) {
  for (const char* machine : {"absent", "present"}) {
    start("0", machine);
    ASSERT_TRUE(settle(*explorer));
    ASSERT_FALSE(has_dead_knob()) << "nothing was compiled yet";
    ASSERT_TRUE(wait_for(*explorer, [&] { return has_dead_knob(); })) << machine;
    const SharedMeasurement current = explorer->jobs().current_point();
    EXPECT_EQ(explorer->points().list(), std::vector<SharedMeasurement>{current})
        << "it took the place of the point without";
    EXPECT_EQ(explorer->jobs().find_known(explorer->selection().experiment()), current);
    EXPECT_EQ(logged("parameter_effects").size(), 1U);
    std::filesystem::remove(log());
  }
}

TEST_F(Preparing, AMoveEndsTheSearchForParametersWithoutEffect) {
  start();
  ASSERT_TRUE(prepare_all());
  const SharedMeasurement first = explorer->jobs().current_point();
  move("BLOCK_M", std::int64_t{64});
  ASSERT_TRUE(wait_for(*explorer, [&] { return has_dead_knob(); }));
  EXPECT_EQ(explorer->jobs().current_point()->parameters.at("BLOCK_M"), ParameterValue(std::int64_t{64}));
}

TEST_F(Preparing, WhereTheGpuIsTheyAreOnlyCompiled) {
  start("0", "present");
  ASSERT_TRUE(settle(*explorer));
  ASSERT_TRUE(wait_for(*explorer, [&] {
    const std::vector<std::string> lists = logged("compile_ahead");
    return !lists.empty() && lists.back() != "compile_ahead:";
  }));
  let_it_be();
  EXPECT_LE(logged("measure").size(), 2U) << "the first point, again once the GPU was found";
  EXPECT_EQ(known_neighbours(), 0U);
  EXPECT_EQ(explorer->activity(), "") << "nothing to be seen of it";
}

TEST_F(Preparing, NothingIsCompiledWhileAPointIsTimed) {
  start("0", "present");
  ASSERT_TRUE(wait_for(*explorer, [&] { return !logged("compile_ahead").empty(); }));
  move("BLOCK_M", std::int64_t{64});
  ASSERT_TRUE(settle(*explorer));
  const std::vector<std::string> all = logged_requests(log());
  const auto timed = std::find_if(all.rbegin(), all.rend(),
                                  [](const std::string& line) { return line.starts_with("measure:"); });
  ASSERT_NE(timed, all.rend());
  ASSERT_NE(timed + 1, all.rend());
  EXPECT_EQ(*(timed + 1), "compile_ahead:") << "the list was emptied before the point was asked for";
}

TEST_F(Preparing, NothingIsCompiledWhileAnAlternativeIsTimed) {
  start("0", "present");
  const auto is_named = [&] {
    const std::vector<std::string> lists = logged("compile_ahead");
    return !lists.empty() && lists.back() != "compile_ahead:";
  };
  ASSERT_TRUE(settle(*explorer));
  ASSERT_TRUE(wait_for(*explorer, is_named));
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->jobs().is_idle(); }));
  bool answered = false;
  explorer->jobs().prefetch(Jobs::Prefetch::alternative, with("REDUCE", std::string("shared")),
                            [&](const SharedMeasurement& point) { answered = point != nullptr; });
  ASSERT_TRUE(wait_for(*explorer, [&] { return answered; }));
  const std::vector<std::string> all = logged_requests(log());
  const auto timed = std::find_if(all.begin(), all.end(), [](const std::string& line) {
    return line.starts_with("measure:") && line.find("REDUCE=shared") != std::string::npos;
  });
  ASSERT_NE(timed, all.end());
  EXPECT_EQ(*(timed - 1), "compile_ahead:");
  EXPECT_TRUE(wait_for(*explorer, is_named)) << "it goes on afterwards";
}

TEST_F(Preparing, NothingOnBatteryOrWhenSwitchedOff) {
  for (const bool switched_off : {false, true}) {
    std::filesystem::remove(log());
    start();
    explorer->neighbours().enable(!switched_off);
    explorer->neighbours().on_battery = [switched_off] { return !switched_off; };
    ASSERT_TRUE(settle(*explorer));
    let_it_be();
    EXPECT_EQ(known_neighbours(), 0U);
    EXPECT_TRUE(logged("compile_ahead").empty());
    EXPECT_EQ(explorer->activity(), "");
  }
}

TEST_F(Preparing, UnpluggingStopsItAndPluggingInContinuesWithoutAMove) {
  const auto on_battery = std::make_shared<std::atomic<bool>>(false);
  start("20");
  explorer->neighbours().on_battery = [on_battery] { return on_battery->load(); };
  ASSERT_TRUE(settle(*explorer));
  ASSERT_TRUE(wait_for(*explorer, [&] { return known_neighbours() > 0; }));
  *on_battery = true;
  const std::size_t counted = known_neighbours();
  ASSERT_LT(counted + 2, neighbour_count());
  let_it_be();
  EXPECT_LE(known_neighbours(), counted + 2) << "the one that ran, and one that mains had been found for";
  EXPECT_EQ(logged("compile_ahead").back(), "compile_ahead:");
  *on_battery = false;
  EXPECT_TRUE(prepare_all());
}

TEST_F(Preparing, ANeighbourThatKillsTheWorkerIsTriedOnce) {
  start("0", "kills=BLOCK_M=64,VEC_WIDTH=8");
  const auto tried = [&] {
    const std::vector<std::string> measured = logged("measure");
    return std::count_if(measured.begin(), measured.end(), [](const std::string& line) {
      return line.find("BLOCK_M=64") != std::string::npos && line.find("VEC_WIDTH=8") != std::string::npos;
    });
  };
  ASSERT_TRUE(wait_for(*explorer, [&] { return tried() == 1; }));
  ASSERT_TRUE(wait_for(*explorer, [&] { return !explorer->jobs().is_measuring_neighbour(); }));
  for (const std::int64_t value : {4, 8}) {
    move("VEC_WIDTH", value);
    ASSERT_TRUE(settle(*explorer));
    let_it_be();
  }
  ASSERT_TRUE(wait_for(*explorer, [&] { return known_neighbours() + 1 == neighbour_count(); }))
      << "all others are prepared";
  EXPECT_EQ(tried(), 1);
  const std::vector<std::string> lists = logged("compile_ahead");
  EXPECT_EQ(lists.back().find("[flash_scalar BLOCK_M=64"), std::string::npos) << lists.back();
  move("BLOCK_M", std::int64_t{64});
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(explorer->jobs().current_point()->status, Status::worker_lost) << "whoever asks for it hears why";
}

TEST_F(Preparing, SwitchedOffItStopsAtOnce) {
  start("100");
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->jobs().is_measuring_neighbour(); }));
  explorer->neighbours().enable(false);
  EXPECT_FALSE(explorer->jobs().is_measuring_neighbour());
  EXPECT_EQ(explorer->activity(), "");
  let_it_be();
  EXPECT_LE(known_neighbours(), 1U);
  EXPECT_EQ(logged("compile_ahead").back(), "compile_ahead:");
  explorer->neighbours().enable(true);
  EXPECT_TRUE(prepare_all());
}

TEST_F(Preparing, AMoveDuringItWinsAtOnce) {
  start("1000");
  ASSERT_TRUE(settle(*explorer));
  ASSERT_TRUE(wait_for(*explorer, [&] { return logged("measure").size() == 2; })) << "a neighbour is counted";
  EXPECT_EQ(explorer->activity(), "preparing neighbours");
  move("BLOCK_N", std::int64_t{32});
  EXPECT_TRUE(explorer->jobs().measuring());
  EXPECT_FALSE(explorer->jobs().is_measuring_neighbour());
  ASSERT_TRUE(wait_for(*explorer, [&] { return logged("measure").size() == 3; }));
  EXPECT_EQ(logged("cancelled").size(), 1U) << "the neighbour's time was not waited for";
  EXPECT_NE(logged("measure").back().find("BLOCK_N=32"), std::string::npos);
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(explorer->jobs().current_point()->parameters.at("BLOCK_N"), ParameterValue(std::int64_t{32}));
}

TEST_F(Preparing, WhatAPanelRequestsIsServedFirst) {
  start("1500");
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->jobs().is_measuring_neighbour(); }));
  bool answered = false;
  const auto request =
      explorer->jobs().request<Devices>("panel", {}, {[&](const Devices::Answer&) { answered = true; }});
  EXPECT_FALSE(explorer->jobs().is_measuring_neighbour());
  EXPECT_FALSE(explorer->jobs().is_idle());
  ASSERT_TRUE(wait_for(*explorer, [&] { return answered; }));
  EXPECT_TRUE(wait_for(*explorer, [&] { return explorer->jobs().is_measuring_neighbour(); })) << "it goes on";
}

TEST_F(Preparing, AnAlternativeComesBeforeTheOtherSliders) {
  start();
  explorer->neighbours().enable(false);
  ASSERT_TRUE(settle(*explorer));
  move("VEC_WIDTH", std::int64_t{4});
  ASSERT_TRUE(settle(*explorer));
  explorer->neighbours().enable(true);
  bool asked = false;
  // As the advice does, in the frame after the update.
  ASSERT_TRUE(wait_for(*explorer, [&] {
    if (!asked && explorer->jobs().is_idle() && is_known(with("VEC_WIDTH", std::int64_t{1}))) {
      asked = true;
      explorer->jobs().prefetch(Jobs::Prefetch::alternative, with("REDUCE", std::string("shared")),
                                [](const SharedMeasurement&) {});
    }
    return known_neighbours() == neighbour_count();
  }));
  const std::vector<std::string> measured = logged("measure");
  ASSERT_GE(measured.size(), 6U);
  EXPECT_NE(measured[3].find("VEC_WIDTH=1"), std::string::npos) << measured[3];
  EXPECT_NE(measured[4].find("REDUCE=shared"), std::string::npos) << measured[4];
}

TEST_F(Preparing, AtMostSoManyPointsAreKeptAside) {
  start();
  explorer->neighbours().enable(false);
  ASSERT_TRUE(settle(*explorer));
  Points& points = explorer->points();
  Experiment experiment = explorer->selection().complete(explorer->selection().experiment());
  std::vector<Experiment> asked;
  for (std::size_t i = 0; i < Points::max_prefetched + 10; ++i) {
    experiment.seed = 100 + i;
    asked.push_back(experiment);
    Measurement point = failed_measurement(experiment, Status::ok, "");
    points.keep_prefetched(std::make_shared<const Measurement>(point), experiment);
  }
  std::size_t kept = 0;
  for (const Experiment& each : asked) kept += is_known(each) ? 1 : 0;
  EXPECT_EQ(kept, Points::max_prefetched);
  EXPECT_FALSE(is_known(asked.front())) << "the oldest went";
  EXPECT_TRUE(is_known(asked.back()));
}

/// A copy of the kernels, of which one does not compile in one configuration.
class BrokenNeighbour : public Preparing {
 protected:
  BrokenNeighbour() {
    const Installation here = find_installation();
    std::filesystem::create_directories(scratch / "root");
    std::filesystem::copy(here.kernels, scratch / "root/kernels", std::filesystem::copy_options::recursive);
    std::filesystem::copy(here.root / "assets", scratch / "root/assets",
                          std::filesystem::copy_options::recursive);
    setenv("TILESCOPE_ROOT", (scratch / "root").c_str(), 1);
  }
  ~BrokenNeighbour() override { unsetenv("TILESCOPE_ROOT"); }
};

TEST_F(BrokenNeighbour, IsSilentUntilItIsVisited) {
  start();
  ASSERT_TRUE(settle(*explorer));
  // Changes saved from now on are compiled for the neighbours only: no file is watched.
  std::ofstream(scratch / "root/kernels/attention/flash_scalar.cu", std::ios::app) << "#error\n";
  ASSERT_TRUE(prepare_all());
  EXPECT_TRUE(explorer->notices().list().empty());
  EXPECT_EQ(explorer->points().list().size(), 1U);
  move("NUM_WARPS", std::int64_t{4});
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(explorer->jobs().current_point()->status, Status::compile_failed);
}

}  // namespace
}  // namespace tilescope
