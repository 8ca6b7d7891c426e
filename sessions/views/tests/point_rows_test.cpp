#include "sessions/views/points/point_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "sessions/metrics/registry.hpp"
#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

using test_support::make_point;
using test_support::make_timed;
using test_support::share;

PointColumn column_of(const std::string& tag) {
  for (const PointColumn& column : point_columns(test_support::sample_parameters())) {
    if (column.tag == tag) return column;
  }
  throw std::logic_error("no such column");
}

PointRows rows_of(const PointList& session, const PointList& recorded = {}) {
  PointRows rows;
  rows.update(session, recorded);
  return rows;
}

TEST(PointRows, EveryMetricHasAColumnAndNoTwoColumnsOneTag) {
  const auto columns = point_columns(test_support::sample_parameters());
  std::set<std::string> tags;
  for (const PointColumn& column : columns) EXPECT_TRUE(tags.insert(column.tag).second) << column.tag;
  for (const Metric& metric : all_metrics()) {
    const PointColumn column = column_of(metric.tag);
    EXPECT_EQ(column.metric, &metric);
    EXPECT_EQ(column.help, metric.description);
    EXPECT_EQ(column.is_number, metric.value != nullptr);
  }
}

TEST(PointRows, TheColumnsThatAreShownAtFirst) {
  std::vector<std::string> headers;
  for (const PointColumn& column : point_columns(test_support::sample_parameters())) {
    if (column.shown) headers.push_back(column.header);
  }
  EXPECT_EQ(headers, (std::vector<std::string>{"#", "Shape", "Kernel", "Device", "Status", "Source",
                                               "Compiler", "p50 [µs]", "Origin", "TFLOP/s",
                                               "Predicted p50 [µs]", "Occup. [%]", "Limiter", "Conflicts [%]",
                                               "Regs", "Shared [B]", "Max error", "M", "LAYOUT"}));
}

TEST(PointRows, APointOfNvccIsToldApart) {
  Measurement of_nvcc = make_timed(8, "row", 1);
  of_nvcc.provenance.compiler = KernelCompiler::nvcc;
  const PointRows rows = rows_of({share(make_timed(8, "row", 1)), share(of_nvcc)});
  const PointColumn column = column_of("compiler");
  EXPECT_EQ(cell_text(rows.rows()[0], column), "");
  EXPECT_EQ(cell_text(rows.rows()[1], column), "nvcc");
  EXPECT_EQ(rows.newest_first({"nvcc", std::nullopt, true}), std::vector<std::uint32_t>{1});
}

TEST(PointRows, ALatencyThatIsNotANumberIsNotRanked) {
  const PointRows rows =
      rows_of({share(make_timed(8, "row", std::nan(""))), share(make_timed(16, "row", 20))});
  EXPECT_EQ(rows.rows()[0].rank, 0U);
  EXPECT_EQ(rows.rows()[1].rank, 1U);
}

TEST(PointRows, KernelsOfFilesAreRankedByKernelAndArguments) {
  const auto of_file = [](const std::string& kernel, std::int64_t n, double p50_us) {
    Measurement point = make_timed(8, "row", p50_us);
    point.kernel = kernel;
    point.arguments = {{"N", n}};
    return share(std::move(point));
  };
  const PointRows rows = rows_of({share(make_timed(16, "row", 20)), of_file("a.cu", 64, 1),
                                  of_file("a.cu", 64, 2), of_file("a.cu", 128, 4), of_file("b.cu", 64, 3)});
  std::vector<std::uint32_t> ranks;
  for (const PointRow& row : rows.rows()) ranks.push_back(static_cast<std::uint32_t>(row.rank));
  EXPECT_EQ(ranks, (std::vector<std::uint32_t>{1, 1, 2, 1, 1}));
  EXPECT_FALSE(rows.rows()[1].is_part) << "its operations are not attention's";
  Measurement wrong = *of_file("a.cu", 64, 0.5);
  wrong.findings.emplace_back().kind = "wrong_value";
  EXPECT_EQ(rows_of({of_file("a.cu", 64, 1), share(wrong)}).rows()[1].rank, 0U) << "its values are wrong";
}

TEST(PointRows, WhatComputesSomethingElseIsRankedByItself) {
  Measurement scores = make_timed(8, "row", 1);
  scores.latency->tflops_formula = "2*B*Hq*Sq*Sk*D / p50";
  const PointRows rows =
      rows_of({share(make_timed(16, "row", 20)), share(scores), share(make_timed(32, "row", 10))});
  EXPECT_EQ(rows.rows()[0].rank, 2U);
  EXPECT_EQ(rows.rows()[1].rank, 1U);
  EXPECT_EQ(rows.rows()[2].rank, 1U);
}

