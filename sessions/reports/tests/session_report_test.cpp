#include "sessions/reports/session_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sessions/reports/tests/report_points.hpp"

namespace tilescope {
namespace {

using test_support::add;
using test_support::report_point;
using test_support::report_session;

const ReportSection* section_of(const ReportDocument& report, const std::string& heading) {
  const auto found = std::find_if(report.sections.begin(), report.sections.end(),
                                  [&](const auto& section) { return section.heading == heading; });
  return found == report.sections.end() ? nullptr : &*found;
}

/// The cells of a column, from the first row on.
std::vector<std::string> column(const ReportTable& table, const std::string& header) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].header != header) continue;
    for (const ReportTable::Row& row : table.rows) cells.push_back(row.cells[i]);
  }
  return cells;
}

using Cells = std::vector<std::string>;

TEST(SessionReport, TheSummaryHasTheBestOfEachShape) {
  const ReportDocument report = session_report(report_session(), {}, "0.1");
  EXPECT_EQ(report.title, "a session");
  EXPECT_EQ(report.subtitle, "3 points, all correct. L4, 2025-11-02.");
  const ReportSection* summary = section_of(report, "Summary");
  ASSERT_NE(summary, nullptr);
  EXPECT_EQ(column(summary->table, "Best kernel"), Cells{"flash"});
  EXPECT_EQ(column(summary->table, "Origin"), Cells{"measured"});
  EXPECT_EQ(column(summary->table, "p50"), Cells{"40.00 µs"});
  const auto says = [&](const std::string& part) {
    return std::any_of(summary->paragraphs.begin(), summary->paragraphs.end(),
                       [&](const std::string& text) { return text.find(part) != std::string::npos; });
  };
  EXPECT_TRUE(says("TFLOP/s = 4*B*Hq*Sq*Sk*D / p50."));
  EXPECT_TRUE(says("Predicted latencies are a model's, not timed"));
  EXPECT_FALSE(says("Recorded latencies"));
}

TEST(SessionReport, KernelsOfFilesHaveTablesOfTheirOwnWithTheirProblems) {
  Session session = report_session();
  Measurement of_file = test_support::predicted_report_point("gemm.cu", 64, 7);
  of_file.status = Status::unchecked;
  of_file.error.reset();
  of_file.arguments = {{"N", 64}};
  add(session, of_file);
  const ReportDocument report = session_report(session, {}, "0.1");
  EXPECT_EQ(column(section_of(report, "Summary")->table, "Best kernel"), Cells{"flash"});
  const ReportSection* points = section_of(report, "Points: gemm.cu on L4");
  ASSERT_NE(points, nullptr);
  EXPECT_EQ(column(points->table, "Problem"), Cells{"N=64"});
  EXPECT_EQ(column(points->table, "Status"), Cells{"Not checked"});
  EXPECT_EQ(points->table.rows[0].kind, ReportTable::RowKind::predicted);
  EXPECT_EQ(section_of(report, "Points: B1 H8 S512 D64 fp16 on L4")->table.rows.size(), 3u);
}

TEST(SessionReport, PointsAreRankedAndSayTheKindOfTheirLatency) {
  const ReportDocument report = session_report(report_session(), {}, "0.1");
  const ReportSection* points = section_of(report, "Points: B1 H8 S512 D64 fp16 on L4");
  ASSERT_NE(points, nullptr);
  EXPECT_EQ(column(points->table, "#"), (Cells{"1", "2~", "1"}))
      << "nothing is known of noise without samples";
  EXPECT_EQ(column(points->table, "Kernel"), (Cells{"flash", "flash", "tiled"}));
  EXPECT_EQ(column(points->table, "Origin"), (Cells{"measured", "measured", "predicted"}));
  EXPECT_EQ(column(points->table, "Predicted p50 [µs]"), (Cells{"", "", "90.00"}));
  EXPECT_EQ(column(points->table, "Max error").size(), 3U);
  EXPECT_EQ(points->table.rows[2].kind, ReportTable::RowKind::predicted);
}

TEST(SessionReport, OfOneKernelTheVariedParametersAreColumns) {
  Session session = report_session();
  session.points.pop_back();
  const ReportDocument report = session_report(session, {}, "0.1");
  const ReportSection* points = section_of(report, "Points: B1 H8 S512 D64 fp16 on L4");
  ASSERT_NE(points, nullptr);
  EXPECT_EQ(column(points->table, "BLOCK_M"), (Cells{"64", "128"}));
  EXPECT_TRUE(column(points->table, "LAYOUT").empty());
  ASSERT_EQ(points->paragraphs.size(), 1U);
  EXPECT_EQ(points->paragraphs[0], "flash, all with LAYOUT=rows.");
}

TEST(SessionReport, PlotsShowTheLadderAndTheMostVariedParameter) {
  const ReportDocument report = session_report(report_session(), {}, "0.1");
  const ReportSection* plots = section_of(report, "B1 H8 S512 D64 fp16 on L4");
  ASSERT_NE(plots, nullptr);
  ASSERT_EQ(plots->figures.size(), 2U);
  EXPECT_NE(plots->figures[0].svg.find("class=\"bar predicted\""), std::string::npos);
  EXPECT_NE(plots->figures[0].caption.find("predicted, not timed: hatched"), std::string::npos);
  EXPECT_NE(plots->figures[1].svg.find(">BLOCK_M</text>"), std::string::npos);
  EXPECT_NE(plots->figures[1].caption.find("flash against BLOCK_M, 2 points"), std::string::npos);
}

