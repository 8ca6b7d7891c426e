#include "sessions/views/model/prediction_errors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

using test_support::share;

/// Measured 100 µs, with a band of 20 µs to either side.
Measurement point_of(const std::string& kernel, double predicted_us, const std::string& part = "tensor") {
  Measurement point = test_support::make_timed(8, "row", 100);
  point.kernel = kernel;
  point.prediction = Prediction{predicted_us,
                                predicted_us - 20,
                                predicted_us + 20,
                                predicted_us / 10,
                                "model",
                                "",
                                {{"launch", 90}, {part, predicted_us - 90}}};
  return point;
}

ErrorsView errors_of(const PointList& points, ErrorsChoice choice = {"L4", {}, {}}) {
  return prediction_errors(points, {}, choice);
}

TEST(PredictionErrors, AreByKernelWithAllFirst) {
  const ErrorsView view =
      errors_of({share(point_of("a", 110)), share(point_of("a", 130)), share(point_of("b", 95))});
  ASSERT_EQ(view.by_kernel.size(), 3U);
  EXPECT_EQ(view.by_kernel[0].name, "all");
  EXPECT_EQ(view.by_kernel[0].points, 3U);
  const ErrorRow& a = view.by_kernel[1];
  EXPECT_EQ(a.name, "a");
  EXPECT_NEAR(a.mean_error, 0.2, 1e-12);
  EXPECT_NEAR(a.p90_error, 0.3, 1e-12);
  EXPECT_NEAR(a.within_band, 0.5, 1e-12) << "110 to 150 does not hold 100";
  EXPECT_NEAR(a.roofline_error.value(), 0.88, 1e-12);
  EXPECT_EQ(errors_of({share(point_of("a", 110))}).by_kernel.size(), 1U) << "one kernel is all";
}

TEST(PredictionErrors, KernelsComeWorstFirstBehindAll) {
  const ErrorsView view = errors_of({share(point_of("a", 105)), share(point_of("b", 140)),
                                     share(point_of("c", 80)), share(point_of("d", 101))});
  std::vector<std::string> names;
  names.reserve(view.by_kernel.size());
  for (const ErrorRow& row : view.by_kernel) names.push_back(row.name);
  EXPECT_EQ(names, (std::vector<std::string>{"all", "b", "c", "a", "d"}));
  EXPECT_EQ(view.series.front().kernel, "a") << "marks stay by name";
}

TEST(PredictionErrors, ThePercentileIsThatOfNineTenths) {
  PointList points;
  for (int i = 1; i <= 20; ++i) points.push_back(share(point_of("a", 100 + i)));
  EXPECT_NEAR(errors_of(points).by_kernel.front().p90_error, 0.18, 1e-12);
}

TEST(PredictionErrors, LimitersComeWorstFirstAndLaunchIsNone) {
  const ErrorsView view = errors_of({share(point_of("a", 110, "tensor")), share(point_of("a", 140, "MUFU"))});
  ASSERT_EQ(view.by_limiter.size(), 2U);
  EXPECT_EQ(view.by_limiter[0].name, "MUFU");
  EXPECT_EQ(view.by_limiter[1].name, "tensor");
}

TEST(PredictionErrors, TheWorstComeFirstWhateverTheirSign) {
  PointList points;
  for (int i = 0; i < 30; ++i) points.push_back(share(point_of(i % 2 == 0 ? "a" : "b", 100 + i)));
  points.push_back(share(point_of("a", 50)));
  const ErrorsView view = errors_of(points);
  ASSERT_EQ(view.worst.size(), ErrorsView::most_misses);
  EXPECT_NEAR(view.worst[0].error, -0.5, 1e-12);
  EXPECT_EQ(view.points[view.worst[0].entry], points.back());
  EXPECT_NEAR(view.worst[1].error, 0.29, 1e-12);
  EXPECT_NEAR(view.worst.back().error, 0.21, 1e-12);
}

