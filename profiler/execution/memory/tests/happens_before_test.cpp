#include "profiler/execution/memory/happens_before.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tilescope {
namespace {

using simt::all_lanes;
using simt::LaneMask;

constexpr LaneMask low_half = 0x0000'ffffu, high_half = 0xffff'0000u;

class HappensBeforeTest : public ::testing::Test {
 protected:
  // Whether thread `y` 's accesses at `moment` come before what thread `x` does now.
  bool knows(std::uint32_t x, std::uint32_t y, Moment moment) const {
    return order_.known(x / simt::lane_count, x % simt::lane_count)[y] >= moment;
  }
  // All of `warps` come to a barrier and go on, the others do not.
  void sync(std::size_t barrier, std::vector<LaneMask> masks) {
    for (std::size_t warp = 0; warp < masks.size(); ++warp) {
      if (masks[warp] != 0) order_.arrive(warp, masks[warp], barrier);
    }
    order_.block_barrier(barrier, true, masks, masks, live_);
  }

  void start(std::uint32_t threads) {
    order_.begin(threads);
    live_.assign((threads + 31) / 32, all_lanes);
  }

  HappensBefore order_;
  std::vector<LaneMask> live_;
};

TEST_F(HappensBeforeTest, NothingIsOrderedAtTheStart) {
  start(64);
  EXPECT_FALSE(knows(0, 1, order_.now()));
  EXPECT_FALSE(knows(40, 1, order_.now()));
  EXPECT_EQ(order_.floor(0), 0);
}

TEST_F(HappensBeforeTest, BlockBarrierOrdersWhatWasBeforeAndNotWhatComesAfter) {
  start(96);
  const Moment before = order_.now();
  sync(0, {all_lanes, all_lanes, all_lanes});
  const Moment after = order_.now();
  for (std::uint32_t x = 0; x < 96; x += 7) {
    for (std::uint32_t y = 0; y < 96; y += 5) {
      EXPECT_TRUE(knows(x, y, before));
      EXPECT_FALSE(knows(x, y, after));
    }
  }
  EXPECT_GE(order_.floor(2), before);
  EXPECT_LT(order_.floor(2), after);
}

TEST_F(HappensBeforeTest, WarpBarrierOrdersItsWarpOnly) {
  start(64);
  const Moment before = order_.now();
  order_.warp_barrier(0, all_lanes, all_lanes);
  EXPECT_TRUE(knows(3, 9, before));
  EXPECT_FALSE(knows(3, 9, order_.now()));
  EXPECT_FALSE(knows(3, 40, before));
  EXPECT_FALSE(knows(40, 3, before));
  EXPECT_FALSE(knows(40, 41, before));
}

TEST_F(HappensBeforeTest, WarpBarrierOfSomeLanesOrdersThoseOnly) {
  start(64);
  const Moment before = order_.now();
  order_.warp_barrier(0, low_half, all_lanes);
  EXPECT_TRUE(knows(3, 9, before));
  EXPECT_FALSE(knows(3, 20, before));
  EXPECT_FALSE(knows(20, 3, before));
  EXPECT_FALSE(order_.is_uniform(0));
  order_.warp_barrier(0, all_lanes, all_lanes);
  EXPECT_TRUE(knows(20, 3, before));
  EXPECT_TRUE(order_.is_uniform(0));
}

TEST_F(HappensBeforeTest, WhatLanesKnowIsPassedOn) {
  start(32);
  const Moment first = order_.now();
  order_.warp_barrier(0, 0x0000'0003u, all_lanes);  // 0 and 1
  order_.warp_barrier(0, 0x0000'0006u, all_lanes);  // 1 and 2: 2 learns of 0 through 1
  EXPECT_TRUE(knows(2, 0, first));
  EXPECT_FALSE(knows(0, 2, first));
}

TEST_F(HappensBeforeTest, ExitedLanesDoNotKeepAWarpApart) {
  start(64);
  const Moment before = order_.now();
  order_.warp_barrier(0, low_half, low_half);
  EXPECT_TRUE(order_.is_uniform(0));
  EXPECT_TRUE(knows(0, 20, before)) << "what an exited thread did is over";
}

TEST_F(HappensBeforeTest, PartialBarrierLeavesTheOtherWarpsOut) {
  start(96);
  const Moment before = order_.now();
  sync(1, {all_lanes, all_lanes, 0});
  EXPECT_TRUE(knows(0, 40, before));
  EXPECT_TRUE(knows(40, 0, before));
  EXPECT_FALSE(knows(70, 0, before));
  EXPECT_FALSE(knows(0, 70, before));
  // Warp 0 passes on its knowledge at a barrier with warp 2.
  sync(2, {all_lanes, 0, all_lanes});
  EXPECT_TRUE(knows(70, 40, before));
  EXPECT_FALSE(knows(40, 70, before));
}

TEST_F(HappensBeforeTest, ArrivalOrdersOnlyWhatCameBeforeIt) {
  start(64);
  const Moment before = order_.now();
  order_.arrive(0, all_lanes, 3);  // the producer goes on
  const Moment behind = order_.now();
  order_.arrive(1, all_lanes, 3);
  order_.block_barrier(3, false, std::vector<LaneMask>{all_lanes, all_lanes},
                       std::vector<LaneMask>{0, all_lanes}, live_);
  EXPECT_TRUE(knows(40, 5, before));
  EXPECT_FALSE(knows(40, 5, behind));
  EXPECT_FALSE(knows(5, 40, before)) << "an arriving warp learns nothing";
}

TEST_F(HappensBeforeTest, ExitedThreadsHaveArrivedOnlyWhereAllThreadsAreWaitedFor) {
  for (const bool of_all : {true, false}) {
    start(64);
    const Moment before = order_.now();
    live_[0] = 0;
    order_.arrive(1, all_lanes, 2);
    const std::vector<LaneMask> second{0, all_lanes};
    order_.block_barrier(2, of_all, second, second, live_);
    EXPECT_EQ(knows(40, 5, before), of_all);
    EXPECT_TRUE(knows(40, 50, before));
  }
}

TEST_F(HappensBeforeTest, BarrierOfHalfAWarpOrdersThatHalf) {
  start(64);
  const Moment before = order_.now();
  sync(0, {low_half, high_half});
  EXPECT_TRUE(knows(0, 50, before));
  EXPECT_TRUE(knows(50, 0, before));
  EXPECT_FALSE(knows(0, 40, before));
  EXPECT_FALSE(knows(20, 50, before));
}

TEST_F(HappensBeforeTest, OneWarpAloneIsTheWholeBlock) {
  start(32);
  const Moment before = order_.now();
  order_.warp_barrier(0, all_lanes, all_lanes);
  EXPECT_GE(order_.floor(0), before);
}

TEST_F(HappensBeforeTest, ABlockStartsAnew) {
  start(64);
  sync(0, {all_lanes, all_lanes});
  start(64);
  EXPECT_FALSE(knows(0, 40, 1));
}

}  // namespace
}  // namespace tilescope
