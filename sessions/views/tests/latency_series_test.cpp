#include "sessions/views/points/latency_series.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

using test_support::make_point;
using test_support::make_predicted;
using test_support::make_timed;
using test_support::share;

const ValueAxis& axis_m() {
  static const ValueAxis axis = make_axis(test_support::sample_parameters()[0]);
  return axis;
}

LatencyView view_of(const PointList& session, const PointList& recorded = {}, bool all = false) {
  Slice slice = test_support::slice_of(8, "row", {"M"});
  slice.all_configurations = all;
  return latency_against(test_support::index_of(session, recorded), slice, axis_m(), "L4");
}

TEST(LatencySeries, KindsAreNeverInOneSeries) {
  Measurement on_h200 = make_timed(8, "row", 5);
  on_h200.device.name = "H200";
  const LatencyView view =
      view_of({share(make_timed(8, "row", 10)), share(make_predicted(8, "row", 12))}, {share(on_h200)});
  ASSERT_EQ(view.series.size(), 3u);
  EXPECT_EQ(view.series[0].legend, "measured on L4");
  EXPECT_EQ(view.series[1].legend, "predicted for L4");
  EXPECT_EQ(view.series[2].legend, "recorded on H200");
}

TEST(LatencySeries, APointWithALatencyAndAPredictionHasADotOfEach) {
  Measurement point = make_timed(8, "row", 10);
  point.prediction = make_predicted(8, "row", 12).prediction;
  const LatencyView view = view_of({share(point)});
  ASSERT_EQ(view.series.size(), 2u);
  EXPECT_FALSE(view.series[0].predicted);
  EXPECT_TRUE(view.series[1].predicted);
  const LatencyDot& dot = view.series[1].dots.at(0);
  EXPECT_EQ(dot.p50_us, 12);
  EXPECT_EQ(dot.below_us, 3);
  EXPECT_EQ(dot.above_us, 6);
  EXPECT_EQ(view_of({}, {share(point)}).series[1].legend, "predicted for L4, of the recorded session");
}

TEST(LatencySeries, PredictionsForAnotherDeviceAreOfTheirOwn) {
  Measurement for_h200 = make_predicted(8, "row", 5);
  for_h200.device.name = "H200";
  const LatencyView view = view_of({share(make_predicted(8, "row", 12)), share(for_h200)});
  ASSERT_EQ(view.series.size(), 2u);
  EXPECT_TRUE(view.series[0].own_device);
  EXPECT_FALSE(view.series[1].own_device);
}

TEST(LatencySeries, TimedPointsElsewhereAreNamedWhereTheSliceHasNone) {
  Measurement other_shape = make_timed(8, "row", 5);
  other_shape.shape.B += 1;
  Measurement other_settings = make_timed(8, "padded", 5);
  other_shape.device.name = other_settings.device.name = "H200";
  const PointList recorded{share(other_shape), share(other_settings)};
  const LatencyView view = view_of({share(make_predicted(8, "row", 12))}, recorded);
  ASSERT_TRUE(view.elsewhere);
  EXPECT_EQ(
      timed_elsewhere_words(*view.elsewhere),
      "2 points were measured on H200, none at these settings. Tick All settings to see 1 point of this "
      "shape.");
  EXPECT_FALSE(view_of({share(make_timed(8, "row", 12))}, recorded).elsewhere) << "the slice has one";
  EXPECT_FALSE(view_of({share(make_predicted(8, "row", 12))}, recorded, true).elsewhere);
}

TEST(LatencySeries, DotsOfAllSettingsStayInTheColumnOfTheirValue) {
  PointList points;
  for (int i = 0; i < 40; ++i) points.push_back(share(make_timed(16, i % 2 == 0 ? "row" : "padded", 4)));
  const LatencyView view = view_of(points, {}, true);
  ASSERT_EQ(view.series.at(0).dots.size(), 40u);
  for (const LatencyDot& dot : view.series[0].dots)
    EXPECT_LE(std::abs(dot.x - 4), spread_in_column + 1e-12) << "16 stands at 4, its neighbours at 3 and 5";
}

TEST(LatencySeries, ALatencyThatIsNotANumberHasNoDot) {
  const LatencyView view =
      view_of({share(make_timed(8, "row", std::nan(""))), share(make_timed(16, "row", 4))});
  ASSERT_EQ(view.series.size(), 1u);
  EXPECT_EQ(view.series[0].dots.size(), 1u);
  EXPECT_NEAR(view.high_us, 4.8, 1e-12);
}