TEST(PointRows, AWrongResultIsNeverRankedAndSortsLast) {
  Measurement wrong = make_timed(8, "row", 1);
  wrong.status = Status::wrong_result;
  const PointRows rows =
      rows_of({share(make_timed(16, "row", 20)), share(wrong), share(make_timed(32, "row", 10))});
  EXPECT_EQ(rows.rows()[0].rank, 2u);
  EXPECT_EQ(rows.rows()[1].rank, 0u);
  EXPECT_EQ(rows.rows()[2].rank, 1u);
  for (const char* tag : {"rank", "p50", "tflops", "spread"}) {
    EXPECT_EQ(rows.ordered({}, column_of(tag), false).back(), 1u);
    EXPECT_EQ(rows.ordered({}, column_of(tag), true).back(), 1u);
  }
  EXPECT_EQ(rows.ordered({}, column_of("p50"), false), (std::vector<std::uint32_t>{2, 0, 1}));
}

TEST(PointRows, RanksAreWithinOneShapeDeviceAndKind) {
  Measurement other = make_timed(8, "row", 1);
  other.device.name = "H200";
  const PointRows rows =
      rows_of({share(make_timed(8, "row", 20)), share(other)}, {share(make_timed(16, "row", 5))});
  for (const PointRow& row : rows.rows()) EXPECT_EQ(row.rank, 1u);
}

TEST(PointRows, WhatWasNotTimedIsRankedByItsPredictionAfterWhatWas) {
  Measurement wrong = test_support::make_predicted(8, "row", 1);
  wrong.status = Status::wrong_result;
  Measurement timed = make_timed(16, "row", 20);
  timed.latency->tflops = attention_flops(timed.shape) / 20 * 1e-6;  // Not a part of attention.
  const PointRows rows =
      rows_of({share(test_support::make_predicted(8, "row", 9)), share(make_point(8, "row")), share(timed),
               share(wrong), share(test_support::make_predicted(16, "row", 7))});
  EXPECT_EQ(rows.best_first({}), (std::vector<std::uint32_t>{2, 4, 0, 3, 1}));
  EXPECT_EQ(rows.rows()[4].rank, 1U) << "the best of the predicted ones";
  EXPECT_TRUE(rows.rows()[4].is_predicted);
  EXPECT_EQ(rows.rows()[0].rank, 2U);
  EXPECT_EQ(rows.rows()[2].rank, 1U) << "timed ones have ranks of their own";
  EXPECT_FALSE(rows.rows()[2].is_predicted);
  EXPECT_EQ(rows.rows()[3].rank, 0U);
  EXPECT_EQ(cell_text(rows.rows()[4], column_of("kind")), "predicted");
  EXPECT_EQ(cell_text(rows.rows()[2], column_of("kind")), "measured");
  EXPECT_EQ(cell_text(rows.rows()[4], column_of("p50")), "");
  EXPECT_EQ(cell_text(rows.rows()[4], column_of("predicted_p50")), "7.000");
  const auto sorted = rows.ordered({}, column_of("predicted_p50"), false);
  EXPECT_EQ(std::vector(sorted.begin(), sorted.begin() + 2), (std::vector<std::uint32_t>{4, 0}))
      << "an incorrect result has no figure of speed";
}

TEST(PointRows, RanksThatAComparisonCannotTellFromTheFirstAreMarked) {
  // Samples are within 0.9 to 1.2 times p50: they meet for 10 and 13, and not for 10 and 14.
  const PointRows rows = rows_of({share(make_timed(8, "row", 14)), share(make_timed(16, "row", 13)),
                                  share(make_timed(32, "row", 10)), share(make_point(8, "padded"))});
  const PointColumn column = column_of("rank");
  EXPECT_EQ(cell_text(rows.rows()[0], column), "3");
  EXPECT_EQ(cell_text(rows.rows()[1], column), "2~");
  EXPECT_EQ(cell_text(rows.rows()[2], column), "1") << "the first of all";
  EXPECT_EQ(cell_text(rows.rows()[3], column), "");
}

TEST(PointRows, PredictedRanksAreMarkedByTheErrorOfTheirRatio) {
  Measurement near = test_support::make_predicted(16, "row", 12),
              far = test_support::make_predicted(32, "row", 13);
  Measurement first = test_support::make_predicted(8, "row", 10);
  for (Measurement* point : {&first, &near, &far}) point->prediction->ratio_error = RatioError{0.2, 0.5};
  const PointRows rows = rows_of({share(first), share(near), share(far)});
  EXPECT_FALSE(rows.rows()[0].ties_with_first);
  EXPECT_TRUE(rows.rows()[1].ties_with_first) << "ln(1.2) is 0.182";
  EXPECT_FALSE(rows.rows()[2].ties_with_first) << "ln(1.3) is 0.262";
}

TEST(PointRows, RecordedPredictionsAreRankedByThemselves) {
  const PointRows rows = rows_of({share(test_support::make_predicted(8, "row", 9))},
                                 {share(test_support::make_predicted(16, "row", 7))});
  for (const PointRow& row : rows.rows()) EXPECT_EQ(row.rank, 1U);
}

