#include "sessions/compare/shape_comparisons.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "sessions/compare/tests/compared_points.hpp"

namespace tilescope {
namespace {

using test_support::make_predicted_side;
using test_support::make_timed_side;

Measurement at(Measurement point, std::int64_t batch) {
  if (point.latency) point.latency->tflops *= static_cast<double>(batch);
  point.shape.B = batch;
  return point;
}

ShapeComparisons two_timed() {
  ShapeComparisons compared;
  compared.comparisons.push_back(
      compare(at(make_timed_side("row", 200), 1), at(make_timed_side("padded", 100), 1)));
  compared.comparisons.push_back(
      compare(at(make_timed_side("row", 400), 4), at(make_timed_side("padded", 500), 4)));
  return compared;
}

bool has_remark(const ShapeComparisons& compared, const std::string& words) {
  const std::vector<std::string> remarks = shape_comparisons_table(compared).remarks;
  return std::ranges::any_of(remarks,
                             [&](const std::string& text) { return text.find(words) != std::string::npos; });
}

TEST(ShapeComparisons, HaveTheGeometricMeanOfTheirRatios) {
  const ShapeComparisons compared = two_timed();
  const MeanRatio mean = *mean_ratio(compared);
  EXPECT_NEAR(mean.value, std::sqrt(2 * 0.8), 1e-12);
  EXPECT_EQ(mean.ratios, 2u);
  EXPECT_EQ(mean.basis, Basis::apart);
  const ShapeComparisonsTable table = shape_comparisons_table(compared);
  EXPECT_EQ(table.summary,
            "Geometric mean of 2 ratios p50(A) / p50(B): 1.265. FASTER at 1 shape, SLOWER at 1.");
  EXPECT_EQ(table.a, "flash_scalar SMEM_LAYOUT=row");
  EXPECT_EQ(table.common, "H8 S512 D64 fp16 on L4");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0][0], "B1");
  EXPECT_EQ(table.rows[1][1], "SLOWER");
  EXPECT_EQ(table.rows[1][4], "0.800");
}

TEST(ShapeComparisons, LeaveWhatHasNoRatioOutOfTheMeanAndSayIt) {
  ShapeComparisons compared = two_timed();
  Measurement wrong = at(make_timed_side("padded", 1), 8);
  wrong.status = Status::wrong_result;
  wrong.reason = "row 3 differs";
  compared.comparisons.push_back(compare(at(make_timed_side("row", 400), 8), wrong));
  compared.not_compared.push_back({at(wrong, 16).shape, "no correct point of the session fits"});
  EXPECT_NEAR(mean_ratio(compared)->value, std::sqrt(1.6), 1e-12);
  EXPECT_TRUE(has_remark(compared, "over 2 of 4 shapes"));
  EXPECT_TRUE(has_remark(compared, "row 3 differs"));
  EXPECT_TRUE(has_remark(compared, "B16 H8 S512 D64 fp16: no correct point"));
  EXPECT_EQ(shape_comparisons_table(compared).rows[3][1], "no point");
  const Json json = shape_comparisons_to_json(compared);
  EXPECT_EQ(json["ratios"], 2);
  EXPECT_EQ(json["comparisons"].size(), 3u);
  EXPECT_EQ(json["not_compared"][0]["shape"]["B"], 16);
}

TEST(ShapeComparisons, OfTimedAndPredictedSidesSayThatTheMeanMixesThem) {
  ShapeComparisons compared = two_timed();
  compared.comparisons.push_back(
      compare(at(make_predicted_side("row", 80, 60), 8), at(make_predicted_side("padded", 100, 0), 8)));
  EXPECT_FALSE(mean_ratio(compared)->basis);
  EXPECT_TRUE(has_remark(compared, "different origin"));
  EXPECT_EQ(shape_comparisons_to_json(compared)["basis"], "mixed");
}

