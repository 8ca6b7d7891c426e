#include "sessions/views/model/prediction_text.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "sessions/prediction_error.hpp"
#include "sessions/views/points/point_details.hpp"
#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

Measurement both(double measured_us, double predicted_us) {
  Measurement point = test_support::make_timed(8, "row", measured_us);
  point.prediction = test_support::make_predicted(8, "row", predicted_us).prediction;
  return point;
}

TEST(PredictionText, BoundsHaveTheUnitOfTheMedian) {
  EXPECT_EQ(predicted_words({12.3, 10.9, 14, {}, "", "", {}}), "12.30 µs (10.90 to 14.00)");
  EXPECT_EQ(predicted_words({9.5, 8, 11, {}, "", "", {}}), "9.500 µs (8.000 to 11.000)");
  EXPECT_EQ(predicted_words({1100, 990, 1320, {}, "", "", {}}), "1.100 ms (0.990 to 1.320)");
  EXPECT_EQ(predicted_words({2.4e6, 2e6, 3e6, {}, "", "", {}}), "2.40 s (2.00 to 3.00)");
}

TEST(PredictionText, TheBandHasOneUnit) {
  EXPECT_EQ(band_words({12.3, 10.9, 14, {}, "", "", {}}), "10.90 to 14.00 µs");
  EXPECT_EQ(band_words({990, 940, 1100, {}, "", "", {}}), "0.940 to 1.100 ms");
}

TEST(PredictionText, AnErrorHasItsSign) {
  EXPECT_EQ(signed_percent(-0.067), "-6.7 %");
  EXPECT_EQ(signed_percent(0.12), "+12.0 %");
  EXPECT_EQ(signed_percent(-0.0001), "0.0 %");
}

TEST(PredictionText, APointWithBothNamesBothAndTheError) {
  EXPECT_EQ(measured_and_predicted(both(41.8, 39)), "measured 41.80 µs, predicted 39.00 µs (-6.7 %)");
  EXPECT_EQ(measured_and_predicted(test_support::make_timed(8, "row", 41.8)), "");
  EXPECT_EQ(measured_and_predicted(test_support::make_predicted(8, "row", 39)), "");
}

Prediction of_parts(std::vector<PredictionPart> parts) {
  return {18, 10, 42, {}, "", "", std::move(parts)};
}

TEST(PredictionText, TheLargestPartOfTheWorkLimits) {
  const Prediction prediction = of_parts({{"launch", 2}, {"tensor", 12}, {"MUFU", 4}, {"tail", 6}});
  EXPECT_EQ(limit_words(prediction), "tensor, 50.0 %");
  EXPECT_EQ(limit_sentence(prediction), "Limited by tensor, 50.0 % of the predicted time.");
}

TEST(PredictionText, ATailThatTakesLongerThanTheWorkIsNamedFirst) {
  const Prediction prediction = of_parts({{"launch", 2}, {"tensor", 3}, {"MUFU", 1}, {"tail", 4}});
  EXPECT_EQ(limit_words(prediction), "tail, 40.0 %; work: tensor, 30.0 %");
  EXPECT_EQ(limit_sentence(prediction),
            "Tail 40.0 %: the grid leaves SMs idle. Largest part of the work: tensor, 30.0 %.");
}

TEST(PredictionText, OverheadsThatTogetherTakeLongerAreNamedFirst) {
  const Prediction prediction =
      of_parts({{"launch", 2}, {"block start", 2}, {"instruction fetch", 1}, {"tensor", 4}, {"tail", 1}});
  EXPECT_EQ(limit_words(prediction), "overheads, 50.0 %; work: tensor, 40.0 %");
  EXPECT_EQ(limit_sentence(prediction),
            "Overheads 50.0 %: launch, block start and instruction fetch. Largest part of the work: tensor, "
            "40.0 %.");
}

TEST(PredictionText, WithoutPartsNothingLimits) {
  EXPECT_EQ(limit_words(of_parts({})), "");
  EXPECT_EQ(limit_sentence(of_parts({{"tensor", 0}})), "");
  EXPECT_EQ(limit_words(of_parts({{"tail", 4}})), "tail, 100.0 %");
}

TEST(PredictionText, ATimedPointOfAnotherSourceSaysSo) {
  const Measurement predicted = test_support::make_predicted(8, "row", 70.89);
  Measurement timed = test_support::make_timed(8, "row", 71.22);
  EXPECT_EQ(timed_words(predicted, timed), "71.22 µs, prediction -0.5 %");
  timed.provenance.source_sha256 = "another";
  EXPECT_EQ(timed_words(predicted, timed), "71.22 µs, prediction -0.5 %, other source");
}

