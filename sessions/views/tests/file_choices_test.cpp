// Points of a file's kernel, which declares no parameters, on axes of the values in which they differ.

#include "sessions/views/points/file_choices.hpp"

#include <gtest/gtest.h>

#include "sessions/metrics/registry.hpp"
#include "sessions/views/points/heat_map.hpp"
#include "sessions/views/points/latency_series.hpp"
#include "sessions/views/points/panel_csv.hpp"
#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

using test_support::share;

const std::string kernel = "sum.cu:row_sum";

// Its tile is a constant of the source; n is an argument, and a chosen value where `chooses_n`.
Measurement file_point(std::int64_t tile, std::int64_t n, double us, bool chooses_n = true) {
  Measurement point;
  point.status = Status::unchecked;
  point.kernel = kernel;
  point.parameters = {{"TILE", tile}, {"ROWS", std::int64_t{4}}};
  if (chooses_n) point.parameters["n"] = n;
  point.arguments = Configuration{{"n", n}, {"x: elements", n * 100}, {"partial: elements", n / tile}};
  point.device = {"L4", "sm_89", false};
  point.provenance.source_sha256 = "new";
  point.prediction = Prediction{us, us * 0.9, us * 1.1, std::nullopt, "", "", {}};
  return point;
}

PointList sample_session() {
  return {share(file_point(16, 512, 4, false)), share(file_point(32, 512, 2)), share(file_point(16, 1024, 9)),
          share(file_point(32, 1024, 3))};
}

PointIndex index_of(const PointList& session) {
  PointIndex index;
  index.update(kernel, choices_of_points(kernel, session, {}), session, {}, newest_source(kernel, session),
               KernelOrigin::file);
  return index;
}

Slice slice_of(const Measurement& point, std::vector<std::string> free, bool all = false) {
  return {point.shape, file_configuration(point), std::move(free), all};
}

TEST(FileChoices, AreTheChosenValuesThatDiffer) {
  PointList session = sample_session();
  session.push_back(share(test_support::make_point(8, "row")));
  const std::vector<ParameterChoices> choices = choices_of_points(kernel, session, {});
  ASSERT_EQ(choices.size(), 2U) << "ROWS is 4 in all of them, and nobody chose a size";
  EXPECT_EQ(choices[0].name, "TILE");
  EXPECT_EQ(choices[1].name, "n");
  EXPECT_EQ(choices[1].values, (std::vector<ParameterValue>{std::int64_t{512}, std::int64_t{1024}}));
  EXPECT_TRUE(choices_of_points("k", session, {}).empty()) << "it is of no file";
}

TEST(FileChoices, PointsAreIndexedWithTheirArguments) {
  const PointList session = sample_session();
  const PointIndex index = index_of(session);
  ASSERT_EQ(index.entries().size(), 4U);
  EXPECT_EQ(index.codes(0)[1], 0) << "n is 512 as an argument";
  PointIndex declared;
  declared.update(kernel, index.parameters(), session, {});
  EXPECT_TRUE(declared.entries().empty()) << "they compute something else than attention";
}

TEST(FileChoices, PointsOfAnEarlierVersionAreOfAnOlderSource) {
  PointList session = sample_session();
  Measurement former = file_point(64, 512, 1);
  former.provenance.source_sha256 = "old";
  session.insert(session.begin(), share(former));
  const PointIndex index = index_of(session);
  EXPECT_TRUE(index.entries()[0].older_source);
  EXPECT_FALSE(index.entries()[1].older_source);
}

TEST(FileLatencies, AreAgainstOneValueWithTheOthersAsInTheShownPoint) {
  const PointList session = sample_session();
  const PointIndex index = index_of(session);
  const Slice slice = slice_of(*session[0], {"TILE"});
  const LatencyView view = latency_against(index, slice, make_axis(index.parameters()[0]), "L4");
  ASSERT_EQ(view.series.size(), 1U);
  EXPECT_EQ(view.series[0].result, ResultKind::unchecked);
  EXPECT_FALSE(view.series[0].wrong) << "nothing says that it is";
  EXPECT_EQ(view.series[0].legend, "not checked, predicted for L4");
  ASSERT_EQ(view.series[0].dots.size(), 2U) << "n is 512 in two of them";
  EXPECT_EQ(view.series[0].dots[0].p50_us, 4);
  EXPECT_EQ(view.series[0].dots[1].p50_us, 2);
  ASSERT_EQ(view.current.size(), 1U);
  EXPECT_EQ(view.current[0].entry, 0U);
  const std::string csv = latency_csv(view, index, "n");
  EXPECT_NE(csv.find("L4\",512,"), std::string::npos) << csv;
}

