// The two sides of a comparison, and the requests that compare them.

#include "app/explorer/compare/comparison_pair.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "app/explorer/tests/explorer_driver.hpp"
#include "app/explorer/tests/request_log.hpp"
#include "profiler/service/requests/compare.hpp"

namespace tilescope {
namespace {

class Pairing : public testing::Test {
 protected:
  Pairing() { setenv(request_log_variable, log().c_str(), 1); }
  ~Pairing() override { unsetenv(request_log_variable); }

  void start(const std::string& delay_ms = "0", const std::string& machine = "absent") {
    explorer = start_explorer(scratch, {INSTANT_WORKER, delay_ms, machine});
    explorer->neighbours().enable(false);
    ASSERT_TRUE(settle(*explorer));
  }
  std::string log() const { return (scratch / "requests").string(); }
  std::size_t logged(const std::string& beginning) const {
    std::size_t count = 0;
    for (const std::string& line : logged_requests(log())) count += line.starts_with(beginning) ? 1U : 0U;
    return count;
  }
  ComparisonPair& pair() { return explorer->board().get<ComparisonPair>(); }
  /// Updates it as a window with the panels of a comparison does.
  template <class Condition>
  bool wait(Condition condition) {
    return wait_for(*explorer, [&] {
      pair().want();
      return condition();
    });
  }
  bool compared() {
    return wait([&] { return pair().comparison() && !pair().is_outdated() && !pair().waits(); });
  }
  std::string value(Side side, const std::string& parameter) {
    return to_string(pair().experiment(side).parameters.at(parameter));
  }
  /// With a latency of its own, on a device that is not here.
  static SharedMeasurement recorded_point(const Experiment& experiment, double p50_us) {
    Measurement point = failed_measurement(experiment, Status::ok, "");
    point.device = {"H200", "sm_90a", false};
    point.latency.emplace();
    point.latency->p10_us = point.latency->p50_us = point.latency->p90_us = p50_us;
    return std::make_shared<const Measurement>(std::move(point));
  }