TEST(PredictionText, TheReasonIsTheNoteAfterItsStart) {
  Measurement point = test_support::make_point(8, "row");
  EXPECT_EQ(why_not_predicted(point), "");
  point.notes = {"Some blocks ran.", "No prediction: the model does not know HGMMA."};
  EXPECT_EQ(why_not_predicted(point), "The model does not know HGMMA.");
}

const DetailRow* find_row(const std::vector<DetailSection>& sections, const std::string& label) {
  for (const DetailRow& row : sections.front().rows) {
    if (row.label == label) return &row;
  }
  return nullptr;
}

TEST(PointDetails, ThePredictionStandsInTheSectionOfTheLatency) {
  Measurement point = both(41.8, 39);
  point.prediction->parts = {{"launch", 3}, {"tensor", 36}};
  point.prediction->roofline_us = 12;
  const auto sections = point_details(point, false);
  EXPECT_EQ(sections.front().title, "Latency");
  EXPECT_EQ(sections.front().origin, "measured on L4");
  EXPECT_EQ(sections.front().text, "Measured 41.80 µs, predicted 39.00 µs (-6.7 %).");
  ASSERT_NE(find_row(sections, "Predicted p50"), nullptr);
  EXPECT_EQ(find_row(sections, "Predicted p50")->value, "39.00 µs");
  EXPECT_EQ(find_row(sections, "Predicted limit")->value, "tensor, 92.3 %");
  EXPECT_EQ(find_row(sections, "Roofline")->value, "12.00 µs");
  EXPECT_EQ(find_row(sections, "p50")->value, "41.80 µs");
}

TEST(PointDetails, APredictedPointNamesTheTimedOneOfItsConfiguration) {
  const Measurement point = test_support::make_predicted(8, "row", 39);
  auto sections = point_details(point, false);
  add_timed(sections, point, test_support::make_timed(8, "row", 41.8), true);
  ASSERT_NE(find_row(sections, "Recorded"), nullptr);
  EXPECT_EQ(find_row(sections, "Recorded")->value, "41.80 µs, prediction -6.7 %");
}

TEST(PointDetails, APointThatWasNotTimedHasItsPredictionAlone) {
  const auto sections = point_details(test_support::make_predicted(8, "row", 39), false);
  EXPECT_EQ(sections.front().title, "Latency");
  EXPECT_EQ(sections.front().origin, "predicted for L4");
  EXPECT_EQ(sections.front().text, "");
  EXPECT_EQ(find_row(sections, "p50"), nullptr);
  EXPECT_EQ(find_row(sections, "Predicted range")->value, "29.25 to 58.50 µs");
  EXPECT_NE(point_details(test_support::make_point(8, "row"), false).front().title, "Latency");
}

TEST(PredictionError, IsOfPointsThatHaveBothTimes) {
  EXPECT_NEAR(prediction_error(both(40, 30)).value(), -0.25, 1e-12);
  EXPECT_FALSE(prediction_error(test_support::make_timed(8, "row", 40)));
  EXPECT_FALSE(prediction_error(test_support::make_predicted(8, "row", 40)));
  EXPECT_FALSE(prediction_error(both(0, 30))) << "no time to divide by";
  Measurement point = both(40, 30);
  EXPECT_FALSE(roofline_error(point)) << "the model gives none";
  point.prediction->roofline_us = 10;
  EXPECT_NEAR(roofline_error(point).value(), -0.75, 1e-12);
}

TEST(PredictionError, TheBandHoldsItsEnds) {
  Measurement point = both(36, 48);  // 36 to 72
  EXPECT_TRUE(is_within_band(point));
  point.latency->p50_us = 35.9;
  EXPECT_FALSE(is_within_band(point));
  point.latency->p50_us = 72.1;
  EXPECT_FALSE(is_within_band(point));
}

TEST(PredictionError, LaunchAndTailDoNotLimit) {
  Prediction prediction;
  prediction.parts = {{"launch", 9}, {"tensor", 2}, {"L2 and DRAM", 3}, {"tail", 8}};
  EXPECT_EQ(limiting_part(prediction), "L2 and DRAM");
  prediction.parts = {{"launch", 9}, {"tensor", 0}};
  EXPECT_EQ(limiting_part(prediction), "");
}

}  // namespace
}  // namespace tilescope