TEST(ShapeComparisons, SayThatASideIsAnotherConfigurationAtAnotherShape) {
  ShapeComparisons compared = two_timed();
  EXPECT_FALSE(has_remark(compared, "configuration of"));
  compared.comparisons.push_back(
      compare(at(make_timed_side("row", 400), 8), at(make_timed_side("xor", 300), 8)));
  EXPECT_TRUE(has_remark(compared, "configuration of B differs"));
  EXPECT_FALSE(has_remark(compared, "configuration of A differs"));
  EXPECT_EQ(shape_comparisons_table(compared).b, "flash_scalar");
}

TEST(ShapeComparisons, WithoutARatioHaveNoMean) {
  ShapeComparisons compared;
  compared.comparisons.push_back(compare(test_support::make_side("row"), test_support::make_side("padded")));
  EXPECT_FALSE(mean_ratio(compared));
  EXPECT_TRUE(shape_comparisons_to_json(compared)["geometric_mean_of_ratios"].is_null());
  EXPECT_EQ(shape_comparisons_table(compared).summary,
            "No shape has a ratio of latencies. UNDECIDED at 1 shape.");
}

TEST(ShapeComparisons, AreATableInMarkdown) {
  const std::string text = shape_comparisons_markdown(two_timed());
  EXPECT_NE(text.find("| B4 | SLOWER | 400.00 | 500.00 | 0.800 |"), std::string::npos) << text;
  EXPECT_NE(text.find("Geometric mean of 2 ratios"), std::string::npos);
}

/// Line 7 takes all of the latency.
Measurement with_line(double us, std::int64_t batch, const std::string& layout) {
  Measurement point = at(make_predicted_side(layout, us, 0), batch);
  point.provenance.source_sha256 = "source of " + layout;
  point.prediction->ratio_error = RatioError{0.02, 0.03};
  point.prediction->lines = {LineTime{7, "", us, 0, 1000}};
  return point;
}

TEST(ShapeComparisons, HaveTheLinesOfTheShapeWithTheLargestDifference) {
  ShapeComparisons compared;
  compared.comparisons.push_back(compare(with_line(90, 1, "row"), with_line(60, 1, "xor")));
  compared.comparisons.push_back(compare(with_line(900, 4, "row"), with_line(600, 4, "xor")));
  compared.comparisons.push_back(compare(with_line(90, 8, "row"), with_line(60, 8, "xor")));
  const SourceFile source{"k.cu", "1\n2\n3\n4\n5\n6\n  slow();\n", {}};
  const SideSources both{&source, &source};
  const std::vector<SideSources> sources{both, both, {}};
  const std::optional<ShapeLines> shown = lines_of_largest_difference(compared, sources);
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->comparison, 1U);
  EXPECT_EQ(shown->heading,
            "Lines whose predicted time changes at B4 H8 S512 D64 fp16, where the difference is largest");
  ASSERT_EQ(shown->changes.lines.size(), 1U);
  EXPECT_EQ(shown->changes.lines[0].a_us, 900);
  const std::string text = shape_comparisons_markdown(compared, sources);
  EXPECT_NE(text.find("| 7 | 900.00 | 600.00 | -300.00 µs | slow(); |"), std::string::npos) << text;
  const Json json = shape_comparisons_to_json(compared, sources);
  const auto lines_at = [&](std::size_t shape) { return json["comparisons"][shape]["line_changes"].size(); };
  EXPECT_EQ(lines_at(0), 1U);
  EXPECT_EQ(lines_at(1), 1U);
  EXPECT_EQ(lines_at(2), 0U) << "the sources of this shape are not known";
}

TEST(ShapeComparisons, SayWhyNoLinesAreKnownAtAnyShape) {
  ShapeComparisons compared;
  compared.comparisons.push_back(compare(with_line(90, 1, "row"), with_line(60, 1, "xor")));
  const std::optional<ShapeLines> shown = lines_of_largest_difference(compared, {});
  ASSERT_TRUE(shown);
  EXPECT_TRUE(shown->changes.why_none.starts_with("The sides have different sources"))
      << shown->changes.why_none;
  EXPECT_FALSE(lines_of_largest_difference(two_timed(), {})) << "points without predictions have no lines";
}

}  // namespace
}  // namespace tilescope