TEST(PredictionErrors, OnlyCorrectPointsOfTheChoiceCount) {
  Measurement incorrect = point_of("a", 110);
  incorrect.status = Status::wrong_result;
  Measurement elsewhere = point_of("a", 110);
  elsewhere.device.name = "H200";
  Measurement other_shape = point_of("a", 110);
  other_shape.shape.B += 1;
  const Measurement alone = test_support::make_predicted(8, "row", 3);
  const PointList points{
      share(incorrect),         share(elsewhere), share(other_shape),
      share(point_of("b", 10)), share(alone),     share(test_support::make_timed(8, "row", 3)),
      share(point_of("a", 120))};
  const ErrorsView view = errors_of(points, {"L4", {}, Shape{}});
  EXPECT_EQ(view.points.size(), 2U);
  EXPECT_EQ(view.not_chosen, 1U);
  EXPECT_EQ(view.predicted_alone, 1U);
  EXPECT_EQ(view.measured_alone, 1U);
  const ErrorsView one = errors_of(points, {"L4", "b", {}});
  EXPECT_EQ(one.points.size(), 1U);
  EXPECT_EQ(one.all_kernels, (std::vector<std::string>{"a", "b"})) << "marks stay what they are";
}

TEST(PredictionErrors, RecordedPointsAreCompared) {
  const ErrorsView view = prediction_errors({}, {share(point_of("a", 110))}, {"L4", {}, {}});
  EXPECT_EQ(view.points.size(), 1U);
  EXPECT_LT(view.low_us, 100);
  EXPECT_GT(view.high_us, 110);
}

TEST(PredictionErrors, TheAxesHaveSeveralTicksAlsoWhereTheyAreNarrow) {
  EXPECT_EQ(errors_of({share(point_of("a", 110))}).ticks, (std::vector<double>{100}));
  const auto narrow = errors_of({share(point_of("a", 110)), share(point_of("a", 1000))});
  EXPECT_EQ(narrow.ticks, (std::vector<double>{100, 200, 500, 1000}));
  EXPECT_TRUE(errors_of({share(point_of("a", 90'000))}).ticks.empty()) << "powers of ten are enough";
}

TEST(PredictionErrors, DevicesAreThoseWithBoth) {
  Measurement elsewhere = point_of("a", 110);
  elsewhere.device.name = "H200";
  const auto devices = prediction_error_devices(
      {share(elsewhere), share(elsewhere), share(test_support::make_predicted(8, "row", 3))}, {});
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].name, "H200");
  EXPECT_EQ(devices[0].points, 2U);
}

TEST(PredictionErrors, NothingToCompareSaysWhy) {
  EXPECT_NE(why_no_errors(errors_of({share(test_support::make_predicted(8, "row", 3))}))
                .find("1 point of L4 is "
                      "predicted and not"),
            std::string::npos);
  EXPECT_NE(
      why_no_errors(errors_of({share(point_of("a", 1))}, {"L4", "b", {}})).find("1 point of other kernels"),
      std::string::npos);
  EXPECT_NE(why_no_errors(errors_of({})).find("once it has both"), std::string::npos);
}

TEST(PredictionErrors, TheTooltipSaysWhetherTheBandHolds) {
  const auto lines = error_tooltip(point_of("a", 110));
  EXPECT_NE(std::find(lines.begin(), lines.end(), TextPair{"error", "+10.0 %, within the band"}),
            lines.end());
  const auto outside = error_tooltip(point_of("a", 130));
  EXPECT_NE(std::find(outside.begin(), outside.end(), TextPair{"error", "+30.0 %, outside of the band"}),
            outside.end());
}

TEST(PredictionErrors, TheCsvHasPartsTablesAndPoints) {
  const Measurement shown = point_of("a", 110);
  const std::string csv = model_csv(prediction_parts(shown), errors_of({share(shown)}));
  std::istringstream lines(csv);
  std::size_t columns = 0;
  std::vector<std::string> kinds;
  for (std::string line; std::getline(lines, line);) {
    const auto fields = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
    if (columns == 0) columns = fields;
    EXPECT_EQ(fields, columns) << line;
    kinds.push_back(line.substr(0, line.find(',')));
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"row", "part of the shown point", "part of the shown point",
                                             "mean |error| by kernel", "mean |error| by limiter", "point"}));
}

}  // namespace
}  // namespace tilescope
