#include "sessions/compare/shape_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.hpp"
#include "sessions/compare/shape_matrix_json.hpp"
#include "sessions/compare/shape_matrix_text.hpp"

namespace tilescope {
namespace {

using Points = PointList;

Shape at(std::int64_t batch) {
  Shape shape;
  shape.B = batch;
  return shape;
}

Measurement point_of(std::int64_t block_m, std::int64_t batch) {
  Measurement point;
  point.kernel = "flash_scalar";
  point.parameters = {{"BLOCK_M", block_m}, {"BLOCK_N", std::int64_t{64}}};
  point.shape = at(batch);
  point.device = {"L4", "sm_89", true};
  point.error = Error{};
  return point;
}

/// Timed, with samples from 1 % below to 1 % above.
Measurement timed(std::int64_t block_m, std::int64_t batch, double p50_us, double spread = 0.01) {
  Measurement point = point_of(block_m, batch);
  Latency latency;
  latency.p10_us = p50_us * (1 - spread);
  latency.p50_us = p50_us;
  latency.p90_us = p50_us * (1 + spread);
  latency.tflops = attention_flops(point.shape) / p50_us * 1e-6;
  SampleStatistics series;
  series.count = 100;
  series.min_us = latency.p10_us;
  series.q1_us = p50_us * (1 - spread / 2);
  series.p50_us = p50_us;
  series.q3_us = latency.p90_us;
  series.sm_clock_mhz = 1000;
  series.launches_per_sample = 100;
  latency.l2_warm = series;
  point.latency = latency;
  return point;
}

Measurement predicted(std::int64_t block_m, std::int64_t batch, double p50_us) {
  Measurement point = point_of(block_m, batch);
  point.device.present = false;
  Prediction prediction;
  prediction.p50_us = p50_us;
  prediction.low_us = p50_us * 0.9;
  prediction.high_us = p50_us * 1.1;
  point.prediction = prediction;
  return point;
}

Measurement failed(std::int64_t block_m, std::int64_t batch, Status status = Status::wrong_result) {
  Measurement point = point_of(block_m, batch);
  point.status = status;
  point.reason = "row 3 differs";
  return point;
}

Points points_of(std::initializer_list<Measurement> measurements) {
  Points points;
  for (const Measurement& measurement : measurements)
    points.push_back(std::make_shared<const Measurement>(measurement));
  return points;
}

ShapeMatrix matrix_of(std::initializer_list<Measurement> measurements, std::vector<Shape> shapes = {}) {
  const std::vector<ShapeMatrix> matrices = shape_matrices(points_of(measurements), shapes);
  EXPECT_EQ(matrices.size(), 1u);
  return matrices.front();
}

bool has_note(const ShapeMatrix& matrix, const std::string& words) {
  return std::ranges::any_of(matrix.notes,
                             [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

std::vector<std::string> names_of(const ShapeMatrix& matrix) {
  std::vector<std::string> names;
  names.reserve(matrix.rows.size());
  for (const ShapeRow& row : matrix.rows) names.push_back(row.name);
  return names;
}

TEST(ShapeMatrix, OrdersRowsByTheirWorstRegret) {
  // 32 is the best at B1 and 30 % off at B4, 64 is 10 % and 0 % off, 128 is 20 % off at both.
  const ShapeMatrix matrix = matrix_of({timed(32, 1, 100), timed(64, 1, 110), timed(128, 1, 120),
                                        timed(32, 4, 260), timed(64, 4, 200), timed(128, 4, 240)});
  EXPECT_EQ(names_of(matrix), (std::vector<std::string>{"BLOCK_M=64", "BLOCK_M=128", "BLOCK_M=32"}));
  const ShapeRow &first = matrix.rows[0], &last = matrix.rows[2];
  EXPECT_DOUBLE_EQ(*first.cells[0].ratio, 1.1);
  EXPECT_DOUBLE_EQ(*first.cells[1].ratio, 1);
  EXPECT_TRUE(first.cells[1].is_best);
  EXPECT_NEAR(first.regret->mean, 0.05, 1e-12);
  EXPECT_NEAR(first.regret->worst, 0.1, 1e-12);
  EXPECT_EQ(first.regret->worst_column, 0u);
  EXPECT_NEAR(matrix.rows[1].regret->mean, 0.2, 1e-12);
  EXPECT_NEAR(last.regret->mean, 0.15, 1e-12);
  EXPECT_NEAR(last.regret->worst, 0.3, 1e-12);
  EXPECT_EQ(last.regret->worst_column, 1u);
  EXPECT_TRUE(matrix.notes.empty()) << matrix.notes.front();
}

TEST(ShapeMatrix, MarksTiesInsideNoise) {
  const ShapeMatrix matrix = matrix_of({timed(32, 1, 100), timed(64, 1, 101.5), timed(128, 1, 103)});
  EXPECT_FALSE(matrix.rows[0].cells[0].ties_with_best);
  EXPECT_TRUE(matrix.rows[1].cells[0].ties_with_best) << "101 and 100.485 meet";
  EXPECT_FALSE(matrix.rows[2].cells[0].ties_with_best) << "101 and 101.97 do not";
  EXPECT_EQ(shape_matrix_table(matrix).rows[1][1], "101.50 (1.015x ~)");
}

TEST(ShapeMatrix, ARowThatLacksAShapeHasNoRegret) {
  const ShapeMatrix matrix = matrix_of(
      {timed(32, 1, 50), timed(64, 1, 100), timed(128, 1, 130), timed(64, 4, 200), timed(128, 4, 200)});
  EXPECT_EQ(names_of(matrix), (std::vector<std::string>{"BLOCK_M=64", "BLOCK_M=128", "BLOCK_M=32"}));
  const ShapeRow& lacking = matrix.rows[2];
  EXPECT_FALSE(lacking.regret);
  EXPECT_EQ(lacking.why_no_regret, "It has no ranked latency at B4 H8 S512 D64 fp16.");
  EXPECT_EQ(lacking.cells[1].why_not_ranked, "no point");
  EXPECT_DOUBLE_EQ(matrix.rows[0].regret->worst, 1)
      << "against the best of the column, which has no regret itself";
  EXPECT_TRUE(has_note(matrix, "1 of 3 rows have no regret"));
  EXPECT_EQ(
      shape_matrix_table(matrix).rows[2],
      (std::vector<std::string>{"BLOCK_M=32", "50.00 (best)", "-", "none", "none: 1 of 2 shapes ranked"}));
}

TEST(ShapeMatrix, FailedPointsAreShownAndNeverRanked) {
  Measurement wrong = timed(32, 1, 1);
  wrong.status = Status::wrong_result;
  wrong.reason = "row 3 differs";
  const ShapeMatrix matrix = matrix_of({wrong, timed(64, 1, 100)});
  EXPECT_EQ(names_of(matrix), (std::vector<std::string>{"BLOCK_M=64", "BLOCK_M=32"}));
  EXPECT_TRUE(matrix.rows[0].cells[0].is_best);
  EXPECT_FALSE(matrix.rows[1].cells[0].ratio);
  EXPECT_FALSE(matrix.rows[1].cells[0].kind);
  EXPECT_EQ(shape_matrix_table(matrix).rows[1][1], "Incorrect result");
}

TEST(ShapeMatrix, AShapeWithoutAnyLatencyCountsForNoRegret) {
  const ShapeMatrix matrix = matrix_of({timed(32, 1, 100), timed(64, 1, 110), failed(32, 4), failed(64, 4)});
  EXPECT_FALSE(matrix.columns[1].counts());
  EXPECT_NEAR(matrix.rows[1].regret->worst, 0.1, 1e-12);
  EXPECT_TRUE(has_note(matrix, "no latency can be ranked"));
  const ShapeMatrix hopeless = matrix_of({failed(32, 1), failed(64, 1)});
  EXPECT_FALSE(hopeless.rows[0].regret);
  EXPECT_EQ(hopeless.rows[0].why_no_regret, "No shape has a latency that can be ranked.");
}

TEST(ShapeMatrix, PredictionsAreNotRankedBesideTimedLatencies) {
  const ShapeMatrix matrix =
      matrix_of({timed(64, 1, 100), predicted(32, 1, 10), timed(64, 4, 200), timed(32, 4, 100)});
  const ShapeRow& mixed = matrix.rows[1];
  EXPECT_EQ(mixed.name, "BLOCK_M=32");
  EXPECT_EQ(mixed.cells[0].kind, LadderKind::predicted);
  EXPECT_FALSE(mixed.cells[0].ratio);
  EXPECT_FALSE(mixed.regret);
  EXPECT_DOUBLE_EQ(*matrix.rows[0].cells[0].ratio, 1);
  EXPECT_TRUE(has_note(matrix, "shown and not ranked"));
  const ShapeMatrixTable table = shape_matrix_table(matrix);
  EXPECT_EQ(table.rows[1][1], "10.00 p (not ranked)");
  EXPECT_EQ(table.rows[0][1], "100.00 (best)");
  EXPECT_EQ(table.caption, "flash_scalar on L4, H8 S512 D64 fp16: p50 [µs]");
}

TEST(ShapeMatrix, OfPredictionsAloneSaysSo) {
  const ShapeMatrix matrix =
      matrix_of({predicted(32, 1, 100), predicted(64, 1, 115), predicted(128, 1, 125)});
  EXPECT_TRUE(matrix.columns[0].is_predicted);
  EXPECT_TRUE(has_note(matrix, "predicted, not measured"));
  EXPECT_NEAR(matrix.rows[2].regret->worst, 0.25, 1e-12);
  EXPECT_TRUE(matrix.rows[1].cells[0].ties_with_best) << "110 and 103.5: the bands meet";
  EXPECT_FALSE(matrix.rows[2].cells[0].ties_with_best) << "110 and 112.5 do not";
  EXPECT_EQ(shape_matrix_table(matrix).caption, "flash_scalar on L4: predicted p50 [µs]");
}

TEST(ShapeMatrix, PredictionsAreTiedByTheErrorOfTheirRatios) {
  Measurement best = predicted(32, 1, 100), near = predicted(64, 1, 104), far = predicted(128, 1, 106);
  for (Measurement* point : {&best, &near, &far}) point->prediction->ratio_error = RatioError{0.05, 0.5};
  const ShapeMatrix matrix = matrix_of({best, near, far});
  EXPECT_TRUE(matrix.rows[1].cells[0].ties_with_best);
  EXPECT_FALSE(matrix.rows[2].cells[0].ties_with_best)
      << "their bands meet, which says nothing of their ratio";
}

TEST(ShapeMatrix, ARegretOverTimedAndPredictedShapesIsSaid) {
  const ShapeMatrix matrix =
      matrix_of({timed(32, 1, 100), timed(64, 1, 110), predicted(32, 4, 300), predicted(64, 4, 200)});
  EXPECT_NEAR(matrix.rows[0].regret->mean, 0.05, 1e-12);
  EXPECT_TRUE(has_note(matrix, "a regret is over both"));
}

TEST(ShapeMatrix, MeasuredAndRecordedLatenciesAreRankedTogetherAndSaid) {
  Measurement recorded = timed(32, 1, 90);
  recorded.latency->kind = LatencyKind::recorded;
  const ShapeMatrix matrix = matrix_of({recorded, timed(64, 1, 100)});
  EXPECT_EQ(matrix.rows[0].cells[0].kind, LadderKind::recorded);
  EXPECT_TRUE(has_note(matrix, "ranked together"));
  EXPECT_EQ(shape_matrix_table(matrix).rows[0][1], "90.00 r (best)");
}

TEST(ShapeMatrix, TakesTheTimedAndThenTheNewestPoint) {
  EXPECT_DOUBLE_EQ(matrix_of({timed(32, 1, 100), predicted(32, 1, 50)}).rows[0].cells[0].p50_us, 100);
  EXPECT_DOUBLE_EQ(matrix_of({predicted(32, 1, 50), timed(32, 1, 100)}).rows[0].cells[0].p50_us, 100);
  EXPECT_DOUBLE_EQ(matrix_of({timed(32, 1, 100), timed(32, 1, 110)}).rows[0].cells[0].p50_us, 110);
  EXPECT_FALSE(matrix_of({timed(32, 1, 100), failed(32, 1)}).rows[0].cells[0].kind) << "it fails now";
  EXPECT_TRUE(matrix_of({failed(32, 1), predicted(32, 1, 50)}).rows[0].cells[0].kind) << "it was repaired";
  EXPECT_TRUE(matrix_of({timed(32, 1, 100), failed(32, 1, Status::worker_lost)}).rows[0].cells[0].kind)
      << "that is about the machine";
  EXPECT_TRUE(shape_matrices(points_of({failed(32, 1, Status::cancelled)})).empty());
}

TEST(ShapeMatrix, APartOfAttentionIsNoPeer) {
  Measurement scores = timed(32, 1, 10);
  scores.latency->tflops /= 2;
  const ShapeMatrix matrix = matrix_of({scores, timed(64, 1, 100)});
  EXPECT_TRUE(matrix.rows[0].cells[0].is_best);
  EXPECT_EQ(matrix.rows[0].name, "BLOCK_M=64");
  EXPECT_EQ(shape_matrix_table(matrix).rows[1][1], "10.00 (part of attention)");
}

TEST(ShapeMatrix, MarksARankedLatencyThatIsNotToBeTrusted) {
  Measurement few = timed(32, 1, 100);
  SampleStatistics series;
  series.count = 3;
  series.p50_us = 100;
  few.latency->l2_warm = series;
  few.latency->samples = 3;
  const ShapeMatrix matrix = matrix_of({few, timed(64, 1, 120)});
  EXPECT_TRUE(has_note(matrix, "1 ranked latency is not to be trusted"));
  EXPECT_EQ(shape_matrix_table(matrix).rows[0][1], "100.00 (best) (few samples)");
}

TEST(ShapeMatrix, OfTwoDevicesAreTwo) {
  Measurement other = timed(32, 1, 10);
  other.device.name = "H200";
  const std::vector<ShapeMatrix> matrices = shape_matrices(points_of({timed(64, 1, 100), other}));
  ASSERT_EQ(matrices.size(), 2u);
  EXPECT_EQ(matrices[0].device, "L4");
  EXPECT_TRUE(matrices[0].rows[0].cells[0].is_best);
  EXPECT_EQ(matrices[1].device, "H200");
}

TEST(ShapeMatrix, HasTheShapesThatWereAskedFor) {
  const ShapeMatrix matrix =
      matrix_of({timed(32, 1, 100), timed(32, 2, 150), timed(32, 4, 200)}, {at(4), at(1)});
  ASSERT_EQ(matrix.columns.size(), 2u);
  EXPECT_DOUBLE_EQ(matrix.rows[0].cells[0].p50_us, 200);
  EXPECT_TRUE(has_note(matrix, "one row alone"));
}

TEST(ShapeMatrix, NamesKernelsWhereThereAreSeveral) {
  Measurement other = timed(32, 1, 50);
  other.kernel = "mma_flash";
  const ShapeMatrix matrix = matrix_of({timed(32, 1, 100), timed(64, 1, 120), other});
  EXPECT_EQ(names_of(matrix),
            (std::vector<std::string>{"mma_flash", "flash_scalar BLOCK_M=32", "flash_scalar BLOCK_M=64"}));
  const ShapeMatrixTable table = shape_matrix_table(matrix);
  EXPECT_EQ(table.common,
            (std::vector<std::string>{"mma_flash: BLOCK_M=32 BLOCK_N=64", "flash_scalar: BLOCK_N=64"}));
  EXPECT_EQ(table.caption, "2 kernels on L4: measured p50 [µs]");
}

TEST(ShapeMatrix, PointsOfSeveralSourcesAreSaid) {
  Measurement first = timed(32, 1, 100), second = timed(32, 4, 100);
  first.provenance.source_sha256 = "a";
  second.provenance.source_sha256 = "b";
  EXPECT_TRUE(has_note(matrix_of({first, second}), "several versions of the kernel's source"));
}

TEST(ShapeMatrix, IsALineForEachCellInCsv) {
  const std::string csv = shape_matrix_csv(matrix_of({timed(32, 1, 100), timed(64, 1, 125), failed(32, 4)}));
  EXPECT_NE(csv.find("flash_scalar,BLOCK_M=64 BLOCK_N=64,nvrtc,L4,B1 H8 S512 D64 fp16,ok,measured,123.75,125,"
                     "126.25,1.25,no,,0.25,0.25\r\n"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find("B4 H8 S512 D64 fp16,wrong_result,,,,,,,Incorrect result,0,0\r\n"), std::string::npos)
      << csv;
  EXPECT_EQ(std::ranges::count(csv, '\n'), 5);
}

TEST(ShapeMatrix, IsATableInMarkdown) {
  const ShapeMatrix matrix = matrix_of({timed(32, 1, 100), timed(64, 1, 125)});
  const std::string text = shape_matrix_markdown(matrix);
  EXPECT_NE(text.find("| BLOCK_M=64 | 125.00 (1.250x) | 25.0 % | 25.0 % at B1 H8 S512 D64 fp16 |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(shape_matrix_markdown(matrix, 1).find("- 1 more rows"), std::string::npos);
}

TEST(ShapeMatrix, HasNullInJsonWhereNothingApplies) {
  const Json json =
      shape_matrix_to_json(matrix_of({timed(32, 1, 100), timed(64, 1, 125), timed(64, 4, 200)}));
  EXPECT_EQ(json["shapes"].size(), 2u);
  const Json &complete = json["rows"][0], &lacking = json["rows"][1];
  EXPECT_DOUBLE_EQ(complete["worst_regret"].get<double>(), 0.25);
  EXPECT_EQ(complete["worst_shape"], 0);
  EXPECT_TRUE(complete["why_no_regret"].is_null());
  EXPECT_TRUE(lacking["worst_regret"].is_null());
  EXPECT_TRUE(lacking["cells"][1]["status"].is_null());
  EXPECT_TRUE(lacking["cells"][1]["p50_us"].is_null());
  EXPECT_EQ(lacking["cells"][1]["why_not_ranked"], "no point");
}

}  // namespace
}  // namespace tilescope
