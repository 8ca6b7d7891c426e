#include "profiler/explanation/model/warp_scheduler.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tilescope::model {
namespace {

constexpr auto alu = static_cast<WarpScheduler::Gate>(Unit::alu);

// Warps and the cycles in which they issue.
std::vector<std::pair<std::uint32_t, Cycle>> all_of(WarpScheduler& scheduler) {
  std::vector<std::pair<std::uint32_t, Cycle>> issues;
  while (scheduler.next() != WarpScheduler::never) {
    const WarpScheduler::Issue issue = scheduler.take(1);
    issues.emplace_back(issue.waiting.warp, issue.cycle);
  }
  return issues;
}

TEST(WarpScheduler, TheEarliestTurnIssuesFirst) {
  WarpScheduler scheduler;
  scheduler.add({7, 0, 1});
  scheduler.add({5, 1, 2});
  scheduler.add({5, 2, 3});
  const std::vector<std::pair<std::uint32_t, Cycle>> expected{{2, 5}, {3, 6}, {1, 7}};
  EXPECT_EQ(all_of(scheduler), expected);
}

TEST(WarpScheduler, OfWarpsThatCouldIssueTheOldestBlocksComesFirstAndOfThoseTheOneThatWaitsLongest) {
  WarpScheduler scheduler;
  scheduler.shut(alu, 20);
  scheduler.add({3, 2, 10, alu});
  scheduler.add({9, 1, 11, alu});
  scheduler.add({8, 1, 12, alu});
  const std::vector<std::pair<std::uint32_t, Cycle>> expected{{12, 20}, {11, 21}, {10, 22}};
  EXPECT_EQ(all_of(scheduler), expected);
}

TEST(WarpScheduler, AWarpWhoseUnitIsBusyLetsOthersGo) {
  WarpScheduler scheduler;
  scheduler.shut(alu, 6);
  scheduler.add({1, 0, 1, alu});
  scheduler.add({2, 1, 2});
  const std::vector<std::pair<std::uint32_t, Cycle>> expected{{2, 2}, {1, 6}};
  EXPECT_EQ(all_of(scheduler), expected);
}

TEST(WarpScheduler, WaitsAreForOthersUnlessAUnitWasBusyWhileNobodyIssued) {
  WarpScheduler scheduler;
  scheduler.shut(alu, 10);
  for (std::uint32_t warp = 0; warp < 3; ++warp) scheduler.add({4, 1, warp});
  scheduler.add({4, 0, 9, alu});
  for (Cycle others = 0; others < 3; ++others) {
    EXPECT_EQ(scheduler.next(), 4 + others);
    EXPECT_EQ(scheduler.take(1).others, others);
  }
  EXPECT_EQ(scheduler.next(), 10);
  EXPECT_EQ(scheduler.take(1).others, 3) << "of 6 cycles";
}

TEST(WarpScheduler, AnInstructionMayTakeMoreOrLessThanOneSlot) {
  WarpScheduler scheduler;
  for (std::uint32_t warp = 0; warp < 5; ++warp) scheduler.add({0, 0, warp});
  std::vector<Cycle> cycles;
  for (const double slots : {2.5, 2.5, 0.5, 0.5, 1.0}) {
    scheduler.next();
    cycles.push_back(scheduler.take(slots).cycle);
  }
  EXPECT_EQ(cycles, (std::vector<Cycle>{0, 2, 5, 5, 6}));
}

}  // namespace
}  // namespace tilescope::model
