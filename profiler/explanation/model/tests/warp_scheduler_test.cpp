#include "profiler/explanation/model/warp_scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <tuple>
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
  for (std::uint16_t warp = 0; warp < 3; ++warp) scheduler.add({4, 1, warp});
  scheduler.add({4, 0, 9, alu});
  for (Cycle others = 0; others < 3; ++others) {
    EXPECT_EQ(scheduler.next(), 4 + others);
    EXPECT_EQ(scheduler.take(1).others, others);
  }
  EXPECT_EQ(scheduler.next(), 10);
  EXPECT_EQ(scheduler.take(1).others, 3) << "of 6 cycles";
}

// The warp that a search through all of them finds, in the order that the scheduler's description gives.
struct Searched {
  std::vector<WarpScheduler::Waiting> waiting;
  std::array<Cycle, unit_count + 2> gates{};
  Cycle free = 0;

  std::pair<Cycle, std::uint32_t> next() const {
    std::tuple<Cycle, bool, std::uint32_t, Cycle, std::uint32_t> first{WarpScheduler::never, false, 0, 0, 0};
    for (const WarpScheduler::Waiting& one : waiting) {
      const Cycle cycle = std::max({one.turn, gates[one.gate], free});
      first = std::min(first, {cycle, one.turn == cycle, one.block, one.turn, one.warp});
    }
    return {std::get<0>(first), std::get<4>(first)};
  }
};

TEST(WarpScheduler, ItChoosesAsASearchThroughAllWarpsDoes) {
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  WarpScheduler scheduler;
  Searched searched;
  std::vector<std::uint16_t> outside(16);
  std::iota(outside.begin(), outside.end(), std::uint16_t{0});
  for (int step = 0; step < 20'000; ++step) {
    if (!outside.empty() && below(2) == 0) {
      const std::size_t at = below(static_cast<std::uint32_t>(outside.size()));
      const Cycle turn = searched.free + below(6) - std::min<Cycle>(searched.free, 2);
      const WarpScheduler::Waiting one{turn, below(3), outside[at],
                                       static_cast<WarpScheduler::Gate>(below(unit_count + 2))};
      outside.erase(outside.begin() + static_cast<std::ptrdiff_t>(at));
      scheduler.add(one);
      searched.waiting.push_back(one);
    }
    const auto [cycle, warp] = searched.next();
    ASSERT_EQ(scheduler.next(), cycle) << step;
    if (searched.waiting.empty() || below(2) == 0) continue;
    const WarpScheduler::Waiting taken = scheduler.take(1).waiting;
    ASSERT_EQ(taken.warp, warp) << step;
    std::erase_if(searched.waiting,
                  [&](const WarpScheduler::Waiting& one) { return one.warp == taken.warp; });
    outside.push_back(taken.warp);
    searched.free = cycle + 1;
    searched.gates[taken.gate] = cycle + below(5);
    scheduler.shut(taken.gate, searched.gates[taken.gate]);
  }
}

TEST(WarpScheduler, AnInstructionMayTakeMoreOrLessThanOneSlot) {
  WarpScheduler scheduler;
  for (std::uint16_t warp = 0; warp < 5; ++warp) scheduler.add({0, 0, warp});
  std::vector<Cycle> cycles;
  for (const double slots : {2.5, 2.5, 0.5, 0.5, 1.0}) {
    scheduler.next();
    cycles.push_back(scheduler.take(slots).cycle);
  }
  EXPECT_EQ(cycles, (std::vector<Cycle>{0, 2, 5, 5, 6}));
}

}  // namespace
}  // namespace tilescope::model
