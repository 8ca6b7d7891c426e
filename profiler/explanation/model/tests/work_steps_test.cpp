#include "profiler/explanation/model/work_steps.hpp"

#include <gtest/gtest.h>

namespace tilescope::model {
namespace {

// Tiles of keys of a causal kernel: 100 instructions each, one more tile after every `blocks` blocks, and 3 a block.
double causal(std::uint64_t x, std::uint64_t blocks, std::uint64_t from = 0) {
  const std::uint64_t tiles = (x + from) / blocks;
  return 1000 + 100 * static_cast<double>(tiles) + 3 * static_cast<double>(x);
}

std::vector<KnownWork> known_of(const std::vector<std::uint64_t>& columns, std::uint64_t blocks,
                                std::uint64_t from = 0) {
  std::vector<KnownWork> known;
  known.reserve(columns.size());
  for (const std::uint64_t x : columns) known.push_back({x, causal(x, blocks, from)});
  return known;
}

TEST(WorkSteps, AreFoundFromNeighboursAtUnequalDistances) {
  const std::vector<std::uint64_t> columns{0,  1,  2,  3,  5,  6,  8,  9,  11, 12,
                                           16, 17, 19, 20, 22, 23, 26, 27, 30, 31};
  for (std::uint64_t from = 0; from < 4; ++from) {
    const auto known = known_of(columns, 4, from);
    const auto steps = find_steps(known);
    ASSERT_TRUE(steps) << from;
    EXPECT_EQ(steps->period, 4u);
    EXPECT_EQ(steps->phase, (4 - from) % 4);
    const std::vector<float> work = work_by_x(known, 32, steps);
    for (std::uint64_t x = 0; x < 32; ++x) EXPECT_NEAR(work[x], causal(x, 4, from), 1) << from << ' ' << x;
  }
}

TEST(WorkSteps, WorkThatRisesEvenlyHasNoneAndIsLinear) {
  const auto known = known_of({0, 1, 9, 10, 20, 21, 30, 31}, 1);
  EXPECT_FALSE(find_steps(known));
  EXPECT_NEAR(work_by_x(known, 32, {})[15], causal(15, 1), 1e-9);
}

TEST(WorkSteps, NeighboursThatContradictEachOtherShowNone) {
  auto known = known_of({0, 1, 4, 5, 11, 12, 17, 18, 23, 24, 30, 31}, 4);
  known[2].work += 100;
  EXPECT_FALSE(find_steps(known));
  EXPECT_FALSE(find_steps(known_of({0, 1, 3, 4}, 4))) << "too few";
}

}  // namespace
}  // namespace tilescope::model
