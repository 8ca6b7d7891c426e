#include "sessions/views/model/prediction_parts.hpp"

#include <gtest/gtest.h>

#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

Measurement predicted() {
  Measurement point = test_support::make_point(8, "row");
  point.prediction =
      Prediction{40, 36, 46, 10, "model", "", {{"launch", 4}, {"tensor", 26}, {"MUFU", 0}, {"barriers", 10}}};
  return point;
}

TEST(PredictionParts, StandOneBehindTheOtherInTheModelsOrder) {
  const PartsView view = prediction_parts(predicted()).value();
  ASSERT_EQ(view.parts.size(), 3U) << "a part without time is left out";
  EXPECT_EQ(view.parts[1].name, "tensor");
  EXPECT_EQ(view.parts[1].begin_us, 4);
  EXPECT_EQ(view.parts[2].begin_us, 30);
  EXPECT_EQ(view.by_size, (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_DOUBLE_EQ(view.parts[1].share, 0.65);
  double sum = 0;
  for (const PartShare& part : view.parts) sum += part.share;
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(PredictionParts, TheAxisHoldsEverythingThatIsDrawn) {
  Measurement point = predicted();
  EXPECT_GT(prediction_parts(point)->end_us, 46) << "the upper bound";
  point.prediction->roofline_us = 60;
  EXPECT_GT(prediction_parts(point)->end_us, 60);
  point.latency = test_support::make_timed(8, "row", 100).latency;
  const PartsView view = prediction_parts(point).value();
  EXPECT_GT(view.end_us, 120) << "p90";
  EXPECT_EQ(view.ticks, (std::vector<double>{0, 50, 100}));
  ASSERT_TRUE(view.measured);
  EXPECT_EQ(view.measured->p10_us, 90);
}

TEST(PredictionParts, TicksAreRoundAndFew) {
  Measurement point = predicted();
  for (const double p50_us : {0.7, 3.0, 11.0, 59.0, 1234.0, 98765.0}) {
    point.prediction = Prediction{p50_us, p50_us, p50_us, {}, "", "", {}};
    const PartsView view = prediction_parts(point).value();
    EXPECT_GE(view.ticks.size(), 3U) << p50_us;
    EXPECT_LE(view.ticks.size(), 7U) << p50_us;
    EXPECT_LE(view.ticks.back(), view.end_us);
  }
}

TEST(PredictionParts, TheHeadingNamesWhatThereIs) {
  Measurement point = predicted();
  EXPECT_EQ(prediction_parts(point)->heading, "Predicted 40.00 µs (36.00 to 46.00)");
  point.latency = test_support::make_timed(8, "row", 50).latency;
  EXPECT_EQ(prediction_parts(point)->heading,
            "Predicted 40.00 µs (36.00 to 46.00), measured 50.00 µs: -20.0 %");
  EXPECT_EQ(prediction_parts(point)->summary,
            "Limited by tensor, 65.0 % of the predicted time. The roofline time is 10.00 µs, 25.0 % of the "
            "prediction.");
}

TEST(PredictionParts, ATimedPointOfTheSameExperimentGivesTheBarOfTheMeasuredTime) {
  const Measurement timed = test_support::make_timed(8, "row", 50);
  const PartsView view = prediction_parts(predicted(), &timed).value();
  ASSERT_TRUE(view.measured);
  EXPECT_EQ(view.measured->p50_us, 50);
  EXPECT_EQ(view.timed, "50.00 µs, prediction -20.0 %");
  EXPECT_EQ(view.heading, "Predicted 40.00 µs (36.00 to 46.00)") << "this point was not measured";
}

TEST(PredictionParts, WithoutAPredictionThereIsAReason) {
  Measurement point = test_support::make_timed(8, "row", 50);
  EXPECT_FALSE(prediction_parts(point));
  EXPECT_NE(no_prediction_words(point).find("Measure it again"), std::string::npos);
  point.notes = {"No prediction: no table of B300."};
  EXPECT_EQ(no_prediction_words(point), "No table of B300.");
  point.notes.clear();
  point.status = Status::compile_failed;
  point.reason = "It does not compile.";
  EXPECT_EQ(no_prediction_words(point),
            "Compile failed: only correct results are predicted. It does not compile.");
}

}  // namespace
}  // namespace tilescope
