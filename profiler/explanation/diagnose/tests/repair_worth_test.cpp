#include "profiler/explanation/diagnose/repair_worth.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/explanation/diagnose/tests/diagnose_fixture.hpp"

namespace tilescope {
namespace {

using test_support::conflicting_point;

Measurement repaired_point() {
  Measurement point = conflicting_point();
  point.parameters["K_PAD"] = std::int64_t{8};
  point.memory->shared_wavefronts = 4108000;
  point.memory->shared_conflicts = 8000;
  return point;
}

void set_latency(Measurement& point, double p50_us) {
  point.latency.emplace();
  point.latency->p50_us = p50_us;
}

const DiagnosisRule& conflicts() {
  return *find_rule("bank_conflicts");
}

TEST(Repairs, CostLessByTheRulesFigureAndItsMetric) {
  EXPECT_TRUE(repairs(conflicts(), conflicting_point(), repaired_point()));
  EXPECT_FALSE(repairs(conflicts(), conflicting_point(), conflicting_point()));
  Measurement diluted = conflicting_point();
  diluted.memory->shared_wavefronts *= 2;
  EXPECT_FALSE(repairs(conflicts(), conflicting_point(), diluted)) << "a smaller share of more wavefronts";
  Measurement wrong = repaired_point();
  wrong.status = Status::wrong_result;
  EXPECT_FALSE(repairs(conflicts(), conflicting_point(), wrong));
  Measurement not_counted = repaired_point();
  not_counted.memory.reset();
  EXPECT_FALSE(repairs(conflicts(), conflicting_point(), not_counted));
  EXPECT_FALSE(repairs(*find_rule("tail"), conflicting_point(), repaired_point())) << "a rule without a cost";
}

TEST(Repairs, AreDescribedByTheRulesMetric) {
  EXPECT_EQ(metric_words(conflicts(), repaired_point()), "0.2 % bank conflicts");
  Measurement not_counted = repaired_point();
  not_counted.memory.reset();
  EXPECT_EQ(metric_words(conflicts(), not_counted), "");
}

TEST(Worths, WithoutTimesPredictionsAreCompared) {
  Measurement base = conflicting_point(), repaired = repaired_point();
  base.prediction = Prediction{90, 80, 99, {}, "", "", {}};
  repaired.prediction = Prediction{41.8, 38, 46, {}, "", "", {}};
  const auto rows = worth_of(&conflicts(), base, repaired);
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const Worth& row) {
    return row.label == "Predicted latency p50" && row.now == "41.80 µs";
  }));
}

TEST(Worths, OfAChangeThatRepairsNoDiagnosisAreTheOtherFigures) {
  Measurement base = conflicting_point(), now = repaired_point();
  EXPECT_TRUE(worth_of(nullptr, base, now).empty());
  EXPECT_EQ(worth_sentence(nullptr, base, now), "");
  set_latency(base, 90.2);
  set_latency(now, 41.8);
  EXPECT_EQ(worth_of(nullptr, base, now).size(), 1U);
}

TEST(Worths, WhatARepairWasWorthIsBeforeAndNow) {
  Measurement base = conflicting_point(), repaired = repaired_point();
  const auto rows = worth_of(&conflicts(), base, repaired);
  ASSERT_EQ(rows.size(), 2U) << "neither was timed, neither has an occupancy";
  EXPECT_EQ(rows[0].label, "Bank conflicts");
  EXPECT_EQ(rows[0].before, "87.2 %");
  EXPECT_EQ(rows[0].now, "0.2 %");
  EXPECT_EQ(rows[0].tone, Tone::good);
  EXPECT_EQ(rows[1].label, "Wavefronts");
  EXPECT_EQ(rows[1].before, "32.1 M");
  EXPECT_EQ(rows[1].now, "4.11 M");
  EXPECT_EQ(worth_sentence(&conflicts(), base, repaired), "Before: 87.2 % bank conflicts; now 0.2 %.");

  set_latency(base, 90.2);
  EXPECT_EQ(worth_of(&conflicts(), base, repaired).size(), 2U) << "a latency on one side cannot be compared";
  set_latency(repaired, 95);
  const auto timed = worth_of(&conflicts(), base, repaired);
  ASSERT_EQ(timed.size(), 3U);
  EXPECT_EQ(timed[2].label, "Latency p50");
  EXPECT_EQ(timed[2].tone, Tone::bad);
}

TEST(Worths, WhatARepairCostsIsSaidWhereItChanged) {
  Measurement base = conflicting_point(), repaired = repaired_point();
  base.resources = Resources{64, 0, 32768, 0, 0, ""};
  repaired.resources = base.resources;
  EXPECT_EQ(worth_of(&conflicts(), base, repaired).size(), 2U);
  repaired.resources->registers = 72;
  repaired.resources->dynamic_shared_bytes = 36864;
  const auto rows = worth_of(&conflicts(), base, repaired);
  ASSERT_EQ(rows.size(), 4U) << "no spills before, none now";
  EXPECT_EQ(rows[2].label, "Registers per thread");
  EXPECT_EQ(rows[2].now, "72");
  EXPECT_EQ(rows[2].tone, Tone::bad);
  EXPECT_EQ(rows[3].label, "Shared memory per block");
  EXPECT_EQ(rows[3].before, "32.0 KiB");
  EXPECT_EQ(rows[3].now, "36.0 KiB");
}

}  // namespace
}  // namespace tilescope
