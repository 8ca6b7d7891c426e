#include "sessions/views/occupancy/occupancy_series.hpp"

#include <gtest/gtest.h>

#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

using test_support::share;

SharedMeasurement occupied(std::int64_t m, const std::string& layout, double fraction, Limiter limiter,
                           const std::string& device = "L4") {
  Measurement point = test_support::make_point(m, layout);
  point.device.name = device;
  Occupancy occupancy;
  occupancy.fraction = fraction;
  occupancy.limiter = limiter;
  point.occupancy = occupancy;
  return share(point);
}

OccupancyView view_of(const PointList& session, bool all) {
  Slice slice = test_support::slice_of(8, "row", {"M"});
  slice.all_configurations = all;
  return occupancy_against(test_support::index_of(session), slice,
                           make_axis(test_support::sample_parameters()[0]), "L4");
}

TEST(OccupancySeries, OneSeriesForEachLimiterAndDevice) {
  const OccupancyView view =
      view_of({occupied(8, "row", 0.5, Limiter::registers), occupied(16, "row", 0.25, Limiter::shared_memory),
               occupied(8, "row", 0.5, Limiter::registers, "H200")},
              false);
  ASSERT_EQ(view.series.size(), 3u);
  EXPECT_EQ(view.series[0].legend, "limited by registers");
  EXPECT_EQ(view.series[1].legend, "limited by shared memory");
  EXPECT_EQ(view.series[2].legend, "limited by registers, H200");
  EXPECT_FALSE(view.series[2].own_device);
}

TEST(OccupancySeries, AFullSmIsASeriesOfItsOwnWhateverRanOut) {
  const OccupancyView view =
      view_of({occupied(8, "row", 1, Limiter::registers), occupied(16, "row", 1, Limiter::shared_memory),
               occupied(32, "row", 0.5, Limiter::warps)},
              false);
  ASSERT_EQ(view.series.size(), 2U);
  EXPECT_EQ(view.series[0].legend, "limited by warps");
  EXPECT_EQ(view.series[1].legend, "SM full (warps)");
  EXPECT_EQ(view.series[1].dots.size(), 2U);
}

TEST(OccupancySeries, TheLineHasTheNewestOfEachValueOnTheChosenDevice) {
  const OccupancyView view = view_of(
      {occupied(16, "row", 0.5, Limiter::registers), occupied(8, "row", 0.75, Limiter::warps),
       occupied(16, "row", 0.25, Limiter::shared_memory), occupied(32, "row", 1, Limiter::warps, "H200")},
      false);
  ASSERT_EQ(view.line.size(), 2u);
  EXPECT_EQ(view.line[0].percent, 75);
  EXPECT_EQ(view.line[1].percent, 25);
}

TEST(OccupancySeries, ManyPointsOfOnePlaceAreOneDotWithACount) {
  PointList session;
  for (int i = 0; i < 50; ++i)
    session.push_back(occupied(8, i % 2 ? "row" : "padded", 0.5, Limiter::registers));
  const OccupancyView view = view_of(session, true);
  ASSERT_EQ(view.series.size(), 1u);
  ASSERT_EQ(view.series[0].dots.size(), 1u);
  EXPECT_EQ(view.series[0].dots[0].count, 50u);
  EXPECT_EQ(view.points, 50u);
  EXPECT_TRUE(view.line.empty());
}

TEST(OccupancySeries, DotsOfTwoLimitersDoNotHideEachOther) {
  const OccupancyView view = view_of(
      {occupied(8, "row", 0.5, Limiter::registers), occupied(8, "padded", 0.5, Limiter::shared_memory)},
      true);
  ASSERT_EQ(view.series.size(), 2u);
  EXPECT_NE(view.series[0].dots[0].x, view.series[1].dots[0].x);
}

TEST(OccupancySeries, ThePointUnderTheMouseIsTheNearest) {
  const OccupancyView view = view_of(
      {occupied(8, "row", 0.5, Limiter::registers), occupied(16, "row", 0.25, Limiter::registers)}, false);
  const auto hit = nearest_dot(view, 4.02, 26, 100, 3, 8);
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->entry, 1u);
  EXPECT_FALSE(nearest_dot(view, 3.5, 80, 100, 3, 8).has_value());
}

}  // namespace
}  // namespace tilescope