  ScratchFolder scratch;
  std::unique_ptr<Explorer> explorer;
};

TEST_F(Pairing, NothingIsAAndBFollowsTheSliders) {
  start();
  pair().want();
  EXPECT_EQ(pair().choice(Side::a).kind, SideChoice::Kind::none);
  EXPECT_TRUE(pair().follows_sliders(Side::b));
  EXPECT_FALSE(pair().comparison());
  EXPECT_EQ(pair().missing().heading, "Side A is empty");
}

TEST_F(Pairing, APinnedSideStaysWhereTheSlidersGo) {
  start();
  const std::string before = value(Side::b, "NUM_WARPS");
  pair().pin_sliders(Side::a);
  pair().move(Side::b, "NUM_WARPS", std::int64_t{4});
  EXPECT_EQ(value(Side::a, "NUM_WARPS"), before);
  EXPECT_EQ(value(Side::b, "NUM_WARPS"), "4");
  EXPECT_EQ(to_string(explorer->selection().experiment().parameters.at("NUM_WARPS")), "4");
  ASSERT_TRUE(compared());
  EXPECT_EQ(to_string(pair().comparison()->a.parameters.at("NUM_WARPS")), before);
  EXPECT_EQ(to_string(pair().comparison()->b.parameters.at("NUM_WARPS")), "4");
}

TEST_F(Pairing, APinnedSideHasSlidersOfItsOwnAndItsPointsEnterTheSession) {
  start();
  pair().pin_sliders(Side::a);
  const Experiment sliders = explorer->selection().experiment();
  const std::size_t points = explorer->points().list().size();
  pair().move(Side::a, "NUM_WARPS", std::int64_t{2});
  EXPECT_EQ(explorer->selection().experiment(), sliders);
  ASSERT_TRUE(compared());
  EXPECT_EQ(to_string(pair().comparison()->a.parameters.at("NUM_WARPS")), "2");
  EXPECT_EQ(explorer->points().list().size(), points + 1);
  // It is found there afterwards.
  const std::size_t asked = logged(Measure::name);
  pair().move(Side::a, "NUM_WARPS", sliders.parameters.at("NUM_WARPS"));
  pair().move(Side::a, "NUM_WARPS", std::int64_t{2});
  ASSERT_TRUE(compared());
  EXPECT_EQ(logged(Measure::name), asked);
}

TEST_F(Pairing, MoveBothMovesTheParameterOfThatName) {
  start();
  pair().pin_sliders(Side::a);
  pair().move(Side::b, "BLOCK_N", std::int64_t{32});
  pair().set_moves_both(true);
  pair().move(Side::b, "NUM_WARPS", std::int64_t{4});
  EXPECT_EQ(value(Side::a, "NUM_WARPS"), "4");
  EXPECT_NE(value(Side::a, "BLOCK_N"), "32") << "what was not moved stays";
  pair().move(Side::a, "NUM_WARPS", std::int64_t{2});
  EXPECT_EQ(value(Side::b, "NUM_WARPS"), "2");
  pair().set_moves_both(false);
  pair().move(Side::b, "NUM_WARPS", std::int64_t{8});
  EXPECT_EQ(value(Side::a, "NUM_WARPS"), "2");
}

TEST_F(Pairing, MoveBothLeavesAKernelWithoutTheParameter) {
  start();
  pair().choose_kernel(Side::a, "naive");
  pair().set_moves_both(true);
  pair().move(Side::b, "BLOCK_N", std::int64_t{32});
  EXPECT_FALSE(pair().experiment(Side::a).parameters.contains("BLOCK_N"));
  EXPECT_EQ(value(Side::b, "BLOCK_N"), "32");
}

TEST_F(Pairing, SwapExchangesTheSides) {
  start();
  pair().pin_sliders(Side::a);
  pair().move(Side::b, "NUM_WARPS", std::int64_t{4});
  ASSERT_TRUE(compared());
  const Experiment a = pair().experiment(Side::a), b = pair().experiment(Side::b);
  pair().swap();
  EXPECT_EQ(pair().experiment(Side::a), b);
  EXPECT_EQ(pair().experiment(Side::b), a);
  EXPECT_TRUE(pair().follows_sliders(Side::a));
  ASSERT_TRUE(compared());
  EXPECT_EQ(pair().comparison()->a.parameters, b.parameters);
  EXPECT_EQ(pair().comparison()->b.parameters, a.parameters);
}

TEST_F(Pairing, PinningExchangingAndClearingCanBeUndone) {
  start();
  Selection& selection = explorer->selection();
  pair().pin_sliders(Side::a);
  pair().move(Side::b, "NUM_WARPS", std::int64_t{4});
  pair().end_move();
  const SideChoices pinned = selection.sides();
  pair().swap();
  pair().clear(Side::b);
  EXPECT_EQ(pair().choice(Side::b).kind, SideChoice::Kind::none);
  selection.undo();
  EXPECT_EQ(pair().choice(Side::b), pinned[0]) << "the clearing is taken back";
  EXPECT_EQ(selection.undo_text(), "swap A and B");
  selection.undo();
  EXPECT_EQ(selection.sides(), pinned);
  EXPECT_EQ(value(Side::b, "NUM_WARPS"), "4");
  ASSERT_TRUE(compared());
  EXPECT_EQ(pair().comparison()->a.parameters, pinned[0].pinned.parameters);
  selection.undo();
  EXPECT_EQ(selection.sides(), pinned) << "the slider is another step";
  selection.undo();
  EXPECT_EQ(pair().choice(Side::a).kind, SideChoice::Kind::none);
  EXPECT_FALSE(selection.can_undo());
  for (int i = 0; i < 4; ++i) selection.redo();
  EXPECT_EQ(pair().choice(Side::b).kind, SideChoice::Kind::none);
  EXPECT_EQ(pair().choice(Side::a).kind, SideChoice::Kind::sliders);
}

TEST_F(Pairing, ASideThatIsUndoneIsNoMoveOfTheSliders) {
  start();
  pair().pin_sliders(Side::a);
  int moves = 0;
  explorer->selection().moved = [&] { ++moves; };
  pair().move(Side::a, "NUM_WARPS", std::int64_t{2});
  EXPECT_EQ(explorer->selection().current_drag(), 0u) << "the sliders of the configuration stay";
  pair().end_move();
  explorer->selection().undo();
  EXPECT_NE(value(Side::a, "NUM_WARPS"), "2");
  explorer->selection().undo();
  EXPECT_EQ(moves, 0);
}

TEST_F(Pairing, APointThatIsGoneDoesNotComeBackWithUndo) {
  start();
  const SharedMeasurement point = explorer->points().list().back();
  pair().choose(Side::a, point);
  pair().swap();
  explorer->shown().remove(point);
  EXPECT_TRUE(explorer->shown().can_restore());
  while (explorer->selection().can_undo()) {
    explorer->selection().undo();
    for (const Side side : both_sides) EXPECT_NE(pair().choice(side).point, point);
  }
}

TEST_F(Pairing, ARemovedPointIsNotUndoneAfterALaterChoice) {
  start();
  const SharedMeasurement point = explorer->points().list().back();
  explorer->shown().remove(point);
  ASSERT_TRUE(explorer->shown().can_restore());
  pair().pin_sliders(Side::a);
  EXPECT_FALSE(explorer->shown().can_restore()) << "undo takes the choice back first";
}

TEST_F(Pairing, OnlyOneSideFollowsTheSliders) {
  start();
  pair().pin_sliders(Side::a);
  pair().move(Side::b, "NUM_WARPS", std::int64_t{4});
  pair().follow_sliders(Side::a);
  EXPECT_TRUE(pair().follows_sliders(Side::a));
  EXPECT_EQ(pair().choice(Side::b).kind, SideChoice::Kind::pinned);
  EXPECT_EQ(value(Side::b, "NUM_WARPS"), "4") << "it stays where the sliders were";
}

TEST_F(Pairing, ARecordedPointOfAnotherDeviceIsNamedInARemark) {
  start();
  const SharedMeasurement elsewhere = recorded_point(explorer->selection().experiment(), 40);
  pair().choose(Side::a, elsewhere);
  ASSERT_TRUE(compared());
  ASSERT_FALSE(pair().comparison()->remarks.empty());
  EXPECT_NE(pair().comparison()->remarks.front().find("devices differ"), std::string::npos);
  EXPECT_EQ(explorer->selection().device().name, "L4") << "nothing moves by itself";
  pair().take_conditions_of(Side::a);
  EXPECT_EQ(explorer->selection().device().name, "H200");
}

TEST_F(Pairing, SideAOfAComparisonInThePanelPointIsSideA) {
  start();
  const SharedMeasurement point = explorer->jobs().current_point();
  explorer->shown().compare_with(point);
  EXPECT_EQ(pair().choice(Side::a).point, point);
  EXPECT_TRUE(pair().follows_sliders(Side::b));
  explorer->shown().compare_with(nullptr);
  EXPECT_EQ(pair().choice(Side::a).kind, SideChoice::Kind::none);
}

TEST_F(Pairing, ARemovedPointIsNoSideAnyMore) {
  start();
  const SharedMeasurement point = explorer->jobs().current_point();
  pair().choose(Side::a, point);
  explorer->shown().remove(point);
  EXPECT_EQ(pair().choice(Side::a).kind, SideChoice::Kind::none);
}

TEST_F(Pairing, ASideThatIsBroughtUnderTheSlidersKeepsTheComparison) {
  start();
  pair().pin_sliders(Side::a);
  pair().move(Side::b, "NUM_WARPS", std::int64_t{4});
  pair().end_move();
  ASSERT_TRUE(compared());
  const Experiment a = pair().experiment(Side::a), b = pair().experiment(Side::b);
  pair().bring_under_sliders(Side::a);
  EXPECT_TRUE(pair().follows_sliders(Side::a));
  EXPECT_EQ(pair().experiment(Side::a), a);
  EXPECT_EQ(pair().experiment(Side::b), b);
}

TEST_F(Pairing, AnInvalidPinnedSideSaysWhyAndIsNotAskedFor) {
  start();
  pair().pin_sliders(Side::a);
  const std::size_t asked = logged(Measure::name);
  pair().move(Side::a, "BLOCK_M", std::int64_t{8});
  pair().move(Side::a, "NUM_WARPS", std::int64_t{16});
  ASSERT_FALSE(pair().why_invalid(Side::a).empty());
  ASSERT_TRUE(compared());
  EXPECT_EQ(pair().comparison()->a.status, Status::invalid_configuration);
  EXPECT_EQ(pair().comparison()->verdict, Verdict::undecided);
  EXPECT_EQ(logged(Measure::name), asked);
}

TEST_F(Pairing, OnAGpuTwoLiveSidesRunInTurns) {
  start("0", "present");
  pair().pin_sliders(Side::a);
  pair().move(Side::b, "NUM_WARPS", std::int64_t{4});
  pair().end_move();
  ASSERT_TRUE(compared());
  EXPECT_EQ(pair().comparison()->basis, Basis::interleaved);
  EXPECT_EQ(pair().comparison()->verdict, Verdict::faster) << "in turns B takes half of A's time";
  EXPECT_EQ(pair().comparison()->noise_floor, 0.004);
  const std::size_t asked = logged(Compare::name);
  EXPECT_GE(asked, 1U);
  ASSERT_TRUE(compared());
  EXPECT_EQ(logged(Compare::name), asked) << "once";
}

TEST_F(Pairing, OnAGpuTheNewestPairWins) {
  start("40", "present");
  pair().pin_sliders(Side::a);
  for (const std::int64_t warps : {1, 2, 4}) {
    pair().move(Side::b, "NUM_WARPS", warps);
    for (int i = 0; i < 3; ++i) {
      pair().want();
      explorer->update();
    }
  }
  pair().end_move();
  ASSERT_TRUE(compared());
  EXPECT_EQ(pair().comparison()->basis, Basis::interleaved);
  EXPECT_EQ(to_string(pair().comparison()->b.parameters.at("NUM_WARPS")), "4");
}

TEST_F(Pairing, TimedPointsAreComparedApartWhileTheTurnsRun) {
  start("60", "present");
  pair().pin_sliders(Side::a);
  pair().move(Side::b, "NUM_WARPS", std::int64_t{4});
  pair().end_move();
  bool was_apart = false;
  ASSERT_TRUE(wait([&] {
    if (!pair().comparison() || pair().is_outdated()) return false;
    was_apart = was_apart || pair().comparison()->basis == Basis::apart;
    return pair().comparison()->basis == Basis::interleaved;
  }));
  EXPECT_TRUE(was_apart);
}

TEST_F(Pairing, ARecordedSideIsNotMeasuredInTurns) {
  start("0", "present");
  pair().choose(Side::a, recorded_point(explorer->selection().experiment(), 40));
  ASSERT_TRUE(compared());
  EXPECT_EQ(pair().comparison()->basis, Basis::apart);
  EXPECT_EQ(logged(Compare::name), 0U);
}

TEST_F(Pairing, APictureComparesTheFirstPointWithTheLastThatIsComparable) {
  start();
  const SharedMeasurement here = explorer->jobs().current_point();
  Measurement other = *here;
  other.shape.Sq = other.shape.Sk = 64;
  const SharedMeasurement third = std::make_shared<const Measurement>(*here);
  const SharedMeasurement of_another_shape = std::make_shared<const Measurement>(std::move(other));
  pair().choose_ends({here, third, of_another_shape});
  EXPECT_EQ(pair().choice(Side::a).point, here);
  EXPECT_EQ(pair().choice(Side::b).point, third);
  pair().choose_ends({here, of_another_shape});
  EXPECT_EQ(pair().choice(Side::b).point, of_another_shape);
}

}  // namespace
}  // namespace tilescope
