#include "profiler/explanation/model/sm_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace tilescope::model {
namespace {

constexpr int hopper = 90;
constexpr std::size_t sms_of_h200 = 132;

// How many SMs hold how many blocks.
std::map<std::size_t, std::size_t> held(const std::vector<std::uint32_t>& order, std::size_t sms) {
  std::vector<std::size_t> of_sm(sms, 0);
  for (const std::uint32_t sm : order) ++of_sm[sm];
  std::map<std::size_t, std::size_t> count;
  for (const std::size_t blocks : of_sm) ++count[blocks];
  return count;
}

// The most work of an SM, where block i of a row of `tiles` takes i + 1.
std::size_t most_work(const std::vector<std::uint32_t>& order, std::size_t tiles) {
  std::vector<std::size_t> of_sm(sms_of_h200, 0);
  for (std::size_t block = 0; block < order.size(); ++block) of_sm[order[block]] += block % tiles + 1;
  return std::ranges::max(of_sm);
}

TEST(SmOrder, GridsThatFitAreSpreadEvenly) {
  // As an H200 did, with room for 16 blocks on an SM.
  using Held = std::map<std::size_t, std::size_t>;
  EXPECT_EQ(held(sm_order(hopper, sms_of_h200, 16, 132), sms_of_h200), (Held{{1, 132}}));
  EXPECT_EQ(held(sm_order(hopper, sms_of_h200, 16, 136), sms_of_h200), (Held{{1, 128}, {2, 4}}));
  EXPECT_EQ(held(sm_order(hopper, sms_of_h200, 16, 300), sms_of_h200), (Held{{2, 96}, {3, 36}}));
  EXPECT_EQ(held(sm_order(hopper, sms_of_h200, 16, 528), sms_of_h200), (Held{{4, 132}}));
}

TEST(SmOrder, OfALargerGridEverySmGetsAsManyAsItHolds) {
  EXPECT_EQ(held(sm_order(hopper, sms_of_h200, 3, 100'000), sms_of_h200),
            (std::map<std::size_t, std::size_t>{{3, 132}}));
  EXPECT_EQ(held(sm_order(89, 58, 2, 1000), 58), (std::map<std::size_t, std::size_t>{{2, 58}}));
}

TEST(SmOrder, TwoBlocksInARowGoToNeighbours) {
  const std::vector<std::uint32_t> order = sm_order(hopper, sms_of_h200, 4, 528);
  for (std::size_t block = 0; block < order.size(); block += 2)
    EXPECT_EQ(order[block] / 2, order[block + 1] / 2);
}

// Measured on two H200, for rows of 20, 40 and 64 tiles of which each has more work than the one before it.
TEST(SmOrder, UnequalBlocksMeetAsOnAnH200) {
  struct Measured {
    std::size_t blocks, tiles, least, most;
  };
  for (const Measured& one : {Measured{160, 20, 37, 38},
                              {200, 64, 111, 115},
                              {264, 20, 36, 36},
                              {264, 40, 76, 76},
                              {300, 20, 46, 50},
                              {300, 64, 164, 166},
                              {396, 20, 52, 52},
                              {396, 64, 184, 184},
                              {480, 40, 125, 125},
                              {528, 20, 68, 68},
                              {528, 64, 240, 240}}) {
    const double most =
        static_cast<double>(most_work(sm_order(hopper, sms_of_h200, 16, one.blocks), one.tiles));
    EXPECT_GE(most, 0.94 * static_cast<double>(one.least)) << one.blocks << " blocks, rows of " << one.tiles;
    EXPECT_LE(most, 1.06 * static_cast<double>(one.most)) << one.blocks << " blocks, rows of " << one.tiles;
  }
}

TEST(SmOrder, OtherGpusTakeTurns) {
  EXPECT_EQ(sm_order(89, 3, 2, 5), (std::vector<std::uint32_t>{0, 1, 2, 0, 1}));
  EXPECT_EQ(sm_order(hopper, 4, 1, 4), (std::vector<std::uint32_t>{0, 1, 2, 3})) << "too few for the rule";
}

}  // namespace
}  // namespace tilescope::model
