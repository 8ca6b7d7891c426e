#include "profiler/views/points/partial_point.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "profiler/gpu/timing/provisional_latency.hpp"
#include "sessions/metrics/registry.hpp"

namespace tilescope {
namespace {

Experiment experiment() {
  Experiment experiment;
  experiment.kernel = "k";
  experiment.parameters = {{"M", std::int64_t{16}}, {"N", std::int64_t{32}}};
  experiment.device = "H200";
  return experiment;
}

PartialPoint asked(bool present = true) {
  return nothing_known(experiment(), {"H200", "sm_90", present});
}

PartialPoint judged(bool present = true) {
  PartialPoint point = asked(present);
  point.so_far.occupancy = Occupancy{3, 24, 0.375, Limiter::shared_memory, 1.5, 0.5, 128};
  point.is_occupancy_estimated = true;
  return point;
}

PartialPoint compiled(bool present = true) {
  PartialPoint point = judged(present);
  point.stage = PointStage::compiled;
  point.is_occupancy_estimated = false;
  point.so_far.occupancy->blocks_per_sm = 2;
  point.so_far.occupancy->fraction = 0.25;
  point.so_far.resources = Resources{96, 0, 32768, 0, 0, std::string(64, 'a')};
  return point;
}

PartialPoint checked(bool present = true) {
  PartialPoint point = compiled(present);
  point.stage = PointStage::checked;
  point.so_far.error = Error{1e-4, 1e-4, 1e-3, "gpu", 64, 4096};
  MemoryCounts& memory = point.so_far.memory.emplace();
  memory.shared_wavefronts = 1000;
  memory.sites.emplace_back().conflicts = 5;
  return point;
}

PartialPoint timed() {
  PartialPoint point = checked();
  point.stage = PointStage::timed;
  std::vector<TimedRun> runs;
  for (const double us : {48.0, 49.0, 50.0, 52.0, 58.0}) runs.push_back({us, 1980});
  point.so_far.latency = provisional_latency(runs, 2, 1980).latency;
  point.so_far.latency->tflops = 3;
  point.is_latency_provisional = true;
  return point;
}

PartialPoint warm_timed() {
  PartialPoint point = timed();
  point.is_latency_provisional = false;
  point.so_far.latency->l2_warm->stopped_by = "converged";
  return point;
}

Prediction prediction() {
  return {20, 18, 23, 6, "model 1", "", {{"launch", 2}, {"tensor", 15}, {"tail", 3}}};
}

std::vector<std::string> labels_of(const std::vector<DetailSection>& sections) {
  std::vector<std::string> labels;
  for (const DetailSection& section : sections) {
    labels.push_back("[" + section.title + "]");
    for (const DetailRow& row : section.rows) labels.push_back(row.label);
  }
  return labels;
}

const DetailRow& row_of(const std::vector<DetailSection>& sections, std::string_view title,
                        std::string_view label) {
  for (const DetailSection& section : sections) {
    for (const DetailRow& row : section.rows) {
      if (section.title == title && row.label == label) return row;
    }
  }
  throw std::out_of_range(std::string(title) + ", " + std::string(label));
}

TEST(PartialPointView, RowsKeepTheirPlacesFromStageToStage) {
  const auto first = labels_of(partial_details(asked(), false));
  for (PartialPoint point : {judged(), compiled(), checked(), timed(), warm_timed()}) {
    if (point.so_far.memory) point.so_far.memory->sites.clear();
    EXPECT_EQ(labels_of(partial_details(point, false)), first) << to_string(point.stage);
  }
}

TEST(PartialPointView, ALibraryKernelHasALatencyAndAnErrorAlone) {
  PartialPoint point = timed();
  point.so_far.occupancy.reset();
  point.so_far.resources.reset();
  point.so_far.memory.reset();
  const auto labels = labels_of(partial_details(asked(), true));
  EXPECT_EQ(labels_of(partial_details(point, true)), labels);
  EXPECT_EQ(labels.front(), "[Latency]");
  EXPECT_EQ(std::count(labels.begin(), labels.end(), "[Occupancy]"), 0);
}

TEST(PartialPointView, RowsAreThoseOfTheFinalPoint) {
  PartialPoint point = timed();
  point.so_far.latency->l2_warm = SampleStatistics{};
  point.so_far.latency->l2_cold = SampleStatistics{};
  point.so_far.latency->l2_warm->sm_clock_mhz = point.so_far.latency->l2_cold->sm_clock_mhz = 1980;
  point.so_far.prediction = prediction();
  point.so_far.memory->global_sectors = 1;
  point.so_far.memory->sites.clear();
  auto final = point_details(point.so_far, false);
  std::erase_if(final, [](const DetailSection& section) { return section.title == "Provenance"; });
  EXPECT_EQ(labels_of(partial_details(asked(), false)), labels_of(final));
}

TEST(PartialPointView, TheWorstLinesFollowTheFiguresOnceTheyAreCounted) {
  const auto before = labels_of(partial_details(compiled(), false));
  const auto counted = labels_of(partial_details(checked(), false));
  ASSERT_EQ(counted.size(), before.size() + 2);
  EXPECT_EQ(counted[before.size()], "[" + std::string(excess_by_line) + "]");
  EXPECT_TRUE(std::equal(before.begin(), before.end(), counted.begin()));
}

TEST(PartialPointView, ComparedRowsAreThoseOfTheFinalComparison) {
  PartialPoint point = timed();
  point.so_far.latency->l2_warm = SampleStatistics{};
  point.so_far.latency->l2_cold = SampleStatistics{};
  point.so_far.latency->l2_warm->sm_clock_mhz = point.so_far.latency->l2_cold->sm_clock_mhz = 1980;
  point.so_far.prediction = prediction();
  point.so_far.memory->global_sectors = 1;
  const Measurement& final = point.so_far;
  auto expected = compared_details(point_details(final, false), point_details(final, false));
  std::erase_if(expected, [](const DetailSection& section) { return section.title == "Provenance"; });
  const auto first = compared_partial_details(partial_details(asked(), false), final, false);
  EXPECT_EQ(labels_of(first), labels_of(expected));
  const DetailRow& p50 = row_of(first, "Latency", "p50");
  EXPECT_TRUE(p50.is_pending);
  EXPECT_TRUE(p50.has_number) << "it stands in the columns of numbers";
  EXPECT_EQ(p50.other, "25.00 µs");
}

TEST(PartialPointView, WithoutAGpuAPredictionIsWaitedForAndNoLatency) {
  const auto waiting = partial_details(checked(false), false);
  EXPECT_EQ(waiting.front().title, "Latency");
  EXPECT_EQ(waiting.front().origin, "predicted for H200");
  EXPECT_TRUE(row_of(waiting, "Latency", "Predicted p50").is_pending);
  EXPECT_THROW(row_of(waiting, "Latency", "p50"), std::out_of_range);
  PartialPoint predicted = checked(false);
  predicted.so_far.prediction = prediction();
  EXPECT_EQ(row_of(partial_details(predicted, false), "Latency", "Predicted p50").value, "20.00 µs");
  EXPECT_EQ(labels_of(partial_details(predicted, false)), labels_of(waiting));
  for (const DetailSection& section : partial_details(asked(false), true))
    EXPECT_NE(section.title, "Latency") << "nothing is known of a library's kernel without its GPU";
}

TEST(PartialPointView, AnEstimatedOccupancyIsABound) {
  const auto estimate = partial_details(judged(), false);
  EXPECT_EQ(row_of(estimate, "Occupancy", "Occupancy").value, "at most 37.5 %");
  EXPECT_EQ(row_of(estimate, "Occupancy", "Blocks per SM").value, "at most 3");
  EXPECT_EQ(row_of(estimate, "Occupancy", "Waves").value.substr(0, 8), "at least");
  EXPECT_TRUE(row_of(estimate, "Occupancy", "Limiter").is_pending) << "it may be the registers";
  const auto section = std::find_if(estimate.begin(), estimate.end(),
                                    [](const DetailSection& each) { return each.title == "Occupancy"; });
  EXPECT_EQ(section->origin, "registers are not known yet");
  EXPECT_TRUE(row_of(estimate, "Resources", "Registers").is_pending);
  const auto exact = partial_details(compiled(), false);
  EXPECT_EQ(row_of(exact, "Occupancy", "Occupancy").value, "25.0 %");
  EXPECT_FALSE(row_of(exact, "Resources", "Registers").is_pending);
}

TEST(PartialPointView, AProvisionalLatencyHasItsIntervalAndSaysWhenTheClockRises) {
  PartialPoint point = timed();
  const auto sections = partial_details(point, false);
  EXPECT_EQ(sections.front().origin, "provisional, on H200");
  EXPECT_EQ(row_of(sections, "Latency", "Warm p10-p90").value, "24.20 µs to 27.80 µs");
  EXPECT_NE(sections.front().text.find("Of a few launches"), std::string::npos);
  EXPECT_TRUE(row_of(sections, "Latency", "Cold p50").is_pending);
  EXPECT_EQ(sections.front().text.find("clock"), std::string::npos);
  point.is_clock_rising = true;
  EXPECT_NE(partial_details(point, false).front().text.find("SM clock is still rising"), std::string::npos);
}

TEST(PartialPointView, AFinalSeriesSaysSo) {
  const auto sections = partial_details(warm_timed(), false);
  EXPECT_EQ(sections.front().text, "The series with a warm L2 is final.");
  EXPECT_TRUE(row_of(sections, "Latency", "Cold p50").is_pending);
}

TEST(PartialPointView, TheHeadingSaysWhatIsKnownAndWhatFollows) {
  EXPECT_EQ(measuring_heading(nullptr), "Measuring: waiting for the worker");
  const auto heading = [](const PartialPoint& point) { return measuring_heading(&point); };
  EXPECT_EQ(heading(judged()), "Measuring: valid, being compiled");
  EXPECT_EQ(heading(compiled()), "Measuring: compiled, being checked");
  EXPECT_EQ(heading(checked()), "Measuring: checked, being timed");
  EXPECT_EQ(heading(checked(false)), "Measuring: checked and counted");
  EXPECT_EQ(heading(timed()), "Measuring: provisional latency");
  PartialPoint warm = warm_timed();
  EXPECT_EQ(heading(warm), "Measuring: timed, series with a cold L2 follows");
  warm.so_far.latency->l2_cold.emplace();
  EXPECT_EQ(heading(warm), "Measuring: timed, being counted");
  PartialPoint early = checked(false);
  early.so_far.resources.reset();
  EXPECT_EQ(heading(early), "Measuring: checked, being compiled") << "the PTX came first";
}

class PartialMarks : public ::testing::Test {
 protected:
  PartialMarks() {
    slice.shape = experiment().shape;
    slice.configuration = experiment().parameters;
  }
  const ValueAxis m = make_axis({"M", {std::int64_t{8}, std::int64_t{16}}});
  const ValueAxis n = make_axis({"N", {std::int64_t{32}, std::int64_t{64}}});
  HeatMapView map_of(const HeatSource& source) const {
    HeatMapView view;
    view.x = m;
    view.y = n;
    view.source = source;
    return view;
  }
  Slice slice;
};

TEST_F(PartialMarks, TheLatencyStandsAtItsPlaceOnceItIsThere) {
  EXPECT_FALSE(partial_latency(checked(), slice, m));
  const auto mark = partial_latency(timed(), slice, m);
  ASSERT_TRUE(mark);
  EXPECT_EQ(mark->x, m.positions[1]);
  EXPECT_EQ(mark->y, 25);
  EXPECT_DOUBLE_EQ(mark->low, 24.2);
  EXPECT_DOUBLE_EQ(mark->high, 27.8);
  slice.shape.B += 1;
  EXPECT_FALSE(partial_latency(timed(), slice, m)) << "another shape";
}

TEST_F(PartialMarks, AnEstimatedOccupancyMayBeAnythingBelow) {
  EXPECT_FALSE(partial_occupancy(asked(), slice, m));
  const auto estimate = partial_occupancy(judged(), slice, m);
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->y, 37.5);
  EXPECT_EQ(estimate->low, 0);
  const auto exact = partial_occupancy(compiled(), slice, m);
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->low, exact->y);
}

