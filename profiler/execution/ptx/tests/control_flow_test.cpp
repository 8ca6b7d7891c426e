#include "profiler/execution/ptx/control_flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tilescope::ptx {
namespace {

std::size_t place(const std::vector<std::uint32_t>& order, std::uint32_t block) {
  return static_cast<std::size_t>(std::ranges::find(order, block) - order.begin());
}

TEST(WeakTopologicalOrder, HasEveryBlockOnce) {
  const std::vector<std::uint32_t> order = weak_topological_order({{1, 2}, {3}, {3}, {}, {3}});
  std::vector<std::uint32_t> sorted = order;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(order.front(), 0u);
  EXPECT_EQ(order.back(), 4u) << "what cannot be reached comes last";
}

TEST(WeakTopologicalOrder, PutsAJoinBehindBothArms) {
  const auto order = weak_topological_order({{1, 2}, {3}, {3}, {}});
  EXPECT_GT(place(order, 3), place(order, 1));
  EXPECT_GT(place(order, 3), place(order, 2));
}

// A cold arm that the compiler moved to the end of the text and that jumps back.
TEST(WeakTopologicalOrder, PutsAJoinBehindAnArmThatTheTextHasLater) {
  const auto order = weak_topological_order({{1, 3}, {2}, {}, {1}});
  EXPECT_GT(place(order, 1), place(order, 3));
}

// 0 -> 1 (head) -> 2 (exit, earlier in the text) or 3 (body) -> 1
TEST(WeakTopologicalOrder, KeepsALoopTogetherBeforeItsExit) {
  const auto order = weak_topological_order({{1}, {2, 3}, {}, {1}});
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1, 3, 2}));
}

TEST(WeakTopologicalOrder, KeepsNestedLoopsTogether) {
  // outer 1..5, inner 2..3, a break from the inner loop to 6
  const auto order = weak_topological_order({{1}, {2}, {3, 6}, {2, 4}, {5}, {1, 6}, {}});
  EXPECT_EQ(order.back(), 6u);
  EXPECT_EQ(place(order, 3), place(order, 2) + 1) << "nothing stands between the blocks of the inner loop";
  EXPECT_GT(place(order, 4), place(order, 3));
}

TEST(WeakTopologicalOrder, TakesALoopBackToTheEntry) {
  const auto order = weak_topological_order({{1, 2}, {0}, {}});
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(WeakTopologicalOrder, TakesALongChainWithoutRecursion) {
  ControlFlowGraph chain(200'000);
  for (std::uint32_t i = 0; i + 1 < chain.size(); ++i) chain[i] = {i + 1};
  const auto order = weak_topological_order(chain);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST(WeakTopologicalOrder, TakesLoopsNestedTooDeepToOrder) {
  ControlFlowGraph nest(2'000);
  for (std::uint32_t i = 0; i + 1 < nest.size(); ++i) nest[i] = {i + 1};
  for (std::uint32_t i = 1; i < 1'000; ++i) nest[nest.size() - i].push_back(i);
  EXPECT_EQ(weak_topological_order(nest).size(), nest.size());
}

}  // namespace
}  // namespace tilescope::ptx
