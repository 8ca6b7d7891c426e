#include "profiler/explanation/model/ready_warps.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace tilescope::model {
namespace {

TEST(ReadyWarps, TheEarliestTurnComesFirstThenTheLowestNumber) {
  ReadyWarps ready;
  ready.add(7, 3);
  ready.add(5, 63);
  ready.add(7, 0);
  EXPECT_EQ(ready.take(), std::pair(ReadyWarps::Cycle{5}, 63u));
  EXPECT_EQ(ready.take(), std::pair(ReadyWarps::Cycle{7}, 0u));
  ready.add(6, 1);
  EXPECT_EQ(ready.take(), std::pair(ReadyWarps::Cycle{7}, 1u)) << "too late for 6";
  EXPECT_EQ(ready.take(), std::pair(ReadyWarps::Cycle{7}, 3u));
  EXPECT_TRUE(ready.empty());
}

TEST(ReadyWarps, AgreesWithASortedSetNearAndFar) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> kind(0, 9), near(1, 40), far(500, 9000);
  ReadyWarps ready;
  std::set<std::pair<ReadyWarps::Cycle, std::uint32_t>> expected;
  for (std::uint32_t warp = 0; warp < ReadyWarps::most_warps; ++warp) {
    ready.add(warp % 5, warp);
    expected.emplace(warp % 5, warp);
  }
  for (int i = 0; i < 20'000; ++i) {
    const auto taken = ready.take();
    ASSERT_EQ(taken, *expected.begin()) << i;
    expected.erase(expected.begin());
    const int drawn = kind(random);
    // Some stop for a while, so that nothing is near at times.
    if (drawn == 0 && expected.size() > 2) continue;
    const auto turn = taken.first + (drawn < 8 ? near(random) : far(random));
    ready.add(turn, taken.second);
    expected.emplace(turn, taken.second);
  }
}

}  // namespace
}  // namespace tilescope::model
