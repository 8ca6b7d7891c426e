#include "sessions/reports/shapes_section.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sessions/reports/tests/report_points.hpp"

namespace tilescope {
namespace {

using test_support::report_point;

void add(PointList& points, const std::string& kernel, std::int64_t block_m, std::int64_t length,
         double p50_us) {
  Measurement point = report_point(kernel, block_m, p50_us);
  point.shape.Sq = point.shape.Sk = length;
  point.latency->tflops = attention_flops(point.shape) / p50_us * 1e-6;
  points.push_back(std::make_shared<const Measurement>(std::move(point)));
}

/// Two configurations at two shapes, each the best at one.
PointList two_at_two() {
  PointList points;
  add(points, "flash", 64, 512, 40);
  add(points, "flash", 64, 1024, 120);
  add(points, "flash", 128, 512, 44);
  add(points, "flash", 128, 1024, 100);
  return points;
}

bool says(const ReportSection& section, const std::string& words) {
  return std::ranges::any_of(section.paragraphs,
                             [&](const std::string& text) { return text.find(words) != std::string::npos; });
}

TEST(ShapesSection, RanksByTheWorstRegret) {
  const std::vector<ReportSection> sections = shapes_sections(two_at_two());
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_EQ(sections[0].heading, "Over 2 shapes on L4");
  const ReportTable& table = sections[0].table;
  ASSERT_EQ(table.rows.size(), 2u);
  ASSERT_EQ(table.columns.size(), table.rows[0].cells.size());
  // 44 / 40 is 10 % too slow, 120 / 100 is 20 %.
  EXPECT_NE(table.rows[0].cells[0].find("BLOCK_M=128"), std::string::npos) << table.rows[0].cells[0];
  EXPECT_EQ(table.rows[0].cells.back(), "10.0 % at S512");
  EXPECT_EQ(table.rows[1].cells.back(), "20.0 % at S1024");
}

TEST(ShapesSection, LeavesOutWhatLacksAShapeAndSaysSo) {
  PointList points = two_at_two();
  add(points, "flash", 32, 512, 30);
  const std::vector<ReportSection> sections = shapes_sections(points);
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_EQ(sections[0].table.rows.size(), 2u);
  EXPECT_TRUE(says(sections[0], "Rows without a regret are left out."));
}

TEST(ShapesSection, SaysWhereThereIsNothingToCompare) {
  PointList points;
  add(points, "flash", 64, 512, 40);
  EXPECT_TRUE(shapes_sections(points).empty()) << "one shape";
  add(points, "tiled", 64, 1024, 120);
  const std::vector<ReportSection> sections = shapes_sections(points);
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_TRUE(sections[0].table.rows.empty());
  EXPECT_TRUE(says(sections[0], "nothing to compare"));
}

}  // namespace
}  // namespace tilescope
