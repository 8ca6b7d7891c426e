#include "sessions/views/points/heat_map.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sessions/metrics/registry.hpp"
#include "sessions/views/points/metric_text.hpp"
#include "sessions/views/points/point_text.hpp"
#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

using test_support::make_point;
using test_support::make_timed;
using test_support::share;

const HeatSource measured_l4{LatencyKind::measured, "L4"};

std::string all_valid(const Configuration&) {
  return "";
}

HeatMapView map_of(const PointList& session, const Validity& validity = all_valid,
                   bool best_over_others = false, const std::string& metric = "p50") {
  Slice slice = test_support::slice_of(8, "row", {"M", "LAYOUT"});
  slice.all_configurations = best_over_others;
  const auto parameters = test_support::sample_parameters();
  return heat_map(test_support::index_of(session), slice, make_axis(parameters[0]), make_axis(parameters[1]),
                  metric_of(metric), measured_l4, validity);
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

TEST(HeatMap, TheBestIsTheFastestCorrectOne) {
  Measurement wrong = make_timed(8, "row", 1);
  wrong.status = Status::wrong_result;
  const HeatMapView view =
      map_of({share(wrong), share(make_timed(16, "row", 20)), share(make_timed(32, "row", 10))});
  EXPECT_EQ(view.first, 2u);
  EXPECT_EQ(view.first_word, "best");
  EXPECT_EQ(view.at(0, 0).state, HeatCell::State::failed);
  EXPECT_EQ(view.at(0, 0).text, "incorrect");
  EXPECT_EQ(view.low, 10);
  EXPECT_EQ(view.high, 20);
}

TEST(HeatMap, InvalidCellsHaveTheConstraintsSentence) {
  const HeatMapView view = map_of({}, [](const Configuration& configuration) {
    return configuration.at("M") == ParameterValue(std::int64_t{32}) ? "M must be less than 32" : "";
  });
  EXPECT_EQ(view.at(2, 0).state, HeatCell::State::invalid);
  EXPECT_EQ(view.at(2, 1).reason, "M must be less than 32");
  EXPECT_EQ(view.at(1, 1).state, HeatCell::State::empty);
  EXPECT_FALSE(view.first.has_value());
}

TEST(HeatMap, TheBestIsMarkedWhereItIsNotToBeTrusted) {
  Measurement best = make_timed(16, "row", 10);
  best.diagnoses.emplace().push_back({"clock_drop", Severity::hint, {}, "", "", ""});
  EXPECT_EQ(map_of({share(best), share(make_timed(32, "row", 20))}).first_word, "best (clock dropped)");
  EXPECT_EQ(map_of({share(make_timed(16, "row", 10)), share(make_timed(32, "row", 20))}).first_word, "best");
}

TEST(HeatMap, BankConflictsAreTheirShareOfTheWavefrontsAndFewerAreBetter) {
  Measurement many = make_point(8, "row"), none = make_point(16, "row");
  many.memory.emplace();
  many.memory->shared_wavefronts = 8000;
  many.memory->shared_conflicts = 6000;
  none.memory.emplace();
  none.memory->shared_wavefronts = 2000;
  const HeatMapView view =
      map_of({share(many), share(none), share(make_point(32, "row"))}, all_valid, false, "bank_conflicts");
  EXPECT_EQ(view.at(0, 0).text, "75.0");
  EXPECT_EQ(view.at(1, 0).text, "0.0");
  EXPECT_EQ(view.at(2, 0).state, HeatCell::State::empty) << "not counted";
  EXPECT_EQ(view.first, 1u);
  EXPECT_EQ(view.first_word, "best");
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
  point.prediction = test_support::make_predicted(16, "row", 19).prediction;
  std::size_t shown = 0;
  for (const Metric* metric : heat_metrics()) {
    const HeatMapView view = map_of({share(point)}, all_valid, false, metric->tag);
    EXPECT_EQ(view.at(1, 0).state, HeatCell::State::value) << metric->tag;
    EXPECT_EQ(view.at(1, 0).text, cell_text(*metric, point)) << metric->tag;
    ++shown;
  }
  EXPECT_GE(shown, 10u);
  EXPECT_EQ(find_metric("limiter")->value, nullptr) << "a text has no colour";
}

TEST(HeatMap, TheHighestOccupancyIsNotCalledTheBest) {
  Measurement low = make_point(8, "row"), high = make_point(16, "row");
  low.occupancy = Occupancy{1, 8, 0.25, Limiter::warps, 1, 1, 128};
  high.occupancy = Occupancy{2, 16, 0.5, Limiter::warps, 1, 1, 128};
  const HeatMapView view = map_of({share(low), share(high)}, all_valid, false, "occupancy");
  EXPECT_EQ(view.first, 1u);
  EXPECT_EQ(view.first_word, "highest");
}

Measurement with_conflicts(std::int64_t m, std::int64_t conflicts) {
  Measurement point = make_point(m, "row");
  point.memory.emplace().shared_wavefronts = 1000;
  point.memory->shared_conflicts = conflicts;
  return point;
}

TEST(HeatMap, NothingIsBestThatIsAloneOrATie) {
  EXPECT_FALSE(map_of({share(make_timed(8, "row", 10))}).first) << "one cell";
  // Samples are within 0.9 to 1.2 times p50.
  const HeatMapView tied = map_of(
      {share(make_timed(8, "row", 10)), share(make_timed(16, "row", 12)), share(make_timed(32, "row", 14))});
  EXPECT_FALSE(tied.first) << "in the noise";
  EXPECT_EQ(tied.ties, "1 of 3 cannot be told from the best");
  EXPECT_TRUE(tied.at(1, 0).ties_with_best);
  EXPECT_FALSE(tied.at(0, 0).ties_with_best) << "the best itself";
  EXPECT_FALSE(tied.at(2, 0).ties_with_best);
  const HeatMapView decided = map_of({share(make_timed(8, "row", 10)), share(make_timed(16, "row", 14))});
  EXPECT_EQ(decided.first, 0u);
  EXPECT_EQ(decided.ties, "");
  const PointList equal{share(with_conflicts(8, 0)), share(with_conflicts(16, 0)),
                        share(with_conflicts(32, 900))};
  EXPECT_FALSE(map_of(equal, all_valid, false, "bank_conflicts").first) << "equal counts";
  EXPECT_EQ(map_of(equal, all_valid, false, "bank_conflicts").ties, "") << "no comparison is open";
}

TEST(HeatMap, NothingIsBestThatIsBad) {
  const PointList bad{share(with_conflicts(8, 210)), share(with_conflicts(16, 900))};
  const HeatMapView view = map_of(bad, all_valid, false, "bank_conflicts");
  EXPECT_EQ(view.first, 0u);
  EXPECT_EQ(view.first_word, "lowest");
  const PointList good{share(with_conflicts(8, 150)), share(with_conflicts(16, 900))};
  EXPECT_EQ(map_of(good, all_valid, false, "bank_conflicts").first_word, "best");
}

TEST(HeatMap, PercentagesHaveAFixedScaleAndOthersAreRelative) {
  const PointList session{share(with_conflicts(8, 10)), share(with_conflicts(16, 400))};
  const HeatMapView conflicts = map_of(session, all_valid, false, "bank_conflicts");
  EXPECT_EQ(conflicts.low, 0);
  EXPECT_EQ(conflicts.high, 100);
  EXPECT_FALSE(conflicts.logarithmic);
  EXPECT_EQ(scale_words(conflicts), "");
  EXPECT_EQ(scale_words(map_of({share(make_timed(8, "row", 10)), share(make_timed(16, "row", 20))})),
            "relative");
  const HeatMapView wide = map_of({share(make_timed(8, "row", 10)), share(make_timed(16, "row", 50))});
  EXPECT_EQ(scale_words(wide), "relative, log");
  EXPECT_NE(scale_help(wide).find("logarithmic"), std::string::npos);
}

TEST(HeatMap, ItStartsOnTheFirstMetricThatTheDeviceHasValuesOf) {
  const Slice slice = test_support::slice_of(8, "row", {"M", "LAYOUT"});
  const auto first = [&](const PointList& session, const PointList& recorded, bool is_present) {
    return first_heat_metric(test_support::index_of(session, recorded), slice, "L4", is_present).tag;
  };
  Measurement recorded = make_timed(8, "row", 3);
  recorded.device.name = "H200";
  EXPECT_EQ(first({share(with_conflicts(8, 10))}, {share(recorded)}, false), "bank_conflicts");
  EXPECT_EQ(first({share(make_timed(8, "row", 10)), share(with_conflicts(16, 10))}, {}, true), "p50");
  Measurement compiled = make_point(8, "row");
  compiled.resources = Resources{64, 16, 1024, 8, 0, ""};
  EXPECT_EQ(first({share(compiled)}, {}, false), "registers");
  EXPECT_EQ(first({}, {share(recorded)}, false), "p50") << "nothing else is there";
  Measurement predicted = with_conflicts(16, 10);
  predicted.prediction = test_support::make_predicted(16, "row", 20).prediction;
  EXPECT_EQ(first({share(with_conflicts(8, 10)), share(predicted)}, {}, false), "predicted_p50");
  EXPECT_EQ(first({share(make_timed(8, "row", 10)), share(predicted)}, {}, true), "p50")
      << "what was timed says more";
  EXPECT_EQ(first({}, {}, false), "predicted_p50");
  EXPECT_EQ(first({}, {}, true), "p50");
}

TEST(HeatMap, MeasuredAndPredictedTimesAreNotInOneMap) {
  Measurement both = make_timed(8, "row", 10);
  both.prediction = test_support::make_predicted(8, "row", 12).prediction;
  const PointList points{share(both), share(test_support::make_predicted(16, "row", 30))};
  const HeatMapView measured = map_of(points, all_valid, false, "p50");
  EXPECT_EQ(measured.with_value, 1U);
  EXPECT_EQ(to_words(measured.source, metric_of("p50")), "measured on L4");
  const HeatMapView predicted = map_of(points, all_valid, false, "predicted_p50");
  EXPECT_EQ(predicted.with_value, 2U);
  EXPECT_EQ(predicted.at(0, 0).value, 12);
  EXPECT_EQ(to_words(predicted.source, metric_of("predicted_p50")), "predicted for L4");
  EXPECT_EQ(to_words({LatencyKind::recorded, "L4", false}, metric_of("predicted_p50")),
            "predicted for L4, of the recorded session");
}

TEST(HeatMap, TheErrorsOfPredictionsHaveAScaleOfTheirOwn) {
  Measurement slow = make_timed(8, "row", 10);
  slow.prediction = test_support::make_predicted(8, "row", 9).prediction;
  Measurement fast = make_timed(16, "row", 10);
  fast.prediction = test_support::make_predicted(16, "row", 10.5).prediction;
  const HeatMapView view = map_of({share(slow), share(fast)}, all_valid, false, "prediction_error");
  EXPECT_NEAR(view.low, -10, 1e-9);
  EXPECT_NEAR(view.high, 5, 1e-9);
  EXPECT_EQ(scale_words(view), "relative");
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
  Slice slice = test_support::slice_of(8, "row", {"M", "LAYOUT"});
  const auto sources = heat_sources(test_support::index_of(session), slice, metric_of("p50"), "L4");
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[0], measured_l4);
  EXPECT_EQ(to_words(sources[1], metric_of("p50")), "measured on H200");
}

TEST(HeatMap, OverAllOthersTheBestOfEachCellIsShown) {
  const auto parameters = test_support::sample_parameters();
  std::vector<ParameterChoices> three = parameters;
  three.push_back({"W", {std::int64_t{1}, std::int64_t{2}}});
  const auto with_w = [](double us, std::int64_t w) {
    Measurement point = make_timed(8, "row", us);
    point.parameters["W"] = w;
    return share(point);
  };
  PointIndex index;
  index.update("k", three, {with_w(20, 1), with_w(10, 2), with_w(30, 1)}, {});
  Slice slice = test_support::slice_of(8, "row", {"M", "LAYOUT"});
  slice.configuration["W"] = std::int64_t{1};
  const auto map = [&](bool all) {
    slice.all_configurations = all;
    return heat_map(index, slice, make_axis(parameters[0]), make_axis(parameters[1]), metric_of("p50"),
                    measured_l4, all_valid);
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
