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
      {84, 84, "", 300, 100}, {90, 90, "element.cuh:8", 40, 60}, {12, 12, "", 10, 0}, {33, 33, "", 0, 5}};
  EXPECT_EQ(changes.lines, expected);
  EXPECT_EQ(place_text(changes.lines[0]), "84");
  EXPECT_EQ(place_text(changes.lines[1]), "element.cuh:8");
  const Json json = comparison_to_json(compare(a, b)).at("line_changes");
  ASSERT_EQ(json.size(), 4u);
  EXPECT_EQ(json[0], Json({{"line", 84},
                           {"file", nullptr},
                           {"line_a", 84},
                           {"line_b", 84},
                           {"inlined_place", nullptr},
                           {"a_us", 300.0},
                           {"b_us", 100.0}}));
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

TEST(LineChanges, LinesOfUnknownSourcesAreNotCompared) {
  const Measurement a = with_lines("row", {line(84, 300)});
  Measurement b = with_lines("xor", {line(84, 100)});
  b.provenance.source_sha256 = "other";
  const LineChanges changes = line_changes(compare(a, b));
  EXPECT_TRUE(changes.lines.empty());
  EXPECT_EQ(changes.why_none,
            "The sides have different sources, which are not both known: their lines are not compared.");
}

TEST(LineChanges, LinesOfTwoVersionsAreMatchedByTheirTexts) {
  const SourceFile before{"k.cu", "int i;\n  x[i] = 1;\nslow();\nend();\n", {}};
  const SourceFile after{"k.cu", "int i;\nif (i < 8) {\n    x[i] = 1;\n}\nfast();\nend();\n", {}};
  const Measurement a = with_lines("row", {line(2, 60), line(3, 300), line(4, 10), line(0, 20)});
  Measurement b = with_lines("xor", {line(3, 20), line(5, 50), line(6, 10), line(0, 10)});
  b.provenance.source_sha256 = "other";
  const SideSources sources{&before, &after};
  const LineChanges changes = line_changes(compare(a, b), sources);
  const std::vector<LineChange> expected = {
      {3, {}, "", 300, 0}, {{}, 5, "", 0, 50}, {2, 3, "", 60, 20}, {0, 0, "", 20, 10}};
  EXPECT_EQ(changes.lines, expected);
  std::vector<std::string> places, texts;
  for (const LineChange& change : changes.lines) {
    places.push_back(place_text(change));
    texts.push_back(line_text(change, sources));
  }
  EXPECT_EQ(places, (std::vector<std::string>{"A:3", "B:5", "2 > 3", "-"}));
  EXPECT_EQ(texts, (std::vector<std::string>{"slow();", "fast();", "x[i] = 1;", ""}));
  const Json json = comparison_to_json(compare(a, b), sources).at("line_changes");
  EXPECT_EQ(json[0].at("line"), 3);
  EXPECT_EQ(json[0].at("line_b"), nullptr);
}

TEST(LineChanges, ALongLineIsCutForATerminalAlone) {
  const std::string text(90, 'x');
  const SourceFile source{"k.cu", text + "\n", {}};
  const LineChange change{1, 1, "", 300, 100};
  EXPECT_EQ(line_text(change, {&source, &source}).size(), columns_of_excerpt);
  EXPECT_EQ(line_text(change, {&source, &source}, std::string::npos), text);
}

// A diff keeps the order: of two swapped lines it matches one alone.
TEST(LineChanges, AMovedLineIsOneRowAlsoWhereItsSpacesChanged) {
  const SourceFile before{"k.cu", "load( x );\nfor (int i=0; i<n; ++i)\n  sum += x[i];\nend();\n", {}};
  const SourceFile after{"k.cu", "for (int i = 0; i < n; ++i)\n{\nsum+=x[i];\n}\nload(x);\nend();\n", {}};
  const Measurement a = with_lines("row", {line(1, 100), line(2, 200), line(3, 300)});
  Measurement b = with_lines("xor", {line(1, 20), line(3, 30), line(5, 10)});
  b.provenance.source_sha256 = "other";
  const LineChanges changes = line_changes(compare(a, b), {&before, &after});
  const std::vector<LineChange> expected = {{3, 3, "", 300, 30}, {2, 1, "", 200, 20}, {1, 5, "", 100, 10}};
  EXPECT_EQ(changes.lines, expected);
}

TEST(LineChanges, WordsThatASpaceKeepsApartAndTextsThatAreOftenerOnOneSideAreNotMatched) {
  const SourceFile before{"k.cu", "step();\nint a;\nload();\nend();\n", {}};
  const SourceFile after{"k.cu", "inta;\nload();\nend();\nstep();\nstep();\n", {}};
  const Measurement a = with_lines("row", {line(1, 300), line(2, 200)});
  Measurement b = with_lines("xor", {line(1, 20), line(4, 30), line(5, 40)});
  b.provenance.source_sha256 = "other";
  const LineChanges changes = line_changes(compare(a, b), {&before, &after});
  std::vector<std::string> places;
  places.reserve(changes.lines.size());
  for (const LineChange& change : changes.lines) places.push_back(place_text(change));
  EXPECT_EQ(places, (std::vector<std::string>{"A:1", "A:2", "B:5", "B:4", "B:1"}));
}

TEST(LineChanges, LinesOfAHeaderThatHoldsTheKernelHaveItsName) {
  SourceFile source{"runner.cu", "int main() {\n}\n", {{"kernels/naive.cuh", "first\nslow();\n"}}};
  LineTime slow = line(2, 300), fast = line(2, 100), own = line(1, 20);
  slow.file = fast.file = "naive.cuh";
  own.file = "runner.cu";
  const SideSources sources{&source, &source};
  const LineChanges changes =
      line_changes(compare(with_lines("row", {slow, own}), with_lines("xor", {fast})), sources);
  ASSERT_EQ(changes.lines.size(), 2U);
  EXPECT_EQ(place_text(changes.lines[0]), "naive.cuh:2");
  EXPECT_EQ(line_text(changes.lines[0], sources), "slow();");
  EXPECT_EQ(changes.lines[1], (LineChange{1, 1, "", 20, 0}));
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
