#include "sessions/views/points/table_choices.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

using test_support::make_point;
using test_support::make_timed;
using test_support::share;

/// A table over points, as a panel holds it.
struct Table {
  PointRows rows;
  std::vector<PointColumn> columns = point_columns(test_support::sample_parameters());
  ColumnContents contents;
  TableChoices choices;

  explicit Table(const PointList& session, const PointList& recorded = {}) { take(session, recorded); }
  bool take(const PointList& session, const PointList& recorded = {}) {
    rows.update(session, recorded);
    return contents.update(rows, columns);
  }
  const PointColumn& column(const std::string& tag) const {
    return *std::find_if(columns.begin(), columns.end(),
                         [&](const PointColumn& column) { return column.tag == tag; });
  }
  bool shows(const std::string& tag) const { return is_shown(column(tag), contents, choices); }
  std::string constants() const { return same_in_all_rows(rows.rows().front(), columns, contents, choices); }
};

TEST(TableChoices, AColumnThatIsTheSameInAllRowsIsHiddenAndNamed) {
  const Table table({share(make_timed(8, "row", 10)), share(make_timed(16, "row", 20))});
  EXPECT_TRUE(table.shows("parameter M"));
  for (const char* tag : {"parameter LAYOUT", "device", "kernel", "shape", "kind", "tflops"})
    EXPECT_FALSE(table.shows(tag)) << tag;
  EXPECT_EQ(
      table.constants(),
      "B1 H8 S512 D64 fp16, kernel k, device L4, Not checked, measured, speed 1.00 TFLOP/s, LAYOUT = row");
}

TEST(TableChoices, AnExportedTableHasTheColumnsThatAreHiddenAsTheSame) {
  Table table({share(make_timed(8, "row", 10)), share(make_timed(16, "row", 20))});
  table.choices.shown = {{"tflops", false}};
  std::vector<std::string> tags;
  for (const PointColumn& column : exported_columns(table.columns, table.contents, table.choices))
    tags.push_back(column.tag);
  EXPECT_EQ(tags, (std::vector<std::string>{"rank", "shape", "kernel", "device", "status", "p50", "kind",
                                            "parameter M", "parameter LAYOUT"}));
}

TEST(TableChoices, NothingIsTheSameInAllOfOneRow) {
  const Table table({share(make_timed(8, "row", 10))});
  for (const char* tag : {"parameter M", "parameter LAYOUT", "device", "kernel", "shape"})
    EXPECT_TRUE(table.shows(tag)) << tag;
  EXPECT_EQ(table.constants(), "");
}

TEST(TableChoices, AnEmptyColumnIsHiddenAndNotNamed) {
  const Table table({share(make_point(8, "row")), share(make_point(16, "row"))});
  for (const char* tag : {"rank", "p50", "tflops", "occupancy", "source"}) EXPECT_FALSE(table.shows(tag));
  EXPECT_EQ(table.constants(), "B1 H8 S512 D64 fp16, kernel k, device L4, Not checked, LAYOUT = row");
}

TEST(TableChoices, RankAndLatencyStayThoughTheyAreTheSame) {
  Measurement causal = make_timed(8, "row", 10);
  causal.shape.causal = true;
  const Table table({share(make_timed(8, "row", 10)), share(causal)});
  EXPECT_EQ(table.rows.rows()[0].rank, 1U);
  EXPECT_EQ(table.rows.rows()[1].rank, 1U);
  for (const char* tag : {"rank", "p50", "shape"}) EXPECT_TRUE(table.shows(tag)) << tag;
}

TEST(TableChoices, APointThatDiffersBringsItsColumnBack) {
  PointList session{share(make_timed(8, "row", 10)), share(make_timed(16, "row", 20))};
  Table table(session);
  session.push_back(share(make_timed(16, "padded", 20)));
  EXPECT_TRUE(table.take(session));
  EXPECT_TRUE(table.shows("parameter LAYOUT"));
  session.push_back(share(make_timed(16, "row", 30)));
  EXPECT_FALSE(table.take(session)) << "it says nothing new about the columns";
  session.resize(2);
  EXPECT_TRUE(table.take(session)) << "the rows start over";
  EXPECT_FALSE(table.shows("parameter LAYOUT"));
}

TEST(TableChoices, WhatThePersonChoseDecides) {
  Table table({share(make_timed(8, "row", 10)), share(make_timed(16, "row", 20))});
  table.choices.shown = {{"device", true}, {"p50", false}, {"sass", true}};
  EXPECT_TRUE(table.shows("device"));
  EXPECT_FALSE(table.shows("p50"));
  EXPECT_TRUE(table.shows("sass"));
  EXPECT_EQ(table.constants().find("device"), std::string::npos);
}

TEST(TableChoices, ParametersThatVaryStandBeforeTheOthers) {
  Table table({share(make_timed(8, "row", 10)), share(make_timed(8, "padded", 20))});
  std::vector<std::string> parameters;
  bool figures_are_over = false;
  for (const PointColumn& column : varying_first(table.columns, table.contents)) {
    if (!column.parameter.empty()) parameters.push_back(column.parameter);
    figures_are_over = figures_are_over || !column.parameter.empty();
    EXPECT_FALSE(figures_are_over && column.metric != nullptr) << column.tag << " stands behind a parameter";
  }
  EXPECT_EQ(parameters, (std::vector<std::string>{"LAYOUT", "M"}));
}