TEST_F(PartialMarks, ItsCellShowsWhatIsKnownOfTheMetric) {
  const HeatMapView view = map_of({LatencyKind::measured, "H200", false});
  const Metric& occupancy = metric_of("occupancy");
  const auto estimate = partial_cell(judged(), slice, view, occupancy);
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->cell, 1U);
  EXPECT_EQ(estimate->text, "≤ 37.5");
  EXPECT_EQ(partial_cell(compiled(), slice, view, occupancy)->text, "25.0");
  EXPECT_EQ(partial_cell(compiled(), slice, view, metric_of("p50"))->text, "");
  EXPECT_EQ(partial_cell(timed(), slice, view, metric_of("p50"))->text, "25.00");
}

TEST_F(PartialMarks, AMapOfAnotherSourceHasNoCellOfIt) {
  const Metric& p50 = metric_of("p50");
  EXPECT_TRUE(partial_cell(timed(), slice, map_of({LatencyKind::measured, "H200", false}), p50));
  for (const HeatSource& other :
       {HeatSource{LatencyKind::recorded, "H200", false}, HeatSource{LatencyKind::measured, "L4", false},
        HeatSource{LatencyKind::measured, "H200", true}})
    EXPECT_FALSE(partial_cell(timed(), slice, map_of(other), p50)) << to_words(other, p50);
}

TEST_F(PartialMarks, TheTooltipSaysProvisionalAndTheStage) {
  for (const PartialPoint& point : {judged(), compiled(), checked(), timed()}) {
    const auto lines = partial_tooltip(point);
    EXPECT_EQ(lines.front().first, "provisional");
    EXPECT_EQ("Measuring: " + lines.front().second, measuring_heading(&point));
  }
  const auto has_clock = [](const PartialPoint& point) {
    const auto lines = partial_tooltip(point);
    return std::any_of(lines.begin(), lines.end(),
                       [](const TextPair& line) { return line.first == "SM clock"; });
  };
  PartialPoint point = timed();
  EXPECT_FALSE(has_clock(point));
  point.is_clock_rising = true;
  EXPECT_TRUE(has_clock(point));
}

}  // namespace
}  // namespace tilescope