TEST(PointRows, NumbersSortAsNumbersAndNamesAsNames) {
  const PointRows rows =
      rows_of({share(make_point(16, "row")), share(make_point(8, "padded")), share(make_point(32, "row"))});
  EXPECT_EQ(rows.ordered({}, column_of("parameter M"), false), (std::vector<std::uint32_t>{1, 0, 2}));
  EXPECT_EQ(rows.ordered({}, column_of("parameter LAYOUT"), false).front(), 1u);
}

TEST(PointRows, TiesKeepTheNewestFirst) {
  const PointRows rows = rows_of({share(make_point(8, "row")), share(make_point(8, "row"))});
  EXPECT_EQ(rows.ordered({}, column_of("kernel"), false), (std::vector<std::uint32_t>{1, 0}));
}

TEST(PointRows, UnsortedTheNewestComeFirstAndRecordedOnesLast) {
  PointRows rows;
  PointList session{share(make_point(8, "row"))};
  const PointList recorded{share(make_point(16, "row"))};
  rows.update(session, recorded);
  session.push_back(share(make_point(32, "row")));
  rows.update(session, recorded);
  EXPECT_EQ(rows.newest_first({}), (std::vector<std::uint32_t>{2, 1, 0}));
  EXPECT_EQ(rows.newest_first({"m=8", {}, true}), (std::vector<std::uint32_t>{1}));
}

TEST(PointRows, AnErrorThatIsNotANumberIsTheLargest) {
  const auto with_error = [](double error) {
    Measurement point = make_point(8, "row");
    point.error = Error{error, 0, 1e-3, "gpu", 1, 1};
    return share(point);
  };
  const PointRows rows = rows_of({with_error(std::nan("")), with_error(1), with_error(2)});
  EXPECT_EQ(rows.ordered({}, column_of("max_error"), true), (std::vector<std::uint32_t>{0, 2, 1}));
}

TEST(PointRows, TheFilterWantsEveryWord) {
  Measurement failed = make_point(16, "padded");
  failed.status = Status::compile_failed;
  const PointRows rows =
      rows_of({share(make_point(8, "row")), share(failed)}, {share(make_point(32, "row"))});
  const auto matches = [&](const PointFilter& filter) {
    auto order = rows.ordered(filter, column_of("kernel"), false);
    std::sort(order.begin(), order.end());
    return order.size();
  };
  EXPECT_EQ(matches({"m=8 ROW", {}, true}), 1u);
  EXPECT_EQ(matches({"m=8 padded", {}, true}), 0u);
  EXPECT_EQ(matches({"compile_failed", {}, true}), 1u);
  EXPECT_EQ(matches({"", Status::compile_failed, true}), 1u);
  EXPECT_EQ(matches({"", {}, true}), 3u);
  EXPECT_EQ(matches({"", {}, false}), 2u);
  EXPECT_EQ(matches({"recorded", {}, true}), 1u);
}

TEST(PointRows, AWordWithAnEqualsSignIsAWholeParameter) {
  const PointRows rows = rows_of({share(make_point(1, "row")), share(make_point(16, "row"))});
  const auto matches = [&](const std::string& text) { return rows.newest_first({text, {}, true}); };
  EXPECT_EQ(matches("M=1"), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(matches("m=16 layout=ROW"), (std::vector<std::uint32_t>{1}));
  EXPECT_TRUE(matches("layout=ro").empty());
  EXPECT_TRUE(matches("ayout=row").empty());
  EXPECT_EQ(matches("m=").size(), 2U) << "the value is still to be typed";
}

TEST(PointRows, GrowWithTheSessionAndStartOverWithAnother) {
  PointRows rows;
  PointList session{share(make_point(8, "row"))};
  EXPECT_TRUE(rows.update(session, {}));
  EXPECT_FALSE(rows.update(session, {}));
  session.push_back(share(make_point(16, "row")));
  EXPECT_TRUE(rows.update(session, {}));
  EXPECT_EQ(rows.rows().size(), 2u);
  EXPECT_TRUE(rows.update({share(make_point(32, "row"))}, {}));
  EXPECT_EQ(rows.rows().size(), 1u);
}

TEST(PointRows, AFigureThatAPointDoesNotHaveIsEmpty) {
  const PointRows rows = rows_of({share(make_point(8, "row"))});
  for (const PointColumn& column : point_columns({})) {
    const bool always =
        column.tag == "status" || column.tag == "kernel" || column.tag == "shape" || column.tag == "device";
    EXPECT_EQ(cell_text(rows.rows()[0], column).empty(), !always) << column.header;
  }
}

TEST(PointRows, ALatencyFromARecordedSessionIsCalledRecorded) {
  const PointRows rows = rows_of({}, {share(make_timed(8, "row", 10))});
  EXPECT_EQ(cell_text(rows.rows()[0], column_of("kind")), "recorded");
  EXPECT_EQ(cell_text(rows.rows()[0], column_of("p50")), "10.00");
}

}  // namespace
}  // namespace tilescope
