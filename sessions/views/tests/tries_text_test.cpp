#include "sessions/views/points/tries_text.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

Measurement predicted(double p50_us) {
  Measurement point;
  point.prediction = Prediction{p50_us, p50_us / 2, p50_us * 2, {}, "", "", {}};
  return point;
}

Measurement timed(double p50_us) {
  Measurement point = predicted(10);
  point.latency.emplace().p50_us = p50_us;
  return point;
}

TriedChange tried(const std::string& parameter, std::int64_t value, std::optional<double> p50_us,
                  std::optional<Status> status = Status::ok) {
  return {parameter, value, p50_us, status};
}

TEST(ComparedP50, IsMeasuredOnBothSidesOrPredictedOnBoth) {
  EXPECT_EQ(compared_p50(predicted(307), predicted(184)), 184);
  EXPECT_EQ(compared_p50(predicted(307), timed(184)), 10) << "the point was not measured";
  EXPECT_EQ(compared_p50(timed(307), timed(184)), 184);
  EXPECT_EQ(compared_p50(timed(307), predicted(184)), std::nullopt);
  EXPECT_EQ(compared_p50(predicted(307), Measurement{}), std::nullopt);
}

TEST(Gains, AreMoreThanTheModelCanTellApart) {
  const Measurement point = predicted(100);
  EXPECT_TRUE(gains(point, tried("A", 1, 97.9)));
  EXPECT_FALSE(gains(point, tried("A", 1, 98.1)));
  EXPECT_FALSE(gains(point, tried("A", 1, std::nullopt)));
  EXPECT_FALSE(gains(point, tried("A", 1, 50, Status::wrong_result)));
  EXPECT_FALSE(gains(point, tried("A", 1, std::nullopt, std::nullopt))) << "not tried";
  TriedChange same = tried("A", 1, 50);
  same.same_code = true;
  EXPECT_FALSE(gains(point, same)) << "a difference between equal programs is noise";
  EXPECT_FALSE(gains(Measurement{}, tried("A", 1, 50))) << "the point has no latency";
}

TEST(TriesText, NamesWhatGainsTheBestFirst) {
  const TriesText text =
      tries_text(predicted(307.1), {tried("NUM_WARPS", 2, 250), tried("NUM_WARPS", 8, 184.02)});
  ASSERT_EQ(text.gains.size(), 2U);
  EXPECT_EQ(text.gains[0].text, "NUM_WARPS=8: 184.02 µs instead of 307.10 µs, predicted");
  EXPECT_EQ(text.gains[0].parameter, "NUM_WARPS");
  EXPECT_EQ(text.gains[0].value, ParameterValue(std::int64_t{8}));
  EXPECT_EQ(text.gains[1].text, "NUM_WARPS=2: 250.00 µs instead of 307.10 µs, predicted");
  EXPECT_EQ(text.without_gain_words, "");
  EXPECT_EQ(text.not_tried_words, "");
  EXPECT_EQ(tries_text(timed(307.1), {tried("NUM_WARPS", 8, 184.02)}).gains.at(0).text,
            "NUM_WARPS=8: 184.02 µs instead of 307.10 µs, measured");
}

TEST(TriesText, WhatDoesNotGainIsCountedApart) {
  TriedChange same = tried("ASYNC", 1, 100);
  same.same_code = true;
  const std::vector<TriedChange> without = {tried("BLOCK_N", 32, 101), same,
                                            tried("STAGES", 4, std::nullopt, Status::compile_failed),
                                            tried("SPLITS", 2, std::nullopt)};
  TriesText text = tries_text(predicted(100), without);
  EXPECT_TRUE(text.gains.empty());
  EXPECT_EQ(text.without_gain,
            (std::vector<std::string>{"BLOCK_N=32 (101.00 µs)", "ASYNC=1 (same program)",
                                      "STAGES=4 (compile failed)", "SPLITS=2 (no latency)"}));
  EXPECT_EQ(text.without_gain_words, "None of 4 changes gains");
  text = tries_text(predicted(100), {tried("BLOCK_N", 32, 101)});
  EXPECT_EQ(text.without_gain_words, "The tried change does not gain");
  text = tries_text(predicted(100), {tried("BLOCK_N", 32, 101), tried("BLOCK_N", 128, 50)});
  EXPECT_EQ(text.without_gain_words, "1 other without gain");
}

TEST(TriesText, WhatIsNotTriedIsListedAsSuch) {
  std::vector<TriedChange> tries = {tried("BLOCK_M", 32, std::nullopt, std::nullopt),
                                    tried("STAGES", 3, std::nullopt, std::nullopt)};
  TriesText text = tries_text(predicted(100), tries);
  EXPECT_EQ(text.not_tried_words, "Not tried yet: BLOCK_M=32, STAGES=3");
  EXPECT_TRUE(text.gains.empty());
  EXPECT_EQ(text.without_gain_words, "");
  for (std::size_t i = 0; i < max_tries; ++i) tries.push_back(tried("N", static_cast<std::int64_t>(i), 100));
  text = tries_text(predicted(100), tries);
  EXPECT_EQ(text.not_tried_words, "Left out after 24 tries: BLOCK_M=32, STAGES=3");
}

}  // namespace
}  // namespace tilescope