TEST(LatencySeries, TheAxisSaysWhatItsTimesAre) {
  EXPECT_EQ(latency_axis_words(view_of({share(make_timed(8, "row", 10))}), false),
            "p50 with p10 to p90 [µs]");
  const LatencyView predicted = view_of({share(make_predicted(8, "row", 12))});
  EXPECT_EQ(latency_axis_words(predicted, false), "predicted p50 with its band [µs]");
  EXPECT_EQ(latency_axis_words(predicted, true), "predicted [µs]");
  const LatencyView both = view_of({share(make_predicted(8, "row", 12)), share(make_timed(16, "row", 10))});
  EXPECT_EQ(latency_axis_words(both, false), "p50, measured and predicted [µs]");
}

TEST(LatencySeries, APredictionIsSomethingToPlot) {
  const LatencyView view = view_of({share(make_predicted(8, "row", 12))});
  EXPECT_FALSE(view.empty());
  EXPECT_EQ(view.without_latency, 0u);
}

TEST(LatencySeries, AWrongResultIsASeriesOfItsOwn) {
  Measurement wrong = make_timed(16, "row", 1);
  wrong.status = Status::wrong_result;
  const LatencyView view = view_of({share(wrong), share(make_timed(8, "row", 10))});
  ASSERT_EQ(view.series.size(), 2u);
  EXPECT_FALSE(view.series[0].wrong);
  EXPECT_TRUE(view.series[1].wrong);
  EXPECT_EQ(view.series[1].legend, "incorrect result, measured on L4");
}

TEST(LatencySeries, DotsHaveTheirSpreadAndAscend) {
  const LatencyView view = view_of({share(make_timed(32, "row", 10)), share(make_timed(8, "row", 20))});
  ASSERT_EQ(view.series[0].dots.size(), 2u);
  const LatencyDot& last = view.series[0].dots[1];
  EXPECT_EQ(last.x, 5);
  EXPECT_NEAR(last.below_us, 1, 1e-12);
  EXPECT_NEAR(last.above_us, 2, 1e-12);
  EXPECT_NEAR(view.low_us, 9, 1e-12);
  EXPECT_NEAR(view.high_us, 24, 1e-12);
}

TEST(LatencySeries, TheNewestOfTwoPointsOfOneConfigurationIsShown) {
  const LatencyView view = view_of({share(make_timed(8, "row", 10)), share(make_timed(8, "row", 11))});
  ASSERT_EQ(view.series[0].dots.size(), 1u);
  EXPECT_EQ(view.series[0].dots[0].p50_us, 11);
}

TEST(LatencySeries, AllConfigurationsStayBesideTheirValue) {
  PointList session;
  for (int i = 0; i < 200; ++i) session.push_back(share(make_timed(16, i % 2 ? "row" : "padded", 10 + i)));
  const LatencyView view = view_of(session, {}, true);
  ASSERT_EQ(view.series[0].dots.size(), 200u);
  for (const LatencyDot& dot : view.series[0].dots) EXPECT_NEAR(dot.x, 4, 0.3);
}

TEST(LatencySeries, TheConfigurationUnderTheSlidersIsKnownInBothSlices) {
  const PointList session{share(make_timed(8, "row", 10)), share(make_timed(8, "padded", 11)),
                          share(make_timed(16, "row", 12)), share(make_timed(8, "row", 13))};
  for (const bool all : {false, true}) {
    const LatencyView view = view_of(session, {}, all);
    ASSERT_EQ(view.current.size(), 1u);
    EXPECT_EQ(view.current[0].entry, 3u);
  }
}

TEST(LatencySeries, SaysWhyThereIsNothing) {
  Measurement other = make_timed(8, "row", 10);
  other.shape.Sq = other.shape.Sk = 2048;
  Measurement failed = make_point(32, "row");
  failed.status = Status::compile_failed;
  const LatencyView view = view_of({share(make_point(8, "row")), share(failed)}, {share(other)});
  EXPECT_TRUE(view.empty());
  EXPECT_EQ(view.without_latency, 1u);
  EXPECT_EQ(view.failed.size(), 1u);
  EXPECT_EQ(view.of_other_shapes, 1u);
  EXPECT_EQ(view.of_this_shape, 0u);
  ASSERT_TRUE(view.other_shape.has_value());
  EXPECT_EQ(view.other_shape->Sq, 2048);
}

TEST(LatencySeries, TheNearestDotIsFoundInPixels) {
  const LatencyView view = view_of({share(make_timed(8, "row", 100)), share(make_timed(16, "row", 10))});
  const PixelScale scale{100, 2, false};
  EXPECT_EQ(nearest_dot(view, 3.05, 101, scale, 8), 0u);
  EXPECT_EQ(nearest_dot(view, 4, 12, scale, 8), 1u);
  EXPECT_FALSE(nearest_dot(view, 3.5, 50, scale, 8).has_value());
  EXPECT_EQ(nearest_dot(view, 3, 110, PixelScale{100, 100, true}, 8), 0u);
}

}  // namespace
}  // namespace tilescope
