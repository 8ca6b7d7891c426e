#include "sessions/views/points/panel_csv.hpp"

#include <gtest/gtest.h>

#include <charconv>

#include "base/text/csv.hpp"
#include "sessions/metrics/registry.hpp"
#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

using test_support::make_point;
using test_support::make_predicted;
using test_support::make_timed;
using test_support::share;

/// Reads CSV back: records of fields.
std::vector<std::vector<std::string>> records_of(const std::string& csv) {
  std::vector<std::vector<std::string>> records(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const char letter = csv[i];
    if (quoted && letter == '"' && i + 1 < csv.size() && csv[i + 1] == '"') {
      records.back().back() += '"';
      ++i;
    } else if (letter == '"') {
      quoted = !quoted;
    } else if (!quoted && letter == ',') {
      records.back().emplace_back();
    } else if (!quoted && letter == '\n') {
      records.push_back({""});
    } else if (quoted || letter != '\r') {
      records.back().back() += letter;
    }
  }
  records.pop_back();
  return records;
}

double number_of(const std::string& field) {
  double value = -1;
  const auto read = std::from_chars(field.data(), field.data() + field.size(), value);
  EXPECT_EQ(read.ptr, field.data() + field.size()) << field;
  return value;
}

TEST(Csv, NumbersReadBackAsTheSame) {
  for (const double value : {0.0, 1.0 / 3, 1e-300, 57376.0, 123456789012.0, -2.5, 0.1 + 0.2}) {
    EXPECT_EQ(number_of(csv_number(value)), value);
  }
  EXPECT_EQ(csv_number(57376.0), "57376") << "no digit groups";
  EXPECT_EQ(csv_number(std::nullopt), "");
}

TEST(Csv, FieldsWithCommasQuotesAndLinesAreQuoted) {
  CsvText csv;
  const std::vector<std::string> fields{"a,b", "say \"no\"", "two\nlines", "plain", ""};
  csv.add(fields);
  EXPECT_EQ(records_of(csv.text()), std::vector<std::vector<std::string>>(1, fields));
}

TEST(PanelCsv, AHeatMapHasItsCellsInRowsAndColumns) {
  const Metric& metric = metric_of("p50");
  const auto parameters = test_support::sample_parameters();
  Measurement wrong = make_timed(32, "row", 1);
  wrong.status = Status::wrong_result;
  const PointIndex index = test_support::index_of(
      {share(make_timed(16, "padded", 12.3456789)), share(make_timed(8, "row", 7)), share(wrong)});
  const HeatMapView view =
      heat_map(index, test_support::slice_of(8, "row", {"M", "LAYOUT"}), make_axis(parameters[0]),
               make_axis(parameters[1]), metric, {LatencyKind::measured, "L4"},
               [](const Configuration&) { return std::string(); });
  const auto records = records_of(heat_map_csv(view, metric));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0],
            (std::vector<std::string>{"latency p50 [µs]; rows: LAYOUT, columns: M", "8", "16", "32"}));
  EXPECT_EQ(records[1], (std::vector<std::string>{"row", "7", "", ""})) << "an incorrect result has no value";
  EXPECT_EQ(records[2][0], "padded");
  EXPECT_EQ(number_of(records[2][2]), 12.3456789);
}

TEST(PanelCsv, LatenciesHaveASeriesAndTheTimesAsMeasured) {
  const PointIndex index =
      test_support::index_of({share(make_timed(16, "row", 20.1)), share(make_predicted(8, "row", 4))});
  const LatencyView view = latency_against(index, test_support::slice_of(8, "row", {"M"}),
                                           make_axis(test_support::sample_parameters()[0]), "L4");
  const auto records = records_of(latency_csv(view, index, "M"));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0][1], "M");
  EXPECT_EQ(records[1][0], "measured on L4");
  EXPECT_EQ(records[1][1], "16");
  EXPECT_EQ(number_of(records[1][2]), 20.1 * 0.9);
  EXPECT_EQ(number_of(records[1][3]), 20.1);
  EXPECT_EQ(number_of(records[1][4]), 20.1 * 1.2);
  EXPECT_EQ(records[1][5], "LAYOUT=row M=16");
  EXPECT_EQ(records[2], (std::vector<std::string>{"predicted for L4", "8", "3", "4", "6", "LAYOUT=row M=8"}));
}

TEST(PanelCsv, FiguresOfAPointHaveTheirNumber) {
  const DetailSection section{
      "Memory", "counted by the interpreter", {{"Wavefronts", "5,148,928"}, {"Host", "a, b"}}};
  std::vector<DetailSection> sections{section};
  sections[0].rows[0].amount = 5148928;
  const auto records = records_of(details_csv(sections));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[1], (std::vector<std::string>{"Memory", "counted by the interpreter", "Wavefronts",
                                                  "5,148,928", "5148928", ""}));
  EXPECT_EQ(records[2][3], "a, b");
}

TEST(PanelCsv, ALadderHasItsBarsAndBaselines) {
  LadderBar bar;
  bar.point = share(make_timed(16, "row", 12.5));
  bar.low_us = 12.25;
  bar.p50_us = 12.5;
  bar.high_us = 13;
  bar.tflops = 1;
  LadderGroup group;
  group.device = "H200";
  group.bars = {bar};
  group.baselines = {bar};
  const auto records = records_of(ladder_csv({group}));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[1], (std::vector<std::string>{"H200", to_string(Shape{}), "k", "kernel", "measured",
                                                  "12.25", "12.5", "13", "1", "LAYOUT=row M=16"}));
  EXPECT_EQ(records[2][3], "baseline");
}

TEST(PanelCsv, OccupanciesHaveTheirLimiter) {
  Measurement point = make_point(8, "row");
  point.occupancy = Occupancy{2, 16, 1.0 / 3, Limiter::shared_memory, 1.5, 0.5, 128};
  const PointIndex index = test_support::index_of({share(point)});
  const OccupancyView view = occupancy_against(index, test_support::slice_of(8, "row", {"M"}),
                                               make_axis(test_support::sample_parameters()[0]), "L4");
  const auto records = records_of(occupancy_csv(view, index, "M"));
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1][0], view.series[0].legend);
  EXPECT_EQ(records[1][1], "L4");
  EXPECT_EQ(records[1][2], "8");
  EXPECT_EQ(number_of(records[1][3]), view.series[0].dots[0].percent);
  EXPECT_EQ(records[1][4], "1");
}

}  // namespace
}  // namespace tilescope
