#include "profiler/explanation/model/path_thinning.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tilescope::model {
namespace {

const std::vector<InstructionRange> blocks = {{0, 10}, {10, 20}, {30, 5}, {35, 7}};

// Counts instructions, with the iterations that are left out.
double whole_of(const ShortPath& path) {
  double sum = 0, factor = 1;
  for (const PathStep& step : path.steps) {
    if (step.kind == PathStep::Kind::scale_begin) factor *= static_cast<double>(step.factor);
    if (step.kind == PathStep::Kind::scale_end) factor /= static_cast<double>(step.factor);
    if (step.kind == PathStep::Kind::basic_block) sum += factor * blocks[step.basic_block].count;
  }
  return sum;
}

double instructions_of(const WarpPath& path) {
  double sum = 0;
  for (const std::uint32_t entered : path) sum += blocks[entered].count;
  return sum;
}

TEST(PathThinning, KeepsAPathWithoutLoops) {
  const ShortPath path = shorten({0, 2, 3}, blocks, 100);
  EXPECT_EQ(path.steps.size(), 3u);
  EXPECT_EQ(path.instructions, 22u);
}

TEST(PathThinning, KeepsEverythingWithoutADivisor) {
  const WarpPath path = {0, 1, 2, 1, 2, 1, 2, 3};
  const ShortPath whole = shorten(path, blocks, 1);
  EXPECT_EQ(whole.steps.size(), path.size());
  EXPECT_EQ(static_cast<double>(whole.instructions), instructions_of(path));
}

TEST(PathThinning, TheKeptIterationsStandForAll) {
  WarpPath path = {0};
  for (int i = 0; i < 40; ++i) path.insert(path.end(), {1, 2});
  path.push_back(3);
  for (const double divisor : {2.0, 8.0, 1000.0}) {
    const ShortPath thinned = shorten(path, blocks, divisor);
    EXPECT_NEAR(whole_of(thinned), instructions_of(path), 1e-3 * instructions_of(path)) << divisor;
    EXPECT_LT(static_cast<double>(thinned.instructions),
              1.3 * instructions_of(path) / std::min(divisor, 40.0 / 3) + 30);
  }
}

WarpPath loop_in_loop(int outer, std::size_t inner) {
  WarpPath path = {0};
  for (int i = 0; i < outer; ++i) {
    path.push_back(1);
    path.insert(path.end(), inner, 2);
  }
  path.push_back(3);
  return path;
}

TEST(PathThinning, OuterLoopsLoseIterationsFirst) {
  const WarpPath path = loop_in_loop(12, 16);
  const ShortPath thinned = shorten(path, blocks, 4);
  EXPECT_NEAR(whole_of(thinned), instructions_of(path), 0.02 * instructions_of(path));
  EXPECT_EQ(thinned.instructions, 10u + 3 * (20 + 16 * 5) + 7) << "three whole iterations of twelve";
}

TEST(PathThinning, ThenInnerOnesDo) {
  const WarpPath path = loop_in_loop(12, 64);
  const ShortPath thinned = shorten(path, blocks, 16);
  EXPECT_NEAR(whole_of(thinned), instructions_of(path), 0.02 * instructions_of(path));
  EXPECT_EQ(thinned.instructions, 10u + 3 * (20 + 16 * 5) + 7) << "of each of the three a quarter";
}

TEST(PathThinning, UnequalIterationsCountByTheirInstructions) {
  WarpPath path;
  for (int i = 0; i < 10; ++i) {
    path.push_back(0);
    path.insert(path.end(), static_cast<std::size_t>(i), 1);
  }
  EXPECT_NEAR(whole_of(shorten(path, blocks, 2)), instructions_of(path), 0.02 * instructions_of(path));
}

}  // namespace
}  // namespace tilescope::model
