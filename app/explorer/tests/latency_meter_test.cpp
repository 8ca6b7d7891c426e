#include "app/explorer/latency_meter.hpp"

#include <gtest/gtest.h>

#include "app/explorer/latency_meter_text.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;

class LatencyMeterTest : public ::testing::Test {
 protected:
  void frame() {
    meter.frame_begins();
    time += 4ms;
    meter.frame_drawn();
  }
  void move() {
    meter.moved();
    meter.asked();
  }
  LatencyMeter::Row row(std::optional<AnswerSource> source) const {
    for (const LatencyMeter::Row& row : meter.rows()) {
      if (row.source == source) return row;
    }
    return {};
  }
  static std::optional<LatencyMeter::Figure> at(
      const std::array<std::optional<LatencyMeter::Figure>, answer_stages>& figures, AnswerStage stage) {
    return figures[static_cast<std::size_t>(stage)];
  }

  LatencyMeter::Clock::time_point time{1h};
  LatencyMeter meter{[this] { return time; }};
};

TEST_F(LatencyMeterTest, TimesEachStageFromTheMoveUntilItIsReceivedAndDrawn) {
  move();
  time += 10ms;
  meter.received(PointStage::judged);
  frame();
  time += 6ms;
  meter.received(PointStage::compiled);
  time += 30ms;
  meter.received_final(AnswerSource::compiled);
  frame();
  const LatencyMeter::Row compiled = row(AnswerSource::compiled);
  EXPECT_EQ(compiled.moves, 1U);
  EXPECT_EQ(at(compiled.received, AnswerStage::judged)->median_ms, 10);
  EXPECT_EQ(at(compiled.drawn, AnswerStage::judged)->median_ms, 14);
  EXPECT_EQ(at(compiled.received, AnswerStage::compiled)->median_ms, 20);
  EXPECT_EQ(at(compiled.drawn, AnswerStage::compiled)->median_ms, 54);
  EXPECT_EQ(at(compiled.received, AnswerStage::final)->median_ms, 50);
  EXPECT_FALSE(at(compiled.drawn, AnswerStage::checked));
  EXPECT_EQ(row(AnswerSource::cached).moves, 0U);
  EXPECT_EQ(meter.stages_drawn(), (std::array<std::uint64_t, answer_stages>{1, 1, 0, 0, 1}));
}

TEST_F(LatencyMeterTest, AMoveBeginsWhenItsMouseEventCameIn) {
  meter.input_arrived();
  time += 5ms;
  meter.frame_begins();
  move();
  meter.received_final(AnswerSource::session);
  time += 3ms;
  meter.frame_drawn();
  EXPECT_FALSE(at(row(AnswerSource::session).drawn, AnswerStage::final))
      << "that frame began before the answer";
  frame();
  EXPECT_EQ(at(row(AnswerSource::session).received, AnswerStage::final)->median_ms, 5);
  EXPECT_EQ(at(row(AnswerSource::session).drawn, AnswerStage::final)->median_ms, 12);
  time += 1s;
  move();
  meter.received_final(AnswerSource::session);
  EXPECT_EQ(at(row(AnswerSource::session).received, AnswerStage::final)->median_ms, 5)
      << "the event belonged to the first move: the second took 0 ms, and the median of two is the upper one";
}

TEST_F(LatencyMeterTest, ALaterMoveEndsTheOneBefore) {
  move();
  time += 2ms;
  meter.received(PointStage::judged);
  frame();
  time += 1ms;
  meter.received(PointStage::compiled);
  move();
  frame();
  meter.received_final(AnswerSource::cached);
  const LatencyMeter::Row none = row(std::nullopt);
  EXPECT_EQ(none.moves, 1U);
  EXPECT_TRUE(at(none.drawn, AnswerStage::judged));
  EXPECT_TRUE(at(none.received, AnswerStage::compiled));
  EXPECT_FALSE(at(none.drawn, AnswerStage::compiled)) << "no frame showed it";
  EXPECT_FALSE(at(row(AnswerSource::cached).received, AnswerStage::judged));
}

TEST_F(LatencyMeterTest, WhatNobodyMovedForIsNoAnswer) {
  meter.asked();
  meter.received(PointStage::judged);
  meter.received_final(AnswerSource::compiled);
  frame();
  move();
  meter.received_final(AnswerSource::cached);
  meter.asked();
  meter.received(PointStage::judged);
  meter.received_final(AnswerSource::compiled);
  frame();
  EXPECT_EQ(meter.moves(), 1U);
  EXPECT_EQ(row(AnswerSource::compiled).moves, 0U);
  EXPECT_EQ(meter.stages_drawn()[0], 0U);
}

TEST_F(LatencyMeterTest, KeepsTheLastMovesWithTheirMedianAndP90) {
  for (int i = 0; i < 300; ++i) {
    move();
    time += std::chrono::milliseconds(i < 44 ? 1000 : i - 43);
    meter.received_final(AnswerSource::compiled);
  }
  const LatencyMeter::Row compiled = row(AnswerSource::compiled);
  EXPECT_EQ(meter.moves(), 300U);
  EXPECT_EQ(compiled.moves, LatencyMeter::moves_kept);
  EXPECT_NEAR(at(compiled.received, AnswerStage::final)->median_ms, 128.5, 1);
  EXPECT_NEAR(at(compiled.received, AnswerStage::final)->p90_ms, 230.5, 1);
}

TEST_F(LatencyMeterTest, TheLongestStallIsThatOfTheLastMinute) {
  EXPECT_EQ(meter.longest_stall_ms(), 0);
  meter.held(3);
  meter.held(40);
  time += 50s;
  meter.held(5);
  meter.held(7);
  meter.held(2);
  EXPECT_EQ(meter.longest_stall_ms(), 40);
  time += 11s;
  EXPECT_EQ(meter.longest_stall_ms(), 7);
  time += 60s;
  EXPECT_EQ(meter.longest_stall_ms(), 0);
}

TEST_F(LatencyMeterTest, ItsTextHasARowForEachSourceWithItsFigures) {
  move();
  time += 12ms;
  meter.received_final(AnswerSource::prepared);
  frame();
  const LatencyMeterTable table = latency_meter_table(meter);
  ASSERT_EQ(table.rows.size(), answer_sources + 1);
  EXPECT_EQ(table.rows[1].title, "Prepared ahead");
  EXPECT_EQ(table.rows[1].drawn.back().median, "16.0");
  EXPECT_EQ(table.rows[1].drawn.front().median, "-");
  EXPECT_NE(latency_meter_text(meter).find("Prepared ahead\t1\t-\t"), std::string::npos);
  const Json json = latency_meter_json(meter);
  ASSERT_EQ(json["figures"].size(), 1U);
  EXPECT_EQ(json["figures"][0]["source"], "prepared");
  EXPECT_EQ(json["figures"][0]["drawn_ms"], 16.0);
  EXPECT_EQ(json["stages_drawn"]["final"], 1);
}

}  // namespace
}  // namespace tilescope
