#include "sessions/views/heat_map.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sessions/metrics/registry.hpp"
#include "sessions/views/metric_text.hpp"
#include "sessions/views/point_text.hpp"
#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

using testing::make_point;
using testing::make_timed;
using testing::share;

const HeatSource measured_l4{LatencyKind::measured, "L4"};

std::string all_legal(const Configuration&) {
  return "";
}

HeatMapView map_of(const PointList& session, const Legality& legality = all_legal,
                   bool best_over_others = false, const std::string& metric = "p50") {
  Slice slice = testing::slice_of(8, "row", {"M", "LAYOUT"});
  slice.all_configurations = best_over_others;
  const auto parameters = testing::sample_parameters();
  return heat_map(testing::index_of(session), slice, make_axis(parameters[0]), make_axis(parameters[1]),
                  metric_of(metric), measured_l4, legality);
}

TEST(HeatMap, EachCellIsOneConfiguration) {
  const HeatMapView view = map_of({share(make_timed(16, "padded", 12.5))});
  ASSERT_EQ(view.cells.size(), 6u);
  const HeatCell& cell = view.at(1, 1);
  EXPECT_EQ(cell.state, HeatCell::State::value);
  EXPECT_EQ(cell.text, "12.50");
  EXPECT_EQ(view.at(0, 0).state, HeatCell::State::empty);
  EXPECT_EQ(view.at(2, 0).configuration.at("M"), ParameterValue(std::int64_t{32}));
}

TEST(HeatMap, TheBestIsTheFastestRightOne) {
  Measurement wrong = make_timed(8, "row", 1);
  wrong.status = Status::wrong_result;
  const HeatMapView view =
      map_of({share(wrong), share(make_timed(16, "row", 20)), share(make_timed(32, "row", 10))});
  EXPECT_EQ(view.best, 2u);
  EXPECT_EQ(view.at(0, 0).state, HeatCell::State::failed);
  EXPECT_EQ(view.at(0, 0).text, "wrong");
  EXPECT_EQ(view.low, 10);
  EXPECT_EQ(view.high, 20);
}

TEST(HeatMap, IllegalCellsHaveTheConstraintsSentence) {
  const HeatMapView view = map_of({}, [](const Configuration& configuration) {
    return configuration.at("M") == ParameterValue(std::int64_t{32}) ? "M must be less than 32" : "";
  });
  EXPECT_EQ(view.at(2, 0).state, HeatCell::State::illegal);
  EXPECT_EQ(view.at(2, 1).reason, "M must be less than 32");
  EXPECT_EQ(view.at(1, 1).state, HeatCell::State::empty);
  EXPECT_FALSE(view.best.has_value());
}

TEST(HeatMap, BankConflictsAreTheirShareOfTheWavefrontsAndFewerAreBetter) {
  Measurement many = make_point(8, "row"), none = make_point(16, "row");
  many.memory.emplace();
  many.memory->shared_wavefronts = 8000;
  many.memory->shared_conflicts = 6000;
  none.memory.emplace();
  none.memory->shared_wavefronts = 2000;
  const HeatMapView view =
      map_of({share(many), share(none), share(make_point(32, "row"))}, all_legal, false, "bank_conflicts");
  EXPECT_EQ(view.at(0, 0).text, "75.0");
  EXPECT_EQ(view.at(1, 0).text, "0.0");
  EXPECT_EQ(view.at(2, 0).state, HeatCell::State::empty) << "nobody counted";
  EXPECT_EQ(view.best, 1u);
  EXPECT_EQ(to_words(view.source, metric_of("bank_conflicts")), "counted for L4");
}

TEST(HeatMap, EveryMetricThatIsANumberCanBeShown) {
  Measurement point = make_timed(16, "row", 20);
  point.resources = Resources{64, 16, 1024, 8, 0, ""};
  point.occupancy = Occupancy{2, 16, 0.5, Limiter::warps, 1, 1, 128};
  point.error = Error{1e-4, 0, 1e-3, "gpu", 1, 1};
  point.memory.emplace().shared_wavefronts = 10;
  point.memory->global_sectors = point.memory->global_sectors_minimum = 10;
  point.latency->l2_cold = SampleStatistics{};
  std::size_t shown = 0;
  for (const Metric* metric : heat_metrics()) {
    const HeatMapView view = map_of({share(point)}, all_legal, false, metric->tag);
    EXPECT_EQ(view.at(1, 0).state, HeatCell::State::value) << metric->tag;
    EXPECT_EQ(view.at(1, 0).text, cell_text(*metric, point)) << metric->tag;
    ++shown;
  }
  EXPECT_GE(shown, 10u);
  EXPECT_EQ(find_metric("limiter")->value, nullptr) << "a text has no colour";
}

