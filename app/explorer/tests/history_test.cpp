#include "app/explorer/history.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

Experiment with(std::int64_t block) {
  Experiment experiment;
  experiment.parameters["BLOCK"] = block;
  return experiment;
}

TEST(History, UndoesAndRedoesStepByStep) {
  History history(with(1));
  history.push(with(2));
  history.push(with(3));
  history.undo();
  EXPECT_EQ(history.current(), with(2));
  history.undo();
  EXPECT_EQ(history.current(), with(1));
  EXPECT_FALSE(history.can_undo());
  history.redo();
  EXPECT_EQ(history.current(), with(2));
}

TEST(History, AStepDropsWhatCouldBeRedone) {
  History history(with(1));
  history.push(with(2));
  history.undo();
  history.push(with(3));
  EXPECT_FALSE(history.can_redo());
  history.undo();
  EXPECT_EQ(history.current(), with(1));
}

TEST(History, TheSameExperimentIsNoStep) {
  History history(with(1));
  history.push(with(1));
  EXPECT_FALSE(history.can_undo());
}

TEST(History, ADragIsOneStep) {
  History history(with(1));
  for (std::int64_t block : {2, 3, 4}) history.drag(with(block));
  history.end_drag();
  EXPECT_EQ(history.current(), with(4));
  history.undo();
  EXPECT_EQ(history.current(), with(1));
}

TEST(History, TwoDragsAreTwoSteps) {
  History history(with(1));
  history.drag(with(2));
  history.end_drag();
  history.drag(with(3));
  history.end_drag();
  history.undo();
  EXPECT_EQ(history.current(), with(2));
}

TEST(History, ADragBackToItsStartLeavesNoStepAndKeepsTheRedo) {
  History history(with(1));
  history.push(with(9));
  history.undo();
  history.drag(with(2));
  EXPECT_FALSE(history.can_redo());
  history.drag(with(1));
  history.end_drag();
  EXPECT_FALSE(history.can_undo());
  history.redo();
  EXPECT_EQ(history.current(), with(9));
}

TEST(History, UndoDuringADragEndsIt) {
  History history(with(1));
  history.drag(with(2));
  history.undo();
  EXPECT_EQ(history.current(), with(1));
  EXPECT_FALSE(history.dragging());
}

TEST(History, NamesWhatUndoAndRedoChange) {
  Experiment first;
  first.kernel = "tiled";
  first.parameters = {{"BLOCK_M", std::int64_t{32}}, {"LAYOUT", "padded"}};
  History history(first);
  EXPECT_EQ(history.undo_text(), "");
  Experiment second = first;
  second.parameters["BLOCK_M"] = std::int64_t{64};
  history.push(second);
  EXPECT_EQ(history.undo_text(), "BLOCK_M 32 -> 64");
  Experiment third = second;
  third.shape.causal = true;
  history.push(third);
  EXPECT_EQ(history.undo_text(), "causal off -> on");
  history.undo();
  EXPECT_EQ(history.undo_text(), "BLOCK_M 32 -> 64");
  EXPECT_EQ(history.redo_text(), "causal off -> on");
}

TEST(History, CountsChangesWhereThereAreSeveral) {
  Experiment before;
  before.kernel = "tiled";
  Experiment after = before;
  after.shape.Sq = after.shape.Sk = 1024;
  EXPECT_EQ(change_between(before, after), "2 settings");
  after = before;
  after.kernel = "mma_flash";
  after.parameters["STAGES"] = std::int64_t{2};
  EXPECT_EQ(change_between(before, after), "kernel tiled -> mma_flash");
  after = before;
  after.device = "H100";
  EXPECT_EQ(change_between(before, after), "device default -> H100");
  EXPECT_EQ(change_between(before, before), "");
}

SideChoice pinned(std::int64_t block) {
  return {SideChoice::Kind::pinned, with(block), nullptr};
}

TEST(History, SidesAreStepsAmongTheExperiments) {
  History history(with(1));
  history.push(with(2));
  history.push(Choices{with(2), {pinned(2), SideChoice{SideChoice::Kind::sliders}}});
  history.push(with(3));
  EXPECT_EQ(history.sides()[0], pinned(2)) << "an experiment leaves the sides";
  history.undo();
  EXPECT_EQ(history.current(), with(2));
  EXPECT_EQ(history.sides()[0], pinned(2));
  EXPECT_EQ(history.undo_text(), "A: not chosen -> pinned ");
  history.undo();
  EXPECT_EQ(history.sides()[0], SideChoice{});
  EXPECT_EQ(history.current(), with(2));
  history.redo();
  EXPECT_EQ(history.sides()[0], pinned(2));
}

TEST(History, ASideThatIsDraggedIsOneStep) {
  History history(with(1));
  history.push(Choices{with(1), {pinned(1), SideChoice{SideChoice::Kind::sliders}}});
  for (const std::int64_t block : {2, 3}) history.drag(Choices{with(1), {pinned(block), history.sides()[1]}});
  history.drag(with(3));  // moved in both sides
  history.end_drag();
  EXPECT_EQ(history.sides()[0], pinned(3));
  EXPECT_EQ(history.current(), with(3));
  history.undo();
  EXPECT_EQ(history.sides()[0], pinned(1));
  EXPECT_EQ(history.current(), with(1));
}

TEST(History, WhatIsGoneIsNoSideOfAnyStep) {
  const auto gone = std::make_shared<const Measurement>();
  History history(with(1));
  history.push(Choices{with(1), {SideChoice{SideChoice::Kind::point, {}, gone}, SideChoice{}}});
  history.push(with(2));
  history.amend_sides([](SideChoices& sides) { sides = Choices().sides; });
  EXPECT_EQ(history.current(), with(2));
  EXPECT_EQ(history.sides(), Choices().sides);
  history.undo();
  EXPECT_EQ(history.current(), with(1));
  EXPECT_FALSE(history.can_undo()) << "steps without a change are gone";
}

TEST(History, AnotherSessionLeavesTheSides) {
  History history(with(1));
  history.push(Choices{with(1), {pinned(1), SideChoice{}}});
  history.reset(with(5));
  EXPECT_EQ(history.sides()[0], pinned(1));
  EXPECT_FALSE(history.can_undo());
}

TEST(History, NamesWhatChangedInTheSides) {
  const SideChoice sliders{SideChoice::Kind::sliders}, none;
  EXPECT_EQ(change_between(SideChoices{none, sliders}, SideChoices{none, sliders}), "");
  EXPECT_EQ(change_between(SideChoices{pinned(1), sliders}, SideChoices{sliders, pinned(1)}), "swap A and B");
  EXPECT_EQ(change_between(SideChoices{pinned(1), sliders}, SideChoices{pinned(2), sliders}),
            "A: BLOCK 1 -> 2");
  EXPECT_EQ(change_between(SideChoices{sliders, none}, SideChoices{pinned(1), sliders}), "A and B");
  auto point = std::make_shared<Measurement>();
  point->kernel = "tiled";
  EXPECT_EQ(
      change_between(SideChoices{none, sliders}, SideChoices{none, {SideChoice::Kind::point, {}, point}}),
      "B: sliders -> point of tiled");
}

}  // namespace
}  // namespace tilescope
