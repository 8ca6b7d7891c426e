#include "sessions/standing.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sessions/metrics/registry.hpp"
#include "sessions/views/occupancy/occupancy_series.hpp"
#include "sessions/views/points/heat_map.hpp"
#include "sessions/views/points/latency_series.hpp"
#include "sessions/views/points/point_rows.hpp"
#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

using test_support::share;

const CurrentSources now{{"k", "new"}};

SharedMeasurement timed(const std::string& source, double p50_us, std::int64_t m = 8) {
  Measurement point = test_support::make_timed(m, "row", p50_us);
  point.provenance.source_sha256 = source;
  point.occupancy = Occupancy{};
  return share(point);
}

PointIndex index_of(const PointList& session, const PointList& recorded = {}) {
  PointIndex index;
  index.update("k", test_support::sample_parameters(), session, recorded, now);
  return index;
}

TEST(SourceAge, OnlyWhatIsKnownToDifferIsOlder) {
  EXPECT_TRUE(is_of_older_source(*timed("old", 1), now));
  EXPECT_FALSE(is_of_older_source(*timed("new", 1), now));
  EXPECT_FALSE(is_of_older_source(*timed("", 1), now));
  EXPECT_FALSE(is_of_older_source(*timed("old", 1), {{"another", "new"}}));
}

TEST(SourceAge, ASavedFileMakesThePointsThatAreThereOlder) {
  const PointList session{timed("old", 1), timed("new", 2)};
  PointIndex index;
  PointRows rows;
  EXPECT_TRUE(index.update("k", test_support::sample_parameters(), session, {}, {{"k", "old"}}));
  EXPECT_TRUE(rows.update(session, {}, {{"k", "old"}}));
  EXPECT_FALSE(index.entries()[0].older_source);
  EXPECT_TRUE(index.update("k", test_support::sample_parameters(), session, {}, now));
  EXPECT_TRUE(rows.update(session, {}, now));
  EXPECT_TRUE(index.entries()[0].older_source);
  EXPECT_FALSE(index.entries()[1].older_source);
  EXPECT_TRUE(rows.rows()[0].older_source);
  EXPECT_FALSE(rows.rows()[1].older_source);
  EXPECT_FALSE(index.update("k", test_support::sample_parameters(), session, {}, now));
  EXPECT_FALSE(rows.update(session, {}, now));
}

TEST(SourceAge, ARecordedPointIsOfNoFileHere) {
  const PointIndex index = index_of({}, {timed("old", 1)});
  EXPECT_FALSE(index.entries()[0].older_source);
}

TEST(SourceAge, OlderLatenciesAreASeriesOfTheirOwnBehindTheOthers) {
  const PointIndex index = index_of({timed("old", 1), timed("new", 2), timed("old", 3, 16)});
  const LatencyView view = latency_against(index, test_support::slice_of(8, "row", {"M"}),
                                           make_axis(test_support::sample_parameters()[0]), "L4");
  ASSERT_EQ(view.series.size(), 2U);
  EXPECT_EQ(view.series[0].legend, "measured on L4");
  EXPECT_EQ(view.series[0].dots.size(), 1U);
  EXPECT_EQ(view.series[1].legend, "measured on L4, older source");
  EXPECT_EQ(view.series[1].dots.size(), 2U);
  ASSERT_EQ(view.current.size(), 1U);
  EXPECT_EQ(view.current[0].p50_us, 2) << "the ring is around the point of the file as it is now";
}

TEST(SourceAge, AnOlderFailureIsShownAmongAllConfigurationsAlone) {
  Measurement failed = test_support::make_point(8, "row");
  failed.status = Status::compile_failed;
  failed.provenance.source_sha256 = "old";
  const PointIndex index = index_of({share(failed)});
  Slice slice = test_support::slice_of(8, "row", {"M"});
  const ValueAxis axis = make_axis(test_support::sample_parameters()[0]);
  EXPECT_TRUE(latency_against(index, slice, axis, "L4").failed.empty()) << "it may be repaired";
  slice.all_configurations = true;
  const LatencyView all = latency_against(index, slice, axis, "L4");
  ASSERT_EQ(all.failed.size(), 1U);
  EXPECT_TRUE(all.failed[0].older_source);
}

TEST(SourceAge, OlderOccupanciesAreASeriesOfTheirOwnAndInNoLine) {
  const PointIndex index = index_of({timed("new", 2), timed("old", 3, 16)});
  const OccupancyView view = occupancy_against(index, test_support::slice_of(8, "row", {"M"}),
                                               make_axis(test_support::sample_parameters()[0]), "L4");
  ASSERT_EQ(view.series.size(), 2U);
  EXPECT_EQ(view.series[1].legend, "limited by warps, older source");
  EXPECT_EQ(view.line.size(), 1U);
}

TEST(SourceAge, AHeatMapHoldsOneSourceAlone) {
  const PointIndex index = index_of({timed("old", 1), timed("new", 2), timed("old", 3, 16)});
  Slice slice = test_support::slice_of(8, "row", {"M", "LAYOUT"});
  const auto sources = heat_sources(index, slice, metric_of("p50"), "L4");
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(to_words(sources[0], metric_of("p50")), "measured on L4");
  EXPECT_EQ(to_words(sources[1], metric_of("p50")), "measured on L4, older source");
  slice.all_configurations = true;
  const auto parameters = test_support::sample_parameters();
  const HeatMapView view =
      heat_map(index, slice, make_axis(parameters[0]), make_axis(parameters[1]), metric_of("p50"), sources[0],
               [](const Configuration&) { return std::string(); });
  EXPECT_EQ(view.with_value, 1U) << "an older point is never the best one";
  EXPECT_EQ(view.at(0, 0).value, 2);
}

TEST(SourceAge, TheTableSaysSoAndRanksThemAmongThemselves) {
  PointRows rows;
  rows.update({timed("old", 1), timed("new", 2), timed("old", 3)}, {}, now);
  EXPECT_EQ(rows.rows()[0].rank, 1U);
  EXPECT_EQ(rows.rows()[1].rank, 1U);
  EXPECT_EQ(rows.rows()[2].rank, 2U);
  const auto columns = point_columns(test_support::sample_parameters());
  const auto column = std::find_if(columns.begin(), columns.end(),
                                   [](const PointColumn& candidate) { return candidate.tag == "source"; });
  ASSERT_NE(column, columns.end());
  EXPECT_EQ(cell_text(rows.rows()[0], *column), "older");
  EXPECT_EQ(cell_text(rows.rows()[1], *column), "");
}

}  // namespace
}  // namespace tilescope