TEST(HeatMap, TheBestOfWhatShouldBeLargeIsTheLargest) {
  Measurement low = make_point(8, "row"), high = make_point(16, "row");
  low.occupancy = Occupancy{1, 8, 0.25, Limiter::warps, 1, 1, 128};
  high.occupancy = Occupancy{2, 16, 0.5, Limiter::warps, 1, 1, 128};
  EXPECT_EQ(map_of({share(low), share(high)}, all_legal, false, "occupancy").best, 1u);
}

TEST(HeatMap, AValueThatIsNotFiniteLeavesItsCellEmpty) {
  EXPECT_EQ(map_of({share(make_timed(8, "row", std::nan("")))}).at(0, 0).state, HeatCell::State::empty);
}

TEST(HeatMap, TheTooltipHasTheMetricOnce) {
  Measurement point = make_point(8, "row");
  point.resources = Resources{64, 16, 1024, 8, 0, ""};
  const auto lines = metric_tooltip(metric_of("spills"), point, false);
  EXPECT_EQ(lines.back(), (TextPair{"spills", "8 B per thread"}));
  const auto registers = metric_tooltip(metric_of("registers"), point, false);
  EXPECT_EQ(registers.size() + 1, lines.size());
}

TEST(HeatMap, APointWithoutTheFigureLeavesItsCellEmpty) {
  EXPECT_EQ(map_of({share(make_point(8, "row"))}).at(0, 0).state, HeatCell::State::empty);
}

TEST(HeatMap, SourcesAreNotMixed) {
  Measurement other = make_timed(8, "row", 3);
  other.device.name = "H200";
  const PointList session{share(other), share(make_timed(16, "row", 9))};
  const HeatMapView view = map_of(session);
  EXPECT_EQ(view.with_value, 1u);
  EXPECT_EQ(view.at(0, 0).state, HeatCell::State::empty);
  Slice slice = testing::slice_of(8, "row", {"M", "LAYOUT"});
  const auto sources = heat_sources(testing::index_of(session), slice, metric_of("p50"), "L4");
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[0], measured_l4);
  EXPECT_EQ(to_words(sources[1], metric_of("p50")), "measured on H200");
}

TEST(HeatMap, OverAllOthersTheBestOfEachCellIsShown) {
  const auto parameters = testing::sample_parameters();
  std::vector<ParameterChoices> three = parameters;
  three.push_back({"W", {std::int64_t{1}, std::int64_t{2}}});
  const auto with_w = [](double us, std::int64_t w) {
    Measurement point = make_timed(8, "row", us);
    point.parameters["W"] = w;
    return share(point);
  };
  PointIndex index;
  index.update("k", three, {with_w(20, 1), with_w(10, 2), with_w(30, 1)}, {});
  Slice slice = testing::slice_of(8, "row", {"M", "LAYOUT"});
  slice.configuration["W"] = std::int64_t{1};
  const auto map = [&](bool all) {
    slice.all_configurations = all;
    return heat_map(index, slice, make_axis(parameters[0]), make_axis(parameters[1]), metric_of("p50"),
                    measured_l4, all_legal);
  };
  EXPECT_EQ(map(false).at(0, 0).value, 30);
  EXPECT_EQ(map(true).at(0, 0).value, 10);
  EXPECT_EQ(map(true).at(0, 0).configuration.at("W"), ParameterValue(std::int64_t{2}));
}

TEST(HeatMap, WideRangesAreShadedByTheirLogarithm) {
  const HeatMapView view = map_of({share(make_timed(8, "row", 1)), share(make_timed(16, "row", 100))});
  EXPECT_TRUE(view.logarithmic);
  EXPECT_NEAR(view.shade(10), 0.5, 1e-12);
  EXPECT_EQ(map_of({share(make_timed(8, "row", 1))}).shade(1), 0.5);
}

}  // namespace
}  // namespace tilescope
