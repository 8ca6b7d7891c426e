#include "sessions/compare/line_changes.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/json.hpp"
#include "sessions/compare/comparison_json.hpp"
#include "sessions/compare/tests/compared_points.hpp"

namespace tilescope {
namespace {

using test_support::make_predicted_side;

/// Predicted with these times by line, which are all of its latency.
Measurement with_lines(const std::string& layout, std::vector<LineTime> lines) {
  double us = 0;
  for (const LineTime& line : lines) us += line.us();
  Measurement point = make_predicted_side(layout, us, 0);
  point.provenance.source_sha256 = "one";
  point.prediction->ratio_error = RatioError{0.02, 0.03};
  point.prediction->lines = std::move(lines);
  return point;
}

LineTime line(std::int64_t number, double us, const std::string& inlined = "") {
  return {number, inlined, us / 4, us * 3 / 4, 1000};
}

TEST(LineChanges, TheLargestDifferenceComesFirstAndEqualLinesAreLeftOut) {
  const Measurement a =
      with_lines("row", {line(84, 300), line(90, 50), line(90, 40, "element.cuh:8"), line(12, 10)});
  const Measurement b =
      with_lines("xor", {line(84, 100), line(90, 50), line(90, 60, "element.cuh:8"), line(33, 5)});
  const LineChanges changes = line_changes(compare(a, b));
  EXPECT_EQ(changes.why_none, "");
  const std::vector<LineChange> expected = {
      {84, "", 300, 100}, {90, "element.cuh:8", 40, 60}, {12, "", 10, 0}, {33, "", 0, 5}};
  EXPECT_EQ(changes.lines, expected);
  EXPECT_EQ(place_text(changes.lines[0]), "84");
  EXPECT_EQ(place_text(changes.lines[1]), "element.cuh:8");
  const Json json = comparison_to_json(compare(a, b)).at("line_changes");
  ASSERT_EQ(json.size(), 4u);
  EXPECT_EQ(json[0], Json({{"line", 84}, {"inlined_place", nullptr}, {"a_us", 300.0}, {"b_us", 100.0}}));
  EXPECT_EQ(json[1].at("inlined_place"), "element.cuh:8");
}

TEST(LineChanges, ThereIsNoneOfADifferenceThatIsNotDecided) {
  const Comparison comparison = compare(with_lines("row", {line(84, 300), line(90, 100)}),
                                        with_lines("xor", {line(84, 297), line(90, 102)}));
  ASSERT_EQ(comparison.verdict, Verdict::undecided);
  EXPECT_TRUE(line_changes(comparison).lines.empty());
  EXPECT_EQ(line_changes(comparison).why_none, "");
  EXPECT_EQ(comparison_to_json(comparison).at("line_changes"), Json::array());
}

TEST(LineChanges, PointsThatWereNotExplainedHaveNone) {
  Measurement a = with_lines("row", {line(84, 300)});
  const Measurement b = with_lines("xor", {line(84, 100)});
  a.prediction->lines.clear();
  EXPECT_TRUE(line_changes(compare(a, b)).lines.empty());
  EXPECT_EQ(line_changes(compare(a, b)).why_none, "The times of single lines are not known of A.");
}

TEST(LineChanges, LinesOfDifferentSourcesAreNotCompared) {
  const Measurement a = with_lines("row", {line(84, 300)});
  Measurement b = with_lines("xor", {line(84, 100)});
  b.provenance.source_sha256 = "other";
  const LineChanges changes = line_changes(compare(a, b));
  EXPECT_TRUE(changes.lines.empty());
  EXPECT_EQ(changes.why_none, "The sides have different sources: their lines are not compared.");
}

TEST(LineChanges, AMeasuredDifferenceOfTheOtherSignIsNotExplainedByThem) {
  Measurement a = test_support::make_timed_side("row", 100), b = test_support::make_timed_side("xor", 200);
  a.provenance = b.provenance = with_lines("row", {}).provenance;
  a.prediction = with_lines("row", {line(84, 300)}).prediction;
  b.prediction = with_lines("xor", {line(84, 100)}).prediction;
  const Comparison comparison = compare(a, b);
  ASSERT_EQ(comparison.verdict, Verdict::slower);
  EXPECT_TRUE(line_changes(comparison).lines.empty());
  EXPECT_TRUE(
      line_changes(comparison).why_none.starts_with("The model predicts a difference of the other sign"));
}

TEST(LineChanges, ManySmallOnesAreSaid) {
  std::vector<LineTime> slow, fast;
  for (std::int64_t i = 1; i <= 200; ++i) {
    slow.push_back(line(i, 2));
    fast.push_back(line(i, 1));
  }
  const LineChanges changes = line_changes(compare(with_lines("row", slow), with_lines("xor", fast)));
  EXPECT_TRUE(changes.lines.empty());
  EXPECT_EQ(changes.why_none, "No line's predicted time changes by more than 1 % of the latency.");
}

}  // namespace
}  // namespace tilescope