TEST(TableChoices, AParameterWithSeveralValuesStandsBeforeOneThatSomeRowsLack) {
  Measurement other = make_point(16, "row");
  other.parameters.erase("LAYOUT");
  const std::vector<ParameterChoices> declared{{"LAYOUT", {std::string("row"), std::string("padded")}},
                                               {"M", {std::int64_t{8}, std::int64_t{16}}}};
  PointRows rows;
  rows.update({share(make_point(8, "row")), share(other)}, {});
  ColumnContents contents;
  const std::vector<PointColumn> columns = point_columns(declared);
  EXPECT_TRUE(contents.update(rows, columns));
  const auto parameters = [&] {
    std::vector<std::string> names;
    for (const PointColumn& column : varying_first(columns, contents))
      if (!column.parameter.empty()) names.push_back(column.parameter);
    return names;
  };
  EXPECT_EQ(parameters(), (std::vector<std::string>{"M", "LAYOUT"}));
  rows.update({share(make_point(8, "row")), share(other), share(make_point(8, "padded"))}, {});
  EXPECT_TRUE(contents.update(rows, columns)) << "now LAYOUT has two values";
  EXPECT_EQ(parameters(), (std::vector<std::string>{"LAYOUT", "M"})) << "as declared";
}

TEST(TableChoices, IdentifyingColumnsAreTheFirst) {
  const auto columns = point_columns(test_support::sample_parameters());
  const auto end = std::find_if_not(columns.begin(), columns.end(),
                                    [](const PointColumn& column) { return column.identifies; });
  std::vector<std::string> tags;
  for (auto column = columns.begin(); column != end; ++column) tags.push_back(column->tag);
  EXPECT_EQ(tags, (std::vector<std::string>{"rank", "shape", "kernel", "device"}));
  EXPECT_TRUE(std::none_of(end, columns.end(), [](const PointColumn& column) { return column.identifies; }));
}

TEST(TableChoices, TheBestOfEachShapeComeFirstAndTheSessionBeforeRecordings) {
  Measurement large = make_timed(8, "row", 100);
  large.shape.B = 8;
  Measurement failed = make_point(32, "row");
  failed.status = Status::compile_failed;
  Table table(
      {share(make_timed(8, "row", 30)), share(failed), share(make_timed(16, "row", 10)), share(large)},
      {share(make_timed(8, "row", 1))});
  // Recorded points are taken first: they are row 0.
  EXPECT_EQ(ordered_rows(table.rows, {}, table.columns, {}), (std::vector<std::uint32_t>{3, 4, 1, 2, 0}));
}

TEST(TableChoices, WhatTimesAPartOfAttentionComesAfterIt) {
  const auto with_flops = [](double p50_us, double share) {
    Measurement point = make_timed(8, "row", p50_us);
    point.latency->tflops = share * attention_flops(point.shape) / p50_us * 1e-6;
    point.latency->tflops_formula = share < 1 ? "2*B*Hq*Sq*Sk*D / p50" : "4*B*Hq*Sq*Sk*D / p50";
    return test_support::share(point);
  };
  const Table table({with_flops(1, 0.5), with_flops(20, 1), with_flops(10, 1)});
  EXPECT_EQ(table.rows.rows()[0].rank, 1U) << "among those of its operations";
  EXPECT_EQ(ordered_rows(table.rows, {}, table.columns, {}), (std::vector<std::uint32_t>{2, 1, 0}));
}

TEST(TableChoices, WithoutALatencyTheNewestComesFirst) {
  const Table table({share(make_point(8, "row")), share(make_point(16, "row"))},
                    {share(make_timed(8, "row", 1)), share(make_timed(8, "row", 2))});
  EXPECT_EQ(ordered_rows(table.rows, {}, table.columns, {}), (std::vector<std::uint32_t>{3, 2, 0, 1}));
}

TEST(TableChoices, AChosenOrderHoldsAndAColumnThatIsNotThereLeavesBestFirst) {
  Table table({share(make_timed(8, "row", 30)), share(make_timed(16, "row", 10))});
  table.choices.sort = "parameter M";
  EXPECT_EQ(ordered_rows(table.rows, {}, table.columns, table.choices), (std::vector<std::uint32_t>{0, 1}));
  table.choices.descending = true;
  EXPECT_EQ(ordered_rows(table.rows, {}, table.columns, table.choices), (std::vector<std::uint32_t>{1, 0}));
  table.choices = {{}, "parameter GONE", false};
  EXPECT_EQ(ordered_rows(table.rows, {}, table.columns, table.choices), (std::vector<std::uint32_t>{1, 0}));
}

TEST(TableChoices, AreReadAsTheyWereWritten) {
  const TableChoices choices{{{"registers", false}, {"parameter M", true}}, "parameter LAYOUT", true};
  TableChoices read;
  for (const std::string& line : to_lines(choices)) take_line(read, line);
  EXPECT_EQ(read, choices);
  take_line(read, "fold regs");
  take_line(read, "show ");
  EXPECT_EQ(read, choices);
  EXPECT_TRUE(to_lines({}).empty());
}

TEST(TableChoices, ParametersOfAllKernelsHaveOneColumnEach) {
  const ParameterChoices m{"M", {std::int64_t{8}}};
  const ParameterChoices more{"M", {std::int64_t{8}, std::int64_t{16}}};
  const auto all = all_parameters({m, {"N", {std::int64_t{1}}}, more},
                                  {{"M", std::int64_t{64}}, {"FOREIGN", std::string("x")}});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].values, more.values);
  EXPECT_EQ(all[1].name, "N");
  EXPECT_EQ(all[2].name, "FOREIGN");
}

}  // namespace
}  // namespace tilescope
