#include "profiler/explanation/occupancy/occupancy_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text/csv.hpp"
#include "profiler/explanation/occupancy/occupancy.hpp"
#include "profiler/explanation/occupancy/tests/occupancy_fixture.hpp"

namespace tilescope {
namespace {

using State = OccupancyMapCell::State;

class OccupancyMapTest : public ::testing::Test {
 protected:
  OccupancyMapView map(const KnownResources& known) const {
    return occupancy_map({kernel_, kernel_.complete({}), Shape{}, device_}, axis("BLOCK_M"),
                         axis("NUM_WARPS"), known);
  }
  ValueAxis axis(const std::string& parameter) const {
    const ParameterDeclaration& declared = *kernel_.find_parameter(parameter);
    return make_axis({declared.name, declared.values, declared.default_value});
  }
  static std::optional<Resources> nothing(const Configuration&) { return std::nullopt; }

  KernelDeclaration kernel_ = read_kernel_declaration(std::filesystem::path(TILESCOPE_SOURCE_DIR) /
                                                      "kernels/attention/flash_scalar.cu");
  std::vector<DeviceModel> tables_ = test_support::shipped_tables();
  const DeviceModel& device_ = *match_device(tables_, "L4");
};

TEST_F(OccupancyMapTest, AKnownCellIsWhatTheCalculatorSaysOfItsResources) {
  const Resources known{96, 256, 0, 0, 0, ""};
  const OccupancyMapView view = map([&](const Configuration&) { return std::optional(known); });
  EXPECT_EQ(view.bounds, 0u);
  ASSERT_GT(view.exact, 0u);
  EXPECT_EQ(view.exact + view.invalid, view.cells.size());
  for (const OccupancyMapCell& cell : view.cells) {
    if (cell.state != State::exact) continue;
    const LaunchGeometry geometry = launch_geometry(kernel_, cell.configuration, Shape{}, device_);
    EXPECT_EQ(cell.occupancy, occupancy(device_, known, geometry)) << to_string(cell.configuration);
    EXPECT_EQ(cell.shared_bytes, geometry.dynamic_shared_bytes + 256);
    EXPECT_EQ(cell.registers, 96);
    EXPECT_EQ(cell.lines.size(), 3u);
  }
}

TEST_F(OccupancyMapTest, ABoundIsNeverBelowWhatAnyRegisterCountGives) {
  const OccupancyMapView bounds = map(nothing);
  EXPECT_EQ(bounds.exact, 0u);
  ASSERT_GT(bounds.bounds, 0u);
  for (const std::int64_t registers : {16, 40, 72, 128, 255}) {
    const OccupancyMapView exact = map([&](const Configuration&) {
      return std::optional(Resources{registers, 0, 0, 0, 0, ""});
    });
    for (std::size_t i = 0; i < exact.cells.size(); ++i) {
      if (exact.cells[i].state != State::exact) continue;
      EXPECT_LE(exact.cells[i].occupancy.blocks_per_sm, bounds.cells[i].occupancy.blocks_per_sm);
      EXPECT_GE(exact.cells[i].occupancy.waves, bounds.cells[i].occupancy.waves);
    }
  }
}

TEST_F(OccupancyMapTest, ABoundSaysThatItIsOne) {
  for (const OccupancyMapCell& cell : map(nothing).cells) {
    if (cell.state != State::bound) continue;
    EXPECT_EQ(cell.lines.size(), 2u) << "the tail is not known";
    EXPECT_TRUE(cell.lines[0].starts_with("≤ "));
    EXPECT_TRUE(cell.lines[1].starts_with("≥ "));
    EXPECT_NE(cell.occupancy.limiter, Limiter::registers);
  }
}

TEST_F(OccupancyMapTest, AnInvalidCellHasTheSentenceOfItsConstraint) {
  const OccupancyMapView view = map(nothing);
  std::size_t invalid = 0;
  for (const OccupancyMapCell& cell : view.cells) {
    const std::string why = why_invalid(kernel_, cell.configuration, Shape{}, device_);
    EXPECT_EQ(cell.state == State::invalid, !why.empty()) << to_string(cell.configuration);
    if (cell.state == State::invalid) {
      EXPECT_EQ(cell.reason, why);
    }
    if (!why.empty()) ++invalid;
  }
  EXPECT_EQ(view.invalid, invalid);
}

TEST_F(OccupancyMapTest, ABlockThatFitsOnNoSmIsCrossedOut) {
  // 255 registers for 1,024 threads: more than an SM has.
  const OccupancyMapView view = map([&](const Configuration&) {
    return std::optional(Resources{255, 0, 0, 0, 0, ""});
  });
  const auto wide = std::find_if(view.cells.begin(), view.cells.end(), [](const OccupancyMapCell& cell) {
    return cell.configuration.at("NUM_WARPS") == ParameterValue(std::int64_t{16}) &&
           cell.reason.starts_with("The block does not fit");
  });
  ASSERT_NE(wide, view.cells.end());
  EXPECT_EQ(wide->reason, "The block does not fit on an SM of L4: it exceeds the SM's registers.");
}

TEST_F(OccupancyMapTest, TheCurrentCellIsThatOfTheConfiguration) {
  const OccupancyMapView view = map(nothing);
  ASSERT_TRUE(view.current.has_value());
  EXPECT_EQ(view.cells[*view.current].configuration, kernel_.complete({}));
}

TEST_F(OccupancyMapTest, TheSentenceCountsBothKinds) {
  const Configuration defaults = kernel_.complete({});
  const OccupancyMapView view = map([&](const Configuration& configuration) {
    return configuration == defaults ? std::optional(Resources{64, 0, 0, 0, 0, ""}) : std::nullopt;
  });
  EXPECT_EQ(view.exact, 1u);
  EXPECT_TRUE(map_sentence(view).starts_with("1 cell is exact: compiled, registers known. "));
  EXPECT_NE(map_sentence(view).find(std::to_string(view.bounds) + " cells are bounds"), std::string::npos);
}

TEST_F(OccupancyMapTest, WithoutAnyCompiledCellTheSentenceSaysSo) {
  EXPECT_TRUE(map_sentence(map(nothing)).starts_with("no cell is compiled yet. "));
}

TEST_F(OccupancyMapTest, EveryLineOfTheTableHasEveryColumn) {
  const OccupancyMapView view = map(nothing);
  const std::string csv = occupancy_map_csv(view);
  EXPECT_TRUE(csv.starts_with("NUM_WARPS,BLOCK_M,state,blocks per SM,"));
  std::size_t lines = 0;
  for (std::size_t at = 0; at < csv.size(); at = csv.find('\n', at) + 1) ++lines;
  EXPECT_EQ(lines, 1 + view.cells.size());
  EXPECT_NE(csv.find(",bound,"), std::string::npos);
}

TEST(CompilesAlike, OnlyWhatTheCodeGetsOfTheShape) {
  Shape other;
  other.B = 4;
  other.Sq = 2048;
  EXPECT_TRUE(compiles_alike(Shape{}, other));
  other.causal = true;
  EXPECT_FALSE(compiles_alike(Shape{}, other));
}

}  // namespace
}  // namespace tilescope
