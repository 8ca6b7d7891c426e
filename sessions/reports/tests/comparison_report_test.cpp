#include "sessions/reports/comparison_report.hpp"

#include <gtest/gtest.h>

#include "sessions/compare/tests/compared_points.hpp"

namespace tilescope {
namespace {

using test_support::make_predicted_side;
using test_support::make_timed_side;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(ComparisonReport, HasVerdictPartsAndFigures) {
  Measurement a = make_predicted_side("<row>", 80, 60);
  const std::vector<Comparison> one{compare(a, make_predicted_side("padded", 85, 0))};
  const ReportDocument report = comparison_report(one, "1.0");
  const std::string html = to_html(report), markdown = to_markdown(report, 100);
  for (const char* words :
       {"FASTER: A takes 140.00 µs, B 85.00 µs", "bank conflicts", "-60.00 µs", "residual"}) {
    EXPECT_NE(html.find(words), std::string::npos) << words;
    EXPECT_NE(markdown.find(words), std::string::npos) << words;
  }
  EXPECT_NE(html.find("SMEM_LAYOUT=&lt;row&gt;"), std::string::npos);
  EXPECT_EQ(html.find("<row>"), std::string::npos);
}

TEST(ComparisonReport, TheWaterfallHasABarForEachPartTheResidualAndBothEnds) {
  Measurement a = make_timed_side("row", 120), b = make_timed_side("padded", 100);
  a.prediction = make_predicted_side("row", 80, 30).prediction;
  b.prediction = make_predicted_side("padded", 85, 7).prediction;
  const std::string picture = waterfall_svg(compare(a, b));
  EXPECT_EQ(count(picture, "<rect"), 5u);
  EXPECT_EQ(count(picture, "class=\"gain\""), 1u);
  EXPECT_EQ(count(picture, "class=\"loss\""), 1u);
  EXPECT_EQ(count(picture, "class=\"residual\""), 1u);
  EXPECT_EQ(count(picture, "class=\"bar measured\""), 2u);
}

TEST(ComparisonReport, OfSeveralHasAColumnForEach) {
  const Measurement a = make_timed_side("row", 120);
  const std::vector<Comparison> two{compare(a, make_timed_side("padded", 100)),
                                    compare(a, make_timed_side("xor", 90))};
  const std::string markdown = to_markdown(comparison_report(two, "1.0"), 100);
  EXPECT_NE(markdown.find("| verdict | - | FASTER | FASTER |"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("C as B: FASTER"), std::string::npos) << markdown;
}

TEST(ComparisonReport, OfSeveralHasTheLinesOfEach) {
  const auto side = [](const char* layout, double us) {
    Measurement point = test_support::make_predicted_side(layout, us, 0);
    point.prediction->ratio_error = RatioError{0.02, 0.03};
    point.prediction->lines = {LineTime{2, "", us, 0, 1000}};
    return point;
  };
  const Measurement a = side("row", 300);
  const std::vector<Comparison> two{compare(a, side("padded", 200)), compare(a, side("xor", 100))};
  const SourceFile source{"k.cu", "first\nslow();\n", {}};
  const std::vector<SideSources> sources(2, SideSources{&source, &source});
  const std::string markdown = to_markdown(comparison_report(two, "1.0", sources), 100);
  for (const char* letter : {"B", "C"}) {
    const std::string heading = std::string("Lines whose predicted time changes, ") + letter + " as B";
    EXPECT_NE(markdown.find(heading), std::string::npos) << markdown;
  }
  EXPECT_NE(markdown.find("| 2 | 300.00 µs | 100.00 µs | -200.00 µs | slow(); |"), std::string::npos)
      << markdown;
}

}  // namespace
}  // namespace tilescope
