#include "profiler/explanation/diagnose/alternative.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/explanation/diagnose/tests/diagnose_fixture.hpp"

namespace tilescope {
namespace {

using test_support::conflicting_point;

const ParameterChange pad = {"K_PAD", std::int64_t{8}};

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

TEST(Alternatives, AreDescribedByWhatWasCounted) {
  const Alternative alternative = judge_alternative(conflicts(), conflicting_point(), pad, repaired_point());
  EXPECT_EQ(alternative.text, "K_PAD=8: 0.2 % bank conflicts");
  EXPECT_TRUE(alternative.helps);
}

TEST(Alternatives, OfTimedPointsHaveTheirLatency) {
  Measurement base = conflicting_point(), repaired = repaired_point();
  set_latency(base, 90.2);
  set_latency(repaired, 41.8);
  EXPECT_EQ(judge_alternative(conflicts(), base, pad, repaired).text,
            "K_PAD=8: 0.2 % bank conflicts, p50 41.80 µs");
}

TEST(Alternatives, WithoutTimesPredictionsAreCompared) {
  Measurement base = conflicting_point(), repaired = repaired_point();
  base.prediction = Prediction{90, 80, 99, {}, "", "", {}};
  repaired.prediction = Prediction{41.8, 38, 46, {}, "", "", {}};
  EXPECT_EQ(judge_alternative(conflicts(), base, pad, repaired).text,
            "K_PAD=8: 0.2 % bank conflicts, predicted p50 41.80 µs");
  const auto rows = worth_of(conflicts(), base, repaired);
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const Worth& row) {
    return row.label == "Predicted latency p50" && row.now == "41.80 µs";
  }));
}

TEST(Alternatives, ThatDoNotHelpAreNotOffered) {
  EXPECT_FALSE(judge_alternative(conflicts(), conflicting_point(), pad, conflicting_point()).helps);
  Measurement diluted = conflicting_point();
  diluted.memory->shared_wavefronts *= 2;
  EXPECT_FALSE(judge_alternative(conflicts(), conflicting_point(), pad, diluted).helps)
      << "a smaller share of more wavefronts";
  Measurement wrong = repaired_point();
  wrong.status = Status::wrong_result;
  const Alternative alternative = judge_alternative(conflicts(), conflicting_point(), pad, wrong);
  EXPECT_FALSE(alternative.helps);
  EXPECT_EQ(alternative.text, "K_PAD=8: incorrect result");
  Measurement not_counted = repaired_point();
  not_counted.memory.reset();
  EXPECT_EQ(judge_alternative(conflicts(), conflicting_point(), pad, not_counted).text,
            "K_PAD=8: not counted");
}

TEST(Alternatives, WhatARepairWasWorthIsBeforeAndNow) {
  Measurement base = conflicting_point(), repaired = repaired_point();
  const auto rows = worth_of(conflicts(), base, repaired);
  ASSERT_EQ(rows.size(), 2U) << "neither was timed, neither has an occupancy";
  EXPECT_EQ(rows[0].label, "Bank conflicts");
  EXPECT_EQ(rows[0].before, "87.2 %");
  EXPECT_EQ(rows[0].now, "0.2 %");
  EXPECT_EQ(rows[0].tone, Tone::good);
  EXPECT_EQ(rows[1].label, "Wavefronts");
  EXPECT_EQ(rows[1].before, "32.1 M");
  EXPECT_EQ(rows[1].now, "4.11 M");
  EXPECT_EQ(worth_sentence(conflicts(), base, repaired), "Before: 87.2 % bank conflicts; now 0.2 %.");

  set_latency(base, 90.2);
  EXPECT_EQ(worth_of(conflicts(), base, repaired).size(), 2U) << "a latency on one side cannot be compared";
  set_latency(repaired, 95);
  const auto timed = worth_of(conflicts(), base, repaired);
  ASSERT_EQ(timed.size(), 3U);
  EXPECT_EQ(timed[2].label, "Latency p50");
  EXPECT_EQ(timed[2].tone, Tone::bad);
}

TEST(Alternatives, WhatARepairCostsIsSaidWhereItChanged) {
  Measurement base = conflicting_point(), repaired = repaired_point();
  base.resources = Resources{64, 0, 32768, 0, 0, ""};
  repaired.resources = base.resources;
  EXPECT_EQ(worth_of(conflicts(), base, repaired).size(), 2U);
  repaired.resources->registers = 72;
  repaired.resources->dynamic_shared_bytes = 36864;
  const auto rows = worth_of(conflicts(), base, repaired);
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
