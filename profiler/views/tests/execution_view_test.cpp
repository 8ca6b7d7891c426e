#include "profiler/views/step/execution_view.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

StepTimeline timeline_of(std::vector<std::string> warps, std::uint64_t rounds_per_cell,
                         std::uint64_t rounds) {
  StepTimeline timeline;
  timeline.warps = std::move(warps);
  timeline.rounds_per_cell = rounds_per_cell;
  timeline.end_round = timeline.rounds = rounds;
  return timeline;
}

TEST(ExecutionView, JoinsCellsOfOnePhaseIntoRuns) {
  const auto runs = phase_runs(timeline_of({"llcw", "ll  "}, 10, 35));
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0], (std::vector<PhaseRun>{{'l', 0, 20}, {'c', 20, 30}, {'w', 30, 35}}));
  EXPECT_EQ(runs[1], (std::vector<PhaseRun>{{'l', 0, 20}})) << "nothing is drawn once a warp has ended";
}

TEST(ExecutionView, ZoomKeepsWhatIsUnderTheMouseAndStaysInTheBlock) {
  const RoundWindow all{0, 1000};
  const RoundWindow near = zoomed(all, 300, 0.5, 1000);
  EXPECT_DOUBLE_EQ(near.width(), 500);
  EXPECT_DOUBLE_EQ((300 - near.first) / near.width(), 0.3);
  EXPECT_EQ(zoomed(near, 300, 100, 1000), all);
  EXPECT_DOUBLE_EQ(zoomed(all, 500, 1e-9, 1000).width(), 8) << "single instructions, but not less";
  EXPECT_EQ(moved(near, -1e6, 1000).first, 0);
  EXPECT_EQ(moved(near, 1e6, 1000).end, 1000);
}

TEST(ExecutionView, TheWindowFollowsThePlayHead) {
  const RoundWindow window{100, 200};
  EXPECT_EQ(following(window, 150, 1000), window);
  const RoundWindow moved_there = following(window, 700, 1000);
  EXPECT_LE(moved_there.first, 700);
  EXPECT_GE(moved_there.end, 700);
  EXPECT_DOUBLE_EQ(moved_there.width(), 100);
}

TEST(ExecutionView, AsksForFinerCellsOnlyWhereTheWholeBlockIsTooCoarse) {
  const StepTimeline whole = timeline_of({std::string(1000, 'l')}, 100, 100'000);
  EXPECT_EQ(range_for(whole, {0, 100'000}, 1000).cells, 0U);
  const StepRange range = range_for(whole, {5000, 5100}, 800);
  EXPECT_GT(range.cells, 0U);
  EXPECT_LE(range.first_round, 5000U);
  EXPECT_GE(range.end_round, 5100U);
  EXPECT_GE(range.cells, range.end_round - range.first_round) << "one round a cell: single instructions";
  EXPECT_EQ(range_for(timeline_of({"l"}, 1, 1), {0, 1}, 800).cells, 0U);
}

TEST(ExecutionView, NumbersTheAxisWithRoundSteps) {
  EXPECT_EQ(round_ticks({0, 100}, 5), (std::vector<std::uint64_t>{0, 20, 40, 60, 80, 100}));
  EXPECT_EQ(round_ticks({1190, 1210}, 4), (std::vector<std::uint64_t>{1190, 1195, 1200, 1205, 1210}));
}

TEST(ExecutionView, SaysWhoWaitsForWhom) {
  BarrierStop barrier;
  barrier.number = 1;
  barrier.arrived = 64;
  barrier.expected = 128;
  barrier.waiting_warps = {0, 2};
  barrier.missing_warps = {1, 3};
  EXPECT_EQ(barrier_words(barrier),
            "Barrier 1: 64 of 128 threads have arrived; warps 0, 2 wait for warps 1, 3");
}

TEST(ExecutionView, NamesTheOpcodeOfAGuardedInstruction) {
  EXPECT_EQ(short_opcode("@%p1 bra \t$L__BB0_2;"), "bra");
  EXPECT_EQ(short_opcode("mma.sync.aligned.m16n8k16 {%f1};"), "mma");
  EXPECT_EQ(short_opcode("ret;"), "ret");
}

}  // namespace
}  // namespace tilescope