TEST(FileLatencies, IncorrectAndCorrectPointsHaveSeriesOfTheirOwn) {
  Measurement correct = file_point(16, 512, 4), incorrect = file_point(32, 512, 2);
  correct.status = incorrect.status = Status::ok;
  incorrect.findings.emplace_back().kind = "wrong_value";
  Measurement faulty = file_point(128, 512, 1);
  faulty.findings.emplace_back().kind = "race";
  const PointList session{share(correct), share(incorrect), share(file_point(64, 512, 3)), share(faulty)};
  const PointIndex index = index_of(session);
  const LatencyView view =
      latency_against(index, slice_of(correct, {"TILE"}), make_axis(index.parameters()[0]), "L4");
  ASSERT_EQ(view.series.size(), 4U);
  EXPECT_EQ(view.series[0].legend, "predicted for L4");
  EXPECT_EQ(view.series[1].legend, "not checked, predicted for L4");
  EXPECT_EQ(view.series[2].legend, "with faults, predicted for L4");
  EXPECT_TRUE(view.series[2].wrong) << "not joined by a line";
  EXPECT_EQ(view.series[3].legend, "incorrect result, predicted for L4");
}

HeatMapView map_of(const PointIndex& index, const Slice& slice) {
  const auto valid = [](const Configuration&) { return std::string(); };
  return heat_map(index, slice, make_axis(index.parameters()[0]), make_axis(index.parameters()[1]),
                  metric_of("predicted_p50"), {LatencyKind::measured, "L4"}, valid);
}

TEST(FileHeatMap, HasUncheckedValuesAndRanksNoDifferentWork) {
  const PointList session = sample_session();
  const PointIndex index = index_of(session);
  const HeatMapView view = map_of(index, slice_of(*session[0], {"TILE", "n"}));
  EXPECT_EQ(view.with_value, 4U);
  EXPECT_EQ(view.at(0, 0).value, 4);
  EXPECT_EQ(view.at(1, 1).value, 3);
  EXPECT_TRUE(view.at(0, 0).unchecked);
  EXPECT_FALSE(view.first) << "1024 rows take longer than 512";
}

TEST(FileHeatMap, TheBestOfOtherValuesIsOfThisSize) {
  PointList session;
  for (const std::int64_t rows : {2, 4}) {
    for (const std::int64_t n : {512, 1024}) {
      for (const std::int64_t tile : {16, 32}) {
        Measurement point = file_point(tile, n, static_cast<double>(n) / static_cast<double>(tile * rows));
        point.parameters["ROWS"] = rows;
        session.push_back(share(point));
      }
    }
  }
  const PointIndex index = index_of(session);
  ASSERT_EQ(index.parameters()[0].name, "ROWS");
  Slice slice = slice_of(*session[2], {"ROWS"}, true);
  EXPECT_EQ(select(index, slice).size(), 8U);
  slice.fixed = {"n"};
  EXPECT_EQ(select(index, slice).size(), 4U) << "n is 1024 in them";
  for (const std::size_t entry : select(index, slice))
    EXPECT_EQ(index.entries()[entry].point->parameters.at("n"), ParameterValue(std::int64_t{1024}));
  slice.free = {"ROWS", "n"};
  EXPECT_EQ(select(index, slice).size(), 8U) << "it is on an axis";
}

TEST(FileHeatMap, AFaultyPointHasNoValue) {
  PointList session = sample_session();
  Measurement faulty = *session[3];
  faulty.findings.emplace_back().kind = "race";
  session[3] = share(faulty);
  const HeatMapView view = map_of(index_of(session), slice_of(*session[0], {"TILE", "n"}));
  EXPECT_EQ(view.with_value, 3U);
  EXPECT_EQ(view.at(1, 1).state, HeatCell::State::failed);
  EXPECT_EQ(view.at(1, 1).text, "faulty");
}

TEST(FileHeatMap, TheBestIsACorrectOne) {
  PointList session;
  for (const std::int64_t tile : {16, 32}) {
    for (const std::int64_t rows : {2, 4}) {
      Measurement point = file_point(tile, 512, 1000.0 / static_cast<double>(tile * rows));
      point.parameters["ROWS"] = rows;
      session.push_back(share(point));
    }
  }
  PointIndex index = index_of(session);
  const Slice slice = slice_of(*session[0], {"TILE", "ROWS"});
  HeatMapView view = map_of(index, slice);
  ASSERT_TRUE(view.first);
  EXPECT_EQ(view.first_word, "lowest") << "no result was checked";
  for (std::size_t i = 0; i < 2; ++i) {
    Measurement checked = *session[i];
    checked.status = Status::ok;
    session[i] = share(checked);
  }
  index = index_of(session);
  view = map_of(index, slice);
  ASSERT_TRUE(view.first);
  EXPECT_EQ(view.first_word, "best");
  EXPECT_FALSE(view.cells[*view.first].unchecked);
}

}  // namespace
}  // namespace tilescope