TEST(SessionReport, DiagnosesOfOneKindAreOneEntryFaultsFirst) {
  Session session;
  Measurement point = report_point("flash", 64, 40);
  point.diagnoses = std::vector<Diagnosis>{
      {"bank_conflicts", Severity::cost, {148}, "Lanes collide.", "8 of 9", "swizzle"}};
  add(session, point);
  point.parameters["BLOCK_M"] = 128;
  point.diagnoses->push_back({"race", Severity::fault, {1, 2}, "Two threads.", "", ""});
  add(session, point);
  const std::vector<ReportItem> items = diagnosis_items(session.points);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].tone, ReportItem::Tone::fault);
  EXPECT_EQ(items[0].title, "Race, flash, lines 1, 2");
  EXPECT_EQ(items[1].title, "Bank conflicts, flash, line 148");
  EXPECT_EQ(items[1].details,
            (Cells{"Evidence: 8 of 9", "Repair: swizzle", "2 points, here: BLOCK_M=64 LAYOUT=rows."}));
}

TEST(SessionReport, SeveralSavingsAreSaidToOverlap) {
  Session session;
  Measurement point = report_point("flash", 64, 40);
  Diagnosis diagnosis{"bank_conflicts", Severity::cost, {148}, "Lanes collide.", "", ""};
  diagnosis.saving = Saving{4, 3, 5};
  point.diagnoses = {diagnosis};
  add(session, point);
  EXPECT_TRUE(section_of(session_report(session, {}, "0.1"), "Diagnoses")->paragraphs.empty());
  point.parameters["BLOCK_M"] = 128;
  diagnosis.kind = "tail";
  point.diagnoses->push_back(diagnosis);
  add(session, point);
  EXPECT_EQ(
      section_of(session_report(session, {}, "0.1"), "Diagnoses")->paragraphs,
      Cells{"Each saving is predicted with that cause alone removed: they overlap, and do not add up."});
}

TEST(SessionReport, TheEnvironmentIsSaid) {
  Session session = report_session();
  Measurement other = report_point("flash", 32, 60);
  other.provenance.driver_version = "570.12";
  other.provenance.sm_clock_mhz = 1755;
  add(session, other);
  const ReportDocument report = session_report(session, {}, "0.1");
  const ReportSection* environment = section_of(report, "Environment");
  ASSERT_NE(environment, nullptr);
  const auto value_of = [&](const std::string& what) -> std::string {
    for (const ReportTable::Row& row : environment->table.rows) {
      if (row.cells[0] == what) return row.cells[1];
    }
    return "";
  };
  EXPECT_EQ(value_of("Device"), "L4, sm_89");
  EXPECT_EQ(value_of("Driver"), "580.65 (3 points); 570.12 (1 point)");
  EXPECT_EQ(value_of("Compiler"), "NVRTC 13.0");
  EXPECT_EQ(value_of("SM clock"), "1,755 to 1,980 MHz, sampled under load");
  EXPECT_EQ(value_of("Source flash.cu"), "SHA-256 " + std::string(64, 'a'));
  EXPECT_EQ(value_of("Library"), "");
}

TEST(SessionReport, AnEmptySessionIsAReport) {
  const std::string html = to_html(session_report({}, {}, "0.1"));
  EXPECT_NE(html.find("No kernel of attention has a correct result with a latency."), std::string::npos);
}

TEST(SessionReport, ChoosesPoints) {
  const Session session = report_session();
  EXPECT_EQ(chosen_points(session, {}).points.size(), 3U);
  EXPECT_EQ(chosen_points(session, {"flash", "", {}}).points.size(), 2U);
  EXPECT_EQ(chosen_points(session, {"", "H200", {}}).points.size(), 0U);
  Shape causal;
  causal.causal = true;
  EXPECT_EQ(chosen_points(session, {"", "", {causal}}).points.size(), 0U);
  EXPECT_EQ(chosen_points(session, {"", "", {Shape{}}}).sources.size(), 1U);
}

TEST(SessionReport, CsvHasEveryPointInTheOrderOfTheRanks) {
  const std::string csv = session_csv(report_session());
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
  EXPECT_TRUE(csv.starts_with("#,Shape,Kernel,Device,Status"));
  EXPECT_LT(csv.find("flash"), csv.find("tiled"));
}

TEST(SessionReport, FiveHundredPointsAreAPageOfLessThanTwoMegabytes) {
  Session session;
  for (int i = 0; i < 500; ++i) {
    Measurement point = report_point(i % 7 == 0 ? "<script>&" : "flash", 8 * (i % 16), 40 + i);
    point.parameters["NUM_WARPS"] = i;
    point.shape.causal = i % 2 == 0;
    point.diagnoses = std::vector<Diagnosis>{
        {"bank_conflicts", Severity::cost, {i}, "Lanes collide.", std::to_string(i), "swizzle"}};
    point.notes = {"note " + std::to_string(i)};
    point.compiler_log = std::string(5000, 'x');
    add(session, point);
  }
  const std::string html = to_html(session_report(session, {}, "0.1"));
  EXPECT_LT(html.size(), 2U << 20U);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;&amp;"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
